//! Full backups, taken while others write.
//!
//! A backup is a checkpoint, then a copy of every allocated page as the pool has it, then the log from the checkpoint's MinLSN to where it
//! ended when the last page had been copied. The pages are of different moments; the log makes them one: redo brings all of them to its
//! end, undo removes what had not committed by then. While it runs it holds the log (ACTIVE_BACKUP_OR_RESTORE).
//!
//! ```text
//! media    one or more sets, one after the other; a set without its end chunk is no set
//! set      chunks: header, pages …, records …, end
//! chunk    u32 magic, u16 container version, u16 kind, u64 length of what follows, u32 CRC-32C of what follows, u32 CRC-32C of these 20 bytes
//! header   u64 feature bits, name of the database, u64 start time, then the boot page's 8192 bytes
//! pages    n × (8192 bytes: a page, sealed)
//! records  n × (u64 position, u8 operation, u8 context, u16 flags, u64 transaction, u64 previous, u64 page, u16 slot,
//!          u64 previous page LSN, u64 HoBt, u64 lock hash, u64 undo next, u32 length, payload)
//! end      u64 end time, u64 pages, u64 records, u64 position of the last record
//! ```
//! `rebuild` makes a database from a set alone.

mod container;
mod rebuild;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use taffrail_base::{Lsn, PAGE_BYTES, PageId};
use taffrail_io::UtcTime;
use taffrail_log::{Hold, ReuseWait};

use crate::buffer::Access;
use crate::codec::Put;
use crate::database::{CheckpointKind, Database};
use crate::error::{StorageError, StorageResult};
use crate::layout::{EXTENT_PAGES, INTERVAL_PAGES, bitmap_pages, gam_of, is_system_page};
use crate::page::{BITMAP_BITS, Page};
use crate::recovery::boot_page;
use container::{Kind, SetWriter};

pub use rebuild::rebuild;

/// Feature bits of a backup set.
pub(crate) const SET_FEATURES: u64 = 0;

/// What a backup wrote; the columns of `msdb.dbo.backupset`.
#[derive(Clone, Debug)]
pub struct BackupReport {
    /// Data pages.
    pub pages: u64,
    /// Log records.
    pub records: u64,
    /// Bytes of the set.
    pub bytes: u64,
    /// `first_lsn`: where the log in the set begins.
    pub first_lsn: Lsn,
    /// `last_lsn`: the last record in the set.
    pub last_lsn: Lsn,
    /// `checkpoint_lsn`
    pub checkpoint_lsn: Lsn,
    /// `backup_start_date`, UTC.
    pub started: UtcTime,
    /// How long it took.
    pub duration: Duration,
}

/// Keeps a hold on the log for as long as it lives.
struct LogHold<'a>(&'a Database, taffrail_log::HolderId);

impl Drop for LogHold<'_> {
    fn drop(&mut self) {
        self.0.log().unregister_holder(self.1);
    }
}

