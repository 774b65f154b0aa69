//! CHECK constraints of tables that have rows, and what CREATE and ALTER DATABASE accept of generated scripts.

use crate::support;

use support::{Heard, World};
use taffrail_engine::{BulkSource, BulkSourceError, ConnectionFate};
use taffrail_types::{SqlType, Value};

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
        assert!(of_table.starts_with("Msg 547, Level 16, State 0, "), "{of_table}");
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
        "AUTO_CREATE_STATISTICS ON(INCREMENTAL = ON)",
        "FILESTREAM( NON_TRANSACTED_ACCESS = OFF )",
        "COMPATIBILITY_LEVEL = 160",
        "QUERY_STORE = OFF",
        "ACCELERATED_DATABASE_RECOVERY = OFF",
    ] {
        c.ok(&format!("ALTER DATABASE a SET {option}"));
    }
    c.ok("ALTER DATABASE a COLLATE SQL_Latin1_General_CP1_CI_AS");
    for (refused, number) in [
        ("ALTER DATABASE a SET ACCELERATED_DATABASE_RECOVERY = ON", 40510),
        ("ALTER DATABASE a SET FILESTREAM(NON_TRANSACTED_ACCESS = FULL)", 40510),
        ("CREATE DATABASE b WITH LEDGER = ON", 40510),
        ("CREATE DATABASE b COLLATE SQL_Latin1_General_CP1251_CI_AS", 40510),
        ("CREATE DATABASE b COLLATE nonsense", 448),
        ("ALTER DATABASE a COLLATE SQL_Latin1_General_CP1251_CI_AS", 40510),
        ("CREATE TABLE t (a varchar(10) COLLATE SQL_Latin1_General_CP1251_CI_AS)", 40510),
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
        "CHECK on column a | ck | (n/a) | (n/a) | Enabled | Is_For_Replication | ([a]>(0))\n\
         CHECK Table Level  | ck2 | (n/a) | (n/a) | Disabled | Is_For_Replication | ([a]<[b])\n\
         DEFAULT on column a | df | (n/a) | (n/a) | (n/a) | (n/a) | ((7))\n\
         PRIMARY KEY (clustered) | pk | (n/a) | (n/a) | (n/a) | (n/a) | id\n\
         UNIQUE (non-clustered) | u | (n/a) | (n/a) | (n/a) | (n/a) | b, a(-)\n\
         Msg 15470, Level 10, State 1, Line 0: No foreign keys reference table 't', or you do not have permissions on \
         referencing tables."
    );
    c.ok("CREATE TABLE plain (a int)");
    let none = c.rows("EXEC sp_helpconstraint plain");
    assert!(none.contains("No constraints are defined on object 'plain'"), "{none}");
    assert!(c.rows("EXEC sp_helpconstraint nope").starts_with("Msg 15009, "));
    assert_eq!(
        c.rows("SELECT CONSTRAINT_NAME, CHECK_CLAUSE FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS ORDER BY 1"),
        "ck | ([a]>(0))\nck2 | ([a]<[b])"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM INFORMATION_SCHEMA.SEQUENCES"), "0");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.tables WITH (READPAST) WHERE name = 't'"), "1");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WITH (READPAST)"), "0");
    // What SQL Server has and this server has not is told apart from what nobody has.
    for (sql, number) in [
        ("EXEC sp_OACreate", 40510),
        ("EXEC master.dbo.sp_changedbowner 'x'", 15109),
        ("EXEC xp_cmdshell 'dir'", 40510),
        ("EXEC sp_nothing", 2812),
        ("EXEC other.sp_helplogins", 2812),
        ("SELECT * FROM sys.dm_exec_query_profiles", 40510),
        ("SELECT * FROM sys.nothing", 208),
        ("DBCC CLEANTABLE('master', 't')", 40510),
        ("DBCC NOTHING", 2526),
        ("SELECT CAST('a' AS hierarchyid)", 40510),
        ("DECLARE @x image", 2739),
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

/// What a check or a default cannot be is told by the statement that says it, and nothing of that stays.
#[test]
fn conditions_that_mean_nothing_are_refused_at_once() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE other (b int) INSERT other VALUES (1)");
    c.ok("CREATE TABLE filled (a int) INSERT filled VALUES (1)");
    c.ok("CREATE TABLE empty (a int)");
    for (condition, number) in [
        ("a < (SELECT MAX(b) FROM other)", 1046),
        ("a IN (SELECT b FROM nowhere)", 1046),
        ("a > ALL (SELECT b FROM other)", 1046),
        ("EXISTS (SELECT * FROM other WHERE b = a)", 1046),
        ("CASE WHEN EXISTS (SELECT 1) THEN 1 ELSE 0 END = 1", 1046),
        ("SUM(a) > 0", 175),
        ("COUNT(*) > 0", 175),
        ("ROW_NUMBER() OVER (ORDER BY a) > 0", 4108),
        ("SUM(a) OVER () > 0", 4108),
        ("nothing > 0", 207),
        ("other.b > 0", 4104),
        ("nothing(a) > 0", 195),
        ("a > @x", 137),
    ] {
        for sql in [
            format!("CREATE TABLE made (a int, CONSTRAINT ck CHECK ({condition}))"),
            format!("CREATE TABLE made (a int CONSTRAINT ck CHECK ({condition}))"),
            format!("CREATE TABLE #made (a int CHECK ({condition}))"),
            format!("DECLARE @t TABLE (a int CHECK ({condition}))"),
            format!("ALTER TABLE filled ADD CONSTRAINT ck CHECK ({condition})"),
            format!("ALTER TABLE filled WITH NOCHECK ADD CONSTRAINT ck CHECK ({condition})"),
            format!("ALTER TABLE empty WITH NOCHECK ADD CONSTRAINT ck CHECK ({condition})"),
            format!("ALTER TABLE empty WITH NOCHECK ADD n int CHECK ({condition})"),
        ] {
            let said = c.rows(&format!("\n{sql}"));
            assert!(said.starts_with(&format!("Msg {number}, ")), "{sql}: {said}");
            assert!(said.contains(", Line 2: ") && !said.contains("Line 1"), "{sql}: {said}");
            let told = matches!(number, 207 | 4104 | 4108);
            assert_eq!(said.contains("\nMsg 1750, "), told, "{sql}: {said}");
        }
    }
    for (value, number) in [
        ("(SELECT 1)", 1046),
        ("1 + (SELECT MAX(b) FROM nowhere)", 1046),
        ("a", 128),
        ("nothing", 128),
        ("SUM(1)", 147),
        ("ROW_NUMBER() OVER (ORDER BY (SELECT 1))", 4108),
    ] {
        for sql in [
            format!("CREATE TABLE made (a int, d int DEFAULT ({value}))"),
            format!("CREATE TABLE made (a int, d int, e int DEFAULT ({value}))"),
            format!("ALTER TABLE filled ADD d int CONSTRAINT df DEFAULT ({value})"),
            format!("ALTER TABLE filled ADD d int NOT NULL CONSTRAINT df DEFAULT ({value})"),
            format!("ALTER TABLE empty ADD CONSTRAINT df DEFAULT ({value}) FOR a"),
        ] {
            let said = c.rows(&sql);
            assert!(said.starts_with(&format!("Msg {number}, ")), "{sql}: {said}");
        }
    }
    assert_eq!(c.rows("SELECT name FROM sys.tables ORDER BY 1"), "empty\nfilled\nother");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.objects WHERE type IN ('C', 'D')"), "0");
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.columns WHERE name IN ('d', 'n')"), "0");
    c.ok("INSERT filled VALUES (2) INSERT empty VALUES (2)");
}

