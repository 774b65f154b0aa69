//! Tables of history: made for a table, or found fit for it.

use super::super::create;
use super::super::draft::{KeyDraft, TableDraft};
use super::super::resolve::{self, Target};
use crate::catalog::{Column, Generated, Table};
use crate::database::Database;
use crate::exec::modify::foreign::Ready;
use crate::exec::modify::full_name;
use crate::features::tables::NewColumn;
use crate::plan::names::bracketed;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::SqlType;

/// Whether the triggers of a table are INSTEAD OF, one by one.
pub(super) fn triggers_of(
    cx: &StatementContext<'_>,
    database: &Database,
    table: &Table,
) -> Vec<bool> {
    let all = database.catalog.triggers_of(table.id(), cx.session.id);
    all.iter().map(|t| t.trigger.as_ref().is_some_and(|f| f.instead_of)).collect()
}

/// The name of a table of history that was given none, which nobody has.
pub(super) fn free_target(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
) -> SqlResult<Target> {
    let plain = format!("MSSQL_TemporalHistoryFor_{}", table.id());
    let at =
        ast::Ident { value: plain.as_str().into(), span: ast::Span::new(0, 0), delimited: true };
    let mut name = ast::ObjectName::bare(at.clone());
    name.schema = Some(ast::Ident { value: (&*table.head.schema).into(), ..at });
    name.database = Some(ast::Ident { value: database.name.as_str().into(), ..name.name.clone() });
    let mut target = resolve::target(cx, &name)?;
    while resolve::lock_name(cx, &target)?.is_some() {
        target.name = format!("{plain}_{:08X}", database.catalog.new_object_id()?.0);
    }
    Ok(target)
}

/// Makes the table of history: the columns alone, without what gives them values or checks them, and a clustered index by the period.
pub(super) fn make(
    cx: &mut StatementContext<'_>,
    target: &Target,
    table: &Table,
) -> SqlResult<Arc<Table>> {
    let column = |c: &Column| NewColumn {
        name: c.name.to_string(),
        ty: match c.ty {
            SqlType::RowVersion => SqlType::Binary(8),
            ty => ty,
        },
        large: c.large(),
        user_type: c.user_type,
        nullable: c.nullable,
        collation: c.collation,
        identity: None,
    };
    let columns: Vec<NewColumn> = table.columns.iter().map(column).collect();
    let mut draft = TableDraft::of_columns(&target.name, &columns, false)?;
    for (new, old) in draft.columns.iter_mut().zip(&table.columns) {
        new.unpadded = old.unpadded;
        new.mask = old.mask.clone();
    }
    let (start, end) = table.period.ok_or_else(|| SqlError::new(13510, &[]))?;
    draft.has_clustered = true;
    draft.keys.push(KeyDraft {
        name: Some(format!("ix_{}", target.name)),
        primary: false,
        constraint: false,
        unique: false,
        clustered: true,
        columns: vec![(end, false), (start, false)],
        included: Vec::new(),
        fill_factor: 0,
        padded: false,
        no_page_locks: false,
        no_row_locks: false,
        ignore_dup_key: false,
        filter: None,
    });
    create::table(cx, target, draft)
}

/// Takes a table that is there as the history of another one, if it can be that.
pub(super) fn adopt(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    found: &Arc<Table>,
    unchecked: bool,
) -> SqlResult<Arc<Table>> {
    let (shown, name) = (full_name(database, table), full_name(database, found));
    if found.id() == table.id() {
        return Err(SqlError::new(13511, &[&name]));
    }
    let missing = || SqlError::new(13520, &[&name]);
    let history = resolve::lock_for_change(cx, database, found, missing)?;
    let refused = |number| Err(SqlError::new(number, &[&name]));
    if history.head.is_temporal() {
        return refused(13514);
    }
    if history.period.is_some() {
        return refused(13574);
    }
    if history.defined().any(|i| i.unique) {
        return refused(13515);
    }
    let session = cx.session.id;
    let catalog = &database.catalog;
    if !catalog.foreign_keys_of(history.id(), session)?.is_empty()
        || !catalog.references_to(history.id(), session)?.is_empty()
    {
        return refused(13516);
    }
    if !history.checks.is_empty() {
        return refused(13517);
    }
    if history.identity.is_some() {
        return refused(13518);
    }
    if history.columns.iter().any(|c| c.computed.is_some()) {
        return refused(13519);
    }
    if !triggers_of(cx, database, &history).is_empty() {
        return refused(13522);
    }
    if history.columns.iter().any(|c| c.is_rowguid) {
        return refused(13580);
    }
    fits((table, &shown), (&history, &name))?;
    check_rows(cx, database, table, &history, unchecked)?;
    Ok(history)
}

