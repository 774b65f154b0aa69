//! Scalar functions inlined and called: the same values, types and errors.

use crate::support;
use support::{Client, World};

/// A function: parameters, result, body, arguments of its call for the rows of `d`, and whether the plan of that call holds its text.
type Function = (&'static str, &'static str, &'static str, &'static str, bool);

#[rustfmt::skip]
const FUNCTIONS: &[Function] = &[
    // Assignments.
    ("@a int", "int", "RETURN @a + 1", "a", true),
    ("@a int", "int", "RETURN @a * @a", "a", true),
    ("@a int", "int", "RETURN @a * @a", "a + 1", true),
    ("@a int", "smallint", "RETURN @a", "a * 20000", true),
    ("@a int", "int", "DECLARE @x int = 10 / @a SET @x = 5 RETURN @x", "a", false),
    ("@a int", "int", "DECLARE @x int = 10 / @a RETURN CASE WHEN @a = 0 THEN 0 ELSE @x END", "a", true),
    ("@a int", "int", "RETURN 5", "10 / a", false),
    ("@a int, @b int", "int", "RETURN ISNULL(@a, @b)", "a, 10 / b", true),
    ("@s varchar(3)", "varchar(5)", "RETURN @s + '!' + @s", "s", true),
    ("@s varchar(3)", "char(10)", "RETURN UPPER(@s)", "s", true),
    ("@s nvarchar(10)", "varchar(2)", "SET @s = @s + N'x' SET @s += @s RETURN @s", "s", true),
    ("@m money", "decimal(9, 2)", "DECLARE @t decimal(18, 6) = @m * 0.19 RETURN @m + @t", "m", true),
    ("@d datetime", "date", "DECLARE @e datetime SELECT @e = DATEADD(day, 1, @d) RETURN @e", "d", true),
    ("@a int", "int", "DECLARE @x int = 1, @y int SELECT @x = @a, @y = @x + 1 RETURN @x * @y", "a", true),
    ("@a tinyint", "int", "SET @a = @a + 200 RETURN @a", "ABS(a)", true),
    ("@x varbinary(4)", "varbinary(8)", "SET @x = @x + 0x01 RETURN @x + @x", "CAST(a AS varbinary(4))", true),
    ("@f float", "varchar(30)", "DECLARE @r real = @f / 3 RETURN @r", "a", true),
    ("@b bit", "bit", "SET @b = ~@b RETURN @b ^ 0", "a", true),
    ("@v sql_variant", "int", "DECLARE @w sql_variant = @v RETURN CAST(@w AS int)", "CAST(a AS sql_variant)", true),
    ("@g uniqueidentifier", "varchar(36)", "DECLARE @h uniqueidentifier = @g RETURN @h",
        "CAST(CAST(a AS binary(16)) AS uniqueidentifier)", true),
    // IF and ELSE.
    ("@a int", "int", "DECLARE @r int IF @a > 1 SET @r = 1 ELSE SET @r = 2 RETURN @r", "a", true),
    ("@a int", "varchar(8)", "DECLARE @r varchar(8) IF @a < 1 SET @r = 'low' ELSE IF @a < 3 SET @r = 'middle' \
        ELSE SET @r = 'high' RETURN @r", "a", true),
    ("@a int", "varchar(8)", "DECLARE @r varchar(8) IF @a < 1 SET @r = 'low' ELSE IF @a < 3 SET @r = 'middle' RETURN @r", "a", true),
    ("@a int", "int", "IF @a IS NULL SET @a = 0 RETURN @a", "a", true),
    ("@a int", "int", "IF @a <> 0 SET @a = 10 / @a RETURN @a", "a", true),
    ("@a int", "int", "DECLARE @r int = 1 IF @a = 0 SET @r = 10 / @a RETURN @r", "a", true),
    ("@a int", "int", "DECLARE @r int = 10 / @a IF @a = 0 SET @r = 1 RETURN @r", "a", true),
    ("@a int, @b int", "int", "DECLARE @x int = 0, @y int = 0 IF @a > @b BEGIN SET @x = @a SET @y = @b END \
        ELSE BEGIN SET @y = @a END RETURN \
        @x * 100 + @y", "a, b", true),
    ("@a int, @b int", "int", "DECLARE @x int = 0 IF @a > 0 BEGIN IF @b > 0 SET @x = 10 / @b \
        ELSE SET @x = -1 SET @x = @x + 1 END RETURN @x", "a, b", true),
    ("@a int, @b int", "int", "DECLARE @x int = 0 IF @a > 0 AND @b > 0 BEGIN SET @x += @a SET @x += @b END RETURN @x", "a, b", true),
    ("@a int", "int", "IF @a > 1 BEGIN DECLARE @x int = @a * 2 SET @a = @x END RETURN ISNULL(@x, -1) + @a", "a", true),
    ("@a int", "int", "DECLARE @r int SET @r = @a BEGIN IF @r BETWEEN 1 AND 2 BEGIN SET @r = -@r END END BEGIN RETURN @r END", "a", true),
    ("@s varchar(20)", "varchar(20)", "IF @s LIKE '[a-m]%' SET @s = 'front' ELSE SET @s = 'back' RETURN @s", "s", true),
    ("@s varchar(20)", "int", "DECLARE @n int IF @s = 'ONE' SET @n = 1 ELSE SET @n = 0 RETURN @n", "s", true),
    ("@s varchar(20)", "int", "DECLARE @n int IF @s = 'ONE' SET @n = 1 ELSE SET @n = 0 RETURN @n", "c", true),
    ("@a int", "int", "IF @a = 1 SET @a = 5 IF @a = 5 SET @a = 7 RETURN @a", "a", true),
    ("@a int", "int", "IF @a = 1 BEGIN SET @a = 5 END ELSE BEGIN IF @a = 2 SET @a = 6 ELSE IF @a = 3 BEGIN SET @a = 8 SET @a += 1 END \
        END RETURN @a", "a", true),
    ("@a int", "int", "DECLARE @x int IF @a = 1 SELECT @x = 1, @a = 3 ELSE SELECT @x = 2 RETURN @x * 10 + @a", "a", true),
    // Queries.
    ("@a int", "varchar(20)", "DECLARE @n varchar(20) SELECT @n = name FROM dbo.u WHERE k = @a RETURN @n", "a", true),
    ("@a int", "varchar(20)", "DECLARE @n varchar(20) = 'none' SELECT @n = name FROM dbo.u WHERE k = @a RETURN @n", "a", true),
    ("@a int", "varchar(4)", "DECLARE @n varchar(4) = 'none' SELECT @n = name FROM dbo.u WHERE k <= @a RETURN @n", "1", true),
    ("@a int", "int", "DECLARE @n int SELECT @n = SUM(v) FROM dbo.u WHERE k > @a RETURN ISNULL(@n, 0)", "a", true),
    ("@a int", "int", "DECLARE @n int = (SELECT COUNT(*) FROM dbo.u WHERE k = @a) RETURN @n + @n", "a", true),
    ("@a int", "int", "RETURN (SELECT MAX(v) FROM dbo.u WHERE k < @a)", "a", true),
    ("@a int", "int", "RETURN (SELECT v FROM dbo.u WHERE k > @a)", "a", true),
    ("@a int", "bit", "DECLARE @r bit = 0 IF EXISTS (SELECT * FROM dbo.u WHERE k = @a) SET @r = 1 RETURN @r", "a", true),
    ("@a int", "bit", "DECLARE @r bit = 0 IF @a IN (SELECT k FROM dbo.u) SET @r = 1 RETURN @r", "a", true),
    ("@a int", "bit", "DECLARE @r bit = 0 IF @a NOT IN (SELECT v FROM dbo.u) SET @r = 1 RETURN @r", "a", true),
    ("@a int", "char(10)", "DECLARE @t decimal(18, 2), @c char(10) SELECT @t = SUM(v) FROM dbo.u WHERE k <= @a IF @t < 10 SET @c = \
        'REGULAR' ELSE IF @t < 25 SET @c = 'GOLD' ELSE SET @c = 'PLATINUM' RETURN @c", "a", true),
    ("@a int", "int", "DECLARE @x int = 0 IF @a > 1 BEGIN SELECT @x = v FROM dbo.u WHERE k = @a SET @x += (SELECT COUNT(*) FROM dbo.u) \
        END RETURN @x", "a", true),
    ("@a int", "int", "DECLARE @x int SELECT @x = 10 / v FROM dbo.u WHERE k = @a RETURN @x", "a", true),
    ("@a int", "int", "DECLARE @x int, @y int SELECT @x = k, @y = v FROM dbo.u WHERE k = @a RETURN @x + @y", "a", false),
    ("@a int", "int", "DECLARE @x int SELECT TOP (1) @x = v FROM dbo.u WHERE k >= @a AND v > 100 RETURN @x", "a", true),
    ("@a int", "int", "RETURN (SELECT COUNT(*) FROM dbo.seen WHERE k = @a)", "a", true),
    ("@a int", "int", "DECLARE @x int = dbo.base(@a) RETURN @x + dbo.base_called(1)", "a", false),
    ("@a int", "int", "DECLARE @x int = dbo.base(@a), @y int SET @y = dbo.base(@x + 1) RETURN @x * @y", "a", true),
    // Called, whatever the query is.
    ("@a int", "int", "WHILE @a < 3 SET @a += 1 RETURN @a", "a", false),
    ("@a int", "int", "IF @a > 1 RETURN 1 RETURN 2", "a", false),
    ("@a int", "int", "DECLARE @s int = 0 SELECT @s = @s + v FROM dbo.u WHERE k < @a RETURN @s", "a", false),
    ("@a int", "int", "DECLARE @t TABLE (x int) INSERT @t VALUES (@a) RETURN (SELECT MAX(x) FROM @t)", "a", false),
    ("@a int", "int", "SET @a = @@ROWCOUNT RETURN @a", "a", false),
    ("@a int", "int", "RETURN dbo.base(@a)", "a", false),
];

