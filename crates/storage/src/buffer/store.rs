//! One database as the pool sees it: its data files, its log, and which of its pages are dirty.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use taffrail_base::sync::{Mutex, thread};
use taffrail_base::{DatabaseId, FileId, LogPos, PAGE_BYTES, PageId, SqlError};
use taffrail_io::{Clock, Volume};
use taffrail_log::fair::RwLock;
use taffrail_log::{Growth, Log, READ_TRIES, read_retried, tell_retried};
use taffrail_observe::{DatabaseCounters, Event, EventRing, WaitType, wait};

use super::frame::{Pin, WriteGuard};
use super::pool::BufferPool;
use super::suspects::{SuspectPage, Suspects};
use super::writer::Writer;
use crate::error::{Corruption, PageIo, StorageError, StorageResult, SuspectReason};
use crate::page::Page;

/// Pages of an extent.
pub const EXTENT_PAGES: u32 = 8;

/// An open data file.
pub struct DataFile {
    /// The number of the file.
    pub id: FileId,
    /// The file on its volume.
    pub volume: Arc<dyn Volume>,
    /// Pages that it has now; changed by [`DataFile::set_size`].
    pub pages: AtomicU32,
    /// Position of the record that says how many pages there are; zero: older than this run. Held while that record is appended
    /// and `pages` follows it.
    size_record: Mutex<LogPos>,
    /// The part that can be altered.
    pub settings: Mutex<FileSettings>,
    /// Extents that changed since the last full backup, a bit each. On disk in the DIFF pages, written by checkpoints.
    pub changed: Mutex<Vec<u64>>,
    /// A full backup has begun the map anew: the next checkpoint takes bits out of the DIFF pages too.
    pub changed_anew: AtomicBool,
    /// Written to since the last sync began.
    pub(super) unsynced: AtomicBool,
    /// One sync at a time: who finds nothing unsynced has waited for the sync that is under way.
    syncing: Mutex<()>,
}

/// The alterable part of a [`DataFile`].
#[derive(Clone, Debug)]
pub struct FileSettings {
    /// The logical name of the file.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// The value of FILEGROWTH.
    pub growth: Growth,
    /// The value of MAXSIZE, bytes.
    pub max_size: Option<u64>,
}

impl DataFile {
    /// An open file of this many pages.
    pub fn new(
        id: FileId,
        volume: Arc<dyn Volume>,
        pages: u32,
        settings: FileSettings,
    ) -> DataFile {
        DataFile {
            id,
            volume,
            pages: AtomicU32::new(pages),
            size_record: Mutex::default(),
            settings: Mutex::new(settings),
            changed: Mutex::default(),
            changed_anew: AtomicBool::new(false),
            // What an earlier process wrote may not be durable yet.
            unsynced: AtomicBool::new(true),
            syncing: Mutex::default(),
        }
    }

    /// Changes the number of pages, once `log` has appended the record of it.
    pub fn set_size(
        &self,
        pages: u32,
        log: impl FnOnce() -> StorageResult<LogPos>,
    ) -> StorageResult<()> {
        let mut record = self.size_record.lock();
        *record = log()?;
        self.pages.store(pages, Ordering::Release);
        Ok(())
    }

    /// The number of pages, and the position of the record that says so.
    pub fn size(&self) -> (u32, LogPos) {
        let record = self.size_record.lock();
        (self.pages.load(Ordering::Acquire), *record)
    }

    /// Marks the extent of a page as changed since the last full backup.
    pub fn mark_changed(&self, page: u32) {
        let extent = (page / EXTENT_PAGES) as usize;
        let mut changed = self.changed.lock();
        if changed.len() <= extent / 64 {
            changed.resize(extent / 64 + 1, 0);
        }
        changed[extent / 64] |= 1 << (extent % 64);
    }

    /// Makes everything written durable.
    pub fn sync(&self) -> StorageResult<()> {
        let _one = self.syncing.lock();
        // Before the sync: a write that comes during it sets the flag again.
        if self.unsynced.swap(false, Ordering::AcqRel) {
            self.volume.sync().map_err(|source| {
                self.unsynced.store(true, Ordering::Release);
                StorageError::Io(Box::new(PageIo { operation: "write", offset: 0, source }))
            })?;
        }
        Ok(())
    }
}

