//! Owners of single objects and types, CREATE SCHEMA with what it begins with, and privileges as INFORMATION_SCHEMA and sp_helprotect
//! show them.

use crate::permissions::{login, refused, runs, session, two, user};
use crate::support::{Client, World};

/// `two`, and the session of the user `v`, who has CONNECT alone.
fn three() -> (World, Client, Client, Client) {
    let (world, sa, u) = two();
    login(&world, 8, "lv", &[]);
    user(&world, 8, "v", &[]);
    let v = session(&world, "lv");
    (world, sa, u, v)
}

const OWNERS: &str =
    "SELECT principal_id, OBJECTPROPERTY(object_id, 'OwnerId') FROM sys.objects WHERE name = 't'";

#[test]
fn an_object_has_an_owner_of_its_own() {
    let (_world, mut sa, mut u) = two();
    assert_eq!(sa.rows(OWNERS), "NULL | 1");
    sa.ok("GRANT SELECT ON t TO u; ALTER AUTHORIZATION ON t TO dbo");
    runs(&mut u, "SELECT a FROM t");
    sa.ok("DENY INSERT ON SCHEMA::dbo TO u; ALTER AUTHORIZATION ON OBJECT::dbo.t TO u");
    assert_eq!(sa.rows(OWNERS), "7 | 7");
    // What was granted is gone, and the owner needs nothing: no DENY takes it away.
    let granted = "SELECT COUNT(*) FROM sys.database_permissions WHERE class = 1 AND major_id = OBJECT_ID('t')";
    assert_eq!(sa.rows(granted), "0");
    runs(&mut u, "SELECT a FROM t; INSERT t VALUES (2, 2); ALTER TABLE t ADD c int; DROP TABLE t");
}

#[test]
fn an_owner_goes_with_a_rollback_a_transfer_and_a_drop() {
    let (_world, mut sa, mut u) = two();
    sa.ok("BEGIN TRAN; ALTER AUTHORIZATION ON t TO u; ROLLBACK");
    assert_eq!(sa.rows(OWNERS), "NULL | 1");
    refused(&mut u, "SELECT a FROM t", &[229]);
    sa.ok("BEGIN TRAN; SAVE TRAN p; ALTER AUTHORIZATION ON t TO u; ROLLBACK TRAN p; COMMIT");
    refused(&mut u, "SELECT a FROM t", &[229]);
    sa.ok("ALTER AUTHORIZATION ON t TO u; GRANT SELECT ON t TO public");
    sa.ok("ALTER AUTHORIZATION ON t TO SCHEMA OWNER");
    assert_eq!(sa.rows(OWNERS), "NULL | 1");
    refused(&mut u, "SELECT a FROM t", &[229]);
    sa.ok("ALTER AUTHORIZATION ON t TO u");
    sa.ok("EXEC ('CREATE SCHEMA s'); ALTER SCHEMA s TRANSFER dbo.t");
    assert_eq!(sa.rows(OWNERS), "NULL | 1");
    refused(&mut u, "SELECT a FROM s.t", &[229]);
    // A new table of the same name is the schema's owner's.
    sa.ok("ALTER AUTHORIZATION ON s.t TO u; DROP TABLE s.t; CREATE TABLE s.t (a int)");
    refused(&mut u, "SELECT a FROM s.t", &[229]);
    sa.ok("DROP USER u");
}

#[test]
fn a_transfer_asks_for_the_object_and_for_the_schema_that_receives_it() {
    let (_world, mut sa, mut u) = two();
    sa.ok("EXEC ('CREATE SCHEMA los AUTHORIZATION u')");
    sa.ok("EXEC ('CREATE SCHEMA los2 AUTHORIZATION u')");
    sa.ok("CREATE TABLE los.mine (a int); CREATE TYPE los.y FROM int");
    refused(&mut u, "ALTER SCHEMA dbo TRANSFER los.mine", &[15151]);
    refused(&mut u, "ALTER SCHEMA los TRANSFER dbo.t", &[15151]);
    refused(&mut u, "ALTER SCHEMA nosuch TRANSFER los.mine", &[15151]);
    runs(&mut u, "ALTER SCHEMA los2 TRANSFER los.mine; ALTER SCHEMA los2 TRANSFER TYPE::los.y");
    runs(&mut u, "SELECT a FROM los2.mine");
}

