//! A change of the directory or of the root whose durable write finds no room: the error may be that of log that was written before, so
//! the log ends there. Room that is refused before anything is changed is refused, and no more, on every kind of file system.

use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use taffrail_base::{LogPos, TransactionId};
use taffrail_io::sim::{Fault, FaultKind, IoKind, SimWorld};
use taffrail_io::{
    Disk, Entry, FailStopDisk, IoError, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone,
    WriteOp,
};
use taffrail_log::{
    AppendError, FlushReason, Growth, Initialization, Lcx, Log, LogError, LogFileSpec, LogOptions,
    Lop, RecordHeader, Reserve, TxLog,
};

const MB: u64 = 1 << 20;

fn paths() -> [PathBuf; 2] {
    ["/a_log.ldf".into(), "/b_log.ldf".into()]
}

/// Full blocks are written plainly, and zeroes before a growth.
fn options() -> LogOptions {
    LogOptions { always_plain: true, initialization: Initialization::Zero, ..LogOptions::default() }
}

/// Two files, of which the second, of 1 MB, grows.
fn create(world: &SimWorld) -> Arc<Log> {
    let [first, second] = paths();
    let specs = [
        LogFileSpec { growth: Growth::None, ..LogFileSpec::new(first, 8 * MB) },
        LogFileSpec { growth: Growth::Bytes(MB), ..LogFileSpec::new(second, MB) },
    ];
    Log::create(&world.env(), &specs, options(), [7; 16]).unwrap()
}

fn append(log: &Log, bytes: usize) -> Result<LogPos, AppendError> {
    let mut tx = TxLog::new(TransactionId(1));
    let header = RecordHeader::new(Lop::InsertRows, Lcx::Heap);
    let pos = log.append(&mut tx, &header, &[&vec![5; bytes]], Reserve::NONE)?;
    log.release(&mut tx);
    Ok(pos)
}

fn no_room(kind: IoKind, nth: u64, path: &str) -> Fault {
    let path_contains = path.into();
    Fault { nth, kind: Some(kind), path_contains, fault: FaultKind::Full, sticky: false }
}

type Change = fn(&Log) -> Result<(), LogError>;

/// Each with the durable write of the first file that fails in it. The first file is the one that the log is being written to.
const CHANGES: [(&str, u64, Change); 4] = [
    ("growth", 1, |log| log.grow_file(1, 2 * MB)),
    ("growth, second half of the header", 2, |log| log.grow_file(1, 2 * MB)),
    ("options", 1, |log| log.set_file_options(1, Growth::Bytes(2 * MB), 64 * MB)),
    ("options of the first file", 1, |log| log.set_file_options(0, Growth::Bytes(MB), 64 * MB)),
];

#[test]
fn a_change_that_finds_no_room_when_it_is_made_durable_acknowledges_no_commit() {
    let mut lost = 0;
    for (what, nth, change) in CHANGES {
        for seed in 0..8 {
            let world = SimWorld::new(seed);
            let log = create(&world);
            let anchor = log.anchor_at(log.appended()).unwrap();
            let (durable, flushes) = (log.durable(), &log.options().counters.log_flushes);
            while flushes.get() == 0 {
                append(&log, 20_000).unwrap();
                log.writer_tick();
            }
            assert_eq!(log.durable(), durable, "written, and no more");
            world.inject(no_room(IoKind::WriteDurable, nth, "a_log"));
            assert!(matches!(change(&log), Err(LogError::Io(e)) if e.is_full()), "{what}");
            let committed = log.last_record();
            let acknowledged = log.harden(committed, FlushReason::Commit).is_ok();
            let failed = log.is_failed();
            drop(log);
            world.crash();
            world.restart();
            let (_, found) = Log::open(&world.env(), &paths(), options(), &anchor).unwrap();
            lost += u64::from(found.end <= committed);
            assert!(!acknowledged || found.end > committed, "{what}, seed {seed}: acknowledged");
            assert!(failed && !acknowledged, "{what}: what it was told is forgotten");
        }
    }
    assert!(lost > 0, "nothing was lost");
}