/// Constraints and tables are objects of one schema, whichever statement makes them.
#[test]
fn names_of_constraints_are_given_once() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (a int CONSTRAINT c1 CHECK (a > 0), b int CONSTRAINT d1 DEFAULT 1, CONSTRAINT k1 PRIMARY KEY (a))");
    c.ok("CREATE SCHEMA s");
    for (body, name) in [
        ("(a int CONSTRAINT c2 CHECK (a > 0) CONSTRAINT C2 CHECK (a < 5))", "C2"),
        ("(a int NOT NULL CONSTRAINT x PRIMARY KEY CONSTRAINT x CHECK (a < 5))", "x"),
        ("(a int CONSTRAINT x UNIQUE, b int, CONSTRAINT x UNIQUE (b))", "x"),
        ("(a int CONSTRAINT x DEFAULT 1, b int CONSTRAINT x DEFAULT 2)", "x"),
        ("(a int CONSTRAINT x DEFAULT 1 CONSTRAINT x CHECK (a > 1))", "x"),
        ("(a int CONSTRAINT u2 CHECK (a > 1))", "u2"),
        ("(a int CONSTRAINT U2 DEFAULT 1)", "U2"),
        ("(a int CONSTRAINT u2 UNIQUE)", "u2"),
        ("(a int CONSTRAINT c1 CHECK (a > 1))", "c1"),
        ("(a int CONSTRAINT d1 CHECK (a > 1))", "d1"),
        ("(a int CONSTRAINT k1 DEFAULT 1)", "k1"),
        ("(a int CONSTRAINT t UNIQUE)", "t"),
    ] {
        let said = c.rows(&format!("CREATE TABLE u2 {body}"));
        assert_eq!(
            said,
            format!(
                "Msg 2714, Level 16, State 5, Line 1: There is already an object named '{name}' in the database.\n\
                 Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors."
            ),
            "{body}"
        );
    }
    for add in [
        "CONSTRAINT x CHECK (a > 1), CONSTRAINT x CHECK (a < 9)",
        "c int CONSTRAINT x DEFAULT 1, CONSTRAINT x CHECK (c > 0)",
        "CONSTRAINT t CHECK (a > 1)",
        "CONSTRAINT d1 CHECK (a > 1)",
    ] {
        let said = c.rows(&format!("ALTER TABLE t ADD {add}"));
        assert!(said.starts_with("Msg 2714, ") && said.contains("Msg 1750, "), "{add}: {said}");
    }
    assert_eq!(c.rows("SELECT name FROM sys.objects WHERE schema_id = 1 AND type IN ('U', 'C', 'D', 'PK', 'UQ') \
        ORDER BY 1"), "c1\nd1\nk1\nt");
    // Another schema has names of its own; an index is no object.
    c.ok("CREATE TABLE s.u2 (a int CONSTRAINT c1 CHECK (a > 0) CONSTRAINT d1 DEFAULT 1, INDEX x (a))");
    c.ok("CREATE TABLE u2 (a int CONSTRAINT x CHECK (a > 0) CONSTRAINT y DEFAULT 1, INDEX x (a))");
    c.ok("CREATE TABLE #u (a int CONSTRAINT tx CHECK (a > 0)) INSERT #u VALUES (1)");
}

