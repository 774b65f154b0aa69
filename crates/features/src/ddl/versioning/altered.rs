//! ALTER TABLE of tables with a period, and of the two tables of a history.

use super::super::{added, alter, index};
use crate::catalog::{Generated, Object, Sight, Table, Temporal, rows};
use crate::database::Database;
use crate::exec::modify::foreign::Ready;
use crate::exec::modify::full_name;
use crate::plan::names::bracketed;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::Value;

/// Refuses changes of a table with a period, or of one of the two tables of a history.
pub(in crate::ddl) fn may_alter(
    database: &Database,
    table: &Table,
    action: &ast::AlterTableAction,
) -> SqlResult<()> {
    use ast::AlterTableAction as A;
    let shown = || full_name(database, table);
    let refused = |number| Err(SqlError::new(number, &[&shown()]));
    let of_period = |name: &ast::Ident| {
        let at = table.column(&name.value);
        at.is_some_and(|at| table.columns[at].generated != Generated::Never)
    };
    match action {
        A::Add { body, .. } if table.head.is_history() => may_add_to_history(database, table, body),
        A::Add { body, .. } if table.head.history().is_some() => may_add(database, table, body),
        A::Drop(items) => {
            for item in items {
                let name = &item.name;
                if item.column && of_period(name) {
                    return Err(SqlError::new(13588, &[&name.value, &shown()]));
                }
                if item.column && table.head.is_history() {
                    return refused(13551);
                }
                let primary = table.index(&name.value).is_some_and(|i| i.primary_key);
                if !item.column && primary && table.head.history().is_some() {
                    return refused(13557);
                }
            }
            Ok(())
        }
        A::AlterColumn(ast::AlterColumn::Type { name, .. }) if of_period(name) => {
            Err(SqlError::new(13599, &[&name.value]))
        }
        A::AlterColumn(
            ast::AlterColumn::Type { name, .. }
            | ast::AlterColumn::Property { name, .. }
            | ast::AlterColumn::Mask { name, .. },
        ) if table.head.is_history() => Err(SqlError::new(13548, &[&name.value, &shown()])),
        A::AlterColumn(ast::AlterColumn::Property { property, add: true, .. })
            if table.head.history().is_some() && &**property == "ROWGUIDCOL" =>
        {
            Err(SqlError::new(13723, &[&name_of_history(database, table)]))
        }
        _ => Ok(()),
    }
}

fn may_add_to_history(database: &Database, table: &Table, body: &ast::TableBody) -> SqlResult<()> {
    let shown = full_name(database, table);
    if body.period.is_some() {
        return Err(SqlError::new(13598, &[&shown]));
    }
    if !body.columns.is_empty() {
        return Err(SqlError::new(13550, &[&shown]));
    }
    for constraint in &body.constraints {
        let number = match &constraint.kind {
            ast::ConstraintKind::Key(key) if key.primary => 13558,
            ast::ConstraintKind::Key(_) => 13583,
            ast::ConstraintKind::Check(_) => 13564,
            ast::ConstraintKind::ForeignKey(_) => {
                let name = constraint.name.as_ref().map_or("", |n| &n.value);
                return Err(SqlError::new(13565, &[&name]));
            }
            ast::ConstraintKind::Default(_) => continue,
        };
        return Err(SqlError::new(number, &[&shown]));
    }
    match body.indexes.iter().any(|i| i.unique) {
        true => Err(SqlError::new(13741, &[&shown])),
        false => Ok(()),
    }
}

/// The name of a table's history, for messages.
fn name_of_history(database: &Database, table: &Table) -> String {
    let history = table.head.history();
    let history = history.and_then(|id| database.catalog.table(id, Sight::EVERYTHING));
    full_name(database, history.as_deref().unwrap_or(table))
}

fn may_add(database: &Database, table: &Table, body: &ast::TableBody) -> SqlResult<()> {
    if body.period.is_some() {
        return Err(SqlError::new(13597, &[&full_name(database, table)]));
    }
    let shown = name_of_history(database, table);
    for c in &body.columns {
        let number = match () {
            () if c.computed.is_some() => return Err(SqlError::new(13724, &[])),
            () if c.identity.is_some() => 13704,
            () if c.rowguidcol => 13723,
            () => continue,
        };
        return Err(SqlError::new(number, &[&shown]));
    }
    Ok(())
}

/// A change of the columns of a table is one of its history's.
pub(in crate::ddl) fn follow(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    history: &Arc<Table>,
    action: &ast::AlterTableAction,
    text: &str,
) -> SqlResult<()> {
    match action {
        ast::AlterTableAction::Add { body, .. } if !body.columns.is_empty() => {
            let body = columns_alone(body);
            added::add(cx, database, history, &body, None, text)?;
        }
        ast::AlterTableAction::Drop(items) if items.iter().any(|i| i.column) => {
            for item in items.iter().filter(|i| i.column) {
                drop_column(cx, database, history, item)?;
            }
        }
        ast::AlterTableAction::AlterColumn(
            change @ (ast::AlterColumn::Type { .. } | ast::AlterColumn::Mask { .. }),
        ) => {
            alter::alter_column(cx, database, history, change)?;
        }
        _ => return Ok(()),
    }
    index::modified(cx, database, history.id())
}

