//! A disk whose volumes stop at their first failure: a failed sync stays failed.
//!
//! A system reports an error of a sync once and forgets it; what it could not write may be gone, though the next sync succeeds.
//! So each volume remembers its first write or sync that failed, and fails every later one with the same error, until it is opened
//! anew and recovered. Nobody who comes between the failure and the moment at which its caller has told everybody acknowledges
//! anything by it.
//!
//! ```text
//! write that the disk has no room for   a refusal: nothing of what was written before is in doubt; not remembered
//! any other failed write                remembered
//! any failed sync or durable write      remembered, want of room too: it was room for what had been written
//! reads, lengths, allocation            go on
//! ```
//! A durable write is a write and a sync: its error may be that of an earlier write, which nobody hears of again.
//!
//! Of two syncs at the same moment the system may tell the error to one alone. So a sync that succeeds waits for the syncs and
//! durable writes that had begun before its end, and succeeds only if they do.

use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use taffrail_base::sync::{Condvar, Mutex, MutexGuard};

use crate::{
    Disk, Entry, IoError, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone, WriteOp,
};

/// See the module's text.
pub struct FailStopDisk {
    inner: Arc<dyn Disk>,
}

impl FailStopDisk {
    /// The same files, in volumes that stop at their first failure.
    pub fn new(inner: Arc<dyn Disk>) -> FailStopDisk {
        FailStopDisk { inner }
    }
}

fn volume(inner: Arc<dyn Volume>) -> Arc<dyn Volume> {
    Arc::new(FailStopVolume {
        inner,
        failed: OnceLock::new(),
        hardening: Mutex::default(),
        ended: Condvar::new(),
    })
}

impl Disk for FailStopDisk {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.inner.create(path, spec).map(volume)
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.inner.open(path, spec).map(volume)
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

    fn share(&self, from: &Path, to: &Path) -> IoResult<bool> {
        self.inner.share(from, to)
    }
}

/// Syncs and durable writes, numbered as they begin.
#[derive(Default)]
struct Hardening {
    next: u64,
    running: Vec<u64>,
    /// Syncs that wait for the end of others.
    waiting: u32,
}

struct FailStopVolume {
    inner: Arc<dyn Volume>,
    /// The first failure.
    failed: OnceLock<IoError>,
    hardening: Mutex<Hardening>,
    ended: Condvar,
}

impl FailStopVolume {
    fn check(&self) -> IoResult<()> {
        self.failed.get().map_or(Ok(()), |e| Err(e.duplicate()))
    }

    /// A write ended.
    fn wrote<R>(&self, result: IoResult<R>) -> IoResult<R> {
        if let Err(e) = &result
            && !e.is_full()
        {
            self.failed.get_or_init(|| e.duplicate());
        }
        result
    }

    /// A sync, or what contains one, ended.
    fn hardened(&self, result: IoResult<()>) -> IoResult<()> {
        if let Err(e) = &result {
            self.failed.get_or_init(|| e.duplicate());
        }
        result
    }

    fn hardening(&self) -> MutexGuard<'_, Hardening> {
        self.hardening.lock()
    }

    fn begin(&self) -> IoResult<u64> {
        let mut h = self.hardening();
        self.check()?;
        h.next += 1;
        let number = h.next;
        h.running.push(number);
        Ok(number)
    }

    /// After its failure, if it failed, was noted.
    fn end(&self, number: u64) -> MutexGuard<'_, Hardening> {
        let mut h = self.hardening();
        h.running.retain(|&n| n != number);
        if h.waiting > 0 {
            self.ended.notify_all();
        }
        h
    }
}

impl Volume for FailStopVolume {
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
        self.check()?;
        self.wrote(self.inner.write_at(offset, data))
    }

    fn write_parts(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.check()?;
        self.wrote(self.inner.write_parts(offset, parts))
    }

    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        let number = self.begin()?;
        let result = self.hardened(self.inner.write_durable(offset, parts));
        drop(self.end(number));
        result
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        self.check()?;
        self.wrote(self.inner.submit(ops))
    }

    fn start(&self, op: WriteOp) -> IoResult<()> {
        self.check()?;
        self.wrote(self.inner.start(op))
    }

    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        let mut done = self.wrote(self.inner.reap(min))?;
        for write in &mut done {
            write.result = self.wrote(std::mem::replace(&mut write.result, Ok(())));
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
        let number = self.begin()?;
        let result = self.hardened(self.inner.sync());
        let mut h = self.end(number);
        result?;
        let before = h.next;
        while h.running.iter().any(|&n| n <= before) {
            h.waiting += 1;
            self.ended.wait(&mut h);
            h.waiting -= 1;
        }
        self.check()
    }

    fn truncate(&self, len: u64) -> IoResult<()> {
        self.inner.truncate(len)
    }
}

