//! The log cache: the open block, closed blocks (on their way to the disk, or kept for undo), and their buffers.
//!
//! One buffer of 60 KiB per block, whatever the block's size; as many buffers as were ever needed at once, at most
//! the number in the options. A buffer is used again when its block is durable and leaves the cache, oldest first.
//!
//! Invariants of [`State`]: (1) `cached` is ordered by position, and every block that is not durable is in it;
//! (2) `open` lies in the head VLF, and at least one sector is free behind its limit; (3) `reserved` is the sum over all
//! transactions' `TxLog::reserved`, and `ends` the number of those whose end is part of it; (4) `moments.last` is that of the newest
//! record that says when it happened ([`crate::moments`]).

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{BlockOffset, LogPos, VlfSeqNo};
use taffrail_io::AlignedBuf;

use crate::block::{
    self, BLOCK_BYTES_MAX, BLOCK_HEADER_BYTES, BlockHeader, RECORDS_PER_BLOCK_MAX, VlfPlace,
};
use crate::directory::{Entry, HALF, VLF_HEADER_BYTES, vlf_header};
use crate::fair::RwLock;
use crate::files::LogFiles;
use crate::flush::{Closed, FlushCore};
use crate::moments::Moments;
use crate::vlf::{ActiveVlf, VlfTable};
use crate::waiter::Waiter;

/// So much at the end of a VLF is written for nothing, where that lets one write go on into the next VLF.
const BRIDGE_MAX: usize = 16 << 10;
/// Durable blocks that stay in the cache before their buffers are used again, although more could be made.
const KEEP: usize = 16;
/// Places for closed blocks: twice as many as there are buffers, as a rule.
const PLACES_LOG2: u32 = 8;

/// The memory of a block. A small block of a reused buffer need not be zeroed to the end of its sector again.
pub(crate) struct BlockBuffer {
    bytes: AlignedBuf,
    /// Bytes from here on are zeroes, but for what the open block has put there.
    zero_from: usize,
}

impl BlockBuffer {
    fn zeroed(len: usize) -> BlockBuffer {
        BlockBuffer { bytes: AlignedBuf::zeroed(len), zero_from: 0 }
    }

    /// Completes the block: see [`block::seal`].
    fn seal(&mut self, h: &BlockHeader) -> u32 {
        let (used, length) = (h.used as usize, h.length as usize);
        let crc = block::seal(h, &mut self.bytes[..length], self.zero_from.min(length));
        // Behind the block may still be bytes of a longer one.
        self.zero_from = if self.zero_from > length { self.zero_from } else { used };
        crc
    }
}

impl Deref for BlockBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for BlockBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

/// A closed block in memory. Never changes.
pub(crate) struct CachedBlock {
    pub header: BlockHeader,
    /// The position of the next block: after this one, or the successor VLF's first.
    pub end: LogPos,
    /// The block is the first `header.length` bytes.
    pub buf: BlockBuffer,
    /// The advisory VLF header that is written in front of it.
    pub vlf_header: Option<AlignedBuf>,
    /// Commit records in it.
    pub commits: u32,
}

impl CachedBlock {
    /// The bytes of the block, without the rest of the buffer.
    pub fn bytes(&self) -> &[u8] {
        &self.buf[..self.header.length as usize]
    }
}

/// Closed blocks in memory, by position: a place each, whose lock is held for a moment, so that who reads one waits for no appender. One
/// that shares its place with a later one is not found: the state has it.
pub(crate) struct Recent {
    places: Box<[RwLock<Option<Arc<CachedBlock>>>]>,
}

impl Recent {
    pub fn new() -> Recent {
        Recent { places: (0..1 << PLACES_LOG2).map(|_| RwLock::new(None)).collect() }
    }

    fn place(&self, block: LogPos) -> &RwLock<Option<Arc<CachedBlock>>> {
        let hash = (block.0 / 512).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.places[(hash >> (64 - PLACES_LOG2)) as usize]
    }

    /// A block has been closed.
    pub fn put(&self, block: &Arc<CachedBlock>) {
        *self.place(block.header.pos).write() = Some(Arc::clone(block));
    }