#[test]
fn a_chain_is_one_of_owners_of_objects() {
    let (_world, mut sa, mut u, _v) = three();
    sa.ok("CREATE VIEW dbo.w AS SELECT a FROM dbo.t");
    sa.ok("CREATE PROCEDURE dbo.p AS SELECT a FROM dbo.t");
    sa.ok("CREATE PROCEDURE dbo.whoami WITH EXECUTE AS OWNER AS SELECT USER_NAME()");
    sa.ok("GRANT SELECT ON w TO u; GRANT EXECUTE ON p TO u");
    runs(&mut u, "SELECT a FROM w; EXEC p");
    sa.ok("ALTER AUTHORIZATION ON t TO v");
    refused(&mut u, "SELECT a FROM w", &[229]);
    refused(&mut u, "EXEC p", &[229]);
    assert!(u.run("EXEC p").contains("on the object 't'"));
    sa.ok("ALTER AUTHORIZATION ON w TO v; GRANT SELECT ON w TO u");
    runs(&mut u, "SELECT a FROM w");
    refused(&mut u, "EXEC p", &[229]);
    sa.ok("ALTER AUTHORIZATION ON t TO SCHEMA OWNER");
    runs(&mut u, "EXEC p");
    refused(&mut u, "SELECT a FROM w", &[229]);
    sa.ok("ALTER AUTHORIZATION ON whoami TO v; GRANT EXECUTE ON whoami TO u");
    assert_eq!(u.rows("EXEC whoami"), "v");
    sa.ok("CREATE ROLE r; ALTER AUTHORIZATION ON whoami TO r; GRANT EXECUTE ON whoami TO u");
    refused(&mut u, "EXEC whoami", &[15517]);
}

#[test]
fn only_some_may_give_something_to_some() {
    let (_world, mut sa, mut u, _v) = three();
    sa.ok("CREATE TABLE dbo.n (a int); CREATE ROLE r; CREATE TYPE dbo.y FROM int");
    refused(&mut u, "ALTER AUTHORIZATION ON t TO u", &[15151]);
    sa.ok("GRANT TAKE OWNERSHIP ON t TO u; GRANT TAKE OWNERSHIP ON TYPE::dbo.y TO u");
    refused(&mut u, "ALTER AUTHORIZATION ON t TO v", &[15151]);
    refused(&mut u, "ALTER AUTHORIZATION ON t TO r", &[15151]);
    refused(&mut u, "ALTER AUTHORIZATION ON n TO u", &[15151]);
    runs(&mut u, "ALTER AUTHORIZATION ON t TO u");
    runs(&mut u, "ALTER AUTHORIZATION ON TYPE::dbo.y TO u");
    assert_eq!(sa.rows("SELECT principal_id FROM sys.types WHERE name = 'y'"), "7");
    sa.ok("GRANT IMPERSONATE ON USER::v TO u; ALTER ROLE r ADD MEMBER u");
    runs(&mut u, "ALTER AUTHORIZATION ON t TO r");
    runs(&mut u, "ALTER AUTHORIZATION ON t TO v");
    refused(&mut u, "ALTER AUTHORIZATION ON t TO u", &[15151]);
    refused(&mut sa, "ALTER AUTHORIZATION ON t TO nobody", &[15151]);
    refused(&mut sa, "ALTER AUTHORIZATION ON nosuch TO u", &[15151]);
    refused(&mut sa, "CREATE TABLE #x (a int) ALTER AUTHORIZATION ON #x TO u", &[15344]);
    sa.ok("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)");
    refused(&mut sa, "ALTER AUTHORIZATION ON c TO u", &[15346]);
    refused(&mut sa, "DROP USER v", &[15183]);
    refused(&mut sa, "DROP USER u", &[15184]);
    sa.ok("ALTER AUTHORIZATION ON t TO SCHEMA OWNER");
    sa.ok("ALTER AUTHORIZATION ON TYPE::y TO SCHEMA OWNER");
    // Schemas and roles are made for nobody else, either.
    sa.ok("GRANT CREATE SCHEMA, CREATE ROLE TO u; REVOKE IMPERSONATE ON USER::v FROM u");
    refused(&mut u, "CREATE SCHEMA s AUTHORIZATION dbo", &[15151, 2759]);
    refused(&mut u, "CREATE SCHEMA s AUTHORIZATION v", &[15151, 2759]);
    refused(&mut u, "CREATE ROLE mine AUTHORIZATION dbo", &[15151]);
    runs(&mut u, "CREATE SCHEMA s AUTHORIZATION r");
    runs(&mut u, "CREATE ROLE mine AUTHORIZATION u");
    sa.ok("DROP USER v");
}

#[test]
fn an_old_procedure_gives_an_object_to_a_user_with_a_schema() {
    let (_world, mut sa, mut u) = two();
    refused(&mut sa, "EXEC sp_changeobjectowner 'nosuch', 'u'", &[15001]);
    refused(&mut sa, "EXEC sp_changeobjectowner 't', 'u'", &[15411]);
    sa.ok("EXEC ('CREATE SCHEMA u AUTHORIZATION u')");
    refused(&mut u, "EXEC sp_changeobjectowner 'dbo.t', 'u'", &[15247]);
    sa.ok("EXEC sp_changeobjectowner 'dbo.t', 'u'");
    let owner = "SELECT SCHEMA_NAME(schema_id), principal_id FROM sys.objects WHERE name = 't'";
    assert_eq!(sa.rows(owner), "u | NULL");
    runs(&mut u, "SELECT a FROM u.t");
}

