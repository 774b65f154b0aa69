//! A data file without free extents that cannot grow: what is kept for the directory, and what others do not need.
//!
//! The directory takes an entry for every large value that is deleted ([`super::directory`]), so it may need a page where something is to
//! be given back. Of a file that cannot grow (any more) the last free extents are therefore only its own: one of [`KEPT_SHARE`], at
//! least one. An extent takes the entries of a thousand large values and more, all that a transaction of this size may delete.
//!
//! Whoever finds the file full, the directory included, takes what other heaps and trees have but do not use: extents that are wholly
//! empty, as deletions of rows and of large values leave them, once the ghosts of those rows are gone. Bulk loads own
//! extents that look like that; they have the object to
//! themselves, so an object that cannot be locked with IX at once, as for a reorganization, is passed by. Nor is anything gathered
//! within a rollback, which finds its room in what is kept.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{PAGE_BYTES, PageId};

use super::Hobt;
use super::awaited::Patience;
use super::reorganize_step::free_extents;
use crate::alloc::ExtentSearch;
use crate::buffer::DataFile;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::{EXTENT_PAGES, FIRST_USER_HOBT, INTERVAL_PAGES, gam_of, interval_start};
use crate::lock::{LockError, LockMode, OwnerKind};
use crate::page::BITMAP_BITS;
use crate::spec::Growth;
use crate::txn::work::Work;

/// Of so many extents one is kept for the directory; at least one, at most so many.
const KEPT_SHARE: u32 = 128;
const KEPT_MAX: u32 = 256;

/// The session that this thread works for has been told to stop.
pub(super) fn check_cancelled() -> StorageResult<()> {
    let told = taffrail_observe::session::with_current(|s| s.cancel_flag().load(Ordering::Relaxed));
    if told == Some(true) { Err(StorageError::Lock(LockError::Cancelled)) } else { Ok(()) }
}

impl Database {
    /// How many free extents of a file are not for this HoBt.
    pub(crate) fn kept_extents(&self, file: &DataFile, hobt: &Hobt) -> u32 {
        if hobt.id().0 < FIRST_USER_HOBT {
            return 0;
        }
        let pages = file.pages.load(Ordering::Acquire);
        let more = u64::from(pages + EXTENT_PAGES) * PAGE_BYTES as u64;
        let settings = file.settings.lock();
        let grows =
            settings.growth != Growth::None && settings.max_size.is_none_or(|max| more <= max);
        if grows { 0 } else { (pages / EXTENT_PAGES / KEPT_SHARE).clamp(1, KEPT_MAX) }
    }

    /// The first free extent, if there are more than those that are not for this HoBt.
    pub(crate) fn spare_extent(
        &self,
        file: &DataFile,
        hobt: &Hobt,
        search: &mut ExtentSearch,
    ) -> StorageResult<Option<PageId>> {
        let Some(extent) = self.next_free_extent(file, search)? else { return Ok(None) };
        Ok((self.spare_extents_from(file, hobt, extent, 1)? > 0).then_some(extent))
    }

    /// How many there are, up to a limit. The caller may hold the HoBt's `space` mutex.
    pub(crate) fn spare_extents(&self, hobt: &Hobt, limit: u32) -> StorageResult<u32> {
        let file = self.store.primary();
        let mut search = self.extents.lock();
        let Some(first) = self.next_free_extent(&file, &mut search)? else { return Ok(0) };
        self.spare_extents_from(&file, hobt, first, limit)
    }

    /// The same, of those from `first` on. The caller holds the `extents` mutex.
    pub(super) fn spare_extents_from(
        &self,
        file: &DataFile,
        hobt: &Hobt,
        first: PageId,
        limit: u32,
    ) -> StorageResult<u32> {
        let kept = self.kept_extents(file, hobt);
        Ok(self.free_extents_from(file, first, limit.saturating_add(kept))?.saturating_sub(kept))
    }

    /// Counts free extents from one on, up to a limit.
    fn free_extents_from(&self, file: &DataFile, from: PageId, limit: u32) -> StorageResult<u32> {
        let pages = file.pages.load(Ordering::Acquire);
        let (mut at, mut n) = (from.page, 0);
        while n < limit && at + EXTENT_PAGES <= pages {
            let start = interval_start(at);
            let end = ((pages - start) / EXTENT_PAGES).min(BITMAP_BITS);
            let map = self.pool().read(&self.store, gam_of(PageId { file: file.id, page: at }))?;
            let mut bit = (at - start) / EXTENT_PAGES;
            while let Some(found) = map.find_set_bit(bit, end).filter(|_| n < limit) {
                (bit, n) = (found + 1, n + 1);
            }
            at = start.saturating_add(INTERVAL_PAGES);
        }
        Ok(n)
    }

    /// The file is full for a HoBt: gives back empty extents of others until so many are to be had. False: there is none at all.
    ///
    /// The caller holds neither latches nor `space` mutexes.
    pub(super) fn gather_extents(
        self: &Arc<Self>,
        work: &Work,
        hobt: &Hobt,
        want: u32,
    ) -> StorageResult<bool> {
        if work.in_rollback {
            return Ok(false);
        }
        if self.spare_extents(hobt, want)? >= want {
            return Ok(true);
        }
        {
            let _one = self.only_cleaner()?;
            match self.clean(usize::MAX, Some(hobt.id())) {
                Err(e @ StorageError::Lock(_)) => return Err(e),
                // As below.
                Err(_) => self.store.check()?,
                Ok(_) => {}
            }
        }
        let locks = &self.instance().locks;
        for id in self.hobts()? {
            check_cancelled()?;
            // Dropped meanwhile.
            let Ok(other) = self.hobt(id) else { continue };
            let mut owner = locks.owner(work.session, OwnerKind::Transaction);
            if other.root().is_none()
                || !locks.try_acquire(&mut owner, *other.object_lock(), LockMode::IX)
            {
                continue;
            }
            let given = self.give_back(work, &other, hobt, want);
            locks.release_all(&mut owner);
            match given {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(e) if e.is_want_of_room() => return Err(e),
                // What is wrong with one is no concern of another's; who uses it will be told.
                Err(_) => self.store.check()?,
            }
        }
        Ok(self.spare_extents(hobt, 1)? > 0)
    }

    /// Gives back empty extents of a HoBt until another can have so many. The caller holds IX on its object.
    fn give_back(
        self: &Arc<Self>,
        work: &Work,
        from: &Hobt,
        to: &Hobt,
        want: u32,
    ) -> StorageResult<bool> {
        if self.free_pages_of(from)? < EXTENT_PAGES as usize {
            return Ok(false);
        }
        let mut at = 0;
        while let Some(n) = free_extents(self, work, from, at)? {
            if n == 0 {
                at += 1;
            } else if self.spare_extents(to, want)? >= want {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs what takes extents; if the file is full, again as long as others have something left. The caller holds neither latches nor
    /// `space` mutexes.
    pub(crate) fn or_gather<R>(
        self: &Arc<Self>,
        work: &Work,
        hobt: &Hobt,
        mut take: impl FnMut() -> StorageResult<R>,
    ) -> StorageResult<R> {
        let mut patience = Patience::new(self);
        loop {
            match take() {
                Err(StorageError::FileFull(why)) => {
                    if !self.gather_extents(work, hobt, 1)? && !patience.another_try(work)? {
                        return Err(StorageError::FileFull(why));
                    }
                }
                result => return result,
            }
        }
    }
}
