//! Scalar functions of users, called from scans: attentions, memory, crashes, and functions that change while they are called.

use crate::support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::sim::{crash_and_start, start, world};
use support::{World, connect};
use taffrail_io::sim::SimOptions;

/// Runs for a few microseconds a call, and is not inlined.
const LOOPS: &str = "CREATE FUNCTION dbo.loops (@a int) RETURNS int AS
    BEGIN DECLARE @i int = 0 WHILE @i < 5 SET @i += 1 RETURN @a + @i END";

#[test]
fn a_scan_that_calls_a_function_ends_within_a_second_of_an_attention() {
    let (world, mut c) = World::with_database();
    c.ok(LOOPS);
    c.ok("CREATE FUNCTION dbo.endless (@a int) RETURNS int AS BEGIN WHILE @a = @a SET @a = @a RETURN @a END");
    c.ok("CREATE TABLE t (a int); INSERT t SELECT value FROM GENERATE_SERIES(1, 100000)");
    for sql in [
        "SELECT SUM(CAST(dbo.loops(x.a) AS bigint)) FROM t AS x CROSS JOIN t AS y",
        "UPDATE x SET a = dbo.loops(x.a) FROM t AS x JOIN t AS y ON dbo.loops(x.a) = -y.a",
        "SELECT dbo.endless(a) FROM t",
        "EXEC dbo.endless 1",
    ] {
        let database = c.rows("SELECT DB_NAME()");
        let mut other = world.connect_to(&database);
        let handle = other.connection.cancel_handle();
        let (ended, waits) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            other.run(sql);
            let after = (other.connection.was_cancelled(), other.rows("SELECT @@NESTLEVEL"));
            ended.send(after).expect("somebody waits");
        });
        let early = waits.recv_timeout(Duration::from_millis(300));
        assert!(early.is_err(), "{sql}: ended by itself");
        let called_off = Instant::now();
        handle.cancel();
        let (cancelled, level) = waits.recv_timeout(Duration::from_secs(10)).expect("its end");
        assert!(called_off.elapsed() < Duration::from_secs(1), "{sql}: {:?}", called_off.elapsed());
        assert!(cancelled, "{sql}");
        assert_eq!(level, "0", "{sql}");
    }
    assert_eq!(c.rows("SELECT COUNT(*), MIN(a), MAX(a) FROM t"), "100000 | 1 | 100000");
}

#[test]
fn what_a_call_takes_is_given_back_and_counted_while_it_runs() {
    let (_world, mut c) = World::with_query_memory(Some(8));
    c.ok("CREATE FUNCTION dbo.own (@a int) RETURNS int AS BEGIN
        DECLARE @s varchar(max) = REPLICATE(CAST('x' AS varchar(max)), 100000), @t TABLE (a int)
        INSERT @t VALUES (@a), (@a)
        RETURN LEN(@s) + (SELECT SUM(a) FROM @t) END");
    c.ok("CREATE FUNCTION dbo.grows (@a int) RETURNS int AS BEGIN
        DECLARE @s varchar(max) = REPLICATE(CAST('x' AS varchar(max)), 100000)
        WHILE LEN(@s) > 0 SET @s = @s + @s
        RETURN 1 END");
    let many = "SELECT SUM(CAST(dbo.own(value) AS bigint)) FROM GENERATE_SERIES(1, 500)";
    assert_eq!(c.rows(many), "50250500");
    let said = c.rows("SELECT dbo.grows(1)");
    assert!(said.contains("Msg 701, Level 17, State 123"), "{said}");
    assert_eq!(c.rows(many), "50250500");
    assert_eq!(c.rows("SELECT COUNT(*) FROM tempdb.sys.tables WHERE name LIKE '#@%'"), "0");
}

#[test]
fn functions_outlive_a_loss_of_power_and_a_rollback() {
    let world = world(7, SimOptions::default());
    let instance = start(&world).expect("a start");
    let mut c = connect(&instance);
    c.ok("CREATE DATABASE d");
    c.ok("USE d");
    c.ok("CREATE FUNCTION dbo.f (@a int = 3, @b varchar(10)) RETURNS decimal(9, 2) WITH SCHEMABINDING, RETURNS NULL ON NULL INPUT
        AS BEGIN RETURN @a * 1.5 END");
    c.ok("CREATE FUNCTION dbo.r (@a int) RETURNS TABLE AS RETURN SELECT @a AS x, 'y' AS y");
    c.ok("BEGIN TRANSACTION");
    c.ok("CREATE FUNCTION dbo.undone () RETURNS int AS BEGIN RETURN 1 END");
    c.ok("ROLLBACK");
    c.ok("CREATE TABLE t (a int CHECK (dbo.f(a, '') > 1), b decimal(9, 2) DEFAULT dbo.f(4, ''))");
    let facts = "SELECT OBJECTPROPERTY(OBJECT_ID('dbo.f'), 'IsScalarFunction'), OBJECTPROPERTY(OBJECT_ID('dbo.f'), 'IsSchemaBound'),
        OBJECTPROPERTY(OBJECT_ID('dbo.f'), 'IsDeterministic'), OBJECTPROPERTY(OBJECT_ID('dbo.r'), 'IsInlineFunction'),
        COLUMNPROPERTY(OBJECT_ID('dbo.r'), 'y', 'Precision'), OBJECT_ID('dbo.undone')";
    let before = c.rows(facts);
    assert_eq!(before, "1 | 1 | 1 | 1 | 1 | NULL");
    drop(c);
    let instance = crash_and_start(&world, instance);
    let mut c = connect(&instance);
    c.ok("USE d");
    assert_eq!(c.rows(facts), before);
    assert_eq!(
        c.rows("SELECT dbo.f(DEFAULT, 'x'), dbo.f(2, NULL), x, y FROM dbo.r(5)"),
        "4.50 | NULL | 5 | y"
    );
    assert!(c.run("INSERT t (a) VALUES (0)").contains("Msg 547"));
    assert_eq!(c.rows("INSERT t (a) VALUES (1); SELECT a, b FROM t"), "1 | 6.00");
    drop(c);
    let _ = instance.shutdown();
}

#[test]
fn a_statement_calls_one_version_of_a_function_while_others_alter_it() {
    let (world, mut c) = World::with_database();
    let database = c.rows("SELECT DB_NAME()");
    let make = |n: u32| {
        format!(
            "CREATE OR ALTER FUNCTION dbo.v (@a int) RETURNS int AS BEGIN IF @a = 0 RETURN {n} RETURN {n} END"
        )
    };
    c.ok(&make(0));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let mut other = world.connect_to(&database);
        let (done, make) = (&done, &make);
        let alters = scope.spawn(move || {
            let mut n = 0;
            while !done.load(Ordering::Relaxed) {
                n += 1;
                other.ok(&make(n));
            }
            n
        });
        for _ in 0..60 {
            let sql = "SELECT COUNT(DISTINCT dbo.v(value)) FROM GENERATE_SERIES(1, 300)";
            assert_eq!(c.rows(sql), "1");
        }
        done.store(true, Ordering::Relaxed);
        assert!(alters.join().expect("its end") > 1, "nothing was altered meanwhile");
    });
}
