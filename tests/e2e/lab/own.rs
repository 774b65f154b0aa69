//! The server that the lab starts: its settings, its data with and without --keep, its end.

use super::{said, until_lines};
use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_lab::experiment::store;
use taffrail_tests::{TempDir, binary};

/// `lab run` of one small variant on a server of its own.
fn run(out: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(["lab", "run", "loop", "--only", "ten", "--scale", "tiny", "--repeat", "1"]);
    command.arg("--out").arg(out).args(words);
    command
}

/// A run that goes on for a while, when its first trial is done.
fn begun(out: &Path, words: &[&str]) -> Child {
    let child = Command::new(binary())
        .args(["lab", "run", "checkpoints", "--scale", "tiny", "--repeat", "50", "--yes", "--out"])
        .arg(out)
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until_lines(&out.join("checkpoints-tiny/trials.jsonl"), 1);
    child
}

/// Whether a server has a data directory.
fn is_held(data: &Path) -> bool {
    let lock = File::open(data.join("taffrail.lock")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err()
}

/// The words of a shell between `kept: ` and the end of the line.
fn kept(printed: &str) -> &str {
    let (_, rest) = printed.split_once("kept: ").unwrap_or_else(|| panic!("{printed}"));
    rest.lines().next().unwrap()
}

/// Starts what a run says that it has kept; the process and a connection to it.
fn served(command: &str, log: &Path) -> (Child, Client) {
    let command = command.replace("taffrail serve", &format!("exec {} serve", binary().display()));
    let child = Command::new("sh")
        .arg("-c")
        .arg(format!("{command} --listen 127.0.0.1:0 --console off"))
        .stdout(File::create(log).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until_lines(log, 1);
    let ready = std::fs::read_to_string(log).unwrap();
    let (_, port) = ready.split_once("tds=127.0.0.1:").unwrap();
    let password = command.split('\'').nth(1).unwrap();
    let client = Client::connect(&ConnectOptions {
        port: port.split_whitespace().next().unwrap().parse().unwrap(),
        password: password.into(),
        ..ConnectOptions::default()
    });
    (child, client.unwrap())
}

#[test]
fn kept_data_outlives_later_runs() {
    let dir = TempDir::new("lab-keep");
    let out = dir.path().join("out");
    let done = run(&out, &["--keep"]).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    let later = |why: &str| {
        let refused = run(&out, &[]).output().unwrap();
        assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
        assert!(said(&refused).contains(why), "{}", said(&refused));
    };
    later("holds the data of an earlier --keep: remove it, or choose another --out");
    let (mut server, mut client) = served(kept(&said(&done)), &dir.path().join("ready"));
    let there = client.query("SELECT name FROM sys.databases WHERE name LIKE 'TaffrailLab%'");
    assert_eq!(there.unwrap().text(), "TaffrailLab_loop_ten");
    // A directory of a server that runs stays, also where nothing says that it is kept.
    std::fs::write(out.join(".server/taffrail-lab-scratch"), "").unwrap();
    later("holds the data of a server that runs: stop it, or choose another --out");
    assert_eq!(client.query("SELECT 1").unwrap().first_value(), "1");
    kill_process(Pid::from_raw(server.id() as i32).unwrap(), Signal::TERM).unwrap();
    assert!(server.wait().unwrap().success());
    let again = run(&out, &[]).output().unwrap();
    assert!(again.status.success() && !out.join(".server").exists(), "{}", said(&again));
}

#[test]
fn databases_have_pipelined_commit_where_the_run_asks_for_it() {
    let dir = TempDir::new("lab-pipelined");
    let out = dir.path().join("out");
    let done = run(&out, &["--keep", "--pipelined-commit"]).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    let machine = store::record(&out.join("loop-tiny")).unwrap().plan.server.machine;
    assert!(machine.ends_with("; PIPELINED_COMMIT = ON in each database"), "{machine}");
    let (mut server, mut client) = served(kept(&said(&done)), &dir.path().join("ready"));
    let set = "SELECT value FROM TaffrailLab_loop_ten.sys.database_scoped_configurations WHERE name = 'PIPELINED_COMMIT'";
    assert_eq!(client.query(set).unwrap().first_value(), "1");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn an_interrupt_keeps_what_is_to_be_kept() {
    let dir = TempDir::new("lab-keep-interrupt");
    let out = dir.path().join("out");
    let child = begun(&out, &["--keep"]);
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", said(&ended));
    let told = "interrupted; what was made is kept. Where it is removed, the same command goes on";
    assert!(said(&ended).contains(told), "{}", said(&ended));
    let (mut server, _) = served(kept(&said(&ended)), &dir.path().join("ready"));
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn an_interrupt_before_there_is_anything_keeps_nothing() {
    let dir = TempDir::new("lab-keep-nothing");
    let out = dir.path().join("out");
    let mut command = run(&out, &["--keep"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Its server starts; nothing is made on it for a while.
    let began = Instant::now();
    while !out.join(".server/server.log").exists() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), Signal::INT).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", said(&ended));
    assert!(said(&ended).contains("interrupted; what was made is gone"), "{}", said(&ended));
    assert!(!out.exists(), "{}", said(&ended));
}

#[test]
fn an_own_server_knows_no_settings_of_others() {
    let dir = TempDir::new("lab-settings");
    let nowhere = dir.path().join("nowhere");
    let mut command = run(&dir.path().join("out"), &[]);
    for name in ["TAFFRAIL_SA_PASSWORD", "MSSQL_SA_PASSWORD", "SA_PASSWORD", "SQLCMDPASSWORD"] {
        command.env(name, "Another-1");
    }
    for name in ["TAFFRAIL_DEFAULT_LOG_DIR", "TAFFRAIL_INIT_DIR", "MSSQL_BACKUP_DIR"] {
        command.env(name, &nowhere);
    }
    command.env("TAFFRAIL_LOG_TO_STDOUT", "true").env("TAFFRAIL_TLS", "nonsense");
    // Under the name of SQL Server's binary it would be a server with the settings of others.
    command.arg0(dir.path().join("bin/taffrail"));
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
    assert!(!nowhere.exists());
}

#[test]
fn a_binary_of_another_name_is_a_lab_all_the_same() {
    let dir = TempDir::new("lab-name");
    let renamed = dir.path().join("sqlservr");
    std::fs::copy(binary(), &renamed).unwrap();
    let out = dir.path().join("out");
    let done = Command::new(&renamed)
        .arg0("taffrail")
        .args(["lab", "run", "loop", "--only", "ten", "--scale", "tiny", "--repeat", "1", "--out"])
        .arg(&out)
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", said(&done));
    assert!(!dir.path().join("data").exists(), "a server of another's settings has run");
}

#[test]
fn a_disk_without_room_is_one_clear_line() {
    let dir = TempDir::new("lab-full");
    // A disk of 280 MB, that only this command sees.
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c"]);
    command.arg("mount -t tmpfs -o size=280m lab \"$1\" || exit 99; \"$2\" lab run loop --scale tiny --peers --out \"$1/out\"");
    let done = command.arg("sh").arg(dir.path()).arg(binary()).output().unwrap();
    if done.status.code() == Some(99) || said(&done).contains("unshare:") {
        eprintln!("A FULL DISK IS NOT TESTED: {}", said(&done));
        return;
    }
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert_eq!(said(&done).lines().count(), 1, "{}", said(&done));
    let told = "MB free where the lab's server keeps its data; this run takes ";
    assert!(said(&done).contains(told), "{}", said(&done));
}

#[test]
fn a_server_does_not_outlive_its_lab() {
    let dir = TempDir::new("lab-killed");
    let out = dir.path().join("out");
    let mut child = begun(&out, &[]);
    let data = out.join(".server/data");
    assert!(is_held(&data));
    child.kill().unwrap();
    child.wait().unwrap();
    let began = Instant::now();
    while is_held(&data) {
        assert!(began.elapsed() < Duration::from_secs(10), "the server goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
    // The directory that is left is the lab's, and the next run takes it away.
    let again = run(&out, &[]).output().unwrap();
    assert!(again.status.success() && !out.join(".server").exists(), "{}", said(&again));
}
