//! Backups beside log files that come and go, and changes of files that fail in their middle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taffrail_io::sim::{Fault, FaultKind, IoKind, SimWorld};
use taffrail_storage::backup::{BackupError, BackupKind, BackupSpec, RestoreSpec, restore};
use taffrail_storage::{
    DataFileSpec, Database, DatabaseState, Growth, RecoveryModel, ShrinkMode, StorageError,
};

use super::support::*;

const BAK: &str = "/data/t.bak";

fn file(name: &str, mb: u64) -> DataFileSpec {
    DataFileSpec {
        path: format!("/data/{name}.ldf").into(),
        name: name.into(),
        size: mb << 20,
        growth: Growth::Bytes(512 << 10),
        max_size: Some(mb << 20),
    }
}

/// A restore of a full set with these log files besides the first.
fn with_files(path: &str, names: &[&str]) -> RestoreSpec {
    let mut spec = restore_spec(path, 1, false, true);
    for name in names {
        let path = std::path::PathBuf::from(format!("/data/copy_{name}.ldf"));
        spec.moves.push(((*name).into(), path.clone()));
        spec.replaces.push(path);
    }
    spec
}

fn fail_name(world: &SimWorld, nth: u64, file: &str) {
    let (kind, fault) = (Some(IoKind::Name), FaultKind::Io);
    world.inject(Fault { nth, kind, path_contains: file.into(), fault, sticky: true });
}

fn number(e: &StorageError) -> i32 {
    e.to_sql().number
}

fn online(db: &Arc<Database>) -> bool {
    matches!(db.state(), DatabaseState::Online)
}

#[test]
fn a_file_that_was_not_added_and_not_deleted_is_in_no_backup() {
    let (rig, shared, db) = source(50, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..200, 1);
    rig.world.inject(Fault {
        nth: 1,
        kind: Some(IoKind::Allocate),
        path_contains: "log2".into(),
        fault: FaultKind::Io,
        sticky: true,
    });
    fail_name(&rig.world, 2, "log2");
    db.add_log_file(&file("log2", 1)).unwrap_err();
    rig.world.clear_faults();
    assert!(online(&db), "{:?}", db.state());
    assert!(rig.world.env().disk.exists("/data/log2.ldf".as_ref()).unwrap(), "it is left");
    assert_eq!(backup(&db, BackupKind::Full, BAK).header.files.len(), 2);
    check(restore(&shared, &with_files(BAK, &[]), &mut ()), &rows);
    // A restart deletes it, and another of its name can be added.
    db.close().unwrap();
    let (db, _) = rig.open_in(&shared).unwrap();
    db.add_log_file(&file("log2", 1)).unwrap();
    assert!(online(&db));
}

#[test]
fn log_files_keep_their_sizes_whatever_order_they_came_in() {
    let (_, shared, db) = source(96, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..200, 1);
    let first = db.add_log_file(&file("la", 1)).unwrap();
    db.add_log_file(&file("lb", 2)).unwrap();
    assert!(db.remove_log_file(first).unwrap());
    // It gets the number of the one that went, and its line is the last.
    db.add_log_file(&file("lc", 8)).unwrap();
    backup(&db, BackupKind::Full, BAK);
    let restored = restore(&shared, &with_files(BAK, &["lb", "lc"]), &mut ());
    let copy = restored.unwrap().database.unwrap();
    let sizes = |db: &Arc<Database>| {
        let files = db.log_files().into_iter().map(|(_, name, f)| (name, f.size, f.max_size));
        let mut files: Vec<_> = files.collect();
        files.sort();
        files
    };
    assert_eq!(sizes(&copy), sizes(&db));
    assert_eq!(read(&copy), rows);
    copy.close().unwrap();
}

