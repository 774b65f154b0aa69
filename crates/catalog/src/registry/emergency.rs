//! Databases that are opened without recovery, to be read: `SET EMERGENCY`.
//!
//! ```text
//! emergency   open ─► OFFLINE, as SET OFFLINE does it ─┐
//!             SUSPECT ─► closed ───────────────────────┴─► opened as its data file is
//! online      closed ─► opened and recovered: see [`super::offline`]
//! ```
//! 1. Master's row says Online all the time: the next start tries to recover it.
//! 2. The files of the row are the database's, and not what the open handle names: its log is none of them.

use super::{Catalog, Databases, Problem, Slot, give_up, master, problem};
use crate::database::Database;
use crate::master::{DatabaseEntry, EntryState};
use std::path::PathBuf;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{DatabaseState, OpenSpec};

/// The files of a database as they are now: files have been added and removed since it was opened.
pub(super) fn files_of(entry: &DatabaseEntry, database: &Database) -> Vec<PathBuf> {
    match database.storage.is_emergency() {
        true => entry.files.clone(),
        false => database.storage.files().into_iter().map(|f| f.path).collect(),
    }
}

impl Databases {
    /// `SET EMERGENCY`: 926 or 945 where not even its boot page or its catalogue can be read. A database that is whole is closed first;
    /// `clear` is that of [`Databases::set_offline`].
    pub fn set_emergency(
        &self,
        name: &str,
        clear: &mut dyn FnMut() -> SqlResult<()>,
    ) -> SqlResult<()> {
        let found = self.slot(name).and_then(|s| s.database);
        if found.as_ref().is_some_and(|d| d.storage.is_emergency()) {
            return Ok(());
        }
        if found.is_some_and(|d| !matches!(d.storage.state(), DatabaseState::Suspect(_))) {
            self.set_offline(name, clear)?;
        }
        let _changing = self.changing.lock();
        let Slot { mut entry, database, .. } = self.to_change(name)?;
        if entry.state == EntryState::Dropping {
            return Err(SqlError::new(945, &[&entry.name]));
        }
        if let Some(database) = &database {
            match database.storage.state() {
                _ if database.storage.is_emergency() => return Ok(()),
                DatabaseState::Suspect(_) => {}
                // Somebody has brought it back since it was closed, and others may use it.
                _ => return Err(SqlError::new(5061, &[&entry.name])),
            }
            entry.files = files_of(&entry, database);
            self.insert(Slot::closed(entry.clone()));
            // A suspect database is closed without I/O.
            let _ = database.storage.close();
        }
        if entry.state == EntryState::Offline {
            entry.state = EntryState::Online;
            master::put_database(&self.master_storage()?, &entry)?;
        }
        let name = entry.name.clone();
        let opened = self.open_unrecovered(&entry);
        self.insert(match &opened {
            Ok(database) => Slot::open(entry, database.clone()),
            Err(problem) => Slot::failed(entry, problem.clone()),
        });
        problem::refused(opened, &name)
    }

    fn open_unrecovered(&self, entry: &DatabaseEntry) -> Result<Arc<Database>, Problem> {
        let primary = entry.files.first().cloned();
        let primary = primary.ok_or_else(|| Problem::inaccessible("no file is recorded for it"))?;
        let (id, name) = (entry.id, entry.name.clone());
        let spec = OpenSpec::of(primary);
        let opened = taffrail_storage::Database::open_emergency(&self.storage, id, &name, &spec);
        let storage = opened.map_err(|e| Problem::of_storage(&e))?;
        let catalog = Catalog::open(&storage).map_err(|e| {
            give_up(&storage, "its catalogue cannot be read");
            Problem::of_catalogue(&e)
        })?;
        let catalog = Arc::new(catalog);
        Ok(Database::opened(Database { id, name, storage, catalog }))
    }

    /// For who is going to do away with a database or replace it: one in EMERGENCY is closed, and is one that could not be opened.
    pub(super) fn leave_emergency(&self, slot: Slot) -> Slot {
        match slot.database {
            Some(database) if database.storage.is_emergency() => {
                let closed = Slot::closed(slot.entry);
                self.insert(closed.clone());
                // Nothing of it has changed.
                let _ = database.storage.close();
                closed
            }
            _ => slot,
        }
    }
}
