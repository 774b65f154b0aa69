//! What an aggregate keeps of its groups: of millions, so it is no more than the function needs.

use super::aggregate::{Accumulator, Arguments};
use super::partial::{Partial, overflow};
use crate::exec::runtime::ValueSet;
use crate::plan::node::{Agg, AggFunction};
use taffrail_base::SqlResult;
use taffrail_types::{SqlType, Value};

/// One aggregate's states, by the number of the group.
pub(crate) struct States {
    kept: Kept,
    /// A NULL was left out.
    nulls: bool,
}

enum Kept {
    /// How many rows, or values, there are.
    Counts(Vec<i64>),
    /// How many numbers, and their sum. (It would take four thousand million of them to pass 64 bits.)
    Whole(Vec<(i64, i64)>),
    Any(Vec<Accumulator>),
}

impl States {
    pub fn new(agg: &Agg) -> States {
        use AggFunction::{Avg, Count, CountBig, CountStar, Sum};
        let kept = match agg.function {
            CountStar => Kept::Counts(Vec::new()),
            Count | CountBig if !agg.distinct => Kept::Counts(Vec::new()),
            Sum | Avg if !agg.distinct && agg.arg_ty == SqlType::Int => Kept::Whole(Vec::new()),
            _ => Kept::Any(Vec::new()),
        };
        States { kept, nulls: false }
    }

    pub fn clear(&mut self) {
        self.nulls = false;
        match &mut self.kept {
            Kept::Counts(all) => all.clear(),
            Kept::Whole(all) => all.clear(),
            Kept::Any(all) => all.clear(),
        }
    }

    /// A group more; what it takes.
    pub fn push(&mut self, agg: &Agg) -> usize {
        match &mut self.kept {
            Kept::Counts(all) => {
                all.push(0);
                size_of::<i64>()
            }
            Kept::Whole(all) => {
                all.push((0, 0));
                size_of::<(i64, i64)>()
            }
            Kept::Any(all) => {
                let new = Accumulator::new(agg);
                let size = new.size();
                all.push(new);
                size
            }
        }
    }

    /// Takes a row into a group.
    pub fn take(&mut self, group: usize, agg: &Agg, row: Arguments) -> SqlResult<()> {
        match &mut self.kept {
            Kept::Any(all) => all[group].take(agg, row),
            _ => self.add(group, agg, row.0),
        }
    }

    /// Takes a value into a group.
    #[inline]
    pub fn add(&mut self, group: usize, agg: &Agg, v: Value) -> SqlResult<()> {
        match &mut self.kept {
            Kept::Counts(all) => match v.is_null() && agg.function != AggFunction::CountStar {
                true => self.nulls |= !agg.quiet,
                false => all[group] += 1,
            },
            Kept::Whole(all) => match v.as_i64() {
                None => self.nulls |= !agg.quiet,
                Some(n) => {
                    let (count, sum) = &mut all[group];
                    *count += 1;
                    *sum = sum.checked_add(n).ok_or_else(|| overflow(agg.arg_ty))?;
                }
            },
            Kept::Any(all) => return all[group].add(agg, v, None),
        }
        Ok(())
    }

    /// The values of DISTINCT of a group.
    pub fn seen(&mut self, group: usize) -> Option<&mut ValueSet> {
        match &mut self.kept {
            Kept::Any(all) => all[group].seen(),
            _ => None,
        }
    }

    /// Forgets the values of DISTINCT of a group: none of them comes again.
    pub fn forget(&mut self, group: usize) {
        if let Some(seen) = self.seen(group) {
            *seen = seen.emptied();
        }
    }

    /// Has the states of groups brought near, all of them at once.
    pub fn fetch(&self, groups: &[u32]) {
        let groups = groups.iter().map(|g| *g as usize);
        let seen = match &self.kept {
            Kept::Counts(all) => groups.fold(0, |seen, g| seen ^ all[g]),
            Kept::Whole(all) => groups.fold(0, |seen, g| seen ^ all[g].0),
            Kept::Any(all) => groups.fold(0, |seen, g| seen ^ all[g].part.count),
        };
        std::hint::black_box(seen);
    }

    /// A group left out a NULL.
    pub fn nulls(&self) -> bool {
        self.nulls || matches!(&self.kept, Kept::Any(all) if all.iter().any(|s| s.part.nulls))
    }

    /// A group's result.
    pub fn finish(&self, group: usize, agg: &Agg) -> SqlResult<Value> {
        match &self.kept {
            Kept::Counts(all) => Partial::of_sum(all[group], 0).finish(agg),
            Kept::Whole(all) => Partial::of_sum(all[group].0, all[group].1).finish(agg),
            Kept::Any(all) => all[group].finish(agg),
        }
    }
}
