//! INSERT … EXEC: one with what it runs, a transaction of its own in autocommit.

use crate::support;

use support::two::{number, two};
use support::{Client, World, numbers};

fn in_database(w: &World) -> Client {
    let mut c = w.connect();
    c.ok("CREATE DATABASE d");
    c.ok("USE d");
    c.ok("CREATE TABLE t (a int)");
    c.ok("CREATE TABLE keyed (a int PRIMARY KEY)");
    c.ok("CREATE TABLE journal (a int)");
    c.ok("CREATE PROCEDURE notes @n int AS INSERT journal VALUES (@n) SELECT @n");
    c
}

/// Rows of the three tables, open transactions.
const STATE: &str = "SELECT (SELECT COUNT(*) FROM t), (SELECT COUNT(*) FROM keyed), (SELECT COUNT(*) FROM journal), @@TRANCOUNT";

#[test]
fn what_it_runs_commits_with_it_and_goes_with_it() {
    let w = World::new();
    let mut c = in_database(&w);
    c.ok("INSERT t EXEC notes 1");
    assert_eq!(c.rows(STATE), "1 | 0 | 1 | 0");
    // The target refuses the rows.
    c.ok("INSERT keyed VALUES (7)");
    let said = c.rows("INSERT keyed EXEC notes 7 SELECT @@ERROR, @@ROWCOUNT");
    assert_eq!(number(&said), "2627");
    assert!(said.ends_with("The statement has been terminated.\n2627 | 0"), "{said}");
    assert_eq!(c.rows(STATE), "1 | 1 | 1 | 0");
    // A value of the rows cannot become the column's.
    c.ok("CREATE PROCEDURE words AS INSERT journal VALUES (8) SELECT 'x'");
    assert_eq!(number(&c.rows("INSERT t EXEC words SELECT 'not reached'")), "245");
    assert_eq!(c.rows(STATE), "1 | 1 | 1 | 0");
    // In a transaction only the statement is undone.
    let said = c.rows(
        "BEGIN TRAN INSERT t VALUES (2) INSERT keyed EXEC notes 7 INSERT t EXEC notes 3 COMMIT",
    );
    assert_eq!(number(&said), "2627");
    assert_eq!(c.rows(STATE), "3 | 1 | 2 | 0");
}

#[test]
fn others_see_nothing_before_its_end() {
    let mut t = two("CREATE TABLE target (a int) CREATE TABLE seen (a int) INSERT seen VALUES (1)");
    t.ddl.ok("CREATE PROCEDURE looks AS UPDATE seen SET a = 2 \
              SELECT resource_type FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND request_mode = 'X'");
    t.ddl.ok("CREATE TABLE locks (kind nvarchar(60))");
    t.ddl.ok("INSERT locks EXEC looks");
    // The lock of the row that the procedure has changed was still held when it looked.
    assert_eq!(t.watcher.rows("SELECT COUNT(*) FROM locks WHERE kind IN ('RID', 'KEY')"), "1");
    assert_eq!(
        t.watcher.rows("SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_mode = 'X'"),
        "0"
    );
}

#[test]
fn it_is_a_transaction_inside() {
    let w = World::new();
    let mut c = in_database(&w);
    c.ok("CREATE TABLE said (a int, b int, c nvarchar(60), d int)");
    c.ok("CREATE PROCEDURE tells AS SELECT @@TRANCOUNT, XACT_STATE(), \
          (SELECT a.name FROM sys.dm_tran_active_transactions a JOIN sys.dm_tran_session_transactions s \
           ON s.transaction_id = a.transaction_id WHERE s.session_id = @@SPID), \
          (SELECT open_transaction_count FROM sys.dm_exec_sessions WHERE session_id = @@SPID)");
    let tells = c.run("INSERT said EXEC tells SELECT * FROM said SELECT @@TRANCOUNT, XACT_STATE()");
    assert!(tells.contains("\n1 | 1 | INSERT | 1\n"), "{tells}");
    assert!(tells.contains("\n0 | 0\n"), "{tells}");
    // The client has begun nothing, and is told of nothing.
    assert!(!tells.contains("env "), "{tells}");
    // Savepoints and transactions inside are of its own; none of it is durable before the end.
    c.ok("CREATE PROCEDURE saves AS SAVE TRAN s INSERT journal VALUES (1) BEGIN TRAN INSERT journal VALUES (2) COMMIT \
          SELECT @@TRANCOUNT");
    c.ok("INSERT t EXEC saves");
    assert_eq!(c.rows(STATE), "1 | 0 | 2 | 0");
    assert_eq!(c.rows("SELECT a FROM t"), "1");
    assert_eq!(number(&c.rows("INSERT keyed VALUES (1) INSERT keyed EXEC saves")), "2627");
    assert_eq!(c.rows(STATE), "1 | 1 | 2 | 0");
    // A savepoint made inside is gone with the statement.
    let said = c.rows("BEGIN TRAN INSERT keyed EXEC saves ROLLBACK TRAN s COMMIT");
    assert!(said.contains("Msg 6401"), "{said}");
    assert_eq!(c.rows(STATE), "1 | 1 | 2 | 0");
}

