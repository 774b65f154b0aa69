//! Many committing threads: nobody sleeps for ever, an acknowledged commit survives a power cut in the middle of several
//! writes in flight, a failed write reaches everybody.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use taffrail_base::{LogPos, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimWorld};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Lcx, Log, LogFileSpec, LogOptions, Lop, RecordHeader,
    Reserve, ReuseWait, TxLog,
};

fn path() -> PathBuf {
    "/db_log.ldf".into()
}

/// A commit with a number; its position if it was acknowledged.
fn commit(log: &Log, n: u64) -> Option<LogPos> {
    let mut tx = TxLog::new(TransactionId(n));
    let header = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    let pos = match log.append(&mut tx, &header, &[&n.to_le_bytes()], Reserve::NONE) {
        Ok(pos) => pos,
        Err(AppendError::LogUnavailable) => return None,
        Err(e) => panic!("{e}"),
    };
    log.harden(pos, FlushReason::Commit).ok()?;
    assert!(log.durable() > pos);
    Some(pos)
}

/// Runs `f` on so many threads; panics if they do not all end in time.
fn on_threads(n: u64, f: impl Fn(u64) + Send + Sync + 'static) {
    let f = Arc::new(f);
    let left = Arc::new(AtomicU64::new(n));
    for t in 0..n {
        let (f, left) = (Arc::clone(&f), Arc::clone(&left));
        std::thread::spawn(move || {
            f(t);
            left.fetch_sub(1, Ordering::SeqCst);
        });
    }
    let start = Instant::now();
    while left.load(Ordering::SeqCst) > 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "a thread was never woken");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn acknowledged_commits_survive_a_power_cut_under_load() {
    for round in 0..60 {
        let world = SimWorld::new(round);
        let spec = LogFileSpec { growth: Growth::None, ..LogFileSpec::new(path(), 4 << 20) };
        let log = Log::create(&world.env(), &[spec], LogOptions::default(), [1; 16]).unwrap();
        let anchor = log.anchor_at(log.appended()).unwrap();
        let acknowledged: Arc<Mutex<Vec<(LogPos, u64)>>> = Arc::default();
        world.crash_at(20 + round * 5);
        {
            let acknowledged = Arc::clone(&acknowledged);
            let log = Arc::clone(&log);
            on_threads(8, move |t| {
                for n in 0..100_000 {
                    let n = t << 32 | n;
                    match commit(&log, n) {
                        Some(pos) => acknowledged.lock().unwrap().push((pos, n)),
                        None => break,
                    }
                }
            });
        }
        assert!(log.is_failed());
        world.restart();
        let mut survived = std::collections::HashMap::new();
        let opened = Log::open_with(&world.env(), &[path()], LogOptions::default(), &anchor, |r| {
            survived.insert(r.pos, u64::from_le_bytes(r.payload.try_into().unwrap()));
            Ok(())
        });
        if let Err(e) = opened {
            panic!("round {round}: {e}");
        }
        for (pos, n) in acknowledged.lock().unwrap().iter() {
            assert_eq!(survived.get(pos), Some(n), "round {round}");
        }
    }
}

/// A transaction of some 60 KB to 2 MB; the position of its commit if it was acknowledged.
fn bulk(log: &Log, n: u64) -> Option<LogPos> {
    let mut tx = TxLog::new(TransactionId(n));
    let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
    for _ in 0..1 + n % 40 {
        match log.append(&mut tx, &header, &[&n.to_le_bytes(), &[7; 50_000]], Reserve::NONE) {
            Ok(_) => {}
            Err(AppendError::LogUnavailable) => return None,
            Err(e) => panic!("{e}"),
        }
    }
    let pos = commit(log, n);
    log.release(&mut tx);
    pos
}

