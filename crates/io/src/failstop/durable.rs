//! Durable writes that the disk has no room for: their error may be that of an earlier write.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::*;
use crate::AlignedBuf;
use crate::sim::{Fault, FaultKind, IoKind, SimWorld};

fn durable(volume: &dyn Volume) -> IoResult<()> {
    volume.write_durable(0, &[IoSlice::new(&AlignedBuf::zeroed(4096))])
}

/// What was written plainly before goes with the error, as with that of a sync.
#[test]
fn a_durable_write_without_room_is_told_what_an_earlier_write_has_lost() {
    let mut lost = 0;
    for seed in 0..16 {
        let world = SimWorld::new(seed);
        let disk = world.env().disk;
        disk.create_dir(Path::new("/d")).unwrap();
        let volume = disk.create(Path::new("/d/f"), OpenSpec::DATA).unwrap();
        volume.write_at(0, &AlignedBuf::zeroed(8192)).unwrap();
        volume.sync().unwrap();
        disk.sync_dir(Path::new("/d")).unwrap();
        volume.write_at(4096, &AlignedBuf::from_slice(&[7; 4096])).unwrap();
        world.inject(Fault {
            nth: 1,
            kind: Some(IoKind::WriteDurable),
            path_contains: "f".into(),
            fault: FaultKind::Full,
            sticky: false,
        });
        assert!(durable(&*volume).unwrap_err().is_full());
        let acknowledged = volume.sync().is_ok();
        world.crash();
        world.restart();
        let volume = world.env().disk.open(Path::new("/d/f"), OpenSpec::DATA).unwrap();
        let mut there = [0; 1];
        volume.read_at(4096, &mut there).unwrap();
        lost += u32::from(there[0] != 7);
        assert!(!acknowledged || there[0] == 7, "seed {seed}: synced, and not there");
    }
    assert!(lost > 0, "nothing was lost");
}

/// A file whose durable writes take long and fail; the syncs beside them are told nothing of it.
struct SlowToFail {
    inner: Arc<dyn Volume>,
    error: i32,
    writing: Arc<AtomicBool>,
    synced: AtomicBool,
}

impl Volume for SlowToFail {
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
    fn write_durable(&self, _: u64, _: &[IoSlice<'_>]) -> IoResult<()> {
        self.writing.store(true, Ordering::SeqCst);
        while !self.synced.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        // The sync has its answer from the system by now.
        std::thread::sleep(Duration::from_millis(20));
        let error = std::io::Error::from_raw_os_error(self.error);
        Err(IoError::new("write_durable", self.path(), error))
    }
    fn submit(&self, ops: Vec<WriteOp>) -> IoResult<()> {
        self.inner.submit(ops)
    }
    fn reap(&self, min: usize) -> IoResult<Vec<WriteDone>> {
        self.inner.reap(min)
    }
    fn allocate(&self, offset: u64, len: u64) -> IoResult<()> {
        self.inner.allocate(offset, len)
    }
    fn sync(&self) -> IoResult<()> {
        let result = self.inner.sync();
        self.synced.store(true, Ordering::SeqCst);
        result
    }
    fn truncate(&self, len: u64) -> IoResult<()> {
        self.inner.truncate(len)
    }
}

#[test]
fn a_sync_beside_a_durable_write_that_fails_does_not_succeed() {
    for error in [5, 28] {
        let inner = SimWorld::new(1).env().disk.create(Path::new("/f"), OpenSpec::DATA).unwrap();
        let writing = Arc::new(AtomicBool::new(false));
        let (seen, synced) = (Arc::clone(&writing), AtomicBool::new(false));
        let volume = volume(Arc::new(SlowToFail { inner, error, writing, synced }));
        std::thread::scope(|s| {
            let write = s.spawn(|| durable(&*volume));
            while !seen.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            assert!(volume.sync().is_err(), "acknowledged beside a failed write: {error}");
            assert!(write.join().unwrap().is_err());
        });
    }
}
