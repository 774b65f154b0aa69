//! Backups of the tail of the log that fail, and those of a damaged database.

use taffrail_io::sim::{Fault, FaultKind, IoKind};
use taffrail_storage::backup::{BackupError, BackupKind, BackupSpec};
use taffrail_storage::{DatabaseState, RecoveryModel};

use super::support::*;

const BAK: &str = "/data/t.bak";

fn tail(path: &str) -> BackupSpec {
    let mut spec = BackupSpec::new(BackupKind::Log, disk(path));
    spec.no_recovery = true;
    spec
}

#[test]
fn a_tail_that_cannot_be_written_leaves_the_database_open() {
    for (kind, fault) in [(IoKind::Sync, FaultKind::Full), (IoKind::Write, FaultKind::Io)] {
        for nth in 1..4 {
            let (rig, shared, db) = source(80, RecoveryModel::Full);
            let mut rows = Rows::new();
            put(&db, &mut rows, 0..200, 1);
            backup(&db, BackupKind::Full, BAK);
            put(&db, &mut rows, 0..200, 2);
            let path_contains = "tail".into();
            rig.world.inject(Fault { nth, kind: Some(kind), path_contains, fault, sticky: true });
            let taken = db.backup(&tail("/data/tail.bak"), &mut ());
            rig.world.clear_faults();
            if taken.is_ok() {
                assert!(nth > 1, "{kind:?}: the fault was not met");
                continue;
            }
            assert!(matches!(db.state(), DatabaseState::Online), "{:?}", db.state());
            put(&db, &mut rows, 100..300, 3);
            // It can be taken again, and has everything.
            db.backup(&tail(BAK), &mut ()).unwrap();
            restore(&shared, BAK, 1, false, false).unwrap();
            check(restore(&shared, BAK, 2, true, true), &rows);
        }
    }
}

#[test]
fn the_tail_of_a_damaged_database_is_whole_or_refused() {
    for (bulk, no_recovery) in [(false, false), (false, true), (true, false), (true, true)] {
        let (rig, shared, db) = source(95, RecoveryModel::BulkLogged);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..200, 1);
        let heap = make(&db, 900, 0);
        backup(&db, BackupKind::Full, BAK);
        put(&db, &mut rows, 100..400, 2);
        if bulk {
            load(&db, heap, 300, 3);
        }
        db.mark_suspect("test");
        let mut spec = BackupSpec::new(BackupKind::Log, disk(BAK));
        (spec.no_truncate, spec.no_recovery) = (true, no_recovery);
        let taken = db.backup(&spec, &mut ());
        if bulk {
            // Message 4216, and the media is as it was.
            assert!(matches!(refused(taken), BackupError::BulkUnavailable));
            let sets = taffrail_storage::backup::read_sets(&rig.world.env(), &disk(BAK)).unwrap();
            assert_eq!(sets.len(), 1);
            continue;
        }
        assert!(taken.unwrap().header.complete);
        restore(&shared, BAK, 1, false, false).unwrap();
        check(restore(&shared, BAK, 2, true, true), &rows);
    }
}
