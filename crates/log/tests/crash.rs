//! Random work on the simulated disk, power cut at random moments, reopened each time.
//!
//! After every crash: each record that was hardened is there, what survives is a prefix of what was appended, with the
//! same bytes at the same positions; the log goes on from there. `CRASH_SEEDS` sets how many seeds run.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taffrail_base::{LogPos, PageId, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimOptions, SimRng, SimWorld};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Lcx, Log, LogAnchor, LogError, LogFileSpec, LogOptions,
    Lop, RecordFlags, RecordHeader, Reserve, ReuseWait, TxLog, VlfAlgorithm,
};

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    crashes: u64,
    power_cuts_in_io: u64,
    torn_tails: u64,
    lost_records: u64,
    vlf_switches: u64,
    wraps: u64,
    growths: u64,
    checkpoints: u64,
    full: u64,
    rollbacks: u64,
    fetches: u64,
    io_errors: u64,
    disk_full: u64,
    records: u64,
    notices: u64,
}

/// What the test knows of a record.
#[derive(Clone, PartialEq, Debug)]
struct Known {
    serial: u64,
    op: Lop,
}

/// The payload of a record follows from its serial number.
fn payload(serial: u64) -> Vec<u8> {
    let mut rng = SimRng::new(serial);
    let len = match rng.below(20) {
        0 => 8 + rng.below(9000) as usize,
        1 => 8 + rng.below(40_000) as usize,
        _ => 8 + rng.below(300) as usize,
    };
    let mut bytes = vec![0; len];
    rng.fill(&mut bytes);
    bytes[..8].copy_from_slice(&serial.to_le_bytes());
    bytes
}

struct Run {
    world: SimWorld,
    rng: SimRng,
    paths: Vec<PathBuf>,
    options: LogOptions,
    log: Arc<Log>,
    /// The boot page: the last anchor that is "durable".
    anchor: [u8; LogAnchor::BYTES],
    model: BTreeMap<LogPos, Known>,
    /// The last record known to be durable.
    hardened: LogPos,
    serial: u64,
    next_txn: u64,
    /// One step in so many is a checkpoint.
    checkpoint_every: u64,
    /// Syncs before the first crash.
    first_syncs: u64,
    active: Vec<TxLog>,
    oldest_active: Arc<Mutex<Option<LogPos>>>,
    seen: Seen,
}

type Outcome = Result<(), String>;

/// What ends a stretch of work: the power or the log failed. Anything else is a finding.
enum Stop {
    Crash,
    Finding(String),
}

impl From<LogError> for Stop {
    fn from(e: LogError) -> Stop {
        match e {
            LogError::Io(_) | LogError::Unavailable => Stop::Crash,
            other => Stop::Finding(other.to_string()),
        }
    }
}

