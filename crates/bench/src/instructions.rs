//! `taffrail-bench --instructions OLD NEW`: how many instructions two servers take for the same work.
//!
//! Each server runs under callgrind with its data in memory, clients come one at a time, and all its threads count. Instructions do not
//! depend on what else the machine does, so a few per cent can be told apart, where times cannot.
//!
//! ```text
//!   for each work:  OLD and NEW start ──▶ set-up ──▶ once for nothing ──▶ counter to zero ─▶ work ─▶ dump   (five times, in turns)
//! ```
//!
//! 1. The figure is NEW over OLD, of the least of the rounds: threads that look after the server only ever add, and by the clock. Each
//!    figure has a bound, and the geometric mean of all has one.
//! 2. Both servers do the same statements in the same order.

use super::Figure;
use super::tpch;
use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_lab::client::{Client, Prepared};
use taffrail_lab::launch::Taffrail;
use taffrail_types::{SqlType, Value};

/// The most that a work may take, NEW over OLD.
const BOUND: f64 = 1.03;
/// The most that the geometric mean of all may be.
const MEAN: (&str, f64) = ("all, geometric mean", 1.00);
/// How far a mean of 1.00 may be off before it is more: what rounds of the same binary differ by.
const NOISE: f64 = 0.003;
const ROUNDS: usize = 5;

/// A work: its set-up, and what is counted. `{n}` in a text is the number of its call, which goes on from round to round.
pub(super) struct Work {
    pub(super) name: &'static str,
    pub(super) setup: &'static [&'static str],
    pub(super) calls: &'static [Call],
}

