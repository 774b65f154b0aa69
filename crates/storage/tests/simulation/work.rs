//! The workload: one step at a time. What a step changes is in [`super::change`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use taffrail_base::{FileId, HobtId, ObjectId, SessionId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CheckpointKind, DataFileSpec, Durability, FileInfo, FileKind, Growth, HobtKind,
    Isolation, ScanLocks, StorageError, btree,
};

use super::check;
use super::model::{Change, Commit, Content};
use super::run::{End, OpenTransaction, Outcome, Run};

impl Run {
    pub fn step(&mut self) -> Outcome<()> {
        self.seen.operations += 1;
        match self.rng.below(100) {
            0..10 => self.begin_if_few(),
            10..50 => self.change()?,
            50..56 => self.savepoint(),
            56..60 => self.rollback_to_savepoint()?,
            60..70 => self.end_one(End::Full)?,
            70..80 => self.end_one(End::Delayed)?,
            80..84 => self.end_one(End::Rollback)?,
            84..90 => self.read()?,
            90..92 => self.checkpoint()?,
            92..94 => self.flush_log()?,
            94..96 => self.reorganize()?,
            96 => self.alter_files()?,
            _ => self.ticks(),
        }
        Ok(())
    }

    pub fn begin(&mut self) {
        let tx = self.db().begin(BeginSpec {
            session: SessionId(51 + self.open.len() as u16),
            name: "user_transaction",
            user_name: None,
            isolation: Isolation::ReadCommitted,
            lock_timeout_ms: 0,
        });
        self.open.push(OpenTransaction { tx, changes: Vec::new(), savepoints: Vec::new() });
    }

    pub fn begin_if_few(&mut self) {
        if self.open.len() < 3 {
            self.begin();
        }
    }

    /// What the transaction sees as its own and what others have committed.
    pub fn view(&self, at: usize) -> Content {
        let mut content = self.model.committed();
        content.apply(&self.open[at].changes);
        content
    }

    pub fn savepoint(&mut self) {
        if let Some(t) = self.open.last_mut() {
            let length = t.changes.len();
            let savepoint = match self.rng.one_in(2) {
                true => Some(t.tx.savepoint()),
                // Fails when power is gone or the log is full: then there is none.
                false => t.tx.save_transaction("s").ok(),
            };
            t.savepoints.extend(savepoint.map(|s| (s, length)));
        }
    }

    pub fn rollback_to_savepoint(&mut self) -> Outcome<()> {
        let Some(t) = self.open.last_mut() else { return Ok(()) };
        if t.savepoints.is_empty() {
            return Ok(());
        }
        let i = self.rng.below(t.savepoints.len() as u64) as usize;
        let (savepoint, length) = t.savepoints[i];
        t.savepoints.truncate(i + 1);
        t.changes.truncate(length);
        let result = t.tx.rollback_to(savepoint);
        self.seen.savepoint_rollbacks += 1;
        self.must("rollback to a savepoint", result)?;
        Ok(())
    }