#[test]
fn what_is_acknowledged_beside_bulk_work_survives_a_power_cut() {
    for round in 0..40 {
        let world = SimWorld::new(round);
        let growth = Growth::Bytes(8 << 20);
        let spec = LogFileSpec { growth, ..LogFileSpec::new(path(), 8 << 20) };
        let buffers = if round % 4 == 0 { 5 } else { 128 };
        let options = LogOptions { buffers, always_plain: true, ..LogOptions::default() };
        let log = Log::create(&world.env(), &[spec], options, [1; 16]).unwrap();
        let anchor = log.anchor_at(log.appended()).unwrap();
        // The anchor of a log that is never truncated stays good.
        let pos = log.oldest();
        log.register_holder(Box::new(move || Some(Hold { wait: ReuseWait::LogBackup, pos })));
        let acknowledged: Arc<Mutex<Vec<(LogPos, u64)>>> = Arc::default();
        world.crash_at(40 + round * 9);
        let workers = [Log::run_writer as fn(&Log), Log::run_ahead].map(|run| {
            let log = Arc::clone(&log);
            std::thread::spawn(move || run(&log))
        });
        {
            let acknowledged = Arc::clone(&acknowledged);
            let log = Arc::clone(&log);
            on_threads(5, move |t| {
                for n in 0..100_000 {
                    let n = t << 32 | n;
                    let done = if t < 2 { bulk(&log, n) } else { commit(&log, n) };
                    match done {
                        Some(pos) => acknowledged.lock().unwrap().push((pos, n)),
                        None => break,
                    }
                }
            });
        }
        assert!(log.is_failed());
        log.close();
        workers.into_iter().for_each(|w| w.join().unwrap());
        world.restart();
        let mut survived = std::collections::HashMap::new();
        let opened = Log::open_with(&world.env(), &[path()], LogOptions::default(), &anchor, |r| {
            survived.insert(r.pos, u64::from_le_bytes(r.payload[..8].try_into().unwrap()));
            Ok(())
        });
        if let Err(e) = opened {
            panic!("round {round}: {e}");
        }
        for (pos, n) in acknowledged.lock().unwrap().iter() {
            assert_eq!(survived.get(pos), Some(n), "round {round}");
        }
    }
}

#[test]
fn nobody_sleeps_for_ever() {
    let world = SimWorld::new(1);
    let spec = LogFileSpec { growth: Growth::None, ..LogFileSpec::new(path(), 8 << 20) };
    let options = LogOptions { flushes_in_flight: 2, buffers: 4, ..LogOptions::default() };
    let log = Log::create(&world.env(), &[spec], options, [1; 16]).unwrap();
    let shared = Arc::clone(&log);
    on_threads(16, move |t| {
        for n in 0..2000 {
            assert!(commit(&shared, t << 32 | n).is_some());
            shared.set_checkpoint(LogPos(shared.durable().0.saturating_sub(1 << 20)));
            if n % 64 == 0 {
                shared.truncate();
            }
        }
    });
    let flushes = log.options().counters.log_flushes.get();
    assert!(flushes < 32_000, "commits shared flushes: {flushes}");
    // A commit that another's flush made durable before it asked has not waited.
    assert!(log.options().counters.log_flush_waits.get() > 16_000);
}

#[test]
fn a_failed_write_reaches_everybody() {
    for round in 1..20 {
        let world = SimWorld::new(round);
        let spec = LogFileSpec::new(path(), 1 << 20);
        let log = Log::create(&world.env(), &[spec], LogOptions::default(), [1; 16]).unwrap();
        world.inject(Fault {
            nth: round * 3,
            kind: Some(IoKind::WriteDurable),
            path_contains: String::new(),
            fault: FaultKind::Io,
            sticky: false,
        });
        let shared = Arc::clone(&log);
        on_threads(8, move |t| while commit(&shared, t).is_some() {});
        assert!(log.is_failed());
    }
}

#[test]
fn a_writer_thread_keeps_the_window_and_stops() {
    let world = SimWorld::new(2);
    let spec = LogFileSpec { growth: Growth::None, ..LogFileSpec::new(path(), 16 << 20) };
    let log = Log::create(&world.env(), &[spec], LogOptions::default(), [1; 16]).unwrap();
    let writer = std::thread::spawn({
        let log = Arc::clone(&log);
        move || log.run_writer()
    });
    let mut tx = TxLog::new(TransactionId(1));
    let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
    let mut pos = LogPos::ZERO;
    for _ in 0..30_000 {
        pos = log.append(&mut tx, &header, &[&[1; 100]], Reserve::undo(8)).unwrap();
    }
    log.release(&mut tx);
    log.request_lazy();
    let start = Instant::now();
    while log.durable() <= pos {
        world.clock().advance(Duration::from_millis(1));
        assert!(start.elapsed() < Duration::from_secs(20), "the writer does not write");
        std::thread::sleep(Duration::from_millis(1));
    }
    log.stop_writer();
    writer.join().unwrap();
}
