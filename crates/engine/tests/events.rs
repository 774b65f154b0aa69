//! Sessions of extended events over restarts, and what they tell of deadlocks, the log, files and waits.

use crate::support;

use support::two::two;
use support::{World, errors};

const RING: &str = "SELECT t.target_data FROM sys.dm_xe_sessions s JOIN sys.dm_xe_session_targets t \
    ON t.event_session_address = s.address WHERE t.target_name = 'ring_buffer' AND s.name = ";

/// What the ring of a session shows, once it shows this.
fn ring(w: &World, session: &str, until: &str) -> String {
    let mut c = w.connect();
    for _ in 0..200 {
        let data = c.rows(&format!("{RING}'{session}'"));
        if data.contains(until) {
            return data;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{until} is not in {}", c.rows(&format!("{RING}'{session}'")));
}

#[test]
fn a_deadlock_is_reported_with_its_processes_and_resources() {
    let mut t = two(
        "CREATE TABLE a (i int NOT NULL CONSTRAINT pk_a PRIMARY KEY, v int) CREATE TABLE h (i int) \
         INSERT a VALUES (1, 0) INSERT h VALUES (1)",
    );
    t.watcher.ok("DBCC TRACEON (1222, 1204, -1)");
    t.ddl.ok("BEGIN TRANSACTION second_one UPDATE h SET i = 2");
    let mut other = t.other();
    other.ok("SET DEADLOCK_PRIORITY LOW BEGIN TRANSACTION UPDATE a SET v = 1 WHERE i = 1");
    let (one, victim) = (t.ddl.connection.session_id(), other.connection.session_id());
    let waits = t.waits_as(other, "UPDATE h SET i = 3 -- <the victim's> & text", "LCK_M_U");
    t.ddl.ok("UPDATE a SET v = 2 WHERE i = 1");
    let said = waits.end();
    assert_eq!(errors(&said), [1205], "{said}");
    t.ddl.ok("ROLLBACK");

    let data = ring(&t.world, "system_health", "xml_deadlock_report");
    let at = data.find("<deadlock>").expect("a report");
    let report = &data[at..at + data[at..].find("</deadlock>").expect("its end")];
    let id = |spid: u16| format!("process{:x}", 0x7f00_0000_0000u64 + u64::from(spid));
    let (one, victim) = (id(one.0), id(victim.0));
    let list = format!("<victim-list><victimProcess id=\"{victim}\"/></victim-list><process-list>");
    assert!(report.contains(&list), "{report}");
    for part in [
        "objectname=\"d.dbo.a\" indexname=\"pk_a\" id=\"lock",
        "objectname=\"d.dbo.h\" id=\"lock",
        "<ridlock fileid=\"1\" pageid=\"",
        "transactionname=\"user_transaction\"",
        "taskpriority=\"-5\"",
        "currentdbname=\"d\"",
        // The transaction's and the statement's.
        "trancount=\"2\"",
        "isolationlevel=\"read committed (2)\"",
        "lockTimeout=\"4294967295\"",
        "<frame procname=\"adhoc\" line=\"1\"",
        "\nUPDATE a SET v = 2 WHERE i = 1    </frame>",
        "\nUPDATE h SET i = 3 -- &lt;the victim's&gt; &amp; text    </inputbuf>",
        &format!("<owner id=\"{one}\" mode=\"X\"/>"),
        &format!("<owner id=\"{victim}\" mode=\"X\"/>"),
        &format!("<waiter id=\"{victim}\" mode=\"U\" requestType=\"wait\"/>"),
    ] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }

    let all = taffrail_observe::EventRing::global().read_after(0);
    let lines = all.iter().find_map(|e| match &e.event {
        taffrail_observe::Event::DeadlockReport { lines }
            if lines.iter().any(|l| l.contains(&victim)) =>
        {
            Some(lines.clone())
        }
        _ => None,
    });
    let lines = lines.expect("the trace flags' report");
    let has = |line: &str| assert!(lines.iter().any(|l| l.starts_with(line)), "{line}: {lines:#?}");
    has("Deadlock encountered .... Printing deadlock information");
    has("Node:2");
    has("Victim Resource Owner:");
    has("deadlock-list");
    has(&format!(" deadlock victim={victim}"));
    has("  process-list");
    has("     UPDATE a SET v = 2 WHERE i = 1");
    has("   ridlock fileid=1");
    has(&format!("     waiter id={victim} mode=U requestType=wait"));
}

#[test]
fn definitions_and_files_are_kept_over_a_restart() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE EVENT SESSION kept ON SERVER ADD EVENT sqlserver.error_reported (WHERE error_number = 8134) \
          ADD TARGET package0.event_file (SET filename = N'kept') WITH (STARTUP_STATE = ON)");
    c.ok("CREATE EVENT SESSION manual ON SERVER ADD EVENT sqlserver.checkpoint_end");
    c.ok("DROP EVENT SESSION system_health ON SERVER");
    c.ok("ALTER EVENT SESSION kept ON SERVER STATE = START");
    c.run("SELECT 1 / 0");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    // What a new server has is made once.
    assert_eq!(c.rows("SELECT name FROM sys.server_event_sessions ORDER BY 1"), "kept\nmanual");
    assert_eq!(c.rows("SELECT name FROM sys.dm_xe_sessions"), "kept");
    c.run("SELECT 1 / 0");
    let count = "SELECT COUNT(*), COUNT(DISTINCT file_name) \
        FROM sys.fn_xe_file_target_read_file('kept*', NULL, NULL, NULL)";
    assert_eq!(c.rows(count), "2 | 2");
}

