//! Redo: what pages do not have yet is repeated, while the log is read for the first and only time.
//!
//! The thread that reads the log sorts records into lanes, by page: neighbouring pages ([`GROUP_PAGES`]) share a lane, so that they can be
//! read together. When a window full of records has come together, each lane's share becomes a batch. Helpers, handed in by the engine
//! ([`Workers`]), take batches, one at a time from a lane; the reading thread takes one itself when too many wait. With no helpers it
//! takes all, in an order that depends on nothing but the log.
//!
//! ```text
//! log ─► analysis, row counts, lane ─► window full ─► batches ─► sorted by page ─► large reads ─► redo of a page's records in order
//! ```
//! A record changes one page, so lanes need not wait for each other, nor do pages within a batch. Records of a file's size are
//! barriers: everything before them is redone first.
//!
//! Redo of a record:
//!
//! | record is a format record | page on disk | page LSN against record | |
//! |---|---|---|---|
//! | yes | damaged | | made anew; until bulk work fills the page later, when it is given up: its only copy may have been the damaged one |
//! | yes | whole | not below | done already, and perhaps the only copy of what bulk work has put there since; written again |
//! | yes | whole | below | made anew |
//! | no | damaged | | skipped; a later format record, or one that bulk work fills the page, must come, or the database is suspect |
//! | no | whole | not below | done already; written again, as the medium may not have it ([`super::medium`]) |
//! | no | whole | below, and equal to the record's previous page LSN | redone |
//! | no | whole | below that | as if it were damaged: a record is missing. A page of bulk work was torn later, and made anew as of before |
//! | no | whole | between them | suspect: it has a record that the log does not have |
//! | no | any | any, but the record's previous page LSN is below that page's record before | suspect: the page was read without that, so the device has lost a write |
//! | any | whole | at or behind the log's end | suspect, once the end is known: a page is written after its log, so log is missing |
//!
//! Invariant: a lane's batches are redone in the order in which they were filled, by one thread at a time; so a page's records are
//! redone in the order of the log.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{LogPos, PAGE_BYTES, PageId};
use taffrail_io::AlignedBuf;
use taffrail_log::fair::{Condvar, Mutex, MutexGuard};
use taffrail_log::{Lop, Record, RecordHeader};

use super::counts::RowCounts;
use super::create::io_error;
use super::restart::suspect;
use crate::access::record::{self, xact};
use crate::buffer::{RUN_PAGES, WriteGuard};
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::instance::Workers;
use crate::layout::{EXTENT_PAGES, is_system_page};
use crate::page::Page;

/// Pages that share a lane.
const GROUP_PAGES: u32 = RUN_PAGES as u32;
/// Bytes of records that are handed over together.
const WINDOW: usize = 8 << 20;
/// The bytes that a record costs besides its payload, for the window.
const ITEM_BYTES: usize = size_of::<Item>();
/// Lanes for each helper: one that waits for the disk leaves others to do.
const LANES_PER_HELPER: usize = 2;

struct Item {
    pos: LogPos,
    header: RecordHeader,
    at: u32,
    len: u32,
}

/// Records of one lane.
#[derive(Default)]
struct Batch {
    items: Vec<Item>,
    payloads: Vec<u8>,
}

impl Batch {
    fn push(&mut self, r: &Record<'_>) {
        let (at, len) = (self.payloads.len() as u32, r.payload.len() as u32);
        self.payloads.extend_from_slice(r.payload);
        self.items.push(Item { pos: r.pos, header: r.header, at, len });
    }

    fn record(&self, item: &Item) -> Record<'_> {
        let payload = &self.payloads[item.at as usize..(item.at + item.len) as usize];
        Record { pos: item.pos, header: item.header, payload }
    }

    fn clear(&mut self) {
        self.items.clear();
        self.payloads.clear();
    }
}

/// The outcome of redo.
#[derive(Default)]
pub(super) struct Redone {
    /// Records that changed their page.
    pub records: u64,
    /// The number of pages read.
    pub pages: u64,
    /// The highest LSN that a page had, and which: the log must reach as far.
    pub newest: (LogPos, Option<PageId>),
    /// Records had to do with a page.
    pub touched: bool,
}

