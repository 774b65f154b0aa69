//! Snapshots of a session: that of its transaction (SNAPSHOT), and that of the statement which runs (READ COMMITTED in a database with
//! READ_COMMITTED_SNAPSHOT).
//!
//! ```text
//! tables locked ─► level of each table ─► does a mention read versions? ─► snapshot, into every part of the transaction
//! ```
//! 1. A snapshot is taken behind the locks on the tables: who has waited for DDL sees what it has committed.
//! 2. A statement inside of another (a function's, a trigger's) has a snapshot of its own; the outer one's is back when it has ended
//!    ([`Session::enter_reads`], [`Session::leave_reads`]). A transaction's serves all of its statements.
//! 3. A scan reads versions only by a snapshot that is there, of a database that had versions ready when it was taken: see
//!    [`Session::scan_level`]. Else it locks.

use crate::binder::TableUse;
use crate::catalog::Table;
use crate::catalog::versions::{SnapshotState, Unseen};
use crate::database::Database;
use crate::plan::locking::{Isolation, Level, Locking, Reads};
use crate::session::Session;
use std::sync::Arc;
use std::time::Duration;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{DatabaseState, Snapshot};
use taffrail_syntax::ast;

/// The level of the session's own temporary tables, which nobody else changes.
const OWN: Level = Level { isolation: Isolation::ReadCommitted, versions: false };

/// The table is the session's own; `##tables` are everybody's.
fn is_own(database: &Database, table: &Table) -> bool {
    database.is_temporary() && !table.name().starts_with("##")
}

impl Session {
    /// The promises of reads of a table that a statement is about to lock.
    #[inline]
    pub(crate) fn level(&self, database: &Database, table: &Table) -> Level {
        let isolation = self.activation.options.isolation;
        match isolation {
            Isolation::Snapshot if is_own(database, table) => OWN,
            _ => Level { isolation, versions: database.reads_versions() },
        }
    }

    /// The promises of a scan, by the snapshots that have been taken.
    #[inline]
    pub(crate) fn scan_level(&self, database: &Database, table: &Table) -> Level {
        let isolation = self.activation.options.isolation;
        if isolation == Isolation::Snapshot {
            let reads = self.transaction.snapshot.is_some() && !is_own(database, table);
            return if reads { Level { isolation, versions: false } } else { OWN };
        }
        let versions = match &self.running.snapshot {
            None => false,
            Some(s) => database.has_read_committed_snapshot() && database.storage.sees(s),
        };
        Level { isolation, versions }
    }

    /// A mention of a table looks at a database by a snapshot: it reads by one, or changes rows under SNAPSHOT.
    #[inline]
    pub(crate) fn needs_snapshot(locks: Locking, level: Level) -> bool {
        locks.reads(level) != Reads::Current
            || locks.target && level.isolation == Isolation::Snapshot
    }

    /// Takes the snapshot that a statement reads by, whose tables are locked: 3951 to 3957, 3961.
    #[cold]
    pub(crate) fn take_snapshot(&mut self, uses: &[TableUse]) -> SqlResult<()> {
        if self.activation.options.isolation == Isolation::Snapshot {
            return self.take_transactions(uses);
        }
        let snapshot = self.new_snapshot()?;
        self.read_by(Some(&snapshot));
        self.running.snapshot = Some(snapshot);
        Ok(())
    }

    fn new_snapshot(&self) -> SqlResult<Arc<Snapshot>> {
        let snapshots = &self.instance.storage().snapshots;
        snapshots.take(self.id).map_err(|e| self.storage_error(e))
    }

    /// The snapshot of the transaction, taken now if this is its first look.
    fn take_transactions(&mut self, uses: &[TableUse]) -> SqlResult<()> {
        let looks = |u: &&TableUse| {
            let level = self.level(&u.database, &u.table);
            Session::needs_snapshot(u.locks, level)
        };
        let seen: Vec<&TableUse> = uses.iter().filter(looks).collect();
        let snapshot = match &self.transaction.snapshot {
            Some(snapshot) => snapshot.clone(),
            None => {
                for u in &seen {
                    if self.transaction.read_otherwise {
                        return Err(SqlError::new(3951, &[&u.database.name]));
                    }
                    self.await_versions(&u.database)?;
                }
                self.new_snapshot()?
            }
        };
        for u in seen {
            let name = &u.database.name;
            if let Err(unseen) = u.database.shows(&snapshot) {
                return Err(refused(unseen, name));
            }
            if u.database.catalog.changed_since(u.table.id(), &snapshot) {
                return Err(SqlError::new(3961, &[name]));
            }
        }
        self.read_by(Some(&snapshot));
        if self.transaction.snapshot.is_none() {
            self.transaction.snapshot = Some(snapshot);
        }
        Ok(())
    }

