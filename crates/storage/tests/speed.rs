//! What the hot paths cost, on the simulated disk, so that no device is in the figures. Run by people:
//! `cargo test --release -p taffrail-storage --test it speed:: -- --ignored --nocapture`.

use std::time::Instant;

use taffrail_base::{HobtId, IndexId, ObjectId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{Direction, Durability, Growth, HobtKind, KeyRange, ScanLocks, btree, heap};

use crate::rig;

use rig::{MB, Rig, begin};

const ROWS: u64 = 500_000;
const GB: u64 = 1 << 30;

/// A machine whose pool holds everything.
fn rig() -> Rig {
    let growth = Growth::Bytes(64 * MB);
    Rig::new(1).frames(GB / 8192).data(256 * MB, growth).log(512 * MB, growth)
}

fn timed(what: &str, n: u64, f: impl FnOnce()) {
    let started = Instant::now();
    f();
    let ns = started.elapsed().as_nanos() as u64;
    println!("{what:<50} {:>8} ns each, {:>10} a second", ns / n, n * 1_000_000_000 / ns.max(1));
}

#[test]
#[ignore = "prints what things cost; judged by people"]
fn costs() {
    let db = rig().create();
    let mut tx = begin(&db);
    let tree = db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1000), IndexId(1)).unwrap();
    let other = db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1001), IndexId(1)).unwrap();
    let rows = db.create_hobt(&mut tx, HobtKind::Heap, ObjectId(1002), IndexId(0)).unwrap();
    tx.commit(Durability::Full).unwrap();
    let handle = |id: HobtId| db.hobt(id).unwrap();
    let value = [7u8; 60];

    let (tree, other, rows) = (handle(tree), handle(other), handle(rows));
    let mut tx = begin(&db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    timed("insert, ascending keys, one transaction", ROWS, || {
        for i in 0..ROWS {
            btree::insert(&mut tx, &tree, &i.to_be_bytes(), &value).unwrap();
        }
    });
    tx.commit(Durability::Full).unwrap();

    let mut tx = begin(&db);
    tx.lock_object(rows.object(), LockMode::IX).unwrap();
    timed("insert, heap, one transaction", ROWS, || {
        for _ in 0..ROWS {
            heap::insert(&mut tx, &rows, &value).unwrap();
        }
    });
    tx.commit(Durability::Full).unwrap();

    timed("insert, ascending keys, delayed commit each", ROWS, || {
        for i in 0..ROWS {
            let mut tx = begin(&db);
            tx.lock_object(tree.object(), LockMode::IX).unwrap();
            btree::insert(&mut tx, &tree, &(ROWS + i).to_be_bytes(), &value).unwrap();
            tx.commit(Durability::Delayed).unwrap();
        }
    });

    let mut tx = begin(&db);
    tx.lock_object(other.object(), LockMode::IX).unwrap();
    timed("insert, random keys, one transaction", ROWS, || {
        for i in 0..ROWS {
            let key = i.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
            btree::insert(&mut tx, &other, &key, &value).unwrap();
        }
    });
    tx.commit(Durability::Full).unwrap();

    let mut tx = begin(&db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    timed("update in place while scanning, U then X", ROWS, || {
        let range = KeyRange { upper: Some(ROWS.to_be_bytes().to_vec()), ..KeyRange::default() };
        let mut c = btree::seek(&tree, range, Direction::Forward, ScanLocks::Update);
        let mut key = Vec::new();
        let mut new = value;
        let mut n = 0u64;
        while let Some((k, _)) = c.next(&mut tx).unwrap() {
            key.clear();
            key.extend_from_slice(k);
            new[20] = n as u8;
            n += 1;
            btree::update(&mut tx, &tree, &key, &new).unwrap();
        }
        assert_eq!(n, ROWS);
    });
    tx.commit(Durability::Full).unwrap();

    let mut tx = begin(&db);
    timed("scan, READ COMMITTED", ROWS * 2, || {
        let mut c =
            btree::seek(&tree, KeyRange::default(), Direction::Forward, ScanLocks::ReadCommitted);
        let mut n = 0;
        while c.next(&mut tx).unwrap().is_some() {
            n += 1;
        }
        assert_eq!(n, ROWS * 2);
    });
    let mut out = Vec::new();
    timed("get, random keys, READ COMMITTED", ROWS, || {
        for i in 0..ROWS {
            let key = (i.wrapping_mul(7919) % ROWS).to_be_bytes();
            assert!(btree::get(&mut tx, &tree, &key, ScanLocks::ReadCommitted, &mut out).unwrap());
        }
    });
    tx.commit(Durability::Full).unwrap();

    let mut tx = begin(&db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    timed("delete while scanning", ROWS, || {
        let range = KeyRange { upper: Some(ROWS.to_be_bytes().to_vec()), ..KeyRange::default() };
        let mut c = btree::seek(&tree, range, Direction::Forward, ScanLocks::Update);
        let mut key = Vec::new();
        while let Some((k, _)) = c.next(&mut tx).unwrap() {
            key.clear();
            key.extend_from_slice(k);
            btree::delete(&mut tx, &tree, &key).unwrap();
        }
    });
    timed("roll back that", ROWS, || tx.rollback().unwrap());
    timed("checkpoint", 1, || {
        db.checkpoint(taffrail_storage::CheckpointKind::Manual).unwrap();
    });
    println!("log: {:?}", db.log().space());
}
