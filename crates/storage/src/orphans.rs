//! Free pages that must not pass for a member of a heap or tree.
//!
//! Rule: after a change of structure that was undone no page, in the pool or on disk, passes for a member. Of a free page in memory holds:
//! it has no rows, or no owner, or lies in an extent that is not its owner's. So no hint, however old, leads a change to one.
//!
//! ```text
//! allocated, filled, and undone    the undo of its format record makes it nobody's, with a compensation (`access::record::format`);
//!                                  where the format record could not be appended, in the pool only: `log_made`
//! emptied and freed                it has no rows; what is committed is not undone
//! freed with its extent            it stays as it was. Whoever takes the extent makes what is in memory nobody's:
//! [`Database::disown_pages`]
//! brought in by redo               the same, when structure changes are undone: [`Database::disown_free_pages`]
//! left by the handle before        as that had it, when a database that was closed in order opens over its own pages
//! the root that a build fills      it stays: a root's page is nobody's hint, and what undoes the build frees the
//! tree's extents, all of them
//! ```
//! Hints, besides, are void as soon as the structure changes: `Hobt::structure_changes`. Debug builds look before each change of rows.

use taffrail_base::{HobtId, PageId};
#[cfg(debug_assertions)]
use taffrail_log::Lop;

use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::gam_of;
#[cfg(debug_assertions)]
use crate::layout::pfs_of;
#[cfg(debug_assertions)]
use crate::page::PFS_ALLOCATED;
use crate::page::{Page, PageType};

/// True for a page that rows could be looked for, or put, on by who takes it for its heap's or tree's.
pub(crate) fn claims_rows(page: &Page) -> bool {
    let kind = matches!(page.kind(), Some(PageType::Heap | PageType::Index));
    kind && page.hobt() != HobtId::NONE && page.slots() > 0
}

impl Database {
    /// The pages of extents that have just been taken: what some still hold in memory is nobody's now. What freed them is in the log, and
    /// before their next format record nobody is interested in them.
    pub(crate) fn disown_pages(&self, pages: &[PageId]) -> StorageResult<()> {
        for &id in pages {
            let Some(mut page) = self.pool().write_present(&self.store, id) else { continue };
            if page.hobt() == HobtId::NONE {
                continue;
            }
            // Bears the LSN of an allocation, as in `take_page`.
            let taken = self.pool().read(&self.store, gam_of(id))?.lsn();
            page.will_change_in_memory();
            page.disown();
            page.set_lsn(taken);
        }
        Ok(())
    }

    /// After the undo of structure changes at a restart, when nobody has seen a page yet: what redo has brought into memory and is free
    /// is nobody's. (A log of an older version does not say so of pages of changes that were undone.)
    pub(crate) fn disown_free_pages(&self) -> StorageResult<()> {
        for id in self.pool().present(&self.store) {
            let Some(mut page) = self.pool().write_present(&self.store, id) else { continue };
            if !claims_rows(&page) {
                continue;
            }
            let free = match self.is_allocated(id) {
                Ok(allocated) => !allocated,
                // Of a page whose map cannot be read nobody says that it is free. It stays as it is: after a restart there is no hint
                // yet that could lead to it, and who is given pages, or cleans up, asks the map himself.
                Err(StorageError::Corrupt(_)) => false,
                Err(StorageError::Io(e)) if e.operation == "read" => false,
                Err(e) => return Err(e),
            };
            if free {
                // Whatever its last record was, its next is a format record: see `disown_pages`.
                page.will_change_in_memory();
                page.disown();
            }
        }
        Ok(())
    }

    /// For debug builds, before a change of rows: the page must be allocated, as far as that can be told without reading.
    #[cfg(debug_assertions)]
    pub(crate) fn assert_allocated(&self, page: &Page, op: Lop) {
        let rows = matches!(
            op,
            Lop::InsertRows
                | Lop::DeleteRows
                | Lop::ModifyRow
                | Lop::ExpungeRows
                | Lop::DeleteSplit
                | Lop::UndoDeleteSplit
                | Lop::RootChange
        );
        if !rows {
            return;
        }
        let (pfs, index) = pfs_of(page.id());
        let Some(map) = self.pool().read_present(&self.store, pfs) else { return };
        assert!(
            map.pfs(index) & PFS_ALLOCATED != 0,
            "{op} on page {}, which is free and looks like one of HoBt {}",
            page.id(),
            page.hobt()
        );
    }
}

#[cfg(test)]
mod tests;
