//! How `taffrail sql` ends: at the first error, at EXIT, at a network that has gone. Where SQL Server's sqlcmd and go-sqlcmd differ,
//! this is as the former has it: what ends the program ends it in every file.

use super::life::connect;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

fn sql(folder: &Path, port: u16, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SQLCMD") {
            command.env_remove(name);
        }
    }
    command.args(["sql", "-S", &format!("127.0.0.1,{port}"), "-U", "sa", "-C", "-h", "-1", "-W"]);
    command.args(arguments).current_dir(folder).env("SQLCMDPASSWORD", PASSWORD);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_ends_a_script_ends_all_and_nothing_runs_twice() {
    let folder = TempDir::new("sqlcmd-ends");
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut c = connect(&server, "master");
    c.run("CREATE TABLE t (a int)").unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    file("stop.sql", "INSERT t VALUES (1)\nRAISERROR('stop', 16, 1)\nGO\nINSERT t VALUES (10)\n");
    file("open.sql", "INSERT t VALUES (1)\nRAISERROR('stop', 16, 1)\n");
    file("exit.sql", "INSERT t VALUES (1)\nEXIT(SELECT 7)\nINSERT t VALUES (10)\n");
    file("state.sql", "INSERT t VALUES (1)\nRAISERROR('stop', 16, 127)\nGO\n");
    file("reads.sql", ":r stop.sql\nGO\nINSERT t VALUES (10)\nGO\n");
    file("reads_exit.sql", ":r exit.sql\nGO\nINSERT t VALUES (10)\nGO\n");
    file("count.sql", "INSERT t VALUES (1)\nRAISERROR('stop', 16, 1)\nGO 3\n");
    file("two.sql", "INSERT t VALUES (100)\nGO\n");
    for (arguments, code) in [
        (&["-b", "-i", "stop.sql", "two.sql"][..], 1),
        (&["-b", "-i", "open.sql", "two.sql"], 1),
        (&["-b", "-i", "reads.sql", "two.sql"], 1),
        (&["-b", "-i", "count.sql", "two.sql"], 1),
        (&["-b", "-V", "15", "-i", "stop.sql", "two.sql"], 16),
        (&["-i", "exit.sql", "two.sql"], 7),
        (&["-i", "reads_exit.sql", "two.sql"], 7),
        (&["-i", "state.sql", "two.sql"], 50000 % 256),
    ] {
        c.run("TRUNCATE TABLE t").unwrap();
        let out = sql(folder.path(), server.port, arguments);
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {}", text(&out.stdout));
        let sum = c.query("SELECT SUM(a) FROM t").unwrap().first_value();
        assert_eq!(sum, "1", "{arguments:?}: {}", text(&out.stdout));
    }
}

#[test]
fn what_follows_a_connect_that_fails_does_not_reach_the_server_before() {
    let folder = TempDir::new("sqlcmd-connect");
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut c = connect(&server, "master");
    c.run("CREATE TABLE t (a int)").unwrap();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let other = format!(":connect 127.0.0.1,{gone} -U sa -P x\nGO\nINSERT t VALUES (1)\nGO\n");
    fs::write(folder.path().join("in.sql"), &other).unwrap();
    let back = format!(
        "{other}:connect 127.0.0.1,{} -U sa -P {PASSWORD}\nPRINT 'back'\nGO\n",
        server.port
    );
    fs::write(folder.path().join("back.sql"), back).unwrap();
    for (arguments, says) in [
        (&["-b", "-i", "in.sql"][..], "unable to open tcp connection"),
        (&["-i", "in.sql"], "there is no connection to a server"),
        (&["-i", "back.sql"], "back"),
    ] {
        let out = sql(folder.path(), server.port, arguments);
        let said = text(&out.stdout) + &text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains(says), "{arguments:?}: {said}");
        assert_eq!(c.query("SELECT COUNT(*) FROM t").unwrap().first_value(), "0", "{arguments:?}");
    }
}

/// Passes all on until the batch has come: from there on nothing goes either way.
fn stalling(to: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut server = TcpStream::connect(("127.0.0.1", to)).unwrap();
        let (mut from, mut back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut from, &mut back));
        let mark: Vec<u8> = "WAITFOR".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut bytes = [0; 4096];
        loop {
            let n = client.read(&mut bytes).unwrap_or(0);
            if n == 0 || server.write_all(&bytes[..n]).is_err() {
                return;
            }
            if bytes[..n].windows(mark.len()).any(|w| w == mark) {
                break;
            }
        }
        std::thread::sleep(Duration::from_secs(60));
        drop((client, server));
    });
    port
}

