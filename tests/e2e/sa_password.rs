//! `DIR/sa-password`: it holds the password of `sa`, or it is not there.

use super::container::{Running, serve};
use std::fs;
use std::path::Path;
use std::process::Command;
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_tests::{TempDir, binary};

fn start(data: &Path, password: Option<&str>) -> Running {
    let mut command = serve(data);
    command.env_remove("MSSQL_SA_PASSWORD").args(["--listen", "127.0.0.1:0", "--console", "off"]);
    if let Some(password) = password {
        command.env("TAFFRAIL_SA_PASSWORD", password);
    }
    Running::start(&mut command)
}

fn login(server: &Running, password: &str) -> Client {
    let options =
        ConnectOptions { port: server.port, password: password.into(), ..Default::default() };
    Client::connect(&options).unwrap()
}

/// What a thread does after the start.
fn within_seconds(what: impl Fn() -> bool) -> bool {
    (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        what()
    })
}

#[test]
fn the_file_of_the_password_goes_with_the_password() {
    let temp = TempDir::new("sa-password");
    let data = temp.path().join("data");
    let file = data.join("sa-password");
    let log = || fs::read_to_string(data.join("log/errorlog")).unwrap();
    let server = start(&data, None);
    let generated = fs::read_to_string(&file).unwrap().trim().to_string();
    let mut sa = login(&server, &generated);
    // The same password again: what the file says is still right.
    sa.run(&format!("ALTER LOGIN sa WITH PASSWORD = '{generated}', CHECK_POLICY = OFF")).unwrap();
    sa.run("ALTER LOGIN sa WITH DEFAULT_DATABASE = master").unwrap();
    assert!(file.exists());
    sa.run("ALTER LOGIN sa WITH PASSWORD = 'Another-one-1!'").unwrap();
    assert!(!file.exists() && log().contains("sa-password was removed"), "{}", log());
    login(&server, "Another-one-1!");
    server.stop();
    // What a crash has left of it.
    fs::write(&file, format!("{generated}\n")).unwrap();
    let server = start(&data, None);
    assert!(within_seconds(|| !file.exists()), "{}", log());
    server.stop();
    // One that the start gives.
    fs::write(&file, "Another-one-1!\n").unwrap();
    let server = start(&data, None);
    login(&server, "Another-one-1!");
    server.stop();
    assert!(file.exists(), "it is right");
    let server = start(&data, Some("weak"));
    login(&server, "weak");
    assert!(within_seconds(|| !file.exists()), "{}", log());
    assert!(log().contains("is accepted, and weak"), "{}", log());
    server.stop();
    let mut health = Command::new(binary());
    assert!(!health.args(["health", "--data"]).arg(&data).output().unwrap().status.success());
}
