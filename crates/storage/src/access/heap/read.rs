//! One row, by its [`Rid`]: read, or locked for whoever has read it by a snapshot.

use super::super::operations::Operation;
use super::{
    FORWARDED, FORWARDING, GHOST, Hobt, Rid, ScanLocks, decode, flags_of, is_heap_page, pointer,
};
use crate::database::Database;
use crate::error::StorageResult;
use crate::lock::LockMode;
use crate::page::Page;
use crate::txn::Transaction;
use crate::versions::{Claimed, Image, PageSeen};

/// Reads a row into `row` (cleared first); false if it is not there.
pub fn fetch(
    tx: &mut Transaction,
    hobt: &Hobt,
    rid: Rid,
    locks: ScanLocks,
    row: &mut Vec<u8>,
) -> StorageResult<bool> {
    row.clear();
    if locks == ScanLocks::Versions {
        return read_version(tx, hobt, rid, row);
    }
    let mut mode = locks.mode();
    if locks == ScanLocks::ReadCommitted {
        match read_if_quiet(tx, hobt, rid, row)? {
            Some(found) => return Ok(found),
            None => mode = Some(LockMode::S),
        }
    }
    let new = match mode {
        Some(mode) => tx.lock_rid(hobt, rid, mode)?,
        None => false,
    };
    let (db, _) = tx.parts();
    let found = read_row(db, hobt, rid, row);
    if new && (locks == ScanLocks::ReadCommitted || matches!(found, Ok(false))) {
        tx.unlock_rid(rid);
    }
    found
}

/// Locks a row that the transaction's snapshot may have shown, and says whether it is still what that shows. The lock stays.
pub fn claim(
    tx: &mut Transaction,
    hobt: &Hobt,
    rid: Rid,
    mode: LockMode,
) -> StorageResult<Claimed> {
    tx.lock_rid(hobt, rid, mode)?;
    tx.claimed(hobt, &rid.to_bytes())
}

/// Reads a row, whoever may have written it; false if it is not there.
pub(in super::super) fn read_row(
    db: &Database,
    hobt: &Hobt,
    rid: Rid,
    row: &mut Vec<u8>,
) -> StorageResult<bool> {
    // A row can move only a bounded number of times while we look; nobody moves one whose lock we hold.
    for _ in 0..100 {
        let to = {
            let page = db.pool().read(&db.store, rid.page)?;
            match home(&page, hobt, rid, row) {
                Home::Here => return Ok(true),
                Home::Nowhere => return Ok(false),
                Home::There(to) => to,
            }
        };
        let page = db.pool().read(&db.store, to.page)?;
        if copy_forwarded(&page, hobt, rid, to, row) {
            hobt.operations().add(Operation::ForwardedFetch, 1);
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reads a row as the transaction's snapshot shows it; false if it shows none.
fn read_version(
    tx: &mut Transaction,
    hobt: &Hobt,
    rid: Rid,
    row: &mut Vec<u8>,
) -> StorageResult<bool> {
    let view = tx.view()?;
    let db = tx.database().clone();
    let name = rid.to_bytes();
    // Under the latch of the page that is looked at: whoever changes the row has its image noted before.
    let was = |tx: &Transaction| -> StorageResult<Option<Image>> {
        let Some(versions) = hobt.versions() else { return Ok(None) };
        Ok(match tx.page_seen(versions, view, rid.page)? {
            PageSeen::Rows => tx.image_of(versions, view, &name),
            _ => Some(None),
        })
    };
    let shown = |row: &mut Vec<u8>, image: Image| {
        tx.view_stands()?;
        row.clear();
        row.extend_from_slice(image.as_deref().unwrap_or_default());
        Ok(image.is_some())
    };
    // A row that the snapshot does not see moving is found by its image.
    for _ in 0..100 {
        let to = {
            let page = db.pool().read(&db.store, rid.page)?;
            if let Some(image) = was(tx)? {
                return shown(row, image);
            }
            match home(&page, hobt, rid, row) {
                Home::There(to) => to,
                here => {
                    tx.view_stands()?;
                    return Ok(matches!(here, Home::Here));
                }
            }
        };
        let page = db.pool().read(&db.store, to.page)?;
        if let Some(image) = was(tx)? {
            return shown(row, image);
        }
        if copy_forwarded(&page, hobt, rid, to, row) {
            tx.view_stands()?;
            return Ok(true);
        }
        tx.view_stands()?;
    }
    Ok(false)
}

/// Reads a row without locks if nobody else writes to the object; none: somebody does.
fn read_if_quiet(
    tx: &mut Transaction,
    hobt: &Hobt,
    rid: Rid,
    row: &mut Vec<u8>,
) -> StorageResult<Option<bool>> {
    let db = tx.database().clone();
    let to = {
        let page = db.pool().read(&db.store, rid.page)?;
        if tx.others_write(hobt) {
            return Ok(None);
        }
        match home(&page, hobt, rid, row) {
            Home::Here => return Ok(Some(true)),
            Home::Nowhere => return Ok(Some(false)),
            Home::There(to) => to,
        }
    };
    let page = db.pool().read(&db.store, to.page)?;
    // Asked again under this latch: the stub was read under another.
    if tx.others_write(hobt) || !copy_forwarded(&page, hobt, rid, to, row) {
        row.clear();
        return Ok(None);
    }
    hobt.operations().add(Operation::ForwardedFetch, 1);
    Ok(Some(true))
}

enum Home {
    Here,
    There(Rid),
    Nowhere,
}

fn home(page: &Page, hobt: &Hobt, rid: Rid, row: &mut Vec<u8>) -> Home {
    if !is_heap_page(page, hobt) {
        return Home::Nowhere;
    }
    match flags_of(page, rid.slot) {
        Some(flags) if flags & (GHOST | FORWARDED) != 0 => Home::Nowhere,
        Some(flags) if flags & FORWARDING != 0 => {
            pointer(page.row(rid.slot.into())).map_or(Home::Nowhere, Home::There)
        }
        Some(_) => {
            row.extend_from_slice(decode(page.row(rid.slot.into())));
            Home::Here
        }
        None => Home::Nowhere,
    }
}

fn copy_forwarded(page: &Page, hobt: &Hobt, rid: Rid, at: Rid, row: &mut Vec<u8>) -> bool {
    let flags = if is_heap_page(page, hobt) { flags_of(page, at.slot) } else { None };
    let ours = flags.is_some_and(|f| f & FORWARDED != 0 && f & GHOST == 0)
        && pointer(page.row(at.slot.into())) == Some(rid);
    if ours {
        row.extend_from_slice(decode(page.row(at.slot.into())));
    }
    ours
}
