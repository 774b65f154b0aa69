//! Taking backups, while others write.
//!
//! | kind | pages | log |
//! |---|---|---|
//! | full | every allocated extent | from MinLSN of a checkpoint at its beginning to where it ended when the last page was copied |
//! | differential | of those, the ones that changed since its base | the same |
//! | log | extents that were filled with minimal logging, as they are when it begins | from where the last log backup ended to where it ends now |
//!
//! The pages are of different moments; the log makes them one: redo brings all to its end, undo removes what had not committed by
//! then. While a backup runs it holds the log (ACTIVE_BACKUP_OR_RESTORE), and bulk work is fully logged.
//!
//! What a backup changes in the database, it changes when the set is complete and durable: the base of differentials, the beginning of
//! the log chain. A crash before that leaves a database that does not know of the backup, which is safe: the next one holds more than it
//! need.
//!
//! The map of changed extents begins anew with a full backup, before its first page is read; pages that are dirty then are marked, since
//! their further changes would not be. If the backup fails, what was marked before comes back. On disk the map loses bits only after
//! the boot page names the new base.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{FileId, LogPos, Lsn, PAGE_BYTES};
use taffrail_io::AlignedBuf;
use taffrail_log::{Hold, HolderId, ReuseWait, VlfRange};

use super::error::{BackupError, BackupResult};
use super::media::{BLOCK, CONTENT_MAX, Kind};
use super::pace::Pace;
use super::pages::{CopiedPages, Run};
use super::spec::{BackupFile, BackupKind, BackupReport, BackupSpec, SetHeader, Watch};
use super::state::Base;
use super::writer::SetWriter;
use crate::access::bulk_space::BulkHold;
use crate::codec::Put;
use crate::database::{CheckpointKind, Database, FileKind, RecoveryModel};
use crate::error::{StorageError, StorageResult};
use crate::layout::{EXTENT_PAGES, INTERVAL_PAGES, ml_page};
use crate::page::{BITMAP_BITS, Page};
use crate::recovery::{Boot, FORMAT_VERSION, boot_page};

/// Keeps the whole log for as long as it lives.
struct LogHold<'a>(&'a Database, HolderId);

impl<'a> LogHold<'a> {
    fn new(db: &'a Database) -> LogHold<'a> {
        let log = db.log();
        // The position is asked for under the same order as truncation asks: first registered, then read.
        let oldest = log.oldest();
        let hold = Hold { wait: ReuseWait::ActiveBackupOrRestore, pos: oldest };
        LogHold(db, log.register_holder(Box::new(move || Some(hold))))
    }
}

impl Drop for LogHold<'_> {
    fn drop(&mut self) {
        self.0.log().unregister_holder(self.1);
    }
}

/// Gives the marks of changed extents back unless the full backup succeeds.
struct ChangedMaps<'a> {
    db: &'a Database,
    before: Vec<(FileId, Vec<u64>)>,
    done: bool,
}

impl<'a> ChangedMaps<'a> {
    fn begin_anew(db: &'a Database) -> ChangedMaps<'a> {
        let files = db.store.files();
        let before = files.iter().map(|f| (f.id, std::mem::take(&mut *f.changed.lock()))).collect();
        for id in db.store.dirty_pages(db.pool()) {
            if let Some(f) = db.store.file(id.file) {
                f.mark_changed(id.page);
            }
        }
        ChangedMaps { db, before, done: false }
    }

    /// The boot page names the new base.
    fn succeed(mut self) {
        self.done = true;
        for f in self.db.store.files() {
            f.changed_anew.store(true, Ordering::Release);
        }
    }
}

impl Drop for ChangedMaps<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        for (id, old) in &self.before {
            let Some(f) = self.db.store.file(*id) else { continue };
            let mut now = f.changed.lock();
            if now.len() < old.len() {
                now.resize(old.len(), 0);
            }
            for (n, o) in now.iter_mut().zip(old) {
                *n |= o;
            }
        }
    }
}

impl Database {
    /// BACKUP DATABASE, BACKUP LOG. With NORECOVERY the database is closed on return, and RESTORING.
    pub fn backup(
        self: &Arc<Self>,
        spec: &BackupSpec,
        watch: &mut dyn Watch,
    ) -> BackupResult<BackupReport> {
        if self.is_temporary() {
            return Err(BackupError::NotBackedUp);
        }
        match spec.kind {
            BackupKind::Full | BackupKind::Differential => self.backup_data(spec, watch),
            BackupKind::Log => self.backup_log(spec, watch),
        }
    }

