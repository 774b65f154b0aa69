//! Dirty pages to disk, in batches.
//!
//! A batch: copy each page under its shared latch, harden the log up to the newest of them, write the copies that need
//! protection to the double-write region and make them durable, write all of them in place ([`super::in_place`]). The in-place
//! writes are made durable before the region is used again, and before any boot page whose MinLSN counts on them.
//!
//! ```text
//! pages 16 …      of a data file: its double-write region, for its own pages
//!   16            header: magic, CRC, number of the batch, count, then per page: PageId u64, CRC u32
//!   17 … 144      the images, in the order of the header
//! ```
//! A page needs no protection while its format record lies at or after the durable MinLSN: redo would build it anew, whatever is
//! on disk.
//!
//! Invariant: while an in-place write of a protected page may be torn, the region of its file holds its image, whole and durable. A region
//! says nothing of pages of other files: a file is repaired from what it brings itself.

use std::io::IoSlice;
use std::sync::atomic::Ordering;

use taffrail_base::{LogPos, PAGE_BYTES, PageId};
use taffrail_io::{AlignedBuf, IoReason, IoResult, Volume};
use taffrail_log::FlushReason;
use taffrail_observe::xe::{Event, wanted};

use super::frame::Pin;
use super::pool::{BufferPool, page_of};
use super::store::{DataFile, Store};
use super::told;
use super::whole::read_whole;
use crate::error::{PageIo, StorageError, StorageResult};
use crate::page::{Page, seal_image};

/// The header of the region; the images follow.
pub const DOUBLE_WRITE_FIRST_PAGE: u32 = 16;
/// Pages of the region, rounded up to whole extents.
pub const DOUBLE_WRITE_PAGES: u32 = 136;
/// Images in the region.
const BATCH: usize = 128;
const MAGIC: u64 = 0x3145_5449_5257_4c42; // "BLWRITE1"
const ENTRIES_AT: usize = 32;

const _: () = assert!(BATCH < DOUBLE_WRITE_PAGES as usize);
const _: () = assert!(ENTRIES_AT + BATCH * 12 <= PAGE_BYTES);

/// What to do with pages whose last change is not durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unhardened {
    /// They are written: the log is flushed first.
    Written,
    /// They stay while the log is tight: the flush would waste what rollbacks count on. Somebody writes them later.
    StayIfTight,
}

/// What the writing of batches keeps between them; behind the store's mutex.
#[derive(Default)]
pub(super) struct Writer {
    images: Option<AlignedBuf>,
    batch: u64,
}

pub(super) struct Image<'p> {
    pin: Pin<'p>,
    pub(super) key: u64,
    changes: u32,
    bound: LogPos,
    pub(super) protected: bool,
}

impl Store {
    /// Writes these frames' dirty pages, as far as nobody holds them latched exclusively and `unhardened` does not say otherwise;
    /// reorders the list. Returns how many.
    pub(crate) fn write_frames(
        &self,
        pool: &BufferPool,
        frames: &mut [u32],
        unhardened: Unhardened,
    ) -> StorageResult<usize> {
        let mut writer = self.writer.lock();
        self.write_frames_by(pool, &mut writer, frames, unhardened)
    }

    /// [`Store::write_frames`] unless somebody else writes, or syncs what he has written. None: so it is, and nothing was written.
    pub(crate) fn write_frames_if_idle(
        &self,
        pool: &BufferPool,
        frames: &mut [u32],
        unhardened: Unhardened,
    ) -> StorageResult<Option<usize>> {
        let Some(mut writer) = self.writer.try_lock() else { return Ok(None) };
        self.write_frames_by(pool, &mut writer, frames, unhardened).map(Some)
    }

    fn write_frames_by(
        &self,
        pool: &BufferPool,
        writer: &mut Writer,
        frames: &mut [u32],
        unhardened: Unhardened,
    ) -> StorageResult<usize> {
        // Each key is read once: it may change while we sort, and the page is then left out below.
        frames.sort_by_cached_key(|&f| pool.arena().control(f).key.load(Ordering::Relaxed));
        // Under the mutex, which whoever closes the database takes too.
        self.check()?;
        let mut written = 0;
        for chunk in frames.chunks(BATCH) {
            match self.write_batch(pool, writer, chunk, unhardened) {
                Ok(n) => {
                    pool.counters.page_writes.add(n as u64);
                    written += n;
                }
                Err(e) => {
                    // A page that could not be written, or a log that could not: nothing written later can be trusted to be
                    // newer than what is on disk now.
                    if e.is_fatal_to_database() {
                        self.mark_suspect(e.to_string());
                    }
                    return Err(e);
                }
            }
        }
        Ok(written)
    }

