//! Another owner for a database.

use super::{Databases, master};
use crate::principals;
use taffrail_base::{DatabaseId, SqlError, SqlResult};

impl Databases {
    /// Makes the login with this security identifier the owner of a database; durable when it returns.
    pub fn set_owner(&self, id: DatabaseId, sid: &[u8]) -> SqlResult<()> {
        let _changing = self.changing.lock();
        let found = self.list().into_iter().find(|s| s.entry.id == id);
        let mut slot = found.ok_or_else(|| SqlError::new(911, &[&id.0]))?;
        let master = self.master_storage()?;
        slot.entry.owner_sid = sid.to_vec();
        master::put_database(&master, &slot.entry)?;
        self.insert(slot);
        principals::changed();
        Ok(())
    }
}
