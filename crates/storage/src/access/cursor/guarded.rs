//! Scans that lock ranges of keys: nobody inserts into what they have read before their transaction has ended.
//!
//! Each physical key of the range is locked in a range mode, ghosts too, and so is the next key behind the range, or the tree's end.
//! A lock on a key guards the gap before it; so it counts only if the key still is the next one once it is locked. Forwards, that is
//! looked for after each lock: one look at the leaf where nothing has changed. Backwards the gap before a key is
//! read after the key is locked: the copy is made anew if its leaf has changed.
//!
//! A range that is one whole key has at most one entry. If it is there, a plain lock on it does; if its ghost is there, it does too, as
//! long as the ghost stays, which cleanup sees to. If it is not there, the next key is locked as that behind any other range.
//!
//! Behind a range a key that this transaction itself has put there guards the gap only until it is rolled back to a savepoint. So the
//! keys behind it are locked as well, up to the first of which it has not changed the row.

use std::sync::atomic::{Ordering, fence};

use super::super::btree::{key_hash, leaf_on_way};
use super::super::gap::{END, From, successor};
use super::super::node::{is_ghost, key_at, search, split_entry};
use super::super::{Direction, Hobt, KeyRange};
use super::{BTreeCursor, State};
use crate::database::Database;
use crate::error::StorageResult;
use crate::lock::LockMode;
use crate::txn::Transaction;

/// How far a cursor has guarded its range.
#[derive(Default)]
pub(super) struct Guarding {
    /// The tree counts the transaction.
    pub counted: bool,
    /// The key that was locked last: the gap behind it is the next one.
    passed: Option<Vec<u8>>,
    /// Backwards: the gap behind the range is guarded.
    above: bool,
    /// The copy was reached through its left neighbour's link: the gap before its first key begins on that leaf.
    crossed: bool,
    /// Backwards: the leaf has changed since it was copied.
    stale: bool,
}

impl Guarding {
    /// Begins anew, for another range, and perhaps another transaction.
    pub(super) fn begin(&mut self) {
        *self = Guarding::default();
    }

    fn pass(&mut self, key: &[u8]) {
        let passed = self.passed.get_or_insert_default();
        passed.clear();
        passed.extend_from_slice(key);
    }
}

/// One step of a scan.
enum Step {
    /// There is no more.
    End,
    /// The entry in this slot of the copy.
    Copied(usize),
    /// The entry that was read again.
    Read,
    /// No entry yet: there is another step.
    On,
}

/// The next key, after it was locked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// As it is in the copy.
    Copied,
    /// The same; its entry was read again, and is a ghost or not.
    Read { ghost: bool },
    /// Another key is the next one now.
    Another,
}

/// Where the search for the next key begins.
fn position<'c>(passed: &'c Option<Vec<u8>>, range: &'c KeyRange) -> From<'c> {
    match (passed, &range.lower) {
        (Some(key), _) => From::Behind(key),
        (None, None) => From::Beginning,
        (None, Some(key)) if range.lower_exclusive => From::Behind(key),
        (None, Some(key)) => From::At(key),
    }
}

impl BTreeCursor {
    /// [`BTreeCursor::next`] under locks on ranges.
    #[inline(never)]
    pub(super) fn next_guarded(
        &mut self,
        tx: &mut Transaction,
    ) -> StorageResult<Option<(&[u8], &[u8])>> {
        let Some(mode) = self.locks.range_mode() else { return Ok(None) };
        if !self.guarding.counted {
            tx.guard(&self.hobt);
            self.guarding.counted = true;
        }
        loop {
            match self.step(tx, mode)? {
                Step::On => {}
                Step::End => return Ok(None),
                _ if !self.sampled => {}
                Step::Copied(slot) => return Ok(Some(split_entry(self.copy.row(slot)))),
                Step::Read => return Ok(Some((&self.key, &self.value))),
            }
        }
    }

    /// The range is one whole key: at most one entry.
    fn is_point(&self) -> bool {
        let r = &self.range;
        r.lower.is_some() && r.lower == r.upper && r.upper_inclusive && !r.lower_exclusive
    }

