//! Orders to a server that runs: a new certificate, SHUTDOWN.

use crate::host::{client, detached, signal};
use crate::life::connect;
use rustix::process::Signal;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ConnectOptions, Encrypt};
use taffrail_tests::{PASSWORD, Server, TempDir};

/// The self-signed pair of a server that has been started once there.
fn make_pair(data: &Path) -> [Vec<u8>; 2] {
    assert!(Server::start(data, &[]).stop().success());
    ["server.crt", "server.key"].map(|name| fs::read(data.join(name)).unwrap())
}

/// Whether a client gets in that takes this certificate and no other.
fn takes(port: u16, certificate: &Path) -> bool {
    Client::connect(&ConnectOptions {
        port,
        password: PASSWORD.into(),
        encrypt: Encrypt::Yes,
        pinned_certificate: Some(certificate.into()),
        ..Default::default()
    })
    .is_ok()
}

#[test]
fn a_certificate_that_is_replaced_is_in_use_after_sighup() {
    let temp = TempDir::new("renewed");
    let old = make_pair(&temp.path().join("one"));
    let new = make_pair(&temp.path().join("two"));
    let [old_only, new_only] = ["old.crt", "new.crt"].map(|name| temp.path().join(name));
    fs::write(&old_only, &old[0]).unwrap();
    fs::write(&new_only, &new[0]).unwrap();
    let files = ["tls.crt", "tls.key"].map(|name| temp.path().join(name));
    let put = |pair: &[Vec<u8>; 2]| {
        for (file, bytes) in files.iter().zip(pair) {
            fs::write(file, bytes).unwrap();
        }
    };
    put(&old);
    let [certificate, key] = files.each_ref().map(|f| f.to_str().unwrap().to_owned());
    let variables =
        [("TAFFRAIL_TLS_CERTIFICATE_FILE", &*certificate), ("TAFFRAIL_TLS_KEY_FILE", &*key)];
    let data = temp.path().join("data");
    let (mut child, port) = detached(&data, &variables);
    let mut before = client(port);
    assert!(takes(port, &old_only) && !takes(port, &new_only));
    let log = || fs::read_to_string(data.join("log/errorlog")).unwrap();
    let wait_for = |text: &str, times: usize| {
        let until = Instant::now() + Duration::from_secs(20);
        while log().matches(text).count() < times {
            assert!(Instant::now() < until, "{}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    put(&new);
    assert!(takes(port, &old_only), "nobody has said that there is a new one");
    signal(&child, Signal::HUP);
    wait_for("was loaded for encryption", 2);
    assert!(takes(port, &new_only) && !takes(port, &old_only));
    // One that cannot be used changes nothing.
    fs::write(&files[1], b"none").unwrap();
    signal(&child, Signal::HUP);
    wait_for("could not be loaded, the old one stays", 1);
    assert!(takes(port, &new_only));
    assert_eq!(before.query("SELECT 1").unwrap().first_value(), "1");
    signal(&child, Signal::TERM);
    assert!(child.wait().unwrap().success());
}

#[test]
fn after_shutdown_with_nowait_the_next_start_rolls_back_what_was_open() {
    let temp = TempDir::new("nowait");
    let data = temp.path().join("data");
    let (mut child, port) = detached(&data, &[]);
    let (mut open, mut c) = (client(port), client(port));
    c.run("CREATE TABLE t (a int); INSERT t VALUES (1)").unwrap();
    open.run("BEGIN TRANSACTION; INSERT t VALUES (2)").unwrap();
    let began = Instant::now();
    // The connection may be gone before the answer has come.
    let _ = c.run("SHUTDOWN WITH NOWAIT");
    assert!(child.wait().unwrap().success());
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let log = fs::read_to_string(data.join("log/errorlog")).unwrap();
    assert!(log.contains("from login sa") || log.contains("shutting down at once"), "{log}");
    let server = Server::start(&data, &[]);
    let rows = connect(&server, "master").query("SELECT COUNT(*) FROM t WITH (NOLOCK)").unwrap();
    assert_eq!(rows.first_value(), "1");
    assert!(server.stop().success());
}

#[test]
fn a_login_has_the_password_and_the_database_that_it_was_given_last() {
    let temp = TempDir::new("password");
    let (mut child, port) = detached(&temp.path().join("data"), &[]);
    let enter = |password: &str| {
        let password = password.to_owned();
        Client::connect(&ConnectOptions { port, password, ..Default::default() })
    };
    let mut admin = client(port);
    let mut refused = |sql: &str| admin.query(sql).unwrap_err().to_string();
    for (options, says) in [
        ("PASSWORD = 'Sh0rt!'", "too short"),
        ("PASSWORD = ''", "too short"),
        ("PASSWORD = '', CHECK_POLICY = OFF", "too short"),
        ("PASSWORD = 'lower case only'", "not complex enough"),
        ("PASSWORD = 'Another-2026' OLD_PASSWORD = 'wrong'", "Cannot alter the login 'sa'"),
        ("DEFAULT_DATABASE = nowhere", "'nowhere' does not exist"),
    ] {
        let said = refused(&format!("ALTER LOGIN sa WITH {options}"));
        assert!(said.contains(says), "{options}: {said}");
    }
    let said = refused("ALTER LOGIN nobody WITH PASSWORD = 'Another-2026'");
    assert!(said.contains("Cannot alter the login 'nobody'"), "{said}");
    admin.query("BEGIN TRAN; ALTER LOGIN sa WITH PASSWORD = 'Another-2026'; ROLLBACK").unwrap();
    drop(enter(PASSWORD).expect("neither a refusal nor a rollback has changed anything"));

    admin.query("CREATE DATABASE shop").unwrap();
    let change = format!(
        "ALTER LOGIN sa WITH PASSWORD = 'Another-2026' OLD_PASSWORD = '{PASSWORD}', DEFAULT_DATABASE = shop"
    );
    admin.query(&change).unwrap();
    assert!(enter(PASSWORD).is_err(), "the old one is of no use any more");
    let mut other = enter("Another-2026").unwrap();
    assert_eq!(other.query("SELECT DB_NAME()").unwrap().first_value(), "shop");
    admin.query("ALTER LOGIN sa WITH PASSWORD = 'weak', CHECK_POLICY = OFF").unwrap();
    drop(enter("weak").unwrap());
    admin.query("ALTER LOGIN sa ENABLE; SHUTDOWN").ok();
    child.wait().unwrap();
}
