//! Full, differential and log backups, restored in every order that is allowed, and in some that are not.

use taffrail_base::Lsn;
use taffrail_storage::backup::{self, BackupError, BackupKind, BackupSpec, read_sets};
use taffrail_storage::{CheckpointKind, Database, Durability, RecoveryModel, StorageError, btree};

use super::support::*;

const BAK: &str = "/data/t.bak";

#[test]
fn a_full_backup_under_writers_is_one_moment() {
    for seed in 0..6 {
        let (_, shared, db) = source(seed, RecoveryModel::Full);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..9000, 1);
        db.checkpoint(CheckpointKind::Manual).unwrap();
        put(&db, &mut rows, 300..900, 2);
        // Open while the backup runs: its changes must not be in what is restored.
        let tree = db.hobt(TREE).unwrap();
        let mut open = begin(&db);
        for key in 50_000..50_040u64 {
            btree::insert(&mut open, &tree, &key.to_be_bytes(), &[5; 400]).unwrap();
        }
        let mut n = 0;
        let mut during = During(|| {
            n += 1;
            if n < 40 {
                put(&db, &mut rows, 10_000 + n * 100..10_020 + n * 100, n as u8);
                put(&db, &mut rows, n * 10..n * 10 + 15, n as u8);
            }
        });
        let spec = BackupSpec { checksum: true, ..BackupSpec::new(BackupKind::Full, disk(BAK)) };
        let report = db.backup(&spec, &mut during).unwrap();
        assert!(n > 3 && report.pages > 0 && report.header.last_lsn > report.header.first_lsn);
        assert!(report.header.complete && report.header.has_checksums);
        open.rollback().unwrap();
        // Its last steps copy the log: what was written then is not in the set.
        let copy = restore(&shared, BAK, 1, false, true).unwrap().database.unwrap();
        let got = read(&copy);
        let want = read(&db);
        assert!(
            got.keys().all(|key| rows.contains_key(key)),
            "seed {seed}: an open transaction's row"
        );
        assert!(got.len() + 40 >= want.len() && got.len() > 9000 && got.len() <= want.len());
        copy.close().unwrap();
    }
}

#[test]
fn a_quiet_full_backup_holds_everything() {
    let (_, shared, db) = source(1, RecoveryModel::Simple);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..3000, 1);
    backup(&db, BackupKind::Full, BAK);
    check(restore(&shared, BAK, 1, false, true), &rows);
    assert_eq!(read(&db), rows);
}

/// Five states of a database, and a backup after each.
struct Story {
    states: Vec<Rows>,
    /// Positions: 1 full, 2 log, 3 differential, 4 log, 5 differential, 6 log.
    headers: Vec<backup::SetHeader>,
}

fn story(db: &std::sync::Arc<Database>) -> Story {
    let mut rows = Rows::new();
    let mut s = Story { states: Vec::new(), headers: Vec::new() };
    put(db, &mut rows, 0..800, 1);
    use BackupKind::{Differential, Full, Log};
    for (i, kind) in [Full, Log, Differential, Log, Differential, Log].into_iter().enumerate() {
        let i = i as u64;
        put(db, &mut rows, i * 130..i * 130 + 200, 10 + i as u8);
        put(db, &mut rows, 5000 + i * 500..5000 + i * 500 + 400, 20 + i as u8);
        if i == 3 {
            db.checkpoint(CheckpointKind::Manual).unwrap();
        }
        let report = backup(db, kind, BAK);
        assert_eq!(report.header.position as u64, i + 1);
        s.headers.push(report.header);
        s.states.push(rows.clone());
    }
    s
}

#[test]
fn every_way_through_the_sets_leads_to_its_state() {
    let (_, shared, db) = source(2, RecoveryModel::Full);
    let story = story(&db);
    // Positions, the last with recovery.
    let ways: [&[u32]; 9] = [
        &[1],
        &[1, 2],
        &[1, 3],
        &[1, 2, 4],
        &[1, 3, 4],
        &[1, 5],
        &[1, 3, 5, 6],
        &[1, 2, 4, 6],
        &[1, 2, 3, 4, 6],
    ];
    for way in ways {
        for (i, &position) in way.iter().enumerate() {
            let log = matches!(position, 2 | 4 | 6);
            let last = i + 1 == way.len();
            let restored = restore(&shared, BAK, position, log, last);
            if last {
                check(restored, &story.states[position as usize - 1]);
            } else {
                let restored = restored.unwrap_or_else(|e| panic!("{way:?} at {position}: {e}"));
                assert!(restored.database.is_none());
                assert!(matches!(open_copy(&shared), Err(StorageError::Restoring(_))));
                let state =
                    backup::restoring(&shared, "copy", COPY_PRIMARY.as_ref()).unwrap().unwrap();
                assert_eq!(state.redo_lsn, restored.header.last_lsn, "{way:?} at {position}");
            }
        }
    }
}

