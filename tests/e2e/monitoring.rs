//! HTTP beside TDS: metrics as monitoring systems read them, health, who is let in, ports that are taken.

use crate::life::connect;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use taffrail_lab::client::Client;
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

/// `ADDRESS:PORT` of the console, from the ready line.
pub(crate) fn console(server: &Server) -> String {
    let at = server.ready_line.split("console=http://").nth(1);
    let at = at.unwrap_or_else(|| panic!("no console: {}", server.ready_line));
    at.split_whitespace().next().unwrap().to_owned()
}

/// An answer: status line and headers, body.
pub(crate) fn ask(at: &str, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(at).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer}"));
    (head.to_owned(), body.to_owned())
}

pub(crate) fn get(at: &str, path: &str, headers: &str) -> (String, String) {
    let host = if headers.contains("Host: ") { "" } else { "Host: localhost\r\n" };
    ask(at, &format!("GET {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n"))
}

fn metrics(at: &str) -> String {
    let (head, body) = get(at, "/metrics", "Accept: application/openmetrics-text\r\n");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.to_lowercase().contains("vary: accept"), "{head}");
    let kind = "content-type: application/openmetrics-text; version=1.0.0";
    assert!(head.to_lowercase().contains(kind), "{head}");
    // A body in chunks would have their sizes in it.
    assert!(head.to_lowercase().contains("content-length: "), "{head}");
    body
}

/// The value of a sample by its name and labels, as they are written.
fn value(text: &str, name: &str) -> f64 {
    let line = text.lines().find(|l| l.strip_prefix(name).is_some_and(|r| r.starts_with(' ')));
    let line = line.unwrap_or_else(|| panic!("no {name} in\n{text}"));
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

fn counter(c: &mut Client, name: &str, instance: &str) -> f64 {
    let sql = format!(
        "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = '{name}' AND instance_name = '{instance}'"
    );
    c.query(&sql).unwrap().first_value().parse().unwrap()
}

#[test]
fn metrics_are_what_the_views_say() {
    let temp = TempDir::new("metrics");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let mut c = connect(&server, "master");
    c.run("CREATE DATABASE [a \"b]").unwrap();
    c.run("USE [a \"b] CREATE TABLE t (a int)").unwrap();
    let before = metrics(&at);
    c.run("SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < 50 BEGIN INSERT t VALUES (@i) SET @i += 1 END").unwrap();
    let after = metrics(&at);
    let grown = |name: &str| value(&after, name) - value(&before, name);
    let label = "{db=\"a \\\"b\"}";
    assert!(grown(&format!("taffrail_log_flushes_total{label}")) >= 50.0);
    assert!(grown(&format!("taffrail_log_flush_waits_total{label}")) >= 50.0);
    assert!(grown("taffrail_log_flush_commits_count") >= 50.0);
    assert!(grown("taffrail_commit_wait_seconds_count") >= 50.0);
    assert!(grown("taffrail_waits_total{wait_type=\"WRITELOG\"}") >= 50.0);
    assert!(grown("mssql_batch_requests_total") >= 1.0);
    assert_eq!(value(&after, &format!("mssql_connections{label}")), 1.0);
    assert_eq!(value(&after, "mssql_database_state{db=\"master\",state=\"ONLINE\"}"), 0.0);
    // Nobody changes these any more.
    for (metric, name) in [
        ("taffrail_log_flushes_total", "Log Flushes/sec"),
        ("taffrail_log_flushed_bytes_total", "Log Bytes Flushed/sec"),
        ("mssql_log_growths_total", "Log Growths"),
    ] {
        assert_eq!(
            value(&after, &format!("{metric}{label}")),
            counter(&mut c, name, "a \"b"),
            "{name}"
        );
    }
    assert_eq!(
        value(&after, "mssql_deadlocks_total"),
        counter(&mut c, "Number of Deadlocks/sec", "_Total")
    );
    well_formed(&after);
    // Who asks for nothing has the older format, in which a counter is described by its samples' name.
    let (head, plain) = get(&at, "/metrics", "");
    let head = head.to_lowercase();
    assert!(head.contains("content-type: text/plain; version=0.0.4"), "{head}");
    assert!(head.contains("vary: accept"), "{head}");
    assert!(plain.contains("\n# TYPE mssql_batch_requests_total counter\n"));
    assert!(after.contains("\n# TYPE mssql_batch_requests counter\n"));
    assert!(!plain.contains("# EOF"));
    let samples = |text: &str| {
        let names = text.lines().filter(|l| !l.starts_with('#'));
        names.filter_map(|l| Some(l.rsplit_once(' ')?.0.to_owned())).collect::<Vec<_>>()
    };
    let mut there = samples(&after);
    there.retain(|name| !samples(&plain).contains(name));
    assert!(there.is_empty(), "{there:?}");
    assert!(server.stop().success());
}

/// What OpenMetrics asks of a text, as far as names, types and order go.
fn well_formed(text: &str) {
    assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1);
    let mut families: Vec<(&str, &str)> = Vec::new();
    for line in text.lines().filter(|l| *l != "# EOF") {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(families.iter().all(|f| f.0 != name), "{name} twice");
            let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(name.chars().all(named), "{name}");
            assert!(name.starts_with("mssql_") || name.starts_with("taffrail_"), "{name}");
            families.push((name, kind));
            continue;
        }
        let (name, kind) = *families.last().unwrap();
        if let Some(rest) = line.strip_prefix("# HELP ") {
            assert!(rest.starts_with(name) && rest.len() > name.len() + 5, "{line}");
            continue;
        }
        let suffix = line.strip_prefix(name).unwrap_or_else(|| panic!("{line} under {name}"));
        let suffix = suffix.split(['{', ' ']).next().unwrap();
        let fits = match kind {
            "counter" => suffix == "_total",
            "gauge" => suffix.is_empty(),
            "histogram" => ["_bucket", "_count", "_sum"].contains(&suffix),
            _ => false,
        };
        assert!(fits, "{line} of a {kind}");
        assert!(line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(), "{line}");
    }
    assert!(families.len() > 50);
}

