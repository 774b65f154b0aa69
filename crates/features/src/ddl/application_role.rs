//! CREATE, ALTER and DROP APPLICATION ROLE.

use super::principals::{self as shared, On};
use super::{events, password};
use crate::catalog::principals::{Principal, PrincipalKind, Principals, Scope, rows};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{ApplicationRoleDefinition, NamedOption, ObjectName, OptionValue};

/// The sub-authority in the security identifier of an application role.
const AUTHORITY: u8 = 1;

/// The options of CREATE and ALTER APPLICATION ROLE.
#[derive(Default)]
struct ApplicationRoleOptions<'a> {
    name: Option<&'a str>,
    password: Option<&'a str>,
    schema: Option<&'a str>,
}

fn asked<'a>(verb: &str, options: &'a [NamedOption]) -> SqlResult<ApplicationRoleOptions<'a>> {
    let mut asked = ApplicationRoleOptions::default();
    for o in options {
        match (&*o.name.value.to_ascii_uppercase(), &o.value) {
            ("NAME", Some(OptionValue::Word(name))) if verb == "ALTER" => {
                asked.name = Some(&name.value);
            }
            ("PASSWORD", Some(OptionValue::Text(text))) => asked.password = Some(text),
            ("DEFAULT_SCHEMA", Some(OptionValue::Word(name))) => asked.schema = Some(&name.value),
            _ => {
                return Err(unsupported(format!(
                    "{verb} APPLICATION ROLE … WITH {}",
                    o.name.value
                )));
            }
        }
    }
    Ok(asked)
}

/// The hash of a password that is given: 33062 and its like where the policy refuses it.
fn hashed(cx: &StatementContext<'_>, role: &str, given: &str) -> SqlResult<String> {
    password::check(given, role, true)?;
    cx.instance().hash_password(given)
}

fn role_named(all: &Principals, verb: &str, name: &str) -> SqlResult<Arc<Principal>> {
    let role = all.find(name).filter(|p| p.kind == PrincipalKind::ApplicationRole).cloned();
    role.ok_or_else(|| SqlError::new(15151, &[&verb, &"application role", &name]))
}

/// CREATE and ALTER APPLICATION ROLE.
pub(super) fn application_role(
    cx: &mut StatementContext<'_>,
    s: &ApplicationRoleDefinition,
) -> SqlResult<()> {
    let name = &*s.name.value;
    let asked = asked(if s.alter { "ALTER" } else { "CREATE" }, &s.options)?;
    let new = asked.name.unwrap_or(name);
    shared::valid_name(new)?;
    let on = On::database(cx);
    let all = on.change(cx)?;
    let known = if s.alter { Some(role_named(&all, "alter", name)?) } else { None };
    if all.find(new).is_some_and(|p| known.as_ref().is_none_or(|k| k.id != p.id)) {
        return Err(SqlError::new(15023, &[&new]));
    }
    let mut role = match &known {
        Some(known) => (**known).clone(),
        None => {
            let id = all.new_id(Scope::Database);
            let mut role = Principal::new(id, name, PrincipalKind::ApplicationRole);
            role.sid = Some(shared::new_sid(cx, Scope::Database, AUTHORITY));
            role.default_schema = Some("dbo".into());
            role.created = on.now();
            role
        }
    };
    role.name = new.into();
    role.modified = on.now();
    if let Some(schema) = asked.schema {
        role.default_schema = Some(schema.into());
    }
    match asked.password {
        Some(given) => role.password_hash = hashed(cx, new, given)?,
        None if known.is_none() => return Err(SqlError::new(102, &[&"WITH"])),
        None => {}
    }
    rows::write(on.transaction(cx)?, Scope::Database, &role)?;
    on.refresh(cx)?;
    let verb = if s.alter { "ALTER" } else { "CREATE" };
    events::of_principal(cx, verb, Scope::Database, &on.database, &role);
    Ok(())
}

/// DROP APPLICATION ROLE: 15138 and its like while it owns something.
pub(super) fn drop(cx: &mut StatementContext<'_>, names: &[ObjectName]) -> SqlResult<()> {
    for name in names {
        let on = On::database(cx);
        let all = on.change(cx)?;
        let role = role_named(&all, "drop", &name.name.value)?;
        shared::owns_nothing(cx, &all, role.id)?;
        rows::remove(on.transaction(cx)?, Scope::Database, role.id)?;
        on.refresh(cx)?;
        events::of_principal(cx, "DROP", Scope::Database, &on.database, &role);
    }
    Ok(())
}
