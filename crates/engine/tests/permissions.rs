//! Permissions of logins that are no sysadmins: what is refused, and with which numbers, written from the documentation and never from
//! what is registered. The principals are put into the catalogue as rows.

use crate::support::{Client, World, errors};
use taffrail_catalog::database::Database;
use taffrail_catalog::principals::{
    Authentication, LoginFacts, Permission, PermissionKey, PermissionState, Principal,
    PrincipalKind, Scope, hash_as_bytes, hash_from_bytes, rows,
};
use taffrail_engine::ConnectOptions;
use taffrail_engine::Sight;
use taffrail_storage::{BeginSpec, Durability, Transaction};

/// Writes into a catalogue's lists of principals.
pub(crate) fn write(database: &Database, change: impl FnOnce(&mut Transaction)) {
    let spec = BeginSpec { name: "principals", lock_timeout_ms: -1, ..BeginSpec::default() };
    let mut tx = database.storage.begin(spec);
    change(&mut tx);
    tx.commit(Durability::Full).expect("a commit");
    database.catalog.reload_principals().expect("the list is read");
}

/// A login with the number `n`; its sid is sixteen times that.
pub(crate) fn login(world: &World, n: u8, name: &str, roles: &[i32]) {
    let id = 300 + i32::from(n);
    let master = world.instance.databases().master().expect("master");
    let p = Principal {
        sid: Some(vec![n; 16]),
        login: LoginFacts { default_database: "master".into(), ..LoginFacts::default() },
        ..Principal::new(id, name, PrincipalKind::Login)
    };
    write(&master, |tx| {
        rows::write(tx, Scope::Server, &p).expect("a login");
        grant(tx, Scope::Server, 100, id, *b"COSQ");
        for role in roles {
            rows::add_member(tx, Scope::Server, *role, id).expect("a member");
        }
    });
}

fn grant(tx: &mut Transaction, scope: Scope, class: u8, grantee: i32, ty: [u8; 4]) {
    let key = PermissionKey { class, major: 0, minor: 0, grantee, grantor: 1, ty };
    let state = PermissionState::Grant;
    rows::put_permission(tx, scope, &Permission { key, state }).expect("a permission");
}

/// A user of the login `n` in `d`, with the id `n`.
pub(crate) fn user(world: &World, n: u8, name: &str, roles: &[i32]) {
    let d = world.instance.databases().get("d").expect("d");
    let id = i32::from(n);
    let p = Principal {
        sid: Some(vec![n; 16]),
        authentication: Authentication::Instance,
        ..Principal::new(id, name, PrincipalKind::User)
    };
    write(&d, |tx| {
        rows::write(tx, Scope::Database, &p).expect("a user");
        grant(tx, Scope::Database, 0, id, *b"CO  ");
        for role in roles {
            rows::add_member(tx, Scope::Database, *role, id).expect("a member");
        }
    });
}

/// A role of `d`.
fn role(world: &World, id: i32, name: &str, members: &[i32]) {
    let d = world.instance.databases().get("d").expect("d");
    let p = Principal { owner: Some(1), ..Principal::new(id, name, PrincipalKind::Role) };
    write(&d, |tx| {
        rows::write(tx, Scope::Database, &p).expect("a role");
        for member in members {
            rows::add_member(tx, Scope::Database, id, *member).expect("a member");
        }
    });
}

/// A session of a login, in `d`.
pub(crate) fn session(world: &World, login: &str) -> Client {
    let options = ConnectOptions {
        login: login.into(),
        database: Some("d".into()),
        ..ConnectOptions::default()
    };
    Client { connection: world.instance.connect(options).expect("a session") }
}

/// A database with a table, and the sessions of sa and of the user `u`, who has CONNECT alone.
pub(crate) fn two() -> (World, Client, Client) {
    let (world, mut sa) = World::with_database();
    login(&world, 7, "lu", &[]);
    user(&world, 7, "u", &[]);
    sa.ok("CREATE TABLE dbo.t (a int, b int); INSERT dbo.t VALUES (1, 2)");
    let u = session(&world, "lu");
    (world, sa, u)
}

