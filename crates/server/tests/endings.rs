//! How requests, sessions and servers end, as a client sees it: DONE tokens, KILL, the order to stop; and who is let in.

use crate::support;

use std::net::TcpStream;
use std::time::{Duration, Instant};
use support::{Client, PASSWORD, errors, start};
use taffrail_tds::packet::RESET_CONNECTION;
use taffrail_tds::token::{DONE_COUNT, DONE_ERROR, DONE_MORE, DoneKind, Token};

/// A token in a word: DONE with its status bits and command, messages with number and severity.
fn words(tokens: &[Token]) -> String {
    let word = |t: &Token| match t {
        Token::Columns(_) => "columns".to_owned(),
        Token::Row(_) => "row".to_owned(),
        Token::Message { error, number, class, .. } => {
            format!("{}{number}/{class}", if *error { "error " } else { "info " })
        }
        Token::Done(d) => {
            let mut word = "done".to_owned();
            for (bit, name) in [(DONE_MORE, " more"), (DONE_ERROR, " error"), (DONE_COUNT, " n")] {
                if d.status & bit != 0 {
                    word.push_str(name);
                }
            }
            word
        }
        Token::EnvChange { kind, .. } => format!("env {kind}"),
        other => format!("{other:?}"),
    };
    tokens.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn said(client: &mut Client, sql: &str) -> String {
    client.batch(sql, 0);
    words(&client.tokens())
}

fn stop(server: taffrail_server::Server) {
    server.stop();
    server.wait().unwrap();
}

/// The first number of an answer.
fn number(client: &mut Client, sql: &str) -> i64 {
    client.batch(sql, 0);
    let value = |t: &Token| match t {
        Token::Row(row) => row[0].as_i64(),
        _ => None,
    };
    client.tokens().iter().find_map(value).unwrap()
}

/// SqlClient and JDBC pass over the count of an assignment by its command; tedious tells of it.
#[test]
fn an_assignment_ends_as_a_select_of_one_row() {
    let server = start("assigned", 10);
    let mut c = Client::session_at(server.address());
    let mut dones = |sql: &str| {
        c.batch(sql, 0);
        let tokens = c.tokens();
        let done = |t: &Token| match t {
            Token::Done(d) if d.status & DONE_COUNT != 0 => Some((d.kind, d.command, d.rows)),
            _ => None,
        };
        tokens.iter().filter_map(done).collect::<Vec<_>>()
    };
    let of = |kind| vec![(kind, 0xC1, 1)];
    assert_eq!(dones("DECLARE @v int SET @v = 7"), of(DoneKind::Statement));
    assert_eq!(dones("DECLARE @v int = 7"), of(DoneKind::Statement));
    assert_eq!(dones("DECLARE @v int SELECT @v = 7"), of(DoneKind::Statement));
    assert_eq!(dones("EXEC sp_executesql N'SET @v = 1', N'@v int', 7"), of(DoneKind::InProcedure));
    assert_eq!(dones("SET NOCOUNT ON DECLARE @v int = 1 SET @v = 2"), Vec::new());
    drop(c);
    stop(server);
}

#[test]
fn each_statement_without_a_result_has_a_done() {
    let server = start("dones", 10);
    let mut c = Client::session_at(server.address());
    for (sql, answer) in [
        ("DECLARE @a int, @b int", "done"),
        // What gives a variable its value is a SELECT without columns that counts.
        ("DECLARE @a int = 1, @b int", "done n"),
        ("DECLARE @v int SELECT @v = 1 SELECT @v = 2", "done more n, done n"),
        (
            "DECLARE @v int SET @v = 1 SELECT @v = 2 WHERE 1 = 0 PRINT 'x'",
            "done more n, done more n, info 0/0, done",
        ),
        ("DECLARE c CURSOR FOR SELECT 1 PRINT 'x'", "done more, info 0/0, done"),
        ("OPEN c PRINT 'x'", "done more, info 0/0, done"),
        (
            "DECLARE @v int FETCH c INTO @v FETCH c INTO @v PRINT 'x'",
            "done more, done more, info 0/0, done",
        ),
        ("CLOSE c DEALLOCATE c PRINT 'x'", "done more, done more, info 0/0, done"),
        // Each time that a condition is looked at is one, as is each SET of a variable.
        (
            "DECLARE @i int = 0 WHILE @i < 2 SET @i += 1 PRINT 'x'",
            "done more n, done more, done more n, done more, done more n, done more, info 0/0, done",
        ),
        (
            "DECLARE @i int = 0 WHILE 1 = 1 BREAK PRINT 'x'",
            "done more n, done more, info 0/0, done",
        ),
        ("IF 1 = 0 PRINT 'x' ELSE IF 1 = 1 PRINT 'y'", "done more, done more, info 0/0, done"),
        ("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 2 SET @i += 1 IF 1 = 0 PRINT 'x'", "done"),
        ("SET NOCOUNT OFF", "done"),
        // go-mssqldb's own tests count thirteen.
        (
            "CREATE PROCEDURE walks AS DECLARE @v int DECLARE c CURSOR FOR SELECT 1 UNION SELECT 2 OPEN c FETCH c INTO @v \
             WHILE @@FETCH_STATUS = 0 BEGIN PRINT @v FETCH c INTO @v END CLOSE c DEALLOCATE c",
            "done",
        ),
        (
            "EXEC walks",
            "done more, done more, done more, done more, info 0/0, done more, done more, done more, \
             info 0/0, done more, done more, done more, done more, done more, ReturnStatus(0), done",
        ),
        ("CREATE TABLE t (a int PRIMARY KEY)", "done"),
        ("INSERT t OUTPUT inserted.a VALUES (1)", "columns, row, done n"),
        // The columns come before the error.
        ("INSERT t OUTPUT inserted.a VALUES (1)", "columns, error 2627/14, done error"),
        ("UPDATE t SET a = 1 / 0 OUTPUT inserted.a", "columns, error 8134/16, done error"),
        (
            "MERGE t USING (SELECT 1 AS b) s ON 1 = 0 WHEN NOT MATCHED THEN INSERT VALUES (b) OUTPUT inserted.a;",
            "columns, error 2627/14, done error",
        ),
        ("DELETE t OUTPUT deleted.a WHERE a / 0 = 1", "columns, error 8134/16, done error"),
        (
            "SET NOCOUNT OFF DECLARE @i int = 0 WHILE @i < 100000 SET @i += 1",
            format!("done more, {}done more n, done", "done more n, done more, ".repeat(14))
                .as_str(),
        ),
        // A result that was begun and a change that failed have their end before CATCH speaks.
        (
            "BEGIN TRY SELECT 1 / 0 AS q, 2 AS r END TRY BEGIN CATCH SELECT 'a' AS a END CATCH PRINT 'x'",
            "columns, done more n, columns, row, done more n, info 0/0, done",
        ),
        (
            "BEGIN TRY UPDATE t SET a = 1 / 0 END TRY BEGIN CATCH PRINT 'x' END CATCH",
            "done more n, info 0/0, done",
        ),
        (
            "BEGIN TRY INSERT t OUTPUT inserted.a VALUES (1) END TRY BEGIN CATCH PRINT 'x' END CATCH",
            "columns, done more n, info 0/0, done",
        ),
        // A result has its end under NOCOUNT, too.
        (
            "CREATE PROCEDURE puts AS SET NOCOUNT ON INSERT t OUTPUT inserted.a VALUES (7) DELETE t OUTPUT deleted.a",
            "done",
        ),
        (
            "EXEC puts",
            "columns, row, done more, columns, row, row, done more, ReturnStatus(0), done",
        ),
        ("INSERT t VALUES (1)", "done n"),
        ("DELETE t OUTPUT deleted.a", "columns, row, done n"),
    ] {
        // Whether "The statement has been terminated." follows is another matter.
        assert_eq!(said(&mut c, sql).replace(", info 3621/0", ""), answer, "{sql}");
    }
    stop(server);
}

#[test]
fn after_a_reset_nothing_is_sent_before_the_statement_has_something_to_say() {
    let server = start("reset", 10);
    let mut c = Client::session_at(server.address());
    c.batch("WAITFOR DELAY '0:0:0.4'", RESET_CONNECTION);
    c.socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let nothing = c.socket.peek(&mut [0; 8]).unwrap_err();
    assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
    c.socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(words(&c.tokens()), "env 18, done");
    // What was said is sent.
    c.batch("PRINT 'x' WAITFOR DELAY '0:0:1'", 0);
    c.socket.set_read_timeout(Some(Duration::from_millis(600))).unwrap();
    c.socket.peek(&mut [0; 8]).unwrap();
    c.socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(words(&c.tokens()), "info 0/0, done more, done");
    stop(server);
}

#[test]
fn a_killed_request_says_596_and_an_idle_session_just_ends() {
    let server = start("kill", 10);
    let mut c = Client::session_at(server.address());
    let spid = |client: &mut Client| number(client, "SELECT CAST(@@SPID AS int)");
    for sql in [
        "BEGIN TRY WAITFOR DELAY '0:1:0' END TRY BEGIN CATCH PRINT 'caught' END CATCH",
        "WHILE 1 = 1 BEGIN DECLARE @i int END",
        "EXEC ('WAITFOR DELAY ''0:1:0''')",
    ] {
        let mut victim = Client::session_at(server.address());
        let id = spid(&mut victim);
        victim.batch(sql, 0);
        std::thread::sleep(Duration::from_millis(100));
        let killed = Instant::now();
        assert_eq!(said(&mut c, &format!("KILL {id}")), "done");
        let tokens = victim.tokens();
        assert_eq!(errors(&tokens), [(596, 1, 21)], "{sql}");
        assert!(words(&tokens).ends_with("done error"), "{sql}: {tokens:?}");
        assert!(victim.receive().is_none() && killed.elapsed() < Duration::from_secs(5));
    }
    let mut idle = Client::session_at(server.address());
    let id = spid(&mut idle);
    assert_eq!(said(&mut c, &format!("KILL {id}")), "done");
    assert!(idle.receive().is_none());
    // One that does not read is not waited for.
    let mut deaf = Client::session_at(server.address());
    let id = spid(&mut deaf);
    deaf.batch("SELECT REPLICATE(CAST('x' AS varchar(max)), 100000000)", 0);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(said(&mut c, &format!("KILL {id}")), "done");
    let killed = Instant::now();
    let left = format!("SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE session_id = {id}");
    while number(&mut c, &left) > 0 {
        assert!(killed.elapsed() < Duration::from_secs(15), "it is still there");
        std::thread::sleep(Duration::from_millis(50));
    }
    stop(server);
}

#[test]
fn shutdown_tells_running_requests_6005() {
    let server = start("shutdown", 10);
    let mut busy = Client::session_at(server.address());
    busy.batch("WAITFOR DELAY '0:1:0'", 0);
    let mut c = Client::session_at(server.address());
    c.batch("BEGIN TRAN SHUTDOWN ROLLBACK", 0);
    assert_eq!(errors(&c.tokens()).first().map(|e| (e.0, e.2)), Some((6007, 16)));
    std::thread::sleep(Duration::from_millis(100));
    let ordered = Instant::now();
    let ended = std::thread::spawn(move || server.wait());
    assert!(said(&mut c, "SHUTDOWN WITH NOWAIT").starts_with("info 6006/"));
    let told = words(&busy.tokens());
    assert!(told.starts_with("info 6005/10") && told.ends_with("done error"), "{told}");
    assert!(busy.receive().is_none());
    ended.join().unwrap().unwrap();
    assert!(ordered.elapsed() < Duration::from_secs(8));
}

#[test]
fn silent_connections_lock_nobody_out_and_the_admin_always_gets_in() {
    let server = start("silent", 2);
    let silent: Vec<TcpStream> =
        (0..1100).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
    let began = Instant::now();
    let mut first = Client::session_at(server.address());
    let mut second = Client::session_at(server.address());
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    first.is_usable();
    // All sessions are taken, and one more is let in by the other door, one at a time.
    let full = |address| {
        let mut client = Client::connect_to(address);
        client.send_login("sa", PASSWORD, "", 4096);
        errors(&client.tokens()).iter().map(|e| e.0).collect::<Vec<_>>()
    };
    assert_eq!(full(server.address()), [17809]);
    let door = server.admin_address().unwrap();
    let silent_there: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(door).unwrap()).collect();
    let mut admin = Client::session_at(door);
    admin.is_usable();
    assert_eq!(full(door), [17810]);
    assert_eq!(number(&mut admin, "SELECT @@MAX_CONNECTIONS"), 2);
    drop(admin);
    std::thread::sleep(Duration::from_millis(300));
    Client::session_at(door).is_usable();
    second.is_usable();
    drop((silent, silent_there));
    stop(server);
}

