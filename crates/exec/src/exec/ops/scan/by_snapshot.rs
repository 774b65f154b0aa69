//! Rows that a scan has found by a snapshot: those that are to be changed or locked, and versions that are gone.

use super::fetch;
use crate::catalog::Table;
use crate::database::Database;
use crate::exec::runtime::Rt;
use crate::plan::locking::{Isolation, Patience};
use crate::plan::node::Scan;
use crate::session::{Session, conflict};
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{ScanLocks, StorageError};

/// An error of storage as the client's: 3958 and 3966 name the table.
#[cold]
pub(in crate::exec::ops) fn err(rt: &Rt<'_>, scan: &Scan, e: StorageError) -> Box<SqlError> {
    match e {
        StorageError::VersionGone => version_gone(rt, scan),
        e => rt.cx.session.storage_error(e),
    }
}

/// The snapshot that a scan reads by has been ended, since memory was needed: 3966 under SNAPSHOT, else 3958.
#[cold]
pub(in crate::exec::ops) fn version_gone(rt: &Rt<'_>, scan: &Scan) -> Box<SqlError> {
    if rt.cx.session.activation.options.isolation == Isolation::Snapshot {
        return SqlError::new(3966, &[]);
    }
    let table = format!("{}.{}", scan.table.head.schema, scan.table.shown());
    SqlError::new(3958, &[&table, &scan.database.name])
}

/// Locks a row that a statement has found by its transaction's snapshot: 3960 where it is not as the snapshot has it.
#[cold]
pub(crate) fn claim(
    session: &mut Session,
    database: &Database,
    table: &Table,
    locator: &[u8],
    (mode, patience): (LockMode, Patience),
) -> SqlResult<()> {
    let base = table.base().hobt()?;
    let locks = if mode == LockMode::X { ScanLocks::Exclusive } else { ScanLocks::Update };
    let tx = session.part(database.id);
    let mut row = Vec::new();
    let there = patience.read(tx, |tx| fetch(tx, base, locator, locks, &mut row));
    match there.and_then(|there| Ok(there && !tx.changed_since(base, locator)?)) {
        Ok(true) => Ok(()),
        Ok(false) => Err(conflict(database, table)),
        Err(e) => Err(session.storage_error(e)),
    }
}
