//! Scans of heaps, extent by extent.

use std::sync::Arc;

use taffrail_base::PageId;

use super::cursor::page_lsn;
use super::heap::{decode, fetch, flags_of, is_heap_page, read_row};
use super::node::{FORWARDED, FORWARDING, GHOST};
use super::sample::Sample;
use super::{Hobt, Rid, ScanLocks};
use crate::buffer::Access;
use crate::error::{StorageError, StorageResult};
use crate::layout::EXTENT_PAGES;
use crate::page::PageCopy;
use crate::txn::Transaction;
use crate::versions::{Image, PageSeen};

/// A position in a heap, with its own copy of the page that it is on: no latch is held between calls. See
/// [`super::btree::BTreeCursor`] about locks.
pub struct HeapCursor {
    hobt: Arc<Hobt>,
    locks: ScanLocks,
    started: bool,
    /// The next IAM page.
    iam: PageId,
    /// Extents of the IAM page before that are left, the next one last.
    runs: Vec<(u32, u32)>,
    start: u32,
    file: u16,
    /// Pages of the extent that are left, the next one last.
    pages: Vec<PageId>,
    copy: PageCopy,
    frame: u32,
    /// [`Hobt::structure`] when it was copied.
    structure: u64,
    clean: bool,
    slot: u16,
    slots: u16,
    row: Vec<u8>,
    /// The pages that are read; none: all.
    sample: Option<Sample>,
    /// Slots whose rows were something else for the snapshot, in order.
    was: Vec<(u16, Image)>,
}

impl HeapCursor {
    pub(super) fn new(hobt: Arc<Hobt>, locks: ScanLocks) -> HeapCursor {
        HeapCursor {
            hobt,
            locks,
            started: false,
            iam: PageId::NONE,
            runs: Vec::new(),
            start: 0,
            file: 1,
            pages: Vec::new(),
            copy: PageCopy::new(),
            frame: u32::MAX,
            structure: 0,
            clean: true,
            slot: 0,
            slots: 0,
            row: Vec::new(),
            sample: None,
            was: Vec::new(),
        }
    }

    /// Reads a sample of the pages only.
    pub fn of_sample(mut self, sample: Option<Sample>) -> HeapCursor {
        self.sample = sample;
        self
    }

