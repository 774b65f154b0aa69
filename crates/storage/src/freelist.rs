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
//! An allocation that is undone is different: once its compensation record is in the log nothing takes the page back.
//!
//! Invariants:
//! 1. A page is in a list of free pages at most once.
//! 2. No list holds a page that is in `freeing`; nor, therefore, do extents that are given back for being empty.
//!
//! Order: a HoBt's `space` mutex, then `freeing`; nobody holds `freeing` while asking for anything else.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use taffrail_base::{HobtId, PageId};

use crate::alloc::Space;
use crate::database::Database;
use crate::txn::work::Work;

/// Unallocated pages; what came last is given out first.
#[derive(Default)]
pub(crate) struct FreePages {
    stack: Vec<PageId>,
    /// The same pages.
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
                // Dropped meanwhile: it has no lists.
                self.freeing.lock().remove(id, &pages);
                continue;
            };
            // All at once: who is given one of them waits for its latch, which may be held here, and holds the mutex.
            let mut space = hobt.space.lock();
            if committed && space.loaded {
                self.add_free(&mut space, &pages);
            }
            self.freeing.lock().remove(id, &pages);
        }
    }

    /// The allocation of a page has been undone, and that is in the log.
    pub(crate) fn page_freed(self: &Arc<Self>, hobt: HobtId, page: PageId) {
        if let Ok(hobt) = self.hobt(hobt) {
            // Whoever undoes an allocation may hold the mutex, and then forgets the lists; if another thread holds it the page is
            // found again when the lists are next read.
            if let Some(mut space) = hobt.space.try_lock()
                && space.loaded
            {
                self.add_free(&mut space, &[page]);
            }
        }
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
    use taffrail_base::FileId;

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
