//! Growth in each mode: what is zeroed, what waits, what is reported, how many VLFs come of it; limits, full disks and
//! their healing. On the simulated disk.

use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use taffrail_base::{DatabaseId, FileId, LogPos, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimWorld};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Initialization, Lcx, Log, LogError, LogFileSpec,
    LogOptions, Lop, RecordHeader, Reserve, ReuseWait, TxLog, VlfAlgorithm, vlf_sizes,
};
use taffrail_observe::{Event, EventRing, SessionCell, WaitStats, WaitType};

const KB: u64 = 1 << 10;
const MB: u64 = 1 << 20;

fn path() -> PathBuf {
    "/db_log.ldf".into()
}

/// A log that is held from its beginning on, until the returned hold is emptied.
type Held = Arc<Mutex<Option<LogPos>>>;

fn create(
    world: &SimWorld,
    id: u16,
    size: u64,
    growth: Growth,
    options: LogOptions,
) -> (Arc<Log>, Held) {
    let spec = LogFileSpec { growth, ..LogFileSpec::new(path(), size) };
    let options = LogOptions { database: DatabaseId(id), ..options };
    let log = Log::create(&world.env(), &[spec], options, [7; 16]).unwrap();
    let held: Held = Arc::new(Mutex::new(Some(log.oldest())));
    let holder = Arc::clone(&held);
    log.register_holder(Box::new(move || {
        let pos = (*holder.lock().unwrap())?;
        Some(Hold { wait: ReuseWait::LogBackup, pos })
    }));
    (log, held)
}

fn append(log: &Log, bytes: usize) -> Result<LogPos, AppendError> {
    let mut tx = TxLog::new(TransactionId(1));
    let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
    let pos = log.append(&mut tx, &header, &[&vec![5; bytes]], Reserve::NONE)?;
    log.release(&mut tx);
    Ok(pos)
}

/// Appends until the log has grown.
fn grow_once(log: &Log) {
    let before = log.options().counters.log_growths.get();
    while log.options().counters.log_growths.get() == before {
        append(log, 20_000).unwrap();
        log.flush(FlushReason::Request).unwrap();
    }
}

/// The growth events of a database.
fn growths(id: u16) -> Vec<Event> {
    let all = EventRing::global().read_after(0).into_iter().map(|r| r.event);
    all.filter(|e| matches!(e, Event::LogGrowth { database, .. } if database.id.0 == id)).collect()
}

#[test]
fn each_mode_writes_what_it_says_and_the_wait_shows_it() {
    let modes = [Initialization::Zero, Initialization::Sql2022, Initialization::Ahead];
    for (n, mode) in modes.into_iter().enumerate() {
        let id = 100 + n as u16;
        let world = SimWorld::new(5);
        let options = LogOptions { initialization: mode, ..LogOptions::default() };
        let (log, _) = create(&world, id, 2 * MB, Growth::Bytes(2 * MB), options);
        log.set_file_names(vec![(FileId(2), "db_log".into())]);
        let volume = world.env().disk.open(&path(), taffrail_io::OpenSpec::LOG).unwrap();
        assert_eq!(volume.unwritten(0, 2 * MB).unwrap(), [], "{mode:?}: a small new log is zeroed");
        let waits = |w| WaitStats::global().row(w).waiting_tasks_count;
        let before = waits(WaitType::PreemptiveOsWriteFileGather);
        grow_once(&log);
        // Other tests of this process may zero at the same time, so only one direction can be told.
        if mode == Initialization::Zero {
            assert!(waits(WaitType::PreemptiveOsWriteFileGather) > before);
        }
        let left = volume.unwritten(2 * MB, 4 * MB).unwrap();
        assert_eq!(left.is_empty(), mode == Initialization::Zero, "{mode:?}: {left:?}");
        let tracked = log.uninitialized() > 0;
        assert_eq!(tracked, mode == Initialization::Ahead, "{mode:?}");
        let [Event::LogGrowth { file, name, from, to, vlfs, zeroed, automatic, session, .. }] =
            &growths(id)[..]
        else {
            panic!("one growth: {:?}", growths(id));
        };
        assert_eq!((*file, name.as_str(), *from, *to), (FileId(2), "db_log", 2 * MB, 4 * MB));
        assert_eq!((*vlfs, *automatic, *session), (1, true, 0));
        assert_eq!(*zeroed, mode == Initialization::Zero);
        // By hand: only `ahead` leaves it for later.
        log.grow_file(0, 6 * MB).unwrap();
        let left = volume.unwritten(4 * MB, 6 * MB).unwrap();
        assert_eq!(left.is_empty(), mode != Initialization::Ahead, "{mode:?}: {left:?}");
        assert!(matches!(growths(id)[1], Event::LogGrowth { automatic: false, .. }));
        // Now and then the head is there first.
        while mode == Initialization::Ahead && log.written_uninitialized() == 0 {
            append(&log, 20_000).unwrap();
            log.flush(FlushReason::Request).unwrap();
        }
        // The background writer does the rest, and nothing behind the log's end.
        while log.ahead_tick().is_zero() {}
        assert_eq!(log.uninitialized(), 0);
        if mode == Initialization::Ahead {
            let left = volume.unwritten(0, log.files()[0].size).unwrap();
            // What stays are the places of directory pages.
            assert!(left.iter().all(|(a, b)| b - a <= 4096), "{left:?}");
        }
        assert_eq!(world.stats().races, 0);
    }
}

