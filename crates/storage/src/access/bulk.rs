//! Pages filled in memory, and how they get into the database.
//!
//! ```text
//! logging    a page's contents                                    used for
//! Whole      one LOP_FORMAT_PAGE each; dirty in the pool          FULL, or while a backup runs
//! Minimal    not logged; written and synced before the commit     SIMPLE, BULK_LOGGED
//! Nothing    not logged; dirty in the pool                        tempdb
//! ```
//! In each of them the allocation is logged, with LOP_BULK_EXT_ALLOCATION, whose position is the pages' LSN where there is no other.
//!
//! A heap takes its extents in the user's transaction, as many as it has just filled: undo takes the pages out of the PFS, the extents out
//! of the IAM page and gives them back to the GAM. What does not fill an extent is inserted row by row. So a heap need not be empty.
//! A tree is built anew from its leaves upwards ([`super::build`]); there system transactions take the extents, and undo of the tree's
//! entry in the directory frees all of them.
//!
//! The caller holds X or Sch-M on the object: no row locks are taken.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{LogPos, PAGE_BYTES, PageId};
use taffrail_io::AlignedBuf;
use taffrail_log::{Lcx, Lop, RecordFlags, Reserve};

use super::operations::Operation;
use super::record::bulk;
use super::{Hobt, Rid, heap};
use crate::error::StorageResult;
use crate::layout::EXTENT_PAGES;
use crate::page::{Format, Page, PageType, SLOT_BYTES};
use crate::txn::Transaction;
use crate::txn::work::Change;

/// Pages that are written together: 1 MB.
pub(super) const BATCH: usize = 128;

/// The extent to which a page's contents are logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Logging {
    Whole,
    Minimal,
    Nothing,
}

impl Logging {
    pub fn of(tx: &mut Transaction) -> Logging {
        if tx.database().is_temporary() {
            Logging::Nothing
        } else if tx.may_log_minimally() {
            Logging::Minimal
        } else {
            Logging::Whole
        }
    }
}

/// Writes pages of a load.
pub(super) struct PageWriter {
    pub logging: Logging,
    context: Lcx,
    buf: Option<AlignedBuf>,
    /// The log is durable up to here.
    hardened: LogPos,
}

impl PageWriter {
    pub fn new(tx: &mut Transaction, context: Lcx) -> PageWriter {
        PageWriter { logging: Logging::of(tx), context, buf: None, hardened: LogPos::ZERO }
    }

    /// Puts pages that have their ids, in ascending order, into the database. `allocated`: the record that allocated the last of them.
    pub fn write(
        &mut self,
        tx: &mut Transaction,
        pages: &mut [Box<Page>],
        allocated: LogPos,
    ) -> StorageResult<()> {
        debug_assert!(pages.len() <= BATCH && pages.is_sorted_by_key(|p| p.id()));
        match self.logging {
            Logging::Minimal => {
                let db = tx.database();
                for page in pages.iter_mut() {
                    page.set_lsn(allocated);
                }
                // The write-ahead rule: until then the extents may still be somebody else's after a crash.
                if self.hardened < allocated {
                    db.store.harden(allocated)?;
                    self.hardened = allocated;
                }
                let buf = self.buf.get_or_insert_with(|| AlignedBuf::zeroed(BATCH * PAGE_BYTES));
                db.store.write_new_pages(db.pool(), buf, pages)
            }
            Logging::Whole => pages.iter_mut().try_for_each(|p| self.log_page(tx, p, allocated)),
            Logging::Nothing => {
                let (db, _) = tx.parts();
                for page in pages.iter_mut() {
                    page.set_lsn(allocated);
                    let mut guard = db.pool().write_unread(&db.store, page.id())?;
                    guard.will_change(&db.store);
                    guard.bytes_mut().copy_from_slice(page.bytes());
                }
                Ok(())
            }
        }
    }

    fn log_page(
        &self,
        tx: &mut Transaction,
        page: &mut Page,
        allocated: LogPos,
    ) -> StorageResult<()> {
        let (db, work) = tx.parts();
        page.set_lsn_raw(0);
        let mut guard = db.pool().write_unread(&db.store, page.id())?;
        guard.bytes_mut().copy_from_slice(page.bytes());
        let change = Change {
            hobt: page.hobt(),
            // What the page holds is nobody's business once its allocation is undone.
            flags: RecordFlags::PAGE_IMAGE.with(RecordFlags::REDO_ONLY),
            reserve: Reserve::NONE,
            ..Change::new(Lop::FormatPage, self.context)
        };
        match work.change(&mut guard, &change, &page.image()) {
            Ok(pos) => {
                guard.was_formatted(pos);
                db.store.rarities.bulk_logged.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(e) => {
                // Redo of what the page held before must not find it without those changes.
                guard.set_lsn(allocated);
                guard.disown();
                Err(e)
            }
        }
    }

    /// Everything written is durable on return: before the commit that makes it count.
    pub fn sync(&self, tx: &Transaction) -> StorageResult<()> {
        match self.logging {
            Logging::Minimal if self.buf.is_some() => tx.database().store.sync_files(),
            _ => Ok(()),
        }
    }
}

/// Told of each row of a load when it has its place.
pub type Placed<'a> = &'a mut dyn FnMut(&mut Transaction, Rid, &[u8]) -> StorageResult<()>;

/// Adds many rows to a heap, which may have some.
pub struct HeapLoad {
    hobt: Arc<Hobt>,
    writer: Option<PageWriter>,
    /// The first `full` are, the next one is being filled; the others are spare.
    pages: Vec<Box<Page>>,
    full: usize,
    rows: u64,
}

impl HeapLoad {
    /// A load. The caller holds X or Sch-M on the object until its transaction ends.
    pub fn open(hobt: &Arc<Hobt>) -> HeapLoad {
        HeapLoad { hobt: hobt.clone(), writer: None, pages: Vec::new(), full: 0, rows: 0 }
    }

