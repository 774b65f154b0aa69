//! How long a delayed durable commit stays where a crash would lose it: `loss_window FILE [seconds]`.
//!
//! A client commits with delayed durability, as fast as it can and then about a thousand times a second, while a watcher
//! notes when each commit's block has become durable. The age is what the watcher saw, so its own delay is in it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use taffrail_base::{LogPos, TransactionId};
use taffrail_io::Env;
use taffrail_log::{Lcx, Log, LogFileSpec, LogOptions, Lop, RecordHeader, Reserve, TxLog};

fn commit(log: &Log, id: u64) -> LogPos {
    let mut tx = TxLog::new(TransactionId(id));
    let insert = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
    log.append(&mut tx, &insert, &[&[7; 100]], Reserve::NONE).unwrap();
    let commit = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    let pos = log.append(&mut tx, &commit, &[&[0; 8]], Reserve::NONE).unwrap();
    log.release(&mut tx);
    log.request_lazy();
    pos
}

/// Ages of the commits at the moment that they were seen to be durable.
fn run(log: &Log, time: Duration, pause: Duration) -> Vec<Duration> {
    let pending = Mutex::new(VecDeque::new());
    let done = AtomicBool::new(false);
    std::thread::scope(|s| {
        s.spawn(|| {
            let start = Instant::now();
            for id in 1.. {
                if start.elapsed() >= time {
                    break;
                }
                let pos = commit(log, id);
                pending.lock().unwrap().push_back((pos, Instant::now()));
                if id % 10_000 == 0 {
                    log.set_checkpoint(log.durable());
                    log.truncate();
                }
                if !pause.is_zero() {
                    std::thread::sleep(pause);
                } else if id % 64 == 0 {
                    // The watcher shares the queue.
                    std::thread::yield_now();
                }
            }
            done.store(true, Ordering::Release);
        });
        let mut ages = Vec::new();
        loop {
            let ended = done.load(Ordering::Acquire);
            let durable = log.durable();
            let now = Instant::now();
            let mut waiting = pending.lock().unwrap();
            while let Some(&(pos, at)) = waiting.front()
                && pos < durable
            {
                ages.push(now - at);
                waiting.pop_front();
            }
            let empty = waiting.is_empty();
            drop(waiting);
            if ended && empty {
                return ages;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    })
}

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(path) = args.next().map(PathBuf::from) else {
        eprintln!("loss_window FILE [seconds]");
        std::process::exit(2);
    };
    let time = Duration::from_secs(args.next().and_then(|s| s.parse().ok()).unwrap_or(5));
    let env = Env::os();
    let log = Log::create(
        &env,
        &[LogFileSpec::new(path.clone(), 256 << 20)],
        LogOptions::default(),
        [1; 16],
    );
    let log = log.expect("a new log");
    let writer = Arc::clone(&log);
    let writer = std::thread::spawn(move || writer.run_writer());
    println!("| commits | a second | p50 | p99 | p99.9 | longest | commits a write |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let cases =
        [("as fast as they come", Duration::ZERO), ("one after 1 ms", Duration::from_millis(1))];
    for (name, pause) in cases {
        let flushes = log.options().counters.log_flushes.get();
        let mut ages = run(&log, time, pause);
        let flushes = log.options().counters.log_flushes.get() - flushes;
        ages.sort_unstable();
        let at = |q: f64| ages[((ages.len() - 1) as f64 * q) as usize].as_secs_f64() * 1e3;
        println!(
            "| {name} | {:.0} | {:.2} ms | {:.2} ms | {:.2} ms | {:.2} ms | {:.0} |",
            ages.len() as f64 / time.as_secs_f64(),
            at(0.5),
            at(0.99),
            at(0.999),
            at(1.0),
            ages.len() as f64 / flushes as f64
        );
    }
    log.stop_writer();
    writer.join().expect("the log's writer");
    log.close();
    env.disk.remove(&path).expect("the log's file goes");
}
