//! Pipelined commits and SIGKILL: whatever any client has read is there afterwards.

use super::life::connect;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;
use taffrail_lab::client::stream::Token;
use taffrail_tests::{Server, TempDir};

/// Kills of a test.
const KILLS: usize = 5;

/// Inserts the numbers from `from` on, a commit each, and prints each: the last one that came through.
fn print_each(server: &Server, from: i64) -> i64 {
    let mut client = connect(server, "loops");
    let batch = format!(
        "SET NOCOUNT ON; DECLARE @i bigint = {from} \
         WHILE 1 = 1 BEGIN SET @i += 1 INSERT told VALUES (@i) PRINT @i END"
    );
    let mut last = from;
    if client.send_batch(&batch).is_err() {
        return last;
    }
    while let Ok(Some(token)) = client.next_token(None) {
        if let Token::Message { number: 0, text, .. } = token {
            last = text.parse().expect("a number");
        }
    }
    last
}

/// Looks at the highest number until it cannot any more.
fn look(server: &Server, stop: &AtomicBool, seen: &AtomicI64) {
    let mut client = connect(server, "loops");
    while !stop.load(Ordering::Relaxed) {
        match client.query("SELECT ISNULL(MAX(n), 0) FROM told") {
            Ok(answer) => {
                seen.fetch_max(answer.first_value().parse().expect("a number"), Ordering::Relaxed);
            }
            Err(_) => return,
        }
    }
}

#[test]
fn what_a_client_has_read_is_there_after_a_kill() {
    let data = TempDir::new("pipelined");
    let folder = data.path().join("data");
    let mut server = Server::start(&folder, &[]);
    let mut client = connect(&server, "master");
    client.run("CREATE DATABASE loops").unwrap();
    client.run("USE loops").unwrap();
    client.run("CREATE TABLE told (n bigint PRIMARY KEY)").unwrap();
    client.run("ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = ON").unwrap();
    drop(client);
    let (mut last, mut lost, mut told) = (0, 0, 0);
    for round in 0..KILLS {
        let (stop, seen) = (AtomicBool::new(false), AtomicI64::new(0));
        let printed = std::thread::scope(|scope| {
            let printer = scope.spawn(|| print_each(&server, last));
            let looker = scope.spawn(|| look(&server, &stop, &seen));
            std::thread::sleep(Duration::from_millis(150 + 120 * round as u64));
            server.kill_now();
            stop.store(true, Ordering::Relaxed);
            looker.join().expect("a reader");
            printer.join().expect("a writer")
        });
        server = Server::start(&folder, &[]);
        let mut client = connect(&server, "loops");
        let found = client.query("SELECT COUNT(*), ISNULL(MAX(n), 0) FROM told").unwrap();
        let numbers: Vec<i64> =
            found.text().split('|').map(|t| t.parse().expect("a number")).collect();
        let (rows, there) = (numbers[0], numbers[1]);
        assert_eq!(rows, there, "round {round}: a commit is missing before another one");
        assert!(there >= printed, "round {round}: {printed} was printed, {there} is there");
        let seen = seen.load(Ordering::Relaxed);
        assert!(there >= seen, "round {round}: {seen} was read, {there} is there");
        lost += i64::from(there > printed);
        told += printed - last;
        last = there;
    }
    println!("{last} commits over {KILLS} kills; {lost} times more was there than was printed");
    assert!(told > 0, "nothing was ever printed");
    assert!(server.stop().success());
}
