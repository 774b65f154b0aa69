//! One entry for each write of a log that flushes blocks, and for each sync that such writes need: what
//! `taffrail.flush_history` shows.

use taffrail_base::{BlockOffset, DatabaseId, Lsn, VlfSeqNo};

use std::sync::OnceLock;

use super::{Packed, TraceRing, WORDS};
use crate::histogram::Histogram;
use crate::moment::Moment;
use crate::xe;

/// Why the log was flushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FlushCause {
    /// A commit waits for it.
    Commit,
    /// A page is to be written, and what it depends on comes first.
    WriteAhead,
    /// A checkpoint needed its records on the medium.
    Checkpoint,
    /// It was asked for: sp_flush_log, a shutdown, a backup.
    Request,
    /// Blocks are full; nobody waits for them.
    FullBlocks,
    /// The window of delayed durable commits has ended.
    DelayedCommits,
    /// The window of commits that were released before they were durable has ended.
    PipelinedCommits,
}

impl FlushCause {
    const ALL: [(FlushCause, &'static str); 7] = [
        (FlushCause::Commit, "COMMIT"),
        (FlushCause::WriteAhead, "WRITE_AHEAD"),
        (FlushCause::Checkpoint, "CHECKPOINT"),
        (FlushCause::Request, "REQUEST"),
        (FlushCause::FullBlocks, "FULL_BLOCKS"),
        (FlushCause::DelayedCommits, "DELAYED_COMMITS"),
        (FlushCause::PipelinedCommits, "PIPELINED_COMMITS"),
    ];

    /// As views show it.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A write or sync of a log that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flush {
    /// The moment when the write or sync ended.
    pub at: Moment,
    /// How long it took, ns.
    pub ns: u64,
    /// The database of the log.
    pub database: DatabaseId,
    /// Which of its files, counted from 0.
    pub file: u8,
    /// The session that did it; 0 for a thread without a session.
    pub session: u16,
    /// The reason for the flush.
    pub cause: FlushCause,
    /// A sync of what was written before. It has no records of its own.
    pub sync: bool,
    /// The bytes are on the medium; else a sync follows.
    pub durable: bool,
    /// It failed, and the log with it.
    pub failed: bool,
    /// The LSN of the first record.
    pub first: Lsn,
    /// The LSN of the last record.
    pub last: Lsn,
    /// Where in the file.
    pub offset: u64,
    /// The number of bytes that were written.
    pub bytes: u32,
    /// The number of log blocks.
    pub blocks: u16,
    /// The number of log records.
    pub records: u32,
    /// Transactions whose commit record is among them.
    pub commits: u32,
}

impl Packed for Flush {
    fn pack(&self) -> [u64; WORDS] {
        let lsn = |l: Lsn| u64::from(l.vlf.0) << 32 | u64::from(l.block.0);
        let flags =
            u64::from(self.sync) | u64::from(self.durable) << 1 | u64::from(self.failed) << 2;
        let slots = u64::from(self.first.slot) << 16 | u64::from(self.last.slot);
        [
            self.at.0,
            self.ns,
            lsn(self.first),
            lsn(self.last),
            self.offset,
            u64::from(self.bytes) << 32 | slots,
            u64::from(self.records) << 32 | u64::from(self.commits),
            u64::from(self.session) << 48
                | u64::from(self.database.0) << 32
                | u64::from(self.blocks) << 16
                | u64::from(self.file) << 8
                | (self.cause as u64) << 4
                | flags,
        ]
    }

    fn unpack(w: [u64; WORDS]) -> Flush {
        let lsn = |n: u64, slot: u64| Lsn {
            vlf: VlfSeqNo((n >> 32) as u32),
            block: BlockOffset(n as u32),
            slot: slot as u16,
        };
        let cause = (w[7] >> 4 & 15) as usize;
        Flush {
            at: Moment(w[0]),
            ns: w[1],
            database: DatabaseId((w[7] >> 32) as u16),
            file: (w[7] >> 8) as u8,
            session: (w[7] >> 48) as u16,
            cause: FlushCause::ALL.get(cause).map_or(FlushCause::Request, |c| c.0),
            sync: w[7] & 1 == 1,
            durable: w[7] >> 1 & 1 == 1,
            failed: w[7] >> 2 & 1 == 1,
            first: lsn(w[2], w[5] >> 16 & 0xffff),
            last: lsn(w[3], w[5] & 0xffff),
            offset: w[4],
            bytes: (w[5] >> 32) as u32,
            blocks: (w[7] >> 16) as u16,
            records: (w[6] >> 32) as u32,
            commits: w[6] as u32,
        }
    }
}

/// The flushes of all logs of the process.
pub fn flushes() -> &'static TraceRing<Flush> {
    static RING: TraceRing<Flush> = TraceRing::new(8192);
    &RING
}

/// Figures too many for a ring: how long flushes took, how many commits shared one, how long
/// commits waited.
#[derive(Default)]
pub struct FlushHistograms {
    /// Writes of log blocks and syncs, ns.
    pub duration_ns: Histogram,
    /// Commits in a write that had any.
    pub commits: Histogram,
    /// Commits that waited for a flush, ns.
    pub commit_wait_ns: Histogram,
}

/// The histograms of the whole process.
pub fn flush_histograms() -> &'static FlushHistograms {
    static GLOBAL: OnceLock<FlushHistograms> = OnceLock::new();
    GLOBAL.get_or_init(FlushHistograms::default)
}

/// Records a flush that has ended.
pub fn flushed(flush: &Flush) {
    let sizes = flush_histograms();
    sizes.duration_ns.add(flush.ns);
    if flush.commits > 0 {
        sizes.commits.add(u64::from(flush.commits));
    }
    flushes().push(flush);
    if xe::wanted(xe::Event::LogFlushComplete) && !flush.sync {
        xe::flushed(flush);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were() {
        for (cause, name) in FlushCause::ALL {
            assert_eq!(cause.name(), name);
            let odd = (cause as u8).is_multiple_of(2);
            let entry = Flush {
                at: Moment(7),
                ns: u64::MAX,
                database: DatabaseId(65_535),
                file: 255,
                session: 51,
                cause,
                sync: odd,
                durable: !odd,
                failed: odd,
                first: Lsn::new(u32::MAX, 3, 1),
                last: Lsn::new(34, u32::MAX, 500),
                offset: 1 << 50,
                bytes: u32::MAX,
                blocks: 16,
                records: 90_000,
                commits: u32::MAX,
            };
            assert_eq!(Flush::unpack(entry.pack()), entry);
        }
    }
}
