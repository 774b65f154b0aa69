//! A log on the simulated disk with a model beside it: what was appended, what must survive, which files there are.
//!
//! The rig keeps what a boot page keeps (an anchor and the list of paths) and follows its protocol: a path is written down
//! before its file is added and struck out after it was removed; strays are deleted at opening. What a test knows of a record is
//! its own affair: most know a serial number, from which the record's bytes follow.
#![allow(dead_code, unused_imports, unused_macros, reason = "each test binary uses a part of it")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use taffrail_base::{LogPos, TransactionId};
use taffrail_io::sim::{SimOptions, SimRng, SimWorld};
use taffrail_log::{
    AppendError, FlushReason, Growth, Hold, HolderId, Lcx, Log, LogAnchor, LogError, LogFileSpec,
    LogOptions, Lop, OpenReport, RecordHeader, Reserve, ReuseWait, ShrinkMode, ShrinkReport, TxLog,
    VlfStatus,
};

/// Bytes of the first VLF of a file; where the next begins follows from the sizes.
const FIRST: u64 = 8192;

pub struct Rig<Known = u64> {
    pub world: SimWorld,
    /// The boot page's list of log files.
    pub paths: Vec<PathBuf>,
    pub options: LogOptions,
    pub log: Arc<Log>,
    /// The boot page: the last anchor that is "durable".
    anchor: [u8; LogAnchor::BYTES],
    /// What is known of the records, by position.
    pub model: BTreeMap<LogPos, Known>,
    /// The last record known to be durable.
    pub hardened: LogPos,
    pub serial: u64,
    /// VLFs as shown last, for what [`Rig::changes`] tells.
    shown: BTreeMap<(usize, u64), String>,
}

/// The bytes of a record follow from its serial number, which stands at their beginning; how many there are is `len`'s affair.
pub fn payload(serial: u64, len: impl FnOnce(&mut SimRng) -> u64) -> Vec<u8> {
    let mut rng = SimRng::new(serial);
    let mut bytes = vec![0; len(&mut rng).max(8) as usize];
    rng.fill(&mut bytes);
    bytes[..8].copy_from_slice(&serial.to_le_bytes());
    bytes
}

pub fn spec(path: &str, kb: u64, growth: Growth) -> LogFileSpec {
    LogFileSpec { growth, ..LogFileSpec::new(path, kb << 10) }
}

/// What a programme of seeds has seen: counters that are summed up, and printed by name.
macro_rules! counts {
    ($visible:vis $name:ident { $($field:ident),* $(,)? }) => {
        #[derive(Clone, Copy, Debug, Default)]
        $visible struct $name {
            $($visible $field: u64,)*
        }

        impl $name {
            $visible fn add(&mut self, other: &$name) {
                $(self.$field += other.$field;)*
            }
        }
    };
}
pub(crate) use counts;

/// A number that the environment sets, e.g. a seed.
pub fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A world with sectors of one size or the other.
pub fn world(seed: u64, large: bool) -> SimWorld {
    let sector = if large { 4096 } else { 512 };
    SimWorld::with_options(seed, SimOptions { sector, ..SimOptions::default() })
}

/// Mostly one file, sometimes two.
pub fn some_paths(rng: &mut SimRng) -> Vec<PathBuf> {
    match rng.below(4) {
        0 => vec!["/a_log.ldf".into(), "/b_log.ldf".into()],
        _ => vec!["/a_log.ldf".into()],
    }
}

/// What a restart has found.
pub struct Reopened {
    pub report: OpenReport,
    /// Records that are no more.
    pub lost: u64,
}

/// What does not ask what is known of a record.
impl<Known> Rig<Known> {
    /// A new log.
    pub fn on(world: SimWorld, specs: &[LogFileSpec], options: LogOptions, guid: u8) -> Self {
        let log = Log::create(&world.env(), specs, options.clone(), [guid; 16]).unwrap();
        let anchor = log.anchor_at(log.appended()).unwrap().to_bytes();
        Rig {
            world,
            paths: specs.iter().map(|s| s.path.clone()).collect(),
            options,
            log,
            anchor,
            model: BTreeMap::new(),
            hardened: LogPos::ZERO,
            serial: 0,
            shown: BTreeMap::new(),
        }
    }

    /// Where reading begins after a restart.
    pub fn anchor(&self) -> LogAnchor {
        LogAnchor::from_bytes(&self.anchor).unwrap()
    }

    /// The end of a checkpoint: nothing before `min` is needed any more. False: there is no record there yet.
    pub fn let_go(&mut self, min: LogPos) -> bool {
        let Some(anchor) = self.log.anchor_at(min) else { return false };
        self.anchor = anchor.to_bytes();
        self.log.set_checkpoint(min);
        self.log.truncate();
        true
    }

