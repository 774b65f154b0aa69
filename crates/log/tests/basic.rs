//! Append, harden, read, reopen; fetch; full log and its healing; delayed durability. On the simulated disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{LogPos, Lsn, PageId, TransactionId};
use taffrail_io::sim::{SimRng, SimWorld};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Lcx, Log, LogError, LogFileSpec, LogOptions, Lop,
    Pieces, RecordFlags, RecordHeader, Reserve, ReuseWait, TxLog, VlfStatus,
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
        let pos = out[out.len() - 1].0;
        assert_eq!(reader.lsn(), log.lsn(pos));
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

/// Records of two logs, from the files, in both directions and anywhere: pieces take no more than there is for them, and go with their log.
#[test]
fn pieces_of_files_keep_to_their_memory() {
    let world = SimWorld::new(5);
    let pieces = Arc::new(Pieces::new(3 << 20));
    let make = |name: &str| {
        let spec = LogFileSpec::new(PathBuf::from(name), 8 << 20);
        let options = LogOptions { buffers: 4, pieces: pieces.clone(), ..LogOptions::default() };
        let log = Log::create(&world.env(), &[spec], options, [7; 16]).unwrap();
        let mut tx = begin(&log, 1);
        let mut all = Vec::new();
        for n in 0..20_000u64 {
            all.push((n, insert(&log, &mut tx, &[n as u8; 200]).unwrap()));
        }
        commit(&log, &mut tx);
        log.harden(log.last_record(), FlushReason::Commit).unwrap();
        (log, all)
    };
    let (one, other) = (make("/one_log.ldf"), make("/other_log.ldf"));
    let mut most = 0;
    let mut look = |log: &Log, n: u64, at: LogPos| {
        let record = log.fetch(at).unwrap();
        assert_eq!((record.pos, &record.payload[..]), (at, &[n as u8; 200][..]));
        most = most.max(pieces.bytes());
    };
    for ((n, at), (m, on)) in one.1.iter().rev().zip(&other.1) {
        look(&one.0, *n, *at);
        look(&other.0, *m, *on);
        let any = one.1[(*n as usize * 7919) % one.1.len()];
        look(&one.0, any.0, any.1);
    }
    assert!(most > 2 << 20 && most <= (3 << 20) + (2 << 20), "{most}");
    drop(one);
    assert!(pieces.bytes() <= 3 << 20);
    drop(other);
    assert_eq!(pieces.bytes(), 0);
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
                    Ok(pos) if round % 2 == 0 && tx.records.is_multiple_of(50) => {
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
fn rollback_goes_on_although_each_of_its_records_costs_a_sector() {
    let world = SimWorld::new(4);
    let log = create(&world, 512 << 10, Growth::None);
    let mut tx = begin(&log, 1);
    while insert(&log, &mut tx, &[1; 10]).is_ok() {}
    let mut at = tx.undo_next;
    while at != tx.first {
        let record = log.fetch(at).unwrap();
        at = record.header.prev;
        let header = RecordHeader {
            flags: RecordFlags::COMPENSATION,
            undo_next: at,
            ..RecordHeader::new(Lop::DeleteRows, Lcx::Heap)
        };
        let pos = log.append(&mut tx, &header, &[&[0; 8]], Reserve::NONE).unwrap();
        log.harden(pos, FlushReason::WriteAhead).unwrap();
    }
    assert!(log.space().total > 512 << 10, "the file grew beyond what its settings allow");
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
fn files_can_be_looked_at_offline_and_old_uses_show_after_a_restart() {
    use taffrail_log::offline::OfflineLog;
    let world = SimWorld::new(7);
    let log = create(&world, 1 << 20, Growth::None);
    let mut count = 0;
    for n in 0..600 {
        let mut tx = begin(&log, n);
        insert(&log, &mut tx, &[1; 1000]).unwrap();
        let pos = commit(&log, &mut tx);
        log.harden(pos, FlushReason::Commit).unwrap();
        count += 1;
        log.set_checkpoint(pos);
        log.truncate();
    }
    let vlfs = log.vlfs();
    let anchor = log.anchor_at(log.checkpoint()).unwrap();
    world.restart();
    let offline = OfflineLog::open(&world.env(), &[path()]).unwrap();
    assert_eq!(offline.facts().0, 4096);
    let (mut blocks, mut commits) = (0, 0);
    let end = offline
        .walk(
            |b| blocks += u64::from(!b.last),
            |_, r| commits += u64::from(r.header.op == Lop::CommitXact),
        )
        .unwrap()
        .unwrap();
    assert_eq!((end.pos, end.proof), (log.durable(), None));
    assert!(blocks == commits && commits > 150 && commits < count, "{blocks} {commits}");
    let (log, _) = Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).unwrap();
    let show = |v: &[taffrail_log::VlfInfo]| {
        v.iter().map(|v| (v.seqno, v.parity, v.status)).collect::<Vec<_>>()
    };
    assert_eq!(show(&log.vlfs()), show(&vlfs));
}

#[test]
fn damage_at_the_end_of_a_vlf_is_found_in_the_next_one() {
    let world = SimWorld::new(11);
    let log = create(&world, 1 << 20, Growth::None);
    let anchor = log.anchor_at(log.appended()).unwrap();
    let mut tx = begin(&log, 1);
    // Until well into the second VLF: the link between them is the last block of the first.
    let mut after = 0;
    while after < 5 {
        let pos = insert(&log, &mut tx, &[1; 900]).unwrap();
        log.harden(pos, FlushReason::Commit).unwrap();
        after += u64::from(log.vlfs()[1].status == VlfStatus::Active);
    }
    let first = log.vlfs()[0];
    world.restart();
    world.flip_bit(&path(), first.offset + first.size - 4096 + 70, 1).unwrap();
    let error = Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).err().unwrap();
    assert!(error.to_string().contains("proves"), "{error}");
}

#[test]
fn a_flipped_bit_never_cuts_off_what_was_known_to_be_durable() {
    let mut rng = SimRng::new(1);
    let (mut refused, mut cut) = (0, 0);
    for seed in 0..150 {
        let world = SimWorld::new(seed);
        let log = create(&world, 1 << 20, Growth::None);
        let anchor = log.anchor_at(log.appended()).unwrap();
        let mut known = LogPos::ZERO;
        let mut tx = begin(&log, 1);
        for _ in 0..60 {
            let len = 1 + rng.below(6000) as usize;
            let pos = insert(&log, &mut tx, &vec![1; len]).unwrap();
            // What the last block on disk says of the others.
            known = log.durable();
            log.harden(pos, FlushReason::Commit).unwrap();
        }
        let space = log.space();
        world.restart();
        let at = 16_384 + rng.below(space.used - 8192);
        world.flip_bit(&path(), at, rng.below(8) as u8).unwrap();
        match Log::open(&world.env(), &[path()], LogOptions::default(), &anchor) {
            Ok((_, report)) => {
                assert!(report.end >= known, "seed {seed}: cut off at {:?}", report.end);
                cut += 1;
            }
            Err(LogError::Corrupt { .. }) => refused += 1,
            Err(e) => panic!("{e}"),
        }
    }
    assert!(refused > 100 && cut > 0, "{refused} refused, {cut} cut off");
}

#[test]
fn a_block_takes_as_many_records_as_it_has_slots() {
    let world = SimWorld::new(10);
    let log = create(&world, 1 << 20, Growth::None);
    let anchor = log.anchor_at(log.appended()).unwrap();
    let mut tx = begin(&log, 1);
    let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
    for n in 1..2000 {
        // Wherever the log stands: the position is good for an anchor and for a reader.
        let from = log.appended();
        let anchor = log.anchor_at(from).unwrap();
        let pos = log.append(&mut tx, &header, &[b"x"], Reserve::NONE).unwrap();
        if n % 510 == 0 || n % 510 == 509 {
            log.harden(pos, FlushReason::Request).unwrap();
            assert_eq!(read_all(&log, from).len(), 1);
            assert_eq!(anchor.pos, from);
        }
    }
    log.flush(FlushReason::Request).unwrap();
    let last = log.anchor_at(log.appended()).unwrap();
    world.restart();
    let (_, report) = Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).unwrap();
    assert_eq!(report.records, 2000);
    let (_, report) = Log::open(&world.env(), &[path()], LogOptions::default(), &last).unwrap();
    assert_eq!(report.records, 0);
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

/// Where nothing behind the damage proves anything, the boot page knows how far the log was durable.
#[test]
fn a_log_that_ends_before_what_the_boot_page_knows_of_is_broken() {
    let world = SimWorld::new(9);
    let log = create(&world, 1 << 20, Growth::None);
    let first = log.appended();
    for n in 0..20 {
        let mut tx = begin(&log, n);
        let pos = commit(&log, &mut tx);
        log.harden(pos, FlushReason::Commit).unwrap();
    }
    let anchor = log.anchor_at(first).unwrap();
    drop(log);
    world.restart();
    world.flip_bit(&path(), 16_384 + 19 * 4096 + 100, 3).unwrap();
    let error = Log::open(&world.env(), &[path()], LogOptions::default(), &anchor).err().unwrap();
    assert!(error.to_string().contains("it was durable up to"), "{error}");
}

/// A panic elsewhere unwinds a session, and what it drops on the way rolls its transaction back.
#[test]
fn a_rollback_of_a_thread_that_unwinds_does_no_harm() {
    struct Session<'a>(&'a Log, TxLog);
    impl Drop for Session<'_> {
        fn drop(&mut self) {
            let end = RecordHeader::new(Lop::AbortXact, Lcx::Null);
            self.0.append(&mut self.1, &end, &[], Reserve::NONE).unwrap();
            self.0.flush(FlushReason::Request).unwrap();
            self.0.release(&mut self.1);
        }
    }
    let world = SimWorld::new(1);
    let log = create(&world, 8 << 20, Growth::None);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut session = Session(&log, TxLog::new(TransactionId(1)));
        let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
        log.append(&mut session.1, &header, &[&[1; 100]], Reserve::NONE).unwrap();
        panic!("an expression");
    }));
    std::panic::set_hook(hook);
    assert!(ended.is_err() && !log.is_failed());
    log.flush(FlushReason::Commit).unwrap();
}
