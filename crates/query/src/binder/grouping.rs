//! GROUP BY: its expressions, the sets of them that ROLLUP, CUBE and GROUPING SETS group by, GROUPING and GROUPING_ID, and GROUP
//! BY ALL.
//!
//! ```text
//! GROUP BY a, ROLLUP (b, (c, d))   keys a, b, c, d   sets {a b c d}, {a b}, {a}
//! ```

use super::aggregate::{Group, refused_as};
use super::query::add_slots;
use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::{Case, Compare, CompareOp, Expr, Part, Pred, Slot};
use taffrail_plan::grouping::GroupingMark;
use taffrail_plan::node::{Agg, AggFunction};
use taffrail_plan::rel::Rel;
use taffrail_syntax::ast::{self, ExprKind, GroupItem};
use taffrail_types::{Collation, SqlType, Value};

/// So many sets one GROUP BY makes at most.
const MOST_SETS: usize = 4096;
/// So many expressions it has at most when there are several sets.
const MOST_KEYS: usize = 32;

/// What a block is grouped by.
#[derive(Default)]
pub struct Groups {
    /// There is a GROUP BY.
    pub written: bool,
    /// Its expressions.
    pub keys: Vec<Group>,
    /// Which of them each set has, a bit for each; empty for one set of all.
    pub sets: Vec<u32>,
    /// GROUPING and GROUPING_ID that the block calls.
    pub marks: Vec<GroupingMark>,
    /// Columns of keys that a set leaves out: they are NULL there.
    pub nulls: Vec<Slot>,
}

impl Groups {
    /// All rows are one group, of which there is one even where there are no rows.
    pub(crate) fn is_scalar(&self) -> bool {
        self.keys.is_empty() && self.sets.len() < 2
    }

    /// Whether a key is NULL where it is not grouped by.
    fn is_left_out(&self, key: usize) -> bool {
        self.sets.iter().any(|set| set >> key & 1 == 0)
    }

    /// Whether a grouped value may be NULL only because a key of which it is made is left out.
    pub(crate) fn makes_null(&self, e: &Expr) -> bool {
        match e {
            Expr::Slot(slot) => {
                let key = self.keys.iter().position(|k| k.1 == *slot);
                key.is_some_and(|at| self.is_left_out(at))
            }
            Expr::Coalesce(list) if list.last().is_some_and(is_never_null) => false,
            // Which of these may be NULL does not hang on their arguments.
            Expr::Call(_) | Expr::UserCall(_) => false,
            // What a condition comes to picks a value, and is none.
            e => {
                let mut makes = false;
                e.children(&mut |part| {
                    makes |= matches!(part, Part::Expr(e) if self.makes_null(e));
                });
                makes
            }
        }
    }
}

/// A constant, in any type.
fn is_never_null(e: &Expr) -> bool {
    match e {
        Expr::Const(v) => !v.is_null(),
        Expr::Cast(c) => !c.lenient && is_never_null(&c.value),
        Expr::Collate(c) => is_never_null(&c.0),
        _ => false,
    }
}

impl<'a> Binder<'a> {
    /// GROUP BY.
    pub(super) fn group_by(&mut self, g: &'a Option<ast::GroupBy>) -> SqlResult<Groups> {
        let mut groups = Groups::default();
        let Some(g) = g else { return Ok(groups) };
        groups.written = true;
        let mut sets = vec![0];
        let mut plain = true;
        for item in &g.items {
            plain &= matches!(item, GroupItem::Expr(_));
            let more = self.grouping_sets(item, &mut groups)?;
            sets = product(&sets, &more)?;
        }
        if plain {
            return Ok(groups);
        }
        if groups.keys.len() > MOST_KEYS {
            return Err(SqlError::new(10706, &[&MOST_KEYS]));
        }
        if sets.len() > 1 || sets[0] != (1 << groups.keys.len()) - 1 {
            groups.sets = sets.into_iter().map(|set| set as u32).collect();
        }
        let mut nulls = Vec::new();
        for (at, key) in groups.keys.iter().enumerate() {
            if groups.is_left_out(at) {
                add_slots(Part::Expr(&key.0), &mut nulls);
            }
        }
        groups.nulls = nulls;
        Ok(groups)
    }

