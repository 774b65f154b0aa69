//! Types and nullability of a bound statement.

use crate::change::{InsertPlan, InsertRows, MergeAction, MergeClause};
use crate::columns::Changed;
use crate::expr::{Expr, Slot};
use crate::rel::{Rel, Subqueries};
use crate::statement::Statement;
use crate::typed::Scope;
use taffrail_types::SqlType;

/// The first place whose expression has a wrong type.
pub(super) fn statement(
    statement: &Statement<Rel>,
    subqueries: &Subqueries,
    scope: &Scope<'_>,
) -> Result<(), String> {
    subqueries.iter().for_each(|s| relations(scope, &s.rel));
    match statement {
        Statement::Select(s, _) => {
            relations(scope, &s.plan.node);
            if s.assign.is_empty() {
                let nulls = scope.columns.nulls(&s.plan.node);
                scope.told(&s.plan.outputs, &s.plan.columns, &nulls);
            }
            scope.variables(&s.assign);
        }
        Statement::Insert(i) => insert(scope, i),
        Statement::Update(u) => {
            relations(scope, &u.node);
            scope.update(u);
            u.output.iter().for_each(|o| scope.output(o, &u.table, Changed::Found(&u.node)));
        }
        Statement::Delete(d) => {
            relations(scope, &d.node);
            d.output.iter().for_each(|o| scope.output(o, &d.table, Changed::Found(&d.node)));
        }
        Statement::Merge(m) => {
            relations(scope, &m.node);
            clauses(scope, &m.clauses);
            if let Some(i) = &m.insert {
                i.condition.iter().for_each(|p| scope.condition(p));
                for (e, ty) in i.values.iter().zip(&i.plan.source_types) {
                    scope.wanted(e, *ty);
                }
                insert(scope, &i.plan);
            }
            if let Some(r) = &m.rest {
                relations(scope, &r.node);
                clauses(scope, &r.clauses);
            }
            m.output.iter().for_each(|o| scope.output(o, &m.table, m.changed()));
        }
        Statement::Scalar(e, to) => scope.wanted(e, to.ty),
        Statement::Condition(p) => scope.condition(p),
    }
    scope.mistake()
}

fn insert(scope: &Scope<'_>, i: &InsertPlan<Rel>) {
    if let InsertRows::Query(q) = &i.rows {
        relations(scope, &q.node);
    }
    scope.insert(i);
    i.output.iter().for_each(|o| scope.output(o, &i.table, Changed::New));
}

fn clauses(scope: &Scope<'_>, clauses: &[MergeClause<Rel>]) {
    for c in clauses {
        c.condition.iter().for_each(|p| scope.condition(p));
        if let MergeAction::Update(u) = &c.action {
            scope.update(u);
        }
    }
}

/// A relation and those below it.
fn relations(scope: &Scope<'_>, rel: &Rel) {
    rel.visit(&mut |r| relation(scope, r));
}

fn relation(scope: &Scope<'_>, rel: &Rel) {
    match rel {
        Rel::Empty | Rel::OneRow | Rel::Project(_) | Rel::Union(_) => {}
        Rel::Get(r) => {
            scope.table_columns(&r.table.table, &r.columns);
            r.computed.iter().for_each(|c| scope.assigned(&c.value, c.slot));
        }
        Rel::Rowset(r) => r.args.iter().for_each(|e| scope.look(e)),
        Rel::Values(r) => {
            for row in &r.rows {
                for (e, slot) in row.iter().zip(&r.slots) {
                    scope.assigned(e, *slot);
                }
            }
        }
        Rel::Select(r) => r.conditions.iter().for_each(|p| scope.condition(p)),
        Rel::Compute(r) => scope.items(&r.items, Some(&scope.columns.nulls(&r.input))),
        Rel::Join(r) => {
            r.on.iter().for_each(|p| scope.condition(p));
            r.kind.mark().iter().for_each(|s| scope.wanted(&Expr::Slot(*s), SqlType::Bit));
        }
        Rel::Group(r) => scope.grouped(&r.keys, &r.aggs, &r.marks),
        Rel::Window(r) => scope.window(&r.partition, &r.order, &r.items),
        Rel::Distinct(r) => scope.distinct(&r.slots),
        Rel::Sort(r) => scope.keys(&r.keys),
        Rel::Top(r) => {
            scope.top(r.count.as_ref(), r.percent, r.offset.as_ref(), r.ties.as_deref());
        }
        Rel::SetOperation(r) => {
            let left: Vec<Slot> = r.left_slots.iter().map(|s| s.0).collect();
            scope.side_by_side(&left, &r.right_slots);
            scope.distinct(&r.left_slots);
        }
        Rel::Recursive(r) => scope.side_by_side(&r.slots, &r.work),
    }
}
