//! Functions and errors as a client meets them: states, texts, what the session keeps.

use crate::support;

use support::{Client, World};

/// An error's head: `Msg 220, Level 16, State 2`.
fn head(c: &mut Client, sql: &str) -> String {
    c.rows(sql).split(", Line").next().unwrap_or_default().to_string()
}

#[test]
fn states_tell_errors_of_one_number_apart() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE s");
    c.ok("USE s CREATE TABLE t (i int NULL, m money NULL, n numeric(5,2) NULL, f float NULL)");
    c.ok("INSERT t VALUES (40000, 3000000000, 99.5, 1e10)");
    for (sql, expected) in [
        ("SELECT CAST(i AS tinyint) FROM t", "Msg 220, Level 16, State 2"),
        ("SELECT CAST(i AS smallint) FROM t", "Msg 220, Level 16, State 1"),
        (
            "SELECT CAST(CAST(i AS bigint) * 100000 AS smallint) FROM t",
            "Msg 8115, Level 16, State 2",
        ),
        ("SELECT CAST(3000000000 AS int)", "Msg 8115, Level 16, State 2"),
        ("SELECT i * 1000000 FROM t", "Msg 8115, Level 16, State 2"),
        ("SELECT CAST(n AS numeric(3,2)) FROM t", "Msg 8115, Level 16, State 8"),
        ("SELECT CAST('123' AS numeric(3,2))", "Msg 8115, Level 16, State 8"),
        ("SELECT CAST(f AS numeric(3,2)) FROM t", "Msg 8115, Level 16, State 6"),
        ("SELECT CAST(n AS varchar(3)) FROM t", "Msg 8115, Level 16, State 5"),
        ("SELECT CAST(m AS int) FROM t", "Msg 237, Level 16, State 1"),
        ("SELECT CAST(f AS int) FROM t", "Msg 232, Level 16, State 3"),
        ("SELECT CAST(f AS tinyint) FROM t", "Msg 232, Level 16, State 1"),
        ("SELECT POWER(2, 32)", "Msg 232, Level 16, State 3"),
        ("SELECT CAST('x' AS numeric(5,2))", "Msg 8114, Level 16, State 5"),
        ("SELECT CAST('x' AS bigint)", "Msg 8114, Level 16, State 5"),
        ("SELECT CAST('x' AS int)", "Msg 245, Level 16, State 1"),
        ("SELECT CAST('x' AS date)", "Msg 241, Level 16, State 1"),
        ("SELECT CAST('99999' AS smallint)", "Msg 244, Level 16, State 2"),
        ("SELECT CAST('999' AS tinyint)", "Msg 244, Level 16, State 1"),
        ("SELECT CAST('x' AS uniqueidentifier)", "Msg 8169, Level 16, State 2"),
        ("SELECT CAST(NEWID() AS varchar(10))", "Msg 8170, Level 16, State 2"),
        ("SELECT CAST('x' AS money)", "Msg 235, Level 16, State 0"),
    ] {
        assert_eq!(head(&mut c, sql), expected, "{sql}");
    }
    let said = c.rows("SELECT POWER(2, 32)");
    assert!(said.ends_with("Arithmetic overflow error for type int, value = 4294967296.000000."));
    let said = c.rows("SELECT CAST(3000000000 AS int)");
    assert!(said.ends_with("Arithmetic overflow error converting expression to data type int."));
}

#[test]
fn states_of_lock_errors_tell_what_was_waited_for() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE s");
    c.ok("USE s CREATE TABLE k (a int PRIMARY KEY) CREATE TABLE h (a int)");
    c.ok("INSERT k VALUES (1) INSERT h VALUES (1)");
    c.ok("BEGIN TRAN UPDATE k SET a = 1 UPDATE h SET a = 1");
    let mut other = w.connect();
    other.ok("USE s SET LOCK_TIMEOUT 0");
    for (sql, state) in
        [("SELECT a FROM k", 51), ("SELECT a FROM h", 45), ("SELECT a FROM h WITH (TABLOCK)", 56)]
    {
        assert_eq!(head(&mut other, sql), format!("Msg 1222, Level 16, State {state}"), "{sql}");
    }
}

