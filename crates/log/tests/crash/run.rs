//! One run: a log, transactions that come, go and roll back, trouble, and what must be there after each restart.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use taffrail_base::{LogPos, PageId, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimRng};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, Lcx, Log, LogError, LogFileSpec, LogOptions, Lop,
    RecordFlags, RecordHeader, Reserve, ReuseWait, TxLog, VlfAlgorithm,
};

use crate::rig::{Rig, counts, some_paths, world};

counts!(pub Seen {
    crashes,
    power_cuts_in_io,
    torn_tails,
    lost_records,
    vlf_switches,
    wraps,
    growths,
    checkpoints,
    full,
    rollbacks,
    fetches,
    io_errors,
    disk_full,
    records,
    notices,
});

/// What the test knows of a record. Insertions have the whole payload of their serial number, all others begin with the number.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    serial: u64,
    op: Lop,
}

fn payload(serial: u64) -> Vec<u8> {
    crate::rig::payload(serial, |rng| match rng.below(20) {
        0 => 8 + rng.below(9000),
        1 => 8 + rng.below(40_000),
        _ => 8 + rng.below(300),
    })
}

pub struct Run {
    pub rig: Rig<Known>,
    rng: SimRng,
    next_txn: u64,
    /// One step in so many is a checkpoint.
    checkpoint_every: u64,
    /// Syncs before the first crash.
    pub first_syncs: u64,
    active: Vec<TxLog>,
    oldest_active: Arc<Mutex<Option<LogPos>>>,
    pub seen: Seen,
}

pub type Outcome = Result<(), String>;

/// What ends a stretch of work: the power or the log failed. Anything else is a finding.
pub enum Stop {
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
    pub fn new(seed: u64) -> Run {
        let mut rng = SimRng::new(seed ^ 0x00c0_ffee);
        let world = world(seed, !rng.one_in(2));
        let paths = some_paths(&mut rng);
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
        let mut rig = Rig::on(world, &specs, options, 3);
        rig.serial = seed << 32;
        let mut run = Run {
            rig,
            rng,
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
        self.rig.log.register_holder(Box::new(move || {
            let pos = (*oldest.lock().unwrap())?;
            Some(Hold { wait: ReuseWait::ActiveTransaction, pos })
        }));
    }

    fn note_active(&self) {
        let oldest = self.active.iter().map(|t| t.first).filter(|p| !p.is_zero()).min();
        *self.oldest_active.lock().unwrap() = oldest;
    }

    fn note(&mut self, pos: LogPos, serial: u64, op: Lop) -> Result<(), Stop> {
        let last = self.rig.model.last_key_value().map(|(p, _)| *p);
        if last.is_some_and(|l| l >= pos) {
            return Err(Stop::Finding(format!("{pos:?} was given after {last:?}")));
        }
        self.rig.model.insert(pos, Known { serial, op });
        self.seen.records += 1;
        Ok(())
    }

    fn append(&mut self, tx: usize, op: Lop) -> Result<LogPos, Stop> {
        self.rig.serial += 1;
        let serial = self.rig.serial;
        let bytes = payload(serial);
        let header = RecordHeader {
            page: PageId::new(1, serial as u32),
            ..RecordHeader::new(op, Lcx::Heap)
        };
        let reserve = if op == Lop::InsertRows { Reserve::undo(16) } else { Reserve::NONE };
        let small = &bytes[..8];
        let parts: &[&[u8]] = if op == Lop::InsertRows { &[small, &bytes[8..]] } else { &[small] };
        match self.rig.log.append(&mut self.active[tx], &header, parts, reserve) {
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
        let before = self.rig.log.space().total;
        while !self.active.is_empty() {
            self.roll_back(0)?;
        }
        for _ in 0..2 {
            self.checkpoint()?;
        }
        if self.rig.log.truncate() != ReuseWait::Nothing {
            let text = format!("full, and healing did not help: {:?}", self.rig.log.space());
            return Err(Stop::Finding(text));
        }
        if self.rig.log.space().reserved != 0 {
            return Err(Stop::Finding("reservations are left over".into()));
        }
        // Blocks that each hold little can eat the reserve; then the log grows past its limits rather than fail.
        self.seen.growths += u64::from(self.rig.log.space().total > before);
        Ok(())
    }

    fn harden(&mut self, pos: LogPos) -> Result<(), Stop> {
        self.rig.log.harden(pos, FlushReason::Commit)?;
        if self.rig.log.durable() <= pos {
            return Err(Stop::Finding(format!(
                "hardened {pos:?}, durable {:?}",
                self.rig.log.durable()
            )));
        }
        self.rig.hardened = self.rig.hardened.max(pos);
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
            self.rig.serial += 1;
            let header = RecordHeader {
                page: PageId::new(1, 7),
                flags: RecordFlags::COMPENSATION,
                undo_next: at,
                ..RecordHeader::new(Lop::DeleteRows, Lcx::Heap)
            };
            let serial = self.rig.serial;
            let parts: &[&[u8]] = &[&serial.to_le_bytes(), &undone.0.to_le_bytes()];
            match self.rig.log.append(&mut self.active[tx], &header, parts, Reserve::NONE) {
                Ok(pos) => self.note(pos, serial, Lop::DeleteRows)?,
                Err(AppendError::LogUnavailable) => return Err(Stop::Crash),
                Err(e) => return Err(Stop::Finding(format!("rollback: {e}"))),
            }
        }
        self.rig.serial += 1;
        let serial = self.rig.serial;
        let header = RecordHeader::new(Lop::AbortXact, Lcx::Null);
        let mut tx = self.active.remove(tx);
        match self.rig.log.append(&mut tx, &header, &[&serial.to_le_bytes()], Reserve::NONE) {
            Ok(pos) => self.note(pos, serial, Lop::AbortXact)?,
            Err(AppendError::LogUnavailable) => return Err(Stop::Crash),
            Err(e) => return Err(Stop::Finding(format!("end of rollback: {e}"))),
        }
        self.rig.log.release(&mut tx);
        self.note_active();
        Ok(())
    }

    /// Fetches a record and compares it; returns its operation, whether it is a compensation, and where undo goes on.
    fn fetch(&mut self, pos: LogPos) -> Result<(Lop, bool, LogPos), Stop> {
        self.seen.fetches += 1;
        let r = self.rig.log.fetch(pos)?;
        let known = &self.rig.model[&pos];
        if r.header.op != known.op || r.payload[..8] != known.serial.to_le_bytes() {
            return Err(Stop::Finding(format!("fetched another record at {pos:?}")));
        }
        let compensation = r.header.is_compensation();
        let next = if compensation { r.header.undo_next } else { r.header.prev };
        Ok((r.header.op, compensation, next))
    }

    fn system(&mut self, op: Lop) -> Result<LogPos, Stop> {
        self.rig.serial += 1;
        let serial = self.rig.serial;
        let header = RecordHeader::new(op, Lcx::Null);
        match self.rig.log.append_system(&header, &[&serial.to_le_bytes()]) {
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
        let begin = self.rig.log.appended();
        let first = self.system(Lop::BeginCkpt)?;
        let end = self.system(Lop::EndCkpt)?;
        if first.is_zero() || end.is_zero() {
            return Ok(());
        }
        self.harden(end)?;
        let oldest = self.oldest_active.lock().unwrap().unwrap_or(LogPos::MAX);
        let min = begin.min(oldest);
        let head = |log: &Log| log.vlfs().iter().map(|v| v.seqno.0).max().unwrap_or(0);
        let wraps = self.rig.log.vlf_count() as u32;
        self.seen.wraps += u64::from(head(&self.rig.log) > 34 + wraps);
        if !self.rig.let_go(min) {
            return Err(Stop::Finding("no anchor".into()));
        }
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
                self.rig.log.release(&mut t);
                self.note_active();
                if self.rng.one_in(3) {
                    self.rig.log.request_lazy();
                } else {
                    self.harden(pos)?;
                }
            }
            86 if !self.active.is_empty() => self.roll_back(tx)?,
            87..90 => {
                self.rig.world.clock().advance(Duration::from_millis(3));
                self.rig.log.writer_tick();
            }
            90..92 => {
                let some = self.rig.model.range(self.rig.log.oldest()..).next().map(|(p, _)| *p);
                if let Some(pos) = some {
                    self.fetch(pos)?;
                }
            }
            92 => {
                self.rig.log.flush(FlushReason::Request)?;
                self.rig.hardened = self.rig.hardened.max(self.rig.log.last_record());
            }
            93 => self.read_back()?,
            _ => {}
        }
        Ok(())
    }