#[test]
fn what_stays_open_inside_is_the_clients() {
    let w = World::new();
    let mut c = in_database(&w);
    let begins = "INSERT t EXEC ('BEGIN TRAN INSERT journal VALUES (1) SELECT 1')";
    let said = c.run(&format!("{begins} SELECT @@TRANCOUNT"));
    assert_eq!(said.matches("env begin").count(), 1, "{said}");
    assert_eq!(c.rows(STATE), "1 | 0 | 1 | 1");
    c.ok("ROLLBACK");
    assert_eq!(c.rows(STATE), "0 | 0 | 0 | 0");
    // A statement that fails leaves it open, without what it has changed.
    c.ok("INSERT keyed VALUES (1)");
    let said = c.rows(&begins.replace("INSERT t", "INSERT keyed"));
    assert_eq!(numbers(&said), [266, 2627, 3621], "{said}");
    assert_eq!(c.rows(STATE), "0 | 1 | 0 | 1");
    c.ok("INSERT t VALUES (5) COMMIT");
    assert_eq!(c.rows(STATE), "1 | 1 | 0 | 0");
}

#[test]
fn errors_inside_end_their_statement_only() {
    let w = World::new();
    let mut c = in_database(&w);
    c.ok("CREATE PROCEDURE p AS SELECT 1 SELECT 1/0 PRINT 'on' SELECT 2 RAISERROR('x', 16, 1) SELECT 3");
    let said = c.rows("INSERT t EXEC p PRINT CONCAT(@@ROWCOUNT, ' ', @@ERROR)");
    let numbers: Vec<&str> = said.lines().map(number).collect();
    assert_eq!(numbers, ["8134", "print: on", "50000", "print: 3 0"], "{said}");
    assert_eq!(c.rows("SELECT SUM(a) FROM t"), "6");
    c.ok("DELETE t");
    // A duplicate key of the insides is theirs.
    c.ok("INSERT keyed VALUES (1)");
    assert_eq!(
        number(
            &c.rows("INSERT t EXEC ('INSERT keyed VALUES (1) INSERT keyed VALUES (2) SELECT 9')")
        ),
        "2627"
    );
    assert_eq!(c.rows(STATE), "1 | 2 | 0 | 0");
    c.ok("DELETE t DELETE keyed");
    // What ends the outermost text: its rows so far, no count.
    for runs in ["EXEC ('SELECT 1 SELECT * FROM nosuch SELECT 2')", "EXEC cut"] {
        c.rows("CREATE PROCEDURE cut AS SELECT 1 SELECT * FROM nosuch SELECT 2");
        let said = c.run(&format!("INSERT t {runs} PRINT CONCAT(@@ROWCOUNT, ' ', @@ERROR)"));
        assert!(said.contains("Msg 208") && said.contains(": 1 208"), "{said}");
        assert!(!said.contains("rows=1"), "{said}");
        assert_eq!(c.rows(STATE), "1 | 0 | 0 | 0");
        c.ok("DELETE t");
    }
    // An INSERT … EXEC inside ends by itself only.
    assert_eq!(
        number(&c.rows("INSERT t EXEC ('INSERT keyed EXEC (''SELECT 5'') SELECT 1')")),
        "8164"
    );
    assert_eq!(c.rows(STATE), "1 | 0 | 0 | 0");
}

