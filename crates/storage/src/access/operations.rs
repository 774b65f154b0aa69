//! Operations on heaps and trees, counted since they were opened: sys.dm_db_index_operational_stats.
//!
//! A transaction counts for itself ([`Tally`]) and adds that to the heap or tree when it ends, so nothing is shared by those who work on
//! rows. What a rollback takes back stays counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The kinds of operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A row or entry comes onto a leaf, or onto a page of a heap.
    LeafInsert,
    /// One is changed where it is, or moves within a heap.
    LeafUpdate,
    /// One is marked as deleted.
    LeafGhost,
    /// An entry comes onto a page above the leaves.
    InteriorInsert,
    /// A leaf or page of a heap is made.
    LeafAllocation,
    /// A page above the leaves is made.
    InteriorAllocation,
    /// A query begins to read a range, or all.
    RangeScan,
    /// A query looks for one row, by its whole key or its place.
    SingletonLookup,
    /// A row of a heap is read where its stub leads.
    ForwardedFetch,
    /// A row or key is locked.
    RowLock,
    /// That was waited for.
    RowLockWait,
    /// Microseconds that these waits took.
    RowLockWaitMicros,
}

/// The number of kinds.
const KINDS: usize = Operation::RowLockWaitMicros as usize + 1;

/// Trees that a transaction counts for before it adds what there is.
const MOST: usize = 16;

/// The operations on one heap or tree.
#[derive(Default, Debug)]
pub struct Operations([AtomicU64; KINDS]);

impl Operations {
    /// The number of operations of a kind; of waits their microseconds.
    pub fn of(&self, operation: Operation) -> u64 {
        self.0[operation as usize].load(Relaxed)
    }

    /// Adds to those of a kind.
    pub(crate) fn add(&self, operation: Operation, count: u64) {
        self.0[operation as usize].fetch_add(count, Relaxed);
    }
}

/// The operations of a transaction that its trees do not know of yet: they do when it is dropped.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    trees: Vec<(Arc<Operations>, [u64; KINDS])>,
    /// The one that was counted for last.
    last: usize,
}

impl Tally {
    /// Counts operations on a tree.
    #[inline]
    pub fn add(&mut self, tree: &Arc<Operations>, operation: Operation, count: u64) {
        let at = match self.trees.get(self.last) {
            Some((last, _)) if Arc::ptr_eq(last, tree) => self.last,
            _ => self.find(tree),
        };
        self.trees[at].1[operation as usize] += count;
    }

    fn find(&mut self, tree: &Arc<Operations>) -> usize {
        self.last = match self.trees.iter().position(|(t, _)| Arc::ptr_eq(t, tree)) {
            Some(at) => at,
            None => {
                if self.trees.len() == MOST {
                    self.hand_over();
                }
                self.trees.push((tree.clone(), [0; KINDS]));
                self.trees.len() - 1
            }
        };
        self.last
    }

    fn hand_over(&mut self) {
        for (tree, counts) in self.trees.drain(..) {
            for (all, count) in tree.0.iter().zip(counts).filter(|(_, count)| *count > 0) {
                all.fetch_add(count, Relaxed);
            }
        }
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        self.hand_over();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_added_once() {
        let (a, b) = (Arc::new(Operations::default()), Arc::new(Operations::default()));
        let mut tally = Tally::default();
        tally.add(&a, Operation::LeafInsert, 1);
        tally.add(&b, Operation::LeafInsert, 5);
        tally.add(&a, Operation::LeafInsert, 1);
        tally.add(&a, Operation::RowLock, 3);
        assert_eq!((a.of(Operation::LeafInsert), b.of(Operation::LeafInsert)), (0, 0));
        drop(tally);
        assert_eq!((a.of(Operation::LeafInsert), b.of(Operation::LeafInsert)), (2, 5));
        assert_eq!((a.of(Operation::RowLock), a.of(Operation::LeafGhost)), (3, 0));
    }

    #[test]
    fn many_trees_are_counted_without_a_long_list() {
        let trees: Vec<Arc<Operations>> = (0..3 * MOST).map(|_| Arc::default()).collect();
        let mut tally = Tally::default();
        for tree in trees.iter().chain(&trees) {
            tally.add(tree, Operation::LeafUpdate, 2);
        }
        assert!(tally.trees.len() <= MOST);
        drop(tally);
        assert!(trees.iter().all(|tree| tree.of(Operation::LeafUpdate) == 4));
    }
}
