//! EXISTS, NOT EXISTS and IN (subquery) as joins.
//!
//! A subquery that reads its outer row is run for each of them. Where no index leads from the outer row to its partners, that is the
//! product of both tables; a hash join reads each of them once. It reads the inner side as a whole, though, and before any outer row,
//! so only conditions that cannot raise an error are treated so, and only where the outer rows are many.

use super::access::{Choice, Question};
use super::join::Planned;
use super::join::merge::{self, Inputs};
use super::{Planner, add_slots};
use crate::plan::attributes::may_raise;
use crate::plan::expr::{Compare, CompareOp, Expr, Part, Pred, Slot, slots_of};
use crate::plan::hints::JoinMethod;
use crate::plan::node::{Access, HashJoin, JoinType, Node};
use crate::plan::rel::{Project, Rel};
use crate::plan::slots::SlotSet;
use taffrail_base::SqlResult;
use taffrail_types::Collation;

/// With an index it has to be so many outer rows, or more than a third of the inner ones.
pub(super) const MANY: f64 = 1000.0;

/// A condition with a subquery that can be a join.
pub(super) struct Nested {
    kind: JoinType,
    /// The subquery's number.
    index: u32,
    /// Its sources, under the conditions that are about them alone.
    inner: Rel,
    /// Equalities: an expression of the outer row, one of the inner row.
    keys: Vec<(Expr, Expr, Collation)>,
    /// The other conditions that are about both.
    residual: Vec<Pred>,
}

/// Conditions of a subquery, by what they are about.
pub(super) struct Split {
    /// Equalities: an expression of the outer row, one of the inner row.
    pub keys: Vec<(Expr, Expr, Collation)>,
    /// About the inner row alone.
    pub local: Vec<Pred>,
    /// The other ones.
    pub residual: Vec<Pred>,
}

/// The conditions of a subquery with these `columns`, which may read the `outer` row; `None` where one may raise an error.
pub(super) fn split(conditions: Vec<Pred>, outer: &SlotSet, columns: &SlotSet) -> Option<Split> {
    let reads = |part: Part<'_>, of: &SlotSet| {
        let mut found = false;
        slots_of(part, &mut |s| found |= of.contains(s));
        found
    };
    let mut out = Split { keys: Vec::new(), local: Vec::new(), residual: Vec::new() };
    for p in conditions {
        if may_raise(Part::Pred(&p)) {
            return None;
        }
        if !reads(Part::Pred(&p), outer) {
            out.local.push(p);
            continue;
        }
        match p {
            Pred::Compare(c) if c.op == CompareOp::Eq => {
                let inner =
                    |e: &Expr| reads(Part::Expr(e), columns) && !reads(Part::Expr(e), outer);
                let is_outer = |e: &Expr| !reads(Part::Expr(e), columns);
                match *c {
                    c if is_outer(&c.left) && inner(&c.right) => {
                        out.keys.push((c.left, c.right, c.collation));
                    }
                    c if is_outer(&c.right) && inner(&c.left) => {
                        out.keys.push((c.right, c.left, c.collation));
                    }
                    c => out.residual.push(Pred::Compare(Box::new(c))),
                }
            }
            p => out.residual.push(p),
        }
    }
    Some(out)
}