#[test]
fn the_log_chain_has_no_gap_and_no_overlap() {
    let (_, shared, db) = source(3, RecoveryModel::Full);
    assert!(matches!(
        refused(try_backup(&db, &BackupSpec::new(BackupKind::Log, disk(BAK)))),
        BackupError::NoLogChain
    ));
    assert!(matches!(
        refused(try_backup(&db, &BackupSpec::new(BackupKind::Differential, disk(BAK)))),
        BackupError::NoDifferentialBase
    ));
    let story = story(&db);
    let h = &story.headers;
    assert!(h[1].begins_log_chain && !h[3].begins_log_chain);
    assert_eq!(h[3].first_lsn, h[1].last_lsn);
    assert_eq!(h[5].first_lsn, h[3].last_lsn);
    assert_eq!(h[2].differential_base_guid, h[0].guid);
    assert_eq!(h[4].differential_base_lsn, h[0].first_lsn);
    assert_eq!(db.recovery_status().last_log_backup, Some(h[5].last_lsn));
    // Out of order.
    restore(&shared, BAK, 1, false, false).unwrap();
    let e = refused(restore(&shared, BAK, 4, true, false));
    assert!(
        matches!(e, BackupError::LogTooRecent { first, needed } if first == h[3].first_lsn && needed == h[0].last_lsn)
    );
    restore(&shared, BAK, 2, true, false).unwrap();
    restore(&shared, BAK, 4, true, false).unwrap();
    let e = refused(restore(&shared, BAK, 2, true, false));
    assert!(matches!(e, BackupError::LogTooEarly { last, .. } if last == h[1].last_lsn), "{e}");
    let e = refused(restore(&shared, BAK, 3, false, false));
    assert!(matches!(e, BackupError::LogTooEarly { .. }), "{e}");
    assert!(matches!(refused(restore(&shared, BAK, 6, false, false)), BackupError::WrongKind));
    assert!(matches!(refused(restore(&shared, BAK, 1, true, false)), BackupError::WrongKind));
    check(restore(&shared, BAK, 6, true, true), &story.states[5]);
    // Recovered: nothing can be added.
    assert!(matches!(refused(restore(&shared, BAK, 6, true, true)), BackupError::NotRestoring));
    // A new full backup is another base.
    let mut rows = story.states[5].clone();
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..10, 99);
    backup(&db, BackupKind::Differential, BAK);
    restore(&shared, BAK, 1, false, false).unwrap();
    assert!(matches!(refused(restore(&shared, BAK, 8, false, false)), BackupError::WrongBase));
    restore(&shared, BAK, 7, false, false).unwrap();
    check(restore(&shared, BAK, 8, false, true), &rows);
}

#[test]
fn a_log_set_that_ends_where_the_database_stands_has_nothing_to_do() {
    for model in [RecoveryModel::Full, RecoveryModel::BulkLogged] {
        let (_, shared, db) = source(33, model);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..300, 1);
        // Nothing happens between the full set and the log set behind it.
        let full = backup(&db, BackupKind::Full, BAK).header;
        let log = backup(&db, BackupKind::Log, BAK).header;
        assert!(log.last_lsn == full.last_lsn && log.first_lsn < log.last_lsn, "the case meant");
        let quiet = rows.clone();
        put(&db, &mut rows, 200..500, 2);
        backup(&db, BackupKind::Log, BAK);
        // With recovery.
        restore(&shared, BAK, 1, false, false).unwrap();
        check(restore(&shared, BAK, 2, true, true), &quiet);
        // Without, twice; RECOVERY without a set.
        restore(&shared, BAK, 1, false, false).unwrap();
        for _ in 0..2 {
            let none = restore(&shared, BAK, 2, true, false).unwrap();
            assert_eq!((none.pages, none.log_pages), (0, 0), "{model:?}");
        }
        let (copy, _) = backup::recover(&shared, COPY, "copy", COPY_PRIMARY.as_ref()).unwrap();
        assert_eq!(read(&copy), quiet);
        copy.close().unwrap();
        // The sets behind it, one of them again.
        restore(&shared, BAK, 1, false, false).unwrap();
        restore(&shared, BAK, 2, true, false).unwrap();
        restore(&shared, BAK, 3, true, false).unwrap();
        let e = refused(restore(&shared, BAK, 2, true, false));
        assert!(matches!(e, BackupError::LogTooEarly { last, .. } if last == log.last_lsn), "{e}");
        restore(&shared, BAK, 3, true, false).unwrap();
        check(restore(&shared, BAK, 3, true, true), &rows);
    }
}

