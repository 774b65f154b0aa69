//! Scans of trees.
//!
//! A cursor copies a leaf under its shared latch and then works on the copy: no latch is held between calls, however slow the caller.
//! On to the next leaf it goes by the copy's link, if that leaf still says that it is the copy's neighbour; else (a split came in
//! between, or the tree is being reorganized) down from the root again, to behind the last key.
//!
//! # Locks
//! Under READ COMMITTED a copy needs no row locks if nobody else held a writing lock on the object while the latch was held (see
//! [`crate::lock`]). Otherwise each row is locked, waiting if need be; and when the page has changed since it was copied, the row is
//! read again. Ranges are locked in [`guarded`].

mod guarded;

use std::sync::Arc;

use taffrail_base::{LogPos, PAGE_BYTES, PageId};

use super::btree::{covers, key_hash, leaf_on_way};
use super::node::{is_ghost, key_at, search, split_entry};
use super::sample::Sample;
use super::{Direction, Hobt, KeyRange, ScanLocks};
use crate::buffer::{Access, ReadGuard};
use crate::database::Database;
use crate::error::StorageResult;
use crate::lock::LockMode;
use crate::page::PageCopy;
use crate::txn::Transaction;
use crate::versions::{Image, PageSeen};
use guarded::Guarding;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Before,
    On,
    /// The entries behind `resume` are to be copied anew.
    Again,
    After,
}

/// A position in a tree, with its own copy of the leaf that it is on: no latch is held between calls.
pub struct BTreeCursor {
    hobt: Arc<Hobt>,
    range: KeyRange,
    direction: Direction,
    locks: ScanLocks,
    /// The locks are on ranges.
    guards: bool,
    state: State,
    copy: PageCopy,
    frame: u32,
    /// [`Hobt::moves`] when it was copied.
    moves: u64,
    /// [`Hobt::structure`] when it was copied.
    structure: u64,
    /// The copy needs no row locks.
    clean: bool,
    /// Slots of the copy that are left: `low..high`.
    low: usize,
    high: usize,
    /// The range goes on beyond this leaf.
    more: bool,
    /// Every key up to here (down to here) has been dealt with.
    resume: Option<Vec<u8>>,
    /// The entry that was read again.
    key: Vec<u8>,
    value: Vec<u8>,
    guarding: Guarding,
    /// The pages whose entries are given; none: all.
    sample: Option<Sample>,
    /// The leaf of the copy is one of them.
    sampled: bool,
    /// Slots of the window whose rows were something else for the snapshot, in order.
    was: Vec<(usize, Image)>,
}

impl BTreeCursor {
    pub(super) fn new(
        hobt: Arc<Hobt>,
        range: KeyRange,
        direction: Direction,
        locks: ScanLocks,
    ) -> BTreeCursor {
        BTreeCursor {
            hobt,
            range,
            direction,
            locks,
            guards: locks.range_mode().is_some(),
            state: State::Before,
            copy: PageCopy::new(),
            frame: u32::MAX,
            moves: 0,
            structure: 0,
            clean: true,
            low: 0,
            high: 0,
            more: false,
            resume: None,
            key: Vec::new(),
            value: Vec::new(),
            guarding: Guarding::default(),
            sample: None,
            sampled: true,
            was: Vec::new(),
        }
    }

    /// Gives the entries of a sample of the leaves only.
    pub fn of_sample(mut self, sample: Option<Sample>) -> BTreeCursor {
        self.sample = sample;
        self
    }

    /// Whether it is one of this tree.
    pub fn is_of(&self, hobt: &Arc<Hobt>) -> bool {
        Arc::ptr_eq(&self.hobt, hobt)
    }

    /// Begins anew with another range. Where that begins on the leaf of the copy, and the leaf is as it was, the copy serves again:
    /// seeks in the order of the keys come to each leaf many times.
    pub fn again(&mut self, range: KeyRange, locks: ScanLocks) {
        (self.range, self.locks) = (range, locks);
        self.guards = locks.range_mode().is_some();
        (self.low, self.high) = (0, 0);
        self.more = false;
        self.resume = None;
        self.guarding.begin();
        self.state = State::Before;
    }

    /// True if the range begins on the leaf of the copy, and that is what the copy is. With the latch held it is said anew whether rows
    /// need locks.
    fn stays(&mut self, tx: &Transaction, db: &Database) -> StorageResult<bool> {
        let (Some(first), Direction::Forward) = (&self.range.lower, self.direction) else {
            return Ok(false);
        };
        if self.frame == u32::MAX || !covers(&self.copy, first) {
            return Ok(false);
        }
        let there = self.hobt.unmoved(db, self.copy.id(), self.frame, self.structure);
        let Some(leaf) = there.filter(|leaf| leaf.lsn() == self.copy.lsn()) else {
            return Ok(false);
        };
        self.moves = self.hobt.moves();
        self.clean = self.needs_no_locks(tx);
        self.set_window();
        self.find_images(tx)?;
        drop(leaf);
        Ok(true)
    }

