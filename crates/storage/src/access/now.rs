//! What lies in a slot now, for those who read the log backward from it. Nobody is waited for: the row may be one that a
//! transaction has changed which is still open, and the position says which records of the log are in it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::LogPos;

use super::node::search;
use super::{Hobt, HobtKind, Rid, btree, heap};
use crate::database::Database;
use crate::error::StorageResult;

/// Reads the entry of a key, alive or a ghost, and the position of the last record that changed its leaf: it is what all records so far
/// made of it. None: there is no such entry.
pub fn leaf_entry(
    db: &Arc<Database>,
    hobt: &Hobt,
    key: &[u8],
    entry: &mut Vec<u8>,
) -> StorageResult<Option<LogPos>> {
    entry.clear();
    if hobt.kind() != HobtKind::BTree || hobt.root().is_none() {
        return Ok(None);
    }
    let leaf = btree::leaf_for_read(db, hobt, key)?;
    let Ok(slot) = search(&leaf, key) else { return Ok(None) };
    entry.extend_from_slice(leaf.row(slot));
    Ok(Some(leaf.lsn()))
}

/// As [`leaf_entry`], of a heap's slot.
pub fn heap_slot(
    db: &Arc<Database>,
    hobt: &Hobt,
    at: Rid,
    row: &mut Vec<u8>,
) -> StorageResult<Option<LogPos>> {
    row.clear();
    let pages = db.store.file(at.page.file).map_or(0, |f| f.pages.load(Ordering::Acquire));
    if hobt.kind() != HobtKind::Heap || at.page.page >= pages || !db.is_allocated(at.page)? {
        return Ok(None);
    }
    let page = db.pool().read(&db.store, at.page)?;
    if !heap::is_heap_page(&page, hobt) || !page.has_row(at.slot.into()) {
        return Ok(None);
    }
    row.extend_from_slice(page.row(at.slot.into()));
    Ok(Some(page.lsn()))
}
