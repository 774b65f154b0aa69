//! Databases that end while others go on: closed under a late checkpoint, given up without being closed; and backups of extents
//! whose PFS page lies in a free one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::{DatabaseId, HobtId, IndexId, ObjectId, SessionId};
use taffrail_io::sim::SimWorld;
use taffrail_storage::backup::{
    self, BackupKind, BackupSpec, Device, MediaMode, RestoreKind, RestoreSpec,
};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CheckpointKind, CreateSpec, DataFileSpec, Database, DatabaseOptions, DatabaseState,
    Direction, Durability, Growth, HobtKind, InstanceOptions, KeyRange, OpenSpec, RecoveryModel,
    ScanLocks, StorageError, StorageInstance, Transaction, btree, heap,
};

/// A tree that every database has.
const TREE: HobtId = HobtId(3);
const ID: DatabaseId = DatabaseId(7);

fn instance(world: &SimWorld, frames: u64) -> Arc<StorageInstance> {
    let options = InstanceOptions { pool_bytes: frames * 8192, ..InstanceOptions::default() };
    StorageInstance::new(world.env(), options).unwrap()
}

fn new_world(seed: u64) -> SimWorld {
    let world = SimWorld::new(seed);
    world.env().disk.create_dir(Path::new("/data")).unwrap();
    world
}

fn spec(name: &str, log_max: u64) -> CreateSpec {
    let file = |name: String, size, max_size| DataFileSpec {
        path: PathBuf::from(format!("/data/{name}")),
        name,
        size,
        growth: Growth::Bytes(1 << 20),
        max_size,
    };
    CreateSpec {
        data_files: vec![file(format!("{name}.mdf"), 2 << 20, None)],
        log_files: vec![file(format!("{name}_log.ldf"), 8 << 20, Some(log_max))],
        options: DatabaseOptions {
            recovery_model: RecoveryModel::Simple,
            ..DatabaseOptions::default()
        },
        temporary: false,
    }
}

fn create(instance: &Arc<StorageInstance>, name: &str) -> Arc<Database> {
    Database::create(instance, ID, name, &spec(name, 64 << 20)).unwrap()
}

fn open(instance: &Arc<StorageInstance>, name: &str) -> Arc<Database> {
    let spec = OpenSpec { primary: format!("/data/{name}.mdf").into() };
    Database::open(instance, ID, name, &spec).unwrap().0
}

fn begin(db: &Arc<Database>) -> Transaction {
    db.begin(BeginSpec { session: SessionId(51), ..BeginSpec::default() })
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

fn count(db: &Arc<Database>) -> usize {
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(db);
    let mut cursor = btree::seek(&tree, KeyRange::default(), Direction::Forward, ScanLocks::None);
    let mut n = 0;
    while cursor.next(&mut tx).unwrap().is_some() {
        n += 1;
    }
    n
}

#[test]
fn a_closed_database_leaves_its_files_alone() {
    let world = new_world(1);
    let shared = instance(&world, 4096);
    let old = create(&shared, "a");
    insert(&old, 0..50).unwrap();
    old.close().unwrap();
    old.close().unwrap();
    let db = open(&shared, "a");
    insert(&db, 100..200).unwrap();

    // What others were about to do with the old handle.
    assert!(old.checkpoint(CheckpointKind::Automatic).is_err());
    assert!(old.set_options(&DatabaseOptions::default()).is_err());
    assert!(old.clean_ghosts(10).is_err());
    old.background_tick();
    assert!(insert(&old, 1000..1001).is_err());
    assert!(old.log().is_failed());
    assert!(matches!(old.state(), DatabaseState::Offline));

    insert(&db, 200..300).unwrap();
    world.crash();
    world.restart();
    drop((old, db));
    let db = open(&instance(&world, 4096), "a");
    assert_eq!(count(&db), 250);
}

#[test]
fn a_tick_that_waits_for_close_does_nothing() {
    let world = new_world(2);
    let shared = instance(&world, 1024);
    for round in 0..8 {
        let name = format!("c{round}");
        let old = create(&shared, &name);
        insert(&old, 0..50).unwrap();
        let db = std::thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| {
                    while matches!(old.state(), DatabaseState::Online) {
                        old.background_tick();
                        // Refused once it is closed.
                        let _: Result<(), StorageError> = old.checkpoint(CheckpointKind::Automatic);
                    }
                });
            }
            old.close().unwrap();
            let db = open(&shared, &name);
            insert(&db, 50..100).unwrap();
            db
        });
        db.close().unwrap();
        let db = open(&shared, &name);
        assert_eq!(count(&db), 100);
        db.close().unwrap();
    }
}

