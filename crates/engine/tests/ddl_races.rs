//! DDL that has waited for DDL: what it works on then; and what of it a rollback to a savepoint leaves.

use crate::support;

use support::two::{number, two};

#[test]
fn a_session_with_ddl_of_its_own_writes_into_an_index_that_came_while_it_waited() {
    let mut t = two("CREATE TABLE t (a int, b int); INSERT t VALUES (0, 0)");
    t.ddl.ok("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; BEGIN TRAN; SELECT a FROM t");
    let maker = t.waits("CREATE INDEX i ON t (b)", "LCK_M_SCH_M");
    let writer = t.other();
    let sql = "BEGIN TRAN; CREATE TABLE x (a int); INSERT t VALUES (1, 1); COMMIT";
    let writer = t.waits_for(maker.session, writer, sql, "LCK_M_IX");
    t.ddl.ok("COMMIT");
    assert_eq!((maker.end(), writer.end()), (String::new(), String::new()));
    assert_eq!(t.ddl.rows("SELECT b FROM t WHERE b = 1"), "1");
    assert_eq!(t.ddl.rows("SELECT COUNT(*) FROM t WHERE b >= 0"), "2");
}

#[test]
fn a_batch_of_a_session_with_ddl_is_planned_anew_after_the_ddl_of_others() {
    let mut t = two(
        "CREATE TABLE t (a int, b int); INSERT t VALUES (0, 0); CREATE TABLE z (a int); INSERT z VALUES (1)",
    );
    let mut writer = t.other();
    writer.ok("BEGIN TRAN; CREATE TABLE x (a int)");
    t.ddl.ok("BEGIN TRAN; UPDATE z SET a = 2");
    // Planned at the batch's start: the writer waits after that.
    let sql = "UPDATE z SET a = 3; INSERT t VALUES (1, 1); COMMIT";
    let writer = t.waits_as(writer, sql, "LCK_M_U");
    t.other().ok("CREATE INDEX i ON t (b)");
    t.ddl.ok("COMMIT");
    assert_eq!(writer.end(), "");
    assert_eq!(t.ddl.rows("SELECT b FROM t WHERE b = 1"), "1");
    assert_eq!(t.ddl.rows("SELECT COUNT(*) FROM t WHERE b >= 0"), "2");
}

#[test]
fn ddl_that_has_waited_for_a_rename_takes_the_table_of_that_name() {
    let mut t = two("");
    for (sql, wait, expected, after) in [
        ("TRUNCATE TABLE t", "LCK_M_SCH_M", "", "SELECT COUNT(*) FROM t"),
        (
            "ALTER TABLE t ADD c int",
            "LCK_M_SCH_M",
            "",
            "SELECT COUNT(*) - 1 FROM t WHERE c IS NULL",
        ),
        (
            "CREATE CLUSTERED INDEX i ON t (a)",
            "LCK_M_SCH_M",
            "",
            "SELECT INDEXPROPERTY(OBJECT_ID('t'), 'i', 'IndexID') - 1",
        ),
        (
            "CREATE INDEX i ON t (a)",
            "LCK_M_SCH_S",
            "",
            "SELECT INDEXPROPERTY(OBJECT_ID('t'), 'i', 'IndexID') - 2",
        ),
        ("DROP TABLE t", "LCK_M_X", "", "SELECT ISNULL(OBJECT_ID('t'), 0)"),
        (
            "EXEC sp_rename 't.a', 'b', 'COLUMN'",
            "LCK_M_SCH_M",
            "15477",
            "SELECT COUNT(*) - 1 FROM t WHERE b = 2",
        ),
        ("EXEC sp_rename 't', 'u'", "LCK_M_X", "15225", "SELECT COUNT(*) - 1 FROM t WHERE a = 2"),
    ] {
        t.ddl.ok("CREATE TABLE t (a int); INSERT t VALUES (1); CREATE TABLE t_new (a int); INSERT t_new VALUES (2)");
        t.ddl.ok("BEGIN TRAN; EXEC sp_rename 't', 't_old'; EXEC sp_rename 't_new', 't'");
        let other = t.waits(sql, wait);
        t.ddl.ok("COMMIT");
        let said = other.end();
        assert_eq!(number(&said), expected, "{sql}: {said}");
        assert_eq!(t.ddl.rows(after), "0", "{sql}");
        assert_eq!(t.ddl.rows("SELECT * FROM t_old"), "1", "{sql}");
        let indexes = "SELECT COUNT(*) FROM sys.indexes WHERE object_id = OBJECT_ID('t_old') AND index_id > 0";
        assert_eq!(t.ddl.rows(indexes), "0", "{sql}");
        t.ddl.ok("DROP TABLE IF EXISTS t; DROP TABLE t_old");
    }
}

