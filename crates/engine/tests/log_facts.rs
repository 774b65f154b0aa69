//! What views, functions and msdb say of the log, of transactions and of backups, held against what was done.

use crate::support;

use support::{Client, World, numbers};
use taffrail_base::SqlError;
use taffrail_engine::logfile::{self, Look, Outcome};
use taffrail_engine::{ColumnDesc, Done, EnvChange, ResultSink, ReturnValue, SinkResult};
use taffrail_types::Value;

/// A database under FULL with a table of rows of about a kilobyte, and the session in it.
fn filled(c: &mut Client, rows: u32) {
    c.ok("CREATE DATABASE d");
    c.ok("CREATE TABLE d.dbo.t (i int NOT NULL PRIMARY KEY, s varchar(1000) NOT NULL)");
    fill(c, 0, rows);
}

fn fill(c: &mut Client, from: u32, to: u32) {
    c.ok(&format!(
        "SET NOCOUNT ON BEGIN TRAN DECLARE @i int = {from}
         WHILE @i < {to} BEGIN INSERT d.dbo.t VALUES (@i, REPLICATE('x', 900)) SET @i += 1 END COMMIT"
    ));
}

#[test]
fn the_time_of_the_last_log_backup_is_known_and_kept() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 10);
    let seen =
        "SELECT CONVERT(varchar(30), log_backup_time, 121) FROM sys.dm_db_log_stats(DB_ID('d'))";
    assert_eq!(c.rows(seen), "NULL");
    c.run("BACKUP DATABASE d TO DISK = 'd.bak'");
    assert_eq!(c.rows(seen), "NULL", "a full backup is none of the log");
    c.run("BACKUP LOG d TO DISK = 'd.bak' WITH COPY_ONLY");
    assert_eq!(c.rows(seen), "NULL", "one that changes nothing");
    c.run("BACKUP LOG d TO DISK = 'd.bak'");
    let at = c.rows(seen);
    let finished = "SELECT CONVERT(varchar(30), MAX(backup_finish_date), 121) FROM msdb.dbo.backupset WHERE type = 'L'";
    assert_eq!(c.rows(finished), at);
    drop(c);
    let world = world.restart();
    let mut c = world.connect();
    assert_eq!(c.rows(seen), at, "after a restart");
    c.run("WAITFOR DELAY '00:00:00.020' BACKUP LOG d TO DISK = 'd.bak'");
    assert_ne!(c.rows(seen), at);
    assert_eq!(c.rows(seen), c.rows(finished));
}

#[test]
fn sizes_of_the_log_are_those_without_the_files_headers() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE d ON (NAME = d, FILENAME = 'd.mdf') LOG ON (NAME = d_log, FILENAME = 'd.ldf', SIZE = 1 MB)");
    c.ok("CREATE TABLE #space (name sysname, size real, used real, status int)");
    c.run("INSERT #space EXEC ('DBCC SQLPERF(LOGSPACE)')");
    assert_eq!(
        c.rows("SELECT CAST(size * 1048576 AS int) FROM #space WHERE name = 'd'"),
        "1040384"
    );
    c.ok("USE d");
    let all = "SELECT total_log_size_in_bytes, (SELECT SUM(vlf_size_mb) FROM sys.dm_db_log_info(NULL)),
          (SELECT total_log_size_mb FROM sys.dm_db_log_stats(NULL)),
          (SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Log File(s) Size (KB)' AND instance_name = 'd')
        FROM sys.dm_db_log_space_usage";
    assert_eq!(c.rows(all), "1040384 | 0.99 | 0.99 | 1016");
    // Another file has a header of its own.
    c.ok("ALTER DATABASE d ADD LOG FILE (NAME = more, FILENAME = 'more.ldf', SIZE = 1 MB)");
    let shown = c.rows(all);
    assert!(shown.starts_with("2080768 | 1.98"), "{shown}");
    assert!(shown.ends_with("| 1.98 | 2032"), "{shown}");
}

