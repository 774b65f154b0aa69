//! The version of the catalogue's tables: a number in `sysinfo` that keeps programs out which do not know what a database holds.

use crate::systab::{self, SystemTables};
use crate::system_transaction;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{Durability, ScanLocks, Transaction};
use taffrail_types::Value;

/// The newest version of the catalogue's tables that this program knows: 2 has filtered indexes, 3 has statistics, 4 has functions, 5 has
/// synonyms, 6 has sequences, 7 has types of users, 8 has triggers, 9 has rowversion, 10 has computed columns, 11 has options of modules,
/// 12 has options of row versions and indexes that are disabled, ignore keys that are there, or lock no rows, 13 has principals of one's
/// own, 14 has periods and tables of history, 15 has owners of single objects, 17 has wrong passwords that are kept and users with
/// passwords, 18 has cursors as parameters, 19 has security policies, 20 has masks, 21 has triggers of databases and of the server. 16 is
/// of none. Numbers rise as features come: a program that knows one knows all below it.
pub(crate) const SCHEMA_VERSION: i64 = 21;

/// The version of a new database, until it holds what only a newer one has.
pub(crate) const FIRST_SCHEMA_VERSION: i64 = 1;

/// `sysinfo`: the version of the catalogue's tables.
const INFO_SCHEMA_VERSION: i64 = 1;

/// The version of a database, as the last commit has left it or an open transaction.
pub(crate) fn schema_version(tx: &mut Transaction) -> SqlResult<i64> {
    schema_version_locked(tx, ScanLocks::None)
}

fn schema_version_locked(tx: &mut Transaction, locks: ScanLocks) -> SqlResult<i64> {
    match systab::get_locked(tx, &SystemTables::INFO, &[INFO_SCHEMA_VERSION], locks)? {
        Some(row) => systab::number(&row, 0),
        None => Err(SqlError::new(5243, &[])),
    }
}

/// Writes the version of a new database.
pub(crate) fn write_schema_version(tx: &mut Transaction, version: i64) -> SqlResult<()> {
    let row = [Value::BigInt(version), Value::Null, Value::Null];
    systab::put(tx, &SystemTables::INFO, &[INFO_SCHEMA_VERSION], &row)
}

/// Keeps programs out that do not know what `tx` is about to write, before it is written.
///
/// A transaction of its own raises the version and ends at once: a rollback of `tx` must not take back a version that others count on, and
/// nobody is to wait for the end of `tx`. After a rollback the version stays.
pub(crate) fn ensure_schema_version(tx: &mut Transaction, version: i64) -> SqlResult<()> {
    // tempdb is made anew at each start: no other program reads it.
    if tx.database().is_temporary()
        || schema_version_locked(tx, ScanLocks::ReadCommitted)? >= version
    {
        return Ok(());
    }
    let mut own = system_transaction(tx.database(), "SchemaVersion");
    if schema_version_locked(&mut own, ScanLocks::Update)? < version {
        write_schema_version(&mut own, version)?;
    }
    own.commit(Durability::Full).map_err(|e| e.to_sql())
}
