//! The tables that a statement locks before it runs.

use std::sync::Arc;
use taffrail_catalog::Table;
use taffrail_catalog::database::Database;

/// A table that a statement locks before it runs.
#[derive(Clone)]
pub struct TableUse {
    /// The database that the table belongs to.
    pub database: Arc<Database>,
    /// The table as the binder saw it.
    pub table: Arc<Table>,
    /// How the statement locks the table.
    pub locks: taffrail_plan::locking::Locking,
    /// Its plan reads all of a heap, and not ranges of an index. Known once it is planned.
    pub heap: bool,
}

impl TableUse {
    /// Which table.
    pub fn key(&self) -> (taffrail_base::DatabaseId, taffrail_base::ObjectId) {
        (self.database.id, self.table.id())
    }
}
