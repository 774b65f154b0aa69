//! Values that do not fit in a row: trees of pages of the heap or tree that the row is in.
//!
//! ```text
//! row ── reference ──▶ node, level 2 ──▶ nodes, level 1 ──▶ pieces, level 0
//! ```
//! A page holds one row: a piece of the value, or up to [`FANOUT`] references to the pages below. A reference says how many bytes there
//! are below it, so that any byte is found by one page of each level; 2 GB have three. What fits on one page has no node.
//!
//! page    a page: made, logged, read;  write  values as they come;  change  bytes of a value replaced;  free  what is given back
//! mix     small values that share pages;  room  on which of these there is room
//!
//! # Small values
//! A value of up to about half a page lies beside others of the heap or tree on a text mix page ([`mix`]): a piece in a slot with an
//! identity of its own. Everything below goes for the slot as it does for a page. A slot may become the piece of a tree, when what is
//! put before its value has pages of its own.
//!
//! # Nothing is changed in place
//! A page is written once. Who replaces bytes of a value ([`replace`]), or appends some, writes the pieces that change, and the nodes above
//! them, to new pages; all others are part of the old value and of the new one. What only the old one had is given back after commit
//! (see [`super::directory`]), or, if the transaction is rolled back, what only the new one has. So undo restores no byte, a value of which
//! somebody holds the reference is as it was, and no page of an aborted change is a member of anything.
//!
//! # Who may read a value
//! Whoever holds a lock on the row that refers to it finds it ([`read`]). Others hold a copy of the row, and by the time that they follow
//! its reference the value may have been deleted and its pages may be another's. They do not take these for their own: each
//! page bears an identity, the LSN of its allocation, which no other page or slot has ever had, and so does the reference to
//! it ([`read_unlocked`]). What bears the identity still holds what it held when the row was copied, given back or not. Who misses a
//! page looks at the row again: under its lock ([`with_row`]) for READ COMMITTED.
//!
//! # Values of before
//! Up to format version 4 a small value had a page of its own. Up to version 3 a value was a chain: pieces, each of which names the
//! next, and all of which bear the identity of the first; of version 1 none, 0, which is none of a later page's. All are read and deleted
//! as they are, and become what values are now when they are changed.

mod change;
mod free;
mod mix;
mod page;
mod room;
mod write;

use taffrail_base::PageId;

use super::directory;
use super::{Hobt, HobtKind, LobRef, Rid, ScanLocks, btree, heap};
use crate::buffer::{Access, RUN_PAGES};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::lock::LockMode;
use crate::page::MAX_ROW_BYTES;
use crate::txn::Transaction;

pub use change::{append, replace};
pub(super) use free::free_listed;
pub use mix::MAX as MIX_MAX;
pub(crate) use mix::{UNDO as UNDO_MIX, parts, undo_insert, values};
pub(crate) use page::{Content, Freed, content, filled};
pub(crate) use room::MixedRoom;
pub use write::{Writer, write};

/// Bytes of a value on one page.
pub const PIECE: usize = MAX_ROW_BYTES;
/// References on one page.
pub const FANOUT: usize = MAX_ROW_BYTES / LobRef::BYTES;
/// Neighbouring pieces from which on they are read together.
const AHEAD: usize = 3;

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
        Some(page) => Err(not_ours(tx.database(), hobt, page)),
    }
}

/// As [`read`], for a caller without such a lock. False: the value is not there any more, nor has
/// anything been appended. An error about a page need not be one either: the page was the value's
/// once.
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

/// The error for a page that is not of the value that it should be of.
fn not_ours(db: &Database, hobt: &Hobt, page: PageId) -> StorageError {
    let what = format!("not a LOB page of HoBt {}, or of another value", hobt.id());
    db.store.corrupt(page, what)
}

/// Appends what is asked for; or the page that is not of this value, none where a chain ends too early.
fn gather(
    db: &Database,
    hobt: &Hobt,
    lob: LobRef,
    offset: u64,
    length: u64,
    out: &mut Vec<u8>,
) -> StorageResult<Option<PageId>> {
    let end = lob.length.min(offset.saturating_add(length));
    if offset >= end {
        return Ok(None);
    }
    // What is still to be read, the first last: where it begins in the value, and on which level it is, where that is known.
    let mut todo = vec![(lob, 0, None)];
    // Pieces at the end of `todo` that have been read ahead.
    let mut ahead = 0;
    while let Some((lob, start, level)) = todo.pop() {
        if level == Some(0) && ahead == 0 {
            let next = todo.iter().rev().take_while(|(.., level)| *level == Some(0));
            let pages = std::iter::once(lob.first).chain(next.map(|(next, ..)| next.first));
            let pages: Vec<PageId> = pages.take(RUN_PAGES).collect();
            if pages.len() > AHEAD {
                db.pool().read_ahead(&db.store, &pages);
            }
            ahead = pages.len();
        }
        ahead = ahead.saturating_sub(1);
        let page = db.pool().read_for(&db.store, lob.first, Access::Scan)?;
        let found = content(&page, hobt.id(), lob.id);
        match found.filter(|_| level.is_none_or(|l| l == page.level())) {
            Some(Content::Piece(piece)) if piece.len() as u64 == lob.length => {
                take(piece, start, offset, end, out);
            }
            Some(Content::Piece(_)) if level.is_none() => {
                drop(page);
                return gather_chain(db, hobt, lob, offset, end, out);
            }
            Some(Content::Node(node)) if node.length() == lob.length => {
                let below = page.level() - 1;
                let first = todo.len();
                let mut at = start;
                for child in node.iter() {
                    let next = at.saturating_add(child.length);
                    if at < end && next > offset {
                        todo.push((child, at, Some(below)));
                    }
                    at = next;
                }
                todo[first..].reverse();
            }
            _ => return Ok(Some(lob.first)),
        }
    }
    Ok(None)
}

/// A value of format version 3 or before.
fn gather_chain(
    db: &Database,
    hobt: &Hobt,
    lob: LobRef,
    offset: u64,
    end: u64,
    out: &mut Vec<u8>,
) -> StorageResult<Option<PageId>> {
    let mut id = lob.first;
    let mut at = 0;
    while at < end {
        if id.is_none() {
            return Ok(Some(id));
        }
        let page = db.pool().read_for(&db.store, id, Access::Scan)?;
        let Some(Content::Piece(piece)) = content(&page, hobt.id(), lob.id) else {
            return Ok(Some(id));
        };
        take(piece, at, offset, end, out);
        at += piece.len() as u64;
        id = page.next();
    }
    Ok(None)
}

/// Appends the part of a piece between `offset` and `end`; the piece begins at `start` of the
/// value.
fn take(piece: &[u8], start: u64, offset: u64, end: u64, out: &mut Vec<u8>) {
    let from = offset.max(start);
    let to = end.min(start + piece.len() as u64);
    if from < to {
        out.extend_from_slice(&piece[(from - start) as usize..(to - start) as usize]);
    }
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
    let value = [Freed { page: lob.first, id: lob.id, whole: true }];
    let pending = directory::add_pending_pages(&db, tx.parts().1, hobt.id(), &value)?;
    tx.after_commit(pending);
    Ok(())
}

#[cfg(test)]
mod tests;
