//! GRANT, DENY and REVOKE: rows of permissions, by the authority of who gives them.
//!
//! ```text
//! the securable ──▶ its permissions ──▶ the grantees ──▶ the grantor ──▶ rows, for each permission, column and grantee
//! ```
//! 1. Everything is looked at before the first row changes.
//! 2. The grantor is the securable's owner where the authority is an owner's (owner, CONTROL, db_securityadmin, dbo, sysadmin), and
//!    oneself where it is a grant WITH GRANT OPTION.

mod rows;
mod securable;

use super::{events, resolve};
use crate::catalog::principals::{
    self, DBO_USER, GUEST, PermissionKey, Principal, PrincipalKind, Principals, Scope,
};
use crate::database::Database;
use crate::exec::ddl_events::object_type;
use crate::permissions::{PermissionId, Rights, SecurableClass, code, known};
use crate::session::context::StatementContext;
use crate::session::rights::scope_of;
use rows::SecurableRows;
use securable::{GrantedOn, NamedPermission};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{Ident, PermissionStatement, PermissionVerb};

/// The server role whose members grant permissions on the server, and the database role for those of a database.
const SECURITYADMINS: (i32, i32) = (4, 16_386);
/// The users INFORMATION_SCHEMA and sys.
const SYSTEM_USERS: [i32; 2] = [3, 4];

/// `GRANT | DENY | REVOKE`.
pub(super) fn run(cx: &mut StatementContext<'_>, s: &PermissionStatement) -> SqlResult<()> {
    let on = securable::securable(cx, s)?;
    let permissions = securable::permissions(cx, s, &on)?;
    let scope = scope_of(on.at.class);
    let all = principals_of(cx, &on, scope);
    let actor = actor(cx, s, &on, &all)?;
    let mut grantors = Vec::new();
    for permission in &permissions {
        let grantor = grantor(s, &on, &actor, permission.id);
        grantors.push(grantor.ok_or_else(|| on.missing())?);
    }
    let grantees = grantees(cx, s, &on, &all, actor.id)?;
    refuse_special(s, &on, &permissions, &grantees)?;
    let catalog = &on.database.catalog;
    let session = cx.session.id;
    let tx = cx.transaction(&on.database)?;
    catalog.lock_principals(tx, session)?;
    let now = catalog.principals(scope, session);
    let mut rows = SecurableRows::of(&now, on.at.class.number(), on.at.id);
    for (permission, grantor) in permissions.iter().zip(grantors) {
        for grantee in &grantees {
            change(s, &on, &mut rows, permission, (grantee.id, grantor))?;
        }
    }
    if rows.is_changed() {
        let tx = cx.transaction(&on.database)?;
        rows.write(tx, scope)?;
        catalog.refresh_principals(tx, session, scope)?;
    }
    tell(cx, s, &on, scope);
    Ok(())
}

/// Notes the event, with the securable.
fn tell(cx: &mut StatementContext<'_>, s: &PermissionStatement, on: &GrantedOn, scope: Scope) {
    let server = scope == Scope::Server;
    match (&on.object, &on.named) {
        (Some(object), _) => {
            let head = object.head();
            let securable = (&*head.schema, &*head.name, object_type(head.kind));
            events::of_permissions(cx, (server, &on.database), securable, s);
        }
        (None, Some((class, name))) => {
            let class = class.to_uppercase();
            events::of_permissions(cx, (server, &on.database), ("", name, &class), s);
        }
        (None, None) => {
            let class = if server { "SERVER" } else { "DATABASE" };
            events::of_permissions(cx, (server, &on.database), ("", &on.database.name, class), s);
        }
    }
}

fn principals_of(cx: &StatementContext<'_>, on: &GrantedOn, scope: Scope) -> Arc<Principals> {
    match scope {
        Scope::Server => cx.session.server_principals(),
        Scope::Database => cx.session.principals_of(&on.database),
    }
}