    fn step(&mut self, tx: &mut Transaction, mode: LockMode) -> StorageResult<Step> {
        if self.state == State::After {
            return Ok(Step::End);
        }
        if self.hobt.root().is_none() {
            return self.guard_nothing(tx, mode);
        }
        if self.guarding.stale {
            self.look_from_passed();
        }
        let point = self.is_point();
        let backward = self.direction == Direction::Backward && !point;
        if backward && !self.guarding.above {
            self.guard_above(tx, mode)?;
            self.guarding.above = true;
        }
        if self.low < self.high {
            return match backward {
                true => self.step_down(tx, mode),
                false => self.step_up(tx, mode, point),
            };
        }
        if self.state == State::On && (point || !self.more) {
            let guarded = backward || self.guard_behind(tx, mode)?;
            if guarded {
                self.state = State::After;
            }
            return Ok(Step::On);
        }
        self.guarding.crossed = self.state == State::On;
        if !self.load_next(tx)? {
            // The tree's pages are gone.
            self.state = State::Before;
        }
        Ok(Step::On)
    }

    /// Locks the next key of the copy, forwards.
    fn step_up(
        &mut self,
        tx: &mut Transaction,
        mode: LockMode,
        point: bool,
    ) -> StorageResult<Step> {
        let slot = self.low;
        let hash = key_hash(self.hobt.id().0, key_at(&self.copy, slot));
        let mode = if point { self.locks.mode().unwrap_or(mode) } else { mode };
        let new = tx.lock_key(&self.hobt, hash, mode)?;
        let next = self.is_next(tx, slot)?;
        if next == Next::Another {
            if new {
                tx.unlock_key(&self.hobt, hash);
            }
            self.look_from_passed();
            return Ok(Step::On);
        }
        self.low = slot + 1;
        self.guarding.pass(key_at(&self.copy, slot));
        if point {
            self.state = State::After;
        }
        Ok(self.found(tx, next, slot))
    }

    /// A key that is locked and was looked at: its entry, if it is no ghost.
    fn found(&self, tx: &mut Transaction, next: Next, slot: usize) -> Step {
        let ghost = match next {
            Next::Read { ghost } => ghost,
            _ => is_ghost(&self.copy, slot),
        };
        match next {
            _ if ghost => {
                tx.parts().0.store.counters.skipped_ghosts.inc();
                Step::On
            }
            Next::Read { .. } => Step::Read,
            _ => Step::Copied(slot),
        }
    }

    /// Locks the next key of the copy, backwards. Nothing can have come between it and the one that was passed last.
    fn step_down(&mut self, tx: &mut Transaction, mode: LockMode) -> StorageResult<Step> {
        let slot = self.high - 1;
        let hash = key_hash(self.hobt.id().0, key_at(&self.copy, slot));
        let new = tx.lock_key(&self.hobt, hash, mode)?;
        let db = tx.database().clone();
        let there = self.hobt.unmoved(&db, self.copy.id(), self.frame, self.structure);
        let same = there.as_ref().is_some_and(|leaf| leaf.lsn() == self.copy.lsn());
        drop(there);
        let mut next = Next::Copied;
        if !same {
            let key = key_at(&self.copy, slot);
            let leaf = leaf_on_way(&db, &self.hobt, Some(key))?;
            let Ok(at) = search(&leaf, key) else {
                // Undone, or a ghost that is gone.
                drop(leaf);
                if new {
                    tx.unlock_key(&self.hobt, hash);
                }
                self.look_from_passed();
                return Ok(Step::On);
            };
            next = Next::Read { ghost: is_ghost(&leaf, at) };
            self.key.clear();
            self.value.clear();
            self.key.extend_from_slice(key);
            self.value.extend_from_slice(split_entry(leaf.row(at)).1);
            self.guarding.stale = true;
        }
        self.high = slot;
        self.guarding.pass(key_at(&self.copy, slot));
        Ok(self.found(tx, next, slot))
    }

    /// Whether the key in this slot of the copy, or behind its last slot the tree's end, is still the next one, forwards. It is locked.
    fn is_next(&mut self, tx: &Transaction, slot: usize) -> StorageResult<Next> {
        let db = tx.database();
        let slots = self.copy.slots() as usize;
        if slot > 0 || !self.guarding.crossed {
            let there = self.hobt.unmoved(db, self.copy.id(), self.frame, self.structure);
            if there.is_some_and(|leaf| leaf.lsn() == self.copy.lsn()) {
                return Ok(Next::Copied);
            }
        }
        let from = position(&self.guarding.passed, &self.range);
        let next = successor(db, &self.hobt, from)?;
        Ok(match next {
            None if slot == slots => Next::Copied,
            Some((leaf, at)) if slot < slots && key_at(&leaf, at) == key_at(&self.copy, slot) => {
                let (key, value) = split_entry(leaf.row(at));
                self.key.clear();
                self.value.clear();
                self.key.extend_from_slice(key);
                self.value.extend_from_slice(value);
                Next::Read { ghost: is_ghost(&leaf, at) }
            }
            _ => Next::Another,
        })
    }