#[test]
fn a_copy_only_backup_changes_nothing() {
    let (_, shared, db) = source(4, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..500, 1);
    let copy_only =
        |kind| BackupSpec { copy_only: true, ..BackupSpec::new(kind, disk("/data/c.bak")) };
    try_backup(&db, &copy_only(BackupKind::Full)).unwrap();
    assert_eq!(db.recovery_status().differential_base, Lsn::ZERO);
    assert!(db.log_chain().is_none());
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..100, 2);
    let chain = db.log_chain();
    try_backup(&db, &copy_only(BackupKind::Full)).unwrap();
    try_backup(&db, &copy_only(BackupKind::Log)).unwrap();
    assert_eq!(db.log_chain(), chain);
    put(&db, &mut rows, 100..200, 3);
    backup(&db, BackupKind::Differential, BAK);
    backup(&db, BackupKind::Log, BAK);
    restore(&shared, BAK, 1, false, false).unwrap();
    check(restore(&shared, BAK, 2, false, true), &rows);
    restore(&shared, BAK, 1, false, false).unwrap();
    check(restore(&shared, BAK, 3, true, true), &rows);
    // A copy-only full backup takes the log backups, and no differential.
    restore(&shared, "/data/c.bak", 2, false, false).unwrap();
    assert!(matches!(refused(restore(&shared, BAK, 2, false, false)), BackupError::WrongBase));
    check(restore(&shared, BAK, 3, true, true), &rows);
}

#[test]
fn a_transaction_over_several_log_backups_is_undone_or_committed() {
    for commits in [false, true] {
        let (_, shared, db) = source(5, RecoveryModel::Full);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..300, 1);
        backup(&db, BackupKind::Full, BAK);
        let tree = db.hobt(TREE).unwrap();
        let mut open = begin(&db);
        let mut theirs = Rows::new();
        for step in 0..4u64 {
            for key in 0..30u64 {
                let key = 60_000 + step * 100 + key;
                btree::insert(&mut open, &tree, &key.to_be_bytes(), &[step as u8; 350]).unwrap();
                theirs.insert(key, vec![step as u8; 350]);
            }
            put(&db, &mut rows, step * 50..step * 50 + 80, step as u8);
            backup(&db, BackupKind::Log, BAK);
        }
        let before = rows.clone();
        if commits {
            open.commit(Durability::Full).unwrap();
            rows.append(&mut theirs);
        } else {
            open.rollback().unwrap();
        }
        backup(&db, BackupKind::Log, BAK);
        for last in [5, 6] {
            restore(&shared, BAK, 1, false, false).unwrap();
            for position in 2..=last {
                let restored = restore(&shared, BAK, position, true, position == last);
                if position == last {
                    check(restored, if last == 5 { &before } else { &rows });
                } else {
                    restored.unwrap();
                }
            }
        }
    }
}

#[test]
fn the_tail_leaves_the_database_restoring() {
    let (rig, shared, db) = source(6, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..500, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 200..700, 2);
    let tail = BackupSpec { no_recovery: true, ..BackupSpec::new(BackupKind::Log, disk(BAK)) };
    let report = try_backup(&db, &tail).unwrap();
    assert!(report.header.is_force_offline);
    drop(db);
    let closed = rig.open_in(&shared);
    assert!(matches!(closed, Err(StorageError::Restoring(_))));
    restore(&shared, BAK, 1, false, false).unwrap();
    check(restore(&shared, BAK, 2, true, true), &rows);
    // And the database itself goes on.
    let (db, _) = backup::recover(&shared, SOURCE, "t", "/data/t.mdf".as_ref()).unwrap();
    assert_eq!(read(&db), rows);
    put(&db, &mut rows, 0..50, 7);
    db.close().unwrap();
    let (db, _) = rig.open_in(&shared).unwrap();
    assert_eq!(read(&db), rows);
}