#[track_caller]
pub(crate) fn refused(c: &mut Client, sql: &str, numbers: &[u32]) {
    let said = c.run(sql);
    assert_eq!(errors(&said), numbers, "{sql}\n{said}");
}

#[track_caller]
pub(crate) fn runs(c: &mut Client, sql: &str) {
    refused(c, sql, &[]);
}

#[test]
fn objects_are_refused_until_they_are_granted() {
    let (_world, mut sa, mut u) = two();
    for (sql, permission) in [
        ("SELECT a FROM t", "SELECT"),
        ("INSERT t VALUES (1, 1)", "INSERT"),
        ("UPDATE t SET a = 1", "UPDATE"),
        ("DELETE t", "DELETE"),
    ] {
        refused(&mut u, sql, &[229]);
        assert!(u.run(sql).contains(&format!("The {permission} permission was denied")), "{sql}");
        sa.ok(&format!("GRANT {permission} ON t TO u"));
        runs(&mut u, sql);
        sa.ok(&format!("DENY {permission} ON t TO u"));
        refused(&mut u, sql, &[229]);
        sa.ok(&format!("REVOKE {permission} ON t FROM u"));
        refused(&mut u, sql, &[229]);
    }
    refused(&mut u, "SELECT 1 FROM nosuch", &[208]);
    refused(&mut u, "EXEC nosuch", &[2812]);
    runs(&mut u, "CREATE TABLE #x (a int); INSERT #x VALUES (1); SELECT * FROM #x; DROP TABLE #x");
    runs(&mut u, "DECLARE @x TABLE (a int); INSERT @x VALUES (1); SELECT * FROM @x");
}

#[test]
fn a_change_that_reads_needs_select_too() {
    let (_world, mut sa, mut u) = two();
    refused(&mut u, "UPDATE t SET a = 1 WHERE b = 2", &[229, 229]);
    refused(&mut u, "DELETE t WHERE b = 2", &[229, 229]);
    sa.ok("GRANT UPDATE, DELETE ON t TO u");
    runs(&mut u, "UPDATE t SET a = 1");
    refused(&mut u, "UPDATE t SET a = 1 WHERE b = 2", &[229]);
    refused(&mut u, "UPDATE t SET a = b", &[229]);
    refused(&mut u, "DELETE t WHERE b = 2", &[229]);
    sa.ok("GRANT SELECT ON t TO u");
    runs(&mut u, "UPDATE t SET a = b WHERE b = 2");
}

#[test]
fn columns_are_granted_and_refused_one_by_one() {
    let (_world, mut sa, mut u) = two();
    sa.ok("GRANT SELECT (a) ON t TO u");
    runs(&mut u, "SELECT a FROM t");
    refused(&mut u, "SELECT * FROM t", &[230]);
    refused(&mut u, "SELECT COUNT(*) FROM t", &[230]);
    refused(&mut u, "SELECT a FROM t WHERE b = 1", &[230]);
    sa.ok("REVOKE SELECT ON t FROM u");
    refused(&mut u, "SELECT a FROM t", &[229]);
    sa.ok("GRANT SELECT ON t TO u");
    sa.ok("REVOKE SELECT (b) ON t FROM u");
    runs(&mut u, "SELECT a FROM t");
    refused(&mut u, "SELECT b FROM t", &[230]);
    sa.ok("DENY SELECT ON t TO u");
    refused(&mut u, "SELECT a FROM t", &[229]);
    sa.ok("GRANT SELECT (a) ON t TO u");
    runs(&mut u, "SELECT a FROM t");
    sa.ok("GRANT UPDATE (a) ON t TO u");
    runs(&mut u, "UPDATE t SET a = 1");
    refused(&mut u, "UPDATE t SET b = 1", &[230]);
}

