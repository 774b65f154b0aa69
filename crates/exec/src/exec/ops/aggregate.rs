//! Grouping and aggregate functions.

mod apart;
mod values;

use super::partial::Partial;
use super::percentile::percentile;
use super::sort::compare_keys;
use super::states::States;
use super::{Op, Operator, build_in_any_order};
use crate::exec::key_map::KeyMap;
use crate::exec::rows::room_beside_partitions;
use crate::exec::runtime::{Rt, ValueSet};
use crate::memory::{self, Held};
use crate::pieces;
use crate::plan::node::{Agg, AggFunction, Aggregate};
use apart::GroupsApart;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Bytes, MaxLen, SqlType, Value};

/// So many texts are joined between two looks at whether the batch was cancelled.
const ROWS_JOINED: usize = 8 << 10;

/// The state of one aggregate of one group.
pub(crate) struct Accumulator {
    pub part: Partial,
    /// What few aggregates keep.
    more: Option<Box<More>>,
}

const _: () = assert!(size_of::<Accumulator>() <= 64);

/// Of DISTINCT values and of texts that are joined.
struct More {
    distinct: Option<ValueSet>,
    text: Vec<u8>,
    /// Rows in an order, of STRING_AGG and of percentiles: keys, separator or share, value.
    ordered: Vec<(Vec<Value>, Value, Value)>,
    /// What the text and the list take.
    held: Held,
}

impl Accumulator {
    pub fn new(agg: &Agg) -> Accumulator {
        let more = (agg.distinct || agg.function.keeps_rows()).then(|| {
            Box::new(More {
                distinct: agg.distinct.then(|| ValueSet::new(agg.collation)),
                text: Vec::new(),
                ordered: Vec::new(),
                held: Held::default(),
            })
        });
        Accumulator { part: Partial::NONE, more }
    }

    /// The values of DISTINCT so far.
    pub fn seen(&mut self) -> Option<&mut ValueSet> {
        self.more.as_mut()?.distinct.as_mut()
    }

    /// What it takes.
    pub fn size(&self) -> usize {
        size_of::<Accumulator>() + self.more.as_ref().map_or(0, |_| size_of::<More>())
    }

    /// Takes a value in.
    #[inline]
    pub fn add(&mut self, agg: &Agg, v: Value, separator: Option<&Value>) -> SqlResult<()> {
        match &mut self.more {
            None => self.part.add(agg, v),
            Some(more) => more.add(&mut self.part, agg, v, separator),
        }
    }

    /// Takes a row in.
    pub fn take(&mut self, agg: &Agg, (v, separator, keys): Arguments) -> SqlResult<()> {
        let Some(s) = separator else { return self.add(agg, v, None) };
        match &mut self.more {
            Some(more) if !agg.order.is_empty() && !v.is_null() => {
                self.part.count += 1;
                more.held.values(&keys);
                for v in [&s, &v] {
                    more.held.values(std::slice::from_ref(v));
                }
                more.ordered.push((keys, s, v));
                Ok(())
            }
            _ => self.add(agg, v, Some(&s)),
        }
    }

    /// The result.
    pub fn finish(&self, agg: &Agg) -> SqlResult<Value> {
        match &self.more {
            Some(more) if agg.function == AggFunction::StringAgg && self.part.count > 0 => {
                more.text(agg)
            }
            Some(more) if agg.function.keeps_rows() && self.part.count > 0 => more.percentile(agg),
            _ => self.part.finish(agg),
        }
    }
}

impl More {
    /// The places of the rows in their order.
    fn in_order(&self, agg: &Agg) -> SqlResult<Vec<u32>> {
        let keys = |at: u32| &self.ordered[at as usize].0;
        let mut all: Vec<u32> = (0..self.ordered.len() as u32).collect();
        pieces::sort(&mut all, |a, b| compare_keys(keys(*a), keys(*b), &agg.order).then(a.cmp(b)))?;
        Ok(all)
    }

    /// The value at a share of the rows.
    fn percentile(&self, agg: &Agg) -> SqlResult<Value> {
        let Some((_, share, _)) = self.ordered.first() else { return Ok(Value::Null) };
        let all = self.in_order(agg)?;
        let continuous = agg.function == AggFunction::PercentileCont;
        percentile(share, continuous, all.len(), |at| Ok(self.ordered[all[at] as usize].2.clone()))
    }

    /// STRING_AGG … WITHIN GROUP: the values in order, each but the first after its separator.
    fn joined(&self, agg: &Agg) -> SqlResult<Vec<u8>> {
        let all = self.in_order(agg)?;
        let mut text = Vec::new();
        for (n, at) in all.into_iter().enumerate() {
            let (_, separator, value) = &self.ordered[at as usize];
            if (n + 1).is_multiple_of(ROWS_JOINED) {
                pieces::look()?;
            }
            if n > 0 {
                text.extend_from_slice(separator.as_bytes().unwrap_or_default());
            }
            pieces::append(&mut text, value.as_bytes().unwrap_or_default())?;
        }
        Ok(text)
    }

