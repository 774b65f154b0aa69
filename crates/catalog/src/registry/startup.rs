//! The databases of a start: master first, then the other system databases, then those of the users, several at once.
//!
//! ```text
//! row Online ─► RECOVERING, busy ─► [`Databases::recover_next`], by any thread ─┬─► open
//!                                                                              └─► SUSPECT or RECOVERY_PENDING: [`super::Problem`]
//! ```
//! 1. One that is RECOVERING is in `busy`: nothing but its recovery changes its slot. Who names it hears 922.
//! 2. What is wrong with a user's database, or with what a CREATE or DROP has left of one, stops neither the start nor the others.

use super::{Databases, Problem, Slot, master};
use crate::master::{DatabaseEntry, EntryState};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use taffrail_base::{DatabaseId, SqlResult};
use taffrail_observe::{Event, EventRing, Whose};
use taffrail_storage::RecoveryReport;

/// Databases up to this one are opened by the start itself: master, tempdb, model, msdb.
const LAST_SYSTEM: DatabaseId = DatabaseId(4);

/// The outcome of a database's opening at start, for the error log.
pub struct StartReport {
    /// The number of the database.
    pub id: DatabaseId,
    /// The name of the database.
    pub name: String,
    /// Recovery, or why it could not be opened.
    pub result: Result<RecoveryReport, Problem>,
}

impl StartReport {
    pub(super) fn of(
        id: DatabaseId,
        name: &str,
        result: Result<RecoveryReport, Problem>,
    ) -> StartReport {
        StartReport { id, name: name.into(), result }
    }
}

/// User databases whose recovery a start has to do.
#[derive(Default)]
pub(super) struct Starting {
    left: Mutex<Left>,
    /// One of them has been recovered, or could not be.
    settled: Condvar,
}

#[derive(Default)]
struct Left {
    /// Nobody has begun with these.
    waiting: VecDeque<DatabaseEntry>,
    /// Those whose outcome nobody has been told yet.
    untold: usize,
}

impl Databases {
    /// Opens the other system databases and makes the users' known: those are RECOVERING until [`Databases::recover_next`] has had them.
    pub(super) fn open_others(&self, reports: &mut Vec<StartReport>) -> SqlResult<()> {
        let master = self.master_storage()?;
        let rows = self.rebased(&master)?;
        for mut entry in rows.clone() {
            if entry.id.0 <= 2 {
                continue;
            }
            self.last_id.fetch_max(entry.id.0, std::sync::atomic::Ordering::Relaxed);
            let whole = matches!(entry.state, EntryState::Online | EntryState::Restoring);
            if whole && self.starts_restoring(&mut entry)? {
                self.insert(Slot::closed(entry));
                continue;
            }
            match entry.state {
                EntryState::Creating | EntryState::Dropping => {
                    self.clear_away(&master, entry, &rows)?
                }
                EntryState::Offline => self.insert(Slot::closed(entry)),
                EntryState::Online | EntryState::Restoring if entry.id <= LAST_SYSTEM => {
                    let (id, name) = (entry.id, entry.name.clone());
                    let result = self.open_entry(entry);
                    reports.push(StartReport { id, name, result });
                }
                EntryState::Online | EntryState::Restoring => {
                    self.busy.lock().push(entry.id);
                    self.insert(Slot::recovering(entry.clone()));
                    let mut left = self.starting.left.lock();
                    left.untold += 1;
                    left.waiting.push_back(entry);
                }
            }
        }
        Ok(())
    }

    /// Removes what a CREATE or DROP that did not come to its end has left. Files that cannot be removed now keep their row: the next
    /// start tries again, and so does DROP DATABASE.
    fn clear_away(
        &self,
        master: &Arc<taffrail_storage::Database>,
        mut entry: DatabaseEntry,
        rows: &[DatabaseEntry],
    ) -> SqlResult<()> {
        let named = |f: &PathBuf| rows.iter().any(|r| r.id != entry.id && r.files.contains(f));
        let files: Vec<PathBuf> = entry.files.iter().filter(|f| !named(f)).cloned().collect();
        entry.files = files;
        let own = match entry.state {
            EntryState::Creating => self.half_made(&entry),
            _ => Ok(entry.files.clone()),
        };
        match own.and_then(|files| self.remove_leftovers(&files)) {
            Ok(()) => master::remove_database(master, entry.id),
            Err(e) => {
                let database = Whose::new(entry.id, &entry.name);
                let text = format!("its files cannot be removed: {}", e.message);
                EventRing::global().push(Event::BackgroundError { database, text });
                // DROP DATABASE removes what the row is sure to have made.
                if entry.state == EntryState::Creating {
                    entry.files = entry.made.clone();
                }
                self.insert(Slot::closed(entry));
                Ok(())
            }
        }
    }

    /// Recovers the next database that a start has left, in the calling thread, and makes it known, open or not. `begins` hears which it
    /// is, `ended` what came of it. Several threads may call this at once. False: there is none left, though others may still be at work.
    pub fn recover_next(
        &self,
        begins: &dyn Fn(&DatabaseEntry),
        ended: &mut dyn FnMut(StartReport),
    ) -> bool {
        let Some(entry) = self.starting.left.lock().waiting.pop_front() else { return false };
        let (id, name) = (entry.id, entry.name.clone());
        begins(&entry);
        let result = self.open_entry(entry);
        self.busy.lock().retain(|other| *other != id);
        ended(StartReport { id, name, result });
        self.starting.left.lock().untold -= 1;
        self.starting.settled.notify_all();
        true
    }

    /// How many databases a start has still to begin with.
    pub fn unrecovered(&self) -> usize {
        self.starting.left.lock().waiting.len()
    }

    /// True until a start has told what came of each database.
    pub fn is_recovering(&self) -> bool {
        self.starting.left.lock().untold > 0
    }

    /// Waits until a start has told what came of each database, no longer than this.
    pub fn wait_recovered(&self, at_most: Duration) {
        self.wait_while(at_most, |left| left.untold > 0);
    }

    /// Waits until the database of this name is not RECOVERING, no longer than this.
    pub fn wait_for(&self, name: &str, at_most: Duration) {
        self.wait_while(at_most, |_| self.slot(name).is_some_and(|s| s.recovering));
    }

    fn wait_while(&self, at_most: Duration, goes_on: impl Fn(&Left) -> bool) {
        let until = Instant::now() + at_most;
        // A slot changes before the notice is given, so nobody sleeps over it.
        let mut left = self.starting.left.lock();
        while goes_on(&left) {
            if self.starting.settled.wait_until(&mut left, until).timed_out() {
                return;
            }
        }
    }
}
