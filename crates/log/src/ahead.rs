//! Initialisation and growth ahead of the head: the driver around [`crate::fresh`].
//!
//! With `Initialization::Ahead` a growth only reserves extents. [`Log::run_ahead`], in a thread that the engine hands
//! in, does the rest while commits go on:
//!
//! * it writes zeroes over what was never written, nearest to the head first, in pieces, and syncs now and then;
//! * it makes the next growth before the log is full, where truncation will not make room.
//!
//! Commits wait for neither. A flush claims its bytes ([`Log::claim_fresh`]) and waits only when the very piece that is
//! being zeroed lies in its way, which takes a head as fast as the zeroing. Without the thread everything works: the
//! log writes into reserved extents by itself, more slowly, and grows on demand.
//!
//! While the log itself is written in large pieces (bulk work) nothing is zeroed: one change of metadata for half a
//! megabyte is cheaper than writing it twice.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{Thread, ThreadId};
use std::time::Duration;

use crate::fair::{Condvar, Mutex};
use taffrail_base::sync::thread;
use taffrail_base::{FileId, LogPos};
use taffrail_io::{AlignedBuf, IoError, IoReason, WriteOp};
use taffrail_observe::{Moment, SessionCell, Whose};

use crate::directory::{Entry, FILE_HEADER_BYTES, HALF};
use crate::files::LogFiles;
use crate::fresh::{Fresh, Piece};
use crate::growth::is_refusal;
use crate::log::Log;
use crate::options::Initialization;
use crate::options::VlfAlgorithm;
use crate::vlf::VlfTable;

/// Zeroed in one write.
const PIECE: u64 = 512 << 10;
/// Zeroed between two syncs.
const SYNC_EVERY: u64 = 8 << 20;
/// Log writes longer than this on average are bulk work.
const BULK_WRITE: u64 = 192 << 10;
/// With so much initialised in front of the head there is no hurry: while the log is in use, zeroing takes a fifth of
/// the time, so that sessions have the disk and the processor.
const COMFORTABLE: u64 = 64 << 20;
/// A log that was not written for so long is not in use.
const UNUSED: Duration = Duration::from_millis(50);
/// The thread looks up this often when nobody kicks it.
const IDLE: Duration = Duration::from_millis(500);
/// After a growth that the disk refused, the next try.
const RETRY: Duration = Duration::from_secs(5);

/// The state that the threads of a log share about its growth.
pub(crate) struct Ahead {
    fresh: Mutex<(Fresh, Option<ThreadId>)>,
    /// Signalled when a piece has ended.
    ended: Condvar,
    /// A buffer of zeroes from the piece before.
    zeroes: Mutex<Option<AlignedBuf>>,
    /// Something is fresh or in flight: claims look closer.
    busy: AtomicBool,
    mode: AtomicU8,
    algorithm: AtomicU8,
    /// A flush that reaches this position kicks the thread: the log is nearly full.
    wake_at: AtomicU64,
    /// The session whose block was the first to end behind that position, until a growth has been told of it or is not needed.
    needed_by: Mutex<Weak<SessionCell>>,
    /// Files' extents are reserved up to here; nothing is known of those that are not in it.
    reserved: Mutex<BTreeMap<usize, u64>>,
    /// No growth ahead of need before this (monotonic time, ns): the disk refused the last.
    retry_at: AtomicU64,
    /// `file_id` and logical name of each file, as events show them.
    names: Mutex<Vec<(FileId, String)>>,
    /// The database's name, as events show it.
    database: Mutex<Arc<str>>,
    thread: Mutex<Option<Thread>>,
    kicked: AtomicBool,
    stopping: AtomicBool,
    /// The log's writer is busy and has more to do.
    help: AtomicBool,
    /// The last claim met bytes that were never written.
    met_fresh: AtomicBool,
}

