//! The chain on disk, block by block: what opening, readers and offline tools have in common.
//!
//! Reads go in pieces of 1 MiB (direct reads that large run at the device's full speed), for a log in use never beyond
//! what is durable. A piece may go on behind the end of the VLF, so that small ones are read as fast as large ones: what it holds
//! there is used only if the next VLF lies there, whose positions then are as far from the piece's first as its bytes are.

use std::ops::Deref;
use std::sync::Arc;

use taffrail_base::{LogPos, VlfSeqNo};
use taffrail_io::{AlignedBuf, Volume};

use crate::block::{self, BLOCK_HEADER_BYTES, BlockHeader, NotABlock, VlfPlace};
use crate::directory::VLF_HEADER_BYTES;
use crate::error::LogError;
use crate::files::corrupt;
use crate::retried::read_retried;

const PIECE: usize = 1 << 20;

/// The VLF that a walk is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WalkVlf {
    pub place: VlfPlace,
    pub seqno: VlfSeqNo,
    pub start: u64,
}

impl WalkVlf {
    pub fn end(&self) -> u64 {
        self.start + self.place.size
    }
}

/// Why the chain ends where it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Break {
    /// No block, or a damaged one.
    NotABlock(NotABlock),
    /// A block of another place, VLF or use of this VLF.
    Place,
    /// Its predecessor is another block.
    Link,
    /// It is older than its predecessor.
    Incarnation,
    /// It belongs to another recovery fork.
    Fork,
    /// The VLF has no room for it.
    Room,
}

/// The finding of one step.
pub(crate) enum Step {
    Block(BlockHeader),
    End(Break),
}

/// The bytes of a block, as they were read.
pub(crate) struct HeldBytes {
    piece: Arc<AlignedBuf>,
    at: usize,
    len: usize,
}

impl Deref for HeldBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.piece[self.at..self.at + self.len]
    }
}

/// Makes `buf` one that nobody holds a block of, and lets it be written into.
fn unshared<'a>(
    buf: &'a mut Arc<AlignedBuf>,
    others: &mut Vec<Arc<AlignedBuf>>,
) -> &'a mut AlignedBuf {
    if Arc::get_mut(buf).is_none() {
        let free = others.iter_mut().position(|b| Arc::get_mut(b).is_some());
        let next = match free {
            Some(i) => others.swap_remove(i),
            None => Arc::new(AlignedBuf::zeroed(PIECE)),
        };
        others.push(std::mem::replace(buf, next));
    }
    Arc::get_mut(buf).expect("nobody shares it")
}

/// A walk along the chain of blocks.
pub(crate) struct Walker {
    volumes: Vec<Arc<dyn Volume>>,
    fork: [u8; 16],
    vlf: WalkVlf,
    /// Position of the next block.
    next: u64,
    /// CRC of the block before it, if it is to be checked.
    prev_crc: Option<u32>,
    incarnation: u32,
    /// The piece read last; who holds blocks back ([`Walker::held`]) shares it.
    buf: Arc<AlignedBuf>,
    /// Pieces read before, which may still be shared.
    others: Vec<Arc<AlignedBuf>>,
    /// The content of `buf`: file, offset, bytes.
    loaded: (u16, u64, usize),
    /// Where in `buf` the current block lies.
    current: (usize, usize),
}

impl Walker {
    /// A walk that begins with the block at `pos` in a VLF. `before` is CRC and incarnation of the block before, where
    /// they are known.
    pub fn new(
        volumes: Vec<Arc<dyn Volume>>,
        fork: [u8; 16],
        vlf: WalkVlf,
        pos: LogPos,
        before: Option<(u32, u32)>,
    ) -> Walker {
        Walker {
            volumes,
            fork,
            vlf,
            next: pos.0,
            prev_crc: before.map(|b| b.0),
            incarnation: before.map_or(0, |b| b.1),
            buf: Arc::new(AlignedBuf::zeroed(PIECE)),
            others: Vec::new(),
            loaded: (0, 0, 0),
            current: (0, 0),
        }
    }

    /// The log's files are others now.
    pub fn set_volumes(&mut self, volumes: Vec<Arc<dyn Volume>>) {
        self.volumes = volumes;
        self.loaded = (0, 0, 0);
    }

    /// The VLF of the next block.
    pub fn vlf(&self) -> WalkVlf {
        self.vlf
    }

    /// The position of the next block.
    pub fn next_pos(&self) -> LogPos {
        LogPos(self.next)
    }

    /// CRC of the last block, where one was seen.
    pub fn last_crc(&self) -> Option<u32> {
        self.prev_crc
    }

    /// Incarnation of the last block.
    pub fn incarnation(&self) -> u32 {
        self.incarnation
    }

    /// The bytes of the block found last.
    pub fn block(&self) -> &[u8] {
        &self.buf[self.current.0..self.current.0 + self.current.1]
    }

    /// The bytes, to be held on to: what is read later goes elsewhere.
    pub fn held(&self) -> HeldBytes {
        HeldBytes { piece: Arc::clone(&self.buf), at: self.current.0, len: self.current.1 }
    }