#[test]
fn pages_of_a_database_that_was_given_up_are_forgotten() {
    let world = new_world(3);
    let shared = instance(&world, 4096);
    let given_up = create(&shared, "a");
    insert(&given_up, 0..500).unwrap();
    drop(given_up);
    let db = create(&shared, "b");
    assert_eq!(count(&db), 0);
    insert(&db, 1000..1100).unwrap();
    assert_eq!(count(&db), 100);
    // The other way to a database: its file is opened.
    drop(db);
    let db = open(&shared, "a");
    assert_eq!(count(&db), 500);
    insert(&db, 500..600).unwrap();
    world.crash();
    world.restart();
    drop(db);
    let shared = instance(&world, 4096);
    assert_eq!(count(&open(&shared, "b")), 100);
    assert_eq!(count(&open(&shared, "a")), 600);
}

fn new_heap(db: &Arc<Database>, object: i32) -> HobtId {
    let mut tx = begin(db);
    let id = db.create_hobt(&mut tx, HobtKind::Heap, ObjectId(object), IndexId(0)).unwrap();
    tx.commit(Durability::Full).unwrap();
    id
}

/// Rows of a page each.
fn fill(db: &Arc<Database>, id: HobtId, rows: usize, byte: u8) {
    let heap = db.hobt(id).unwrap();
    let mut tx = begin(db);
    for _ in 0..rows {
        heap::insert(&mut tx, &heap, &[byte; 7000]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
}

fn rows_of(db: &Arc<Database>, id: HobtId, byte: u8) -> usize {
    let heap = db.hobt(id).unwrap();
    let mut tx = begin(db);
    let mut scan = heap::scan(&heap, ScanLocks::None);
    let mut n = 0;
    while let Some((_, row)) = scan.next(&mut tx).unwrap() {
        assert!(row.iter().all(|&b| b == byte));
        n += 1;
    }
    n
}

/// Two heaps take turns in the extents around the second PFS page. One is dropped, and then, when another has taken its place, the
/// other: one of them has owned the extent that the PFS page lies in.
#[test]
fn a_backup_has_every_pfs_page() {
    const ROWS: usize = 160;
    let world = new_world(4);
    let shared = instance(&world, 16384);
    let db = Database::create(&shared, DatabaseId(5), "a", &spec("a", 512 << 20)).unwrap();
    let filler = new_heap(&db, 100);
    while db.files()[0].used < 8_020 * 8192 {
        fill(&db, filler, 400.min(8_020 - db.files()[0].used as usize / 8192), 1);
        db.checkpoint(CheckpointKind::Manual).unwrap();
    }
    let (first, second) = (new_heap(&db, 101), new_heap(&db, 102));
    for _ in 0..ROWS / 8 {
        fill(&db, first, 8, 2);
        fill(&db, second, 8, 3);
    }
    assert!(db.files()[0].size > 8_200 * 8192);
    drop_heap(&db, first);
    check_copy(&shared, &db, second, ROWS, 3);
    let third = new_heap(&db, 103);
    fill(&db, third, ROWS, 4);
    drop_heap(&db, second);
    check_copy(&shared, &db, third, ROWS, 4);
}

fn drop_heap(db: &Arc<Database>, id: HobtId) {
    let mut tx = begin(db);
    db.drop_hobt(&mut tx, id).unwrap();
    tx.commit(Durability::Full).unwrap();
    db.checkpoint(CheckpointKind::Manual).unwrap();
}

/// Backs the database up and looks at a heap of what is made from the set.
fn check_copy(
    shared: &Arc<StorageInstance>,
    db: &Arc<Database>,
    heap: HobtId,
    rows: usize,
    byte: u8,
) {
    let media = Path::new("/data/a.bak");
    let devices = vec![Device::Disk(media.into())];
    let mut set = BackupSpec::new(BackupKind::Full, devices.clone());
    set.mode = MediaMode::Format;
    db.backup(&set, &mut ()).unwrap();
    let files = db.files();
    let spec = RestoreSpec {
        kind: RestoreKind::Database,
        devices,
        position: 1,
        id: DatabaseId(6),
        name: "copy".into(),
        primary: None,
        moves: files
            .iter()
            .map(|f| (f.name.clone(), format!("/data/copy_{}", f.name).into()))
            .collect(),
        replaces: Vec::new(),
        guid: None,
        recovery: true,
    };
    let copy = backup::restore(shared, &spec, &mut ()).unwrap().database.unwrap();
    let pages = |db: &Arc<Database>| db.space_used(heap).unwrap().used_pages;
    assert_eq!(pages(&copy), pages(db));
    assert_eq!(rows_of(&copy, heap, byte), rows);
    // New pages must not be those that are in use.
    fill(&copy, heap, 100, byte);
    assert_eq!(rows_of(&copy, heap, byte), rows + 100);
    copy.close().unwrap();
    copy.delete_files().unwrap();
}
