//! Changes: what their rows are found by, and whether each may be changed as soon as it is found.
//!
//! Rows that a statement reads it must not meet again as changed ones. So it keeps all of them before its first change (*spools*),
//! unless what finds them cannot see the change.

use super::Planner;
use taffrail_base::SqlResult;
use taffrail_catalog::Table;
use taffrail_plan::change::{
    ColumnSource, DeletePlan, InsertPlan, InsertRows, MergePlan, UpdatePlan, changed_with,
};
use taffrail_plan::expr::{Expr, Part, has_subquery, has_user_call};
use taffrail_plan::locking::Patience;
use taffrail_plan::node::{Access, Node, QueryPlan};
use taffrail_plan::rel::Rel;
use taffrail_plan::slots::SlotSet;
use taffrail_types::SqlType;

impl Planner<'_> {
    /// The plan of an INSERT.
    pub fn insert(&self, insert: InsertPlan<Rel>) -> SqlResult<InsertPlan> {
        let table = &insert.table;
        let in_subqueries = || {
            let subqueries = self.subqueries.borrow();
            subqueries.iter().flatten().any(|s| s.rel.reads_table(table))
        };
        let calls = |e: &Option<Expr>| e.as_ref().is_some_and(|e| has_user_call(Part::Expr(e)));
        let spool = match &insert.rows {
            InsertRows::Query(q) => {
                q.node.reads_table(table) || in_subqueries() || self.calls_functions(&q.node)
            }
            InsertRows::Values(rows) => {
                let called = rows.iter().flatten().any(calls);
                rows.len() > 1 && (called || in_subqueries() || self.subqueries_call())
            }
            InsertRows::External => false,
        };
        let needed = match &insert.rows {
            InsertRows::Query(q) => q.outputs.iter().copied().collect(),
            _ => SlotSet::default(),
        };
        let mut plan = insert.planned(&mut |rel| self.lower(rel, &needed))?;
        plan.spool = spool;
        plan.same_layout = match &plan.rows {
            InsertRows::Query(q) => copies_rows(q, &plan),
            _ => false,
        };
        Ok(plan)
    }

    /// The plan of an UPDATE.
    pub fn update(&self, update: UpdatePlan<Rel>) -> SqlResult<UpdatePlan> {
        let reads = |e: &Expr| has_subquery(Part::Expr(e)) || has_user_call(Part::Expr(e));
        let subqueries = update.set.iter().flat_map(|a| a.exprs()).any(reads)
            || self.calls_functions(&update.node);
        let mut plan = update.planned(&mut |rel| self.lower(rel, &self.all()))?;
        let changed = changed_with(&plan.table, &plan.set);
        plan.spool = subqueries || must_spool(&plan.node, plan.moves, &changed);
        Ok(plan)
    }

    /// The plan of a DELETE.
    pub fn delete(&self, delete: DeletePlan<Rel>) -> SqlResult<DeletePlan> {
        let calls = self.calls_functions(&delete.node);
        let mut plan = delete.planned(&mut |rel| self.lower(rel, &self.all()))?;
        plan.spool = calls || !matches!(plan.node, Node::Scan(_));
        Ok(plan)
    }

    /// The plan of a MERGE.
    pub fn merge(&self, merge: MergePlan<Rel>) -> SqlResult<MergePlan> {
        merge.planned(&mut |rel| self.lower(rel, &self.all()))
    }

    /// Whether the rows, or a subquery of the statement, are found by the call of a user's function, which may read the table.
    fn calls_functions(&self, rel: &Rel) -> bool {
        calls_within(rel) || self.subqueries_call()
    }

    fn subqueries_call(&self) -> bool {
        self.subqueries.borrow().iter().flatten().any(|s| calls_within(&s.rel))
    }

    /// A change's new values and OUTPUT may read any slot.
    fn all(&self) -> SlotSet {
        SlotSet::all(self.columns.borrow().len())
    }
}

fn calls_within(rel: &Rel) -> bool {
    let mut calls = false;
    rel.visit(&mut |r| r.parts(&mut |p| calls |= has_user_call(p)));
    calls
}

/// Whether an update could meet its own rows again, or its row finder keeps rows.
fn must_spool(node: &Node, moves: bool, changed: &[usize]) -> bool {
    match node {
        Node::Scan(s) => match &s.access {
            Access::Marked(_) => false,
            Access::Full | Access::Clustered(..) => moves,
            Access::Nonclustered(i, _) => moves || i.touched_by(changed),
        },
        _ => true,
    }
}

/// Whether the rows of a query have the layout that an insert writes: a scan, column for column.
pub fn copies_rows(q: &QueryPlan, insert: &InsertPlan) -> bool {
    straight_copy(q, &insert.source_types, &insert.table, &insert.columns)
}

fn straight_copy(
    q: &QueryPlan,
    types: &[SqlType],
    table: &Table,
    columns: &[ColumnSource],
) -> bool {
    let Node::Scan(s) = &q.node else { return false };
    // Every column straight from the column of the same position and type, with the same place in the row.
    let straight = columns.iter().enumerate().all(|(at, c)| match c {
        ColumnSource::Source(n) => q
            .outputs
            .get(*n)
            .is_some_and(|slot| s.columns.iter().any(|(c, k)| k == slot && *c == at)),
        _ => false,
    });
    straight
        && reads_one_range(&s.access)
        && s.locks.patience() == Patience::Waits
        && types.len() == table.columns.len()
        && s.table.columns.len() == table.columns.len()
        && s.table.columns.iter().zip(&table.columns).all(|(a, b)| {
            a.ty == b.ty
                && a.place == b.place
                && a.null_bit == b.null_bit
                && (b.nullable || !a.nullable)
                && a.missing.is_null()
                && (a.unpadded || !b.unpadded)
                && fixed_or_short(a.ty)
        })
}

/// The rows come from one place of the table itself.
fn reads_one_range(access: &Access) -> bool {
    match access {
        Access::Full => true,
        Access::Clustered(_, seek) => seek.then.len() <= 1,
        Access::Nonclustered(..) | Access::Marked(_) => false,
    }
}

/// Types whose values are in the row itself.
fn fixed_or_short(ty: SqlType) -> bool {
    use taffrail_types::MaxLen;
    !matches!(
        ty,
        SqlType::VarChar(MaxLen::Max)
            | SqlType::NVarChar(MaxLen::Max)
            | SqlType::VarBinary(MaxLen::Max)
            | SqlType::RowVersion
    )
}
