//! A disk that counts what goes through it, file by file: how many reads and writes, of how many bytes, and how long who
//! asked for them waited. What `sys.dm_io_virtual_file_stats` shows.
//!
//! It stands where the volumes are handed out, so nothing that reads or writes a file can forget to count. A write that is
//! submitted is counted when it has ended, with the time from its submission. Plain writes (`write_at` and those that are
//! submitted) are kept apart: on a log file they are the zeroes that initialise new space, while blocks and headers go out
//! durably.

use std::collections::HashMap;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{
    Clock, Disk, Entry, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone, WriteOp,
};

/// Totals of one direction.
#[derive(Default, Debug)]
struct Direction {
    count: AtomicU64,
    bytes: AtomicU64,
    ns: AtomicU64,
}

impl Direction {
    fn add(&self, bytes: usize, took: Duration) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.ns.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
    }

    fn totals(&self) -> IoTotals {
        IoTotals {
            count: self.count.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            stall: Duration::from_nanos(self.ns.load(Ordering::Relaxed)),
        }
    }
}

/// What was read, or written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct IoTotals {
    /// Operations.
    pub count: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// How long they took together.
    pub stall: Duration,
}

impl IoTotals {
    fn add(&mut self, more: IoTotals) {
        self.count += more.count;
        self.bytes += more.bytes;
        self.stall += more.stall;
    }
}

/// What went through a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FileIo {
    /// Reads.
    pub reads: IoTotals,
    /// Durable writes.
    pub writes: IoTotals,
    /// Plain writes, durable only after a sync.
    pub plain_writes: IoTotals,
}

#[derive(Default, Debug)]
struct FileTotals {
    reads: Direction,
    writes: Direction,
    plain: Direction,
}

fn locked<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    // Counting goes on whatever thread has panicked.
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// See the module's text.
pub struct CountedDisk {
    inner: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    files: Mutex<HashMap<PathBuf, Arc<FileTotals>>>,
}

impl CountedDisk {
    /// Counts what goes to `inner`, by this clock.
    pub fn new(inner: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> CountedDisk {
        CountedDisk { inner, clock, files: Mutex::default() }
    }

    /// What went through a file since the disk was made; nothing for one that was never opened.
    pub fn totals(&self, path: &Path) -> FileIo {
        let file = locked(&self.files).get(path).cloned();
        file.map_or_else(FileIo::default, |f| FileIo {
            reads: f.reads.totals(),
            writes: f.writes.totals(),
            plain_writes: f.plain.totals(),
        })
    }

    /// What went through all files that are there.
    pub fn sum(&self) -> FileIo {
        let files: Vec<_> = locked(&self.files).values().cloned().collect();
        let mut sum = FileIo::default();
        for f in files {
            sum.reads.add(f.reads.totals());
            sum.writes.add(f.writes.totals());
            sum.plain_writes.add(f.plain.totals());
        }
        sum
    }

    fn counted(&self, inner: Arc<dyn Volume>, path: &Path) -> Arc<dyn Volume> {
        let totals = locked(&self.files).entry(path.to_owned()).or_default().clone();
        let clock = Arc::clone(&self.clock);
        Arc::new(CountedVolume { inner, clock, totals, submitted: Mutex::default() })
    }
}

impl Disk for CountedDisk {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        let inner = self.inner.create(path, spec)?;
        // A new file of an old name starts from nothing.
        locked(&self.files).remove(path);
        Ok(self.counted(inner, path))
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        Ok(self.counted(self.inner.open(path, spec)?, path))
    }

    fn exists(&self, path: &Path) -> IoResult<bool> {
        self.inner.exists(path)
    }

