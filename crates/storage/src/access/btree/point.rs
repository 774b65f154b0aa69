//! One entry, by its key: read, or locked for whoever has read it by a snapshot.

use super::{Hobt, ScanLocks, is_ghost, key_hash, leaf_for_read, search, split_entry};
use crate::error::StorageResult;
use crate::lock::LockMode;
use crate::page::Page;
use crate::txn::Transaction;
use crate::versions::{Claimed, PageSeen};

/// Reads the value of a key into `value` (cleared first); false if it is not there.
pub fn get(
    tx: &mut Transaction,
    hobt: &Hobt,
    key: &[u8],
    locks: ScanLocks,
    value: &mut Vec<u8>,
) -> StorageResult<bool> {
    value.clear();
    if hobt.root().is_none() {
        if locks == ScanLocks::Versions {
            tx.nothing_seen(hobt)?;
        }
        return Ok(false);
    }
    let mode = match locks {
        ScanLocks::None => None,
        ScanLocks::Versions => return get_version(tx, hobt, key, value),
        ScanLocks::ReadCommitted => {
            let leaf = leaf_for_read(tx.database(), hobt, key)?;
            if !tx.others_write(hobt) {
                return Ok(read_from(&leaf, key, value));
            }
            Some(LockMode::S)
        }
        other => other.mode(),
    };
    let hash = key_hash(hobt.id().0, key);
    let new = match mode {
        Some(mode) => tx.lock_key(hobt, hash, mode)?,
        None => false,
    };
    let (db, _) = tx.parts();
    let found = leaf_for_read(db, hobt, key).map(|leaf| read_from(&leaf, key, value));
    if new && (locks == ScanLocks::ReadCommitted || matches!(found, Ok(false))) {
        tx.unlock_key(hobt, hash);
    }
    found
}

/// Locks a key that the transaction's snapshot may have shown, and says whether it is still what that shows. The lock stays.
pub fn claim(
    tx: &mut Transaction,
    hobt: &Hobt,
    key: &[u8],
    mode: LockMode,
) -> StorageResult<Claimed> {
    tx.lock_key(hobt, key_hash(hobt.id().0, key), mode)?;
    tx.claimed(hobt, key)
}

/// Reads what the transaction's snapshot shows.
fn get_version(
    tx: &mut Transaction,
    hobt: &Hobt,
    key: &[u8],
    value: &mut Vec<u8>,
) -> StorageResult<bool> {
    let view = tx.view()?;
    let leaf = leaf_for_read(tx.database(), hobt, key)?;
    let mut image = None;
    if let Some(versions) = hobt.versions() {
        image = match tx.page_seen(versions, view, leaf.id())? {
            PageSeen::Rows => tx.image_of(versions, view, key),
            _ => Some(None),
        };
    }
    let Some(image) = image else {
        tx.view_stands()?;
        return Ok(read_from(&leaf, key, value));
    };
    drop(leaf);
    tx.view_stands()?;
    value.extend_from_slice(image.as_deref().unwrap_or_default());
    Ok(image.is_some())
}

fn read_from(leaf: &Page, key: &[u8], value: &mut Vec<u8>) -> bool {
    match search(leaf, key) {
        Ok(slot) if !is_ghost(leaf, slot) => {
            value.extend_from_slice(split_entry(leaf.row(slot)).1);
            true
        }
        _ => false,
    }
}
