//! One run: a world from a seed, a random workload, crashes, restarts, comparisons.

use std::sync::Arc;

use taffrail_base::{FileId, HobtId};
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, FileInfo, Growth, HobtKind, RecoveryModel, Savepoint, StorageError,
    StorageInstance, Transaction,
};

use super::check;
use super::model::{Change, Content, Model};
use super::seen::Seen;
use crate::rig::{KB, MB, Rig};

/// A sync to leave out, to see whether anybody notices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sabotage {
    None,
    /// The one of a fully durable commit, just before a crash.
    Commit,
    /// The n-th of a checkpoint (from 1), a while before a crash.
    Checkpoint(u64),
}

pub struct OpenTransaction {
    pub tx: Transaction,
    pub changes: Vec<Change>,
    pub savepoints: Vec<(Savepoint, usize)>,
}

pub struct Run {
    pub rig: Rig,
    pub rng: SimRng,
    pub instance: Option<Arc<StorageInstance>>,
    pub db: Option<Arc<Database>>,
    pub open: Vec<OpenTransaction>,
    pub model: Model,
    pub next_object: i32,
    /// Bytes of the data file in use when it was new.
    pub first_used: u64,
    pub next_key: u64,
    /// References on a page of a large value.
    lob_fanout: usize,
    pub seen: Seen,
    /// What happened lately, for a failure's report.
    pub trace: Vec<String>,
    pub sabotage: Sabotage,
    /// What is known of the files: as they were when the database was opened last, or closed.
    pub files: Vec<FileInfo>,
    /// As they may be instead, since power failed in a change of them.
    pub files_perhaps: Option<Vec<FileInfo>>,
}

pub type Outcome<T> = Result<T, String>;

/// What a step of the workload may meet without being wrong.
fn is_expected(e: &StorageError) -> bool {
    matches!(e, StorageError::Lock(_) | StorageError::LogFull(_) | StorageError::FileFull(_))
}

impl Run {
    pub fn new(seed: u64, sabotage: Sabotage) -> Run {
        let mut rng = SimRng::new(seed ^ 0x5eed);
        let sector = if rng.one_in(2) { 512 } else { 4096 };
        let pool_pages = 64 + rng.below(64);
        let redo_log_max = if rng.one_in(2) { 256 << 20 } else { (32 + rng.below(256)) << 10 };
        let recovery_model = match rng.below(4) {
            0 => RecoveryModel::Full,
            _ => RecoveryModel::Simple,
        };
        let log_growth = match rng.below(3) {
            0 if sabotage == Sabotage::None => Growth::None,
            1 => Growth::Bytes(256 << 10),
            _ => Growth::Percent(20),
        };
        let mut rig = Rig::sectors(seed, sector).dir_synced().named("sim").plain_names();
        rig = rig.model(recovery_model).frames(pool_pages).data(MB, Growth::Bytes(256 * KB));
        rig.logs[0].growth = log_growth;
        rig.options.delayed_durability = 1;
        // Restart's redo is kept that short.
        rig.machine.redo_log_max = redo_log_max;
        Run {
            rig,
            rng,
            instance: None,
            db: None,
            open: Vec::new(),
            model: Model::default(),
            next_object: 1000,
            first_used: 0,
            next_key: 0,
            lob_fanout: 2 + seed as usize % 4,
            seen: Seen { runs: 1, ..Seen::default() },
            trace: vec![format!(
                "sector {sector}, pool {pool_pages}, redo {redo_log_max}, {recovery_model:?}, log growth {log_growth:?}"
            )],
            sabotage,
            files: Vec::new(),
            files_perhaps: None,
        }
    }

    pub fn total_bytes(&self) -> u64 {
        self.db.as_ref().map_or(0, |db| db.files().iter().map(|f| f.size).sum())
    }

    pub fn note(&mut self, text: impl Into<String>) {
        self.trace.push(text.into());
    }

    pub fn db(&self) -> Arc<Database> {
        self.db.clone().expect("an open database")
    }

    fn new_instance(&mut self) -> Arc<StorageInstance> {
        let instance = self.rig.instance();
        self.instance = Some(instance.clone());
        instance
    }

