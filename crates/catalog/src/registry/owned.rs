//! Another owner for a database.

use super::{Databases, master};
use crate::principals;
use taffrail_base::{DatabaseId, SqlError, SqlResult};

impl Databases {
    /// Makes the login with this security identifier the owner of a database; durable when it returns.
    pub fn set_owner(&self, id: DatabaseId, sid: &[u8]) -> SqlResult<()> {
        let _changing = self.changing.lock();
        // Asked first: who is busy with it now puts its slot anew, with the owner as it was.
        let busy = self.is_busy(id);
        let found = self.list().into_iter().find(|s| s.entry.id == id);
        let mut slot = found.ok_or_else(|| SqlError::new(911, &[&id.0]))?;
        if slot.recovering {
            return Err(SqlError::new(922, &[&slot.entry.name]));
        }
        if busy {
            return Err(SqlError::new(5061, &[&slot.entry.name]));
        }
        let master = self.master_storage()?;
        slot.entry.owner_sid = sid.to_vec();
        master::put_database(&master, &slot.entry)?;
        self.insert(slot);
        principals::changed();
        Ok(())
    }
}
