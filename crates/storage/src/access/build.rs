//! Trees built from their leaves upwards, out of entries in ascending order.
//!
//! ```text
//!   open ─ push … ─ few entries ─────────────────────────► inserted one by one
//!                 └ more: leaf, leaf, leaf … as pages of [`super::bulk`]
//!                         each leaf that is complete gives its separator to the page above, and that one, when it is complete, to
//!                         the page above it; what is left at the end on top becomes the content of the root, whose place stays
//! ```
//! A page gets its place when it begins (a leaf, for its neighbours' links) or when it is complete (others), so that pages are written
//! in ascending order. System transactions take the extents; what undoes a build is the entry in the directory, which is written anew
//! in the user's transaction before anything else: undo finds a tree there that will have no owner, and frees its extents.

use std::collections::VecDeque;
use std::sync::Arc;

use taffrail_base::{LogPos, PageId};
use taffrail_log::{Lcx, Reserve};

use super::btree::{self, MAX_ENTRY, MAX_KEY, insert_in, key_hash};
use super::bulk::{BATCH, Logging, PageWriter};
use super::node::{ENTRY_HEADER, child_bytes, entry_header, separator};
use super::record::{bulk, format};
use super::{Hobt, HobtKind, directory};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::layout::{EXTENT_PAGES, interval_start};
use crate::page::{Format, HEADER_BYTES, Page, PageType, SLOT_BYTES};
use crate::txn::Transaction;
use crate::versions::Mark;

/// Entries that take less than this are inserted one by one: a tree of an extent or so is not worth more.
const FEW_BYTES: usize = 48 << 10;
/// Extents that are taken at once, at most.
const MOST_EXTENTS: usize = 64;

/// Fills a tree that is empty and that nobody else can see (made in this transaction, or under Sch-M on its object) from entries in
/// ascending order of unique keys. Takes no row locks. Returns how many entries there were.
pub fn build<E, I>(tx: &mut Transaction, hobt: &Arc<Hobt>, entries: I) -> Result<u64, E>
where
    I: IntoIterator<Item = Result<(Vec<u8>, Vec<u8>), E>>,
    E: From<StorageError>,
{
    let mut load = TreeLoad::open(tx, hobt, 100)?;
    for entry in entries {
        let (key, value) = entry?;
        load.push(tx, &key, &value)?;
    }
    Ok(load.finish(tx)?)
}

/// A page above the leaves that is being filled.
struct Level {
    page: Box<Page>,
    /// The separator that the page above will have for it.
    separator: Vec<u8>,
}

struct Leaf {
    page: Box<Page>,
    separator: Vec<u8>,
}

/// Fills an empty tree.
pub struct TreeLoad {
    hobt: Arc<Hobt>,
    /// Bytes to leave free on each leaf.
    spare: usize,
    /// And on the pages above.
    spare_above: usize,
    /// Entries so far, while they are few: end of key, end of value.
    few: Vec<u8>,
    places: Vec<(u32, u32)>,
    pages: Option<Pages>,
    last_key: Vec<u8>,
    rows: u64,
}

/// The pages of a tree that is not small.
struct Pages {
    writer: PageWriter,
    /// Bytes to leave free on the pages above the leaves, as far as two entries have room then.
    spare_above: usize,
    leaf: Option<Leaf>,
    levels: Vec<Level>,
    /// Complete, in ascending order of their ids.
    out: Vec<Box<Page>>,
    /// Places that are free.
    ids: VecDeque<PageId>,
    extents: Vec<PageId>,
    want: usize,
    allocated: LogPos,
    spare_pages: Vec<Box<Page>>,
}

