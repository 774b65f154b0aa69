//! What rows were, noted for readers by snapshots: see [`crate::versions`].

use super::Work;
use crate::access::Hobt;
use crate::error::StorageResult;
use crate::versions::{Image, NotedRow, may_have};

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
        if let Some(key) = tree.note(entry, key, before) {
            entry.notes.lock().push(NotedRow { tree: tree.clone(), key });
        }
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
