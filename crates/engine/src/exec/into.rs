//! Rows of one statement that become another's: SELECT INTO, and INSERT … EXEC, whose rows are captured first.

use super::insert::insert_rows;
use super::interpret::{Activation, Ended, Interpreter};
use super::module::{Module, Plan, PlanKind, Stmt};
use super::planning::Source;
use crate::binder::BoundSelect;
use crate::ddl;
use crate::plan::change::InsertPlan;
use crate::plan::node::Node;
use crate::sink::Command;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::Value;

impl Interpreter<'_> {
    /// `SELECT … INTO`: a new table of the query's columns, filled by whole pages.
    pub(super) fn select_into(
        &mut self,
        act: &mut Activation,
        plan: &Arc<Plan>,
        q: &BoundSelect,
        into: &ast::ObjectName,
        line: u32,
    ) -> SqlResult<Ended> {
        let mut columns = Vec::with_capacity(q.plan.columns.len());
        for (i, c) in q.plan.columns.iter().enumerate() {
            if c.name.is_empty() {
                return Err(SqlError::new(1038, &[&(i + 1)]));
            }
            columns.push(ddl::NewColumn {
                name: c.name.clone(),
                ty: c.ty,
                nullable: c.nullable,
                collation: c.collation.unwrap_or_default(),
                identity: match q.identity {
                    Some(f) if f.output == i => Some((f.seed, f.increment)),
                    _ if c.identity => inherited_identity(&q.plan, i),
                    _ => None,
                },
            });
        }
        if let Some(f) = q.identity
            && let Some((_, c)) =
                columns.iter().enumerate().find(|(i, c)| *i != f.output && c.identity.is_some())
        {
            return Err(SqlError::new(8108, &[&into.name.value, &c.name]));
        }
        let mut cx = self.context(line);
        let (database, table) = ddl::create_table_of(&mut cx, into, &columns)?;
        let types = q.plan.columns.iter().map(|c| c.ty).collect();
        let mut insert = super::compile::external_insert(self.session, &database, &table, types)?;
        insert.explicit_identity = table.identity.is_some() && q.identity.is_none();
        // Nobody else can see the table yet.
        insert.table_lock = crate::plan::node::TableLock::Exclusive;
        for (at, c) in insert.columns.iter_mut().enumerate() {
            *c = match q.identity {
                Some(f) if f.output == at => crate::plan::change::ColumnSource::Identity,
                _ => crate::plan::change::ColumnSource::Source(at),
            };
        }
        insert.same_layout = crate::binder::copies_rows(&q.plan, &insert);
        let insert = insert;
        let rows = self.with_runtime(act, plan, line, |rt| {
            if insert.same_layout
                && let Node::Scan(scan) = &q.plan.node
            {
                return super::insert::copy_rows(rt, &insert, scan);
            }
            super::insert::insert_query(rt, &insert, &q.plan)
        })?;
        self.session.row_count = rows as i64;
        self.warn_of_nulls(line)?;
        Ok(Ended { command: Command::SELECT_INTO, rows: Some(rows) })
    }

    /// `INSERT … EXEC`: 8164 for one within another.
    pub(super) fn insert_exec(
        &mut self,
        module: &Arc<Module>,
        act: &mut Activation,
        s: &Stmt,
        i: &ast::Insert,
        e: &super::module::Execute,
    ) -> SqlResult<Ended> {
        if self.capturing.is_some() {
            return Err(SqlError::new(8164, &[]));
        }
        // The target must be there before anything runs.
        let source = Source::Insert(i);
        self.in_statement(|it| it.locked_plan(module, act, s.plan, s.visible, &source).map(drop))?;
        let captured = self.capture(module, act, s, e)?;
        self.in_statement(|it| {
            let plan = it.locked_plan(module, act, s.plan, s.visible, &source)?;
            let PlanKind::Insert(insert) = &plan.kind else {
                unreachable!("planned from an INSERT");
            };
            it.one_writer(&plan)?;
            let mut count = 0;
            for (columns, rows) in captured {
                if columns.len() != insert.source_types.len() {
                    return Err(SqlError::new(213, &[]));
                }
                let rows = convert_rows(rows, &columns, insert)?;
                count += it.with_runtime(act, &plan, s.line, |rt| insert_rows(rt, insert, rows))?;
            }
            it.session.row_count = count as i64;
            Ok(Ended { command: Command::INSERT, rows: Some(count) })
        })
    }
}

/// Brings captured rows to the types that the insert expects: those of the target's columns.
fn convert_rows(
    rows: Vec<Vec<Value>>,
    columns: &[crate::sink::ColumnDesc],
    insert: &InsertPlan,
) -> SqlResult<Vec<Vec<Value>>> {
    use taffrail_types::{Conversion, SqlType, convert};
    let same: Vec<bool> =
        columns.iter().zip(&insert.source_types).map(|(c, t)| c.ty == *t).collect();
    if same.iter().all(|s| *s) {
        return Ok(rows);
    }
    let mut out = Vec::with_capacity(rows.len());
    for mut row in rows {
        for (at, ((v, c), t)) in row.iter_mut().zip(columns).zip(&insert.source_types).enumerate() {
            if c.ty == *t || v.is_null() {
                continue;
            }
            // Lengths are checked where the row is stored.
            let wide = match t {
                SqlType::VarChar(_) | SqlType::Char(_) => {
                    SqlType::VarChar(taffrail_types::MaxLen::Max)
                }
                SqlType::NVarChar(_) | SqlType::NChar(_) => {
                    SqlType::NVarChar(taffrail_types::MaxLen::Max)
                }
                t => *t,
            };
            let exact = convert::cast(v, c.ty, *t, None, Conversion::Implicit)?;
            let long = convert::cast(v, c.ty, wide, None, Conversion::Implicit)?;
            let cut = match (exact.as_bytes(), long.as_bytes()) {
                (Some(a), Some(b)) => a.len() < b.trim_ascii_end().len(),
                _ => false,
            };
            if cut {
                return Err(too_long(insert, at, &exact));
            }
            *v = exact;
        }
        out.push(row);
    }
    Ok(out)
}

/// 2628: a captured value that is longer than the column it goes to.
fn too_long(insert: &InsertPlan, source: usize, cut: &Value) -> Box<SqlError> {
    use crate::plan::change::ColumnSource;
    let goes_there = |c: &ColumnSource| matches!(c, ColumnSource::Source(at) if *at == source);
    let column = insert.columns.iter().position(goes_there);
    let column = column.map_or("", |c| &insert.table.columns[c].name);
    let table = super::change::full_name(&insert.database, &insert.table);
    SqlError::new(2628, &[&table, &column, &cut.as_text().unwrap_or_default()])
}

/// Seed and step of the identity column behind an output: a new table inherits them from one table, not from a join, a
/// union or groups, and not when the column is listed twice.
fn inherited_identity(q: &crate::plan::node::QueryPlan, output: usize) -> Option<(i64, i64)> {
    let slot = q.outputs[output];
    if q.outputs.iter().filter(|s| **s == slot).count() > 1 {
        return None;
    }
    let mut node = &q.node;
    let scan = loop {
        node = match node {
            Node::Scan(s) => break s,
            Node::Filter(n) => &n.input,
            Node::Compute(n) => &n.input,
            Node::Spool(n) => &n.input,
            Node::Sort(n) => &n.input,
            Node::Top(n) => &n.input,
            _ => return None,
        };
    };
    let (column, _) = scan.columns.iter().find(|(_, k)| *k == slot)?;
    let identity = scan.table.identity.as_ref()?;
    (identity.column == *column).then_some((identity.seed, identity.increment))
}
