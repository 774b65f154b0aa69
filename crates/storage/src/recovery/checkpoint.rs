//! Checkpoints.
//!
//! 1. Room in the log for all records of the checkpoint, or none is appended.
//! 2. Row counts that changed go into the directory, changed extents into the DIFF pages. LOP_BEGIN_CKPT, then
//!    LOP_XACT_CKPT with the transactions that have not ended.
//! 3. Every page that is dirty now is written; pages that become dirty meanwhile may stay. Or, when it is only to keep redo short
//!    ([`super::pace`]), every page that has been dirty for long. A checkpoint that was given a time spreads the writes over it, as long
//!    as nobody waits for the next one.
//! 4. LOP_END_CKPT with MinLSN; the log is hardened up to it.
//! 5. One sync per file, then the other copy of the boot page, durably. From here on restart begins at the new place.
//! 6. The log is truncated.
//!
//! The position that redo scans from is the least of: where the log ended before step 1, and the first change of each page that is dirty
//! at the end of step 3. MinLSN is the least of that and the first records of active transactions. A checkpoint of a temporary database
//! writes nothing: it only lets go of log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use taffrail_base::{LogPos, PAGE_BYTES, SqlError};
use taffrail_io::{AlignedBuf, IoReason};
use taffrail_log::{FlushReason, Hold, Lcx, Lop, Moment, RecordHeader, ReuseWait};
use taffrail_observe::{Event, EventRing, xe};

use super::boot::{Boot, BootFile, FORMAT_VERSION};
use super::checkpoint_told::Told;
use super::create::{boot_page, io_error};
use crate::access::record::xact;
use crate::buffer::Unhardened;
use crate::codec::Put;
use crate::database::{CheckpointKind, Database, FileKind};
use crate::error::{StorageError, StorageResult};
use crate::txn::table::ActiveTxn;

/// Leaves whose ghosts are removed in one background tick.
const CLEAN_AT_ONCE: usize = 512;
/// VLFs taken into use until a checkpoint notes in the log's directory what they were used for, so that a restart after a
/// crash has few headers to look at.
const VLF_USES: u32 = 512;
/// The payload of LOP_BEGIN_CKPT, bytes.
const BEGIN_BYTES: usize = 16;
/// The payload of LOP_END_CKPT, bytes.
const END_BYTES: usize = 28;
/// The longest pause between two batches of a checkpoint that has time, before it looks again whether somebody waits for it.
const PAUSE_MOST: Duration = Duration::from_millis(20);
/// Share of the log in use, in percent, that brings on a checkpoint where that may free some of it.
const LOG_USED_PERCENT: u64 = 70;

/// Which dirty pages a checkpoint writes.
#[derive(Clone, Copy)]
enum Sweep<'a> {
    /// All, one after the other.
    All,
    /// All, spread over a time.
    Within(Duration, &'a dyn Fn(Duration) -> bool),
    /// Those dirty since before this position.
    DirtyBefore(LogPos),
}

/// The kinds of background work.
#[derive(Clone, Copy)]
pub(crate) enum Background {
    Checkpoint,
    GhostCleanup,
    DeferredDrop,
}

impl Background {
    /// How many there are.
    pub const KINDS: usize = 3;

    fn name(self) -> &'static str {
        match self {
            Background::Checkpoint => "checkpoint",
            Background::GhostCleanup => "ghost cleanup",
            Background::DeferredDrop => "deferred drop",
        }
    }
}

impl Database {
    /// Takes a checkpoint now.
    pub fn checkpoint(self: &Arc<Self>, kind: CheckpointKind) -> StorageResult<()> {
        let _one = self.lock_checkpoints();
        self.checkpoint_alone(kind)
    }

