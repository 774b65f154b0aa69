//! Log sets that were begun and did not come to their end: another point may be named where no page can have a later change.

use taffrail_io::UtcTime;
use taffrail_storage::RecoveryModel;
use taffrail_storage::backup::{
    self, BackupError, BackupKind, BackupResult, Restored, Stop, Watch,
};

use super::support::*;

const BAK: &str = "/data/t.bak";
const LOG: &str = "/data/log.bak";

/// Lets time go by that commits can be told apart by, and tells the moment in its middle.
fn pass(rig: &Rig) -> UtcTime {
    rig.world.clock().advance(std::time::Duration::from_secs(1));
    let now = rig.world.env().clock.now_utc();
    rig.world.clock().advance(std::time::Duration::from_secs(1));
    now
}

fn log_until(
    rig: &Rig,
    shared: &std::sync::Arc<taffrail_storage::StorageInstance>,
    at: UtcTime,
    watch: &mut dyn Watch,
) -> BackupResult<Restored> {
    assert!(rig.world.is_powered());
    let spec = restore_spec(LOG, 1, true, true);
    backup::restore_until(shared, &spec, Some(&Stop::At(at)), watch)
}

/// Where the first piece of log of a media stands.
fn piece_of_log(rig: &Rig, media: &str) -> usize {
    let volume = rig.world.env().disk.open(media.as_ref(), taffrail_io::OpenSpec::DATA).unwrap();
    let mut bytes = vec![0; volume.len().unwrap() as usize];
    volume.read_at(0, &mut bytes).unwrap();
    let is_log = |at: &usize| bytes[*at..].starts_with(b"TFBC") && bytes[*at + 6] == 4;
    (0..bytes.len()).step_by(4096).find(is_log).expect("a piece of log")
}

/// Stops a restore after some pieces.
struct After(u32);

impl Watch for After {
    fn cancelled(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 == 0
    }
}

#[test]
fn a_log_set_of_which_nothing_can_be_read_forbids_no_earlier_point() {
    let (rig, shared, db) = source(1, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..300, 1);
    backup(&db, BackupKind::Full, BAK);
    let full = rows.clone();
    put(&db, &mut rows, 0..100, 2);
    let (at, then) = (pass(&rig), rows.clone());
    put(&db, &mut rows, 50..400, 3);
    backup(&db, BackupKind::Log, LOG);
    let chunk = piece_of_log(&rig, LOG);
    let flip = || rig.world.flip_bit(LOG.as_ref(), chunk as u64 + 5000, 3).unwrap();
    for recovers in [false, true] {
        restore(&shared, BAK, 1, false, false).unwrap();
        flip();
        let damaged = refused(restore(&shared, LOG, 1, true, true));
        assert!(matches!(damaged, BackupError::Damaged { .. }), "{damaged}");
        flip();
        if recovers {
            let copy = backup::recover(&shared, COPY, "copy", COPY_PRIMARY.as_ref()).unwrap().0;
            assert_eq!(read(&copy), full);
            copy.close().unwrap();
        } else {
            check(log_until(&rig, &shared, at, &mut ()), &then);
        }
    }
}

#[test]
fn a_log_set_that_was_stopped_midway_takes_any_point_behind_its_end() {
    let (rig, shared, db) = source(2, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..300, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..50, 2);
    let early = pass(&rig);
    for n in 0..8 {
        put(&db, &mut rows, n * 200..n * 200 + 400, 3);
    }
    let (late, then) = (pass(&rig), rows.clone());
    put(&db, &mut rows, 100..400, 4);
    backup(&db, BackupKind::Log, LOG);
    restore(&shared, BAK, 1, false, false).unwrap();
    let spec = restore_spec(LOG, 1, true, true);
    let cancelled = refused(backup::restore(&shared, &spec, &mut After(3)));
    assert!(matches!(cancelled, BackupError::Cancelled), "{cancelled}");
    // Half a log set is no state that was asked for.
    let half = backup::recover(&shared, COPY, "copy", COPY_PRIMARY.as_ref());
    assert!(matches!(half.err(), Some(BackupError::NotConsistent { .. })));
    let past = refused(log_until(&rig, &shared, early, &mut ()));
    assert!(matches!(past, BackupError::StopTooEarly), "{past}");
    check(log_until(&rig, &shared, late, &mut ()), &then);
}

