//! Pages from disk in large reads: for restart, which knows beforehand what it needs.

use taffrail_base::{PAGE_BYTES, PageId};
use taffrail_io::AlignedBuf;

use super::pool::{BufferPool, Source};
use super::store::Store;
use crate::error::{StorageError, StorageResult};

/// Pages that one read brings.
pub const RUN_PAGES: usize = 64;
/// Pages that nobody asked for, between two that are wanted, that are read along: cheaper than another read.
const GAP_PAGES: u32 = 4;

impl BufferPool {
    /// Brings pages in, neighbours with one read. `pages` are in ascending order; those in memory, those beyond the end of their file
    /// and those that are damaged or cannot be read are left out: who asks for one of these gets the error. Returns how many were read.
    ///
    /// Only for a caller that is alone with these pages: between the read and its arrival in a frame nobody may change one.
    pub fn bring_in(
        &self,
        store: &Store,
        pages: &[PageId],
        scratch: &mut AlignedBuf,
    ) -> StorageResult<usize> {
        let missing: Vec<PageId> =
            pages.iter().copied().filter(|&p| !self.contains(store, p)).collect();
        let most = (scratch.len() / PAGE_BYTES) as u32;
        let mut brought = 0;
        let mut rest = &missing[..];
        while let Some(&first) = rest.first() {
            let mut n = 1;
            while let Some(next) = rest.get(n)
                && next.file == first.file
                && next.page - rest[n - 1].page <= GAP_PAGES + 1
                && next.page - first.page < most
            {
                n += 1;
            }
            brought += self.bring_run(store, &rest[..n], scratch)?;
            rest = &rest[n..];
        }
        Ok(brought)
    }

    fn bring_run(
        &self,
        store: &Store,
        run: &[PageId],
        scratch: &mut AlignedBuf,
    ) -> StorageResult<usize> {
        let first = run[0];
        let Some(file) = store.file(first.file) else { return Ok(0) };
        let (end, _) = file.size();
        let Some(last) = run.iter().rev().find(|p| p.page < end) else { return Ok(0) };
        let bytes = (last.page - first.page + 1) as usize * PAGE_BYTES;
        let offset = first.file_offset();
        store.counters.data_reads.inc();
        store.counters.data_read_bytes.add(bytes as u64);
        if file.volume.read_at(offset, &mut scratch[..bytes]).is_err() {
            // Told to whoever asks for the page that cannot be read, after it has been tried again; the others can.
            return Ok(0);
        }
        let mut brought = 0;
        for &page in run.iter().take_while(|p| p.page < end) {
            let at = (page.page - first.page) as usize * PAGE_BYTES;
            let image: &[u8; PAGE_BYTES] =
                scratch[at..at + PAGE_BYTES].try_into().expect("a page's bytes");
            match self.arrive(store, page, Source::Image(image)) {
                Ok(()) => brought += 1,
                // Told to whoever asks for the page.
                Err(StorageError::Corrupt(_)) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(brought)
    }
}
