//! The operating system's files, clock and randomness (Linux).
//!
//! A direct volume is opened with `O_DIRECT` once; what must be durable is written by `pwritev2` with
//! `RWF_DSYNC`, which for the kernel is the same write as on a descriptor opened with `O_DSYNC`: one system call,
//! one device write, one flush (or FUA). Where a file system refuses `O_DIRECT`, the same calls go through the
//! page cache, and [`Volume::kind`] says so. Where the kernel (or what stands for it, as qemu's user mode does) has no
//! `pwritev2`, it is `pwritev` and then `fdatasync`.
//!
//! A direct volume that is written belongs to this process alone ([`lock`]).
//!
//! Submitted writes are performed by a few threads of this module ([`pool`]), so that several are in flight; a single
//! one by the caller himself, unless he has started it ([`Volume::start`]).

mod beneath;
mod lock;
mod pool;
mod space;

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{FallocateFlags, OFlags, SeekFrom, fallocate, fdatasync, seek};
use rustix::io::{Errno, ReadWriteFlags, pwritev, pwritev2};
use rustix::rand::GetRandomFlags;

use self::pool::Queue;
use crate::aligned::{ALIGNMENT, AlignedBuf};
use crate::{
    Clock, Disk, Entropy, Entry, IoError, IoResult, OpenSpec, Space, UtcTime, Volume, VolumeKind,
    WriteDone, WriteOp,
};

pub use beneath::RootedDisk;

/// Parts of one vectored write that the kernel takes at once (`IOV_MAX`).
const PARTS_MAX: usize = 1024;

/// The operating system's namespace of files.
#[derive(Debug)]
pub struct OsDisk;

/// Opens a file, with further flags, for the first time or (false) once more.
type Opener<'a> = &'a dyn Fn(OFlags, bool) -> io::Result<File>;

/// The options of a path that is opened as it stands.
fn plain_options(spec: OpenSpec, flags: OFlags, create: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(!spec.read_only).create_new(create).mode(0o640);
    options.custom_flags(flags.bits().cast_signed());
    options
}

impl OsDisk {
    fn open_with(
        &self,
        op: &'static str,
        path: &Path,
        spec: OpenSpec,
        create: bool,
    ) -> IoResult<Arc<dyn Volume>> {
        open_volume(op, path, spec, create, &|flags, new| {
            plain_options(spec, flags, new).open(path)
        })
    }
}

fn open_volume(
    op: &'static str,
    path: &Path,
    spec: OpenSpec,
    create: bool,
    open: Opener<'_>,
) -> IoResult<Arc<dyn Volume>> {
    let fail = |e: io::Error| IoError::new(op, path, e);
    let file = open(OFlags::empty(), create).map_err(fail)?;
    let sector = physical_sector(&file).map_err(fail)?;
    let direct = match spec.direct {
        true => reopen_direct(&file, open).map_err(fail)?,
        false => None,
    };
    let kind = if direct.is_some() { VolumeKind::Direct } else { VolumeKind::Buffered };
    let file = Arc::new(direct.unwrap_or(file));
    let lock = match spec.direct && !spec.read_only {
        true => Some(lock::take(&file).map_err(fail)?),
        false => None,
    };
    Ok(Arc::new(OsVolume(Arc::new(OpenFile {
        file,
        _lock: lock,
        path: path.to_owned(),
        kind,
        sector,
        unreserved: AtomicBool::new(false),
        without_flags: AtomicBool::new(false),
        submitted: Mutex::new(Submitted { in_flight: 0, done: Vec::new() }),
        ended: Condvar::new(),
    }))))
}

/// The same file once more with `O_DIRECT`; `None` when the file system (or its alignment) does not allow it.
fn reopen_direct(plain: &File, open: Opener<'_>) -> io::Result<Option<File>> {
    let file = match open(OFlags::DIRECT, false) {
        Ok(f) => f,
        Err(e) if e.kind() == io::ErrorKind::InvalidInput => return Ok(None),
        Err(e) if e.raw_os_error() == Some(Errno::OPNOTSUPP.raw_os_error()) => {
            return Ok(None);
        }
        Err(e) => return Err(e),
    };
    let (a, b) = (plain.metadata()?, file.metadata()?);
    if (a.dev(), a.ino()) != (b.dev(), b.ino()) {
        return Err(io::Error::other("the file was replaced while it was being opened"));
    }
    // Some file systems accept the flag and refuse the I/O.
    let mut probe = AlignedBuf::zeroed(ALIGNMENT);
    match file.read_at(&mut probe, 0) {
        Ok(_) => Ok(Some(file)),
        Err(e) if e.kind() == io::ErrorKind::InvalidInput => Ok(None),
        Err(e) => Err(e),
    }
}

