//! Events of [`crate::events`] and flushes of the log, for sessions that want them.

use super::{Event, Val, tell, wanted};
use crate::trace::Flush;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::DatabaseId;

/// A growth, shrink, checkpoint or escalation is recorded.
pub(crate) fn occurred(event: &crate::Event) {
    use crate::Event as E;
    match event {
        E::LogGrowth { database, file, name, from, to, automatic, ns, .. } => {
            resized(database, (file.0, 1, name), (*from, *to), *automatic, *ns);
            counted(Event::DatabasesLogGrowth, database.id);
            counted(Event::DatabasesLogFileSizeChanged, database.id);
        }
        E::DataGrowth { database, file, name, from, to, automatic, ns, .. } => {
            resized(database, (file.0, 0, name), (*from, *to), *automatic, *ns);
            counted(Event::DatabasesDataFileSizeChanged, database.id);
        }
        // Data files do not shrink.
        E::Shrink { database, .. } => {
            counted(Event::DatabasesLogShrink, *database);
            counted(Event::DatabasesLogFileSizeChanged, *database);
        }
        E::LogTruncation { database, .. } => counted(Event::DatabasesLogTruncation, *database),
        E::Checkpoint { database, .. } if wanted(Event::CheckpointEnd) => {
            tell(Event::CheckpointEnd, &[database.0.into()]);
        }
        E::LockEscalation {
            database, object, locks, hobt, hobt_locks, exclusive, memory, ..
        } if wanted(Event::LockEscalation) => {
            let transaction = crate::session::with_current(|c| c.transaction_id.load(Relaxed));
            // The statement is asked for by who wants it; of which heap they are is not known here.
            let fields = [
                if *exclusive { 5 } else { 3 }.into(),
                transaction.map_or(Val::Empty, Val::from),
                database.0.into(),
                Val::Empty,
                Val::Empty,
                Val::Empty,
                5.into(),
                1.into(),
                u32::from(*memory).into(),
                (*locks).into(),
                (*hobt_locks).into(),
                (*object).into(),
                if *hobt == 0 { Val::Empty } else { (*hobt).into() },
                Val::Empty,
                Val::Empty,
            ];
            tell(Event::LockEscalation, &fields);
        }
        _ => {}
    }
}

/// Something that is counted has happened once more.
fn counted(event: Event, database: DatabaseId) {
    if wanted(event) {
        tell(event, &[1.into(), database.0.into()]);
    }
}

fn resized(
    database: &crate::Whose,
    (file, kind, name): (u16, u8, &str),
    (from, to): (u64, u64),
    automatic: bool,
    ns: u64,
) {
    if !wanted(Event::DatabaseFileSizeChange) {
        return;
    }
    let change = to as i64 - from as i64;
    let fields = [
        (ns / 1000).into(),
        database.id.0.into(),
        file.into(),
        kind.into(),
        automatic.into(),
        (to / 1024).into(),
        (change / 1024).into(),
        Val::text(name),
        Val::text(&database.name),
    ];
    tell(Event::DatabaseFileSizeChange, &fields);
}

/// A write of log blocks has ended.
#[cold]
pub(crate) fn flushed(flush: &Flush) {
    let block = i64::from(flush.first.vlf.0) << 32 | i64::from(flush.first.block.0);
    // The log's first file is the database's second.
    let file = u32::from(flush.file) + 2;
    let fields = [
        block.into(),
        flush.database.0.into(),
        file.into(),
        (flush.ns / 1_000_000).into(),
        u8::from(flush.failed).into(),
        flush.bytes.into(),
        0.into(),
        0.into(),
        flush.records.into(),
    ];
    tell(Event::LogFlushComplete, &fields);
}
