//! One run: a world from a seed, a random workload, crashes, restarts, comparisons.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{DatabaseId, HobtId, IndexId, ObjectId, SessionId};
use taffrail_io::sim::{SimOptions, SimRng, SimWorld};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CheckpointKind, CreateSpec, DataFileSpec, Database, DatabaseOptions, Durability,
    Growth, HobtKind, InstanceOptions, Isolation, LobRef, OpenSpec, RecoveryModel, Rid, Savepoint,
    ScanLocks, StorageError, StorageInstance, Transaction, btree, heap, lob,
};

use crate::check;
use crate::model::{Change, Commit, Content, Model, Row};

/// What was seen, summed over runs: a programme that never meets a split proves nothing about splits.
#[derive(Clone, Copy, Default, Debug)]
pub struct Seen {
    pub runs: u64,
    pub operations: u64,
    pub commits: u64,
    pub delayed_lost: u64,
    pub rollbacks: u64,
    pub savepoint_rollbacks: u64,
    pub splits: u64,
    pub vlf_wraps: u64,
    pub log_growths: u64,
    pub log_full: u64,
    pub data_growths: u64,
    pub checkpoints: u64,
    pub evictions: u64,
    pub torn_writes: u64,
    pub torn_repaired: u64,
    pub crashes: u64,
    pub crashes_in_recovery: u64,
    pub clean_restarts: u64,
    pub lobs: u64,
    pub drops: u64,
    pub builds: u64,
    pub disk_full: u64,
    pub locked_reads: u64,
    pub emptied: u64,
    pub rolled_back_by_restart: u64,
}

macro_rules! each_field {
    ($seen:expr, $f:expr, $($name:ident)*) => { $( $f(stringify!($name), &mut $seen.$name); )* };
}

impl Seen {
    pub fn each(&mut self, mut f: impl FnMut(&'static str, &mut u64)) {
        each_field!(self, f, runs operations commits delayed_lost rollbacks savepoint_rollbacks splits vlf_wraps
            log_growths log_full data_growths checkpoints evictions torn_writes torn_repaired crashes
            crashes_in_recovery clean_restarts lobs drops builds disk_full locked_reads emptied rolled_back_by_restart);
    }

    pub fn add(&mut self, other: &Seen) {
        let mut other = *other;
        let mut values = Vec::new();
        other.each(|_, n| values.push(*n));
        let mut values = values.into_iter();
        self.each(|_, n| *n += values.next().unwrap_or(0));
    }
}

/// A sync to leave out, to see whether anybody notices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sabotage {
    None,
    /// The one of a fully durable commit, just before a crash.
    Commit,
    /// The n-th of a checkpoint (from 1), a while before a crash.
    Checkpoint(u64),
}

struct OpenTransaction {
    tx: Transaction,
    changes: Vec<Change>,
    savepoints: Vec<(Savepoint, usize)>,
}

pub struct Run {
    pub world: SimWorld,
    rng: SimRng,
    recovery_model: RecoveryModel,
    pool_pages: u64,
    log_growth: Growth,
    instance: Option<Arc<StorageInstance>>,
    db: Option<Arc<Database>>,
    open: Vec<OpenTransaction>,
    model: Model,
    next_object: i32,
    /// Bytes of the data file in use when it was new.
    first_used: u64,
    next_key: u64,
    pub seen: Seen,
    /// What happened lately, for a failure's report.
    pub trace: Vec<String>,
    sabotage: Sabotage,
}

type Outcome<T> = Result<T, String>;

const DATA: &str = "/data/sim.mdf";
const LOG: &str = "/data/sim_log.ldf";
const NAME: &str = "sim";

/// What a step of the workload may meet without being wrong.
fn is_expected(e: &StorageError) -> bool {
    matches!(e, StorageError::Lock(_) | StorageError::LogFull(_) | StorageError::FileFull(_))
}

