//! What rows were, noted for readers by snapshots: see [`crate::versions`].

use std::sync::Arc;

use taffrail_base::{PageId, SqlError};
use taffrail_observe::{Event, EventRing};

use super::Work;
use crate::access::Hobt;
use crate::error::StorageResult;
use crate::txn::TxnEntry;
use crate::versions::{Changed, Image, Mark, NotedChange, TreeVersions, may_have};

impl Work {
    /// Before a row is changed, under the exclusive latch of its page: where versions are on, notes what it is.
    #[inline]
    pub fn note_row(
        &mut self,
        hobt: &Hobt,
        key: &[u8],
        before: impl FnOnce() -> Image,
    ) -> StorageResult<()> {
        if self.notes(hobt)? {
            self.note_before(hobt, key, before);
        }
        Ok(())
    }

    /// Whether it notes what rows of a heap or tree were.
    #[inline]
    pub fn notes(&mut self, hobt: &Hobt) -> StorageResult<bool> {
        if self.entry.is_none() {
            self.begin()?;
        }
        Ok(self.notes_rows && may_have(hobt.id()))
    }

    fn note_before(&mut self, hobt: &Hobt, key: &[u8], before: impl FnOnce() -> Image) {
        let Some(entry) = &self.entry else { return };
        let tree = hobt.versions_of(&self.db);
        // Beyond that there is no room even when everything goes that may: a reader has to do without.
        let most = self.db.versions_max().saturating_mul(2);
        let full = self.db.instance.snapshots.bytes() > most || tree.is_unkept(entry);
        if full {
            self.note_change(hobt, Mark::Unkept);
        }
        if let Some(key) = tree.note(entry, key, before, full) {
            entry.notes.lock().push(noted(tree, Changed::Row(key)));
        }
    }

    fn note_change(&self, hobt: &Hobt, mark: Mark) {
        let Some(entry) = &self.entry else { return };
        let tree = hobt.versions_of(&self.db);
        if tree.mark(entry, mark) {
            if mark == Mark::Unkept {
                tell_full(entry);
            }
            entry.notes.lock().push(noted(tree, Changed::Whole(mark)));
        }
    }

    /// Before all of a heap or tree is changed.
    pub fn note_whole(&mut self, hobt: &Hobt, mark: Mark) -> StorageResult<()> {
        if self.notes(hobt)? {
            self.note_change(hobt, mark);
        }
        Ok(())
    }

    /// Before pages with rows come into a heap.
    pub fn note_pages(&mut self, hobt: &Hobt, pages: &[PageId]) -> StorageResult<()> {
        if !self.notes(hobt)? {
            return Ok(());
        }
        let Some(entry) = &self.entry else { return Ok(()) };
        let tree = hobt.versions_of(&self.db);
        for page in pages {
            tree.mark_page(entry, *page);
            entry.notes.lock().push(noted(tree, Changed::Page(*page)));
        }
        Ok(())
    }

    /// The transaction has committed: where it has changed rows that have versions, or `frees` what snapshots may see, it gets its number.
    pub fn commit_versions(&self, frees: bool) -> Option<u64> {
        let entry = self.entry.as_ref().filter(|_| self.notes_rows)?;
        (frees || entry.noted() > 0).then(|| entry.commit_versions(&self.db.instance.snapshots))
    }

    /// How many rows it has noted.
    pub fn noted(&self) -> usize {
        if self.notes_rows { self.entry.as_ref().map_or(0, |e| e.noted()) } else { 0 }
    }

    /// Takes back the notes behind that many: the changes that they were made for have been undone.
    pub fn take_back(&self, noted: usize) {
        if let Some(entry) = self.entry.as_ref().filter(|_| self.notes_rows) {
            entry.take_back(noted);
        }
    }
}

/// The error log hears that rows are changed and what they were is not kept (3959).
#[cold]
fn tell_full(by: &TxnEntry) {
    let e = SqlError::new(3959, &[]);
    EventRing::global().push(Event::Raised {
        session: by.session,
        number: e.number,
        severity: e.severity,
        state: e.state,
        text: e.message,
    });
}

fn noted(tree: &Arc<TreeVersions>, of: Changed) -> NotedChange {
    NotedChange { tree: tree.clone(), of }
}