#[test]
fn schemas_databases_and_roles_pass_permissions_down() {
    let (world, mut sa, mut u) = two();
    sa.ok("GRANT SELECT ON SCHEMA::dbo TO u");
    runs(&mut u, "SELECT * FROM t");
    sa.ok("REVOKE SELECT ON SCHEMA::dbo FROM u");
    refused(&mut u, "SELECT * FROM t", &[229]);
    sa.ok("GRANT SELECT TO u");
    runs(&mut u, "SELECT * FROM t");
    sa.ok("DENY SELECT ON SCHEMA::dbo TO u");
    sa.ok("GRANT SELECT ON t TO u");
    refused(&mut u, "SELECT * FROM t", &[229]);
    sa.ok("REVOKE SELECT ON SCHEMA::dbo FROM u; REVOKE SELECT FROM u; REVOKE SELECT ON t FROM u");
    role(&world, 40, "readers", &[7]);
    sa.ok("GRANT SELECT ON t TO readers");
    runs(&mut u, "SELECT * FROM t");
    sa.ok("DENY SELECT ON t TO public");
    refused(&mut u, "SELECT * FROM t", &[229]);
}

#[test]
fn fixed_roles_carry_their_permissions() {
    let (world, mut sa, _) = two();
    login(&world, 8, "owner", &[]);
    user(&world, 8, "owner", &[16_384]);
    login(&world, 9, "reader", &[]);
    user(&world, 9, "reader", &[16_390]);
    login(&world, 10, "denied", &[3]);
    user(&world, 10, "denied", &[16_392]);
    login(&world, 11, "unread", &[]);
    user(&world, 11, "unread", &[16_384, 16_392]);
    let mut owner = session(&world, "owner");
    runs(&mut owner, "CREATE TABLE dbo.o (a int); DROP TABLE dbo.o; SELECT * FROM t");
    sa.ok("DENY SELECT ON t TO owner");
    refused(&mut owner, "SELECT * FROM t", &[229]);
    let mut reader = session(&world, "reader");
    runs(&mut reader, "SELECT * FROM t");
    refused(&mut reader, "DELETE t", &[229]);
    // A member of sysadmin is denied nothing.
    runs(&mut session(&world, "denied"), "SELECT * FROM t");
    refused(&mut session(&world, "unread"), "SELECT * FROM t", &[229]);
}

#[test]
fn a_chain_of_one_owner_is_asked_for_once() {
    let (world, mut sa, mut u) = two();
    login(&world, 8, "lv", &[]);
    user(&world, 8, "v", &[]);
    sa.ok("CREATE PROCEDURE dbo.p AS SELECT a FROM dbo.t");
    sa.ok("CREATE PROCEDURE dbo.dynamic AS EXEC ('SELECT a FROM dbo.t')");
    sa.ok("CREATE PROCEDURE dbo.cuts AS TRUNCATE TABLE dbo.t");
    sa.ok("CREATE VIEW dbo.w AS SELECT a FROM dbo.t");
    sa.ok("CREATE FUNCTION dbo.f() RETURNS int AS BEGIN RETURN (SELECT COUNT(*) FROM dbo.t) END");
    refused(&mut u, "EXEC dbo.p", &[229]);
    refused(&mut u, "SELECT * FROM dbo.w", &[229]);
    refused(&mut u, "SELECT dbo.f()", &[229]);
    refused(&mut u, "DECLARE @x int = dbo.f()", &[229]);
    refused(&mut u, "IF dbo.f() > 0 PRINT 'yes'", &[229]);
    sa.ok("GRANT EXECUTE ON p TO u; GRANT EXECUTE ON dynamic TO u; GRANT EXECUTE ON cuts TO u");
    sa.ok("GRANT SELECT ON w TO u; GRANT EXECUTE ON f TO u; DENY SELECT ON t TO u");
    runs(&mut u, "EXEC dbo.p");
    runs(&mut u, "SELECT a FROM dbo.w");
    runs(&mut u, "SELECT dbo.f(); DECLARE @x int = dbo.f(); IF dbo.f() > 0 PRINT 'yes'");
    refused(&mut u, "EXEC dbo.dynamic", &[229]);
    refused(&mut u, "EXEC dbo.cuts", &[1088]);
    refused(&mut u, "SELECT a FROM dbo.t", &[229]);
    sa.ok("CREATE SCHEMA s");
    sa.ok("CREATE TABLE s.x (a int)");
    sa.ok("CREATE VIEW dbo.wx AS SELECT a FROM s.x");
    sa.ok("GRANT SELECT ON wx TO u");
    runs(&mut u, "SELECT * FROM dbo.wx");
}

