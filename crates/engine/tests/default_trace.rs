//! The default trace over restarts, with a torn end, on a full disk, and beside open transactions.

use crate::support;

use std::path::Path;
use std::sync::Arc;
use support::sim::world;
use support::{Client, connect};
use taffrail_engine::{Instance, InstanceOptions};
use taffrail_io::sim::{SimOptions, SimWorld};
use taffrail_observe::{Event, EventRing};

fn start(world: &SimWorld) -> Arc<Instance> {
    let mut options = InstanceOptions::new("/data", world.env());
    options.max_server_memory_mb = 16;
    options.trace_dir = Some("/data/log".into());
    taffrail_engine::start(options).expect("a start")
}

/// The objects of a name that were created, as all files tell.
fn created(c: &mut Client, name: &str) -> String {
    c.rows(&format!(
        "SELECT EventSubClass FROM sys.fn_trace_gettable('log.trc', DEFAULT) \
         WHERE EventClass = 46 AND ObjectName = '{name}' ORDER BY EventSequence"
    ))
}

fn files(world: &SimWorld) -> Vec<String> {
    let mut all = world.env().disk.list(Path::new("/data/log")).unwrap_or_default();
    all.retain(|p| p.extension().is_some_and(|e| e == "trc"));
    let mut names: Vec<String> =
        all.iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn five_files_are_kept_over_restarts() {
    let world = world(11, SimOptions::default());
    for n in 1..=7 {
        let instance = start(&world);
        let mut c = connect(&instance);
        if n == 1 {
            c.ok("CREATE DATABASE kept_trace");
        }
        c.ok(&format!("USE kept_trace CREATE TABLE kept_{n} (i int)"));
        let path = c.rows("SELECT path FROM sys.traces");
        assert_eq!(path, format!("/data/log/log_{n}.trc"));
        if n == 5 {
            assert_eq!(created(&mut c, "kept_1"), "0\n1");
            let first = "SELECT COUNT(*) FROM sys.fn_trace_gettable('log.trc', 1) WHERE ObjectName = 'kept_";
            assert_eq!(c.rows(&format!("{first}1'")), "2");
            assert_eq!(c.rows(&format!("{first}2'")), "0", "one file");
        }
        drop(c);
        instance.shutdown().unwrap();
    }
    let names = ["log_3.trc", "log_4.trc", "log_5.trc", "log_6.trc", "log_7.trc"];
    assert_eq!(files(&world), names);
    let instance = start(&world);
    let mut c = connect(&instance);
    assert_eq!(created(&mut c, "kept_3"), "", "it is gone with its file");
    assert_eq!(created(&mut c, "kept_7"), "0\n1");
    let of = |class| {
        format!("SELECT COUNT(*) FROM sys.fn_trace_gettable('log.trc', DEFAULT) WHERE {class}")
    };
    // Four of the starts before this one, and this one.
    assert_eq!(c.rows(&of("EventClass = 18 AND EventSubClass = 2")), "5");
    assert_eq!(c.rows(&of("EventClass = 18 AND EventSubClass = 1")), "4");
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn a_torn_end_costs_what_was_torn() {
    let world = world(12, SimOptions::default());
    let instance = start(&world);
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE torn_trace");
    c.ok("USE torn_trace CREATE TABLE whole (i int)");
    assert_eq!(created(&mut c, "whole"), "0\n1");
    let whole: u64 = c.rows("SELECT file_position FROM sys.traces").parse().unwrap();
    c.ok("CREATE TABLE torn (i int)");
    assert_eq!(created(&mut c, "torn"), "0\n1");
    drop(c);
    instance.shutdown().unwrap();
    let disk = world.env().disk;
    let path = Path::new("/data/log/log_1.trc");
    let volume = disk.open(path, taffrail_io::OpenSpec::PLAIN).unwrap();
    for more in [100, 9, 8, 1] {
        volume.truncate(whole + more).unwrap();
        let instance = start(&world);
        let mut c = connect(&instance);
        assert_eq!(created(&mut c, "whole"), "0\n1", "{more}");
        assert_eq!(created(&mut c, "torn"), "", "{more}");
        assert_eq!(
            c.rows("SELECT COUNT(*) FROM sys.fn_trace_gettable('log_1.trc', DEFAULT) WHERE ObjectName = 'whole'"),
            "2"
        );
        drop(c);
        instance.shutdown().unwrap();
    }
}

#[test]
fn a_full_disk_stops_the_trace_and_not_the_server() {
    let world = world(13, SimOptions::default());
    let instance = start(&world);
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE full_trace");
    c.ok("USE full_trace CREATE TABLE before (i int)");
    assert_eq!(created(&mut c, "before"), "0\n1");
    let space = world.env().disk.space("/data".as_ref()).unwrap();
    world.set_capacity(space.total - space.available.min(space.total));
    let used: u64 = world.env().disk.space("/data".as_ref()).unwrap().total;
    world.set_capacity(used.min(1));
    c.ok("CREATE TABLE during (i int)");
    // Reading writes what waits.
    assert_eq!(c.rows("SELECT status, is_default FROM sys.traces"), "0 | 1");
    c.ok("INSERT before VALUES (1) CREATE TABLE unseen (i int) DROP TABLE unseen");
    let told = EventRing::global().read_after(0).into_iter().filter(|r| match &r.event {
        Event::Raised { number: 19099, severity: 16, text, .. } => {
            text.starts_with("Trace ID '1' was stopped because of an error. Cause: 112(")
        }
        _ => false,
    });
    assert_eq!(told.count(), 1, "once");
    world.set_capacity(u64::MAX);
    assert_eq!(created(&mut c, "before"), "0\n1");
    assert_eq!(created(&mut c, "during"), "", "lost, and counted");
    assert_eq!(
        c.rows("SELECT CASE WHEN dropped_event_count >= 2 THEN 'yes' END FROM sys.traces"),
        "yes"
    );
    // RECONFIGURE begins it anew.
    c.ok("RECONFIGURE");
    assert_eq!(c.rows("SELECT status FROM sys.traces"), "1");
    c.ok("CREATE TABLE afterwards (i int)");
    assert_eq!(created(&mut c, "afterwards"), "0\n1");
    drop(c);
    instance.shutdown().unwrap();
}

#[test]
fn an_objects_end_is_that_of_its_transaction() {
    let world = world(14, SimOptions::default());
    let instance = start(&world);
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE ends_trace");
    c.ok("USE ends_trace BEGIN TRANSACTION CREATE TABLE one (i int)");
    assert_eq!(created(&mut c, "one"), "0", "not yet");
    c.ok("SAVE TRANSACTION s CREATE TABLE two (i int) ROLLBACK TRANSACTION s");
    assert_eq!(created(&mut c, "two"), "0\n2");
    c.ok("COMMIT");
    assert_eq!((&*created(&mut c, "one"), &*created(&mut c, "two")), ("0\n1", "0\n2"));
    // A table of a session is told by the name that it was given; a table variable is nobody's business.
    c.ok("CREATE TABLE #mine (i int) DECLARE @v TABLE (i int) INSERT @v VALUES (1)");
    assert_eq!(
        c.rows(
            "SELECT t.ObjectName, t.EventSubClass FROM sys.fn_trace_gettable('log.trc', DEFAULT) t \
             WHERE t.EventClass = 46 AND t.DatabaseName = 'tempdb' ORDER BY t.EventSequence"
        ),
        "#mine | 0\n#mine | 1"
    );
    c.ok("SELECT i INTO into_one FROM one");
    assert_eq!(created(&mut c, "into_one"), "0\n1");
    c.ok("EXEC sp_rename 'into_one', 'other_name'");
    let altered = "SELECT DISTINCT ObjectName FROM sys.fn_trace_gettable('log.trc', DEFAULT) \
        WHERE EventClass = 164 AND ObjectType = 8277";
    assert_eq!(c.rows(altered), "other_name");
    c.ok("DBCC SHRINKFILE (2, 1)");
    drop(c);
    instance.shutdown().unwrap();
}
