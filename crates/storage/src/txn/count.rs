//! Operations on heaps and trees as a transaction counts them.

use super::Transaction;
use crate::access::Hobt;
use crate::access::operations::Operation;
use crate::error::StorageResult;
use crate::lock::{Granted, LockError, TxLockState};

impl Transaction {
    /// Counts an operation of a query on a heap or tree.
    #[inline]
    pub fn count(&mut self, hobt: &Hobt, operation: Operation) {
        self.work.count(hobt, operation);
    }

    /// Counts the request of a lock on a row, and the wait for it.
    #[inline]
    pub(super) fn counted(
        &mut self,
        hobt: &Hobt,
        granted: Result<Granted, LockError>,
    ) -> StorageResult<Granted> {
        if self.locks.has_waited() {
            count_waits(&mut self.locks, hobt);
        }
        match granted {
            Ok(Granted::Covered) => {}
            Ok(_) | Err(_) => self.work.count(hobt, Operation::RowLock),
        }
        Ok(granted?)
    }
}

/// Counts the waits for rows that were not counted yet: the one for a row of this heap or tree.
#[cold]
pub(super) fn count_waits(locks: &mut TxLockState, hobt: &Hobt) {
    let (waits, micros) = locks.take_waits();
    hobt.operations().add(Operation::RowLockWait, waits);
    hobt.operations().add(Operation::RowLockWaitMicros, micros);
}
