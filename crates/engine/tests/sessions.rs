//! What the views show of sessions: the instance's own threads, and of users' sessions what is theirs.

use crate::support;

use std::time::{Duration, Instant};
use support::{Client, World};

/// Asks until the answer is there: threads begin and end by themselves.
fn comes_to(c: &mut Client, sql: &str, want: &str) {
    let began = Instant::now();
    while c.rows(sql) != want && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(c.rows(sql), want, "{sql}");
}

#[test]
fn the_instances_own_threads_are_sessions_up_to_fifty() {
    let w = World::new();
    let mut c = w.connect();
    // master, tempdb, model, msdb: a log writer each, and a thread that prepares the log ahead of it. The default trace and
    // system_health have the dispatcher of events.
    let of = |command: &str| {
        format!("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE command = '{command}'")
    };
    for (command, count) in [
        ("LOG WRITER", "4"),
        ("LOG AHEAD", "4"),
        ("RECOVERY WRITER", "1"),
        ("LAZY WRITER", "1"),
        ("XE DISPATCHER", "1"),
    ] {
        comes_to(&mut c, &of(command), count);
    }
    let writers = "SELECT database_id FROM sys.dm_exec_requests WHERE command = 'LOG WRITER' \
                   AND session_id BETWEEN 1 AND 50 AND status = 'background' ORDER BY database_id";
    assert_eq!(c.rows(writers), "1\n2\n3\n4");
    for (command, wait) in [("LOG WRITER", "LOGMGR_QUEUE"), ("LAZY WRITER", "LAZYWRITER_SLEEP")] {
        let waits = format!(
            "SELECT DISTINCT wait_type FROM sys.dm_exec_requests WHERE command = '{command}'"
        );
        comes_to(&mut c, &waits, wait);
        let tasks = format!(
            "SELECT COUNT(DISTINCT t.wait_type) FROM sys.dm_os_waiting_tasks t JOIN sys.dm_exec_requests r \
             ON r.session_id = t.session_id WHERE r.command = '{command}' AND t.wait_type = '{wait}'"
        );
        comes_to(&mut c, &tasks, "1");
    }
    // Scripts that ask for users see users.
    for users in [
        "SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE is_user_process = 1",
        "SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE session_id > 50",
        "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id > 50",
        "SELECT COUNT(*) FROM sys.sysprocesses WHERE spid > 50",
        "SELECT COUNT(*) FROM sys.dm_exec_connections",
    ] {
        assert_eq!(c.rows(users), "1", "{users}");
    }
    let own = "SELECT COUNT(*) FROM sys.dm_exec_sessions s JOIN sys.dm_exec_requests r ON r.session_id = s.session_id \
               WHERE s.is_user_process = 0 AND s.session_id <= 50 AND s.host_name IS NULL \
               AND s.program_name IS NULL AND s.host_process_id IS NULL AND s.login_name = 'sa' \
               AND r.start_time = s.login_time AND r.sql_handle IS NULL";
    comes_to(&mut c, own, "11");
    assert!(c.rows("EXEC sp_who").contains("LOG WRITER"));
    assert!(c.rows("EXEC sp_who2").contains("BACKGROUND"));
    assert_eq!(
        c.rows("KILL 1"),
        "Msg 6107, Level 14, State 1, Line 1: Only user processes can be killed."
    );
    // A database has its own as long as it is there.
    c.ok("CREATE DATABASE d");
    let there =
        "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE database_id > 4 AND session_id <= 50";
    comes_to(&mut c, there, "2");
    c.ok("DROP DATABASE d");
    comes_to(&mut c, there, "0");
}