#[test]
fn what_the_engine_does_is_told() {
    let (w, mut c) = World::with_database();
    c.ok("CREATE EVENT SESSION watch ON SERVER \
          ADD EVENT sqlserver.checkpoint_begin (WHERE database_id > 4), \
          ADD EVENT sqlserver.checkpoint_end (WHERE database_id > 4), \
          ADD EVENT sqlserver.log_flush_start (WHERE database_id > 4), \
          ADD EVENT sqlserver.log_flush_complete (ACTION (sqlserver.session_id) WHERE database_id > 4), \
          ADD EVENT sqlserver.file_write_completed (SET collect_path = 1 WHERE database_id > 4), \
          ADD EVENT sqlserver.database_file_size_change (SET collect_database_name = 1), \
          ADD EVENT sqlserver.sp_statement_completed (SET collect_object_name = 1 WHERE object_name = 'p'), \
          ADD EVENT sqlserver.login, ADD EVENT sqlserver.logout, \
          ADD EVENT sqlos.wait_info (WHERE wait_type = 'WAITFOR' AND duration >= 10) \
          ADD TARGET package0.ring_buffer (SET max_events_limit = 0), ADD TARGET package0.event_counter");
    c.ok("ALTER EVENT SESSION watch ON SERVER STATE = START");
    c.ok("CREATE TABLE t (i int) INSERT t VALUES (1) CHECKPOINT");
    c.ok("ALTER DATABASE d MODIFY FILE (NAME = d_log, SIZE = 20 MB)");
    c.ok("WAITFOR DELAY '00:00:00.02'");
    c.ok("CREATE PROCEDURE p AS UPDATE t SET i = 2");
    c.ok("EXEC p");
    drop(w.connect());
    let data = ring(&w, "watch", "name=\"logout\"");
    for part in [
        "<event name=\"checkpoint_begin\"",
        "<event name=\"checkpoint_end\"",
        "<event name=\"log_flush_start\"",
        "<event name=\"log_flush_complete\"",
        "<event name=\"file_write_completed\"",
        "<event name=\"login\"",
        "<text>WAITFOR",
        "<type name=\"database_file_type\" package=\"sqlserver\"/><value>1</value><text>Log file</text>",
        "<data name=\"total_size_kb\"><type name=\"uint64\" package=\"package0\"/><value>20480</value>",
        "<data name=\"database_name\"><type name=\"unicode_string\" package=\"package0\"/><value>d</value>",
        "<data name=\"statement\"><type name=\"unicode_string\" package=\"package0\"/><value>UPDATE t SET i = 2</value>",
    ] {
        assert!(data.contains(part), "{part} is not in {data}");
    }
    // Reading did not fill the ring with itself, and a stopped session sees nothing more.
    c.ok("ALTER EVENT SESSION watch ON SERVER STATE = STOP");
    assert_eq!(c.rows(&format!("{RING}'watch'")), "");
}

