//! Rows: inserted, changed, and ghosts removed. How they are deleted is told in [`super::delete`]. Names without LOP are drawings
//! of docs/engineering/format.md.
//!
//! ```text
//! LOP_INSERT_ROWS   insert-rows. LCX_MARK_AS_GHOST (compensation only): u8 place; the ghost is alive again.
//! LOP_MODIFY_ROW    modify-row. Flag USER_1: the row is logged whole, and undo does not compare it with the bytes after.
//! LOP_EXPUNGE_ROWS  u16 slots, ascending. Redo only.
//! LCX_TEXT_MIX      of small values that share a page: see [`crate::access::lob`]. LOP_INSERT_ROWS lob-slot; LOP_DELETE_ROWS
//!                   (compensation only) u8 place; LOP_EXPUNGE_ROWS as above.
//! ```

use std::sync::Arc;

use taffrail_base::{HobtId, TransactionId};
use taffrail_log::{Lcx, Lop, Record, RecordFlags, Reserve};

use super::{Place, RedoResult, compensation, on_page};
use crate::access::node::{FORWARDED, GHOST, is_ghost, search, split_entry};
use crate::access::{Hobt, btree, directory, lob};
use crate::buffer::WriteGuard;
use crate::codec::{Put, Take};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::page::{Page, SLOT_BYTES};
use crate::txn::work::{Change, Work};

pub(super) const HEAP: u8 = 0;
pub(super) const LEAF: u8 = 1;
pub(super) const MOVED: u8 = 2;
pub(super) const INTERIOR: u8 = 3;
pub(crate) const MIX: u8 = 4;
const MODIFY_HEADER: usize = 8;

// ---- forward ----

/// The compensation that undoes an insertion.
pub(crate) const UNDO_INSERT: Reserve = Reserve::undo(1);

/// The compensation that undoes an insertion of a leaf's row, with room for its directory.
#[inline]
pub(crate) fn undo_insert_reserve(hobt: HobtId, context: Lcx, key: &[u8]) -> Reserve {
    Reserve::undo(1 + directory::undo_reserve(hobt, context, key))
}

/// The first byte of a deletion's payload.
pub(crate) fn place_byte(place: Place, row: &[u8]) -> [u8; 1] {
    let moved = row.first().is_some_and(|f| f & FORWARDED != 0);
    [match place {
        Place::Heap if moved => MOVED,
        Place::Heap => HEAP,
        Place::Leaf => LEAF,
        Place::Interior => INTERIOR,
        Place::Mix => MIX,
    }]
}

/// The difference between two rows: its offset, and how many bytes at the end are equal.
pub(crate) fn difference(old: &[u8], new: &[u8]) -> (usize, usize) {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    (start, end)
}

/// The fixed part of a modification's payload.
pub(crate) fn modify_header(at: usize, old: usize, new: usize, key: usize) -> [u8; MODIFY_HEADER] {
    let mut h = [0; MODIFY_HEADER];
    for (i, v) in [at, old, new, key].into_iter().enumerate() {
        h[i * 2..i * 2 + 2].copy_from_slice(&(v as u16).to_le_bytes());
    }
    h
}

/// The compensation that undoes a modification.
pub(crate) fn undo_modify_reserve(old: usize) -> Reserve {
    Reserve::undo(MODIFY_HEADER + old)
}

/// Replaces a row by another: logs what differs, or with `whole` all of it, and changes the page. The caller has checked the room.
pub(crate) fn modify(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    mut change: Change,
    new: &[u8],
    whole: bool,
) -> StorageResult<()> {
    let slot = usize::from(change.slot);
    let old = page.row(slot).to_vec();
    let (at, same) = if whole { (0, 0) } else { difference(&old, new) };
    let (before, after) = (&old[at..old.len() - same], &new[at..new.len() - same]);
    let key = if change.context == Lcx::Heap { &[][..] } else { split_entry(&old).0 };
    let header = modify_header(at, before.len(), after.len(), key.len());
    let besides = directory::undo_reserve(change.hobt, change.context, key);
    change.reserve = undo_modify_reserve(before.len() + besides);
    work.change(page, &change, &[&header, before, after, key])?;
    apply_modify(page, slot, at, before.len(), after, work.id(), false);
    Ok(())
}

