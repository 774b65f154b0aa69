//! A kill in the middle of a transaction over many rows: the server opens at once, and undoes beside its users.

use crate::life::connect;
use taffrail_tests::{Server, TempDir};

const ROWS: u32 = 40_000;

#[test]
fn rows_of_a_killed_transaction_come_back_while_others_are_read() {
    let data = TempDir::new("undo");
    let folder = data.path().join("data");
    let server = Server::start(&folder, &[]);
    let mut c = connect(&server, "master");
    c.run("CREATE DATABASE undo").unwrap();
    let mut c = connect(&server, "undo");
    c.run("CREATE TABLE t (id int PRIMARY KEY, v int, filler char(200)) CREATE TABLE other (id int PRIMARY KEY)")
        .unwrap();
    c.run(&format!(
        "SET NOCOUNT ON BEGIN TRAN DECLARE @i int = 0 WHILE @i < {ROWS} BEGIN INSERT t VALUES (@i, 0, 'x') SET @i = @i + 1 END COMMIT"
    ))
    .unwrap();
    // In pieces, so that no statement has enough row locks to ask for the whole table.
    c.run("BEGIN TRAN").unwrap();
    for from in (100..ROWS).step_by(4_000) {
        let to = (from + 4_000).min(ROWS);
        c.run(&format!("UPDATE t SET v = 1 WHERE id >= {from} AND id < {to}")).unwrap();
    }
    c.run("DELETE t WHERE id = 150 INSERT t VALUES (1000000, 1, 'x')").unwrap();
    // Its records are durable with this commit.
    connect(&server, "undo").run("INSERT other VALUES (1)").unwrap();
    server.kill();

    let server = Server::start(&folder, &[]);
    let mut reader = connect(&server, "undo");
    // Rows that the transaction had not touched, and another table, wait for nobody.
    reader.run("SET LOCK_TIMEOUT 0").unwrap();
    let one = |c: &mut taffrail_lab::client::Client, sql: &str| c.query(sql).unwrap().first_value();
    assert_eq!(one(&mut reader, "SELECT v FROM t WHERE id = 50"), "0");
    assert_eq!(one(&mut reader, "SELECT COUNT(*) FROM other"), "1");
    // Its own are waited for, and are as they were.
    reader.run("SET LOCK_TIMEOUT -1").unwrap();
    assert_eq!(one(&mut reader, "SELECT v FROM t WHERE id = 150"), "0");
    let sums = "SELECT CONVERT(varchar, COUNT(*)) + ' ' + CONVERT(varchar, SUM(v)) FROM t";
    assert_eq!(one(&mut reader, sums), format!("{ROWS} 0"));
    reader.run("UPDATE t SET v = 2 WHERE id = 150").unwrap();
    drop(reader);
    assert!(server.stop().success());
    let log = std::fs::read_to_string(folder.join("log/errorlog")).unwrap();
    assert!(log.contains("1 transactions rolled back in database 'undo'"), "{log}");
    assert!(log.contains("Recovery completed for database undo"), "{log}");
    let server = Server::start(&folder, &[]);
    let sums = one(&mut connect(&server, "undo"), sums);
    assert_eq!(sums, format!("{ROWS} 2"));
}
