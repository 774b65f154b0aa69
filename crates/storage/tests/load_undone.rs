//! What a bulk load leaves behind it when it is undone: its pages are nobody's, whatever led to them; and the rows
//! that it logs are on pages
//! that a restart can read.

use std::collections::BTreeSet;
use std::sync::Arc;

use taffrail_base::{HobtId, ObjectId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, RecoveryModel, Rid, StorageResult, Transaction,
    btree, heap,
};

use crate::rig;

use rig::{MB, Rig, begin, make, make_in, whole_heap};

const HEAP: ObjectId = ObjectId(1000);

fn rig(seed: u64, model: RecoveryModel) -> Rig {
    let rig = Rig::new(seed).model(model).frames(2000).data(2 * MB, Growth::Bytes(MB));
    rig.log(4 * MB, Growth::Bytes(MB)).log_max(64 * MB)
}

/// The database and its heap.
fn create(rig: &Rig) -> (Arc<Database>, HobtId) {
    let db = rig.create();
    let id = make(&db, HEAP.0, 0);
    (db, id)
}

fn row(n: u64, len: usize) -> Vec<u8> {
    let mut r = n.to_be_bytes().to_vec();
    r.resize(len.max(8), (n % 251) as u8);
    r
}

fn rows(db: &Arc<Database>, id: HobtId) -> BTreeSet<Vec<u8>> {
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(db);
    let rows = whole_heap(&mut tx, &hobt).unwrap();
    let out: BTreeSet<Vec<u8>> = rows.values().cloned().collect();
    assert_eq!(out.len(), rows.len(), "a row is there twice");
    out
}

/// Loads rows of 5,000 bytes, one a page, and some small ones that do not fill an extent.
fn load(tx: &mut Transaction, db: &Arc<Database>, id: HobtId) -> Vec<Rid> {
    tx.lock_object(HEAP, LockMode::X).unwrap();
    let hobt = db.hobt(id).unwrap();
    let mut load = heap::HeapLoad::open(&hobt);
    let mut rids = Vec::new();
    for n in 0..200 {
        load.push_each(tx, &row(n, 5000), &mut |_, rid, _| {
            rids.push(rid);
            Ok(())
        })
        .unwrap();
    }
    for n in 200..204 {
        load.push(tx, &row(n, 100)).unwrap();
    }
    load.finish_each(tx, &mut |_, rid, _| {
        rids.push(rid);
        Ok(())
    })
    .unwrap();
    rids
}

/// Commits rows one by one; gives what was committed.
fn insert_some(db: &Arc<Database>, id: HobtId) -> BTreeSet<Vec<u8>> {
    let hobt = db.hobt(id).unwrap();
    let mut rows = BTreeSet::new();
    for n in 1000..1010 {
        let mut tx = begin(db);
        tx.lock_object(HEAP, LockMode::IX).unwrap();
        heap::insert(&mut tx, &hobt, &row(n, 2500)).unwrap();
        tx.commit(Durability::Full).unwrap();
        rows.insert(row(n, 2500));
    }
    rows
}

const MODELS: [RecoveryModel; 3] =
    [RecoveryModel::Simple, RecoveryModel::BulkLogged, RecoveryModel::Full];

#[test]
fn rows_after_a_load_that_is_rolled_back_have_pages_of_the_heap() {
    for model in MODELS {
        // Rows are deleted from pages of the load, inserted into one of them, or neither; before the load there were some or none.
        for case in 0..8 {
            let (db, id) = create(&rig(1, model));
            let hobt = db.hobt(id).unwrap();
            let mut want = BTreeSet::new();
            if case & 4 != 0 {
                let mut tx = begin(&db);
                tx.lock_object(HEAP, LockMode::IX).unwrap();
                heap::insert(&mut tx, &hobt, &row(5000, 8000)).unwrap();
                tx.commit(Durability::Full).unwrap();
                want.insert(row(5000, 8000));
            }
            let mut tx = begin(&db);
            let rids = load(&mut tx, &db, id);
            if case & 1 != 0 {
                for rid in &rids[3..10] {
                    assert!(heap::delete(&mut tx, &hobt, *rid).unwrap());
                }
            }
            if case & 2 != 0 {
                heap::insert(&mut tx, &hobt, &row(999, 2000)).unwrap();
            }
            tx.rollback().unwrap();
            want.extend(insert_some(&db, id));
            assert!(rows(&db, id) == want, "{model:?}, case {case}");
        }
    }
}

