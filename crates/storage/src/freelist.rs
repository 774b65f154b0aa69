//! Which pages of a HoBt may be given out.
//!
//! A PFS byte tells that a page is unallocated, not that it stays so: the transaction that has cleared the byte may still be undone,
//! or be a loser of the next restart, and then the page is its old owner's again. So the lists of free pages, which are read from
//! the PFS pages, leave out what work that has not ended has deallocated:
//!
//! ```text
//! deallocate        into `freeing`, then the PFS byte
//! commit, abort     the record; then, under the HoBt's `space` mutex: into the list (commit only), out of `freeing`
//! load_space        under the `space` mutex: the PFS bytes, then less what is in `freeing`
//! ```
//! An allocation that is undone is different: once its compensation record is in the log nothing takes the page back. Who undoes it
//! does not wait for the mutex, which he may hold himself: if it is taken the page goes to the HoBt's `undone`, and from there into the
//! list when that is next asked for ([`Database::load_space`]). By then the page may be somebody's again, or its extent: what the PFS
//! byte, `freeing` and the IAM page say under the `space` mutex decides.
//!
//! Invariants:
//! 1. A page is in a list of free pages at most once.
//! 2. No list holds a page that is in `freeing`; nor, therefore, do extents that are given back for being empty.
//!
//! Order: a HoBt's `space` mutex, then `freeing` or its `undone`; nobody holds one of these two while asking for anything else.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use taffrail_base::{HobtId, PageId};

use crate::access::Hobt;
use crate::alloc::Space;
use crate::database::Database;
use crate::error::StorageResult;
use crate::layout::pfs_of;
use crate::page::PFS_ALLOCATED;
use crate::txn::work::Work;

/// Unallocated pages; what came last is given out first.
#[derive(Default)]
pub(crate) struct FreePages {
    stack: Vec<PageId>,
    /// The pages of the list, to find one.
    known: HashSet<PageId>,
}

impl FreePages {
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    pub fn len(&self) -> usize {
        self.stack.len()
    }

    pub fn clear(&mut self) {
        self.stack.clear();
        self.known.clear();
    }

    pub fn pop(&mut self) -> Option<PageId> {
        let page = self.stack.pop()?;
        self.known.remove(&page);
        Some(page)
    }

    /// Adds a page, unless it is there.
    pub fn push(&mut self, page: PageId) {
        if self.known.insert(page) {
            self.stack.push(page);
        }
        debug_assert_eq!(self.stack.len(), self.known.len());
    }

    /// Adds pages that are given out when nothing else is left, the last of them first.
    pub fn push_below(&mut self, mut pages: Vec<PageId>) {
        pages.retain(|p| self.known.insert(*p));
        pages.append(&mut self.stack);
        self.stack = pages;
    }

    /// Makes a page the next to be given out; false: it is not there.
    pub fn bring_up(&mut self, page: PageId) -> bool {
        if !self.known.contains(&page) {
            return false;
        }
        // What was freed last lies at the end.
        if let Some(at) = self.stack.iter().rposition(|p| *p == page) {
            self.stack.remove(at);
            self.stack.push(page);
        }
        true
    }

    pub fn retain(&mut self, keep: impl Fn(&PageId) -> bool) {
        self.stack.retain(&keep);
        self.known.retain(keep);
    }

    /// All of them, ascending.
    pub fn sorted(&self) -> Vec<PageId> {
        let mut pages = self.stack.clone();
        pages.sort_unstable();
        pages
    }
}

/// Pages deallocated by work that has not ended.
#[derive(Default)]
pub(crate) struct Freeing(HashMap<HobtId, HashSet<PageId>>);

impl Freeing {
    pub fn of(&self, hobt: HobtId) -> Option<&HashSet<PageId>> {
        self.0.get(&hobt)
    }

    pub fn add(&mut self, hobt: HobtId, page: PageId) {
        self.0.entry(hobt).or_default().insert(page);
    }

    fn remove(&mut self, hobt: HobtId, pages: &[PageId]) {
        if let Some(set) = self.0.get_mut(&hobt) {
            for page in pages {
                set.remove(page);
            }
            if set.is_empty() {
                self.0.remove(&hobt);
            }
        }
    }
}

