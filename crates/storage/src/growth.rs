//! Growth of data files: by FILEGROWTH when no extent is free, and by hand.

use std::sync::atomic::Ordering;

use taffrail_base::{FileId, PAGE_BYTES, PageId};
use taffrail_log::{Growth, Lcx, Lop, RecordHeader, Reserve};

use crate::access::Hobt;
use crate::access::record::{format, xact};
use crate::buffer::DataFile;
use crate::database::Database;
use crate::error::{FileFull, PageIo, StorageError, StorageResult};
use crate::layout::{EXTENT_PAGES, INTERVAL_PAGES};
use crate::page::{BITMAP_BITS, Format, PFS_PAGES, PageType};
use crate::txn::work::Work;

impl Database {
    /// Grows a file by its FILEGROWTH, up to its MAXSIZE.
    pub(crate) fn autogrow(&self, work: &Work, file: &DataFile, hobt: &Hobt) -> StorageResult<()> {
        let settings = file.settings.lock().clone();
        let full = |why: String| {
            StorageError::FileFull(Box::new(FileFull {
                object: format!("{}", hobt.object()),
                database: self.store.name(),
                why,
            }))
        };
        let bytes = u64::from(file.pages.load(Ordering::Acquire)) * PAGE_BYTES as u64;
        let by = match settings.growth {
            Growth::None => return Err(full("the file does not grow".into())),
            Growth::Bytes(n) => n,
            Growth::Percent(p) => bytes / 100 * u64::from(p),
        };
        let to = bytes + by.max(EXTENT_PAGES as u64 * PAGE_BYTES as u64);
        let max = settings.max_size.unwrap_or(u64::from(u32::MAX) * PAGE_BYTES as u64);
        // The last growth takes what there is.
        let to = to.min(max.max(bytes));
        if to < bytes + EXTENT_PAGES as u64 * PAGE_BYTES as u64 {
            return Err(full("the file has reached its maximum size".into()));
        }
        let mut growth = work.nested("GrowFile");
        match self.grow_file(&mut growth, file, to) {
            Ok(()) => growth.commit_system(),
            Err(e) => {
                self.abort_system(growth, Vec::new());
                match e {
                    StorageError::Io(io) if io.source.is_full() => Err(full(io.source.to_string())),
                    e => Err(e),
                }
            }
        }
    }

    /// Makes a file larger: space reserved and durable first, then a record that restart repeats, then the format's own pages in
    /// the new part.
    pub(crate) fn grow_file(
        &self,
        work: &mut Work,
        file: &DataFile,
        to_bytes: u64,
    ) -> StorageResult<()> {
        let _growing = self.growing.lock();
        let old = file.pages.load(Ordering::Acquire);
        let extent_bytes = u64::from(EXTENT_PAGES) * PAGE_BYTES as u64;
        let new = u32::try_from(to_bytes / extent_bytes * u64::from(EXTENT_PAGES))
            .map_err(|_| StorageError::Misuse("a file has at most 4,294,967,295 pages"))?;
        if new <= old {
            return Ok(());
        }
        self.reserve_file(file, old, new)?;
        let header = RecordHeader {
            page: PageId { file: file.id, page: 0 },
            ..RecordHeader::new(Lop::FileHdrModify, Lcx::FileHeader)
        };
        work.append(&header, &[&xact::encode_file_size(file.id, new)], Reserve::NONE)?;
        file.pages.store(new, Ordering::Release);
        self.format_maps(work, file.id, old, new)
    }

    /// Reserves space on disk for a longer file, and makes the length durable.
    pub(crate) fn reserve_file(&self, file: &DataFile, old: u32, new: u32) -> StorageResult<()> {
        let at = u64::from(old) * PAGE_BYTES as u64;
        let len = u64::from(new - old) * PAGE_BYTES as u64;
        let volume = &file.volume;
        let grown = if self.store.temporary {
            volume.allocate(at, len)
        } else {
            volume.allocate(at, len).and_then(|()| volume.sync())
        };
        grown.map_err(|source| {
            StorageError::Io(Box::new(PageIo { operation: "write", offset: at, source }))
        })
    }

    /// Formats the GAM, PFS, DIFF and ML pages that lie in `old..new`.
    fn format_maps(&self, work: &mut Work, file: FileId, old: u32, new: u32) -> StorageResult<()> {
        let mut ids = Vec::new();
        let first = old.div_ceil(PFS_PAGES) * PFS_PAGES;
        for page in (first.max(PFS_PAGES)..new).step_by(PFS_PAGES as usize) {
            ids.push((page, PageType::Pfs, page));
        }
        let first = old.div_ceil(INTERVAL_PAGES) * INTERVAL_PAGES;
        for start in (first.max(INTERVAL_PAGES)..new).step_by(INTERVAL_PAGES as usize) {
            if start + EXTENT_PAGES <= new {
                ids.push((start + 2, PageType::Gam, start));
                ids.push((start + 6, PageType::DiffMap, start));
                ids.push((start + 7, PageType::MlMap, start));
            }
        }
        for (page, kind, first_unit) in ids {
            let id = PageId { file, page };
            let mut guard = self.pool().write_unread(&self.store, id)?;
            guard.format(&Format { first_unit, ..Format::new(id, kind) });
            if kind == PageType::Gam {
                // All free but the extent with these pages.
                guard.set_bits(1, BITMAP_BITS - 1, true);
            }
            // A bitmap page's image is the whole page.
            guard.set_free_start(PAGE_BYTES as u16);
            let context = match kind {
                PageType::Gam => Lcx::Gam,
                PageType::Pfs => Lcx::Pfs,
                PageType::DiffMap => Lcx::DiffMap,
                _ => Lcx::MlMap,
            };
            format::log_format(work, &mut guard, context, Reserve::NONE)?;
        }
        Ok(())
    }
}