    /// Reads everything durable since the anchor.
    fn read_back(&mut self) -> Result<(), Stop> {
        let from = self.rig.anchor().pos;
        let mut reader = self.rig.log.reader(from)?;
        let durable = self.rig.log.durable();
        let mut want = self.rig.model.range(from..durable);
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
        self.seen.power_cuts_in_io += u64::from(!self.rig.world.is_powered());
        self.seen.io_errors += u64::from(self.rig.log.is_failed() && self.rig.world.is_powered());
        self.seen.growths += self.rig.options.counters.log_growths.get();
        self.rig.world.set_capacity(u64::MAX);
        self.rig.world.restart();
        self.seen.crashes += 1;
        let found = self.rig.recover(|known, header, bytes| {
            let full = payload(known.serial);
            let (want, got) = match known.op {
                Lop::InsertRows => (&full[..], bytes),
                // It also says what it has undone.
                Lop::DeleteRows => (&full[..8], &bytes[..8]),
                _ => (&full[..8], bytes),
            };
            known.op == header.op && want == got
        })?;
        self.seen.torn_tails += u64::from(found.report.torn_tail);
        self.seen.lost_records += found.lost;
        self.active.clear();
        self.note_active();
        self.register();
        Ok(())
    }

    fn plan_trouble(&mut self) {
        match self.rng.below(10) {
            0..6 => self.rig.world.crash_at(1 + self.rng.below(120)),
            6 => {
                let kind = [IoKind::WriteDurable, IoKind::Write, IoKind::Sync, IoKind::Allocate];
                self.rig.world.inject(Fault {
                    nth: 1 + self.rng.below(20),
                    kind: Some(kind[self.rng.below(4) as usize]),
                    path_contains: String::new(),
                    fault: FaultKind::Io,
                    sticky: self.rng.one_in(2),
                });
            }
            7 => self.rig.world.set_capacity(self.rig.log.space().total + (300 << 10)),
            _ => {}
        }
    }

    pub fn go(&mut self, crashes: u64) -> Outcome {
        for _ in 0..crashes {
            self.plan_trouble();
            for _ in 0..self.rng.below(1000) {
                match self.step() {
                    Ok(()) => {}
                    Err(Stop::Crash)
                        if self.rig.log.is_failed() || !self.rig.world.is_powered() =>
                    {
                        break;
                    }
                    Err(Stop::Crash) => {}
                    Err(Stop::Finding(text)) => return Err(text),
                }
            }
            if self.first_syncs == 0 {
                self.first_syncs = self.rig.world.stats().syncs;
            }
            let vlfs = self.rig.log.vlfs();
            self.seen.vlf_switches += vlfs.iter().filter(|v| v.seqno.0 > 34).count() as u64;
            self.reopen()?;
        }
        Ok(())
    }
}
