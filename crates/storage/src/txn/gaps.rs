//! A transaction's locks on gaps between keys.

use std::sync::Arc;

use super::Transaction;
use super::count::count_waits;
use crate::access::Hobt;
use crate::access::operations::Operation;
use crate::error::StorageResult;
use crate::lock::{GapLock, LockMode, Resource};

impl Transaction {
    /// [`Self::lock_key`] without waiting; none: somebody else has it.
    pub(crate) fn try_lock_key(&mut self, hobt: &Hobt, hash: u64, mode: LockMode) -> Option<bool> {
        self.without_waiting(|tx| tx.lock_key(hobt, hash, mode)).ok()
    }

    /// Before ranges of a tree's keys are locked.
    pub(crate) fn guard(&mut self, hobt: &Arc<Hobt>) {
        self.guarded.add(hobt);
    }

    /// Waits until nobody else guards the gap before a key.
    pub(crate) fn lock_gap(&mut self, hobt: &Hobt, before: u64) -> StorageResult<GapLock> {
        let db = &self.work.db;
        let key = Resource::key(db.id(), hobt.id(), before);
        let (locks, object) = (&db.instance.locks, *hobt.object_lock());
        let gap = locks.lock_gap(&mut self.locks, object, key, self.timeout);
        hobt.operations().add(Operation::RowLock, 1);
        if self.locks.has_waited() {
            count_waits(&mut self.locks, hobt);
        }
        let gap = gap?;
        if let Err(e) = db.store.check() {
            locks.unlock_gap(&mut self.locks, gap);
            return Err(e);
        }
        Ok(gap)
    }

    pub(crate) fn unlock_gap(&mut self, gap: GapLock) {
        self.work.db.instance.locks.unlock_gap(&mut self.locks, gap);
    }

    /// True if it may have changed the row of a key.
    pub(crate) fn may_have_changed(&self, hobt: &Hobt, hash: u64) -> bool {
        let db = &self.work.db;
        let key = Resource::key(db.id(), hobt.id(), hash);
        self.has_written() && db.instance.locks.mode_of(&self.locks, &key).covers(LockMode::X)
    }
}
