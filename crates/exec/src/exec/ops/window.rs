//! Window functions: the input is kept and sorted by partition and order; each function then sees its partition. Rows that have no room in
//! memory are sorted in files, and come to memory, or to a store of their own, partition by partition (`stored`).

mod stored;

use super::aggregate::{Accumulator, accumulate};
use super::percentile::percentile;
use super::sliding::Sliding;
use super::sort::compare_keys;
use super::{Op, Operator, build_in_any_order};
use crate::exec::runtime::{RowBuffer, Rt};
use crate::memory::{self, Held};
use crate::pieces;
use crate::plan::expr::Expr;
use crate::plan::node::{Agg, Window, WindowFrame, WindowFunction, WindowItem};
use std::cmp::Ordering;
use std::sync::Arc;
use stored::{Stored, WindowResults};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Value, compare};

pub(crate) struct WindowOp {
    node: Arc<Window>,
    input: Op,
    rows: RowBuffer,
    /// Partition values then order values, flat, by row.
    keys: Vec<Value>,
    order: Vec<u32>,
    /// Results by place in `order`, one column per function.
    results: Vec<WindowResults>,
    /// What keys and results take, but for the heap of the results.
    held: Held,
    at: usize,
    /// The rows are in files, and the places those of one partition.
    stored: Option<Box<Stored>>,
}

/// The row `there`, or, where that has no value, the next of the `known` rows beyond it. An offset counts all rows: NULL is passed over
/// only where it ends.
fn known_from(known: &[usize], there: usize, lead: bool) -> Option<usize> {
    match lead {
        true => known.get(known.partition_point(|k| *k < there)).copied(),
        false => known[..known.partition_point(|k| *k <= there)].last().copied(),
    }
}

/// The order of two rows by their keys: partition, then order.
fn compare_rows(node: &Window, a: &[Value], b: &[Value]) -> Ordering {
    for (i, (_, c)) in node.partition.iter().enumerate() {
        let o = compare::compare(&a[i], &b[i], *c);
        if o != Ordering::Equal {
            return o;
        }
    }
    let p = node.partition.len();
    compare_keys(&a[p..], &b[p..], &node.order)
}

/// The frame's first row moves, and the aggregate can be made of parts.
fn slides(frame: WindowFrame, agg: &Agg) -> bool {
    let moves = matches!(frame, WindowFrame::Rows(Some(_), _) | WindowFrame::RangeFromCurrent);
    moves && !agg.distinct && !agg.function.keeps_rows()
}

impl WindowOp {
    pub fn new(node: &Arc<Window>) -> WindowOp {
        WindowOp {
            node: node.clone(),
            input: build_in_any_order(&node.input),
            rows: RowBuffer::new(node.save.len()),
            keys: Vec::new(),
            order: Vec::new(),
            results: Vec::new(),
            held: Held::default(),
            at: 0,
            stored: None,
        }
    }

    fn key(&self, row: u32) -> &[Value] {
        let width = self.node.partition.len() + self.node.order.len();
        &self.keys[row as usize * width..(row as usize + 1) * width]
    }

