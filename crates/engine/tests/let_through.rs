//! Ways round a permission: what is reached through a module, a definition, another database, a bare name or a number that is given
//! anew is refused as what is named itself is.

use crate::permissions::{login, refused, runs, session, two, user};
use crate::support::{Client, World};

/// A session of another login in `d`, whose user has CONNECT alone.
fn another(world: &World, n: u8, name: &str) -> Client {
    login(world, n, &format!("l{name}"), &[]);
    user(world, n, name, &[]);
    session(world, &format!("l{name}"))
}

#[test]
fn a_temporary_procedure_runs_as_who_calls_it() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE USER w WITHOUT LOGIN; GRANT SELECT ON t TO w");
    for (name, clause) in [("#p", "OWNER"), ("##p", "OWNER"), ("#q", "SELF"), ("##r", "CALLER")] {
        runs(
            &mut u,
            &format!("CREATE PROCEDURE {name} WITH EXECUTE AS {clause} AS SELECT a FROM dbo.t"),
        );
        refused(&mut u, &format!("EXEC {name}"), &[229]);
        runs(&mut u, &format!("DROP PROCEDURE {name}"));
    }
    for name in ["#p", "##p"] {
        for user in ["dbo", "w"] {
            let made = u.run(&format!(
                "CREATE PROCEDURE {name} WITH EXECUTE AS '{user}' AS SELECT a FROM dbo.t"
            ));
            assert!(!made.contains("closed"), "{made}");
            let ran = u.run(&format!("EXEC {name}"));
            assert!(!ran.contains("\n1\n") && ran.contains("Msg "), "{name} as {user}: {ran}");
            u.run(&format!("DROP PROCEDURE {name}"));
        }
    }
    // A global one of somebody else's is anybody's to call, and reads what the one that calls may read.
    sa.ok("CREATE PROCEDURE ##of_sa WITH EXECUTE AS OWNER AS SELECT a FROM d.dbo.t");
    refused(&mut u, "EXEC ##of_sa", &[229]);
    sa.ok("GRANT SELECT ON t TO u");
    runs(&mut u, "EXEC ##of_sa");
}

#[test]
fn a_system_procedure_is_asked_for_where_it_runs() {
    let (world, mut sa, mut u) = two();
    sa.ok("CREATE DATABASE e");
    sa.ok("CREATE TABLE e.dbo.t (a int)");
    sa.ok("EXEC e.sys.sp_executesql N'CREATE SEQUENCE dbo.q'");
    sa.ok("GRANT CONTROL ON t TO u; GRANT ALTER ON SCHEMA::dbo TO u; GRANT CONTROL TO u");
    let calls = [
        "EXEC e.sys.sp_rename 'dbo.t', 'stolen'",
        "EXEC e.sys.sp_addextendedproperty 'x', 1, 'SCHEMA', 'dbo', 'TABLE', 't'",
        "EXEC e.sys.sp_addextendedproperty 'x', 1",
        "DECLARE @x sql_variant EXEC e.sys.sp_sequence_get_range N'dbo.q', 1, @x OUTPUT",
    ];
    for call in calls {
        refused(&mut u, call, &[916]);
        refused(&mut u, &call.replace("e.sys.", "e.."), &[916]);
    }
    sa.ok("USE e; CREATE USER u FOR LOGIN lu; USE d");
    for (call, number) in calls.into_iter().zip([15225, 15247, 15247, 229]) {
        refused(&mut u, call, &[number]);
    }
    let left = sa.rows("SELECT OBJECT_ID('e.dbo.stolen'), COUNT(*) FROM e.sys.extended_properties");
    assert_eq!(left, "NULL | 0");
    sa.ok("USE e; GRANT ALTER ON t TO u; GRANT UPDATE ON q TO u; GRANT ALTER ON SCHEMA::dbo TO u; USE d");
    runs(&mut u, calls[1]);
    runs(&mut u, calls[3]);
    runs(&mut u, calls[0]);
    refused(&mut u, calls[2], &[15247]);
    drop(world);
}

