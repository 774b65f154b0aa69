//! IN and EXISTS that stand deeper in a condition or value (below OR, in CASE, in the select list) as mark joins: a hash of the
//! subquery's rows answers all outer rows, and what asked reads the answer.
//!
//! The others stay subqueries, with or without their results by key ([`super::keyed`]): those that read few outer rows, whose rows may
//! raise an error that no row asks for, or that are the same for all outer rows.

use super::Planner;
use super::join::Planned;
use super::keyed::may_be_early;
use super::unnest::{Nested, equal};
use taffrail_base::SqlResult;
use taffrail_plan::columns::Column;
use taffrail_plan::expr::{Expr, InSubquery, Part, Pred, Slot, Subquery, has_subquery};
use taffrail_plan::node::{JoinType, Mark};
use taffrail_plan::rel::Rel;
use taffrail_plan::slots::SlotSet;
use taffrail_plan::visit::PartMut;
use taffrail_types::{Collation, SqlType, Value};

impl Planner<'_> {
    /// Rows under the joins that answer what is computed of them, and that. All that asks has its join, or nothing has.
    pub(super) fn with_marks(
        &self,
        planned: Planned,
        columns: &SlotSet,
        items: Vec<(Expr, Slot)>,
    ) -> SqlResult<(Planned, Vec<(Expr, Slot)>)> {
        let (mut asking, mut marks) = (items.clone(), Vec::new());
        asking.iter_mut().for_each(|(e, _)| self.take(PartMut::Expr(e), columns, &mut marks));
        match !marks.is_empty() && marks.iter().all(|m| self.pays(m, planned.1)) {
            true => Ok((self.marked(planned, marks)?, asking)),
            false => Ok((planned, items)),
        }
    }

    /// A condition that asks mark joins for answers, and these; none where it asks for none.
    pub(super) fn marks_of(&self, p: &Pred, columns: &SlotSet) -> Option<(Pred, Vec<Nested>)> {
        // What stands by itself is a semi or an anti join, or stays what it is.
        let alone = match p {
            Pred::Not(p) => matches!(**p, Pred::Exists(_) | Pred::InSubquery(_)),
            p => matches!(p, Pred::Exists(_) | Pred::InSubquery(_)),
        };
        if alone || !self.is_once() || self.few.get() || !has_subquery(Part::Pred(p)) {
            return None;
        }
        let (mut p, mut marks) = (p.clone(), Vec::new());
        self.take(PartMut::Pred(&mut p), columns, &mut marks);
        (!marks.is_empty()).then_some((p, marks))
    }

    /// The joins that give the answers.
    pub(super) fn marked(&self, planned: Planned, marks: Vec<Nested>) -> SqlResult<Planned> {
        let mut planned = planned;
        for mark in marks {
            planned = self.joined(planned, mark, &[])?.0;
        }
        Ok(planned)
    }

    /// Puts answers in the places of what can be a mark join.
    fn take(&self, mut part: PartMut<'_>, columns: &SlotSet, marks: &mut Vec<Nested>) {
        if let PartMut::Pred(p) = &mut part
            && let Some(mark) = self.mark_of(p, columns)
        {
            let slot = mark.kind.mark().expect("it is a mark join");
            let holds = Expr::Const(Value::Bit(true));
            **p = equal(Expr::Slot(slot), holds, Collation::default());
            marks.push(mark);
            return;
        }
        part.children(&mut |p| self.take(p, columns, marks));
    }

    fn mark_of(&self, p: &Pred, columns: &SlotSet) -> Option<Nested> {
        let (subquery, asked): (&Subquery, Option<&InSubquery>) = match p {
            Pred::Exists(s) => (s, None),
            Pred::InSubquery(s) => (&s.plan, Some(s)),
            _ => return None,
        };
        if subquery.outer.is_empty() || !self.is_plain(subquery) {
            return None;
        }
        let kind = |slot| JoinType::Mark(Mark { slot, null_aware: asked.is_some() });
        let nested = self.as_join(kind(0), subquery, asked, columns)?;
        let answer = Column { nullable: asked.is_some(), ..Column::computed(SqlType::Bit) };
        Some(Nested { kind: kind(self.new_slot(answer)), ..nested })
    }

    /// Whether its rows may be read though no row asks for them, and are those of tables.
    fn is_plain(&self, s: &Subquery) -> bool {
        let subqueries = self.subqueries.borrow();
        let Some(rows) = &subqueries[s.index as usize] else { return false };
        let mut tables = true;
        rows.rel.visit(&mut |r| tables &= !matches!(r, Rel::Rowset(_)));
        tables && may_be_early(&rows.rel)
    }
}
