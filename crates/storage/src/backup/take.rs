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
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::message::SqlError;
use taffrail_base::{FileId, LogPos, Lsn, PAGE_BYTES};
use taffrail_io::AlignedBuf;
use taffrail_log::{Hold, HolderId, LogError, ReuseWait, VlfRange};
use taffrail_observe::{Event, EventRing};

use super::error::{BackupError, BackupResult, device};
use super::media::{BLOCK, CONTENT_MAX, Kind};
use super::pace::Pace;
use super::pages::{CopiedPages, Damage, Run};
use super::spec::{BackupFile, BackupKind, BackupReport, BackupSpec, SetHeader, Watch};
use super::state::Base;
use super::writer::SetWriter;
use crate::access::bulk_space::BulkHold;
use crate::codec::Put;
use crate::database::{CheckpointKind, Database, FileKind, RecoveryModel};
use crate::error::StorageError;
use crate::recovery::{Boot, FORMAT_VERSION, boot_page};

/// Keeps the whole log for as long as it lives.
pub(super) struct LogHold<'a>(&'a Database, HolderId);

impl<'a> LogHold<'a> {
    pub fn new(db: &'a Database) -> LogHold<'a> {
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
        self.checkpoint(CheckpointKind::Backup)?;
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
        let mut pace = Pace::new(self, watch);
        pace.expect(bytes_of(&runs) + log.appended().since(boot.min));
        let copied =
            self.copy_runs(&mut set, &runs, &HashSet::new(), Damage::of(spec), &mut pace)?;
        pace.pages_done();
        self.flush_log()?;
        let end = log.durable();
        pace.expect(end.since(boot.min));
        let log_bytes = self.copy_blocks(&mut set, boot.min, end, &mut pace)?;
        header.last_lsn = log.lsn(end).unwrap_or_default();
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

    pub(super) fn report(
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
    /// that the log does not reach back to is none, and none goes on over damage that a log backup has met.
    fn begin_chain(&self, from: LogPos) -> BackupResult<()> {
        if self.options().recovery_model == RecoveryModel::Simple {
            return Ok(());
        }
        let old = self.log_chain.load(Ordering::Acquire);
        if self.usable_chain().is_some() && !self.chain_damaged.load(Ordering::Acquire) {
            return Ok(());
        }
        let begun =
            self.log_chain.compare_exchange(old, from.0, Ordering::AcqRel, Ordering::Acquire);
        if begun.is_ok() {
            self.chain_damaged.store(false, Ordering::Release);
            self.save_boot(|b| {
                b.backup.chain_new = true;
                b.backup.first_fork = b.backup.fork;
                b.backup.fork_point = Lsn::ZERO;
            })?;
        }
        Ok(())
    }

    /// From where the next log backup begins, if the log reaches back to there.
    pub(super) fn usable_chain(&self) -> Option<LogPos> {
        self.log_chain().filter(|&from| self.log().lsn(from).is_some())
    }

    /// Bulk work is fully logged while the result lives.
    pub(super) fn keep_bulk_away(&self, watch: &mut dyn Watch) -> BackupResult<BulkHold> {
        let watch = RefCell::new(watch);
        let held = self.hold_bulk(&|| watch.borrow_mut().cancelled());
        held.ok_or(BackupError::Cancelled)
    }

    pub(super) fn set_header(
        &self,
        spec: &BackupSpec,
        guid: [u8; 16],
        position: u32,
        boot: &Boot,
    ) -> SetHeader {
        let state = boot.backup;
        let files = self.files().into_iter().map(BackupFile::of);
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
            has_incomplete_metadata: false,
            complete: false,
            files: files.collect(),
        }
    }

    /// Header and layout of the log.
    pub(super) fn put_header(
        &self,
        set: &mut SetWriter,
        header: &SetHeader,
        boot: &Boot,
    ) -> BackupResult<()> {
        let mut content = Vec::with_capacity(PAGE_BYTES + 1024);
        header.encode(&mut content);
        let mut boot = boot.clone();
        let sizes = self.order_log_files(&mut boot);
        let Some(page) = boot.encode(boot_page(boot.sequence)) else {
            return Err(
                StorageError::Misuse("the names of the files do not fit the boot page").into()
            );
        };
        content.bytes(page.bytes());
        set.put_header(&content)?;
        put_layout(set, self.log().sector_bytes() as u32, &sizes)
    }

    /// The sizes of the VLFs of the log's files, in the order of these files, in which the header lists them: for a restore gives them
    /// their numbers anew. Lines of files that are not the log's, of those that could not be deleted, go.
    fn order_log_files(&self, boot: &mut Boot) -> Vec<Vec<u64>> {
        let layout = self.log().layout();
        let is_there = |path: &Path| layout.iter().any(|(p, _)| p == path);
        boot.files.retain(|f| f.kind != FileKind::Log || is_there(&f.path));
        layout.into_iter().map(|(_, sizes)| sizes).collect()
    }

    pub(super) fn finish_set(
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
    pub(super) fn copy_blocks(
        &self,
        set: &mut SetWriter,
        from: LogPos,
        end: LogPos,
        pace: &mut Pace<'_>,
    ) -> BackupResult<u64> {
        let log_error = |e| self.log_unreadable(e);
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
                    pace.step(bytes)?;
                    set.one_at_a_time(pace.gives_way());
                }
                chunk = Some(LogChunk::new(b.vlf, set.buffer()));
            }
            if let Some(c) = &mut chunk {
                c.room(b.bytes.len()).copy_from_slice(b.bytes);
            }
        }
        if let Some(c) = chunk {
            let bytes = c.len as u64;
            c.put(set)?;
            // Positions count what lies between blocks: now it is known how much there was.
            pace.expect(bytes);
            pace.step(bytes)?;
        }
        Ok(total)
    }
}

