//! Is it whole? A walk through pages that takes nothing for granted, and changes nothing: what DBCC CHECKTABLE and CHECKDB tell.
//!
//! ```text
//! space    the maps of one heap or tree: IAM chain, extents, PFS bytes ─► the pages it has
//! tree     from the root, in the order of keys ─────────────────────────► the pages that are reached, and every row
//! heap     all its pages, extent by extent; stubs against forwarded rows ► the same
//! rows     what every page with slots must be: rows apart from each other, fields that add up
//! lobs     trees of large values against the references in the rows
//! files    the extents of a whole file: GAM against every IAM chain and the PFS
//! finding  what is found, and the message for it
//! ```
//! What a page says is input: a finding, never a panic, and no page number is followed that was followed before. Pages are read
//! through the pool, a copy at a time, so that no latch is held while a row is looked at and the pool may be smaller than the table;
//! a page that is not in the pool has its checksum verified, as by everybody who reads it.
//!
//! # What is held still
//! The caller holds S (or more) on the object: nobody writes rows, splits or frees pages. Ghost cleanup, which asks for no lock, stays
//! away while a walk is under way. Large values that a committed transaction has left are freed beside the walk: a page whose
//! allocation is in doubt is looked up again at the end, and so are the large values that wait to be freed. The directory and the
//! catalogue's trees change under no object's lock: what is found there counts if walk after walk finds something.
//!
//! # What may differ
//! Ghosts lie in trees and heaps until they are cleaned. A crash between a large value's allocation and its content leaves pages
//! without a row that nothing leads to; extents of what was dropped belong to their IAM chain until the deferred drop has freed them;
//! leaves may be empty; interior pages are not linked with each other; of a heap, empty slots stay where they are.

mod files;
mod finding;
mod heap;
mod lobs;
mod rows;
mod space;
mod tree;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{HobtId, PageId};

use crate::access::{Hobt, HobtKind, LobRef, Rid};
use crate::buffer::Access;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::DIRECTORY;
use crate::lock::LockError;
use crate::page::{Page, PageType};

pub use finding::{Finding, What};

/// Findings that are kept of one heap or tree; the others are counted.
const FINDINGS_MAX: usize = 200;
/// How often a tree is walked that nobody can hold still.
const WALKS: usize = 5;

/// Why a row was not accepted by who knows what is in it.
pub enum RowFault {
    /// It is damaged: a finding.
    Bad(String),
    /// The check cannot go on.
    Stop(StorageError),
}

impl From<StorageError> for RowFault {
    fn from(e: StorageError) -> RowFault {
        RowFault::Stop(e)
    }
}

/// The knowledge of rows that only the catalogue has.
pub trait Rows {
    /// A walk begins (anew): what the one before told is void.
    fn begin(&mut self) {}

    /// A row that is there, of a tree with its key, of a heap with its [`Rid`] as key. The large values that it refers to go to `lobs`.
    fn row(
        &mut self,
        at: Rid,
        key: &[u8],
        value: &[u8],
        lobs: &mut Vec<LobRef>,
    ) -> Result<(), RowFault>;

    /// Whether [`Rows::row`] tells of all large values: without it none is called lost.
    fn tells_lobs(&self) -> bool {
        true
    }
}

/// Looks at no row.
pub struct NoRows;

impl Rows for NoRows {
    fn row(&mut self, _: Rid, _: &[u8], _: &[u8], _: &mut Vec<LobRef>) -> Result<(), RowFault> {
        Ok(())
    }

    fn tells_lobs(&self) -> bool {
        false
    }
}

/// The outcome of a check.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Checked {
    /// Rows that are there.
    pub rows: u64,
    /// Pages with rows or separators, and of large values.
    pub pages: u64,
    /// Every page and row was reached, whatever is wrong with them: rows can be compared with an index's.
    pub complete: bool,
    /// The findings, up to two hundred.
    pub findings: Vec<Finding>,
    /// The number of findings beyond those.
    pub more: u64,
}

impl Checked {
    /// Everything that is wrong, counted.
    pub fn errors(&self) -> u64 {
        self.findings.len() as u64 + self.more
    }
}

/// Pages by number: a bit each, of pages that there are.
#[derive(Default)]
pub(super) struct PageSet {
    files: BTreeMap<u16, Vec<u64>>,
}

