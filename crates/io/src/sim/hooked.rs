//! A disk between whose doing and whose callers' hearing of it something can be put: for tests of what comes between a failure and the
//! moment at which everybody knows of it.

use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Disk, Entry, IoResult, OpenSpec, Space, Volume, VolumeKind, WriteDone, WriteOp};

/// Told of each write and sync that has been done; what it gives is what the caller is told.
type Hook = Arc<dyn Fn(&Path, IoResult<()>) -> IoResult<()> + Send + Sync>;

/// Told of a write that is about to be done, or of writes that are about to be submitted together: how many bytes each has.
type Begun = Arc<dyn Fn(&Path, &[usize]) + Send + Sync>;

/// Told of a read that is about to be done, and from which offset.
type Reads = Arc<dyn Fn(&Path, u64) + Send + Sync>;

/// See the module's text.
pub struct HookedDisk {
    inner: Arc<dyn Disk>,
    hook: Hook,
    begun: Option<Begun>,
    reads: Option<Reads>,
}

impl HookedDisk {
    /// The same files; `hook` runs at the end of each write and sync, on its thread, but for writes that are submitted.
    pub fn new(
        inner: Arc<dyn Disk>,
        hook: impl Fn(&Path, IoResult<()>) -> IoResult<()> + Send + Sync + 'static,
    ) -> HookedDisk {
        HookedDisk { inner, hook: Arc::new(hook), begun: None, reads: None }
    }

    /// Has `begun` hear of plain writes before they are done, of those that are submitted together at once.
    pub fn with_begun(self, begun: impl Fn(&Path, &[usize]) + Send + Sync + 'static) -> HookedDisk {
        HookedDisk { begun: Some(Arc::new(begun)), ..self }
    }

    /// Has `reads` hear of reads before they are done, on their threads: a device takes as long as it does.
    pub fn with_reads(self, reads: impl Fn(&Path, u64) + Send + Sync + 'static) -> HookedDisk {
        HookedDisk { reads: Some(Arc::new(reads)), ..self }
    }

    fn hooked(&self, inner: Arc<dyn Volume>) -> Arc<dyn Volume> {
        let (hook, begun, reads) = (self.hook.clone(), self.begun.clone(), self.reads.clone());
        Arc::new(HookedVolume { inner, hook, begun, reads })
    }
}

impl Disk for HookedDisk {
    fn create(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.inner.create(path, spec).map(|v| self.hooked(v))
    }

    fn open(&self, path: &Path, spec: OpenSpec) -> IoResult<Arc<dyn Volume>> {
        self.inner.open(path, spec).map(|v| self.hooked(v))
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

struct HookedVolume {
    inner: Arc<dyn Volume>,
    hook: Hook,
    begun: Option<Begun>,
    reads: Option<Reads>,
}

impl HookedVolume {
    fn told(&self, result: IoResult<()>) -> IoResult<()> {
        (self.hook)(self.path(), result)
    }
}

impl Volume for HookedVolume {
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
        if let Some(reads) = &self.reads {
            reads(self.path(), offset);
        }
        self.inner.read_at(offset, buf)
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> IoResult<()> {
        if let Some(begun) = &self.begun {
            begun(self.path(), &[data.len()]);
        }
        self.told(self.inner.write_at(offset, data))
    }

    fn write_parts(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.told(self.inner.write_parts(offset, parts))
    }

    fn write_durable(&self, offset: u64, parts: &[IoSlice<'_>]) -> IoResult<()> {
        self.told(self.inner.write_durable(offset, parts))
    }

    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        if let Some(begun) = &self.begun {
            begun(self.path(), &ops.iter().map(|op| op.len).collect::<Vec<_>>());
        }
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
        self.told(self.inner.sync())
    }

    fn truncate(&self, len: u64) -> IoResult<()> {
        self.inner.truncate(len)
    }
}