/// Statements that are sent so often.
pub(super) enum Call {
    /// A batch, and how often it runs.
    Text(&'static str, u32),
    /// A prepared statement over `@k`, which is the number of the call.
    Prepared(&'static str, u32),
}

pub(super) const WORKS: [Work; 6] = [
    Work {
        name: "loops",
        setup: &[
            "CREATE TABLE MyTable (Id int IDENTITY NOT NULL, SomeText varchar(10), MoreText varchar(50))",
        ],
        calls: &[
            Call::Text(
                "SET NOCOUNT ON DECLARE @i int = 1500 WHILE @i > 0 BEGIN INSERT MyTable (SomeText, MoreText) \
                 VALUES ('Num:' + CONVERT(varchar, @i), CONVERT(varchar, @i) + ' bottles of beer') SET @i = @i - 1 END",
                1,
            ),
            Call::Text(
                "SET NOCOUNT ON DECLARE @i int = 20000, @s bigint = 0, @t varchar(20) WHILE @i > 0 BEGIN \
                 SET @s = @s + @i % 7 IF @i % 3 = 0 SET @t = SUBSTRING('abcdefgh', @i % 8 + 1, 3) + CAST(@i AS varchar(10)) \
                 SET @i = @i - 1 END",
                1,
            ),
        ],
    },
    Work {
        name: "clients",
        setup: &[
            "CREATE TABLE sent (id int IDENTITY PRIMARY KEY, k int, sometext varchar(10))",
            "CREATE PROCEDURE one @k int AS BEGIN SET NOCOUNT ON; UPDATE sent SET sometext = 'x' WHERE id = @k; \
             SELECT COUNT(*) FROM sent WHERE id = @k END",
        ],
        calls: &[
            Call::Prepared("INSERT sent (k, sometext) VALUES (@k, 'sometext')", 400),
            Call::Text("EXEC one @k = {n}", 200),
            Call::Text(
                "BEGIN TRAN; INSERT sent (k) VALUES ({n}); SELECT SCOPE_IDENTITY(); COMMIT",
                200,
            ),
        ],
    },
    Work {
        name: "customers",
        setup: &[
            "CREATE TABLE customer (c_id int, c_d_id tinyint, c_w_id int, c_last varchar(16), c_since datetime, \
             c_balance numeric(12,2), c_data char(300), PRIMARY KEY (c_w_id, c_d_id, c_id))",
            "SELECT value % 3000 + 1 c_id, CAST(value / 3000 % 10 + 1 AS tinyint) c_d_id, value / 30000 + 1 c_w_id, \
             'BARBARBAR' c_last, CAST('2009-02-09T13:13:00' AS datetime) c_since, CAST(-10.00 AS numeric(12,2)) c_balance, \
             CAST('Data of a customer' AS char(300)) c_data INTO source FROM GENERATE_SERIES(0, 9999)",
        ],
        calls: &[
            Call::Text("INSERT customer SELECT * FROM source", 1),
            Call::Text("UPDATE customer SET c_balance = c_balance + 1, c_last = 'OUGHTPRES'", 1),
            Call::Text("DELETE customer", 1),
        ],
    },
    Work {
        name: "points",
        setup: &[
            "CREATE TABLE points (id int PRIMARY KEY, number int, name varchar(40), share decimal(9,2))",
            "INSERT points SELECT value, value * 7, 'row number ' + CAST(value AS varchar(10)), 0.25 FROM GENERATE_SERIES(1, 5000)",
        ],
        calls: &[Call::Prepared("SELECT number, name, share FROM points WHERE id = @k", 1_500)],
    },
    Work {
        name: "plans",
        setup: &[
            "CREATE TABLE point (k int PRIMARY KEY, v varchar(40)); INSERT point SELECT value, 'row' FROM GENERATE_SERIES(1, 1000)",
            "CREATE TABLE j1 (k int PRIMARY KEY, n int, v int, INDEX i (n)); \
             INSERT j1 SELECT value, value % 50 + 1, value FROM GENERATE_SERIES(1, 100)",
            "CREATE TABLE j2 (k int PRIMARY KEY, n int, v int, INDEX i (n)); \
             INSERT j2 SELECT value, value % 50 + 1, value FROM GENERATE_SERIES(1, 200)",
            "CREATE TABLE j3 (k int PRIMARY KEY, n int, v int, INDEX i (n)); \
             INSERT j3 SELECT value, value % 50 + 1, value FROM GENERATE_SERIES(1, 300)",
            "CREATE TABLE j4 (k int PRIMARY KEY, n int, v int, INDEX i (n)); \
             INSERT j4 SELECT value, value % 50 + 1, value FROM GENERATE_SERIES(1, 400)",
        ],
        calls: &[
            Call::Text("SELECT v FROM point WHERE k = {n} AND v <> 'x'", 150),
            Call::Text("UPDATE point SET v = 'row {n}' WHERE k = 7", 100),
            Call::Text(
                "SELECT COUNT(*) FROM j1 JOIN j2 ON j2.k = j1.n JOIN j3 ON j3.k = j2.n JOIN j4 ON j4.k = j3.n \
                 WHERE j1.k = {n} AND j4.v > 0",
                40,
            ),
        ],
    },
    Work {
        name: "groups",
        setup: &["SELECT value id, value % 4 few, value * 7919 % 10007 many, value % 2001 whole, \
             CAST(value % 100000 AS decimal(18, 2)) part INTO facts FROM GENERATE_SERIES(1, 30000)"],
        calls: &[
            Call::Text("SELECT few, COUNT(*), SUM(whole), SUM(part) FROM facts GROUP BY few", 1),
            Call::Text(
                "SELECT COUNT(*), SUM(c) FROM (SELECT many, COUNT(*) c FROM facts GROUP BY many) t",
                1,
            ),
            Call::Text("SELECT COUNT(DISTINCT many) FROM facts", 1),
            Call::Text(
                "SELECT TOP 10 a.id, b.part FROM facts a JOIN facts b ON b.id = a.many ORDER BY b.part DESC, a.id",
                1,
            ),
        ],
    },
];

/// The statements that a client has prepared, by their texts.
pub(super) type PreparedTexts = Vec<(&'static str, Prepared)>;

/// A server under callgrind.
pub(super) struct Counted {
    pub(super) server: Taffrail,
    client: Client,
    /// Where callgrind writes its dumps.
    dumps: PathBuf,
    prepared: PreparedTexts,
    /// The number of calls so far.
    calls: i32,
    seen: Vec<f64>,
}

impl Counted {
    /// Starts a binary on a folder of its own.
    pub(super) fn start(binary: &Path, dir: &Path, more: &[&OsStr]) -> io::Result<Counted> {
        std::fs::create_dir_all(dir)?;
        let (wrapper, dumps) = (dir.join("under-callgrind"), dir.join("callgrind"));
        // The process is valgrind's, under the number of the child.
        let script = format!(
            "#!/bin/sh\nexec valgrind --tool=callgrind --callgrind-out-file='{}' '{}' \"$@\" 2>'{}'\n",
            dumps.display(),
            binary.display(),
            dir.join("valgrind.log").display()
        );
        std::fs::write(&wrapper, script)?;
        std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755))?;
        let server = Taffrail::start_with(&wrapper, &dir.join("data"), more)?;
        let client = server.client("master")?;
        Ok(Counted { server, client, dumps, prepared: Vec::new(), calls: 0, seen: Vec::new() })
    }

    pub(super) fn run(&mut self, sql: &str) -> io::Result<()> {
        self.client.run(sql).map(|_| ()).map_err(io::Error::other)
    }

    /// Another client sends from now on; the one that has sent until now takes its place.
    pub(super) fn swap(&mut self, other: &mut (Client, PreparedTexts)) {
        std::mem::swap(&mut self.client, &mut other.0);
        std::mem::swap(&mut self.prepared, &mut other.1);
    }

    /// Sends a call so often as it says.
    pub(super) fn call(&mut self, call: &Call) -> io::Result<()> {
        match call {
            Call::Text(text, times) => {
                for _ in 0..*times {
                    self.calls += 1;
                    let text = text.replace("{n}", &self.calls.to_string());
                    self.client.query(&text).map_err(io::Error::other)?;
                }
            }
            Call::Prepared(text, times) => {
                if !self.prepared.iter().any(|(known, _)| known == text) {
                    let made = self.client.prepare(text, &[("@k", SqlType::Int)]);
                    self.prepared.push((text, made.map_err(io::Error::other)?));
                }
                let known = self.prepared.iter().find(|(known, _)| known == text);
                let Some((_, statement)) = known else { return Ok(()) };
                for _ in 0..*times {
                    self.calls += 1;
                    let k = [Value::Int(self.calls)];
                    self.client.execute(statement, &k).map_err(io::Error::other)?;
                }
            }
        }
        Ok(())
    }

    /// Instructions of all threads while a work is done.
    pub(super) fn count(
        &mut self,
        work: impl FnOnce(&mut Counted) -> io::Result<()>,
    ) -> io::Result<f64> {
        self.control("-z")?;
        work(self)?;
        self.control("-d")?;
        let number = self.seen.len() + 1;
        // The dumps are numbered from 1.
        let mut name = self.dumps.clone().into_os_string();
        name.push(format!(".{number}"));
        let text = std::fs::read_to_string(&name)?;
        let total = text.lines().find_map(|l| {
            l.strip_prefix("totals:").or_else(|| l.strip_prefix("summary:"))?.trim().parse().ok()
        });
        let total = total.ok_or_else(|| io::Error::other("no total in callgrind's dump"))?;
        self.seen.push(total);
        Ok(total)
    }

    fn control(&self, flag: &str) -> io::Result<()> {
        let process = self.server.process().to_string();
        let done = Command::new("callgrind_control").args([flag, &process]).output()?;
        match done.status.success() {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "callgrind_control {flag}: {}",
                String::from_utf8_lossy(&done.stderr)
            ))),
        }
    }
}