#[test]
fn other_columns_are_told_where_they_come() {
    let w = World::new();
    let mut c = in_database(&w);
    c.ok("CREATE PROCEDURE wide AS\nINSERT journal VALUES (1)\nSELECT 1\nSELECT 1, 2\nINSERT journal VALUES (2)");
    let said = c.rows("INSERT t EXEC wide SELECT @@ROWCOUNT, @@ERROR");
    assert_eq!(
        said,
        "Msg 213, Level 16, State 7, Procedure wide, Line 4: Column name or number of supplied values does not match \
         table definition.\n0 | 0"
    );
    assert_eq!(c.rows(STATE), "0 | 0 | 0 | 0");
    assert_eq!(number(&c.rows("INSERT t EXEC sp_executesql N'SELECT 1, 2'")), "213");
    // A procedure of ours as well, and a result without rows.
    assert_eq!(number(&c.rows("INSERT t EXEC sp_who")), "213");
    assert_eq!(number(&c.rows("INSERT t EXEC ('DBCC LOGINFO')")), "213");
    assert_eq!(number(&c.rows("INSERT t EXEC ('SELECT 1, 2 WHERE 1 = 0')")), "213");
    let caught = "BEGIN TRY INSERT t EXEC wide END TRY BEGIN CATCH SELECT ERROR_NUMBER(), ERROR_LINE(), XACT_STATE() END CATCH";
    assert_eq!(c.rows(caught), "213 | 4 | 0");
    // In a transaction it is undone to where it began.
    c.rows("BEGIN TRAN INSERT t VALUES (1) INSERT t EXEC wide");
    assert_eq!(c.rows(STATE), "1 | 0 | 0 | 1");
    c.ok("ROLLBACK");
}

#[test]
fn what_ends_the_batch_undoes_all_of_it() {
    let w = World::new();
    let mut c = in_database(&w);
    for ends in [
        "THROW 50001, ''thrown'', 1",
        "SELECT CAST(''x'' AS int)",
        "SET XACT_ABORT ON SELECT 1/0",
        "COMMIT",
        "ROLLBACK",
    ] {
        let said = c.run(&format!(
            "INSERT t EXEC ('INSERT journal VALUES (1) SELECT 1; {ends}') PRINT 'not reached'"
        ));
        assert!(said.contains("Msg ") && !said.contains("not reached"), "{ends}: {said}");
        assert!(!said.contains("env "), "{ends}: {said}");
        assert!(said.lines().last().is_some_and(|l| l.starts_with("done")), "{ends}: {said}");
        assert_eq!(c.rows(STATE), "0 | 0 | 0 | 0", "{ends}");
    }
    // THROW ends the batch, not the transaction; the statement is undone.
    c.rows("BEGIN TRAN INSERT t VALUES (1) INSERT t EXEC ('INSERT journal VALUES (1); THROW 50001, ''x'', 1')");
    assert_eq!(c.rows(STATE), "1 | 0 | 0 | 1");
    c.ok("ROLLBACK");
}

#[test]
fn try_around_and_try_inside() {
    let w = World::new();
    let mut c = in_database(&w);
    let outside = |ends: &str| {
        format!(
            "BEGIN TRY INSERT t EXEC ('INSERT journal VALUES (1) SELECT 1 {ends} SELECT 2') END TRY \
             BEGIN CATCH SELECT ERROR_NUMBER(), XACT_STATE(), @@TRANCOUNT END CATCH"
        )
    };
    assert_eq!(c.rows(&outside("SELECT 1/0")), "8134 | 0 | 0");
    assert_eq!(c.rows(STATE), "0 | 0 | 0 | 0");
    // The transaction that would be doomed has ended with the statement.
    assert_eq!(c.rows(&outside("SELECT CAST(''x'' AS int)")), "245 | 0 | 0");
    assert_eq!(c.rows(STATE), "0 | 0 | 0 | 0");
    assert_eq!(c.rows(&format!("BEGIN TRAN {}", outside("SELECT 1/0"))), "8134 | 1 | 1");
    assert_eq!(c.rows(STATE), "0 | 0 | 0 | 1");
    assert_eq!(
        c.rows(&format!("{} ROLLBACK", outside("SELECT CAST(''x'' AS int)"))),
        "245 | -1 | 1"
    );
    let inside = |ends: &str| {
        format!(
            "INSERT t EXEC ('BEGIN TRY INSERT journal VALUES (1) {ends} END TRY BEGIN CATCH SELECT XACT_STATE() END CATCH') \
             SELECT a FROM t"
        )
    };
    assert_eq!(c.rows(&inside("SELECT 1/0")), "1");
    assert_eq!(c.rows(STATE), "1 | 0 | 1 | 0");
    // Doomed inside: nothing can be inserted.
    let said = c.rows(&inside("SELECT CAST(''x'' AS int)"));
    assert_eq!(number(&said), "3930");
    assert_eq!(c.rows(STATE), "1 | 0 | 1 | 0");
}

