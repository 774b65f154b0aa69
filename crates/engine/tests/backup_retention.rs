//! Scheduled backups that stay and that go: on disks that are full, after drills that were killed, of databases that are gone.

use crate::support;

use std::path::Path;
use support::schedule::{after, figure, files, runs, with_a_chain};
use support::sim::start;
use support::{connect, numbers};
use taffrail_io::sim::SimWorld;

/// Free bytes on the disk.
fn room(world: &SimWorld) -> u64 {
    world.env().disk.space(Path::new("/data")).expect("it can be asked").available
}

#[test]
fn a_drill_that_is_killed_at_any_step_is_cleared_away_by_the_next() {
    let (mut step, mut half_made) = (0, 0);
    loop {
        step += 9;
        let (world, instance, mut c) = with_a_chain(20, "@log_minutes = 15, @keep_chains = 1");
        world.crash_at(step);
        let _ = c.try_run("EXEC msdb.taffrail.backup_drill 'd'");
        let over = world.is_powered();
        drop(c);
        // Power has failed.
        let _ = instance.shutdown();
        world.restart();
        let instance = start(&world).expect("a start after the crash");
        let mut c = connect(&instance);
        let left = "SELECT state_desc FROM sys.databases WHERE name = 'd_drill'";
        half_made += usize::from(c.rows(left) == "RESTORING");
        // It is none of those that the settings' schedule is for.
        c.ok("EXEC msdb.taffrail.run_due_backups @full_minutes = 10000");
        let said = c.run("EXEC msdb.taffrail.backup_drill 'd'");
        assert!(runs(&mut c).ends_with('R'), "step {step}: {} {said}", runs(&mut c));
        assert_eq!(c.rows(left), "", "step {step}");
        let files = world.env().disk.list(Path::new("/data")).unwrap();
        let drills = files.iter().filter(|f| f.to_string_lossy().contains("taffrail_drill_"));
        assert_eq!(drills.count(), 0, "step {step}");
        drop(c);
        instance.shutdown().expect("an orderly end");
        if over {
            break;
        }
    }
    println!("{step} steps, {half_made} copies half made");
    assert!(half_made > 3, "{half_made}");
}

