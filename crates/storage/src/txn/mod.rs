//! Transactions.
//!
//! ```text
//! gaps      ranges of keys
//! table     who is active
//! work      the log side, shared with system transactions
//! savepoint parts of a transaction that may be undone
//! rollback  undo along the chain of records
//! told      for sessions of extended events
//! ```
//! A transaction costs nothing until it changes something: then it gets its id, an entry in the table and LOP_BEGIN_XACT.
//!
//! ```text
//! Open ── commit(Full) ──► commit record appended ─► hardened ─► locks released
//!                                  └ no room for it (the log has kept some, so hardly ever): rolled back
//!      ── commit(Pipelined) ► commit record appended ─► released ─► locks released; who learns of it waits for the log before he speaks
//!      ── commit(Delayed) ► commit record appended ─► locks released, the log is asked to write within its window
//!      ── rollback ──────► compensation records, abort record ─► locks released
//! ```
//! An error of a statement leaves the transaction open; the caller rolls back to the statement's savepoint.

mod count;
mod gaps;
mod kept;
pub(crate) mod rollback;
mod savepoint;
pub(crate) mod table;
pub(crate) mod told;
pub(crate) mod work;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use taffrail_base::{LogPos, ObjectId, SessionId, SqlError, TransactionId};
use taffrail_log::{FlushReason, Lcx, Lop, RecordHeader, Reserve};

use crate::access::bulk_space::MinimalLogging;
use crate::access::directory::Pending;
use crate::access::gap::Guarded;
use crate::access::{Hobt, Rid};
use crate::codec::Put;
use crate::database::{Database, RecoveryModel};
use crate::error::{StorageError, StorageResult};
use crate::lock::{Granted, LockMode, ModeSet, OwnerKind, Resource, TxLockState};
use crate::versions::Snapshot;
pub use kept::LockedRow;
pub use savepoint::Savepoint;
use work::{USER_TRANSACTION, Work};

pub use table::{ActiveTxn, TxnEntry};

/// The promises that reads make each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Isolation {
    /// No row locks at all.
    ReadUncommitted,
    /// Shared locks for the moment of the read.
    #[default]
    ReadCommitted,
    /// S on rows that were read, kept to the transaction's end.
    RepeatableRead,
    /// Ranges of keys are locked, or the table: nobody inserts into what was read.
    Serializable,
    /// Rows as of one moment; nobody changes those that the transaction changes.
    Snapshot,
}

/// The facts that [`Database::begin`] is given.
#[derive(Clone, Debug)]
pub struct BeginSpec {
    /// The session that begins it.
    pub session: SessionId,
    /// `user_transaction`, `INSERT` …; shown by fn_dblog.
    pub name: &'static str,
    /// A name of the user's, instead of the above.
    pub user_name: Option<Box<str>>,
    /// SET TRANSACTION ISOLATION LEVEL.
    pub isolation: Isolation,
    /// SET LOCK_TIMEOUT in milliseconds; -1 = wait for ever.
    pub lock_timeout_ms: i32,
}

impl Default for BeginSpec {
    fn default() -> BeginSpec {
        BeginSpec {
            session: SessionId(0),
            name: USER_TRANSACTION,
            user_name: None,
            isolation: Isolation::default(),
            lock_timeout_ms: -1,
        }
    }
}

/// How a commit becomes durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// On disk when `commit` returns.
    Full,
    /// On disk before anybody outside of the server is told: see [`Pipelines`](crate::Pipelines). Where the commit frees pages, or bulk
    /// work has bypassed the log, it is on disk when `commit` returns.
    Pipelined,
    /// On disk within the delayed-durability window.
    Delayed,
}

/// A lock that the read of a row has taken.
#[derive(Clone, Copy, Debug)]
pub struct RowLock {
    row: Resource,
    /// The row was not locked before; else it was, less strongly.
    new: bool,
}

impl RowLock {
    fn of(row: Resource, granted: Granted) -> Option<RowLock> {
        let new = granted == Granted::New;
        (new || granted == Granted::Converted).then_some(RowLock { row, new })
    }
}