impl Ahead {
    pub fn new(
        files: &LogFiles,
        table: &VlfTable,
        end: LogPos,
        mode: Initialization,
        algorithm: VlfAlgorithm,
    ) -> Ahead {
        let mut fresh = Fresh::default();
        if mode == Initialization::Ahead {
            collect(files, table, end, &mut fresh);
        }
        Ahead {
            busy: AtomicBool::new(!fresh.is_idle()),
            fresh: Mutex::new((fresh, None)),
            ended: Condvar::new(),
            zeroes: Mutex::default(),
            mode: AtomicU8::new(mode as u8),
            algorithm: AtomicU8::new(algorithm as u8),
            wake_at: AtomicU64::new(0),
            needed_by: Mutex::default(),
            reserved: Mutex::default(),
            retry_at: AtomicU64::new(0),
            names: Mutex::default(),
            database: Mutex::default(),
            thread: Mutex::default(),
            kicked: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            help: AtomicBool::new(false),
            met_fresh: AtomicBool::new(false),
        }
    }

    /// Up to where extents are known to be reserved; 0 if nothing is known.
    pub fn reserved(&self, file: usize) -> u64 {
        self.reserved.lock().get(&file).copied().unwrap_or(0)
    }

    pub fn set_reserved(&self, file: usize, end: u64) {
        self.reserved.lock().insert(file, end);
    }

    /// The disk refused a growth ahead of need.
    pub fn refused(&self, now: Duration) {
        self.retry_at.store((now + RETRY).as_nanos() as u64, Ordering::Relaxed);
    }
}

/// Collects the unwritten ranges in VLFs that are not active and behind the end of the log.
fn collect(files: &LogFiles, table: &VlfTable, end: LogPos, fresh: &mut Fresh) {
    let mut places: Vec<Piece> = table
        .free_after_head()
        .map(|p| Piece { file: p.file, start: p.offset + HALF as u64, end: p.offset + p.size })
        .collect();
    let head = table.head();
    let (start, stop) = (head.offset_of(end.0), head.place.offset + head.place.size);
    places.push(Piece { file: head.place.file, start, end: stop });
    places.sort_unstable_by_key(|p| (p.file, p.start));
    for (file, (volume, root)) in files.volumes.iter().zip(&files.root.files).enumerate() {
        if root.is_gone() {
            continue;
        }
        let first = places.partition_point(|p| usize::from(p.file) < file);
        let last = places.partition_point(|p| usize::from(p.file) <= file);
        // A file system that cannot tell leaves nothing to do.
        if let Ok(parts) = volume.unwritten(FILE_HEADER_BYTES, root.size) {
            add_parts(fresh, &places[first..last], parts);
        }
    }
}

/// Adds what is both in a VLF (in order) and unwritten (in order).
fn add_parts(fresh: &mut Fresh, places: &[Piece], unwritten: Vec<(u64, u64)>) {
    let mut parts = unwritten.into_iter().peekable();
    for place in places {
        while let Some(&(from, to)) = parts.peek() {
            fresh.add(place.file, from.max(place.start), to.min(place.end));
            if to > place.end {
                break;
            }
            parts.next();
        }
    }
}

/// The part of a VLF that zeroing may touch: all but the place of a directory page.
fn place_of(e: &Entry) -> Piece {
    Piece { file: e.file, start: e.offset + HALF as u64, end: e.offset + e.size }
}

impl Log {
    /// How new parts of the files are initialised.
    pub fn initialization(&self) -> Initialization {
        Initialization::from_u8(self.ahead.mode.load(Ordering::Acquire))
    }

    /// How many VLFs a growth makes.
    pub fn vlf_algorithm(&self) -> VlfAlgorithm {
        VlfAlgorithm::from_u8(self.ahead.algorithm.load(Ordering::Acquire))
    }

    /// Changes both for growths to come. What is not initialised yet when `Ahead` ends is left to the log to write.
    pub fn set_growth_rules(&self, initialization: Initialization, algorithm: VlfAlgorithm) {
        self.ahead.algorithm.store(algorithm as u8, Ordering::Release);
        self.ahead.mode.store(initialization as u8, Ordering::Release);
        if initialization != Initialization::Ahead {
            self.with_fresh(|f| f.forget_all());
        }
        self.kick_ahead();
    }

    /// `file_id` and logical name of each file, in order, for events and messages.
    pub fn set_file_names(&self, names: Vec<(FileId, String)>) {
        *self.ahead.names.lock() = names;
    }

    /// Sets the database's name, for events.
    pub fn set_database_name(&self, name: &str) {
        *self.ahead.database.lock() = name.into();
    }