/// Counts of rare things, for tests that must not pass without having seen them, and for people.
#[derive(Default, Debug)]
pub struct Rarities {
    /// The number of page splits.
    pub splits: AtomicU64,
    /// Splits of interior pages taken back, at run time or by restart.
    pub interior_splits_undone: AtomicU64,
    /// Roots that grew a level.
    pub root_splits: AtomicU64,
    /// The number of checkpoints completed.
    pub checkpoints: AtomicU64,
    /// Pages written through the double-write region.
    pub double_written: AtomicU64,
    /// Pages written without it, because redo would format them.
    pub unprotected: AtomicU64,
    /// Torn pages repaired by restart.
    pub torn_repaired: AtomicU64,
    /// Heap rows that moved and left a forwarding stub.
    pub forwards: AtomicU64,
    /// The number of ghosts removed.
    pub expunged: AtomicU64,
    /// Empty leaves given back.
    pub leaves_freed: AtomicU64,
    /// Leaves emptied into their left neighbours.
    pub leaves_merged: AtomicU64,
    /// Rows moved to a left neighbour that left others behind.
    pub leaves_filled: AtomicU64,
    /// Leaves moved to another page.
    pub leaves_moved: AtomicU64,
    /// The number of compensation records written.
    pub compensations: AtomicU64,
    /// The number of extents given back.
    pub extents_freed: AtomicU64,
    /// Pages written with minimal logging.
    pub minimally_logged: AtomicU64,
    /// Pages of bulk loads logged whole.
    pub bulk_logged: AtomicU64,
    /// The number of bulk allocations undone.
    pub bulk_undone: AtomicU64,
}

/// Why nothing is written any more. The first reason is the one that matters.
enum Ended {
    Suspect(String),
    Closed,
}

/// A database's files and dirty pages.
pub struct Store {
    /// The id of the database.
    pub id: DatabaseId,
    name: RwLock<String>,
    /// tempdb: nothing survives a restart, so nothing is protected or waited for.
    pub temporary: bool,
    /// [`Page::mark_of`] the database; 0: pages are not asked whose they are.
    pub mark: u32,
    files: RwLock<BTreeMap<FileId, Arc<DataFile>>>,
    log: OnceLock<Arc<Log>>,
    /// Frames that became dirty; may name frames that are clean again or hold other pages.
    pub(super) dirty: Mutex<Vec<u32>>,
    /// MinLSN of the boot page that is durable.
    pub durable_min: AtomicU64,
    pub(super) writer: Mutex<Writer>,
    ended: OnceLock<Ended>,
    /// The counters of `SQLServer:Databases`.
    pub counters: Arc<DatabaseCounters>,
    /// The counts of rare things, see [`Rarities`].
    pub rarities: Rarities,
    suspects: Suspects,
    /// The clock by which operations are timed.
    pub clock: Arc<dyn Clock>,
}

impl Store {
    /// A store without files and log.
    pub fn new(
        id: DatabaseId,
        name: &str,
        temporary: bool,
        mark: u32,
        counters: Arc<DatabaseCounters>,
        clock: Arc<dyn Clock>,
    ) -> Store {
        Store {
            id,
            name: RwLock::new(name.to_owned()),
            temporary,
            mark,
            files: RwLock::default(),
            log: OnceLock::new(),
            dirty: Mutex::default(),
            durable_min: AtomicU64::new(0),
            writer: Mutex::default(),
            ended: OnceLock::new(),
            counters,
            rarities: Rarities::default(),
            suspects: Suspects::default(),
            clock,
        }
    }

    /// The name of the database.
    pub fn name(&self) -> String {
        self.name.read().clone()
    }

    /// The database, as events show it.
    pub fn whose(&self) -> taffrail_observe::Whose {
        taffrail_observe::Whose::new(self.id, &self.name.read())
    }

    /// ALTER DATABASE … MODIFY NAME.
    pub fn set_name(&self, name: &str) {
        *self.name.write() = name.to_owned();
        if let Some(log) = self.log.get() {
            log.set_database_name(name);
        }
    }

    /// Adds a file to the database.
    pub fn add_file(&self, file: Arc<DataFile>) {
        self.files.write().insert(file.id, file);
    }

    /// The file of a number, if there is one.
    pub fn file(&self, id: FileId) -> Option<Arc<DataFile>> {
        self.files.read().get(&id).cloned()
    }

    /// All files, in order of their numbers.
    pub fn files(&self) -> Vec<Arc<DataFile>> {
        self.files.read().values().cloned().collect()
    }

    /// Pages of the primary file.
    pub fn primary(&self) -> Arc<DataFile> {
        self.file(FileId(1)).expect("a database has a primary file")
    }

    /// Sets the log, once.
    pub fn set_log(&self, log: Arc<Log>) {
        log.set_database_name(&self.name());
        let was_unset = self.log.set(log).is_ok();
        assert!(was_unset, "the log is set once");
    }

    /// The log of the database.
    #[inline]
    pub fn log(&self) -> &Arc<Log> {
        self.log.get().expect("the log is set before pages change")
    }

