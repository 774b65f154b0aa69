//! The cost of planning and the worth of plans: each figure has a bound, and one beyond it fails the benchmark.
//!
//! 1. Times are the client's, medians over many calls on a warm server. What is compared takes turns, so that a slow
//!    moment of the machine hits both.
//! 2. What a statement's planning costs is the difference between a text that is new to the server and the same text again;
//!    what a cached text costs beyond its work is the difference between it and the prepared statement.

use super::Figure;
use super::reading::number;
use super::rows::median;
use std::io;
use std::path::Path;
use std::time::Instant;
use taffrail_lab::client::{Client, Prepared};
use taffrail_lab::launch::Taffrail;
use taffrail_types::{SqlType, Value};

/// A figure's name, its bound and the unit of both.
type Bound = (&'static str, f64, &'static str);

const SELECT: Bound = ("ad hoc SELECT, new literals: plan", 60.0, "us");
const INSERT: Bound = ("ad hoc INSERT, new literals: plan", 60.0, "us");
const CACHED_SELECT: Bound = ("cached SELECT beyond its work", 10.0, "us");
const CACHED_INSERT: Bound = ("cached INSERT beyond its work", 10.0, "us");
const JOIN: Bound = ("6-table join, cold: plan", 2.0, "ms");
const TEMP: Bound = ("procedure with #temp, again: plans", 0.0, "plans");
const IN_1000: Bound = ("IN of 1,000 on the key", 3.0, "ms");
const IN_30000: Bound = ("IN of 30,000 on the key", 100.0, "ms");
const TOP_UP: Bound = ("TOP 10 by the key", 0.2, "ms");
const TOP_DOWN: Bound = ("TOP 10 by the key, descending", 0.2, "ms");
const MIN: Bound = ("MIN of the key", 0.2, "ms");
const MAX: Bound = ("MAX of the key", 0.2, "ms");
const EXISTS: Bound = ("EXISTS 20,000 x 20,000, no index", 20.0, "ms");
const BESIDE: Bound = ("COUNT, SUM beside a writer", 1.5, "x");
const FRAMES: Bound = ("frames of 10,000 against 10 rows", 4.0, "x");
const APPENDS: Bound = ("SET @s += 200,000 against 100,000", 2.2, "x");

const ALL: [Bound; 16] = [
    SELECT,
    CACHED_SELECT,
    INSERT,
    CACHED_INSERT,
    JOIN,
    TEMP,
    IN_1000,
    IN_30000,
    TOP_UP,
    TOP_DOWN,
    MIN,
    MAX,
    EXISTS,
    BESIDE,
    FRAMES,
    APPENDS,
];

/// Rows of the table whose ends are read.
const ROWS: u64 = 500_000;
/// Calls of what takes microseconds, and of what takes milliseconds.
const MANY: usize = 2_000;
const SOME: usize = 21;

/// Runs a batch; how long it took, in milliseconds.
fn timed(client: &mut Client, sql: &str) -> io::Result<f64> {
    let began = Instant::now();
    client.query(sql).map_err(io::Error::other)?;
    Ok(began.elapsed().as_secs_f64() * 1e3)
}

/// The median over calls of batches that all are the same.
fn steady(client: &mut Client, sql: &str, calls: usize) -> io::Result<f64> {
    client.query(sql).map_err(io::Error::other)?;
    Ok(median((0..calls).map(|_| timed(client, sql)).collect::<io::Result<_>>()?))
}

/// All figures of planning.
pub fn plans(binary: &Path, dir: &Path) -> io::Result<Vec<Figure>> {
    let data = dir.join("plans");
    let server = Taffrail::start(binary, &data)?;
    let mut client = server.client("master")?;
    setup(&mut client)?;
    server.rest()?;
    let mut figures = Vec::new();
    figures.extend(point(&mut client, SELECT, CACHED_SELECT)?);
    client.run("BEGIN TRANSACTION").map_err(io::Error::other)?;
    figures.extend(point(&mut client, INSERT, CACHED_INSERT)?);
    client.run("ROLLBACK").map_err(io::Error::other)?;
    figures.push(join(&mut client)?);
    figures.push(temp_tables(&mut client)?);
    for (bound, count, calls) in [(IN_1000, 1_000, SOME), (IN_30000, 30_000, 7)] {
        figures.push(in_list(&mut client, bound, count, calls)?);
    }
    for (bound, sql) in [
        (TOP_UP, "SELECT TOP 10 k, v FROM big ORDER BY k"),
        (TOP_DOWN, "SELECT TOP 10 k, v FROM big ORDER BY k DESC"),
        (MIN, "SELECT MIN(k) FROM big"),
        (MAX, "SELECT MAX(k) FROM big"),
    ] {
        figures.push(figure(bound, steady(&mut client, sql, MANY / 10)?, "500,000 rows"));
    }
    let exists =
        "SELECT COUNT(*) FROM heap_a a WHERE EXISTS (SELECT 1 FROM heap_b b WHERE b.v = a.v)";
    figures.push(figure(EXISTS, steady(&mut client, exists, SOME)?, ""));
    figures.push(beside(&server, &mut client)?);
    figures.push(frames(&mut client)?);
    figures.push(appends(&mut client)?);
    drop((client, server));
    std::fs::remove_dir_all(&data)?;
    Ok(figures)
}