    /// Takes a checkpoint that writes its pages over a time, rather than one after the other: `CHECKPOINT seconds`. It ends as soon
    /// as it can where another one is wanted. `pause` lets that much time go by, or less; false: it need not wait any more.
    pub fn checkpoint_within(
        self: &Arc<Self>,
        time: Duration,
        pause: &dyn Fn(Duration) -> bool,
    ) -> StorageResult<()> {
        let _one = self.lock_checkpoints();
        self.checkpoint_sweep(CheckpointKind::Manual, Sweep::Within(time, pause))
    }

    /// As [`Self::checkpoint`], for a caller that holds `checkpointing`.
    pub(crate) fn checkpoint_alone(self: &Arc<Self>, kind: CheckpointKind) -> StorageResult<()> {
        self.checkpoint_sweep(kind, Sweep::All)
    }

    fn checkpoint_sweep(
        self: &Arc<Self>,
        kind: CheckpointKind,
        sweep: Sweep<'_>,
    ) -> StorageResult<()> {
        self.store.check()?;
        let result = self.take_checkpoint(kind, sweep);
        if let Err(e) = &result
            && e.is_fatal_to_database()
        {
            self.store.mark_suspect(format!("a checkpoint failed: {e}"));
        }
        result
    }

    fn take_checkpoint(
        self: &Arc<Self>,
        kind: CheckpointKind,
        sweep: Sweep<'_>,
    ) -> StorageResult<()> {
        let store = &self.store;
        let log = store.log();
        let started = self.instance.env.clock.monotonic();
        let _why = IoReason::Checkpoint.begin();
        let floor = log.appended();
        // One that is refused has appended nothing.
        self.make_checkpoint_room()?;
        if !store.temporary {
            match self.flush_counts() {
                Ok(()) => {}
                // The room kept for checkpoints holds the counts of some thirty tables. For more, a full disk must not stop the
                // checkpoint that makes room in a full log: these counts are off should the machine fail before the next one.
                Err(StorageError::LogFull(_)) if log.checkpoint_would_free() => {}
                Err(e) => return Err(e),
            }
            self.write_changed_maps()?;
            self.make_checkpoint_room()?;
        }
        if xe::wanted(xe::Event::CheckpointBegin) {
            xe::tell(xe::Event::CheckpointBegin, &[self.id().0.into()]);
        }
        let told = Told::begins(self);
        let (begin, active) = self.begin_checkpoint()?;
        self.list_active(&active)?;
        told.phase_one();
        let written = self.sweep(sweep)?;
        told.swept(self, begin, written);
        let mut scan_from = floor;
        if !store.temporary
            && let (Some(oldest), _) = store.oldest_dirty(self.pool())
        {
            scan_from = scan_from.min(oldest);
        }
        let first = active.iter().map(|t| t.first).min();
        let min = first.map_or(scan_from, |f| f.min(scan_from));
        let mut payload = Vec::with_capacity(END_BYTES);
        // The moment; the log fills it in.
        payload.u64(0);
        payload.u64(begin.0);
        payload.u64(min.0);
        payload.u32(written as u32);
        let end = self.append_checkpoint(Lop::EndCkpt, &payload)?;
        log.harden(end, FlushReason::Checkpoint).map_err(|e| store.log_error(e))?;
        if !store.temporary {
            self.switch_boot(begin, scan_from, min)?;
        }
        log.set_checkpoint(min);
        log.truncate();
        log.note_vlf_uses(VLF_USES).map_err(|e| store.log_error(e))?;
        store.rarities.checkpoints.fetch_add(1, Ordering::Relaxed);
        store.counters.checkpoints.inc();
        let took = self.instance.env.clock.monotonic().saturating_sub(started);
        told.complete();
        self.note_checkpoint(kind, begin, written as u64, took);
        Ok(())
    }

