//! Heaps. The caller holds IX (IS for reads) or more on the object; row locks are taken here.
//!
//! Rows are added to the page that took the last one; when it is full, to pages on which rows were deleted, then to a new page. A
//! [`Rid`] stays valid for the life of its row: a row that outgrows its page leaves a forwarding stub behind. Scans skip forwarded
//! rows and follow stubs, so that each row is met once, at its own Rid.
//!
//! Heap code latches one page at a time. What it knows of a row after giving up a latch it knows by the row's lock.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::PageId;
use taffrail_log::{Lcx, Lop, RecordFlags};

use super::awaited::Patience;
use super::btree::{expunge, has_room};
use super::full::check_cancelled;
use super::node::{FORWARDED, FORWARDING, GHOST, PADDED};
use super::operations::Operation;
use super::record::{Place, delete, format, row as rows};
use super::{Hobt, HobtKind, Rid, ScanLocks};
use crate::buffer::WriteGuard;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::EXTENT_PAGES;
use crate::lock::LockMode;
use crate::page::{Page, PageType, SLOT_BYTES};
use crate::txn::Transaction;
use crate::txn::work::{Change, Work};

mod read;

pub use super::bulk::HeapLoad;
pub use super::heap_cursor::HeapCursor;
pub(super) use read::read_row;
pub use read::{claim, fetch};

/// The bytes of the largest row.
pub const MAX_ROW: usize = 8_060;

/// A forwarding stub: flags and Rid. No row is shorter, so that a stub always fits in its place.
pub(crate) const STUB: usize = 9;
/// Pages with room to try before a new page is allocated.
const TRIES: usize = 4;

/// Adds a row where there is room.
pub fn insert(tx: &mut Transaction, hobt: &Hobt, row: &[u8]) -> StorageResult<Rid> {
    check(hobt, row)?;
    let rid = place(tx, hobt, &encode(0, &[row]), true)?;
    tx.parts().1.count(hobt, Operation::LeafInsert);
    Ok(rid)
}

/// Replaces a row; its [`Rid`] stays (a forwarding stub is left where it no longer fits).
pub fn update(tx: &mut Transaction, hobt: &Hobt, rid: Rid, row: &[u8]) -> StorageResult<()> {
    check(hobt, row)?;
    tx.lock_rid(hobt, rid, LockMode::X)?;
    let (db, work) = tx.parts();
    let (at, stub) = find_home(db, hobt, rid)?.ok_or(StorageError::RowNotFound)?;
    let was = image_before(db, work, hobt, (rid, stub))?;
    let new = match stub {
        true => encode(FORWARDED, &[&rid.to_bytes(), row]),
        false => encode(0, &[row]),
    };
    let before = RowBefore { rid, was: &was };
    work.count(hobt, Operation::LeafUpdate);
    if replace(db, work, hobt, at, &new, before)? {
        return Ok(());
    }
    // It no longer fits where it is: somewhere else, then the stub to there.
    let moved = encode(FORWARDED, &[&rid.to_bytes(), row]);
    let to = place(tx, hobt, &moved, false)?;
    let (db, work) = tx.parts();
    let pointer = encode(FORWARDING, &[&to.to_bytes()]);
    if !replace(db, work, hobt, rid, &pointer, before)? {
        return Err(db.store.corrupt(rid.page, "no room for a forwarding stub".to_owned()));
    }
    if stub {
        ghost(db, work, hobt, at, before)?;
    } else {
        db.store.rarities.forwards.fetch_add(1, Ordering::Relaxed);
        db.store.counters.forwarded_records.inc();
    }
    Ok(())
}

/// Removes a row; false if it is not there.
pub fn delete(tx: &mut Transaction, hobt: &Hobt, rid: Rid) -> StorageResult<bool> {
    tx.lock_rid(hobt, rid, LockMode::X)?;
    let (db, work) = tx.parts();
    let Some((at, stub)) = find_home(db, hobt, rid)? else { return Ok(false) };
    let was = image_before(db, work, hobt, (rid, stub))?;
    let before = RowBefore { rid, was: &was };
    ghost(db, work, hobt, at, before)?;
    if stub {
        ghost(db, work, hobt, rid, before)?;
    }
    work.count(hobt, Operation::LeafGhost);
    Ok(true)
}

/// All rows in order of allocation.
pub fn scan(hobt: &Arc<Hobt>, locks: ScanLocks) -> HeapCursor {
    HeapCursor::new(hobt.clone(), locks)
}

pub(super) fn check(hobt: &Hobt, row: &[u8]) -> StorageResult<()> {
    if hobt.kind() != HobtKind::Heap {
        return Err(StorageError::Misuse("not a heap"));
    }
    if row.len() > MAX_ROW {
        return Err(StorageError::RowTooLarge { size: row.len(), max: MAX_ROW });
    }
    Ok(())
}

