//! Bulk loads: the customers of TPC-C, from a client and from a file.
//!
//! The file is the same for all engines: a line per row, fields between tabs. A load from a client makes its rows while
//! it sends them, as `taffrail lab load` does, so its time is that of both.
//!
//! Each engine logs as little as it can: BULK INSERT … TABLOCK under SIMPLE here, COPY into a table that the same transaction
//! has truncated, with `wal_level = minimal`, in PostgreSQL; MariaDB has no such thing for LOAD DATA.

use super::Figure;
use super::peers::mariadb::MariaDb;
use super::peers::postgres::Postgres;
use super::peers::{Peer, time_last};
use super::reading::run_all;
use super::rows::{Scale, median};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use taffrail_lab::client::bulk::BulkOptions;
use taffrail_lab::client::display;
use taffrail_lab::launch::Taffrail;
use taffrail_lab::load::tpcc::{self, COLUMNS, Customers};
use taffrail_types::Value;

const SEED: u64 = 1;

/// Writes the file that is loaded: one line for each customer.
fn write_file(path: &Path, rows: u32) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    let customers = Customers::new(SEED);
    let mut row = Vec::new();
    for n in 0..rows {
        customers.row(u64::from(n), &mut row);
        for (i, (value, (_, ty))) in row.iter().zip(&COLUMNS).enumerate() {
            if i > 0 {
                out.write_all(b"\t")?;
            }
            match value {
                Value::VarChar(text) => out.write_all(text)?,
                value => out.write_all(display(value, *ty).as_bytes())?,
            }
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Loads into the empty, indexed table of servers that run already.
pub fn bulk(
    ours: &Taffrail,
    peers: &[&dyn Peer],
    dir: &Path,
    scale: Scale,
) -> io::Result<Vec<Figure>> {
    let file = dir.join("customers.txt");
    write_file(&file, scale.customers)?;
    let inside = dir.join("taffrail/customers.txt");
    std::fs::hard_link(&file, &inside)?;
    ours.client("master")?
        .run("ALTER DATABASE bench SET RECOVERY SIMPLE")
        .map_err(io::Error::other)?;
    let mut took = Took::default();
    for _ in 0..scale.rounds {
        took.note(FROM_CLIENT, ours.name(), from_client(ours, scale.customers)?);
        for (n, peer) in peers.iter().enumerate() {
            let seconds = from_file(*peer, if n == 0 { &inside } else { &file })?;
            took.note(FROM_FILE, peer.name(), seconds);
        }
    }
    std::fs::remove_file(&inside)?;
    std::fs::remove_file(&file)?;
    Ok(took.figures(scale.customers))
}

/// Bulk loads with each engine started for itself, loaded and taken away again: of millions of rows there is the file and
/// one table at a time.
pub fn in_turn(
    binary: &Path,
    with_peers: bool,
    dir: &Path,
    scale: Scale,
) -> io::Result<Vec<Figure>> {
    let file = dir.join("customers.txt");
    write_file(&file, scale.customers)?;
    let mut took = Took::default();
    for _ in 0..scale.rounds {
        let data = dir.join("taffrail");
        let ours = Taffrail::start(binary, &data)?;
        let inside = data.join("customers.txt");
        std::fs::hard_link(&file, &inside)?;
        run_all(
            &mut ours.client("master")?,
            &["CREATE DATABASE bench ON (NAME = bench, FILENAME = 'bench.mdf', SIZE = 1GB) LOG ON (NAME = \
                bench_log, FILENAME = 'bench_log.ldf', SIZE = 256MB) \
               ALTER DATABASE bench SET RECOVERY SIMPLE"
                .into()],
        )?;
        set_up(&ours)?;
        took.note(FROM_CLIENT, ours.name(), from_client(&ours, scale.customers)?);
        took.note(FROM_FILE, ours.name(), from_file(&ours, &inside)?);
        drop(ours);
        std::fs::remove_dir_all(&data)?;
        if !with_peers {
            continue;
        }
        let postgres = Postgres::start(dir, 25432)?;
        set_up(&postgres)?;
        took.note(FROM_FILE, postgres.name(), from_file(&postgres, &file)?);
        drop(postgres);
        std::fs::remove_dir_all(dir.join("postgres"))?;
        let mariadb = MariaDb::start_with(dir, 23306, "1G")?;
        set_up(&mariadb)?;
        took.note(FROM_FILE, mariadb.name(), from_file(&mariadb, &file)?);
        drop(mariadb);
        std::fs::remove_dir_all(dir.join("mariadb"))?;
    }
    std::fs::remove_file(&file)?;
    Ok(took.figures(scale.customers))
}

const FROM_CLIENT: &str = "bulk load, from a client";
const FROM_FILE: &str = "bulk load, from a file";

/// Seconds by work and engine, in the order in which they were first noted.
#[derive(Default)]
struct Took(Vec<(&'static str, &'static str, Vec<f64>)>);

impl Took {
    fn note(&mut self, work: &'static str, engine: &'static str, seconds: f64) {
        match self.0.iter_mut().find(|t| (t.0, t.1) == (work, engine)) {
            Some(t) => t.2.push(seconds),
            None => self.0.push((work, engine, vec![seconds])),
        }
    }

    fn figures(self, rows: u32) -> Vec<Figure> {
        let mut figures: Vec<Figure> = self
            .0
            .into_iter()
            .map(|(work, engine, seconds)| Figure {
                work: work.into(),
                engine: engine.into(),
                note: format!("{rows} rows, {} rounds", seconds.len()),
                value: median(seconds),
                unit: "s",
                of_device: None,
                drift: 0.0,
            })
            .collect();
        figures.sort_by(|a, b| a.work.cmp(&b.work));
        figures
    }
}

fn set_up(peer: &dyn Peer) -> io::Result<()> {
    let mut driver = peer.connect()?;
    peer.setup().iter().try_for_each(|sql| driver.run(sql))
}

/// Loads the file; the table is empty again at the end.
fn from_file(peer: &dyn Peer, file: &Path) -> io::Result<f64> {
    let mut driver = peer.connect()?;
    let seconds = time_last(&mut *driver, &peer.load_file(file))?.as_secs_f64();
    driver.run("TRUNCATE TABLE customer")?;
    Ok(seconds)
}

fn from_client(ours: &Taffrail, rows: u32) -> io::Result<f64> {
    let mut client = ours.client("bench")?;
    run_all(&mut client, &["TRUNCATE TABLE customer".into(), "CHECKPOINT".into()])?;
    let seconds = from_tds(&mut client, rows)?;
    run_all(&mut client, &["TRUNCATE TABLE customer".into()])?;
    Ok(seconds)
}

/// A bulk load from a client, into a table that is empty; seconds.
pub(super) fn from_tds(client: &mut taffrail_lab::client::Client, rows: u32) -> io::Result<f64> {
    let columns = COLUMNS.map(|(name, ty)| (name, tpcc::sent_as(ty)));
    let customers = Customers::new(SEED);
    let mut row = Vec::new();
    let began = Instant::now();
    let options = BulkOptions { tablock: true, ..Default::default() };
    let mut copy = client.bulk("customer", &columns, options);
    for n in 0..rows {
        customers.row(u64::from(n), &mut row);
        copy.row(&row).map_err(io::Error::other)?;
    }
    let loaded = copy.finish().map_err(io::Error::other)?;
    let seconds = began.elapsed().as_secs_f64();
    match loaded == u64::from(rows) {
        true => Ok(seconds),
        false => Err(io::Error::other(format!("{loaded} of {rows} rows loaded"))),
    }
}