#[test]
fn images_of_a_set_that_was_stopped_midway_forbid_points_before_its_end() {
    let (rig, shared, db) = source(3, RecoveryModel::BulkLogged);
    let heap = make(&db, 50, 0);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..300, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..50, 2);
    let at = pass(&rig);
    put(&db, &mut rows, 0..100, 3);
    backup(&db, BackupKind::Log, "/data/early.bak");
    load(&db, heap, 2000, 7);
    backup(&db, BackupKind::Log, LOG);
    restore(&shared, BAK, 1, false, false).unwrap();
    restore(&shared, "/data/early.bak", 1, true, false).unwrap();
    let spec = restore_spec(LOG, 1, true, true);
    let cancelled = refused(backup::restore(&shared, &spec, &mut After(2)));
    assert!(matches!(cancelled, BackupError::Cancelled), "{cancelled}");
    let early = restore_spec("/data/early.bak", 1, true, true);
    let refusal = refused(backup::restore_until(&shared, &early, Some(&Stop::At(at)), &mut ()));
    assert!(matches!(refusal, BackupError::StopTooEarly), "{refusal}");
    let copy = restore(&shared, LOG, 1, true, true).unwrap().database.unwrap();
    assert_eq!(counts(&copy, heap), [(7, 2000)].into());
    assert_eq!(read(&copy), rows);
    copy.close().unwrap();
}

#[test]
fn a_log_set_with_two_recovery_paths_can_be_said_again_after_any_loss_of_power() {
    let (mut ended, mut half) = (false, 0);
    for at in 1.. {
        let (rig, shared, db) = source(2000 + at, RecoveryModel::Full);
        let mut rows = Rows::new();
        put(&db, &mut rows, 0..200, 1);
        backup(&db, BackupKind::Full, BAK);
        put(&db, &mut rows, 0..50, 2);
        backup(&db, BackupKind::Log, BAK);
        db.close().unwrap();
        restore(&shared, BAK, 1, false, false).unwrap();
        let copy = restore(&shared, BAK, 2, true, true).unwrap().database.unwrap();
        put(&copy, &mut rows, 30..260, 3);
        let set = backup(&copy, BackupKind::Log, LOG).header;
        assert_ne!(set.first_fork, set.last_fork);
        copy.close().unwrap();
        drop(copy);
        restore(&shared, BAK, 1, false, false).unwrap();
        restore(&shared, BAK, 2, true, false).unwrap();
        rig.world.crash_at(at);
        let outcome = restore(&shared, LOG, 1, true, false);
        ended = rig.world.is_powered();
        let done = outcome.is_ok();
        rig.world.restart();
        drop((outcome, db, shared));
        let shared = rig.instance();
        let state = backup::restoring(&shared, "copy", COPY_PRIMARY.as_ref()).unwrap().unwrap();
        half += u32::from(!done && state.redo_lsn > set.fork_point);
        check(restore(&shared, LOG, 1, true, true), &rows);
        if ended {
            break;
        }
    }
    assert!(ended);
    println!("{half} times the log ended behind the fork point before the step was done");
    assert!(half > 3, "{half}");
}

#[test]
fn a_moment_behind_those_of_a_clock_that_was_far_ahead_is_found() {
    let (rig, shared, db) = source(4, RecoveryModel::Full);
    let year = std::time::Duration::from_secs(365 * 86_400);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..100, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..10, 2);
    let (before, then) = (pass(&rig), rows.clone());
    rig.world.clock().advance(year);
    put(&db, &mut rows, 0..20, 3);
    rig.world.clock().set_back(year);
    put(&db, &mut rows, 0..30, 4);
    let (behind, later) = (pass(&rig), rows.clone());
    put(&db, &mut rows, 0..40, 5);
    backup(&db, BackupKind::Log, LOG);
    for (at, want) in [(before, then), (behind, later)] {
        restore(&shared, BAK, 1, false, false).unwrap();
        check(log_until(&rig, &shared, at, &mut ()), &want);
    }
    // The next log set begins behind them, and may be stopped at a moment like any other.
    put(&db, &mut rows, 0..50, 6);
    let (at, then) = (pass(&rig), rows.clone());
    put(&db, &mut rows, 0..60, 7);
    backup(&db, BackupKind::Log, "/data/next.bak");
    restore(&shared, BAK, 1, false, false).unwrap();
    restore(&shared, LOG, 1, true, false).unwrap();
    let spec = restore_spec("/data/next.bak", 1, true, true);
    check(backup::restore_until(&shared, &spec, Some(&Stop::At(at)), &mut ()), &then);
}

