//! `taffrail lab`: what it makes on a server, what it leaves alone, who reads what it prints.

use std::process::{Command, Output, Stdio};
use taffrail_lab::client::{Client, ConnectOptions, Encrypt};
use taffrail_tests::{PASSWORD, Server, TempDir, binary};

fn lab(server: &Server, words: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command
        .arg("lab")
        .args(words)
        .env("SQLCMDSERVER", format!("127.0.0.1,{}", server.port))
        .env("SQLCMDPASSWORD", PASSWORD);
    command
}

fn client(server: &Server) -> Client {
    Client::connect(&ConnectOptions {
        port: server.port,
        password: PASSWORD.into(),
        encrypt: Encrypt::Optional,
        trust_server_certificate: true,
        ..ConnectOptions::default()
    })
    .unwrap()
}

/// Nobody reads what the command prints.
fn unread(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

const NAMES: &str = "SELECT name FROM sys.databases WHERE name LIKE 'TryLog%' ORDER BY name";

#[test]
fn try_the_log_touches_only_databases_that_it_has_made() {
    let dir = TempDir::new("lab-try");
    let server = Server::start(&dir.path().join("data"), &["--console", "off"]);
    let mut user = client(&server);
    // One is a left-over of its own, one is a user's.
    user.run("CREATE DATABASE TryLogMany").unwrap();
    user.run("EXEC TryLogMany.sys.sp_addextendedproperty @name = N'made by try-the-log'").unwrap();
    user.run("CREATE DATABASE TryLog").unwrap();
    user.run("CREATE TABLE TryLog.dbo.mine (i int); INSERT TryLog.dbo.mine VALUES (1)").unwrap();
    let refused = lab(&server, &["try"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{said}");
    assert!(said.contains("which this script has not made: TryLog."), "{said}");
    assert_eq!(user.query(NAMES).unwrap().text(), "TryLog\nTryLogMany");
    assert_eq!(user.query("SELECT i FROM TryLog.dbo.mine").unwrap().first_value(), "1");
    // Without the user's it begins; who does not want to see it gets nothing left behind.
    user.run("DROP DATABASE TryLog").unwrap();
    let ended = unread(lab(&server, &["try"]));
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success() && said.is_empty(), "{said}");
    assert_eq!(user.query(NAMES).unwrap().text(), "");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut command = Command::new(binary());
    command.args(["lab", "list"]);
    let ended = unread(command);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success() && said.is_empty(), "{said}");
}

/// A self-signed certificate as openssl makes it: that of an authority, too.
fn self_signed(dir: &std::path::Path, name: &str, more: &[&str]) -> [String; 2] {
    let files = ["crt", "key"].map(|e| dir.join(format!("{name}.{e}")).display().to_string());
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=here", "-addext"])
        .args([&format!("subjectAltName={name}"), "-out", &files[0], "-keyout", &files[1]])
        .args(more)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    files
}

#[test]
fn encryption_asks_who_answers() {
    let dir = TempDir::new("lab-trust");
    let [right, key] = self_signed(dir.path(), "DNS:localhost,IP:127.0.0.1", &["-days", "30"]);
    let [other, _] = self_signed(dir.path(), "IP:127.0.0.1", &["-days", "30"]);
    let arguments = ["--console", "off", "--tls-certificate-file", &right, "--tls-key-file", &key];
    let server = Server::start(&dir.path().join("data"), &arguments);
    let load = |more: &[&str], variable: &str| {
        let mut command =
            lab(&server, &["load", "tpcc-customer", "--rows", "1", "-q", "--truncate"]);
        command.args(more).env_remove("SSL_CERT_FILE");
        if !variable.is_empty() {
            command.env("SSL_CERT_FILE", variable);
        }
        let out = command.output().unwrap();
        match out.status.success() {
            true => "done".to_string(),
            false => String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    };
    assert_eq!(load(&[], ""), "done");
    assert_eq!(load(&["-N", "yes", "-C"], ""), "done");
    // The certificate itself is among those that are trusted.
    assert_eq!(load(&["-N", "yes", "--ca-file", &right], ""), "done");
    assert_eq!(load(&["-N", "yes"], &right), "done");
    // This machine is no proof, nor is another one's certificate, nor the right one under another name.
    for (more, variable) in [(&["-N", "yes"][..], ""), (&["-N", "yes", "--ca-file", &other], "")] {
        let said = load(more, variable);
        assert!(said.contains("certificate"), "{said}");
    }
    let elsewhere = format!("127.0.0.2,{}", server.port);
    let said = load(&["-S", &elsewhere, "-N", "yes"], &right);
    assert!(said != "done", "127.0.0.2 is nobody, or bears another name");
    let [wrong, key] = self_signed(dir.path(), "DNS:elsewhere", &["-days", "30"]);
    let arguments = ["--console", "off", "--tls-certificate-file", &wrong, "--tls-key-file", &key];
    let server = Server::start(&dir.path().join("other"), &arguments);
    let mut command = lab(&server, &["load", "tpcc-customer", "--rows", "1", "-q", "-N", "yes"]);
    let out = command.args(["--ca-file", &wrong]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && said.contains("not valid for name"), "{said}");
}