/// Redoes one lane's batches.
struct Hand {
    scratch: Option<AlignedBuf>,
    damaged: HashMap<PageId, StorageError>,
    /// Made anew for want of a whole page on disk, which may have been of a later life.
    remade: HashSet<PageId>,
    /// Each page's last record so far.
    last: HashMap<PageId, LogPos>,
    done: Redone,
}

impl Hand {
    fn new() -> Hand {
        let (damaged, remade, last) = Default::default();
        Hand { scratch: None, damaged, remade, last, done: Redone::default() }
    }

    fn redo(&mut self, db: &Database, batch: &Batch) -> StorageResult<()> {
        let mut order: Vec<u32> = (0..batch.items.len() as u32).collect();
        // Stable: the records of a page stay in order.
        order.sort_by_key(|&i| batch.items[i as usize].header.page.to_u64());
        let page_of = |i: &u32| batch.items[*i as usize].header.page;
        let pages: Vec<&[u32]> = order.chunk_by(|a, b| page_of(a) == page_of(b)).collect();
        // No more at once than the pool holds without pushing them out again.
        let most = (db.pool().frames() as usize / 16).clamp(1, RUN_PAGES);
        let mut wanted = Vec::with_capacity(most);
        for some in pages.chunks(most) {
            wanted.clear();
            for of_page in some {
                let page = page_of(&of_page[0]);
                let first = &batch.items[of_page[0] as usize];
                let read = first.header.op != Lop::BulkExtAllocation;
                if read && !self.damaged.contains_key(&page) {
                    wanted.push(page);
                }
            }
            let scratch =
                self.scratch.get_or_insert_with(|| AlignedBuf::zeroed(RUN_PAGES * PAGE_BYTES));
            self.done.pages += db.pool().bring_in(&db.store, &wanted, scratch)? as u64;
            for of_page in some {
                self.redo_page(db, page_of(&of_page[0]), batch, of_page)?;
            }
        }
        Ok(())
    }

    fn redo_page(
        &mut self,
        db: &Database,
        id: PageId,
        batch: &Batch,
        of_page: &[u32],
    ) -> StorageResult<()> {
        let store = &db.store;
        if let Some(file) = store.file(id.file) {
            file.mark_changed(id.page);
        }
        let mut latched: Option<WriteGuard<'_>> = None;
        let mut last = self.last.get(&id).copied().unwrap_or_default();
        for &i in of_page {
            let r = batch.record(&batch.items[i as usize]);
            if r.header.op == Lop::BulkExtAllocation {
                // What it held before is nobody's business, and what it was to hold may have been torn; see there.
                self.damaged.remove(&id);
                if self.remade.remove(&id) {
                    // If the work has committed, the page that was not whole was the only one that had it.
                    latched = None;
                    store.give_up_page(db.pool(), id)?;
                }
                continue;
            }
            let format = r.header.op == Lop::FormatPage;
            if !format && r.header.prev_page < last {
                return Err(suspect(store, &forgot(&r, last)));
            }
            last = r.pos;
            let page = match &mut latched {
                Some(page) => page,
                None if self.damaged.contains_key(&id) && format => {
                    self.damaged.remove(&id);
                    self.remade.insert(id);
                    latched.insert(db.pool().write_unread(store, id)?)
                }
                None if self.damaged.contains_key(&id) => continue,
                // Read all the same: the log does not have what bulk work may have put there later.
                None if format => match db.pool().write(store, id) {
                    Ok(page) => latched.insert(page),
                    Err(StorageError::Corrupt(_)) => {
                        self.remade.insert(id);
                        latched.insert(db.pool().write_unread(store, id)?)
                    }
                    Err(e) => return Err(e),
                },
                None => match db.pool().write(store, id) {
                    Ok(page) => latched.insert(page),
                    Err(e @ StorageError::Corrupt(_)) => {
                        self.damaged.insert(id, e);
                        continue;
                    }
                    Err(e) => return Err(e),
                },
            };
            if page.lsn() > self.done.newest.0 {
                self.done.newest = (page.lsn(), Some(id));
            }
            if !format && page.lsn() < r.header.prev_page {
                let text = lacks(page, &r);
                latched = None;
                self.damaged.insert(id, store.corrupt(id, text));
                continue;
            }
            self.done.records += u64::from(redo_on_page(db, page, &r)?);
        }
        if last != LogPos::ZERO {
            self.last.insert(id, last);
        }
        Ok(())
    }
}

