//! CREATE, ALTER and DROP LOGIN.

use super::events;
use super::password::{self, Given};
use super::principals::{self as shared, On};
use crate::catalog::TriggerScope;
use crate::catalog::principals::{
    Permission, Principal, PrincipalKind, Principals, SA, Scope, hash_from_bytes, rows,
};
use crate::features;
use crate::features::server_observer::Audit;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{LoginDefinition, NamedOption, ObjectName, OptionValue};
use taffrail_types::datetime::language::LanguageId;

/// The options of CREATE and ALTER LOGIN.
#[derive(Default)]
struct LoginOptions<'a> {
    password: Option<Given<'a>>,
    hashed: bool,
    must_change: bool,
    old_password: Option<&'a str>,
    sid: Option<&'a [u8]>,
    database: Option<&'a str>,
    language: Option<&'a str>,
    policy: Option<bool>,
    expiration: Option<bool>,
    name: Option<&'a str>,
    unlock: bool,
}

fn switch(value: Option<&OptionValue>) -> Option<bool> {
    match value {
        Some(OptionValue::On) => Some(true),
        Some(OptionValue::Off) => Some(false),
        _ => None,
    }
}

fn word(value: Option<&OptionValue>) -> Option<&str> {
    match value {
        Some(OptionValue::Word(name)) => Some(&name.value),
        Some(OptionValue::Text(text)) => Some(text),
        _ => None,
    }
}

fn asked<'a>(statement: &str, options: &'a [NamedOption]) -> SqlResult<LoginOptions<'a>> {
    let mut asked = LoginOptions::default();
    for o in options {
        let value = o.value.as_ref();
        let known = match (&*o.name.value.to_ascii_uppercase(), value) {
            ("PASSWORD", Some(OptionValue::Text(text))) => {
                asked.password = Some(Given::Text(text));
                true
            }
            ("PASSWORD", Some(OptionValue::Binary(hash))) => {
                asked.password = Some(Given::Hash(hash));
                true
            }
            ("OLD_PASSWORD", Some(OptionValue::Text(text))) => {
                asked.old_password = Some(text);
                true
            }
            ("SID", Some(OptionValue::Binary(sid))) => {
                asked.sid = Some(sid);
                true
            }
            ("HASHED", None) => {
                asked.hashed = true;
                true
            }
            ("MUST_CHANGE", None) => {
                asked.must_change = true;
                true
            }
            ("UNLOCK", None) => {
                asked.unlock = true;
                true
            }
            ("DEFAULT_DATABASE", _) => {
                asked.database = word(value);
                asked.database.is_some()
            }
            ("DEFAULT_LANGUAGE", _) => {
                asked.language = word(value);
                asked.language.is_some()
            }
            ("NAME", _) => {
                asked.name = word(value);
                asked.name.is_some()
            }
            ("CHECK_POLICY", _) => {
                asked.policy = switch(value);
                asked.policy.is_some()
            }
            ("CHECK_EXPIRATION", _) => {
                asked.expiration = switch(value);
                asked.expiration.is_some()
            }
            _ => false,
        };
        if !known {
            return Err(unsupported(format!("{statement} … WITH {}", o.name.value)));
        }
    }
    Ok(asked)
}

/// The name of a database that is there, as it is written.
fn database_named(cx: &StatementContext<'_>, name: &str) -> SqlResult<String> {
    let slot = cx.instance().databases().slot(name);
    slot.map(|s| s.entry.name).ok_or_else(|| SqlError::new(15010, &[&name]))
}

fn language_named(name: &str) -> SqlResult<std::sync::Arc<str>> {
    let id = LanguageId::of_name(name).ok_or_else(|| SqlError::new(15033, &[&name]))?;
    Ok(id.get().name.into())
}

/// CREATE and ALTER LOGIN.
pub(super) fn login(cx: &mut StatementContext<'_>, s: &LoginDefinition) -> SqlResult<()> {
    if s.alter { alter(cx, s) } else { create(cx, s) }
}

