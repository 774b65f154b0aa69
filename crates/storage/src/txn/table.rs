//! The transaction table: every transaction that has logged something and has not ended.
//!
//! Invariants: (1) ids and `first_bound`s grow together, because both are given under the table's mutex. (2) `last` is complete when
//! `busy` is 0: whoever appends sets it before and clears it after. A checkpoint that has appended its begin record and then waits for
//! `busy` to clear therefore knows every record before its own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use taffrail_base::sync::{Mutex, thread};
use taffrail_base::{LogPos, SessionId, TransactionId};
use taffrail_io::UtcTime;

use crate::versions::NotedChange;

/// A transaction that has written.
pub struct TxnEntry {
    /// The id of the transaction.
    pub id: TransactionId,
    /// No record of it lies before.
    pub first_bound: LogPos,
    /// Inside of another, or on the engine's own account.
    pub system: bool,
    /// The session that runs it.
    pub session: SessionId,
    /// Its name in the log.
    pub name: &'static str,
    /// When it wrote first.
    pub begun: UtcTime,
    pub(super) busy: AtomicBool,
    pub(super) last: AtomicU64,
    pub(super) undo_next: AtomicU64,
    pub(super) ended: AtomicBool,
    /// Bytes logged, for `sys.dm_tran_database_transactions`.
    pub log_bytes: AtomicU64,
    /// The number of records logged.
    pub log_records: AtomicU64,
    /// Log space reserved for its rollback.
    pub log_reserved: AtomicU64,
    /// It notes what rows were before it changed them: see [`crate::versions`].
    pub(crate) notes_rows: AtomicBool,
    /// Its number in the order of commits with row versions; 0: it has none yet.
    pub(crate) committed: AtomicU64,
    /// The number in the same order under which it has begun to write, where it notes rows; 0: it does not.
    pub(crate) sequence: AtomicU64,
    /// The changes that it has noted, in order.
    pub(crate) notes: Mutex<Vec<NotedChange>>,
    /// `transaction_id` of the views; see [`crate::StorageInstance::next_transaction_number`].
    pub number: AtomicU64,
    /// The user's name for it.
    pub user_name: std::sync::OnceLock<Box<str>>,
    /// Position of its first record.
    pub first: AtomicU64,
    /// Position of its last savepoint's record; 0 = none.
    pub savepoint: AtomicU64,
    /// Position of the record that it was last rolled back to: of a savepoint, or the last one before a statement that failed; 0 = none.
    pub rolled_back_to: AtomicU64,
}

impl TxnEntry {
    /// Position of its last record.
    pub fn last(&self) -> LogPos {
        LogPos(self.last.load(Ordering::Acquire))
    }

    /// Where its undo would go on.
    pub fn undo_next(&self) -> LogPos {
        LogPos(self.undo_next.load(Ordering::Acquire))
    }

    /// A transaction that has logged nothing yet.
    fn new(
        id: TransactionId,
        first_bound: LogPos,
        system: bool,
        session: SessionId,
        name: &'static str,
        begun: UtcTime,
    ) -> TxnEntry {
        TxnEntry {
            id,
            first_bound,
            system,
            session,
            name,
            begun,
            busy: AtomicBool::new(false),
            last: AtomicU64::new(0),
            undo_next: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            log_bytes: AtomicU64::new(0),
            log_records: AtomicU64::new(0),
            log_reserved: AtomicU64::new(0),
            notes_rows: AtomicBool::new(false),
            committed: AtomicU64::new(0),
            sequence: AtomicU64::new(0),
            notes: Mutex::default(),
            number: AtomicU64::new(0),
            user_name: std::sync::OnceLock::new(),
            first: AtomicU64::new(0),
            savepoint: AtomicU64::new(0),
            rolled_back_to: AtomicU64::new(0),
        }
    }

    /// Its first record; before that is there, what no record of it lies before.
    pub fn begin(&self) -> LogPos {
        LogPos(self.first.load(Ordering::Relaxed)).max(self.first_bound)
    }

    /// Its commit or abort record is in the log.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// The user's name, or what the engine calls it.
    pub fn shown_name(&self) -> &str {
        self.user_name.get().map_or(self.name, |n| n)
    }
}

