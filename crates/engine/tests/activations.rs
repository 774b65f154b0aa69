//! Whatever a module has set or made ends with it: by each way in, and however it ends.

use crate::support;

use std::time::Duration;
use support::{Client, Heard, World, numbers};
use taffrail_engine::{RpcCall, RpcParam, RpcProcedure};
use taffrail_types::{SqlType, Value};

/// Options, tables, a cursor, identity values: what a module may leave behind.
const BODY: &str = "SET NOCOUNT ON SET DATEFIRST 3 SET LOCK_TIMEOUT 55 SET DATEFORMAT ymd SET ANSI_WARNINGS OFF SET ARITHABORT ON
    SET CONCAT_NULL_YIELDS_NULL OFF SET TEXTSIZE 100 SET ROWCOUNT 7 SET DEADLOCK_PRIORITY LOW
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE SET LANGUAGE Deutsch
    SET IDENTITY_INSERT other ON
    CREATE TABLE #inner (id int IDENTITY (900, 1), a int) INSERT #inner (a) VALUES (1)
    DECLARE @v TABLE (a int) INSERT @v VALUES (1)
    DECLARE c CURSOR LOCAL FOR SELECT a FROM #inner OPEN c
    SET ANSI_WARNINGS ON ";

/// The ends of a module, and the errors that are heard of where nobody catches them.
const ENDS: [(&str, &str, &[u32]); 8] = [
    ("at its end", "", &[]),
    ("by RETURN", "RETURN", &[]),
    ("by RETURN out of TRY", "BEGIN TRY RETURN END TRY BEGIN CATCH END CATCH", &[]),
    ("with an error that goes on", "DECLARE @x int = 1 / 0", &[8134]),
    (
        "with an error in its TRY",
        "BEGIN TRY DECLARE @x int = 1 / 0 END TRY BEGIN CATCH SET @x = ERROR_NUMBER() END CATCH",
        &[],
    ),
    (
        "by THROW out of CATCH",
        "BEGIN TRY DECLARE @x int = 1 / 0 END TRY BEGIN CATCH; THROW END CATCH",
        &[8134],
    ),
    ("by a conversion that ends the batch", "DECLARE @x int = 'x'", &[245]),
    ("under XACT_ABORT", "SET XACT_ABORT ON DECLARE @x int = 1 / 0", &[8134]),
];

