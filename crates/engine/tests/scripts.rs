//! What people at a prompt and generated scripts run into: counts that cannot be, names that clash, severities that need WITH LOG,
//! what sp_help and OBJECTPROPERTY say of a table.

use crate::support;

use support::World;

#[test]
fn severities_above_18_need_with_log() {
    let w = World::new();
    let mut c = w.connect();
    let refused = "Msg 2754, Level 16, State 1, Line 1: Error severity levels greater than 18 can only be specified \
                   by members of the sysadmin role, using the WITH LOG option.";
    for severity in [19, 20, 25, 26] {
        let said = c.run(&format!("RAISERROR('x', {severity}, 1)"));
        assert!(said.contains(refused) && !said.contains("closed"), "{severity}: {said}");
    }
    assert!(c.rows("RAISERROR('x', 18, 1)").starts_with("Msg 50000, Level 18, State 1, Line 1: x"));
    let logged = c.run("RAISERROR('x', 19, 1) WITH LOG");
    assert!(logged.starts_with("Msg 50000, Level 19, State 1, Line 1: x"), "{logged}");
    assert!(!logged.contains("closed"), "{logged}");
    let caught = "BEGIN TRY RAISERROR('x', 20, 1) END TRY BEGIN CATCH SELECT ERROR_NUMBER(), ERROR_SEVERITY() END CATCH";
    assert_eq!(c.rows(caught), "2754 | 16");
    let fatal = c.run("RAISERROR('x', 26, 1) WITH LOG");
    assert!(fatal.starts_with("Msg 50000, Level 25, State 1, Line 1: x"), "{fatal}");
    assert!(fatal.contains("closed"), "{fatal}");
}

#[test]
fn counts_may_not_be_negative() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (a int) INSERT t VALUES (1), (2)");
    let negative =
        ", Level 15, State 1, Line 1: A TOP N or FETCH rowcount value may not be negative.";
    for sql in [
        "SELECT TOP (-1) * FROM t",
        "SELECT TOP (-1) * FROM t ORDER BY a",
        "SELECT TOP (1 - 2) a + 1 FROM t ORDER BY a DESC",
        "SELECT * FROM (SELECT TOP (-1) a FROM t) d",
        "SELECT a FROM t WHERE a IN (SELECT TOP (-1) a FROM t)",
        "DECLARE @n int = -1; SELECT TOP (@n) * FROM t",
        "DECLARE @n bigint = -1; SELECT TOP (@n) * FROM t ORDER BY a",
        "DECLARE @n int = -1; SELECT DISTINCT TOP (@n) a + 1 FROM t ORDER BY 1",
        "DECLARE @n int = -1, @a int; SELECT TOP (@n) @a = a FROM t",
        "DECLARE @n int = -1; SELECT TOP (@n) * INTO u FROM t",
        "DELETE TOP (-1) FROM t",
        "DECLARE @n int = -1; DELETE TOP (@n) FROM t OUTPUT deleted.a",
        "UPDATE TOP (-1) t SET a = 3",
        "DECLARE @n int = -1; UPDATE TOP (@n) t SET a = 3",
        "INSERT TOP (-1) t SELECT 7",
        "DECLARE @n int = -1; INSERT TOP (@n) t SELECT 7",
    ] {
        let said = c.run(sql);
        // A DECLARE with a value is done, and the columns of OUTPUT come, before whatever goes wrong with the rows.
        let said = match sql.starts_with("DECLARE") {
            true => said.strip_prefix("done 0xc1 rows=1\n").expect("an assignment"),
            false => &said,
        };
        let said = match sql.contains("OUTPUT") {
            true => said.strip_prefix("[a int]\n").expect("columns"),
            false => said,
        };
        assert!(said.starts_with("Msg 127") && said.contains(negative), "{sql}: {said}");
    }
    // Where a count comes from a row, the result has begun.
    let said = c.run("SELECT (SELECT TOP (b.a - 9) 1 FROM t) FROM t b");
    assert!(said.contains("Msg 127"), "{said}");
    let offset = c.run("SELECT a FROM t ORDER BY a OFFSET -1 ROWS");
    assert!(offset.starts_with("Msg 10742, "), "{offset}");
    for n in ["-1", "0"] {
        let sql = format!(
            "DECLARE @n int = {n}; SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT @n ROWS ONLY"
        );
        let said = c.run(&sql);
        assert!(said.contains("rows=1\nMsg 10744, Level 15, State 1, "), "{said}");
    }
    assert!(c.run("SELECT TOP (NULL) * FROM t").contains("Msg 1060, "));
    assert_eq!(c.rows("SELECT TOP (0) a FROM t"), "");
    assert_eq!(c.rows("SELECT a FROM t"), "1\n2");
}

