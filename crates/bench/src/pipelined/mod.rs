//! Pipelined commit: what it gains, and that it costs nothing where it has nothing to gain. Also against other engines.
//!
//! ```text
//!   loop            single-row inserts in one batch, a durable commit each: ON against the device, OFF against the device
//!   one row         64 clients that change one row, against 64 clients with a row each, and against others' one row
//!   clients         1, 8 and 64 clients, an insert and commit a call: ON against OFF, ON against others, the delay of a call
//!   device, wire    one client's insert against a server that does nothing but write and answer
//! ```
//! 1. All of ours is one database of one server, whose PIPELINED_COMMIT is set before each turn: the same tables, the same files.
//! 2. Within a round everybody has a turn, and another one is first in each. One round before the others does not count.
//! 3. What is compared is the ratio within a round: the median of all rounds has the bound, with the interval of [`Pairs`].
//! 4. Each client prepares its statement once, and keeps its connection. PostgreSQL and MariaDB take part where they are installed; else
//!    that is said, and their bounds are not asked for.

mod crowds;
mod loops;

use super::Figure;
use super::pairs::{Effort, Pairs};
use super::peers::{Peer, mariadb::MariaDb, postgres::Postgres};
use super::rows::{Scale, median};
use super::wire;
use std::io;
use std::path::Path;
use std::time::Duration;
use taffrail_lab::client::Client;
use taffrail_lab::device::Probe;
use taffrail_lab::launch::Taffrail;

/// Commits a second of the loop, ON: so many, or so many times the device's single writes.
const COMMITS_PER_S: f64 = 250_000.0;
const TIMES_DEVICE: f64 = 30.0;
const CLIENTS: [usize; 3] = [1, 8, 64];
/// Clients that have to be so far ahead of others.
const AHEAD: [(usize, f64); 2] = [(8, 1.2), (64, 1.2)];
/// Clients of one row.
const CROWD: usize = 64;
const PEERS: [&str; 2] = ["PostgreSQL", "MariaDB"];
const PORTS: [u16; 2] = [25436, 23308];

const LOOP_ON: &str = "pipelined: loop, ON";
const LOOP_OFF: &str = "pipelined: loop, OFF : device";
const LOOP_BOTH: &str = "pipelined: loop, ON : OFF";
const ONE_ROW: &str = "pipelined: 64 clients, one row : a row each";
const BESIDE: &str = "pipelined: 1 client, beside device and wire";

/// The side of a figure on which its bound lies.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Limit {
    Least(f64),
    Most(f64),
}

impl Limit {
    fn holds(self, is: f64) -> bool {
        match self {
            Limit::Least(least) => is >= least,
            Limit::Most(most) => is <= most,
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Least(n) => write!(f, "at least {n}"),
            Limit::Most(n) => write!(f, "at most {n}"),
        }
    }
}

fn plural(clients: usize) -> String {
    format!("{clients} client{}", if clients == 1 { "" } else { "s" })
}

/// The ratio of ON to OFF.
fn on_to_off(clients: usize) -> String {
    format!("pipelined: {}, ON : OFF", plural(clients))
}

/// Its interval's upper end: below 1, ON is slower.
fn on_to_off_at_best(clients: usize) -> String {
    format!("{}, at best", on_to_off(clients))
}

fn against(clients: usize, peer: &str) -> String {
    format!("pipelined: {}, ON : {peer}", plural(clients))
}

fn delays_against(clients: usize, peer: &str) -> String {
    format!("pipelined: {}, p99/p50 : {peer}", plural(clients))
}

fn one_row_against(peer: &str) -> String {
    format!("pipelined: {CROWD} clients, one row : {peer}")
}

/// Every figure that has a bound, but the loop's, which has two.
fn bounds() -> Vec<(String, Limit)> {
    let mut bounds = vec![
        (LOOP_OFF.to_owned(), Limit::Least(0.95)),
        (ONE_ROW.to_owned(), Limit::Least(0.7)),
        (BESIDE.to_owned(), Limit::Most(15.0)),
    ];
    bounds.extend(CLIENTS.map(|n| (on_to_off_at_best(n), Limit::Least(1.0))));
    for peer in PEERS {
        bounds.push((one_row_against(peer), Limit::Least(3.0)));
        bounds.extend(AHEAD.map(|(n, ratio)| (against(n, peer), Limit::Least(ratio))));
        bounds.extend(CLIENTS.map(|n| (delays_against(n, peer), Limit::Most(1.0))));
    }
    bounds
}

