//! Names in DDL: which database, which schema, which object.

use crate::catalog::{DBO, Object, ObjectHead, Schema, Table, fold};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast;

/// Where a new object goes.
pub(crate) struct Target {
    /// The database.
    pub database: Arc<Database>,
    /// The schema.
    pub schema: Schema,
    /// The name in the catalogue.
    pub name: String,
    /// The name as the user wrote it, for a temp table.
    pub temp: Option<String>,
}

static NEXT_TEMP: AtomicU64 = AtomicU64::new(1);

/// `#name` with the padding and number that tell the tables of different sessions apart.
pub(crate) fn temp_name(name: &str) -> String {
    let n = NEXT_TEMP.fetch_add(1, Ordering::Relaxed);
    format!("{name:_<116}{n:012X}")
}

/// The database that a name lies in.
pub(crate) fn database_of(
    cx: &StatementContext<'_>,
    name: &ast::ObjectName,
) -> SqlResult<Arc<Database>> {
    if name.server.is_some() {
        return Err(SqlError::new(40510, &[&"A four-part name"]));
    }
    if name.name.value.starts_with('#') {
        return cx.instance().databases().tempdb();
    }
    match &name.database {
        Some(database) => cx.instance().databases().get(&database.value),
        None => Ok(cx.database()),
    }
}

/// Where an object of this name is to be created: 911, 2760. The schema stays to the transaction's end.
pub(crate) fn target(cx: &mut StatementContext<'_>, name: &ast::ObjectName) -> SqlResult<Target> {
    let database = database_of(cx, name)?;
    if crate::catalog::is_temp(&name.name.value) {
        if name.name.value.chars().count() > 116 {
            return Err(SqlError::new(193, &[&name.name.value, &116]));
        }
        let schema = schema_of(cx, &database, Some("dbo"))?;
        let written = name.name.value.to_string();
        let name = temp_name(&written);
        return Ok(Target { database, schema, name, temp: Some(written) });
    }
    let schema = schema_of(cx, &database, name.schema.as_ref().map(|s| &*s.value))?;
    Ok(Target { database, schema, name: name.name.value.to_string(), temp: None })
}

fn schema_of(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    name: Option<&str>,
) -> SqlResult<Schema> {
    let session = cx.session.id;
    let catalog = &database.catalog;
    let own;
    let name = match name {
        // A default schema is one of the current database.
        None | Some("")
            if database.id != cx.session.database.id
                || cx.session.schema_or_default(None).eq_ignore_ascii_case("dbo") =>
        {
            let name = catalog.schema_name(DBO, session).unwrap_or_else(|| "dbo".into());
            return Ok(Schema { id: DBO, name, principal: 1 });
        }
        None | Some("") => {
            own = cx.session.schema_or_default(None);
            &own
        }
        Some(name) => name,
    };
    let missing = || SqlError::new(2760, &[&name]);
    let find = |cx: &mut StatementContext<'_>| {
        cx.settled(|cx| {
            let found = catalog.schema(name, session);
            if found.is_none() {
                // One that is being created would tell by this name too.
                cx.session.note_blocked(catalog.blocked_name(Some(name), "", session));
            }
            found.ok_or_else(missing)
        })
    };
    let schema = find(cx)?;
    if schema.id != DBO {
        let resource = catalog.schema_resource(schema.id);
        catalog.lock(cx.transaction(database)?, session, resource, LockMode::S)?;
        // It may have been dropped meanwhile.
        return find(cx);
    }
    Ok(schema)
}

/// An existing object, temp tables of the session included. Waits for another session's DDL where that decides whether
/// there is one of this name; what it is, is only certain under a lock.
pub(crate) fn find(
    cx: &mut StatementContext<'_>,
    name: &ast::ObjectName,
) -> SqlResult<Option<(Arc<Database>, Object)>> {
    let database = database_of(cx, name)?;
    let id = cx.session.id;
    if crate::catalog::is_temp(&name.name.value) {
        let Some(temp) = cx.session.find_temp_table(&name.name.value) else { return Ok(None) };
        let object = database.catalog.object(temp.object_id, id);
        return Ok(object.map(|o| (database, o)));
    }
    let schema = name.schema.as_ref().map(|s| &*s.value);
    let object = named(cx, &database, schema, &name.name.value)?;
    Ok(object.map(|o| (database, o)))
}

fn named(
    cx: &mut StatementContext<'_>,
    database: &Database,
    schema: Option<&str>,
    name: &str,
) -> SqlResult<Option<Object>> {
    cx.settled(|cx| Ok(cx.session.found_in(database, schema, name)))
}

/// An existing user table: `missing` (4902, 1088, 3701 …) when there is none.
pub(crate) fn table(
    cx: &mut StatementContext<'_>,
    name: &ast::ObjectName,
    missing: impl FnOnce() -> Box<SqlError>,
) -> SqlResult<(Arc<Database>, Arc<Table>)> {
    match find(cx, name)? {
        Some((database, Object::Table(table))) => Ok((database, table)),
        _ => Err(missing()),
    }
}