#[test]
fn a_columns_check_is_about_that_column() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (a int)");
    let told = |table: &str| {
        format!(
            "Msg 8141, Level 16, State 0, Line 1: Column CHECK constraint for column 'n' references another column, table '{table}'.\n\
             Msg 1750, Level 16, State 0, Line 1: Could not create constraint or index. See previous errors."
        )
    };
    for (table, sql) in [
        ("u", "CREATE TABLE u (n int CHECK (b > 0), b int)"),
        ("#u", "CREATE TABLE #u (b int, n int CHECK (n > 0 OR b > 0))"),
        ("t", "ALTER TABLE t ADD n int CHECK (a > 0)"),
        ("t", "ALTER TABLE t WITH NOCHECK ADD n int CHECK (n < [A])"),
    ] {
        assert_eq!(c.rows(sql), told(table), "{sql}");
    }
    // Without a column, with the table's name, and with a word that is a column's elsewhere.
    c.ok("CREATE TABLE u (n int CHECK (u.n > 0) CHECK (1 = 1), day int CHECK (DATEPART(day, '20260102') > 1), d \
        int CHECK (DATEDIFF(day, 0, d) > 1), CHECK (n < d))");
    c.ok("INSERT u VALUES (1, 1, 2)");
    assert!(c.rows("INSERT u VALUES (0, 1, 2)").starts_with("Msg 547, "));
}

