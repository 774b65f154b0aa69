//! Pages of a large value that cannot be written, or whose transaction does not come to its end, belong to nobody afterwards.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::{DatabaseId, HobtId, IndexId, ObjectId, SessionId};
use taffrail_io::sim::SimWorld;
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CheckpointKind, CreateSpec, DataFileSpec, Database, DatabaseOptions, Durability,
    Growth, HobtKind, InstanceOptions, OpenSpec, RecoveryModel, StorageInstance, StorageResult,
    Transaction, btree, lob,
};

const DB: DatabaseId = DatabaseId(5);
const TABLE: ObjectId = ObjectId(1000);
const OTHER: ObjectId = ObjectId(1001);
const MB: usize = 1 << 20;

fn instance(world: &SimWorld) -> Arc<StorageInstance> {
    let options = InstanceOptions { pool_bytes: 2000 * 8192, ..InstanceOptions::default() };
    StorageInstance::new(world.env(), options).unwrap()
}

/// A database with a log of 4 MB that does not grow, a tree for large values and one for rows.
fn create(world: &SimWorld) -> (Arc<Database>, HobtId, HobtId) {
    world.env().disk.create_dir(Path::new("/data")).unwrap();
    let file = |name: &str, size, growth| DataFileSpec {
        name: name.into(),
        path: PathBuf::from(format!("/data/{name}")),
        size,
        growth,
        max_size: None,
    };
    let spec = CreateSpec {
        data_files: vec![file("t.mdf", 2 << 20, Growth::Bytes(1 << 20))],
        log_files: vec![file("t_log.ldf", 4 << 20, Growth::None)],
        options: DatabaseOptions {
            recovery_model: RecoveryModel::Simple,
            ..DatabaseOptions::default()
        },
        temporary: false,
    };
    let db = Database::create(&instance(world), DB, "t", &spec).unwrap();
    let mut tx = begin(&db);
    let id = db.create_hobt(&mut tx, HobtKind::BTree, TABLE, IndexId(1)).unwrap();
    let other = db.create_hobt(&mut tx, HobtKind::BTree, OTHER, IndexId(1)).unwrap();
    tx.commit(Durability::Full).unwrap();
    (db, id, other)
}

fn begin(db: &Arc<Database>) -> Transaction {
    db.begin(BeginSpec { session: SessionId(51), ..BeginSpec::default() })
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
    let world = SimWorld::new(4);
    let (db, id, _) = create(&world);
    for n in 0..20 {
        let mut tx = begin(&db);
        let mark = tx.savepoint();
        // Each attempt ends at another page of a group.
        let e = write(&mut tx, &db, id, 6 * MB + n * 9000).unwrap_err();
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
        let world = SimWorld::new(nth);
        let (db, id, other) = create(&world);
        let rows = db.hobt(other).unwrap();
        // Something of it stays, so that its pages come after what is kept.
        let mut tx = begin(&db);
        write(&mut tx, &db, id, 1).unwrap();
        tx.rollback().unwrap();
        assert_empty(&db, id);
        db.flush_log().unwrap();
        world.crash_at(nth);
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
        world.crash();
        drop((tx, rows));
        drop(db);
        world.restart();
        let spec = OpenSpec { primary: "/data/t.mdf".into() };
        let (db, _) = Database::open(&instance(&world), DB, "t", &spec).unwrap();
        db.finish_recovery().unwrap();
        assert_empty(&db, id);
    }
    assert!(crashes > 20 && wrote > 100, "{crashes} {wrote}");
}
