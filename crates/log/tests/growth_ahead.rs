//! Initialisation ahead of the head: whole logs on the simulated disk, with a zeroing write in flight while the log
//! is appended to, flushed, grown, shrunk and cut off at every I/O step of a growth.
//!
//! `GROWTH_SEEDS` sets how many seeds run.

use crate::rig;

use std::io::Write;
use std::sync::Arc;

use taffrail_base::{LogPos, PageId, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimRng};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Initialization, Lcx, LogFileSpec, LogOptions, Lop,
    RecordHeader, Reserve, ReuseWait, ShrinkMode, TxLog,
};
use taffrail_observe::session::page_looked_up;
use taffrail_observe::{Event, EventRing, SessionCell};

use rig::{Rig, counts, number, some_paths, world};

fn seeds(default: u64) -> u64 {
    number("GROWTH_SEEDS").unwrap_or(default)
}

counts!(Seen {
    crashes,
    crashes_in_growth,
    crashes_while_zeroing,
    growths,
    ahead,
    pieces,
    missed,
    shrinks,
    full,
    disk_full,
    faults,
    records,
    reopened_fresh,
});

struct Run {
    rig: Rig,
    rng: SimRng,
    seen: Seen,
    zeroing: bool,
    /// The log is held from here on: growth is the only way.
    held: Arc<std::sync::Mutex<Option<LogPos>>>,
}

fn payload(serial: u64) -> Vec<u8> {
    rig::payload(serial, |rng| match rng.below(12) {
        0 => 8 + rng.below(30_000),
        _ => 8 + rng.below(900),
    })
}

enum Stop {
    Down,
    Full,
    Finding(String),
}

impl Run {
    fn new(seed: u64) -> Run {
        let mut rng = SimRng::new(seed ^ 0x5eed);
        let world = world(seed, !rng.one_in(2));
        let paths = some_paths(&mut rng);
        let growth = match rng.below(3) {
            0 => Growth::Bytes(256 << 10),
            1 => Growth::Bytes(1 << 20),
            _ => Growth::Percent(40),
        };
        let specs: Vec<LogFileSpec> = paths
            .iter()
            .map(|p| LogFileSpec { growth, ..LogFileSpec::new(p, 512 << 10) })
            .collect();
        let options = LogOptions { buffers: 4, ..LogOptions::default() };
        assert_eq!(options.initialization, Initialization::Ahead, "it is the default");
        let mut rig = Rig::on(world, &specs, options, 3);
        rig.serial = seed << 32;
        let mut run = Run { rig, rng, seen: Seen::default(), zeroing: false, held: Arc::default() };
        run.register();
        run
    }

    fn register(&mut self) {
        let held = Arc::clone(&self.held);
        self.rig.log.register_holder(Box::new(move || {
            let pos = (*held.lock().unwrap())?;
            Some(Hold { wait: ReuseWait::LogBackup, pos })
        }));
    }

    fn down(&self) -> bool {
        self.rig.log.is_failed() || !self.rig.world.is_powered()
    }

    fn append(&mut self) -> Result<LogPos, Stop> {
        self.rig.serial += 1;
        let serial = self.rig.serial;
        let mut tx = TxLog::new(TransactionId(serial));
        let header = RecordHeader {
            page: PageId::new(1, 1),
            ..RecordHeader::new(Lop::InsertRows, Lcx::Heap)
        };
        match self.rig.log.append(&mut tx, &header, &[&payload(serial)], Reserve::NONE) {
            Ok(pos) => {
                self.rig.log.release(&mut tx);
                self.rig.model.insert(pos, serial);
                self.seen.records += 1;
                Ok(pos)
            }
            Err(AppendError::LogFull { growth, .. }) => {
                self.seen.full += 1;
                self.seen.disk_full += u64::from(growth.is_some());
                Err(Stop::Full)
            }
            Err(AppendError::LogUnavailable) => Err(Stop::Down),
            Err(e) => Err(Stop::Finding(e.to_string())),
        }
    }

    fn checkpoint(&mut self) {
        let pos = self.rig.log.appended();
        if self.rig.log.flush(FlushReason::Checkpoint).is_err() {
            return;
        }
        self.rig.hardened = self.rig.hardened.max(self.rig.log.last_record());
        self.rig.let_go(pos);
    }

