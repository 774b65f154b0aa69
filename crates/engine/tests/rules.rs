//! Rules of statements that clients rely on: limits of queries, identity columns, locks of isolation levels, and the
//! exact words of errors.

use crate::support;

use std::time::{Duration, Instant};
use support::{Client, World};

/// `c0` holds one row; every further expression names the one before twice.
fn doubling(first: &str, last: usize) -> String {
    let mut text = format!("WITH c0 AS ({first})");
    for i in 1..=last {
        let before = i - 1;
        text += &format!(", c{i} AS (SELECT x.a FROM c{before} x, c{before} y)");
    }
    text + &format!(" SELECT COUNT(*) FROM c{last}")
}

#[test]
fn common_table_expressions_do_not_grow_without_end() {
    let (_w, mut c) = World::with_database();
    let began = Instant::now();
    let said = c.rows(&doubling("SELECT 1 a", 18));
    assert_eq!(
        said,
        "Msg 106, Level 15, State 1, Line 1: Too many table names in the query. The maximum allowable is 256."
    );
    c.ok("CREATE TABLE t (a int)");
    assert!(c.rows(&doubling("SELECT a FROM t", 40)).starts_with("Msg 106, "));
    assert!(began.elapsed() < Duration::from_secs(10));
    // The usual row makers are far from it.
    let rows = "SELECT 1 a UNION ALL SELECT 1";
    assert_eq!(c.rows(&doubling(rows, 4)), "65536");
    let many = vec!["SELECT 1"; 300].join(" UNION ALL ");
    assert_eq!(c.rows(&format!("SELECT COUNT(*) FROM ({many}) x(a)")), "300");
}

#[test]
fn planning_hears_a_cancel() {
    let w = World::new();
    let mut c = w.connect();
    // Each NULLIF binds its first argument twice.
    let text = format!("SELECT {}1{}", "NULLIF(".repeat(60), ", 2)".repeat(60));
    let cancel = c.connection.cancel_handle();
    let other = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        cancel.cancel();
    });
    let began = Instant::now();
    let said = c.run(&text);
    other.join().expect("the other thread ends");
    assert!(c.connection.was_cancelled(), "{said}");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(c.rows("SELECT 1"), "1");
}

#[test]
fn common_table_expressions_see_those_before_them_and_themselves() {
    let w = World::new();
    let mut c = w.connect();
    let numbers =
        "WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r";
    assert_eq!(c.rows(numbers), "1\n2\n3\n4\n5");
    assert_eq!(
        c.rows("WITH a AS (SELECT 1 n), b AS (SELECT n FROM a) SELECT * FROM a, b"),
        "1 | 1"
    );
}

#[test]
fn select_into_inherits_the_identity() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE si (id int IDENTITY(5,2) PRIMARY KEY, v varchar(5))");
    c.ok("INSERT si (v) VALUES ('a')");
    // Nothing copied: the seed comes first.
    c.ok("SELECT * INTO si4 FROM si WHERE 1 = 2");
    c.ok("INSERT si4 (v) SELECT v FROM si");
    assert_eq!(c.rows("SELECT * FROM si4"), "5 | a");
    // Rows copied: the values go on behind them.
    c.ok("SELECT * INTO si2 FROM si");
    c.ok("INSERT si2 (v) VALUES ('b')");
    assert_eq!(c.rows("SELECT * FROM si2"), "5 | a\n7 | b");
    c.ok("SELECT TOP 10 * INTO si3 FROM si2 WHERE v > '' ORDER BY id DESC");
    c.ok("INSERT si3 (v) VALUES ('c')");
    assert_eq!(c.rows("SELECT id FROM si3 ORDER BY id"), "5\n7\n9");
    // Neither a join nor a column listed twice hands the property on.
    c.ok("SELECT id, id AS again INTO twice FROM si");
    c.ok("SELECT a.id INTO joined FROM si a CROSS JOIN si2 b");
    assert_eq!(
        c.rows("SELECT OBJECTPROPERTY(OBJECT_ID('twice'), 'TableHasIdentity'), OBJECTPROPERTY(OBJECT_ID('joined'), 'TableHasIdentity')"),
        "0 | 0"
    );
    // The same copy under IDENTITY_INSERT.
    c.ok("CREATE TABLE down (id int IDENTITY(100,-10), v int)");
    c.ok("CREATE TABLE down2 (id int IDENTITY(100,-10), v int)");
    c.ok("INSERT down (v) VALUES (1), (2), (3)");
    c.ok("SET IDENTITY_INSERT down2 ON INSERT down2 (id, v) SELECT id, v FROM down SET IDENTITY_INSERT down2 \
        OFF INSERT down2 (v) VALUES (4)");
    assert_eq!(c.rows("SELECT id FROM down2"), "100\n90\n80\n70");
}