impl Database {
    /// Log that a backup cannot read. The database itself can do without what only backups need, and what its recovery
    /// needs is judged by the next start: so it goes on.
    fn log_unreadable(&self, e: LogError) -> BackupError {
        match e {
            LogError::NotFound(pos) => {
                let pos = format!("{:#x}", pos.0);
                StorageError::Sql(SqlError::new(9003, &[&pos, &self.store.name()])).into()
            }
            LogError::Io(e) => device("read")(e),
            e if e.is_damage() => {
                let text = format!(
                    "BACKUP detected corruption in the database log: {e}. A full database backup begins another log chain."
                );
                let event = Event::BackgroundError { database: self.store.whose(), text };
                EventRing::global().push(event);
                BackupError::DamagedLog(e.to_string())
            }
            e => self.store.log_error(e).into(),
        }
    }
}

/// The layout of the log: its sector, and sizes of the VLFs per file.
pub(super) fn put_layout(set: &mut SetWriter, sector: u32, files: &[Vec<u64>]) -> BackupResult<()> {
    let mut layout = Vec::new();
    layout.u32(sector);
    layout.u16(files.len() as u16);
    for sizes in files {
        layout.u32(sizes.len() as u32);
        sizes.iter().for_each(|size| layout.u64(*size));
    }
    layout.chunks(CONTENT_MAX).try_for_each(|p| set.put_small(Kind::Layout, Vec::new(), p))
}

/// Bytes of the pages in runs.
pub(super) fn bytes_of(runs: &[Run]) -> u64 {
    runs.iter().map(|r| u64::from(r.count)).sum::<u64>() * PAGE_BYTES as u64
}

/// Log blocks of one VLF on their way into a set.
pub(super) struct LogChunk {
    pub vlf: VlfRange,
    buf: AlignedBuf,
    pub len: usize,
}

impl LogChunk {
    pub fn new(vlf: VlfRange, buf: AlignedBuf) -> LogChunk {
        LogChunk { vlf, buf, len: 0 }
    }

    /// Where the next block goes, of so many bytes.
    pub fn room(&mut self, len: usize) -> &mut [u8] {
        let at = BLOCK + self.len;
        self.len += len;
        &mut self.buf[at..at + len]
    }

    pub fn put(self, set: &mut SetWriter) -> BackupResult<()> {
        let mut table = Vec::with_capacity(20);
        table.u32(self.vlf.seqno.0);
        table.u64(self.vlf.start.0);
        table.u64(self.vlf.size);
        set.put(Kind::Log, table, self.buf, self.len)
    }
}
