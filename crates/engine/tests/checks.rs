//! CHECK constraints of tables that have rows, and what CREATE and ALTER DATABASE accept of generated scripts.

mod support;

use support::World;

const STATE: &str = "SELECT name, is_disabled, is_not_trusted, parent_column_id FROM sys.check_constraints ORDER BY name";

#[test]
fn a_check_is_held_against_the_rows_that_exist() {
    let w = World::new();
    let mut c = w.connect();
    for table in [
        "CREATE TABLE t (id int, a int, b varchar(20))",
        "CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(20))",
    ] {
        c.ok(table);
        c.ok("INSERT t VALUES (1, 1, 'x'), (2, NULL, 'y'), (3, 5, NULL)");
        assert_eq!(
            c.rows("ALTER TABLE t ADD CONSTRAINT ck CHECK (a > 1)"),
            "Msg 547, Level 16, State 0, Line 1: The ALTER TABLE statement conflicted with the CHECK constraint \"ck\". \
             The conflict occurred in database \"master\", table \"dbo.t\", column 'a'."
        );
        assert_eq!(c.rows("SELECT COUNT(*) FROM sys.check_constraints"), "0");
        // NULL is not false.
        c.ok("ALTER TABLE t ADD CONSTRAINT ck CHECK (a > 0)");
        c.ok("ALTER TABLE t WITH CHECK ADD CONSTRAINT two CHECK (id < 10 OR b = 'a'), CONSTRAINT texts CHECK (b <> 'a')");
        assert_eq!(c.rows(STATE), "ck | 0 | 0 | 2\ntexts | 0 | 0 | 3\ntwo | 0 | 0 | 0");
        let of_table = c.rows("INSERT t VALUES (20, 1, 'z')");
        assert!(of_table.starts_with("Msg 547, Level 16, State 1, "), "{of_table}");
        assert!(
            of_table.contains("\"two\"") && of_table.contains("table \"dbo.t\".\n"),
            "{of_table}"
        );
        let of_column = c.rows("INSERT t VALUES (4, -1, 'z')");
        assert!(of_column.contains("table \"dbo.t\", column 'a'."), "{of_column}");
        // A condition that means nothing is told at once, with rows and without.
        assert!(c.rows("ALTER TABLE t ADD CHECK (nothing > 0)").starts_with("Msg 207, "));
        c.ok("TRUNCATE TABLE t");
        assert!(c.rows("ALTER TABLE t ADD CHECK (nothing > 0)").starts_with("Msg 207, "));
        c.ok("DROP TABLE t");
    }
}

#[test]
fn a_new_column_may_bring_its_check() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int)");
    c.ok("INSERT t VALUES (1), (2)");
    c.ok(
        "ALTER TABLE t ADD n int NOT NULL CONSTRAINT df_n DEFAULT 5 CONSTRAINT ck_n CHECK (n > 0)",
    );
    assert_eq!(c.rows("SELECT * FROM t"), "1 | 5\n2 | 5");
    let refused = c.rows("ALTER TABLE t ADD m int NOT NULL DEFAULT -5 CHECK (m > 0)");
    assert!(refused.starts_with("Msg 547, "), "{refused}");
    assert_eq!(c.rows("SELECT * FROM t"), "1 | 5\n2 | 5");
}

#[test]
fn checks_are_switched_off_and_on() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (a int, b int CONSTRAINT other CHECK (b > 0))");
    c.ok("INSERT t VALUES (-1, 1)");
    c.ok("ALTER TABLE t WITH NOCHECK ADD CONSTRAINT ck CHECK (a > 0)");
    assert_eq!(c.rows(STATE), "ck | 0 | 1 | 1\nother | 0 | 0 | 2");
    assert!(c.rows("INSERT t VALUES (-2, 1)").starts_with("Msg 547, "));
    c.ok("ALTER TABLE t NOCHECK CONSTRAINT ck");
    c.ok("INSERT t VALUES (-2, 1)");
    c.ok("UPDATE t SET a = -3 WHERE a = -2");
    assert_eq!(c.rows(STATE), "ck | 1 | 1 | 1\nother | 0 | 0 | 2");
    // Enabled, and as little trusted as before.
    c.ok("ALTER TABLE t CHECK CONSTRAINT ck");
    assert_eq!(c.rows(STATE), "ck | 0 | 1 | 1\nother | 0 | 0 | 2");
    assert!(c.rows("INSERT t VALUES (-2, 1)").starts_with("Msg 547, "));
    assert!(
        c.rows("ALTER TABLE t WITH CHECK CHECK CONSTRAINT ck")
            .starts_with("Msg 547, Level 16, State 0")
    );
    c.ok("UPDATE t SET a = 1");
    c.ok("ALTER TABLE t NOCHECK CONSTRAINT ALL");
    assert_eq!(c.rows(STATE), "ck | 1 | 1 | 1\nother | 1 | 1 | 2");
    c.ok("BEGIN TRAN ALTER TABLE t WITH CHECK CHECK CONSTRAINT ALL");
    assert_eq!(c.rows(STATE), "ck | 0 | 0 | 1\nother | 0 | 0 | 2");
    c.ok("ROLLBACK");
    c.ok("INSERT t VALUES (-1, -1) DELETE t WHERE a = -1");
    c.ok("ALTER TABLE t WITH CHECK CHECK CONSTRAINT ck, other");
    c.ok("EXEC sp_rename 'ck', 'renamed', 'OBJECT'");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    assert_eq!(c.rows(STATE), "other | 0 | 0 | 2\nrenamed | 0 | 0 | 1");
    let missing = c.run("ALTER TABLE t NOCHECK CONSTRAINT nope");
    assert!(missing.contains("Msg 4917, ") && missing.contains("Msg 4916, "), "{missing}");
    c.ok("ALTER TABLE t ADD CONSTRAINT df DEFAULT 1 FOR a");
    let refused = c.run("ALTER TABLE t NOCHECK CONSTRAINT df");
    assert!(refused.contains("Msg 11415, ") && refused.contains("Msg 4916, "), "{refused}");
    let twice = c.run("ALTER TABLE t ADD CONSTRAINT df2 DEFAULT 1 FOR a");
    assert!(twice.contains("Msg 1781, ") && twice.contains("Msg 1750, "), "{twice}");
}

