//! Pages of a large value that cannot be written, or whose transaction does not come to its end, belong to nobody afterwards.

use std::sync::Arc;

use taffrail_base::{HobtId, ObjectId};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CheckpointKind, Database, Durability, Growth, StorageResult, Transaction, btree, lob,
};

use crate::rig;

use rig::{MB, Rig, begin, make_in};

const TABLE: ObjectId = ObjectId(1000);

/// With a log of 4 MB that does not grow.
fn rig(seed: u64) -> Rig {
    Rig::new(seed).frames(2000).data(2 * MB, Growth::Bytes(MB)).log(4 * MB, Growth::None)
}

/// The database, a tree for large values and one for rows.
fn create(rig: &Rig) -> (Arc<Database>, HobtId, HobtId) {
    let db = rig.create();
    let mut tx = begin(&db);
    let (id, other) = (make_in(&mut tx, TABLE.0, 1), make_in(&mut tx, 1001, 1));
    tx.commit(Durability::Full).unwrap();
    (db, id, other)
}

fn write(tx: &mut Transaction, db: &Arc<Database>, id: HobtId, bytes: usize) -> StorageResult<()> {
    tx.lock_object(TABLE, LockMode::IX)?;
    let hobt = db.hobt(id)?;
    lob::write(tx, &hobt, &vec![7; bytes]).map(|_| ())
}

/// IAM page, root, and nothing else.
fn assert_empty(db: &Arc<Database>, id: HobtId) {
    assert_eq!(db.space_used(id).unwrap().used_pages, 2);
}

#[test]
fn of_a_value_that_does_not_fit_the_log() {
    let (db, id, _) = create(&rig(4));
    for n in 0..20 {
        let mut tx = begin(&db);
        let mark = tx.savepoint();
        // Each attempt ends at another page of a group.
        let e = write(&mut tx, &db, id, 6 * MB as usize + n * 9000).unwrap_err();
        assert!(matches!(e, taffrail_storage::StorageError::LogFull(_)), "{e}");
        if n % 2 == 0 {
            tx.rollback_to(mark).unwrap();
            tx.commit(Durability::Full).unwrap();
        } else {
            tx.rollback().unwrap();
        }
        db.checkpoint(CheckpointKind::Manual).unwrap();
        assert_empty(&db, id);
    }
}

#[test]
fn of_values_written_when_the_power_fails() {
    // At one I/O after another: a full log buffer is written while the value is, and others commit beside it.
    let (mut crashes, mut wrote) = (0, 0);
    for nth in 0..120 {
        let rig = rig(nth);
        let (db, id, other) = create(&rig);
        let rows = db.hobt(other).unwrap();
        // Something of it stays, so that its pages come after what is kept.
        let mut tx = begin(&db);
        write(&mut tx, &db, id, 1).unwrap();
        tx.rollback().unwrap();
        assert_empty(&db, id);
        db.flush_log().unwrap();
        rig.world.crash_at(nth);
        let mut tx = begin(&db);
        let failed = (0..40u64).any(|n| {
            let mut beside = begin(&db);
            let row = btree::insert(&mut beside, &rows, &n.to_be_bytes(), &[1; 500]);
            let step = write(&mut tx, &db, id, 8000 * (1 + n as usize % 11))
                .and(row)
                .and_then(|()| beside.commit(Durability::Full));
            wrote += u32::from(step.is_ok());
            step.is_err()
        });
        crashes += u32::from(failed);
        rig.lose_power((tx, rows, db));
        let db = rig.recover().unwrap();
        assert_empty(&db, id);
    }
    assert!(crashes > 20 && wrote > 100, "{crashes} {wrote}");
}
