//! `docs/what-is-missing.md`: each statement that it names is refused by name.

use crate::clients::repository;
use crate::life::connect;
use taffrail_lab::client::ClientError;
use taffrail_tests::{Server, TempDir};

/// What is not supported.
const NOT_SUPPORTED: i32 = 40510;

/// The statements of the page: what stands between backquotes behind the first column of a table.
fn statements(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| ---"));
    let cells = rows.filter_map(|l| l[2..].split_once(" | ").map(|(_, rest)| rest));
    let quoted = cells.flat_map(|rest| rest.split('`').skip(1).step_by(2));
    quoted.map(str::to_owned).collect()
}

#[test]
fn what_the_page_calls_missing_is_refused_by_name() {
    let page = std::fs::read_to_string(repository().join("docs/what-is-missing.md")).unwrap();
    let all = statements(&page);
    assert!(all.len() > 40, "{all:?}");
    let temp = TempDir::new("missing");
    let server = Server::start(&temp.path().join("data"), &["--console", "off"]);
    connect(&server, "master").run("CREATE DATABASE shop").unwrap();
    connect(&server, "shop").run("CREATE TABLE dbo.a (id int PRIMARY KEY, x int)").unwrap();
    let mut there = Vec::new();
    for sql in all {
        // Each has a session of its own: a SET option of one is none of the next.
        match connect(&server, "shop").run(&sql) {
            Err(ClientError::Server(m)) if m.iter().any(|m| m.number == NOT_SUPPORTED) => {}
            other => there.push(format!("{sql}: {other:?}")),
        }
    }
    assert!(there.is_empty(), "no longer refused, or not by name:\n{}", there.join("\n"));
    assert!(server.stop().success());
}
