//! Tables that clients pass to remote calls.

use crate::support;

use support::{Client, Heard, World};
use taffrail_engine::{RpcCall, RpcParam, RpcProcedure, RpcTable};
use taffrail_types::{MaxLen, SqlType, Value};

const NAMED: SqlType = SqlType::NVarChar(MaxLen::Max);

fn param(name: &str, ty: SqlType, value: Value) -> RpcParam {
    RpcParam { name: name.into(), by_ref: false, default: false, ty, value, table: None }
}

fn text(v: &str) -> RpcParam {
    param("", SqlType::NVarChar(MaxLen::N(4000)), Value::nvarchar(v))
}

fn table(columns: Option<Vec<Option<SqlType>>>, order: &[u16], rows: Vec<Vec<Value>>) -> RpcParam {
    let order = order.to_vec();
    let handed = RpcTable { schema: "dbo".into(), name: "pairs".into(), columns, order, rows };
    RpcParam { table: Some(Box::new(handed)), ..param("@p", SqlType::Int, Value::Null) }
}

/// Rows of an id and a name.
fn pairs(rows: &[(i32, &str)]) -> RpcParam {
    let row = |(id, name): &(i32, &str)| vec![Value::Int(*id), Value::nvarchar(name)];
    table(Some(vec![Some(SqlType::Int), Some(NAMED), None]), &[], rows.iter().map(row).collect())
}

fn call(c: &mut Client, procedure: RpcProcedure, params: Vec<RpcParam>) -> String {
    let mut heard = Heard::default();
    c.connection.execute_rpc(RpcCall { procedure, params }, &mut heard);
    heard.text()
}

fn show(c: &mut Client, p: RpcParam) -> String {
    call(c, RpcProcedure::Name("dbo.show".into()), vec![p])
}

fn prepared(w: &World) -> Client {
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d");
    c.ok("CREATE TYPE dbo.pairs AS TABLE (id int PRIMARY KEY CHECK (id > 0), name nvarchar(5) NOT NULL, n bigint DEFAULT (7))");
    c.ok("CREATE TYPE dbo.counted AS TABLE (id int IDENTITY (3, 2), v int)");
    c.ok(
        "CREATE PROCEDURE dbo.show @p dbo.pairs READONLY AS SELECT id, name, n FROM @p ORDER BY id",
    );
    c
}

#[test]
fn rows_come_as_they_were_passed() {
    let w = World::new();
    let mut c = prepared(&w);
    let got = show(&mut c, pairs(&[(2, "two"), (1, "one")]));
    assert!(got.contains("1 | one | 7") && got.contains("2 | two | 7"), "{got}");
    // By the order that the client says: the first column here is the second of the type.
    let columns = Some(vec![Some(NAMED), Some(SqlType::Int), Some(SqlType::BigInt)]);
    let rows = vec![vec![Value::nvarchar("x"), Value::Int(5), Value::BigInt(9)]];
    let got = show(&mut c, table(columns, &[2, 1, 3], rows));
    assert!(got.contains("5 | x | 9"), "{got}");
    // Nothing stays behind.
    assert_eq!(c.rows("SELECT COUNT(*) FROM tempdb.sys.tables"), "0");
}

#[test]
fn no_table_is_an_empty_one() {
    let w = World::new();
    let mut c = prepared(&w);
    c.ok("CREATE PROCEDURE dbo.size @p dbo.pairs READONLY AS SELECT COUNT(*) AS n FROM @p");
    let none = table(None, &[], Vec::new());
    let default = RpcParam { default: true, ..none.clone() };
    for p in [vec![none], vec![default], Vec::new(), vec![pairs(&[])]] {
        let got = call(&mut c, RpcProcedure::Name("dbo.size".into()), p);
        assert!(got.contains('0') && !got.contains("Msg"), "{got}");
    }
}

/// As .NET does for procedures.
#[test]
fn a_procedure_tells_the_type_that_a_client_does_not_name() {
    let w = World::new();
    let mut c = prepared(&w);
    let unnamed = |name: &str| {
        let mut p = RpcParam { name: name.into(), ..pairs(&[(2, "two")]) };
        let handed = p.table.as_mut().unwrap();
        (handed.schema, handed.name) = (String::new(), String::new());
        p
    };
    for name in ["@P", ""] {
        let got = show(&mut c, unnamed(name));
        assert!(got.contains("2 | two | 7"), "{got}");
    }
    assert!(show(&mut c, unnamed("@q")).contains("Msg 2715"));
    let sql = vec![text("SELECT 1"), text("@p dbo.pairs READONLY"), unnamed("@p")];
    assert!(call(&mut c, RpcProcedure::Id(10), sql).contains("Msg 2715"));
    let nobody = RpcProcedure::Name("dbo.nobody".into());
    assert!(call(&mut c, nobody, vec![unnamed("@p")]).contains("Msg 2812"));
}

