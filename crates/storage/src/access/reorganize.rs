//! A tree reorganized beside ordinary work: leaves filled up and merged, put in the order of their keys on the pages that the tree has,
//! and extents that have become empty given back. In the manner of Zou and Salzberg, "On-line Reorganization of Sparsely-populated
//! B+-trees" (SIGMOD 1996): many short system transactions, each of which changes two or three leaves and their parent.
//!
//! ```text
//! merge   the leaves under one parent are looked at without latches. Ghosts of ended transactions go first. Where
//! some neighbours (up to WINDOW) would fit, at the fill
//!         factor, on one page less, rows move to the left pair by pair; otherwise nothing moves
//! order   the leaves' pages, and free pages of the tree's if they are many, in ascending order are where the leaves are to be in the
//!         order of keys. A leaf moves to a place that is free; that frees its own place for the next. A cycle begins with a
//!         leaf that moves out of the way
//! free    extents without a page in use go back to the database
//! ```
//! Every step commits by itself: it stays whatever becomes of the statement, and after any step the work may be given up, or begun
//! anew. All of it is logged. What is planned may be out of date when it is done (others split leaves meanwhile): each step looks again
//! under latches and leaves alone what is not as it was.

use std::collections::HashMap;
use std::sync::Arc;

use taffrail_base::PageId;

use super::reorganize_step::{Merged, free_extents, free_pages, merge_leaves, move_leaf, survey};
use super::{Hobt, HobtKind};
use crate::buffer::Access;
use crate::database::Database;
use crate::error::{StorageError, StorageResult};
use crate::page::{MAX_ROW_BYTES, SLOT_BYTES};
use crate::txn::Transaction;
use crate::txn::work::Work;

/// Neighbours that are looked at together.
const WINDOW: usize = 8;
/// Below one leaf in so many out of order, and from so many leaves on, the order is good enough: to mend it may mean to move all.
const ORDERED_FROM: usize = 1000;
const ORDERED_SHARE: usize = 100;
/// Leaves move together on the lower pages of the tree if at least one page in so many is free.
const SPARSE_SHARE: usize = 4;
const SPARSE_FROM: usize = 16;

/// The work that a reorganization has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Reorganized {
    /// Leaves whose rows went to their left neighbours.
    pub freed: u64,
    /// Leaves that were filled up with rows of their right neighbours.
    pub filled: u64,
    /// Leaves that moved to another page.
    pub moved: u64,
    /// Extents that were given back.
    pub extents: u64,
}

/// A reorganization of a tree, to be driven by [`Reorganize::step`]. The caller holds a lock on the object that keeps
/// bulk loads, checks and
/// changes of its definition away (IX).
pub struct Reorganize {
    hobt: Arc<Hobt>,
    /// Bytes to leave free on a leaf.
    spare: usize,
    phase: Phase,
    done: Reorganized,
}

enum Phase {
    Merge(Merge),
    /// The leaves before this key, in order.
    Collect {
        key: Vec<u8>,
        leaves: Vec<PageId>,
    },
    Order(Order),
    /// From this IAM page on.
    Free(usize),
    Done,
}

/// Leaves that are to be merged.
struct Merge {
    /// The parent whose windows are dealt with: the least key below it.
    parent: Vec<u8>,
    windows: Vec<Window>,
    /// Leaves that have ghosts.
    ghosts: Vec<PageId>,
    /// Something was freed since it was last looked at: there may be more to do now.
    again: bool,
    /// The least key below the next one.
    next: Option<Vec<u8>>,
}

/// The leaf of `key` and so many neighbours to the right.
struct Window {
    key: Vec<u8>,
    pairs: usize,
}

/// Leaves by number, in the order of their keys.
struct Order {
    place: Vec<PageId>,
    target: Vec<PageId>,
    /// The leaf that is to be on a page, by its number.
    wanted: HashMap<PageId, usize>,
    /// Free pages that somebody may be wanted on.
    vacant: Vec<PageId>,
    /// Leaves before this one are where they are to be, or cannot be moved there.
    next: usize,
}

