//! Growth of the log: a log-heavy workload in each mode of initialisation against a log that is large enough from the
//! start, and the latency of commits while a log grows.
//!
//! Each run has a database of its own, made just before: the same empty table, the same data file, a log of 32 MB that
//! grows, or one of [`PRESIZED_MB`] that was written with zeroes to its end. A run begins when nothing is left to be
//! initialised and everything is on the disk. `ahead` and pre-sized take turns, in both orders (see [`super::pairs`]).

mod latency;
mod workload;

use super::Figure;
use super::pairs::Effort;
use super::reading::{number, run_all};
use std::io;
use std::path::Path;
use std::time::Duration;
use taffrail_lab::client::Client;
use taffrail_lab::launch::Taffrail;

/// A log that holds the whole workload.
const PRESIZED_MB: u64 = 1024;
/// A log that grows begins so.
const FIRST_MB: u64 = 32;
const DATA_MB: u64 = 512;

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Pairs of `ahead` and pre-sized.
    pub pairs: usize,
    /// Rounds of the other modes.
    pub rounds: usize,
    /// Pairs of rounds of the latencies.
    pub latency_pairs: usize,
}

impl Plan {
    /// The plan for so much effort.
    pub fn new(effort: Effort) -> Plan {
        let (pairs, rounds, latency_pairs) = if effort.quick { (2, 1, 2) } else { (15, 3, 9) };
        let pairs = effort.pairs.unwrap_or(pairs);
        Plan { pairs, rounds: rounds.min(pairs), latency_pairs: latency_pairs.min(pairs) }
    }
}

/// How a log of a run grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    PreSized,
    Grows { mode: &'static str, by_mb: u64 },
}

impl Kind {
    fn name(self) -> String {
        match self {
            Kind::PreSized => "pre-sized".into(),
            Kind::Grows { mode, by_mb: 1024 } => format!("{mode}, 1 GB"),
            Kind::Grows { mode, by_mb } => format!("{mode}, {by_mb} MB"),
        }
    }
}

/// Growth of the log: durations, stalls and latency.
pub fn growth(binary: &Path, dir: &Path, plan: Plan) -> io::Result<Vec<Figure>> {
    let data = dir.join("growth");
    let server = Taffrail::start(binary, &data)?;
    let mut figures = workload::workload(&server, &data, plan)?;
    figures.extend(latency::latency(&server, &data, plan)?);
    drop(server);
    std::fs::remove_dir_all(&data)?;
    Ok(figures)
}

/// Makes a database and waits until everything about it is on the disk.
fn make(
    server: &Taffrail,
    data: &Path,
    name: &str,
    kind: Kind,
    tables: &[String],
) -> io::Result<Client> {
    let (mode, by_mb) = match kind {
        // What is grown by hand with ZERO is written at once.
        Kind::PreSized => ("ZERO", 64),
        Kind::Grows { mode, by_mb } => (mode, by_mb),
    };
    let mut master = server.client("master")?;
    run_all(
        &mut master,
        &[format!(
            "CREATE DATABASE {name} ON (NAME = {name}, FILENAME = '{name}.mdf', SIZE = {DATA_MB}MB) \
             LOG ON (NAME = {name}_log, FILENAME = '{name}_log.ldf', SIZE = {FIRST_MB}MB, FILEGROWTH = {by_mb}MB)"
        )],
    )?;
    let mut client = server.client(name)?;
    let mode = format!("ALTER DATABASE SCOPED CONFIGURATION SET LOG_INITIALIZATION = {mode}");
    run_all(&mut client, &[mode])?;
    if kind == Kind::PreSized {
        let size = format!(
            "ALTER DATABASE {name} MODIFY FILE (NAME = {name}_log, SIZE = {PRESIZED_MB}MB)"
        );
        run_all(&mut client, &[size])?;
    }
    run_all(&mut client, tables)?;
    let last = ["CHECKPOINT".into(), format!("BACKUP DATABASE {name} TO DISK = 'NUL'")];
    run_all(&mut client, &last)?;
    stand_still(&mut client)?;
    for file in [format!("{name}.mdf"), format!("{name}_log.ldf")] {
        std::fs::File::open(data.join(file))?.sync_all()?;
    }
    Ok(client)
}

/// Returns when nothing is written to the database's files any more: what was reserved is initialised.
fn stand_still(client: &mut Client) -> io::Result<()> {
    let written =
        "SELECT SUM(num_of_bytes_written) FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL)";
    let mut last = number(client, written)?;
    let mut still = 0;
    // The background writer rests for a fraction of a second between its looks at an idle log.
    for _ in 0..200 {
        std::thread::sleep(Duration::from_millis(50));
        let now = number(client, written)?;
        still = if now == last { still + 1 } else { 0 };
        last = now;
        if still == 6 {
            return Ok(());
        }
    }
    Err(io::Error::other("the files of an idle database are still being written"))
}

/// Removes a run's database; its clients have gone.
fn remove(server: &Taffrail, name: &str) -> io::Result<()> {
    let mut master = server.client("master")?;
    let drop_it = format!("DROP DATABASE {name}");
    // The server notices a moment later that a client has gone.
    for _ in 0..200 {
        match master.run(&drop_it) {
            Ok(_) => return Ok(()),
            Err(e) if e.server().is_some_and(|m| m.number == 3702) => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(e) => return Err(io::Error::other(e)),
        }
    }
    Err(io::Error::other(format!("{name} stays in use")))
}

/// How often a database's log has grown.
fn growths(client: &mut Client, name: &str) -> io::Result<u64> {
    let counter = format!(
        "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Log Growths' AND instance_name = '{name}'"
    );
    Ok(number(client, &counter)? as u64)
}
