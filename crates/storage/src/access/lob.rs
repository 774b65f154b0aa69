//! Values that do not fit in a row: chains of pages.
#![allow(unused_variables)]
use super::{Hobt, LobRef};
use crate::error::StorageResult;
use crate::txn::Transaction;

/// Stores a value in pages of the heap or tree.
pub fn write(tx: &mut Transaction, hobt: &Hobt, bytes: &[u8]) -> StorageResult<LobRef> {
    todo!()
}
/// Appends the bytes from `offset`, at most `length`, to `out`.
pub fn read(
    tx: &mut Transaction,
    hobt: &Hobt,
    lob: LobRef,
    offset: u64,
    length: u64,
    out: &mut Vec<u8>,
) -> StorageResult<()> {
    todo!()
}
/// Gives the pages back after commit.
pub fn delete(tx: &mut Transaction, hobt: &Hobt, lob: LobRef) -> StorageResult<()> {
    todo!()
}