impl Reorganize {
    /// One that fills leaves up to `fill_factor` percent (0: 100).
    pub fn new(hobt: &Arc<Hobt>, fill_factor: u8) -> StorageResult<Reorganize> {
        if hobt.kind() != HobtKind::BTree {
            return Err(StorageError::Misuse("not a B+ tree"));
        }
        let fill = if fill_factor == 0 { 100 } else { usize::from(fill_factor.min(100)) };
        Ok(Reorganize {
            hobt: hobt.clone(),
            spare: (MAX_ROW_BYTES + SLOT_BYTES) * (100 - fill) / 100,
            phase: Phase::Merge(Merge {
                parent: Vec::new(),
                windows: Vec::new(),
                ghosts: Vec::new(),
                again: false,
                next: Some(Vec::new()),
            }),
            done: Reorganized::default(),
        })
    }

    /// The work done so far.
    pub fn done(&self) -> Reorganized {
        self.done
    }

    /// Does a little; false: there is nothing left to do. No latch is held between calls.
    pub fn step(&mut self, tx: &mut Transaction) -> StorageResult<bool> {
        let (db, work) = tx.parts();
        db.store.check()?;
        if self.hobt.root().is_none() {
            self.phase = Phase::Done;
        }
        let hobt = &*self.hobt;
        self.phase = match std::mem::replace(&mut self.phase, Phase::Done) {
            Phase::Merge(mut merge) if !merge.ghosts.is_empty() => {
                if let Some(leaf) = merge.ghosts.pop() {
                    db.clean_leaf(hobt, leaf, None)?;
                }
                merge.again = true;
                Phase::Merge(merge)
            }
            Phase::Merge(mut merge) => match (merge.windows.pop(), merge.next.take()) {
                (Some(window), next) => {
                    let freed = self.done.freed;
                    merge.windows.extend(self.merge(db, work, window)?);
                    merge.again |= self.done.freed > freed;
                    Phase::Merge(Merge { next, ..merge })
                }
                (None, _) if merge.again => self.survey(db, merge.parent, false)?,
                (None, Some(next)) => self.survey(db, next, true)?,
                (None, None) => Phase::Collect { key: Vec::new(), leaves: Vec::new() },
            },
            Phase::Collect { key, mut leaves } => match survey(db, hobt, &key)? {
                None => Phase::Free(0),
                Some(found) => {
                    leaves.extend(found.leaves.iter().map(|l| l.1));
                    match found.next.filter(|next| *next > key) {
                        Some(key) => Phase::Collect { key, leaves },
                        None => self.plan(db, leaves)?,
                    }
                }
            },
            Phase::Order(mut order) => match order.step(db, work, hobt)? {
                Some(moved) => {
                    self.done.moved += u64::from(moved);
                    Phase::Order(order)
                }
                None => Phase::Free(0),
            },
            Phase::Free(at) => match free_extents(db, work, hobt, at)? {
                None => Phase::Done,
                Some(0) => Phase::Free(at + 1),
                Some(n) => {
                    self.done.extents += n;
                    Phase::Free(at)
                }
            },
            Phase::Done => Phase::Done,
        };
        Ok(!matches!(self.phase, Phase::Done))
    }

    /// Finds the neighbours under a parent that would fit on fewer pages, or, the first time, leaves with ghosts.
    fn survey(&self, db: &Arc<Database>, parent: Vec<u8>, first: bool) -> StorageResult<Phase> {
        let Some(found) = survey(db, &self.hobt, &parent)? else { return Ok(Phase::Free(0)) };
        let full = MAX_ROW_BYTES + SLOT_BYTES;
        let fill = full - self.spare;
        let mut sizes = Vec::with_capacity(found.leaves.len());
        let mut ghosts = Vec::new();
        for (_, leaf) in &found.leaves {
            let page = db.pool().read_for(&db.store, *leaf, Access::Scan)?;
            // One that is not here any more counts as full: it is left alone.
            let here = page.is_leaf() && page.hobt() == self.hobt.id();
            if first && here && page.ghosts() > 0 {
                ghosts.push(*leaf);
            }
            sizes.push(match here {
                true => (full - page.free_bytes() as usize, usize::from(page.slots())),
                false => (full, 1),
            });
        }
        let mut windows = Vec::new();
        let mut at = 0;
        while at + 1 < sizes.len() && ghosts.is_empty() {
            let pairs = fewer(&sizes[at..sizes.len().min(at + WINDOW)], fill);
            if pairs > 0 {
                windows.push(Window { key: found.leaves[at].0.clone(), pairs });
            }
            at += pairs.max(1);
        }
        // The last is dealt with first; from left to right.
        windows.reverse();
        let next = found.next.filter(|next| *next > parent);
        Ok(Phase::Merge(Merge { parent, windows, ghosts, again: false, next }))
    }

