//! Checkpoints: their cost for clients that work beside them.
//!
//! | work | against | bound |
//! |---|---|---|
//! | rows of 8,000 bytes, a commit each sixteen, CHECKPOINT after each commit | the same with automatic checkpoints, its rows a second | ≥ 0.5 |
//! | 64 clients of small commits, CHECKPOINT over and over, commits a second | windows without | ≥ 0.9 |
//! | the same, the 99th percentile of what a commit takes | windows without | ≤ 2 |
//!
//! Both sides take turns on one server; what is compared is the median of their ratios, pair by pair.

use super::Figure;
use super::pairs::{Effort, Pairs, order};
use super::peers::Peer;
use super::reading::run_all;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use taffrail_lab::launch::Taffrail;

const MANUAL: (&str, f64) = ("8,000-byte rows, CHECKPOINT a commit", 0.5);
const RATE: (&str, f64) = ("64 clients beside CHECKPOINT, commits", 0.9);
const TAIL: (&str, f64) = ("64 clients beside CHECKPOINT, p99", 2.0);

const CLIENTS: usize = 64;
/// Rows of a round.
const WIDE: u64 = 4_000;
const PAIRS: usize = 7;
const PAIRS_QUICK: usize = 2;
const WINDOW: Duration = Duration::from_secs(2);

/// The ratios of all three works.
pub fn checkpoints(binary: &Path, dir: &Path, effort: Effort) -> io::Result<Vec<Figure>> {
    let data = dir.join("checkpoints");
    let server = Taffrail::start(binary, &data)?;
    run_all(
        &mut server.client("master")?,
        &["CREATE DATABASE bench ON (NAME = bench, FILENAME = 'bench.mdf', SIZE = 512MB, FILEGROWTH = 64MB) \
           LOG ON (NAME = bench_log, FILENAME = 'bench_log.ldf', SIZE = 512MB)"
            .into(), "ALTER DATABASE bench SET RECOVERY SIMPLE".into()],
    )?;
    let usual = if effort.quick { PAIRS_QUICK } else { PAIRS };
    let pairs = effort.pairs.unwrap_or(usual);
    let mut figures = vec![wide(&server, pairs)?];
    figures.extend(beside(&server, pairs)?);
    drop(server);
    std::fs::remove_dir_all(&data)?;
    Ok(figures)
}

/// Rows a second with a CHECKPOINT after each commit, over those with automatic ones.
fn wide(server: &Taffrail, pairs: usize) -> io::Result<Figure> {
    let mut client = server.client("bench")?;
    run_all(&mut client, &["CREATE TABLE wide (i int NOT NULL, c char(8000) NOT NULL)".into()])?;
    let work = |each: &str| {
        [
            format!(
                "SET NOCOUNT ON DECLARE @i int = 0 BEGIN TRAN WHILE @i < {WIDE} BEGIN SET @i += 1 INSERT wide VALUES (@i, 'x') \
                 IF @i % 16 = 0 BEGIN COMMIT {each} BEGIN TRAN END END COMMIT"
            ),
            // The pages of both sides are written when the clock stops.
            "CHECKPOINT".into(),
        ]
    };
    let works = [work(""), work("CHECKPOINT")];
    let mut rates = Pairs::default();
    for pair in 0..pairs {
        let mut per_s = [0.0; 2];
        for side in order(pair) {
            server.rest()?;
            let began = Instant::now();
            run_all(&mut client, &works[side])?;
            per_s[side] = WIDE as f64 / began.elapsed().as_secs_f64();
        }
        rates.push(per_s[0], per_s[1]);
    }
    Ok(figure(MANUAL, &rates, "rows/s", "at least"))
}

