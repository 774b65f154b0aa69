//! Large values of rows that nobody holds a lock on.

use super::Lobs;
use taffrail_base::SqlResult;
use taffrail_storage::{Hobt, LobRef, StorageError, Transaction, lob};

/// The overflow pages of a heap or tree, for copies of its rows: the row may have been changed since, and its values deleted.
pub struct UnlockedLobs<'a> {
    /// The transaction that reads the values.
    pub tx: &'a mut Transaction,
    /// The heap or clustered index whose rows refer to them.
    pub hobt: &'a Hobt,
    /// The last error (601, or 824 of a page that was the value's once) says only that: the row is to be read again.
    pub gone: bool,
}

impl<'a> UnlockedLobs<'a> {
    /// The overflow pages of `hobt`.
    pub fn new(tx: &'a mut Transaction, hobt: &'a Hobt) -> UnlockedLobs<'a> {
        UnlockedLobs { tx, hobt, gone: false }
    }
}

impl Lobs for UnlockedLobs<'_> {
    fn write(&mut self, bytes: &[u8]) -> SqlResult<LobRef> {
        lob::write(self.tx, self.hobt, bytes).map_err(|e| e.to_sql())
    }

    fn read(&mut self, lob: LobRef) -> SqlResult<Vec<u8>> {
        self.read_part(lob, 0, lob.length)
    }

    fn read_part(&mut self, lob: LobRef, offset: u64, length: u64) -> SqlResult<Vec<u8>> {
        let mut out = Vec::with_capacity(length.min(lob.length).min(1 << 24) as usize);
        let error = match lob::read_unlocked(self.tx, self.hobt, lob, offset, length, &mut out) {
            Ok(true) => return Ok(out),
            Ok(false) => StorageError::RowNotFound,
            Err(e) => e,
        };
        self.gone = matches!(error, StorageError::RowNotFound | StorageError::Corrupt(_));
        Err(error.to_sql())
    }
}
