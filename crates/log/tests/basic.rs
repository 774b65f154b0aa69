//! Append, harden, read, reopen; fetch; full log and its healing; delayed durability. On the simulated disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{LogPos, Lsn, PageId, TransactionId};
use taffrail_io::sim::SimWorld;
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Lcx, Log, LogFileSpec, LogOptions, Lop, RecordFlags,
    RecordHeader, Reserve, ReuseWait, TxLog, VlfStatus,
};

fn path() -> PathBuf {
    "/db_log.ldf".into()
}

fn create(world: &SimWorld, size: u64, growth: Growth) -> Arc<Log> {
    let spec = LogFileSpec { growth, ..LogFileSpec::new(path(), size) };
    Log::create(&world.env(), &[spec], LogOptions::default(), [7; 16]).unwrap()
}

fn begin(log: &Log, id: u64) -> TxLog {
    let mut tx = TxLog::new(TransactionId(id));
    let header = RecordHeader::new(Lop::BeginXact, Lcx::Null);
    log.append(&mut tx, &header, &[b"begin"], Reserve::NONE).unwrap();
    tx
}

fn insert(log: &Log, tx: &mut TxLog, data: &[u8]) -> Result<LogPos, AppendError> {
    let header =
        RecordHeader { page: PageId::new(1, 80), ..RecordHeader::new(Lop::InsertRows, Lcx::Heap) };
    log.append(tx, &header, &[data], Reserve::undo(8))
}

fn commit(log: &Log, tx: &mut TxLog) -> LogPos {
    let header = RecordHeader::new(Lop::CommitXact, Lcx::Null);
    let pos = log.append(tx, &header, &[], Reserve::NONE).unwrap();
    log.release(tx);
    pos
}

/// Undoes a transaction the way storage does: backward along its chain, one compensation record each.
fn roll_back(log: &Log, tx: &mut TxLog) {
    let mut at = tx.undo_next;
    while !at.is_zero() {
        let record = log.fetch(at).unwrap();
        assert_eq!((record.pos, record.header.txn), (at, tx.id));
        at = if record.header.is_compensation() {
            record.header.undo_next
        } else {
            record.header.prev
        };
        if record.header.op == Lop::InsertRows && !record.header.is_compensation() {
            let header = RecordHeader {
                op: Lop::DeleteRows,
                flags: RecordFlags::COMPENSATION,
                undo_next: at,
                prev: LogPos::ZERO,
                ..record.header
            };
            log.append(tx, &header, &[&[0; 8]], Reserve::NONE).unwrap();
        }
    }
    let header = RecordHeader::new(Lop::AbortXact, Lcx::Null);
    log.append(tx, &header, &[], Reserve::NONE).unwrap();
    log.release(tx);
}

fn read_all(log: &Arc<Log>, from: LogPos) -> Vec<(LogPos, Lop, Vec<u8>)> {
    let mut reader = log.reader(from).unwrap();
    let mut out = Vec::new();
    while let Some(r) = reader.next().unwrap() {
        out.push((r.pos, r.header.op, r.payload.to_vec()));
    }
    out
}

#[test]
fn a_new_log_has_the_documented_shape() {
    let world = SimWorld::new(1);
    let log = create(&world, 8 << 20, Growth::None);
    let vlfs = log.vlfs();
    assert_eq!(
        vlfs.iter().map(|v| v.offset).collect::<Vec<_>>(),
        [8192, 2_039_808, 4_071_424, 6_103_040]
    );
    assert_eq!(
        (vlfs[0].status, vlfs[0].parity, vlfs[1].status),
        (VlfStatus::Active, 64, VlfStatus::Unused)
    );
    let mut tx = begin(&log, 1);
    assert_eq!(log.lsn(tx.first), Some(Lsn::new(34, 0x10, 1)));
    assert_eq!(log.pos_of(Lsn::new(34, 0x10, 1)), Some(tx.first));
    commit(&log, &mut tx);
    log.flush(FlushReason::Commit).unwrap();
    let mut tx = begin(&log, 2);
    assert_eq!(log.lsn(tx.first), Some(Lsn::new(34, 0x18, 1)), "a flush fills its 4 KiB sector");
    commit(&log, &mut tx);
    assert_eq!(log.space().used, 8192 + 8192);
}

