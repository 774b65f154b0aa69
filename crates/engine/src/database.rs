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
