//! Events of files, pages, logs, latches and databases; what belongs to one request has one activity.

use crate::support;

use std::sync::{Mutex, MutexGuard, PoisonError};
use support::two::two;
use support::{Client, World, errors};

/// The sessions of events of one process hear of all its servers: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a ring holds, one event a row: these fields.
fn events(c: &mut Client, session: &str, event: &str, fields: &[&str]) -> String {
    let list = fields.iter().map(|f| match f.split_once('!') {
        Some((field, "text")) => format!("data[@name=\"{field}\"]/text"),
        Some((action, _)) => format!("action[@name=\"{action}\"]/value"),
        None => format!("data[@name=\"{f}\"]/value"),
    });
    let list: Vec<String> = list.map(|p| format!("e.value('({p})[1]', 'nvarchar(200)')")).collect();
    c.rows(&format!(
        "SELECT {} FROM (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_sessions s \
         JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address \
         WHERE s.name = '{session}' AND t.target_name = 'ring_buffer') d \
         CROSS APPLY data.nodes('/RingBufferTarget/event[@name=\"{event}\"]') AS n(e)",
        list.join(", ")
    ))
}

/// A session of these events that runs, with a ring.
fn session(c: &mut Client, name: &str, events: &[&str], with: &str) {
    let all: Vec<String> = events.iter().map(|e| format!("ADD EVENT {e}")).collect();
    c.ok(&format!(
        "CREATE EVENT SESSION {name} ON SERVER {} \
         ADD TARGET package0.ring_buffer (SET max_events_limit = 0) {with}; \
         ALTER EVENT SESSION {name} ON SERVER STATE = START",
        all.join(", ")
    ));
}

#[test]
fn a_commit_is_told_from_its_request_to_its_write() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (i int, filler char(500))");
    let database = c.rows("SELECT DB_ID()");
    let of = |event: &str| format!("sqlserver.{event} (WHERE database_id = {database})");
    let all = [
        "log_flush_requested",
        "databases_log_flush",
        "databases_log_flush_wait",
        "databases_log_truncation",
        "physical_page_write",
        "checkpoint_end",
    ]
    .map(of);
    // Other threads zero parts of the log meanwhile.
    let id = c.connection.session_id().0;
    let mine = |event: &str| format!("sqlserver.{event} (WHERE sqlserver.session_id = {id})");
    let all = all.into_iter().chain(["file_written", "file_write_completed"].map(mine));
    let all: Vec<String> = all.collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    session(&mut c, "writes", &all, "");
    c.ok("INSERT t VALUES (1, 'x')");
    let requested = events(&mut c, "writes", "log_flush_requested", &["log_block_id"]);
    let block: u64 = requested.lines().last().and_then(|l| l.parse().ok()).expect("a block");
    assert!(block >> 32 > 0 && block & 0xffff_ffff > 0, "{requested}");
    let count = |c: &mut Client, event: &str| {
        let all = events(c, "writes", event, &["database_id"]);
        all.lines().filter(|l| !l.is_empty()).count()
    };
    assert_eq!(count(&mut c, "databases_log_flush_wait"), 1);
    assert!(count(&mut c, "databases_log_flush") >= 1);
    let begun = events(&mut c, "writes", "file_written", &["file_id", "size"]);
    assert!(begun.lines().any(|l| l.starts_with("2 | ")), "{begun}");
    // What began has ended.
    let ended = events(&mut c, "writes", "file_write_completed", &["file_id", "size"]);
    assert_eq!(begun, ended);
    assert_eq!(count(&mut c, "physical_page_write"), 0);
    c.ok("INSERT t SELECT value, 'y' FROM GENERATE_SERIES(1, 300)");
    c.ok("CHECKPOINT");
    let pages = events(&mut c, "writes", "physical_page_write", &["file_id", "page_id"]);
    assert!(pages.lines().count() >= 20, "{pages}");
    assert!(pages.lines().all(|l| l.starts_with("1 | ")), "{pages}");
    assert!(count(&mut c, "checkpoint_end") >= 1);
    c.ok("ALTER DATABASE d SET RECOVERY SIMPLE");
    // Until the head has left the first VLF, and a checkpoint frees it.
    for _ in 0..20 {
        if count(&mut c, "databases_log_truncation") > 0 {
            return;
        }
        c.ok("INSERT t SELECT value, 'z' FROM GENERATE_SERIES(1, 3000)");
        c.ok("CHECKPOINT");
    }
    panic!("the log was never truncated");
}