/// Changes the rows of a permission for one grantee.
fn change(
    s: &PermissionStatement,
    on: &GrantedOn,
    rows: &mut SecurableRows,
    permission: &NamedPermission,
    (grantee, grantor): (i32, i32),
) -> SqlResult<()> {
    let whole = [0];
    let columns = if permission.columns.is_empty() { &whole[..] } else { &permission.columns };
    for minor in columns {
        let key = PermissionKey {
            class: on.at.class.number(),
            major: on.at.id,
            minor: *minor,
            grantee,
            grantor,
            ty: code(permission.id.permission().code),
        };
        match s.verb {
            PermissionVerb::Grant => rows.grant(key, s.grant_option),
            PermissionVerb::Deny => rows.deny(key, s.cascade)?,
            PermissionVerb::Revoke => rows.revoke(key, s.grant_option, s.cascade)?,
        }
    }
    Ok(())
}

/// The principal by whose authority a statement acts: oneself, or that of AS.
struct Actor {
    /// The principal's id in the scope of the securable.
    id: i32,
    rights: Arc<Rights>,
    /// AS names it: a grant that its role has counts for it.
    named: bool,
}

fn actor(
    cx: &mut StatementContext<'_>,
    s: &PermissionStatement,
    on: &GrantedOn,
    all: &Principals,
) -> SqlResult<Actor> {
    let server = on.at.class.is_of_server();
    let (own_id, own) = match server {
        true => (cx.session.activation.security().login_id, Arc::new(cx.session.server_rights())),
        false => {
            let identity = cx.session.identity_in(&on.database)?;
            (identity.user, cx.session.rights_in(&on.database)?)
        }
    };
    let Some(name) = &s.grantor else { return Ok(Actor { id: own_id, rights: own, named: false }) };
    let missing = || SqlError::new(15151, &[&"find", &"user", &name.value]);
    let principal = all.find(&name.value).ok_or_else(missing)?;
    if !acts_as(&own, principal, own_id) {
        return Err(SqlError::new(4618, &[&name.value]));
    }
    let rights = match server {
        true => cx.session.rights_of_server_principal(principal.id),
        false => cx.session.rights_of_principal(&on.database, principal.id),
    };
    Ok(Actor { id: principal.id, rights: Arc::new(rights), named: true })
}

/// Whether somebody may act as a principal: IMPERSONATE on a user, membership in a role or ALTER on it.
fn acts_as(own: &Rights, principal: &Principal, own_id: i32) -> bool {
    use SecurableClass as C;
    let (class, permission) = match principal.kind {
        PrincipalKind::User => (C::User, known(C::User, "IMPERSONATE")),
        PrincipalKind::Login => (C::Login, known(C::Login, "IMPERSONATE")),
        PrincipalKind::Role => (C::Role, known(C::Role, "ALTER")),
        PrincipalKind::ServerRole => (C::ServerRole, known(C::ServerRole, "ALTER")),
        PrincipalKind::ApplicationRole => (C::ApplicationRole, known(C::ApplicationRole, "ALTER")),
    };
    let member = principal.kind.is_role()
        && match class.is_of_server() {
            true => own.is_on_server(principal.id),
            false => own.is(principal.id),
        };
    let at = crate::permissions::SecurableAt {
        owner: principal.owner,
        ..crate::permissions::SecurableAt::alone(class, principal.id)
    };
    principal.id == own_id || member || own.may(&at, permission)
}

/// The grantor of a permission, if the actor has the authority.
fn grantor(
    s: &PermissionStatement,
    on: &GrantedOn,
    actor: &Actor,
    permission: PermissionId,
) -> Option<i32> {
    let at = &on.at;
    let control = match at.class {
        SecurableClass::Server => known(SecurableClass::Server, "CONTROL SERVER"),
        class => crate::permissions::find(class, "CONTROL")?,
    };
    let administers = match at.class.is_of_server() {
        true => actor.rights.is_on_server(SECURITYADMINS.0) && at.class == SecurableClass::Server,
        false => actor.rights.is(SECURITYADMINS.1),
    };
    if administers || actor.rights.may(at, control) {
        return Some(at.owner.unwrap_or(DBO_USER));
    }
    if s.verb == PermissionVerb::Deny {
        return None;
    }
    // What a role may pass on is passed on in its name alone.
    let only = (!actor.named).then_some(actor.id);
    actor.rights.passes_on(at, permission, only).then_some(actor.id)
}

