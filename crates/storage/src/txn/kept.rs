//! Locks on rows that outlast the transaction: a cursor with SCROLL_LOCKS has them until its next row.

use super::Transaction;
use crate::access::btree::key_hash;
use crate::access::{Hobt, HobtKind, Rid};
use crate::error::StorageResult;
use crate::lock::{LockMode, Resource, TxLockState};

/// The lock on a row, and that on the row's object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockedRow {
    /// The row's object, locked with intent.
    pub object: Resource,
    /// The row that is locked.
    pub row: Resource,
}

impl Transaction {
    /// The locks of the row behind a locator.
    pub fn locks_of_row(&self, hobt: &Hobt, locator: &[u8]) -> StorageResult<LockedRow> {
        let database = self.database().id();
        let row = match hobt.kind() {
            HobtKind::BTree => Resource::key(database, hobt.id(), key_hash(hobt.id().0, locator)),
            HobtKind::Heap => {
                let bytes = locator.try_into();
                let rid = Rid::from_bytes(bytes.map_err(|_| crate::StorageError::RowNotFound)?);
                Resource::rid(database, rid.page, rid.slot)
            }
        };
        Ok(LockedRow { object: *hobt.object_lock(), row })
    }

    /// The locks of a row become those of an owner that outlasts the transaction. False where the row has no lock of its own.
    pub fn give_row(&mut self, locked: &LockedRow, to: &mut TxLockState) -> bool {
        let LockedRow { object, row } = locked;
        let there = to.object_mode(object) != LockMode::Null;
        if !there && self.locks.object_mode(object) != LockMode::IX {
            return false;
        }
        let locks = &self.work.db.instance.locks;
        let given = locks.hand_over(&mut self.locks, to, (object, row));
        if given && !there {
            locks.hand_over(&mut self.locks, to, (object, object));
        }
        given
    }

    /// The locks that an owner has in the database become those of the transaction, which has just begun.
    pub fn take_locks(&mut self, from: &mut TxLockState) {
        let db = &self.work.db;
        db.instance.locks.hand_over_all(from, &mut self.locks, db.id());
    }
}
