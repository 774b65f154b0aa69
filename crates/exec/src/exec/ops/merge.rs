//! Merge joins: both sides come in the order of the keys and are read once, side by side.
//!
//! The right side is read until it is not below the left row. The right rows of one key are the *group*; it is kept only where more
//! than one left row may meet it. So the slots of a side do not always hold the row that the side is on: while another row, or
//! none, stands there, the side's own is put aside, and put back before the side goes on.

use super::aside::Aside;
use super::{Op, Operator, build};
use crate::exec::runtime::{RowBuffer, Rt};
use crate::plan::node::{JoinType, MergeJoin, MergeKey};
use std::cmp::Ordering;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{Value, compare};

/// What is done next.
#[derive(Clone, Copy)]
enum Step {
    /// The left side goes on.
    Left,
    /// FULL: those rows of the group, from this one on, that have found no partner are given.
    Rest(usize),
    /// The right side goes on until it is not below the left row.
    Right,
    /// The left row meets the rows of the group, from this one on.
    Group(usize),
    /// The left row meets the row that the right side is on, and those behind it that have its key.
    Stream,
    /// The left row has met all that it could meet.
    Met,
    /// There are no more rows.
    End,
}

pub(crate) struct MergeOp {
    node: Arc<MergeJoin>,
    left: Op,
    right: Op,
    step: Step,
    /// The keys of the rows that the sides are on.
    left_key: Vec<Value>,
    right_key: Vec<Value>,
    /// The key of the row before, of the side that went on last.
    before: Vec<Value>,
    left_aside: Aside,
    right_aside: Aside,
    left_ended: bool,
    /// The right side is on a row.
    on_right: bool,
    /// That row is done with.
    passed: bool,
    /// The left row has found a partner.
    matched: bool,
    /// A left row meets right rows as they come: none is kept.
    streams: bool,
    group: RowBuffer,
    group_key: Vec<Value>,
    /// FULL: which rows of the group have found a partner.
    used: Vec<bool>,
}

/// The order of two keys.
fn order(keys: &[MergeKey], a: &[Value], b: &[Value]) -> Ordering {
    for ((a, b), k) in a.iter().zip(b).zip(keys) {
        let o = compare::compare(a, b, k.collation);
        if o.is_ne() {
            return if k.descending { o.reverse() } else { o };
        }
    }
    Ordering::Equal
}