#[test]
fn sizes_that_are_too_large_name_what_has_them() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE s");
    c.ok("USE s CREATE TABLE t (a int)");
    let any = "exceeds the maximum allowed for any data type";
    for (sql, number, text) in [
        (
            "CREATE TABLE u (b varchar(9000))",
            "Msg 131, Level 15, State 2",
            format!("The size (9000) given to the column 'b' {any} (8000)."),
        ),
        (
            "ALTER TABLE t ADD b varchar(9000)",
            "Msg 131, Level 15, State 2",
            format!("The size (9000) given to the column 'b' {any} (8000)."),
        ),
        (
            "CREATE TABLE u (b nvarchar(5000))",
            "Msg 2717, Level 16, State 2",
            "The size (5000) given to the parameter 'b' exceeds the maximum allowed (4000).".into(),
        ),
        (
            "DECLARE @x varchar(9000)",
            "Msg 131, Level 15, State 3",
            format!("The size (9000) given to the type 'varchar' {any} (8000)."),
        ),
        (
            "DECLARE @x nvarchar(5000)",
            "Msg 2717, Level 16, State 2",
            "The size (5000) given to the parameter '@x' exceeds the maximum allowed (4000)."
                .into(),
        ),
        (
            "SELECT CAST('a' AS nvarchar(5000))",
            "Msg 131, Level 15, State 1",
            format!("The size (5000) given to the convert specification 'nvarchar' {any} (4000)."),
        ),
        (
            "SELECT CONVERT(varchar(9000), 'a')",
            "Msg 131, Level 15, State 1",
            format!("The size (9000) given to the type 'varchar' {any} (8000)."),
        ),
    ] {
        let said = c.rows(sql);
        assert!(said.starts_with(number) && said.ends_with(&text), "{sql}: {said}");
    }
}

#[test]
fn a_duplicate_key_of_an_index_build_terminates_the_statement() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE s");
    c.ok("USE s CREATE TABLE t (a int NOT NULL) INSERT t VALUES (1), (1)");
    let numbers = |said: String| -> Vec<String> {
        said.lines().map(|l| l.split(',').next().unwrap_or_default().to_string()).collect()
    };
    assert_eq!(numbers(c.rows("CREATE UNIQUE INDEX i ON t (a)")), ["Msg 1505", "Msg 3621"]);
    assert_eq!(
        numbers(c.rows("ALTER TABLE t ADD PRIMARY KEY (a)")),
        ["Msg 1505", "Msg 1750", "Msg 3621"]
    );
    // Nothing had begun when a name was taken.
    c.ok("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)");
    let said = numbers(c.rows("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)"));
    assert_eq!(said, ["Msg 2714", "Msg 1750"]);
}

#[test]
fn a_full_file_names_table_and_index() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE f ON (NAME = f, FILENAME = 'f.mdf', SIZE = 8MB, FILEGROWTH = 0)");
    c.ok("USE f CREATE TABLE p (a int IDENTITY CONSTRAINT PK_p PRIMARY KEY, b char(8000)) CREATE TABLE h (b char(8000))");
    for (table, object) in [("p", "'dbo.p'.'PK_p'"), ("h", "'dbo.h'")] {
        let fill = format!(
            "SET NOCOUNT ON WHILE 1 = 1 BEGIN INSERT {table} (b) VALUES ('') IF @@ERROR <> 0 BREAK END"
        );
        let said = c.rows(&fill);
        assert!(said.starts_with("Msg 1105, Level 17, State 2"), "{said}");
        let text = format!(
            "for object {object} in database 'f' because the 'PRIMARY' filegroup is full due to lack of storage \
                space or database files reaching the maximum allowed size. Note that"
        );
        assert!(said.contains(&text), "{said}");
        c.ok(&format!("TRUNCATE TABLE {table}"));
    }
}

#[test]
fn captured_rows_that_are_too_long_name_the_column() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE s");
    c.ok("USE s CREATE TABLE t (a int, b varchar(3))");
    let said = c.rows("INSERT t EXEC ('SELECT 1, ''abcd''')");
    assert!(
        said.contains("Msg 2628")
            && said.contains("table 's.dbo.t', column 'b'. Truncated value: 'abc'."),
        "{said}"
    );
}

#[test]
fn identity_columns_of_select_into() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE s");
    c.ok("USE s CREATE TABLE src (id int IDENTITY, v varchar(10)) INSERT src VALUES ('b'), ('a'), ('c')");
    c.ok("SELECT IDENTITY(int, 10, 5) AS n, v INTO t FROM src ORDER BY v");
    assert_eq!(c.rows("SELECT n, v FROM t ORDER BY n"), "10 | a\n15 | b\n20 | c");
    assert_eq!(c.rows("SELECT IDENT_SEED('t'), IDENT_INCR('t'), @@IDENTITY"), "10 | 5 | 20");
    c.ok("INSERT t (v) VALUES ('d')");
    assert_eq!(c.rows("SELECT n FROM t WHERE v = 'd'"), "25");
    c.ok("SELECT IDENTITY(bigint) AS n, v + 'x' AS w INTO #u FROM src GROUP BY v");
    assert_eq!(c.rows("SELECT COUNT(*), MIN(n), MAX(n) FROM #u"), "3 | 1 | 3");
    c.ok("SELECT IDENTITY(smallint, -1, -1) AS n, v INTO u FROM src");
    assert_eq!(c.rows("SELECT n FROM u ORDER BY n"), "-3\n-2\n-1");
    for (sql, number) in [
        ("SELECT IDENTITY(int, 1, 1) AS n FROM src", "177"),
        ("SELECT IDENTITY(int, 1, 1) AS n, IDENTITY(int, 1, 1) AS m INTO x FROM src", "8109"),
        ("SELECT IDENTITY(int, 1, 1) AS n, id INTO x FROM src", "8108"),
        ("SELECT IDENTITY(varchar(10), 1, 1) AS n INTO x FROM src", "2749"),
        ("SELECT IDENTITY(int, 1, 1) AS n INTO x FROM src UNION ALL SELECT 1", "177"),
        ("SELECT n INTO x FROM (SELECT IDENTITY(int, 1, 1) AS n FROM src) d", "177"),
    ] {
        let said = c.rows(sql);
        assert!(said.starts_with(&format!("Msg {number},")), "{sql}: {said}");
    }
    assert_eq!(c.rows("SELECT OBJECT_ID('x')"), "NULL");
}