    /// Writes pages; how many.
    fn sweep(&self, sweep: Sweep<'_>) -> StorageResult<usize> {
        let (store, pool) = (&self.store, self.pool());
        match sweep {
            _ if store.temporary => Ok(0),
            Sweep::All => store.write_all_dirty(pool, &mut |_, _| {}),
            Sweep::Within(time, pause) => {
                let clock = &self.instance.env.clock;
                let began = clock.monotonic();
                store.write_all_dirty(pool, &mut |done, all| {
                    let due = time.mul_f64(done as f64 / all.max(1) as f64);
                    // Behind the last batch there is nothing to wait for.
                    loop {
                        let spent = clock.monotonic().saturating_sub(began);
                        let hurry = self.is_checkpoint_wanted() || store.check().is_err();
                        if done >= all
                            || spent >= due
                            || hurry
                            || !pause((due - spent).min(PAUSE_MOST))
                        {
                            break;
                        }
                    }
                })
            }
            Sweep::DirtyBefore(pos) => {
                let mut due = store.dirty_before(pool, pos);
                store.write_frames(pool, &mut due, Unhardened::Written)
            }
        }
    }

    /// The begin record, and who had not ended there.
    pub(super) fn begin_checkpoint(&self) -> StorageResult<(LogPos, Vec<ActiveTxn>)> {
        let mut payload = Vec::with_capacity(BEGIN_BYTES);
        // The moment; the log fills it in.
        payload.u64(0);
        payload.u64(self.txns.next_id());
        let begin = self.append_checkpoint(Lop::BeginCkpt, &payload)?;
        Ok((begin, self.txns.snapshot()))
    }

    /// Their list. Others go on meanwhile: between the begin record and this one some of those named may end, and others begin. What
    /// that means to whoever reads it: [`super::analysis`].
    pub(super) fn list_active(&self, active: &[ActiveTxn]) -> StorageResult<()> {
        for part in active.chunks(xact::XACTS_PER_RECORD) {
            self.append_checkpoint(Lop::XactCkpt, &xact::encode_active(part))?;
        }
        Ok(())
    }

    fn note_checkpoint(&self, kind: CheckpointKind, begin: LogPos, pages: u64, took: Duration) {
        self.pool().counters.checkpoint_pages.add(pages);
        EventRing::global().push(Event::Checkpoint {
            database: self.id(),
            automatic: kind.is_automatic(),
            reason: kind.name(),
            begin,
            pages: pages as u32,
            ns: took.as_nanos() as u64,
        });
    }

    /// A checkpoint that could be begun but not ended would spend the log kept for checkpoints each time it is tried, until none
    /// can be taken and nothing is freed any more.
    fn make_checkpoint_room(&self) -> StorageResult<()> {
        // Some transactions may begin until they are noted.
        let active = self.txns.len() + 16;
        let mut payloads = vec![BEGIN_BYTES, END_BYTES];
        let full = active / xact::XACTS_PER_RECORD;
        payloads.resize(2 + full, xact::active_bytes(xact::XACTS_PER_RECORD));
        payloads.push(xact::active_bytes(active % xact::XACTS_PER_RECORD));
        self.store.log().make_system_room(&payloads).map_err(|e| self.store.append_error(e))
    }

    fn append_checkpoint(&self, op: Lop, payload: &[u8]) -> StorageResult<LogPos> {
        let header = RecordHeader::new(op, Lcx::Null);
        let moment = match op {
            Lop::BeginCkpt | Lop::EndCkpt => Moment::Now,
            _ => Moment::None,
        };
        let appended = self.store.log().append_system_at(&header, &[payload], moment);
        let pos = appended.map_err(|e| self.store.append_error(e))?;
        if xe::wanted(xe::Event::TransactionLog) {
            let bytes = header.encoded_len() + payload.len();
            crate::txn::told::record(self, None, &header, bytes as u64);
        }
        Ok(pos)
    }

