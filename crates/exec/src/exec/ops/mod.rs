//! Operators. Each yields one row per call of `next`, in the slots of the frame; `open` begins (again) from the start.

mod aggregate;
mod aside;
mod changed;
mod distinct;
mod function;
mod grouping_sets;
mod hash_join;
mod join;
mod json;
mod mark;
mod merge;
mod partial;
mod parts;
mod percentile;
mod recursive;
pub(crate) mod row;
mod running;
pub mod scan;
mod seek;
mod set;
mod sliding;
mod sort;
mod states;
mod streamed;
pub(crate) mod view;
mod window;

use crate::exec::profile;
use crate::exec::runtime::Rt;
use crate::plan::node::{Compute, Filter, JoinType, Node, ValuesScan};
use crate::plan::rel::RowsetSource;
pub(crate) use set::{refuse_counts, top_count};
use std::sync::Arc;
use taffrail_base::SqlResult;

/// An operator that runs. It owns what it reads of the plan and what it keeps between two calls: the context is handed in at each call,
/// and nothing of it is held when the call returns, no latch, no guard of a lock, no borrow of the session or its transaction.
pub trait Operator: Send {
    /// Begins from the start; may be called again at any time.
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()>;
    /// The next row; false at the end.
    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool>;
}

/// Any operator.
pub type Op = Box<dyn Operator>;

/// A tree may be kept from one statement to the next, and go to another thread.
const _: () = {
    const fn is_owned<T: Send + 'static>() {}
    is_owned::<Op>();
};

/// Makes the operators of a tree.
pub fn build(node: &Node) -> Op {
    built(node, true)
}

/// Makes the operators of a tree whose rows are taken in any order.
pub(crate) fn build_in_any_order(node: &Node) -> Op {
    built(node, false)
}

/// `ordered`: somebody above may go by the order that the operators give by themselves. A join or DISTINCT whose rows are in files gives
/// them back in that order, else as they come.
fn built(node: &Node, ordered: bool) -> Op {
    let op = operator(node, ordered);
    match profile::is_on() {
        false => op,
        true => profile::counted(node, op),
    }
}

fn operator(node: &Node, ordered: bool) -> Op {
    match node {
        Node::OneRow => Box::new(OneRow { left: 0 }),
        Node::Nothing => Box::new(Nothing),
        Node::Scan(s) => Box::new(scan::ScanOp::new(s)),
        Node::View(v) => match &v.source {
            RowsetSource::View(view) => Box::new(view::ViewOp::new(v, view)),
            RowsetSource::Function(f) => Box::new(function::FunctionOp::new(v, f)),
            RowsetSource::Changed(rows) => Box::new(changed::ChangedOp::new(v, rows)),
            RowsetSource::Json(of) => Box::new(json::JsonOp::new(v, of)),
        },
        Node::Values(v) => Box::new(ValuesOp { node: v.clone(), at: 0 }),
        Node::Filter(f) => {
            let input = built(&f.input, ordered);
            Box::new(FilterOp { node: f.clone(), input, closed: false })
        }
        Node::Compute(c) => {
            Box::new(ComputeOp { node: c.clone(), input: built(&c.input, ordered) })
        }
        Node::Loop(l) => Box::new(join::LoopOp::new(l, ordered)),
        Node::Hash(h) if matches!(h.kind, JoinType::NullAwareAnti | JoinType::Mark(_)) => {
            Box::new(mark::MarkOp::new(h))
        }
        Node::Hash(h) => Box::new(hash_join::HashOp::new(h, ordered)),
        Node::Merge(m) => Box::new(merge::MergeOp::new(m)),
        Node::Spool(s) => Box::new(set::SpoolOp::new(s)),
        Node::Sort(s) => Box::new(sort::SortOp::new(s)),
        Node::Aggregate(a) if a.ordered => Box::new(streamed::StreamedOp::new(a)),
        Node::Aggregate(a) if a.sets.is_empty() && a.marks.is_empty() => {
            Box::new(aggregate::AggregateOp::new(a))
        }
        Node::Aggregate(a) => Box::new(grouping_sets::GroupingSetsOp::new(a)),
        Node::Window(w) if w.streamed => Box::new(running::RunningOp::new(w)),
        Node::Window(w) => Box::new(window::WindowOp::new(w)),
        Node::Top(t) => Box::new(set::TopOp::new(t)),
        Node::Distinct(d) => Box::new(distinct::DistinctOp::new(d, ordered)),
        Node::Concat(list) => {
            let inputs = list.iter().map(build_in_any_order).collect();
            Box::new(set::ConcatOp { inputs, at: 0 })
        }
        Node::SetOperation(s) => Box::new(distinct::SetOp::new(s)),
        Node::Recursive(r) => Box::new(recursive::RecursiveOp::new(r)),
    }
}

struct OneRow {
    left: u8,
}

impl Operator for OneRow {
    fn open(&mut self, _: &mut Rt<'_>) -> SqlResult<()> {
        self.left = 1;
        Ok(())
    }

    fn next(&mut self, _: &mut Rt<'_>) -> SqlResult<bool> {
        let there = self.left > 0;
        self.left = 0;
        Ok(there)
    }
}

struct Nothing;

impl Operator for Nothing {
    fn open(&mut self, _: &mut Rt<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn next(&mut self, _: &mut Rt<'_>) -> SqlResult<bool> {
        Ok(false)
    }
}

struct ValuesOp {
    node: Arc<ValuesScan>,
    at: usize,
}

impl Operator for ValuesOp {
    fn open(&mut self, _: &mut Rt<'_>) -> SqlResult<()> {
        self.at = 0;
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(row) = self.node.rows.get(self.at) else { return Ok(false) };
        self.at += 1;
        for (e, s) in row.iter().zip(&self.node.slots) {
            rt.frame[*s as usize] = rt.eval(e)?;
        }
        Ok(true)
    }
}

struct FilterOp {
    node: Arc<Filter>,
    input: Op,
    closed: bool,
}

impl Operator for FilterOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.closed = self.node.startup && rt.test(&self.node.pred)? != Some(true);
        if self.closed { Ok(()) } else { self.input.open(rt) }
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if self.closed {
            return Ok(false);
        }
        while self.input.next(rt)? {
            rt.tick()?;
            if self.node.startup || rt.test(&self.node.pred)? == Some(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct ComputeOp {
    node: Arc<Compute>,
    input: Op,
}

impl Operator for ComputeOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.input.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if !self.input.next(rt)? {
            return Ok(false);
        }
        for (e, s) in &self.node.items {
            rt.frame[*s as usize] = rt.eval(e)?;
        }
        Ok(true)
    }
}
