//! Bulk loads into a heap that has rows and an index that has entries: pages as for an empty heap, entries row by row. Power fails at
//! any I/O; afterwards every row has its entry and every entry its row, and what was not committed has left nothing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::HobtId;
use taffrail_io::sim::SimRng;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Direction, Durability, Growth, KeyRange, RecoveryModel, Rid,
    ScanLocks, StorageResult, Transaction, btree, heap,
};

use crate::rig;

use rig::{MB, Rig, begin, make_in, number, unowned, whole_heap};

/// Rows by their numbers.
type Model = BTreeMap<u64, Vec<u8>>;

#[derive(Clone, Copy)]
struct Ids {
    heap: HobtId,
    index: HobtId,
}

fn rig(seed: u64, model: RecoveryModel, frames: u64) -> Rig {
    let rig = Rig::new(seed).model(model).frames(frames).data(2 * MB, Growth::Bytes(MB));
    rig.log(4 * MB, Growth::Bytes(MB)).log_max(64 * MB)
}

fn create(rig: &Rig) -> (Arc<Database>, Ids) {
    let db = rig.create();
    let mut tx = begin(&db);
    let ids = Ids { heap: make_in(&mut tx, 1000, 0), index: make_in(&mut tx, 1000, 2) };
    tx.commit(Durability::Full).unwrap();
    (db, ids)
}

fn row(n: u64) -> Vec<u8> {
    let mut r = n.to_be_bytes().to_vec();
    r.resize(8 + (n * 37 % 500) as usize, n as u8);
    r
}

fn number_of(row: &[u8]) -> u64 {
    u64::from_be_bytes(row[..8].try_into().unwrap())
}

/// Adds rows the way a bulk load with TABLOCK does, and their entries: number, then where the row is.
fn load(
    db: &Arc<Database>,
    tx: &mut Transaction,
    ids: Ids,
    m: &mut Model,
    numbers: std::ops::Range<u64>,
) -> StorageResult<()> {
    let (hobt, index) = (db.hobt(ids.heap)?, db.hobt(ids.index)?);
    tx.lock_object(hobt.object(), LockMode::X)?;
    let mut entries: Vec<(Vec<u8>, Rid)> = Vec::new();
    let mut load = heap::HeapLoad::open(&hobt);
    let count = (numbers.end - numbers.start) as usize;
    for n in numbers {
        let bytes = row(n);
        load.push_each(tx, &bytes, &mut |_, rid, row| {
            entries.push((row[..8].to_vec(), rid));
            Ok(())
        })?;
        m.insert(n, bytes);
    }
    load.finish_each(tx, &mut |_, rid, row| {
        entries.push((row[..8].to_vec(), rid));
        Ok(())
    })?;
    assert_eq!(entries.len(), count, "each row is told of once");
    entries.sort();
    for (key, rid) in entries {
        btree::insert(tx, &index, &key, &rid.to_bytes())?;
    }
    Ok(())
}

/// The rows by the index; each of the heap's rows must have been named by it.
fn read(db: &Arc<Database>, ids: Ids) -> StorageResult<Model> {
    let (hobt, index) = (db.hobt(ids.heap)?, db.hobt(ids.index)?);
    let mut tx = begin(db);
    let mut by_rid = whole_heap(&mut tx, &hobt)?;
    let mut m = Model::new();
    let all = KeyRange::default();
    let mut c = btree::seek(&index, all, Direction::Forward, ScanLocks::None);
    while let Some((key, rid)) = c.next(&mut tx)? {
        let row = by_rid.remove(&Rid::from_bytes(rid.try_into().unwrap()));
        let row = row.expect("an entry without a row");
        assert_eq!(number_of(key), number_of(&row));
        m.insert(number_of(key), row);
    }
    assert!(by_rid.is_empty(), "{} rows without entries", by_rid.len());
    assert_eq!(index.row_count(), m.len() as u64, "entries of the index");
    tx.commit(Durability::Full)?;
    Ok(m)
}

