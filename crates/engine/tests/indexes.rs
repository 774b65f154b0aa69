//! Changes and queries through indexes, beside the same without them.

use crate::support;

use support::World;

/// The same rows in a heap and in an indexed table must answer alike, through seeks, ranges and look-ups.
#[test]
fn indexes_answer_as_scans_do() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE h (id int, a int NULL, b varchar(10) NULL, c decimal(9,2) NULL)");
    c.ok("CREATE TABLE i (id int NOT NULL PRIMARY KEY, a int NULL, b varchar(10) NULL, c decimal(9,2) NULL)");
    c.ok("CREATE INDEX ia ON i (a DESC, b) INCLUDE (c) CREATE INDEX ib ON i (b) CREATE UNIQUE INDEX iu ON i (c, id)");
    c.ok("SET NOCOUNT ON DECLARE @n int = 0 WHILE @n < 400 BEGIN INSERT h VALUES (@n, CASE WHEN @n % 7 = 0 THEN NULL ELSE @n % 23 END, \
          CASE WHEN @n % 11 = 0 THEN NULL ELSE 'k' + CONVERT(varchar, @n % 31) END, @n * 0.25) SET @n += 1 END INSERT i SELECT * FROM h");
    let predicates = [
        "id = 17",
        "id > 390",
        "id >= 10 AND id < 15",
        "id BETWEEN 5 AND 7",
        "id = 5000000000",
        "id < -3000000000",
        "a = 5",
        "a > 20",
        "a <= 1",
        "a IS NULL",
        "a = 5 AND b = 'k5'",
        "a = 5 AND b > 'k2'",
        "b = 'K7'",
        "b >= 'k30'",
        "b IS NULL",
        "b = 'k7  '",
        "b LIKE 'k1%'",
        "c = 2.5",
        "c > 99",
        "c = 2.5 AND id = 10",
        "a = NULL",
        "id IN (1, 2, 3)",
        "a = 3 OR a = 4",
        "id = (SELECT MAX(id) FROM h)",
        "a + 1 = 6",
        "NOT (a = 5)",
        "id = 3.0",
        "b = N'k9'",
    ];
    for p in predicates {
        let all = "SELECT id, a, b, c FROM";
        let heap = c.rows(&format!("{all} h WHERE {p} ORDER BY id"));
        let indexed = c.rows(&format!("{all} i WHERE {p} ORDER BY id"));
        assert_eq!(heap, indexed, "{p}");
        assert!(!heap.contains("Msg"), "{p}: {heap}");
        let counts = c.rows(&format!("SELECT COUNT(*), SUM(c) FROM h WHERE {p} UNION SELECT COUNT(*), SUM(c) FROM i WHERE {p}"));
        assert_eq!(counts.lines().count(), 1, "{p}: {counts}");
    }
    // Changes through them.
    for change in [
        "UPDATE {} SET a = a + 1 WHERE a > 10",
        "UPDATE {} SET id = id + 1000",
        "UPDATE {} SET b = 'z' + b WHERE id % 3 = 0",
        "DELETE FROM {} WHERE b = 'k4'",
        "UPDATE {} SET c = c + 1, a = NULL WHERE b > 'k5'",
        "DELETE {} WHERE a IS NULL AND id > 1200",
    ] {
        let heap = c.run(&change.replace("{}", "h"));
        let indexed = c.run(&change.replace("{}", "i"));
        assert_eq!(heap, indexed, "{change}");
        for p in ["1 = 1", "a > 5", "b >= 'k3'", "c > 50", "id > 1100"] {
            let heap = c.rows(&format!("SELECT id, a, b, c FROM h WHERE {p} ORDER BY id"));
            let indexed = c.rows(&format!("SELECT id, a, b, c FROM i WHERE {p} ORDER BY id"));
            assert_eq!(heap, indexed, "{change}, {p}");
        }
    }
}

