//! Joins that answer IN and EXISTS for each left row: mark joins and NOT IN.
//!
//! An answer has three values. `v IN (list)` is unknown where the list has no `v` but a NULL, and where `v` is NULL and the list is not
//! empty. The list of a left row are the right rows that its other keys lead to; a NULL among these leads nowhere.

use super::{Op, Operator, build};
use crate::exec::key_map::KeyMap;
use crate::exec::runtime::Rt;
use crate::plan::node::{HashJoin, JoinType};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(crate) struct MarkOp {
    node: Arc<HashJoin>,
    left: Op,
    right: Op,
    /// How many of the keys lead to a list; IN has one key more, the value.
    leading: usize,
    /// All keys of the right rows that have a value.
    values: KeyMap,
    /// The keys that lead to lists, and whether there is a NULL among a list's values.
    lists: KeyMap,
    nulls: Vec<bool>,
    key: Vec<Value>,
}

impl MarkOp {
    pub fn new(node: &Arc<HashJoin>) -> MarkOp {
        debug_assert!(node.residual.is_none() && node.right_slots.is_empty());
        let null_aware = match node.kind {
            JoinType::Mark(m) => m.null_aware,
            _ => true,
        };
        let leading = node.keys.len() - usize::from(null_aware);
        let map = |keys: usize| KeyMap::new(node.keys[..keys].iter().map(|k| k.2).collect());
        MarkOp {
            node: node.clone(),
            left: build(&node.left),
            right: build(&node.right),
            leading,
            values: map(node.keys.len()),
            lists: map(leading),
            nulls: Vec::new(),
            key: Vec::new(),
        }
    }

    fn asks_values(&self) -> bool {
        self.leading < self.node.keys.len()
    }

    /// Computes the keys that lead to a list; false when one of them is NULL.
    fn lead(&mut self, rt: &mut Rt<'_>, left: bool) -> SqlResult<bool> {
        self.key.clear();
        for (l, r, _) in &self.node.keys[..self.leading] {
            let v = rt.eval(if left { l } else { r })?;
            if v.is_null() {
                return Ok(false);
            }
            self.key.push(v);
        }
        Ok(true)
    }

    /// Takes a right row in.
    fn take(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        if !self.lead(rt, false)? {
            return Ok(());
        }
        let mut list = self.key.clone();
        let (at, new) = self.lists.insert(&mut list);
        if new {
            self.nulls.push(false);
        }
        if self.asks_values() {
            let value = rt.eval(&self.node.keys[self.leading].1)?;
            if value.is_null() {
                self.nulls[at as usize] = true;
                return Ok(());
            }
            self.key.push(value);
            self.values.insert(&mut self.key);
        }
        Ok(())
    }

    /// What is to be said of the left row in the frame; `None`: unknown.
    fn answer(&mut self, rt: &mut Rt<'_>) -> SqlResult<Option<bool>> {
        let list = match self.lead(rt, true)? {
            true => self.lists.find(&self.key),
            false => None,
        };
        let (true, Some(list)) = (self.asks_values(), list) else {
            return Ok(Some(list.is_some()));
        };
        let value = rt.eval(&self.node.keys[self.leading].0)?;
        if value.is_null() {
            return Ok(None);
        }
        self.key.push(value);
        Ok(match self.values.find(&self.key) {
            Some(_) => Some(true),
            None if self.nulls[list as usize] => None,
            None => Some(false),
        })
    }
}

impl Operator for MarkOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.values.clear();
        self.lists.clear();
        self.nulls.clear();
        self.right.open(rt)?;
        while self.right.next(rt)? {
            rt.tick()?;
            self.take(rt)?;
        }
        self.left.open(rt)
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        while self.left.next(rt)? {
            rt.tick()?;
            let answer = self.answer(rt)?;
            match self.node.kind {
                JoinType::Mark(m) => {
                    rt.frame[m.slot as usize] = answer.map_or(Value::Null, Value::Bit);
                    return Ok(true);
                }
                _ if answer == Some(false) => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }
}
