//! One client against what the device and the wire allow it.
//!
//! A client that inserts and commits one row per call can do no better than one durable write of the device and one
//! round trip of a call that does nothing. Both are measured in the same seconds, with the same client: slices of the
//! device alone, of a prepared `SELECT 1` and of the prepared insert take turns, and the median of the slices counts.
//!
//! ```text
//! of what is possible = (time of a durable 4 KiB write + round trip of SELECT 1) / time of insert and commit
//! ```

use super::Figure;
use super::device::Probe;
use super::rows::{Scale, median};
use super::taffrail::Taffrail;
use std::io;
use std::time::{Duration, Instant};
use taffrail_types::{MaxLen, SqlType, Value};

/// How long the device and the wire are measured on either side of a slice of inserts.
const YARDSTICK: Duration = Duration::from_millis(100);
/// How long a slice of inserts lasts.
const SLICE: Duration = Duration::from_millis(200);

/// What one slice has shown, in seconds for each.
struct Slice {
    write: f64,
    round_trip: f64,
    insert: f64,
}

impl Slice {
    fn of_possible(&self) -> f64 {
        (self.write + self.round_trip) / self.insert
    }
}

/// The rows of one client: the bare round trip, and how near its commits come to what is possible.
pub fn one_client(server: &Taffrail, probe: &Probe, scale: Scale) -> io::Result<Vec<Figure>> {
    let mut client = server.client("bench")?;
    let text = SqlType::VarChar(MaxLen::N(50));
    let select = client.prepare("SELECT 1", &[]).map_err(io::Error::other)?;
    let insert = client
        .prepare(
            "INSERT [load] (sometext, moretext) VALUES (@a, @b)",
            &[("@a", text), ("@b", text)],
        )
        .map_err(io::Error::other)?;
    let row = [
        Value::VarChar(b"Num:12345"[..].into()),
        Value::VarChar(b"12345 bottles of beer on the wall"[..].into()),
    ];
    let mut call = |prepared, values: &[Value]| {
        client.execute(prepared, values).map(|_| ()).map_err(io::Error::other)
    };
    let per_slice = (SLICE + 4 * YARDSTICK).as_secs_f64();
    let slices = scale.rounds * ((scale.client_seconds / per_slice) as usize).max(3);
    let mut seen = Vec::new();
    for _ in 0..slices {
        let before = (probe.single(YARDSTICK)?, mean(YARDSTICK, || call(&select, &[]))?);
        let insert = mean(SLICE, || call(&insert, &row))?;
        let after = (mean(YARDSTICK, || call(&select, &[]))?, probe.single(YARDSTICK)?);
        seen.push(Slice {
            write: (before.0 + after.1) / 2.0,
            round_trip: (before.1 + after.0) / 2.0,
            insert,
        });
    }
    let of = |f: fn(&Slice) -> f64| median(seen.iter().map(f).collect());
    let (write, trip, insert) = (of(|s| s.write), of(|s| s.round_trip), of(|s| s.insert));
    let figure = |work: &str, value: f64, unit, note: String| Figure {
        work: work.into(),
        engine: "Taffrail".into(),
        value,
        unit,
        of_device: None,
        note,
        drift: 0.0,
    };
    Ok(vec![
        figure("1 client, prepared SELECT 1", trip * 1e6, "us", format!("{slices} slices")),
        figure(
            "1 client, of device + wire",
            of(Slice::of_possible),
            "ratio",
            format!(
                "device {:.1} us, wire {:.1} us, insert + commit {:.1} us; wanted 0.95",
                write * 1e6,
                trip * 1e6,
                insert * 1e6
            ),
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