    /// The database, as events show it; by its number while nobody has said what it is called.
    pub(crate) fn whose(&self) -> Whose {
        let (id, name) = (self.options.database, self.ahead.database.lock().clone());
        if name.is_empty() { Whose::new(id, &id.to_string()) } else { Whose { id, name } }
    }

    /// The name of a file in events and messages.
    pub fn file_name(&self, file: usize) -> (FileId, String) {
        let known = self.ahead.names.lock().get(file).cloned();
        known.unwrap_or_else(|| (FileId(file as u16 + 2), format!("log file {file}")))
    }

    /// Bytes of the log's files that were never written, or are not yet durably so.
    pub fn uninitialized(&self) -> u64 {
        self.ahead.fresh.lock().0.uninitialized()
    }

    /// Bytes that the log itself wrote first, since it came there before the zeroes did.
    pub fn written_uninitialized(&self) -> u64 {
        self.ahead.fresh.lock().0.missed()
    }

    fn with_fresh<R>(&self, change: impl FnOnce(&mut Fresh) -> R) -> R {
        let mut fresh = self.ahead.fresh.lock();
        let result = change(&mut fresh.0);
        if cfg!(debug_assertions) {
            fresh.0.check();
        }
        self.ahead.busy.store(!fresh.0.is_idle(), Ordering::Release);
        result
    }

    /// New VLFs in space that was only reserved: call it before the log knows of them, so that nobody has claimed anything
    /// in there. What the file system does not call unwritten is left alone.
    pub(crate) fn add_unwritten(&self, new: &[Entry]) {
        if self.initialization() != Initialization::Ahead {
            return;
        }
        let places: Vec<_> = new.iter().map(place_of).collect();
        let Some(first) = new.first() else { return };
        let end = new.iter().map(|e| e.offset + e.size).max().unwrap_or(0);
        // A file system that cannot tell leaves nothing to do.
        if let Ok(parts) = self.volume(first.file).unwritten(first.offset, end) {
            self.with_fresh(|f| add_parts(f, &places, parts));
        }
    }

    /// The calling thread has closed a block; the next one begins at `end`. Who comes near the log's end needs the next growth.
    #[inline]
    pub(crate) fn note_need(&self, end: u64) {
        if end >= self.ahead.wake_at.load(Ordering::Relaxed)
            && let Some(session) = taffrail_observe::session::current()
        {
            let mut needed_by = self.ahead.needed_by.lock();
            if needed_by.strong_count() == 0 {
                *needed_by = Arc::downgrade(&session);
            }
        }
    }

    /// Takes the session that needs the growth that has been made ahead of need, while it lasts: the next growth is another's.
    pub(crate) fn take_needed_by(&self) -> Option<Arc<SessionCell>> {
        std::mem::take(&mut *self.ahead.needed_by.lock()).upgrade()
    }

    /// Before a flush writes: these bytes are the log's from now on, and no zero is on its way to them on return.
    pub(crate) fn claim_fresh(&self, file: u16, offset: u64, bytes: u64, end: LogPos) {
        if end.0 >= self.ahead.wake_at.load(Ordering::Relaxed) {
            self.ahead.wake_at.store(u64::MAX, Ordering::Relaxed);
            self.kick_ahead();
        }
        if !self.ahead.busy.load(Ordering::Acquire) {
            self.ahead.met_fresh.store(false, Ordering::Relaxed);
            return;
        }
        let stop = offset + bytes;
        let (blocked, met) = self.with_fresh(|f| {
            let before = f.missed();
            (f.claim(file, offset, stop), f.missed() > before)
        });
        self.ahead.met_fresh.store(met, Ordering::Relaxed);
        if blocked {
            self.wait_for_piece(file, offset, stop);
        }
    }

    /// Returns when no zeroing write is in flight in the range. A thread that began one by itself ends it.
    fn wait_for_piece(&self, file: u16, start: u64, end: u64) {
        let mut fresh = self.ahead.fresh.lock();
        while fresh.0.blocks(file, start, end) {
            if fresh.1 == Some(std::thread::current().id()) {
                drop(fresh);
                self.end_ahead();
                fresh = self.ahead.fresh.lock();
            } else {
                self.ahead.ended.wait(&mut fresh);
            }
        }
    }

