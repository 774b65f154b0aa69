//! Events of the log's records, of transactions in databases and of the client's transaction manager; which events there are.

use crate::support;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use support::{Client, Heard, World};
use taffrail_engine::{TransactionRequest, TxIsolation};
use taffrail_log::{Lcx, Lop};
use taffrail_observe::xe::events::{EVENTS, NEVER, map_key, map_text};

/// The sessions of events of one process hear of all its servers: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A session of these events that runs, with this target.
fn session(c: &mut Client, name: &str, events: &[&str], target: &str, with: &str) {
    let all: Vec<String> = events.iter().map(|e| format!("ADD EVENT sqlserver.{e}")).collect();
    c.ok(&format!(
        "CREATE EVENT SESSION {name} ON SERVER {} ADD TARGET package0.{target} {with}; \
         ALTER EVENT SESSION {name} ON SERVER STATE = START",
        all.join(", ")
    ));
}

/// What a ring holds, one event a row: its name, and these fields.
fn told(c: &mut Client, session: &str, fields: &[&str]) -> String {
    let list = fields.iter().map(|f| match f.split_once('!') {
        Some((field, _)) => format!("data[@name=\"{field}\"]/text"),
        None => format!("data[@name=\"{f}\"]/value"),
    });
    let list: Vec<String> = list.map(|p| format!("e.value('({p})[1]', 'nvarchar(200)')")).collect();
    c.rows(&format!(
        "SELECT e.value('@name', 'nvarchar(60)'), {} FROM (SELECT CAST(t.target_data AS xml) AS data \
         FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address \
         WHERE s.name = '{session}') d CROSS APPLY data.nodes('/RingBufferTarget/event') AS n(e)",
        list.join(", ")
    ))
}

#[test]
fn records_are_told_as_the_log_has_them() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (i int NOT NULL PRIMARY KEY, v varchar(20))");
    let database = c.rows("SELECT DB_ID()");
    let id = c.connection.session_id().0;
    let of = format!("(WHERE database_id = {database} AND sqlserver.session_id = {id})");
    session(&mut c, "records", &[&format!("transaction_log {of}")], "ring_buffer", "");
    c.ok("BEGIN TRANSACTION INSERT t VALUES (1, 'x') SAVE TRANSACTION s UPDATE t SET v = 'y' WHERE i = 1");
    let number = c.rows("SELECT transaction_id FROM sys.dm_tran_current_transaction");
    c.ok("ROLLBACK");
    let fields =
        ["operation!text", "context!text", "transaction_id", "log_record_size", "alloc_unit_id"];
    let said = told(&mut c, "records", &fields);
    let mine: Vec<Vec<&str>> = said
        .lines()
        .map(|l| l.split(" | ").collect::<Vec<_>>())
        .filter(|l| l[3] == number)
        .collect();
    // The log itself says the same of these records.
    let logged = c.rows(&format!(
        "SELECT 'transaction_log', [Operation], [Context], '{number}', [Log Record Length], \
         COALESCE([AllocUnitId], 0) FROM sys.fn_dblog(NULL, NULL) WHERE [Transaction ID] = \
         (SELECT [Transaction ID] FROM sys.fn_dblog(NULL, NULL) WHERE [Xact ID] = {number}) \
         ORDER BY [Current LSN]"
    ));
    let logged: Vec<Vec<&str>> = logged.lines().map(|l| l.split(" | ").collect()).collect();
    assert_eq!(mine, logged);
    let operations: Vec<&str> = mine.iter().map(|l| l[1]).collect();
    assert_eq!(
        operations,
        [
            "LOP_BEGIN_XACT",
            "LOP_INSERT_ROWS",
            "LOP_MARK_SAVEPOINT",
            "LOP_MODIFY_ROW",
            "LOP_MODIFY_ROW",
            "LOP_DELETE_ROWS",
            "LOP_ABORT_XACT"
        ]
    );
    let begun = told(&mut c, "records", &["transaction_start_time"]);
    let first = begun.lines().next().unwrap_or_default();
    assert!(first.starts_with("transaction_log | 20") && first.ends_with('Z'), "{first}");
}

