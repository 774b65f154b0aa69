//! A disk whose syncs wait for one moment: for files that are nobody's until then.
//!
//! Whoever makes a database writes its files in many small steps, each durable before the next. Where a crash on the way removes the
//! files again, none of these steps has to be: only all of them together, before somebody is told that the database is there.
//!
//! ```text
//! before settle()   write_durable writes, sync and sync_dir do nothing, names that were made or removed are noted
//! settle()          from here on everything goes to the disk below as it is; every file that was opened, then every noted directory
//!                   is synced
//! after settle()    the disk below
//! ```
//! A failed [`SettlingDisk::settle`] leaves nothing to rely on: the files are to be removed.

use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Disk, Entry, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone, WriteOp};

/// See the module's text.
pub struct SettlingDisk {
    inner: Arc<dyn Disk>,
    settled: Arc<AtomicBool>,
    waiting: Mutex<Waiting>,
}

/// What is to be synced.
#[derive(Default)]
struct Waiting {
    volumes: Vec<Arc<dyn Volume>>,
    directories: Vec<PathBuf>,
}

impl SettlingDisk {
    /// The same files, none of them durable before [`SettlingDisk::settle`].
    pub fn new(inner: Arc<dyn Disk>) -> SettlingDisk {
        SettlingDisk { inner, settled: Arc::default(), waiting: Mutex::default() }
    }

    /// Makes everything durable that was written. Called once, when nobody writes what has to be durable at the same time.
    pub fn settle(&self) -> IoResult<()> {
        self.settled.store(true, Ordering::SeqCst);
        let Waiting { volumes, directories } = std::mem::take(&mut *self.waiting());
        for volume in volumes {
            volume.sync()?;
        }
        directories.iter().try_for_each(|dir| self.inner.sync_dir(dir))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing panics while it is held.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_settled(&self) -> bool {
        self.settled.load(Ordering::SeqCst)
    }

    /// A name below this directory was made or removed.
    fn changed(&self, path: &Path) {
        let Some(dir) = path.parent().filter(|_| !self.is_settled()) else { return };
        let mut waiting = self.waiting();
        if !waiting.directories.iter().any(|d| d == dir) {
            waiting.directories.push(dir.to_owned());
        }
    }

    fn volume(&self, inner: Arc<dyn Volume>, spec: OpenSpec) -> Arc<dyn Volume> {
        if spec.read_only || self.is_settled() {
            return inner;
        }
        self.waiting().volumes.push(inner.clone());
        Arc::new(SettlingVolume { inner, settled: self.settled.clone() })
    }
}

impl Disk for SettlingDisk {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        let made = self.inner.create(path, spec)?;
        self.changed(path);
        Ok(self.volume(made, spec))
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.inner.open(path, spec).map(|v| self.volume(v, spec))
    }

    fn exists(&self, path: &Path) -> IoResult<bool> {
        self.inner.exists(path)
    }

    fn remove(&self, path: &Path) -> IoResult<()> {
        self.changed(path);
        self.inner.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> IoResult<()> {
        self.changed(from);
        self.changed(to);
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
        if self.is_settled() { self.inner.sync_dir(dir) } else { Ok(()) }
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

struct SettlingVolume {
    inner: Arc<dyn Volume>,
    settled: Arc<AtomicBool>,
}

impl Volume for SettlingVolume {
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
        self.inner.write_at(offset, data)
    }

    fn write_parts(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.inner.write_parts(offset, parts)
    }

    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        if self.settled.load(Ordering::SeqCst) {
            self.inner.write_durable(offset, parts)
        } else {
            self.inner.write_parts(offset, parts)
        }
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        self.inner.submit(ops)
    }

    fn start(&self, op: WriteOp) -> IoResult<()> {
        self.inner.start(op)
    }

    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        self.inner.reap(min)
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
        if self.settled.load(Ordering::SeqCst) { self.inner.sync() } else { Ok(()) }
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

    const A: &str = "/d/a";

    fn byte(disk: &dyn Disk, path: &str) -> u8 {
        let mut first = [0];
        disk.open(Path::new(path), OpenSpec::DATA).unwrap().read_at(0, &mut first).unwrap();
        first[0]
    }

    #[test]
    fn everything_is_durable_once_it_is_settled() {
        let world = SimWorld::new(7);
        let disk = SettlingDisk::new(world.env().disk);
        disk.create_dir(Path::new("/d")).unwrap();
        let full = |b: u8| AlignedBuf::from_slice(&[b; 4096]);
        let volume = disk.create(Path::new(A), OpenSpec::DATA).unwrap();
        volume.write_durable(0, &[IoSlice::new(&full(1))]).unwrap();
        disk.sync_dir(Path::new("/d")).unwrap();
        disk.settle().unwrap();
        world.restart();
        let disk = world.env().disk;
        assert_eq!(byte(&*disk, A), 1);
    }

    #[test]
    fn afterwards_each_durable_write_is_one() {
        let world = SimWorld::new(7);
        let disk = SettlingDisk::new(world.env().disk);
        disk.create_dir(Path::new("/d")).unwrap();
        let full = |b: u8| AlignedBuf::from_slice(&[b; 4096]);
        let volume = disk.create(Path::new(A), OpenSpec::DATA).unwrap();
        disk.settle().unwrap();
        volume.write_durable(0, &[IoSlice::new(&full(2))]).unwrap();
        let later = disk.create(Path::new("/d/b"), OpenSpec::DATA).unwrap();
        later.write_at(0, &full(3)).unwrap();
        later.sync().unwrap();
        disk.sync_dir(Path::new("/d")).unwrap();
        world.restart();
        let disk = world.env().disk;
        assert_eq!((byte(&*disk, A), byte(&*disk, "/d/b")), (2, 3));
    }
}
