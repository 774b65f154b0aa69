//! Images of minimally logged extents beside changes that are logged, and through crashes.

use std::sync::Arc;

use taffrail_base::HobtId;
use taffrail_storage::backup::{self, BackupError, BackupKind, BackupSpec};
use taffrail_storage::lock::LockMode;
use taffrail_storage::{Database, Durability, RecoveryModel, ScanLocks, heap};

use super::support::*;

const BAK: &str = "/data/t.bak";

/// Changes the first 50 rows, logged; the pages stay dirty.
fn change(db: &Arc<Database>, heap_id: HobtId, byte: u8) {
    let hobt = db.hobt(heap_id).unwrap();
    let mut tx = begin(db);
    tx.lock_object(hobt.object(), LockMode::IX).unwrap();
    let mut cursor = heap::scan(&hobt, ScanLocks::None);
    let mut rids = Vec::new();
    while let Some((rid, _)) = cursor.next(&mut tx).unwrap() {
        rids.push(rid);
    }
    for rid in rids.iter().take(50) {
        heap::update(&mut tx, &hobt, *rid, &[byte; 900]).unwrap();
    }
    tx.commit(Durability::Full).unwrap();
}

#[test]
fn changes_during_a_data_backup_outlive_the_images_of_the_next_log_backup() {
    for kind in [BackupKind::Full, BackupKind::Differential] {
        let (_, shared, db) = source(70, RecoveryModel::BulkLogged);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..200, 1);
        let id = make(&db, 900, 0);
        backup(&db, BackupKind::Full, BAK);
        load(&db, id, 300, 3);
        let (mut done, other) = (false, db.clone());
        let mut during = During(|| {
            if !std::mem::replace(&mut done, true) {
                change(&other, id, 7);
            }
        });
        db.backup(&BackupSpec::new(kind, disk(BAK)), &mut during).unwrap();
        assert!(done);
        put(&db, &mut rows, 0..20, 9);
        let log = backup(&db, BackupKind::Log, BAK);
        assert!(log.header.has_bulk_logged_data);
        if kind == BackupKind::Differential {
            restore(&shared, BAK, 1, false, false).unwrap();
        }
        restore(&shared, BAK, 2, false, false).unwrap();
        let copy = restore(&shared, BAK, 3, true, true).unwrap().database.unwrap();
        assert_eq!(counts(&copy, id), [(3, 250), (7, 50)].into(), "{kind:?}");
        assert_eq!(read(&copy), rows);
        copy.close().unwrap();
    }
}

/// A full backup that ends while a log backup has its images already.
#[test]
fn images_do_not_cover_what_is_newer() {
    let (_, shared, db) = source(71, RecoveryModel::BulkLogged);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..200, 1);
    let id = make(&db, 900, 0);
    backup(&db, BackupKind::Full, BAK);
    load(&db, id, 300, 3);
    let (mut done, other) = (false, db.clone());
    // The first step of a log backup comes behind its first chunk of images.
    let mut during = During(|| {
        if !std::mem::replace(&mut done, true) {
            change(&other, id, 7);
            backup(&other, BackupKind::Full, "/data/full.bak");
            put(&other, &mut rows, 0..20, 8);
        }
    });
    db.backup(&BackupSpec::new(BackupKind::Log, disk(BAK)), &mut during).unwrap();
    assert!(done);
    restore(&shared, "/data/full.bak", 1, false, false).unwrap();
    let copy = restore(&shared, BAK, 2, true, true).unwrap().database.unwrap();
    assert_eq!(counts(&copy, id), [(3, 250), (7, 50)].into());
    assert_eq!(read(&copy), rows);
    copy.close().unwrap();
}