    /// Deals with the first pair of a window; gives what is left of it.
    fn merge(
        &mut self,
        db: &Arc<Database>,
        work: &Work,
        window: Window,
    ) -> StorageResult<Option<Window>> {
        let Window { key, pairs } = window;
        let key = match merge_leaves(db, work, &self.hobt, &key, self.spare)? {
            Merged::Freed => {
                self.done.freed += 1;
                Some(key)
            }
            Merged::Filled(next) => {
                self.done.filled += 1;
                Some(next)
            }
            Merged::Nothing => None,
        };
        Ok(key.filter(|_| pairs > 1).map(|key| Window { key, pairs: pairs - 1 }))
    }

    /// Where the leaves are to be.
    fn plan(&self, db: &Arc<Database>, leaves: Vec<PageId>) -> StorageResult<Phase> {
        let free = free_pages(db, &self.hobt)?;
        let mut target = leaves.clone();
        target.sort_unstable();
        let next_of: HashMap<PageId, PageId> = target.windows(2).map(|w| (w[0], w[1])).collect();
        let stray = leaves.windows(2).filter(|w| next_of.get(&w[0]) != Some(&w[1])).count();
        let sparse =
            free.len() >= SPARSE_FROM && free.len() * SPARSE_SHARE >= leaves.len() + free.len();
        let ordered =
            stray == 0 || (leaves.len() >= ORDERED_FROM && stray * ORDERED_SHARE < leaves.len());
        if ordered && !sparse {
            return Ok(Phase::Free(0));
        }
        let mut vacant = Vec::new();
        if sparse {
            let n = target.len();
            target.extend(&free);
            target.sort_unstable();
            target.truncate(n);
            vacant = free;
        }
        let wanted = target.iter().enumerate().map(|(i, page)| (*page, i)).collect();
        Ok(Phase::Order(Order { place: leaves, target, wanted, vacant, next: 0 }))
    }
}

/// How many pairs there are in the shortest row of neighbours, from the first on, that would fit on one page less; 0: in none.
fn fewer(sizes: &[(usize, usize)], fill: usize) -> usize {
    let (mut bytes, mut rows) = (0, 0);
    for (i, (size, slots)) in sizes.iter().enumerate() {
        bytes += size;
        rows += slots;
        // What does not fit at the end of a page is about half a row, on all but the last.
        let lost = bytes / rows.max(1) * i.saturating_sub(1);
        if i > 0 && bytes + lost <= i * fill {
            return i;
        }
    }
    0
}

impl Order {
    /// Moves one leaf; whether it did, or none: all are where they are to be.
    fn step(
        &mut self,
        db: &Arc<Database>,
        work: &Work,
        hobt: &Hobt,
    ) -> StorageResult<Option<bool>> {
        while let Some(page) = self.vacant.pop() {
            let Some(&leaf) = self.wanted.get(&page) else { continue };
            if self.place[leaf] == page {
                continue;
            }
            return self.to(db, work, hobt, leaf, Some(page)).map(Some);
        }
        while self.next < self.place.len() {
            let leaf = self.next;
            if self.place[leaf] == self.target[leaf] {
                self.next += 1;
                continue;
            }
            // Out of the way, once: its place is somebody else's. It comes back when its own is free.
            self.next += 1;
            return self.to(db, work, hobt, leaf, None).map(Some);
        }
        Ok(None)
    }

    fn to(
        &mut self,
        db: &Arc<Database>,
        work: &Work,
        hobt: &Hobt,
        leaf: usize,
        page: Option<PageId>,
    ) -> StorageResult<bool> {
        let from = self.place[leaf];
        let Some(now) = move_leaf(db, work, hobt, from, page)? else { return Ok(false) };
        self.place[leaf] = now;
        self.vacant.push(from);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_fit_on_fewer_pages() {
        assert_eq!(fewer(&[(4000, 40), (4000, 40)], 8000), 1);
        assert_eq!(fewer(&[(4001, 40), (4000, 40)], 8000), 0);
        assert_eq!(fewer(&[(5000, 50), (5000, 50), (5000, 50), (5000, 50)], 8000), 2);
        assert_eq!(fewer(&[(8000, 1), (8000, 1)], 8000), 0);
        assert_eq!(fewer(&[(0, 0), (8000, 1)], 8000), 1);
        assert_eq!(fewer(&[(8000, 9)], 8000), 0);
    }
}
