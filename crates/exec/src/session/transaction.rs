//! The session's transaction and its savepoints.

use crate::database::Database;
use std::sync::Arc;
use taffrail_base::{DatabaseId, Lsn};
use taffrail_io::UtcTime;
use taffrail_storage::{Savepoint, Snapshot, Transaction};

/// A savepoint by name: where each database's part of the transaction stood.
#[derive(Debug)]
pub(crate) struct NamedSavepoint {
    pub name: String,
    pub parts: Vec<(DatabaseId, Savepoint)>,
}

/// One database's part of the session's transaction.
pub struct TransactionPart {
    /// The database of the part.
    pub database: Arc<Database>,
    /// The transaction of storage.
    pub tx: Transaction,
}

/// The session's transaction.
///
/// 1. `count` is `@@TRANCOUNT`. Autocommit statements run with `count` 0 and parts that end with the statement.
/// 2. `descriptor` is not 0 exactly while `count` is not 0.
/// 3. With `of_statement` one of `count` is an INSERT … EXEC that runs in autocommit, or a statement whose triggers run: it is no
///    transaction of the client's, who hears nothing of it. The flag is set only while that statement runs.
/// 4. A doomed transaction (`XACT_STATE()` -1) accepts nothing that writes until it is rolled back.
#[derive(Default)]
pub struct TransactionState {
    /// `@@TRANCOUNT`, also of a statement in autocommit that is a transaction.
    pub count: u32,
    /// The name that BEGIN TRANSACTION gave.
    pub name: Option<String>,
    /// WITH MARK: its description.
    pub(crate) mark: Option<String>,
    /// Where a marked transaction has been committed: recorded in msdb when it is over.
    pub(crate) marked: Vec<Mark>,
    pub(crate) descriptor: u64,
    /// A statement began it, under SET IMPLICIT_TRANSACTIONS ON.
    pub(crate) implicit: bool,
    pub(crate) of_statement: bool,
    pub(crate) doomed: bool,
    /// The parts, one for each database.
    pub parts: Vec<TransactionPart>,
    pub(crate) savepoints: Vec<NamedSavepoint>,
    /// The moment that rows with a period are told of: its begin, or that of the autocommit statement, once one asks.
    pub(crate) time: Option<UtcTime>,
    /// The snapshot that it has looked at databases by, under SNAPSHOT.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    /// It has looked at one under another level.
    pub(crate) read_otherwise: bool,
    /// It has run what is more than changes of rows, or others see what it has put into tempdb: its commit waits for the disk, and what
    /// it depends on comes first.
    pub(crate) waits: bool,
}

impl TransactionState {
    /// `@@TRANCOUNT`.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// A transaction of the client's is open: not only the one that a statement in autocommit is.
    pub fn is_clients(&self) -> bool {
        self.count > u32::from(self.of_statement)
    }

    /// It has looked at databases by a snapshot of its own: SNAPSHOT.
    pub fn has_snapshot(&self) -> bool {
        self.snapshot.is_some()
    }

    /// `XACT_STATE()`.
    pub fn xact_state(&self) -> i16 {
        match (self.count, self.doomed) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    /// `transaction_id` of the views; 0 for none. What an autocommit statement does gets one when it changes something.
    pub fn number(&self) -> u64 {
        match self.descriptor {
            0 => self.parts.first().map_or(0, |p| p.tx.number()),
            descriptor => descriptor,
        }
    }
}

/// A marked transaction's commit in a database.
pub struct Mark {
    /// The database with the mark.
    pub database: String,
    /// The name of the transaction.
    pub name: String,
    /// The description that WITH MARK gave.
    pub description: String,
    /// The LSN of the commit, while its VLF is known.
    pub lsn: Option<Lsn>,
}

impl Mark {
    /// The commit record's position becomes an LSN while its VLF is known.
    pub fn new(
        database: &crate::database::Database,
        name: &str,
        description: &str,
        at: taffrail_base::LogPos,
    ) -> Mark {
        Mark {
            database: database.name.clone(),
            name: name.into(),
            description: description.into(),
            lsn: database.storage.log().lsn(at),
        }
    }
}
