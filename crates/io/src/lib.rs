//! Everything that touches the outside world on behalf of the engine: files, time and randomness.
//!
//! The log, the buffer pool and recovery see only the traits of this crate, and get them handed in as an
//! [`Env`]. There are two implementations: the operating system's ([`os`]) and a simulated world on a seed
//! ([`sim`]), in which whole workloads run, lose power and recover deterministically.
//!
//! ```text
//! Disk     the namespace: create, open, rename, remove, list, sync_dir; the room there is
//! Volume   one open file: read, write (volatile until sync), write_durable (durable on return), submit/reap
//! Clock    now_utc for what people see, monotonic for every wait and measurement
//! Entropy  random bytes
//! ```
//!
//! What the traits promise, and what they do not:
//!
//! 1. `write_at` and `submit` promise nothing about durability until `sync` returned `Ok`; before that, after a
//!    loss of power, each sector of each such write may be old or new, independently of every other.
//! 2. `write_durable` is durable, with the metadata needed to find it, when it returns `Ok`. While it runs,
//!    and after an error, (1) holds for its sectors.
//! 3. A name made by `create` or `rename` or removed by `remove` is durable after `sync_dir` of its directory.
//! 4. After a write or a sync that failed every later one of the same volume fails ([`FailStopDisk`]): nobody retries, and nobody
//!    takes the success of the next sync for that of the one before. A plain write that the disk has no room for is only refused.
//!
//! `unsafe` appears in three places: [`AlignedBuf`], memory with an alignment has no safe constructor; [`give_back_memory`], a call of
//! the allocator's; [`heap`], the allocator itself.
#![deny(unsafe_code)]

mod aligned;
pub mod counted;
mod error;
mod failstop;
pub mod heap;
mod memory;
pub mod os;
pub mod overlay;
pub mod reason;
mod remote;
mod reserve;
mod settling;
pub mod sim;
mod small;
mod time;
pub mod zone;

use std::ffi::OsString;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub use aligned::{ALIGNMENT, AlignedBuf};
pub use error::{IoError, IoResult, SystemError};
pub use failstop::FailStopDisk;
pub use memory::give_back_memory;
pub use reason::IoReason;
pub use remote::RemoteObject;
pub use reserve::reserve;
pub use settling::SettlingDisk;
pub use small::{small_file_temporary, write_small_file};
pub use time::UtcTime;

/// How to open a file. One that is opened `direct` and for writing belongs to this process for as long as it is open: the operating
/// system's disk locks it, and another process's is an error ([`IoError::is_in_use`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenSpec {
    /// Go past the page cache where the file system allows it; see [`Volume::kind`] for what became of it.
    pub direct: bool,
    /// Only reads are allowed.
    pub read_only: bool,
}

impl OpenSpec {
    /// A log file.
    pub const LOG: OpenSpec = OpenSpec { direct: true, read_only: false };
    /// A data file.
    pub const DATA: OpenSpec = OpenSpec { direct: true, read_only: false };
    /// An ordinary file through the page cache: backups, settings, the error log.
    pub const PLAIN: OpenSpec = OpenSpec { direct: false, read_only: false };

    /// The same, for reading only.
    pub const fn read_only(self) -> OpenSpec {
        OpenSpec { read_only: true, ..self }
    }
}

/// What a volume's writes go through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VolumeKind {
    /// `O_DIRECT`: no page cache between us and the device.
    Direct,
    /// Through the page cache, either because it was asked for or because the file system refuses `O_DIRECT`.
    Buffered,
    /// In memory, see [`sim`].
    Simulated,
}

/// A write handed to [`Volume::submit`]. The buffer is owned for as long as the write is in flight.
#[derive(Debug)]
pub struct WriteOp {
    /// Names the write in its [`WriteDone`]; any value.
    pub token: u64,
    /// Where in the file.
    pub offset: u64,
    /// What to write; `len` bytes of it.
    pub buf: AlignedBuf,
    /// How much of `buf` to write.
    pub len: usize,
}

