//! Undo that finds no room waits for it: in a log that is full and cannot grow, or on a disk that is full, nothing is wrong with
//! the database.
//!
//! | whose | when | what becomes of it |
//! |---|---|---|
//! | a loser's, beside the users of the database | [`Database::finish_recovery`] | it keeps its locks; tried again after [`RETRY`] |
//! | a user's rollback | [`Transaction::rollback`](crate::Transaction::rollback) | handed over with its locks, to be undone as a loser's |
//! | a user's rollback to a savepoint | the same | an error; the transaction can only be rolled back as a whole |
//! | anything before the database opens | restart | the database does not open (it is not suspect); it is opened later |
//! | a user's that changed the catalogue or the directory | rollback | the database goes down: nobody may read them, and restart undoes |
//!
//! The error log is told once when undo begins to wait, and once when it goes on. Room appears when somebody else's transaction
//! ends, a log backup lets log go, or files or the disk become larger: undo asks for it anew each time, and so does the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use taffrail_observe::{Event, EventRing};

use super::undo::Waiting;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::DIRECTORY;
use crate::lock::TxLockState;
use crate::txn::work::Work;

/// After this time undo looks for room again.
const RETRY: Duration = Duration::from_secs(1);

impl Database {
    /// Undo has found no room: somebody is to call [`Database::finish_recovery`] again, a little later.
    pub(super) fn undo_waits_for(self: &Arc<Self>, why: &StorageError) {
        if !self.undo_waits.swap(true, Ordering::AcqRel) {
            self.tell(format!("undo: {why} Its rows stay locked; retrying."));
        }
        let at = (self.instance().env.clock.monotonic() + RETRY).as_millis() as u64;
        self.undo_again_at.store(at, Ordering::Release);
        self.unrecovered.store(true, Ordering::Release);
    }

    /// Undo has found room.
    pub(super) fn undo_goes_on(&self) {
        if self.undo_waits.load(Ordering::Acquire) && self.undo_waits.swap(false, Ordering::AcqRel)
        {
            self.tell("undo: there is room again; it goes on.".to_owned());
        }
    }

    fn tell(&self, text: String) {
        EventRing::global().push(Event::BackgroundError { database: self.store.whose(), text });
    }

    /// True when undo that waits for room may try again.
    pub(super) fn undo_is_due(&self) -> bool {
        let now = self.instance().env.clock.monotonic().as_millis() as u64;
        now >= self.undo_again_at.load(Ordering::Acquire)
    }

    /// True while undo waits for room: in the log or in the data file. A probe for tests.
    pub fn is_undo_waiting(&self) -> bool {
        self.undo_waits.load(Ordering::Acquire)
    }

    /// Takes over a rollback that found no room, with its locks. False: it cannot be, the database must go down.
    pub(crate) fn undo_later(
        self: &Arc<Self>,
        work: &mut Work,
        locks: &mut TxLockState,
        why: &StorageError,
    ) -> bool {
        if !matches!(changes_catalogue(work), Ok(false)) {
            return false;
        }
        let Some(entry) = work.hand_over() else { return false };
        let manager = &self.instance().locks;
        let another =
            manager.owner(crate::lock::RECOVERY_SESSION, crate::lock::OwnerKind::Transaction);
        let locks = std::mem::replace(locks, another);
        let log = std::mem::take(&mut work.log);
        {
            let mut recovering = self.recovering.lock();
            recovering.take_over(self.instance(), Waiting::new(log, entry, locks));
        }
        self.undo_waits_for(why);
        true
    }
}

/// True if some of what is left to be undone is the catalogue's or the directory's.
fn changes_catalogue(work: &Work) -> StorageResult<bool> {
    let log = work.db.store.log().clone();
    let mut at = work.log.undo_next;
    while !at.is_zero() {
        let record = log.fetch(at).map_err(|e| work.db.store.log_error(e))?;
        let h = &record.header;
        if h.is_compensation() {
            at = h.undo_next;
            continue;
        }
        if h.hobt.0 != 0 && h.hobt.0 <= DIRECTORY.0 {
            return Ok(true);
        }
        at = h.prev;
    }
    Ok(false)
}
