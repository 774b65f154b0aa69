//! How fast the log is on a real file: `log_speed DIR`.
//!
//! Prints durable appends per second beside raw durable writes of one sector, interleaved; the same from several threads;
//! and appends per second without waiting. `IN_FLIGHT` sets how many writes may be in flight.

use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use taffrail_base::{HobtId, LogPos, PageId, TransactionId};
use taffrail_io::{AlignedBuf, Env, OpenSpec};
use taffrail_log::{
    FlushReason, Growth, Lcx, Log, LogFileSpec, LogOptions, Lop, RecordHeader, Reserve, TxLog,
};

const SECOND: Duration = Duration::from_millis(800);

fn raw(env: &Env, path: &Path) -> f64 {
    let volume = env.disk.open(path, OpenSpec::LOG).unwrap();
    let buf = AlignedBuf::zeroed(4096);
    let start = Instant::now();
    let mut n = 0u64;
    while start.elapsed() < SECOND {
        let offset = n % 2000 * 4096;
        volume.write_durable(offset, &[IoSlice::new(&buf)]).unwrap();
        n += 1;
    }
    n as f64 / start.elapsed().as_secs_f64()
}

fn raw_threads(env: &Env, path: &Path, threads: u64) -> f64 {
    let volume = env.disk.open(path, OpenSpec::LOG).unwrap();
    let total: u64 = std::thread::scope(|s| {
        let handles: Vec<_> = (0..threads)
            .map(|t| {
                let volume = &volume;
                s.spawn(move || {
                    let buf = AlignedBuf::zeroed(4096);
                    let start = Instant::now();
                    let mut n = 0;
                    while start.elapsed() < SECOND {
                        let offset = (t * 200 + n % 200) * 4096;
                        volume.write_durable(offset, &[IoSlice::new(&buf)]).unwrap();
                        n += 1;
                    }
                    n
                })
            })
            .collect();
        handles.into_iter().map(|h| h.join().unwrap()).sum()
    });
    total as f64 / SECOND.as_secs_f64()
}

/// One small transaction: begin, insert, commit.
fn transaction(log: &Log, id: u64) -> LogPos {
    let mut tx = TxLog::new(TransactionId(id));
    let begin = RecordHeader::new(Lop::BeginXact, Lcx::Null);
    log.append(&mut tx, &begin, &[&[0; 24]], Reserve::NONE).unwrap();
    let insert = RecordHeader {
        page: PageId::new(1, 80),
        hobt: HobtId(72),
        lock_hash: id,
        ..RecordHeader::new(Lop::InsertRows, Lcx::Clustered)
    };
    log.append(&mut tx, &insert, &[&[1; 60]], Reserve::undo(8)).unwrap();
    let commit = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    let pos = log.append(&mut tx, &commit, &[&[0; 8]], Reserve::NONE).unwrap();
    log.release(&mut tx);
    pos
}

fn commits(log: &Log, threads: u64, delayed: bool) -> (f64, Duration) {
    let mut times: Vec<Duration> = std::thread::scope(|s| {
        let handles: Vec<_> = (0..threads)
            .map(|t| {
                s.spawn(move || {
                    let start = Instant::now();
                    let mut times = Vec::with_capacity(1 << 20);
                    let mut n = 0;
                    while start.elapsed() < SECOND {
                        let one = Instant::now();
                        let pos = transaction(log, t << 32 | n);
                        if delayed {
                            log.request_lazy();
                        } else {
                            log.harden(pos, FlushReason::Commit).unwrap();
                        }
                        times.push(one.elapsed());
                        n += 1;
                        log.set_checkpoint(log.durable());
                        if n % 100 == 0 {
                            log.truncate();
                        }
                    }
                    times
                })
            })
            .collect();
        handles.into_iter().flat_map(|h| h.join().unwrap()).collect()
    });
    let rate = times.len() as f64 / SECOND.as_secs_f64();
    times.sort();
    (rate, times[times.len() * 99 / 100])
}

fn main() {
    let dir: PathBuf = std::env::args()
        .nth(1)
        .map_or_else(|| std::env::temp_dir().join("log_speed"), PathBuf::from);
    let env = Env::os();
    env.disk.create_dir(&dir).unwrap();
    let path = dir.join("speed_log.ldf");
    let other = dir.join("raw.bin");
    for p in [&path, &other] {
        if env.disk.exists(p).unwrap() {
            env.disk.remove(p).unwrap();
        }
    }
    let volume = env.disk.create(&other, OpenSpec::LOG).unwrap();
    volume.allocate(0, 8 << 20).unwrap();
    let zero = AlignedBuf::zeroed(8 << 20);
    volume.write_at(0, &zero).unwrap();
    volume.sync().unwrap();
    let spec = LogFileSpec { growth: Growth::None, ..LogFileSpec::new(&path, 256 << 20) };
    let in_flight = std::env::var("IN_FLIGHT").ok().and_then(|s| s.parse().ok()).unwrap_or(4);
    let options = LogOptions { flushes_in_flight: in_flight, ..LogOptions::default() };
    let log = Log::create(&env, &[spec], options, [1; 16]).unwrap();
    println!("log file: {:?}, sector {}", log.files()[0].kind, log.sector_bytes());

    for _ in 0..3 {
        let before = raw(&env, &other);
        let (rate, p99) = commits(&log, 1, false);
        let after = raw(&env, &other);
        println!(
            "1 committer {rate:>9.0}/s p99 {p99:?}; raw durable 4 KiB writes {before:.0} and {after:.0}/s; ratio {:.3}",
            rate * 2.0 / (before + after)
        );
    }
    for threads in [2, 4, 8, 32, 64] {
        let flushes = log.options().counters.log_flushes.get();
        let (rate, p99) = commits(&log, threads, false);
        let flushes = log.options().counters.log_flushes.get() - flushes;
        let device = raw_threads(&env, &other, threads.min(4));
        println!(
            "{threads} committers {rate:>9.0}/s p99 {p99:?}, {:.0} flushes/s; raw with {} threads {device:.0}/s",
            flushes as f64 / SECOND.as_secs_f64(),
            threads.min(4)
        );
    }

    let writer = {
        let log = Arc::clone(&log);
        std::thread::spawn(move || log.run_writer())
    };
    let flushes = log.options().counters.log_flushes.get();
    let (rate, p99) = commits(&log, 1, true);
    let flushes = log.options().counters.log_flushes.get() - flushes;
    println!("delayed commits (3 records) {rate:>9.0}/s p99 {p99:?}, {flushes} flushes");

    let header = RecordHeader {
        page: PageId::new(1, 80),
        hobt: HobtId(72),
        lock_hash: 5,
        ..RecordHeader::new(Lop::InsertRows, Lcx::Clustered)
    };
    let start = Instant::now();
    let mut n = 0u64;
    let payload = [1; 60];
    while start.elapsed() < SECOND {
        let mut tx = TxLog::new(TransactionId(n));
        for _ in 0..1000 {
            log.append(&mut tx, &header, &[&payload], Reserve::undo(8)).unwrap();
        }
        n += 1000;
        log.release(&mut tx);
        log.set_checkpoint(log.durable());
        log.truncate();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("appends of 112 bytes without waiting: {:.0}/s", n as f64 / seconds);
    log.flush(FlushReason::Request).unwrap();
    log.stop_writer();
    writer.join().unwrap();
}