/// How much is done.
struct Extent {
    /// Commits of a loop, ON and OFF: without pipelined commit they wait for the device one by one.
    commits: [u32; 2],
    /// Rounds of the loops, of one row, and of the clients.
    rounds: [usize; 3],
    /// The time for which clients work in a turn.
    turn: Duration,
}

impl Extent {
    fn new(effort: Effort) -> Extent {
        let (commits, rounds, millis) = match effort.quick {
            true => ([50_000, 3_000], [2, 2, 3], 300),
            false => ([500_000, 20_000], [5, 9, 15], 1_000),
        };
        let rounds = effort.pairs.map_or(rounds, |n| [n; 3]);
        Extent { commits, rounds, turn: Duration::from_millis(millis) }
    }
}

/// The server, and a session that sets its database.
struct Ours {
    server: Taffrail,
    admin: Client,
}

impl Ours {
    fn start(binary: &Path, dir: &Path) -> io::Result<Ours> {
        let server = Taffrail::start(binary, &dir.join("pipelined"))?;
        let mut master = server.client("master")?;
        run(
            &mut master,
            "CREATE DATABASE bench ON (NAME = bench, FILENAME = 'bench.mdf', SIZE = 1GB) LOG ON (NAME = \
             bench_log, FILENAME = 'bench_log.ldf', SIZE = 2GB)",
        )?;
        run(&mut master, "ALTER DATABASE bench SET RECOVERY SIMPLE")?;
        let admin = server.client("bench")?;
        Ok(Ours { server, admin })
    }

    /// Sets PIPELINED_COMMIT. Where it is set OFF, everything that was committed before is durable.
    fn pipelined(&mut self, on: bool) -> io::Result<()> {
        let word = if on { "ON" } else { "OFF" };
        let set = format!("ALTER DATABASE SCOPED CONFIGURATION SET PIPELINED_COMMIT = {word}");
        run(&mut self.admin, &set)
    }

    /// A number that a query gives.
    fn number(&mut self, query: &str) -> io::Result<u64> {
        let answer = self.admin.query(query).map_err(io::Error::other)?.first_value();
        answer.parse().map_err(|_| io::Error::other(format!("{query}: {answer:?} is no number")))
    }

    /// Looks whether a query counts all commits that clients were told of, and no others.
    fn has_all(&mut self, query: &str, commits: u64) -> io::Result<()> {
        match self.number(query)? {
            there if there == commits => Ok(()),
            there => Err(io::Error::other(format!("{query}: {there}, of {commits} commits"))),
        }
    }
}

fn run(client: &mut Client, sql: &str) -> io::Result<()> {
    client.run(sql).map(drop).map_err(|e| io::Error::other(format!("{sql}: {e}")))
}

/// The other engines that are installed; of the others it is said that they are not.
fn others(dir: &Path) -> io::Result<Vec<Box<dyn Peer>>> {
    let mut there: Vec<Box<dyn Peer>> = Vec::new();
    let mut heard = |name: &str, started: io::Result<Box<dyn Peer>>| match started {
        Ok(peer) => {
            there.push(peer);
            Ok(())
        }
        Err(e) if e.to_string().contains("not installed") => {
            println!("{name} is not installed: nothing is compared with it");
            Ok(())
        }
        Err(e) => Err(e),
    };
    heard(PEERS[0], Postgres::start(dir, PORTS[0]).map(|p| Box::new(p) as Box<dyn Peer>))?;
    heard(PEERS[1], MariaDb::start(dir, PORTS[1]).map(|m| Box::new(m) as Box<dyn Peer>))?;
    Ok(there)
}

/// The figures of all works.
pub fn pipelined(
    binary: &Path,
    dir: &Path,
    probe: &Probe,
    effort: Effort,
) -> io::Result<Vec<Figure>> {
    let portion = Extent::new(effort);
    let others = others(dir)?;
    let mut ours = Ours::start(binary, dir)?;
    for peer in others.iter().map(|p| &**p).chain([&ours.server as &dyn Peer]) {
        let mut driver = peer.connect()?;
        peer.setup().iter().try_for_each(|sql| driver.run(sql))?;
    }
    ours.server.rest()?;
    let mut figures = loops::loops(&mut ours, probe, &portion)?;
    figures.extend(crowds::one_row(&mut ours, &others, &portion)?);
    figures.extend(crowds::clients(&mut ours, &others, &portion)?);
    figures.extend(beside_device_and_wire(&mut ours, dir, probe, effort)?);
    drop((ours, others));
    for folder in ["pipelined", "postgres", "mariadb"].map(|name| dir.join(name)) {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
    }
    Ok(figures)
}

