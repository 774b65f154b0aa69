//! One record of the log: from the cache, from the file; what readers cost appenders; and how quick a list of closed blocks could be.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use taffrail_base::{HobtId, LogPos, PageId, TransactionId};
use taffrail_io::Env;
use taffrail_log::{
    FlushReason, Growth, Lcx, Log, LogFileSpec, LogOptions, Lop, RecordHeader, Reserve, TxLog,
};

use crate::{Numbers, cpu_ns, median};

const RECORDS: usize = 1_000_000;
const ROUND: Duration = Duration::from_millis(300);

fn header(row: u64) -> RecordHeader {
    RecordHeader {
        page: PageId::new(1, 80 + row as u32 / 80),
        hobt: HobtId(72),
        lock_hash: row,
        ..RecordHeader::new(Lop::ModifyRow, Lcx::Clustered)
    }
}

fn append(log: &Log, row: u64, transaction: u64) -> LogPos {
    let mut tx = TxLog::new(TransactionId(transaction));
    let begin = RecordHeader::new(Lop::BeginXact, Lcx::Null);
    log.append(&mut tx, &begin, &[&[0; 24]], Reserve::NONE).unwrap();
    let at = log.append(&mut tx, &header(row), &[&[1; 39]], Reserve::undo(12)).unwrap();
    let commit = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    log.append(&mut tx, &commit, &[&[0; 8]], Reserve::NONE).unwrap();
    log.release(&mut tx);
    at
}

/// Nanoseconds of processor that a fetch takes, by threads.
fn fetches(log: &Log, at: &[LogPos], threads: u64, each: usize, ordered: bool) -> f64 {
    let ns: u64 = std::thread::scope(|s| {
        let all: Vec<_> = (0..threads)
            .map(|t| {
                s.spawn(move || {
                    let mut numbers = Numbers(t);
                    let before = cpu_ns();
                    for i in 0..each {
                        let n = match ordered {
                            true => at.len() - 1 - i % at.len(),
                            false => numbers.below(at.len() as u64) as usize,
                        };
                        black_box(log.fetch(at[n]).unwrap());
                    }
                    cpu_ns() - before
                })
            })
            .collect();
        all.into_iter().map(|t| t.join().unwrap()).sum()
    });
    ns as f64 / (threads as f64 * each as f64)
}

/// Commits of eight appenders beside 16 threads, nanoseconds of their processors a commit, and calls of the threads' work.
fn beside(log: &Log, work: &(dyn Fn(u64) + Sync)) -> [f64; 3] {
    let stop = AtomicBool::new(false);
    let [commits, ns, done] = [const { AtomicU64::new(0) }; 3];
    std::thread::scope(|s| {
        for t in 0..16 {
            let (stop, done) = (&stop, &done);
            s.spawn(move || {
                let mut n = 0;
                while !stop.load(Ordering::Relaxed) {
                    n += 1;
                    work(t << 32 | n);
                }
                done.fetch_add(n, Ordering::Relaxed);
            });
        }
        for t in 0..8u64 {
            let (stop, commits, ns) = (&stop, &commits, &ns);
            s.spawn(move || {
                let before = cpu_ns();
                let mut n = 0;
                while !stop.load(Ordering::Relaxed) {
                    append(log, n, 1 << 40 | t << 32 | n);
                    n += 1;
                }
                ns.fetch_add(cpu_ns() - before, Ordering::Relaxed);
                commits.fetch_add(n, Ordering::Relaxed);
            });
        }
        std::thread::sleep(ROUND);
        stop.store(true, Ordering::Relaxed);
    });
    log.set_checkpoint(log.durable());
    let [commits, ns, done] = [commits, ns, done].map(|n| n.into_inner() as f64);
    [commits / ROUND.as_secs_f64(), ns / commits.max(1.0), done / ROUND.as_secs_f64()]
}

/// Records as blocks of 60 KB in a list that nobody locks: a search for the block, a place in it, a copy.
struct ClosedBlocks {
    firsts: Vec<u64>,
    blocks: Vec<Arc<(Vec<u8>, Vec<u32>)>>,
}

fn closed(records: usize) -> ClosedBlocks {
    let mut list = ClosedBlocks { firsts: Vec::new(), blocks: Vec::new() };
    let mut n = 0;
    while n < records {
        list.firsts.push(n as u64);
        let slots = (0..550).map(|i| i * 109).collect();
        list.blocks.push(Arc::new((vec![1; 60_000], slots)));
        n += 550;
    }
    list
}

