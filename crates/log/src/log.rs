//! The log itself: what its parts share, and the questions that it answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::LogError;
use crate::fair::RwLock;
use taffrail_base::sync::{Condvar, Mutex};
use taffrail_base::{LogPos, Lsn};
use taffrail_io::{AlignedBuf, Env, IoError, UtcTime, Volume};

use crate::ahead::Ahead;
use crate::anchor::LogAnchor;
use crate::cache::{OpenBlock, Recent, State};
use crate::company::Company;
use crate::directory::{FILE_HEADER_BYTES, HALF, Root, parse_vlf_header};
use crate::files::{LogFileInfo, LogFiles};
use crate::flush::FlushCore;
use crate::options::LogOptions;
use crate::pieces::Share;
use crate::retried::read_retried;
use crate::reuse::Reuse;
use crate::room::Margins;
use crate::vlf::{ActiveVlf, VlfInfo, VlfTable};
use crate::writer::WriterSlot;

/// Bytes of the largest joined write.
const WRITE_BYTES_MAX: u64 = 1 << 20;
/// Full blocks of so many bytes are worth a write that nobody waits for.
const WRITER_BYTES: u64 = 480 << 10;

/// Sizes of the log, bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogSpace {
    /// Bytes of all files.
    pub total: u64,
    /// All VLFs: the files without their headers. What views and counters show as the log's size.
    pub usable: u64,
    /// In use: from the oldest active VLF to the head.
    pub used: u64,
    /// Bytes that transactions have reserved for their rollback.
    pub reserved: u64,
    /// Bytes that can be written before the log has to grow.
    pub free: u64,
}

/// Where a log that is being opened ends.
pub(crate) struct End {
    pub pos: LogPos,
    pub last_crc: u32,
    pub last_record: LogPos,
    pub checkpoint: LogPos,
}

/// A database's transaction log. See the crate's text.
///
/// Locks, in the order in which they are taken: `files` (held during a growth), `uses_noted`, the holders', `infos`, `state`, a place of
/// `recent` or a part of `fetched`. No lock is held during a flush.
pub struct Log {
    pub(crate) env: Env,
    pub(crate) options: LogOptions,
    pub(crate) sector: usize,
    pub(crate) margins: Margins,
    pub(crate) fork: [u8; 16],
    /// The block that a restore put first; zero: none did.
    first_restored: Lsn,
    pub(crate) state: Mutex<State>,
    pub(crate) buffers_free: Condvar,
    pub(crate) files: Mutex<LogFiles>,
    pub(crate) volumes: RwLock<Vec<Arc<dyn Volume>>>,
    /// Goes up when files come or go.
    pub(crate) membership: AtomicU64,
    pub(crate) durable: AtomicU64,
    pub(crate) appended: AtomicU64,
    pub(crate) failed: AtomicBool,
    pub(crate) failure: Mutex<Option<IoError>>,
    pub(crate) lazy_armed: AtomicBool,
    pub(crate) released_armed: AtomicBool,
    pub(crate) company: Company,
    pub(crate) writer: WriterSlot,
    pub(crate) writer_bytes: u64,
    pub(crate) reuse: Reuse,
    pub(crate) ahead: Ahead,
    /// Since a restart, until the VLFs' advisory headers were looked at: up to which sequence number last uses are known
    /// without them.
    uses_noted: Mutex<Option<u32>>,
    /// The files as views show them, so that they need not wait for a growth.
    infos: Mutex<Vec<LogFileInfo>>,
    /// The closed blocks of the state, for who reads without its mutex.
    pub(crate) recent: Arc<Recent>,
    pub(crate) fetched: Share,
}

impl Log {
    pub(crate) fn assemble(
        env: &Env,
        options: LogOptions,
        files: LogFiles,
        mut table: VlfTable,
        end: End,
    ) -> Arc<Log> {
        table.note_pages(&files.chain);
        let root = &files.root;
        let (sector, incarnation, fork) = (root.sector as usize, root.incarnation, root.fork);
        let (uses_noted, first_restored) = (root.noted, root.first);
        let core = FlushCore::new(end.pos, options.flushes_in_flight, WRITE_BYTES_MAX);
        let state = State::new(
            table,
            core,
            end.pos,
            end.last_crc,
            end.last_record,
            sector,
            incarnation,
            fork,
            options.buffers,
        );
        state.check();
        let infos = files.infos();
        let ahead = Ahead::new(
            &files,
            &state.table,
            end.pos,
            options.initialization,
            options.vlf_algorithm,
        );
        let (recent, fetched) = (Arc::clone(&state.recent), Share::new(&options.pieces));
        // A ring smaller than usual (tests) is written sooner.
        let writer_bytes = WRITER_BYTES.min(options.buffers as u64 * (60 << 10) / 2);
        let log = Arc::new(Log {
            env: env.clone(),
            sector,
            margins: Margins::new(sector, options.forced_flush_distance),
            fork,
            first_restored,
            volumes: RwLock::new(files.volumes.clone()),
            state: Mutex::new(state),
            buffers_free: Condvar::new(),
            files: Mutex::new(files),
            membership: AtomicU64::new(0),
            durable: AtomicU64::new(end.pos.0),
            appended: AtomicU64::new(end.pos.0),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
            lazy_armed: AtomicBool::new(false),
            released_armed: AtomicBool::new(false),
            company: Company::default(),
            writer: WriterSlot::default(),
            writer_bytes,
            reuse: Reuse::new(end.checkpoint),
            ahead,
            uses_noted: Mutex::new(Some(uses_noted)),
            infos: Mutex::new(infos),
            recent,
            fetched,
            options,
        });
        log.set_size_counters();
        log
    }