/// The record was made on a page that had been read without its changes.
fn forgot(r: &Record<'_>, last: LogPos) -> String {
    format!(
        "page {} was changed at {:#x} ({}) as of {:#x}, without what it had been changed by at {:#x}: a write of it is lost",
        r.header.page, r.pos.0, r.header.op, r.header.prev_page.0, last.0
    )
}

/// The page is not the one that the record was made on.
fn lacks(page: &Page, r: &Record<'_>) -> String {
    format!(
        "page {} has LSN {:#x}, but the record at {:#x} ({}) was made on {:#x}",
        r.header.page,
        page.lsn().0,
        r.pos.0,
        r.header.op,
        r.header.prev_page.0
    )
}

/// True if the page did not have the change yet.
fn redo_on_page(db: &Database, page: &mut WriteGuard<'_>, r: &Record<'_>) -> StorageResult<bool> {
    let store = &db.store;
    let id = r.header.page;
    // For a format record: an earlier record of the page has brought it in, whole, with this change.
    if page.lsn() >= r.pos {
        // The medium may not have it, although it reads back: see [`super::medium`].
        page.must_be_written(store, r.pos);
        return Ok(false);
    }
    let format = r.header.op == Lop::FormatPage;
    if !format && page.lsn() != r.header.prev_page {
        return Err(suspect(store, &lacks(page, r)));
    }
    page.will_redo(store, r.pos);
    if let Err(what) = record::redo(page, r) {
        let text = format!("redo of {} at {:#x} on page {id}: {what}", r.header.op, r.pos.0);
        return Err(suspect(store, &text));
    }
    page.set_lsn(r.pos);
    if format {
        page.was_formatted(r.pos);
    }
    Ok(true)
}

struct Lane {
    waiting: VecDeque<Batch>,
    /// Absent while somebody works on the lane.
    hand: Option<Hand>,
}

impl Lane {
    fn new() -> Lane {
        Lane { waiting: VecDeque::new(), hand: Some(Hand::new()) }
    }
}

struct State {
    lanes: Vec<Lane>,
    /// Batches in the queues.
    waiting: usize,
    /// The batches that threads work on.
    working: usize,
    spare: Vec<Batch>,
    /// Nothing more will come.
    ended: bool,
    failed: Option<StorageError>,
}

/// The state that the reading thread and the helpers share.
struct Shared<'a> {
    db: &'a Arc<Database>,
    state: Mutex<State>,
    changed: Condvar,
    /// Batches that may wait.
    most: usize,
}

/// Tells the others should a thread panic while it holds a lane's hand: nobody would get it back.
struct Held<'s, 'a>(&'s Shared<'a>);

impl Drop for Held<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.state.lock();
            state.failed.get_or_insert(StorageError::Misuse("redo panicked"));
            state.ended = true;
            self.0.changed.notify_all();
        }
    }
}

