//! `taffrail assess`: scripts of another server, judged statement by statement.

use std::fs;
use std::path::Path;
use std::process::Command;
use taffrail_tests::{TempDir, binary};

/// Assesses a folder; exit code and what was written.
fn assess(folder: &Path, more: &[&str]) -> (i32, String) {
    let out = Command::new(binary())
        .current_dir(folder)
        .args(["assess"])
        .args(more)
        .output()
        .expect("it runs");
    let text =
        format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().expect("an exit code"), text)
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_schema_in_any_order_runs() {
    let dir = TempDir::new("assess-runs");
    // The view's file comes before its table's, the procedure calls one that comes later.
    write(dir.path(), "a/view.sql", "CREATE VIEW dbo.v AS SELECT id, name FROM dbo.t\nGO\n");
    let procedure = "CREATE PROCEDURE dbo.p @id int AS\nBEGIN\n  UPDATE dbo.t SET name = N'x' WHERE id = @id\n  EXEC dbo.q\nEND\nGO\n";
    write(dir.path(), "a/procedure.sql", procedure);
    write(
        dir.path(),
        "b/table.sql",
        "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, name nvarchar(20))\nGO\n",
    );
    write(
        dir.path(),
        "c.sql",
        "CREATE PROCEDURE dbo.q AS SELECT COUNT(*) AS n FROM dbo.v\nGO\nINSERT dbo.t VALUES (1, N'a')\n",
    );
    let (code, text) = assess(dir.path(), &["."]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains(" 0 refused, 0 not judged"), "{text}");
}

#[test]
fn what_is_refused_has_its_place() {
    let dir = TempDir::new("assess-refused");
    let script = ":setvar schema dbo\nCREATE TABLE $(schema).t (id int NOT NULL, x xml)\nGO\n\
        CREATE XML INDEX i ON dbo.t (x)\nGO\n\
        IF DB_ID() > 0\n  SELECT id FROM dbo.t WHERE CONTAINS (x, N'a')\n\
        SELECT id FROM dbo.t; SELECT nothing FROM dbo.t\nGO\n\
        CREATE PROCEDURE dbo.p AS\n  SELECT id FROM dbo.t\n  SELECT * FROM sys.dm_os_sublatches\nGO\n\
        SELECT a FROM other.dbo.u\nGO\nSELECT )\nGO\n";
    write(dir.path(), "one.sql", script);
    let (code, text) = assess(dir.path(), &["one.sql"]);
    assert_eq!(code, 1, "{text}");
    let wanted = [
        "one.sql:4:1: refused: CREATE XML INDEX is not supported",
        "one.sql:7:3: refused: CONTAINS is not supported",
        "one.sql:8:23: refused: Invalid column name 'nothing'. (207)",
        "one.sql:12:3: refused: sys.dm_os_sublatches is not supported",
        "one.sql:14:1: not judged: Invalid object name 'other.dbo.u'.",
        "one.sql:16:1: refused: Incorrect syntax near ')'. (102)",
    ];
    for line in wanted {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(text.contains(" 5 refused, 1 not judged"), "{text}");
    let (code, json) = assess(dir.path(), &["--format", "json", "one.sql"]);
    assert!(
        code == 1 && json.contains("\"refused\": 5") && json.contains("\"number\": 40510"),
        "{json}"
    );
}

#[test]
fn data_is_left_alone_unless_it_is_asked_for() {
    let dir = TempDir::new("assess-data");
    let script = "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY)\nGO\nINSERT dbo.t VALUES (1), (1)\nGO\n\
                  WHILE 1 = 1 SELECT id FROM dbo.t\nGO\n";
    write(dir.path(), "one.sql", script);
    let (code, text) = assess(dir.path(), &["one.sql"]);
    assert!(code == 0 && text.contains(" 0 refused, 0 not judged"), "{text}");
    write(dir.path(), "one.sql", script.split("WHILE").next().unwrap());
    let (code, text) = assess(dir.path(), &["--execute", "one.sql"]);
    assert!(code == 1 && text.contains("one.sql:3:1: refused: Violation of PRIMARY KEY"), "{text}");
}

#[test]
fn what_cannot_be_read_is_neither() {
    let dir = TempDir::new("assess-unread");
    let (code, text) = assess(dir.path(), &["nothing.sql"]);
    assert!(code == 2 && text.contains("nothing.sql"), "{text}");
    write(dir.path(), "one.sql", "SELECT $(value)\n");
    let (code, text) = assess(dir.path(), &["one.sql"]);
    assert!(
        code == 0 && text.contains("one.sql:1:1: not judged: the variable $(value) has no value"),
        "{text}"
    );
    let (code, text) = assess(dir.path(), &["-v", "value=1", "one.sql"]);
    assert!(code == 0 && text.contains(" 1 run, 0 refused, 0 not judged"), "{text}");
}
