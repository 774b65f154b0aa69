//! A database of an instance: what everything else hangs on.

use crate::catalog::Catalog;
use std::sync::Arc;
use taffrail_base::DatabaseId;

/// A database that is open (or was meant to be).
pub struct Database {
    /// `database_id`.
    pub id: DatabaseId,
    /// Its name.
    pub name: String,
    /// Pages, log and transactions.
    pub storage: Arc<taffrail_storage::Database>,
    /// Metadata.
    pub catalog: Catalog,
}

impl Database {
    /// `SET DELAYED_DURABILITY`: 0 DISABLED, 1 ALLOWED, 2 FORCED.
    pub fn delayed_durability(&self) -> u8 {
        self.storage.options().delayed_durability
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "database {}", self.name)
    }
}
