//! A function that enters procedures, as deep as they nest.

use smallvec::smallvec;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_engine::{
    ColumnDesc, ConnectOptions, Connection, Instance, InstanceOptions, ResultSink, SinkResult,
};
use taffrail_exec::exec::activation::MAX_NEST_LEVEL;
use taffrail_exec::exec::invoked::{NAME, take_places};
use taffrail_functions::{Code, Determinism, Function, Rule, Signature, register_for_test};
use taffrail_io::Env;
use taffrail_types::{SqlType, Value, text};

/// A session's stack in a debug build, as the server has it.
const STACK_BYTES: usize = 8 << 20;
const ACCEPTOR: &str = include_str!("../../server/src/acceptor.rs");

fn rule(_: &Rule<'_>) -> SqlResult<Signature> {
    Ok(Signature { params: smallvec![SqlType::nvarchar(128), SqlType::Int], result: SqlType::Int })
}

fn function() -> Function {
    Function {
        name: NAME,
        args: (2, 2),
        datepart: false,
        determinism: Determinism::PerCall,
        rule,
        code: Code::Own(|_, _| Err(unsupported("A function without a session to run in"))),
    }
}

/// What a client hears: rows, and messages by number, procedure and text.
#[derive(Default)]
struct Heard {
    lines: Vec<String>,
    types: Vec<SqlType>,
}