impl PageSet {
    /// Adds a page; false: it is there.
    pub fn insert(&mut self, page: PageId) -> bool {
        let words = self.files.entry(page.file.0).or_default();
        let (word, bit) = (page.page as usize / 64, 1u64 << (page.page % 64));
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        let new = words[word] & bit == 0;
        words[word] |= bit;
        new
    }

    pub fn contains(&self, page: PageId) -> bool {
        let words = self.files.get(&page.file.0);
        words
            .and_then(|w| w.get(page.page as usize / 64))
            .is_some_and(|w| w >> (page.page % 64) & 1 == 1)
    }

    pub fn iter(&self) -> impl Iterator<Item = PageId> {
        self.files.iter().flat_map(|(&file, words)| {
            words.iter().enumerate().filter(|(_, w)| **w != 0).flat_map(move |(i, w)| {
                let set = (0..64u32).filter(move |bit| w >> bit & 1 == 1);
                set.map(move |bit| PageId::new(file, i as u32 * 64 + bit))
            })
        })
    }
}

/// A walk through one heap or tree.
pub(super) struct Walk<'a> {
    db: &'a Arc<Database>,
    hobt: &'a Arc<Hobt>,
    rows: &'a mut dyn Rows,
    give_up: &'a mut dyn FnMut() -> bool,
    out: Checked,
    /// The pages that IAM chain and PFS pages say it has.
    allocated: PageSet,
    /// Pages of its extents that are free.
    free: PageSet,
    /// Reached, IAM pages included.
    seen: PageSet,
    lobs: lobs::Lobs,
    refs: Vec<LobRef>,
}

impl Walk<'_> {
    fn find(&mut self, what: What) {
        if self.out.findings.len() < FINDINGS_MAX {
            let (object, index) = (self.hobt.object().0, self.hobt.index().0);
            self.out.findings.push(Finding { hobt: self.hobt.id(), object, index, what });
        } else {
            self.out.more += 1;
        }
    }

    /// True if the file has this page.
    fn exists(&self, page: PageId) -> bool {
        let file = self.db.store.file(page.file);
        file.is_some_and(|f| page.page < f.pages.load(Ordering::Acquire))
    }

    /// Reads a page that `from` refers to; none, and a finding, if that cannot be done.
    fn read(&mut self, page: PageId, from: PageId) -> StorageResult<Option<Box<Page>>> {
        if (self.give_up)() {
            return Err(StorageError::Lock(LockError::Cancelled));
        }
        if !self.exists(page) {
            self.find(What::NoSuchPage { page, from });
            return Ok(None);
        }
        let found = self.db.pool().read_for(&self.db.store, page, Access::Scan);
        let copied = found.map(|p| {
            let mut copy = Page::zeroed();
            copy.bytes_mut().copy_from_slice(p.bytes());
            copy
        });
        match readable(copied)? {
            Ok(copy) => Ok(Some(copy)),
            Err(why) => {
                self.find(What::Unreadable { page, why });
                Ok(None)
            }
        }
    }

    /// Checks the header of a page of the heap or tree; false: it is another's.
    fn owned(&mut self, page: &Page, kind: PageType) -> bool {
        let id = page.id();
        if page.kind() != Some(kind) {
            self.find(What::PageType { page: id, kind: page.bytes()[1] });
            return false;
        }
        if page.hobt() != self.hobt.id() {
            self.find(What::Foreign { page: id });
            return false;
        }
        let names = [
            ("m_objId", page.object(), self.hobt.object().0),
            ("m_indexId", page.index(), self.hobt.index().0),
        ];
        for (test, found, expected) in names {
            if found != expected {
                let (found, expected) = (found.into(), expected.into());
                self.find(What::Header { page: id, test, found, expected });
            }
        }
        let end = self.db.log().appended();
        // In emergency there is no log whose end could be known.
        if page.lsn() > end && !self.db.is_emergency() {
            let (found, expected) = (page.lsn().0 as i64, end.0 as i64);
            self.find(What::Header { page: id, test: "m_lsn <= end of log", found, expected });
        }
        true
    }

    /// Gives a row to who knows what is in it.
    fn visit(&mut self, at: Rid, slot: u16, key: &[u8], value: &[u8]) -> StorageResult<()> {
        self.out.rows += 1;
        self.refs.clear();
        match self.rows.row(at, key, value, &mut self.refs) {
            Ok(()) => {}
            Err(RowFault::Stop(e)) => return Err(e),
            Err(RowFault::Bad(test)) => {
                self.find(What::Row { page: at.page, slot, test, found: 0, expected: 1 });
            }
        }
        for r in std::mem::take(&mut self.refs) {
            if !r.first.is_none() {
                self.lobs.referred(at, r);
            }
        }
        Ok(())
    }

    fn run(&mut self) -> StorageResult<()> {
        let kept = self.hobt.row_count();
        self.maps()?;
        match self.hobt.kind() {
            HobtKind::BTree => self.tree()?,
            HobtKind::Heap => self.heap()?,
        }
        self.unreached()?;
        self.large_values()?;
        self.misplaced()?;
        self.pretenders()?;
        // Of the directory itself no count is kept; and who is cut off from part of a table cannot count it.
        self.out.complete =
            self.out.errors() == 0 || self.out.findings.iter().all(|f| !hides_rows(&f.what));
        if self.out.complete && self.hobt.id() != DIRECTORY && kept == self.hobt.row_count() {
            let counted = self.out.rows;
            if kept != counted {
                self.find(What::RowCount { kept, counted });
            }
        }
        Ok(())
    }
}

