//! TOP, UNION ALL, spools.

use super::{Op, Operator, build};
use crate::exec::rows::RowStore;
use crate::exec::runtime::Rt;
use crate::plan::expr::Expr;
use crate::plan::node::{Node, Spool, Top};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Value, compare};

/// Rows are kept as they are asked for, and given again once all of them are: the input goes on from its own row only.
pub(crate) struct SpoolOp {
    node: Arc<Spool>,
    input: Op,
    rows: RowStore,
    /// The input has been opened; it has come to its end.
    opened: bool,
    filled: bool,
    at: usize,
}

impl SpoolOp {
    pub fn new(node: &Arc<Spool>) -> SpoolOp {
        let rows = RowStore::in_order(node.save.len());
        SpoolOp {
            node: node.clone(),
            input: build(&node.input),
            rows,
            opened: false,
            filled: false,
            at: 0,
        }
    }

    /// Keeps one more row of the input, if there is one.
    fn fill(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        rt.tick()?;
        self.filled = !self.input.next(rt)?;
        if !self.filled {
            self.rows.push(rt, &self.node.save)?;
        }
        Ok(!self.filled)
    }
}

impl Operator for SpoolOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.at = 0;
        if !self.opened {
            self.opened = true;
            return self.input.open(rt);
        }
        while !self.filled {
            self.fill(rt)?;
        }
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if self.at < self.rows.len() {
            rt.restore(&self.node.save, self.rows.row(self.at)?);
        } else if self.filled || !self.fill(rt)? {
            return Ok(false);
        }
        self.at += 1;
        Ok(true)
    }
}

pub(crate) struct TopOp {
    node: Arc<Top>,
    input: Op,
    left: u64,
    skip: u64,
    /// PERCENT: all rows, and the next to give.
    kept: Option<(RowStore, usize)>,
    last: Vec<Value>,
    tied: bool,
}

impl TopOp {
    pub fn new(node: &Arc<Top>) -> TopOp {
        TopOp {
            node: node.clone(),
            input: build(&node.input),
            left: 0,
            skip: 0,
            kept: None,
            last: Vec::new(),
            tied: false,
        }
    }

    /// The input's next row, or of those kept.
    #[inline]
    fn advance(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some((rows, at)) = &mut self.kept else { return self.input.next(rt) };
        if *at >= rows.len() {
            return Ok(false);
        }
        rt.restore(&self.node.save, rows.row(*at)?);
        *at += 1;
        Ok(true)
    }

    fn remember(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        if let Some(ties) = &self.node.ties
            && self.left == 0
        {
            self.last.clear();
            for (e, _) in ties {
                let v = rt.eval(e)?;
                self.last.push(v);
            }
            self.tied = true;
        }
        Ok(())
    }
}

fn offset(v: &Value) -> SqlResult<u64> {
    v.as_i64().and_then(|n| u64::try_from(n).ok()).ok_or_else(|| SqlError::new(10742, &[]))
}

/// The count of a TOP, or of a FETCH, which asks for a row at least.
fn count(node: &Top, v: &Value) -> SqlResult<u64> {
    match v.as_i64() {
        Some(..1) if node.offset.is_some() => Err(SqlError::new(10744, &[])),
        _ => top_count(v),
    }
}

/// The count of a TOP: 1060, 127.
pub(crate) fn top_count(v: &Value) -> SqlResult<u64> {
    let n = v.as_i64().ok_or_else(|| SqlError::new(1060, &[]))?;
    u64::try_from(n).map_err(|_| SqlError::new(127, &[]))
}

/// Whether it can be computed before the statement has a row, at no cost.
fn is_known(e: &Expr) -> bool {
    match e {
        Expr::Const(_) | Expr::Var(_) => true,
        Expr::Cast(c) => c.style.is_none() && is_known(&c.value),
        _ => false,
    }
}

/// Refuses the outermost counts that cannot be, so that no result begins that could only be broken off.
pub(crate) fn refuse_counts(rt: &mut Rt<'_>, node: &Node) -> SqlResult<()> {
    let mut node = node;
    loop {
        node = match node {
            Node::Top(top) => {
                if let Some(e) = top.offset.as_ref().filter(|e| is_known(e)) {
                    offset(&rt.eval(e)?)?;
                }
                if let Some(e) = top.count.as_ref().filter(|e| !top.percent && is_known(e)) {
                    count(top, &rt.eval(e)?)?;
                }
                &top.input
            }
            Node::Filter(n) => &n.input,
            Node::Compute(n) => &n.input,
            Node::Sort(n) => &n.input,
            Node::Distinct(n) => &n.input,
            _ => return Ok(()),
        };
    }
}

impl Operator for TopOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.kept = None;
        self.tied = false;
        self.skip = match &self.node.offset {
            None => 0,
            Some(e) => {
                let v = rt.eval(e)?;
                offset(&v)?
            }
        };
        if self.node.percent {
            let share = match &self.node.count {
                Some(e) => match rt.eval(e)? {
                    Value::Float(f) if (0.0..=100.0).contains(&f) => f,
                    _ => return Err(SqlError::new(1031, &[])),
                },
                None => 100.0,
            };
            let mut rows = RowStore::in_order(self.node.save.len());
            self.input.open(rt)?;
            while self.input.next(rt)? {
                rt.tick()?;
                rows.push(rt, &self.node.save)?;
            }
            self.left = (rows.len() as f64 * share / 100.0).ceil() as u64;
            self.kept = Some((rows, 0));
            return Ok(());
        }
        self.left = match &self.node.count {
            None => u64::MAX,
            Some(e) => {
                let v = rt.eval(e)?;
                count(&self.node, &v)?
            }
        };
        if self.left > 0 { self.input.open(rt) } else { Ok(()) }
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if self.left == 0 {
            if !self.tied || !self.advance(rt)? {
                return Ok(false);
            }
            let ties = self.node.ties.as_deref().unwrap_or(&[]);
            for ((e, collation), last) in ties.iter().zip(&self.last) {
                let v = rt.eval(e)?;
                if compare::compare(&v, last, *collation).is_ne() {
                    self.tied = false;
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        while self.skip > 0 {
            if !self.advance(rt)? {
                self.left = 0;
                return Ok(false);
            }
            self.skip -= 1;
        }
        if !self.advance(rt)? {
            self.left = 0;
            return Ok(false);
        }
        self.left -= 1;
        self.remember(rt)?;
        Ok(true)
    }
}

pub(crate) struct ConcatOp {
    pub inputs: Vec<Op>,
    pub at: usize,
}

impl Operator for ConcatOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.at = 0;
        self.inputs[0].open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        loop {
            if self.inputs[self.at].next(rt)? {
                return Ok(true);
            }
            if self.at + 1 == self.inputs.len() {
                return Ok(false);
            }
            self.at += 1;
            self.inputs[self.at].open(rt)?;
        }
    }
}