    fn write_batch(
        &self,
        pool: &BufferPool,
        writer: &mut Writer,
        frames: &[u32],
        unhardened: Unhardened,
    ) -> StorageResult<usize> {
        let tight =
            unhardened == Unhardened::StayIfTight && self.has_log() && self.log().is_tight();
        let most = if tight { self.log().durable() } else { LogPos::MAX };
        let buf = writer.images.get_or_insert_with(|| AlignedBuf::zeroed(BATCH * PAGE_BYTES));
        let mut images: Vec<Image<'_>> = Vec::with_capacity(frames.len());
        let mut newest = LogPos::ZERO;
        let durable_min = self.durable_min.load(Ordering::Acquire);
        for &frame in frames {
            let Some(pin) = pool.arena().pin(frame) else { continue };
            let Ok(guard) = pin.try_read() else { continue };
            let control = guard.control();
            let key = control.key.load(Ordering::Acquire);
            let ours = key >> 48 == u64::from(self.id.0) && control.valid.load(Ordering::Acquire);
            if !ours || control.first_dirty.load(Ordering::Acquire) == 0 || guard.lsn() >= most {
                continue;
            }
            let at = images.len() * PAGE_BYTES;
            let bytes: &mut [u8; PAGE_BYTES] =
                (&mut buf[at..at + PAGE_BYTES]).try_into().expect("a page");
            bytes.copy_from_slice(guard.bytes());
            debug_assert_eq!(guard.id(), page_of(key));
            newest = newest.max(guard.lsn());
            let format_pos = control.format_pos.load(Ordering::Relaxed);
            let protected = !self.temporary && (format_pos == 0 || format_pos < durable_min);
            // Every later change gets a later position than what the log has now.
            let bound = if self.has_log() { self.log().appended() } else { guard.lsn() };
            let changes = control.changes.load(Ordering::Relaxed);
            if !guard.is_of(self.mark) {
                // With our mark it would pass for ours for good.
                let what = "a page of another database is in memory".to_owned();
                return Err(self.corrupt(page_of(key), what));
            }
            let Some(pin) = pool.arena().pin(frame) else { continue };
            drop(guard);
            seal_image(bytes, self.mark);
            images.push(Image { pin, key, changes, bound, protected });
        }
        if images.is_empty() {
            return Ok(0);
        }
        // Redo, which runs while the log is being opened, makes nothing that is not in the log.
        if !self.temporary && !newest.is_zero() && self.has_log() {
            self.harden(newest)?;
            // The write-ahead rule.
            assert!(self.log().durable() > newest, "database {}: page ahead of the log", self.id);
        }
        if images.iter().any(|i| i.protected) {
            // What the region protects now must be safe before the region is written over.
            self.sync_files()?;
            writer.batch += 1;
            let buf = writer.images.as_ref().expect("filled above");
            for file in self.files() {
                self.write_region(&file, buf, &images, writer.batch)?;
            }
        }
        let buf = writer.images.as_ref().expect("filled above");
        self.write_in_place(buf, &images)?;
        let n = images.len();
        for image in images {
            if wanted(Event::PhysicalPageWrite) {
                told::page_moved(Event::PhysicalPageWrite, self.id, page_of(image.key));
            }
            settle(image);
        }
        Ok(n)
    }

    /// Makes the record at `pos` durable.
    pub fn harden(&self, pos: LogPos) -> StorageResult<()> {
        self.log().harden(pos, FlushReason::WriteAhead).map_err(|e| self.log_error(e))
    }

