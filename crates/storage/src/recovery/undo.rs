//! Undo: what transactions did that had not ended when the log did.
//!
//! | what | when | why |
//! |---|---|---|
//! | system transactions, latest record first | before the database opens | half a structure change is in a tree |
//! | user transactions that changed the catalogue or the directory | before it opens | whoever opens the catalogue must not read them |
//! | all others | while it is open | their rows are locked again first, so everybody else sees what he would have seen before |
//!
//! The locks of a transaction of the last kind, taken before the database opens and kept until it is undone: IX on each object, X on
//! each key (the hash is in the record) and each row of a heap; from [`ROW_LOCKS_MAX`] rows on, X on the objects instead. A row of a
//! heap that was moved is known to readers by its home, which is read from the row.
//!
//! Undoing goes on in small steps ([`Database::undo_step`]), each a few compensation records; between two steps the
//! database can be closed, and at any
//! moment the machine can fail: what is left has its place in the transaction table, so a checkpoint notes it, and the next
//! restart goes on where the last compensation record points to.
//!
//! Order of mutexes: `recovering`, then `ticking`, then `checkpointing`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use taffrail_base::{HobtId, LogPos, PageId, SqlError};
use taffrail_log::{Lcx, Lop, Record, TxLog};
use taffrail_observe::session::with_current;
use taffrail_observe::{Event, EventRing};

use super::analysis::Loser;
use crate::access::Rid;
use crate::access::node::FORWARDED;
use crate::database::{Database, RecoveryReport};
use crate::error::{StorageError, StorageResult};
use crate::instance::StorageInstance;
use crate::layout::DIRECTORY;
use crate::lock::{LockMode, OwnerKind, RECOVERY_SESSION, Resource, TxLockState};
use crate::txn::rollback;
use crate::txn::table::TxnEntry;
use crate::txn::work::Work;

/// Rows that a transaction's undo locks one by one.
const ROW_LOCKS_MAX: usize = 250_000;
/// Records undone in a step of [`Database::finish_recovery`].
const STEP: usize = 256;
/// How often the error log hears how far it is.
pub(super) const TELL_EVERY: Duration = Duration::from_secs(2);
/// How long after recovery the checkpoint comes that saves the next restart the same work: what waited for the database goes first.
const SETTLE_AFTER: Duration = Duration::from_secs(3);

/// The rows and objects that a loser has locked, found by analysis.
#[derive(Default)]
pub(crate) struct Locked {
    rows: Vec<(HobtId, RowName)>,
    hobts: BTreeSet<HobtId>,
    /// Too many rows: the objects as a whole.
    whole: bool,
    /// It changed the catalogue or the directory.
    pub catalogue: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RowName {
    Key(u64),
    Rid(PageId, u16),
}

impl Locked {
    /// A record of the transaction that is no compensation.
    pub fn note(&mut self, r: &Record<'_>) {
        let h = &r.header;
        if h.hobt == HobtId::NONE {
            return;
        }
        if h.hobt.0 <= DIRECTORY.0 {
            self.catalogue = true;
            return;
        }
        let last = self.rows.last();
        if last.is_none_or(|(hobt, _)| *hobt != h.hobt) {
            self.hobts.insert(h.hobt);
        }
        if h.op == Lop::BulkExtAllocation || h.op == Lop::SetBits {
            // Its rows have no locks of their own: the object had. Nor may anybody use pages of extents that are taken back.
            self.rows = Vec::new();
            self.whole = true;
            return;
        }
        if self.whole {
            return;
        }
        if h.context == Lcx::TextMix {
            // What refers to a large value is locked.
            return;
        }
        let heap = h.context == Lcx::Heap || (h.context == Lcx::MarkAsGhost && h.lock_hash == 0);
        let name = match h.op {
            Lop::InsertRows | Lop::DeleteRows | Lop::ModifyRow if heap => {
                RowName::Rid(h.page, h.slot)
            }
            Lop::InsertRows | Lop::DeleteRows | Lop::ModifyRow => RowName::Key(h.lock_hash),
            _ => return,
        };
        if last != Some(&(h.hobt, name)) {
            self.rows.push((h.hobt, name));
        }
        if self.rows.len() > ROW_LOCKS_MAX {
            self.rows = Vec::new();
            self.whole = true;
        }
    }
}

/// A transaction that is undone while the database is open.
pub(super) struct Waiting {
    log: TxLog,
    entry: Arc<TxnEntry>,
    locks: TxLockState,
    /// Where its undo began.
    from: LogPos,
}

impl Waiting {
    pub(super) fn new(log: TxLog, entry: Arc<TxnEntry>, locks: TxLockState) -> Waiting {
        let from = log.undo_next;
        Waiting { log, entry, locks, from }
    }

