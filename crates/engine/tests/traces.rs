//! Schema `taffrail`: what the rings of file I/O, flushes, growths and checkpoints tell of what a session does.

use crate::support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use support::{Client, World, connect};
use taffrail_engine::InstanceOptions;
use taffrail_io::Env;
use taffrail_io::sim::HookedDisk;

/// The rings are the process's, and instances number their databases and sessions alike: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn number(c: &mut Client, sql: &str) -> i64 {
    let said = c.rows(sql);
    said.parse().unwrap_or_else(|_| panic!("{sql}\n{said}"))
}

fn newest(c: &mut Client, view: &str) -> i64 {
    number(c, &format!("SELECT recorded FROM taffrail.trace_rings WHERE name = '{view}'"))
}

/// Durable writes of this session to the log of its database behind an entry: how many, and their bytes.
fn log_writes(c: &mut Client, after: i64) -> String {
    c.rows(&format!(
        "SELECT COUNT(*), SUM(length) FROM taffrail.io_trace WHERE sequence_number > {after} AND session_id = @@SPID
            AND operation = 'WRITE' AND is_durable = 1 AND result = 'SUCCESS' AND file_id = 2 AND database_id = DB_ID()"
    ))
}

#[test]
fn a_hundred_commits_are_a_hundred_writes_of_the_log_and_one_transaction_is_one() {
    let _alone = alone();
    let (_world, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int, b char(20) DEFAULT 'x')");
    let from = (newest(&mut c, "io_trace"), newest(&mut c, "flush_history"));
    c.ok("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 100 BEGIN INSERT t (a) VALUES (@i) SET @i += 1 END");
    let flushes = |c: &mut Client, after: i64| {
        c.rows(&format!(
            "SELECT COUNT(*), SUM(commits), MAX(commits), SUM(bytes) FROM taffrail.flush_history WHERE sequence_number > {after}
                AND session_id = @@SPID AND database_name = 'd' AND operation = 'WRITE' AND cause = 'COMMIT'"
        ))
    };
    let (writes, flushed) = (log_writes(&mut c, from.0), flushes(&mut c, from.1));
    let bytes = writes.strip_prefix("100 | ").unwrap_or_else(|| panic!("{writes}"));
    // Splits and allocations of the first page commit by themselves, within the same writes.
    let shown: Vec<&str> = flushed.split(" | ").collect();
    assert_eq!((shown[0], shown[3]), ("100", bytes), "{flushed}");
    assert!(shown[1].parse::<i64>().unwrap() >= 100, "{flushed}");

    let from = (newest(&mut c, "io_trace"), newest(&mut c, "flush_history"));
    c.ok("BEGIN TRAN DECLARE @i int = 0 WHILE @i < 100 BEGIN INSERT t (a) VALUES (@i) SET @i += 1 END COMMIT");
    let (writes, flushed) = (log_writes(&mut c, from.0), flushes(&mut c, from.1));
    assert!(writes.starts_with("1 | "), "{writes}");
    assert!(flushed.starts_with("1 | 1 | 1 | "), "{flushed}");
    // Its records are those that the log has.
    let same = format!(
        "SELECT COUNT(*) FROM taffrail.flush_history f CROSS APPLY sys.fn_dblog(f.first_lsn, f.last_lsn) l
            WHERE f.sequence_number > {} AND f.session_id = @@SPID HAVING COUNT(*) = MAX(f.records)",
        from.1
    );
    assert!(number(&mut c, &same) > 100);
    let later = "SELECT COUNT(*) FROM taffrail.io_trace WHERE start_time NOT BETWEEN DATEADD(hour, -1, SYSDATETIME()) AND SYSDATETIME()";
    assert_eq!(c.rows(later), "0");
}

