//! Bulk loads on the simulated disk: power fails at any I/O of a history of loads (at every one with TAFFRAIL_SIM_STRIDE=1), and what
//! was committed must be there, what was not must have left nothing, its extents free again; under each recovery model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::HobtId;
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, RecoveryModel, ScanLocks, StorageError,
    StorageResult, Transaction, btree, heap,
};

use crate::rig;

use rig::{Entries, MB, Rig, begin, make_in, number, unowned, whole_heap, whole_tree};

fn rig(seed: u64, model: RecoveryModel, frames: u64) -> Rig {
    let rig = Rig::new(seed).model(model).frames(frames).data(2 * MB, Growth::Bytes(MB));
    rig.log(4 * MB, Growth::Bytes(MB)).log_max(64 * MB)
}

#[derive(Clone, Copy)]
struct Ids {
    heap: HobtId,
    tree: HobtId,
    other: HobtId,
}

/// What the database should hold: the heap's rows in any order.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Model {
    heap: BTreeMap<Vec<u8>, u32>,
    tree: Entries,
    other: Entries,
}

impl Model {
    fn add(&mut self, row: Vec<u8>) {
        *self.heap.entry(row).or_default() += 1;
    }
}

fn create(rig: &Rig) -> (Arc<Database>, Ids) {
    let db = rig.create();
    let mut tx = begin(&db);
    let mut make = |object, index| make_in(&mut tx, object, index);
    let ids = Ids { heap: make(1000, 0), tree: make(1001, 1), other: make(1002, 2) };
    tx.commit(Durability::Full).unwrap();
    (db, ids)
}

fn read(db: &Arc<Database>, ids: Ids) -> StorageResult<Model> {
    let mut m = Model::default();
    let mut tx = begin(db);
    for row in whole_heap(&mut tx, &db.hobt(ids.heap)?)?.into_values() {
        m.add(row);
    }
    for (id, into) in [(ids.tree, &mut m.tree), (ids.other, &mut m.other)] {
        let hobt = db.hobt(id)?;
        *into = whole_tree(&mut tx, &hobt)?;
        // Every key is found from the root.
        let mut v = Vec::new();
        for (k, want) in into.iter().step_by(7) {
            assert!(btree::get(&mut tx, &hobt, k, ScanLocks::None, &mut v)? && v == *want);
        }
    }
    tx.commit(Durability::Full)?;
    Ok(m)
}

fn row(n: u64, len: usize) -> Vec<u8> {
    let mut r = n.to_be_bytes().to_vec();
    r.resize(len.max(8), (n % 251) as u8);
    r
}

fn load_heap(
    db: &Arc<Database>,
    tx: &mut Transaction,
    id: HobtId,
    m: &mut Model,
    numbers: std::ops::Range<u64>,
    len: usize,
) -> StorageResult<()> {
    let hobt = db.hobt(id)?;
    tx.lock_object(hobt.object(), LockMode::X)?;
    let mut load = heap::HeapLoad::open(&hobt);
    let rows = numbers.end - numbers.start;
    for n in numbers {
        let row = row(n, len);
        load.push(tx, &row)?;
        m.add(row);
    }
    assert_eq!(load.finish(tx)?, rows);
    Ok(())
}

fn load_tree(
    db: &Arc<Database>,
    tx: &mut Transaction,
    id: HobtId,
    map: &mut Entries,
    numbers: std::ops::Range<u64>,
    len: usize,
) -> StorageResult<()> {
    let hobt = db.hobt(id)?;
    tx.lock_object(hobt.object(), LockMode::SchM)?;
    let mut load = btree::TreeLoad::open(tx, &hobt, 90)?;
    for n in numbers {
        let (k, v) = ((n * 3).to_be_bytes().to_vec(), row(n, len));
        load.push(tx, &k, &v)?;
        map.insert(k, v);
    }
    load.finish(tx)?;
    Ok(())
}

