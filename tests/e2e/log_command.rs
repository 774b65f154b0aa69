//! `taffrail log map | dump | verify | changes | undo` on the log of a server that was killed, and on copies with flipped bytes.

use super::life::connect;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use taffrail_tests::{Server, TempDir, binary};

fn log(arguments: &[&str], file: &Path) -> (i32, String) {
    let Output { status, stdout, stderr } =
        Command::new(binary()).arg("log").args(arguments).arg(file).output().expect("it runs");
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    (status.code().expect("an exit code"), text)
}

/// A log with a few hundred transactions, of a server that ended by SIGKILL.
fn killed_log(dir: &Path) -> PathBuf {
    let server = Server::start(&dir.join("data"), &[]);
    let mut client = connect(&server, "master");
    client.query("CREATE DATABASE looked").unwrap();
    let mut client = connect(&server, "looked");
    client.query("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v char(400) NOT NULL)").unwrap();
    client
        .query("SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 400 BEGIN INSERT t VALUES (@i, 'x'); SET @i += 1 END")
        .unwrap();
    server.kill();
    dir.join("data").join("looked_log.ldf")
}

fn copy_with(file: &Path, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let mut bytes = fs::read(file).expect("the log");
    change(&mut bytes);
    // A folder of its own: other files of a log are looked for beside the first.
    let dir = file.with_file_name(name);
    fs::create_dir_all(&dir).expect("a folder");
    let copy = dir.join("looked_log.ldf");
    fs::write(&copy, bytes).expect("a copy");
    copy
}

#[test]
fn a_killed_servers_log_is_shown_and_found_sound() {
    let dir = TempDir::new("log-command");
    let file = killed_log(dir.path());
    let before = fs::read(&file).unwrap();

    let (code, text) = log(&["verify"], &file);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Verdict: sound") && text.contains("The log ends at "), "{text}");
    let (code, json) = log(&["verify", "--json"], &file);
    assert!(code == 0 && json.contains("\"sound\":true"), "{json}");

    let (code, map) = log(&["map"], &file);
    assert_eq!(code, 0, "{map}");
    assert!(map.contains("looked_log.ldf") && map.contains(" head "), "{map}");
    let (_, map) = log(&["map", "--json"], &file);
    assert!(map.lines().all(|l| l.starts_with("{\"kind\":") && l.ends_with('}')), "{map}");

    let (code, all) = log(&["dump"], &file);
    assert_eq!(code, 0);
    let count = |op: &str| all.lines().filter(|l| l.contains(op)).count();
    assert!(count("LOP_COMMIT_XACT") >= 400 && count("LOP_INSERT_ROWS") >= 400, "{}", all.len());
    let (_, three) = log(&["dump", "--operation", "commit_xact", "--limit", "3"], &file);
    assert_eq!(three.lines().count(), 4, "{three}");
    // One transaction by its number, and a range by its LSNs.
    let last = all.lines().rev().find(|l| l.contains("LOP_INSERT_ROWS")).unwrap();
    let columns: Vec<&str> = last.split_whitespace().collect();
    let (_, one) = log(&["dump", "--txn", columns[3]], &file);
    let ops: Vec<&str> = one.lines().skip(1).filter_map(|l| l.split_whitespace().nth(1)).collect();
    assert_eq!(ops, ["LOP_BEGIN_XACT", "LOP_INSERT_ROWS", "LOP_COMMIT_XACT"], "{one}");
    let (_, range) = log(&["dump", "--from", columns[0], "--to", columns[0], "--json"], &file);
    assert!(range.lines().count() == 1 && range.contains("\"contents_0\":\""), "{range}");

    assert!(before == fs::read(&file).unwrap(), "a look changed the file");
}