/// A submitted write that ended.
#[derive(Debug)]
pub struct WriteDone {
    /// The token of the [`WriteOp`].
    pub token: u64,
    /// The buffer comes back.
    pub buf: AlignedBuf,
    /// Whether every byte was written (not: made durable).
    pub result: IoResult<()>,
}

/// A file system's room.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Space {
    /// All of it, in bytes.
    pub total: u64,
    /// What is free for this process, in bytes.
    pub available: u64,
    /// Where it is mounted.
    pub mount_point: String,
    /// What is mounted: a device, or a name such as `overlay`.
    pub source: String,
    /// `ext4`, `xfs` …; empty where it cannot be told.
    pub kind: String,
    /// It takes no writes.
    pub read_only: bool,
}

/// What a directory has under a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The name alone.
    pub name: OsString,
    /// A file; a link is none.
    pub is_file: bool,
    /// A directory; a link to one is none.
    pub is_directory: bool,
    /// When it was last written, to the second.
    pub modified: SystemTime,
}

/// The namespace of files.
pub trait Disk: Send + Sync {
    /// Makes a new, empty file; an error when the name is taken. The name is durable after [`Disk::sync_dir`].
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>>;
    /// Opens an existing file.
    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>>;
    /// True when there is a file or directory of that name.
    fn exists(&self, path: &Path) -> IoResult<bool>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> IoResult<()>;
    /// Renames a file, replacing one that has the new name.
    fn rename(&self, from: &Path, to: &Path) -> IoResult<()>;
    /// The files of a directory (full paths, sorted).
    fn list(&self, dir: &Path) -> IoResult<Vec<PathBuf>>;
    /// What a directory has, by name. On a disk without times everything is of 1970.
    fn entries(&self, dir: &Path) -> IoResult<Vec<Entry>>;
    /// Makes a directory and those above it; no error when it is there.
    fn create_dir(&self, dir: &Path) -> IoResult<()>;
    /// Makes the names in a directory durable.
    fn sync_dir(&self, dir: &Path) -> IoResult<()>;
    /// The room of the file system that a file or directory lies on.
    fn space(&self, path: &Path) -> IoResult<Space>;
    /// The path without links, `.` and `..`, as far as there is something at it; of the rest as it is written.
    fn real_path(&self, path: &Path) -> IoResult<PathBuf>;
    /// True when both paths name one file, however they are written. What is not there is the same as itself alone.
    fn same_file(&self, a: &Path, b: &Path) -> IoResult<bool>;
    /// Has an empty file share all blocks of another until either is written. False: this disk cannot, and nothing has been done. Durable
    /// after [`Volume::sync`].
    fn share(&self, from: &Path, to: &Path) -> IoResult<bool> {
        let _ = (from, to);
        Ok(false)
    }
}

/// Makes a new file, or takes an empty one that is there: whoever has to tell later which files it made itself makes them empty,
/// and notes that, before there is anything in them.
pub fn create_or_take_empty(
    disk: &dyn Disk,
    path: &Path,
    spec: OpenSpec,
) -> IoResult<Arc<dyn Volume>> {
    if disk.exists(path)? {
        let there = disk.open(path, spec)?;
        if there.is_empty()? {
            return Ok(there);
        }
    }
    disk.create(path, spec)
}