#[test]
fn splits_are_counted_by_the_index_that_they_are_in() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id uniqueidentifier NOT NULL DEFAULT NEWID() PRIMARY KEY, f char(400))");
    let database = c.rows("SELECT DB_ID()");
    session(
        &mut c,
        "splits",
        &[&format!("transaction_log (WHERE operation = 11 AND database_id = {database})")],
        "histogram (SET filtering_event_name = 'sqlserver.transaction_log', source_type = 0, \
         source = 'alloc_unit_id')",
        "",
    );
    c.ok("INSERT t (f) SELECT 'x' FROM GENERATE_SERIES(1, 400)");
    let counted = c.rows(
        "SELECT OBJECT_NAME(p.object_id), IIF(s.splits > 5, 'many', 'few') FROM \
         (SELECT n.value('(value)[1]', 'bigint') AS unit, n.value('(@count)[1]', 'bigint') AS splits \
          FROM (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_sessions s \
                JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address \
                WHERE s.name = 'splits') d CROSS APPLY data.nodes('HistogramTarget/Slot') AS q(n)) s \
         JOIN sys.allocation_units au ON au.allocation_unit_id = s.unit \
         JOIN sys.partitions p ON p.partition_id = au.container_id",
    );
    assert_eq!(counted, "t | many");
}

#[test]
fn a_transaction_begins_in_a_database_with_its_first_change_there() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (i int)");
    let events = ["database_transaction_begin", "database_transaction_end"];
    let id = c.connection.session_id().0;
    let events = events.map(|e| format!("{e} (WHERE sqlserver.session_id = {id})"));
    session(&mut c, "ends", &[&events[0], &events[1]], "ring_buffer", "");
    let d = c.rows("SELECT DB_ID()");
    c.ok("BEGIN TRANSACTION SELECT COUNT(*) FROM t");
    let number = c.rows("SELECT transaction_id FROM sys.dm_tran_current_transaction");
    let mine = |c: &mut Client| {
        let all = told(c, "ends", &["database_id", "transaction_id"]);
        let mine = all.lines().filter(|l| l.ends_with(&format!(" | {number}")));
        let short = mine.map(|l| l.trim_start_matches("database_transaction_"));
        short.map(|l| l.rsplit_once(" | ").map_or("", |(l, _)| l).to_owned()).collect::<Vec<_>>()
    };
    // Whoever only reads has begun nothing.
    assert!(mine(&mut c).is_empty());
    c.ok("INSERT t VALUES (1) INSERT t VALUES (2)");
    assert_eq!(mine(&mut c), [format!("begin | {d}")]);
    c.ok("ROLLBACK");
    assert_eq!(mine(&mut c), [format!("begin | {d}"), format!("end | {d}")]);
}

#[test]
fn a_rollback_reads_the_log_from_its_cache() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (i int)");
    let id = c.connection.session_id().0;
    let of = |e: &str| format!("databases_log_cache_{e} (WHERE sqlserver.session_id = {id})");
    session(&mut c, "cached", &[&of("read"), &of("hit")], "event_counter", "");
    c.ok("BEGIN TRANSACTION INSERT t VALUES (1) INSERT t VALUES (2) ROLLBACK");
    let counted = c.rows(
        "SELECT n.value('@name', 'sysname'), n.value('@count', 'int') FROM \
         (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t \
          ON t.event_session_address = s.address WHERE s.name = 'cached') d CROSS APPLY data.nodes('//Event') q(n)",
    );
    let counts: Vec<u32> =
        counted.lines().map(|l| l.rsplit(" | ").next().unwrap_or("").parse().unwrap()).collect();
    // Its two records, and perhaps its beginning.
    assert!(counts.len() == 2 && counts[0] >= 2 && counts[0] == counts[1], "{counted}");
}

