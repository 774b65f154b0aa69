//! Extents for bulk work, the map of minimally logged extents, and who may log less than everything.
//!
//! Bulk work takes extents many at a time: one record for the bits of the GAM page, one for those of the IAM page. Their pages are
//! marked in the PFS pages when they hold what they are to hold: a scan that looks for allocated pages never meets one that does not.
//! Until then `space.free` must not learn of them, so the lists are read before the extents are added.
//!
//! The ML map, a bit per extent: changed with minimal logging since the last log backup. Logged, never undone: a bit too many
//! costs a log backup 64 KB. Not kept under SIMPLE, where no log backup could need it.
//!
//! A backup reads data pages while others write, and counts on the log to bring them to one moment. What is not in the log it would
//! miss, so one excludes the other ([`BulkGate`]): while a backup holds the gate bulk work is fully logged, and a backup waits until
//! the transactions that have begun to log less have ended.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use taffrail_base::{FileId, HobtId, PageId};
use taffrail_log::fair::{Condvar, Mutex};
use taffrail_log::{Lcx, RecordFlags};

use super::Hobt;
use super::awaited::Patience;
use super::record::{bits, bulk};
use crate::alloc::Space;
use crate::database::{Database, RecoveryModel};
use crate::error::{StorageError, StorageResult};
use crate::layout::{EXTENT_PAGES, INTERVAL_PAGES, gam_of, interval_start, ml_page, pfs_of};
use crate::page::{BITMAP_BITS, PFS_ALLOCATED};
use crate::txn::work::Work;

/// Runs of bits in one record.
const RUNS_PER_RECORD: usize = 256;

impl Database {
    /// Takes up to `want` free extents of one interval for a HoBt, at least one, and gives their unallocated pages besides. On error
    /// the caller undoes `work`.
    pub(super) fn take_bulk_extents(
        self: &Arc<Self>,
        work: &mut Work,
        hobt: &Hobt,
        want: usize,
    ) -> StorageResult<(Vec<PageId>, Vec<PageId>)> {
        let mut patience = Patience::new(self);
        loop {
            // Nothing has been changed for `work` when no extent is found.
            match self.try_take_bulk_extents(work, hobt, want) {
                Err(StorageError::FileFull(why)) => {
                    if !self.gather_extents(work, hobt, want as u32)?
                        && !patience.another_try(work)?
                    {
                        return Err(StorageError::FileFull(why));
                    }
                }
                result => return result,
            }
        }
    }

    fn try_take_bulk_extents(
        self: &Arc<Self>,
        work: &mut Work,
        hobt: &Hobt,
        want: usize,
    ) -> StorageResult<(Vec<PageId>, Vec<PageId>)> {
        let mut space = hobt.space.lock();
        self.load_space(hobt, &mut space)?;
        loop {
            let (start, iam) = self.iam_of_next_extent(work, hobt, &space)?;
            let Some(iam) = iam else {
                // Its first extent there, in a transaction of its own: the IAM page stays whatever becomes of this one.
                let mut sys = work.nested("AllocExtent");
                match self.add_extent(&mut sys, hobt, &mut space) {
                    Ok(()) => sys.commit_system()?,
                    Err(e) => {
                        self.abort_system(sys, Vec::new());
                        return Err(e);
                    }
                }
                continue;
            };
            let extents = self.take_free_extents(work, hobt, iam.file, start, want)?;
            if extents.is_empty() {
                // Others have taken what was there.
                continue;
            }
            let runs = bit_runs(&extents, start);
            let mut map = self.pool().write(&self.store, iam)?;
            for runs in runs.chunks(RUNS_PER_RECORD) {
                bits::set_bits(work, &mut map, Lcx::Iam, hobt.id(), runs, true)?;
            }
            drop(map);
            let mut pages = Vec::with_capacity(extents.len() * EXTENT_PAGES as usize);
            for &extent in &extents {
                pages.extend(self.unallocated(extent)?);
            }
            self.disown_pages(&pages)?;
            return Ok((extents, pages));
        }
    }

    /// The interval in which the next free extent lies, and the HoBt's IAM page there.
    fn iam_of_next_extent(
        &self,
        work: &Work,
        hobt: &Hobt,
        space: &Space,
    ) -> StorageResult<(u32, Option<PageId>)> {
        let next = self.find_free_extent(work, hobt)?;
        let start = interval_start(next.page);
        for &id in &space.iam {
            let page = self.pool().read(&self.store, id)?;
            if page.first_unit() == start && id.file == next.file {
                return Ok((start, Some(id)));
            }
        }
        Ok((start, None))
    }

