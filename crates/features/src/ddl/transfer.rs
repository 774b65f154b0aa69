//! ALTER SCHEMA … TRANSFER: an object or a type, with its constraints and triggers, comes to another schema. Its number stays, and so do
//! the texts that name it.

use super::schema_binding::is_bound;
use super::{events, resolve};
use crate::catalog::{Meaning, Object, ObjectHead, ObjectKind, rows};
use crate::database::Database;
use crate::permissions::SecurableClass;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SchemaId, SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast;

/// `ALTER SCHEMA name TRANSFER [OBJECT:: | TYPE::] object`.
pub(super) fn transfer(cx: &mut StatementContext<'_>, s: &ast::AlterSchema) -> SqlResult<()> {
    let database = cx.database();
    let (catalog, session) = (&database.catalog, cx.session.id);
    let schema = catalog.schema(&s.schema.value, session).filter(|s| !matches!(s.id.0, 3 | 4));
    let missing = || SqlError::new(15151, &[&"alter", &"schema", &s.schema.value]);
    let schema = schema.ok_or_else(missing)?;
    // Nobody drops the schema meanwhile.
    let tx = cx.transaction(&database)?;
    catalog.lock(tx, session, catalog.schema_resource(schema.id), LockMode::S)?;
    match &s.class {
        Some(class) if class.is("TYPE") => transfer_type(cx, &database, &s.object, schema.id),
        Some(class) if !class.is("OBJECT") => {
            Err(SqlError::new(40510, &[&format_args!("ALTER SCHEMA … TRANSFER {}", class.value)]))
        }
        _ => transfer_object(cx, &database, &s.object, schema.id),
    }
}

fn transfer_object(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    name: &ast::ObjectName,
    to: SchemaId,
) -> SqlResult<()> {
    let missing = || SqlError::new(15151, &[&"find", &"object", &name.name.value]);
    let found = match resolve::find(cx, name)? {
        Some((of, found)) if of.id == database.id => found,
        _ => return Err(missing()),
    };
    if found.head().parent.0 != 0 {
        return Err(SqlError::new(15347, &[]));
    }
    let head = found.head().clone();
    if head.schema_id == to {
        return Ok(());
    }
    let (catalog, session) = (&database.catalog, cx.session.id);
    let mut names = [(head.schema_id, &*head.name), (to, &*head.name)];
    names.sort_by_key(|(schema, name)| catalog.name_resource(*schema, name));
    for (schema, name) in names {
        catalog.lock_name(cx.transaction(database)?, session, schema, name)?;
    }
    let Some(found) = resolve::lock_object(cx, database, &head)? else { return Err(missing()) };
    if is_bound(cx, database, head.id)? {
        return Err(SqlError::new(15348, &[]));
    }
    let mut moved = vec![(found.head().clone(), 0)];
    let constraints = catalog.constraints_of(head.id, session);
    moved.extend(constraints.iter().map(|c| (c.head.clone(), c.detail)));
    let triggers = catalog.triggers_of(head.id, session);
    moved.extend(triggers.iter().map(|t| (t.head.clone(), 0)));
    write(cx, database, &moved, to)?;
    events::of_transfer(cx, database, (head.kind, &head.name), to);
    // What was granted in the old schema does not come along.
    super::grant::forget(cx, database, SecurableClass::Object, head.id.0)
}

/// Writes objects, the parent first, into another schema: 15530 for a name that is taken there.
fn write(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    moved: &[(ObjectHead, i32)],
    to: SchemaId,
) -> SqlResult<()> {
    let (catalog, session) = (&database.catalog, cx.session.id);
    for (head, _) in moved {
        if catalog.find(to, &head.name, session).is_some() {
            return Err(SqlError::new(15530, &[&"object", &head.name]));
        }
    }
    let now = catalog.now();
    let tx = cx.transaction(database)?;
    for (head, detail) in moved {
        let head = ObjectHead { schema_id: to, modified: now.clone(), ..head.clone() };
        rows::write_object(tx, &head, *detail)?;
    }
    let touched: Vec<ObjectId> = moved.iter().rev().map(|(head, _)| head.id).collect();
    catalog.refresh(tx, session, &touched)
}

fn transfer_type(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    name: &ast::ObjectName,
    to: SchemaId,
) -> SqlResult<()> {
    let missing = || SqlError::new(15151, &[&"find", &"type", &name.name.value]);
    let found = super::user_type::locked(cx, database, name)?.ok_or_else(missing)?;
    if found.head.schema_id == to {
        return Ok(());
    }
    let (catalog, session) = (&database.catalog, cx.session.id);
    let resource = catalog.type_name_resource(to, &found.head.name);
    catalog.lock(cx.transaction(database)?, session, resource, LockMode::X)?;
    if catalog.type_in(to, &found.head.name, session).is_some() {
        return Err(SqlError::new(15530, &[&"type", &found.head.name]));
    }
    let mut moved = vec![(found.head.clone(), found.id)];
    if let Meaning::Table { table, .. } = &found.meaning {
        resolve::lock(cx, database, *table)?;
        if let Some(Object::Table(table)) = catalog.object(*table, session) {
            debug_assert_eq!(table.head.kind, ObjectKind::TableType);
            moved.push((table.head.clone(), 0));
        }
    }
    let now = catalog.now();
    let tx = cx.transaction(database)?;
    let mut touched = Vec::new();
    for (head, detail) in &moved {
        let head = ObjectHead { schema_id: to, modified: now.clone(), ..head.clone() };
        rows::write_object(tx, &head, *detail)?;
        touched.push(head.id);
    }
    catalog.refresh(tx, session, &touched)?;
    events::of_transfer(cx, database, (found.head.kind, &found.head.name), to);
    super::grant::forget(cx, database, SecurableClass::Type, found.id)
}