impl Run {
    pub fn new(seed: u64, sabotage: Sabotage) -> Run {
        let mut rng = SimRng::new(seed ^ 0x5eed);
        let sector = if rng.one_in(2) { 512 } else { 4096 };
        let world = SimWorld::with_options(seed, SimOptions { sector, ..SimOptions::default() });
        let pool_pages = 64 + rng.below(64);
        let recovery_model = match rng.below(4) {
            0 => RecoveryModel::Full,
            _ => RecoveryModel::Simple,
        };
        let log_growth = match rng.below(3) {
            0 => Growth::None,
            1 => Growth::Bytes(256 << 10),
            _ => Growth::Percent(20),
        };
        Run {
            world,
            rng,
            recovery_model,
            pool_pages,
            log_growth,
            instance: None,
            db: None,
            open: Vec::new(),
            model: Model::default(),
            next_object: 1000,
            first_used: 0,
            next_key: 0,
            seen: Seen { runs: 1, ..Seen::default() },
            trace: vec![format!(
                "sector {sector}, pool {pool_pages}, {recovery_model:?}, log growth {log_growth:?}"
            )],
            sabotage,
        }
    }

    fn total_bytes(&self) -> u64 {
        self.db.as_ref().map_or(0, |db| db.files().iter().map(|f| f.size).sum())
    }

    fn note(&mut self, text: impl Into<String>) {
        self.trace.push(text.into());
    }

    fn db(&self) -> Arc<Database> {
        self.db.clone().expect("an open database")
    }

    fn new_instance(&mut self) -> Outcome<Arc<StorageInstance>> {
        let options =
            InstanceOptions { pool_bytes: self.pool_pages * 8192, ..InstanceOptions::default() };
        let instance = StorageInstance::new(self.world.env(), options);
        let instance = instance.map_err(|e| format!("an instance: {e}"))?;
        self.instance = Some(instance.clone());
        Ok(instance)
    }