#[test]
fn a_cancelled_session_gives_its_growth_up_and_the_next_one_gets_it() {
    let world = SimWorld::new(8);
    let options = LogOptions { initialization: Initialization::Zero, ..LogOptions::default() };
    let (log, _) = create(&world, 112, 2 * MB, Growth::Bytes(8 * MB), options);
    let volume = world.env().disk.open(&path(), taffrail_io::OpenSpec::LOG).unwrap();
    let cell = SessionCell::new(77);
    let _session = SessionCell::enter(&cell);
    cell.cancel_flag().store(true, Relaxed);
    let cancelled = loop {
        match append(&log, 20_000) {
            Ok(_) => log.flush(FlushReason::Request).unwrap(),
            Err(e) => break e,
        };
    };
    assert!(matches!(cancelled, AppendError::Cancelled), "{cancelled}");
    assert!(matches!(log.grow_file(0, 16 * MB), Err(LogError::Cancelled)));
    assert_eq!((log.files()[0].size, volume.len().unwrap()), (2 * MB, 2 * MB));
    assert_eq!(growths(112), []);
    let told = EventRing::global().read_after(0).into_iter().filter(|r| {
        matches!(&r.event, Event::LogGrowthCancelled { database, session: 77, .. } if database.id.0 == 112)
    });
    assert_eq!(told.count(), 1, "the one by hand was told to who asked");
    cell.cancel_flag().store(false, Relaxed);
    grow_once(&log);
    assert_eq!(log.files()[0].size, 10 * MB);
}

#[test]
fn sql2022_zeroes_automatic_growths_of_more_than_64_mb() {
    let world = SimWorld::new(6);
    let options = LogOptions { initialization: Initialization::Sql2022, ..LogOptions::default() };
    for (id, growth, zeroed) in [(110, 64, false), (111, 65, true)] {
        let world_path = world.env().disk.exists(&path()).unwrap();
        if world_path {
            world.env().disk.remove(&path()).unwrap();
        }
        let (log, _) = create(&world, id, 512 * KB, Growth::Bytes(growth * MB), options.clone());
        grow_once(&log);
        assert!(matches!(growths(id)[0], Event::LogGrowth { zeroed: z, .. } if z == zeroed));
        let vlfs = if growth == 64 { 1 } else { 8 };
        assert!(matches!(growths(id)[0], Event::LogGrowth { vlfs: n, .. } if n == vlfs));
    }
}

