//! TPC-H: its 22 queries here and on PostgreSQL over the same files, each answer compared, and how much longer they take.
//!
//! The files are those that `tpchgen-cli -s 1 --output-dir DIR` writes. Both have the keys and an index for what
//! refers to another table; PostgreSQL is told to ANALYZE, has one worker and no JIT. The mean of the ratios has a bound.

use super::Figure;
use super::peers::{Peer, postgres::Postgres, time_last};
use super::rows::median;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::Instant;
use taffrail_lab::launch::Taffrail;

const TABLES: [&str; 8] =
    ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"];
const MADE: &str = include_str!("tpch/tables.sql");
const QUERIES: &str = include_str!("tpch/queries.sql");
/// The geometric mean of the ratios, and the most that it may be.
const MEAN: (&str, f64) = ("TPC-H: all queries, geometric mean", 3.0);
/// Each query so often, in turn; one time before does not count.
const ROUNDS: usize = 3;
const PORT: u16 = 25433;
/// One worker, no JIT, room for what is hashed and sorted.
const SETTINGS: &str =
    "SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '512MB'";

/// The statements of a text, without its comments.
fn statements(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with("--")).collect();
    let all = lines.join(" ");
    all.split(';').map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned).collect()
}

/// The queries by number.
pub(super) fn queries() -> Vec<(u32, String)> {
    let mut out: Vec<(u32, String)> = Vec::new();
    for line in QUERIES.lines() {
        if let Some(number) = line.strip_prefix("--") {
            out.extend(number.parse().ok().map(|n| (n, String::new())));
        } else if let Some((_, text)) = out.last_mut() {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(line);
        }
    }
    out
}

/// Statements that make the tables from the files of a folder, and their indexes.
pub(super) fn load(files: &Path) -> Vec<String> {
    let (mut all, indexes): (Vec<_>, Vec<_>) =
        statements(MADE).into_iter().partition(|s| s.starts_with("CREATE TABLE"));
    all.extend(TABLES.map(|table| bulk_insert(files, table)));
    all.extend(indexes);
    all
}

fn bulk_insert(files: &Path, table: &str) -> String {
    let file = files.join(format!("{table}.tbl"));
    format!(
        "BULK INSERT {table} FROM '{}' WITH (FIELDTERMINATOR = '|', ROWTERMINATOR = '|\\n', TABLOCK)",
        file.display()
    )
}

/// A query as PostgreSQL has it: TOP, DATEADD and YEAR are written otherwise.
fn theirs(query: &str) -> String {
    let mut text = query.to_owned();
    let top = text.strip_prefix("SELECT TOP ").and_then(|rest| rest.split_once(' '));
    if let Some((count, rest)) = top {
        text = format!("SELECT {rest} LIMIT {count}");
    }
    while let Some(at) = text.find("DATEADD(") {
        let Some(end) = text[at..].find("AS date))") else { break };
        let end = at + end;
        let parts: Vec<&str> = text[at + 8..end].splitn(3, ',').map(str::trim).collect();
        let [unit, count, date] = parts[..] else { break };
        let date = date.trim_start_matches("CAST(").trim();
        let plus = format!("(date {date} + interval '{count} {unit}')");
        text.replace_range(at..end + "AS date))".len(), &plus);
    }
    text.replace("YEAR(l_", "EXTRACT(YEAR FROM l_").replace("YEAR(o_", "EXTRACT(YEAR FROM o_")
}

/// A number with a decimal point, which may be written to other digits.
fn fraction(cell: &str) -> Option<f64> {
    cell.contains('.').then(|| cell.parse().ok()).flatten()
}

/// A difference of two answers, if any: counts and texts are the same, the others are near.
fn difference(ours: &str, theirs: &str) -> Option<String> {
    let rows = |text: &str| -> Vec<Vec<String>> {
        let row = |l: &str| l.split('|').map(|c| c.trim_end().to_owned()).collect();
        let mut rows: Vec<Vec<String>> = text.lines().map(row).collect();
        // Rows that are equal in what is sorted by stand in any order.
        rows.sort_by_cached_key(|r: &Vec<String>| {
            r.iter().filter(|c| fraction(c).is_none()).cloned().collect::<Vec<_>>()
        });
        rows
    };
    let (ours, theirs) = (rows(ours), rows(theirs));
    if ours.len() != theirs.len() {
        return Some(format!("{} rows, not {}", ours.len(), theirs.len()));
    }
    let same = |a: &String, b: &String| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) if fraction(a).or(fraction(b)).is_some() => {
            (x - y).abs() <= if x.abs() < 1.0 { 1e-4 } else { 0.01 }
        }
        _ => a == b,
    };
    let differs = |(a, b): &(&Vec<String>, &Vec<String>)| {
        a.len() != b.len() || !a.iter().zip(*b).all(|(a, b)| same(a, b))
    };
    let found = ours.iter().zip(&theirs).find(differs);
    found.map(|(a, b)| format!("{} is not {}", a.join("|"), b.join("|")))
}

