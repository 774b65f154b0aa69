//! A failed sync stays failed: whoever comes between the failure and the moment at which its database is suspect acknowledges nothing by
//! it; and whatever fails once, at any I/O, what was acknowledged is there after the restart.

use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use taffrail_base::FileId;
use taffrail_io::sim::{Fault, FaultKind, IoKind};
use taffrail_io::{Disk, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone, WriteOp};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, DatabaseState, Durability, Growth, ScanLocks, StorageInstance,
    StorageResult, Transaction, btree, heap,
};

#[path = "../src/rig.rs"]
mod rig;

use rig::{MB, Rig, begin, begin_as, make, whole_heap, whole_tree};

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).dir_synced().frames(1024).data(4 * MB, Growth::Bytes(MB));
    rig.log(MB, Growth::Bytes(MB)).log_max(64 * MB)
}

/// A disk on which a sync that fails takes its time, so that others go on before its caller hears of it.
struct SlowToFail {
    inner: Arc<dyn Disk>,
    failing: Arc<AtomicBool>,
}

struct SlowVolume(Arc<dyn Volume>, Arc<AtomicBool>);

impl Disk for SlowToFail {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        Ok(Arc::new(SlowVolume(self.inner.create(path, spec)?, self.failing.clone())))
    }
    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        Ok(Arc::new(SlowVolume(self.inner.open(path, spec)?, self.failing.clone())))
    }
    fn exists(&self, path: &Path) -> IoResult<bool> {
        self.inner.exists(path)
    }
    fn remove(&self, path: &Path) -> IoResult<()> {
        self.inner.remove(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> IoResult<()> {
        self.inner.rename(from, to)
    }
    fn list(&self, dir: &Path) -> IoResult<Vec<PathBuf>> {
        self.inner.list(dir)
    }
    fn create_dir(&self, dir: &Path) -> IoResult<()> {
        self.inner.create_dir(dir)
    }
    fn sync_dir(&self, dir: &Path) -> IoResult<()> {
        self.inner.sync_dir(dir)
    }
    fn space(&self, path: &Path) -> IoResult<Space> {
        self.inner.space(path)
    }
}

impl Volume for SlowVolume {
    fn path(&self) -> &Path {
        self.0.path()
    }
    fn kind(&self) -> VolumeKind {
        self.0.kind()
    }
    fn sector_bytes(&self) -> u32 {
        self.0.sector_bytes()
    }
    fn len(&self) -> IoResult<u64> {
        self.0.len()
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        self.0.read_at(offset, buf)
    }
    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        self.0.write_at(offset, data)
    }
    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.0.write_durable(offset, parts)
    }
    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        self.0.submit(ops)
    }
    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        self.0.reap(min)
    }
    fn allocate(&self, offset: u64, len: u64) -> IoResult<()> {
        self.0.allocate(offset, len)
    }
    fn unwritten(&self, offset: u64, end: u64) -> IoResult<Vec<(u64, u64)>> {
        self.0.unwritten(offset, end)
    }
    fn truncate(&self, len: u64) -> IoResult<()> {
        self.0.truncate(len)
    }
    fn sync(&self) -> IoResult<()> {
        let result = self.0.sync();
        if result.is_err() && !self.1.swap(true, Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(200));
        }
        result
    }
}

/// Rows of a load whose contents are not logged; enough that pages of them are written before its end.
const ROWS: u64 = 2000;

fn load(db: &Arc<Database>, tx: &mut Transaction, heap: taffrail_base::HobtId) -> heap::HeapLoad {
    let heap = db.hobt(heap).unwrap();
    tx.lock_object(heap.object(), LockMode::X).unwrap();
    let mut load = heap::HeapLoad::open(&heap);
    for n in 0..ROWS {
        let mut row = vec![7; 1000];
        row[..8].copy_from_slice(&n.to_be_bytes());
        load.push(tx, &row).unwrap();
    }
    load
}

/// A minimally logged load ends while somebody else's sync of the data file fails: its pages are gone, and it must not be acknowledged.
fn beside(what: impl Fn(&Arc<Database>) -> StorageResult<()> + Sync) {
    let rig = rig(1);
    let failing = Arc::new(AtomicBool::new(false));
    let mut env = rig.world.env();
    env.disk = Arc::new(SlowToFail { inner: env.disk.clone(), failing: failing.clone() });
    let instance = StorageInstance::new(env, rig.machine.clone()).unwrap();
    let db = rig.create_in(&instance).unwrap();
    let id = make(&db, 1000, 0);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let mut tx = begin(&db);
    let load = load(&db, &mut tx, id);
    rig.world.inject(Fault {
        nth: 1,
        kind: Some(IoKind::Sync),
        path_contains: "t.mdf".into(),
        fault: FaultKind::Io,
        sticky: false,
    });
    let loaded = std::thread::scope(|s| {
        let other = s.spawn(|| what(&db));
        while !failing.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        let loaded = load.finish(&mut tx).and_then(|_| tx.commit(Durability::Full));
        assert!(other.join().unwrap().is_err());
        loaded
    });
    assert!(matches!(db.state(), DatabaseState::Suspect(_)));
    rig.lose_power((db, instance));
    let db = rig.open();
    let heap = db.hobt(id).unwrap();
    let rows = whole_heap(&mut begin(&db), &heap).unwrap().len() as u64;
    assert_eq!(rows, 0, "a load that could not be made durable");
    assert!(loaded.is_err(), "acknowledged, and {rows} of {ROWS} rows are there");
}

