//! What a session has learned inside of the server that is not durable yet, and what waits for it.
//!
//! With PIPELINED_COMMIT a commit lets go of its locks before its record is durable. Whoever reads what it has left depends on it. Nothing
//! that depends on it may leave the server first: no row, message or DONE, no record of a commit in another database, and nothing that
//! works outside of the log.
//!
//! ```text
//! statement reads a table      ─► touch(database)          what is released there when the answer leaves
//!           reads a snapshot   ─► as_of_now(database)      what was released when the snapshot was taken
//!           anything else      ─► learn()                  what is released anywhere when the answer leaves
//! bytes for the client, a barrier ─► pass()                waits for all of it
//! the answer has left          ─► answered()               nothing is depended upon any more
//! ```
//! 1. Databases are noted before they are read, positions are asked for after: so they cover all that was read.
//! 2. Where it is not known what a statement reads, it reads everything.
//! 3. A commit that was lost ends the sessions that may know of it (9001), and no others.

use super::Session;
use crate::binder::TableUse;
use crate::catalog::is_temp;
use crate::catalog::registry::FLAG_PIPELINED_COMMIT;
use crate::database::Database;
use crate::exec::module::StmtKind;
use crate::plan::locking::{Isolation, Level, Reads, RowMode};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use taffrail_base::{DatabaseId, SqlResult};
pub use taffrail_storage::{Outlet, RunAhead};
use taffrail_storage::{Promised, StorageInstance};

/// The number of the last database that is not a user's.
const LAST_SYSTEM_DATABASE: u16 = 4;

/// The commits that a session depends on. Used by the session's thread alone, on both sides of the wire.
pub struct Promises {
    storage: Arc<StorageInstance>,
    /// It may have learned anything.
    all: AtomicBool,
    /// Databases that were read, a bit for each of the first 64.
    touched: AtomicU64,
    /// Commits that snapshots show, the last of each database.
    shown: parking_lot::Mutex<SmallVec<[Promised; 2]>>,
    /// The last failure before it began to learn: see [`taffrail_storage::Pipelines::settle`].
    known: AtomicU64,
}

impl Promises {
    /// A session that is about to log in: it may have learned anything.
    pub(crate) fn new(storage: &Arc<StorageInstance>) -> Arc<Promises> {
        Arc::new(Promises {
            storage: storage.clone(),
            all: AtomicBool::new(true),
            touched: AtomicU64::new(0),
            shown: Default::default(),
            known: AtomicU64::new(storage.pipelines.failures()),
        })
    }

    /// Tables of a database are going to be read as they are.
    #[inline]
    pub(crate) fn touch(&self, database: DatabaseId) {
        match 1_u64.checked_shl(database.0.into()) {
            Some(bit) => self.touched.store(self.touched.load(Relaxed) | bit, Relaxed),
            None => self.learn(),
        }
    }

    /// Everything may be read from now on.
    #[inline]
    pub fn learn(&self) {
        self.all.store(true, Relaxed);
    }

    /// A snapshot of a database has been taken: it shows no commit that is released from now on.
    #[inline]
    pub(crate) fn as_of_now(&self, database: DatabaseId) {
        if !self.storage.pipelines.are_unused() {
            let mut shown = self.shown.lock();
            for (pipeline, pos) in self.storage.pipelines.promised(|id| id == database) {
                match shown.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &pipeline)) {
                    Some((_, last)) => *last = pos.max(*last),
                    None => shown.push((pipeline, pos)),
                }
            }
        }
    }

    /// Waits until everything that the session may have learned is durable: 9001 if some of it is lost.
    #[inline]
    pub fn pass(&self) -> SqlResult<()> {
        if self.storage.pipelines.are_unused() { Ok(()) } else { self.settle(None) }
    }

    /// Waits before the session commits something in a database, which would be there after a crash without what it depends on.
    #[inline]
    pub(crate) fn before_commit(&self, database: DatabaseId) -> SqlResult<()> {
        match self.storage.pipelines.are_unused() {
            true => Ok(()),
            false => self.settle(Some(database)),
        }
    }

    /// Waits before something that works outside of the log, whatever it reads.
    pub fn barrier(&self) -> SqlResult<()> {
        self.learn();
        self.pass()
    }

    #[cold]
    fn settle(&self, but: Option<DatabaseId>) -> SqlResult<()> {
        let pipelines = &self.storage.pipelines;
        let (all, touched) = (self.all.load(Relaxed), self.touched.load(Relaxed));
        let has = |id: DatabaseId| 1_u64.checked_shl(id.0.into()).is_some_and(|b| touched & b != 0);
        let mut promised = pipelines.promised(|id| Some(id) != but && (all || has(id)));
        let others = |p: &&Promised| Some(p.0.database()) != but;
        promised.extend(self.shown.lock().iter().filter(others).cloned());
        pipelines.settle(&promised, self.known.load(Relaxed)).map_err(|e| e.to_sql())?;
        if but.is_none() {
            self.shown.lock().clear();
        }
        Ok(())
    }

    /// A request begins. Where all answers before have left, it learns nothing of failures that are known by now.
    #[inline]
    pub(crate) fn begins(&self) {
        if !self.storage.pipelines.are_unused()
            && !self.all.load(Relaxed)
            && self.touched.load(Relaxed) == 0
            && self.shown.lock().is_empty()
        {
            self.known.store(self.storage.pipelines.failures(), Relaxed);
        }
    }

    /// Everything that was told has left, and it was durable: the session depends on nothing.
    pub fn answered(&self) {
        self.all.store(false, Relaxed);
        self.touched.store(0, Relaxed);
        self.known.store(self.storage.pipelines.failures(), Relaxed);
        self.shown.lock().clear();
    }
}