fn setup(client: &mut Client) -> io::Result<()> {
    let rows = format!("FROM GENERATE_SERIES(1, {ROWS})");
    let mut batches = vec![
        "CREATE DATABASE plans; ALTER DATABASE plans SET RECOVERY SIMPLE".to_owned(),
        "USE plans".into(),
        "CREATE TABLE big (k int PRIMARY KEY, v int NOT NULL, pad char(60) NOT NULL DEFAULT 'x')"
            .into(),
        format!("INSERT big (k, v) SELECT value, value % 1000 {rows}"),
        "CREATE TABLE point (k int PRIMARY KEY, v varchar(40))".into(),
        "INSERT point SELECT value * 2, 'row' FROM GENERATE_SERIES(1, 100000)".into(),
        "CREATE TABLE other (k int PRIMARY KEY, v int); INSERT other VALUES (1, 1)".into(),
        "CREATE PROCEDURE temps AS BEGIN SET NOCOUNT ON; \
         CREATE TABLE #a (k int PRIMARY KEY, v int); CREATE TABLE #b (k int, v int); \
         DECLARE @t TABLE (k int); \
         INSERT #a SELECT TOP 100 k, v FROM point_of ORDER BY k; INSERT #b SELECT k, v FROM #a; \
         INSERT @t SELECT k FROM #b; UPDATE #a SET v += 1; \
         DELETE b FROM #b b JOIN #a a ON a.k = b.k WHERE a.k % 2 = 0; \
         SELECT (SELECT SUM(v) FROM #a), (SELECT COUNT(*) FROM #b), (SELECT COUNT(*) FROM @t) END"
            .into(),
        "SELECT TOP 1000 k, v INTO point_of FROM big ORDER BY k".into(),
    ];
    for table in ["heap_a", "heap_b"] {
        batches.push(format!(
            "SELECT value AS k, value * 7 % 20011 AS v INTO {table} FROM GENERATE_SERIES(1, 20000)"
        ));
    }
    for n in 1..=6 {
        batches.push(format!(
            "CREATE TABLE j{n} (k int PRIMARY KEY, next_k int NOT NULL, v int, INDEX i (next_k)); \
             INSERT j{n} SELECT value, value % 50 + 1, value FROM GENERATE_SERIES(1, {})",
            n * 100
        ));
    }
    batches.push("CHECKPOINT".into());
    batches.iter().try_for_each(|sql| client.run(sql).map(|_| ()).map_err(io::Error::other))
}

/// A statement on one key: its text new, its text again, prepared.
fn point(client: &mut Client, plan: Bound, cached: Bound) -> io::Result<[Figure; 2]> {
    let inserts = plan == INSERT;
    let text = |k: usize| match inserts {
        true => format!("INSERT point VALUES ({}, 'row {k}')", 2 * k + 1),
        false => format!("SELECT v FROM point WHERE k = {k}"),
    };
    let undo = "DELETE point WHERE k = 1";
    let prepared: Prepared = match inserts {
        true => client.prepare("INSERT point VALUES (@k, 'row')", &[("@k", SqlType::Int)]),
        false => client.prepare("SELECT v FROM point WHERE k = @k", &[("@k", SqlType::Int)]),
    }
    .map_err(io::Error::other)?;
    let (mut new, mut again, mut work) = (Vec::new(), Vec::new(), Vec::new());
    let mut differences = (Vec::new(), Vec::new());
    for n in 0..MANY {
        let first = timed(client, &text(n + 1))?;
        let second = timed(client, &text(0))?;
        if inserts {
            client.run(undo).map_err(io::Error::other)?;
        }
        let key = Value::Int(if inserts { 1 } else { n as i32 });
        let began = Instant::now();
        client.execute(&prepared, &[key]).map_err(io::Error::other)?;
        let third = began.elapsed().as_secs_f64() * 1e3;
        if inserts {
            client.run(undo).map_err(io::Error::other)?;
        }
        differences.0.push((first - second) * 1e3);
        differences.1.push((second - third) * 1e3);
        new.push(first * 1e3);
        again.push(second * 1e3);
        work.push(third * 1e3);
    }
    let note = format!(
        "round trips: new {:.0} us, again {:.0} us, prepared {:.0} us",
        median(new),
        median(again),
        median(work)
    );
    let (planned, beyond) = (median(differences.0), median(differences.1));
    Ok([figure(plan, planned, &note), figure(cached, beyond, "")])
}

