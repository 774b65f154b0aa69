//! The causes, by class. Each line: the number, a statement that raises it, what it ends under XACT_ABORT OFF and ON,
//! whether 3621 follows, and the transaction that a CATCH of the same batch and one around dynamic text finds.

/// A statement that fails, and what is expected of it.
pub struct Cause {
    pub number: i32,
    pub sql: &'static str,
    pub off: &'static str,
    pub on: &'static str,
    pub told: bool,
    pub caught: &'static str,
    pub caught_above: &'static str,
}

const STATEMENT: Cause = Cause {
    number: 0,
    sql: "",
    off: "statement",
    on: "batch",
    told: false,
    caught: "alive",
    caught_above: "alive",
};
/// Ends the statement, and says so.
const fn change(number: i32, sql: &'static str) -> Cause {
    Cause { told: true, ..statement(number, sql) }
}
/// Ends the statement.
const fn statement(number: i32, sql: &'static str) -> Cause {
    Cause { number, sql, ..STATEMENT }
}
/// Ends the statement, under XACT_ABORT too.
const fn unpromoted(number: i32, sql: &'static str) -> Cause {
    Cause { number, sql, on: "statement", ..STATEMENT }
}
/// Ends the batch, and rolls its transaction back.
const fn batch(number: i32, sql: &'static str) -> Cause {
    Cause { number, sql, off: "batch", caught: "doomed", caught_above: "doomed", ..STATEMENT }
}
/// Ends the module, and is caught by nobody in it.
const fn module(number: i32, sql: &'static str) -> Cause {
    Cause { number, sql, off: "module", on: "module", caught: "not caught", ..STATEMENT }
}

