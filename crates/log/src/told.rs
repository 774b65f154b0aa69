//! Facts told of each flush: [`taffrail_observe::trace::flushes`].

use std::sync::Arc;

use taffrail_base::{LogPos, Lsn};
use taffrail_observe::Moment;
use taffrail_observe::session::{SessionCell, with_current};
use taffrail_observe::trace::{Flush, FlushCause, flushed};
use taffrail_observe::xe;

use crate::cache::CachedBlock;
use crate::flush::{Sync, Write};
use crate::log::Log;

/// The facts that all events of one write or sync share.
pub(crate) struct Ended {
    pub cause: FlushCause,
    pub failed: bool,
    pub at: Moment,
    pub ns: u64,
}

impl Log {
    fn flush_entry(&self, file: u16, ended: &Ended) -> Flush {
        Flush {
            at: ended.at,
            ns: ended.ns,
            database: self.options.database,
            file: file as u8,
            session: with_current(SessionCell::session_id).unwrap_or(0),
            cause: ended.cause,
            sync: true,
            durable: true,
            failed: ended.failed,
            first: Lsn::ZERO,
            last: Lsn::ZERO,
            offset: 0,
            bytes: 0,
            blocks: 0,
            records: 0,
            commits: 0,
        }
    }

    /// A sync has ended.
    pub(crate) fn note_sync(&self, sync: Sync, ended: &Ended) {
        flushed(&self.flush_entry(sync.file, ended));
    }

    /// A write of blocks begins, and somebody wants to know.
    #[cold]
    pub(crate) fn tell_flush_start(&self, write: &Write<Arc<CachedBlock>>) {
        let first = write
            .data
            .first()
            .map_or(0, |b| i64::from(b.header.vlf.0) << 32 | i64::from(b.header.offset.0));
        let records: u32 = write.data.iter().map(|b| u32::from(b.header.records)).sum();
        let fields = [
            first.into(),
            self.options.database.0.into(),
            0.into(),
            0.into(),
            write.bytes.into(),
            records.into(),
        ];
        xe::tell(xe::Event::LogFlushStart, &fields);
    }

    /// A file of the log has become smaller.
    pub(crate) fn tell_shrunk(&self, file: usize, from: u64, to: u64) {
        if !xe::wanted(xe::Event::DatabaseFileSizeChange) {
            return;
        }
        let (id, name) = self.file_name(file);
        let fields = [
            xe::Val::Empty,
            self.options.database.0.into(),
            id.0.into(),
            // Of a log.
            1.into(),
            false.into(),
            (to / 1024).into(),
            ((to as i64 - from as i64) / 1024).into(),
            xe::Val::text(&name),
            xe::Val::Empty,
        ];
        xe::tell(xe::Event::DatabaseFileSizeChange, &fields);
    }

    /// A flush up to here is asked for.
    #[cold]
    pub(crate) fn tell_flush_requested(&self, upto: LogPos) {
        let id = |at: Lsn| xe::Val::from(i64::from(at.vlf.0) << 32 | i64::from(at.block.0));
        let block = self.lsn(upto).map_or(xe::Val::Empty, id);
        xe::tell(xe::Event::LogFlushRequested, &[block, self.options.database.0.into()]);
    }

    /// Something that is counted has happened once more.
    #[cold]
    pub(crate) fn tell_counted(&self, event: xe::Event) {
        xe::tell(event, &[1.into(), self.options.database.0.into()]);
    }

    /// A write of blocks has ended.
    pub(crate) fn note_flush(&self, write: &Write<Arc<CachedBlock>>, ended: &Ended) {
        let lsn = |b: &CachedBlock, slot| Lsn { vlf: b.header.vlf, block: b.header.offset, slot };
        let mut entry = self.flush_entry(write.file, ended);
        (entry.sync, entry.durable) = (false, write.durable);
        (entry.offset, entry.bytes) = (write.offset, write.bytes as u32);
        entry.blocks = write.data.len() as u16;
        // A block without records only names the next VLF.
        for block in write.data.iter().filter(|b| b.header.records > 0) {
            if entry.records == 0 {
                entry.first = lsn(block, 1);
            }
            entry.last = lsn(block, block.header.records);
            entry.records += u32::from(block.header.records);
            entry.commits += block.commits;
        }
        flushed(&entry);
    }
}
