//! `column IN (SELECT …)` whose list is the same for all rows: where its few values lead to the rows by an index, or where an index of
//! its own table tells of each of few rows whether it is in the list.
//!
//! Else the list is found once, whole, and each row is looked for in it. That reads all rows of both tables, and a change locks them.

use super::Planner;
use super::access::guess;
use super::unnest::{MANY, Nested, equal};
use taffrail_plan::attributes::may_raise;
use taffrail_plan::expr::{Expr, InSubquery, Part, Pred, Slot, Subquery, slots_of};
use taffrail_plan::hints::JoinMethod;
use taffrail_plan::locking::RowMode;
use taffrail_plan::node::JoinType;
use taffrail_plan::rel::{Distinct, Get, Rel};
use taffrail_plan::slots::SlotSet;

impl Planner<'_> {
    /// The sources of a block, its lists of few values that lead to rows of a table among them, and its conditions.
    pub(super) fn with_lists(&self, mut rel: Rel, conditions: Vec<Pred>) -> (Rel, Vec<Pred>) {
        let asks = |p: &Pred| matches!(p, Pred::InSubquery(s) if s.plan.outer.is_empty());
        let may_lead = self.is_once()
            && !self.hints.force_order
            && self.methods().allows(JoinMethod::Loop)
            // A row that the list keeps out raises no error.
            && conditions.iter().all(|p| asks(p) || !may_raise(Part::Pred(p)));
        if !may_lead {
            return (rel, conditions);
        }
        let mut kept = Vec::with_capacity(conditions.len());
        for p in conditions {
            match &p {
                Pred::InSubquery(s) if asks(&p) => match self.leading_list(&rel, s) {
                    None => kept.push(p),
                    Some((list, output)) => {
                        rel = Rel::join(JoinType::Inner, list, rel, Vec::new());
                        kept.push(equal(s.value.clone(), Expr::Slot(output), s.collation));
                    }
                },
                _ => kept.push(p),
            }
        }
        (rel, kept)
    }

    /// The different values of a list that leads to rows, and where they are.
    fn leading_list(&self, rel: &Rel, s: &InSubquery) -> Option<(Rel, Slot)> {
        let at = s.plan.index as usize;
        let rows = self.subqueries.borrow()[at].clone()?;
        let get = led_table(&s.value, rel)?;
        if may_raise(Part::Expr(&s.value)) || !is_quiet(&rows.rel) {
            return None;
        }
        // Values are made different by their own collation.
        let column = self.columns.borrow()[rows.output].clone();
        if column.ty.ty.is_text() && column.collation != s.collation {
            return None;
        }
        let leads = equal(s.value.clone(), Expr::Slot(rows.output), s.collation);
        let (all, choice) = self.choice(get, &[leads])?;
        let (all, found) = (all as f64, self.guessed(&rows.rel));
        let changes =
            get.hints.locks.mode != RowMode::Shared && all <= guess::SMALL && found <= guess::SMALL;
        if !choice.is_led() || found * 3.0 > all && !changes {
            return None;
        }
        self.subqueries.borrow_mut()[at] = None;
        let slots = vec![(rows.output, s.collation)];
        let input = Rel::project(rows.rel, vec![rows.output]);
        Some((Rel::Distinct(Box::new(Distinct { input, slots })), rows.output))
    }

    /// A list that an index of its table tells of, for each row.
    pub(super) fn sought_list(&self, p: &Pred, columns: &SlotSet) -> Option<Nested> {
        let Pred::InSubquery(s) = p else { return None };
        if !s.plan.outer.is_empty() || !self.is_once() {
            return None;
        }
        let nested = self.as_join(JoinType::Semi, &s.plan, Some(s), columns)?;
        let large = self.leads_to_partners(&nested).is_some_and(|rows| rows as f64 >= MANY);
        large.then_some(Nested { list: true, ..nested })
    }

    /// The condition that asks for one row of the list for each row.
    pub(super) fn asked_by_row(&self, list: &Nested) -> Pred {
        let mut outer = SlotSet::default();
        let mut conditions = list.residual.clone();
        for (value, inside, collation) in &list.keys {
            slots_of(Part::Expr(value), &mut |s| outer.insert(s));
            conditions.push(equal(inside.clone(), value.clone(), *collation));
        }
        let mut subqueries = self.subqueries.borrow_mut();
        let rows = subqueries[list.index as usize].as_mut().expect("it is asked for");
        rows.rel = Rel::select(list.inner.clone(), conditions);
        let (index, outer) = (list.index, outer.iter().collect());
        Pred::Exists(Box::new(Subquery { index, output: rows.output, outer, last: false }))
    }

    /// How many rows a relation has, roughly.
    pub(super) fn guessed(&self, rel: &Rel) -> f64 {
        match rel {
            Rel::Empty => 0.0,
            Rel::OneRow => 1.0,
            Rel::Get(g) => self.meta.row_estimate(&g.table.database, &g.table.table) as f64,
            Rel::Values(r) => r.rows.len() as f64,
            Rel::Select(r) => match &r.input {
                Rel::Get(g) => {
                    self.choice(g, &r.conditions).map_or(guess::UNKNOWN, |(_, c)| c.rows)
                }
                input => self.guessed(input),
            },
            Rel::Compute(r) => self.guessed(&r.input),
            Rel::Project(r) => self.guessed(&r.input),
            Rel::Distinct(r) => self.guessed(&r.input),
            Rel::Sort(r) => self.guessed(&r.input),
            Rel::Top(r) => {
                let count = r.count.as_ref().and_then(Expr::constant).and_then(|v| v.as_i64());
                match (count, r.percent) {
                    (Some(n), false) => self.guessed(&r.input).min(n as f64),
                    _ => self.guessed(&r.input),
                }
            }
            Rel::Join(r) => self.guessed(&r.left).max(self.guessed(&r.right)),
            Rel::Union(list) => list.iter().map(|r| self.guessed(r)).sum(),
            Rel::Rowset(_)
            | Rel::Group(_)
            | Rel::Window(_)
            | Rel::SetOperation(_)
            | Rel::Recursive(_) => guess::UNKNOWN,
        }
    }
}

/// The table of a block that a value is of, where rows may be left out of it.
fn led_table<'r>(value: &Expr, rel: &'r Rel) -> Option<&'r Get> {
    match rel {
        Rel::Get(get) => {
            let (mut own, mut others) = (false, false);
            slots_of(Part::Expr(value), &mut |s| match get.has(s) {
                true => own = true,
                false => others = true,
            });
            (own && !others).then_some(get)
        }
        Rel::Join(j) => match j.kind {
            JoinType::Inner => led_table(value, &j.left).or_else(|| led_table(value, &j.right)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether rows may be read though no outer row asks for them: nothing of them can fail.
pub(super) fn is_quiet(rel: &Rel) -> bool {
    let mut quiet = true;
    rel.visit(&mut |r| {
        r.parts(&mut |p| quiet &= !may_raise(p));
        quiet &= matches!(
            r,
            Rel::OneRow
                | Rel::Get(_)
                | Rel::Values(_)
                | Rel::Select(_)
                | Rel::Compute(_)
                | Rel::Project(_)
                | Rel::Join(_)
                | Rel::Distinct(_)
                | Rel::Sort(_)
                | Rel::Top(_)
                | Rel::Union(_)
        );
    });
    quiet
}