#[test]
fn each_session_shows_its_own_options() {
    let w = World::new();
    let (mut a, mut b) = (w.connect(), w.connect());
    let id = a.rows("SELECT @@SPID");
    let flags = format!(
        "SELECT quoted_identifier, arithabort, ansi_null_dflt_on, ansi_defaults, ansi_warnings, ansi_padding, ansi_nulls, \
         concat_null_yields_null FROM sys.dm_exec_sessions WHERE session_id = {id}"
    );
    let values = format!(
        "SELECT text_size, language, date_format, date_first, transaction_isolation_level, lock_timeout, \
         deadlock_priority, row_count, prev_error, open_transaction_count, status \
         FROM sys.dm_exec_sessions WHERE session_id = {id}"
    );
    let defaults = "1 | 0 | 1 | 0 | 1 | 1 | 1 | 1";
    assert_eq!(b.rows(&flags), defaults);
    let fresh = "2147483647 | us_english | mdy | 7 | 2 | -1 | 0 | 1 | 0 | 0 | sleeping";
    assert_eq!(b.rows(&values), fresh);
    a.ok("SET QUOTED_IDENTIFIER OFF SET ARITHABORT OFF SET ANSI_NULLS OFF SET CONCAT_NULL_YIELDS_NULL OFF");
    assert_eq!(b.rows(&flags), "0 | 0 | 1 | 0 | 1 | 1 | 0 | 0");
    a.ok("SET ANSI_WARNINGS OFF SET ANSI_PADDING OFF SET ANSI_NULL_DFLT_ON OFF");
    assert_eq!(b.rows(&flags), "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0");
    a.ok("SET TEXTSIZE 1000 SET DATEFORMAT dmy SET DATEFIRST 1 SET LOCK_TIMEOUT 500");
    a.ok("SET DEADLOCK_PRIORITY HIGH SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    a.run("SELECT CAST('x' AS int)");
    a.ok("BEGIN TRAN SELECT name FROM (VALUES ('x'), ('y'), ('z')) AS v (name)");
    let mine = "1000 | us_english | dmy | 1 | 3 | 500 | 5 | 3 | 245 | 1 | sleeping";
    assert_eq!(b.rows(&values), mine);
    // The session itself sees what its batch has done so far.
    let so_far = "SELECT open_transaction_count, date_first FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    let batch = format!("BEGIN TRAN SET DATEFIRST 3 {so_far} COMMIT {so_far} COMMIT {so_far}");
    assert_eq!(a.rows(&batch), "2 | 3\n1 | 3\n0 | 3");
    // A procedure's options end with it.
    a.ok("CREATE PROCEDURE p AS SET DATEFIRST 5");
    a.ok("EXEC p");
    let first = format!("SELECT date_first FROM sys.dm_exec_sessions WHERE session_id = {id}");
    assert_eq!(b.rows(&first), "3");
    let mut heard = support::Heard::default();
    a.connection.reset(false, &mut heard);
    assert_eq!(b.rows(&flags), defaults);
    let reset = "2147483647 | us_english | mdy | 7 | 3 | -1 | 0 | 0 | 0 | 0 | sleeping";
    assert_eq!(b.rows(&values), reset);
    a.ok("SET ANSI_DEFAULTS ON");
    assert_eq!(b.rows(&flags), "1 | 0 | 1 | 1 | 1 | 1 | 1 | 1");
}

#[test]
fn what_a_session_did_is_counted() {
    let w = World::new();
    let (mut a, mut b) = (w.connect(), w.connect());
    let id = a.rows("SELECT @@SPID");
    let mut number = |column: &str| -> i64 {
        let sql = format!(
            "SELECT CAST({column} AS bigint) FROM sys.dm_exec_sessions WHERE session_id = {id}"
        );
        b.rows(&sql).parse().expect("a number")
    };
    a.ok("CREATE TABLE t (i int PRIMARY KEY, s char(2000) NOT NULL)");
    let before = (number("logical_reads"), number("writes"));
    a.ok("DECLARE @i int = 0 WHILE @i < 200 BEGIN INSERT t VALUES (@i, 'x') SET @i += 1 END");
    let after = (number("logical_reads"), number("writes"));
    assert!(after.0 >= before.0 + 200, "{before:?} {after:?}");
    // Four rows in a page, and none of them was there before.
    assert!((40..400).contains(&(after.1 - before.1)), "{before:?} {after:?}");
    let scanned = "SELECT COUNT(*) FROM t SELECT logical_reads FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    let said = a.rows(scanned);
    let seen: i64 = said.lines().last().and_then(|l| l.parse().ok()).expect("a number");
    assert!(seen >= after.0 + 50, "a batch sees the work of its statements: {seen} {after:?}");
    assert_eq!(number("reads"), 0, "all was in memory");
    let elapsed = number("total_elapsed_time");
    a.ok("DECLARE @i int = 0 WHILE @i < 300000 SET @i += 1");
    assert!(number("cpu_time") > 0);
    assert!(number("total_elapsed_time") > elapsed);
    assert_eq!(number("DATEDIFF(ms, last_request_end_time, last_request_start_time)").signum(), -1);
    // While one runs, the end is that of the one before.
    let own = "SELECT CASE WHEN last_request_end_time <= last_request_start_time THEN 1 ELSE 0 END \
               FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    assert_eq!(a.rows(own), "1");
}

#[test]
fn a_transaction_began_with_its_begin_and_keeps_its_number_and_name() {
    let (world, mut c) = World::with_database();
    let mut other = world.connect();
    c.ok("CREATE TABLE t (i int)");
    let active = "SELECT transaction_id, name, CONVERT(varchar(30), transaction_begin_time, 121)
        FROM sys.dm_tran_active_transactions WHERE transaction_id IN
            (SELECT transaction_id FROM sys.dm_tran_session_transactions WHERE session_id = 51)";
    for begin in ["BEGIN TRAN", "BEGIN TRAN mine", "SET IMPLICIT_TRANSACTIONS ON SELECT i FROM t"] {
        c.ok(begin);
        let before = other.rows(active);
        assert_eq!(before.lines().count(), 1, "{begin}: {before}");
        // The clock of datetime moves on.
        let clock = "SELECT CONVERT(varchar(30), GETDATE(), 121)";
        let now = other.rows(clock);
        while other.rows(clock) == now {}
        c.ok("INSERT t VALUES (1)");
        assert_eq!(other.rows(active), before, "{begin}");
        let first = "SELECT COUNT(*) FROM sys.dm_tran_database_transactions d
            JOIN sys.dm_tran_active_transactions a ON a.transaction_id = d.transaction_id
            WHERE d.database_transaction_begin_time > a.transaction_begin_time";
        assert_eq!(other.rows(first), "1", "{begin}: the first record came later");
        c.ok("ROLLBACK");
    }
}

#[test]
fn statistics_time_tells_what_statements_take() {
    let (_world, mut c) = World::with_database();
    c.ok("SET STATISTICS TIME ON");
    let said = c.run("SELECT 1 DECLARE @i int = 0 WHILE @i < 2 SET @i += 1 PRINT 'x'");
    let told: Vec<&str> =
        said.lines().filter(|l| l.starts_with("Msg 36") || l.starts_with("done")).collect();
    let [compiled, one, first, ref control @ .., two, second] = told[..] else { panic!("{said}") };
    assert!(compiled.contains("3613") && compiled.contains("parse and compile time: "), "{said}");
    // Conditions, SETs and a DECLARE with a value have a DONE and tell no time.
    assert_eq!(control.len(), 6, "{said}");
    assert!(control.iter().all(|told| told.starts_with("done")), "{said}");
    assert!(one.starts_with("done") && two.starts_with("done"), "behind their DONE: {said}");
    assert!(first.contains("3612") && second.contains("3612"), "{said}");
    assert!(said.contains("   CPU time = ") && said.contains(" ms,  elapsed time = "), "{said}");
    // True figures: what waits has no processor time.
    let said = c.run("WAITFOR DELAY '00:00:00.050'");
    let elapsed: u64 = said
        .rsplit_once("elapsed time = ")
        .and_then(|(_, ms)| ms.split(' ').next()?.parse().ok())
        .expect("a number");
    assert!(elapsed >= 50, "{said}");
    // An EXECUTE behind what it has run.
    c.ok("SET STATISTICS TIME OFF");
    c.ok("CREATE PROCEDURE p AS SELECT 2");
    c.ok("SET STATISTICS TIME ON");
    let told = c.run("EXEC p");
    assert_eq!(told.matches("Execution Times").count(), 2, "{told}");
    assert!(!c.run("SET STATISTICS TIME OFF").contains("Execution Times"));
    assert!(!c.run("SELECT 1").contains("Msg 36"));
}
