//! The catalogue over losses of power: DDL is there or not, as a whole; databases are made and dropped as a whole;
//! identity values never repeat.

use crate::support;

use std::collections::BTreeSet;
use support::sim::{start, world};
use support::{Client, connect};
use taffrail_io::sim::{SimOptions, SimRng};

/// Runs a batch; what it said, unless something went wrong.
fn run(c: &mut Client, sql: &str) -> Option<String> {
    c.try_run(sql).ok()
}

fn one_run(seed: u64) -> (bool, u32) {
    let world = world(seed, SimOptions::default());
    let mut rng = SimRng::new(seed);
    let mut ids = BTreeSet::new(); // identity values that a client has seen committed
    let mut lives = 0;
    let mut has_db = false; // acknowledged
    let mut tables: BTreeSet<u32> = BTreeSet::new(); // acknowledged
    let mut crashed_within = false;
    for life in 0..4 {
        if life > 0 {
            world.restart();
        }
        // The first start may be hit as well.
        world.crash_at(1 + rng.below(if life == 0 { 1500 } else { 900 }));
        let Ok(instance) = start(&world) else {
            crashed_within = true;
            continue;
        };
        lives += 1;
        let mut c = connect(&instance);
        let listed = run(&mut c, "SELECT name FROM sys.databases WHERE name = 'd'");
        if let Some(listed) = listed {
            let there = listed.contains("\nd\n");
            assert!(there || !has_db, "seed {seed}: an acknowledged database is gone");
            if !there && run(&mut c, "CREATE DATABASE d").is_some() {
                has_db = true;
                tables.clear();
            } else if there {
                has_db = true;
            }
        }
        run(&mut c, "USE d");
        for t in &tables {
            let name = format!("t{t}");
            let found = run(&mut c, &format!("SELECT id FROM {name}"));
            assert!(found.is_some() || !world.is_powered(), "seed {seed}: table {name} is gone");
            if *t == 0
                && let Some(found) = found
            {
                let all: Vec<i64> = found.lines().filter_map(|l| l.parse().ok()).collect();
                for id in &ids {
                    assert!(all.contains(id), "seed {seed}: row {id} is gone");
                }
                ids.extend(all);
            }
        }
        // What a crash kept from being acknowledged may be there all the same.
        if let Some(named) = run(&mut c, "SELECT name FROM sys.tables") {
            tables.extend(named.lines().filter_map(|l| l.strip_prefix('t')?.parse::<u32>().ok()));
        }
        for step in 0..30 {
            if !world.is_powered() {
                break;
            }
            let t = rng.below(4) as u32;
            let done = match rng.below(6) {
                0 => {
                    let sql = format!(
                        "CREATE TABLE t{t} (id int IDENTITY PRIMARY KEY, s varchar(20) DEFAULT 'x', UNIQUE (s, id))"
                    );
                    if tables.contains(&t) {
                        continue;
                    }
                    let done = run(&mut c, &sql).is_some();
                    if done {
                        tables.insert(t);
                    }
                    done
                }
                1 if t != 0 && tables.contains(&t) => {
                    // Dropped or not: only an answer tells.
                    tables.remove(&t);
                    run(&mut c, &format!("DROP TABLE t{t}")).is_some()
                }
                2 if tables.contains(&t) => run(
                    &mut c,
                    &format!(
                        "BEGIN TRAN; ALTER TABLE t{t} ADD c{step} int NULL; CREATE INDEX \
                        i{step} ON t{t} (s); ROLLBACK"
                    ),
                )
                .is_some(),
                3 => {
                    run(&mut c, &format!("CREATE DATABASE e{step}")).is_some()
                        && run(&mut c, &format!("DROP DATABASE e{step}")).is_some()
                }
                _ if tables.contains(&0) => {
                    let said = run(&mut c, "INSERT t0 DEFAULT VALUES SELECT SCOPE_IDENTITY()");
                    if let Some(said) = &said {
                        let id = said.lines().filter_map(|l| l.parse().ok()).next_back();
                        let id: i64 = id.expect("an identity value");
                        assert!(ids.insert(id), "seed {seed}: {id} was given out twice");
                    }
                    said.is_some()
                }
                _ => continue,
            };
            assert!(done || !world.is_powered(), "seed {seed}: a statement failed without a crash");
        }
        crashed_within |= !world.is_powered();
        if world.is_powered() {
            world.crash();
        }
        drop(c);
        // The threads of a machine without power end with its instance.
        let _ = instance.shutdown();
    }
    (crashed_within, lives)
}