    /// A file is cut at `from`, or given up: call it before, with the VLFs behind it out of use.
    pub(crate) fn forget_fresh(&self, file: u16, from: u64) {
        let in_flight = self.with_fresh(|f| f.forget(file, from));
        if in_flight {
            self.wait_for_piece(file, from, u64::MAX);
        }
        self.ahead.reserved.lock().remove(&usize::from(file));
    }

    /// Ends zeroing for good: nothing is written on return.
    pub(crate) fn close_ahead(&self) {
        self.with_fresh(|f| f.forget_all());
        let piece = self.ahead.fresh.lock().0.in_flight();
        if let Some(p) = piece {
            self.wait_for_piece(p.file, p.start, p.end);
        }
        self.stop_ahead();
    }

    /// File and offset of the head.
    fn head_place(&self) -> (u16, u64) {
        let state = self.lock();
        let head = state.table.head();
        (head.place.file, head.offset_of(state.open.start))
    }

    /// First half of zeroing a piece: its write begins. False: there is nothing to zero.
    pub fn begin_ahead(&self) -> bool {
        if self.is_failed() {
            return false;
        }
        let head = self.head_place();
        let piece = {
            let mut fresh = self.ahead.fresh.lock();
            let Some(piece) = fresh.0.begin(head, PIECE) else { return false };
            fresh.1 = Some(std::thread::current().id());
            piece
        };
        let Piece { file, start, end } = piece;
        let len = (end - start) as usize;
        let spare = self.ahead.zeroes.lock().take().filter(|b| b.len() >= len);
        let buf = spare.unwrap_or_else(|| AlignedBuf::zeroed(len));
        let op = WriteOp { token: start, offset: start, buf, len };
        let _why = IoReason::LogInitialization.begin();
        if let Err(e) = self.volume(file).submit(vec![op]) {
            // Nothing is in flight then.
            self.piece_ended();
            self.zeroing_failed(file, &e);
            return false;
        }
        true
    }

    /// Second half: waits for the write's end.
    pub fn end_ahead(&self) {
        let Some(piece) = self.ahead.fresh.lock().0.in_flight() else { return };
        let done = self.volume(piece.file).reap(1);
        self.piece_ended();
        let failed = match done {
            Ok(done) => done.into_iter().find_map(|d| {
                *self.ahead.zeroes.lock() = Some(d.buf);
                d.result.err()
            }),
            Err(e) => Some(e),
        };
        if let Some(e) = failed {
            self.zeroing_failed(piece.file, &e);
        }
    }

    fn piece_ended(&self) {
        {
            let mut fresh = self.ahead.fresh.lock();
            fresh.0.end();
            fresh.1 = None;
            self.ahead.busy.store(!fresh.0.is_idle(), Ordering::Release);
        }
        self.ahead.ended.notify_all();
    }

    /// A full disk only ends the zeroing; a device that fails is not to be trusted further.
    fn zeroing_failed(&self, file: u16, e: &IoError) {
        self.with_fresh(|f| f.forget(file, 0));
        if !is_refusal(e) {
            self.fail(e);
        }
    }

    /// Makes what was zeroed so far count: one sync of each file.
    pub fn sync_ahead(&self) {
        let files = self.ahead.fresh.lock().0.unsynced_files();
        let _why = IoReason::LogInitialization.begin();
        for (file, bytes) in files {
            if self.is_failed() {
                return;
            }
            let volume = self.volumes.read().get(usize::from(file)).cloned();
            match volume.map(|v| v.sync()) {
                Some(Ok(())) => self.ahead.fresh.lock().0.synced(file, bytes),
                // Removed meanwhile.
                None => {}
                Some(Err(e)) if e.is_not_found() => {}
                Some(Err(e)) => return self.fail(&e),
            }
        }
    }

    /// How much may be left of the log when the next growth begins; `None` when it would not grow.
    pub(crate) fn lead(&self) -> Option<u64> {
        let by = self.next_increment()?;
        Some((self.space().total / 8).clamp(256 << 10, 64 << 20).min(by))
    }

