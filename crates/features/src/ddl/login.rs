//! ALTER LOGIN: the password and the database of a login. There is one login, `sa`; making others is refused.

use crate::features;
use crate::features::server_observer::Audit;
use crate::instance_options::Host;
use crate::session::context::StatementContext;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{LoginDefinition, NamedOption, OptionValue};

/// Characters that a password has at least where CHECK_POLICY is ON, as on every platform without a policy of its own.
const SHORTEST: usize = 8;
/// Characters that a password has at most.
const LONGEST: usize = 128;
/// Kinds of characters that it has at least: upper case, lower case, digits, others.
const KINDS: usize = 3;

/// What the options ask for.
#[derive(Default)]
struct Asked<'a> {
    password: Option<&'a str>,
    old_password: Option<&'a str>,
    database: Option<&'a str>,
    policy: bool,
}

pub(super) fn alter(cx: &mut StatementContext<'_>, s: &LoginDefinition) -> SqlResult<()> {
    if cx.refuse_in_transaction("ALTER LOGIN").is_err() {
        return Err(SqlError::new(574, &[&"ALTER LOGIN"]));
    }
    let instance = cx.instance().clone();
    let unknown = || SqlError::new(15151, &[&"alter", &"login", &s.name.value]);
    let login = instance.find_login(&s.name.value).ok_or_else(unknown)?;
    match s.enable {
        Some(true) => return Ok(()),
        // It is the only one: nobody could log in any more.
        Some(false) => return Err(unsupported("ALTER LOGIN … DISABLE")),
        None => {}
    }
    let asked = asked(&s.options)?;
    let database = match asked.database {
        Some(name) => Some(instance.databases().slot(name).map_or_else(
            || Err(SqlError::new(15010, &[&name])),
            |slot| Ok(slot.entry.name.clone()),
        )?),
        None => None,
    };
    let mut hashed = None;
    if let Some(password) = asked.password {
        let host = instance.host().ok_or_else(|| unsupported("ALTER LOGIN … WITH PASSWORD"))?;
        if let Some(old) = asked.old_password
            && !host.is_password(&login.name, old, &login.password_hash)
        {
            return Err(unknown());
        }
        hashed = Some(hash(host, password, asked.policy)?);
    }
    let known = instance.login_principal(&s.name.value).ok_or_else(unknown)?;
    let mut changed = (*known).clone();
    let is_new = hashed.is_some();
    changed.password_hash = hashed.unwrap_or(changed.password_hash);
    changed.login.default_database = database.unwrap_or(changed.login.default_database);
    instance.record_login(changed)?;
    if asked.database.is_some() {
        let changed = Audit::DefaultDatabase { login: &login.name, sid: &login.sid };
        features::server_observer().audited(&instance, &changed);
    }
    if let Some(host) = instance.host().filter(|_| is_new) {
        host.password_changed(&instance);
    }
    Ok(())
}

/// Whether CHECK_POLICY would refuse a password: too short, or of too few kinds of characters.
pub fn is_weak_password(password: &str) -> bool {
    password.chars().count() < SHORTEST || kinds(password) < KINDS
}

fn hash(host: &dyn Host, password: &str, policy: bool) -> SqlResult<String> {
    let length = password.chars().count();
    if length > LONGEST {
        return Err(SqlError::new(15117, &[]));
    }
    // There is never a blank one, policy or not.
    if length == 0 || policy && length < SHORTEST {
        return Err(SqlError::new(15116, &[]));
    }
    if policy && kinds(password) < KINDS {
        return Err(SqlError::new(15118, &[]));
    }
    host.hash_password(password).map_err(|e| SqlError::new(15150, &[&"alter", &"login", &e]))
}

fn kinds(password: &str) -> usize {
    let of: [fn(char) -> bool; 4] =
        [char::is_uppercase, char::is_lowercase, char::is_numeric, |c| {
            !c.is_uppercase() && !c.is_lowercase() && !c.is_numeric()
        }];
    of.iter().filter(|is| password.chars().any(is)).count()
}

fn asked(options: &[NamedOption]) -> SqlResult<Asked<'_>> {
    let mut asked = Asked { policy: true, ..Asked::default() };
    for o in options {
        let refused = || Err(unsupported(format!("ALTER LOGIN … WITH {}", o.name.value)));
        match (o.name.value.to_ascii_uppercase().as_str(), &o.value) {
            ("PASSWORD", Some(OptionValue::Text(text))) => asked.password = Some(text),
            ("OLD_PASSWORD", Some(OptionValue::Text(text))) => asked.old_password = Some(text),
            ("DEFAULT_DATABASE", Some(OptionValue::Word(name))) => {
                asked.database = Some(&name.value)
            }
            ("CHECK_POLICY", Some(OptionValue::On)) => asked.policy = true,
            ("CHECK_POLICY", Some(OptionValue::Off)) => asked.policy = false,
            // No login is ever locked, and no password ends.
            ("UNLOCK", None) | ("CHECK_EXPIRATION", Some(OptionValue::Off)) => {}
            _ => return refused(),
        }
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::kinds;

    #[test]
    fn kinds_of_characters() {
        assert_eq!(["abc", "abC", "abC1", "abC1!", "äÖ٣ "].map(kinds), [1, 2, 3, 4, 4]);
    }
}
