//! Groups of an input whose rows of one group follow each other: one group at a time is kept, and given when the next one begins.

use super::aggregate::{Accumulator, accumulate};
use super::aside::Aside;
use super::{Op, Operator, build};
use crate::exec::runtime::Rt;
use crate::plan::expr::Slot;
use crate::plan::node::Aggregate;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{Value, compare};

pub(crate) struct StreamedOp {
    node: Arc<Aggregate>,
    input: Op,
    /// The group that rows are taken into; empty before the first.
    key: Vec<Value>,
    /// The key of the row that the input is on.
    now: Vec<Value>,
    states: Vec<Accumulator>,
    /// The group that is given: its key, its results.
    done: Vec<Value>,
    results: Vec<Value>,
    /// Where the groups' keys go: columns of the input may be there, too, of a row that belongs to the next group.
    slots: Vec<Slot>,
    aside: Aside,
    ended: bool,
}

impl StreamedOp {
    pub fn new(node: &Arc<Aggregate>) -> StreamedOp {
        StreamedOp {
            node: node.clone(),
            input: build(&node.input),
            key: Vec::new(),
            now: Vec::new(),
            states: Vec::new(),
            done: Vec::new(),
            results: Vec::new(),
            slots: node.groups.iter().map(|g| g.1).collect(),
            aside: Aside::default(),
            ended: false,
        }
    }

    fn is_same_group(&self) -> bool {
        let groups = self.node.groups.iter().map(|g| g.2);
        let mut values = self.key.iter().zip(&self.now).zip(groups);
        values.all(|((a, b), c)| compare::compare(a, b, c).is_eq())
    }

    /// The results of the group whose rows have all been seen.
    fn finish(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        if self.states.iter().any(|s| s.part.nulls)
            && rt.cx.session.activation.options.ansi_warnings
        {
            rt.cx.session.activation.warnings.null_eliminated = true;
        }
        self.results.clear();
        for (agg, state) in self.node.aggs.iter().zip(&self.states) {
            self.results.push(state.finish(agg)?);
        }
        Ok(())
    }

    /// Puts a group into the frame.
    fn give(&mut self, rt: &mut Rt<'_>) {
        self.aside.put(rt, &self.slots);
        rt.restore(&self.slots, &self.done);
        for (agg, v) in self.node.aggs.iter().zip(self.results.drain(..)) {
            rt.frame[agg.slot as usize] = v;
        }
    }

    /// Takes the row that the input is on into the group.
    fn take(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        for (agg, state) in self.node.aggs.iter().zip(&mut self.states) {
            accumulate(rt, agg, state)?;
        }
        Ok(())
    }
}

impl Operator for StreamedOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.key.clear();
        self.states.clear();
        self.aside.away = false;
        self.ended = false;
        self.input.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if self.ended {
            return Ok(false);
        }
        loop {
            rt.tick()?;
            self.aside.back(rt, &self.slots);
            if !self.input.next(rt)? {
                self.ended = true;
                if self.key.is_empty() {
                    return Ok(false);
                }
                self.finish(rt)?;
                std::mem::swap(&mut self.key, &mut self.done);
                self.give(rt);
                return Ok(true);
            }
            self.now.clear();
            for (e, ..) in &self.node.groups {
                self.now.push(rt.eval(e)?);
            }
            if !self.key.is_empty() && self.is_same_group() {
                self.take(rt)?;
                continue;
            }
            let first = self.key.is_empty();
            if !first {
                self.finish(rt)?;
            }
            std::mem::swap(&mut self.key, &mut self.done);
            std::mem::swap(&mut self.key, &mut self.now);
            self.states.clear();
            self.states.extend(self.node.aggs.iter().map(Accumulator::new));
            // The slots still hold the row that begins the next group.
            self.take(rt)?;
            if !first {
                self.give(rt);
                return Ok(true);
            }
        }
    }
}
