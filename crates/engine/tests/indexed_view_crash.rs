//! Indexed views over losses of power: what they show is what their queries come to, whenever the machine stops.

use crate::support;

use support::sim::{start, world};
use support::{Client, connect};
use taffrail_io::sim::{SimOptions, SimRng};

/// The tables, and the views of them: one of rows, one of groups.
const SCHEMA: &[&str] = &[
    "CREATE TABLE dbo.p (id int NOT NULL PRIMARY KEY, name varchar(10) NOT NULL)",
    "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, p int NOT NULL REFERENCES dbo.p (id) ON DELETE CASCADE, n int NOT NULL)",
    "CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT t.id, p.name, t.n FROM dbo.t JOIN dbo.p ON p.id = t.p WHERE t.n > 2",
    "CREATE VIEW dbo.g WITH SCHEMABINDING AS SELECT p, COUNT_BIG(*) AS c, SUM(n) AS s FROM dbo.t GROUP BY p",
    "INSERT dbo.p VALUES (0, 'a'), (1, 'b'), (2, 'c'), (3, 'd')",
];

/// The indexes of the views.
const INDEXES: &[&str] = &[
    "CREATE UNIQUE CLUSTERED INDEX v_c ON dbo.v (id)",
    "CREATE INDEX v_n ON dbo.v (name, n)",
    "CREATE UNIQUE CLUSTERED INDEX g_c ON dbo.g (p)",
];

/// A count of rows by which a view differs from its query.
const DIFFERENCES: &str = "SELECT (SELECT COUNT(*) FROM (SELECT * FROM dbo.v EXCEPT SELECT * FROM dbo.v WITH (NOEXPAND)) AS d) \
    + (SELECT COUNT(*) FROM (SELECT * FROM dbo.v WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.v) AS d) \
    + (SELECT COUNT(*) FROM (SELECT * FROM dbo.g EXCEPT SELECT * FROM dbo.g WITH (NOEXPAND)) AS d) \
    + (SELECT COUNT(*) FROM (SELECT * FROM dbo.g WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.g) AS d) AS differences";

fn change(rng: &mut SimRng) -> String {
    let (id, p, n) = (rng.below(12), rng.below(4), rng.below(6));
    match rng.below(7) {
        0 | 1 => format!(
            "INSERT dbo.t SELECT {id}, id, {n} FROM dbo.p WHERE id = {p} AND NOT EXISTS (SELECT 1 FROM dbo.t WHERE id = {id})"
        ),
        2 => format!("UPDATE dbo.t SET n = {n} WHERE id <= {id}"),
        3 => format!("DELETE dbo.t WHERE id = {id}"),
        4 => format!("DELETE dbo.p WHERE id = {p} INSERT dbo.p VALUES ({p}, 'x{n}')"),
        5 => format!("UPDATE dbo.p SET name = 'y{n}' WHERE id = {p}"),
        _ => format!(
            "MERGE dbo.t AS t USING (SELECT {id} AS id, id AS p FROM dbo.p WHERE id = {p}) AS s ON t.id = s.id \
            WHEN MATCHED THEN UPDATE SET p = s.p, n = {n} WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.p, {n});"
        ),
    }
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
            SCHEMA.iter().chain(INDEXES).for_each(|sql| c.ok(sql));
            world.crash_at(1 + rng.below(500));
        }
        let _ = c.try_run("USE d");
        for step in 0..40 {
            let there =
                number(&mut c, "SELECT COUNT(*) FROM sys.indexes WHERE name IN ('v_c', 'g_c')");
            if there == Some(2)
                && let Some(differences) = number(&mut c, DIFFERENCES)
            {
                assert_eq!(differences, 0, "seed {seed}, life {life}, step {step}");
                compared += 1;
            }
            if step == 0 && world.is_powered() {
                let said = c.try_run("DBCC CHECKDB WITH NO_INFOMSGS").unwrap_or_default();
                assert!(!said.contains("Msg"), "seed {seed}, life {life}: {said}");
            }
            if !world.is_powered() {
                break;
            }
            let sql = match (there, rng.below(9)) {
                (Some(2), 0) => "DROP INDEX v_c ON dbo.v".to_owned(),
                (Some(2), 1) => "ALTER INDEX ALL ON dbo.g REBUILD".to_owned(),
                (Some(2), 2) => format!("BEGIN TRAN {} ROLLBACK", change(&mut rng)),
                (Some(2), _) => change(&mut rng),
                _ => INDEXES[0].to_owned(),
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
fn indexed_views_are_their_queries_after_crashes() {
    let seeds = std::env::var("TAFFRAIL_SIM_RUNS").ok().and_then(|s| s.parse().ok()).unwrap_or(8);
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