    fn step(&mut self) -> Result<(), Stop> {
        match self.rng.below(100) {
            0..45 => {
                self.append()?;
            }
            45..60 => {
                let pos = self.append()?;
                if self.rig.log.harden(pos, FlushReason::Commit).is_err() {
                    return Err(Stop::Down);
                }
                self.rig.hardened = self.rig.hardened.max(pos);
            }
            60..75 if !self.zeroing => {
                self.zeroing = self.rig.log.begin_ahead();
                self.seen.pieces += u64::from(self.zeroing);
            }
            75..83 if self.zeroing => {
                self.rig.log.end_ahead();
                self.zeroing = false;
            }
            83..85 => self.rig.log.sync_ahead(),
            85..88 => self.seen.ahead += u64::from(self.rig.log.grow_ahead()),
            88 => self.checkpoint(),
            89 => {
                let mut held = self.held.lock().unwrap();
                *held = if held.is_some() { None } else { Some(self.rig.log.oldest()) };
            }
            90 => {
                let before = self.rig.log.space().total;
                if self.rig.log.shrink_file(0, ShrinkMode::Truncate).is_err() {
                    return Err(Stop::Down);
                }
                self.seen.shrinks += u64::from(self.rig.log.space().total < before);
            }
            91 => {
                let size = self.rig.log.files()[0].size + (256 << 10);
                // A refusal is in the message's text; a failure shows in the log.
                let _ = self.rig.log.grow_file(0, size);
            }
            92 => {
                self.rig.log.writer_tick();
            }
            _ => {}
        }
        let s = self.rig.world.stats();
        if s.races > 0 {
            return Err(Stop::Finding(format!("{} writes of one place at a time", s.races)));
        }
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), String> {
        let growths = self.rig.options.counters.log_growths.get();
        self.seen.growths += growths;
        self.seen.missed += u64::from(self.rig.log.written_uninitialized() > 0);
        self.seen.crashes_while_zeroing += u64::from(self.zeroing);
        self.rig.world.set_capacity(u64::MAX);
        self.rig.world.restart();
        self.zeroing = false;
        self.seen.crashes += 1;
        *self.held.lock().unwrap() = None;
        self.rig.recover(|serial, _, bytes| *bytes == payload(*serial))?;
        self.rig.check()?;
        self.register();
        self.seen.reopened_fresh += u64::from(self.rig.log.uninitialized() > 0);
        Ok(())
    }

    fn go(&mut self, crashes: u64) -> Result<(), String> {
        for _ in 0..crashes {
            match self.rng.below(10) {
                0..6 => self.rig.world.crash_at(1 + self.rng.below(80)),
                6 => {
                    let kinds = [IoKind::Write, IoKind::Sync, IoKind::Allocate];
                    self.rig.world.inject(Fault {
                        nth: 1 + self.rng.below(12),
                        kind: Some(kinds[self.rng.below(3) as usize]),
                        path_contains: String::new(),
                        fault: if self.rng.one_in(2) { FaultKind::Io } else { FaultKind::Full },
                        sticky: self.rng.one_in(3),
                    });
                }
                7 => self.rig.world.set_capacity(self.rig.log.space().total + (200 << 10)),
                _ => {}
            }
            for _ in 0..self.rng.below(500) {
                match self.step() {
                    Ok(()) => {}
                    Err(Stop::Finding(text)) => return Err(text),
                    Err(Stop::Full) => {
                        // What holds the log lets go: it goes on without a restart.
                        *self.held.lock().unwrap() = None;
                        self.checkpoint();
                        self.rig.world.set_capacity(u64::MAX);
                    }
                    Err(Stop::Down) if self.down() => break,
                    Err(Stop::Down) => return Err("the log gave up without a failure".into()),
                }
                if self.down() {
                    break;
                }
            }
            self.seen.faults = self.rig.world.stats().faults;
            self.reopen()?;
        }
        Ok(())
    }
}

#[test]
fn logs_with_zeroing_in_flight_survive_crashes() {
    let first = number("GROWTH_SEED").unwrap_or(0);
    let mut seen = Seen::default();
    for seed in first..first + seeds(500) {
        let mut run = Run::new(seed);
        let outcome = run.go(5);
        seen.add(&run.seen);
        if let Err(text) = outcome {
            panic!("seed {seed}: {text}");
        }
    }
    // Straight to standard error: every run of the tests shows it, also one that captures what tests print.
    writeln!(std::io::stderr(), "{seen:?}").unwrap();
    if seeds(500) >= 400 {
        let s = seen;
        for (name, n) in [
            ("crashes while zeroing", s.crashes_while_zeroing),
            ("growths", s.growths),
            ("growths ahead", s.ahead),
            ("pieces", s.pieces),
            ("heads that caught up", s.missed),
            ("shrinks", s.shrinks),
            ("full disks", s.disk_full),
            ("faults", s.faults),
            ("zeroing taken up again after a restart", s.reopened_fresh),
        ] {
            assert!(n > 0, "no {name}: the test proves nothing about them");
        }
    }
}

