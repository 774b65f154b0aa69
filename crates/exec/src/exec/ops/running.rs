//! Window functions that look back only, over rows that come in the window's order: nothing is kept but the row before.

use super::aggregate::{Accumulator, accumulate};
use super::sort::compare_keys;
use super::{Op, Operator, build};
use crate::exec::runtime::Rt;
use crate::plan::node::{Window, WindowFunction};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{Value, compare};

pub(crate) struct RunningOp {
    node: Arc<Window>,
    input: Op,
    /// Partition values, then order values: of the row that the input is on, and of the row before.
    key: Vec<Value>,
    last: Vec<Value>,
    /// Rows of the partition so far.
    rows: i64,
    /// Those that the current row comes behind, and one.
    rank: i64,
    dense: i64,
    /// One for each aggregate, in the order of the items.
    states: Vec<Accumulator>,
    /// No row behind this one is asked for.
    end: Option<i64>,
}

impl RunningOp {
    pub fn new(node: &Arc<Window>) -> RunningOp {
        RunningOp {
            node: node.clone(),
            input: build(&node.input),
            key: Vec::new(),
            last: Vec::new(),
            rows: 0,
            rank: 0,
            dense: 0,
            states: Vec::new(),
            end: None,
        }
    }

    /// Begins with the first row of a partition.
    fn begin(&mut self) {
        (self.rows, self.rank, self.dense) = (0, 0, 0);
        self.states.clear();
        let aggregates = self.node.items.iter().filter_map(|i| match &i.function {
            WindowFunction::Aggregate(agg) => Some(Accumulator::new(agg)),
            _ => None,
        });
        self.states.extend(aggregates);
    }

    /// Counts the row that the input is on.
    fn count(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.key.clear();
        for e in self.node.partition.iter().map(|p| &p.0) {
            self.key.push(rt.eval(e)?);
        }
        for k in &self.node.order {
            self.key.push(rt.eval(&k.expr)?);
        }
        let (parts, known) = (self.node.partition.len(), self.rows > 0);
        let mut columns = self.key.iter().zip(&self.last).zip(&self.node.partition);
        let same = known && columns.all(|((a, b), p)| compare::compare(a, b, p.1).is_eq());
        if !same {
            self.begin();
        }
        let peer =
            same && compare_keys(&self.key[parts..], &self.last[parts..], &self.node.order).is_eq();
        self.rows += 1;
        if !peer {
            self.rank = self.rows;
            self.dense += 1;
        }
        std::mem::swap(&mut self.key, &mut self.last);
        Ok(())
    }
}

impl Operator for RunningOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.begin();
        self.end = match &self.node.until {
            None => None,
            Some(e) => match rt.eval(e)? {
                // Nothing is less than NULL.
                Value::Null => Some(0),
                v @ (Value::TinyInt(_) | Value::SmallInt(_) | Value::Int(_) | Value::BigInt(_)) => {
                    v.as_i64()
                }
                _ => None,
            },
        };
        self.input.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        rt.tick()?;
        if self.end.is_some_and(|end| self.rows >= end) || !self.input.next(rt)? {
            return Ok(false);
        }
        self.count(rt)?;
        let mut states = self.states.iter_mut();
        for item in &self.node.items {
            let v = match &item.function {
                WindowFunction::RowNumber => Value::BigInt(self.rows),
                WindowFunction::Rank => Value::BigInt(self.rank),
                WindowFunction::DenseRank => Value::BigInt(self.dense),
                WindowFunction::Aggregate(agg) => {
                    let state = states.next().expect("each aggregate has a state");
                    accumulate(rt, agg, state)?;
                    state.finish(agg)?
                }
                _ => unreachable!("such a function does not look back only"),
            };
            rt.frame[item.slot as usize] = v;
        }
        Ok(true)
    }
}
