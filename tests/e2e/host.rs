//! The server and its surroundings: time zone, SIGHUP, variables, who floods its error log.

use crate::life::connect;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

/// `env`'s: SIGHUP does what it does by default, also where whoever runs the tests ignores it (`nohup`).
const HEARS_HUP: &str = "--default-signal=HUP";

/// A server without a terminal, and its port.
pub fn detached(data: &Path, variables: &[(&str, &str)]) -> (Child, u16) {
    detached_by(&[], data, variables)
}

/// The same, started by a program and its arguments.
pub fn detached_by(by: &[&str], data: &Path, variables: &[(&str, &str)]) -> (Child, u16) {
    let mut child = Command::new("setsid")
        .args(["env", HEARS_HUP])
        .args(by)
        .arg(binary())
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("tds=").nth(1).and_then(|t| t.split_whitespace().next()).unwrap();
    (child, address.rsplit(':').next().unwrap().parse().unwrap())
}

pub fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

pub fn client(port: u16) -> Client {
    let password = PASSWORD.into();
    Client::connect(&ConnectOptions { port, password, ..Default::default() }).unwrap()
}

#[test]
fn without_a_terminal_sighup_opens_files_anew_and_times_are_local() {
    let temp = TempDir::new("hup");
    let data = temp.path().join("data");
    let variables = [("TZ", "IST-5:30"), ("TAFFRAIL_MAX_CONECTIONS", "5")];
    let (mut child, port) = detached(&data, &variables);
    let mut c = client(port);
    let mut first = |sql: &str| c.query(sql).unwrap().first_value();
    assert_eq!(first("SELECT DATEDIFF(minute, GETUTCDATE(), GETDATE())"), "330");
    assert_eq!(first("SELECT DATEPART(tzoffset, SYSDATETIMEOFFSET())"), "330");
    let ago = "SELECT MAX(DATEDIFF(second, login_time, GETDATE())) FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    assert!(first(ago).parse::<u32>().unwrap() < 60);
    let (log, moved) = (data.join("log/errorlog"), data.join("log/moved"));
    fs::rename(&log, &moved).unwrap();
    fs::remove_file(data.join("server.key")).unwrap();
    signal(&child, rustix::process::Signal::HUP);
    let until = Instant::now() + Duration::from_secs(20);
    while !fs::read_to_string(&log).is_ok_and(|l| l.contains("was loaded for encryption")) {
        assert!(Instant::now() < until, "nothing was opened anew");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(data.join("server.key").exists());
    let before = fs::read_to_string(moved).unwrap();
    let ignored = "Variables that are no settings were ignored: ";
    let ignored = before.lines().find(|l| l.contains(ignored)).unwrap();
    assert!(ignored.contains("TAFFRAIL_MAX_CONECTIONS") && !ignored.contains("PASSWORD"));
    // It goes on, with the sessions that it has and new ones.
    assert_eq!(first("SELECT 1"), "1");
    client(port).run("SELECT 1").unwrap();
    signal(&child, rustix::process::Signal::TERM);
    assert!(child.wait().unwrap().success());
}

/// A server on a terminal of its own, which is `script`'s: that process, and the server's number.
fn on_a_terminal(data: &Path) -> (Child, rustix::process::Pid) {
    let command = format!(
        "exec env {HEARS_HUP} '{}' serve --listen 127.0.0.1:0 --data '{}'",
        binary().display(),
        data.display()
    );
    let mut script = Command::new("script")
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Its log stands there too.
    let mut lines = BufReader::new(script.stdout.as_mut().unwrap()).lines();
    assert!(lines.any(|l| l.unwrap().starts_with("taffrail ready")));
    let id = script.id();
    let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let server = children.split_whitespace().next().unwrap().parse().unwrap();
    (script, rustix::process::Pid::from_raw(server).unwrap())
}

/// Waits for the last line of an orderly end.
fn ends(data: &Path) {
    let until = Instant::now() + Duration::from_secs(30);
    let log = data.join("log/errorlog");
    while !fs::read_to_string(&log).is_ok_and(|l| l.contains("The server has shut down.")) {
        assert!(Instant::now() < until, "{}", fs::read_to_string(&log).unwrap());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn with_a_terminal_sighup_is_an_orderly_end() {
    let temp = TempDir::new("terminal");
    let data = temp.path().join("data");
    let (mut script, server) = on_a_terminal(&data);
    rustix::process::kill_process(server, rustix::process::Signal::HUP).unwrap();
    assert!(script.wait().unwrap().success());
    ends(&data);
    fs::remove_file(data.join("log/errorlog")).unwrap();
    // The terminal goes away: by the time of the signal the server has none any more.
    let (mut script, _) = on_a_terminal(&data);
    script.kill().unwrap();
    script.wait().unwrap();
    ends(&data);
}

#[test]
fn strangers_write_no_lines_into_the_error_log() {
    let temp = TempDir::new("forged");
    let server = Server::start(temp.path(), &[]);
    let failed = || {
        let user = "x\r\n2026-01-01 00:00:00.00 Logon       Login succeeded\u{1b}[2J".into();
        let options = ConnectOptions { port: server.port, user, ..Default::default() };
        assert!(Client::connect(&options).is_err());
    };
    failed();
    connect(&server, "master").run("RAISERROR ('a%sb', 10, 1, 'x') WITH LOG").unwrap();
    let log = fs::read_to_string(temp.path().join("log/errorlog")).unwrap();
    assert!(log.contains("Login failed for user 'x\\u{d}\\u{a}2026-01-01 00:00"), "{log}");
    assert!(!log.lines().any(|l| l.starts_with("2026-01-01")) && !log.contains('\u{1b}'));
    assert!(server.stop().success());
}
