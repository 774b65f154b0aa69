//! The state of a database, as views name it.

use super::{Problem, Slot};
use crate::database::Database;
use crate::master::{DatabaseEntry, EntryState};
use std::sync::Arc;
use taffrail_storage::DatabaseState;

impl Slot {
    /// A database that can be used.
    pub(super) fn open(entry: DatabaseEntry, database: Arc<Database>) -> Slot {
        Slot { entry, database: Some(database), problem: None, recovering: false }
    }

    /// A database that is not open, as its row says.
    pub(super) fn closed(entry: DatabaseEntry) -> Slot {
        Slot { entry, database: None, problem: None, recovering: false }
    }

    /// A database that should be open and could not be opened.
    pub(super) fn failed(entry: DatabaseEntry, problem: Problem) -> Slot {
        Slot { problem: Some(problem), ..Slot::closed(entry) }
    }

    /// A database that a start recovers.
    pub(super) fn recovering(entry: DatabaseEntry) -> Slot {
        Slot { recovering: true, ..Slot::closed(entry) }
    }

    /// The database's `state` and `state_desc`.
    pub fn state(&self) -> (u8, &'static str) {
        match &self.database {
            Some(database) => match database.storage.state() {
                DatabaseState::Online if database.storage.is_emergency() => (5, "EMERGENCY"),
                DatabaseState::Online => (0, "ONLINE"),
                DatabaseState::Suspect(_) => (4, "SUSPECT"),
                DatabaseState::Offline => (6, "OFFLINE"),
            },
            None if self.entry.state == EntryState::Offline => (6, "OFFLINE"),
            None if self.entry.state == EntryState::Restoring => (1, "RESTORING"),
            None if self.recovering => (2, "RECOVERING"),
            None if self.problem.as_ref().is_some_and(|p| p.damage) => (4, "SUSPECT"),
            None => (3, "RECOVERY_PENDING"),
        }
    }
}
