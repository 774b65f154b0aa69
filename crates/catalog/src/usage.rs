//! Uses of indexes by statements, counted since their database was opened.
//!
//! A statement that runs counts one use for each time that its plan reads or changes the index, however many rows that are. What the server
//! itself reads counts nowhere.

use crate::Catalog;
use crate::state::Map;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taffrail_base::{IndexId, ObjectId};
use taffrail_observe::Moment;

/// The ways in which a statement uses an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexUse {
    /// A part of it is sought.
    Seek = 0,
    /// All of it is read.
    Scan = 1,
    /// Rows that another index has led to are looked up in it.
    Lookup = 2,
    /// Entries of it come, go or change.
    Update = 3,
}

impl IndexUse {
    /// All ways, in the order of the view's columns.
    pub const ALL: [IndexUse; 4] =
        [IndexUse::Seek, IndexUse::Scan, IndexUse::Lookup, IndexUse::Update];
}

/// The uses of one index, by their way.
#[derive(Default, Debug)]
pub struct IndexUsage {
    counts: [AtomicU64; 4],
    last: [AtomicU64; 4],
}

impl IndexUsage {
    /// A statement uses it. One whose beginning was not timed leaves the time of the last one, if there is one.
    #[inline]
    pub fn count(&self, way: IndexUse, at: Option<Moment>) {
        self.counts[way as usize].fetch_add(1, Relaxed);
        let last = &self.last[way as usize];
        match at {
            Some(at) => last.store(at.0, Relaxed),
            None if last.load(Relaxed) == 0 => last.store(Moment::now().0, Relaxed),
            None => {}
        }
    }

    /// The number of uses, and the last one's moment; none where there is no use.
    pub fn of(&self, way: IndexUse) -> (u64, Option<Moment>) {
        let count = self.counts[way as usize].load(Relaxed);
        let last = Moment(self.last[way as usize].load(Relaxed));
        (count, (count > 0).then_some(last))
    }
}

/// The indexes of a database that have been used.
#[derive(Default, Debug)]
pub struct IndexUsages(Mutex<Map<(ObjectId, IndexId), Arc<IndexUsage>>>);

impl IndexUsages {
    /// The uses of an index, from now on counted.
    pub fn of(&self, table: ObjectId, index: IndexId) -> Arc<IndexUsage> {
        self.0.lock().entry((table, index)).or_default().clone()
    }

    /// The index goes: one that has its number later begins anew.
    pub fn forget(&self, table: ObjectId, index: IndexId) {
        self.0.lock().remove(&(table, index));
    }

    /// The tables go, with all their indexes.
    pub(crate) fn forget_tables(&self, gone: &[ObjectId]) {
        if !gone.is_empty() {
            self.0.lock().retain(|(table, _), _| !gone.contains(table));
        }
    }

    /// All of them, by table and index.
    pub fn list(&self) -> Vec<(ObjectId, IndexId, Arc<IndexUsage>)> {
        let map = self.0.lock();
        let mut all: Vec<_> = map.iter().map(|((t, i), usage)| (*t, *i, usage.clone())).collect();
        all.sort_by_key(|(t, i, _)| (t.0, i.0));
        all
    }
}

impl Catalog {
    /// The uses of the database's indexes since it was opened.
    pub fn usage(&self) -> &IndexUsages {
        &self.usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_has_gone_begins_anew() {
        let (usages, table, index) = (IndexUsages::default(), ObjectId(7), IndexId(2));
        usages.of(table, index).count(IndexUse::Seek, Some(Moment(5)));
        usages.of(table, index).count(IndexUse::Seek, Some(Moment(9)));
        usages.of(table, index).count(IndexUse::Scan, None);
        assert_eq!(usages.of(table, index).of(IndexUse::Seek), (2, Some(Moment(9))));
        assert_eq!(usages.of(table, index).of(IndexUse::Scan).0, 1);
        assert_eq!(usages.of(table, index).of(IndexUse::Lookup), (0, None));
        usages.forget(table, index);
        assert_eq!(usages.of(table, index).of(IndexUse::Seek), (0, None));
        assert_eq!(usages.list().len(), 1);
        usages.of(ObjectId(8), index);
        usages.forget_tables(&[table]);
        assert_eq!(usages.list().len(), 1);
        assert_eq!(usages.list()[0].0, ObjectId(8));
    }
}
