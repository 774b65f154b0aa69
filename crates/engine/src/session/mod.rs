//! A session's state: what lasts from one batch to the next.

use crate::database::Database;
use crate::instance::Instance;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use taffrail_base::message::cancelled;
use taffrail_base::{ObjectId, SessionId, SqlResult};

pub(crate) mod app_locks;
mod client;
pub(crate) mod context;
pub(crate) mod entry;
pub(crate) mod masked;
mod options;
mod parts;
mod transaction;

pub use client::ConnectOptions;
pub(crate) use client::client_address;
pub use options::{Isolation, SetOptions};
pub(crate) use parts::{ContextKey, Held, Kept, Lookups, Prepared, Warnings};
pub use parts::{Last, Running, TempTable, TempTables};
pub use transaction::TransactionState;
pub(crate) use transaction::{Mark, NamedSavepoint, TransactionPart};

/// One session.
pub struct Session {
    /// `@@SPID`.
    pub id: SessionId,
    /// The instance.
    pub instance: Arc<Instance>,
    /// What the client said of itself.
    pub client: ConnectOptions,
    /// Counters and the current wait, shown by the DMVs.
    pub cell: Arc<taffrail_observe::SessionCell>,
    /// The session as others see it.
    pub entry: Arc<entry::SessionEntry>,
    /// SET options.
    pub options: SetOptions,
    /// The current database.
    pub database: Arc<Database>,
    /// The transaction.
    pub transaction: TransactionState,
    /// Temporary tables.
    pub temps: TempTables,
    /// What the last statement has left.
    pub last: Last,
    /// Where the running request is.
    pub running: Running,
    /// What the running statement will warn of.
    pub(crate) warnings: Warnings,
    /// What lasts until the session ends or is reset.
    pub(crate) kept: Kept,
    /// What the client holds.
    pub(crate) held: Held,
    /// What look-ups of names have met.
    pub(crate) lookups: Lookups,
}

impl taffrail_syntax::Watch for Session {
    fn look(&self, bytes: usize) -> SqlResult<()> {
        self.check_compiling(bytes)
    }
}

impl Session {
    /// What a statement would have warned of is not told when it fails, nor by the next one.
    pub(crate) fn forget_warnings(&mut self) {
        (self.warnings.null_eliminated, self.warnings.overflowed, self.warnings.divided_by_zero) =
            (false, false, false);
    }

    /// Ends the statement when the client asked for it (an attention): message 3617's place, without a message.
    #[inline]
    pub fn check_cancel(&self) -> SqlResult<()> {
        if self.running.cancel.load(Ordering::Relaxed) { Err(cancelled()) } else { Ok(()) }
    }

    /// Ends work on a text: when the client asked for it, or with 701 where what is measured of it leaves no room for so many
    /// bytes more.
    pub(crate) fn check_compiling(&self, bytes: usize) -> SqlResult<()> {
        self.check_cancel()?;
        crate::memory::measured(bytes)
    }

    /// A database of the session's may have been closed and opened anew: it goes on in what is open now.
    pub(crate) fn follow_databases(&mut self) {
        for place in [&mut self.database, &mut self.kept.home] {
            if place.catalog.is_retired()
                && let Some(now) = self.instance.databases().by_id(place.id)
            {
                *place = now;
            }
        }
    }

    /// Shows the session's state to others.
    pub(crate) fn publish(&self) {
        let c = &self.cell;
        c.database_id.store(self.database.id.0, Ordering::Relaxed);
        c.open_transaction_count.store(self.transaction.count, Ordering::Relaxed);
        c.isolation_level.store(self.options.isolation.number() as u8, Ordering::Relaxed);
        c.lock_timeout_ms.store(self.options.lock_timeout, Ordering::Relaxed);
        c.deadlock_priority.store(self.options.deadlock_priority as i32, Ordering::Relaxed);
        c.transaction_id.store(self.transaction.number(), Ordering::Relaxed);
        c.row_count.store(self.last.row_count.max(0) as u64, Ordering::Relaxed);
        c.set_options.store(self.options.packed(), Ordering::Relaxed);
        c.text_size.store(self.options.text_size, Ordering::Relaxed);
    }

    /// Shows others whether there is a transaction.
    pub(crate) fn publish_transaction(&self) {
        let c = &self.cell;
        c.open_transaction_count.store(self.transaction.count, Ordering::Relaxed);
        c.transaction_id.store(self.transaction.number(), Ordering::Relaxed);
    }

    /// A statement is over: shows others what it has done.
    #[inline]
    pub(crate) fn publish_work(&self) {
        self.cell.row_count.store(self.last.row_count.max(0) as u64, Ordering::Relaxed);
        self.cell.gather();
    }

    /// The session is told of an error.
    pub(crate) fn note_error(&mut self, number: i32) {
        self.last.error = number;
        self.running.errors_met += u32::from(number != 0);
        self.cell.prev_error.store(number, Ordering::Relaxed);
    }

    /// The options that a module has set are its caller's again, for what is open already as well.
    pub(crate) fn restore_options(&mut self, options: SetOptions) {
        if self.options == options {
            return;
        }
        self.options = options;
        let isolation = options.isolation.into();
        for p in &mut self.transaction.parts {
            p.tx.set_isolation(isolation);
            p.tx.set_lock_timeout(options.lock_timeout);
        }
        self.set_lock_priority();
        self.publish();
    }

    /// SET DEADLOCK_PRIORITY for what is open already.
    pub(crate) fn set_lock_priority(&mut self) {
        let priority = self.options.deadlock_priority;
        for p in &mut self.transaction.parts {
            p.tx.locks_mut().deadlock_priority = priority;
        }
    }

    /// SET ROWCOUNT: the most rows that a statement returns or changes.
    pub(crate) fn row_limit(&self) -> u64 {
        match self.options.row_count {
            0 => u64::MAX,
            n => n,
        }
    }

    /// How long a statement waits for a lock; `None` without end.
    pub fn lock_timeout(&self) -> Option<Duration> {
        u64::try_from(self.options.lock_timeout).ok().map(Duration::from_millis)
    }

    /// The session's temp table of that name, the innermost first.
    pub fn find_temp_table(&self, name: &str) -> Option<&TempTable> {
        let collation = taffrail_types::Collation::default();
        self.temps.tables.iter().rev().find(|t| collation.eq_str(&t.name, name))
    }

    /// Records a temp table that DDL has created.
    pub fn add_temp_table(&mut self, name: &str, object_id: ObjectId) {
        self.temps.version += 1;
        let level = self.running.nest_level;
        self.temps.tables.push(TempTable { name: name.into(), object_id, level });
    }

    /// Forgets a temp table that DDL has dropped.
    pub fn remove_temp_table(&mut self, object_id: ObjectId) {
        self.temps.version += 1;
        let gone = self.temps.tables.iter().position(|t| t.object_id == object_id);
        let gone = gone.map(|at| self.temps.tables.remove(at));
        self.temps.dropped.extend(gone);
    }
}
