//! Growth of data files: by FILEGROWTH when no extent is free, and by hand.

use std::sync::atomic::Ordering;

use taffrail_base::{FileId, PAGE_BYTES, PageId};
use taffrail_io::{IoError, IoReason};
use taffrail_log::{Growth, Lcx, Lop, RecordHeader, Reserve};
use taffrail_observe::{Event, EventRing, Moment, SessionCell};

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
        let full = |why: String, refused: Option<&IoError>| {
            self.note_full(refused);
            StorageError::FileFull(Box::new(FileFull {
                object: format!("{}", hobt.object()),
                index: hobt.index(),
                database: self.store.name(),
                why,
            }))
        };
        let bytes = u64::from(file.pages.load(Ordering::Acquire)) * PAGE_BYTES as u64;
        let by = match settings.growth {
            Growth::None => return Err(full("the file does not grow".into(), None)),
            Growth::Bytes(n) => n,
            Growth::Percent(p) => bytes / 100 * u64::from(p),
        };
        let to = bytes + by.max(EXTENT_PAGES as u64 * PAGE_BYTES as u64);
        let max = settings.max_size.unwrap_or(u64::from(u32::MAX) * PAGE_BYTES as u64);
        // The last growth takes what there is.
        let to = to.min(max.max(bytes));
        if to < bytes + EXTENT_PAGES as u64 * PAGE_BYTES as u64 {
            return Err(full("the file has reached its maximum size".into(), None));
        }
        let mut growth = work.nested("GrowFile");
        let started = Moment::now();
        match self.grow_file(&mut growth, file, to) {
            Ok(()) => {
                growth.commit_system()?;
                self.tell_growth(file, bytes, true, started);
                Ok(())
            }
            Err(e) => {
                self.abort_system(growth, Vec::new());
                match e {
                    StorageError::Io(io) if self.is_refusal(&io) => {
                        Err(full(io.source.to_string(), Some(&io.source)))
                    }
                    e => Err(e),
                }
            }
        }
    }

    /// The session whose statement finds no room keeps what the error log will hear if the statement fails for it: 1105 by then.
    fn note_full(&self, refused: Option<&IoError>) {
        taffrail_observe::session::with_current(|s| {
            s.note_full(Event::DataFull {
                database: self.store.whose(),
                number: 1105,
                severity: 17,
                state: 2,
                text: String::new(),
                refused: refused.map(|e| (e.path.clone(), e.system_error())),
            });
        });
    }

    /// Tells the error log that a file has grown from `from` bytes.
    pub(crate) fn tell_growth(&self, file: &DataFile, from: u64, automatic: bool, started: Moment) {
        let to = u64::from(file.pages.load(Ordering::Acquire)) * PAGE_BYTES as u64;
        // Two that needed room at once: the second found it made.
        if to > from {
            EventRing::global().push(Event::DataGrowth {
                database: self.store.whose(),
                file: file.id,
                name: file.settings.lock().name.clone(),
                from,
                to,
                automatic,
                session: taffrail_observe::session::with_current(SessionCell::session_id)
                    .unwrap_or(0),
                ns: Moment::now().since(started),
            });
        }
    }

    /// True for an error that says that there is no room on the disk, and nothing worse.
    pub(crate) fn is_refusal(&self, io: &PageIo) -> bool {
        io.source.is_full() && self.store.suspect_reason().is_none()
    }

    /// Makes a file larger: space reserved and durable first, then the format's own pages in the new part, at last the size, with a
    /// record that restart repeats. A size that anybody can see, in memory, in the log or in the boot page, thus never comes
    /// without its maps; maps beyond the end, of a growth that did not get there, are formatted anew by the next.
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
        if let Err(e) = self.reserve_file(file, old, new) {
            // What a refused reservation has taken all the same, others need more.
            let end = u64::from(old) * PAGE_BYTES as u64;
            if matches!(&e, StorageError::Io(io) if self.is_refusal(io))
                && file.volume.len().is_ok_and(|len| len > end)
            {
                // The refusal is what there is to report; where this fails, too, the next growth finds the space.
                let _ = file.volume.truncate(end);
            }
            return Err(e);
        }
        self.format_maps(work, file.id, old, new)?;
        let header = RecordHeader {
            page: PageId { file: file.id, page: 0 },
            ..RecordHeader::new(Lop::FileHdrModify, Lcx::FileHeader)
        };
        let payload = xact::encode_file_size(file.id, old, new);
        file.set_size(new, || work.append(&header, &[&payload], Reserve::NONE))
    }

    /// Reserves space on disk for a longer file, and makes the length durable. A full disk may say no; any other failure, and
    /// any of the sync, leaves it unknown what the file holds.
    pub(crate) fn reserve_file(&self, file: &DataFile, old: u32, new: u32) -> StorageResult<()> {
        let at = u64::from(old) * PAGE_BYTES as u64;
        let len = u64::from(new - old) * PAGE_BYTES as u64;
        let volume = &file.volume;
        let _why = IoReason::DataGrowth.begin();
        let error = |source| Box::new(PageIo { operation: "write", offset: at, source });
        let fatal = |io: Box<PageIo>| {
            self.store.mark_suspect(format!("a data file could not be extended: {}", io.source));
            Err(StorageError::Io(io))
        };
        match taffrail_io::reserve(&*self.instance.env.disk, &**volume, at, len).map_err(error) {
            Err(io) if io.source.is_full() => return Err(StorageError::Io(io)),
            Err(io) => return fatal(io),
            Ok(()) => {}
        }
        if self.store.temporary {
            return Ok(());
        }
        volume.sync().map_err(error).or_else(fatal)
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
            // Nobody knows this page before the size is published, and redo makes it anew whatever it holds.
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
