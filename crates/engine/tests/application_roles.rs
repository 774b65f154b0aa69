//! Application roles: what sp_setapprole opens, and what it closes.

use crate::permissions::{refused, runs, two, write};
use crate::support::{Client, World};
use taffrail_catalog::principals::{Principal, PrincipalKind, Scope, rows};

/// A hash of `Open-Sesame-1`, as SQL Server makes them: SHA-512 with a salt.
const HASH: &str = "0x020001020304ADFE800A12FDBD22EBE916A5FAD79720234F19BE6F1349FB2AEEBB5D4B\
    370F42FA3B230498AB610F01B23B5CF25169A9591767329E081C8A78CF5A2ADD09C792";

/// An application role of `d`, as a row.
fn role(world: &World, id: i32, name: &str) {
    let sid = name.bytes().cycle().take(28).collect();
    let d = world.instance.databases().get("d").expect("d");
    let p = Principal {
        sid: Some(sid),
        password_hash: HASH.into(),
        default_schema: Some("dbo".into()),
        ..Principal::new(id, name, PrincipalKind::ApplicationRole)
    };
    write(&d, |tx| rows::write(tx, Scope::Database, &p).expect("a role"));
}

/// An application role `a` that reads `t`, and the user `u`, who reads `other`.
fn with_role() -> (World, Client, Client) {
    let (world, mut sa, u) = two();
    role(&world, 9, "a");
    sa.ok("CREATE TABLE other (a int); GRANT SELECT ON other TO u; GRANT SELECT ON t TO a");
    (world, sa, u)
}

#[test]
fn a_role_is_set_and_laid_down() {
    let (_world, _sa, mut u) = with_role();
    refused(&mut u, "SELECT a FROM t", &[229]);
    refused(&mut u, "EXEC sp_setapprole 'a', 'wrong'", &[15161]);
    refused(&mut u, "EXEC sp_setapprole 'nosuch', 'Open-Sesame-1'", &[15161]);
    refused(&mut u, "EXEC sp_setapprole 'u', 'Open-Sesame-1'", &[15161]);
    refused(&mut u, "BEGIN TRAN; EXEC sp_setapprole 'a', 'Open-Sesame-1'", &[15002]);
    runs(&mut u, "ROLLBACK");
    refused(&mut u, "EXEC ('EXEC sp_setapprole ''a'', ''Open-Sesame-1''')", &[15422]);
    refused(&mut u, "EXEC sp_setapprole 'a', 'Open-Sesame-1', 'odbc'", &[40510]);
    refused(&mut u, "SELECT a FROM t", &[229]);
    let names = "SELECT USER_NAME(), SUSER_SNAME(), ORIGINAL_LOGIN()";
    assert_eq!(u.rows(names), "u | lu | lu");
    runs(&mut u, "SELECT a FROM other");
    runs(
        &mut u,
        "DECLARE @c varbinary(8000)
         EXEC sp_setapprole 'a', 'Open-Sesame-1', @fCreateCookie = true, @cookie = @c OUTPUT
         IF DATALENGTH(@c) <> 50 RAISERROR ('cookie', 16, 1)
         EXEC sp_set_session_context 'c', @c",
    );
    assert_eq!(u.rows(names), "a | lu | lu");
    assert_eq!(u.rows("SELECT SUSER_SNAME(SUSER_SID())"), "lu");
    // Nothing of the user, though its plan is kept, and nothing of other databases.
    refused(&mut u, "SELECT a FROM other", &[229]);
    runs(&mut u, "SELECT a FROM t");
    refused(&mut u, "USE master", &[505]);
    refused(&mut u, "EXEC sp_setapprole 'a', 'Open-Sesame-1'", &[2762]);
    runs(&mut u, "REVERT");
    assert_eq!(u.rows(names), "a | lu | lu");
    refused(&mut u, "EXEC sp_unsetapprole 0x01", &[15592]);
    runs(
        &mut u,
        "DECLARE @c varbinary(8000) = CONVERT(varbinary(8000), SESSION_CONTEXT(N'c'))
         EXEC sp_unsetapprole @c",
    );
    assert_eq!(u.rows(names), "u | lu | lu");
    refused(&mut u, "SELECT a FROM t", &[229]);
    runs(&mut u, "SELECT a FROM other; USE master; USE d");
    refused(&mut u, "EXEC sp_unsetapprole 0x01", &[15592]);
}

