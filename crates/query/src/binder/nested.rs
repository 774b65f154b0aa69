//! INSERT … SELECT … FROM (UPDATE … OUTPUT …) AS t: the rows that a change tells go into a table, as many of them as a condition
//! holds of.
//!
//! It is the inner change that is bound and run, whose OUTPUT goes INTO the outer target: the select list and the condition read the
//! columns of OUTPUT.

use super::output::Into;
use super::query::{BoundQuery, Item};
use super::{Binder, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::change::OutputPlan;
use taffrail_plan::expr::{Case, Expr, Pred};
use taffrail_plan::rel::Rel;
use taffrail_plan::statement::Statement;
use taffrail_syntax::ast::{self, InsertSource, QueryBody, SelectItem, StatementKind, TableRef};
use taffrail_types::{SqlType, Value};

/// The query of an INSERT that reads the rows of a change, and the change.
type Nested<'a> = (&'a ast::Query, &'a ast::SelectBlock, &'a ast::ChangesTable);

fn nested(i: &ast::Insert) -> Option<Nested<'_>> {
    let InsertSource::Query(q) = &i.source else { return None };
    let QueryBody::Select(s) = &q.body else { return None };
    match &s.from[..] {
        [TableRef::Changes(c)] => Some((q, s, c)),
        _ => None,
    }
}

/// An error about an expression, as it is told of one in this clause of such a statement.
fn told_in(clause: &'static str) -> impl Fn(Box<SqlError>) -> Box<SqlError> {
    move |e| match e.number {
        147 | 158 => SqlError::new(5322, &[&clause]),
        10705 | 1046 => SqlError::new(5323, &[&clause]),
        4108 => SqlError::new(5329, &[&clause]),
        _ => e,
    }
}

/// Clauses that such a query cannot have: 10722, 10717.
fn refuse_clauses(q: &ast::Query, s: &ast::SelectBlock) -> SqlResult<()> {
    if s.distinct {
        return Err(SqlError::new(10722, &[]));
    }
    let clauses = [
        ("TOP", s.top.is_some()),
        ("GROUP BY", s.group_by.is_some()),
        ("HAVING", s.having.is_some()),
        ("WINDOW", !s.windows.is_empty()),
        ("ORDER BY", !q.order_by.is_empty()),
    ];
    match clauses.iter().find(|c| c.1) {
        Some((clause, _)) => Err(SqlError::new(10717, &[clause])),
        None => Ok(()),
    }
}

/// The OUTPUT clause of the inner change: 10716, 10720.
fn output_of(statement: &ast::Statement) -> SqlResult<&ast::Output> {
    let list = match &statement.kind {
        StatementKind::Insert(i) => &i.output,
        StatementKind::Update(u) => &u.output,
        StatementKind::Delete(d) => &d.output,
        StatementKind::Merge(m) => &m.output,
        _ => return Err(unsupported("This statement as a source of rows")),
    };
    match &list[..] {
        [] => Err(SqlError::new(10716, &[])),
        list if list.iter().any(|o| o.into.is_some()) => Err(SqlError::new(10720, &[])),
        [only] => Ok(only),
        _ => Err(unsupported("Two OUTPUT clauses")),
    }
}