    /// A block leaves memory.
    pub fn take(&self, block: LogPos) {
        let mut place = self.place(block).write();
        if place.as_ref().is_some_and(|b| b.header.pos == block) {
            *place = None;
        }
    }

    /// The block at a position.
    pub fn find(&self, block: LogPos) -> Option<Arc<CachedBlock>> {
        self.place(block).read().as_ref().filter(|b| b.header.pos == block).map(Arc::clone)
    }
}

/// The block that records are appended to.
pub(crate) struct OpenBlock {
    /// The position of the block.
    pub start: u64,
    /// How long it may become, from its place in the VLF.
    pub limit: usize,
    /// Bytes used, header included, slot table not.
    pub used: usize,
    /// How many records it has.
    pub records: usize,
    /// Commit records among them.
    pub commits: u32,
    /// The offsets of the records in the block.
    pub slots: Box<[u16; RECORDS_PER_BLOCK_MAX]>,
    /// Its buffer, once it has a record.
    pub buf: Option<BlockBuffer>,
}

impl OpenBlock {
    /// Bytes that it would take on disk if it were closed now with so many bytes used and records.
    pub fn closed_len(used: usize, records: usize, sector: usize) -> usize {
        if records == 0 { 0 } else { (used + 2 * records).next_multiple_of(sector) }
    }
}

/// Everything under the log's one short mutex.
pub(crate) struct State {
    pub table: VlfTable,
    pub open: OpenBlock,
    pub core: FlushCore<Arc<CachedBlock>, Arc<Waiter>>,
    cached: VecDeque<Arc<CachedBlock>>,
    /// These blocks once more, for readers without the mutex.
    pub recent: Arc<Recent>,
    free_buffers: Vec<BlockBuffer>,
    buffers_made: usize,
    buffers_max: usize,
    /// Appenders waiting for a buffer.
    pub buffer_waiters: usize,
    /// Bytes that transactions have reserved for their rollback.
    pub reserved: u64,
    /// Transactions whose commit or abort record is part of that.
    pub ends: u64,
    /// Goes up whenever VLFs are added or freed.
    pub space_changes: u64,
    /// CRC of the last closed block.
    pub last_crc: u32,
    /// The position of the last record.
    pub last_record: LogPos,
    /// The moments that records say.
    pub moments: Moments,
    /// The head's first block goes out with all that lies between it and the block before.
    bridged: bool,
    /// When the delayed commits in memory have to leave.
    pub lazy_deadline: Option<Duration>,
    /// The last record whose delayed commits had to leave: the writer sees to it that it becomes durable.
    pub lazy_last: LogPos,
    /// When the released commits in memory have to leave.
    pub released_deadline: Option<Duration>,
    /// As `lazy_last`, of released commits.
    pub released_last: LogPos,
    /// The writer thread writes closed blocks up to here without being asked again.
    pub must_write: LogPos,
    /// Nothing is appended any more: see [`crate::Log::seal`].
    pub sealed: bool,
    pub sector: usize,
    pub incarnation: u32,
    pub fork: [u8; 16],
}

impl State {
    /// The state of a log whose next block lies at `start` in the head VLF of the table.
    #[allow(clippy::too_many_arguments, reason = "one place builds it")]
    pub fn new(
        table: VlfTable,
        core: FlushCore<Arc<CachedBlock>, Arc<Waiter>>,
        start: LogPos,
        last_crc: u32,
        last_record: LogPos,
        sector: usize,
        incarnation: u32,
        fork: [u8; 16],
        buffers_max: usize,
    ) -> State {
        let mut s = State {
            table,
            open: OpenBlock {
                start: start.0,
                limit: 0,
                used: BLOCK_HEADER_BYTES,
                records: 0,
                commits: 0,
                slots: Box::new([0; RECORDS_PER_BLOCK_MAX]),
                buf: None,
            },
            core,
            cached: VecDeque::new(),
            recent: Arc::new(Recent::new()),
            free_buffers: Vec::new(),
            buffers_made: 0,
            buffers_max: buffers_max.max(3),
            buffer_waiters: 0,
            reserved: 0,
            ends: 0,
            space_changes: 0,
            last_crc,
            last_record,
            moments: Moments::default(),
            bridged: false,
            lazy_deadline: None,
            lazy_last: LogPos::ZERO,
            released_deadline: None,
            released_last: LogPos::ZERO,
            must_write: LogPos::ZERO,
            sealed: false,
            sector,
            incarnation,
            fork,
        };
        s.open_at(start.0);
        s
    }