    fn create(&mut self) -> Outcome<()> {
        let instance = self.new_instance();
        // A file that is full again and again lives on the room that deletions and rollbacks leave.
        let max_size = match self.sabotage == Sabotage::None && self.rng.one_in(3) {
            true => Some((1280 + 256 * self.rng.below(5)) << 10),
            false => None,
        };
        self.note(format!("data file up to {max_size:?}"));
        self.rig.data.max_size = max_size;
        self.rig.logs[0].size = (512 + 256 * self.rng.below(3)) << 10;
        let db = self.rig.create_in(&instance).map_err(|e| format!("create: {e}"))?;
        db.set_lob_fanout(self.lob_fanout);
        self.first_used = check::data_used(&db).1;
        self.files = db.files();
        self.db = Some(db);
        Ok(())
    }

    /// The whole run: some rounds, each of a workload and a crash (or a clean restart).
    pub fn all(&mut self) -> Outcome<()> {
        self.create()?;
        let rounds = 2 + self.rng.below(3);
        for round in 0..rounds {
            let steps = 20 + self.rng.below(250);
            if self.sabotage == Sabotage::None && !self.rng.one_in(6) {
                // Somewhere in this round, mostly; a few crashes strike between operations.
                let operations = 1 + self.rng.below(20 + steps * 3);
                self.rig.world.crash_at(operations);
                self.note(format!("round {round}: {steps} steps, crash at I/O {operations}"));
            } else {
                self.note(format!("round {round}: {steps} steps"));
            }
            if self.sabotage == Sabotage::None && self.rng.one_in(4) {
                let bytes = self.total_bytes() + self.rng.below(600 << 10);
                self.rig.world.set_capacity(bytes);
            }
            for _ in 0..steps {
                self.step()?;
                if !self.rig.world.is_powered() {
                    break;
                }
            }
            if self.sabotage != Sabotage::None && round + 1 == rounds {
                self.commit_sabotage()?;
            }
            self.rig.world.set_capacity(u64::MAX);
            let clean = self.rig.world.is_powered()
                && self.sabotage == Sabotage::None
                && self.rng.one_in(4);
            if clean {
                self.clean_restart()?;
            } else {
                self.crash_and_restart()?;
            }
        }
        if self.sabotage == Sabotage::None { self.empty() } else { Ok(()) }
    }

    /// Drops every table: all space comes back, whatever the crashes interrupted.
    fn empty(&mut self) -> Outcome<()> {
        let tables: Vec<HobtId> = self.model.base.tables.keys().copied().collect();
        // Restart may have left the log nearly full, and to drop a table takes room in the directory.
        let limit = self.db().alter_data_file(FileId(1), None, None, Some(None));
        self.must("the end of the limit", limit)?;
        self.files = self.db().files();
        self.checkpoint()?;
        for id in tables {
            self.begin();
            let mut t = self.open.pop().expect("the transaction just begun");
            let object = self.model.base.tables[&id].object;
            let dropped = t.tx.lock_object(object, LockMode::SchM);
            let dropped = dropped.and_then(|_| self.db().drop_hobt(&mut t.tx, id));
            self.must("drop", dropped)?;
            t.changes.push(Change::Drop(id));
            self.finish(t, End::Full)?;
            self.checkpoint()?;
        }
        if self.rng.one_in(2) {
            self.crash_and_restart()?;
        }
        self.db().background_tick();
        let (_, used) = check::data_used(&self.db());
        // The directory may have grown.
        if used > self.first_used + (256 << 10) {
            let first = self.first_used;
            return Err(format!("{used} bytes are in use without any table, {first} when new"));
        }
        self.seen.emptied += 1;
        Ok(())
    }

    fn commit_sabotage(&mut self) -> Outcome<()> {
        while let Some(t) = self.open.pop() {
            self.finish(t, End::Rollback)?;
        }
        self.ensure_table()?;
        let drop_next =
            |run: &Run, n: u64| run.rig.world.drop_sync(Some(run.rig.world.stats().syncs + n));
        match self.sabotage {
            Sabotage::None => {}
            Sabotage::Commit => {
                self.begin();
                self.insert_some(0, 3)?;
                drop_next(self, 1);
                let t = self.open.pop().expect("the transaction just begun");
                self.finish(t, End::Full)?;
            }
            Sabotage::Checkpoint(n) => {
                self.begin();
                self.insert_some(0, 40)?;
                let t = self.open.pop().expect("the transaction just begun");
                self.finish(t, End::Full)?;
                drop_next(self, n);
                self.checkpoint()?;
                // What follows rides on the belief that the checkpoint is durable.
                for _ in 0..3 {
                    self.begin();
                    self.insert_some(0, 10)?;
                    let t = self.open.pop().expect("the transaction just begun");
                    self.finish(t, End::Full)?;
                }
            }
        }
        Ok(())
    }

