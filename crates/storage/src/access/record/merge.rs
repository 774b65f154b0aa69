//! Rows that move to the left neighbour: a page split backwards.
//!
//! ```text
//! LOP_UNDO_DELETE_SPLIT   on the left page, whose slot in the header says where they begin: u64 next page (as it is), then per row:
//!                         u16 length, bytes. The layout that the compensation of a split has.
//! LOP_DELETE_SPLIT        flag USER_1, on the right page: u16 rows that went, u64 left page, u16 first slot there.
//!                         Compensation: LOP_UNDO_DELETE_SPLIT, flag USER_1: u64 next page, per row: u16 length, bytes.
//! ```
//! The rows are logged once, with the page that gets them; the undo of the right page's record reads them there. Nobody can have seen
//! or changed either page before the end of the system transaction.

use taffrail_base::{PageId, TransactionId};
use taffrail_log::{Lcx, Lop, Record, RecordFlags, Reserve};

use super::{RedoResult, compensation, on_page};
use crate::access::node::count_ghosts;
use crate::buffer::WriteGuard;
use crate::codec::{Put, Take};
use crate::error::StorageResult;
use crate::page::{Page, SLOT_BYTES};
use crate::txn::work::{Change, Work};

/// True for the records of this module's kind on the right page, and for what undoes them.
pub(super) fn is_front(r: &Record<'_>) -> bool {
    r.header.flags.contains(RecordFlags::USER_1)
}

/// Moves the first `count` rows of `right` behind those of `left`; the caller has checked the room and holds both.
pub(crate) fn rows_to_left(
    work: &mut Work,
    left: &mut WriteGuard<'_>,
    right: &mut WriteGuard<'_>,
    context: Lcx,
    count: usize,
) -> StorageResult<()> {
    let at = left.slots() as usize;
    let mut payload = Vec::with_capacity(4096);
    payload.u64(left.next().to_u64());
    let rows = encode_rows(&mut payload, right, 0..count);
    let change = Change {
        hobt: left.hobt(),
        slot: at as u16,
        reserve: Reserve::undo(26),
        ..Change::new(Lop::UndoDeleteSplit, context)
    };
    work.change(left, &change, &[&payload])?;
    for i in 0..count {
        left.insert_row(at + i, &[right.row(i)]);
    }
    after_append(left, at, work.id());

    let mut payload = Vec::with_capacity(12);
    payload.u16(count as u16);
    payload.u64(left.id().to_u64());
    payload.u16(at as u16);
    let change = Change {
        hobt: right.hobt(),
        flags: RecordFlags::USER_1,
        reserve: Reserve::undo(8 + rows),
        ..Change::new(Lop::DeleteSplit, context)
    };
    work.change(right, &change, &[&payload])?;
    remove_front(right, count);
    Ok(())
}

/// Appends rows to a payload; gives their bytes there.
fn encode_rows(payload: &mut Vec<u8>, page: &Page, slots: std::ops::Range<usize>) -> usize {
    let before = payload.len();
    for i in slots {
        payload.u16(page.row(i).len() as u16);
        payload.bytes(page.row(i));
    }
    payload.len() - before
}

/// Ghosts among the rows that came, from slot `at` on. Their transactions began before this one: it stands for all of them.
fn after_append(page: &mut Page, at: usize, txn: TransactionId) {
    let came = count_ghosts(page, at);
    if came > 0 {
        let ghosts = page.ghosts() + came;
        page.set_ghosts(ghosts);
        page.note_ghost(txn);
    }
}

fn remove_front(page: &mut Page, count: usize) {
    if count >= page.slots() as usize {
        page.truncate_rows(0);
    } else {
        for _ in 0..count {
            page.remove_row(0);
        }
    }
    page.set_ghosts(count_ghosts(page, 0));
}

fn parse_front(r: &Record<'_>) -> Option<(u16, PageId, u16)> {
    let mut t = Take(r.payload);
    Some((t.u16()?, PageId::from_u64(t.u64()?), t.u16()?))
}