    /// Guards the gap behind the range, forwards. False: another key of the range has come before it.
    fn guard_behind(&mut self, tx: &mut Transaction, mode: LockMode) -> StorageResult<bool> {
        let slot = self.high;
        let slots = self.copy.slots() as usize;
        if slot >= slots && !self.copy.next().is_none() {
            let from = position(&self.guarding.passed, &self.range);
            let guarded = guard_from(tx, &self.hobt, from, Some(&self.range), mode)?;
            if !guarded {
                self.look_from_passed();
            }
            return Ok(guarded);
        }
        let hash = match slot < slots {
            true => key_hash(self.hobt.id().0, key_at(&self.copy, slot)),
            false => END,
        };
        let own = tx.may_have_changed(&self.hobt, hash);
        let new = tx.lock_key(&self.hobt, hash, mode)?;
        if self.is_next(tx, slot)? == Next::Another {
            if new {
                tx.unlock_key(&self.hobt, hash);
            }
            self.look_from_passed();
            return Ok(false);
        }
        if own && slot < slots {
            let behind = From::Behind(key_at(&self.copy, slot));
            guard_from(tx, &self.hobt, behind, None, mode)?;
        }
        Ok(true)
    }

    /// Guards the gap behind the range, before anything is read backwards.
    fn guard_above(&mut self, tx: &mut Transaction, mode: LockMode) -> StorageResult<()> {
        let from = match &self.range.upper {
            None => {
                tx.lock_key(&self.hobt, END, mode)?;
                return Ok(());
            }
            Some(key) if self.range.upper_inclusive => From::Behind(key),
            Some(key) => From::At(key),
        };
        guard_from(tx, &self.hobt, from, None, mode).map(drop)
    }

    /// A tree without pages has only its end.
    fn guard_nothing(&mut self, tx: &mut Transaction, mode: LockMode) -> StorageResult<Step> {
        let new = tx.lock_key(&self.hobt, END, mode)?;
        // Who makes the first page asks afterwards whether the tree is guarded.
        fence(Ordering::SeqCst);
        if self.hobt.root().is_none() {
            self.state = State::After;
        } else if new {
            tx.unlock_key(&self.hobt, END);
        }
        Ok(Step::On)
    }

    /// The copy is not what the tree is now: on from the key that was locked last.
    #[cold]
    fn look_from_passed(&mut self) {
        (self.low, self.high) = (0, 0);
        self.more = false;
        self.guarding.stale = false;
        match &self.guarding.passed {
            None => (self.resume, self.state) = (None, State::Before),
            Some(key) => {
                let resume = self.resume.get_or_insert_default();
                resume.clear();
                resume.extend_from_slice(key);
                self.state = State::Again;
            }
        }
    }
}

/// Locks the next key, so that nobody puts another before it. False: it lies within the range.
fn guard_from(
    tx: &mut Transaction,
    hobt: &Hobt,
    from: From<'_>,
    range: Option<&KeyRange>,
    mode: LockMode,
) -> StorageResult<bool> {
    let db = tx.database().clone();
    let mut behind: Option<Vec<u8>> = None;
    loop {
        let from = behind.as_deref().map_or(from, From::Behind);
        let next = next_key(&db, hobt, from)?;
        if behind.is_none()
            && let (Some(key), Some(range)) = (&next, range)
            && range.contains(key)
        {
            return Ok(false);
        }
        let hash = next.as_deref().map_or(END, |key| key_hash(hobt.id().0, key));
        let own = next.is_some() && tx.may_have_changed(hobt, hash);
        let new = tx.lock_key(hobt, hash, mode)?;
        match next_key(&db, hobt, from)? == next {
            false if new => tx.unlock_key(hobt, hash),
            false => {}
            true if own => behind = next,
            true => return Ok(true),
        }
    }
}

fn next_key(db: &Database, hobt: &Hobt, from: From<'_>) -> StorageResult<Option<Vec<u8>>> {
    let next = successor(db, hobt, from)?;
    Ok(next.map(|(leaf, at)| key_at(&leaf, at).to_vec()))
}