#[test]
fn and_so_have_those_after_a_rollback_to_a_savepoint() {
    for model in MODELS {
        let (db, id) = create(&rig(1, model));
        let hobt = db.hobt(id).unwrap();
        let mut tx = begin(&db);
        let mark = tx.savepoint();
        let rids = load(&mut tx, &db, id);
        assert!(heap::delete(&mut tx, &hobt, rids[3]).unwrap());
        tx.rollback_to(mark).unwrap();
        heap::insert(&mut tx, &hobt, &row(1, 2500)).unwrap();
        tx.commit(Durability::Full).unwrap();
        let mut want = insert_some(&db, id);
        want.insert(row(1, 2500));
        assert!(rows(&db, id) == want, "{model:?}");
    }
}

#[test]
fn and_those_after_a_truncation_that_is_rolled_back() {
    let (db, id) = create(&rig(1, RecoveryModel::Full));
    let hobt = db.hobt(id).unwrap();
    let mut want = insert_some(&db, id);
    let mut tx = begin(&db);
    tx.lock_object(HEAP, LockMode::SchM).unwrap();
    db.truncate_hobt(&mut tx, id).unwrap();
    let rids = load(&mut tx, &db, id);
    assert!(heap::delete(&mut tx, &hobt, rids[3]).unwrap());
    tx.rollback().unwrap();
    assert!(rows(&db, id) == want, "the truncation is undone");
    let mut tx = begin(&db);
    tx.lock_object(HEAP, LockMode::IX).unwrap();
    heap::insert(&mut tx, &hobt, &row(1, 2500)).unwrap();
    tx.commit(Durability::Full).unwrap();
    want.insert(row(1, 2500));
    assert!(rows(&db, id) == want);
}

/// Extents low in the file become free while the load runs, so that its last page is not the one that was written last; a row of the
/// rest is logged for a page of the load, and its record becomes durable: then power fails.
#[test]
fn a_row_that_is_logged_is_on_a_page_that_is_on_disk() {
    for seed in 0..20 {
        let rig = rig(seed, RecoveryModel::Simple);
        let (db, id) = create(&rig);
        let mut tx = begin(&db);
        let (dropped, tree) = (make_in(&mut tx, 2000, 1), make_in(&mut tx, 2001, 1));
        let (first, tree) = (db.hobt(dropped).unwrap(), db.hobt(tree).unwrap());
        tx.lock_object(ObjectId(2000), LockMode::X).unwrap();
        for n in 0..400u64 {
            btree::insert(&mut tx, &first, &n.to_be_bytes(), &row(n, 3900)).unwrap();
        }
        btree::insert(&mut tx, &tree, b"x", b"y").unwrap();
        tx.commit(Durability::Full).unwrap();
        db.checkpoint(CheckpointKind::Manual).unwrap();

        let hobt = db.hobt(id).unwrap();
        let mut tx = begin(&db);
        tx.lock_object(HEAP, LockMode::X).unwrap();
        let mut load = heap::HeapLoad::open(&hobt);
        for n in 0..128 {
            load.push(&mut tx, &row(n, 5000)).unwrap();
        }
        load.push(&mut tx, &row(128, 8000)).unwrap();
        let mut drop_it = begin(&db);
        drop_it.lock_object(ObjectId(2000), LockMode::SchM).unwrap();
        db.drop_hobt(&mut drop_it, dropped).unwrap();
        drop_it.commit(Durability::Full).unwrap();
        for n in 129..256 {
            load.push(&mut tx, &row(n, 8000)).unwrap();
        }
        for n in 256..258 {
            load.push(&mut tx, &row(n, 2500)).unwrap();
        }
        let mut failed = false;
        // What comes after the power failure is an error.
        let _: StorageResult<u64> = load.finish_each(&mut tx, &mut |_, _, r| {
            if r.len() == 2500 && !failed {
                failed = true;
                let mut other = begin(&db);
                btree::insert(&mut other, &tree, b"z", b"y")?;
                other.commit(Durability::Full)?;
                rig.world.crash();
            }
            Ok(())
        });
        assert!(failed);
        drop((tx, hobt, tree, first));
        drop(db);
        rig.world.restart();
        let db = rig.recover().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(rows(&db, id).is_empty(), "seed {seed}");
    }
}
