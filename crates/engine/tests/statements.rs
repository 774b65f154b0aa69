//! Statements from text to what a client hears.

use crate::support;

use support::World;

#[test]
fn expressions_and_variables() {
    let w = World::new();
    let mut c = w.connect();
    assert_eq!(c.run("SELECT 1"), "[int]\n1\ndone 0xc1 rows=1");
    assert_eq!(c.rows("SELECT 1 + 2 * 3 AS x, 'a' + 'b', NULL"), "7 | ab | NULL");
    assert_eq!(c.rows("DECLARE @i int = 5; SET @i += 2; SELECT @i, @@ROWCOUNT"), "7 | 1");
    assert_eq!(c.rows("DECLARE @s varchar(3) = 'abcdef' SELECT @s"), "abc");
    assert_eq!(c.rows("SELECT CASE WHEN 1 = 2 THEN 'x' ELSE 'y' END, COALESCE(NULL, 3)"), "y | 3");
    assert_eq!(
        c.rows(
            "DECLARE @i int = 0 WHILE @i < 3 BEGIN SET @i = @i + 1 IF @i = 2 CONTINUE PRINT @i END"
        ),
        "print: 1\nprint: 3"
    );
    assert_eq!(c.rows("SELECT 10 / 4, 10.0 / 4, 7 % 3"), "2 | 2.500000 | 1");
    assert_eq!(c.rows("SELECT 1 WHERE 1 = 2"), "");
    assert_eq!(c.rows("IF EXISTS (SELECT 1) PRINT 'yes' ELSE PRINT 'no'"), "print: yes");
    assert_eq!(c.rows("SELECT (SELECT 5) + 1"), "6");
    assert_eq!(c.rows("SELECT x FROM (VALUES (3), (1), (2)) AS t(x) ORDER BY x DESC"), "3\n2\n1");
}

#[test]
fn errors_carry_number_and_line() {
    let w = World::new();
    let mut c = w.connect();
    assert_eq!(
        c.rows("SELECT 1/0"),
        "Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered."
    );
    assert_eq!(
        c.rows("SELECT 1\nSELECT @x"),
        "Msg 137, Level 15, State 2, Line 2: Must declare the scalar variable \"@x\"."
    );
    assert_eq!(
        c.rows("SELECT\n* FROM nowhere"),
        "Msg 208, Level 16, State 1, Line 2: Invalid object name 'nowhere'."
    );
    assert_eq!(
        c.rows("SELECT CONVERT(int, 'abc')"),
        "Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'abc' to data type int."
    );
    assert_eq!(
        c.rows("EXEC missing"),
        "Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure 'missing'."
    );
    assert_eq!(
        c.rows("DECLARE @i int = 2147483647 SET @i = @i + 1 PRINT 'on'").lines().last(),
        Some("print: on")
    );
    // A deep expression is an error, not an overflow of the stack.
    let deep = format!("SELECT {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(c.rows(&deep).starts_with("Msg "));
    assert_eq!(c.rows("SELECT 1"), "1");
}

#[test]
fn tables_rows_and_queries() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    assert_eq!(
        c.run("USE d"),
        "env database d\nMsg 5701, Level 0, State 1, Line 1: Changed database context to 'd'.\ndone 0xfd"
    );
    c.ok("CREATE TABLE t (id int IDENTITY(1,1) NOT NULL PRIMARY KEY, name varchar(10) NULL, v decimal(9,2) NOT NULL DEFAULT 1.5)");
    assert_eq!(c.run("INSERT t (name) VALUES ('a'), ('b')"), "done 0xc3 rows=2");
    assert_eq!(c.rows("SELECT * FROM t"), "1 | a | 1.50\n2 | b | 1.50");
    assert_eq!(c.run("UPDATE t SET v = v * 2 WHERE id = 2"), "done 0xc5 rows=1");
    assert_eq!(c.rows("SELECT SUM(v), COUNT(*), MAX(name) FROM t"), "4.50 | 2 | b");
    assert_eq!(c.rows("SELECT name FROM t WHERE id = 2"), "b");
    assert_eq!(c.run("DELETE t WHERE name = 'a'"), "done 0xc4 rows=1");
    assert_eq!(c.rows("SELECT id FROM t"), "2");
    assert_eq!(c.rows("SELECT SCOPE_IDENTITY(), @@IDENTITY"), "2 | 2");
    c.ok("INSERT INTO t (name, v) SELECT name + 'x', v FROM t");
    assert_eq!(c.rows("SELECT id, name FROM t ORDER BY id"), "2 | b\n3 | bx");
    assert_eq!(
        c.rows("INSERT t (v) VALUES (NULL)"),
        "Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'v', table 'd.dbo.t'; \
            column does not allow nulls. INSERT fails.\nMsg 3621, Level 0, State 1, Line 1: The statement has \
            been terminated."
    );
    assert_eq!(
        c.rows("INSERT t (name) VALUES ('12345678901')").lines().next(),
        Some(
            "Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'd.dbo.t', \
                column 'name'. Truncated value: '1234567890'."
        )
    );
    assert_eq!(
        c.rows("SELECT ghost FROM t"),
        "Msg 207, Level 16, State 1, Line 1: Invalid column name 'ghost'."
    );
    assert_eq!(
        c.rows("SELECT name, COUNT(*) FROM t"),
        "Msg 8120, Level 16, State 1, Line 1: Column 't.name' is invalid in the select list because it is not \
            contained in either an aggregate function or the GROUP BY clause."
    );
}