/// Removes a separator from an interior page.
pub(crate) fn remove_separator(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    slot: usize,
) -> StorageResult<()> {
    let entry = page.row(slot).to_vec();
    let change = Change {
        hobt: page.hobt(),
        slot: slot as u16,
        reserve: Reserve::undo(entry.len()),
        ..Change::new(Lop::DeleteRows, Lcx::IndexInterior)
    };
    work.change(page, &change, &[&[INTERIOR], &entry])?;
    page.remove_row(slot);
    Ok(())
}

/// Marks a row as deleted or alive.
pub(crate) fn apply_ghost(page: &mut Page, slot: usize, ghost: bool, txn: TransactionId) {
    let was = is_ghost(page, slot);
    if let Some(flags) = page.row_mut(slot).first_mut() {
        *flags = if ghost { *flags | GHOST } else { *flags & !GHOST };
    }
    match (was, ghost) {
        (false, true) => {
            page.set_ghosts(page.ghosts().saturating_add(1));
            page.note_ghost(txn);
        }
        (true, false) => page.set_ghosts(page.ghosts().saturating_sub(1)),
        _ => {}
    }
}

fn apply_modify(
    page: &mut Page,
    slot: usize,
    at: usize,
    old: usize,
    new: &[u8],
    txn: TransactionId,
    compensation: bool,
) {
    let was = is_ghost(page, slot);
    page.splice_row(slot, at, old, new);
    let is = is_ghost(page, slot);
    if was && !is {
        page.set_ghosts(page.ghosts().saturating_sub(1));
    } else if is && !was {
        page.set_ghosts(page.ghosts().saturating_add(1));
        page.note_ghost(txn);
    }
    if new.len() < old && !compensation {
        page.reserve(txn, (old - new.len()) as u16);
    } else if new.len() > old && compensation {
        page.unreserve((new.len() - old) as u16);
    }
}

/// Removes a slot: an undone insertion.
pub(super) fn apply_remove(page: &mut Page, place: Place, slot: usize) {
    if place != Place::Mix && is_ghost(page, slot) {
        page.set_ghosts(page.ghosts().saturating_sub(1));
    }
    if place.keeps_slots() { page.clear_row(slot) } else { page.remove_row(slot) }
}

/// Removes the ghosts in these slots.
pub(crate) fn apply_expunge(page: &mut Page, place: Place, slots: &[u16]) {
    for &slot in slots.iter().rev() {
        apply_remove(page, place, usize::from(slot));
    }
}

// ---- redo ----

pub(super) fn place_of(record: &Record<'_>) -> Result<Place, String> {
    Place::of(record.header.context).ok_or_else(|| format!("{} has no rows", record.header.context))
}

pub(super) fn has_row(page: &Page, slot: usize) -> RedoResult {
    if page.has_row(slot) { Ok(()) } else { Err(format!("there is no row in slot {slot}")) }
}

pub(super) fn redo_insert(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let slot = usize::from(r.header.slot);
    if r.header.context == Lcx::MarkAsGhost {
        has_row(page, slot)?;
        apply_ghost(page, slot, false, r.header.txn);
        return Ok(());
    }
    let place = place_of(r)?;
    let free = page.free_bytes() as usize;
    let new_slot = slot >= page.slots() as usize || !place.keeps_slots();
    let need = r.payload.len() + if new_slot { SLOT_BYTES } else { 0 };
    if slot > page.slots() as usize || need > free || r.payload.is_empty() {
        return Err(format!("no room for a row of {} bytes in slot {slot}", r.payload.len()));
    }
    if place.keeps_slots() {
        if page.has_row(slot) {
            return Err(format!("slot {slot} is taken"));
        }
        page.put_row(slot, &[r.payload]);
    } else {
        page.insert_row(slot, &[r.payload]);
    }
    Ok(())
}

/// offset, bytes before, bytes after, key
pub(super) type Modification<'a> = (usize, &'a [u8], &'a [u8], &'a [u8]);

