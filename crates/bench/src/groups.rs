//! Rows into groups, here and on PostgreSQL: COUNT and SUM of 3,000,000 rows by a column of 4 values and by one of 1,000,000.
//!
//! Both read the same file once and answer from memory, PostgreSQL with one worker, without JIT, with room for what it hashes.
//! They take turns; each ratio of times has a bound. What the same columns take as DISTINCT is told beside, without one.
//! A million groups are counted and not sent, so that no client is measured.

use super::Figure;
use super::pairs::{Effort, Pairs, order};
use super::peers::{Driver, Peer, postgres::Postgres};
use super::reading::run_all;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use taffrail_lab::client::Client;
use taffrail_lab::launch::Taffrail;
use taffrail_lab::load::tpcc::Random;

const ROWS: u64 = 3_000_000;
const FEW: u64 = 4;
const MANY: u64 = 1_000_000;
const SEED: u64 = 11;
/// So often each, in turn; one time before does not count.
const PAIRS: usize = 9;
const PORT: u16 = 25434;
/// One worker, no JIT, room for what is hashed.
const SETTINGS: &str =
    "SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '1GB'";
/// The sums stay below 2,147,483,647, so that all of them are an int.
const MADE: &str = "CREATE TABLE facts (id int NOT NULL PRIMARY KEY, few int NOT NULL, \
                    many int NOT NULL, whole int NOT NULL, part decimal(18, 2) NOT NULL)";

/// A question in words that both understand, and the bound where there is one.
struct Question {
    work: &'static str,
    sql: &'static str,
    bound: Option<f64>,
}

/// Our time over PostgreSQL's.
const NOT_SLOWER: Option<f64> = Some(1.0);

const QUESTIONS: [Question; 8] = [
    Question {
        work: "COUNT, SUM(int), 4 groups",
        sql: "SELECT few, COUNT(*), SUM(whole) FROM facts GROUP BY few",
        bound: NOT_SLOWER,
    },
    Question {
        work: "COUNT, SUM(decimal), 4 groups",
        sql: "SELECT few, COUNT(*), SUM(part) FROM facts GROUP BY few",
        bound: NOT_SLOWER,
    },
    Question {
        work: "COUNT, SUM(int), 1,000,000 groups",
        sql: "SELECT COUNT(*), SUM(c), MAX(s) FROM \
              (SELECT many, COUNT(*) AS c, SUM(whole) AS s FROM facts GROUP BY many) t",
        bound: NOT_SLOWER,
    },
    Question {
        work: "COUNT, SUM(decimal), 1,000,000 groups",
        sql: "SELECT COUNT(*), SUM(c), MAX(s) FROM \
              (SELECT many, COUNT(*) AS c, SUM(part) AS s FROM facts GROUP BY many) t",
        bound: NOT_SLOWER,
    },
    Question {
        work: "DISTINCT, 4 values",
        sql: "SELECT COUNT(*) FROM (SELECT DISTINCT few FROM facts) t",
        bound: None,
    },
    Question {
        work: "DISTINCT, 1,000,000 values",
        sql: "SELECT COUNT(*) FROM (SELECT DISTINCT many FROM facts) t",
        bound: None,
    },
    Question {
        work: "COUNT(DISTINCT), 4 values",
        sql: "SELECT COUNT(DISTINCT few) FROM facts",
        bound: None,
    },
    Question {
        work: "COUNT(DISTINCT), 1,000,000 values",
        sql: "SELECT COUNT(DISTINCT many) FROM facts",
        bound: None,
    },
];

/// Writes the rows: a line each, `|` between the fields. The values of `many` have as many rows each and lie in no order.
fn write_file(path: &Path) -> io::Result<()> {
    let mut random = Random(SEED);
    let mut many: Vec<u32> = (0..ROWS).map(|n| (n % MANY) as u32).collect();
    for at in (1..many.len()).rev() {
        many.swap(at, random.within(0, at as u64) as usize);
    }
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(path)?);
    for (id, many) in many.iter().enumerate() {
        let few = random.within(1, FEW);
        let whole = random.within(0, 2000);
        let (units, cents) = (random.within(0, 99_999), random.within(0, 99));
        writeln!(out, "{id}|{few}|{many}|{whole}|{units}.{cents:02}")?;
    }
    out.flush()
}

