//! The pages that a heap or tree has, by the maps, against those that were reached.

use taffrail_base::PageId;

use super::{Walk, What, readable};
use crate::error::StorageResult;
use crate::layout::{EXTENT_PAGES, INTERVAL_PAGES, is_system_page, pfs_of};
use crate::orphans::claims_rows;
use crate::page::{BITMAP_BITS, PFS_ALLOCATED, Page, PageType};

impl Walk<'_> {
    /// Reads IAM chain and PFS pages.
    pub(super) fn maps(&mut self) -> StorageResult<()> {
        let mut id = self.hobt.first_iam();
        let mut before = PageId::NONE;
        while !id.is_none() {
            if self.exists(id) && !self.seen.insert(id) {
                self.iam_finding(id, "not in the chain before", 1, 0);
                return Ok(());
            }
            let Some(page) = self.read(id, before)? else { return Ok(()) };
            if !self.owned(&page, PageType::Iam) {
                return Ok(());
            }
            let start = page.first_unit();
            if !start.is_multiple_of(INTERVAL_PAGES) {
                self.iam_finding(id, "first page of an interval", start.into(), 0);
                return Ok(());
            }
            if page.prev() != before {
                self.iam_finding(
                    id,
                    "previous IAM page",
                    page.prev().to_u64() as i64,
                    before.to_u64() as i64,
                );
            }
            for extent in page.set_runs(BITMAP_BITS).into_iter().flat_map(|(at, n)| at..at + n) {
                let first =
                    PageId { file: id.file, page: start.saturating_add(extent * EXTENT_PAGES) };
                if !self.exists(PageId {
                    file: first.file,
                    page: first.page.saturating_add(EXTENT_PAGES - 1),
                }) {
                    self.find(What::NoSuchPage { page: first, from: id });
                    continue;
                }
                for at in 0..EXTENT_PAGES {
                    let page = PageId { file: first.file, page: first.page + at };
                    if is_system_page(page) {
                        continue;
                    }
                    let allocated = self.is_allocated(page)?;
                    let pages = if allocated { &mut self.allocated } else { &mut self.free };
                    pages.insert(page);
                }
            }
            before = id;
            id = page.next();
        }
        Ok(())
    }

    fn iam_finding(&mut self, page: PageId, test: &'static str, found: i64, expected: i64) {
        self.find(What::Iam { page, test, found, expected });
    }

    /// The PFS byte as it is now. Of a PFS page that cannot be read, which is a finding of its own, nothing is known.
    pub(super) fn is_allocated(&mut self, page: PageId) -> StorageResult<bool> {
        let (pfs, index) = pfs_of(page);
        let byte = self.db.pool().read(&self.db.store, pfs).map(|map| map.pfs(index));
        match readable(byte)? {
            Ok(byte) => Ok(byte & PFS_ALLOCATED != 0),
            Err(why) => {
                let what = What::Unreadable { page: pfs, why };
                if !self.out.findings.iter().any(|f| f.what == what) {
                    self.find(what);
                }
                Ok(false)
            }
        }
    }

    /// Looks at pages that are allocated and were not reached: pieces of large values, or lost.
    pub(super) fn unreached(&mut self) -> StorageResult<()> {
        let pages: Vec<PageId> =
            self.allocated.iter().filter(|p| !self.seen.contains(*p)).collect();
        for id in pages {
            let Some(page) = self.read(id, self.hobt.first_iam())? else { continue };
            if page.kind() == Some(PageType::Lob) {
                if !self.owned(&page, PageType::Lob) {
                    continue;
                }
                self.slots(&page);
                self.out.pages += 1;
                if page.is_mix() {
                    for slot in self.lobs.mix(&page) {
                        let len = page.row(slot.into()).len();
                        self.bad_row(&page, slot, "a small value, once", len, 0);
                    }
                    continue;
                }
                if page.slots() > 1 {
                    self.bad_row(&page, 1, "one piece on a page", page.slots().into(), 1);
                }
                if !self.lobs.page(&page) {
                    self.bad_row(&page, 0, "a piece or references", page.row(0).len(), 0);
                }
            } else if self.is_allocated(id)? {
                self.find(What::NotSeen { page: id });
            }
        }
        Ok(())
    }

    /// Pages in memory that are free and would be taken for one of the heap's or tree's, rows and all: a change that goes by a hint could
    /// be lost there.
    pub(super) fn pretenders(&mut self) -> StorageResult<()> {
        let pages: Vec<PageId> = self.free.iter().filter(|p| !self.seen.contains(*p)).collect();
        for id in pages {
            let page = self.db.pool().read_present(&self.db.store, id);
            let claims = |p: &Page| claims_rows(p) && p.hobt() == self.hobt.id();
            let Some(page) = page.filter(|p| claims(p)) else { continue };
            // Under its latch: nobody is given it, or gives it back, in between.
            if !self.is_allocated(id)? {
                let (pfs, _) = pfs_of(id);
                self.find(What::Pfs { page: id, pfs, status: 0, expected: PFS_ALLOCATED });
            }
            drop(page);
        }
        Ok(())
    }

    /// Finds pages that were reached and are not the heap's or tree's, or not allocated, by the
    /// maps.
    pub(super) fn misplaced(&mut self) -> StorageResult<()> {
        let pages: Vec<PageId> = self
            .seen
            .iter()
            .filter(|p| !self.allocated.contains(*p) && !is_system_page(*p))
            .collect();
        for id in pages {
            let (pfs, _) = pfs_of(id);
            if !self.is_allocated(id)? {
                self.find(What::Pfs { page: id, pfs, status: 0, expected: PFS_ALLOCATED });
            } else {
                self.find(What::Foreign { page: id });
            }
        }
        Ok(())
    }
}
