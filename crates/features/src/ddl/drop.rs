//! DROP of tables with their triggers, views, procedures, functions, synonyms, sequences and schemas; TRUNCATE TABLE.

use super::{events, grant, resolve};
use crate::catalog::rows::{self, IdentityRow};
use crate::catalog::systab::{self, SystemTables};
use crate::catalog::{Object, ObjectKind, Table};
use crate::database::Database;
use crate::exec::modify::full_name;
use crate::permissions::SecurableClass;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast;

/// `DROP TABLE | PROCEDURE | FUNCTION | SCHEMA | SEQUENCE | SYNONYM | VIEW`; databases are dropped in [`super::database`].
pub(crate) fn drop_objects(cx: &mut StatementContext<'_>, s: &ast::Drop) -> SqlResult<()> {
    let (is, what): (fn(ObjectKind) -> bool, _) = match s.kind {
        ast::DropKind::Table => (|k| k == ObjectKind::Table, "table"),
        ast::DropKind::Procedure => (|k| k == ObjectKind::Procedure, "procedure"),
        ast::DropKind::View => (|k| k == ObjectKind::View, "view"),
        ast::DropKind::Function => (ObjectKind::is_function, "function"),
        ast::DropKind::Synonym => (|k| k == ObjectKind::Synonym, "synonym"),
        ast::DropKind::Sequence => (|k| k == ObjectKind::Sequence, "sequence object"),
        ast::DropKind::SecurityPolicy => (|k| k == ObjectKind::SecurityPolicy, "security policy"),
        ast::DropKind::Schema => return drop_schemas(cx, s),
        ast::DropKind::Trigger => return super::trigger::drop_triggers(cx, s),
        _ => unreachable!("no such DROP is registered"),
    };
    for name in &s.names {
        let missing = || SqlError::new(3701, &[&"drop", &what, name]).with_state(5);
        let found = match resolve::find(cx, name) {
            Ok(found) => found,
            Err(e) if s.if_exists && absent(&e) => None,
            Err(e) => return Err(e),
        };
        if let Some((_, o)) = &found
            && !is(o.head().kind)
            && let Some((other, with)) = dropped_with(o.head().kind)
        {
            let verb = what.trim_end_matches(" object").to_uppercase();
            let name = &name.name.value;
            return Err(SqlError::new(3705, &[&verb, name, name, &other, &with]));
        }
        let found = found.filter(|(_, o)| is(o.head().kind));
        let Some((database, object)) = found else {
            if s.if_exists {
                continue;
            }
            return Err(missing());
        };
        let head = object.head();
        if !crate::catalog::is_temp(&name.name.value) {
            // Before the object, as those who create take them.
            let (catalog, session) = (&database.catalog, cx.session.id);
            catalog.lock_name(cx.transaction(&database)?, session, head.schema_id, &head.name)?;
        }
        let locked = resolve::lock_object(cx, &database, head)?;
        let Some(object) = locked.filter(|o| is(o.head().kind)) else {
            if s.if_exists {
                continue;
            }
            return Err(missing());
        };
        let id = object.head().id;
        if !database.is_temporary() {
            if let Object::Sequence(sequence) = &object {
                super::sequence::require_unused(cx, &database, sequence, name)?;
            }
            let verb = format!("DROP {}", what.trim_end_matches(" object").to_uppercase());
            if let Object::Table(table) = &object
                && !super::foreign::from_others(cx, &database, table)?.is_empty()
            {
                return Err(SqlError::new(3726, &[name]));
            }
            super::schema_binding::require_unbound(cx, &database, id, &verb, name)?;
        }
        match &object {
            Object::Table(table) => {
                super::trigger::not_fired_on(cx, &database, &table.head, "DROP TABLE")?;
                drop_table(cx, &database, table, name)?;
                if !table.is_temporary() {
                    events::of_object(cx, "DROP", &database, &table.head);
                }
            }
            _ => {
                super::trigger::drop_all(cx, &database, object.head())?;
                grant::forget(cx, &database, SecurableClass::Object, id.0)?;
                if let Object::View(view) = &object
                    && let Some(table) = &view.indexed
                {
                    super::indexed_view::remove_all(cx, &database, table)?;
                }
                let mut touched = match &object {
                    Object::Policy(policy) => super::policy::remove(cx, &database, policy)?,
                    _ => Vec::new(),
                };
                rows::remove_object(cx.transaction(&database)?, id)?;
                touched.push(id);
                let session = cx.session.id;
                database.catalog.refresh(cx.transaction(&database)?, session, &touched)?;
                if database.is_temporary() {
                    cx.session.remove_temp_table(id);
                }
                events::of_object(cx, "DROP", &database, object.head());
            }
        }
    }
    Ok(())
}