    /// Goes on for another transaction, or a later statement of this one: what the locks of the one before had kept as it was may have
    /// changed. The copy serves if its leaf is as it was; else what follows the entry that was given last is copied anew.
    pub fn go_on(&mut self, tx: &Transaction) -> StorageResult<()> {
        self.guarding.counted = false;
        if self.state != State::On {
            return Ok(());
        }
        let there = self.hobt.unmoved(tx.database(), self.copy.id(), self.frame, self.structure);
        if let Some(leaf) = there.filter(|leaf| leaf.lsn() == self.copy.lsn()) {
            self.clean = self.needs_no_locks(tx);
            let images = self.find_images(tx);
            drop(leaf);
            return images;
        }
        let given = match self.direction {
            Direction::Forward => self.low.checked_sub(1),
            Direction::Backward => Some(self.high),
        };
        if let Some(slot) = given.filter(|&slot| slot < self.copy.slots() as usize) {
            let key = key_at(&self.copy, slot);
            let farther = self.resume.as_deref().is_none_or(|before| match self.direction {
                Direction::Forward => key > before,
                Direction::Backward => key < before,
            });
            if farther {
                self.resume = Some(key.to_vec());
            }
        }
        (self.low, self.high) = (0, 0);
        self.state = if self.resume.is_some() { State::Again } else { State::Before };
        Ok(())
    }

    /// Whether the rows of a leaf whose latch is held need no locks of their own.
    fn needs_no_locks(&self, tx: &Transaction) -> bool {
        match self.locks {
            ScanLocks::None | ScanLocks::Versions => true,
            ScanLocks::ReadCommitted => !tx.others_write(&self.hobt),
            _ => false,
        }
    }