    /// Adds a row at the end.
    pub fn push(&mut self, tx: &mut Transaction, row: &[u8]) -> StorageResult<()> {
        self.push_each(tx, row, &mut |_, _, _| Ok(()))
    }

    /// Adds a row, and tells of those, perhaps none or many, that have got their places meanwhile.
    pub fn push_each(
        &mut self,
        tx: &mut Transaction,
        row: &[u8],
        each: Placed<'_>,
    ) -> StorageResult<()> {
        heap::check(&self.hobt, row)?;
        let need = (1 + row.len()).max(heap::STUB) + SLOT_BYTES;
        loop {
            if self.full == self.pages.len() {
                self.pages.push(Page::zeroed());
            }
            let page = &mut self.pages[self.full];
            if page.kind().is_none() {
                page.format(&Format {
                    hobt: self.hobt.id(),
                    object: self.hobt.object().0,
                    index: self.hobt.index().0,
                    ..Format::new(PageId::NONE, PageType::Heap)
                });
            }
            if page.free_bytes() as usize >= need {
                let slot = page.slots().into();
                if need > heap::STUB + SLOT_BYTES {
                    page.insert_row(slot, &[&[0], row]);
                } else {
                    page.insert_row(slot, &[&heap::encode(0, &[row])]);
                }
                self.rows += 1;
                return Ok(());
            }
            self.full += 1;
            if self.full == BATCH {
                self.flush(tx, each)?;
            }
        }
    }

    /// Puts the full pages into extents of their own, as far as they fill them.
    fn flush(&mut self, tx: &mut Transaction, each: Placed<'_>) -> StorageResult<()> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => self.writer.insert(PageWriter::new(tx, Lcx::Heap)),
        };
        let mut done = 0;
        let extent = EXTENT_PAGES as usize;
        while self.full - done >= extent {
            let minimal = writer.logging == Logging::Minimal;
            let (db, work) = tx.parts();
            if self.hobt.root().is_none() {
                db.allocate_root(work, &self.hobt)?;
            }
            let want = (self.full - done) / extent;
            let (extents, ids) = db.take_bulk_extents(work, &self.hobt, want)?;
            let pages = &mut self.pages[done..done + ids.len()];
            let rows: i64 = pages.iter().map(|p| i64::from(p.slots())).sum();
            let counting = self.hobt.counting();
            let at = bulk::log_allocation(work, self.hobt.id(), minimal, rows, &extents)?;
            self.hobt.add_rows(rows);
            drop(counting);
            let operations = self.hobt.operations();
            operations.add(Operation::LeafInsert, rows.max(0) as u64);
            operations.add(Operation::LeafAllocation, pages.len() as u64);
            if minimal {
                db.mark_minimally_logged(work, self.hobt.id(), &extents)?;
            }
            for (page, id) in pages.iter_mut().zip(&ids) {
                page.set_id(*id);
            }
            tx.parts().1.note_pages(&self.hobt, &ids)?;
            writer.write(tx, pages, at)?;
            let (db, work) = tx.parts();
            db.mark_allocated(work, self.hobt.id(), &ids)?;
            for (page, id) in self.pages[done..].iter().zip(&ids) {
                for slot in 0..page.slots() {
                    let rid = Rid { page: *id, slot };
                    each(tx, rid, heap::decode(page.row(slot.into())))?;
                }
            }
            done += ids.len();
        }
        // What is left, and the page that is being filled, come first; the others are used again.
        for page in &mut self.pages[..done] {
            page.bytes_mut()[..2].fill(0);
        }
        self.pages.rotate_left(done);
        self.full -= done;
        Ok(())
    }

    /// Ends the load: everything is in the database, and on disk where the log does not have it. Gives the number of rows.
    pub fn finish(self, tx: &mut Transaction) -> StorageResult<u64> {
        self.finish_each(tx, &mut |_, _, _| Ok(()))
    }

    /// The same, and tells of the rows that it had not told of.
    pub fn finish_each(mut self, tx: &mut Transaction, each: Placed<'_>) -> StorageResult<u64> {
        self.flush_extents(tx, each)?;
        // First: the rows that follow may go to one of these pages, and their records want one that can be read.
        if let Some(writer) = &self.writer {
            writer.sync(tx)?;
        }
        let current = usize::from(self.pages.get(self.full).is_some_and(|p| p.kind().is_some()));
        for page in &self.pages[..self.full + current] {
            for slot in 0..page.slots() {
                let row = heap::decode(page.row(slot.into()));
                let rid = heap::insert(tx, &self.hobt, row)?;
                each(tx, rid, row)?;
            }
        }
        Ok(self.rows)
    }

    fn flush_extents(&mut self, tx: &mut Transaction, each: Placed<'_>) -> StorageResult<()> {
        if self.full >= EXTENT_PAGES as usize { self.flush(tx, each) } else { Ok(()) }
    }
}