    fn remove(&self, path: &Path) -> IoResult<()> {
        self.inner.remove(path)?;
        locked(&self.files).remove(path);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> IoResult<()> {
        self.inner.rename(from, to)?;
        let mut files = locked(&self.files);
        if let Some(totals) = files.remove(from) {
            files.insert(to.to_owned(), totals);
        }
        Ok(())
    }

    fn list(&self, dir: &Path) -> IoResult<Vec<PathBuf>> {
        self.inner.list(dir)
    }

    fn entries(&self, dir: &Path) -> IoResult<Vec<Entry>> {
        self.inner.entries(dir)
    }

    fn create_dir(&self, dir: &Path) -> IoResult<()> {
        self.inner.create_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> IoResult<()> {
        self.inner.sync_dir(dir)
    }

    fn space(&self, path: &Path) -> IoResult<Space> {
        self.inner.space(path)
    }

    fn real_path(&self, path: &Path) -> IoResult<PathBuf> {
        self.inner.real_path(path)
    }

    fn same_file(&self, a: &Path, b: &Path) -> IoResult<bool> {
        self.inner.same_file(a, b)
    }
}

struct CountedVolume {
    inner: Arc<dyn Volume>,
    clock: Arc<dyn Clock>,
    totals: Arc<FileTotals>,
    /// When each write that is in flight was submitted, and its bytes, by its token.
    submitted: Mutex<Vec<(u64, Duration, usize)>>,
}

impl CountedVolume {
    fn timed<R>(
        &self,
        to: &Direction,
        bytes: usize,
        f: impl FnOnce() -> IoResult<R>,
    ) -> IoResult<R> {
        let began = self.clock.monotonic();
        let result = f();
        to.add(bytes, self.clock.monotonic().saturating_sub(began));
        result
    }
}

impl Volume for CountedVolume {
    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn kind(&self) -> VolumeKind {
        self.inner.kind()
    }

    fn sector_bytes(&self) -> u32 {
        self.inner.sector_bytes()
    }

    fn len(&self) -> IoResult<u64> {
        self.inner.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> IoResult<()> {
        self.timed(&self.totals.reads, buf.len(), || self.inner.read_at(offset, buf))
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        self.timed(&self.totals.plain, data.len(), || self.inner.write_at(offset, data))
    }

    /// Counted among the durable ones: it is the log's, and a sync of several follows.
    fn write_parts(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        let bytes = parts.iter().map(|p| p.len()).sum();
        self.timed(&self.totals.writes, bytes, || self.inner.write_parts(offset, parts))
    }

    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        let bytes = parts.iter().map(|p| p.len()).sum();
        self.timed(&self.totals.writes, bytes, || self.inner.write_durable(offset, parts))
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        let now = self.clock.monotonic();
        locked(&self.submitted).extend(ops.iter().map(|op| (op.token, now, op.len)));
        self.inner.submit(ops)
    }

    fn start(&self, op: WriteOp) -> IoResult<()> {
        locked(&self.submitted).push((op.token, self.clock.monotonic(), op.len));
        self.inner.start(op)
    }

    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        let done = self.inner.reap(min)?;
        let now = self.clock.monotonic();
        let mut submitted = locked(&self.submitted);
        for d in &done {
            if let Some(at) = submitted.iter().position(|s| s.0 == d.token) {
                let (_, began, bytes) = submitted.swap_remove(at);
                self.totals.plain.add(bytes, now.saturating_sub(began));
            }
        }
        Ok(done)
    }

    fn allocate(&self, offset: u64, len: u64) -> IoResult<()> {
        self.inner.allocate(offset, len)
    }

    fn unwritten(&self, offset: u64, end: u64) -> IoResult<Vec<(u64, u64)>> {
        self.inner.unwritten(offset, end)
    }

    fn reserves(&self) -> bool {
        self.inner.reserves()
    }

    fn sync(&self) -> IoResult<()> {
        self.inner.sync()
    }

    fn truncate(&self, len: u64) -> IoResult<()> {
        self.inner.truncate(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AlignedBuf;
    use crate::sim::SimWorld;

    #[test]
    fn every_way_to_the_file_counts_once() {
        let world = SimWorld::new(1);
        let env = world.env();
        let disk = CountedDisk::new(env.disk.clone(), env.clock.clone());
        let (data, log) = (Path::new("/d.mdf"), Path::new("/d.ldf"));
        let volume = disk.create(data, OpenSpec::DATA).unwrap();
        volume.write_at(0, &AlignedBuf::zeroed(8192)).unwrap();
        volume.read_at(0, &mut AlignedBuf::zeroed(4096)).unwrap();
        let op = |token| WriteOp {
            token,
            offset: 8192 * token,
            buf: AlignedBuf::zeroed(4096),
            len: 4096,
        };
        volume.submit(vec![op(1)]).unwrap();
        volume.start(op(2)).unwrap();
        let mut reaped = 0;
        while reaped < 2 {
            reaped += volume.reap(1).unwrap().len();
        }
        let io = disk.totals(data);
        assert_eq!((io.reads.count, io.reads.bytes), (1, 4096));
        assert_eq!((io.writes.count, io.writes.bytes), (0, 0));
        assert_eq!((io.plain_writes.count, io.plain_writes.bytes), (3, 16_384));
        let volume = disk.create(log, OpenSpec::LOG).unwrap();
        volume.write_durable(0, &[IoSlice::new(&AlignedBuf::zeroed(4096))]).unwrap();
        assert_eq!(disk.totals(log).writes.count, 1);
        disk.rename(log, Path::new("/e.ldf")).unwrap();
        let renamed = disk.totals(Path::new("/e.ldf"));
        assert_eq!((disk.totals(log).writes.count, renamed.writes.count), (0, 1));
    }
}