#[test]
fn the_catalogue_survives_crashes() {
    let seeds = std::env::var("TAFFRAIL_SIM_RUNS").ok().and_then(|s| s.parse().ok()).unwrap_or(12);
    let (mut crashed, mut lives) = (0, 0);
    for seed in 0..seeds {
        let (within, n) = one_run(seed);
        crashed += within as u32;
        lives += n;
    }
    println!(
        "{seeds} seeds: {lives} lives, {crashed} runs with a crash in the middle of something"
    );
    assert!(crashed > 0, "no crash came in the middle of anything");
}

#[test]
fn open_ddl_is_undone_by_a_restart() {
    for checkpoint in [false, true] {
        let world = world(checkpoint.into(), SimOptions::default());
        let instance = start(&world).expect("a first start");
        let mut c = connect(&instance);
        let ok = |c: &mut Client, sql: &str| {
            run(c, sql).unwrap_or_else(|| panic!("{sql}\n{}", c.run(sql)))
        };
        ok(&mut c, "CREATE DATABASE d");
        ok(&mut c, "USE d");
        ok(
            &mut c,
            "CREATE TABLE t (a int IDENTITY PRIMARY KEY, b int, INDEX i (b)); INSERT t VALUES (1), (2)",
        );
        ok(
            &mut c,
            "CREATE TABLE u (a int); INSERT u VALUES (3); CREATE TABLE v (a int); INSERT v VALUES (4)",
        );
        ok(&mut c, "CREATE PROCEDURE p AS SELECT 'old'");
        let mut other = connect(&instance);
        ok(&mut other, "USE d");
        ok(&mut c, "BEGIN TRAN");
        ok(
            &mut c,
            "DROP TABLE t; CREATE TABLE t (z varchar(5)); INSERT t VALUES ('new'); CREATE TABLE made (a int)",
        );
        ok(
            &mut c,
            "ALTER TABLE u ADD c int NOT NULL DEFAULT 5; CREATE CLUSTERED INDEX i ON u (a); TRUNCATE TABLE v; INSERT v VALUES (9)",
        );
        ok(&mut c, "ALTER PROCEDURE p AS SELECT 'new'");
        ok(&mut c, "CREATE SCHEMA s");
        if checkpoint {
            ok(&mut other, "CHECKPOINT");
        }
        // A commit of somebody else brings the log of all that to the disk.
        ok(&mut other, "CREATE TABLE witness (a int)");
        world.crash();
        drop((c, other));
        let _ = instance.shutdown();
        world.restart();
        let instance = start(&world).expect("a start after the crash");
        let mut c = connect(&instance);
        ok(&mut c, "USE d");
        assert_eq!(c.rows("SELECT a, b FROM t WHERE b > 0"), "1 | 1\n2 | 2");
        assert_eq!(c.rows("SELECT * FROM u; SELECT * FROM v; EXEC p"), "3\n4\nold");
        assert_eq!(
            c.rows("SELECT name FROM sys.tables ORDER BY name; SELECT SCHEMA_ID('s')"),
            "t\nu\nv\nwitness\nNULL"
        );
        ok(&mut c, "INSERT t VALUES (3); CREATE TABLE made (a int)");
        drop(c);
        instance.shutdown().expect("an orderly end");
    }
}
