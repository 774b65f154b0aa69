//! Look-ups in the catalogue beside the open DDL of another session: only what it is about to change is waited for.

use crate::support;

use support::two::{number, two};

const SETUP: &str = "CREATE TABLE other (a int NOT NULL CONSTRAINT pk_other PRIMARY KEY, b int REFERENCES other (a))
    CREATE INDEX ib ON other (b); CREATE TABLE loaded (a int)
    EXEC('CREATE PROCEDURE p AS SELECT 1'); EXEC('CREATE SCHEMA s1')
    EXEC('CREATE VIEW v AS SELECT a FROM other')";

/// DDL as a load in a transaction has it, and the object that it changes.
const LOADS: [(&str, &str); 6] = [
    (
        "CREATE TABLE new (a int PRIMARY KEY, b int CHECK (b > 0)); INSERT new VALUES (1, NULL)",
        "new",
    ),
    ("TRUNCATE TABLE loaded", "loaded"),
    ("SELECT * INTO new FROM other", "new"),
    ("DROP TABLE loaded", "loaded"),
    ("ALTER TABLE loaded ADD c int", "loaded"),
    ("EXEC('CREATE PROCEDURE new AS SELECT 1')", "new"),
];

/// Look-ups of an object by name, `@`, or by its id.
const LOOK_UPS: [&str; 30] = [
    "SELECT name FROM sys.objects WHERE name = '@'",
    "SELECT name FROM sys.tables WHERE name = N'@'",
    "SELECT name FROM sys.all_objects WHERE name = '@' AND schema_id = SCHEMA_ID('dbo')",
    "SELECT name FROM sysobjects WHERE name = '@' AND xtype = 'U'",
    "SELECT name FROM sys.objects WHERE object_id = OBJECT_ID('@')",
    "SELECT name FROM sys.columns WHERE object_id = OBJECT_ID(N'dbo.@')",
    "SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('@')",
    "SELECT name FROM syscolumns WHERE id = OBJECT_ID('@')",
    "SELECT rows FROM sys.partitions WHERE object_id = OBJECT_ID('@') AND index_id < 2",
    "SELECT OBJECT_ID('@')",
    "SELECT COL_LENGTH('@', 'a')",
    "SELECT OBJECTPROPERTY(OBJECT_ID('@'), 'IsTable')",
    "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = '@'",
    "SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = '@' AND TABLE_SCHEMA = 'dbo'",
    "SELECT CONSTRAINT_NAME FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS WHERE TABLE_NAME = '@'",
    "SELECT name FROM sys.foreign_keys WHERE parent_object_id = OBJECT_ID('@')",
    "SELECT name FROM sys.key_constraints WHERE parent_object_id = OBJECT_ID('@')",
    "IF EXISTS (SELECT * FROM sys.tables WHERE name = '@' AND schema_id = SCHEMA_ID('dbo')) SELECT 1",
    "SELECT c.name FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id WHERE t.name = '@'",
    "SELECT c.name FROM sys.tables t JOIN sys.columns c ON t.object_id = c.object_id WHERE t.name = '@'",
    "SELECT i.name FROM sys.tables t LEFT JOIN sys.indexes i ON t.object_id = i.object_id WHERE t.name = '@'",
    "SELECT c.name, y.name FROM sys.objects o JOIN sys.columns c ON c.object_id = o.object_id
        JOIN sys.types y ON y.user_type_id = c.user_type_id JOIN sys.schemas s ON s.schema_id = o.schema_id
        WHERE o.name = '@' AND s.name = 'dbo'",
    "SELECT t.name FROM sys.tables t WHERE t.name = '@' AND EXISTS (SELECT * FROM sys.columns c WHERE c.object_id = t.object_id)",
    "EXEC sp_tables '@'",
    "EXEC sp_columns '@'",
    "EXEC sp_columns_100 '@', 'dbo'",
    "EXEC sp_pkeys '@'",
    "EXEC sp_fkeys '@'",
    "EXEC sp_statistics '@'",
    "EXEC sp_help '@'",
];