#[test]
fn functions_of_the_log_and_the_files_are_not_everybodys() {
    let (_world, mut sa, mut u) = two();
    for (call, numbers) in [
        ("fn_dblog(NULL, NULL)", &[9010][..]),
        ("sys.fn_dblog(NULL, NULL)", &[9010]),
        ("taffrail.log_changes(NULL, NULL, NULL)", &[297]),
        ("sys.dm_io_virtual_file_stats(NULL, NULL)", &[300, 297]),
    ] {
        refused(&mut u, &format!("SELECT * FROM {call}"), numbers);
        refused(&mut u, &format!("SELECT 1 FROM dbo.nosuch, {call} AS x"), &[208]);
        refused(
            &mut u,
            &format!("SELECT x.n FROM (SELECT COUNT(*) AS n FROM {call} AS y) AS x"),
            numbers,
        );
    }
    // No chain of owners leads to the log: a view of dbo's does not show it.
    sa.ok("CREATE VIEW dbo.log AS SELECT COUNT(*) AS n FROM sys.fn_dblog(NULL, NULL)");
    sa.ok("GRANT SELECT ON dbo.log TO u");
    refused(&mut u, "SELECT n FROM dbo.log", &[9010]);
}

#[test]
fn a_hash_is_shown_to_nobody_but_an_administrator() {
    let (_world, mut sa, mut u) = two();
    let hash = format!("0x0200{}", "AB".repeat(68));
    sa.ok(&format!("CREATE LOGIN hashed WITH PASSWORD = {hash} HASHED, CHECK_POLICY = OFF"));
    let asked = "SELECT LOGINPROPERTY('hashed', 'PasswordHash'), LOGINPROPERTY('hashed', 'passwordhashalgorithm'), \
        LOGINPROPERTY('sa', 'PasswordHash')";
    assert_eq!(u.rows(asked), "NULL | NULL | NULL");
    let own = "SELECT LOGINPROPERTY('lu', 'PasswordHash'), LOGINPROPERTY('lu', 'DefaultDatabase')";
    assert_eq!(u.rows(own), "NULL | master");
    assert!(sa.rows(asked).starts_with("0x02"), "{}", sa.rows(asked));
}

/// Definitions that call `f` or take a number of `q`.
const DEFINITIONS: [&str; 8] = [
    "CREATE TABLE dbo.x (a int, b AS dbo.f(a))",
    "CREATE TABLE dbo.x (a int CHECK (dbo.f(a) > 0))",
    "CREATE TABLE dbo.x (a int DEFAULT dbo.f(1))",
    "CREATE TABLE dbo.x (a int, CHECK (a > 0 AND dbo.f(a) > 0))",
    "CREATE TABLE #x (a int, b AS dbo.f(a))",
    "CREATE TABLE #x (a int DEFAULT dbo.f(1))",
    "DECLARE @x TABLE (a int, b AS dbo.f(a))",
    "DECLARE @x TABLE (a int DEFAULT dbo.f(1))",
];