/// What an object is called that is named in the DROP of another kind, and what drops it.
fn dropped_with(kind: ObjectKind) -> Option<(&'static str, &'static str)> {
    match kind {
        ObjectKind::Table => Some(("table", "DROP TABLE")),
        ObjectKind::View => Some(("view", "DROP VIEW")),
        ObjectKind::Procedure => Some(("procedure", "DROP PROCEDURE")),
        ObjectKind::Trigger => Some(("trigger", "DROP TRIGGER")),
        ObjectKind::Sequence => Some(("sequence object", "DROP SEQUENCE")),
        ObjectKind::Synonym => Some(("synonym", "DROP SYNONYM")),
        ObjectKind::SecurityPolicy => Some(("security policy", "DROP SECURITY POLICY")),
        kind if kind.is_function() => Some(("function", "DROP FUNCTION")),
        _ => None,
    }
}

/// Whether an error says that there is no such thing: all that IF EXISTS is silent about.
pub(super) fn absent(e: &SqlError) -> bool {
    matches!(e.number, 911 | 3701)
}

/// Drops a table that is locked: its constraints, indexes and rows. `written`: its name in messages.
pub(crate) fn drop_table(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    written: &dyn std::fmt::Display,
) -> SqlResult<()> {
    let id = table.head.id;
    if table.head.is_temporal() {
        return Err(SqlError::new(13552, &[&full_name(database, table)]));
    }
    if !super::foreign::from_others(cx, database, table)?.is_empty() {
        return Err(SqlError::new(3726, &[written]));
    }
    super::trigger::drop_all(cx, database, &table.head)?;
    grant::forget(cx, database, SecurableClass::Object, id.0)?;
    let mut touched = Vec::new();
    for constraint in database.catalog.constraints_of(id, cx.session.id) {
        rows::remove_object(cx.transaction(database)?, constraint.head.id)?;
        touched.push(constraint.head.id);
    }
    let session = cx.session.id;
    let tx = cx.transaction(database)?;
    rows::remove_object(tx, id)?;
    touched.push(id);
    // Before the heap and trees go: should that fail half way, the cache knows whose handles to renew.
    database.catalog.refresh(tx, session, &touched)?;
    for index in &table.indexes {
        database.storage.drop_hobt(tx, index.hobt_id).map_err(|e| e.to_sql())?;
    }
    if database.is_temporary() {
        cx.session.remove_temp_table(id);
    }
    Ok(())
}

fn drop_schemas(cx: &mut StatementContext<'_>, s: &ast::Drop) -> SqlResult<()> {
    for name in &s.names {
        let database = cx.database();
        let (catalog, session) = (&database.catalog, cx.session.id);
        let tx = cx.transaction(&database)?;
        catalog.lock(tx, session, catalog.schemas_resource(), LockMode::X)?;
        let Some(schema) = catalog.schema(&name.name.value, session) else {
            if s.if_exists {
                continue;
            }
            return Err(SqlError::new(15151, &[&"drop", &"schema", &name.name.value]));
        };
        if schema.id.0 < 5 || schema.id.0 >= 16384 {
            return Err(SqlError::new(15150, &[&"drop", &"schema", &schema.name]));
        }
        // Whoever puts an object into it has it locked.
        let tx = cx.transaction(&database)?;
        catalog.lock(tx, session, catalog.schema_resource(schema.id), LockMode::X)?;
        catalog.settle_schema(schema.id, session);
        let objects = catalog.objects(session);
        let types = catalog.types(session).into_iter().map(Object::Type);
        let mut all = objects.into_iter().chain(types);
        if let Some(user) = all.find(|o| o.head().schema_id == schema.id) {
            return Err(SqlError::new(3729, &[&"drop schema", &schema.name, &user.head().name]));
        }
        grant::forget(cx, &database, SecurableClass::Schema, schema.id.0)?;
        let tx = cx.transaction(&database)?;
        crate::catalog::properties::remove_all(tx, 3, schema.id.0, None)?;
        systab::remove(tx, &SystemTables::SCHEMAS, &[schema.id.0 as i64])?;
        catalog.refresh_schemas(tx, session, Some(schema.id))?;
        events::of_schema(cx, "DROP", &database, &schema.name);
    }
    Ok(())
}

