//! A database with a tree that tests fill, and short ways to back it up and to restore it.

use std::collections::BTreeMap;
use std::sync::Arc;

use taffrail_base::{DatabaseId, HobtId};
use taffrail_storage::backup::{
    BackupError, BackupKind, BackupReport, BackupResult, BackupSpec, Device, RestoreKind,
    RestoreSpec, Restored, Watch,
};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    Database, Direction, Durability, Growth, KeyRange, OpenSpec, RecoveryModel, ScanLocks,
    StorageInstance, StorageResult, btree, heap,
};

use crate::rig::{KB, MB};
pub use crate::rig::{Rig, TREE, begin, make};

/// The database that is backed up.
pub const SOURCE: DatabaseId = DatabaseId(5);
/// What is restored.
pub const COPY: DatabaseId = DatabaseId(6);

/// What the tree holds.
pub type Rows = BTreeMap<u64, Vec<u8>>;

pub fn rig(seed: u64, model: RecoveryModel) -> Rig {
    let rig = Rig::new(seed).model(model).plain_names().frames(256);
    rig.data(2 * MB, Growth::Bytes(MB)).log(MB, Growth::Bytes(512 * KB))
}

/// What is backed up, and the machine that it is backed up on and restored in.
pub fn source(seed: u64, model: RecoveryModel) -> (Rig, Arc<StorageInstance>, Arc<Database>) {
    let rig = rig(seed, model);
    let shared = rig.instance();
    let db = rig.create_in(&shared).unwrap();
    (rig, shared, db)
}

/// It on a machine that is started anew.
pub fn reopened(rig: &Rig) -> (Arc<StorageInstance>, Arc<Database>) {
    let shared = rig.instance();
    let (db, _) = rig.open_in(&shared).unwrap();
    (shared, db)
}

/// What was restored, opened again.
pub fn open_copy(instance: &Arc<StorageInstance>) -> StorageResult<Arc<Database>> {
    let spec = OpenSpec::of(COPY_PRIMARY.into());
    Database::open(instance, COPY, "copy", &spec).map(|(db, _)| db)
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

/// Loads rows of 900 bytes, minimally logged where the model has it so.
pub fn load(db: &Arc<Database>, heap_id: HobtId, rows: u32, byte: u8) {
    let hobt = db.hobt(heap_id).unwrap();
    let mut tx = begin(db);
    tx.lock_object(hobt.object(), LockMode::X).unwrap();
    let mut load = heap::HeapLoad::open(&hobt);
    for _ in 0..rows {
        load.push(&mut tx, &[byte; 900]).unwrap();
    }
    load.finish(&mut tx).unwrap();
    tx.commit(Durability::Full).unwrap();
}

/// How many of them there are, by their byte.
pub fn counts(db: &Arc<Database>, heap_id: HobtId) -> BTreeMap<u8, u32> {
    let hobt = db.hobt(heap_id).unwrap();
    let mut tx = begin(db);
    let mut cursor = heap::scan(&hobt, ScanLocks::None);
    let mut counts = BTreeMap::new();
    while let Some((_, row)) = cursor.next(&mut tx).unwrap() {
        assert!(row.len() == 900 && row.iter().all(|b| *b == row[0]));
        *counts.entry(row[0]).or_insert(0) += 1;
    }
    counts
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
    let db = open_copy(&shared).unwrap();
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
