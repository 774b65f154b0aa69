//! `SELECT … INTO`.

use super::ddl_events::DdlEvent;
use super::interpret::{Ended, Interpreter};
use super::module::Plan;
use crate::features::tables::{NewColumn, tables};
use crate::plan::node::Node;
use crate::plan::statement::SelectPlan;
use crate::sink::Command;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;

impl Interpreter<'_> {
    /// `SELECT … INTO name ON filegroup`: a new table of the query's columns, filled by whole pages.
    pub(super) fn select_into(
        &mut self,
        plan: &Arc<Plan>,
        q: &SelectPlan,
        (into, filegroup): (&ast::ObjectName, Option<&ast::Ident>),
        line: u32,
    ) -> SqlResult<Ended> {
        let mut columns = Vec::with_capacity(q.plan.columns.len());
        for (i, c) in q.plan.columns.iter().enumerate() {
            if c.name.is_empty() {
                return Err(SqlError::new(1038, &[&(i + 1)]));
            }
            columns.push(NewColumn {
                name: c.name.clone(),
                ty: c.ty,
                large: c.large,
                user_type: c.user_type,
                nullable: c.nullable,
                collation: c.collation.unwrap_or_default(),
                identity: [q.identity, q.inherited]
                    .into_iter()
                    .flatten()
                    .find(|f| f.output == i)
                    .map(|f| (f.seed, f.increment)),
            });
        }
        if let Some(f) = q.identity
            && let Some((_, c)) =
                columns.iter().enumerate().find(|(i, c)| *i != f.output && c.identity.is_some())
        {
            return Err(SqlError::new(8108, &[&into.name.value, &c.name]));
        }
        self.session.allow_into(into)?;
        let mut cx = self.context(line);
        let (database, table) = tables().create_of_query(&mut cx, into, filegroup, &columns)?;
        let types = q.plan.columns.iter().map(|c| c.ty).collect();
        let mut insert = super::compile::external_insert(self.session, &database, &table, types)?;
        insert.explicit_identity = table.identity.is_some() && q.identity.is_none();
        // Nobody else can see the table yet.
        insert.table_lock = crate::plan::locking::TableLock::Exclusive;
        for (at, c) in insert.columns.iter_mut().enumerate() {
            *c = match q.identity {
                Some(f) if f.output == at => crate::plan::change::ColumnSource::Identity,
                _ => crate::plan::change::ColumnSource::Source(at),
            };
        }
        insert.same_layout = crate::planner::copies_rows(&q.plan, &insert);
        let insert = insert;
        let rows = self.with_runtime(plan, line, |rt| {
            if insert.same_layout
                && let Node::Scan(scan) = &q.plan.node
            {
                return super::modify::copy::copy_rows(rt, &insert, scan);
            }
            super::modify::insert::insert_query(rt, &insert, &q.plan)
        })?;
        self.session.activation.last.row_count = rows as i64;
        // A statement that failed may have left some of its own.
        self.session.running.events.clear();
        let event = DdlEvent::of_object("CREATE", &database, &table.head);
        self.context(line).note_event(event);
        self.warn(line)?;
        Ok(Ended { command: Command::SELECT_INTO, rows: Some(rows) })
    }
}
