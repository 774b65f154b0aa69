//! ALTER AUTHORIZATION: another owner of a schema, a role or a database.

use super::principals::On;
use crate::catalog::principals::{PrincipalKind, Scope, rows};
use crate::catalog::systab::{self, SystemTables};
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast::AlterAuthorization;
use taffrail_types::Value;

/// The class of securables with which GRANT names schemas.
const SCHEMA_CLASS: u8 = 3;

pub(super) fn alter(cx: &mut StatementContext<'_>, s: &AlterAuthorization) -> SqlResult<()> {
    let class = s.class.as_deref().unwrap_or("OBJECT");
    let name = &*s.entity.name.value;
    let Some(owner) = &s.owner else {
        return Err(unsupported(format!("ALTER AUTHORIZATION ON {class} TO SCHEMA OWNER")));
    };
    let owner = &*owner.value;
    // Of the server: nobody but a sysadmin gives these away.
    if matches!(class, "DATABASE" | "SERVER ROLE") && !cx.session.identity()?.is_sysadmin {
        let what = class.to_ascii_lowercase();
        return Err(SqlError::new(15151, &[&"find", &what, &name]));
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

fn of_schema(cx: &mut StatementContext<'_>, name: &str, owner: &str) -> SqlResult<()> {
    let on = On::database(cx);
    let owner = owner_in(cx, &on, owner)?;
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
    let owner = owner_in(cx, on, owner)?;
    let all = on.change(cx)?;
    let word = if on.scope == Scope::Server { "server role" } else { "role" };
    let unknown = || SqlError::new(15151, &[&"find", &word, &name]);
    let role = all.find(name).filter(|p| p.kind.is_role()).ok_or_else(unknown)?;
    if role.is_fixed {
        return Err(SqlError::new(15150, &[&"alter", &word, &role.name]));
    }
    let mut changed = (**role).clone();
    changed.owner = Some(owner);
    changed.modified = on.now();
    rows::write(on.transaction(cx)?, on.scope, &changed)?;
    on.refresh(cx)
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
    if let Some(database) = &slot.database {
        let here = cx.session.principals_of(database);
        if here.by_sid(&sid).is_some() {
            return Err(SqlError::new(15110, &[]));
        }
    }
    instance.databases().set_owner(slot.entry.id, &sid)?;
    Ok(())
}