    /// Clears the GAM bits of up to `want` free extents of an interval.
    fn take_free_extents(
        &self,
        work: &mut Work,
        hobt: &Hobt,
        file: FileId,
        start: u32,
        want: usize,
    ) -> StorageResult<Vec<PageId>> {
        let Some(data) = self.store.file(file) else { return Ok(Vec::new()) };
        let mut search = self.extents.lock();
        let pages = data.pages.load(Ordering::Acquire);
        let end = ((pages - start) / EXTENT_PAGES).min(BITMAP_BITS);
        let first = search.hint.max(start);
        let want = self.spare_extents_from(
            &data,
            hobt,
            PageId { file, page: first },
            want.try_into().unwrap_or(u32::MAX),
        )? as usize;
        let mut at = (first - start) / EXTENT_PAGES;
        let mut map = self.pool().write(&self.store, gam_of(PageId { file, page: start }))?;
        let mut taken = Vec::with_capacity(want);
        while taken.len() < want && at < end {
            let Some(bit) = map.find_set_bit(at, end) else { break };
            taken.push(PageId { file, page: start + bit * EXTENT_PAGES });
            at = bit + 1;
        }
        let runs = bit_runs(&taken, start);
        for runs in runs.chunks(RUNS_PER_RECORD) {
            bits::set_bits(work, &mut map, Lcx::Gam, hobt.id(), runs, false)?;
        }
        if let Some(last) = taken.last() {
            search.hint = last.page + EXTENT_PAGES;
        }
        Ok(taken)
    }

    /// Gives extents back, ascending and of one interval, that have been taken for a HoBt and none of whose pages was used; in a
    /// system transaction of its own.
    pub(super) fn return_bulk_extents(
        self: &Arc<Self>,
        work: &Work,
        hobt: &Hobt,
        extents: &[PageId],
    ) -> StorageResult<()> {
        let Some(first) = extents.first() else { return Ok(()) };
        let space = hobt.space.lock();
        let start = interval_start(first.page);
        debug_assert!(extents.iter().all(|e| interval_start(e.page) == start));
        let mut iam = None;
        for &id in &space.iam {
            let page = self.pool().read(&self.store, id)?;
            if page.first_unit() == start && id.file == first.file {
                iam = Some(id);
                break;
            }
        }
        let Some(iam) = iam else { return Ok(()) };
        let runs = bit_runs(extents, start);
        let mut sys = work.nested("FreeExtents");
        // Nobody takes one of them before the commit record that makes them free is in the log, or else before that is undone.
        let mut search = self.extents.lock();
        let done = (|| {
            let mut map = self.pool().write(&self.store, iam)?;
            for runs in runs.chunks(RUNS_PER_RECORD) {
                bits::set_bits(&mut sys, &mut map, Lcx::Iam, hobt.id(), runs, false)?;
            }
            drop(map);
            let mut map = self.pool().write(&self.store, gam_of(*first))?;
            for runs in runs.chunks(RUNS_PER_RECORD) {
                bits::set_bits(&mut sys, &mut map, Lcx::Gam, hobt.id(), runs, true)?;
            }
            Ok(())
        })();
        match done {
            Ok(()) => {
                sys.commit_system()?;
                search.hint = search.hint.min(first.page);
                Ok(())
            }
            Err(e) => {
                self.abort_system(sys, Vec::new());
                Err(e)
            }
        }
    }

    /// Marks pages, ascending, as allocated.
    pub(super) fn mark_allocated(
        &self,
        work: &mut Work,
        hobt: HobtId,
        pages: &[PageId],
    ) -> StorageResult<()> {
        let mut rest = pages;
        while let Some(&first) = rest.first() {
            let (pfs, _) = pfs_of(first);
            let n = rest.iter().take_while(|p| pfs_of(**p).0 == pfs).count();
            let mut runs: Vec<(u16, u16)> = Vec::new();
            for page in &rest[..n] {
                let index = pfs_of(*page).1 as u16;
                match runs.last_mut() {
                    Some((at, n)) if *at + *n == index => *n += 1,
                    _ => runs.push((index, 1)),
                }
            }
            let mut map = self.pool().write(&self.store, pfs)?;
            for runs in runs.chunks(RUNS_PER_RECORD) {
                bits::set_free_space(work, &mut map, hobt, runs, PFS_ALLOCATED)?;
            }
            rest = &rest[n..];
        }
        Ok(())
    }

    // ---- the ML map ----

    /// Notes that extents are filled with minimal logging.
    pub(super) fn mark_minimally_logged(
        &self,
        work: &mut Work,
        hobt: HobtId,
        extents: &[PageId],
    ) -> StorageResult<()> {
        if self.options().recovery_model == RecoveryModel::Simple {
            return Ok(());
        }
        self.change_ml_map(work, hobt, extents, true)
    }