#[test]
fn what_a_definition_calls_is_asked_for() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE FUNCTION dbo.f(@a int) RETURNS int AS BEGIN RETURN @a END");
    sa.ok("CREATE SEQUENCE dbo.q START WITH 1");
    sa.ok("GRANT CREATE TABLE, CREATE TYPE TO u; CREATE TABLE dbo.own (a int)");
    sa.ok("GRANT CONTROL ON dbo.own TO u");
    let others = [
        "CREATE TYPE dbo.x AS TABLE (a int, b AS dbo.f(a))",
        "CREATE TYPE dbo.x AS TABLE (a int DEFAULT dbo.f(1))",
        "ALTER TABLE dbo.own ADD b AS dbo.f(a)",
        "ALTER TABLE dbo.own ADD b int DEFAULT dbo.f(1)",
        "ALTER TABLE dbo.own ADD CONSTRAINT c CHECK (dbo.f(a) > 0)",
        "ALTER TABLE dbo.own ADD CONSTRAINT c DEFAULT dbo.f(1) FOR a",
        "CREATE TABLE #y (a int) ALTER TABLE #y ADD b AS dbo.f(a)",
        "CREATE TABLE ##y (a int DEFAULT dbo.f(1))",
        "CREATE TABLE dbo.x (a int DEFAULT NEXT VALUE FOR dbo.q)",
        "CREATE TABLE #x (a int DEFAULT NEXT VALUE FOR dbo.q)",
        "ALTER TABLE dbo.own ADD CONSTRAINT c DEFAULT NEXT VALUE FOR dbo.q FOR a",
    ];
    // A plan that is kept of somebody who may does not let others.
    for sql in DEFINITIONS.into_iter().filter(|sql| sql.starts_with("DECLARE")) {
        sa.ok(sql);
    }
    // ALTER on the schema of the objects lets one make what they are used in, and gives neither EXECUTE nor UPDATE.
    sa.ok("GRANT ALTER ON SCHEMA::dbo TO u");
    for sql in DEFINITIONS.into_iter().chain(others) {
        refused(&mut u, sql, &[229]);
        runs(&mut u, "DROP TABLE IF EXISTS #y");
    }
    let made = "SELECT COUNT(*) FROM sys.objects WHERE name = 'x'; SELECT COUNT(*) FROM sys.types WHERE name = 'x'";
    assert_eq!(sa.rows(made), "0\n0");
    assert_eq!(sa.rows("SELECT COUNT(*) FROM sys.columns WHERE object_id = OBJECT_ID('own')"), "1");
    sa.ok("GRANT EXECUTE ON f TO u; GRANT UPDATE ON q TO u");
    for sql in DEFINITIONS.into_iter().chain(others) {
        runs(&mut u, sql);
        sa.ok("DROP TABLE IF EXISTS dbo.x, ##y; DROP TYPE IF EXISTS dbo.x");
        runs(&mut u, "DROP TABLE IF EXISTS #x, #y");
        sa.ok("ALTER TABLE own DROP CONSTRAINT IF EXISTS c");
        sa.ok("DROP TABLE own; CREATE TABLE own (a int); GRANT CONTROL ON own TO u");
    }
}

#[test]
fn a_module_of_the_owner_defines_by_its_chain() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE FUNCTION dbo.f(@a int) RETURNS int AS BEGIN RETURN @a END");
    sa.ok("CREATE SEQUENCE dbo.q START WITH 1");
    for (n, sql) in DEFINITIONS.into_iter().enumerate().skip(4) {
        sa.ok(&format!("CREATE PROCEDURE dbo.p{n} AS {sql}"));
        sa.ok(&format!("GRANT EXECUTE ON p{n} TO u"));
        runs(&mut u, &format!("EXEC p{n}"));
    }
    sa.ok("CREATE PROCEDURE dbo.numbers AS CREATE TABLE #x (a int DEFAULT NEXT VALUE FOR dbo.q, b int) \
        INSERT #x (b) VALUES (1) SELECT a FROM #x");
    sa.ok("GRANT EXECUTE ON numbers TO u");
    runs(&mut u, "EXEC numbers");
    sa.ok("CREATE PROCEDURE dbo.dynamic AS EXEC ('CREATE TABLE #x (a int DEFAULT dbo.f(1))')");
    sa.ok("GRANT EXECUTE ON dynamic TO u");
    refused(&mut u, "EXEC dynamic", &[229]);
    // Another owner's module has no chain to it.
    sa.ok("CREATE USER other WITHOUT LOGIN");
    sa.ok("CREATE SCHEMA o AUTHORIZATION other");
    sa.ok("CREATE PROCEDURE o.p AS CREATE TABLE #x (a int DEFAULT dbo.f(1))");
    sa.ok("CREATE PROCEDURE o.q AS CREATE TABLE #x (a int DEFAULT NEXT VALUE FOR dbo.q)");
    sa.ok("GRANT EXECUTE ON SCHEMA::o TO u");
    refused(&mut u, "EXEC o.p", &[229]);
    refused(&mut u, "EXEC o.q", &[229]);
}

