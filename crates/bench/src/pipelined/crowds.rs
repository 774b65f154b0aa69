//! Clients that commit at a time: rows of their own, or the same row.

use super::{
    CLIENTS, CROWD, Extent, ONE_ROW, Ours, against, delays_against, figure, on_to_off,
    on_to_off_at_best, one_row_against, plural,
};
use crate::Figure;
use crate::pairs::Pairs;
use crate::peers::{Driver, Peer};
use crate::rows::median;
use std::io;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

const MADE: &str = "CREATE TABLE hot (id int NOT NULL PRIMARY KEY, n int NOT NULL)";
/// The rows of all clients that insert.
const INSERTED: &str = "SELECT COUNT(*) FROM [load]";

/// A call of a client, by its number.
type RowCall = fn(&mut dyn Driver, usize) -> io::Result<()>;

/// A server's clients, their work, and what was seen of it.
struct Crowd {
    name: &'static str,
    /// PIPELINED_COMMIT of our own database meanwhile.
    pipelined: Option<bool>,
    drivers: Vec<Box<dyn Driver>>,
    call: RowCall,
    seen: Vec<Turn>,
}

/// Figures of one turn.
#[derive(Clone, Copy)]
struct Turn {
    calls: u64,
    /// Calls of all clients together, a second.
    rate: f64,
    /// Percentiles of a call, microseconds.
    p50: f64,
    p99: f64,
}

