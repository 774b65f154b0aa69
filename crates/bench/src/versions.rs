//! Costs of row versions, and their worth: two databases of one server, one with READ_COMMITTED_SNAPSHOT and SNAPSHOT.
//!
//! ```text
//!   loops, clients       the same changes in both databases, in turns: time with versions over time without
//!   readers, writers     eight of each in one table: who reads by versions against who locks; writers against those who are alone in it
//!   old snapshots        a scan by a snapshot over rows that were changed since, against a scan of what is there
//!   upserts              sixteen sessions on keys of their own: READ COMMITTED's rate over SERIALIZABLE's
//! ```
//! Each figure is a ratio and has a bound, which it must not exceed. Commits are delayed, so that no device is measured.

use super::Figure;
use super::pairs::{Effort, Pairs, Ratio, order};
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use taffrail_lab::client::Client;
use taffrail_lab::launch::Taffrail;

const OFF: &str = "without_versions";
const ON: &str = "with_versions";
const DATABASES: [&str; 2] = [OFF, ON];
const CLIENTS: usize = 8;
const UPSERTERS: usize = 16;
const PAIRS: usize = 9;

/// Works, and what they must not exceed.
const BOUNDS: [(&str, f64); 9] = [
    ("versions: UPDATE loop", 1.05),
    ("versions: INSERT loop", 1.05),
    ("versions: 8 clients", 1.05),
    // Five times as many scans.
    ("versions: readers beside writers", 0.2),
    ("versions: writers beside readers", 1.0 / 0.95),
    ("versions: scan, rows changed once", 2.0),
    ("versions: scan, changed 10 times", 2.0),
    ("versions: scan, changed 100 times", 2.0),
    ("versions: SERIALIZABLE upserts", 1.0 / 0.8),
];

/// How much is done.
struct Portion {
    /// Changes of a loop.
    changes: usize,
    /// Rows of the table that old snapshots read.
    rows: usize,
    /// The time for which clients work.
    span: Duration,
    pairs: usize,
}

impl Portion {
    fn new(effort: Effort) -> Portion {
        let (changes, rows, seconds, pairs) = match effort.quick {
            true => (5_000, 50_000, 1, 3),
            false => (50_000, 1_000_000, 3, PAIRS),
        };
        let pairs = effort.pairs.unwrap_or(pairs);
        Portion { changes, rows, span: Duration::from_secs(seconds), pairs }
    }
}

/// The figures of all works.
pub fn versions(binary: &Path, dir: &Path, effort: Effort) -> io::Result<Vec<Figure>> {
    let (dir, portion) = (dir.join("versions"), Portion::new(effort));
    let memory = ["--row-versions-mb", "2048"].map(OsStr::new);
    let server = Taffrail::start_with(binary, &dir, &memory)?;
    let mut master = server.client("master")?;
    for name in DATABASES {
        run(&mut master, &format!("CREATE DATABASE {name}"))?;
        let set = |what: &str| format!("ALTER DATABASE {name} SET {what}");
        run(&mut master, &set("RECOVERY SIMPLE"))?;
        run(&mut master, &set("DELAYED_DURABILITY = FORCED"))?;
        if name == ON {
            run(&mut master, &set("READ_COMMITTED_SNAPSHOT ON"))?;
            run(&mut master, &set("ALLOW_SNAPSHOT_ISOLATION ON"))?;
        }
        let mut client = server.client(name)?;
        run(
            &mut client,
            "CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int NOT NULL, f char(80) NOT NULL)",
        )?;
        run(
            &mut client,
            "CREATE TABLE other (id int NOT NULL PRIMARY KEY, v int NOT NULL, f char(80) NOT NULL)",
        )?;
        run(&mut client, "INSERT t SELECT value, 0, '' FROM GENERATE_SERIES(0, 19999)")?;
        run(&mut client, "INSERT other SELECT id, v, f FROM t")?;
    }
    let mut figures = loops(&server, &portion)?;
    figures.push(clients(&server, &portion)?);
    figures.extend(together(&server, &portion)?);
    figures.extend(old_snapshots(&server, &portion)?);
    figures.push(upserts(&server, &portion)?);
    drop((master, server));
    std::fs::remove_dir_all(&dir)?;
    Ok(figures)
}

/// The works beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = |f: &Figure| {
        let (_, bound) = BOUNDS.iter().find(|(work, _)| f.work == *work)?;
        let is = f.value;
        (is > *bound).then(|| format!("{}: {is:.3} x is beyond its bound, {bound:.3}", f.work))
    };
    figures.iter().filter_map(over).collect()
}