#[test]
fn a_bare_name_is_asked_for_as_what_it_comes_to_mean() {
    let (_world, mut sa, mut v) = owner_of_a_schema();
    sa.ok("CREATE TABLE dbo.n (a int IDENTITY); INSERT dbo.n DEFAULT VALUES");
    sa.ok("CREATE TABLE s.n (a int IDENTITY); INSERT s.n DEFAULT VALUES");
    sa.ok("CREATE PROCEDURE dbo.p AS SELECT 'of dbo'");
    sa.ok("CREATE PROCEDURE s.p AS SELECT 'of v'");
    refused(&mut v, "DBCC CHECKIDENT ('dbo.n', RESEED, 77)", &[2557]);
    refused(&mut v, "DBCC CHECKTABLE ('dbo.n')", &[2557]);
    runs(&mut v, "DBCC CHECKIDENT ('n', RESEED, 77)");
    let told = v.run("EXEC sp_helptext 'p'");
    assert!(told.contains("of v") && !told.contains("of dbo"), "{told}");
    assert_eq!(sa.rows("SELECT IDENT_CURRENT('dbo.n'), IDENT_CURRENT('s.n')"), "1 | 77");
    sa.ok("DROP PROCEDURE s.p");
    let told = v.run("EXEC sp_helptext 'p'");
    assert!(told.contains("Msg 15") && !told.contains("of dbo"), "{told}");
    runs(&mut v, "EXEC sp_rename 'n', 'm'; EXEC sp_rename 'm', 'n'");
    assert_eq!(sa.rows("SELECT OBJECT_ID('dbo.m'), OBJECT_ID('s.m')"), "NULL | NULL");
    sa.ok("CREATE TABLE s.alone (a int IDENTITY)");
    runs(&mut v, "DBCC CHECKIDENT ('alone', RESEED, 5)");
    refused(&mut v, "SET IDENTITY_INSERT dbo.n ON", &[1088]);
    runs(
        &mut v,
        "SET IDENTITY_INSERT alone ON; INSERT alone (a) VALUES (9); SET IDENTITY_INSERT alone OFF",
    );
    runs(&mut v, "SET IDENTITY_INSERT n ON; INSERT n (a) VALUES (9); SET IDENTITY_INSERT n OFF");
    assert_eq!(sa.rows("SELECT MAX(a) FROM dbo.n; SELECT MAX(a) FROM s.n"), "1\n9");
}

#[test]
fn a_context_ends_with_its_user() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE USER x WITHOUT LOGIN; GRANT IMPERSONATE ON USER::x TO u");
    sa.ok("GRANT SELECT ON t TO x");
    let number =
        |c: &mut Client, name: &str| c.rows(&format!("SELECT DATABASE_PRINCIPAL_ID('{name}')"));
    let first = number(&mut sa, "x");
    runs(&mut u, "EXECUTE AS USER = 'x'");
    runs(&mut u, "SELECT a FROM dbo.t");
    sa.ok("DROP USER x");
    let gone = u.run("SELECT a FROM dbo.t");
    assert!(!gone.contains("\n1\n") && gone.contains("Msg 916,"), "{gone}");
    sa.ok("CREATE USER y WITHOUT LOGIN; GRANT SELECT ON t TO y");
    assert_eq!(number(&mut sa, "y"), first, "the number is given anew");
    let anew = u.run("SELECT a FROM dbo.t");
    assert!(!anew.contains("\n1\n") && anew.contains("Msg 916,"), "{anew}");
    runs(&mut u, "REVERT");
    refused(&mut u, "SELECT a FROM dbo.t", &[229]);
}

