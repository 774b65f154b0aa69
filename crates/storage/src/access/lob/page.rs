//! A page of a large value, its own: made, logged, told from others'.

use std::sync::Arc;

use taffrail_base::{HobtId, PageId};
use taffrail_log::{Lcx, Reserve};

use super::super::claim::Claim;
use super::super::record::{bits, format};
use super::super::{Hobt, LobRef};
use super::mix;
use crate::alloc::Space;
use crate::buffer::WriteGuard;
use crate::database::Database;
use crate::error::StorageResult;
use crate::layout::pfs_of;
use crate::page::{Format, PFS_ALLOCATED, Page, PageType};
use crate::txn::work::Work;

/// The content of a page of a value.
pub(crate) enum Content<'p> {
    /// Bytes of the value: level 0, or a slot of a text mix page.
    Piece(&'p [u8]),
    /// References to pages of the level below.
    Node(Node<'p>),
}

/// The references of a node, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Node<'p>(&'p [u8]);

impl<'p> Node<'p> {
    pub fn iter(self) -> impl Iterator<Item = LobRef> + 'p {
        self.0
            .chunks_exact(LobRef::BYTES)
            .filter_map(|c| Some(LobRef::from_bytes(*c.first_chunk()?)))
    }

    /// Bytes of the value below it.
    pub fn length(self) -> u64 {
        self.iter().fold(0, |sum: u64, child| sum.saturating_add(child.length))
    }
}

/// The content that a page has of a value of this heap or tree; none if it does not bear the
/// identity, or was never filled.
pub(crate) fn content(page: &Page, hobt: HobtId, id: u64) -> Option<Content<'_>> {
    if page.is_mix() {
        let found = if page.hobt() == hobt { mix::find(page, id) } else { None };
        return found.map(|(_, bytes)| Content::Piece(bytes));
    }
    let ours = page.kind() == Some(PageType::Lob)
        && page.hobt() == hobt
        && page.slots() == 1
        && page.lob_id() == id;
    if ours { filled(page) } else { None }
}

/// The content of a page that is one value's alone, of any heap or tree; none if that is not well
/// formed.
pub(crate) fn filled(page: &Page) -> Option<Content<'_>> {
    // Other pages need not have slots where these have them.
    let lob = page.kind() == Some(PageType::Lob) && page.slots() > 0 && !page.is_mix();
    let row = if lob { page.row(0) } else { &[] };
    match (row.is_empty(), page.level()) {
        (true, _) => None,
        (false, 0) => Some(Content::Piece(row)),
        (false, _) => {
            let node = Node(row);
            let formed = row.len() % LobRef::BYTES == 0 && node.iter().all(|c| c.length > 0);
            formed.then_some(Content::Node(node))
        }
    }
}

/// Puts what a page holds of a large value onto a new page, as part of `work`: the user's own transaction, so that it is undone with it,
/// whatever becomes of the value. `length`: bytes of the value on it or below it. The caller holds no latch.
pub(super) fn store(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: &Hobt,
    claim: &mut Claim<'_>,
    level: u8,
    row: &[u8],
    length: u64,
) -> StorageResult<LobRef> {
    let mut page = allocate(db, work, hobt, claim, level)?;
    let first = page.id();
    let id = (page.lsn().0 & LobRef::MAX_ID).max(1);
    page.insert_row(0, &[row]);
    page.set_lob_id(id);
    // Its undo is that of the page's allocation.
    let logged = format::log_content(work, &mut page, Lcx::TextMix);
    if logged.is_err() {
        // As the log knows it: what no record tells of must not reach the disk.
        page.truncate_rows(0);
        page.set_lob_id(0);
    }
    logged.map(|()| LobRef { first, id, length })
}

/// Allocates a page. It is empty, latched exclusively, and logged as it is.
///
/// Formatted first and allocated then: whichever of the two records is the last that a crash leaves, a page that is allocated
/// can be read. Until then it is a free page, which may hold anything; its format record comes after the one that has freed it.
fn allocate<'p>(
    db: &'p Arc<Database>,
    work: &mut Work,
    hobt: &Hobt,
    claim: &mut Claim<'_>,
    level: u8,
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
            level,
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

/// A page as it was read, for who goes on with it.
pub(super) enum Copied {
    Piece(Vec<u8>),
    Node(u8, Vec<LobRef>),
    /// The first page of a value of format version 3 or before that has more than one.
    Chain,
}

/// Reads the page that a reference leads to; `level`: of the page, where that is known. None: it is not the value's.
pub(super) fn copy(
    db: &Database,
    hobt: &Hobt,
    lob: LobRef,
    level: Option<u8>,
) -> StorageResult<Option<Copied>> {
    let page = db.pool().read(&db.store, lob.first)?;
    if level.is_some_and(|l| l != page.level()) {
        return Ok(None);
    }
    Ok(match content(&page, hobt.id(), lob.id) {
        Some(Content::Piece(p)) if p.len() as u64 == lob.length => Some(Copied::Piece(p.to_vec())),
        Some(Content::Piece(_)) if level.is_none() => Some(Copied::Chain),
        Some(Content::Node(node)) if node.length() == lob.length => {
            Some(Copied::Node(page.level(), node.iter().collect()))
        }
        _ => None,
    })
}

/// The pages that a value of so many bytes takes, nodes included; a few too many for one that is full.
pub(super) fn pages_of(bytes: usize, fanout: usize) -> usize {
    let (mut pages, mut level) = (0, bytes.div_ceil(super::PIECE));
    while level > 1 {
        pages += level;
        level = level.div_ceil(fanout);
    }
    pages + level
}

/// A page that is to be given back, with all that is below it or alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Freed {
    pub page: PageId,
    /// The identity that it bears if it is still what was meant.
    pub id: u64,
    pub whole: bool,
}