    fn backup_data(
        self: &Arc<Self>,
        spec: &BackupSpec,
        watch: &mut dyn Watch,
    ) -> BackupResult<BackupReport> {
        let Some(_one) = self.backing_up.try_lock() else { return Err(BackupError::Busy) };
        self.store.check()?;
        let env = self.instance.env.clone();
        let began = env.clock.monotonic();
        let full = spec.kind == BackupKind::Full;
        let base = self.boot.lock().backup.base;
        if !full && !base.is_some() {
            return Err(BackupError::NoDifferentialBase);
        }
        let guid = env.entropy.guid();
        let mut set = SetWriter::begin(&env, spec, guid, env.clock.now_utc())?;
        let _bulk = self.keep_bulk_away(watch)?;
        // The hold first, on everything: the checkpoint must not let go of what the set begins with.
        let log = self.log().clone();
        let _hold = LogHold::new(self);
        let becomes_base = full && !spec.copy_only;
        self.checkpoint(CheckpointKind::Internal)?;
        let boot = self.boot.lock().clone();
        // Behind the checkpoint, so that little is dirty; before the first page is read.
        let maps = becomes_base.then(|| ChangedMaps::begin_anew(self));
        let mut header = self.set_header(spec, guid, set.position, &boot);
        header.first_lsn = log.lsn(boot.min).unwrap_or_default();
        header.checkpoint_lsn = boot.checkpoint_lsn;
        if full {
            header.database_backup_lsn = boot.backup.last_full;
        } else {
            header.differential_base_lsn = base.lsn;
            header.differential_base_guid = base.guid;
        }
        self.put_header(&mut set, &header, &boot)?;
        let changed: Option<Vec<_>> = (!full).then(|| {
            let files = self.store.files();
            files.iter().map(|f| (f.id, f.changed.lock().clone())).collect()
        });
        let runs = self.runs_to_copy(changed.as_deref())?;
        let keep_damaged = spec.continue_after_error;
        let mut pace = Pace::new(self, watch);
        let copied = self.copy_runs(&mut set, &runs, &HashSet::new(), keep_damaged, &mut pace)?;
        self.flush_log()?;
        let end = log.durable();
        let log_bytes = self.copy_blocks(&mut set, boot.min, end, &mut pace)?;
        header.last_lsn = log.end_lsn(end).unwrap_or_default();
        self.finish_set(&mut set, &mut header, &copied)?;
        if becomes_base {
            let new = Base { lsn: header.first_lsn, guid };
            let checkpoint = header.checkpoint_lsn;
            self.save_boot(|b| {
                b.backup.base = new;
                b.backup.last_full = checkpoint;
            })?;
            if let Some(maps) = maps {
                maps.succeed();
            }
        }
        if !spec.copy_only {
            self.begin_chain(boot.min)?;
        }
        Ok(self.report(header, &set, copied.total(), log_bytes, began))
    }

    fn report(
        &self,
        header: SetHeader,
        set: &SetWriter,
        pages: u64,
        log_bytes: u64,
        began: std::time::Duration,
    ) -> BackupReport {
        self.store.counters.backup_bytes.add(header.compressed_size);
        BackupReport {
            header,
            media: set.labels(),
            pages,
            log_pages: log_bytes.div_ceil(PAGE_BYTES as u64),
            duration: self.instance.env.clock.monotonic().saturating_sub(began),
        }
    }

    /// The log chain begins, if it has not: under FULL or BULK_LOGGED, with the first full backup, or differential after a break. One
    /// that the log does not reach back to is none.
    fn begin_chain(&self, from: LogPos) -> BackupResult<()> {
        if self.options().recovery_model == RecoveryModel::Simple {
            return Ok(());
        }
        let old = self.log_chain.load(Ordering::Acquire);
        if self.usable_chain().is_some() {
            return Ok(());
        }
        let begun =
            self.log_chain.compare_exchange(old, from.0, Ordering::AcqRel, Ordering::Acquire);
        if begun.is_ok() {
            self.save_boot(|b| {
                b.backup.chain_new = true;
                b.backup.first_fork = b.backup.fork;
                b.backup.fork_point = Lsn::ZERO;
            })?;
        }
        Ok(())
    }