#[test]
fn triggers_run_by_the_owner_of_their_table() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE TABLE dbo.log (a int)");
    sa.ok("CREATE TRIGGER dbo.tr ON dbo.t AFTER INSERT AS INSERT dbo.log SELECT a FROM inserted");
    sa.ok("GRANT INSERT ON t TO u; DENY INSERT ON dbo.log TO u");
    runs(&mut u, "INSERT dbo.t VALUES (3, 3)");
    refused(&mut u, "INSERT dbo.log VALUES (3)", &[229]);
}

#[test]
fn statements_that_define_need_their_permissions() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE PROCEDURE dbo.p AS RETURN");
    sa.ok("CREATE VIEW dbo.w AS SELECT a FROM dbo.t");
    sa.ok("CREATE SEQUENCE dbo.q");
    sa.ok("CREATE TYPE dbo.y FROM int");
    sa.ok("CREATE INDEX i ON dbo.t (a)");
    for (sql, numbers) in [
        ("CREATE TABLE dbo.n (a int)", &[262][..]),
        ("CREATE VIEW dbo.n AS SELECT 1 AS a", &[262]),
        ("CREATE PROCEDURE dbo.n AS RETURN", &[262]),
        ("CREATE FUNCTION dbo.n() RETURNS int AS BEGIN RETURN 1 END", &[262]),
        ("CREATE TYPE dbo.n FROM int", &[262]),
        ("CREATE SYNONYM dbo.n FOR dbo.t", &[262]),
        ("CREATE SEQUENCE dbo.n", &[15247]),
        ("CREATE SCHEMA n", &[15247, 2759]),
        ("SELECT 1 AS a INTO dbo.n", &[262]),
        ("ALTER TABLE dbo.t ADD c int", &[1088]),
        ("TRUNCATE TABLE dbo.t", &[1088]),
        ("CREATE INDEX j ON dbo.t (b)", &[1088]),
        ("ALTER INDEX i ON dbo.t REBUILD", &[1088]),
        ("DROP INDEX i ON dbo.t", &[1088]),
        ("SET IDENTITY_INSERT dbo.t ON", &[1088]),
        ("CREATE TRIGGER dbo.tr ON dbo.t AFTER INSERT AS RETURN", &[2104]),
        ("ALTER PROCEDURE dbo.p AS RETURN 1", &[3701]),
        ("ALTER VIEW dbo.w AS SELECT 1 AS a", &[3701]),
        ("DROP TABLE dbo.t", &[3701]),
        ("DROP VIEW dbo.w", &[3701]),
        ("DROP PROCEDURE dbo.p", &[3701]),
        ("DROP SEQUENCE dbo.q", &[15151]),
        ("DROP TYPE dbo.y", &[218]),
        ("DROP SCHEMA dbo", &[15151]),
        ("EXEC sp_rename 'dbo.t', 'x'", &[15225]),
        ("CREATE STATISTICS z ON dbo.t (a)", &[1088]),
        ("DROP TABLE IF EXISTS dbo.nosuch", &[]),
        ("DROP TABLE dbo.nosuch", &[3701]),
    ] {
        refused(&mut u, sql, numbers);
    }
    sa.ok("GRANT CREATE TABLE TO u");
    refused(&mut u, "CREATE TABLE dbo.n (a int)", &[2760]);
    sa.ok("GRANT ALTER ON SCHEMA::dbo TO u");
    runs(&mut u, "CREATE TABLE dbo.n (a int); DROP TABLE dbo.n; SELECT 1 AS a INTO dbo.n");
    sa.ok("REVOKE ALTER ON SCHEMA::dbo FROM u; GRANT ALTER ON t TO u");
    runs(&mut u, "TRUNCATE TABLE t; ALTER TABLE t ADD c int");
    refused(&mut u, "DROP TABLE t", &[3701]);
    sa.ok("CREATE TABLE dbo.parent (a int PRIMARY KEY); GRANT ALTER ON SCHEMA::dbo TO u");
    refused(&mut u, "CREATE TABLE dbo.child (a int REFERENCES dbo.parent (a))", &[229]);
    sa.ok("GRANT REFERENCES ON dbo.parent TO u");
    runs(&mut u, "CREATE TABLE dbo.child (a int REFERENCES dbo.parent (a))");
}