#[test]
fn a_role_without_a_cookie_stays_to_the_end() {
    let (_world, mut sa, mut u) = with_role();
    runs(&mut u, "EXEC sp_setapprole 'a', 'Open-Sesame-1'");
    refused(&mut u, "EXEC sp_unsetapprole 0x", &[15592]);
    refused(&mut u, "EXEC sp_unsetapprole NULL", &[15592]);
    assert_eq!(u.rows("SELECT USER_NAME()"), "a");
    // A sysadmin is no more than the role, either.
    runs(&mut sa, "EXEC sp_setapprole 'a', 'Open-Sesame-1'");
    refused(&mut sa, "SELECT a FROM other", &[229]);
    refused(&mut sa, "ALTER LOGIN sa DISABLE", &[15151]);
    refused(&mut sa, "SELECT * FROM sys.dm_os_wait_stats", &[300, 297]);
}

#[test]
fn roles_are_made_changed_and_dropped() {
    let (world, mut sa, mut u) = with_role();
    refused(&mut sa, "CREATE APPLICATION ROLE a WITH PASSWORD = 'Open-Sesame-1'", &[15023]);
    refused(&mut sa, "CREATE APPLICATION ROLE u WITH PASSWORD = 'Open-Sesame-1'", &[15023]);
    refused(&mut sa, "CREATE APPLICATION ROLE b WITH PASSWORD = 'short'", &[33062]);
    refused(&mut sa, "CREATE APPLICATION ROLE b WITH PASSWORD = 'longenough'", &[33064]);
    refused(&mut sa, "ALTER APPLICATION ROLE u WITH NAME = x", &[15151]);
    refused(&mut sa, "DROP APPLICATION ROLE u", &[15151]);
    refused(&mut sa, "GRANT CONNECT TO a", &[4627]);
    refused(&mut u, "CREATE APPLICATION ROLE b WITH PASSWORD = 'Open-Sesame-1'", &[15247]);
    refused(&mut u, "ALTER APPLICATION ROLE a WITH PASSWORD = 'Open-Sesame-2'", &[15151]);
    refused(&mut u, "DROP APPLICATION ROLE a", &[15151]);
    sa.ok("ALTER APPLICATION ROLE a WITH NAME = b, DEFAULT_SCHEMA = s");
    let shown =
        "SELECT name, type, type_desc, default_schema_name, is_fixed_role, authentication_type
        FROM sys.database_principals WHERE type = 'A'";
    assert_eq!(sa.rows(shown), "b | A | APPLICATION_ROLE | s | 0 | 0");
    refused(&mut u, "EXEC sp_setapprole 'a', 'Open-Sesame-1'", &[15161]);
    runs(&mut u, "EXEC sp_setapprole 'b', 'Open-Sesame-1'");
    runs(&mut u, "SELECT a FROM t");
    sa.ok("EXEC ('CREATE SCHEMA s AUTHORIZATION b')");
    refused(&mut sa, "DROP APPLICATION ROLE b", &[15138]);
    sa.ok("DROP SCHEMA s; DROP APPLICATION ROLE b");
    // The role that is gone is nobody, whoever has its number.
    role(&world, 10, "c");
    role(&world, 9, "d");
    sa.ok("GRANT SELECT ON t TO d");
    let said = u.run("SELECT a FROM dbo.t");
    assert!(said.contains("Msg 916,"), "{said}");
    sa.ok("EXEC sp_dropapprole 'c'");
    assert_eq!(sa.rows("SELECT name FROM sys.database_principals WHERE type = 'A'"), "d");
}
