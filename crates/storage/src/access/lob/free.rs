//! Pages of values given back, as part of a system transaction.
//!
//! Only those that are the value's own: an extent that was freed with the heap or tree, dropped or truncated since, may be another's by
//! now, who need not have touched the page yet. But then the page's PFS byte was cleared before the extent was given away, and it is set
//! again only by whoever formats the page, under the latch that is held here.

use std::sync::Arc;

use taffrail_base::{HobtId, PageId};

use super::mix;
use super::page::{Content, Freed, content};
use crate::buffer::Access;
use crate::database::Database;
use crate::error::StorageResult;
use crate::layout::pfs_of;
use crate::page::PFS_ALLOCATED;
use crate::txn::work::Work;

/// Deallocates all pages of a value: a tree, or a chain of format version 3 or before.
pub(in super::super) fn free_value(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: HobtId,
    first: PageId,
    id: u64,
) -> StorageResult<()> {
    let mut todo = vec![(first, id, None)];
    while let Some((page, id, level)) = todo.pop() {
        match ours(db, hobt, page, id, level)? {
            Ours::Not => {}
            Ours::Slot => mix::free(db, work, hobt, page, id)?,
            Ours::Page(below) => {
                todo.extend(below);
                db.deallocate_page(work, hobt, page)?;
            }
        }
    }
    Ok(())
}

/// Deallocates what is listed, and of those that are `whole` all that is below.
pub(in super::super) fn free_listed(
    db: &Arc<Database>,
    work: &mut Work,
    hobt: HobtId,
    list: &[Freed],
) -> StorageResult<()> {
    for freed in list {
        if freed.whole {
            free_value(db, work, hobt, freed.page, freed.id)?;
            continue;
        }
        match ours(db, hobt, freed.page, freed.id, None)? {
            Ours::Not => {}
            Ours::Slot => mix::free(db, work, hobt, freed.page, freed.id)?,
            Ours::Page(_) => db.deallocate_page(work, hobt, freed.page)?,
        }
    }
    Ok(())
}

/// A page with its identity, and its level where that is known.
type Named = (PageId, u64, Option<u8>);

/// Whether a page is what was meant.
enum Ours {
    /// It is not, or not any more.
    Not,
    /// It is one of many small values: its slots say whether that one is there.
    Slot,
    /// It is the value's own, and leads to these.
    Page(Vec<Named>),
}

fn ours(
    db: &Database,
    hobt: HobtId,
    id: PageId,
    value: u64,
    level: Option<u8>,
) -> StorageResult<Ours> {
    let page = db.pool().read_for(&db.store, id, Access::Scan)?;
    let (pfs, index) = pfs_of(id);
    let map = db.pool().read(&db.store, pfs)?;
    if map.pfs(index) & PFS_ALLOCATED == 0 || level.is_some_and(|l| l != page.level()) {
        return Ok(Ours::Not);
    }
    if mix::is_of(&page, hobt) {
        return Ok(Ours::Slot);
    }
    Ok(content(&page, hobt, value).map_or(Ours::Not, |content| {
        Ours::Page(match content {
            Content::Piece(_) if page.next().is_none() => Vec::new(),
            Content::Piece(_) => vec![(page.next(), value, Some(0))],
            Content::Node(node) => {
                let below = page.level() - 1;
                node.iter().map(|child| (child.first, child.id, Some(below))).collect()
            }
        })
    }))
}
