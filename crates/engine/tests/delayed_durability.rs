//! Delayed durability: which commits wait for the disk, for every setting of the database and option of the commit, and
//! what makes delayed ones durable.

use crate::support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{Client, World, errors};

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

/// Commits the numbers from 1 on, connecting again whenever that fails. How many commits it was told of.
fn commit_until(stop: &AtomicBool, w: &World, session: i32, sql: &str) -> i32 {
    let (mut told, mut client) = (0, None::<Client>);
    while !stop.load(Ordering::Relaxed) {
        let c = client.get_or_insert_with(|| w.connect());
        let said = c.run(&format!("{sql} VALUES ({session}, {})", told + 1));
        match errors(&said).is_empty() {
            true => told += 1,
            false => client = None,
        }
    }
    told
}

/// Lets clients commit beside `ending`, and asks for what they were told of when `d` is there again by `beginning`.
fn ends_beside_commits(insert: &str, ending: &[&str], beginning: &str) {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d; ALTER DATABASE d SET RECOVERY FULL, DELAYED_DURABILITY = FORCED");
    c.ok("CREATE TABLE d.dbo.t (s int, n int); BACKUP DATABASE d TO DISK = 'd.bak'");
    for round in 0..12 {
        c.ok("TRUNCATE TABLE d.dbo.t");
        let stop = AtomicBool::new(false);
        let told: Vec<i32> = std::thread::scope(|scope| {
            let (stop, w) = (&stop, &w);
            let sessions: Vec<_> =
                (0..4).map(|s| scope.spawn(move || commit_until(stop, w, s, insert))).collect();
            std::thread::sleep(Duration::from_millis(30));
            for sql in ending {
                // Clients that are at it are in the way, until a moment when nobody is.
                while errors(&c.run(sql)).iter().any(|e| [3101, 3703].contains(e)) {}
            }
            stop.store(true, Ordering::Relaxed);
            sessions.into_iter().map(|s| s.join().unwrap()).collect()
        });
        c.ok(beginning);
        for (session, told) in told.into_iter().enumerate() {
            let found = format!(
                "SELECT COUNT(DISTINCT n) FROM d.dbo.t WHERE s = {session} AND n <= {told}"
            );
            assert_eq!(c.rows(&found), told.to_string(), "round {round}, session {session}");
        }
    }
}

#[test]
fn set_offline_loses_no_delayed_commit_of_clients_that_connect_again() {
    ends_beside_commits(
        "USE d; INSERT t",
        &["ALTER DATABASE d SET OFFLINE WITH ROLLBACK IMMEDIATE"],
        "ALTER DATABASE d SET ONLINE",
    );
}

#[test]
fn a_tail_has_every_delayed_commit_of_clients_that_come_from_elsewhere() {
    ends_beside_commits(
        "INSERT d.dbo.t",
        &["BACKUP LOG d TO DISK = 'd.trn' WITH NORECOVERY, INIT"],
        "RESTORE DATABASE d WITH RECOVERY",
    );
}
