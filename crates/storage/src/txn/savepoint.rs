//! Places that a transaction can be rolled back to.

use taffrail_base::LogPos;
use taffrail_log::{Lcx, Lop, RecordHeader, Reserve};

use super::{Transaction, rollback};
use crate::codec::Put;
use crate::error::StorageResult;

/// A place that a transaction can be rolled back to; by default its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Savepoint {
    last: LogPos,
    pending: usize,
    /// The number of rows noted before it.
    noted: usize,
}

impl Transaction {
    /// A mark for statement rollback: costs nothing.
    pub fn savepoint(&mut self) -> Savepoint {
        let noted = self.work.noted();
        Savepoint { last: self.work.log.last, pending: self.pending.len(), noted }
    }

    /// SAVE TRANSACTION: the same, with a LOP_MARK_SAVEPOINT record.
    pub fn save_transaction(&mut self, name: &str) -> StorageResult<Savepoint> {
        let mut payload = Vec::with_capacity(name.len() + 2);
        payload.text(name);
        let header = RecordHeader::new(Lop::MarkSavepoint, Lcx::Null);
        self.work.append(&header, &[&payload], Reserve::NONE)?;
        Ok(self.savepoint())
    }

    /// Undoes everything after the savepoint; locks stay. After an error the transaction can only be rolled back.
    pub fn rollback_to(&mut self, savepoint: Savepoint) -> StorageResult<()> {
        self.pending.truncate(savepoint.pending);
        if self.work.log.last <= savepoint.last {
            self.work.take_back(savepoint.noted);
            return Ok(());
        }
        let _giving_back = self.db.giving_back();
        let work = &mut self.work;
        let result =
            rollback::with_room(&self.db, || rollback::undo_to(work, &mut [], savepoint.last));
        match &result {
            Ok(()) => {
                work.note_rollback(savepoint.last);
                work.take_back(savepoint.noted);
            }
            Err(e) if e.is_want_of_room() => self.doomed = true,
            Err(e) => {
                let store = &self.work.db.store;
                store.mark_suspect(format!("a statement could not be rolled back: {e}"));
            }
        }
        self.work.db.clone().free_orphans();
        result
    }
}