    /// From where the next log backup begins, if the log reaches back to there.
    fn usable_chain(&self) -> Option<LogPos> {
        self.log_chain().filter(|&from| self.log().end_lsn(from).is_some())
    }

    /// Bulk work is fully logged while the result lives.
    fn keep_bulk_away(&self, watch: &mut dyn Watch) -> BackupResult<BulkHold> {
        let watch = RefCell::new(watch);
        let held = self.hold_bulk(&|| watch.borrow_mut().cancelled());
        held.ok_or(BackupError::Cancelled)
    }

    fn set_header(
        &self,
        spec: &BackupSpec,
        guid: [u8; 16],
        position: u32,
        boot: &Boot,
    ) -> SetHeader {
        let state = boot.backup;
        let files = self.files().into_iter().map(|f| BackupFile {
            id: f.id,
            kind: f.kind,
            name: f.name,
            path: f.path,
            size: f.size,
            growth: f.growth,
            max_size: f.max_size,
            pages: 0,
        });
        SetHeader {
            guid,
            position,
            kind: spec.kind,
            labels: spec.labels.clone(),
            database: self.name(),
            database_guid: boot.guid,
            family_guid: state.family,
            created: boot.created,
            format_version: FORMAT_VERSION,
            recovery_model: boot.options.recovery_model,
            engine_flags: boot.options.engine_flags,
            first_lsn: Lsn::ZERO,
            last_lsn: Lsn::ZERO,
            checkpoint_lsn: boot.checkpoint_lsn,
            database_backup_lsn: state.last_full,
            differential_base_lsn: Lsn::ZERO,
            differential_base_guid: [0; 16],
            first_fork: state.fork,
            last_fork: state.fork,
            fork_point: Lsn::ZERO,
            started: self.instance.env.clock.now_utc(),
            finished: taffrail_io::UtcTime(0),
            size: 0,
            compressed_size: 0,
            compressed: spec.compression,
            has_checksums: spec.checksum,
            is_damaged: false,
            begins_log_chain: false,
            is_copy_only: spec.copy_only && spec.kind != BackupKind::Differential,
            is_force_offline: false,
            has_bulk_logged_data: false,
            complete: false,
            files: files.collect(),
        }
    }

    /// Header and layout of the log.
    fn put_header(&self, set: &mut SetWriter, header: &SetHeader, boot: &Boot) -> BackupResult<()> {
        let mut content = Vec::with_capacity(PAGE_BYTES + 1024);
        header.encode(&mut content);
        let mut boot = boot.clone();
        let sizes = self.order_log_files(&mut boot)?;
        let Some(page) = boot.encode(boot_page(boot.sequence)) else {
            return Err(
                StorageError::Misuse("the names of the files do not fit the boot page").into()
            );
        };
        content.bytes(page.bytes());
        set.put_header(&content)?;
        let mut layout = Vec::new();
        layout.u32(self.log().sector_bytes() as u32);
        layout.u16(sizes.len() as u16);
        for file in sizes {
            layout.u32(file.len() as u32);
            for size in file {
                layout.u64(size);
            }
        }
        for piece in layout.chunks(CONTENT_MAX) {
            set.put_small(Kind::Layout, Vec::new(), piece)?;
        }
        Ok(())
    }

    /// Puts the boot page's lines of log files into the order of the log's files, for a restore gives them their numbers anew, in
    /// this order. Lines without a file, of those that could not be deleted, go. Returns the sizes of the files' VLFs.
    fn order_log_files(&self, boot: &mut Boot) -> BackupResult<Vec<Vec<u64>>> {
        let layout = self.log().layout();
        let (lines, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut boot.files).into_iter().partition(|f| f.kind == FileKind::Log);
        boot.files = others;
        for (path, _) in &layout {
            let Some(line) = lines.iter().find(|f| f.path == *path) else {
                const WHY: &str = "the log has a file that the boot page does not name";
                return Err(StorageError::Misuse(WHY).into());
            };
            boot.files.push(line.clone());
        }
        Ok(layout.into_iter().map(|(_, sizes)| sizes).collect())
    }