#[test]
fn a_new_error_log_is_begun_by_sp_cycle_errorlog() {
    let server = start("cycle", 10);
    let mut c = Client::session_at(server.address());
    assert!(said(&mut c, "EXEC sp_cycle_errorlog").starts_with("info 2528/0"));
    c.batch("EXEC sp_readerrorlog", 0);
    let rows = c.tokens().iter().filter(|t| matches!(t, Token::Row(_))).count();
    assert!((1..4).contains(&rows), "{rows}");
    stop(server);
}

/// What is no file is refused as one that cannot be opened, and its session goes on.
#[test]
fn a_fifo_is_no_database_and_ends_no_session() {
    let server = start("fifo", 10);
    let fifo = support::data("fifo").join("fifo.mdf");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut c = Client::session_at(server.address());
    let said = said(&mut c, "CREATE DATABASE f ON (FILENAME = 'fifo.mdf') FOR ATTACH");
    assert!(said.starts_with("error 5120/16, error 1802/16"), "{said}");
    assert_eq!(number(&mut c, "SELECT 1"), 1);
    stop(server);
}

/// What a session has had written to the error log it finds there at once.
#[test]
fn the_error_log_is_read_as_it_is() {
    let server = start("read-log", 10);
    let mut c = Client::session_at(server.address());
    let rows = |c: &mut Client, sql: &str| {
        c.batch(sql, 0);
        c.tokens().iter().filter(|t| matches!(t, Token::Row(_))).count()
    };
    for n in 0..20 {
        let sql = format!(
            "DECLARE @t nvarchar(99) = N'entry <{n}>' + NCHAR(0x202E) + NCHAR(0x2028) + N'end'
            RAISERROR (@t, 10, 1) WITH LOG; EXEC xp_readerrorlog 0, 1, N'<{n}>', N'end'"
        );
        assert_eq!(rows(&mut c, &sql), 1, "{n}");
    }
    stop(server);
    let log = support::data("read-log").join("log/errorlog");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("entry <3>\\u{202e}\\u{2028}end"), "{log}");
}
