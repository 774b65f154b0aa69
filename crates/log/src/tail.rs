//! The end of the log that an opening reads and nothing proves to be on the medium: it is written once more, as it is.
//!
//! A process whose sync has failed, and that was killed then, leaves blocks that read back from the system's cache, that the cache
//! calls clean, and that the medium may not have: no later sync writes them. A commit that is appended behind them and acknowledged
//! would be lost with them, and a page that is written because of them would be ahead of the log.
//!
//! | blocks | on the medium? |
//! |---|---|
//! | before the anchor's durable position, or the root's | yes: a sync had succeeded before either was written |
//! | before the durable position that a later block of the chain names | yes, for the same reason |
//! | the rest: what was in flight when the log was left | perhaps: written again before anybody hears of their records |
//!
//! So blocks are held back until one of the three is known. A write of what is there already can be torn without harm.

use std::collections::VecDeque;
use std::sync::Arc;

use taffrail_base::LogPos;
use taffrail_io::{AlignedBuf, Volume};

use crate::block::{BLOCK_BYTES_MAX, BlockHeader};
use crate::directory::{HALF, VLF_HEADER_BYTES};
use crate::error::LogError;
use crate::files::write_bytes;
use crate::retried::read_retried;
use crate::walk::{HeldBytes, WalkVlf};

/// Bytes that are held back at most: more than the cache can have had in flight.
const HELD_MAX: usize = 16 << 20;
/// Bytes of one write, and a block more.
const PIECE: usize = 1 << 20;

/// A block of the chain. Its bytes are those that the walk has read: a piece of 1 MiB stays in memory while a block of it is held.
pub(crate) struct Held {
    pub header: BlockHeader,
    pub bytes: HeldBytes,
    vlf: WalkVlf,
}

impl Held {
    fn end(&self) -> u64 {
        self.header.pos.0 + u64::from(self.header.length)
    }

    /// Where it lies: file, first byte, bytes. The advisory header goes along with the first block of a VLF.
    fn place(&self) -> (u16, u64, usize) {
        let inside = self.header.pos.0 - self.vlf.start;
        let header = if inside == VLF_HEADER_BYTES { HALF } else { 0 };
        let at = self.vlf.place.offset + inside - header as u64;
        (self.vlf.place.file, at, self.bytes.len() + header)
    }
}

/// The blocks held back, oldest first.
pub(crate) struct Tail {
    held: VecDeque<Held>,
    bytes: usize,
    /// The position before which all blocks are on the medium.
    known: LogPos,
}

impl Tail {
    /// Nothing yet; what lies before `known` is on the medium.
    pub fn new(known: LogPos) -> Tail {
        Tail { held: VecDeque::new(), bytes: 0, known }
    }

    /// The next block of the chain, in this VLF.
    pub fn push(&mut self, vlf: WalkVlf, header: BlockHeader, bytes: HeldBytes) {
        self.known = self.known.max(header.durable);
        self.bytes += bytes.len();
        self.held.push_back(Held { header, bytes, vlf });
    }

    /// The oldest block, if it is on the medium.
    pub fn next(&mut self) -> Option<Held> {
        let there = self.held.front().is_some_and(|b| b.end() <= self.known.0);
        let block = if there { self.held.pop_front() } else { None }?;
        self.bytes -= block.bytes.len();
        Some(block)
    }

    /// No more is to be held back.
    pub fn is_full(&self) -> bool {
        self.bytes > HELD_MAX
    }

    /// Writes all that is held back once more, durably.
    pub fn write(&mut self, volumes: &[Arc<dyn Volume>]) -> Result<(), LogError> {
        let mut piece = Vec::with_capacity(PIECE.min(self.bytes) + BLOCK_BYTES_MAX + HALF);
        let mut begins = (0, 0);
        let write = |(file, at): (u16, u64), piece: &[u8]| match piece.is_empty() {
            true => Ok(()),
            false => write_bytes(&*volumes[usize::from(file)], at, piece),
        };
        for block in self.held.iter().filter(|b| b.end() > self.known.0) {
            let (file, at, len) = block.place();
            let goes_on = (begins.0, begins.1 + piece.len() as u64) == (file, at);
            if !goes_on || piece.len() >= PIECE {
                write(begins, &piece)?;
                piece.clear();
                begins = (file, at);
            }
            if len > block.bytes.len() {
                let mut header = AlignedBuf::zeroed(HALF);
                read_retried(&*volumes[usize::from(file)], at, &mut header)?;
                piece.extend_from_slice(&header);
            }
            piece.extend_from_slice(&block.bytes);
        }
        write(begins, &piece)?;
        self.known = self.held.back().map_or(self.known, |b| LogPos(b.end()));
        Ok(())
    }
}
