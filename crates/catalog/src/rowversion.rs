//! The counter of a database that columns of type rowversion take their values from.
//!
//! Each inserted or changed row of a table with such a column takes the next value. The values lie below the limit of a [`Sequence`],
//! which a transaction of the system raises ahead of need.
//!
//! 1. No value is given out twice, whatever is rolled back or crashes, and none is less than one before. The limit is durable before a
//!    value below it is seen by anybody: a client that has read `@@DBTS` or an uncommitted row, and asks after a crash for what is newer,
//!    misses nothing.
//! 2. After a crash the counter goes on at the limit (a gap); a clean close writes the exact value first.
//! 3. A transaction's first value is noted before anybody can take a greater one and ask for [`RowVersions::lowest_active`]; the note goes
//!    when the transaction has ended. So no open transaction has a value below the lowest active one.
//!
//! A backup has the counter as it was: the database that is restored has no row with a value that comes again.

use super::Catalog;
use super::identity::Sequence;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::Transaction;
use taffrail_types::Value;

/// The value of `@@DBTS` in a new database.
const BEGIN: u64 = 2_000;

/// The values of a database's rowversion columns.
#[derive(Debug)]
pub struct RowVersions {
    sequence: Sequence,
    /// The first values of the transactions that are open.
    active: Mutex<BTreeSet<u64>>,
}

/// The first value of a transaction, noted until that ends.
struct First {
    versions: Arc<RowVersions>,
    value: u64,
}

impl Drop for First {
    fn drop(&mut self) {
        self.versions.active.lock().remove(&self.value);
    }
}

impl RowVersions {
    /// The values from the limit of this sequence on.
    pub(super) fn new(sequence: Sequence) -> RowVersions {
        RowVersions { sequence: sequence.durable(), active: Mutex::default() }
    }

    fn next(&self) -> SqlResult<u64> {
        Ok(BEGIN + 1 + self.sequence.take()?)
    }

    /// The last value that was given out: `@@DBTS`.
    pub fn last(&self) -> u64 {
        BEGIN + self.sequence.reached()
    }

    /// The least value of a transaction that is open, else the one that comes next: `MIN_ACTIVE_ROWVERSION()`.
    pub fn lowest_active(&self) -> u64 {
        let active = self.active.lock();
        active.first().copied().unwrap_or_else(|| self.last() + 1)
    }

    /// Writes the exact value (at a clean close).
    pub(super) fn settle(&self) -> SqlResult<()> {
        self.sequence.settle()
    }
}

impl Catalog {
    /// The value that a row gets which this transaction of the database inserts or changes.
    pub fn next_rowversion(&self, tx: &mut Transaction) -> SqlResult<Value> {
        let versions = &self.rowversions;
        if tx.keeps() {
            return Ok(shown(versions.next()?));
        }
        let mut active = versions.active.lock();
        let value = versions.next()?;
        active.insert(value);
        drop(active);
        tx.keep_to_end(Box::new(First { versions: versions.clone(), value }));
        Ok(shown(value))
    }

    /// The values of the database's rowversion columns.
    pub fn rowversions(&self) -> &RowVersions {
        &self.rowversions
    }
}

/// A number as the eight bytes of a rowversion.
pub fn shown(number: u64) -> Value {
    Value::binary(&number.to_be_bytes())
}
