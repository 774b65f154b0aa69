//! Events of locks, splits and modules; texts without passwords; files that lose nothing, and files that cannot be written.

use crate::support;

use support::{Client, Heard, World, connect, sim};
use taffrail_engine::{RpcCall, RpcParam, RpcProcedure};
use taffrail_io::sim::SimOptions;
use taffrail_observe::{Event, EventRing};
use taffrail_types::{MaxLen, SqlType, Value};

/// What a ring holds, one event a row: these expressions of XQuery, as text.
fn events(c: &mut Client, session: &str, event: &str, values: &[&str]) -> String {
    let list: Vec<String> =
        values.iter().map(|v| format!("e.value('({v})[1]', 'nvarchar(200)')")).collect();
    c.rows(&format!(
        "SELECT {} FROM (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_sessions s \
         JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address \
         WHERE s.name = '{session}' AND t.target_name = 'ring_buffer') d \
         CROSS APPLY data.nodes('/RingBufferTarget/event[@name=\"{event}\"]') AS n(e)",
        list.join(", ")
    ))
}

fn field(name: &str, what: &str) -> String {
    format!("data[@name=\"{name}\"]/{what}")
}

#[test]
fn locks_are_told_as_they_come_and_go() {
    let (w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int) INSERT t VALUES (1, 1), (2, 2)");
    // Numbers that no session of another test has: events are the process', and others' would push these out of the ring.
    let _many: Vec<_> = (0..60).map(|_| w.connect()).collect();
    let (mut c, mut other) = (w.connect_to("d"), w.connect_to("d"));
    let (session, second) = (c.connection.session_id().0, other.connection.session_id().0);
    c.ok(&format!(
        "CREATE EVENT SESSION locks ON SERVER \
         ADD EVENT sqlserver.lock_acquired (SET collect_resource_description = 1, collect_database_name = 1 \
             WHERE sqlserver.session_id = {session} AND database_name = N'd' \
             OR sqlserver.session_id = {session} AND mode = 'X' AND resource_type = 'KEY'), \
         ADD EVENT sqlserver.lock_released (WHERE sqlserver.session_id = {session} AND mode = 'X'), \
         ADD EVENT sqlserver.lock_timeout (WHERE sqlserver.session_id = {second}), \
         ADD EVENT sqlserver.lock_timeout_greater_than_0 (WHERE sqlserver.session_id = {second}) \
         ADD TARGET package0.ring_buffer"
    ));
    c.ok("ALTER EVENT SESSION locks ON SERVER STATE = START");
    c.ok("BEGIN TRAN UPDATE t SET v = 5 WHERE id = 1");
    assert!(other.run("SET LOCK_TIMEOUT 30 UPDATE t SET v = 6 WHERE id = 1").contains("1222"));
    assert!(other.run("SET LOCK_TIMEOUT 0 UPDATE t SET v = 6 WHERE id = 1").contains("1222"));
    c.ok("COMMIT");
    let of = |names: &[(&str, &str)]| -> Vec<String> {
        names.iter().map(|(n, what)| field(n, what)).collect()
    };
    let fields = of(&[("resource_type", "text"), ("mode", "text"), ("owner_type", "text")]);
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let acquired = events(&mut c, "locks", "lock_acquired", &fields);
    assert!(acquired.contains("KEY | X | Transaction"), "{acquired}");
    let released = events(&mut c, "locks", "lock_released", &fields);
    assert!(released.contains("KEY | X | Transaction"), "{released}");
    let waited = of(&[("duration", "value"), ("object_id", "value")]);
    let waited: Vec<&str> = waited.iter().map(String::as_str).collect();
    let timeouts = events(&mut c, "locks", "lock_timeout", &waited);
    assert_eq!(timeouts.lines().count(), 2, "{timeouts}");
    let positive = events(&mut c, "locks", "lock_timeout_greater_than_0", &waited);
    let us: u64 = positive.split(" | ").next().unwrap().parse().expect("one of them");
    assert!((30_000..5_000_000).contains(&us), "{positive}");
}