/// The new columns of a table as its history gets them: without constraints, and with a default where rows have to have a value.
fn columns_alone(body: &ast::TableBody) -> ast::TableBody {
    let column = |c: &ast::ColumnDefinition| {
        let mut c = c.clone();
        c.constraints.clear();
        c.index = None;
        let needed = |d: &ast::DefaultConstraint| c.nullable == Some(false) || d.with_values;
        c.default =
            c.default.clone().filter(needed).map(|d| ast::DefaultConstraint { name: None, ..d });
        c
    };
    let columns = body.columns.iter().map(column).collect();
    ast::TableBody { columns, ..ast::TableBody::default() }
}

/// Drops a column of a history, with its default.
fn drop_column(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    history: &Arc<Table>,
    item: &ast::DropTableItem,
) -> SqlResult<()> {
    let gone = || SqlError::new(5243, &[]);
    let now = |cx: &StatementContext<'_>| database.catalog.table(history.id(), cx.session.id);
    let table = now(cx).ok_or_else(gone)?;
    let default = table.column(&item.name.value).and_then(|at| table.columns[at].default.clone());
    if let Some(default) = default {
        let ident = |name: &str| ast::Ident { value: name.into(), ..item.name.clone() };
        let constraint =
            ast::DropTableItem { column: false, name: ident(&default.name), ..item.clone() };
        alter::drop_constraint(cx, database, &table, &constraint)?;
    }
    let table = now(cx).ok_or_else(gone)?;
    alter::drop_column(cx, database, &table, item)
}

/// A period for columns that are there, some of them since now: the rows are open and do not begin in the future.
pub(in crate::ddl) fn add_period(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: ObjectId,
    period: Option<&(ast::Ident, ast::Ident)>,
) -> SqlResult<()> {
    let Some((start, end)) = period else { return Ok(()) };
    let gone = || SqlError::new(5243, &[]);
    let table = database.catalog.table(table, cx.session.id).ok_or_else(gone)?;
    for (name, generated) in [(start, Generated::RowStart), (end, Generated::RowEnd)] {
        let at = table.column(&name.value).ok_or_else(gone)?;
        let mut column = table.columns[at].clone();
        column.generated = generated;
        rows::write_column(cx.transaction(database)?, table.id(), &column, None)?;
    }
    let table = index::refresh(cx, database, &table, &[])?;
    let (s, e) = table.period.ok_or_else(gone)?;
    let ty = table.columns[s].ty;
    let shown = full_name(database, &table);
    let from = format!(
        "{}.{}.{}",
        bracketed(&database.name),
        bracketed(&table.head.schema),
        bracketed(&table.head.name)
    );
    let (s, e) = (bracketed(&table.columns[s].name), bracketed(&table.columns[e].name));
    let last: Vec<Value> = vec![crate::catalog::temporal::open_end(ty)];
    let closed = format!("SELECT TOP (1) 1 FROM {from} WHERE {e} <> @last");
    if Ready::new(cx, database, &closed, &[("@last".into(), ty)])?.has_row(cx, last)? {
        return Err(SqlError::new(13575, &[&shown]));
    }
    let late = format!("SELECT TOP (1) 1 FROM {from} WHERE {s} > SYSUTCDATETIME()");
    match Ready::new(cx, database, &late, &[])?.has_row(cx, Vec::new())? {
        true => Err(SqlError::new(13542, &[&shown])),
        false => index::modified(cx, database, table.id()),
    }
}

/// DROP PERIOD FOR SYSTEM_TIME: its columns become columns as any others. 13592, 13593.
pub(in crate::ddl) fn drop_period(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
) -> SqlResult<()> {
    let shown = full_name(database, table);
    if table.head.history().is_some() {
        return Err(SqlError::new(13592, &[&shown]));
    }
    let Some((start, end)) = table.period else {
        return Err(SqlError::new(13593, &[&shown]));
    };
    for at in [start, end] {
        let mut column = table.columns[at].clone();
        (column.generated, column.is_hidden) = (Generated::Never, false);
        rows::write_column(cx.transaction(database)?, table.id(), &column, None)?;
    }
    index::modified(cx, database, table.id())
}

/// 13569: no trigger on a history, and none in place of a change of a table that keeps one.
pub(in crate::ddl) fn may_have_trigger(
    database: &Database,
    parent: &Object,
    instead_of: bool,
) -> SqlResult<()> {
    let Object::Table(table) = parent else { return Ok(()) };
    match table.head.is_history() || instead_of && table.head.is_temporal() {
        true => Err(SqlError::new(13569, &[&full_name(database, table)])),
        false => Ok(()),
    }
}

/// 13766: the clustered index of a history is what finds rows that are too old.
pub(in crate::ddl) fn may_drop_index(
    cx: &StatementContext<'_>,
    database: &Database,
    table: &Table,
    index: &crate::catalog::Index,
) -> SqlResult<()> {
    let Temporal::HistoryOf(current) = table.head.temporal else { return Ok(()) };
    let current = database.catalog.table(current, cx.session.id);
    let finite = current.is_some_and(|t| t.head.retention().is_some());
    match finite && index.kind == crate::catalog::IndexKind::Clustered {
        true => Err(SqlError::new(13766, &[&index.name])),
        false => Ok(()),
    }
}

/// 13741: no unique index on a history.
pub(in crate::ddl) fn may_be_unique(
    database: &Database,
    table: &Table,
    unique: bool,
) -> SqlResult<()> {
    match unique && table.head.is_history() {
        true => Err(SqlError::new(13741, &[&full_name(database, table)])),
        false => Ok(()),
    }
}
