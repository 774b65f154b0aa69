//! Sorted bulk loads.

use super::btree::{MAX_ENTRY, MAX_KEY, insert_in, key_hash};
use super::{Hobt, HobtKind};
use crate::error::StorageError;
use crate::txn::Transaction;

/// Fills a tree that nobody else can see (made in this transaction, or under X on its object) from entries in ascending order of
/// unique keys. Takes no row locks. Returns how many entries there were.
///
/// Entries go to the right edge one after another, so pages come out full. They are logged one by one; page images are the
/// next step here.
pub fn build<E, I>(tx: &mut Transaction, hobt: &Hobt, entries: I) -> Result<u64, E>
where
    I: IntoIterator<Item = Result<(Vec<u8>, Vec<u8>), E>>,
    E: From<StorageError>,
{
    if hobt.kind() != HobtKind::BTree {
        return Err(StorageError::Misuse("not a B+ tree").into());
    }
    let mut n = 0;
    for entry in entries {
        let (key, value) = entry?;
        let size = key.len() + value.len();
        if key.len() > MAX_KEY || size > MAX_ENTRY {
            let (size, max) =
                if key.len() > MAX_KEY { (key.len(), MAX_KEY) } else { (size, MAX_ENTRY) };
            return Err(StorageError::RowTooLarge { size, max }.into());
        }
        let (db, work) = tx.parts();
        if hobt.root().is_none() {
            db.allocate_root(work, hobt)?;
        }
        let hash = key_hash(hobt.id().0, &key);
        insert_in(db, work, hobt, &key, &value, hash, false)?;
        n += 1;
    }
    Ok(n)
}
