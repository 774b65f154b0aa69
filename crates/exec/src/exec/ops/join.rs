//! Nested loops.

use super::{Op, Operator, build_in_any_order, built};
use crate::exec::runtime::Rt;
use crate::plan::node::{JoinType, LoopJoin, Node};
use std::sync::Arc;
use taffrail_base::SqlResult;

pub(crate) struct LoopOp {
    node: Arc<LoopJoin>,
    left: Op,
    right: Op,
    on_row: bool,
    matched: bool,
}

impl LoopOp {
    pub fn new(node: &Arc<LoopJoin>, ordered: bool) -> LoopOp {
        LoopOp {
            node: node.clone(),
            left: built(&node.left, ordered),
            right: build_in_any_order(&node.right),
            on_row: false,
            matched: false,
        }
    }
}

impl Operator for LoopOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.on_row = false;
        // A spool is good for one opening of the join: what encloses it may have changed.
        if matches!(self.node.right, Node::Spool(_)) {
            self.right = build_in_any_order(&self.node.right);
        }
        self.left.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        loop {
            rt.tick()?;
            if !self.on_row {
                if !self.left.next(rt)? {
                    return Ok(false);
                }
                self.right.open(rt)?;
                self.on_row = true;
                self.matched = false;
            }
            if self.right.next(rt)? {
                let holds = match &self.node.on {
                    None => true,
                    Some(p) => rt.test(p)? == Some(true),
                };
                if holds {
                    self.matched = true;
                    return Ok(true);
                }
                continue;
            }
            self.on_row = false;
            if !self.matched && self.node.kind == JoinType::Left {
                rt.clear(&self.node.right_slots);
                return Ok(true);
            }
        }
    }
}