/// What is left of it, seen from the caller.
const STATE: &str = "SELECT @@DATEFIRST, @@LOCK_TIMEOUT, @@OPTIONS, @@TEXTSIZE, @@LANGUAGE, @@NESTLEVEL, @@PROCID, @@TRANCOUNT,
    SCOPE_IDENTITY(), OBJECT_ID('tempdb..#inner'), (SELECT COUNT(*) FROM #outer), CURSOR_STATUS('local', 'c'), ERROR_NUMBER(),
    (SELECT CONCAT(date_format, ' ', transaction_isolation_level, ' ', deadlock_priority, ' ', concat_null_yields_null)
     FROM sys.dm_exec_sessions WHERE session_id = @@SPID)";

fn prepared(w: &World) -> Client {
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d");
    c.ok("CREATE TABLE own (id int IDENTITY (500, 1), a int)");
    c.ok("CREATE TABLE other (id int IDENTITY, a int)");
    c.ok("CREATE TABLE taken (a int)");
    for (n, (_, end, _)) in ENDS.iter().enumerate() {
        c.ok(&format!("CREATE PROCEDURE p{n} AS {BODY} {end}"));
    }
    c
}

/// Runs what enters a module, by its name and the text of it; gives everything that is heard.
type Entered = fn(&mut Client, &str, &str) -> String;

fn quoted(text: &str) -> String {
    text.replace('\'', "''")
}

fn by_rpc(c: &mut Client, procedure: RpcProcedure, values: Vec<(Value, SqlType, bool)>) -> String {
    let params = values.into_iter().map(|(value, ty, by_ref)| RpcParam {
        name: String::new(),
        value,
        ty,
        by_ref,
        default: false,
        table: None,
    });
    let params = params.collect();
    let mut heard = Heard::default();
    c.connection.execute_rpc(RpcCall { procedure, params }, &mut heard);
    heard.text()
}

fn text(sql: &str) -> (Value, SqlType, bool) {
    (Value::nvarchar(sql), SqlType::nvarchar(4000), false)
}

const WAYS: [(&str, Entered); 9] = [
    ("EXEC", |c, p, _| c.run(&format!("EXEC {p}"))),
    ("EXEC of a text", |c, _, t| c.run(&format!("EXEC ('{}')", quoted(t)))),
    ("sp_executesql", |c, _, t| c.run(&format!("EXEC sp_executesql N'{}'", quoted(t)))),
    ("sp_prepexec", |c, _, t| {
        c.run(&format!("DECLARE @h int EXEC sp_prepexec @h OUTPUT, N'', N'{}'", quoted(t)))
    }),
    ("INSERT EXEC", |c, p, _| c.run(&format!("INSERT taken EXEC {p}"))),
    ("INSERT EXEC of a text", |c, _, t| c.run(&format!("INSERT taken EXEC ('{}')", quoted(t)))),
    ("a remote call", |c, p, _| by_rpc(c, RpcProcedure::Name(p.into()), Vec::new())),
    ("a remote call of sp_executesql", |c, _, t| by_rpc(c, RpcProcedure::Id(10), vec![text(t)])),
    ("a remote call of sp_prepexec", |c, _, t| {
        let handle = (Value::Int(0), SqlType::Int, true);
        by_rpc(c, RpcProcedure::Id(13), vec![handle, text(""), text(t)])
    }),
];

fn fresh(w: &World) -> Client {
    let mut c = w.connect_to("d");
    c.ok("SET LOCK_TIMEOUT 77 CREATE TABLE #outer (a int) INSERT #outer VALUES (1)");
    c.ok("INSERT own VALUES (1)");
    c
}

/// The state of a session in which nothing was entered.
fn state(c: &mut Client) -> String {
    // IDENTITY_INSERT has ended, too: 544.
    let refused = numbers(&c.rows("INSERT other (id, a) VALUES (1, 1)"));
    assert_eq!(refused, [544]);
    c.rows(STATE)
}

#[test]
fn nothing_outlasts_a_module_however_it_ends() {
    let w = World::new();
    prepared(&w);
    let clean = state(&mut fresh(&w));
    assert!(clean.starts_with("7 | 77 | "), "{clean}");
    for (way, enter) in WAYS {
        for (n, (end, body, errors)) in ENDS.iter().enumerate() {
            let mut c = fresh(&w);
            let clean = state(&mut c);
            let said = enter(&mut c, &format!("p{n}"), &format!("{BODY} {body}"));
            let told: Vec<u32> = numbers(&said)
                .into_iter()
                .filter(|n| ![5703, 5701, 266, 3621].contains(n))
                .collect();
            assert_eq!(told, *errors, "{way}, {end}: {said}");
            assert_eq!(state(&mut c), clean, "{way}, {end}: {said}");
        }
    }
}

#[test]
fn nothing_outlasts_a_module_whose_error_the_caller_catches() {
    let w = World::new();
    prepared(&w);
    for (n, (end, body, _)) in ENDS.iter().enumerate() {
        let text = quoted(&format!("{BODY} {body}"));
        for call in [
            format!("EXEC p{n}"),
            format!("EXEC ('{text}')"),
            format!("EXEC sp_executesql N'{text}'"),
            format!("INSERT taken EXEC p{n}"),
        ] {
            let mut c = fresh(&w);
            let clean = state(&mut c);
            // CATCH already runs in the caller's activation.
            let said = c.rows(&format!(
                "BEGIN TRY {call} END TRY BEGIN CATCH
                 IF @@NESTLEVEL <> 0 OR @@LOCK_TIMEOUT <> 77 OR SCOPE_IDENTITY() <> IDENT_CURRENT('own') PRINT 'inside' END CATCH"
            ));
            assert!(!said.contains("inside"), "{call}, {end}: {said}");
            assert_eq!(
                numbers(&said).iter().filter(|n| **n != 5703).count(),
                0,
                "{call}, {end}: {said}"
            );
            assert_eq!(state(&mut c), clean, "{call}, {end}: {said}");
        }
    }
}

#[test]
fn nothing_outlasts_a_module_that_is_called_off() {
    let w = World::new();
    let mut first = prepared(&w);
    first.ok(&format!("CREATE PROCEDURE waits AS {BODY} BEGIN TRY WAITFOR DELAY '0:05:00' END TRY BEGIN CATCH END CATCH"));
    let wait = format!("{BODY} BEGIN TRY WAITFOR DELAY '0:05:00' END TRY BEGIN CATCH END CATCH");
    for (way, enter) in WAYS {
        let mut c = fresh(&w);
        let clean = state(&mut c);
        let cancel = c.connection.cancel_handle();
        let spid = c.connection.session_id().0;
        std::thread::scope(|scope| {
            let mut other = w.connect();
            scope.spawn(move || {
                let waits = format!("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id = {spid} AND command = 'WAITFOR'");
                while other.rows(&waits) != "1" {
                    std::thread::sleep(Duration::from_millis(2));
                }
                cancel.cancel();
            });
            enter(&mut c, "waits", &wait);
        });
        assert!(c.connection.was_cancelled(), "{way}");
        assert_eq!(state(&mut c), clean, "{way}");
    }
}

#[test]
fn a_table_whose_module_has_ended_does_not_come_back() {
    let w = World::new();
    let mut c = prepared(&w);
    c.ok("CREATE PROCEDURE begins AS CREATE TABLE #inner (a int) BEGIN TRAN INSERT #inner VALUES (1)");
    // Its end drops the table in the transaction; the rollback undoes the drop, and nobody is left who could name the table.
    c.rows("EXEC begins");
    assert_eq!(c.rows("SELECT @@TRANCOUNT, OBJECT_ID('tempdb..#inner')"), "1 | NULL");
    c.ok("ROLLBACK");
    assert_eq!(c.rows("SELECT @@TRANCOUNT, OBJECT_ID('tempdb..#inner')"), "0 | NULL");
    let left = "SELECT COUNT(*) FROM tempdb.sys.tables WHERE name LIKE '#inner%'";
    c.ok("EXEC ('PRINT 1')");
    assert_eq!(c.rows(left), "0");
    // In a doomed transaction the end of a module drops nothing.
    c.ok("CREATE PROCEDURE dooms AS CREATE TABLE #inner (a int) BEGIN TRAN BEGIN TRY DECLARE @x int = 'x' END TRY BEGIN CATCH END CATCH");
    let said = c.rows("EXEC dooms SELECT XACT_STATE(), OBJECT_ID('tempdb..#inner')");
    assert!(said.contains("-1 | NULL"), "{said}");
    c.ok("EXEC ('PRINT 1')");
    assert_eq!(c.rows(left), "0");
}
