//! What is damaged: a small database on the simulated disk with a bit of everything in it, as it is found after the power failed, and its
//! backups. Made by the same program in the same order with the same numbers each time, so that an input means the same on every machine.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use taffrail_base::{DatabaseId, HobtId, IndexId, ObjectId, SessionId};
use taffrail_io::sim::SimWorld;
use taffrail_io::{AlignedBuf, Env, OpenSpec};
use taffrail_storage::backup::{BackupKind, BackupSpec, Device};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    BeginSpec, CreateSpec, DataFileSpec, Database, DatabaseOptions, Durability, Growth, HobtKind,
    InstanceOptions, LobRef, RecoveryModel, StorageInstance, Transaction, btree, heap, lob,
};

use crate::edits::Image;

/// The data file.
pub const DATA: &str = "/db/t.mdf";
/// The log file.
pub const LOG: &str = "/db/t_log.ldf";
/// A full backup.
pub const FULL: &str = "/db/full.bak";
/// The log backup after it.
pub const LOG_BACKUP: &str = "/db/log.trn";
/// The database.
pub const ID: DatabaseId = DatabaseId(5);

/// All files together.
const CAPACITY: u64 = 64 << 20;

/// The files as they are when nobody has them open.
pub struct Base {
    /// [`DATA`], [`LOG`], [`FULL`], [`LOG_BACKUP`].
    pub images: Vec<Image>,
}

impl Base {
    /// One of the files.
    pub fn bytes(&self, path: &str) -> &[u8] {
        &self.images.iter().find(|i| i.path == path).expect("a file of the base").bytes
    }
}

/// The base; made at the first call.
pub fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(make)
}

/// A world with these files.
pub fn world(images: &[Image]) -> SimWorld {
    let world = SimWorld::new(1);
    // As a file system would refuse a file of a damaged size.
    world.set_capacity(CAPACITY);
    let disk = world.env().disk;
    disk.create_dir(Path::new("/db")).expect("an empty disk");
    for image in images {
        let volume = disk.create(image.path.as_ref(), OpenSpec::LOG).expect("a new name");
        volume.write_at(0, &AlignedBuf::from_slice(&image.bytes)).expect("a sound disk");
        volume.sync().expect("a sound disk");
    }
    disk.sync_dir(Path::new("/db")).expect("a sound disk");
    world
}

/// An instance with a small pool.
pub fn instance(env: Env) -> Arc<StorageInstance> {
    let options = InstanceOptions { pool_bytes: 96 * 8192, ..InstanceOptions::default() };
    StorageInstance::new(env, options).expect("a pool")
}

fn spec() -> CreateSpec {
    let file = |path: &str, size, growth| DataFileSpec {
        path: PathBuf::from(path),
        name: path.trim_start_matches("/db/").split('.').next().unwrap_or_default().to_owned(),
        size,
        growth: Growth::Bytes(growth),
        max_size: None,
    };
    CreateSpec {
        data_files: vec![file(DATA, 768 << 10, 256 << 10)],
        log_files: vec![file(LOG, 512 << 10, 256 << 10)],
        options: DatabaseOptions {
            recovery_model: RecoveryModel::Full,
            ..DatabaseOptions::default()
        },
        temporary: false,
    }
}

fn begin(db: &Arc<Database>) -> Transaction {
    db.begin(BeginSpec { session: SessionId(51), lock_timeout_ms: 0, ..BeginSpec::default() })
}

fn create(db: &Arc<Database>, kind: HobtKind, object: i32) -> HobtId {
    let mut tx = begin(db);
    tx.lock_object(ObjectId(object), LockMode::SchM).expect("nobody else");
    let id = db.create_hobt(&mut tx, kind, ObjectId(object), IndexId(kind as i32)).expect("room");
    tx.commit(Durability::Full).expect("a sound log");
    id
}