/// A row as it lies on the page.
pub(super) fn encode(flags: u8, parts: &[&[u8]]) -> Vec<u8> {
    let len: usize = 1 + parts.iter().map(|p| p.len()).sum::<usize>();
    let mut b = Vec::with_capacity(len.max(STUB));
    b.push(flags);
    for part in parts {
        b.extend_from_slice(part);
    }
    if len < STUB {
        b[0] |= PADDED;
        b.resize(STUB, 0);
        b[STUB - 1] = (STUB - len) as u8;
    }
    b
}

/// The row in its bytes on the page.
pub(crate) fn decode(bytes: &[u8]) -> &[u8] {
    let Some((&flags, mut rest)) = bytes.split_first() else { return &[] };
    if flags & PADDED != 0 {
        let padding = rest.last().copied().unwrap_or(0) as usize;
        rest = &rest[..rest.len().saturating_sub(padding)];
    }
    if flags & FORWARDED != 0 { rest.get(8..).unwrap_or(&[]) } else { rest }
}

pub(crate) fn pointer(bytes: &[u8]) -> Option<Rid> {
    bytes.get(1..9).and_then(|b| b.try_into().ok()).map(Rid::from_bytes)
}

pub(super) fn is_heap_page(page: &Page, hobt: &Hobt) -> bool {
    page.kind() == Some(PageType::Heap) && page.hobt() == hobt.id()
}

pub(super) fn flags_of(page: &Page, slot: u16) -> Option<u8> {
    let slot = usize::from(slot);
    if page.has_row(slot) { page.row(slot).first().copied() } else { None }
}

/// Where the row of a Rid is: at home, or where its stub points to (true). The caller holds its lock.
fn find_home(db: &Database, hobt: &Hobt, rid: Rid) -> StorageResult<Option<(Rid, bool)>> {
    let page = db.pool().read(&db.store, rid.page)?;
    if !is_heap_page(&page, hobt) {
        return Ok(None);
    }
    match flags_of(&page, rid.slot) {
        Some(flags) if flags & (GHOST | FORWARDED) != 0 => Ok(None),
        Some(flags) if flags & FORWARDING != 0 => {
            Ok(pointer(page.row(rid.slot.into())).map(|to| (to, true)))
        }
        Some(_) => Ok(Some((rid, false))),
        None => Ok(None),
    }
}

/// A row that is about to change, for [`Work::note_row`].
#[derive(Clone, Copy)]
struct RowBefore<'a> {
    /// Its name: where it lies, or its stub.
    rid: Rid,
    /// The row, where it lies elsewhere and versions are on.
    was: &'a Option<Vec<u8>>,
}

impl RowBefore<'_> {
    /// The caller has latched the page of `at`, which is where the row lies or its stub.
    fn note(self, work: &mut Work, hobt: &Hobt, page: &Page, at: Rid) -> StorageResult<()> {
        work.note_row(hobt, &self.rid.to_bytes(), || {
            Some(match self.was {
                Some(row) => row.as_slice().into(),
                None => decode(page.row(at.slot.into())).into(),
            })
        })
    }
}

/// The row of a stub, if versions of it are kept. The caller holds its lock: it stays as it is.
fn image_before(
    db: &Database,
    work: &mut Work,
    hobt: &Hobt,
    (rid, stub): (Rid, bool),
) -> StorageResult<Option<Vec<u8>>> {
    if !stub || !work.notes(hobt)? {
        return Ok(None);
    }
    let mut row = Vec::new();
    match read_row(db, hobt, rid, &mut row)? {
        true => Ok(Some(row)),
        false => Err(StorageError::RowNotFound),
    }
}

/// True if there is room on the page, after ghosts of ended transactions have been removed if need be.
fn room_on(
    db: &Database,
    work: &mut Work,
    hobt: &Hobt,
    page: &mut WriteGuard<'_>,
    need: usize,
) -> StorageResult<bool> {
    Ok(has_room(db, page, need)
        || (expunge(db, work, hobt, page, Place::Heap)? && has_room(db, page, need)))
}

/// Replaces the bytes of a row; false if they do not fit on its page.
fn replace(
    db: &Database,
    work: &mut Work,
    hobt: &Hobt,
    at: Rid,
    new: &[u8],
    row: RowBefore<'_>,
) -> StorageResult<bool> {
    let mut page = db.pool().write(&db.store, at.page)?;
    if !is_heap_page(&page, hobt) || !page.has_row(at.slot.into()) {
        return Err(StorageError::RowNotFound);
    }
    let growth = new.len().saturating_sub(page.row(at.slot.into()).len());
    if !room_on(db, work, hobt, &mut page, growth)? {
        return Ok(false);
    }
    let change =
        Change { hobt: hobt.id(), slot: at.slot, ..Change::new(Lop::ModifyRow, Lcx::Heap) };
    let shorter = new.len() < page.row(at.slot.into()).len();
    row.note(work, hobt, &page, at)?;
    rows::modify(work, &mut page, change, new, false)?;
    if shorter {
        hobt.room.lock().missed(page.free_bytes());
    }
    Ok(true)
}

