//! A transaction's side of the log: what user transactions and system transactions have in common.
//!
//! A system transaction (a split, an allocation) is a nested top action: it runs inside a user's statement, commits on its own
//! without waiting for the disk, and is not undone when the user rolls back. If it cannot be completed it is undone at once, while
//! the latches on the tree are still held, so nobody sees half of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{HobtId, LogPos, PageId, SessionId, SqlError, TransactionId};
use taffrail_log::{
    AppendError, Lcx, LogError, Lop, Moment, RecordFlags, RecordHeader, Reserve, TxLog,
};
use taffrail_observe::xe::{Event, wanted};

use super::table::TxnEntry;
use crate::access::Hobt;
use crate::access::operations::{Operation, Tally};
use crate::buffer::{Store, WriteGuard};
use crate::codec::Put;
use crate::database::Database;
use crate::error::{StorageError, StorageResult, refused_log};

/// Shown by fn_dblog for transactions that nobody named.
pub(crate) const USER_TRANSACTION: &str = "user_transaction";

/// The log side of a transaction.
pub(crate) struct Work {
    pub db: Arc<Database>,
    pub log: TxLog,
    entry: Option<Arc<TxnEntry>>,
    pub system: bool,
    /// Part of a rollback: finds room in any log.
    pub in_rollback: bool,
    /// Part of a checkpoint: finds the room that is kept for one.
    pub in_checkpoint: bool,
    pub session: SessionId,
    pub name: &'static str,
    pub user_name: Option<Box<str>>,
    /// WITH MARK: its description.
    pub mark: Option<Box<str>>,
    /// `transaction_id` of the views; 0 = given at the first record.
    pub number: u64,
    pub parent: TransactionId,
    /// It notes what rows were: decided with its first record.
    notes_rows: bool,
    /// Pages deallocated: see [`crate::freelist`].
    pub freed: Vec<(HobtId, PageId)>,
    /// Operations on heaps and trees.
    tally: Tally,
}

/// The parts of a record besides its payload.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub op: Lop,
    pub context: Lcx,
    pub slot: u16,
    pub hobt: HobtId,
    pub lock_hash: u64,
    pub flags: RecordFlags,
    pub undo_next: LogPos,
    pub reserve: Reserve,
}

impl Change {
    pub const fn new(op: Lop, context: Lcx) -> Change {
        Change {
            op,
            context,
            slot: 0,
            hobt: HobtId::NONE,
            lock_hash: 0,
            flags: RecordFlags::NONE,
            undo_next: LogPos::ZERO,
            reserve: Reserve::NONE,
        }
    }
}

impl Store {
    /// The error for what the log said.
    pub(crate) fn append_error(&self, e: AppendError) -> StorageError {
        match e {
            AppendError::LogFull { wait, holdup, .. } => {
                let holdup = holdup.unwrap_or_default().in_message();
                // The state of this message is the reason's number.
                let e = SqlError::new(9002, &[&self.name(), &wait.name(), &holdup]);
                StorageError::LogFull(e.with_state(wait.code()))
            }
            AppendError::LogUnavailable => {
                self.mark_suspect("a write of the log failed".to_owned());
                StorageError::LogUnavailable(self.name().into())
            }
            AppendError::Cancelled => StorageError::Lock(crate::lock::LockError::Cancelled),
            AppendError::TooLong(_) => StorageError::Misuse("a log record is too long"),
        }
    }

    /// The error for what the log said. Damage and failed I/O make the database suspect; so does a record that is not there, for whoever
    /// asks for one that the database itself remembers. What was refused does not.
    pub(crate) fn log_error(&self, e: LogError) -> StorageError {
        let e = match refused_log(e) {
            Ok(refused) => return refused,
            Err(e) => e,
        };
        match e {
            LogError::Io(_) | LogError::Unavailable => {
                self.mark_suspect(e.to_string());
                StorageError::LogUnavailable(self.name().into())
            }
            _ => {
                self.mark_suspect(e.to_string());
                StorageError::Sql(SqlError::new(9004, &[&self.name()]))
            }
        }
    }
}

