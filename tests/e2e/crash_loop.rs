//! SIGKILL or a loss of power under eight writers, again and again; a ledger on the client's side knows what was acknowledged.
//!
//! Each writer owns a table and numbers its transactions 1, 2, 3 … in it. A transaction writes two rows, `(n, 1)` and
//! `(n, 2)`, and every third one moves an older pair's marker as well, so that a half-applied transaction shows. After each
//! restart, for every writer:
//!
//! * every transaction acknowledged as fully durable is there;
//! * every transaction that is there is whole;
//! * what is there is 1 ..= k without a gap: delayed commits, and the one in flight, are lost only from the end;
//! * no row of `child` is without its row in `parent`: each transaction writes one of each, every seventh takes an older pair away
//!   again (ON DELETE CASCADE);
//! * DBCC CHECKDB finds nothing wrong;
//! * a delayed commit that a later fully durable one of the same database followed is there.
//!
//! A kill proves nothing about syncs (the page cache survives it); the file system that loses power does, as the simulated disk does.

use super::life::connect;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use taffrail_lab::client::{Client, ConnectOptions};
use taffrail_tests::powercut::{self, PowerCut};
use taffrail_tests::{PASSWORD, Server, TempDir};

const WRITERS: usize = 8;

/// As many as the environment says.
fn times(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |n| n.parse().expect("a number"))
}

/// What one writer knows.
#[derive(Clone, Copy, Default, Debug)]
struct Ledger {
    /// Highest transaction whose commit was sent.
    sent: i64,
    /// Highest transaction whose commit was acknowledged, delayed or not.
    acknowledged: i64,
    /// Highest transaction that must survive.
    hard: i64,
}

/// The key of a transaction's row in `parent`: no two transactions have the same.
fn pair(writer: usize, n: i64) -> i64 {
    n * WRITERS as i64 + writer as i64
}

/// How many pairs there are after so many transactions of a writer.
fn pairs(last: i64) -> i64 {
    last - last / 7
}