#[test]
fn splits_and_modules_are_told() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v char(2000))");
    c.ok("CREATE PROCEDURE p AS BEGIN SELECT 1 AS one; SELECT 2 AS two END");
    c.ok("CREATE EVENT SESSION told ON SERVER ADD EVENT sqlserver.page_split (SET collect_database_name = 1 WHERE database_name = N'd'), \
          ADD EVENT sqlserver.module_start (SET collect_statement = 1), ADD EVENT sqlserver.module_end, \
          ADD EVENT sqlserver.sp_statement_starting (SET collect_object_name = 1) \
          ADD TARGET package0.ring_buffer");
    c.ok("ALTER EVENT SESSION told ON SERVER STATE = START");
    c.ok("INSERT t SELECT value, 'x' FROM GENERATE_SERIES(1, 20)");
    c.ok("EXEC p");
    let name = field("database_name", "value");
    let splits = events(&mut c, "told", "page_split", &[&field("splitOperation", "text"), &name]);
    assert!(splits.lines().count() >= 4, "{splits}");
    assert!(splits.lines().all(|l| l == "SPLIT_FOR_INSERT | d"), "{splits}");
    let started = events(
        &mut c,
        "told",
        "module_start",
        &[
            &field("object_type", "text"),
            &field("object_name", "value"),
            &field("statement", "value"),
        ],
    );
    let text = "CREATE PROCEDURE p AS BEGIN SELECT 1 AS one; SELECT 2 AS two END";
    assert_eq!(started, format!("PROC | p | {text}"));
    let ended = events(&mut c, "told", "module_end", &[&field("row_count", "value")]);
    assert_eq!(ended, "1");
    let statements =
        events(&mut c, "told", "sp_statement_starting", &[&field("statement", "value")]);
    assert_eq!(statements, "SELECT 1 AS one\nSELECT 2 AS two");
}

#[test]
fn transactions_are_told() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE EVENT SESSION tx ON SERVER ADD EVENT sqlserver.sql_transaction ADD TARGET package0.ring_buffer");
    c.ok("ALTER EVENT SESSION tx ON SERVER STATE = START");
    c.ok("CREATE TABLE t (i int); BEGIN TRAN pay; SAVE TRAN half; INSERT t VALUES (1); ROLLBACK TRAN half; COMMIT; BEGIN TRAN; ROLLBACK");
    let fields = [
        field("transaction_state", "text"),
        field("object_name", "value"),
        field("savepoint_name", "value"),
    ];
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    assert_eq!(
        events(&mut c, "tx", "sql_transaction", &fields),
        "Begin | pay | \nSavepoint | pay | half\nCommit | pay | \nBegin | user_transaction | \nRollback | user_transaction | "
    );
}

#[test]
fn connections_that_there_are_are_told_once() {
    let (w, mut c) = World::with_database();
    let _other = w.connect_to("d");
    c.ok("CREATE EVENT SESSION who ON SERVER ADD EVENT sqlserver.existing_connection (SET collect_database_name = 1), \
          ADD EVENT sqlserver.login ADD TARGET package0.ring_buffer");
    c.ok("ALTER EVENT SESSION who ON SERVER STATE = START");
    let fields = [field("database_name", "value"), field("server_principal_name", "value")];
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    assert_eq!(events(&mut c, "who", "existing_connection", &fields), "d | sa\nd | sa");
}

#[test]
fn objects_that_come_and_go_are_told() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE EVENT SESSION ddl ON SERVER ADD EVENT sqlserver.object_created (SET collect_database_name = 1), \
          ADD EVENT sqlserver.object_altered, ADD EVENT sqlserver.object_deleted ADD TARGET package0.ring_buffer");
    c.ok("ALTER EVENT SESSION ddl ON SERVER STATE = START");
    c.ok("CREATE TABLE t (i int NOT NULL); CREATE INDEX ix ON t (i)");
    c.ok("BEGIN TRAN; DROP TABLE t; ROLLBACK");
    let fields =
        [field("object_name", "value"), field("object_type", "text"), field("ddl_phase", "text")];
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let created = events(&mut c, "ddl", "object_created", &fields);
    for line in ["t | USRTAB | Begin", "t | USRTAB | Commit", "ix | INDEX | Commit"] {
        assert!(created.lines().any(|l| l == line), "{line} is not in {created}");
    }
    let deleted = events(&mut c, "ddl", "object_deleted", &fields);
    assert_eq!(deleted, "t | USRTAB | Begin\nt | USRTAB | Rollback");
}

