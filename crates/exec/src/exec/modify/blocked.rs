//! Block predicates of security policies: rows that a change may not make, or may not touch (33504).
//!
//! Each predicate is a query of the server's own over the values of one row, planned when the first row asks for it. It reads tables
//! whatever policies say, and is asked when the row has been changed. What a foreign key takes along passes.

use super::foreign::Ready;
use super::full_name;
use crate::catalog::{BlockedAt, Column, SecurityPredicate, Table};
use crate::database::Database;
use crate::exec::predicates::call_of;
use crate::exec::runtime::Rt;
use crate::plan::change::UpdatePlan;
use crate::plan::names::bracketed;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

/// A predicate, and its query once a row has been asked about.
struct Blocked {
    predicate: Arc<SecurityPredicate>,
    /// Positions of the columns that the predicate reads.
    reads: Vec<usize>,
    query: Option<Ready>,
}

/// The block predicates of a table that is changed.
pub(super) struct BlockPredicates(Vec<Blocked>);

impl BlockPredicates {
    /// Those that are on; none where there is no such predicate.
    pub fn of(table: &Table) -> Option<Box<BlockPredicates>> {
        let on = table.predicates.iter().filter(|p| p.enabled && p.block.is_some());
        let one = |predicate: &Arc<SecurityPredicate>| {
            let read = |c: &Column| predicate.columns.contains(&c.id);
            let columns = table.columns.iter().enumerate();
            let reads = columns.filter(|(_, c)| read(c)).map(|(at, _)| at).collect();
            Blocked { predicate: predicate.clone(), reads, query: None }
        };
        let all: Vec<Blocked> = on.map(one).collect();
        (!all.is_empty()).then(|| Box::new(BlockPredicates(all)))
    }

    /// Holds a row against the predicates of an operation; of an UPDATE those alone that read a column which it changes, where the row
    /// is looked at as it is then.
    pub fn hold(
        &mut self,
        rt: &mut Rt<'_>,
        (database, table): (&Arc<Database>, &Table),
        operation: BlockedAt,
        row: &[Value],
        update: Option<&UpdatePlan>,
    ) -> SqlResult<()> {
        for blocked in &mut self.0 {
            if !blocked.predicate.block.is_some_and(|at| at.is_at(operation)) {
                continue;
            }
            let changed = |u: &UpdatePlan| {
                let along = crate::plan::change::changed_with(table, &u.set);
                blocked.reads.iter().any(|c| along.contains(c))
            };
            if operation == BlockedAt::AfterUpdate && !update.is_none_or(changed) {
                continue;
            }
            if !blocked.allows(rt, database, table, row)? {
                return Err(SqlError::new(33504, &[&full_name(database, table)]));
            }
        }
        Ok(())
    }
}

impl Blocked {
    /// Whether the function has a row for this one.
    fn allows(
        &mut self,
        rt: &mut Rt<'_>,
        database: &Arc<Database>,
        table: &Table,
        row: &[Value],
    ) -> SqlResult<bool> {
        let query = match &mut self.query {
            Some(query) => query,
            none => {
                let text = query_over(&self.predicate, table, &self.reads);
                let variable = |(n, at): (usize, &usize)| {
                    let c = &table.columns[*at];
                    (format!("@c{n}"), c.declared())
                };
                let variables: Vec<_> = self.reads.iter().enumerate().map(variable).collect();
                none.insert(Ready::declared(&mut rt.cx, database, &text, &variables)?)
            }
        };
        let values = self.reads.iter().map(|at| row[*at].clone()).collect();
        // Who the user is, and in which roles, is asked of the table's database.
        let here = std::mem::replace(&mut rt.cx.session.database, database.clone());
        let allowed = query.has_row(&mut rt.cx, values);
        rt.cx.session.database = here;
        allowed
    }
}

/// `SELECT TOP (1) 1 FROM (SELECT @c0 AS [a]) AS t CROSS APPLY [s].[f]([a])`.
fn query_over(predicate: &SecurityPredicate, table: &Table, reads: &[usize]) -> String {
    let column = |(n, at): (usize, &usize)| {
        let c = &table.columns[*at];
        let collate = match c.ty.is_text() && !c.xml {
            true => format!(" COLLATE {}", c.collation.name()),
            false => String::new(),
        };
        format!("@c{n}{collate} AS {}", bracketed(&c.name))
    };
    let call = call_of(&predicate.definition);
    let columns: Vec<String> = reads.iter().enumerate().map(column).collect();
    match columns.is_empty() {
        true => format!("SELECT TOP (1) 1 FROM {call}"),
        false => {
            let columns = columns.join(", ");
            format!("SELECT TOP (1) 1 FROM (SELECT {columns}) AS [row] CROSS APPLY {call}")
        }
    }
}