#[test]
fn a_killed_servers_changes_are_told_and_taken_back() {
    let dir = TempDir::new("log-changes");
    let data = dir.path().join("data");
    let server = Server::start(&data, &[]);
    let mut client = connect(&server, "master");
    client.query("CREATE DATABASE told").unwrap();
    let mut client = connect(&server, "told");
    client.query("ALTER DATABASE told SET RECOVERY FULL; CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(20))").unwrap();
    client.query("INSERT t VALUES (1, 'one'), (2, 'two')").unwrap();
    client
        .query("BEGIN TRAN mistake; UPDATE t SET v = 'wrong'; DELETE t WHERE id = 2; COMMIT")
        .unwrap();
    client.query("BEGIN TRAN; UPDATE t SET v = 'open' WHERE id = 1").unwrap();
    let file = data.join("told.mdf");
    let (code, text) = log(&["changes"], &file);
    assert!(code == 2 && text.contains("used by another process"), "{code} {text}");
    server.kill();
    let files = || -> Vec<Vec<u8>> {
        ["told.mdf", "told_log.ldf"].iter().map(|f| fs::read(data.join(f)).unwrap()).collect()
    };
    let before = files();

    let (code, text) = log(&["changes", "--table", "dbo.t"], &file);
    assert_eq!(code, 0, "{text}");
    let rows: Vec<&str> =
        text.lines().filter_map(|l| l.split_once(" dbo.t ")).map(|l| l.1).collect();
    let want = [
        "=> {\"id\":1,\"v\":\"one\"}",
        "=> {\"id\":2,\"v\":\"two\"}",
        "{\"id\":1,\"v\":\"one\"} => {\"id\":1,\"v\":\"wrong\"}",
        "{\"id\":2,\"v\":\"two\"} => {\"id\":2,\"v\":\"wrong\"}",
        "{\"id\":2,\"v\":\"wrong\"}",
    ];
    assert_eq!(rows, want, "{text}");
    let (code, json) = log(&["changes", "--json", "--limit", "3"], &file);
    assert!(code == 0 && json.lines().count() == 3, "{json}");
    assert!(
        json.contains("\"before\":{\"id\":1,\"v\":\"one\"},\"after\":{\"id\":1,\"v\":\"wrong\"}"),
        "{json}"
    );
    assert!(json.contains("\"transaction_name\":\"mistake\""), "{json}");
    let id = text.lines().last().unwrap().split(' ').nth(1).unwrap().to_owned();
    let undo = Command::new(binary()).args(["log", "undo"]).arg(&file).arg(&id).output().unwrap();
    assert!(undo.status.success());
    let script = String::from_utf8(undo.stdout).unwrap();
    assert!(before == files(), "a look changed the files");
    let (code, text) = log(&["changes", "--table", "nothing"], &file);
    assert!(code == 2 && text.contains("'nothing'"), "{code} {text}");
    let mut none = Command::new(binary());
    let none = none.args(["log", "undo"]).arg(&file).arg("0000:00ffffff").output().unwrap();
    let text = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(none.status.code() == Some(2) && text.contains("has no transaction"), "{text}");

    // The server comes back, and the script is right for it.
    let server = Server::start(&data, &[]);
    let mut client = connect(&server, "told");
    client.query(&script).unwrap();
    for (id, v) in [(1, "one"), (2, "two")] {
        let found = client.query(&format!("SELECT v FROM t WHERE id = {id}")).unwrap();
        assert_eq!(found.first_value(), v);
    }
}

/// The documented way: the script goes into a file, and sqlcmd runs it.
#[test]
fn a_script_in_a_file_brings_back_the_very_bytes() {
    let dir = TempDir::new("log-undo-file");
    let data = dir.path().join("data");
    let server = Server::start(&data, &[]);
    connect(&server, "master").query("CREATE DATABASE told").unwrap();
    let mut client = connect(&server, "told");
    client.query("ALTER DATABASE told SET RECOVERY FULL").unwrap();
    client
        .query("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v varchar(40), [w\r\nGO\n$(x)] nvarchar(max))")
        .unwrap();
    client
        .query("INSERT t VALUES (1, 'p' + CHAR(13) + CHAR(10) + 'q', N'a' + NCHAR(10) + N'GO' + NCHAR(10) + N'b'), \
            (2, 'p' + CHAR(13) + 'q\' + CHAR(10) + 'r', N'$(SQLCMDUSER)' + NCHAR(8232)), (3, CHAR(9) + CHAR(0) + CHAR(26), NULL)")
        .unwrap();
    let look = "SELECT STRING_AGG(CONVERT(varchar(max), CAST(v AS varbinary(max)), 2) + '/' \
        + COALESCE(CONVERT(varchar(max), CAST([w\r\nGO\n$(x)] AS varbinary(max)), 2), 'NULL'), ',') WITHIN GROUP (ORDER BY id) FROM t";
    let before = client.query(look).unwrap().first_value();
    client
        .query("BEGIN TRAN mistake; DELETE t WHERE id < 3; UPDATE t SET v = 'z'; COMMIT")
        .unwrap();
    assert_ne!(client.query(look).unwrap().first_value(), before);
    drop(client);
    server.kill();

    let file = data.join("told.mdf");
    let (code, text) = log(&["changes"], &file);
    assert_eq!(code, 0, "{text}");
    let id = text.lines().last().unwrap().split(' ').nth(1).unwrap().to_owned();
    let script = dir.path().join("undo.sql");
    let undo = Command::new(binary()).args(["log", "undo"]).arg(&file).arg(&id).output().unwrap();
    assert!(undo.status.success());
    fs::write(&script, undo.stdout).unwrap();
    let server = Server::start(&data, &[]);
    let run = Command::new(binary())
        .args([
            "sql",
            "-S",
            &format!("127.0.0.1,{}", server.port),
            "-U",
            "sa",
            "-C",
            "-b",
            "-d",
            "told",
            "-i",
        ])
        .arg(&script)
        .env("SQLCMDPASSWORD", taffrail_tests::PASSWORD)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success(), "{said} {}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(connect(&server, "told").query(look).unwrap().first_value(), before, "{said}");
}