#[test]
fn identity_insert_counts_when_the_insert_runs() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (id int IDENTITY PRIMARY KEY, a varchar(5))");
    c.ok("SET IDENTITY_INSERT t ON; INSERT t (id, a) VALUES (43, 'x'); SET IDENTITY_INSERT t OFF");
    c.ok("INSERT t (a) VALUES ('y')");
    assert_eq!(c.rows("SELECT * FROM t"), "43 | x\n44 | y");
    c.ok("CREATE PROCEDURE p @id int AS SET IDENTITY_INSERT t ON; INSERT t (id, a) VALUES (@id, 'p'); SET IDENTITY_INSERT t OFF");
    c.ok("EXEC p 7");
    c.ok("EXEC p 8");
    assert_eq!(c.rows("SELECT id FROM t ORDER BY id"), "7\n8\n43\n44");
    // What comes before the error runs.
    assert_eq!(
        c.rows("SELECT 1; INSERT t (id, a) VALUES (9, 'n')"),
        "1\nMsg 544, Level 16, State 1, Line 1: Cannot insert explicit value for identity column in table 't' \
            when IDENTITY_INSERT is set to OFF."
    );
    c.ok("EXEC sp_executesql N'SET IDENTITY_INSERT t ON; INSERT t (id, a) VALUES (@i, ''q''); SET IDENTITY_INSERT t OFF', N'@i int', 10");
    c.ok("DECLARE @i int = 20 SET IDENTITY_INSERT t ON WHILE @i < 23 BEGIN INSERT t (id, a) VALUES (@i, 'w') \
        SET @i += 1 END SET IDENTITY_INSERT t OFF INSERT t (a) VALUES ('z')");
    assert_eq!(c.rows("SELECT COUNT(*), MAX(id) FROM t"), "9 | 45");
}