    fn finish_set(
        &self,
        set: &mut SetWriter,
        header: &mut SetHeader,
        copied: &CopiedPages,
    ) -> BackupResult<()> {
        header.finished = self.instance.env.clock.now_utc();
        header.is_damaged = copied.damaged;
        header.complete = true;
        header.size = set.raw;
        header.compressed_size = set.stored;
        for f in &mut header.files {
            if f.kind == FileKind::Rows {
                f.pages = copied.of(f.id);
            }
        }
        set.finish(&self.instance.env, header)
    }

    /// Copies the log blocks from the one that `from` lies in to `end`. Returns their bytes.
    fn copy_blocks(
        &self,
        set: &mut SetWriter,
        from: LogPos,
        end: LogPos,
        pace: &mut Pace<'_>,
    ) -> BackupResult<u64> {
        let log_error = |e| BackupError::from(self.store.log_read_error(e));
        let mut reader = self.log().blocks(from, end).map_err(log_error)?;
        let mut chunk: Option<LogChunk> = None;
        let mut total = 0;
        while let Some(b) = reader.next().map_err(log_error)? {
            total += b.bytes.len() as u64;
            let fits = |c: &LogChunk| c.vlf == b.vlf && c.len + b.bytes.len() <= pace.piece_max();
            if !chunk.as_ref().is_some_and(fits) {
                if let Some(c) = chunk.take() {
                    let bytes = c.len as u64;
                    c.put(set)?;
                    pace.step(0, 0, bytes)?;
                    set.one_at_a_time(pace.gives_way());
                }
                chunk = Some(LogChunk { vlf: b.vlf, buf: set.buffer(), len: 0 });
            }
            if let Some(c) = &mut chunk {
                let at = BLOCK + c.len;
                c.buf[at..at + b.bytes.len()].copy_from_slice(b.bytes);
                c.len += b.bytes.len();
            }
        }
        if let Some(c) = chunk {
            c.put(set)?;
        }
        Ok(total)
    }

    fn backup_log(
        self: &Arc<Self>,
        spec: &BackupSpec,
        watch: &mut dyn Watch,
    ) -> BackupResult<BackupReport> {
        let _one = self.backing_up_log.lock();
        let env = self.instance.env.clone();
        let began = env.clock.monotonic();
        let damaged = self.store.suspect_reason().is_some();
        if !(damaged && spec.no_truncate) {
            self.store.check()?;
        }
        if self.options().recovery_model == RecoveryModel::Simple {
            return Err(BackupError::SimpleModel);
        }
        let Some(from) = self.usable_chain() else { return Err(BackupError::NoLogChain) };
        // The map may be wrong, and what it tells of may be what is damaged.
        if damaged && !matches!(self.is_all_logged(), Ok(true)) {
            return Err(BackupError::BulkUnavailable);
        }
        let guid = env.entropy.guid();
        let mut set = SetWriter::begin(&env, spec, guid, env.clock.now_utc())?;
        let _bulk = if damaged { None } else { Some(self.keep_bulk_away(watch)?) };
        let hold = LogHold::new(self);
        let log = self.log().clone();
        let boot = self.boot.lock().clone();
        let mut header = self.set_header(spec, guid, set.position, &boot);
        header.first_lsn = log.end_lsn(from).unwrap_or_default();
        header.first_fork = boot.backup.first_fork;
        header.fork_point = boot.backup.fork_point;
        header.begins_log_chain = boot.backup.chain_new;
        header.is_copy_only = spec.copy_only || spec.no_truncate;
        header.is_force_offline = spec.no_recovery;
        self.put_header(&mut set, &header, &boot)?;
        let extents = if damaged { Vec::new() } else { self.bulk_extents()? };
        let runs: Vec<Run> = extents
            .iter()
            .map(|e| Run { file: e.file, first: e.page, count: EXTENT_PAGES })
            .collect();
        header.has_bulk_logged_data = !runs.is_empty();
        // Before the log's end is fixed: so no image is of a later moment.
        let copied = {
            let mut pace = Pace::new(self, watch);
            let dirty = match runs.is_empty() {
                true => HashSet::new(),
                false => self.store.dirty_pages(self.pool()).into_iter().collect(),
            };
            self.copy_runs(&mut set, &runs, &dirty, spec.continue_after_error, &mut pace)?
        };
        let mut rest = Rest { spec, set, header, copied, from, extents, damaged, log_bytes: 0 };
        if !spec.no_recovery {
            self.end_log_backup(&mut rest, watch)?;
        } else if damaged {
            // Nothing can be written into it any more: a restore replaces it.
            self.end_log_backup(&mut rest, watch)?;
            self.close()?;
        } else {
            // The tail: a checkpoint, and behind it nothing more is logged. If it cannot be taken, nothing has happened to the database.
            if !self.finish_recovery()? {
                // Closed meanwhile; or there is no room to undo what a restart has found: the database goes on waiting for some.
                self.store.check()?;
                return Err(StorageError::Misuse("a restart's undo is not complete").into());
            }
            let mut failed = Ok(());
            let closed = self.close_with(false, |db| {
                db.checkpoint_alone(CheckpointKind::Internal)?;
                failed = db.end_log_backup(&mut rest, watch);
                match failed {
                    Ok(()) => db.become_restoring(),
                    Err(_) => Err(StorageError::Misuse("the backup has failed")),
                }
            });
            failed?;
            closed?;
        }
        // Not before: the backup itself held what it lets go of.
        drop(hold);
        if !spec.no_recovery {
            log.truncate();
        }
        let Rest { set, header, copied, log_bytes, .. } = rest;
        Ok(self.report(header, &set, copied.total(), log_bytes, began))
    }

