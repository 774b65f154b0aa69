//! Pages that a transaction has deallocated are nobody else's until it has committed: a large value is dropped, or leaves are merged,
//! beside whoever reads the lists of free pages first.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use taffrail_base::{HobtId, IndexId, ObjectId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{Database, Durability, Growth, HobtKind, LobRef, StorageResult, btree, lob};

use crate::rig;

use rig::{MB, Rig, begin, make};

/// Pages of the value that is dropped.
const PAGES: usize = 5000;

fn rig(seed: u64) -> Rig {
    let (size, growth) = (64 * MB, Growth::Bytes(8 * MB));
    Rig::new(seed).dir_synced().frames(16384).data(size, growth).log(size, growth)
}

/// Commits a value of so many bytes.
fn store(db: &Arc<Database>, id: HobtId, byte: u8, len: usize, durability: Durability) -> LobRef {
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(db);
    tx.lock_object(hobt.object(), LockMode::IX).unwrap();
    let value = lob::write(&mut tx, &hobt, &vec![byte; len]).unwrap();
    tx.commit(durability).unwrap();
    value
}

/// True if a value is what was stored.
fn holds(db: &Arc<Database>, id: HobtId, value: LobRef, byte: u8) -> StorageResult<bool> {
    let hobt = db.hobt(id)?;
    let mut tx = begin(db);
    let mut out = Vec::new();
    lob::read(&mut tx, &hobt, value, 0, value.length, &mut out)?;
    tx.rollback()?;
    Ok(out.len() as u64 == value.length && out.iter().all(|b| *b == byte))
}

/// A database just opened, whose lists of free pages nobody has read, with a large value in it.
fn with_a_large_value(rig: &Rig) -> (Arc<Database>, HobtId, LobRef) {
    let db = rig.create();
    let id = make(&db, 1000, 1);
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(&db);
    tx.lock_object(hobt.object(), LockMode::IX).unwrap();
    btree::insert(&mut tx, &hobt, b"old", b"row").unwrap();
    let old = lob::write(&mut tx, &hobt, &vec![1; PAGES * lob::PIECE]).unwrap();
    tx.commit(Durability::Full).unwrap();
    drop(hobt);
    db.close().unwrap();
    (rig.open(), id, old)
}

/// Begins to drop the large value in another thread, and returns when that is on its way.
fn drop_value(db: &Arc<Database>, id: HobtId, old: LobRef) -> (Arc<AtomicBool>, JoinHandle<()>) {
    let ended = Arc::new(AtomicBool::new(false));
    let before = db.log().appended();
    let thread = {
        let (db, ended) = (db.clone(), ended.clone());
        std::thread::spawn(move || {
            let hobt = db.hobt(id).unwrap();
            let mut tx = begin(&db);
            tx.lock_object(hobt.object(), LockMode::IX).unwrap();
            btree::delete(&mut tx, &hobt, b"old").unwrap();
            lob::delete(&mut tx, &hobt, old).unwrap();
            // The power may fail.
            let _ = tx.commit(Durability::Full);
            ended.store(true, Ordering::SeqCst);
        })
    };
    while db.log().appended().since(before) < 60_000 && !ended.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    (ended, thread)
}

#[test]
fn allocations_go_on_after_a_large_value_was_dropped() {
    let rig = rig(7);
    let (db, id, old) = with_a_large_value(&rig);
    let (_, thread) = drop_value(&db, id, old);
    store(&db, id, 2, 5 * lob::PIECE, Durability::Full);
    thread.join().unwrap();
    // A page each: small values would share them, and not come to all that are free.
    for _ in 0..PAGES + 1000 {
        store(&db, id, 3, lob::PIECE, Durability::Delayed);
    }
}

#[test]
fn a_committed_value_outlives_the_undo_of_anothers_drop() {
    let rig = rig(8);
    let (db, id, old) = with_a_large_value(&rig);
    let (_, thread) = drop_value(&db, id, old);
    let new = store(&db, id, 2, 5 * lob::PIECE, Durability::Full);
    rig.world.crash();
    thread.join().unwrap();
    drop(db);
    rig.world.restart();
    let db = rig.open();
    // Somebody takes what is free.
    store(&db, id, 9, (PAGES + 100) * lob::PIECE, Durability::Full);
    assert!(holds(&db, id, new, 2).unwrap());
}

#[test]
fn reorganization_keeps_extents_whose_pages_may_come_back() {
    let rig = rig(9);
    let (db, id, old) = with_a_large_value(&rig);
    let (_, thread) = drop_value(&db, id, old);
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(&db);
    tx.lock_object(hobt.object(), LockMode::IS).unwrap();
    let mut work = btree::Reorganize::new(&hobt, 100).unwrap();
    while work.step(&mut tx).unwrap() {}
    tx.commit(Durability::Full).unwrap();
    // Another table takes what it gave back.
    let make = |db: &Arc<Database>, object| {
        let mut tx = begin(db);
        tx.lock_object(object, LockMode::SchM).unwrap();
        let id = db.create_hobt(&mut tx, HobtKind::BTree, object, IndexId(1)).unwrap();
        btree::insert(&mut tx, &db.hobt(id).unwrap(), b"x", b"y").unwrap();
        tx.commit(Durability::Full).unwrap();
        id
    };
    let other = make(&db, ObjectId(2000));
    let value = store(&db, other, 5, 40 * lob::PIECE, Durability::Full);
    rig.world.crash();
    thread.join().unwrap();
    drop((work, hobt, db));
    rig.world.restart();
    let db = rig.open();
    for n in 0..3 {
        let id = make(&db, ObjectId(3000 + n));
        store(&db, id, 6, 100 * lob::PIECE, Durability::Full);
    }
    assert!(holds(&db, other, value, 5).unwrap());
    store(&db, other, 8, 400 * lob::PIECE, Durability::Full);
}

#[test]
fn leaves_are_merged_beside_the_first_allocation() {
    for seed in 0..12u64 {
        let rig = rig(seed + 100);
        let db = rig.create();
        let id = make(&db, 1000, 1);
        let hobt = db.hobt(id).unwrap();
        for len in [3000, 300] {
            let mut tx = begin(&db);
            tx.lock_object(hobt.object(), LockMode::IX).unwrap();
            for n in 0..1200u64 {
                let (key, value) = (n.to_be_bytes(), vec![1; len]);
                match len {
                    3000 => btree::insert(&mut tx, &hobt, &key, &value).unwrap(),
                    _ => btree::update(&mut tx, &hobt, &key, &value).map(drop).unwrap(),
                }
            }
            tx.commit(Durability::Full).unwrap();
        }
        drop(hobt);
        db.close().unwrap();
        let db = rig.open();
        let before = db.log().appended();
        let merging = {
            let db = db.clone();
            std::thread::spawn(move || {
                let hobt = db.hobt(id).unwrap();
                let mut tx = begin(&db);
                tx.lock_object(hobt.object(), LockMode::IS).unwrap();
                let mut work = btree::Reorganize::new(&hobt, 100).unwrap();
                for _ in 0..900 {
                    if !work.step(&mut tx).unwrap() {
                        break;
                    }
                }
                tx.commit(Durability::Delayed).unwrap();
            })
        };
        while db.log().appended().since(before) < seed * 7919 && !merging.is_finished() {
            std::hint::spin_loop();
        }
        store(&db, id, 3, lob::PIECE, Durability::Delayed);
        merging.join().unwrap();
        for _ in 0..1500 {
            store(&db, id, 3, lob::PIECE, Durability::Delayed);
        }
    }
}
