//! A session's state: who is connected, the current database, the transaction, and what lasts from one batch to the next. The modules that
//! run own all else: see [`crate::exec::activation`].

use crate::database::Database;
use crate::exec::activation::Activation;
use crate::instance::Instance;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use taffrail_base::message::cancelled;
use taffrail_base::{ObjectId, SessionId, SqlResult};
use taffrail_types::{CodePage, ConvertContext, Pages, Value};

pub mod app_locks;
mod client;
pub mod context;
pub mod entry;
pub mod identity;
pub mod masked;
mod options;
mod parts;
pub mod promises;
pub mod rights;
mod snapshot;
mod transaction;
mod unmasked;
pub mod visibility;

pub use client::ConnectOptions;
pub use client::client_address;
pub use options::{Isolation, SetOptions};
pub use parts::{ContextKey, Held, Kept, Lookups, Prepared};
pub use parts::{Running, TempTable, TempTables};
pub(crate) use snapshot::conflict;
pub(crate) use transaction::NamedSavepoint;
pub use transaction::TransactionState;
pub use transaction::{Mark, TransactionPart};

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
    /// What runs, and the modules that have called it: the one owner of options, variables, errors and all else that ends with a module.
    pub activation: Box<Activation>,
    /// The current database.
    pub database: Arc<Database>,
    /// The transaction.
    pub transaction: TransactionState,
    /// Temporary tables that no module which runs owns.
    pub temps: TempTables,
    /// Facts of the running request.
    pub running: Running,
    /// The commits that it depends on and that may not be durable.
    pub promises: Arc<promises::Promises>,
    /// What lasts until the session ends or is reset.
    pub kept: Kept,
    /// What the client holds.
    pub held: Held,
    /// What look-ups of names have met.
    pub lookups: Lookups,
}

impl taffrail_syntax::Watch for Session {
    fn look(&self, bytes: usize) -> SqlResult<()> {
        self.check_compiling(bytes)
    }
}

impl Session {
    /// The code page of the current database's char and varchar.
    pub fn page(&self) -> CodePage {
        self.database.collation().page()
    }

    /// The settings of conversions, for text of the current database's code page.
    pub fn convert_context(&self) -> ConvertContext {
        self.activation.options.convert_context().with_pages(Pages::of(self.page()))
    }

    /// The text of a variable, parameter or literal as UTF-8; None for what is no text.
    pub fn text_of(&self, value: &Value) -> Option<String> {
        match value {
            Value::VarChar(_) => value.text_of(self.page()),
            other => other.as_text(),
        }
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
    pub fn follow_databases(&mut self) {
        for place in [&mut self.database, &mut self.kept.home] {
            if place.catalog.is_retired()
                && let Some(now) = self.instance.databases().by_id(place.id)
            {
                *place = now;
            }
        }
    }

    /// Shows the session's state to others.
    pub fn publish(&self) {
        let c = &self.cell;
        c.database_id.store(self.database.id.0, Ordering::Relaxed);
        c.open_transaction_count.store(self.transaction.count, Ordering::Relaxed);
        c.isolation_level
            .store(self.activation.options.isolation.number() as u8, Ordering::Relaxed);
        c.lock_timeout_ms.store(self.activation.options.lock_timeout, Ordering::Relaxed);
        c.deadlock_priority
            .store(self.activation.options.deadlock_priority as i32, Ordering::Relaxed);
        c.transaction_id.store(self.transaction.number(), Ordering::Relaxed);
        c.row_count.store(self.activation.last.row_count.max(0) as u64, Ordering::Relaxed);
        c.set_options.store(self.activation.options.packed(), Ordering::Relaxed);
        c.text_size.store(self.activation.options.text_size, Ordering::Relaxed);
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
        self.cell.row_count.store(self.activation.last.row_count.max(0) as u64, Ordering::Relaxed);
        self.cell.gather();
    }

    /// The session is told of an error.
    pub(crate) fn note_error(&mut self, number: i32) {
        self.activation.last.error = number;
        self.running.errors_met += u32::from(number != 0);
        self.cell.prev_error.store(number, Ordering::Relaxed);
    }

    /// Other options are in force than `before`: they hold for what is open already as well.
    pub(crate) fn options_follow(&mut self, before: &SetOptions) {
        let options = self.activation.options;
        if options == *before {
            return;
        }
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
        let priority = self.activation.options.deadlock_priority;
        for p in &mut self.transaction.parts {
            p.tx.locks_mut().deadlock_priority = priority;
        }
    }

    /// SET ROWCOUNT: the most rows that a statement returns or changes.
    pub(crate) fn row_limit(&self) -> u64 {
        match self.activation.options.row_count {
            0 => u64::MAX,
            n => n,
        }
    }

    /// How long a statement waits for a lock; `None` without end.
    pub fn lock_timeout(&self) -> Option<Duration> {
        u64::try_from(self.activation.options.lock_timeout).ok().map(Duration::from_millis)
    }

    /// The session's temp tables, those of the module that runs first.
    pub fn temp_tables(&self) -> impl Iterator<Item = &TempTable> {
        self.activation.stack().flat_map(|a| a.temps.iter().rev())
    }

    /// The session's temp table of that name, the innermost first.
    pub fn find_temp_table(&self, name: &str) -> Option<&TempTable> {
        let collation = taffrail_types::Collation::default();
        self.temp_tables().find(|t| collation.eq_str(&t.name, name))
    }

    /// Records a temp table that DDL has created: it is that of the module that runs.
    pub fn add_temp_table(&mut self, name: &str, object_id: ObjectId) {
        self.temps.version += 1;
        let owner = self.activation.number;
        self.activation.temps.push(TempTable { name: name.into(), object_id, owner });
    }

    /// Records a temp procedure that DDL has created, which lasts as long as the session.
    pub fn add_temp_procedure(&mut self, name: &str, object_id: ObjectId) {
        self.temps.version += 1;
        let own = self.activation.sessions_own_mut();
        own.temps.push(TempTable { name: name.into(), object_id, owner: own.number });
    }

    /// The procedure that a name with `#` stands for.
    pub fn find_temp_procedure(&self, name: &str) -> Option<Arc<crate::catalog::Module>> {
        let tempdb = self.instance.databases().tempdb().ok()?;
        let found = match crate::catalog::is_temp(name) {
            true => tempdb.catalog.object(self.find_temp_table(name)?.object_id, self.id),
            false => {
                self.note_blocked(tempdb.catalog.blocked_name(None, name, self.id));
                tempdb.catalog.find_named(None, name, self.id)
            }
        };
        match found {
            Some(crate::catalog::Object::Procedure(p)) => Some(p),
            _ => None,
        }
    }

    /// Forgets a temp table that DDL has dropped, whichever module's it is.
    pub fn remove_temp_table(&mut self, object_id: ObjectId) {
        self.temps.version += 1;
        let TempTables { orphans, dropped, .. } = &mut self.temps;
        let mut remove = |list: &mut Vec<TempTable>| {
            dropped.extend(list.extract_if(.., |t| t.object_id == object_id));
        };
        remove(orphans);
        self.activation.each_mut(|a| remove(&mut a.temps));
    }
}