fn create(cx: &mut StatementContext<'_>, s: &LoginDefinition) -> SqlResult<()> {
    if let Some(source) = &s.from {
        return Err(unsupported(format!("CREATE LOGIN … FROM {}", source.value)));
    }
    let name = &*s.name.value;
    shared::valid_name(name)?;
    let on = On::server(cx)?;
    let all = on.change(cx)?;
    if all.find(name).is_some() {
        return Err(SqlError::new(15025, &[&name]));
    }
    let asked = asked("CREATE LOGIN", &s.options)?;
    let Some(given) = asked.password else {
        return Err(SqlError::new(102, &[&"WITH"]));
    };
    let mut p = Principal::new(all.new_id(Scope::Server), name, PrincipalKind::Login);
    p.login.check_policy = asked.policy.unwrap_or(true);
    p.login.check_expiration = asked.expiration.unwrap_or(false);
    p.login.must_change = asked.must_change;
    check_switches(&p)?;
    p.sid = Some(match asked.sid {
        None => cx.instance().options().env.entropy.guid().to_vec(),
        Some(sid) if sid.len() != 16 => return Err(SqlError::new(15419, &[])),
        Some(sid) if all.by_sid(sid).is_some() => return Err(SqlError::new(15433, &[])),
        Some(sid) => sid.to_vec(),
    });
    p.login.default_database = match asked.database {
        Some(database) => database_named(cx, database)?,
        None => "master".into(),
    };
    p.language = Some(language_named(asked.language.unwrap_or("us_english"))?);
    p.password_hash = kept(cx, &p, given, asked.hashed)?;
    p.created = on.now();
    p.modified = p.created.clone();
    p.login.password_set = p.created.clone();
    let tx = on.transaction(cx)?;
    rows::write(tx, Scope::Server, &p)?;
    rows::put_permission(tx, Scope::Server, &Permission::to_connect(p.id))?;
    on.refresh(cx)?;
    events::of_principal(cx, "CREATE", Scope::Server, &on.database, &p);
    // A login that was dropped had the same id and identifier, perhaps.
    cx.instance().forget_wrong_passwords(&p)
}

/// The combinations of switches that nobody may have.
fn check_switches(p: &Principal) -> SqlResult<()> {
    if p.login.check_expiration && !p.login.check_policy {
        return Err(SqlError::new(15122, &[]));
    }
    if p.login.must_change && !p.login.check_expiration {
        return Err(SqlError::new(15099, &[]));
    }
    Ok(())
}

/// The hash to keep of a password that is given.
fn kept(
    cx: &StatementContext<'_>,
    p: &Principal,
    given: Given<'_>,
    hashed: bool,
) -> SqlResult<String> {
    match given {
        Given::Hash(hash) if hashed => {
            hash_from_bytes(hash).ok_or_else(|| SqlError::new(15021, &[&"PASSWORD"]))
        }
        Given::Text(text) if !hashed => {
            password::check(text, &p.name, p.login.check_policy)?;
            cx.instance().hash_password(text)
        }
        // A hash is binary, and nothing else is.
        _ => Err(SqlError::new(15021, &[&"PASSWORD"])),
    }
}

fn alter(cx: &mut StatementContext<'_>, s: &LoginDefinition) -> SqlResult<()> {
    let name = &*s.name.value;
    let on = On::server(cx)?;
    let asked = asked("ALTER LOGIN", &s.options)?;
    let seen = cx.session.server_principals();
    // The host hears of sa's new password once it is durable: outside of a transaction the statement sees to that by itself.
    let at_once =
        seen.find(name).is_some_and(|p| p.id == SA) && cx.session.transaction.count() == 0;
    let all = if at_once { seen } else { on.change(cx)? };
    let unknown = || SqlError::new(15151, &[&"alter", &"login", &name]);
    let login = all.find(name).filter(|p| p.kind == PrincipalKind::Login);
    let login = login.ok_or_else(unknown)?.clone();
    let mut p = (*login).clone();
    match s.enable {
        Some(true) if p.password_hash.is_empty() => return Err(SqlError::new(15510, &[])),
        Some(enable) => p.login.is_disabled = !enable,
        None => {}
    }
    change(cx, &all, &mut p, &asked)?;
    if let Some(given) = asked.password {
        if let Some(old) = asked.old_password {
            prove(cx, &login, old)?;
        }
        if asked.hashed && p.login.check_policy {
            return Err(SqlError::new(33020, &[]));
        }
        // Whoever has not said otherwise wants the policy, also for sa, whose switch begins off.
        let policy = p.login.check_policy || asked.policy.is_none();
        let mut checked = p.clone();
        checked.login.check_policy = policy;
        p.password_hash = kept(cx, &checked, given, asked.hashed)?;
        p.login.password_set = on.now();
    }
    p.modified = on.now();
    let is_new = p.password_hash != login.password_hash;
    let instance = cx.instance().clone();
    if at_once {
        let limit = cx.session.activation.options.lock_timeout;
        instance.record_login_as(p.clone(), cx.session.id, limit)?;
        instance.host().filter(|_| is_new).iter().for_each(|host| host.password_changed(&instance));
    } else {
        rows::write(on.transaction(cx)?, Scope::Server, &p)?;
        on.refresh(cx)?;
    }
    events::of_principal(cx, "ALTER", Scope::Server, &on.database, &p);
    if asked.unlock || is_new || asked.policy == Some(false) {
        instance.forget_wrong_passwords(&p)?;
    }
    if asked.database.is_some() {
        let changed =
            Audit::DefaultDatabase { login: &p.name, sid: p.sid.as_deref().unwrap_or(&[]) };
        features::server_observer().audited(&instance, &changed);
    }
    Ok(())
}