#[test]
fn passwords_are_in_no_event() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE EVENT SESSION texts ON SERVER ADD EVENT sqlserver.sql_batch_starting, \
          ADD EVENT sqlserver.sql_batch_completed (ACTION (sqlserver.sql_text)), \
          ADD EVENT sqlserver.sql_statement_starting, \
          ADD EVENT sqlserver.sql_statement_completed, ADD EVENT sqlserver.error_reported (ACTION (sqlserver.sql_text)) \
          ADD TARGET package0.ring_buffer");
    c.ok("ALTER EVENT SESSION texts ON SERVER STATE = START");
    c.run("CREATE LOGIN somebody WITH PASSWORD = 'tops3cret!'");
    c.run("EXEC ('ALTER LOGIN somebody WITH PASSWORD = ''tops3cret!''')");
    let data = c.rows(
        "SELECT t.target_data FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t \
         ON t.event_session_address = s.address WHERE s.name = 'texts'",
    );
    assert!(!data.contains("tops3cret"), "{data}");
    assert!(data.contains("WITH PASSWORD = '******'"), "{data}");
}

#[test]
fn a_file_loses_nothing_where_nothing_may_be_lost() {
    let (_w, mut c) = World::with_database();
    let make = |name: &str, mode: &str| {
        format!(
            "CREATE EVENT SESSION {name} ON SERVER ADD EVENT sqlserver.sql_statement_completed \
             (WHERE statement LIKE N'SELECT @counted%') ADD TARGET package0.event_file (SET filename = N'{name}') \
             WITH (EVENT_RETENTION_MODE = {mode}, MAX_MEMORY = 200 KB, MAX_DISPATCH_LATENCY = INFINITE); \
             ALTER EVENT SESSION {name} ON SERVER STATE = START"
        )
    };
    c.ok(&make("lossless", "NO_EVENT_LOSS").replace(
        "statement LIKE N'SELECT @counted%'",
        "sqlserver.like_i_sql_unicode_string(statement, N'SELECT @counted%')",
    ));
    assert_eq!(
        c.rows("SELECT buffer_policy_desc FROM sys.dm_xe_sessions WHERE name = 'lossless'"),
        "block"
    );
    // Some megabytes of events, of which 200 KB fit.
    c.ok("DECLARE @counted int = 0; WHILE @counted < 20000 BEGIN SELECT @counted += 1; END");
    let count =
        "SELECT COUNT(*) FROM sys.fn_xe_file_target_read_file('lossless*', NULL, NULL, NULL)";
    assert_eq!(c.rows(count), "20000");
    let dropped = "SELECT dropped_event_count FROM sys.dm_xe_sessions WHERE name = 'lossless'";
    assert_eq!(c.rows(dropped), "0");
}

#[test]
fn system_health_has_a_file_that_is_made_when_it_is_needed() {
    let w = World::new();
    let mut c = w.connect();
    let files = || {
        let all = std::fs::read_dir(w.dir.join("events")).into_iter().flatten();
        let named = |f: std::io::Result<std::fs::DirEntry>| {
            f.is_ok_and(|f| f.file_name().to_string_lossy().starts_with("system_health"))
        };
        all.map(named).filter(|n| *n).count()
    };
    assert_eq!(files(), 0);
    let read = "SELECT COUNT(*) FROM sys.fn_xe_file_target_read_file('system_health*.xel', NULL, NULL, NULL)";
    assert_eq!(c.rows(read), "0");
    let named = c.rows("SELECT CAST(t.target_data AS xml).value('(EventFileTarget/File/@name)[1]', 'nvarchar(260)') \
        FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address \
        WHERE s.name = 'system_health' AND t.target_name = 'event_file'");
    assert!(named.contains("system_health_0_"), "{named}");
}

