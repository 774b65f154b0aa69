//! B+ trees.
//!
//! Entries are (key, value): bytes that the engine makes, keys unique and in the order of `memcmp`. Row locks are taken
//! here (X for every change); the caller holds IX (IS for reads) or more on the object.
#![allow(unused_variables)]
use super::{Direction, Hobt, KeyRange, ScanLocks};
use crate::error::StorageResult;
use crate::txn::Transaction;
use std::sync::Arc;

/// Largest key, and largest key and value together.
pub const MAX_KEY: usize = 1_800;
/// Largest key and value together.
pub const MAX_ENTRY: usize = 8_060;

/// Adds an entry; [`crate::StorageError::DuplicateKey`] if the key is there.
pub fn insert(tx: &mut Transaction, hobt: &Hobt, key: &[u8], value: &[u8]) -> StorageResult<()> {
    todo!()
}
/// Replaces the value of a key; [`crate::StorageError::RowNotFound`] if it is not there.
pub fn update(tx: &mut Transaction, hobt: &Hobt, key: &[u8], value: &[u8]) -> StorageResult<()> {
    todo!()
}
/// Removes an entry; false if it is not there.
pub fn delete(tx: &mut Transaction, hobt: &Hobt, key: &[u8]) -> StorageResult<bool> {
    todo!()
}
/// Reads the value of a key into `value` (cleared first); false if it is not there.
pub fn get(
    tx: &mut Transaction,
    hobt: &Hobt,
    key: &[u8],
    locks: ScanLocks,
    value: &mut Vec<u8>,
) -> StorageResult<bool> {
    todo!()
}
/// A cursor over a range, before its first entry. Reads pages only when asked for rows.
pub fn seek(
    hobt: &Arc<Hobt>,
    range: KeyRange,
    direction: Direction,
    locks: ScanLocks,
) -> BTreeCursor {
    todo!()
}
/// Fills an empty tree, made in this transaction, from entries in ascending order of unique keys.
pub fn build<E, I>(tx: &mut Transaction, hobt: &Hobt, entries: I) -> Result<u64, E>
where
    I: IntoIterator<Item = Result<(Vec<u8>, Vec<u8>), E>>,
    E: From<crate::StorageError>,
{
    todo!()
}

/// A position in a tree, with its own copy of the leaf that it is on: no latch is held between calls.
pub struct BTreeCursor {
    _private: (),
}

impl BTreeCursor {
    /// The next entry (key, value), until the range ends.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<(&[u8], &[u8])>> {
        todo!()
    }
}