/// The device's physical block as the kernel tells it; 4096 (safe for both kinds of device) where it does not.
fn physical_sector(file: &File) -> io::Result<u32> {
    let dev = file.metadata()?.dev();
    let (major, minor) = (rustix::fs::major(dev), rustix::fs::minor(dev));
    for place in ["queue", "../queue"] {
        let name = format!("/sys/dev/block/{major}:{minor}/{place}/physical_block_size");
        if let Ok(text) = std::fs::read_to_string(name)
            && let Ok(bytes) = text.trim().parse::<u32>()
            && bytes.is_power_of_two()
            && bytes >= 512
        {
            return Ok(bytes);
        }
    }
    Ok(4096)
}

impl Disk for OsDisk {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.open_with("create", path, spec, true)
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.open_with("open", path, spec, false)
    }

    fn exists(&self, path: &Path) -> IoResult<bool> {
        path.try_exists().map_err(|e| IoError::new("stat", path, e))
    }

    fn remove(&self, path: &Path) -> IoResult<()> {
        lock::remove(path).map_err(|e| IoError::new("remove", path, e))
    }

    fn rename(&self, from: &Path, to: &Path) -> IoResult<()> {
        std::fs::rename(from, to).map_err(|e| IoError::new("rename", from, e))
    }

    fn list(&self, dir: &Path) -> IoResult<Vec<PathBuf>> {
        let fail = |e| IoError::new("list", dir, e);
        let mut files = Vec::new();
        for entry in std::fs::read_dir(dir).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            if entry.file_type().map_err(fail)?.is_file() {
                files.push(entry.path());
            }
        }
        files.sort();
        Ok(files)
    }

    fn entries(&self, dir: &Path) -> IoResult<Vec<Entry>> {
        RootedDisk::new(Vec::new()).entries(dir)
    }

    fn create_dir(&self, dir: &Path) -> IoResult<()> {
        std::fs::create_dir_all(dir).map_err(|e| IoError::new("create_dir", dir, e))
    }

    fn sync_dir(&self, dir: &Path) -> IoResult<()> {
        let fail = |e| IoError::new("sync_dir", dir, e);
        File::open(dir).map_err(fail)?.sync_all().map_err(fail)
    }

    fn space(&self, path: &Path) -> IoResult<Space> {
        space::space(path)
    }

    fn real_path(&self, path: &Path) -> IoResult<PathBuf> {
        real_path(path).map_err(|e| IoError::new("resolve", path, e))
    }

    fn same_file(&self, a: &Path, b: &Path) -> IoResult<bool> {
        same_file(a, b)
    }
}

/// See [`Disk::same_file`].
fn same_file(a: &Path, b: &Path) -> IoResult<bool> {
    if a == b {
        return Ok(true);
    }
    let identity = |path: &Path| match std::fs::metadata(path) {
        Ok(m) => Ok(Some((m.dev(), m.ino()))),
        Err(e) if is_missing(&e) => Ok(None),
        Err(e) => Err(IoError::new("stat", path, e)),
    };
    let one = identity(a)?;
    Ok(one.is_some() && one == identity(b)?)
}

/// Nothing has this name.
fn is_missing(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// See [`Disk::real_path`].
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let whole = std::path::absolute(path)?;
    for there in whole.ancestors() {
        let mut real = match there.canonicalize() {
            Ok(real) => real,
            Err(e) if is_missing(&e) => continue,
            Err(e) => return Err(e),
        };
        // Nothing of the rest is there, so no link either.
        for part in whole.strip_prefix(there).unwrap_or(Path::new("")).components() {
            match part {
                Component::ParentDir => drop(real.pop()),
                other => real.push(other),
            }
        }
        return Ok(real);
    }
    Ok(whole)
}

/// Submitted writes of a file.
struct Submitted {
    in_flight: usize,
    done: Vec<WriteDone>,
}