fn history(
    db: &Arc<Database>,
    ids: Ids,
    states: &mut Vec<Model>,
    rng: &mut SimRng,
) -> StorageResult<()> {
    let mut next = 1_000;
    for round in 0..6u64 {
        let count = 20 + rng.below(900);
        let mut m = states[0].clone();
        let mut tx = begin(db);
        if round == 3 {
            load(db, &mut tx, ids, &mut m, next..next + count)?;
            tx.rollback()?;
            continue;
        }
        load(db, &mut tx, ids, &mut m, next..next + count / 2)?;
        let (savepoint, half) = (tx.savepoint(), m.clone());
        load(db, &mut tx, ids, &mut m, next + count / 2..next + count)?;
        if rng.one_in(3) {
            tx.rollback_to(savepoint)?;
            m = half;
        }
        // Ordinary changes beside it.
        let (hobt, index) = (db.hobt(ids.heap)?, db.hobt(ids.index)?);
        let bytes = row(round);
        if let Entry::Vacant(free) = m.entry(round) {
            let rid = heap::insert(&mut tx, &hobt, &bytes)?;
            btree::insert(&mut tx, &index, &bytes[..8], &rid.to_bytes())?;
            free.insert(bytes);
        }
        next += count;
        states.push(m);
        tx.commit(Durability::Full)?;
        states.remove(0);
        if rng.one_in(3) {
            db.checkpoint(CheckpointKind::Manual)?;
        }
    }
    Ok(())
}

/// True if the run was cut short at the nth I/O.
fn run(model: RecoveryModel, seed: u64, nth: u64) -> bool {
    let frames = if seed.is_multiple_of(2) { 1_000 } else { 96 };
    let rig = rig(seed ^ nth, model, frames);
    let world = &rig.world;
    let (db, ids) = create(&rig);
    let nobody = unowned(&db);
    let mut m = Model::new();
    let mut tx = begin(&db);
    let (hobt, index) = (db.hobt(ids.heap).unwrap(), db.hobt(ids.index).unwrap());
    for n in 100..140 {
        let rid = heap::insert(&mut tx, &hobt, &row(n)).unwrap();
        btree::insert(&mut tx, &index, &n.to_be_bytes(), &rid.to_bytes()).unwrap();
        m.insert(n, row(n));
    }
    tx.commit(Durability::Full).unwrap();
    let mut states = vec![m];
    world.crash_at(nth);
    let result = history(&db, ids, &mut states, &mut SimRng::new(seed));
    let cut = !world.is_powered();
    if !cut {
        world.clear_faults();
        result.unwrap_or_else(|e| panic!("{model:?}, seed {seed}: {e:?}"));
        assert_eq!(read(&db, ids).unwrap(), states[0]);
        let r = db.rarities();
        let minimal = r.minimally_logged.load(Ordering::Relaxed) > 0;
        assert_eq!(minimal, model != RecoveryModel::Full);
        let marked = db.bulk_extents().unwrap();
        assert_eq!(!marked.is_empty(), model == RecoveryModel::BulkLogged);
    }
    rig.lose_power((hobt, index, db));
    let db = rig
        .recover()
        .unwrap_or_else(|e| panic!("{model:?}, seed {seed}, cut at {nth}: restart: {e}"));
    let found = read(&db, ids).unwrap();
    assert!(states.contains(&found), "{model:?}, seed {seed}, cut at {nth}: {} rows", found.len());
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let _ = db.background_tick();
    assert_eq!(unowned(&db), nobody, "{model:?}, seed {seed}, cut at {nth}: extents lost");
    cut
}

#[test]
fn power_fails_at_every_step() {
    let stride = number("TAFFRAIL_SIM_STRIDE").unwrap_or(11);
    for model in [RecoveryModel::Simple, RecoveryModel::BulkLogged, RecoveryModel::Full] {
        for seed in 0..2 {
            let mut nth = 1;
            while run(model, seed, nth) {
                nth += stride + seed;
            }
            println!("{model:?}, seed {seed}: {nth} steps");
        }
    }
}

/// The log of a load into a filled heap: entries whole, pages hardly.
#[test]
fn pages_are_not_in_the_log_entries_are() {
    let logged = |model| {
        let (db, ids) = create(&rig(3, model, 2_000));
        let mut m = Model::new();
        let mut tx = begin(&db);
        load(&db, &mut tx, ids, &mut m, 0..50).unwrap();
        tx.commit(Durability::Full).unwrap();
        let before = db.log().appended();
        let mut tx = begin(&db);
        load(&db, &mut tx, ids, &mut m, 50..3_050).unwrap();
        tx.commit(Durability::Full).unwrap();
        db.log().appended().since(before)
    };
    let (simple, full) = (logged(RecoveryModel::Simple), logged(RecoveryModel::Full));
    println!("{simple} bytes of log against {full}");
    // 3,000 rows of 258 bytes on average; an entry's record is less than 150.
    assert!(full > simple + 600_000 && simple > 3_000 * 50 && simple < 3_000 * 250);
}