fn from_list(list: &ClosedBlocks, each: usize) -> f64 {
    let mut numbers = Numbers(3);
    let before = cpu_ns();
    let mut to = Vec::with_capacity(128);
    for _ in 0..each {
        let n = numbers.below(list.firsts.len() as u64 * 550);
        let block = list.firsts.partition_point(|first| *first <= n) - 1;
        let held = list.blocks[block].clone();
        let at = held.1[(n - list.firsts[block]) as usize] as usize;
        to.clear();
        to.extend_from_slice(&held.0[at..at + 104]);
        black_box(&to);
    }
    (cpu_ns() - before) as f64 / each as f64
}

pub fn run(dir: &Path) {
    let env = Env::os();
    env.disk.create_dir(dir).unwrap();
    let path = dir.join("versions_log.ldf");
    if env.disk.exists(&path).unwrap() {
        env.disk.remove(&path).unwrap();
    }
    let spec = LogFileSpec { growth: Growth::None, ..LogFileSpec::new(&path, 1 << 30) };
    let log = Log::create(&env, &[spec], LogOptions::default(), [1; 16]).unwrap();
    let writer = {
        let log = Arc::clone(&log);
        std::thread::spawn(move || log.run_writer())
    };
    let mut at = Vec::with_capacity(RECORDS);
    for n in 0..RECORDS as u64 {
        at.push(append(&log, n % 1000, 1 + n));
    }
    log.flush(FlushReason::Request).unwrap();
    let bytes = at[RECORDS - 1].block().0 - at[0].block().0;
    println!(
        "{RECORDS} commits of one modification: {} MB, {:.0} bytes each",
        bytes >> 20,
        bytes as f64 / RECORDS as f64
    );

    let recent = &at[RECORDS - 2_000..];
    let last: Vec<LogPos> = at[RECORDS - 400_000..].to_vec();
    println!("ns a fetch (processor)");
    for threads in [1, 4, 16] {
        let cached = median(
            (0..5)
                .map(|_| fetches(&log, recent, threads, 2_000_000 / threads as usize, false))
                .collect(),
        );
        let behind = median(
            (0..3)
                .map(|_| fetches(&log, &last, threads, 1_600_000 / threads as usize, true))
                .collect(),
        );
        let random = fetches(&log, &last, threads, 1_600 / threads as usize, false);
        println!(
            "{threads:3} threads: cached {cached:8.0}   backwards through 100 MB {behind:8.0}   anywhere in it {random:10.0}"
        );
    }
    let list = closed(400_000);
    println!("a list of closed blocks, anywhere in 44 MB: {:.0}", from_list(&list, 5_000_000));

    compare(&log, recent, &last, &list);
    log.flush(FlushReason::Request).unwrap();
    log.stop_writer();
    writer.join().unwrap();
}

/// Appenders beside threads that fetch, in turn with others.
fn compare(log: &Log, recent: &[LogPos], last: &[LogPos], list: &ClosedBlocks) {
    let compute = |n: u64| {
        black_box((0..200).fold(n, |a, b| a.rotate_left(7) ^ b));
    };
    let fetch_cached = |n: u64| drop(black_box(log.fetch(recent[n as usize % recent.len()])));
    let fetch_old = |n: u64| {
        let back = n as usize % 100_000;
        drop(black_box(log.fetch(last[last.len() - 1 - back])));
    };
    let own = |n: u64| {
        let block = (n as usize).wrapping_mul(7) % list.blocks.len();
        let held = list.blocks[block].clone();
        black_box(held.0[held.1[n as usize % 550] as usize]);
    };
    let works: [(&str, &(dyn Fn(u64) + Sync)); 4] = [
        ("compute", &compute),
        ("fetch what was cached", &fetch_cached),
        ("fetch from the file", &fetch_old),
        ("take from a list", &own),
    ];
    let mut rounds = [const { Vec::new() }; 4];
    for _ in 0..7 {
        for (work, rounds) in works.iter().zip(&mut rounds) {
            rounds.push(beside(log, work.1));
        }
    }
    println!("8 appenders beside 16 threads that …      commits/s   ns a commit   their own/s");
    for ((name, _), rounds) in works.iter().zip(&rounds) {
        let of = |n: usize| median(rounds.iter().map(|r| r[n]).collect());
        println!("{name:38} {:12.0} {:13.0} {:13.0}", of(0), of(1), of(2));
    }
}