    /// The sets that an item stands for.
    fn grouping_sets(&mut self, item: &'a GroupItem, groups: &mut Groups) -> SqlResult<Vec<u64>> {
        Ok(match item {
            GroupItem::Expr(e) => vec![self.group_key(e, groups)?],
            GroupItem::Rollup(list) => {
                let mut sets = vec![0];
                for e in list {
                    let set = self.group_element(e, groups)?;
                    sets.push(sets[sets.len() - 1] | set);
                }
                sets.reverse();
                sets
            }
            GroupItem::Cube(list) => {
                let mut sets = vec![0];
                for e in list {
                    let set = self.group_element(e, groups)?;
                    sets = product(&[set, 0], &sets)?;
                }
                sets
            }
            GroupItem::GroupingSets(list) => {
                let mut sets = Vec::new();
                for item in list {
                    sets.extend(self.grouping_sets(item, groups)?);
                    counted(sets.len())?;
                }
                sets
            }
            GroupItem::Composite(list) => {
                let mut sets = vec![0];
                for item in list {
                    let more = self.grouping_sets(item, groups)?;
                    sets = product(&sets, &more)?;
                }
                sets
            }
        })
    }

    /// Expressions that are grouped by at once.
    fn group_element(&mut self, list: &'a [ast::Expr], groups: &mut Groups) -> SqlResult<u64> {
        let mut set = 0;
        for e in list {
            set |= self.group_key(e, groups)?;
        }
        Ok(set)
    }

    /// An expression of GROUP BY: the bit of its key.
    fn group_key(&mut self, e: &'a ast::Expr, groups: &mut Groups) -> SqlResult<u64> {
        let b = self.expr(e).map_err(refused_as(144))?;
        let mut columns = Vec::new();
        add_slots(Part::Expr(&b.expr), &mut columns);
        let constant = columns.is_empty() && !self.misses();
        if constant && !matches!(e.kind, ExprKind::Subquery(_)) {
            return Err(SqlError::new(164, &[]));
        }
        if holds_query(Part::Expr(&b.expr)) {
            return Err(SqlError::new(144, &[]));
        }
        super::large::sorted(b.large)?;
        super::coercion::settled(b.label, groups.keys.len() + 2)?;
        let known = groups.keys.iter().position(|k| k.0 == b.expr && k.2 == b.collation);
        let at = known.unwrap_or_else(|| {
            let slot = match b.expr {
                Expr::Slot(slot) => slot,
                _ => self.group_slot(&b),
            };
            groups.keys.push((b.expr, slot, b.collation));
            groups.keys.len() - 1
        });
        Ok(1_u64.checked_shl(at as u32).unwrap_or(0))
    }

    fn group_slot(&mut self, b: &Bound) -> Slot {
        let slot = self.computed_slot(b, "");
        self.mentions[slot as usize].block = u32::MAX;
        slot
    }

    /// `GROUPING (…)` and `GROUPING_ID (…)`; `None` when it is neither.
    pub(super) fn grouping_function(
        &mut self,
        name: &str,
        f: &'a ast::FunctionCall,
    ) -> SqlResult<Option<Bound>> {
        let id = match name {
            "GROUPING" => false,
            "GROUPING_ID" => true,
            _ => return Ok(None),
        };
        let Some(block) = self.blocks.last() else { return Err(SqlError::new(157, &[])) };
        if f.over.is_some() {
            return Err(SqlError::new(4113, &[&name]));
        }
        if block.in_aggregate {
            return Err(SqlError::new(130, &[]));
        }
        if f.star || f.distinct {
            return Err(SqlError::new(102, &[if f.star { &"*" } else { &"DISTINCT" }]));
        }
        let lower = name.to_ascii_lowercase();
        match f.arguments.len() {
            1 => {}
            n if id && (1..=MOST_KEYS).contains(&n) => {}
            _ if id => return Err(SqlError::new(189, &[&lower, &1, &MOST_KEYS])),
            _ => return Err(SqlError::new(174, &[&lower, &1])),
        }
        let (args, owner) = self.owned(|b| {
            b.block().in_aggregate = true;
            let args: SqlResult<Vec<Bound>> = f.arguments.iter().map(|e| b.expr(e)).collect();
            b.block().in_aggregate = false;
            args
        })?;
        let ty = if id { SqlType::Int } else { SqlType::TinyInt };
        if self.misses() {
            return Ok(Some(Bound::not_null(Expr::NULL, ty)));
        }
        let groups = &self.blocks[owner].groups;
        if !groups.written {
            return Err(SqlError::new(8160, &[]));
        }
        let mut keys = Vec::with_capacity(args.len());
        for (n, arg) in args.iter().enumerate() {
            let key = groups.keys.iter().position(|k| k.0 == arg.expr);
            let Some(key) = key else { return Err(SqlError::new(8161, &[&(n + 1), &name])) };
            keys.push(key as u32);
        }
        let known = groups.marks.iter().find(|m| m.id == id && m.keys == keys).map(|m| m.slot);
        let mut bound = Bound::not_null(Expr::NULL, ty);
        let slot = match known {
            Some(slot) => slot,
            None => {
                let slot = self.result_slot(&bound);
                self.blocks[owner].groups.marks.push(GroupingMark { id, keys, slot });
                slot
            }
        };
        bound.expr = Expr::Slot(slot);
        self.note_outer(owner, slot);
        Ok(Some(bound))
    }

