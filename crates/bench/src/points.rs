//! A prepared SELECT of one row by its key, here, on PostgreSQL and on MariaDB: by one client and by eight.
//!
//! 1. All three have the same table in memory. Each client prepares its statement once, in its protocol's own way, and then
//!    asks for keys in a random order, one after another. Every answer is compared with the row that was loaded.
//! 2. The three take turns, and another one is first in each round. One round before the others does not count.
//! 3. A statement's time is the time from the first client's first request to the last client's last answer, divided by all
//!    clients' statements. The median of the ratios, our time over theirs, has a bound.
//! 4. The clients are the lab's own. What such a client takes outside of the socket's calls, to encode, decode and
//!    compare, is told beside, since it is part of the time and not the server's.

use super::Figure;
use super::pairs::{Effort, Pairs};
use super::peers::{Driver, Peer, Point, mariadb::MariaDb, postgres::Postgres};
use super::rows::median;
use std::io;
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};
use taffrail_lab::launch::Taffrail;
use taffrail_lab::load::tpcc::Random;

const ROWS: u64 = 100_000;
/// Rows of one INSERT.
const AT_ONCE: usize = 1_000;
const CLIENTS: [usize; 2] = [1, 8];
/// Statements of one run, of all its clients together.
const SELECTS: usize = 16_000;
/// So many rounds count.
const ROUNDS: usize = 9;
const SEED: u64 = 17;
const PEERS: [&str; 2] = ["PostgreSQL", "MariaDB"];
const PORTS: [u16; 2] = [25435, 23307];
/// The median ratio, our time over theirs, has to be below this.
const BOUND: f64 = 1.0;
const MADE: &str = "CREATE TABLE points (id int NOT NULL PRIMARY KEY, number int NOT NULL, \
                    name varchar(40) NOT NULL, part decimal(18, 2) NOT NULL, pad char(60) NOT NULL)";

/// The columns that a client reads of each row, in the keys' order.
fn rows() -> Vec<Point> {
    let mut random = Random(SEED);
    (1..=ROWS)
        .map(|id| Point {
            number: random.within(0, 1_000_000) as i32,
            name: format!("row number {id}").into_bytes(),
        })
        .collect()
}

/// The statements that load them, in words that all three understand.
fn loads(rows: &[Point]) -> Vec<String> {
    let value = |(n, row): (usize, &Point)| {
        let name = String::from_utf8_lossy(&row.name);
        format!("({}, {}, '{name}', {n}.25, 'x')", n + 1, row.number)
    };
    let values: Vec<String> = rows.iter().enumerate().map(value).collect();
    let insert = |some: &[String]| format!("INSERT INTO points VALUES {}", some.join(", "));
    values.chunks(AT_ONCE).map(insert).collect()
}

/// Figures of one run.
#[derive(Clone, Copy)]
struct Seen {
    /// Microseconds that a statement took.
    statement: f64,
    /// Microseconds a statement that its client took outside of the socket's calls.
    own: f64,
    /// Those as a share of the time that the client saw.
    share: f64,
}

/// Times of one client of a run.
struct Lap {
    began: Instant,
    ended: Instant,
    own: Duration,
}

/// So many statements of one client.
fn lap(
    driver: &mut dyn Driver,
    rows: &[Point],
    statements: usize,
    mut random: Random,
    start: &Barrier,
) -> io::Result<Lap> {
    driver.waited();
    start.wait();
    let began = Instant::now();
    for _ in 0..statements {
        let id = random.within(1, rows.len() as u64);
        let point = driver.select(id as i32)?;
        let loaded = &rows[id as usize - 1];
        if point != *loaded {
            return Err(io::Error::other(format!("row {id}: {point:?} is not {loaded:?}")));
        }
    }
    let ended = Instant::now();
    let own = (ended - began).saturating_sub(driver.waited());
    Ok(Lap { began, ended, own })
}

/// One run: all clients at once, each with its part of the statements. The same round asks everybody for the same keys.
fn run(drivers: &mut [Box<dyn Driver>], rows: &[Point], round: usize) -> io::Result<Seen> {
    let each = SELECTS / drivers.len();
    let start = Barrier::new(drivers.len());
    let laps = thread::scope(|scope| {
        let mut clients = Vec::new();
        for (n, driver) in drivers.iter_mut().enumerate() {
            let random = Random(SEED + (round * 100 + n) as u64);
            let start = &start;
            clients.push(scope.spawn(move || lap(&mut **driver, rows, each, random, start)));
        }
        let panicked = |_| io::Error::other("a client panicked");
        clients.into_iter().map(|c| c.join().map_err(panicked)?).collect::<io::Result<Vec<Lap>>>()
    })?;
    let began = laps.iter().map(|l| l.began).min();
    let ended = laps.iter().map(|l| l.ended).max();
    let (Some(began), Some(ended)) = (began, ended) else {
        return Err(io::Error::other("no clients"));
    };
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let own: f64 = laps.iter().map(|l| micros(l.own)).sum();
    let seen: f64 = laps.iter().map(|l| micros(l.ended - l.began)).sum();
    let statements = (each * laps.len()) as f64;
    Ok(Seen {
        statement: micros(ended - began) / statements,
        own: own / statements,
        share: own / seen,
    })
}

/// An engine with its clients.
struct Side {
    name: &'static str,
    drivers: Vec<Box<dyn Driver>>,
    seen: Vec<Seen>,
}

impl Side {
    fn new(peer: &dyn Peer, clients: usize) -> io::Result<Side> {
        let mut drivers = Vec::new();
        for _ in 0..clients {
            let mut driver = peer.connect()?;
            driver.prepare_select()?;
            drivers.push(driver);
        }
        Ok(Side { name: peer.name(), drivers, seen: Vec::new() })
    }
}