impl Crowd {
    fn new(
        (peer, name): (&dyn Peer, &'static str),
        pipelined: Option<bool>,
        clients: usize,
        prepare: fn(&mut dyn Driver) -> io::Result<()>,
        call: RowCall,
    ) -> io::Result<Crowd> {
        let mut drivers = Vec::new();
        for _ in 0..clients {
            let mut driver = peer.connect()?;
            prepare(&mut *driver)?;
            drivers.push(driver);
        }
        Ok(Crowd { name, pipelined, drivers, call, seen: Vec::new() })
    }

    /// All clients call for so long.
    fn turn(&mut self, time: Duration) -> io::Result<Turn> {
        let start = Barrier::new(self.drivers.len());
        let call = self.call;
        let laps = thread::scope(|scope| {
            let mut clients = Vec::new();
            for (n, driver) in self.drivers.iter_mut().enumerate() {
                let start = &start;
                clients.push(scope.spawn(move || lap(&mut **driver, n, call, time, start)));
            }
            let panicked = |_| io::Error::other("a client panicked");
            clients.into_iter().map(|c| c.join().map_err(panicked)?).collect::<io::Result<Vec<_>>>()
        })?;
        let began = laps.iter().map(|l| l.began).min();
        let ended = laps.iter().map(|l| l.ended).max();
        let (Some(began), Some(ended)) = (began, ended) else {
            return Err(io::Error::other("no clients"));
        };
        let mut took: Vec<Duration> = laps.into_iter().flat_map(|l| l.took).collect();
        took.sort_unstable();
        let at = |q: f64| took[((took.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e6;
        Ok(Turn {
            calls: took.len() as u64,
            rate: took.len() as f64 / (ended - began).as_secs_f64(),
            p50: at(0.5),
            p99: at(0.99),
        })
    }

    fn of(&self, what: fn(&Turn) -> f64) -> f64 {
        median(self.seen.iter().map(what).collect())
    }
}

/// The calls of one client: when they began and ended, and how long each took.
struct Visit {
    began: Instant,
    ended: Instant,
    took: Vec<Duration>,
}

fn lap(
    driver: &mut dyn Driver,
    number: usize,
    call: RowCall,
    time: Duration,
    start: &Barrier,
) -> io::Result<Visit> {
    let mut took = Vec::with_capacity(100_000);
    start.wait();
    let began = Instant::now();
    let mut last = began;
    // One call at least: behind a crowd it may take longer than the turn.
    loop {
        call(driver, number)?;
        let now = Instant::now();
        took.push(now - last);
        last = now;
        if now - began >= time {
            return Ok(Visit { began, ended: now, took });
        }
    }
}

/// Rounds in which everybody has a turn; the first one does not count. Gives the calls of the sides, all rounds together.
fn rounds(
    ours: &mut Ours,
    sides: &mut [Crowd],
    rounds: usize,
    time: Duration,
) -> io::Result<Vec<u64>> {
    let mut calls = vec![0; sides.len()];
    for round in 0..=rounds {
        for turn in 0..sides.len() {
            let at = (round + turn) % sides.len();
            if let Some(on) = sides[at].pipelined {
                ours.pipelined(on)?;
            }
            let seen = sides[at].turn(time)?;
            calls[at] += seen.calls;
            if round > 0 {
                sides[at].seen.push(seen);
            }
        }
    }
    Ok(calls)
}

/// The ratios of a side to another, round by round.
fn pairs(base: &Crowd, other: &Crowd, what: fn(&Turn) -> f64) -> Pairs {
    let mut pairs = Pairs::default();
    for (base, other) in base.seen.iter().zip(&other.seen) {
        pairs.push(what(base), what(other));
    }
    pairs
}

/// Clients that change one row, with pipelined commit: against a row each, and against others' one row.
pub(super) fn one_row(
    ours: &mut Ours,
    others: &[Box<dyn Peer>],
    portion: &Extent,
) -> io::Result<Vec<Figure>> {
    let rows: Vec<String> = (1..=CROWD).map(|id| format!("({id}, 0)")).collect();
    let insert = format!("INSERT INTO hot VALUES {}", rows.join(", "));
    for peer in others.iter().map(|p| &**p).chain([&ours.server as &dyn Peer]) {
        let mut driver = peer.connect()?;
        driver.run(MADE)?;
        driver.run(&insert)?;
    }
    let (prepare, one): (fn(&mut dyn Driver) -> _, RowCall) =
        (|driver| driver.prepare_update(), |driver, _| driver.update(1));
    let own: RowCall = |driver, number| driver.update(number as i32 + 1);
    let server = &ours.server;
    let mut sides = vec![
        Crowd::new((server, "a row each"), Some(true), CROWD, prepare, own)?,
        Crowd::new((server, "one row"), Some(true), CROWD, prepare, one)?,
    ];
    for peer in others {
        sides.push(Crowd::new((&**peer, peer.name()), None, CROWD, prepare, one)?);
    }
    let calls = rounds(ours, &mut sides, portion.rounds[1], portion.turn)?;
    ours.has_all("SELECT SUM(n) FROM hot", calls[0] + calls[1])?;
    let rate: fn(&Turn) -> f64 = |s| s.rate;
    let two = "commits/s, one row and a row each";
    let mut figures = vec![figure(ONE_ROW, &pairs(&sides[0], &sides[1], rate), two)];
    for peer in &sides[2..] {
        let ratios = pairs(peer, &sides[1], rate);
        figures.push(figure(&one_row_against(peer.name), &ratios, "commits/s, ours and theirs"));
    }
    Ok(figures)
}

/// Clients with an insert and commit a call: with pipelined commit and without, and others.
pub(super) fn clients(
    ours: &mut Ours,
    others: &[Box<dyn Peer>],
    portion: &Extent,
) -> io::Result<Vec<Figure>> {
    let prepare: fn(&mut dyn Driver) -> _ = |driver| driver.prepare_insert();
    let call: RowCall = |driver, _| driver.insert("Num:12345", "12345 bottles of beer on the wall");
    let mut figures = Vec::new();
    for count in CLIENTS {
        for peer in others.iter().map(|p| &**p).chain([&ours.server as &dyn Peer]) {
            let mut driver = peer.connect()?;
            peer.settle().iter().try_for_each(|sql| driver.run(sql))?;
        }
        ours.server.rest()?;
        let before = ours.number(INSERTED)?;
        let server = &ours.server;
        let mut sides = vec![
            Crowd::new((server, "OFF"), Some(false), count, prepare, call)?,
            Crowd::new((server, "ON"), Some(true), count, prepare, call)?,
        ];
        for peer in others {
            sides.push(Crowd::new((&**peer, peer.name()), None, count, prepare, call)?);
        }
        let calls = rounds(ours, &mut sides, portion.rounds[2], portion.turn)?;
        ours.has_all(INSERTED, before + calls[0] + calls[1])?;
        figures.extend(told(count, &sides));
    }
    Ok(figures)
}

/// The figures of so many clients; the first two sides are ours, OFF and ON.
fn told(clients: usize, sides: &[Crowd]) -> Vec<Figure> {
    let [off, on, others @ ..] = sides else { return Vec::new() };
    let mut figures: Vec<Figure> = Vec::new();
    for side in sides {
        let (p50, p99) = (side.of(|s| s.p50), side.of(|s| s.p99));
        let engine = if side.pipelined.is_some() { "Taffrail" } else { side.name };
        let turned = if side.pipelined.is_some() { side.name } else { "" };
        let work = format!("pipelined: {}, insert + commit {turned}", plural(clients));
        let note = format!("p50 {p50:.0} us, p99 {p99:.0} us");
        let told = Figure::ours(work.trim_end(), side.of(|s| s.rate), "commits/s", note);
        figures.push(Figure { engine: engine.into(), ..told });
    }
    let (rate, delays): (fn(&Turn) -> f64, fn(&Turn) -> f64) = (|s| s.rate, |s| s.p99 / s.p50);
    let both = pairs(off, on, rate);
    figures.push(figure(&on_to_off(clients), &both, "commits/s, ON and OFF"));
    let at_best = Figure::ours(
        &on_to_off_at_best(clients),
        both.ratio().high,
        "x",
        "at least 1; the interval's upper end".into(),
    );
    figures.push(at_best);
    for peer in others {
        let ratios = pairs(peer, on, rate);
        let work = against(clients, peer.name);
        figures.push(figure(&work, &ratios, "commits/s, ours and theirs"));
        let ratios = pairs(peer, on, delays);
        let work = delays_against(clients, peer.name);
        figures.push(figure(&work, &ratios, "p99/p50, ours and theirs"));
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipelined::beyond;

    fn side(name: &'static str, pipelined: Option<bool>, rates: [f64; 3], p99: f64) -> Crowd {
        let seen = rates.map(|rate| Turn { calls: 10, rate, p50: 100.0, p99 });
        Crowd { name, pipelined, drivers: Vec::new(), call: |_, _| Ok(()), seen: seen.to_vec() }
    }

    #[test]
    fn who_is_slower_than_without_it_or_not_far_enough_ahead_is_told() {
        let sides = [
            side("OFF", Some(false), [100.0, 110.0, 120.0], 300.0),
            side("ON", Some(true), [90.0, 99.0, 100.0], 400.0),
            side("PostgreSQL", None, [80.0, 90.0, 80.0], 300.0),
        ];
        let figures = told(8, &sides);
        assert_eq!(figures[0].work, "pipelined: 8 clients, insert + commit OFF");
        assert_eq!(figures[0].note, "p50 100 us, p99 300 us");
        assert_eq!(
            beyond(&figures),
            [
                "pipelined: 8 clients, ON : OFF, at best: 0.900 x, not at least 1",
                "pipelined: 8 clients, ON : PostgreSQL: 1.125 x, not at least 1.2",
                "pipelined: 8 clients, p99/p50 : PostgreSQL: 1.333 x, not at most 1",
            ]
        );
    }
}
