//! Commits of 8 clients while an `AHEAD` log grows 20 times, against a pre-sized log, rounds in turn.
//!
//! A round has a database of its own. That of the growing log goes on until it has grown 20 times, that of the pre-sized
//! one for as long as the last such round took.

use super::{Kind, Plan, growths, make, remove};
use crate::Figure;
use crate::pairs::{Pairs, order};
use std::io;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use taffrail_lab::launch::Taffrail;
use taffrail_types::{MaxLen, SqlType, Value};

const CLIENTS: usize = 8;
const GROWTHS: u64 = 20;
const GROWTH_MB: u64 = 8;
const ROW: usize = 3_000;
const LIMIT: f64 = 2.0;
/// A round that takes longer than this does not grow as it should.
const PATIENCE: Duration = Duration::from_secs(30);

/// Latency of commits while the log grows, in pairs of rounds.
pub fn latency(server: &Taffrail, data: &Path, plan: Plan) -> io::Result<Vec<Figure>> {
    let kinds = [Kind::PreSized, Kind::Grows { mode: "AHEAD", by_mb: GROWTH_MB }];
    let mut pairs = Pairs::default();
    let mut all = [Vec::new(), Vec::new()];
    let mut grown = u64::MAX;
    let mut length = Duration::from_millis(1500);
    for pair in 0..plan.latency_pairs {
        let mut tails = [0.0; 2];
        for which in order(pair) {
            let mut round = round(server, data, kinds[which], length)?;
            round.latencies.sort_unstable();
            tails[which] = at(&round.latencies, 0.999);
            if which == 1 {
                grown = grown.min(round.growths);
                length = round.took;
            }
            all[which].extend(round.latencies);
        }
        pairs.push(tails[0], tails[1]);
    }
    let ratio = pairs.ratio();
    let mut figures = Vec::new();
    for (kind, latencies) in kinds.iter().zip(&mut all) {
        latencies.sort_unstable();
        figures.push(Figure {
            work: format!("growth: {CLIENTS} clients, p99.9 of a commit, {}", kind.name()),
            engine: "Taffrail".into(),
            value: at(latencies, 0.999),
            unit: "us",
            of_device: None,
            note: format!(
                "p50 {:.0} us, p99 {:.0} us, longest {:.0} us; {} commits in {} rounds",
                at(latencies, 0.5),
                at(latencies, 0.99),
                at(latencies, 1.0),
                latencies.len(),
                plan.latency_pairs
            ),
            drift: 0.0,
        });
    }
    let verdict = match ratio.median <= LIMIT {
        _ if grown < GROWTHS => "too few growths to count",
        true => "reached",
        false => "not reached",
    };
    figures.push(Figure {
        work: "growth: p99.9 while AHEAD grows : pre-sized".into(),
        engine: "Taffrail".into(),
        value: ratio.median,
        unit: "ratio",
        of_device: None,
        note: format!(
            "95 % in [{:.3}, {:.3}], {} pairs of rounds, {grown} growths or more in each; <= {LIMIT}: {verdict}",
            ratio.low, ratio.high, ratio.pairs
        ),
        drift: 0.0,
    });
    Ok(figures)
}

fn at(sorted: &[Duration], q: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e6
}

struct Round {
    latencies: Vec<Duration>,
    growths: u64,
    took: Duration,
}

/// `length`: of a log that does not grow.
fn round(server: &Taffrail, data: &Path, kind: Kind, length: Duration) -> io::Result<Round> {
    let name = "commits";
    let table =
        format!("CREATE TABLE target (id int IDENTITY PRIMARY KEY, text char({ROW}) NOT NULL)");
    let mut control = make(server, data, name, kind, &[table])?;
    let before = growths(&mut control, name)?;
    let text = SqlType::VarChar(MaxLen::N(ROW as u16));
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut client = server.client(name)?;
        let prepared = client
            .prepare("INSERT target (text) VALUES (@text)", &[("@text", text)])
            .map_err(io::Error::other)?;
        clients.push((client, prepared));
    }
    let (start, stop) = (Barrier::new(CLIENTS + 1), AtomicBool::new(false));
    let value = [Value::VarChar(vec![b'x'; ROW].into())];
    let round = std::thread::scope(|scope| {
        let workers: Vec<_> = clients
            .into_iter()
            .map(|(mut client, prepared)| {
                let (start, stop, value) = (&start, &stop, &value);
                scope.spawn(move || -> io::Result<Vec<Duration>> {
                    let mut took = Vec::with_capacity(20_000);
                    start.wait();
                    while !stop.load(Ordering::Relaxed) {
                        let call = Instant::now();
                        client.execute(&prepared, value).map_err(io::Error::other)?;
                        took.push(call.elapsed());
                    }
                    Ok(took)
                })
            })
            .collect();
        start.wait();
        let began = Instant::now();
        // Asked of both, so that both have that done to them.
        let watched = (|| {
            loop {
                std::thread::sleep(Duration::from_millis(50));
                let grown = growths(&mut control, name)? - before;
                let enough = match kind {
                    Kind::PreSized => began.elapsed() >= length,
                    Kind::Grows { .. } => grown >= GROWTHS || began.elapsed() > PATIENCE,
                };
                if enough {
                    return Ok(grown);
                }
            }
        })();
        stop.store(true, Ordering::Relaxed);
        let took = began.elapsed();
        let mut latencies = Vec::new();
        for worker in workers {
            latencies.extend(worker.join().map_err(|_| io::Error::other("a client panicked"))??);
        }
        watched.map(|growths| Round { latencies, growths, took })
    });
    drop(control);
    remove(server, name)?;
    round
}
