//! Triggers where a golden script cannot look: losses of power in the middle, memory, bulk loads, two sessions.

use crate::support;

use support::sim::{start, world};
use support::{World, connect};
use taffrail_io::sim::{SimOptions, SimRng};

/// A table whose trigger writes down each change in another one, and adds to a total.
const SETUP: [&str; 4] = [
    "CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY, a int, s char(200) DEFAULT 'x')",
    "CREATE TABLE dbo.log (n int IDENTITY PRIMARY KEY, id int, old int, new int)",
    "CREATE TABLE dbo.total (a bigint NOT NULL)",
    "CREATE TRIGGER dbo.t_noted ON dbo.t AFTER INSERT, UPDATE, DELETE AS
     SET NOCOUNT ON
     INSERT dbo.log (id, old, new) SELECT COALESCE(i.id, d.id), d.a, i.a FROM inserted AS i FULL JOIN deleted AS d ON d.id = i.id
     UPDATE dbo.total SET a += COALESCE((SELECT SUM(a) FROM inserted), 0) - COALESCE((SELECT SUM(a) FROM deleted), 0)",
];

/// 1 where the log and the total tell of exactly the rows that the table has.
const HOLDS: &str = "SELECT CASE WHEN (SELECT COALESCE(SUM(a), 0) FROM dbo.t) = (SELECT SUM(a) FROM dbo.total)
    AND (SELECT COALESCE(SUM(a), 0) FROM dbo.t) = (SELECT COALESCE(SUM(COALESCE(new, 0) - COALESCE(old, 0)), 0) FROM dbo.log)
    AND (SELECT COUNT(*) FROM dbo.t) = (SELECT COUNT(new) - COUNT(old) FROM dbo.log) THEN 'it holds' ELSE 'it does not' END";

fn one_run(seed: u64) -> u32 {
    let world = world(seed, SimOptions::default());
    let mut rng = SimRng::new(seed);
    let mut crashes = 0;
    let mut made = false;
    for life in 0..4 {
        if life > 0 {
            world.restart();
        }
        let Ok(instance) = start(&world) else { continue };
        let mut c = connect(&instance);
        if !made {
            c.ok("CREATE DATABASE d");
            c.ok("USE d");
            SETUP.iter().for_each(|sql| c.ok(sql));
            c.ok("INSERT dbo.total VALUES (0)");
            made = true;
        } else {
            c.ok("USE d");
        }
        assert_eq!(c.rows(HOLDS), "it holds", "seed {seed}, life {life}");
        world.crash_at(1 + rng.below(40));
        for _ in 0..60 {
            let sql = match rng.below(3) {
                0 => {
                    "INSERT dbo.t (a) SELECT TOP (40) ROW_NUMBER() OVER (ORDER BY object_id) FROM sys.all_columns"
                }
                1 => "UPDATE dbo.t SET a += 1 WHERE id % 3 = 0",
                _ => "DELETE TOP (15) FROM dbo.t",
            };
            if c.try_run(sql).is_err() {
                break;
            }
        }
        crashes += u32::from(!world.is_powered());
    }
    crashes
}

#[test]
fn a_statement_and_its_trigger_are_there_as_a_whole_or_not_at_all() {
    let crashes: u32 = (0..12).map(one_run).sum();
    assert!(crashes > 8, "only {crashes} losses of power");
}

#[test]
fn the_rows_of_a_trigger_go_to_a_file_where_memory_ends() {
    let (_world, mut c) = World::with_query_memory(Some(4));
    c.ok("CREATE TABLE dbo.t (id int, s char(1000)); CREATE TABLE dbo.log (n int, last int)");
    c.ok("CREATE TRIGGER dbo.t_noted ON dbo.t AFTER INSERT AS INSERT dbo.log SELECT COUNT(*), MAX(id) FROM inserted");
    c.ok("INSERT dbo.t SELECT value, 'x' FROM GENERATE_SERIES(1, 20000)");
    assert_eq!(c.rows("SELECT n, last FROM dbo.log"), "20000 | 20000");
    assert_eq!(c.rows("SELECT COUNT(*) FROM dbo.t"), "20000");
}

