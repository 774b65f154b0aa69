//! Stock clients, each a program of its own in `tests/clients`, against a server on a free port.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use taffrail_tests::{PASSWORD, Server, TempDir};

pub fn installed(name: &str) -> PathBuf {
    let folder = std::env::var_os("TAFFRAIL_CLIENTS").map(PathBuf::from).unwrap_or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cache"));
        cache.or(home).expect("a home folder").join("taffrail/clients")
    });
    let path = folder.join(name);
    assert!(path.exists(), "{} is missing: run tests/clients/setup.sh", path.display());
    path
}

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").into()
}

/// Starts a server, runs `program` with HOST PORT PASSWORD WORKLOADS, and wants it to succeed.
fn run(name: &str, mut program: Command) {
    let data = TempDir::new(name);
    let server = Server::start(&data.path().join("data"), &[]);
    let out = program
        .arg("127.0.0.1")
        .arg(server.port.to_string())
        .arg(PASSWORD)
        .arg(repository().join("crates/lab/workloads"))
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("{program:?}: {e}"));
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success(),
        "{name} failed: {}\n{}\n{text}",
        out.status,
        String::from_utf8_lossy(&out.stderr)
    );
    assert!(
        text.lines().filter(|l| l.starts_with("ok ")).count() >= 10,
        "{name} checked little:\n{text}"
    );
    assert!(server.stop().success(), "the server did not stop cleanly");
}

#[test]
fn sqlcmd() {
    let mut program = Command::new("bash");
    program
        .arg(repository().join("tests/clients/sqlcmd_client.sh"))
        .env("SQLCMD", installed("sqlcmd"));
    run("sqlcmd", program);
}

#[test]
fn sqlcmd_articles() {
    let mut program = Command::new("bash");
    program
        .arg(repository().join("tests/clients/sqlcmd_articles.sh"))
        .env("SQLCMD", installed("sqlcmd"));
    run("sqlcmd-articles", program);
}

#[test]
fn pymssql() {
    let mut program = Command::new(installed("python/bin/python"));
    program.arg(repository().join("tests/clients/pymssql_client.py"));
    run("pymssql", program);
}

/// Microsoft's ODBC driver.
#[test]
fn mssql_python() {
    let mut program = Command::new(installed("python/bin/python"));
    program.arg(repository().join("tests/clients/mssql_python_client.py"));
    run("mssql-python", program);
}

#[test]
fn tedious() {
    let mut program = Command::new("node");
    program
        .arg(repository().join("tests/clients/tedious_client.js"))
        .env("NODE_PATH", installed("node/node_modules"));
    run("tedious", program);
}

#[test]
fn jdbc() {
    let jar = installed("java/mssql-jdbc.jar");
    let classes = installed("java/JdbcClient.class");
    let mut program = Command::new("java");
    program
        .arg("-cp")
        .arg(format!("{}:{}", jar.display(), classes.parent().expect("a folder").display()))
        .arg("JdbcClient");
    run("jdbc", program);
}

/// The statements of telegraf's sqlserver input, as they are.
#[test]
fn telegraf() {
    let mut program = Command::new(installed("python/bin/python"));
    program
        .arg(repository().join("tests/clients/telegraf_statements.py"))
        .env("TELEGRAF", installed("telegraf"));
    run("telegraf", program);
}

/// Prometheus' exporter of SQL, with what the collectors for SQL Server read.
#[test]
fn exporter() {
    let mut program = Command::new(installed("python/bin/python"));
    program
        .arg(repository().join("tests/clients/exporter_client.py"))
        .env("EXPORTER", installed("prometheus-sql-exporter"));
    run("exporter", program);
}

#[test]
fn pymssql_bulk() {
    let mut program = Command::new(installed("python/bin/python"));
    program.arg(repository().join("tests/clients/pymssql_bulk.py"));
    run("pymssql-bulk", program);
}

#[test]
fn tedious_bulk() {
    let mut program = Command::new("node");
    program
        .arg(repository().join("tests/clients/tedious_bulk.js"))
        .env("NODE_PATH", installed("node/node_modules"));
    run("tedious-bulk", program);
}

/// A program of `tests/clients` that runs mssql-jdbc.
fn java(class: &str) -> Command {
    let jar = installed("java/mssql-jdbc.jar");
    let classes = installed(&format!("java/{class}.class"));
    let mut program = Command::new("java");
    program
        .arg("-cp")
        .arg(format!("{}:{}", jar.display(), classes.parent().expect("a folder").display()))
        .arg(class);
    program
}

#[test]
fn jdbc_bulk() {
    run("jdbc-bulk", java("JdbcBulk"));
}

/// Server cursors: selectMethod=cursor, and result sets that scroll.
#[test]
fn jdbc_cursors() {
    run("jdbc-cursors", java("JdbcCursors"));
}

#[test]
fn go_bulk() {
    run("go-bulk", Command::new(installed("gobulk")));
}

#[test]
fn freebcp() {
    let mut program = Command::new("bash");
    program
        .arg(repository().join("tests/clients/freebcp_client.sh"))
        .env("SQLCMD", installed("sqlcmd"));
    run("freebcp", program);
}
