//! Operations on heaps and trees as a transaction counts them.

use super::Transaction;
use crate::access::Hobt;
use crate::access::operations::Operation;
use crate::lock::{Granted, LockError};

impl Transaction {
    /// Counts an operation of a query on a heap or tree.
    #[inline]
    pub fn count(&mut self, hobt: &Hobt, operation: Operation) {
        self.work.count(hobt, operation);
    }

    /// Counts the request of a lock on a row, and the wait for it. `before`: the waits until then.
    #[inline]
    pub(super) fn count_row_lock(
        &mut self,
        hobt: &Hobt,
        before: (u64, u64),
        granted: &Result<Granted, LockError>,
    ) {
        if !matches!(granted, Ok(Granted::Covered)) {
            self.work.count(hobt, Operation::RowLock);
        }
        if self.locks.waited != before {
            self.work.count_lock_wait(hobt, self.locks.waited.1 - before.1);
        }
    }
}