#[test]
fn what_a_session_keeps() {
    let w = World::new();
    let mut c = w.connect();
    assert_eq!(c.rows("SELECT CONTEXT_INFO()"), "NULL");
    c.ok("SET CONTEXT_INFO 0x0102");
    assert_eq!(
        c.rows("SELECT DATALENGTH(CONTEXT_INFO()), SUBSTRING(CONTEXT_INFO(), 1, 3)"),
        "128 | 0x010200"
    );
    c.ok("EXEC sp_set_session_context 'who', N'ann'");
    c.ok("DECLARE @n int = 7 EXEC sys.sp_set_session_context @key = N'n', @value = @n, @read_only = 1");
    assert_eq!(
        c.rows(
            "SELECT SESSION_CONTEXT(N'who'), SESSION_CONTEXT(N'n'), SESSION_CONTEXT(N'N'), \
             SQL_VARIANT_PROPERTY(SESSION_CONTEXT(N'n'), 'BaseType')"
        ),
        "ann | 7 | NULL | int"
    );
    assert_eq!(
        c.rows("EXEC sp_set_session_context 'n', 8"),
        "Msg 15664, Level 16, State 1, Procedure sp_set_session_context, Line 1: Cannot set key 'n' in the \
            session context. The key has been set as read_only for this session."
    );
    c.ok("EXEC sp_set_session_context 'who', NULL");
    assert_eq!(c.rows("SELECT SESSION_CONTEXT(N'who')"), "NULL");
    let mut other = w.connect();
    assert_eq!(other.rows("SELECT SESSION_CONTEXT(N'n'), CONTEXT_INFO()"), "NULL | NULL");
}

#[test]
fn functions_that_are_not_here_say_so() {
    let w = World::new();
    let mut c = w.connect();
    assert_eq!(
        c.rows("SELECT key_id('k')"),
        "Msg 40510, Level 16, State 1, Line 1: The function KEY_ID is not supported by this version of the server."
    );
    assert!(c.rows("SELECT ENCRYPTBYPASSPHRASE('p', 'a')").starts_with("Msg 40510"));
    assert_eq!(c.rows("SELECT CASE WHEN @@PACK_SENT >= 0 AND @@TOTAL_ERRORS >= 0 THEN 1 END"), "1");
    assert!(c.rows("SELECT LEN(*)").starts_with("Msg 102"));
}

#[test]
fn checksums_of_all_columns() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE s");
    c.ok("USE s CREATE TABLE t (a int, b varchar(5)) INSERT t VALUES (1, 'x'), (1, 'X'), (2, 'x')");
    assert_eq!(
        c.rows("SELECT COUNT(*), COUNT(DISTINCT CHECKSUM(*)), COUNT(DISTINCT BINARY_CHECKSUM(*)) FROM t"),
        "3 | 2 | 3"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM t WHERE CHECKSUM(*) = CHECKSUM(a, b)"), "3");
    assert!(c.rows("SELECT CHECKSUM(*)").starts_with("Msg 263"));
}

#[test]
fn measured_variables_and_properties() {
    let w = World::new();
    let mut c = w.connect();
    let all = "SELECT CASE WHEN @@CPU_BUSY >= 0 AND @@IDLE >= 0 AND @@IO_BUSY >= 0 AND @@TOTAL_WRITE > 0 AND @@TOTAL_READ >= 0 THEN 1 END";
    assert_eq!(c.rows(all), "1");
    assert_eq!(
        c.rows("SELECT DATABASEPROPERTY('master', 'IsOffline'), DATABASEPROPERTY('master', 'IsTruncLog'), \
            DATABASEPROPERTY('nowhere', 'IsOffline'), DATABASEPROPERTY('tempdb', 'Version')"),
        "0 | 1 | NULL | 957"
    );
    assert_eq!(
        c.rows("RAISERROR('%d %s', 10, 1, 5, 'x')"),
        "Msg 50000, Level 10, State 1, Line 1: 5 x"
    );
    assert!(c.rows("RAISERROR('%s', 16, 1, 5)").starts_with("Msg 2786, Level 16"));
}