/// What a volume and its writes in flight share.
struct OpenFile {
    file: Arc<File>,
    /// Keeps other processes away.
    _lock: Option<Arc<File>>,
    path: PathBuf,
    kind: VolumeKind,
    sector: u32,
    /// The file system has no `fallocate`.
    unreserved: AtomicBool,
    /// The kernel has no `pwritev2`, or not for this file.
    without_flags: AtomicBool,
    submitted: Mutex<Submitted>,
    ended: Condvar,
}

struct OsVolume(Arc<OpenFile>);

impl std::ops::Deref for OsVolume {
    type Target = OpenFile;
    fn deref(&self) -> &OpenFile {
        &self.0
    }
}

impl OpenFile {
    fn fail(&self, op: &'static str, e: impl Into<io::Error>) -> IoError {
        IoError::new(op, &self.path, e)
    }

    fn submitted(&self) -> MutexGuard<'_, Submitted> {
        self.submitted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Performs a submitted write and notes its end.
    fn perform(&self, op: WriteOp) {
        let parts = [IoSlice::new(&op.buf[..op.len])];
        let result = self
            .write_all(op.offset, &parts, ReadWriteFlags::empty())
            .map_err(|e| self.fail("write", e));
        let mut s = self.submitted();
        s.in_flight -= 1;
        s.done.push(WriteDone { token: op.token, buf: op.buf, result });
        drop(s);
        self.ended.notify_all();
    }

