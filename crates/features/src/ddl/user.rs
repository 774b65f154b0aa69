//! CREATE, ALTER and DROP USER.

use super::principals::{self as shared, On};
use super::{contained, events};
use crate::catalog::principals::{
    Authentication, DBO_USER, GUEST, Permission, PermissionKey, PermissionState, Principal,
    PrincipalKind, Principals, SA, Scope, rows,
};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{NamedOption, ObjectName, OptionValue, UserDefinition};

/// The sid of a user without login: an authority, a sub-authority and sixteen bytes.
const SID_BYTES: usize = 28;

/// The options of CREATE and ALTER USER.
#[derive(Default)]
struct UserOptions<'a> {
    name: Option<&'a str>,
    login: Option<&'a str>,
    /// The default schema; `Some(None)` is NULL.
    schema: Option<Option<&'a str>>,
    sid: Option<&'a [u8]>,
    password: Option<&'a str>,
    old_password: Option<&'a str>,
    /// The default language; `Some(None)` is NONE.
    language: Option<Option<Arc<str>>>,
}

fn asked<'a>(
    cx: &StatementContext<'_>,
    statement: &str,
    options: &'a [NamedOption],
) -> SqlResult<UserOptions<'a>> {
    let mut asked = UserOptions::default();
    let contained = cx.database().is_contained();
    for o in options {
        match (&*o.name.value.to_ascii_uppercase(), &o.value) {
            ("NAME", Some(OptionValue::Word(name))) => asked.name = Some(&name.value),
            ("LOGIN", Some(OptionValue::Word(name))) => asked.login = Some(&name.value),
            ("DEFAULT_SCHEMA", Some(OptionValue::Word(name)))
                if name.value.eq_ignore_ascii_case("NULL") =>
            {
                asked.schema = Some(None);
            }
            ("DEFAULT_SCHEMA", Some(OptionValue::Word(name))) => {
                asked.schema = Some(Some(&name.value));
            }
            ("SID", Some(OptionValue::Binary(sid))) => asked.sid = Some(sid),
            ("PASSWORD" | "OLD_PASSWORD", _) if !contained => {
                return Err(SqlError::new(33233, &[]));
            }
            ("DEFAULT_LANGUAGE", _) if !contained => return Err(SqlError::new(33236, &[])),
            ("PASSWORD", Some(OptionValue::Text(text))) => asked.password = Some(text),
            ("OLD_PASSWORD", Some(OptionValue::Text(text))) => asked.old_password = Some(text),
            ("DEFAULT_LANGUAGE", Some(value)) => {
                asked.language = Some(contained::language(value)?);
            }
            ("ALLOW_ENCRYPTED_VALUE_MODIFICATIONS", Some(OptionValue::Off)) => {}
            _ => return Err(unsupported(format!("{statement} … WITH {}", o.name.value))),
        }
    }
    Ok(asked)
}

/// CREATE and ALTER USER.
pub(super) fn user(cx: &mut StatementContext<'_>, s: &UserDefinition) -> SqlResult<()> {
    if s.alter {
        return alter(cx, s);
    }
    let asked = asked(cx, "CREATE USER", &s.options)?;
    let name = &*s.name.value;
    let login = match (&s.login, s.without_login) {
        (_, true) => None,
        (None, false) if asked.password.is_some() => None,
        (Some(login), _) => Some(&*login.value),
        (None, _) => Some(name),
    };
    match (asked.password.is_some(), s.without_login, login.is_some()) {
        (true, true, _) => return Err(SqlError::new(33235, &[&"PASSWORD"])),
        (true, _, true) => return Err(SqlError::new(33234, &[&"PASSWORD"])),
        (false, ..) if asked.language.is_some() => {
            return Err(SqlError::new(33234, &[&"DEFAULT_LANGUAGE"]));
        }
        _ => {}
    }
    if login.is_some() && asked.sid.is_some() {
        return Err(SqlError::new(33242, &[]));
    }
    if let Some(sid) = asked.sid
        && !(sid.len() == SID_BYTES && sid.starts_with(&[1, 5, 0, 0, 0, 0, 0, 9, 3, 0, 0, 0]))
    {
        return Err(SqlError::new(33060, &[]));
    }
    create(cx, name, login, &asked)
}

/// The login of a user that is made or mapped anew: 15007, 15405 for sa, and `taken` where it is somebody here already.
fn free_login(
    cx: &StatementContext<'_>,
    all: &Principals,
    login: &str,
    taken: impl Fn() -> Box<SqlError>,
) -> SqlResult<Arc<Principal>> {
    let server = cx.session.server_principals();
    let found = server.find(login).filter(|p| p.kind == PrincipalKind::Login);
    let found = found.ok_or_else(|| SqlError::new(15007, &[&login]))?;
    if found.id == SA {
        return Err(SqlError::new(15405, &[&found.name]));
    }
    let sid = found.sid.as_deref().unwrap_or_default();
    let owner = cx.instance().owner_sid(&cx.database());
    if all.by_sid(sid).is_some() || owner == sid {
        return Err(taken());
    }
    Ok(found.clone())
}