/// An existing user table, or the rows of a view that has indexes: `missing` when there is none.
pub(crate) fn indexed(
    cx: &mut StatementContext<'_>,
    name: &ast::ObjectName,
    missing: impl FnOnce() -> Box<SqlError>,
) -> SqlResult<(Arc<Database>, Arc<Table>)> {
    let found = find(cx, name)?;
    found.and_then(|(database, o)| Some((database, rows_of(o)?))).ok_or_else(missing)
}

/// The table that has the rows of an object: itself, or that of a view with indexes.
fn rows_of(object: Object) -> Option<Arc<Table>> {
    match object {
        Object::Table(table) => Some(table),
        Object::View(view) => view.indexed.clone(),
        _ => None,
    }
}

/// Locks an object for a change of its definition and gives it as it is then: what has its name when the lock is there.
/// `None` when nothing of its name is left.
pub(crate) fn lock_object(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    head: &ObjectHead,
) -> SqlResult<Option<Object>> {
    lock_with(cx, database, head, lock)
}

/// The same with another lock.
pub(crate) fn lock_with(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    head: &ObjectHead,
    lock: fn(&mut StatementContext<'_>, &Arc<Database>, ObjectId) -> SqlResult<()>,
) -> SqlResult<Option<Object>> {
    let mut id = head.id;
    loop {
        lock(cx, database, id)?;
        if database.id.0 == 2 && crate::catalog::is_temp(&head.name) {
            // Found by the session's own list, and nobody else's.
            return Ok(database.catalog.object(id, cx.session.id));
        }
        // The transaction that was waited for may have dropped it, or given it another name; and its name to another.
        match named(cx, database, Some(&head.schema), &head.name)? {
            Some(object) if object.head().id == id => return Ok(Some(object)),
            Some(other) => id = other.head().id,
            None => return Ok(None),
        }
    }
}

/// Locks a table for a change of its definition and gives it as it is then.
pub(crate) fn lock_for_change(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    missing: impl FnOnce() -> Box<SqlError>,
) -> SqlResult<Arc<Table>> {
    lock_object(cx, database, &table.head)?.and_then(rows_of).ok_or_else(missing)
}

/// Locks a table for the making of an index beside its rows: nobody changes them, everybody may read. One index is made
/// at a time, so that two that have the lock do not both wait to have the table for themselves in the end.
pub(crate) fn lock_for_index(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    missing: impl FnOnce() -> Box<SqlError>,
) -> SqlResult<Arc<Table>> {
    let locked = lock_with(cx, database, &table.head, |cx, database, id| {
        let session = cx.session.id;
        let catalog = &database.catalog;
        let tx = cx.transaction(database)?;
        let mine = tx.locks_mut().object_mode(&catalog.object_resource(id)) == LockMode::SchM;
        if !mine {
            // Whoever has the list and wants the table would wait for this session, and it for them.
            catalog.lock(tx, session, catalog.indexes_resource(id), LockMode::X)?;
        }
        catalog.lock_table(tx, session, id, LockMode::S).map(drop)
    })?;
    match locked {
        Some(Object::Table(table)) => Ok(table),
        _ => Err(missing()),
    }
}

/// Sch-M on an object, to the transaction's end.
pub(crate) fn lock(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    object: ObjectId,
) -> SqlResult<()> {
    let session = cx.session.id;
    let tx = cx.transaction(database)?;
    database.catalog.lock_for_change(tx, session, object)
}

/// 2714 when the name is taken; else nobody can take it before the transaction's end.
pub(crate) fn require_free(
    cx: &mut StatementContext<'_>,
    target: &Target,
    state: u8,
) -> SqlResult<()> {
    if let Some(temp) = &target.temp {
        // A procedure may have a #table of its own beside its caller's.
        let taken = cx.session.activation.temps.iter().any(|t| fold(&t.name) == fold(temp));
        return match taken {
            true => Err(SqlError::new(2714, &[temp]).with_state(state)),
            false => Ok(()),
        };
    }
    match lock_name(cx, target)? {
        Some(_) => Err(SqlError::new(2714, &[&target.name]).with_state(state)),
        None => Ok(()),
    }
}

/// Locks a name to the transaction's end; what has it.
pub(crate) fn lock_name(
    cx: &mut StatementContext<'_>,
    target: &Target,
) -> SqlResult<Option<Object>> {
    let (catalog, session) = (&target.database.catalog, cx.session.id);
    let tx = cx.transaction(&target.database)?;
    catalog.lock_name(tx, session, target.schema.id, &target.name)?;
    Ok(catalog.find(target.schema.id, &target.name, session))
}