#[test]
fn flipped_bytes_are_found_and_told_with_their_place() {
    let dir = TempDir::new("log-damage");
    let file = killed_log(dir.path());
    // The first block of the first VLF lies behind the file's and the VLF's header.
    const FIRST_BLOCK: usize = 16_384;
    let (_, sound) = log(&["verify", "--json"], &file);
    let bytes: usize =
        sound.split("\"bytes\":").nth(1).and_then(|t| t.split(',').next()?.parse().ok()).unwrap();

    for (i, at) in [FIRST_BLOCK + 20, FIRST_BLOCK + bytes / 3 + 130, FIRST_BLOCK + bytes / 2]
        .into_iter()
        .enumerate()
    {
        let copy = copy_with(&file, &format!("block{i}"), |b| b[at] ^= 0x20);
        let (code, text) = log(&["verify"], &copy);
        assert_eq!(code, 1, "at {at}: {text}");
        assert!(text.contains("DAMAGED") && text.contains("offset 0x"), "{text}");
        let told: usize = text
            .split("offset 0x")
            .nth(1)
            .and_then(|t| usize::from_str_radix(t.split(' ').next()?, 16).ok())
            .unwrap();
        assert!(told <= at && at < told + 61_440, "{at} told as {told}: {text}");
        assert_eq!(log(&["dump", "--limit", "1000000"], &copy).0, 1);
    }
    // One copy of the file's header, and the header of a VLF: told, and no log is lost.
    for (name, at) in [("root", 100), ("vlf", 8192 + 4096 + 30)] {
        let copy = copy_with(&file, name, |b| b[at] ^= 1);
        let (code, text) = log(&["verify"], &copy);
        assert!(code == 1 && text.contains("header"), "{name}: {text}");
    }
    // What follows the end of the log is nobody's.
    let copy = copy_with(&file, "behind", |b| {
        let end = b.len() - 600;
        b[end] ^= 1;
    });
    assert_eq!(log(&["verify"], &copy).0, 0);
    let cut = copy_with(&file, "cut", |b| b.truncate(b.len() / 2));
    assert_eq!(log(&["verify"], &cut).0, 1);
}

#[test]
fn what_is_no_log_is_refused() {
    let dir = TempDir::new("log-refused");
    let other = dir.path().join("other.ldf");
    fs::write(&other, vec![7; 20_000]).unwrap();
    for command in ["map", "dump", "verify"] {
        let (code, text) = log(&[command], &other);
        assert!(code == 1 && text.contains("damaged"), "{command}: {code} {text}");
        let (code, text) = log(&[command], &dir.path().join("missing.ldf"));
        assert!(code == 2 && text.contains("missing.ldf"), "{command}: {code} {text}");
    }
    fs::write(&other, b"short").unwrap();
    assert_ne!(log(&["verify"], &other).0, 0);
    assert_eq!(log(&["dump", "--from", "nonsense"], &other).0, 2);
    let (code, help) = log(&["verify", "--help"], &other);
    assert!(code == 0 && help.contains("hole"), "{help}");
}

#[test]
fn a_data_file_that_is_not_there_is_said_to_be_so() {
    for command in ["changes", "undo"] {
        let mut words = vec!["log", command, "/nowhere.mdf"];
        words.extend((command == "undo").then_some("0000:000002d6"));
        let out =
            std::process::Command::new(taffrail_tests::binary()).args(words).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(said, "taffrail: /nowhere.mdf: No such file or directory (os error 2)\n");
        assert_eq!(out.status.code(), Some(2));
    }
}