#[test]
fn a_transaction_has_a_row_for_each_database_and_all_its_lsns() {
    let world = World::new();
    let (mut c, mut other) = (world.connect(), world.connect());
    filled(&mut c, 10);
    c.ok("CREATE DATABASE e");
    c.ok("CREATE TABLE e.dbo.u (i int)");
    let columns = |names: &str| {
        let list: Vec<String> =
            names.split_whitespace().map(|n| format!("database_transaction_{n}")).collect();
        format!(
            "SELECT DB_NAME(t.database_id), {} FROM sys.dm_tran_database_transactions t
             JOIN sys.dm_tran_session_transactions s ON s.transaction_id = t.transaction_id
             WHERE s.session_id = 51 ORDER BY 1",
            list.join(", ")
        )
    };
    let states = columns(
        "begin_time type state log_record_count begin_lsn last_lsn next_undo_lsn last_rollback_lsn",
    );
    assert_eq!(other.rows(&states), "");
    c.ok("USE d BEGIN TRAN");
    assert_eq!(other.rows(&states), "", "it has touched nothing yet");
    c.rows("SELECT COUNT(*) FROM t SELECT COUNT(*) FROM e.dbo.u");
    let read = "| NULL | 1 | 3 | 0 | NULL | NULL | NULL | NULL";
    assert_eq!(other.rows(&states), format!("d {read}\ne {read}"));
    c.ok("INSERT t VALUES (100, 'a')");
    let lsns = columns(
        "begin_lsn last_lsn next_undo_lsn most_recent_savepoint_lsn last_rollback_lsn commit_lsn",
    );
    let shown = other.rows(&lsns);
    let cells = |shown: &str| -> Vec<String> {
        shown.lines().next().unwrap().split(" | ").map(str::to_owned).collect()
    };
    let first = cells(&shown);
    let none = "4294967295429496729565535";
    assert_eq!((&*first[4], &*first[5], &*first[6]), ("NULL", none, "NULL"), "{shown}");
    assert!(first[1] < first[2] && first[2] == first[3], "{shown}");
    assert!(shown.ends_with("e | NULL | NULL | NULL | NULL | NULL | NULL"), "{shown}");
    // A savepoint; work; back to it: rolled back to the savepoint's record, and undo would go on there.
    c.ok("SAVE TRAN here INSERT t VALUES (101, 'b') INSERT t VALUES (102, 'b')");
    let saved = cells(&other.rows(&lsns));
    assert!(saved[4] > first[2] && saved[2] > saved[4], "{saved:?}");
    c.ok("ROLLBACK TRAN here");
    let back = cells(&other.rows(&lsns));
    assert_eq!(back[5], saved[4], "{back:?}");
    assert!(back[2] > saved[2] && back[3] <= back[4], "{back:?}");
    // A statement that fails is rolled back to what came before it.
    c.ok("INSERT t VALUES (103, 'c')");
    let before = cells(&other.rows(&lsns));
    assert_eq!(
        numbers(&c.rows("INSERT t SELECT v, 'd' FROM (VALUES (104), (1)) AS x (v)")),
        [2627, 3621]
    );
    assert_eq!(cells(&other.rows(&lsns))[5], before[2]);
    c.ok("COMMIT");
    assert_eq!(other.rows(&states), "");
    // The next one has touched nothing of it.
    c.ok("BEGIN TRAN SELECT i FROM t WHERE 1 = 0");
    let shown = other.rows(&states);
    assert_eq!(shown, format!("d {read}"));
    c.ok("ROLLBACK");
    assert_eq!(other.rows(&states), "");
}

#[test]
fn records_of_bulk_work_and_of_ghosts_fill_their_columns() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 500);
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE");
    c.ok("USE d SELECT i, s INTO copied FROM t");
    let shown = c.rows(
        "SELECT TOP 1 [Bulk allocated extent count], [Bulk allocated extent ids], p.partition_id - l.[Bulk RowsetId],
                l.[Bulk AllocUnitId] - l.[AllocUnitId]
         FROM fn_dblog(NULL, NULL) l JOIN sys.partitions p ON p.object_id = OBJECT_ID('copied')
         WHERE Operation = 'LOP_BULK_EXT_ALLOCATION'",
    );
    let cells: Vec<&str> = shown.split(" | ").collect();
    let count: usize = cells[0].parse().expect(&shown);
    let ids: Vec<&str> = cells[1].split(' ').collect();
    assert!(count > 0 && ids.len() == count.min(68), "{shown}");
    assert!(ids.iter().all(|i| i.len() == 13 && i.starts_with("0001:")), "{shown}");
    assert_eq!(cells[2..], ["0", "0"], "{shown}");
    // Ghosts that are removed to make room for others.
    c.ok("CHECKPOINT DELETE t WHERE i < 100");
    c.ok("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 100 BEGIN INSERT t VALUES (@i, REPLICATE('y', 950)) SET @i += 1 END");
    let ghosts = c.rows(
        "SELECT COUNT(*), MIN([Rows Deleted]) FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_EXPUNGE_ROWS'",
    );
    let (n, least) = ghosts.split_once(" | ").expect(&ghosts);
    assert!(n == "0" || least.parse::<u32>().is_ok_and(|n| n > 0), "{ghosts}");
}