impl Database {
    /// Takes a full backup into a file: adds a set to those in it, or, with `init`, replaces them. `cancelled` is asked between extents.
    pub fn backup_full(
        self: &Arc<Self>,
        path: &Path,
        init: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> StorageResult<BackupReport> {
        if self.is_temporary() {
            return Err(StorageError::Misuse("tempdb is not backed up"));
        }
        let clock = self.instance.env.clock.clone();
        let began = clock.monotonic();
        let started = clock.now_utc();
        // The hold first, on everything: the checkpoint must not let go of what the set begins with.
        let log = self.log().clone();
        let everything = log.oldest();
        let holder = log.register_holder(Box::new(move || {
            Some(Hold { wait: ReuseWait::ActiveBackupOrRestore, pos: everything })
        }));
        let _hold = LogHold(self, holder);
        self.checkpoint(CheckpointKind::Internal)?;
        let boot = self.boot.lock().clone();
        let mut set = SetWriter::begin(&self.instance.env, path, init)?;
        let mut head = Vec::with_capacity(PAGE_BYTES + 64);
        head.u64(SET_FEATURES);
        head.text(&self.name());
        head.u64(started.0);
        let Some(page) = boot.encode(boot_page(boot.sequence)) else {
            return Err(StorageError::Misuse("the names of the files do not fit the boot page"));
        };
        head.bytes(page.bytes());
        set.chunk(Kind::Header, &head)?;

        let pages = self.copy_pages(&mut set, cancelled)?;
        self.flush_log()?;
        let end = log.last_record();
        let records = self.copy_log(&mut set, boot.min, end)?;
        let mut tail = Vec::with_capacity(32);
        tail.u64(clock.now_utc().0);
        tail.u64(pages);
        tail.u64(records);
        tail.u64(end.0);
        set.chunk(Kind::End, &tail)?;
        let bytes = set.finish(&self.instance.env)?;
        self.store.counters.backup_bytes.add(bytes);
        self.begin_log_chain(boot.min)?;
        Ok(BackupReport {
            pages,
            records,
            bytes,
            first_lsn: log.lsn(boot.min).unwrap_or_default(),
            last_lsn: log.lsn(end).unwrap_or_default(),
            checkpoint_lsn: boot.checkpoint_lsn,
            started,
            duration: clock.monotonic().saturating_sub(began),
        })
    }

    fn copy_pages(
        self: &Arc<Self>,
        set: &mut SetWriter,
        cancelled: &dyn Fn() -> bool,
    ) -> StorageResult<u64> {
        let mut n = 0;
        let mut batch = Vec::with_capacity(128 * PAGE_BYTES);
        for file in self.store.files() {
            let pages = file.pages.load(std::sync::atomic::Ordering::Acquire);
            // All bitmaps, whatever the GAM says of the extents that they lie in: extents that others own are described there.
            for id in bitmap_pages(file.id, pages) {
                self.copy_page(set, &mut batch, id)?;
                n += 1;
            }
            let mut start = 0;
            while start + EXTENT_PAGES <= pages {
                let extents = ((pages - start) / EXTENT_PAGES).min(BITMAP_BITS);
                // Extents that are allocated later are made by the log.
                let used: Vec<u32> = {
                    let first = PageId { file: file.id, page: start };
                    let map = self.pool().read(&self.store, gam_of(first))?;
                    (0..extents).filter(|&i| !map.bit(i)).collect()
                };
                for extent in used {
                    if cancelled() {
                        return Err(StorageError::Lock(crate::lock::LockError::Cancelled));
                    }
                    let first = PageId { file: file.id, page: start + extent * EXTENT_PAGES };
                    for id in self.pages_to_copy(first)? {
                        self.copy_page(set, &mut batch, id)?;
                        n += 1;
                    }
                }
                start = start.saturating_add(INTERVAL_PAGES);
            }
        }
        if !batch.is_empty() {
            set.chunk(Kind::Pages, &batch)?;
        }
        Ok(n)
    }

    /// Adds a page to the batch, and a full batch to the set.
    fn copy_page(&self, set: &mut SetWriter, batch: &mut Vec<u8>, id: PageId) -> StorageResult<()> {
        if batch.len() >= 120 * PAGE_BYTES {
            set.chunk(Kind::Pages, batch)?;
            batch.clear();
        }
        let mut copy = Page::zeroed();
        {
            let page = self.pool().read_for(&self.store, id, Access::Scan)?;
            copy.bytes_mut().copy_from_slice(page.bytes());
        }
        copy.seal();
        batch.bytes(copy.bytes());
        Ok(())
    }

    /// The pages of an extent that are allocated, without those that the format owns; the directory's are.
    fn pages_to_copy(&self, extent: PageId) -> StorageResult<Vec<PageId>> {
        let directory =
            |p: &PageId| *p == crate::layout::DIRECTORY_IAM || *p == crate::layout::DIRECTORY_ROOT;
        let mut pages = self.allocated(extent)?;
        pages.retain(|p| !is_system_page(*p) || directory(p));
        Ok(pages)
    }

    fn copy_log(
        &self,
        set: &mut SetWriter,
        from: taffrail_base::LogPos,
        to: taffrail_base::LogPos,
    ) -> StorageResult<u64> {
        let mut reader = self.log().reader(from).map_err(|e| self.store.log_error(e))?;
        let mut batch = Vec::with_capacity(1 << 20);
        let mut n = 0;
        while let Some(r) = reader.next().map_err(|e| self.store.log_error(e))? {
            if r.pos > to {
                break;
            }
            container::put_record(&mut batch, &r);
            n += 1;
            if batch.len() >= 900 << 10 {
                set.chunk(Kind::Records, &batch)?;
                batch.clear();
            }
        }
        if !batch.is_empty() {
            set.chunk(Kind::Records, &batch)?;
        }
        Ok(n)
    }
}
