//! Indexes that statements would have used if they were there, counted since their database was opened.
//!
//! A plan that reads all of a table, though it compares columns of it, names the index that would have led to its rows; each execution of
//! the plan counts one use that the index would have had. What is known of a table goes when the table changes.

use crate::state::Map;
use crate::{Catalog, Table};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};
use taffrail_base::ObjectId;
use taffrail_observe::Moment;

/// So many indexes of a database are noted.
const MOST: usize = 600;

/// The columns of an index that is not there, by their places in the table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MissingColumns {
    /// Columns that have one value each.
    pub equality: Vec<usize>,
    /// Columns that have a range, or any value but one.
    pub inequality: Vec<usize>,
    /// The other columns that the statement reads.
    pub included: Vec<usize>,
}

/// An index that is not there.
#[derive(Debug)]
pub struct MissingIndexUse {
    /// `index_handle`: no other one of the process has it.
    pub handle: i32,
    /// The table that it would be of.
    pub table: ObjectId,
    /// The version of the table that the columns are of.
    version: u64,
    /// The columns that it would have.
    pub columns: MissingColumns,
    compiles: AtomicU64,
    seeks: AtomicU64,
    last: AtomicU64,
    /// Sums over the plans: the cost of reading the table, in millionths, and by how many hundredths of a hundredth it would fall.
    cost: AtomicU64,
    impact: AtomicU64,
}

/// The figures of an index that is not there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MissingFigures {
    /// Plans that would use it.
    pub compiles: u64,
    /// Executions of these plans.
    pub seeks: u64,
    /// When the last of these began.
    pub last: Option<Moment>,
    /// The cost of reading the table, on the average.
    pub cost: f64,
    /// By how much of a hundred that would fall.
    pub impact: f64,
}

impl MissingIndexUse {
    /// A plan that would use it is executed. One whose beginning was not timed leaves the time of the last one, if there is one.
    #[inline]
    pub fn count(&self, at: Option<Moment>) {
        self.seeks.fetch_add(1, Relaxed);
        match at {
            Some(at) => self.last.store(at.0, Relaxed),
            None if self.last.load(Relaxed) == 0 => self.last.store(Moment::now().0, Relaxed),
            None => {}
        }
    }

    /// The figures so far.
    pub fn figures(&self) -> MissingFigures {
        let (compiles, seeks) = (self.compiles.load(Relaxed), self.seeks.load(Relaxed));
        let each = |sum: &AtomicU64| sum.load(Relaxed) as f64 / compiles.max(1) as f64;
        MissingFigures {
            compiles,
            seeks,
            last: (seeks > 0).then(|| Moment(self.last.load(Relaxed))),
            cost: each(&self.cost) / 1e6,
            impact: each(&self.impact).round() / 1e2,
        }
    }
}

/// The indexes that are missing in a database.
#[derive(Default, Debug)]
pub struct MissingIndexes(Mutex<Map<(ObjectId, MissingColumns), Arc<MissingIndexUse>>>);

impl MissingIndexes {
    /// A plan would use an index of these columns: `cost` of reading the table without it, of which `impact` of a hundred would be saved.
    /// None where too many are known.
    pub fn planned(
        &self,
        table: &Table,
        columns: MissingColumns,
        (cost, impact): (f64, f64),
    ) -> Option<Arc<MissingIndexUse>> {
        static LAST: AtomicI32 = AtomicI32::new(0);
        let mut map = self.0.lock();
        let key = (table.head.id, columns);
        map.retain(|k, known| k.0 != key.0 || known.version == table.version);
        if map.len() >= MOST && !map.contains_key(&key) {
            return None;
        }
        let columns = key.1.clone();
        let found = map.entry(key).or_insert_with(|| {
            Arc::new(MissingIndexUse {
                handle: LAST.fetch_add(1, Relaxed) + 1,
                table: table.head.id,
                version: table.version,
                columns,
                compiles: AtomicU64::new(0),
                seeks: AtomicU64::new(0),
                last: AtomicU64::new(0),
                cost: AtomicU64::new(0),
                impact: AtomicU64::new(0),
            })
        });
        found.compiles.fetch_add(1, Relaxed);
        found.cost.fetch_add((cost * 1e6) as u64, Relaxed);
        found.impact.fetch_add((impact * 1e2) as u64, Relaxed);
        Some(found.clone())
    }

    /// All of them, by handle.
    pub fn list(&self) -> Vec<Arc<MissingIndexUse>> {
        let mut all: Vec<_> = self.0.lock().values().cloned().collect();
        all.sort_by_key(|m| m.handle);
        all
    }

    /// Tables have changed or are gone: what is known of them goes, but for what `stands`.
    pub(crate) fn forget_changed(
        &self,
        tables: &[ObjectId],
        stands: impl Fn(&MissingIndexUse) -> bool,
    ) {
        self.0.lock().retain(|(table, _), known| !tables.contains(table) || stands(known));
    }
}

impl MissingIndexUse {
    /// Whether the table is still as it was when a plan asked for the index.
    pub fn is_of(&self, table: &Table) -> bool {
        self.table == table.head.id && self.version == table.version
    }
}

impl Catalog {
    /// The indexes that are missing, as far as statements have asked for them since the database was opened.
    pub fn missing(&self) -> &MissingIndexes {
        &self.missing
    }
}