#[test]
fn requests_of_the_transaction_manager_are_told_and_statements_are_not() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    let both = |what: &str| [format!("{what}_tran_starting"), format!("{what}_tran_completed")];
    let all = ["begin", "commit", "rollback", "save"].map(both).concat();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    session(&mut c, "manager", &all, "ring_buffer", "");
    c.ok("BEGIN TRANSACTION COMMIT");
    let ask = |c: &mut Client, request| {
        let mut heard = Heard::default();
        c.connection.transaction_request(request, &mut heard);
    };
    let isolation = TxIsolation::Serializable;
    ask(&mut c, TransactionRequest::Begin { isolation, name: String::new() });
    let number = c.rows("SELECT transaction_id FROM sys.dm_tran_current_transaction");
    ask(&mut c, TransactionRequest::Save { name: "here".into() });
    ask(&mut c, TransactionRequest::Rollback { name: "there".into(), then_begin: None });
    ask(&mut c, TransactionRequest::Rollback { name: "here".into(), then_begin: None });
    ask(&mut c, TransactionRequest::Commit { name: String::new(), then_begin: None });
    ask(&mut c, TransactionRequest::Commit { name: String::new(), then_begin: None });
    let fields = ["isolation_level!text", "transaction_id", "savepoint_name", "success"];
    let said = told(&mut c, "manager", &fields).replace(&number, "N").replace("_tran_", " ");
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "begin starting | Serializable | NULL | NULL | NULL",
            "begin completed | Serializable | N | NULL | true",
            "save starting | NULL | N | here | NULL",
            "save completed | NULL | N | here | true",
            "rollback starting | NULL | N | there | NULL",
            "rollback completed | NULL | N | there | false",
            "rollback starting | NULL | N | here | NULL",
            "rollback completed | NULL | N | here | true",
            "commit starting | NULL | N | NULL | NULL",
            "commit completed | NULL | N | NULL | true",
            "commit starting | NULL | 0 | NULL | NULL",
            "commit completed | NULL | 0 | NULL | false",
        ]
    );
}

#[test]
fn a_session_ends_after_its_max_duration() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    let with = "WITH (MAX_DURATION = 1 SECONDS)";
    session(&mut c, "short", &["checkpoint_end"], "ring_buffer", with);
    let runs = "SELECT COUNT(*) FROM sys.dm_xe_sessions WHERE name = 'short'";
    assert_eq!(c.rows(runs), "1");
    let until = Instant::now() + Duration::from_secs(30);
    while c.rows(runs) == "1" {
        assert!(Instant::now() < until, "it goes on");
        std::thread::sleep(Duration::from_millis(100));
    }
    // It is there still, and can be started again.
    let stored = "SELECT name, max_duration FROM sys.server_event_sessions WHERE name = 'short'";
    assert_eq!(c.rows(stored), "short | 1");
    c.ok("ALTER EVENT SESSION short ON SERVER STATE = START");
}

#[test]
fn the_maps_of_records_are_the_logs_own() {
    for op in Lop::ALL {
        assert_eq!(map_text("log_op", *op as u32), Some(op.name()));
        assert_eq!(map_key("log_op", op.name()), Some(*op as u32));
    }
    for context in Lcx::ALL {
        assert_eq!(map_text("log_context", *context as u32), Some(context.name()));
    }
}

/// The text of all sources below a directory, but that which declares the events.
fn sources(dir: &Path, out: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("xe/events.rs") {
            out.push(std::fs::read_to_string(&path).expect("a text"));
        }
    }
}

/// An event that never occurs is in the list that says why; each other one is told by somebody.
#[test]
fn every_event_occurs_or_there_is_a_reason_why_not() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for of in [
        "catalog",
        "exec",
        "features",
        "functions",
        "log",
        "observe",
        "plan",
        "query",
        "server",
        "storage",
        "watching",
    ] {
        sources(&crates.join(of).join("src"), &mut all);
    }
    let never: Vec<&str> = NEVER.iter().map(|(e, _)| e.info().name).collect();
    assert_eq!(never, ["security_error_ring_buffer_recorded"]);
    for e in EVENTS {
        let name = format!("{:?}", e.event);
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let says = |text: &String| {
            let whole = format!("Event::{name}");
            let named = text.match_indices(&whole).any(|(at, w)| ends(&text[at + w.len()..]));
            named || text.lines().any(|l| l.contains("Event::{") && l.contains(&name))
        };
        let told = all.iter().any(says);
        assert_eq!(told, !never.contains(&e.name), "{}", e.name);
    }
    // It can be asked for.
    let (_w, mut c) = World::with_database();
    session(&mut c, "never", &never, "event_counter", "");
}