#[test]
fn names_in_from_are_told_apart() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE x (a int) CREATE TABLE y (a int)");
    c.ok("CREATE SCHEMA s");
    c.ok("CREATE TABLE s.x (a int)");
    let twice = "Msg 1011, Level 16, State 1, Line 1: The correlation name 'a' is specified multiple times in a FROM clause.";
    for sql in [
        "SELECT * FROM x a, x a",
        "SELECT * FROM x a JOIN y A ON 1 = 1",
        "SELECT * FROM x a CROSS JOIN (SELECT 1 AS n) a",
        "UPDATE a SET a = 1 FROM x a, y a",
    ] {
        let said = c.rows(sql);
        assert!(said.eq_ignore_ascii_case(twice), "{sql}: {said}");
    }
    let mixed = "Msg 1012, Level 16, State 1, Line 1: The correlation name 'x' has the same exposed name as table";
    assert_eq!(c.rows("SELECT * FROM y x, x"), format!("{mixed} 'x'."));
    assert_eq!(c.rows("SELECT * FROM dbo.x, y x"), format!("{mixed} 'dbo.x'."));
    let same = |a: &str, b: &str| {
        format!(
            "Msg 1013, Level 16, State 1, Line 1: The objects \"{a}\" and \"{b}\" in the FROM clause have the same exposed \
             names. Use correlation names to distinguish them."
        )
    };
    assert_eq!(c.rows("SELECT * FROM x, x"), same("x", "x"));
    assert_eq!(c.rows("SELECT * FROM dbo.x JOIN dbo.x ON 1 = 1"), same("dbo.x", "dbo.x"));
    assert_eq!(c.rows("SELECT COUNT(*) FROM x, s.x"), "0");
}

#[test]
fn vardecimal_is_always_on() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE Sales");
    for sql in [
        "EXEC sys.sp_db_vardecimal_storage_format N'Sales', N'ON'",
        "EXEC Sales.sys.sp_db_vardecimal_storage_format N'sales', N'off'",
        "IF SERVERPROPERTY('EngineEdition') = 3 EXEC sp_db_vardecimal_storage_format @dbname = 'Sales', @vardecimal_storage_format = 'ON'",
    ] {
        assert_eq!(c.rows(sql), "", "{sql}");
    }
    assert_eq!(c.rows("EXEC sp_db_vardecimal_storage_format 'Sales'"), "Sales | ON");
    assert!(c.rows("EXEC sp_db_vardecimal_storage_format").contains("\nSales | ON"));
    let said = c.rows("EXEC sys.sp_db_vardecimal_storage_format N'Nope', N'ON'");
    assert!(said.starts_with("Msg 15010, Level 16, ") && said.contains("'Nope'"), "{said}");
    let said = c.rows("EXEC sys.sp_db_vardecimal_storage_format N'Sales', N'MAY'");
    assert!(said.starts_with("Msg 15600, "), "{said}");
}

#[test]
fn properties_of_constraints() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int CONSTRAINT pk PRIMARY KEY, a int CONSTRAINT df DEFAULT 7, b int CONSTRAINT u UNIQUE)");
    c.ok("ALTER TABLE t ADD CONSTRAINT ck CHECK (a > 0), CONSTRAINT two CHECK (a < b)");
    c.ok("ALTER TABLE t NOCHECK CONSTRAINT two");
    let mut of = |name: &str| {
        let properties = "IsConstraint CnstIsDisabled CnstIsNotTrusted CnstIsColumn CnstIsClustKey CnstIsNonclustKey \
                          CnstIsNotRepl CnstIsDeleteCascade CnstIsUpdateCascade";
        let each = |p: &str| format!("OBJECTPROPERTY(OBJECT_ID('{name}'), '{p}')");
        let list: Vec<String> = properties.split_whitespace().map(each).collect();
        c.rows(&format!("SELECT {}", list.join(", ")))
    };
    assert_eq!(of("pk"), "1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 | 0");
    assert_eq!(of("u"), "1 | 0 | 0 | 0 | 0 | 1 | 0 | 0 | 0");
    assert_eq!(of("df"), "1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0");
    assert_eq!(of("ck"), "1 | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0");
    assert_eq!(of("two"), "1 | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0");
    assert_eq!(of("t"), "0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0");
    assert_eq!(of("nothing"), ["NULL"; 9].join(" | "));
    assert_eq!(
        c.rows("SELECT OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasCheckCnst'), OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasDefaultCnst'), \
                OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasForeignKey'), OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasForeignRef')"),
        "1 | 1 | 0 | 0"
    );
}