/// A history of loads. `states`: what the database may hold; the first was acknowledged.
fn history(db: &Arc<Database>, ids: Ids, states: &mut Vec<Model>, seed: u64) -> StorageResult<()> {
    let commit = |tx: Transaction, m: Model, states: &mut Vec<Model>| {
        states.push(m);
        tx.commit(Durability::Full)?;
        states.drain(..states.len() - 1);
        Ok::<_, StorageError>(())
    };
    let mut rng = SimRng::new(seed);
    // Both kinds; the heap has rows.
    let mut m = states.last().unwrap().clone();
    let mut tx = begin(db);
    load_heap(db, &mut tx, ids.heap, &mut m, 0..400 + rng.below(300), 700)?;
    load_tree(db, &mut tx, ids.tree, &mut m.tree, 0..500 + rng.below(300), 600)?;
    commit(tx, m.clone(), states)?;
    // Ordinary changes of what was loaded.
    let mut tx = begin(db);
    let hobt = db.hobt(ids.tree)?;
    tx.lock_object(hobt.object(), LockMode::IX)?;
    for n in (0..300u64).step_by(20) {
        let k = (n * 3).to_be_bytes().to_vec();
        let v = row(n + 1, 500 + n as usize);
        btree::update(&mut tx, &hobt, &k, &v)?;
        m.tree.insert(k, v);
        let (k, v) = ((n * 3 + 1).to_be_bytes().to_vec(), row(n, 900));
        btree::insert(&mut tx, &hobt, &k, &v)?;
        m.tree.insert(k, v);
    }
    commit(tx, m.clone(), states)?;
    if rng.one_in(2) {
        db.checkpoint(CheckpointKind::Manual)?;
    }
    // Rolled back, as a whole or to a savepoint.
    let mut tx = begin(db);
    let mut lost = m.clone();
    load_heap(db, &mut tx, ids.heap, &mut lost, 5_000..5_400, 650)?;
    load_tree(db, &mut tx, ids.other, &mut lost.other, 0..700, 300)?;
    tx.rollback()?;
    let mut tx = begin(db);
    load_heap(db, &mut tx, ids.heap, &mut m, 7_000..7_300, 300)?;
    let savepoint = tx.savepoint();
    let mut lost = m.clone();
    load_tree(db, &mut tx, ids.other, &mut lost.other, 0..400, 500)?;
    load_heap(db, &mut tx, ids.heap, &mut lost, 8_000..8_300, 500)?;
    tx.rollback_to(savepoint)?;
    load_tree(db, &mut tx, ids.other, &mut m.other, 0..300, 700)?;
    commit(tx, m.clone(), states)?;
    // Emptied and filled again, over pages that the pool still has.
    let mut tx = begin(db);
    db.truncate_hobt(&mut tx, ids.tree)?;
    m.tree.clear();
    db.truncate_hobt(&mut tx, ids.heap)?;
    m.heap.clear();
    commit(tx, m.clone(), states)?;
    let mut tx = begin(db);
    load_tree(db, &mut tx, ids.tree, &mut m.tree, 100..600, 550)?;
    load_heap(db, &mut tx, ids.heap, &mut m, 0..10, 300)?;
    load_heap(db, &mut tx, ids.heap, &mut m, 20..300, 900)?;
    commit(tx, m.clone(), states)?;
    db.checkpoint(CheckpointKind::Manual)?;
    let mut tx = begin(db);
    load_heap(db, &mut tx, ids.heap, &mut m, 300..600, 900)?;
    commit(tx, m, states)
}

/// One run, cut short at the nth I/O. True if it was.
fn run(seed: u64, model: RecoveryModel, frames: u64, nth: u64) -> bool {
    let rig = rig(seed ^ nth, model, frames);
    let world = &rig.world;
    let (db, ids) = create(&rig);
    let nobody = unowned(&db);
    // Pages with a history: freed and dirty.
    let mut m = Model::default();
    let mut tx = begin(&db);
    let id = make_in(&mut tx, 2000, 1);
    let hobt = db.hobt(id).unwrap();
    for n in 0..300u64 {
        btree::insert(&mut tx, &hobt, &n.to_be_bytes(), &row(n, 900)).unwrap();
    }
    let hobt = db.hobt(ids.heap).unwrap();
    for n in 0..5 {
        let row = row(100_000 + n, 200);
        heap::insert(&mut tx, &hobt, &row).unwrap();
        m.add(row);
    }
    tx.commit(Durability::Full).unwrap();
    if seed.is_multiple_of(2) {
        db.checkpoint(CheckpointKind::Manual).unwrap();
    }
    let mut tx = begin(&db);
    let hobt = db.hobt(id).unwrap();
    tx.lock_object(hobt.object(), LockMode::SchM).unwrap();
    for n in 0..100u64 {
        btree::update(&mut tx, &hobt, &n.to_be_bytes(), &row(n + 1, 900)).unwrap();
    }
    db.drop_hobt(&mut tx, id).unwrap();
    tx.commit(Durability::Full).unwrap();
    let mut states = vec![m];
    world.crash_at(nth);
    let result = history(&db, ids, &mut states, seed);
    let cut = !world.is_powered();
    if !cut {
        world.clear_faults();
        result.unwrap_or_else(|e| panic!("seed {seed}, {model:?}: {e:?}"));
        assert_eq!(read(&db, ids).unwrap(), states[0], "seed {seed}, {model:?}: not cut short");
        let r = db.rarities();
        let whole = model == RecoveryModel::Full;
        assert_eq!(r.bulk_logged.load(Ordering::Relaxed) > 0, whole);
        assert_eq!(r.minimally_logged.load(Ordering::Relaxed) > 0, !whole);
        let marked = db.bulk_extents().unwrap().len();
        assert_eq!(marked > 0, model == RecoveryModel::BulkLogged, "{marked} extents");
    }
    drop(db);
    world.crash();
    let mut again = SimRng::new(seed ^ nth);
    let opened =
        rig.restart_through(|| again.one_in(4).then(|| 1 + again.below(60)), |rig| rig.recover());
    let (db, _) = opened
        .unwrap_or_else(|e| panic!("seed {seed}, {model:?}, cut at {nth}: restart failed: {e}"));
    let found = read(&db, ids);
    let found = found.unwrap_or_else(|e| panic!("seed {seed}, {model:?}, cut at {nth}: {e:?}"));
    assert!(
        states.contains(&found),
        "seed {seed}, {model:?}, cut at {nth}: {} rows, {} and {} entries",
        found.heap.len(),
        found.tree.len(),
        found.other.len()
    );
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let _ = db.background_tick();
    assert_eq!(unowned(&db), nobody, "seed {seed}, {model:?}, cut at {nth}: extents lost");
    // And it goes on.
    let mut tx = begin(&db);
    let mut m = found;
    load_heap(&db, &mut tx, ids.heap, &mut m, 0..200, 600).unwrap();
    tx.commit(Durability::Full).unwrap();
    assert_eq!(read(&db, ids).unwrap(), m);
    db.close().unwrap();
    cut
}

