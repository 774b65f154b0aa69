//! What growth costs on a real file: `log_growth DIR [stalls|latency]`.
//!
//! `stalls`: a log-heavy workload (100 transactions of 1,000 rows of 4 KB) on a log that begins with 32 MB and grows by
//! 64 MB or 1 GB, in each mode of initialisation, against a log that is large enough from the start.
//! `latency`: commits of 8 clients on a log that grows 20 times with `ahead`, and on one that does not grow, in turns.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use taffrail_base::{HobtId, PageId, TransactionId};
use taffrail_io::Env;
use taffrail_log::{
    FlushReason, Growth, Hold, Initialization, Lcx, Log, LogFileSpec, LogOptions, Lop,
    RecordHeader, Reserve, ReuseWait, TxLog,
};
use taffrail_observe::{WaitStats, WaitType};

const MB: u64 = 1 << 20;

struct Running {
    log: Arc<Log>,
    threads: Vec<JoinHandle<()>>,
    path: PathBuf,
    env: Env,
}

impl Running {
    /// A new log whose growth nothing but space limits: all of it is held.
    fn new(env: &Env, path: &Path, size: u64, growth: Growth, mode: Initialization) -> Running {
        if env.disk.exists(path).unwrap() {
            env.disk.remove(path).unwrap();
        }
        let spec = LogFileSpec { growth, ..LogFileSpec::new(path, size) };
        let options = LogOptions { initialization: mode, ..LogOptions::default() };
        let log = Log::create(env, &[spec], options, [1; 16]).unwrap();
        let pos = log.oldest();
        log.register_holder(Box::new(move || Some(Hold { wait: ReuseWait::LogBackup, pos })));
        let runs: [fn(&Log); 2] = [Log::run_writer, Log::run_ahead];
        let threads = runs.map(|run| {
            let log = Arc::clone(&log);
            std::thread::spawn(move || run(&log))
        });
        Running { log, threads: threads.into(), path: path.to_owned(), env: env.clone() }
    }

