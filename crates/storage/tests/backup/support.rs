//! A database with a tree that tests fill, and short ways to back it up and to restore it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use taffrail_base::{DatabaseId, HobtId, SessionId};
use taffrail_io::sim::SimWorld;
use taffrail_storage::backup::{
    BackupError, BackupKind, BackupReport, BackupResult, BackupSpec, Device, RestoreKind,
    RestoreSpec, Restored, Watch,
};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CreateSpec, DataFileSpec, Database, DatabaseOptions, Direction, Durability, Growth,
    InstanceOptions, KeyRange, OpenSpec, RecoveryModel, ScanLocks, StorageInstance, Transaction,
    btree,
};

/// A tree that every database has.
pub const TREE: HobtId = HobtId(3);
/// The database that is backed up.
pub const SOURCE: DatabaseId = DatabaseId(5);
/// What is restored.
pub const COPY: DatabaseId = DatabaseId(6);

/// What the tree holds.
pub type Rows = BTreeMap<u64, Vec<u8>>;

pub fn world(seed: u64) -> SimWorld {
    let world = SimWorld::new(seed);
    world.env().disk.create_dir(Path::new("/data")).unwrap();
    world
}

pub fn instance(world: &SimWorld) -> Arc<StorageInstance> {
    let options = InstanceOptions { pool_bytes: 256 * 8192, ..InstanceOptions::default() };
    StorageInstance::new(world.env(), options).unwrap()
}

pub fn create(instance: &Arc<StorageInstance>, model: RecoveryModel) -> Arc<Database> {
    let file = |name: &str, size, growth| DataFileSpec {
        path: PathBuf::from(format!("/data/{name}")),
        name: name.split('.').next().unwrap().to_owned(),
        size,
        growth: Growth::Bytes(growth),
        max_size: None,
    };
    let spec = CreateSpec {
        data_files: vec![file("t.mdf", 2 << 20, 1 << 20)],
        log_files: vec![file("t_log.ldf", 1 << 20, 512 << 10)],
        options: DatabaseOptions { recovery_model: model, ..DatabaseOptions::default() },
        temporary: false,
    };
    Database::create(instance, SOURCE, "t", &spec).unwrap()
}

pub fn begin(db: &Arc<Database>) -> Transaction {
    db.begin(BeginSpec { session: SessionId(51), ..BeginSpec::default() })
}

/// Inserts or replaces rows, in one transaction that commits.
pub fn put(db: &Arc<Database>, rows: &mut Rows, keys: std::ops::Range<u64>, byte: u8) {
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(db);
    tx.lock_object(tree.object(), LockMode::IX).unwrap();
    for key in keys {
        let value = vec![byte; 300 + (key % 200) as usize];
        match rows.insert(key, value.clone()) {
            None => btree::insert(&mut tx, &tree, &key.to_be_bytes(), &value).unwrap(),
            Some(_) => btree::update(&mut tx, &tree, &key.to_be_bytes(), &value).unwrap(),
        }
    }
    tx.commit(Durability::Full).unwrap();
}

pub fn read(db: &Arc<Database>) -> Rows {
    let tree = db.hobt(TREE).unwrap();
    let mut tx = begin(db);
    let mut cursor = btree::seek(&tree, KeyRange::default(), Direction::Forward, ScanLocks::None);
    let mut rows = Rows::new();
    while let Some((key, value)) = cursor.next(&mut tx).unwrap() {
        rows.insert(u64::from_be_bytes(key.as_ref().try_into().unwrap()), value.to_vec());
    }
    assert_eq!(tree.row_count(), rows.len() as u64, "the number of rows");
    rows
}

pub fn disk(path: &str) -> Vec<Device> {
    vec![Device::Disk(path.into())]
}

pub fn backup(db: &Arc<Database>, kind: BackupKind, path: &str) -> BackupReport {
    try_backup(db, &BackupSpec::new(kind, disk(path))).unwrap()
}

pub fn try_backup(db: &Arc<Database>, spec: &BackupSpec) -> BackupResult<BackupReport> {
    db.backup(spec, &mut ())
}

/// Where the copy's files go.
pub const COPY_PRIMARY: &str = "/data/copy.mdf";

pub fn restore_spec(path: &str, position: u32, log: bool, recovery: bool) -> RestoreSpec {
    RestoreSpec {
        kind: if log { RestoreKind::Log } else { RestoreKind::Database },
        devices: disk(path),
        position,
        id: COPY,
        name: "copy".into(),
        primary: Some(COPY_PRIMARY.into()),
        moves: if log {
            Vec::new()
        } else {
            vec![("t".into(), COPY_PRIMARY.into()), ("t_log".into(), "/data/copy.ldf".into())]
        },
        replaces: vec![COPY_PRIMARY.into(), "/data/copy.ldf".into()],
        guid: None,
        recovery,
    }
}

pub fn restore(
    instance: &Arc<StorageInstance>,
    path: &str,
    position: u32,
    log: bool,
    recovery: bool,
) -> BackupResult<Restored> {
    let spec = restore_spec(path, position, log, recovery);
    taffrail_storage::backup::restore(instance, &spec, &mut ())
}

/// Restores with recovery, compares, and takes the copy away, after a restart of it.
pub fn check(restored: BackupResult<Restored>, want: &Rows) {
    let db = restored.unwrap().database.expect("recovered");
    let shared = db.instance().clone();
    assert_eq!(read(&db), *want, "restored");
    let mut more = want.clone();
    put(&db, &mut more, 900_000..900_050, 9);
    db.close().unwrap();
    let open = OpenSpec { primary: COPY_PRIMARY.into() };
    let (db, _) = Database::open(&shared, COPY, "copy", &open).unwrap();
    assert_eq!(read(&db), more, "restored and opened again");
    db.close().unwrap();
}

/// A watch that does something at each step.
pub struct During<F: FnMut()>(pub F);

impl<F: FnMut()> Watch for During<F> {
    fn progress(&mut self, _: u64, _: u64) {
        (self.0)();
    }
}

/// The error of what must fail.
pub fn refused<T>(result: BackupResult<T>) -> BackupError {
    match result {
        Ok(_) => panic!("it was not refused"),
        Err(e) => e,
    }
}
