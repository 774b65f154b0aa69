//! Values that do not fit in a row: chains of pages of the heap or tree that the row is in.
//!
//! Each page holds one row, a piece of the value. A value is written once and never changed. Who may read it is decided by the lock on
//! the row that refers to it. Pages of a deleted value are given back after commit (see [`super::directory`]).

use std::sync::Arc;

use taffrail_base::{HobtId, PageId};
use taffrail_log::{Lcx, Reserve};

use super::directory::{self, Pending};
use super::record::format;
use super::{Hobt, LobRef};
use crate::buffer::{Access, WriteGuard};
use crate::database::Database;
use crate::error::StorageResult;
use crate::page::{MAX_ROW_BYTES, PageType};
use crate::txn::Transaction;
use crate::txn::work::Work;

/// Bytes of a value on one page.
pub const PIECE: usize = MAX_ROW_BYTES;
/// Pages allocated by one system transaction.
const AT_ONCE: usize = 8;

/// Stores a value in pages of the heap or tree.
pub fn write(tx: &mut Transaction, hobt: &Hobt, bytes: &[u8]) -> StorageResult<LobRef> {
    let length = bytes.len() as u64;
    if bytes.is_empty() {
        return Ok(LobRef { first: PageId::NONE, length });
    }
    let db = tx.database().clone();
    let work = tx.parts().1;
    if hobt.root().is_none() {
        db.allocate_root(work, hobt)?;
    }
    let pieces: Vec<&[u8]> = bytes.chunks(PIECE).collect();
    let mut first = PageId::NONE;
    // A page is logged when its successor is known.
    let mut last: Option<(WriteGuard<'_>, &[u8])> = None;
    for group in pieces.chunks(AT_ONCE) {
        for (page, piece) in allocate(&db, work, hobt, group.len())?.into_iter().zip(group) {
            let id = page.id();
            if first.is_none() {
                first = id;
            }
            if let Some((before, content)) = last.replace((page, piece)) {
                finish(work, before, content, id)?;
            }
        }
    }
    if let Some((page, content)) = last {
        finish(work, page, content, PageId::NONE)?;
    }
    Ok(LobRef { first, length })
}

fn allocate<'p>(
    db: &'p Arc<Database>,
    work: &Work,
    hobt: &Hobt,
    n: usize,
) -> StorageResult<Vec<WriteGuard<'p>>> {
    let mut sys = work.nested("AllocLobPages");
    let mut pages = Vec::with_capacity(n);
    let made = (|| {
        for _ in 0..n {
            let mut page = db.allocate_page(&mut sys, hobt, PageType::Lob, 0)?;
            // Formatted in the same transaction: a page that is allocated can always be read.
            format::log_format(&mut sys, &mut page, Lcx::TextTree, Reserve::NONE)?;
            pages.push(page);
        }
        Ok(())
    })();
    match made {
        Ok(()) => {
            sys.commit_system()?;
            Ok(pages)
        }
        Err(e) => {
            db.abort_system(sys, pages);
            Err(e)
        }
    }
}

fn finish(
    work: &mut Work,
    mut page: WriteGuard<'_>,
    content: &[u8],
    next: PageId,
) -> StorageResult<()> {
    page.insert_row(0, &[content]);
    page.set_next(next);
    format::log_format(work, &mut page, Lcx::TextMix, Reserve::undo(format::UNDO_TEXT_MIX))
}

/// Appends the bytes from `offset`, at most `length`, to `out`.
pub fn read(
    tx: &mut Transaction,
    hobt: &Hobt,
    lob: LobRef,
    offset: u64,
    length: u64,
    out: &mut Vec<u8>,
) -> StorageResult<()> {
    let db = tx.database().clone();
    let end = lob.length.min(offset.saturating_add(length));
    let mut id = lob.first;
    let mut at = 0;
    while at < end {
        if id.is_none() {
            return Err(db
                .store
                .corrupt(lob.first, "a chain of LOB pages is too short".to_owned()));
        }
        let page = db.pool().read_for(&db.store, id, Access::Scan)?;
        let piece = lob_piece(&page, hobt.id())
            .ok_or_else(|| db.store.corrupt(id, format!("not a LOB page of HoBt {}", hobt.id())))?;
        let from = offset.max(at);
        let to = end.min(at + piece.len() as u64);
        if from < to {
            out.extend_from_slice(&piece[(from - at) as usize..(to - at) as usize]);
        }
        at += piece.len() as u64;
        id = page.next();
    }
    Ok(())
}

fn lob_piece(page: &crate::page::Page, hobt: HobtId) -> Option<&[u8]> {
    let ours = page.kind() == Some(PageType::Lob) && page.hobt() == hobt && page.slots() == 1;
    ours.then(|| page.row(0)).filter(|r| !r.is_empty())
}

/// Gives the pages back after commit.
pub fn delete(tx: &mut Transaction, hobt: &Hobt, lob: LobRef) -> StorageResult<()> {
    if lob.first.is_none() {
        return Ok(());
    }
    let db = tx.database().clone();
    directory::add_pending_lob(&db, tx.parts().1, hobt.id(), lob.first)?;
    tx.after_commit(Pending::Lob(hobt.id(), lob.first));
    Ok(())
}

/// Deallocates the pages of a chain, as part of `work`.
pub(super) fn free_chain(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: HobtId,
    first: PageId,
) -> StorageResult<()> {
    let mut id = first;
    while !id.is_none() {
        let next = {
            let page = db.pool().read_for(&db.store, id, Access::Scan)?;
            if lob_piece(&page, hobt).is_none() {
                // The heap or tree was dropped, and its extents freed, before this.
                return Ok(());
            }
            page.next()
        };
        db.deallocate_page(work, hobt, id)?;
        id = next;
    }
    Ok(())
}