/// One client, ON and OFF, against the bare server: of it only ON has the bound.
fn beside_device_and_wire(
    ours: &mut Ours,
    dir: &Path,
    probe: &Probe,
    effort: Effort,
) -> io::Result<Vec<Figure>> {
    let (rounds, client_seconds) = if effort.quick { (1, 1.0) } else { (5, 3.0) };
    let scale = Scale { commits: 0, rows: 0, customers: 0, rounds, client_seconds };
    let mut figures = Vec::new();
    for (on, work) in [(true, BESIDE.to_owned()), (false, format!("{BESIDE}, OFF"))] {
        ours.pipelined(on)?;
        let slices = wire::slices(&ours.server, dir, probe, scale)?;
        let beside: Vec<f64> = slices.iter().map(wire::Slice::beside_us).collect();
        let [low, high] = [0.25, 0.75].map(|q| quantile(beside.clone(), q));
        let note = format!(
            "{}half of {} slices within [{low:.1}, {high:.1}]",
            bound_of(&work),
            beside.len()
        );
        figures.push(Figure::ours(&work, median(beside), "us", note));
    }
    Ok(figures)
}

fn quantile(mut values: Vec<f64>, q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * q) as usize]
}

/// The bound of a figure, as its note begins; nothing where it has none.
fn bound_of(work: &str) -> String {
    let bound = bounds().into_iter().find(|(known, _)| known == work);
    bound.map_or(String::new(), |(_, bound)| format!("{bound}; "))
}

/// The median of ratios, with its interval and what the two are.
fn figure(work: &str, pairs: &Pairs, two: &str) -> Figure {
    let ratio = pairs.ratio();
    let note = format!(
        "{}[{:.2}, {:.2}] of {} rounds; {two}: {:.1}, {:.1}",
        bound_of(work),
        ratio.low,
        ratio.high,
        ratio.pairs,
        ratio.other,
        ratio.base
    );
    Figure::ours(work, ratio.median, "x", note)
}

/// The works beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let bounds = bounds();
    let told = |f: &Figure| {
        let is = f.value;
        if f.work == LOOP_ON {
            let times = f.of_device.unwrap_or(0.0);
            return (is < COMMITS_PER_S && times < TIMES_DEVICE).then(|| {
                format!("{LOOP_ON}: {is:.0} commits/s, {times:.1} x the device, are too few")
            });
        }
        let (_, bound) = bounds.iter().find(|(work, _)| f.work == *work)?;
        (!bound.holds(is)).then(|| format!("{}: {is:.3} {}, not {bound}", f.work, f.unit))
    };
    figures.iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(work: &str, value: f64) -> Figure {
        Figure::ours(work, value, "x", String::new())
    }

    #[test]
    fn figures_on_the_wrong_side_of_their_bound_are_told() {
        let told = beyond(&[
            of(LOOP_OFF, 0.9),
            of(ONE_ROW, 0.71),
            of(&on_to_off(8), 0.98),
            of(&on_to_off_at_best(8), 0.99),
            of(&against(64, "MariaDB"), 1.1),
            of(&delays_against(1, "PostgreSQL"), 1.3),
            of(BESIDE, 14.0),
        ]);
        assert_eq!(
            told,
            [
                "pipelined: loop, OFF : device: 0.900 x, not at least 0.95",
                "pipelined: 8 clients, ON : OFF, at best: 0.990 x, not at least 1",
                "pipelined: 64 clients, ON : MariaDB: 1.100 x, not at least 1.2",
                "pipelined: 1 client, p99/p50 : PostgreSQL: 1.300 x, not at most 1",
            ]
        );
    }

    #[test]
    fn a_loop_is_fast_by_its_commits_or_by_its_device() {
        let by = |commits, times| Figure { of_device: Some(times), ..of(LOOP_ON, commits) };
        assert!(beyond(&[by(260_000.0, 10.0), by(100_000.0, 31.0)]).is_empty());
        assert_eq!(
            beyond(&[by(240_000.0, 29.0)]),
            ["pipelined: loop, ON: 240000 commits/s, 29.0 x the device, are too few"]
        );
    }

    #[test]
    fn a_note_says_its_bound_and_its_interval() {
        let mut pairs = Pairs::default();
        pairs.push(10.0, 15.0);
        pairs.push(10.0, 16.0);
        let note = figure(&against(8, PEERS[0]), &pairs, "commits/s, ours and theirs").note;
        assert_eq!(
            note,
            "at least 1.2; [1.50, 1.60] of 2 rounds; commits/s, ours and theirs: 16.0, 10.0"
        );
    }
}