fn every_step(model: RecoveryModel) {
    // Every step where there is time, else every seventh.
    let every = number("TAFFRAIL_SIM_STRIDE").unwrap_or(7);
    let seeds = match number("TAFFRAIL_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..2,
    };
    for seed in seeds {
        // A pool that holds everything, and one that does not.
        for (frames, stride) in [(2_000, every), (96, every + 8)] {
            let mut nth = number("TAFFRAIL_SIM_STEP").unwrap_or(1);
            while run(seed, model, frames, nth) {
                nth += stride + seed;
            }
            println!("{model:?}, seed {seed}, {frames} frames: {nth} steps");
        }
    }
}

#[test]
fn power_fails_at_every_step_under_simple() {
    every_step(RecoveryModel::Simple);
}

#[test]
fn power_fails_at_every_step_under_bulk_logged() {
    every_step(RecoveryModel::BulkLogged);
}

#[test]
fn power_fails_at_every_step_under_full() {
    every_step(RecoveryModel::Full);
}

/// The sync before the commit matters: without it committed rows are lost.
#[test]
fn a_sync_left_out_is_noticed() {
    let mut noticed = 0;
    for seed in 0..40 {
        let rig = rig(seed, RecoveryModel::Simple, 2_000);
        let (db, ids) = create(&rig);
        let mut m = Model::default();
        let mut tx = begin(&db);
        load_heap(&db, &mut tx, ids.heap, &mut m, 0..600, 700).unwrap();
        tx.rollback().unwrap();
        let mut m = Model::default();
        let mut tx = begin(&db);
        // No growth now: the next sync is that of the load.
        rig.world.drop_sync(Some(rig.world.stats().syncs + 1));
        load_heap(&db, &mut tx, ids.heap, &mut m, 0..600, 700).unwrap();
        tx.commit(Durability::Full).unwrap();
        rig.lose_power(db);
        noticed +=
            u64::from(!rig.recover().and_then(|db| read(&db, ids)).is_ok_and(|found| found == m));
    }
    assert!(noticed > 10, "only {noticed} of 40 runs noticed");
}

/// Backups and minimal logging exclude each other.
#[test]
fn while_a_backup_holds_the_gate_everything_is_logged() {
    let (db, ids) = create(&rig(1, RecoveryModel::BulkLogged, 2_000));
    let hold = db.hold_bulk(&|| true).unwrap();
    let mut m = Model::default();
    let mut tx = begin(&db);
    load_heap(&db, &mut tx, ids.heap, &mut m, 0..600, 700).unwrap();
    tx.commit(Durability::Full).unwrap();
    assert!(db.rarities().bulk_logged.load(Ordering::Relaxed) > 0);
    assert_eq!(db.bulk_extents().unwrap().len(), 0);
    drop(hold);
    let mut tx = begin(&db);
    load_heap(&db, &mut tx, ids.heap, &mut m, 600..1200, 700).unwrap();
    // The transaction is still open.
    assert!(db.hold_bulk(&|| true).is_none());
    tx.commit(Durability::Full).unwrap();
    let hold = db.hold_bulk(&|| true).unwrap();
    let extents = db.bulk_extents().unwrap();
    assert!(extents.len() >= 6);
    db.clear_bulk_extents(&extents).unwrap();
    assert_eq!(db.bulk_extents().unwrap(), []);
    drop(hold);
    assert_eq!(read(&db, ids).unwrap(), m);
}