    /// Step 5: nothing is being written in place while it runs, so that a page whose write went unprotected is durable before
    /// redo no longer begins early enough to build it anew.
    fn switch_boot(&self, begin: LogPos, scan_from: LogPos, min: LogPos) -> StorageResult<()> {
        let log = self.store.log();
        let Some(anchor) = log.anchor_at(min) else {
            // Every later checkpoint would find the same.
            const WHY: &str = "the log does not reach back to MinLSN";
            self.store.mark_suspect(WHY.to_owned());
            return Err(StorageError::Misuse(WHY));
        };
        let anchor = anchor.to_bytes();
        let lsn = log.lsn(begin).unwrap_or_default();
        self.store.with_writer_idle(|| {
            self.store.sync_files()?;
            self.write_boot(|boot| {
                boot.checkpoint = begin;
                boot.checkpoint_lsn = lsn;
                boot.scan_from = scan_from;
                boot.min = min;
                boot.anchor = anchor;
            })?;
            self.store.durable_min.store(scan_from.0, Ordering::Release);
            Ok(())
        })
    }

    /// Changes the boot page outside of a checkpoint.
    pub(crate) fn save_boot(&self, f: impl FnOnce(&mut Boot)) -> StorageResult<()> {
        if self.store.temporary {
            f(&mut self.boot.lock());
            return Ok(());
        }
        self.write_boot(f)
    }

    /// Writes the boot page's other copy. The one in memory changes only if that succeeds.
    fn write_boot(&self, f: impl FnOnce(&mut Boot)) -> StorageResult<()> {
        let mut current = self.boot.lock();
        // Under the mutex, which whoever closes the database takes too.
        self.store.check()?;
        let mut boot = current.clone();
        f(&mut boot);
        boot.sequence += 1;
        boot.version = FORMAT_VERSION;
        boot.next_transaction = self.txns.next_id();
        boot.next_hobt = self.next_hobt.load(Ordering::Relaxed);
        boot.log_chain = LogPos(self.log_chain.load(Ordering::Acquire));
        boot.redo_rate = self.instance.redo_rate.kept();
        self.update_boot_files(&mut boot.files)?;
        let id = boot_page(boot.sequence);
        let Some(page) = boot.encode(id) else {
            return Err(StorageError::Misuse("the names of the files do not fit the boot page"));
        };
        let buf = AlignedBuf::from_slice(page.bytes());
        let file = self.store.primary();
        let _why = IoReason::BootPage.begin();
        let written = file
            .volume
            .write_durable(id.file_offset(), &[std::io::IoSlice::new(&buf)])
            .map_err(|e| io_error("write", e));
        if let Err(e) = written {
            self.store.mark_suspect(e.to_string());
            return Err(e);
        }
        self.saved_chain.store(boot.log_chain.0, Ordering::Release);
        self.log_backup_time.store(boot.backup.last_log_backup.0, Ordering::Release);
        *current = boot;
        Ok(())
    }

    /// A data file's size goes into the boot page only when its record, and with it those of the new part's maps, is durable.
    fn update_boot_files(&self, files: &mut [BootFile]) -> StorageResult<()> {
        for f in files.iter_mut().filter(|f| f.kind == FileKind::Rows) {
            if let Some(file) = self.store.file(f.id) {
                let (pages, record) = file.size();
                if !record.is_zero() {
                    let log = self.store.log();
                    log.harden(record, FlushReason::Checkpoint)
                        .map_err(|e| self.store.log_error(e))?;
                }
                f.pages = pages;
            }
        }
        Ok(())
    }

    /// Tells the log who may need it: active transactions, and the chain of log backups. What the chain has let go of is kept
    /// until the boot page says so: a restart goes on from what that says.
    pub(crate) fn register_log_holders(&self) {
        let txns = self.txns.clone();
        self.store.log().register_holder(Box::new(move || {
            txns.oldest_position().map(|pos| Hold { wait: ReuseWait::ActiveTransaction, pos })
        }));
        let txns = self.txns.clone();
        self.store.log().register_oldest_begin(Box::new(move || txns.oldest_begin()));
        let chain = [self.log_chain.clone(), self.saved_chain.clone()];
        self.store.log().register_holder(Box::new(move || {
            let needed = chain.iter().map(|pos| LogPos(pos.load(Ordering::Acquire)));
            let pos = needed.filter(|pos| !pos.is_zero()).min()?;
            Some(Hold { wait: ReuseWait::LogBackup, pos })
        }));
    }