    /// The directory as it is to be written now, and the places reserved for its pages.
    pub fn directory(&mut self) -> (Vec<Entry>, Vec<(u16, u64)>) {
        let all = self.table.entries();
        let durable = self.core.durable();
        let slots = self.table.take_pages(LogFiles::pages(all.len()), durable);
        (all, slots)
    }

    /// Where records may go up to in the head VLF: behind it is room for the block that names the successor.
    pub fn usable_end(&self) -> u64 {
        self.table.head().end() - self.sector as u64
    }

    fn open_at(&mut self, start: u64) {
        let rest = self.usable_end().saturating_sub(start);
        self.open.start = start;
        self.open.limit = rest.min(BLOCK_BYTES_MAX as u64) as usize;
        self.open.used = BLOCK_HEADER_BYTES;
        self.open.records = 0;
        self.open.commits = 0;
    }

    /// Bytes that can still be written: in the head VLF after the open block as it is, and in free VLFs.
    pub fn free(&self) -> u64 {
        let open = OpenBlock::closed_len(self.open.used, self.open.records, self.sector);
        let head = self.usable_end().saturating_sub(self.open.start + open as u64);
        head + self.table.free_bytes()
    }

    /// True when a record of so many bytes (padded) fits the open block.
    pub fn fits(&self, padded: usize) -> bool {
        self.open.records < RECORDS_PER_BLOCK_MAX
            && self.open.used + padded + 2 * (self.open.records + 1) <= self.open.limit
    }

    /// A buffer for the open block; false when there is none.
    pub fn ensure_buffer(&mut self) -> bool {
        if self.open.buf.is_some() {
            return true;
        }
        let durable = self.core.durable();
        let durable_cached = self.cached.partition_point(|b| b.end <= durable);
        if self.free_buffers.is_empty()
            && durable_cached > 0
            && (durable_cached > KEEP || self.buffers_made >= self.buffers_max)
            && let Some(oldest) = self.cached.pop_front()
        {
            self.recent.take(oldest.header.pos);
            if oldest.buf.len() != BLOCK_BYTES_MAX {
                return self.ensure_buffer(); // a successor block has a small buffer of its own
            }
            // Somebody may be reading it: then the memory goes when he is done, and another takes its place.
            match Arc::try_unwrap(oldest) {
                Ok(block) => self.free_buffers.push(block.buf),
                Err(_) => self.buffers_made -= 1,
            }
        }
        if self.free_buffers.is_empty() && self.buffers_made < self.buffers_max {
            self.buffers_made += 1;
            self.free_buffers.push(BlockBuffer::zeroed(BLOCK_BYTES_MAX));
        }
        self.open.buf = self.free_buffers.pop();
        self.open.buf.is_some()
    }

    /// Closes the open block, if it has records: header, slot table, checksum; hands it to the flush core.
    pub fn close_open(&mut self) {
        let n = self.open.records;
        if n == 0 {
            return;
        }
        let Some(mut buf) = self.open.buf.take() else { return };
        let used = self.open.used + 2 * n;
        let length = OpenBlock::closed_len(self.open.used, n, self.sector);
        assert!(length <= self.open.limit, "a block stays in its VLF");
        for (i, at) in self.open.slots[..n].iter().enumerate() {
            let place = used - 2 * (i + 1);
            buf[place..place + 2].copy_from_slice(&at.to_le_bytes());
        }
        self.push_closed(buf, self.open.start, used, length, n, None);
        self.open_at(self.open.start + length as u64);
    }

    /// Leaves the head VLF: the block that names the successor, then the successor becomes the head.
    /// Nothing happens when there is no free VLF (false). The open block must be empty.
    pub fn switch_vlf(&mut self) -> bool {
        let Some(next) = self.table.next_free() else { return false };
        self.switch_to(next);
        true
    }

