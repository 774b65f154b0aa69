//! A block's subqueries: which of them become joins.
//!
//! How many rows would ask them is known once the rest of the block is planned. Those that do not pay have their place in it, so it is
//! planned anew then; but not where planning it means planning other blocks, each of which would be planned anew as often.

use super::Planned;
use crate::planner::access::{Order, guess};
use crate::planner::unnest::Nested;
use crate::planner::{Planner, add_slots, filter};
use taffrail_base::SqlResult;
use taffrail_plan::expr::{Part, Pred};
use taffrail_plan::rel::Rel;
use taffrail_plan::slots::SlotSet;

/// A condition, and the same asking mark joins for answers.
struct Asking {
    as_written: Pred,
    of_marks: Pred,
    marks: Vec<Nested>,
}

impl Planner<'_> {
    /// A block under conditions, and whether its rows come in the order that is asked for.
    pub(super) fn asked(
        &self,
        rel: Rel,
        conditions: Vec<Pred>,
        needed: &SlotSet,
        order: Option<&Order<'_>>,
    ) -> SqlResult<(Planned, bool)> {
        let again = is_flat(&rel);
        let (rel, conditions) = self.with_lists(rel, conditions);
        let columns = rel.columns();
        let (mut asking, mut others, mut all) = (Vec::new(), Vec::new(), needed.clone());
        for p in &conditions {
            match self.marks_of(p, &columns) {
                None => others.push(p.clone()),
                Some((of_marks, marks)) => {
                    add_slots(Part::Pred(p), &mut all);
                    asking.push(Asking { as_written: p.clone(), of_marks, marks });
                }
            }
        }
        if asking.is_empty() {
            return self.unnested(rel, conditions, needed, order, again);
        }
        let before = self.subqueries.borrow().clone();
        let (mut planned, ordered) = self.unnested(rel.clone(), others, &all, order, again)?;
        let rows = planned.1;
        let pays = |asking: &Asking| asking.marks.iter().all(|m| self.pays(m, rows));
        // All or none: two conditions may hold one subquery (BETWEEN), which is gone where one of them has its join.
        let all_pay = asking.iter().all(pays);
        if again && !all_pay {
            *self.subqueries.borrow_mut() = before;
            return self.unnested(rel, conditions, needed, order, again);
        }
        for one in asking {
            let pred = match all_pay {
                true => {
                    planned = self.marked(planned, one.marks)?;
                    one.of_marks
                }
                false => one.as_written,
            };
            let rows = (planned.1 * guess::OTHER).max(1.0);
            planned = (filter(planned.0, vec![pred]), rows);
        }
        Ok((planned, ordered))
    }

    /// A block some of whose conditions become semi and anti joins.
    fn unnested(
        &self,
        rel: Rel,
        mut conditions: Vec<Pred>,
        needed: &SlotSet,
        order: Option<&Order<'_>>,
        again: bool,
    ) -> SqlResult<(Planned, bool)> {
        let columns = rel.columns();
        let mut nested: Vec<(usize, Nested)> = Vec::new();
        for (at, p) in conditions.iter().enumerate() {
            let join = self.nested(p, &rel, &columns).or_else(|| self.sought_list(p, &columns));
            nested.extend(join.map(|n| (at, n)));
        }
        while !nested.is_empty() {
            let kept = |at: &usize| !nested.iter().any(|(n, _)| n == at);
            let others = (0..conditions.len()).filter(kept).map(|at| conditions[at].clone());
            let mut needed = needed.clone();
            nested.iter().for_each(|(at, _)| add_slots(Part::Pred(&conditions[*at]), &mut needed));
            let before = self.subqueries.borrow().clone();
            let (mut planned, ordered) =
                self.placed(rel.clone(), others.collect(), &needed, order)?;
            let rows = planned.1;
            let (joins, stay): (Vec<_>, Vec<_>) =
                nested.into_iter().partition(|(_, n)| !n.list && self.pays(n, rows));
            let planned_anew = again && !stay.is_empty();
            if planned_anew {
                *self.subqueries.borrow_mut() = before;
            }
            for (at, n) in &stay {
                if n.list && !self.pays(n, rows) {
                    conditions[*at] = self.asked_by_row(n);
                }
            }
            if planned_anew {
                nested = joins;
                continue;
            }
            let stay = stay.into_iter().map(|(at, _)| conditions[at].clone()).collect();
            planned.0 = filter(planned.0, stay);
            let mut ordered = ordered;
            for (_, n) in joins {
                let sorted;
                (planned, sorted) = self.joined(planned, n, &columns.common(&needed))?;
                ordered &= !sorted;
            }
            return Ok((planned, ordered));
        }
        self.placed(rel, conditions, needed, order)
    }
}

/// Tables and their joins only.
fn is_flat(rel: &Rel) -> bool {
    let mut flat = true;
    rel.visit(&mut |r| {
        flat &=
            matches!(r, Rel::OneRow | Rel::Get(_) | Rel::Rowset(_) | Rel::Values(_) | Rel::Join(_));
    });
    flat
}