/// A join of six tables whose text is always new, and always the same.
fn join(client: &mut Client) -> io::Result<Figure> {
    let text = |n: usize| {
        format!(
            "SELECT COUNT(*) FROM j1 JOIN j2 ON j2.k = j1.next_k JOIN j3 ON j3.k = j2.next_k \
             JOIN j4 ON j4.k = j3.next_k JOIN j5 ON j5.k = j4.next_k JOIN j6 ON j6.k = j5.next_k \
             WHERE j1.k = {n} AND j6.v > 0"
        )
    };
    client.query(&text(0)).map_err(io::Error::other)?;
    let (mut cold, mut again) = (Vec::new(), Vec::new());
    for n in 0..MANY / 10 {
        cold.push(timed(client, &text(n + 1))?);
        again.push(timed(client, &text(0))?);
    }
    let run = median(again);
    let note = format!("run alone {run:.3} ms");
    Ok(figure(JOIN, median(cold) - run, &note))
}

/// Statements planned by a hundred calls of a procedure that has run before.
fn temp_tables(client: &mut Client) -> io::Result<Figure> {
    let planned = "SELECT cntr_value FROM sys.dm_os_performance_counters \
                   WHERE counter_name = 'Query optimizations/sec' AND instance_name = 'default'";
    for _ in 0..2 {
        client.query("EXEC temps").map_err(io::Error::other)?;
        number(client, planned)?;
    }
    let before = number(client, planned)?;
    let took = steady(client, "EXEC temps", 100)?;
    let plans = number(client, planned)? - before;
    Ok(figure(TEMP, plans, &format!("101 calls, {took:.2} ms each")))
}

/// A list of ever new literals.
fn in_list(client: &mut Client, bound: Bound, count: usize, calls: usize) -> io::Result<Figure> {
    let mut times = Vec::new();
    for call in 0..=calls {
        let list: Vec<String> =
            (0..count).map(|n| (n * 16 % 499_979 + call + 1).to_string()).collect();
        let sql = format!("SELECT COUNT(*), SUM(v) FROM big WHERE k IN ({})", list.join(", "));
        times.push(timed(client, &sql)?);
    }
    // The first one meets cold pages.
    times.remove(0);
    Ok(figure(bound, median(times), "text and all"))
}

/// A scan, alone and while another session has changed a row and not committed.
fn beside(server: &Taffrail, client: &mut Client) -> io::Result<Figure> {
    let sql = "SELECT COUNT(*), SUM(CAST(v AS bigint)) FROM big";
    let mut writer = server.client("plans")?;
    client.query(sql).map_err(io::Error::other)?;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..SOME {
        alone.push(timed(client, sql)?);
        writer.run("BEGIN TRANSACTION; UPDATE other SET v += 1").map_err(io::Error::other)?;
        beside.push(timed(client, sql)?);
        writer.run("ROLLBACK").map_err(io::Error::other)?;
    }
    let (alone, beside) = (median(alone), median(beside));
    let note = format!("{ROWS} rows: {alone:.1} ms alone, {beside:.1} ms beside");
    Ok(figure(BESIDE, beside / alone, &note))
}

/// Sums over sliding frames.
fn frames(client: &mut Client) -> io::Result<Figure> {
    let sql = |rows: u32| {
        format!(
            "SELECT MAX(s), MIN(m) FROM (SELECT SUM(v) OVER (ORDER BY k ROWS {rows} PRECEDING) s, \
             MIN(v) OVER (ORDER BY k ROWS {rows} PRECEDING) m FROM big WHERE k <= 100000) d"
        )
    };
    let narrow = steady(client, &sql(9), 7)?;
    let wide = steady(client, &sql(9_999), 7)?;
    Ok(figure(FRAMES, wide / narrow, &format!("{narrow:.0} ms, {wide:.0} ms")))
}

/// Text that grows in a loop.
fn appends(client: &mut Client) -> io::Result<Figure> {
    let sql = |times: u32| {
        format!(
            "SET NOCOUNT ON DECLARE @s varchar(max) = '', @i int = {times} \
             WHILE @i > 0 BEGIN SET @s += 'one more '; SET @i -= 1 END SELECT LEN(@s)"
        )
    };
    let (mut few, mut many) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        few.push(timed(client, &sql(100_000))?);
        many.push(timed(client, &sql(200_000))?);
    }
    let (few, many) = (median(few), median(many));
    Ok(figure(APPENDS, many / few, &format!("{few:.0} ms, {many:.0} ms")))
}

fn figure((work, bound, unit): Bound, value: f64, note: &str) -> Figure {
    let note = match note {
        "" => format!("bound {bound} {unit}"),
        note => format!("bound {bound} {unit}; {note}"),
    };
    Figure::ours(work, value, unit, note)
}

/// Figures beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let bound = |f: &Figure| ALL.into_iter().find(|(work, _, _)| f.work == *work);
    let over = |f: &Figure| {
        let (work, most, unit) = bound(f)?;
        let is = f.value;
        (is > most).then(|| format!("{work}: {is:.3} {unit} is beyond its bound, {most} {unit}"))
    };
    figures.iter().filter_map(over).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_its_bound_is_told() {
        let figures = [figure(MIN, 0.19, ""), figure(TEMP, 0.0, ""), figure(JOIN, 2.5, "x")];
        assert_eq!(
            beyond(&figures),
            ["6-table join, cold: plan: 2.500 ms is beyond its bound, 2 ms"]
        );
        assert_eq!(figures[2].note, "bound 2 ms; x");
    }
}