#[test]
fn msdb_tells_sizes_and_each_step_of_a_restore() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 300);
    c.run("BACKUP DATABASE d TO DISK = 'd.bak' WITH NO_COMPRESSION");
    c.run("BACKUP DATABASE d TO DISK = 'd.bak' WITH COMPRESSION, DIFFERENTIAL");
    fill(&mut c, 300, 310);
    c.run("BACKUP LOG d TO DISK = 'd.bak'");
    fill(&mut c, 310, 311);
    // A few kilobytes: compressed, they are not more.
    c.run("BACKUP LOG d TO DISK = 'd.bak' WITH COMPRESSION, COPY_ONLY");
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM msdb.dbo.backupset WHERE position = 4 AND compressed_backup_size <= backup_size"),
        "1"
    );
    assert_eq!(
        c.rows(
            "SELECT position, CASE WHEN compressed_backup_size = backup_size THEN 'same' WHEN \
            compressed_backup_size < backup_size THEN 'less' END
                FROM msdb.dbo.backupset WHERE position < 4 ORDER BY position"
        ),
        "1 | same\n2 | less\n3 | same"
    );
    // Over the database, and over what the first step has left.
    c.run("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE, NORECOVERY");
    c.run("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE, NORECOVERY");
    c.run("RESTORE DATABASE d FROM DISK = 'd.bak' WITH NORECOVERY");
    c.run("RESTORE DATABASE d FROM DISK = 'd.bak' WITH FILE = 2, NORECOVERY");
    c.run("RESTORE LOG d FROM DISK = 'd.bak' WITH FILE = 3");
    assert_eq!(
        c.rows("SELECT s.position, r.restore_type, r.replace, r.recovery FROM msdb.dbo.restorehistory r
                JOIN msdb.dbo.backupset s ON s.backup_set_id = r.backup_set_id ORDER BY restore_history_id"),
        "1 | D | 1 | 0\n1 | D | 1 | 0\n1 | D | 0 | 0\n2 | I | 0 | 0\n3 | L | 0 | 1"
    );
}

#[test]
fn stats_tell_every_so_many_percent() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 20);
    let told = |said: &str| -> Vec<u32> {
        let percent = |l: &str| {
            l.strip_suffix(" percent processed.")?.rsplit(['\n', ' ']).next()?.parse().ok()
        };
        said.lines().filter_map(percent).collect()
    };
    let tens: Vec<u32> = (1..=10).map(|n| n * 10).collect();
    for sql in [
        "BACKUP DATABASE d TO DISK = 'd.bak' WITH STATS = 10",
        "BACKUP DATABASE d TO DISK = 'd.bak' WITH STATS, DIFFERENTIAL",
        "BACKUP LOG d TO DISK = 'd.bak' WITH STATS = 10",
        "RESTORE VERIFYONLY FROM DISK = 'd.bak' WITH STATS",
        "RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE, NORECOVERY, STATS = 10",
        "RESTORE DATABASE d FROM DISK = 'd.bak' WITH FILE = 2, NORECOVERY, STATS",
        "RESTORE LOG d FROM DISK = 'd.bak' WITH FILE = 3, STATS = 10",
    ] {
        if sql.starts_with("BACKUP LOG") {
            fill(&mut c, 20, 40);
        }
        let said = c.rows(sql);
        assert_eq!(told(&said), tens, "{sql}: {said}");
    }
    let said = c.rows("BACKUP DATABASE d TO DISK = 'NUL' WITH STATS = 30");
    assert_eq!(told(&said), [30, 60, 90, 100], "{said}");
    assert_eq!(told(&c.rows("BACKUP DATABASE d TO DISK = 'NUL'")), []);
}

