//! Restart: redo by several threads, undo beside users whose rows are locked meanwhile, and what an interruption of either leaves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taffrail_base::{HobtId, ObjectId};
use taffrail_io::OpenSpec;
use taffrail_io::sim::SimRng;
use taffrail_log::ReuseWait;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, KeyRange, RECOVERY_SESSION, RecoveryReport, Rid,
    ScanLocks, StorageError, StorageResult, Transaction, Workers, btree, heap,
};

use crate::rig;

use rig::{MB, Rig, begin_impatient, entries, heap_rows, make_in};

fn workers(helpers: usize) -> Workers {
    Workers::new(helpers, |helpers, work| {
        std::thread::scope(|s| {
            for n in 1..=helpers {
                s.spawn(move || work(n));
            }
            work(0);
        });
    })
}

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).id(7).named("r");
    let mut rig = rig.data(2 * MB, Growth::Bytes(MB)).log(4 * MB, Growth::Bytes(MB));
    rig.machine.redo_log_max = MB;
    rig
}

/// Opens it, with undo still to be done, on a machine with so many frames and helpers.
fn open(rig: &Rig, frames: u64, helpers: usize) -> (Arc<Database>, RecoveryReport) {
    let mut rig = rig.clone().frames(frames);
    rig.machine.workers = workers(helpers);
    rig.open_deferred().unwrap()
}

fn begin(db: &Arc<Database>) -> Transaction {
    begin_impatient(db, 51)
}

fn key(n: u64) -> [u8; 8] {
    n.to_be_bytes()
}

/// What a crash leaves: see [`crashed`].
struct Left {
    rig: Rig,
    tree: HobtId,
    heap: HobtId,
    rows: BTreeMap<u64, Vec<u8>>,
    heap_rows: BTreeMap<Rid, Vec<u8>>,
    /// A row that the loser made grow, so that it lies elsewhere now; one that it deleted; one that it inserted.
    moved: Rid,
    deleted: Rid,
}

/// Rows that the loser changed, deleted and inserted in the tree.
const CHANGED: std::ops::Range<u64> = 100..140;
const DELETED: std::ops::Range<u64> = 140..150;
const INSERTED: std::ops::Range<u64> = 10_000..10_020;

/// A database with committed work since its last checkpoint and one transaction that had not ended when power failed. The same for the
/// same seed.
fn crashed(seed: u64) -> Left {
    let rig = rig(seed);
    let db = rig.clone().frames(2048).create();
    let mut rng = SimRng::new(seed);
    let mut tx = begin(&db);
    let (tree, heap) = (make_in(&mut tx, 1000, 1), make_in(&mut tx, 1001, 0));
    tx.commit(Durability::Full).unwrap();
    let (mut rows, mut heap_rows) = (BTreeMap::new(), BTreeMap::new());
    let value = |rng: &mut SimRng, tag: u8| vec![tag; 50 + rng.below(500) as usize];
    let (of_tree, of_heap) = (db.hobt(tree).unwrap(), db.hobt(heap).unwrap());
    for round in 0..4_u8 {
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
        tx.lock_object(ObjectId(1001), LockMode::IX).unwrap();
        for n in 0..300 {
            let n = if round == 0 { n } else { rng.below(600) };
            let v = value(&mut rng, round);
            if rows.contains_key(&n) {
                btree::update(&mut tx, &of_tree, &key(n), &v).unwrap();
            } else {
                btree::insert(&mut tx, &of_tree, &key(n), &v).unwrap();
            }
            rows.insert(n, v);
            if rng.one_in(3) {
                let v = value(&mut rng, round);
                heap_rows.insert(heap::insert(&mut tx, &of_heap, &v).unwrap(), v);
            }
        }
        tx.commit(Durability::Full).unwrap();
        if round == 1 {
            db.checkpoint(CheckpointKind::Manual).unwrap();
        }
    }
    // One that does not end.
    let rids: Vec<Rid> = heap_rows.keys().copied().collect();
    let (moved, deleted) = (rids[0], rids[1]);
    let mut loser = begin(&db);
    loser.lock_object(ObjectId(1000), LockMode::IX).unwrap();
    loser.lock_object(ObjectId(1001), LockMode::IX).unwrap();
    for n in CHANGED {
        btree::update(&mut loser, &of_tree, &key(n), &[0xee; 300]).unwrap();
    }
    for n in DELETED {
        assert!(btree::delete(&mut loser, &of_tree, &key(n)).unwrap());
    }
    for n in INSERTED {
        btree::insert(&mut loser, &of_tree, &key(n), &[0xee; 300]).unwrap();
    }
    heap::update(&mut loser, &of_heap, moved, &[0xee; 7000]).unwrap();
    heap::update(&mut loser, &of_heap, moved, &[0xef; 7000]).unwrap();
    assert!(heap::delete(&mut loser, &of_heap, deleted).unwrap());
    // What makes its records durable.
    let mut tx = begin(&db);
    tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
    btree::insert(&mut tx, &of_tree, &key(20_000), b"last").unwrap();
    rows.insert(20_000, b"last".to_vec());
    tx.commit(Durability::Full).unwrap();
    rig.lose_power((loser, db));
    Left { rig, tree, heap, rows, heap_rows, moved, deleted }
}

