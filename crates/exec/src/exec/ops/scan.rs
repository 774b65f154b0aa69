//! Scans and seeks of tables.

mod by_snapshot;
mod marked;
mod moved;
mod raw;

use super::row::{note, passes, read_again, read_all, take};
use super::{Operator, seek};
use crate::binder::TableUse;
use crate::catalog::{Escalation, Index, IndexKind, is_temp};
use crate::exec::cursor::RowMark;
use crate::exec::runtime::Rt;
use crate::plan::locking::{Isolation, Patience, Reads, Rejected, RowMode, TableSample};
use crate::plan::node::{Access, Scan};
use crate::rowcodec::key::read_entry;
use crate::session::Session;
pub(crate) use by_snapshot::claim;
pub(super) use by_snapshot::{err, version_gone};
use marked::{ranges_from, start_at};
use moved::{MOVED_TRIES, Place, moved_on, place_of};
use std::collections::HashSet;
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::pages;
use taffrail_storage::btree::BTreeCursor;
use taffrail_storage::heap::HeapCursor;
use taffrail_storage::lock::{Granted, LockMode};
use taffrail_storage::{
    Direction, Hobt, KeyRange, Operation, Rid, Sample, ScanLocks, StorageError, Transaction, btree,
    heap,
};

/// Locks the tables that a statement names, one that it names more than once in the mode that serves all.
///
/// False where the transaction had every lock before: nobody else has changed these tables since, so a plan that was current still is.
pub fn lock_tables(session: &mut Session, uses: &[TableUse]) -> SqlResult<bool> {
    let (isolation, id) = (session.activation.options.isolation, session.id);
    let mut new = false;
    let (mut by_snapshot, mut looks) = (false, false);
    for same in uses.chunk_by(|a, b| a.key() == b.key()) {
        let (database, table) = (&same[0].database, &same[0].table);
        let level = session.level(database, table);
        let mut mode = LockMode::SchS;
        let mut at_once = false;
        for u in same {
            u.locks.check(isolation)?;
            mode = mode.with(u.locks.table_mode(level, u.heap));
            at_once |= u.locks.patience() == Patience::Refuses;
            by_snapshot |= Session::needs_snapshot(u.locks, level);
        }
        session.note_table(same, level);
        looks |= !database.is_temporary();
        let table = table.id();
        let tx = session.transaction_in(database)?;
        let lock = |tx: &mut Transaction| database.catalog.lock_table(tx, id, table, mode);
        let granted = if at_once { tx.without_waiting(lock)? } else { lock(tx)? };
        if same[0].table.head.escalation == Escalation::Disable {
            tx.locks_mut().keep_rows(&database.catalog.object_resource(table));
        }
        new |= granted != Granted::Held;
    }
    if by_snapshot {
        session.take_snapshot(uses)?;
        session.note_snapshot(uses);
    }
    session.transaction.read_otherwise |= looks && isolation != Isolation::Snapshot;
    Ok(new)
}

/// A scan or seek begins, as SET STATISTICS IO counts it: all but those that look for one whole unique key, and for nothing else.
#[cold]
fn note_scan(scan: &Scan, index: &Index, one: bool) {
    let sought = match &scan.access {
        Access::Clustered(_, seek) | Access::Nonclustered(_, seek) if seek.then.len() < 2 => {
            seek.equal.len() + seek.then.len()
        }
        _ => 0,
    };
    let whole = one && sought >= index.key.columns().len();
    let database = scan.database.storage.id();
    pages::touched(database.0, index.hobt_id.0, |p| p.scans += u64::from(!whole));
}

enum Cursor {
    Closed,
    Heap(HeapCursor),
    Clustered(BTreeCursor),
    Nonclustered(BTreeCursor),
    /// The row that a cursor's mark leads to, once.
    Marked(Option<RowMark>),
}

/// How sure a scan may be that a large value which its row refers to is still there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Large {
    /// The row or the table is locked.
    Kept,
    /// READ COMMITTED: the row is a copy. Where its values have gone, it is read again under its lock.
    Copied,
    /// NOLOCK: where they have gone the scan ends with 601.
    Dirty,
    /// A snapshot: they are kept for it, unless it has been ended.
    OfSnapshot,
}

