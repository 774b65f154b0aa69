//! Pages that bulk work has filled, to disk without a log record of what they hold.
//!
//! They belong to extents that nobody else uses, and were not in use before. What the pool may still have of an earlier life of such a page
//! goes to disk first if it is dirty: so no write of it is under way, or comes later, when the new content is written. Copies that are left
//! get the new content afterwards.
//!
//! The caller makes the record durable whose position the pages bear, and the pages themselves, with a sync, before the commit.

use std::sync::atomic::Ordering;

use taffrail_base::{PAGE_BYTES, PageId};
use taffrail_io::{AlignedBuf, IoReason};

use super::pool::{BufferPool, Source};
use super::store::Store;
use super::writer::Unhardened;
use crate::error::{PageIo, StorageError, StorageResult};
use crate::page::{DATABASE_MARK, Page};

impl Store {
    /// Writes pages, in ascending order of their ids; `buf` has room for them.
    pub fn write_new_pages(
        &self,
        pool: &BufferPool,
        buf: &mut AlignedBuf,
        pages: &[Box<Page>],
    ) -> StorageResult<()> {
        self.check()?;
        for page in pages {
            self.clean_stale(pool, page.id())?;
        }
        let mark = self.mark.to_le_bytes();
        for (i, page) in pages.iter().enumerate() {
            let bytes = &mut buf[i * PAGE_BYTES..(i + 1) * PAGE_BYTES];
            bytes.copy_from_slice(page.bytes());
            bytes[DATABASE_MARK].copy_from_slice(&mark);
            bytes[4..8].fill(0);
            let crc = crc32c::crc32c(bytes);
            bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        }
        let mut i = 0;
        while i < pages.len() {
            let first = pages[i].id();
            let next = |n: usize| PageId { file: first.file, page: first.page + n as u32 };
            let n = (1..pages.len() - i)
                .find(|&n| pages[i + n].id() != next(n))
                .unwrap_or(pages.len() - i);
            self.write_run(first, &buf[i * PAGE_BYTES..(i + n) * PAGE_BYTES])?;
            i += n;
        }
        self.rarities.minimally_logged.fetch_add(pages.len() as u64, Ordering::Relaxed);
        for (i, page) in pages.iter().enumerate() {
            let bytes = &buf[i * PAGE_BYTES..(i + 1) * PAGE_BYTES];
            self.adopt(pool, page.id(), bytes.try_into().expect("a page"))?;
        }
        Ok(())
    }

    fn write_run(&self, first: PageId, bytes: &[u8]) -> StorageResult<()> {
        let Some(file) = self.file(first.file) else {
            return Err(self.corrupt(first, format!("there is no file {}", first.file)));
        };
        for n in 0..(bytes.len() / PAGE_BYTES) as u32 {
            file.mark_changed(first.page + n);
        }
        // Before the write and after it: as the writer of batches does.
        file.unsynced.store(true, Ordering::Release);
        self.counters.data_writes.inc();
        self.counters.data_write_bytes.add(bytes.len() as u64);
        let offset = first.file_offset();
        let _why = IoReason::BulkLoad.begin();
        let written = file.volume.write_at(offset, bytes).map_err(|source| {
            StorageError::Io(Box::new(PageIo { operation: "write", offset, source }))
        });
        file.unsynced.store(true, Ordering::Release);
        if let Err(e) = &written {
            // Its space was reserved when the file grew: this is not a full disk.
            self.mark_suspect(e.to_string());
        }
        written
    }

    /// Writes what the pool has of a page's earlier life, until it is clean.
    fn clean_stale(&self, pool: &BufferPool, page: PageId) -> StorageResult<()> {
        while let Some(guard) = pool.write_present(self, page) {
            if guard.control().first_dirty.load(Ordering::Acquire) == 0 {
                break;
            }
            let frame = guard.frame();
            drop(guard);
            self.write_frames(pool, &mut [frame], Unhardened::Written)?;
        }
        Ok(())
    }

    /// Puts a page that was written into the pool, if there is room or it has an old copy.
    fn adopt(
        &self,
        pool: &BufferPool,
        page: PageId,
        bytes: &[u8; PAGE_BYTES],
    ) -> StorageResult<()> {
        if let Some(mut guard) = pool.write_present(self, page) {
            debug_assert_eq!(guard.control().first_dirty.load(Ordering::Relaxed), 0);
            guard.bytes_mut().copy_from_slice(bytes);
            guard.control().format_pos.store(0, Ordering::Relaxed);
            return Ok(());
        }
        if pool.has_free_frames() {
            pool.arrive(self, page, Source::Image(bytes))?;
        }
        Ok(())
    }
}
