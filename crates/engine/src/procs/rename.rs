//! `sp_rename`: tables, procedures, constraints, columns, indexes, databases.
//!
//! Only the name in the catalogue changes: the text of a procedure keeps what it says, as in SQL Server. A constraint that
//! made an index and the index have one name, so both change.

use super::{Arguments, name_parts};
use crate::catalog::rows::write_object;
use crate::catalog::systab::{self, SystemTables};
use crate::catalog::{Object, Table, fold};
use crate::database::Database;
use crate::ddl::{mentions, resolve, run_text};
use crate::plan::names::bracketed;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::Value;

fn ident(name: &str) -> ast::Ident {
    ast::Ident { value: name.into(), span: ast::Span::new(0, 0), delimited: true }
}

/// The name of an object from its parts, last first.
pub(super) fn object_name(parts: &[String]) -> ast::ObjectName {
    let mut name = ast::ObjectName::bare(ident(parts.first().map_or("", |p| p)));
    let part = |at: usize| parts.get(at).filter(|p| !p.is_empty()).map(|p| ident(p));
    name.schema = part(1);
    name.database = part(2);
    name
}

/// `sp_rename @objname, @newname [, @objtype]`.
pub(super) fn rename(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let needed = |at: usize, name: &str| {
        args.text(at).ok_or_else(|| SqlError::new(201, &[&"sp_rename", &name]))
    };
    let (old, new) = (needed(0, "@objname")?, needed(1, "@newname")?);
    let kind = args.text(2).unwrap_or_else(|| "OBJECT".into()).to_ascii_uppercase();
    if new.trim().is_empty() || new.encode_utf16().count() > 128 {
        return Err(SqlError::new(15223, &[&"@newname"]));
    }
    let parts = name_parts(&old);
    if parts.first().is_some_and(|p| p.starts_with('#')) {
        return Err(SqlError::new(40510, &[&"sp_rename of a temporary table"]));
    }
    match &*kind {
        // Without a type the name may be a column's behind its table's.
        "OBJECT" if args.text(2).is_none() && is_column(cx, &parts)? => {
            column(cx, &parts, &old, &new)?;
        }
        "OBJECT" => object(cx, &parts, &old, &new)?,
        "COLUMN" => column(cx, &parts, &old, &new)?,
        "INDEX" => index(cx, &parts, &old, &new)?,
        "DATABASE" => {
            let from = parts.first().map_or("", |p| p);
            let text =
                format!("ALTER DATABASE {} MODIFY NAME = {}", bracketed(from), bracketed(&new));
            return run_text(cx, &text, || SqlError::new(15248, &[&kind])).map(|()| 0);
        }
        "USERDATATYPE" | "STATISTICS" => {
            return Err(SqlError::new(40510, &[&format_args!("sp_rename of {kind}")]));
        }
        _ => return Err(SqlError::new(15249, &[&kind])),
    }
    cx.message(SqlError::new(15477, &[]))?;
    Ok(0)
}

fn missing(cx: &StatementContext<'_>, old: &str, kind: &str) -> Box<SqlError> {
    SqlError::new(15225, &[&old, &cx.database().name, &kind])
}

fn object(cx: &mut StatementContext<'_>, parts: &[String], old: &str, new: &str) -> SqlResult<()> {
    let name = object_name(parts);
    let Some((database, found)) = resolve::find(cx, &name)? else {
        return Err(missing(cx, old, "(null)"));
    };
    let head = found.head().clone();
    let (catalog, session) = (&database.catalog, cx.session.id);
    // Before the object, as those who create and drop take names; both in one order, so that two who rename to and fro
    // wait for each other in turn.
    let mut names = [&*head.name, new];
    names.sort_by_key(|name| catalog.name_resource(head.schema_id, name));
    for name in names {
        catalog.lock_name(cx.transaction(&database)?, session, head.schema_id, name)?;
    }
    if let Some(other) = catalog.find(head.schema_id, new, session)
        && other.head().id != head.id
    {
        return Err(SqlError::new(15335, &[&new, &"object"]));
    }
    // A constraint is locked by its table.
    let locked = if head.parent.0 != 0 { head.parent } else { head.id };
    resolve::lock(cx, &database, locked)?;
    // Whoever was waited for may have dropped it, or given its name to another.
    let now = database.catalog.find(head.schema_id, &head.name, session);
    let Some(now) = now.filter(|o| o.head().id == head.id) else {
        return Err(missing(cx, old, "(null)"));
    };
    let detail = match &now {
        Object::Constraint(c) => c.detail,
        _ => 0,
    };
    let mut head = now.head().clone();
    head.name = new.into();
    head.modified = database.catalog.now();
    head.system_named = false;
    let tx = cx.transaction(&database)?;
    write_object(tx, &head, detail)?;
    let mut touched = vec![head.id];
    if head.parent.0 != 0 {
        if let Some(Object::Table(table)) = database.catalog.object(head.parent, session) {
            for index in table.indexes.iter().filter(|i| i.constraint == head.id) {
                rename_row(cx, &database, table.head.id, index.id.0 as i64, new)?;
            }
        }
        touched.push(head.parent);
    }
    refresh(cx, &database, &touched)
}