    /// False: the ML map has marks. For a damaged database, whose pages no longer come into the pool.
    fn is_all_logged(&self) -> StorageResult<bool> {
        let mut page = Page::zeroed();
        for file in self.store.files() {
            let pages = file.pages.load(Ordering::Acquire);
            for start in (0..pages).step_by(INTERVAL_PAGES as usize) {
                if pages - start < EXTENT_PAGES {
                    break;
                }
                let id = ml_page(file.id, start);
                match self.pool().contains(&self.store, id) {
                    true => {
                        let there = self.pool().read(&self.store, id)?;
                        page.bytes_mut().copy_from_slice(there.bytes());
                    }
                    false => self.store.read_page(id, &mut page)?,
                }
                if !page.set_runs(BITMAP_BITS).is_empty() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn end_log_backup(
        self: &Arc<Self>,
        rest: &mut Rest<'_>,
        watch: &mut dyn Watch,
    ) -> BackupResult<()> {
        if !rest.damaged {
            self.flush_log()?;
        }
        let log = self.log().clone();
        let end = log.durable();
        let mut pace = Pace::new(self, watch);
        rest.log_bytes = self.copy_blocks(&mut rest.set, rest.from, end, &mut pace)?;
        rest.header.last_lsn = log.end_lsn(end).unwrap_or_default();
        self.finish_set(&mut rest.set, &mut rest.header, &rest.copied)?;
        if rest.header.is_copy_only || rest.damaged {
            return Ok(());
        }
        // A chain that was broken meanwhile stays broken.
        let (from, to) = (rest.from.0, end.0);
        let moved = self.log_chain.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
        if moved.is_ok() {
            self.save_boot(|b| {
                b.backup.chain_new = false;
                b.backup.first_fork = b.backup.fork;
                b.backup.fork_point = Lsn::ZERO;
            })?;
        }
        if !rest.spec.no_recovery && !rest.extents.is_empty() {
            self.clear_bulk_extents(&rest.extents)?;
            // A crash would bring the marks back, and the next set would have the images again.
            self.flush_log()?;
        }
        Ok(())
    }
}

/// What a log backup has when its images are copied.
struct Rest<'s> {
    spec: &'s BackupSpec,
    set: SetWriter,
    header: SetHeader,
    copied: CopiedPages,
    from: LogPos,
    extents: Vec<taffrail_base::PageId>,
    damaged: bool,
    log_bytes: u64,
}

/// Log blocks of one VLF on their way into a set.
struct LogChunk {
    vlf: VlfRange,
    buf: AlignedBuf,
    len: usize,
}

impl LogChunk {
    fn put(self, set: &mut SetWriter) -> BackupResult<()> {
        let mut table = Vec::with_capacity(20);
        table.u32(self.vlf.seqno.0);
        table.u64(self.vlf.start.0);
        table.u64(self.vlf.size);
        set.put(Kind::Log, table, self.buf, self.len)
    }
}
