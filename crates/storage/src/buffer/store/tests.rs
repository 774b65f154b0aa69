//! Syncs of one file from two threads.

use std::io::IoSlice;
use std::path::Path;
use std::sync::mpsc;

use taffrail_io::{IoError, IoResult, VolumeKind, WriteDone, WriteOp};

use super::*;

/// A volume of which nothing but syncs is asked.
struct Syncs<F>(F);

impl<F: Fn() -> IoResult<()> + Send + Sync> Volume for Syncs<F> {
    fn path(&self) -> &Path {
        Path::new("f")
    }
    fn kind(&self) -> VolumeKind {
        VolumeKind::Simulated
    }
    fn sector_bytes(&self) -> u32 {
        512
    }
    fn len(&self) -> IoResult<u64> {
        unreachable!()
    }
    fn read_at(&self, _: u64, _: &mut [u8]) -> IoResult<()> {
        unreachable!()
    }
    fn write_at(&self, _: u64, _: &[u8]) -> IoResult<()> {
        unreachable!()
    }
    fn write_durable(&self, _: u64, _: &[IoSlice<'_>]) -> IoResult<()> {
        unreachable!()
    }
    fn submit(&self, _: Vec<WriteOp>) -> IoResult<()> {
        unreachable!()
    }
    fn reap(&self, _: usize) -> IoResult<Vec<WriteDone>> {
        unreachable!()
    }
    fn allocate(&self, _: u64, _: u64) -> IoResult<()> {
        unreachable!()
    }
    fn sync(&self) -> IoResult<()> {
        (self.0)()
    }
    fn truncate(&self, _: u64) -> IoResult<()> {
        unreachable!()
    }
}

fn file(sync: impl Fn() -> IoResult<()> + Send + Sync + 'static) -> DataFile {
    let settings =
        FileSettings { name: "f".into(), path: "f".into(), growth: Growth::None, max_size: None };
    DataFile::new(FileId(1), Arc::new(Syncs(sync)), 8, settings)
}

/// Whoever finds nothing to sync must not go on before the sync that took it has ended: he acknowledges a commit.
#[test]
fn nobody_overtakes_a_sync_under_way() {
    let durable = Arc::new(AtomicBool::new(false));
    let overtaken = Arc::new(AtomicBool::new(false));
    let (begun, other_begins) = mpsc::channel::<()>();
    let (shared, seen) = (durable.clone(), overtaken.clone());
    let begun = std::sync::Mutex::new(begun);
    let file = Arc::new(file(move || {
        begun.lock().unwrap().send(()).unwrap();
        // Time for the other to get past, if it can.
        for _ in 0..10_000 {
            std::thread::yield_now();
            if seen.load(Ordering::SeqCst) {
                break;
            }
        }
        shared.store(true, Ordering::SeqCst);
        Ok(())
    }));
    let other = file.clone();
    let second = std::thread::spawn(move || {
        other_begins.recv().unwrap();
        other.sync().unwrap();
        if !durable.load(Ordering::SeqCst) {
            overtaken.store(true, Ordering::SeqCst);
        }
        durable.load(Ordering::SeqCst)
    });
    file.sync().unwrap();
    assert!(second.join().unwrap(), "it returned while what was written was not durable");
}

#[test]
fn a_sync_that_failed_is_still_to_be_done() {
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let file = file(move || match counted.fetch_add(1, Ordering::SeqCst) {
        0 => Err(IoError::new("sync", Path::new("f"), std::io::ErrorKind::Other)),
        _ => Ok(()),
    });
    file.sync().unwrap_err();
    file.sync().unwrap();
    file.sync().unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}