/// A change of a tree or heap, with the key of what is changed.
fn change(tx: &mut Transaction, db: &Arc<Database>, id: HobtId, keys: std::ops::Range<u64>) {
    let hobt = db.hobt(id).expect("it was made");
    tx.lock_object(hobt.object(), LockMode::IX).expect("nobody else");
    let mut rids = Vec::new();
    for key in keys {
        let row = vec![key as u8; 20 + (key * 37 % 300) as usize];
        if hobt.kind() == HobtKind::Heap {
            rids.push(heap::insert(tx, &hobt, &row).expect("room"));
            continue;
        }
        let bytes = key.to_be_bytes();
        let again = btree::insert(tx, &hobt, &bytes, &row).is_err();
        match key % 5 {
            0 => assert!(btree::delete(tx, &hobt, &bytes).expect("a sound tree")),
            _ if again => btree::update(tx, &hobt, &bytes, &row[1..]).expect("a sound tree"),
            _ => {}
        }
    }
    for (n, rid) in rids.into_iter().enumerate() {
        match n % 6 {
            0 => assert!(heap::delete(tx, &hobt, rid).expect("a sound heap")),
            // Longer, so that some rows move and leave a stub.
            1 => heap::update(tx, &hobt, rid, &[n as u8; 2500]).expect("a sound heap"),
            2 => heap::update(tx, &hobt, rid, &[n as u8; 9]).expect("a sound heap"),
            _ => {}
        }
    }
}

/// Two values on pages of their own, with rows that say where they are; there are nodes on two levels above their bytes.
fn large_values(db: &Arc<Database>, id: HobtId) {
    db.set_lob_fanout(2);
    let hobt = db.hobt(id).expect("it was made");
    let mut tx = begin(db);
    tx.lock_object(hobt.object(), LockMode::IX).expect("nobody else");
    for n in 0..2_u64 {
        let value = vec![n as u8 + 1; 20_000];
        let stored: LobRef = lob::write(&mut tx, &hobt, &value).expect("room");
        let stored = lob::append(&mut tx, &hobt, stored, &[7; 9000]).expect("room");
        let key = (1_000_000 + n).to_be_bytes();
        btree::insert(&mut tx, &hobt, &key, &stored.to_bytes()).expect("room");
    }
    tx.commit(Durability::Full).expect("a sound log");
}

fn make() -> Base {
    let world = world(&[]);
    let env = world.env();
    let db = Database::create(&instance(env.clone()), ID, "t", &spec()).expect("a new database");
    let (tree, heap) = (create(&db, HobtKind::BTree, 1001), create(&db, HobtKind::Heap, 1002));
    let dropped = create(&db, HobtKind::BTree, 1003);
    for id in [tree, heap, dropped] {
        let mut tx = begin(&db);
        change(&mut tx, &db, id, 0..90);
        tx.commit(Durability::Full).expect("a sound log");
    }
    large_values(&db, tree);
    let backup = |kind, path: &str| {
        let spec = BackupSpec::new(kind, vec![Device::Disk(path.into())]);
        db.backup(&spec, &mut ()).expect("a backup");
    };
    backup(BackupKind::Full, FULL);
    let mut tx = begin(&db);
    change(&mut tx, &db, tree, 60..120);
    let savepoint = tx.savepoint();
    change(&mut tx, &db, heap, 0..8);
    tx.rollback_to(savepoint).expect("a sound log");
    tx.commit(Durability::Full).expect("a sound log");
    let mut tx = begin(&db);
    tx.lock_object(ObjectId(1003), LockMode::SchM).expect("nobody else");
    db.drop_hobt(&mut tx, dropped).expect("it was made");
    tx.commit(Durability::Full).expect("a sound log");
    backup(BackupKind::Log, LOG_BACKUP);
    // What restart has to redo, and what it has to undo.
    let mut tx = begin(&db);
    change(&mut tx, &db, heap, 200..230);
    tx.commit(Durability::Full).expect("a sound log");
    let mut loser = begin(&db);
    change(&mut loser, &db, tree, 300..330);
    change(&mut loser, &db, heap, 300..310);
    db.flush_log().expect("a sound log");
    std::mem::forget(loser);
    world.crash();
    world.restart();
    let images = [DATA, LOG, FULL, LOG_BACKUP].map(|path| read(&env, path)).into();
    Base { images }
}

fn read(env: &Env, path: &str) -> Image {
    let volume = env.disk.open(path.as_ref(), OpenSpec::LOG.read_only()).expect("it was made");
    let mut bytes = vec![0; volume.len().expect("a sound disk") as usize];
    volume.read_at(0, &mut bytes).expect("a sound disk");
    Image { path: path.to_owned(), bytes }
}
