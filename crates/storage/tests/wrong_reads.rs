//! A device that gives once what nobody has written, at any read of a restart: nothing is written over for it, and nothing given up.

use std::sync::Arc;
use taffrail_base::{HobtId, ObjectId, PageId};
use taffrail_io::sim::{Fault, FaultKind, IoKind};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, ScanLocks, StorageError, btree,
};

use crate::rig;

use rig::{MB, Rig, begin, entries, make};

const ROWS: u64 = 120;

fn rig(seed: u64) -> Rig {
    let rig = Rig::new(seed).frames(512).data(2 * MB, Growth::Bytes(MB));
    rig.log(4 * MB, Growth::Bytes(MB)).log_max(64 * MB)
}

/// The first page of rows in the double-write region, and how many images that has.
fn region(rig: &Rig) -> Vec<PageId> {
    let volume = rig.world.env().disk.open(&rig.data.path, taffrail_io::OpenSpec::DATA).unwrap();
    let region = taffrail_storage::buffer::DoubleWrite::read(&*volume, 0).unwrap();
    region.into_iter().flat_map(|r| r.images).map(|i| i.1).collect()
}

fn update(db: &Arc<Database>, id: HobtId, value: u8) {
    let (hobt, mut tx) = (db.hobt(id).unwrap(), begin(db));
    tx.lock_object(hobt.object(), LockMode::IX).unwrap();
    for n in 0..ROWS {
        btree::update(&mut tx, &hobt, &n.to_be_bytes(), &[value; 900]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
}

/// A tree whose pages a committed load has filled without logging what they hold, cut off. Images of what they held before are in the
/// double-write region.
fn loaded(rig: &Rig) -> HobtId {
    let db = rig.create();
    let first = make(&db, 1000, 1);
    let (hobt, mut tx) = (db.hobt(first).unwrap(), begin(&db));
    tx.lock_object(ObjectId(1000), LockMode::X).unwrap();
    for n in 0..ROWS {
        btree::insert(&mut tx, &hobt, &n.to_be_bytes(), &[1; 900]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    for value in 2..4 {
        db.checkpoint(CheckpointKind::Manual).unwrap();
        update(&db, first, value);
    }
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let images = region(rig);
    let mut tx = begin(&db);
    db.drop_hobt(&mut tx, first).unwrap();
    tx.commit(Durability::Full).unwrap();
    let second = make(&db, 1001, 1);
    let (hobt, mut tx) = (db.hobt(second).unwrap(), begin(&db));
    tx.lock_object(ObjectId(1001), LockMode::X).unwrap();
    let rows = (0..ROWS).map(|n| Ok((n.to_be_bytes().to_vec(), vec![7; 900])));
    btree::build::<StorageError, _>(&mut tx, &hobt, rows).unwrap();
    tx.commit(Durability::Full).unwrap();
    assert_eq!(region(rig), images, "of the first tree still");
    rig.lose_power((hobt, db));
    second
}

#[test]
fn a_read_that_is_wrong_once_costs_a_restart_nothing() {
    let mut reads = 0;
    for nth in 1..200 {
        let rig = rig(1);
        let second = loaded(&rig);
        rig.world.inject(Fault {
            nth,
            kind: Some(IoKind::Read),
            path_contains: "t.mdf".into(),
            fault: FaultKind::Wrong,
            sticky: false,
        });
        let db = rig.recover().unwrap_or_else(|e| panic!("read {nth}: {e}"));
        let struck = rig.world.stats().faults > 0;
        rig.world.clear_faults();
        let (hobt, mut tx) = (db.hobt(second).unwrap(), begin(&db));
        let rows = entries(&mut tx, &hobt, Default::default(), ScanLocks::None);
        let rows = rows.unwrap_or_else(|e| panic!("read {nth}: {e}"));
        assert!(rows.len() as u64 == ROWS && rows.values().all(|r| r[0] == 7), "read {nth}");
        assert_eq!(db.recovery_report().torn_repaired, 0, "read {nth}");
        if !struck {
            break;
        }
        reads = nth;
    }
    assert!((20..199).contains(&reads), "{reads} reads of a restart");
}
