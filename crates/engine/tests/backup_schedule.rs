//! Backups by a schedule, with a clock that the test moves.

mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use support::connect;
use support::sim::{start, world};
use taffrail_engine::instance::BackupSchedule;
use taffrail_engine::metrics::Figure;
use taffrail_engine::{Instance, InstanceOptions};
use taffrail_io::sim::{SimOptions, SimWorld};

/// Lets minutes go by, and looks what is due.
fn after(world: &SimWorld, instance: &Arc<Instance>, minutes: u64) {
    world.clock().advance(Duration::from_secs(minutes * 60));
    instance.run_due_backups().expect("the schedule is readable");
}

/// The runs that are there: type, and the error if it failed.
const RUNS: &str =
    "SELECT type + ISNULL(CONVERT(varchar(10), error_number), '') FROM msdb.taffrail.backup_run
    WHERE database_name = 'd' ORDER BY run_id";

fn runs(c: &mut support::Client) -> String {
    c.rows(RUNS).replace('\n', "")
}

fn files(world: &SimWorld) -> usize {
    world.env().disk.list(Path::new("/data/backup")).map_or(0, |l| l.len())
}

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
    assert_eq!(runs(&mut c), "DL3013D");
    let failures =
        |instance: &Arc<Instance>| figure(instance, "taffrail_scheduled_backup_failures", "");
    assert_eq!(failures(&instance), Some(1.0));
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DL3013DL");
    // Somebody else's full backup takes the place of the base.
    c.ok("BACKUP DATABASE d TO DISK = 'other.bak' WITH COPY_ONLY");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DL3013DL", "a copy is no base");
    c.ok("BACKUP DATABASE d TO DISK = 'other.bak'");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLD", "the third chain drives out the first");
    // A full backup that fails is tried again after five minutes.
    c.ok("EXEC msdb.taffrail.set_backup_schedule @database_name = 'd', @full_minutes = 10, @directory = '/elsewhere'");
    after(&world, &instance, 10);
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), "DLDD3013");
    c.ok("EXEC msdb.taffrail.set_backup_schedule @database_name = 'd', @full_minutes = 10");
    after(&world, &instance, 5);
    assert!(runs(&mut c).ends_with("D3013D"), "{}", runs(&mut c));
    drop(c);
    instance.shutdown().expect("an orderly end");
}

/// A figure of /metrics, of the backups of this type if one is named.
fn figure(instance: &Instance, name: &str, kind: &str) -> Option<f64> {
    let families = taffrail_engine::metrics::families(instance);
    let family = families.iter().find(|f| f.name == name)?;
    let is = |s: &&taffrail_engine::metrics::Sample| {
        kind.is_empty() || s.labels.iter().any(|l| l.1 == kind)
    };
    match family.samples.iter().find(is)?.figure {
        Figure::Value(value) => Some(value),
        _ => None,
    }
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
    let instance = Instance::start(options).expect("a first start");
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