#[test]
fn sp_help_tells_all_of_a_table() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE TABLE t (id int CONSTRAINT pk PRIMARY KEY, a int CONSTRAINT df DEFAULT 7, g uniqueidentifier ROWGUIDCOL)");
    let said = c.run("EXEC sp_help 't'");
    let from = said.find("[RowGuidCol").expect("the column of GUIDs");
    let kept = |l: &&str| !l.starts_with("done") && !l.starts_with("status");
    let without_head = |l| match str::strip_prefix(l, "Msg ").and_then(|l| l.split_once(": ")) {
        Some((head, text)) if head.contains(", Level 0,") || head.contains(", Level 10,") => text,
        _ => l,
    };
    let rest: Vec<&str> = said[from..].lines().filter(kept).map(without_head).collect();
    assert_eq!(
        rest,
        [
            "[RowGuidCol nvarchar(128)]",
            "g",
            "[Data_located_on_filegroup nvarchar(128)]",
            "PRIMARY",
            "[index_name nvarchar(128), index_description varchar(210), index_keys nvarchar(2078)]",
            "pk | clustered, unique, primary key located on PRIMARY | id",
            "[constraint_type nvarchar(146), constraint_name nvarchar(128), delete_action nvarchar(9), update_action nvarchar(9), \
             status_enabled varchar(8), status_for_replication varchar(19), constraint_keys nvarchar(2126)]",
            "DEFAULT on column a | df | (n/a) | (n/a) | (n/a) | (n/a) | ((7))",
            "PRIMARY KEY (clustered) | pk | (n/a) | (n/a) | (n/a) | (n/a) | id",
            "No foreign keys reference table 't', or you do not have permissions on referencing tables.",
            "No views with schema binding reference table 't'.",
        ]
    );
    c.ok("CREATE TABLE plain (a int)");
    let said = c.run("EXEC sp_help 'dbo.plain'");
    let mut at = 0;
    for part in [
        "No identity column defined.",
        "No rowguidcol column defined.",
        "\nPRIMARY\n",
        "Msg 15472, ",
        "No constraints are defined on object 'dbo.plain', or you do not have permissions.",
        "No foreign keys reference table 'dbo.plain'",
        "No views with schema binding reference table 'dbo.plain'.",
    ] {
        at += said[at..].find(part).unwrap_or_else(|| panic!("{part} after {at} of\n{said}"));
    }
    // The whole of sp_helpconstraint, with the object's name.
    let said = c.run("EXEC sp_helpconstraint 'plain'");
    assert!(said.starts_with("[Object Name nvarchar(776)]\nplain\n"), "{said}");
    assert!(said.contains("Msg 15469, ") && said.contains("Msg 15470, "), "{said}");
}

/// A data directory that was moved while a database in it was being restored.
#[test]
fn files_of_a_restoring_database_are_shown_where_they_are() {
    let w = World::new();
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak' WITH INIT");
    c.ok("RESTORE DATABASE d FROM DISK = 'd.bak' WITH NORECOVERY, REPLACE");
    let places = "SELECT physical_name FROM sys.master_files WHERE database_id = DB_ID('d') AND state_desc = 'RESTORING' ORDER BY file_id";
    let here = |dir: &std::path::Path, text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        let dir = format!("{}/", dir.display());
        assert!(lines.iter().all(|l| l.starts_with(&dir)), "{text} in {dir}");
    };
    here(&w.dir, &c.rows(places));
    drop(c);
    w.instance.shutdown().expect("an orderly end");
    let (was, is) = (w.dir.clone(), w.dir.with_extension("moved"));
    let _ = std::fs::remove_dir_all(&is);
    std::mem::forget(w);
    std::fs::rename(&was, &is).expect("moved");
    let w = World::open(is);
    let mut c = w.connect();
    here(&w.dir, &c.rows(places));
    c.ok("RESTORE DATABASE d WITH RECOVERY");
    here(&w.dir, &c.rows("SELECT physical_name FROM d.sys.database_files ORDER BY file_id"));
}