/// Names of columns that must be written in brackets are found in conditions too, and texts and comments are none.
#[test]
fn columns_of_any_name_stay_while_a_check_needs_them() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE v ([unit price] float, qty int, [a]]b] int, [o'clock] int, n int, len int,
          CONSTRAINT ck CHECK ([unit price] <> [qty]),
          CONSTRAINT odd CHECK ([a]]b] > 0 /* n */ AND [o'clock] < 24 AND N'n' <> 'len'),
          CONSTRAINT length CHECK (LEN(N'n') > 0 OR \"qty\" > 0))");
    assert_eq!(
        c.rows("SELECT name, parent_column_id FROM sys.check_constraints ORDER BY name"),
        "ck | 0\nlength | 2\nodd | 0"
    );
    for (column, check, ty) in [
        ("[unit price]", "ck", "int"),
        ("qty", "ck", "bigint"),
        ("[a]]b]", "odd", "bigint"),
        ("[o'clock]", "odd", "bigint"),
    ] {
        for (what, sql) in [
            ("ALTER", format!("ALTER TABLE v ALTER COLUMN {column} {ty}")),
            ("DROP", format!("ALTER TABLE v DROP COLUMN {column}")),
        ] {
            let said = c.rows(&sql);
            assert!(said.contains("Msg 5074, "), "{sql}: {said}");
            assert!(said.contains(&format!("The object '{check}' is dependent on")), "{said}");
            let last = format!("ALTER TABLE {what} COLUMN ");
            assert!(said.contains("Msg 4922, ") && said.contains(&last), "{sql}: {said}");
        }
        let renamed =
            c.rows(&format!("EXEC sp_rename 'v.{}', 'z', 'COLUMN'", column.replace('\'', "''")));
        assert!(renamed.starts_with("Msg 15336, "), "{column}: {renamed}");
    }
    c.ok("INSERT v VALUES (1.5, 1, 1, 12, 1, 1)");
    c.ok("EXEC sp_rename 'v.n', 'm', 'COLUMN' ALTER TABLE v ALTER COLUMN m bigint");
    c.ok("ALTER TABLE v DROP COLUMN m, COLUMN len");
    assert!(c.rows("INSERT v VALUES (1, 1, 1, 1)").starts_with("Msg 547, "));
    c.ok("ALTER TABLE v DROP CONSTRAINT ck ALTER TABLE v ALTER COLUMN [unit price] int");
    c.ok("ALTER TABLE v DROP COLUMN [unit price]");
}

/// Rows of one int column, as INSERT BULK gets them.
struct Numbers<'a>(std::slice::Iter<'a, i32>);

impl BulkSource for Numbers<'_> {
    fn columns(&mut self) -> Result<Vec<SqlType>, BulkSourceError> {
        Ok(vec![SqlType::Int])
    }

    fn row(&mut self, row: &mut Vec<Value>) -> Result<bool, BulkSourceError> {
        row.clear();
        row.extend(self.0.next().map(|n| Value::Int(*n)));
        Ok(!row.is_empty())
    }

    fn skip(&mut self) -> Result<(), BulkSourceError> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

fn send(c: &mut support::Client, rows: &[i32]) -> String {
    let mut heard = Heard::default();
    let fate = c.connection.bulk_load(&mut Numbers(rows.iter()), &mut heard);
    assert!(fate != ConnectionFate::Close);
    heard.text()
}

