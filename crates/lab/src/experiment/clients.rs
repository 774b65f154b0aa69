//! Many connections that run a script again and again, one beside another script, and those that are killed with their
//! server.

use super::place::Place;
use super::record::Measured;
use super::statistics::quantile;
use super::stop::{Interrupted, Stop};
use crate::client::{Client, ClientError};
use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Commits that end within one of these are one point of a chart.
const POINT_MS: f64 = 20.0;

/// One run of a script: when it ended, in ms from the beginning, and how long it took, in ms.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    ended_ms: f64,
    took_ms: f64,
}

impl Run {
    /// A run between two moments of the same clock.
    pub fn between(from: Duration, ended: Duration) -> Run {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        Run { ended_ms: ms(ended), took_ms: ms(ended.saturating_sub(from)) }
    }
}

/// Connections that do the same.
pub struct Crowd {
    /// Number of connections at a time.
    pub clients: u32,
    /// Database in which the script runs.
    pub database: String,
    /// Batches, in which the client's and the round's numbers are still to be put in.
    pub script: Vec<String>,
}

/// Puts in the numbers of the client and the round.
pub fn numbered(script: &[String], client: u32, round: u64) -> Vec<String> {
    let (client, round) = (client.to_string(), round.to_string());
    let put =
        |b: &String| b.replace("\u{1}client\u{1}", &client).replace("\u{1}round\u{1}", &round);
    script.iter().map(put).collect()
}

/// A client's script once, from the beginning of the clock.
fn once(client: &mut Client, script: &[String], began: Instant) -> Result<Run, ClientError> {
    let from = began.elapsed();
    for batch in script {
        client.run(batch)?;
    }
    Ok(Run::between(from, began.elapsed()))
}

impl Crowd {
    /// Connections for all of them.
    pub fn connect(&self, place: &Place) -> Result<Vec<Client>, Stop> {
        (0..self.clients).map(|_| place.client(&self.database)).collect()
    }

    /// Each runs the script so often.
    pub fn run(
        &self,
        ready: Vec<Client>,
        rounds: u64,
        began: Instant,
        interrupted: &Interrupted,
    ) -> Result<Vec<Run>, Stop> {
        let barrier = Barrier::new(ready.len());
        let all: Vec<Result<Vec<Run>, Stop>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (1..)
                .zip(ready)
                .map(|(number, mut client)| {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        barrier.wait();
                        let mut runs = Vec::new();
                        for round in 1..=rounds {
                            interrupted.check()?;
                            let script = numbered(&self.script, number, round);
                            runs.push(once(&mut client, &script, began)?);
                        }
                        Ok(runs)
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(panicked()))).collect()
        });
        Ok(all.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }
}

fn panicked() -> Stop {
    Stop::Failed("a client's thread has panicked".into())
}

/// Does the work while another connection runs its script again and again; what the work says, and those runs.
pub fn beside<T>(
    other: Option<(Client, Vec<String>)>,
    began: Instant,
    work: impl FnOnce() -> Result<T, Stop>,
) -> (Result<T, Stop>, Result<Vec<Run>, Stop>) {
    let Some((mut client, script)) = other else { return (work(), Ok(Vec::new())) };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut runs = Vec::new();
            while !done.load(Ordering::Relaxed) {
                let script = numbered(&script, 1, runs.len() as u64 + 1);
                runs.push(once(&mut client, &script, began)?);
            }
            Ok(runs)
        });
        let worked = work();
        done.store(true, Ordering::Relaxed);
        (worked, thread.join().unwrap_or_else(|_| Err(panicked())))
    })
}

/// Figures and points of runs.
pub fn latencies(runs: &[Run], seconds: f64, measured: &mut Measured) {
    let mut sorted: Vec<f64> = runs.iter().map(|r| r.took_ms).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(longest) = sorted.last().copied() else { return };
    let commits = runs.len() as f64;
    let at = |q| quantile(&sorted, q).unwrap_or(longest);
    for (name, value) in [
        ("commits", commits),
        ("commits_per_s", commits / seconds),
        ("p50_ms", at(0.5)),
        ("p99_ms", at(0.99)),
        ("max_ms", longest),
    ] {
        measured.figures.insert(name.into(), value);
    }
    let mut points: BTreeMap<u64, [f64; 3]> = BTreeMap::new();
    for run in runs {
        let n = (run.ended_ms / POINT_MS) as u64;
        let point = points.entry(n).or_insert([n as f64 * POINT_MS, 0.0, 0.0]);
        point[1] = point[1].max((run.took_ms * 1e3).round() / 1e3);
        point[2] += 1.0;
    }
    measured.latency = points.into_values().collect();
}

/// Clients run their script until the server is killed; then it is started again, and the query says how many of their
/// runs are there.
pub fn killed(
    place: &mut Place,
    crowd: &Crowd,
    after: Duration,
    found: &str,
    interrupted: &Interrupted,
) -> Result<BTreeMap<String, f64>, Stop> {
    let ready = crowd.connect(place)?;
    let dead = AtomicBool::new(false);
    let began = Instant::now();
    let (all, killed_ms) = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..)
            .zip(ready)
            .map(|(number, mut client)| {
                let dead = &dead;
                scope.spawn(move || -> Result<Vec<Run>, Stop> {
                    let mut runs = Vec::new();
                    loop {
                        let script = numbered(&crowd.script, number, runs.len() as u64 + 1);
                        match once(&mut client, &script, began) {
                            Ok(run) => runs.push(run),
                            // The connection ends with the server; before that it is an error.
                            Err(_) if dead.load(Ordering::SeqCst) => return Ok(runs),
                            Err(e) => return Err(e.into()),
                        }
                    }
                })
            })
            .collect();
        while began.elapsed() < after && !interrupted.is_set() {
            std::thread::sleep(Duration::from_millis(5));
        }
        dead.store(true, Ordering::SeqCst);
        let killed_ms = began.elapsed().as_secs_f64() * 1e3;
        let killed = place.kill();
        let all: Vec<Result<Vec<Run>, Stop>> =
            threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(panicked()))).collect();
        (killed.map(|()| all), killed_ms)
    });
    let all = all?;
    // Also after an interrupt: who cleans up needs the server.
    place.again()?;
    interrupted.check()?;
    let mut ended: Vec<f64> = Vec::new();
    for runs in all {
        ended.extend(runs?.iter().map(|r| r.ended_ms));
    }
    ended.sort_by(f64::total_cmp);
    let there = place.client(&crowd.database)?.query(found)?.first_value();
    let there: f64 =
        there.parse().map_err(|_| Stop::Failed(format!("'{there}' is no number of runs")))?;
    let acknowledged = ended.len() as f64;
    let lost = (acknowledged - there).max(0.0);
    // Lost from the end of the order: the first of them is as old as the loss reaches back.
    let first = ended.len().saturating_sub(lost as usize);
    let lost_ms = match ended.get(first) {
        Some(ended) if lost > 0.0 => (killed_ms - ended).max(0.0),
        _ => 0.0,
    };
    Ok([("acknowledged", acknowledged), ("found", there), ("lost", lost), ("lost_ms", lost_ms)]
        .map(|(name, value)| (name.to_owned(), value))
        .into())
}