/// The file's target ends with a line in the error log; the server, and the session's other targets, go on.
#[test]
fn a_full_disk_ends_the_file_and_not_the_server() {
    let world = sim::world(7, SimOptions::default());
    let instance = sim::start(&world).expect("a start");
    let mut c = connect(&instance);
    c.ok("CREATE EVENT SESSION full_disk ON SERVER ADD EVENT sqlserver.error_reported (WHERE error_number = 8134) \
          ADD TARGET package0.event_file (SET filename = N'full_disk'), ADD TARGET package0.event_counter \
          WITH (MAX_DISPATCH_LATENCY = INFINITE); ALTER EVENT SESSION full_disk ON SERVER STATE = START");
    let read =
        "SELECT COUNT(*) FROM sys.fn_xe_file_target_read_file('full_disk*', NULL, NULL, NULL)";
    c.run("SELECT 1 / 0");
    assert_eq!(c.rows(read), "1");
    // Nothing fits any more.
    world.set_capacity(1);
    for _ in 0..200 {
        c.run("SELECT 1 / 0");
    }
    let said = c.rows(read);
    world.set_capacity(u64::MAX);
    assert_eq!(said, "1");
    let told = EventRing::global().read_after(0).into_iter().any(|r| match r.event {
        Event::BackgroundError { text, .. } => {
            text.contains("'full_disk': the target package0.event_file has stopped")
        }
        _ => false,
    });
    assert!(told, "the error log has a line");
    c.run("SELECT 1 / 0");
    let count = c.rows(
        "SELECT CAST(t.target_data AS xml).value('(//Event/@count)[1]', 'int') FROM sys.dm_xe_sessions s \
         JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address \
         WHERE s.name = 'full_disk' AND t.target_name = 'event_counter'",
    );
    assert_eq!(count, "202");
    let dropped =
        c.rows("SELECT dropped_event_count FROM sys.dm_xe_sessions WHERE name = 'full_disk'");
    assert_eq!(dropped, "201");
    // Begun again, it has a new file.
    c.ok("ALTER EVENT SESSION full_disk ON SERVER STATE = STOP; ALTER EVENT SESSION full_disk ON SERVER STATE = START");
    c.run("SELECT 1 / 0");
    assert_eq!(c.rows(read), "2");
    drop(c);
    instance.shutdown().expect("an orderly end");
}

#[test]
fn a_remote_call_is_told_with_its_values() {
    let (w, mut c) = World::with_database();
    c.ok("CREATE PROCEDURE dbo.p @i int AS SELECT @i AS i");
    c.ok("CREATE EVENT SESSION calls ON SERVER ADD EVENT sqlserver.rpc_completed, ADD EVENT sqlserver.rpc_starting \
          ADD TARGET package0.ring_buffer ALTER EVENT SESSION calls ON SERVER STATE = START");
    let param = |name: &str, value: Value, ty: SqlType| RpcParam {
        name: name.into(),
        by_ref: false,
        default: false,
        ty,
        value,
        table: None,
    };
    let text = |value: &str| param("", Value::nvarchar(value), SqlType::NVarChar(MaxLen::N(100)));
    let calls = [
        (RpcProcedure::Name("dbo.p".into()), vec![param("@i", Value::Int(5), SqlType::Int)]),
        (
            RpcProcedure::Id(10),
            vec![text("SELECT @id"), text("@id int"), param("@id", Value::Int(7), SqlType::Int)],
        ),
    ];
    let mut other = w.connect();
    let spid = c.connection.session_id().0;
    let input =
        format!("SELECT event_type, event_info FROM sys.dm_exec_input_buffer({spid}, NULL)");
    let proc = other.rows("SELECT CONCAT('Proc [Database Id = ', DB_ID('d'), ' Object Id = ', OBJECT_ID('d.dbo.p'), ']')");
    let mut inputs = [proc.as_str(), "SELECT @id"].into_iter();
    for (procedure, params) in calls {
        let mut heard = Heard::default();
        c.connection.execute_rpc(RpcCall { procedure, params }, &mut heard);
        // What reports of deadlocks and blocked processes say, too.
        assert_eq!(other.rows(&input), format!("RPC Event | {}", inputs.next().expect("an input")));
    }
    c.ok("SELECT 1");
    assert_eq!(other.rows(&input), "Language Event | SELECT 1");
    let fields = [field("object_name", "value"), field("statement", "value")];
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let want =
        "p | exec dbo.p @i=5\nsp_executesql | exec sp_executesql N'SELECT @id',N'@id int',@id=7";
    for event in ["rpc_completed", "rpc_starting"] {
        assert_eq!(events(&mut c, "calls", event, &fields), want, "{event}");
    }
}

