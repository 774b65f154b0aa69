//! Extents and pages.
//!
//! ```text
//! GAM    a bit per extent: 1 = free                       one page per 511,232 pages of a file
//! IAM    a bit per extent: 1 = belongs to the HoBt        a chain per HoBt, one page per interval that it has extents in
//! PFS    a byte per page: 0x40 = allocated                one page per 8,088 pages
//! DIFF   a bit per extent: 1 = changed since the last full backup; written by checkpoints, not logged (see `recovery`)
//! ML     a bit per extent: 1 = filled with minimal logging since the last log backup (see `access::bulk_space`)
//! ```
//! A HoBt owns whole extents. Which of their pages may be given out is kept in memory ([`crate::freelist`]), read from IAM and PFS at
//! first need.
//! An extent is allocated by a system transaction of its own; a page by the one that puts it to use: a system transaction for a page of a
//! tree or of rows, which is in use as soon as others see it, the user's own for one of a large value.
//!
//! A page is overwritten in the pool only after the record that allocates it, and bears that record's LSN until its format record is
//! appended, which may fail. Should it reach the disk in between, the log is durable up to the allocation, and with it what
//! freed the page; and redo of what it held before finds all of that done.
//!
//! Order: a HoBt's `space` mutex, then the database's `extents` mutex, then latches of GAM, IAM and PFS pages, which nobody
//! holds while asking for anything else.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::sync::MutexGuard;
use taffrail_base::{HobtId, PageId};
use taffrail_log::Lcx;

use crate::access::awaited::is_giving_back;
use crate::access::record::{bits, format, split};
use crate::access::{Hobt, SpaceUsed};
use crate::buffer::{DataFile, WriteGuard};
use crate::database::Database;
use crate::error::StorageResult;
use crate::freelist::FreePages;
use crate::layout::{
    EXTENT_PAGES, INTERVAL_PAGES, diff_page, gam_of, interval_start, is_system_page, pfs_of,
};
use crate::page::{BITMAP_BITS, Format, PFS_ALLOCATED, PageType};
use crate::txn::rollback;
use crate::txn::work::Work;

/// A HoBt's space, as far as it is kept in memory.
#[derive(Default)]
pub(crate) struct Space {
    /// The lists below have been read.
    pub loaded: bool,
    /// Unallocated pages of the HoBt's extents; the last is given out first.
    pub free: FreePages,
    /// So many of them are for large values that are being written: see `access::claim`.
    pub claimed: usize,
    /// The IAM pages in order.
    pub iam: Vec<PageId>,
}

impl Space {
    /// Free pages for anybody.
    pub fn unclaimed(&self) -> usize {
        self.free.len().saturating_sub(self.claimed)
    }
}

/// Where the search for a free extent begins.
#[derive(Default)]
pub(crate) struct ExtentSearch {
    /// No extent below is free, in the primary file.
    pub hint: u32,
}