#[test]
fn grants_stay_behind_in_the_old_schema() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE SCHEMA s");
    sa.ok("CREATE TYPE dbo.y AS TABLE (a int)");
    sa.ok("GRANT SELECT ON t TO u; GRANT UPDATE (b) ON t TO u; GRANT EXECUTE ON TYPE::dbo.y TO u");
    let rows = "SELECT COUNT(*) FROM sys.database_permissions WHERE class IN (1, 6) AND grantee_principal_id = 7";
    assert_eq!(sa.rows(rows), "3");
    runs(&mut u, "SELECT a FROM dbo.t");
    sa.ok("BEGIN TRAN; ALTER SCHEMA s TRANSFER dbo.t; ALTER SCHEMA s TRANSFER TYPE::dbo.y");
    assert_eq!(sa.rows(rows), "0");
    sa.ok("ROLLBACK");
    assert_eq!(sa.rows(rows), "3");
    runs(&mut u, "SELECT a FROM dbo.t; DECLARE @x dbo.y; UPDATE dbo.t SET b = 3");
    sa.ok("BEGIN TRAN; SAVE TRAN p; ALTER SCHEMA s TRANSFER dbo.t; ROLLBACK TRAN p; COMMIT");
    runs(&mut u, "SELECT a FROM dbo.t");
    sa.ok("ALTER SCHEMA s TRANSFER dbo.t; ALTER SCHEMA s TRANSFER TYPE::dbo.y");
    assert_eq!(sa.rows(rows), "0");
    refused(&mut u, "SELECT a FROM s.t", &[229]);
    sa.ok("ALTER SCHEMA dbo TRANSFER s.t");
    refused(&mut u, "SELECT a FROM dbo.t", &[229]);
}

#[test]
fn global_temporary_tables_are_everybodys() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE TABLE ##g (a int IDENTITY, b int); INSERT ##g (b) VALUES (1)");
    runs(
        &mut u,
        "SELECT * FROM ##g; INSERT ##g (b) VALUES (2); UPDATE ##g SET b = 3; DELETE ##g WHERE a = 1",
    );
    runs(&mut u, "SELECT * FROM tempdb..##g; SELECT OBJECT_ID('tempdb..##g')");
    runs(&mut u, "ALTER TABLE ##g ADD c int; CREATE INDEX i ON ##g (b); TRUNCATE TABLE ##g");
    runs(
        &mut u,
        "SET IDENTITY_INSERT ##g ON; INSERT ##g (a, b) VALUES (1, 1); SET IDENTITY_INSERT ##g OFF",
    );
    runs(&mut u, "DROP TABLE ##g");
    runs(&mut u, "CREATE TABLE ##h (a int); INSERT ##h VALUES (1)");
    runs(&mut sa, "SELECT * FROM ##h");
}

#[test]
fn keys_of_a_table_that_one_may_not_see_are_not_listed() {
    let (_world, mut sa, mut u) = two();
    sa.ok("CREATE TABLE dbo.parent (a int CONSTRAINT key_of_parent PRIMARY KEY)");
    sa.ok("CREATE TABLE dbo.child (a int CONSTRAINT key_of_child REFERENCES dbo.parent (a))");
    let calls = [
        ("EXEC sp_pkeys 'parent'", "key_of_parent"),
        ("EXEC sp_statistics 'parent'", "key_of_parent"),
        ("EXEC sp_special_columns 'parent'", "1 | a"),
        ("EXEC sp_fkeys 'parent'", "key_of_child"),
        ("EXEC sp_fkeys @fktable_name = 'child'", "key_of_child"),
        ("EXEC sp_columns 'parent'", "parent"),
        ("EXEC sp_tables 'parent'", "dbo"),
    ];
    for (call, shown) in calls {
        let said = u.rows(call);
        assert!(!said.contains(shown), "{call}: {said}");
    }
    sa.ok("GRANT SELECT ON parent TO u; GRANT SELECT ON child TO u");
    for (call, shown) in calls {
        let said = u.rows(call);
        assert!(said.contains(shown), "{call}: {said}");
    }
}

/// The user `v` of a default schema `s` that is its own.
fn owner_of_a_schema() -> (World, Client, Client) {
    let (world, mut sa, _u) = two();
    let v = another(&world, 8, "v");
    sa.ok("CREATE SCHEMA s AUTHORIZATION v");
    sa.ok("ALTER USER v WITH DEFAULT_SCHEMA = s");
    (world, sa, v)
}

