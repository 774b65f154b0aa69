//! Masks of columns as statements make them: MASKED WITH in a definition, ALTER COLUMN … ADD MASKED and DROP MASKED.

use super::alter::identity_row;
use super::index::{self, shown_name};
use super::resolve;
use crate::catalog::{Column, Table, masks, rows};
use crate::database::Database;
use crate::exec::function_facts::bound_to;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::mask::{MaskFault, MaskFunction};

fn told(fault: MaskFault, column: &str) -> Box<SqlError> {
    match fault {
        MaskFault::Unsupported => SqlError::new(16001, &[&column]),
        MaskFault::Name => SqlError::new(16002, &[&column]),
        MaskFault::Type(function) => SqlError::new(16003, &[&column, &function]),
        MaskFault::Count(function) => SqlError::new(16004, &[&function, &column]),
        MaskFault::Argument(function) => SqlError::new(16005, &[&function, &column]),
        MaskFault::Format(function) => SqlError::new(16006, &[&function, &column]),
        MaskFault::TooLong => SqlError::new(16011, &[&column]),
    }
}

/// The function of a text, for a column: 16001 to 16006, 16011.
pub(super) fn function(text: &str, column: &Column) -> SqlResult<Arc<MaskFunction>> {
    let mask = MaskFunction::parse(text).map_err(|fault| told(fault, &column.name))?;
    fits(&mask, column)?;
    Ok(Arc::new(mask))
}

/// Whether a column's type is one that the function masks: 16001, 16003, 16005.
pub(super) fn fits(mask: &MaskFunction, column: &Column) -> SqlResult<()> {
    mask.fits(column.ty, column.xml).map_err(|fault| told(fault, &column.name))
}

/// Adds or changes the mask of a column of a table that is locked, or (no text) drops it: 4924, 4928, 16007, and what [`function`] and
/// [`refuse_users`] find.
pub(super) fn alter(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    name: &ast::Ident,
    text: Option<&str>,
) -> SqlResult<()> {
    let Some(at) = table.column(&name.value) else {
        let shown = shown_name(cx, table);
        let e = SqlError::new(4924, &[&"ALTER TABLE ALTER COLUMN", &name.value, &shown]);
        return Err(e.with_state(2));
    };
    let mut column = table.columns[at].clone();
    if column.computed.is_some() {
        return Err(SqlError::new(4928, &[&column.name, &"COMPUTED"]));
    }
    match text {
        Some(text) => {
            column.mask = Some(function(text, &column)?);
            refuse_users(cx, database, table, at)?;
        }
        None if column.mask.is_none() => return Err(SqlError::new(16007, &[&column.name])),
        None => {
            column.mask = None;
            masks::remove_mask(cx.transaction(database)?, table.head.id, column.id)?;
        }
    }
    let identity = identity_row(table, at);
    rows::write_column(cx.transaction(database)?, table.head.id, &column, identity)?;
    index::refresh(cx, database, table, &[]).map(drop)
}

/// 5074 for each computed column, index and schema-bound module that reads a column, then 4922: none of them may have been made of values
/// that a mask hides since.
pub(super) fn refuse_users(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    at: usize,
) -> SqlResult<()> {
    let column = &table.columns[at];
    let reads = |c: &&Column| c.computed.as_ref().is_some_and(|c| c.reads(&column.name));
    let mut users: Vec<(&str, Arc<str>)> =
        table.columns.iter().filter(reads).map(|c| ("column", c.name.clone())).collect();
    for index in table.defined().filter(|i| i.covers(at).is_some()) {
        let what = if index.constraint.0 != 0 { "object" } else { "index" };
        users.push((what, index.name.clone()));
    }
    if let Some(module) = bound_to(cx.session, database, table.head.id, Some(at))? {
        users.push(("object", module));
    }
    if users.is_empty() {
        return Ok(());
    }
    for (what, name) in users {
        cx.reason(SqlError::new(5074, &[&what, &name, &"column", &column.name]))?;
    }
    Err(SqlError::new(4922, &[&"ALTER TABLE ALTER COLUMN", &column.name, &"column"]))
}

/// An error of a statement on a table, without a value that a mask hides from the session.
pub(super) fn covered(
    cx: &mut StatementContext<'_>,
    name: &ast::ObjectName,
    e: Box<SqlError>,
) -> Box<SqlError> {
    // Nothing is asked, and no lock waited for, after a lock that was not given or a cancelled statement.
    if !cx.session.may_cover(&e) {
        return e;
    }
    let missing = || SqlError::new(4902, &[name]);
    match resolve::table(cx, name, missing) {
        Ok((database, table)) => cx.session.cover(e, std::iter::once((&*database, &*table))),
        Err(_) => e,
    }
}
