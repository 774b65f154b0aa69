//! Rows that have no room in memory: six statements over 3,000,000 customers, with 64 MB for a request and with memory enough.
//!
//! Both limits are asked of the same data directory, one server after the other, each warm from one time that does not count. An answer
//! that differs ends the run. Four sessions then do all six at once under the small limit, while the memory of the server is sampled.

use super::Figure;
use super::reading::run_all;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use taffrail_lab::launch::Taffrail;

/// The memory that a request may keep, MB.
const LIMIT: &str = "64";
/// Enough for all rows of each statement, MB.
const ENOUGH: &str = "3072";
/// Sessions that run at once.
const SESSIONS: usize = 4;
/// Time under the limit over the time with memory enough.
const BOUND: f64 = 3.0;
/// Memory of the sessions at once beyond what the server had at rest, MB: what each of them may keep.
const MEMORY_BOUND: f64 = 64.0 * SESSIONS as f64;
/// The figure of the memory.
const MEMORY: &str = "memory of four such sessions";
/// How often each statement is timed.
const ROUNDS: usize = 3;

/// The name of each form, and its statement.
const FORMS: [(&str, &str); 6] = [
    (
        "ORDER BY",
        "SELECT COUNT(*), MAX(id) FROM (SELECT id, name FROM customer ORDER BY name, id OFFSET 1 ROWS) AS t",
    ),
    (
        "hash join",
        "SELECT COUNT(*), SUM(CAST(a.owed AS bigint)) FROM customer AS a INNER HASH JOIN customer AS b \
         ON b.twin = a.id AND b.name <> a.name",
    ),
    (
        "GROUP BY",
        "SELECT COUNT(*), MAX(n) FROM (SELECT name, COUNT(*) AS n FROM customer GROUP BY name) AS t",
    ),
    ("DISTINCT", "SELECT COUNT(*) FROM (SELECT DISTINCT name, city FROM customer) AS t"),
    (
        "ROW_NUMBER",
        "SELECT SUM(n % 7 * (id % 5)) FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY name, id) AS n FROM customer) AS t",
    ),
    (
        "UNION",
        "SELECT COUNT(*) FROM (SELECT id, name FROM customer UNION SELECT twin, name FROM customer) AS t",
    ),
];

fn start(binary: &Path, data: &Path, limit: &str) -> io::Result<Taffrail> {
    let more = ["--max-server-memory-mb", "4096", "--query-memory-limit-mb", limit];
    Taffrail::start_with(binary, data, &more.map(OsStr::new))
}

/// Fills the table: names lie in no order, some of them twice.
fn fill(server: &Taffrail, customers: u64) -> io::Result<()> {
    let mut client = server.client("master")?;
    run_all(
        &mut client,
        &[
            "CREATE DATABASE spill; ALTER DATABASE spill SET RECOVERY SIMPLE".into(),
            "USE spill".into(),
            "CREATE TABLE customer (id int NOT NULL PRIMARY KEY, twin int NOT NULL, name varchar(40) NOT NULL, \
             city varchar(20) NOT NULL, owed int NOT NULL)"
                .into(),
            format!(
                "INSERT customer WITH (TABLOCK) SELECT value, CAST(value AS bigint) * 7919 % {customers}, \
                 CONCAT('customer ', CAST(value AS bigint) * 104729 % ({customers} - {customers} / 50), REPLICATE('-', value % 13)), \
                 CONCAT('city ', value % 1009), value % 5000 FROM GENERATE_SERIES(1, {customers})"
            ),
            "CHECKPOINT".into(),
        ],
    )
}

/// The shortest time of each statement, and its answer.
fn timed(server: &Taffrail, rounds: usize) -> io::Result<Vec<(f64, String)>> {
    let mut client = server.client("spill")?;
    let mut all = Vec::new();
    for (_, sql) in FORMS {
        let answer = client.query(sql).map_err(io::Error::other)?.text();
        let mut least = f64::INFINITY;
        for _ in 0..rounds {
            let began = Instant::now();
            client.query(sql).map_err(io::Error::other)?;
            least = least.min(began.elapsed().as_secs_f64());
        }
        all.push((least, answer));
    }
    Ok(all)
}

