//! Whoever has filled the log by making tables can roll back, on a disk without a free byte: the extents of each table that goes
//! become pending in a transaction of their own, for which room was kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::{DatabaseId, IndexId, ObjectId, SessionId};
use taffrail_io::sim::{SimOptions, SimWorld};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CheckpointKind, CreateSpec, DataFileSpec, Database, DatabaseOptions, DatabaseState,
    Durability, Growth, HobtKind, InstanceOptions, OpenSpec, RecoveryModel, StorageInstance,
    StorageResult, Transaction, btree, lob,
};

const DB: DatabaseId = DatabaseId(5);

fn begin(db: &Arc<Database>) -> Transaction {
    db.begin(BeginSpec { session: SessionId(51), lock_timeout_ms: 0, ..BeginSpec::default() })
}

fn instance(world: &SimWorld) -> Arc<StorageInstance> {
    let options = InstanceOptions { pool_bytes: 4096 * 8192, ..InstanceOptions::default() };
    StorageInstance::new(world.env(), options).unwrap()
}

/// A database whose log keeps its size.
fn create(world: &SimWorld, log: u64) -> Arc<Database> {
    world.env().disk.create_dir(Path::new("/data")).unwrap();
    world.env().disk.sync_dir(Path::new("/data")).unwrap();
    let file = |name: &str, size, growth, max_size| DataFileSpec {
        name: name.into(),
        path: PathBuf::from(format!("/data/{name}")),
        size,
        growth,
        max_size,
    };
    let spec = CreateSpec {
        data_files: vec![file("t.mdf", 128 << 20, Growth::Bytes(1 << 20), None)],
        log_files: vec![file("t_log.ldf", log, Growth::None, Some(log))],
        options: DatabaseOptions {
            recovery_model: RecoveryModel::Simple,
            ..DatabaseOptions::default()
        },
        temporary: false,
    };
    Database::create(&instance(world), DB, "t", &spec).unwrap()
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
            let world = SimWorld::with_options(3, SimOptions { sector, ..SimOptions::default() });
            let mut db = create(&world, 1 << 20);
            let before = db.hobts().unwrap().len();
            db.checkpoint(CheckpointKind::Manual).unwrap();
            world.set_capacity(db.files().iter().map(|f| f.size).sum());
            let (tx, made) = fill(&db);
            assert!(made > 100, "{made} tables");
            db.flush_log().unwrap();
            if crash {
                world.crash();
                drop((tx, db));
                world.restart();
                let spec = OpenSpec { primary: "/data/t.mdf".into() };
                db = Database::open(&instance(&world), DB, "t", &spec).unwrap().0;
            } else {
                tx.rollback().unwrap();
            }
            assert_eq!(db.state(), DatabaseState::Online, "sector {sector}");
            assert_eq!(db.hobts().unwrap().len(), before);
            db.checkpoint(CheckpointKind::Manual).unwrap();
            let mut tx = begin(&db);
            tx.lock_object(ObjectId(9000), LockMode::SchM).unwrap();
            db.create_hobt(&mut tx, HobtKind::Heap, ObjectId(9000), IndexId(0)).unwrap();
            tx.commit(Durability::Full).unwrap();
        }
    }
}

/// What restart reserves for the undo of a large value is what the value's own transaction had reserved.
#[test]
fn writers_beside_the_undo_of_a_large_value() {
    let world = SimWorld::new(3);
    let db = create(&world, 16 << 20);
    let mut tx = begin(&db);
    let id = db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1000), IndexId(1)).unwrap();
    let other = db.create_hobt(&mut tx, HobtKind::BTree, ObjectId(1001), IndexId(1)).unwrap();
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
    world.crash();
    drop((tx, hobt, db));
    world.restart();
    let spec = OpenSpec { primary: "/data/t.mdf".into() };
    let (db, _) = Database::open_deferred(&instance(&world), DB, "t", &spec).unwrap();
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