#[test]
fn a_timeout_ends_even_if_the_network_has_gone() {
    let folder = TempDir::new("sqlcmd-stall");
    let server = Server::start(&folder.path().join("data"), &[]);
    let started = Instant::now();
    let batch = "PRINT 'before' WAITFOR DELAY '00:00:40'";
    let out = sql(folder.path(), stalling(server.port), &["-t", "1", "-Q", batch]);
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let said = text(&out.stdout) + &text(&out.stderr);
    assert!(said.contains("Timeout expired") && said.contains("the connection is lost"), "{said}");
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn times_without_an_end_are_no_mistake() {
    let folder = TempDir::new("sqlcmd-times");
    let server = Server::start(&folder.path().join("data"), &[]);
    let forever = u64::MAX.to_string();
    let connect = format!(
        ":setvar SQLCMDSTATTIMEOUT {}\n:connect 127.0.0.1,{} -U sa -P {PASSWORD} -l {forever}\nPRINT 'there'\nGO\n",
        i64::MAX,
        server.port
    );
    fs::write(folder.path().join("in.sql"), connect).unwrap();
    let out = sql(folder.path(), server.port, &["-i", "in.sql"]);
    assert!(text(&out.stdout).contains("there"), "{}", text(&out.stderr));
    let at = format!("127.0.0.1,{}", server.port);
    let mut health = Command::new(binary());
    health.args(["health", "-S", &at, "-t", &forever]).env("SQLCMDPASSWORD", PASSWORD);
    assert!(health.output().unwrap().status.success());
}

/// Testcontainers for Go calls `sqlcmd -No` without `-C`.
#[test]
fn who_asks_for_no_encryption_asks_for_no_certificate() {
    let folder = TempDir::new("sqlcmd-optional");
    let server = Server::start(&folder.path().join("data"), &[]);
    let at = format!("127.0.0.1,{}", server.port);
    for (arguments, connects) in [
        (&["-No"][..], true),
        (&["-N", "optional"], true),
        (&["-No", "-F", "db.example"], false),
        (&["-N"], false),
        (&["-Nm", "-C"], true),
        // Refused in words, below.
        (&["-Ns", "-C"], false),
        (&["-N", "s", "-C"], false),
        (&["-Nstrict", "-C"], false),
    ] {
        let mut command = Command::new(binary());
        command.args(["sql", "-S", &at, "-U", "sa", "-Q", "SELECT 1"]).args(arguments);
        let out = command.env("SQLCMDPASSWORD", PASSWORD).output().unwrap();
        let said = text(&out.stdout) + &text(&out.stderr);
        assert_eq!(out.status.success(), connects, "{arguments:?}: {said}");
        let strict = arguments.iter().any(|a| matches!(*a, "-Ns" | "s" | "-Nstrict"));
        assert_eq!(said.contains("strict"), strict, "{arguments:?}: {said}");
    }
}

#[test]
fn the_environment_says_packet_size_and_login_timeout() {
    let folder = TempDir::new("sqlcmd-environment");
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut command = Command::new(binary());
    let size = "SELECT net_packet_size FROM sys.dm_exec_connections WHERE session_id = @@SPID";
    command.args([
        "sql",
        "-S",
        &format!("127.0.0.1,{}", server.port),
        "-U",
        "sa",
        "-C",
        "-h",
        "-1",
    ]);
    command.args(["-Q", size]).env("SQLCMDPASSWORD", PASSWORD).env("SQLCMDPACKETSIZE", "8192");
    let out = command.output().unwrap();
    assert!(text(&out.stdout).contains("8192"), "{}", text(&out.stdout));
    // Nobody answers there.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("127.0.0.1,{}", silent.local_addr().unwrap().port());
    let started = Instant::now();
    let mut command = Command::new(binary());
    command.args(["sql", "-S", &at, "-U", "sa", "-C", "-Q", "SELECT 1"]);
    command.env("SQLCMDPASSWORD", PASSWORD).env("SQLCMDLOGINTIMEOUT", "1");
    assert_eq!(command.output().unwrap().status.code(), Some(1));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// Waits until so many requests wait for a clock.
fn waits(c: &mut taffrail_lab::client::Client, wanted: &str) {
    let asks = "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE wait_type = 'WAITFOR'";
    let until = Instant::now() + Duration::from_secs(20);
    while c.query(asks).unwrap().first_value() != wanted {
        assert!(Instant::now() < until, "no {wanted} requests that wait");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn ctrl_c_stops_the_batch_and_whoever_sits_at_a_terminal_stays() {
    use std::process::Stdio;
    let folder = TempDir::new("sqlcmd-ctrl-c");
    let server = Server::start(&folder.path().join("data"), &[]);
    let mut watcher = connect(&server, "master");
    let began = Instant::now();
    // Nothing of who runs this test: `sh` would stay in between and die of the signal itself, and
    // what was started in the background ignores it.
    let command = format!(
        "exec env --default-signal=INT '{}' sql -S 127.0.0.1,{} -U sa -h -1 -W",
        binary().display(),
        server.port
    );
    let mut script = Command::new("script")
        .args(["-q", "-e", "-c", &command, "/dev/null"])
        .env("SQLCMDPASSWORD", PASSWORD)
        .env("XDG_STATE_HOME", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = script.stdin.take().unwrap();
    let mut output = script.stdout.take().unwrap();
    let screen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let shared = screen.clone();
    let reader = std::thread::spawn(move || {
        let mut some = [0; 4096];
        while let Ok(n @ 1..) = output.read(&mut some) {
            shared.lock().unwrap().extend_from_slice(&some[..n]);
        }
    });
    let shown = || text(&screen.lock().unwrap());
    let until = Instant::now() + Duration::from_secs(60);
    let shows = |what: &str, times: usize| {
        while shown().matches(what).count() < times {
            assert!(Instant::now() < until, "no {what}: {}", shown());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    shows("1> ", 1);
    keys.write_all(b"WAITFOR DELAY '0:5:0'\r").unwrap();
    shows("2> ", 1);
    keys.write_all(b"GO\r").unwrap();
    waits(&mut watcher, "1");
    keys.write_all(b"\x03").unwrap();
    waits(&mut watcher, "0");
    shows("1> ", 2);
    keys.write_all(b"SELECT 'it ' + 'stays'\r").unwrap();
    shows("2> ", 2);
    keys.write_all(b"GO\r").unwrap();
    shows("it stays", 1);
    shows("1> ", 3);
    keys.write_all(b"EXIT\r").unwrap();
    let ended = script.wait().unwrap();
    drop(keys);
    reader.join().unwrap();
    let screen = shown();
    assert!(ended.success(), "{ended}: {screen}");
    assert!(screen.contains("because the user pressed CTRL+C"), "{screen}");

    // Nobody sits there: the program ends with the batch, and nothing that follows is run.
    let at = format!("127.0.0.1,{}", server.port);
    fs::write(folder.path().join("next.sql"), "SELECT 'nothing ' + 'follows'\nGO\n").unwrap();
    fs::write(folder.path().join("wait.sql"), "WAITFOR DELAY '0:5:0'\nGO\n").unwrap();
    let child = Command::new("env")
        .arg("--default-signal=INT")
        .arg(binary())
        .args(["sql", "-S", &at, "-U", "sa", "-i", "wait.sql", "next.sql"])
        .current_dir(folder.path())
        .env("SQLCMDPASSWORD", PASSWORD)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    waits(&mut watcher, "1");
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let out = child.wait_with_output().unwrap();
    waits(&mut watcher, "0");
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stdout);
    assert!(
        said.contains("because the user pressed CTRL+C") && !said.contains("follows"),
        "{said}"
    );
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn bytes_are_shown_whole_unless_a_width_is_said() {
    let folder = TempDir::new("sqlcmd-bytes");
    let server = Server::start(&folder.path().join("data"), &[]);
    let query = "SET NOCOUNT ON SELECT CAST(0x0A0B AS varbinary(2)), 1";
    let out = sql(folder.path(), server.port, &["-Q", query]);
    assert_eq!(text(&out.stdout), "0x0A0B 1\n\n");
    let out = sql(folder.path(), server.port, &["-Y", "4", "-Q", query]);
    assert_eq!(text(&out.stdout), "0x0A 1\n\n");
    let out = sql(folder.path(), server.port, &["-Y", "200", "-Q", query]);
    assert_eq!(text(&out.stdout), "0x0A0B 1\n\n");
}

/// go-sqlcmd has no `-p`; sqlcmd of ODBC prints packet size, transactions, milliseconds, their mean, transactions a second.
#[test]
fn times_are_told_behind_each_batch() {
    let folder = TempDir::new("sqlcmd-times");
    let server = Server::start(&folder.path().join("data"), &[]);
    fs::write(folder.path().join("two.sql"), "SELECT 1\nGO\nWAITFOR DELAY '00:00:00.2'\nGO 2\n")
        .unwrap();
    let out = text(&sql(folder.path(), server.port, &["-p1", "-i", "two.sql"]).stdout);
    let times: Vec<Vec<f64>> = out
        .lines()
        .filter(|line| line.starts_with("4096:1:"))
        .map(|line| line.split(':').skip(2).map(|n| n.parse().unwrap()).collect())
        .collect();
    assert_eq!(times.len(), 3, "{out}");
    for time in &times[1..] {
        let [total, mean, rate] = time[..] else { panic!("{out}") };
        assert!(total >= 200.0 && mean >= 200.0 && rate <= 5.0, "{out}");
    }
    let out = text(&sql(folder.path(), server.port, &["-p", "-Q", "SELECT 1"]).stdout);
    let told: Vec<&str> = out.lines().skip_while(|line| !line.starts_with("Network")).collect();
    assert_eq!(told[..2], ["Network packet size (bytes): 4096", "1 xact[s]:"], "{out}");
    assert!(told[2].starts_with("Clock Time (ms.): total "), "{out}");
}
