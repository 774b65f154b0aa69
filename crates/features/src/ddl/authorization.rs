//! ALTER AUTHORIZATION: another owner of an object, a type, a schema, a role or a database.
//!
//! An object and a type belong to the owner of their schema until they are given an owner of their own. A real change of owner takes all
//! permissions on the securable away; the same owner keeps them.

use super::principals::On;
use super::{resolve, user_type};
use crate::catalog::principals::{PrincipalKind, Scope, rows};
use crate::catalog::systab::{self, SystemTables};
use crate::database::Database;
use crate::permissions::{SecurableAt, SecurableClass as C, find};
use crate::session::context::StatementContext;
use crate::session::rights::{securable_of, securable_type};
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast::{AlterAuthorization, ObjectName};
use taffrail_types::Value;

/// The class of securables with which GRANT names schemas.
const SCHEMA_CLASS: u8 = 3;

pub(super) fn alter(cx: &mut StatementContext<'_>, s: &AlterAuthorization) -> SqlResult<()> {
    let class = s.class.as_deref().unwrap_or("OBJECT");
    let name = &*s.entity.name.value;
    let owner = s.owner.as_ref().map(|o| &*o.value);
    match class {
        "OBJECT" => return of_object(cx, &s.entity, owner),
        "TYPE" => return of_type(cx, &s.entity, owner),
        _ => {}
    }
    let Some(owner) = owner else {
        return Err(unsupported(format!("ALTER AUTHORIZATION ON {class} TO SCHEMA OWNER")));
    };
    // Nobody but a sysadmin gives a role of the server away.
    if class == "SERVER ROLE" && !cx.session.identity()?.is_sysadmin {
        return Err(SqlError::new(15151, &[&"find", &"server role", &name]));
    }
    match class {
        "SCHEMA" => of_schema(cx, name, owner),
        "DATABASE" => of_database(cx, name, owner),
        "ROLE" => of_role(cx, &On::database(cx), name, owner),
        "SERVER ROLE" => of_role(cx, &On::server(cx)?, name, owner),
        "USER" | "APPLICATION ROLE" => Err(SqlError::new(15344, &[&class.to_ascii_lowercase()])),
        other => Err(unsupported(format!("ALTER AUTHORIZATION ON {other}"))),
    }
}

/// The owner that is to be, in a list of principals.
fn owner_in(cx: &mut StatementContext<'_>, on: &On, owner: &str) -> SqlResult<i32> {
    let all = on.change(cx)?;
    let found = all
        .find(owner)
        .filter(|p| p.kind.is_role() || on.scope == Scope::Server || p.id < 3 || !p.is_fixed);
    Ok(found.ok_or_else(|| SqlError::new(15151, &[&"find", &"principal", &owner]))?.id)
}

/// The owner that something of the current database is to have: 15151 for one to whom the session may give nothing.
fn receiver(cx: &mut StatementContext<'_>, owner: &str) -> SqlResult<i32> {
    let on = On::database(cx);
    let id = owner_in(cx, &on, owner)?;
    let all = cx.session.principals_of(&on.database);
    let may = all.get(id).map_or(Ok(false), |p| cx.session.may_give_to(p))?;
    may.then_some(id).ok_or_else(|| SqlError::new(15151, &[&"find", &"principal", &owner]))
}

fn of_object(
    cx: &mut StatementContext<'_>,
    name: &ObjectName,
    owner: Option<&str>,
) -> SqlResult<()> {
    let database = cx.database();
    let missing = || SqlError::new(15151, &[&"find", &"object", &name.name.value]);
    let found = match resolve::find(cx, name)? {
        Some((_, found)) if found.head().name.starts_with('#') => {
            return Err(SqlError::new(15344, &[&"temporary table"]));
        }
        Some((of, found)) if of.id == database.id => found,
        _ => return Err(missing()),
    };
    if found.head().parent.0 != 0 {
        return Err(SqlError::new(15346, &[]));
    }
    let head = found.head().clone();
    let found = resolve::lock_object(cx, &database, &head)?.ok_or_else(missing)?;
    let at = securable_of(&database, found.head(), cx.session.id);
    give(cx, &database, &at, owner)
}

fn of_type(cx: &mut StatementContext<'_>, name: &ObjectName, owner: Option<&str>) -> SqlResult<()> {
    let database = cx.database();
    let missing = || SqlError::new(15151, &[&"find", &"type", &name.name.value]);
    if name.database.is_some() {
        return Err(missing());
    }
    let found = user_type::locked(cx, &database, name)?.ok_or_else(missing)?;
    let at = securable_type(&database, &found, cx.session.id);
    give(cx, &database, &at, owner)
}