#[test]
fn repeatable_read_locks_what_it_reads() {
    let (w, mut a) = World::with_database();
    let mut b = w.connect_to("d");
    b.ok("SET LOCK_TIMEOUT 200");
    a.ok("CREATE TABLE t (id int PRIMARY KEY, v int, x int, INDEX i NONCLUSTERED (v))");
    a.ok("CREATE TABLE h (id int, v int)");
    a.ok("INSERT t VALUES (1, 10, 0), (2, 20, 0), (3, 30, 0)");
    a.ok("INSERT h VALUES (1, 10), (2, 20)");
    // So many that a query by `v` goes through the index.
    a.ok("SET NOCOUNT ON DECLARE @i int = 10 WHILE @i < 3000 BEGIN INSERT t VALUES (@i, @i * 10, 0) SET @i += 1 END");
    for hint in ["", "WITH (REPEATABLEREAD)"] {
        let level = if hint.is_empty() { "REPEATABLE READ" } else { "READ COMMITTED" };
        a.ok(&format!("SET TRANSACTION ISOLATION LEVEL {level}"));
        a.ok(&format!("BEGIN TRAN SELECT * FROM t {hint} WHERE id = 1"));
        // The row that was read stays; others and new ones do not matter.
        assert!(b.rows("UPDATE t SET v = 11 WHERE id = 1").starts_with("Msg 1222, "), "{hint}");
        b.ok("UPDATE t SET x = x + 1 WHERE id = 2");
        b.ok("INSERT t VALUES (9, 90, 0) DELETE t WHERE id = 9");
        a.ok("COMMIT");
        b.ok("UPDATE t SET x = x + 1 WHERE id = 1");
        // Through an index, whether the row itself is fetched or not.
        a.ok(&format!("BEGIN TRAN SELECT x FROM t {hint} WHERE v = 20"));
        assert!(b.rows("UPDATE t SET x = 5 WHERE id = 2").starts_with("Msg 1222, "), "{hint}");
        b.ok("UPDATE t SET x = 5 WHERE id = 3");
        a.ok("COMMIT");
        a.ok(&format!("BEGIN TRAN SELECT v FROM t {hint} WHERE v = 20"));
        assert!(b.rows("UPDATE t SET v = 21 WHERE id = 2").starts_with("Msg 1222, "), "{hint}");
        assert!(b.rows("DELETE t WHERE id = 2").starts_with("Msg 1222, "), "{hint}");
        b.ok("UPDATE t SET v = v + 1 WHERE id = 3");
        a.ok("COMMIT");
        // A heap.
        a.ok(&format!("BEGIN TRAN SELECT TOP 1 * FROM h {hint}"));
        b.ok("INSERT h VALUES (3, 30)");
        assert!(b.rows("DELETE h WHERE v = 10").starts_with("Msg 1222, "), "{hint}");
        a.ok("COMMIT");
    }
    // SERIALIZABLE keeps new rows out.
    a.ok("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE BEGIN TRAN SELECT * FROM t");
    assert!(b.rows("INSERT t VALUES (9, 90, 0)").starts_with("Msg 1222, "));
    a.ok("COMMIT");
}

#[test]
fn a_primary_key_needs_columns_that_are_not_null() {
    let (_w, mut c) = World::with_database();
    let refused = |t: &str| {
        format!(
            "Msg 8111, Level 16, State 1, Line 1: Cannot define PRIMARY KEY constraint on nullable column in table '{t}'.\n\
             Msg 1750, Level 16, State 0, Line 1: Could not create constraint or index. See previous errors."
        )
    };
    assert_eq!(c.rows("CREATE TABLE nn (a int NULL PRIMARY KEY)"), refused("nn"));
    assert_eq!(
        c.rows("CREATE TABLE n2 (a int NOT NULL, b int NULL, PRIMARY KEY (a, b))"),
        refused("n2")
    );
    c.ok("CREATE TABLE yes (a int PRIMARY KEY, b int NULL UNIQUE)");
    c.ok("CREATE TABLE n3 (a int NULL)");
    assert_eq!(c.rows("ALTER TABLE n3 ADD PRIMARY KEY (a)"), refused("n3"));
    assert_eq!(c.rows("SELECT name FROM sys.tables ORDER BY name"), "n3\nyes");
}

#[test]
fn rows_that_cannot_fit_are_refused_with_their_size() {
    let (_w, mut c) = World::with_database();
    let refused = |t: &str, bytes: u32, overhead: u32| {
        format!(
            "Msg 1701, Level 16, State 1, Line 1: Creating or altering table '{t}' failed because the minimum \
                row size would be {bytes}, including {overhead} bytes of internal overhead. This exceeds the \
                maximum allowable table row size of 8060 bytes."
        )
    };
    assert_eq!(c.rows("CREATE TABLE dd (a char(8000), b char(100))"), refused("dd", 8107, 7));
    assert_eq!(c.rows("CREATE TABLE dd (a char(8000), b char(54))"), refused("dd", 8061, 7));
    c.ok("CREATE TABLE dd (a char(8000), b char(53))");
}