fn figure(n: usize, ratio: Ratio, unit: &str) -> Figure {
    let Ratio { median, low, high, pairs, base, other } = ratio;
    let note = format!(
        "bound {:.3} x; [{low:.3}, {high:.3}] in {pairs} pairs; {other:.1} against {base:.1} {unit}",
        BOUNDS[n].1
    );
    Figure::ours(BOUNDS[n].0, median, "x", note)
}

fn run(client: &mut Client, sql: &str) -> io::Result<()> {
    client.run(sql).map(drop).map_err(|e| io::Error::other(format!("{sql}: {e}")))
}

fn milliseconds(client: &mut Client, sql: &str) -> io::Result<f64> {
    let began = Instant::now();
    run(client, sql)?;
    Ok(began.elapsed().as_secs_f64() * 1000.0)
}

/// One session's changes, a commit each.
fn loops(server: &Taffrail, portion: &Portion) -> io::Result<Vec<Figure>> {
    let mut sides = [server.client(OFF)?, server.client(ON)?];
    for client in &mut sides {
        run(client, "CREATE TABLE grows (id int NOT NULL IDENTITY PRIMARY KEY, v int NOT NULL)")?;
    }
    let n = portion.changes;
    let works = ["UPDATE t SET v += 1 WHERE id = @i % 20000", "INSERT grows (v) VALUES (@i)"];
    let mut figures = Vec::new();
    for (at, work) in works.iter().enumerate() {
        let sql = format!(
            "SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < {n} BEGIN {work} SET @i += 1 END"
        );
        let mut pairs = Pairs::default();
        for pair in 0..=portion.pairs {
            let mut took = [0.0; 2];
            for side in order(pair) {
                took[side] = milliseconds(&mut sides[side], &sql)?;
            }
            // The first one warms up.
            if pair > 0 {
                pairs.push(took[0], took[1]);
            }
        }
        figures.push(figure(at, pairs.ratio(), "ms"));
    }
    Ok(figures)
}

/// Sessions that repeat a statement each until the time is over; how many a second. `sql` is given the session's number and that of the
/// statement.
fn rate(
    server: &Taffrail,
    (sessions, span): (usize, Duration),
    of: impl Fn(usize) -> (&'static str, &'static str) + Sync,
    sql: impl Fn(usize, usize) -> String + Sync,
) -> io::Result<Vec<f64>> {
    let stop = AtomicBool::new(false);
    let done: Vec<AtomicUsize> = (0..sessions).map(|_| AtomicUsize::new(0)).collect();
    let work = |me: usize| -> io::Result<()> {
        let (database, first) = of(me);
        let mut client = server.client(database)?;
        run(&mut client, first)?;
        let mut n = 0;
        while !stop.load(Ordering::Relaxed) {
            run(&mut client, &sql(me, n))?;
            n += 1;
            done[me].fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..sessions).map(|me| scope.spawn(move || work(me))).collect();
        let count = || done.iter().map(|d| d.load(Ordering::Relaxed)).collect::<Vec<_>>();
        std::thread::sleep(span / 4);
        let (before, began) = (count(), Instant::now());
        std::thread::sleep(span);
        let (after, took) = (count(), began.elapsed().as_secs_f64());
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().map_err(|_| io::Error::other("a session has failed"))??;
        }
        Ok(after.iter().zip(before).map(|(a, b)| (a - b) as f64 / took).collect())
    })
}

fn sum(rates: &[f64]) -> f64 {
    rates.iter().sum::<f64>().max(f64::MIN_POSITIVE)
}

fn update(me: usize, n: usize) -> String {
    format!("UPDATE t SET v += 1 WHERE id = {}", (me * 2_500 + n * 37 % 2_500) % 20_000)
}

/// Commits of eight sessions: without versions over with them.
fn clients(server: &Taffrail, portion: &Portion) -> io::Result<Figure> {
    let mut pairs = Pairs::default();
    for pair in 0..portion.pairs {
        let mut rates = [0.0; 2];
        for side in order(pair) {
            let of = |_| (DATABASES[side], "SET NOCOUNT ON");
            rates[side] = sum(&rate(server, (CLIENTS, portion.span), of, update)?);
        }
        pairs.push(rates[1], rates[0]);
    }
    Ok(figure(2, pairs.ratio(), "commits/s, without against with"))
}