    fn write_region(
        &self,
        file: &DataFile,
        buf: &AlignedBuf,
        images: &[Image<'_>],
        batch: u64,
    ) -> StorageResult<()> {
        let own = |i: &Image<'_>| i.protected && page_of(i.key).file == file.id;
        if !images.iter().any(own) {
            return Ok(());
        }
        let mut header = AlignedBuf::zeroed(PAGE_BYTES);
        header[..8].copy_from_slice(&MAGIC.to_le_bytes());
        header[16..24].copy_from_slice(&batch.to_le_bytes());
        let mut parts: Vec<&[u8]> = Vec::with_capacity(images.len());
        for (i, image) in images.iter().enumerate().filter(|(_, i)| own(i)) {
            let bytes = &buf[i * PAGE_BYTES..(i + 1) * PAGE_BYTES];
            let at = ENTRIES_AT + parts.len() * 12;
            header[at..at + 8].copy_from_slice(&page_of(image.key).to_u64().to_le_bytes());
            header[at + 8..at + 12].copy_from_slice(&bytes[4..8]);
            parts.push(bytes);
        }
        header[24..28].copy_from_slice(&(parts.len() as u32).to_le_bytes());
        let crc = crc32c::crc32c(&header);
        header[8..12].copy_from_slice(&crc.to_le_bytes());
        let mut slices: Vec<IoSlice<'_>> = vec![IoSlice::new(&header)];
        slices.extend(parts.iter().map(|p| IoSlice::new(p)));
        let offset = u64::from(DOUBLE_WRITE_FIRST_PAGE) * PAGE_BYTES as u64;
        let _why = IoReason::DoubleWrite.begin();
        let bytes = slices.len() as u64 * PAGE_BYTES as u64;
        self.counters.data_writes.inc();
        self.counters.data_write_bytes.add(bytes);
        self.rarities.double_written.fetch_add(parts.len() as u64, Ordering::Relaxed);
        file.volume.write_durable(offset, &slices).map_err(|source| {
            StorageError::Io(Box::new(PageIo { operation: "write", offset, source }))
        })
    }

    /// Writes every page that is dirty now and waits for latches where it must. Returns how many pages were written. `after` is called
    /// behind each batch, with nothing held: how many pages have had their turn, and of how many.
    pub fn write_all_dirty(
        &self,
        pool: &BufferPool,
        after: &mut dyn FnMut(usize, usize),
    ) -> StorageResult<usize> {
        let mut left = self.dirty_keys(pool);
        let all = left.len();
        let (mut written, mut had) = (0, 0);
        loop {
            // The order of the file over all batches, as within one.
            left.sort_by_key(|&(_, key, _)| key);
            let mut frames: Vec<u32> = left.iter().map(|&(frame, ..)| frame).collect();
            for some in frames.chunks_mut(BATCH) {
                written += self.write_frames(pool, some, Unhardened::Written)?;
                had = all.min(had + some.len());
                after(had, all);
            }
            left.retain(|&(frame, key, first)| {
                let control = pool.arena().control(frame);
                control.key.load(Ordering::Acquire) == key
                    && control.first_dirty.load(Ordering::Acquire) == first
            });
            let Some(&(frame, ..)) = left.first() else { return Ok(written) };
            // Wait for its latch without holding anything else, then try again.
            if let Some(pin) = pool.arena().pin(frame) {
                drop(pin.read());
            }
        }
    }

    /// Gives a page up of which bulk work was to make something else, that is neither in the log nor whole on disk: what is in memory of
    /// it goes unwritten, and what was written of that becomes a damaged page, so that nobody takes it for what is missing. For redo.
    pub(crate) fn give_up_page(&self, pool: &BufferPool, id: PageId) -> StorageResult<()> {
        pool.forget(self, id);
        // A batch may have had a copy of it.
        let _writer = self.writer.lock();
        let Some(file) = self.file(id.file) else { return Ok(()) };
        let offset = id.file_offset();
        let mut page = Page::zeroed();
        let Ok(Ok(())) = read_whole(&*file.volume, offset, &mut page, |page| page.validate(id))
        else {
            return Ok(());
        };
        page.set_crc(!page.crc());
        file.unsynced.store(true, Ordering::Release);
        let buf = AlignedBuf::from_slice(page.bytes());
        let written = file.volume.write_at(offset, &buf);
        file.unsynced.store(true, Ordering::Release);
        written.map_err(|source| {
            self.mark_suspect(source.to_string());
            StorageError::Io(Box::new(PageIo { operation: "write", offset, source }))
        })
    }

    /// The frames of pages that have been dirty since before `pos`, the oldest first.
    pub(crate) fn dirty_before(&self, pool: &BufferPool, pos: LogPos) -> Vec<u32> {
        let mut old = self.dirty_keys(pool);
        old.retain(|&(.., first)| first < pos.0);
        // A run on a seed must write the same each time.
        old.sort_unstable_by_key(|&(_, key, first)| (first, key));
        old.into_iter().map(|(frame, ..)| frame).collect()
    }

    /// How many pages are dirty only since this position.
    pub(crate) fn dirtied_since(&self, pool: &BufferPool, pos: LogPos) -> usize {
        self.dirty_keys(pool).iter().filter(|&&(.., first)| first >= pos.0).count()
    }

    /// No more pages are dirty than that.
    pub(crate) fn dirty_at_most(&self) -> usize {
        self.dirty.lock().len()
    }

    /// How many pages are dirty, for who looks: nothing is pinned, and the list is held for a copy of it.
    pub(crate) fn dirty_now(&self, pool: &BufferPool) -> usize {
        let mut frames = self.dirty.lock().clone();
        frames.sort_unstable();
        frames.dedup();
        let dirty = |frame: &&u32| {
            let control = pool.arena().control(**frame);
            control.key.load(Ordering::Relaxed) >> 48 == u64::from(self.id.0)
                && control.first_dirty.load(Ordering::Relaxed) != 0
        };
        frames.iter().filter(dirty).count()
    }

    /// (frame, key, first dirty position) of each dirty page.
    pub(super) fn dirty_keys(&self, pool: &BufferPool) -> Vec<(u32, u64, u64)> {
        self.dirty_frames(pool)
            .into_iter()
            .filter_map(|frame| {
                // Pinned: key and position are of the same page.
                let _pin = self.pin_own(pool, frame)?;
                let control = pool.arena().control(frame);
                let first = control.first_dirty.load(Ordering::Acquire);
                let key = control.key.load(Ordering::Acquire);
                (first != 0).then_some((frame, key, first))
            })
            .collect()
    }

    /// The pages that are dirty now.
    pub fn dirty_pages(&self, pool: &BufferPool) -> Vec<PageId> {
        self.dirty_keys(pool).into_iter().map(|(_, key, _)| super::pool::page_of(key)).collect()
    }

    /// Waits for the batch that is being written, and keeps others out while `f` runs.
    pub fn with_writer_idle<R>(&self, f: impl FnOnce() -> R) -> R {
        let _writer = self.writer.lock();
        f()
    }
}

/// After the write: the page is clean if nobody changed it since it was copied; else redo begins where the copy ended.
fn settle(image: Image<'_>) {
    let Image { pin, changes, bound, .. } = image;
    match pin.try_read() {
        Ok(guard) => {
            let control = guard.control();
            let same = control.changes.load(Ordering::Relaxed) == changes;
            control.first_dirty.store(if same { 0 } else { bound.0.max(1) }, Ordering::SeqCst);
        }
        // Somebody changes it right now. It is dirty, so that writer will not touch the position.
        Err(pin) => pin.control().first_dirty.store(bound.0.max(1), Ordering::SeqCst),
    }
}

/// What the double-write region holds.
pub struct DoubleWrite {
    header: Box<Page>,
    /// The images of the last batch: where in it, the page, the image. Whatever is not whole, or of a database with another mark, is
    /// left out.
    pub images: Vec<(usize, PageId, Box<Page>)>,
}

fn region_place(number: u32) -> u64 {
    u64::from(DOUBLE_WRITE_FIRST_PAGE + number) * PAGE_BYTES as u64
}

impl DoubleWrite {
    /// `None`: there has been no batch yet, or its header is not whole.
    pub fn read(volume: &dyn Volume, mark: u32) -> IoResult<Option<DoubleWrite>> {
        let word =
            |h: &[u8], at: usize| u64::from_le_bytes(h[at..at + 8].try_into().expect("8 bytes"));
        let int =
            |h: &[u8], at: usize| u32::from_le_bytes(h[at..at + 4].try_into().expect("4 bytes"));
        let mut header = Page::zeroed();
        let known = read_whole(volume, region_place(0), &mut header, |header| {
            let h = header.bytes_mut();
            let stored = int(h, 8);
            h[8..12].fill(0);
            let actual = crc32c::crc32c(h);
            h[8..12].copy_from_slice(&stored.to_le_bytes());
            match word(h, 0) == MAGIC && actual == stored {
                true => Ok(true),
                false if h.iter().all(|&b| b == 0) => Ok(false),
                false => Err("the header of the double-write region is damaged".to_owned()),
            }
        })?;
        if known != Ok(true) {
            return Ok(None);
        }
        let h = header.bytes();
        let count = (int(h, 24) as usize).min(BATCH);
        let mut images = Vec::new();
        for i in 0..count {
            let at = ENTRIES_AT + i * 12;
            let id = PageId::from_u64(word(h, at));
            let crc = int(h, at + 8);
            let mut image = Page::zeroed();
            let found = read_whole(volume, region_place(1 + i as u32), &mut image, |image| {
                match image.crc() == crc {
                    true => image.validate_of(id, mark),
                    false => Err("it is not the image that the region's header names".to_owned()),
                }
            })?;
            if found.is_ok() {
                images.push((i, id, image));
            }
        }
        Ok(Some(DoubleWrite { header, images }))
    }

    /// Writes it where it was read, durably. What follows it is torn, if at all, as the region says.
    pub fn write_again(&self, volume: &dyn Volume) -> IoResult<()> {
        for (i, _, image) in &self.images {
            let buf = AlignedBuf::from_slice(image.bytes());
            volume.write_at(region_place(1 + *i as u32), &buf)?;
        }
        volume.write_at(region_place(0), &AlignedBuf::from_slice(self.header.bytes()))?;
        volume.sync()
    }
}