/// Commits a second, and what they take, beside checkpoints that follow each other, over those without.
fn beside(server: &Taffrail, pairs: usize) -> io::Result<[Figure; 2]> {
    run_all(
        &mut server.client("bench")?,
        &["CREATE TABLE [load] (id int IDENTITY PRIMARY KEY, sometext varchar(10), moretext varchar(50))".into()],
    )?;
    let (mut rates, mut tails) = (Pairs::default(), Pairs::default());
    for pair in 0..pairs {
        let mut seen = [(0.0, 0.0); 2];
        for side in order(pair) {
            server.rest()?;
            seen[side] = window(server, side == 1)?;
        }
        rates.push(seen[0].0, seen[1].0);
        tails.push(seen[0].1, seen[1].1);
    }
    Ok([figure(RATE, &rates, "commits/s", "at least"), figure(TAIL, &tails, "ms", "at most")])
}

/// Commits a second, and the 99th percentile of what one takes, in milliseconds.
fn window(server: &Taffrail, checkpoints: bool) -> io::Result<(f64, f64)> {
    let over = AtomicBool::new(false);
    let panicked = || io::Error::other("a client panicked");
    let mut took = std::thread::scope(|scope| -> io::Result<Vec<f64>> {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| -> io::Result<Vec<f64>> {
                    let mut driver = server.connect()?;
                    driver.prepare_insert()?;
                    let (mut took, began) = (Vec::new(), Instant::now());
                    while began.elapsed() < WINDOW {
                        let call = Instant::now();
                        driver.insert("Num:12345", "12345 bottles of beer on the wall")?;
                        took.push(call.elapsed().as_secs_f64() * 1000.0);
                    }
                    Ok(took)
                })
            })
            .collect();
        let taker = checkpoints.then(|| {
            scope.spawn(|| -> io::Result<()> {
                let mut client = server.client("bench")?;
                while !over.load(Ordering::Relaxed) {
                    run_all(&mut client, &["CHECKPOINT".into()])?;
                }
                Ok(())
            })
        });
        let mut all = Vec::new();
        let joined: Vec<_> = clients.into_iter().map(|c| c.join()).collect();
        over.store(true, Ordering::Relaxed);
        if let Some(taker) = taker {
            taker.join().map_err(|_| panicked())??;
        }
        for times in joined {
            all.extend(times.map_err(|_| panicked())??);
        }
        Ok(all)
    })?;
    took.sort_by(f64::total_cmp);
    let p99 = took.get(took.len() * 99 / 100).ok_or_else(|| io::Error::other("no commit"))?;
    Ok((took.len() as f64 / WINDOW.as_secs_f64(), *p99))
}

fn figure((work, bound): (&str, f64), pairs: &Pairs, unit: &str, which: &str) -> Figure {
    let r = pairs.ratio();
    Figure {
        work: work.into(),
        engine: "Taffrail".into(),
        value: r.median,
        unit: "x",
        of_device: None,
        note: format!(
            "{which} {bound}; [{:.2}, {:.2}] over {} pairs; {:.1} against {:.1} {unit}",
            r.low, r.high, r.pairs, r.other, r.base
        ),
        drift: 0.0,
    }
}

/// The figures beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let found = |work: &str| figures.iter().find(|f| f.work == work).map(|f| f.value);
    let low =
        [MANUAL, RATE].into_iter().filter(|(work, bound)| found(work).is_some_and(|v| v < *bound));
    let high = [TAIL].into_iter().filter(|(work, bound)| found(work).is_some_and(|v| v > *bound));
    let told = |(work, bound)| {
        format!("{work}: {:.2} is beyond its bound of {bound}", found(work).unwrap_or_default())
    };
    low.chain(high).map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_beyond_their_bounds_are_told() {
        let of = |which, base, other| {
            let mut pairs = Pairs::default();
            pairs.push(base, other);
            figure(which, &pairs, "x", "at least")
        };
        let figures = [of(MANUAL, 100.0, 49.0), of(RATE, 100.0, 95.0), of(TAIL, 1.0, 2.5)];
        assert_eq!(
            beyond(&figures),
            [
                "8,000-byte rows, CHECKPOINT a commit: 0.49 is beyond its bound of 0.5",
                "64 clients beside CHECKPOINT, p99: 2.50 is beyond its bound of 2",
            ]
        );
    }
}