fn parse_modify<'a>(r: &Record<'a>) -> Option<(usize, Modification<'a>)> {
    let mut t = Take(r.payload);
    let (at, old, new, key) = (t.u16()?, t.u16()?, t.u16()?, t.u16()?);
    let before = if r.header.is_compensation() { &[] } else { t.bytes(old.into())? };
    let after = t.bytes(new.into())?;
    let key = t.bytes(key.into())?;
    Some((old.into(), (at.into(), before, after, key)))
}

/// Offset, bytes before, bytes after and key of a modification.
pub(super) fn modified<'a>(r: &Record<'a>) -> Option<Modification<'a>> {
    parse_modify(r).map(|(_, m)| m)
}

pub(super) fn redo_modify(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let slot = usize::from(r.header.slot);
    has_row(page, slot)?;
    let (old, (at, _, new, _)) = parse_modify(r).ok_or("the record is too short")?;
    let len = page.row(slot).len();
    let grows = new.len().saturating_sub(old);
    if at + old > len || grows > page.free_bytes() as usize || len - old + new.len() == 0 {
        return Err(format!("{old} bytes at {at} of a row of {len}: no room for {}", new.len()));
    }
    apply_modify(page, slot, at, old, new, r.header.txn, r.header.is_compensation());
    Ok(())
}

pub(super) fn redo_expunge(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let mut t = Take(r.payload);
    let mut slots = Vec::new();
    while let Some(slot) = t.u16() {
        has_row(page, slot.into())?;
        // They are removed from the last on, so that the ones before stay where they are.
        if slots.last().is_some_and(|&last| last >= slot) {
            return Err("the slots are not in order".to_owned());
        }
        slots.push(slot);
    }
    apply_expunge(page, place_of(r)?, &slots);
    Ok(())
}

/// The payload of an expunge record.
pub(crate) fn encode_slots(slots: &[u16]) -> Vec<u8> {
    let mut b = Vec::with_capacity(slots.len() * 2);
    for &s in slots {
        b.u16(s);
    }
    b
}

// ---- undo ----

pub(crate) fn damaged(work: &Work, r: &Record<'_>, what: &str) -> StorageError {
    work.db.store.corrupt(r.header.page, format!("{what}: undo of {}", r.header.op))
}

/// The leaf and slot where a key is now.
pub(super) fn locate<'p>(
    work: &Work,
    db: &'p Arc<Database>,
    r: &Record<'_>,
    key: &[u8],
) -> StorageResult<(WriteGuard<'p>, usize)> {
    let hobt = db.hobt(r.header.hobt)?;
    let leaf = btree::leaf_for_write(db, &hobt, key)?;
    match search(&leaf, key) {
        Ok(slot) => Ok((leaf, slot)),
        Err(_) => Err(damaged(work, r, "the row is not there")),
    }
}

/// Rows that a row in this place stands for.
pub(crate) fn counted(place: u8) -> i64 {
    i64::from(matches!(place, HEAP | LEAF))
}

