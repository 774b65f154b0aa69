//! Credentials of the server (`CREATE CREDENTIAL`): rows of master's `sysinfo`, written in transactions of their own.
//!
//! ```text
//! 44, id, 0   created, name
//! 44, id, 1   changed, identity, the secret as the server has sealed it
//! ```
//! Moments are in units of 100 ns of UTC. Programs that do not know of credentials pass over these rows.

use crate::rowcodec::damaged;
use crate::systab::{self, SystemTables, bytes, number, text};
use crate::{fold, system_transaction};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_io::UtcTime;
use taffrail_storage::{Database, Durability, Transaction};
use taffrail_types::Value;

/// The first number of the rows' keys in `sysinfo`.
const CREDENTIALS: i64 = 44;
/// The third number of the row that has the name, and of the one that has the rest.
const NAME: i64 = 0;
const REST: i64 = 1;
/// `credential_id` of the first one, as SQL Server numbers them.
const FIRST: i32 = 65_536;

/// A credential of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credential {
    /// The number of the credential: `credential_id`.
    pub id: i32,
    /// The credential's name, unique on the server.
    pub name: String,
    /// The name of the account outside.
    pub identity: String,
    /// The secret as the server has sealed it; none: it has none.
    pub secret: Option<Vec<u8>>,
    /// The moment at which it was made.
    pub created: UtcTime,
    /// The moment at which it was changed last.
    pub modified: UtcTime,
}

/// All credentials, in the order in which they were made.
pub fn all(master: &Arc<Database>) -> SqlResult<Vec<Credential>> {
    let mut tx = system_transaction(master, "credentials");
    let found = read(&mut tx)?;
    tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
    Ok(found)
}

/// The credential of a name.
pub fn find(master: &Arc<Database>, name: &str) -> SqlResult<Option<Credential>> {
    let key = fold(name);
    Ok(all(master)?.into_iter().find(|c| fold(&c.name) == key))
}

/// The credential for an address: the one with the longest name that is the address, or what stands before a slash in it.
pub fn for_address(master: &Arc<Database>, address: &str) -> SqlResult<Option<Credential>> {
    let address = fold(address);
    let leads = |name: &str| {
        let name = fold(name.trim_end_matches('/'));
        let rest = address.strip_prefix(&*name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let fitting = all(master)?.into_iter().filter(|c| leads(&c.name));
    Ok(fitting.max_by_key(|c| c.name.trim_end_matches('/').len()))
}

/// A credential that is made or changed, durably; the caller has looked whether its name is free. `id` zero: it gets a number.
pub fn write(master: &Arc<Database>, credential: &Credential) -> SqlResult<()> {
    let mut tx = system_transaction(master, "credentials");
    let last = read(&mut tx)?.into_iter().map(|c| c.id).max();
    let id = match credential.id {
        0 => last.map_or(FIRST, |last| last + 1),
        id => id,
    };
    let moment = |at: UtcTime| Value::BigInt(at.0 as i64);
    let secret = credential.secret.as_deref().map_or(Value::Null, Value::binary);
    let rows = [
        (NAME, [moment(credential.created), Value::nvarchar(&credential.name), Value::Null]),
        (REST, [moment(credential.modified), Value::nvarchar(&credential.identity), secret]),
    ];
    for (part, row) in &rows {
        systab::put(&mut tx, &SystemTables::INFO, &[CREDENTIALS, id.into(), *part], row)?;
    }
    tx.commit(Durability::Full).map_err(|e| e.to_sql())
}

/// Removes the credential of a name, durably; false where there is none.
pub fn remove(master: &Arc<Database>, name: &str) -> SqlResult<bool> {
    let key = fold(name);
    let mut tx = system_transaction(master, "credentials");
    let found = read(&mut tx)?.into_iter().find(|c| fold(&c.name) == key);
    if let Some(c) = &found {
        systab::remove_all(&mut tx, &SystemTables::INFO, &[CREDENTIALS, c.id.into()])?;
    }
    tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
    Ok(found.is_some())
}

fn read(tx: &mut Transaction) -> SqlResult<Vec<Credential>> {
    let mut all: Vec<Credential> = Vec::new();
    for (key, row) in systab::scan(tx, &SystemTables::INFO, &[CREDENTIALS])? {
        let (at, written) = (UtcTime(number(&row, 0)? as u64), text(&row, 1)?);
        match (&key[..], all.last_mut()) {
            (&[_, id, NAME], _) => all.push(Credential {
                id: i32::try_from(id).map_err(|_| damaged("the key of a credential"))?,
                name: written,
                identity: String::new(),
                secret: None,
                created: at,
                modified: at,
            }),
            (&[_, id, REST], Some(c)) if i64::from(c.id) == id => {
                let sealed = bytes(&row, 2)?;
                c.secret = (!sealed.is_empty()).then(|| sealed.to_vec());
                (c.identity, c.modified) = (written, at);
            }
            _ => return Err(damaged("the key of a credential")),
        }
    }
    Ok(all)
}