    /// Waits until everything that was reserved is initialised.
    fn settle(&self) {
        while self.log.uninitialized() > 0 {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn end(self) {
        self.log.flush(FlushReason::Request).unwrap();
        self.log.stop_writer();
        for t in self.threads {
            t.join().unwrap();
        }
        self.log.close();
        self.env.disk.remove(&self.path).unwrap();
    }
}

fn transaction(log: &Log, id: u64, rows: usize, row: &[u8]) {
    let mut tx = TxLog::new(TransactionId(id));
    let begin = RecordHeader::new(Lop::BeginXact, Lcx::Null);
    log.append(&mut tx, &begin, &[&[0; 24]], Reserve::NONE).unwrap();
    let insert = RecordHeader {
        page: PageId::new(1, 80),
        hobt: HobtId(72),
        lock_hash: id,
        ..RecordHeader::new(Lop::InsertRows, Lcx::Clustered)
    };
    for _ in 0..rows {
        log.append(&mut tx, &insert, &[row], Reserve::NONE).unwrap();
    }
    let commit = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    let pos = log.append(&mut tx, &commit, &[&[0; 8]], Reserve::NONE).unwrap();
    log.release(&mut tx);
    log.harden(pos, FlushReason::Commit).unwrap();
}

fn gather_ms() -> f64 {
    WaitStats::global().row(WaitType::PreemptiveOsWriteFileGather).wait_time_ns as f64 / 1e6
}

fn stalls(env: &Env, path: &Path) {
    println!(
        "| log | duration | longest commit | PREEMPTIVE_OS_WRITEFILEGATHER | growths | VLFs | average VLF | final size |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let modes = [Initialization::Zero, Initialization::Sql2022, Initialization::Ahead];
    let mut cases = vec![("pre-sized".to_owned(), 640 * MB, Growth::None, Initialization::Zero)];
    for growth in [64, 1024] {
        for mode in modes {
            let name = format!("{}, {growth} MB", mode.name());
            cases.push((name, 32 * MB, Growth::Bytes(growth * MB), mode));
        }
    }
    cases.push(("pre-sized".to_owned(), 640 * MB, Growth::None, Initialization::Zero));
    let row = vec![7; 4000];
    for (name, size, growth, mode) in cases {
        let run = Running::new(env, path, size, growth, mode);
        run.settle();
        let gathered = gather_ms();
        let (start, mut longest) = (Instant::now(), Duration::ZERO);
        for id in 0..100 {
            let one = Instant::now();
            transaction(&run.log, id, 1000, &row);
            longest = longest.max(one.elapsed());
        }
        let duration = start.elapsed();
        let (total, vlfs) = (run.log.space().total, run.log.vlf_count());
        println!(
            "| {name} | {:.2} s | {:.0} ms | {:.0} ms | {} | {vlfs} | {:.1} MB | {} MB |",
            duration.as_secs_f64(),
            longest.as_secs_f64() * 1e3,
            gather_ms() - gathered,
            run.log.options().counters.log_growths.get(),
            total as f64 / vlfs as f64 / MB as f64,
            total / MB
        );
        run.end();
    }
}

/// Commits of 8 clients for a while; how long each took.
fn commits(log: &Log, time: Duration, row: &[u8]) -> Vec<Duration> {
    std::thread::scope(|s| {
        let clients: Vec<_> = (0..8u64)
            .map(|client| {
                s.spawn(move || {
                    let start = Instant::now();
                    let mut times = Vec::new();
                    while start.elapsed() < time {
                        let one = Instant::now();
                        transaction(log, client << 32 | times.len() as u64, 1, row);
                        times.push(one.elapsed());
                    }
                    times
                })
            })
            .collect();
        clients.into_iter().flat_map(|c| c.join().unwrap()).collect()
    })
}

fn latency(env: &Env, dir: &Path) {
    const GROWTHS: u64 = 20;
    let by = Growth::Bytes(8 * MB);
    let growing = Running::new(env, &dir.join("growing.ldf"), 16 * MB, by, Initialization::Ahead);
    let fixed =
        Running::new(env, &dir.join("fixed.ldf"), 768 * MB, Growth::None, Initialization::Zero);
    growing.settle();
    let row = vec![7; 3000];
    let slice = Duration::from_millis(400);
    let mut times = [Vec::new(), Vec::new()];
    let start = Instant::now();
    while growing.log.options().counters.log_growths.get() < GROWTHS
        && start.elapsed() < Duration::from_secs(40)
    {
        times[0].extend(commits(&fixed.log, slice, &row));
        times[1].extend(commits(&growing.log, slice, &row));
    }
    println!("| log | commits | median | p99 | p99.9 | longest |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let mut tails = Vec::new();
    for (name, times) in ["pre-sized", "ahead, growing"].iter().zip(&mut times) {
        times.sort();
        let at = |per_mille: usize| times[times.len() * per_mille / 1000];
        println!(
            "| {name} | {} | {:?} | {:?} | {:?} | {:?} |",
            times.len(),
            at(500),
            at(990),
            at(999),
            times[times.len() - 1]
        );
        tails.push(at(999));
    }
    println!(
        "{} growths of 8 MB, {} KB written before they were zeroed, p99.9 ratio {:.2}",
        growing.log.options().counters.log_growths.get(),
        growing.log.written_uninitialized() >> 10,
        tails[1].as_secs_f64() / tails[0].as_secs_f64()
    );
    growing.end();
    fixed.end();
}

fn main() {
    let mut args = std::env::args().skip(1);
    let dir = args.next().map_or_else(|| std::env::temp_dir().join("log_growth"), PathBuf::from);
    let what = args.next().unwrap_or_default();
    let env = Env::os();
    env.disk.create_dir(&dir).unwrap();
    if what != "latency" {
        stalls(&env, &dir.join("growth_log.ldf"));
    }
    if what != "stalls" {
        latency(&env, &dir);
    }
}
