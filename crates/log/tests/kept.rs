//! Log before the anchor that is needed all the same: found again by a restart, whatever a crash did to the headers.

use std::path::PathBuf;
use std::sync::Arc;

use taffrail_base::{LogPos, TransactionId};
use taffrail_io::OpenSpec;
use taffrail_io::sim::{SimRng, SimWorld};
use taffrail_log::{
    FlushReason, Growth, Hold, Lcx, Log, LogAnchor, LogFileSpec, LogOptions, Lop, OpenReport,
    RecordHeader, Reserve, ReuseWait, TxLog, VlfStatus,
};

fn paths() -> Vec<PathBuf> {
    vec!["/a.ldf".into(), "/b.ldf".into()]
}

fn create(world: &SimWorld) -> Arc<Log> {
    let files = paths();
    let spec = |p: &PathBuf| LogFileSpec {
        growth: Growth::Bytes(512 << 10),
        ..LogFileSpec::new(p.clone(), 1 << 20)
    };
    let specs: Vec<LogFileSpec> = files.iter().map(spec).collect();
    Log::create(&world.env(), &specs, LogOptions::default(), [7; 16]).unwrap()
}

/// Appends so many records of 4 KB, and hardens them. Returns the last one's position.
fn fill(log: &Log, records: usize) -> LogPos {
    let mut tx = TxLog::new(TransactionId(1));
    let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
    let mut last = LogPos::ZERO;
    for _ in 0..records {
        last = log.append(&mut tx, &header, &[&[3; 4000]], Reserve::NONE).unwrap();
    }
    let end = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    log.append(&mut tx, &end, &[], Reserve::NONE).unwrap();
    log.release(&mut tx);
    log.flush(FlushReason::Commit).unwrap();
    last
}

fn records(log: &Arc<Log>, from: LogPos) -> usize {
    let mut reader = log.reader(from).unwrap();
    let mut n = 0;
    while reader.next().unwrap().is_some() {
        n += 1;
    }
    n
}

fn hold(log: &Log, pos: LogPos) {
    log.register_holder(Box::new(move || Some(Hold { wait: ReuseWait::LogBackup, pos })));
}

fn reopen(world: &SimWorld, anchor: &LogAnchor, keep: LogPos) -> (Arc<Log>, OpenReport) {
    world.restart();
    let options = LogOptions::default();
    Log::open_keeping(&world.env(), &paths(), options, anchor, keep, |_| Ok(())).unwrap()
}

/// Active VLFs: number, file, offset.
fn active(log: &Log) -> Vec<(u32, usize, u64)> {
    let vlfs = log.vlfs().into_iter().filter(|v| v.status == VlfStatus::Active);
    let mut all: Vec<_> = vlfs.map(|v| (v.seqno.0, v.file, v.offset)).collect();
    all.sort_unstable();
    all
}

/// Makes what a torn write may leave of a VLF's header.
fn tear_header(world: &SimWorld, (_, file, offset): (u32, usize, u64)) {
    let volume = world.env().disk.open(&paths()[file], OpenSpec::LOG).unwrap();
    let junk = taffrail_io::AlignedBuf::zeroed(4096);
    volume.write_at(offset + 4096, &junk).unwrap();
    volume.sync().unwrap();
}

/// A log that has gone round: a position that is kept, and the anchor of a much later one.
fn gone_round(world: &SimWorld, rng: &mut SimRng) -> (Arc<Log>, LogPos, LogAnchor) {
    let log = create(world);
    for _ in 0..rng.below(4) {
        let last = fill(&log, 100 + rng.below(200) as usize);
        log.set_checkpoint(last);
        log.truncate();
    }
    let keep = match rng.one_in(2) {
        true => log.durable(),
        false => fill(&log, 1 + rng.below(20) as usize),
    };
    hold(&log, keep);
    let last = fill(&log, 150 + rng.below(400) as usize);
    let anchor = log.anchor_at(last).unwrap();
    log.set_checkpoint(last);
    log.truncate();
    fill(&log, rng.below(60) as usize);
    (log, keep, anchor)
}

#[test]
fn a_restart_keeps_what_is_needed_before_the_anchor() {
    for seed in 0..60 {
        let world = SimWorld::new(seed);
        let mut rng = SimRng::new(seed);
        let (log, keep, anchor) = gone_round(&world, &mut rng);
        let (want, vlfs) = (records(&log, keep), active(&log));
        assert!(vlfs.len() > 2, "seed {seed}");
        let parities = |log: &Log| {
            let vlfs = log.vlfs().into_iter().filter(|v| v.status == VlfStatus::Active);
            vlfs.map(|v| v.parity).collect::<Vec<_>>()
        };
        let before = parities(&log);
        drop(log);
        // Without being asked for, the log begins with the anchor.
        let (log, _) = reopen(&world, &anchor, LogPos::MAX);
        assert!(log.oldest() > keep && log.lsn(keep).is_none());
        drop(log);
        if rng.one_in(2) {
            tear_header(&world, vlfs[rng.below(vlfs.len() as u64) as usize]);
        }
        let (log, report) = reopen(&world, &anchor, keep);
        log.check_vlfs().unwrap();
        assert!(report.kept && report.records < want as u64, "seed {seed}");
        assert_eq!(active(&log), vlfs, "seed {seed}");
        assert_eq!(parities(&log), before, "seed {seed}");
        assert_eq!(records(&log, keep), want, "seed {seed}");
        // It stays while it is held, through growth and the next restart, and then it goes.
        hold(&log, keep);
        let last = fill(&log, 300);
        log.truncate();
        let anchor = log.anchor_at(last).unwrap();
        let want = records(&log, keep);
        drop(log);
        let (log, report) = reopen(&world, &anchor, keep);
        log.check_vlfs().unwrap();
        assert!(report.kept);
        assert_eq!(records(&log, keep), want, "seed {seed}");
        log.truncate();
        assert!(log.lsn(keep).is_none());
        log.check_vlfs().unwrap();
    }
}

#[test]
fn what_is_not_there_any_more_is_not_kept() {
    for seed in 0..20 {
        let world = SimWorld::new(seed);
        let mut rng = SimRng::new(seed);
        let (log, keep, anchor) = gone_round(&world, &mut rng);
        let vlfs = active(&log);
        drop(log);
        if rng.one_in(2) {
            // The first block of a VLF in the middle is damaged.
            let between = vlfs.iter().filter(|v| v.0 < anchor.lsn().vlf.0).count() as u64;
            if between < 2 {
                continue;
            }
            let (_, file, offset) = vlfs[1 + rng.below(between - 1) as usize];
            world.flip_bit(&paths()[file], offset + 8192 + 1, 3).unwrap();
        } else {
            // Nobody held it: others have been there.
            let (log, _) = reopen(&world, &anchor, LogPos::MAX);
            let free = log.vlfs().iter().filter(|v| v.status != VlfStatus::Active).count();
            fill(&log, free * 64);
        }
        let (log, report) = reopen(&world, &anchor, keep);
        log.check_vlfs().unwrap();
        assert!(!report.kept, "seed {seed}");
        assert!(log.oldest() > keep);
        fill(&log, 100);
    }
}