#[test]
fn tables_of_the_session_are_targets() {
    let w = World::new();
    let mut c = in_database(&w);
    c.ok("CREATE TABLE #k (a int PRIMARY KEY)");
    c.ok("INSERT #k EXEC notes 1");
    assert_eq!(number(&c.rows("INSERT #k EXEC notes 1")), "2627");
    assert_eq!(c.rows("SELECT (SELECT COUNT(*) FROM #k), (SELECT COUNT(*) FROM journal)"), "1 | 1");
    let variable = "DECLARE @v TABLE (a int) INSERT @v EXEC notes 2 INSERT @v EXEC ('SELECT 3') SELECT COUNT(*), SUM(a) FROM @v";
    assert_eq!(c.rows(variable), "2 | 5");
    assert_eq!(c.rows("SELECT COUNT(*) FROM journal"), "2");
    // Temporary tables of the insides go with them.
    c.ok("CREATE PROCEDURE works AS SELECT 4 AS n INTO #w SELECT n FROM #w");
    c.ok("INSERT #k EXEC works INSERT t EXEC works");
    assert_eq!(c.rows("SELECT a FROM t"), "4");
    assert_eq!(number(&c.rows("SELECT * FROM #w")), "208");
}

#[test]
fn under_implicit_transactions_the_client_ends_it() {
    let w = World::new();
    let mut c = in_database(&w);
    c.ok("SET IMPLICIT_TRANSACTIONS ON");
    let said = c.run("INSERT t EXEC notes 1");
    assert!(said.contains("env "), "{said}");
    assert_eq!(c.rows("SELECT @@TRANCOUNT"), "1");
    c.ok("ROLLBACK SET IMPLICIT_TRANSACTIONS OFF");
    assert_eq!(c.rows(STATE), "0 | 0 | 0 | 0");
    // Turned on inside it begins nothing: there is a transaction.
    c.ok("INSERT t EXEC ('SET IMPLICIT_TRANSACTIONS ON INSERT journal VALUES (1) SELECT @@TRANCOUNT')");
    assert_eq!(c.rows(STATE), "1 | 0 | 1 | 0");
    assert_eq!(c.rows("SELECT a FROM t"), "1");
}