/// Whether a name is no object's, and that of a column behind a table's. `parts` has the last part first.
fn is_column(cx: &mut StatementContext<'_>, parts: &[String]) -> SqlResult<bool> {
    let Some((last, before)) = parts.split_first().filter(|p| !p.1.is_empty()) else {
        return Ok(false);
    };
    if parts.len() < 4 && matches!(resolve::find(cx, &object_name(parts)), Ok(Some(_))) {
        return Ok(false);
    }
    let table = match resolve::find(cx, &object_name(before)) {
        Ok(Some((_, Object::Table(table)))) => table,
        _ => return Ok(false),
    };
    Ok(table.column(last).is_some())
}

/// The table before the last part of a name, locked.
fn table_of(
    cx: &mut StatementContext<'_>,
    parts: &[String],
    old: &str,
    kind: &str,
) -> SqlResult<(Arc<Database>, Arc<Table>)> {
    let wrong = SqlError::new(15248, &[&kind]);
    if parts.len() < 2 {
        return Err(wrong);
    }
    let name = object_name(&parts[1..]);
    let (database, table) = resolve::table(cx, &name, || wrong)?;
    let gone = missing(cx, old, kind);
    let table = resolve::lock_for_change(cx, &database, &table, || gone)?;
    Ok((database, table))
}

fn column(cx: &mut StatementContext<'_>, parts: &[String], old: &str, new: &str) -> SqlResult<()> {
    let (database, table) = table_of(cx, parts, old, "COLUMN")?;
    let same = |name: &str, other: &str| fold(name) == fold(other);
    let Some(column) = table.columns.iter().find(|c| same(&c.name, &parts[0])) else {
        return Err(SqlError::new(15248, &[&"COLUMN"]));
    };
    if table.columns.iter().any(|c| c.id != column.id && same(&c.name, new)) {
        return Err(SqlError::new(15335, &[&new, &"COLUMN"]));
    }
    let filters = table.indexes.iter().filter_map(|i| i.filter.as_ref());
    let mut texts =
        table.checks.iter().map(|c| &c.definition).chain(filters.map(|f| &f.definition));
    if texts.any(|text| mentions(text, &column.name)) {
        // The text of the constraint would name a column that is not there.
        return Err(SqlError::new(15336, &[&old]));
    }
    let key = [table.head.id.0 as i64, column.id as i64];
    let tx = cx.transaction(&database)?;
    let mut row =
        systab::get(tx, &SystemTables::COLUMNS, &key)?.ok_or_else(|| SqlError::new(5243, &[]))?;
    row[0] = Value::nvarchar(new);
    systab::put(tx, &SystemTables::COLUMNS, &key, &row)?;
    refresh(cx, &database, &[table.head.id])
}

fn index(cx: &mut StatementContext<'_>, parts: &[String], old: &str, new: &str) -> SqlResult<()> {
    let (database, table) = table_of(cx, parts, old, "INDEX")?;
    let found = table.indexes.iter().find(|i| fold(&i.name) == fold(&parts[0]) && i.id.0 != 0);
    let Some(index) = found else { return Err(SqlError::new(15248, &[&"INDEX"])) };
    if table.indexes.iter().any(|i| i.id != index.id && fold(&i.name) == fold(new)) {
        return Err(SqlError::new(15335, &[&new, &"INDEX"]));
    }
    let constraint = index.constraint;
    rename_row(cx, &database, table.head.id, index.id.0 as i64, new)?;
    let mut touched = vec![table.head.id];
    if constraint.0 != 0
        && let Some(Object::Constraint(c)) = database.catalog.object(constraint, cx.session.id)
    {
        let mut head = c.head.clone();
        head.name = new.into();
        write_object(cx.transaction(&database)?, &head, c.detail)?;
        touched.push(constraint);
    }
    refresh(cx, &database, &touched)
}

fn rename_row(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: ObjectId,
    index: i64,
    new: &str,
) -> SqlResult<()> {
    let key = [table.0 as i64, index];
    let tx = cx.transaction(database)?;
    let mut row =
        systab::get(tx, &SystemTables::INDEXES, &key)?.ok_or_else(|| SqlError::new(5243, &[]))?;
    row[0] = Value::nvarchar(new);
    systab::put(tx, &SystemTables::INDEXES, &key, &row)
}

fn refresh(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    touched: &[ObjectId],
) -> SqlResult<()> {
    let session = cx.session.id;
    database.catalog.refresh(cx.transaction(database)?, session, touched)
}