    fn same_partition(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.key(a), self.key(b));
        let parts = self.node.partition.iter().enumerate();
        parts.into_iter().all(|(i, (_, c))| compare::compare(&a[i], &b[i], *c).is_eq())
    }

    /// Whether the rows at two places are equal in the order of their partition.
    fn peers(&self, a: usize, b: usize) -> SqlResult<bool> {
        let p = self.node.partition.len();
        if let Some(stored) = &self.stored {
            return stored.peers(a, b, p, &self.node.order);
        }
        let (a, b) = (self.key(self.order[a]), self.key(self.order[b]));
        Ok(compare_keys(&a[p..], &b[p..], &self.node.order).is_eq())
    }

    fn sort(&mut self) -> SqlResult<()> {
        let mut order = std::mem::take(&mut self.order);
        pieces::sort(&mut order, |a, b| {
            compare_rows(&self.node, self.key(*a), self.key(*b)).then(a.cmp(b))
        })?;
        self.order = order;
        Ok(())
    }

    fn load(&self, rt: &mut Rt<'_>, place: usize) -> SqlResult<()> {
        match &self.stored {
            None => rt.restore(&self.node.save, self.rows.row(self.order[place] as usize)),
            Some(stored) => stored.load(rt, place, &self.node.save)?,
        }
        Ok(())
    }

    /// The rows among `from..to`, ascending, in which a value is not NULL.
    fn not_null(
        &self,
        rt: &mut Rt<'_>,
        value: &Expr,
        from: usize,
        to: usize,
    ) -> SqlResult<Vec<usize>> {
        let mut rows = Vec::new();
        for i in from..to {
            rt.tick()?;
            self.load(rt, i)?;
            if !rt.eval(value)?.is_null() {
                rows.push(i);
            }
        }
        Ok(rows)
    }

    /// Computes one function over the rows at `from..to`, one partition.
    fn compute(
        &self,
        rt: &mut Rt<'_>,
        item: &WindowItem,
        from: usize,
        to: usize,
        out: &mut WindowResults,
    ) -> SqlResult<()> {
        match &item.function {
            WindowFunction::RowNumber => {
                for n in 1..=(to - from) as i64 {
                    out.push(rt, Value::BigInt(n))?;
                }
            }
            WindowFunction::Rank | WindowFunction::DenseRank => {
                let dense = matches!(item.function, WindowFunction::DenseRank);
                let mut rank = 0;
                for i in from..to {
                    rt.tick()?;
                    if i == from || !self.peers(i - 1, i)? {
                        rank = if dense { rank + 1 } else { (i - from) as i64 + 1 };
                    }
                    out.push(rt, Value::BigInt(rank))?;
                }
            }
            WindowFunction::PercentRank => {
                let others = (to - from).saturating_sub(1).max(1) as f64;
                let mut rank = 0;
                for i in from..to {
                    rt.tick()?;
                    if i == from || !self.peers(i - 1, i)? {
                        rank = i - from;
                    }
                    out.push(rt, Value::Float(rank as f64 / others))?;
                }
            }
            WindowFunction::CumeDist => {
                let mut before = (from, from);
                for i in from..to {
                    rt.tick()?;
                    before = self.frame(WindowFrame::RangeToCurrent, i, (from, to), before)?;
                    let share = (before.1 - from) as f64 / (to - from) as f64;
                    out.push(rt, Value::Float(share))?;
                }
            }
            WindowFunction::Percentile { fraction, value, continuous } => {
                self.load(rt, from)?;
                let share = rt.eval(fraction)?;
                let known = self.not_null(rt, value, from, to)?;
                let v = percentile(&share, *continuous, known.len(), |at| {
                    self.load(rt, known[at])?;
                    rt.eval(value)
                })?;
                for _ in from..to {
                    out.push(rt, v.clone())?;
                }
            }
            WindowFunction::Ntile(n) => {
                self.load(rt, from)?;
                let n = rt.eval(n)?.as_i64().filter(|n| *n > 0);
                let n = n.ok_or_else(|| SqlError::new(4116, &[&"ntile"]))?;
                let rows = (to - from) as i64;
                let (size, larger) = (rows / n, rows % n);
                for i in 0..rows {
                    let bucket = if i < larger * (size + 1) {
                        i / (size + 1)
                    } else {
                        larger + (i - larger * (size + 1)) / size.max(1)
                    };
                    out.push(rt, Value::BigInt(bucket + 1))?;
                }
            }
            WindowFunction::Offset { value, offset, lead, default, ignore_nulls } => {
                let known =
                    if *ignore_nulls { self.not_null(rt, value, from, to)? } else { Vec::new() };
                for i in from..to {
                    rt.tick()?;
                    self.load(rt, i)?;
                    let n = rt.eval(offset)?.as_i64().unwrap_or(0);
                    if n < 0 {
                        return Err(SqlError::new(8730, &[]));
                    }
                    let n = if *lead { n } else { n.saturating_neg() };
                    let there = (i as i64).saturating_add(n);
                    let within = (from as i64..to as i64).contains(&there);
                    let there = within.then_some(there as usize).and_then(|there| match n {
                        0 => Some(there),
                        _ if *ignore_nulls => known_from(&known, there, *lead),
                        _ => Some(there),
                    });
                    let v = match (there, default) {
                        (Some(there), _) => {
                            self.load(rt, there)?;
                            rt.eval(value)?
                        }
                        (None, None) => Value::Null,
                        (None, Some(d)) => rt.eval(d)?,
                    };
                    out.push(rt, v)?;
                }
            }
            WindowFunction::Edge { value, last, ignore_nulls } => {
                let known =
                    if *ignore_nulls { self.not_null(rt, value, from, to)? } else { Vec::new() };
                let mut before = (from, from);
                for i in from..to {
                    rt.tick()?;
                    before = self.frame(item.frame, i, (from, to), before)?;
                    let (start, end) = before;
                    let mut edge = if *last { end.checked_sub(1) } else { Some(start) };
                    if *ignore_nulls {
                        edge = if *last {
                            known[..known.partition_point(|k| *k < end)].last().copied()
                        } else {
                            known.get(known.partition_point(|k| *k < start)).copied()
                        };
                    }
                    match edge.filter(|e| (start..end).contains(e)) {
                        None => out.push(rt, Value::Null)?,
                        Some(edge) => {
                            self.load(rt, edge)?;
                            let v = rt.eval(value)?;
                            out.push(rt, v)?;
                        }
                    }
                }
            }
            WindowFunction::Aggregate(agg) if slides(item.frame, agg) => {
                let mut sliding = Sliding::new(agg, from);
                let mut before = (from, from);
                for i in from..to {
                    rt.tick()?;
                    before = self.frame(item.frame, i, (from, to), before)?;
                    let (start, end) = before;
                    let v = sliding.over(start..end, |j| {
                        rt.tick()?;
                        self.load(rt, j)?;
                        agg.arg.as_ref().map_or(Ok(Value::Null), |e| rt.eval(e))
                    })?;
                    out.push(rt, v)?;
                }
            }
            WindowFunction::Aggregate(agg) => {
                let mut state = Accumulator::new(agg);
                let mut done: Option<(usize, usize, Value)> = None;
                for i in from..to {
                    rt.tick()?;
                    let before = done.as_ref().map_or((from, from), |d| (d.0, d.1));
                    let (start, end) = self.frame(item.frame, i, (from, to), before)?;
                    if let Some((s, e, v)) = &done
                        && (*s, *e) == (start, end)
                    {
                        let v = v.clone();
                        out.push(rt, v)?;
                        continue;
                    }
                    // Frames that only grow are added to; others are computed afresh.
                    let grown = match &done {
                        Some((s, e, _)) if *s == start && *e <= end => *e,
                        _ => {
                            state = Accumulator::new(agg);
                            start
                        }
                    };
                    for j in grown..end {
                        rt.tick()?;
                        self.load(rt, j)?;
                        accumulate(rt, agg, &mut state)?;
                    }
                    let v = state.finish(agg)?;
                    out.push(rt, v.clone())?;
                    done = Some((start, end, v));
                }
            }
        }
        Ok(())
    }

    /// The rows of the frame of row `i`, within the partition `from..to`; `last` is the frame of the row before (the first row's:
    /// empty, at `from`).
    fn frame(
        &self,
        frame: WindowFrame,
        i: usize,
        (from, to): (usize, usize),
        last: (usize, usize),
    ) -> SqlResult<(usize, usize)> {
        let peers_end = || {
            let mut end = i + 1;
            while end < to && self.peers(i, end)? {
                end += 1;
            }
            SqlResult::Ok(end)
        };
        Ok(match frame {
            WindowFrame::Partition => (from, to),
            // A peer of the row before: looking for the others once for each of them would take time in their square.
            WindowFrame::RangeToCurrent | WindowFrame::Peers if i < last.1 => last,
            WindowFrame::RangeToCurrent => (from, peers_end()?),
            WindowFrame::Peers => (i, peers_end()?),
            WindowFrame::RangeFromCurrent => match i > from && self.peers(i - 1, i)? {
                true => last,
                false => (i, to),
            },
            WindowFrame::Rows(start, end) => {
                let clamp = |v: i64| v.clamp(from as i64, to as i64) as usize;
                let start = start.map_or(from, |s| clamp(i as i64 + s));
                let end = end.map_or(to, |e| clamp(i as i64 + e + 1));
                (start, end.max(start))
            }
        })
    }

    /// The bytes that the rows in memory take with their results.
    fn bytes(&self) -> usize {
        self.held.bytes() + self.rows.bytes()
    }
}