/// The columns of a history are those of the current table, one by one: 13523 to 13531.
fn fits((table, shown): (&Table, &str), (history, name): (&Table, &str)) -> SqlResult<()> {
    let (count, other) = (table.columns.len(), history.columns.len());
    if count != other {
        return Err(SqlError::new(13523, &[&shown, &count, &name, &other]));
    }
    for (at, (c, h)) in table.columns.iter().zip(&history.columns).enumerate() {
        if crate::catalog::fold(&c.name) != crate::catalog::fold(&h.name) {
            let parts: [&dyn std::fmt::Display; 5] = [&h.name, &(at + 1), &name, &c.name, &shown];
            return Err(SqlError::new(13524, &parts));
        }
        let kept = if c.ty == SqlType::RowVersion { SqlType::Binary(8) } else { c.ty };
        // One that came to both by ALTER TABLE is a rowversion in both.
        if (h.ty != kept && h.ty != c.ty) || h.large() != c.large() {
            let (is, was) = (h.ty.to_string(), c.ty.to_string());
            return Err(SqlError::new(13525, &[&c.name, &is, &name, &was, &shown]));
        }
        if h.collation != c.collation && c.ty.is_text() {
            return Err(SqlError::new(13526, &[&c.name, &shown, &name]));
        }
        if h.unpadded != c.unpadded {
            return Err(SqlError::new(13528, &[&c.name, &shown, &name]));
        }
        if h.mask != c.mask {
            return Err(SqlError::new(13581, &[&c.name, &shown, &name]));
        }
        if c.generated != Generated::Never && h.nullable {
            return Err(SqlError::new(13530, &[&h.name, &name, &shown]));
        }
        if h.nullable != c.nullable {
            return Err(SqlError::new(13531, &[&c.name, &shown, &name]));
        }
    }
    Ok(())
}

/// The periods of the rows that are there: 13541 and 13543 for what no row of a history is, 13573 where two rows of one key overlap.
fn check_rows(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    history: &Table,
    unchecked: bool,
) -> SqlResult<()> {
    let Some((start, end)) = table.period else { return Ok(()) };
    let column = |at: usize| bracketed(&table.columns[at].name);
    let (start, end) = (column(start), column(end));
    let name = |t: &Table| {
        let (schema, name) = (bracketed(&t.head.schema), bracketed(&t.head.name));
        format!("{}.{schema}.{name}", bracketed(&database.name))
    };
    let (current, old, shown) = (name(table), name(history), full_name(database, history));
    if unchecked {
        return Ok(());
    }
    let wrong = format!("SELECT TOP (1) 1 FROM {old} WHERE {end} < {start}");
    if Ready::new(cx, database, &wrong, &[])?.has_row(cx, Vec::new())? {
        return Err(SqlError::new(13541, &[&shown]));
    }
    let late = format!("SELECT TOP (1) 1 FROM {old} WHERE {end} > SYSUTCDATETIME()");
    if Ready::new(cx, database, &late, &[])?.has_row(cx, Vec::new())? {
        return Err(SqlError::new(13543, &[&shown]));
    }
    let key = table.defined().find(|i| i.primary_key);
    let key = key.ok_or_else(|| SqlError::new(13553, &[&full_name(database, table)]))?;
    let key: Vec<String> = key.key.columns().iter().map(|k| column(k.column)).collect();
    let key = key.join(", ");
    let overlap = format!(
        "SELECT TOP (1) 1 FROM (SELECT {start} AS [s], LAG({end}) OVER (PARTITION BY {key} ORDER BY {start}, {end}) AS [p] \
         FROM (SELECT {key}, {start}, {end} FROM {current} UNION ALL \
         SELECT {key}, {start}, {end} FROM {old} WHERE {start} < {end}) AS [all]) AS [d] WHERE [p] > [s]"
    );
    match Ready::new(cx, database, &overlap, &[])?.has_row(cx, Vec::new())? {
        true => Err(SqlError::new(13573, &[&shown])),
        false => Ok(()),
    }
}
