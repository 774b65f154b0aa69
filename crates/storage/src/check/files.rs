//! The extents of the files: every extent is free by the GAM page, or in one IAM chain, or the format's own.
//!
//! Others allocate meanwhile, and what they do takes more than one page: between the GAM's bit and the IAM page's a moment passes.
//! So a finding counts if every look finds it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{HobtId, PageId};

use super::{Finding, PageSet, What, readable};
use crate::access::directory::{self, Pending};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::{
    DIRECTORY, DIRECTORY_IAM, EXTENT_PAGES, FIRST_USER_PAGE, INTERVAL_PAGES, gam_of,
    is_system_page, pfs_of,
};
use crate::lock::LockError;
use crate::page::{BITMAP_BITS, PFS_ALLOCATED, Page, PageType};

/// How often it is looked.
const LOOKS: usize = 5;

/// The heap or tree that has an extent.
type Owners = BTreeMap<PageId, HobtId>;

struct Look<'a> {
    db: &'a Arc<Database>,
    give_up: &'a mut dyn FnMut() -> bool,
    found: BTreeSet<(u64, What)>,
}

impl Database {
    /// Checks the allocation maps of all files (DBCC CHECKALLOC). `give_up` is asked with every map.
    pub fn check_allocation(
        self: &Arc<Self>,
        give_up: &mut dyn FnMut() -> bool,
    ) -> StorageResult<Vec<Finding>> {
        let mut all: Option<BTreeSet<(u64, What)>> = None;
        for _ in 0..LOOKS {
            let mut look = Look { db: self, give_up, found: BTreeSet::new() };
            look.run()?;
            let found = look.found;
            let still = match all.take() {
                None => found,
                Some(before) => before.intersection(&found).cloned().collect(),
            };
            if still.is_empty() {
                return Ok(Vec::new());
            }
            all = Some(still);
        }
        let entries: BTreeMap<_, _> = directory::entries(self)?.into_iter().collect();
        let finding = |(id, what): (u64, What)| {
            let entry = entries.get(&HobtId(id));
            let (object, index) = entry.map_or((0, 0), |e| (e.object.0, e.index.0));
            Finding { hobt: HobtId(id), object, index, what }
        };
        Ok(all.unwrap_or_default().into_iter().map(finding).collect())
    }
}

impl Look<'_> {
    fn find(&mut self, hobt: HobtId, what: What) {
        self.found.insert((hobt.0, what));
    }

    fn read(
        &mut self,
        hobt: HobtId,
        id: PageId,
        kind: PageType,
    ) -> StorageResult<Option<Box<Page>>> {
        if (self.give_up)() {
            return Err(StorageError::Lock(LockError::Cancelled));
        }
        let page = self.db.pool().read(&self.db.store, id).map(|p| {
            let mut copy = Page::zeroed();
            copy.bytes_mut().copy_from_slice(p.bytes());
            copy
        });
        match readable(page)? {
            Ok(page) if page.kind() == Some(kind) => return Ok(Some(page)),
            Ok(page) => self.find(hobt, What::PageType { page: id, kind: page.bytes()[1] }),
            Err(why) => self.find(hobt, What::Unreadable { page: id, why }),
        }
        Ok(None)
    }

    fn run(&mut self) -> StorageResult<()> {
        let mut owners = Owners::new();
        self.chain(DIRECTORY, DIRECTORY_IAM, &mut owners)?;
        for (id, entry) in directory::entries(self.db)? {
            self.chain(id, entry.first_iam, &mut owners)?;
        }
        for waiting in directory::pending(self.db)? {
            if let Pending::Extents(iam) = waiting {
                self.chain(HobtId::NONE, iam, &mut owners)?;
            }
        }
        for file in self.db.store.files() {
            let pages = file.pages.load(Ordering::Acquire);
            for start in (0..pages).step_by(INTERVAL_PAGES as usize) {
                if pages - start >= EXTENT_PAGES {
                    let end = (pages - start).min(INTERVAL_PAGES);
                    self.interval(
                        PageId { file: file.id, page: start },
                        end / EXTENT_PAGES,
                        &owners,
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Notes the extents of a chain.
    fn chain(&mut self, hobt: HobtId, first: PageId, owners: &mut Owners) -> StorageResult<()> {
        let (mut id, mut seen) = (first, PageSet::default());
        while !id.is_none() {
            let file = self.db.store.file(id.file);
            if file.is_none_or(|f| id.page >= f.pages.load(Ordering::Acquire)) || !seen.insert(id) {
                self.find(hobt, What::NoSuchPage { page: id, from: first });
                return Ok(());
            }
            let Some(page) = self.read(hobt, id, PageType::Iam)? else { return Ok(()) };
            if hobt != HobtId::NONE && page.hobt() != hobt {
                self.find(hobt, What::Foreign { page: id });
                return Ok(());
            }
            for extent in page.set_runs(BITMAP_BITS).into_iter().flat_map(|(at, n)| at..at + n) {
                let at = page.first_unit().saturating_add(extent * EXTENT_PAGES);
                let extent = PageId { file: id.file, page: at };
                if let Some(other) = owners.insert(extent, hobt)
                    && other != hobt
                {
                    self.find(hobt, What::ExtentTwice { extent, other });
                }
            }
            id = page.next();
        }
        Ok(())
    }

    fn interval(&mut self, first: PageId, extents: u32, owners: &Owners) -> StorageResult<()> {
        let gam = gam_of(first);
        let Some(map) = self.read(HobtId::NONE, gam, PageType::Gam)? else { return Ok(()) };
        let mut pfs: Option<Box<Page>> = None;
        for i in 0..extents.min(BITMAP_BITS) {
            let extent = PageId { file: first.file, page: first.page + i * EXTENT_PAGES };
            let reserved = i == 0 || (extent.file.0 == 1 && extent.page < FIRST_USER_PAGE);
            let owner = owners.get(&extent).copied();
            match (map.bit(i), owner) {
                (true, Some(owner)) => self.find(owner, What::ExtentFree { extent, gam }),
                (true, None) if reserved => {
                    self.find(HobtId::NONE, What::ExtentFree { extent, gam })
                }
                (false, None) if !reserved => self.find(HobtId::NONE, What::ExtentLost { extent }),
                _ => {}
            }
            if owner.is_some() || reserved || !map.bit(i) {
                continue;
            }
            let (of, index) = pfs_of(extent);
            if pfs.as_ref().is_none_or(|p| p.id() != of) {
                pfs = self.read(HobtId::NONE, of, PageType::Pfs)?;
            }
            let Some(bytes) = &pfs else { continue };
            let lost: Vec<(PageId, u8)> = (0..EXTENT_PAGES)
                .map(|at| (PageId { page: extent.page + at, ..extent }, bytes.pfs(index + at)))
                .filter(|(page, byte)| byte & PFS_ALLOCATED != 0 && !is_system_page(*page))
                .collect();
            for (page, status) in lost {
                self.find(HobtId::NONE, What::PageLost { page, pfs: of, status });
            }
        }
        Ok(())
    }
}
