//! What backups cost beside a plain copy of the file, on a real disk. Run by people:
//! `TAFFRAIL_SPEED_DIR=/somewhere cargo test --release -p taffrail-storage --test it backup::speed -- --ignored --nocapture`.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use taffrail_base::{DatabaseId, IndexId, ObjectId};
use taffrail_io::Env;
use taffrail_storage::backup::{
    self, BackupKind, BackupSpec, Device, MediaMode, RestoreKind, RestoreSpec, verify,
};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{
    CreateSpec, DataFileSpec, Database, DatabaseOptions, Durability, Growth, HobtKind,
    InstanceOptions, RecoveryModel, StorageInstance, heap,
};

use super::support::begin;

fn timed(what: &str, bytes: u64, f: impl FnOnce()) {
    let began = Instant::now();
    f();
    let s = began.elapsed().as_secs_f64();
    println!("{what:32} {s:6.2} s  {:7.0} MB/s", bytes as f64 / 1e6 / s);
}

/// Through the page cache, and synced: what `cp` and a sync do.
fn copy(from: &Path, to: &Path) {
    let mut from = std::fs::File::open(from).unwrap();
    let mut to = std::fs::File::create(to).unwrap();
    let mut buf = vec![0; 1 << 20];
    loop {
        match from.read(&mut buf).unwrap() {
            0 => break,
            n => to.write_all(&buf[..n]).unwrap(),
        }
    }
    to.sync_all().unwrap();
}

#[test]
#[ignore = "prints what backups cost; judged by people"]
fn costs() {
    let dir =
        std::env::var("TAFFRAIL_SPEED_DIR").map_or_else(|_| std::env::temp_dir(), PathBuf::from);
    let dir = dir.join(format!("taffrail-backup-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let megabytes: u64 =
        std::env::var("TAFFRAIL_SPEED_MB").ok().and_then(|n| n.parse().ok()).unwrap_or(1024);
    let options = InstanceOptions { pool_bytes: 256 << 20, ..InstanceOptions::default() };
    let shared = StorageInstance::new(Env::os(), options).unwrap();
    let file = |name: &str, size| DataFileSpec {
        path: dir.join(name),
        name: name.into(),
        size,
        growth: Growth::Bytes(64 << 20),
        max_size: None,
    };
    let spec = CreateSpec {
        data_files: vec![file("t.mdf", (megabytes + 64) << 20)],
        log_files: vec![file("t.ldf", 64 << 20)],
        options: DatabaseOptions {
            recovery_model: RecoveryModel::Simple,
            ..DatabaseOptions::default()
        },
        temporary: false,
    };
    let db = Database::create(&shared, DatabaseId(5), "t", &spec).unwrap();
    let mut tx = begin(&db);
    let id = db.create_hobt(&mut tx, HobtKind::Heap, ObjectId(900), IndexId(0)).unwrap();
    tx.commit(Durability::Full).unwrap();
    let bytes = megabytes << 20;
    let hobt = db.hobt(id).unwrap();
    timed("bulk load", bytes, || {
        let mut tx = begin(&db);
        tx.lock_object(hobt.object(), LockMode::X).unwrap();
        let mut load = heap::HeapLoad::open(&hobt);
        let mut row = [7u8; 3900];
        for n in 0..bytes / 8192 * 2 {
            row[..8].copy_from_slice(&n.to_le_bytes());
            load.push(&mut tx, &row).unwrap();
        }
        load.finish(&mut tx).unwrap();
        tx.commit(Durability::Full).unwrap();
    });
    let media = dir.join("t.bak");
    for round in 0..3 {
        let set = |device| BackupSpec {
            mode: MediaMode::Format,
            ..BackupSpec::new(BackupKind::Full, vec![device])
        };
        timed(&format!("{round} plain copy"), bytes, || {
            copy(&dir.join("t.mdf"), &dir.join("copy.mdf"));
        });
        std::fs::remove_file(dir.join("copy.mdf")).unwrap();
        timed(&format!("{round} full backup"), bytes, || {
            db.backup(&set(Device::Disk(media.clone())), &mut ()).unwrap();
        });
        timed(&format!("{round} full backup to NUL"), bytes, || {
            db.backup(&set(Device::Nul), &mut ()).unwrap();
        });
    }
    let devices = vec![Device::Disk(media.clone())];
    timed("verify", bytes, || {
        verify(&shared.env, &devices, 1, &mut ()).unwrap();
    });
    let restore = RestoreSpec {
        kind: RestoreKind::Database,
        devices,
        position: 1,
        id: DatabaseId(6),
        name: "copy".into(),
        primary: None,
        moves: vec![("t.mdf".into(), dir.join("copy.mdf")), ("t.ldf".into(), dir.join("copy.ldf"))],
        replaces: Vec::new(),
        guid: None,
        recovery: true,
    };
    timed("restore", bytes, || {
        let copy = backup::restore(&shared, &restore, &mut ()).unwrap().database.unwrap();
        assert_eq!(copy.hobt(id).unwrap().row_count(), bytes / 8192 * 2);
        copy.close().unwrap();
    });
    db.close().unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
}
