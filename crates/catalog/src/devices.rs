//! Backup devices with names (`sp_addumpdevice`): rows of master's `sysinfo`, written in transactions of their own.
//!
//! ```text
//! 40, n, 0   type, name
//! 40, n, 1   the path
//! ```
//! Programs that do not know of them pass over these rows.

use crate::rowcodec::damaged;
use crate::systab::{self, SystemTables, number, text};
use crate::{fold, system_transaction};
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::{Durability, Transaction};
use taffrail_types::Value;

/// The first number of the rows' keys in `sysinfo`.
const DEVICES: i64 = 40;
/// The third number of the row that has the name, and of the one that has the path.
const NAME: i64 = 0;
const PATH: i64 = 1;

/// The type of a file, as `sys.backup_devices` numbers it.
pub const DISK: u8 = 2;

/// A backup device with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupDevice {
    /// The device's logical name.
    pub name: String,
    /// The device's type, so far always [`DISK`].
    pub kind: u8,
    /// The path, as it was written.
    pub path: String,
}

type MasterFiles = Arc<taffrail_storage::Database>;

/// All devices, in the order in which they were added.
pub fn all(master: &MasterFiles) -> SqlResult<Vec<BackupDevice>> {
    let mut tx = system_transaction(master, "backup devices");
    let found = read(&mut tx)?;
    tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
    Ok(found.into_iter().map(|(_, device)| device).collect())
}

/// The device of a name.
pub fn find(master: &MasterFiles, name: &str) -> SqlResult<Option<BackupDevice>> {
    let key = fold(name);
    Ok(all(master)?.into_iter().find(|d| fold(&d.name) == key))
}

/// Adds a device, durably; the caller has looked whether its name and path are free.
pub fn add(master: &MasterFiles, device: &BackupDevice) -> SqlResult<()> {
    let mut tx = system_transaction(master, "backup devices");
    let last = read(&mut tx)?.into_iter().map(|(n, _)| n).max();
    let n = last.unwrap_or(0) + 1;
    let row =
        |kind: u8, text: &str| [Value::BigInt(kind.into()), Value::nvarchar(text), Value::Null];
    for (part, text) in [(NAME, &device.name), (PATH, &device.path)] {
        systab::put(&mut tx, &SystemTables::INFO, &[DEVICES, n, part], &row(device.kind, text))?;
    }
    tx.commit(Durability::Full).map_err(|e| e.to_sql())
}

/// Removes the device of a name, durably; false where there is none.
pub fn remove(master: &MasterFiles, name: &str) -> SqlResult<bool> {
    let key = fold(name);
    let mut tx = system_transaction(master, "backup devices");
    let found = read(&mut tx)?.into_iter().find(|(_, d)| fold(&d.name) == key);
    if let Some((n, _)) = &found {
        systab::remove_all(&mut tx, &SystemTables::INFO, &[DEVICES, *n])?;
    }
    tx.commit(Durability::Full).map_err(|e| e.to_sql())?;
    Ok(found.is_some())
}

fn read(tx: &mut Transaction) -> SqlResult<Vec<(i64, BackupDevice)>> {
    let mut all: Vec<(i64, BackupDevice)> = Vec::new();
    for (key, row) in systab::scan(tx, &SystemTables::INFO, &[DEVICES])? {
        let written = text(&row, 1)?;
        match (&key[..], all.last_mut()) {
            (&[_, n, NAME], _) => {
                let kind = number(&row, 0)? as u8;
                all.push((n, BackupDevice { name: written, kind, path: String::new() }));
            }
            (&[_, n, PATH], Some((of, device))) if *of == n => device.path = written,
            _ => return Err(damaged("the key of a backup device")),
        }
    }
    Ok(all)
}