impl TreeLoad {
    /// A load that leaves `100 - fill_factor` percent of each leaf free (0 means 100). The tree is empty. The caller holds Sch-M on its
    /// object, or X if the tree has never had a page.
    pub fn open(
        tx: &mut Transaction,
        hobt: &Arc<Hobt>,
        fill_factor: u8,
    ) -> StorageResult<TreeLoad> {
        if hobt.kind() != HobtKind::BTree {
            return Err(StorageError::Misuse("not a B+ tree"));
        }
        let db = tx.database().clone();
        if hobt.root().is_none() {
            tx.parts().1.note_whole(hobt, Mark::Filled)?;
            directory::update(&db, tx.parts().1, hobt.id(), |_| {})?;
        } else if is_empty(&db, hobt)? {
            db.truncate_hobt(tx, hobt.id())?;
        } else {
            return Err(StorageError::Misuse("a tree that has entries is not built"));
        }
        let fill = if fill_factor == 0 { 100 } else { usize::from(fill_factor.min(100)) };
        Ok(TreeLoad {
            hobt: hobt.clone(),
            spare: (crate::page::MAX_ROW_BYTES + SLOT_BYTES) * (100 - fill) / 100,
            spare_above: 0,
            few: Vec::new(),
            places: Vec::new(),
            pages: None,
            last_key: Vec::new(),
            rows: 0,
        })
    }

    /// Whether the pages above the leaves are left as free as these (PAD_INDEX). Said before the first entry.
    pub fn pad(&mut self, pad: bool) {
        self.spare_above = if pad { self.spare } else { 0 };
    }

    /// Adds an entry, whose key is above all before: [`StorageError::DuplicateKey`] if it is the last one's.
    pub fn push(&mut self, tx: &mut Transaction, key: &[u8], value: &[u8]) -> StorageResult<()> {
        let size = key.len() + value.len();
        if key.len() > MAX_KEY || size > MAX_ENTRY {
            let (size, max) =
                if key.len() > MAX_KEY { (key.len(), MAX_KEY) } else { (size, MAX_ENTRY) };
            return Err(StorageError::RowTooLarge { size, max });
        }
        if self.rows > 0 && key <= &self.last_key[..] {
            return Err(match key == self.last_key {
                true => StorageError::DuplicateKey,
                false => StorageError::Misuse("entries of a build are in ascending order"),
            });
        }
        self.rows += 1;
        match &mut self.pages {
            Some(pages) => pages.add(tx, &self.hobt, self.spare, &self.last_key, key, value)?,
            None if self.few.len() + size <= FEW_BYTES => {
                let start = self.few.len();
                self.few.extend_from_slice(key);
                self.few.extend_from_slice(value);
                self.places.push(((start + key.len()) as u32, self.few.len() as u32));
            }
            None => {
                let mut pages = Pages::new(tx, &self.hobt, self.spare_above)?;
                let mut last: &[u8] = &[];
                for (k, v) in entries(&self.few, &self.places) {
                    pages.add(tx, &self.hobt, self.spare, last, k, v)?;
                    last = k;
                }
                pages.add(tx, &self.hobt, self.spare, last, key, value)?;
                (self.few, self.places) = (Vec::new(), Vec::new());
                self.pages = Some(pages);
            }
        }
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        Ok(())
    }

    /// Ends the build: the tree is there, and on disk where the log does not have it. Gives the number of entries.
    pub fn finish(mut self, tx: &mut Transaction) -> StorageResult<u64> {
        match self.pages.take() {
            Some(pages) => pages.finish(tx, &self.hobt, self.rows)?,
            None => {
                for (key, value) in entries(&self.few, &self.places) {
                    let (db, work) = tx.parts();
                    if self.hobt.root().is_none() {
                        db.allocate_root(work, &self.hobt)?;
                    }
                    let hash = key_hash(self.hobt.id().0, key);
                    insert_in(db, work, &self.hobt, (key, value), hash, false, None)?;
                }
            }
        }
        Ok(self.rows)
    }
}

fn entries<'a>(
    bytes: &'a [u8],
    places: &'a [(u32, u32)],
) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
    let mut start = 0;
    places.iter().map(move |&(key_end, end)| {
        let key = &bytes[start..key_end as usize];
        start = end as usize;
        (key, &bytes[key_end as usize..end as usize])
    })
}

