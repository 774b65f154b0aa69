//! Backups by a schedule, with a clock that the test moves.

use crate::support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use support::connect;
use support::schedule::{after, figure, files, runs, with_a_chain};
use support::sim::{start, world};
use taffrail_engine::BackupSchedule;
use taffrail_engine::{Instance, InstanceOptions};
use taffrail_io::sim::SimOptions;

#[test]
fn backups_are_taken_when_they_are_due_and_old_chains_go() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d; ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE d.dbo.t (a int)");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "", "nobody has asked for one");
    c.ok("EXEC msdb.taffrail.set_backup_schedule @database_name = 'd', @full_minutes = 120, @differential_minutes = 60,
        @log_minutes = 15, @keep_chains = 2");
    after(&world, &instance, 0);
    assert_eq!(runs(&mut c), "D", "there was none");
    after(&world, &instance, 14);
    assert_eq!(runs(&mut c), "D");
    let mut expected = String::from("D");
    for (minutes, what) in [(1, "L"), (15, "L"), (15, "L"), (15, "IL"), (15, "L"), (45, "D")] {
        c.ok("INSERT d.dbo.t VALUES (1)");
        after(&world, &instance, minutes);
        expected += what;
        assert_eq!(runs(&mut c), expected, "after {minutes} minutes");
    }
    assert_eq!(files(&world), expected.len());
    assert_eq!(
        c.rows("SELECT DISTINCT has_backup_checksums, is_copy_only FROM msdb.dbo.backupset WHERE database_name = 'd'"),
        "1 | 0"
    );
    // Two chains stay: the first one goes when the third has begun.
    after(&world, &instance, 15);
    after(&world, &instance, 120);
    assert_eq!(runs(&mut c), "DLD");
    assert_eq!(files(&world), 3);
    // A start goes on where the last run has ended.
    drop(c);
    instance.shutdown().expect("an orderly end");
    let instance = start(&world).expect("a second start");
    let mut c = connect(&instance);
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLD");
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DLDL");
    // SIMPLE has no log to back up; a schedule that is switched off does nothing, one that is removed neither.
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE");
    after(&world, &instance, 20);
    assert_eq!(runs(&mut c), "DLDL");
    c.ok("EXEC msdb.taffrail.set_backup_schedule @database_name = 'd', @full_minutes = 1, @is_enabled = 0");
    after(&world, &instance, 500);
    assert_eq!(runs(&mut c), "DLDL");
    c.ok("EXEC msdb.taffrail.remove_backup_schedule 'd'");
    after(&world, &instance, 500);
    assert_eq!(runs(&mut c), "DLDL");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn what_cannot_be_gone_on_with_is_followed_by_a_full_backup() {
    let world = world(2, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d; ALTER DATABASE d SET RECOVERY FULL");
    c.ok("EXEC msdb.taffrail.set_backup_schedule @database_name = 'd', @full_minutes = 10000, @log_minutes = 15");
    after(&world, &instance, 0);
    // The chain is broken by a change of the model: the log backup fails.
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE; ALTER DATABASE d SET RECOVERY FULL");
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DL4214D");
    let failures =
        |instance: &Arc<Instance>| figure(instance, "taffrail_scheduled_backup_failures", "");
    assert_eq!(failures(&instance), Some(1.0));
    let why = "SELECT error_message FROM msdb.taffrail.backup_run WHERE type = 'L'";
    let said = c.rows(why);
    assert!(said.contains("no current database backup"), "the reason, and not 3013: {said}");
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DL4214DL");
    // Somebody else's full backup takes the place of the base.
    c.ok("BACKUP DATABASE d TO DISK = 'other.bak' WITH COPY_ONLY");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DL4214DL", "a copy is no base");
    c.ok("BACKUP DATABASE d TO DISK = 'other.bak'");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLD", "the third chain drives out the first");
    // A full backup that fails is tried again after five minutes.
    c.ok("EXEC msdb.taffrail.set_backup_schedule @database_name = 'd', @full_minutes = 10");
    c.ok("UPDATE msdb.taffrail.backup_schedule SET directory = '/elsewhere'");
    after(&world, &instance, 10);
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLDD3201");
    c.ok("UPDATE msdb.taffrail.backup_schedule SET directory = NULL");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLDD3201");
    after(&world, &instance, 4);
    assert!(runs(&mut c).ends_with("D3201D"), "{}", runs(&mut c));
    // At once when the schedule has been set again.
    c.ok("UPDATE msdb.taffrail.backup_schedule SET directory = '/elsewhere'");
    after(&world, &instance, 10);
    assert!(runs(&mut c).ends_with("DD3201"), "{}", runs(&mut c));
    world.clock().advance(Duration::from_secs(1));
    c.ok("EXEC msdb.taffrail.set_backup_schedule @database_name = 'd', @full_minutes = 10");
    after(&world, &instance, 0);
    // The clean-up that follows says that it may not look there (X).
    assert!(runs(&mut c).contains("D3201D"), "{}", runs(&mut c));
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_schedule_that_cannot_work_is_refused_and_a_backup_without_one_has_an_age() {
    let world = world(5, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d");
    for (arguments, why) in [
        ("'d'", "@full_minutes"),
        ("'d', @log_minutes = 15", "@full_minutes"),
        ("'nobody', 10", "nobody"),
        ("'master', 10", "system database"),
        ("'msdb', 10", "system database"),
        ("'d', 0", "@full_minutes is at least 1"),
        ("'d', NULL", "@full_minutes is at least 1"),
        ("'d', 10, @differential_minutes = -1", "@differential_minutes is at least 1"),
        ("'d', 10, @log_minutes = 0", "@log_minutes is at least 1"),
        ("'d', 10, @keep_chains = 0", "@keep_chains is at least 1"),
        ("'d', 10, @drill_minutes = 0", "@drill_minutes is at least 1"),
        ("'d', 10, @directory = '/elsewhere'", "file_roots"),
    ] {
        let said = c.run(&format!("EXEC msdb.taffrail.set_backup_schedule {arguments}"));
        assert!(said.contains(why), "{arguments}: {said}");
        assert_eq!(
            c.rows("SELECT COUNT(*) FROM msdb.taffrail.backup_schedule"),
            "0",
            "{arguments}"
        );
    }
    c.ok("EXEC msdb.taffrail.set_backup_schedule 'd', 10, @directory = 'nightly', @is_enabled = 0");
    assert!(world.env().disk.exists(Path::new("/data/backup/nightly")).unwrap());
    c.ok("EXEC msdb.taffrail.remove_backup_schedule 'd'");
    // What a hand takes counts, too, when the server looks by itself.
    c.ok("EXEC msdb.taffrail.run_backup 'd'");
    let age = || figure(&instance, "taffrail_scheduled_backup_age_seconds", "full");
    assert_eq!(age(), None);
    for _ in 0..300 {
        world.clock().advance(Duration::from_secs(11));
        std::thread::sleep(Duration::from_millis(20));
        if age().is_some() {
            break;
        }
    }
    assert!(age().is_some());
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn settings_schedule_every_user_database_and_a_drill_restores_the_newest_chain() {
    let world = world(3, SimOptions::default());
    let mut options = InstanceOptions::new("/data", world.env());
    options.max_server_memory_mb = 16;
    options.backup_schedule = Some(BackupSchedule {
        full_minutes: 1440,
        differential_minutes: Some(60),
        log_minutes: Some(15),
        keep_chains: 2,
        drill_minutes: Some(100),
        directory: None,
    });
    let instance = taffrail_engine::start(options).expect("a first start");
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d; ALTER DATABASE d SET RECOVERY FULL");
    c.ok("CREATE TABLE d.dbo.t (a int)");
    after(&world, &instance, 0);
    for minutes in [15, 45, 15, 15] {
        c.ok("INSERT d.dbo.t VALUES (1)");
        after(&world, &instance, minutes);
    }
    assert_eq!(runs(&mut c), "DLILLL");
    after(&world, &instance, 10);
    assert_eq!(
        runs(&mut c),
        "DLILLLR",
        "{}",
        c.rows("SELECT error_message FROM msdb.taffrail.backup_run")
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'd_drill'"), "0");
    assert_eq!(c.rows("SELECT COUNT(*) FROM msdb.dbo.restorehistory WHERE destination_database_name = 'd_drill'"), "5");
    world.clock().advance(Duration::from_secs(240));
    let age = |kind| {
        figure(&instance, "taffrail_scheduled_backup_age_seconds", kind).map(|s| (s / 60.0).round())
    };
    assert_eq!(
        [age("full"), age("differential"), age("log"), age("drill")],
        [Some(104.0), Some(44.0), Some(14.0), Some(4.0)]
    );
    // A chain that cannot be restored is told.
    let path = c.rows("SELECT TOP (1) path FROM msdb.taffrail.backup_run WHERE type = 'I'");
    world.env().disk.remove(Path::new(&path)).unwrap();
    let said = c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert!(said.contains("3013"), "{said}");
    assert!(runs(&mut c).ends_with("R3013"));
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'd_drill'"), "0");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn runs_that_a_wrong_clock_noted_stop_nothing() {
    let (world, instance, mut c) =
        with_a_chain(4, "@log_minutes = 15, @drill_minutes = 20000, @keep_chains = 9");
    let ahead = |c: &mut support::Client, kind: char| {
        c.ok(&format!(
            "UPDATE msdb.taffrail.backup_run SET started_utc = DATEADD(year, 9, started_utc),
                finished_utc = DATEADD(year, 9, finished_utc) WHERE type = '{kind}'"
        ));
    };
    ahead(&mut c, 'L');
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLL");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLL", "once is enough");
    ahead(&mut c, 'D');
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLLD");
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DLLDL");
    assert_eq!(figure(&instance, "taffrail_scheduled_backup_age_seconds", "full"), Some(900.0));
    c.run("EXEC msdb.taffrail.backup_drill 'd'");
    ahead(&mut c, 'R');
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLLDLRR");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLLDLRR");
    assert_eq!(figure(&instance, "taffrail_scheduled_backup_failures", ""), Some(0.0));
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_gap_in_the_chain_is_followed_by_a_full_backup() {
    let (world, instance, mut c) = with_a_chain(5, "@log_minutes = 15, @keep_chains = 9");
    c.ok("BACKUP LOG d TO DISK = 'copy.trn' WITH COPY_ONLY");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DL", "a copy makes no gap");
    c.ok("BACKUP LOG d TO DISK = 'other.trn'");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLD");
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DLDL");
    // The server ended between the backup and its note.
    c.ok("UPDATE msdb.taffrail.backup_run SET finished_utc = NULL, backup_set_id = NULL
        WHERE run_id = (SELECT MAX(run_id) FROM msdb.taffrail.backup_run)");
    after(&world, &instance, 6);
    assert_eq!(runs(&mut c), "DLDLD");
    // A drill that fails.
    let path = c.rows("SELECT TOP (1) path FROM msdb.taffrail.backup_run ORDER BY run_id DESC");
    world.env().disk.remove(Path::new(&path)).unwrap();
    c.run("EXEC msdb.taffrail.backup_drill 'd'");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLDLDR3013D");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLDLDR3013D");
    // One of the schedule has the reason.
    c.ok("EXEC msdb.taffrail.set_backup_schedule 'd', @full_minutes = 10000, @drill_minutes = 1");
    let path = c.rows("SELECT TOP (1) path FROM msdb.taffrail.backup_run ORDER BY run_id DESC");
    world.env().disk.remove(Path::new(&path)).unwrap();
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLDLDR3013DR3201");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_database_made_again_under_its_name_begins_a_chain() {
    let (world, instance, mut c) = with_a_chain(6, "@log_minutes = 15, @keep_chains = 9");
    c.ok("DROP DATABASE d; CREATE DATABASE d");
    let said = c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert!(said.contains("another database"), "{said}");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLR50000D");
    let said = c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert_eq!(runs(&mut c), "DLR50000DR", "{said}");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_drill_drops_what_drills_have_made_and_nothing_else() {
    let (world, instance, mut c) = with_a_chain(7, "@log_minutes = 15, @drill_minutes = 60");
    // One that the end of the server has cut off.
    let path = c.rows("SELECT TOP (1) path FROM msdb.taffrail.backup_run ORDER BY run_id");
    c.ok("INSERT msdb.taffrail.backup_run (database_name, type, started_utc) VALUES ('d', 'R', GETUTCDATE())");
    c.ok(&format!(
        "RESTORE DATABASE d_drill FROM DISK = '{path}' WITH NORECOVERY,
            MOVE 'd' TO 'taffrail_drill_3_1', MOVE 'd_log' TO 'taffrail_drill_3_2'"
    ));
    after(&world, &instance, 60);
    let why = "SELECT error_message FROM msdb.taffrail.backup_run WHERE type = 'R'";
    assert_eq!(runs(&mut c), "DLRLR", "{}", c.rows(why));
    assert_eq!(c.rows("SELECT COUNT(*) FROM msdb.taffrail.backup_run WHERE type = 'R' AND finished_utc IS NOT NULL"), "1");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'd_drill'"), "0");
    // One of somebody else.
    c.ok("CREATE DATABASE d_drill");
    let said = c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert!(said.contains("Database 'd_drill' already exists"), "{said}");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'd_drill'"), "1");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLRLRR50000", "the chain is none the worse for it");
    // It is a database as others are.
    c.ok("EXEC msdb.taffrail.run_due_backups @full_minutes = 10");
    assert_eq!(
        c.rows(
            "SELECT DISTINCT database_name FROM msdb.taffrail.backup_run WHERE database_name <> 'd'"
        ),
        "d_drill"
    );
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn no_chain_goes_that_may_be_the_only_good_one() {
    let (world, instance, mut c) = with_a_chain(8, "@log_minutes = 15, @keep_chains = 1");
    let full = |c: &mut support::Client| {
        c.ok("EXEC msdb.taffrail.run_backup 'd', 'D', @keep_chains = 1");
        runs(c)
    };
    // Without a drill the new one has to be readable.
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D'");
    let path = c.rows("SELECT TOP (1) path FROM msdb.taffrail.backup_run ORDER BY run_id DESC");
    world.env().disk.remove(Path::new(&path)).unwrap();
    c.run("EXEC msdb.taffrail.remove_old_chains 'd', 1");
    assert!(runs(&mut c).starts_with("DLDX3"), "{}", runs(&mut c));
    assert_eq!(full(&mut c), "D");
    // What a drill has restored stays until one has restored a newer one.
    c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert_eq!(full(&mut c), "DRD");
    assert_eq!(full(&mut c), "DRD", "beside it the newest is kept");
    assert_eq!(files(&world), 2);
    c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert_eq!(full(&mut c), "DRD");
    // While drills fail nothing goes.
    let path = c.rows("SELECT TOP (1) path FROM msdb.taffrail.backup_run ORDER BY run_id DESC");
    world.env().disk.remove(Path::new(&path)).unwrap();
    c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert_eq!(full(&mut c), "DRDR3013D");
    c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert_eq!(full(&mut c), "DRD");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_run_names_its_file_from_the_beginning() {
    let (world, instance, mut c) = with_a_chain(9, "@log_minutes = 15, @keep_chains = 1");
    c.run("EXEC msdb.taffrail.run_backup 'd', 'D', '/elsewhere'");
    let named = "SELECT COUNT(*) FROM msdb.taffrail.backup_run WHERE path LIKE '/elsewhere/d[_]%[_]3[_]full.bak'";
    assert_eq!(c.rows(named), "1");
    // A path written otherwise than the set's is that set's all the same.
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D', '/data/backup/'");
    let same = "SELECT COUNT(*) FROM msdb.taffrail.backup_run AS r
        INNER JOIN msdb.dbo.backupset AS s ON s.backup_set_id = r.backup_set_id
        INNER JOIN msdb.dbo.backupmediafamily AS f ON f.media_set_id = s.media_set_id
        WHERE r.path = f.physical_device_name";
    assert_eq!(
        c.rows(same),
        "3",
        "{}",
        c.rows("SELECT path, error_message FROM msdb.taffrail.backup_run")
    );
    // What a run that was cut off has left goes with its chain.
    c.ok("UPDATE msdb.taffrail.backup_run SET finished_utc = NULL WHERE type = 'L'");
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D', @keep_chains = 1");
    assert_eq!(
        (runs(&mut c).as_str(), files(&world)),
        ("DX22048", 1),
        "/elsewhere is refused, once"
    );
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D', @keep_chains = 1");
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("D", 1));
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_schedule_that_cannot_be_carried_out_is_a_failure() {
    let (_world, instance, mut c) = with_a_chain(10, "@log_minutes = 15");
    c.ok("USE msdb; EXEC sp_rename 'taffrail.backup_run.path', 'file', 'COLUMN'; EXEC sp_rename \
        'taffrail.backup_run.started_utc', 's', 'COLUMN'");
    taffrail_engine::run_due_backups(&instance).expect_err("there is no such column");
    assert_eq!(figure(&instance, "taffrail_scheduled_backup_failures", ""), Some(1.0));
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_database_in_emergency_is_passed_over_and_gone_on_with_later() {
    let (world, instance, mut c) = with_a_chain(31, "@log_minutes = 15");
    c.ok("ALTER DATABASE d SET EMERGENCY WITH ROLLBACK IMMEDIATE");
    after(&world, &instance, 60);
    assert_eq!(runs(&mut c), "DL", "3033 would be a failure of each round");
    let failures = figure(&instance, "taffrail_scheduled_backup_failures", "");
    assert_eq!(failures, Some(0.0));
    c.ok("ALTER DATABASE d SET ONLINE");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLL");
    drop(c);
    instance.shutdown().expect("an orderly end");
}
