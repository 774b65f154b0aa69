//! Subqueries that stay subqueries, in the select list, below OR, in CASE: their results for all outer rows at once.
//!
//! What sees of its outer row nothing but one side of equalities is the same rows for each of them, apart by the other side. So it is
//! a join (a left one to groups, where it aggregates) that is made only when a row asks for it: a branch of CASE guards its subquery,
//! and an outer row without partner, or with several where one is allowed, comes to what it comes to one by one.

use super::unnest::{MANY, Split, split};
use super::{Planner, add_slots, compute};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_plan::attributes::may_raise;
use taffrail_plan::expr::{Compare, CompareOp, Expr, Part, Pred, Slot, has_subquery, slots_of};
use taffrail_plan::hints::JoinMethod;
use taffrail_plan::locking::{RowMode, TableLock};
use taffrail_plan::node::{Aggregate, Node};
use taffrail_plan::rel::{Get, Rel, SubqueryRows};
use taffrail_plan::slots::SlotSet;
use taffrail_plan::statement::Statement;
use taffrail_plan::subquery::Keyed;
use taffrail_types::Collation;

impl Planner<'_> {
    /// A subquery's results for all outer rows; `None` where they cannot be had at once.
    pub(super) fn keyed(&self, rows: &SubqueryRows) -> SqlResult<Option<Box<Keyed>>> {
        let outer = rows.rel.outer_slots();
        if outer.iter().next().is_none()
            || !self.methods().allows(JoinMethod::Hash)
            || !may_be_early(&rows.rel)
        {
            return Ok(None);
        }
        let mut rel = rows.rel.clone();
        let mut above = Vec::new();
        while let Rel::Compute(c) = rel {
            above.push(c.items);
            rel = c.input;
        }
        let mut aggs = None;
        if let Rel::Group(g) = rel {
            if !g.scalar || !g.keys.is_empty() || !g.marks.is_empty() {
                return Ok(None);
            }
            aggs = Some(g.aggs);
            rel = g.input;
        }
        let mut conditions = Vec::new();
        while let Rel::Select(s) = rel {
            conditions.extend(s.conditions);
            rel = s.input;
        }
        if !matches!(rel, Rel::Get(_) | Rel::Join(_) | Rel::Project(_)) {
            return Ok(None);
        }
        let columns = rel.columns();
        let Some(Split { keys, local, residual }) = split(conditions, &outer, &columns) else {
            return Ok(None);
        };
        if keys.is_empty() || !residual.is_empty() {
            return Ok(None);
        }
        let after = self.after(&rel, &local, &keys);
        let rel = Rel::select(rel, local);
        // What is computed of the rows sees nothing else of the outer row.
        let mut read: SlotSet = rel.outer_slots();
        let mut early = true;
        let exprs = above.iter().flatten().map(|i| &i.0);
        let mut part = |e: &Expr| {
            early &= fails_by_value(Part::Expr(e));
            add_slots(Part::Expr(e), &mut read);
        };
        exprs.for_each(&mut part);
        aggs.iter().flatten().for_each(|a| a.exprs(&mut part));
        if !early || outer.iter().any(|s| read.contains(s)) {
            return Ok(None);
        }
        let mut needed: SlotSet = [rows.output].into_iter().collect();
        above.iter().flatten().for_each(|i| add_slots(Part::Expr(&i.0), &mut needed));
        let grouped = aggs.is_some();
        let (mut node, keys) = match aggs {
            None => {
                keys.iter().for_each(|k| add_slots(Part::Expr(&k.1), &mut needed));
                (self.lower(rel, &needed)?, keys)
            }
            Some(aggs) => {
                let groups: Vec<(Expr, Slot, Collation)> =
                    keys.iter().map(|(_, e, c)| (e.clone(), self.slot_of(e), *c)).collect();
                let keys = keys.into_iter().zip(&groups);
                let keys = keys.map(|(k, g)| (k.0, Expr::Slot(g.1), k.2)).collect();
                let mut below = SlotSet::default();
                groups.iter().for_each(|g| add_slots(Part::Expr(&g.0), &mut below));
                let mut reads = |e: &Expr| add_slots(Part::Expr(e), &mut below);
                aggs.iter().for_each(|a| a.exprs(&mut reads));
                let input = self.lower(rel, &below)?;
                let (sets, marks) = (Vec::new(), Vec::new());
                let (scalar, ordered) = (false, false);
                let all = Aggregate { input, groups, aggs, scalar, sets, marks, ordered };
                (Node::Aggregate(Arc::new(all)), keys)
            }
        };
        for items in above.into_iter().rev() {
            node = compute(node, items);
        }
        Ok(Some(Box::new(Keyed { node, keys, grouped, after })))
    }

    /// Where a group's key goes.
    fn slot_of(&self, key: &Expr) -> Slot {
        match key {
            Expr::Slot(s) => *s,
            e => self.slot_for(e),
        }
    }

    /// How many outer rows are answered one by one before it is less work to find all results: one, where each of them would read all
    /// rows of a table.
    fn after(&self, rel: &Rel, local: &[Pred], keys: &[(Expr, Expr, Collation)]) -> u32 {
        if !self.methods().allows(JoinMethod::Loop) {
            return 0;
        }
        let columns = rel.columns();
        let mut conditions = local.to_vec();
        conditions.extend(keys.iter().map(|(left, right, collation)| {
            let (left, right, collation) = (right.clone(), left.clone(), *collation);
            Pred::Compare(Box::new(Compare { op: CompareOp::Eq, left, right, collation }))
        }));
        let (mut most, mut sought) = (0, false);
        rel.visit(&mut |r| {
            if let Rel::Get(get) = r {
                most = most.max(self.meta.row_estimate(&get.table.database, &get.table.table));
                sought |= self.is_sought(get, &conditions, &columns);
            }
        });
        match sought {
            false => 1,
            true => (most / 3).max(MANY as u64).min(u64::from(u32::MAX)) as u32,
        }
    }

    /// Whether the outer row's values lead to a table's rows.
    fn is_sought(&self, get: &Get, conditions: &[Pred], columns: &SlotSet) -> bool {
        let own = |s: Slot| get.has(s);
        let reads = |part: Part<'_>, what: &dyn Fn(Slot) -> bool| {
            let mut found = false;
            slots_of(part, &mut |s| found |= what(s));
            found
        };
        let others = |s: Slot| columns.contains(s) && !own(s);
        let conditions: Vec<Pred> = conditions
            .iter()
            .filter(|p| reads(Part::Pred(p), &own) && !reads(Part::Pred(p), &others))
            .cloned()
            .collect();
        self.choice(get, &conditions).is_none_or(|(_, choice)| choice.is_led())
    }
}

