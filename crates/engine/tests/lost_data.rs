//! BACKUP LOG … WITH NO_TRUNCATE when the data file is gone: nothing that was committed is lost.

use crate::support;

use support::{Client, World, errors};

fn good(c: &mut Client, sql: &str) -> String {
    let said = c.rows(sql);
    assert!(errors(&said).is_empty(), "{sql}: {said}");
    said
}

/// Ends the server and takes something away before it starts again.
fn without(world: World, harm: impl FnOnce(&World)) -> World {
    world.instance.shutdown().unwrap();
    harm(&world);
    world.restart()
}

const STATE: &str = "SELECT state_desc FROM sys.databases WHERE name = 'd'";
const TAIL: &str = "BACKUP LOG d TO DISK = 'tail.bak' WITH NO_TRUNCATE, INIT, STATS = 50";

/// A database with a row in its full backup, one in its log backup (if there is to be one), and one in neither.
fn filled(c: &mut Client, log_backup: bool) {
    c.ok("CREATE DATABASE d");
    c.ok("CREATE TABLE d.dbo.t (i int PRIMARY KEY, s varchar(8000))");
    c.ok("INSERT d.dbo.t VALUES (1, 'full')");
    good(c, "BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("INSERT d.dbo.t VALUES (2, 'log')");
    if log_backup {
        good(c, "BACKUP LOG d TO DISK = 'd.bak'");
    }
    c.ok("INSERT d.dbo.t VALUES (3, REPLICATE('tail', 1500))");
    // Over several VLFs.
    c.ok("SET NOCOUNT ON DECLARE @i int = 10 WHILE @i < 600 BEGIN INSERT d.dbo.t VALUES (@i, REPLICATE('x', 7000)) SET @i += 1 END");
}

fn restored(c: &mut Client, log_backup: bool) {
    good(c, "RESTORE DATABASE d FROM DISK = 'd.bak' WITH NORECOVERY, REPLACE");
    if log_backup {
        good(c, "RESTORE LOG d FROM DISK = 'd.bak' WITH FILE = 2, NORECOVERY");
    }
    good(c, "RESTORE LOG d FROM DISK = 'tail.bak' WITH RECOVERY");
    assert_eq!(
        c.rows("SELECT COUNT(*), MAX(i) FROM d.dbo.t SELECT LEN(s) FROM d.dbo.t WHERE i = 3"),
        "593 | 599\n6000"
    );
    assert_eq!(c.rows(STATE), "ONLINE");
    assert_eq!(c.rows("DBCC CHECKDB (d) WITH NO_INFOMSGS"), "");
}

#[test]
fn a_lost_data_file_loses_nothing_that_was_committed() {
    for log_backup in [true, false] {
        let world = World::new();
        filled(&mut world.connect(), log_backup);
        let world = without(world, |w| std::fs::remove_file(w.dir.join("d.mdf")).unwrap());
        let mut c = world.connect();
        assert_eq!(c.rows(STATE), "RECOVERY_PENDING");
        // Without NO_TRUNCATE, and with an option that needs what is lost, it is refused.
        assert_eq!(errors(&c.rows("BACKUP LOG d TO DISK = 'tail.bak'")), [945, 3013]);
        assert_eq!(errors(&c.rows(&format!("{TAIL}, NORECOVERY")))[0], 40510);
        let said = good(&mut c, TAIL);
        assert!(
            said.contains("50 percent processed") && said.contains("BACKUP LOG successfully"),
            "{said}"
        );
        assert_eq!(c.rows(STATE), "RECOVERY_PENDING", "nothing has changed");
        let fork = "SELECT TOP 1 type, is_copy_only, has_incomplete_metadata, begins_log_chain FROM \
            msdb.dbo.backupset ORDER BY backup_set_id DESC";
        assert_eq!(c.rows(fork), format!("L | 1 | 1 | {}", u8::from(!log_backup)));
        assert!(good(&mut c, "RESTORE VERIFYONLY FROM DISK = 'tail.bak'").contains("is valid"));
        // Again: it lets nothing go.
        good(&mut c, TAIL);
        restored(&mut c, log_backup);
    }
}

#[test]
fn a_damaged_data_file_is_the_same() {
    let world = World::new();
    filled(&mut world.connect(), true);
    let world = without(world, |w| {
        let path = w.dir.join("d.mdf");
        let len = std::fs::metadata(&path).unwrap().len();
        std::fs::write(path, vec![0xa5; len as usize]).unwrap();
    });
    let mut c = world.connect();
    assert_ne!(c.rows(STATE), "ONLINE");
    good(&mut c, TAIL);
    restored(&mut c, true);
}

#[test]
fn what_the_log_cannot_give_is_refused() {
    // Minimally logged work: its pages are lost.
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, true);
    c.ok("ALTER DATABASE d SET RECOVERY BULK_LOGGED");
    c.ok("USE d SELECT * INTO copied FROM t");
    drop(c);
    let world = without(world, |w| std::fs::remove_file(w.dir.join("d.mdf")).unwrap());
    let mut c = world.connect();
    assert_eq!(errors(&c.rows(TAIL)), [4216, 3013]);
    // A log that is lost, too.
    let world = without(world, |w| std::fs::remove_file(w.dir.join("d_log.ldf")).unwrap());
    let mut c = world.connect();
    assert_eq!(errors(&c.rows(TAIL)), [4214, 3013]);
    // No backup that a log could follow.
    c.ok("CREATE DATABASE e");
    drop(c);
    let world = without(world, |w| std::fs::remove_file(w.dir.join("e.mdf")).unwrap());
    let mut c = world.connect();
    let said = c.rows("BACKUP LOG e TO DISK = 'tail.bak' WITH NO_TRUNCATE");
    assert_eq!(errors(&said), [4214, 3013]);
    assert!(!world.dir.join("backup").join("tail.bak").exists(), "nothing was written");
    // Restored over since the last backup: its recovery path is another.
    c.ok("CREATE DATABASE f");
    good(&mut c, "BACKUP DATABASE f TO DISK = 'f.bak'");
    good(&mut c, "RESTORE DATABASE f FROM DISK = 'f.bak' WITH REPLACE");
    c.ok("CREATE TABLE f.dbo.t (i int)");
    drop(c);
    let world = without(world, |w| std::fs::remove_file(w.dir.join("f.mdf")).unwrap());
    let mut c = world.connect();
    let said = c.rows("BACKUP LOG f TO DISK = 'tail.bak' WITH NO_TRUNCATE");
    assert_eq!(errors(&said), [4214, 3013]);
}