    /// How far apart its first record and the next to be undone are.
    fn left(&self) -> u64 {
        self.log.undo_next.since(self.log.first.min(self.log.undo_next))
    }
}

/// The transactions of an open database that are still to be undone.
#[derive(Default)]
pub(crate) struct Recovering {
    /// For the locks; set with the first loser.
    instance: Option<Arc<StorageInstance>>,
    losers: Vec<Waiting>,
    report: RecoveryReport,
    /// The error log has heard that recovery is complete: what is handed over later is no part of it.
    told: bool,
    /// Lengths of the log that the losers span, in all and undone.
    span: u64,
    done: u64,
}

impl Recovering {
    /// Another one is to be undone.
    pub(super) fn take_over(&mut self, instance: &Arc<StorageInstance>, loser: Waiting) {
        self.instance = Some(instance.clone());
        self.span += loser.left();
        self.losers.push(loser);
    }

    /// True if nothing is left to be undone.
    pub(crate) fn is_over(&self) -> bool {
        self.losers.is_empty()
    }

    /// Gives all locks back, and forgets what is to be undone: the next restart goes on. The caller has made the database one that
    /// shows nobody its rows.
    pub(crate) fn let_go(&mut self) {
        if let Some(instance) = &self.instance {
            for mut loser in self.losers.drain(..) {
                instance.locks.release_all(&mut loser.locks);
            }
        }
    }
}

impl Drop for Recovering {
    fn drop(&mut self) {
        self.let_go();
    }
}

/// Undoes what must be undone before the database opens, and prepares the rest. Redo has touched pages, or not.
pub(super) fn prepare(db: &Arc<Database>, losers: Vec<Loser>, touched: bool) -> StorageResult<()> {
    let _giving_back = db.giving_back();
    let result = prepare_all(db, losers, touched);
    if let Err(e) = &result
        && !e.is_want_of_room()
    {
        db.store.mark_suspect(format!("undo failed: {e}"));
    }
    result
}

fn prepare_all(db: &Arc<Database>, losers: Vec<Loser>, touched: bool) -> StorageResult<()> {
    let nothing_redone = !touched && losers.is_empty();
    let mut system = Vec::new();
    let mut at_once = Vec::new();
    let mut later = Vec::new();
    for loser in losers {
        let t = loser.txn;
        let entry = db.txns.adopt(&t);
        let mut log = TxLog::new(t.id);
        (log.first, log.last, log.undo_next) = (t.first, t.last, t.undo_next);
        db.log().reserve_recovered(&mut log, loser.undo_bytes);
        if t.system {
            system.push(Work::recovered(db.clone(), log, entry));
            continue;
        }
        db.store.counters.active_transactions.add(1);
        // In a part there is nobody beside it, and not every row that it has locked.
        if loser.locked.catalogue || db.part.get().is_some() {
            at_once.push(Work::recovered(db.clone(), log, entry));
        } else {
            later.push((log, entry, loser.locked));
        }
    }
    // The latest record of all of them first: a structure change that another was built upon goes after it.
    while let Some(latest) = (0..system.len()).max_by_key(|&i| system[i].log.undo_next) {
        if rollback::with_room(db, || rollback::undo_one(&mut system[latest]))? {
            continue;
        }
        let mut done = system.swap_remove(latest);
        rollback::with_room(db, || rollback::finish_rollback(&mut done, &mut []))?;
    }
    // Where redo and undo had nothing to do, memory has at most what a handle before has left of a database that was closed in order.
    if !nothing_redone {
        db.disown_free_pages()?;
    }
    for mut work in at_once {
        rollback::with_room(db, || rollback::finish_rollback(&mut work, &mut []))?;
        db.free_orphans();
    }
    for (log, entry, locked) in later {
        let instance = db.instance();
        let mut locks = instance.locks.owner(RECOVERY_SESSION, OwnerKind::Transaction);
        match lock_again(db, &mut locks, &locked) {
            Ok(()) => {
                db.recovering.lock().take_over(instance, Waiting::new(log, entry, locks));
            }
            Err(e) => {
                instance.locks.release_all(&mut locks);
                // Two hashes of different rows that are equal: one of the transactions is undone before anybody can see it.
                if !matches!(e, StorageError::Lock(_)) {
                    return Err(e);
                }
                let mut work = Work::recovered(db.clone(), log, entry);
                rollback::with_room(db, || rollback::finish_rollback(&mut work, &mut []))?;
            }
        }
    }
    Ok(())
}

/// Shows how far a phase of recovery is, in `sys.dm_exec_requests`, where a session of the server's own runs it.
pub(super) fn show_progress(done: u64, of: u64) {
    let hundredths = (u128::from(done.min(of)) * 10_000 / u128::from(of.max(1))) as u32;
    with_current(|cell| cell.percent_complete.store(hundredths.min(9_999), Ordering::Relaxed));
}

fn lock_again(db: &Arc<Database>, locks: &mut TxLockState, locked: &Locked) -> StorageResult<()> {
    let manager = &db.instance().locks;
    let mut take = |resource: Resource, mode: LockMode| -> StorageResult<()> {
        manager.acquire(locks, resource, mode, Some(Duration::ZERO))?;
        Ok(())
    };
    let mode = if locked.whole { LockMode::X } else { LockMode::IX };
    for &id in &locked.hobts {
        take(*db.hobt(id)?.object_lock(), mode)?;
    }
    for &(hobt, name) in &locked.rows {
        match name {
            RowName::Key(hash) => take(Resource::key(db.id(), hobt, hash), LockMode::X)?,
            RowName::Rid(page, slot) => {
                take(Resource::rid(db.id(), page, slot), LockMode::X)?;
                if let Some(home) = home_of(db, page, slot)? {
                    take(Resource::rid(db.id(), home.page, home.slot), LockMode::X)?;
                }
            }
        }
    }
    Ok(())
}

/// The home of a row of a heap that was moved here.
fn home_of(db: &Database, page: PageId, slot: u16) -> StorageResult<Option<Rid>> {
    let page = db.pool().read(&db.store, page)?;
    if !page.has_row(slot.into()) {
        return Ok(None);
    }
    let row = page.row(slot.into());
    let moved = row.first().is_some_and(|f| f & FORWARDED != 0);
    let home = row.get(1..9).and_then(|b| b.try_into().ok()).map(Rid::from_bytes);
    Ok(home.filter(|_| moved))
}

impl Database {
    /// True while transactions that a restart found are still to be undone: see [`Database::finish_recovery`].
    pub fn is_undoing(&self) -> bool {
        !self.recovering.lock().losers.is_empty()
    }