#[test]
fn a_removed_file_that_cannot_be_deleted_waits_for_a_restart() {
    let (rig, shared, db) = source(97, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..200, 1);
    let id = db.add_log_file(&file("lk", 1)).unwrap();
    let there = || rig.world.env().disk.exists("/data/lk.ldf".as_ref()).unwrap();
    fail_name(&rig.world, 1, "lk");
    assert!(db.remove_log_file(id).unwrap());
    assert!(online(&db), "{:?}", db.state());
    assert_eq!((db.log_files().len(), there()), (1, true));
    put(&db, &mut rows, 100..300, 2);
    backup(&db, BackupKind::Full, BAK);
    check(restore(&shared, &with_files(BAK, &[]), &mut ()), &rows);
    db.close().unwrap();
    rig.world.clear_faults();
    // Restarts that cannot either: some do without, some cannot even look at it.
    let mut without = 0;
    for nth in 1..8 {
        let (kind, fault) = (Some(IoKind::Name), FaultKind::Io);
        rig.world.inject(Fault { nth, kind, path_contains: "lk".into(), fault, sticky: true });
        if let Ok((db, _)) = rig.open_in(&shared) {
            assert!(online(&db));
            without += u32::from(there());
            db.close().unwrap();
        }
        rig.world.clear_faults();
        if !there() {
            break;
        }
    }
    assert!(without > 0);
    let (db, _) = rig.open_in(&shared).unwrap();
    assert!(online(&db) && !there());
    assert_eq!(read(&db), rows);
    db.add_log_file(&file("lk", 1)).unwrap();
    db.close().unwrap();
}

#[test]
fn files_do_not_change_during_a_backup() {
    let (_, _, db) = source(51, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..200, 1);
    let id = db.add_log_file(&file("la", 1)).unwrap();
    for kind in [BackupKind::Full, BackupKind::Differential, BackupKind::Log] {
        // Log enough for more than one chunk.
        for byte in 2..6 {
            put(&db, &mut rows, 0..1000, byte);
        }
        let (other, mut asked) = (db.clone(), false);
        let mut during = During(|| {
            asked = true;
            assert_eq!(number(&other.add_log_file(&file("lb", 1)).unwrap_err()), 3023);
            assert_eq!(number(&other.remove_log_file(id).unwrap_err()), 3023);
            match other.shrink_log_file(id, ShrinkMode::Truncate) {
                Ok(_) => assert_eq!(kind, BackupKind::Log),
                Err(e) => assert!(kind != BackupKind::Log && number(&e) == 3023, "{kind:?}: {e}"),
            }
        });
        db.backup(&BackupSpec::new(kind, disk(BAK)), &mut during).unwrap();
        assert!(asked, "{kind:?}");
    }
    assert!(db.remove_log_file(id).unwrap());
}

#[test]
fn backups_beside_files_that_come_and_go_can_be_restored() {
    let (_, shared, db) = source(98, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..200, 1);
    let stop = AtomicBool::new(false);
    let mut taken = 0;
    std::thread::scope(|s| {
        s.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                if let Ok(id) = db.add_log_file(&file("ll", 4)) {
                    let _ = db.remove_log_file(id);
                }
                std::thread::yield_now();
            }
        });
        for i in 0..30 {
            let path = format!("/data/b{i}.bak");
            match try_backup(&db, &BackupSpec::new(BackupKind::Full, disk(&path))) {
                Err(BackupError::Busy) => continue,
                other => drop(other.unwrap()),
            }
            taken += 1;
            let restored = match restore(&shared, &with_files(&path, &["ll"]), &mut ()) {
                Err(BackupError::NoSuchFile(_)) => {
                    restore(&shared, &with_files(&path, &[]), &mut ())
                }
                other => other,
            };
            let copy = restored.unwrap().database.unwrap();
            assert_eq!(read(&copy), rows);
            copy.close().unwrap();
        }
        stop.store(true, Ordering::SeqCst);
    });
    assert!(online(&db), "{taken} {:?}", db.state());
}

#[test]
fn who_removes_a_file_second_is_told_that_it_is_not_there() {
    for seed in 0..20 {
        let (_, _, db) = source(200 + seed, RecoveryModel::Full);
        let id = db.add_log_file(&file("lm", 1)).unwrap();
        let results: Vec<_> = std::thread::scope(|s| {
            let removers: Vec<_> = (0..3).map(|_| s.spawn(|| db.remove_log_file(id))).collect();
            removers.into_iter().map(|r| r.join().unwrap()).collect()
        });
        assert!(online(&db), "{results:?}");
        let done = results.iter().filter(|r| matches!(r, Ok(true))).count();
        let told = results.iter().filter_map(|r| r.as_ref().err().map(number));
        assert!(told.into_iter().all(|n| n == 5009 || n == 3023), "{results:?}");
        assert_eq!(done, 1, "{results:?}");
        db.close().unwrap();
    }
}