/// What the view lists can be written.
#[test]
fn every_comparator_that_is_listed_can_be_used() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    let listed = c.rows(
        "SELECT p.name, o.name FROM sys.dm_xe_objects o JOIN sys.dm_xe_packages p ON p.guid = o.package_guid \
         WHERE o.object_type = 'pred_compare' ORDER BY 1, 2",
    );
    assert!(listed.lines().count() > 50);
    for line in listed.lines() {
        let (package, name) = line.split_once(" | ").expect("two");
        let (field, value) = match name {
            n if n.ends_with("string") => ("batch_text", "N'x'"),
            _ => ("duration", "1"),
        };
        c.ok(&format!(
            "CREATE EVENT SESSION one ON SERVER ADD EVENT sqlserver.sql_batch_completed \
             (WHERE {package}.{name}({field}, {value})); DROP EVENT SESSION one ON SERVER"
        ));
    }
}

/// An event with everything that can be recorded beside it.
#[test]
fn every_action_that_is_listed_can_be_recorded() {
    let _alone = alone();
    let (_w, mut c) = World::with_database();
    let listed = c.rows(
        "SELECT p.name + '.' + o.name FROM sys.dm_xe_objects o JOIN sys.dm_xe_packages p ON p.guid = o.package_guid \
         WHERE o.object_type = 'action' ORDER BY 1",
    );
    let all: Vec<&str> = listed.lines().collect();
    assert!(all.len() >= 29);
    let list = all.join(", ");
    let event =
        format!("sql_statement_completed (ACTION ({list}) WHERE statement LIKE N'SELECT 17%')");
    let event = event.replace("statement LIKE", "sqlserver.like_i_sql_unicode_string(statement,");
    session(&mut c, "all_of_them", &[&event.replace("%')", "%'))")], "ring_buffer", "");
    let ran = c.rows(
        "SELECT 16\nSELECT 17, CONVERT(varchar(130), sql_handle, 1) FROM sys.dm_exec_requests \
         WHERE session_id = @@SPID",
    );
    let shown = ran.rsplit(" | ").next().unwrap_or_default().to_owned();
    let value = |c: &mut Client, of: &str| {
        let (action, inner) = of.split_once('/').map_or((of, ""), |(a, i)| (a, i));
        let inner = if inner.is_empty() { String::new() } else { format!("/{inner}") };
        c.rows(&format!(
            "SELECT e.value('(action[@name=\"{action}\"]/value{inner})[1]', 'nvarchar(400)') FROM \
             (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t \
              ON t.event_session_address = s.address WHERE s.name = 'all_of_them') d \
             CROSS APPLY data.nodes('/RingBufferTarget/event') AS n(e)"
        ))
    };
    assert_eq!(value(&mut c, "tsql_frame/frame/@line"), "2");
    assert_eq!(value(&mut c, "tsql_frame/frame/@offsetStart"), "20");
    assert_eq!(value(&mut c, "tsql_frame/frame/@offsetEnd"), "-1");
    assert_eq!(value(&mut c, "tsql_frame/frame/@handle"), shown);
    assert_eq!(value(&mut c, "process_id"), std::process::id().to_string());
    assert!(value(&mut c, "collect_system_time").ends_with('Z'));
    assert_eq!(value(&mut c, "session_resource_pool_id"), "2");
    let mine = "SELECT connection_id FROM sys.dm_exec_connections WHERE session_id = @@SPID";
    assert_eq!(value(&mut c, "client_connection_id"), c.rows(mine));
    assert_eq!(value(&mut c, "system_thread_id"), value(&mut c, "collect_current_thread_id"));
    assert!(value(&mut c, "scheduler_id").parse::<u32>().is_ok());
}