    fn add(
        &mut self,
        part: &mut Partial,
        agg: &Agg,
        v: Value,
        separator: Option<&Value>,
    ) -> SqlResult<()> {
        if !v.is_null()
            && let Some(seen) = &mut self.distinct
            && !seen.insert(v.clone())
        {
            return Ok(());
        }
        if agg.function != AggFunction::StringAgg {
            return part.add(agg, v);
        }
        if v.is_null() {
            part.nulls |= !agg.quiet;
            return Ok(());
        }
        part.count += 1;
        if part.count > 1
            && let Some(s) = separator.and_then(Value::as_bytes)
        {
            self.text.extend_from_slice(s);
        }
        let before = self.text.capacity();
        pieces::append(&mut self.text, v.as_bytes().unwrap_or_default())?;
        self.held.add(self.text.capacity() - before);
        short_enough(agg, &self.text)
    }

    /// The text of STRING_AGG.
    fn text(&self, agg: &Agg) -> SqlResult<Value> {
        let text = match self.ordered.is_empty() {
            true => {
                let mut text = Vec::new();
                pieces::append(&mut text, &self.text)?;
                text
            }
            false => {
                let text = self.joined(agg)?;
                short_enough(agg, &text)?;
                text
            }
        };
        Ok(match agg.ty {
            SqlType::NVarChar(_) => Value::NVarChar(Bytes::from_vec(text)),
            _ => Value::VarChar(Bytes::from_vec(text)),
        })
    }
}

/// 9829: only of values of a max type may STRING_AGG make more than 8,000 bytes.
fn short_enough(agg: &Agg, text: &[u8]) -> SqlResult<()> {
    match agg.ty {
        SqlType::VarChar(MaxLen::N(_)) | SqlType::NVarChar(MaxLen::N(_)) if text.len() > 8000 => {
            Err(SqlError::new(9829, &[]))
        }
        _ => Ok(()),
    }
}

/// Groups of rows in any order.
pub(crate) struct AggregateOp {
    node: Arc<Aggregate>,
    input: Op,
    groups: KeyMap,
    /// Each aggregate's.
    states: Vec<States>,
    /// Rows that wait for the others of their batch.
    waiting: Batch,
    at: usize,
    count: usize,
    held: Held,
    /// What has to stay free for files.
    room: usize,
    /// Values of DISTINCT or texts that are joined are among the states, and so much was in use before the first one.
    states_grow: bool,
    used_before: usize,
    /// Rows of groups that have no room in memory.
    apart: Option<Box<GroupsApart>>,
}

/// From so many groups on they and their states lie beyond the nearer caches, and rows are taken in together.
const MANY_GROUPS: usize = 8 << 10;
/// So many rows are.
const ROWS_AT_ONCE: usize = 256;

#[derive(Default)]
struct Batch {
    rows: usize,
    /// Their keys, flat.
    keys: Vec<Value>,
    /// The arguments of the aggregates, flat.
    arguments: Vec<Value>,
    /// The groups they belong to.
    groups: Vec<u32>,
}

impl AggregateOp {
    pub fn new(node: &Arc<Aggregate>) -> AggregateOp {
        AggregateOp {
            node: node.clone(),
            input: build_in_any_order(&node.input),
            groups: KeyMap::new(node.groups.iter().map(|g| g.2).collect()),
            states: node.aggs.iter().map(States::new).collect(),
            waiting: Batch::default(),
            at: 0,
            count: 0,
            held: Held::default(),
            room: 0,
            states_grow: node.aggs.iter().any(|agg| agg.distinct || agg.separator.is_some()),
            used_before: 0,
            apart: None,
        }
    }

    /// Memory has no room for another group, or more than one batch of them; without groups for another value of DISTINCT.
    #[inline]
    fn is_full(&self) -> bool {
        if self.node.scalar {
            return self.states_grow
                && self.has_grown()
                && self.node.aggs.iter().any(|a| a.distinct);
        }
        let groups = self.held.bytes() + self.groups.bytes_with(ROWS_AT_ONCE) + self.room;
        self.count > 0 && (memory::must_spill(groups) || self.states_grow && self.has_grown())
    }

    /// States that grow with each row have no room, or will have none soon: those of the groups in memory go on growing.
    fn has_grown(&self) -> bool {
        let kept = memory::used().saturating_sub(self.used_before);
        memory::must_spill(2 * kept + self.room)
    }

    fn new_group(&mut self) {
        let sizes = self.states.iter_mut().zip(&self.node.aggs).map(|(s, agg)| s.push(agg));
        self.held.add(sizes.sum());
        self.count += 1;
    }

    /// Takes the row in the frame into its group.
    #[inline]
    fn take(&mut self, rt: &mut Rt<'_>, key: &mut Vec<Value>) -> SqlResult<()> {
        let mut group = 0;
        if !self.node.scalar {
            key.clear();
            for (e, ..) in &self.node.groups {
                key.push(rt.eval(e)?);
            }
            let (at, new) = self.groups.insert(key);
            if new {
                self.new_group();
            }
            group = at as usize;
        }
        for (agg, states) in self.node.aggs.iter().zip(&mut self.states) {
            match agg.separator {
                None => states.add(group, agg, argument(rt, agg)?)?,
                Some(_) => states.take(group, agg, arguments(rt, agg)?)?,
            }
        }
        Ok(())
    }