#[test]
fn renames_to_and_fro_take_turns() {
    let mut t = two("CREATE TABLE t (a int)");
    t.ddl.ok("BEGIN TRAN; EXEC sp_rename 't', 'n'");
    let back = t.waits("EXEC sp_rename 'n', 't'", "LCK_M_S");
    t.ddl.ok("COMMIT");
    assert_eq!(number(&back.end()), "15477");
    assert_eq!(t.ddl.rows("SELECT COUNT(*) FROM t"), "0");
}

#[test]
fn a_schema_is_dropped_or_gets_a_table_but_not_both() {
    let mut t = two("");
    for _ in 0..20 {
        t.ddl.ok("CREATE SCHEMA s");
        t.ddl.ok("BEGIN TRAN; DROP SCHEMA s");
        let table = t.waits("CREATE TABLE s.t (a int)", "LCK_M_S");
        t.ddl.ok("COMMIT");
        assert_eq!(number(&table.end()), "2760");
        t.ddl.ok("CREATE SCHEMA s");
        t.ddl.ok("BEGIN TRAN; CREATE TABLE s.t (a int)");
        let dropper = t.waits("DROP SCHEMA s", "LCK_M_X");
        t.ddl.ok("COMMIT");
        assert_eq!(number(&dropper.end()), "3729");
        t.ddl.ok("DROP TABLE s.t");
        t.ddl.ok("DROP SCHEMA s");
    }
}

#[test]
fn an_identity_column_counts_on_after_its_drop_was_undone() {
    let t = two("CREATE TABLE t (a int IDENTITY PRIMARY KEY, b int)");
    let mut c = t.ddl;
    for table in ["t", "#t"] {
        if table == "#t" {
            c.ok("CREATE TABLE #t (a int IDENTITY PRIMARY KEY, b int)");
        }
        // All numbers that are reserved.
        c.ok(&format!("DECLARE @i int = 0; BEGIN TRAN; WHILE @i < 1000 BEGIN INSERT {table} VALUES (1); SET @i = @i + 1 END; COMMIT"));
        c.ok(&format!(
            "BEGIN TRAN; UPDATE {table} SET b = 1 WHERE a = 1; SAVE TRAN s; DROP TABLE {table}; ROLLBACK TRAN \
                s; INSERT {table} VALUES (2); COMMIT"
        ));
        assert_eq!(c.rows(&format!("SELECT a FROM {table} WHERE b = 2")), "1001");
        // The sequence is the same as before.
        c.ok(&format!("BEGIN TRAN; UPDATE {table} SET b = 1 WHERE a = 1; SAVE TRAN s; TRUNCATE TABLE {table}; \
            INSERT {table} VALUES (9); ROLLBACK TRAN s; COMMIT"));
        c.ok(&format!("ALTER TABLE {table} ADD c int"));
        c.ok(&format!("INSERT {table} VALUES (3, 3)"));
        assert_eq!(c.rows(&format!("SELECT a FROM {table} WHERE c = 3")), "1002");
        c.ok(&format!("BEGIN TRAN; DROP TABLE {table}; ROLLBACK"));
        c.ok(&format!(
            "BEGIN TRAN; TRUNCATE TABLE {table}; ROLLBACK; INSERT {table} VALUES (4, 4)"
        ));
        assert_eq!(c.rows(&format!("SELECT a FROM {table} WHERE c = 4")), "1003");
        c.ok(&format!("TRUNCATE TABLE {table}; INSERT {table} VALUES (5, 5)"));
        assert_eq!(c.rows(&format!("SELECT a FROM {table}")), "1");
    }
}

