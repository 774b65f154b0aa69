//! Rows that are deleted: they stay as ghosts until their transaction has ended, and the log holds all of them.
//!
//! ```text
//! LOP_DELETE_ROWS   delete-rows, drawn in docs/engineering/format.md. LCX_MARK_AS_GHOST: the row becomes a ghost. A separator that a
//!                   removed leaf leaves behind: place 3, the entry, which undo puts back. Else (compensation only): place; the slot
//!                   goes.
//!                   A forwarded row (place 2) is counted where its stub is.
//! ```

use taffrail_log::{Lcx, Lop, Record, RecordFlags, Reserve};

use super::row::{
    INTERIOR, LEAF, apply_ghost, apply_remove, change_counted, counted, counted_hobt, damaged,
    has_row, locate, place_byte, place_of,
};
use super::{Place, RedoResult, compensation, on_page};
use crate::access::node::split_entry;
use crate::access::{Hobt, directory};
use crate::buffer::WriteGuard;
use crate::error::StorageResult;
use crate::page::{Page, SLOT_BYTES};
use crate::txn::work::{Change, Work};

// ---- forward ----

/// Marks a row as deleted; the record holds all of it, so that undo and older versions need no page. The caller makes sure that the
/// row is alive, and counts.
pub(crate) fn ghost(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    hobt: &Hobt,
    place: Place,
    slot: usize,
    lock_hash: u64,
) -> StorageResult<()> {
    let change = Change {
        hobt: hobt.id(),
        lock_hash,
        slot: slot as u16,
        flags: RecordFlags::USER_1,
        reserve: UNDO_GHOST,
        ..Change::new(Lop::DeleteRows, Lcx::MarkAsGhost)
    };
    let place = place_byte(place, page.row(slot));
    let counting = hobt.counting();
    work.change_with_row(page, &change, &place)?;
    // A moved row is counted where its stub is.
    hobt.add_rows(-counted(place[0]));
    drop(counting);
    apply_ghost(page, slot, true, work.id());
    Ok(())
}

/// The compensation that undoes [`ghost`].
const UNDO_GHOST: Reserve = Reserve::undo(1);

// ---- redo ----

pub(super) fn redo_delete(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let slot = usize::from(r.header.slot);
    has_row(page, slot)?;
    if r.header.context == Lcx::MarkAsGhost {
        if deleted_row(r).is_some_and(|row| row != page.row(slot)) {
            return Err(format!("the row in slot {slot} is not the one that was deleted"));
        }
        apply_ghost(page, slot, true, r.header.txn);
    } else {
        apply_remove(page, place_of(r)?, slot);
    }
    Ok(())
}

/// The row that a deletion left as a ghost, as it was. None: something else, or a record of format version 2 and before.
pub(crate) fn deleted_row<'a>(r: &Record<'a>) -> Option<&'a [u8]> {
    let ghosts = r.header.op == Lop::DeleteRows && r.header.context == Lcx::MarkAsGhost;
    let whole = ghosts && r.header.flags.contains(RecordFlags::USER_1);
    r.payload.get(1..).filter(|_| whole && !r.header.is_compensation())
}

/// Bytes of the compensation that undoes a deletion.
pub(super) fn undo_delete_bytes(r: &Record<'_>) -> Option<usize> {
    let (&place, entry) = r.payload.split_first()?;
    Some(if place == INTERIOR { entry.len() } else { 1 })
}

// ---- undo ----

pub(super) fn undo_delete(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let Some((&place, key)) = r.payload.split_first() else {
        return Err(damaged(work, r, "the record is too short"));
    };
    let key = match deleted_row(r) {
        Some(row) => split_entry(row).0,
        None => key,
    };
    if place == INTERIOR {
        let mut change = compensation(r, Lop::InsertRows, Lcx::IndexInterior);
        change.slot = r.header.slot;
        return on_page(work, held, r.header.page, |work, page| {
            let slot = usize::from(r.header.slot);
            if slot > page.slots() as usize || key.len() + SLOT_BYTES > page.free_bytes() as usize {
                return Err(damaged(work, r, "no room for the separator"));
            }
            work.change(page, &change, &[key])?;
            page.insert_row(slot, &[key]);
            Ok(())
        });
    }
    let mut change = compensation(r, Lop::InsertRows, Lcx::MarkAsGhost);
    let txn = work.id();
    let db = work.db.clone();
    let hobt = counted_hobt(&db, r)?;
    let hobt = hobt.as_deref();
    if place == LEAF {
        directory::before_undo(work, r, key)?;
        let _counts = directory::counts_stand(&db, r);
        {
            let (mut leaf, slot) = locate(work, &db, r, key)?;
            change.slot = slot as u16;
            change_counted(work, &mut leaf, &change, &[&[LEAF]], hobt, 1)?;
            apply_ghost(&mut leaf, slot, false, txn);
        }
        return directory::after_undo(&db, r, key);
    }
    on_page(work, held, r.header.page, |work, page| {
        let slot = usize::from(r.header.slot);
        if !page.has_row(slot) {
            return Err(damaged(work, r, "the row is not there"));
        }
        change.slot = r.header.slot;
        change_counted(work, page, &change, &[&[place]], hobt, counted(place))?;
        apply_ghost(page, slot, false, txn);
        Ok(())
    })
}

#[cfg(test)]
mod tests;