/// `TRUNCATE TABLE`: all rows go, the identity begins anew.
pub(crate) fn truncate(cx: &mut StatementContext<'_>, s: &ast::Truncate) -> SqlResult<()> {
    let missing = || SqlError::new(4701, &[&s.table]);
    if let Some((_, object)) = resolve::find(cx, &s.table)?
        && object.head().kind != ObjectKind::Table
    {
        return Err(SqlError::new(4708, &[&s.table]));
    }
    let (database, table) = resolve::table(cx, &s.table, missing)?;
    let table = resolve::lock_for_change(cx, &database, &table, missing)?;
    if !super::foreign::from_others(cx, &database, &table)?.is_empty() {
        return Err(SqlError::new(4712, &[&s.table]));
    }
    super::disabled::refuse_table(&table)?;
    if table.head.is_temporal() {
        return Err(SqlError::new(13545, &[&full_name(&database, &table)]));
    }
    if let Some(view) = table.indexed_views.first() {
        let view = database.catalog.object(*view, cx.session.id);
        let view = view.map_or_else(String::new, |v| v.head().name.to_string());
        return Err(SqlError::new(3729, &[&"TRUNCATE TABLE", &s.table, &view]));
    }
    // Its definition stays; who names it waits all the same.
    let session = cx.session.id;
    let tx = cx.transaction(&database)?;
    database.catalog.refresh(tx, session, &[table.head.id])?;
    for index in &table.indexes {
        database.storage.truncate_hobt(tx, index.hobt_id).map_err(|e| e.to_sql())?;
    }
    reset_identity(cx, &database, &table)
}

/// Gives the identity column a new sequence: rolled back, the old one goes on where it was.
pub(crate) fn reset_identity(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
) -> SqlResult<()> {
    let Some(identity) = &table.identity else { return Ok(()) };
    let row = IdentityRow {
        seed: identity.seed,
        increment: identity.increment,
        sequence: database.catalog.new_sequence_id()?,
    };
    let column = &table.columns[identity.column];
    rows::write_column(cx.transaction(database)?, table.head.id, column, Some(row))?;
    let session = cx.session.id;
    database.catalog.refresh(cx.transaction(database)?, session, &[table.head.id])
}

/// `DBCC CHECKIDENT (…, RESEED, value)`: the next value is `value` plus the increment, or `value` itself when the column
/// has given none out yet.
pub(crate) fn reseed(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    value: i64,
) -> SqlResult<()> {
    let missing = || SqlError::new(208, &[&table.head.name]);
    let table = resolve::lock_for_change(cx, database, table, missing)?;
    let Some(identity) = &table.identity else { return Ok(()) };
    let increment = identity.increment;
    let given = if identity.sequence.last().is_some() { increment as i128 } else { 0 };
    let distance = (value as i128 - identity.seed as i128 + given) * increment.signum() as i128;
    let (base, distance) = match u64::try_from(distance) {
        Ok(distance) => (None, distance),
        // Before the seed: counted from there.
        Err(_) => (Some(value), given.unsigned_abs() as u64),
    };
    let row = IdentityRow {
        seed: identity.seed,
        increment: identity.increment,
        sequence: database.catalog.new_sequence_at(base, distance, increment)?,
    };
    let column = &table.columns[identity.column];
    rows::write_column(cx.transaction(database)?, table.head.id, column, Some(row))?;
    let session = cx.session.id;
    database.catalog.refresh(cx.transaction(database)?, session, &[table.head.id])
}