#[test]
fn pages_that_are_read_are_told() {
    let _alone = alone();
    let (w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (i int, filler char(4000))");
    c.ok("INSERT t SELECT value, 'y' FROM GENERATE_SERIES(1, 30)");
    let w = w.restart();
    let mut c = w.connect();
    session(&mut c, "reads", &["sqlserver.physical_page_read", "sqlserver.file_read"], "");
    let seen = c.rows("SELECT COUNT(*) FROM d.dbo.t");
    assert_eq!(seen, "30");
    let pages = events(&mut c, "reads", "physical_page_read", &["file_id", "page_id"]);
    assert!(pages.lines().count() >= 15, "{pages}");
    let reads = events(&mut c, "reads", "file_read", &["size", "file_id"]);
    assert!(reads.lines().any(|l| l.ends_with(" | 1")), "{reads}");
}

#[test]
fn a_growing_and_shrinking_log_is_told() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    session(
        &mut c,
        "sizes",
        &[
            "sqlserver.databases_log_growth",
            "sqlserver.databases_log_shrink",
            "sqlserver.database_file_size_change (WHERE file_type = 1)",
            "sqlos.wait_info_external",
            "sqlos.wait_info (WHERE wait_type = 'PREEMPTIVE_OS_WRITEFILEGATHER')",
        ],
        "",
    );
    c.ok("CREATE DATABASE other");
    c.ok("ALTER DATABASE d MODIFY FILE (NAME = d_log, SIZE = 100 MB)");
    c.ok("DBCC SHRINKFILE (d_log, 1) WITH NO_INFOMSGS");
    let growths = events(&mut c, "sizes", "databases_log_growth", &["count"]);
    let shrinks = events(&mut c, "sizes", "databases_log_shrink", &["count"]);
    assert_eq!((growths.as_str(), shrinks.as_str()), ("1", "1"));
    let sizes = events(
        &mut c,
        "sizes",
        "database_file_size_change",
        &["file_type!text", "is_automatic", "file_name", "size_change_kb"],
    );
    let mut lines = sizes.lines();
    let (up, down) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    assert!(up.starts_with("Log file | false | d_log | 9"), "{sizes}");
    assert!(down.starts_with("Log file | false | d_log | -"), "{sizes}");
    // A new log is zeroed by the system: a wait of its own kind.
    let waits = events(&mut c, "sizes", "wait_info_external", &["wait_type!text", "opcode!text"]);
    assert!(waits.lines().any(|l| l == "PREEMPTIVE_OS_WRITEFILEGATHER | End"), "{waits}");
    assert_eq!(events(&mut c, "sizes", "wait_info", &["duration"]), "");
}

#[test]
fn growths_are_told_with_the_session_that_needed_them() {
    let _alone = alone();
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d ON (NAME = d, FILENAME = 'd.mdf', SIZE = 8MB, FILEGROWTH = 1MB) \
          LOG ON (NAME = d_log, FILENAME = 'd_log.ldf', SIZE = 2MB, FILEGROWTH = 1MB)");
    c.ok("USE d CREATE TABLE t (i int, filler char(4000))");
    let database = c.rows("SELECT DB_ID()");
    let of = |event: &str| {
        format!("sqlserver.{event} (ACTION (sqlserver.session_id) WHERE database_id = {database})")
    };
    let all = [
        "database_file_size_change",
        "databases_log_file_size_changed",
        "databases_data_file_size_changed",
    ];
    let all = all.map(of);
    session(&mut c, "who", &all.each_ref().map(|s| &**s), "");
    // Growths of the log come ahead of need, from a thread of the server.
    c.ok("SET NOCOUNT ON BEGIN TRANSACTION DECLARE @i int = 0 \
          WHILE @i < 3000 BEGIN INSERT t VALUES (@i, 'x') SET @i += 1 END COMMIT");
    let mine = c.connection.session_id().0.to_string();
    let fields = ["file_type!text", "file_name", "size_change_kb", "session_id!"];
    let grown = events(&mut c, "who", "database_file_size_change", &fields);
    let count = |line: String| grown.lines().filter(|l| **l == line).count();
    let log = count(format!("Log file | d_log | 1024 | {mine}"));
    let data = count(format!("Data file | d | 1024 | {mine}"));
    assert!(log >= 5 && data >= 3, "{grown}");
    // A background checkpoint may have filled the block before one of them.
    let told = events(&mut c, "who", "databases_log_file_size_changed", &["count"]);
    assert!(told.lines().count() >= log && told.lines().all(|l| l == "1"), "{told}");
    let told = events(&mut c, "who", "databases_data_file_size_changed", &["count", "session_id!"]);
    assert_eq!(told.lines().filter(|l| **l == format!("1 | {mine}")).count(), data, "{told}");
    let shown = c.rows("SELECT COUNT(*) FROM taffrail.growth_history \
        WHERE database_id = DB_ID() AND is_automatic = 1 AND file_type = 'ROWS' AND session_id = @@SPID");
    assert_eq!(shown, data.to_string());
}

