//! Opening a database: from whatever a crash has left to a consistent state.
//!
//! | step | reads | does |
//! |---|---|---|
//! | boot | file header, both boot pages | takes the newer valid copy |
//! | repair | double-write region | writes its images over torn pages, and syncs |
//! | analysis | log from MinLSN on, once, while it is opened | who had not ended, file sizes, the highest ids |
//! | redo | log from the scan position on | repeats what pages do not have yet, in order |
//! | undo | chains of unfinished transactions | system transactions first, latest record first; then the others |
//! | end | | frees what is pending in the directory, takes a checkpoint |
//!
//! Redo of a record:
//!
//! | record is a format record | page on disk | page LSN against record | |
//! |---|---|---|---|
//! | yes | whatever | | made anew, not read |
//! | no | damaged | | skipped; a later format record must come, or the database is suspect |
//! | no | whole | not below | done already |
//! | no | whole | below, and equal to the record's previous page LSN | redone |
//! | no | whole | below, and not equal | suspect: a record is missing |

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{DatabaseId, FileId, HobtId, LogPos, PAGE_BYTES, PageId, SqlError};
use taffrail_io::{OpenSpec as IoOpenSpec, Volume};
use taffrail_log::{Log, LogAnchor, Lop, Record, TxLog};
use taffrail_observe::DatabaseCounters;

use super::analysis::{Analysis, Loser};
use super::boot::{Boot, BootError, BootFile, FEATURES, FORMAT_VERSION};
use super::checkpoint::not_primary;
use super::create::{FILE_MAGIC, io_error, log_options, open_log_error};
use super::write_page;
use crate::access::directory;
use crate::access::node::split_entry;
use crate::access::record::{self, row, xact};
use crate::buffer::{DataFile, FileSettings, Store, read_double_write};
use crate::codec::Take;
use crate::database::{CheckpointKind, Database, FileKind, OpenSpec, RecoveryReport};
use crate::error::{StorageError, StorageResult};
use crate::instance::StorageInstance;
use crate::layout::{BOOT_PAGES, DIRECTORY, INTERVAL_PAGES, diff_page};
use crate::page::{BITMAP_BITS, HEADER_BYTES, Page, PageType};
use crate::txn::rollback;
use crate::txn::work::Work;

impl Database {
    /// Opens and recovers.
    pub fn open(
        instance: &Arc<StorageInstance>,
        id: DatabaseId,
        name: &str,
        spec: &OpenSpec,
    ) -> StorageResult<(Arc<Database>, RecoveryReport)> {
        // A database that had this id and was given up may have left pages.
        instance.pool.unregister(id);
        instance.pool.discard(id);
        let opened = open(instance, id, name, spec);
        if opened.is_err() {
            instance.pool.unregister(id);
            instance.pool.discard(id);
        }
        opened
    }
}