const DETAILS: &str = "SELECT TOP 1 database_name, begins_log_chain FROM msdb.dbo.backupset ORDER BY backup_set_id DESC";
const COUNT: &str = "SELECT COUNT(*) FROM d.dbo.t";

/// A database with a row in its full backup.
fn begun(c: &mut Client) {
    c.ok("CREATE DATABASE d");
    c.ok("CREATE TABLE d.dbo.t (i int PRIMARY KEY, s char(7000))");
    c.ok("INSERT d.dbo.t SELECT value, 'x' FROM GENERATE_SERIES(1, 50)");
    good(c, "BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("INSERT d.dbo.t VALUES (51, 'x')");
}

fn without_data(world: World) -> World {
    without(world, |w| std::fs::remove_file(w.dir.join("d.mdf")).unwrap())
}

#[test]
fn minimally_logged_work_that_a_later_backup_has_is_no_hindrance() {
    // The full backup, or the differential, that began another log chain.
    for second in [
        "BACKUP DATABASE d TO DISK = 'd.bak'",
        "BACKUP DATABASE d TO DISK = 'd.bak' WITH DIFFERENTIAL",
    ] {
        let world = World::new();
        let mut c = world.connect();
        begun(&mut c);
        good(&mut c, "BACKUP LOG d TO DISK = 'd.bak'");
        c.ok("ALTER DATABASE d SET RECOVERY SIMPLE");
        c.ok("USE d SELECT * INTO copied FROM t USE master");
        c.ok("ALTER DATABASE d SET RECOVERY FULL");
        good(&mut c, second);
        c.ok("INSERT d.dbo.t VALUES (52, 'x')");
        drop(c);
        let world = without_data(world);
        let mut c = world.connect();
        good(&mut c, TAIL);
        assert_eq!(c.rows(DETAILS), "d | 1");
        if second.ends_with("DIFFERENTIAL") {
            good(&mut c, "RESTORE DATABASE d FROM DISK = 'd.bak' WITH NORECOVERY, REPLACE");
        }
        good(&mut c, "RESTORE DATABASE d FROM DISK = 'd.bak' WITH FILE = 3, NORECOVERY, REPLACE");
        good(&mut c, "RESTORE LOG d FROM DISK = 'tail.bak'");
        assert_eq!(c.rows(&format!("{COUNT} SELECT COUNT(*) FROM d.dbo.copied")), "52\n51");
        assert_eq!(c.rows("DBCC CHECKDB (d) WITH NO_INFOMSGS"), "");
    }
}

#[test]
fn the_tail_follows_every_full_backup_of_the_chain_and_lists_its_files() {
    let world = World::new();
    let mut c = world.connect();
    begun(&mut c);
    good(&mut c, "BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("INSERT d.dbo.t VALUES (52, 'x')");
    drop(c);
    let world = without_data(world);
    let mut c = world.connect();
    good(&mut c, TAIL);
    let files = c.rows("RESTORE FILELISTONLY FROM DISK = 'tail.bak'");
    let names: Vec<&str> = files.lines().filter_map(|l| l.split(" | ").next()).collect();
    assert_eq!(names, ["d", "d_log"], "{files}");
    let there = world.dir.display();
    let moves = |to: &str| {
        format!("MOVE 'd' TO '{there}/{to}.mdf', MOVE 'd_log' TO '{there}/{to}_log.ldf'")
    };
    for set in 1..=2 {
        let to = format!("e{set}");
        good(
            &mut c,
            &format!(
                "RESTORE DATABASE {to} FROM DISK = 'd.bak' WITH FILE = {set}, NORECOVERY, {}",
                moves(&to)
            ),
        );
        good(
            &mut c,
            &format!("RESTORE LOG {to} FROM DISK = 'tail.bak' WITH RECOVERY, {}", moves(&to)),
        );
        assert_eq!(c.rows(&format!("SELECT COUNT(*) FROM {to}.dbo.t")), "52");
    }
}

fn copy_all(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy_all(&path, &to),
            false => drop(std::fs::copy(&path, &to).unwrap()),
        }
    }
}

