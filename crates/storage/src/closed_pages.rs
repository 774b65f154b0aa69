//! What memory still has of a database that was closed a moment ago: whoever copies its data file need not read that.

use std::path::Path;
use std::sync::Arc;

use taffrail_base::{PAGE_BYTES, PageId};

use crate::database::{Database, OpenSpec, RecoveryReport};
use crate::error::StorageResult;
use crate::layout::FIRST_USER_PAGE;
use crate::recovery;

/// The clean pages of a closed database, until this is dropped, or until [`ClosedPages::open_again`] makes them the next handle's.
/// **Nobody else may open the database meanwhile**: the pool knows pages by database and number, and would take these for his.
pub struct ClosedPages {
    database: Arc<Database>,
    /// Nobody else has discarded them.
    ours: bool,
}

impl ClosedPages {
    pub(crate) fn of(database: &Arc<Database>, ours: bool) -> ClosedPages {
        ClosedPages { database: database.clone(), ours }
    }

    /// Opens the database again, as [`Database::open_deferred`] does, and need not read what memory has as the file has it.
    pub fn open_again(
        mut self,
        name: &str,
        spec: &OpenSpec,
    ) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        let (instance, id) = (self.database.instance.clone(), self.database.id());
        // A file that has another name by now may be another file.
        let same = *self.database.store.primary().settings.lock().path == *spec.primary;
        if !self.ours || !same || self.database.store.suspect_reason().is_some() {
            drop(self);
            return Database::open_deferred(&instance, id, name, spec);
        }
        self.ours = false;
        instance.pool.hand_over(id);
        recovery::open_over(&instance, id, name, spec)
    }

    /// Fills `bytes`, whole pages, with what the database's data file has from `offset` on. False: the file must be read, since
    /// memory does not have all of it as the file has it, or `path` is another file; `bytes` is anything then.
    pub fn read(&self, path: &Path, offset: u64, bytes: &mut [u8]) -> bool {
        let file = self.database.store.primary();
        let suspect = self.database.store.suspect_reason().is_some();
        if !self.ours || suspect || *file.settings.lock().path != *path {
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
