//! Text mix pages: small values of one heap or tree, of any of its rows, side by side.
//!
//! ```text
//! row of a slot   u64 the value's identity, then its bytes: drawn in docs/engineering/format.md
//! ```
//! A value of one piece, up to [`MAX`] bytes, lies in a slot. Its reference names the page, and the identity finds the slot. A slot is
//! written once and stays where it is until its value goes.
//!
//! # Identities
//! A slot bears the position of the record that its transaction had logged before the one that has put it there. A transaction puts a
//! value nowhere without a record, so no two values have the same; nor does a page of its own have one of these, for the record that
//! gives that page its identity is never the last before such a record: what allocates the page comes next.
//!
//! # Records
//! ```text
//! LOP_FORMAT_PAGE   LCX_TEXT_MIX, flag USER_1    a new page, empty; "AllocTextMixPage"
//! LOP_INSERT_ROWS   LCX_TEXT_MIX                 a value, in its user's transaction
//! LOP_DELETE_ROWS   LCX_TEXT_MIX, compensation   the undo of that
//! LOP_EXPUNGE_ROWS  LCX_TEXT_MIX, redo only      a value that a committed transaction has left
//! ```
//! Only an insertion is ever undone, and that needs no room. So what is freed on a page is free at once for whoever comes: there are no
//! ghosts, and no reserved bytes. Whoever frees a value, or undoes its insertion, looks for its identity first: what is not there has been
//! done before, as it is when a crash lies between that and the note that it was done. So it can be repeated at any time, whosever the
//! page is by then.
//!
//! # From the first value to the last
//! A page is allocated by a system transaction, which commits under the page's latch behind the record that puts the first value there: a
//! crash leaves both or, once it is undone, neither. Whoever takes the last value off gives the page back, in the same system
//! transaction: that which frees, or one that the undo of an insertion runs instead of its compensation. If that is cut short the page is
//! empty, and its value is still pending, or its insertion still to be undone: the repetition finds it empty and gives it back.
//!
//! Latches: the page's, then a PFS page's. `Hobt::space` is asked for before the page's latch, and never while it is held.

use std::sync::Arc;

use taffrail_base::{HobtId, PageId};
use taffrail_log::{Lcx, Lop, Record, RecordFlags, Reserve};

use super::super::record::row::encode_slots;
use super::super::record::{compensation, format, row as rows};
use super::super::{Hobt, LobRef};
use crate::buffer::WriteGuard;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::page::{HEADER_BYTES, Page, PageType, SLOT_BYTES};
use crate::txn::Transaction;
use crate::txn::work::{Change, Work};

/// Bytes before a value's in its slot.
const HEAD: usize = 8;
/// Longest value that shares a page: two of them fill one.
pub const MAX: usize = (taffrail_base::PAGE_BYTES - HEADER_BYTES) / 2 - SLOT_BYTES - HEAD;

/// The bytes that the undo of an insertion may log: a compensation, or, of the last value,
/// "FreeTextMixPage" as a whole: begin, slot, PFS byte and commit with their headers.
pub(crate) const UNDO: usize = 320;

/// Identity and bytes of what lies in a slot, as a record of its insertion has it, too.
pub(crate) fn parts(row: &[u8]) -> Option<(u64, &[u8])> {
    let (id, bytes) = row.split_first_chunk::<HEAD>()?;
    let id = u64::from_le_bytes(*id);
    (!bytes.is_empty() && (1..=LobRef::MAX_ID).contains(&id)).then_some((id, bytes))
}

/// The slots that hold something, and what; none: nothing that is well formed.
pub(crate) fn values(page: &Page) -> impl Iterator<Item = (u16, Option<(u64, &[u8])>)> {
    let there = (0..page.slots()).filter(|&slot| page.has_row(slot.into()));
    there.map(|slot| (slot, parts(page.row(slot.into()))))
}

/// The value of this identity.
pub(super) fn find(page: &Page, id: u64) -> Option<(u16, &[u8])> {
    values(page).find_map(|(slot, found)| {
        let (of, bytes) = found?;
        (of == id).then_some((slot, bytes))
    })
}

/// True for such a page of this heap or tree. Only under its latch, and together with its PFS byte, does it say that it still is one.
pub(super) fn is_of(page: &Page, hobt: HobtId) -> bool {
    page.is_mix() && page.hobt() == hobt
}

/// Stores a value, not empty and not longer than [`MAX`]: where there is room, or else on a new page.
pub(super) fn put(tx: &mut Transaction, hobt: &Hobt, bytes: &[u8]) -> StorageResult<LobRef> {
    debug_assert!((1..=MAX).contains(&bytes.len()));
    let db = tx.database().clone();
    let work = tx.parts().1;
    if hobt.root().is_none() {
        db.allocate_root(work, hobt)?;
    }
    if let Some(lob) = put_where_room_is(&db, work, hobt, bytes)? {
        return Ok(lob);
    }
    let need = need(bytes);
    if db.look_for_mixed(hobt, need, false)?
        && let Some(lob) = put_where_room_is(&db, work, hobt, bytes)?
    {
        return Ok(lob);
    }
    match put_on_new_page(&db, work, hobt, bytes) {
        Err(StorageError::FileFull(why)) => {
            if db.look_for_mixed(hobt, need, true)?
                && let Some(lob) = put_where_room_is(&db, work, hobt, bytes)?
            {
                return Ok(lob);
            }
            Err(StorageError::FileFull(why))
        }
        result => result,
    }
}

/// Room that a value takes, with a slot.
fn need(bytes: &[u8]) -> usize {
    HEAD + bytes.len() + SLOT_BYTES
}