/// A transaction in one database. Dropped without commit, it rolls back.
pub struct Transaction {
    /// The database, as in `work.db`: beside it, so that both can be borrowed at once.
    db: Arc<Database>,
    work: Work,
    locks: TxLockState,
    isolation: Isolation,
    timeout: Option<Duration>,
    /// Reads of row versions are by it.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    /// The row that was locked last, if its lock is new or stronger than before.
    row_lock: Option<RowLock>,
    /// The pages and trees that are freed after commit.
    pending: Vec<Pending>,
    /// The trees in which it has locked ranges of keys; dropped after its locks.
    guarded: Guarded,
    /// It has logged less than everything.
    minimal: Option<MinimalLogging>,
    /// A rollback to a savepoint has found no room: it can only be rolled back as a whole.
    doomed: bool,
    ended: bool,
    /// Dropped when the transaction has ended, whichever way.
    kept: Option<Box<dyn Send + Sync>>,
}

impl Database {
    /// A new transaction: nothing is logged before its first change.
    pub fn begin(self: &Arc<Self>, spec: BeginSpec) -> Transaction {
        let mut work = Work::new(self.clone(), spec.session, spec.name);
        work.user_name = spec.user_name;
        Transaction {
            db: self.clone(),
            work,
            locks: self.instance.locks.owner(spec.session, OwnerKind::Transaction),
            isolation: spec.isolation,
            timeout: timeout(spec.lock_timeout_ms),
            snapshot: None,
            row_lock: None,
            pending: Vec::new(),
            guarded: Guarded::default(),
            minimal: None,
            doomed: false,
            ended: false,
            kept: None,
        }
    }
}

fn timeout(ms: i32) -> Option<Duration> {
    u64::try_from(ms).ok().map(Duration::from_millis)
}

impl Transaction {
    /// Whether something is dropped at the transaction's end.
    #[inline]
    pub fn keeps(&self) -> bool {
        self.kept.is_some()
    }

    /// Keeps a value until the transaction has ended: its `drop` tells that to whoever waits for it.
    pub fn keep_to_end(&mut self, kept: Box<dyn Send + Sync>) {
        debug_assert!(self.kept.is_none(), "one value is kept");
        self.kept = Some(kept);
    }

    /// The database of the transaction.
    #[inline]
    pub fn database(&self) -> &Arc<Database> {
        &self.work.db
    }

    /// The id; zero until the first change.
    pub fn id(&self) -> TransactionId {
        self.work.id()
    }

    /// Sets the number that views show (`transaction_id`). Set before the first change it is also
    /// in the log's begin record; 0 means that it gets a number of its own then.
    pub fn set_number(&mut self, number: u64) {
        self.work.number = number;
    }

    /// WITH MARK: the log's begin record says so, and how it was described. Before the first change.
    pub fn set_mark(&mut self, description: &str) {
        self.work.mark = Some(description.into());
    }

    /// The number that views show: see [`Transaction::set_number`].
    pub fn number(&self) -> u64 {
        self.work.number
    }

    /// True after the first change.
    pub fn has_written(&self) -> bool {
        self.work.has_begun()
    }

    /// Bytes and records logged so far.
    pub fn logged(&self) -> (u64, u64) {
        (self.work.log.bytes, self.work.log.records)
    }

    /// The isolation level that the session was at. Nothing in storage goes by it: scans are told their [`crate::ScanLocks`].
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// SET TRANSACTION ISOLATION LEVEL.
    pub fn set_isolation(&mut self, isolation: Isolation) {
        self.isolation = isolation;
    }

    /// SET LOCK_TIMEOUT in milliseconds; -1 = wait for ever.
    pub fn set_lock_timeout(&mut self, ms: i32) {
        self.timeout = timeout(ms);
    }

    /// A flag that ends lock waits; see [`TxLockState::cancel_with`].
    pub fn cancel_with(&mut self, flag: Arc<AtomicBool>) {
        self.locks.cancel_with(flag);
    }

    /// That flag is set: long work that waits for no lock looks now and then.
    pub fn is_cancelled(&self) -> bool {
        self.locks.is_cancelled()
    }

    /// Its locks, for settings that storage does not know (deadlock priority) and for views.
    pub fn locks_mut(&mut self) -> &mut TxLockState {
        &mut self.locks
    }

    /// A statement begins: escalation counts the locks of one statement.
    pub fn begin_statement(&mut self) {
        self.locks.begin_statement();
        self.locks.log_bytes = self.work.log.bytes;
    }

    /// A statement that was to keep no read locks has ended: tables that it has only read are free for DDL again.
    pub fn end_reading(&mut self) {
        self.work.db.instance.locks.release_read_intents(&mut self.locks);
    }

