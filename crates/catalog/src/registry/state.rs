//! The state of a database, as views name it.

use super::Slot;
use crate::master::EntryState;
use taffrail_storage::DatabaseState;

impl Slot {
    /// The database's `state` and `state_desc`.
    pub fn state(&self) -> (u8, &'static str) {
        match &self.database {
            Some(database) => match database.storage.state() {
                DatabaseState::Online => (0, "ONLINE"),
                DatabaseState::Suspect(_) => (4, "SUSPECT"),
                DatabaseState::Offline => (6, "OFFLINE"),
            },
            None if self.entry.state == EntryState::Offline => (6, "OFFLINE"),
            None if self.entry.state == EntryState::Restoring => (1, "RESTORING"),
            None if self.problem.as_ref().is_some_and(|p| p.damage) => (4, "SUSPECT"),
            None => (3, "RECOVERY_PENDING"),
        }
    }
}