#[test]
fn arguments_that_do_not_fit_a_procedure() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE PROCEDURE p @a int AS SELECT @a");
    c.ok("CREATE PROCEDURE fails AS\nSELECT 1/0");
    let said = |c: &mut Client, sql: &str| {
        let heard = c.rows(&format!("\n\n{sql}"));
        heard.split(": ").next().unwrap_or_default().to_string()
    };
    assert_eq!(said(&mut c, "EXEC p"), "Msg 201, Level 16, State 4, Procedure p, Line 0");
    assert_eq!(said(&mut c, "EXEC p 'x'"), "Msg 8114, Level 16, State 5, Procedure p, Line 0");
    assert_eq!(said(&mut c, "EXEC p 1, 2"), "Msg 8144, Level 16, State 2, Procedure p, Line 0");
    assert_eq!(said(&mut c, "EXEC p @b = 1"), "Msg 8145, Level 16, State 2, Procedure p, Line 0");
    assert_eq!(said(&mut c, "EXEC fails"), "Msg 8134, Level 16, State 1, Procedure fails, Line 2");
    assert_eq!(
        c.rows("EXEC sp_executesql N'SELECT @a', N'@a int'"),
        "Msg 8178, Level 16, State 1, Line 1: The parameterized query '(@a int)SELECT @a' expects the parameter \
            '@a', which was not supplied."
    );
}

#[test]
fn unknown_functions_are_named_as_written() {
    let w = World::new();
    let mut c = w.connect();
    assert_eq!(
        c.rows("SELECT noFunc(1)"),
        "Msg 195, Level 15, State 10, Line 1: 'noFunc' is not a recognized built-in function name."
    );
}

#[test]
fn views_show_what_a_session_runs() {
    let w = World::new();
    let mut c = w.connect();
    let own = "SELECT command, status FROM sys.dm_exec_requests WHERE session_id = @@SPID";
    assert_eq!(c.rows(own), "SELECT | running");
    assert_eq!(c.rows(&format!("EXEC sp_executesql N'{own}'")), "SELECT | running");
    assert_eq!(c.rows(&format!("IF 1 = 1 BEGIN {own} END")), "SELECT | running");
    assert_eq!(
        c.rows(&format!(
            "DECLARE @t TABLE (a varchar(30), b varchar(30)) INSERT @t {own} SELECT * FROM @t"
        )),
        "INSERT | running"
    );
    let who = c.rows("EXEC sp_who");
    assert!(who.lines().any(|l| l.contains("| SELECT ")), "{who}");
    assert!(!who.contains("AWAITING"), "{who}");
    // Another session's loop.
    let mut other = w.connect();
    let cancel = other.connection.cancel_handle();
    let loops = std::thread::spawn(move || {
        other.run("DECLARE @i int = 0 WHILE 1 = 1 SET @i = 0");
    });
    let running =
        "SELECT command FROM sys.dm_exec_requests WHERE session_id <> @@SPID AND session_id > 50";
    let began = Instant::now();
    while c.rows(running) != "WHILE" && began.elapsed() < Duration::from_secs(10) {}
    assert_eq!(c.rows(running), "WHILE");
    cancel.cancel();
    loops.join().expect("the loop ends");
}

#[test]
fn an_insert_exec_counts_as_a_transaction() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int)");
    c.ok("CREATE PROCEDURE counted AS SELECT @@TRANCOUNT");
    c.ok("CREATE PROCEDURE opens AS BEGIN TRAN SELECT 11");
    assert_eq!(c.rows("INSERT t EXEC counted SELECT a, @@TRANCOUNT FROM t"), "1 | 0");
    let mismatch = "Msg 266, Level 16, State 2, Procedure opens, Line 0: Transaction count after EXECUTE indicates a \
                    mismatching number of BEGIN and COMMIT statements. Previous count = 1, current count = 2.";
    assert_eq!(c.rows("INSERT t EXEC opens SELECT @@TRANCOUNT"), format!("{mismatch}\n1"));
    // In a transaction that is open already it counts no more.
    c.ok("DELETE t INSERT t EXEC counted");
    assert_eq!(c.rows("SELECT a FROM t INSERT t EXEC opens"), format!("1\n{mismatch}"));
    assert_eq!(c.rows("SELECT @@TRANCOUNT ROLLBACK SELECT a FROM t"), "2\n1");
    // TRY around it catches it, as around EXEC alone.
    let caught = "BEGIN TRY INSERT t EXEC opens END TRY BEGIN CATCH SELECT ERROR_NUMBER() END CATCH ROLLBACK";
    assert_eq!(c.rows(caught), "266");
}

