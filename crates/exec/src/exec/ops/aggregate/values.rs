//! Values of DISTINCT that have no room in memory, of an aggregation without groups. Those that are there stay until the input has ended;
//! others go to partitions by their hash, which are read one after the other: each of them has values that are in no other one.

use super::{AggregateOp, argument, arguments};
use crate::exec::rows::{
    Partitions, SpillFile, SpillReader, SpilledRows, Warning, partition_count,
};
use crate::exec::runtime::Rt;
use crate::memory;
use crate::plan::node::Aggregate;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// The values of each aggregate that were not in memory when they came; none where it is no DISTINCT one.
pub(super) type ValuesApart = Vec<Option<Partitions>>;

fn hash(v: &Value, collation: taffrail_types::Collation) -> u64 {
    taffrail_types::compare::hash(v, collation)
}

impl AggregateOp {
    /// Partitions for the values of each DISTINCT aggregate.
    #[cold]
    pub(super) fn values_apart(&self, file: &Arc<SpillFile>) -> ValuesApart {
        let count = partition_count(memory::limit());
        let parts = |distinct: bool| distinct.then(|| Partitions::new(file, count, 0));
        self.node.aggs.iter().map(|agg| parts(agg.distinct)).collect()
    }

    /// Takes the row in the frame in, or writes its values that are not there.
    pub(super) fn take_values(&mut self, rt: &mut Rt<'_>, node: &Aggregate) -> SqlResult<()> {
        let Some(apart) = &mut self.apart else { return Ok(()) };
        let aggs = node.aggs.iter().zip(&mut self.states).zip(&mut apart.values);
        for ((agg, states), parts) in aggs {
            if agg.separator.is_some() {
                states.take(0, agg, arguments(rt, agg)?)?;
                continue;
            }
            let v = argument(rt, agg)?;
            match parts {
                Some(parts) if !v.is_null() => {
                    if !states.seen(0).is_some_and(|seen| seen.contains(&v)) {
                        parts.push(hash(&v, agg.collation), [&v])?;
                    }
                }
                _ => states.add(0, agg, v)?,
            }
        }
        Ok(())
    }

    /// Takes in the values that were written.
    pub(super) fn close_values(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        let node = self.node.clone();
        let used = memory::used().saturating_sub(self.used_before);
        let Some(apart) = &mut self.apart else { return Ok(()) };
        let (file, values) = (apart.file.clone(), std::mem::take(&mut apart.values));
        for (at, parts) in values.into_iter().enumerate() {
            let Some(parts) = parts else { continue };
            Warning { used, rows: parts.rows }.of_hash(&file, 1, false);
            self.states[at].forget(0);
            let mut waiting = parts_of(parts)?;
            while let Some((rows, level)) = waiting.pop() {
                let divided = self.read_values(rt, &node, at, (rows, level, &file))?;
                waiting.extend(divided);
            }
        }
        Ok(())
    }

    /// Takes in the values of a partition; gives those that had no room, divided once more.
    fn read_values(
        &mut self,
        rt: &mut Rt<'_>,
        node: &Aggregate,
        at: usize,
        (rows, level, file): (SpilledRows, u32, &Arc<SpillFile>),
    ) -> SqlResult<Vec<(SpilledRows, u32)>> {
        let (agg, states) = (&node.aggs[at], &mut self.states[at]);
        let (mut reader, mut row) = (SpillReader::new(rows), Vec::new());
        let mut parts: Option<Partitions> = None;
        let before = memory::used();
        while reader.next(&mut row)? {
            rt.tick()?;
            let v = row.pop().unwrap_or_default();
            match &mut parts {
                Some(parts) => {
                    if !states.seen(0).is_some_and(|seen| seen.contains(&v)) {
                        parts.push(hash(&v, agg.collation), [&v])?;
                    }
                }
                None => {
                    states.add(0, agg, v)?;
                    let kept = memory::used().saturating_sub(before);
                    if memory::must_spill(2 * kept + self.room) {
                        let count = partition_count(memory::limit());
                        parts = Some(Partitions::new(file, count, level + 1));
                    }
                }
            }
        }
        states.forget(0);
        parts.map_or(Ok(Vec::new()), parts_of)
    }
}

/// Partitions that are to be read, with their level.
fn parts_of(parts: Partitions) -> SqlResult<Vec<(SpilledRows, u32)>> {
    let level = parts.level;
    Ok(parts.finish()?.into_iter().flatten().map(|rows| (rows, level)).collect())
}
