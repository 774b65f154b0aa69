//! The state of a simulated world and what a test does to it: faults, crashes, restarts.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::clock::SimClock;
use super::content::Content;
use super::disk::SimDisk;
use super::rng::SimRng;
use super::slow::Slow;
use crate::{Entropy, Env, FailStopDisk, IoError, IoResult, WriteOp};

/// How the simulated hardware is made.
#[derive(Clone, Debug)]
pub struct SimOptions {
    /// Physical sector: what a crash leaves whole. 512 or 4096.
    pub sector: u32,
    /// Bytes that all files together may have; writes and allocations beyond it fail with "disk full".
    pub capacity: u64,
}

impl Default for SimOptions {
    fn default() -> Self {
        SimOptions { sector: 4096, capacity: u64::MAX }
    }
}

/// Kinds of operations that can fail or be cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IoKind {
    /// `read_at`.
    Read,
    /// `write_at` and reaped writes.
    Write,
    /// `write_durable`.
    WriteDurable,
    /// `sync`.
    Sync,
    /// `sync_dir`.
    SyncDir,
    /// `allocate`.
    Allocate,
    /// `truncate`.
    Truncate,
    /// `create`, `open`, `rename`, `remove`.
    Name,
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The device reports an error.
    Io,
    /// The disk is full.
    Full,
    /// The file would be longer than this process may make one.
    TooLong,
    /// The file may not be changed.
    Denied,
    /// The file system takes no writes.
    ReadOnly,
    /// A read succeeds and gives other bytes than are there. Of anything else the device reports an error.
    Wrong,
    /// A write ends early, wherever it likes, and nobody takes the rest. Of anything else the device reports an error.
    Short,
    /// A write is reported done, and durable when that is asked, and nothing of it is anywhere. Of anything else the device reports an
    /// error.
    Lost,
    /// A write is reported done, and lies a page farther on, or before, than it should. Of anything else the device reports an error.
    Misdirected,
}

/// A fault to come.
#[derive(Clone, Debug)]
pub struct Fault {
    /// It strikes at the n-th matching operation from now (1 = the next).
    pub nth: u64,
    /// Only operations of this kind count; `None` = all.
    pub kind: Option<IoKind>,
    /// Only files whose name contains this count; empty = all.
    pub path_contains: String,
    /// What goes wrong.
    pub fault: FaultKind,
    /// It stays: every later matching operation fails too.
    pub sticky: bool,
}

/// What happened in a world so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimStats {
    /// All operations.
    pub operations: u64,
    /// Syncs of any kind (`write_durable`, `sync`, `sync_dir`).
    pub syncs: u64,
    /// Crashes.
    pub crashes: u64,
    /// Sectors that were neither synced nor kept by a crash.
    pub sectors_lost: u64,
    /// Sectors that were not synced and yet kept by a crash.
    pub sectors_kept: u64,
    /// Writes of several sectors of which a crash kept some and lost some.
    pub torn_files: u64,
    /// Faults that struck.
    pub faults: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Writes of a place that another write, submitted and not yet ended, was writing: what is there then is chance.
    pub races: u64,
    /// Calls that took longer than they should ([`SimWorld::slow`]).
    pub slow_calls: u64,
}

pub(super) struct SimFile {
    /// What reads see.
    pub current: Content,
    /// What a crash surely leaves.
    pub durable: Content,
    /// Unsynced versions of sectors, oldest first.
    pub pending: BTreeMap<u64, Vec<Version>>,
    /// Writes whose callers wait for them.
    pub called: Vec<Called>,
    /// Submitted and not yet reaped.
    pub in_flight: Vec<WriteOp>,
    /// Sectors that are reserved and were never written, as the file system sees it now.
    pub unwritten: Vec<bool>,
    /// The same, as a crash leaves it.
    pub unwritten_durable: Vec<bool>,
    /// Places that the device does not read any more.
    pub unreadable: Vec<std::ops::Range<u64>>,
}

/// What a sector was written with, and the how-manieth write that was.
pub(super) struct Version {
    pub number: u64,
    pub bytes: Box<[u8]>,
}

/// A write in flight.
pub(super) struct Called {
    pub number: u64,
    pub offset: u64,
    pub data: Vec<u8>,
}

pub(super) enum NameOp {
    Link(PathBuf, usize),
    Unlink(PathBuf),
    Rename(PathBuf, PathBuf),
}

