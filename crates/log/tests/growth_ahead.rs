//! Initialisation ahead of the head: whole logs on the simulated disk, with a zeroing write in flight while the log
//! is appended to, flushed, grown, shrunk and cut off at every I/O step of a growth.
//!
//! `GROWTH_SEEDS` sets how many seeds run.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use taffrail_base::{LogPos, PageId, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimOptions, SimRng, SimWorld};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Initialization, Lcx, Log, LogAnchor, LogFileSpec,
    LogOptions, Lop, RecordHeader, Reserve, ReuseWait, ShrinkMode, TxLog,
};

fn seeds(default: u64) -> u64 {
    std::env::var("GROWTH_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

#[derive(Default, Debug)]
struct Seen {
    crashes: u64,
    crashes_in_growth: u64,
    crashes_while_zeroing: u64,
    growths: u64,
    ahead: u64,
    pieces: u64,
    missed: u64,
    shrinks: u64,
    full: u64,
    disk_full: u64,
    faults: u64,
    records: u64,
    reopened_fresh: u64,
}

struct Run {
    world: SimWorld,
    rng: SimRng,
    paths: Vec<PathBuf>,
    options: LogOptions,
    log: Arc<Log>,
    anchor: [u8; LogAnchor::BYTES],
    /// Records in order: position and serial number.
    model: BTreeMap<LogPos, u64>,
    hardened: LogPos,
    serial: u64,
    seen: Seen,
    zeroing: bool,
    /// The log is held from here on: growth is the only way.
    held: Arc<std::sync::Mutex<Option<LogPos>>>,
}

fn payload(serial: u64) -> Vec<u8> {
    let mut rng = SimRng::new(serial);
    let len = match rng.below(12) {
        0 => 8 + rng.below(30_000) as usize,
        _ => 8 + rng.below(900) as usize,
    };
    let mut bytes = vec![0; len];
    rng.fill(&mut bytes);
    bytes[..8].copy_from_slice(&serial.to_le_bytes());
    bytes
}

enum Stop {
    Down,
    Full,
    Finding(String),
}

impl Run {
    fn new(seed: u64) -> Run {
        let mut rng = SimRng::new(seed ^ 0x5eed);
        let sector = if rng.one_in(2) { 512 } else { 4096 };
        let world = SimWorld::with_options(seed, SimOptions { sector, ..SimOptions::default() });
        let paths: Vec<PathBuf> = match rng.below(4) {
            0 => vec!["/a_log.ldf".into(), "/b_log.ldf".into()],
            _ => vec!["/a_log.ldf".into()],
        };
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
        let log = Log::create(&world.env(), &specs, options.clone(), [3; 16]).unwrap();
        let anchor = log.anchor_at(log.appended()).unwrap().to_bytes();
        let mut run = Run {
            world,
            rng,
            paths,
            options,
            log,
            anchor,
            model: BTreeMap::new(),
            hardened: LogPos::ZERO,
            serial: seed << 32,
            seen: Seen::default(),
            zeroing: false,
            held: Arc::default(),
        };
        run.register();
        run
    }

    fn register(&mut self) {
        let held = Arc::clone(&self.held);
        self.log.register_holder(Box::new(move || {
            let pos = (*held.lock().unwrap())?;
            Some(Hold { wait: ReuseWait::LogBackup, pos })
        }));
    }

    fn down(&self) -> bool {
        self.log.is_failed() || !self.world.is_powered()
    }

    fn append(&mut self) -> Result<LogPos, Stop> {
        self.serial += 1;
        let serial = self.serial;
        let mut tx = TxLog::new(TransactionId(serial));
        let header = RecordHeader {
            page: PageId::new(1, 1),
            ..RecordHeader::new(Lop::InsertRows, Lcx::Heap)
        };
        match self.log.append(&mut tx, &header, &[&payload(serial)], Reserve::NONE) {
            Ok(pos) => {
                self.log.release(&mut tx);
                self.model.insert(pos, serial);
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
        let pos = self.log.appended();
        if self.log.flush(FlushReason::Checkpoint).is_err() {
            return;
        }
        self.hardened = self.hardened.max(self.log.last_record());
        if let Some(anchor) = self.log.anchor_at(pos) {
            self.anchor = anchor.to_bytes();
            self.log.set_checkpoint(pos);
            self.log.truncate();
        }
    }

    fn step(&mut self) -> Result<(), Stop> {
        match self.rng.below(100) {
            0..45 => {
                self.append()?;
            }
            45..60 => {
                let pos = self.append()?;
                if self.log.harden(pos, FlushReason::Commit).is_err() {
                    return Err(Stop::Down);
                }
                self.hardened = self.hardened.max(pos);
            }
            60..75 if !self.zeroing => {
                self.zeroing = self.log.begin_ahead();
                self.seen.pieces += u64::from(self.zeroing);
            }
            75..83 if self.zeroing => {
                self.log.end_ahead();
                self.zeroing = false;
            }
            83..85 => self.log.sync_ahead(),
            85..88 => self.seen.ahead += u64::from(self.log.grow_ahead()),
            88 => self.checkpoint(),
            89 => {
                let mut held = self.held.lock().unwrap();
                *held = if held.is_some() { None } else { Some(self.log.oldest()) };
            }
            90 => {
                let before = self.log.space().total;
                if self.log.shrink_file(0, ShrinkMode::Truncate).is_err() {
                    return Err(Stop::Down);
                }
                self.seen.shrinks += u64::from(self.log.space().total < before);
            }
            91 => {
                let size = self.log.files()[0].size + (256 << 10);
                // A refusal is in the message's text; a failure shows in the log.
                let _ = self.log.grow_file(0, size);
            }
            92 => {
                self.log.writer_tick();
            }
            _ => {}
        }
        let s = self.world.stats();
        if s.races > 0 {
            return Err(Stop::Finding(format!("{} writes of one place at a time", s.races)));
        }
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), String> {
        let growths = self.options.counters.log_growths.get();
        self.seen.growths += growths;
        self.seen.missed += u64::from(self.log.written_uninitialized() > 0);
        self.seen.crashes_while_zeroing += u64::from(self.zeroing);
        self.world.set_capacity(u64::MAX);
        self.world.restart();
        self.zeroing = false;
        self.seen.crashes += 1;
        *self.held.lock().unwrap() = None;
        self.options = LogOptions { counters: Arc::default(), ..self.options.clone() };
        let anchor = LogAnchor::from_bytes(&self.anchor).ok_or("anchor")?;
        let mut got = Vec::new();
        let (log, _) =
            Log::open_with(&self.world.env(), &self.paths, self.options.clone(), &anchor, |r| {
                got.push((r.pos, r.payload.to_vec()));
                Ok(())
            })
            .map_err(|e| format!("open: {e}"))?;
        self.log = log;
        self.register();
        self.seen.reopened_fresh += u64::from(self.log.uninitialized() > 0);
        let mut want = self.model.range(anchor.pos..);
        for (pos, bytes) in &got {
            let (p, serial) = want.next().ok_or(format!("{pos:?} came from nowhere"))?;
            if p != pos || *bytes != payload(*serial) {
                return Err(format!("{pos:?} is not what was appended at {p:?}"));
            }
        }
        let survivor = got.last().map_or(LogPos::ZERO, |g| g.0);
        if survivor < self.hardened && self.hardened >= anchor.pos {
            return Err(format!("hardened up to {:?}, survived {survivor:?}", self.hardened));
        }
        let keep = survivor.max(LogPos(anchor.pos.0.saturating_sub(1)));
        self.model.split_off(&LogPos(keep.0 + 1));
        self.hardened = keep.min(self.log.last_record().max(self.hardened));
        Ok(())
    }

    fn go(&mut self, crashes: u64) -> Result<(), String> {
        for _ in 0..crashes {
            match self.rng.below(10) {
                0..6 => self.world.crash_at(1 + self.rng.below(80)),
                6 => {
                    let kinds = [IoKind::Write, IoKind::Sync, IoKind::Allocate];
                    self.world.inject(Fault {
                        nth: 1 + self.rng.below(12),
                        kind: Some(kinds[self.rng.below(3) as usize]),
                        path_contains: String::new(),
                        fault: if self.rng.one_in(2) { FaultKind::Io } else { FaultKind::Full },
                        sticky: self.rng.one_in(3),
                    });
                }
                7 => self.world.set_capacity(self.log.space().total + (200 << 10)),
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
                        self.world.set_capacity(u64::MAX);
                    }
                    Err(Stop::Down) if self.down() => break,
                    Err(Stop::Down) => return Err("the log gave up without a failure".into()),
                }
                if self.down() {
                    break;
                }
            }
            self.seen.faults = self.world.stats().faults;
            self.reopen()?;
        }
        Ok(())
    }
}

fn sum(total: &mut Seen, s: &Seen) {
    for (sum, n) in [
        (&mut total.crashes, s.crashes),
        (&mut total.crashes_while_zeroing, s.crashes_while_zeroing),
        (&mut total.growths, s.growths),
        (&mut total.ahead, s.ahead),
        (&mut total.pieces, s.pieces),
        (&mut total.missed, s.missed),
        (&mut total.shrinks, s.shrinks),
        (&mut total.full, s.full),
        (&mut total.disk_full, s.disk_full),
        (&mut total.faults, s.faults),
        (&mut total.records, s.records),
        (&mut total.reopened_fresh, s.reopened_fresh),
        (&mut total.crashes_in_growth, s.crashes_in_growth),
    ] {
        *sum += n;
    }
}

#[test]
fn logs_with_zeroing_in_flight_survive_crashes() {
    let first = std::env::var("GROWTH_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let mut seen = Seen::default();
    for seed in first..first + seeds(500) {
        let mut run = Run::new(seed);
        let outcome = run.go(5);
        sum(&mut seen, &run.seen);
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
    run.log.set_growth_rules(mode, run.log.vlf_algorithm());
    *run.held.lock().unwrap() = Some(run.log.oldest());
    let mut done = 0;
    while appends.is_none_or(|n| done < n) {
        let growths = run.options.counters.log_growths.get();
        let pos = run.append().ok().expect("the log grows");
        if appends.is_none() && run.options.counters.log_growths.get() > growths {
            break;
        }
        run.log.harden(pos, FlushReason::Commit).unwrap();
        run.hardened = pos;
        done += 1;
    }
    (run, done)
}

/// The power fails at each I/O step of a growth, from its first step to its last, in each mode: one that an append needs, and one by
/// hand beside a piece of zeroes in flight.
#[test]
fn power_may_fail_at_every_step_of_a_growth() {
    let (mut cuts, mut pieces) = (0, 0);
    let modes = [Initialization::Zero, Initialization::Sql2022, Initialization::Ahead];
    for (mode, by_hand, seed) in modes
        .iter()
        .flat_map(|m| [false, true].map(|b| (*m, b)))
        .flat_map(|(m, b)| (0..8).map(move |seed| (m, b, seed)))
    {
        let (_, appends) = before_growth(seed, mode, None);
        for nth in 1.. {
            let case = format!("{mode:?}, by hand {by_hand}, seed {seed}, cut {nth}");
            let (mut run, _) = before_growth(seed, mode, Some(appends));
            if by_hand {
                let pos = run.append().ok().expect("the log grows");
                run.log.harden(pos, FlushReason::Commit).unwrap();
                run.hardened = pos;
                run.zeroing = run.log.begin_ahead();
                pieces += u64::from(run.zeroing);
            }
            let growths = run.options.counters.log_growths.get();
            let size = run.log.files()[0].size + (256 << 10);
            run.world.crash_at(nth);
            let done = if by_hand {
                run.log.grow_file(0, size).is_ok()
            } else {
                match run.append() {
                    Err(Stop::Finding(text)) => panic!("{case}: {text}"),
                    outcome => outcome.is_ok(),
                }
            };
            let cut = !run.world.is_powered();
            if !cut {
                let grown = run.options.counters.log_growths.get() - growths;
                assert!(done && grown == 1, "{case}: {done}, {grown} growths");
                assert!(nth > 4, "{case}: a growth takes more steps");
            }
            assert_eq!(run.world.stats().races, 0, "{case}");
            run.reopen().unwrap_or_else(|e| panic!("{case}: {e}"));
            for _ in 0..60 {
                let pos = run.append().ok().expect("the log goes on");
                run.log.harden(pos, FlushReason::Commit).unwrap();
                run.hardened = pos;
            }
            run.log.ahead_tick();
            run.reopen().unwrap_or_else(|e| panic!("{case}, once more: {e}"));
            cuts += u64::from(cut);
            if !cut {
                break;
            }
        }
    }
    assert!(cuts > 6 * 8 * 4, "only {cuts} cuts");
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
                run.log.set_growth_rules(mode, run.log.vlf_algorithm());
                *run.held.lock().unwrap() = Some(run.log.oldest());
                while run.log.space().free > 150 << 10 {
                    match run.append() {
                        Ok(_) => {}
                        _ => break,
                    }
                }
                run.log.flush(FlushReason::Request).unwrap();
                run.hardened = run.log.last_record();
                let before = run.options.counters.log_growths.get();
                if run.rng.one_in(2) {
                    run.zeroing = run.log.begin_ahead();
                }
                let operations = run.world.stats().operations;
                run.world.crash_at(step);
                let mut grown = false;
                for n in 0..400 {
                    let outcome = match n % 7 {
                        3 => {
                            run.zeroing |= run.log.begin_ahead();
                            Ok(())
                        }
                        5 => {
                            run.log.end_ahead();
                            run.zeroing = false;
                            run.log.sync_ahead();
                            Ok(())
                        }
                        _ => run.append().map(|pos| {
                            if run.log.harden(pos, FlushReason::Commit).is_ok() {
                                run.hardened = run.hardened.max(pos);
                            }
                        }),
                    };
                    grown |= run.options.counters.log_growths.get() > before;
                    if let Err(Stop::Finding(text)) = outcome {
                        panic!("{mode:?} step {step} seed {seed}: {text}");
                    }
                    if run.down() {
                        break;
                    }
                }
                assert!(!run.world.is_powered(), "the power failed");
                assert_eq!(run.world.stats().races, 0);
                steps_hit += u64::from(run.world.stats().operations == operations + step);
                run.seen.crashes_in_growth += u64::from(!grown);
                if let Err(text) = run.reopen() {
                    panic!("{mode:?} step {step} seed {seed}: {text}");
                }
                // It goes on: another growth, and everything is read back after another crash.
                for _ in 0..60 {
                    let pos = run.append().ok().expect("the log goes on");
                    run.log.harden(pos, FlushReason::Commit).unwrap();
                    run.hardened = pos;
                }
                run.log.ahead_tick();
                if let Err(text) = run.reopen() {
                    panic!("{mode:?} step {step} seed {seed}, once more: {text}");
                }
            }
        }
    }
    assert!(steps_hit > 600, "{steps_hit} power cuts at the planned step");
}