impl Run {
    fn new(seed: u64) -> Run {
        let mut rng = SimRng::new(seed ^ 0x00c0_ffee);
        let sector = if rng.one_in(2) { 512 } else { 4096 };
        let world = SimWorld::with_options(seed, SimOptions { sector, ..SimOptions::default() });
        let paths: Vec<PathBuf> = match rng.below(4) {
            0 => vec!["/a_log.ldf".into(), "/b_log.ldf".into()],
            _ => vec!["/a_log.ldf".into()],
        };
        let growth = match rng.below(3) {
            0 => Growth::None,
            1 => Growth::Bytes(256 << 10),
            _ => Growth::Percent(30),
        };
        let specs: Vec<LogFileSpec> = paths
            .iter()
            .map(|path| LogFileSpec {
                growth,
                max_size: 3 << 20,
                ..LogFileSpec::new(path, (512 + 256 * rng.below(4)) << 10)
            })
            .collect();
        let options = LogOptions {
            vlf_algorithm: [VlfAlgorithm::V2012, VlfAlgorithm::V2014, VlfAlgorithm::V2022]
                [rng.below(3) as usize],
            buffers: 3 + rng.below(6) as usize,
            ..LogOptions::default()
        };
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
            next_txn: 1,
            checkpoint_every: [40, 100, 1000][seed as usize % 3],
            first_syncs: 0,
            active: Vec::new(),
            oldest_active: Arc::default(),
            seen: Seen::default(),
        };
        run.register();
        run
    }

    fn register(&mut self) {
        let oldest = Arc::clone(&self.oldest_active);
        self.log.register_holder(Box::new(move || {
            let pos = (*oldest.lock().unwrap())?;
            Some(Hold { wait: ReuseWait::ActiveTransaction, pos })
        }));
    }

    fn note_active(&self) {
        let oldest = self.active.iter().map(|t| t.first).filter(|p| !p.is_zero()).min();
        *self.oldest_active.lock().unwrap() = oldest;
    }

    fn note(&mut self, pos: LogPos, serial: u64, op: Lop) -> Result<(), Stop> {
        let last = self.model.last_key_value().map(|(p, _)| *p);
        if last.is_some_and(|l| l >= pos) {
            return Err(Stop::Finding(format!("{pos:?} was given after {last:?}")));
        }
        self.model.insert(pos, Known { serial, op });
        self.seen.records += 1;
        Ok(())
    }

    fn append(&mut self, tx: usize, op: Lop) -> Result<LogPos, Stop> {
        self.serial += 1;
        let serial = self.serial;
        let bytes = payload(serial);
        let header = RecordHeader {
            page: PageId::new(1, serial as u32),
            ..RecordHeader::new(op, Lcx::Heap)
        };
        let reserve = if op == Lop::InsertRows { Reserve::undo(16) } else { Reserve::NONE };
        let small = &bytes[..8];
        let parts: &[&[u8]] = if op == Lop::InsertRows { &[small, &bytes[8..]] } else { &[small] };
        match self.log.append(&mut self.active[tx], &header, parts, reserve) {
            Ok(pos) => {
                self.note(pos, serial, op)?;
                self.note_active();
                Ok(pos)
            }
            Err(AppendError::LogFull { growth, .. }) => {
                self.seen.full += 1;
                self.seen.disk_full += u64::from(growth.is_some());
                self.heal()?;
                Err(Stop::Crash)
            }
            Err(AppendError::LogUnavailable) => Err(Stop::Crash),
            Err(e) => Err(Stop::Finding(e.to_string())),
        }
    }

    /// The log is full: everything is rolled back, a checkpoint heals it. Ends the stretch without a crash.
    fn heal(&mut self) -> Result<(), Stop> {
        let before = self.log.space().total;
        while !self.active.is_empty() {
            self.roll_back(0)?;
        }
        for _ in 0..2 {
            self.checkpoint()?;
        }
        if self.log.truncate() != ReuseWait::Nothing {
            let text = format!("full, and healing did not help: {:?}", self.log.space());
            return Err(Stop::Finding(text));
        }
        if self.log.space().reserved != 0 {
            return Err(Stop::Finding("reservations are left over".into()));
        }
        // Blocks that each hold little can eat the reserve; then the log grows past its limits rather than fail.
        self.seen.growths += u64::from(self.log.space().total > before);
        Ok(())
    }

    fn harden(&mut self, pos: LogPos) -> Result<(), Stop> {
        self.log.harden(pos, FlushReason::Commit)?;
        if self.log.durable() <= pos {
            return Err(Stop::Finding(format!(
                "hardened {pos:?}, durable {:?}",
                self.log.durable()
            )));
        }
        self.hardened = self.hardened.max(pos);
        Ok(())
    }

    fn roll_back(&mut self, tx: usize) -> Result<(), Stop> {
        self.seen.rollbacks += 1;
        let mut at = self.active[tx].undo_next;
        while !at.is_zero() {
            let record = self.fetch(at)?;
            if record.1 {
                at = record.2;
                continue;
            }
            let op = record.0;
            let undone = at;
            at = record.2;
            if op != Lop::InsertRows {
                continue;
            }
            self.serial += 1;
            let header = RecordHeader {
                page: PageId::new(1, 7),
                flags: RecordFlags::COMPENSATION,
                undo_next: at,
                ..RecordHeader::new(Lop::DeleteRows, Lcx::Heap)
            };
            let serial = self.serial;
            let parts: &[&[u8]] = &[&serial.to_le_bytes(), &undone.0.to_le_bytes()];
            match self.log.append(&mut self.active[tx], &header, parts, Reserve::NONE) {
                Ok(pos) => self.note(pos, serial, Lop::DeleteRows)?,
                Err(AppendError::LogUnavailable) => return Err(Stop::Crash),
                Err(e) => return Err(Stop::Finding(format!("rollback: {e}"))),
            }
        }
        self.serial += 1;
        let serial = self.serial;
        let header = RecordHeader::new(Lop::AbortXact, Lcx::Null);
        let mut tx = self.active.remove(tx);
        match self.log.append(&mut tx, &header, &[&serial.to_le_bytes()], Reserve::NONE) {
            Ok(pos) => self.note(pos, serial, Lop::AbortXact)?,
            Err(AppendError::LogUnavailable) => return Err(Stop::Crash),
            Err(e) => return Err(Stop::Finding(format!("end of rollback: {e}"))),
        }
        self.log.release(&mut tx);
        self.note_active();
        Ok(())
    }

    /// Fetches a record and compares it; returns its operation, whether it is a compensation, and where undo goes on.
    fn fetch(&mut self, pos: LogPos) -> Result<(Lop, bool, LogPos), Stop> {
        self.seen.fetches += 1;
        let r = self.log.fetch(pos)?;
        let known = &self.model[&pos];
        if r.header.op != known.op || r.payload[..8] != known.serial.to_le_bytes() {
            return Err(Stop::Finding(format!("fetched another record at {pos:?}")));
        }
        let compensation = r.header.is_compensation();
        let next = if compensation { r.header.undo_next } else { r.header.prev };
        Ok((r.header.op, compensation, next))
    }

    fn system(&mut self, op: Lop) -> Result<LogPos, Stop> {
        self.serial += 1;
        let serial = self.serial;
        let header = RecordHeader::new(op, Lcx::Null);
        match self.log.append_system(&header, &[&serial.to_le_bytes()]) {
            Ok(pos) => {
                self.note(pos, serial, op)?;
                Ok(pos)
            }
            Err(AppendError::LogFull { .. }) => Ok(LogPos::ZERO),
            Err(AppendError::LogUnavailable) => Err(Stop::Crash),
            Err(e) => Err(Stop::Finding(e.to_string())),
        }
    }

    fn checkpoint(&mut self) -> Result<(), Stop> {
        let begin = self.log.appended();
        let first = self.system(Lop::BeginCkpt)?;
        let end = self.system(Lop::EndCkpt)?;
        if first.is_zero() || end.is_zero() {
            return Ok(());
        }
        self.harden(end)?;
        let oldest = self.oldest_active.lock().unwrap().unwrap_or(LogPos::MAX);
        let min = begin.min(oldest);
        let anchor = self.log.anchor_at(min).ok_or(Stop::Finding("no anchor".into()))?;
        self.anchor = anchor.to_bytes();
        self.log.set_checkpoint(min);
        let head = |log: &Log| log.vlfs().iter().map(|v| v.seqno.0).max().unwrap_or(0);
        let wraps = self.log.vlf_count() as u32;
        self.seen.wraps += u64::from(head(&self.log) > 34 + wraps);
        self.log.truncate();
        self.seen.checkpoints += 1;
        Ok(())
    }

    fn step(&mut self) -> Result<(), Stop> {
        let tx = match self.active.len() as u64 {
            0 => 0,
            n => self.rng.below(n) as usize,
        };
        if self.rng.one_in(self.checkpoint_every) {
            return self.checkpoint();
        }
        match self.rng.below(100) {
            0..10 if self.active.len() < 6 => {
                let id = TransactionId(self.next_txn);
                self.next_txn += 1;
                self.active.push(TxLog::new(id));
                let last = self.active.len() - 1;
                self.append(last, Lop::BeginXact)?;
            }
            0..76 if !self.active.is_empty() => {
                self.append(tx, Lop::InsertRows)?;
            }
            76..86 if !self.active.is_empty() => {
                let pos = self.append(tx, Lop::CommitXact)?;
                let mut t = self.active.remove(tx);
                self.log.release(&mut t);
                self.note_active();
                if self.rng.one_in(3) {
                    self.log.request_lazy();
                } else {
                    self.harden(pos)?;
                }
            }
            86 if !self.active.is_empty() => self.roll_back(tx)?,
            87..90 => {
                self.world.clock().advance(Duration::from_millis(3));
                self.log.writer_tick();
            }
            90..92 => {
                let some = self.model.range(self.log.oldest()..).next().map(|(p, _)| *p);
                if let Some(pos) = some {
                    self.fetch(pos)?;
                }
            }
            92 => {
                self.log.flush(FlushReason::Request)?;
                self.hardened = self.hardened.max(self.log.last_record());
            }
            93 => self.read_back()?,
            _ => {}
        }
        Ok(())
    }

    /// Reads everything durable since the anchor.
    fn read_back(&mut self) -> Result<(), Stop> {
        let from = LogAnchor::from_bytes(&self.anchor).unwrap().pos;
        let mut reader = self.log.reader(from)?;
        let durable = self.log.durable();
        let mut want = self.model.range(from..durable);
        while let Some(r) = reader.next()? {
            let Some((pos, known)) = want.next() else {
                return Err(Stop::Finding(format!("read {:?}, which is not known", r.pos)));
            };
            if (r.pos, r.header.op) != (*pos, known.op)
                || r.payload[..8] != known.serial.to_le_bytes()
            {
                return Err(Stop::Finding(format!("read {:?} instead of {pos:?}", r.pos)));
            }
        }
        match want.next() {
            None => Ok(()),
            Some((pos, _)) => Err(Stop::Finding(format!("{pos:?} was not read"))),
        }
    }

    fn reopen(&mut self) -> Outcome {
        self.seen.power_cuts_in_io += u64::from(!self.world.is_powered());
        self.seen.io_errors += u64::from(self.log.is_failed() && self.world.is_powered());
        self.seen.growths += self.options.counters.log_growths.get();
        self.world.set_capacity(u64::MAX);
        self.world.restart();
        self.seen.crashes += 1;
        self.options = LogOptions { counters: Arc::default(), ..self.options.clone() };
        let anchor = LogAnchor::from_bytes(&self.anchor).ok_or("anchor")?;
        let mut got = Vec::new();
        let opened =
            Log::open_with(&self.world.env(), &self.paths, self.options.clone(), &anchor, |r| {
                got.push((r.pos, r.header.op, r.payload.to_vec()));
                Ok(())
            });
        let (log, report) = opened.map_err(|e| format!("open: {e}"))?;
        self.seen.torn_tails += u64::from(report.torn_tail);
        self.log = log;
        self.active.clear();
        self.note_active();
        self.register();
        // A prefix, with the right bytes.
        let mut want = self.model.range(anchor.pos..);
        for (pos, op, bytes) in &got {
            let (p, known) = want.next().ok_or(format!("{pos:?} came from nowhere"))?;
            let full = payload(known.serial);
            let expect = match known.op {
                Lop::InsertRows => &full[..],
                _ => &full[..8],
            };
            let same = if known.op == Lop::DeleteRows { &bytes[..8] } else { &bytes[..] };
            if (p, known.op) != (pos, *op) || same != expect {
                return Err(format!("{pos:?} {op} is not what was appended at {p:?}"));
            }
        }
        let survivor = got.last().map_or(LogPos::ZERO, |g| g.0);
        if survivor < self.hardened && self.hardened >= anchor.pos {
            return Err(format!("hardened up to {:?}, survived {survivor:?}", self.hardened));
        }
        let keep = survivor.max(LogPos(anchor.pos.0.saturating_sub(1)));
        let lost = self.model.split_off(&LogPos(keep.0 + 1));
        self.seen.lost_records += lost.len() as u64;
        self.hardened = keep.min(self.log.last_record().max(self.hardened));
        Ok(())
    }

    fn plan_trouble(&mut self) {
        match self.rng.below(10) {
            0..6 => self.world.crash_at(1 + self.rng.below(120)),
            6 => {
                let kind = [IoKind::WriteDurable, IoKind::Write, IoKind::Sync, IoKind::Allocate];
                self.world.inject(Fault {
                    nth: 1 + self.rng.below(20),
                    kind: Some(kind[self.rng.below(4) as usize]),
                    path_contains: String::new(),
                    fault: FaultKind::Io,
                    sticky: self.rng.one_in(2),
                });
            }
            7 => self.world.set_capacity(self.log.space().total + (300 << 10)),
            _ => {}
        }
    }

    fn go(&mut self, crashes: u64) -> Outcome {
        for _ in 0..crashes {
            self.plan_trouble();
            for _ in 0..self.rng.below(1000) {
                match self.step() {
                    Ok(()) => {}
                    Err(Stop::Crash) if self.log.is_failed() || !self.world.is_powered() => break,
                    Err(Stop::Crash) => {}
                    Err(Stop::Finding(text)) => return Err(text),
                }
            }
            if self.first_syncs == 0 {
                self.first_syncs = self.world.stats().syncs;
            }
            let vlfs = self.log.vlfs();
            self.seen.vlf_switches += vlfs.iter().filter(|v| v.seqno.0 > 34).count() as u64;
            self.reopen()?;
        }
        Ok(())
    }
}