#[test]
fn keys_pass_from_row_to_row() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d CREATE TABLE t (id int NOT NULL PRIMARY KEY, u int NOT NULL UNIQUE, v int)");
    c.ok("INSERT t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)");
    assert_eq!(c.run("UPDATE t SET id = id + 1"), "done 0xc5 rows=3");
    assert_eq!(c.run("UPDATE t SET u = 4 - u"), "done 0xc5 rows=3");
    assert_eq!(c.rows("SELECT * FROM t"), "2 | 3 | 1\n3 | 2 | 2\n4 | 1 | 3");
    assert!(c.rows("UPDATE t SET u = 1").starts_with("Msg 2627"));
    assert_eq!(c.rows("SELECT * FROM t ORDER BY u"), "4 | 1 | 3\n3 | 2 | 2\n2 | 3 | 1");
    assert_eq!(
        c.rows("UPDATE t SET v = v + 10 OUTPUT deleted.v, inserted.v WHERE id > 2"),
        "2 | 12\n3 | 13"
    );
    assert_eq!(c.rows("DELETE t OUTPUT deleted.id WHERE v = 12"), "3");
    assert_eq!(c.rows("INSERT t OUTPUT inserted.* VALUES (9, 9, 9)"), "9 | 9 | 9");
    assert_eq!(
        c.run("UPDATE x SET v = y.v FROM t x JOIN t y ON y.id = 9 WHERE x.id = 2"),
        "done 0xc5 rows=1"
    );
    assert_eq!(
        c.run("DELETE x FROM t x JOIN t y ON x.v = y.v AND x.id <> y.id"),
        "done 0xc4 rows=2"
    );
    c.ok("INSERT t SELECT id + 100, u + 100, v FROM t");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t"), "2");
}

#[test]
fn rows_of_every_type_and_length() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE t (i int IDENTITY(10, 5), b bit, ti tinyint, si smallint, bi bigint, d decimal(38, 10), f float, r real, \
          c char(5), vc varchar(max), nc nchar(3), nv nvarchar(max), bin binary(4), vb varbinary(max), dt datetime, dt2 datetime2(3), \
          da date, tm time(0), g uniqueidentifier, m money)");
    c.ok("INSERT t VALUES (1, 255, -32768, 9223372036854775807, 12345678901234567890.5, 1.5, 0.25, 'ab', \
        REPLICATE(CONVERT(varchar(max), 'x'), 20000), \
          N'é', N'日本', 0x01, 0xff00ff, '2026-11-21 12:34:56.789', '2026-11-21 12:34:56.7894', '2026-11-21', '23:59:59', \
          '6F9619FF-8B86-D011-B42D-00C04FC964FF', -1.2345)");
    assert_eq!(
        c.rows(
            "SELECT i, b, ti, si, bi, d, f, r, c, LEN(vc), nc, nv, bin, vb, dt2, da, tm, g FROM t"
        ),
        "10 | 1 | 255 | -32768 | 9223372036854775807 | 12345678901234567890.5000000000 | 1.5 | 0.25 | ab    | \
            20000 | é   | 日本 | 0x01000000 | 0xFF00FF | 2026-11-21 12:34:56.789 | 2026-11-21 | 23:59:59 | \
            6F9619FF-8B86-D011-B42D-00C04FC964FF"
    );
    c.ok("UPDATE t SET vc = vc + 'y', nv = N'' WHERE i = 10");
    assert_eq!(c.rows("SELECT LEN(vc), RIGHT(vc, 2), LEN(nv) FROM t"), "20001 | xy | 0");
    c.ok("INSERT t (b) VALUES (0)");
    assert_eq!(c.rows("SELECT i, vc FROM t WHERE b = 0"), "15 | NULL");
    c.ok("SELECT * INTO u FROM t");
    assert_eq!(c.rows("SELECT i, LEN(vc) FROM u ORDER BY i"), "10 | 20001\n15 | NULL");
    c.ok("DELETE t");
    assert_eq!(c.rows("SELECT LEN(vc) FROM u WHERE i = 10"), "20001");
    assert!(
        c.rows("INSERT t (ti) VALUES (256)").starts_with("Msg 220"),
        "{}",
        c.rows("INSERT t (ti) VALUES (256)")
    );
    assert!(c.rows("INSERT t (si) VALUES (40000)").starts_with("Msg 220"));
    assert!(
        c.rows("DECLARE @i int = 2147483647 INSERT t (bi) VALUES (@i + 1)").starts_with("Msg 8115")
    );
    assert!(c.rows("INSERT t (i) VALUES (1)").starts_with("Msg 544"));
    c.ok("SET IDENTITY_INSERT t ON INSERT t (i) VALUES (100) SET IDENTITY_INSERT t OFF");
    c.ok("INSERT t (b) VALUES (1)");
    assert_eq!(c.rows("SELECT MAX(i) FROM t"), "105");
}

