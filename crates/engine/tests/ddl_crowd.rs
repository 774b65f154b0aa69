//! Many sessions that create, change, rename, drop and use the same few tables at once.

use crate::support;

use support::{Client, World};
use taffrail_io::sim::SimRng;

/// What a statement may be told here: names that are there or not, columns that came or went, deadlocks.
const EXPECTED: [&str; 19] = [
    "207", "208", "213", "1088", "1205", "1222", "1502", "1911", "1913", "2705", "2714", "3701",
    "4701", "4902", "4924", "3930", "15225", "15335", "15248",
];

fn one(c: &mut Client, rng: &mut SimRng) -> String {
    let t = format!("t{}", rng.below(3));
    let sql = match rng.below(12) {
        0 => format!("CREATE TABLE {t} (a int IDENTITY PRIMARY KEY, b int)"),
        1 => format!("DROP TABLE IF EXISTS {t}"),
        2 => format!("ALTER TABLE {t} ADD c int NULL"),
        3 => format!("ALTER TABLE {t} DROP COLUMN c"),
        4 => format!("CREATE INDEX i ON {t} (b)"),
        5 => format!("DROP INDEX i ON {t}"),
        6 => format!("INSERT {t} (b) VALUES (1), (2)"),
        7 => format!("SELECT SUM(b) FROM {t} WHERE b = 2"),
        8 => "SELECT COUNT(*) FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id"
            .into(),
        9 => format!("EXEC sp_rename '{t}', 't{}'", rng.below(3)),
        10 => format!("TRUNCATE TABLE {t}"),
        _ => format!("SELECT OBJECT_ID('{t}'), COL_LENGTH('{t}', 'c')"),
    };
    let sql = match rng.below(4) {
        0 => format!("BEGIN TRAN; {sql}"),
        1 => format!("{sql}; IF @@TRANCOUNT > 0 COMMIT"),
        2 => format!("{sql}; IF @@TRANCOUNT > 0 ROLLBACK"),
        _ => sql,
    };
    let said = c.rows(&sql);
    for line in said.lines().filter_map(|l| l.strip_prefix("Msg ")) {
        let informational = line.contains("Level 0,") || line.contains("Level 10,");
        let number = line.split(',').next().unwrap_or("");
        assert!(informational || EXPECTED.contains(&number), "{sql}\n{said}");
    }
    said
}

#[test]
fn everybody_changes_everything() {
    let w = World::new();
    w.connect().ok("CREATE DATABASE d");
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let mut c = w.connect();
            scope.spawn(move || {
                let mut rng = SimRng::new(seed);
                c.run("USE d");
                // Nobody holds on for ever: who waits in vain gives up, and who is idle has nothing open for long.
                c.ok("SET LOCK_TIMEOUT 500");
                for _ in 0..150 {
                    one(&mut c, &mut rng);
                    if rng.below(6) == 0 {
                        c.run("WHILE @@TRANCOUNT > 0 COMMIT");
                    }
                }
                c.run("IF @@TRANCOUNT > 0 ROLLBACK");
            });
        }
    });
    let look = "SELECT name FROM sys.tables ORDER BY name";
    let mut c = w.connect_to("d");
    let tables = c.rows(look);
    assert_eq!(c.rows("SELECT name FROM sys.objects GROUP BY name HAVING COUNT(*) > 1"), "");
    let mut rows = String::new();
    for t in tables.lines() {
        rows += &c.rows(&format!("SELECT COUNT(*), SUM(b) FROM {t}"));
        c.ok(&format!("INSERT {t} (b) VALUES (7); DELETE {t} WHERE b = 7"));
    }
    drop(c);
    let w = w.restart();
    let mut c = w.connect_to("d");
    assert_eq!(c.rows(look), tables);
    let again: String =
        tables.lines().map(|t| c.rows(&format!("SELECT COUNT(*), SUM(b) FROM {t}"))).collect();
    assert_eq!(again, rows);
}