fn ghost(
    db: &Database,
    work: &mut Work,
    hobt: &Hobt,
    at: Rid,
    row: RowBefore<'_>,
) -> StorageResult<()> {
    let mut page = db.pool().write(&db.store, at.page)?;
    if !is_heap_page(&page, hobt) || !page.has_row(at.slot.into()) {
        return Err(StorageError::RowNotFound);
    }
    row.note(work, hobt, &page, at)?;
    let first = page.ghosts() == 0;
    delete::ghost(work, &mut page, hobt, Place::Heap, at.slot.into(), 0)?;
    if first {
        hobt.room.lock().note(at.page);
    }
    Ok(())
}

/// Finds room for a row and puts it there, locked if `lock`.
fn place(tx: &mut Transaction, hobt: &Hobt, bytes: &[u8], lock: bool) -> StorageResult<Rid> {
    let db = tx.database().clone();
    if hobt.root().is_none() {
        db.allocate_root(tx.parts().1, hobt)?;
    }
    let mut row = NewRow { bytes, lock, tried: PageId::NONE };
    if let Some(page) = hobt.hot(db.pool(), &db.store) {
        let id = page.id();
        match put(tx, &db, hobt, page, row, false)? {
            Put::Done(rid) => return Ok(rid),
            other => let_go(hobt, other),
        }
        row.tried = id;
    } else {
        let last = last_page(&db, hobt)?;
        let page = db.pool().write(&db.store, last)?;
        if db.is_allocated(last)? {
            match put(tx, &db, hobt, page, row, true)? {
                Put::Done(rid) => return Ok(rid),
                other => let_go(hobt, other),
            }
            row.tried = last;
        }
    }
    let need = bytes.len() + SLOT_BYTES;
    if let Some(rid) = put_where_room_is(tx, &db, hobt, row, TRIES)? {
        return Ok(rid);
    }
    if db.look_before_growth(hobt, need)?
        && let Some(rid) = put_where_room_is(tx, &db, hobt, row, usize::MAX)?
    {
        return Ok(rid);
    }
    let mut patience = Patience::new(&db);
    loop {
        let full = match put_on_new_page(tx, &db, hobt, row) {
            Err(StorageError::FileFull(why)) => StorageError::FileFull(why),
            result => return result,
        };
        // All that is known of, then all that there is, then what others do not use.
        if let Some(rid) = put_where_room_is(tx, &db, hobt, row, usize::MAX)? {
            return Ok(rid);
        }
        if db.look_for_all(hobt, need)?
            && let Some(rid) = put_where_room_is(tx, &db, hobt, row, usize::MAX)?
        {
            return Ok(rid);
        }
        let work = tx.parts().1;
        if !db.gather_extents(work, hobt, 1)? && !patience.another_try(work)? {
            return Err(full);
        }
    }
}

/// A row that wants a place.
#[derive(Clone, Copy)]
struct NewRow<'a> {
    bytes: &'a [u8],
    /// Its Rid is to be locked.
    lock: bool,
    /// The page that was tried first, with whose room [`let_go`] has dealt.
    tried: PageId,
}

/// Puts a row on one of the pages that are known to have room, of which it tries so many.
fn put_where_room_is(
    tx: &mut Transaction,
    db: &Arc<Database>,
    hobt: &Hobt,
    row: NewRow<'_>,
    tries: usize,
) -> StorageResult<Option<Rid>> {
    let all = tries == usize::MAX;
    let tries = tries.min(hobt.room.lock().len());
    for _ in 0..tries {
        if all {
            check_cancelled()?;
        }
        let Some(candidate) = hobt.room.lock().next() else { break };
        let put = (|| {
            let page = db.pool().write(&db.store, candidate)?;
            match db.is_allocated(candidate)? {
                true => put(tx, db, hobt, page, row, true),
                false => Ok(Put::NotOurs),
            }
        })();
        match put {
            Ok(Put::Done(rid)) => return Ok(Some(rid)),
            // Others are likely to wait for the same.
            Ok(put @ Put::Later(_)) if !all => {
                let_go(hobt, put);
                break;
            }
            Ok(other) => let_go(hobt, other),
            Err(e) => {
                // It has its room all the same.
                hobt.room.lock().later(candidate);
                return Err(e);
            }
        }
    }
    Ok(None)
}

/// A page did not take a row.
fn let_go(hobt: &Hobt, put: Put) {
    match put {
        Put::Full(free) => hobt.room.lock().missed(free),
        Put::Later(page) => hobt.room.lock().later(page),
        Put::Done(_) | Put::NotOurs => {}
    }
}

