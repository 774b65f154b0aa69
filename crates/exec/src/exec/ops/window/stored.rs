//! Windows over rows that are in files: sorted runs, merged, and one partition after the other in a store.

use super::{WindowOp, compare_rows};
use crate::exec::ops::sort::compare_keys;
use crate::exec::rows::{RowMerge, RowStore, Runs};
use crate::exec::runtime::Rt;
use crate::memory::{self, Held};
use crate::plan::expr::Slot;
use crate::plan::node::SortKey;
use std::cell::RefCell;
use taffrail_base::SqlResult;
use taffrail_types::{Value, compare};

/// What is in files.
pub(super) struct Stored {
    /// Those that are being written; `None` once they are merged.
    runs: Option<Runs>,
    merge: Option<RowMerge>,
    /// The first row of the next partition.
    first: Option<Vec<Value>>,
    /// The partition: keys, then the row. (It is read to and fro while nothing else changes.)
    partition: RefCell<RowStore>,
    /// How many keys there are.
    keys: usize,
}

impl Stored {
    pub fn rows(&self) -> usize {
        self.partition.borrow().len()
    }

    /// Brings a row of the partition into the frame.
    pub fn load(&self, rt: &mut Rt<'_>, place: usize, slots: &[Slot]) -> SqlResult<()> {
        let mut partition = self.partition.borrow_mut();
        rt.restore(slots, &partition.row(place)?[self.keys..]);
        Ok(())
    }

    /// Whether two rows of the partition are equal in its order, whose keys begin at `from`.
    pub fn peers(&self, a: usize, b: usize, from: usize, order: &[SortKey]) -> SqlResult<bool> {
        let mut partition = self.partition.borrow_mut();
        let first = partition.row(a)?[from..self.keys].to_vec();
        Ok(compare_keys(&first, &partition.row(b)?[from..self.keys], order).is_eq())
    }
}

/// The results of a function, by place.
pub(super) enum WindowResults {
    /// With what they have on the heap: the values themselves are counted with their rows.
    Memory(Vec<Value>, Held),
    Stored(Box<RowStore>),
}

impl WindowResults {
    pub fn new() -> WindowResults {
        WindowResults::Memory(Vec::new(), Held::default())
    }

    /// Adds the result of the next place.
    #[inline]
    pub fn push(&mut self, rt: &mut Rt<'_>, v: Value) -> SqlResult<()> {
        match self {
            WindowResults::Memory(all, held) => {
                let heap = memory::spilled(&v);
                all.push(v);
                if heap == 0 {
                    return Ok(());
                }
                held.add(heap);
                if memory::must_spill(held.bytes()) { self.store(rt) } else { Ok(()) }
            }
            WindowResults::Stored(all) => all.add(rt, &[v]),
        }
    }

    /// Those in memory have no room any more.
    #[cold]
    fn store(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let WindowResults::Memory(all, _) = self else { return Ok(()) };
        let mut stored = Box::new(RowStore::in_order(1));
        for v in std::mem::take(all) {
            stored.add(rt, &[v])?;
        }
        *self = WindowResults::Stored(stored);
        Ok(())
    }

    /// Takes the result of a place out.
    pub fn take(&mut self, place: usize) -> SqlResult<Value> {
        match self {
            WindowResults::Memory(all, _) => Ok(std::mem::take(&mut all[place])),
            WindowResults::Stored(all) => Ok(all.row(place)?[0].clone()),
        }
    }
}

impl WindowOp {
    /// The rows in memory go to a sorted run.
    #[cold]
    pub(super) fn spill(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.sort()?;
        let file = rt.spill_file()?;
        let keys = self.node.partition.len() + self.node.order.len();
        let stored = self.stored.get_or_insert_with(|| {
            let partition = RefCell::new(RowStore::new(keys + self.node.save.len()));
            Box::new(Stored { runs: None, merge: None, first: None, partition, keys })
        });
        let key = |i: usize| &self.keys[i * keys..(i + 1) * keys];
        let rows = self.order.iter().map(|i| *i as usize);
        let rows = rows.map(|i| key(i).iter().chain(self.rows.row(i)));
        stored.runs.get_or_insert_with(|| Runs::new(&file)).write(rows)?;
        self.rows.clear();
        self.keys.clear();
        self.held.clear();
        self.order.clear();
        Ok(())
    }

    /// The input has ended, and there are runs.
    #[cold]
    pub(super) fn merge(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let used = self.bytes();
        if !self.order.is_empty() {
            self.spill(rt)?;
        }
        self.rows = crate::exec::runtime::RowBuffer::new(self.node.save.len());
        (self.keys, self.order) = (Vec::new(), Vec::new());
        let node = self.node.clone();
        let compare = |a: &[Value], b: &[Value]| compare_rows(&node, a, b);
        let Some(stored) = &mut self.stored else { return Ok(()) };
        let Some(runs) = stored.runs.take() else { return Ok(()) };
        let mut merge = runs.sorted(used, &compare)?;
        stored.first = merge.next(&compare)?.map(std::mem::take);
        stored.merge = Some(merge);
        Ok(())
    }

    /// Brings the next partition to the store, with the results for its rows; false where there is none.
    pub(super) fn next_partition(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let node = self.node.clone();
        self.results.clear();
        let Some(stored) = self.stored.as_deref_mut() else { return Ok(false) };
        let (Some(first), Some(merge)) = (stored.first.take(), &mut stored.merge) else {
            return Ok(false);
        };
        let partition = stored.partition.get_mut();
        *partition = RowStore::new(stored.keys + node.save.len());
        partition.add(rt, &first)?;
        let compare = |a: &[Value], b: &[Value]| compare_rows(&node, a, b);
        while let Some(row) = merge.next(&compare)? {
            rt.tick()?;
            let mut parts = node.partition.iter().enumerate();
            if !parts.all(|(i, (_, c))| compare::compare(&first[i], &row[i], *c).is_eq()) {
                stored.first = Some(std::mem::take(row));
                break;
            }
            partition.add(rt, row)?;
        }
        let rows = partition.len();
        let mut results = Vec::with_capacity(node.items.len());
        for item in &node.items {
            let mut out = WindowResults::Stored(Box::new(RowStore::in_order(1)));
            self.compute(rt, item, 0, rows, &mut out)?;
            results.push(out);
        }
        self.results = results;
        self.at = 0;
        Ok(true)
    }
}