    /// Opens the log again on a machine that has power: what survives is a prefix of what was appended, with everything that was
    /// hardened. `same` compares a record with what is known of it. The counters begin anew.
    pub fn recover(
        &mut self,
        same: impl Fn(&Known, &RecordHeader, &[u8]) -> bool,
    ) -> Result<Reopened, String> {
        self.options = LogOptions { counters: Arc::default(), ..self.options.clone() };
        let anchor = self.anchor();
        let mut got = Vec::new();
        let env = self.world.env();
        let opened = Log::open_with(&env, &self.paths, self.options.clone(), &anchor, |r| {
            got.push((r.pos, r.header, r.payload.to_vec()));
            Ok(())
        });
        let (log, report) = opened.map_err(|e| format!("open: {e}"))?;
        self.log = log;
        let mut want = self.model.range(anchor.pos..);
        for (pos, header, bytes) in &got {
            let (p, known) = want.next().ok_or(format!("{pos:?} came from nowhere"))?;
            if p != pos || !same(known, header, bytes) {
                return Err(format!("{pos:?} {} is not what was appended at {p:?}", header.op));
            }
        }
        let survivor = got.last().map_or(LogPos::ZERO, |g| g.0);
        if survivor < self.hardened && self.hardened >= anchor.pos {
            return Err(format!("hardened up to {:?}, survived {survivor:?}", self.hardened));
        }
        let keep = survivor.max(LogPos(anchor.pos.0.saturating_sub(1)));
        let lost = self.model.split_off(&LogPos(keep.0 + 1)).len() as u64;
        // What has survived stays.
        self.hardened = keep.min(self.log.last_record().max(self.hardened));
        Ok(Reopened { report, lost })
    }
}

/// Records that are known by their serial numbers.
impl Rig {
    pub fn new(seed: u64, specs: &[LogFileSpec], options: LogOptions) -> Rig {
        Rig::on(world(seed, !seed.is_multiple_of(2)), specs, options, 9)
    }

    /// A transaction of one record of so many bytes: its commit. False: the log is full.
    pub fn append(&mut self, bytes: usize) -> Result<bool, LogError> {
        self.serial += 1;
        let mut tx = TxLog::new(TransactionId(self.serial));
        let header = RecordHeader::new(Lop::CommitXact, Lcx::Null);
        let data = payload(self.serial, |_| bytes as u64);
        match self.log.append(&mut tx, &header, &[&data], Reserve::NONE) {
            Ok(pos) => {
                self.model.insert(pos, self.serial);
                Ok(true)
            }
            Err(AppendError::LogFull { .. }) => Ok(false),
            Err(_) => Err(LogError::Unavailable),
        }
    }

    pub fn flush(&mut self) -> Result<(), LogError> {
        let last = self.log.last_record();
        self.log.flush(FlushReason::Request)?;
        self.hardened = self.hardened.max(last);
        Ok(())
    }

    /// A checkpoint: a record, durable; the boot page; truncation. What a holder needs stays reachable.
    pub fn checkpoint(&mut self) -> Result<(), LogError> {
        let begin = self.log.appended();
        self.serial += 1;
        let header = RecordHeader::new(Lop::EndCkpt, Lcx::Null);
        let pos = match self.log.append_system(&header, &[&payload(self.serial, |_| 8)]) {
            Ok(pos) => pos,
            Err(AppendError::LogFull { .. }) => return Ok(()),
            Err(_) => return Err(LogError::Unavailable),
        };
        self.model.insert(pos, self.serial);
        self.flush()?;
        assert!(self.let_go(begin), "there is an anchor");
        self.log.note_vlf_uses(8)
    }

    /// Fills the log until the head has moved on so many times.
    pub fn fill_vlfs(&mut self, n: u32) {
        let head = |log: &Log| log.vlfs().iter().map(|v| v.seqno.0).max().unwrap_or(0);
        let goal = head(&self.log) + n;
        while head(&self.log) < goal {
            assert!(self.append(30_000).unwrap(), "the log is full");
        }
        self.flush().unwrap();
    }

    pub fn hold(&self, wait: ReuseWait, pos: LogPos) -> (HolderId, Arc<Mutex<LogPos>>) {
        let at = Arc::new(Mutex::new(pos));
        let shared = Arc::clone(&at);
        let holder = move || Some(Hold { wait, pos: *shared.lock().unwrap() });
        (self.log.register_holder(Box::new(holder)), at)
    }