/// Options of both forms of some functions beside INLINE.
const ON_NULL: &str = "RETURNS NULL ON NULL INPUT, ";

fn tables(c: &mut Client) {
    c.ok("CREATE TABLE d (id int PRIMARY KEY, a int, b int, s varchar(20), c varchar(20) COLLATE Latin1_General_BIN2,
        m money, d datetime)");
    c.ok("INSERT d VALUES (1, 1, 5, 'one', 'one', 1.5, '20240131'), (2, 2, 0, 'two', 'TWO', -3, '20240229'),
        (3, 3, NULL, 'ONE', 'ONE', 1000, '19991231'), (4, NULL, 2, NULL, NULL, NULL, NULL), (5, 0, -1, '', '', 0, '20000101'),
        (6, -2, 3, 'zebra and more', 'x', 12345.678, '20300101')");
    c.ok("CREATE TABLE u (k int PRIMARY KEY, name varchar(20), v int)");
    c.ok("INSERT u VALUES (1, 'first', 5), (2, 'second', 20), (3, NULL, 0), (4, 'fourth', NULL)");
    c.ok("CREATE VIEW seen AS SELECT k FROM dbo.u WHERE v > 1");
    c.ok("CREATE FUNCTION dbo.base (@a int) RETURNS int AS BEGIN DECLARE @r int IF @a > 1 SET @r = @a ELSE SET @r = -1 RETURN @r END");
    c.ok("CREATE FUNCTION dbo.base_called (@a int) RETURNS int WITH INLINE = OFF AS BEGIN RETURN @a END");
}

/// The rows or error numbers that a client hears, without the places of errors, and without warnings: those of a function's statements show
/// where these are the query's.
fn heard(c: &mut Client, sql: &str) -> String {
    // Functions may ask for @@ROWCOUNT.
    c.ok("SET NOCOUNT OFF");
    let said = c.run(sql);
    let said = said.lines().filter(|l| !l.contains(", Level 10,") && !l.contains(", Level 0,"));
    let said = said.collect::<Vec<_>>().join("\n");
    let number = said.find("Msg ").map(|at| said[at..].split(',').next().unwrap_or("").to_owned());
    number.unwrap_or(said)
}

fn compared(c: &mut Client, n: usize, f: &Function, option: &str) {
    let (parameters, result, body, args, inlined) = f;
    for (name, inline) in [("i", ""), ("c", "INLINE = OFF")] {
        let options = format!("{option}{inline}");
        let options = options.trim().trim_end_matches(',');
        let with = if options.is_empty() { String::new() } else { format!("WITH {options}") };
        c.ok(&format!(
            "CREATE OR ALTER FUNCTION dbo.{name}{n} ({parameters}) RETURNS {result} {with} AS BEGIN {body} END"
        ));
    }
    let forms = [
        format!("SELECT id, dbo.F({args}) AS r FROM d ORDER BY id"),
        format!("SELECT id FROM d WHERE dbo.F({args}) IS NULL OR d.id > 4 ORDER BY id"),
        format!("SELECT x.id, x.r FROM (SELECT id, dbo.F({args}) AS r FROM d WHERE id < 5) AS x ORDER BY x.id"),
        format!("SELECT id, CASE WHEN id < 4 THEN dbo.F({args}) END AS r FROM d ORDER BY id"),
        format!("SELECT MAX(dbo.F({args})) AS r FROM d WHERE id < 3"),
        format!("SELECT dbo.F({args}) AS r, COUNT(*) AS n FROM d WHERE id IN (1, 4) GROUP BY dbo.F({args}) ORDER BY n, r"),
        format!("SELECT id FROM d WHERE id < 5 ORDER BY dbo.F({args}), id"),
        format!(
            "SELECT d.id, e.k FROM d JOIN (VALUES (1), (2), (5)) AS e (k) ON dbo.F({args}) = e.k ORDER BY d.id, e.k"
        ),
        format!("UPDATE d SET b = b WHERE dbo.F({args}) = 1"),
        format!("SELECT TOP 0 dbo.F({args}) AS r INTO #r FROM d;
            SELECT TYPE_NAME(user_type_id), max_length, precision, scale, collation_name FROM tempdb.sys.columns
            WHERE object_id = OBJECT_ID('tempdb..#r');
            DROP TABLE #r"),
        format!("SELECT SQL_VARIANT_PROPERTY(dbo.F({args}), 'BaseType') AS t FROM d WHERE id = 1"),
    ];
    for form in &forms {
        let inlined = heard(c, &form.replace(".F(", &format!(".i{n}(")));
        let called = heard(c, &form.replace(".F(", &format!(".c{n}(")));
        assert_eq!(inlined, called, "{body}\n{form}");
    }
    c.ok("SET SHOWPLAN_TEXT ON");
    let plan = c.run(&format!("SELECT id, dbo.i{n}({args}) AS r FROM d"));
    c.ok("SET SHOWPLAN_TEXT OFF");
    assert_eq!(!plan.contains(&format!("[i{n}](")), *inlined, "{body}\n{plan}");
}

#[test]
fn inlined_and_called_functions_give_the_same() {
    let (_world, mut c) = World::with_database();
    tables(&mut c);
    for (n, f) in FUNCTIONS.iter().enumerate() {
        compared(&mut c, n, f, "");
    }
}

#[test]
fn inlined_and_called_functions_give_the_same_on_null_input() {
    let (_world, mut c) = World::with_database();
    tables(&mut c);
    for (n, f) in FUNCTIONS.iter().enumerate().filter(|(_, f)| f.4) {
        // Which of them are inlined is told by the other test.
        let (parameters, result, body, args, _) = *f;
        for (name, inline) in [("i", "INLINE = ON"), ("c", "INLINE = OFF")] {
            c.ok(&format!(
                "CREATE FUNCTION dbo.{name}{n} ({parameters}) RETURNS {result} WITH {ON_NULL}{inline} AS BEGIN {body} END"
            ));
        }
        let form = format!("SELECT id, dbo.F({args}) AS r FROM d ORDER BY id");
        let inlined = heard(&mut c, &form.replace(".F(", &format!(".i{n}(")));
        let called = heard(&mut c, &form.replace(".F(", &format!(".c{n}(")));
        assert_eq!(inlined, called, "{body}");
    }
}

#[test]
fn a_hint_and_a_configuration_have_functions_called() {
    let (world, mut c) = World::with_database();
    tables(&mut c);
    let plan = |c: &mut Client, sql: &str| {
        c.ok("SET SHOWPLAN_TEXT ON");
        let plan = c.run(sql);
        c.ok("SET SHOWPLAN_TEXT OFF");
        plan.contains("[base](")
    };
    let sql = "SELECT dbo.base(a) FROM d";
    assert!(!plan(&mut c, sql));
    for name in ["DISABLE_TSQL_SCALAR_UDF_INLINING", "QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_140"] {
        assert!(plan(&mut c, &format!("{sql} OPTION (USE HINT ('{name}'))")), "{name}");
    }
    assert!(!plan(
        &mut c,
        &format!("{sql} OPTION (USE HINT ('QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_150'))")
    ));
    c.ok("ALTER DATABASE SCOPED CONFIGURATION SET TSQL_SCALAR_UDF_INLINING = OFF");
    assert!(plan(&mut c, sql));
    let database = c.rows("SELECT DB_NAME()");
    let shown = "SELECT value, is_value_default FROM sys.database_scoped_configurations WHERE name = 'TSQL_SCALAR_UDF_INLINING'";
    assert_eq!(c.rows(shown), "0 | 0");
    let mut other = world.connect_to(&database);
    assert!(plan(&mut other, sql));
    other.ok("ALTER DATABASE SCOPED CONFIGURATION SET TSQL_SCALAR_UDF_INLINING = ON");
    assert_eq!(c.rows(shown), "1 | 1");
    assert!(!plan(&mut c, sql));
}
