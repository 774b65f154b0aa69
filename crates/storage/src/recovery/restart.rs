//! Opening a database: from whatever a crash has left to a consistent state.
//!
//! | step | reads | does |
//! |---|---|---|
//! | boot | file header, both boot pages | takes the newer valid copy |
//! | repair | double-write region | writes its images over torn pages, and syncs: see [`super::medium`] |
//! | analysis | log from MinLSN on, once, while it is opened | who had not ended, what they have locked, the highest ids |
//! | chain | VLFs before, not their blocks | keeps the log that no log backup has |
//! | redo | the same records, from the scan position on | repeats what pages do not have yet: see [`super::redo`] |
//! | undo | chains of unfinished transactions | what cannot be done later: see [`super::undo`] |
//!
//! Now the database can be used ([`Database::open_deferred`]). What is left is done beside its users:
//!
//! | step | does |
//! |---|---|
//! | undo | all other unfinished transactions, whose rows are locked meanwhile |
//! | end | frees what is pending in the directory; a checkpoint, a little later |
//!
//! Nothing waits for that checkpoint: until it is taken, a restart does the same once more, and a little more of it.
//!
//! Records are redone before the end of the log is known. Should the log turn out to be damaged the database is suspect, as it would
//! be otherwise; and what was redone is no more than what its log says.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{DatabaseId, FileId, LogPos, PAGE_BYTES, PageId, SqlError};
use taffrail_io::{Env, IoReason, OpenSpec as IoOpenSpec, Volume};
use taffrail_log::{Log, LogAnchor, LogError};
use taffrail_observe::{DatabaseCounters, Event, EventRing};

use super::analysis::{Analysis, Loser};
use super::boot::{Boot, BootError, FEATURES, FORMAT_VERSION};
use super::checkpoint::not_primary;
use super::create::{FILE_MAGIC, io_error, log_options, open_log_error};
use super::medium::{boot_again, repair_torn_pages};
use super::moved::{log_files_at, open_error};
use super::redo::{self, Redo};
use super::undo;
use crate::access::directory;
use crate::buffer::{DataFile, FileSettings, Store, read_whole};
use crate::codec::Take;
use crate::database::{CheckpointKind, Database, FileKind, OpenSpec, RecoveryReport};
use crate::error::{StorageError, StorageResult};
use crate::instance::StorageInstance;
use crate::layout::{BOOT_PAGES, INTERVAL_PAGES, diff_page};
use crate::page::{BITMAP_BITS, HEADER_BYTES, Page, PageType};
use crate::part::Part;

/// Records between two looks at the clock.
const LOOK_EVERY: u64 = 4096;

impl Database {
    /// Opens and recovers, all of it: undo and the checkpoint at its end included.
    pub fn open(
        instance: &Arc<StorageInstance>,
        id: DatabaseId,
        name: &str,
        spec: &OpenSpec,
    ) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        let (db, _) = Database::open_deferred(instance, id, name, spec)?;
        db.finish_recovery()?;
        match db.checkpoint(CheckpointKind::Recovered) {
            // Whoever holds the log will let it go, and another checkpoint comes then.
            Err(e) if e.is_want_of_room() => {}
            taken => taken?,
        }
        db.free_orphans();
        let report = db.recovery_report();
        Ok((db, report))
    }

    /// Opens and recovers as far as is needed before it can be used. The caller has [`Database::finish_recovery`] called, in a
    /// thread of its own.
    pub fn open_deferred(
        instance: &Arc<StorageInstance>,
        id: DatabaseId,
        name: &str,
        spec: &OpenSpec,
    ) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        // A database that had this id and was given up may have left pages.
        instance.pool.unregister(id);
        instance.pool.discard(id);
        open_over(instance, id, name, spec)
    }
}

/// As [`Database::open_deferred`], over pages in memory that are as the file has them.
pub(crate) fn open_over(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    spec: &OpenSpec,
) -> StorageResult<(Arc<Database>, RecoveryReport)> {
    let opened = open(instance, id, name, spec);
    if opened.is_err() {
        instance.pool.unregister(id);
        instance.pool.discard(id);
    }
    opened
}