#[test]
fn commits_that_wait_share_the_next_flush() {
    let _alone = alone();
    const SESSIONS: usize = 16;
    let dir = std::env::temp_dir().join(format!("taffrail-traces-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let held = Arc::new(AtomicBool::new(false));
    let hold = held.clone();
    let env = Env::os();
    let hooked = HookedDisk::new(env.disk.clone(), move |path, result| {
        while hold.load(Ordering::SeqCst) && path.ends_with("d_log.ldf") {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        result
    });
    let mut options = InstanceOptions::new(&dir, Env { disk: Arc::new(hooked), ..env });
    options.max_server_memory_mb = 64;
    let instance = taffrail_engine::start(options).unwrap();
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d");
    c.ok("USE d");
    // A row for each: nobody allocates anything, nobody waits for a lock.
    c.ok("CREATE TABLE t (a int PRIMARY KEY, b int)");
    c.ok("INSERT t SELECT value, 0 FROM GENERATE_SERIES(1, 16)");
    let clients: Vec<Client> = (0..SESSIONS)
        .map(|_| {
            let mut client = connect(&instance);
            client.ok("USE d");
            client
        })
        .collect();
    let from = newest(&mut c, "flush_history");
    held.store(true, Ordering::SeqCst);
    let threads: Vec<_> = clients
        .into_iter()
        .zip(1..)
        .map(|(mut client, n)| {
            std::thread::spawn(move || client.ok(&format!("UPDATE t SET b = 1 WHERE a = {n}")))
        })
        .collect();
    let waiting = "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE wait_type = 'WRITELOG' AND session_id > 50";
    while number(&mut c, waiting) < SESSIONS as i64 {
        std::thread::yield_now();
    }
    held.store(false, Ordering::SeqCst);
    threads.into_iter().for_each(|t| t.join().unwrap());
    let told = c.rows(&format!(
        "SELECT COUNT(*), SUM(commits), MAX(commits) FROM taffrail.flush_history WHERE sequence_number > {from} \
            AND database_name = 'd' AND commits > 0"
    ));
    let told: Vec<i64> = told.split(" | ").map(|n| n.parse().unwrap()).collect();
    // Those that found the device busy with as many writes as it takes went out together.
    assert!(
        told[0] <= 6 && told[1] == SESSIONS as i64 && told[2] >= SESSIONS as i64 / 2,
        "{told:?}"
    );
    drop(c);
    instance.shutdown().unwrap();
    let _ = std::fs::remove_dir_all(&dir);
}

#[test]
fn growths_and_checkpoints_are_told_with_their_sizes() {
    let _alone = alone();
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE");
    c.ok("CREATE TABLE t (a int, b char(8000) DEFAULT '')");
    let size = number(&mut c, "SELECT size * 8192 FROM sys.database_files WHERE file_id = 2");
    c.ok("ALTER DATABASE d MODIFY FILE (NAME = d_log, SIZE = 64MB)");
    let grown = c.rows(
        "SELECT from_bytes, to_bytes, vlfs, is_automatic, is_cancelled, file_id, file_name, session_id - @@SPID
            FROM taffrail.growth_history WHERE database_id = DB_ID() AND file_type = 'LOG'",
    );
    let vlfs = "SELECT COUNT(*) FROM sys.dm_db_log_info(NULL) WHERE vlf_begin_offset >= ";
    let vlfs = c.rows(&format!("{vlfs}{size}"));
    assert_eq!(grown, format!("{size} | 67108864 | {vlfs} | 0 | 0 | 2 | d_log | 0"));
    c.ok("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 2000 BEGIN INSERT t (a) VALUES (@i) SET @i += 1 END");
    let data = "SELECT COUNT(*), MAX(to_bytes) - (SELECT size * 8192 FROM sys.database_files WHERE file_id = 1)
        FROM taffrail.growth_history WHERE database_name = 'd' AND file_type = 'ROWS' AND is_automatic = 1 HAVING COUNT(*) > 0";
    assert!(c.rows(data).ends_with(" | 0"));
    c.ok("CHECKPOINT");
    let last = c.rows(
        "SELECT TOP 1 is_automatic, bytes - pages * 8192, CASE WHEN duration_us > 0 THEN 1 END FROM taffrail.checkpoint_history
            WHERE database_name = 'd' ORDER BY start_time DESC",
    );
    assert_eq!(last, "0 | 0 | 1");
    let rings = c.rows("SELECT name, capacity FROM taffrail.trace_rings ORDER BY name");
    assert_eq!(
        rings,
        "checkpoint_history | 1024\nflush_history | 8192\ngrowth_history | 1024\nio_trace | 16384"
    );
}

#[test]
fn the_schema_is_found_from_every_database_and_takes_nothing_from_those_who_have_one() {
    let _alone = alone();
    let (_world, mut c) = World::with_database();
    assert!(number(&mut c, "SELECT COUNT(*) FROM master.taffrail.io_trace") > 0);
    assert!(c.rows("SELECT 1 FROM taffrail.no_such_view").starts_with("Msg 208,"));
    assert_eq!(c.rows("SELECT OBJECT_ID('taffrail.io_trace', 'V') - object_id FROM sys.all_objects WHERE name = 'io_trace'"), "0");
    c.ok("CREATE SCHEMA taffrail");
    c.ok("CREATE TABLE taffrail.io_trace (mine int)");
    assert_eq!(c.rows("SELECT COUNT(mine) FROM taffrail.io_trace"), "0");
}

/// Reasons of the writes to a file of this database behind an entry, where `and` holds.
fn reasons(c: &mut Client, after: i64, and: &str) -> Vec<String> {
    let said = c.rows(&format!(
        "SELECT DISTINCT ISNULL(reason, '?') FROM taffrail.io_trace WHERE sequence_number > {after} AND database_id = DB_ID() \
            AND operation IN ('WRITE', 'ALLOCATE', 'TRUNCATE') AND {and} ORDER BY 1"
    ));
    said.lines().map(str::to_owned).collect()
}

#[test]
fn each_write_says_why() {
    let _alone = alone();
    let (_world, mut c) = World::with_database();
    let from = newest(&mut c, "io_trace");
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE; CREATE TABLE t (a int PRIMARY KEY, b char(7000))");
    let of_commits = newest(&mut c, "io_trace");
    c.ok("INSERT t VALUES (0, '')");
    let session = "session_id = @@SPID";
    assert_eq!(reasons(&mut c, of_commits, session), ["LOG_FLUSH"]);
    c.ok("ALTER DATABASE d MODIFY FILE (NAME = d_log, SIZE = 64MB)");
    let grown =
        reasons(&mut c, from, "file_id = 2 AND session_id = @@SPID AND operation = 'ALLOCATE'");
    assert_eq!(grown, ["LOG_GROWTH"]);
    c.ok("INSERT t SELECT value, 'x' FROM GENERATE_SERIES(1, 3000); CHECKPOINT; UPDATE t SET b = 'y' WHERE a % 50 = 0");
    assert_eq!(reasons(&mut c, from, "file_id = 1 AND operation = 'ALLOCATE'"), ["DATA_GROWTH"]);
    let of_checkpoint = newest(&mut c, "io_trace");
    c.ok("CHECKPOINT");
    let own = reasons(&mut c, of_checkpoint, "file_id = 1 AND session_id = @@SPID");
    assert_eq!(own, ["BOOT_PAGE", "CHECKPOINT", "DOUBLE_WRITE"]);
    // The region is where it is, and nobody else writes there.
    let region = "file_id = 1 AND offset >= 131072 AND offset < 131072 + 136 * 8192";
    assert_eq!(reasons(&mut c, of_checkpoint, region), ["DOUBLE_WRITE"]);
    assert_eq!(
        reasons(&mut c, of_checkpoint, "reason = 'DOUBLE_WRITE' AND is_durable = 0"),
        [""; 0]
    );
    // A backup is another file's write; what it flushes of the database says its own reason.
    let of_backup = newest(&mut c, "io_trace");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    let media = c.rows(&format!(
        "SELECT DISTINCT reason FROM taffrail.io_trace WHERE sequence_number > {of_backup} AND operation = 'WRITE' \
            AND physical_name LIKE '%d.bak'"
    ));
    assert_eq!(media, "BACKUP");
    // Everything that was written to a file of a database has a reason.
    let untold = format!(
        "SELECT COUNT(*) FROM taffrail.io_trace WHERE sequence_number > {from} AND reason IS NULL AND database_id IS NOT NULL \
            AND operation IN ('WRITE', 'ALLOCATE', 'TRUNCATE', 'SYNC')"
    );
    assert_eq!(c.rows(&untold), "0", "{:?}", reasons(&mut c, from, "1 = 1"));
}

#[test]
fn checkpoints_say_why_and_take_the_time_that_they_are_given() {
    let _alone = alone();
    let (world, mut c) = World::with_database();
    let reasons = "SELECT reason, is_automatic FROM taffrail.checkpoint_history WHERE database_name = 'd' ORDER BY start_time";
    assert!(c.rows(reasons).starts_with("CREATION | 0"), "{}", c.rows(reasons));
    c.ok("CREATE TABLE t (a int PRIMARY KEY, b char(7000)); INSERT t SELECT value, 'x' FROM GENERATE_SERIES(1, 400)");
    let began = std::time::Instant::now();
    c.ok("CHECKPOINT 2");
    let took = began.elapsed();
    assert!(took.as_millis() > 900 && took.as_secs() < 60, "{took:?}");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'; DECLARE @s int = 1; CHECKPOINT @s; CHECKPOINT");
    let said = c.rows(reasons);
    assert!(said.ends_with("MANUAL | 0\nBACKUP | 0\nMANUAL | 0\nMANUAL | 0"), "{said}");
    for no_time in
        ["CHECKPOINT 0", "DECLARE @s int; CHECKPOINT @s", "DECLARE @s int = -1; CHECKPOINT @s"]
    {
        assert!(c.rows(no_time).contains("Msg 1023, Level 15"), "{no_time}: {}", c.rows(no_time));
    }
    // One line for each step while the flags are on for all; the interval is set and shown.
    let lines = || {
        let all = taffrail_observe::EventRing::global().read_after(0);
        let line = |e: &&taffrail_observe::NumberedEvent| {
            matches!(&e.event, taffrail_observe::Event::CheckpointMessage { .. })
        };
        all.iter().filter(line).count()
    };
    let before = lines();
    c.ok("DBCC TRACEON (3502, 3504, -1) WITH NO_INFOMSGS; CHECKPOINT; DBCC TRACEOFF (3504, -1) WITH NO_INFOMSGS; CHECKPOINT");
    assert_eq!(lines() - before, 8 + 5);
    c.ok("DBCC TRACEOFF (3502, -1) WITH NO_INFOMSGS; CHECKPOINT");
    assert_eq!(lines() - before, 8 + 5);
    c.ok("EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
    let said = c.rows("EXEC sp_configure 'recovery interval (min)', 7; RECONFIGURE");
    assert!(!said.contains("no effect"), "{said}");
    assert_eq!(world.instance.storage().checkpoints.recovery_interval_min(), 7);
    drop(c);
    let world = world.restart();
    assert_eq!(world.instance.storage().checkpoints.recovery_interval_min(), 7, "after a restart");
}
