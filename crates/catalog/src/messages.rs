//! Messages of users' own (`sp_addmessage`): rows of master's `sysinfo`, and the copy of them that every statement reads.
//!
//! A row is written in a transaction of its own, as configuration options are: a rollback of the caller does not take it back.
//! Programs that do not know of them pass over these rows.

use crate::rowcodec::damaged;
use crate::systab::{self, SystemTables, number, text};
use crate::system_transaction;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::Durability;
use taffrail_types::Value;

/// The first number of the rows' keys in `sysinfo`.
const MESSAGES: i64 = 16;

/// The `language_id` of English of the United States, in which each message must be there.
pub const ENGLISH: i32 = 1033;

/// The flag of a message that always goes to the log.
const LOGGED: i64 = 1 << 8;

/// A message of a user's own in one language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserMessage {
    /// The severity, 1 to 25.
    pub severity: u8,
    /// It goes to the error log whenever it is raised.
    pub is_logged: bool,
    /// Text with placeholders: of RAISERROR, in other languages `%1!` for the first one of the English text.
    pub text: String,
}

/// Messages by number and `language_id`.
pub type AllMessages = BTreeMap<(i32, i32), UserMessage>;

/// The messages of an instance.
#[derive(Default)]
pub struct UserMessages {
    /// None until somebody has asked.
    all: RwLock<Option<Arc<AllMessages>>>,
}

type Master = Arc<taffrail_storage::Database>;

impl UserMessages {
    /// All messages of users.
    pub fn all(&self, master: &Master) -> SqlResult<Arc<AllMessages>> {
        if let Some(all) = &*self.all.read() {
            return Ok(all.clone());
        }
        let mut kept = self.all.write();
        let all = Arc::new(read(master)?);
        *kept = Some(all.clone());
        Ok(all)
    }

    /// Changes them as `change` says, which is handed what there is. Rows that differ then are written, durably; an error changes nothing.
    pub fn change(
        &self,
        master: &Master,
        change: impl FnOnce(&mut AllMessages) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let mut kept = self.all.write();
        let before = read(master)?;
        let mut after = before.clone();
        change(&mut after)?;
        // What fails to be written is read again.
        *kept = None;
        let mut tx = system_transaction(master, "messages");
        for ((id, language), _) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
            let key = [MESSAGES, i64::from(*id), i64::from(*language)];
            systab::remove(&mut tx, &SystemTables::INFO, &key)?;
        }
        for (key @ (id, language), m) in &after {
            if before.get(key) != Some(m) {
                let flags = i64::from(m.severity) | if m.is_logged { LOGGED } else { 0 };
                let row = [Value::BigInt(flags), Value::nvarchar(&m.text), Value::Null];
                let key = [MESSAGES, i64::from(*id), i64::from(*language)];
                systab::put(&mut tx, &SystemTables::INFO, &key, &row)?;
            }
        }
        tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
        *kept = Some(Arc::new(after));
        Ok(())
    }
}

fn read(master: &Master) -> SqlResult<AllMessages> {
    let mut tx = system_transaction(master, "messages");
    let rows = systab::scan(&mut tx, &SystemTables::INFO, &[MESSAGES])?;
    tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
    let mut all = AllMessages::new();
    for (key, row) in rows {
        let &[_, id, language] = &key[..] else { return Err(damaged("the key of a message")) };
        let flags = number(&row, 0)?;
        let message = UserMessage {
            severity: (flags & 0xFF) as u8,
            is_logged: flags & LOGGED != 0,
            text: text(&row, 1)?,
        };
        all.insert((id as i32, language as i32), message);
    }
    Ok(all)
}