fn open(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    spec: &OpenSpec,
) -> StorageResult<(Arc<Database>, RecoveryReport)> {
    let Redone { db, losers, mut report, oldest, touched, .. } =
        open_for_redo(instance, id, name, spec, Opened::Whole)?;
    // Before anything is logged that an older version would take for something else. Both copies: it may come to read either.
    if oldest < FORMAT_VERSION {
        db.save_boot(|_| {})?;
        db.save_boot(|_| {})?;
    }
    // Undo, as far as it cannot wait.
    let began = instance.env.clock.monotonic();
    db.read_file_list()?;
    next_hobt_id(&db)?;
    undo::prepare(&db, losers, touched)?;
    // The newest may have been dropped by one of those, and be there again.
    next_hobt_id(&db)?;
    directory::load_pending(&db)?;
    db.settle_files()?;
    report.system_undo = instance.env.clock.monotonic().saturating_sub(began);
    db.note_recovery(&report);
    Ok((db, report))
}

/// A database after redo.
pub(super) struct Redone {
    pub db: Arc<Database>,
    pub losers: Vec<Loser>,
    pub report: RecoveryReport,
    /// The log had something to do with a page.
    pub touched: bool,
    /// The format of the boot page, of its older copy where they differ.
    pub oldest: u16,
    /// Begin record and MinLSN of the last complete checkpoint in the log, after the boot page's.
    pub checkpoint: Option<(LogPos, LogPos)>,
}

/// The state that a database is opened in.
#[derive(Clone, Copy)]
pub(super) enum Opened<'a> {
    /// Of its own, after it was closed or cut off.
    Whole,
    /// In the middle of a restore, of all pages or those of a part.
    Restoring(Option<&'a Arc<Part>>),
}

/// Everything up to the end of redo. A database in the middle of a restore is opened for those who say that they know.
pub(super) fn open_for_redo(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    spec: &OpenSpec,
    opened: Opened<'_>,
) -> StorageResult<Redone> {
    let restoring = matches!(opened, Opened::Restoring(_));
    let env = &instance.env;
    let clock = env.clock.clone();
    let mut report = RecoveryReport::default();
    let began = clock.monotonic();
    let _why = if restoring { IoReason::Restore } else { IoReason::Recovery }.begin();
    let volume = env.disk.open(&spec.primary, IoOpenSpec::DATA).map_err(open_error)?;
    check_header(&*volume, name, &spec.primary)?;
    let (boot, oldest, page) = read_boot(&*volume, name, &spec.primary)?;
    if boot.backup.restoring.is_some() != restoring {
        return Err(match restoring {
            false => StorageError::Restoring(name.into()),
            true => StorageError::Misuse("the database is not being restored"),
        });
    }
    instance.redo_rate.known(boot.redo_rate);
    let counters = Arc::new(DatabaseCounters::default());
    let mark = Page::mark_of(&boot.backup.marked());
    let store = Arc::new(Store::new(id, name, false, mark, counters, clock.clone()));
    add_files(&store, volume.clone(), &boot, &spec.primary)?;
    boot_again(&*volume, &page)?;
    report.torn_repaired = repair_torn_pages(&store)?;
    let mut boot = boot;
    let files = log_files_at(instance, &boot, spec)?;
    let paths: Vec<PathBuf> = files.iter().map(|f| f.path.clone()).collect();
    store.durable_min.store(boot.scan_from.0, Ordering::Release);
    instance.pool.register(&store);
    // All together: where the others are is told by where the primary was.
    for line in &mut boot.files {
        match (line.kind, files.iter().find(|f| f.was == line.path)) {
            (FileKind::Log, Some(file)) => line.path.clone_from(&file.path),
            (FileKind::Log, None) => {}
            (FileKind::Rows, _) => line.path.clone_from(&spec.primary),
        }
    }
    let db = Database::assemble(instance, store.clone(), boot.clone());
    if let Opened::Restoring(Some(part)) = opened {
        let _ = db.part.set(part.clone());
    }
    report.analysis = clock.monotonic().saturating_sub(began);

    // Analysis and redo.
    let began = clock.monotonic();
    if restoring {
        // The log is that of the sets.
        db.forget_log_chain();
    }
    let (losers, checkpoint, touched) = read_log(&db, &boot, &paths, &mut report)?;
    report.end = db.log().lsn(db.log().appended()).unwrap_or_default();
    db.register_log_holders();
    load_changed_maps(&db)?;
    report.redo = clock.monotonic().saturating_sub(began);
    // Most records of a part's log were passed over.
    if db.part.get().is_none() {
        instance.redo_rate.measured(report.redo, report.redo_bytes, report.pages_read);
    }
    store.rarities.torn_repaired.fetch_add(report.torn_repaired, Ordering::Relaxed);
    Ok(Redone { db, losers, report, touched, oldest, checkpoint })
}