/// Redo on the left page.
pub(super) fn redo_append(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let mut t = Take(r.payload);
    t.u64().ok_or("the record is too short")?;
    let at = page.slots() as usize;
    if at != usize::from(r.header.slot) {
        return Err(format!("{at} rows where the record has {}", r.header.slot));
    }
    insert_rows(page, at, t)?;
    after_append(page, at, r.header.txn);
    Ok(())
}

/// Inserts the rows of a payload before slot `at`.
fn insert_rows(page: &mut Page, mut at: usize, mut rows: Take<'_>) -> RedoResult {
    while let Some(len) = rows.u16() {
        let row = rows.bytes(len.into()).ok_or("the record is too short")?;
        if row.is_empty() || row.len() + SLOT_BYTES > page.free_bytes() as usize {
            return Err("the rows do not fit".to_owned());
        }
        page.insert_row(at, &[row]);
        at += 1;
    }
    Ok(())
}

/// Redo on the right page.
pub(super) fn redo_remove_front(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let (count, ..) = parse_front(r).ok_or("the record is too short")?;
    if count > page.slots() {
        return Err(format!("{count} of {} rows are to go", page.slots()));
    }
    remove_front(page, count.into());
    Ok(())
}

/// Redo of what undoes that.
pub(super) fn redo_put_front(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let mut t = Take(r.payload);
    t.u64().ok_or("the record is too short")?;
    insert_rows(page, 0, t)?;
    page.set_ghosts(count_ghosts(page, 0));
    Ok(())
}

/// The left page loses what came.
pub(super) fn undo_append(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let from = usize::from(r.header.slot);
    let change = compensation(r, Lop::DeleteSplit, r.header.context);
    on_page(work, held, r.header.page, |work, page| {
        if from > page.slots() as usize {
            return Err(work.db.store.corrupt(r.header.page, "undo of moved rows".to_owned()));
        }
        let next = page.next().to_u64();
        let mut payload = Vec::with_capacity(26);
        payload.u16(from as u16);
        payload.u64(PageId::NONE.to_u64());
        payload.u64(next);
        payload.u64(next);
        work.change(page, &change, &[&payload])?;
        let ghosts = page.ghosts().saturating_sub(count_ghosts(page, from));
        page.set_ghosts(ghosts);
        page.truncate_rows(from);
        Ok(())
    })
}

/// The right page gets back what went.
pub(super) fn undo_remove_front(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let bad = |work: &Work| work.db.store.corrupt(r.header.page, "undo of moved rows".to_owned());
    let Some((count, left, at)) = parse_front(r) else { return Err(bad(work)) };
    let mut rows = Vec::with_capacity(4096);
    let (from, to) = (usize::from(at), usize::from(at) + usize::from(count));
    on_page(work, held, left, |work, page| {
        if to > page.slots() as usize {
            return Err(bad(work));
        }
        encode_rows(&mut rows, page, from..to);
        Ok(())
    })?;
    let mut change = compensation(r, Lop::UndoDeleteSplit, r.header.context);
    change.flags = change.flags.with(RecordFlags::USER_1);
    on_page(work, held, r.header.page, |work, page| {
        let next = page.next().to_u64().to_le_bytes();
        work.change(page, &change, &[&next, &rows])?;
        insert_rows(page, 0, Take(&rows)).map_err(|_| bad(work))?;
        let ghosts = count_ghosts(page, 0);
        page.set_ghosts(ghosts);
        Ok(())
    })
}

pub(super) fn describe(r: &Record<'_>) -> String {
    match r.header.op {
        Lop::DeleteSplit => match parse_front(r) {
            Some((count, left, _)) => format!("the first {count} rows moved to page {left}"),
            None => "malformed".to_owned(),
        },
        _ if is_front(r) => "rows moved back".to_owned(),
        _ => format!("rows of the right neighbour from slot {} on", r.header.slot),
    }
}
