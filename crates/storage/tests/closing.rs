//! Databases that end while others go on: closed under a late checkpoint, given up without being closed.

use std::sync::Arc;

use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, DatabaseOptions, DatabaseState, Durability, Growth, ScanLocks,
    StorageError, StorageInstance, btree,
};

use crate::rig;

use rig::{MB, Rig, TREE, begin};

/// Databases of this world differ by name; one machine has several.
fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).id(7).named("a").frames(4096);
    rig.data(2 * MB, Growth::Bytes(MB)).log(8 * MB, Growth::Bytes(MB)).log_max(64 * MB)
}

fn open(rig: &Rig, instance: &Arc<StorageInstance>) -> Arc<Database> {
    rig.open_in(instance).unwrap().0
}

fn insert(db: &Arc<Database>, keys: std::ops::Range<u64>) -> Result<(), StorageError> {
    let tree = db.hobt(TREE)?;
    let mut tx = begin(db);
    tx.lock_object(tree.object(), LockMode::IX)?;
    for key in keys {
        btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[key as u8; 400])?;
    }
    tx.commit(Durability::Full)
}

fn count(db: &Arc<Database>) -> u64 {
    rig::count(db, TREE, ScanLocks::None).unwrap()
}

#[test]
fn a_closed_database_leaves_its_files_alone() {
    let rig = rig(1);
    let shared = rig.instance();
    let old = rig.create_in(&shared).unwrap();
    insert(&old, 0..50).unwrap();
    old.close().unwrap();
    old.close().unwrap();
    let db = open(&rig, &shared);
    insert(&db, 100..200).unwrap();

    // What others were about to do with the old handle.
    assert!(old.checkpoint(CheckpointKind::LogUse).is_err());
    assert!(old.set_options(&DatabaseOptions::default()).is_err());
    assert!(old.clean_ghosts(10).is_err());
    old.background_tick();
    assert!(insert(&old, 1000..1001).is_err());
    assert!(old.log().is_failed());
    assert!(matches!(old.state(), DatabaseState::Offline));

    insert(&db, 200..300).unwrap();
    rig.lose_power((old, db));
    assert_eq!(count(&rig.open()), 250);
}

/// Sessions commit, told at once and durable later, until their database is gone. Their numbers are those of their keys.
fn commit_on(db: &Arc<Database>, session: u64) -> u64 {
    let mut told = 0;
    loop {
        let key = (session << 32) + told;
        let committed = || -> Result<(), StorageError> {
            let tree = db.hobt(TREE)?;
            let mut tx = begin(db);
            tx.lock_object(tree.object(), LockMode::IX)?;
            btree::insert(&mut tx, &tree, &key.to_be_bytes(), &[1; 100])?;
            tx.commit(Durability::Delayed)
        };
        match committed() {
            Ok(()) => told += 1,
            Err(_) => return told,
        }
    }
}

#[test]
fn what_was_told_to_be_committed_beside_a_close_is_there() {
    let any = rig(4).log(64 * MB, Growth::Bytes(MB));
    let shared = any.instance();
    for round in 0..12 {
        let rig = any.clone().named(&format!("q{round}"));
        let old = rig.create_in(&shared).unwrap();
        let told: u64 = std::thread::scope(|s| {
            let old = &old;
            let sessions: Vec<_> = (0..3).map(|n| s.spawn(move || commit_on(old, n))).collect();
            std::thread::sleep(std::time::Duration::from_millis(20));
            old.close().unwrap();
            sessions.into_iter().map(|s| s.join().unwrap()).sum()
        });
        assert!(told > 0);
        let db = open(&rig, &shared);
        assert_eq!(count(&db), told, "round {round}");
        db.close().unwrap();
    }
}

#[test]
fn a_tick_that_waits_for_close_does_nothing() {
    let any = rig(2).frames(1024);
    let shared = any.instance();
    for round in 0..8 {
        let rig = any.clone().named(&format!("c{round}"));
        let old = rig.create_in(&shared).unwrap();
        insert(&old, 0..50).unwrap();
        let db = std::thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| {
                    while matches!(old.state(), DatabaseState::Online) {
                        old.background_tick();
                        // Refused once it is closed.
                        let _: Result<(), StorageError> = old.checkpoint(CheckpointKind::LogUse);
                    }
                });
            }
            old.close().unwrap();
            let db = open(&rig, &shared);
            insert(&db, 50..100).unwrap();
            db
        });
        db.close().unwrap();
        let db = open(&rig, &shared);
        assert_eq!(count(&db), 100);
        db.close().unwrap();
    }
}

#[test]
fn pages_of_a_database_that_was_given_up_are_forgotten() {
    let a = rig(3);
    let b = a.clone().named("b");
    let shared = a.instance();
    let given_up = a.create_in(&shared).unwrap();
    insert(&given_up, 0..500).unwrap();
    drop(given_up);
    let db = b.create_in(&shared).unwrap();
    assert_eq!(count(&db), 0);
    insert(&db, 1000..1100).unwrap();
    assert_eq!(count(&db), 100);
    // The other way to a database: its file is opened.
    drop(db);
    let db = open(&a, &shared);
    assert_eq!(count(&db), 500);
    insert(&db, 500..600).unwrap();
    a.lose_power(db);
    let shared = a.instance();
    assert_eq!(count(&open(&b, &shared)), 100);
    assert_eq!(count(&open(&a, &shared)), 600);
}
