//! Wrong passwords of logins, as master keeps them where logins are locked out: rows of `sysinfo`.
//!
//! | key | columns |
//! |---|---|
//! | 21, login, 0 | how many, -, the login's security identifier |
//! | 21, login, 1 | the moment of the last |
//! | 21, login, 2 | the moment at which the login was locked out, or NULL |
//!
//! Ids of logins are given anew: rows with another security identifier are those of a login that is gone.

use super::rows::{moment, moment_of};
use crate::rowcodec::damaged;
use crate::systab::{self, SystemTables, bytes, number, number_or_null};
use std::collections::HashMap;
use taffrail_base::SqlResult;
use taffrail_storage::Transaction;
use taffrail_types::Value;

/// The version of the catalogue's tables that knows attempts, and users with passwords of their own.
pub(crate) const ATTEMPTS: i64 = 17;

/// The first number of the keys.
const KEY: i64 = 21;

/// Wrong passwords of a login since its last right one.
#[derive(Clone, PartialEq, Debug)]
pub struct Attempts {
    /// The login's security identifier.
    pub sid: Vec<u8>,
    /// How many there were.
    pub count: i32,
    /// The moment of the last, a datetime.
    pub last: Value,
    /// The moment at which the login was locked out, a datetime; NULL where it was not.
    pub locked: Value,
}

/// Keeps the attempts of a login.
pub fn write(tx: &mut Transaction, login: i32, attempts: &Attempts) -> SqlResult<()> {
    crate::ensure_schema_version(tx, ATTEMPTS)?;
    let count = Value::BigInt(attempts.count.into());
    let rows = [
        [count, Value::Null, Value::binary(&attempts.sid)],
        [moment(&attempts.last), Value::Null, Value::Null],
        [moment(&attempts.locked), Value::Null, Value::Null],
    ];
    for (part, row) in (0..).zip(&rows) {
        systab::put(tx, &SystemTables::INFO, &[KEY, login.into(), part], row)?;
    }
    Ok(())
}

/// Forgets the attempts of a login.
pub fn remove(tx: &mut Transaction, login: i32) -> SqlResult<()> {
    systab::remove_all(tx, &SystemTables::INFO, &[KEY, login.into()])
}

/// The attempts of all logins, by principal id.
pub fn read(tx: &mut Transaction) -> SqlResult<HashMap<i32, Attempts>> {
    let mut all = HashMap::<i32, Attempts>::new();
    for (key, row) in systab::scan(tx, &SystemTables::INFO, &[KEY])? {
        let &[_, login, part] = key.as_slice() else { return Err(damaged("an attempt's key")) };
        let login = i32::try_from(login).map_err(|_| damaged("an attempt's key"))?;
        if part == 0 {
            let count = i32::try_from(number(&row, 0)?).map_err(|_| damaged("an attempt"))?;
            let (sid, last, locked) = (bytes(&row, 2)?.to_vec(), Value::Null, Value::Null);
            all.insert(login, Attempts { sid, count, last, locked });
            continue;
        }
        let attempts = all.get_mut(&login).ok_or_else(|| damaged("an attempt's key"))?;
        match part {
            1 => attempts.last = moment_of(number_or_null(&row, 0)),
            2 => attempts.locked = moment_of(number_or_null(&row, 0)),
            _ => return Err(damaged("an attempt's key")),
        }
    }
    Ok(all)
}