#[test]
fn a_check_whose_drop_was_undone_checks() {
    let mut t = two("CREATE TABLE t (a int)");
    t.ddl.ok("BEGIN TRAN; ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0); SAVE TRAN s; ALTER TABLE t DROP CONSTRAINT c; ROLLBACK TRAN s");
    assert_eq!(number(&t.ddl.rows("INSERT t VALUES (0)")), "547");
    t.ddl.ok("COMMIT");
    assert_eq!(number(&t.ddl.rows("INSERT t VALUES (0)")), "547");
    // A schema that is there again gives its table its name.
    t.ddl.ok("BEGIN TRAN");
    t.ddl.ok("CREATE SCHEMA s");
    t.ddl.ok("CREATE TABLE s.t (a int); SAVE TRAN x; DROP TABLE s.t");
    t.ddl.ok("DROP SCHEMA s");
    t.ddl.ok("ROLLBACK TRAN x; COMMIT");
    assert_eq!(
        t.ddl.rows("SELECT OBJECT_SCHEMA_NAME(OBJECT_ID('s.t')); SELECT COUNT(*) FROM s.t"),
        "s\n0"
    );
}

#[test]
fn whoever_changes_a_table_may_make_its_indexes_before_others_who_wait() {
    let mut t = two("CREATE TABLE t (a int); INSERT t VALUES (1)");
    t.ddl.ok("BEGIN TRAN; ALTER TABLE t ADD b int NOT NULL DEFAULT 5");
    let other = t.waits("CREATE INDEX i ON t (a)", "LCK_M_SCH_S");
    t.ddl.ok("CREATE INDEX j ON t (b); COMMIT");
    assert_eq!(other.end(), "");
    assert_eq!(t.ddl.rows("SELECT b FROM t WHERE b = 5; SELECT a FROM t WHERE a = 1"), "5\n1");
}

#[test]
fn the_numbers_of_a_table_that_is_gone_are_forgotten_once_that_is_certain() {
    let t = two("CREATE TABLE t (a int IDENTITY, b int); INSERT t VALUES (1)");
    let mut c = t.ddl;
    let forgotten = "SELECT COUNT(*) FROM fn_dblog(NULL, NULL) WHERE Operation = 'LOP_DELETE_ROWS' AND \
        [Transaction ID] IN (SELECT [Transaction ID] FROM fn_dblog(NULL, NULL) WHERE [Transaction Name] = \
        'IdentityRange')";
    c.ok("BEGIN TRAN; DROP TABLE t");
    assert_eq!(c.rows(forgotten), "0");
    c.ok("ROLLBACK; INSERT t VALUES (2)");
    assert_eq!(c.rows(forgotten), "0");
    c.ok("BEGIN TRAN; UPDATE t SET b = 1; SAVE TRAN s; DROP TABLE t; ROLLBACK TRAN s; COMMIT");
    assert_eq!(c.rows(forgotten), "0");
    // A new sequence takes the place of the old one; made and undone, it goes again.
    c.ok("BEGIN TRAN; TRUNCATE TABLE t; INSERT t VALUES (3); ROLLBACK");
    assert_eq!(c.rows(forgotten), "1");
    c.ok("TRUNCATE TABLE t; INSERT t VALUES (4)");
    assert_eq!(c.rows(forgotten), "2");
    assert_eq!(c.rows("SELECT a, b FROM t"), "1 | 4");
    c.ok("BEGIN TRAN; CREATE TABLE u (a int IDENTITY, b int); INSERT u VALUES (1); ROLLBACK");
    assert_eq!(c.rows(forgotten), "3");
    c.ok("DROP TABLE t");
    assert_eq!(c.rows(forgotten), "4");
}