impl Session {
    /// A statement is about to run: what it may learn beside tables, and what waits because it works outside of the log. Each kind of
    /// statement has its line here.
    pub(crate) fn note_statement(&mut self, kind: &StmtKind) -> SqlResult<()> {
        if self.transaction.count == 0 && !self.running.in_statement {
            self.transaction.waits = false;
        }
        match kind {
            // Their tables, views and modules say it themselves.
            StmtKind::Select(_)
            | StmtKind::Insert(_)
            | StmtKind::Update(_)
            | StmtKind::Delete(_)
            | StmtKind::Merge(_)
            | StmtKind::Execute(_)
            | StmtKind::InsertExec(..) => Ok(()),
            // Expressions: their subqueries and functions say it. What the catalogue shows was durable before it showed it.
            StmtKind::Declare(_)
            | StmtKind::Set(..)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::Block(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Result(_)
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::TryCatch(..)
            | StmtKind::Print(_)
            | StmtKind::RaisError { .. }
            | StmtKind::Throw(_)
            | StmtKind::SetSwitches(..)
            | StmtKind::SetIsolation(_)
            | StmtKind::SetIdentityInsert(..)
            | StmtKind::SetValue(..)
            | StmtKind::Use(_)
            | StmtKind::Unsupported(_) => Ok(()),
            // A commit says which databases it was in.
            StmtKind::Begin(..)
            | StmtKind::Commit(_)
            | StmtKind::Rollback(_)
            | StmtKind::Save(_) => Ok(()),
            // Rows of a cursor may have been read before.
            StmtKind::DeclareCursor(_)
            | StmtKind::SetCursor(..)
            | StmtKind::OpenCursor(_)
            | StmtKind::Fetch(_)
            | StmtKind::CloseCursor(_)
            | StmtKind::DeallocateCursor(_) => {
                self.promises.learn();
                Ok(())
            }
            // Others see that time passes, a session ends, files change.
            StmtKind::WaitFor { .. } | StmtKind::Checkpoint(_) | StmtKind::Kill(..) => {
                self.promises.barrier()
            }
            StmtKind::Registered(found, statement) => self.before_statement(found, statement),
        }
    }

    /// Code that is not the interpreter's is about to run, which may work outside of the log and read anything: what the session depends
    /// on comes first, and what the code changes is not committed ahead of the disk.
    pub(crate) fn before_others(&mut self) -> SqlResult<()> {
        self.transaction.waits = true;
        self.promises.barrier()
    }

    /// A table is about to be read or changed by these mentions of it.
    #[inline]
    pub(crate) fn note_table(&mut self, same: &[TableUse], level: Level) {
        let (database, table) = (&same[0].database, &same[0].table);
        if database.is_temporary() && is_temp(table.name()) {
            return;
        }
        if database.is_temporary() {
            // A ##table, or an ordinary one of tempdb: anybody may have put anything into it.
            self.promises.learn();
            self.transaction.waits |= same.iter().any(|u| u.locks.target);
            return;
        }
        let only_reads = |u: &TableUse| !u.locks.target && u.locks.mode == RowMode::Shared;
        // Dirty reads promise nothing; what snapshots show is noted when they have been taken.
        let needs_none = |u: &TableUse| {
            only_reads(u)
                && (u.locks.isolation(level.isolation) == Isolation::ReadUncommitted
                    || u.locks.reads(level) != Reads::Current)
        };
        if !same.iter().all(needs_none) {
            self.promises.touch(database.id);
        }
    }

    /// The snapshot by which a statement reads these tables has been taken.
    pub(crate) fn note_snapshot(&self, uses: &[TableUse]) {
        let snapshot = self.snapshot_in_force();
        for u in uses {
            let level = self.level(&u.database, &u.table);
            if u.locks.reads(level) == Reads::Current || u.database.is_temporary() {
                continue;
            }
            match snapshot.is_some_and(|s| u.database.storage.sees(s)) {
                true => self.promises.as_of_now(u.database.id),
                // It reads the rows that are there now.
                false => self.promises.touch(u.database.id),
            }
        }
    }

    /// A part is about to be committed: what others would find there without what it depends on waits for that. The session's own
    /// temporary tables nobody else finds.
    pub(crate) fn before_commit(&self, database: &Database, waits: bool) -> SqlResult<()> {
        let hidden = database.is_temporary()
            && !waits
            && !database.catalog.has_ddl(self.ddl_owner(database));
        if hidden { Ok(()) } else { self.promises.before_commit(database.id) }
    }

    /// Whether the session's transaction may be committed in a database ahead of the disk: PIPELINED_COMMIT, and nothing but rows was
    /// changed.
    pub(crate) fn may_pipeline(&self, database: &Database) -> bool {
        let storage = &database.storage;
        let pipelines = storage.engine_flags() & FLAG_PIPELINED_COMMIT != 0
            || database.id.0 > LAST_SYSTEM_DATABASE
                && storage.instance().pipelines.are_everywhere();
        pipelines
            && self.transaction.mark.is_none()
            && !database.catalog.has_ddl(self.ddl_owner(database))
    }
}
