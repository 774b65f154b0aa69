//! Statements that people write in the console: a session of the page's own, rows that stream, an end to it all.

use crate::console::{OWN, log_in, post, status};
use crate::life::connect;
use crate::monitoring::{ask, console, get};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use taffrail_lab::client::Client;
use taffrail_tests::{Server, TempDir};

/// A page: where, its login's cookie, its session's name.
struct Page<'a> {
    at: &'a str,
    cookie: &'a str,
    session: &'a str,
}

impl Page<'_> {
    fn send(&self, path: &str, more: &str) -> (String, String) {
        let headers = format!("{OWN}{}", self.cookie);
        post(self.at, path, &headers, &format!("{{\"session\":\"{}\"{more}}}", self.session))
    }

    /// The lines of an answer. (The chunks of its body are not taken apart: no line of a small one is cut.)
    fn run(&self, sql: &str) -> Vec<String> {
        let sql = sql.replace('"', "\\\"").replace('\n', "\\n");
        let answer = self.send("/api/query", &format!(",\"sql\":\"{sql}\""));
        assert_eq!(status(&answer), 200, "{answer:?}");
        answer.1.lines().filter(|l| l.starts_with(['{', '['])).map(str::to_owned).collect()
    }
}

const OWN_SESSIONS: &str =
    "SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE program_name = 'Taffrail console - Query'";

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn count(c: &mut Client, sql: &str) -> u64 {
    c.query(sql).unwrap().first_value().parse().unwrap()
}

#[test]
fn a_page_has_a_session_that_keeps_what_it_makes_until_the_page_goes() {
    let temp = TempDir::new("console-query");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let (cookie, mut c) = (log_in(&at), connect(&server, "master"));
    let page = Page { at: &at, cookie: &cookie, session: "first" };
    let said = page.run(
        "SELECT 1 a, N'\u{e9}\\u0022' b, NULL c, CAST('2026-01-02' AS datetime) d, $1.5 e, \
         CAST(0.1 AS float) f SELECT 2 PRINT 'told'",
    );
    let expected = [
        "{\"columns\":[[\"a\",\"int\",true],[\"b\",\"nvarchar(2)\",false],[\"c\",\"int\",true],\
         [\"d\",\"datetime\",false],[\"e\",\"money\",true],[\"f\",\"float\",true]]}",
        "[\"1\",\"\u{e9}\\\"\",null,\"2026-01-02 00:00:00.000\",\"1.5000\",\"0.1\"]",
        "{\"rows\":1}",
        "{\"columns\":[[\"\",\"int\",true]]}",
        "[\"2\"]",
        "{\"rows\":1}",
        "{\"message\":[0,0,1,1,null,\"told\"]}",
        "{\"end\":\"done\"}",
    ];
    assert_eq!(said, expected);
    // The session stays: its database, its temporary table, its transaction.
    let said = page.run("USE tempdb CREATE TABLE #own (a int) BEGIN TRAN INSERT #own VALUES (7)");
    assert!(said.contains(&"{\"database\":\"tempdb\"}".to_owned()), "{said:?}");
    let said = page.run("SELECT a, DB_NAME(), @@TRANCOUNT FROM #own");
    assert_eq!(said[1], "[\"7\",\"tempdb\",\"1\"]");
    let other = Page { session: "second", ..page };
    let said = other.run("SELECT * FROM #own");
    assert!(said[0].starts_with("{\"message\":[208,16,1,1,null,"), "{said:?}");
    assert_eq!(count(&mut c, OWN_SESSIONS), 2);
    // A database is wanted that there is not: nothing is run.
    let answer = page.send("/api/query", ",\"database\":\"none ]\",\"sql\":\"SELECT 3\"");
    assert!(answer.1.contains("[911,16,") && !answer.1.contains("columns"), "{answer:?}");
    // A script may be long; what is too long is told so in words.
    let long = format!("/* {} */ SELECT 4", "x".repeat(3 << 20));
    assert_eq!(page.run(&long)[1], "[\"4\"]");
    let headers = format!("{OWN}{cookie}Content-Length: {}\r\nConnection: close\r\n", 40 << 20);
    let (head, body) = ask(&at, &format!("POST /api/query HTTP/1.1\r\n{headers}\r\n"));
    assert!(head.starts_with("HTTP/1.1 413 "), "{head}");
    assert!(body.contains("A batch may have 32 MiB here, this one has 40.0 MiB."), "{body}");
    // KILL ends one that waits for its page; the next batch has a new one.
    let id = page.run("SELECT @@SPID")[1].trim_matches(['[', ']', '"']).to_owned();
    c.run(&format!("KILL {id}")).unwrap();
    until("it is ended", || count(&mut c, OWN_SESSIONS) == 1);
    assert_eq!(page.run("SELECT @@TRANCOUNT")[1], "[\"0\"]");
    // The page goes, and with it what it held.
    c.run("CREATE DATABASE held CREATE TABLE held.dbo.t (a int)").unwrap();
    page.run("BEGIN TRAN INSERT held.dbo.t VALUES (1)");
    assert_eq!(status(&page.send("/api/query/close", "")), 200);
    until("its transaction ends", || count(&mut c, "SELECT COUNT(*) FROM held.dbo.t") == 0);
    until("its session ends", || count(&mut c, OWN_SESSIONS) == 1);
    // So it does with the login.
    other.run("BEGIN TRAN INSERT held.dbo.t VALUES (1)");
    assert_eq!(status(&post(&at, "/api/logout", &format!("{OWN}{cookie}"), "{}")), 200);
    until("its session ends with its login", || count(&mut c, OWN_SESSIONS) == 0);
    assert_eq!(status(&other.send("/api/query", ",\"sql\":\"SELECT 1\"")), 401);
    assert_eq!(status(&get(&at, "/api/query", "")), 401);
    assert!(server.stop().success());
}