/// One open file. Offsets and lengths of a direct volume are multiples of [`Volume::sector_bytes`] for writes;
/// reads may be of any place and length (a misaligned one costs a copy).
pub trait Volume: Send + Sync {
    /// The name it was opened under.
    fn path(&self) -> &Path;
    /// What the writes go through.
    fn kind(&self) -> VolumeKind;
    /// The device's physical sector: the unit that a loss of power leaves whole. 512 or 4096 usually; 4096 where
    /// it cannot be told.
    fn sector_bytes(&self) -> u32;
    /// The file's length in bytes.
    fn len(&self) -> IoResult<u64>;
    /// True when the file's length is zero.
    fn is_empty(&self) -> IoResult<bool> {
        Ok(self.len()? == 0)
    }
    /// Fills `buf` from `offset`; reaching the file's end before that is an error (`UnexpectedEof`).
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()>;
    /// Writes; durable only after [`Volume::sync`].
    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()>;
    /// Writes the parts one after another from `offset`; durable only after [`Volume::sync`].
    fn write_parts(&self, mut offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        for part in parts {
            self.write_at(offset, part)?;
            offset += part.len() as u64;
        }
        Ok(())
    }
    /// Writes the parts one after another from `offset`; durable on return.
    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()>;
    /// Starts writes; durable only after their [`WriteDone`]s and a later [`Volume::sync`].
    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()>;
    /// Starts one write and goes on at once, even if it is the only one in flight: for who has other work meanwhile. [`Volume::submit`]
    /// may do a lone write itself, which costs less where there is nothing else to do.
    fn start(&self, op: WriteOp) -> IoResult<()> {
        self.submit(vec![op])
    }
    /// Waits until at least `min` submitted writes ended (or none is left) and returns all that have.
    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>>;
    /// Reserves space, so that later writes in the range cannot meet a full disk, and extends the file over it. Reads as zeroes.
    /// The new length is durable after [`Volume::sync`].
    fn allocate(&self, offset: u64, len: u64) -> IoResult<()>;
    /// The parts of `offset..end` that are reserved and were never written: the first write of such a part is slower, since
    /// that it was written has to become durable too. Empty where the file system cannot tell.
    fn unwritten(&self, offset: u64, end: u64) -> IoResult<Vec<(u64, u64)>> {
        let _ = (offset, end);
        Ok(Vec::new())
    }
    /// False after an [`Volume::allocate`] that could only lengthen the file: a write there may still meet a full disk.
    fn reserves(&self) -> bool {
        true
    }
    /// Makes every write that has returned durable (`fdatasync`).
    fn sync(&self) -> IoResult<()>;
    /// Sets the length; durable after [`Volume::sync`].
    fn truncate(&self, len: u64) -> IoResult<()>;
}

/// Time.
pub trait Clock: Send + Sync {
    /// Wall clock, UTC. May jump.
    fn now_utc(&self) -> UtcTime;
    /// Never goes back; its zero means nothing.
    fn monotonic(&self) -> Duration;
}

/// Randomness.
pub trait Entropy: Send + Sync {
    /// Fills the buffer with random bytes.
    fn fill(&self, buf: &mut [u8]);

    /// Sixteen random bytes with the version and variant bits of a version 4 GUID.
    fn guid(&self) -> [u8; 16] {
        let mut g = [0; 16];
        self.fill(&mut g);
        g[6] = (g[6] & 0x0f) | 0x40;
        g[8] = (g[8] & 0x3f) | 0x80;
        g
    }
}

/// The outside world, handed to whoever needs it.
#[derive(Clone)]
pub struct Env {
    /// Files.
    pub disk: Arc<dyn Disk>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
}

impl Env {
    /// The operating system's.
    pub fn os() -> Env {
        Env {
            disk: Arc::new(FailStopDisk::new(Arc::new(os::RootedDisk::new(Vec::new())))),
            clock: Arc::new(os::OsClock::new()),
            entropy: Arc::new(os::OsEntropy),
        }
    }
}

impl Env {
    /// The operating system's, with directories below which no link is followed: see [`os::RootedDisk`].
    pub fn os_beneath(roots: Vec<PathBuf>) -> Env {
        let disk = FailStopDisk::new(Arc::new(os::RootedDisk::new(roots)));
        Env { disk: Arc::new(disk), ..Env::os() }
    }
}

impl std::fmt::Debug for Env {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Env")
    }
}
