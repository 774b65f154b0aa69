//! The rows of the benchmark's table.

use super::Figure;
use super::peers::sqlite::Sqlite;
use super::peers::{Peer, time_last};
use std::io;
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use taffrail_lab::device::{Device, Probe};
use taffrail_lab::launch::Taffrail;

/// No restart takes longer.
const PATIENCE: Duration = Duration::from_secs(300);

/// How much of each work, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Rows of the autocommit loop.
    pub commits: u32,
    /// Rows of the loops that do not wait for the disk.
    pub rows: u32,
    /// The number of customers.
    pub customers: u32,
    /// Rounds in which the engines take turns; the median is reported.
    pub rounds: usize,
    /// Seconds of each run with clients.
    pub client_seconds: f64,
}

/// Measures while the device stands still: repeats up to twice when it drifted by more than 10 %.
pub(super) fn steady<T>(
    probe: &Probe,
    mut work: impl FnMut() -> io::Result<T>,
) -> io::Result<(T, Device, f64)> {
    let mut last = None;
    for _ in 0..3 {
        let before = probe.measure()?;
        let result = work()?;
        let after = probe.measure()?;
        let drift = (after.depth1_per_s / before.depth1_per_s - 1.0) * 100.0;
        let device = Device {
            depth1_per_s: (before.depth1_per_s + after.depth1_per_s) / 2.0,
            depth4_per_s: (before.depth4_per_s + after.depth4_per_s) / 2.0,
            p50_us: (before.p50_us + after.p50_us) / 2.0,
            p99_us: (before.p99_us + after.p99_us) / 2.0,
        };
        let good = drift.abs() <= 10.0;
        last = Some((result, device, drift));
        if good {
            break;
        }
    }
    last.ok_or_else(|| io::Error::other("nothing measured"))
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A loop inside the server: which statements a peer runs for it, what SQLite's program calls it, and how many rows.
struct Loop {
    work: &'static str,
    statements: fn(&dyn Peer, u32) -> Vec<String>,
    sqlite: &'static str,
    rows: u32,
    /// Bound by the device's durable writes.
    durable: bool,
}

/// The three loops, the engines taking turns within a round.
pub fn loops(
    peers: &[&dyn Peer],
    sqlite: Option<&Sqlite>,
    probe: &Probe,
    scale: Scale,
) -> io::Result<Vec<Figure>> {
    let loops = [
        Loop {
            work: "loop, autocommit",
            statements: |p, n| p.autocommit_loop(n),
            sqlite: "autocommit",
            rows: scale.commits,
            durable: true,
        },
        Loop {
            work: "loop, one transaction",
            statements: |p, n| p.transaction_loop(n),
            sqlite: "transaction",
            rows: scale.rows,
            durable: false,
        },
        Loop {
            work: "loop, delayed durability",
            statements: |p, n| p.relaxed_loop(n),
            sqlite: "relaxed",
            rows: scale.rows,
            durable: false,
        },
    ];
    let mut figures = Vec::new();
    for l in loops {
        let engines = peers.len() + usize::from(sqlite.is_some());
        let mut per_s = vec![Vec::new(); engines];
        let mut of_device = vec![Vec::new(); engines];
        let mut drifts = vec![0.0; engines];
        for _ in 0..scale.rounds {
            for (n, peer) in peers.iter().enumerate() {
                let mut driver = peer.connect()?;
                for sql in peer.settle() {
                    driver.run(&sql)?;
                }
                let (took, device, drift) =
                    steady(probe, || time_last(&mut *driver, &(l.statements)(*peer, l.rows)))?;
                let rate = f64::from(l.rows) / took.as_secs_f64();
                per_s[n].push(rate);
                of_device[n].push(rate / device.depth1_per_s);
                drifts[n] = drift;
            }
            if let Some(sqlite) = sqlite {
                let (took, device, drift) = steady(probe, || sqlite.run(l.sqlite, l.rows))?;
                let rate = f64::from(l.rows) / took[0];
                per_s[engines - 1].push(rate);
                of_device[engines - 1].push(rate / device.depth1_per_s);
                drifts[engines - 1] = drift;
            }
        }
        let names = peers.iter().map(|p| p.name()).chain(sqlite.map(|_| "SQLite"));
        for (n, name) in names.enumerate() {
            figures.push(Figure {
                work: l.work.into(),
                engine: name.into(),
                value: median(per_s[n].clone()),
                unit: if l.work.ends_with("transaction") { "rows/s" } else { "commits/s" },
                of_device: l.durable.then(|| median(of_device[n].clone())),
                note: format!("{} rows, {} rounds", l.rows, scale.rounds),
                drift: drifts[n],
            });
        }
    }
    Ok(figures)
}

/// One prepared insert and commit per call, from each of these numbers of clients.
pub fn clients(
    peers: &[&dyn Peer],
    probe: &Probe,
    counts: &[usize],
    scale: Scale,
) -> io::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for &count in counts {
        for peer in peers {
            let mut rates = Vec::new();
            let mut ratios = Vec::new();
            let mut waits = Vec::new();
            let mut last_drift = 0.0;
            for _ in 0..scale.rounds {
                let (mut latencies, device, drift) = steady(probe, || {
                    storm(*peer, count, Duration::from_secs_f64(scale.client_seconds))
                })?;
                let rate = latencies.len() as f64 / scale.client_seconds;
                latencies.sort_unstable();
                rates.push(rate);
                ratios.push(rate / device.depth1_per_s);
                let at = |q: f64| {
                    latencies[((latencies.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e6
                };
                waits.push((at(0.5), at(0.99), device.p99_us / device.p50_us));
                last_drift = drift;
            }
            let (p50, p99, device_ratio) = waits[waits.len() / 2];
            figures.push(Figure {
                work: format!("{count} clients, insert + commit"),
                engine: peer.name().into(),
                value: median(rates),
                unit: "commits/s",
                of_device: Some(median(ratios)),
                note: format!(
                    "p50 {p50:.0} us, p99 {p99:.0} us (ratio {:.1}, device's {device_ratio:.1})",
                    p99 / p50
                ),
                drift: last_drift,
            });
        }
    }
    Ok(figures)
}

/// All clients insert for a while; the time that each insert took.
fn storm(peer: &dyn Peer, count: usize, time: Duration) -> io::Result<Vec<Duration>> {
    let mut drivers = Vec::new();
    let mut quiet = peer.connect()?;
    for sql in peer.settle() {
        quiet.run(&sql)?;
    }
    for _ in 0..count {
        let mut driver = peer.connect()?;
        driver.prepare_insert()?;
        drivers.push(driver);
    }
    let start = Barrier::new(count);
    std::thread::scope(|scope| {
        let workers: Vec<_> = drivers
            .into_iter()
            .map(|mut driver| {
                let start = &start;
                scope.spawn(move || -> io::Result<Vec<Duration>> {
                    let mut took = Vec::with_capacity(100_000);
                    start.wait();
                    let began = Instant::now();
                    while began.elapsed() < time {
                        let call = Instant::now();
                        driver.insert("Num:12345", "12345 bottles of beer on the wall")?;
                        took.push(call.elapsed());
                    }
                    Ok(took)
                })
            })
            .collect();
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.join().map_err(|_| io::Error::other("a client panicked"))??);
        }
        Ok(all)
    })
}

/// INSERT … SELECT, UPDATE and DELETE of all customers.
pub fn customers(
    peers: &[&dyn Peer],
    sqlite: Option<&Sqlite>,
    scale: Scale,
) -> io::Result<Vec<Figure>> {
    let mut took: Vec<(String, String, Vec<f64>)> = Vec::new();
    let mut note = |work: &str, engine: &str, seconds: f64| match took
        .iter_mut()
        .find(|(w, e, _)| w == work && e == engine)
    {
        Some((_, _, values)) => values.push(seconds),
        None => took.push((work.into(), engine.into(), vec![seconds])),
    };
    for _ in 0..scale.rounds {
        for peer in peers {
            let mut driver = peer.connect()?;
            for sql in peer.load_customers(scale.customers) {
                driver.run(&sql)?;
            }
            for (work, sql) in peer.customer_statements() {
                let began = Instant::now();
                driver.run(&sql)?;
                note(work, peer.name(), began.elapsed().as_secs_f64());
                for sql in peer.settle() {
                    driver.run(&sql)?;
                }
            }
        }
        if let Some(sqlite) = sqlite {
            let seconds = sqlite.run("customer", scale.customers)?;
            for (work, s) in ["insert … select", "update", "delete"].iter().zip(seconds) {
                note(work, "SQLite", s);
            }
        }
    }
    took.sort_by_key(|(work, _, _)| {
        ["insert … select", "update", "delete"].iter().position(|w| w == work)
    });
    Ok(took
        .into_iter()
        .map(|(work, engine, seconds)| Figure {
            work: format!("customer, {work}"),
            engine,
            value: median(seconds),
            unit: "s",
            of_device: None,
            note: format!("{} rows, {} rounds", scale.customers, scale.rounds),
            drift: 0.0,
        })
        .collect())
}

/// Start, memory, size, and the restart after a kill in the middle of life.
pub fn life(binary: &Path, folder: &Path, scale: Scale) -> io::Result<Vec<Figure>> {
    let figure = |work: &str, value: f64, unit| Figure {
        work: work.into(),
        engine: "Taffrail".into(),
        value,
        unit,
        of_device: None,
        note: String::new(),
        drift: 0.0,
    };
    let (mut first, mut second, mut memory) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..scale.rounds.max(3) {
        let data = folder.join(format!("life-{n}"));
        let server = Taffrail::start(binary, &data)?;
        first.push(server.time_to_ready.as_secs_f64());
        memory.push(server.memory_mib()?);
        server.kill()?;
        // The second start cleans up after the kill, the third is a restart of an idle server.
        Taffrail::start(binary, &data)?.kill()?;
        let server = Taffrail::start(binary, &data)?;
        second.push(server.time_to_ready.as_secs_f64());
        drop(server);
        std::fs::remove_dir_all(&data)?;
    }
    let mut restart = Vec::new();
    for n in 0..scale.rounds.min(3) {
        let data = folder.join(format!("restart-{n}"));
        let server = Taffrail::start(binary, &data)?;
        server.client("master")?.run("CREATE DATABASE bench").map_err(io::Error::other)?;
        let mut driver = server.connect()?;
        for sql in server.setup().iter().chain(&server.load_customers(scale.customers)) {
            driver.run(sql)?;
        }
        driver.run("UPDATE customer SET c_data = lower(c_data)")?;
        server.kill()?;
        let began = Instant::now();
        let server = Taffrail::start(binary, &data)?;
        let mut client = server.client_once_open("bench", PATIENCE)?;
        client.run("SELECT TOP 1 c_id FROM customer").map_err(io::Error::other)?;
        restart.push(began.elapsed().as_secs_f64());
        drop(server);
        std::fs::remove_dir_all(&data)?;
    }
    Ok(vec![
        figure("empty directory to ready line", median(first), "s"),
        figure("restart of an idle server", median(second), "s"),
        figure("memory at idle (PSS)", median(memory), "MiB"),
        figure("release binary", std::fs::metadata(binary)?.len() as f64 / (1 << 20) as f64, "MiB"),
        figure("restart after SIGKILL, first row", median(restart), "s"),
    ])
}
