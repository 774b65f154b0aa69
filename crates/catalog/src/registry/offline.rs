//! Databases that are taken offline and brought online again.
//!
//! ```text
//! offline  nobody comes in ─► who is there goes ─► row Offline ─► closed
//! online   row Online ─► opened
//! ```
//! Between the first two steps a database is in `busy`, so that neither a restore nor a removal takes it meanwhile.

use super::emergency::files_of;
use super::{Databases, Slot, master, problem, sql};
use crate::database::Database;
use crate::master::{DatabaseEntry, EntryState};
use std::sync::Arc;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::DatabaseState;

/// A database that is in `busy` until this is dropped.
struct Held<'a>(&'a Databases, DatabaseId);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.busy.lock().retain(|id| *id != self.1);
    }
}

/// Nothing of it is to be written any more: it is suspect, or open without recovery.
fn is_unwritten(database: &Database) -> bool {
    matches!(database.storage.state(), DatabaseState::Suspect(_)) || database.storage.is_emergency()
}

impl Databases {
    /// The database of this name, for a change of its state: 5061 while somebody restores it or takes its log away, 5052 while it is
    /// RESTORING, or a start is recovering it.
    pub(super) fn to_change(&self, name: &str) -> SqlResult<Slot> {
        let Some(slot) = self.slot(name) else { return Err(SqlError::new(911, &[&name])) };
        if slot.recovering {
            return Err(SqlError::new(5052, &[&"ALTER DATABASE", &"Recovering"]));
        }
        if self.is_busy(slot.entry.id) {
            return Err(SqlError::new(5061, &[&slot.entry.name]));
        }
        if slot.entry.state == EntryState::Restoring {
            return Err(SqlError::new(5052, &[&"ALTER DATABASE", &"Restoring"]));
        }
        Ok(slot)
    }

    /// `SET OFFLINE`. `clear` is called when nobody new can come in any more, and returns when nobody uses the database; after its error
    /// the database is as it was. Whatever was acknowledged is on disk on return.
    pub fn set_offline(
        &self,
        name: &str,
        clear: &mut dyn FnMut() -> SqlResult<()>,
    ) -> SqlResult<()> {
        let (slot, _held) = {
            let _changing = self.changing.lock();
            let slot = self.to_change(name)?;
            let mut closed = slot.clone();
            closed.database = None;
            closed.entry.state = EntryState::Offline;
            match &slot.database {
                Some(database) => {
                    // As they are now: files have been added and removed since it was opened.
                    closed.entry.files = files_of(&slot.entry, database);
                    self.insert(closed);
                }
                // Recovery could not open it: it is not tried again.
                None if slot.entry.state == EntryState::Online => {
                    master::put_database(&self.master_storage()?, &closed.entry)?;
                    self.insert(Slot::closed(closed.entry));
                    return Ok(());
                }
                None => return Ok(()),
            }
            self.busy.lock().push(slot.entry.id);
            let held = Held(self, slot.entry.id);
            (slot, held)
        };
        let Some(database) = slot.database.clone() else { return Ok(()) };
        let mut closed = slot.entry.clone();
        if let Err(e) = clear().and_then(|()| self.note_offline(&database, &mut closed)) {
            self.insert(slot);
            return Err(e);
        }
        self.insert(Slot::closed(closed));
        // A suspect database is closed without I/O.
        let suspect = is_unwritten(&database);
        let closed = database.storage.close().map_err(sql);
        if suspect { Ok(()) } else { closed }
    }

    /// Master's row says that it is offline.
    fn note_offline(&self, database: &Arc<Database>, entry: &mut DatabaseEntry) -> SqlResult<()> {
        // A suspect database has nothing to settle.
        if !is_unwritten(database) {
            database.catalog.settle_sequences()?;
        }
        entry.files = files_of(entry, database);
        entry.state = EntryState::Offline;
        master::put_database(&self.master_storage()?, entry)
    }

    /// `SET ONLINE`. A suspect database is recovered from the start: what stopped it may be mended.
    pub fn set_online(&self, name: &str) -> SqlResult<()> {
        let _changing = self.changing.lock();
        let Slot { mut entry, database, .. } = self.to_change(name)?;
        match &database {
            Some(database) if is_unwritten(database) => {
                entry.files = files_of(&entry, database);
                self.insert(Slot::closed(entry.clone()));
                // A suspect database is closed without I/O.
                let _ = database.storage.close();
            }
            Some(_) => return Ok(()),
            None if entry.state == EntryState::Dropping => {
                return Err(SqlError::new(945, &[&entry.name]));
            }
            None => {
                entry.state = EntryState::Online;
                master::put_database(&self.master_storage()?, &entry)?;
            }
        }
        let name = entry.name.clone();
        problem::refused(self.open_entry(entry), &name)
    }
}
