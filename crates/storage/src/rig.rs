//! What tests need before they can begin: a database on the simulated disk, made, opened, cut off and opened again.
//!
//! A [`Rig`] is a world, what the database in it is made of, and the machine that runs it. Sizes of files, their growth, the frames of the
//! pool and whether the directory was synced decide what the seeds of a test meet. So each test says its own, in one place near its
//! beginning, and the rig has no sizes of its own:
//!
//! ```ignore
//! fn rig(seed: u64) -> Rig {
//!     Rig::new(seed).frames(64).data(2 * MB, Growth::Bytes(MB)).log(MB, Growth::Bytes(MB)).log_max(64 * MB)
//! }
//!
//! let rig = rig(7);
//! let db = rig.create();
//! …
//! rig.lose_power(db);
//! let db = rig.open();
//! ```
//!
//! Every opening is a machine started anew, with an empty pool; the `_in` forms take one that runs. Below the rig are the few things that
//! nearly every test does with its database. Tests in `src` have this file as a module, those in `tests` include it.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::{DatabaseId, FileId, HobtId, IndexId, ObjectId, SessionId};
use taffrail_io::sim::{SimOptions, SimWorld};
use taffrail_storage::{
    BeginSpec, CreateSpec, DataFileSpec, Database, DatabaseOptions, Direction, Durability, Growth,
    Hobt, HobtKind, InstanceOptions, KeyRange, OpenSpec, RecoveryModel, RecoveryReport, Rid,
    ScanLocks, StorageInstance, StorageResult, Transaction, btree, heap,
};

pub const MB: u64 = 1 << 20;
pub const KB: u64 = 1 << 10;

/// The entries of a tree, by key.
pub type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// A tree that every database has from the beginning.
pub const TREE: HobtId = HobtId(3);

/// A world, a database's description, and its machine's.
#[derive(Clone)]
pub struct Rig {
    pub world: SimWorld,
    pub id: DatabaseId,
    pub name: String,
    /// One data file; its path tells where the database is.
    pub data: DataFileSpec,
    pub logs: Vec<DataFileSpec>,
    /// SIMPLE unless a test says otherwise.
    pub options: DatabaseOptions,
    pub machine: InstanceOptions,
}

/// A file below `/data`, of no size yet.
fn file(name: String) -> DataFileSpec {
    let path = PathBuf::from(format!("/data/{name}"));
    DataFileSpec { name, path, size: 0, growth: Growth::None, max_size: None }
}

/// The file with another name and path.
fn renamed(old: &DataFileSpec, name: String) -> DataFileSpec {
    let DataFileSpec { name, path, .. } = file(name);
    DataFileSpec { name, path, ..old.clone() }
}

/// The making of a rig.
impl Rig {
    /// A world on a seed, with the directory `/data`, for database 5 `t` in `t.mdf` and `t_log.ldf`.
    pub fn new(seed: u64) -> Rig {
        Rig::on(SimWorld::new(seed))
    }

    /// As [`Rig::new`], with sectors of another size.
    pub fn sectors(seed: u64, sector: u32) -> Rig {
        Rig::on(SimWorld::with_options(seed, SimOptions { sector, ..SimOptions::default() }))
    }

    fn on(world: SimWorld) -> Rig {
        world.env().disk.create_dir(Path::new("/data")).unwrap();
        let recovery_model = RecoveryModel::Simple;
        Rig {
            world,
            id: DatabaseId(5),
            name: "t".into(),
            data: file("t.mdf".into()),
            logs: vec![file("t_log.ldf".into())],
            options: DatabaseOptions { recovery_model, ..DatabaseOptions::default() },
            machine: InstanceOptions::default(),
        }
    }

    /// The directory outlives a crash though no file in it was synced.
    pub fn dir_synced(self) -> Rig {
        self.world.env().disk.sync_dir(Path::new("/data")).unwrap();
        self
    }

    /// Another name: of the database, and of its files.
    pub fn named(mut self, name: &str) -> Rig {
        let log = format!("{name}_log.ldf");
        self.name = name.into();
        self.data = renamed(&self.data, format!("{name}.mdf"));
        self.log_named(&log)
    }

    /// Another name of the log's file.
    pub fn log_named(mut self, name: &str) -> Rig {
        self.logs[0] = renamed(&self.logs[0], name.into());
        self
    }

    /// Logical names without the endings of the files' names.
    pub fn plain_names(mut self) -> Rig {
        for file in std::iter::once(&mut self.data).chain(&mut self.logs) {
            file.name = file.name.split('.').next().unwrap().to_owned();
        }
        self
    }

