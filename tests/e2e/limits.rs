//! What the system refuses a running server, and what its administrator reads of it in the error log.

use crate::life::connect;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use std::fs;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ClientError};
use taffrail_tests::{Server, TempDir};

/// Files of the server may not become longer than this from now on.
fn limit_files(server: &Server, bytes: Option<u64>) {
    let pid = Pid::from_raw(server.pid() as i32);
    // The limit that may not be raised again stays as it is.
    let was = prlimit(pid, Resource::Fsize, Rlimit { current: bytes, maximum: None }).unwrap();
    assert_eq!(was.maximum, None);
}

/// Runs it until it fails, and returns the first error's number.
fn until_it_fails(c: &mut Client, sql: &str) -> i32 {
    for _ in 0..500 {
        match c.run(sql) {
            Ok(_) => {}
            Err(ClientError::Server(errors)) => return errors[0].number,
            Err(e) => panic!("{e}"),
        }
    }
    panic!("{sql} never failed");
}

#[test]
fn a_limit_on_the_length_of_files_is_a_full_disk() {
    let temp = TempDir::new("limit");
    let data = temp.path().join("data");
    let server = Server::start(&data, &[]);
    let mut c = connect(&server, "master");
    c.run(
        "CREATE DATABASE f ON (NAME = f, FILENAME = 'f.mdf', SIZE = 38MB, FILEGROWTH = 16MB)
             LOG ON (NAME = f_log, FILENAME = 'f.ldf', SIZE = 20MB, FILEGROWTH = 24MB)
         ALTER DATABASE f SET RECOVERY SIMPLE",
    )
    .unwrap();
    c.run("USE f").unwrap();
    c.run("CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(4000) NOT NULL DEFAULT 'x')")
        .unwrap();
    c.run("INSERT t (pad) SELECT 'x' FROM GENERATE_SERIES(1, 1000)").unwrap();
    limit_files(&server, Some(40 << 20));
    // The log, by itself and by hand.
    c.run("BEGIN TRAN").unwrap();
    let more = "INSERT t (pad) SELECT 'x' FROM GENERATE_SERIES(1, 500)";
    assert_eq!(until_it_fails(&mut c, more), 9002);
    // One after the other, so that they are a flood.
    let mut failures = 1;
    for _ in 0..20 {
        assert_eq!(until_it_fails(&mut c, more), 9002);
        failures += 1;
    }
    c.run("ROLLBACK").unwrap();
    let larger = "ALTER DATABASE f MODIFY FILE (NAME = f_log, SIZE = 60MB)";
    assert_eq!(until_it_fails(&mut c, larger), 5149);
    // The data file.
    assert_eq!(c.query("SELECT COUNT(*) FROM t").unwrap().first_value(), "1000");
    assert_eq!(until_it_fails(&mut c, more), 1105);
    // There is room again: nothing has to be started anew.
    limit_files(&server, None);
    c.run(more).unwrap();
    c.run(larger).unwrap();
    drop(c);
    assert!(server.stop().success());

    let log = fs::read_to_string(data.join("log/errorlog")).unwrap();
    let refused = "f.ldf: Operating system error 27(File too large) encountered.";
    assert!(log.contains(refused), "{log}");
    let is_full = |l: &&str| {
        l.contains("The transaction log for database 'f' is full")
            || l.contains("9002 of database 'f'") && l.contains(" raised ")
    };
    let full: Vec<&str> = log.lines().filter(is_full).collect();
    // An entry that stands for several says for how many.
    let times = |line: &str| {
        let raised = line.split("raised ").nth(1).and_then(|t| t.split(' ').next()?.parse().ok());
        raised.unwrap_or(1)
    };
    let told: u32 = full.iter().map(|line| times(line)).sum();
    assert_eq!(told, failures, "{log}");
    let grew = |start: &str, end: &str| {
        assert!(log.lines().any(|l| l.contains(start) && l.contains(end)), "{start}{end}: {log}");
    };
    grew("Data file 'f' of database 'f' grew from 39845888 to 56623104 bytes", "");
    grew("Log file 'f_log' of database 'f' grew from ", " to 62914560 bytes");
}

/// Whether a process had a session or not, whoever comes after it finds the server as it was.
#[test]
fn sessions_that_have_ended_leave_nothing_open() {
    let temp = TempDir::new("left-open");
    let server = Server::start(&temp.path().join("data"), &[]);
    let open = || fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count();
    let some = |sessions: usize, killed: bool| {
        for _ in 0..sessions {
            let mut c = connect(&server, "master");
            c.run("SELECT 1").unwrap();
            if killed {
                let id = c.query("SELECT @@SPID").unwrap().first_value().to_owned();
                connect(&server, "master").run(&format!("KILL {id}")).unwrap();
            }
        }
    };
    // What is opened once, is open from here on.
    some(5, true);
    let until = Instant::now() + Duration::from_secs(20);
    std::thread::sleep(Duration::from_millis(300));
    let before = open();
    some(60, false);
    some(20, true);
    // Sessions end a moment after their clients have gone.
    while open() > before + 10 {
        assert!(Instant::now() < until, "{before} descriptors before 100 sessions, now {}", open());
        std::thread::sleep(Duration::from_millis(50));
    }
}