/// How twenty thousand VLFs came about: 10,000 growths of 512 KB, two VLFs each; one each by the rule of 2022.
#[test]
fn ten_thousand_small_growths() {
    for (algorithm, each) in
        [(VlfAlgorithm::V2012, 2), (VlfAlgorithm::V2014, 1), (VlfAlgorithm::V2022, 1)]
    {
        let (mut size, mut vlfs) = (8 * MB, 4);
        for _ in 0..10_000 {
            vlfs += vlf_sizes(algorithm, 512 * KB, 512 * KB, Some(size)).len();
            size += 512 * KB;
        }
        assert_eq!(vlfs, 4 + 10_000 * each, "{algorithm:?}");
        // Some of them in a file, by hand: the same path without the filling in between.
        let growths = 250;
        let world = SimWorld::new(7);
        let options = LogOptions { vlf_algorithm: algorithm, ..LogOptions::default() };
        let (log, _) = create(&world, 120, 8 * MB, Growth::Bytes(512 * KB), options);
        for n in 1..=growths {
            log.grow_file(0, 8 * MB + n * 512 * KB).unwrap();
        }
        assert_eq!(log.vlf_count(), 4 + growths as usize * each, "{algorithm:?}");
        let vlfs = log.vlfs();
        assert!(vlfs.iter().all(|v| v.size >= 253_952), "none below 248 KB");
        let last = vlfs[vlfs.len() - 1];
        assert_eq!(
            (last.size, last.offset + last.size),
            (512 * KB / each as u64, log.space().total)
        );
        assert!(last.create_lsn > taffrail_base::Lsn::ZERO);
        assert_eq!(log.options().counters.log_growths.get(), growths);
    }
}

#[test]
fn the_next_growth_begins_before_the_log_is_full_but_not_instead_of_a_checkpoint() {
    let world = SimWorld::new(8);
    let (log, held) = create(&world, 130, 4 * MB, Growth::Bytes(MB), LogOptions::default());
    assert!(!log.grow_ahead(), "there is room");
    while log.space().free > 400 * KB {
        append(&log, 20_000).unwrap();
    }
    log.flush(FlushReason::Request).unwrap();
    // Nobody but a checkpoint holds it: no growth ahead.
    *held.lock().unwrap() = None;
    assert!(!log.grow_ahead());
    assert_eq!(log.space().total, 4 * MB);
    // A log backup does.
    *held.lock().unwrap() = Some(log.oldest());
    assert!(log.grow_ahead());
    assert_eq!(log.space().total, 5 * MB);
    assert!(!log.grow_ahead(), "once is enough");
    // The next ones need no new extents: they were reserved with the first.
    let reserved = world.env().disk.open(&path(), taffrail_io::OpenSpec::LOG).unwrap();
    assert!(reserved.len().unwrap() > 5 * MB);
    // A limit is a limit, also ahead.
    log.set_file_options(0, Growth::Bytes(MB), 5 * MB).unwrap();
    while log.space().free > 100 * KB {
        append(&log, 20_000).unwrap();
    }
    assert!(!log.grow_ahead());
}

#[test]
fn a_growth_ahead_of_need_names_the_session_that_filled_the_log() {
    let world = SimWorld::new(8);
    let (log, _held) = create(&world, 131, 4 * MB, Growth::Bytes(MB), LogOptions::default());
    let told = || match growths(131).pop() {
        Some(Event::LogGrowth { session, automatic, .. }) => (session, automatic),
        other => panic!("{other:?}"),
    };
    let fill = |session: u16| {
        let cell = SessionCell::new(session);
        let _entered = SessionCell::enter(&cell);
        assert!(!log.grow_ahead(), "there is room");
        while log.space().free > 400 * KB {
            append(&log, 20_000).unwrap();
        }
        log.flush(FlushReason::Request).unwrap();
        cell
    };
    // While the session lasts, whoever makes the growth.
    let cell = fill(77);
    assert!(log.grow_ahead());
    assert_eq!(told(), (77, true));
    drop(cell);
    let second = fill(78);
    assert!(log.grow_ahead());
    assert_eq!(told(), (78, true));
    drop(second);
    // Of one that has ended nothing is known.
    drop(fill(79));
    assert!(log.grow_ahead());
    assert_eq!(told(), (0, true));
}