/// The log behind MinLSN that checkpoints leave to a restart, bytes: a quarter beyond what redo may read. `behind` and the rate in
/// `limit` are as the boot page has them, which may be anything.
fn likely_span(behind: u64, limit: u64) -> u64 {
    behind.saturating_add(limit).saturating_add(limit / 4)
}

/// Opens the log, and on the way looks who had not ended and redoes what pages do not have: as [`Redone`] has losers, checkpoint and
/// whether a page was touched.
fn read_log(
    db: &Arc<Database>,
    boot: &Boot,
    paths: &[PathBuf],
    report: &mut RecoveryReport,
) -> StorageResult<(Vec<Loser>, Option<(LogPos, LogPos)>, bool)> {
    let instance = db.instance();
    let store = &db.store;
    let env = &instance.env;
    let anchor = LogAnchor::from_bytes(&boot.anchor)
        .ok_or_else(|| suspect(store, "the boot page's log anchor is damaged"))?;
    let began = env.clock.monotonic();
    let mut told = began;
    // No more log than that can there be; nor, as a rule, more than checkpoints let it become.
    let most = paths.iter().map(|p| log_bytes(env, p)).sum::<StorageResult<u64>>()?;
    let most = most.min(likely_span(boot.scan_from.since(boot.min), db.redo_limit()));
    let workers = &instance.options.workers;
    let read = |redo: &mut Redo<'_, '_>| {
        let mut analysis = Analysis::new(boot);
        let mut failed = None;
        let options = log_options(instance, store, &boot.options);
        let chain = db.log_chain().unwrap_or(LogPos::MAX);
        let opened = Log::open_keeping(env, paths, options, &anchor, chain, |r| {
            analysis.see(r);
            if analysis.records.is_multiple_of(LOOK_EVERY) {
                if instance.is_stopping() {
                    failed = Some(StorageError::Misuse("the server is being stopped"));
                    return Err(LogError::Unavailable);
                }
                let now = env.clock.monotonic();
                undo::show_progress(r.pos.since(boot.min), most);
                if now.saturating_sub(told) >= undo::TELL_EVERY {
                    told = now;
                    db.tell_progress(2, r.pos.since(boot.min), most, now.saturating_sub(began));
                }
            }
            redo.see(r).map_err(|e| {
                failed = Some(e);
                LogError::Unavailable
            })
        });
        match (failed, opened) {
            (Some(e), _) => Err(e),
            (None, Ok((log, found))) => {
                if !found.kept {
                    db.chain_is_broken();
                }
                Ok((log, analysis))
            }
            (None, Err(e)) => Err(open_log_error(store, e)),
        }
    };
    let ((log, mut analysis), redone) = redo::run(db, workers, boot.scan_from, read)?;
    if let Some(what) = analysis.malformed.take() {
        return Err(suspect(store, &what));
    }
    if let (lsn, Some(page)) = redone.newest
        && lsn >= log.appended()
        && boot.backup.restoring.is_none()
    {
        let text = format!(
            "page {page} has LSN {:#x}, but the log ends at {:#x}: what was logged behind it is lost",
            lsn.0,
            log.appended().0
        );
        return Err(suspect(store, &text));
    }
    if let Some(id) = analysis.unreached() {
        let text = format!(
            "the log from MinLSN ({:#x}) on has no end of transaction {id}, and no beginning",
            boot.min.0
        );
        return Err(suspect(store, &text));
    }
    log.set_checkpoint(boot.min);
    // Before the first record of this opening.
    log.note_moment(analysis.last_moment);
    store.set_log(log);
    db.txns.seen(analysis.highest());
    report.records = analysis.records;
    (report.redone, report.pages_read) = (redone.records, redone.pages);
    report.redo_bytes = db.log().appended().since(boot.scan_from);
    report.rolled_forward = analysis.committed;
    report.rolled_back = analysis.active.values().filter(|t| !t.txn.system).count() as u64;
    Ok((analysis.active.into_values().collect(), analysis.checkpoint, redone.touched))
}

