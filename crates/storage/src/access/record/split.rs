//! A page split, as far as the old page and its neighbour see it.
//!
//! ```text
//! LOP_DELETE_SPLIT        u16 first slot that moved, u64 new page, u64 next page before, u64 next page now;
//!                         interior pages: the first entry that moved, with its key
//! LOP_UNDO_DELETE_SPLIT   u64 next page, then per row: u16 length, bytes     (compensation only)
//! LOP_MODIFY_HEADER       u64 prev before, u64 next before, u64 prev now, u64 next now
//! ```
//! The rows that moved are not logged with the old page: they are in the format record of the new one, and on it, which an undo
//! reads. Nobody can have seen or changed the new page before the split's end. The new page lacks one thing: the
//! first entry of an interior page
//! has no key, so the record has it. Logs of versions that did not write it are redone like any other; an unfinished split of an interior
//! page in them cannot be undone, and that is an error.

use std::sync::atomic::Ordering;

use taffrail_base::PageId;
use taffrail_log::{Lcx, Lop, Record, Reserve};

use super::{RedoResult, compensation, on_page};
use crate::access::node::{count_ghosts, split_entry};
use crate::buffer::WriteGuard;
use crate::codec::{Put, Take};
use crate::error::StorageResult;
use crate::page::{Page, SLOT_BYTES};
use crate::txn::work::{Change, Work};

/// Removes the slots from `from` on, which are on `new` now, and links to `next`.
pub(crate) fn split_off(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    context: Lcx,
    from: usize,
    new: PageId,
    next: PageId,
) -> StorageResult<()> {
    let mut payload = Vec::with_capacity(32);
    payload.u16(from as u16);
    payload.u64(new.to_u64());
    payload.u64(page.next().to_u64());
    payload.u64(next.to_u64());
    let first = if context == Lcx::IndexInterior { page.row(from).to_vec() } else { Vec::new() };
    let moving: usize = (from..page.slots() as usize).map(|i| page.row(i).len() + 2).sum();
    let change = Change {
        hobt: page.hobt(),
        slot: from as u16,
        reserve: Reserve::undo(8 + moving),
        ..Change::new(Lop::DeleteSplit, context)
    };
    work.change(page, &change, &[&payload, &first])?;
    apply_split(page, from, next);
    Ok(())
}

fn apply_split(page: &mut Page, from: usize, next: PageId) {
    let ghosts = count_ghosts(page, from);
    page.set_ghosts(page.ghosts().saturating_sub(ghosts));
    if from < page.slots() as usize {
        page.truncate_rows(from);
    }
    page.set_next(next);
}

/// Changes a page's links.
pub(crate) fn relink(
    work: &mut Work,
    page: &mut WriteGuard<'_>,
    context: Lcx,
    prev: PageId,
    next: PageId,
) -> StorageResult<()> {
    let mut payload = Vec::with_capacity(32);
    for p in [page.prev(), page.next(), prev, next] {
        payload.u64(p.to_u64());
    }
    let change = Change {
        hobt: page.hobt(),
        reserve: Reserve::undo(32),
        ..Change::new(Lop::ModifyHeader, context)
    };
    work.change(page, &change, &[&payload])?;
    page.set_prev(prev);
    page.set_next(next);
    Ok(())
}

struct Split<'a> {
    from: u16,
    new: PageId,
    next_before: PageId,
    next: PageId,
    /// Of an interior page: the entry in slot `from`, as it was.
    first: &'a [u8],
}

fn parse_split<'a>(r: &Record<'a>) -> Option<Split<'a>> {
    let mut t = Take(r.payload);
    let from = t.u16()?;
    let mut page = || t.u64().map(PageId::from_u64);
    let (new, next_before, next) = (page()?, page()?, page()?);
    Some(Split { from, new, next_before, next, first: t.0 })
}

fn parse_links(r: &Record<'_>) -> Option<[PageId; 4]> {
    let mut t = Take(r.payload);
    let mut page = || t.u64().map(PageId::from_u64);
    Some([page()?, page()?, page()?, page()?])
}