    /// Makes the next growth if the log is nearly full and only growth will help. True when it grew.
    pub fn grow_ahead(&self) -> bool {
        if self.initialization() != Initialization::Ahead || self.is_failed() {
            return false;
        }
        let Some(lead) = self.lead() else { return false };
        let (free, at) = {
            let state = self.lock();
            (state.free(), state.open.start)
        };
        if free > lead {
            // Before the new mark: whoever comes behind that one is noted.
            *self.ahead.needed_by.lock() = Weak::new();
            self.ahead.wake_at.store(at + (free - lead), Ordering::Relaxed);
            return false;
        }
        let now = self.env.clock.monotonic().as_nanos() as u64;
        let grew = now >= self.ahead.retry_at.load(Ordering::Relaxed) && self.grow_for_lead();
        if !grew {
            // Looked at again when half of what is left has gone.
            self.ahead.wake_at.store(at + free / 2 + 4096, Ordering::Relaxed);
        }
        grew
    }

    /// Zeroes a piece, or makes the next growth. Returns how long nothing has to be done.
    pub fn ahead_tick(&self) -> Duration {
        if self.grow_ahead() {
            return Duration::ZERO;
        }
        if self.begin_ahead() {
            self.end_ahead();
            if self.ahead.fresh.lock().0.unsynced() >= SYNC_EVERY {
                self.sync_ahead();
            }
            return Duration::ZERO;
        }
        self.sync_ahead();
        IDLE
    }

    /// [`Log::ahead_tick`], with a rest after it while the log is in use and the head is far.
    fn paced_tick(&self, idle: bool) -> Duration {
        let began = Moment::now();
        let pause = self.ahead_tick();
        if idle || !pause.is_zero() {
            return pause;
        }
        let head = self.head_place();
        match self.ahead.fresh.lock().0.clear_ahead(head) {
            near if near < COMFORTABLE => pause,
            _ => Duration::from_nanos(4 * Moment::now().since(began)),
        }
    }

    /// Runs in the calling thread until [`Log::stop_writer`].
    pub fn run_ahead(&self) {
        *self.ahead.thread.lock() = Some(std::thread::current());
        let counters = &self.options.counters;
        let flushed = || (counters.log_flushes.get(), counters.log_bytes_flushed.get());
        let (mut last, mut seen, mut bulk) = (flushed(), flushed().0, false);
        let mut used = Moment::now();
        while !self.ahead.stopping.load(Ordering::Acquire) && !self.is_failed() {
            while self.ahead.help.swap(false, Ordering::AcqRel) {
                self.help_writer();
            }
            let now = flushed();
            if now.0 >= last.0 + 8 {
                bulk = (now.1 - last.1) / (now.0 - last.0) > BULK_WRITE;
                last = now;
            }
            if std::mem::replace(&mut seen, now.0) != now.0 {
                used = Moment::now();
            }
            let idle = Duration::from_nanos(Moment::now().since(used)) > UNUSED;
            let pause = match bulk && !idle && self.ahead.busy.load(Ordering::Acquire) {
                true if self.grow_ahead() => Duration::ZERO,
                true => Duration::from_millis(5),
                false => self.paced_tick(idle),
            };
            if !pause.is_zero() && !self.ahead.kicked.swap(false, Ordering::AcqRel) {
                let idle = taffrail_observe::wait(taffrail_observe::WaitType::SleepTask);
                thread::park_timeout(pause);
                drop(idle);
                self.ahead.kicked.store(false, Ordering::Release);
            }
        }
        *self.ahead.thread.lock() = None;
    }

    pub(crate) fn stop_ahead(&self) {
        self.ahead.stopping.store(true, Ordering::Release);
        self.kick_ahead();
    }

    /// Full blocks that nobody waits for are to be written plainly: a hint, by where the last write went.
    pub(crate) fn writes_plainly(&self) -> bool {
        self.options.always_plain || self.ahead.met_fresh.load(Ordering::Relaxed)
    }

    /// The writer has more full blocks to write than it can at once: this thread takes some of them.
    pub(crate) fn ask_for_help(&self) {
        if !self.ahead.help.swap(true, Ordering::AcqRel) {
            self.kick_ahead();
        }
    }

    pub(crate) fn kick_ahead(&self) {
        if self.ahead.kicked.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Some(sleeper) = &*self.ahead.thread.lock() {
            thread::unpark(sleeper);
        }
    }
}