#[test]
fn a_full_disk_is_told_and_heals_by_itself() {
    for mode in [Initialization::Zero, Initialization::Ahead] {
        let world = SimWorld::new(9);
        let options = LogOptions { initialization: mode, ..LogOptions::default() };
        let (log, held) = create(&world, 140, MB, Growth::Bytes(MB), options);
        world.set_capacity(MB + 100 * KB);
        let refused = loop {
            match append(&log, 20_000) {
                Ok(_) => log.flush(FlushReason::Request).unwrap(),
                Err(AppendError::LogFull { wait, holdup, growth }) => {
                    assert_eq!(wait, ReuseWait::LogBackup);
                    assert_eq!(holdup, log.lsn(log.oldest()));
                    break growth.expect("the disk's word");
                }
                Err(e) => panic!("{e}"),
            }
        };
        assert!(refused.is_full() && !log.is_failed());
        let told = EventRing::global().read_after(0).into_iter().any(|r| {
            matches!(
                &r.event,
                Event::LogFull { database, reason: "LOG_BACKUP", refused: Some(_), .. }
                    if database.id == DatabaseId(140)
            )
        });
        assert!(told, "the event for the error log");
        let volume = world.env().disk.open(&path(), taffrail_io::OpenSpec::LOG).unwrap();
        assert_eq!(volume.len().unwrap(), MB, "what was reserved in vain is given back");
        // By hand, the system's error itself.
        assert!(matches!(log.grow_file(0, 2 * MB), Err(LogError::Io(e)) if e.is_full()));
        // Space comes: it goes on.
        world.set_capacity(u64::MAX);
        append(&log, 20_000).unwrap();
        assert_eq!(log.space().total, 2 * MB);
        // Or the holder lets go.
        log.set_file_options(0, Growth::None, MB * 2).unwrap();
        while append(&log, 20_000).is_ok() {}
        log.flush(FlushReason::Request).unwrap();
        *held.lock().unwrap() = None;
        log.set_checkpoint(log.durable());
        append(&log, 20_000).unwrap();
    }
}

#[test]
fn a_file_that_may_not_grow_is_no_failed_device_but_one_that_fails_is() {
    let faults = [
        (FaultKind::Full, false),
        (FaultKind::TooLong, false),
        (FaultKind::Denied, false),
        (FaultKind::ReadOnly, false),
        (FaultKind::Io, true),
    ];
    for (fault, fails) in faults {
        let world = SimWorld::new(10);
        let (log, held) = create(&world, 150, MB, Growth::Bytes(MB), LogOptions::default());
        world.inject(Fault {
            nth: 1,
            kind: Some(IoKind::Allocate),
            path_contains: String::new(),
            fault,
            sticky: true,
        });
        let e = loop {
            match append(&log, 20_000) {
                Ok(_) => log.flush(FlushReason::Request).unwrap(),
                Err(e) => break e,
            }
        };
        assert_eq!(matches!(e, AppendError::LogUnavailable), fails, "{fault:?}: {e}");
        assert_eq!(log.is_failed(), fails, "{fault:?}");
        if fails {
            continue;
        }
        let AppendError::LogFull { growth: Some(refused), .. } = e else {
            panic!("{fault:?}: {e}")
        };
        assert_eq!(refused.op, "allocate");
        // By hand the same: the system's word, and a log that goes on when its holder lets go.
        assert!(matches!(log.grow_file(0, 4 * MB), Err(LogError::Io(e)) if e.op == "allocate"));
        assert!(!log.is_failed(), "{fault:?}");
        log.flush(FlushReason::Request).unwrap();
        *held.lock().unwrap() = None;
        log.set_checkpoint(log.durable());
        append(&log, 20_000).unwrap();
    }
}

#[test]
fn the_rules_can_be_changed_while_the_log_runs() {
    let world = SimWorld::new(11);
    let (log, _) = create(&world, 160, MB, Growth::Bytes(MB), LogOptions::default());
    grow_once(&log);
    assert!(log.uninitialized() > 0);
    log.set_growth_rules(Initialization::Zero, VlfAlgorithm::V2012);
    assert_eq!(log.uninitialized(), 0, "what is left is the log's to write");
    let vlfs = log.vlf_count();
    grow_once(&log);
    assert_eq!(log.vlf_count(), vlfs + 4);
    assert!(matches!(growths(160)[1], Event::LogGrowth { zeroed: true, vlfs: 4, .. }));
}

/// The halves of the header of the first file: generation (0: none) and bytes.
fn halves(world: &SimWorld) -> [(u64, Vec<u8>); 2] {
    let volume = world.env().disk.open(&path(), taffrail_io::OpenSpec::LOG.read_only()).unwrap();
    [0, 4096].map(|at| {
        let mut buf = taffrail_io::AlignedBuf::zeroed(4096);
        volume.read_at(at, &mut buf).unwrap();
        (u64::from_le_bytes(buf[8..16].try_into().unwrap()), buf.to_vec())
    })
}