#[test]
fn backups_that_cannot_be_read_are_told_by_their_number_and_file() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 300);
    let stripes = "DISK = 's1.bak', DISK = 's2.bak', DISK = 's3.bak'";
    c.run(&format!("BACKUP DATABASE d TO {stripes}"));
    let file = |name: &str| world.dir.join("backup").join(name);
    std::fs::write(file("empty.bak"), b"").unwrap();
    std::fs::write(file("text.bak"), vec![b'x'; 10_000]).unwrap();
    c.run("BACKUP DATABASE d TO DISK = 'other.bak'");
    let dump = |files: &str| {
        let given = files.split(' ').count();
        let names: Vec<String> = files.split(' ').map(|f| format!("'{f}'")).collect();
        let rest = vec!["DEFAULT"; 64 - given].join(", ");
        format!(
            "SELECT COUNT(*) FROM fn_dump_dblog(NULL, NULL, 'DISK', 1, {}{}{rest})",
            names.join(", "),
            if given < 64 { ", " } else { "" }
        )
    };
    let verify = |files: &str| {
        let names: Vec<String> = files.split(' ').map(|f| format!("DISK = '{f}'")).collect();
        format!("RESTORE VERIFYONLY FROM {}", names.join(", "))
    };
    let mut check = |files: &str, number: u32, named: &str| {
        for sql in [dump(files), verify(files)] {
            let said = c.rows(&sql);
            assert_eq!(numbers(&said)[..1], [number], "{sql}: {said}");
            assert!(said.lines().next().unwrap().contains(named), "{sql}: {said}");
        }
    };
    check("none.bak", 3201, "'none.bak'");
    check("text.bak", 3241, "'text.bak'");
    check("empty.bak", 3254, "'empty.bak'");
    check("s1.bak s3.bak", 3132, "Missing: 2.");
    check("other.bak s2.bak s3.bak", 3258, "\"other.bak\"");
    check("s1.bak other.bak s3.bak", 3258, "\"other.bak\"");
    check("s1.bak none.bak s3.bak", 3201, "'none.bak'");
    for n in ["s1.bak", "s2.bak", "s3.bak"] {
        let good = std::fs::read(file(n)).unwrap();
        let mut bad = good.clone();
        let end = bad.len() - 3000;
        bad[end] ^= 1;
        std::fs::write(file(n), bad).unwrap();
        check("s1.bak s2.bak s3.bak", 3189, &format!("'{n}'"));
        std::fs::write(file(n), good).unwrap();
    }
    assert!(c.rows(&verify("s3.bak s1.bak s2.bak")).contains("is valid"));
    // A restore over a database looks at all of the media before it touches anything.
    let said = c.rows("RESTORE DATABASE d FROM DISK = 's1.bak', DISK = 's3.bak' WITH REPLACE");
    assert_eq!(numbers(&said), [3132, 3013], "{said}");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.t"), "300");
}

#[test]
fn what_is_no_log_is_called_what_it_is() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 20);
    c.run("BACKUP DATABASE d TO DISK = 'd.bak'");
    drop(c);
    world.instance.shutdown().unwrap();
    let empty = world.dir.join("empty.ldf");
    std::fs::write(&empty, b"").unwrap();
    let paths = [
        (world.dir.join("d.mdf"), "a data file"),
        (world.dir.join("backup").join("d.bak"), "a backup file"),
        (empty, "an empty file"),
        (world.dir.clone(), "a directory"),
    ];
    for (path, what) in &paths {
        for command in 0..3 {
            let mut out = Vec::new();
            let files = vec![path.clone()];
            let look = Look { env: logfile::os(), files, json: command == 1, out: &mut out };
            let done = match command {
                0 => logfile::map(look),
                1 => logfile::verify(look),
                _ => logfile::dump(look, &logfile::Selection::default()),
            };
            let said = done.map(drop).unwrap_err().to_string();
            assert!(said.contains(what) && said.contains("not a log file"), "{said}");
            assert!(said.contains(&path.display().to_string()) && out.is_empty(), "{said}");
        }
    }
    let mut out = Vec::new();
    let files = vec![world.dir.join("d_log.ldf")];
    let look = Look { env: logfile::os(), files, json: false, out: &mut out };
    assert_eq!(logfile::verify(look).unwrap(), Outcome::Sound);
}