/// The changes that an ALTER LOGIN asks for beside the password and the switch of the login.
fn change(
    cx: &StatementContext<'_>,
    all: &Principals,
    p: &mut Principal,
    asked: &LoginOptions<'_>,
) -> SqlResult<()> {
    if let Some(new) = asked.name {
        rename(all, p, new)?;
    }
    if let Some(database) = asked.database {
        p.login.default_database = database_named(cx, database)?;
    }
    if let Some(language) = asked.language {
        p.language = Some(language_named(language)?);
    }
    let was_due = p.login.must_change;
    p.login.check_policy = asked.policy.unwrap_or(p.login.check_policy);
    // Without the policy nothing expires.
    let expires = p.login.check_expiration && asked.policy != Some(false);
    p.login.check_expiration = asked.expiration.unwrap_or(expires);
    p.login.must_change = asked.must_change || p.login.must_change && asked.password.is_none();
    if was_due && (!p.login.check_policy || !p.login.check_expiration) {
        return Err(SqlError::new(15128, &[]));
    }
    check_switches(p)
}

fn rename(all: &Principals, p: &mut Principal, new: &str) -> SqlResult<()> {
    shared::valid_name(new)?;
    if all.find(new).is_some_and(|other| other.id != p.id) {
        return Err(SqlError::new(15025, &[&new]));
    }
    p.name = new.into();
    Ok(())
}

/// Refuses whoever does not know a login's password: a wrong one counts as at a login (15151), and a locked login proves nothing (15113).
fn prove(cx: &StatementContext<'_>, login: &Principal, given: &str) -> SqlResult<()> {
    let instance = cx.instance();
    if instance.is_locked_out(login)? {
        return Err(SqlError::new(15113, &[]));
    }
    let hash = crate::catalog::principals::hash_as_bytes(&login.password_hash);
    if hash.map_or(Ok(false), |hash| instance.is_password(given, &hash))? {
        return Ok(());
    }
    instance.note_wrong_password(login)?;
    Err(SqlError::new(15151, &[&"alter", &"login", &login.name]))
}

/// DROP LOGIN: 15434 while it is connected, 15174 and its like while it owns something.
pub(super) fn drop(cx: &mut StatementContext<'_>, names: &[ObjectName]) -> SqlResult<()> {
    for name in names {
        let name = &*name.name.value;
        let on = On::server(cx)?;
        let all = on.change(cx)?;
        let login = all.find(name).filter(|p| p.kind == PrincipalKind::Login);
        let unknown = || SqlError::new(15151, &[&"drop", &"login", &name]);
        let login = login.ok_or_else(unknown)?.clone();
        if login.id == SA {
            return Err(SqlError::new(15405, &[&login.name]));
        }
        if cx.instance().sessions().iter().any(|s| s.client.login_id == login.id) {
            return Err(SqlError::new(15434, &[&login.name]));
        }
        let slots = cx.instance().databases().list();
        if slots.iter().any(|s| Some(&s.entry.owner_sid) == login.sid.as_ref()) {
            return Err(SqlError::new(15174, &[&login.name]));
        }
        if all.all().any(|p| p.owner == Some(login.id)) {
            return Err(SqlError::new(15141, &[&"server role"]));
        }
        if all.permissions().any(|p| p.key.grantor == login.id) {
            return Err(SqlError::new(15173, &[&login.name]));
        }
        // A later login may get the id.
        let triggers = on.database.catalog.ddl_triggers(TriggerScope::Server, cx.session.id);
        if triggers.iter().any(|t| t.execute_as == Some(login.id)) {
            return Err(SqlError::new(15186, &[]));
        }
        rows::remove(on.transaction(cx)?, Scope::Server, login.id)?;
        on.refresh(cx)?;
        events::of_principal(cx, "DROP", Scope::Server, &on.database, &login);
    }
    Ok(())
}