/// A scan that runs.
pub(crate) struct ScanOp {
    scan: Arc<Scan>,
    cursor: Cursor,
    locks: ScanLocks,
    /// The locks on the keys of the index, where its ranges are to stay as they are.
    ranges_locked: Option<ScanLocks>,
    large: Large,
    /// The lock that rows of a snapshot get which the statement wants.
    claims: Option<LockMode>,
    /// What becomes of locks on rows that do not qualify.
    rejects: Rejected,
    /// The nonclustered index holds all columns that are wanted: their places in its rows.
    covered: Option<Vec<(usize, u32)>>,
    row: Vec<u8>,
    /// Of that row.
    locator: Vec<u8>,
    /// It goes against the order in which the query reads the index: see [`ScanStart`].
    turned: bool,
    /// What the seek has not come to yet, the next one last.
    ranges: Vec<KeyRange>,
    /// Rows that others have moved within what is sought, after their entries were read: each is given once.
    moved: HashSet<Vec<u8>>,
    /// The call of the statement that it was read in last: see [`StatementState::turn`].
    ///
    /// [`StatementState::turn`]: crate::exec::runtime::StatementState::turn
    turn: u32,
    /// The pages that TABLESAMPLE takes, once it is open: the same ones each time that it is opened.
    sample: Option<Sample>,
}