impl Shared<'_> {
    /// Redoes one batch, if there is one on a lane that nobody works on. Returns the lock, and whether there was.
    fn work<'s>(&'s self, mut state: MutexGuard<'s, State>) -> (MutexGuard<'s, State>, bool) {
        if state.failed.is_some() {
            return (state, false);
        }
        let ready = |l: &Lane| l.hand.is_some() && !l.waiting.is_empty();
        let Some(lane) = state.lanes.iter().position(ready) else { return (state, false) };
        let (Some(mut hand), Some(mut batch)) =
            (state.lanes[lane].hand.take(), state.lanes[lane].waiting.pop_front())
        else {
            return (state, false);
        };
        state.waiting -= 1;
        state.working += 1;
        drop(state);
        let held = Held(self);
        let result = hand.redo(self.db, &batch);
        drop(held);
        batch.clear();
        let mut state = self.state.lock();
        state.lanes[lane].hand = Some(hand);
        state.working -= 1;
        state.spare.push(batch);
        if let Err(e) = result {
            state.failed.get_or_insert(e);
        }
        self.changed.notify_all();
        (state, true)
    }

    /// The reading thread's share while it has to wait for the others.
    fn work_or_wait<'s>(
        &'s self,
        state: MutexGuard<'s, State>,
    ) -> StorageResult<MutexGuard<'s, State>> {
        let (mut state, worked) = self.work(state);
        if let Some(e) = state.failed.take() {
            state.failed = Some(StorageError::Misuse("redo has failed"));
            return Err(e);
        }
        if !worked {
            self.changed.wait(&mut state);
        }
        Ok(state)
    }

    /// The work of a helper, until there is no more.
    fn help(&self) {
        let mut state = self.state.lock();
        loop {
            let (locked, worked) = self.work(state);
            state = locked;
            if state.failed.is_some() || (state.ended && state.waiting == 0) {
                return;
            }
            if !worked {
                self.changed.wait(&mut state);
            }
        }
    }
}

/// Redo as the thread that reads the log sees it.
pub(super) struct Redo<'s, 'a> {
    shared: &'s Shared<'a>,
    filling: Vec<Batch>,
    filled: usize,
    from: LogPos,
    /// Pages have everything before, where a restore goes on.
    pages_from: LogPos,
    rows: RowCounts,
}

impl Redo<'_, '_> {
    /// Takes the next record of the log.
    pub fn see(&mut self, r: &Record<'_>) -> StorageResult<()> {
        if r.pos < self.from {
            return Ok(());
        }
        if r.header.op == Lop::FileHdrModify {
            self.finish()?;
            return redo_file_size(self.shared.db, r);
        }
        if r.header.op == Lop::BulkExtAllocation {
            self.rows.see(r);
            return self.see_unlogged(r);
        }
        if !record::changes_page(r.header.op) {
            return Ok(());
        }
        self.rows.see(r);
        self.sort(r)
    }

    /// Pages whose contents were not logged from here on: each hears of it in its lane. A page of the format's own that lies within
    /// such an extent is logged like any other.
    fn see_unlogged(&mut self, r: &Record<'_>) -> StorageResult<()> {
        let Some((file, runs)) = record::bulk::unlogged(r) else { return Ok(()) };
        for (first, extents) in runs {
            for page in first..first + extents * EXTENT_PAGES {
                let page = PageId { file, page };
                if is_system_page(page) {
                    continue;
                }
                let header = RecordHeader { page, ..r.header };
                self.sort(&Record { header, payload: &[], ..*r })?;
            }
        }
        Ok(())
    }