    /// Commits. With [`Durability::Full`] it is on disk on return. [`StorageError::LogFull`] means that it was rolled back; any other
    /// error that the database is down: nobody was told that it committed, and restart decides.
    pub fn commit(self, durability: Durability) -> StorageResult<()> {
        self.commit_at(durability).map(drop)
    }

    /// The same; gives the commit record's position, none if nothing was ever logged.
    pub fn commit_at(mut self, durability: Durability) -> StorageResult<Option<LogPos>> {
        self.ended = true;
        let db = self.work.db.clone();
        if self.doomed {
            self.pending.clear();
            let _: StorageResult<()> = self.end_by_rollback();
            return Err(StorageError::Sql(SqlError::new(3930, &[])));
        }
        let result = self.commit_log(&db, durability);
        if let Err(StorageError::LogFull(_)) = &result {
            // Nothing was appended. Its changes must not outlive its locks. If undoing them fails too the database is suspect from
            // now on, and restart undoes them.
            self.pending.clear();
            let _: StorageResult<()> = self.end_by_rollback();
            return result;
        }
        // After a failed write of the log the database is suspect already: who gets the locks gets an error before he sees a row.
        debug_assert!(result.is_ok() || db.store.check().is_err());
        let number =
            if result.is_ok() { self.work.commit_versions(!self.pending.is_empty()) } else { None };
        let frees = result.is_ok() && !self.pending.is_empty();
        let giving_back = frees.then(|| db.giving_back());
        if frees {
            // While the locks stand: who gets them may drop the table, and large values are to be freed before its extents.
            db.list_pending(number, &mut self.pending);
        }
        self.work.leave();
        db.instance.locks.release_all(&mut self.locks);
        #[cfg(test)]
        tests::locks_released();
        let at = result?;
        if frees {
            // The commit stands whatever happens here; what is left is freed by the background tick or the next restart.
            db.free_orphans();
        }
        drop(giving_back);
        if number.is_some() {
            db.relieve_versions();
        }
        Ok(at)
    }

    fn commit_log(
        &mut self,
        db: &Database,
        durability: Durability,
    ) -> StorageResult<Option<LogPos>> {
        let counters = &db.store.counters;
        if self.minimal.is_some() {
            // What it has put into the data file is nowhere else: it counts only if that file has kept everything.
            db.store.check()?;
        }
        let durability = match durability {
            // What it frees may be written over, and what it has put into the data file is read, before the log says so.
            Durability::Pipelined if self.minimal.is_some() || !self.pending.is_empty() => {
                Durability::Full
            }
            durability => durability,
        };
        if durability == Durability::Pipelined && self.work.has_begun() && !db.store.temporary {
            db.pipeline().make_room(db.instance.env.clock.monotonic())?;
        }
        let appended = self.work.append_commit()?;
        counters.transactions.inc();
        let Some(pos) = appended else { return Ok(None) };
        counters.write_transactions.inc();
        if db.store.temporary {
            return Ok(appended);
        }
        match durability {
            Durability::Full => {
                let hardened = db.store.log().harden(pos, FlushReason::Commit);
                hardened.map_err(|e| db.store.log_error(e))?;
            }
            Durability::Pipelined => {
                db.pipeline().release(pos, db.instance.env.clock.monotonic());
            }
            Durability::Delayed => db.store.log().request_lazy(),
        }
        Ok(appended)
    }

    /// Rolls back. An error means that the database has become suspect, and restart will finish the rollback; or, if it
    /// [is only want of room](StorageError::is_want_of_room), that it goes on in the background, its rows locked until it is done.
    pub fn rollback(mut self) -> StorageResult<()> {
        self.end_by_rollback()
    }

    fn end_by_rollback(&mut self) -> StorageResult<()> {
        self.ended = true;
        let db = self.work.db.clone();
        let mut result = Ok(());
        let _giving_back = self.work.has_begun().then(|| db.giving_back());
        if self.work.has_begun() {
            let work = &mut self.work;
            result = rollback::with_room(&db, || rollback::finish_rollback(work, &mut []));
            if let Err(e) = &result {
                let later =
                    e.is_want_of_room() && db.undo_later(&mut self.work, &mut self.locks, e);
                if !later {
                    db.store.mark_suspect(format!("a transaction could not be rolled back: {e}"));
                    self.work.leave();
                }
            }
        }
        db.store.counters.transactions.inc();
        db.instance.locks.release_all(&mut self.locks);
        db.free_orphans();
        result
    }