    pub fn id(mut self, id: u16) -> Rig {
        self.id = DatabaseId(id);
        self
    }

    /// The data file: its size, and what it grows by.
    pub fn data(mut self, size: u64, growth: Growth) -> Rig {
        self.data = DataFileSpec { size, growth, ..self.data };
        self
    }

    /// The data file grows up to this.
    pub fn data_max(mut self, max_size: impl Into<Option<u64>>) -> Rig {
        self.data.max_size = max_size.into();
        self
    }

    /// The log's file: its size, and what it grows by.
    pub fn log(mut self, size: u64, growth: Growth) -> Rig {
        self.logs[0] = DataFileSpec { size, growth, ..self.logs[0].clone() };
        self
    }

    /// The log's file grows up to this.
    pub fn log_max(mut self, max_size: u64) -> Rig {
        self.logs[0].max_size = Some(max_size);
        self
    }

    /// One more file for the log, of the same growth.
    pub fn more_log(mut self, name: &str, size: u64) -> Rig {
        let more = DataFileSpec { size, ..renamed(&self.logs[0], name.into()) };
        self.logs.push(more);
        self
    }

    pub fn model(mut self, model: RecoveryModel) -> Rig {
        self.options.recovery_model = model;
        self
    }

    /// Pages in the pool of its machine.
    pub fn frames(mut self, frames: u64) -> Rig {
        self.machine.pool_bytes = frames * 8192;
        self
    }

    pub fn spec(&self) -> CreateSpec {
        CreateSpec {
            data_files: vec![self.data.clone()],
            log_files: self.logs.clone(),
            options: self.options.clone(),
            temporary: false,
        }
    }
}

/// The use of a rig.
impl Rig {
    /// A machine with an empty pool.
    pub fn instance(&self) -> Arc<StorageInstance> {
        StorageInstance::new(self.world.env(), self.machine.clone()).unwrap()
    }

    pub fn create(&self) -> Arc<Database> {
        self.create_in(&self.instance()).unwrap()
    }

    pub fn create_in(&self, instance: &Arc<StorageInstance>) -> StorageResult<Arc<Database>> {
        Database::create(instance, self.id, &self.name, &self.spec())
    }

    pub fn open(&self) -> Arc<Database> {
        self.restart().unwrap().0
    }

    /// Opens it and waits for the end of undo.
    pub fn recover(&self) -> StorageResult<Arc<Database>> {
        let (db, _) = self.restart()?;
        db.finish_recovery()?;
        Ok(db)
    }

    /// Opens it, and tells what restart did.
    pub fn restart(&self) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        self.open_in(&self.instance())
    }

    pub fn open_in(
        &self,
        instance: &Arc<StorageInstance>,
    ) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        Database::open(instance, self.id, &self.name, &self.place())
    }

    /// Opens it, with undo still to be done.
    pub fn open_deferred(&self) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        self.open_deferred_in(&self.instance())
    }

    pub fn open_deferred_in(
        &self,
        instance: &Arc<StorageInstance>,
    ) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        Database::open_deferred(instance, self.id, &self.name, &self.place())
    }

    /// Where the database is.
    pub fn place(&self) -> OpenSpec {
        OpenSpec::of(self.data.path.clone())
    }

    /// Power fails, what the machine held is gone, power is back.
    pub fn lose_power<T>(&self, held: T) {
        self.world.crash();
        drop(held);
        self.world.restart();
    }

    /// Starts the machine until nothing cuts it short: `cut` says before which I/O power fails this time. Gives what was opened, and
    /// how often it was cut short. What fails while there is power is an error.
    pub fn restart_through<T>(
        &self,
        mut cut: impl FnMut() -> Option<u64>,
        open: impl Fn(&Rig) -> StorageResult<T>,
    ) -> StorageResult<(T, u64)> {
        for cuts in 0.. {
            self.world.restart();
            if let Some(nth) = cut() {
                self.world.crash_at(nth);
            }
            match open(self) {
                Ok(opened) => {
                    self.world.clear_faults();
                    return Ok((opened, cuts));
                }
                Err(e) if self.world.is_powered() => return Err(e),
                Err(_) => {}
            }
        }
        unreachable!("power fails less often than for ever")
    }
}

/// A transaction of session 51.
pub fn begin(db: &Arc<Database>) -> Transaction {
    begin_as(db, 51)
}

/// A transaction of some session.
pub fn begin_as(db: &Arc<Database>, session: u16) -> Transaction {
    db.begin(BeginSpec { session: SessionId(session), ..BeginSpec::default() })
}