    /// `Ok(None)`: the world has no power any more, or the error is one that may happen.
    pub fn judge<T>(&mut self, what: &str, result: Result<T, StorageError>) -> Outcome<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(_) if !self.rig.world.is_powered() => Ok(None),
            Err(e) if is_expected(&e) => {
                self.seen.log_full += u64::from(matches!(e, StorageError::LogFull(_)));
                self.seen.disk_full += u64::from(matches!(e, StorageError::FileFull(_)));
                Ok(None)
            }
            Err(e) => Err(format!("{what}: {e} ({e:?})")),
        }
    }

    /// The same for what may not fail while the machine runs: endings, rollbacks, checkpoints find room in any log.
    pub fn must<T>(&mut self, what: &str, result: Result<T, StorageError>) -> Outcome<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(_) if !self.rig.world.is_powered() => Ok(None),
            Err(e) => {
                let space = self.db.as_ref().map(|db| db.log().space());
                Err(format!("{what}: {e} ({e:?}), log {space:?}"))
            }
        }
    }

    fn ensure_table(&mut self) -> Outcome<()> {
        let committed = self.model.committed();
        if committed.tables.values().any(|t| t.kind == HobtKind::BTree) {
            return Ok(());
        }
        self.begin();
        let at = self.open.len() - 1;
        self.create_table(at, HobtKind::BTree)?;
        let t = self.open.pop().expect("the transaction just begun");
        self.finish(t, End::Full)
    }

    /// What the engine's counters say before its objects go.
    fn collect(&mut self) {
        if let (Some(instance), Some(db)) = (&self.instance, &self.db) {
            check::collect(instance, db, &mut self.seen);
            let (size, _) = check::data_used(db);
            self.seen.data_growths += u64::from(size > 2 << 20);
        }
    }

    fn clean_restart(&mut self) -> Outcome<()> {
        self.note("clean restart");
        self.rig.world.clear_faults();
        while let Some(t) = self.open.pop() {
            self.finish(t, End::Rollback)?;
        }
        let db = self.db();
        self.files = db.files();
        let result = db.close();
        if self.must("close", result)?.is_none() {
            return Err("close did not work".into());
        }
        drop(db);
        self.model.all_hardened();
        self.collect();
        self.seen.clean_restarts += 1;
        (self.db, self.instance) = (None, None);
        if self.rng.one_in(2) {
            // Power fails after the shutdown: it must have left nothing to lose.
            self.rig.world.restart();
        }
        self.reopen(true)
    }

    fn crash_and_restart(&mut self) -> Outcome<()> {
        self.collect();
        self.rig.world.restart();
        self.rig.world.drop_sync(None);
        self.seen.crashes += 1;
        // Handles of the dead machine: whatever they still try fails.
        self.open.clear();
        (self.db, self.instance) = (None, None);
        let torn = self.rig.world.stats().torn_files;
        self.note(format!("crash {} (torn files so far: {torn})", self.seen.crashes));
        if self.sabotage == Sabotage::None {
            // Power fails during recovery too, sometimes several times.
            for _ in 0..3 {
                if !self.rng.one_in(3) {
                    break;
                }
                let scale = self.rng.below(9);
                let operations = 1 + self.rng.below(1 << scale);
                self.rig.world.crash_at(operations);
                let opened = self.open_database();
                let powered = self.rig.world.is_powered();
                (self.db, self.instance) = (None, None);
                match opened {
                    Err(e) if powered => return Err(format!("restart: {e}")),
                    _ => {}
                }
                self.note(format!("crash at I/O {operations} of recovery, reached: {}", !powered));
                self.seen.crashes_in_recovery += u64::from(!powered);
                self.rig.world.restart();
            }
        }
        self.reopen(false)
    }

    fn open_database(&mut self) -> Outcome<()> {
        let instance = self.new_instance();
        let beside = self.rng.one_in(2);
        let opened = match beside {
            true => self.rig.open_deferred_in(&instance),
            false => self.rig.open_in(&instance),
        };
        let (db, report) = opened.map_err(|e| format!("open: {e} ({e:?})"))?;
        db.set_lob_fanout(self.lob_fanout);
        self.seen.torn_repaired += report.torn_repaired;
        self.seen.rolled_back_by_restart += report.rolled_back;
        self.db = Some(db);
        if beside { self.undo_beside_readers(&instance) } else { Ok(()) }
    }

    /// Undo in small steps, while others read, take checkpoints, and close and open the database again. What a reader is shown meanwhile is
    /// what is there in the end.
    fn undo_beside_readers(&mut self, instance: &Arc<StorageInstance>) -> Outcome<()> {
        let error = |what: &'static str| {
            move |e: StorageError| format!("undo beside readers, {what}: {e} ({e:?})")
        };
        let mut shown = Content::default();
        loop {
            let db = self.db();
            let more = db.undo_step(1 + self.rng.below(6) as usize).map_err(error("a step"))?;
            self.seen.undo_steps += u64::from(more);
            if self.rng.one_in(3) {
                match check::read_beside(&db, &mut shown) {
                    Ok(blocked) => self.seen.blocked_by_undo += u64::from(blocked),
                    Err(e) => return Err(error("reading")(e)),
                }
            }
            if more && self.rng.one_in(10) {
                // The transaction that is being undone holds the log: one checkpoint after another would fill it.
                let appended = db.log().appended();
                match db.checkpoint(CheckpointKind::LogUse) {
                    Err(StorageError::LogFull(_)) if db.log().appended() == appended => {}
                    taken => taken.map_err(error("a checkpoint"))?,
                }
            }
            if more && self.rng.one_in(10) {
                // It closes all the same when the log has no room for a last checkpoint.
                match db.close() {
                    Ok(()) | Err(StorageError::LogFull(_)) => {}
                    Err(e) => return Err(error("closing")(e)),
                }
                let opened = self.rig.open_deferred_in(instance);
                let db = opened.map_err(error("opening"))?.0;
                db.set_lob_fanout(self.lob_fanout);
                self.db = Some(db);
                self.seen.closed_in_undo += 1;
            }
            if !more {
                break;
            }
        }
        let db = self.db();
        // Nobody holds the log now: this one has its room.
        db.checkpoint(CheckpointKind::Backup).map_err(error("the checkpoint after it"))?;
        let all = db.finish_recovery().map_err(error("the end"))?;
        if !all || db.is_undoing() {
            return Err("recovery did not end".into());
        }
        let last = check::read_ids(&db, shown.tables.keys().copied())
            .map_err(error("reading at the end"))?;
        match shown.difference(&last) {
            Some(text) => Err(format!("a reader beside undo was shown something else: {text}")),
            None => Ok(()),
        }
    }

    fn reopen(&mut self, same: bool) -> Outcome<()> {
        self.open_database()?;
        let db = self.db();
        let files = db.files();
        let altered = self.files_perhaps.take().filter(|f| check::files(f, &files, same).is_ok());
        if altered.is_none() {
            check::files(&self.files, &files, same).map_err(|e| format!("after restart: {e}"))?;
        }
        self.files = files;
        let found = check::structure(&db).map_err(|e| format!("after restart: {e}"))?;
        check::pages(&db).map_err(|e| format!("after restart: {e}"))?;
        let settled = self.model.settle(&found).map_err(|e| format!("after restart: {e}"))?;
        self.seen.delayed_lost += settled.lost_delayed;
        Ok(())
    }

    /// Adds what the world itself saw.
    pub fn finish_stats(&mut self) {
        self.collect();
        if let Some(db) = &self.db {
            self.seen.vlf_wraps += check::vlf_wraps(db);
        }
        self.seen.torn_writes += self.rig.world.stats().torn_files;
        self.open.clear();
        (self.db, self.instance) = (None, None);
    }
}

/// How a transaction ends.
#[derive(Clone, Copy)]
pub enum End {
    Full,
    Delayed,
    Rollback,
}
