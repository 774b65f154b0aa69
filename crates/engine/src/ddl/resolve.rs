//! Names in DDL: which database, which schema, which object.

use crate::catalog::{DBO, Object, Schema, Table, fold};
use crate::context::StatementContext;
use crate::database::Database;
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

/// Whether the name is a temp table's.
pub(crate) fn is_temp(name: &str) -> bool {
    name.starts_with('#')
}

/// The database that a name lies in.
pub(crate) fn database_of(
    cx: &StatementContext<'_>,
    name: &ast::ObjectName,
) -> SqlResult<Arc<Database>> {
    if name.server.is_some() {
        return Err(SqlError::new(40510, &[&"A four-part name"]));
    }
    if is_temp(&name.name.value) {
        return cx.instance().databases().tempdb();
    }
    match &name.database {
        Some(database) => cx.instance().databases().get(&database.value),
        None => Ok(cx.database()),
    }
}

/// Where an object of this name is to be created: 911, 2760.
pub(crate) fn target(cx: &StatementContext<'_>, name: &ast::ObjectName) -> SqlResult<Target> {
    let database = database_of(cx, name)?;
    if is_temp(&name.name.value) {
        if name.name.value.starts_with("##") {
            return Err(SqlError::new(40510, &[&"A global temporary table"]));
        }
        if name.name.value.chars().count() > 116 {
            return Err(SqlError::new(193, &[&name.name.value, &116]));
        }
        let schema = schema_of(&database, None)?;
        let written = name.name.value.to_string();
        let name = temp_name(&written);
        return Ok(Target { database, schema, name, temp: Some(written) });
    }
    let schema = schema_of(&database, name.schema.as_ref().map(|s| &*s.value))?;
    Ok(Target { database, schema, name: name.name.value.to_string(), temp: None })
}

fn schema_of(database: &Database, name: Option<&str>) -> SqlResult<Schema> {
    match name {
        None | Some("") => {
            let name = database.catalog.schema_name(DBO).unwrap_or_else(|| "dbo".into());
            Ok(Schema { id: DBO, name, principal: 1 })
        }
        Some(name) => database.catalog.schema(name).ok_or_else(|| SqlError::new(2760, &[&name])),
    }
}

/// An existing object, temp tables of the session included.
pub(crate) fn find(
    cx: &StatementContext<'_>,
    name: &ast::ObjectName,
) -> SqlResult<Option<(Arc<Database>, Object)>> {
    let database = database_of(cx, name)?;
    if is_temp(&name.name.value) {
        let Some(temp) = cx.session.find_temp_table(&name.name.value) else { return Ok(None) };
        let object = database.catalog.object(temp.object_id);
        return Ok(object.map(|o| (database, o)));
    }
    let schema = name.schema.as_ref().map(|s| &*s.value);
    let object = database.catalog.find_named(schema, &name.name.value, cx.session.id);
    Ok(object.map(|o| (database, o)))
}

/// An existing user table: `missing` (4902, 1088, 3701 …) when there is none.
pub(crate) fn table(
    cx: &StatementContext<'_>,
    name: &ast::ObjectName,
    missing: impl FnOnce() -> Box<SqlError>,
) -> SqlResult<(Arc<Database>, Arc<Table>)> {
    match find(cx, name)? {
        Some((database, Object::Table(table))) => Ok((database, table)),
        _ => Err(missing()),
    }
}

/// Locks an object for a change of its definition and gives its table as it is then.
pub(crate) fn lock_for_change(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    missing: impl FnOnce() -> Box<SqlError>,
) -> SqlResult<Arc<Table>> {
    lock(cx, database, table.head.id)?;
    if database.catalog.is_current(table, cx.session.id) {
        return Ok(table.clone());
    }
    database.catalog.table(table.head.id).ok_or_else(missing)
}

/// Sch-M on an object, to the transaction's end.
pub(crate) fn lock(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    object: ObjectId,
) -> SqlResult<()> {
    let session = cx.session.id.0;
    let tx = cx.transaction(database)?;
    tx.lock_object(object, LockMode::SchM).map_err(|e| e.to_sql(session))
}

/// 2714 when the name is taken.
pub(crate) fn require_free(cx: &StatementContext<'_>, target: &Target, state: u8) -> SqlResult<()> {
    if let Some(temp) = &target.temp {
        // A procedure may have a #table of its own beside its caller's.
        let here = cx.session.nest_level;
        let taken =
            cx.session.temp_tables.iter().any(|t| t.level == here && fold(&t.name) == fold(temp));
        return match taken {
            true => Err(SqlError::new(2714, &[temp]).with_state(state)),
            false => Ok(()),
        };
    }
    match target.database.catalog.find(target.schema.id, &target.name, cx.session.id) {
        Some(_) => Err(SqlError::new(2714, &[&target.name]).with_state(state)),
        None => Ok(()),
    }
}