#[test]
fn a_transaction_that_has_only_read_has_its_name() {
    let world = World::new();
    let mut c = world.connect();
    let mut other = world.connect();
    let names =
        "SELECT name FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_session_transactions s
                 ON s.transaction_id = a.transaction_id";
    for (begin, name) in [("BEGIN TRAN reader", "reader"), ("BEGIN TRAN", "user_transaction")] {
        c.ok(begin);
        assert_eq!(other.rows(names), name);
        c.ok("ROLLBACK");
    }
    c.ok("SET IMPLICIT_TRANSACTIONS ON");
    c.rows("SELECT COUNT(*) FROM msdb.dbo.backupset");
    assert_eq!(other.rows(names), "implicit_transaction");
}

#[test]
fn the_size_of_a_file_before_it_grew_is_in_the_log() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 300);
    c.ok("ALTER DATABASE d MODIFY FILE (NAME = d, SIZE = 64MB)");
    let grown =
        "SELECT COUNT(*) FROM sys.fn_dblog(NULL, NULL) WHERE Operation = 'LOP_FILE_HDR_MODIFY'";
    c.ok("USE d");
    let all = c.rows(grown);
    assert_ne!(all, "0");
    assert_eq!(c.rows(&format!("{grown} AND [Old Size] < [New Size] AND [Old Size] > 0")), all);
}

#[test]
fn loginfo_refuses_what_it_does_not_take() {
    let world = World::new();
    let mut c = world.connect();
    assert!(c.rows("DBCC LOGINFO (1, 2)").starts_with("Msg 2560,"));
    assert!(c.rows("DBCC LOGINFO (2) WITH TABLERESULTS, BLA").starts_with("Msg 102,"));
    assert!(!c.rows("DBCC LOGINFO (2) WITH TABLERESULTS, NO_INFOMSGS").contains("Msg"));
}

/// A client that hears its first row of progress and then nothing, until it is let go.
struct Deaf {
    ready: Option<std::sync::mpsc::Sender<()>>,
    wait: std::sync::mpsc::Receiver<()>,
    heard: support::Heard,
}

impl ResultSink for Deaf {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.heard.columns(columns)
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        self.heard.row(values)
    }

    fn message(&mut self, message: &SqlError) -> SinkResult {
        if let Some(ready) = self.ready.take() {
            ready.send(()).expect("somebody waits");
            // An error: it was let go.
            let _ = self.wait.recv();
        }
        self.heard.message(message)
    }

    fn done(&mut self, done: Done) -> SinkResult {
        self.heard.done(done)
    }

    fn return_status(&mut self, status: i32) -> SinkResult {
        self.heard.return_status(status)
    }

    fn return_value(&mut self, value: ReturnValue) -> SinkResult {
        self.heard.return_value(value)
    }

    fn env_change(&mut self, change: EnvChange) -> SinkResult {
        self.heard.env_change(change)
    }
}

/// A backup stands still in the middle while others try to take its database away.
#[test]
fn a_running_backup_uses_its_database() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 300);
    c.ok("USE master; BACKUP DATABASE d TO DISK = 'd.bak' WITH INIT");
    let backing_up = world.connect();
    let id = c.rows("SELECT DB_ID('d')").parse().unwrap();
    let session = backing_up.connection.session_id();
    let instance = &world.instance;
    let entry = instance.sessions().into_iter().find(|s| s.id == session).unwrap();
    assert!(!entry.uses(taffrail_base::DatabaseId(id)));
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (ready, is_ready) = std::sync::mpsc::channel::<()>();
    let running = std::thread::spawn(move || {
        let mut deaf = Deaf { ready: Some(ready), wait, heard: support::Heard::default() };
        let mut backing_up = backing_up;
        let sql = "BACKUP DATABASE d TO DISK = 'e.bak' WITH INIT, STATS = 1";
        backing_up.connection.execute_batch(sql, &mut deaf);
        deaf.heard.text()
    });
    is_ready.recv().unwrap();
    assert!(entry.uses(taffrail_base::DatabaseId(id)));
    let said = c.rows("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE");
    assert!(said.starts_with("Msg 3101,"), "{said}");
    assert!(c.rows("DROP DATABASE d").starts_with("Msg 3702,"));
    assert!(c.rows("ALTER DATABASE d SET OFFLINE WITH NO_WAIT").starts_with("Msg 5070,"));
    drop(go);
    let said = running.join().unwrap();
    assert!(said.contains("Msg 3014,"), "{said}");
    assert!(!entry.uses(taffrail_base::DatabaseId(id)));
    c.ok("DROP DATABASE d");
}

