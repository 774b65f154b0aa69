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
}

/// Who is told of each operation, in the thread that waited for it.
pub trait Watch: Send + Sync {
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
}

impl CountedDisk {
    /// Counts what goes to `inner`, by this clock.
    pub fn new(inner: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> CountedDisk {
        CountedDisk { inner, clock, watch: None, files: Mutex::default() }
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
            let done = Done { operation, offset: 0, length: 0, durable: false, took, error };
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
        Arc::new(CountedVolume { inner, clock, totals, watch, submitted: Mutex::default() })
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
}

/// A write that is in flight, and when it was submitted.
struct Submitted {
    token: u64,
    at: Duration,
    offset: u64,
    length: usize,
}

impl CountedVolume {
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
        let result = f();
        let took = self.clock.monotonic().saturating_sub(began);
        if let Some(to) = to {
            to.add(length as usize, took);
        }
        let error = error_of(&result);
        self.tell(|| Done { operation, offset, length, durable, took, error });
        result
    }

    fn submitted(&self, op: &WriteOp) -> Submitted {
        let at = self.clock.monotonic();
        Submitted { token: op.token, at, offset: op.offset, length: op.len }
    }

    /// A submitted write has ended, `now`, with this error or none.
    fn ended(&self, submitted: &mut Vec<Submitted>, token: u64, now: Duration, error: i32) {
        let Some(at) = submitted.iter().position(|s| s.token == token) else { return };
        let Submitted { at, offset, length, .. } = submitted.swap_remove(at);
        let took = now.saturating_sub(at);
        self.totals.plain.add(length, took);
        let (operation, durable) = PLAIN;
        let length = length as u64;
        self.tell(|| Done { operation, offset, length, durable, took, error });
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
mod tests {
    use super::*;
    use crate::AlignedBuf;
    use crate::sim::SimWorld;

    #[derive(Default)]
    struct Told {
        done: Mutex<Vec<(u32, Done)>>,
        open: Mutex<Vec<u32>>,
        renamed: Mutex<Vec<(PathBuf, PathBuf)>>,
    }

    impl Watch for Told {
        fn named(&self, path: &Path) -> u32 {
            path.as_os_str().len() as u32
        }
        fn opened(&self, path: &Path) -> u32 {
            let number = self.named(path);
            locked(&self.open).push(number);
            number
        }
        fn closed(&self, file: u32) {
            let mut open = locked(&self.open);
            let at = open.iter().position(|f| *f == file).expect("it is open");
            open.swap_remove(at);
        }
        fn renamed(&self, from: &Path, to: &Path) {
            locked(&self.renamed).push((from.to_owned(), to.to_owned()));
        }
        fn done(&self, file: u32, done: Done) {
            locked(&self.done).push((file, done));
        }
    }

    /// What is told of a world's disk.
    fn watched(world: &SimWorld) -> (CountedDisk, Arc<Told>) {
        let (env, told) = (world.env(), Arc::new(Told::default()));
        (CountedDisk::new(env.disk.clone(), env.clock.clone()).watched(told.clone()), told)
    }

    #[test]
    fn writes_that_are_refused_have_ended_with_that() {
        let world = SimWorld::new(1);
        let (disk, told) = watched(&world);
        let volume = disk.create(Path::new("/d.ldf"), OpenSpec::LOG).unwrap();
        let op =
            |token, offset| WriteOp { token, offset, buf: AlignedBuf::zeroed(4096), len: 4096 };
        world.crash();
        world.restart();
        assert!(volume.submit(vec![op(1, 0), op(2, 4096)]).is_err());
        assert!(volume.start(op(3, 8192)).is_err());
        let told: Vec<_> = locked(&told.done)[1..]
            .iter()
            .map(|(_, d)| (d.operation, d.offset, d.length, d.error != 0))
            .collect();
        let write = |offset| (FileOperation::Write, offset, 4096, true);
        assert_eq!(told, [write(0), write(4096), write(8192)]);
        assert_eq!(disk.totals(Path::new("/d.ldf")).plain_writes.count, 3);
    }

    #[test]
    fn a_number_is_a_files_while_it_is_open_whatever_its_name() {
        let world = SimWorld::new(1);
        let (disk, told) = watched(&world);
        let (a, b) = (Path::new("/a.bak"), Path::new("/b.bak"));
        assert!(disk.open(a, OpenSpec::DATA).is_err());
        assert!(locked(&told.open).is_empty(), "it was never open");
        let first = disk.create(a, OpenSpec::DATA).unwrap();
        let second = disk.open(a, OpenSpec::DATA).unwrap();
        assert!(disk.rename(Path::new("/none"), b).is_err());
        disk.rename(a, b).unwrap();
        assert_eq!(*locked(&told.renamed), [(a.to_owned(), b.to_owned())]);
        drop(first);
        assert_eq!(*locked(&told.open), [6]);
        drop(second);
        assert!(locked(&told.open).is_empty());
    }

    #[test]
    fn each_operation_is_told_once_with_its_place() {
        use FileOperation::*;
        let (disk, told) = watched(&SimWorld::new(1));
        let path = Path::new("/d.ldf");
        assert!(disk.open(path, OpenSpec::LOG).is_err());
        let volume = disk.create(path, OpenSpec::LOG).unwrap();
        volume.allocate(0, 65_536).unwrap();
        volume.write_durable(4096, &[IoSlice::new(&AlignedBuf::zeroed(512))]).unwrap();
        volume
            .start(WriteOp { token: 9, offset: 8192, buf: AlignedBuf::zeroed(4096), len: 4096 })
            .unwrap();
        volume.reap(1).unwrap();
        volume.sync().unwrap();
        volume.read_at(4096, &mut AlignedBuf::zeroed(4096)).unwrap();
        volume.truncate(8192).unwrap();
        disk.remove(path).unwrap();
        let told = locked(&told.done);
        assert!(told.iter().all(|t| t.0 == 6));
        let told: Vec<_> = told
            .iter()
            .map(|(_, d)| (d.operation, d.offset, d.length, d.durable, d.error == 0))
            .collect();
        let expected = [
            (Open, 0, 0, false, false),
            (Create, 0, 0, false, true),
            (Allocate, 0, 65_536, false, true),
            (Write, 4096, 512, true, true),
            (Write, 8192, 4096, false, true),
            (Sync, 0, 0, true, true),
            (Read, 4096, 4096, false, true),
            (Truncate, 8192, 0, false, true),
            (Remove, 0, 0, false, true),
        ];
        assert_eq!(told, expected);
        for (i, (operation, _)) in FileOperation::ALL.iter().enumerate() {
            assert_eq!(FileOperation::from_number(i as u8), Some(*operation));
        }
    }

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
