//! `sp_rename`: tables, procedures, constraints, columns, indexes, statistics, databases.
//!
//! Only the name in the catalogue changes: the text of a procedure keeps what it says, as in SQL Server. A constraint that
//! made an index and the index have one name, so both change.

use super::Arguments;
use crate::catalog::rows::write_object;
use crate::catalog::systab::{self, SystemTables};
use crate::catalog::{Column, Object, Table, fold};
use crate::database::Database;
use crate::ddl::versioning::lock_history;
use crate::ddl::{events, resolve, run_text, user_of_sequence};
use crate::exec::ddl_events::object_type;
use crate::exec::function_facts::bound_to;
use crate::exec::modify::full_name;
use crate::names::{mentions, name_parts};
use crate::plan::names::bracketed;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{IndexId, ObjectId, SqlError, SqlResult};
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

/// The types that `@objtype` may name.
const TYPES: [&str; 6] = ["COLUMN", "DATABASE", "INDEX", "OBJECT", "STATISTICS", "USERDATATYPE"];

/// `sp_rename @objname, @newname [, @objtype]`.
pub(super) fn rename(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let needed = |at: usize, name: &str| match (args.text(at), args.typed(at)) {
        (Some(text), _) => Ok(text),
        (None, Some(_)) => Err(SqlError::new(15223, &[&name])),
        (None, None) => Err(SqlError::new(201, &[&"sp_rename", &name])),
    };
    let (old, new) = (needed(0, "@objname")?, needed(1, "@newname")?);
    let given = args.text(2).map(|kind| kind.to_ascii_uppercase());
    if let Some(kind) = given.as_ref().filter(|kind| !TYPES.contains(&kind.as_str())) {
        return Err(SqlError::new(15249, &[kind]));
    }
    if new.trim().is_empty() || new.encode_utf16().count() > 128 {
        return Err(SqlError::new(15223, &[&"@newname"]));
    }
    let parts = name_parts(&old);
    if parts.len() > 4 || parts.first().is_none_or(|last| last.is_empty()) {
        return Err(SqlError::new(15253, &[&old]));
    }
    if parts.first().is_some_and(|p| p.starts_with('#')) {
        return Err(SqlError::new(40510, &[&"sp_rename of a temporary table"]));
    }
    if given.as_deref() == Some("DATABASE") {
        let from = parts.first().map_or("", |p| p);
        let text = format!("ALTER DATABASE {} MODIFY NAME = {}", bracketed(from), bracketed(&new));
        return run_text(cx, &text, || SqlError::new(15248, &[&"DATABASE"])).map(|()| 0);
    }
    let kind = match given.as_deref() {
        Some(kind) => {
            let database = if kind == "OBJECT" { parts.get(2) } else { parts.get(3) };
            require_current(cx, database)?;
            kind
        }
        None => meaning(cx, &parts, &old)?,
    };
    match kind {
        "OBJECT" => object(cx, &parts, &old, &new, given.as_deref())?,
        "COLUMN" => column(cx, &parts, &old, &new)?,
        "INDEX" => index(cx, &parts, &old, &new)?,
        "STATISTICS" => statistics(cx, &parts, &old, &new)?,
        "USERDATATYPE" => {
            if !crate::ddl::user_type::rename(cx, &object_name(&parts), &new)? {
                return Err(missing(cx, &old, kind));
            }
        }
        _ => return Err(SqlError::new(40510, &[&format_args!("sp_rename of {kind}")])),
    }
    tell(cx, &parts, kind, &new)?;
    cx.message(SqlError::new(15477, &[]))?;
    Ok(0)
}

/// Notes the event, with the table of a column, index or statistics.
fn tell(cx: &mut StatementContext<'_>, parts: &[String], kind: &str, new: &str) -> SqlResult<()> {
    let last = parts.first().map_or("", |p| p);
    let parameters = [Some(new), Some(kind)];
    match kind {
        "OBJECT" => {
            let mut now = object_name(parts);
            now.name = ident(new);
            if let Some((database, object)) = resolve::find(cx, &now)? {
                let head = object.head();
                let renamed = (&*head.schema, last, object_type(head.kind));
                events::of_rename(cx, &database, renamed, None, (new, &parameters));
            }
        }
        "USERDATATYPE" => {
            let database = cx.database();
            let schema = parts.get(1).map_or("dbo", |s| s);
            events::of_rename(cx, &database, (schema, last, "TYPE"), None, (new, &parameters));
        }
        _ => {
            if let Some((database, object)) = resolve::find(cx, &object_name(&parts[1..]))? {
                let head = object.head();
                let target = Some((&*head.name, object_type(head.kind)));
                let renamed = (&*head.schema, last, kind);
                events::of_rename(cx, &database, renamed, target, (new, &parameters));
            }
        }
    }
    Ok(())
}