pub(super) struct State {
    pub rng: SimRng,
    pub options: SimOptions,
    pub files: Vec<SimFile>,
    pub names: BTreeMap<PathBuf, usize>,
    pub durable_names: BTreeMap<PathBuf, usize>,
    pub pending_names: Vec<NameOp>,
    pub dirs: BTreeSet<PathBuf>,
    /// Raised by every restart: handles of an earlier one are dead.
    pub epoch: u64,
    pub powered: bool,
    pub crash_at: Option<u64>,
    pub faults: Vec<Fault>,
    drop_sync: Option<u64>,
    pub slow: Option<Slow>,
    /// Writes so far, in flight too.
    pub writes: u64,
    pub stats: SimStats,
}

/// What an operation may do after the world was asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Go {
    /// Carry on.
    Yes,
    /// Power fails in the middle: leave whatever effects it could have, then return an error.
    PowerFails,
    /// The device fails it.
    Fails(FaultKind),
}

impl State {
    /// Counts an operation and decides its fate.
    pub fn step(&mut self, kind: IoKind, path: &Path) -> Result<Go, io::Error> {
        if !self.powered {
            return Err(power_lost());
        }
        self.stats.operations += 1;
        if self.crash_at.is_some_and(|n| self.stats.operations >= n) {
            self.powered = false;
            return Ok(Go::PowerFails);
        }
        let mut struck = None;
        for f in &mut self.faults {
            let matches = f.kind.is_none_or(|k| k == kind)
                && (f.path_contains.is_empty()
                    || path.to_string_lossy().contains(&f.path_contains));
            if matches && f.nth > 0 {
                f.nth -= 1;
                if f.nth == 0 {
                    struck = Some(f.fault);
                    f.nth = u64::from(f.sticky);
                }
            }
        }
        self.faults.retain(|f| f.nth > 0);
        Ok(match struck {
            Some(fault) => {
                self.stats.faults += 1;
                Go::Fails(fault)
            }
            None => Go::Yes,
        })
    }

    /// Counts a sync; true when this one is to be left out.
    pub fn sync_is_dropped(&mut self) -> bool {
        self.stats.syncs += 1;
        self.drop_sync == Some(self.stats.syncs)
    }

    pub fn total_bytes(&self) -> u64 {
        self.names.values().map(|&i| self.files[i].current.len() as u64).sum()
    }

    /// A sync has failed. Pages are clean now, whatever reached the medium: each sector is decided here and not again.
    pub fn lose_pending(&mut self, file: usize) {
        let sector = self.options.sector as usize;
        let file = &mut self.files[file];
        for (index, versions) in std::mem::take(&mut file.pending) {
            let choice = self.rng.below(versions.len() as u64 + 1) as usize;
            let start = index as usize * sector;
            if let Some(v) = versions.get(choice)
                && file.durable.holds(&(start..start + v.bytes.len()))
            {
                file.durable.write(start, &v.bytes);
                if let Some(u) = file.unwritten_durable.get_mut(index as usize) {
                    *u = false;
                }
            }
        }
    }

    fn crash(&mut self) {
        self.powered = false;
        self.stats.crashes += 1;
        let sector = self.options.sector as usize;
        for file in &mut self.files {
            // Writes in flight may or may not have reached the disk, sector by sector.
            for op in std::mem::take(&mut file.in_flight) {
                self.writes += 1;
                file.write(self.writes, op.offset, &op.buf[..op.len], sector);
            }
            for call in std::mem::take(&mut file.called) {
                file.write(call.number, call.offset, &call.data, sector);
            }
            let (mut kept, mut lost) = (0, 0);
            // The length that was not synced may have been.
            let lengthened = file.current.len() != file.durable.len();
            if lengthened && self.rng.one_in(2) {
                file.durable.resize(file.current.len());
                file.unwritten_durable.resize(file.durable.len().div_ceil(sector), true);
            }
            for (index, versions) in std::mem::take(&mut file.pending) {
                let choice = self.rng.below(versions.len() as u64 + 1) as usize;
                let start = index as usize * sector;
                if choice == versions.len() || start >= file.durable.len() {
                    lost += 1;
                    continue;
                }
                kept += 1;
                if let Some(u) = file.unwritten_durable.get_mut(index as usize) {
                    *u = false;
                }
                let end = (start + sector).min(file.durable.len());
                let bytes = &versions[choice].bytes;
                let n = (end - start).min(bytes.len());
                file.durable.write(start, &bytes[..n]);
            }
            self.stats.sectors_kept += kept;
            self.stats.sectors_lost += lost;
            self.stats.torn_files += u64::from(kept > 0 && lost > 0);
            file.current.clone_from(&file.durable);
            file.unwritten_durable.resize(file.durable.len().div_ceil(sector), true);
            file.unwritten.clone_from(&file.unwritten_durable);
        }
        let keep = self.rng.below(self.pending_names.len() as u64 + 1) as usize;
        for op in self.pending_names.drain(..).take(keep).collect::<Vec<_>>() {
            op.apply(&mut self.durable_names);
        }
        self.names.clone_from(&self.durable_names);
    }
}