    /// Everything before it is on the medium.
    pub fn durable(&self) -> LogPos {
        LogPos(self.durable.load(Ordering::Acquire))
    }

    /// Everything appended so far lies before it; the next record will be at or after it.
    pub fn appended(&self) -> LogPos {
        LogPos(self.appended.load(Ordering::Acquire))
    }

    /// The last record appended; [`LogPos::ZERO`] in a log that has none (since its anchor).
    pub fn last_record(&self) -> LogPos {
        self.lock().last_record
    }

    /// The moment of the newest record that says one, of those that were read or appended since the log was opened.
    pub fn last_moment(&self) -> UtcTime {
        self.lock().moments.last
    }

    /// True after an I/O error: every later call fails.
    pub fn is_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// The I/O error that made the log fail.
    pub fn failure(&self) -> Option<IoError> {
        self.failure.lock().as_ref().map(IoError::duplicate)
    }

    /// The settings it was opened with.
    pub fn options(&self) -> &LogOptions {
        &self.options
    }

    /// The log's sector: blocks are multiples of it.
    pub fn sector_bytes(&self) -> usize {
        self.sector
    }

    /// The log is that of a database of this GUID from now on: a copy, whose log goes on with the original's. Durable on return.
    /// [`LogError::Specification`]: the names of the log's files leave no room for it.
    pub fn set_copied(&self, guid: [u8; 16]) -> Result<(), LogError> {
        let mut files = self.files.lock();
        let root = Root { copied: guid, ..files.root.clone() };
        if !Root::from_bytes(&root.to_bytes()).is_ok_and(|kept| kept.copied == guid) {
            let why = "the names of the log's files leave no room for the GUID of a copy";
            return Err(LogError::Specification(why.into()));
        }
        files.write_root_for_good(|root| root.copied = guid)
    }

    /// The recovery fork's GUID.
    pub fn fork(&self) -> [u8; 16] {
        self.fork
    }

    pub(crate) fn volume(&self, file: u16) -> Arc<dyn Volume> {
        Arc::clone(&self.volumes.read()[usize::from(file)])
    }

    pub(crate) fn all_volumes(&self) -> Vec<Arc<dyn Volume>> {
        self.volumes.read().clone()
    }

    /// The anchor by which the boot page finds `pos` again: the position of a record, or [`Log::appended`]. `None`: it lies before
    /// the oldest active VLF.
    pub fn anchor_at(&self, pos: LogPos) -> Option<LogAnchor> {
        let state = self.lock();
        let vlf = state.table.find(pos)?;
        let in_open = pos.block().0 >= state.open.start;
        Some(LogAnchor {
            pos,
            durable: state.core.durable(),
            vlf: vlf.place,
            seqno: taffrail_base::VlfSeqNo(vlf.seqno),
            start: LogPos(vlf.start),
            before: in_open.then_some((state.last_crc, state.incarnation)),
        })
    }

    /// The LSN of a position, or of what comes next at or after it (the exclusive end of a backup); `None` when its VLF is not
    /// active any more.
    pub fn lsn(&self, pos: LogPos) -> Option<Lsn> {
        if pos.is_zero() {
            return None;
        }
        self.lock().table.find(pos).map(|v| v.lsn(pos))
    }

    /// The position of an LSN; `None` when its VLF is not active, or it lies outside of it.
    pub fn pos_of(&self, lsn: Lsn) -> Option<LogPos> {
        let state = self.lock();
        let vlf = state.table.find_seqno(lsn.vlf.0)?;
        let pos = vlf.start + u64::from(lsn.block.0) * 512 + u64::from(lsn.slot);
        (u64::from(lsn.slot) < 512 && pos < vlf.end()).then_some(LogPos(pos))
    }