fn is_empty(db: &Database, hobt: &Hobt) -> StorageResult<bool> {
    let mut empty = true;
    btree::for_each_entry(db, hobt, &[], &mut |_, _| {
        empty = false;
        false
    })?;
    Ok(empty)
}

impl Pages {
    fn new(tx: &mut Transaction, hobt: &Hobt, spare_above: usize) -> StorageResult<Pages> {
        let writer = PageWriter::new(tx, hobt.leaf_context());
        let (db, work) = tx.parts();
        if hobt.root().is_none() {
            db.allocate_root(work, hobt)?;
        }
        Ok(Pages {
            writer,
            spare_above,
            leaf: None,
            levels: Vec::new(),
            out: Vec::with_capacity(BATCH),
            ids: VecDeque::new(),
            extents: Vec::new(),
            want: 2,
            allocated: LogPos::ZERO,
            spare_pages: Vec::new(),
        })
    }

    fn page(&mut self, hobt: &Hobt, level: u8) -> Box<Page> {
        let mut page = self.spare_pages.pop().unwrap_or_else(Page::zeroed);
        page.format(&Format {
            level,
            hobt: hobt.id(),
            object: hobt.object().0,
            index: hobt.index().0,
            ..Format::new(PageId::NONE, PageType::Index)
        });
        page
    }

    /// A place for a page.
    fn id(&mut self, tx: &mut Transaction, hobt: &Hobt) -> StorageResult<PageId> {
        while self.ids.is_empty() {
            let (db, work) = tx.parts();
            let mut sys = work.nested("AllocExtents");
            let (extents, pages) = match db.take_bulk_extents(&mut sys, hobt, self.want) {
                Ok(taken) => {
                    sys.commit_system()?;
                    taken
                }
                Err(e) => {
                    db.abort_system(sys, Vec::new());
                    return Err(e);
                }
            };
            let minimal = self.writer.logging == Logging::Minimal;
            self.allocated = bulk::log_allocation(work, hobt.id(), minimal, 0, &extents)?;
            if minimal {
                db.mark_minimally_logged(work, hobt.id(), &extents)?;
            }
            self.want = (self.want * 2).min(MOST_EXTENTS);
            self.ids.extend(pages);
            self.extents.extend(extents);
        }
        Ok(self.ids.pop_front().expect("filled above"))
    }

    fn add(
        &mut self,
        tx: &mut Transaction,
        hobt: &Hobt,
        spare: usize,
        last: &[u8],
        key: &[u8],
        value: &[u8],
    ) -> StorageResult<()> {
        let need = ENTRY_HEADER + key.len() + value.len() + SLOT_BYTES;
        let leaf = match self.leaf.take() {
            Some(leaf) if leaf.page.free_bytes() as usize >= need + spare => leaf,
            // Where not even one row leaves that much free.
            Some(leaf) if leaf.page.slots() == 0 => leaf,
            Some(full) => {
                let next = self.next_leaf(tx, hobt, full)?;
                Leaf { page: next, separator: separator(last, key).to_vec() }
            }
            None => {
                let mut page = self.page(hobt, 0);
                page.set_id(self.id(tx, hobt)?);
                Leaf { page, separator: Vec::new() }
            }
        };
        let leaf = self.leaf.insert(leaf);
        let slot = leaf.page.slots().into();
        leaf.page.insert_row(slot, &[&entry_header(0, key), key, value]);
        Ok(())
    }

    /// Completes a leaf; gives the next one.
    fn next_leaf(
        &mut self,
        tx: &mut Transaction,
        hobt: &Hobt,
        full: Leaf,
    ) -> StorageResult<Box<Page>> {
        let Leaf { page: mut full, separator } = full;
        let mut above = Vec::new();
        self.add_child(tx, hobt, 0, separator, full.id(), &mut above)?;
        let mut next = self.page(hobt, 0);
        next.set_id(self.id(tx, hobt)?);
        next.set_prev(full.id());
        full.set_next(next.id());
        self.complete(tx, hobt, full)?;
        for page in above {
            self.complete(tx, hobt, page)?;
        }
        Ok(next)
    }

