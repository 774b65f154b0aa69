//! Reading the log: forward over its records, and single records for undo.
//!
//! A [`Reader`] sees only what is durable, and reads it from the files, never from the cache. It holds the log
//! (LOG_SCAN) from where it stands, so that what it has to read is not reused under it.
//!
//! [`Log::fetch`] serves rollback: it takes a record from the open block or the cache, and from the file only when
//! it has left them: see [`crate::pieces`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use taffrail_base::{LogPos, Lsn};
use taffrail_io::AlignedBuf;
use taffrail_observe::xe;

use crate::block;
use crate::cache::CachedBlock;
use crate::error::LogError;
use crate::files::corrupt;
use crate::log::Log;
use crate::pieces::{self, Window};
use crate::record::{Record, RecordHeader};
use crate::restore::VlfRange;
use crate::retried::read_retried;
use crate::reuse::{Hold, HolderId};
use crate::vlf::ActiveVlf;
use crate::waits::ReuseWait;
use crate::walk::{Step, WalkVlf, Walker};

/// A record with its own copy of the payload.
#[derive(Clone, Debug)]
pub struct OwnedRecord {
    /// The position of the record.
    pub pos: LogPos,
    /// The header of the record.
    pub header: RecordHeader,
    /// The payload, which the layer above has written.
    pub payload: Box<[u8]>,
}

impl From<Record<'_>> for OwnedRecord {
    fn from(r: Record<'_>) -> OwnedRecord {
        OwnedRecord { pos: r.pos, header: r.header, payload: r.payload.into() }
    }
}

/// A record, and what its block says of it.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The LSN of the record.
    pub lsn: Lsn,
    /// The block's incarnation, which every recovery raises.
    pub incarnation: u32,
    /// The record, in the block's bytes.
    pub record: Record<'a>,
}

/// A reader of records, from the oldest on.
pub struct Reader {
    log: Arc<Log>,
    walker: Walker,
    holder: HolderId,
    at: Arc<AtomicU64>,
    /// The current block: its header, and the slot to be read next.
    block: Option<(block::BlockHeader, u16)>,
    /// Records before it are passed over.
    from: LogPos,
    /// Which of the log's files the walker knows.
    membership: u64,
    /// Blocks from here on are not read.
    stop: LogPos,
}

impl Reader {
    /// The next durable record; `None` when there is none (yet: call again later).
    #[allow(clippy::should_implement_trait, reason = "the record borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<Record<'_>>, LogError> {
        Ok(self.next_entry()?.map(|entry| entry.record))
    }

    /// A record with the facts of its block.
    #[inline]
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, LogError> {
        loop {
            if let Some((h, slot)) = &mut self.block {
                let first = self.from.0.saturating_sub(h.pos.0).clamp(1, 512) as u16;
                let s = (*slot).max(first);
                if s <= h.records {
                    *slot = s + 1;
                    let pos = LogPos(h.pos.0 + u64::from(s));
                    let h = *h;
                    return match block::record_bytes(&h, self.walker.block(), s)
                        .and_then(|b| Record::parse(pos, b))
                    {
                        Some(record) => Ok(Some(Entry {
                            lsn: Lsn { vlf: h.vlf, block: h.offset, slot: s },
                            incarnation: h.incarnation,
                            record,
                        })),
                        None => Err(self.walker.corrupt(format!("record {s} is unreadable"))),
                    };
                }
                self.block = None;
            }
            let durable = self.log.durable().min(self.stop);
            if self.walker.next_pos() >= durable {
                return Ok(None);
            }
            self.at.store(self.walker.next_pos().0, Ordering::Release);
            let membership = self.log.membership.load(Ordering::Acquire);
            if membership != self.membership {
                // The next block may lie in a file that was added after the reader began.
                self.walker.set_volumes(self.log.all_volumes());
                self.membership = membership;
            }
            match self.walker.step(durable)? {
                Step::Block(h) => self.block = Some((h, 1)),
                Step::End(why) => {
                    let text = format!("the durable log is broken here: {why:?}");
                    return Err(self.walker.corrupt(text));
                }
            }
        }
    }

    /// Blocks that begin at `end` or later are not read: what is logged meanwhile is not waited for.
    pub fn stop_at(&mut self, end: LogPos) {
        self.stop = end;
    }

    /// The LSN of the record that was read last.
    pub fn lsn(&self) -> Option<Lsn> {
        let (h, next) = self.block.as_ref()?;
        Some(Lsn { vlf: h.vlf, block: h.offset, slot: next.saturating_sub(1) })
    }

    /// The position up to which everything was read.
    pub fn position(&self) -> LogPos {
        match self.block {
            Some((h, slot)) => LogPos(h.pos.0 + u64::from(slot)),
            None => self.walker.next_pos(),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.log.unregister_holder(self.holder);
    }
}

