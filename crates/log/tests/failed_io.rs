//! A write or sync of a log file that has failed stays failed, whoever's it was: nobody commits between the failure and the moment at which
//! its caller hears of it, nor at any time after it; and what was durable before is there when the log is opened anew.

use crate::rig;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use taffrail_base::{LogPos, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, HookedDisk, IoKind};
use taffrail_log::{
    FlushReason, Growth, Hold, Lcx, Log, LogAnchor, LogOptions, Lop, RecordHeader, Reserve,
    ReuseWait, TxLog,
};

use rig::{spec, world};

const PATH: &str = "/a_log.ldf";
const ADDED: &str = "/b_log.ldf";

/// A commit: durable, or an error.
fn commit(log: &Log) -> Result<LogPos, String> {
    let mut tx = TxLog::new(TransactionId(1));
    let header = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    let pos = log
        .append(&mut tx, &header, &[&[7; 600]], Reserve::NONE)
        .map_err(|_| "append".to_owned())?;
    log.release(&mut tx);
    log.harden(pos, FlushReason::Commit).map_err(|e| e.to_string())?;
    Ok(pos)
}

/// What is under way when something fails.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// Zeroes ahead of the head, and what makes them count.
    Zero,
    Grow,
    /// Growth that an append asks for, with the reservation of what comes after it.
    GrowOnDemand,
    Options,
    AddFile,
}

const WORK: [Work; 5] = [Work::Zero, Work::Grow, Work::GrowOnDemand, Work::Options, Work::AddFile];

fn prepare(log: &Log, work: Work) {
    if let Work::Zero = work {
        log.grow_file(0, 4 << 20).unwrap();
    }
}

fn run(log: &Log, work: Work) {
    // What fails is told to whoever commits, too.
    match work {
        Work::Zero => {
            while log.begin_ahead() {
                log.end_ahead();
            }
            log.sync_ahead();
        }
        Work::Grow => drop(log.grow_file(0, 4 << 20)),
        Work::GrowOnDemand => {
            let size = log.files()[0].size;
            while log.files()[0].size == size && commit(log).is_ok() {}
        }
        Work::Options => drop(log.set_file_options(0, Growth::Bytes(2 << 20), 64 << 20)),
        Work::AddFile => drop(log.add_file(&spec(ADDED, 512, Growth::None))),
    }
}

/// The n-th operation of a kind fails, once. False: there is none.
fn fails(work: Work, kind: IoKind, fault: FaultKind, nth: u64) -> bool {
    let what = format!("{work:?}, {fault:?} at {kind:?} {nth}");
    let world = world(nth, nth.is_multiple_of(2));
    let (struck, gone_on) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let mut env = world.env();
    let (hook_struck, hook_gone_on) = (struck.clone(), gone_on.clone());
    env.disk = Arc::new(HookedDisk::new(env.disk.clone(), move |_, result| {
        if result.is_err() && !hook_struck.swap(true, Ordering::SeqCst) {
            // Others go on meanwhile; unless they wait for this very thread.
            let patience = Instant::now() + Duration::from_millis(50);
            while !hook_gone_on.load(Ordering::SeqCst) && Instant::now() < patience {
                std::thread::yield_now();
            }
        }
        result
    }));
    let specs = [spec(PATH, 512, Growth::Bytes(1 << 20))];
    let options = LogOptions::default();
    let log = Log::create(&env, &specs, options.clone(), [9; 16]).unwrap();
    let first = log.appended();
    let anchor: LogAnchor = log.anchor_at(first).unwrap();
    log.register_holder(Box::new(move || Some(Hold { wait: ReuseWait::LogBackup, pos: first })));
    prepare(&log, work);
    let mut durable: Vec<LogPos> = (0..3).map(|_| commit(&log).unwrap()).collect();
    world.inject(Fault { nth, kind: Some(kind), path_contains: PATH.into(), fault, sticky: false });
    let beside = std::thread::scope(|s| {
        let other = s.spawn(|| run(&log, work));
        while !struck.load(Ordering::SeqCst) && !other.is_finished() {
            std::thread::yield_now();
        }
        let struck = struck.load(Ordering::SeqCst);
        let beside = struck.then(|| commit(&log));
        gone_on.store(true, Ordering::SeqCst);
        other.join().unwrap();
        beside
    });
    let met = world.stats().faults > 0;
    world.clear_faults();
    let after: Vec<Result<LogPos, String>> = (0..3).map(|_| commit(&log)).collect();
    if met {
        assert!(beside.is_none_or(|c| c.is_err()), "{what}: acknowledged beside it");
        assert!(after.iter().all(Result::is_err), "{what}: acknowledged after it: {after:?}");
    } else {
        durable.extend(after.into_iter().map(Result::unwrap));
    }
    drop((log, env));
    world.restart();
    let mut there = Vec::new();
    let env = world.env();
    let mut paths = vec![PathBuf::from(PATH)];
    paths.extend(Some(PathBuf::from(ADDED)).filter(|p| env.disk.exists(p).unwrap()));
    Log::open_with(&env, &paths, options, &anchor, |r| {
        there.push(r.pos);
        Ok(())
    })
    .unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(durable.iter().all(|pos| there.contains(pos)), "{what}: {durable:?} of {there:?}");
    met
}

/// A write without room is refused, and no failure; a sync without room is one: there was room for what had been written.
const FAULTS: [(IoKind, FaultKind); 4] = [
    (IoKind::Sync, FaultKind::Io),
    (IoKind::Sync, FaultKind::Full),
    (IoKind::Write, FaultKind::Io),
    (IoKind::WriteDurable, FaultKind::Io),
];

#[test]
fn what_has_failed_once_stays_failed_for_every_commit() {
    for work in WORK {
        let mut met = 0;
        for (kind, fault) in FAULTS {
            met += (1..).take_while(|&nth| fails(work, kind, fault, nth)).count();
        }
        println!("{work:?}: {met} places");
        assert!(met > 0, "{work:?}: nothing failed");
    }
}