#[test]
fn a_damaged_header_after_a_growth_costs_nothing() {
    for older_knows in [true, false] {
        let world = SimWorld::new(12);
        let (log, _held) =
            create(&world, 140, 2 * MB, Growth::Bytes(2 * MB), LogOptions::default());
        let anchor = log.anchor_at(log.appended()).unwrap();
        let before = halves(&world);
        grow_once(&log);
        // Into the new part.
        for _ in 0..150 {
            append(&log, 10_000).unwrap();
        }
        log.flush(FlushReason::Request).unwrap();
        let (end, total) = (log.durable(), log.space().total);
        drop(log);
        world.restart();
        let after = halves(&world);
        let newest = usize::from(after[1].0 > after[0].0);
        if !older_knows {
            // As if the server had been killed between the two writes.
            let old = usize::from(before[1].0 > before[0].0);
            let volume = world.env().disk.open(&path(), taffrail_io::OpenSpec::LOG).unwrap();
            let buf = taffrail_io::AlignedBuf::from_slice(&before[old].1);
            let at = 4096 * (1 - newest) as u64;
            volume.write_durable(at, &[std::io::IoSlice::new(&buf)]).unwrap();
        }
        let damage = || world.flip_bit(&path(), 4096 * newest as u64 + 200, 3).unwrap();
        damage();
        let open = || Log::open(&world.env(), &[path()], LogOptions::default(), &anchor);
        if !older_knows {
            // The log goes on in a VLF that the older half does not know.
            assert!(matches!(open().err(), Some(LogError::Corrupt { .. })));
            damage();
        }
        let (log, report) = open().unwrap();
        assert_eq!((report.end, log.space().total), (end, total), "nothing was cut off");
    }
}

#[test]
fn a_shrink_is_not_taken_for_a_log_that_is_nearly_full() {
    let mut grown = 0;
    for seed in 0..20 {
        let world = SimWorld::new(seed);
        let spec = LogFileSpec::new(path(), 8 * MB);
        let options = LogOptions { database: DatabaseId(141), ..LogOptions::default() };
        let log = Log::create(&world.env(), &[spec], options, [7; 16]).unwrap();
        log.grow_file(0, 40 * MB).unwrap();
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let ahead = std::thread::spawn({
            let (log, stop) = (Arc::clone(&log), Arc::clone(&stop));
            move || {
                while !stop.load(Relaxed) {
                    log.grow_ahead();
                }
            }
        });
        let small = log.shrink_file(0, taffrail_log::ShrinkMode::Truncate).unwrap().to;
        // Whoever waited for the shrink's end has had his turn.
        log.grow_file(0, small).unwrap();
        std::thread::yield_now();
        stop.store(true, Relaxed);
        ahead.join().unwrap();
        assert!(small < 8 * MB, "{small}");
        grown += u32::from(log.files()[0].size > small);
    }
    assert_eq!(grown, 0, "of 20 logs have grown again");
}

/// A growth that is made ahead of need, or by hand, holds no append up: only one that an append has to wait for is a wait.
#[test]
fn only_who_waits_for_a_growth_is_said_to_wait() {
    let world = SimWorld::new(12);
    let (log, _) = create(&world, 170, 4 * MB, Growth::Bytes(MB), LogOptions::default());
    // A session's own totals, as other tests of this process wait, too.
    let cell = SessionCell::new(78);
    let _session = SessionCell::enter(&cell);
    let waited = || {
        let rows = cell.waits();
        rows.iter().filter(|r| r.wait_type == WaitType::LogMgrReserveAppend).count()
    };
    while log.space().free > 400 * KB {
        append(&log, 20_000).unwrap();
    }
    log.flush(FlushReason::Request).unwrap();
    assert!(log.grow_ahead());
    log.grow_file(0, 6 * MB).unwrap();
    assert_eq!((log.space().total, waited()), (6 * MB, 0));
    grow_once(&log);
    assert_eq!((log.space().total, waited()), (7 * MB, 1));
}