type Found = (BTreeMap<u64, Vec<u8>>, BTreeMap<Rid, Vec<u8>>);

fn read(db: &Arc<Database>, left: &Left, locks: ScanLocks) -> StorageResult<Found> {
    let mut tx = begin(db);
    let tree = entries(&mut tx, &db.hobt(left.tree)?, KeyRange::default(), locks)?;
    let number = |key: Vec<u8>| u64::from_be_bytes(key.try_into().unwrap());
    let tree = tree.into_iter().map(|(key, row)| (number(key), row)).collect();
    Ok((tree, heap_rows(&mut tx, &db.hobt(left.heap)?, locks)?))
}

fn check(db: &Arc<Database>, left: &Left) {
    let found = read(db, left, ScanLocks::ReadCommitted).unwrap();
    assert!(found.0 == left.rows, "the tree");
    assert!(found.1 == left.heap_rows, "the heap");
    assert_eq!(db.hobt(left.tree).unwrap().row_count(), left.rows.len() as u64);
    assert_eq!(db.hobt(left.heap).unwrap().row_count(), left.heap_rows.len() as u64);
}

/// The data file but for the boot pages and the double-write region.
fn file_bytes(rig: &Rig) -> Vec<u8> {
    let volume = rig.world.env().disk.open(&rig.data.path, OpenSpec::DATA).unwrap();
    let mut bytes = vec![0; volume.len().unwrap() as usize];
    volume.read_at(0, &mut bytes).unwrap();
    bytes[9 * 8192..11 * 8192].fill(0);
    bytes[16 * 8192..152 * 8192].fill(0);
    bytes
}

#[test]
fn redo_by_several_threads_makes_what_one_makes() {
    for seed in 1..9 {
        let one = |frames, helpers| {
            let left = crashed(seed);
            let (db, report) = open(&left.rig, frames, helpers);
            let before = read(&db, &left, ScanLocks::None).unwrap();
            db.finish_recovery().unwrap();
            check(&db, &left);
            db.close().unwrap();
            (report.redone, before, file_bytes(&left.rig))
        };
        let serial = one(2048, 0);
        assert!(serial.0 > 100, "little was redone: {}", serial.0);
        for helpers in [1, 4] {
            let parallel = one(2048, helpers);
            assert!(serial == parallel, "seed {seed}: {helpers} helpers redo something else");
        }
        // With a pool that does not hold what is redone the log's blocks end elsewhere, and so do LSNs.
        for helpers in [0, 4] {
            let small = one(64, helpers);
            assert_eq!(serial.0, small.0, "seed {seed}: records redone");
            assert!(serial.1 == small.1, "seed {seed}: a small pool redoes something else");
        }
    }
}

#[test]
fn redo_done_twice_is_redo_done_once() {
    for seed in 1..9 {
        let left = crashed(seed);
        let (db, first) = open(&left.rig, 2048, 2);
        let once = read(&db, &left, ScanLocks::None).unwrap();
        left.rig.lose_power(db);
        let (db, second) = open(&left.rig, 2048, 2);
        assert_eq!((first.redone, first.rolled_back), (second.redone, second.rolled_back));
        assert!(once == read(&db, &left, ScanLocks::None).unwrap());
        // And once more, when some of it had reached the disk and undo had begun.
        assert!(db.undo_step(7).unwrap());
        db.checkpoint(CheckpointKind::LogUse).unwrap();
        left.rig.lose_power(db);
        let (db, third) = open(&left.rig, 64, 2);
        assert_eq!(third.rolled_back, 1);
        db.finish_recovery().unwrap();
        check(&db, &left);
    }
}

fn is_locked<T>(result: StorageResult<T>) -> bool {
    matches!(result, Err(StorageError::Lock(_)))
}

