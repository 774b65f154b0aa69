//! CREATE, ALTER and DROP CREDENTIAL: accounts outside, by which a backup reaches an object store.
//!
//! Each is a change of its own, not of a transaction's. The secret is sealed by the server before it is written, so that neither master's
//! files nor their log or backups have it ([`crate::instance::Host::seal`]).

use crate::catalog::credentials::{self, Credential};
use crate::database::Database;
use crate::exec::ddl_events::{DdlEvent, fire_noted};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{CredentialDefinition, NamedOption, ObjectName, OptionValue, Span};

/// UTF-16 code units of an identity at most: `sys.credentials.credential_identity`.
const IDENTITY_MAX: usize = 4000;

/// CREATE and ALTER CREDENTIAL: 15530, 15151.
pub(super) fn credential(
    cx: &mut StatementContext<'_>,
    s: &CredentialDefinition,
    (text, span): (&str, Span),
) -> SqlResult<()> {
    let statement = if s.alter { "ALTER CREDENTIAL" } else { "CREATE CREDENTIAL" };
    cx.refuse_in_transaction(statement)?;
    if s.provider.is_some() {
        return Err(unsupported(format!("{statement} … FOR CRYPTOGRAPHIC PROVIDER")));
    }
    let name = &*s.name.value;
    let (identity, secret) = asked(statement, &s.options)?;
    let master = cx.instance().databases().master()?;
    known(&master, name, s.alter)?;
    fire(cx, if s.alter { "ALTER" } else { "CREATE" }, name, (text, span))?;
    // Triggers take their time.
    lock(cx, &master)?;
    let old = known(&master, name, s.alter)?;
    let now = cx.instance().options().env.clock.now_utc();
    let secret = secret.map(|secret| seal(cx, secret)).transpose()?;
    let (id, created) = old.map_or((0, now), |old| (old.id, old.created));
    let (name, identity) = (name.into(), identity.into());
    let made = Credential { id, name, identity, secret, created, modified: now };
    credentials::write(&master.storage, &made)
}

/// Keeps other changes of credentials away until the statement ends: their list has no lock of its own, but that of the principals.
fn lock(cx: &mut StatementContext<'_>, master: &Arc<Database>) -> SqlResult<()> {
    let session = cx.session.id;
    master.catalog.lock_principals(cx.transaction(master)?, session)
}

/// The credential that is altered, or None for one that is made: 15151, 15530.
fn known(master: &Database, name: &str, alter: bool) -> SqlResult<Option<Credential>> {
    match (credentials::find(&master.storage, name)?, alter) {
        (Some(_), false) => Err(SqlError::new(15530, &[&"credential", &name])),
        (None, true) => Err(SqlError::new(15151, &[&"alter", &"credential", &name])),
        (found, _) => Ok(found),
    }
}

/// Fires the triggers of a change before it is made: what is changed outside of transactions cannot be taken back.
fn fire(
    cx: &mut StatementContext<'_>,
    verb: &str,
    name: &str,
    (text, span): (&str, Span),
) -> SqlResult<()> {
    let event = DdlEvent::on_server(&format!("{verb}_CREDENTIAL"), &cx.database());
    cx.note_event(event.map(|e| e.with("ObjectName", name).with("ObjectType", "CREDENTIAL")));
    fire_noted(cx, text, span)
}

/// DROP CREDENTIAL of each name: 15151.
pub(super) fn drop(
    cx: &mut StatementContext<'_>,
    names: &[ObjectName],
    (text, span): (&str, Span),
) -> SqlResult<()> {
    cx.refuse_in_transaction("DROP CREDENTIAL")?;
    let master = cx.instance().databases().master()?;
    for name in names {
        let name = &*name.name.value;
        if credentials::find(&master.storage, name)?.is_some() {
            fire(cx, "DROP", name, (text, span))?;
        }
        lock(cx, &master)?;
        if !credentials::remove(&master.storage, name)? {
            return Err(SqlError::new(15151, &[&"drop", &"credential", &name]));
        }
    }
    Ok(())
}

/// The identity and the secret that the options say.
fn asked<'a>(statement: &str, options: &'a [NamedOption]) -> SqlResult<(&'a str, Option<&'a str>)> {
    let (mut identity, mut secret) = (None, None);
    for o in options {
        match (&*o.name.value.to_ascii_uppercase(), &o.value) {
            ("IDENTITY", Some(OptionValue::Text(text)))
                if text.encode_utf16().count() <= IDENTITY_MAX =>
            {
                identity = Some(&**text);
            }
            ("SECRET", Some(OptionValue::Text(text))) => secret = Some(&**text),
            _ => return Err(unsupported(format!("{statement} … WITH {}", o.name.value))),
        }
    }
    // Behind WITH it is what has to come.
    let identity = identity.ok_or_else(|| SqlError::new(102, &[&"WITH"]))?;
    Ok((identity, secret))
}

fn seal(cx: &StatementContext<'_>, secret: &str) -> SqlResult<Vec<u8>> {
    let Some(host) = cx.instance().host() else {
        return Err(unsupported("A credential without a server"));
    };
    host.seal(secret).map_err(|why| unsupported(format!("A secret: {why}; so it")))
}