#[test]
fn options_of_generated_scripts() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE a COLLATE SQL_Latin1_General_CP1_CI_AS WITH CATALOG_COLLATION = DATABASE_DEFAULT, LEDGER = OFF");
    for option in [
        "AUTO_CREATE_STATISTICS ON(INCREMENTAL = OFF)",
        "FILESTREAM( NON_TRANSACTED_ACCESS = OFF )",
        "COMPATIBILITY_LEVEL = 160",
        "QUERY_STORE = OFF",
        "ACCELERATED_DATABASE_RECOVERY = OFF",
    ] {
        c.ok(&format!("ALTER DATABASE a SET {option}"));
    }
    c.ok("ALTER DATABASE a COLLATE SQL_Latin1_General_CP1_CI_AS");
    for (refused, number) in [
        ("ALTER DATABASE a SET AUTO_CREATE_STATISTICS ON(INCREMENTAL = ON)", 40510),
        ("ALTER DATABASE a SET FILESTREAM(NON_TRANSACTED_ACCESS = FULL)", 40510),
        ("CREATE DATABASE b WITH LEDGER = ON", 40510),
        ("CREATE DATABASE b COLLATE Latin1_General_100_CI_AS_SC_UTF8", 40510),
        ("CREATE DATABASE b COLLATE Latin1_General_CI_AS", 40510),
        ("CREATE DATABASE b COLLATE nonsense", 448),
        ("ALTER DATABASE a COLLATE Latin1_General_BIN2", 40510),
        ("CREATE TABLE t (a varchar(10) COLLATE Finnish_Swedish_CI_AS)", 40510),
        ("SELECT 'a' COLLATE nonsense", 448),
    ] {
        assert!(c.run(refused).contains(&format!("Msg {number}, ")), "{refused}");
    }
}

#[test]
fn procedures_and_views_that_scripts_ask() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int CONSTRAINT pk PRIMARY KEY, a int CONSTRAINT df DEFAULT 7, b int, CONSTRAINT u UNIQUE (b, a DESC))");
    c.ok("ALTER TABLE t ADD CONSTRAINT ck CHECK (a > 0), CONSTRAINT ck2 CHECK (a < b) ALTER TABLE t NOCHECK CONSTRAINT ck2");
    let shown = c.rows("EXEC sp_helpconstraint 't', 'nomsg'");
    assert_eq!(
        shown,
        "CHECK on column a | ck | (n/a) | (n/a) | Enabled | Is_For_Replication | (a > 0)\n\
         CHECK Table Level  | ck2 | (n/a) | (n/a) | Disabled | Is_For_Replication | (a < b)\n\
         DEFAULT on column a | df | (n/a) | (n/a) | (n/a) | (n/a) | ((7))\n\
         PRIMARY KEY (clustered) | pk | (n/a) | (n/a) | (n/a) | (n/a) | id\n\
         UNIQUE (non-clustered) | u | (n/a) | (n/a) | (n/a) | (n/a) | b, a(-)"
    );
    c.ok("CREATE TABLE plain (a int)");
    let none = c.rows("EXEC sp_helpconstraint plain");
    assert!(none.contains("No constraints are defined on object 'plain'"), "{none}");
    assert!(c.rows("EXEC sp_helpconstraint nope").starts_with("Msg 15009, "));
    assert_eq!(
        c.rows("SELECT CONSTRAINT_NAME, CHECK_CLAUSE FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS ORDER BY 1"),
        "ck | (a > 0)\nck2 | (a < b)"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM INFORMATION_SCHEMA.SEQUENCES"), "0");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.tables WITH (READPAST) WHERE name = 't'"), "1");
    assert!(c.rows("SELECT COUNT(*) FROM t WITH (READPAST)").starts_with("Msg 40510, "));
    // What SQL Server has and this server has not is told apart from what nobody has.
    for (sql, number) in [
        ("EXEC sp_helplogins", 40510),
        ("EXEC master.dbo.sp_detach_db 'x'", 40510),
        ("EXEC xp_cmdshell 'dir'", 40510),
        ("EXEC sp_nothing", 2812),
        ("EXEC other.sp_helplogins", 2812),
        ("SELECT * FROM sys.sequences", 40510),
        ("SELECT * FROM sys.nothing", 208),
        ("DBCC CLEANTABLE('master', 't')", 40510),
        ("DBCC NOTHING", 2526),
        ("SELECT CAST('a' AS text)", 40510),
        ("DECLARE @x image", 40510),
        ("SELECT CAST('a' AS nothing)", 243),
    ] {
        let said = c.run(sql);
        assert!(said.contains(&format!("Msg {number}, ")), "{sql}: {said}");
    }
    c.ok("DBCC FREEPROCCACHE WITH NO_INFOMSGS");
    assert_eq!(c.rows("SELECT FULLTEXTSERVICEPROPERTY('IsFullTextInstalled')"), "0");
    c.ok("SET ARITHIGNORE ON");
    assert_eq!(c.rows("SELECT @@OPTIONS & 128"), "128");
}
