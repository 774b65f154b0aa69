//! Operations on heaps and trees, counted since they were opened: sys.dm_db_index_operational_stats.
//!
//! A transaction counts for itself what it does with rows ([`Tally`]) and adds that to the heap or tree when it ends, so nothing is
//! shared by those who work on rows. What is rare is added at once. What a rollback takes back stays counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The kinds of operations: those of rows, of which a transaction keeps a tally, come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A row or entry comes onto a leaf, or onto a page of a heap.
    LeafInsert,
    /// One is changed where it is, or moves within a heap.
    LeafUpdate,
    /// One is marked as deleted.
    LeafGhost,
    /// A query begins to read a range, or all.
    RangeScan,
    /// A query looks for one row, by its whole key or its place.
    SingletonLookup,
    /// A row or key is locked.
    RowLock,
    /// An entry comes onto a page above the leaves.
    InteriorInsert,
    /// A leaf or page of a heap is made.
    LeafAllocation,
    /// A page above the leaves is made.
    InteriorAllocation,
    /// A row of a heap is read where its stub leads.
    ForwardedFetch,
    /// The lock of a row or key was waited for.
    RowLockWait,
    /// Microseconds that these waits took.
    RowLockWaitMicros,
}

/// The number of kinds.
const KINDS: usize = Operation::RowLockWaitMicros as usize + 1;

/// The number of those that a tally has.
const TALLIED: usize = Operation::RowLock as usize + 1;

/// Trees beside the last one that a transaction counts for before it adds what there is.
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

    fn add_all(&self, counts: &[u64; TALLIED]) {
        for (all, count) in self.0.iter().zip(counts) {
            if *count > 0 {
                all.fetch_add(*count, Relaxed);
            }
        }
    }
}

/// The operations of a transaction that its trees do not know of yet: they do when it is dropped.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    /// The tree that was counted for last; most transactions have no other.
    tree: Option<Arc<Operations>>,
    /// The operations on that one.
    counts: [u64; TALLIED],
    others: Vec<(Arc<Operations>, [u64; TALLIED])>,
}

impl Tally {
    /// Counts an operation on a tree.
    #[inline]
    pub fn add(&mut self, tree: &Arc<Operations>, operation: Operation) {
        let kind = operation as usize;
        if kind >= TALLIED {
            tree.add(operation, 1);
            return;
        }
        if !self.tree.as_ref().is_some_and(|last| Arc::ptr_eq(last, tree)) {
            self.turn_to(tree);
        }
        self.counts[kind] += 1;
    }

    #[inline(never)]
    fn turn_to(&mut self, tree: &Arc<Operations>) {
        if let Some((known, counts)) = self.others.iter_mut().find(|(t, _)| Arc::ptr_eq(t, tree)) {
            if let Some(last) = &mut self.tree {
                std::mem::swap(last, known);
            }
            std::mem::swap(&mut self.counts, counts);
            return;
        }
        let counts = std::mem::take(&mut self.counts);
        if let Some(last) = self.tree.replace(tree.clone()) {
            if self.others.len() == MOST {
                self.hand_over();
            }
            self.others.push((last, counts));
        }
    }

    /// Adds the operations on the other trees.
    fn hand_over(&mut self) {
        for (tree, counts) in &self.others {
            tree.add_all(counts);
        }
        self.others.clear();
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        if let Some(tree) = &self.tree {
            tree.add_all(&self.counts);
        }
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
        tally.add(&a, Operation::LeafInsert);
        tally.add(&b, Operation::LeafInsert);
        tally.add(&a, Operation::LeafInsert);
        tally.add(&a, Operation::RowLock);
        tally.add(&b, Operation::RangeScan);
        assert_eq!((a.of(Operation::LeafInsert), b.of(Operation::LeafInsert)), (0, 0));
        drop(tally);
        assert_eq!((a.of(Operation::LeafInsert), b.of(Operation::LeafInsert)), (2, 1));
        assert_eq!((a.of(Operation::RowLock), a.of(Operation::LeafGhost)), (1, 0));
        assert_eq!((a.of(Operation::RangeScan), b.of(Operation::RangeScan)), (0, 1));
    }

    #[test]
    fn what_is_rare_is_added_at_once() {
        let tree = Arc::new(Operations::default());
        let mut tally = Tally::default();
        tally.add(&tree, Operation::LeafAllocation);
        assert_eq!(tree.of(Operation::LeafAllocation), 1);
        drop(tally);
        assert_eq!(tree.of(Operation::LeafAllocation), 1);
    }

    #[test]
    fn many_trees_are_counted_without_a_long_list() {
        let trees: Vec<Arc<Operations>> = (0..3 * MOST).map(|_| Arc::default()).collect();
        let mut tally = Tally::default();
        for tree in trees.iter().chain(&trees) {
            tally.add(tree, Operation::LeafUpdate);
        }
        assert!(tally.others.len() <= MOST);
        drop(tally);
        assert!(trees.iter().all(|tree| tree.of(Operation::LeafUpdate) == 2));
    }
}