#[test]
fn a_name_with_an_empty_schema_is_one_of_the_default_schema() {
    let (_world, mut sa, mut v) = owner_of_a_schema();
    sa.ok("CREATE TABLE s.t (a int IDENTITY, b int); INSERT s.t (b) VALUES (1)");
    runs(&mut v, "TRUNCATE TABLE d..t");
    assert_eq!(sa.rows("SELECT COUNT(*) FROM dbo.t; SELECT COUNT(*) FROM s.t"), "1\n0");
    runs(&mut v, "ALTER TABLE d..t ADD c int; EXEC sp_rename 'd..t', 'z'");
    assert_eq!(
        sa.rows("SELECT OBJECT_ID('s.t'), OBJECT_ID('dbo.z'), COL_LENGTH('s.z', 'c')"),
        "NULL | NULL | 4"
    );
    runs(&mut v, "EXEC sp_rename 's.z', 't'; DBCC CHECKIDENT ('d..t', RESEED, 4); DROP TABLE d..t");
    assert_eq!(sa.rows("SELECT COUNT(*) FROM dbo.t; SELECT OBJECT_ID('s.t')"), "1\nNULL");
    refused(&mut v, "TRUNCATE TABLE d..t", &[1088]);
    refused(&mut v, "DROP TABLE d..t", &[3701]);
    assert_eq!(sa.rows("SELECT COUNT(*) FROM dbo.t"), "1");
}

#[test]
fn a_new_object_elsewhere_is_asked_for_in_the_schema_that_it_gets() {
    let (_world, mut sa, mut v) = owner_of_a_schema();
    sa.ok("CREATE DATABASE e; USE e; CREATE USER v FOR LOGIN lv; GRANT CREATE TABLE TO v; USE d");
    sa.ok("EXEC e.sys.sp_executesql N'CREATE SCHEMA s AUTHORIZATION v'");
    refused(&mut v, "CREATE TABLE e..x (a int)", &[2760]);
    refused(&mut v, "SELECT 1 AS a INTO e..x", &[2760]);
    runs(&mut v, "CREATE TABLE e.s.x (a int)");
    assert_eq!(sa.rows("SELECT OBJECT_ID('e.dbo.x')"), "NULL");
}

#[test]
fn a_history_is_asked_for_where_it_is_taken() {
    const PERIOD: &str = "a int PRIMARY KEY, b datetime2 GENERATED ALWAYS AS ROW START NOT NULL, \
         c datetime2 GENERATED ALWAYS AS ROW END NOT NULL, PERIOD FOR SYSTEM_TIME (b, c)";
    const HISTORY: &str = "(a int NOT NULL, b datetime2 NOT NULL, c datetime2 NOT NULL)";
    let (_world, mut sa, mut v) = owner_of_a_schema();
    sa.ok(&format!("CREATE TABLE s.now ({PERIOD}); CREATE TABLE s.old {HISTORY}; CREATE TABLE dbo.old {HISTORY}"));
    sa.ok("CREATE DATABASE e; USE e; CREATE USER v FOR LOGIN lv; ALTER ROLE db_owner ADD MEMBER v");
    sa.ok(&format!("CREATE TABLE e.dbo.old {HISTORY}"));
    let on = |names: &str| format!("ALTER TABLE d.s.now SET (SYSTEM_VERSIONING = ON ({names}))");
    refused(&mut v, &on("HISTORY_TABLE = dbo.old"), &[229]);
    // The name that counts is the one that is asked for.
    refused(&mut v, &on("HISTORY_TABLE = s.old, HISTORY_TABLE = dbo.old"), &[229]);
    // It is one of the table's database.
    sa.ok("USE d");
    refused(&mut v, &format!("USE e; {}", on("HISTORY_TABLE = dbo.old")), &[229]);
    assert_eq!(sa.rows("SELECT temporal_type FROM sys.tables WHERE name = 'now'"), "0");
    runs(&mut v, &format!("USE d; {}", on("HISTORY_TABLE = s.old")));
}

#[test]
fn an_element_of_a_new_schema_goes_nowhere_else() {
    let (_world, mut sa, mut v) = owner_of_a_schema();
    sa.ok("GRANT CREATE SCHEMA TO v; GRANT CREATE TABLE TO v");
    sa.ok("CREATE DATABASE e; USE e; CREATE USER v FOR LOGIN lv; EXEC ('CREATE SCHEMA made')");
    refused(&mut v, "CREATE SCHEMA made CREATE TABLE e..stolen (a int)", &[262, 2759]);
    assert_eq!(
        sa.rows("SELECT OBJECT_ID('e.made.stolen'), OBJECT_ID('e.dbo.stolen')"),
        "NULL | NULL"
    );
    runs(&mut v, "CREATE SCHEMA made CREATE TABLE own (a int)");
}