    /// GROUP BY ALL shows groups too of which WHERE leaves no row: the condition does not filter the rows, it says which of them the
    /// aggregates see.
    pub(super) fn all_groups(&mut self, rel: Rel, conditions: Vec<Pred>, aggs: &mut [Agg]) -> Rel {
        let bound = Bound::new(Expr::NULL, SqlType::Int);
        let slot = self.result_slot(&bound);
        let one = || Expr::Const(Value::Int(1));
        let mut conditions = conditions;
        let passes = match conditions.len() {
            1 => conditions.remove(0),
            _ => Pred::And(conditions),
        };
        let seen = case(passes, one());
        for agg in aggs {
            let (left, right) = (Expr::Slot(slot), one());
            let compare =
                Compare { op: CompareOp::Eq, left, right, collation: Collation::default() };
            let seen = Pred::Compare(Box::new(compare));
            // What is not seen is no NULL that an aggregate leaves out.
            agg.quiet = true;
            if agg.function == AggFunction::CountStar {
                agg.function = AggFunction::Count;
            }
            agg.arg = Some(case(seen, agg.arg.take().unwrap_or_else(one)));
        }
        Rel::compute(rel, vec![(seen, slot)])
    }
}

/// CASE WHEN `when` THEN `then` END.
fn case(when: Pred, then: Expr) -> Expr {
    Expr::Case(Box::new(Case { whens: vec![(when, then)], otherwise: None }))
}

/// Each set of the one with each of the other.
fn product(a: &[u64], b: &[u64]) -> SqlResult<Vec<u64>> {
    counted(a.len() * b.len())?;
    Ok(a.iter().flat_map(|a| b.iter().map(move |b| a | b)).collect())
}

fn counted(sets: usize) -> SqlResult<()> {
    if sets > MOST_SETS {
        return Err(SqlError::new(10703, &[&MOST_SETS]));
    }
    Ok(())
}

/// Whether a part holds a subquery.
fn holds_query(part: Part<'_>) -> bool {
    let mut found = false;
    match part {
        Part::Plan(_) => found = true,
        Part::Expr(e) => e.children(&mut |p| found |= holds_query(p)),
        Part::Pred(p) => p.children(&mut |p| found |= holds_query(p)),
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_multiplied_and_counted() {
        assert_eq!(product(&[0b1, 0], &[0b10, 0b100]).unwrap(), [0b11, 0b101, 0b10, 0b100]);
        let many = vec![0; 64];
        assert_eq!(product(&many, &many).unwrap().len(), MOST_SETS);
        assert_eq!(product(&many, &vec![0; 65]).unwrap_err().number, 10703);
    }

    #[test]
    fn a_key_that_a_set_leaves_out_is_null_there() {
        let keys = [3, 7].map(|slot| (Expr::Slot(slot), slot, Collation::default())).to_vec();
        let groups = Groups { written: true, keys, sets: vec![0b11, 0b01], ..Groups::default() };
        assert!(!groups.makes_null(&Expr::Slot(3)) && groups.makes_null(&Expr::Slot(7)));
        let sum = |a, b| Expr::AddInt(Box::new((Expr::Slot(a), Expr::Slot(b))));
        assert!(!groups.makes_null(&sum(3, 3)) && groups.makes_null(&sum(3, 7)));
        let or = |last| Expr::Coalesce(vec![Expr::Slot(7), last]);
        assert!(!groups.makes_null(&or(Expr::Const(Value::Int(0)))));
        assert!(groups.makes_null(&or(sum(7, 7))));
        assert!(!groups.is_scalar() && Groups::default().is_scalar());
    }
}