#[test]
fn what_ends_the_transaction_of_an_insert_exec_ends_the_batch() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (a int)");
    c.ok("CREATE PROCEDURE rolls AS BEGIN TRAN SELECT 1 ROLLBACK");
    c.ok("CREATE PROCEDURE commits AS SELECT 1 COMMIT");
    let rollback = "Msg 3915, Level 16, State 0, Procedure rolls, Line 1: Cannot use the ROLLBACK statement within an \
                    INSERT-EXEC statement.";
    assert_eq!(c.rows("INSERT t EXEC rolls PRINT 'on'"), rollback);
    assert_eq!(c.rows("SELECT @@TRANCOUNT, COUNT(*) FROM t"), "0 | 0");
    c.ok("BEGIN TRAN INSERT t VALUES (7)");
    let commit = "Msg 3916, Level 16, State 0, Procedure commits, Line 1: Cannot use the COMMIT statement within an \
                  INSERT-EXEC statement unless BEGIN TRANSACTION is used first.";
    assert_eq!(c.rows("INSERT t EXEC commits PRINT 'on'"), commit);
    assert_eq!(c.rows("SELECT @@TRANCOUNT, COUNT(*) FROM t"), "0 | 0");
    let caught = "BEGIN TRY INSERT t EXEC rolls END TRY BEGIN CATCH SELECT ERROR_NUMBER(), XACT_STATE() ROLLBACK END CATCH";
    assert_eq!(c.rows(caught), "3915 | -1");
}

#[test]
fn what_is_raised_with_log_is_for_the_error_log() {
    use taffrail_observe::{Event, EventRing};
    let w = World::new();
    let mut c = w.connect();
    c.rows("RAISERROR('rules: %d of %s', 16, 3, 5, 'paper') WITH LOG");
    c.ok("BEGIN TRY RAISERROR('rules: caught', 12, 1) WITH LOG END TRY BEGIN CATCH END CATCH");
    c.rows("RAISERROR('rules: silent', 16, 1)");
    let raised: Vec<_> = EventRing::global()
        .read_after(0)
        .into_iter()
        .filter_map(|r| match r.event {
            Event::Raised { number, severity, state, text, session } => {
                assert!(session.0 > 50);
                text.starts_with("rules").then_some((number, severity, state, text))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        raised,
        [(50_000, 16, 3, "rules: 5 of paper".into()), (50_000, 12, 1, "rules: caught".into())]
    );
}

#[test]
fn sequential_guids_are_defaults_and_nothing_else() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE g (a int, b uniqueidentifier DEFAULT (NEWSEQUENTIALID()))");
    c.ok("INSERT g (a) VALUES (1), (2)");
    assert_eq!(c.rows("SELECT COUNT(DISTINCT b) FROM g"), "2");
    c.ok("DELETE g ALTER TABLE g ADD c uniqueidentifier NOT NULL DEFAULT NEWSEQUENTIALID()");
    for wrong in [
        "SELECT NEWSEQUENTIALID()",
        "INSERT g VALUES (3, NEWSEQUENTIALID(), NEWID())",
        "DECLARE @g uniqueidentifier SET @g = NEWSEQUENTIALID()",
        "CREATE TABLE h (a int, b varchar(50) DEFAULT (CONVERT(varchar(50), NEWSEQUENTIALID())))",
    ] {
        let said = c.rows(wrong);
        assert!(said.starts_with("Msg 302, Level 16, State 0, "), "{wrong}: {said}");
    }
}