/// Every pair is whole, and there are as many as the writers' transactions have left.
fn check_pairs(client: &mut Client, want: i64) {
    let mut number = |sql: &str| -> i64 {
        let found = client.query(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
        found.first_value().parse().expect("a number")
    };
    let orphans = "SELECT COUNT(*) FROM child c WHERE NOT EXISTS (SELECT * FROM parent p WHERE p.id = c.parent)";
    assert_eq!(number(orphans), 0, "rows without the row that they refer to");
    assert_eq!(number("SELECT COUNT(*) FROM parent"), want, "rows in parent");
    assert_eq!(number("SELECT COUNT(*) FROM child"), want, "rows in child");
}

fn write(server_port: u16, writer: usize, ledgers: &[Mutex<Ledger>], stop: &AtomicBool) {
    let ledger = &ledgers[writer];
    let options = ConnectOptions {
        port: server_port,
        password: PASSWORD.into(),
        database: "ledger".into(),
        ..Default::default()
    };
    // The server may be killed before the login is through: then this round has no writer.
    let Ok(mut client) = Client::connect(&options) else { return };
    let _ = client.run("SET NOCOUNT ON");
    while !stop.load(Ordering::Relaxed) {
        let n = ledger.lock().unwrap().sent + 1;
        let delayed = n % 4 == 1;
        let marker = match n % 3 {
            0 => format!("UPDATE w{writer} SET m = m + 1 WHERE n = {}", n / 3),
            _ => String::new(),
        };
        let (key, gone) = (pair(writer, n), pair(writer, n - 3));
        let family = match n % 7 {
            0 => format!("DELETE parent WHERE id = {gone}"),
            _ => String::new(),
        };
        let sql = format!(
            "BEGIN TRAN INSERT w{writer} (n, part, m, filler) VALUES ({n}, 1, 0, REPLICATE('x', {})) {marker} \
             INSERT parent VALUES ({key}) INSERT child VALUES ({key}, {n}) {family} \
             INSERT w{writer} (n, part, m, filler) VALUES ({n}, 2, 0, 'y') COMMIT WITH (DELAYED_DURABILITY = {})",
            n % 700,
            if delayed { "ON" } else { "OFF" }
        );
        ledger.lock().unwrap().sent = n;
        // What had been acknowledged to anybody before a fully durable commit is durable with it.
        let before: Vec<i64> = ledgers.iter().map(|l| l.lock().unwrap().acknowledged).collect();
        if client.run(&sql).is_err() {
            return;
        }
        ledger.lock().unwrap().acknowledged = n;
        if !delayed {
            ledger.lock().unwrap().hard = n;
            for (other, n) in ledgers.iter().zip(before) {
                let mut other = other.lock().unwrap();
                other.hard = other.hard.max(n);
            }
        }
        // Now and then work that is taken back on purpose.
        if n % 10 == 0 {
            let sql = format!(
                "BEGIN TRAN DELETE w{writer} WHERE n > {} DELETE parent WHERE id = {key} ROLLBACK",
                n - 5
            );
            if client.run(&sql).is_err() {
                return;
            }
        }
    }
}

fn check(client: &mut Client, writer: usize, ledger: &mut Ledger) -> i64 {
    let summary = client
        .query(&format!(
            "SELECT COUNT(*), ISNULL(MAX(n), 0), ISNULL(SUM(CAST(m AS bigint)), 0) FROM w{writer}"
        ))
        .unwrap_or_else(|e| panic!("writer {writer}: {e}"));
    let numbers: Vec<i64> =
        summary.text().split('|').map(|t| t.parse().expect("a number")).collect();
    let (rows, last, markers) = (numbers[0], numbers[1], numbers[2]);
    assert!(
        last >= ledger.hard,
        "writer {writer}: {last} is the last, but {} was acknowledged",
        ledger.hard
    );
    assert!(last <= ledger.sent, "writer {writer}: {last} was never sent (only {})", ledger.sent);
    assert_eq!(rows, last * 2, "writer {writer}: a gap or half a transaction below {last}");
    let halves = client
        .query(&format!(
            "SELECT COUNT(*) FROM (SELECT n FROM w{writer} GROUP BY n HAVING COUNT(*) <> 2) AS h"
        ))
        .unwrap_or_else(|e| panic!("writer {writer}: {e}"));
    assert_eq!(halves.first_value(), "0", "writer {writer}: half a transaction");
    // Every third transaction below moved the markers of the two rows of transaction n / 3.
    assert_eq!(markers, last / 3 * 2, "writer {writer}: an update is missing or came twice");
    // What was lost from the end will be written again under the same numbers.
    *ledger = Ledger { sent: last, acknowledged: last, hard: last };
    last
}

#[test]
fn nothing_acknowledged_is_lost_over_twenty_kills() {
    let data = TempDir::new("crash");
    // TAFFRAIL_KILLS for more.
    ends(&data.path().join("data"), times("TAFFRAIL_KILLS", 20), "kills", Server::kill);
}

/// Runs a test of this module in a namespace of its own, where a file system can be mounted. None: that cannot be had here.
fn passes_in_a_namespace(test: &str) -> Option<bool> {
    match powercut::in_a_namespace(&format!("crash_loop::{test}")) {
        Ok(ended) => Some(ended.success()),
        Err(why) => {
            eprintln!("no file system can be mounted here: {why}");
            None
        }
    }
}

/// Losses of power on a file system of the test's own: of what was not synced each sector is kept or lost. With `lies` syncs do nothing.
fn losses_of_power(data: &TempDir, times: usize, lies: bool) {
    let folder = data.path().join("data");
    std::fs::create_dir(&folder).unwrap();
    let files = PowerCut::mount(&folder, u64::from(std::process::id()) << 20 | 0x5eed).unwrap();
    if lies {
        files.lie();
    }
    ends(&folder, times, "losses of power", |server| {
        files.cut();
        server.kill();
        files.power_on();
    });
    let stats = files.stats();
    println!("{stats:?}");
    assert!(stats.lost > 0 && stats.kept > 0 && stats.torn > 0, "nothing was torn: {stats:?}");
}

#[test]
fn nothing_acknowledged_is_lost_over_losses_of_power() {
    match powercut::is_in_a_namespace() {
        // TAFFRAIL_CUTS for more.
        true => losses_of_power(&TempDir::new("power"), times("TAFFRAIL_CUTS", 4), false),
        false => {
            let test = "nothing_acknowledged_is_lost_over_losses_of_power";
            assert_ne!(passes_in_a_namespace(test), Some(false), "see above");
        }
    }
}

/// Otherwise the test above would prove nothing.
#[test]
fn syncs_that_do_nothing_are_noticed() {
    if powercut::is_in_a_namespace() {
        let data = TempDir::new("lies");
        let ended = catch_unwind(AssertUnwindSafe(|| losses_of_power(&data, 10, true)));
        assert!(ended.is_err(), "ten losses of power, and nothing was missed");
    } else {
        let noticed = passes_in_a_namespace("syncs_that_do_nothing_are_noticed");
        assert_ne!(noticed, Some(false), "see above");
    }
}

/// Commits are seen before they are durable, or are not: what is acknowledged is there either way.
fn pipeline(server: &Server, on: bool) {
    let on = if on { "ON" } else { "OFF" };
    let sql = format!("ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = {on}");
    connect(server, "ledger").run(&sql).unwrap();
}

/// Writers until the server is ended as `end` does, a restart, a look: so many times.
fn ends(folder: &Path, times: usize, what: &str, end: impl Fn(Server)) {
    let server = Server::start(folder, &[]);
    let mut client = connect(&server, "master");
    client.run("CREATE DATABASE ledger").unwrap();
    client.run("ALTER DATABASE ledger SET DELAYED_DURABILITY = ALLOWED").unwrap();
    client.run("USE ledger").unwrap();
    for writer in 0..WRITERS {
        client
            .run(&format!(
                "CREATE TABLE w{writer} (n bigint NOT NULL, part int NOT NULL, m int NOT NULL, filler varchar(700), \
                 CONSTRAINT pk{writer} PRIMARY KEY (n, part))"
            ))
            .unwrap();
    }
    client.run("CREATE TABLE parent (id bigint PRIMARY KEY)").unwrap();
    client
        .run(
            "CREATE TABLE child (parent bigint NOT NULL REFERENCES parent ON DELETE CASCADE, n bigint NOT NULL, \
             CONSTRAINT pkc PRIMARY KEY (parent, n))",
        )
        .unwrap();
    drop(client);
    let ledgers: Vec<Mutex<Ledger>> = (0..WRITERS).map(|_| Mutex::default()).collect();
    let mut server = Some(server);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64 ^ u64::from(std::process::id());
    let mut commits = 0;
    for round in 0..times {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let life = Duration::from_millis(50 + (seed >> 33) % 900);
        let running = server.take().expect("a server");
        let stop = AtomicBool::new(false);
        pipeline(&running, round % 2 == 1);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (port, ledgers, stop) = (running.port, &ledgers, &stop);
                scope.spawn(move || write(port, writer, ledgers, stop));
            }
            if round % 5 == 4 {
                // A checkpoint under way is worth a kill, too.
                let mut client = connect(&running, "ledger");
                std::thread::sleep(life / 2);
                let _ = client.run("CHECKPOINT");
                std::thread::sleep(life / 2);
            } else {
                std::thread::sleep(life);
            }
            end(running);
            stop.store(true, Ordering::Relaxed);
        });
        let next = Server::start(folder, &[]);
        let mut client = connect(&next, "ledger");
        let last: Vec<i64> = ledgers
            .iter()
            .enumerate()
            .map(|(writer, ledger)| check(&mut client, writer, &mut ledger.lock().unwrap()))
            .collect();
        check_pairs(&mut client, last.iter().map(|n| pairs(*n)).sum());
        commits = last.iter().sum();
        let wrong = client.query("DBCC CHECKDB (ledger) WITH NO_INFOMSGS");
        let wrong = wrong.unwrap_or_else(|e| panic!("after end {round}: {e}"));
        assert!(wrong.messages.is_empty(), "after end {round}: {:?}", wrong.messages);
        server = Some(next);
    }
    println!("{times} {what}, {commits} transactions by {WRITERS} writers, none lost");
    assert!(commits > (times * WRITERS) as i64, "the writers hardly wrote");
    assert!(server.expect("a server").stop().success());
}