#[test]
fn table_variables_and_temp_tables_go_with_their_scope() {
    let (w, mut c) = World::with_database();
    assert_eq!(c.rows("DECLARE @t TABLE (id int PRIMARY KEY, n varchar(5)) INSERT @t VALUES (1, 'a'), (2, 'b') \
        UPDATE @t SET n = 'c' WHERE id = 1 SELECT * FROM @t"), "1 | c\n2 | b");
    assert!(c.rows("SELECT * FROM @t").starts_with("Msg 1087"));
    c.ok("CREATE PROCEDURE p AS CREATE TABLE #x (i int) INSERT #x VALUES (1) SELECT * FROM #x");
    assert_eq!(c.rows("EXEC p EXEC p"), "1\n1");
    assert!(c.rows("SELECT * FROM #x").starts_with("Msg 208"));
    c.ok("CREATE TABLE #y (i int)");
    let mut other = w.connect();
    assert!(other.rows("SELECT * FROM #y").starts_with("Msg 208"));
    other.ok("CREATE TABLE #y (j int)");
    c.ok("BEGIN TRAN CREATE TABLE #z (i int) INSERT #z VALUES (1) ROLLBACK");
    assert!(c.rows("SELECT * FROM #z").starts_with("Msg 208"));
    drop(c);
    assert_eq!(other.rows("SELECT COUNT(*) FROM tempdb.sys.tables"), "1");
}

#[test]
fn odd_input_gives_errors() {
    let w = World::new();
    let mut c = w.connect();
    let chain = format!("SELECT {}1", "1 + ".repeat(3000));
    let said = c.rows(&chain);
    assert!(said == "3001" || said.starts_with("Msg "), "{said}");
    let ors = format!("SELECT 1 WHERE {}1 = 1", "1 = 2 OR ".repeat(5000));
    assert_eq!(c.rows(&ors), "1");
    let list: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    assert_eq!(c.rows(&format!("SELECT 1 WHERE 19999 IN ({})", list.join(","))), "1");
    let nested = format!("SELECT {}1{}", "(SELECT ".repeat(300), ")".repeat(300));
    let said = c.rows(&nested);
    assert!(said == "1" || said.starts_with("Msg "), "{said}");
    let blocks = format!("{} PRINT 'x' {}", "BEGIN ".repeat(1000), "END ".repeat(1000));
    assert!(c.rows(&blocks).contains("Msg 191") || c.rows(&blocks).contains("print: x"));
    let unions = vec!["SELECT 1"; 2000].join(" UNION ALL ");
    assert_eq!(c.rows(&format!("SELECT COUNT(*) FROM ({unions}) AS t(x)")), "2000");
    let big = format!("SELECT LEN('{}')", "a".repeat(10_000_000));
    assert_eq!(c.rows(&big), "10000000");
    assert_eq!(c.rows("SELECT 1"), "1");
}

/// What builds a statement or a message from names quotes them as T-SQL does.
#[test]
fn names_with_brackets_are_quoted() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE [a]]b] (i int CONSTRAINT [p]]k] PRIMARY KEY)");
    let said = c.rows("EXEC sp_updatestats");
    assert!(said.contains("Updating [dbo].[a]]b]"), "{said}");
    c.ok("DBCC DBREINDEX ('[a]]b]', 'p]k', 70)");
    assert_eq!(c.rows("SELECT name, fill_factor FROM sys.indexes WHERE name = 'p]k'"), "p]k | 70");
    c.ok("CREATE DATABASE [d]]1]");
    c.rows("EXEC sp_rename '[d]]1]', 'd]2', 'DATABASE'");
    assert_eq!(c.rows("SELECT name FROM sys.databases WHERE database_id > 4"), "d]2");
}