impl Database {
    /// Allocates a page for a HoBt and latches it exclusively. The caller fills it and logs its format with
    /// [`format::log_format`], all in `work`.
    pub(crate) fn allocate_page(
        self: &Arc<Self>,
        work: &mut Work,
        hobt: &Hobt,
        kind: PageType,
        level: u8,
    ) -> StorageResult<WriteGuard<'_>> {
        let mut space = hobt.space.lock();
        self.refill(work, hobt, &mut space)?;
        self.take_page(work, hobt, &mut space, kind, level)
    }

    /// Sees to it that a HoBt has a free page that nobody has claimed, with an extent more if need be. What undoes takes any.
    pub(crate) fn refill(
        self: &Arc<Self>,
        work: &Work,
        hobt: &Hobt,
        space: &mut Space,
    ) -> StorageResult<()> {
        self.load_space(hobt, space)?;
        if space.unclaimed() > 0 || !space.free.is_empty() && is_giving_back() {
            return Ok(());
        }
        self.add_extent_now(work, hobt, space)
    }

    /// Adds an extent in a system transaction of its own.
    pub(crate) fn add_extent_now(
        self: &Arc<Self>,
        work: &Work,
        hobt: &Hobt,
        space: &mut Space,
    ) -> StorageResult<()> {
        let mut extent = work.nested("AllocExtent");
        match self.add_extent(&mut extent, hobt, space) {
            Ok(()) => extent.commit_system(),
            Err(e) => {
                self.abort_system(extent, Vec::new());
                Err(e)
            }
        }
    }

    /// Takes a page from the list of a HoBt that has one.
    pub(crate) fn take_page(
        &self,
        work: &mut Work,
        hobt: &Hobt,
        space: &mut Space,
        kind: PageType,
        level: u8,
    ) -> StorageResult<WriteGuard<'_>> {
        #[cfg(test)]
        crate::txn::work::cut::strike_anywhere(crate::txn::work::cut::Place::Page)?;
        let Some(page) = space.free.pop() else {
            // Its only page has become an IAM page.
            let what = format!("an extent of HoBt {} has no page left", hobt.id());
            return Err(self.store.corrupt(hobt.root(), what));
        };
        let mut wrong = false;
        let result = (|| {
            // The latch first: a scan that sees the page allocated waits here until it is formatted.
            let mut guard = self.pool().write_unread(&self.store, page)?;
            let (pfs, index) = pfs_of(page);
            let mut map = self.pool().write(&self.store, pfs)?;
            if map.pfs(index) & PFS_ALLOCATED != 0 {
                wrong = true;
                return Err(self.store.corrupt(page, "a free page is marked as allocated".into()));
            }
            let runs = [(index as u16, 1)];
            bits::set_free_space(work, &mut map, hobt.id(), &runs, PFS_ALLOCATED)?;
            guard.format(&Format {
                level,
                hobt: hobt.id(),
                object: hobt.object().0,
                index: hobt.index().0,
                ..Format::new(page, kind)
            });
            guard.set_lsn(map.lsn());
            Ok(guard)
        })();
        match &result {
            Ok(_) => self.store.counters.pages_allocated.inc(),
            // To be read anew: what is wrong with one page of the list may be wrong with others.
            Err(_) if wrong => *space = Space::default(),
            Err(_) => space.free.push(page),
        }
        result
    }

    /// Marks pages as unallocated; they can be given out again after `work` has committed.
    pub(crate) fn deallocate_page(
        &self,
        work: &mut Work,
        hobt: HobtId,
        page: PageId,
    ) -> StorageResult<()> {
        debug_assert!(work.system, "a page's deallocation is not left to a user's rollback");
        self.note_freed(work, hobt, page);
        let (pfs, index) = pfs_of(page);
        let mut map = self.pool().write(&self.store, pfs)?;
        bits::set_free_space(work, &mut map, hobt, &[(index as u16, 1)], 0)
    }

    /// True if the extent of a page is (still) one of a HoBt's: it may have been truncated since.
    pub(crate) fn owns(&self, space: &Space, page: PageId) -> bool {
        let start = interval_start(page.page);
        let bit = (page.page - start) / EXTENT_PAGES;
        space.iam.iter().filter(|iam| iam.file == page.file).any(|&iam| {
            // What cannot be read now will be read, and complained about, when the lists are read next.
            let Ok(map) = self.pool().read(&self.store, iam) else { return false };
            map.kind() == Some(PageType::Iam) && map.first_unit() == start && map.bit(bit)
        })
    }

    /// Reads a HoBt's IAM pages and the PFS bytes of its extents, once; later, what undo has left beside the lists.
    pub(crate) fn load_space(&self, hobt: &Hobt, space: &mut Space) -> StorageResult<()> {
        if space.loaded {
            return self.list_undone(hobt, space);
        }
        space.free.clear();
        space.iam.clear();
        // Of these the PFS pages tell.
        hobt.undone.lock().clear();
        let mut found = Vec::new();
        let mut iam = hobt.first_iam();
        while !iam.is_none() {
            let (runs, start, next) = self.read_iam(iam, hobt.id())?;
            for (first, count) in runs {
                for extent in first..first + count {
                    let page = start + extent * EXTENT_PAGES;
                    found.extend(self.unallocated(PageId { file: iam.file, page })?);
                }
            }
            space.iam.push(iam);
            iam = next;
        }
        // After the PFS bytes: what is not in here now, and was unallocated then, stays so.
        if let Some(freeing) = self.freeing.lock().of(hobt.id()) {
            found.retain(|p| !freeing.contains(p));
        }
        // The last is given out first: ascending order.
        found.reverse();
        space.free.push_below(found);
        space.loaded = true;
        Ok(())
    }

    /// The runs of extents of an IAM page, the first page of its interval, and the next IAM page.
    pub(crate) fn read_iam(
        &self,
        iam: PageId,
        hobt: HobtId,
    ) -> StorageResult<(Vec<(u32, u32)>, u32, PageId)> {
        let page = self.pool().read(&self.store, iam)?;
        if page.kind() != Some(PageType::Iam) || page.hobt() != hobt {
            return Err(self.store.corrupt(iam, format!("not an IAM page of HoBt {hobt}")));
        }
        Ok((page.set_runs(BITMAP_BITS), page.first_unit(), page.next()))
    }

    /// The pages of an extent that are neither allocated nor the format's own.
    pub(crate) fn unallocated(&self, extent: PageId) -> StorageResult<Vec<PageId>> {
        let (pfs, index) = pfs_of(extent);
        let map = self.pool().read(&self.store, pfs)?;
        Ok((0..EXTENT_PAGES)
            .filter(|&i| map.pfs(index + i) & PFS_ALLOCATED == 0)
            .map(|i| PageId { file: extent.file, page: extent.page + i })
            .filter(|&p| !is_system_page(p))
            .collect())
    }

    /// The allocated pages of an extent.
    pub(crate) fn allocated(&self, extent: PageId) -> StorageResult<Vec<PageId>> {
        let (pfs, index) = pfs_of(extent);
        let map = self.pool().read(&self.store, pfs)?;
        Ok((0..EXTENT_PAGES)
            .filter(|&i| map.pfs(index + i) & PFS_ALLOCATED != 0)
            .map(|i| PageId { file: extent.file, page: extent.page + i })
            .collect())
    }

    /// Adds an extent to a HoBt, with an IAM page if there is none for its interval. On error the caller undoes `work`;
    /// `space` is as it was. (It is not read anew: a bulk load may have taken extents whose pages no PFS page knows yet.)
    pub(crate) fn add_extent(
        &self,
        work: &mut Work,
        hobt: &Hobt,
        space: &mut Space,
    ) -> StorageResult<()> {
        let extent = self.take_extent(work, hobt)?;
        let mut pages = self.unallocated(extent)?;
        if pages.is_empty() {
            // The GAM page calls an extent free whose pages the PFS page calls allocated.
            let what = format!("an extent for HoBt {} has no page left", hobt.id());
            return Err(self.store.corrupt(extent, what));
        }
        let start = interval_start(extent.page);
        let bit = (extent.page - start) / EXTENT_PAGES;
        self.disown_pages(&pages)?;
        let mut known = None;
        for &id in &space.iam {
            let page = self.pool().read(&self.store, id)?;
            if page.first_unit() == start && id.file == extent.file {
                known = Some(id);
                break;
            }
        }
        let iam = match known {
            Some(iam) => iam,
            None => self.add_iam(work, hobt, space, &mut pages, start)?,
        };
        let mut map = self.pool().write(&self.store, iam)?;
        bits::set_bits(work, &mut map, Lcx::Iam, hobt.id(), &[(bit, 1)], true)?;
        drop(map);
        if known.is_none() {
            // Last: who has followed the link finds an IAM page there, whatever becomes of what would come after.
            if let Some(&last) = space.iam.last() {
                let mut page = self.pool().write(&self.store, last)?;
                let prev = page.prev();
                split::relink(work, &mut page, Lcx::Iam, prev, iam)?;
            }
            space.iam.push(iam);
        }
        pages.reverse();
        // New pages after what is left.
        space.free.push_below(pages);
        Ok(())
    }

    fn add_iam(
        &self,
        work: &mut Work,
        hobt: &Hobt,
        space: &Space,
        pages: &mut Vec<PageId>,
        start: u32,
    ) -> StorageResult<PageId> {
        let id = pages.remove(0);
        let last = space.iam.last().copied();
        {
            let mut page = self.pool().write_unread(&self.store, id)?;
            let (pfs, index) = pfs_of(id);
            let mut map = self.pool().write(&self.store, pfs)?;
            let runs = [(index as u16, 1)];
            bits::set_free_space(work, &mut map, hobt.id(), &runs, PFS_ALLOCATED)?;
            page.format(&Format {
                hobt: hobt.id(),
                object: hobt.object().0,
                index: hobt.index().0,
                prev: last.unwrap_or_default(),
                first_unit: start,
                ..Format::new(id, PageType::Iam)
            });
            page.set_lsn(map.lsn());
            drop(map);
            format::log_made(work, &mut page, Lcx::Iam)?;
        }
        Ok(id)
    }

    /// Takes a free extent, growing the file if there is none.
    fn take_extent(&self, work: &mut Work, hobt: &Hobt) -> StorageResult<PageId> {
        let mut search = self.extents.lock();
        let extent = self.find_extent_from(work, hobt, &mut search)?;
        let bit = (extent.page - interval_start(extent.page)) / EXTENT_PAGES;
        let mut map = self.pool().write(&self.store, gam_of(extent))?;
        bits::set_bits(work, &mut map, Lcx::Gam, hobt.id(), &[(bit, 1)], false)?;
        self.tally_taken(1);
        search.hint = extent.page + EXTENT_PAGES;
        Ok(extent)
    }

    /// Where the next free extent is, growing the file if there is none. It may be another's by the time it is taken.
    pub(crate) fn find_free_extent(&self, work: &Work, hobt: &Hobt) -> StorageResult<PageId> {
        self.find_extent_from(work, hobt, &mut self.extents.lock())
    }

    fn find_extent_from(
        &self,
        work: &Work,
        hobt: &Hobt,
        search: &mut ExtentSearch,
    ) -> StorageResult<PageId> {
        let file = self.store.primary();
        loop {
            if let Some(extent) = self.spare_extent(&file, hobt, search)? {
                return Ok(extent);
            }
            self.autogrow(work, &file, hobt)?;
        }
    }

    pub(crate) fn next_free_extent(
        &self,
        file: &DataFile,
        search: &mut ExtentSearch,
    ) -> StorageResult<Option<PageId>> {
        let pages = file.pages.load(Ordering::Acquire);
        let mut at = search.hint;
        while at + EXTENT_PAGES <= pages {
            let gam = gam_of(PageId { file: file.id, page: at });
            let start = interval_start(at);
            let end = ((pages - start) / EXTENT_PAGES).min(BITMAP_BITS);
            let map = self.pool().read(&self.store, gam)?;
            if let Some(bit) = map.find_set_bit((at - start) / EXTENT_PAGES, end) {
                return Ok(Some(PageId { file: file.id, page: start + bit * EXTENT_PAGES }));
            }
            at = start.saturating_add(INTERVAL_PAGES);
        }
        search.hint = pages / EXTENT_PAGES * EXTENT_PAGES;
        Ok(None)
    }

    /// How many free pages a HoBt has that nobody has claimed.
    pub(crate) fn free_pages_of(&self, hobt: &Hobt) -> StorageResult<usize> {
        let mut space = hobt.space.lock();
        self.load_space(hobt, &mut space)?;
        Ok(space.unclaimed())
    }

    /// True if a HoBt has fewer free pages, and its file no free extent: they would make the file grow, if it may.
    pub(crate) fn would_grow(&self, hobt: &Hobt, pages: usize) -> StorageResult<bool> {
        let mut space = hobt.space.lock();
        self.load_space(hobt, &mut space)?;
        let few = space.unclaimed() < pages;
        Ok(few && self.spare_extents(hobt, 1)? == 0)
    }

    /// Extents are free again.
    pub(crate) fn extents_freed(&self, first_page: u32) {
        let mut search = self.extents.lock();
        search.hint = search.hint.min(first_page);
        drop(search);
        self.returning.freed_a_page();
    }

    /// The first page of a HoBt: extent, IAM page, root or first heap page, directory entry; in one system transaction.
    pub(crate) fn allocate_root(self: &Arc<Self>, work: &Work, hobt: &Hobt) -> StorageResult<()> {
        self.or_gather(work, hobt, || self.try_allocate_root(work, hobt))
    }

    fn try_allocate_root(self: &Arc<Self>, work: &Work, hobt: &Hobt) -> StorageResult<()> {
        let mut space = hobt.space.lock();
        if !hobt.root().is_none() {
            return Ok(());
        }
        let mut sys = work.nested("Allocate Root");
        let made = (|| {
            *space = Space { loaded: true, ..Space::default() };
            hobt.undone.lock().clear();
            self.add_extent(&mut sys, hobt, &mut space)?;
            let (kind, context) = match hobt.kind() {
                crate::HobtKind::Heap => (PageType::Heap, Lcx::Heap),
                crate::HobtKind::BTree => (PageType::Index, hobt.leaf_context()),
            };
            let root = {
                let mut page = self.take_page(&mut sys, hobt, &mut space, kind, 0)?;
                format::log_made(&mut sys, &mut page, context)?;
                page.id()
            };
            let iam = space.iam[0];
            crate::access::directory::set_root(self, &mut sys, hobt.id(), root, iam)?;
            Ok((root, iam))
        })();
        match made {
            Ok((root, iam)) => {
                sys.commit_system()?;
                hobt.set_place(root, iam);
                Ok(())
            }
            Err(e) => {
                *space = Space::default();
                self.abort_system(sys, Vec::new());
                Err(e)
            }
        }
    }

    /// Frees every extent of one IAM page, as part of `work`, after `before` was told the next IAM page of the chain. What is
    /// returned keeps others from taking the extents until it is dropped: after the commit. If one were given out before, and the power
    /// failed in between, the undo of this would take it from its new owner. On error, too, nobody was given one: what was done to
    /// the maps is undone; the caller undoes the rest, which wants latches that nobody waits for while holding the extents.
    pub(crate) fn free_iam(
        &self,
        work: &mut Work,
        iam: PageId,
        before: impl FnOnce(&mut Work, PageId) -> StorageResult<()>,
    ) -> StorageResult<(PageId, MutexGuard<'_, ExtentSearch>)> {
        let (runs, start, next, hobt) = {
            let page = self.pool().read(&self.store, iam)?;
            if page.kind() != Some(PageType::Iam) {
                return Err(self.store.corrupt(iam, "not an IAM page".to_owned()));
            }
            (page.set_runs(BITMAP_BITS), page.first_unit(), page.next(), page.hobt())
        };
        before(work, next)?;
        let search = self.extents.lock();
        let mark = work.log.last;
        if let Err(e) = self.free_runs(work, iam, hobt, start, &runs) {
            if let Err(e) = rollback::undo_to(work, &mut [], mark) {
                self.store.mark_suspect(format!("a system transaction could not be undone: {e}"));
            }
            return Err(e);
        }
        let freed = runs.iter().map(|r| u64::from(r.1)).sum();
        self.tally_freed(freed);
        Ok((next, search))
    }

    /// The changes of maps of [`Database::free_iam`].
    fn free_runs(
        &self,
        work: &mut Work,
        iam: PageId,
        hobt: HobtId,
        start: u32,
        runs: &[(u32, u32)],
    ) -> StorageResult<()> {
        // PFS bytes first: an extent that the GAM calls free has no allocated page.
        let mut by_pfs: Vec<(PageId, Vec<(u16, u16)>)> = Vec::new();
        for &(first, count) in runs {
            for extent in first..first + count {
                let page = PageId { file: iam.file, page: start + extent * EXTENT_PAGES };
                let (pfs, index) = pfs_of(page);
                match by_pfs.last_mut() {
                    Some((p, runs)) if *p == pfs => match runs.last_mut() {
                        Some((at, n)) if u32::from(*at) + u32::from(*n) == index => {
                            *n += EXTENT_PAGES as u16;
                        }
                        _ => runs.push((index as u16, EXTENT_PAGES as u16)),
                    },
                    _ => by_pfs.push((pfs, vec![(index as u16, EXTENT_PAGES as u16)])),
                }
            }
        }
        for (pfs, runs) in by_pfs {
            let mut map = self.pool().write(&self.store, pfs)?;
            bits::set_free_space(work, &mut map, hobt, &runs, 0)?;
        }
        for chunk in runs.chunks(512) {
            let gam = gam_of(PageId { file: iam.file, page: start });
            let mut map = self.pool().write(&self.store, gam)?;
            bits::set_bits(work, &mut map, Lcx::Gam, hobt, chunk, true)?;
        }
        Ok(())
    }

    /// Counts the pages of a HoBt.
    pub fn space_used(self: &Arc<Self>, id: HobtId) -> StorageResult<SpaceUsed> {
        let hobt = self.hobt(id)?;
        let mut used = SpaceUsed { rows: hobt.row_count(), ..SpaceUsed::default() };
        let mut iam = hobt.first_iam();
        while !iam.is_none() {
            let (runs, start, next) = self.read_iam(iam, id)?;
            for (first, count) in runs {
                used.reserved_pages += u64::from(count * EXTENT_PAGES);
                for extent in first..first + count {
                    let page = PageId { file: iam.file, page: start + extent * EXTENT_PAGES };
                    used.used_pages += self.allocated(page)?.len() as u64;
                }
            }
            used.iam_pages += 1;
            iam = next;
        }
        Ok(used)
    }

    /// Extents in use of a file, for `sys.database_files` and `sp_spaceused`.
    pub fn allocated_extents(&self, file: &DataFile) -> StorageResult<u32> {
        let pages = file.pages.load(Ordering::Acquire);
        let mut used = 0;
        let mut start = 0;
        while start < pages {
            let map =
                self.pool().read(&self.store, gam_of(PageId { file: file.id, page: start }))?;
            let extents = ((pages - start) / EXTENT_PAGES).min(BITMAP_BITS);
            let free: u32 = map.set_runs(extents).iter().map(|r| r.1).sum();
            used += extents - free;
            start = start.saturating_add(INTERVAL_PAGES);
        }
        Ok(used)
    }

    /// Brings the DIFF pages up to date with what is kept in memory: before a checkpoint writes dirty pages.
    pub(crate) fn write_changed_maps(&self) -> StorageResult<()> {
        if self.store.temporary {
            return Ok(());
        }
        for file in self.store.files() {
            // Before the map is read: a backup that begins it anew later is left to the next checkpoint.
            let anew = file.changed_anew.swap(false, Ordering::AcqRel);
            let changed = file.changed.lock().clone();
            let pages = file.pages.load(Ordering::Acquire);
            let mut start = 0;
            while start < pages {
                let first = start / EXTENT_PAGES;
                let wanted: Vec<u32> = (0..BITMAP_BITS)
                    .step_by(1)
                    .take_while(|i| ((first + i) as usize) < changed.len() * 64)
                    .filter(|i| {
                        let extent = (first + i) as usize;
                        changed[extent / 64] >> (extent % 64) & 1 == 1
                    })
                    .collect();
                let id = diff_page(file.id, start);
                let missing = {
                    let page = self.pool().read(&self.store, id)?;
                    wanted.iter().any(|&i| !page.bit(i))
                };
                if missing || anew {
                    // Not logged: see the module's text. The page's LSN stays.
                    let mut page = self.pool().write(&self.store, id)?;
                    page.will_change(&self.store);
                    if anew {
                        page.set_bits(0, BITMAP_BITS, false);
                    }
                    for i in wanted {
                        page.set_bits(i, 1, true);
                    }
                }
                start = start.saturating_add(INTERVAL_PAGES);
            }
        }
        Ok(())
    }
}
