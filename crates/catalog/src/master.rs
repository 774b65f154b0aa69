//! The tables that only master has: databases, logins, configuration.
//!
//! A database's row is written with state [`EntryState::Creating`] before its first file is made, again when its files are there and
//! still empty, and with [`EntryState::Online`] when its catalogue is durable; dropping goes the other way. At start the instance
//! removes the files of every database found half-made or half-dropped, and its row.
//!
//! Its files are lines of text; of a database that is being created, `*` before a path says that the file is its own.

use super::systab::{self, SystemTables, number, text};
use std::path::PathBuf;
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlResult};
use taffrail_storage::{BeginSpec, Durability, Transaction};
use taffrail_types::Value;

/// How far a database's creation or removal has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryState {
    /// To be opened at start.
    Online,
    /// Its files may be incomplete: they go away at start.
    Creating,
    /// Its files may be gone: the rest goes away at start.
    Dropping,
    /// SET OFFLINE: not opened at start.
    Offline,
    /// In the middle of a restore.
    Restoring,
}

/// Before the path of a file that CREATE DATABASE has made.
const MADE: &str = "*";

/// A row of `sysdatabases`.
#[derive(Clone, Debug)]
pub struct DatabaseEntry {
    /// The database's number, `database_id`.
    pub id: DatabaseId,
    /// The name of the database.
    pub name: String,
    /// Its files when it was created, the primary data file first; at start that one names the others.
    pub files: Vec<PathBuf>,
    /// Of a database that is being created: those of the files that CREATE DATABASE has made.
    pub made: Vec<PathBuf>,
    /// The moment of its creation, a datetime.
    pub created: Value,
    /// The state in which the next start finds the database.
    pub state: EntryState,
    /// The security identifier of its owner, `owner_sid`.
    pub owner_sid: Vec<u8>,
    /// The database's `compatibility_level`, such as 160.
    pub compatibility_level: u8,
}

fn begin(master: &Arc<taffrail_storage::Database>) -> Transaction {
    master.begin(BeginSpec { name: "master", lock_timeout_ms: -1, ..BeginSpec::default() })
}

fn end(tx: Transaction) -> SqlResult<()> {
    tx.commit(Durability::Full).map_err(|e| e.to_sql())
}

/// All databases, by id.
pub fn databases(master: &Arc<taffrail_storage::Database>) -> SqlResult<Vec<DatabaseEntry>> {
    let mut tx = begin(master);
    let mut all = Vec::new();
    for (key, row) in systab::scan(&mut tx, &SystemTables::DATABASES, &[])? {
        let lines = text(&row, 1)?;
        let files = lines.lines().map(|l| PathBuf::from(l.strip_prefix(MADE).unwrap_or(l)));
        let made = lines.lines().filter_map(|l| l.strip_prefix(MADE));
        all.push(DatabaseEntry {
            id: DatabaseId(key[0] as u16),
            name: text(&row, 0)?,
            files: files.collect(),
            made: made.map(PathBuf::from).collect(),
            created: row[2].clone(),
            state: match number(&row, 3)? {
                0 => EntryState::Online,
                1 => EntryState::Creating,
                3 => EntryState::Offline,
                4 => EntryState::Restoring,
                _ => EntryState::Dropping,
            },
            owner_sid: systab::bytes(&row, 4)?.to_vec(),
            compatibility_level: number(&row, 5)?.clamp(0, 255) as u8,
        });
    }
    end(tx)?;
    Ok(all)
}

/// Writes a database's row; durable when it returns.
pub fn put_database(
    master: &Arc<taffrail_storage::Database>,
    entry: &DatabaseEntry,
) -> SqlResult<()> {
    let mut tx = begin(master);
    let state = match entry.state {
        EntryState::Online => 0,
        EntryState::Creating => 1,
        EntryState::Dropping => 2,
        EntryState::Offline => 3,
        EntryState::Restoring => 4,
    };
    let line = |f: &PathBuf| {
        let mark = if entry.made.contains(f) { MADE } else { "" };
        format!("{mark}{}", f.display())
    };
    let files: Vec<_> = entry.files.iter().map(line).collect();
    let row = [
        Value::nvarchar(&entry.name),
        Value::nvarchar(&files.join("\n")),
        entry.created.clone(),
        Value::Int(state),
        Value::binary(&entry.owner_sid),
        Value::Int(entry.compatibility_level as i32),
    ];
    systab::put(&mut tx, &SystemTables::DATABASES, &[entry.id.0 as i64], &row)?;
    end(tx)
}

/// Removes a database's row; durable when it returns.
pub(crate) fn remove_database(
    master: &Arc<taffrail_storage::Database>,
    id: DatabaseId,
) -> SqlResult<()> {
    let mut tx = begin(master);
    systab::remove(&mut tx, &SystemTables::DATABASES, &[id.0 as i64])?;
    end(tx)
}

/// Values that `sp_configure` has set: configuration id, value.
pub fn configurations(master: &Arc<taffrail_storage::Database>) -> SqlResult<Vec<(i32, i64)>> {
    let mut tx = begin(master);
    let mut all = Vec::new();
    for (key, row) in systab::scan(&mut tx, &SystemTables::CONFIGURES, &[])? {
        all.push((key[0] as i32, number(&row, 0)?));
    }
    end(tx)?;
    Ok(all)
}

/// Sets a configuration value; durable when it returns.
pub fn put_configuration(
    master: &Arc<taffrail_storage::Database>,
    id: i32,
    value: i64,
) -> SqlResult<()> {
    let mut tx = begin(master);
    systab::put(&mut tx, &SystemTables::CONFIGURES, &[id as i64], &[Value::BigInt(value)])?;
    end(tx)
}