#[test]
fn long_waits_for_locks_are_reported() {
    let mut t = two("CREATE TABLE t (i int)");
    t.watcher.ok("EXEC sp_configure 'show advanced options', 1 RECONFIGURE");
    t.watcher.ok("EXEC sp_configure 'blocked process threshold (s)', 1 RECONFIGURE");
    t.watcher
        .ok("CREATE EVENT SESSION blocked ON SERVER ADD EVENT sqlserver.blocked_process_report \
         ADD TARGET package0.ring_buffer ALTER EVENT SESSION blocked ON SERVER STATE = START");
    t.ddl.ok("BEGIN TRANSACTION DROP TABLE t");
    let waits = t.waits("SELECT COUNT(*) FROM t -- waits", "LCK_M_SCH_S");
    let data = ring(&t.world, "blocked", "<blocked-process-report");
    t.ddl.ok("ROLLBACK");
    assert_eq!(waits.end(), "0");
    // The statement has a transaction of its own, which began with it.
    let blocked = data.split("<blocking-process>").next().unwrap_or_default();
    let of = |name: &str| {
        let rest = blocked.split_once(&format!(" {name}=\"")).map_or("", |found| found.1);
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    assert_eq!(of("lasttranstarted"), of("lastbatchstarted"), "{data}");
    assert_eq!(of("xactid"), of("ownerId"), "{data}");
    assert!(of("ownerId").parse::<u64>().is_ok_and(|n| n > 0), "{data}");
    assert_eq!(of("trancount"), "0", "a SELECT counts no transaction: {data}");
    for part in [
        "<blocked-process><process id=\"process7f",
        "lockMode=\"Sch-S\"",
        "status=\"suspended\"",
        "<inputbuf>\nSELECT COUNT(*) FROM t -- waits    </inputbuf>",
        "<blocking-process><process status=\"sleeping\"",
        "<inputbuf>\nBEGIN TRANSACTION DROP TABLE t    </inputbuf>",
        "<data name=\"database_name\"><type name=\"unicode_string\" package=\"package0\"/><value>d</value>",
    ] {
        assert!(data.contains(part), "{part} is not in {data}");
    }
}

#[test]
fn what_a_crash_leaves_of_a_file_hides_no_other() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE EVENT SESSION s ON SERVER ADD EVENT sqlserver.error_reported (WHERE error_number = 8134) \
          ADD TARGET package0.event_file (SET filename = N'torn') WITH (STARTUP_STATE = ON)");
    c.ok("ALTER EVENT SESSION s ON SERVER STATE = START");
    c.run("SELECT 1 / 0");
    c.ok("ALTER EVENT SESSION s ON SERVER STATE = STOP");
    let named =
        "SELECT DISTINCT file_name FROM sys.fn_xe_file_target_read_file('torn*', NULL, NULL, NULL)";
    let first = c.rows(named);
    c.ok("ALTER EVENT SESSION s ON SERVER STATE = START");
    c.run("SELECT 1 / 0");
    let count = "SELECT COUNT(*), COUNT(DISTINCT file_name) \
        FROM sys.fn_xe_file_target_read_file('torn*', NULL, NULL, NULL)";
    assert_eq!(c.rows(count), "2 | 2");
    // A block that was not written whole, and a file that was just made.
    let mut file = std::fs::OpenOptions::new().append(true).open(&first).expect("the first file");
    std::io::Write::write_all(&mut file, &[9, 0, 0, 0, 1, 2, 3, 4, 5]).expect("a torn block");
    let empty = std::path::Path::new(&first).with_file_name("torn_0_100000000000000000.xel");
    std::fs::write(&empty, b"").expect("an empty file");
    assert_eq!(c.rows(count), "2 | 2");
    let empty = empty.display();
    let said = c.run(&format!(
        "SELECT * FROM sys.fn_xe_file_target_read_file('{empty}', NULL, NULL, NULL)"
    ));
    assert_eq!(errors(&said), [25723], "{said}");
}

#[test]
fn an_event_of_a_file_is_of_a_package_that_there_is() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE EVENT SESSION s ON SERVER ADD EVENT sqlserver.error_reported (WHERE error_number = 8134), \
          ADD EVENT sqlos.wait_info (WHERE opcode = 1 AND duration > 5 AND wait_type = 'WAITFOR') \
          ADD TARGET package0.event_file (SET filename = N'packages')");
    c.ok("ALTER EVENT SESSION s ON SERVER STATE = START");
    c.run("SELECT 1 / 0");
    c.ok("WAITFOR DELAY '00:00:00.050'");
    let found = c.rows(
        "SELECT DISTINCT f.object_name, p.name FROM sys.fn_xe_file_target_read_file('packages*', NULL, NULL, NULL) f \
         JOIN sys.dm_xe_packages p ON p.guid = f.package_guid \
           AND CONVERT(uniqueidentifier, p.module_guid) = f.module_guid ORDER BY 1",
    );
    assert_eq!(found, "error_reported | sqlserver\nwait_info | sqlos");
}