    pub fn add(&mut self, spec: &LogFileSpec) -> Result<usize, LogError> {
        self.paths.push(spec.path.clone());
        let added = self.log.add_file(spec);
        if added.is_err()
            && !self.log.is_failed()
            && self.world.is_powered()
            && self.log.remove_stray(&spec.path).is_ok()
        {
            self.paths.retain(|p| *p != spec.path);
        }
        added
    }

    pub fn remove(&mut self, file: usize) -> Result<bool, LogError> {
        let path = self.path_of(file);
        let removed = self.log.remove_file(file)?;
        // One that could not be deleted is to be deleted by the next opening.
        if removed && !self.log.strays().contains(&path) {
            self.paths.retain(|p| *p != path);
        }
        Ok(removed)
    }

    pub fn path_of(&self, file: usize) -> PathBuf {
        self.log.files().into_iter().find(|f| f.file == file).map(|f| f.path).unwrap_or_default()
    }

    pub fn shrink(&mut self, file: usize, mode: ShrinkMode) -> Result<ShrinkReport, LogError> {
        self.log.shrink_file(file, mode)
    }

    /// Power off and on, and everything anew. Says what is wrong.
    pub fn reopen(&mut self) -> Result<(), String> {
        self.world.restart();
        self.open()
    }

    /// The same, and power fails again at the n-th I/O of opening. True: it got that far.
    pub fn reopen_cut(&mut self, nth: u64) -> Result<bool, String> {
        self.world.restart();
        self.world.crash_at(nth);
        let opened = self.open();
        match self.world.is_powered() {
            true => opened.map(|()| false),
            false => self.reopen().map(|()| true),
        }
    }

    fn open(&mut self) -> Result<(), String> {
        self.recover(|serial, _, bytes| bytes[..8] == serial.to_le_bytes())?;
        for stray in self.log.strays() {
            let removed = self.log.remove_stray(&stray).map_err(|e| format!("stray: {e}"))?;
            if !removed {
                return Err(format!("{} was not recognised", stray.display()));
            }
            self.paths.retain(|p| *p != stray);
        }
        self.check()
    }

    /// The invariants of the VLF table, and that files, VLFs and the disk agree.
    pub fn check(&self) -> Result<(), String> {
        self.log.check_vlfs()?;
        let files = self.log.files();
        let mut end = BTreeMap::new();
        for v in self.log.vlfs() {
            let at = end.entry(v.file).or_insert(FIRST);
            if v.offset != *at {
                return Err(format!("file {}: a gap at {at:#x}, then {v:?}", v.file));
            }
            *at += v.size;
        }
        for f in &files {
            if end.remove(&f.file) != Some(f.size) {
                return Err(format!("VLFs and the size of {f:?} differ"));
            }
        }
        if !end.is_empty() {
            return Err(format!("VLFs in files that are not there: {end:?}"));
        }
        let mut known: Vec<PathBuf> = files.into_iter().map(|f| f.path).collect();
        known.sort();
        // A file that could not be deleted, or not durably, is the next opening's to deal with.
        let strays = self.log.strays();
        let mut there = self.world.env().disk.list(Path::new("/")).map_err(|e| e.to_string())?;
        there.retain(|p| !strays.contains(p));
        let mut listed = self.paths.clone();
        listed.retain(|p| !strays.contains(p));
        listed.sort();
        if known != there || known != listed {
            return Err(format!("files {known:?}, on disk {there:?}, listed {listed:?}"));
        }
        Ok(())
    }

    /// VLFs that changed since the last call, one line each: file, offset, size, number, status, parity.
    pub fn changes(&mut self) -> String {
        let mut out = String::new();
        let mut now = BTreeMap::new();
        for v in self.log.vlfs() {
            let status = match v.status {
                VlfStatus::Unused => "unused",
                VlfStatus::Reusable => "reusable",
                VlfStatus::Active => "ACTIVE",
            };
            let line = format!("{} {status} parity {}", v.seqno.0, v.parity);
            now.insert((v.file, v.offset), format!("{:>7} bytes: {line}", v.size));
        }
        for (key, line) in &now {
            let old = self.shown.get(key);
            if old != Some(line) {
                let new = if old.is_none() { " (new)" } else { "" };
                let _ = writeln!(out, "  file {} at {:>7} {line}{new}", key.0, key.1);
            }
        }
        for key in self.shown.keys().filter(|k| !now.contains_key(k)) {
            let _ = writeln!(out, "  file {} at {:>7} gone", key.0, key.1);
        }
        if out.is_empty() {
            out.push_str("  nothing changed\n");
        }
        self.shown = now;
        out
    }
}