    /// Adds a child to the page that is being filled at level `at + 1`; pages that this completes go to `done`.
    fn add_child(
        &mut self,
        tx: &mut Transaction,
        hobt: &Hobt,
        at: usize,
        separator: Vec<u8>,
        child: PageId,
        done: &mut Vec<Box<Page>>,
    ) -> StorageResult<()> {
        let need = ENTRY_HEADER + separator.len() + 6 + SLOT_BYTES;
        let spare = self.spare_above;
        let room = |l: &Level| {
            let need = if l.page.slots() < 2 { need } else { need + spare };
            l.page.free_bytes() as usize >= need
        };
        if self.levels.get(at).is_some_and(|l| !room(l)) {
            let id = self.id(tx, hobt)?;
            let page = self.page(hobt, at as u8 + 1);
            let level = &mut self.levels[at];
            let mut full = std::mem::replace(&mut level.page, page);
            let above = std::mem::take(&mut level.separator);
            full.set_id(id);
            done.push(full);
            self.add_child(tx, hobt, at + 1, above, id, done)?;
        } else if self.levels.len() == at {
            let page = self.page(hobt, at as u8 + 1);
            self.levels.push(Level { page, separator: Vec::new() });
        }
        let level = &mut self.levels[at];
        let slot = level.page.slots();
        if slot == 0 {
            // Below all others on its page.
            level.page.insert_row(0, &[&entry_header(0, &[]), &child_bytes(child)]);
            level.separator = separator;
        } else {
            let parts: [&[u8]; 3] = [&entry_header(0, &separator), &separator, &child_bytes(child)];
            level.page.insert_row(slot.into(), &parts);
        }
        Ok(())
    }

    fn complete(
        &mut self,
        tx: &mut Transaction,
        hobt: &Hobt,
        page: Box<Page>,
    ) -> StorageResult<()> {
        self.out.push(page);
        if self.out.len() == BATCH { self.flush(tx, hobt) } else { Ok(()) }
    }

