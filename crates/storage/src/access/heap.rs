//! Heaps. The caller holds IX (IS for reads) or more on the object; row locks are taken here.
#![allow(unused_variables)]
use super::{Hobt, Rid, ScanLocks};
use crate::error::StorageResult;
use crate::txn::Transaction;
use std::sync::Arc;

/// Largest row.
pub const MAX_ROW: usize = 8_060;

/// Adds a row where there is room.
pub fn insert(tx: &mut Transaction, hobt: &Hobt, row: &[u8]) -> StorageResult<Rid> {
    todo!()
}
/// Reads a row into `row` (cleared first); false if it is not there.
pub fn fetch(
    tx: &mut Transaction,
    hobt: &Hobt,
    rid: Rid,
    locks: ScanLocks,
    row: &mut Vec<u8>,
) -> StorageResult<bool> {
    todo!()
}
/// Replaces a row; its [`Rid`] stays (a forwarding stub is left where it no longer fits).
pub fn update(tx: &mut Transaction, hobt: &Hobt, rid: Rid, row: &[u8]) -> StorageResult<()> {
    todo!()
}
/// Removes a row; false if it is not there.
pub fn delete(tx: &mut Transaction, hobt: &Hobt, rid: Rid) -> StorageResult<bool> {
    todo!()
}
/// All rows in order of allocation.
pub fn scan(hobt: &Arc<Hobt>, locks: ScanLocks) -> HeapCursor {
    todo!()
}

/// A position in a heap, with its own copy of the page that it is on: no latch is held between calls.
pub struct HeapCursor {
    _private: (),
}

impl HeapCursor {
    /// The next row.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<(Rid, &[u8])>> {
        todo!()
    }
}
