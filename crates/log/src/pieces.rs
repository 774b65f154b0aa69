//! Windows of log files that were read for single records, with a budget of bytes for all logs of an instance.
//!
//! Positions are given once, and durable bytes never change: so what is found by its position is right, however the log has gone on
//! since. A window lies before a record as well as behind it: undo goes backward, others forward.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use taffrail_base::LogPos;
use taffrail_io::AlignedBuf;

use crate::block::{self, BLOCK_BYTES_MAX, BlockHeader};
use crate::fair::Mutex;

/// Blocks begin in the window that they are read with; the last of them ends behind it.
const WINDOW_LOG2: u32 = 20;
const WINDOW: u64 = 1 << WINDOW_LOG2;
const SHARDS: usize = 16;
/// Words of a bit for each 512 bytes at which a block may begin.
const CHECKED: usize = (WINDOW as usize + BLOCK_BYTES_MAX) / 512 / 64 + 1;

/// Where the window of a block begins and ends, with the rest of the last block that begins in it.
pub(crate) fn window(block: LogPos) -> (u64, u64) {
    let first = block.0 >> WINDOW_LOG2 << WINDOW_LOG2;
    (first, first + WINDOW + BLOCK_BYTES_MAX as u64)
}

/// A window of a log file: durable bytes of one VLF.
pub(crate) struct Window {
    /// The position of its first byte.
    pub first: u64,
    pub buf: AlignedBuf,
    /// Blocks whose checksum was right, by where they begin.
    checked: [AtomicU64; CHECKED],
    /// The name of the file. Not the file: one that has been removed would keep its room on the disk.
    pub path: Box<Path>,
    /// The place of its first byte in the file.
    pub offset: u64,
}

impl Window {
    pub fn new(first: u64, buf: AlignedBuf, path: &Path, offset: u64) -> Window {
        let checked = std::array::from_fn(|_| AtomicU64::new(0));
        Window { first, buf, checked, path: path.into(), offset }
    }

    /// The block at a position; none: it does not lie here, or not as a whole.
    pub fn block(&self, at: LogPos) -> Option<(BlockHeader, &[u8])> {
        let bytes = self.buf.get(usize::try_from(at.0.checked_sub(self.first)?).ok()?..)?;
        let h = block::parse_header(bytes).ok()?;
        Some((h, bytes.get(..h.length as usize)?))
    }

    /// Whether the checksum of a block of this window is right.
    pub fn is_sound(&self, h: &BlockHeader, bytes: &[u8]) -> bool {
        let place = (h.pos.0.wrapping_sub(self.first) / 512) as usize;
        let Some(word) = self.checked.get(place / 64) else { return false };
        let bit = 1 << (place % 64);
        if word.load(Ordering::Relaxed) & bit == 0 {
            if block::check_crc(h, bytes).is_err() {
                return false;
            }
            word.fetch_or(bit, Ordering::Relaxed);
        }
        true
    }
}

/// A piece, the log that it is of, and its window.
type Kept = (u64, u64, Arc<Window>);

/// Memory for pieces of log files, shared by the logs of an instance.
pub struct Pieces {
    shards: [Mutex<VecDeque<Kept>>; SHARDS],
    bytes: AtomicUsize,
    bytes_max: usize,
    logs: AtomicU64,
}

impl Pieces {
    /// Room for so many bytes; one piece, of some megabyte, there is always room for.
    pub fn new(bytes_max: usize) -> Pieces {
        let shards = std::array::from_fn(|_| Mutex::new(VecDeque::new()));
        Pieces { shards, bytes: AtomicUsize::new(0), bytes_max, logs: AtomicU64::new(0) }
    }

    /// Bytes that are held now.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn shard(&self, log: u64, window: u64) -> usize {
        (log.wrapping_mul(7).wrapping_add(window) % SHARDS as u64) as usize
    }

    fn find(&self, log: u64, block: LogPos) -> Option<Arc<Window>> {
        let window = block.0 >> WINDOW_LOG2;
        let kept = self.shards[self.shard(log, window)].lock();
        let mine = kept.iter().rev().filter(|(l, w, _)| (*l, *w) == (log, window));
        mine.map(|(.., piece)| piece).find(|p| p.block(block).is_some()).map(Arc::clone)
    }

    fn keep(&self, log: u64, block: LogPos, piece: &Arc<Window>) {
        let window = block.0 >> WINDOW_LOG2;
        let own = self.shard(log, window);
        self.bytes.fetch_add(piece.buf.len(), Ordering::Relaxed);
        let mut before = Vec::new();
        {
            let mut kept = self.shards[own].lock();
            // A shorter one, from before more was durable.
            let same = |k: &Kept| (k.0, k.1, k.2.first) == (log, window, piece.first);
            if let Some(at) = kept.iter().position(same) {
                before.extend(kept.remove(at));
            }
            kept.push_back((log, window, Arc::clone(piece)));
        }
        self.gone(before);
        // The oldest of each part go, the piece's own part last.
        for n in 1..=SHARDS {
            while self.bytes() > self.bytes_max {
                let mut kept = self.shards[(own + n) % SHARDS].lock();
                let spared = usize::from(n == SHARDS);
                if kept.len() <= spared {
                    break;
                }
                let oldest = kept.pop_front();
                drop(kept);
                self.gone(oldest);
            }
        }
    }

    fn gone(&self, pieces: impl IntoIterator<Item = Kept>) {
        for (.., piece) in pieces {
            self.bytes.fetch_sub(piece.buf.len(), Ordering::Relaxed);
        }
    }
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} bytes", self.bytes(), self.bytes_max)
    }
}

/// One log's share of the pieces.
pub(crate) struct Share {
    of: Arc<Pieces>,
    log: u64,
}

impl Share {
    pub fn new(of: &Arc<Pieces>) -> Share {
        Share { of: Arc::clone(of), log: of.logs.fetch_add(1, Ordering::Relaxed) }
    }

    /// The window that has the block at a position.
    pub fn find(&self, block: LogPos) -> Option<Arc<Window>> {
        self.of.find(self.log, block)
    }

    /// A window that was read for the block at a position, which lies in it.
    pub fn keep(&self, block: LogPos, window: &Arc<Window>) {
        self.of.keep(self.log, block, window);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        for shard in &self.of.shards {
            let mut kept = shard.lock();
            let (gone, rest) = kept.drain(..).partition(|k| k.0 == self.log);
            *kept = rest;
            drop(kept);
            let gone: VecDeque<Kept> = gone;
            self.of.gone(gone);
        }
    }
}
