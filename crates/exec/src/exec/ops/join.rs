//! Nested loops and hash joins.

use super::view::Partners;
use super::{Op, Operator, build};
use crate::exec::key_map::KeyMap;
use crate::exec::runtime::{RowBuffer, Rt};
use crate::plan::node::{HashJoin, JoinType, LoopJoin, Node};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(crate) struct LoopOp {
    node: Arc<LoopJoin>,
    left: Op,
    right: Op,
    on_row: bool,
    matched: bool,
}

impl LoopOp {
    pub fn new(node: &Arc<LoopJoin>) -> LoopOp {
        LoopOp {
            node: node.clone(),
            left: build(&node.left),
            right: build(&node.right),
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
            self.right = build(&self.node.right);
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

/// The build side is read once per opening; rows with one key are chained.
pub(crate) struct HashOp {
    node: Arc<HashJoin>,
    left: Op,
    right: Op,
    map: KeyMap,
    rows: RowBuffer,
    /// Per key the first row, per row the next with the same key; `u32::MAX` ends.
    first: Vec<u32>,
    last: Vec<u32>,
    next: Vec<u32>,
    used: Vec<bool>,
    key: Vec<Value>,
    at: u32,
    on_row: bool,
    matched: bool,
    /// FULL: unmatched build rows are being given.
    rest: Option<usize>,
}

const END: u32 = u32::MAX;

impl HashOp {
    pub fn new(node: &Arc<HashJoin>) -> HashOp {
        HashOp {
            node: node.clone(),
            left: build(&node.left),
            right: build(&node.right),
            map: KeyMap::new(node.keys.iter().map(|k| k.2).collect()),
            rows: RowBuffer::new(node.right_slots.len()),
            first: Vec::new(),
            last: Vec::new(),
            next: Vec::new(),
            used: Vec::new(),
            key: Vec::new(),
            at: END,
            on_row: false,
            matched: false,
            rest: None,
        }
    }

    /// Computes a key; false when a part of it is NULL.
    fn key(&mut self, rt: &mut Rt<'_>, left: bool) -> SqlResult<bool> {
        self.key.clear();
        for (l, r, _) in &self.node.keys {
            let v = rt.eval(if left { l } else { r })?;
            if v.is_null() {
                return Ok(false);
            }
            self.key.push(v);
        }
        Ok(true)
    }
}

impl Operator for HashOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.map.clear();
        self.rows.clear();
        self.first.clear();
        self.last.clear();
        self.next.clear();
        self.used.clear();
        self.on_row = false;
        self.rest = None;
        Partners::open_right(rt, &self.node, &mut self.right)?;
        while self.right.next(rt)? {
            rt.tick()?;
            let keyed = self.key(rt, false)?;
            if !keyed && self.node.kind != JoinType::Full {
                continue;
            }
            // One partner is enough.
            if let (JoinType::Semi | JoinType::Anti, None) = (self.node.kind, &self.node.residual) {
                self.map.insert(&mut self.key);
                continue;
            }
            let row = self.rows.rows as u32;
            self.rows.push(rt, &self.node.right_slots);
            self.next.push(END);
            self.used.push(false);
            if !keyed {
                continue;
            }
            let (at, new) = self.map.insert(&mut self.key);
            if new {
                self.first.push(row);
                self.last.push(row);
            } else {
                self.next[self.last[at as usize] as usize] = row;
                self.last[at as usize] = row;
            }
        }
        Partners::open_left(rt, &self.node, &mut self.left, &mut self.map)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        loop {
            rt.tick()?;
            if let Some(at) = &mut self.rest {
                while *at < self.rows.rows && self.used[*at] {
                    *at += 1;
                }
                if *at >= self.rows.rows {
                    return Ok(false);
                }
                rt.clear(&self.node.left_slots);
                rt.restore(&self.node.right_slots, self.rows.row(*at));
                *at += 1;
                return Ok(true);
            }
            if !self.on_row {
                if !self.left.next(rt)? {
                    if self.node.kind == JoinType::Full {
                        self.rest = Some(0);
                        continue;
                    }
                    return Ok(false);
                }
                let found = match self.key(rt, true)? {
                    true => self.map.find(&self.key),
                    false => None,
                };
                if let (JoinType::Semi | JoinType::Anti, None) =
                    (self.node.kind, &self.node.residual)
                {
                    if found.is_some() == (self.node.kind == JoinType::Semi) {
                        return Ok(true);
                    }
                    continue;
                }
                self.at = found.map_or(END, |k| self.first[k as usize]);
                self.on_row = true;
                self.matched = false;
            }
            if self.at != END {
                let row = self.at as usize;
                self.at = self.next[row];
                rt.restore(&self.node.right_slots, self.rows.row(row));
                let holds = match &self.node.residual {
                    None => true,
                    Some(p) => rt.test(p)? == Some(true),
                };
                if holds {
                    self.matched = true;
                    self.used[row] = true;
                    match self.node.kind {
                        JoinType::Semi => self.on_row = false,
                        JoinType::Anti => {
                            self.on_row = false;
                            continue;
                        }
                        JoinType::Inner | JoinType::Left | JoinType::Full => {}
                        JoinType::NullAwareAnti | JoinType::Mark(_) => {
                            unreachable!("a MarkOp makes it")
                        }
                    }
                    return Ok(true);
                }
                continue;
            }
            self.on_row = false;
            let alone = !matches!(self.node.kind, JoinType::Inner | JoinType::Semi);
            if !self.matched && alone {
                rt.clear(&self.node.right_slots);
                return Ok(true);
            }
        }
    }
}
