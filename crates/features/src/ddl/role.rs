//! CREATE, ALTER and DROP ROLE, of a database and of the server.

use super::events;
use super::principals::{self as shared, On};
use crate::catalog::principals::{
    DBO_USER, FIXED_ROLES, PUBLIC, Principal, PrincipalKind, Principals, SA, SERVER_PUBLIC, Scope,
    rows,
};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{ObjectName, RoleAction, RoleDefinition};

/// The words for a role of a scope in messages.
fn word(scope: Scope) -> &'static str {
    match scope {
        Scope::Server => "server role",
        Scope::Database => "role",
    }
}

fn role_named(on: &On, all: &Principals, name: &str, verb: &str) -> SqlResult<Arc<Principal>> {
    let role = all.find(name).filter(|p| p.kind.is_role()).cloned();
    role.ok_or_else(|| SqlError::new(15151, &[&verb, &word(on.scope), &name]))
}

/// CREATE and ALTER ROLE.
pub(super) fn role(cx: &mut StatementContext<'_>, s: &RoleDefinition) -> SqlResult<()> {
    let on = if s.server { On::server(cx)? } else { On::database(cx) };
    let name = &*s.name.value;
    match &s.action {
        RoleAction::Create(owner) => create(cx, &on, name, owner.as_ref().map(|o| &*o.value)),
        RoleAction::AddMember(member) => change_member(cx, &on, name, &member.value, true),
        RoleAction::DropMember(member) => change_member(cx, &on, name, &member.value, false),
        RoleAction::Rename(new) => rename(cx, &on, name, &new.value),
    }
}

fn taken(scope: Scope, name: &str) -> Box<SqlError> {
    match scope {
        Scope::Server => SqlError::new(15025, &[&name]),
        Scope::Database => SqlError::new(15023, &[&name]),
    }
}

/// Makes a role; without an owner it is that of whoever makes it.
fn create(
    cx: &mut StatementContext<'_>,
    on: &On,
    name: &str,
    owner: Option<&str>,
) -> SqlResult<()> {
    shared::valid_name(name)?;
    let all = on.change(cx)?;
    if all.find(name).is_some() {
        return Err(taken(on.scope, name));
    }
    let owner = match owner {
        Some(owner) => {
            let unknown = || SqlError::new(15151, &[&"find", &"principal", &owner]);
            let found = all.find(owner).ok_or_else(unknown)?;
            let may = on.scope == Scope::Server || cx.session.may_give_to(found)?;
            may.then_some(found.id).ok_or_else(unknown)?
        }
        None => shared::own_id(cx, on)?,
    };
    let kind = match on.scope {
        Scope::Server => PrincipalKind::ServerRole,
        Scope::Database => PrincipalKind::Role,
    };
    let mut p = Principal::new(all.new_id(on.scope), name, kind);
    p.owner = Some(owner);
    p.sid = Some(shared::new_sid(cx, on.scope, 4));
    p.created = on.now();
    p.modified = p.created.clone();
    rows::write(on.transaction(cx)?, on.scope, &p)?;
    on.refresh(cx)?;
    events::of_principal(cx, "CREATE", on.scope, &on.database, &p);
    Ok(())
}

/// Adds or drops a member, as ALTER ROLE does.
fn change_member(
    cx: &mut StatementContext<'_>,
    on: &On,
    role: &str,
    member: &str,
    add: bool,
) -> SqlResult<()> {
    let all = on.change(cx)?;
    let role = role_named(on, &all, role, "alter")?;
    if role.id == if on.scope == Scope::Server { SERVER_PUBLIC } else { PUBLIC } {
        return Err(SqlError::new(15081, &[]));
    }
    let verb = if add { "add" } else { "drop" };
    let what = match on.scope {
        Scope::Server => "server principal",
        Scope::Database => "principal",
    };
    let unknown = || SqlError::new(15151, &[&verb, &what, &member]);
    let member = all.find(member).ok_or_else(unknown)?.clone();
    let of_server = (on.scope == Scope::Server).then_some(role.id);
    if role.is_fixed && !cx.session.may_change_members(of_server) {
        return Err(SqlError::new(15151, &[&"alter", &word(on.scope), &role.name]));
    }
    let special = match on.scope {
        Scope::Server => member.is_fixed || member.id == SA,
        // guest may be a member, dbo and the fixed roles may not.
        Scope::Database => member.is_fixed && member.id != 2,
    };
    if special {
        return Err(SqlError::new(15405, &[&member.name]));
    }
    if add && (role.id == member.id || all.roles_of(role.id).contains(&member.id)) {
        return Err(SqlError::new(15413, &[]));
    }
    on.member(cx, role.id, member.id, add)?;
    events::of_member(cx, add, (on.scope, &on.database), (&role, &member));
    Ok(())
}

fn rename(cx: &mut StatementContext<'_>, on: &On, name: &str, new: &str) -> SqlResult<()> {
    shared::valid_name(new)?;
    let all = on.change(cx)?;
    let role = role_named(on, &all, name, "alter")?;
    if role.is_fixed {
        return Err(SqlError::new(15150, &[&"alter", &word(on.scope), &role.name]));
    }
    if all.find(new).is_some_and(|other| other.id != role.id) {
        return Err(taken(on.scope, new));
    }
    let mut changed = (*role).clone();
    changed.name = new.into();
    changed.modified = on.now();
    rows::write(on.transaction(cx)?, on.scope, &changed)?;
    on.refresh(cx)?;
    events::of_principal(cx, "ALTER", on.scope, &on.database, &changed);
    Ok(())
}

/// DROP ROLE and DROP SERVER ROLE.
pub(super) fn drop(
    cx: &mut StatementContext<'_>,
    names: &[ObjectName],
    scope: Scope,
    if_exists: bool,
) -> SqlResult<()> {
    for name in names {
        let on = match scope {
            Scope::Server => On::server(cx)?,
            Scope::Database => On::database(cx),
        };
        drop_one(cx, &on, &name.name.value, if_exists)?;
    }
    Ok(())
}

/// Drops one role: 15144 while it has members.
fn drop_one(cx: &mut StatementContext<'_>, on: &On, name: &str, if_exists: bool) -> SqlResult<()> {
    let all = on.change(cx)?;
    let role = match role_named(on, &all, name, "drop") {
        Err(_) if if_exists => return Ok(()),
        found => found?,
    };
    let fixed = role.is_fixed || on.scope == Scope::Database && role.id == FIXED_ROLES;
    if fixed {
        return Err(SqlError::new(15150, &[&"drop", &word(on.scope), &role.name]));
    }
    if all.members_of(role.id).next().is_some() {
        return Err(SqlError::new(15144, &[]));
    }
    match on.scope {
        Scope::Database => shared::owns_nothing(cx, &all, role.id)?,
        Scope::Server if all.all().any(|p| p.owner == Some(role.id) && p.id != DBO_USER) => {
            return Err(SqlError::new(15141, &[&"server role"]));
        }
        Scope::Server => {}
    }
    rows::remove(on.transaction(cx)?, on.scope, role.id)?;
    on.refresh(cx)?;
    events::of_principal(cx, "DROP", on.scope, &on.database, &role);
    Ok(())
}