#[test]
fn the_server_and_databases_are_asked_for() {
    let (_world, mut sa, mut u) = two();
    sa.ok("EXEC sp_addmessage 50019, 19, N'x'");
    for (sql, numbers) in [
        ("KILL 60", &[6102][..]),
        ("RECONFIGURE", &[5812]),
        ("EXEC sp_configure 'show advanced options', 1", &[15247]),
        ("EXEC sp_configure 'show advanced options'", &[]),
        ("CHECKPOINT", &[3505]),
        ("DBCC CHECKDB", &[7983]),
        ("DBCC CHECKTABLE ('dbo.t')", &[2557]),
        ("DBCC TRACEON (1)", &[2571]),
        ("DBCC FREEPROCCACHE", &[2571]),
        ("DBCC SQLPERF (LOGSPACE)", &[297]),
        ("DBCC USEROPTIONS", &[]),
        ("DBCC TRACESTATUS", &[]),
        ("SHUTDOWN", &[6004]),
        ("CREATE DATABASE x", &[262]),
        ("ALTER DATABASE d SET RECOVERY SIMPLE", &[5011, 5069]),
        ("BACKUP DATABASE d TO DISK = 'x'", &[262, 3013]),
        ("RESTORE DATABASE d FROM DISK = 'x'", &[3110, 3013]),
        ("DROP DATABASE d", &[3701]),
        ("SELECT * FROM sys.dm_os_wait_stats", &[300, 297]),
        ("SELECT * FROM sys.dm_db_partition_stats", &[262, 297]),
        ("SELECT * FROM sys.dm_os_performance_counters", &[300, 297]),
        ("SET SHOWPLAN_TEXT ON", &[262]),
        ("RAISERROR ('x', 16, 1) WITH LOG", &[2778]),
        ("RAISERROR ('x', 19, 1)", &[2754]),
        ("RAISERROR (50019, -1, 1)", &[2754]),
        ("BULK INSERT dbo.t FROM 'x'", &[4834]),
        ("EXEC sp_cycle_errorlog", &[15003]),
        ("EXEC sp_monitor", &[15003]),
        ("EXEC sp_lock", &[15247]),
    ] {
        refused(&mut u, sql, numbers);
    }
    let sessions = u.run("SELECT COUNT(*) FROM sys.dm_exec_sessions");
    assert!(sessions.contains("\n1\n"), "{sessions}");
}

