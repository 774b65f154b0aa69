//! One client against what the device and the wire allow it.
//!
//! A client that inserts and commits one row per call can do no better than one durable write of the device and one
//! round trip of a call that does nothing. Both are measured in the same seconds, with the same client: slices of the
//! device alone, of a prepared `SELECT 1` and of the prepared insert take turns, and the median of the slices counts.
//!
//! ```text
//! of what is possible = (time of a durable 4 KiB write + round trip of SELECT 1) / time of insert and commit
//! ```
//!
//! Measured by themselves the two are faster than they can be together: a processor that sleeps through the write has
//! to be woken, its caches are cold. How much that is on the machine at hand the [bare server](super::bare) shows, which
//! does nothing but write and answer; between it and our own server lies what is ours.
//!
//! ```text
//! of a bare server = time that the bare server takes for the insert / time of insert and commit
//! ```

use super::Figure;
use super::bare::Bare;
use super::rows::{Scale, median};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, Prepared};
use taffrail_lab::device::Probe;
use taffrail_lab::launch::Taffrail;
use taffrail_types::{MaxLen, SqlType, Value};

/// How long the device and the wire are measured on either side of a slice of inserts.
const YARDSTICK: Duration = Duration::from_millis(100);
/// How long a slice of inserts lasts, ours and the bare server's.
const SLICE: Duration = Duration::from_millis(200);

/// Times of one slice, in seconds for each.
pub(super) struct Slice {
    write: f64,
    round_trip: f64,
    insert: f64,
    /// The bare server's round trip without a write, and with one.
    bare: (f64, f64),
}

impl Slice {
    fn of_possible(&self) -> f64 {
        (self.write + self.round_trip) / self.insert
    }

    /// Microseconds of an insert and commit that neither the device nor the wire takes: those beside the bare server's write and answer.
    pub(super) fn beside_us(&self) -> f64 {
        (self.insert - self.bare.1) * 1e6
    }
}

/// A client with its two statements.
struct Caller {
    client: Client,
    select: Prepared,
    insert: Prepared,
}

impl Caller {
    fn new(mut client: Client) -> io::Result<Caller> {
        let text = SqlType::VarChar(MaxLen::N(50));
        let select = client.prepare("SELECT 1", &[]).map_err(io::Error::other)?;
        let insert = client
            .prepare(
                "INSERT [load] (sometext, moretext) VALUES (@a, @b)",
                &[("@a", text), ("@b", text)],
            )
            .map_err(io::Error::other)?;
        Ok(Caller { client, select, insert })
    }

    /// Selects 1 for so long; what one call took on average, in seconds.
    fn selects(&mut self, time: Duration) -> io::Result<f64> {
        let Caller { client, select, .. } = self;
        mean(time, || client.execute(select, &[]).map(|_| ()).map_err(io::Error::other))
    }

    /// Inserts for so long.
    fn inserts(&mut self, time: Duration) -> io::Result<f64> {
        let Caller { client, insert, .. } = self;
        let row = [
            Value::VarChar(b"Num:12345"[..].into()),
            Value::VarChar(b"12345 bottles of beer on the wall"[..].into()),
        ];
        mean(time, || client.execute(insert, &row).map(|_| ()).map_err(io::Error::other))
    }
}

/// The slices of one client.
pub(super) fn slices(
    server: &Taffrail,
    folder: &Path,
    probe: &Probe,
    scale: Scale,
) -> io::Result<Vec<Slice>> {
    let bare = Bare::start(folder, server.port())?;
    let mut ours = Caller::new(server.client("bench")?)?;
    let mut written = Caller::new(server.client_at(bare.durable_port, "bench")?)?;
    let mut answered = Caller::new(server.client_at(bare.wire_port, "bench")?)?;
    // What is still to be learnt.
    for caller in [&mut written, &mut answered] {
        caller.selects(Duration::ZERO)?;
        caller.inserts(Duration::ZERO)?;
    }
    let per_slice = (2 * SLICE + 5 * YARDSTICK).as_secs_f64();
    let slices = scale.rounds * ((scale.client_seconds / per_slice) as usize).max(3);
    let mut seen = Vec::new();
    for n in 0..slices {
        let before = (probe.single(YARDSTICK)?, ours.selects(YARDSTICK)?);
        // In turn the one and the other first.
        let (insert, bare_insert) = match n % 2 {
            0 => {
                let insert = ours.inserts(SLICE)?;
                (insert, written.inserts(SLICE)?)
            }
            _ => {
                let bare = written.inserts(SLICE)?;
                (ours.inserts(SLICE)?, bare)
            }
        };
        let bare = (answered.selects(YARDSTICK)?, bare_insert);
        let after = (ours.selects(YARDSTICK)?, probe.single(YARDSTICK)?);
        seen.push(Slice {
            write: (before.0 + after.1) / 2.0,
            round_trip: (before.1 + after.0) / 2.0,
            insert,
            bare,
        });
    }
    Ok(seen)
}

/// The rows of one client: the bare round trip, and how near its commits come to what is possible.
pub fn one_client(
    server: &Taffrail,
    folder: &Path,
    probe: &Probe,
    scale: Scale,
) -> io::Result<Vec<Figure>> {
    let seen = slices(server, folder, probe, scale)?;
    let slices = seen.len();
    let of = |f: fn(&Slice) -> f64| median(seen.iter().map(f).collect());
    let (write, trip, insert) = (of(|s| s.write), of(|s| s.round_trip), of(|s| s.insert));
    let (bare_trip, bare_insert) = (of(|s| s.bare.0), of(|s| s.bare.1));
    let figure = |work: &str, engine: &str, value: f64, unit, note: String| Figure {
        work: work.into(),
        engine: engine.into(),
        value,
        unit,
        of_device: None,
        note,
        drift: 0.0,
    };
    let ratio = |work: &str, engine: &str, f: fn(&Slice) -> f64, note| {
        figure(work, engine, of(f), "ratio", note)
    };
    let us = |seconds: f64| seconds * 1e6;
    Ok(vec![
        figure(
            "1 client, prepared SELECT 1",
            "Taffrail",
            us(trip),
            "us",
            format!("{slices} slices; a bare server {:.1} us", us(bare_trip)),
        ),
        ratio(
            "1 client, of device + wire",
            "Taffrail",
            Slice::of_possible,
            format!(
                "device {:.1} us, wire {:.1} us, insert + commit {:.1} us; wanted 0.95",
                us(write),
                us(trip),
                us(insert)
            ),
        ),
        ratio(
            "1 client, of device + wire",
            "bare server",
            |s| (s.write + s.round_trip) / s.bare.1,
            format!(
                "write + answer {:.1} us; no server on this machine can do better",
                us(bare_insert)
            ),
        ),
        ratio(
            "1 client, of a bare server",
            "Taffrail",
            |s| s.bare.1 / s.insert,
            format!("{:.1} us beside what the bare server takes", us(insert - bare_insert)),
        ),
    ])
}

/// Calls for so long; what one took on average, in seconds.
fn mean(time: Duration, mut call: impl FnMut() -> io::Result<()>) -> io::Result<f64> {
    let began = Instant::now();
    let mut calls = 0u32;
    loop {
        call()?;
        calls += 1;
        let took = began.elapsed();
        if took >= time {
            return Ok(took.as_secs_f64() / f64::from(calls));
        }
    }
}
