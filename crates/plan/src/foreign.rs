//! What a change has to do for foreign keys: for the rows that come to be, and for those whose keys go.

use std::sync::Arc;
use taffrail_catalog::{ForeignKey, Index, Table};

/// A foreign key of the table that changes.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The constraint.
    pub key: ForeignKey,
    /// The table referred to.
    pub parent: Arc<Table>,
    /// Its key's index.
    pub index: Arc<Index>,
    /// Positions here and there.
    pub columns: Vec<(usize, usize)>,
}

/// A foreign key that refers to the table that changes.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// The constraint.
    pub key: ForeignKey,
    /// The table that refers.
    pub child: Arc<Table>,
    /// The index of the key referred to.
    pub index: Arc<Index>,
    /// Positions there (in the child) and here.
    pub columns: Vec<(usize, usize)>,
}
