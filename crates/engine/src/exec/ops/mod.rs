//! Operators. Each yields one row per call of `next`, in the slots of the frame; `open` begins (again) from the start.

mod aggregate;
mod join;
mod recursive;
pub(crate) mod scan;
mod set;
mod sort;
mod window;

use crate::exec::runtime::Rt;
use crate::plan::node::{Compute, Filter, Node, ValuesScan, ViewScan};
use crate::session::Isolation;
use crate::views::{ViewContext, ViewRows};
pub(crate) use set::{refuse_counts, top_count};
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// An operator that runs.
pub(crate) trait Operator<'a> {
    /// Begins from the start; may be called again at any time.
    fn open(&mut self, rt: &mut Rt<'a>) -> SqlResult<()>;
    /// The next row; false at the end.
    fn next(&mut self, rt: &mut Rt<'a>) -> SqlResult<bool>;
}

/// Any operator.
pub(crate) type Op<'a> = Box<dyn Operator<'a> + 'a>;

/// Makes the operators of a tree.
pub(crate) fn build<'a>(node: &'a Node) -> Op<'a> {
    match node {
        Node::OneRow => Box::new(OneRow { left: 0 }),
        Node::Nothing => Box::new(Nothing),
        Node::Scan(s) => Box::new(scan::ScanOp::new(s)),
        Node::View(v) => Box::new(ViewOp::new(v)),
        Node::Values(v) => Box::new(ValuesOp { node: v, at: 0 }),
        Node::Filter(f) => Box::new(FilterOp { node: f, input: build(&f.input), closed: false }),
        Node::Compute(c) => Box::new(ComputeOp { node: c, input: build(&c.input) }),
        Node::Loop(l) => Box::new(join::LoopOp::new(l)),
        Node::Hash(h) => Box::new(join::HashOp::new(h)),
        Node::Spool(s) => Box::new(set::SpoolOp::new(s)),
        Node::Sort(s) => Box::new(sort::SortOp::new(s)),
        Node::Aggregate(a) => Box::new(aggregate::AggregateOp::new(a)),
        Node::Window(w) => Box::new(window::WindowOp::new(w)),
        Node::Top(t) => Box::new(set::TopOp::new(t)),
        Node::Distinct(d) => Box::new(set::DistinctOp::new(d)),
        Node::Concat(list) => {
            Box::new(set::ConcatOp { inputs: list.iter().map(build).collect(), at: 0 })
        }
        Node::SetOperation(s) => Box::new(set::SetOp::new(s)),
        Node::Recursive(r) => Box::new(recursive::RecursiveOp::new(r)),
    }
}

struct OneRow {
    left: u8,
}

impl<'a> Operator<'a> for OneRow {
    fn open(&mut self, _: &mut Rt<'a>) -> SqlResult<()> {
        self.left = 1;
        Ok(())
    }

    fn next(&mut self, _: &mut Rt<'a>) -> SqlResult<bool> {
        let there = self.left > 0;
        self.left = 0;
        Ok(there)
    }
}

struct Nothing;

impl<'a> Operator<'a> for Nothing {
    fn open(&mut self, _: &mut Rt<'a>) -> SqlResult<()> {
        Ok(())
    }

    fn next(&mut self, _: &mut Rt<'a>) -> SqlResult<bool> {
        Ok(false)
    }
}

struct ViewOp<'a> {
    node: &'a ViewScan,
    rows: Option<ViewRows>,
    /// Positions of the columns that are wanted, and room for their values.
    wanted: Vec<usize>,
    cells: Vec<Value>,
}

impl<'a> ViewOp<'a> {
    fn new(node: &'a ViewScan) -> ViewOp<'a> {
        let wanted: Vec<usize> = node.columns.iter().map(|(c, _)| *c).collect();
        ViewOp { node, rows: None, cells: vec![Value::Null; wanted.len()], wanted }
    }
}

impl<'a> Operator<'a> for ViewOp<'a> {
    fn open(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        let mut args = Vec::with_capacity(self.node.args.len());
        for e in &self.node.args {
            args.push(rt.eval(e)?);
        }
        let declared = self.node.view.arguments.map_or(0, |(_, most)| most);
        args.resize(declared.max(args.len()), Value::Null);
        let dirty =
            self.node.dirty || rt.cx.session.options.isolation == Isolation::ReadUncommitted;
        // A stream that is open may hold what the next one needs.
        self.rows = None;
        let rows = rt.cx.settled(|cx| {
            let database = &self.node.database;
            let context = ViewContext { session: cx.session, database, dirty };
            self.node.view.open(&context, &args, &self.wanted)
        })?;
        self.rows = Some(rows);
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'a>) -> SqlResult<bool> {
        loop {
            rt.tick()?;
            let found = match &mut self.rows {
                None => return Ok(false),
                Some(ViewRows::Made(rows)) => match rows.next() {
                    None => false,
                    Some(mut row) => {
                        for (c, s) in &self.node.columns {
                            rt.frame[*s as usize] = std::mem::take(&mut row[*c]);
                        }
                        true
                    }
                },
                Some(ViewRows::Streamed(stream)) => {
                    let found = stream.next(&mut self.cells)?;
                    for ((_, s), cell) in self.node.columns.iter().zip(&mut self.cells) {
                        rt.frame[*s as usize] = std::mem::take(cell);
                    }
                    found
                }
            };
            if !found {
                self.rows = None;
                return Ok(false);
            }
            match &self.node.filter {
                Some(p) if rt.test(p)? != Some(true) => {}
                _ => return Ok(true),
            }
        }
    }
}

struct ValuesOp<'a> {
    node: &'a ValuesScan,
    at: usize,
}

impl<'a> Operator<'a> for ValuesOp<'a> {
    fn open(&mut self, _: &mut Rt<'a>) -> SqlResult<()> {
        self.at = 0;
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'a>) -> SqlResult<bool> {
        let Some(row) = self.node.rows.get(self.at) else { return Ok(false) };
        self.at += 1;
        for (e, s) in row.iter().zip(&self.node.slots) {
            rt.frame[*s as usize] = rt.eval(e)?;
        }
        Ok(true)
    }
}

struct FilterOp<'a> {
    node: &'a Filter,
    input: Op<'a>,
    closed: bool,
}

impl<'a> Operator<'a> for FilterOp<'a> {
    fn open(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        self.closed = self.node.startup && rt.test(&self.node.pred)? != Some(true);
        if self.closed { Ok(()) } else { self.input.open(rt) }
    }

    fn next(&mut self, rt: &mut Rt<'a>) -> SqlResult<bool> {
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

struct ComputeOp<'a> {
    node: &'a Compute,
    input: Op<'a>,
}

impl<'a> Operator<'a> for ComputeOp<'a> {
    fn open(&mut self, rt: &mut Rt<'a>) -> SqlResult<()> {
        self.input.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'a>) -> SqlResult<bool> {
        if !self.input.next(rt)? {
            return Ok(false);
        }
        for (e, s) in &self.node.items {
            rt.frame[*s as usize] = rt.eval(e)?;
        }
        Ok(true)
    }
}