#[test]
fn a_stack_names_the_statement_and_its_callers() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE PROCEDURE dbo.deep AS\nRAISERROR (N'down here', 16, 1)");
    c.ok("CREATE PROCEDURE dbo.caller AS\n\nEXEC dbo.deep SELECT 'goes on'");
    c.ok("CREATE EVENT SESSION stacks ON SERVER ADD EVENT sqlserver.error_reported (ACTION (sqlserver.tsql_stack) \
          WHERE sqlserver.like_i_sql_unicode_string(message, N'% here')) ADD TARGET package0.ring_buffer");
    c.ok("ALTER EVENT SESSION stacks ON SERVER STATE = START");
    let said = c.run("SELECT 1\nEXEC dbo.caller");
    assert!(said.contains("goes on"), "{said}");
    let frames = "SELECT f.value('@level', 'int'), f.value('@line', 'int'), LEFT(f.value('@handle', 'varchar(90)'), 4), \
         f.value('@offsetStart', 'int') FROM (SELECT CAST(t.target_data AS xml) AS data FROM sys.dm_xe_sessions s \
         JOIN sys.dm_xe_session_targets t ON t.event_session_address = s.address WHERE s.name = 'stacks') d \
         CROSS APPLY data.nodes('/RingBufferTarget/event/action[@name=\"tsql_stack\"]/value/frames/frame') AS n(f)";
    assert_eq!(c.rows(frames), "1 | 2 | 0x03 | 58\n2 | 3 | 0x03 | 64\n3 | 2 | 0x02 | 18");
    // Who has called goes on where it was.
    c.run("EXEC dbo.caller\nRAISERROR (N'up here', 16, 1)");
    let last = c.rows(frames);
    assert!(last.ends_with("\n1 | 2 | 0x02 | 32"), "{last}");
}

/// Whatever shows a text to others shows it without its passwords, and places in it are places in what is shown.
#[test]
fn passwords_are_in_no_text_that_others_see() {
    let world = World::new();
    let mut c = world.connect();
    let hidden = "IF 1 = 2 EXEC sp_addlogin 'somebody', 'geheim'; IF 1 = 2 SELECT PWDCOMPARE(N'geheim', 0x02);";
    for sql in [
        "DBCC INPUTBUFFER (@@SPID) WITH NO_INFOMSGS",
        "SELECT event_info FROM sys.dm_exec_input_buffer(@@SPID, NULL)",
        "SELECT t.text FROM sys.dm_exec_requests r CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) t WHERE r.session_id = @@SPID",
    ] {
        let said = c.rows(&format!("{hidden} {sql}"));
        assert!(
            said.contains("'somebody', '******'") && said.contains("N'******', 0x02"),
            "{said}"
        );
        assert!(!said.contains("geheim"), "{said}");
    }
    let begins =
        "SELECT SUBSTRING(t.text, r.statement_start_offset / 2 + 1, 16) FROM sys.dm_exec_requests r
        CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) t WHERE r.session_id = @@SPID";
    assert_eq!(c.rows(&format!("{hidden} {begins}")), "SELECT SUBSTRING");
}
