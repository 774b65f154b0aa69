//! ALTER TABLE … ALTER COLUMN … ADD and DROP of properties: PERSISTED, ROWGUIDCOL, SPARSE, HIDDEN.

use super::alter::identity_row;
use super::draft::sparse_fits;
use super::index::{self, shown_name};
use crate::binder::bind_computed;
use crate::catalog::{Column, Computed, Generated, Table, rows};
use crate::database::Database;
use crate::exec::function_facts::{bound_to, facts_of};
use crate::exec::metadata::SessionMetadata;
use crate::exec::modify::full_name;
use crate::names::mentions;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::SqlType;

/// Adds or drops a property of a column of a table that is locked.
pub(super) fn alter(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    name: &ast::Ident,
    add: bool,
    property: &str,
) -> SqlResult<()> {
    let shown = shown_name(cx, table);
    let Some(at) = table.column(&name.value) else {
        let e = SqlError::new(4924, &[&"ALTER TABLE ALTER COLUMN", &name.value, &shown]);
        return Err(e.with_state(2));
    };
    let mut column = table.columns[at].clone();
    match property {
        "PERSISTED" => return persist(cx, database, table, at, add),
        "ROWGUIDCOL" => mark_guid(table, &mut column, add, &shown)?,
        "SPARSE" => {
            if column.computed.is_some() {
                return Err(SqlError::new(4928, &[&column.name, &"COMPUTED"]));
            }
            column.is_sparse = add;
            if add {
                may_be_sparse(table, &column)?;
            }
        }
        "HIDDEN" => {
            if column.generated == Generated::Never {
                let table = full_name(database, table);
                return Err(SqlError::new(13735, &[&column.name, &table]));
            }
            column.is_hidden = add;
        }
        _ => return Err(unsupported(format!("ALTER COLUMN … {property}"))),
    }
    let identity = identity_row(table, at);
    rows::write_column(cx.transaction(database)?, table.head.id, &column, identity)?;
    index::refresh(cx, database, table, &[]).map(drop)
}

/// ROWGUIDCOL: 2761 for another type, 4925 where the table has one, 4926 where the column is none.
fn mark_guid(table: &Table, column: &mut Column, add: bool, shown: &str) -> SqlResult<()> {
    match add {
        true if column.ty != SqlType::UniqueIdentifier => Err(SqlError::new(2761, &[])),
        true if table.columns.iter().any(|c| c.is_rowguid) => Err(SqlError::new(4925, &[&shown])),
        false if !column.is_rowguid => Err(SqlError::new(4926, &[&shown])),
        _ => {
            column.is_rowguid = add;
            Ok(())
        }
    }
}

/// Whether a column that is there may be sparse: 1731, 1919, 11410.
pub(super) fn may_be_sparse(table: &Table, column: &Column) -> SqlResult<()> {
    sparse_fits(table.name(), column)?;
    if column.default.is_some() {
        return Err(SqlError::new(11410, &[&column.name, &table.name()]));
    }
    let at = table.columns.iter().position(|c| c.id == column.id);
    let is_key = table.defined().any(|i| {
        let held = i.key.columns().iter().any(|k| Some(k.column) == at);
        held && (i.primary_key || i.kind == crate::catalog::IndexKind::Clustered)
    });
    match is_key {
        true => Err(SqlError::new(1919, &[&column.name, &table.name()])),
        false => Ok(()),
    }
}

/// ADD and DROP PERSISTED: the values of a column that is computed come to all rows, or leave them.
fn persist(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    at: usize,
    add: bool,
) -> SqlResult<()> {
    let column = &table.columns[at];
    let Some(computed) = &column.computed else {
        return Err(SqlError::new(4919, &[&column.name]));
    };
    if computed.persisted == add {
        return Ok(());
    }
    if add {
        let names = SessionMetadata::new(cx.session, database, &[]);
        let facts = facts_of(&bind_computed(&names, database, table, column)?);
        let reads_data = facts.reads_data || facts.reads_system;
        let number = match (facts.deterministic, reads_data) {
            (false, _) => Some(4936),
            (true, true) => Some(4934),
            (true, false) => None,
        };
        if let Some(number) = number {
            return Err(SqlError::new(number, &[&column.name, &table.name()]));
        }
    } else {
        refuse_users(cx, database, table, at)?;
    }
    let mut columns = table.columns.clone();
    columns[at].computed = Some(Arc::new(Computed { persisted: add, ..(**computed).clone() }));
    let stored = add || table.indexes.iter().any(|i| i.covers(at).is_some());
    super::stored::rewrite(cx, database, table, columns, (at, stored))
}

/// 5074 for each that holds a persisted column, then 4922. An INCLUDE does not.
fn refuse_users(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    at: usize,
) -> SqlResult<()> {
    let column = &table.columns[at];
    let mut users: Vec<(&str, Arc<str>)> = Vec::new();
    let checks = table.checks.iter().filter(|c| mentions(&c.definition, &column.name));
    users.extend(checks.map(|c| ("object", c.name.clone())));
    for key in database.catalog.foreign_keys_of(table.head.id, cx.session.id)? {
        if key.columns.iter().any(|c| c.0 == column.id) {
            users.push(("object", key.name.clone()));
        }
    }
    for index in table.defined() {
        if index.key.columns().iter().any(|k| k.column == at) {
            let what = if index.constraint.0 != 0 { "object" } else { "index" };
            users.push((what, index.name.clone()));
        }
    }
    let statistics = table.statistics.iter().filter(|s| s.names(at));
    users.extend(statistics.map(|s| ("statistics", s.name.clone())));
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