/// The procedure's database is the one whose types count.
#[test]
fn a_procedure_of_another_database_tells_its_own_type() {
    let w = World::new();
    let mut c = prepared(&w);
    c.ok("USE master");
    let mut p = pairs(&[(2, "two")]);
    let handed = p.table.as_mut().unwrap();
    (handed.schema, handed.name) = (String::new(), String::new());
    let got = call(&mut c, RpcProcedure::Name("d.dbo.show".into()), vec![p]);
    assert!(got.contains("2 | two | 7"), "{got}");
}

#[test]
fn a_call_that_fails_in_its_middle_leaves_no_table() {
    let w = World::new();
    let mut c = prepared(&w);
    c.ok("CREATE TABLE dbo.t (id int)");
    let fails = [
        "INSERT dbo.t SELECT id FROM @p; THROW 50000, 'stop', 1; SELECT 'on'",
        "SET XACT_ABORT ON; BEGIN TRAN; INSERT dbo.t SELECT id FROM @p; SELECT 1 / 0",
        "SET XACT_ABORT ON; BEGIN TRAN; BEGIN TRY INSERT dbo.t SELECT id / 0 FROM @p END TRY BEGIN CATCH SELECT COUNT(*) FROM @p END CATCH",
        "BEGIN TRAN; ROLLBACK; SELECT 1 FROM dbo.nothing",
        "DECLARE @q dbo.pairs; INSERT @q SELECT * FROM @p; EXEC dbo.no @q",
    ];
    for (n, body) in fails.iter().enumerate() {
        c.ok(&format!("CREATE PROCEDURE dbo.fails{n} @p dbo.pairs READONLY AS {body}"));
        let name = RpcProcedure::Name(format!("dbo.fails{n}"));
        let got = call(&mut c, name, vec![pairs(&[(1, "a"), (2, "b")])]);
        assert!(got.contains("Msg"), "{got}");
        c.run("IF @@TRANCOUNT > 0 ROLLBACK");
        assert_eq!(c.rows("SELECT COUNT(*) FROM tempdb.sys.tables"), "0", "{body}");
    }
    // The second table cannot be filled: the first goes with it.
    c.ok("CREATE PROCEDURE dbo.both @p dbo.pairs READONLY, @q dbo.pairs READONLY AS SELECT 1");
    let second = RpcParam { name: "@q".into(), ..pairs(&[(1, "a"), (1, "b")]) };
    let name = RpcProcedure::Name("dbo.both".into());
    let got = call(&mut c, name, vec![pairs(&[(1, "a")]), second]);
    assert!(got.contains("Msg 2627"), "{got}");
    assert_eq!(c.rows("SELECT COUNT(*) FROM tempdb.sys.tables"), "0");
}

#[test]
fn texts_take_tables_too() {
    let w = World::new();
    let mut c = prepared(&w);
    let statement = || text("SELECT SUM(id) AS s FROM @p");
    let declared = || text("@p dbo.pairs READONLY");
    let p = || pairs(&[(2, "a"), (40, "b")]);
    let got = call(&mut c, RpcProcedure::Id(10), vec![statement(), declared(), p()]);
    assert!(got.contains("42"), "{got}");
    let handle = RpcParam { by_ref: true, ..param("", SqlType::Int, Value::Null) };
    let got = call(&mut c, RpcProcedure::Id(13), vec![handle, declared(), statement(), p()]);
    assert!(got.contains("42"), "{got}");
    let got = call(
        &mut c,
        RpcProcedure::Id(12),
        vec![param("", SqlType::Int, Value::Int(1)), pairs(&[(5, "c")])],
    );
    assert!(got.contains('5'), "{got}");
}

