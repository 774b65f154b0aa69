//! Modules and the sessions beside them: temporary procedures at a session's end, locks beneath what is schema-bound, options of modules
//! after a restart.

use crate::support;

use support::World;
use support::two::two;

#[test]
fn temporary_procedures_end_with_their_session() {
    let w = World::new();
    let (mut a, mut b) = (w.connect(), w.connect());
    let left = "SELECT COUNT(*) FROM tempdb.sys.procedures";
    a.ok("CREATE PROCEDURE #p AS SELECT 'a' AS x");
    b.ok("CREATE PROCEDURE #p AS SELECT 'b' AS x");
    a.ok("CREATE PROCEDURE ##g AS EXEC #p");
    assert_eq!(a.rows("EXEC ##g"), "a");
    assert_eq!(b.rows("EXEC ##g"), "b");
    assert_eq!(b.rows(left), "3");
    let mut heard = support::Heard::default();
    a.connection.reset(false, &mut heard);
    assert_eq!(b.rows(left), "1");
    assert_eq!(support::errors(&a.run("EXEC #p")), [2812]);
    assert_eq!(support::errors(&b.run("EXEC ##g")), [2812]);
    a.ok("CREATE PROCEDURE #p AS SELECT 'again' AS x");
    assert_eq!(a.rows("EXEC #p"), "again");
    drop(b);
    assert_eq!(a.rows(left), "1");
}

#[test]
fn options_of_modules_outlast_a_restart() {
    let (w, mut c) = World::with_database();
    c.ok("CREATE TABLE dbo.t (id int)");
    c.ok("CREATE PROCEDURE dbo.p WITH ENCRYPTION, RECOMPILE AS SELECT 5 AS x");
    c.ok("CREATE VIEW dbo.v WITH SCHEMABINDING, VIEW_METADATA AS SELECT id FROM dbo.t");
    c.ok("CREATE TRIGGER dbo.v_put ON dbo.v INSTEAD OF INSERT AS INSERT dbo.t SELECT id * 10 FROM inserted");
    let database = c.rows("SELECT DB_NAME()");
    drop(c);
    let w = w.restart();
    let mut c = w.connect_to(&database);
    let shown = "SELECT OBJECT_NAME(object_id), definition, is_recompiled, is_schema_bound FROM sys.sql_modules \
                 WHERE OBJECT_NAME(object_id) IN ('p') UNION ALL \
                 SELECT name, NULL, has_opaque_metadata, OBJECTPROPERTY(object_id, 'IsSchemaBound') FROM sys.views";
    assert_eq!(c.rows(shown), "p | NULL | 1 | 0\nv | NULL | 1 | 1");
    assert_eq!(c.rows("EXEC dbo.p"), "5");
    c.ok("INSERT dbo.v VALUES (4)");
    assert_eq!(c.rows("SELECT id FROM dbo.t"), "40");
    assert_eq!(support::errors(&c.run("DROP TABLE dbo.t")), [3729]);
}

#[test]
fn triggers_of_databases_and_of_the_server_outlast_a_restart_and_a_restore() {
    let (w, mut c) = World::with_database();
    let database = c.rows("SELECT DB_NAME()");
    c.ok("CREATE TABLE dbo.told (event nvarchar(64))");
    let text = "CREATE TRIGGER tells ON DATABASE FOR DDL_TABLE_EVENTS AS \
                INSERT dbo.told VALUES (EVENTDATA().value('(/EVENT_INSTANCE/EventType)[1]', 'nvarchar(64)'))";
    c.ok(text);
    c.ok("CREATE TRIGGER quiet ON DATABASE FOR DROP_TABLE AS ROLLBACK");
    c.ok("DISABLE TRIGGER quiet ON DATABASE");
    c.ok("EXEC sp_settriggerorder 'tells', 'First', 'CREATE_TABLE', 'DATABASE'");
    c.ok("CREATE TRIGGER refuses ON ALL SERVER FOR CREATE_SERVER_ROLE AS ROLLBACK");
    drop(c);
    let w = w.restart();
    let mut c = w.connect_to(&database);
    c.ok("CREATE TABLE dbo.t (a int)");
    assert_eq!(c.rows("SELECT event FROM dbo.told"), "CREATE_TABLE");
    let kept = "SELECT t.name, t.is_disabled, e.type_desc, e.event_group_type, e.is_first FROM sys.triggers AS t \
                JOIN sys.trigger_events AS e ON e.object_id = t.object_id ORDER BY t.name, e.type";
    let rows = "quiet | 1 | DROP_TABLE | NULL | 0\ntells | 0 | CREATE_TABLE | 10018 | 1\n\
                tells | 0 | ALTER_TABLE | 10018 | 0\ntells | 0 | DROP_TABLE | 10018 | 0";
    assert_eq!(c.rows(kept), rows);
    let role = "CREATE SERVER ROLE somebody";
    assert_eq!(support::errors(&c.run(role)), [3609]);
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.server_principals WHERE name = 'somebody'"), "0");
    c.ok(&format!("BACKUP DATABASE [{database}] TO DISK = 'triggers.bak' WITH INIT"));
    c.ok("DROP TABLE dbo.t");
    c.ok("USE master");
    c.ok(&format!("RESTORE DATABASE [{database}] FROM DISK = 'triggers.bak' WITH REPLACE"));
    c.ok(&format!("USE [{database}]"));
    c.ok("ALTER TABLE dbo.t ADD b int");
    assert_eq!(c.rows("SELECT event FROM dbo.told"), "CREATE_TABLE\nALTER_TABLE");
    assert_eq!(c.rows(kept), rows);
    c.ok("DROP TRIGGER refuses ON ALL SERVER");
    c.ok(role);
}

