//! Contained databases: SET CONTAINMENT, users with passwords, and the way from one to the other.

use super::password;
use super::principals::{self as shared, On};
use crate::catalog::principals::{
    Authentication, Principal, PrincipalKind, Principals, Scope, hash_as_bytes, rows,
};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{DatabaseOption, OptionValue};
use taffrail_types::datetime::language::{LanguageId, languages};

/// The verbs of the messages about a database that is to be contained.
pub(super) const CREATE: &str = "create";
const ALTER: &str = "alter";

/// The value that a list of options gives to CONTAINMENT: whether it is PARTIAL.
fn wanted(list: &[DatabaseOption]) -> Option<bool> {
    list.iter().find_map(|o| match o {
        DatabaseOption::Other(name, Some(OptionValue::Word(w))) if &**name == "CONTAINMENT" => {
            Some(w.is("PARTIAL"))
        }
        _ => None,
    })
}

/// Refuses a database that is to be contained while the server does not authenticate its users.
pub(super) fn allowed(cx: &StatementContext<'_>, verb: &str) -> SqlResult<()> {
    match cx.instance().authenticates_contained() {
        true => Ok(()),
        false => Err(SqlError::new(12824, &[&verb])),
    }
}

/// Looks at SET CONTAINMENT before anything changes: 12803 for a system database, 12824 without the server's option, 12809 while there are
/// users with passwords.
pub(super) fn check(
    cx: &StatementContext<'_>,
    database: &Database,
    list: &[DatabaseOption],
) -> SqlResult<()> {
    match wanted(list) {
        None => Ok(()),
        Some(true) if database.id.0 <= 4 => Err(SqlError::new(12803, &[&database.name])),
        Some(true) => {
            allowed(cx, ALTER)?;
            database.note_contained()
        }
        Some(false) => {
            let here = cx.session.principals_of(database);
            let own = |p: &Arc<Principal>| p.authentication == Authentication::Database;
            match here.all().any(own) {
                true => Err(SqlError::new(12809, &[])),
                false => Ok(()),
            }
        }
    }
}

/// After the change: sessions end whose users the database authenticates no more.
pub(super) fn changed(cx: &StatementContext<'_>, database: &Database, list: &[DatabaseOption]) {
    if wanted(list) == Some(false) {
        cx.instance().end_contained_sessions(Some(database.id));
    }
}

/// The name of a default language: none for NONE, 15033 for one that is not known.
pub(super) fn language(value: &OptionValue) -> SqlResult<Option<Arc<str>>> {
    let unknown = |name: &str| SqlError::new(15033, &[&name]);
    let named = |name: &str| {
        let id = LanguageId::of_name(name).ok_or_else(|| unknown(name))?;
        Ok(Some(Arc::from(id.get().name)))
    };
    match value {
        OptionValue::Word(w) if w.is("NONE") => Ok(None),
        OptionValue::Word(w) => named(&w.value),
        OptionValue::Text(text) => named(text),
        OptionValue::Number(digits) => {
            let lcid = digits.parse::<i32>().ok();
            let found = languages().iter().find(|l| Some(l.lcid) == lcid);
            Ok(Some(Arc::from(found.ok_or_else(|| unknown(digits))?.name)))
        }
        _ => Err(SqlError::new(102, &[&"DEFAULT_LANGUAGE"])),
    }
}

/// Gives a user a password of its own.
pub(super) fn set_password(
    cx: &StatementContext<'_>,
    p: &mut Principal,
    given: &str,
) -> SqlResult<()> {
    password::check(given, &p.name, true)?;
    p.password_hash = cx.instance().hash_password(given)?;
    p.authentication = Authentication::Database;
    Ok(())
}

/// Whether a password is a user's.
pub(super) fn is_password(
    cx: &StatementContext<'_>,
    p: &Principal,
    given: &str,
) -> SqlResult<bool> {
    let hash = hash_as_bytes(&p.password_hash);
    hash.map_or(Ok(false), |hash| cx.instance().is_password(given, &hash))
}

/// The user that is to be migrated, and its login.
fn migrated(
    cx: &StatementContext<'_>,
    all: &Principals,
    name: &str,
) -> SqlResult<(Principal, Arc<Principal>)> {
    let user = all.find(name).ok_or_else(|| SqlError::new(15151, &[&"alter", &"user", &name]))?;
    let of_login = user.kind == PrincipalKind::User
        && !user.is_fixed
        && user.authentication == Authentication::Instance;
    if !of_login {
        return Err(SqlError::new(12820, &[]));
    }
    let server = cx.session.server_principals();
    let login = user.sid.as_deref().and_then(|sid| server.by_sid(sid)).cloned();
    let login = login.ok_or_else(|| SqlError::new(12823, &[&user.name]))?;
    Ok(((**user).clone(), login))
}

/// A login's user becomes one with the login's password, and with the login's name where that is copied. The user keeps its number, so all
/// that it owns and may do. Its security identifier is a new one: the login is no longer this user.
pub(crate) fn migrate(
    cx: &mut StatementContext<'_>,
    name: &str,
    copies: bool,
    disables: bool,
) -> SqlResult<()> {
    if !cx.database().is_contained() {
        return Err(SqlError::new(12819, &[]));
    }
    let on = On::database(cx);
    let all = on.change(cx)?;
    let (mut user, login) = migrated(cx, &all, name)?;
    if copies {
        if all.find(&login.name).is_some_and(|other| other.id != user.id) {
            return Err(SqlError::new(15023, &[&login.name]));
        }
        user.name = login.name.clone();
    }
    user.password_hash.clone_from(&login.password_hash);
    user.authentication = Authentication::Database;
    user.language.clone_from(&login.language);
    user.sid = Some(shared::new_sid(cx, Scope::Database, 3));
    user.modified = on.now();
    rows::write(on.transaction(cx)?, Scope::Database, &user)?;
    on.refresh(cx)?;
    if disables {
        let on = On::server(cx)?;
        let server = on.change(cx)?;
        if let Some(login) = server.get(login.id) {
            let mut login = (**login).clone();
            login.login.is_disabled = true;
            login.modified = on.now();
            rows::write(on.transaction(cx)?, Scope::Server, &login)?;
            on.refresh(cx)?;
        }
    }
    Ok(())
}