/// A statement that sets variables row by row: its subqueries may read them.
pub(super) fn assigns(statement: &Statement<Rel>) -> bool {
    match statement {
        Statement::Select(s, _) => !s.assign.is_empty(),
        Statement::Update(u) => !u.variables.is_empty(),
        Statement::Merge(_) => true,
        Statement::Insert(_)
        | Statement::Delete(_)
        | Statement::Scalar(..)
        | Statement::Condition(_) => false,
    }
}

/// Whether rows may be read that no outer row asks for: nothing is new at each look, no lock is kept, and no hint wants a seek.
pub(super) fn may_be_early(rel: &Rel) -> bool {
    let mut early = true;
    rel.visit(&mut |r| {
        r.parts(&mut |p| early &= !has_subquery(p));
        if let Rel::Get(get) = r {
            let locks = get.hints.locks;
            early &= get.hints.access.seek.is_none()
                && (locks.mode, locks.table) == (RowMode::Shared, TableLock::Intent)
                && !locks.read_past
                && !locks.no_wait;
        }
    });
    early
}

/// Whether nothing but a value can make it fail: then it is found out one by one which row that was.
fn fails_by_value(part: Part<'_>) -> bool {
    let mut by_value = true;
    match part {
        Part::Plan(_) | Part::Expr(Expr::Call(_) | Expr::Chain(_) | Expr::Carried) => return false,
        Part::Expr(e @ (Expr::Arith(_) | Expr::AddInt(_) | Expr::SubInt(_) | Expr::Unary(..))) => {
            e.children(&mut |p| by_value &= fails_by_value(p));
        }
        Part::Expr(Expr::Cast(c)) => {
            by_value = c.style.is_none() && fails_by_value(Part::Expr(&c.value));
        }
        Part::Expr(e @ (Expr::Coalesce(_) | Expr::Case(_))) => {
            e.children(&mut |p| by_value &= fails_by_value(p));
        }
        part => by_value = !may_raise(part),
    }
    by_value
}
