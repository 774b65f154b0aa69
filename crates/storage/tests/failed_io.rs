//! A failed sync stays failed: whoever comes between the failure and the moment at which its database is suspect acknowledges nothing by
//! it; and whatever fails once, at any I/O, what was acknowledged is there after the restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use taffrail_base::{FileId, HobtId, ObjectId};
use taffrail_io::sim::{Fault, FaultKind, HookedDisk, IoKind};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, DatabaseState, Durability, Growth, ScanLocks, StorageInstance,
    StorageResult, Transaction, btree, heap,
};

use crate::rig;

use rig::{MB, Rig, begin, begin_as, make, whole_heap, whole_tree};

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).dir_synced().frames(1024).data(4 * MB, Growth::Bytes(MB));
    rig.log(MB, Growth::Bytes(MB)).log_max(64 * MB)
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
    let struck = failing.clone();
    // A failure takes its time, so that others go on before its caller hears of it.
    env.disk = Arc::new(HookedDisk::new(env.disk.clone(), move |_, result| {
        if result.is_err() && !struck.swap(true, Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(200));
        }
        result
    }));
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

/// The first has 10 rows on disk and few pages in memory; all others, nearly all of them dirty if `all`, are those of the second, whose
/// number comes first and which cannot be written.
struct Beside {
    own: Rig,
    failing: Rig,
    instance: Arc<StorageInstance>,
    db: Arc<Database>,
    other: Arc<Database>,
    trees: (HobtId, HobtId),
}

fn insert(db: &Arc<Database>, id: HobtId, keys: std::ops::Range<u64>) -> StorageResult<()> {
    let mut tx = begin(db);
    tx.lock_object(ObjectId(1000), LockMode::IX)?;
    let tree = db.hobt(id)?;
    for key in keys {
        btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[7; 3000])?;
    }
    tx.commit(Durability::Full)
}

fn beside_one_that_fails(all: bool) -> Beside {
    let own = rig(1).frames(64);
    let failing = own.clone().id(4).named("failing");
    let instance = own.instance();
    let (db, other) = (own.create_in(&instance).unwrap(), failing.create_in(&instance).unwrap());
    let trees = (make(&db, 1000, 1), make(&other, 1000, 1));
    insert(&db, trees.0, 0..10).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    // Its pages are in memory first, and then dirty, which takes no frame.
    let rows = if all { 0..106 } else { 0..1 };
    insert(&other, trees.1, rows.clone()).unwrap();
    other.checkpoint(CheckpointKind::Manual).unwrap();
    let (kind, path_contains) = (Some(IoKind::Write), "failing.mdf".to_owned());
    let fault = Fault { nth: 1, kind, path_contains, fault: FaultKind::Full, sticky: true };
    own.world.inject(fault);
    let mut tx = begin(&other);
    tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
    let tree = other.hobt(trees.1).unwrap();
    for key in rows {
        btree::update(&mut tx, &tree, &key.to_be_bytes(), &[8; 3000]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    insert(&other, trees.1, 200..1000).unwrap_err();
    assert!(matches!(other.state(), DatabaseState::Suspect(_)));
    Beside { own, failing, instance, db, other, trees }
}

/// Nothing of a suspect database is read or written any more: its dirty pages make room.
#[test]
fn a_database_that_has_failed_leaves_the_memory_to_others() {
    let Beside { own, failing, instance, db, other, trees } = beside_one_that_fails(true);
    insert(&db, trees.0, 10..400).unwrap();
    let mut tx = begin(&db);
    assert_eq!(whole_tree(&mut tx, &db.hobt(trees.0).unwrap()).unwrap().len(), 400);
    tx.commit(Durability::Full).unwrap();
    // It comes back as its log has it.
    own.world.clear_faults();
    drop(other);
    let (other, _) = failing.open_in(&instance).unwrap();
    let mut tx = begin(&other);
    let rows = whole_tree(&mut tx, &other.hobt(trees.1).unwrap()).unwrap();
    assert!(rows.len() == 106 && rows.values().all(|row| row[..] == [8; 3000]));
    tx.commit(Durability::Full).unwrap();
}

/// Pages of the others go to the disk before somebody needs their frames.
#[test]
fn a_database_that_has_failed_is_not_in_the_lazy_writers_way() {
    let beside = beside_one_that_fails(false);
    insert(&beside.db, beside.trees.0, 10..20).unwrap();
    let written = || beside.instance.pool.counters.lazy_writes.get();
    let before = written();
    for _ in 0..64 {
        beside.instance.lazy_writer_tick();
    }
    assert!(written() > before, "nothing was written");
}