#[test]
fn marks_that_a_crash_brings_back_do_no_harm() {
    for seed in 0..6 {
        let (rig, shared, db) = source(40 + seed, RecoveryModel::BulkLogged);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..200, 1);
        let id = make(&db, 900, 0);
        backup(&db, BackupKind::Full, BAK);
        load(&db, id, 300, 3);
        change(&db, id, 7);
        backup(&db, BackupKind::Log, BAK);
        rig.lose_power((db, shared));
        let shared = rig.instance();
        let (db, _) = rig.open_deferred_in(&shared).unwrap();
        db.finish_recovery().unwrap();
        let second = backup(&db, BackupKind::Log, BAK);
        assert!(!second.header.has_bulk_logged_data, "the marks went durably");
        let want = counts(&db, id);
        restore(&shared, BAK, 1, false, false).unwrap();
        restore(&shared, BAK, 2, true, false).unwrap();
        let copy = restore(&shared, BAK, 3, true, true).unwrap().database.unwrap();
        assert_eq!(counts(&copy, id), want, "seed {seed}");
        assert_eq!(read(&copy), rows);
        copy.close().unwrap();
    }
}

/// The power goes when a log backup has moved the chain on and the map's marks have not gone: the next one has the images again, of pages
/// whose changes were in the log of the one before, and are in no file.
#[test]
fn images_that_a_crash_brings_back_cover_nothing() {
    let set = |n: u64| format!("/data/{n}.bak");
    // `cut`: before which I/O of the log backup the power goes. Gives how many it had, and whether the images came back.
    let run = |cut: Option<u64>| {
        let (rig, shared, db) = source(90, RecoveryModel::BulkLogged);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..200, 1);
        let id = make(&db, 900, 0);
        backup(&db, BackupKind::Full, BAK);
        load(&db, id, 300, 3);
        change(&db, id, 7);
        let before = rig.world.stats().operations;
        if let Some(cut) = cut {
            rig.world.crash_at(cut);
        }
        let first = try_backup(&db, &BackupSpec::new(BackupKind::Log, disk(&set(1))));
        let operations = rig.world.stats().operations - before;
        if cut.is_none() {
            return (operations, false);
        }
        assert!(first.is_err() && !rig.world.is_powered());
        rig.lose_power((db, shared));
        let shared = rig.instance();
        // What redo makes is dirty, and stays so.
        let (db, _) = rig.open_deferred_in(&shared).unwrap();
        let second = backup(&db, BackupKind::Log, &set(2));
        let want = counts(&db, id);
        assert_eq!(want, [(3, 250), (7, 50)].into());
        restore(&shared, BAK, 1, false, false).unwrap();
        let mut moved = false;
        if backup::read_sets(&rig.world.env(), &disk(&set(1))).is_ok_and(|s| s[0].complete) {
            restore(&shared, &set(1), 1, true, false).unwrap();
            moved = second.header.has_bulk_logged_data;
        }
        let copy = restore(&shared, &set(2), 1, true, true).unwrap().database.unwrap();
        assert_eq!(counts(&copy, id), want, "power until I/O {cut:?}");
        assert_eq!(read(&copy), rows);
        copy.close().unwrap();
        (operations, moved)
    };
    let (all, _) = run(None);
    let came_back = (all - 8..=all).filter(|cut| run(Some(*cut)).1).count();
    assert!(came_back > 0, "the marks have always gone");
}

#[test]
fn a_power_failure_while_images_are_restored() {
    let mut at = 0;
    loop {
        at += 1;
        let (rig, shared, db) = source(2000 + at, RecoveryModel::BulkLogged);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..100, 1);
        let id = make(&db, 900, 0);
        backup(&db, BackupKind::Full, BAK);
        load(&db, id, 300, 3);
        backup(&db, BackupKind::Log, BAK);
        db.close().unwrap();
        restore(&shared, BAK, 1, false, false).unwrap();
        rig.world.crash_at(at);
        let outcome = restore(&shared, BAK, 2, true, false);
        let ended = rig.world.is_powered();
        drop(outcome);
        rig.world.restart();
        drop((db, shared));
        let shared = rig.instance();
        // What a user does: the set again; if the database says that it has it: recovery.
        let copy = match restore(&shared, BAK, 2, true, true) {
            Err(BackupError::LogTooEarly { .. }) => {
                backup::recover(&shared, COPY, "copy", COPY_PRIMARY.as_ref()).unwrap().0
            }
            other => other.unwrap().database.unwrap(),
        };
        assert_eq!(counts(&copy, id), [(3, 300)].into(), "a crash at {at}");
        assert_eq!(read(&copy), rows, "a crash at {at}");
        copy.close().unwrap();
        if ended {
            return;
        }
        assert!(at < 400);
    }
}