/// A tree's last extent is rarely full: what of it is used stays the tree's, and what is not is given back.
#[test]
fn an_extent_has_one_owner() {
    for (model, frames) in [(RecoveryModel::Simple, 2_000), (RecoveryModel::Full, 96)] {
        let rig = rig(3, model, frames);
        let (db, ids) = create(&rig);
        let nobody = unowned(&db);
        let mut trees = Vec::new();
        // Each ends at another place of its extent.
        for n in 0..24u64 {
            let mut tx = begin(&db);
            let id = make_in(&mut tx, 3000 + n as i32, 1);
            let mut rows = BTreeMap::new();
            load_tree(&db, &mut tx, id, &mut rows, 0..70 + 9 * n, 800).unwrap();
            tx.commit(Durability::Full).unwrap();
            trees.push((id, rows));
        }
        let check = |db: &Arc<Database>, trees: &[(HobtId, Entries)]| {
            for (id, rows) in trees {
                let m = read(db, Ids { tree: *id, ..ids }).unwrap();
                assert_eq!(m.tree, *rows, "{model:?} {id}");
            }
            assert_eq!(unowned(db), nobody, "{model:?}");
        };
        check(&db, &trees);
        // Some are emptied and filled anew, all get ordinary rows.
        for (i, (id, rows)) in trees.iter_mut().enumerate() {
            let mut tx = begin(&db);
            let hobt = db.hobt(*id).unwrap();
            if i % 3 == 0 {
                tx.lock_object(hobt.object(), LockMode::SchM).unwrap();
                db.truncate_hobt(&mut tx, *id).unwrap();
                tx.commit(Durability::Full).unwrap();
                rows.clear();
                tx = begin(&db);
                load_tree(&db, &mut tx, *id, rows, 0..150, 700).unwrap();
            }
            tx.lock_object(hobt.object(), LockMode::IX).unwrap();
            for n in 0..20u64 {
                let (k, v) = ((n * 9 + 1).to_be_bytes().to_vec(), row(n, 600));
                btree::insert(&mut tx, &hobt, &k, &v).unwrap();
                rows.insert(k, v);
            }
            tx.commit(Durability::Full).unwrap();
        }
        check(&db, &trees);
        rig.lose_power(db);
        check(&rig.recover().unwrap(), &trees);
    }
}

/// Loads, truncations and ordinary work of several threads, with a pool that is too small.
#[test]
fn loads_beside_each_other() {
    for model in [RecoveryModel::Simple, RecoveryModel::Full] {
        let (db, ids) = create(&rig(4, model, 160));
        let nobody = unowned(&db);
        std::thread::scope(|s| {
            for thread in 0..3u64 {
                let db = &db;
                s.spawn(move || {
                    let mut tx = begin(db);
                    let object = 4000 + thread as i32 * 10;
                    let (tree, heap) =
                        (make_in(&mut tx, object, 1), make_in(&mut tx, object + 1, 0));
                    tx.commit(Durability::Full).unwrap();
                    for round in 0..8u64 {
                        let mut tx = begin(db);
                        for id in [tree, heap] {
                            let object = db.hobt(id).unwrap().object();
                            tx.lock_object(object, LockMode::SchM).unwrap();
                            db.truncate_hobt(&mut tx, id).unwrap();
                        }
                        tx.commit(Durability::Full).unwrap();
                        let mut m = Model::default();
                        let mut tx = begin(db);
                        let n = 90 + 37 * round + 11 * thread;
                        load_tree(db, &mut tx, tree, &mut m.tree, 0..n, 800).unwrap();
                        load_heap(db, &mut tx, heap, &mut m, 0..n, 800).unwrap();
                        if round % 4 == 2 {
                            tx.rollback().unwrap();
                            m = Model::default();
                        } else {
                            tx.commit(Durability::Full).unwrap();
                        }
                        let mut found = read(db, Ids { heap, tree, other: tree }).unwrap();
                        found.other.clear();
                        assert_eq!(found, m, "{model:?}, thread {thread}, round {round}");
                    }
                });
            }
            for _ in 0..6 {
                db.checkpoint(CheckpointKind::Manual).unwrap();
                std::thread::yield_now();
            }
        });
        read(&db, ids).unwrap();
        let _ = db.background_tick();
        assert_eq!(unowned(&db), nobody, "{model:?}");
    }
}