/// A transaction that does not wait for locks.
pub fn begin_impatient(db: &Arc<Database>, session: u16) -> Transaction {
    db.begin(BeginSpec { session: SessionId(session), lock_timeout_ms: 0, ..BeginSpec::default() })
}

/// A new heap (index 0) or tree, committed.
pub fn make(db: &Arc<Database>, object: i32, index: i32) -> HobtId {
    let mut tx = begin(db);
    let id = make_in(&mut tx, object, index);
    tx.commit(Durability::Full).unwrap();
    id
}

/// A new heap (index 0) or tree.
pub fn make_in(tx: &mut Transaction, object: i32, index: i32) -> HobtId {
    let kind = if index == 0 { HobtKind::Heap } else { HobtKind::BTree };
    let db = tx.database().clone();
    db.create_hobt(tx, kind, ObjectId(object), IndexId(index)).unwrap()
}

/// How many rows a tree has.
pub fn count(db: &Arc<Database>, tree: HobtId, locks: ScanLocks) -> StorageResult<u64> {
    let tree = db.hobt(tree)?;
    let mut tx = begin(db);
    let mut cursor = btree::seek(&tree, KeyRange::default(), Direction::Forward, locks);
    let mut n = 0;
    while cursor.next(&mut tx)?.is_some() {
        n += 1;
    }
    Ok(n)
}

/// The rows of a tree's range, in the order of their keys.
pub fn entries(
    tx: &mut Transaction,
    tree: &Arc<Hobt>,
    range: KeyRange,
    locks: ScanLocks,
) -> StorageResult<Entries> {
    let mut rows = Entries::new();
    let mut cursor = btree::seek(tree, range, Direction::Forward, locks);
    while let Some((key, row)) = cursor.next(tx)? {
        assert!(rows.last_key_value().is_none_or(|(last, _)| &last[..] < key), "out of order");
        rows.insert(key.to_vec(), row.to_vec());
    }
    Ok(rows)
}

/// All rows of a tree; it has the same ones backward, and counts them right.
pub fn whole_tree(tx: &mut Transaction, tree: &Arc<Hobt>) -> StorageResult<Entries> {
    let all = KeyRange::default;
    let rows = entries(tx, tree, all(), ScanLocks::None)?;
    assert_eq!(tree.row_count(), rows.len() as u64, "row count of {}", tree.id());
    let mut back = Vec::new();
    let mut cursor = btree::seek(tree, all(), Direction::Backward, ScanLocks::None);
    while let Some((key, _)) = cursor.next(tx)? {
        back.push(key.to_vec());
    }
    assert!(back.iter().rev().eq(rows.keys()), "backward differs from forward");
    Ok(rows)
}

/// The rows of a heap, by where they are.
pub fn heap_rows(
    tx: &mut Transaction,
    heap: &Arc<Hobt>,
    locks: ScanLocks,
) -> StorageResult<BTreeMap<Rid, Vec<u8>>> {
    let mut rows = BTreeMap::new();
    let mut cursor = heap::scan(heap, locks);
    while let Some((rid, row)) = cursor.next(tx)? {
        assert!(rows.insert(rid, row.to_vec()).is_none(), "{rid:?} twice");
    }
    Ok(rows)
}

/// All rows of a heap, which counts them right.
pub fn whole_heap(tx: &mut Transaction, heap: &Arc<Hobt>) -> StorageResult<BTreeMap<Rid, Vec<u8>>> {
    let rows = heap_rows(tx, heap, ScanLocks::None)?;
    assert_eq!(heap.row_count(), rows.len() as u64, "row count of {}", heap.id());
    Ok(rows)
}

/// Extents of the data file that are in use and belong to nobody that the directory knows.
pub fn unowned(db: &Arc<Database>) -> i64 {
    let used = db.files().iter().find(|f| f.id == FileId(1)).unwrap().used / 65_536;
    let users = db.hobts().unwrap().into_iter().filter(|id| id.0 > 64);
    let owned: u64 = users.map(|id| db.space_used(id).unwrap().reserved_pages / 8).sum();
    used as i64 - owned as i64
}

/// A number that the environment sets, e.g. a seed.
pub fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The seeds of a run: `TAFFRAIL_SIM_SEED` alone, or `TAFFRAIL_SIM_RUNS` from `TAFFRAIL_SIM_FIRST` on.
pub fn seeds(first: u64, usual: u64) -> std::ops::Range<u64> {
    if let Some(seed) = number("TAFFRAIL_SIM_SEED") {
        return seed..seed + 1;
    }
    let first = number("TAFFRAIL_SIM_FIRST").unwrap_or(first);
    first..first + number("TAFFRAIL_SIM_RUNS").unwrap_or(usual)
}
