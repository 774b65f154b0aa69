//! The simulated world seen through the crate's traits.

use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use taffrail_base::sync::thread::{is_scheduled, point};

use super::content::Content;
use super::world::{Called, FaultKind, Go, IoKind, NameOp, SimFile, SimWorld, State, power_lost};
use crate::{
    Disk, Entry, IoError, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone, WriteOp,
};

pub(super) struct SimDisk {
    pub world: SimWorld,
}

fn device_error(fault: FaultKind) -> io::Error {
    match fault {
        FaultKind::Io | FaultKind::Wrong | FaultKind::Lost | FaultKind::Misdirected => {
            io::Error::from_raw_os_error(5)
        }
        FaultKind::Short => io::ErrorKind::WriteZero.into(),
        FaultKind::Full => io::Error::from_raw_os_error(28),
        FaultKind::TooLong => io::Error::from_raw_os_error(27),
        FaultKind::Denied => io::Error::from_raw_os_error(13),
        FaultKind::ReadOnly => io::Error::from_raw_os_error(30),
    }
}

impl SimDisk {
    /// A change of names: refused by a fault, possibly done when power fails in it, done otherwise.
    fn name_op(
        &self,
        op: &'static str,
        path: &Path,
        check: impl FnOnce(&State) -> Option<io::ErrorKind>,
        change: impl FnOnce(&mut State),
    ) -> IoResult<()> {
        let fail = |e: io::Error| IoError::new(op, path, e);
        self.world.device(IoKind::Name, path);
        let mut s = self.world.lock();
        let go = s.step(IoKind::Name, path).map_err(fail)?;
        if let Some(kind) = check(&s) {
            return Err(fail(kind.into()));
        }
        match go {
            Go::Yes => change(&mut s),
            Go::PowerFails => {
                change(&mut s);
                return Err(fail(power_lost()));
            }
            Go::Fails(fault) => return Err(fail(device_error(fault))),
        }
        Ok(())
    }

    fn handle(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        let s = self.world.lock();
        let missing = || IoError::new("open", path, io::ErrorKind::NotFound);
        Ok(Arc::new(SimVolume {
            world: self.world.clone(),
            file: *s.names.get(path).ok_or_else(missing)?,
            path: path.to_owned(),
            epoch: s.epoch,
            sector: s.options.sector,
            spec,
            done: Mutex::new(Vec::new()),
        }))
    }
}