impl NameOp {
    pub fn apply(self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            NameOp::Link(path, file) => {
                names.insert(path, file);
            }
            NameOp::Unlink(path) => {
                names.remove(&path);
            }
            NameOp::Rename(from, to) => {
                if let Some(file) = names.remove(&from) {
                    names.insert(to, file);
                }
            }
        }
    }
}

impl SimFile {
    /// Applies a write to what reads see and records the sectors' new versions as pending.
    pub fn write(&mut self, number: u64, offset: u64, data: &[u8], sector: usize) {
        if data.is_empty() {
            return;
        }
        let (start, end) = (offset as usize, offset as usize + data.len());
        if self.current.len() < end {
            self.current.resize(end);
        }
        self.current.write(start, data);
        self.unwritten.resize(self.current.len().div_ceil(sector), true);
        self.unwritten[start / sector..end.div_ceil(sector)].fill(false);
        for index in start / sector..=(end - 1) / sector {
            let from = index * sector;
            let to = (from + sector).min(self.current.len());
            let version = Version { number, bytes: self.current.part(from..to) };
            self.pending.entry(index as u64).or_default().push(version);
        }
    }

    /// True when a submitted write that has not ended writes some of these bytes.
    pub fn races(&self, offset: u64, len: usize) -> bool {
        let end = offset + len as u64;
        let meets = |from: u64, len: usize| from < end && offset < from + len as u64;
        self.in_flight.iter().any(|op| meets(op.offset, op.len))
            || self.called.iter().any(|call| meets(call.offset, call.data.len()))
    }

    /// Makes durable what was written up to a write, where the file had such a length.
    pub fn harden_until(&mut self, write: u64, len: usize, sector: usize) {
        let len = match self.current.len() < len {
            true => self.current.len(),
            // A file that has grown since may be as long as that, and need not.
            false => len.max(self.durable.len().min(self.current.len())),
        };
        self.durable.resize(len);
        self.unwritten_durable.resize(len.div_ceil(sector), true);
        for (index, versions) in &mut self.pending {
            let there = versions.iter().take_while(|v| v.number <= write).count();
            let Some(last) = versions.drain(..there).next_back() else { continue };
            let start = *index as usize * sector;
            let n = last.bytes.len().min(self.durable.len().saturating_sub(start));
            self.durable.write(start, &last.bytes[..n]);
            if n > 0 {
                self.unwritten_durable[*index as usize] = false;
            }
        }
        self.pending.retain(|_, versions| !versions.is_empty());
    }

    /// Makes a range of bytes durable as reads see it now.
    pub fn harden(&mut self, start: u64, len: u64, sector: usize) {
        if len == 0 {
            return;
        }
        let first = start as usize / sector;
        let last = (start + len - 1) as usize / sector;
        let end = ((last + 1) * sector).min(self.current.len());
        if self.durable.len() < end {
            self.durable.resize(end);
        }
        let from = first * sector;
        self.durable.write(from, &self.current.part(from..end));
        self.unwritten_durable.resize(self.durable.len().div_ceil(sector), true);
        self.unwritten_durable[first..end.div_ceil(sector)].fill(false);
        for index in first..=last {
            self.pending.remove(&(index as u64));
        }
    }
}

pub(super) fn power_lost() -> io::Error {
    io::Error::other("the simulated machine has no power")
}

struct SimEntropy(Mutex<SimRng>);

impl Entropy for SimEntropy {
    fn fill(&self, buf: &mut [u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).fill(buf);
    }
}

/// The simulated world. Clones are handles to the same one.
#[derive(Clone)]
pub struct SimWorld {
    pub(super) state: Arc<Mutex<State>>,
    clock: Arc<SimClock>,
    entropy: Arc<SimEntropy>,
}

impl SimWorld {
    /// A world on a seed: 4096-byte sectors, no limit of space, no faults.
    pub fn new(seed: u64) -> SimWorld {
        SimWorld::with_options(seed, SimOptions::default())
    }