impl Database {
    /// Log is missing or damaged that nothing but log backups needs: the database goes on without a chain, until the next
    /// full backup.
    pub(crate) fn chain_is_broken(&self) {
        let text = "The log does not reach back to the last log backup any more: the log backup chain is broken. \
                    Take a full database backup to begin another.";
        let event = Event::BackgroundError { database: self.store.whose(), text: text.to_owned() };
        EventRing::global().push(event);
        self.forget_log_chain();
    }
}

fn log_bytes(env: &Env, path: &Path) -> StorageResult<u64> {
    // The boot page names a file before it is made.
    if !env.disk.exists(path).map_err(|e| io_error("read", e))? {
        return Ok(0);
    }
    let volume = env.disk.open(path, IoOpenSpec::LOG.read_only());
    volume.and_then(|v| v.len()).map_err(|e| io_error("read", e))
}

pub(super) fn suspect(store: &Store, reason: &str) -> StorageError {
    store.mark_suspect(reason.to_owned());
    match store.check() {
        Err(e) => e,
        Ok(()) => StorageError::Misuse("a suspect database is suspect"),
    }
}

// ---- boot ----

pub(super) fn check_header(volume: &dyn Volume, name: &str, path: &Path) -> StorageResult<()> {
    let mut page = Page::zeroed();
    let len = volume.len().map_err(|e| io_error("read", e))?;
    if len < 16 * PAGE_BYTES as u64 {
        return Err(not_primary(path));
    }
    let whole = read_whole(volume, 0, &mut page, |page| page.validate(PageId::new(1, 0)));
    let whole = whole.map_err(|e| io_error("read", e))?.is_ok();
    let mut t = Take(&page.bytes()[HEADER_BYTES..]);
    let parsed = (|| Some((t.bytes(8)?, t.u16()?, t.u16()?, t.bytes(16)?, t.u64()?)))();
    let Some((magic, version, file, _, features)) = parsed else { return Err(not_primary(path)) };
    if magic != FILE_MAGIC {
        return Err(not_primary(path));
    }
    if version > FORMAT_VERSION || features & !FEATURES != 0 {
        let shown = version.max(FORMAT_VERSION + 1);
        return Err(StorageError::Sql(SqlError::new(948, &[&name, &shown, &FORMAT_VERSION])));
    }
    match whole && file == 1 && page.kind() == Some(PageType::FileHeader) {
        true => Ok(()),
        false => Err(not_primary(path)),
    }
}