#[test]
fn rows_of_a_transaction_that_is_being_undone_are_locked_and_others_are_not() {
    let left = crashed(3);
    let (db, report) = open(&left.rig, 2048, 0);
    assert_eq!(report.rolled_back, 1);
    assert!(db.is_undoing());
    let (tree, heap) = (db.hobt(left.tree).unwrap(), db.hobt(left.heap).unwrap());
    let get = |n: u64| {
        let mut tx = begin(&db);
        let mut v = Vec::new();
        btree::get(&mut tx, &tree, &key(n), ScanLocks::ReadCommitted, &mut v)
            .map(|found| found.then_some(v))
    };
    let fetch = |rid: Rid| {
        let mut tx = begin(&db);
        let mut v = Vec::new();
        heap::fetch(&mut tx, &heap, rid, ScanLocks::ReadCommitted, &mut v)
            .map(|found| found.then_some(v))
    };
    let mut steps = 0;
    loop {
        for n in CHANGED.chain(DELETED).chain(INSERTED) {
            assert!(is_locked(get(n)), "key {n} after {steps} steps");
            let mut tx = begin(&db);
            tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
            assert!(is_locked(btree::insert(&mut tx, &tree, &key(n), b"mine")), "key {n}");
            tx.rollback().unwrap();
        }
        assert!(is_locked(fetch(left.moved)) && is_locked(fetch(left.deleted)));
        for (n, v) in left.rows.iter().filter(|(n, _)| **n < 100 || (150..9999).contains(*n)) {
            assert_eq!(get(*n).unwrap().as_ref(), Some(v), "key {n} is somebody else's");
        }
        for (rid, v) in left.heap_rows.iter().skip(2) {
            assert_eq!(fetch(*rid).unwrap().as_ref(), Some(v));
        }
        // Others may write beside it, but not lock the table.
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
        btree::update(&mut tx, &tree, &key(7), b"other").unwrap();
        tx.rollback().unwrap();
        let mut tx = begin(&db);
        assert!(is_locked(tx.lock_object(ObjectId(1000), LockMode::S)));
        assert!(is_locked(tx.lock_object(ObjectId(1001), LockMode::SchM)));
        drop(tx);
        steps += 1;
        if !db.undo_step(11).unwrap() {
            break;
        }
        assert!(db.active_transactions().iter().any(|t| t.name == "recovered"));
    }
    assert!(steps > 4, "undone in {steps} steps");
    assert!(!db.is_undoing());
    assert_eq!(RECOVERY_SESSION.0 as i16, -3);
    db.finish_recovery().unwrap();
    check(&db, &left);
    assert_eq!(db.counters().active_transactions.get(), 0);
}

/// Power fails, or the database is closed, at any moment of undo.
#[test]
fn an_undo_that_is_interrupted_goes_on_where_it_was() {
    for steps in 0..12 {
        for close in [false, true] {
            let left = crashed(5);
            let (db, _) = open(&left.rig, 64, 0);
            for _ in 0..steps {
                db.undo_step(steps).unwrap();
            }
            let more = db.is_undoing();
            if close {
                db.close().unwrap();
                // Nobody sees a row of it any more.
                assert!(read(&db, &left, ScanLocks::ReadCommitted).is_err());
                assert!(db.undo_step(1).is_err() || !db.is_undoing());
            } else {
                if steps % 2 == 0 {
                    db.flush_log().unwrap();
                }
                left.rig.world.crash();
            }
            drop(db);
            left.rig.world.restart();
            let (db, report) = open(&left.rig, 64, 0);
            assert!(!close || report.rolled_back == u64::from(more));
            assert!(db.finish_recovery().unwrap());
            check(&db, &left);
            db.close().unwrap();
            let (db, report) = open(&left.rig, 64, 0);
            assert_eq!((report.rolled_back, report.redone), (0, 0));
            check(&db, &left);
        }
    }
}

#[test]
fn a_loser_that_changed_the_directory_is_undone_before_the_database_opens() {
    let left = crashed(8);
    let (db, _) = open(&left.rig, 2048, 0);
    db.finish_recovery().unwrap();
    let mut tx = begin(&db);
    let made = make_in(&mut tx, 2000, 1);
    let tree = db.hobt(made).unwrap();
    btree::insert(&mut tx, &tree, b"k", b"v").unwrap();
    db.flush_log().unwrap();
    left.rig.lose_power((tx, tree, db));
    let (db, report) = open(&left.rig, 2048, 0);
    assert_eq!(report.rolled_back, 1);
    assert!(!db.is_undoing());
    assert!(db.hobt(made).is_err());
    db.finish_recovery().unwrap();
    check(&db, &left);
}