    /// True when a checkpoint is due: redo would take longer than the target, or the log fills up and a checkpoint may free some.
    /// A probe for tests, which do with it by hand what the checkpoint's tick does.
    pub fn needs_checkpoint(&self) -> bool {
        self.due_sweep().is_some()
    }

    /// Why a checkpoint is due, and what it has to write.
    fn due_sweep(&self) -> Option<(CheckpointKind, Sweep<'static>)> {
        if self.store.check().is_err() {
            return None;
        }
        let space = self.store.log().space();
        let crowded = space.used * 100 >= space.total * LOG_USED_PERCENT;
        let waits_for_us = matches!(
            self.store.log().reuse_wait(),
            ReuseWait::Nothing | ReuseWait::Checkpoint | ReuseWait::ActiveTransaction
        );
        let since = self.store.log().appended().since(self.store.log().checkpoint());
        // A checkpoint that changes nothing would only write itself into a log that is full for other reasons.
        if crowded && waits_for_us && since * 8 > space.total {
            return Some((CheckpointKind::LogUse, Sweep::All));
        }
        if !self.store.temporary && self.redo_bytes() > self.redo_limit() {
            return Some(match self.due_before() {
                Some(pos) => (CheckpointKind::RecoveryTarget, Sweep::DirtyBefore(pos)),
                None => (CheckpointKind::RecoveryInterval, Sweep::All),
            });
        }
        self.settling_is_due().then_some((CheckpointKind::Recovered, Sweep::All))
    }

    /// Writes pages that are due, takes a checkpoint when one is, and frees what is left to be freed. Run by a thread of the engine;
    /// returns when to come again.
    pub fn background_tick(self: &Arc<Self>) -> Duration {
        const PAUSE: Duration = Duration::from_millis(100);
        const SOON: Duration = Duration::from_millis(5);
        let _one = self.ticking.lock();
        if self.store.check().is_err() || self.is_emergency() {
            return Duration::from_secs(1);
        }
        self.free_orphans();
        self.sweep_versions();
        // What a cleanup cannot do now stays as it is: ghosts take room, and nothing else.
        let cleaned = self.clean_ghosts(CLEAN_AT_ONCE);
        self.note_background(Background::GhostCleanup, &cleaned);
        if let Some((kind, sweep)) = self.due_sweep() {
            // What makes a checkpoint fail marks the database as suspect, or is a full log.
            let taken = {
                let _one = self.lock_checkpoints();
                self.checkpoint_sweep(kind, sweep)
            };
            self.note_background(Background::Checkpoint, &taken);
            return PAUSE;
        }
        match if self.store.temporary { Ok(false) } else { self.write_due_pages(PAUSE) } {
            Ok(true) => SOON,
            Ok(false) => PAUSE,
            failed => {
                // The same as for a checkpoint.
                self.note_background(Background::Checkpoint, &failed);
                PAUSE
            }
        }
    }

    /// Tells the error log of what failed where nobody waits for it: once, until it succeeds or fails for another reason.
    pub(crate) fn note_background<T>(&self, what: Background, result: &StorageResult<T>) {
        let text = result.as_ref().err().map(|e| format!("{}: {e}", what.name()));
        let mut last = self.background_errors.lock();
        let last = &mut last[what as usize];
        if *last != text {
            if let Some(text) = &text {
                let database = self.store.whose();
                let event = Event::BackgroundError { database, text: text.clone() };
                EventRing::global().push(event);
            }
            *last = text;
        }
    }
}

const _: () = assert!(PAGE_BYTES == 8192);

/// Message 5118 and its like are the engine's; this one is for a boot page that cannot be read.
pub(super) fn not_primary(path: &std::path::Path) -> StorageError {
    StorageError::Sql(SqlError::new(5171, &[&path.display()]))
}