/// Rows that no check has seen cost the trust in those that are on.
#[test]
fn a_load_that_passes_checks_by_takes_the_trust_with_it() {
    let w = World::new();
    let file = |name: &str, text: &str| {
        let path = w.dir.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (good, bad) = (file("good.txt", "1\n2\n3\n"), file("bad.txt", "-1\n2\nx\n"));
    let mut c = w.connect();
    let setup = "CREATE TABLE t (a int NOT NULL CONSTRAINT older CHECK (a < 9), CONSTRAINT ck CHECK (a > 0))
                 ALTER TABLE t NOCHECK CONSTRAINT older";
    let state = |c: &mut support::Client| {
        c.rows("SELECT name, is_disabled, is_not_trusted FROM sys.check_constraints ORDER BY name")
    };
    let (trusted, doubted) = ("ck | 0 | 0\nolder | 1 | 1", "ck | 0 | 1\nolder | 1 | 1");
    c.ok(setup);
    c.ok(&format!("BULK INSERT t FROM '{good}' WITH (CHECK_CONSTRAINTS)"));
    assert_eq!(state(&mut c), trusted);
    // What is rolled back has passed nothing by: the statement's error, and the transaction.
    assert!(c.rows(&format!("BULK INSERT t FROM '{bad}' WITH (MAXERRORS = 0)")).contains("4865"));
    assert_eq!(state(&mut c), trusted);
    c.ok(&format!("BEGIN TRAN BULK INSERT t FROM '{good}'"));
    assert_eq!(state(&mut c), doubted);
    c.ok("ROLLBACK");
    assert_eq!(state(&mut c), trusted);
    c.run(&format!(
        "BEGIN TRAN INSERT t VALUES (5) BULK INSERT t FROM '{bad}' WITH (MAXERRORS = 0)"
    ));
    c.ok("COMMIT");
    assert_eq!(state(&mut c), trusted);
    assert_eq!(c.rows("SELECT COUNT(*) FROM t"), "4");
    for with in ["TABLOCK", "BATCHSIZE = 1", "BATCHSIZE = 2, TABLOCK"] {
        c.ok(&format!("BULK INSERT t FROM '{good}' WITH ({with})"));
        assert_eq!(state(&mut c), doubted, "{with}");
        // Held against the rows, it is trusted again; and held against those that come.
        c.ok("ALTER TABLE t WITH CHECK CHECK CONSTRAINT ck");
        assert_eq!(state(&mut c), trusted);
    }
    // It is a change of the table: whoever has rows of it open is waited for, or not.
    let mut d = w.connect();
    d.ok("BEGIN TRAN INSERT t VALUES (8)");
    let load = format!("SET LOCK_TIMEOUT 0 BULK INSERT t FROM '{good}'");
    assert!(c.rows(&load).starts_with("Msg 1222, "));
    assert_eq!(state(&mut c), trusted);
    d.ok(&format!("BULK INSERT t FROM '{good}' ROLLBACK"));
    c.ok("SET LOCK_TIMEOUT -1");
    assert_eq!(state(&mut c), trusted);
    // The same of the rows that a client sends; two that begin at once are in each other's way only once.
    c.ok("INSERT BULK t (a int)");
    d.ok("INSERT BULK t (a int)");
    assert!(send(&mut c, &[-5]).contains("rows=1"));
    assert_eq!(state(&mut c), doubted);
    assert!(send(&mut d, &[-6, 7]).contains("rows=2"));
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE a < 0"), "2");
    let again = c.rows("ALTER TABLE t WITH CHECK CHECK CONSTRAINT ck");
    assert!(again.starts_with("Msg 547, "), "{again}");
    assert!(c.rows("INSERT t VALUES (-7)").starts_with("Msg 547, "));
    c.ok("DELETE t WHERE a < 0 ALTER TABLE t WITH CHECK CHECK CONSTRAINT ck");
    // Without trust there is nothing to take: loads go side by side.
    c.ok(&format!("BULK INSERT t FROM '{good}'"));
    c.ok(&format!("BEGIN TRAN BULK INSERT t FROM '{good}'"));
    d.ok(&format!("SET LOCK_TIMEOUT 0 BULK INSERT t FROM '{good}'"));
    c.ok("COMMIT");
    // A table that has other columns by now is not loaded.
    d.ok("INSERT BULK t (a int)");
    c.ok("ALTER TABLE t WITH CHECK CHECK CONSTRAINT ck ALTER TABLE t ADD b int");
    assert!(send(&mut d, &[1]).contains("Msg 4891, "));
    drop((c, d));
    let w = w.restart();
    let mut c = w.connect();
    assert_eq!(state(&mut c), trusted);
    let path = w.dir.join("good.txt").display().to_string();
    c.ok("CREATE TABLE #t (a int CHECK (a > 0))");
    c.ok(&format!("BULK INSERT #t FROM '{path}'"));
    assert_eq!(c.rows("SELECT is_not_trusted FROM tempdb.sys.check_constraints"), "1");
}
