//! Startup procedures: what `sp_procoption` has run when the server has started, and what the error log says of it.

use crate::support;

use std::time::{Duration, Instant};
use support::{Client, World};
use taffrail_observe::{Event, EventRing};

/// Waits until a query gives these rows.
fn eventually(c: &mut Client, sql: &str, wanted: &str) {
    let began = Instant::now();
    loop {
        let rows = c.rows(sql);
        if rows == wanted {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{sql}: {rows}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The numbers of messages, and the texts about recovery and starts, that the error log has been told.
fn told() -> (Vec<i32>, Vec<String>) {
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    for told in EventRing::global().read_after(0) {
        match told.event {
            Event::Raised { number, .. } => numbers.push(number),
            Event::RecoveryMessage { text, .. } => texts.push(text),
            _ => {}
        }
    }
    (numbers, texts)
}

#[test]
fn a_startup_procedure_runs_at_each_start_as_sa_in_master() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d CREATE TABLE dbo.starts (who sysname, place sysname)");
    c.ok("USE master");
    c.ok("CREATE PROCEDURE dbo.[notes ]]it] AS INSERT d.dbo.starts VALUES (SUSER_SNAME(), DB_NAME())");
    c.ok("EXEC sp_procoption N'[notes ]]it]', 'startup', 'on'");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.starts"), "0");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    eventually(&mut c, "SELECT COUNT(*) FROM d.dbo.starts", "1");
    assert_eq!(c.rows("SELECT who, place FROM d.dbo.starts"), "sa | master");
    assert!(told().1.iter().any(|t| t == "Launched startup procedure 'notes ]it'."));
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    eventually(&mut c, "SELECT COUNT(*) FROM d.dbo.starts", "2");
    // Switched off, whichever way, none runs.
    c.ok("EXEC sp_configure 'show advanced options', 1 RECONFIGURE");
    c.ok("EXEC sp_configure 'scan for startup procs', 0");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    c.ok("EXEC sp_procoption N'[notes ]]it]', 'startup', 'off'");
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.starts"), "2");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.starts"), "2");
}

#[test]
fn what_has_the_name_of_one_that_has_left_dbo_does_not_run() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE dbo.seen (what varchar(9))");
    c.ok("CREATE SCHEMA other");
    c.ok("CREATE PROCEDURE dbo.p AS INSERT dbo.seen VALUES ('marked')");
    c.ok("CREATE PROCEDURE dbo.works AS INSERT dbo.seen VALUES ('works')");
    c.ok("EXEC sp_procoption N'p', 'startup', 'on'");
    c.ok("EXEC sp_procoption N'works', 'startup', 'on'");
    c.ok("ALTER SCHEMA other TRANSFER dbo.p");
    c.ok("CREATE PROCEDURE dbo.p AS INSERT dbo.seen VALUES ('unmarked')");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    eventually(&mut c, "SELECT what FROM dbo.seen WHERE what = 'works'", "works");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(c.rows("SELECT what FROM dbo.seen"), "works");
}

#[test]
fn an_error_goes_to_the_error_log_and_others_run_all_the_same() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE dbo.seen (n int)");
    c.ok("CREATE PROCEDURE dbo.fails AS SELECT 1 / 0 AS nothing");
    c.ok("CREATE PROCEDURE dbo.works AS INSERT dbo.seen VALUES (1)");
    c.ok("EXEC sp_procoption N'fails', 'startup', 'on'");
    c.ok("EXEC sp_procoption N'works', 'startup', 'on'");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    eventually(&mut c, "SELECT COUNT(*) FROM dbo.seen", "1");
    let began = Instant::now();
    while !told().0.contains(&8134) {
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", told());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(told().0.contains(&17133), "{:?}", told());
}

#[test]
fn one_that_never_ends_keeps_neither_the_start_nor_the_stop() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE dbo.beats (n int)");
    c.ok("CREATE PROCEDURE dbo.beat AS
          WHILE 1 = 1 BEGIN INSERT dbo.beats VALUES (1) WAITFOR DELAY '00:00:00.020' END");
    c.ok("EXEC sp_procoption N'beat', 'startup', 'on'");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    let began = Instant::now();
    while c.rows("SELECT COUNT(*) FROM dbo.beats WITH (NOLOCK)") == "0" {
        assert!(began.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(20));
    }
    c.ok("EXEC sp_procoption N'beat', 'startup', 'off'");
    drop(c);
    let w = w.restart();
    w.connect().ok("DROP PROCEDURE dbo.beat DROP TABLE dbo.beats");
}