    /// Locks an object to the transaction's end (or, no stronger than before, does nothing).
    pub fn lock_object(&mut self, object: ObjectId, mode: LockMode) -> StorageResult<Granted> {
        let resource = Resource::object(self.work.db.id(), object);
        self.lock(resource, mode)
    }

    /// Locks an object to change its definition: Sch-M, to the transaction's end. A lock that is new is told by LOP_LOCK_XACT, which
    /// neither redo nor undo looks at: it is there for whoever reads the log.
    pub fn lock_for_change(&mut self, object: ObjectId) -> StorageResult<()> {
        if self.has_locked(object, LockMode::SchM) {
            return Ok(());
        }
        self.lock_object(object, LockMode::SchM)?;
        let mut payload = Vec::with_capacity(4);
        payload.u32(object.0 as u32);
        let header = RecordHeader::new(Lop::LockXact, Lcx::Null);
        self.work.append(&header, &[&payload], Reserve::NONE).map(drop)
    }

    /// The lock on an object outlasts the statement, though it may be no more than one of readers.
    pub fn keep_object(&mut self, object: ObjectId) {
        let resource = Resource::object(self.work.db.id(), object);
        self.locks.keep_object(&resource);
    }

    /// True if an object is locked in this mode or a stronger one.
    pub fn has_locked(&self, object: ObjectId, mode: LockMode) -> bool {
        self.locks.object_mode(&Resource::object(self.work.db.id(), object)).covers(mode)
    }

    /// Locks anything to the transaction's end.
    pub fn lock(&mut self, resource: Resource, mode: LockMode) -> StorageResult<Granted> {
        let locks = &self.work.db.instance.locks;
        let granted = locks.acquire(&mut self.locks, resource, mode, self.timeout)?;
        self.db.store.check()?;
        Ok(granted)
    }

    /// Waits until a lock could be had, and gives it back at once if it was not held before.
    pub fn lock_for_a_moment(&mut self, resource: Resource, mode: LockMode) -> StorageResult<()> {
        let locks = &self.work.db.instance.locks;
        if locks.acquire(&mut self.locks, resource, mode, self.timeout)? == Granted::New {
            locks.release(&mut self.locks, &resource);
        }
        self.db.store.check()
    }

    /// Locks a key; true if the lock is new.
    #[inline]
    pub(crate) fn lock_key(
        &mut self,
        hobt: &Hobt,
        hash: u64,
        mode: LockMode,
    ) -> StorageResult<bool> {
        let db = &self.work.db;
        let key = Resource::key(db.id(), hobt.id(), hash);
        let object = *hobt.object_lock();
        let locks = &db.instance.locks;
        let granted = locks.acquire_row(&mut self.locks, object, key, mode, self.timeout);
        let granted = self.counted(hobt, granted)?;
        let db = &self.work.db;
        self.row_lock = RowLock::of(key, granted);
        // Its owner before may have let go of it because his commit could not be made durable.
        db.store.check()?;
        Ok(granted == Granted::New)
    }

    pub(crate) fn unlock_key(&mut self, hobt: &Hobt, hash: u64) {
        let db = &self.work.db;
        let key = Resource::key(db.id(), hobt.id(), hash);
        self.row_lock = None;
        db.instance.locks.release(&mut self.locks, &key);
    }

    /// Locks a row of a heap; true if the lock is new.
    pub(crate) fn lock_rid(
        &mut self,
        hobt: &Hobt,
        rid: Rid,
        mode: LockMode,
    ) -> StorageResult<bool> {
        let timeout = self.timeout;
        Ok(self.lock_rid_for(hobt, rid, mode, timeout)? == Granted::New)
    }

    /// As [`Self::lock_rid`], without waiting.
    pub(crate) fn try_lock_rid(&mut self, hobt: &Hobt, rid: Rid, mode: LockMode) -> bool {
        self.lock_rid_for(hobt, rid, mode, Some(Duration::ZERO)).is_ok()
    }