#[test]
fn metadata_shows_what_one_has_a_permission_on() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE PROCEDURE dbo.p AS SELECT 1");
    let count = |c: &mut Client, of: &str| {
        let said = c.run(&format!("SELECT COUNT(*) FROM {of}"));
        said.lines().nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(count(&mut u, "sys.objects"), "0");
    assert_eq!(count(&mut u, "sys.columns WHERE object_id > 0"), "0");
    assert_eq!(count(&mut u, "INFORMATION_SCHEMA.TABLES"), "0");
    assert!(u.run("SELECT OBJECT_ID('dbo.t')").contains("NULL"));
    refused(&mut u, "EXEC sp_help 'dbo.t'", &[15009]);
    sa.ok("GRANT SELECT (a) ON t TO u");
    assert_eq!(count(&mut u, "sys.objects WHERE name = 't'"), "1");
    assert_eq!(count(&mut u, "sys.columns WHERE object_id = OBJECT_ID('dbo.t')"), "2");
    sa.ok("GRANT EXECUTE ON p TO u");
    assert!(u.run("SELECT OBJECT_DEFINITION(OBJECT_ID('dbo.p'))").contains("NULL"));
    assert_eq!(count(&mut u, "sys.sql_modules"), "1");
    assert_eq!(count(&mut u, "sys.sql_modules WHERE definition IS NOT NULL"), "0");
    refused(&mut u, "EXEC sp_helptext 'dbo.p'", &[15197]);
    sa.ok("DENY VIEW DEFINITION ON t TO u");
    assert_eq!(count(&mut u, "sys.objects WHERE name = 't'"), "0");
    runs(&mut u, "SELECT a FROM t");
    sa.ok("GRANT VIEW DEFINITION TO u");
    runs(&mut u, "EXEC sp_helptext 'dbo.p'");
    assert_eq!(count(&mut sa, "sys.objects WHERE type IN ('U', 'P')"), "2");
}

#[test]
fn has_perms_by_name_and_the_lists_of_permissions() {
    let (_world, mut sa, mut u) = two();
    let value = |c: &mut Client, e: &str| {
        let said = c.run(&format!("SELECT {e}"));
        said.lines().nth(1).unwrap_or_default().to_owned()
    };
    for (call, sa_has, u_has) in [
        ("HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')", "1", "0"),
        ("HAS_PERMS_BY_NAME(NULL, NULL, 'CREATE TABLE')", "NULL", "NULL"),
        ("HAS_PERMS_BY_NAME('d', 'DATABASE', 'CREATE TABLE')", "1", "0"),
        ("HAS_PERMS_BY_NAME(NULL, 'DATABASE', 'CONNECT')", "1", "1"),
        ("HAS_PERMS_BY_NAME('dbo.t', 'OBJECT', 'SELECT')", "1", "0"),
        ("HAS_PERMS_BY_NAME('nosuch', 'OBJECT', 'SELECT')", "0", "0"),
        ("HAS_PERMS_BY_NAME('dbo.t', 'NOSUCH', 'SELECT')", "NULL", "NULL"),
        ("HAS_PERMS_BY_NAME('dbo.t', 'OBJECT', 'ANY')", "1", "0"),
    ] {
        assert_eq!(value(&mut sa, call), sa_has, "{call}");
        assert_eq!(value(&mut u, call), u_has, "{call}");
    }
    sa.ok("GRANT SELECT (a) ON t TO u");
    let column =
        |c: &str| format!("HAS_PERMS_BY_NAME('dbo.t', 'OBJECT', 'SELECT', '{c}', 'COLUMN')");
    assert_eq!(value(&mut u, &column("a")), "1");
    assert_eq!(value(&mut u, &column("b")), "0");
    for (class, rows) in [("DEFAULT", "292"), ("'SERVER'", "51"), ("'login'", "4"), ("'x'", "0")] {
        let call = format!("COUNT(*) FROM sys.fn_builtin_permissions({class})");
        assert_eq!(value(&mut u, &call), rows, "{class}");
    }
    assert_eq!(value(&mut sa, "COUNT(*) FROM fn_my_permissions(NULL, NULL)"), "51");
    assert_eq!(value(&mut u, "COUNT(*) FROM fn_my_permissions(NULL, NULL)"), "2");
    assert_eq!(value(&mut u, "COUNT(*) FROM fn_my_permissions('dbo.t', 'OBJECT')"), "1");
}

