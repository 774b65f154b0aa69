//! Application locks of a session (`sp_getapplock`), and the answers of APPLOCK_MODE and APPLOCK_TEST.

use crate::session::Session;
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::StorageInstance;
use taffrail_storage::lock::{
    LockMode, LockRow, LockStatus, OwnerId, OwnerKind, Resource, TxLockState,
};
use taffrail_types::Value;

/// The longest name of a lock, in code units.
const LONGEST: usize = 255;

/// The lock of a name in a database: by the 64-bit FNV-1a of the name's code units.
pub fn resource_of(database: DatabaseId, name: &str) -> Resource {
    let hash = name.encode_utf16().fold(0xcbf2_9ce4_8422_2325, |h, unit| {
        (h ^ u64::from(unit)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Resource::application(database, hash)
}

/// The mode of a word: 1225 for one that nobody may ask for.
pub fn mode_named(procedure: &str, word: &str) -> SqlResult<LockMode> {
    Ok(match &*word.to_ascii_lowercase() {
        "shared" => LockMode::S,
        "update" => LockMode::U,
        "exclusive" => LockMode::X,
        "intentshared" => LockMode::IS,
        "intentexclusive" => LockMode::IX,
        _ => return Err(SqlError::new(1225, &[&procedure])),
    })
}

/// The word for a mode in which an application lock is held.
fn word_of(mode: LockMode) -> &'static str {
    match mode {
        LockMode::S => "Shared",
        LockMode::U => "Update",
        LockMode::X => "Exclusive",
        LockMode::IS => "IntentShared",
        LockMode::IX => "IntentExclusive",
        LockMode::SIX => "SharedIntentExclusive",
        LockMode::UIX => "UpdateIntentExclusive",
        _ => "NoLock",
    }
}

impl Session {
    /// The name that a lock of a principal has among all, and whether the session is to own it: 1224, 1226, 15626. `inside`: a transaction
    /// that is to own it has to be there.
    pub fn application_lock_named(
        &self,
        procedure: &str,
        [principal, name, owner]: [&str; 3],
        inside: bool,
    ) -> SqlResult<(String, bool)> {
        if name.is_empty() || name.encode_utf16().count() > LONGEST {
            return Err(SqlError::new(1224, &[&procedure]));
        }
        let session = match &*owner.to_ascii_lowercase() {
            "session" => true,
            "transaction" if inside && self.transaction.count() == 0 => {
                return Err(SqlError::new(15626, &[]));
            }
            "transaction" => false,
            _ => return Err(SqlError::new(1226, &[&procedure])),
        };
        // A principal's locks are its own: their names are told apart by it.
        match &*principal.to_ascii_lowercase() {
            "public" => Ok((name.to_owned(), session)),
            "dbo" => Ok((format!("dbo:{name}"), session)),
            _ => {
                let what = "An application lock of another principal than public and dbo";
                Err(SqlError::new(40510, &[&what]))
            }
        }
    }

    /// APPLOCK_MODE, and with a mode APPLOCK_TEST; names: the principal, the lock, its owner.
    pub(crate) fn application_lock_told(
        &self,
        names: [&str; 3],
        mode: Option<&str>,
    ) -> SqlResult<Value> {
        let function = if mode.is_some() { "APPLOCK_TEST" } else { "APPLOCK_MODE" };
        let mode = mode.map(|word| mode_named(function, word)).transpose()?;
        let (name, session) = self.application_lock_named(function, names, mode.is_some())?;
        let resource = resource_of(self.database.id, &name);
        let kind = match session {
            true => OwnerKind::SharedTransactionWorkspace,
            false => OwnerKind::Transaction,
        };
        let rows = self.database.storage.instance().locks.rows_of(&resource);
        let is_own = |row: &LockRow| row.owner.session() == self.id.0 && row.owner.kind() == kind;
        let granted = |row: &&LockRow| row.status == LockStatus::Grant;
        let own = rows.iter().filter(granted).find(|row| is_own(row)).map(|row| row.mode);
        let Some(mode) = mode else {
            return Ok(Value::nvarchar(own.map_or("NoLock", word_of)));
        };
        let wanted = own.map_or(mode, |own| own.with(mode));
        // Who holds it already goes before those that wait.
        let counts = |row: &&LockRow| !is_own(row) && (own.is_none() || granted(row));
        let free = rows.iter().filter(counts).all(|row| wanted.is_compatible_with(row.mode));
        Ok(Value::SmallInt((own == Some(wanted) || free).into()))
    }
}

/// How often one owner asked for one name.
pub struct Count {
    /// The session or its transaction.
    pub owner: OwnerId,
    /// The name that is locked.
    pub resource: Resource,
    /// The requests that have not been taken back.
    pub times: u32,
}

/// The application locks of a session.
#[derive(Default)]
pub struct AppLocks {
    /// What the session itself holds, once it has asked for something.
    pub own: Option<(Arc<StorageInstance>, TxLockState)>,
    /// Of the session, and of transactions; those of transactions that have ended are thrown away by the next call.
    pub counts: Vec<Count>,
}

impl AppLocks {
    /// Gives back what the session holds.
    pub fn release_all(&mut self) {
        if let Some((instance, locks)) = &mut self.own {
            instance.locks.release_all(locks);
        }
        self.counts.clear();
    }
}

impl Drop for AppLocks {
    fn drop(&mut self) {
        self.release_all();
    }
}