impl Work {
    pub fn new(db: Arc<Database>, session: SessionId, name: &'static str) -> Work {
        Work {
            db,
            log: TxLog::default(),
            entry: None,
            system: false,
            in_rollback: false,
            in_checkpoint: false,
            session,
            name,
            user_name: None,
            mark: None,
            number: 0,
            parent: TransactionId::NONE,
            notes_rows: false,
            freed: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Counts an operation on a heap or tree.
    #[inline]
    pub fn count(&mut self, hobt: &Hobt, operation: Operation) {
        self.tally.add(hobt.operations(), operation);
    }

    /// A system transaction inside this one.
    pub fn nested(&self, name: &'static str) -> Work {
        let mut w = Work::new(self.db.clone(), self.session, name);
        w.system = true;
        w.in_rollback = self.in_rollback;
        w.in_checkpoint = self.in_checkpoint;
        w.parent = self.log.id;
        w
    }

    /// A system transaction on the engine's own account.
    pub fn system(db: &Arc<Database>, name: &'static str) -> Work {
        let mut w = Work::new(db.clone(), SessionId(0), name);
        w.system = true;
        w
    }

    /// An unfinished transaction that restart found.
    pub fn recovered(db: Arc<Database>, log: TxLog, entry: Arc<TxnEntry>) -> Work {
        let mut w = Work::new(db, SessionId(0), "recovered");
        w.system = entry.system;
        w.log = log;
        w.entry = Some(entry);
        w
    }

    /// Its place in the transaction table, for whoever undoes it from now on; the caller takes `log` too.
    pub fn hand_over(&mut self) -> Option<Arc<TxnEntry>> {
        self.entry.take()
    }

    /// Its place in the transaction table, if it has one.
    pub fn entry(&self) -> Option<&Arc<TxnEntry>> {
        self.entry.as_ref()
    }

    /// True after the first record.
    #[inline]
    pub fn has_begun(&self) -> bool {
        self.entry.is_some()
    }

    /// Begins, without a change yet: a transaction whose begin is all that it has to say.
    pub fn note(&mut self) -> StorageResult<()> {
        if self.has_begun() { Ok(()) } else { self.begin() }
    }

    #[cold]
    fn begin(&mut self) -> StorageResult<()> {
        self.db.store.check()?;
        self.db.refuse_in_emergency()?;
        let log = self.db.store.log().clone();
        let now = self.db.instance.env.clock.now_utc();
        let entry =
            self.db.txns.begin(|| log.appended(), self.system, self.session, self.name, now);
        // What the engine does on its own account changes nothing that anybody could see. Asked behind the entry: whoever makes
        // the database READ_ONLY says so first and looks for entries then.
        if !self.system && self.session != SessionId(0) && self.db.is_read_only() {
            self.db.txns.remove(entry.id);
            return Err(StorageError::Sql(SqlError::new(3906, &[&self.db.name()])));
        }
        // Behind the entry, too: who turns versions on looks for entries then.
        self.notes_rows = !self.system && self.db.versions.is_on();
        entry.notes_rows.store(self.notes_rows, Ordering::SeqCst);
        if self.notes_rows {
            entry.sequence.store(self.db.instance.snapshots.begin(), Ordering::SeqCst);
        }
        self.log = TxLog {
            in_rollback: self.in_rollback,
            in_checkpoint: self.in_checkpoint,
            ..TxLog::new(entry.id)
        };
        if self.number == 0 {
            self.number = self.db.instance.next_transaction_number();
        }
        entry.number.store(self.number, Ordering::Relaxed);
        if let Some(name) = &self.user_name {
            let _ = entry.user_name.set(name.clone());
        }
        self.entry = Some(entry);
        let mut payload = Vec::with_capacity(64);
        payload.u64(now.0);
        payload.u16(self.session.0);
        payload.u64(self.parent.0);
        payload.u8(u8::from(self.system));
        payload.text(self.user_name.as_deref().unwrap_or(self.name));
        payload.u64(self.number);
        if let Some(mark) = &self.mark {
            payload.text(mark);
        }
        let header = RecordHeader::new(Lop::BeginXact, Lcx::Null);
        if let Err(e) = self.append_at(&header, &[&payload], Reserve::NONE, Moment::Given) {
            self.db.txns.remove(self.log.id);
            self.db.store.log().release(&mut self.log);
            self.entry = None;
            self.log = TxLog::default();
            return Err(e);
        }
        if !self.system {
            self.db.store.counters.active_transactions.add(1);
        }
        if wanted(Event::DatabaseTransactionBegin) {
            self.tell_transaction(Event::DatabaseTransactionBegin);
        }
        Ok(())
    }

    /// Everything after `to` has been undone; zero: all but the begin record.
    pub fn note_rollback(&self, to: LogPos) {
        if let Some(entry) = &self.entry {
            entry.rolled_back_to.store(to.max(self.log.first).0, Ordering::Relaxed);
        }
    }

    /// Appends a record that changes no page.
    #[inline]
    pub fn append(
        &mut self,
        header: &RecordHeader,
        payload: &[&[u8]],
        reserve: Reserve,
    ) -> StorageResult<LogPos> {
        self.append_at(header, payload, reserve, Moment::None)
    }

    fn append_at(
        &mut self,
        header: &RecordHeader,
        payload: &[&[u8]],
        reserve: Reserve,
        moment: Moment,
    ) -> StorageResult<LogPos> {
        if self.entry.is_none() {
            self.begin()?;
        }
        #[cfg(test)]
        cut::strike_anywhere(match self.in_rollback || header.is_compensation() {
            true => cut::Place::Undo,
            false => cut::Place::Record,
        })?;
        let entry = self.entry.as_ref().expect("begun above");
        entry.busy.store(true, Ordering::SeqCst);
        let before = self.log.bytes;
        let result = self.db.store.log().append_at(&mut self.log, header, payload, reserve, moment);
        entry.last.store(self.log.last.0, Ordering::Relaxed);
        entry.undo_next.store(self.log.undo_next.0, Ordering::Relaxed);
        entry.log_bytes.store(self.log.bytes, Ordering::Relaxed);
        entry.log_records.store(self.log.records, Ordering::Relaxed);
        entry.log_reserved.store(self.log.reserved, Ordering::Relaxed);
        entry.first.store(self.log.first.0, Ordering::Relaxed);
        if header.op == Lop::MarkSavepoint {
            entry.savepoint.store(self.log.last.0, Ordering::Relaxed);
        }
        entry.busy.store(false, Ordering::Release);
        if wanted(Event::TransactionLog) && result.is_ok() {
            self.tell_record(header, self.log.bytes - before);
        }
        result.map_err(|e| self.db.store.append_error(e))
    }

    /// Appends the record of a change of `page` and stamps the page. The caller makes the change itself, right after: nothing can
    /// fail in between.
    #[inline]
    pub fn change(
        &mut self,
        page: &mut WriteGuard<'_>,
        change: &Change,
        payload: &[&[u8]],
    ) -> StorageResult<LogPos> {
        let header = self.header(page, change)?;
        let pos = self.append(&header, payload, change.reserve)?;
        page.set_lsn(pos);
        Ok(pos)
    }

    /// The same, where the row in the change's slot, as it is before, follows the payload.
    #[inline]
    pub fn change_with_row(
        &mut self,
        page: &mut WriteGuard<'_>,
        change: &Change,
        payload: &[u8],
    ) -> StorageResult<LogPos> {
        let header = self.header(page, change)?;
        let row = page.row(usize::from(change.slot));
        let pos = self.append(&header, &[payload, row], change.reserve)?;
        page.set_lsn(pos);
        Ok(pos)
    }

    #[inline]
    fn header(
        &mut self,
        page: &mut WriteGuard<'_>,
        change: &Change,
    ) -> StorageResult<RecordHeader> {
        if self.entry.is_none() {
            self.begin()?;
        }
        #[cfg(test)]
        cut::strike()?;
        #[cfg(debug_assertions)]
        self.db.assert_allocated(page, change.op);
        page.will_change(&self.db.store);
        Ok(RecordHeader {
            page: page.id(),
            slot: change.slot,
            prev_page: page.lsn(),
            hobt: change.hobt,
            lock_hash: change.lock_hash,
            flags: change.flags,
            undo_next: change.undo_next,
            ..RecordHeader::new(change.op, change.context)
        })
    }

    /// The id; zero before the first record.
    #[inline]
    pub fn id(&self) -> TransactionId {
        self.log.id
    }

    /// Appends the commit record. Returns its position, or none if nothing was ever logged.
    pub fn append_commit(&mut self) -> StorageResult<Option<LogPos>> {
        if self.entry.is_none() {
            return Ok(None);
        }
        self.append_end(Lop::CommitXact).map(Some)
    }

    pub fn append_end(&mut self, op: Lop) -> StorageResult<LogPos> {
        #[cfg(test)]
        if self.system || op == Lop::AbortXact {
            cut::strike_anywhere(cut::Place::End)?;
        }
        let header = RecordHeader::new(op, Lcx::Null);
        let entry = self.entry.clone().expect("a transaction that has begun");
        // Set before `busy` clears, so that no checkpoint lists a transaction whose end lies before its begin record.
        entry.busy.store(true, Ordering::SeqCst);
        let before = self.log.bytes;
        // The log says when: in the order of its records.
        let result = self.db.store.log().append_at(
            &mut self.log,
            &header,
            &[&[0; 8]],
            Reserve::NONE,
            Moment::Now,
        );
        if result.is_ok() {
            entry.ended.store(true, Ordering::Release);
        }
        entry.busy.store(false, Ordering::Release);
        if result.is_ok() {
            if wanted(Event::TransactionLog) {
                self.tell_record(&header, self.log.bytes - before);
            }
            if wanted(Event::DatabaseTransactionEnd) {
                self.tell_transaction(Event::DatabaseTransactionEnd);
            }
        }
        result.map_err(|e| self.db.store.append_error(e))
    }

    /// Leaves the transaction table and gives reserved log back: after the end record.
    pub fn leave(&mut self) {
        if let Some(entry) = self.entry.take() {
            entry.end_versions();
            self.db.txns.remove(entry.id);
            self.db.store.log().release(&mut self.log);
            if !self.system {
                self.db.store.counters.active_transactions.add(-1);
            }
        }
    }

    /// Commits a system transaction.
    pub fn commit_system(mut self) -> StorageResult<()> {
        debug_assert!(self.system);
        let committed = self.append_commit();
        match committed {
            Ok(_) => {
                self.leave();
                self.db.clone().end_freeing(&mut self, true);
                Ok(())
            }
            Err(e) => {
                // The log keeps room for every commit record, so it has failed, and the database is down. If it was full against all
                // expectation, a structure change that others build upon would have no outcome: restart will undo it.
                self.db.store.mark_suspect(format!("a system transaction could not commit: {e}"));
                self.leave();
                Err(e)
            }
        }
    }
}

mod noted;

#[cfg(test)]
pub(crate) mod cut;
