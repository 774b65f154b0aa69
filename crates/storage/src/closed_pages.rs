//! What memory still has of a database that was closed a moment ago: whoever copies its data file need not read that.

use std::path::Path;
use std::sync::Arc;

use taffrail_base::{PAGE_BYTES, PageId};

use crate::database::Database;
use crate::layout::FIRST_USER_PAGE;

/// The clean pages of a closed database, until this is dropped. **Drop it before the database is opened again**: the pool knows pages
/// by database and number, and would take these for the new handle's.
pub struct ClosedPages {
    database: Arc<Database>,
    /// Nobody else has discarded them.
    ours: bool,
}

impl ClosedPages {
    pub(crate) fn of(database: &Arc<Database>, ours: bool) -> ClosedPages {
        ClosedPages { database: database.clone(), ours }
    }

    /// Fills `bytes`, whole pages, with what the database's data file has from `offset` on. False: the file must be read, since
    /// memory does not have all of it as the file has it, or `path` is another file; `bytes` is anything then.
    pub fn read(&self, path: &Path, offset: u64, bytes: &mut [u8]) -> bool {
        let file = self.database.store.primary();
        if !self.ours || *file.settings.lock().path != *path {
            return false;
        }
        let first = offset / PAGE_BYTES as u64;
        let whole =
            offset.is_multiple_of(PAGE_BYTES as u64) && bytes.len().is_multiple_of(PAGE_BYTES);
        // Boot page and double-write region are written past the pool.
        if !whole || first < u64::from(FIRST_USER_PAGE) {
            return false;
        }
        let (pool, store) = (&self.database.instance.pool, &self.database.store);
        let mut pages = bytes.chunks_exact_mut(PAGE_BYTES).zip(first as u32..);
        pages.all(|(bytes, page)| {
            let bytes = bytes.try_into().expect("a page");
            pool.clean_image(store, PageId { file: file.id, page }, bytes)
        })
    }
}

impl Drop for ClosedPages {
    fn drop(&mut self) {
        if self.ours {
            self.database.instance.pool.discard(self.database.id());
        }
    }
}