/// Eight sessions that change rows, eight that read all of them: in one table, with versions and without; and in two.
fn together(server: &Taffrail, portion: &Portion) -> io::Result<Vec<Figure>> {
    let (mut readers, mut writers) = (Pairs::default(), Pairs::default());
    let both = |database: &'static str, table: &'static str| -> io::Result<(f64, f64)> {
        let sql = |me: usize, n: usize| match me < CLIENTS {
            true => update(me, n),
            false => format!("SELECT SUM(v) FROM {table}"),
        };
        let of = |_| (database, "SET NOCOUNT ON");
        let rates = rate(server, (2 * CLIENTS, portion.span), of, sql)?;
        Ok((sum(&rates[..CLIENTS]), sum(&rates[CLIENTS..])))
    };
    for _ in 0..portion.pairs {
        let (_, locking) = both(OFF, "t")?;
        let (same, versions) = both(ON, "t")?;
        let (apart, _) = both(ON, "other")?;
        readers.push(versions, locking);
        writers.push(same, apart);
    }
    Ok(vec![
        figure(3, readers.ratio(), "scans/s, with locks against by versions"),
        figure(4, writers.ratio(), "commits/s, beside readers of another table against the same"),
    ])
}

/// A table is read by a snapshot from before changes of all its rows, and by one from behind them.
fn old_snapshots(server: &Taffrail, portion: &Portion) -> io::Result<Vec<Figure>> {
    let (mut writer, mut old, mut new) =
        (server.client(ON)?, server.client(ON)?, server.client(ON)?);
    let scan = "SELECT SUM(CAST(v AS bigint)), COUNT(*) FROM big";
    let mut figures = Vec::new();
    for (at, times) in [(5, 1), (6, 10), (7, 100)] {
        // So many changes of one row are not to take all day.
        let rows = if times > 10 { portion.rows / 10 } else { portion.rows };
        run(&mut writer, "DROP TABLE IF EXISTS big")?;
        run(&mut writer, "CREATE TABLE big (id int NOT NULL PRIMARY KEY, v int NOT NULL)")?;
        run(&mut writer, &format!("INSERT big SELECT value, 0 FROM GENERATE_SERIES(1, {rows})"))?;
        run(&mut old, "SET TRANSACTION ISOLATION LEVEL SNAPSHOT BEGIN TRAN")?;
        run(&mut old, scan)?;
        for _ in 0..times {
            run(&mut writer, "UPDATE big SET v += 1")?;
        }
        let mut pairs = Pairs::default();
        for pair in 0..=portion.pairs {
            let mut took = [0.0; 2];
            for side in order(pair) {
                took[side] = milliseconds(if side == 0 { &mut new } else { &mut old }, scan)?;
            }
            if pair > 0 {
                pairs.push(took[0], took[1]);
            }
        }
        run(&mut old, "COMMIT")?;
        figures.push(figure(at, pairs.ratio(), "ms, by the old snapshot against now"));
    }
    Ok(figures)
}

/// Sessions that update their rows, or put them in.
fn upserts(server: &Taffrail, portion: &Portion) -> io::Result<Figure> {
    let mut client = server.client(OFF)?;
    run(&mut client, "CREATE TABLE upserts (id int NOT NULL PRIMARY KEY, v int NOT NULL)")?;
    let levels = [
        "SET NOCOUNT ON SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        "SET NOCOUNT ON SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
    ];
    let sql = |me: usize, n: usize| {
        let id = me * 1_000_000 + n % 5_000;
        format!(
            "BEGIN TRAN UPDATE upserts WITH (UPDLOCK) SET v += 1 WHERE id = {id} \
             IF @@ROWCOUNT = 0 INSERT upserts VALUES ({id}, 0) COMMIT"
        )
    };
    let mut pairs = Pairs::default();
    for pair in 0..portion.pairs {
        let mut rates = [0.0; 2];
        for side in order(pair) {
            run(&mut client, "TRUNCATE TABLE upserts")?;
            // Keys on both sides of each session's own: nobody's gap is another one's.
            run(
                &mut client,
                &format!(
                    "INSERT upserts SELECT value * 1000000 - 1, 0 FROM GENERATE_SERIES(0, {UPSERTERS}) \
                     UNION ALL SELECT value * 1000000 + 500000, 0 FROM GENERATE_SERIES(0, {UPSERTERS})"
                ),
            )?;
            let of = |_| (OFF, levels[side]);
            rates[side] = sum(&rate(server, (UPSERTERS, portion.span), of, sql)?);
        }
        pairs.push(rates[0], rates[1]);
    }
    Ok(figure(8, pairs.ratio(), "upserts/s, READ COMMITTED against SERIALIZABLE"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_cost_more_than_their_bound_are_told() {
        let of = |n: usize, value| Figure::ours(BOUNDS[n].0, value, "x", String::new());
        let told = beyond(&[of(0, 1.04), of(3, 0.25), of(5, 2.5)]);
        assert_eq!(
            told,
            [
                "versions: readers beside writers: 0.250 x is beyond its bound, 0.200",
                "versions: scan, rows changed once: 2.500 x is beyond its bound, 2.000",
            ]
        );
    }
}
