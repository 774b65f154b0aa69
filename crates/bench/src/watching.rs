//! The cost of watching: the console's start and memory, a scrape, viewers, and commits beside sessions that ask views.
//!
//! Each figure has a bound. One beyond it fails the benchmark, after everything is printed.

use super::Figure;
use super::pairs::{Effort, Pairs, order};
use super::rows::median;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use taffrail_lab::client::Client;
use taffrail_lab::launch::Taffrail;

/// Starts on a directory that is there, scrapes, viewers, sessions that ask views.
const STARTS: usize = 9;
const SCRAPES: usize = 200;
const VIEWERS: usize = 20;
const ASKING: usize = 8;
/// How long viewers look on.
const LOOKING: Duration = Duration::from_secs(10);
/// Commits of one measurement.
const COMMITS: usize = 2000;

/// Works, their units, and what they must not exceed.
const BOUNDS: [(&str, &str, f64); 5] = [
    ("ready with the console", "ms", 50.0),
    ("idle memory with the console", "MiB", 30.0),
    ("a scrape of /metrics", "ms", 5.0),
    ("20 viewers of the console", "% of a core", 3.0),
    ("a commit beside 8 that ask views", "x processor time", 1.1),
];
/// Told beside its interval: bounds of time on a shared device would say more of the device.
const PAIR: &str = "commits with system_health : without";

/// The views that are asked.
const VIEWS: [&str; 8] = [
    "SELECT COUNT(*) FROM sys.dm_os_wait_stats",
    "SELECT COUNT(*) FROM sys.dm_os_performance_counters",
    "SELECT COUNT(*) FROM sys.dm_exec_requests r JOIN sys.dm_exec_sessions s ON s.session_id = r.session_id",
    "SELECT COUNT(*) FROM sys.dm_io_virtual_file_stats(NULL, NULL)",
    "SELECT COUNT(*) FROM taffrail.flush_history",
    "SELECT COUNT(*) FROM taffrail.io_trace",
    "SELECT COUNT(*) FROM sys.dm_tran_locks",
    "SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID(N'watched'))",
];

/// All figures of watching.
pub fn watching(binary: &Path, dir: &Path, effort: Effort) -> io::Result<Vec<Figure>> {
    let data = dir.join("watching");
    Taffrail::start_watched(binary, &data)?.0.kill()?;
    let (mut ready, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let (server, _) = Taffrail::start_watched(binary, &data)?;
        ready.push(server.time_to_ready.as_secs_f64() * 1000.0);
        std::thread::sleep(Duration::from_millis(200));
        memory.push(server.memory_mib()?);
        drop(server);
    }
    let (server, console) = Taffrail::start_watched(binary, &data)?;
    // Whatever else the machine does only adds to it.
    let fastest = ready.iter().copied().fold(f64::MAX, f64::min);
    let mut figures = vec![
        figure(0, fastest, format!("fastest of {STARTS}; median {:.0}", median(ready))),
        figure(1, median(memory), "proportional (Pss), 0.2 s after it was ready".into()),
    ];
    figures.push(scrapes(&console)?);
    figures.push(viewers(&server, &console)?);
    figures.extend(commits(&server, effort)?);
    drop(server);
    std::fs::remove_dir_all(&data)?;
    Ok(figures)
}

fn figure(n: usize, value: f64, note: String) -> Figure {
    let (work, unit, bound) = BOUNDS[n];
    let note = format!("bound {bound}; {note}");
    Figure {
        work: work.into(),
        engine: "Taffrail".into(),
        value,
        unit,
        of_device: None,
        note,
        drift: 0.0,
    }
}

/// A request over a connection of its own, with its answer begun: headers are read.
fn request(console: &str, head: &str, body: &str) -> io::Result<(BufReader<TcpStream>, String)> {
    let mut stream = TcpStream::connect(console)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    write!(
        stream,
        "{head} HTTP/1.1\r\nHost: {console}\r\nX-Taffrail: console\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    )?;
    write!(stream, "\r\n{body}")?;
    answer(stream)
}

fn answer(stream: TcpStream) -> io::Result<(BufReader<TcpStream>, String)> {
    let mut stream = BufReader::new(stream);
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") {
        if stream.read_line(&mut headers)? == 0 {
            return Err(io::Error::other(format!("no answer: {headers}")));
        }
    }
    if !headers.starts_with("HTTP/1.1 200") {
        return Err(io::Error::other(headers));
    }
    Ok((stream, headers))
}

