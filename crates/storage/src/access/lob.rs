//! Values that do not fit in a row: chains of pages of the heap or tree that the row is in.
//!
//! Each page holds one row, a piece of the value. A value is written once and never changed. Pages of a deleted value are given back
//! after commit (see [`super::directory`]).
//!
//! # Who may read a value
//! Whoever holds a lock on the row that refers to it finds it ([`read`]). Others hold a copy of the row, and by the time that they follow
//! its reference the value may have been deleted and its pages may be another's. They do not take these for their own: each
//! page bears the identity of its value, the LSN of the first page's allocation, which no other value has, and so does the
//! reference ([`read_unlocked`]). What bears the identity still holds what it held when the row was copied, given back or not. Who misses a
//! page looks at the row again: under its lock ([`with_row`]) for READ COMMITTED.
//!
//! Values of databases of format version 1 have no identity: 0, on their pages and in the references, which is none of a later
//! value's.

use std::sync::Arc;

use taffrail_base::{HobtId, PageId};
use taffrail_log::{Lcx, Reserve};

use super::claim::Claim;
use super::directory::{self, Pending};
use super::record::{bits, format};
use super::{Hobt, HobtKind, LobRef, Rid, ScanLocks, btree, heap};
use crate::alloc::Space;
use crate::buffer::{Access, WriteGuard};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::pfs_of;
use crate::lock::LockMode;
use crate::page::{Format, MAX_ROW_BYTES, PFS_ALLOCATED, Page, PageType};
use crate::txn::Transaction;
use crate::txn::work::Work;

/// Bytes of a value on one page.
pub const PIECE: usize = MAX_ROW_BYTES;

/// Stores a value in pages of the heap or tree.
pub fn write(tx: &mut Transaction, hobt: &Hobt, bytes: &[u8]) -> StorageResult<LobRef> {
    let length = bytes.len() as u64;
    if bytes.is_empty() {
        return Ok(LobRef { first: PageId::NONE, id: 0, length });
    }
    if length > LobRef::MAX_LENGTH {
        return Err(StorageError::Misuse("a large value is too long"));
    }
    let db = tx.database().clone();
    let work = tx.parts().1;
    if hobt.root().is_none() {
        db.allocate_root(work, hobt)?;
    }
    // Later a latch is held.
    let mut claim = db.pages_for_value(work, hobt, bytes.len().div_ceil(PIECE))?;
    let (mut first, mut value) = (PageId::NONE, 0);
    // A page is logged when its successor is known.
    let mut last: Option<(WriteGuard<'_>, &[u8])> = None;
    for piece in bytes.chunks(PIECE) {
        let page = allocate(&db, work, hobt, &mut claim)?;
        let id = page.id();
        if first.is_none() {
            first = id;
            value = (page.lsn().0 & LobRef::MAX_ID).max(1);
        }
        if let Some((before, content)) = last.replace((page, piece)) {
            finish(work, before, content, value, id)?;
        }
    }
    if let Some((page, content)) = last {
        finish(work, page, content, value, PageId::NONE)?;
    }
    Ok(LobRef { first, id: value, length })
}

/// Allocates a page for a piece of a large value, in the user's own transaction: undone with it, whatever becomes of the value. The
/// page is empty, latched exclusively, and logged as it is.
///
/// Formatted first and allocated then: whichever of the two records is the last that a crash leaves, a page that is allocated
/// can be read. Until then it is a free page, which may hold anything; its format record comes after the one that has freed it.
fn allocate<'p>(
    db: &'p Arc<Database>,
    work: &mut Work,
    hobt: &Hobt,
    claim: &mut Claim<'_>,
) -> StorageResult<WriteGuard<'p>> {
    let mut space = hobt.space.lock();
    if !claim.take(&mut space) {
        db.refill(work, hobt, &mut space)?;
    }
    let Some(page) = space.free.pop() else {
        let what = format!("an extent of HoBt {} has no page left", hobt.id());
        return Err(db.store.corrupt(hobt.root(), what));
    };
    let mut wrong = false;
    let result = (|| {
        let mut guard = db.pool().write_unread(&db.store, page)?;
        let (pfs, index) = pfs_of(page);
        // The page is in the list, so nobody else changes its byte.
        let freed = {
            let map = db.pool().read(&db.store, pfs)?;
            wrong = map.pfs(index) & PFS_ALLOCATED != 0;
            map.lsn()
        };
        if wrong {
            return Err(db.store.corrupt(page, "a free page is marked as allocated".into()));
        }
        guard.format(&Format {
            hobt: hobt.id(),
            object: hobt.object().0,
            index: hobt.index().0,
            ..Format::new(page, PageType::Lob)
        });
        guard.set_lsn(freed);
        format::log_format(work, &mut guard, Lcx::TextTree, Reserve::NONE)?;
        let mut map = db.pool().write(&db.store, pfs)?;
        let runs = [(index as u16, 1)];
        bits::set_free_space(work, &mut map, hobt.id(), &runs, PFS_ALLOCATED)?;
        Ok(guard)
    })();
    match &result {
        Ok(_) => {}
        Err(_) if wrong => *space = Space::default(),
        Err(_) => space.free.push(page),
    }
    result
}

/// Logs what a page holds. Its undo is that of the page's allocation.
fn finish(
    work: &mut Work,
    mut page: WriteGuard<'_>,
    content: &[u8],
    value: u64,
    next: PageId,
) -> StorageResult<()> {
    page.insert_row(0, &[content]);
    page.set_next(next);
    page.set_lob_id(value);
    let logged = format::log_content(work, &mut page, Lcx::TextMix);
    if logged.is_err() {
        // As the log knows it: what no record tells of must not reach the disk.
        page.truncate_rows(0);
        page.set_next(PageId::NONE);
    }
    logged
}