#[test]
fn types_are_asked_for_as_themselves() {
    let (_world, mut sa, mut v) = owner_of_a_schema();
    sa.ok("CREATE TYPE dbo.y FROM int; CREATE TYPE dbo.z FROM int");
    sa.ok("CREATE TABLE s.y (a int); CREATE TABLE dbo.z (a int); GRANT CONTROL ON dbo.z TO v");
    for name in ["y", "dbo.y", "z", "dbo.z"] {
        refused(&mut v, &format!("DROP TYPE {name}"), &[218]);
        refused(&mut v, &format!("DROP TYPE IF EXISTS {name}"), &[218]);
        refused(&mut v, &format!("EXEC sp_rename '{name}', 'x', 'USERDATATYPE'"), &[15225]);
    }
    assert_eq!(sa.rows("SELECT COUNT(*) FROM sys.types WHERE name IN ('y', 'z')"), "2");
    sa.ok("GRANT CONTROL ON TYPE::dbo.y TO v");
    runs(
        &mut v,
        "EXEC sp_rename 'dbo.y', 'x', 'USERDATATYPE'; DROP TYPE dbo.x; DROP TYPE IF EXISTS dbo.x",
    );
}

#[test]
fn a_part_of_a_table_is_renamed_by_who_may_alter_that() {
    let (_world, mut sa, mut v) = owner_of_a_schema();
    // A schema has the name of a table, so that what is written may be an object of the one or a column of the other.
    sa.ok("CREATE SCHEMA t AUTHORIZATION v");
    refused(&mut v, "EXEC sp_rename 't.a', 'stolen'", &[15225]);
    refused(&mut v, "EXEC sp_rename 't.a', 'stolen', 'COLUMN'", &[15225]);
    assert_eq!(sa.rows("SELECT COL_LENGTH('dbo.t', 'a')"), "4");
    sa.ok("GRANT ALTER ON dbo.t TO v");
    runs(&mut v, "EXEC sp_rename 't.a', 'x'");
}

#[test]
fn what_binds_an_object_to_its_schema_needs_references() {
    let (_world, mut sa, mut u) = two();
    sa.ok("GRANT CREATE VIEW, CREATE FUNCTION TO u; GRANT ALTER ON SCHEMA::dbo TO u");
    sa.ok("GRANT SELECT ON t TO u");
    let view = "CREATE VIEW dbo.w WITH SCHEMABINDING AS SELECT a FROM dbo.t";
    let function = "CREATE FUNCTION dbo.g() RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(a) FROM dbo.t) END";
    let inline =
        "CREATE FUNCTION dbo.h() RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT a FROM dbo.t";
    for sql in [view, function, inline] {
        refused(&mut u, sql, &[229]);
        assert!(
            u.run(sql).contains("The REFERENCES permission was denied on the object 't'"),
            "{sql}"
        );
        runs(&mut u, &sql.replace("WITH SCHEMABINDING ", ""));
        refused(&mut u, &sql.replace("CREATE", "ALTER"), &[229]);
    }
    sa.ok("DROP VIEW w; DROP FUNCTION g; DROP FUNCTION h; GRANT REFERENCES (a) ON t TO u");
    for sql in [view, function, inline] {
        runs(&mut u, sql);
    }
}

#[test]
fn a_trigger_of_a_default_schema_is_on_its_own_table() {
    let (_world, mut sa, mut v) = owner_of_a_schema();
    sa.ok("CREATE TABLE s.t (x int, y int, z int)");
    runs(
        &mut v,
        "CREATE TRIGGER tr ON t AFTER INSERT AS UPDATE s.t SET y = (SELECT MAX(z) FROM inserted)",
    );
    runs(&mut v, "INSERT t VALUES (1, 2, 3)");
    assert_eq!(sa.rows("SELECT y FROM s.t"), "3");
}