#[test]
fn the_log_of_a_restored_database_is_sound() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 300);
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    fill(&mut c, 300, 400);
    c.ok("BACKUP LOG d TO DISK = 'd.bak'");
    c.ok("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE, NORECOVERY");
    c.ok("RESTORE LOG d FROM DISK = 'd.bak' WITH FILE = 2");
    fill(&mut c, 400, 410);
    // The first block of the log is where the VLF says.
    assert_eq!(
        c.rows("SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID('d')) WHERE vlf_first_lsn LIKE '%:00000010:0001'"),
        "0"
    );
    world.instance.shutdown().unwrap();
    let mut out = Vec::new();
    let files = vec![world.dir.join("d_log.ldf")];
    let look = Look { env: logfile::os(), files, json: false, out: &mut out };
    let verdict = logfile::verify(look);
    let said = String::from_utf8_lossy(&out);
    assert!(matches!(verdict, Ok(Outcome::Sound)), "{said}");
}

#[test]
fn a_restore_that_did_not_end_is_told_by_recovery() {
    let world = World::new();
    let mut c = world.connect();
    filled(&mut c, 50);
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE, NORECOVERY");
    // What a kill in the middle leaves: nothing yet, or a file without its header.
    let primary = world.dir.join("d.mdf");
    let whole = std::fs::read(&primary).unwrap();
    std::fs::write(&primary, vec![0; whole.len()]).unwrap();
    assert_eq!(numbers(&c.rows("RESTORE DATABASE d WITH RECOVERY")), [4333, 3013]);
    std::fs::remove_file(&primary).unwrap();
    assert_eq!(numbers(&c.rows("RESTORE DATABASE d WITH RECOVERY")), [4333, 3013]);
    c.ok("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE");
}

#[test]
fn a_shrink_that_stops_above_its_target_says_so_at_once() {
    let world = World::new();
    let mut c = world.connect();
    c.ok("CREATE DATABASE d; ALTER DATABASE d MODIFY FILE (NAME = d_log, SIZE = 40MB)");
    c.ok("ALTER DATABASE d MODIFY FILE (NAME = d_log, SIZE = 72MB)");
    c.ok("USE d");
    // The last VLF goes; the one before it has the target in its middle.
    for _ in 0..2 {
        let said = c.rows("DBCC SHRINKFILE (d_log, 20)");
        assert!(said.contains("requested size (20480KB)"), "{said}");
    }
}

#[test]
fn a_shrink_is_no_part_of_a_transaction() {
    let (_world, mut c) = World::with_database();
    for (what, name) in [("FILE (2, 1)", "shrinkfile"), ("DATABASE (d)", "shrinkdatabase")] {
        let said = c.rows(&format!("BEGIN TRAN DBCC SHRINK{what}"));
        assert_eq!(numbers(&said), [8920], "{said}");
        assert!(said.contains(&format!("Cannot perform a {name} operation")), "{said}");
        c.ok(&format!("ROLLBACK DBCC SHRINK{what} WITH NO_INFOMSGS"));
    }
}

#[test]
fn a_shrink_is_counted_once_however_many_steps_it_takes() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE");
    c.ok("ALTER DATABASE d MODIFY FILE (NAME = d_log, SIZE = 80MB)");
    // The head goes to where it is in the way, with free VLFs before and behind it.
    c.ok("CREATE TABLE t (v char(4000)); DECLARE @i int = 0; WHILE @i < 20 BEGIN \
          INSERT t SELECT TOP (400) 'x' FROM sys.all_columns; DELETE t; CHECKPOINT; SET @i += 1 END");
    let count = "SELECT cntr_value FROM sys.dm_os_performance_counters \
        WHERE counter_name = 'Log Shrinks' AND instance_name = 'd'";
    assert_eq!(c.rows(count), "0");
    c.ok("DBCC SHRINKFILE (d_log, 1) WITH NO_INFOMSGS");
    assert_eq!(c.rows(count), "1");
    // Nothing is left to give back.
    c.ok("DBCC SHRINKFILE (d_log, 1) WITH NO_INFOMSGS");
    assert_eq!(c.rows(count), "1");
}
