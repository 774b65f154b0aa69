//! Whoever has filled the log by making tables can roll back, on a disk without a free byte: the extents of each table that goes
//! become pending in a transaction of their own, for which room was kept.

use std::sync::Arc;

use taffrail_base::{IndexId, ObjectId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, DatabaseState, Durability, Growth, HobtKind, StorageResult,
    Transaction, btree, lob,
};

use crate::rig;

use rig::{MB, Rig, begin_impatient, make_in};

/// With a log that keeps its size.
fn rig(sector: u32, log: u64) -> Rig {
    let rig = Rig::sectors(3, sector).dir_synced().frames(4096);
    rig.data(128 * MB, Growth::Bytes(MB)).log(log, Growth::None).log_max(log)
}

fn begin(db: &Arc<Database>) -> Transaction {
    begin_impatient(db, 51)
}

/// Makes tables with a row until the log is full; the last is undone.
fn fill(db: &Arc<Database>) -> (Transaction, u32) {
    let mut tx = begin(db);
    for made in 0.. {
        let mark = tx.savepoint();
        let mut one = || -> StorageResult<()> {
            let object = ObjectId(2000 + made as i32);
            tx.lock_object(object, LockMode::SchM)?;
            let id = db.create_hobt(&mut tx, HobtKind::BTree, object, IndexId(1))?;
            let hobt = db.hobt(id)?;
            btree::insert(&mut tx, &hobt, b"k", b"v")
        };
        if let Err(e) = one() {
            assert!(e.is_want_of_room(), "{e}");
            tx.rollback_to(mark).unwrap();
            return (tx, made);
        }
    }
    unreachable!("the log is never full");
}

#[test]
fn tables_that_filled_the_log_roll_back() {
    for sector in [512, 4096] {
        for crash in [false, true] {
            let rig = rig(sector, MB);
            let mut db = rig.create();
            let before = db.hobts().unwrap().len();
            db.checkpoint(CheckpointKind::Manual).unwrap();
            rig.world.set_capacity(db.files().iter().map(|f| f.size).sum());
            let (tx, made) = fill(&db);
            assert!(made > 100, "{made} tables");
            db.flush_log().unwrap();
            if crash {
                rig.lose_power((tx, db));
                db = rig.open();
            } else {
                tx.rollback().unwrap();
            }
            assert_eq!(db.state(), DatabaseState::Online, "sector {sector}");
            assert_eq!(db.hobts().unwrap().len(), before);
            db.checkpoint(CheckpointKind::Manual).unwrap();
            let mut tx = begin(&db);
            tx.lock_object(ObjectId(9000), LockMode::SchM).unwrap();
            make_in(&mut tx, 9000, 0);
            tx.commit(Durability::Full).unwrap();
        }
    }
}

/// What restart reserves for the undo of a large value is what the value's own transaction had reserved.
#[test]
fn writers_beside_the_undo_of_a_large_value() {
    let rig = rig(4096, 16 * MB);
    let db = rig.create();
    let mut tx = begin(&db);
    let (id, other) = (make_in(&mut tx, 1000, 1), make_in(&mut tx, 1001, 1));
    for id in [id, other] {
        btree::insert(&mut tx, &db.hobt(id).unwrap(), b"a", b"b").unwrap();
    }
    tx.commit(Durability::Full).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    let hobt = db.hobt(id).unwrap();
    let mut tx = begin(&db);
    tx.lock_object(hobt.object(), LockMode::IX).unwrap();
    lob::write(&mut tx, &hobt, &vec![1; 9 << 20]).unwrap();
    db.flush_log().unwrap();
    let before = db.log().space().reserved;
    rig.lose_power((tx, hobt, db));
    let (db, _) = rig.open_deferred().unwrap();
    let after = db.log().space().reserved;
    assert!(after <= before + (64 << 10), "{after} bytes reserved, {before} before the crash");
    let mut small = begin(&db);
    let hobt = db.hobt(other).unwrap();
    small.lock_object(hobt.object(), LockMode::IX).unwrap();
    btree::insert(&mut small, &hobt, b"x", b"v").unwrap();
    small.commit(Durability::Full).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
    assert!(db.finish_recovery().unwrap());
}