/// Positions to LSNs for the VLFs that were active at one moment: a scan that shows the LSNs of a million records asks
/// this instead of the log's mutex.
#[derive(Clone, Debug, Default)]
pub struct LsnMap {
    /// Ascending; their ranges of positions do not overlap.
    vlfs: Vec<VlfRange>,
}

impl LsnMap {
    /// The LSN of a position; `None` for [`LogPos::ZERO`], and when its VLF was not active.
    pub fn lsn(&self, pos: LogPos) -> Option<Lsn> {
        let i = self.vlfs.partition_point(|v| v.start <= pos).checked_sub(1)?;
        let v = self.vlfs.get(i).filter(|v| v.end().is_some_and(|end| pos < end))?;
        Some(v.lsn(pos))
    }

    /// Learns of a VLF that comes after all that it knows.
    pub fn note(&mut self, vlf: VlfRange) {
        if self.vlfs.last().is_none_or(|last| last.end().is_some_and(|end| end <= vlf.start)) {
            self.vlfs.push(vlf);
        }
    }
}

/// The record in a slot of a whole block; `None` when there is no such slot, or it is unreadable.
pub fn block_entry(bytes: &[u8], slot: u16) -> Option<Entry<'_>> {
    let h = block::parse_header(bytes).ok()?;
    let whole = bytes.get(..h.length as usize)?;
    let pos = LogPos(h.pos.0.checked_add(u64::from(slot))?);
    let record = block::record_bytes(&h, whole, slot).and_then(|b| Record::parse(pos, b))?;
    let lsn = Lsn { vlf: h.vlf, block: h.offset, slot };
    Some(Entry { lsn, incarnation: h.incarnation, record })
}

pub(crate) fn walk_vlf(v: &ActiveVlf) -> WalkVlf {
    WalkVlf { place: v.place, seqno: taffrail_base::VlfSeqNo(v.seqno), start: v.start }
}

impl Log {
    /// A reader over the durable records at or after `from`, which is a record's position, or a position that
    /// [`Log::appended`], [`Log::durable`] or [`Log::oldest`] returned.
    pub fn reader(self: &Arc<Log>, from: LogPos) -> Result<Reader, LogError> {
        let at = Arc::new(AtomicU64::new(from.0));
        let shared = Arc::clone(&at);
        let holder = self.register_holder(Box::new(move || {
            let pos = LogPos(shared.load(Ordering::Acquire));
            Some(Hold { wait: ReuseWait::LogScan, pos })
        }));
        let vlf = self.lock().table.find(from).map(walk_vlf);
        let Some(vlf) = vlf else {
            self.unregister_holder(holder);
            return Err(LogError::NotFound(from));
        };
        let membership = self.membership.load(Ordering::Acquire);
        let walker = Walker::new(self.all_volumes(), self.fork, vlf, from.block(), None);
        let (stop, block, log) = (LogPos::MAX, None, Arc::clone(self));
        Ok(Reader { log, walker, holder, at, block, from, membership, stop })
    }

    /// How positions become LSNs now.
    pub fn lsn_map(&self) -> LsnMap {
        let range = |v: &ActiveVlf| VlfRange {
            seqno: taffrail_base::VlfSeqNo(v.seqno),
            start: LogPos(v.start),
            size: v.place.size,
        };
        LsnMap { vlfs: self.lock().table.active().map(range).collect() }
    }