#[cfg(test)]
mod durable;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::AlignedBuf;
    use crate::sim::{Fault, FaultKind, HookedDisk, IoKind, SimWorld};

    fn world(kind: IoKind, fault: FaultKind) -> (SimWorld, Arc<dyn Volume>) {
        let world = SimWorld::new(1);
        let disk = world.env().disk;
        let volume = disk.create(Path::new("/f"), OpenSpec::DATA).unwrap();
        volume.write_at(0, &AlignedBuf::zeroed(4096)).unwrap();
        let path_contains = "f".into();
        world.inject(Fault { nth: 1, kind: Some(kind), path_contains, fault, sticky: false });
        (world, volume)
    }

    fn durable(volume: &dyn Volume) -> IoResult<()> {
        volume.write_durable(0, &[IoSlice::new(&AlignedBuf::zeroed(4096))])
    }

    #[test]
    fn what_fails_once_fails_until_the_file_is_opened_anew() {
        for kind in [IoKind::Sync, IoKind::Write, IoKind::WriteDurable] {
            let (world, volume) = world(kind, FaultKind::Io);
            let page = || AlignedBuf::zeroed(4096);
            let op = || WriteOp { token: 1, offset: 0, buf: page(), len: 4096 };
            let first = match kind {
                IoKind::Sync => volume.sync(),
                IoKind::Write => {
                    volume.submit(vec![op()]).unwrap();
                    volume.reap(1).unwrap().pop().unwrap().result
                }
                _ => durable(&*volume),
            };
            assert_eq!(first.unwrap_err().source.raw_os_error(), Some(5), "{kind:?}");
            for later in [
                volume.sync(),
                volume.write_at(0, &page()),
                volume.write_parts(0, &[IoSlice::new(&page())]),
                durable(&*volume),
                volume.submit(vec![op()]),
                volume.start(op()),
            ] {
                assert_eq!(later.unwrap_err().source.raw_os_error(), Some(5), "{kind:?}");
            }
            volume.read_at(0, &mut [0; 8]).unwrap();
            let again = world.env().disk.open(Path::new("/f"), OpenSpec::DATA).unwrap();
            again.write_at(0, &page()).unwrap();
            again.sync().unwrap();
        }
    }

    #[test]
    fn a_write_without_room_is_refused_and_a_sync_without_room_has_failed() {
        let (_world, volume) = world(IoKind::Write, FaultKind::Full);
        assert!(volume.write_at(0, &AlignedBuf::zeroed(4096)).unwrap_err().is_full());
        volume.sync().unwrap();
        for kind in [IoKind::Sync, IoKind::WriteDurable] {
            let (_world, volume) = world(kind, FaultKind::Full);
            let first = if kind == IoKind::Sync { volume.sync() } else { durable(&*volume) };
            assert!(first.unwrap_err().is_full());
            assert!(volume.sync().unwrap_err().is_full() && durable(&*volume).is_err(), "{kind:?}");
        }
    }

    #[test]
    fn of_two_syncs_at_once_none_succeeds_when_one_fails() {
        let syncs = AtomicU32::new(0);
        // The first takes long and fails; the second is told nothing of it.
        let hook = move |path: &Path, result| {
            if syncs.fetch_add(1, Ordering::SeqCst) > 0 {
                return result;
            }
            while syncs.load(Ordering::SeqCst) < 2 {
                std::thread::yield_now();
            }
            // The other one has its answer from the system by now.
            std::thread::sleep(Duration::from_millis(20));
            Err(IoError::new("sync", path, std::io::Error::from_raw_os_error(5)))
        };
        let hooked = HookedDisk::new(SimWorld::new(1).env().disk, hook);
        let disk = FailStopDisk::new(Arc::new(hooked));
        let volume = disk.create(Path::new("/f"), OpenSpec::DATA).unwrap();
        std::thread::scope(|s| {
            let both = [s.spawn(|| volume.sync()), s.spawn(|| volume.sync())];
            for one in both {
                assert!(one.join().unwrap().is_err(), "acknowledged beside a failed sync");
            }
        });
    }
}