#[test]
fn rows_are_held_against_the_type() {
    let w = World::new();
    let mut c = prepared(&w);
    let two = || Some(vec![Some(SqlType::Int), Some(NAMED), None]);
    for (p, number) in [
        (pairs(&[(1, "a"), (1, "b")]), 2627),
        (pairs(&[(0, "a")]), 547),
        (table(two(), &[], vec![vec![Value::Int(1), Value::Null]]), 515),
        (pairs(&[(1, "too long")]), 2628),
        (table(Some(vec![Some(SqlType::Int)]), &[], Vec::new()), 500),
        (table(two(), &[1, 2, 9], Vec::new()), 500),
        (table(two(), &[1, 1, 3], vec![vec![Value::Int(1), Value::nvarchar("a")]]), 264),
    ] {
        let got = show(&mut c, p);
        assert!(got.contains(&format!("Msg {number}")), "{number}: {got}");
    }
    let mut unknown = pairs(&[]);
    unknown.table.as_mut().unwrap().name = "nothing".into();
    let got = show(&mut c, unknown);
    assert!(got.contains("Msg 2715"), "{got}");
    assert_eq!(c.rows("SELECT COUNT(*) FROM tempdb.sys.tables"), "0");
}

#[test]
fn identity_values_are_the_servers() {
    let w = World::new();
    let mut c = prepared(&w);
    c.ok("CREATE PROCEDURE dbo.counts @p dbo.counted READONLY AS SELECT id, v FROM @p ORDER BY id");
    let counted = |first: Option<SqlType>, rows| {
        let mut p = table(Some(vec![first, Some(SqlType::Int)]), &[], rows);
        p.table.as_mut().unwrap().name = "counted".into();
        p
    };
    let mut run = |p| call(&mut c, RpcProcedure::Name("dbo.counts".into()), vec![p]);
    let got = run(counted(None, vec![vec![Value::Int(10)], vec![Value::Int(11)]]));
    assert!(got.contains("3 | 10") && got.contains("5 | 11"), "{got}");
    let given = vec![vec![Value::Int(1), Value::Int(10)]];
    assert!(run(counted(Some(SqlType::Int), given)).contains("Msg 1077"));
}

#[test]
fn the_type_has_to_be_that_of_the_parameter() {
    let w = World::new();
    let mut c = prepared(&w);
    c.ok("CREATE TYPE dbo.others AS TABLE (id int)");
    let mut p = table(Some(vec![Some(SqlType::Int)]), &[], vec![vec![Value::Int(1)]]);
    p.table.as_mut().unwrap().name = "others".into();
    assert!(show(&mut c, p).contains("Msg 206"));
    let scalar = param("@p", SqlType::Int, Value::Int(1));
    assert!(show(&mut c, scalar).contains("Msg 206"));
    c.ok("CREATE PROCEDURE dbo.plain @p int AS SELECT @p AS p");
    let got = call(&mut c, RpcProcedure::Name("dbo.plain".into()), vec![pairs(&[(1, "a")])]);
    assert!(got.contains("Msg 206"), "{got}");
}

#[test]
fn an_open_transaction_keeps_its_own() {
    let w = World::new();
    let mut c = prepared(&w);
    c.ok("CREATE TABLE dbo.t (id int)");
    c.ok("CREATE PROCEDURE dbo.put @p dbo.pairs READONLY AS INSERT dbo.t SELECT id FROM @p");
    c.ok("BEGIN TRAN");
    for n in [1, 2] {
        let got = call(&mut c, RpcProcedure::Name("dbo.put".into()), vec![pairs(&[(n, "a")])]);
        assert!(!got.contains("Msg"), "{got}");
    }
    c.ok("ROLLBACK");
    let got = call(&mut c, RpcProcedure::Name("dbo.put".into()), vec![pairs(&[(9, "a")])]);
    assert!(!got.contains("Msg"), "{got}");
    assert_eq!(c.rows("SELECT id FROM dbo.t"), "9");
}

#[test]
fn types_outlive_the_server_and_go_with_a_backup() {
    let w = World::new();
    let mut c = prepared(&w);
    c.ok("CREATE TYPE dbo.name FROM varchar(9) NOT NULL");
    c.ok("CREATE TABLE dbo.t (a dbo.name)");
    c.ok("BACKUP DATABASE d TO DISK = 'd.bak'");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    c.ok("USE d");
    assert!(show(&mut c, pairs(&[(1, "a")])).contains("1 | a | 7"));
    c.ok("USE master");
    c.ok("DROP DATABASE d");
    c.ok("RESTORE DATABASE d FROM DISK = 'd.bak'");
    c.ok("USE d");
    assert!(show(&mut c, pairs(&[(3, "b")])).contains("3 | b | 7"));
    assert!(c.run("INSERT dbo.t VALUES (NULL)").contains("515"));
    c.ok("CREATE TYPE dbo.later FROM int");
    assert_eq!(
        c.rows("SELECT COUNT(DISTINCT user_type_id) FROM sys.types WHERE is_user_defined = 1"),
        "4"
    );
}
