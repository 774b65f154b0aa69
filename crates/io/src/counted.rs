//! A disk that counts what goes through it, file by file: how many reads and writes, of how many bytes, and how long who
//! asked for them waited. What `sys.dm_io_virtual_file_stats` shows.
//!
//! It stands where the volumes are handed out, so nothing that reads or writes a file can forget to count. A write that is
//! submitted is counted when it has ended, with the time from its submission. Plain writes (`write_at` and those that are
//! submitted) are kept apart: on a log file they are the zeroes that initialise new space, while blocks and headers go out
//! durably.

mod pending;

use pending::{Pending, Taken};

pub use pending::PendingIo;

use std::collections::HashMap;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{
    Clock, Disk, Entry, IoReason, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone, WriteOp,
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

/// What is done with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "they are the traits' methods")]
pub enum FileOperation {
    Read,
    Write,
    Sync,
    Allocate,
    Truncate,
    Create,
    Open,
    Rename,
    Remove,
}

impl FileOperation {
    const ALL: [(FileOperation, &'static str); 9] = [
        (FileOperation::Read, "READ"),
        (FileOperation::Write, "WRITE"),
        (FileOperation::Sync, "SYNC"),
        (FileOperation::Allocate, "ALLOCATE"),
        (FileOperation::Truncate, "TRUNCATE"),
        (FileOperation::Create, "CREATE"),
        (FileOperation::Open, "OPEN"),
        (FileOperation::Rename, "RENAME"),
        (FileOperation::Remove, "REMOVE"),
    ];

    /// As it is shown.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The inverse of `self as u8`.
    pub fn from_number(n: u8) -> Option<FileOperation> {
        Self::ALL.get(usize::from(n)).map(|o| o.0)
    }
}

/// An operation that has ended.
#[derive(Debug)]
pub struct Done {
    /// What.
    pub operation: FileOperation,
    /// Where in the file.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
    /// It is on the medium when it ends.
    pub durable: bool,
    /// How long it took.
    pub took: Duration,
    /// 0: it succeeded; else the system's number of the error, or -1 if it has none.
    pub error: i32,
    /// Why, as its thread said when it began.
    pub reason: IoReason,
}

/// Who is told of each operation, in the thread that waited for it.
pub trait Watch: Send + Sync {
    /// An operation on a file begins.
    fn begins(&self, file: u32, operation: FileOperation, offset: u64, length: u64);
    /// The number of a name: of something that is done with the name alone, or in vain.
    fn named(&self, path: &Path) -> u32;
    /// The number of a file that is open from now on, the same as [`Watch::named`] gives; it stays until the file is closed.
    fn opened(&self, path: &Path) -> u32;
    /// A file that was [`Watch::opened`] is closed.
    fn closed(&self, file: u32);
    /// A file has another name, and keeps its number.
    fn renamed(&self, from: &Path, to: &Path);
    /// An operation on the file of that number has ended.
    fn done(&self, file: u32, done: Done);
}

fn error_of<R>(result: &IoResult<R>) -> i32 {
    result.as_ref().err().map_or(0, |e| e.source.raw_os_error().unwrap_or(-1))
}

fn locked<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    // Counting goes on whatever thread has panicked.
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// See the module's text.
pub struct CountedDisk {
    inner: Arc<dyn Disk>,
    clock: Arc<dyn Clock>,
    watch: Option<Arc<dyn Watch>>,
    files: Mutex<HashMap<PathBuf, Arc<FileTotals>>>,
    pending: Arc<Pending>,
}

impl CountedDisk {
    /// Counts what goes to `inner`, by this clock.
    pub fn new(inner: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> CountedDisk {
        let (files, pending) = (Mutex::default(), Arc::new(Pending::new()));
        CountedDisk { inner, clock, watch: None, files, pending }
    }

    /// The same, and somebody is told of each operation.
    pub fn watched(self, watch: Arc<dyn Watch>) -> CountedDisk {
        CountedDisk { watch: Some(watch), ..self }
    }

    /// An operation on a name.
    fn named<R>(
        &self,
        operation: FileOperation,
        path: &Path,
        f: impl FnOnce() -> IoResult<R>,
    ) -> IoResult<R> {
        let began = self.clock.monotonic();
        let result = f();
        if let Some(watch) = &self.watch {
            let took = self.clock.monotonic().saturating_sub(began);
            let error = error_of(&result);
            let reason = IoReason::current();
            let done =
                Done { operation, offset: 0, length: 0, durable: false, took, error, reason };
            watch.done(watch.named(path), done);
        }
        result
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

    /// What is under way, the oldest first.
    pub fn pending(&self) -> Vec<PendingIo> {
        self.pending.all()
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
        let watch = self.watch.as_ref().map(|w| (Arc::clone(w), w.opened(path)));
        let (submitted, pending) = (Mutex::default(), Arc::clone(&self.pending));
        Arc::new(CountedVolume { inner, clock, totals, watch, submitted, pending })
    }
}

impl Disk for CountedDisk {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        let inner = self.named(FileOperation::Create, path, || self.inner.create(path, spec))?;
        // A new file of an old name starts from nothing.
        locked(&self.files).remove(path);
        Ok(self.counted(inner, path))
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        let inner = self.named(FileOperation::Open, path, || self.inner.open(path, spec))?;
        Ok(self.counted(inner, path))
    }

    fn exists(&self, path: &Path) -> IoResult<bool> {
        self.inner.exists(path)
    }

    fn remove(&self, path: &Path) -> IoResult<()> {
        self.named(FileOperation::Remove, path, || self.inner.remove(path))?;
        locked(&self.files).remove(path);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> IoResult<()> {
        self.named(FileOperation::Rename, from, || self.inner.rename(from, to))?;
        if let Some(watch) = &self.watch {
            watch.renamed(from, to);
        }
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

    fn share(&self, from: &Path, to: &Path) -> IoResult<bool> {
        self.inner.share(from, to)
    }
}

/// A write that is durable only after a sync.
const PLAIN: (FileOperation, bool) = (FileOperation::Write, false);

struct CountedVolume {
    inner: Arc<dyn Volume>,
    clock: Arc<dyn Clock>,
    totals: Arc<FileTotals>,
    watch: Option<(Arc<dyn Watch>, u32)>,
    submitted: Mutex<Vec<Submitted>>,
    pending: Arc<Pending>,
}

/// A write that is in flight, and when it was submitted.
struct Submitted {
    token: u64,
    at: Duration,
    offset: u64,
    length: usize,
    reason: IoReason,
    taken: Taken,
}

impl CountedVolume {
    /// An operation begins.
    fn begins(
        &self,
        operation: FileOperation,
        (offset, length): (u64, u64),
        began: Duration,
    ) -> Taken {
        let mut file = 0;
        if let Some((watch, number)) = &self.watch {
            file = *number;
            watch.begins(file, operation, offset, length);
        }
        self.pending.begin(PendingIo { began, operation, file, offset, length })
    }

    fn tell(&self, done: impl FnOnce() -> Done) {
        if let Some((watch, file)) = &self.watch {
            watch.done(*file, done());
        }
    }

    /// An operation that counts towards these totals, if towards any.
    fn timed<R>(
        &self,
        to: Option<&Direction>,
        (operation, durable): (FileOperation, bool),
        (offset, length): (u64, u64),
        f: impl FnOnce() -> IoResult<R>,
    ) -> IoResult<R> {
        let began = self.clock.monotonic();
        let taken = self.begins(operation, (offset, length), began);
        let result = f();
        let took = self.clock.monotonic().saturating_sub(began);
        self.pending.end(taken);
        if let Some(to) = to {
            to.add(length as usize, took);
        }
        let error = error_of(&result);
        let reason = IoReason::current();
        self.tell(|| Done { operation, offset, length, durable, took, error, reason });
        result
    }

    fn submitted(&self, op: &WriteOp) -> Submitted {
        let at = self.clock.monotonic();
        let taken = self.begins(PLAIN.0, (op.offset, op.len as u64), at);
        let reason = IoReason::current();
        Submitted { token: op.token, at, offset: op.offset, length: op.len, reason, taken }
    }

    /// A submitted write has ended, `now`, with this error or none.
    fn ended(&self, submitted: &mut Vec<Submitted>, token: u64, now: Duration, error: i32) {
        let Some(at) = submitted.iter().position(|s| s.token == token) else { return };
        let Submitted { at, offset, length, reason, taken, .. } = submitted.swap_remove(at);
        self.pending.end(taken);
        let took = now.saturating_sub(at);
        self.totals.plain.add(length, took);
        let (operation, durable) = PLAIN;
        let length = length as u64;
        self.tell(|| Done { operation, offset, length, durable, took, error, reason });
    }

    /// Writes that are refused have ended with that: nobody will reap them.
    fn not_refused(&self, tokens: &[u64], result: IoResult<()>) -> IoResult<()> {
        if result.is_err() {
            let (now, error) = (self.clock.monotonic(), error_of(&result));
            let mut submitted = locked(&self.submitted);
            for &token in tokens {
                self.ended(&mut submitted, token, now, error);
            }
        }
        result
    }
}

impl Drop for CountedVolume {
    fn drop(&mut self) {
        locked(&self.submitted).drain(..).for_each(|s| self.pending.end(s.taken));
        if let Some((watch, file)) = &self.watch {
            watch.closed(*file);
        }
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
        let bytes = buf.len() as u64;
        let read = (FileOperation::Read, false);
        self.timed(Some(&self.totals.reads), read, (offset, bytes), || {
            self.inner.read_at(offset, buf)
        })
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        let bytes = data.len() as u64;
        self.timed(Some(&self.totals.plain), PLAIN, (offset, bytes), || {
            self.inner.write_at(offset, data)
        })
    }

    /// Counted among the durable ones: it is the log's, and a sync of several follows.
    fn write_parts(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        let bytes = parts.iter().map(|p| p.len() as u64).sum();
        self.timed(Some(&self.totals.writes), PLAIN, (offset, bytes), || {
            self.inner.write_parts(offset, parts)
        })
    }

    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        let bytes = parts.iter().map(|p| p.len() as u64).sum();
        let durable = (FileOperation::Write, true);
        self.timed(Some(&self.totals.writes), durable, (offset, bytes), || {
            self.inner.write_durable(offset, parts)
        })
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        let tokens: Vec<u64> = ops.iter().map(|op| op.token).collect();
        locked(&self.submitted).extend(ops.iter().map(|op| self.submitted(op)));
        let result = self.inner.submit(ops);
        self.not_refused(&tokens, result)
    }

    fn start(&self, op: WriteOp) -> IoResult<()> {
        let token = op.token;
        locked(&self.submitted).push(self.submitted(&op));
        let result = self.inner.start(op);
        self.not_refused(&[token], result)
    }

    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        let done = self.inner.reap(min)?;
        let now = self.clock.monotonic();
        let mut submitted = locked(&self.submitted);
        for d in &done {
            self.ended(&mut submitted, d.token, now, error_of(&d.result));
        }
        Ok(done)
    }

    fn allocate(&self, offset: u64, len: u64) -> IoResult<()> {
        let allocate = (FileOperation::Allocate, false);
        self.timed(None, allocate, (offset, len), || self.inner.allocate(offset, len))
    }

    fn unwritten(&self, offset: u64, end: u64) -> IoResult<Vec<(u64, u64)>> {
        self.inner.unwritten(offset, end)
    }

    fn reserves(&self) -> bool {
        self.inner.reserves()
    }

    fn sync(&self) -> IoResult<()> {
        self.timed(None, (FileOperation::Sync, true), (0, 0), || self.inner.sync())
    }

    fn truncate(&self, len: u64) -> IoResult<()> {
        self.timed(None, (FileOperation::Truncate, false), (len, 0), || self.inner.truncate(len))
    }
}

#[cfg(test)]
mod tests;