/// A cancel ends the building of an index among its rows, whatever kind it is, and leaves the table as it was.
#[test]
fn building_an_index_hears_a_cancel() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int NOT NULL, v varchar(40))");
    c.ok(
        "INSERT t SELECT value, 'v' + CONVERT(varchar, value % 977) FROM GENERATE_SERIES(1, 30000)",
    );
    let state = "SELECT COUNT(*), SUM(CONVERT(bigint, id)), COUNT(DISTINCT v) FROM t";
    let before = c.rows(state);
    for statement in [
        "CREATE INDEX made ON t (v) INCLUDE (id)",
        "CREATE UNIQUE CLUSTERED INDEX made ON t (id)",
        "ALTER TABLE t ADD CONSTRAINT made PRIMARY KEY (id)",
    ] {
        let stop = Arc::new(AtomicBool::new(false));
        let (handle, told) = (c.connection.cancel_handle(), stop.clone());
        let other = std::thread::spawn(move || {
            while !told.load(Relaxed) {
                handle.cancel();
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        let mut cancelled = false;
        for _ in 0..200 {
            let said = c.run(&format!("PRINT 'begun' {statement}"));
            cancelled = c.connection.was_cancelled() && said.contains("begun");
            if cancelled {
                break;
            }
            c.run("IF INDEXPROPERTY(OBJECT_ID('t'), 'made', 'IndexID') IS NOT NULL ALTER TABLE t DROP CONSTRAINT IF EXISTS made");
            c.run("DROP INDEX IF EXISTS made ON t");
        }
        stop.store(true, Relaxed);
        other.join().expect("the other thread ends");
        assert!(cancelled, "{statement}");
        c.run("SELECT 1");
        assert_eq!(c.rows(state), before);
        assert_eq!(c.rows("SELECT COUNT(*) FROM sys.indexes WHERE name = 'made'"), "0");
        c.ok(statement);
        c.run("ALTER TABLE t DROP CONSTRAINT IF EXISTS made");
        c.run("DROP INDEX IF EXISTS made ON t");
        assert_eq!(c.rows(state), before);
    }
}

/// Columns of two tables with one name are two: a view that shows one of them has no row for each of its groups.
#[test]
fn an_indexed_view_shows_what_it_groups_by() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE p (a int NOT NULL, x int NOT NULL) CREATE TABLE q (a int NOT NULL, y int NOT NULL)
        INSERT p VALUES (1, 1); INSERT q VALUES (1, 1)");
    for (shown, by, refused) in [
        ("p.a", "p.a, q.a", true),
        ("p.a", "dbo.p.a", false),
        ("p.a, q.a AS b", "q.a, P.A", false),
        ("x", "p.x", false),
    ] {
        c.ok(&format!(
            "EXEC ('CREATE OR ALTER VIEW g WITH SCHEMABINDING AS SELECT {shown}, COUNT_BIG(*) AS n
                FROM dbo.p JOIN dbo.q ON p.x = q.y GROUP BY {by}')"
        ));
        let key = if shown == "x" { "x" } else { "a" };
        let said = c.rows(&format!("CREATE UNIQUE CLUSTERED INDEX i ON g ({key})"));
        assert_eq!(said.starts_with("Msg 8660,"), refused, "{shown} by {by}: {said}");
        assert!(refused || said.is_empty(), "{shown} by {by}: {said}");
    }
}

/// A column that is added with a default of NEWID has another value in each row, and so has what is computed of it.
#[test]
fn an_added_column_of_newid_differs_from_row_to_row() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE TABLE n (a int NOT NULL); INSERT n VALUES (1), (2), (3)");
    c.ok("ALTER TABLE n ADD g uniqueidentifier NOT NULL DEFAULT NEWID(), s varchar(40) NULL DEFAULT NEWID() WITH VALUES,
        d datetime2 NOT NULL DEFAULT SYSDATETIME(), h AS CONVERT(varchar(40), g) PERSISTED, k int IDENTITY PRIMARY KEY");
    c.ok("INSERT n (a) VALUES (4)");
    let counts = "SELECT COUNT(DISTINCT g), COUNT(DISTINCT s), COUNT(DISTINCT h), COUNT(DISTINCT d), MAX(LEN(s)) FROM n";
    assert_eq!(c.rows(counts), "4 | 4 | 4 | 2 | 36");
    assert_eq!(c.rows("SELECT COUNT(*) FROM n WHERE h = CONVERT(varchar(40), g)"), "4");
    c.ok("DBCC CHECKTABLE ('n') WITH NO_INFOMSGS");
}
