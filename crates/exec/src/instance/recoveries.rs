//! The recovery of databases beside those who use the others: redo of several at once at a start, undo of each once it is open.
//!
//! | what | thread | when |
//! |---|---|---|
//! | redo, and what must be undone first | `startup n`, a database after the other | the instance has its system databases |
//! | the rest of undo | `recovery N` | the database is open |
//!
//! A start waits for all of it, or no longer than [`crate::instance_options::InstanceOptions::recovery_wait`] says. Each of these
//! threads is a DB STARTUP in `sys.dm_exec_requests`, with its database and how far it is.

use super::Instance;
use crate::catalog::master::DatabaseEntry;
use crate::catalog::registry::StartReport;
use crate::database::Database;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use taffrail_base::{DatabaseId, SqlError};
use taffrail_observe::session::with_current;
use taffrail_observe::{Command, Event, EventRing};

/// The fewest databases whose redo runs at once: mostly it waits for the disk.
const AT_ONCE_LEAST: usize = 4;
/// The most databases whose redo runs at once.
const AT_ONCE_MOST: usize = 16;
/// So long a login waits for its database.
const LOGIN_WAITS: Duration = Duration::from_secs(5);

impl Instance {
    /// Begins to recover the databases that the start has left, several at once; waits no longer than `wait` for them.
    pub(super) fn recover_databases(self: &Arc<Self>, wait: Duration) {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let most = processors.clamp(AT_ONCE_LEAST, AT_ONCE_MOST);
        let threads = self.databases.unrecovered().min(most);
        let mut begun = 0;
        for n in 1..=threads {
            let shown = (Command::DbStartup, DatabaseId(0));
            let instance = self.clone();
            let run = move || instance.recover_in_turn();
            // Where there is no thread the others do its share.
            begun +=
                usize::from(self.background(format!("startup {n}"), 512 << 10, shown, run).is_ok());
        }
        match begun {
            0 => self.recover_in_turn(),
            _ => self.databases.wait_recovered(wait),
        }
    }

    /// Recovers one database after the other until none is left.
    fn recover_in_turn(self: &Arc<Self>) {
        while !self.is_stopping() {
            let begins = |entry: &DatabaseEntry| {
                with_current(|cell| {
                    cell.database_id.store(entry.id.0, Ordering::Relaxed);
                    cell.percent_complete.store(0, Ordering::Relaxed);
                });
                let text = SqlError::new(17137, &[&entry.name]).message;
                EventRing::global().push(Event::RecoveryMessage { database: entry.id, text });
            };
            let mut ended = |report: StartReport| {
                // Who ends the instance closes what has just been opened, and waits for no new threads.
                if !self.is_stopping()
                    && let Some(database) = self.databases.by_id(report.id)
                {
                    self.ensure_writer(&database);
                    self.ensure_recovered(&database);
                }
                // What was cut short by the end of the server is no trouble of the database's.
                if report.result.is_ok() || !self.is_stopping() {
                    self.reports.lock().push(report);
                }
            };
            if !self.databases.recover_next(&begins, &mut ended) {
                return;
            }
        }
    }

    /// The outcomes of databases' openings at the start that nobody has taken yet.
    pub fn take_start_reports(&self) -> Vec<StartReport> {
        std::mem::take(&mut *self.reports.lock())
    }

    /// The databases that a start is still recovering, each with how much of that is done, in percent.
    pub fn recovering(&self) -> Vec<(String, f64)> {
        let threads = self.sessions.system();
        let percent = |id: DatabaseId| {
            let cells = threads.iter().map(|s| &s.cell);
            let mut own = cells.filter(|c| {
                c.command() == Command::DbStartup && c.database_id.load(Ordering::Relaxed) == id.0
            });
            own.next().map_or(0, |c| c.percent_complete.load(Ordering::Relaxed))
        };
        let slots = self.databases.list().into_iter().filter(|s| s.recovering);
        slots.map(|s| (s.entry.name, f64::from(percent(s.entry.id)) / 100.0)).collect()
    }

    /// A login waits a little for a database that a start recovers: who comes just after the start finds it.
    pub(super) fn await_database(&self, name: Option<&str>, login: &str) {
        if !self.databases.is_recovering() {
            return;
        }
        let own = || self.find_login(login).map(|l| l.default_database);
        let name = name.filter(|d| !d.is_empty()).map(str::to_owned).or_else(own);
        if let Some(name) = name {
            self.databases.wait_for(&name, LOGIN_WAITS);
        }
    }

    /// Has the recovery of a database that was just opened finished: undo goes on while it is used.
    pub(super) fn ensure_recovered(&self, database: &Arc<Database>) {
        if !database.storage.claim_recovery() {
            return;
        }
        let storage = database.storage.clone();
        let name = format!("recovery {}", database.id);
        let shown = (Command::DbStartup, database.id);
        let spawned = self.background(name, 512 << 10, shown, move || {
            // A failure has made the database suspect, which has told the error log why.
            let _ = storage.finish_recovery();
        });
        if spawned.is_err() {
            // No thread now: at the next look.
            database.storage.unclaim_recovery();
        }
    }
}