impl ResultSink for Heard {
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult {
        self.types = columns.iter().map(|c| c.ty).collect();
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> SinkResult {
        let cells = values.iter().zip(&self.types).map(|(v, t)| text::display(v, *t));
        self.lines.push(cells.collect::<Vec<_>>().join(" | "));
        Ok(())
    }

    fn message(&mut self, m: &SqlError) -> SinkResult {
        // Of the ways from database to database nobody asks here.
        if m.number != 5701 {
            let by = m.procedure.as_deref().unwrap_or("-");
            self.lines.push(format!("{} by {by}: {}", m.number, m.message));
        }
        Ok(())
    }
}

struct World {
    instance: Arc<Instance>,
    dir: PathBuf,
}

impl World {
    fn new(name: &str) -> World {
        register_for_test(function());
        let dir = std::env::temp_dir().join(format!("taffrail-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a temporary directory");
        let options = InstanceOptions::new(&dir, Env::os());
        World { instance: taffrail_engine::start(options).expect("the instance starts"), dir }
    }

    fn connect(&self) -> Connection {
        let options = ConnectOptions { login: "sa".into(), ..ConnectOptions::default() };
        self.instance.connect(options).expect("a session")
    }

    /// Runs `f` with a session on a thread whose stack is as large as a session's.
    fn on_a_session(&self, f: impl FnOnce(&mut Connection) + Send) {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let run = || {
                let mut session = self.connect();
                heard(&mut session, "CREATE DATABASE d");
                heard(&mut session, "USE d");
                heard(&mut session, "CREATE TABLE one (a int) INSERT one VALUES (1)");
                heard(
                    &mut session,
                    "CREATE TABLE three (a int PRIMARY KEY) INSERT three VALUES (1), (2), (3)",
                );
                f(&mut session);
            };
            thread.spawn_scoped(scope, run).expect("a thread").join().expect("its end");
        });
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.instance.shutdown();
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// Runs a batch; its rows and messages.
fn heard(session: &mut Connection, sql: &str) -> Vec<String> {
    let mut heard = Heard::default();
    session.execute_batch(sql, &mut heard);
    heard.lines
}

/// Calls itself from a scan, one level deeper each time, and then writes down what it finds in its own activation.
const NESTED: &str = "CREATE PROCEDURE nested @n int, @out int OUTPUT AS
    DECLARE @own int = @n * 10, @below int = 0, @t int = 1000 + @n, @caught int, @by sysname
    DECLARE @v TABLE (a int)
    CREATE TABLE #t (id int IDENTITY, a int)
    SET LOCK_TIMEOUT @t
    INSERT @v VALUES (@n), (@n)
    DBCC CHECKIDENT (#t, RESEED, @n) WITH NO_INFOMSGS
    INSERT #t (a) VALUES (@own)
    IF @n < 32 SELECT @below = ENTERS_A_PROCEDURE(N'nested', @n + 1) FROM one WHERE a = 1
    BEGIN TRY SET @caught = 1 / (@n - @n) END TRY
    BEGIN CATCH SELECT @caught = ERROR_NUMBER(), @by = ERROR_PROCEDURE() END CATCH
    INSERT seen SELECT @n, @@NESTLEVEL, OBJECT_NAME(@@PROCID), SCOPE_IDENTITY(), @@LOCK_TIMEOUT, @own, @below,
        (SELECT SUM(a) FROM @v), (SELECT MAX(a) FROM #t), (SELECT COUNT(*) FROM #t), @caught, @by
    SET @out = @n + @below";

fn make(session: &mut Connection) {
    let made = heard(
        session,
        "CREATE TABLE seen (n int, level int, proc_name sysname, scope_identity int, timeout int, own int, below int, \
         table_variable int, temp_table int, temp_rows int, caught int, caught_by sysname)",
    );
    assert_eq!(made, [""; 0]);
    let nested = NESTED.replace("    DBCC CHECKIDENT (#t, RESEED, @n) WITH NO_INFOMSGS\n", "");
    assert_eq!(heard(session, &nested), [""; 0]);
}

/// The sum of `n` and all that is below it, down to level 32.
fn below(n: u32) -> u32 {
    (n..=MAX_NEST_LEVEL).sum()
}

#[test]
fn a_function_in_a_scan_enters_procedures_32_levels_deep() {
    assert!(ACCEPTOR.contains("if cfg!(debug_assertions) { 8 << 20 }"), "STACK_BYTES is another");
    World::new("nested").on_a_session(|s| {
        make(s);
        heard(s, "CREATE TABLE #t (a int) INSERT #t VALUES (-1) SET LOCK_TIMEOUT 77");
        heard(s, "CREATE TABLE own (id int IDENTITY (500, 1), a int)");
        // The scan of the outer statement goes on after each call, in the session's own activation.
        let said = heard(
            s,
            "INSERT own VALUES (1) DECLARE @v int = 5
             SELECT a, ENTERS_A_PROCEDURE(N'nested', 32 - a + a), @v + a, @@NESTLEVEL, @@LOCK_TIMEOUT, SCOPE_IDENTITY() FROM three
             SELECT @@ROWCOUNT, @@ERROR, (SELECT MAX(a) FROM #t), @@PROCID, SCOPE_IDENTITY()",
        );
        let row = |a: u32| format!("{a} | 32 | {} | 0 | 77 | 500", a + 5);
        assert_eq!(said, [row(1), row(2), row(3), "3 | 0 | -1 | 0 | 500".into()]);
        let levels = "SELECT COUNT(*), MIN(level), MAX(level) FROM seen";
        assert_eq!(heard(s, levels), ["3 | 1 | 1"]);
        heard(s, "TRUNCATE TABLE seen");
        let said = heard(s, "SELECT ENTERS_A_PROCEDURE(N'nested', 1) FROM one");
        assert_eq!(said, [below(1).to_string()]);
        let seen = heard(s, "SELECT * FROM seen ORDER BY n");
        let of = |n: u32| {
            let below = if n < MAX_NEST_LEVEL { below(n + 1) } else { 0 };
            let (timeout, own) = (1000 + n, 10 * n);
            format!(
                "{n} | {n} | nested | 1 | {timeout} | {own} | {below} | {} | {own} | 1 | 8134 | nested",
                2 * n
            )
        };
        assert_eq!(seen, (1..=MAX_NEST_LEVEL).map(of).collect::<Vec<_>>());
        assert_eq!(heard(s, "SELECT @@LOCK_TIMEOUT, MAX(a) FROM #t"), ["77 | -1"]);
        let places = take_places();
        let places = &places[places.len() - MAX_NEST_LEVEL as usize..];
        let a_level = (places[0] - places[places.len() - 1]) / (places.len() - 1);
        println!("a level of procedures that an expression calls takes {a_level} bytes of stack");
        let most = STACK_BYTES / 2 / MAX_NEST_LEVEL as usize;
        assert!(a_level < most, "a level takes {a_level} bytes of stack, more than {most}");
    });
}

#[test]
fn the_33rd_level_is_217_and_ends_the_statement_that_has_called() {
    World::new("too-deep").on_a_session(|s| {
        heard(
            s,
            "CREATE PROCEDURE deeper @n int, @out int OUTPUT AS
             SELECT @out = ENTERS_A_PROCEDURE(N'deeper', @n + 1) FROM one",
        );
        let said =
            heard(s, "SELECT ENTERS_A_PROCEDURE(N'deeper', 1) FROM three SELECT @@NESTLEVEL");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("217 by "), "{said:?}");
        assert_eq!(heard(s, "SELECT @@NESTLEVEL, @@PROCID, @@TRANCOUNT"), ["0 | 0 | 0"]);
    });
}

#[test]
fn an_error_inside_ends_the_outer_statement_and_leaves_nothing() {
    World::new("fails").on_a_session(|s| {
        heard(s, "CREATE TABLE kept (a int)");
        heard(
            s,
            "CREATE PROCEDURE fails @n int, @out int OUTPUT AS
             SET LOCK_TIMEOUT 5
             CREATE TABLE #inner (a int)
             INSERT kept VALUES (@n)
             SET @out = 1 / (2 - @n)
             SET @out = 100 / @n",
        );
        let state = "SELECT @@LOCK_TIMEOUT, OBJECT_ID('tempdb..#inner'), @@NESTLEVEL, @@TRANCOUNT, COUNT(*) FROM kept";
        // The statement's changes inside go with it; those of the transaction around it stay.
        let said = heard(s, "SELECT a, ENTERS_A_PROCEDURE(N'fails', a) FROM three");
        assert_eq!(said.len(), 2, "{said:?}");
        assert_eq!(said[0], "1 | 100");
        assert!(said[1].starts_with("8134 by "), "{said:?}");
        assert_eq!(heard(s, state), ["-1 | NULL | 0 | 0 | 0"]);
        let said = heard(
            s,
            "BEGIN TRAN INSERT kept VALUES (9)
             BEGIN TRY UPDATE three SET a = a + 0 * ENTERS_A_PROCEDURE(N'fails', a) END TRY
             BEGIN CATCH SELECT ERROR_NUMBER(), ERROR_PROCEDURE(), XACT_STATE() END CATCH
             SELECT COUNT(*) FROM kept
             COMMIT",
        );
        assert_eq!(said, ["8134 | fails | 1", "1"]);
        assert_eq!(heard(s, state), ["-1 | NULL | 0 | 0 | 1"]);
        // XACT_ABORT is the caller's, and ends the batch of the outer statement.
        let said = heard(s, "SET XACT_ABORT ON BEGIN TRAN SELECT ENTERS_A_PROCEDURE(N'fails', 2)");
        assert!(said.len() == 1 && said[0].starts_with("8134 by "), "{said:?}");
        assert_eq!(heard(s, state), ["-1 | NULL | 0 | 0 | 1"]);
    });
}

#[test]
fn an_insert_exec_inside_is_part_of_the_outer_statement() {
    World::new("insert-exec").on_a_session(|s| {
        heard(s, "CREATE TABLE kept (a int PRIMARY KEY)");
        heard(s, "CREATE PROCEDURE rows @n int AS INSERT kept VALUES (100 + @n) SELECT @n");
        heard(
            s,
            "CREATE PROCEDURE takes @n int, @out int OUTPUT AS
             DECLARE @t int = @@TRANCOUNT
             BEGIN TRY INSERT kept EXEC rows @n END TRY BEGIN CATCH SET @t = ERROR_NUMBER() END CATCH
             SELECT @out = @t + COUNT(*) FROM kept",
        );
        // The second call's rows are there already: its INSERT … EXEC is undone, with what it runs, and the outer statement goes on.
        let said = heard(s, "INSERT kept VALUES (2) SELECT a, ENTERS_A_PROCEDURE(N'takes', a) FROM three");
        assert_eq!(said, ["1 | 3", "2 | 2630", "3 | 5"]);
        assert_eq!(heard(s, "SELECT COUNT(*), @@TRANCOUNT FROM kept"), ["5 | 0"]);
        let said = heard(s, "DELETE kept SELECT ENTERS_A_PROCEDURE(N'takes', a), 1 / (2 - a) FROM three");
        assert_eq!(said[0], "2 | 1");
        assert!(said[1].starts_with("8134 by "), "{said:?}");
        assert_eq!(heard(s, "SELECT COUNT(*), @@TRANCOUNT FROM kept"), ["0 | 0"]);
    });
}

#[test]
fn an_attention_inside_ends_all_levels() {
    let world = World::new("called-off");
    world.on_a_session(|s| {
        heard(
            s,
            "CREATE PROCEDURE waits @n int, @out int OUTPUT AS
             SET LOCK_TIMEOUT 5
             CREATE TABLE #inner (a int)
             IF @n < 5 SELECT @out = ENTERS_A_PROCEDURE(N'waits', @n + 1) FROM one
             ELSE WAITFOR DELAY '0:05:00'",
        );
        let cancel = s.cancel_handle();
        let waits = || {
            world
                .instance
                .sessions()
                .iter()
                .any(|s| s.cell.command() == taffrail_observe::session::Command::Waitfor)
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !waits() {
                    std::thread::sleep(Duration::from_millis(2));
                }
                cancel.cancel();
            });
            assert_eq!(heard(s, "SELECT ENTERS_A_PROCEDURE(N'waits', 1) FROM three"), [""; 0]);
        });
        assert!(s.was_cancelled());
        let state = "SELECT @@LOCK_TIMEOUT, OBJECT_ID('tempdb..#inner'), @@NESTLEVEL, @@TRANCOUNT";
        assert_eq!(heard(s, state), ["-1 | NULL | 0 | 0"]);
    });
}
