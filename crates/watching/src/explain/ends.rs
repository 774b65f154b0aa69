//! How transactions ended, and which of their records a rollback took back.

use std::collections::HashMap;
use std::sync::Arc;
use taffrail_base::{LogPos, Lsn, TransactionId};
use taffrail_log::{Entry, Lop};
use taffrail_storage::access::record::changes::taken_back;
use taffrail_storage::access::record::facts::{self, Begin};

/// How a transaction ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// By its commit record.
    Committed {
        /// Of the record.
        lsn: Lsn,
        /// 100 ns since 0001-01-01, UTC.
        time: u64,
    },
    /// Rolled back as a whole.
    RolledBack,
    /// It has not ended in what there is of the log.
    Open,
}

/// A transaction.
#[derive(Clone, Default)]
pub(crate) struct Xact {
    pub begin: Option<Arc<Begin>>,
    /// Its records between these two were taken back; ascending, apart from each other.
    taken_back: Vec<(LogPos, LogPos)>,
    pub ended: Option<Ended>,
    /// The position of the record that says so.
    end: LogPos,
    /// A change of the batch is its.
    pub used: bool,
}

impl Xact {
    /// A record of it was taken back.
    pub(crate) fn took_back(&self, pos: LogPos) -> bool {
        if self.ended == Some(Ended::RolledBack) {
            return true;
        }
        let next = self.taken_back.partition_point(|&(from, _)| from < pos);
        next.checked_sub(1).is_some_and(|last| pos < self.taken_back[last].1)
    }

    /// To be called for each of its records, in order. True if it has ended with it.
    pub fn see(&mut self, e: &Entry<'_>) -> bool {
        let r = &e.record;
        match r.header.op {
            Lop::BeginXact => self.begin = facts::begin(r).map(Arc::new),
            Lop::CommitXact | Lop::AbortXact => {
                let time = facts::end_time(r).unwrap_or(0);
                self.ended = Some(match r.header.op {
                    Lop::CommitXact => Ended::Committed { lsn: e.lsn, time },
                    _ => Ended::RolledBack,
                });
                self.end = r.pos;
                return true;
            }
            _ => {
                if let Some((from, to)) = taken_back(r) {
                    self.note(from, to);
                }
            }
        }
        false
    }

    fn note(&mut self, from: LogPos, to: LogPos) {
        if self.taken_back.last().is_some_and(|&(a, b)| a <= from && to <= b) {
            return;
        }
        while self.taken_back.last().is_some_and(|&(a, _)| a >= from) {
            self.taken_back.pop();
        }
        self.taken_back.push((from, to));
    }
}

/// The transactions of a stretch of log.
#[derive(Default)]
pub(super) struct Xacts(HashMap<TransactionId, Xact>);

impl Xacts {
    /// To be called for each record, in order. True if a transaction has ended with it.
    pub fn see(&mut self, e: &Entry<'_>) -> bool {
        let (r, txn) = (&e.record, e.record.header.txn);
        let known = matches!(r.header.op, Lop::BeginXact | Lop::CommitXact | Lop::AbortXact);
        if known || taken_back(r).is_some() { self.0.entry(txn).or_default().see(e) } else { false }
    }

    /// One transaction of which everything is known.
    pub fn of(txn: TransactionId, xact: Xact) -> Xacts {
        Xacts(HashMap::from([(txn, xact)]))
    }

    pub fn get(&self, txn: TransactionId) -> Option<&Xact> {
        self.0.get(&txn)
    }

    /// A change of the batch is of this transaction.
    pub(crate) fn use_for(&mut self, txn: TransactionId) {
        self.0.entry(txn).or_default().used = true;
    }

    /// It may have taken something back at or behind `at`.
    pub(crate) fn may_take_back(&self, txn: TransactionId, at: LogPos) -> bool {
        self.get(txn).is_none_or(|x| match x.ended {
            None => true,
            Some(Ended::RolledBack) => x.end >= at,
            Some(_) => x.end >= at && !x.taken_back.is_empty(),
        })
    }

    /// It is not needed any more.
    pub fn drop(&mut self, txn: TransactionId) {
        self.0.remove(&txn);
    }

    /// It has ended; nobody will ask for it if no change was its.
    pub(crate) fn drop_unused(&mut self, txn: TransactionId) {
        if self.0.get(&txn).is_some_and(|x| !x.used) {
            self.0.remove(&txn);
        }
    }

    /// How many transactions of the batch have an end that is not known.
    pub fn unknown(&self) -> usize {
        self.0.values().filter(|x| x.used && x.ended.is_none()).count()
    }

    /// The log has no more: what has not ended by now is open.
    pub fn give_up(&mut self) {
        for x in self.0.values_mut().filter(|x| x.used && x.ended.is_none()) {
            x.ended = Some(Ended::Open);
        }
    }

    /// The batch is over; everything up to here was read for its changes.
    pub fn forget(&mut self, read: LogPos) {
        self.0.retain(|_, x| match x.ended {
            Some(Ended::Committed { .. } | Ended::RolledBack) => x.end >= read,
            _ => true,
        });
        self.0.values_mut().for_each(|x| x.used = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rollback_took_back_is_a_range() {
        let mut x = Xact::default();
        // Records 10, 20 (a savepoint behind 10), 30; rolled back to the savepoint, twice.
        x.note(LogPos(20), LogPos(40));
        x.note(LogPos(10), LogPos(50));
        x.note(LogPos(50), LogPos(70));
        assert_eq!(x.taken_back, [(LogPos(10), LogPos(50)), (LogPos(50), LogPos(70))]);
        // Read again.
        x.note(LogPos(50), LogPos(70));
        assert_eq!(x.taken_back.len(), 2);
        assert!(!x.took_back(LogPos(10)) && x.took_back(LogPos(30)) && x.took_back(LogPos(60)));
        assert!(!x.took_back(LogPos(70)) && !x.took_back(LogPos(50)));
    }
}