fn scrapes(console: &str) -> io::Result<Figure> {
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..SCRAPES {
        let began = Instant::now();
        let (mut stream, _) = request(console, "GET /metrics", "")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        times.push(began.elapsed().as_secs_f64() * 1000.0);
        bytes = text.len();
    }
    let worst = times.iter().copied().fold(0.0, f64::max);
    let note = format!("connection and {bytes} bytes; slowest of {SCRAPES}: {worst:.1}");
    Ok(figure(2, median(times), note))
}

/// The server's share of the processor over a time, in per cent of one core.
fn busy(server: &Taffrail, time: Duration) -> io::Result<f64> {
    let used = || -> io::Result<f64> { Ok(server.threads()?.iter().map(|t| t.1).sum()) };
    let (before, began) = (used()?, Instant::now());
    std::thread::sleep(time);
    Ok((used()? - before) * 100.0 / began.elapsed().as_secs_f64())
}

fn viewers(server: &Taffrail, console: &str) -> io::Result<Figure> {
    let login = format!("{{\"login\":\"sa\",\"password\":\"{}\"}}", Taffrail::password());
    let (_, headers) = request(console, "POST /api/login", &login)?;
    let cookie = headers
        .lines()
        .find_map(|l| l.split_once(": ").filter(|h| h.0.eq_ignore_ascii_case("set-cookie")))
        .and_then(|h| h.1.split(';').next())
        .ok_or_else(|| io::Error::other("no cookie"))?;
    server.rest()?;
    let idle = busy(server, LOOKING)?;
    let frames = AtomicU64::new(0);
    let all = std::thread::scope(|scope| -> io::Result<f64> {
        let mut sockets = Vec::new();
        for _ in 0..VIEWERS {
            let mut stream = TcpStream::connect(console)?;
            write!(
                stream,
                "GET /api/stream HTTP/1.1\r\nHost: {console}\r\nCookie: {cookie}\r\n\r\n"
            )?;
            sockets.push(stream.try_clone()?);
            let (mut stream, _) = answer(stream)?;
            let frames = &frames;
            scope.spawn(move || {
                let mut line = String::new();
                // Until the other end of the socket is shut down below.
                while stream.read_line(&mut line).is_ok_and(|n| n > 0) {
                    frames.fetch_add(u64::from(line.starts_with("data:")), Relaxed);
                    line.clear();
                }
            });
        }
        std::thread::sleep(Duration::from_secs(2));
        let busy = busy(server, LOOKING);
        for socket in sockets {
            socket.shutdown(std::net::Shutdown::Both)?;
        }
        busy
    })?;
    let frames = frames.into_inner();
    if frames < VIEWERS as u64 * LOOKING.as_secs() / 2 {
        return Err(io::Error::other(format!("{VIEWERS} viewers saw {frames} frames only")));
    }
    Ok(figure(3, (all - idle).max(0.0), format!("{frames} frames; idle {idle:.2} %")))
}

fn ran(client: &mut Client, sql: &str) -> io::Result<()> {
    client.run(sql).map(drop).map_err(io::Error::other)
}

/// Processor time of the thread of a session, ms, as the server tells it.
fn number(client: &mut Client, sql: &str) -> io::Result<i64> {
    let answer = client.query(sql).map_err(io::Error::other)?;
    answer.text().trim().parse().map_err(|_| io::Error::other(format!("no number: {sql}")))
}

/// Commits one at a time: how many a second, and µs of the processor for each.
fn some_commits(client: &mut Client) -> io::Result<(f64, f64)> {
    const CPU: &str =
        "SELECT CONVERT(bigint, cpu_time) FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    let (before, began) = (number(client, CPU)?, Instant::now());
    ran(
        client,
        &format!(
            "SET NOCOUNT ON DECLARE @i int = 0 WHILE @i < {COMMITS} BEGIN INSERT t (v) VALUES (@i) SET @i += 1 END"
        ),
    )?;
    let seconds = began.elapsed().as_secs_f64();
    let ms = (number(client, CPU)? - before) as f64;
    Ok((COMMITS as f64 / seconds, ms * 1000.0 / COMMITS as f64))
}