    /// One write: by `pwritev2`, or by the calls that are older than it.
    fn write_once(
        &self,
        parts: &[IoSlice<'_>],
        offset: u64,
        flags: ReadWriteFlags,
    ) -> rustix::io::Result<usize> {
        if !self.without_flags.load(Ordering::Relaxed) {
            match pwritev2(&self.file, parts, offset, flags) {
                Err(Errno::NOSYS | Errno::OPNOTSUPP) => {
                    self.without_flags.store(true, Ordering::Relaxed);
                }
                done => return done,
            }
        }
        let n = pwritev(&self.file, parts, offset)?;
        if flags.contains(ReadWriteFlags::DSYNC) {
            fdatasync(&self.file)?;
        }
        Ok(n)
    }

    /// Writes parts, going on after a short write (which only a full disk or a signal causes).
    fn write_all(
        &self,
        mut offset: u64,
        parts: &[IoSlice<'_>],
        flags: ReadWriteFlags,
    ) -> io::Result<()> {
        let total: usize = parts.iter().map(|p| p.len()).sum();
        if parts.len() <= PARTS_MAX {
            match self.write_once(parts, offset, flags) {
                Ok(n) if n == total => return Ok(()),
                Ok(_) | Err(Errno::INTR) => {} // the slow way from the start
                Err(e) => return Err(e.into()),
            }
        }
        for part in parts {
            let mut rest: &[u8] = part;
            while !rest.is_empty() {
                match self.write_once(&[IoSlice::new(rest)], offset, flags) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(n) => {
                        rest = &rest[n..];
                        offset += n as u64;
                    }
                    Err(Errno::INTR) => {}
                    Err(e) => return Err(e.into()),
                }
            }
        }
        Ok(())
    }

    /// A direct read of a misaligned place: the aligned range around it, through a buffer of our own.
    fn read_misaligned(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let unit = ALIGNMENT as u64;
        let start = offset / unit * unit;
        let skip = (offset - start) as usize;
        let mut bounce = AlignedBuf::zeroed((skip + buf.len()).next_multiple_of(ALIGNMENT));
        let mut have = 0;
        while have < skip + buf.len() {
            match self.file.read_at(&mut bounce[have..], start + have as u64) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => have += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        buf.copy_from_slice(&bounce[skip..skip + buf.len()]);
        Ok(())
    }
}

impl Volume for OsVolume {
    fn path(&self) -> &Path {
        &self.path
    }

    fn kind(&self) -> VolumeKind {
        self.kind
    }

    fn sector_bytes(&self) -> u32 {
        self.sector
    }

    fn len(&self) -> IoResult<u64> {
        Ok(self.file.metadata().map_err(|e| self.fail("stat", e))?.len())
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        let aligned =
            (buf.as_ptr() as usize | buf.len()).is_multiple_of(512) && offset.is_multiple_of(512);
        match self.kind == VolumeKind::Direct && !aligned {
            true => self.read_misaligned(offset, buf),
            false => match self.file.read_exact_at(buf, offset) {
                // A device with larger logical blocks than the caller's alignment.
                Err(e)
                    if e.kind() == io::ErrorKind::InvalidInput
                        && self.kind == VolumeKind::Direct =>
                {
                    self.read_misaligned(offset, buf)
                }
                other => other,
            },
        }
        .map_err(|e| self.fail("read", e))
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        self.write_all(offset, &[IoSlice::new(data)], ReadWriteFlags::empty())
            .map_err(|e| self.fail("write", e))
    }

    fn write_parts(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.write_all(offset, parts, ReadWriteFlags::empty()).map_err(|e| self.fail("write", e))
    }

    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.write_all(offset, parts, ReadWriteFlags::DSYNC)
            .map_err(|e| self.fail("write_durable", e))
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        let alone = {
            let mut s = self.submitted();
            s.in_flight += ops.len();
            s.in_flight == 1
        };
        for op in ops {
            match alone {
                true => self.perform(op),
                false => pool::perform(Queue::Batches, &self.0, op),
            }
        }
        Ok(())
    }

    fn start(&self, op: WriteOp) -> IoResult<()> {
        self.submitted().in_flight += 1;
        pool::perform(Queue::Streams, &self.0, op);
        Ok(())
    }

    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        let mut s = self.submitted();
        while s.done.len() < min && s.in_flight > 0 {
            s = self.ended.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(std::mem::take(&mut s.done))
    }

    fn allocate(&self, offset: u64, len: u64) -> IoResult<()> {
        match fallocate(&self.file, FallocateFlags::empty(), offset, len) {
            Ok(()) => Ok(()),
            // A file system without it: the length at least, so that offsets are valid.
            Err(Errno::OPNOTSUPP) => {
                self.unreserved.store(true, Ordering::Release);
                let end = offset + len;
                if self.len()? < end {
                    self.file.set_len(end).map_err(|e| self.fail("allocate", e))?;
                }
                Ok(())
            }
            Err(e) => Err(self.fail("allocate", e)),
        }
    }

    /// What the kernel calls a hole: reserved extents that are marked unwritten, and places without any.
    fn unwritten(&self, offset: u64, end: u64) -> IoResult<Vec<(u64, u64)>> {
        let end = end.min(self.len()?);
        let find = |what, none| match seek(&self.file, what) {
            Ok(at) => Ok(at.min(end)),
            // Beyond the last one.
            Err(Errno::NXIO) => Ok(none),
            Err(e) => Err(self.fail("seek", e)),
        };
        let mut parts = Vec::new();
        let mut at = offset;
        while at < end {
            let hole = find(SeekFrom::Hole(at), end)?;
            let data = find(SeekFrom::Data(hole), end)?;
            if hole < data {
                parts.push((hole, data));
            }
            at = data.max(at + 1);
        }
        Ok(parts)
    }

    fn reserves(&self) -> bool {
        !self.unreserved.load(Ordering::Acquire)
    }

    fn sync(&self) -> IoResult<()> {
        fdatasync(&self.file).map_err(|e| self.fail("sync", e))
    }

    fn truncate(&self, len: u64) -> IoResult<()> {
        self.file.set_len(len).map_err(|e| self.fail("truncate", e))
    }
}

/// The system's clocks.
#[derive(Debug)]
pub struct OsClock {
    start: Instant,
}

impl OsClock {
    /// A clock whose monotonic zero is now.
    pub fn new() -> OsClock {
        OsClock { start: Instant::now() }
    }
}

impl Default for OsClock {
    fn default() -> Self {
        OsClock::new()
    }
}

impl Clock for OsClock {
    fn now_utc(&self) -> UtcTime {
        UtcTime::from_system(SystemTime::now())
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

/// The kernel's random numbers.
#[derive(Debug)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    fn fill(&self, mut buf: &mut [u8]) {
        while !buf.is_empty() {
            // The call itself, not a file: a server that is out of descriptors has random numbers all the same.
            match rustix::rand::getrandom(&mut *buf, GetRandomFlags::empty()) {
                Ok(n) => buf = &mut buf[n..],
                Err(Errno::INTR) => {}
                // Without randomness there is no salt, no GUID and no TLS: nothing sensible can go on.
                Err(e) => panic!("getrandom: {e}"),
            }
        }
    }
}

#[cfg(test)]
mod tests;