#[test]
fn databases_that_start_and_stop_are_told() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    let database = c.rows("SELECT DB_ID()");
    c.ok("USE master");
    session(&mut c, "life", &["sqlserver.database_started", "sqlserver.database_stopped"], "");
    c.ok("ALTER DATABASE d SET OFFLINE");
    assert_eq!(events(&mut c, "life", "database_stopped", &["database_id"]), database);
    assert_eq!(events(&mut c, "life", "database_started", &["database_id"]), "");
    c.ok("ALTER DATABASE d SET ONLINE");
    assert_eq!(events(&mut c, "life", "database_started", &["database_id"]), database);
}

#[test]
fn entries_of_the_error_log_are_told() {
    let _alone = alone();
    let (w, mut c) = World::with_database();
    session(&mut c, "log", &["sqlserver.errorlog_written"], "");
    w.instance.trace_error_log("2026-11-23 10:00:00.00 Server      Something happened.", None);
    let said = events(&mut c, "log", "errorlog_written", &["message"]);
    assert_eq!(said, "2026-11-23 10:00:00.00 Server      Something happened.");
}

#[test]
fn each_member_of_a_deadlock_is_told() {
    let _alone = alone();
    let mut t = two(
        "CREATE TABLE a (i int) CREATE TABLE b (i int) INSERT a VALUES (1) INSERT b VALUES (1)",
    );
    session(
        &mut t.watcher,
        "dead",
        &[
            "sqlserver.lock_deadlock_chain (SET collect_database_name = 1)",
            "sqlserver.lock_deadlock",
        ],
        "",
    );
    t.ddl.ok("BEGIN TRANSACTION UPDATE b SET i = 2");
    let mut other = t.other();
    other.ok("SET DEADLOCK_PRIORITY LOW BEGIN TRANSACTION UPDATE a SET i = 1");
    let waits = t.waits_as(other, "UPDATE b SET i = 3", "LCK_M_U");
    t.ddl.ok("UPDATE a SET i = 2");
    assert_eq!(errors(&waits.end()), [1205]);
    t.ddl.ok("ROLLBACK");
    // Told by whoever found it, once it has let go of the locks.
    for _ in 0..200 {
        let fields = ["resource_type!text", "mode!text", "database_name"];
        let chain = events(&mut t.watcher, "dead", "lock_deadlock_chain", &fields);
        let victim = events(&mut t.watcher, "dead", "lock_deadlock", &["mode!text"]);
        if !victim.is_empty() {
            assert_eq!(chain, "RID | U | d\nRID | U | d");
            assert_eq!(victim, "U");
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("nothing was told");
}

#[test]
fn waits_for_latches_are_told_and_counted_until_they_are_cleared() {
    let _alone = alone();
    let (w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (i int NOT NULL PRIMARY KEY, v int)");
    session(
        &mut c,
        "latches",
        &["sqlserver.latch_suspend_begin", "sqlserver.latch_suspend_end"],
        "",
    );
    let stop = std::sync::atomic::AtomicBool::new(false);
    let told = std::thread::scope(|s| {
        for n in 0..4 {
            let (w, stop) = (&w, &stop);
            s.spawn(move || {
                let mut c = w.connect_to("d");
                let mut round = 0;
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    // One page for all of them.
                    c.ok(&format!(
                        "SET NOCOUNT ON BEGIN TRAN DECLARE @i int = 0 WHILE @i < 200 BEGIN \
                         INSERT t VALUES ({n} + 4 * ({round} * 200 + @i), 1) SET @i += 1 END COMMIT"
                    ));
                    round += 1;
                }
            });
        }
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        let told = loop {
            let fields = ["class!text", "mode!text", "file_id", "duration"];
            let told = events(&mut c, "latches", "latch_suspend_end", &fields);
            if !told.is_empty() || std::time::Instant::now() > until {
                break told;
            }
        };
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        told
    });
    let first = told.lines().next().expect("somebody waited");
    assert!(
        first.starts_with("BUFFER | SH | 1 |") || first.starts_with("BUFFER | EX | 1 |"),
        "{first}"
    );
    let begun = events(&mut c, "latches", "latch_suspend_begin", &["page_id"]);
    assert!(!begun.is_empty());
    let count =
        "SELECT waiting_requests_count FROM sys.dm_os_latch_stats WHERE latch_class = 'BUFFER'";
    let total = "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Latch Waits/sec'";
    let number = |c: &mut Client, sql: &str| c.rows(sql).parse::<i64>().expect("a number");
    let (counted, all) = (number(&mut c, count), number(&mut c, total));
    assert!(counted > 0 && all >= counted);
    assert!(
        c.run("DBCC SQLPERF('sys.dm_os_latch_stats', CLEAR)").contains("DBCC execution completed")
    );
    // Other tests of this process may have waited meanwhile.
    assert!(number(&mut c, count) < counted);
    assert!(number(&mut c, total) >= all);
    assert!(
        c.run("DBCC SQLPERF(\"sys.dm_os_spinlock_stats\", CLEAR)")
            .contains("DBCC execution completed")
    );
}

#[test]
fn events_of_one_request_have_one_activity() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    session(
        &mut c,
        "caused",
        &[
            "sqlserver.sql_batch_starting (WHERE batch_text = N'SELECT 1; SELECT 2' OR batch_text = N'SELECT 3')",
            "sqlserver.sql_statement_completed \
             (WHERE sqlserver.like_i_sql_unicode_string(statement, N'SELECT [123]%'))",
        ],
        "WITH (TRACK_CAUSALITY = ON)",
    );
    c.ok("SELECT 1; SELECT 2");
    c.ok("SELECT 3");
    let of = |c: &mut Client, event: &str| -> Vec<(String, u32)> {
        let all = events(c, "caused", event, &["attach_activity_id!action"]);
        let split = |l: &str| {
            let (guid, n) = l.rsplit_once('-').expect("a GUID and a number");
            assert_eq!(guid.len(), 36, "{l}");
            (guid.to_owned(), n.parse().expect("a number"))
        };
        all.lines().map(split).collect()
    };
    let batches = of(&mut c, "sql_batch_starting");
    let statements = of(&mut c, "sql_statement_completed");
    assert_eq!((batches.len(), statements.len()), (2, 3), "{batches:?} {statements:?}");
    let (first, second) = (&batches[0], &batches[1]);
    assert!(first.0 != second.0);
    assert!(statements[..2].iter().all(|s| s.0 == first.0) && statements[2].0 == second.0);
    assert!(first.1 < statements[0].1 && statements[0].1 < statements[1].1);
    let tracked = "SELECT track_causality FROM sys.server_event_sessions WHERE name = 'caused'";
    assert_eq!(c.rows(tracked), "1");
}

#[test]
fn an_escalation_is_told_with_its_statement_for_who_asks() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int)");
    c.ok("DECLARE @i int = 0; WHILE @i < 8000 BEGIN INSERT t VALUES (@i, 1); SET @i += 1; END");
    c.ok("CREATE EVENT SESSION grown ON SERVER ADD EVENT sqlserver.lock_escalation (SET collect_statement = (1), \
          collect_database_name = (1)) ADD TARGET package0.ring_buffer ALTER EVENT SESSION grown ON SERVER STATE = START");
    c.ok("BEGIN TRAN; UPDATE t SET v = 2; COMMIT");
    let fields = [
        "mode!text",
        "resource_type!text",
        "owner_type!text",
        "escalation_cause!text",
        "statement",
        "database_name",
    ];
    let told = events(&mut c, "grown", "lock_escalation", &fields);
    assert_eq!(told, "X | OBJECT | Transaction | Lock threshold | UPDATE t SET v = 2 | d");
    let locks = events(&mut c, "grown", "lock_escalation", &["escalated_lock_count"]);
    let of_tree = events(&mut c, "grown", "lock_escalation", &["hobt_lock_count"]);
    let [locks, of_tree] = [locks, of_tree].map(|n| n.parse::<u32>().expect("a number"));
    assert!(locks >= 1000 && (1000..=locks).contains(&of_tree), "{locks} {of_tree}");
    let hobt = events(&mut c, "grown", "lock_escalation", &["hobt_id"]);
    let tree =
        "SELECT hobt_id FROM sys.partitions WHERE object_id = OBJECT_ID('t') AND index_id = 1";
    assert_eq!(hobt, c.rows(tree));
}
