//! Truncated, oversized and random packets end only their own connection; bad statements leave the session usable.

use super::life::connect;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use taffrail_tests::{Server, TempDir};

/// Sends bytes, waits for the server to answer or hang up, and comes back.
fn throw(server: &Server, bytes: &[u8]) {
    let mut socket = TcpStream::connect(server.address()).expect("connect");
    socket.set_read_timeout(Some(Duration::from_millis(200))).expect("timeout");
    let _ = socket.write_all(bytes);
    let mut answer = [0; 4096];
    let _ = socket.read(&mut answer);
}

#[test]
fn rubbish_on_the_wire_ends_only_its_own_connection() {
    let data = TempDir::new("rubbish");
    let server = Server::start(&data.path().join("data"), &[]);
    let mut healthy = connect(&server, "master");
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    for round in 0..40 {
        let length = 1 + usize::from(random()) * (1 + round % 7);
        let mut bytes: Vec<u8> = (0..length).map(|_| random()).collect();
        // Half of them begin like a packet that the server knows.
        if round % 2 == 0 && bytes.len() >= 8 {
            bytes[0] = [0x12, 0x10, 0x01, 0x03, 0x0e, 0x16][round % 6];
            bytes[1] = 1;
            bytes[2..4].copy_from_slice(&(length.min(65535) as u16).to_be_bytes());
        }
        throw(&server, &bytes);
    }
    throw(&server, &[0x12, 1, 0, 0, 0, 0, 0, 0]);
    throw(&server, &[0x12, 1, 0xff, 0xff, 0, 0, 0, 0]);
    throw(&server, &[0x10, 1, 0, 12, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f]);
    assert_eq!(healthy.query("SELECT 1").unwrap().first_value(), "1");
    assert_eq!(connect(&server, "master").query("SELECT 2").unwrap().first_value(), "2");
}

#[test]
fn bad_statements_get_their_numbers_and_the_session_goes_on() {
    let data = TempDir::new("numbers");
    let server = Server::start(&data.path().join("data"), &[]);
    let mut client = connect(&server, "master");
    client.run("CREATE DATABASE d").unwrap();
    client.run("USE d").unwrap();
    client.run("CREATE TABLE t (i int NOT NULL PRIMARY KEY, v varchar(5), u int)").unwrap();
    client.run("CREATE UNIQUE INDEX ux ON t (u)").unwrap();
    client.run("INSERT t VALUES (1, 'a', 1)").unwrap();
    for (sql, number, severity) in [
        ("SELECT FROM WHERE", 156, 15),
        ("SELECT 1 +", 102, 15),
        ("SELECT 'open", 105, 15),
        ("SELECT nope FROM t", 207, 16),
        ("SELECT * FROM nope", 208, 16),
        ("EXEC nope", 2812, 16),
        ("INSERT t VALUES (1, 'b', 2)", 2627, 14),
        ("INSERT t VALUES (2, 'b', 1)", 2601, 14),
        ("INSERT t VALUES (NULL, 'b', 3)", 515, 16),
        ("INSERT t VALUES (3, 'too long', 3)", 2628, 16),
        ("SELECT CAST(3000000000 AS int)", 8115, 16),
        ("SELECT CAST(300 AS tinyint)", 220, 16),
        ("SELECT 2147483647 + 1", 8115, 16),
        ("SELECT 1/0", 8134, 16),
        ("SELECT CAST('x' AS int)", 245, 16),
        ("SELECT CAST('x' AS numeric(5,2))", 8114, 16),
        ("USE nowhere", 911, 16),
        ("SELECT @undeclared", 137, 15),
        ("CREATE TABLE t (i int)", 2714, 16),
        ("DROP TABLE nope", 3701, 11),
        ("CREATE TABLE w (a char(8000), b char(100))", 1701, 16),
        ("COMMIT", 3902, 16),
        ("ROLLBACK", 3903, 16),
    ] {
        let error = client.query(sql).err().unwrap_or_else(|| panic!("no error: {sql}"));
        let error = error.server().unwrap_or_else(|| panic!("not the server's error: {sql}"));
        assert_eq!((error.number, error.severity), (number, severity), "{sql}: {}", error.message);
        assert_eq!(
            client.query("SELECT COUNT(*) FROM t").unwrap().first_value(),
            "1",
            "after {sql}"
        );
    }
}

#[test]
fn deep_and_huge_batches_get_errors_not_crashes() {
    let data = TempDir::new("deep");
    let server = Server::start(&data.path().join("data"), &[]);
    let mut client = connect(&server, "master");
    for (open, close) in [("(", ")"), ("ABS(", ")"), ("CASE WHEN 1=1 THEN ", " END"), ("-", "")] {
        let sql = format!("SELECT {}1{}", open.repeat(20_000), close.repeat(20_000));
        assert!(client.query(&sql).is_err(), "{open}");
        assert_eq!(client.query("SELECT 1").unwrap().first_value(), "1");
    }
    let nested = format!("{} SELECT 1 {}", "BEGIN ".repeat(20_000), "END ".repeat(20_000));
    assert!(client.query(&nested).is_err());
    // Ten megabytes of one statement each line: it may run, it may be refused; the session goes on.
    let huge = "SET NOCOUNT ON\n".repeat(700_000);
    let _ = client.run(&huge);
    let literal = format!("SELECT LEN('{}')", "x".repeat(5_000_000));
    let _ = client.query(&literal);
    let long_in = format!("SELECT 1 WHERE 5 IN ({}5)", "1,".repeat(100_000));
    let _ = client.query(&long_in);
    assert_eq!(client.query("SELECT 3").unwrap().first_value(), "3");
}

#[test]
fn a_login_needs_the_right_password_and_database() {
    use taffrail_lab::client::{Client, ConnectOptions};
    use taffrail_tests::PASSWORD;
    let data = TempDir::new("login");
    let server = Server::start(&data.path().join("data"), &[]);
    let options = ConnectOptions { port: server.port, ..Default::default() };
    let refused = |o: ConnectOptions| Client::connect(&o).err().expect("let in");
    let wrong = refused(ConnectOptions { password: "wrong".into(), ..options.clone() });
    assert_eq!(wrong.server().expect("a message").number, 18456);
    let nobody = refused(ConnectOptions {
        user: "nobody".into(),
        password: PASSWORD.into(),
        ..options.clone()
    });
    assert_eq!(nobody.server().expect("a message").number, 18456);
    let nowhere = refused(ConnectOptions {
        password: PASSWORD.into(),
        database: "nowhere".into(),
        ..options
    });
    assert_eq!(nowhere.server().expect("a message").number, 4060);
}