/// A log whose next append makes it grow, everything before hardened. `appends`: how many lead there, if that is known.
fn before_growth(seed: u64, mode: Initialization, appends: Option<u64>) -> (Run, u64) {
    let mut run = Run::new(seed);
    run.rig.log.set_growth_rules(mode, run.rig.log.vlf_algorithm());
    *run.held.lock().unwrap() = Some(run.rig.log.oldest());
    let mut done = 0;
    while appends.is_none_or(|n| done < n) {
        let growths = run.rig.options.counters.log_growths.get();
        let pos = run.append().ok().expect("the log grows");
        if appends.is_none() && run.rig.options.counters.log_growths.get() > growths {
            break;
        }
        run.rig.log.harden(pos, FlushReason::Commit).unwrap();
        run.rig.hardened = pos;
        done += 1;
    }
    (run, done)
}

/// Who makes a log grow.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// An append that finds no room.
    Append,
    /// ALTER DATABASE, beside a piece of zeroes in flight.
    Hand,
    /// The background thread, before it is needed.
    Ahead,
}

/// The power fails at each I/O step of a growth, from its first step to its last, in each mode and each way there is in it.
#[test]
fn power_may_fail_at_every_step_of_a_growth() {
    let (mut cuts, mut pieces) = (0, 0);
    let modes = [Initialization::Zero, Initialization::Sql2022, Initialization::Ahead];
    for (mode, way, seed) in modes
        .iter()
        .flat_map(|m| [Way::Append, Way::Hand, Way::Ahead].map(|way| (*m, way)))
        .filter(|(mode, way)| *way != Way::Ahead || *mode == Initialization::Ahead)
        .flat_map(|(m, way)| (0..8).map(move |seed| (m, way, seed)))
    {
        let (_, appends) = before_growth(seed, mode, None);
        for nth in 1.. {
            let case = format!("{mode:?}, {way:?}, seed {seed}, cut {nth}");
            let (mut run, _) = before_growth(seed, mode, Some(appends));
            if way == Way::Hand {
                let pos = run.append().ok().expect("the log grows");
                run.rig.log.harden(pos, FlushReason::Commit).unwrap();
                run.rig.hardened = pos;
                run.zeroing = run.rig.log.begin_ahead();
                pieces += u64::from(run.zeroing);
            }
            let growths = run.rig.options.counters.log_growths.get();
            let size = run.rig.log.files()[0].size + (256 << 10);
            run.rig.world.crash_at(nth);
            let done = match way {
                Way::Hand => run.rig.log.grow_file(0, size).is_ok(),
                Way::Ahead => run.rig.log.grow_ahead(),
                Way::Append => match run.append() {
                    Err(Stop::Finding(text)) => panic!("{case}: {text}"),
                    outcome => outcome.is_ok(),
                },
            };
            let cut = !run.rig.world.is_powered();
            if !cut {
                let grown = run.rig.options.counters.log_growths.get() - growths;
                assert!(done && grown == 1, "{case}: {done}, {grown} growths");
                assert!(nth > 4, "{case}: a growth takes more steps");
            }
            assert_eq!(run.rig.world.stats().races, 0, "{case}");
            run.reopen().unwrap_or_else(|e| panic!("{case}: {e}"));
            for _ in 0..60 {
                let pos = run.append().ok().expect("the log goes on");
                run.rig.log.harden(pos, FlushReason::Commit).unwrap();
                run.rig.hardened = pos;
            }
            run.rig.log.ahead_tick();
            run.reopen().unwrap_or_else(|e| panic!("{case}, once more: {e}"));
            cuts += u64::from(cut);
            if !cut {
                break;
            }
        }
    }
    assert!(cuts > 7 * 8 * 4, "only {cuts} cuts");
    assert!(pieces > 20, "only {pieces} with a piece in flight");
}