#[test]
fn health_tells_when_the_server_ends() {
    let temp = TempDir::new("health");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    for (path, body) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        let (head, said) = get(&at, path, "");
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert_eq!(said, body);
    }
    assert!(get(&at, "/no/such/page", "").0.starts_with("HTTP/1.1 404 "));
    assert!(
        ask(&at, "POST /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .0
            .starts_with("HTTP/1.1 405 ")
    );
    let mut c = connect(&server, "master");
    // While this runs the server waits for it.
    let waiting = std::thread::spawn(move || c.run("WAITFOR DELAY '00:00:04'"));
    std::thread::sleep(Duration::from_millis(300));
    let pid = rustix::process::Pid::from_raw(server.pid() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let until = Instant::now() + Duration::from_secs(3);
    while get(&at, "/readyz", "").1 == "ready\n" {
        assert!(Instant::now() < until, "still ready");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (head, said) = get(&at, "/readyz", "");
    assert!(head.starts_with("HTTP/1.1 503 ") && said == "stopping\n", "{head}");
    assert!(get(&at, "/healthz", "").0.starts_with("HTTP/1.1 200 "));
    let _ = waiting.join().unwrap();
    // A connection that says nothing does not hold the end up.
    let _silent = TcpStream::connect(&at);
    assert!(server.stop().success());
}

#[test]
fn whoever_is_not_on_this_machine_needs_the_token() {
    let temp = TempDir::new("token");
    let data = temp.path().join("data");
    // What a browser sends that was led here by a name of somebody else's.
    let elsewhere = "Host: metrics.example\r\n";
    let server = Server::start(&data, &[]);
    let at = console(&server);
    let (head, said) = get(&at, "/metrics", elsewhere);
    assert!(head.starts_with("HTTP/1.1 403 ") && said.contains("metrics_token_file"), "{head}");
    assert!(get(&at, "/healthz", elsewhere).0.starts_with("HTTP/1.1 200 "));
    // A proxy in front that says nothing of itself: HTTP/1.0, and the server's own address as Host.
    let proxied = format!("GET /metrics HTTP/1.0\r\nHost: {at}\r\nConnection: close\r\n\r\n");
    let (head, said) = ask(&at, &proxied);
    assert!(head.contains(" 403 ") && said.contains("metrics_token_file"), "{head}");
    assert!(ask(&at, &proxied.replace("/metrics", "/")).0.contains(" 403 "));
    assert!(ask(&at, &proxied.replace("/metrics", "/healthz")).0.contains(" 200 "));
    assert!(get(&at, "/metrics", "").0.starts_with("HTTP/1.1 200 "));
    assert!(server.stop().success());
    let file = temp.path().join("token");
    fs::write(&file, "much-too-secret\n").unwrap();
    let server = Server::start(&data, &["--metrics-token-file", file.to_str().unwrap()]);
    let at = console(&server);
    let open = "Accept: application/openmetrics-text\r\n";
    let with = |token: &str| get(&at, "/metrics", &format!("{elsewhere}{open}{token}"));
    let (head, _) = with("");
    assert!(head.starts_with("HTTP/1.1 401 "), "{head}");
    assert!(head.to_lowercase().contains("www-authenticate: bearer"), "{head}");
    assert!(with("Authorization: Bearer much-too-wrongly\r\n").0.starts_with("HTTP/1.1 401 "));
    let (head, said) = with("Authorization: Bearer much-too-secret\r\n");
    assert!(head.starts_with("HTTP/1.1 200 ") && said.ends_with("# EOF\n"), "{head}");
    // On this machine nobody needs it, and no statement reads it.
    assert!(get(&at, "/metrics", "").0.starts_with("HTTP/1.1 200 "));
    let mut c = connect(&server, "master");
    let read = format!("CREATE TABLE #t (a varchar(100)) BULK INSERT #t FROM '{}'", file.display());
    assert!(c.run(&read).is_err());
    assert!(server.stop().success());
}

#[test]
fn a_place_that_is_taken_costs_the_console_or_the_start() {
    let temp = TempDir::new("taken");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap().to_string();
    let refused = Command::new(binary())
        .args(["serve", "--listen", "127.0.0.1:0", "--console", &at, "--data"])
        .arg(temp.path().join("refused"))
        .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
        .output()
        .unwrap();
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains(&format!("console {at}: ")), "{said}");
    // The default place of a server whose port is its own; somebody else may have it already.
    let _taken = TcpListener::bind("127.0.0.1:8433");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let data = temp.path().join("data");
    let mut child = Command::new(binary())
        .args(["serve", "--listen", &free, "--admin-listen", "off", "--data"])
        .arg(&data)
        .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert!(ready.contains(" console=off "), "{ready}");
    let log = fs::read_to_string(data.join("log/errorlog")).unwrap();
    let lines = log.lines().filter(|l| l.contains("There is no console: 127.0.0.1:8433: "));
    assert_eq!(lines.count(), 1, "{log}");
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn more_connections_than_it_takes_wait_and_sessions_do_not_notice() {
    let temp = TempDir::new("flood");
    let server = Server::start(&temp.path().join("data"), &[]);
    let at = console(&server);
    let silent: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&at).unwrap()).collect();
    let mut c = connect(&server, "master");
    assert_eq!(c.query("SELECT 1").unwrap().first_value(), "1");
    let waits = TcpStream::connect(&at).unwrap();
    drop((silent, waits));
    assert!(metrics(&at).ends_with("# EOF\n"));
    assert!(server.stop().success());
}