impl MergeOp {
    pub fn new(node: &Arc<MergeJoin>) -> MergeOp {
        MergeOp {
            node: node.clone(),
            left: build(&node.left),
            right: build(&node.right),
            step: Step::End,
            left_key: Vec::new(),
            right_key: Vec::new(),
            before: Vec::new(),
            left_aside: Aside::default(),
            right_aside: Aside::default(),
            left_ended: false,
            on_right: false,
            passed: false,
            matched: false,
            streams: !node.many_to_many,
            group: RowBuffer::new(node.right_slots.len()),
            group_key: Vec::new(),
            used: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.node.kind == JoinType::Full
    }

    /// Computes the key of the row that a side is on.
    fn key(&mut self, rt: &mut Rt<'_>, left: bool) -> SqlResult<()> {
        let key = if left { &mut self.left_key } else { &mut self.right_key };
        std::mem::swap(key, &mut self.before);
        key.clear();
        for k in &self.node.keys {
            key.push(rt.eval(if left { &k.left } else { &k.right })?);
        }
        debug_assert!(
            self.before.is_empty() || order(&self.node.keys, &self.before, key).is_le(),
            "the {} side of a merge join is not in order: {:?}, then {key:?}",
            if left { "left" } else { "right" },
            self.before,
        );
        Ok(())
    }

    /// The right side goes on.
    fn advance(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        rt.tick()?;
        self.passed = false;
        self.right_aside.back(rt, &self.node.right_slots);
        self.on_right = self.right.next(rt)?;
        match self.on_right {
            true => self.key(rt, false),
            false => Ok(()),
        }
    }

    /// How the row that the right side is on lies to the left one.
    fn right_to_left(&self) -> Ordering {
        order(&self.node.keys, &self.right_key, &self.left_key)
    }

    /// Keeps the right rows that have the key of the one that the side is on.
    fn gather(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.right_aside.back(rt, &self.node.right_slots);
        self.group_key.clone_from(&self.right_key);
        while self.on_right && order(&self.node.keys, &self.right_key, &self.group_key).is_eq() {
            self.group.push(rt, &self.node.right_slots);
            self.used.push(false);
            self.advance(rt)?;
        }
        Ok(())
    }

    fn holds(&self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        match &self.node.residual {
            None => Ok(true),
            Some(p) => Ok(rt.test(p)? == Some(true)),
        }
    }

    /// FULL: the slots of the left side are cleared beside a right row that has no partner.
    fn without_left(&mut self, rt: &mut Rt<'_>) {
        self.left_aside.away = true;
        rt.clear(&self.node.left_slots);
    }
}

impl Operator for MergeOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.step = Step::Left;
        self.left_key.clear();
        self.right_key.clear();
        self.left_aside.away = false;
        self.right_aside.away = false;
        self.left_ended = false;
        self.on_right = false;
        // The first row of the right side is read when a left row asks for it.
        self.passed = true;
        self.matched = false;
        self.group.clear();
        self.used.clear();
        self.left.open(rt)?;
        self.right.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        loop {
            rt.tick()?;
            match self.step {
                Step::Left => {
                    self.left_aside.back(rt, &self.node.left_slots);
                    self.step = Step::Rest(0);
                    if !self.left.next(rt)? {
                        self.left_ended = true;
                        if !self.is_full() {
                            self.step = Step::End;
                        }
                        continue;
                    }
                    self.matched = false;
                    self.key(rt, true)?;
                    if self.is_full() {
                        self.left_aside.put(rt, &self.node.left_slots);
                        self.left_aside.away = false;
                    }
                    if self.left_key.iter().any(Value::is_null) {
                        // NULL has no partner.
                        self.step = Step::Met;
                    } else if self.group.rows > 0
                        && order(&self.node.keys, &self.left_key, &self.group_key).is_eq()
                    {
                        self.step = Step::Group(0);
                    }
                }
                Step::Rest(from) => {
                    let alone = (from..self.group.rows).find(|at| !self.used[*at]);
                    if let (true, Some(at)) = (self.is_full(), alone) {
                        self.step = Step::Rest(at + 1);
                        self.put_right(rt);
                        rt.restore(&self.node.right_slots, self.group.row(at));
                        self.without_left(rt);
                        return Ok(true);
                    }
                    self.group.clear();
                    self.used.clear();
                    self.step = Step::Right;
                }
                Step::Right => {
                    if self.passed {
                        self.advance(rt)?;
                    }
                    if !self.on_right {
                        let alone = !matches!(self.node.kind, JoinType::Inner | JoinType::Semi);
                        self.step = if alone && !self.left_ended { Step::Met } else { Step::End };
                        continue;
                    }
                    let lies = match self.left_ended {
                        true => Ordering::Less,
                        false => self.right_to_left(),
                    };
                    match lies {
                        Ordering::Less => {
                            self.passed = true;
                            if self.is_full() {
                                self.right_aside.back(rt, &self.node.right_slots);
                                self.without_left(rt);
                                return Ok(true);
                            }
                        }
                        Ordering::Greater => self.step = Step::Met,
                        Ordering::Equal if self.streams => self.step = Step::Stream,
                        Ordering::Equal => {
                            self.gather(rt)?;
                            self.step = Step::Group(0);
                        }
                    }
                }
                Step::Group(at) if at == self.group.rows => self.step = Step::Met,
                Step::Group(at) => {
                    self.step = Step::Group(at + 1);
                    self.left_aside.back(rt, &self.node.left_slots);
                    self.put_right(rt);
                    rt.restore(&self.node.right_slots, self.group.row(at));
                    if !self.holds(rt)? {
                        continue;
                    }
                    self.matched = true;
                    self.used[at] = true;
                    match self.node.kind {
                        JoinType::Semi => self.step = Step::Left,
                        JoinType::Anti => {
                            self.step = Step::Left;
                            continue;
                        }
                        JoinType::Inner | JoinType::Left | JoinType::Full => {}
                        JoinType::NullAwareAnti | JoinType::Mark(_) => {
                            unreachable!("no merge join makes it")
                        }
                    }
                    return Ok(true);
                }
                Step::Stream => {
                    if self.passed {
                        self.advance(rt)?;
                        if !self.on_right || self.right_to_left().is_ne() {
                            self.step = Step::Met;
                            continue;
                        }
                    }
                    self.left_aside.back(rt, &self.node.left_slots);
                    self.right_aside.back(rt, &self.node.right_slots);
                    let holds = self.holds(rt)?;
                    self.matched |= holds;
                    match (self.node.kind, holds) {
                        (JoinType::Semi | JoinType::Anti, true) => {
                            // It stays where it is for the next left row.
                            self.step = Step::Left;
                            if self.node.kind == JoinType::Anti {
                                continue;
                            }
                        }
                        (JoinType::Full, false) => {
                            self.passed = true;
                            self.without_left(rt);
                        }
                        (_, true) => self.passed = true,
                        (_, false) => {
                            self.passed = true;
                            continue;
                        }
                    }
                    return Ok(true);
                }
                Step::Met => {
                    self.step = Step::Left;
                    let alone = !matches!(self.node.kind, JoinType::Inner | JoinType::Semi);
                    if alone && !self.matched {
                        self.left_aside.back(rt, &self.node.left_slots);
                        self.put_right(rt);
                        rt.clear(&self.node.right_slots);
                        return Ok(true);
                    }
                }
                Step::End => return Ok(false),
            }
        }
    }
}

impl MergeOp {
    /// The slots of the right side will hold something else than its row.
    fn put_right(&mut self, rt: &Rt<'_>) {
        if self.on_right {
            self.right_aside.put(rt, &self.node.right_slots);
        }
    }
}