/// Appends the bytes from `offset`, at most `length`, to `out`. The caller holds a lock that keeps the row that refers to the value.
pub fn read(
    tx: &mut Transaction,
    hobt: &Hobt,
    lob: LobRef,
    offset: u64,
    length: u64,
    out: &mut Vec<u8>,
) -> StorageResult<()> {
    match gather(tx.database(), hobt, lob, offset, length, out)? {
        None => Ok(()),
        Some(page) if page.is_none() => {
            let what = "a chain of LOB pages is too short".to_owned();
            Err(tx.database().store.corrupt(lob.first, what))
        }
        Some(page) => {
            let what = format!("not a LOB page of HoBt {}, or of another value", hobt.id());
            Err(tx.database().store.corrupt(page, what))
        }
    }
}

/// The same for a caller without such a lock. False: the value is not there any more, nor has anything been appended. An error about a
/// page need not be one either: the page was the value's once.
pub fn read_unlocked(
    tx: &mut Transaction,
    hobt: &Hobt,
    lob: LobRef,
    offset: u64,
    length: u64,
    out: &mut Vec<u8>,
) -> StorageResult<bool> {
    let before = out.len();
    let all = gather(tx.database(), hobt, lob, offset, length, out)?.is_none();
    if !all {
        out.truncate(before);
    }
    Ok(all)
}

/// Appends what is asked for; or the page that is not of this value, none where the chain ends too early.
fn gather(
    db: &Database,
    hobt: &Hobt,
    lob: LobRef,
    offset: u64,
    length: u64,
    out: &mut Vec<u8>,
) -> StorageResult<Option<PageId>> {
    let end = lob.length.min(offset.saturating_add(length));
    let mut id = lob.first;
    let mut at = 0;
    while at < end {
        if id.is_none() {
            return Ok(Some(id));
        }
        let page = db.pool().read_for(&db.store, id, Access::Scan)?;
        let Some(piece) = piece_of(&page, hobt.id(), lob.id) else { return Ok(Some(id)) };
        let from = offset.max(at);
        let to = end.min(at + piece.len() as u64);
        if from < to {
            out.extend_from_slice(&piece[(from - at) as usize..(to - at) as usize]);
        }
        at += piece.len() as u64;
        id = page.next();
    }
    Ok(None)
}

/// The piece of this value that a page holds.
fn piece_of(page: &Page, hobt: HobtId, value: u64) -> Option<&[u8]> {
    let ours = page.kind() == Some(PageType::Lob)
        && page.hobt() == hobt
        && page.slots() == 1
        && page.lob_id() == value;
    ours.then(|| page.row(0)).filter(|r| !r.is_empty())
}

/// Reads a row (a tree's by its key, a heap's by the bytes of its [`Rid`]) under a shared lock, and calls `f` while that is
/// held: what the row refers to is there. None: the row is not there.
pub fn with_row<R>(
    tx: &mut Transaction,
    hobt: &Hobt,
    locator: &[u8],
    row: &mut Vec<u8>,
    f: impl FnOnce(&mut Transaction, &[u8]) -> R,
) -> StorageResult<Option<R>> {
    let read = |tx: &mut Transaction, row: &mut Vec<u8>, there: StorageResult<bool>| match there {
        Ok(true) => Ok(Some(f(tx, row))),
        Ok(false) => Ok(None),
        Err(e) => Err(e),
    };
    match hobt.kind() {
        HobtKind::BTree => {
            let hash = btree::key_hash(hobt.id().0, locator);
            let new = tx.lock_key(hobt, hash, LockMode::S)?;
            let there = btree::get(tx, hobt, locator, ScanLocks::None, row);
            let result = read(tx, row, there);
            if new {
                tx.unlock_key(hobt, hash);
            }
            result
        }
        HobtKind::Heap => {
            let rid = Rid::from_bytes(locator.try_into().map_err(|_| StorageError::RowNotFound)?);
            let new = tx.lock_rid(hobt, rid, LockMode::S)?;
            let there = heap::fetch(tx, hobt, rid, ScanLocks::None, row);
            let result = read(tx, row, there);
            if new {
                tx.unlock_rid(rid);
            }
            result
        }
    }
}

/// Gives the pages back after commit.
pub fn delete(tx: &mut Transaction, hobt: &Hobt, lob: LobRef) -> StorageResult<()> {
    if lob.first.is_none() {
        return Ok(());
    }
    let db = tx.database().clone();
    directory::add_pending_lob(&db, tx.parts().1, hobt.id(), lob)?;
    tx.after_commit(Pending::Lob(hobt.id(), lob.first, lob.id));
    Ok(())
}

/// Deallocates the pages of a value's chain, as part of `work`.
///
/// Only those that are its own: an extent that was freed with the heap or tree, dropped or truncated since, may be another's by now, who
/// need not have touched the page yet. But then the page's PFS byte was cleared before the extent was given away, and it is set again
/// only by whoever formats the page, under the latch that is held here.
pub(super) fn free_chain(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: HobtId,
    first: PageId,
    value: u64,
) -> StorageResult<()> {
    let mut id = first;
    while !id.is_none() {
        let next = {
            let page = db.pool().read_for(&db.store, id, Access::Scan)?;
            let (pfs, index) = pfs_of(id);
            let map = db.pool().read(&db.store, pfs)?;
            if piece_of(&page, hobt, value).is_none() || map.pfs(index) & PFS_ALLOCATED == 0 {
                return Ok(());
            }
            page.next()
        };
        db.deallocate_page(work, hobt, id)?;
        id = next;
    }
    Ok(())
}
