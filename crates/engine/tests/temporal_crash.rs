//! Tables that keep their history over losses of power: each row's versions follow each other, whenever the machine stops.

use crate::support;

use support::sim::{start, world};
use support::{Client, connect};
use taffrail_io::sim::{SimOptions, SimRng};

/// The table, and what keeps count beside it of how often each row was changed.
const SCHEMA: &[&str] = &[
    "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, n int NOT NULL, x varchar(4000) NULL,
        s datetime2 GENERATED ALWAYS AS ROW START NOT NULL,
        e datetime2 GENERATED ALWAYS AS ROW END NOT NULL, PERIOD FOR SYSTEM_TIME (s, e))
        WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h))",
    "CREATE INDEX h_n ON dbo.h (n)",
    "CREATE TABLE dbo.made (id int NOT NULL PRIMARY KEY, versions int NOT NULL)",
];

/// A count of rows that should not be: versions of a row that overlap, more or fewer of them than were made, rows that are open and old,
/// entries of the index without a row.
const WRONG: &str = "SELECT
    (SELECT COUNT(*) FROM (SELECT s, LAG(e) OVER (PARTITION BY id ORDER BY s, e) AS p
        FROM (SELECT id, s, e FROM dbo.t UNION ALL SELECT id, s, e FROM dbo.h) a) d WHERE p > s)
    + (SELECT COUNT(*) FROM (SELECT id, COUNT(*) AS n FROM (SELECT id FROM dbo.t UNION ALL SELECT id FROM dbo.h) a GROUP BY id) c
        FULL JOIN dbo.made m ON m.id = c.id WHERE m.versions IS NULL OR c.n IS NULL OR m.versions <> c.n)
    + (SELECT COUNT(*) FROM dbo.h WHERE e > '9999' OR e < s) + (SELECT COUNT(*) FROM dbo.t WHERE e < '9999')
    + (SELECT COUNT(*) FROM dbo.h WITH (INDEX (h_n))) - (SELECT COUNT(*) FROM dbo.h WITH (INDEX (1))) AS wrong";

/// A change and its note, of one transaction.
fn change(rng: &mut SimRng) -> String {
    let (id, n) = (rng.below(10), rng.below(100));
    let change = match rng.below(4) {
        0 => format!(
            "IF NOT EXISTS (SELECT * FROM dbo.t WHERE id = {id}) BEGIN INSERT dbo.t (id, n, x) VALUES ({id}, {n}, REPLICATE('x', {n} * 30))
            MERGE dbo.made m USING (VALUES ({id})) v (id) ON v.id = m.id
            WHEN MATCHED THEN UPDATE SET versions += 1 WHEN NOT MATCHED THEN INSERT VALUES (v.id, 1); END"
        ),
        1 => format!("DELETE dbo.t WHERE id = {id}"),
        _ => format!(
            "UPDATE m SET versions += 1 FROM dbo.made m JOIN dbo.t t ON t.id = m.id WHERE m.id <= {id}
            UPDATE dbo.t SET n = {n}, x = REPLICATE('y', {n} * 30) WHERE id <= {id}"
        ),
    };
    let end = if rng.below(5) == 0 { "ROLLBACK" } else { "COMMIT" };
    format!("BEGIN TRAN {change} {end}")
}

/// Asks a number; none where the machine has stopped.
fn number(c: &mut Client, sql: &str) -> Option<i64> {
    let said = c.try_run(sql).ok()?;
    said.lines().find_map(|l| l.parse().ok())
}

fn one_run(seed: u64) -> (u32, u32) {
    let world = world(seed, SimOptions::default());
    let mut rng = SimRng::new(seed);
    let (mut compared, mut crashed) = (0, 0);
    for life in 0..4 {
        if life > 0 {
            world.restart();
            world.crash_at(1 + rng.below(700));
        }
        let Ok(instance) = start(&world) else {
            crashed += 1;
            continue;
        };
        let mut c = connect(&instance);
        if life == 0 {
            c.ok("CREATE DATABASE d");
            c.ok("USE d");
            SCHEMA.iter().for_each(|sql| c.ok(sql));
            world.crash_at(1 + rng.below(500));
        }
        let _ = c.try_run("USE d");
        for step in 0..40 {
            if let Some(wrong) = number(&mut c, WRONG) {
                assert_eq!(wrong, 0, "seed {seed}, life {life}, step {step}");
                compared += 1;
            }
            if step == 0 && world.is_powered() {
                let said = c.try_run("DBCC CHECKDB WITH NO_INFOMSGS").unwrap_or_default();
                assert!(!said.contains("Msg"), "seed {seed}, life {life}: {said}");
            }
            if !world.is_powered() {
                break;
            }
            let sql = match rng.below(20) {
                0 => "BEGIN TRAN ALTER TABLE dbo.t SET (SYSTEM_VERSIONING = OFF)
                    ALTER TABLE dbo.t SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h)) COMMIT"
                    .to_owned(),
                1 => "BEGIN TRAN ALTER TABLE dbo.t ADD y int NOT NULL CONSTRAINT y_d DEFAULT 1
                    ALTER TABLE dbo.t DROP CONSTRAINT y_d ALTER TABLE dbo.t DROP COLUMN y ROLLBACK"
                    .to_owned(),
                _ => change(&mut rng),
            };
            let done = c.try_run(&sql);
            assert!(done.is_ok() || !world.is_powered(), "seed {seed}: {sql}: {done:?}");
        }
        crashed += u32::from(!world.is_powered());
        if world.is_powered() {
            world.crash();
        }
        drop(c);
        // The threads of a machine without power end with its instance.
        let _ = instance.shutdown();
    }
    (compared, crashed)
}

#[test]
fn versions_of_rows_follow_each_other_after_crashes() {
    let seeds = std::env::var("TAFFRAIL_SIM_RUNS").ok().and_then(|s| s.parse().ok()).unwrap_or(6);
    let (mut compared, mut crashed) = (0, 0);
    for seed in 0..seeds {
        let (n, stopped) = one_run(seed);
        compared += n;
        crashed += stopped;
    }
    println!(
        "{seeds} seeds: compared {compared} times, {crashed} lives ended in the middle of something"
    );
    assert!(crashed > 0 && compared > seeds as u32, "{compared} comparisons, {crashed} crashes");
}