    /// Puts the row in the frame to those that wait.
    fn wait(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let batch = &mut self.waiting;
        for (e, ..) in &self.node.groups {
            batch.keys.push(rt.eval(e)?);
        }
        for agg in &self.node.aggs {
            batch.arguments.push(argument(rt, agg)?);
        }
        batch.rows += 1;
        if batch.rows == ROWS_AT_ONCE { self.take_waiting() } else { Ok(()) }
    }

    /// Takes the rows that wait into their groups, in their order.
    fn take_waiting(&mut self) -> SqlResult<()> {
        let mut batch = std::mem::take(&mut self.waiting);
        // What there is of a row that was not computed whole does not count.
        batch.keys.truncate(batch.rows * self.node.groups.len());
        if batch.rows > 0 {
            self.groups.insert_all(&mut batch.keys, &mut batch.groups);
            while self.count < self.groups.len() {
                self.new_group();
            }
            self.states.iter().for_each(|s| s.fetch(&batch.groups));
            let mut arguments = batch.arguments.drain(..);
            for group in &batch.groups {
                for (agg, states) in self.node.aggs.iter().zip(&mut self.states) {
                    let v = arguments.next().expect("each row has waited with all of its own");
                    states.add(*group as usize, agg, v)?;
                }
            }
        }
        batch.arguments.clear();
        batch.rows = 0;
        self.waiting = batch;
        Ok(())
    }

    /// A NULL that was left out is told.
    fn tell_nulls(&self, rt: &mut Rt<'_>) {
        let activation = &mut rt.cx.session.activation;
        if activation.options.ansi_warnings && self.states.iter().any(States::nulls) {
            activation.warnings.null_eliminated = true;
        }
    }

    /// Reads the input to its end.
    fn read(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let mut key = Vec::with_capacity(self.node.groups.len());
        // Texts that are joined are as long as they are: none is kept twice.
        let may_wait = self.node.aggs.iter().all(|a| a.separator.is_none());
        while self.input.next(rt)? {
            rt.tick()?;
            if self.apart.is_some() {
                self.take_or_put_apart(rt)?;
                continue;
            }
            match self.count >= MANY_GROUPS && may_wait {
                false => self.take(rt, &mut key)?,
                true => self.wait(rt)?,
            }
            if self.is_full() {
                self.take_waiting()?;
                self.begin_apart(rt)?;
            }
        }
        Ok(())
    }
}

/// What an aggregate takes of a row: its argument, STRING_AGG's separator and the keys of its order.
pub(crate) type Arguments = (Value, Option<Value>, Vec<Value>);

/// Evaluates an aggregate's argument.
#[inline]
fn argument(rt: &mut Rt<'_>, agg: &Agg) -> SqlResult<Value> {
    agg.arg.as_ref().map_or(Ok(Value::Null), |e| rt.eval(e))
}

/// Evaluates all that an aggregate takes.
pub(crate) fn arguments(rt: &mut Rt<'_>, agg: &Agg) -> SqlResult<Arguments> {
    let v = argument(rt, agg)?;
    let Some(s) = &agg.separator else { return Ok((v, None, Vec::new())) };
    let s = rt.eval(s)?;
    let mut keys = Vec::new();
    if !v.is_null() {
        keys = agg.order.iter().map(|k| rt.eval(&k.expr)).collect::<SqlResult<_>>()?;
    }
    Ok((v, Some(s), keys))
}

/// Evaluates an aggregate's argument and takes it in.
pub(crate) fn accumulate(rt: &mut Rt<'_>, agg: &Agg, state: &mut Accumulator) -> SqlResult<()> {
    match agg.separator {
        None => state.add(agg, argument(rt, agg)?, None),
        Some(_) => state.take(agg, arguments(rt, agg)?),
    }
}

impl Operator for AggregateOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        match self.apart.take() {
            None => self.groups.clear(),
            Some(_) => self.groups = self.groups.emptied(),
        }
        self.states.iter_mut().for_each(States::clear);
        self.waiting = Batch::default();
        self.room = room_beside_partitions();
        self.held.clear();
        self.at = 0;
        self.count = 0;
        if self.node.scalar {
            self.new_group();
        }
        self.input.open(rt)?;
        self.used_before = memory::used();
        let read = self.read(rt);
        // An error of a row that came before is the one that is told.
        self.take_waiting()?;
        read?;
        self.close_values(rt)?;
        self.tell_nulls(rt);
        self.close_apart()
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if self.at >= self.count && !self.next_partition(rt)? {
            return Ok(false);
        }
        if !self.node.scalar {
            let key = self.groups.key(self.at);
            for ((_, slot, _), v) in self.node.groups.iter().zip(key) {
                rt.frame[*slot as usize] = v.clone();
            }
        }
        for (agg, states) in self.node.aggs.iter().zip(&self.states) {
            rt.frame[agg.slot as usize] = states.finish(self.at, agg)?;
        }
        self.at += 1;
        Ok(true)
    }
}
