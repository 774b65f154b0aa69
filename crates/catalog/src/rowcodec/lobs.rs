//! Where the long values of a row are: on overflow pages, or nowhere.

use super::damaged;
use super::layout::MAX_ROW_BYTES;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{Hobt, LobRef, Transaction, lob};

/// Long values on overflow pages of a heap or tree.
pub trait Lobs {
    /// Stores a value on overflow pages.
    fn write(&mut self, bytes: &[u8]) -> SqlResult<LobRef>;
    /// Reads a value whole.
    fn read(&mut self, lob: LobRef) -> SqlResult<Vec<u8>>;

    /// The bytes of a value from `offset` on, `length` at most.
    fn read_part(&mut self, lob: LobRef, offset: u64, length: u64) -> SqlResult<Vec<u8>> {
        let bytes = self.read(lob)?;
        let all = bytes.len() as u64;
        let from = offset.min(all);
        Ok(bytes[from as usize..all.min(from.saturating_add(length)) as usize].to_vec())
    }
}

/// For rows that cannot have overflow values (index rows, work tables): refuses both.
pub struct NoLobs;

impl Lobs for NoLobs {
    fn write(&mut self, bytes: &[u8]) -> SqlResult<LobRef> {
        Err(SqlError::new(511, &[&bytes.len(), &MAX_ROW_BYTES]))
    }

    fn read(&mut self, _lob: LobRef) -> SqlResult<Vec<u8>> {
        Err(damaged("overflow pages where none can be"))
    }
}

/// The overflow pages of a heap or tree within a transaction.
pub struct TableLobs<'a> {
    /// The transaction that reads and writes.
    pub tx: &'a mut Transaction,
    /// The heap or clustered index whose rows refer to them.
    pub hobt: &'a Hobt,
}

impl Lobs for TableLobs<'_> {
    fn write(&mut self, bytes: &[u8]) -> SqlResult<LobRef> {
        lob::write(self.tx, self.hobt, bytes).map_err(|e| e.to_sql())
    }

    fn read(&mut self, lob: LobRef) -> SqlResult<Vec<u8>> {
        self.read_part(lob, 0, lob.length)
    }

    fn read_part(&mut self, lob: LobRef, offset: u64, length: u64) -> SqlResult<Vec<u8>> {
        let mut out = Vec::with_capacity(length.min(lob.length).min(1 << 24) as usize);
        lob::read(self.tx, self.hobt, lob, offset, length, &mut out).map_err(|e| e.to_sql())?;
        Ok(out)
    }
}