#[test]
fn a_schema_begins_with_tables_views_and_grants() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE SCHEMA s AUTHORIZATION u
        GRANT SELECT ON w TO public
        CREATE VIEW w AS SELECT b.x, t.y FROM t JOIN s.b ON b.x = t.x
        CREATE TABLE t (x int REFERENCES b (x), y int)
        CREATE TABLE b (x int PRIMARY KEY, z int)
        DENY INSERT ON t TO public");
    let made = "SELECT o.name, SCHEMA_NAME(o.schema_id), o.principal_id FROM sys.objects o
        WHERE o.type IN ('U', 'V') ORDER BY o.name, 2";
    assert_eq!(sa.rows(made), "b | s | NULL\nt | dbo | NULL\nt | s | NULL\nw | s | NULL");
    let keys = "SELECT OBJECT_SCHEMA_NAME(referenced_object_id), OBJECT_NAME(referenced_object_id) FROM sys.foreign_keys";
    assert_eq!(sa.rows(keys), "s | b");
    let permissions = "SELECT OBJECT_SCHEMA_NAME(major_id), OBJECT_NAME(major_id), state_desc FROM sys.database_permissions
        WHERE class = 1 AND major_id > 0 ORDER BY 2";
    assert_eq!(sa.rows(permissions), "s | t | DENY\ns | w | GRANT");
    let text = sa.rows("SELECT definition FROM sys.sql_modules WHERE object_id = OBJECT_ID('s.w')");
    assert_eq!(text, "CREATE VIEW w AS SELECT b.x, t.y FROM t JOIN s.b ON b.x = t.x");
    runs(&mut u, "INSERT s.b VALUES (1, 1); INSERT s.t VALUES (1, 2)");
    assert_eq!(u.rows("SELECT x, y FROM s.w"), "1 | 2");
    refused(&mut u, "INSERT s.t VALUES (5, 2)", &[547]);
}

#[test]
fn a_schema_and_what_it_begins_with_are_made_together_or_not_at_all() {
    let (_world, mut sa, mut u) = two();
    let left =
        "SELECT COUNT(*) FROM sys.objects WHERE name IN ('n', 'm', 'w'); SELECT SCHEMA_ID('s')";
    for (rest, numbers) in [
        ("CREATE TABLE m (a int REFERENCES nosuch (a))", &[1767, 1750, 2759][..]),
        ("CREATE VIEW w AS SELECT nosuch FROM n", &[207, 2759]),
        ("GRANT SELECT ON n TO nobody", &[15151, 2759]),
        ("CREATE TABLE n (a int)", &[2714, 2759]),
    ] {
        let sql = format!("CREATE SCHEMA s CREATE TABLE n (a int) {rest}");
        refused(&mut sa, &sql, numbers);
        assert_eq!(sa.rows(left), "0\nNULL", "{sql}");
        sa.run(&format!("BEGIN TRAN; EXEC ('{sql}')"));
        sa.run("IF @@TRANCOUNT > 0 COMMIT");
        assert_eq!(sa.rows(left), "0\nNULL", "{sql}");
    }
    sa.ok("GRANT CREATE SCHEMA TO u");
    refused(&mut u, "CREATE SCHEMA s CREATE TABLE n (a int)", &[262, 2759]);
    refused(&mut u, "CREATE SCHEMA s CREATE TABLE dbo.n (a int)", &[262, 2759]);
    sa.ok("GRANT CREATE TABLE, CREATE VIEW TO u");
    refused(&mut u, "CREATE SCHEMA s CREATE TABLE dbo.n (a int)", &[2760, 2759]);
    let refers = "CREATE SCHEMA s CREATE TABLE n (a int REFERENCES dbo.t (a))";
    refused(&mut u, refers, &[229, 2759]);
    refused(&mut u, "CREATE SCHEMA s GRANT SELECT ON dbo.t TO u", &[15151, 2759]);
    assert_eq!(sa.rows(left), "0\nNULL");
    runs(&mut u, "CREATE SCHEMA s CREATE TABLE n (a int) CREATE VIEW w AS SELECT a FROM n");
    runs(&mut u, "SELECT a FROM s.w; DROP VIEW s.w; DROP TABLE s.n; DROP SCHEMA s");
    // AUTHORIZATION alone makes no schema.
    sa.ok("CREATE SCHEMA AUTHORIZATION u");
    assert_eq!(sa.rows("SELECT SCHEMA_ID('u')"), "NULL");
}