/// The most memory that the server has beyond what it had at rest, while sessions run all statements at once; MB.
fn together(server: &Taffrail) -> io::Result<f64> {
    const EACH: Duration = Duration::from_millis(20);
    let before = server.memory_mib()?;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = before;
            while !done.load(Ordering::Relaxed) {
                most = most.max(server.memory_mib()?);
                std::thread::sleep(EACH);
            }
            Ok::<_, io::Error>(most)
        });
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|first| {
                scope.spawn(move || {
                    let mut client = server.client("spill")?;
                    for at in 0..FORMS.len() {
                        let (_, sql) = FORMS[(first + at) % FORMS.len()];
                        client.query(sql).map_err(io::Error::other)?;
                    }
                    Ok::<_, io::Error>(())
                })
            })
            .collect();
        let gone = || io::Error::other("a session has ended");
        let ran = sessions.into_iter().try_for_each(|s| s.join().map_err(|_| gone())?);
        done.store(true, Ordering::Relaxed);
        let most = watch.join().map_err(|_| gone())??;
        ran.map(|()| most - before)
    })
}

/// Measures the statements under both limits.
pub fn spill(binary: &Path, dir: &Path, quick: bool) -> io::Result<Vec<Figure>> {
    let data = dir.join("spill");
    let (customers, rounds) = if quick { (300_000, 1) } else { (3_000_000, ROUNDS) };
    let server = start(binary, &data, ENOUGH)?;
    fill(&server, customers)?;
    server.rest()?;
    let enough = timed(&server, rounds)?;
    server.end()?;
    let server = start(binary, &data, LIMIT)?;
    let limited = timed(&server, rounds)?;
    let memory = together(&server)?;
    server.end()?;
    std::fs::remove_dir_all(&data)?;
    let mut figures = Vec::new();
    for ((work, _), (here, there)) in FORMS.iter().zip(limited.iter().zip(&enough)) {
        if here.1 != there.1 {
            return Err(io::Error::other(format!("{work}: {} is not {}", here.1, there.1)));
        }
        figures.push(ratio(work, here.0, there.0));
    }
    let note = format!("bound {MEMORY_BOUND} MB beyond the server at rest");
    figures.push(Figure { unit: "MB", ..figure(MEMORY, memory, note) });
    Ok(figures)
}

fn ratio(work: &str, limited: f64, enough: f64) -> Figure {
    let note = format!(
        "bound {BOUND} x; {limited:.3} s with {LIMIT} MB, {enough:.3} s with enough; the same answer"
    );
    figure(work, limited / enough, note)
}

fn figure(work: &str, value: f64, note: String) -> Figure {
    Figure::ours(work, value, "x", note)
}

/// The figures that are beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = |f: &Figure| {
        let bound = match &*f.work {
            MEMORY => MEMORY_BOUND,
            work if f.unit == "x" && FORMS.iter().any(|(form, _)| *form == work) => BOUND,
            _ => return None,
        };
        let (work, is, unit) = (&f.work, f.value, f.unit);
        (is > bound).then(|| format!("{work}: {is:.2} {unit} is beyond its bound, {bound} {unit}"))
    };
    figures.iter().filter_map(over).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_more_than_its_bound_is_told() {
        let memory = |mb| Figure { unit: "MB", ..figure(MEMORY, mb, String::new()) };
        let figures = [ratio("GROUP BY", 3.1, 1.0), ratio("UNION", 2.9, 1.0), memory(300.0)];
        let told = [
            "GROUP BY: 3.10 x is beyond its bound, 3 x",
            "memory of four such sessions: 300.00 MB is beyond its bound, 256 MB",
        ];
        assert_eq!(beyond(&figures), told);
        assert!(beyond(&[memory(200.0)]).is_empty());
    }
}