#[test]
fn a_drill_that_could_not_begin_keeps_no_old_chain() {
    let (world, instance, mut c) = with_a_chain(21, "@log_minutes = 15, @keep_chains = 1");
    c.ok("CREATE DATABASE d_drill");
    c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert_eq!(runs(&mut c), "DLR50000");
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D', @keep_chains = 1");
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("D", 1));
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn chains_are_counted_from_the_newest() {
    let (world, instance, mut c) = with_a_chain(22, "@log_minutes = 15, @keep_chains = 1");
    c.run("EXEC msdb.taffrail.backup_drill 'd'");
    let proved = c.rows("SELECT path FROM msdb.taffrail.backup_run WHERE type = 'L'");
    for _ in 0..5 {
        c.ok("EXEC msdb.taffrail.run_backup 'd', 'D', @keep_chains = 2");
        c.ok("EXEC msdb.taffrail.run_backup 'd', 'L'");
    }
    // Two, and beside them the one that a drill has restored, with its log.
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("DLRDLDL", 6));
    assert!(world.env().disk.exists(Path::new(&proved)).unwrap());
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn backups_of_a_database_that_had_the_name_stay_until_told() {
    let (world, instance, mut c) = with_a_chain(23, "@log_minutes = 15, @keep_chains = 1");
    c.ok("DROP DATABASE d; CREATE DATABASE d");
    after(&world, &instance, 1);
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D', @keep_chains = 1");
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("DLD", 3), "the first d's, and the newest");
    c.ok("EXEC msdb.taffrail.remove_former_backups 'd'");
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("D", 1));
    // The background thread would take a full backup of the third database of this name.
    c.ok("EXEC msdb.taffrail.remove_backup_schedule 'd'");
    // A database that has another name now is not gone.
    c.ok("ALTER DATABASE d MODIFY NAME = e");
    c.ok("CREATE DATABASE d ON (NAME = d, FILENAME = '/data/d2.mdf') LOG ON (NAME = l, FILENAME = '/data/d2.ldf')");
    c.ok("EXEC msdb.taffrail.remove_former_backups 'd'");
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("D", 1));
    // Nor is one that is not open, whatever it is called.
    c.ok("ALTER DATABASE e SET OFFLINE");
    let said = c.run("EXEC msdb.taffrail.remove_former_backups 'd'");
    assert!(said.contains("'e'"), "{said}");
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("D", 1));
    c.ok("ALTER DATABASE e SET ONLINE; DROP DATABASE e");
    c.ok("EXEC msdb.taffrail.remove_former_backups 'd'");
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("", 0));
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn each_kind_has_its_turn_where_full_backups_come_fast() {
    let (world, instance, mut c) = with_a_chain(24, "@log_minutes = 15");
    let made = |c: &mut support::Client, kind: &str| -> usize {
        let sql = format!(
            "SELECT COUNT(*) FROM msdb.dbo.backupset WHERE type = '{kind}' AND database_name = 'd'"
        );
        c.rows(&sql).parse().unwrap()
    };
    let before = ["D", "I", "L"].map(|kind| made(&mut c, kind));
    c.ok("EXEC msdb.taffrail.set_backup_schedule 'd', @full_minutes = 1, @differential_minutes = 4, @log_minutes = 2,
        @keep_chains = 1, @drill_minutes = 6");
    for _ in 0..25 {
        c.ok("INSERT d.dbo.t VALUES (1)");
        after(&world, &instance, 1);
    }
    let after = ["D", "I", "L"].map(|kind| made(&mut c, kind));
    let drills = "SELECT COUNT(*) FROM msdb.dbo.restorehistory WHERE destination_database_name = 'd_drill' AND restore_type = 'D'";
    let drills: usize = c.rows(drills).parse().unwrap();
    let [full, differential, log] = [0, 1, 2].map(|n| after[n] - before[n]);
    println!("{full} full, {differential} differential, {log} log backups, {drills} drills");
    assert!(full >= 24 && differential >= 5 && log >= 10, "{full} {differential} {log}");
    assert!((3..=5).contains(&drills), "{drills}");
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM msdb.taffrail.backup_run WHERE error_number IS NOT NULL"),
        "0"
    );
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_backup_that_finds_no_room_leaves_none_taken_and_is_told() {
    let (world, instance, mut c) = with_a_chain(25, "@log_minutes = 15, @keep_chains = 2");
    let failures = || figure(&instance, "taffrail_scheduled_backup_failures", "");
    let fill = "SET NOCOUNT ON; DECLARE @i int = 0; BEGIN TRAN; WHILE @i < 300 BEGIN INSERT d.dbo.u VALUES ('x') SET @i += 1 END COMMIT";
    c.ok("CREATE TABLE d.dbo.u (s char(7000))");
    c.ok(fill);
    after(&world, &instance, 15);
    let used = |world: &SimWorld| u64::MAX / 2 - room(world);
    world.set_capacity(u64::MAX / 2);
    let full = (1 << 20) + used(&world);
    // A full backup has 3 MB: what has gone so far is left to others, and the chain goes on.
    world.set_capacity(full);
    let free = room(&world);
    let had = (runs(&mut c), files(&world));
    for kind in ["scheduled", "one by hand"] {
        match kind {
            "scheduled" => {
                c.ok("UPDATE msdb.taffrail.backup_schedule SET full_minutes = 1");
                after(&world, &instance, 2);
                assert_eq!(runs(&mut c), format!("{}D3202", had.0), "{kind}");
            }
            _ => assert!(c.run("BACKUP DATABASE d TO DISK = 'm.bak'").contains("3202"), "{kind}"),
        }
        assert_eq!(files(&world), had.1, "{kind}: the part is gone");
        assert!(free - room(&world) < 300 << 10, "{kind}: {free} {}", room(&world));
    }
    assert_eq!(failures(), Some(1.0));
    let why =
        c.rows("SELECT error_message FROM msdb.taffrail.backup_run WHERE error_number IS NOT NULL");
    assert!(why.contains("112"), "the reason, and not 3013: {why}");
    // Log backups have their turn beside a full one that is due and cannot be taken.
    c.ok("UPDATE msdb.taffrail.backup_schedule SET log_minutes = 1");
    after(&world, &instance, 1);
    assert_eq!(runs(&mut c), format!("{}D3202L", had.0));
    // What is added to a media that is there goes too.
    c.ok("BACKUP LOG d TO DISK = 'media.trn' WITH COPY_ONLY");
    let (two, free) = (files(&world), room(&world));
    assert!(c.run("BACKUP DATABASE d TO DISK = 'media.trn' WITH COPY_ONLY").contains("3202"));
    assert_eq!((files(&world), free - room(&world) < 300 << 10), (two, true));
    c.ok("RESTORE VERIFYONLY FROM DISK = 'media.trn' WITH FILE = 1");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn an_old_chain_goes_first_where_room_is_short() {
    let (world, instance, mut c) = with_a_chain(26, "@log_minutes = 15, @keep_chains = 2");
    let fill = "SET NOCOUNT ON; DECLARE @i int = 0; BEGIN TRAN; WHILE @i < 300 BEGIN INSERT d.dbo.u VALUES ('x') SET @i += 1 END COMMIT";
    c.ok("CREATE TABLE d.dbo.u (s char(7000))");
    c.ok(fill);
    let full = "EXEC msdb.taffrail.run_backup 'd', 'D', @keep_chains = 2";
    c.ok(full);
    c.ok(full);
    assert_eq!(runs(&mut c), "DD");
    world.set_capacity(u64::MAX / 2);
    world.set_capacity((2 << 20) + (u64::MAX / 2 - room(&world)));
    // Two chains and one more have no room, two have.
    let said = c.run(full);
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("DD", 2), "{said}");
    // What the end of the server has cut off goes before the next one.
    c.ok("DELETE msdb.dbo.backupmediafamily WHERE physical_device_name =
        (SELECT TOP (1) path FROM msdb.taffrail.backup_run ORDER BY run_id)");
    c.ok("UPDATE msdb.taffrail.backup_run SET finished_utc = NULL, started_utc = DATEADD(day, -1, started_utc)
        WHERE run_id = (SELECT MIN(run_id) FROM msdb.taffrail.backup_run)");
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D'");
    assert_eq!(files(&world), 2);
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_log_backup_that_was_cut_off_stays_until_there_is_another_chain() {
    let (world, instance, mut c) = with_a_chain(27, "@log_minutes = 15, @keep_chains = 9");
    let path = c.rows("SELECT path FROM msdb.taffrail.backup_run WHERE type = 'L'");
    let is_there = || world.env().disk.exists(Path::new(&path)).unwrap();
    // The server ended between the backup and its note.
    let cut_off = "UPDATE msdb.taffrail.backup_run SET finished_utc = NULL, backup_set_id = NULL,
        started_utc = DATEADD(day, -1, started_utc) WHERE type = 'L'";
    c.ok(cut_off);
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D'");
    let noted = "SELECT COUNT(*) FROM msdb.taffrail.backup_run
        WHERE type = 'L' AND finished_utc IS NOT NULL AND backup_set_id IS NOT NULL AND deleted_utc IS NULL";
    assert_eq!((c.rows(noted).as_str(), is_there()), ("1", true));
    // It ended before the backup was in msdb's history.
    c.ok(cut_off);
    c.ok("DELETE msdb.dbo.backupmediafamily WHERE physical_device_name LIKE '%[_]log.trn'");
    c.run("EXEC msdb.taffrail.run_backup 'd', 'D', '/elsewhere'");
    assert!(is_there(), "there is no other chain yet");
    c.ok("EXEC msdb.taffrail.run_backup 'd', 'D'");
    assert!(!is_there());
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_log_backup_without_history_belongs_to_its_chain() {
    let (world, instance, mut c) = with_a_chain(28, "@log_minutes = 15");
    let rename = |from: &str, to: &str| {
        format!("USE msdb; EXEC sp_rename 'dbo.backupset.{from}', '{to}', 'COLUMN'; USE master")
    };
    c.ok(&rename("has_bulk_logged_data", "other"));
    c.ok("INSERT d.dbo.t VALUES (2)");
    let said = c.run("EXEC msdb.taffrail.run_backup 'd', 'L'");
    assert!(numbers(&said).contains(&3009), "{said}");
    c.ok(&rename("other", "has_bulk_logged_data"));
    assert_eq!((runs(&mut c).as_str(), files(&world)), ("DLL", 3));
    let noted = "SELECT COUNT(*) FROM msdb.taffrail.backup_run WHERE error_message LIKE '3009%'";
    assert_eq!(c.rows(noted), "1");
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DLLL");
    let said = c.run("EXEC msdb.taffrail.backup_drill 'd'");
    assert_eq!(runs(&mut c), "DLLLR", "{said}");
    // The drill has told msdb of the backup: that is nobody else's, and the chain goes on.
    after(&world, &instance, 15);
    assert_eq!(runs(&mut c), "DLLLRL", "{said}");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_look_beside_backups_by_hand_takes_none_too_many() {
    let (_world, instance, mut c) = with_a_chain(29, "@log_minutes = 15");
    let mut hand = connect(&instance);
    std::thread::scope(|s| {
        let backups = s.spawn(move || {
            for _ in 0..20 {
                hand.ok("EXEC msdb.taffrail.run_backup 'd', 'D'");
                hand.ok("EXEC msdb.taffrail.run_backup 'd', 'L'");
            }
        });
        while !backups.is_finished() {
            taffrail_engine::run_due_backups(&instance).expect("the schedule is readable");
        }
    });
    assert_eq!(runs(&mut c), format!("DL{}", "DL".repeat(20)));
    drop(c);
    instance.shutdown().expect("an orderly end");
}
