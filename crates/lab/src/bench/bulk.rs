//! Bulk loads: the customers of TPC-C, from a client and from a file.
//!
//! The file is the same for all engines: a line per row, fields between tabs. A load from a client makes its rows while
//! it sends them, as `taffrail lab load` does, so its time is that of both.

use super::Figure;
use super::peers::{Peer, time_last};
use super::rows::{Scale, median};
use super::taffrail::Taffrail;
use crate::client::bulk::BulkOptions;
use crate::client::display;
use crate::load::tpcc::{self, COLUMNS, Customers};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use taffrail_types::Value;

const SEED: u64 = 1;

/// Writes the file.
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

/// Loads into the empty, indexed table.
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
    let mut from_client = Vec::new();
    let mut from_file = vec![Vec::new(); peers.len()];
    for _ in 0..scale.rounds {
        let mut client = ours.client("bench")?;
        for sql in ["TRUNCATE TABLE customer", "CHECKPOINT"] {
            client.run(sql).map_err(io::Error::other)?;
        }
        from_client.push(from_tds(&mut client, scale.customers)?);
        for (n, peer) in peers.iter().enumerate() {
            let mut driver = peer.connect()?;
            let statements = peer.load_file(if n == 0 { &inside } else { &file });
            from_file[n].push(time_last(&mut *driver, &statements)?.as_secs_f64());
        }
    }
    for peer in peers {
        let mut driver = peer.connect()?;
        driver.run("TRUNCATE TABLE customer")?;
    }
    std::fs::remove_file(&inside)?;
    std::fs::remove_file(&file)?;
    let figure = |work: &str, engine: &str, seconds: Vec<f64>| Figure {
        work: work.into(),
        engine: engine.into(),
        value: median(seconds),
        unit: "s",
        of_device: None,
        note: format!("{} rows, {} rounds", scale.customers, scale.rounds),
        drift: 0.0,
    };
    let mut figures = vec![figure("bulk load, from a client", "Taffrail", from_client)];
    for (peer, seconds) in peers.iter().zip(from_file) {
        figures.push(figure("bulk load, from a file", peer.name(), seconds));
    }
    Ok(figures)
}

fn from_tds(client: &mut crate::client::Client, rows: u32) -> io::Result<f64> {
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