/// Msdb and the log of a copy name the files of the original, which are there and have another log.
#[test]
fn the_log_of_a_copied_directory_is_the_copys() {
    let world = World::new();
    let mut c = world.connect();
    begun(&mut c);
    // Nobody but the log itself knows this one's place.
    c.ok("ALTER DATABASE d ADD LOG FILE (NAME = l2, SIZE = 16 MB)");
    drop(c);
    world.instance.shutdown().unwrap();
    let dir = world.dir.with_extension("copy");
    copy_all(&world.dir, &dir);
    let copy = World::open(dir.clone());
    // More than the first file has room for.
    copy.connect().ok("SET NOCOUNT ON DECLARE @i int = 1000 WHILE @i < 2800 BEGIN INSERT d.dbo.t VALUES (@i, 'copy') SET @i += 1 END");
    let copy = without_data(copy);
    let mut c = copy.connect();
    assert_eq!(c.rows(STATE), "RECOVERY_PENDING");
    good(&mut c, TAIL);
    let there = dir.display();
    let moves = format!("MOVE 'd' TO '{there}/e.mdf', MOVE 'd_log' TO '{there}/e_log.ldf'");
    good(&mut c, &format!("RESTORE DATABASE e FROM DISK = 'd.bak' WITH NORECOVERY, {moves}"));
    good(&mut c, "RESTORE LOG e FROM DISK = 'tail.bak'");
    assert_eq!(c.rows("SELECT COUNT(*), MAX(i) FROM e.dbo.t"), "1851 | 2799");
    drop(c);
    // Its own log lost, the original's is no substitute.
    let copy = without(copy, |w| std::fs::remove_file(w.dir.join("d_log.ldf")).unwrap());
    assert_eq!(errors(&copy.connect().rows(TAIL)), [4214, 3013]);
}

#[test]
fn a_database_by_another_name_has_its_backups_and_its_restores() {
    let world = World::new();
    let mut c = world.connect();
    begun(&mut c);
    good(&mut c, "BACKUP LOG d TO DISK = 'd.bak'");
    c.ok("ALTER DATABASE d MODIFY NAME = e");
    c.ok("INSERT e.dbo.t VALUES (52, 'x')");
    drop(c);
    let world = without_data(world);
    let mut c = world.connect();
    good(&mut c, &TAIL.replace("LOG d", "LOG e"));
    assert_eq!(c.rows(DETAILS), "e | 0");
    good(&mut c, "RESTORE DATABASE e FROM DISK = 'd.bak' WITH NORECOVERY, REPLACE");
    good(&mut c, "RESTORE LOG e FROM DISK = 'd.bak' WITH FILE = 2, NORECOVERY");
    good(&mut c, "RESTORE LOG e FROM DISK = 'tail.bak'");
    assert_eq!(c.rows("SELECT COUNT(*) FROM e.dbo.t"), "52");
    // Restored over since the last backup, under that name or one of which no backup tells.
    for name in ["d", "m"] {
        let world = World::new();
        let mut c = world.connect();
        begun(&mut c);
        if name == "m" {
            c.ok("ALTER DATABASE d MODIFY NAME = m");
        }
        good(&mut c, &format!("RESTORE DATABASE {name} FROM DISK = 'd.bak' WITH REPLACE"));
        c.ok(&format!("ALTER DATABASE {name} MODIFY NAME = e"));
        c.ok("CREATE TABLE e.dbo.more (i int)");
        drop(c);
        let world = without_data(world);
        let said = world.connect().rows(&TAIL.replace("LOG d", "LOG e"));
        assert_eq!(errors(&said), [4214, 3013], "{name}");
    }
}
