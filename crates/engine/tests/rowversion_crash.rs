//! Values of rowversion columns over losses of power: none comes twice, and none is less than one that a client has seen, committed or not.

use crate::support;

use support::sim::{start, world};
use support::{Client, connect};
use taffrail_io::sim::{SimOptions, SimRng};

/// The greatest number among the lines of an answer; `None` if something went wrong.
fn greatest(c: &mut Client, sql: &str) -> Option<i64> {
    let said = c.try_run(sql).ok()?;
    said.lines().filter_map(|l| l.trim().parse().ok()).max()
}

/// Statements that take values: of many rows, taken back, told as `@@DBTS`.
const TAKERS: [&str; 4] = [
    "INSERT t (a) OUTPUT CAST(inserted.rv AS bigint) VALUES (1)",
    "UPDATE t SET a = a + 1; SELECT CAST(@@DBTS AS bigint)",
    "BEGIN TRAN; INSERT t (a) OUTPUT CAST(inserted.rv AS bigint) SELECT TOP 700 1 FROM sys.columns; ROLLBACK",
    "INSERT t (a) SELECT TOP 400 2 FROM sys.columns; SELECT CAST(MAX(rv) AS bigint) FROM t",
];

fn one_run(seed: u64) -> bool {
    let world = world(seed, SimOptions::default());
    let mut rng = SimRng::new(seed);
    let (mut seen, mut crashed_within) = (0, false);
    let mut made = false;
    for life in 0..5 {
        if life > 0 {
            world.restart();
        }
        if made {
            world.crash_at(1 + rng.below(700));
        }
        let Ok(instance) = start(&world) else {
            crashed_within = true;
            continue;
        };
        let mut c = connect(&instance);
        if !made {
            c.try_run("CREATE DATABASE d").expect("a database");
            c.try_run("USE d; CREATE TABLE t (a int, rv rowversion); INSERT t (a) VALUES (0)")
                .expect("a table");
            made = true;
        } else if c.try_run("USE d").is_ok() {
            let told = greatest(&mut c, "SELECT CAST(@@DBTS AS bigint)");
            assert!(
                told.is_none_or(|n| n >= seen),
                "seed {seed}: @@DBTS goes back from {seen} to {told:?}"
            );
        }
        for _ in 0..12 {
            let taker = TAKERS[rng.below(TAKERS.len() as u64) as usize];
            let Some(n) = greatest(&mut c, taker) else { break };
            assert!(n > seen, "seed {seed}: {n} comes after {seen}: {taker}");
            seen = n;
        }
        if let Some(twice) = greatest(&mut c, "SELECT COUNT(*) - COUNT(DISTINCT rv) FROM t") {
            assert_eq!(twice, 0, "seed {seed}: a value is there twice");
        }
        crashed_within |= !world.is_powered();
        let clean = world.is_powered() && rng.below(2) == 0;
        if world.is_powered() && !clean {
            world.crash();
        }
        drop(c);
        // The threads of a machine without power end with its instance.
        let _ = instance.shutdown();
    }
    crashed_within
}

#[test]
fn no_value_comes_twice_or_goes_back() {
    let seeds = std::env::var("TAFFRAIL_SIM_RUNS").ok().and_then(|s| s.parse().ok()).unwrap_or(8);
    let crashed = (0..seeds).filter(|seed| one_run(*seed)).count();
    assert!(crashed > 0, "no crash came in the middle of anything");
}

#[test]
fn an_open_transaction_has_the_lowest_active_value() {
    let world = world(1, SimOptions::default());
    let instance = start(&world).expect("a first start");
    let (mut one, mut other) = (connect(&instance), connect(&instance));
    one.try_run("CREATE DATABASE d").expect("a database");
    one.try_run("USE d; CREATE TABLE t (a int, rv rowversion); INSERT t (a) VALUES (0)")
        .expect("a table");
    other.try_run("USE d").expect("the database");
    let lowest = "SELECT CAST(MIN_ACTIVE_ROWVERSION() AS bigint) - 2000";
    assert_eq!(other.rows(lowest), "2");
    one.try_run("BEGIN TRAN; INSERT t (a) VALUES (1), (2)").expect("a transaction");
    other.try_run("INSERT t (a) VALUES (3)").expect("a row");
    assert_eq!(other.rows("SELECT CAST(@@DBTS AS bigint) - 2000"), "4");
    // What is newer than this is not all there yet.
    assert_eq!(other.rows(lowest), "2");
    one.try_run("SAVE TRAN s; UPDATE t SET a = 9 WHERE a = 1; ROLLBACK TRAN s")
        .expect("a part taken back");
    assert_eq!(other.rows(lowest), "2");
    one.try_run("COMMIT").expect("the end");
    assert_eq!(other.rows(lowest), "6");
    one.try_run("BEGIN TRAN; INSERT t (a) VALUES (4)").expect("a transaction");
    assert_eq!(one.rows(lowest), "6");
    one.try_run("ROLLBACK").expect("the end");
    assert_eq!(other.rows(lowest), "7");
    drop((one, other));
    instance.shutdown().expect("an orderly end");
    world.restart();
    let instance = start(&world).expect("a start");
    let mut c = connect(&instance);
    c.try_run("USE d").expect("the database");
    // A clean stop leaves no gap.
    assert_eq!(c.rows(lowest), "7");
    drop(c);
    instance.shutdown().expect("an orderly end");
}
