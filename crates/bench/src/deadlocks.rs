//! How soon deadlocks by several cycles at once are found, and what is left of a workload that makes them.
//!
//! Eight sessions under REPEATABLE READ have read two rows; then each wants to write both, four beginning with the one and four with
//! the other. Each is in each other's way, so all but one are victims, by seven cycles at once. What is measured is the time from
//! the last session's request to each victim's answer, as the clients see it. Beyond the bound the part fails.

use super::Figure;
use std::io;
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};
use taffrail_lab::client::{Client, ClientError};
use taffrail_lab::launch::Taffrail;

const SESSIONS: usize = 8;
/// The longest time to a victim's answer, 99 of 100.
const BOUND: Duration = Duration::from_millis(50);
/// Seconds of the workload.
const SECONDS: u64 = 4;
/// Transactions that must end in them at least, by a commit or as a victim. Of eight that meet, seven are victims: how many commit says
/// how seldom they met, not how soon a cycle was found. (A quarter of these end where some cycles wait for a second look.)
const ENDED: usize = 1200;

/// Rounds of eight sessions each.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of rounds.
    pub rounds: usize,
}

/// Rounds of a short and a long run.
impl Plan {
    /// As many as a p99 of victims needs.
    pub fn new(quick: bool) -> Plan {
        Plan { rounds: if quick { 30 } else { 150 } }
    }
}

/// Times of one session of a round: when it asked, and when it was told that it is a victim.
struct Seen {
    asked: Instant,
    victim: Option<Instant>,
}

fn is_victim(e: &ClientError) -> bool {
    e.server().is_some_and(|m| m.number == 1205)
}

/// True if it went well, false if the session was a victim.
fn told(result: Result<Vec<u64>, ClientError>) -> io::Result<bool> {
    match result {
        Ok(_) => Ok(true),
        Err(e) if is_victim(&e) => Ok(false),
        Err(e) => Err(io::Error::other(e)),
    }
}

const READ: &str = "BEGIN TRAN SELECT n FROM two WHERE id IN (1, 2)";

fn write(first: usize) -> String {
    format!(
        "UPDATE two SET n = n + 1 WHERE id = {} UPDATE two SET n = n + 1 WHERE id = {}",
        first + 1,
        2 - first
    )
}

/// One session's rounds. Whatever fails, it comes to each meeting.
fn session(
    client: &mut Client,
    at: usize,
    rounds: usize,
    meeting: &Barrier,
) -> io::Result<Vec<Seen>> {
    let mut seen = Vec::with_capacity(rounds);
    let mut failed = None;
    for _ in 0..rounds {
        let ready = if failed.is_none() { told(client.run(READ)) } else { Ok(false) };
        meeting.wait();
        match ready {
            Ok(true) => {
                let asked = Instant::now();
                let written = told(client.run(&write(at % 2)));
                let now = Instant::now();
                match written {
                    Ok(true) => {
                        seen.push(Seen { asked, victim: None });
                        failed = told(client.run("COMMIT")).err();
                    }
                    Ok(false) => seen.push(Seen { asked, victim: Some(now) }),
                    Err(e) => failed = Some(e),
                }
            }
            Ok(false) => {}
            Err(e) => failed = Some(e),
        }
        meeting.wait();
    }
    failed.map_or(Ok(seen), Err)
}

/// Connections with their isolation level.
fn clients(server: &Taffrail) -> io::Result<Vec<Client>> {
    let open = |_| {
        let mut client = server.client("tempdb")?;
        client
            .run("SET NOCOUNT ON SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            .map_err(io::Error::other)?;
        Ok(client)
    };
    (0..SESSIONS).map(open).collect()
}

/// The times to the victims' answers.
fn cycles(server: &Taffrail, rounds: usize) -> io::Result<Vec<Duration>> {
    let meeting = Barrier::new(SESSIONS);
    let mut clients = clients(server)?;
    let seen: Vec<Vec<Seen>> = thread::scope(|s| {
        let running: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|(at, client)| {
                let meeting = &meeting;
                s.spawn(move || session(client, at, rounds, meeting))
            })
            .collect();
        let ended = running.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(panicked())));
        ended.collect::<io::Result<_>>()
    })?;
    let mut times = Vec::new();
    for round in 0..rounds {
        let of_round: Vec<&Seen> = seen.iter().filter_map(|s| s.get(round)).collect();
        let last = of_round.iter().map(|s| s.asked).max();
        let victims = of_round.iter().filter_map(|s| s.victim);
        times.extend(victims.filter_map(|v| last.map(|last| v.saturating_duration_since(last))));
    }
    Ok(times)
}

fn panicked() -> io::Error {
    io::Error::other("a session's thread panicked")
}

/// Each session reads both rows and writes both, over and over: how many commits, how many victims.
fn storm(server: &Taffrail) -> io::Result<(usize, usize)> {
    let mut clients = clients(server)?;
    let until = Instant::now() + Duration::from_secs(SECONDS);
    let counted: Vec<(usize, usize)> = thread::scope(|s| {
        let running: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|(at, client)| {
                s.spawn(move || -> io::Result<(usize, usize)> {
                    let (mut commits, mut victims) = (0, 0);
                    let batch = format!("{READ} {} COMMIT", write(at % 2));
                    while Instant::now() < until {
                        match told(client.run(&batch))? {
                            true => commits += 1,
                            false => victims += 1,
                        }
                    }
                    Ok((commits, victims))
                })
            })
            .collect();
        let ended = running.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(panicked())));
        ended.collect::<io::Result<_>>()
    })?;
    Ok(counted.iter().fold((0, 0), |(c, v), (commits, victims)| (c + commits, v + victims)))
}

/// Both, on a server of its own; an error where a bound is passed.
pub fn deadlocks(binary: &Path, dir: &Path, plan: Plan) -> io::Result<Vec<Figure>> {
    let data = dir.join("deadlocks");
    let server = Taffrail::start(binary, &data)?;
    let mut one = server.client("tempdb")?;
    one.run(
        "CREATE TABLE two (id int PRIMARY KEY, n int NOT NULL) INSERT two VALUES (1, 0), (2, 0)",
    )
    .map_err(io::Error::other)?;
    let mut times = cycles(&server, plan.rounds)?;
    let (commits, victims) = storm(&server)?;
    drop(one);
    drop(server);
    std::fs::remove_dir_all(&data)?;
    times.sort();
    let expected = plan.rounds * (SESSIONS - 1);
    if times.len() != expected {
        let told = times.len();
        return Err(io::Error::other(format!("{told} victims, and {expected} expected")));
    }
    let ms = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1e3;
    let (p50, p99) = (ms(0.5), ms(0.99));
    let bound = BOUND.as_secs_f64() * 1e3;
    let found =
        format!("p50 {p50:.1} ms, p99 {p99:.1} ms (bound {bound:.0}) of {expected} victims");
    let done =
        format!("{commits} commits and {victims} victims in {SECONDS} s ({ENDED} of both wanted)");
    if p99 > bound || commits + victims < ENDED {
        return Err(io::Error::other(format!("{found}; {done}")));
    }
    Ok(vec![
        Figure::ours("deadlocks, 7 cycles at once, p99", p99, "ms", found),
        Figure::ours(
            "two rows, 8 REPEATABLE READ",
            (commits + victims) as f64 / SECONDS as f64,
            "ended/s",
            done,
        ),
    ])
}