    /// True for the first who asks while [`Database::finish_recovery`] has to be called.
    pub fn claim_recovery(&self) -> bool {
        self.undo_is_due() && self.unrecovered.swap(false, Ordering::AcqRel)
    }

    /// The opposite of [`Database::claim_recovery`]: who claimed it found no thread for it.
    pub fn unclaim_recovery(&self) {
        self.unrecovered.store(true, Ordering::Release);
    }

    /// Undoes some records of the transactions that restart found. False: nothing is left to be undone. An error that
    /// [is only want of room](StorageError::is_want_of_room) leaves everything as it is, to be tried again.
    pub fn undo_step(self: &Arc<Self>, records: usize) -> StorageResult<bool> {
        let mut recovering = self.recovering.lock();
        if recovering.losers.is_empty() {
            return Ok(false);
        }
        let result = self.store.check().and_then(|()| self.undo_some(&mut recovering, records));
        match &result {
            Ok(()) => self.undo_goes_on(),
            Err(e) if e.is_want_of_room() => {}
            Err(e) => {
                self.store.mark_suspect(format!("undo failed: {e}"));
                let e = SqlError::new(3414, &[&self.name(), &self.id(), &0]);
                let (database, text) = (self.id(), e.message);
                EventRing::global().push(Event::RecoveryMessage { database, text });
                // Who gets these locks sees that the database is suspect before he sees a row.
                recovering.let_go();
            }
        }
        result?;
        Ok(!recovering.losers.is_empty())
    }

    fn undo_some(
        self: &Arc<Self>,
        recovering: &mut Recovering,
        records: usize,
    ) -> StorageResult<()> {
        let Some(loser) = recovering.losers.last_mut() else { return Ok(()) };
        let _giving_back = self.giving_back();
        let log = std::mem::take(&mut loser.log);
        let mut work = Work::recovered(self.clone(), log, loser.entry.clone());
        let mut more = true;
        let mut result = Ok(());
        for _ in 0..records {
            match rollback::with_room(self, || rollback::undo_one(&mut work)) {
                Ok(true) => {}
                Ok(false) => {
                    more = false;
                    break;
                }
                Err(e) => {
                    result = Err(e);
                    break;
                }
            }
        }
        if more || result.is_err() {
            loser.log = std::mem::take(&mut work.log);
            return result;
        }
        let ended = rollback::with_room(self, || rollback::finish_rollback(&mut work, &mut []));
        if ended.is_err() {
            loser.log = std::mem::take(&mut work.log);
            return ended;
        }
        self.store.counters.transactions.inc();
        if let Some(mut ended) = recovering.losers.pop() {
            recovering.done += ended.from.since(ended.entry.first_bound.min(ended.from));
            self.instance.locks.release_all(&mut ended.locks);
        }
        self.free_orphans();
        Ok(())
    }

