//! The chain of log backups over restarts: nothing that no log backup has is let go of.

use std::sync::Arc;

use taffrail_log::{ReuseWait, VlfStatus};
use taffrail_storage::backup::{BackupError, BackupKind, BackupSpec, read_sets};
use taffrail_storage::{
    CheckpointKind, DataFileSpec, Database, DatabaseState, Growth, RecoveryModel, StorageInstance,
};

use super::support::*;

const BAK: &str = "/data/t.bak";

fn checkpoint(db: &Arc<Database>) {
    db.checkpoint(CheckpointKind::Manual).unwrap();
}

/// Restores every set of a media with one full set and log sets, and compares.
fn restore_all(rig: &Rig, shared: &Arc<StorageInstance>, rows: &Rows, moved: &[&str]) {
    let sets = read_sets(&rig.world.env(), &disk(BAK)).unwrap();
    let last = sets.iter().filter(|s| s.complete).map(|s| s.position).max().unwrap();
    for position in 1..=last {
        let mut spec = restore_spec(BAK, position, position > 1, position == last);
        for name in moved.iter().filter(|_| position == 1) {
            let path = format!("/data/copy_{name}.ldf");
            spec.replaces.push(path.clone().into());
            spec.moves.push(((*name).to_owned(), path.into()));
        }
        let restored = taffrail_storage::backup::restore(shared, &spec, &mut ());
        match position == last {
            false => drop(restored.unwrap()),
            true => check(restored, rows),
        }
    }
}

#[test]
fn the_chain_goes_on_over_restarts() {
    for seed in 0..8 {
        let (clean, two_files) = (seed % 2 == 0, seed % 4 < 2);
        let (rig, mut shared, mut db) = source(seed, RecoveryModel::Full);
        let mut rows = Rows::new();
        // The log goes round first, so that the chain does not begin where the files begin.
        for byte in 0..3 {
            put(&db, &mut rows, 0..300, byte);
            checkpoint(&db);
        }
        if two_files {
            let spec = DataFileSpec {
                path: "/data/log2.ldf".into(),
                name: "log2".into(),
                size: 1 << 20,
                growth: Growth::Bytes(512 << 10),
                max_size: None,
            };
            db.add_log_file(&spec).unwrap();
        }
        backup(&db, BackupKind::Full, BAK);
        for round in 0..6 {
            for i in 0..4 + seed % 3 {
                put(&db, &mut rows, i * 50..i * 50 + 400, (10 + round * 8 + i) as u8);
                checkpoint(&db);
            }
            let kept = (db.log_chain(), db.recovery_status().last_log_backup);
            assert!(kept.1.is_some());
            if clean {
                db.close().unwrap();
            } else {
                rig.world.crash();
            }
            rig.world.restart();
            drop((db, shared));
            (shared, db) = reopened(&rig);
            assert_eq!((db.log_chain(), db.recovery_status().last_log_backup), kept, "seed {seed}");
            assert_eq!(db.log().reuse_wait(), ReuseWait::LogBackup, "seed {seed}");
            assert_eq!(read(&db), rows);
            let vlfs = db.log().vlfs().into_iter();
            assert!(vlfs.filter(|v| v.status == VlfStatus::Active).count() > 3);
            // Every third restart is followed by another before a log backup is taken.
            if round % 3 != 1 {
                put(&db, &mut rows, 100..200, 200 + round as u8);
                checkpoint(&db);
                backup(&db, BackupKind::Log, BAK);
                checkpoint(&db);
                assert!(db.log().oldest() > kept.0.unwrap());
            }
        }
        assert_eq!(db.state(), DatabaseState::Online);
        restore_all(&rig, &shared, &rows, if two_files { &["log2"] } else { &[] });
    }
}

#[test]
fn power_fails_anywhere_between_two_log_backups() {
    let mut ended = false;
    let mut at = 0;
    while !ended {
        at += 1 + at / 6;
        let (rig, shared, db) = source(5000 + at, RecoveryModel::Full);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..400, 1);
        backup(&db, BackupKind::Full, BAK);
        for byte in 2..5 {
            put(&db, &mut rows, 0..400, byte);
            checkpoint(&db);
        }
        rig.world.crash_at(at);
        // Nothing is changed, so that what is there is known: checkpoints, a log backup, and what they let go of is used again.
        let _ = db.checkpoint(CheckpointKind::Manual);
        let _ = db.backup(&BackupSpec::new(BackupKind::Log, disk(BAK)), &mut ());
        for _ in 0..6 {
            let _ = db.checkpoint(CheckpointKind::Manual);
        }
        let _ = db.backup(&BackupSpec::new(BackupKind::Log, disk(BAK)), &mut ());
        let _ = db.close();
        ended = rig.world.is_powered();
        rig.world.restart();
        drop((db, shared));
        let (shared, db) = reopened(&rig);
        assert_eq!(read(&db), rows, "crash at {at}");
        assert!(db.recovery_status().last_log_backup.is_some(), "crash at {at}");
        for byte in 5..8 {
            put(&db, &mut rows, 100..400, byte);
            checkpoint(&db);
        }
        rig.lose_power((db, shared));
        let (shared, db) = reopened(&rig);
        backup(&db, BackupKind::Log, BAK);
        assert_eq!(db.state(), DatabaseState::Online);
        restore_all(&rig, &shared, &rows, &[]);
    }
}

