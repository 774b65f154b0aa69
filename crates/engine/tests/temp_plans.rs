//! Plans over temp tables and table variables: made once for all tables of a shape, and never run on the wrong one.

use crate::support;

use std::sync::atomic::{AtomicBool, Ordering};
use support::{Client, World};

/// How many statements the instance has planned.
fn planned(c: &mut Client) -> i64 {
    let text = c.rows(
        "SELECT cntr_value FROM sys.dm_os_performance_counters \
         WHERE counter_name = 'Query optimizations/sec' AND instance_name = 'default'",
    );
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// How many statements were planned again.
fn again(c: &mut Client) -> i64 {
    let text = c.rows(
        "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'SQL Re-Compilations/sec'",
    );
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

/// How many statements are planned while `batch` runs `times` times, all with this result.
fn planned_by(c: &mut Client, batch: &str, times: usize, result: &str) -> i64 {
    planned(c);
    let before = planned(c);
    for _ in 0..times {
        assert_eq!(c.rows(batch), result, "{batch}");
    }
    planned(c) - before
}

/// A procedure with all kinds of statements on two temp tables and a table variable.
const BUSY: &str = "CREATE PROCEDURE busy @n int AS
BEGIN
  CREATE TABLE #a (k int IDENTITY PRIMARY KEY, v int NOT NULL DEFAULT 7 CHECK (v < 1000), w varchar(10) NULL, INDEX iv (v));
  CREATE TABLE #b (k int UNIQUE, v int);
  DECLARE @t TABLE (k int PRIMARY KEY, v int);
  INSERT #a (v) VALUES (@n), (@n + 1), (DEFAULT);
  INSERT #b SELECT k, v FROM #a WHERE v = @n;
  INSERT @t SELECT k, v FROM #a ORDER BY v;
  UPDATE #a SET v = v + 1 WHERE v = @n;
  UPDATE a SET w = 'x' FROM #a a JOIN #b b ON a.k = b.k;
  DELETE #a WHERE v IN (SELECT v FROM #b WHERE k > 100);
  MERGE #b AS b USING #a AS a ON a.k = b.k WHEN MATCHED THEN UPDATE SET v = a.v WHEN NOT MATCHED THEN INSERT VALUES (a.k, a.v);
  DELETE @t OUTPUT deleted.k, deleted.v INTO #b (k, v) WHERE k > 50;
  IF EXISTS (SELECT * FROM #a WHERE v = 7) SET @n = (SELECT COUNT(*) FROM #b);
  SELECT @n, (SELECT SUM(v) FROM #a), (SELECT SUM(v) FROM #b), (SELECT COUNT(*) FROM @t);
END";

#[test]
fn a_procedure_with_temp_tables_is_planned_once() {
    let (_world, mut c) = World::with_database();
    c.ok("SET NOCOUNT ON");
    c.ok(BUSY);
    planned_by(&mut c, "EXEC busy 1", 2, "3 | 11 | 11 | 3");
    assert_eq!(planned_by(&mut c, "EXEC busy 1", 100, "3 | 11 | 11 | 3"), 0);
    // Others have nothing to plan either.
    let mut other = _world.connect_to("d");
    other.ok("SET NOCOUNT ON");
    assert_eq!(planned_by(&mut other, "EXEC busy 1", 20, "3 | 11 | 11 | 3"), 0);
    let before = again(&mut c);
    planned_by(&mut c, "EXEC busy 1", 20, "3 | 11 | 11 | 3");
    assert_eq!(again(&mut c), before);
}

#[test]
fn a_batch_and_dynamic_text_too() {
    let (_world, mut c) = World::with_database();
    let batch = "SET NOCOUNT ON; CREATE TABLE #t (a int); INSERT #t VALUES (1), (2); SELECT SUM(a) FROM #t; DROP TABLE #t";
    planned_by(&mut c, batch, 2, "3");
    assert_eq!(planned_by(&mut c, batch, 20, "3"), 0);
    let text = format!("EXEC sp_executesql N'{batch}'");
    planned_by(&mut c, &text, 2, "3");
    assert_eq!(planned_by(&mut c, &text, 20, "3"), 0);
    let batch = "SET NOCOUNT ON; DECLARE @t TABLE (a int); INSERT @t VALUES (1), (2); SELECT SUM(a) FROM @t";
    planned_by(&mut c, batch, 2, "3");
    assert_eq!(planned_by(&mut c, batch, 20, "3"), 0);
}

#[test]
fn a_loop_is_not_planned_again_for_the_ddl_of_others() {
    let (world, mut c) = World::with_database();
    c.ok("CREATE TABLE #t (a int)");
    let mut other = world.connect_to("d");
    let batch = "INSERT #t VALUES (1)";
    c.ok(batch);
    planned(&mut c);
    let before = planned(&mut c);
    for _ in 0..10 {
        other.ok("CREATE TABLE #o (a int)");
        c.ok(batch);
        other.ok("DROP TABLE #o");
        c.ok(batch);
    }
    assert_eq!(planned(&mut c) - before, 0);
    assert_eq!(c.rows("SELECT COUNT(*) FROM #t"), "21");
}

#[test]
fn another_shape_is_another_plan() {
    let (_world, mut c) = World::with_database();
    c.ok("SET NOCOUNT ON");
    c.ok("CREATE PROCEDURE inside AS BEGIN SELECT * FROM #t WHERE a = 1; UPDATE #t SET b = b; SELECT COUNT(*) FROM #t WHERE b >= 'a' END");
    let shapes = [
        ("a int, b varchar(10)", "1, 'A'", "1 | A\n1"),
        ("b varchar(10), a int", "'A', 1", "A | 1\n1"),
        ("a bigint, b nvarchar(10)", "1, 'A'", "1 | A\n1"),
        ("a int PRIMARY KEY, b varchar(10)", "1, 'A'", "1 | A\n1"),
        ("a int, b varchar(10) COLLATE Latin1_General_BIN2", "1, 'A'", "1 | A\n0"),
        ("a int, c int DEFAULT 3, b varchar(10), INDEX i (a)", "1, 2, 'A'", "1 | 2 | A\n1"),
        ("a int IDENTITY, b varchar(10)", "'A'", "1 | A\n1"),
        ("a int NOT NULL, b varchar(10) NOT NULL, INDEX i (a) WHERE a > 0", "1, 'A'", "1 | A\n1"),
    ];
    // All of them, again and again, with those between that change nothing.
    for round in 0..3 {
        for (columns, values, expected) in shapes {
            let batch = format!(
                "CREATE TABLE #t ({columns}); INSERT #t VALUES ({values}); EXEC inside; DROP TABLE #t"
            );
            assert_eq!(c.rows(&batch), expected, "{round}: {columns}");
        }
    }
    c.ok("CREATE PROCEDURE missing AS SELECT z FROM #t");
    assert_eq!(
        c.rows("CREATE TABLE #t (z int); INSERT #t VALUES (4); EXEC missing; DROP TABLE #t"),
        "4"
    );
    let said = c.run("CREATE TABLE #t (y int); EXEC missing; DROP TABLE #t");
    assert_eq!(support::errors(&said), [207], "{said}");
    let said = c.run("EXEC missing");
    assert_eq!(support::errors(&said), [208], "{said}");
    assert_eq!(
        c.rows("CREATE TABLE #t (z int); INSERT #t VALUES (5); EXEC missing; DROP TABLE #t"),
        "5"
    );
}

#[test]
fn what_changes_on_the_way_is_seen() {
    let (_world, mut c) = World::with_database();
    c.ok("SET NOCOUNT ON");
    c.ok("CREATE PROCEDURE altered @how int AS BEGIN
        CREATE TABLE #t (a int, b int);
        INSERT #t VALUES (1, 10), (2, 20);
        DECLARE @i int = 0;
        WHILE @i < 3
        BEGIN
          SELECT * FROM #t WHERE a = 2;
          IF @i = 0 AND @how = 1 ALTER TABLE #t ADD c int NOT NULL DEFAULT 5;
          IF @i = 0 AND @how = 2 CREATE UNIQUE CLUSTERED INDEX i ON #t (a);
          IF @i = 0 AND @how = 3 ALTER TABLE #t DROP COLUMN b;
          IF @i = 0 AND @how = 4 CREATE INDEX i ON #t (a) INCLUDE (b);
          IF @i = 1 AND @how = 4 DROP INDEX i ON #t;
          IF @i = 1 AND @how = 5 BEGIN DROP TABLE #t; EXEC ('SELECT 1') END
          SET @i += 1;
        END
      END");
    for _ in 0..3 {
        assert_eq!(c.rows("EXEC altered 0"), "2 | 20\n2 | 20\n2 | 20");
        assert_eq!(c.rows("EXEC altered 1"), "2 | 20\n2 | 20 | 5\n2 | 20 | 5");
        assert_eq!(c.rows("EXEC altered 2"), "2 | 20\n2 | 20\n2 | 20");
        assert_eq!(c.rows("EXEC altered 3"), "2 | 20\n2\n2");
        assert_eq!(c.rows("EXEC altered 4"), "2 | 20\n2 | 20\n2 | 20");
        let said = c.run("EXEC altered 5");
        assert_eq!(support::errors(&said), [208], "{said}");
    }
}

#[test]
fn names_mean_the_innermost_table() {
    let (_world, mut c) = World::with_database();
    c.ok("SET NOCOUNT ON");
    c.ok("CREATE PROCEDURE reads AS SELECT v FROM #t");
    c.ok("CREATE PROCEDURE outer_one @n int AS BEGIN
        EXEC reads;
        CREATE TABLE #t (v int);
        INSERT #t VALUES (@n);
        EXEC reads;
        IF @n < 3 BEGIN SET @n += 1; EXEC outer_one @n END
        EXEC reads;
      END");
    c.ok("CREATE TABLE #t (v int)");
    c.ok("INSERT #t VALUES (100)");
    for _ in 0..3 {
        assert_eq!(c.rows("EXEC outer_one 1").replace('\n', " "), "100 1 1 2 2 3 3 2 1");
        assert_eq!(c.rows("EXEC reads"), "100");
    }
    // What an INSERT … EXEC runs has the caller's tables.
    assert_eq!(c.rows("DECLARE @r TABLE (v int); INSERT @r EXEC reads; SELECT v FROM @r"), "100");
    c.ok("BEGIN TRANSACTION; DROP TABLE #t; CREATE TABLE #t (v int); INSERT #t VALUES (8)");
    assert_eq!(c.rows("EXEC reads"), "8");
    c.ok("ROLLBACK");
    assert_eq!(c.rows("EXEC reads"), "100");
}

#[test]
fn errors_name_what_is_there() {
    let (_world, mut c) = World::with_database();
    c.ok("SET NOCOUNT ON");
    c.ok("CREATE PROCEDURE wrong @n int AS BEGIN
        CREATE TABLE #t (k int PRIMARY KEY, v int CHECK (v < 10));
        BEGIN TRY INSERT #t VALUES (1, @n) END TRY BEGIN CATCH
          SELECT REPLACE(ERROR_MESSAGE(), name, 'the check') FROM tempdb.sys.check_constraints
          WHERE parent_object_id = OBJECT_ID('tempdb..#t')
        END CATCH
        INSERT #t VALUES (2, 2);
        BEGIN TRY INSERT #t VALUES (2, 3) END TRY BEGIN CATCH
          SELECT CHARINDEX(name, ERROR_MESSAGE()) FROM tempdb.sys.indexes WHERE object_id = OBJECT_ID('tempdb..#t')
        END CATCH
        UPDATE #t SET v = @n;
        SELECT COUNT(*) FROM #t;
      END");
    let first = c.rows("EXEC wrong 11");
    assert!(first.contains("\"the check\"") && first.contains("Msg 547"), "{first}");
    assert!(!first.contains("\n0\n"), "{first}");
    let hidden = |said: &str| -> String {
        let digits = said.split("CK__").map(|p| p.split_once('"').map_or(p, |(_, rest)| rest));
        digits.collect::<Vec<_>>().join("CK")
    };
    let second = c.rows("EXEC wrong 11");
    assert_eq!(hidden(&first).len(), hidden(&second).len(), "{first}\n{second}");
    assert!(second.contains("\"the check\"") && !second.contains("\n0\n"), "{second}");
    let right = c.rows("EXEC wrong 1");
    assert_eq!(right.lines().last(), Some("2"), "{right}");
}

#[test]
fn identity_insert_is_that_of_the_table() {
    let (_world, mut c) = World::with_database();
    c.ok("SET NOCOUNT ON");
    c.ok("CREATE PROCEDURE numbered @on int AS BEGIN
        CREATE TABLE #t (k int IDENTITY(10, 10), v int);
        INSERT #t (v) VALUES (0);
        IF @on = 1 SET IDENTITY_INSERT #t ON;
        IF @on = 1 EXEC ('INSERT #t (k, v) VALUES (3, 1)') ELSE EXEC ('INSERT #t (v) VALUES (1)');
        IF @on = 1 SET IDENTITY_INSERT #t OFF;
        INSERT #t (v) VALUES (2);
        SELECT k FROM #t ORDER BY v;
      END");
    for _ in 0..3 {
        assert_eq!(c.rows("EXEC numbered 0"), "10\n20\n30");
        assert_eq!(c.rows("EXEC numbered 1"), "10\n3\n20");
        let said = c.run("CREATE TABLE #t (k int IDENTITY, v int); INSERT #t (k, v) VALUES (3, 1)");
        assert_eq!(support::errors(&said), [544], "{said}");
        c.ok("DROP TABLE #t");
    }
}

#[test]
fn a_far_other_size_is_another_plan() {
    let (_world, mut c) = World::with_database();
    c.ok("SET NOCOUNT ON");
    c.ok("CREATE TABLE big (k int PRIMARY KEY, v int)");
    c.ok("INSERT big SELECT value, value FROM GENERATE_SERIES(1, 3000)");
    c.ok("CREATE PROCEDURE sized @n int AS BEGIN
        CREATE TABLE #t (k int);
        INSERT #t SELECT k FROM big WHERE k <= @n;
        SELECT COUNT(*) FROM #t t JOIN big b ON b.k = t.k;
      END");
    planned_by(&mut c, "EXEC sized 3", 2, "3");
    assert_eq!(planned_by(&mut c, "EXEC sized 4", 5, "4"), 0);
    // Only the statement that reads it.
    assert_eq!(planned_by(&mut c, "EXEC sized 3000", 1, "3000"), 1);
    assert_eq!(planned_by(&mut c, "EXEC sized 2900", 5, "2900"), 0);
    // Both plans are kept.
    assert_eq!(planned_by(&mut c, "EXEC sized 4", 5, "4"), 0);
}

#[test]
fn sessions_at_once_read_their_own_tables() {
    let (world, mut c) = World::with_database();
    c.ok(BUSY.replace("busy", "busy2").as_str());
    c.ok("CREATE PROCEDURE own @n int AS BEGIN
        SET NOCOUNT ON;
        CREATE TABLE #t (k int PRIMARY KEY, v int);
        DECLARE @i int = 0;
        WHILE @i < 20 BEGIN INSERT #t VALUES (@i, @n); SET @i += 1 END
        UPDATE #t SET v += 1 WHERE k < 10;
        DELETE #t WHERE k = 19;
        SELECT COUNT(*), MIN(v) - @n, MAX(v) - @n FROM #t;
      END");
    let failed = AtomicBool::new(false);
    std::thread::scope(|s| {
        for n in 0..4 {
            let (mut c, failed) = (world.connect_to("d"), &failed);
            s.spawn(move || {
                for round in 0..60 {
                    let said = c.rows(&format!("EXEC own {}", n * 1000));
                    if said != "19 | 0 | 1" {
                        failed.store(true, Ordering::Relaxed);
                        panic!("{n}, {round}: {said}");
                    }
                    c.ok("EXEC busy2 1");
                }
            });
        }
    });
    assert!(!failed.load(Ordering::Relaxed));
}

#[test]
fn a_plan_over_lasting_tables_beside_is_made_anew_when_they_change() {
    let (_world, mut c) = World::with_database();
    c.ok("SET NOCOUNT ON");
    c.ok("CREATE TABLE lasting (k int, v int)");
    c.ok("INSERT lasting VALUES (1, 5)");
    c.ok("CREATE PROCEDURE both AS BEGIN
        CREATE TABLE #t (k int);
        INSERT #t VALUES (1);
        SELECT l.* FROM #t t JOIN lasting l ON l.k = t.k;
      END");
    assert_eq!(c.rows("EXEC both"), "1 | 5");
    c.ok("ALTER TABLE lasting ADD w int NOT NULL DEFAULT 6");
    assert_eq!(c.rows("EXEC both"), "1 | 5 | 6");
    c.ok("BEGIN TRANSACTION; ALTER TABLE lasting DROP COLUMN v");
    assert_eq!(c.rows("EXEC both"), "1 | 6");
    c.ok("ROLLBACK");
    assert_eq!(c.rows("EXEC both"), "1 | 5 | 6");
    c.ok("DROP TABLE lasting");
    let said = c.run("EXEC both");
    assert_eq!(support::errors(&said), [208], "{said}");
}