/// The heap or tree whose rows an undo counts; none if it was dropped later in the same transaction, or made in it. A directory that
/// cannot be read is no reason to count wrong.
pub(super) fn counted_hobt(db: &Arc<Database>, r: &Record<'_>) -> StorageResult<Option<Arc<Hobt>>> {
    match db.hobt(r.header.hobt) {
        Ok(hobt) => Ok(Some(hobt)),
        Err(StorageError::NoSuchHobt(_)) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Appends a compensation that changes the number of rows by `delta`.
pub(super) fn change_counted(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    change: &Change,
    payload: &[&[u8]],
    hobt: Option<&Hobt>,
    delta: i64,
) -> StorageResult<()> {
    let _counting = hobt.map(Hobt::counting);
    work.change(page, change, payload)?;
    if let Some(hobt) = hobt {
        hobt.add_rows(delta);
    }
    Ok(())
}

pub(super) fn undo_insert(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let Some(place) = Place::of(r.header.context) else {
        return Err(damaged(work, r, "it has no place"));
    };
    if place == Place::Mix {
        return lob::undo_insert(work, r);
    }
    let mut change = compensation(r, Lop::DeleteRows, r.header.context);
    let db = work.db.clone();
    let hobt = if place == Place::Interior { None } else { counted_hobt(&db, r)? };
    let hobt = hobt.as_deref();
    if place == Place::Leaf {
        let key = split_entry(r.payload).0;
        directory::before_undo(work, r, key)?;
        let _counts = directory::counts_stand(&db, r);
        {
            let (mut leaf, slot) = locate(work, &db, r, key)?;
            change.slot = slot as u16;
            change_counted(work, &mut leaf, &change, &[&[LEAF]], hobt, -1)?;
            apply_remove(&mut leaf, place, slot);
            if leaf.slots() == 0 && hobt.is_some_and(|h| h.root() != leaf.id()) {
                db.note_emptied(r.header.hobt, leaf.id(), key);
            }
        }
        return directory::after_undo(&db, r, key);
    }
    on_page(work, held, r.header.page, |work, page| {
        let slot = usize::from(r.header.slot);
        if !page.has_row(slot) {
            return Err(damaged(work, r, "the row is not there"));
        }
        change.slot = r.header.slot;
        let place_byte = place_byte(place, page.row(slot));
        let delta = -counted(place_byte[0]);
        change_counted(work, page, &change, &[&place_byte], hobt, delta)?;
        apply_remove(page, place, slot);
        if let (Place::Heap, Some(hobt)) = (place, hobt) {
            hobt.room.lock().note(page.id());
            db.returning.freed_a_page();
        }
        Ok(())
    })
}

pub(super) fn undo_modify(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let Some((_, (at, before, after, key))) = parse_modify(r) else {
        return Err(damaged(work, r, "the record is too short"));
    };
    let mut change = compensation(r, Lop::ModifyRow, r.header.context);
    let whole = r.header.flags.contains(RecordFlags::USER_1);
    if whole {
        change.flags = change.flags.with(RecordFlags::USER_1);
    }
    let header = modify_header(at, after.len(), before.len(), 0);
    let txn = work.id();
    let db = work.db.clone();
    // Rows of a heap come and go in other ways.
    let leaf = Place::of(r.header.context) == Some(Place::Leaf);
    let hobt = if leaf { counted_hobt(&db, r)? } else { None };
    let mut back = |work: &mut Work, page: &mut WriteGuard<'_>, slot: usize| {
        change.slot = slot as u16;
        let room = before.len().saturating_sub(after.len()) <= page.free_bytes() as usize;
        // What was logged whole may have been changed by a system transaction since: see `directory`.
        let now = page.row(slot).get(at..at + after.len());
        if !room || if whole { now.is_none() } else { now != Some(after) } {
            return Err(damaged(work, r, "the row is not what the record left"));
        }
        let was = is_ghost(page, slot);
        let _counting = hobt.as_deref().map(Hobt::counting);
        work.change(page, &change, &[&header, before])?;
        apply_modify(page, slot, at, after.len(), before, txn, true);
        let revived = i64::from(was) - i64::from(is_ghost(page, slot));
        if let Some(hobt) = hobt.as_deref().filter(|_| revived != 0) {
            hobt.add_rows(revived);
        }
        Ok(())
    };
    if leaf {
        directory::before_undo(work, r, key)?;
        let _counts = directory::counts_stand(&db, r);
        {
            let (mut leaf, slot) = locate(work, &db, r, key)?;
            back(work, &mut leaf, slot)?;
        }
        return directory::after_undo(&db, r, key);
    }
    on_page(work, held, r.header.page, |work, page| {
        let slot = usize::from(r.header.slot);
        if !page.has_row(slot) {
            return Err(damaged(work, r, "the row is not there"));
        }
        back(work, page, slot)
    })
}

// ---- description ----

pub(super) fn describe(r: &Record<'_>) -> String {
    match r.header.op {
        Lop::InsertRows if r.header.context == Lcx::MarkAsGhost => "ghost revived".to_owned(),
        Lop::InsertRows if r.header.context == Lcx::TextMix => {
            format!("value of {} bytes", lob::parts(r.payload).map_or(0, |(_, bytes)| bytes.len()))
        }
        Lop::InsertRows => format!("row of {} bytes", r.payload.len()),
        Lop::DeleteRows if r.header.context == Lcx::MarkAsGhost => "row becomes a ghost".to_owned(),
        Lop::DeleteRows if r.header.context == Lcx::TextMix => "value removed".to_owned(),
        Lop::DeleteRows => "row removed".to_owned(),
        Lop::ExpungeRows if r.header.context == Lcx::TextMix => "value freed".to_owned(),
        Lop::ExpungeRows => format!("{} ghosts removed", r.payload.len() / 2),
        _ => match parse_modify(r) {
            Some((old, (at, _, new, _))) => {
                format!("{old} bytes at offset {at} become {}", new.len())
            }
            None => "malformed".to_owned(),
        },
    }
}

/// The row that a record writes whole: an insertion, or a modification that is not trimmed. Not an interior entry, whose key
/// may be a row's as well.
pub(crate) fn whole_row<'a>(r: &Record<'a>) -> Option<&'a [u8]> {
    match r.header.op {
        _ if matches!(r.header.context, Lcx::IndexInterior | Lcx::TextMix) => None,
        Lop::InsertRows if r.header.context != Lcx::MarkAsGhost => Some(r.payload),
        Lop::ModifyRow => match parse_modify(r)? {
            (_, (0, _, new, _)) if new.len() > MODIFY_HEADER => Some(new),
            _ => None,
        },
        _ => None,
    }
}