#[test]
fn privileges_are_listed() {
    let (_world, mut sa, mut u) = two();
    sa.ok("GRANT SELECT, INSERT ON t TO u WITH GRANT OPTION; GRANT UPDATE (b) ON t TO u");
    sa.ok("DENY DELETE ON t TO u");
    let tables = "SELECT GRANTOR, GRANTEE, TABLE_SCHEMA, TABLE_NAME, PRIVILEGE_TYPE, IS_GRANTABLE
        FROM INFORMATION_SCHEMA.TABLE_PRIVILEGES ORDER BY 5";
    let all = "dbo | u | dbo | t | INSERT | YES\ndbo | u | dbo | t | SELECT | YES";
    assert_eq!(sa.rows(tables), all);
    assert_eq!(u.rows(tables), all);
    let columns = "SELECT GRANTOR, GRANTEE, TABLE_NAME, COLUMN_NAME, PRIVILEGE_TYPE, IS_GRANTABLE
        FROM INFORMATION_SCHEMA.COLUMN_PRIVILEGES";
    assert_eq!(sa.rows(columns), "dbo | u | t | b | UPDATE | NO");
    let shown = [
        "dbo | t | u | dbo | Deny       | Delete | .",
        "dbo | t | u | dbo | Grant      | Update | b",
        "dbo | t | u | dbo | Grant_WGO  | Insert | .",
        "dbo | t | u | dbo | Grant_WGO  | Select | (All+New)",
    ];
    assert_eq!(sa.rows("EXEC sp_helprotect 't'"), shown.join("\n"));
    sa.ok("REVOKE SELECT (b) ON t FROM u CASCADE; GRANT CREATE TABLE TO u");
    let statement = sa.rows("EXEC sp_helprotect 'CREATE TABLE'");
    assert_eq!(statement, ". | . | u | dbo | Grant      | Create Table | .");
    let selects = sa.rows("EXEC sp_helprotect 't', 'u'");
    assert!(selects.contains("Select | (New)\n") && selects.ends_with("Select | a"), "{selects}");
    refused(&mut sa, "EXEC sp_helprotect 'nosuch'", &[15330]);
    refused(&mut sa, "EXEC sp_helprotect 't', 'nosuch'", &[15330]);
    sa.ok("EXEC ('CREATE SCHEMA s AUTHORIZATION u')");
    let owners = "SELECT SCHEMA_NAME, SCHEMA_OWNER FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME IN ('s', 'db_owner')
        ORDER BY 1";
    assert_eq!(sa.rows(owners), "db_owner | db_owner\ns | u");
}

#[test]
fn owners_outlive_a_restart_and_a_restore() {
    let (world, mut sa, u) = two();
    drop(u);
    sa.ok("CREATE TYPE dbo.y FROM int; ALTER AUTHORIZATION ON t TO u");
    sa.ok("ALTER AUTHORIZATION ON TYPE::y TO u");
    let owners = "SELECT principal_id FROM sys.objects WHERE name = 't'; SELECT principal_id FROM sys.types WHERE name = 'y'";
    sa.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    drop(sa);
    let world = world.restart();
    let mut sa = world.connect_to("d");
    assert_eq!(sa.rows(owners), "7\n7");
    let mut u = session(&world, "lu");
    runs(&mut u, "SELECT a FROM t");
    drop(u);
    sa.ok("USE master; RESTORE DATABASE copy FROM DISK = 'd.bak' WITH MOVE 'd' TO 'copy.mdf', MOVE 'd_log' TO 'copy.ldf'; USE copy");
    assert_eq!(sa.rows(owners), "7\n7");
    refused(&mut sa, "DROP USER u", &[15183]);
}

#[test]
fn fixed_roles_have_the_permissions_that_they_had() {
    let (_world, mut sa, _u) = two();
    assert_eq!(
        sa.rows("EXEC sp_srvrolepermission 'processadmin'"),
        "processadmin | Add member to processadmin\nprocessadmin | KILL"
    );
    assert_eq!(
        sa.rows("EXEC sp_dbfixedrolepermission 'db_datareader'"),
        "db_datareader | SELECT permission on any object"
    );
    let whole = sa.rows("EXEC sp_srvrolepermission 'sysadmin'");
    assert!(
        whole.contains("sysadmin | KILL") && whole.contains("sysadmin | dbcc change 'on' rules")
    );
    let owner = sa.rows("EXEC sp_dbfixedrolepermission");
    assert!(
        owner.contains("db_owner | BACKUP LOG") && !owner.contains("db_owner | No "),
        "{owner}"
    );
    refused(&mut sa, "EXEC sp_srvrolepermission 'nosuch'", &[15412]);
    refused(&mut sa, "EXEC sp_dbfixedrolepermission 'public'", &[15412]);
}
