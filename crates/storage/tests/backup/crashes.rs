//! Power fails at every step of a log backup and of restores.

use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::{self, BackupKind, BackupSpec, read_sets};

use super::support::*;

const BAK: &str = "/data/t.bak";

#[test]
fn a_log_backup_that_is_interrupted_loses_nothing() {
    let mut ended = false;
    // Every step: this one is short.
    for at in 1.. {
        let (rig, shared, db) = source(at, RecoveryModel::Full);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..400, 1);
        backup(&db, BackupKind::Full, BAK);
        put(&db, &mut rows, 100..300, 2);
        backup(&db, BackupKind::Log, BAK);
        put(&db, &mut rows, 200..600, 3);
        rig.world.crash_at(at);
        let spec = BackupSpec::new(BackupKind::Log, disk(BAK));
        let taken = db.backup(&spec, &mut ());
        ended = rig.world.is_powered();
        rig.world.restart();
        drop((db, shared));
        let (shared, db) = reopened(&rig);
        assert_eq!(read(&db), rows, "crash at {at}");
        let sets = read_sets(&rig.world.env(), &disk(BAK)).unwrap();
        let complete = sets.iter().filter(|s| s.complete).count();
        assert!(complete >= if taken.is_ok() { 3 } else { 2 }, "crash at {at}");
        // The chain goes on, whatever happened to the third set.
        put(&db, &mut rows, 500..700, 4);
        let last = backup(&db, BackupKind::Log, BAK).header.position;
        restore(&shared, BAK, 1, false, false).unwrap();
        for position in 2..last {
            restore(&shared, BAK, position, true, false).unwrap();
        }
        check(restore(&shared, BAK, last, true, true), &rows);
        if ended {
            break;
        }
    }
    assert!(ended);
}

/// A restore of some sets, crashed at each of its steps, and then taken up again.
fn crash_restore(positions: &[(u32, bool)], recovery: bool) {
    let mut ended = false;
    // Every step: the database is small, so that there are about a hundred.
    for at in 1.. {
        let (rig, shared, db) = source(1000 + at, RecoveryModel::Full);
        let mut rows = Rows::new();
        let (done, last) = positions.split_at(positions.len() - 1);
        let until = last[0].0;
        put(&db, &mut rows, 0..300, 1);
        backup(&db, BackupKind::Full, BAK);
        if until > 1 {
            put(&db, &mut rows, 100..400, 2);
            backup(&db, BackupKind::Differential, BAK);
        }
        if until > 2 {
            put(&db, &mut rows, 50..90, 3);
            backup(&db, BackupKind::Log, BAK);
        }
        db.close().unwrap();
        for &(position, log) in done {
            restore(&shared, BAK, position, log, false).unwrap();
        }
        let (position, log) = last[0];
        rig.world.crash_at(at);
        let outcome = restore(&shared, BAK, position, log, recovery);
        ended = rig.world.is_powered();
        let finished = outcome.is_ok();
        rig.world.restart();
        // Dead with the machine: nothing of them is in the files that the next one finds.
        drop((outcome, db, shared));
        let shared = rig.instance();
        match open_copy(&shared) {
            // It had been recovered before the power went: then it is whole.
            Ok(copy) => {
                assert!(recovery, "crash at {at}: half open");
                assert_eq!(read(&copy), rows, "crash at {at}");
                copy.close().unwrap();
            }
            Err(_) => {
                assert!(!(finished && recovery), "crash at {at}: it was open");
                let state = backup::restoring(&shared, "copy", COPY_PRIMARY.as_ref());
                match state {
                    Ok(Some(_)) => {
                        // The step again, or what comes after it if it had come to its end.
                        let again = restore(&shared, BAK, position, log, true);
                        match again {
                            Err(e) => {
                                let early = matches!(e, backup::BackupError::LogTooEarly { .. });
                                assert!(early, "crash at {at}: {e}");
                                let copy =
                                    backup::recover(&shared, COPY, "copy", COPY_PRIMARY.as_ref());
                                let (copy, _) = copy.unwrap();
                                assert_eq!(read(&copy), rows, "crash at {at}");
                                copy.close().unwrap();
                            }
                            again => check(again, &rows),
                        }
                    }
                    Ok(None) => panic!("crash at {at}: neither open nor restoring"),
                    Err(_) => {
                        assert!(done.is_empty(), "crash at {at}: a restore step lost the database");
                        check(restore(&shared, BAK, position, log, true), &rows);
                    }
                }
            }
        }
        if ended {
            break;
        }
    }
    assert!(ended);
}

// Each way ends at the third set's end, or where the second was taken and nothing came after.

#[test]
fn a_full_restore_that_is_interrupted_is_restored_again() {
    crash_restore(&[(1, false)], true);
}

#[test]
fn a_differential_restore_that_is_interrupted_is_restored_again() {
    crash_restore(&[(1, false), (2, false)], false);
}

#[test]
fn a_log_restore_that_is_interrupted_goes_on() {
    crash_restore(&[(1, false), (3, true)], false);
    crash_restore(&[(1, false), (3, true)], true);
}
