//! The server as a service of others: systemd, older kernels; and what the binary says it is.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::host::{client, detached_by, signal};
use taffrail_tests::{TempDir, binary};

/// What the service manager hears next.
fn hears(socket: &UnixDatagram) -> String {
    let mut text = [0; 4096];
    let n = socket.recv(&mut text).expect("a message within the time");
    String::from_utf8_lossy(&text[..n]).into_owned()
}

#[test]
fn systemd_hears_when_it_serves_and_when_it_ends() {
    let temp = TempDir::new("notify");
    let path = temp.path().join("socket");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let init = temp.path().join("init");
    std::fs::create_dir(&init).unwrap();
    // The server of the first start is nobody's that waits.
    std::fs::write(init.join("1.sql"), "CREATE DATABASE made").unwrap();
    let variables =
        [("NOTIFY_SOCKET", path.to_str().unwrap()), ("TAFFRAIL_INIT_DIR", init.to_str().unwrap())];
    let (mut child, port) = detached_by(&[], &temp.path().join("data"), &variables);
    let said = hears(&socket);
    assert!(said.starts_with("READY=1\nSTATUS=taffrail ready: tds=127.0.0.1:"), "{said}");
    assert!(said.contains(&format!(":{port} ")), "{said}");
    assert_eq!(client(port).query("SELECT DB_ID('made')").unwrap().first_value(), "5");
    signal(&child, rustix::process::Signal::TERM);
    assert_eq!(hears(&socket), "STOPPING=1\n");
    assert!(child.wait().unwrap().success());
}

/// What it says on standard error stays in the journal, which others may read.
#[test]
fn a_service_shows_no_password() {
    for managed in [false, true] {
        let temp = TempDir::new("password-shown");
        let path = temp.path().join("socket");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (data, errors) = (temp.path().join("data"), temp.path().join("errors"));
        let mut command = Command::new(binary());
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data);
        for name in ["TAFFRAIL_SA_PASSWORD", "MSSQL_SA_PASSWORD", "SA_PASSWORD"] {
            command.env_remove(name);
        }
        if managed {
            command.env("NOTIFY_SOCKET", &path);
        }
        let (reads, out) = std::io::pipe().unwrap();
        command.stdout(out).stderr(std::fs::File::create(&errors).unwrap());
        let mut child = command.spawn().unwrap();
        drop(command);
        BufReader::new(reads).read_line(&mut String::new()).unwrap();
        let password = std::fs::read_to_string(data.join("sa-password")).unwrap();
        signal(&child, rustix::process::Signal::TERM);
        assert!(child.wait().unwrap().success());
        let said = std::fs::read_to_string(&errors).unwrap();
        assert_eq!(said.contains(password.trim()), !managed, "{said}");
        assert!(said.contains("see ") && said.contains("sa-password"), "{said}");
    }
}

#[test]
fn an_older_kernel_loses_nothing_that_was_committed() {
    let temp = TempDir::new("older-kernel");
    let data = temp.path().join("data");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("older_kernel.py");
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = String::from_utf8(python.unwrap().stdout).unwrap();
    let older = [python.trim(), script.to_str().unwrap()];
    let (mut child, port) = detached_by(&older, &data, &[]);
    let mut c = client(port);
    c.query("CREATE DATABASE kept").unwrap();
    c.query("CREATE TABLE kept.dbo.t (a int PRIMARY KEY, b char(2000) NOT NULL)").unwrap();
    for n in 0..20 {
        c.query(&format!("INSERT kept.dbo.t VALUES ({n}, 'x')")).unwrap();
    }
    c.query("CHECKPOINT").unwrap();
    c.query("INSERT kept.dbo.t VALUES (20, 'y')").unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let (mut child, port) = detached_by(&older, &data, &[]);
    let mut c = client(port);
    assert_eq!(c.query("SELECT COUNT(*) FROM kept.dbo.t").unwrap().first_value(), "21");
    c.query("DBCC CHECKDB (kept) WITH NO_INFOMSGS").unwrap();
    signal(&child, rustix::process::Signal::TERM);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_version_names_the_commit() {
    let out = Command::new(binary()).arg("--version").output().unwrap();
    let said = String::from_utf8(out.stdout).unwrap();
    let words: Vec<&str> = said.split_whitespace().collect();
    assert_eq!(words[..2], ["taffrail", env!("CARGO_PKG_VERSION")], "{said}");
    let commit = words[2].trim_start_matches('(').trim_end_matches(')');
    assert!(commit.len() >= 12 && commit.bytes().all(|b| b.is_ascii_hexdigit()), "{said}");
}