/// Fills the log until shortly before a growth, with a piece in flight, then lets the power fail at the n-th I/O step
/// from there on: before a growth, in it, or in what follows.
#[test]
fn a_crash_around_a_growth_loses_nothing() {
    let mut steps_hit = 0;
    for mode in [Initialization::Zero, Initialization::Sql2022, Initialization::Ahead] {
        for step in 1..40 {
            for seed in 0..6 {
                let mut run = Run::new(seed * 1000 + step);
                run.rig.log.set_growth_rules(mode, run.rig.log.vlf_algorithm());
                *run.held.lock().unwrap() = Some(run.rig.log.oldest());
                while run.rig.log.space().free > 150 << 10 {
                    match run.append() {
                        Ok(_) => {}
                        _ => break,
                    }
                }
                run.rig.log.flush(FlushReason::Request).unwrap();
                run.rig.hardened = run.rig.log.last_record();
                let before = run.rig.options.counters.log_growths.get();
                if run.rng.one_in(2) {
                    run.zeroing = run.rig.log.begin_ahead();
                }
                let operations = run.rig.world.stats().operations;
                run.rig.world.crash_at(step);
                let mut grown = false;
                for n in 0..400 {
                    let outcome = match n % 7 {
                        3 => {
                            run.zeroing |= run.rig.log.begin_ahead();
                            Ok(())
                        }
                        5 => {
                            run.rig.log.end_ahead();
                            run.zeroing = false;
                            run.rig.log.sync_ahead();
                            Ok(())
                        }
                        _ => run.append().map(|pos| {
                            if run.rig.log.harden(pos, FlushReason::Commit).is_ok() {
                                run.rig.hardened = run.rig.hardened.max(pos);
                            }
                        }),
                    };
                    grown |= run.rig.options.counters.log_growths.get() > before;
                    if let Err(Stop::Finding(text)) = outcome {
                        panic!("{mode:?} step {step} seed {seed}: {text}");
                    }
                    if run.down() {
                        break;
                    }
                }
                assert!(!run.rig.world.is_powered(), "the power failed");
                assert_eq!(run.rig.world.stats().races, 0);
                steps_hit += u64::from(run.rig.world.stats().operations == operations + step);
                run.seen.crashes_in_growth += u64::from(!grown);
                if let Err(text) = run.reopen() {
                    panic!("{mode:?} step {step} seed {seed}: {text}");
                }
                // It goes on: another growth, and everything is read back after another crash.
                for _ in 0..60 {
                    let pos = run.append().ok().expect("the log goes on");
                    run.rig.log.harden(pos, FlushReason::Commit).unwrap();
                    run.rig.hardened = pos;
                }
                run.rig.log.ahead_tick();
                if let Err(text) = run.reopen() {
                    panic!("{mode:?} step {step} seed {seed}, once more: {text}");
                }
            }
        }
    }
    assert!(steps_hit > 600, "{steps_hit} power cuts at the planned step");
}

/// The sessions that the growths of a log were told of since an event, in order.
fn told_since(number: u64, name: &str) -> Vec<u16> {
    let session = |event| match event {
        Event::LogGrowth { database, session, .. } if &*database.name == name => Some(session),
        _ => None,
    };
    let events = EventRing::global().read_after(number);
    events.into_iter().filter_map(|e| session(e.event)).collect()
}

/// A log of one file that grows by 256 KB, which is how much is left of it when it grows ahead of need. Truncation makes no room.
fn small_growths(name: &str) -> Run {
    let fits = |run: &Run| {
        let files = run.rig.log.files();
        files.len() == 1 && files[0].growth == Growth::Bytes(LEAD)
    };
    let run = (0..).map(Run::new).find(fits).unwrap();
    *run.held.lock().unwrap() = Some(run.rig.log.oldest());
    run.rig.log.set_database_name(name);
    run
}

const LEAD: u64 = 256 << 10;
/// The longest block.
const BLOCK: u64 = 60 << 10;

/// Appends until so much of the log is gone, and no write has begun.
fn append_some(run: &mut Run, bytes: u64) {
    let upto = run.rig.log.appended().0 + bytes;
    while run.rig.log.appended().0 < upto {
        run.append().ok().expect("there is room");
    }
}

#[test]
fn a_growth_ahead_of_need_is_told_of_the_first_session_behind_the_mark_and_of_no_other() {
    let (mut run, name) = (small_growths("needed by two"), "needed by two");
    let sessions = [SessionCell::new(71), SessionCell::new(72)];
    let before = EventRing::global().newest();
    let harden = |run: &mut Run| {
        let pos = run.append().ok().expect("there is room");
        run.rig.log.harden(pos, FlushReason::Commit).unwrap();
    };
    while run.rig.log.space().free > LEAD + BLOCK / 2 {
        assert!(!run.rig.log.grow_ahead());
        harden(&mut run);
    }
    assert!(!run.rig.log.grow_ahead(), "the mark is set");
    // Up to the mark, in a block that a session closes.
    append_some(&mut run, BLOCK / 2);
    for session in &sessions {
        let _in = SessionCell::enter(session);
        harden(&mut run);
    }
    assert!(run.rig.log.grow_ahead());
    assert_eq!(told_since(before, name), [71]);
    // Nobody's: as the thread of the log does, it is looked after between the appends.
    while told_since(before, name).len() < 2 {
        harden(&mut run);
        run.rig.log.grow_ahead();
    }
    assert_eq!(told_since(before, name), [71, 0]);
}

#[test]
fn a_growth_by_a_session_forgets_none_of_its_pages() {
    let (mut run, name) = (small_growths("grown by one"), "grown by one");
    let session = SessionCell::new(73);
    let before = EventRing::global().newest();
    let _in = SessionCell::enter(&session);
    (0..3).for_each(|_| page_looked_up());
    while told_since(before, name).is_empty() {
        run.append().ok().expect("the log grows");
    }
    session.gather();
    assert_eq!((told_since(before, name), session.logical_reads.get()), (vec![73], 3));
}