fn put_where_room_is(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: &Hobt,
    bytes: &[u8],
) -> StorageResult<Option<LobRef>> {
    let need = need(bytes);
    loop {
        let Some(page) = hobt.mixed.lock().take(need) else { return Ok(None) };
        // One that cannot be read is nobody's hint any more.
        let mut page = db.pool().write(&db.store, page)?;
        if !is_of(&page, hobt.id()) || !db.is_allocated(page.id())? {
            continue;
        }
        if usize::from(page.free_bytes()) < need {
            hobt.mixed.lock().note(page.id(), page.free_bytes());
            continue;
        }
        return insert(work, hobt, &mut page, bytes).map(Some);
    }
}

fn put_on_new_page(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: &Hobt,
    bytes: &[u8],
) -> StorageResult<LobRef> {
    let mut claim = db.pages_for_value(work, hobt, 1)?;
    let mut sys = work.nested("AllocTextMixPage");
    let taken = {
        let mut space = hobt.space.lock();
        let there = claim.take(&mut space);
        let refilled = if there { Ok(()) } else { db.refill(work, hobt, &mut space) };
        refilled.and_then(|()| db.take_page(&mut sys, hobt, &mut space, PageType::Lob, 0))
    };
    let mut page = match taken {
        Ok(page) => page,
        Err(e) => {
            db.abort_system(sys, Vec::new());
            return Err(e);
        }
    };
    page.set_mix();
    let put = format::log_made(&mut sys, &mut page, Lcx::TextMix)
        .and_then(|()| insert(work, hobt, &mut page, bytes));
    match put {
        Ok(lob) => sys.commit_system().map(|()| lob),
        Err(e) => {
            hobt.mixed.lock().forget(page.id());
            db.abort_system(sys, vec![page]);
            Err(e)
        }
    }
}

/// Puts a value on a page that has room for it. What room there is, also if it fails, is known afterwards.
fn insert(
    work: &mut Work,
    hobt: &Hobt,
    page: &mut WriteGuard<'_>,
    bytes: &[u8],
) -> StorageResult<LobRef> {
    let logged = (|| {
        work.note()?;
        let id = (work.log.last.0 & LobRef::MAX_ID).max(1);
        let slots = page.slots();
        let slot = (0..slots).find(|&s| !page.has_row(s.into())).unwrap_or(slots);
        debug_assert!(find(page, id).is_none(), "an identity that is not new");
        let change = Change {
            hobt: hobt.id(),
            slot,
            reserve: Reserve::undo(UNDO),
            ..Change::new(Lop::InsertRows, Lcx::TextMix)
        };
        let row = [&id.to_le_bytes()[..], bytes];
        work.change(page, &change, &row)?;
        page.put_row(slot.into(), &row);
        Ok(LobRef { first: page.id(), id, length: bytes.len() as u64 })
    })();
    hobt.mixed.lock().note(page.id(), page.free_bytes());
    logged
}

/// Takes a value that nobody refers to off its page, as part of a system transaction; and gives the page back if it is empty then.
pub(super) fn free(
    db: &Database,
    work: &mut Work,
    hobt: HobtId,
    page: PageId,
    id: u64,
) -> StorageResult<()> {
    let mut page = db.pool().write(&db.store, page)?;
    if !is_of(&page, hobt) || !db.is_allocated(page.id())? {
        return Ok(());
    }
    remove(db, work, hobt, &mut page, id)
}

fn remove(
    db: &Database,
    work: &mut Work,
    hobt: HobtId,
    page: &mut WriteGuard<'_>,
    id: u64,
) -> StorageResult<()> {
    if let Some((slot, _)) = find(page, id) {
        let flags = RecordFlags::REDO_ONLY;
        let change = Change { hobt, flags, ..Change::new(Lop::ExpungeRows, Lcx::TextMix) };
        work.change(page, &change, &[&encode_slots(&[slot])])?;
        page.clear_row(slot.into());
    }
    let known = db.known_hobt(hobt);
    if page.slots() > 0 {
        if let Some(known) = known {
            known.mixed.lock().note(page.id(), page.free_bytes());
        }
        return Ok(());
    }
    if let Some(known) = known {
        known.mixed.lock().forget(page.id());
    }
    db.deallocate_page(work, hobt, page.id())
}

/// Undoes the insertion of a value on a text mix page.
pub(crate) fn undo_insert(work: &mut Work, r: &Record<'_>) -> StorageResult<()> {
    let db = work.db.clone();
    let hobt = r.header.hobt;
    let Some((id, _)) = parts(r.payload) else {
        return Err(rows::damaged(work, r, "the record holds no value"));
    };
    let mut page = db.pool().write(&db.store, r.header.page)?;
    if !is_of(&page, hobt) || !db.is_allocated(page.id())? {
        return Ok(());
    }
    let slot = find(&page, id).map(|(slot, _)| slot);
    if values(&page).count() > usize::from(slot.is_some()) {
        // Others' values stay.
        let Some(slot) = slot else { return Ok(()) };
        let mut change = compensation(r, Lop::DeleteRows, Lcx::TextMix);
        change.slot = slot;
        work.change(&mut page, &change, &[&[rows::MIX]])?;
        page.clear_row(slot.into());
        if let Some(known) = db.known_hobt(hobt) {
            known.mixed.lock().note(page.id(), page.free_bytes());
        }
        return Ok(());
    }
    let mut sys = work.nested("FreeTextMixPage");
    sys.in_rollback = true;
    match remove(&db, &mut sys, hobt, &mut page, id) {
        Ok(()) => {
            drop(page);
            sys.commit_system()
        }
        Err(e) => {
            db.abort_system(sys, vec![page]);
            Err(e)
        }
    }
}

#[cfg(test)]
mod bytes;
#[cfg(test)]
mod load;
#[cfg(test)]
mod tests;