    /// One record, wherever it is. Who reads one of a block that is closed waits for no appender.
    pub fn fetch(&self, pos: LogPos) -> Result<OwnedRecord, LogError> {
        let cached = self.fetch_cached(pos);
        self.options.counters.log_cache_reads.inc();
        if cached.is_ok() {
            self.options.counters.log_cache_hits.inc();
        }
        if xe::wanted(xe::Event::DatabasesLogCacheRead) {
            self.tell_counted(xe::Event::DatabasesLogCacheRead);
        }
        if xe::wanted(xe::Event::DatabasesLogCacheHit) && cached.is_ok() {
            self.tell_counted(xe::Event::DatabasesLogCacheHit);
        }
        match cached {
            Ok(record) => record.ok_or(LogError::NotFound(pos)),
            Err(Elsewhere::Read(record)) => record,
            Err(Elsewhere::In(vlf, durable)) if pos < durable => {
                self.fetch_from_file(pos, &vlf, durable)
            }
            Err(_) => Err(LogError::NotFound(pos)),
        }
    }

    /// The record, if the cache has its block.
    fn fetch_cached(&self, pos: LogPos) -> Result<Option<OwnedRecord>, Elsewhere> {
        let of_block = |block: &CachedBlock| {
            let bytes = block::record_bytes(&block.header, block.bytes(), pos.slot());
            bytes.and_then(|b| Record::parse(pos, b)).map(Into::into)
        };
        if let Some(block) = self.recent.find(pos.block()) {
            return Ok(of_block(&block));
        }
        if let Some(window) = self.fetched.find(pos.block()) {
            let record = self.record_of(&window, pos);
            // What was read wrong once may be right when it is read again.
            if !matches!(record, Err(LogError::Corrupt { .. })) {
                return Err(Elsewhere::Read(record));
            }
        }
        let (cached, vlf) = {
            let state = self.lock();
            if let Some(bytes) = state.open_record(pos) {
                return Ok(Record::parse(pos, bytes).map(Into::into));
            }
            let block = state.cached_block(pos.block());
            (block, state.table.find(pos).map(walk_vlf))
        };
        match (cached, vlf) {
            (Some(block), _) => Ok(of_block(&block)),
            // Behind the look: a block that has left the cache is durable.
            (None, Some(vlf)) => Err(Elsewhere::In(vlf, self.durable())),
            (None, None) => Err(Elsewhere::Nowhere),
        }
    }

    /// The record of a window, and what is durable around it, read from its VLF.
    fn fetch_from_file(
        &self,
        pos: LogPos,
        vlf: &WalkVlf,
        durable: LogPos,
    ) -> Result<OwnedRecord, LogError> {
        let block = pos.block();
        let (first, end) = pieces::window(block);
        let first = first.max(vlf.start).next_multiple_of(512).min(block.0);
        let end = end.min(vlf.end()).min(durable.0.max(block.0 + 512));
        let mut buf = AlignedBuf::zeroed((end - first) as usize);
        let volume = self.volume(vlf.place.file);
        let offset = vlf.place.offset + (first - vlf.start);
        read_retried(&*volume, offset, &mut buf)?;
        let window = Arc::new(Window::new(first, buf, volume.path(), offset));
        if window.block(block).is_some() {
            let record = self.record_of(&window, pos);
            if !matches!(record, Err(LogError::Corrupt { .. })) {
                self.fetched.keep(block, &window);
            }
            return record;
        }
        // No block, or one that is not there as a whole.
        let bytes = window.buf.get((block.0 - first) as usize..).unwrap_or_default();
        match block::parse_header(bytes) {
            Err(_) => Err(LogError::NotFound(pos)),
            Ok(_) => {
                let why = "the block reaches beyond what is durable".to_owned();
                Err(corrupt(&window.path, offset + (block.0 - first), why))
            }
        }
    }

    fn record_of(&self, window: &Window, pos: LogPos) -> Result<OwnedRecord, LogError> {
        let at = pos.block();
        let found = window.block(at).filter(|(h, _)| h.pos == at && h.fork == self.fork);
        let (h, bytes) = found.ok_or(LogError::NotFound(pos))?;
        if !window.is_sound(&h, bytes) {
            let place = window.offset + (at.0 - window.first);
            let why = "the block's checksum is wrong".to_owned();
            return Err(corrupt(&window.path, place, why));
        }
        let record = block::record_bytes(&h, bytes, pos.slot()).and_then(|b| Record::parse(pos, b));
        record.map(Into::into).ok_or(LogError::NotFound(pos))
    }
}

/// The place of a record that the cache does not have.
enum Elsewhere {
    /// In a window of the file that was read before.
    Read(Result<OwnedRecord, LogError>),
    /// In this VLF, if it lies before what was durable.
    In(WalkVlf, LogPos),
    Nowhere,
}
