//! Sort, whole or only the first rows. What has no room in memory goes to a file in sorted runs, which are merged as rows are asked for.

use super::{Op, Operator, build_in_any_order};
use crate::exec::rows::{RowMerge, Runs};
use crate::exec::runtime::{RowBuffer, Rt};
use crate::memory::{self, Held};
use crate::pieces;
use crate::plan::node::{Sort, SortKey};
use std::cmp::Ordering;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{Value, compare};

/// Orders two rows of key values.
pub(crate) fn compare_keys(a: &[Value], b: &[Value], keys: &[SortKey]) -> Ordering {
    for ((a, b), k) in a.iter().zip(b).zip(keys) {
        let o = compare::compare(a, b, k.collation);
        let o = if k.descending { o.reverse() } else { o };
        if o != Ordering::Equal {
            return o;
        }
    }
    Ordering::Equal
}

/// Of so many rows at most the first ones are looked for without sorting them all.
const SELECTED: usize = 64 << 10;

pub(crate) struct SortOp {
    node: Arc<Sort>,
    input: Op,
    rows: RowBuffer,
    /// Key values, flat, by row.
    keys: Vec<Value>,
    order: Vec<u32>,
    held: Held,
    at: usize,
    /// Sorted rows in files, keys first, and their merging.
    runs: Option<Runs>,
    merge: Option<RowMerge>,
}

impl SortOp {
    pub fn new(node: &Arc<Sort>) -> SortOp {
        SortOp {
            node: node.clone(),
            input: build_in_any_order(&node.input),
            rows: RowBuffer::new(node.save.len()),
            keys: Vec::new(),
            order: Vec::new(),
            held: Held::default(),
            at: 0,
            runs: None,
            merge: None,
        }
    }

    fn sort(&mut self, limit: Option<usize>) -> SqlResult<()> {
        let mut order = std::mem::take(&mut self.order);
        let width = self.node.keys.len();
        let key = |i: u32| &self.keys[i as usize * width..(i as usize + 1) * width];
        let compare =
            |a: &u32, b: &u32| compare_keys(key(*a), key(*b), &self.node.keys).then(a.cmp(b));
        if let Some(limit) = limit
            && limit < order.len()
            && limit > 0
        {
            // What cannot be interrupted must not be long.
            if order.len() <= SELECTED {
                order.select_nth_unstable_by(limit - 1, compare);
            } else {
                pieces::sort(&mut order, compare)?;
            }
            order.truncate(limit);
        }
        pieces::sort(&mut order, compare)?;
        self.order = order;
        Ok(())
    }

    /// The rows in memory have no room any more.
    #[cold]
    fn spill(&mut self, rt: &mut Rt<'_>, limit: Option<usize>) -> SqlResult<()> {
        self.sort(limit)?;
        if limit.is_some_and(|limit| self.runs.is_none() && limit < self.rows.rows) {
            self.compact()?;
            // Where few rows more have room, sorting for the first ones would begin again with each few of the input.
            if !memory::must_spill(2 * (self.held.bytes() + self.rows.bytes())) {
                return Ok(());
            }
        }
        let width = self.node.keys.len();
        let key = |i: usize| &self.keys[i * width..(i + 1) * width];
        let rows = self.order.iter().map(|i| *i as usize);
        let rows = rows.map(|i| key(i).iter().chain(self.rows.row(i)));
        let file = rt.spill_file()?;
        self.runs.get_or_insert_with(|| Runs::new(&file)).write(rows)?;
        self.rows.clear();
        self.keys.clear();
        self.held.clear();
        self.order.clear();
        Ok(())
    }

    /// The input has ended, and there are runs.
    #[cold]
    fn merge(&mut self, rt: &mut Rt<'_>, limit: Option<usize>) -> SqlResult<()> {
        let used = self.held.bytes() + self.rows.bytes();
        if !self.order.is_empty() {
            self.spill(rt, limit)?;
        }
        self.rows = RowBuffer::new(self.rows.width);
        (self.keys, self.order) = (Vec::new(), Vec::new());
        let Some(runs) = self.runs.take() else { return Ok(()) };
        let keys = &self.node.keys;
        self.merge = Some(runs.sorted(used, &|a: &[Value], b: &[Value]| compare_keys(a, b, keys))?);
        Ok(())
    }

    /// Keeps only the rows in `order`.
    fn compact(&mut self) -> SqlResult<()> {
        let width = self.node.keys.len();
        let mut rows = RowBuffer::new(self.rows.width);
        let mut keys = Vec::with_capacity(self.order.len() * width);
        for (n, i) in self.order.iter().enumerate() {
            if (n + 1).is_multiple_of(SELECTED) {
                pieces::look()?;
            }
            let i = *i as usize;
            let from = i * self.rows.width;
            let values = self.rows.values[from..from + self.rows.width].iter_mut();
            rows.values.extend(values.map(std::mem::take));
            rows.rows += 1;
            keys.extend(self.keys[i * width..(i + 1) * width].iter_mut().map(std::mem::take));
        }
        rows.count(rows.rows);
        self.rows = rows;
        self.keys = keys;
        self.held.clear();
        self.held.values(&self.keys);
        self.order = (0..self.rows.rows as u32).collect();
        Ok(())
    }
}

impl Operator for SortOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.rows.clear();
        self.keys.clear();
        self.held.clear();
        self.order.clear();
        self.at = 0;
        self.runs = None;
        self.merge = None;
        let limit = match &self.node.limit {
            None => None,
            Some(e) => rt.eval(e)?.as_i64().and_then(|n| usize::try_from(n).ok()),
        };
        self.input.open(rt)?;
        while self.input.next(rt)? {
            rt.tick()?;
            for k in &self.node.keys {
                let v = rt.eval(&k.expr)?;
                self.keys.push(v);
            }
            self.held.values(&self.keys[self.keys.len() - self.node.keys.len()..]);
            self.order.push(self.rows.rows as u32);
            self.rows.push(rt, &self.node.save);
            if let Some(limit) = limit
                && self.order.len() >= limit.saturating_mul(2).max(1024)
            {
                self.sort(Some(limit))?;
                self.compact()?;
            }
            if memory::must_spill(self.held.bytes() + self.rows.bytes()) {
                self.spill(rt, limit)?;
            }
        }
        if self.runs.is_none() { self.sort(limit) } else { self.merge(rt, limit) }
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if let Some(merge) = &mut self.merge {
            let keys = &self.node.keys;
            let row = merge.next(&|a: &[Value], b: &[Value]| compare_keys(a, b, keys))?;
            let Some(row) = row else { return Ok(false) };
            rt.put(&self.node.save, &mut row[keys.len()..]);
            return Ok(true);
        }
        let Some(i) = self.order.get(self.at) else { return Ok(false) };
        self.at += 1;
        rt.restore(&self.node.save, self.rows.row(*i as usize));
        Ok(true)
    }
}