#[test]
fn what_is_hardened_is_there_after_a_crash_and_the_chain_goes_on() {
    let world = SimWorld::new(2);
    let log = create(&world, 1 << 20, Growth::None);
    let anchor = log.anchor_at(log.appended()).unwrap();
    let mut expect = Vec::new();
    for n in 0..40u64 {
        let mut tx = begin(&log, n);
        insert(&log, &mut tx, &n.to_le_bytes()).unwrap();
        let pos = commit(&log, &mut tx);
        if n < 30 {
            log.harden(pos, FlushReason::Commit).unwrap();
            assert!(log.durable() > pos);
            expect.push(n);
        }
    }
    drop(log);
    world.restart();
    for round in 0..3 {
        let (log, report) =
            Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).unwrap();
        assert_eq!(report.incarnation, 2 + round);
        assert_eq!(report.records as usize, expect.len() * 3);
        let got: Vec<u64> = read_all(&log, anchor.pos)
            .iter()
            .filter(|r| r.1 == Lop::InsertRows)
            .map(|r| u64::from_le_bytes(r.2[..].try_into().unwrap()))
            .collect();
        assert_eq!(got, expect);
        let n = 100 + u64::from(round);
        let mut tx = begin(&log, n);
        insert(&log, &mut tx, &n.to_le_bytes()).unwrap();
        commit(&log, &mut tx);
        log.flush(FlushReason::Request).unwrap();
        expect.push(n);
        world.restart();
    }
}

#[test]
fn single_records_are_fetched_from_the_cache_and_from_the_file() {
    let world = SimWorld::new(3);
    let spec = LogFileSpec::new(path(), 4 << 20);
    let options = LogOptions { buffers: 4, ..LogOptions::default() };
    let log = Log::create(&world.env(), &[spec], options, [7; 16]).unwrap();
    let mut tx = begin(&log, 1);
    let mut all = Vec::new();
    for n in 0..3000u64 {
        all.push((n, insert(&log, &mut tx, &[n as u8; 200]).unwrap()));
    }
    for (n, pos) in all.iter().rev() {
        let record = log.fetch(*pos).unwrap();
        assert_eq!((record.pos, &record.payload[..]), (*pos, &[*n as u8; 200][..]));
    }
    assert!(log.fetch(LogPos(all[0].1.0 + 500)).is_err());
    assert!(log.fetch(LogPos(log.appended().0 + 5)).is_err());
    roll_back(&log, &mut tx);
    assert_eq!(log.space().reserved, 0);
}

#[test]
fn a_full_log_says_so_rolls_back_and_heals() {
    for seed in 0..8 {
        let world = SimWorld::new(seed);
        let log = create(&world, 512 << 10, Growth::None);
        log.set_checkpoint(log.appended());
        let total = log.space().total;
        for round in 0..6 {
            let mut tx = begin(&log, round + 1);
            let first = tx.first;
            // A checkpoint after its begin: from now on it is the transaction that holds the log.
            log.flush(FlushReason::Checkpoint).unwrap();
            log.set_checkpoint(log.appended());
            let holder = log.register_holder(Box::new(move || {
                Some(Hold { wait: ReuseWait::ActiveTransaction, pos: first })
            }));
            let full = loop {
                match insert(&log, &mut tx, &[1; 100]) {
                    Ok(pos) if round % 2 == 0 && tx.records % 50 == 0 => {
                        log.harden(pos, FlushReason::WriteAhead).unwrap();
                    }
                    Ok(_) => {}
                    Err(e) => break e,
                }
            };
            match full {
                AppendError::LogFull { wait: ReuseWait::ActiveTransaction, holdup, growth } => {
                    assert_eq!(holdup, log.lsn(first));
                    assert!(growth.is_none());
                }
                other => panic!("{other}"),
            }
            assert!(tx.records > 500, "most of the log is usable: {}", tx.records);
            roll_back(&log, &mut tx);
            log.unregister_holder(holder);
            // The checkpoint that heals it: two records from the fixed reserve, each flushed. One that itself lies
            // across two VLFs needs a second one.
            for _ in 0..2 {
                let begin_at = log.appended();
                for op in [Lop::BeginCkpt, Lop::EndCkpt] {
                    let header = RecordHeader::new(op, Lcx::Null);
                    let pos = log.append_system(&header, &[&[0; 300]]).unwrap();
                    log.harden(pos, FlushReason::Checkpoint).unwrap();
                }
                log.set_checkpoint(begin_at);
                if log.truncate() == ReuseWait::Nothing {
                    break;
                }
            }
            assert_eq!(log.reuse_wait(), ReuseWait::Nothing);
            assert_eq!(log.space().total, total, "rollback needed no growth");
        }
        assert!(log.vlfs().iter().any(|v| v.seqno.0 > 36), "VLFs were reused");
    }
}