fn fill(client: &mut Client, driver: &mut dyn Driver, dir: &Path, data: &Path) -> io::Result<()> {
    let file = dir.join("facts.txt");
    let inside = data.join("facts.txt");
    write_file(&file)?;
    std::fs::hard_link(&file, &inside)?;
    let batches = [
        "CREATE DATABASE facts; ALTER DATABASE facts SET RECOVERY SIMPLE".to_owned(),
        "USE facts".into(),
        MADE.into(),
        format!(
            "BULK INSERT facts FROM '{}' WITH (FIELDTERMINATOR = '|', ROWTERMINATOR = '0x0a', TABLOCK)",
            inside.display()
        ),
        "CHECKPOINT".into(),
    ];
    run_all(client, &batches)?;
    let copy = format!("COPY facts FROM '{}' WITH (DELIMITER '|')", file.display());
    [MADE, &copy, "VACUUM ANALYZE facts", "CHECKPOINT", SETTINGS]
        .iter()
        .try_for_each(|sql| driver.run(sql))?;
    std::fs::remove_file(&inside)?;
    std::fs::remove_file(&file)
}

/// The lines of an answer, whose order nobody asked for.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.sort_unstable();
    lines
}

/// Loads both and asks them in turn.
pub fn groups(binary: &Path, dir: &Path, effort: Effort) -> io::Result<Vec<Figure>> {
    let data = dir.join("groups");
    let server = Taffrail::start(binary, &data)?;
    let mut client = server.client("master")?;
    let postgres = Postgres::start(dir, PORT)?;
    let mut driver = postgres.connect()?;
    fill(&mut client, &mut *driver, dir, &data)?;
    server.rest()?;
    let mut ours = |sql: &str| {
        let began = Instant::now();
        let answer = client.query(sql).map_err(io::Error::other)?;
        Ok::<_, io::Error>((began.elapsed().as_secs_f64(), answer))
    };
    let mut theirs = |sql: &str| {
        let began = Instant::now();
        driver.run(sql)?;
        Ok::<_, io::Error>(began.elapsed().as_secs_f64())
    };
    let pairs = effort.pairs.unwrap_or(if effort.quick { 3 } else { PAIRS });
    let mut figures = Vec::new();
    for question in &QUESTIONS {
        let (here, there) = (ours(question.sql)?.1.text(), postgres.answer(question.sql)?);
        if lines(&here) != lines(&there) {
            return Err(io::Error::other(format!("{}: {here} is not {there}", question.work)));
        }
        theirs(question.sql)?;
        let mut took = Pairs::default();
        for pair in 0..pairs {
            let mut times = [0.0; 2];
            for which in order(pair) {
                times[which] = match which {
                    0 => theirs(question.sql)?,
                    _ => ours(question.sql)?.0,
                };
            }
            took.push(times[0], times[1]);
        }
        figures.push(figure(question, &took));
    }
    drop((client, server, driver, postgres));
    std::fs::remove_dir_all(&data)?;
    std::fs::remove_dir_all(dir.join("postgres"))?;
    Ok(figures)
}

fn figure(question: &Question, took: &Pairs) -> Figure {
    let ratio = took.ratio();
    let bound = question.bound.map_or("no bound".to_owned(), |bound| format!("bound {bound} x"));
    Figure {
        work: question.work.into(),
        engine: "Taffrail".into(),
        value: ratio.median,
        unit: "x",
        of_device: None,
        note: format!(
            "{bound}; [{:.2}, {:.2}] of {} pairs; {:.3} s, PostgreSQL {:.3} s; the same answer",
            ratio.low, ratio.high, ratio.pairs, ratio.other, ratio.base
        ),
        drift: 0.0,
    }
}

/// Figures beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = |f: &Figure| {
        let bound = QUESTIONS.iter().find(|q| f.work == q.work)?.bound?;
        let is = f.value;
        (is > bound).then(|| format!("{}: {is:.2} x is beyond its bound, {bound} x", f.work))
    };
    figures.iter().filter_map(over).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_slower_than_postgresql_is_told_where_there_is_a_bound() {
        let slower = |question: &Question| {
            let mut took = Pairs::default();
            took.push(1.0, 1.5);
            figure(question, &took)
        };
        let figures: Vec<Figure> = QUESTIONS.iter().map(slower).collect();
        let told = beyond(&figures);
        assert_eq!(told.len(), QUESTIONS.iter().filter(|q| q.bound.is_some()).count());
        assert_eq!(told[0], "COUNT, SUM(int), 4 groups: 1.50 x is beyond its bound, 1 x");
        assert!(figures[0].note.starts_with("bound 1 x; [1.50, 1.50] of 1 pairs;"));
        assert!(figures[7].note.starts_with("no bound; "));
    }

    #[test]
    fn answers_differ_by_lines_and_not_by_their_order() {
        assert_eq!(lines("1|2\n3|4\n"), lines("3|4\n1|2"));
        assert_ne!(lines("1|2\n3|4\n"), lines("1|2\n3|5\n"));
    }
}
