//! Logins of one's own over TDS: who gets in, and what the others hear.

use super::container::{Running, serve};
use std::fs;
use std::path::Path;
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_tests::TempDir;

fn start(data: &Path) -> Running {
    let mut command = serve(data);
    command.args(["--listen", "127.0.0.1:0", "--console", "off"]);
    command.env("TAFFRAIL_SA_PASSWORD", "Sa-pass-1!");
    Running::start(&mut command)
}

fn options(server: &Running, user: &str, password: &str, database: &str) -> ConnectOptions {
    ConnectOptions {
        port: server.port,
        user: user.into(),
        password: password.into(),
        database: database.into(),
        ..Default::default()
    }
}

fn login(server: &Running, user: &str, password: &str) -> Client {
    Client::connect(&options(server, user, password, "master")).unwrap()
}

/// What the client hears of a login that is refused.
fn refused(server: &Running, user: &str, password: &str, database: &str) -> String {
    match Client::connect(&options(server, user, password, database)) {
        Ok(_) => "let in".into(),
        Err(e) => format!("{e:#}"),
    }
}

#[test]
fn a_login_gets_in_with_its_password_and_nobody_learns_why_not() {
    let temp = TempDir::new("logins");
    let data = temp.path().join("data");
    let log = || fs::read_to_string(data.join("log/errorlog")).unwrap();
    let server = start(&data);
    let mut sa = login(&server, "sa", "Sa-pass-1!");
    for statement in [
        "CREATE DATABASE closed",
        "CREATE LOGIN app WITH PASSWORD = 'Str0ng!pw'",
        "CREATE LOGIN [off] WITH PASSWORD = 'Str0ng!pw'",
        "ALTER LOGIN [off] DISABLE",
        "CREATE LOGIN due WITH PASSWORD = 'Str0ng!pw' MUST_CHANGE, CHECK_EXPIRATION = ON",
        "CREATE LOGIN lost WITH PASSWORD = 'Str0ng!pw', DEFAULT_DATABASE = closed",
        "DECLARE @h nvarchar(max) = (SELECT CONVERT(nvarchar(max), password_hash, 1) FROM sys.sql_logins WHERE name = 'app')
         EXEC ('CREATE LOGIN twin WITH PASSWORD = ' + @h + ' HASHED, CHECK_POLICY = OFF')",
    ] {
        sa.run(statement).unwrap();
    }
    login(&server, "app", "Str0ng!pw");
    login(&server, "twin", "Str0ng!pw");
    assert!(refused(&server, "nobody", "Str0ng!pw", "master").contains("18456"));
    assert!(refused(&server, "app", "wrong", "master").contains("18456"));
    assert!(refused(&server, "off", "wrong", "master").contains("18456"));
    assert!(refused(&server, "off", "Str0ng!pw", "master").contains("18470"));
    assert!(refused(&server, "due", "Str0ng!pw", "master").contains("18488"));
    assert!(refused(&server, "app", "Str0ng!pw", "closed").contains("4060"));
    assert!(refused(&server, "lost", "Str0ng!pw", "").contains("4064"));
    for reason in [
        "State: 5.",
        "Could not find a login matching the name provided.",
        "State: 8.",
        "State: 7.",
        "State: 38.",
        "State: 40.",
    ] {
        assert!(log().contains(reason), "{reason}: {}", log());
    }
    // A login without rights is no sysadmin.
    let mut app = login(&server, "app", "Str0ng!pw");
    for statement in
        ["CREATE DATABASE mine", "CREATE LOGIN other WITH PASSWORD = 'Str0ng!pw'", "SHUTDOWN"]
    {
        assert!(app.run(statement).is_err(), "{statement}");
    }
    assert!(sa.run("DROP LOGIN app").is_err(), "it is connected");
    // sa under another name, and kept over a restart.
    sa.run("ALTER LOGIN sa WITH NAME = boss").unwrap();
    drop((sa, app));
    server.stop();
    let server = start(&data);
    login(&server, "boss", "Sa-pass-1!");
    login(&server, "app", "Str0ng!pw");
    assert!(refused(&server, "sa", "Sa-pass-1!", "master").contains("18456"));
    server.stop();
}
