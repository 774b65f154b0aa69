//! NEXT VALUE FOR in expressions.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use taffrail_base::{DatabaseId, ObjectId};
use taffrail_catalog::SequenceObject;
use taffrail_catalog::database::Database;

/// The next value of a sequence.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct NextValue {
    /// The sequence that gives the value.
    pub sequence: SequenceUse,
    /// All mentions in one row that is made or changed have one value; else each computation takes a new one.
    pub by_row: bool,
}

/// A sequence that a statement takes values of. Two are equal when they are the same object: the values come from what it is when the
/// statement runs.
#[derive(Clone)]
pub struct SequenceUse {
    /// The database that the sequence belongs to.
    pub database: Arc<Database>,
    /// The sequence as the binder saw it.
    pub sequence: Arc<SequenceObject>,
}

impl SequenceUse {
    /// Which sequence.
    pub fn key(&self) -> (DatabaseId, ObjectId) {
        (self.database.id, self.sequence.head.id)
    }
}

impl PartialEq for SequenceUse {
    fn eq(&self, other: &SequenceUse) -> bool {
        self.key() == other.key()
    }
}

impl Eq for SequenceUse {}

impl Hash for SequenceUse {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl std::fmt::Debug for SequenceUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sequence.head.qualified())
    }
}