    /// Switches into a free VLF of the caller's choice.
    pub fn switch_to(&mut self, next: VlfPlace) {
        assert_eq!(self.open.records, 0, "the block before a switch is closed");
        let head = *self.table.head();
        let start = self.open.start;
        // If the successor lies right behind: up to there, and over what lies between, so that one write takes both.
        let rest = (head.end() - start) as usize;
        let adjoins = (head.place.file, head.place.offset + head.place.size)
            == (next.file, next.offset)
            && !self.table.holds_page((next.file, next.offset));
        let bridged = adjoins && rest <= BRIDGE_MAX;
        let length = if bridged { rest } else { self.sector };
        let buf = BlockBuffer::zeroed(length);
        self.push_closed(buf, start, BLOCK_HEADER_BYTES, length, 0, Some(next));
        self.bridged = bridged;
        let activated = self.table.activate(next, head.seqno + 1, head.end());
        assert!(activated.is_some(), "the next free VLF is free");
        let first = self.table.head().first_block();
        self.open_at(first);
    }

    fn push_closed(
        &mut self,
        mut buf: BlockBuffer,
        start: u64,
        used: usize,
        length: usize,
        records: usize,
        successor: Option<VlfPlace>,
    ) {
        let head: ActiveVlf = *self.table.head();
        assert!(
            start >= head.first_block() && start + length as u64 <= head.end(),
            "a block lies in the head VLF"
        );
        let mut header = BlockHeader {
            parity: head.parity,
            pos: LogPos(start),
            vlf: VlfSeqNo(head.seqno),
            offset: BlockOffset(((start - head.start) / 512) as u32),
            length: length as u32,
            used: used as u32,
            records: records as u16,
            prev_crc: self.last_crc,
            incarnation: self.incarnation,
            durable: self.core.durable(),
            successor,
            fork: self.fork,
            crc: 0,
        };
        header.crc = buf.seal(&header);
        self.last_crc = header.crc;
        let first = start == head.first_block();
        let vlf_header = first.then(|| {
            let size = head.place.size;
            let (parity, seqno, start) = (head.parity, head.seqno, head.start);
            let bytes = vlf_header(parity, seqno, start, size, head.create, self.fork, head.before);
            let mut buf = AlignedBuf::zeroed(if self.bridged { 2 * HALF } else { HALF });
            let at = buf.len() - HALF;
            buf[at..].copy_from_slice(&bytes);
            self.bridged = false;
            buf
        });
        let extra = vlf_header.as_ref().map_or(0, |h| h.len() as u64);
        let end = match successor {
            None => LogPos(start + length as u64),
            Some(_) => LogPos(head.end() + VLF_HEADER_BYTES),
        };
        let block =
            Arc::new(CachedBlock { header, end, buf, vlf_header, commits: self.open.commits });
        self.core.push(Closed {
            pos: header.pos,
            end,
            file: head.place.file,
            offset: head.offset_of(start) - extra,
            bytes: (length as u64 + extra) as u32,
            data: Arc::clone(&block),
        });
        self.recent.put(&block);
        self.cached.push_back(block);
    }

    /// Bytes of all buffers.
    pub fn buffer_bytes(&self) -> u64 {
        (self.buffers_made * BLOCK_BYTES_MAX) as u64
    }

    /// The closed block at a position, if it is in the cache.
    pub fn cached_block(&self, pos: LogPos) -> Option<Arc<CachedBlock>> {
        let i = self.cached.partition_point(|b| b.header.pos < pos);
        self.cached.get(i).filter(|b| b.header.pos == pos).map(Arc::clone)
    }

    /// The bytes of a record of the open block.
    pub fn open_record(&self, pos: LogPos) -> Option<&[u8]> {
        let slot = usize::from(pos.slot());
        if pos.block().0 != self.open.start || slot == 0 || slot > self.open.records {
            return None;
        }
        let buf = self.open.buf.as_ref()?;
        buf.get(usize::from(self.open.slots[slot - 1])..self.open.used)
    }

    /// Checks what can be checked in a few steps.
    pub fn check(&self) {
        assert!(self.core.durable().0 <= self.open.start, "durable <= appended");
        let head = self.table.head();
        assert!(self.open.start >= head.first_block() && self.open.start < head.end());
    }
}
