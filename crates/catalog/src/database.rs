//! A database of an instance: what everything else hangs on.

use crate::Catalog;
use std::sync::Arc;
use taffrail_base::DatabaseId;
use taffrail_observe::xe;
use taffrail_types::Collation;

/// A database that is open (or was meant to be).
pub struct Database {
    /// The database's number, `database_id`.
    pub id: DatabaseId,
    /// The name of the database.
    pub name: String,
    /// Pages, log and transactions.
    pub storage: Arc<taffrail_storage::Database>,
    /// The database's catalogue: its objects and their columns.
    pub catalog: Arc<Catalog>,
}

/// The number under which a session's transaction knows tempdb as the home of table variables: no database has it.
const OF_TABLE_VARIABLES: DatabaseId = DatabaseId(u16::MAX);

impl Database {
    /// A database that has been opened.
    pub fn opened(self) -> Arc<Database> {
        if xe::wanted(xe::Event::DatabaseStarted) {
            xe::tell(xe::Event::DatabaseStarted, &[self.id.0.into()]);
        }
        Arc::new(self)
    }

    /// tempdb as the home of table variables: the same pages and catalogue under a number of their own, so that what a
    /// statement does to them is a transaction beside the session's, which a rollback does not reach.
    pub fn of_table_variables(&self) -> Arc<Database> {
        Arc::new(Database {
            id: OF_TABLE_VARIABLES,
            name: self.name.clone(),
            storage: self.storage.clone(),
            catalog: self.catalog.clone(),
        })
    }

    /// It is that home.
    pub fn holds_table_variables(&self) -> bool {
        self.id == OF_TABLE_VARIABLES
    }

    /// It is tempdb, by either number.
    pub fn is_temporary(&self) -> bool {
        self.id.0 == 2 || self.holds_table_variables()
    }

    /// Its collation: that of literals, variables and, if they name none, new columns.
    pub fn collation(&self) -> Collation {
        crate::registry::collation_of(self.storage.engine_flags())
    }

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