#[test]
fn a_load_beside_a_checkpoint_whose_sync_fails_is_not_acknowledged() {
    beside(|db| db.checkpoint(CheckpointKind::Manual));
}

#[test]
fn a_load_beside_a_growth_whose_sync_fails_is_not_acknowledged() {
    beside(|db| db.grow_data_file(FileId(1), 64 * MB));
}

/// A load that is on disk, in a database that has become suspect since: its commit says so.
#[test]
fn a_minimally_logged_commit_looks_whether_the_database_is_whole() {
    let rig = rig(2);
    let db = rig.create();
    let id = make(&db, 1000, 0);
    let mut tx = begin(&db);
    load(&db, &mut tx, id).finish(&mut tx).unwrap();
    db.mark_suspect("the data file is not to be trusted");
    assert!(tx.commit(Durability::Full).is_err());
    rig.lose_power(db);
    let db = rig.open();
    assert_eq!(db.hobt(id).unwrap().row_count(), 0);
}

/// What a history has acknowledged so far.
#[derive(Default)]
struct Acknowledged {
    keys: Vec<u64>,
    loads: u64,
    failed: bool,
}

/// A little of everything that writes and syncs, whatever fails on the way.
fn history(
    db: &Arc<Database>,
    tree: taffrail_base::HobtId,
    heap: taffrail_base::HobtId,
) -> Acknowledged {
    let mut done = Acknowledged::default();
    for round in 0..6_u64 {
        for n in 0..6 {
            let key = round * 100 + n;
            let inserted = (|| {
                let mut tx = begin_as(db, 52);
                let tree = db.hobt(tree)?;
                tx.lock_object(tree.object(), LockMode::IX)?;
                for part in 0..4_u64 {
                    let k = (key << 8 | part).to_be_bytes();
                    btree::insert(&mut tx, &tree, &k, &[key as u8; 3000])?;
                }
                tx.commit(Durability::Full)
            })();
            match inserted {
                Ok(()) => done.keys.push(key),
                Err(_) => done.failed = true,
            }
        }
        let loaded = (|| {
            let mut tx = begin(db);
            let heap = db.hobt(heap)?;
            tx.lock_object(heap.object(), LockMode::X)?;
            let mut load = heap::HeapLoad::open(&heap);
            for _ in 0..200 {
                load.push(&mut tx, &[round as u8; 1000])?;
            }
            load.finish(&mut tx)?;
            tx.commit(Durability::Full)
        })();
        match loaded {
            Ok(()) => done.loads += 1,
            Err(_) => done.failed = true,
        }
        // Zeroes ahead of the head, the log's own writer, growth of both files.
        db.log().ahead_tick();
        db.log().writer_tick();
        db.log().sync_ahead();
        let size = (5 + round) * MB;
        done.failed |= db.grow_data_file(FileId(1), size).is_err();
        done.failed |= db.log().grow_file(0, size).is_err();
        done.failed |= db.checkpoint(CheckpointKind::Manual).is_err();
    }
    done
}

#[test]
fn whatever_fails_once_what_was_acknowledged_is_there() {
    let mut struck = 0;
    for kind in [IoKind::Sync, IoKind::Write, IoKind::WriteDurable] {
        for nth in (1..30).chain((30..300).step_by(17)) {
            let rig = rig(nth);
            let db = rig.create();
            let (tree, heap) = (make(&db, 1000, 1), make(&db, 1001, 0));
            rig.world.inject(Fault {
                nth,
                kind: Some(kind),
                path_contains: String::new(),
                fault: FaultKind::Io,
                sticky: false,
            });
            let done = history(&db, tree, heap);
            struck += u64::from(done.failed);
            rig.lose_power(db);
            let db = rig.open();
            let what = format!("{kind:?} {nth}");
            let mut tx = begin(&db);
            let rows = whole_tree(&mut tx, &db.hobt(tree).unwrap()).unwrap();
            for key in &done.keys {
                for part in 0..4 {
                    let there = rows.contains_key(&(key << 8 | part).to_be_bytes()[..]);
                    assert!(there, "{what}: key {key} was acknowledged");
                }
            }
            let loaded = whole_heap(&mut tx, &db.hobt(heap).unwrap()).unwrap().len() as u64;
            assert!(loaded >= done.loads * 200, "{what}: {loaded} rows of {} loads", done.loads);
            tx.commit(Durability::Full).unwrap();
            if rig::count(&db, tree, ScanLocks::ReadCommitted).unwrap() < rows.len() as u64 {
                panic!("{what}: rows that were there");
            }
        }
    }
    assert!(struck > 60, "hardly anything failed: {struck}");
}