fn run(seed: u64, drop_sync: Option<u64>, total: &mut Seen) -> Outcome {
    let mut run = Run::new(seed);
    run.world.drop_sync(drop_sync);
    let outcome = run.go(6);
    let s = run.seen;
    for (sum, n) in [
        (&mut total.crashes, s.crashes),
        (&mut total.power_cuts_in_io, s.power_cuts_in_io),
        (&mut total.torn_tails, s.torn_tails),
        (&mut total.lost_records, s.lost_records),
        (&mut total.vlf_switches, s.vlf_switches),
        (&mut total.wraps, s.wraps),
        (&mut total.growths, s.growths),
        (&mut total.checkpoints, s.checkpoints),
        (&mut total.full, s.full),
        (&mut total.rollbacks, s.rollbacks),
        (&mut total.fetches, s.fetches),
        (&mut total.io_errors, s.io_errors),
        (&mut total.disk_full, s.disk_full),
        (&mut total.records, s.records),
        (&mut total.notices, u64::from(outcome.is_err())),
    ] {
        *sum += n;
    }
    outcome
}

fn seeds() -> u64 {
    std::env::var("CRASH_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(600)
}

#[test]
fn nothing_hardened_is_lost_and_survivors_are_a_prefix() {
    let first = std::env::var("CRASH_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let mut seen = Seen::default();
    for seed in first..first + seeds() {
        if let Err(text) = run(seed, None, &mut seen) {
            panic!("seed {seed}: {text}");
        }
    }
    // Straight to standard error: every run of the tests shows it, also one that captures what tests print.
    writeln!(std::io::stderr(), "{seen:?}").unwrap();
    if seeds() >= 500 {
        for (name, n) in [
            ("power cuts in I/O", seen.power_cuts_in_io),
            ("torn tails", seen.torn_tails),
            ("lost records", seen.lost_records),
            ("VLF switches", seen.vlf_switches),
            ("wraps", seen.wraps),
            ("growths", seen.growths),
            ("checkpoints", seen.checkpoints),
            ("full logs", seen.full),
            ("full disks", seen.disk_full),
            ("rollbacks", seen.rollbacks),
            ("I/O errors", seen.io_errors),
        ] {
            assert!(n > 0, "no {name} in {} seeds: the test proves nothing about them", seeds());
        }
    }
}

#[test]
fn the_same_seed_does_the_same() {
    let (mut a, mut b) = (Seen::default(), Seen::default());
    for seed in 0..5 {
        run(seed, None, &mut a).unwrap();
        run(seed, None, &mut b).unwrap();
    }
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn a_sync_that_is_left_out_is_noticed() {
    let mut seen = Seen::default();
    let tries = 100;
    for seed in 0..tries {
        // The last sync before the first crash: later ones do not cover for it.
        let mut plain = Run::new(seed);
        let made = plain.world.stats().syncs;
        plain.go(1).unwrap();
        let _ = run(seed, Some(plain.first_syncs.max(made + 1)), &mut seen);
    }
    println!("{} of {tries} noticed", seen.notices);
    assert!(seen.notices >= tries / 4, "only {} of {tries} were noticed", seen.notices);
}