#[test]
fn statements_that_need_no_transaction_are_refused_inside() {
    let w = World::new();
    let mut c = in_database(&w);
    for (runs, refused) in [
        ("BACKUP DATABASE d TO DISK = ''d.bak''", "3021"),
        ("ALTER DATABASE d SET RECOVERY SIMPLE", "226"),
        ("CREATE DATABASE e", "226"),
        ("RECONFIGURE", "574"),
    ] {
        let said = c.rows(&format!("INSERT t EXEC ('{runs}')"));
        assert_eq!(number(&said), refused, "{said}");
    }
    c.ok("INSERT t EXEC ('CHECKPOINT')");
    c.ok("CREATE TABLE files (id int, file_id int, a int, b int, c int, d int)");
    c.rows("INSERT files EXEC ('DBCC SHRINKFILE (2, 1) WITH NO_INFOMSGS')");
    assert_eq!(c.rows("SELECT COUNT(*), MIN(file_id) FROM files"), "1 | 2");
    let said =
        c.rows("BEGIN TRAN INSERT files EXEC ('DBCC SHRINKFILE (2, 1) WITH NO_INFOMSGS') ROLLBACK");
    assert_eq!(number(&said), "8920");
    c.ok("CREATE TABLE vlfs (RecoveryUnitId int, FileId int, FileSize bigint, StartOffset bigint, FSeqNo int, \
        Status int, Parity tinyint, CreateLSN numeric(25, 0))");
    c.ok("INSERT vlfs EXEC ('DBCC LOGINFO') INSERT vlfs EXEC sp_executesql N'DBCC LOGINFO'");
    c.ok("INSERT vlfs EXEC sp_MSforeachdb 'USE [?] DBCC LOGINFO'");
    assert_eq!(c.rows("SELECT COUNT(*) FROM vlfs WHERE FileId <> 2"), "0");
    // Whoever is checked is locked by the same transaction.
    c.ok("INSERT t EXEC ('INSERT journal VALUES (1) DBCC CHECKTABLE (''journal'') WITH NO_INFOMSGS')");
    c.ok("INSERT t EXEC ('ALTER TABLE journal ADD b int SELECT 1')");
    assert_eq!(
        number(&c.rows("INSERT t EXEC ('ALTER TABLE t ADD b int NOT NULL DEFAULT 1 SELECT 1')")),
        "556"
    );
    assert_eq!(c.rows("SELECT COUNT(*) FROM sys.columns WHERE object_id = OBJECT_ID('t')"), "1");
}

#[test]
fn clients_that_stop_it_or_are_killed_leave_nothing() {
    let mut t =
        two("CREATE TABLE target (a int) CREATE TABLE held (a int) CREATE TABLE journal (a int)");
    t.ddl.ok("CREATE PROCEDURE waits AS INSERT journal VALUES (1) SELECT 1 SELECT a FROM held");
    t.ddl.ok("BEGIN TRAN INSERT held VALUES (1)");
    let left = "SELECT (SELECT COUNT(*) FROM journal), (SELECT COUNT(*) FROM target)";
    let other = t.other();
    let cancel = other.connection.cancel_handle();
    let stopped = t.waits_as(other, "INSERT target EXEC waits", "LCK_M_S");
    // What it has done is not committed.
    assert_eq!(t.sees("SELECT COUNT(*) FROM journal WITH (NOLOCK)"), "1");
    assert_eq!(number(&t.sees("SELECT COUNT(*) FROM journal")), "1222");
    cancel.cancel();
    let (mut other, said) = stopped.said.join().expect("the other session");
    assert_eq!(said, "");
    assert_eq!(other.rows("SELECT @@TRANCOUNT"), "0");
    assert_eq!(t.watcher.rows(left), "0 | 0");
    let killed = t.waits("INSERT target EXEC waits", "LCK_M_S");
    t.watcher.ok(&format!("KILL {}", killed.session));
    killed.end();
    assert_eq!(t.watcher.rows(left), "0 | 0");
    // In a transaction the statement goes, the transaction stays.
    let mut other = t.other();
    other.ok("BEGIN TRAN INSERT target VALUES (7)");
    let cancel = other.connection.cancel_handle();
    let stopped = t.waits_as(other, "INSERT target EXEC waits", "LCK_M_S");
    cancel.cancel();
    let (mut other, _) = stopped.said.join().expect("the other session");
    assert_eq!(other.rows("SELECT @@TRANCOUNT SELECT COUNT(*) FROM target"), "1\n1");
    other.ok("COMMIT");
    t.ddl.ok("COMMIT");
    assert_eq!(t.watcher.rows(left), "0 | 1");
    t.ddl.ok("INSERT target EXEC waits");
    assert_eq!(t.watcher.rows(left), "1 | 3");
}

#[test]
fn what_a_restart_finds_is_whole() {
    let w = World::new();
    let mut c = in_database(&w);
    c.ok("INSERT t EXEC notes 1");
    c.ok("INSERT keyed VALUES (1)");
    c.rows("INSERT keyed EXEC notes 1");
    drop(c);
    let w = w.restart();
    let mut c = w.connect();
    c.ok("USE d");
    assert_eq!(c.rows(STATE), "1 | 1 | 1 | 0");
}