/// Its records are needed until it is undone, and its locks keep others from the table's definition.
#[test]
fn a_transaction_that_is_being_undone_keeps_its_log_and_its_tables() {
    let left = crashed(6);
    let (db, _) = open(&left.rig, 2048, 0);
    let loser = db.active_transactions()[0].clone();
    let tree = db.hobt(left.tree).unwrap();
    for round in 0..30 {
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
        for n in 0..100 {
            btree::update(&mut tx, &tree, &key(n), &[round; 400]).unwrap();
        }
        tx.commit(Durability::Full).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();
        assert!(db.log().checkpoint() <= loser.first_bound);
    }
    assert_eq!(db.log().reuse_wait(), ReuseWait::ActiveTransaction);
    let mut tx = begin(&db);
    assert!(is_locked(tx.lock_object(ObjectId(1000), LockMode::SchM)));
    tx.rollback().unwrap();
    assert!(db.finish_recovery().unwrap());
    db.checkpoint(CheckpointKind::Manual).unwrap();
    assert_eq!(db.log().reuse_wait(), ReuseWait::Nothing);
    let mut tx = begin(&db);
    tx.lock_object(ObjectId(1000), LockMode::SchM).unwrap();
    db.drop_hobt(&mut tx, left.tree).unwrap();
    tx.rollback().unwrap();
    assert_eq!(db.hobt(left.tree).unwrap().row_count(), left.rows.len() as u64);
}

/// Whatever a checkpoint meets in the middle of a change, redo goes on counting where the checkpoint's counts end.
#[test]
fn row_counts_are_right_whenever_checkpoints_were_taken() {
    let left = crashed(7);
    let (mut db, _) = open(&left.rig, 2048, 0);
    db.finish_recovery().unwrap();
    for round in 0..12_u64 {
        let stop = AtomicBool::new(false);
        std::thread::scope(|s| {
            for worker in 0..2_u64 {
                let (db, left, stop) = (&db, &left, &stop);
                s.spawn(move || {
                    let tree = db.hobt(left.tree).unwrap();
                    let heap = db.hobt(left.heap).unwrap();
                    for n in (1 << 20).. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        let mut tx = begin(db);
                        tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
                        tx.lock_object(ObjectId(1001), LockMode::IX).unwrap();
                        let k = key(n << 8 | round << 1 | worker);
                        btree::insert(&mut tx, &tree, &k, b"new").unwrap();
                        let rid = heap::insert(&mut tx, &heap, b"new").unwrap();
                        match n % 4 {
                            0 => tx.rollback().unwrap(),
                            1 => {
                                btree::delete(&mut tx, &tree, &k).unwrap();
                                heap::delete(&mut tx, &heap, rid).unwrap();
                                tx.commit(Durability::Delayed).unwrap();
                            }
                            _ => tx.commit(Durability::Delayed).unwrap(),
                        }
                    }
                });
            }
            for _ in 0..8 {
                db.checkpoint(CheckpointKind::Manual).unwrap();
            }
            stop.store(true, Ordering::Relaxed);
        });
        db.flush_log().unwrap();
        left.rig.lose_power(db);
        db = open(&left.rig, 2048, 0).0;
        db.finish_recovery().unwrap();
        let (rows, heap_rows) = read(&db, &left, ScanLocks::None).unwrap();
        let count = |id| db.hobt(id).unwrap().row_count();
        assert_eq!(count(left.tree), rows.len() as u64, "tree, round {round}");
        assert_eq!(count(left.heap), heap_rows.len() as u64, "heap, round {round}");
    }
}

/// Pages are written between checkpoints, never before their log, and what a crash then has to redo stays short.
#[test]
fn pages_written_in_the_background_keep_redo_short() {
    let left = crashed(4);
    let (db, _) = open(&left.rig, 2048, 0);
    db.finish_recovery().unwrap();
    let pool = &db.instance().pool;
    let tree = db.hobt(left.tree).unwrap();
    let mut rng = SimRng::new(4);
    let mut rows = left.rows.clone();
    let mut checkpoints = 0;
    for round in 0..120_u64 {
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(1000), LockMode::IX).unwrap();
        for _ in 0..40 {
            let n = rng.below(100);
            let v = vec![round as u8; 400 + rng.below(200) as usize];
            btree::update(&mut tx, &tree, &key(n), &v).unwrap();
            rows.insert(n, v);
        }
        tx.commit(Durability::Delayed).unwrap();
        let before = db.counters().checkpoints.get();
        // Asserts that no page is ahead of the durable log.
        db.background_tick();
        checkpoints += db.counters().checkpoints.get() - before;
        assert!(db.redo_bytes() <= (1 << 20) + (128 << 10), "{} bytes to redo", db.redo_bytes());
    }
    assert!(
        pool.counters.background_writer_pages.get() > 0,
        "nothing was written beside checkpoints"
    );
    assert!((2..60).contains(&checkpoints), "{checkpoints} checkpoints");
    db.flush_log().unwrap();
    left.rig.lose_power((tree, db));
    let (db, report) = open(&left.rig, 2048, 0);
    assert!(report.redo_bytes <= 2 << 20, "{} bytes were redone", report.redo_bytes);
    db.finish_recovery().unwrap();
    assert!(read(&db, &left, ScanLocks::None).unwrap().0 == rows);
}
