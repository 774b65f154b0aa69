//! Tables that keep their history, between sessions, over restarts and backups, and for users of few rights.

use crate::support;

use support::World;

/// A table that keeps its history, with one row.
const TABLE: &str = "CREATE TABLE t (id int NOT NULL PRIMARY KEY, a int NOT NULL, s datetime2 GENERATED ALWAYS AS ROW START HIDDEN NOT NULL,
    e datetime2 GENERATED ALWAYS AS ROW END HIDDEN NOT NULL, PERIOD FOR SYSTEM_TIME (s, e))
    WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.h))
    INSERT t VALUES (1, 1)";

/// A transaction cannot change a row that a younger one has made: it would end before it begins.
#[test]
fn a_row_of_a_younger_transaction_is_not_changed() {
    let (world, mut one) = World::with_database();
    let mut two = world.connect_to("d");
    one.ok(TABLE);
    one.ok("BEGIN TRAN; SELECT COUNT(*) FROM h");
    std::thread::sleep(std::time::Duration::from_millis(2));
    two.ok("UPDATE t SET a = 2 WHERE id = 1");
    let refused = "Msg 13535, Level 16";
    for sql in [
        "UPDATE t SET a = 3",
        "DELETE t",
        "MERGE t USING (SELECT 1 AS i) v ON id = i WHEN MATCHED THEN DELETE;",
    ] {
        let said = one.rows(sql);
        assert!(said.starts_with(refused), "{sql}: {said}");
    }
    one.ok("INSERT t VALUES (2, 2) COMMIT");
    assert_eq!(one.rows("SELECT id, a FROM t ORDER BY id"), "1 | 2\n2 | 2");
    assert_eq!(one.rows("SELECT a FROM h"), "1");
    one.ok("UPDATE t SET a = 4 WHERE id = 1");
    assert_eq!(one.rows("SELECT a FROM h ORDER BY a"), "1\n2");
}

/// A plan that was made before the history got an index writes the index, too.
#[test]
fn plans_follow_the_definition_of_the_history() {
    let (_w, mut c) = World::with_database();
    c.ok(TABLE);
    c.ok("CREATE PROCEDURE p AS UPDATE t SET a += 1");
    c.ok("EXEC p");
    c.ok("CREATE INDEX i ON h (a)");
    c.ok("EXEC p");
    assert_eq!(c.rows("SELECT a FROM h WITH (INDEX (i)) WHERE a > 0 ORDER BY a"), "1\n2");
    c.ok("ALTER TABLE t ADD b int NULL");
    c.ok("EXEC p");
    assert_eq!(c.rows("SELECT a, b FROM h ORDER BY a"), "1 | NULL\n2 | NULL\n3 | NULL");
    c.ok("ALTER TABLE t SET (SYSTEM_VERSIONING = OFF)");
    c.ok("EXEC p");
    assert_eq!(c.rows("SELECT COUNT(*) FROM h"), "3");
    c.ok("DBCC CHECKDB WITH NO_INFOMSGS");
}

/// Both tables, and that they belong together, are in a backup.
#[test]
fn a_history_is_restored_with_its_table() {
    let (_w, mut c) = World::with_database();
    c.ok(TABLE);
    c.ok("ALTER TABLE t SET (SYSTEM_VERSIONING = ON (HISTORY_RETENTION_PERIOD = 3 YEARS))");
    c.ok("UPDATE t SET a = 2");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    c.ok("USE master");
    c.ok("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE");
    c.ok("USE d");
    c.ok("UPDATE t SET a = 3");
    assert_eq!(c.rows("SELECT a FROM t FOR SYSTEM_TIME ALL ORDER BY a"), "1\n2\n3");
    let kept = "SELECT temporal_type, history_retention_period, history_retention_period_unit_desc FROM sys.tables WHERE name = 't'";
    assert_eq!(c.rows(kept), "2 | 3 | YEAR");
}

/// An indexed view over the history, and one over the current table, are changed along.
#[test]
fn indexed_views_over_both_tables_are_kept() {
    let (_w, mut c) = World::with_database();
    c.ok(TABLE);
    for view in ["h", "t"] {
        c.ok(&format!("CREATE VIEW v{view} WITH SCHEMABINDING AS SELECT a, COUNT_BIG(*) AS n FROM dbo.{view} GROUP BY a"));
        c.ok(&format!("CREATE UNIQUE CLUSTERED INDEX i ON v{view} (a)"));
    }
    c.ok("UPDATE t SET a = 2");
    c.ok("INSERT t VALUES (2, 2)");
    c.ok("DELETE t");
    assert_eq!(c.rows("SELECT a, n FROM vh WITH (NOEXPAND) ORDER BY a"), "1 | 1\n2 | 2");
    assert_eq!(c.rows("SELECT COUNT(*) FROM vt WITH (NOEXPAND)"), "0");
}

/// A default that is another one in each row, for rows that are there: no row ends by it, in neither table.
#[test]
fn a_column_that_is_added_changes_no_version() {
    let (_w, mut c) = World::with_database();
    c.ok(TABLE);
    c.ok("INSERT t VALUES (2, 2)");
    c.ok("UPDATE t SET a = 3 WHERE id = 1");
    let before = c.rows("SELECT id, s, e FROM t FOR SYSTEM_TIME ALL ORDER BY id, s");
    c.ok("ALTER TABLE t ADD g uniqueidentifier NOT NULL DEFAULT NEWID()");
    assert_eq!(c.rows("SELECT id, s, e FROM t FOR SYSTEM_TIME ALL ORDER BY id, s"), before);
    assert_eq!(c.rows("SELECT COUNT(DISTINCT g), COUNT(*) FROM t FOR SYSTEM_TIME ALL"), "3 | 3");
}