fn open(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    spec: &OpenSpec,
) -> StorageResult<(Arc<Database>, RecoveryReport)> {
    let env = &instance.env;
    let clock = env.clock.clone();
    let mut report = RecoveryReport::default();
    let volume = env.disk.open(&spec.primary, IoOpenSpec::DATA).map_err(|e| io_error("read", e))?;
    check_header(&*volume, name, &spec.primary)?;
    let boot = read_boot(&*volume, name, &spec.primary)?;
    let counters = Arc::new(DatabaseCounters::default());
    let store = Arc::new(Store::new(id, name, false, counters, clock.clone()));
    add_files(&store, volume, &boot, &spec.primary)?;
    report.torn_repaired = repair_torn_pages(&store)?;

    // Analysis.
    let began = clock.monotonic();
    let anchor = LogAnchor::from_bytes(&boot.anchor)
        .ok_or_else(|| suspect(&store, "the boot page's log anchor is damaged"))?;
    let mut analysis = Analysis::new(&boot);
    let paths = log_paths(instance, &boot, &spec.primary)?;
    let (log, _) = Log::open_with(env, &paths, log_options(instance, &store), &anchor, |r| {
        analysis.see(r);
        Ok(())
    })
    .map_err(|e| open_log_error(&store, e))?;
    log.set_checkpoint(boot.min);
    store.set_log(log);
    report.records = analysis.records;
    report.analysis = clock.monotonic().saturating_sub(began);
    if let Some(what) = analysis.malformed.take() {
        return Err(suspect(&store, &what));
    }
    store.durable_min.store(boot.scan_from.0, Ordering::Release);
    instance.pool.register(&store);
    let (scan_from, checkpoint) = (boot.scan_from, boot.checkpoint);
    let db = Database::assemble(instance, store.clone(), boot);
    db.txns.seen(analysis.highest());
    db.register_log_holders();

    // Redo.
    let began = clock.monotonic();
    redo(&db, scan_from, checkpoint, &mut report)?;
    load_changed_maps(&db)?;
    next_hobt_id(&db)?;
    report.redo = clock.monotonic().saturating_sub(began);

    // Undo.
    let began = clock.monotonic();
    report.rolled_forward = analysis.committed;
    report.rolled_back = analysis.active.values().filter(|t| !t.txn.system).count() as u64;
    undo(&db, analysis.active)?;
    report.undo = clock.monotonic().saturating_sub(began);
    directory::load_pending(&db)?;
    match directory::free_all_pending(&db) {
        // The checkpoint below makes room; the rest is freed after that.
        Ok(()) | Err(StorageError::LogFull(_)) => {}
        Err(e) => return Err(e),
    }
    db.checkpoint(CheckpointKind::Internal)?;
    db.free_orphans();
    store.rarities.torn_repaired.fetch_add(report.torn_repaired, Ordering::Relaxed);
    Ok((db, report))
}

fn suspect(store: &Store, reason: &str) -> StorageError {
    store.mark_suspect(reason.to_owned());
    match store.check() {
        Err(e) => e,
        Ok(()) => StorageError::Misuse("a suspect database is suspect"),
    }
}

// ---- boot ----

fn check_header(volume: &dyn Volume, name: &str, path: &Path) -> StorageResult<()> {
    let mut page = Page::zeroed();
    let len = volume.len().map_err(|e| io_error("read", e))?;
    if len < 16 * PAGE_BYTES as u64 {
        return Err(not_primary(path));
    }
    volume.read_at(0, page.bytes_mut()).map_err(|e| io_error("read", e))?;
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
    match page.validate(PageId::new(1, 0)) {
        Ok(()) if file == 1 && page.kind() == Some(PageType::FileHeader) => Ok(()),
        _ => Err(not_primary(path)),
    }
}