/// The findings beside which a wrong count of rows is no news.
fn hides_rows(what: &What) -> bool {
    matches!(
        what,
        What::Unreadable { .. }
            | What::NoSuchPage { .. }
            | What::PageType { .. }
            | What::Level { .. }
            | What::Foreign { .. }
            | What::TwoParents { .. }
            | What::Iam { .. }
            | What::NotSeen { .. }
    )
}

/// Tells an unreadable page, which is a finding, from an error that ends the check.
fn readable<T>(read: StorageResult<T>) -> StorageResult<Result<T, String>> {
    match read {
        Ok(page) => Ok(Ok(page)),
        Err(StorageError::Corrupt(c)) => Ok(Err(c.what)),
        Err(e @ StorageError::Io(_)) => Ok(Err(e.to_string())),
        Err(e) => Err(e),
    }
}

impl Database {
    /// Checks one heap or tree. The caller holds S or more on its object. `give_up` is asked with every page.
    pub fn check_hobt(
        self: &Arc<Self>,
        id: HobtId,
        rows: &mut dyn Rows,
        give_up: &mut dyn FnMut() -> bool,
    ) -> StorageResult<Checked> {
        let hobt = self.hobt(id)?;
        let walks = if id <= DIRECTORY { WALKS } else { 1 };
        let mut last = Checked::default();
        for _ in 0..walks {
            let _ghosts_stay = self.cleaning.read();
            rows.begin();
            let mut walk = Walk {
                db: self,
                hobt: &hobt,
                rows,
                give_up,
                out: Checked::default(),
                allocated: PageSet::default(),
                free: PageSet::default(),
                seen: PageSet::default(),
                lobs: lobs::Lobs::default(),
                refs: Vec::new(),
            };
            walk.run()?;
            last = walk.out;
            if last.findings.is_empty() {
                break;
            }
        }
        Ok(last)
    }

    /// Checks everything that storage knows of by itself: the directory, every heap and tree, and the maps of the files. `rows` is asked
    /// for each heap or tree who knows its rows. For a database that nobody writes to.
    pub fn check_all(
        self: &Arc<Self>,
        mut rows: impl FnMut(HobtId) -> Box<dyn Rows>,
        give_up: &mut dyn FnMut() -> bool,
    ) -> StorageResult<Vec<Finding>> {
        let mut found = self.check_hobt(DIRECTORY, &mut NoRows, give_up)?.findings;
        for id in self.hobts()? {
            found.extend(self.check_hobt(id, &mut *rows(id), give_up)?.findings);
        }
        found.extend(self.check_allocation(give_up)?);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_pages() {
        let mut set = PageSet::default();
        let pages =
            [PageId::new(1, 0), PageId::new(1, 63), PageId::new(1, 64), PageId::new(3, 900)];
        for p in pages.iter().rev() {
            assert!(!set.contains(*p) && set.insert(*p) && !set.insert(*p) && set.contains(*p));
        }
        assert!(!set.contains(PageId::new(2, 0)) && !set.contains(PageId::new(1, 65)));
        assert_eq!(set.iter().collect::<Vec<_>>(), pages);
    }
}
