//! A recursive common table expression: rows of the anchors, then, for each row of the result, what the parts make of it.
//!
//! The row made last is worked on first (depth first), as SQL Server's stack spool does.

use super::{Op, Operator, build};
use crate::exec::runtime::Rt;
use crate::memory::{self, Held, bytes_of};
use crate::plan::node::Recursive;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

pub(crate) struct RecursiveOp {
    node: Arc<Recursive>,
    anchors: Vec<Op>,
    parts: Vec<Op>,
    /// Rows that the parts have not seen, with their depth.
    stack: Vec<(u32, Vec<Value>)>,
    /// What they take, and the row that the parts work on.
    held: Held,
    /// What that one takes.
    worked_on: usize,
    /// Which input is being read: anchors, then parts.
    input: Option<Input>,
    /// The depth of the row that the parts work on.
    depth: u32,
}

#[derive(Clone, Copy)]
enum Input {
    Anchor(usize),
    Part(usize),
}

impl RecursiveOp {
    pub fn new(node: &Arc<Recursive>) -> RecursiveOp {
        RecursiveOp {
            node: node.clone(),
            anchors: node.anchors.iter().map(build).collect(),
            parts: node.parts.iter().map(build).collect(),
            stack: Vec::new(),
            held: Held::default(),
            worked_on: 0,
            input: None,
            depth: 0,
        }
    }

    /// Keeps the row that was made for the parts: 701 where the frame's copy and the one that is kept have no room.
    fn keep(&mut self, rt: &Rt<'_>, depth: u32) -> SqlResult<()> {
        let slots = self.node.slots.iter().map(|s| &rt.frame[*s as usize]);
        let large: usize = slots.clone().map(memory::spilled).sum();
        if large > 0 {
            memory::room(2 * large)?;
        }
        let row: Vec<_> = slots.cloned().collect();
        self.held.add(bytes_kept(&row));
        self.stack.push((depth, row));
        Ok(())
    }
}

/// What a row on the stack takes.
fn bytes_kept(row: &[Value]) -> usize {
    size_of::<(u32, Vec<Value>)>() + bytes_of(row)
}

impl Operator for RecursiveOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.stack.clear();
        self.held.clear();
        self.worked_on = 0;
        self.input = Some(Input::Anchor(0));
        self.anchors[0].open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        loop {
            rt.tick()?;
            match self.input {
                Some(Input::Anchor(at)) => {
                    if self.anchors[at].next(rt)? {
                        self.keep(rt, 0)?;
                        return Ok(true);
                    }
                    self.input = match self.anchors.get_mut(at + 1) {
                        Some(next) => {
                            next.open(rt)?;
                            Some(Input::Anchor(at + 1))
                        }
                        None => None,
                    };
                }
                Some(Input::Part(at)) => {
                    if self.parts[at].next(rt)? {
                        let limit = self.node.limit;
                        if limit > 0 && self.depth >= limit {
                            return Err(SqlError::new(530, &[&limit]));
                        }
                        self.keep(rt, self.depth + 1)?;
                        return Ok(true);
                    }
                    self.input = match self.parts.get_mut(at + 1) {
                        Some(next) => {
                            next.open(rt)?;
                            Some(Input::Part(at + 1))
                        }
                        None => None,
                    };
                }
                None => {
                    let Some((depth, row)) = self.stack.pop() else { return Ok(false) };
                    // The row is still there, in the frame; the one before goes.
                    self.held.less(self.worked_on);
                    self.worked_on = bytes_kept(&row);
                    for (slot, v) in self.node.work.iter().zip(row) {
                        rt.frame[*slot as usize] = v;
                    }
                    self.depth = depth;
                    self.parts[0].open(rt)?;
                    self.input = Some(Input::Part(0));
                }
            }
        }
    }
}