fn read_boot(volume: &dyn Volume, name: &str, path: &Path) -> StorageResult<Boot> {
    let mut best: Option<Boot> = None;
    let mut why = String::new();
    for number in BOOT_PAGES {
        let id = PageId::new(1, number);
        let mut page = Page::zeroed();
        volume.read_at(id.file_offset(), page.bytes_mut()).map_err(|e| io_error("read", e))?;
        match Boot::decode(&mut page, id) {
            Ok(boot) if best.as_ref().is_none_or(|b| b.sequence < boot.sequence) => {
                best = Some(boot)
            }
            Ok(_) => {}
            Err(BootError::Newer(v)) => {
                return Err(StorageError::Sql(SqlError::new(948, &[&name, &v, &FORMAT_VERSION])));
            }
            Err(BootError::Damaged(what)) => why = what,
        }
    }
    best.ok_or_else(|| {
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

/// Where the log files are: where the boot page says, or, if the files were moved, beside the data file.
fn log_paths(
    instance: &StorageInstance,
    boot: &Boot,
    primary: &Path,
) -> StorageResult<Vec<PathBuf>> {
    let logs = boot.files.iter().filter(|f| f.kind == FileKind::Log);
    logs.map(|f: &BootFile| {
        let there = instance.env.disk.exists(&f.path).map_err(|e| io_error("read", e))?;
        let beside = || Some(primary.parent()?.join(f.path.file_name()?));
        Ok(if there { f.path.clone() } else { beside().unwrap_or_else(|| f.path.clone()) })
    })
    .collect()
}

/// Writes the images of the double-write region over pages that are not whole.
fn repair_torn_pages(store: &Store) -> StorageResult<u64> {
    let file = store.primary();
    let mut repaired = 0;
    let images =
        read_double_write(&mut |number, page| store.read_raw(PageId::new(1, number), page))?;
    for (id, mut image) in images {
        let Some(home) = store.file(id.file) else { continue };
        let mut page = Page::zeroed();
        let len = home.volume.len().map_err(|e| io_error("read", e))?;
        if id.file_offset() + PAGE_BYTES as u64 > len {
            continue;
        }
        home.volume.read_at(id.file_offset(), page.bytes_mut()).map_err(|e| io_error("read", e))?;
        if page.validate(id).is_err() {
            write_page(&*home.volume, id, &mut image).map_err(|e| io_error("write", e))?;
            repaired += 1;
        }
    }
    if repaired > 0 {
        file.volume.sync().map_err(|e| io_error("write", e))?;
    }
    Ok(repaired)
}

// ---- redo ----

fn redo(
    db: &Arc<Database>,
    from: LogPos,
    checkpoint: LogPos,
    report: &mut RecoveryReport,
) -> StorageResult<()> {
    let store = &db.store;
    let mut reader = store.log().reader(from).map_err(|e| store.log_error(e))?;
    let mut damaged: HashMap<PageId, StorageError> = HashMap::new();
    let mut rows = RowCounts::default();
    loop {
        let next = reader.next().map_err(|e| store.log_error(e))?;
        let Some(r) = next else { break };
        if r.header.op == Lop::FileHdrModify {
            redo_file_size(db, &r)?;
            continue;
        }
        if !record::changes_page(r.header.op) {
            continue;
        }
        rows.see(&r, checkpoint);
        if redo_on_page(db, &r, &mut damaged)? {
            report.redone += 1;
        }
    }
    if let Some((page, e)) = damaged.into_iter().next() {
        return Err(suspect(
            store,
            &format!("page {page} is damaged and the log does not rebuild it: {e}"),
        ));
    }
    rows.counts.retain(|_, n| *n != 0);
    *db.found_rows.lock() = rows.counts;
    Ok(())
}

/// Row counts besides those in the directory. A checkpoint writes counts that have changed into the directory, before its begin record: an
/// entry that is written says how many rows there were then, and one that is not written was right at the begin record.
#[derive(Default)]
struct RowCounts {
    counts: HashMap<HobtId, i64>,
    written: HashSet<HobtId>,
    begun: bool,
}

impl RowCounts {
    fn see(&mut self, r: &Record<'_>, checkpoint: LogPos) {
        if !self.begun && r.pos >= checkpoint {
            self.begun = true;
            let written = std::mem::take(&mut self.written);
            self.counts.retain(|id, _| written.contains(id));
        }
        let h = &r.header;
        if h.hobt == DIRECTORY
            && let Some(id) =
                row::whole_row(r).and_then(|row| directory::hobt_of_key(split_entry(row).0))
        {
            self.counts.insert(id, 0);
            self.written.insert(id);
        }
        let delta = row::row_delta(r);
        if delta != 0 {
            *self.counts.entry(h.hobt).or_default() += delta;
        }
    }
}

fn redo_file_size(db: &Database, r: &Record<'_>) -> StorageResult<()> {
    let store = &db.store;
    let Some((id, pages)) = xact::parse_file_size(r) else {
        return Err(suspect(store, "a record of a file's size is malformed"));
    };
    let Some(file) = store.file(id) else {
        return Err(suspect(store, &format!("the log names a file {id} that is not there")));
    };
    let now = file.pages.load(Ordering::Acquire);
    if pages > now {
        let have = file.volume.len().map_err(|e| io_error("read", e))? / PAGE_BYTES as u64;
        if have < u64::from(pages) {
            db.reserve_file(&file, now, pages)?;
        }
        file.pages.store(pages, Ordering::Release);
    }
    Ok(())
}

/// True if the page did not have the change yet.
fn redo_on_page(
    db: &Arc<Database>,
    r: &Record<'_>,
    damaged: &mut HashMap<PageId, StorageError>,
) -> StorageResult<bool> {
    let store = &db.store;
    let id = r.header.page;
    if let Some(file) = store.file(id.file) {
        file.mark_changed(id.page);
    }
    let format = r.header.op == Lop::FormatPage;
    let mut page = if format {
        damaged.remove(&id);
        db.pool().write_unread(store, id)?
    } else {
        if damaged.contains_key(&id) {
            return Ok(false);
        }
        match db.pool().write(store, id) {
            Ok(page) => page,
            Err(e @ StorageError::Corrupt(_)) => {
                damaged.insert(id, e);
                return Ok(false);
            }
            Err(e) => return Err(e),
        }
    };
    if !format {
        if page.lsn() >= r.pos {
            return Ok(false);
        }
        if page.lsn() != r.header.prev_page {
            let text = format!(
                "page {id} has LSN {:#x}, but the record at {:#x} ({}) was made on {:#x}",
                page.lsn().0,
                r.pos.0,
                r.header.op,
                r.header.prev_page.0
            );
            return Err(suspect(store, &text));
        }
    } else if page.lsn() >= r.pos {
        // An earlier record of the page has brought it in, whole, with this change.
        return Ok(false);
    }
    page.will_redo(store, r.pos);
    if let Err(what) = record::redo(&mut page, r) {
        let text = format!("redo of {} at {:#x} on page {id}: {what}", r.header.op, r.pos.0);
        return Err(suspect(store, &text));
    }
    page.set_lsn(r.pos);
    if format {
        page.was_formatted(r.pos);
    }
    Ok(true)
}

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
fn next_hobt_id(db: &Arc<Database>) -> StorageResult<()> {
    let highest = directory::entries(db)?.last().map_or(0, |(id, _)| id.0);
    db.next_hobt.fetch_max(highest + 1, Ordering::Relaxed);
    Ok(())
}

// ---- undo ----

fn undo(db: &Arc<Database>, losers: BTreeMap<u64, Loser>) -> StorageResult<()> {
    let mut system = Vec::new();
    let mut users = Vec::new();
    for loser in losers.into_values() {
        let t = loser.txn;
        let entry = db.txns.adopt(&t);
        let mut log = TxLog::new(t.id);
        (log.first, log.last, log.undo_next) = (t.first, t.last, t.undo_next);
        db.log().reserve_recovered(&mut log, loser.undo_bytes);
        let work = Work::recovered(db.clone(), log, entry);
        if t.system { system.push(work) } else { users.push(work) }
    }
    let result = undo_losers(db, system, users);
    if let Err(e) = &result {
        db.store.mark_suspect(format!("undo failed: {e}"));
    }
    result
}

fn undo_losers(db: &Arc<Database>, mut system: Vec<Work>, users: Vec<Work>) -> StorageResult<()> {
    // The latest record of all of them first: a structure change that another was built upon goes after it.
    while let Some(latest) = (0..system.len()).max_by_key(|&i| system[i].log.undo_next) {
        if rollback::with_room(db, || rollback::undo_one(&mut system[latest]))? {
            continue;
        }
        let mut done = system.swap_remove(latest);
        rollback::with_room(db, || rollback::finish_rollback(&mut done, &mut []))?;
    }
    for mut work in users {
        rollback::with_room(db, || rollback::finish_rollback(&mut work, &mut []))?;
        db.free_orphans();
    }
    Ok(())
}
