//! How long a restart takes after a kill under load, against what TARGET_RECOVERY_TIME promises.
//!
//! 64 clients change rows at random, each change a transaction, for a few times the target; then SIGKILL. The redo of the restart is what
//! the error log tells of it (message 3421), and has a bound: 1.3 times the target. Beside the figure stands what the server itself took
//! redo to need, a moment before it was killed. While that database is recovered, another one is asked for a row.

use super::Figure;
use super::reading::{number, run_all};
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use taffrail_lab::client::Client;
use taffrail_lab::launch::Taffrail;

/// Targets in seconds; the first ones with `--quick`.
const TARGETS: [u64; 3] = [1, 2, 5];
const QUICK: usize = 1;
/// Redo may take so many times the target.
const BOUND: f64 = 1.3;
const CLIENTS: u64 = 64;
/// Rows of 400 bytes: some 80 MB.
const ROWS: u64 = 200_000;
/// Changes of a batch.
const BATCH: u32 = 50;
/// The time that clients have to themselves for warming up and reaching a steady state, and targets on top of that.
const LOAD: (Duration, u32) = (Duration::from_secs(5), 3);
const PATIENCE: Duration = Duration::from_secs(300);

/// Redo for each target, and the first row of another database meanwhile.
pub fn restart(binary: &Path, dir: &Path, quick: bool) -> io::Result<Vec<Figure>> {
    let targets = if quick { &TARGETS[..QUICK] } else { &TARGETS[..] };
    let mut figures = Vec::new();
    for target in targets {
        figures.extend(one(binary, &dir.join(format!("restart-{target}")), *target)?);
    }
    Ok(figures)
}

fn one(binary: &Path, data: &Path, target: u64) -> io::Result<Vec<Figure>> {
    let server = Taffrail::start(binary, data)?;
    run_all(
        &mut server.client("master")?,
        &[
            "CREATE DATABASE other".into(),
            "CREATE TABLE other.dbo.t (i int) INSERT other.dbo.t VALUES (1)".into(),
            "CREATE DATABASE bench ON (NAME = bench, FILENAME = 'bench.mdf', SIZE = 256MB) LOG ON (NAME = bench_log, \
             FILENAME = 'bench_log.ldf', SIZE = 1GB)"
                .into(),
            format!(
                "ALTER DATABASE bench SET RECOVERY SIMPLE ALTER DATABASE bench SET TARGET_RECOVERY_TIME = {target} SECONDS"
            ),
        ],
    )?;
    let mut client = server.client("bench")?;
    run_all(
        &mut client,
        &[
            "CREATE TABLE account (id int NOT NULL PRIMARY KEY, balance int NOT NULL, filler char(390) NOT NULL)".into(),
            format!("INSERT account SELECT value, 0, 'x' FROM GENERATE_SERIES(0, {})", ROWS - 1),
            "CHECKPOINT".into(),
        ],
    )?;
    server.rest()?;
    let time = LOAD.0 + Duration::from_secs(target) * LOAD.1;
    let Killed { changes, megabytes, estimate } = load_and_kill(server, &mut client, time)?;
    let began = Instant::now();
    let server = Taffrail::start(binary, data)?;
    let ready = began.elapsed().as_secs_f64();
    number(&mut server.client("other")?, "SELECT i FROM t")?;
    let others = began.elapsed().as_secs_f64();
    let mut client = server.client_once_open("bench", PATIENCE)?;
    number(&mut client, "SELECT TOP 1 id FROM account")?;
    let first = began.elapsed().as_secs_f64();
    let redo = redo_seconds(data)?;
    drop(client);
    server.end()?;
    std::fs::remove_dir_all(data)?;
    let note = format!(
        "bound {:.1}; {changes:.0} changes/s before, {megabytes:.0} MB of log to redo, {estimate:.2} s by its own estimate",
        target as f64 * BOUND
    );
    let told = format!("ready after {ready:.2} s, first row of the killed one after {first:.2} s");
    Ok(vec![
        figure(&redo_of(target), redo, note),
        figure(&format!("first row of another, target {target} s"), others, told),
    ])
}

fn redo_of(target: u64) -> String {
    format!("redo, TARGET_RECOVERY_TIME = {target} s")
}

