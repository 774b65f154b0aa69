//! GROUP BY ROLLUP, CUBE and GROUPING SETS: each row is taken into a group of every set.
//!
//! The groups come out with the totals behind what they are of: ordered by the keys, NULL first, a key that is left out last. For a ROLLUP
//! that is the order in which a report shows them.

use super::aggregate::{Accumulator, arguments};
use super::{Op, Operator, build};
use crate::exec::key_map::KeyMap;
use crate::exec::runtime::Rt;
use crate::memory::Held;
use crate::pieces;
use crate::plan::node::Aggregate;
use std::cmp::Ordering;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::{Collation, Value, compare};

pub(crate) struct GroupingSetsOp {
    node: Arc<Aggregate>,
    input: Op,
    /// The keys each of a set; one for all without any.
    sets: Vec<u32>,
    /// By the keys of the set, NULL in place of those that it has not, and the set's number.
    groups: KeyMap,
    states: Vec<Accumulator>,
    /// The groups in the order in which they are given.
    order: Vec<u32>,
    at: usize,
    held: Held,
}

impl GroupingSetsOp {
    pub fn new(node: &Arc<Aggregate>) -> GroupingSetsOp {
        let keys = node.groups.iter().map(|g| g.2);
        GroupingSetsOp {
            node: node.clone(),
            input: build(&node.input),
            sets: if node.sets.is_empty() { vec![u32::MAX] } else { node.sets.clone() },
            groups: KeyMap::new(keys.chain([Collation::default()]).collect()),
            states: Vec::new(),
            order: Vec::new(),
            at: 0,
            held: Held::default(),
        }
    }

    /// The number of a set's group with these keys.
    fn group(&mut self, set: usize, all: &[Value], key: &mut Vec<Value>) -> usize {
        let keys = self.sets[set];
        key.clear();
        key.extend(all.iter().enumerate().map(|(at, v)| match is_in(keys, at) {
            true => v.clone(),
            false => Value::Null,
        }));
        key.push(Value::Int(set as i32));
        let (at, new) = self.groups.insert(key);
        if new {
            self.states.extend(self.node.aggs.iter().map(Accumulator::new));
            self.held.add(self.node.aggs.len() * size_of::<Accumulator>());
        }
        at as usize
    }

    /// The set of a group.
    fn set_of(&self, group: u32) -> usize {
        match self.groups.key(group as usize).last() {
            Some(Value::Int(set)) => *set as usize,
            _ => unreachable!("a group's key ends with its set"),
        }
    }

    fn compare(&self, a: u32, b: u32) -> Ordering {
        let (left, right) = (self.groups.key(a as usize), self.groups.key(b as usize));
        let (set, other) = (self.set_of(a), self.set_of(b));
        for (at, (_, _, collation)) in self.node.groups.iter().enumerate() {
            let order = match (is_in(self.sets[set], at), is_in(self.sets[other], at)) {
                (true, true) => compare::compare(&left[at], &right[at], *collation),
                (here, there) => there.cmp(&here),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        set.cmp(&other)
    }
}

/// Whether a set has a key. (Keys beyond the bits are only where there is one set of all.)
fn is_in(set: u32, key: usize) -> bool {
    key >= u32::BITS as usize || set >> key & 1 == 1
}

impl Operator for GroupingSetsOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.groups.clear();
        self.states.clear();
        self.order.clear();
        self.held.clear();
        self.at = 0;
        let node = self.node.clone();
        let width = node.aggs.len();
        let (mut all, mut key) = (Vec::with_capacity(node.groups.len()), Vec::new());
        all.resize(node.groups.len(), Value::Null);
        for set in 0..self.sets.len() {
            if !node.groups.iter().enumerate().any(|(at, _)| is_in(self.sets[set], at)) {
                self.group(set, &all, &mut key);
            }
        }
        self.input.open(rt)?;
        while self.input.next(rt)? {
            rt.tick()?;
            all.clear();
            for (e, ..) in &node.groups {
                all.push(rt.eval(e)?);
            }
            let row = node.aggs.iter().map(|a| arguments(rt, a)).collect::<SqlResult<Vec<_>>>()?;
            for set in 0..self.sets.len() {
                let group = self.group(set, &all, &mut key);
                let states = &mut self.states[group * width..(group + 1) * width];
                for ((agg, state), arguments) in node.aggs.iter().zip(states).zip(&row) {
                    state.take(agg, arguments.clone())?;
                }
            }
        }
        if self.states.iter().any(|s| s.part.nulls)
            && rt.cx.session.activation.options.ansi_warnings
        {
            rt.cx.session.activation.warnings.null_eliminated = true;
        }
        let mut order: Vec<u32> = (0..self.groups.len() as u32).collect();
        self.held.add(order.len() * size_of::<u32>());
        pieces::sort(&mut order, |a, b| self.compare(*a, *b))?;
        self.order = order;
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(group) = self.order.get(self.at).copied() else { return Ok(false) };
        self.at += 1;
        let key = self.groups.key(group as usize);
        for ((_, slot, _), v) in self.node.groups.iter().zip(key) {
            rt.frame[*slot as usize] = v.clone();
        }
        let set = self.sets[self.set_of(group)];
        for mark in &self.node.marks {
            rt.frame[mark.slot as usize] = mark.value(set);
        }
        let width = self.node.aggs.len();
        for (i, agg) in self.node.aggs.iter().enumerate() {
            rt.frame[agg.slot as usize] = self.states[group as usize * width + i].finish(agg)?;
        }
        Ok(true)
    }
}