/// Loads all three and asks them in turn.
pub fn points(binary: &Path, dir: &Path, effort: Effort) -> io::Result<Vec<Figure>> {
    let postgres = Postgres::start(dir, PORTS[0])?;
    let mariadb = MariaDb::start(dir, PORTS[1])?;
    let data = dir.join("points");
    let server = Taffrail::start(binary, &data)?;
    let database = "CREATE DATABASE bench";
    server.client("master")?.run(database).map_err(io::Error::other)?;
    mariadb.connect()?.run(database)?;
    let rows = rows();
    let peers: [(&dyn Peer, &str); 3] = [
        (&server, "CHECKPOINT"),
        (&postgres, "VACUUM ANALYZE points"),
        (&mariadb, "ANALYZE TABLE points"),
    ];
    let loads = loads(&rows);
    for (peer, last) in peers {
        let mut driver = peer.connect()?;
        driver.run(MADE)?;
        loads.iter().try_for_each(|sql| driver.run(sql))?;
        driver.run(last)?;
    }
    server.rest()?;
    let rounds = effort.pairs.unwrap_or(if effort.quick { 3 } else { ROUNDS });
    let mut figures = Vec::new();
    for clients in CLIENTS {
        let side = |(peer, _): &(&dyn Peer, &str)| Side::new(*peer, clients);
        let mut sides: Vec<Side> = peers.iter().map(side).collect::<io::Result<_>>()?;
        for round in 0..=rounds {
            for turn in 0..sides.len() {
                let at = (round + turn) % sides.len();
                let seen = run(&mut sides[at].drivers, &rows, round)?;
                // The first round warms up.
                if round > 0 {
                    sides[at].seen.push(seen);
                }
            }
        }
        figures.extend(told(clients, &sides));
    }
    drop((server, postgres, mariadb));
    for folder in ["points", "postgres", "mariadb"] {
        std::fs::remove_dir_all(dir.join(folder))?;
    }
    Ok(figures)
}

fn plural(clients: usize) -> String {
    format!("{clients} client{}", if clients == 1 { "" } else { "s" })
}

/// The name of the ratio to a peer.
fn against(clients: usize, peer: &str) -> String {
    format!("{}, SELECT : {peer}", plural(clients))
}

/// The figures of so many clients; our own side is the first.
fn told(clients: usize, sides: &[Side]) -> Vec<Figure> {
    let figure = |work: String, engine: &str, value: f64, unit, note: String| Figure {
        work,
        engine: engine.into(),
        value,
        unit,
        of_device: None,
        note,
        drift: 0.0,
    };
    let mut figures = Vec::new();
    for side in sides {
        let of = |f: fn(&Seen) -> f64| median(side.seen.iter().map(f).collect());
        let note = format!(
            "a statement; its client's own {:.2} us, {:.1} % of what a client sees",
            of(|s| s.own),
            of(|s| s.share * 100.0)
        );
        let work = format!("{}, point SELECT", plural(clients));
        figures.push(figure(work, side.name, of(|s| s.statement), "us", note));
    }
    if let Some((ours, others)) = sides.split_first() {
        for side in others {
            let mut took = Pairs::default();
            for (theirs, ours) in side.seen.iter().zip(&ours.seen) {
                took.push(theirs.statement, ours.statement);
            }
            let ratio = took.ratio();
            let note = format!(
                "bound {BOUND} x; [{:.2}, {:.2}] of {} rounds; the same rows",
                ratio.low, ratio.high, ratio.pairs
            );
            figures.push(figure(against(clients, side.name), ours.name, ratio.median, "x", note));
        }
    }
    figures
}

/// Peers that are ahead, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let bounded =
        |f: &&Figure| CLIENTS.iter().any(|n| PEERS.iter().any(|peer| f.work == against(*n, peer)));
    let tell = |f: &Figure| {
        let is = f.value;
        (is >= BOUND).then(|| format!("{}: {is:.2} x is not below its bound, {BOUND} x", f.work))
    };
    figures.iter().filter(bounded).filter_map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Microseconds a statement in three rounds.
    fn side(name: &'static str, micros: [f64; 3]) -> Side {
        let seen = micros.map(|statement| Seen { statement, own: 2.0, share: 0.1 });
        Side { name, drivers: Vec::new(), seen: seen.to_vec() }
    }

    #[test]
    fn who_is_not_ahead_of_a_peer_is_told() {
        let ours = side("Taffrail", [20.0, 22.0, 24.0]);
        let postgres = side(PEERS[0], [20.0, 11.0, 24.0]);
        let mariadb = side(PEERS[1], [40.0, 44.0, 20.0]);
        let figures = told(8, &[ours, postgres, mariadb]);
        assert_eq!(figures[0].work, "8 clients, point SELECT");
        assert_eq!(
            figures[0].note,
            "a statement; its client's own 2.00 us, 10.0 % of what a client sees"
        );
        assert_eq!(
            beyond(&figures),
            ["8 clients, SELECT : PostgreSQL: 1.00 x is not below its bound, 1 x"]
        );
        assert_eq!(figures[4].value, 0.5);
        assert_eq!(figures[4].note, "bound 1 x; [0.50, 1.20] of 3 rounds; the same rows");
    }

    #[test]
    fn each_row_is_loaded_once() {
        let rows = rows();
        let loads = loads(&rows);
        assert_eq!((rows.len() as u64, loads.len()), (ROWS, rows.len() / AT_ONCE));
        let first = format!(
            "INSERT INTO points VALUES (1, {}, 'row number 1', 0.25, 'x'), (2, ",
            rows[0].number
        );
        assert!(loads[0].starts_with(&first));
    }
}