impl<'a> Binder<'a> {
    /// The statement that an INSERT stands for whose rows are those of a change; None for any other one.
    pub fn bind_nested_insert(&mut self, i: &'a ast::Insert) -> SqlResult<Option<Statement<Rel>>> {
        let Some((q, s, c)) = nested(i) else { return Ok(None) };
        if self.meta.in_function() {
            return Err(SqlError::new(443, &[&"INSERT"]));
        }
        refuse_clauses(q, s)?;
        output_of(&c.statement)?;
        if !i.output.is_empty() || i.top.is_some() {
            return Err(unsupported("OUTPUT or TOP of an INSERT of the rows of a change"));
        }
        self.with(&i.with)?;
        self.query_hints(&i.options)?;
        let mut bound = match &c.statement.kind {
            StatementKind::Insert(inner) if nested(inner).is_some() => {
                return Err(SqlError::new(10731, &[]));
            }
            StatementKind::Insert(inner) => Statement::Insert(Box::new(self.bind_insert(inner)?)),
            StatementKind::Update(inner) => match self.bind_update_of_view(inner)? {
                Some(_) => {
                    return Err(unsupported("A view whose trigger replaces the inner change"));
                }
                None => Statement::Update(Box::new(self.bind_update(inner)?)),
            },
            StatementKind::Delete(inner) => match self.bind_delete_of_view(inner)? {
                Some(_) => {
                    return Err(unsupported("A view whose trigger replaces the inner change"));
                }
                None => Statement::Delete(Box::new(self.bind_delete(inner)?)),
            },
            StatementKind::Merge(inner) => match &c.join {
                Some(join) => Statement::Merge(Box::new(self.merge_of(inner, join)?)),
                None => return Err(unsupported("MERGE as a source of rows here")),
            },
            _ => return Err(unsupported("This statement as a source of rows")),
        };
        let output = match &mut bound {
            Statement::Insert(p) => &mut p.output,
            Statement::Update(p) => &mut p.output,
            Statement::Delete(p) => &mut p.output,
            Statement::Merge(p) => &mut p.output,
            Statement::Select(..) | Statement::Scalar(..) | Statement::Condition(_) => {
                return Err(unsupported("This statement as a source of rows"));
            }
        };
        if let Some(plan) = output {
            self.go_into(i, s, c, plan)?;
        }
        Ok(Some(bound))
    }

    /// Leads what OUTPUT tells through the select list and the condition into the outer target.
    fn go_into(
        &mut self,
        i: &'a ast::Insert,
        s: &'a ast::SelectBlock,
        c: &'a ast::ChangesTable,
        plan: &mut OutputPlan<Rel>,
    ) -> SqlResult<()> {
        let told = BoundQuery {
            rel: Rel::OneRow,
            outputs: plan.outputs.clone(),
            columns: std::mem::take(&mut plan.columns),
            ..BoundQuery::default()
        };
        self.push_block();
        let bound = self.condition_and_list(s, c, told);
        self.blocks.pop();
        let (condition, items) = bound?;
        plan.condition = Some(plan.items.len());
        let slot = self.result_slot(&condition);
        plan.items.push((condition.expr, slot));
        plan.outputs.clear();
        for Item { bound, .. } in items {
            let slot = match bound.expr {
                Expr::Slot(slot) => slot,
                _ => {
                    let slot = self.computed_slot(&bound, "");
                    plan.items.push((bound.expr, slot));
                    slot
                }
            };
            plan.outputs.push(slot);
        }
        let into = Into { target: &i.target, columns: &i.columns, nested: true };
        plan.into = Some(Box::new(self.output_into(into, plan)?));
        Ok(())
    }

    /// The condition, as 1 where it holds, and the items of the list, over the columns of OUTPUT.
    fn condition_and_list(
        &mut self,
        s: &'a ast::SelectBlock,
        c: &'a ast::ChangesTable,
        told: BoundQuery,
    ) -> SqlResult<(super::Bound, Vec<Item>)> {
        let source = self.derived_source(told, &c.alias.value, &c.columns)?;
        self.block().sources.push(source);
        let within = std::mem::replace(&mut self.in_output, true);
        let condition = s.filter.as_ref().map(|f| self.pred(f).map_err(told_in("WHERE")));
        let items = match s.items.iter().any(|i| matches!(i, SelectItem::Assign { .. })) {
            true => Err(SqlError::new(199, &[])),
            false => self.items(s, false).map_err(told_in("SELECT")),
        };
        self.in_output = within;
        let one = Expr::Const(Value::Int(1));
        let condition = match condition.transpose()? {
            None => one,
            Some(holds) => passes(holds, one),
        };
        Ok((super::Bound::not_null(condition, SqlType::Int), items?))
    }
}

/// 1 where the condition holds, else 0.
fn passes(holds: Pred, one: Expr) -> Expr {
    let otherwise = Some(Expr::Const(Value::Int(0)));
    Expr::Case(Box::new(Case { whens: vec![(holds, one)], otherwise }))
}