/// The newer copy of the boot page, the lower format version of the two, and its bytes.
pub(super) fn read_boot(
    volume: &dyn Volume,
    name: &str,
    path: &Path,
) -> StorageResult<(Boot, u16, Box<Page>)> {
    let mut best: Option<(Boot, Box<Page>)> = None;
    let mut oldest = FORMAT_VERSION;
    let mut why = String::new();
    for number in BOOT_PAGES {
        let id = PageId::new(1, number);
        let mut page = Page::zeroed();
        let found =
            read_whole(volume, id.file_offset(), &mut page, |page| match Boot::decode(page, id) {
                Err(BootError::Damaged(what)) => Err(what),
                known => Ok(known),
            });
        match found.map_err(|e| io_error("read", e))? {
            Ok(Ok(boot)) => {
                oldest = oldest.min(boot.version);
                if best.as_ref().is_none_or(|(b, _)| b.sequence < boot.sequence) {
                    best = Some((boot, page));
                }
            }
            Ok(Err(BootError::Newer(v))) => {
                return Err(StorageError::Sql(SqlError::new(948, &[&name, &v, &FORMAT_VERSION])));
            }
            Ok(Err(BootError::Damaged(what))) | Err(what) => why = what,
        }
    }
    best.map(|(boot, page)| (boot, oldest, page)).ok_or_else(|| {
        StorageError::Corrupt(Box::new(crate::error::Corruption {
            what: format!("neither copy of the boot page is readable: {why}"),
            operation: "read",
            page: PageId::new(1, BOOT_PAGES[0]),
            database: DatabaseId(0),
            file: path.display().to_string(),
        }))
    })
}

fn add_files(
    store: &Store,
    primary: Arc<dyn Volume>,
    boot: &Boot,
    path: &Path,
) -> StorageResult<()> {
    for f in boot.files.iter().filter(|f| f.kind == FileKind::Rows) {
        if f.id != FileId(1) {
            return Err(StorageError::Misuse("secondary data files are not supported yet"));
        }
        let settings = FileSettings {
            name: f.name.clone(),
            path: path.to_owned(),
            growth: f.growth,
            max_size: f.max_size,
        };
        let bytes = primary.len().map_err(|e| io_error("read", e))?;
        if bytes < u64::from(f.pages) * PAGE_BYTES as u64 {
            return Err(suspect(store, "the data file is shorter than its boot page says"));
        }
        // A process that was killed leaves pages in the system's cache that no sync has covered. Redo finds their changes done and
        // the next checkpoint lets go of the log: so they must be durable before any of them is looked at.
        primary.sync().map_err(|e| io_error("write", e))?;
        store.add_file(Arc::new(DataFile::new(f.id, primary.clone(), f.pages, settings)));
    }
    if store.file(FileId(1)).is_none() {
        return Err(suspect(store, "the boot page does not name the primary file"));
    }
    Ok(())
}

// ---- after redo ----

/// The DIFF pages as the last checkpoint left them, besides what redo has marked.
fn load_changed_maps(db: &Database) -> StorageResult<()> {
    for file in db.store.files() {
        let pages = file.pages.load(Ordering::Acquire);
        let mut start = 0;
        while start + 8 <= pages {
            // From the pool: redo may just have made it.
            let page = db.pool().read(&db.store, diff_page(file.id, start))?;
            for (first, count) in page.set_runs(BITMAP_BITS) {
                for extent in first..first + count {
                    file.mark_changed(start + extent * 8);
                }
            }
            start = start.saturating_add(INTERVAL_PAGES);
        }
    }
    Ok(())
}

/// The boot page knows ids up to its checkpoint; the directory those after it.
pub(super) fn next_hobt_id(db: &Arc<Database>) -> StorageResult<()> {
    let highest = directory::entries(db)?.last().map_or(0, |(id, _)| id.0);
    db.next_hobt.fetch_max(highest + 1, Ordering::Relaxed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_positions_and_rates_of_a_boot_page_can_be_added() {
        assert_eq!(likely_span(100, 400), 600);
        for (behind, limit) in [(u64::MAX, 1), (1, u64::MAX), (u64::MAX, u64::MAX)] {
            assert_eq!(likely_span(behind, limit), u64::MAX);
        }
    }
}