    fn lock_rid_for(
        &mut self,
        hobt: &Hobt,
        rid: Rid,
        mode: LockMode,
        timeout: Option<Duration>,
    ) -> StorageResult<Granted> {
        let db = &self.work.db;
        let row = Resource::rid(db.id(), rid.page, rid.slot);
        let object = *hobt.object_lock();
        let granted = db.instance.locks.acquire_row(&mut self.locks, object, row, mode, timeout);
        let granted = self.counted(hobt, granted)?;
        let db = &self.work.db;
        self.row_lock = RowLock::of(row, granted);
        db.store.check()?;
        Ok(granted)
    }

    pub(crate) fn unlock_rid(&mut self, rid: Rid) {
        let db = &self.work.db;
        let row = Resource::rid(db.id(), rid.page, rid.slot);
        self.row_lock = None;
        db.instance.locks.release(&mut self.locks, &row);
    }

    /// The lock that the last read of a row has taken and kept, and forgets it: none where the row was locked before as strongly.
    /// Whoever then finds that the row does not qualify may [give it back](Transaction::release_row).
    #[inline]
    pub fn take_row_lock(&mut self) -> Option<RowLock> {
        self.row_lock.take()
    }

    /// Gives back the lock of a row that did not qualify, or makes an update lock the shared one that it was before.
    /// `shared`: it stays locked as a row that was read.
    pub fn release_row(&mut self, lock: &RowLock, shared: bool) {
        let locks = &self.work.db.instance.locks;
        match lock.new && !shared {
            true => locks.release(&mut self.locks, &lock.row),
            false => locks.update_to_shared(&mut self.locks, &lock.row),
        }
    }

    /// How many locks are held: a mark for [`Transaction::release_unchanged`].
    pub fn locks_held(&self) -> usize {
        self.locks.count()
    }

    /// A statement that looked for rows of an object to change them has ended: those that it has locked for that, since the mark,
    /// and not changed, are let go. `shared`: they stay locked as rows that were read.
    pub fn release_unchanged(&mut self, object: ObjectId, mark: usize, shared: bool) {
        let object = Resource::object(self.work.db.id(), object);
        let locks = &self.work.db.instance.locks;
        locks.release_updates(&mut self.locks, &object, mark, shared);
    }

    /// Does something without waiting for locks: as SET LOCK_TIMEOUT 0 does.
    pub fn without_waiting<R>(&mut self, f: impl FnOnce(&mut Transaction) -> R) -> R {
        let timeout = self.timeout.replace(Duration::ZERO);
        let result = f(self);
        self.timeout = timeout;
        result
    }

    /// True if anybody else may have uncommitted changes in the object. Only meaningful while the latch of a page of it is held.
    /// In a suspect database everybody may: whose locks are gone did not commit for that. The caller then asks for a lock, and gets
    /// the error.
    #[inline]
    pub(crate) fn others_write(&self, hobt: &Hobt) -> bool {
        let locks = &self.work.db.instance.locks;
        // In this order: a database becomes suspect before a lock is released for it.
        locks.others_hold(&self.locks, hobt.object_lock(), ModeSet::WRITING)
            || self.db.store.suspect_reason().is_some()
    }

    /// The two halves that row operations need at the same time.
    #[inline]
    pub(crate) fn parts(&mut self) -> (&Arc<Database>, &mut Work) {
        (&self.db, &mut self.work)
    }

    /// [`Self::parts`], and its locks.
    #[inline]
    pub(crate) fn parts_and_locks(&mut self) -> (&Arc<Database>, &mut Work, &mut TxLockState) {
        (&self.db, &mut self.work, &mut self.locks)
    }

    /// True if this transaction may log less than everything: pages of bulk work go to disk before its commit instead.
    pub(crate) fn may_log_minimally(&mut self) -> bool {
        if self.db.options().recovery_model == RecoveryModel::Full {
            return false;
        }
        if self.minimal.is_none() {
            #[cfg(test)]
            tests::at_the_gate();
            self.minimal = self.db.bulk.enter();
            // Asked again: the recovery model changes only while nobody is inside.
            if self.db.options().recovery_model == RecoveryModel::Full {
                self.minimal = None;
            }
        }
        self.minimal.is_some()
    }

    pub(crate) fn after_commit(&mut self, what: Pending) {
        self.pending.push(what);
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.ended {
            // A failure has marked the database as suspect, which is where it shows.
            let _: Result<(), StorageError> = self.end_by_rollback();
        }
    }
}

#[cfg(test)]
mod tests;