    /// The next row, with its place.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<(Rid, &[u8])>> {
        loop {
            if self.slot >= self.slots {
                if !self.load_next(tx)? {
                    return Ok(None);
                }
                continue;
            }
            let slot = self.slot;
            self.slot += 1;
            let rid = Rid { page: self.copy.id(), slot };
            if let Ok(at) = self.was.binary_search_by_key(&slot, |(slot, _)| *slot) {
                if self.was[at].1.is_none() {
                    continue;
                }
                return Ok(Some((rid, self.was[at].1.as_deref().unwrap_or_default())));
            }
            let Some(flags) = flags_of(&self.copy, slot) else { continue };
            if flags & FORWARDED != 0 {
                continue;
            }
            if self.clean && flags & FORWARDING == 0 {
                if flags & GHOST != 0 {
                    continue;
                }
                return Ok(Some((rid, decode(self.copy.row(slot.into())))));
            }
            if !self.clean && flags & FORWARDING == 0 {
                match self.locked(tx, rid)? {
                    Some(true) => return Ok(Some((rid, decode(self.copy.row(slot.into()))))),
                    Some(false) => return Ok(Some((rid, &self.row))),
                    None => continue,
                }
            }
            if fetch(tx, &self.hobt, rid, self.locks, &mut self.row)? {
                return Ok(Some((rid, &self.row)));
            }
        }
    }

    /// Whether the rows of a page whose latch is held need no locks of their own.
    fn needs_no_locks(&self, tx: &Transaction) -> bool {
        match self.locks {
            ScanLocks::None | ScanLocks::Versions => true,
            ScanLocks::ReadCommitted => !tx.others_write(&self.hobt),
            _ => false,
        }
    }

    /// Goes on for another transaction, or a later statement of this one: what the locks of the one before had kept as it was may have
    /// changed. The rows behind the one that was given last are those that the page has now.
    ///
    /// A scan without locks may be on a page that has been taken from the heap since, and still looks like its own: 601 where pages
    /// have been.
    pub fn go_on(&mut self, tx: &Transaction) -> StorageResult<()> {
        if self.frame == u32::MAX {
            return Ok(());
        }
        let unlocked = matches!(self.locks, ScanLocks::None | ScanLocks::Versions);
        if unlocked && self.structure != self.hobt.structure() {
            return Err(StorageError::RowNotFound);
        }
        let db = tx.database();
        let page = db.pool().read_for(&db.store, self.copy.id(), Access::Scan)?;
        if !is_heap_page(&page, &self.hobt) {
            self.slots = self.slot;
            return Ok(());
        }
        if page.lsn() != self.copy.lsn() {
            self.copy.of(&page);
            self.slots = self.copy.slots();
        }
        self.frame = page.frame();
        self.clean = self.needs_no_locks(tx);
        self.find_images(tx)
    }

    /// Looks what the rows of the copy were for the snapshot. The latch of the copy's page, which is as it was copied, is held.
    fn find_images(&mut self, tx: &Transaction) -> StorageResult<()> {
        self.was.clear();
        if self.locks != ScanLocks::Versions {
            return Ok(());
        }
        let view = tx.view()?;
        if let Some(versions) = self.hobt.versions() {
            if tx.page_seen(versions, view, self.copy.id())? != PageSeen::Rows {
                self.slots = self.slot;
            }
            for slot in self.slot..self.slots {
                let rid = Rid { page: self.copy.id(), slot };
                let image = tx.image_of(versions, view, &rid.to_bytes());
                self.was.extend(image.map(|image| (slot, image)));
            }
        }
        tx.view_stands()
    }

    /// The lock of a row was not had in [`HeapCursor::next`]: the next call looks at it again.
    pub fn step_back(&mut self) {
        self.slot = self.slot.saturating_sub(1);
    }

    /// Where the row is that [`HeapCursor::next`] gave last.
    pub fn rid(&self) -> Rid {
        Rid { page: self.copy.id(), slot: self.slot.saturating_sub(1) }
    }

    /// As for trees: `Some(true)`: the copy is right; `Some(false)`: the row was read again.
    fn locked(&mut self, tx: &mut Transaction, rid: Rid) -> StorageResult<Option<bool>> {
        let Some(mode) = self.locks.mode() else { return Ok(Some(true)) };
        let new = tx.lock_rid(&self.hobt, rid, mode)?;
        let (db, _) = tx.parts();
        let found = if page_lsn(db, rid.page, self.frame) == Some(self.copy.lsn()) {
            let ghost = flags_of(&self.copy, rid.slot).is_none_or(|f| f & GHOST != 0);
            (!ghost).then_some(true)
        } else {
            self.row.clear();
            read_row(db, &self.hobt, rid, &mut self.row)?.then_some(false)
        };
        if new && (found.is_none() || self.locks == ScanLocks::ReadCommitted) {
            tx.unlock_rid(rid);
        }
        Ok(found)
    }

    fn load_next(&mut self, tx: &mut Transaction) -> StorageResult<bool> {
        let db = tx.database().clone();
        if !self.started {
            self.started = true;
            self.iam = self.hobt.first_iam();
            if self.locks == ScanLocks::Versions && self.iam.is_none() {
                tx.nothing_seen(&self.hobt)?;
            }
        }
        loop {
            if let Some(page) = self.pages.pop() {
                if self.sample.is_some_and(|s| !s.takes(page)) {
                    continue;
                }
                let page = db.pool().read_for(&db.store, page, Access::Scan)?;
                if !is_heap_page(&page, &self.hobt) {
                    continue;
                }
                self.copy.of(&page);
                self.frame = page.frame();
                self.structure = self.hobt.structure();
                self.clean = self.needs_no_locks(tx);
                (self.slot, self.slots) = (0, self.copy.slots());
                self.find_images(tx)?;
                return Ok(true);
            }
            if let Some((first, count)) = self.runs.pop() {
                if count > 1 {
                    self.runs.push((first + 1, count - 1));
                }
                let page = PageId::new(self.file, self.start + first * EXTENT_PAGES);
                self.pages = db.allocated(page)?;
                self.pages.reverse();
                continue;
            }
            if self.iam.is_none() {
                return Ok(false);
            }
            self.file = self.iam.file.0;
            let (mut runs, start, next) = db.read_iam(self.iam, self.hobt.id())?;
            runs.reverse();
            (self.runs, self.start, self.iam) = (runs, start, next);
        }
    }
}
