//! Ghost cleanup beside a session that truncates and drops the trees that are cleaned: pages that are freed are not changed.

use std::time::Duration;

use taffrail_base::ObjectId;
use taffrail_base::sched::{self, Case};
use taffrail_io::sim::Slow;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{Durability, Growth, StorageError, btree};

use super::session::key;
use crate::rig::{KB, MB, Rig, begin, make};

const OBJECT: i32 = 1000;

/// A tree whose leaves have ghosts, none of them in memory; then the cleaning, and somebody who truncates, fills and drops it.
fn cleaned_while_it_goes(seed: u64) {
    let rig = Rig::new(seed).dir_synced().frames(64).data(MB, Growth::Bytes(256 * KB));
    let rig = rig.log(MB, Growth::Bytes(256 * KB));
    let db = rig.create();
    let id = make(&db, OBJECT, 1);
    let fill = |first: u64| -> Result<(), StorageError> {
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(OBJECT), LockMode::IX)?;
        let tree = db.hobt(id)?;
        for n in first..first + 60 {
            btree::insert(&mut tx, &tree, &key(n), &[7; 1500])?;
        }
        tx.commit(Durability::Full)
    };
    let thin_out = |first: u64| -> Result<(), StorageError> {
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(OBJECT), LockMode::IX)?;
        let tree = db.hobt(id)?;
        for n in (first..first + 60).filter(|n| n % 12 < 8) {
            assert!(btree::delete(&mut tx, &tree, &key(n))?);
        }
        tx.commit(Durability::Full)
    };
    fill(0).unwrap();
    thin_out(0).unwrap();
    // Others' pages come into memory in the place of these.
    let other = make(&db, OBJECT + 1, 1);
    let mut tx = begin(&db);
    for n in 0..400 {
        btree::insert(&mut tx, &db.hobt(other).unwrap(), &key(n), &[7; 1500]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    let most = Duration::from_millis(20);
    let slow = Slow { kind: None, path_contains: ".mdf".into(), one_in: 2, most };
    rig.world.slow(Some(slow));
    let cleaner = {
        let db = db.clone();
        sched::spawn("cleaner", move || {
            for _ in 0..6 {
                db.clean_ghosts(8).unwrap();
            }
        })
    };
    let mut gone = false;
    for round in 1..4 {
        let mut tx = begin(&db);
        tx.lock_object(ObjectId(OBJECT), LockMode::SchM).unwrap();
        gone = round == 3;
        match gone {
            true => db.drop_hobt(&mut tx, id).unwrap(),
            false => db.truncate_hobt(&mut tx, id).unwrap(),
        }
        tx.commit(Durability::Full).unwrap();
        if !gone {
            fill(100 * round).unwrap();
            thin_out(100 * round).unwrap();
        }
    }
    cleaner.join();
    assert!(gone);
    rig.world.slow(None);
    let findings = db.check_all(|_| Box::new(super::part::Values(false)), &mut || false).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn trees_go_while_their_ghosts_are_cleaned() {
    for seed in 1..121 {
        let case = Case::new(seed);
        let ran = sched::run(&case.plan(), move || cleaned_while_it_goes(seed));
        if let Err(e) = ran {
            panic!("seed {seed}: {}", e.text);
        }
    }
}