    fn create(&mut self) -> Outcome<()> {
        self.world.env().disk.create_dir("/data".as_ref()).map_err(|e| e.to_string())?;
        self.world.env().disk.sync_dir("/data".as_ref()).map_err(|e| e.to_string())?;
        let instance = self.new_instance()?;
        let file = |name: &str, path: &str, size: u64, growth| DataFileSpec {
            name: name.into(),
            path: PathBuf::from(path),
            size,
            growth,
            max_size: None,
        };
        let log_size = (512 + 256 * self.rng.below(3)) << 10;
        let spec = CreateSpec {
            data_files: vec![file("sim", DATA, 1 << 20, Growth::Bytes(256 << 10))],
            log_files: vec![file("sim_log", LOG, log_size, self.log_growth)],
            options: DatabaseOptions {
                recovery_model: self.recovery_model,
                delayed_durability: 1,
                target_recovery_time_s: 60,
                engine_flags: 0,
            },
            temporary: false,
        };
        let db = Database::create(&instance, DatabaseId(5), NAME, &spec);
        let db = db.map_err(|e| format!("create: {e}"))?;
        self.first_used = check::data_used(&db).1;
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
                self.world.crash_at(operations);
                self.note(format!("round {round}: {steps} steps, crash at I/O {operations}"));
            } else {
                self.note(format!("round {round}: {steps} steps"));
            }
            if self.rng.one_in(4) {
                let bytes = self.total_bytes() + self.rng.below(600 << 10);
                self.world.set_capacity(bytes);
            }
            for _ in 0..steps {
                self.step()?;
                if !self.world.is_powered() {
                    break;
                }
            }
            if self.sabotage != Sabotage::None && round + 1 == rounds {
                self.commit_sabotage()?;
            }
            self.world.set_capacity(u64::MAX);
            let clean =
                self.world.is_powered() && self.sabotage == Sabotage::None && self.rng.one_in(4);
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
        for id in tables {
            self.begin();
            let mut t = self.open.pop().expect("the transaction just begun");
            let object = self.model.base.tables[&id].object;
            let dropped = t.tx.lock_object(object, LockMode::SchM);
            let dropped = dropped.and_then(|()| self.db().drop_hobt(&mut t.tx, id));
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
        let drop_next = |run: &Run, n: u64| run.world.drop_sync(Some(run.world.stats().syncs + n));
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
    fn judge<T>(&mut self, what: &str, result: Result<T, StorageError>) -> Outcome<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(_) if !self.world.is_powered() => Ok(None),
            Err(e) if is_expected(&e) => {
                self.seen.log_full += u64::from(matches!(e, StorageError::LogFull(_)));
                self.seen.disk_full += u64::from(matches!(e, StorageError::FileFull(_)));
                Ok(None)
            }
            Err(e) => Err(format!("{what}: {e} ({e:?})")),
        }
    }

    /// The same for what may not fail while the machine runs: endings, rollbacks, checkpoints find room in any log.
    fn must<T>(&mut self, what: &str, result: Result<T, StorageError>) -> Outcome<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(_) if !self.world.is_powered() => Ok(None),
            Err(e) => {
                let space = self.db.as_ref().map(|db| db.log().space());
                Err(format!("{what}: {e} ({e:?}), log {space:?}"))
            }
        }
    }

    fn step(&mut self) -> Outcome<()> {
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
            _ => self.ticks(),
        }
        Ok(())
    }

    fn begin(&mut self) {
        let tx = self.db().begin(BeginSpec {
            session: SessionId(51 + self.open.len() as u16),
            name: "user_transaction",
            user_name: None,
            isolation: Isolation::ReadCommitted,
            lock_timeout_ms: 0,
        });
        self.open.push(OpenTransaction { tx, changes: Vec::new(), savepoints: Vec::new() });
    }

    fn begin_if_few(&mut self) {
        if self.open.len() < 3 {
            self.begin();
        }
    }

    /// What the transaction sees as its own and what others have committed.
    fn view(&self, at: usize) -> Content {
        let mut content = self.model.committed();
        content.apply(&self.open[at].changes);
        content
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

    fn change(&mut self) -> Outcome<()> {
        if self.open.is_empty() {
            self.begin();
        }
        let at = self.rng.below(self.open.len() as u64) as usize;
        let view = self.view(at);
        let tables: Vec<(HobtId, (HobtKind, ObjectId))> =
            view.tables.iter().map(|(id, t)| (*id, (t.kind, t.object))).collect();
        if tables.len() < 2 || (tables.len() < 5 && self.rng.one_in(25)) {
            let kind = if self.rng.one_in(3) { HobtKind::Heap } else { HobtKind::BTree };
            return self.create_table(at, kind);
        }
        let (id, kind) = tables[self.rng.below(tables.len() as u64) as usize];
        let rows = &view.tables[&id].rows;
        let existing = match rows.len() {
            0 => None,
            n => rows.keys().nth(self.rng.below(n as u64) as usize).cloned(),
        };
        let mark = self.open[at].changes.len();
        let savepoint = self.open[at].tx.savepoint();
        let choice = self.rng.below(100);
        let result = self.change_table(at, id, kind, existing, rows.clone(), choice);
        match result {
            Ok(()) => Ok(()),
            Err(e) => {
                // A statement that fails is undone as a whole.
                if self.judge("a change", Err::<(), _>(e))?.is_none() && self.world.is_powered() {
                    self.open[at].changes.truncate(mark);
                    let undone = self.open[at].tx.rollback_to(savepoint);
                    self.must("statement rollback", undone)?;
                }
                Ok(())
            }
        }
    }

    fn create_table(&mut self, at: usize, kind: HobtKind) -> Outcome<()> {
        self.next_object += 1;
        let db = self.db();
        let object = ObjectId(self.next_object);
        let tx = &mut self.open[at].tx;
        let savepoint = tx.savepoint();
        let made = tx
            .lock_object(object, LockMode::SchM)
            .and_then(|()| db.create_hobt(tx, kind, object, IndexId(kind as i32)));
        match self.judge("create_hobt", made)? {
            Some(id) => {
                self.open[at].changes.push(Change::Create(id, kind, object));
                if kind == HobtKind::BTree && self.rng.one_in(3) {
                    return self.build(at, id);
                }
            }
            None if self.world.is_powered() => {
                let undone = self.open[at].tx.rollback_to(savepoint);
                self.must("statement rollback", undone)?;
            }
            None => {}
        }
        Ok(())
    }

    /// Fills a new tree from entries in order.
    fn build(&mut self, at: usize, id: HobtId) -> Outcome<()> {
        let count = self.rng.below(1500);
        let mut n = 0;
        let mut entries = Vec::new();
        for _ in 0..count {
            n += 1 + self.rng.below(4);
            let mut bytes = vec![check::PLAIN; 1 + self.rng.below(120) as usize];
            self.rng.fill(&mut bytes[1..]);
            entries.push((n.to_be_bytes().to_vec(), bytes));
        }
        let mark = self.open[at].changes.len();
        let tx = &mut self.open[at].tx;
        let savepoint = tx.savepoint();
        let made = self.db.as_ref().expect("an open database").hobt(id).and_then(|hobt| {
            btree::build(tx, &hobt, entries.iter().cloned().map(Ok::<_, StorageError>))
        });
        match self.judge("build", made)? {
            Some(built) if built != count => Err(format!("built {built} of {count} entries")),
            Some(_) => {
                let put = |(key, bytes)| Change::Put(id, key, Arc::new(Row { bytes, lob: None }));
                self.open[at].changes.extend(entries.into_iter().map(put));
                self.seen.builds += 1;
                Ok(())
            }
            None if self.world.is_powered() => {
                self.open[at].changes.truncate(mark);
                let undone = self.open[at].tx.rollback_to(savepoint);
                self.must("statement rollback", undone)?;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn change_table(
        &mut self,
        at: usize,
        id: HobtId,
        (kind, object): (HobtKind, ObjectId),
        existing: Option<Vec<u8>>,
        rows: std::collections::BTreeMap<Vec<u8>, Arc<Row>>,
        choice: u64,
    ) -> Result<(), StorageError> {
        let db = self.db();
        let rare = choice >= 98;
        let mode = if rare { LockMode::SchM } else { LockMode::IX };
        // The lock first: somebody else may have dropped the table and not committed.
        self.open[at].tx.lock_object(object, mode)?;
        let hobt = db.hobt(id)?;
        match (choice, existing) {
            (98, _) => {
                db.truncate_hobt(&mut self.open[at].tx, id)?;
                self.open[at].changes.push(Change::Truncate(id));
                self.seen.drops += 1;
            }
            (99, _) => {
                db.drop_hobt(&mut self.open[at].tx, id)?;
                self.open[at].changes.push(Change::Drop(id));
                self.seen.drops += 1;
            }
            (0..50, _) | (_, None) => {
                let count = if self.rng.one_in(4) { 1 + self.rng.below(60) } else { 1 };
                let large = self.rng.one_in(12);
                for _ in 0..count {
                    self.insert(at, &hobt, kind, large, &rows)?;
                }
            }
            (50..75, Some(key)) => {
                let row = self.new_row(at, &hobt, false)?;
                let old = rows[&key].clone();
                let tx = &mut self.open[at].tx;
                match kind {
                    HobtKind::BTree => btree::update(tx, &hobt, &key, &row.bytes)?,
                    HobtKind::Heap => heap::update(tx, &hobt, rid(&key), &row.bytes)?,
                }
                self.delete_lob(at, &hobt, &old)?;
                self.open[at].changes.push(Change::Put(id, key, Arc::new(row)));
            }
            (_, Some(first)) => {
                let count = if self.rng.one_in(4) { 1 + self.rng.below(40) as usize } else { 1 };
                let keys: Vec<Vec<u8>> =
                    rows.range(first..).take(count).map(|(k, _)| k.clone()).collect();
                for key in keys {
                    let tx = &mut self.open[at].tx;
                    let found = match kind {
                        HobtKind::BTree => btree::delete(tx, &hobt, &key)?,
                        HobtKind::Heap => heap::delete(tx, &hobt, rid(&key))?,
                    };
                    if !found {
                        return Err(StorageError::Misuse("a row that should be there is not"));
                    }
                    self.delete_lob(at, &hobt, &rows[&key].clone())?;
                    self.open[at].changes.push(Change::Delete(id, key));
                }
            }
        }
        Ok(())
    }

    fn delete_lob(
        &mut self,
        at: usize,
        hobt: &taffrail_storage::Hobt,
        row: &Row,
    ) -> Result<(), StorageError> {
        match &row.lob {
            Some(_) => lob::delete(&mut self.open[at].tx, hobt, check::lob_ref(&row.bytes)),
            None => Ok(()),
        }
    }

    fn new_row(
        &mut self,
        at: usize,
        hobt: &taffrail_storage::Hobt,
        large: bool,
    ) -> Result<Row, StorageError> {
        if self.rng.one_in(30) {
            let mut content = vec![0; 1 + self.rng.below(40_000) as usize];
            self.rng.fill(&mut content);
            let stored = lob::write(&mut self.open[at].tx, hobt, &content)?;
            self.seen.lobs += 1;
            return Ok(Row { bytes: check::lob_row(stored), lob: Some(content) });
        }
        let length = match self.rng.below(10) {
            _ if large => 1000 + self.rng.below(6000),
            0..6 => 10 + self.rng.below(100),
            6..9 => 100 + self.rng.below(700),
            _ => 10 + self.rng.below(3000),
        };
        let mut bytes = vec![0; length as usize];
        self.rng.fill(&mut bytes);
        bytes[0] = check::PLAIN;
        Ok(Row { bytes, lob: None })
    }

    fn insert(
        &mut self,
        at: usize,
        hobt: &taffrail_storage::Hobt,
        kind: HobtKind,
        large: bool,
        rows: &std::collections::BTreeMap<Vec<u8>, Arc<Row>>,
    ) -> Result<(), StorageError> {
        let row = self.new_row(at, hobt, large)?;
        let id = hobt.id();
        let key = match kind {
            HobtKind::Heap => {
                let rid = heap::insert(&mut self.open[at].tx, hobt, &row.bytes)?;
                let key = rid.to_bytes().to_vec();
                if rows.contains_key(&key) {
                    return Err(StorageError::Misuse("a row identifier was given to a second row"));
                }
                key
            }
            HobtKind::BTree => {
                // Half of the keys ascend, half fall anywhere; some are there already.
                self.next_key += 1;
                let n = match self.rng.one_in(2) {
                    true => (1 << 40) + self.next_key,
                    false => self.rng.below(5000),
                };
                let mut key = n.to_be_bytes().to_vec();
                key.resize(8 + (n % 23) as usize, 0x55);
                let is_new = !rows.contains_key(&key)
                    && !self.open[at]
                        .changes
                        .iter()
                        .any(|c| matches!(c, Change::Put(t, k, _) if *t == id && *k == key));
                match btree::insert(&mut self.open[at].tx, hobt, &key, &row.bytes) {
                    Err(StorageError::DuplicateKey) if !is_new => {
                        return match &row.lob {
                            Some(_) => self.delete_lob(at, hobt, &row),
                            None => Ok(()),
                        };
                    }
                    other => other?,
                }
                if !is_new && self.view(at).tables[&id].rows.contains_key(&key) {
                    return Err(StorageError::Misuse("a duplicate key was accepted"));
                }
                key
            }
        };
        self.open[at].changes.push(Change::Put(id, key, Arc::new(row)));
        Ok(())
    }

    fn insert_some(&mut self, at: usize, count: u64) -> Outcome<()> {
        let tables = self.view(at).tables;
        let Some(id) = tables.iter().find(|(_, t)| t.kind == HobtKind::BTree).map(|(id, _)| *id)
        else {
            return Err("no tree to insert into".into());
        };
        let rows = tables[&id].rows.clone();
        let mut all = || {
            let hobt = self.db().hobt(id)?;
            self.open[at].tx.lock_object(hobt.object(), LockMode::IX)?;
            for _ in 0..count {
                self.insert(at, &hobt, HobtKind::BTree, false, &rows)?;
            }
            Ok(())
        };
        let result = all();
        match self.judge("inserts", result)? {
            Some(()) => Ok(()),
            None => Err("inserts that had to work did not".into()),
        }
    }

    fn savepoint(&mut self) {
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

    fn rollback_to_savepoint(&mut self) -> Outcome<()> {
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

    fn end_one(&mut self, end: End) -> Outcome<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        let at = self.rng.below(self.open.len() as u64) as usize;
        let t = self.open.swap_remove(at);
        self.finish(t, end)
    }

    fn finish(&mut self, t: OpenTransaction, end: End) -> Outcome<()> {
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

    fn read(&mut self) -> Outcome<()> {
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
        match current.difference(&found) {
            Some(difference) => Err(format!("before any crash, {locks:?}: {difference}")),
            None => Ok(()),
        }
    }

    fn checkpoint(&mut self) -> Outcome<()> {
        self.note("checkpoint");
        let result = self.db().checkpoint(CheckpointKind::Manual);
        self.must("checkpoint", result)?;
        Ok(())
    }

    fn flush_log(&mut self) -> Outcome<()> {
        let result = self.db().flush_log();
        if self.must("flush_log", result)?.is_some() {
            self.model.all_hardened();
        }
        Ok(())
    }

    fn ticks(&mut self) {
        let by = Duration::from_millis(1 << self.rng.below(14));
        self.world.clock().advance(by);
        check::writer_tick(&self.db());
        self.db().background_tick();
        if let Some(instance) = &self.instance {
            instance.lazy_writer_tick();
        }
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
        self.world.clear_faults();
        while let Some(t) = self.open.pop() {
            self.finish(t, End::Rollback)?;
        }
        let db = self.db();
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
            self.world.restart();
        }
        self.reopen()
    }

    fn crash_and_restart(&mut self) -> Outcome<()> {
        self.collect();
        self.world.restart();
        self.world.drop_sync(None);
        self.seen.crashes += 1;
        // Handles of the dead machine: whatever they still try fails.
        self.open.clear();
        (self.db, self.instance) = (None, None);
        let torn = self.world.stats().torn_files;
        self.note(format!("crash {} (torn files so far: {torn})", self.seen.crashes));
        if self.sabotage == Sabotage::None {
            // Power fails during recovery too, sometimes several times.
            for _ in 0..3 {
                if !self.rng.one_in(3) {
                    break;
                }
                let scale = self.rng.below(9);
                let operations = 1 + self.rng.below(1 << scale);
                self.world.crash_at(operations);
                let opened = self.open_database();
                let powered = self.world.is_powered();
                (self.db, self.instance) = (None, None);
                match opened {
                    Err(e) if powered => return Err(format!("restart: {e}")),
                    _ => {}
                }
                self.note(format!("crash at I/O {operations} of recovery, reached: {}", !powered));
                self.seen.crashes_in_recovery += u64::from(!powered);
                self.world.restart();
            }
        }
        self.reopen()
    }

    fn open_database(&mut self) -> Outcome<()> {
        let instance = self.new_instance()?;
        let spec = OpenSpec { primary: PathBuf::from(DATA) };
        let opened = Database::open(&instance, DatabaseId(5), NAME, &spec);
        let (db, report) = opened.map_err(|e| format!("open: {e} ({e:?})"))?;
        self.seen.torn_repaired += report.torn_repaired;
        self.seen.rolled_back_by_restart += report.rolled_back;
        self.db = Some(db);
        Ok(())
    }

    fn reopen(&mut self) -> Outcome<()> {
        self.open_database()?;
        let db = self.db();
        // A checkpoint in a full log does without the records that keep the row counts.
        let counted = self.seen.log_full == 0;
        let found = check::structure(&db, counted).map_err(|e| format!("after restart: {e}"))?;
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
        self.seen.torn_writes += self.world.stats().torn_files;
        self.open.clear();
        (self.db, self.instance) = (None, None);
    }
}

#[derive(Clone, Copy)]
enum End {
    Full,
    Delayed,
    Rollback,
}

fn rid(key: &[u8]) -> Rid {
    Rid::from_bytes(key.try_into().expect("a heap's keys are row identifiers"))
}

pub fn lob_ref_parts(first: u64, length: u64) -> LobRef {
    LobRef { first: taffrail_base::PageId::from_u64(first), length }
}
