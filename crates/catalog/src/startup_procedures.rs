//! Procedures of master that run when the server has started (`sp_procoption`): rows of its `sysinfo`.
//!
//! ```text
//! 41, the procedure's id
//! ```
//! Programs that do not know of them pass over these rows.

use crate::rowcodec::damaged;
use crate::systab::{self, SystemTables};
use crate::system_transaction;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::{Durability, Transaction};
use taffrail_types::Value;

/// The first number of the rows' keys in `sysinfo`.
const STARTUP: i64 = 41;

/// Says whether a procedure runs at the start.
pub fn set(tx: &mut Transaction, procedure: ObjectId, on: bool) -> SqlResult<()> {
    let key = [STARTUP, procedure.0.into()];
    match on {
        true => {
            let row = [Value::Null, Value::Null, Value::Null];
            systab::put(tx, &SystemTables::INFO, &key, &row)
        }
        false => systab::remove_all(tx, &SystemTables::INFO, &key),
    }
}

/// The procedures that run at the start, by their ids.
pub fn all(master: &Arc<taffrail_storage::Database>) -> SqlResult<Vec<ObjectId>> {
    let mut tx = system_transaction(master, "startup procedures");
    let rows = systab::scan(&mut tx, &SystemTables::INFO, &[STARTUP])?;
    tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
    rows.into_iter()
        .map(|(key, _)| match key[..] {
            [_, id] => i32::try_from(id).map(ObjectId).map_err(|_| damaged("a startup procedure")),
            _ => Err(damaged("the key of a startup procedure")),
        })
        .collect()
}