    /// A world on a seed with hardware of your choice.
    pub fn with_options(seed: u64, options: SimOptions) -> SimWorld {
        assert!(matches!(options.sector, 512 | 1024 | 2048 | 4096), "sector size");
        let mut rng = SimRng::new(seed);
        let entropy = SimRng::new(rng.next_u64());
        SimWorld {
            state: Arc::new(Mutex::new(State {
                rng,
                options,
                files: Vec::new(),
                names: BTreeMap::new(),
                durable_names: BTreeMap::new(),
                pending_names: Vec::new(),
                dirs: BTreeSet::new(),
                epoch: 0,
                powered: true,
                crash_at: None,
                faults: Vec::new(),
                drop_sync: None,
                slow: None,
                writes: 0,
                stats: SimStats::default(),
            })),
            clock: Arc::new(SimClock::new()),
            entropy: Arc::new(SimEntropy(Mutex::new(entropy))),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The world as the engine gets it.
    pub fn env(&self) -> Env {
        Env {
            disk: Arc::new(FailStopDisk::new(Arc::new(SimDisk { world: self.clone() }))),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
        }
    }

    /// The clock, to move it.
    pub fn clock(&self) -> &SimClock {
        &self.clock
    }

    /// Power off now: what was not synced is kept or lost sector by sector. Every handle is dead; call
    /// [`SimWorld::restart`] and open everything anew.
    pub fn crash(&self) {
        self.lock().crash();
    }

    /// Power off in the middle of the n-th operation from now (1 = the next one). The operation and all later
    /// ones return an error until [`SimWorld::restart`].
    pub fn crash_at(&self, nth: u64) {
        let mut s = self.lock();
        s.crash_at = Some(s.stats.operations + nth.max(1));
    }

    /// True while the machine runs (a [`SimWorld::crash_at`] has not struck yet).
    pub fn is_powered(&self) -> bool {
        self.lock().powered
    }

    /// Power on again, after [`SimWorld::crash`] or a [`SimWorld::crash_at`] that has struck (a running machine
    /// is crashed first). Planned faults are forgotten.
    pub fn restart(&self) {
        let mut s = self.lock();
        s.crash();
        s.powered = true;
        s.crash_at = None;
        s.faults.clear();
        s.epoch += 1;
    }

    /// Plans a fault.
    pub fn inject(&self, fault: Fault) {
        self.lock().faults.push(fault);
    }

    /// Forgets planned faults and the planned crash.
    pub fn clear_faults(&self) {
        let mut s = self.lock();
        s.faults.clear();
        s.crash_at = None;
    }

    /// Leaves out the n-th sync from the beginning of the world (1 = the first; see [`SimStats::syncs`]): it
    /// reports success and does nothing. A test that does not notice proves nothing.
    pub fn drop_sync(&self, nth: Option<u64>) {
        self.lock().drop_sync = nth;
    }

    /// Files opened or made from now on lie on a medium with such sectors. Not for worlds that lose power later: what is left of a
    /// write goes by the sectors that the world began with.
    pub fn set_sector(&self, bytes: u32) {
        self.lock().options.sector = bytes;
    }

    /// Changes the space that files may take.
    pub fn set_capacity(&self, bytes: u64) {
        self.lock().options.capacity = bytes;
    }

    /// Flips one bit on the medium.
    pub fn flip_bit(&self, path: &Path, offset: u64, bit: u8) -> IoResult<()> {
        let mut s = self.lock();
        let missing = || IoError::new("flip_bit", path, io::ErrorKind::NotFound);
        let index = *s.names.get(path).ok_or_else(missing)?;
        let file = &mut s.files[index];
        for content in [&mut file.current, &mut file.durable] {
            let at = offset as usize;
            if content.holds(&(at..at + 1)) {
                let byte = content.part(at..at + 1)[0] ^ 1 << (bit & 7);
                content.write(at, &[byte]);
            }
        }
        Ok(())
    }

    /// Every read that has some of these bytes fails from now on.
    pub fn make_unreadable(&self, path: &Path, bytes: std::ops::Range<u64>) -> IoResult<()> {
        let mut s = self.lock();
        let missing = || IoError::new("make_unreadable", path, io::ErrorKind::NotFound);
        let index = *s.names.get(path).ok_or_else(missing)?;
        s.files[index].unreadable.push(bytes);
        Ok(())
    }

    /// What happened so far.
    pub fn stats(&self) -> SimStats {
        self.lock().stats
    }
}

impl std::fmt::Debug for SimWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SimWorld({:?})", self.stats())
    }
}
