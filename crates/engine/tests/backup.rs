//! Backups, restores and what msdb remembers of them.

use crate::support;

use std::path::PathBuf;
use support::{Client, World, errors};

#[test]
fn msdb_has_the_tables_of_backups() {
    let world = World::new();
    let mut c = world.connect();
    for table in [
        "backupset",
        "backupmediaset",
        "backupmediafamily",
        "backupfile",
        "backupfilegroup",
        "restorehistory",
        "restorefile",
        "restorefilegroup",
        "logmarkhistory",
    ] {
        assert_eq!(c.rows(&format!("SELECT COUNT(*) FROM msdb.dbo.{table}")), "0", "{table}");
    }
    c.ok("INSERT msdb.dbo.backupmediaset (name) VALUES ('m')
          INSERT msdb.dbo.backupset (backup_set_uuid, media_set_id, database_name, backup_finish_date)
          VALUES (NEWID(), 1, 'd', '20200101')
          EXEC msdb.dbo.sp_delete_backuphistory @oldest_date = '20190101'");
    assert_eq!(c.rows("SELECT database_name FROM msdb.dbo.backupset"), "d");
    // A directory that has lost a table (or comes from a version without it) gets it again.
    c.ok("DROP TABLE msdb.dbo.restorefile");
    drop(c);
    let world = world.restart();
    let mut c = world.connect();
    assert_eq!(c.rows("SELECT COUNT(*) FROM msdb.dbo.restorefile"), "0");
    c.ok("EXEC msdb.dbo.sp_delete_backuphistory @oldest_date = '20210101'");
    assert_eq!(c.rows("SELECT COUNT(*) FROM msdb.dbo.backupset"), "0");
    assert_eq!(c.rows("SELECT COUNT(*) FROM msdb.dbo.backupmediaset"), "0");
}

/// A database with a table of `n` rows.
fn sales(c: &mut Client, n: u32) {
    c.ok("CREATE DATABASE Sales");
    c.ok("CREATE TABLE Sales.dbo.t (i int IDENTITY PRIMARY KEY, s varchar(200) NOT NULL, KEY_ int NULL)");
    c.ok("CREATE INDEX ix ON Sales.dbo.t (KEY_)");
    grow(c, n);
}

fn grow(c: &mut Client, n: u32) {
    c.ok(&format!(
        "SET NOCOUNT ON BEGIN TRAN DECLARE @i int = 0
         WHILE @i < {n} BEGIN INSERT Sales.dbo.t (s, KEY_) VALUES (REPLICATE('x', 150), @i * 7 % 31) SET @i = @i + 1 END COMMIT"
    ));
}

fn sum(c: &mut Client, database: &str) -> String {
    c.rows(&format!(
        "SELECT COUNT(*), MIN(i), MAX(i), SUM(KEY_), SUM(LEN(s)) FROM {database}.dbo.t
         SELECT COUNT(*) FROM {database}.dbo.t WHERE KEY_ = 5"
    ))
}

#[test]
fn a_chain_of_backups_becomes_another_database() {
    let world = World::new();
    let mut c = world.connect();
    sales(&mut c, 300);
    c.ok("BACKUP DATABASE Sales TO DISK = 'chain.bak' WITH INIT, NAME = N'full', STATS = 25");
    grow(&mut c, 200);
    c.ok("BACKUP LOG Sales TO DISK = 'chain.bak'");
    c.ok("UPDATE Sales.dbo.t SET s = REPLICATE('y', 40) WHERE i % 3 = 0");
    c.ok("BACKUP DATABASE Sales TO DISK = 'chain.bak' WITH DIFFERENTIAL");
    grow(&mut c, 100);
    c.ok("DECLARE @db sysname = N'Sales', @f nvarchar(100) = N'chain.bak', @n nvarchar(10) = N'second'
          BACKUP LOG @db TO DISK = @f WITH NAME = @n, CHECKSUM");
    c.ok("DELETE Sales.dbo.t WHERE i BETWEEN 50 AND 90 CREATE TABLE Sales.dbo.late (a int) INSERT Sales.dbo.late VALUES (1)");
    c.ok("BACKUP LOG Sales TO DISK = 'chain.bak'");
    let expected = sum(&mut c, "Sales");
    // What came after the last backup is not in it.
    c.ok("DELETE Sales.dbo.t WHERE i > 400");
    let kinds =
        "SELECT position, type, name, is_copy_only FROM msdb.dbo.backupset ORDER BY backup_set_id";
    assert_eq!(
        c.rows(kinds),
        "1 | D | full | 0\n2 | L | NULL | 0\n3 | I | NULL | 0\n4 | L | second | 0\n5 | L | NULL | 0"
    );
    // The chain has no holes.
    assert_eq!(
        c.rows(
            "SELECT COUNT(*) FROM msdb.dbo.backupset a JOIN msdb.dbo.backupset b
             ON a.type = 'L' AND b.type = 'L' AND a.last_lsn = b.first_lsn"
        ),
        "2"
    );
    let with = "MOVE 'Sales' TO 'Copy.mdf', MOVE 'Sales_log' TO 'Copy_log.ldf', NORECOVERY";
    for route in [&[2, 4, 5][..], &[3, 4, 5], &[3, 5][..1]] {
        let said = c.rows(&format!(
            "RESTORE DATABASE Copy FROM DISK = 'chain.bak' WITH {with}, STATS = 50"
        ));
        assert!(errors(&said).is_empty(), "{said}");
        assert!(said.contains("RESTORE DATABASE successfully processed"), "{said}");
        assert_eq!(c.rows("SELECT state_desc FROM sys.databases WHERE name = 'Copy'"), "RESTORING");
        assert_eq!(errors(&c.rows("USE Copy")), [927]);
        for (at, position) in route.iter().enumerate() {
            let verb = if *position == 3 { "DATABASE" } else { "LOG" };
            let end = if at + 1 == route.len() { "RECOVERY" } else { "NORECOVERY" };
            c.ok(&format!(
                "RESTORE {verb} Copy FROM DISK = 'chain.bak' WITH FILE = {position}, {end}"
            ));
        }
        if route.len() > 1 {
            assert_eq!(sum(&mut c, "Copy"), expected, "{route:?}");
            assert_eq!(c.rows("SELECT a FROM Copy.dbo.late"), "1");
        }
        // It is a database like any other.
        c.ok("INSERT Copy.dbo.t (s) VALUES ('new') BACKUP DATABASE Copy TO DISK = 'NUL'");
        c.ok("DROP DATABASE Copy");
        assert!(!world.dir.join("Copy.mdf").exists());
    }
    let history = "SELECT restore_type, recovery, replace FROM msdb.dbo.restorehistory ORDER BY restore_history_id";
    assert_eq!(
        c.rows(history).lines().take(4).collect::<Vec<_>>(),
        ["D | 0 | 0", "L | 0 | 0", "L | 0 | 0", "L | 1 | 0"]
    );
}

#[test]
fn a_restoring_database_survives_a_restart_and_cannot_be_used() {
    let world = World::new();
    let mut c = world.connect();
    sales(&mut c, 50);
    let expected = sum(&mut c, "Sales");
    c.ok("BACKUP DATABASE Sales TO DISK = 's.bak' WITH FORMAT");
    grow(&mut c, 10);
    // The tail: the database is RESTORING afterwards.
    assert_eq!(
        errors(&c.rows("USE Sales BACKUP LOG Sales TO DISK = 't.trn' WITH NORECOVERY")),
        [3102, 3013]
    );
    c.ok("USE master");
    let mut other = world.connect();
    other.ok("USE Sales");
    assert_eq!(errors(&c.rows("BACKUP LOG Sales TO DISK = 't.trn' WITH NORECOVERY")), [3101, 3013]);
    assert_eq!(c.rows("SELECT COUNT(*) FROM Sales.dbo.t"), "60");
    other.ok("USE master");
    let all = sum(&mut c, "Sales");
    c.ok("BACKUP LOG Sales TO DISK = 't.trn' WITH NORECOVERY");
    let state = "SELECT state, state_desc FROM sys.databases WHERE name = 'Sales'";
    assert_eq!(c.rows(state), "1 | RESTORING");
    assert_eq!(errors(&c.rows("SELECT * FROM Sales.dbo.t")), [927]);
    assert_eq!(errors(&c.rows("ALTER DATABASE Sales SET RECOVERY SIMPLE")), [5052, 5069]);
    assert_eq!(errors(&c.rows("BACKUP DATABASE Sales TO DISK = 'NUL'")), [927, 3013]);
    drop((c, other));
    let world = world.restart();
    let mut c = world.connect();
    assert_eq!(c.rows(state), "1 | RESTORING");
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM sys.master_files WHERE database_id = DB_ID('Sales') AND state_desc = 'RESTORING'"),
        "2"
    );
    // The tail itself, or nothing more, brings it back.
    c.ok("RESTORE DATABASE Sales WITH RECOVERY");
    assert_eq!(sum(&mut c, "Sales"), all);
    assert_eq!(errors(&c.rows("RESTORE DATABASE Sales WITH RECOVERY")), [3153, 3013]);
    c.ok("RESTORE DATABASE Sales FROM DISK = 's.bak' WITH REPLACE, NORECOVERY");
    c.ok("RESTORE LOG Sales FROM DISK = 't.trn'");
    assert_eq!(sum(&mut c, "Sales"), all);
    c.ok("RESTORE DATABASE Sales FROM DISK = 's.bak' WITH REPLACE");
    assert_eq!(sum(&mut c, "Sales"), expected);
    c.ok("RESTORE DATABASE Sales FROM DISK = 's.bak' WITH REPLACE, NORECOVERY DROP DATABASE Sales");
    assert!(!world.dir.join("Sales.mdf").exists() && !world.dir.join("Sales_log.ldf").exists());
}

#[test]
fn what_cannot_be_restored_is_refused_and_nothing_changes() {
    let world = World::new();
    let mut c = world.connect();
    sales(&mut c, 20);
    assert_eq!(errors(&c.rows("BACKUP LOG Sales TO DISK = 'l.trn'")), [4214, 3013]);
    assert_eq!(
        errors(&c.rows("BACKUP DATABASE Sales TO DISK = 'd.bak' WITH DIFFERENTIAL")),
        [3035, 3013]
    );
    c.ok("BACKUP DATABASE Sales TO DISK = 'f.bak'");
    for n in 1..=3 {
        grow(&mut c, 5);
        c.ok(&format!("BACKUP LOG Sales TO DISK = 'l{n}.trn'"));
    }
    let before = sum(&mut c, "Sales");
    for (statement, numbers) in [
        ("RESTORE DATABASE Sales FROM DISK = 'none.bak'", &[3201, 3013][..]),
        ("RESTORE DATABASE Sales FROM DISK = 'f.bak' WITH FILE = 2", &[4038, 3013]),
        ("RESTORE DATABASE Sales FROM DISK = 'l1.trn'", &[3135, 3013]),
        ("RESTORE LOG Sales FROM DISK = 'f.bak'", &[3135, 3013]),
        ("RESTORE LOG Sales FROM DISK = 'l1.trn'", &[3117, 3013]),
        ("RESTORE LOG Other FROM DISK = 'l1.trn'", &[3118, 3013]),
        ("RESTORE DATABASE Other FROM DISK = 'f.bak'", &[1834, 3156, 1834, 3156, 3119, 3013]),
        ("RESTORE DATABASE Other FROM DISK = 'f.bak' WITH MOVE 'x' TO 'y'", &[3234, 3013]),
        ("RESTORE DATABASE Sales FROM DISK = 'f.bak' WITH STOPAT = '2020-01-01'", &[4338, 3013]),
        ("RESTORE DATABASE Sales FROM DISK = 'f.bak' WITH STOPATMARK = 'm'", &[4340, 3013]),
        ("RESTORE DATABASE Sales FROM DISK = 'f.bak' WITH STOPAT = 'soon'", &[3217, 3013]),
        ("RESTORE DATABASE Sales FROM DISK = 'f.bak' WITH STOPATMARK = 'lsn:x'", &[4334, 3013]),
        ("RESTORE DATABASE Sales FROM DISK = 'f.bak' WITH RECOVERY, NORECOVERY", &[3031, 3013]),
        ("RESTORE DATABASE master FROM DISK = 'f.bak'", &[40510, 3013]),
        ("BEGIN TRAN BACKUP LOG Sales TO DISK = 'NUL' ROLLBACK", &[3021, 3013]),
        ("BACKUP LOG Sales WITH TRUNCATE_ONLY", &[155]),
        ("BACKUP DATABASE tempdb TO DISK = 'NUL'", &[3147, 3013]),
        ("BACKUP LOG master TO DISK = 'NUL'", &[4212, 3013]),
        ("BACKUP DATABASE nobody TO DISK = 'NUL'", &[911, 3013]),
        ("BACKUP DATABASE Sales TO device", &[3206, 3013]),
        ("BACKUP DATABASE Sales TO DISK = '/no/such/place.bak'", &[3201, 3013]),
    ] {
        assert_eq!(errors(&c.rows(statement)), numbers, "{statement}");
    }
    let live = world.dir.join("Sales.mdf").display().to_string();
    let over = format!("BACKUP DATABASE Sales TO DISK = '{live}' WITH FORMAT");
    assert_eq!(errors(&c.rows(&over)), [3201, 3013]);
    assert_eq!(sum(&mut c, "Sales"), before);
    // Work that no backup holds is not thrown away without a word.
    grow(&mut c, 5);
    assert_eq!(errors(&c.rows("RESTORE DATABASE Sales FROM DISK = 'f.bak'")), [3159, 3013]);
    // Gaps in the chain.
    c.ok("RESTORE DATABASE Other FROM DISK = 'f.bak' WITH NORECOVERY, MOVE 'Sales' TO 'o.mdf', MOVE 'Sales_log' TO 'o.ldf'");
    assert_eq!(
        errors(&c.rows("RESTORE LOG Other FROM DISK = 'l2.trn' WITH NORECOVERY")),
        [4305, 3013]
    );
    c.ok("RESTORE LOG Other FROM DISK = 'l1.trn' WITH NORECOVERY");
    c.ok("RESTORE LOG Other FROM DISK = 'l2.trn' WITH NORECOVERY");
    assert_eq!(
        errors(&c.rows("RESTORE LOG Other FROM DISK = 'l1.trn' WITH NORECOVERY")),
        [4326, 3013]
    );
    // It ends where the database stands: nothing to do.
    c.ok("RESTORE LOG Other FROM DISK = 'l2.trn' WITH NORECOVERY");
    c.ok("RESTORE LOG Other FROM DISK = 'l3.trn' WITH RECOVERY");
    assert_eq!(sum(&mut c, "Other"), before);
    // Another database's backup.
    c.ok("CREATE DATABASE Third");
    assert_eq!(errors(&c.rows("RESTORE DATABASE Third FROM DISK = 'f.bak'")), [3154, 3013]);
}

#[test]
fn a_media_tells_what_is_on_it() {
    let world = World::new();
    let mut c = world.connect();
    sales(&mut c, 100);
    c.ok("BACKUP DATABASE Sales TO DISK = 'a.bak', DISK = 'b.bak'
          WITH FORMAT, MEDIANAME = N'tapes', MEDIADESCRIPTION = N'two of them', NAME = N'n', DESCRIPTION = N'd', COMPRESSION, CHECKSUM");
    c.ok("BACKUP DATABASE Sales TO DISK = 'a.bak', DISK = 'b.bak' WITH COPY_ONLY, RETAINDAYS = 2");
    let header = c.run("RESTORE HEADERONLY FROM DISK = 'a.bak'");
    let rows: Vec<&str> = header.lines().filter(|l| l.contains(" | ")).collect();
    assert_eq!(rows.len(), 2, "{header}");
    assert!(rows[0].starts_with("n | d | 1 | NULL | 1 | 1 | 2 | sa | "), "{header}");
    assert_eq!(rows[0].split(" | ").count(), 59);
    c.ok("CREATE TABLE #l (MediaName nvarchar(128), MediaSetId uniqueidentifier, FamilyCount int, FamilySequenceNumber int,
          MediaFamilyId uniqueidentifier, MediaSequenceNumber int, MediaLabelPresent tinyint, MediaDescription nvarchar(255),
          SoftwareName nvarchar(128), SoftwareVendorId int, MediaDate datetime, Mirror_Count int, IsCompressed bit)
          INSERT #l EXEC ('RESTORE LABELONLY FROM DISK = ''b.bak''')");
    assert_eq!(
        c.rows("SELECT MediaName, FamilyCount, FamilySequenceNumber, MediaDescription, SoftwareVendorId, IsCompressed FROM #l"),
        "tapes | 2 | 2 | two of them | 4608 | 1"
    );
    let files = c.rows("RESTORE FILELISTONLY FROM DISK = 'a.bak' WITH FILE = 2");
    let files: Vec<&str> = files.lines().collect();
    assert!(
        files[0].starts_with("Sales | ") && files[0].contains("Sales.mdf | D | PRIMARY | 8388608"),
        "{files:?}"
    );
    assert!(files[1].starts_with("Sales_log | "), "{files:?}");
    let said = c.rows("RESTORE VERIFYONLY FROM DISK = 'a.bak', DISK = 'b.bak' WITH FILE = 2");
    assert!(said.contains("The backup set on file 2 is valid."), "{said}");
    assert_eq!(errors(&c.rows("RESTORE VERIFYONLY FROM DISK = 'a.bak'")), [3132, 3013]);
    // It has not expired.
    assert_eq!(
        errors(&c.rows("BACKUP DATABASE Sales TO DISK = 'a.bak', DISK = 'b.bak' WITH INIT")),
        [4030, 3013]
    );
    c.ok("BACKUP DATABASE Sales TO DISK = 'a.bak', DISK = 'b.bak' WITH INIT, SKIP");
    assert_eq!(
        c.rows("SELECT COUNT(*), COUNT(DISTINCT media_set_id) FROM msdb.dbo.backupset"),
        "3 | 1"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM msdb.dbo.backupmediafamily WHERE physical_device_name LIKE '%/backup/_.bak'"), "2");
    assert_eq!(
        c.rows("SELECT logical_name, file_type, state_desc FROM msdb.dbo.backupfile WHERE backup_set_id = 1 ORDER BY file_number"),
        "Sales | D | ONLINE\nSales_log | L | ONLINE"
    );
}

#[test]
fn every_flipped_byte_is_found() {
    let world = World::new();
    let mut c = world.connect();
    sales(&mut c, 100);
    c.ok("BACKUP DATABASE Sales TO DISK = 'v.bak' WITH FORMAT, CHECKSUM");
    let file: PathBuf = world.dir.join("backup/v.bak");
    let bytes = std::fs::read(&file).expect("the media");
    for n in 0..40 {
        let mut damaged = bytes.clone();
        // All over the file, the first and the last byte among them.
        let at = (bytes.len() - 1) * n / 39;
        damaged[at] ^= 1 << (n % 8);
        std::fs::write(&file, &damaged).expect("written");
        let said = c.rows("RESTORE VERIFYONLY FROM DISK = 'v.bak'");
        assert_eq!(
            errors(&said).last(),
            Some(&3013),
            "a flipped bit at {at} of {}: {said}",
            bytes.len()
        );
    }
    for length in [0, 1, 512, 4096, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&file, &bytes[..length]).expect("written");
        let said = c.rows("RESTORE VERIFYONLY FROM DISK = 'v.bak'");
        assert_eq!(errors(&said).last(), Some(&3013), "cut at {length}: {said}");
    }
    std::fs::write(&file, &bytes).expect("written");
    assert!(errors(&c.rows("RESTORE VERIFYONLY FROM DISK = 'v.bak'")).is_empty());
    // A damaged set restores nothing and leaves the database that is there alone.
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    std::fs::write(&file, &damaged).expect("written");
    let with = "MOVE 'Sales' TO 'c.mdf', MOVE 'Sales_log' TO 'c.ldf'";
    let said = c.rows(&format!("RESTORE DATABASE Copy FROM DISK = 'v.bak' WITH {with}"));
    assert_eq!(errors(&said).last(), Some(&3013), "{said}");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'Copy'"), "0");
    assert!(!world.dir.join("c.mdf").exists() && !world.dir.join("c.ldf").exists());
    assert_eq!(c.rows("SELECT COUNT(*) FROM Sales.dbo.t"), "100");
}

#[test]
fn log_backups_let_the_log_go() {
    let world = World::new();
    let mut c = world.connect();
    sales(&mut c, 10);
    let wait = "SELECT log_reuse_wait_desc FROM sys.databases WHERE name = 'Sales'";
    let last = "SELECT CASE WHEN last_log_backup_lsn IS NULL THEN 'none' ELSE 'some' END FROM sys.database_recovery_status
                WHERE database_id = DB_ID('Sales')";
    assert_eq!(c.rows(last), "none");
    c.ok("BACKUP DATABASE Sales TO DISK = 'NUL'");
    assert_eq!(c.rows(last), "some");
    grow(&mut c, 20_000);
    c.ok("USE Sales CHECKPOINT USE master");
    assert_eq!(c.rows(wait), "LOG_BACKUP");
    c.ok("BACKUP LOG Sales TO DISK = 'NUL' WITH COPY_ONLY");
    assert_eq!(c.rows(wait), "LOG_BACKUP");
    c.ok("BACKUP LOG Sales TO DISK = 'NUL'");
    assert_eq!(c.rows(wait), "NOTHING");
    // SIMPLE ends the chain; a full or differential backup begins another.
    c.ok("ALTER DATABASE Sales SET RECOVERY SIMPLE");
    assert_eq!(errors(&c.rows("BACKUP LOG Sales TO DISK = 'NUL'")), [4208, 3013]);
    c.ok("ALTER DATABASE Sales SET RECOVERY FULL");
    assert_eq!(errors(&c.rows("BACKUP LOG Sales TO DISK = 'NUL'")), [4214, 3013]);
    c.ok(
        "BACKUP DATABASE Sales TO DISK = 'NUL' WITH DIFFERENTIAL BACKUP LOG Sales TO DISK = 'NUL'",
    );
}

const LAST: &str =
    "SELECT CONVERT(varchar(40), last_log_backup_lsn) FROM sys.database_recovery_status
                    WHERE database_id = DB_ID('Sales')";

#[test]
fn the_log_backup_chain_goes_on_over_restarts() {
    let wait = "SELECT log_reuse_wait_desc FROM sys.databases WHERE name = 'Sales'";
    let mut world = World::new();
    let mut c = world.connect();
    sales(&mut c, 10);
    c.ok("BACKUP DATABASE Sales TO DISK = 'day.bak'");
    grow(&mut c, 8_000);
    c.ok("BACKUP LOG Sales TO DISK = 'day.bak'");
    for _ in 0..2 {
        // Several VLFs, and a checkpoint in a later one than the chain begins in.
        grow(&mut c, 12_000);
        c.ok("USE Sales CHECKPOINT USE master");
        let before = c.rows(LAST);
        assert_ne!(before, "NULL");
        assert_eq!(c.rows(wait), "LOG_BACKUP");
        drop(c);
        world = world.restart();
        c = world.connect();
        assert_eq!(c.rows(LAST), before);
        assert_eq!(c.rows(wait), "LOG_BACKUP");
        c.ok("USE Sales CHECKPOINT USE master");
        c.ok("BACKUP LOG Sales TO DISK = 'day.bak'");
        assert_eq!(c.rows(wait), "NOTHING");
    }
    let expected = sum(&mut c, "Sales");
    c.ok("RESTORE DATABASE Copy FROM DISK = 'day.bak' WITH NORECOVERY,
          MOVE 'Sales' TO 'Copy.mdf', MOVE 'Sales_log' TO 'Copy_log.ldf'
          RESTORE LOG Copy FROM DISK = 'day.bak' WITH FILE = 2, NORECOVERY
          RESTORE LOG Copy FROM DISK = 'day.bak' WITH FILE = 3, NORECOVERY
          RESTORE LOG Copy FROM DISK = 'day.bak' WITH FILE = 4");
    assert_eq!(sum(&mut c, "Copy"), expected);
    assert_eq!(c.rows("SELECT state_desc FROM sys.databases WHERE name = 'Sales'"), "ONLINE");
}

#[test]
fn damage_in_log_that_only_a_log_backup_needs_ends_the_chain_and_nothing_else() {
    let world = World::new();
    let mut c = world.connect();
    sales(&mut c, 10);
    c.ok("BACKUP DATABASE Sales TO DISK = 'old.bak'");
    grow(&mut c, 20_000);
    c.ok("USE Sales CHECKPOINT USE master");
    // The middle of a VLF, while the database is in use.
    let at = c.rows(
        "SELECT TOP (1) vlf_begin_offset + CAST(vlf_size_mb * 524288 AS bigint) / 4096 * 4096
         FROM sys.dm_db_log_info(DB_ID('Sales')) WHERE vlf_active = 1 ORDER BY vlf_sequence_number",
    );
    let file =
        std::fs::OpenOptions::new().write(true).open(world.dir.join("Sales_log.ldf")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[9; 16384], at.parse().unwrap()).unwrap();
    for with in ["", "WITH COPY_ONLY", "WITH NORECOVERY", ""] {
        let said = c.rows(&format!("BACKUP LOG Sales TO DISK = 'log.bak' {with}"));
        assert_eq!(errors(&said), [26019, 3013], "{said}");
        let state =
            "SELECT state_desc, log_reuse_wait_desc FROM sys.databases WHERE name = 'Sales'";
        assert_eq!(c.rows(state), "ONLINE | LOG_BACKUP", "nothing is given up");
    }
    grow(&mut c, 100);
    c.ok("BACKUP DATABASE Sales TO DISK = 'new.bak'");
    grow(&mut c, 100);
    c.ok("BACKUP LOG Sales TO DISK = 'new.bak'");
    let expected = sum(&mut c, "Sales");
    c.ok("RESTORE DATABASE Copy FROM DISK = 'new.bak' WITH NORECOVERY,
          MOVE 'Sales' TO 'Copy.mdf', MOVE 'Sales_log' TO 'Copy_log.ldf'
          RESTORE LOG Copy FROM DISK = 'new.bak' WITH FILE = 2");
    assert_eq!(sum(&mut c, "Copy"), expected);
}

#[test]
fn a_full_backup_heals_a_broken_chain() {
    let mut world = World::new();
    let mut c = world.connect();
    sales(&mut c, 10);
    c.ok("BACKUP DATABASE Sales TO DISK = 'old.bak'");
    grow(&mut c, 20_000);
    c.ok("USE Sales CHECKPOINT USE master");
    // The second VLF that only a log backup needs is damaged while the instance does not run.
    let at = c.rows(
        "SELECT MIN(vlf_begin_offset) FROM sys.dm_db_log_info(DB_ID('Sales')) WHERE vlf_active = 1
         AND vlf_sequence_number > (SELECT MIN(vlf_sequence_number) FROM sys.dm_db_log_info(DB_ID('Sales'))
                                    WHERE vlf_active = 1)
         AND vlf_sequence_number < (SELECT MAX(vlf_sequence_number) FROM sys.dm_db_log_info(DB_ID('Sales'))
                                    WHERE vlf_active = 1)",
    );
    let at: u64 = at.parse().unwrap();
    drop(c);
    world.instance.shutdown().unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(world.dir.join("Sales_log.ldf"));
    std::os::unix::fs::FileExt::write_all_at(&file.unwrap(), &[9; 64], at + 8192).unwrap();
    let dir = world.dir.clone();
    std::mem::forget(world);
    world = World::open(dir);
    c = world.connect();
    for _ in 0..2 {
        let said = c.rows("BACKUP LOG Sales TO DISK = 'new.bak'");
        assert_eq!(errors(&said), [4214, 3013], "{said}");
        assert_eq!(c.rows(LAST), "NULL");
    }
    c.ok("BACKUP DATABASE Sales TO DISK = 'new.bak'");
    assert_ne!(c.rows(LAST), "NULL");
    grow(&mut c, 12_000);
    c.ok("USE Sales CHECKPOINT USE master");
    drop(c);
    world = world.restart();
    c = world.connect();
    c.ok("BACKUP LOG Sales TO DISK = 'new.bak'");
    assert_eq!(c.rows("SELECT state_desc FROM sys.databases WHERE name = 'Sales'"), "ONLINE");
    let expected = sum(&mut c, "Sales");
    c.ok("RESTORE DATABASE Copy FROM DISK = 'new.bak' WITH NORECOVERY,
          MOVE 'Sales' TO 'Copy.mdf', MOVE 'Sales_log' TO 'Copy_log.ldf'
          RESTORE LOG Copy FROM DISK = 'new.bak' WITH FILE = 2");
    assert_eq!(sum(&mut c, "Copy"), expected);
}

#[test]
fn marks_are_remembered() {
    let world = World::new();
    let mut c = world.connect();
    sales(&mut c, 1);
    c.ok(
        "BEGIN TRAN month_end WITH MARK N'books closed' INSERT Sales.dbo.t (s) VALUES ('a') COMMIT
          BEGIN TRAN nothing WITH MARK COMMIT
          BEGIN TRAN undone WITH MARK INSERT Sales.dbo.t (s) VALUES ('b') ROLLBACK
          BEGIN TRAN plain WITH MARK INSERT Sales.dbo.t (s) VALUES ('c') COMMIT",
    );
    assert_eq!(
        c.rows("SELECT database_name, mark_name, description, user_name FROM msdb.dbo.logmarkhistory ORDER BY lsn"),
        "Sales | month_end | books closed | sa\nSales | plain | NULL | sa"
    );
    assert!(c.rows("BEGIN TRAN a WITH MARK BEGIN TRAN b WITH MARK ROLLBACK").contains("3920"));
}