impl Disk for SimDisk {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.name_op(
            "create",
            path,
            |s| s.names.contains_key(path).then_some(io::ErrorKind::AlreadyExists),
            |s| {
                let index = s.files.len();
                s.files.push(SimFile {
                    current: Content::default(),
                    durable: Content::default(),
                    pending: Default::default(),
                    in_flight: Vec::new(),
                    called: Vec::new(),
                    unwritten: Vec::new(),
                    unwritten_durable: Vec::new(),
                    unreadable: Vec::new(),
                });
                s.names.insert(path.to_owned(), index);
                s.pending_names.push(NameOp::Link(path.to_owned(), index));
            },
        )?;
        self.handle(path, spec)
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.name_op(
            "open",
            path,
            |s| (!s.names.contains_key(path)).then_some(io::ErrorKind::NotFound),
            |_| {},
        )?;
        self.handle(path, spec)
    }

    fn exists(&self, path: &Path) -> IoResult<bool> {
        let s = self.world.lock();
        Ok(s.names.contains_key(path) || s.dirs.contains(path))
    }

    fn remove(&self, path: &Path) -> IoResult<()> {
        self.name_op(
            "remove",
            path,
            |s| (!s.names.contains_key(path)).then_some(io::ErrorKind::NotFound),
            |s| {
                s.names.remove(path);
                s.pending_names.push(NameOp::Unlink(path.to_owned()));
            },
        )
    }

    fn rename(&self, from: &Path, to: &Path) -> IoResult<()> {
        self.name_op(
            "rename",
            from,
            |s| (!s.names.contains_key(from)).then_some(io::ErrorKind::NotFound),
            |s| {
                if let Some(file) = s.names.remove(from) {
                    s.names.insert(to.to_owned(), file);
                }
                s.pending_names.push(NameOp::Rename(from.to_owned(), to.to_owned()));
            },
        )
    }

    fn list(&self, dir: &Path) -> IoResult<Vec<PathBuf>> {
        let s = self.world.lock();
        Ok(s.names.keys().filter(|p| p.parent() == Some(dir)).cloned().collect())
    }

    fn entries(&self, dir: &Path) -> IoResult<Vec<Entry>> {
        let s = self.world.lock();
        let files = s.names.keys().map(|path| (path, true));
        let dirs = s.dirs.iter().map(|path| (path, false));
        let here = files.chain(dirs).filter(|(path, _)| path.parent() == Some(dir));
        let mut all: Vec<Entry> = here
            .map(|(path, is_file)| Entry {
                name: path.file_name().unwrap_or_default().to_owned(),
                is_file,
                is_directory: !is_file,
                modified: SystemTime::UNIX_EPOCH,
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    fn create_dir(&self, dir: &Path) -> IoResult<()> {
        let mut s = self.world.lock();
        s.dirs.extend(dir.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> IoResult<()> {
        let fail = |e: io::Error| IoError::new("sync_dir", dir, e);
        self.world.device(IoKind::SyncDir, dir);
        let mut s = self.world.lock();
        match s.step(IoKind::SyncDir, dir).map_err(fail)? {
            Go::Yes => {}
            Go::PowerFails => return Err(fail(power_lost())),
            Go::Fails(fault) => return Err(fail(device_error(fault))),
        }
        if !s.sync_is_dropped() {
            // One journal: syncing one directory makes every earlier change of names durable.
            for op in std::mem::take(&mut s.pending_names) {
                op.apply(&mut s.durable_names);
            }
        }
        Ok(())
    }

    fn space(&self, path: &Path) -> IoResult<Space> {
        let s = self.world.lock();
        if !s.names.contains_key(path) && !s.dirs.contains(path) {
            return Err(IoError::new("statvfs", path, io::ErrorKind::NotFound));
        }
        let total = s.options.capacity.min(i64::MAX as u64);
        let available = total.saturating_sub(s.total_bytes());
        let mount_point = "/".into();
        Ok(Space { total, available, mount_point, ..Space::default() })
    }

    // A path is a name here, and nothing else.

    fn real_path(&self, path: &Path) -> IoResult<PathBuf> {
        Ok(path.to_owned())
    }

    fn same_file(&self, a: &Path, b: &Path) -> IoResult<bool> {
        Ok(a == b)
    }
}

/// How far from its place a write may come down.
const PLACE: u64 = 8192;

struct SimVolume {
    world: SimWorld,
    file: usize,
    path: PathBuf,
    epoch: u64,
    sector: u32,
    spec: OpenSpec,
    done: Mutex<Vec<WriteDone>>,
}

impl SimVolume {
    fn fail(&self, op: &'static str, e: impl Into<io::Error>) -> IoError {
        IoError::new(op, &self.path, e)
    }

    fn enter(&self, op: &'static str, kind: IoKind) -> IoResult<(MutexGuard<'_, State>, Go)> {
        let mut s = self.world.lock();
        if s.epoch != self.epoch {
            return Err(self.fail(op, power_lost()));
        }
        let go = s.step(kind, &self.path).map_err(|e| self.fail(op, e))?;
        Ok((s, go))
    }

    /// What the real direct volume would refuse, this one refuses too.
    fn check_write(&self, op: &'static str, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        let misaligned = |n: u64| self.spec.direct && !n.is_multiple_of(512);
        let odd = parts
            .iter()
            .any(|p| misaligned(p.len() as u64) || misaligned(p.as_ptr() as usize as u64));
        if self.spec.read_only || misaligned(offset) || odd {
            return Err(self.fail(op, io::ErrorKind::InvalidInput));
        }
        Ok(())
    }

    /// The write itself; `durable` after it when asked and no sync is left out.
    fn write(
        &self,
        op: &'static str,
        kind: IoKind,
        offset: u64,
        parts: &[IoSlice<'_>],
    ) -> IoResult<()> {
        self.check_write(op, offset, parts)?;
        let data: Vec<u8> = parts.concat_bytes();
        let races = self.call(kind, offset, &data);
        let (mut s, go) = self.enter(op, kind)?;
        // Syncs that began before it ended say nothing of it.
        s.writes += 1;
        let number = s.writes;
        s.stats.races += u64::from(races);
        let sector = self.sector as usize;
        let end = offset + data.len() as u64;
        let grows = end.saturating_sub(s.files[self.file].current.len() as u64);
        let full = grows > 0 && s.total_bytes() + grows > s.options.capacity;
        let mut offset = offset;
        match go {
            Go::Fails(FaultKind::Lost) => return Ok(()),
            Go::Fails(FaultKind::Misdirected) => {
                let len = s.files[self.file].current.len() as u64;
                offset = match end + PLACE <= len {
                    true => offset + PLACE,
                    false => offset.saturating_sub(PLACE),
                };
            }
            Go::Fails(FaultKind::Short) => {
                let there = s.rng.below(data.len().max(1) as u64) as usize;
                s.files[self.file].write(number, offset, &data[..there], sector);
                if kind == IoKind::WriteDurable {
                    s.lose_pending(self.file);
                }
                return Err(self.fail(op, device_error(FaultKind::Short)));
            }
            Go::Fails(fault) => {
                // Part of it may have reached the medium, unless it was refused before it began. A durable write may have
                // failed in its sync.
                let begun = !full && matches!(fault, FaultKind::Io | FaultKind::Full);
                let durable = kind == IoKind::WriteDurable && begun;
                if durable || fault == FaultKind::Io && !full {
                    s.files[self.file].write(number, offset, &data, sector);
                }
                if durable {
                    s.lose_pending(self.file);
                }
                return Err(self.fail(op, device_error(fault)));
            }
            _ if full => return Err(self.fail(op, device_error(FaultKind::Full))),
            Go::PowerFails => {
                s.files[self.file].write(number, offset, &data, sector);
                return Err(self.fail(op, power_lost()));
            }
            Go::Yes => {}
        }
        s.stats.bytes_written += data.len() as u64;
        s.files[self.file].write(number, offset, &data, sector);
        if kind == IoKind::WriteDurable && !s.sync_is_dropped() {
            s.files[self.file].harden(offset, data.len() as u64, sector);
        }
        Ok(())
    }
}

impl SimVolume {
    /// A write is under way: where threads take turns it is in flight, and others go on. True: it met another at its place.
    fn call(&self, kind: IoKind, offset: u64, data: &[u8]) -> bool {
        let mut s = self.world.lock();
        let races = s.files[self.file].races(offset, data.len());
        s.writes += 1;
        let number = s.writes;
        if is_scheduled() && s.epoch == self.epoch && s.powered {
            let data = data.to_vec();
            s.files[self.file].called.push(Called { number, offset, data });
            drop(s);
            self.world.device(kind, &self.path);
            // Unless a loss of power or the end of the process has dealt with it.
            self.world.lock().files[self.file].called.retain(|call| call.number != number);
        }
        races
    }

    /// A read that meets writes in flight sees any of their sectors.
    fn see_called(&self, s: &mut State, offset: u64, buf: &mut [u8]) {
        let State { files, rng, .. } = s;
        let (sector, end) = (u64::from(self.sector), offset + buf.len() as u64);
        for call in &files[self.file].called {
            let last = call.offset + call.data.len() as u64;
            let mut at = call.offset;
            while at < last {
                let next = ((at / sector + 1) * sector).min(last);
                let (from, to) = (at.max(offset), next.min(end));
                if from < to && rng.one_in(2) {
                    let new = (from - call.offset) as usize..(to - call.offset) as usize;
                    buf[(from - offset) as usize..(to - offset) as usize]
                        .copy_from_slice(&call.data[new]);
                }
                at = next;
            }
        }
    }
}

trait ConcatBytes {
    fn concat_bytes(&self) -> Vec<u8>;
}

impl ConcatBytes for [IoSlice<'_>] {
    fn concat_bytes(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.iter().map(|p| p.len()).sum());
        self.iter().for_each(|p| all.extend_from_slice(p));
        all
    }
}

impl Volume for SimVolume {
    fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> VolumeKind {
        VolumeKind::Simulated
    }

    fn sector_bytes(&self) -> u32 {
        self.sector
    }

    fn len(&self) -> IoResult<u64> {
        Ok(self.world.lock().files[self.file].current.len() as u64)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        point();
        self.world.dwell(IoKind::Read, &self.path);
        let (mut s, go) = self.enter("read", IoKind::Read)?;
        match go {
            Go::Yes | Go::Fails(FaultKind::Wrong) => {}
            Go::PowerFails => return Err(self.fail("read", power_lost())),
            Go::Fails(fault) => return Err(self.fail("read", device_error(fault))),
        }
        let end = offset.saturating_add(buf.len() as u64);
        if s.files[self.file].unreadable.iter().any(|u| u.start < end && offset < u.end) {
            return Err(self.fail("read", device_error(FaultKind::Io)));
        }
        let content = &s.files[self.file].current;
        if end > content.len() as u64 {
            return Err(self.fail("read", io::ErrorKind::UnexpectedEof));
        }
        content.read(offset as usize, buf);
        self.see_called(&mut s, offset, buf);
        if go != Go::Yes
            && let Some(byte) = buf.first_mut()
        {
            *byte ^= 0x40;
        }
        Ok(())
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        self.write("write", IoKind::Write, offset, &[IoSlice::new(data)])
    }

    fn write_parts(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.write("write", IoKind::Write, offset, parts)
    }

    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.write("write_durable", IoKind::WriteDurable, offset, parts)
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        point();
        for op in &ops {
            self.check_write("submit", op.offset, &[IoSlice::new(&op.buf[..op.len])])?;
        }
        let mut s = self.world.lock();
        // Also between the end and the next beginning: what nobody reaps would be met by the next process.
        if s.epoch != self.epoch || !s.powered {
            return Err(self.fail("submit", power_lost()));
        }
        for op in ops {
            s.stats.races += u64::from(s.files[self.file].races(op.offset, op.len));
            s.files[self.file].in_flight.push(op);
        }
        Ok(())
    }

    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        let mut out =
            std::mem::take(&mut *self.done.lock().unwrap_or_else(PoisonError::into_inner));
        loop {
            let op = {
                let mut s = self.world.lock();
                // What was in flight went with the power.
                if s.epoch != self.epoch || !s.powered {
                    return Err(self.fail("reap", power_lost()));
                }
                let left = s.files[self.file].in_flight.len() as u64;
                // Those that are asked for end; further ones may have ended too.
                if left == 0 || (out.len() >= min && !s.rng.one_in(2)) {
                    return Ok(out);
                }
                let pick = s.rng.below(left) as usize;
                s.files[self.file].in_flight.swap_remove(pick)
            };
            let parts = [IoSlice::new(&op.buf[..op.len])];
            let result = self.write("write", IoKind::Write, op.offset, &parts);
            out.push(WriteDone { token: op.token, buf: op.buf, result });
        }
    }

    fn allocate(&self, offset: u64, len: u64) -> IoResult<()> {
        self.world.device(IoKind::Allocate, &self.path);
        let (mut s, go) = self.enter("allocate", IoKind::Allocate)?;
        let end = offset + len;
        let have = s.files[self.file].current.len() as u64;
        let grows = end.saturating_sub(have);
        if let Go::Fails(fault) = go {
            return Err(self.fail("allocate", device_error(fault)));
        }
        if s.total_bytes() + grows > s.options.capacity {
            return Err(self.fail("allocate", device_error(FaultKind::Full)));
        }
        if grows > 0 {
            let sectors = (end as usize).div_ceil(self.sector as usize);
            let f = &mut s.files[self.file];
            f.current.resize(end as usize);
            f.unwritten.resize(sectors, true);
        }
        match go {
            Go::PowerFails => Err(self.fail("allocate", power_lost())),
            _ => Ok(()),
        }
    }

    fn unwritten(&self, offset: u64, end: u64) -> IoResult<Vec<(u64, u64)>> {
        let s = self.world.lock();
        let sector = u64::from(self.sector);
        let mut parts: Vec<(u64, u64)> = Vec::new();
        let sectors = s.files[self.file].unwritten.iter().enumerate();
        for (n, _) in sectors.filter(|(_, u)| **u) {
            let from = (n as u64 * sector).max(offset);
            let to = ((n as u64 + 1) * sector).min(end);
            match parts.last_mut() {
                _ if from >= to => {}
                Some(last) if last.1 == from => last.1 = to,
                _ => parts.push((from, to)),
            }
        }
        Ok(parts)
    }

    fn sync(&self) -> IoResult<()> {
        let file = self.file;
        let (writes, len) = {
            let s = self.world.lock();
            (s.writes, s.files[file].current.len())
        };
        self.world.device(IoKind::Sync, &self.path);
        let (mut s, go) = self.enter("sync", IoKind::Sync)?;
        match go {
            Go::Yes => {}
            Go::PowerFails => return Err(self.fail("sync", power_lost())),
            Go::Fails(fault) => {
                s.lose_pending(file);
                return Err(self.fail("sync", device_error(fault)));
            }
        }
        if !s.sync_is_dropped() {
            let f = &mut s.files[file];
            // What has returned before it began. Not a plain copy: what a failed sync has lost stays lost.
            f.harden_until(writes, len, self.sector as usize);
        }
        Ok(())
    }

    fn truncate(&self, len: u64) -> IoResult<()> {
        self.world.device(IoKind::Truncate, &self.path);
        let (mut s, go) = self.enter("truncate", IoKind::Truncate)?;
        match go {
            Go::Yes => {}
            Go::PowerFails => return Err(self.fail("truncate", power_lost())),
            Go::Fails(fault) => return Err(self.fail("truncate", device_error(fault))),
        }
        let sector = u64::from(self.sector);
        let f = &mut s.files[self.file];
        f.current.resize(len as usize);
        f.pending.retain(|&index, _| index * sector < len);
        f.unwritten.resize(len.div_ceil(sector) as usize, true);
        Ok(())
    }
}