/// Gives a securable of a schema to somebody, or back to the owner of its schema.
fn give(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    at: &SecurableAt,
    owner: Option<&str>,
) -> SqlResult<()> {
    let on = On::database(cx);
    on.change(cx)?;
    let of_schema = at.schema.map(|(_, owner)| owner);
    let new = match owner {
        Some(owner) => Some(receiver(cx, owner)?),
        None => {
            // A module is to be executed as the owner of the schema, perhaps.
            let all = cx.session.principals_of(database);
            let owner = of_schema.and_then(|id| all.get(id));
            let name = owner.map(|p| p.name.clone());
            name.map(|name| receiver(cx, &name)).transpose()?
        }
    };
    // The owner of the schema is nobody's own owner: the object goes on with its schema.
    let new = new.filter(|new| Some(*new) != of_schema);
    debug_assert!(matches!(at.class, C::Object | C::Type), "{:?} is in no schema", at.class);
    let class = at.class.number();
    if cx.session.principals_of(database).owner_of(class, at.id) == new {
        return Ok(());
    }
    let tx = cx.transaction(database)?;
    rows::set_owner(tx, class, at.id, new)?;
    rows::remove_permissions_on(tx, Scope::Database, class, at.id)?;
    on.refresh(cx)
}

fn of_schema(cx: &mut StatementContext<'_>, name: &str, owner: &str) -> SqlResult<()> {
    let on = On::database(cx);
    let owner = receiver(cx, owner)?;
    let (database, session) = (cx.database(), cx.session.id);
    let catalog = &database.catalog;
    let tx = cx.transaction(&database)?;
    catalog.lock(tx, session, catalog.schemas_resource(), LockMode::X)?;
    let unknown = || SqlError::new(15151, &[&"find", &"schema", &name]);
    let schema = catalog.schema(name, session).ok_or_else(unknown)?;
    if matches!(schema.id.0, 1..=4) {
        return Err(SqlError::new(15150, &[&"alter", &"schema", &schema.name]));
    }
    if schema.principal == owner {
        return Ok(());
    }
    let row = [Value::nvarchar(&schema.name), Value::Int(owner)];
    let tx = cx.transaction(&database)?;
    systab::put(tx, &SystemTables::SCHEMAS, &[schema.id.0.into()], &row)?;
    // Another owner begins without the permissions that the last one has given.
    rows::remove_permissions_on(tx, Scope::Database, SCHEMA_CLASS, schema.id.0)?;
    catalog.refresh_schemas(tx, session, None)?;
    on.refresh(cx)
}

fn of_role(cx: &mut StatementContext<'_>, on: &On, name: &str, owner: &str) -> SqlResult<()> {
    let owner = match on.scope {
        Scope::Database => receiver(cx, owner)?,
        Scope::Server => owner_in(cx, on, owner)?,
    };
    let all = on.change(cx)?;
    let word = if on.scope == Scope::Server { "server role" } else { "role" };
    let unknown = || SqlError::new(15151, &[&"find", &word, &name]);
    let role = all.find(name).filter(|p| p.kind.is_role()).ok_or_else(unknown)?;
    if role.is_fixed {
        return Err(SqlError::new(15150, &[&"alter", &word, &role.name]));
    }
    if role.owner == Some(owner) {
        return Ok(());
    }
    let mut changed = (**role).clone();
    changed.owner = Some(owner);
    changed.modified = on.now();
    let class = if on.scope == Scope::Server { C::ServerRole } else { C::Role };
    let tx = on.transaction(cx)?;
    rows::write(tx, on.scope, &changed)?;
    rows::remove_permissions_on(tx, on.scope, class.number(), role.id)?;
    on.refresh(cx)
}

/// Whether the session may give a database away: a sysadmin, or with TAKE OWNERSHIP on it.
fn may_give_database(
    cx: &StatementContext<'_>,
    database: Option<&Arc<Database>>,
) -> SqlResult<bool> {
    if cx.session.identity()?.is_sysadmin {
        return Ok(true);
    }
    let take = find(C::Database, "TAKE OWNERSHIP");
    let rights = database.and_then(|database| cx.session.rights_in(database).ok());
    Ok(take.zip(rights).is_some_and(|(take, rights)| rights.may(&SecurableAt::DATABASE, take)))
}

/// Another owner of a database, which is in master and nowhere else: durable when it returns.
fn of_database(cx: &mut StatementContext<'_>, name: &str, owner: &str) -> SqlResult<()> {
    cx.refuse_in_transaction("ALTER AUTHORIZATION")?;
    let instance = cx.instance().clone();
    let unknown = || SqlError::new(15151, &[&"find", &"database", &name]);
    let slot = instance.databases().slot(name).ok_or_else(unknown)?;
    if matches!(slot.entry.id.0, 1..=3) {
        return Err(SqlError::new(15109, &[]));
    }
    let server = cx.session.server_principals();
    let login = server.find(owner).filter(|p| p.kind == PrincipalKind::Login);
    let login = login.ok_or_else(|| SqlError::new(15151, &[&"find", &"principal", &owner]))?;
    let sid = login.sid.clone().unwrap_or_default();
    if !may_give_database(cx, slot.database.as_ref())? {
        return Err(unknown());
    }
    if !cx.session.may_impersonate_login(login)? {
        return Err(SqlError::new(15151, &[&"find", &"principal", &owner]));
    }
    if let Some(database) = &slot.database {
        let here = cx.session.principals_of(database);
        if here.by_sid(&sid).is_some() {
            return Err(SqlError::new(15110, &[]));
        }
    }
    instance.databases().set_owner(slot.entry.id, &sid)?;
    Ok(())
}