/// By how many rows a record changes its HoBt's row count, for the counts that restart brings up to date.
pub(crate) fn row_delta(r: &Record<'_>) -> i64 {
    let counted = |place: Option<&u8>| place.map_or(0, |&p| counted(p));
    let context = r.header.context;
    match r.header.op {
        Lop::InsertRows if context == Lcx::MarkAsGhost => counted(r.payload.first()),
        Lop::BulkExtAllocation => super::bulk::row_delta(r),
        Lop::DeleteRows => -counted(r.payload.first()),
        Lop::InsertRows if matches!(Place::of(context), Some(Place::Heap | Place::Leaf)) => {
            i64::from(r.payload.first().is_some_and(|f| f & FORWARDED == 0))
        }
        // A ghost that an insertion brought back to life, or that undo made a ghost again.
        Lop::ModifyRow if context != Lcx::Heap => match parse_modify(r) {
            Some((_, (0, _, after, _))) if r.header.is_compensation() && !after.is_empty() => {
                // A difference that begins with the flags byte is one of flags, unless the row was logged whole.
                let whole = r.header.flags.contains(RecordFlags::USER_1);
                i64::from(!whole) * (1 - 2 * i64::from(after[0] & GHOST))
            }
            Some((_, (0, before, after, _))) if !before.is_empty() && !after.is_empty() => {
                i64::from(before[0] & GHOST) - i64::from(after[0] & GHOST)
            }
            _ => 0,
        },
        _ => 0,
    }
}

#[cfg(test)]
mod counted;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modification_is_what_is_drawn() {
        let payload = [&modify_header(7, 2, 3, 4)[..], b"ol", b"new", b"key4"].concat();
        let fields: [(&str, &[u8]); 7] = [
            ("offset", &[7, 0]),
            ("length before", &[2, 0]),
            ("length after", &[3, 0]),
            ("length of the key", &[4, 0]),
            ("bytes before", b"ol"),
            ("bytes after", b"new"),
            ("key", b"key4"),
        ];
        crate::drawn::check("modify-row", &payload, &fields);
    }

    #[test]
    fn differences_are_trimmed_on_both_sides() {
        let d = |a: &str, b: &str| difference(a.as_bytes(), b.as_bytes());
        assert_eq!(d("abcdef", "abXdef"), (2, 3));
        assert_eq!(d("abc", "abc"), (3, 0));
        assert_eq!(d("aaa", "aa"), (2, 0));
        assert_eq!(d("aXa", "aa"), (1, 1));
        assert_eq!(d("", "xyz"), (0, 0));
    }
}