    /// The next entry (key, value), until the range ends.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<(&[u8], &[u8])>> {
        if self.guards {
            return self.next_guarded(tx);
        }
        loop {
            if self.low >= self.high {
                if !self.load_next(tx)? {
                    return Ok(None);
                }
                continue;
            }
            let slot = match self.direction {
                Direction::Forward => {
                    self.low += 1;
                    self.low - 1
                }
                Direction::Backward => {
                    self.high -= 1;
                    self.high
                }
            };
            if !self.was.is_empty()
                && let Ok(at) = self.was.binary_search_by_key(&slot, |(slot, _)| *slot)
            {
                if self.was[at].1.is_none() {
                    continue;
                }
                let value = self.was[at].1.as_deref().unwrap_or_default();
                return Ok(Some((key_at(&self.copy, slot), value)));
            }
            if self.clean {
                if is_ghost(&self.copy, slot) {
                    tx.parts().0.store.counters.skipped_ghosts.inc();
                    continue;
                }
                return Ok(Some(split_entry(self.copy.row(slot))));
            }
            match self.locked(tx, slot)? {
                Some(true) => return Ok(Some(split_entry(self.copy.row(slot)))),
                Some(false) => return Ok(Some((&self.key, &self.value))),
                None => {}
            }
        }
    }

    /// True if the entry that [`BTreeCursor::next`] gave last is surely still there, as it was: its leaf has not changed since, or it is
    /// a snapshot's.
    #[inline]
    pub fn is_current(&self, tx: &Transaction) -> bool {
        if self.locks == ScanLocks::Versions {
            return true;
        }
        page_lsn(tx.database(), self.copy.id(), self.frame) == Some(self.copy.lsn())
    }

    /// The lock of an entry was not had, in [`BTreeCursor::next`] or for what the entry leads to: the next call looks at it again. (Not
    /// where ranges are locked.)
    pub fn step_back(&mut self) {
        match self.direction {
            _ if self.guards => {}
            Direction::Forward => self.low = self.low.saturating_sub(1),
            Direction::Backward => self.high += 1,
        }
    }

    /// The range that the cursor reads.
    pub fn range(&self) -> &KeyRange {
        &self.range
    }

    /// The key of the entry that [`BTreeCursor::next`] gave last.
    pub fn key(&self) -> &[u8] {
        let slot = match self.direction {
            Direction::Forward => self.low.checked_sub(1),
            Direction::Backward => Some(self.high),
        };
        // Without a leaf the copy is of no page of this tree.
        let there =
            slot.filter(|&slot| self.frame != u32::MAX && slot < self.copy.slots() as usize);
        there.map_or(&[], |slot| key_at(&self.copy, slot))
    }

    /// Locks a row of the copy. `Some(true)`: the copy is right; `Some(false)`: the row was read again; none: it is not there.
    fn locked(&mut self, tx: &mut Transaction, slot: usize) -> StorageResult<Option<bool>> {
        let Some(mode) = self.locks.mode() else { return Ok(Some(true)) };
        let hash = key_hash(self.hobt.id().0, key_at(&self.copy, slot));
        let new = tx.lock_key(&self.hobt, hash, mode)?;
        let found = self.on_leaf(tx, slot)?;
        if new && (found.is_none() || self.locks == ScanLocks::ReadCommitted) {
            tx.unlock_key(&self.hobt, hash);
        }
        if new && found.is_none() && !self.is_current(tx) {
            self.look_again(slot);
        }
        Ok(found)
    }

    /// Somebody has taken the row away, and the copy is not what the leaf is now: he may have put it in again farther on.
    #[cold]
    fn look_again(&mut self, slot: usize) {
        let resume = self.resume.get_or_insert_default();
        resume.clear();
        resume.extend_from_slice(key_at(&self.copy, slot));
        (self.low, self.high) = (0, 0);
        self.state = State::Again;
    }

    /// A row of the copy as it is now: see [`BTreeCursor::locked`].
    fn on_leaf(&mut self, tx: &mut Transaction, slot: usize) -> StorageResult<Option<bool>> {
        let (db, _) = tx.parts();
        let there = self.hobt.unmoved(db, self.copy.id(), self.frame, self.structure);
        if there.as_ref().is_some_and(|leaf| leaf.lsn() == self.copy.lsn()) {
            return Ok((!is_ghost(&self.copy, slot)).then_some(true));
        }
        self.key.clear();
        self.key.extend_from_slice(key_at(&self.copy, slot));
        self.value.clear();
        // Rows of the leaf have changed (by this statement, for one) and none has left it: nobody need go down from the root.
        let leaf = match there.filter(|leaf| covers(leaf, &self.key)) {
            Some(leaf) => leaf,
            None => leaf_on_way(db, &self.hobt, Some(&self.key))?,
        };
        Ok(match search(&leaf, &self.key) {
            Ok(at) if !is_ghost(&leaf, at) => {
                self.value.extend_from_slice(split_entry(leaf.row(at)).1);
                Some(false)
            }
            _ => None,
        })
    }

    /// Copies the first or next leaf; false: the range has ended.
    fn load_next(&mut self, tx: &mut Transaction) -> StorageResult<bool> {
        if self.hobt.root().is_none() {
            self.state = State::After;
            if self.locks == ScanLocks::Versions {
                tx.nothing_seen(&self.hobt)?;
            }
        }
        match self.state {
            State::After => return Ok(false),
            State::On if !self.more => {
                self.state = State::After;
                return Ok(false);
            }
            _ => {}
        }
        // The hobt's database, not a borrow of the transaction: the copy asks the transaction for its locks.
        let db = tx.database().clone();
        if self.state == State::Before && self.stays(tx, &db)? {
            self.state = State::On;
            return Ok(true);
        }
        let leaf = match self.state {
            State::Before => self.first_leaf(&db)?,
            State::Again => leaf_on_way(&db, &self.hobt, self.resume.as_deref())?,
            _ => self.neighbour(&db)?,
        };
        self.state = State::On;
        self.copy.of(&leaf);
        self.frame = leaf.frame();
        self.moves = self.hobt.moves();
        self.structure = self.hobt.structure();
        self.clean = self.needs_no_locks(tx);
        self.sampled = self.sample.is_none_or(|s| s.takes(self.copy.id()));
        match self.locks {
            ScanLocks::Versions => {
                self.set_window();
                self.find_images(tx)?;
                drop(leaf);
            }
            _ => {
                drop(leaf);
                self.was.clear();
                self.set_window();
            }
        }
        Ok(true)
    }

    fn first_leaf<'p>(&self, db: &'p Database) -> StorageResult<ReadGuard<'p>> {
        let key = match self.direction {
            Direction::Forward => Some(self.range.lower.as_deref().unwrap_or_default()),
            Direction::Backward => self.range.upper.as_deref(),
        };
        leaf_on_way(db, &self.hobt, key)
    }

    fn neighbour<'p>(&mut self, db: &'p Database) -> StorageResult<ReadGuard<'p>> {
        let forward = self.direction == Direction::Forward;
        let slots = self.copy.slots() as usize;
        if slots > 0 {
            let edge = key_at(&self.copy, if forward { slots - 1 } else { 0 });
            let resume = self.resume.get_or_insert_default();
            resume.clear();
            resume.extend_from_slice(edge);
        }
        let next = if forward { self.copy.next() } else { self.copy.prev() };
        // Rows that have moved to the left may be behind those of the copy, on its page; and the page that the copy's link names
        // may have been given back since, with its extent, and be anything now, or nothing that can be read.
        if self.hobt.moves() == self.moves {
            match db.pool().read_for(&db.store, next, Access::Scan) {
                Ok(leaf) => {
                    let back = if forward { leaf.prev() } else { leaf.next() };
                    let ours = leaf.is_leaf() && leaf.hobt() == self.hobt.id();
                    if ours && back == self.copy.id() && self.hobt.moves() == self.moves {
                        return Ok(leaf);
                    }
                }
                Err(e) if self.hobt.moves() == self.moves => return Err(e),
                Err(_) => {}
            }
        }
        let moved = self.hobt.moves() != self.moves;
        let leaf = match &self.resume {
            Some(key) => leaf_on_way(db, &self.hobt, Some(key))?,
            None => self.first_leaf(db)?,
        };
        // Whoever puts a page between two leaves changes both.
        if leaf.id() == self.copy.id() && leaf.lsn() == self.copy.lsn() && !moved {
            drop(leaf);
            let what = "a leaf's link to its neighbour is wrong".to_owned();
            return Err(db.store.corrupt(next, what));
        }
        Ok(leaf)
    }

    /// Looks what the rows of the window were for the snapshot. The latch of the copy's leaf, which is as it was copied, is held.
    fn find_images(&mut self, tx: &Transaction) -> StorageResult<()> {
        self.was.clear();
        if self.locks != ScanLocks::Versions {
            return Ok(());
        }
        let view = tx.view()?;
        if let Some(versions) = self.hobt.versions() {
            if tx.page_seen(versions, view, self.copy.id())? != PageSeen::Rows {
                (self.low, self.high, self.more) = (0, 0, false);
            }
            for slot in self.low..self.high {
                let image = tx.image_of(versions, view, key_at(&self.copy, slot));
                self.was.extend(image.map(|image| (slot, image)));
            }
        }
        tx.view_stands()
    }

    /// Which slots of the copy are in the range and not yet dealt with, and whether the range goes on after them.
    fn set_window(&mut self) {
        let page = &*self.copy;
        let slots = page.slots() as usize;
        let after = |key: &[u8]| search(page, key).map_or_else(|s| s, |s| s + 1);
        let at = |key: &[u8]| search(page, key).unwrap_or_else(|s| s);
        let mut low = match &self.range.lower {
            None => 0,
            Some(k) if self.range.lower_exclusive => after(k),
            Some(k) => at(k),
        };
        let mut high = match &self.range.upper {
            None => slots,
            Some(k) if self.range.upper_inclusive => after(k),
            Some(k) => at(k),
        };
        match self.direction {
            Direction::Forward => {
                self.more = high == slots && !page.next().is_none();
                if let Some(k) = &self.resume {
                    low = low.max(after(k));
                }
            }
            Direction::Backward => {
                self.more = low == 0 && !page.prev().is_none();
                if let Some(k) = &self.resume {
                    high = high.min(at(k));
                }
            }
        }
        // Locks on ranges are taken on the other leaves, too: see `next_guarded`.
        let passed_over = !self.sampled && !self.guards;
        (self.low, self.high) = if passed_over { (0, 0) } else { (low, high) };
    }
}

