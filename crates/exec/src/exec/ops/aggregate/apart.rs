//! Groups that have no room in memory. Those that are there stay until the input has ended; rows of others go to partitions by the hash of
//! their keys, which are read one after the other as the input was. A row has with it all that the aggregates take of it.

use super::values::ValuesApart;
use super::{AggregateOp, Arguments, arguments};
use crate::exec::rows::{
    Partitions, SpillFile, SpillReader, SpilledRows, Warning, partition_count,
};
use crate::exec::runtime::Rt;
use crate::memory;
use crate::plan::node::{Agg, Aggregate};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// Rows of groups that were not in memory when they came.
pub(super) struct GroupsApart {
    pub(super) file: Arc<SpillFile>,
    /// Partitions that are written.
    parts: Option<Partitions>,
    /// Partitions that wait, with their level.
    waiting: Vec<(SpilledRows, u32)>,
    /// Without groups: values of DISTINCT that are written.
    pub(super) values: ValuesApart,
}

/// How many values stand for what an aggregate takes of a row.
fn width(agg: &Agg) -> usize {
    match agg.separator {
        None => 1,
        Some(_) => 2 + agg.order.len(),
    }
}

/// Adds what an aggregate takes of the row in the frame.
fn push_arguments(rt: &mut Rt<'_>, agg: &Agg, row: &mut Vec<Value>) -> SqlResult<()> {
    let end = row.len() + width(agg);
    let (v, separator, keys) = arguments(rt, agg)?;
    row.push(v);
    row.extend(separator);
    row.extend(keys);
    // A NULL has no place in the order.
    row.resize(end, Value::Null);
    Ok(())
}

/// What an aggregate takes, from values of a row.
fn pull_arguments(agg: &Agg, values: &mut impl Iterator<Item = Value>) -> Arguments {
    let v = values.next().unwrap_or_default();
    let separator = agg.separator.is_some().then(|| values.next().unwrap_or_default());
    let mut keys: Vec<Value> =
        values.take(width(agg) - 1 - usize::from(separator.is_some())).collect();
    if v.is_null() {
        keys.clear();
    }
    (v, separator, keys)
}

impl AggregateOp {
    /// From now on rows of new groups go to a file.
    #[cold]
    pub(super) fn begin_apart(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let (file, waiting) = (rt.spill_file()?, Vec::new());
        let (parts, values) = match self.node.scalar {
            true => (None, self.values_apart(&file)),
            false => {
                let count = partition_count(memory::limit());
                (Some(Partitions::new(&file, count, 0)), ValuesApart::new())
            }
        };
        self.apart = Some(Box::new(GroupsApart { file, parts, waiting, values }));
        Ok(())
    }

    /// Takes the row in the frame into its group, or writes it.
    #[cold]
    pub(super) fn take_or_put_apart(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let node = self.node.clone();
        if node.scalar {
            return self.take_values(rt, &node);
        }
        let mut row = std::mem::take(&mut self.waiting.keys);
        row.clear();
        for (e, ..) in &node.groups {
            row.push(rt.eval(e)?);
        }
        for agg in &node.aggs {
            push_arguments(rt, agg, &mut row)?;
        }
        let taken = self.take_row(&node, &mut row);
        row.clear();
        self.waiting.keys = row;
        taken
    }

    /// Takes a row into its group, if that is in memory, or writes it to the partitions that there are.
    fn take_row(&mut self, node: &Aggregate, row: &mut Vec<Value>) -> SqlResult<()> {
        let keys = node.groups.len();
        let group = match self.apart.as_ref().is_some_and(|a| a.parts.is_some()) {
            true => match self.groups.find(&row[..keys]) {
                Some(at) => at,
                None => {
                    let hash = self.groups.hash(&row[..keys]);
                    return match self.apart.as_mut().and_then(|a| a.parts.as_mut()) {
                        Some(parts) => parts.push(hash, &*row),
                        None => Ok(()),
                    };
                }
            },
            false => {
                let mut key: Vec<Value> = row[..keys].iter_mut().map(std::mem::take).collect();
                let (at, new) = self.groups.insert(&mut key);
                if new {
                    self.new_group();
                }
                at
            }
        };
        let mut values = row[keys..].iter_mut().map(std::mem::take);
        for (agg, states) in node.aggs.iter().zip(&mut self.states) {
            states.take(group as usize, agg, pull_arguments(agg, &mut values))?;
        }
        Ok(())
    }

    /// The partitions that were written wait to be read.
    pub(super) fn close_apart(&mut self) -> SqlResult<()> {
        let used = self.held.bytes() + self.groups.bytes_with(0);
        let Some(apart) = &mut self.apart else { return Ok(()) };
        let Some(parts) = apart.parts.take() else { return Ok(()) };
        let level = parts.level;
        Warning { used, rows: parts.rows }.of_hash(&apart.file, level + 1, false);
        let written = parts.finish()?.into_iter().flatten();
        apart.waiting.extend(written.map(|rows| (rows, level)));
        Ok(())
    }

    /// The groups of the next partition take the place of those in memory; false where there is none.
    pub(super) fn next_partition(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(apart) = &mut self.apart else { return Ok(false) };
        let Some((rows, level)) = apart.waiting.pop() else { return Ok(false) };
        let node = self.node.clone();
        self.groups = self.groups.emptied();
        self.states = node.aggs.iter().map(super::States::new).collect();
        self.held.clear();
        (self.at, self.count) = (0, 0);
        self.used_before = memory::used();
        let mut reader = SpillReader::new(rows);
        let mut row = Vec::new();
        while reader.next(&mut row)? {
            rt.tick()?;
            self.take_row(&node, &mut row)?;
            if self.is_full()
                && let Some(apart) = &mut self.apart
                && apart.parts.is_none()
            {
                let count = partition_count(memory::limit());
                apart.parts = Some(Partitions::new(&apart.file, count, level + 1));
            }
        }
        self.tell_nulls(rt);
        self.close_apart()?;
        Ok(true)
    }
}
