//! The events sort_warning and hash_warning.

use super::SpillFile;
use crate::memory;
use taffrail_observe::xe::{self, Event, Val};

/// An operator that has written rows to a file.
pub(crate) struct Warning {
    /// Bytes that it kept in memory.
    pub used: usize,
    /// The rows that it has got.
    pub rows: u64,
}

/// Rows went to a file and were divided by their hashes.
const RECURSION: i128 = 0;
/// Rows of a partition that cannot be divided are worked on piece by piece.
const BAILOUT: i128 = 1;

impl Warning {
    /// Of a sort whose rows were written again so many times before they could be merged.
    pub(crate) fn of_sort(&self, file: &SpillFile, passes: u32) {
        if xe::wanted(Event::SortWarning) {
            let mut fields = vec![Val::Number(if passes == 0 { 1 } else { 2 })];
            self.rest(file, &mut fields);
            xe::tell(Event::SortWarning, &fields);
        }
    }

    /// Of a hash join, or of groups, whose rows were divided so many times.
    pub(crate) fn of_hash(&self, file: &SpillFile, level: u32, bailout: bool) {
        if xe::wanted(Event::HashWarning) {
            let kind = if bailout { BAILOUT } else { RECURSION };
            let mut fields = vec![Val::Number(kind), Val::Number(level.into())];
            self.rest(file, &mut fields);
            xe::tell(Event::HashWarning, &fields);
        }
    }

    fn rest(&self, file: &SpillFile, fields: &mut Vec<Val>) {
        let number = |n: u64| Val::Number(n.into());
        let [read, written] = file.pages();
        // Operators have no number; each runs in the one thread of its statement.
        fields.extend([Val::Empty, number(0), number(1)]);
        fields.extend([number((memory::limit() >> 10) as u64), number((self.used >> 10) as u64)]);
        fields.extend([number(read), number(written), number(self.rows)]);
    }
}