#[test]
fn a_bulk_load_fires_triggers_where_it_says_so() {
    let (world, mut c) = World::with_database();
    c.ok("CREATE TABLE dbo.t (id int)");
    c.ok("CREATE TABLE dbo.log (n int)");
    c.ok("CREATE TRIGGER dbo.t_noted ON dbo.t AFTER INSERT AS INSERT dbo.log SELECT COUNT(*) FROM inserted");
    let file = world.dir.join("rows.txt");
    std::fs::write(&file, "1\n2\n3\n4\n5\n").unwrap();
    let load = |with: &str| format!("BULK INSERT dbo.t FROM '{}' WITH ({with})", file.display());
    c.ok(&load("ROWTERMINATOR = '\\n'"));
    assert_eq!(c.rows("SELECT COUNT(*) FROM dbo.log"), "0");
    c.ok(&load("ROWTERMINATOR = '\\n', FIRE_TRIGGERS, BATCHSIZE = 2"));
    assert_eq!(c.rows("SELECT n FROM dbo.log"), "2\n2\n1");
}

/// Who changes rows while a trigger is made waits for it, and fires it; a plan that was made before is made anew.
#[test]
fn plans_are_made_anew_when_a_trigger_comes_and_goes() {
    let (world, mut c) = World::with_database();
    c.ok("CREATE TABLE dbo.t (id int)");
    c.ok("CREATE TABLE dbo.log (n int)");
    c.ok("CREATE PROCEDURE dbo.p AS INSERT dbo.t VALUES (1)");
    let mut other = world.connect_to(&c.rows("SELECT DB_NAME()"));
    let logged = |c: &mut support::Client| c.rows("SELECT COUNT(*) FROM dbo.log");
    other.ok("EXEC dbo.p");
    c.ok("CREATE TRIGGER dbo.t_noted ON dbo.t AFTER INSERT AS INSERT dbo.log VALUES (1)");
    other.ok("EXEC dbo.p");
    assert_eq!(logged(&mut c), "1");
    c.ok("DISABLE TRIGGER dbo.t_noted ON dbo.t");
    other.ok("EXEC dbo.p");
    assert_eq!(logged(&mut c), "1");
    c.ok("ENABLE TRIGGER dbo.t_noted ON dbo.t");
    other.ok("EXEC dbo.p");
    assert_eq!(logged(&mut c), "2");
    c.ok("BEGIN TRANSACTION DROP TRIGGER dbo.t_noted INSERT dbo.t VALUES (1)");
    assert_eq!(logged(&mut c), "2");
    c.ok("ROLLBACK");
    other.ok("EXEC dbo.p");
    assert_eq!(logged(&mut c), "3");
    c.ok("DROP TRIGGER dbo.t_noted");
    other.ok("EXEC dbo.p");
    assert_eq!(logged(&mut c), "3");
}

/// The script that takes a transaction back finds the changes of triggers in the log: they must not be made again.
#[test]
fn what_takes_a_transaction_back_fires_no_trigger() {
    let (_world, mut c) = World::with_database();
    c.ok("ALTER DATABASE d SET RECOVERY FULL");
    SETUP.iter().for_each(|sql| c.ok(sql));
    c.ok("INSERT dbo.total VALUES (0) INSERT dbo.t (a) VALUES (1), (2), (3)");
    let look = "SELECT (SELECT SUM(a) FROM dbo.t), (SELECT COUNT(*) FROM dbo.log), (SELECT a FROM dbo.total)";
    let before = c.rows(look);
    c.ok(
        "BEGIN TRANSACTION UPDATE dbo.t SET a *= 10 WHERE id > 1 DELETE dbo.t WHERE id = 1 COMMIT",
    );
    assert_ne!(c.rows(look), before);
    let last = "SELECT TOP 1 transaction_id FROM taffrail.log_changes(NULL, NULL, NULL) ORDER BY commit_lsn DESC";
    let of = c.rows(last);
    let script = c.rows(&format!("SELECT statement FROM taffrail.log_undo('{of}') ORDER BY line"));
    c.ok(&script);
    assert_eq!(c.rows(look), before, "{script}");
    assert_eq!(c.rows("SELECT is_disabled FROM sys.triggers"), "0");
}