    /// Waits for transactions that a restart undoes: their rows have no versions.
    fn await_versions(&self, database: &Database) -> SqlResult<()> {
        let is_up = || !matches!(database.storage.state(), DatabaseState::Suspect(_));
        let waits = || database.snapshot_state() == SnapshotState::On && is_up();
        while waits() && !database.storage.versions_ready() {
            self.check_cancel()?;
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// All parts of the transaction read by this snapshot.
    fn read_by(&mut self, snapshot: Option<&Arc<Snapshot>>) {
        for p in &mut self.transaction.parts {
            p.tx.set_snapshot(snapshot.cloned());
        }
    }

    /// The snapshot that a part of the transaction reads by.
    pub fn snapshot_in_force(&self) -> Option<&Arc<Snapshot>> {
        self.running.snapshot.as_ref().or(self.transaction.snapshot.as_ref())
    }

    /// A statement begins. Gives the snapshot of the one around it.
    #[inline]
    pub(crate) fn enter_reads(&mut self) -> Option<Arc<Snapshot>> {
        self.running.snapshot.take()
    }

    /// A statement has ended: the one around it goes on with its own snapshot.
    #[inline]
    pub(crate) fn leave_reads(&mut self, outer: Option<Arc<Snapshot>>) {
        if self.running.snapshot.is_some() || outer.is_some() {
            self.running.snapshot = outer;
            let now = self.snapshot_in_force().cloned();
            self.read_by(now.as_ref());
        }
    }

    /// 3964: DDL on tables that others read by their catalogue, in a transaction under SNAPSHOT.
    pub(crate) fn refuse_under_snapshot(&self, statement: &ast::Statement) -> SqlResult<()> {
        use ast::StatementKind::{AlterIndex, AlterTable, CreateIndex, DropIndex};
        let is_open = self.transaction.is_clients();
        let refused = is_open
            && self.activation.options.isolation == Isolation::Snapshot
            && matches!(
                statement.kind,
                AlterTable(_) | CreateIndex(_) | AlterIndex(_) | DropIndex(_)
            );
        if refused { Err(SqlError::new(3964, &[])) } else { Ok(()) }
    }

    /// The transaction has ended.
    #[inline]
    pub(crate) fn drop_snapshot(&mut self) {
        self.transaction.read_otherwise = false;
        self.transaction.snapshot = None;
    }

    /// Rows that the session changes are to be as its transaction's snapshot has them.
    pub(crate) fn changes_by_snapshot(&self) -> bool {
        self.transaction.snapshot.is_some()
            && self.activation.options.isolation == Isolation::Snapshot
    }

    /// 3960 where somebody has changed the row of a base or index entry since the transaction's snapshot was taken.
    pub(crate) fn refuse_conflict(
        &mut self,
        database: &Database,
        table: &Table,
        hobt: &taffrail_storage::Hobt,
        locator: &[u8],
    ) -> SqlResult<()> {
        if !self.changes_by_snapshot() {
            return Ok(());
        }
        match self.part(database.id).changed_since(hobt, locator) {
            Ok(false) => Ok(()),
            Ok(true) => Err(conflict(database, table)),
            Err(e) => Err(self.storage_error(e)),
        }
    }
}

/// The error of a transaction whose snapshot is no use in a database.
fn refused(unseen: Unseen, database: &str) -> Box<SqlError> {
    let number = match unseen {
        Unseen::Off => 3952,
        Unseen::Recovered => 3953,
        Unseen::ToOff => 3954,
        Unseen::ToOn => 3956,
        Unseen::Older => 3957,
    };
    SqlError::new(number, &[&database])
}

/// The error 3960, for a row of this table.
#[cold]
pub(crate) fn conflict(database: &Database, table: &Table) -> Box<SqlError> {
    let name = format!("{}.{}", table.head.schema, table.shown());
    SqlError::new(3960, &[&name, &database.name]).with_state(2)
}