#[test]
fn the_log_grows_up_to_its_maximum() {
    let world = SimWorld::new(5);
    let spec = LogFileSpec {
        growth: Growth::Bytes(1 << 20),
        max_size: 3 << 20,
        ..LogFileSpec::new(path(), 1 << 20)
    };
    let log = Log::create(&world.env(), &[spec], LogOptions::default(), [7; 16]).unwrap();
    let anchor = log.anchor_at(log.appended()).unwrap();
    let mut tx = begin(&log, 1);
    let full = loop {
        if let Err(e) = insert(&log, &mut tx, &[1; 1000]) {
            break e;
        }
    };
    assert!(matches!(full, AppendError::LogFull { wait: ReuseWait::Checkpoint, .. }));
    assert_eq!(log.space().total, 3 << 20);
    assert_eq!(log.options().counters.log_growths.get(), 2);
    let grown = log.vlfs().iter().filter(|v| v.create_lsn != Lsn::ZERO).count();
    assert_eq!(grown, 2, "one VLF for each growth of at most 64 MB");
    roll_back(&log, &mut tx);
    log.flush(FlushReason::Request).unwrap();
    world.restart();
    let (log, report) = Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).unwrap();
    assert_eq!(report.records, tx.records);
    assert_eq!(log.files()[0].max_size, 3 << 20);
    log.grow_file(0, 4 << 20).unwrap_err();
    log.set_file_options(0, Growth::None, 8 << 20).unwrap();
    log.grow_file(0, 4 << 20).unwrap();
    let (vlfs, files) = (log.vlfs(), log.files()[0].size);
    world.restart();
    let (log, _) = Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).unwrap();
    assert_eq!((log.files()[0].size, files), (4 << 20, 4 << 20));
    assert_eq!(log.vlfs().len(), vlfs.len());
}

#[test]
fn a_hundred_delayed_commits_in_one_window_are_one_write() {
    let world = SimWorld::new(6);
    let log = create(&world, 1 << 20, Growth::None);
    assert_eq!(log.writer_tick(), None);
    let mut last = LogPos::ZERO;
    for n in 0..100 {
        let mut tx = begin(&log, n);
        insert(&log, &mut tx, &[1; 50]).unwrap();
        last = commit(&log, &mut tx);
        log.request_lazy();
    }
    assert_eq!(log.writer_tick(), Some(Duration::from_millis(8)));
    world.clock().advance(Duration::from_millis(7));
    assert_eq!(log.writer_tick(), Some(Duration::from_millis(1)));
    assert!(log.durable() <= last && log.options().counters.log_flushes.get() == 0);
    world.clock().advance(Duration::from_millis(1));
    assert_eq!(log.writer_tick(), None);
    assert!(log.durable() > last);
    assert_eq!(log.options().counters.log_flushes.get(), 1);
}

#[test]
fn a_failed_write_ends_the_log() {
    use taffrail_io::sim::{Fault, FaultKind, IoKind};
    let world = SimWorld::new(8);
    let log = create(&world, 1 << 20, Growth::None);
    let mut tx = begin(&log, 1);
    let pos = commit(&log, &mut tx);
    world.inject(Fault {
        nth: 1,
        kind: Some(IoKind::WriteDurable),
        path_contains: String::new(),
        fault: FaultKind::Io,
        sticky: false,
    });
    assert!(log.harden(pos, FlushReason::Commit).is_err());
    assert!(log.is_failed() && log.failure().is_some());
    assert!(log.harden(pos, FlushReason::Commit).is_err(), "never retried");
    let mut tx = TxLog::new(TransactionId(2));
    let header = RecordHeader::new(Lop::BeginXact, Lcx::Null);
    assert!(matches!(
        log.append(&mut tx, &header, &[], Reserve::NONE),
        Err(AppendError::LogUnavailable)
    ));
}

#[test]
fn damage_before_the_durable_end_is_told_from_a_torn_tail() {
    let world = SimWorld::new(9);
    let log = create(&world, 1 << 20, Growth::None);
    let anchor = log.anchor_at(log.appended()).unwrap();
    for n in 0..20 {
        let mut tx = begin(&log, n);
        let pos = commit(&log, &mut tx);
        log.harden(pos, FlushReason::Commit).unwrap();
    }
    drop(log);
    world.restart();
    // 20 blocks of 4 KiB from offset 16384 on. The last one's damage cannot be told from a torn write.
    let flip = |block: u64| world.flip_bit(&path(), 16_384 + block * 4096 + 100, 3).unwrap();
    flip(19);
    let (_, report) = Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).unwrap();
    assert!(report.torn_tail && report.blocks == 19);
    flip(5);
    let error = Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).err().unwrap();
    assert!(error.to_string().contains("proves"), "{error}");
}
