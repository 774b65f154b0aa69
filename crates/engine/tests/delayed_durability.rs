//! Delayed durability: which commits wait for the disk, for every setting of the database and option of the commit, and
//! what makes delayed ones durable.

use crate::support;

use support::{Client, World};

/// Commits that have waited for a flush.
const WAITS: &str = "SELECT cntr_value FROM sys.dm_os_performance_counters \
    WHERE counter_name = 'Log Flush Waits/sec' AND instance_name = 'd'";

fn waits(c: &mut Client) -> i64 {
    c.rows(WAITS).parse().unwrap()
}

#[test]
fn the_database_and_the_commit_decide_together() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d; CREATE TABLE t (a int)");
    let autocommit = "INSERT t VALUES (1)";
    let plain = "BEGIN TRAN; INSERT t VALUES (1); COMMIT";
    let off = "BEGIN TRAN; INSERT t VALUES (1); COMMIT TRANSACTION WITH (DELAYED_DURABILITY = OFF)";
    let on = "BEGIN TRAN x; INSERT t VALUES (1); COMMIT TRAN x WITH (DELAYED_DURABILITY = ON)";
    let implicit = "SET IMPLICIT_TRANSACTIONS ON; INSERT t VALUES (1); \
        COMMIT WITH (DELAYED_DURABILITY = ON); SET IMPLICIT_TRANSACTIONS OFF";
    // What commits, and whether it is delayed under DISABLED, ALLOWED, FORCED.
    let matrix = [
        (autocommit, [false, false, true]),
        (plain, [false, false, true]),
        (off, [false, false, true]),
        (on, [false, true, true]),
        (implicit, [false, true, true]),
    ];
    for (n, setting) in ["DISABLED", "ALLOWED", "FORCED"].into_iter().enumerate() {
        c.ok(&format!("ALTER DATABASE d SET DELAYED_DURABILITY = {setting}"));
        let shown = "SELECT delayed_durability, delayed_durability_desc FROM sys.databases WHERE name = 'd'";
        assert_eq!(c.rows(shown), format!("{n} | {setting}"));
        for (sql, delayed) in matrix {
            let before = waits(&mut c);
            c.ok(sql);
            let waited = waits(&mut c) - before;
            assert_eq!(waited, i64::from(!delayed[n]), "{setting}: {sql}");
        }
    }
    // Only the outermost COMMIT counts.
    c.ok("ALTER DATABASE d SET DELAYED_DURABILITY = ALLOWED");
    let before = waits(&mut c);
    c.ok("BEGIN TRAN; BEGIN TRAN; INSERT t VALUES (1); COMMIT WITH (DELAYED_DURABILITY = ON)");
    c.ok("COMMIT");
    assert_eq!(waits(&mut c) - before, 1);
    assert_eq!(c.rows("DECLARE @r int; EXEC @r = sys.sp_flush_log; SELECT @r"), "1");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t"), "16");
}

#[test]
fn a_clean_shutdown_loses_no_delayed_commit() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d; CREATE TABLE t (a int)");
    c.ok("ALTER DATABASE d SET DELAYED_DURABILITY = FORCED");
    c.ok("INSERT t VALUES (1)");
    drop(c);
    let w = w.restart();
    let mut c = w.connect_to("d");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t"), "1");
}
