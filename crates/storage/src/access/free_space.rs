//! Room that is there without anybody knowing: on pages of heaps, and in leaves of trees that no row is in any more.
//!
//! Which heap pages have room, and which leaves are empty, is kept in memory only ([`FreeSpace`], [`super::cleanup`]): fed by
//! deletions and by undo, gone with the process. What a process has left is looked for when it would be missed, never at the start:
//!
//! ```text
//! before a file grows by n pages     n pages of the heap or tree that wants it, on from where the last look ended: so growth costs
//!                                    what it costs, twice at most, and a heap or tree is read through once
//! before error 1105                  all of them, if there may be anything to find; then what others do not use ([`super::full`]), or are
//!                                    giving back ([`super::awaited`])
//! ```
//! Heap pages with room are then tried before others; leaves that are empty are unlinked, so that their pages are free.
//!
//! Invariant of a [`FreeSpace`]: no page outside of the list has room for more than `missed` bytes, slot included, as far as records
//! of this process tell. A look at every page establishes it; whoever lets go of a page, or leaves room on one that is not in the
//! list, raises it.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use taffrail_base::{PAGE_BYTES, PageId};

use super::awaited::Patience;
use super::btree::{child_on_way, root_for_read};
use super::cleanup::Cleaned;
use super::full::check_cancelled;
use super::heap::is_heap_page;
use super::node::{child_at, key_at, slot_for};
use super::{Hobt, HobtKind};
use crate::buffer::Access;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::{EXTENT_PAGES, FIRST_USER_HOBT};
use crate::page::Page;
use crate::spec::Growth;
use crate::txn::work::Work;

/// Pages remembered at most.
const PAGES_MAX: usize = 1 << 16;
/// Pages looked at before a growth: at least, at most.
const LOOK_MIN: u64 = 64;
const LOOK_MAX: u64 = 1 << 14;
/// The least that is looked for in a tree: a whole page.
const PAGE: usize = 1;
/// How often a session that waits for another's look sees whether it has been cancelled, and one that looks.
const CANCEL_EVERY: Duration = Duration::from_millis(20);
const CANCEL_EXTENTS: u32 = 64;
/// The most room that a page can have.
const ANY: u16 = u16::MAX;

/// How far the look through a heap or tree has come since the process has known it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
enum Look {
    /// To its end, or there was nothing to find.
    #[default]
    Done,
    /// Of a heap: to this extent of this IAM page; none: not begun.
    Heap(PageId, u32),
    /// Of a tree: to the leaf of this key.
    Tree(Vec<u8>),
}

/// The pages of a heap that are known to have room; of a tree, only how far it has been looked
/// through.
#[derive(Default)]
pub(crate) struct FreeSpace {
    /// Pages worth trying before a new one is allocated, the next one last.
    pages: VecDeque<PageId>,
    /// The pages in `pages`, to find one.
    known: HashSet<PageId>,
    missed: u16,
    look: Look,
}

impl FreeSpace {
    /// Of a heap or tree that may have pages from before.
    pub fn unknown(kind: HobtKind) -> FreeSpace {
        let look = match kind {
            HobtKind::Heap => Look::Heap(PageId::NONE, 0),
            HobtKind::BTree => Look::Tree(Vec::new()),
        };
        FreeSpace { missed: ANY, look, ..FreeSpace::default() }
    }

    /// Begins the look anew: the known room, or some of it, is no longer right.
    pub fn lost(&mut self, kind: HobtKind) {
        self.missed = ANY;
        self.look = FreeSpace::unknown(kind).look;
    }

    /// A look has come so far; unless meanwhile something was lost, so that it is to begin anew.
    fn looked(&mut self, look: Look) {
        if self.look == Look::Done {
            self.look = look;
        }
    }

    /// A page has room.
    pub fn note(&mut self, page: PageId) {
        if self.known.contains(&page) {
            return;
        }
        if self.pages.len() >= PAGES_MAX {
            self.lost(HobtKind::Heap);
            return;
        }
        self.known.insert(page);
        self.pages.push_back(page);
    }

    /// The next page to try.
    pub fn next(&mut self) -> Option<PageId> {
        let page = self.pages.pop_back()?;
        self.known.remove(&page);
        Some(page)
    }

    /// A page whose room somebody still has a claim on: after all others.
    pub fn later(&mut self, page: PageId) {
        if self.known.insert(page) {
            self.pages.push_front(page);
        }
    }

    /// A page that is not in the list has this much room.
    pub fn missed(&mut self, free: u16) {
        self.missed = self.missed.max(free);
    }

    pub fn len(&self) -> usize {
        self.pages.len()
    }
}

