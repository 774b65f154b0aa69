//! Rows of 8,000 bytes, each on a page of its own: the processor that a fresh one costs the whole server, and what the server takes of the
//! memory before anybody has asked for any.
//!
//! A loop inserts them and commits every sixteenth; automatic checkpoints write them meanwhile, and a last one is part of what is
//! measured. Each round goes on where the one before has ended, so that all pages are new ones. Processor time is that of all threads. Page
//! faults are told beside it: a fault of memory that the host has taken back costs what the machine's owner decides.

use super::Figure;
use super::reading::run_all;
use super::rows::median;
use std::io;
use std::path::Path;
use std::time::Duration;
use taffrail_lab::launch::Taffrail;

/// Works, their units, and their bounds.
const ROW: (&str, &str, f64) = ("a fresh row of 8,000 bytes", "us", 60.0);
const IDLE: (&str, &str, f64) = ("memory before the first row", "MiB", 30.0);

/// Rows of a round, and rounds.
const ROWS: u64 = 60_000;
const ROWS_QUICK: u64 = 20_000;
const ROUNDS: usize = 3;

/// The figures of fresh rows and of idle memory.
pub fn frames(binary: &Path, dir: &Path, quick: bool) -> io::Result<Vec<Figure>> {
    let data = dir.join("frames");
    let server = Taffrail::start(binary, &data)?;
    std::thread::sleep(Duration::from_secs(1));
    let memory = server.memory_mib()?;
    run_all(
        &mut server.client("master")?,
        &["CREATE DATABASE frames ON (NAME = frames, FILENAME = 'frames.mdf', SIZE = 64MB, FILEGROWTH = 64MB) \
           LOG ON (NAME = frames_log, FILENAME = 'frames_log.ldf', SIZE = 256MB, FILEGROWTH = 64MB) \
           ALTER DATABASE frames SET RECOVERY SIMPLE"
            .into()],
    )?;
    let mut client = server.client("frames")?;
    run_all(&mut client, &["CREATE TABLE wide (i int NOT NULL, c char(8000) NOT NULL)".into()])?;
    server.rest()?;
    let rows = if quick { ROWS_QUICK } else { ROWS };
    let work = [
        format!(
            "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {rows} BEGIN SET @i += 1 INSERT wide VALUES (@i, 'x') \
             IF @i % 16 = 0 BEGIN COMMIT BEGIN TRAN END END COMMIT"
        ),
        "CHECKPOINT".into(),
    ];
    let (mut costs, mut faults, mut ahead) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let before = (busy(&server)?, stat(&server, 7)?, faulted_ahead(&server)?);
        run_all(&mut client, &work)?;
        let a_row = |now: f64, before: f64| (now - before) / rows as f64;
        costs.push(a_row(busy(&server)?, before.0) * 1e6);
        faults.push(a_row(stat(&server, 7)?, before.1));
        ahead.push(a_row(faulted_ahead(&server)?, before.2));
    }
    drop(client);
    drop(server);
    std::fs::remove_dir_all(&data)?;
    let list: Vec<String> = costs.iter().map(|c| format!("{c:.1}")).collect();
    let note = format!(
        "rounds {}; {:.2} page faults a row, {:.2} of them ahead of need",
        list.join(", "),
        median(faults),
        median(ahead)
    );
    Ok(vec![
        figure(ROW, median(costs), &note),
        figure(IDLE, memory, "proportional (Pss), 1 s after it was ready"),
    ])
}

/// Processor seconds of all threads so far.
fn busy(server: &Taffrail) -> io::Result<f64> {
    Ok(stat(server, 11)? / 100.0 + stat(server, 12)? / 100.0)
}

/// Page faults of the thread that has memory given to frames before they are used, so far.
fn faulted_ahead(server: &Taffrail) -> io::Result<f64> {
    let mut faults = 0.0;
    for task in std::fs::read_dir(format!("/proc/{}/task", server.process()))? {
        // A thread that has ended meanwhile.
        let Ok(text) = std::fs::read_to_string(task?.path().join("stat")) else { continue };
        if text.contains("(lazy writer)") {
            faults += field(&text, 7)?;
        }
    }
    Ok(faults)
}

/// A number of the process: 7 is page faults that needed no disk, 11 and 12 processor time in hundredths of a second. Threads that
/// have ended are in it.
fn stat(server: &Taffrail, number: usize) -> io::Result<f64> {
    field(&std::fs::read_to_string(format!("/proc/{}/stat", server.process()))?, number)
}

/// A number of a line of `stat`, counted from the one behind the name.
fn field(stat: &str, number: usize) -> io::Result<f64> {
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let found = rest.split_whitespace().nth(number).and_then(|n| n.parse().ok());
    found.ok_or_else(|| io::Error::other("no such field in stat"))
}

fn figure((work, unit, bound): (&str, &'static str, f64), value: f64, note: &str) -> Figure {
    Figure::ours(work, value, unit, format!("bound {bound}; {note}"))
}

/// The figures beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = |(work, unit, bound): (&str, &str, f64)| {
        let figure = figures.iter().find(|f| f.work == work && f.value > bound)?;
        Some(format!("{work}: {:.1} {unit} is beyond its bound of {bound}", figure.value))
    };
    [ROW, IDLE].into_iter().filter_map(over).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_beyond_their_bounds_are_told() {
        let figures = [figure(ROW, 60.5, "x"), figure(IDLE, 29.9, "y")];
        assert_eq!(
            beyond(&figures),
            ["a fresh row of 8,000 bytes: 60.5 us is beyond its bound of 60"]
        );
        assert_eq!(figures[1].note, "bound 30; y");
    }
}