    fn volume(&self) -> &Arc<dyn Volume> {
        &self.volumes[usize::from(self.vlf.place.file)]
    }

    /// Where the next block lies in its file.
    fn offset(&self) -> u64 {
        self.vlf.place.offset + (self.next - self.vlf.start)
    }

    /// An error about the next block.
    pub fn corrupt(&self, why: String) -> LogError {
        corrupt(self.volume().path(), self.offset(), why)
    }

    /// Makes `need` bytes from the next block on available in `buf` (fewer where the VLF ends), reading ahead up to the
    /// position `limit`. Returns where in `buf`, and how many there are.
    fn load(&mut self, need: usize, limit: u64) -> Result<(usize, usize), LogError> {
        let (file, at, len) = self.loaded;
        let offset = self.offset();
        if file == self.vlf.place.file && offset >= at {
            let skip = offset - at;
            if skip + need as u64 <= len as u64 {
                return Ok((skip as usize, len - skip as usize));
            }
        }
        let end = self.vlf.end().min(limit.max(self.next + need as u64));
        let n = end.saturating_sub(self.next).min(PIECE as u64) as usize;
        self.loaded = (0, 0, 0);
        let volume = Arc::clone(self.volume());
        let buf = unshared(&mut self.buf, &mut self.others);
        // What lies behind the VLF is mostly the next one: then it is as durable as its positions say.
        let mut more = limit.saturating_sub(self.next).min(PIECE as u64);
        if more > n as u64 {
            more = more.min(volume.len()?.saturating_sub(offset));
        }
        let n = match more as usize {
            // The file may be cut behind the log meanwhile.
            more if more > n && volume.read_at(offset, &mut buf[..more]).is_ok() => more,
            _ => {
                read_retried(&*volume, offset, &mut buf[..n])?;
                n
            }
        };
        self.loaded = (self.vlf.place.file, offset, n);
        Ok((0, n))
    }

    /// Finds the next block. `limit`: nothing at or after this position is read ahead (but a block that begins before it
    /// is read whole).
    pub fn step(&mut self, limit: LogPos) -> Result<Step, LogError> {
        match self.look(limit)? {
            Ok(h) => {
                self.prev_crc = Some(h.crc);
                self.incarnation = h.incarnation;
                match h.successor {
                    None => self.next += u64::from(h.length),
                    Some(place) => {
                        self.check_successor(place)?;
                        let here = self.vlf.place;
                        if (place.file, place.offset) != (here.file, here.offset + here.size) {
                            // What was read of it with what lies before it may be of an earlier use.
                            self.loaded = (0, 0, 0);
                        }
                        self.vlf = WalkVlf {
                            place,
                            seqno: VlfSeqNo(self.vlf.seqno.0 + 1),
                            start: self.vlf.end(),
                        };
                        self.next = self.vlf.start + VLF_HEADER_BYTES;
                    }
                }
                Ok(Step::Block(h))
            }
            Err(why) => Ok(Step::End(why)),
        }
    }

    fn check_successor(&self, place: VlfPlace) -> Result<(), LogError> {
        let known = usize::from(place.file) < self.volumes.len();
        let shape =
            (place.offset | place.size).is_multiple_of(8192) && place.size > 2 * VLF_HEADER_BYTES;
        if known && shape && place.offset.checked_add(place.size).is_some() {
            return Ok(());
        }
        Err(self.corrupt(format!("a VLF's last block names an impossible successor: {place:?}")))
    }

    fn look(&mut self, limit: LogPos) -> Result<Result<BlockHeader, Break>, LogError> {
        if self.next + LogPos::UNIT > self.vlf.end() {
            return Ok(Err(Break::Room));
        }
        let (at, _) = self.load(BLOCK_HEADER_BYTES.next_multiple_of(512), limit.0)?;
        let h = match block::parse_header(&self.buf[at..]) {
            Ok(h) => h,
            Err(e) => return Ok(Err(Break::NotABlock(e))),
        };
        if self.next + u64::from(h.length) > self.vlf.end() {
            return Ok(Err(Break::Room));
        }
        let length = h.length as usize;
        let (at, _) = self.load(length, limit.0)?;
        let bytes = &self.buf[at..at + length];
        if let Err(e) = block::check_crc(&h, bytes) {
            return Ok(Err(Break::NotABlock(e)));
        }
        if let Err(why) = self.links(&h) {
            return Ok(Err(why));
        }
        self.current = (at, length);
        Ok(Ok(h))
    }

    fn links(&self, h: &BlockHeader) -> Result<(), Break> {
        let block_offset = (self.next - self.vlf.start) / 512;
        if h.pos.0 != self.next || h.vlf != self.vlf.seqno || u64::from(h.offset.0) != block_offset
        {
            return Err(Break::Place);
        }
        if h.fork != self.fork {
            return Err(Break::Fork);
        }
        if h.incarnation < self.incarnation {
            return Err(Break::Incarnation);
        }
        if self.prev_crc.is_some_and(|crc| crc != h.prev_crc) {
            return Err(Break::Link);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