impl ScanOp {
    pub fn new(scan: &Arc<Scan>) -> ScanOp {
        let covered = match &scan.access {
            // What is to be locked is the row, and large values are read where it is.
            Access::Nonclustered(index, _)
                if scan.locator.is_none()
                    && scan.parts.is_empty()
                    && scan.locks.mode == RowMode::Shared =>
            {
                scan.columns
                    .iter()
                    .map(|(c, s)| index.covers(*c).map(|at| (at, *s)))
                    .collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        ScanOp {
            scan: scan.clone(),
            cursor: Cursor::Closed,
            locks: ScanLocks::None,
            ranges_locked: None,
            large: Large::Kept,
            claims: None,
            rejects: Rejected::Kept,
            covered,
            row: Vec::new(),
            locator: Vec::new(),
            turned: false,
            ranges: Vec::new(),
            moved: HashSet::new(),
            turn: 0,
            sample: None,
        }
    }

    /// Chooses the pages of TABLESAMPLE.
    #[cold]
    fn choose_sample(&mut self, rt: &mut Rt<'_>, asked: TableSample) {
        if self.sample.is_some() {
            return;
        }
        let seed = asked.seed.map_or_else(
            || {
                let mut bytes = [0; 8];
                rt.cx.session.instance.options().env.entropy.fill(&mut bytes);
                u64::from_le_bytes(bytes)
            },
            |seed| seed as u64,
        );
        self.sample = Some(Sample::new(asked.share(self.scan.table.row_count()), seed));
    }

    /// The locks on the keys of a clustered index, or of any index whose ranges are locked.
    fn key_locks(&self) -> ScanLocks {
        self.ranges_locked.unwrap_or(self.locks)
    }

    /// How rows are read and locked, at the session's level and by the snapshots that are there.
    fn choose_locks(&mut self, rt: &mut Rt<'_>) {
        let scan = &*self.scan;
        let level = rt.cx.session.scan_level(&scan.database, &scan.table);
        let isolation = level.isolation;
        self.locks = scan.locks.rows(level, scan.reads_heap());
        self.claims = scan.locks.claims(level);
        rt.claims |= scan.locks.target && scan.locks.reads(level) == Reads::OfTransaction;
        self.ranges_locked = scan.locks.ranges(isolation);
        self.large = match self.locks {
            ScanLocks::ReadCommitted => Large::Copied,
            ScanLocks::Versions => Large::OfSnapshot,
            ScanLocks::None if scan.locks.is_dirty(isolation) => Large::Dirty,
            _ => Large::Kept,
        };
        let keeps = matches!(self.locks, ScanLocks::Update | ScanLocks::Exclusive);
        self.rejects = if keeps { scan.locks.rejects(isolation) } else { Rejected::Kept };
    }

    /// Puts the cursor on a part of the index that the scan reads.
    fn seek(&mut self, rt: &mut Rt<'_>, range: KeyRange) -> SqlResult<()> {
        let scan = &*self.scan;
        let (Access::Clustered(index, _) | Access::Nonclustered(index, _)) = &scan.access else {
            return Ok(());
        };
        let counters = scan.database.storage.counters();
        counters.index_searches.inc();
        let one = index.unique && range.lower.is_some() && range.lower == range.upper;
        if !one {
            counters.range_scans.inc();
        }
        if pages::are_watched() {
            note_scan(scan, index, one);
        }
        let clustered = matches!(scan.access, Access::Clustered(..));
        // The rows are locked where they are read; their entries only while they are read, unless what is
        // read must stay as it is.
        let locks = match self.locks {
            _ if self.ranges_locked.is_some() => self.key_locks(),
            locks if clustered => locks,
            ScanLocks::None | ScanLocks::Shared | ScanLocks::Versions => self.locks,
            _ => ScanLocks::ReadCommitted,
        };
        let hobt = index.hobt()?;
        let operation = if one { Operation::SingletonLookup } else { Operation::RangeScan };
        rt.cx.session.part(scan.database.id).count(hobt, operation);
        match &mut self.cursor {
            Cursor::Clustered(c) | Cursor::Nonclustered(c)
                if c.is_of(hobt) && scan.image.is_none() =>
            {
                c.again(range, locks);
                return Ok(());
            }
            _ => {}
        }
        let cursor = btree::seek(hobt, range, self.direction(), locks);
        self.cursor =
            if clustered { Cursor::Clustered(cursor) } else { Cursor::Nonclustered(cursor) };
        Ok(())
    }

    /// The direction in which the index is read.
    fn direction(&self) -> Direction {
        match self.scan.backward != self.turned {
            true => Direction::Backward,
            false => Direction::Forward,
        }
    }

    /// Goes on to the next range that is sought; false: there is none.
    #[cold]
    fn next_range(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        let Some(range) = self.ranges.pop() else { return Ok(false) };
        rt.ends_part();
        self.seek(rt, range)?;
        Ok(true)
    }

    /// The statement was left and is taken up again: its cursor looks whether what it has read is still so.
    #[cold]
    fn go_on(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.turn = rt.turn;
        let scan = &*self.scan;
        let level = rt.cx.session.scan_level(&scan.database, &scan.table);
        if self.locks == ScanLocks::Versions && scan.locks.reads(level) == Reads::Current {
            // The database has no versions any more.
            return Err(SqlError::new(16943, &[]));
        }
        let tx = rt.cx.session.part(scan.database.id);
        match &mut self.cursor {
            Cursor::Closed | Cursor::Marked(_) => {}
            Cursor::Heap(c) => c.go_on(tx).map_err(|e| err(rt, scan, e))?,
            Cursor::Clustered(c) | Cursor::Nonclustered(c) => {
                c.go_on(tx).map_err(|e| err(rt, scan, e))?;
            }
        }
        Ok(())
    }

    /// The row that is wanted is locked, and is as the snapshot has it: 3960.
    #[cold]
    fn claim(&mut self, rt: &mut Rt<'_>, mode: LockMode) -> SqlResult<()> {
        let locator = match &self.cursor {
            Cursor::Heap(c) => c.rid().to_bytes().to_vec(),
            Cursor::Clustered(c) => c.key().to_vec(),
            Cursor::Nonclustered(_) | Cursor::Marked(_) => self.locator.clone(),
            Cursor::Closed => return Ok(()),
        };
        let scan = &*self.scan;
        claim(rt.cx.session, &scan.database, &scan.table, &locator, (mode, scan.locks.patience()))
    }
}

/// A scan of all rows begins: it is counted, and told where somebody watches.
fn note_full_scan(rt: &mut Rt<'_>, scan: &Scan, base: &Index) -> SqlResult<()> {
    scan.database.storage.counters().full_scans.inc();
    if pages::are_watched() {
        note_scan(scan, base, false);
    }
    rt.cx.session.part(scan.database.id).count(base.hobt()?, Operation::RangeScan);
    Ok(())
}

impl Operator for ScanOp {
    fn open(&mut self, rt: &mut Rt<'_>) -> SqlResult<()> {
        self.turn = rt.turn;
        self.choose_locks(rt);
        if let Some(asked) = self.scan.sample {
            self.choose_sample(rt, asked);
        }
        self.moved.clear();
        let (scan, rejects) = (&*self.scan, self.rejects);
        let keeps = matches!(self.locks, ScanLocks::Update | ScanLocks::Exclusive);
        let tx = rt.cx.session.transaction_in(&scan.database)?;
        debug_assert!(
            self.ranges_locked.is_none()
                || !scan.reads_heap()
                || tx.has_locked(scan.table.id(), LockMode::S),
            "nobody inserts into a heap that is read under SERIALIZABLE"
        );
        if rejects != Rejected::Kept && scan.locks.looks() {
            let held = tx.locks_held();
            rt.locked_from.get_or_insert((held, rejects == Rejected::Shared));
        }
        let stays = match self.locks {
            ScanLocks::Shared => Some(Rejected::Shared),
            _ => (keeps && !scan.locks.looks()).then_some(Rejected::Kept),
        };
        rt.keep(scan.table.id(), stays);
        let start = match scan.image {
            Some(_) => rt.cx.session.held.cursors.reading.start.take(),
            None => None,
        };
        self.turned = start.as_ref().is_some_and(|s| s.turned);
        let direction = self.direction();
        debug_assert!(
            !is_temp(scan.table.name()) || {
                let owner = rt.cx.session.ddl_owner(&scan.database);
                let now = scan.database.catalog.table(scan.table.id(), owner);
                now.is_some_and(|now| Arc::ptr_eq(&now, &scan.table))
            },
            "a plan is run on the temp tables that its names mean"
        );
        let base = scan.table.base();
        if matches!(scan.access, Access::Full) {
            note_full_scan(rt, scan, base)?;
        }
        self.cursor = match &scan.access {
            Access::Full if base.kind == IndexKind::Heap => {
                Cursor::Heap(heap::scan(base.hobt()?, self.locks).of_sample(self.sample))
            }
            Access::Full => {
                let range = start_at(KeyRange::default(), start.as_ref(), direction);
                let range = range.unwrap_or_default();
                let cursor = btree::seek(base.hobt()?, range, direction, self.key_locks());
                Cursor::Clustered(cursor.of_sample(self.sample))
            }
            Access::Marked(n) => Cursor::Marked(rt.cx.session.held.cursors.mark(*n)),
            Access::Clustered(index, seek) | Access::Nonclustered(index, seek) => {
                self.ranges.clear();
                seek::ranges(rt, index, seek, &mut self.ranges)?;
                if start.is_some() {
                    ranges_from(&mut self.ranges, start.as_ref(), direction);
                }
                if direction == Direction::Forward {
                    self.ranges.reverse();
                }
                match self.ranges.pop() {
                    None => Cursor::Closed,
                    Some(range) => return self.seek(rt, range),
                }
            }
        };
        Ok(())
    }

    fn next(&mut self, rt: &mut Rt<'_>) -> SqlResult<bool> {
        if self.turn != rt.turn {
            self.go_on(rt)?;
        }
        if let Cursor::Marked(mark) = &mut self.cursor {
            let Some(mark) = mark.take() else { return Ok(false) };
            return self.next_marked(rt, &mark);
        }
        let patience = self.scan.locks.patience();
        loop {
            rt.tick()?;
            let scan = &*self.scan;
            let tx = rt.cx.session.part(scan.database.id);
            let mut locked = None;
            let qualifies;
            match &mut self.cursor {
                Cursor::Closed | Cursor::Marked(_) => return Ok(false),
                Cursor::Heap(c) => {
                    let found = match patience.read(tx, |tx| c.next(tx)) {
                        Err(e) if patience.skips(&e) => continue,
                        Err(e @ StorageError::Lock(_)) => {
                            c.step_back();
                            return Err(err(rt, scan, e));
                        }
                        found => found,
                    };
                    if self.rejects != Rejected::Kept {
                        locked = tx.take_row_lock();
                    }
                    let Some((rid, row)) = found.map_err(|e| err(rt, scan, e))? else {
                        return Ok(false);
                    };
                    let rid = rid.to_bytes();
                    let (layout, columns) = (&scan.table.layout, &scan.columns);
                    qualifies = match take(rt, scan, layout, row, columns, self.large)? {
                        Some(passes) => {
                            note(rt, scan, passes, &rid, row);
                            passes
                        }
                        None if !read_again(rt, scan, &rid, &mut self.row)? => continue,
                        None => passes(rt, scan)?,
                    };
                }
                Cursor::Clustered(c) => {
                    let found = match patience.read(tx, |tx| c.next(tx)) {
                        Err(e) if patience.skips(&e) => continue,
                        Err(e @ StorageError::Lock(_)) => {
                            c.step_back();
                            return Err(err(rt, scan, e));
                        }
                        found => found,
                    };
                    if self.rejects != Rejected::Kept {
                        locked = tx.take_row_lock();
                    }
                    let Some((key, row)) = found.map_err(|e| err(rt, scan, e))? else {
                        if self.next_range(rt)? {
                            continue;
                        }
                        return Ok(false);
                    };
                    let (layout, columns) = (&scan.table.layout, &scan.columns);
                    qualifies = match take(rt, scan, layout, row, columns, self.large)? {
                        Some(passes) => {
                            note(rt, scan, passes, key, row);
                            passes
                        }
                        None if !read_again(rt, scan, key, &mut self.row)? => continue,
                        None => passes(rt, scan)?,
                    };
                }
                Cursor::Nonclustered(c) => {
                    let found = match patience.read(tx, |tx| c.next(tx)) {
                        Err(e) if patience.skips(&e) => continue,
                        Err(e @ StorageError::Lock(_)) => {
                            c.step_back();
                            return Err(err(rt, scan, e));
                        }
                        found => found,
                    };
                    let Some((_, value)) = found.map_err(|e| err(rt, scan, e))? else {
                        if self.next_range(rt)? {
                            continue;
                        }
                        return Ok(false);
                    };
                    let (locator, covered) = read_entry(value)?;
                    if let Some(columns) = &self.covered {
                        let Access::Nonclustered(index, _) = &scan.access else {
                            unreachable!("only such a scan has this cursor");
                        };
                        // Such rows have no large values.
                        let (layout, large) = (&index.covered_layout, Large::Kept);
                        qualifies = take(rt, scan, layout, covered, columns, large)? == Some(true);
                    } else {
                        // It was moved on from an entry that was read before.
                        if !self.moved.is_empty() && self.moved.contains(locator) {
                            continue;
                        }
                        self.locator.clear();
                        self.locator.extend_from_slice(locator);
                        if scan.image.is_some() {
                            rt.cx.session.held.cursors.reading.note_entry(c.key());
                        }
                        let base = scan.table.base().hobt()?;
                        let tx = rt.cx.session.part(scan.database.id);
                        tx.count(base, Operation::SingletonLookup);
                        let (locator, row, locks) = (&mut self.locator, &mut self.row, self.locks);
                        let there = patience.read(tx, |tx| {
                            let mut tries = MOVED_TRIES;
                            loop {
                                let there = fetch(tx, base, locator, locks, row)?;
                                if there || !moved_on(tx, scan, c, (locks, &mut tries), locator)? {
                                    return Ok(there);
                                }
                            }
                        });
                        let locator = &self.locator[..];
                        if there.as_ref().is_err_and(|e| patience.skips(e)) {
                            continue;
                        }
                        if matches!(there, Err(StorageError::Lock(_))) {
                            c.step_back();
                        }
                        if self.rejects != Rejected::Kept {
                            locked = tx.take_row_lock();
                        }
                        // Gone since its entry was read.
                        if !there.map_err(|e| err(rt, scan, e))? {
                            continue;
                        }
                        let (layout, columns) = (&scan.table.layout, &scan.columns);
                        let taken = match c.is_current(rt.cx.session.part(scan.database.id)) {
                            true => take(rt, scan, layout, &self.row, columns, self.large)?,
                            false => None,
                        };
                        qualifies = match taken {
                            Some(passes) => {
                                note(rt, scan, passes, locator, &self.row);
                                passes
                            }
                            // Whose row it is now is to be looked at, or where its large values are.
                            None => {
                                note(rt, scan, true, locator, &self.row);
                                let all = read_all(rt, scan, layout, &self.row, self.large)?;
                                if !all && !read_again(rt, scan, locator, &mut self.row)? {
                                    continue;
                                }
                                let tx = rt.cx.session.part(scan.database.id);
                                let place = match c.is_current(tx) {
                                    true => Place::Here,
                                    false => place_of(rt, scan, c, &self.locator, &self.row)?,
                                };
                                if place == Place::Within {
                                    self.moved.insert(self.locator.clone());
                                }
                                place != Place::Elsewhere && passes(rt, scan)?
                            }
                        };
                    }
                }
            }
            if qualifies {
                if let Some(mode) = self.claims {
                    self.claim(rt, mode)?;
                }
                return Ok(true);
            }
            if let Some(lock) = locked {
                let shared = self.rejects == Rejected::Shared;
                rt.cx.session.part(scan.database.id).release_row(&lock, shared);
            }
        }
    }
}

/// Reads the row behind a locator: a RID of a heap, the key of a clustered index.
pub(crate) fn fetch(
    tx: &mut Transaction,
    base: &Arc<Hobt>,
    locator: &[u8],
    locks: ScanLocks,
    row: &mut Vec<u8>,
) -> Result<bool, StorageError> {
    match base.kind() {
        taffrail_storage::HobtKind::Heap => {
            let bytes = locator.try_into().map_err(|_| StorageError::RowNotFound)?;
            heap::fetch(tx, base, Rid::from_bytes(bytes), locks, row)
        }
        taffrail_storage::HobtKind::BTree => btree::get(tx, base, locator, locks, row),
    }
}