    fn flush(&mut self, tx: &mut Transaction, hobt: &Hobt) -> StorageResult<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        // Extents that others have given back meanwhile may lie before those that were taken earlier.
        self.out.sort_unstable_by_key(|p| p.id());
        self.writer.write(tx, &mut self.out, self.allocated)?;
        let ids: Vec<PageId> = self.out.iter().map(|p| p.id()).collect();
        self.spare_pages.append(&mut self.out);
        let (db, work) = tx.parts();
        let mut sys = work.nested("AllocPages");
        match db.mark_allocated(&mut sys, hobt.id(), &ids) {
            Ok(()) => sys.commit_system(),
            Err(e) => {
                db.abort_system(sys, Vec::new());
                Err(e)
            }
        }
    }

    fn finish(mut self, tx: &mut Transaction, hobt: &Hobt, rows: u64) -> StorageResult<()> {
        let mut top = None;
        if let Some(Leaf { page, separator }) = self.leaf.take() {
            if self.levels.is_empty() {
                // Its place is not needed: the root has one.
                self.ids.push_front(page.id());
                top = Some(page);
            } else {
                let mut done = Vec::new();
                self.add_child(tx, hobt, 0, separator, page.id(), &mut done)?;
                self.complete(tx, hobt, page)?;
                for page in done {
                    self.complete(tx, hobt, page)?;
                }
            }
        }
        let mut at = 0;
        while at < self.levels.len() {
            let empty = self.page(hobt, 0);
            let mut page = std::mem::replace(&mut self.levels[at].page, empty);
            if at + 1 == self.levels.len() {
                top = Some(page);
                break;
            }
            let id = self.id(tx, hobt)?;
            page.set_id(id);
            let above = std::mem::take(&mut self.levels[at].separator);
            let mut done = Vec::new();
            self.add_child(tx, hobt, at + 1, above, id, &mut done)?;
            self.complete(tx, hobt, page)?;
            for page in done {
                self.complete(tx, hobt, page)?;
            }
            at += 1;
        }
        self.flush(tx, hobt)?;
        self.give_back(tx, hobt)?;
        self.writer.sync(tx)?;
        if let Some(top) = top {
            write_root(tx, hobt, &top)?;
        }
        note_count(tx, hobt, rows)
    }

    /// Places that were not needed: whole extents back to the database, the others to the tree's free pages.
    fn give_back(&mut self, tx: &mut Transaction, hobt: &Hobt) -> StorageResult<()> {
        let Some(&first) = self.ids.front() else { return Ok(()) };
        // The extents after the one with the first free place, in the order of taking, have no page in use; that one may have some,
        // which are marked by now.
        let extent_of = |p: PageId| PageId { page: p.page / EXTENT_PAGES * EXTENT_PAGES, ..p };
        let (db, work) = tx.parts();
        let Some(at) = self.extents.iter().position(|e| *e == extent_of(first)) else {
            return Err(StorageError::Misuse("a place of a build lies in none of its extents"));
        };
        let whole = db.allocated(self.extents[at])?.is_empty();
        let unused = self.extents.split_off(if whole { at } else { at + 1 });
        if let (Some(&from), true) = (unused.first(), hobt.root() != PageId::NONE) {
            let start = interval_start(from.page);
            let same: Vec<PageId> = unused
                .iter()
                .copied()
                .filter(|e| interval_start(e.page) == start && e.file == from.file)
                .collect();
            db.return_bulk_extents(work, hobt, &same)?;
            self.ids.retain(|p| !same.contains(&extent_of(*p)));
        }
        let mut space = hobt.space.lock();
        if space.loaded {
            for page in self.ids.drain(..).rev() {
                space.free.push(page);
            }
        }
        Ok(())
    }
}

/// The page on top becomes the root's content. Its record is not undone: what undoes the build frees the whole tree (see the module's
/// text), and until then nobody else can see it. If it cannot be logged the root stays as it was.
fn write_root(tx: &mut Transaction, hobt: &Hobt, top: &Page) -> StorageResult<()> {
    let (db, work) = tx.parts();
    let mut root = db.pool().write(&db.store, hobt.root())?;
    let mut sys = work.nested("BuildRoot");
    let before = *root.bytes();
    let lsn = root.lsn();
    root.bytes_mut().copy_from_slice(top.bytes());
    let id = hobt.root();
    root.set_id(id);
    root.set_prev(PageId::NONE);
    root.set_next(PageId::NONE);
    root.set_lsn(lsn);
    let context = if top.level() == 0 { hobt.leaf_context() } else { Lcx::IndexInterior };
    match format::log_format(&mut sys, &mut root, context, Reserve::NONE) {
        // Before the latch is given up.
        Ok(()) => sys.commit_system(),
        Err(e) => {
            root.bytes_mut().copy_from_slice(&before);
            db.abort_system(sys, Vec::new());
            Err(e)
        }
    }
}

/// Page images do not tell restart how many rows there are: the directory does.
fn note_count(tx: &mut Transaction, hobt: &Hobt, built: u64) -> StorageResult<()> {
    let (db, work) = tx.parts();
    let mut sys = work.nested("CountDelta");
    let noted = {
        let _counts = db.counts.lock();
        let _stands = hobt.count_stands();
        hobt.add_rows(built as i64);
        let (rows, at) = (hobt.row_count(), db.log().appended().0);
        directory::update_count(db, &mut sys, hobt.id(), |e| {
            e.rows = rows;
            e.counted_at = at;
        })
    };
    match noted {
        Ok(()) => sys.commit_system(),
        Err(e) => {
            db.abort_system(sys, Vec::new());
            Err(e)
        }
    }
}

const _: () = assert!(FEW_BYTES > 4 * MAX_ENTRY && HEADER_BYTES < FEW_BYTES);