/// Where data is in memory, if the machine has such a place.
pub fn place(dir: &Path) -> PathBuf {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => memory.join(format!("taffrail-bench-{}", std::process::id())),
        false => dir.join("instructions"),
    }
}

/// Compares two servers. `tpch`: the folder with the files of TPC-H, whose part is left out without.
pub fn instructions(
    old: &Path,
    new: &Path,
    dir: &Path,
    tpch: Option<&Path>,
    only: Option<&str>,
) -> io::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for work in WORKS.iter().filter(|w| only.is_none_or(|o| o == w.name)) {
        let setup: Vec<String> = work.setup.iter().map(|s| (*s).to_owned()).collect();
        let measured = compare([old, new], dir, &[], &setup, |server| {
            work.calls.iter().try_for_each(|call| server.call(call))
        })?;
        figures.push(figure(work.name, measured));
    }
    if let Some(files) = tpch.filter(|_| only.is_none_or(|o| o == "TPC-H")) {
        let files = files.canonicalize()?;
        let root = [OsStr::new("--file-root"), files.as_os_str()];
        let queries = tpch::queries();
        let measured = compare([old, new], dir, &root, &tpch::load(&files), |server| {
            queries.iter().try_for_each(|(_, query)| server.run(query))
        })?;
        figures.push(figure("TPC-H", measured));
    }
    if figures.len() > 1 {
        let logs: f64 = figures.iter().map(|f| f.value.ln()).sum();
        let mean = (logs / figures.len() as f64).exp();
        figures.push(told(MEAN.0, mean, format!("bound {:.2} x", MEAN.1)));
    }
    Ok(figures)
}

