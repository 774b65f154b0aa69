//! Sequences over losses of power, orderly stops and many sessions: no value is given out twice.

use crate::support;

use std::collections::BTreeSet;
use support::sim::{start, world};
use support::{World, connect};
use taffrail_io::sim::{SimOptions, SimRng};

/// The numbers that a client has been told, one a line.
fn numbers(said: &str) -> Vec<i64> {
    said.lines().filter_map(|l| l.parse().ok()).collect()
}

/// Values that were told to a client, whether anything was committed or not, never come again. True for a crash within a statement.
fn one_run(seed: u64) -> bool {
    let world = world(seed, SimOptions::default());
    let mut rng = SimRng::new(seed);
    let (mut told, mut crashed) = (BTreeSet::new(), false);
    let caches = ["CACHE 3", "NO CACHE", "CACHE", "CACHE 7"];
    for life in 0..6 {
        if life > 0 {
            world.restart();
            world.crash_at(200 + rng.below(700));
        }
        let Ok(instance) = start(&world) else {
            crashed = true;
            continue;
        };
        let mut c = connect(&instance);
        if life == 0 {
            c.ok("CREATE DATABASE d");
            c.ok("USE d CREATE SEQUENCE s START WITH 1 CREATE TABLE t (id bigint)");
        }
        let _ = c.try_run("USE d");
        for _ in 0..40 {
            let sql = match rng.below(6) {
                0 => "BEGIN TRAN SELECT NEXT VALUE FOR s ROLLBACK".to_string(),
                1 => "INSERT t OUTPUT inserted.id VALUES (NEXT VALUE FOR s)".to_string(),
                2 => format!("ALTER SEQUENCE s {}", caches[rng.below(4) as usize]),
                3 => "BEGIN TRAN ALTER SEQUENCE s CACHE 5 SELECT NEXT VALUE FOR s ROLLBACK".into(),
                _ => "SELECT NEXT VALUE FOR s".to_string(),
            };
            // What a rolled back ALTER has given out belongs to the sequence that is gone.
            let counts = !sql.contains("TRAN ALTER");
            let Ok(said) = c.try_run(&sql) else {
                assert!(!world.is_powered(), "seed {seed}: {sql}");
                crashed = true;
                break;
            };
            for n in numbers(&said).into_iter().filter(|_| counts) {
                assert!(told.insert(n), "seed {seed}: {n} came twice, by {sql}");
            }
        }
        if world.is_powered() && rng.below(2) == 0 {
            world.crash();
        }
        drop(c);
        let _ = instance.shutdown();
    }
    assert!(told.len() > 20, "seed {seed}: {} values", told.len());
    crashed
}

#[test]
fn no_value_comes_twice_over_losses_of_power() {
    let seeds = std::env::var("TAFFRAIL_SIM_RUNS").ok().and_then(|s| s.parse().ok()).unwrap_or(12);
    let crashed = (0..seeds).filter(|seed| one_run(*seed)).count();
    assert!(crashed > 0, "no crash came within a statement");
}

#[test]
fn an_orderly_stop_leaves_no_gap() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d CREATE SEQUENCE s START WITH 1 CACHE 100");
    assert_eq!(numbers(&c.rows("SELECT NEXT VALUE FOR s")), [1]);
    assert_eq!(numbers(&c.rows("SELECT NEXT VALUE FOR s")), [2]);
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    c.ok("USE d");
    assert_eq!(numbers(&c.rows("SELECT NEXT VALUE FOR s")), [3]);
}

/// Sessions that take values while another one alters the sequence never get one twice.
#[test]
fn no_two_sessions_get_one_value() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d CREATE SEQUENCE s START WITH 1 CREATE TABLE t (id int) INSERT t VALUES (1), (2), (3)");
    let takers: Vec<_> = (0..4)
        .map(|_| {
            let mut c = w.connect();
            std::thread::spawn(move || {
                c.ok("USE d");
                let mut told = Vec::new();
                for _ in 0..60 {
                    told.extend(numbers(&c.rows("SELECT NEXT VALUE FOR s FROM t")));
                }
                told
            })
        })
        .collect();
    for cache in ["CACHE 2", "NO CACHE", "CACHE 9", "CACHE"].iter().cycle().take(24) {
        c.ok(&format!("ALTER SEQUENCE s {cache}"));
    }
    let told: Vec<i64> = takers.into_iter().flat_map(|t| t.join().unwrap()).collect();
    let different: BTreeSet<i64> = told.iter().copied().collect();
    assert_eq!((told.len(), different.len()), (720, 720));
    // None is skipped either: nobody stopped or crashed.
    assert_eq!(different.last(), Some(&720));
}
