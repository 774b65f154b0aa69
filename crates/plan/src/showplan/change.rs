//! Changes in the text form of SQL Server's plans.

use super::{Showplan, index_object, object};
use crate::change::{
    ColumnSource, DeletePlan, InsertPlan, InsertRows, MergeAction, MergePlan, UpdatePlan,
};
use crate::expr::Expr;
use crate::names::bracketed;
use crate::text::list;
use taffrail_catalog::{Generated, Index, Table};

impl Showplan<'_> {
    /// All rows are kept before the first change.
    fn eager(&mut self, spools: bool, parent: usize) -> usize {
        match spools {
            true => self.add(Some(parent), "Table Spool", "Eager Spool", String::new()),
            false => parent,
        }
    }

    /// `OBJECT:(…)` of the table and of the indexes that change with it.
    fn changed<'i>(
        &self,
        database: &str,
        table: &'i Table,
        indexes: impl Iterator<Item = &'i Index>,
    ) -> String {
        let all = std::iter::once(&**table.base()).chain(indexes);
        list(all, |i| format!("OBJECT:({})", index_object(database, table, i)))
    }

    /// `[db].[dbo].[t].[c] = value`.
    fn set(&self, database: &str, table: &Table, column: usize, value: &str) -> String {
        let column = bracketed(&table.columns[column].name);
        format!("{}.{column} = {value}", object(database, table))
    }

    pub(super) fn insert(&mut self, i: &InsertPlan) {
        let database = &*i.database.name;
        let mut set = Vec::new();
        // What is computed is computed of these.
        let given = |c: &&ColumnSource| !matches!(c, ColumnSource::Computed);
        for (at, c) in i.columns.iter().enumerate().filter(|(_, c)| given(c)) {
            let value = match (c, &i.rows) {
                (ColumnSource::Source(n), InsertRows::Query(q)) => {
                    q.outputs.get(*n).map(|s| self.long.slot(*s))
                }
                (ColumnSource::Source(n), InsertRows::Values(rows)) => match &rows[..] {
                    [row] => row.get(*n).and_then(Option::as_ref).map(|e| self.long.expr(e)),
                    _ => Some(format!("[Union{}]", 1000 + n)),
                },
                (ColumnSource::Source(n), InsertRows::External) => Some(format!("[Expr{n}]")),
                (ColumnSource::Expr(e, _), _) => Some(self.long.expr(e)),
                (ColumnSource::Identity, _) => Some("getidentity()".into()),
                (ColumnSource::RowVersion, _) => Some("gettimestamp()".into()),
                (ColumnSource::Period(Generated::RowEnd), _) => Some("maxdatetime2()".into()),
                (ColumnSource::Period(_), _) => Some("systrandatetime()".into()),
                (ColumnSource::Null, _) => Some("NULL".into()),
                (ColumnSource::Computed, _) => None,
            };
            let value = value.unwrap_or_else(|| "DEFAULT".into());
            set.push(self.set(database, &i.table, at, &value));
        }
        let indexes = i.table.nonclustered().iter().map(|i| &**i);
        let objects = self.changed(database, &i.table, indexes);
        let argument = format!("{objects}, SET:({})", set.join(", "));
        let name = match i.table.is_heap() {
            true => "Table Insert",
            false => "Clustered Index Insert",
        };
        let mut at = self.add(None, name, "Insert", argument);
        if let Some(n) = &i.top {
            let argument = format!("TOP EXPRESSION:({})", self.long.expr(n));
            at = self.add(Some(at), "Top", "Top", argument);
        }
        at = self.eager(i.spool, at);
        match &i.rows {
            InsertRows::Values(rows) if rows.len() > 1 => {
                let value = |e: &Option<Expr>| match e {
                    Some(e) => self.long.expr(e),
                    None => "DEFAULT".into(),
                };
                let row = |r: &Vec<Option<Expr>>| format!("({})", list(r, value));
                let argument = format!("VALUES:({})", list(rows, row));
                self.add(Some(at), "Constant Scan", "Constant Scan", argument);
            }
            InsertRows::Values(_) | InsertRows::External => {}
            InsertRows::Query(q) => self.node(&q.node, Some(at)),
        }
    }

    fn assignments(&self, u: &UpdatePlan) -> String {
        let database = &*u.database.name;
        let set = u.set.iter().map(|a| {
            let value = self.long.expr(&a.expr);
            self.set(database, &u.table, a.column, &value)
        });
        let variables = u
            .variables
            .iter()
            .map(|(v, e)| format!("{} = {}", self.long.variable(*v), self.long.expr(e)));
        set.chain(variables).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn update(&mut self, u: &UpdatePlan) {
        let indexes = u.indexes.iter().map(|i| &**i);
        let objects = self.changed(&u.database.name, &u.table, indexes);
        let argument = format!("{objects}, SET:({})", self.assignments(u));
        let name = match u.table.is_heap() {
            true => "Table Update",
            false => "Clustered Index Update",
        };
        let at = self.add(None, name, "Update", argument);
        let at = self.eager(u.spool, at);
        self.node(&u.node, Some(at));
    }

    pub(super) fn delete(&mut self, d: &DeletePlan) {
        let indexes = d.table.nonclustered().iter().map(|i| &**i);
        let argument = self.changed(&d.database.name, &d.table, indexes);
        let name = match d.table.is_heap() {
            true => "Table Delete",
            false => "Clustered Index Delete",
        };
        let at = self.add(None, name, "Delete", argument);
        let at = self.eager(d.spool, at);
        self.node(&d.node, Some(at));
    }

    pub(super) fn merge(&mut self, m: &MergePlan) {
        let indexes = m.table.nonclustered().iter().map(|i| &**i);
        let objects = self.changed(&m.database.name, &m.table, indexes);
        let mut set = Vec::new();
        let rest = m.rest.iter().flat_map(|r| &r.clauses);
        for c in m.clauses.iter().chain(rest) {
            if let MergeAction::Update(u) = &c.action {
                set.push(self.assignments(u));
            }
        }
        if let Some(i) = &m.insert {
            for (at, c) in i.plan.columns.iter().enumerate() {
                if let ColumnSource::Source(n) = c
                    && let Some(e) = i.values.get(*n)
                {
                    let value = self.long.expr(e);
                    set.push(self.set(&m.database.name, &m.table, at, &value));
                }
            }
        }
        let argument = match set.is_empty() {
            true => objects,
            false => format!("{objects}, SET:({})", set.join(", ")),
        };
        let name = match m.table.is_heap() {
            true => "Table Merge",
            false => "Clustered Index Merge",
        };
        let at = self.add(None, name, "Merge", argument);
        self.node(&m.node, Some(at));
        if let Some(r) = &m.rest {
            self.node(&r.node, Some(at));
        }
    }
}