pub const CAUSES: &[Cause] = &[
    change(515, "INSERT dbo.t (id, n) VALUES (3, NULL)"),
    change(547, "INSERT dbo.t (id, n) VALUES (3, -1)"),
    change(547, "INSERT dbo.child VALUES (9)"),
    change(547, "UPDATE dbo.t SET n = -1"),
    change(2627, "INSERT dbo.t (id) VALUES (1)"),
    change(33504, "INSERT dbo.blocked VALUES (2)"),
    change(2628, "INSERT dbo.t (id, s) VALUES (3, 'long text')"),
    statement(220, "DECLARE @a tinyint SET @a = 300"),
    change(220, "INSERT dbo.counted (a) SELECT CAST(n + 300 AS tinyint) FROM dbo.t"),
    statement(232, "SELECT CAST(1e10 AS int)"),
    change(232, "INSERT dbo.noted SELECT CAST(1e10 AS int)"),
    statement(8115, "SELECT CAST(12345 AS decimal(3, 0))"),
    change(8115, "INSERT dbo.noted SELECT CAST(12345 AS decimal(3, 0))"),
    statement(8134, "SELECT 1/0"),
    change(8134, "INSERT dbo.noted SELECT 1/0"),
    statement(512, "SELECT (SELECT id FROM dbo.t)"),
    change(512, "UPDATE dbo.t SET n = (SELECT id FROM dbo.t)"),
    statement(242, "DECLARE @d datetime SET @d = '20230231'"),
    change(242, "INSERT dbo.noted SELECT DATEPART(year, CAST('20230231' AS datetime))"),
    statement(517, "SELECT DATEADD(year, 9000, GETDATE())"),
    statement(535, "SELECT DATEDIFF(ms, '19000101', '20230101')"),
    statement(544, "INSERT dbo.counted (id, a) VALUES (1, 1)"),
    statement(201, "EXEC dbo.takes_int"),
    statement(8144, "EXEC dbo.takes_int 1, 2"),
    statement(8145, "EXEC dbo.takes_int @b = 1"),
    statement(8114, "EXEC dbo.takes_int 'text'"),
    statement(2812, "EXEC dbo.nobody"),
    unpromoted(3701, "DROP TABLE dbo.nobody"),
    statement(16916, "OPEN nobody"),
    unpromoted(50000, "RAISERROR('told', 16, 1)"),
    statement(2732, "RAISERROR(1, 16, 1)"),
    statement(8162, "DECLARE @x int EXEC dbo.takes_int @x OUTPUT"),
    statement(226, "CREATE DATABASE other"),
    statement(8106, "SET IDENTITY_INSERT dbo.t ON"),
    statement(3623, "SELECT SQRT(-1)"),
    batch(245, "SELECT CAST('text' AS int)"),
    batch(245, "INSERT dbo.noted SELECT v FROM dbo.texts"),
    batch(241, "SELECT CAST('text' AS datetime)"),
    batch(241, "DECLARE @d date SET @d = 'text'"),
    batch(295, "SELECT CAST('text' AS smalldatetime)"),
    batch(8169, "SELECT CAST('text' AS uniqueidentifier)"),
    batch(235, "SELECT CAST('text' AS money)"),
    batch(8114, "SELECT CAST('text' AS decimal(5, 2))"),
    batch(248, "SELECT CAST('99999999999' AS int)"),
    batch(244, "SELECT CAST('99999' AS smallint)"),
    batch(9436, "SELECT CAST('<a></b>' AS xml)"),
    batch(
        8672,
        "MERGE dbo.t AS t USING dbo.many AS m ON t.id = m.a WHEN MATCHED THEN UPDATE SET n = 1;",
    ),
    batch(2714, "CREATE TABLE dbo.t (a int)"),
    batch(2705, "ALTER TABLE dbo.t ADD id int"),
    batch(2760, "CREATE TABLE nowhere.t (a int)"),
    Cause { told: true, ..batch(1505, "CREATE UNIQUE INDEX i ON dbo.many (a)") },
    batch(547, "ALTER TABLE dbo.many ADD CHECK (a > 5)"),
    batch(4712, "TRUNCATE TABLE dbo.t"),
    batch(3726, "DROP TABLE dbo.t"),
    statement(213, "INSERT dbo.noted EXEC dbo.two_columns"),
    batch(3915, "INSERT dbo.noted EXEC dbo.rolls_back"),
    batch(217, "EXEC dbo.endless"),
    batch(911, "USE nowhere"),
    module(208, "SELECT * FROM dbo.nobody"),
    module(208, "INSERT dbo.nobody VALUES (1)"),
    module(207, "CREATE TABLE #now (a int) SELECT b FROM #now"),
    Cause { off: "module", ..statement(50001, "; THROW 50001, 'told', 1") },
    statement(544, "INSERT dbo.counted (id, a) VALUES (2, 1)"),
    statement(545, "SET IDENTITY_INSERT dbo.counted ON INSERT dbo.counted (a) VALUES (1)"),
    statement(8101, "SET IDENTITY_INSERT dbo.counted ON INSERT dbo.counted VALUES (7, 1)"),
    statement(234, "SELECT CONVERT(char(1), CAST(100 AS money))"),
    change(237, "INSERT dbo.noted SELECT CAST(CAST(9e14 AS money) AS int)"),
    change(2601, "INSERT dbo.unique_texts VALUES ('a')"),
    unpromoted(266, "EXEC dbo.begins COMMIT"),
    statement(40510, "CREATE TYPE dbo.numbers AS TABLE (a int) WITH (MEMORY_OPTIMIZED = ON)"),
    batch(556, "INSERT dbo.noted EXEC dbo.alters"),
    batch(3916, "INSERT dbo.noted EXEC dbo.commits"),
    batch(15233, "EXEC sp_addextendedproperty 'a', 'b' EXEC sp_addextendedproperty 'a', 'b'"),
    batch(15217, "EXEC sp_dropextendedproperty 'nobody'"),
    batch(15135, "EXEC sp_addextendedproperty 'a', 'b', 'SCHEMA', 'nobody'"),
    batch(15600, "EXEC sp_addextendedproperty 'a', 'b', 'NOTHING', 'nobody'"),
    batch(13609, "SELECT JSON_VALUE('{x', '$.a')"),
    unpromoted(133, "EXEC ('GOTO nowhere')"),
    unpromoted(134, "EXEC ('DECLARE @a int DECLARE @a int')"),
    unpromoted(141, "EXEC ('DECLARE @a int SELECT @a = 1, 2')"),
    statement(178, "EXEC ('RETURN 1')"),
    unpromoted(2787, "RAISERROR('%z', 16, 1)"),
];

/// Numbers of the table that no statement here raises, by the reason.
#[rustfmt::skip]
pub const UNRAISED: &[(&str, &[i32])] = &[
    ("waits for what is not built, or for triggers: mutators", &[
        3609,
        3616,
        5302,
        8137,
        10733,
        11555,
        11709,
    ]),
    ("needs another login, or a database with row versions: tests of permissions and snapshots raise it", &[
        229,
        230,
        262,
        3951,
        3952,
        3953,
        3954,
        3956,
        3957,
        3958,
        3960,
        3961,
        3964,
        3966,
    ]),
    ("needs another session, a full disk or a limit of memory: tests of their own raise it", &[
        596,
        701,
        926,
        1101,
        1105,
        1204,
        1205,
        1222,
        8645,
        9001,
        9002,
    ]),
    ("nothing here raises it yet, or only where the batch is read", &[
        129,
        153,
        180,
        487,
        1034,
        1049,
        1752,
        1946,
        6335,
        6354,
        6358,
        6359,
        8170,
        10727,
        15096,
    ]),
    ("is for a statement that no transaction may hold, or a row wider than columns may be", &[
        511,
        574,
        1801,
        3930,
        8152,
        15003,
    ]),
];