fn put_on_new_page(
    tx: &mut Transaction,
    db: &Arc<Database>,
    hobt: &Hobt,
    row: NewRow<'_>,
) -> StorageResult<Rid> {
    loop {
        let work = tx.parts().1;
        let mut sys = work.nested("AllocHeapPage");
        let mut page = match db.allocate_page(&mut sys, hobt, PageType::Heap, 0) {
            Ok(page) => page,
            Err(e) => {
                db.abort_system(sys, Vec::new());
                return Err(e);
            }
        };
        if let Err(e) = format::log_made(&mut sys, &mut page, Lcx::Heap) {
            // Latched until it is free again: who has seen it allocated waits here, and looks again.
            db.abort_system(sys, vec![page]);
            return Err(e);
        }
        // Committed before the latch is given up: nobody else's row can come in between.
        sys.commit_system()?;
        tx.parts().1.count(hobt, Operation::LeafAllocation);
        let id = page.id();
        match put(tx, db, hobt, page, row, false) {
            Ok(Put::Done(rid)) => return Ok(rid),
            Ok(other) => let_go(hobt, other),
            Err(e) => {
                // Empty, and nobody's.
                hobt.room.lock().note(id);
                return Err(e);
            }
        }
    }
}

/// The outcome of putting a row on a page.
enum Put {
    Done(Rid),
    /// So much is free, which is not enough.
    Full(u16),
    /// There may be room when transactions have ended that have left ghosts, reserved bytes or locks there.
    Later(PageId),
    /// It is no page of this heap.
    NotOurs,
}

/// Puts a row on this page if there is room; `reuse`: there may be empty slots.
fn put(
    tx: &mut Transaction,
    db: &Database,
    hobt: &Hobt,
    mut page: WriteGuard<'_>,
    row: NewRow<'_>,
    reuse: bool,
) -> StorageResult<Put> {
    let NewRow { bytes, lock, tried } = row;
    if !is_heap_page(&page, hobt) {
        return Ok(Put::NotOurs);
    }
    let need = bytes.len() + SLOT_BYTES;
    if !room_on(db, tx.parts().1, hobt, &mut page, need)? {
        let claimed = page.ghosts() > 0 || usize::from(page.free_bytes()) >= need;
        return Ok(if claimed { Put::Later(page.id()) } else { Put::Full(page.free_bytes()) });
    }
    let slots = page.slots();
    let empty = || (0..slots).find(|&s| !page.has_row(s.into()));
    let slot = reuse.then(empty).flatten().unwrap_or(slots);
    let rid = Rid { page: page.id(), slot };
    if lock && !tx.try_lock_rid(hobt, rid, LockMode::X) {
        // Somebody still holds a lock on a row that was here.
        return Ok(Put::Later(page.id()));
    }
    let change = Change {
        hobt: hobt.id(),
        slot,
        reserve: rows::UNDO_INSERT,
        flags: RecordFlags::NONE,
        ..Change::new(Lop::InsertRows, Lcx::Heap)
    };
    if lock {
        tx.parts().1.note_row(hobt, &rid.to_bytes(), || None)?;
    }
    let counting = hobt.counting();
    tx.parts().1.change(&mut page, &change, &[bytes])?;
    hobt.add_rows(i64::from(bytes.first().is_some_and(|f| f & FORWARDED == 0)));
    drop(counting);
    page.put_row(slot.into(), &[bytes]);
    // The page that it takes the place of may have room: another thread's, or one whose frame is gone.
    if let Some(before) = hobt.swap_hot(page.id(), page.frame())
        && before != tried
    {
        hobt.room.lock().note(before);
    }
    Ok(Put::Done(rid))
}

/// A page near the end of the heap, to go on with after a restart.
fn last_page(db: &Database, hobt: &Hobt) -> StorageResult<PageId> {
    let mut iam = hobt.first_iam();
    let mut last = hobt.root();
    while !iam.is_none() {
        let (runs, start, next) = db.read_iam(iam, hobt.id())?;
        if let Some(&(first, count)) = runs.last() {
            let page = start + (first + count - 1) * EXTENT_PAGES;
            let allocated = db.allocated(PageId { file: iam.file, page })?;
            last = allocated.last().copied().filter(|&p| p != iam).unwrap_or(last);
        }
        iam = next;
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rows_are_padded_to_a_stub() {
        for len in 0..20 {
            let row = vec![7; len];
            let b = encode(0, &[&row]);
            assert!(b.len() >= STUB);
            assert_eq!(decode(&b), row);
            let rid = Rid { page: PageId::new(1, 99), slot: 4 };
            let b = encode(FORWARDED, &[&rid.to_bytes(), &row]);
            assert_eq!((decode(&b), pointer(&b)), (&row[..], Some(rid)));
        }
    }
}