impl Database {
    /// The end of work that has deallocated pages: they are free for good, or their owner's again.
    pub(crate) fn end_freeing(self: &Arc<Self>, work: &mut Work, committed: bool) {
        let mut by_hobt: HashMap<HobtId, Vec<PageId>> = HashMap::new();
        for (hobt, page) in std::mem::take(&mut work.freed) {
            by_hobt.entry(hobt).or_default().push(page);
        }
        for (id, pages) in by_hobt {
            let Ok(hobt) = self.hobt(id) else {
                // Not in memory, for it was dropped meanwhile or the directory cannot be read: it has no lists.
                self.freeing.lock().remove(id, &pages);
                continue;
            };
            // All at once: who is given one of them waits for its latch, which may be held here, and holds the mutex.
            let mut space = hobt.space.lock();
            if committed && space.loaded {
                self.add_free(&mut space, &pages);
            }
            self.freeing.lock().remove(id, &pages);
            drop(space);
            // Not before: who waits for pages looks once when he is told.
            if committed {
                self.returning.freed_a_page();
            }
        }
    }

    /// The allocation of a page has been undone, and that is in the log.
    pub(crate) fn page_freed(self: &Arc<Self>, hobt: HobtId, page: PageId) {
        // Not in memory: as in `end_freeing`.
        let Ok(hobt) = self.hobt(hobt) else { return };
        match hobt.space.try_lock() {
            // The lists have yet to be read, from the PFS page, which has it by now.
            Some(space) if !space.loaded => {}
            Some(mut space) => {
                hobt.undone.lock().push(page);
                // What cannot be looked at now stays where it is, and whoever asks for the list is told why.
                let _: StorageResult<()> = self.list_undone(&hobt, &mut space);
            }
            None => hobt.undone.lock().push(page),
        }
        self.returning.freed_a_page();
    }

    /// Puts into the list what undo has left beside it, as far as it is free still.
    pub(crate) fn list_undone(&self, hobt: &Hobt, space: &mut Space) -> StorageResult<()> {
        let pages = std::mem::take(&mut *hobt.undone.lock());
        for (i, &page) in pages.iter().enumerate() {
            let (pfs, index) = pfs_of(page);
            let unallocated = match self.pool().read(&self.store, pfs) {
                Ok(map) => map.pfs(index) & PFS_ALLOCATED == 0,
                Err(e) => {
                    hobt.undone.lock().extend_from_slice(&pages[i..]);
                    return Err(e);
                }
            };
            // After the PFS byte, as in `load_space`.
            let freeing = self.freeing.lock().of(hobt.id()).is_some_and(|f| f.contains(&page));
            if unallocated && !freeing {
                self.add_free(space, &[page]);
            }
        }
        Ok(())
    }

    fn add_free(&self, space: &mut Space, pages: &[PageId]) {
        for &page in pages {
            if self.owns(space, page) {
                space.free.push(page);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::lob;
    use crate::rig::{MB, Rig, make};
    use crate::{BeginSpec, Durability, Growth, RecoveryModel};
    use taffrail_base::FileId;

    #[test]
    fn pages_that_are_undone_while_the_list_is_in_use_come_into_it_afterwards() {
        let rig = Rig::new(1).named("u").log_named("u.ldf").model(RecoveryModel::Full);
        let db = rig.data(2 * MB, Growth::None).log(2 * MB, Growth::None).create();
        let id = make(&db, 1000, 0);
        let hobt = db.hobt(id).unwrap();
        let mut tx = db.begin(BeginSpec::default());
        // And a page that refers to them.
        lob::write(&mut tx, &hobt, &[1; 11 * lob::PIECE]).unwrap();
        let free = db.free_pages_of(&hobt).unwrap();
        let space = hobt.space.lock();
        tx.rollback().unwrap();
        assert_eq!(space.free.len(), free);
        drop(space);
        // One of them is somebody's by the time that they are listed again.
        let again = hobt.undone.lock().clone();
        assert_eq!(again.len(), 12);
        assert_eq!(db.free_pages_of(&hobt).unwrap(), free + 12);
        let mut tx = db.begin(BeginSpec::default());
        lob::write(&mut tx, &hobt, &[2; lob::PIECE]).unwrap();
        *hobt.undone.lock() = again;
        assert_eq!(db.free_pages_of(&hobt).unwrap(), free + 11);
        tx.commit(Durability::Full).unwrap();
    }

    #[test]
    fn a_page_is_in_the_list_once() {
        let page = |page| PageId { file: FileId(1), page };
        let mut free = FreePages::default();
        free.push(page(9));
        free.push(page(8));
        free.push(page(9));
        free.push_below(vec![page(17), page(8), page(16)]);
        assert_eq!(free.sorted(), [page(8), page(9), page(16), page(17)]);
        assert!(free.bring_up(page(17)) && !free.bring_up(page(1)));
        let order: Vec<PageId> = std::iter::from_fn(|| free.pop()).collect();
        assert_eq!(order, [page(17), page(8), page(9), page(16)]);
        free.push(page(9));
        assert_eq!(free.pop(), Some(page(9)));
    }
}
