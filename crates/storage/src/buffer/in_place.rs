//! The pages of a batch to their places: neighbours in one write, the writes of a batch in flight together.
//!
//! ```text
//! batch   p40 p41 p42 │ p77 │ p90 … p140 │ …       in the order of files and pages
//! writes  in flight     also  by this thread       while those in flight go on
//! ```
//! A batch is at most a megabyte, and so is a write. A write in flight owns a copy of its pages; a long one is not copied: the device has
//! enough of it. On return every write has ended, also behind one that has failed, unless the device cannot
//! be asked any more. Nobody else submits writes to a data file.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{PAGE_BYTES, PageId};
use taffrail_io::{AlignedBuf, IoError, WriteOp};

use super::pool::page_of;
use super::store::{DataFile, Store};
use super::writer::Image;
use crate::error::{PageIo, StorageError, StorageResult};

/// Pages from which on a write is long: 128 KiB.
const LONG_PAGES: usize = 16;

/// Neighbours: their first page, and where their bytes are among the batch's.
struct PageRun {
    first: PageId,
    bytes: Range<usize>,
}

impl PageRun {
    fn is_long(&self) -> bool {
        self.bytes.len() >= LONG_PAGES * PAGE_BYTES
    }
}

fn failed(offset: u64) -> impl FnOnce(IoError) -> StorageError {
    move |source| StorageError::Io(Box::new(PageIo { operation: "write", offset, source }))
}

/// The runs of a batch, whose images are in the order of their keys.
fn runs_of(images: &[Image<'_>]) -> Vec<PageRun> {
    let mut runs = Vec::new();
    let mut at = 0;
    let next = |page: PageId| PageId { page: page.page + 1, ..page };
    for run in images.chunk_by(|a, b| next(page_of(a.key)) == page_of(b.key)) {
        let end = at + run.len() * PAGE_BYTES;
        runs.push(PageRun { first: page_of(run[0].key), bytes: at..end });
        at = end;
    }
    runs
}

impl Store {
    /// Writes the images, which are in the order of their keys, from a buffer that has them one after the other.
    pub(super) fn write_in_place(
        &self,
        buf: &AlignedBuf,
        images: &[Image<'_>],
    ) -> StorageResult<()> {
        let unprotected = images.iter().filter(|i| !i.protected).count() as u64;
        self.rarities.unprotected.fetch_add(unprotected, Ordering::Relaxed);
        let runs = runs_of(images);
        let alone = runs.len() == 1;
        let (mut flying, mut result) = (Vec::new(), Ok(()));
        for own in runs.chunk_by(|a, b| a.first.file == b.first.file) {
            let first = own[0].first;
            let Some(file) = self.file(first.file) else {
                result = Err(self.corrupt(first, format!("there is no file {}", first.file)));
                break;
            };
            // Before the writes: a sync that runs at the same time must not take the flag for itself.
            file.unsynced.store(true, Ordering::Release);
            let (here, away): (Vec<&PageRun>, _) =
                own.iter().partition(|run| alone || run.is_long());
            result = self.submit_runs(&file, buf, &away);
            if result.is_err() {
                break;
            }
            flying.push((file.clone(), away.len()));
            result = here.into_iter().try_for_each(|run| self.write_run_in_place(&file, buf, run));
            file.unsynced.store(true, Ordering::Release);
            if result.is_err() {
                break;
            }
        }
        for (file, count) in flying {
            let ended = ended(&file, count);
            file.unsynced.store(true, Ordering::Release);
            result = result.and(ended);
        }
        result
    }

    fn counted(&self, run: &PageRun) {
        self.counters.data_writes.inc();
        self.counters.data_write_bytes.add(run.bytes.len() as u64);
    }

    fn write_run_in_place(
        &self,
        file: &DataFile,
        buf: &AlignedBuf,
        run: &PageRun,
    ) -> StorageResult<()> {
        self.counted(run);
        let offset = run.first.file_offset();
        file.volume.write_at(offset, &buf[run.bytes.clone()]).map_err(failed(offset))
    }

    /// Begins the writes of runs of one file. An error: none of them has begun.
    fn submit_runs(
        &self,
        file: &DataFile,
        buf: &AlignedBuf,
        runs: &[&PageRun],
    ) -> StorageResult<()> {
        let Some(first) = runs.first() else { return Ok(()) };
        let op = |run: &&PageRun| {
            self.counted(run);
            let (offset, bytes) = (run.first.file_offset(), &buf[run.bytes.clone()]);
            // A failed write is told by its place.
            let (buf, len) = (AlignedBuf::from_slice(bytes), bytes.len());
            WriteOp { token: offset, offset, buf, len }
        };
        let ops = runs.iter().map(op).collect();
        file.volume.submit(ops).map_err(failed(first.first.file_offset()))
    }
}

/// Waits for the writes that were submitted. An error: that of the first that has failed.
fn ended(file: &Arc<DataFile>, mut left: usize) -> StorageResult<()> {
    let mut result = Ok(());
    while left > 0 {
        let done = file.volume.reap(left).map_err(failed(0))?;
        assert!(!done.is_empty() && done.len() <= left, "a write of somebody else in a data file");
        left -= done.len();
        for write in done {
            result = result.and(write.result.map_err(failed(write.token)));
        }
    }
    result
}
