//! Another name for a database.
//!
//! Master's row is written first; then the database is closed and opened again under the new name. A crash between finds a
//! database that was not closed, under its new name.

use super::{Databases, Slot, master, problem, sql};
use taffrail_base::{SqlError, SqlResult};

impl Databases {
    /// `MODIFY NAME` of a database that is open and that nobody else uses.
    pub fn rename(&self, name: &str, new: &str) -> SqlResult<()> {
        let _changing = self.changing.lock();
        let Some(slot) = self.slot(name) else { return Err(SqlError::new(911, &[&name])) };
        if self.slot(new).is_some_and(|other| other.entry.id != slot.entry.id) {
            return Err(SqlError::new(1801, &[&new]).with_state(3));
        }
        let Some(old) = slot.database.clone() else {
            return Err(SqlError::new(942, &[&slot.entry.name]));
        };
        if self.is_busy(slot.entry.id) {
            return Err(SqlError::new(5030, &[&slot.entry.name]));
        }
        old.storage.refuse_in_emergency().map_err(sql)?;
        let master = self.master_storage()?;
        let mut entry = slot.entry;
        old.catalog.settle_sequences()?;
        entry.files = old.storage.files().into_iter().map(|f| f.path).collect();
        entry.name = new.into();
        master::put_database(&master, &entry)?;
        self.insert(Slot::closed(entry.clone()));
        old.storage.close().map_err(sql)?;
        problem::refused(self.open_entry(entry), new)
    }
}