#[test]
fn a_restored_database_has_a_chain_of_its_own() {
    let (_, shared, db) = source(7, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..400, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..400, 2);
    backup(&db, BackupKind::Log, BAK);
    db.close().unwrap();
    restore(&shared, BAK, 1, false, false).unwrap();
    let copy = restore(&shared, BAK, 2, true, true).unwrap().database.unwrap();
    for byte in 3..9 {
        put(&copy, &mut rows, 0..400, byte);
        checkpoint(&copy);
    }
    let chain = copy.recovery_status().last_log_backup;
    copy.close().unwrap();
    let copy = open_copy(&shared).unwrap();
    assert!(chain.is_some());
    assert_eq!(copy.recovery_status().last_log_backup, chain);
    assert_eq!(copy.log().reuse_wait(), ReuseWait::LogBackup);
    // Its log goes on where the sets ended.
    backup(&copy, BackupKind::Log, BAK);
    copy.close().unwrap();
    restore(&shared, BAK, 1, false, false).unwrap();
    restore(&shared, BAK, 2, true, false).unwrap();
    check(restore(&shared, BAK, 3, true, true), &rows);
}

#[test]
fn a_broken_chain_is_refused_and_a_full_backup_begins_another() {
    let (rig, shared, db) = source(8, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..400, 1);
    backup(&db, BackupKind::Full, "/data/old.bak");
    for byte in 2..8 {
        put(&db, &mut rows, 0..400, byte);
        checkpoint(&db);
    }
    let vlfs = db.log().vlfs();
    db.close().unwrap();
    drop((db, shared));
    // Log that only a log backup needs is damaged.
    let active = vlfs.iter().filter(|v| v.status == VlfStatus::Active);
    let second = active.min_by_key(|v| v.seqno).map(|v| v.seqno.0 + 1).unwrap();
    let second = vlfs.iter().find(|v| v.seqno.0 == second).unwrap();
    rig.world.flip_bit("/data/t_log.ldf".as_ref(), second.offset + 8192 + 2, 1).unwrap();
    let (shared, db) = reopened(&rig);
    let log = BackupSpec::new(BackupKind::Log, disk(BAK));
    assert_eq!(read(&db), rows);
    for _ in 0..2 {
        assert!(matches!(try_backup(&db, &log), Err(BackupError::NoLogChain)));
        assert_eq!(db.state(), DatabaseState::Online);
        assert_eq!(db.recovery_status().last_log_backup, None);
    }
    assert_ne!(db.log().reuse_wait(), ReuseWait::LogBackup);
    backup(&db, BackupKind::Full, BAK);
    assert!(db.recovery_status().last_log_backup.is_some());
    for byte in 8..12 {
        put(&db, &mut rows, 0..400, byte);
        checkpoint(&db);
    }
    backup(&db, BackupKind::Log, BAK);
    db.close().unwrap();
    drop((db, shared));
    let (shared, db) = reopened(&rig);
    put(&db, &mut rows, 0..10, 40);
    backup(&db, BackupKind::Log, BAK);
    restore_all(&rig, &shared, &rows, &[]);
}

#[test]
fn a_switch_to_simple_and_back_breaks_the_chain_for_good() {
    let (rig, shared, db) = source(9, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..100, 1);
    backup(&db, BackupKind::Full, BAK);
    // The chain of a database under SIMPLE is none, and switching back begins none.
    for model in [RecoveryModel::Simple, RecoveryModel::Full] {
        let mut options = db.options();
        options.recovery_model = model;
        db.set_options(&options).unwrap();
    }
    for byte in 2..6 {
        put(&db, &mut rows, 0..400, byte);
        checkpoint(&db);
    }
    let log = BackupSpec::new(BackupKind::Log, disk(BAK));
    assert!(matches!(try_backup(&db, &log), Err(BackupError::NoLogChain)));
    db.close().unwrap();
    drop((db, shared));
    let (_shared, db) = reopened(&rig);
    assert!(matches!(try_backup(&db, &log), Err(BackupError::NoLogChain)));
    assert_eq!(db.state(), DatabaseState::Online);
    backup(&db, BackupKind::Full, BAK);
    backup(&db, BackupKind::Log, BAK);
    assert_eq!(db.state(), DatabaseState::Online);
}