#[test]
fn behind_a_differential_that_broke_off_no_earlier_one_is_taken() {
    const EARLIER: &str = "/data/d1.bak";
    const LATER: &str = "/data/d2.bak";
    let (rig, shared, db) = source(1, RecoveryModel::Full);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..300, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..100, 2);
    backup(&db, BackupKind::Differential, EARLIER);
    put(&db, &mut rows, 50..1200, 3);
    backup(&db, BackupKind::Differential, LATER);
    let chunk = piece_of_log(&rig, LATER);
    let flip = || rig.world.flip_bit(LATER.as_ref(), chunk as u64 + 5000, 3).unwrap();
    restore(&shared, BAK, 1, false, false).unwrap();
    flip();
    let damaged = refused(restore(&shared, LATER, 1, false, false));
    assert!(matches!(damaged, BackupError::Damaged { .. }), "{damaged}");
    flip();
    // Its pages are there: the earlier one would leave some of them ahead of the log.
    let early = refused(restore(&shared, EARLIER, 1, false, true));
    assert!(matches!(early, BackupError::LogTooEarly { .. }), "{early}");
    check(restore(&shared, LATER, 1, false, true), &rows);
}

#[test]
fn behind_images_of_another_recovery_path_no_differential_is_taken() {
    const PATH: &str = "/data/path.bak";
    let (_rig, shared, db) = source(6, RecoveryModel::BulkLogged);
    let heap = make(&db, 50, 0);
    let mut rows = Rows::new();
    put(&db, &mut rows, 0..300, 1);
    backup(&db, BackupKind::Full, BAK);
    put(&db, &mut rows, 0..50, 2);
    backup(&db, BackupKind::Log, BAK);
    // A copy goes another way from here, and fills pages that its log backup has as images.
    restore(&shared, BAK, 1, false, false).unwrap();
    let copy = restore(&shared, BAK, 2, true, true).unwrap().database.unwrap();
    load(&copy, heap, 2000, 7);
    let images = backup(&copy, BackupKind::Log, LOG).header;
    copy.close().unwrap();
    // The database itself goes on for longer, and knows nothing of them.
    for n in 0..6 {
        put(&db, &mut rows, n * 300..n * 300 + 900, 3);
    }
    let differential = backup(&db, BackupKind::Differential, PATH).header;
    assert!(differential.last_lsn > images.last_lsn, "its end alone does not forbid it");
    restore(&shared, BAK, 1, false, false).unwrap();
    restore(&shared, BAK, 2, true, false).unwrap();
    let cancelled =
        refused(backup::restore(&shared, &restore_spec(LOG, 1, true, true), &mut After(2)));
    assert!(matches!(cancelled, BackupError::Cancelled), "{cancelled}");
    let state = backup::restoring(&shared, "copy", COPY_PRIMARY.as_ref()).unwrap().unwrap();
    assert!(state.redo_lsn <= images.fork_point, "the log is still on both paths");
    let other = refused(restore(&shared, PATH, 1, false, true));
    assert!(matches!(other, BackupError::WrongFork), "{other}");
    // Their own path goes on, and before they came the differential would have.
    let copy = restore(&shared, LOG, 1, true, true).unwrap().database.unwrap();
    assert_eq!(counts(&copy, heap), [(7, 2000)].into());
    copy.close().unwrap();
    restore(&shared, BAK, 1, false, false).unwrap();
    restore(&shared, BAK, 2, true, false).unwrap();
    check(restore(&shared, PATH, 1, false, true), &rows);
}