/// The facts that a checkpoint notes of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActiveTxn {
    /// The id of the transaction.
    pub id: TransactionId,
    /// No record of it lies before.
    pub first: LogPos,
    /// The position of its last record.
    pub last: LogPos,
    /// Where its undo would go on.
    pub undo_next: LogPos,
    /// Whether it is a system transaction: see [`TxnEntry::system`].
    pub system: bool,
}

/// The table of transactions that have written.
pub struct TxnTable {
    active: Mutex<BTreeMap<u64, Arc<TxnEntry>>>,
    next: AtomicU64,
}

impl TxnTable {
    /// An empty table that gives ids from `next` on.
    pub fn new(next: u64) -> TxnTable {
        TxnTable { active: Mutex::default(), next: AtomicU64::new(next.max(1)) }
    }

    /// The id that comes next.
    pub fn next_id(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Restart has seen this id.
    pub fn seen(&self, id: u64) {
        self.next.fetch_max(id + 1, Ordering::Relaxed);
    }

    /// Adds a transaction with a new id. `position` gives the log's end, and is called under the mutex (invariant 1).
    pub fn begin(
        &self,
        position: impl FnOnce() -> LogPos,
        system: bool,
        session: SessionId,
        name: &'static str,
        begun: UtcTime,
    ) -> Arc<TxnEntry> {
        let mut active = self.active.lock();
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let entry =
            Arc::new(TxnEntry::new(TransactionId(id), position(), system, session, name, begun));
        active.insert(id, entry.clone());
        entry
    }

    /// Puts an unfinished transaction back that restart found.
    pub fn adopt(&self, t: &ActiveTxn) -> Arc<TxnEntry> {
        let nobody = SessionId(0);
        let mut entry = TxnEntry::new(t.id, t.first, t.system, nobody, "recovered", UtcTime(0));
        entry.last = AtomicU64::new(t.last.0);
        entry.undo_next = AtomicU64::new(t.undo_next.0);
        let entry = Arc::new(entry);
        self.active.lock().insert(t.id.0, entry.clone());
        entry
    }

    /// The transaction has ended.
    pub fn remove(&self, id: TransactionId) {
        self.active.lock().remove(&id.0);
    }

    /// The least id of those active; the next id if there is none: everything below has ended.
    pub fn oldest_active(&self) -> TransactionId {
        let active = self.active.lock();
        TransactionId(active.keys().next().copied().unwrap_or_else(|| self.next_id()))
    }

    /// The first record that undo may need.
    pub fn oldest_position(&self) -> Option<LogPos> {
        self.active.lock().values().next().map(|e| e.first_bound)
    }

    /// Where the oldest transaction that is somebody's and has not ended begins, as `DBCC OPENTRAN` names it.
    pub fn oldest_begin(&self) -> Option<LogPos> {
        let active = self.active.lock();
        active.values().find(|e| !e.system && !e.has_ended()).map(|e| e.begin())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.active.lock().len()
    }

    /// All of them, for views.
    pub fn entries(&self) -> Vec<Arc<TxnEntry>> {
        self.active.lock().values().cloned().collect()
    }

    /// The transactions that a checkpoint notes after its begin record was appended: those that
    /// have not ended, complete up to that record.
    pub fn snapshot(&self) -> Vec<ActiveTxn> {
        let entries = self.entries();
        let mut out = Vec::with_capacity(entries.len());
        for e in entries {
            while e.busy.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            let last = LogPos(e.last.load(Ordering::Acquire));
            if e.ended.load(Ordering::Acquire) || last.is_zero() {
                continue;
            }
            out.push(ActiveTxn {
                id: e.id,
                first: e.first_bound,
                last,
                undo_next: LogPos(e.undo_next.load(Ordering::Acquire)),
                system: e.system,
            });
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_rules() {
        let t = TxnTable::new(5);
        let begin = |pos| t.begin(|| LogPos(pos), false, SessionId(51), "x", UtcTime(0));
        assert_eq!((t.oldest_active(), t.oldest_position()), (TransactionId(5), None));
        let a = begin(100);
        let b = begin(200);
        assert_eq!((a.id, b.id), (TransactionId(5), TransactionId(6)));
        assert_eq!(t.oldest_position(), Some(LogPos(100)));
        assert_eq!(t.snapshot(), []);
        b.last.store(250, Ordering::Release);
        assert_eq!(t.snapshot().len(), 1);
        t.remove(a.id);
        assert_eq!((t.oldest_active(), t.oldest_position()), (b.id, Some(LogPos(200))));
    }
}