/// Commits alone and beside those who ask; with the session of events that is there by itself and without it.
fn commits(server: &Taffrail, effort: Effort) -> io::Result<Vec<Figure>> {
    let mut client = server.client("master")?;
    ran(&mut client, "CREATE DATABASE watched")?;
    ran(&mut client, "USE watched; CREATE TABLE t (id int IDENTITY PRIMARY KEY, v int)")?;
    some_commits(&mut client)?;
    server.rest()?;
    let pairs = effort.pairs.unwrap_or(if effort.quick { 3 } else { 9 });
    let (mut cost, mut rate, mut asked) = (Pairs::default(), Pairs::default(), 0);
    for pair in 0..pairs {
        let mut measured = [(0.0, 0.0); 2];
        for half in order(pair) {
            measured[half] = match half {
                0 => some_commits(&mut client)?,
                _ => {
                    let (figures, answers) = beside(server, &mut client)?;
                    asked += answers;
                    figures
                }
            };
        }
        cost.push(measured[0].1, measured[1].1);
        rate.push(measured[0].0, measured[1].0);
    }
    no_lock_of_a_view(&mut client)?;
    let (cost, rate) = (cost.ratio(), rate.ratio());
    let note = format!(
        "{:.2} to {:.2}; {:.0} us each, alone {:.0}; {:.0} commits/s beside {:.0} answers a measurement, alone {:.0} \
         (two cores are shared)",
        cost.low,
        cost.high,
        cost.other,
        cost.base,
        rate.other,
        asked as f64 / pairs as f64,
        rate.base
    );
    let mut figures = vec![figure(4, cost.median, note)];
    let mut health = Pairs::default();
    for pair in 0..pairs {
        let mut measured = [0.0; 2];
        for half in order(pair) {
            let state = ["STOP", "START"][half];
            // It runs at first, and after each START.
            let _ =
                client.run(&format!("ALTER EVENT SESSION system_health ON SERVER STATE = {state}"));
            measured[half] = some_commits(&mut client)?.0;
        }
        health.push(measured[0], measured[1]);
    }
    let ratio = health.ratio();
    figures.push(Figure {
        work: PAIR.into(),
        engine: "Taffrail".into(),
        value: ratio.median,
        unit: "x",
        of_device: None,
        note: format!(
            "{:.3} to {:.3} over {} pairs; {:.0} and {:.0} commits/s",
            ratio.low, ratio.high, ratio.pairs, ratio.other, ratio.base
        ),
        drift: 0.0,
    });
    Ok(figures)
}

/// The commits while others ask views in a loop: the figures, and how many answers those have got.
fn beside(server: &Taffrail, client: &mut Client) -> io::Result<((f64, f64), u64)> {
    let (stop, answers) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let mut asking = Vec::new();
        for sql in VIEWS.iter().cycle().take(ASKING) {
            let mut other = server.client("watched")?;
            let (stop, answers) = (&stop, &answers);
            asking.push(scope.spawn(move || -> io::Result<()> {
                while !stop.load(Relaxed) {
                    ran(&mut other, sql)?;
                    answers.fetch_add(1, Relaxed);
                }
                Ok(())
            }));
        }
        let measured = some_commits(client);
        stop.store(true, Relaxed);
        for asked in asking {
            asked.join().map_err(|_| io::Error::other("a session that asks has panicked"))??;
        }
        Ok((measured?, answers.load(Relaxed)))
    })
}

/// An error unless the session has waited for the log only since it began, and for nothing that a view holds.
fn no_lock_of_a_view(client: &mut Client) -> io::Result<()> {
    let waits = "SELECT COUNT(*) FROM sys.dm_exec_session_wait_stats WHERE session_id = @@SPID AND waiting_tasks_count > 0 \
        AND wait_type NOT IN (N'WRITELOG', N'LOGBUFFER', N'ASYNC_NETWORK_IO', N'IO_COMPLETION', N'PREEMPTIVE_OS_WRITEFILEGATHER') \
        AND wait_type NOT LIKE N'PAGE%LATCH%' AND wait_type NOT LIKE N'LOGMGR%'";
    match number(client, waits)? {
        0 => Ok(()),
        n => {
            Err(io::Error::other(format!("a session that commits has waited for {n} other things")))
        }
    }
}

/// Figures beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let mut all = Vec::new();
    for (work, unit, bound) in BOUNDS {
        for f in figures.iter().filter(|f| f.work == work && f.value > bound) {
            all.push(format!("{work}: {:.2} {unit} is beyond its bound of {bound}", f.value));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_its_bound_is_told() {
        let figures = [figure(2, 5.1, String::new()), figure(3, 3.0, String::new())];
        assert_eq!(beyond(&figures), ["a scrape of /metrics: 5.10 ms is beyond its bound of 5"]);
    }
}
