//! Start, second server, stop, restart.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ClientError, ConnectOptions};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

/// A session in a database. One that a start recovers, after a kill, is waited for.
pub(crate) fn connect(server: &Server, database: &str) -> Client {
    let to = |database: &str| {
        Client::connect(&ConnectOptions {
            port: server.port,
            password: PASSWORD.into(),
            database: database.into(),
            ..Default::default()
        })
    };
    let until = Instant::now() + Duration::from_secs(60);
    let recovering = || -> bool {
        let left = format!(
            "SELECT COUNT(*) FROM sys.databases WHERE name = '{database}' AND state_desc = 'RECOVERING'"
        );
        let found = to("master").and_then(|mut c| c.query(&left)).map(|a| a.first_value());
        found.is_ok_and(|n| n != "0") && Instant::now() < until
    };
    // Behind the last look it may just have been opened.
    let mut last = false;
    loop {
        match to(database) {
            Err(ClientError::Server(m)) if !last && m.iter().any(|m| m.number == 4060) => {
                last = !recovering();
            }
            connected => return connected.unwrap_or_else(|e| panic!("connecting: {e}")),
        }
    }
}

#[test]
fn the_ready_line_names_what_listens() {
    let data = TempDir::new("ready");
    let folder = data.path().join("data");
    let server = Server::start(&folder, &["--console", "off"]);
    let expected = format!(
        "taffrail ready: tds=127.0.0.1:{} console=off data={}",
        server.port,
        folder.display()
    );
    assert_eq!(server.ready_line, expected);
    assert!(server.stop().success());
}

#[test]
fn a_second_server_on_the_same_data_says_who_holds_it() {
    let data = TempDir::new("lock");
    let folder = data.path().join("data");
    let server = Server::start(&folder, &[]);
    let second = Command::new(binary())
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(&folder)
        .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
        .output()
        .expect("the binary runs");
    assert!(!second.status.success());
    let text = String::from_utf8_lossy(&second.stderr);
    assert!(
        text.contains(&server.pid().to_string()),
        "does not name process {}: {text}",
        server.pid()
    );
    assert_eq!(connect(&server, "master").query("SELECT 1").unwrap().first_value(), "1");
}

/// What a start with these flags says at its end on standard error, having come to nothing.
fn refused(data: &Path, flags: &[&str]) -> String {
    let out = Command::new(binary())
        .args(["serve", "--admin-listen", "off", "--console", "off", "--data"])
        .arg(data)
        .args(flags)
        .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
        .output()
        .expect("the binary runs");
    assert!(!out.status.success() && out.stdout.is_empty(), "{flags:?}: {out:?}");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let last = said.lines().last().unwrap_or_default();
    last.strip_prefix("taffrail: ").unwrap_or_else(|| panic!("{said}")).to_owned()
}

#[test]
fn a_start_that_fails_makes_nothing_and_says_why_in_the_error_log_too() {
    let temp = TempDir::new("refused");
    let (data, gone) = (temp.path().join("data"), temp.path().join("gone"));
    let file = temp.path().join("file");
    std::fs::write(&file, "no certificate").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let (gone, file) = (gone.to_str().unwrap(), file.to_str().unwrap());
    let listens = ["--listen", "127.0.0.1:0"];
    for (flags, why) in [
        (vec!["--file-root", file], format!("file_roots: {file}: it is no directory")),
        (vec!["--default-data-dir", file], format!("default_data_dir: {file}: File exists")),
        (
            vec!["--tls-certificate-file", file, "--tls-key-file", file],
            format!("certificate: {file}: no certificate in this file"),
        ),
        (vec!["--listen", &taken], format!("listen {taken}: Address already in use")),
    ] {
        let flags = if flags[0] == "--listen" { flags } else { [&listens[..], &flags].concat() };
        let said = refused(&data, &flags);
        assert!(said.starts_with(&why), "{said} instead of {why}");
        let log = std::fs::read_to_string(data.join("log/errorlog")).unwrap();
        let last = log.lines().last().unwrap();
        assert!(last.ends_with(&format!(" Server      {said}")), "{last} instead of {said}");
        assert!(!data.join("master.mdf").exists(), "{said}");
    }
    // What the settings name and cannot be read: nothing at all is made.
    let (data, at) = (temp.path().join("other"), format!("{gone}: No such file or directory"));
    for setting in ["sa-password-file", "metrics-token-file", "config"] {
        let said = refused(&data, &[&format!("--{setting}"), gone]);
        assert!(said.starts_with(&format!("{}: {at}", setting.replace('-', "_"))), "{said}");
        assert!(!data.exists());
    }
}

#[test]
fn memory_that_the_system_does_not_give_is_told_by_its_setting() {
    let temp = TempDir::new("memory");
    let out = Command::new("sh")
        .args(["-c", "ulimit -v 4000000 && exec \"$0\" \"$@\""])
        .arg(binary())
        .args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--console", "off"])
        .args(["--max-server-memory-mb", "64000", "--data"])
        .arg(temp.path().join("data"))
        .env("TAFFRAIL_SA_PASSWORD", PASSWORD)
        .output()
        .expect("sh runs");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let wanted = "taffrail: max_server_memory_mb: the system does not give 64000 MB of memory.";
    assert!(!out.status.success() && said.contains(wanted), "{said}");
}