/// Makes a user of a login, with a password, or of neither.
fn create(
    cx: &mut StatementContext<'_>,
    name: &str,
    login: Option<&str>,
    asked: &UserOptions<'_>,
) -> SqlResult<()> {
    shared::valid_name(name)?;
    let on = On::database(cx);
    let all = on.change(cx)?;
    if login.is_some() && all.find(name).is_some_and(|p| p.id == GUEST) {
        return Err(SqlError::new(15062, &[]));
    }
    let login = match login {
        Some(login) => Some(free_login(cx, &all, login, || SqlError::new(15063, &[]))?),
        None => None,
    };
    if all.find(name).is_some() {
        return Err(SqlError::new(15023, &[&name]));
    }
    let mut p = Principal::new(all.new_id(Scope::Database), name, PrincipalKind::User);
    p.default_schema = Some(asked.schema.flatten().unwrap_or("dbo").into());
    p.sid = match &login {
        Some(login) => {
            p.authentication = Authentication::Instance;
            login.sid.clone()
        }
        None => Some(match asked.sid {
            Some(sid) if all.by_sid(sid).is_some() => return Err(SqlError::new(15433, &[])),
            Some(sid) => sid.to_vec(),
            None => shared::new_sid(cx, Scope::Database, 3),
        }),
    };
    if let Some(given) = asked.password {
        contained::set_password(cx, &mut p, given)?;
        p.language = asked.language.clone().flatten();
    }
    p.created = on.now();
    p.modified = p.created.clone();
    let tx = on.transaction(cx)?;
    rows::write(tx, Scope::Database, &p)?;
    let key = PermissionKey {
        class: 0,
        major: 0,
        minor: 0,
        grantee: p.id,
        grantor: DBO_USER,
        ty: *b"CO  ",
    };
    rows::put_permission(tx, Scope::Database, &Permission { key, state: PermissionState::Grant })?;
    on.refresh(cx)?;
    events::of_principal(cx, "CREATE", Scope::Database, &on.database, &p);
    Ok(())
}

fn alter(cx: &mut StatementContext<'_>, s: &UserDefinition) -> SqlResult<()> {
    let name = &*s.name.value;
    let asked = asked(cx, "ALTER USER", &s.options)?;
    let on = On::database(cx);
    let all = on.change(cx)?;
    let user = all.find(name).filter(|p| p.kind == PrincipalKind::User);
    let user = user.ok_or_else(|| SqlError::new(15151, &[&"alter", &"user", &name]))?;
    if user.is_fixed {
        return Err(SqlError::new(15150, &[&"alter", &"user", &user.name]));
    }
    let mut p = (**user).clone();
    if let Some(new) = asked.name {
        shared::valid_name(new)?;
        if all.find(new).is_some_and(|other| other.id != p.id) {
            return Err(SqlError::new(15023, &[&new]));
        }
        p.name = new.into();
    }
    if let Some(schema) = asked.schema {
        p.default_schema = Some(schema.unwrap_or("dbo").into());
    }
    if let Some(login) = asked.login {
        remap(cx, &all, &mut p, login)?;
    }
    change_contained(cx, &mut p, &asked)?;
    p.modified = on.now();
    rows::write(on.transaction(cx)?, Scope::Database, &p)?;
    on.refresh(cx)?;
    events::of_principal(cx, "ALTER", Scope::Database, &on.database, &p);
    Ok(())
}

/// Another password, another language: of users with passwords alone (33234). The old password has to be right where it is given.
fn change_contained(
    cx: &StatementContext<'_>,
    p: &mut Principal,
    asked: &UserOptions<'_>,
) -> SqlResult<()> {
    if p.authentication != Authentication::Database {
        let given = asked.password.map(|_| "PASSWORD");
        let given = given.or(asked.language.as_ref().map(|_| "DEFAULT_LANGUAGE"));
        return given.map_or(Ok(()), |given| Err(SqlError::new(33234, &[&given])));
    }
    if let Some(language) = &asked.language {
        p.language.clone_from(language);
    }
    let Some(given) = asked.password else { return Ok(()) };
    if let Some(old) = asked.old_password
        && !contained::is_password(cx, p, old)?
    {
        return Err(SqlError::new(15151, &[&"alter", &"user", &p.name]));
    }
    contained::set_password(cx, p, given)
}

/// Gives a user, an orphan perhaps, another login.
fn remap(
    cx: &StatementContext<'_>,
    all: &Principals,
    p: &mut Principal,
    login: &str,
) -> SqlResult<()> {
    if p.authentication != Authentication::Instance {
        return Err(SqlError::new(33016, &[]));
    }
    let server = cx.session.server_principals();
    let same = server.find(login).is_some_and(|l| l.sid == p.sid);
    if !same {
        let found = free_login(cx, all, login, || SqlError::new(33018, &[&login]))?;
        p.sid.clone_from(&found.sid);
    }
    Ok(())
}

/// DROP USER, one after the other.
pub(super) fn drop(
    cx: &mut StatementContext<'_>,
    names: &[ObjectName],
    if_exists: bool,
) -> SqlResult<()> {
    names.iter().try_for_each(|name| drop_one(cx, &name.name.value, if_exists))
}

/// Drops one user: 15138 and its like while it owns something.
fn drop_one(cx: &mut StatementContext<'_>, name: &str, if_exists: bool) -> SqlResult<()> {
    let on = On::database(cx);
    let all = on.change(cx)?;
    let user = all.find(name).filter(|p| p.kind == PrincipalKind::User).cloned();
    let user = match user {
        None if if_exists => return Ok(()),
        None => return Err(SqlError::new(15151, &[&"drop", &"user", &name])),
        Some(user) if user.id == GUEST => return Err(SqlError::new(15539, &[&user.name])),
        Some(user) if user.is_fixed => {
            return Err(SqlError::new(15150, &[&"drop", &"user", &user.name]));
        }
        Some(user) => user,
    };
    shared::owns_nothing(cx, &all, user.id)?;
    rows::remove(on.transaction(cx)?, Scope::Database, user.id)?;
    on.refresh(cx)?;
    events::of_principal(cx, "DROP", Scope::Database, &on.database, &user);
    Ok(())
}
