//! Rollback: backwards along a transaction's records, each undone with a compensation record that says where to go on.

use std::sync::Arc;

use taffrail_base::LogPos;
use taffrail_log::{Lop, Record};

use super::work::Work;
use crate::access::record;
use crate::buffer::WriteGuard;
use crate::database::{CheckpointKind, Database};
use crate::error::{StorageError, StorageResult};

/// Undoes the records of a transaction that lie after `down_to` ([`LogPos::ZERO`]: all of them).
pub(crate) fn undo_to(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    down_to: LogPos,
) -> StorageResult<()> {
    let log = work.db.store.log().clone();
    let mut at = work.log.last;
    while at > down_to {
        let owned = log.fetch(at).map_err(|e| work.db.store.log_error(e))?;
        let record = Record { pos: owned.pos, header: owned.header, payload: &owned.payload };
        if record.header.is_compensation() {
            at = record.header.undo_next;
            continue;
        }
        let prev = record.header.prev;
        record::undo(work, held, &record)?;
        at = prev;
    }
    Ok(())
}

impl Database {
    /// Undoes a system transaction that could not be completed. `held` are the pages that it has latched.
    pub(crate) fn abort_system(&self, mut work: Work, mut held: Vec<WriteGuard<'_>>) {
        let db = work.db.clone();
        if !work.has_begun() {
            db.end_freeing(&mut work, false);
            return;
        }
        if let Err(e) = finish_rollback(&mut work, &mut held) {
            // Half a structure change in the tree: nobody may look at it. Restart will undo it.
            self.store.mark_suspect(format!("a system transaction could not be undone: {e}"));
            work.leave();
            return;
        }
        db.end_freeing(&mut work, false);
    }
}

/// Undoes everything and appends the abort record.
pub(crate) fn finish_rollback(work: &mut Work, held: &mut [WriteGuard<'_>]) -> StorageResult<()> {
    undo_to(work, held, LogPos::ZERO)?;
    work.append_end(Lop::AbortXact)?;
    work.leave();
    Ok(())
}

/// Undoes and, when not even the room kept for it is left (blocks that others' flushes closed early took it), lets a checkpoint free
/// some and goes on. Only for callers that hold no latch: a checkpoint waits for latches.
pub(crate) fn with_room<R>(
    db: &Arc<Database>,
    mut undo: impl FnMut() -> StorageResult<R>,
) -> StorageResult<R> {
    const TRIES: u32 = 3;
    let mut tries = 0;
    loop {
        match undo() {
            Err(StorageError::LogFull(_)) if tries < TRIES => {
                tries += 1;
                db.checkpoint(CheckpointKind::LogFull)?;
            }
            result => return result,
        }
    }
}

/// Undoes the next record of a transaction that restart found; false when none is left.
pub(crate) fn undo_one(work: &mut Work) -> StorageResult<bool> {
    let at = work.log.undo_next;
    if at.is_zero() {
        return Ok(false);
    }
    let log = work.db.store.log().clone();
    let owned = log.fetch(at).map_err(|e| work.db.store.log_error(e))?;
    let record = Record { pos: owned.pos, header: owned.header, payload: &owned.payload };
    if record.header.is_compensation() {
        work.log.undo_next = record.header.undo_next;
    } else {
        let prev = record.header.prev;
        record::undo(work, &mut [], &record)?;
        work.log.undo_next = prev;
    }
    Ok(true)
}