    /// Ends recovery: undoes what is left, frees what deferred drops have left, and tells the error log. Run by a thread of the engine
    /// after [`Database::open_deferred`]. False: the database is being closed, and the next restart goes on; or there was no room
    /// ([`super::later`]), and [`Database::claim_recovery`] will say when to come again.
    pub fn finish_recovery(self: &Arc<Self>) -> StorageResult<bool> {
        self.unrecovered.store(false, Ordering::Release);
        let clock = &self.instance.env.clock;
        let began = clock.monotonic();
        let mut told = began;
        loop {
            match self.undo_step(STEP) {
                Ok(true) => {}
                Ok(false) => break,
                Err(e) if e.is_want_of_room() => {
                    self.undo_waits_for(&e);
                    return Ok(false);
                }
                Err(e) => return Err(e),
            }
            if self.stopping.load(Ordering::Acquire) {
                return Ok(false);
            }
            let now = clock.monotonic();
            let (done, span) = self.undone();
            show_progress(done, span);
            if now.saturating_sub(told) >= TELL_EVERY {
                told = now;
                self.tell_progress(3, done, span, now.saturating_sub(began));
            }
        }
        // Closed while the last step was waited for: what was left is left to the next restart.
        if self.store.check().is_err() {
            return Ok(false);
        }
        self.free_orphans();
        let now = clock.monotonic();
        let mut recovering = self.recovering.lock();
        recovering.report.undo += now.saturating_sub(began);
        let report = recovering.report.clone();
        let told = std::mem::replace(&mut recovering.told, true);
        drop(recovering);
        if !told && report.redone + report.rolled_back > 0 {
            self.tell_completed(&report);
            let at = (now + SETTLE_AFTER).as_millis() as u64;
            self.settle_at.store(at.max(1), Ordering::Release);
        }
        Ok(true)
    }

    /// Makes [`Database::finish_recovery`] return soon: before a shutdown waits for its thread.
    pub fn stop_recovery(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    pub(super) fn note_recovery(&self, report: &RecoveryReport) {
        self.recovering.lock().report = report.clone();
        self.unrecovered.store(true, Ordering::Release);
    }

    /// The report of the last restart, with its undo as far as that has got.
    pub fn recovery_report(&self) -> RecoveryReport {
        self.recovering.lock().report.clone()
    }

    /// True once, when the checkpoint after a recovery is due.
    pub(super) fn settling_is_due(&self) -> bool {
        let at = self.settle_at.load(Ordering::Acquire);
        at != 0
            && self.instance.env.clock.monotonic().as_millis() as u64 >= at
            && self.settle_at.swap(0, Ordering::AcqRel) != 0
    }

    /// How much of the log that is to be undone has been, of how much.
    fn undone(&self) -> (u64, u64) {
        let recovering = self.recovering.lock();
        let now: u64 = recovering
            .losers
            .iter()
            .map(|l| l.from.since(l.entry.first_bound.min(l.from)).saturating_sub(l.left()))
            .sum();
        (recovering.done + now, recovering.span.max(1))
    }

    /// Message 3450: so much of a phase is done after so long.
    pub(super) fn tell_progress(&self, phase: u8, done: u64, of: u64, passed: Duration) {
        let done = done.min(of);
        // How much there is to do is an estimate until it is done.
        let percent = (done * 100 / of.max(1)).min(99);
        let remain = passed.as_secs_f64() * (of - done) as f64 / done.max(1) as f64;
        let remain = remain.min(1e9) as u64;
        let e = SqlError::new(3450, &[&self.name(), &self.id(), &percent, &remain, &phase]);
        EventRing::global().push(Event::RecoveryMessage { database: self.id(), text: e.message });
    }

    fn tell_completed(&self, r: &RecoveryReport) {
        let ms = |d: Duration| d.as_millis() as u64;
        let total = r.analysis + r.redo + r.system_undo + r.undo;
        let e = SqlError::new(
            3421,
            &[
                &self.name(),
                &self.id(),
                &total.as_secs(),
                &ms(r.analysis),
                &ms(r.redo),
                &ms(r.system_undo + r.undo),
                &ms(r.system_undo),
                &ms(r.undo),
                &0,
                &1,
                &0,
            ],
        );
        for (number, count) in [(3407, r.rolled_back)] {
            if count > 0 {
                let e = SqlError::new(number, &[&count, &self.name(), &self.id(), &0]);
                let (database, text) = (self.id(), e.message);
                EventRing::global().push(Event::RecoveryMessage { database, text });
            }
        }
        EventRing::global().push(Event::RecoveryMessage { database: self.id(), text: e.message });
    }
}