impl Planner<'_> {
    /// A condition as a join with what has these columns; `None` where it cannot be one.
    pub(super) fn nested(&self, p: &Pred, outer: &SlotSet) -> Option<Nested> {
        let (kind, subquery, equal) = match p {
            Pred::Exists(s) => (JoinType::Semi, &**s, None),
            Pred::InSubquery(s) => (JoinType::Semi, &s.plan, Some((&s.value, s.collation))),
            Pred::Not(p) => match &**p {
                Pred::Exists(s) => (JoinType::Anti, &**s, None),
                _ => return None,
            },
            _ => return None,
        };
        if subquery.outer.is_empty() {
            return None;
        }
        let subqueries = self.subqueries.borrow();
        let rows = subqueries[subquery.index as usize].as_ref()?;
        let mut rel = rows.rel.clone();
        while let Rel::Compute(c) = rel {
            rel = c.input;
        }
        let mut conditions = Vec::new();
        while let Rel::Select(s) = rel {
            conditions.extend(s.conditions);
            rel = s.input;
        }
        if !matches!(rel, Rel::Get(_) | Rel::Join(_) | Rel::Project(_)) {
            return None;
        }
        let columns = rel.columns();
        if let Some((value, collation)) = equal {
            if !columns.contains(rows.output) {
                return None;
            }
            conditions.push(Pred::Compare(Box::new(Compare {
                op: CompareOp::Eq,
                left: value.clone(),
                right: Expr::Slot(rows.output),
                collation,
            })));
        }
        // What a hint wants to be sought by the outer row cannot be read without it.
        let mut sought = false;
        rel.visit(&mut |r| sought |= matches!(r, Rel::Get(g) if g.hints.access.seek.is_some()));
        // The sources themselves see nothing of the outer row.
        if sought || rel.outer_slots().iter().any(|s| outer.contains(s)) {
            return None;
        }
        let Split { keys, local, residual } = split(conditions, outer, &columns)?;
        if keys.is_empty() {
            return None;
        }
        let inner = Rel::select(rel, local);
        Some(Nested { kind, index: subquery.index, inner, keys, residual })
    }

    /// Whether a join is less work than the subquery for each of so many outer rows.
    pub(super) fn pays(&self, nested: &Nested, outer_rows: f64) -> bool {
        let methods = self.methods();
        if !methods.allow_keyed() || !methods.allows(JoinMethod::Loop) {
            return methods.allow_keyed();
        }
        let mut conditions: Vec<Pred> = Vec::new();
        let mut inner = &nested.inner;
        loop {
            inner = match inner {
                Rel::Select(s) => {
                    conditions.extend(s.conditions.iter().cloned());
                    &s.input
                }
                Rel::Project(p) => {
                    let Project { input, .. } = &**p;
                    input
                }
                _ => break,
            };
        }
        let Rel::Get(get) = inner else { return outer_rows > 1.5 };
        let equal = |(outer, inner, collation): &(Expr, Expr, Collation)| {
            let (left, right) = (inner.clone(), outer.clone());
            Pred::Compare(Box::new(Compare {
                op: CompareOp::Eq,
                left,
                right,
                collation: *collation,
            }))
        };
        conditions.extend(nested.keys.iter().map(equal));
        let own = |s: Slot| get.columns.iter().any(|c| c.1 == s);
        let outside = |e: &Expr| {
            let mut outside = true;
            slots_of(Part::Expr(e), &mut |s| outside &= !own(s));
            outside
        };
        let reads_slots = |e: &Expr| {
            let mut found = false;
            slots_of(Part::Expr(e), &mut |_| found = true);
            found
        };
        let rows = self.meta.row_estimate(&get.table.database, &get.table.table);
        let question = Question {
            table: &get.table.table,
            columns: &get.columns,
            conditions: &conditions,
            rows,
            available: &outside,
            correlated: &reads_slots,
            order: None,
            hint: get.hints.access,
        };
        let Ok(Choice { access, correlated, .. }) = question.choose() else { return false };
        match access {
            Access::Clustered(..) | Access::Nonclustered(..) if correlated => {
                outer_rows >= MANY && outer_rows * 3.0 > rows as f64
            }
            _ => outer_rows > 1.5,
        }
    }

    /// The join, and whether it sorts the outer rows, of whose columns those that are read above are `kept`.
    pub(super) fn joined(
        &self,
        left: Planned,
        nested: Nested,
        kept: &[Slot],
    ) -> SqlResult<(Planned, bool)> {
        let Nested { kind, index, inner, keys, residual } = nested;
        let mut needed = SlotSet::default();
        residual.iter().for_each(|p| add_slots(Part::Pred(p), &mut needed));
        let right_slots = inner.columns().common(&needed);
        keys.iter().for_each(|k| add_slots(Part::Expr(&k.1), &mut needed));
        let rows = self.rows_of(&inner);
        let right = (self.lower(inner, &needed)?, rows);
        self.subqueries.borrow_mut()[index as usize] = None;
        let rows = (left.1 * 0.5).max(0.5);
        let left_slots = kept.to_vec();
        let inputs = Inputs { left, right, kind, keys, residual, left_slots, right_slots };
        let inputs = match merge::chosen(inputs, self.methods(), true) {
            Ok((node, sorted)) => return Ok(((node, rows), sorted)),
            Err(inputs) => inputs,
        };
        let Inputs { left, right, keys, residual, right_slots, .. } = inputs;
        let join = HashJoin {
            left: left.0,
            right: right.0,
            kind,
            keys,
            residual: Pred::all(residual),
            left_slots: Vec::new(),
            right_slots,
        };
        Ok(((Node::Hash(Box::new(join)), rows), false))
    }

    /// The rows of a table behind a subquery; 0 where it is more than that.
    fn rows_of(&self, mut rel: &Rel) -> f64 {
        loop {
            rel = match rel {
                Rel::Select(s) => &s.input,
                Rel::Get(g) => {
                    return self.meta.row_estimate(&g.table.database, &g.table.table) as f64;
                }
                _ => return 0.0,
            };
        }
    }
}