    /// The position of the first block of the oldest active VLF; in a log that a restore has made, not before what was restored.
    pub fn oldest(&self) -> LogPos {
        let restored = self.pos_of(self.first_restored).unwrap_or(LogPos::ZERO);
        restored.max(LogPos(self.lock().table.tail().first_block()))
    }

    /// Every VLF, in file order. The first call after a restart reads the headers of those that were used since the
    /// directory noted last uses.
    pub fn vlfs(&self) -> Vec<VlfInfo> {
        self.read_vlf_headers();
        let mut infos = self.lock().table.infos();
        infos.iter_mut().for_each(|v| v.begin_at(self.first_restored));
        infos
    }

    /// Finds out what VLFs were last used for that were let go again since the directory was written, by following their
    /// headers backward: each names the VLF before it. Advisory: what cannot be read shows as the directory knows it.
    pub(crate) fn read_vlf_headers(&self) {
        let mut noted = self.uses_noted.lock();
        let Some(upto) = noted.take() else { return };
        let (mut at, mut seqno) = {
            let state = self.lock();
            let tail = state.table.tail();
            ((tail.place.file, tail.place.offset), tail.seqno)
        };
        let mut buf = AlignedBuf::zeroed(HALF);
        while seqno > upto {
            let volume = self.volume(at.0);
            if read_retried(&*volume, at.1 + HALF as u64, &mut buf).is_err() {
                return;
            }
            let Some(h) = parse_vlf_header(&buf, self.fork).filter(|h| h.seqno == seqno) else {
                return;
            };
            // The first one is active: what it says of itself is known.
            let mut state = self.lock();
            let known = state.table.find_seqno(seqno).is_some();
            if !known && !state.table.note_last_use(at, h.size, h.seqno, h.parity) {
                return;
            }
            let Some(before) = h.before.filter(|b| state.table.knows(*b)) else { return };
            (at, seqno) = (before, seqno - 1);
        }
    }

    /// How many VLFs there are.
    pub fn vlf_count(&self) -> usize {
        self.lock().table.len()
    }

    pub(crate) fn used_of(state: &State) -> u64 {
        let head = state.table.head();
        let open = OpenBlock::closed_len(state.open.used, state.open.records, state.sector);
        let written = state.open.start + open as u64 - head.start;
        head.start - state.table.tail().start + written
    }

    /// Bytes of all files, and how many files there are.
    fn total(&self) -> (u64, u64) {
        let infos = self.infos.lock();
        (infos.iter().map(|f| f.size).sum(), infos.len() as u64)
    }

    /// Bytes of the buffers of its cache.
    pub fn cache_bytes(&self) -> u64 {
        self.lock().buffer_bytes()
    }

    /// Sizes of the log and its parts.
    pub fn space(&self) -> LogSpace {
        let (total, files) = self.total();
        let state = self.lock();
        LogSpace {
            total,
            usable: total - files * FILE_HEADER_BYTES,
            used: Log::used_of(&state),
            reserved: state.reserved,
            free: state.free(),
        }
    }

    /// The place behind the end of the log in its VLF, of a log that nobody appends to: the number of its file, where it begins, and the
    /// VLF's end. Whatever is there is read by nobody.
    pub fn behind_end(&self) -> (usize, u64, u64) {
        let state = self.lock();
        let head = state.table.head();
        let open = OpenBlock::closed_len(state.open.used, state.open.records, state.sector);
        let end = head.offset_of(state.open.start + open as u64);
        (head.place.file.into(), end, head.place.offset + head.place.size)
    }

    /// Bytes of active log in a file, VLFs' headers included; of all files together as many as [`LogSpace::used`].
    pub fn used_in_file(&self, file: usize) -> u64 {
        let state = self.lock();
        let head = state.table.head();
        let before_head = head.start - state.table.tail().start;
        let in_head = Log::used_of(&state) - before_head;
        let of = |v: &ActiveVlf| if v.start == head.start { in_head } else { v.place.size };
        state.table.active().filter(|v| usize::from(v.place.file) == file).map(of).sum()
    }

    /// The files as views show them.
    pub fn files(&self) -> Vec<LogFileInfo> {
        self.infos.lock().clone()
    }

    /// Sizes or settings of the files changed.
    pub(crate) fn note_files(&self, files: &LogFiles) {
        *self.infos.lock() = files.infos();
        self.set_size_counters();
    }

    /// Brings the counters of sizes up to date: at growth and truncation, and for readers of the counters.
    pub fn set_size_counters(&self) {
        let space = self.space();
        self.options.counters.log_files_size_kb.set((space.usable / 1024) as i64);
        self.options.counters.log_files_used_size_kb.set((space.used / 1024) as i64);
    }
}
