//! Extents that are taken and given back are counted for the database, and those of tempdb for the session besides.

use crate::database::Database;
use crate::layout::EXTENT_PAGES;
use crate::txn::work::Work;
use std::sync::atomic::Ordering;
use taffrail_base::{HobtId, PageId};
use taffrail_observe::session::with_current;

impl Database {
    /// A page is about to be free: nobody else takes it before `work` has committed.
    pub(crate) fn note_freed(&self, work: &mut Work, hobt: HobtId, page: PageId) {
        self.freeing.lock().add(hobt, page);
        work.freed.push((hobt, page));
        self.store.counters.pages_deallocated.inc();
    }

    /// So many extents have been allocated.
    pub(crate) fn tally_taken(&self, extents: u64) {
        self.store.counters.extents_allocated.add(extents);
        if self.is_temporary() {
            with_current(|s| s.tempdb_allocated.add(extents * u64::from(EXTENT_PAGES)));
        }
    }

    /// So many have been given back.
    pub(crate) fn tally_freed(&self, extents: u64) {
        self.store.rarities.extents_freed.fetch_add(extents, Ordering::Relaxed);
        self.store.counters.extents_deallocated.add(extents);
        if self.is_temporary() {
            with_current(|s| s.tempdb_freed.add(extents * u64::from(EXTENT_PAGES)));
        }
    }
}