#[test]
fn grants_say_what_they_cannot_do() {
    let (world, mut sa, mut u) = two();
    role(&world, 40, "readers", &[]);
    sa.ok("CREATE PROCEDURE dbo.p AS RETURN");
    for (sql, numbers) in [
        ("GRANT EXECUTE ON t TO u", &[4606][..]),
        ("GRANT SELECT ON p TO u", &[4606]),
        ("GRANT INSERT (a) ON t TO u", &[1020]),
        ("GRANT SELECT (a) ON t (b) TO u", &[1019]),
        ("GRANT SELECT (zz) ON t TO u", &[4615]),
        ("GRANT VIEW SERVER STATE TO lu", &[4621]),
        ("GRANT SELECT ON t TO nobody", &[15151]),
        ("GRANT SELECT ON nosuch TO u", &[15151]),
        ("GRANT SELECT ON SCHEMA::nosuch TO u", &[15151]),
        ("GRANT SELECT ON t TO db_datareader", &[4617]),
        ("GRANT CREATE TABLE, VIEW SERVER STATE TO u", &[4620]),
        ("GRANT CREATE DATABASE TO u", &[4619]),
        ("GRANT SELECT ON DATABASE::master TO u", &[4610]),
        ("GRANT ALL ON SCHEMA::dbo TO u", &[4623]),
        ("GRANT NOSUCH ON t TO u", &[102]),
    ] {
        refused(&mut sa, sql, numbers);
    }
    let told = sa.run("GRANT SELECT ON t TO dbo");
    assert!(told.contains("Msg 4624, Level 0"), "{told}");
    let told = sa.run("GRANT ALL ON t TO u");
    assert!(told.contains("Msg 4628, Level 0"), "{told}");
    let rows =
        "SELECT permission_name, state FROM sys.database_permissions WHERE class = 1 ORDER BY 1";
    let all = sa.run(rows);
    for name in ["DELETE", "INSERT", "REFERENCES", "SELECT", "UPDATE"] {
        assert!(all.contains(&format!("{name} | G")), "{all}");
    }
    sa.ok("REVOKE ALL ON t FROM u");
    refused(&mut u, "GRANT SELECT ON t TO readers", &[15151]);
    refused(&mut u, "GRANT CREATE TABLE TO readers", &[4613]);
    sa.ok("GRANT SELECT ON t TO u WITH GRANT OPTION");
    runs(&mut u, "GRANT SELECT ON t TO readers");
    refused(&mut u, "DENY SELECT ON t TO readers", &[15151]);
    refused(&mut sa, "REVOKE SELECT ON t FROM u", &[4611]);
    refused(&mut sa, "DENY SELECT ON t TO u", &[4611]);
    sa.ok("REVOKE SELECT ON t FROM u CASCADE");
    let left = sa.run("SELECT COUNT(*) FROM sys.database_permissions WHERE class = 1");
    assert!(left.contains("\n0\n"), "{left}");
}

#[test]
fn a_rollback_takes_a_grant_back_and_kept_plans_are_asked_anew() {
    let (_world, mut sa, mut u) = two();
    let text = "SELECT a FROM dbo.t";
    sa.ok("GRANT SELECT ON t TO u");
    runs(&mut u, text);
    runs(&mut u, text);
    sa.ok("BEGIN TRAN REVOKE SELECT ON t FROM u");
    runs(&mut u, text);
    sa.ok("ROLLBACK");
    runs(&mut u, text);
    sa.ok("BEGIN TRAN REVOKE SELECT ON t FROM u COMMIT");
    refused(&mut u, text, &[229]);
    sa.ok("GRANT SELECT ON t TO u");
    runs(&mut u, text);
    sa.ok("BEGIN TRAN SAVE TRAN s DENY SELECT ON t TO u ROLLBACK TRAN s COMMIT");
    runs(&mut u, text);
}