#[test]
fn a_restored_database_goes_on_with_the_chain_on_a_new_fork() {
    let (_, shared, db) = source(7, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..500, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..300, 2);
    backup(&db, BackupKind::Log, BAK);
    let before = rows.clone();
    put(&db, &mut rows, 0..300, 3);
    backup(&db, BackupKind::Log, BAK);
    restore(&shared, BAK, 1, false, false).unwrap();
    let copy = restore(&shared, BAK, 2, true, true).unwrap().database.unwrap();
    let (old, new) = (db.recovery_status(), copy.recovery_status());
    assert_eq!(old.family_guid, new.family_guid);
    assert_ne!(old.database_guid, new.database_guid);
    assert_ne!(old.recovery_fork, new.recovery_fork);
    assert_eq!(new.first_recovery_fork, Some(old.recovery_fork));
    assert_eq!(new.fork_point, new.last_log_backup);
    let mut theirs = before.clone();
    put(&copy, &mut theirs, 100..400, 50);
    backup(&copy, BackupKind::Log, "/data/fork.bak");
    put(&copy, &mut theirs, 300..600, 51);
    backup(&copy, BackupKind::Log, "/data/fork.bak");
    copy.close().unwrap();
    // Full, log, then the fork's logs; the old path's third set belongs to another path.
    restore(&shared, BAK, 1, false, false).unwrap();
    restore(&shared, BAK, 2, true, false).unwrap();
    restore(&shared, "/data/fork.bak", 1, true, false).unwrap();
    assert!(matches!(refused(restore(&shared, BAK, 3, true, false)), BackupError::WrongFork));
    check(restore(&shared, "/data/fork.bak", 2, true, true), &theirs);
    // And the other way round.
    restore(&shared, BAK, 1, false, false).unwrap();
    restore(&shared, BAK, 2, true, false).unwrap();
    restore(&shared, BAK, 3, true, false).unwrap();
    assert!(matches!(
        refused(restore(&shared, "/data/fork.bak", 1, true, false)),
        BackupError::WrongFork
    ));
    backup::recover(&shared, COPY, "copy", COPY_PRIMARY.as_ref()).unwrap().0.close().unwrap();
}

#[test]
fn a_differential_after_a_crash_has_what_changed_before_it() {
    let (rig, shared, db) = source(8, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..3000, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 100..130, 2);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    put(&db, &mut rows, 2000..2030, 3);
    rig.lose_power((db, shared));
    let (shared, db) = reopened(&rig);
    put(&db, &mut rows, 2900..2910, 4);
    let small = backup(&db, BackupKind::Differential, BAK);
    let all = read_sets(&rig.world.env(), &disk(BAK)).unwrap()[0].size;
    assert!(small.header.size * 2 < all, "{} of {all}", small.header.size);
    restore(&shared, BAK, 1, false, false).unwrap();
    check(restore(&shared, BAK, 2, false, true), &rows);
    // A full backup that fails changes nothing of that.
    struct Stop;
    impl backup::Watch for Stop {
        fn cancelled(&mut self) -> bool {
            true
        }
    }
    let full = BackupSpec::new(BackupKind::Full, disk("/data/other.bak"));
    assert!(matches!(refused(db.backup(&full, &mut Stop)), BackupError::Cancelled));
    put(&db, &mut rows, 1000..1010, 5);
    backup(&db, BackupKind::Differential, BAK);
    restore(&shared, BAK, 1, false, false).unwrap();
    check(restore(&shared, BAK, 3, false, true), &rows);
    // One that succeeds begins the map anew.
    backup(&db, BackupKind::Full, BAK);
    db.checkpoint(CheckpointKind::Manual).unwrap();
    put(&db, &mut rows, 50..55, 6);
    db.close().unwrap();
    let (db, _) = rig.open_in(&shared).unwrap();
    let smaller = backup(&db, BackupKind::Differential, BAK);
    assert!(smaller.pages < small.pages, "{} and {}", smaller.pages, small.pages);
    restore(&shared, BAK, 4, false, false).unwrap();
    check(restore(&shared, BAK, 5, false, true), &rows);
}