    /// True once the log is set.
    pub fn has_log(&self) -> bool {
        self.log.get().is_some()
    }

    /// Nothing is written or acknowledged any more. The error log hears why, once.
    pub fn mark_suspect(&self, reason: String) {
        let text = format!(
            "It is suspect from now on: nothing is read from it or written to it until it is started again. The reason: {reason}"
        );
        if self.give_up(reason) {
            EventRing::global().push(Event::BackgroundError { database: self.whose(), text });
        }
    }

    /// As [`Self::mark_suspect`], for a caller that tells the reason itself: a statement that
    /// fails. False if the database had ended already.
    pub fn give_up(&self, reason: String) -> bool {
        self.ended.set(Ended::Suspect(reason)).is_ok()
    }

    /// The database is closed: its files may be another handle's from now on.
    pub fn mark_closed(&self) {
        let _ = self.ended.set(Ended::Closed);
    }

    /// The reason, if it is suspect.
    pub fn suspect_reason(&self) -> Option<&str> {
        match self.ended.get() {
            Some(Ended::Suspect(reason)) => Some(reason),
            Some(Ended::Closed) | None => None,
        }
    }

    /// An error if the database is suspect or closed.
    #[inline]
    pub fn check(&self) -> StorageResult<()> {
        match self.ended.get() {
            None => Ok(()),
            Some(ended) => Err(self.ended_error(ended)),
        }
    }

    #[cold]
    fn ended_error(&self, ended: &Ended) -> StorageError {
        match ended {
            Ended::Suspect(reason) => self.suspect_error(reason),
            Ended::Closed => StorageError::Sql(SqlError::new(942, &[&self.name()])),
        }
    }

    fn suspect_error(&self, reason: &str) -> StorageError {
        StorageError::Suspect(Box::new(SuspectReason {
            database: self.name(),
            reason: reason.to_owned(),
        }))
    }

    /// The error for a page whose bytes are wrong.
    pub fn corrupt(&self, page: PageId, what: String) -> StorageError {
        let file =
            self.file(page.file).map(|f| f.volume.path().display().to_string()).unwrap_or_default();
        StorageError::Corrupt(Box::new(Corruption {
            what,
            operation: "read",
            page,
            database: self.id,
            file,
        }))
    }

    /// Checks what came from a file before anything is made of it: that it is whole, and this page of this database.
    pub(super) fn check_page(&self, id: PageId, page: &mut Page) -> Result<(), String> {
        page.validate_of(id, self.mark)
    }

    fn file_of(&self, page: PageId) -> StorageResult<Arc<DataFile>> {
        let Some(file) = self.file(page.file) else {
            return Err(self.corrupt(page, format!("there is no file {}", page.file)));
        };
        if page.page >= file.pages.load(Ordering::Acquire) {
            return Err(self.corrupt(page, "page beyond the end of the file".to_owned()));
        }
        Ok(file)
    }

    fn read_once(&self, file: &DataFile, page: PageId, into: &mut Page) -> StorageResult<()> {
        self.counters.data_reads.inc();
        self.counters.data_read_bytes.add(PAGE_BYTES as u64);
        let offset = page.file_offset();
        let read = file.volume.read_at(offset, into.bytes_mut());
        read.map_err(|source| {
            StorageError::Io(Box::new(PageIo { operation: "read", offset, source }))
        })
    }

    /// Reads and checks a page: tried [`READ_TRIES`] times, whether the system refuses it or gives what was not written.
    pub fn read_page(&self, page: PageId, into: &mut Page) -> StorageResult<()> {
        let _w = wait(WaitType::PageIoLatchSh);
        let file = self.file_of(page)?;
        let mut first = None;
        let mut times = 0;
        loop {
            let read = self.read_once(&file, page, into);
            let failed = match read.map(|()| self.check_page(page, into)) {
                Ok(Ok(())) => break,
                Ok(Err(what)) => (self.corrupt(page, what.clone()), what),
                Err(StorageError::Io(io)) => {
                    let what = io.source.system_error();
                    (StorageError::Io(io), what)
                }
                Err(e) => return Err(e),
            };
            times += 1;
            if times == READ_TRIES {
                self.suspects.note(page, &failed.1);
                return Err(failed.0);
            }
            first.get_or_insert(failed.1);
        }
        if let Some(why) = first {
            tell_retried(&*file.volume, page.file_offset(), times, &why);
        }
        Ok(())
    }

    /// Reads pages that lie together as they are: tried as often.
    pub fn read_run(&self, first: PageId, bytes: &mut [u8]) -> StorageResult<()> {
        let Some(file) = self.file(first.file) else {
            return Err(self.corrupt(first, format!("there is no file {}", first.file)));
        };
        let offset = first.file_offset();
        read_retried(&*file.volume, offset, bytes).map_err(|source| {
            StorageError::Io(Box::new(PageIo { operation: "read", offset, source }))
        })
    }