#[test]
fn joins_groups_and_windows() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE #a (id int, g int) CREATE TABLE #b (id int PRIMARY KEY, n varchar(5))");
    c.ok("INSERT #a VALUES (1, 10), (2, 10), (3, 20), (4, NULL) INSERT #b VALUES (1, 'one'), (2, 'two'), (5, 'five')");
    assert_eq!(
        c.rows("SELECT a.id, b.n FROM #a a JOIN #b b ON a.id = b.id ORDER BY a.id"),
        "1 | one\n2 | two"
    );
    assert_eq!(
        c.rows("SELECT a.id, b.n FROM #a a LEFT JOIN #b b ON a.id = b.id ORDER BY a.id"),
        "1 | one\n2 | two\n3 | NULL\n4 | NULL"
    );
    assert_eq!(
        c.rows("SELECT a.id, b.id FROM #a a FULL JOIN #b b ON a.id = b.id ORDER BY a.id, b.id"),
        "NULL | 5\n1 | 1\n2 | 2\n3 | NULL\n4 | NULL"
    );
    assert_eq!(
        c.rows("SELECT g, COUNT(*) c FROM #a GROUP BY g HAVING COUNT(*) > 0 ORDER BY g"),
        "NULL | 1\n10 | 2\n20 | 1"
    );
    assert_eq!(
        c.rows("SELECT id, ROW_NUMBER() OVER (PARTITION BY g ORDER BY id DESC) rn, SUM(id) OVER () s FROM #a ORDER BY id"),
        "1 | 2 | 10\n2 | 1 | 10\n3 | 1 | 10\n4 | 1 | 10"
    );
    assert_eq!(c.rows("SELECT TOP 2 id FROM #a ORDER BY id DESC"), "4\n3");
    assert_eq!(c.rows("SELECT DISTINCT g FROM #a ORDER BY g"), "NULL\n10\n20");
    assert_eq!(c.rows("SELECT id FROM #a WHERE id IN (SELECT id FROM #b) ORDER BY id"), "1\n2");
    assert_eq!(
        c.rows(
            "SELECT id FROM #a WHERE NOT EXISTS (SELECT 1 FROM #b WHERE #b.id = #a.id) ORDER BY id"
        ),
        "3\n4"
    );
    assert_eq!(
        c.rows("WITH x AS (SELECT id, g FROM #a WHERE g IS NOT NULL) SELECT x1.id, SUM(x2.id) FROM x x1 JOIN x \
            x2 ON x2.id <= x1.id GROUP BY x1.id ORDER BY 1"),
        "1 | 1\n2 | 3\n3 | 6"
    );
    assert_eq!(
        c.rows("SELECT id FROM #a WHERE g = 10 UNION SELECT id FROM #b ORDER BY id"),
        "1\n2\n5"
    );
    assert_eq!(c.rows("SELECT id FROM #a EXCEPT SELECT id FROM #b"), "3\n4");
    assert_eq!(
        c.rows("SELECT MAX(g) + 1, (SELECT COUNT(*) FROM #b) FROM #a").lines().next(),
        Some("21 | 3")
    );
    c.ok("DROP TABLE #a, #b");
}