/// The page's LSN, if it is still in that frame.
pub(super) fn page_lsn(db: &Database, page: PageId, frame: u32) -> Option<LogPos> {
    let pin = db.pool().hinted(&db.store, page, frame)?;
    Some(pin.read().lsn())
}

impl ScanLocks {
    /// The mode that is taken on every row.
    pub(super) fn mode(self) -> Option<LockMode> {
        match self {
            ScanLocks::None | ScanLocks::Versions => None,
            ScanLocks::ReadCommitted | ScanLocks::Shared => Some(LockMode::S),
            ScanLocks::Update => Some(LockMode::U),
            ScanLocks::Exclusive => Some(LockMode::X),
            // On the one entry of a whole key.
            ScanLocks::RangeShared => Some(LockMode::S),
            ScanLocks::RangeUpdate => Some(LockMode::U),
            ScanLocks::RangeExclusive => Some(LockMode::X),
        }
    }

    /// The mode that is taken on every key of a range and on the next one.
    pub(super) fn range_mode(self) -> Option<LockMode> {
        match self {
            ScanLocks::RangeShared => Some(LockMode::RangeSS),
            ScanLocks::RangeUpdate => Some(LockMode::RangeSU),
            ScanLocks::RangeExclusive => Some(LockMode::RangeXX),
            _ => None,
        }
    }
}

const _: () = assert!(PAGE_BYTES == size_of::<crate::page::Page>());