/// The work of a server that was killed.
struct Killed {
    /// Changes of rows a second.
    changes: f64,
    /// Log that a restart has to redo.
    megabytes: f64,
    /// Seconds that the server took its redo to need.
    estimate: f64,
}

/// Clients change rows for so long, and are at it when the server is killed.
fn load_and_kill(server: Taffrail, client: &mut Client, time: Duration) -> io::Result<Killed> {
    let (over, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let began = Instant::now();
    let told = std::thread::scope(|scope| {
        let clients: Vec<_> =
            (0..CLIENTS).map(|_| scope.spawn(|| change(&server, &over, &done))).collect();
        std::thread::sleep(time);
        let changes = done.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64();
        let asked = "FROM taffrail.recovery_estimate WHERE database_name = 'bench'";
        let estimate = number(client, &format!("SELECT estimated_seconds {asked}"));
        let megabytes = number(client, &format!("SELECT redo_bytes / 1048576.0 {asked}"));
        over.store(true, Ordering::SeqCst);
        let pid = i32::try_from(server.process()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("no process"))?;
        kill_process(pid, Signal::KILL)?;
        for client in clients {
            client.join().map_err(|_| io::Error::other("a client panicked"))??;
        }
        Ok::<_, io::Error>(Killed { changes, megabytes: megabytes?, estimate: estimate? })
    });
    // The process is gone when this returns.
    server.kill()?;
    told
}

/// One client, until the server is killed; an error before that.
fn change(server: &Taffrail, over: &AtomicBool, done: &AtomicU64) -> io::Result<()> {
    let mut client = server.client("bench")?;
    let batch = [format!(
        "SET NOCOUNT ON DECLARE @n int = 0, @id int WHILE @n < {BATCH} BEGIN \
         SET @id = CAST(RAND() * {ROWS} AS int) UPDATE account SET balance += 1 WHERE id = @id SET @n += 1 END"
    )];
    while !over.load(Ordering::SeqCst) {
        match run_all(&mut client, &batch) {
            Err(_) if over.load(Ordering::SeqCst) => return Ok(()),
            ran => ran?,
        }
        done.fetch_add(u64::from(BATCH), Ordering::Relaxed);
    }
    Ok(())
}

/// The redo of `bench` as the error log has it, once recovery has told of it.
fn redo_seconds(data: &Path) -> io::Result<f64> {
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(data.join("log/errorlog"))?;
        if let Some(ms) = redo_ms(&text) {
            return Ok(ms / 1000.0);
        }
        if began.elapsed() > PATIENCE {
            return Err(io::Error::other("the error log does not tell of a recovery"));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn redo_ms(log: &str) -> Option<f64> {
    let line = log.lines().rfind(|l| l.contains("Recovery completed for database bench "))?;
    line.split("redo ").nth(1)?.split(' ').next()?.parse().ok()
}

fn figure(work: &str, value: f64, note: String) -> Figure {
    Figure::ours(work, value, "s", note)
}

/// The figures beyond their bounds, in words.
pub fn beyond(figures: &[Figure]) -> Vec<String> {
    let over = |target: u64| {
        let (work, bound) = (redo_of(target), target as f64 * BOUND);
        let figure = figures.iter().find(|f| f.work == work && f.value > bound)?;
        Some(format!("{work}: {:.2} s is beyond its bound of {bound:.1}", figure.value))
    };
    TARGETS.into_iter().filter_map(over).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redo_is_what_the_error_log_tells_last_and_has_a_bound() {
        let line = |ms| {
            format!(
                "Recovery completed for database bench (database ID 6) in 2 second(s) \
                 (analysis 5 ms, redo {ms} ms, undo 0 ms [system undo 0 ms, regular undo 0 ms].)\n"
            )
        };
        assert_eq!(redo_ms("Recovery is complete.\n"), None);
        assert_eq!(redo_ms(&(line(700) + &line(1400))), Some(1400.0));
        let figures =
            [figure(&redo_of(1), 1.31, String::new()), figure(&redo_of(2), 2.6, String::new())];
        assert_eq!(
            beyond(&figures),
            ["redo, TARGET_RECOVERY_TIME = 1 s: 1.31 s is beyond its bound of 1.3"]
        );
    }
}