/// The grantees of a statement: 15151, 4617, 4622. Those to whom nothing is granted are left out with a message.
fn grantees(
    cx: &mut StatementContext<'_>,
    s: &PermissionStatement,
    on: &GrantedOn,
    all: &Principals,
    own_id: i32,
) -> SqlResult<Vec<Arc<Principal>>> {
    let server = on.at.class.is_of_server();
    let mut found = Vec::new();
    for name in &s.principals {
        let principal = all.find(&name.value);
        found.push(principal.cloned().ok_or_else(|| unknown_grantee(cx, on, name))?);
    }
    if found.iter().any(|p| p.is_fixed_role()) {
        return Err(SqlError::new(4617, &[]));
    }
    let owner = on.at.owner;
    let mut to = Vec::new();
    for p in found {
        let system = match server {
            true => p.id == principals::SA,
            false => p.id == DBO_USER || SYSTEM_USERS.contains(&p.id),
        };
        if system || owner == Some(p.id) || p.id == own_id {
            cx.message(SqlError::new(4624, &[]).with_severity(0))?;
        } else {
            to.push(p);
        }
    }
    Ok(to)
}

/// Nobody of that name in the scope: a user where a login is wanted is told of as such.
fn unknown_grantee(cx: &StatementContext<'_>, on: &GrantedOn, name: &Ident) -> Box<SqlError> {
    if !on.at.class.is_of_server() {
        return SqlError::new(15151, &[&"find", &"user", &name.value]);
    }
    match cx.session.principals_of(&on.database).find(&name.value) {
        Some(_) => SqlError::new(4622, &[]),
        None => SqlError::new(15151, &[&"find", &"login", &name.value]),
    }
}

/// CONNECT of guest in master and tempdb stays: 15182. Application roles do not connect: 4627.
fn refuse_special(
    s: &PermissionStatement,
    on: &GrantedOn,
    permissions: &[NamedPermission],
    grantees: &[Arc<Principal>],
) -> SqlResult<()> {
    let connect = known(SecurableClass::Database, "CONNECT");
    if !permissions.iter().any(|p| p.id == connect) {
        return Ok(());
    }
    if grantees.iter().any(|p| p.kind == PrincipalKind::ApplicationRole) {
        return Err(SqlError::new(4627, &[]));
    }
    let takes = s.verb != PermissionVerb::Grant && matches!(on.database.id.0, 1 | 2);
    match takes && grantees.iter().any(|p| p.id == GUEST) {
        true => Err(SqlError::new(15182, &[])),
        false => Ok(()),
    }
}

/// Removes the permissions on a securable of a database that goes away, and its own owner.
pub(super) fn forget(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    class: SecurableClass,
    major: i32,
) -> SqlResult<()> {
    let (session, catalog, number) = (cx.session.id, &database.catalog, class.number());
    let all = catalog.principals(Scope::Database, session);
    let owned = all.owner_of(number, major).is_some();
    if all.permissions_on(number, major).next().is_none() && !owned {
        return Ok(());
    }
    let tx = cx.transaction(database)?;
    catalog.lock_principals(tx, session)?;
    principals::rows::remove_permissions_on(tx, Scope::Database, number, major)?;
    if owned {
        principals::rows::set_owner(tx, number, major, None)?;
    }
    catalog.refresh_principals(tx, session, Scope::Database)
}

/// Removes the permissions on a column that goes away.
pub(super) fn forget_column(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: i32,
    column: i32,
) -> SqlResult<()> {
    let (session, catalog) = (cx.session.id, &database.catalog);
    let all = catalog.principals(Scope::Database, session);
    let class = SecurableClass::Object.number();
    if !all.permissions_on(class, table).any(|p| p.key.minor == column) {
        return Ok(());
    }
    let tx = cx.transaction(database)?;
    catalog.lock_principals(tx, session)?;
    principals::rows::remove_permissions_on_column(tx, table, column)?;
    catalog.refresh_principals(tx, session, Scope::Database)
}