pub(super) fn redo_split(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let split = parse_split(r).ok_or("the record is too short")?;
    apply_split(page, split.from.into(), split.next);
    Ok(())
}

pub(super) fn redo_header(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let [_, _, prev, next] = parse_links(r).ok_or("the record is too short")?;
    page.set_prev(prev);
    page.set_next(next);
    Ok(())
}

pub(super) fn redo_undo_split(page: &mut Page, r: &Record<'_>) -> RedoResult {
    let mut t = Take(r.payload);
    let next = PageId::from_u64(t.u64().ok_or("the record is too short")?);
    while let Some(len) = t.u16() {
        let row = t.bytes(len.into()).ok_or("the record is too short")?;
        if row.is_empty() || row.len() + SLOT_BYTES > page.free_bytes() as usize {
            return Err("the rows do not fit".to_owned());
        }
        page.insert_row(page.slots() as usize, &[row]);
    }
    page.set_ghosts(count_ghosts(page, 0));
    page.set_next(next);
    Ok(())
}

pub(super) fn undo_split(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let bad = |work: &Work| work.db.store.corrupt(r.header.page, "undo of a page split".to_owned());
    let Some(Split { from, new, next_before, first, .. }) = parse_split(r) else {
        return Err(bad(work));
    };
    let interior = r.header.context == Lcx::IndexInterior;
    let mut payload = Vec::with_capacity(4096);
    payload.u64(next_before.to_u64());
    // Rows moved only if the old page was cut; a new page at the right end begins empty, or with a row of its own.
    let moved = on_page(work, held, r.header.page, |_, page| Ok(page.slots() == from))?;
    if moved {
        on_page(work, held, new, |work, page| {
            for i in 0..page.slots() as usize {
                let mut row = page.row(i);
                if interior && i == 0 {
                    // The same child, below the key that it had here.
                    if split_entry(row).1 != split_entry(first).1 {
                        return Err(bad(work));
                    }
                    row = first;
                }
                payload.u16(row.len() as u16);
                payload.bytes(row);
            }
            Ok(())
        })?;
    }
    if interior {
        work.db.store.rarities.interior_splits_undone.fetch_add(1, Ordering::Relaxed);
    }
    let change = compensation(r, Lop::UndoDeleteSplit, r.header.context);
    on_page(work, held, r.header.page, |work, page| {
        let pos = work.change(page, &change, &[&payload])?;
        let record = Record { pos, header: r.header, payload: &payload };
        redo_undo_split(page, &record).map_err(|_| bad(work))
    })
}

pub(super) fn undo_header(
    work: &mut Work,
    held: &mut [WriteGuard<'_>],
    r: &Record<'_>,
) -> StorageResult<()> {
    let Some([prev, next, prev_now, next_now]) = parse_links(r) else {
        return Err(work.db.store.corrupt(r.header.page, "undo of a header change".to_owned()));
    };
    let change = compensation(r, Lop::ModifyHeader, r.header.context);
    let mut payload = Vec::with_capacity(32);
    for p in [prev_now, next_now, prev, next] {
        payload.u64(p.to_u64());
    }
    on_page(work, held, r.header.page, |work, page| {
        work.change(page, &change, &[&payload])?;
        page.set_prev(prev);
        page.set_next(next);
        Ok(())
    })
}

pub(super) fn describe(r: &Record<'_>) -> String {
    match r.header.op {
        Lop::DeleteSplit => match parse_split(r) {
            Some(Split { from, new, .. }) => {
                format!("rows from slot {from} on moved to page {new}")
            }
            None => "malformed".to_owned(),
        },
        Lop::UndoDeleteSplit => "rows moved back".to_owned(),
        _ => match parse_links(r) {
            Some([_, _, prev, next]) => format!("prev {prev}, next {next}"),
            None => "malformed".to_owned(),
        },
    }
}
