//! Transactions.
use std::sync::Arc;

use taffrail_base::{DatabaseId, ObjectId, SessionId, TransactionId};

use crate::database::Database;
use crate::error::StorageResult;
use crate::lock::LockMode;

/// What reads promise each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Isolation {
    /// No row locks at all.
    ReadUncommitted,
    /// Shared locks for the moment of the read.
    #[default]
    ReadCommitted,
    /// The engine takes S on the table.
    RepeatableRead,
    /// The engine takes S on the table.
    Serializable,
}

/// What [`Database::begin`] is told.
#[derive(Clone, Debug, Default)]
pub struct BeginSpec {
    /// Who.
    pub session: SessionId,
    /// `user_transaction`, `INSERT` …; shown by fn_dblog.
    pub name: &'static str,
    /// A name of the user's, in front of the above.
    pub user_name: Option<Box<str>>,
    /// SET TRANSACTION ISOLATION LEVEL.
    pub isolation: Isolation,
    /// SET LOCK_TIMEOUT in milliseconds; -1 = wait for ever.
    pub lock_timeout_ms: i32,
}

/// How a commit becomes durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// On disk when `commit` returns.
    Full,
    /// On disk within the delayed-durability window.
    Delayed,
}

/// A place that a transaction can be rolled back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Savepoint {
    pub(crate) last: taffrail_base::LogPos,
}

/// A transaction in one database. Dropped without commit, it rolls back.
pub struct Transaction {
    _private: (),
}

#[allow(unused_variables, missing_docs)]
impl Transaction {
    pub fn database(&self) -> &Arc<Database> {
        todo!()
    }
    /// Zero until the first change.
    pub fn id(&self) -> TransactionId {
        todo!()
    }
    pub fn has_written(&self) -> bool {
        todo!()
    }
    pub fn isolation(&self) -> Isolation {
        todo!()
    }
    pub fn set_isolation(&mut self, isolation: Isolation) {
        todo!()
    }
    pub fn set_lock_timeout(&mut self, ms: i32) {
        todo!()
    }
    /// Locks are released before an error is returned; after one the transaction is rolled back.
    pub fn commit(self, durability: Durability) -> StorageResult<()> {
        todo!()
    }
    pub fn rollback(self) -> StorageResult<()> {
        todo!()
    }
    /// A mark for statement rollback: costs nothing.
    pub fn savepoint(&mut self) -> Savepoint {
        todo!()
    }
    /// SAVE TRANSACTION: the same, with a LOP_MARK_SAVEPOINT record.
    pub fn save_transaction(&mut self, name: &str) -> StorageResult<Savepoint> {
        todo!()
    }
    /// Undoes everything after the savepoint; locks stay.
    pub fn rollback_to(&mut self, savepoint: Savepoint) -> StorageResult<()> {
        todo!()
    }
    /// Locks an object to the transaction's end (or, weaker than before, does nothing).
    pub fn lock_object(&mut self, object: ObjectId, mode: LockMode) -> StorageResult<()> {
        todo!()
    }
    /// The share of a database that every session holds is taken with this.
    pub fn lock_database(&mut self, database: DatabaseId, mode: LockMode) -> StorageResult<()> {
        todo!()
    }
}
