//! Waits of a test that has a database of its own: making one and using it first, cloning a template.
//!
//! Each figure has a bound. One beyond it fails the benchmark, after everything is printed.

use super::Figure;
use super::rows::median;
use super::sequential;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_lab::client::Client;
use taffrail_lab::device::Probe;
use taffrail_lab::launch::Taffrail;

/// Databases that are made and dropped, and clones.
const FRESH: usize = 21;
const CLONES: usize = 7;
/// Megabytes of rows in the template.
const TEMPLATE_MB: u64 = 100;
/// The works and their bounds, in milliseconds.
const BOUNDS: [(&str, f64); 2] = [(FRESH_AND_USED, 30.0), (CLONE, 150.0)];
const FRESH_AND_USED: &str = "fresh database and first use";
const CLONE: &str = "clone of 100 MB";

/// Runs a batch; how long it took, in milliseconds.
fn timed(client: &mut Client, sql: &str) -> io::Result<f64> {
    let began = Instant::now();
    client.run(sql).map_err(io::Error::other)?;
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

/// Waits until nothing is written any more and what was removed is out of the device's way.
fn rest(server: &Taffrail, dir: &Path) -> io::Result<()> {
    server.rest()?;
    super::backup::settle(dir)
}

/// A fresh database, and a clone.
pub fn fresh(binary: &Path, dir: &Path, probe: &Probe) -> io::Result<Vec<Figure>> {
    let data = dir.join("fresh");
    let server = Taffrail::start(binary, &data)?;
    let mut client = server.client("master")?;
    rest(&server, dir)?;
    let device = probe.measure()?.depth1_per_s;
    let (mut whole, mut made) = (Vec::new(), Vec::new());
    for n in 0..FRESH {
        let create = timed(&mut client, &format!("CREATE DATABASE fresh{n}"))?;
        let used = timed(
            &mut client,
            &format!("USE fresh{n}; CREATE TABLE t (id int PRIMARY KEY); INSERT t VALUES (1)"),
        )?;
        client.run(&format!("USE master; DROP DATABASE fresh{n}")).map_err(io::Error::other)?;
        made.push(create);
        whole.push(create + used);
    }
    let worst = whole.iter().copied().fold(0.0, f64::max);
    let note = format!(
        "CREATE DATABASE {:.1} ms of it; slowest of {FRESH}: {worst:.1}; device {device:.0} durable writes/s",
        median(made)
    );
    let mut figures = vec![figure(BOUNDS[0], median(whole), &note)];

    client
        .run("CREATE DATABASE template; ALTER DATABASE template SET RECOVERY SIMPLE")
        .and_then(|_| client.run("USE template"))
        .and_then(|_| {
            client.run(
                "CREATE TABLE t (id int IDENTITY PRIMARY KEY, pad char(4000) NOT NULL DEFAULT 'x')",
            )
        })
        .map_err(io::Error::other)?;
    // Two rows a page; a migration's many statements rather than one.
    for _ in 0..TEMPLATE_MB {
        let sql = "INSERT t (pad) SELECT 'x' FROM GENERATE_SERIES(1, 256)";
        client.run(sql).map_err(io::Error::other)?;
    }
    client.run("CHECKPOINT; USE master").map_err(io::Error::other)?;
    let (mut clones, mut copies, mut cold) = (Vec::new(), Vec::new(), Vec::new());
    let memory = vec![1; (TEMPLATE_MB as usize) << 20];
    for n in 0..CLONES {
        rest(&server, dir)?;
        // The template is in memory, as its migration leaves it. A machine may have taken back memory that was idle while it rested.
        cold.push(read_through(&memory));
        client.run("SELECT MAX(pad) FROM template.dbo.t").map_err(io::Error::other)?;
        let sql = format!("CREATE DATABASE clone{n} AS CLONE OF template");
        clones.push(timed(&mut client, &sql)?);
        client.run(&format!("DROP DATABASE clone{n}")).map_err(io::Error::other)?;
        rest(&server, dir)?;
        let (file, copy) = (data.join("template.mdf"), data.join("copy"));
        let took: Duration = sequential::copy(&file, &copy, true)?;
        copies.push(took.as_secs_f64() * 1000.0);
    }
    let worst = clones.iter().copied().fold(0.0, f64::max);
    let note = format!(
        "slowest of {CLONES}: {worst:.0}; cp and fsync: {:.0} ms; memory of that size, idle as long, is read in {:.0} ms and then in {:.0}",
        median(copies),
        median(cold),
        read_through(&memory),
    );
    figures.push(figure(BOUNDS[1], median(clones), &note));
    drop((client, server));
    std::fs::remove_dir_all(&data)?;
    Ok(figures)
}

/// How long it takes to read memory, in milliseconds.
fn read_through(memory: &[u8]) -> f64 {
    let (began, mut piece) = (Instant::now(), [0; 4096]);
    for page in memory.chunks_exact(piece.len()) {
        piece.copy_from_slice(page);
        std::hint::black_box(&mut piece);
    }
    began.elapsed().as_secs_f64() * 1000.0
}

fn figure((work, bound): (&str, f64), value: f64, note: &str) -> Figure {
    Figure::ours(work, value, "ms", format!("bound {bound:.0} ms; {note}"))
}

/// Figures beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = |f: &&Figure| BOUNDS.iter().any(|(work, bound)| f.work == *work && f.value > *bound);
    let tell = |f: &Figure| format!("{}: {:.1} ms is beyond its bound", f.work, f.value);
    figures.iter().filter(over).map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_its_bound_is_told() {
        let figures = [figure(BOUNDS[0], 29.0, ""), figure(BOUNDS[1], 151.0, "")];
        assert_eq!(beyond(&figures), ["clone of 100 MB: 151.0 ms is beyond its bound"]);
    }
}