    /// Pages that were read since this was asked last, and are not what was written.
    pub fn take_suspects(&self) -> Vec<SuspectPage> {
        self.suspects.take()
    }

    /// Makes everything written to the files durable.
    pub fn sync_files(&self) -> StorageResult<()> {
        if self.temporary {
            return Ok(());
        }
        for file in self.files() {
            if let Err(e) = file.sync() {
                self.mark_suspect(e.to_string());
                return Err(e);
            }
        }
        Ok(())
    }

    /// The oldest position that dirty pages need redo from, and how many there are. Positions before the call's
    /// begin are complete: a page is announced as dirty before the record that changes it is appended.
    pub fn oldest_dirty(&self, pool: &BufferPool) -> (Option<LogPos>, usize) {
        let dirty = self.dirty_keys(pool);
        (dirty.iter().map(|&(.., first)| LogPos(first)).min(), dirty.len())
    }

    /// Pins a frame if it holds a page of this database: it goes on holding that page while it is pinned.
    pub(super) fn pin_own<'p>(&self, pool: &'p BufferPool, frame: u32) -> Option<Pin<'p>> {
        let control = pool.arena().control(frame);
        let ours = || control.key.load(Ordering::Acquire) >> 48 == u64::from(self.id.0);
        while ours() {
            if let Some(pin) = pool.arena().pin(frame) {
                return ours().then_some(pin);
            }
            // Its evictor gives it up, or takes the page away, in a moment.
            thread::yield_now();
        }
        None
    }

    /// The frames that hold dirty pages of this database.
    pub(super) fn dirty_frames(&self, pool: &BufferPool) -> Vec<u32> {
        let mut list = self.dirty.lock();
        let mut frames = std::mem::take(&mut *list);
        frames.sort_unstable();
        frames.dedup();
        frames.retain(|&frame| {
            // Pinned, so that `listed` is not written for a page of another database that comes into the frame.
            let Some(_pin) = self.pin_own(pool, frame) else { return false };
            let control = pool.arena().control(frame);
            // Unlisted first, looked at afterwards: whoever makes it dirty in between lists it again.
            control.listed.store(false, Ordering::SeqCst);
            let dirty = control.first_dirty.load(Ordering::SeqCst) != 0;
            if dirty {
                control.listed.store(true, Ordering::SeqCst);
            }
            dirty
        });
        list.extend_from_slice(&frames);
        frames
    }
}

impl WriteGuard<'_> {
    /// Announces a change of the page: before the record is appended, so that a checkpoint that begins in between
    /// knows of it.
    #[inline]
    pub fn will_change(&mut self, store: &Store) {
        let control = self.control();
        // The exclusive latch makes load and store one step.
        control.changes.store(control.changes.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if control.first_dirty.load(Ordering::Relaxed) == 0 {
            self.becomes_dirty(store);
        }
    }

    /// Announces a change that need not reach the disk: a page that is clean stays clean.
    pub fn will_change_in_memory(&mut self) {
        let control = self.control();
        control.changes.store(control.changes.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Announces the redo of the record at `pos`.
    pub fn will_redo(&mut self, store: &Store, pos: LogPos) {
        let control = self.control();
        control.changes.store(control.changes.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if control.first_dirty.load(Ordering::Relaxed) == 0 {
            self.becomes_dirty_at(store, pos);
        }
    }

    /// The page goes to the disk once more, as it is: with the record at `pos`, which it has.
    pub fn must_be_written(&mut self, store: &Store, pos: LogPos) {
        if self.control().first_dirty.load(Ordering::Relaxed) == 0 {
            self.becomes_dirty_at(store, pos);
        }
    }

    #[cold]
    fn becomes_dirty(&mut self, store: &Store) {
        self.becomes_dirty_at(store, store.log().appended());
    }

    fn becomes_dirty_at(&mut self, store: &Store, pos: LogPos) {
        let id = super::pool::page_of(self.control().key.load(Ordering::Relaxed));
        let control = self.control();
        control.first_dirty.store(pos.0.max(1), Ordering::SeqCst);
        if !control.listed.swap(true, Ordering::SeqCst) {
            store.dirty.lock().push(self.frame());
        }
        taffrail_observe::session::page_dirtied();
        if let Some(file) = store.file(id.file) {
            file.mark_changed(id.page);
        }
    }

    /// Notes that the record at `pos` formatted the page.
    pub fn was_formatted(&mut self, pos: LogPos) {
        self.control().format_pos.store(pos.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