/// The header that could not be made durable may be there all the same, and name VLFs: nothing cuts the file off in front of them.
#[test]
fn a_growth_that_may_be_on_disk_is_not_cut_off_by_the_next() {
    let path = paths()[1].clone();
    let mut larger = 0;
    for seed in 0..16 {
        let world = SimWorld::new(seed);
        let specs = [LogFileSpec { growth: Growth::Bytes(MB), ..LogFileSpec::new(&path, MB) }];
        let log = Log::create(&world.env(), &specs, options(), [7; 16]).unwrap();
        let anchor = log.anchor_at(log.appended()).unwrap();
        world.inject(no_room(IoKind::WriteDurable, 2, "b_log"));
        assert!(log.grow_file(0, 2 * MB).is_err());
        world.inject(no_room(IoKind::Write, 1, "b_log"));
        assert!(log.grow_file(0, 2 * MB).is_err());
        drop(log);
        world.crash();
        world.restart();
        world.clear_faults();
        let opened = Log::open(&world.env(), std::slice::from_ref(&path), options(), &anchor);
        let (log, _) = opened.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        larger += u64::from(log.files()[0].size > MB);
        log.grow_file(0, 4 * MB).unwrap();
    }
    assert!((1..16).contains(&larger), "the header was there {larger} times of 16");
}

/// A file system that has no `fallocate`: what it is asked to reserve only becomes longer. As long as `full` says so there is no room
/// behind the first MB of a file.
struct Unreserved {
    inner: Arc<dyn Disk>,
    full: Arc<AtomicBool>,
}

struct UnreservedVolume {
    inner: Arc<dyn Volume>,
    full: Arc<AtomicBool>,
    lengthened: AtomicBool,
}

impl Unreserved {
    fn volume(&self, inner: Arc<dyn Volume>) -> Arc<dyn Volume> {
        let (full, lengthened) = (Arc::clone(&self.full), AtomicBool::new(false));
        Arc::new(UnreservedVolume { inner, full, lengthened })
    }
}

impl Disk for Unreserved {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        Ok(self.volume(self.inner.create(path, spec)?))
    }
    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        Ok(self.volume(self.inner.open(path, spec)?))
    }
    fn exists(&self, path: &Path) -> IoResult<bool> {
        self.inner.exists(path)
    }
    fn remove(&self, path: &Path) -> IoResult<()> {
        self.inner.remove(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> IoResult<()> {
        self.inner.rename(from, to)
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

impl UnreservedVolume {
    fn room(&self, op: &'static str, offset: u64) -> IoResult<()> {
        match self.full.load(Ordering::SeqCst) && offset >= MB {
            true => Err(IoError::new(op, self.path(), std::io::Error::from_raw_os_error(28))),
            false => Ok(()),
        }
    }
}

impl Volume for UnreservedVolume {
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
        self.inner.read_at(offset, buf)
    }
    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        self.room("write", offset)?;
        self.inner.write_at(offset, data)
    }
    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.room("write_durable", offset)?;
        self.inner.write_durable(offset, parts)
    }
    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        self.inner.submit(ops)
    }
    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        self.inner.reap(min)
    }
    fn allocate(&self, offset: u64, len: u64) -> IoResult<()> {
        self.lengthened.store(true, Ordering::SeqCst);
        self.inner.truncate(self.inner.len()?.max(offset + len))
    }
    fn reserves(&self) -> bool {
        !self.lengthened.load(Ordering::SeqCst)
    }
    fn sync(&self) -> IoResult<()> {
        self.inner.sync()
    }
    fn truncate(&self, len: u64) -> IoResult<()> {
        self.inner.truncate(len)
    }
}

/// The first growth after a start, when nobody has seen yet that nothing is reserved.
#[test]
fn a_full_disk_that_reserves_nothing_refuses_a_growth_and_the_log_goes_on() {
    for initialization in [Initialization::Zero, Initialization::Sql2022, Initialization::Ahead] {
        let world = SimWorld::new(3);
        let path = paths()[0].clone();
        let options = LogOptions { initialization, ..LogOptions::default() };
        let specs = [LogFileSpec { growth: Growth::Bytes(MB), ..LogFileSpec::new(&path, MB) }];
        let log = Log::create(&world.env(), &specs, options.clone(), [7; 16]).unwrap();
        let anchor = log.anchor_at(log.appended()).unwrap();
        drop(log);
        let full = Arc::new(AtomicBool::new(true));
        let mut env = world.env();
        let disk = Unreserved { inner: env.disk.clone(), full: full.clone() };
        env.disk = Arc::new(FailStopDisk::new(Arc::new(disk)));
        let (log, _) = Log::open(&env, &[path], options, &anchor).unwrap();
        let refused = loop {
            match append(&log, 20_000) {
                Ok(_) => log.flush(FlushReason::Request).unwrap(),
                Err(e) => break e,
            }
        };
        let refusal =
            matches!(&refused, AppendError::LogFull { growth: Some(e), .. } if e.is_full());
        assert!(refusal && !log.is_failed(), "{initialization:?}: {refused}");
        full.store(false, Ordering::SeqCst);
        append(&log, 20_000).unwrap();
        log.flush(FlushReason::Request).unwrap();
        assert_eq!(log.space().total, 2 * MB);
    }
}