#[test]
fn a_load_in_a_transaction_stops_no_look_up_of_other_objects() {
    for (load, _) in LOADS {
        let mut t = two(SETUP);
        t.ddl.ok(&format!("BEGIN TRAN; {load}"));
        let mut other = t.other();
        other.run("SET LOCK_TIMEOUT 0");
        let mut waits = Vec::new();
        for name in ["other", "nothing"] {
            for look_up in LOOK_UPS {
                let said = other.rows(&look_up.replace('@', name));
                if said.contains("Msg 1222,") {
                    waits.push(look_up.replace('@', name));
                }
            }
        }
        // What shows no object of a session's DDL waits for none.
        for sql in [
            "SELECT COUNT(*) FROM sys.schemas",
            "SELECT name FROM sys.schemas WHERE name = 's1'",
            "SELECT COUNT(*) FROM INFORMATION_SCHEMA.SCHEMATA",
            "SELECT COUNT(*) FROM sys.types",
            "SELECT COUNT(*) FROM sys.databases",
            "SELECT COUNT(*) FROM sys.database_principals",
            "SELECT COUNT(*) FROM sys.objects WHERE schema_id = SCHEMA_ID('s1')",
            "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 's1'",
            "SELECT COUNT(*) FROM sys.views",
            "SELECT COUNT(*) FROM sys.objects WHERE type = 'V'",
            "EXEC sp_tables '', '%', ''",
            "EXEC sp_stored_procedures 'p'",
        ] {
            if other.rows(sql).contains("Msg 1222,") {
                waits.push(sql.to_string());
            }
        }
        assert!(waits.is_empty(), "{load}:\n{}", waits.join("\n"));
        t.ddl.ok("ROLLBACK");
    }
}

#[test]
fn what_shows_a_changed_object_waits_for_it() {
    for (load, name) in LOADS {
        let mut t = two(SETUP);
        t.ddl.ok(&format!("BEGIN TRAN; {load}"));
        let mut other = t.other();
        other.run("SET LOCK_TIMEOUT 0");
        let table = !load.contains("PROCEDURE");
        let mut sqls = vec![
            "SELECT COUNT(*) FROM sys.objects".to_string(),
            format!("SELECT COUNT(*) FROM sys.objects WHERE name = '{name}'"),
            format!("SELECT COUNT(*) FROM sys.objects WHERE name LIKE '{}%'", &name[..2]),
            format!("SELECT COUNT(*) FROM sys.objects WHERE name <> 'other'"),
            format!("SELECT OBJECT_ID('{name}')"),
        ];
        if table {
            sqls.extend([
                "SELECT COUNT(*) FROM sys.tables".to_string(),
                "SELECT COUNT(*) FROM sys.columns".to_string(),
                format!("SELECT COUNT(*) FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = '{name}'"),
                format!("SELECT c.name FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id WHERE t.name = '{name}'"),
                "SELECT c.name FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id".to_string(),
                format!("SELECT t.name FROM sys.tables t WHERE EXISTS (SELECT * FROM sys.columns c WHERE \
                    c.object_id = t.object_id) AND t.name = '{name}'"),
                "EXEC sp_tables".to_string(),
                format!("EXEC sp_columns '{name}'"),
                format!("EXEC sp_help '{name}'"),
            ]);
        }
        for sql in sqls {
            let said = other.rows(&sql);
            assert!(said.contains("Msg 1222,"), "{load}: {sql}: {said}");
        }
        // Whoever reads what is not committed waits for nobody.
        assert_ne!(number(&t.sees("SELECT COUNT(*) FROM sys.objects WITH (NOLOCK)")), "1222");
        t.ddl.ok("ROLLBACK");
    }
}

#[test]
fn a_schema_that_comes_or_goes_is_waited_for() {
    let mut t = two(SETUP);
    for ddl in ["EXEC('CREATE SCHEMA s2')", "DROP SCHEMA s1"] {
        let name = if ddl.starts_with("DROP") { "s1" } else { "s2" };
        t.ddl.ok(&format!("BEGIN TRAN; {ddl}"));
        let mut other = t.other();
        other.run("SET LOCK_TIMEOUT 0");
        for (sql, waits) in [
            ("SELECT COUNT(*) FROM sys.schemas".to_string(), true),
            (format!("SELECT COUNT(*) FROM sys.schemas WHERE name = '{name}'"), true),
            ("SELECT COUNT(*) FROM sys.schemas WHERE name = 'dbo'".to_string(), false),
            ("SELECT COUNT(*) FROM sys.objects".to_string(), false),
            ("EXEC sp_columns 'other'".to_string(), false),
            ("EXEC sp_tables '', '%', ''".to_string(), true),
        ] {
            let said = other.rows(&sql);
            assert_eq!(said.contains("Msg 1222,"), waits, "{ddl}: {sql}: {said}");
        }
        t.ddl.ok("ROLLBACK");
    }
}

/// The one in the way is named, and what is seen after it has ended is right.
#[test]
fn the_wait_is_for_the_session_that_changes_what_is_looked_for() {
    let mut t = two(SETUP);
    let mut loader = t.other();
    loader.ok("BEGIN TRAN; CREATE TABLE big (a int)");
    t.ddl.ok("BEGIN TRAN; CREATE TABLE new (a int)");
    let by_name = t.waits("SELECT COUNT(*) FROM sys.tables WHERE name = 'new'", "LCK_M_S");
    let joined = t.waits(
        "SELECT COUNT(*) FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id WHERE t.name = 'new'",
        "LCK_M_S",
    );
    t.ddl.ok("COMMIT");
    assert_eq!((by_name.end().as_str(), joined.end().as_str()), ("1", "1"));
    loader.ok("ROLLBACK");
}