/// The least of the rounds of both servers.
fn compare(
    binaries: [&Path; 2],
    dir: &Path,
    more: &[&OsStr],
    setup: &[String],
    work: impl Fn(&mut Counted) -> io::Result<()>,
) -> io::Result<[f64; 2]> {
    let mut servers = Vec::new();
    for (binary, name) in binaries.into_iter().zip(["old", "new"]) {
        let mut server = Counted::start(binary, &dir.join(name), more)?;
        server.run("CREATE DATABASE counted; ALTER DATABASE counted SET RECOVERY SIMPLE")?;
        server.run("USE counted")?;
        setup.iter().try_for_each(|sql| server.run(sql))?;
        work(&mut server)?;
        servers.push(server);
    }
    for _ in 0..ROUNDS {
        for server in &mut servers {
            server.count(&work)?;
        }
    }
    let least = |s: &Counted| s.seen.iter().copied().fold(f64::INFINITY, f64::min);
    let counted = [least(&servers[0]), least(&servers[1])];
    drop(servers);
    std::fs::remove_dir_all(dir)?;
    Ok(counted)
}

fn figure(work: &str, [old, new]: [f64; 2]) -> Figure {
    let millions = |n: f64| n / 1e6;
    let note = format!(
        "bound {BOUND} x; {:.1} million instructions, {:.1} before",
        millions(new),
        millions(old)
    );
    told(work, new / old, note)
}

fn told(work: &str, value: f64, note: String) -> Figure {
    let (work, engine) = (format!("instructions: {work}"), "Taffrail".into());
    Figure { work, engine, value, unit: "x", of_device: None, note, drift: 0.0 }
}

/// The works beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = |f: &Figure| {
        let work = f.work.strip_prefix("instructions: ")?;
        let bound = if work == MEAN.0 { MEAN.1 + NOISE } else { BOUND };
        let is = f.value;
        (is > bound).then(|| format!("{}: {is:.3} x is beyond its bound", f.work))
    };
    figures.iter().filter_map(over).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_instructions_than_the_bound_are_told() {
        let figures = [
            figure("loops", [100e6, 102e6]),
            figure("points", [100e6, 104e6]),
            told(MEAN.0, 1.002, String::new()),
            told(MEAN.0, 1.01, String::new()),
        ];
        assert_eq!(
            beyond(&figures),
            [
                "instructions: points: 1.040 x is beyond its bound",
                "instructions: all, geometric mean: 1.010 x is beyond its bound"
            ]
        );
        assert_eq!(figures[0].note, "bound 1.03 x; 102.0 million instructions, 100.0 before");
    }
}