#[test]
fn transactions_keep_and_undo() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int)");
    assert_eq!(c.run("BEGIN TRAN"), "env begin\ndone 0xd4");
    c.ok("INSERT t VALUES (1, 1)");
    assert_eq!(c.rows("SELECT @@TRANCOUNT"), "1");
    assert_eq!(c.run("ROLLBACK"), "env rollback\ndone 0xd2");
    assert_eq!(c.rows("SELECT COUNT(*) FROM t"), "0");
    c.ok("BEGIN TRAN INSERT t VALUES (1, 1) SAVE TRAN s INSERT t VALUES (2, 2) ROLLBACK TRAN s COMMIT");
    assert_eq!(c.rows("SELECT id FROM t"), "1");
    // A statement that fails leaves nothing, the transaction goes on.
    assert_eq!(
        c.rows("BEGIN TRAN INSERT t VALUES (2, 2), (1, 9) INSERT t VALUES (3, 3) COMMIT"),
        "Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint 'PK'. Cannot insert duplicate \
            key in object 'dbo.t'. The duplicate key value is (1).\nMsg 3621, Level 0, State 1, Line 1: The \
            statement has been terminated."
            .replace("'PK'", &format!("'{}'", pk_name(&mut c)))
    );
    assert_eq!(c.rows("SELECT id FROM t ORDER BY id"), "1\n3");
    assert!(c.rows("COMMIT").starts_with("Msg 3902"));
    assert!(c.rows("ROLLBACK").starts_with("Msg 3903"));
    // XACT_ABORT
    c.rows("SET XACT_ABORT ON BEGIN TRAN INSERT t VALUES (4, 4) INSERT t VALUES (4, 4) PRINT 'no'");
    assert_eq!(c.rows("SELECT @@TRANCOUNT, COUNT(*) FROM t"), "0 | 2");
    c.ok("SET XACT_ABORT OFF");
    assert_eq!(
        c.rows("BEGIN TRY INSERT t VALUES (1, 1) END TRY BEGIN CATCH SELECT ERROR_NUMBER(), XACT_STATE() END CATCH"),
        "2627 | 0"
    );
}

fn pk_name(c: &mut support::Client) -> String {
    c.rows("SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('t') AND is_primary_key = 1")
}

#[test]
fn procedures_and_texts() {
    let (_w, mut c) = World::with_database();
    c.ok("CREATE PROCEDURE p @a int, @b int = 7, @c int OUTPUT AS BEGIN SET NOCOUNT ON SET @c = @a + @b SELECT @a AS a RETURN 3 END");
    assert_eq!(
        c.run("DECLARE @x int, @r int EXEC @r = p 1, @c = @x OUTPUT SELECT @x, @r"),
        "[a int]\n1\ndone in proc 0xc1\nstatus 3\ndone proc 0xe0\n[int, int]\n8 | 3\ndone 0xc1 rows=1"
    );
    assert_eq!(
        c.rows("EXEC p"),
        "Msg 201, Level 16, State 4, Procedure p, Line 0: Procedure or function 'p' expects parameter '@a', which was not supplied."
    );
    assert_eq!(c.rows("EXEC ('SELECT 1 + 1')"), "2");
    assert_eq!(
        c.rows("DECLARE @o int EXEC sp_executesql N'SET @y = @x * 2', N'@x int, @y int OUTPUT', @x = 21, @y = @o OUTPUT SELECT @o"),
        "42"
    );
    c.ok("CREATE PROCEDURE deep @n int AS IF @n > 0 BEGIN DECLARE @m int = @n - 1 EXEC deep @m END ELSE SELECT @@NESTLEVEL");
    assert_eq!(c.rows("EXEC deep 20"), "21");
    assert!(c.rows("EXEC deep 50").contains("Msg 217"));
    c.ok("CREATE TABLE r (a int, b varchar(5))");
    c.ok("CREATE PROCEDURE q AS SELECT 1, 'x' UNION ALL SELECT 2, 'y'");
    assert_eq!(c.run("INSERT r EXEC q"), "done 0xc3 rows=2");
    assert_eq!(c.rows("SELECT * FROM r"), "1 | x\n2 | y");
}

#[test]
fn the_loop_of_single_row_inserts() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d CREATE TABLE [dbo].[MyTable]([Id] [int] IDENTITY(1,1) NOT NULL, [SomeText] [varchar](10) NULL, \
        [MoreText] [varchar](50) NULL) ON [PRIMARY]");
    c.ok("SET NOCOUNT ON DECLARE @Counter int = 1000 BEGIN TRAN WHILE @Counter > 0 BEGIN INSERT INTO \
        [dbo].[MyTable] ([SomeText], [MoreText]) VALUES ('Num:' + CONVERT(varchar,@Counter), \
        CONVERT(varchar,@Counter) + ' bottles of beer on the wall') SET @Counter = @Counter - 1 END COMMIT TRAN");
    assert_eq!(c.rows("SELECT COUNT(*), MIN(Id), MAX(Id) FROM MyTable"), "1000 | 1 | 1000");
    assert_eq!(
        c.rows("SELECT * FROM MyTable WHERE Id = 1000"),
        "1000 | Num:1 | 1 bottles of beer on the wall"
    );
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    assert_eq!(c.rows("SELECT COUNT(*) FROM d.dbo.MyTable"), "1000");
}
