//! Other engines under the same work on the same machine in the same run.

use std::io;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub mod mariadb;
pub mod postgres;
pub mod sqlite;

/// The columns of a row that a client of the point SELECT reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// The column `points.number`.
    pub number: i32,
    /// `points.name`, as the bytes that were sent.
    pub name: Vec<u8>,
}

/// A connection that runs scripts and what is prepared: an insert, a SELECT of one row. Over whichever protocol.
pub trait Driver: Send {
    /// Runs a statement to its end, results thrown away.
    fn run(&mut self, sql: &str) -> io::Result<()>;
    /// Prepares `INSERT load (sometext, moretext) VALUES (?, ?)`.
    fn prepare_insert(&mut self) -> io::Result<()>;
    /// Executes it, autocommitted: returns when the row is durable.
    fn insert(&mut self, some: &str, more: &str) -> io::Result<()>;
    /// Prepares `UPDATE hot SET n = n + 1 WHERE id = ?`.
    fn prepare_update(&mut self) -> io::Result<()>;
    /// Executes it, autocommitted: returns when the change is durable.
    fn update(&mut self, id: i32) -> io::Result<()>;
    /// Prepares `SELECT number, name FROM points WHERE id = ?`.
    fn prepare_select(&mut self) -> io::Result<()>;
    /// Executes it by itself; an error where there is no such row.
    fn select(&mut self, id: i32) -> io::Result<Point>;
    /// Time spent in reads and writes of the socket since this was called last. The first call answers zero and begins to
    /// time them.
    fn waited(&mut self) -> Duration;
}

/// A protocol's answer without the row that was asked for.
pub(super) fn no_row() -> io::Error {
    io::Error::other("the SELECT brought no row of an int and a text")
}

/// A server under test, ours or another's. Each list of statements ends with the one that is timed.
pub trait Peer: Sync {
    /// The name in the table of figures.
    fn name(&self) -> &'static str;
    /// A new connection to the benchmark's database.
    fn connect(&self) -> io::Result<Box<dyn Driver>>;
    /// Creates what the other lists use; run once.
    fn setup(&self) -> Vec<String>;
    /// Single-row inserts in a loop inside the server, each durable when the next begins.
    fn autocommit_loop(&self, rows: u32) -> Vec<String>;
    /// Single-row inserts in a loop inside the server, in one transaction.
    fn transaction_loop(&self, rows: u32) -> Vec<String>;
    /// Single-row inserts in a loop inside the server, with a commit after each row that does not wait for the disk.
    fn relaxed_loop(&self, rows: u32) -> Vec<String>;
    /// Fills `customer`; nothing in it is timed.
    fn load_customers(&self, rows: u32) -> Vec<String>;
    /// Loads the empty `customer` from a file: a line per row, fields between tabs.
    fn load_file(&self, file: &Path) -> Vec<String>;
    /// INSERT … SELECT, UPDATE and DELETE of all customers, each one transaction and timed by itself.
    fn customer_statements(&self) -> [(&'static str, String); 3] {
        [
            ("insert … select", "INSERT INTO customer_tmp SELECT * FROM customer".into()),
            ("update", "UPDATE customer SET c_data = lower(c_data)".into()),
            ("delete", "DELETE FROM customer".into()),
        ]
    }
    /// Gets the server to a quiet state between measurements.
    fn settle(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Runs statements and times the last.
pub fn time_last(driver: &mut dyn Driver, statements: &[String]) -> io::Result<Duration> {
    let (last, before) =
        statements.split_last().ok_or_else(|| io::Error::other("nothing to time"))?;
    for sql in before {
        driver.run(sql)?;
    }
    let began = Instant::now();
    driver.run(last)?;
    Ok(began.elapsed())
}

fn run(command: &mut Command) -> io::Result<()> {
    let out = command.stdin(Stdio::null()).output()?;
    match out.status.success() {
        true => Ok(()),
        false => {
            Err(io::Error::other(format!("{command:?}: {}", String::from_utf8_lossy(&out.stderr))))
        }
    }
}

fn wait_for_port(port: u16) -> io::Result<()> {
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if began.elapsed() > Duration::from_secs(60) {
            return Err(io::Error::other(format!("nothing listens on port {port}")));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    // A server may listen a moment before it lets clients in.
    std::thread::sleep(Duration::from_millis(1500));
    Ok(())
}