#[test]
fn rows_go_with_their_securable_and_stay_over_a_restart() {
    let (world, mut sa, _) = two();
    sa.ok("GRANT SELECT ON t TO u; GRANT SELECT (a) ON t TO public; GRANT CREATE TABLE TO u");
    sa.ok("CREATE SCHEMA s");
    sa.ok("GRANT SELECT ON SCHEMA::s TO u; DENY UPDATE (b) ON t TO u");
    let count = "SELECT COUNT(*) FROM sys.database_permissions WHERE grantee_principal_id IN (0, 7) AND type NOT IN ('CO', 'VWCK', 'VWCM')";
    let rows = |c: &mut Client| c.run(count).lines().nth(1).unwrap_or_default().to_owned();
    assert_eq!(rows(&mut sa), "5");
    drop(sa);
    let world = world.restart();
    let mut sa = world.connect_to("d");
    assert_eq!(rows(&mut sa), "5");
    let mut u = session(&world, "lu");
    runs(&mut u, "SELECT * FROM t");
    sa.ok("ALTER TABLE t DROP COLUMN b");
    assert_eq!(rows(&mut sa), "4");
    sa.ok("DROP TABLE t");
    assert_eq!(rows(&mut sa), "2");
    sa.ok("DROP SCHEMA s");
    assert_eq!(rows(&mut sa), "1");
}

#[test]
fn other_databases_need_a_user_there() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE DATABASE e");
    sa.ok("CREATE TABLE e.dbo.x (a int)");
    sa.ok("CREATE VIEW dbo.across AS SELECT a FROM e.dbo.x");
    sa.ok("GRANT SELECT ON across TO u");
    refused(&mut u, "SELECT * FROM e.dbo.x", &[916]);
    refused(&mut u, "SELECT * FROM dbo.across", &[916]);
    refused(&mut u, "SELECT * FROM e.sys.objects", &[916]);
    runs(&mut u, "SELECT * FROM master.sys.databases");
}

#[test]
fn the_lists_of_principals_say_what_was_written() {
    let (world, mut sa, mut u) = two();
    role(&world, 40, "readers", &[7]);
    sa.ok("GRANT SELECT ON t TO readers");
    runs(&mut u, "SELECT * FROM t");
    let d = world.instance.databases().get("d").expect("d");
    let all = || d.catalog.principals(Scope::Database, Sight::COMMITTED);
    assert_eq!(all().members_of(40).collect::<Vec<_>>(), [7]);
    let table = sa.rows("SELECT OBJECT_ID('dbo.t')");
    let key = all().permissions().find(|p| p.key.grantee == 40).expect("a grant").key;
    assert!(table.contains(&key.major.to_string()), "{table} is not {}", key.major);
    assert_eq!(all().state_of(&key), Some(PermissionState::Grant));
    write(&d, |tx| rows::drop_member(tx, Scope::Database, 40, 7).expect("a member less"));
    refused(&mut u, "SELECT * FROM t", &[229]);
    assert_eq!(all().members_of(40).count(), 0);

    let (context, _) = world.instance.context_of_login("lu").expect("a login");
    assert!(!context.is_sa());
    assert!(!u.connection.session().identity().expect("a user").is_dbo());
    assert!(sa.connection.session().identity().expect("a user").is_dbo());
    let hash = format!("0x0200{}", "AB".repeat(68));
    let bytes = hash_as_bytes(&hash).expect("a hash");
    assert_eq!(hash_from_bytes(&bytes), Some(hash));
    assert_eq!(hash_from_bytes(&[2, 0, 1]), None);
}