    pub fn end_one(&mut self, end: End) -> Outcome<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        let at = self.rng.below(self.open.len() as u64) as usize;
        let t = self.open.swap_remove(at);
        self.finish(t, end)
    }

    pub fn finish(&mut self, t: OpenTransaction, end: End) -> Outcome<()> {
        let durability = match end {
            End::Rollback => {
                self.seen.rollbacks += 1;
                let result = t.tx.rollback();
                self.must("rollback", result)?;
                return Ok(());
            }
            End::Full => Durability::Full,
            End::Delayed => Durability::Delayed,
        };
        self.seen.commits += 1;
        // A transaction that wrote nothing has no place in the order of commits, and hardens nothing.
        let wrote = t.tx.has_written();
        // To truncate an empty table is no change.
        let must_write = |c: &Change| !matches!(c, Change::Truncate(_));
        if !wrote && t.changes.iter().any(must_write) {
            return Err("a transaction with changes says that it has not written".into());
        }
        self.model.commits.push(Commit { changes: t.changes, durability, acknowledged: false });
        let result = t.tx.commit(durability);
        let acknowledged = self.must("commit", result)?.is_some();
        if let Some(commit) = self.model.commits.last_mut() {
            commit.acknowledged = acknowledged;
            if acknowledged && wrote && commit.durability == Durability::Full {
                self.model.all_hardened();
            }
        }
        Ok(())
    }

    pub fn read(&mut self) -> Outcome<()> {
        let db = self.db();
        if self.open.is_empty() {
            self.begin();
        }
        let locks = if self.rng.one_in(2) { ScanLocks::None } else { ScanLocks::ReadCommitted };
        // Without locks: everything that anybody has changed, one well-defined content, as rows are locked by their
        // changers. With locks a change of somebody else is a time-out, so what is read is what the reader may see.
        let mut current = self.model.committed();
        let seen_changes = if locks == ScanLocks::None { self.open.len() } else { 1 };
        self.open[..seen_changes].iter().for_each(|t| current.apply(&t.changes));
        let tx = &mut self.open[0].tx;
        // Tables that somebody else has dropped and not committed are locked.
        let mut readable = Vec::new();
        for (id, table) in &current.tables {
            let lock = tx.lock_object(table.object, LockMode::IS);
            if lock.is_ok() || locks == ScanLocks::None {
                readable.push(*id);
            }
        }
        current.tables.retain(|id, _| readable.contains(id));
        let result = check::read_all(&db, tx, locks, readable.into_iter());
        let Some(found) = self.judge("reading", result)? else { return Ok(()) };
        self.seen.locked_reads += u64::from(locks != ScanLocks::None);
        if let Some(difference) = current.difference(&found) {
            return Err(format!("before any crash, {locks:?}: {difference}"));
        }
        if locks == ScanLocks::None {
            check::counts(&db, &current).map_err(|e| format!("before any crash: {e}"))?;
        }
        Ok(())
    }

    pub fn checkpoint(&mut self) -> Outcome<()> {
        self.note("checkpoint");
        let appended = self.db().log().appended();
        let result = self.db().checkpoint(CheckpointKind::Manual);
        // While somebody holds a full log none would free anything: it is refused, whole. Otherwise it finds room.
        if !self.open.is_empty()
            && matches!(result, Err(StorageError::LogFull(_)))
            && self.db().log().appended() == appended
        {
            self.seen.log_full += 1;
            return Ok(());
        }
        self.must("checkpoint", result)?;
        Ok(())
    }

    /// Some steps of a reorganization, beside the open transactions.
    pub fn reorganize(&mut self) -> Outcome<()> {
        let committed = self.model.committed();
        let trees: Vec<(HobtId, ObjectId)> = committed
            .tables
            .iter()
            .filter(|(_, t)| t.kind == HobtKind::BTree)
            .map(|(id, t)| (*id, t.object))
            .collect();
        if trees.is_empty() {
            return Ok(());
        }
        let (id, object) = trees[self.rng.below(trees.len() as u64) as usize];
        let fill = [0, 60, 80, 95][self.rng.below(4) as usize];
        let scale = self.rng.below(9);
        let steps = 1 + self.rng.below(1 << scale);
        self.note(format!("{steps} steps of a reorganization of {id}"));
        let db = self.db();
        let mut tx = db.begin(BeginSpec { lock_timeout_ms: 0, ..BeginSpec::default() });
        let mut some = || -> Result<btree::Reorganized, StorageError> {
            tx.lock_object(object, LockMode::IS)?;
            let mut work = btree::Reorganize::new(&db.hobt(id)?, fill)?;
            for _ in 0..steps {
                if !work.step(&mut tx)? {
                    break;
                }
            }
            Ok(work.done())
        };
        let result = some();
        if let Some(done) = self.judge("a reorganization", result)? {
            self.seen.leaves_merged += done.freed;
            self.seen.leaves_moved += done.moved;
        }
        let ended = tx.rollback();
        self.must("the end of a reorganization", ended).map(drop)
    }

    pub fn flush_log(&mut self) -> Outcome<()> {
        let result = self.db().flush_log();
        if self.must("flush_log", result)?.is_some() {
            self.model.all_hardened();
        }
        Ok(())
    }

    /// What ALTER DATABASE does to files: done when it returns; when power fails in it, done or not.
    fn alter_files(&mut self) -> Outcome<()> {
        const ADDED: &str = "/data/sim_log2.ldf";
        let db = self.db();
        let n = self.rng.below(1000);
        let name = format!("name{n}");
        let added = self.files.iter().find(|f| f.path == Path::new(ADDED)).map(|f| f.id);
        let mut will = self.files.clone();
        let altered = match self.rng.below(4) {
            0 => {
                let growth = Growth::Bytes((64 << (n % 4)) << 10);
                (will[0].name, will[0].growth) = (name.clone(), growth);
                db.alter_data_file(will[0].id, Some(&name), Some(growth), None).map(|()| true)
            }
            1 => {
                will[1].name.clone_from(&name);
                db.rename_log_file(will[1].id, &name).map(|()| true)
            }
            _ => match added {
                None => {
                    let (path, growth) = (PathBuf::from(ADDED), Growth::Bytes(256 << 10));
                    let size = (512 + 64 * (n % 4)) << 10;
                    let spec = DataFileSpec { name, path, size, growth, max_size: None };
                    let made = FileInfo { size, kind: FileKind::Log, ..will[1].clone() };
                    let DataFileSpec { name, path, growth, max_size, .. } = spec.clone();
                    will.push(FileInfo { id: FileId(3), name, path, growth, max_size, ..made });
                    db.add_log_file(&spec).map(|_| true)
                }
                Some(id) => {
                    will.retain(|f| f.id != id);
                    db.remove_log_file(id)
                }
            },
        };
        self.note(format!("files altered: {altered:?}"));
        match altered {
            Ok(true) => {
                self.files = will;
                self.seen.files_altered += 1;
                check::files(&self.files, &db.files(), false)
            }
            // Its end is still part of the log.
            Ok(false) => Ok(()),
            Err(_) if !self.rig.world.is_powered() => {
                self.files_perhaps = Some(will);
                Ok(())
            }
            // The disk has no room for it.
            Err(StorageError::Sql(e)) if e.number == 5123 => Ok(()),
            Err(e) => self.judge("altered files", Err::<(), _>(e)).map(drop),
        }
    }

    pub fn ticks(&mut self) {
        let by = Duration::from_millis(1 << self.rng.below(14));
        self.rig.world.clock().advance(by);
        check::writer_tick(&self.db());
        self.db().background_tick();
        if let Some(instance) = &self.instance {
            instance.lazy_writer_tick();
        }
    }
}