impl Operator for WindowOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.rows.clear();
        self.keys.clear();
        self.held.clear();
        self.order.clear();
        self.results.clear();
        self.stored = None;
        self.at = 0;
        self.input.open(rt)?;
        while self.input.next(rt)? {
            rt.tick()?;
            for (e, _) in &self.node.partition {
                let v = rt.eval(e)?;
                self.keys.push(v);
            }
            for k in &self.node.order {
                let v = rt.eval(&k.expr)?;
                self.keys.push(v);
            }
            let width = self.node.partition.len() + self.node.order.len();
            let keys = memory::bytes_of(&self.keys[self.keys.len() - width..]);
            self.held.add(keys + self.node.items.len() * size_of::<Value>());
            self.order.push(self.rows.rows as u32);
            self.rows.push(rt, &self.node.save);
            if memory::must_spill(self.bytes()) {
                self.spill(rt)?;
            }
        }
        if self.stored.is_some() {
            return self.merge(rt);
        }
        self.sort()?;
        let mut results: Vec<WindowResults> =
            self.node.items.iter().map(|_| WindowResults::new()).collect();
        let mut from = 0;
        while from < self.order.len() {
            rt.tick()?;
            let mut to = from + 1;
            while to < self.order.len() && self.same_partition(self.order[from], self.order[to]) {
                rt.tick()?;
                to += 1;
            }
            for (item, out) in self.node.items.iter().zip(&mut results) {
                self.compute(rt, item, from, to, out)?;
            }
            from = to;
        }
        self.results = results;
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let rows = self.stored.as_ref().map_or(self.order.len(), |s| s.rows());
        if self.at >= rows && !self.next_partition(rt)? {
            return Ok(false);
        }
        self.load(rt, self.at)?;
        for (item, results) in self.node.items.iter().zip(&mut self.results) {
            rt.frame[item.slot as usize] = results.take(self.at)?;
        }
        self.at += 1;
        Ok(true)
    }
}