    /// Puts a record into its page's lane.
    fn sort(&mut self, r: &Record<'_>) -> StorageResult<()> {
        if r.pos < self.pages_from {
            return Ok(());
        }
        if self.shared.db.part.get().is_some_and(|part| !part.changes(&r.header)) {
            return Ok(());
        }
        let page = r.header.page;
        let group = (u64::from(page.file.0) << 32) | u64::from(page.page / GROUP_PAGES);
        let lane = (group.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % self.filling.len();
        self.filling[lane].push(r);
        self.filled += r.payload.len() + ITEM_BYTES;
        if self.filled >= WINDOW { self.hand_over() } else { Ok(()) }
    }

    fn hand_over(&mut self) -> StorageResult<()> {
        self.filled = 0;
        let shared = self.shared;
        let mut state = shared.state.lock();
        for (lane, filling) in self.filling.iter_mut().enumerate() {
            if filling.items.is_empty() {
                continue;
            }
            let next = state.spare.pop().unwrap_or_default();
            state.lanes[lane].waiting.push_back(std::mem::replace(filling, next));
            state.waiting += 1;
        }
        shared.changed.notify_all();
        while state.waiting > shared.most {
            state = shared.work_or_wait(state)?;
        }
        Ok(())
    }

    /// Everything handed in so far is redone when this returns.
    pub fn finish(&mut self) -> StorageResult<()> {
        self.hand_over()?;
        let shared = self.shared;
        let mut state = shared.state.lock();
        while state.waiting + state.working > 0 {
            state = shared.work_or_wait(state)?;
        }
        state.failed.take().map_or(Ok(()), Err)
    }
}

/// Runs `read` with a [`Redo`] that it gives every record from `from` on, helpers beside it. Returns what it returned.
pub(super) fn run<R: Send>(
    db: &Arc<Database>,
    workers: &Workers,
    from: LogPos,
    read: impl FnOnce(&mut Redo<'_, '_>) -> StorageResult<R> + Send,
) -> StorageResult<(R, Redone)> {
    let pages_from = db.boot.lock().backup.restoring.map_or(LogPos::ZERO, |r| r.redone);
    let lanes = (workers.helpers() * LANES_PER_HELPER).max(1);
    let shared = Shared {
        db,
        state: Mutex::new(State {
            lanes: (0..lanes).map(|_| Lane::new()).collect(),
            waiting: 0,
            working: 0,
            spare: Vec::new(),
            ended: false,
            failed: None,
        }),
        changed: Condvar::new(),
        // Without helpers nothing waits.
        most: if workers.helpers() == 0 { 0 } else { lanes },
    };
    let read = Mutex::new(Some(read));
    let result = Mutex::new(None);
    workers.run(&|n| {
        if n > 0 {
            return shared.help();
        }
        let Some(read) = read.lock().take() else { return };
        let _ending = Ending(&shared);
        let mut redo = Redo {
            shared: &shared,
            filling: (0..lanes).map(|_| Batch::default()).collect(),
            filled: 0,
            from,
            pages_from,
            rows: RowCounts::default(),
        };
        let done = read(&mut redo).and_then(|r| redo.finish().map(|()| (r, redo.rows)));
        *result.lock() = Some(done);
    });
    let result = result.into_inner();
    let (r, rows) = result.unwrap_or(Err(StorageError::Misuse("redo was not run")))?;
    let mut redone = Redone::default();
    for lane in shared.state.into_inner().lanes {
        let Some(hand) = lane.hand else { continue };
        for (page, e) in hand.damaged {
            // What is not allocated nobody reads. A backup does not have pages that were given back before it came to them.
            if matches!(db.is_allocated(page), Ok(false)) {
                continue;
            }
            return Err(suspect(
                &db.store,
                &format!("page {page} is damaged and the log does not rebuild it: {e}"),
            ));
        }
        redone.records += hand.done.records;
        redone.pages += hand.done.pages;
        redone.touched |= !hand.last.is_empty();
        if hand.done.newest.0 > redone.newest.0 {
            redone.newest = hand.done.newest;
        }
    }
    // Torn pages that are whole again, or nobody's.
    db.store.take_suspects();
    *db.found_rows.lock() = rows.counts;
    Ok((r, redone))
}

/// Lets the helpers go, however the reading thread ends.
struct Ending<'s, 'a>(&'s Shared<'a>);

impl Drop for Ending<'_, '_> {
    fn drop(&mut self) {
        self.0.state.lock().ended = true;
        self.0.changed.notify_all();
    }
}

fn redo_file_size(db: &Database, r: &Record<'_>) -> StorageResult<()> {
    let store = &db.store;
    let Some((id, pages)) = xact::parse_file_size(r) else {
        return Err(suspect(store, "a record of a file's size is malformed"));
    };
    let Some(file) = store.file(id) else {
        return Err(suspect(store, &format!("the log names a file {id} that is not there")));
    };
    let now = file.pages.load(Ordering::Acquire);
    if pages > now {
        let have = file.volume.len().map_err(|e| io_error("read", e))? / PAGE_BYTES as u64;
        if have < u64::from(pages) {
            db.reserve_file(&file, now, pages)?;
        }
        file.pages.store(pages, Ordering::Release);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