/// 15333 for another database's name; an empty part names the current one.
fn require_current(cx: &StatementContext<'_>, database: Option<&String>) -> SqlResult<()> {
    match database {
        Some(name) if !is_current(cx, name) => Err(SqlError::new(15333, &[name])),
        _ => Ok(()),
    }
}

fn is_current(cx: &StatementContext<'_>, database: &str) -> bool {
    database.is_empty() || fold(database) == fold(&cx.database().name)
}

/// Whether a name may be an object's: three parts at most, or four with this server's name before them.
fn is_objects(cx: &StatementContext<'_>, parts: &[String]) -> bool {
    let own = &cx.instance().options().server_name;
    parts.get(3).is_none_or(|server| server.is_empty() || fold(server) == fold(own))
}

/// The type that a name has where none was said: 15225 if nothing has the name, 15248 if several things do.
fn meaning(cx: &mut StatementContext<'_>, parts: &[String], old: &str) -> SqlResult<&'static str> {
    let mut found = Vec::new();
    let mut foreign = None;
    let mut of_database = |at: usize| match parts.get(at) {
        Some(name) if !is_current(cx, name) => {
            foreign = Some(name);
            false
        }
        _ => true,
    };
    let (may_be_object, may_be_part) = (is_objects(cx, parts) && of_database(2), of_database(3));
    if may_be_object && resolve::find(cx, &object_name(parts))?.is_some() {
        found.push("OBJECT");
    }
    if may_be_part
        && parts.len() > 1
        && let Some((_, Object::Table(table))) = resolve::find(cx, &object_name(&parts[1..]))?
    {
        let last = &parts[0];
        let is_index = table.index(last).is_some();
        let each = [
            ("COLUMN", table.column(last).is_some()),
            ("INDEX", is_index),
            ("STATISTICS", !is_index && table.own_statistics(last).is_some()),
        ];
        found.extend(each.iter().filter(|(_, is)| *is).map(|(kind, _)| *kind));
    }
    match (&found[..], foreign) {
        ([one], _) => Ok(one),
        ([], Some(name)) if cx.instance().databases().slot(name).is_some() => {
            Err(SqlError::new(15333, &[name]))
        }
        ([], _) => Err(missing(cx, old, "(null)")),
        _ => Err(SqlError::new(15248, &[&"(null)"])),
    }
}

fn missing(cx: &StatementContext<'_>, old: &str, kind: &str) -> Box<SqlError> {
    SqlError::new(15225, &[&old, &cx.database().name, &kind])
}

/// Renames what sys.objects lists. `given`: the type that was said, for messages.
fn object(
    cx: &mut StatementContext<'_>,
    parts: &[String],
    old: &str,
    new: &str,
    given: Option<&str>,
) -> SqlResult<()> {
    let name = object_name(parts);
    let given = given.unwrap_or("(null)");
    let found = if is_objects(cx, parts) { resolve::find(cx, &name)? } else { None };
    let Some((database, found)) = found else {
        return Err(missing(cx, old, given));
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
        return Err(missing(cx, old, given));
    };
    if bound_to(cx.session, &database, head.id, None)?.is_some() {
        return Err(SqlError::new(15336, &[&old]));
    }
    if let Object::Sequence(sequence) = &now
        && user_of_sequence(cx, &database, sequence).is_some()
    {
        return Err(SqlError::new(15336, &[&old]));
    }
    let detail = match &now {
        Object::Constraint(c) => c.detail,
        _ => 0,
    };
    if let Some(Object::Table(table)) = database.catalog.object(head.parent, session)
        && let Some(index) = table.defined().find(|i| i.constraint == head.id)
    {
        require_free(&table, index.id, new, "INDEX")?;
    }
    let mut head = now.head().clone();
    head.name = new.into();
    head.modified = database.catalog.now();
    head.system_named = false;
    let tx = cx.transaction(&database)?;
    write_object(tx, &head, detail)?;
    let mut touched = vec![head.id];
    if head.parent.0 != 0 {
        if let Some(Object::Table(table)) = database.catalog.object(head.parent, session) {
            for index in table.defined().filter(|i| i.constraint == head.id) {
                rename_row(cx, &database, table.head.id, index.id.0 as i64, new)?;
            }
        }
        touched.push(head.parent);
    }
    refresh(cx, &database, &touched)
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
    if table.head.is_history() {
        return Err(SqlError::new(13759, &[&full_name(&database, &table)]));
    }
    let history = lock_history(cx, &database, &table)?;
    let same = |name: &str, other: &str| fold(name) == fold(other);
    let Some(column) = table.columns.iter().find(|c| same(&c.name, &parts[0])) else {
        return Err(SqlError::new(15248, &[&"COLUMN"]));
    };
    if column.computed.is_some() {
        return Err(SqlError::new(4928, &[&column.name, &"COMPUTED"]));
    }
    if table.columns.iter().any(|c| c.id != column.id && same(&c.name, new)) {
        return Err(SqlError::new(15335, &[&new, &"COLUMN"]));
    }
    let filters = table.defined().filter_map(|i| i.filter.as_ref());
    let filters = filters.chain(table.statistics.iter().filter_map(|s| s.filter.as_ref()));
    let mut texts =
        table.checks.iter().map(|c| &c.definition).chain(filters.map(|f| &f.definition));
    let at = table.columns.iter().position(|c| c.id == column.id);
    let bound = bound_to(cx.session, &database, table.head.id, at)?.is_some();
    let read = |c: &Column| c.computed.as_ref().is_some_and(|c| c.reads(&column.name));
    let read = table.columns.iter().any(read);
    if bound || read || texts.any(|text| mentions(text, &column.name)) {
        // The text of the constraint or function would name a column that is not there.
        return Err(SqlError::new(15336, &[&old]));
    }
    rename_column(cx, &database, &table, column, new)?;
    match history.as_deref().zip(at) {
        Some((history, at)) => rename_column(cx, &database, history, &history.columns[at], new),
        None => Ok(()),
    }
}

fn rename_column(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    column: &Column,
    new: &str,
) -> SqlResult<()> {
    let key = [table.head.id.0 as i64, column.id as i64];
    let tx = cx.transaction(database)?;
    let mut row =
        systab::get(tx, &SystemTables::COLUMNS, &key)?.ok_or_else(|| SqlError::new(5243, &[]))?;
    row[0] = Value::nvarchar(new);
    systab::put(tx, &SystemTables::COLUMNS, &key, &row)?;
    refresh(cx, database, &[table.head.id])
}

/// Renames an index, and the constraint that it is the index of: that has the same name.
fn index(cx: &mut StatementContext<'_>, parts: &[String], old: &str, new: &str) -> SqlResult<()> {
    let (database, table) = table_of(cx, parts, old, "INDEX")?;
    let Some(index) = table.index(&parts[0]).cloned() else {
        return Err(SqlError::new(15248, &[&"INDEX"]));
    };
    require_free(&table, index.id, new, "INDEX")?;
    if index.constraint.0 != 0 {
        let constraint = [index.name.to_string(), table.head.schema.to_string()];
        return object(cx, &constraint, old, new, Some("INDEX"));
    }
    rename_row(cx, &database, table.head.id, index.id.0 as i64, new)?;
    refresh(cx, &database, &[table.head.id])
}

/// Renames statistics; those of an index are renamed with it.
fn statistics(
    cx: &mut StatementContext<'_>,
    parts: &[String],
    old: &str,
    new: &str,
) -> SqlResult<()> {
    let (database, table) = table_of(cx, parts, old, "STATISTICS")?;
    if table.index(&parts[0]).is_some() {
        return index(cx, parts, old, new);
    }
    let Some(id) = table.own_statistics(&parts[0]).map(|own| own.id) else {
        return Err(SqlError::new(15248, &[&"STATISTICS"]));
    };
    require_free(&table, id, new, "STATISTICS")?;
    rename_row(cx, &database, table.head.id, id.0 as i64, new)?;
    refresh(cx, &database, &[table.head.id])
}

/// 15335 when another index, or statistics of the table, have the name.
fn require_free(table: &Table, id: IndexId, new: &str, kind: &str) -> SqlResult<()> {
    let index = table.index(new).map(|index| index.id);
    let taken = index.or_else(|| table.own_statistics(new).map(|own| own.id));
    match taken.is_some_and(|other| other != id) {
        true => Err(SqlError::new(15335, &[&new, &kind])),
        false => Ok(()),
    }
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