    fn change_ml_map(
        &self,
        work: &mut Work,
        hobt: HobtId,
        extents: &[PageId],
        value: bool,
    ) -> StorageResult<()> {
        let mut rest = extents;
        while let Some(first) = rest.first() {
            let start = interval_start(first.page);
            let same = |e: &&PageId| e.file == first.file && interval_start(e.page) == start;
            let n = rest.iter().take_while(same).count();
            let mut map = self.pool().write(&self.store, ml_page(first.file, start))?;
            let bit = |e: &PageId| (e.page - start) / EXTENT_PAGES;
            let others = rest[..n].iter().filter(|e| map.bit(bit(e)) != value);
            let others: Vec<PageId> = others.copied().collect();
            for runs in bit_runs(&others, start).chunks(RUNS_PER_RECORD) {
                let flags = RecordFlags::REDO_ONLY;
                bits::set_bits_with(work, &mut map, Lcx::MlMap, hobt, runs, value, flags)?;
            }
            rest = &rest[n..];
        }
        Ok(())
    }

    /// The first pages of the extents that were changed with minimal logging since the last log backup, ascending. The caller holds
    /// the gate ([`Database::hold_bulk`]).
    pub fn bulk_extents(&self) -> StorageResult<Vec<PageId>> {
        let mut out = Vec::new();
        for file in self.store.files() {
            let pages = file.pages.load(Ordering::Acquire);
            let mut start = 0;
            while start < pages && pages - start >= EXTENT_PAGES {
                let map = self.pool().read(&self.store, ml_page(file.id, start))?;
                for (first, count) in map.set_runs(BITMAP_BITS) {
                    let page = |bit| PageId { file: file.id, page: start + bit * EXTENT_PAGES };
                    out.extend((first..first + count).map(page));
                }
                start = start.saturating_add(INTERVAL_PAGES);
            }
        }
        Ok(out)
    }

    /// A log backup that holds these extents is complete. The caller has held the gate since [`Database::bulk_extents`].
    pub fn clear_bulk_extents(self: &Arc<Self>, extents: &[PageId]) -> StorageResult<()> {
        let mut work = Work::system(self, "ClearMLMap");
        match self.change_ml_map(&mut work, HobtId::NONE, extents, false) {
            Ok(()) => work.commit_system(),
            Err(e) => {
                self.abort_system(work, Vec::new());
                Err(e)
            }
        }
    }

    // ---- the gate ----

    /// Keeps minimal logging away, after waiting for the transactions that use it; none: `give_up` said so.
    pub fn hold_bulk(&self, give_up: &dyn Fn() -> bool) -> Option<BulkHold> {
        let gate = self.bulk.clone();
        let mut state = gate.state.lock();
        state.held += 1;
        while state.active > 0 {
            if give_up() {
                state.held -= 1;
                return None;
            }
            gate.ended.wait_for(&mut state, Duration::from_millis(50));
        }
        drop(state);
        Some(BulkHold(gate))
    }
}

/// Extents of one interval, ascending, as runs of bits.
fn bit_runs(extents: &[PageId], start: u32) -> Vec<(u32, u32)> {
    bulk::runs_of(extents)
        .into_iter()
        .map(|(first, n)| ((first - start) / EXTENT_PAGES, n))
        .collect()
}

/// Between transactions that log less than everything and backups.
///
/// Invariant: while a [`BulkHold`] lives that [`Database::hold_bulk`] has returned, no [`MinimalLogging`] does.
#[derive(Default)]
pub(crate) struct BulkGate {
    state: Mutex<GateState>,
    ended: Condvar,
}

#[derive(Default)]
struct GateState {
    active: u32,
    held: u32,
}

/// Keeps minimal logging away while it lives: a backup's.
pub struct BulkHold(Arc<BulkGate>);

/// A transaction that logs less than everything; part of it until its end.
pub(crate) struct MinimalLogging(Arc<BulkGate>);

impl BulkGate {
    /// None while a backup keeps it away.
    pub fn enter(self: &Arc<Self>) -> Option<MinimalLogging> {
        let mut state = self.state.lock();
        if state.held > 0 {
            return None;
        }
        state.active += 1;
        Some(MinimalLogging(self.clone()))
    }
}

impl Drop for BulkHold {
    fn drop(&mut self) {
        self.0.state.lock().held -= 1;
    }
}

impl Drop for MinimalLogging {
    fn drop(&mut self) {
        self.0.state.lock().active -= 1;
        self.0.ended.notify_all();
    }
}