#[test]
fn a_generated_password_is_written_and_works() {
    use std::os::unix::fs::PermissionsExt;
    let data = TempDir::new("password");
    let folder = data.path().join("data");
    let mut child = Command::new(binary())
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(&folder)
        .env_remove("TAFFRAIL_SA_PASSWORD")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).expect("a line");
    let file = folder.join("sa-password");
    let password = std::fs::read_to_string(&file).expect("the password's file");
    assert_eq!(std::fs::metadata(&file).expect("its metadata").permissions().mode() & 0o777, 0o600);
    let port =
        line.split("tds=127.0.0.1:").nth(1).and_then(|t| t.split(' ').next()).expect("a port");
    let mut client = Client::connect(&ConnectOptions {
        port: port.parse().expect("a number"),
        password: password.trim().into(),
        ..Default::default()
    })
    .expect("the password works");
    assert_eq!(client.query("SELECT 1").unwrap().first_value(), "1");
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn everything_is_there_after_a_clean_stop_and_after_a_kill() {
    let data = TempDir::new("restart");
    let folder = data.path().join("data");
    let server = Server::start(&folder, &[]);
    let mut client = connect(&server, "master");
    client.run("CREATE DATABASE d").unwrap();
    client.run("USE d").unwrap();
    client
        .run("CREATE TABLE t (i int IDENTITY PRIMARY KEY, v varchar(100), INDEX ix (v))")
        .unwrap();
    client.run("INSERT t (v) VALUES ('before the stop'), ('too')").unwrap();
    client.run("CREATE PROCEDURE p AS SELECT COUNT(*) FROM t").unwrap();
    drop(client);
    assert!(server.stop().success());

    let server = Server::start(&folder, &[]);
    let mut client = connect(&server, "d");
    assert_eq!(client.query("EXEC p").unwrap().first_value(), "2");
    client.run("INSERT t (v) VALUES ('before the kill')").unwrap();
    client.run("BEGIN TRAN").unwrap();
    client.run("INSERT t (v) VALUES ('never committed')").unwrap();
    server.kill();

    let server = Server::start(&folder, &[]);
    let mut client = connect(&server, "d");
    let rows = client.query("SELECT i, v FROM t ORDER BY i").unwrap();
    assert_eq!(rows.text(), "1|before the stop\n2|too\n3|before the kill");
    let found = client.query("SELECT i FROM t WHERE v = 'before the kill'").unwrap();
    assert_eq!(found.first_value(), "3");
    let identity =
        client.query("INSERT t (v) VALUES ('next') SELECT CAST(SCOPE_IDENTITY() AS int)").unwrap();
    assert!(identity.first_value().parse::<i32>().unwrap() > 3, "an identity value came twice");
}

#[test]
fn a_damaged_database_is_reported_and_the_others_stay_up() {
    let data = TempDir::new("damage");
    let folder = data.path().join("data");
    let server = Server::start(&folder, &[]);
    let mut client = connect(&server, "master");
    for name in ["good", "bad"] {
        client.run(&format!("CREATE DATABASE {name}")).unwrap();
        client.run(&format!("CREATE TABLE {name}.dbo.t (i int)")).unwrap();
        client.run(&format!("INSERT {name}.dbo.t VALUES (7)")).unwrap();
    }
    drop(client);
    assert!(server.stop().success());
    let file = folder.join("bad.mdf");
    let mut bytes = std::fs::read(&file).expect("the data file");
    for copy in [9, 10] {
        bytes[copy * 8192 + 100..copy * 8192 + 200].fill(0xee);
    }
    std::fs::write(&file, bytes).expect("written");
    let server = Server::start(&folder, &[]);
    let mut client = connect(&server, "master");
    assert_eq!(client.query("SELECT i FROM good.dbo.t").unwrap().first_value(), "7");
    let state = client.query("SELECT state_desc FROM sys.databases WHERE name = 'bad'").unwrap();
    assert_eq!(state.first_value(), "SUSPECT");
    let number = |client: &mut Client, sql: &str| {
        let error = client.query(sql).err().and_then(|e| e.server().map(|m| m.number));
        error.unwrap_or_else(|| panic!("{sql}: no error of the server"))
    };
    assert_eq!(number(&mut client, "SELECT i FROM bad.dbo.t"), 926);
    assert_eq!(number(&mut client, "USE bad"), 926);
    let log = |what: &str| {
        let log = std::fs::read_to_string(folder.join("log/errorlog")).expect("the error log");
        assert!(log.contains(what), "{what}: {log}");
    };
    log("neither copy of the boot page is readable");
    log("An error occurred during recovery, preventing the database 'bad' (");
    // Out of reach is not damaged: it may come back.
    let away = folder.join("good.away");
    client.run("ALTER DATABASE good SET OFFLINE WITH ROLLBACK IMMEDIATE").unwrap();
    std::fs::rename(folder.join("good.mdf"), &away).expect("moved away");
    assert!(client.run("ALTER DATABASE good SET ONLINE").is_err());
    let state = "SELECT state_desc FROM sys.databases WHERE name = 'good'";
    assert_eq!(client.query(state).unwrap().first_value(), "RECOVERY_PENDING");
    assert_eq!(number(&mut client, "SELECT i FROM good.dbo.t"), 945);
    drop(client);
    assert!(server.stop().success());
    let server = Server::start(&folder, &[]);
    log("Database 'good' cannot be opened and is RECOVERY_PENDING: ");
    let mut client = connect(&server, "master");
    std::fs::rename(&away, folder.join("good.mdf")).expect("moved back");
    client.run("ALTER DATABASE good SET ONLINE").unwrap();
    assert_eq!(client.query("SELECT i FROM good.dbo.t").unwrap().first_value(), "7");
    // What is damaged can be put away, and removed.
    client.run("ALTER DATABASE bad SET OFFLINE").unwrap();
    let state = "SELECT state_desc FROM sys.databases WHERE name = 'bad'";
    assert_eq!(client.query(state).unwrap().first_value(), "OFFLINE");
    client.run("DROP DATABASE bad").unwrap();
    assert!(server.stop().success());
}