/// Loads both and asks them in turn.
pub fn tpch(binary: &Path, dir: &Path, files: &Path) -> io::Result<Vec<Figure>> {
    let files = files.canonicalize()?;
    let data = dir.join("tpch");
    let root = [OsStr::new("--file-root"), files.as_os_str()];
    let server = Taffrail::start_with(binary, &data, &root)?;
    let mut client = server.client("master")?;
    let mut run = |sql: &str| client.run(sql).map(|_| ()).map_err(io::Error::other);
    run("CREATE DATABASE tpch; ALTER DATABASE tpch SET RECOVERY SIMPLE")?;
    run("USE tpch")?;
    let postgres = Postgres::start(dir, PORT)?;
    let mut driver = postgres.connect()?;
    let all = statements(MADE);
    let (tables, indexes): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|s| s.starts_with("CREATE TABLE"));
    for sql in &tables {
        run(sql)?;
        driver.run(sql)?;
    }
    for table in TABLES {
        run(&bulk_insert(&files, table))?;
        let file = files.join(format!("{table}.tbl"));
        let file = file.display();
        driver.run(&format!(
            "COPY {table} FROM PROGRAM 'sed ''s/|$//'' {file}' WITH (DELIMITER '|')"
        ))?;
    }
    for sql in &indexes {
        run(sql)?;
        driver.run(sql)?;
    }
    run("CHECKPOINT")?;
    driver.run("ANALYZE")?;
    driver.run(SETTINGS)?;
    let (mut figures, mut logs) = (Vec::new(), Vec::new());
    for (number, query) in queries() {
        let (mut ours, mut peers) = (Vec::new(), Vec::new());
        let other = theirs(&query);
        let mut wrong = None;
        for round in 0..=ROUNDS {
            let began = Instant::now();
            let answer = client.query(&query).map_err(io::Error::other)?;
            let here = began.elapsed().as_secs_f64();
            let there = time_last(&mut *driver, std::slice::from_ref(&other))?.as_secs_f64();
            match round {
                0 => wrong = difference(&answer.text(), &postgres.answer(&other)?),
                _ => {
                    ours.push(here);
                    peers.push(there);
                }
            }
        }
        if let Some(wrong) = wrong {
            return Err(io::Error::other(format!("query {number}: {wrong}")));
        }
        let (ours, peers) = (median(ours), median(peers));
        logs.push((ours / peers).ln());
        let note = format!("{ours:.2} s, PostgreSQL {peers:.2} s; the same answer");
        figures.push(figure(format!("TPC-H: query {number}"), ours / peers, note));
    }
    let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    figures.push(figure(MEAN.0.into(), mean, format!("bound {} x", MEAN.1)));
    drop((client, server, driver, postgres));
    std::fs::remove_dir_all(&data)?;
    Ok(figures)
}

fn figure(work: String, value: f64, note: String) -> Figure {
    let engine = "Taffrail".into();
    Figure { work, engine, value, unit: "x", of_device: None, note, drift: 0.0 }
}

/// Figures beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = figures.iter().filter(|f| f.work == MEAN.0 && f.value > MEAN.1);
    over.map(|f| format!("{}: {:.2} x is beyond its bound", f.work, f.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_22_queries_in_both_languages() {
        let all = queries();
        assert_eq!(all.iter().map(|q| q.0).collect::<Vec<_>>(), (1..=22).collect::<Vec<_>>());
        for (_, query) in &all {
            let other = theirs(query);
            let own = ["DATEADD", " YEAR(", ",YEAR(", "SELECT TOP"];
            assert!(!own.iter().any(|w| other.contains(w)), "{other}");
        }
        let made =
            theirs("SELECT TOP 3 a FROM t WHERE d < DATEADD(month,3, CAST('1993-07-01' AS date))");
        let want = "SELECT a FROM t WHERE d < (date '1993-07-01' + interval '3 month') LIMIT 3";
        assert_eq!(made, want);
        assert_eq!(statements(MADE).len(), 15);
    }

    #[test]
    fn answers_are_near_or_differ() {
        assert_eq!(difference("a |1|2.500000", "a|1|2.5"), None);
        assert_eq!(difference("a|1|2.5\nb|2|3.0", "b|2|3.0\na|1|2.5"), None);
        assert!(difference("a|1|2.5", "a|1|2.6").is_some());
        assert!(difference("a|1|2.5", "a|2|2.5").is_some());
        assert!(difference("a|1|0.0344", "a|1|0.0355").is_some());
        assert!(difference("a|1", "a|1\nb|2").is_some());
    }
}