#[test]
fn a_batch_stops_when_it_is_cancelled_and_when_nobody_listens() {
    let temp = TempDir::new("console-cancel");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let (cookie, mut c) = (log_in(&at), connect(&server, "master"));
    let page = Page { at: &at, cookie: &cookie, session: "only" };
    const RUNS: &str = "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE command = 'WAITFOR'";
    let wait = "WAITFOR DELAY '00:01:00'";
    std::thread::scope(|scope| {
        let runs = scope.spawn(|| page.run(wait));
        until("it runs", || count(&mut c, RUNS) == 1);
        let again = page.send("/api/query", ",\"sql\":\"SELECT 1\"");
        assert_eq!(status(&again), 409, "one batch at a time: {again:?}");
        assert_eq!(status(&page.send("/api/query/cancel", "")), 200);
        assert_eq!(runs.join().unwrap().last().unwrap(), "{\"end\":\"cancelled\"}");
    });
    assert_eq!(page.run("SELECT 5")[1], "[\"5\"]", "the session goes on");
    // Who sent it goes away.
    let body = format!("{{\"session\":\"only\",\"sql\":\"{wait}\"}}");
    let mut gone = TcpStream::connect(&at).unwrap();
    let length = body.len();
    write!(gone, "POST /api/query HTTP/1.1\r\n{OWN}{cookie}Content-Length: {length}\r\n\r\n{body}")
        .unwrap();
    until("it runs", || count(&mut c, RUNS) == 1);
    drop(gone);
    until("it stops", || count(&mut c, RUNS) == 0);
    // The order to stop waits for no batch.
    let runs = std::thread::spawn({
        let (at, cookie) = (at.clone(), cookie.clone());
        move || {
            let mut stream = TcpStream::connect(&at).unwrap();
            write!(
                stream,
                "POST /api/query HTTP/1.1\r\n{OWN}{cookie}Content-Length: {length}\r\n\r\n{body}"
            )
            .unwrap();
            BufReader::new(stream).lines().map_while(Result::ok).count()
        }
    });
    until("it runs", || count(&mut c, RUNS) == 1);
    let began = Instant::now();
    assert!(server.stop().success());
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    runs.join().unwrap();
}

/// Resident memory of a process in KB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_million_rows_pass_through_and_wait_for_who_reads_them() {
    let temp = TempDir::new("console-million");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let (cookie, mut c) = (log_in(&at), connect(&server, "master"));
    let rows = "WITH a AS (SELECT 1 n UNION ALL SELECT n + 1 FROM a WHERE n < 1000) \
        SELECT x.n * 1000 + y.n, REPLICATE('x', 100) FROM a x CROSS JOIN a y OPTION (MAXRECURSION 0)";
    let body = format!("{{\"session\":\"big\",\"sql\":\"{rows}\"}}");
    let mut stream = TcpStream::connect(&at).unwrap();
    let length = body.len();
    write!(stream, "POST /api/query HTTP/1.1\r\n{OWN}{cookie}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    let before = resident(server.pid());
    // Nobody reads: the batch waits.
    std::thread::sleep(Duration::from_secs(3));
    let running = "SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE program_name = 'Taffrail console - Query' AND status = 'running'";
    assert_eq!(count(&mut c, running), 1);
    let mut reader = BufReader::new(stream);
    let (mut seen, mut most, mut line) = (0u64, 0, String::new());
    while reader.read_line(&mut line).unwrap() > 0 {
        seen += u64::from(line.starts_with("[\""));
        if seen.is_multiple_of(100_000) {
            most = most.max(resident(server.pid()));
        }
        line.clear();
    }
    // Some lines are cut by the sizes of the body's chunks, and those are not counted.
    assert!((990_000..=1_000_000).contains(&seen), "{seen} rows");
    assert!(most < before + (64 << 10), "{before} KB before, {most} KB at most: they are kept");
    assert!(server.stop().success());
}