impl Database {
    /// Looks through some pages of a heap or tree if its file is going to grow for it. True if there is something to try first.
    ///
    /// The caller holds no latch.
    pub(super) fn look_before_growth(
        self: &Arc<Self>,
        hobt: &Hobt,
        need: usize,
    ) -> StorageResult<bool> {
        if hobt.room.lock().look == Look::Done || hobt.id().0 < FIRST_USER_HOBT {
            return Ok(false);
        }
        if !self.would_grow(hobt, 1)? {
            return Ok(false);
        }
        // Another thread that comes meanwhile lets the file grow.
        let Some(_one) = self.cleaner.try_lock() else { return Ok(false) };
        let look = std::mem::take(&mut hobt.room.lock().look);
        let file = self.store.primary();
        let bytes = u64::from(file.pages.load(Ordering::Acquire)) * PAGE_BYTES as u64;
        let growth = match file.settings.lock().growth {
            Growth::None => 0,
            Growth::Bytes(n) => n,
            Growth::Percent(p) => bytes / 100 * u64::from(p),
        };
        let pages = (growth / PAGE_BYTES as u64).clamp(LOOK_MIN, LOOK_MAX);
        // What an error has kept from being looked at is looked at another time.
        let looked = self.look_on(hobt, look.clone(), need, pages);
        hobt.room.lock().looked(looked.as_ref().map_or(look, |(next, _)| next.clone()));
        looked.map(|(_, found)| found)
    }

    /// The file is full: finds what room there is for `need` bytes, or of a tree so many pages. False if there is none.
    ///
    /// The caller holds no latch.
    pub(super) fn look_for_all(self: &Arc<Self>, hobt: &Hobt, need: usize) -> StorageResult<bool> {
        // Who waits here for another that looks profits from what that one finds.
        let _one = self.only_cleaner()?;
        if hobt.kind() == HobtKind::BTree {
            self.clean(usize::MAX, Some(hobt.id()))?;
            if !self.would_grow(hobt, need)? {
                return Ok(true);
            }
        }
        let unknown = {
            let mut room = hobt.room.lock();
            if need.min(PAGE_BYTES) > usize::from(room.missed) {
                return Ok(room.len() > 0);
            }
            room.look = Look::Done;
            room.missed = 0;
            FreeSpace::unknown(hobt.kind()).look
        };
        let looked = self.look_on(hobt, unknown, need, u64::MAX);
        if !matches!(looked, Ok((Look::Done, _))) {
            hobt.room.lock().lost(hobt.kind());
        }
        looked.map(|(_, found)| found)
    }

