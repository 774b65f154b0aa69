//! `lab run --peers`: other products beside the server, those that are not installed by name.

use super::said;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use taffrail_lab::experiment::record::Record;
use taffrail_lab::experiment::store;
use taffrail_tests::{TempDir, binary};

const VARIANTS: [&str; 4] =
    ["autocommit", "sqlite-hundred", "postgresql-hundred", "mariadb-hundred"];

/// A run of three variants; its record, and the words on the terminal.
fn run(out: &Path, change: impl FnOnce(&mut Command)) -> (Record, String) {
    let mut command = Command::new(binary());
    command.args(["lab", "run", "loop", "--scale", "tiny", "--repeat", "2", "--peers", "--out"]);
    command.arg(out).args(VARIANTS.iter().flat_map(|v| ["--only", v]));
    change(&mut command);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    (store::record(&out.join("loop-tiny")).unwrap(), said(&done))
}

fn installed(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|o| o.status.success())
}

#[test]
fn products_that_are_installed_are_measured_beside_the_server() {
    let dir = TempDir::new("lab-peers");
    let out = dir.path().join("out");
    // A setting of the caller's own client.
    let (record, words) = run(&out, |c| {
        c.env("PGPORT", "6543");
    });
    for (variant, name, client) in [
        ("sqlite-hundred", "SQLite", "sqlite3"),
        ("postgresql-hundred", "PostgreSQL", "psql"),
        ("mariadb-hundred", "MariaDB", "mariadb"),
    ] {
        let told = record.variants.iter().find(|v| v.name == variant).unwrap();
        match &told.left_out {
            // A client may be there without its server.
            Some(why) => {
                assert!(why.contains("is not installed"), "{why}");
                assert!(!installed(client) || client != "sqlite3", "{why}");
                eprintln!("{name} IS NOT TESTED: {why}");
            }
            None => {
                let seconds = record.figure(variant, "insert", "seconds").unwrap();
                assert_eq!(seconds.values.len(), 2, "{variant}");
                assert!(record.plan.server.machine.contains("; beside it "), "{words}");
                assert!(words.contains(&format!("{name} ")), "{words}");
                // Settings decide: a reader sees them.
                assert!(record.plan.server.machine.contains(" = "), "{words}");
                assert!(record.figure(variant, "insert", "log_flushes").is_none());
            }
        }
    }
    let page = std::fs::read_to_string(out.join("loop-tiny/report.html")).unwrap();
    assert!(page.contains("SQLite: 100 rows a commit"));
    assert!(!out.join(".server").exists(), "files of a product are left");
}

/// Processes of sqlite3 (not of a program that is about to become one) with a file below a directory.
fn clients_of(dir: &Path) -> Vec<i32> {
    let words = |process: &Path| std::fs::read(process.join("cmdline")).unwrap_or_default();
    let is_one = |process: &Path| {
        let words = String::from_utf8_lossy(&words(process)).into_owned();
        words.starts_with("sqlite3\0") && words.contains(&*dir.to_string_lossy())
    };
    let all = std::fs::read_dir("/proc").unwrap().map(|e| e.unwrap().path());
    all.filter(|p| is_one(p)).filter_map(|p| p.file_name()?.to_str()?.parse().ok()).collect()
}

/// Waits until there are so many clients of a directory; those that there are.
fn until_clients(dir: &Path, count: usize) -> Vec<i32> {
    let began = Instant::now();
    loop {
        let there = clients_of(dir);
        if there.len() == count || began.elapsed() > Duration::from_secs(60) {
            return there;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_client_ends_with_a_lab_that_is_killed() {
    if !installed("sqlite3") {
        eprintln!("SQLite IS NOT TESTED: it is not installed");
        return;
    }
    let dir = TempDir::new("lab-killed");
    let mine = dir.path().join("mine");
    let made = Command::new(binary()).args(["lab", "new"]).arg(&mine).output().unwrap();
    assert!(made.status.success(), "{}", said(&made));
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;\n";
    std::fs::write(mine.join("loop.sqlite.sql"), endless).unwrap();
    let mut lab = Command::new(binary());
    lab.args(["lab", "run"]).arg(&mine).args(["--scale", "tiny", "--repeat", "1", "--peers"]);
    lab.args(["--only", "one-transaction", "--only", "sqlite-hundred", "--out"]);
    lab.arg(dir.path().join("out")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut lab = lab.spawn().unwrap();
    let one = until_clients(dir.path(), 1);
    lab.kill().unwrap();
    lab.wait().unwrap();
    let left = until_clients(dir.path(), 0);
    for client in &left {
        let client = rustix::process::Pid::from_raw(*client).unwrap();
        rustix::process::kill_process(client, rustix::process::Signal::KILL).unwrap();
    }
    assert!(one.len() == 1 && left.is_empty(), "{one:?} {left:?}");
}

#[test]
fn products_that_are_not_installed_are_left_out_by_name() {
    let dir = TempDir::new("lab-no-peers");
    let nothing = dir.path().join("bin");
    std::fs::create_dir(&nothing).unwrap();
    let (record, words) = run(&dir.path().join("out"), |c| {
        c.env("PATH", &nothing);
    });
    for (variant, name) in [
        ("sqlite-hundred", "SQLite"),
        ("postgresql-hundred", "PostgreSQL"),
        ("mariadb-hundred", "MariaDB"),
    ] {
        let told = record.variants.iter().find(|v| v.name == variant).unwrap();
        let why = told.left_out.as_ref().unwrap();
        assert!(why.starts_with(&format!("{name} is not installed: there is no ")), "{why}");
        assert!(words.contains(why), "{words}");
    }
    assert!(record.figure("autocommit", "insert", "seconds").is_some());
}

#[test]
fn without_the_flag_nobody_speaks_of_products() {
    let dir = TempDir::new("lab-alone");
    let out = dir.path().join("out");
    let mut command = Command::new(binary());
    command.args(["lab", "run", "loop", "--scale", "tiny", "--repeat", "1", "--out"]);
    let done = command.arg(&out).output().unwrap();
    assert!(done.status.success() && !said(&done).contains("SQLite"), "{}", said(&done));
    let record = store::record(&out.join("loop-tiny")).unwrap();
    assert!(record.variants.iter().all(|v| !v.name.contains("sqlite")));
    let mut alone = Command::new(binary());
    alone.args(["lab", "run", "loop", "--scale", "tiny", "--only", "sqlite-hundred", "--out"]);
    let refused = alone.arg(&out).output().unwrap();
    let why = "loop: no variant is left to run on the server";
    assert!(!refused.status.success() && said(&refused).contains(why), "{}", said(&refused));
}