#[test]
fn a_table_beneath_an_open_schema_bound_view_is_not_dropped() {
    let mut two = two("CREATE TABLE dbo.t (id int)");
    two.ddl.ok("BEGIN TRANSACTION");
    two.ddl.ok("CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM dbo.t");
    let dropped = two.waits("DROP TABLE dbo.t", "LCK_M_SCH_M");
    two.ddl.ok("COMMIT");
    assert!(dropped.end().contains("Msg 3729"));
    two.ddl.ok("BEGIN TRANSACTION");
    let function = "CREATE FUNCTION dbo.f () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(id) FROM dbo.v) END";
    two.ddl.ok(function);
    let dropped = two.waits("DROP VIEW dbo.v", "LCK_M_SCH_M");
    two.ddl.ok("COMMIT");
    let said = dropped.end();
    assert!(said.contains("Msg 3729"), "{said}");
}

/// A statement that reads gives back the locks of what it has read: those of the types stay.
#[test]
fn a_type_that_an_open_table_or_module_has_is_not_dropped() {
    let mut two = two("CREATE TABLE dbo.other (id int)");
    two.ddl.ok("CREATE TYPE dbo.code FROM int");
    two.ddl.ok("CREATE TYPE dbo.codes AS TABLE (code int)");
    let makes = [
        ("CREATE TABLE dbo.t (a dbo.code)", "code", "t"),
        ("ALTER TABLE dbo.other ADD b dbo.code", "code", "other"),
        ("CREATE PROCEDURE dbo.p @p dbo.codes READONLY AS RETURN", "codes", "p"),
        ("CREATE FUNCTION dbo.f () RETURNS dbo.code AS BEGIN RETURN 1 END", "code", "f"),
        ("CREATE FUNCTION dbo.g () RETURNS @r TABLE (a dbo.code) AS BEGIN RETURN END", "code", "g"),
    ];
    for (makes, of, user) in makes {
        two.ddl.ok("BEGIN TRANSACTION");
        two.ddl.ok(makes);
        two.ddl.ok("SELECT COUNT(*) FROM dbo.other");
        let dropped = two.waits(&format!("DROP TYPE dbo.{of}"), "LCK_M_SCH_M");
        two.ddl.ok("COMMIT");
        let said = dropped.end();
        assert!(said.contains("Msg 3732") && said.contains(&format!("'{user}'")), "{said}");
        let undo = match user {
            "t" => "DROP TABLE dbo.t",
            "other" => "ALTER TABLE dbo.other DROP COLUMN b",
            "p" => "DROP PROCEDURE dbo.p",
            "f" => "DROP FUNCTION dbo.f",
            _ => "DROP FUNCTION dbo.g",
        };
        two.ddl.ok(undo);
    }
    // Undone to a savepoint, the table is nobody's hindrance once the transaction has ended.
    two.ddl.ok("BEGIN TRANSACTION");
    two.ddl.ok("INSERT dbo.other VALUES (1)");
    two.ddl.ok("SAVE TRANSACTION s");
    two.ddl.ok("CREATE TABLE dbo.t (a dbo.code)");
    two.ddl.ok("ROLLBACK TRANSACTION s");
    two.ddl.ok("SELECT COUNT(*) FROM dbo.other");
    let dropped = two.waits("DROP TYPE dbo.code", "LCK_M_SCH_M");
    two.ddl.ok("COMMIT");
    let said = dropped.end();
    assert!(!said.contains("Msg"), "{said}");
}