    /// Waits for whoever cleans.
    pub(super) fn only_cleaner(&self) -> StorageResult<taffrail_log::fair::MutexGuard<'_, ()>> {
        loop {
            match self.cleaner.try_lock_for(CANCEL_EVERY) {
                Some(one) => return Ok(one),
                None => check_cancelled()?,
            }
        }
    }

    /// The next pages, about `budget` of them. Returns how far it came, and whether there was anything.
    fn look_on(
        self: &Arc<Self>,
        hobt: &Hobt,
        look: Look,
        need: usize,
        budget: u64,
    ) -> StorageResult<(Look, bool)> {
        match look {
            Look::Done => Ok((Look::Done, false)),
            Look::Heap(iam, extent) => self.look_on_heap(hobt, iam, extent, need, budget),
            Look::Tree(from) => {
                let next = self.look_on_tree(hobt, from, budget)?;
                Ok((next, !self.would_grow(hobt, need)?))
            }
        }
    }

    fn look_on_heap(
        &self,
        hobt: &Hobt,
        iam: PageId,
        extent: u32,
        need: usize,
        budget: u64,
    ) -> StorageResult<(Look, bool)> {
        let mut found = false;
        let next = self.look_on_pages(hobt, (iam, extent), budget, |page| {
            if !is_heap_page(page, hobt) {
                return;
            }
            let (id, free, ghosts) = (page.id(), page.free_bytes(), page.ghosts());
            let mut room = hobt.room.lock();
            if usize::from(free) >= need || ghosts > 0 {
                room.note(id);
                found = true;
            } else {
                room.missed(free);
            }
        })?;
        Ok((next.map_or(Look::Done, |(iam, extent)| Look::Heap(iam, extent)), found))
    }

    /// Reads allocated pages, about `budget` of them, from this extent of this IAM page on (none: the first). Returns where to go on.
    pub(super) fn look_on_pages(
        &self,
        hobt: &Hobt,
        (iam, extent): (PageId, u32),
        budget: u64,
        mut look: impl FnMut(&Page),
    ) -> StorageResult<Option<(PageId, u32)>> {
        let (mut iam, mut from) = if iam.is_none() { (hobt.first_iam(), 0) } else { (iam, extent) };
        let mut left = budget;
        while !iam.is_none() {
            check_cancelled()?;
            let (runs, start, next) = self.read_iam(iam, hobt.id())?;
            for bit in runs.into_iter().flat_map(|(first, n)| first..first + n) {
                if bit < from {
                    continue;
                }
                if left == 0 {
                    return Ok(Some((iam, bit)));
                }
                if bit % CANCEL_EXTENTS == 0 {
                    check_cancelled()?;
                }
                left = left.saturating_sub(EXTENT_PAGES.into());
                let page = PageId { file: iam.file, page: start + bit * EXTENT_PAGES };
                for id in self.allocated(page)? {
                    look(&*self.pool().read_for(&self.store, id, Access::Scan)?);
                }
            }
            (iam, from) = (next, 0);
        }
        Ok(None)
    }

    /// Unlinks empty leaves, after their ghosts have been removed.
    fn look_on_tree(
        self: &Arc<Self>,
        hobt: &Hobt,
        mut from: Vec<u8>,
        budget: u64,
    ) -> StorageResult<Look> {
        // Not while somebody counts on trees that stay as they are.
        let Some(_alone) = self.cleaning.try_write() else { return Ok(Look::Tree(from)) };
        let mut left = budget;
        while !hobt.root().is_none() {
            check_cancelled()?;
            let Some((leaves, next)) = self.leaves_from(hobt, &from)? else { break };
            for (leaf, key) in leaves {
                left = left.saturating_sub(1);
                let worth = {
                    let page = self.pool().read_for(&self.store, leaf, Access::Scan)?;
                    page.is_leaf()
                        && page.hobt() == hobt.id()
                        && (page.slots() == 0 || page.ghosts() > 0)
                };
                if worth && let Cleaned::Later = self.clean_leaf(hobt, leaf, Some(&key))? {
                    self.note_ghosts(hobt.id(), leaf);
                }
            }
            match next {
                Some(next) if left == 0 => return Ok(Look::Tree(next)),
                Some(next) => from = next,
                None => break,
            }
        }
        Ok(Look::Done)
    }

    /// The leaves under the page above them that a key leads to, each with a key that leads to it, and the first key that leads
    /// to the next such page. None: the root is a leaf.
    #[allow(clippy::type_complexity)]
    fn leaves_from(
        &self,
        hobt: &Hobt,
        from: &[u8],
    ) -> StorageResult<Option<(Vec<(PageId, Vec<u8>)>, Option<Vec<u8>>)>> {
        let mut page = root_for_read(self, hobt)?;
        let mut next = None;
        if page.level() == 0 {
            return Ok(None);
        }
        while page.level() > 1 {
            let after = slot_for(&page, from) + 1;
            if after < page.slots() as usize {
                next = Some(key_at(&page, after).to_vec());
            }
            let child = child_on_way(self, hobt, &page, Some(from))?;
            let level = page.level() - 1;
            let below = self.pool().read(&self.store, child)?;
            super::btree::check_page(self, hobt, &below, Some(level))?;
            page = below;
        }
        let first = slot_for(&page, from);
        let leaves = (first..page.slots() as usize)
            .filter_map(|slot| {
                let key = if slot == first { from.to_vec() } else { key_at(&page, slot).to_vec() };
                Some((child_at(&page, slot)?, key))
            })
            .collect();
        Ok(Some((leaves, next)))
    }

    /// Runs what takes pages for a tree. If its file is going to grow for them, or is full: after leaves that are empty have been
    /// looked for. The caller holds no latch, not even of a page of his own: what is noted as a leaf may be that page by now.
    pub(super) fn with_look<R>(
        self: &Arc<Self>,
        work: &Work,
        hobt: &Hobt,
        mut grow: impl FnMut() -> StorageResult<R>,
    ) -> StorageResult<R> {
        if work.in_rollback {
            return grow();
        }
        if hobt.kind() == HobtKind::BTree {
            self.look_before_growth(hobt, PAGE)?;
        }
        let mut patience = Patience::new(self);
        loop {
            match grow() {
                Err(StorageError::FileFull(why)) => {
                    // What was undone has given its pages back, and was too little: only more than that is worth another try.
                    let had = self.free_pages_of(hobt)?;
                    if !self.look_for_all(hobt, had + 1)?
                        && !self.gather_extents(work, hobt, 1)?
                        && !patience.another_try(work)?
                    {
                        return Err(StorageError::FileFull(why));
                    }
                }
                result => return result,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_in_the_list_once_and_what_waits_comes_last() {
        let page = |n| PageId::new(1, n);
        let mut room = FreeSpace::default();
        for n in [1, 2, 2, 3, 1] {
            room.note(page(n));
        }
        assert_eq!(room.len(), 3);
        assert_eq!(room.next(), Some(page(3)));
        room.later(page(3));
        assert_eq!([room.next(), room.next(), room.next()], [2, 1, 3].map(|n| Some(page(n))));
        assert_eq!(room.next(), None);
        for n in 0..=PAGES_MAX as u32 {
            room.note(page(n + 1));
        }
        assert_eq!((room.len(), room.missed), (PAGES_MAX, ANY));
        assert_ne!(room.look, Look::Done);
    }
}
