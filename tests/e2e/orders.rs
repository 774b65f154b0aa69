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
