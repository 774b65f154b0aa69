//! A new database's files.
//!
//! The pages that every database begins with are written to the file directly, and made durable before the first boot page: a file without
//! a valid boot page is no database. From then on every change is logged.
//!
//! Page 0, the file header, is written once. From offset 96 on: `TAFFRAIL`, u16 format version, u16 file id, the database's GUID,
//! u64 feature bits.

use std::path::Path;
use std::sync::Arc;

use taffrail_base::{
    DatabaseId, FileId, HobtId, IndexId, LogPos, Lsn, ObjectId, PAGE_BYTES, PageId, SqlError,
};
use taffrail_io::{Env, IoError, IoReason, OpenSpec, SettlingDisk};
use taffrail_log::{Log, LogAnchor, LogFileSpec, LogOptions};
use taffrail_observe::DatabaseCounters;

use super::boot::{Boot, BootFile, FORMAT_VERSION};
use super::write_page;
use crate::access::HobtKind;
use crate::access::directory::{Entry, hobt_key};
use crate::access::filelist::{self, FileRow};
use crate::access::node::entry_header;
use crate::buffer::FileSettings;
use crate::buffer::{DataFile, Store};
use crate::codec::Put;
use crate::database::{CheckpointKind, CreateSpec, DataFileSpec, Database, FileKind};
use crate::error::{PageIo, StorageError, StorageResult};
use crate::instance::StorageInstance;
use crate::layout::{
    BOOT_PAGES, DIRECTORY, DIRECTORY_IAM, DIRECTORY_ROOT, EXTENT_PAGES, FIRST_USER_HOBT,
    FIRST_USER_PAGE, INTERVAL_PAGES, LAST_SYSTEM_HOBT, MIN_FILE_PAGES,
};
use crate::page::{
    BITMAP_BITS, Format, HEADER_BYTES, PFS_ALLOCATED, PFS_PAGES, Page, PageType, SLOT_BYTES,
};

/// Starts the content of a file header page.
pub(crate) const FILE_MAGIC: &[u8; 8] = b"TAFFRAIL";

/// The error for a failed I/O that is not on a page.
pub(crate) fn io_error(operation: &'static str, source: IoError) -> StorageError {
    StorageError::Io(Box::new(PageIo { operation, offset: 0, source }))
}

/// 5123: what the operating system has against a new file.
pub(crate) fn cannot_create(e: &IoError) -> StorageError {
    StorageError::Sql(SqlError::new(5123, &[&e.system_error(), &e.path.display()]))
}

/// Removes a file if it is there, durably.
pub(crate) fn remove_file(env: &Env, path: &Path) -> StorageResult<()> {
    remove_files(env, &[path])
}

/// Removes those of the files that are there, durably.
pub(crate) fn remove_files(env: &Env, paths: &[&Path]) -> StorageResult<()> {
    let mut dirs: Vec<&Path> = Vec::new();
    let removed = (|| {
        for path in paths {
            if !env.disk.exists(path)? {
                continue;
            }
            env.disk.remove(path)?;
            dirs.extend(path.parent().filter(|dir| !dirs.contains(dir)));
        }
        dirs.iter().try_for_each(|dir| env.disk.sync_dir(dir))
    })();
    removed.map_err(|e| io_error("write", e))
}

/// The bitmap pages of a file with this many pages: (page, bytes).
fn initial_maps(file: FileId, pages: u32) -> Vec<(PageId, Box<Page>)> {
    let mut out = Vec::new();
    let mut add = |page: u32, kind: PageType, first_unit: u32| {
        let id = PageId { file, page };
        let mut p = Page::zeroed();
        p.format(&Format { first_unit, ..Format::new(id, kind) });
        p.set_free_start(PAGE_BYTES as u16);
        match kind {
            PageType::Gam => {
                let used = if first_unit == 0 { FIRST_USER_PAGE / EXTENT_PAGES } else { 1 };
                p.set_bits(used, BITMAP_BITS - used, true);
            }
            PageType::Pfs if first_unit == 0 => {
                p.set_pfs(0, &[PFS_ALLOCATED; FIRST_USER_PAGE as usize]);
            }
            _ => {}
        }
        out.push((id, p));
    };
    add(1, PageType::Pfs, 0);
    for page in (PFS_PAGES..pages).step_by(PFS_PAGES as usize) {
        add(page, PageType::Pfs, page);
    }
    for start in (0..pages).step_by(INTERVAL_PAGES as usize) {
        if start + EXTENT_PAGES <= pages {
            add(start + 2, PageType::Gam, start);
            add(start + 6, PageType::DiffMap, start);
            add(start + 7, PageType::MlMap, start);
        }
    }
    out
}

pub(crate) fn file_header(file: FileId, guid: &[u8; 16]) -> Box<Page> {
    let mut b = Vec::new();
    b.bytes(FILE_MAGIC);
    b.u16(FORMAT_VERSION);
    b.u16(file.0);
    b.bytes(guid);
    // Feature bits.
    b.u64(0);
    let mut p = Page::zeroed();
    p.format(&Format::new(PageId { file, page: 0 }, PageType::FileHeader));
    p.bytes_mut()[HEADER_BYTES..HEADER_BYTES + b.len()].copy_from_slice(&b);
    p
}

/// The directory as a new database has it: every system tree, none with a page yet, and itself; its files, as many as there is room for.
fn first_directory(files: &[(FileId, FileRow)]) -> (Box<Page>, Box<Page>) {
    let owned = |kind, id: PageId| Format {
        hobt: DIRECTORY,
        object: DIRECTORY.0 as i32,
        index: 1,
        ..Format::new(id, kind)
    };
    let mut iam = Page::zeroed();
    iam.format(&owned(PageType::Iam, DIRECTORY_IAM));
    let mut root = Page::zeroed();
    root.format(&owned(PageType::Index, DIRECTORY_ROOT));
    for id in 1..=LAST_SYSTEM_HOBT {
        let entry = Entry::new(HobtKind::BTree, ObjectId(id as i32), IndexId(1)).encode();
        let key = hobt_key(HobtId(id));
        root.insert_row(root.slots().into(), &[&entry_header(0, &key), &key, &entry]);
    }
    for (id, row) in files {
        let (key, value) = filelist::entry(*id, row);
        let header = entry_header(0, &key);
        if usize::from(root.free_bytes()) < header.len() + key.len() + value.len() + SLOT_BYTES {
            break;
        }
        root.insert_row(root.slots().into(), &[&header, &key, &value]);
    }
    (iam, root)
}

/// There is no file of that name, or an empty one.
fn is_free(env: &Env, path: &Path) -> Result<bool, IoError> {
    if !env.disk.exists(path)? {
        return Ok(true);
    }
    env.disk.open(path, OpenSpec::PLAIN.read_only())?.is_empty()
}

impl Database {
    /// Makes the files and opens the database; files that are there and empty are its own. On error no file is left. A temporary
    /// database's old files are replaced.
    pub fn create(
        instance: &Arc<StorageInstance>,
        id: DatabaseId,
        name: &str,
        spec: &CreateSpec,
    ) -> StorageResult<Arc<Database>> {
        Database::create_on(instance, &instance.env, id, name, spec)
    }

    /// As [`Self::create`], for a caller whose next start removes these files after a crash:
    /// nothing of the database is durable before [`SettlingDisk::settle`], and the many small steps
    /// of its making wait for no device.
    pub fn create_unsettled(
        instance: &Arc<StorageInstance>,
        id: DatabaseId,
        name: &str,
        spec: &CreateSpec,
    ) -> StorageResult<(Arc<Database>, Arc<SettlingDisk>)> {
        let disk = Arc::new(SettlingDisk::new(instance.env.disk.clone()));
        let env = Env { disk: disk.clone(), ..instance.env.clone() };
        Ok((Database::create_on(instance, &env, id, name, spec)?, disk))
    }

    fn create_on(
        instance: &Arc<StorageInstance>,
        env: &Env,
        id: DatabaseId,
        name: &str,
        spec: &CreateSpec,
    ) -> StorageResult<Arc<Database>> {
        let [primary] = &spec.data_files[..] else {
            return Err(StorageError::Misuse("a database has exactly one data file for now"));
        };
        let _why = IoReason::Creation.begin();
        let all: Vec<&Path> =
            spec.data_files.iter().chain(&spec.log_files).map(|f| f.path.as_path()).collect();
        for path in &all {
            if spec.temporary {
                remove_file(env, path)?;
            } else if !is_free(env, path).map_err(|e| io_error("read", e))? {
                let shown = path.display();
                return Err(StorageError::Sql(SqlError::new(5170, &[&shown])));
            }
        }
        // A database that had this id and was given up may have left pages.
        instance.pool.unregister(id);
        instance.pool.discard(id);
        let made = create_files(instance, env, id, name, spec, primary);
        if made.is_err() {
            instance.pool.unregister(id);
            instance.pool.discard(id);
            for path in &all {
                // The first error is the one to report; what cannot be removed is in the way of the next attempt, which says so.
                let _ = remove_file(&instance.env, path);
            }
        }
        made
    }
}

fn create_files(
    instance: &Arc<StorageInstance>,
    env: &Env,
    id: DatabaseId,
    name: &str,
    spec: &CreateSpec,
    primary: &DataFileSpec,
) -> StorageResult<Arc<Database>> {
    let guid = env.entropy.guid();
    let pages = (primary.size / PAGE_BYTES as u64).max(MIN_FILE_PAGES.into());
    let pages = u32::try_from(pages)
        .map_err(|_| StorageError::Misuse("a data file is too large"))?
        / EXTENT_PAGES
        * EXTENT_PAGES;
    let counters = Arc::new(DatabaseCounters::default());
    let mark = Page::mark_of(&guid);
    let clock = env.clock.clone();
    let store = Arc::new(Store::new(id, name, spec.temporary, mark, counters, clock));
    let fail = |e: IoError| match e.is_full() {
        true => cannot_create(&e),
        false => io_error("write", e),
    };
    let volume = taffrail_io::create_or_take_empty(&*env.disk, &primary.path, OpenSpec::DATA)
        .map_err(fail)?;
    let bytes = u64::from(pages) * PAGE_BYTES as u64;
    taffrail_io::reserve(&*env.disk, &*volume, 0, bytes).map_err(fail)?;
    let first = FileId(1);
    let files = boot_files(spec, pages);
    let rows: Vec<(FileId, FileRow)> = files.iter().map(|f| (f.id, f.row())).collect();
    let (mut iam, mut root) = first_directory(&rows);
    let mut header = file_header(first, &guid);
    let written = (|| {
        write_page(&*volume, PageId { file: first, page: 0 }, &mut header)?;
        for (id, mut page) in initial_maps(first, pages) {
            write_page(&*volume, id, &mut page)?;
        }
        write_page(&*volume, DIRECTORY_IAM, &mut iam)?;
        write_page(&*volume, DIRECTORY_ROOT, &mut root)
    })();
    written.map_err(fail)?;
    let settings = FileSettings {
        name: primary.name.clone(),
        path: primary.path.clone(),
        growth: primary.growth,
        max_size: primary.max_size,
    };
    store.add_file(Arc::new(DataFile::new(first, volume, pages, settings)));

    let logs = files.iter().filter(|f| f.kind == FileKind::Log).zip(&spec.log_files);
    let log_specs: Vec<LogFileSpec> = logs
        .map(|(line, f)| LogFileSpec {
            id: line.id.0,
            path: f.path.clone(),
            size: f.size,
            growth: f.growth,
            max_size: f.max_size.unwrap_or(taffrail_log::LOG_FILE_BYTES_MAX),
        })
        .collect();
    let log = Log::create(env, &log_specs, log_options(instance, &store, &spec.options), guid)
        .map_err(|e| open_log_error(&store, e))?;
    store.set_log(log.clone());
    let start = log.appended();
    let boot = Boot {
        version: FORMAT_VERSION,
        sequence: 0,
        guid,
        created: env.clock.now_utc(),
        next_transaction: 1,
        next_hobt: FIRST_USER_HOBT,
        options: spec.options.clone(),
        checkpoint_lsn: Lsn::ZERO,
        checkpoint: LogPos::ZERO,
        scan_from: start,
        min: start,
        anchor: [0; LogAnchor::BYTES],
        log_chain: LogPos::ZERO,
        files,
        backup: crate::backup::BackupState::new(guid),
        redo_rate: (0, 0),
    };
    let db = Database::assemble(instance, store.clone(), boot);
    instance.pool.register(&store);
    db.register_log_holders();
    db.list_new_files()?;
    store.durable_min.store(start.0, std::sync::atomic::Ordering::Release);
    if !spec.temporary {
        // Everything above is durable before the boot page that a checkpoint writes first.
        store.primary().volume.sync().map_err(|e| io_error("write", e))?;
        for path in spec.data_files.iter().chain(&spec.log_files).map(|f| &f.path) {
            if let Some(dir) = path.parent() {
                env.disk.sync_dir(dir).map_err(|e| io_error("write", e))?;
            }
        }
        db.checkpoint(CheckpointKind::Creation)?;
    }
    Ok(db)
}

/// Settings of a database's log.
pub(crate) fn log_options(
    instance: &StorageInstance,
    store: &Store,
    options: &crate::database::DatabaseOptions,
) -> LogOptions {
    let s = &instance.options.log;
    let (initialization, vlf_algorithm) = s.growth_rules(options);
    LogOptions {
        database: store.id,
        vlf_algorithm,
        initialization,
        sector: s.sector,
        delayed_window: s.delayed_window,
        forced_flush_distance: u64::from(instance.pool.frames()) * taffrail_log::UNDO_BYTES_MIN,
        buffers: s.buffers,
        counters: store.counters.clone(),
        pieces: instance.log_pieces.clone(),
        ..LogOptions::default()
    }
}

/// The error for a log that cannot be made or opened.
pub(super) fn open_log_error(store: &Store, e: taffrail_log::LogError) -> StorageError {
    use taffrail_log::LogError;
    match e {
        LogError::Io(e) if e.is_full() => cannot_create(&e),
        LogError::Io(e) => super::moved::open_error(e),
        e @ LogError::Sector { .. } => match crate::error::refused_log(e) {
            Ok(refused) => refused,
            Err(other) => suspect(store, &other),
        },
        other => suspect(store, &other),
    }
}

fn suspect(store: &Store, why: &taffrail_log::LogError) -> StorageError {
    store.mark_suspect(why.to_string());
    StorageError::Suspect(Box::new(crate::error::SuspectReason {
        database: store.name(),
        reason: why.to_string(),
    }))
}

fn boot_files(spec: &CreateSpec, pages: u32) -> Vec<BootFile> {
    let file = |id: u16, kind, f: &DataFileSpec, pages| BootFile {
        id: FileId(id),
        kind,
        name: f.name.clone(),
        path: f.path.clone(),
        pages,
        growth: f.growth,
        max_size: f.max_size,
    };
    let mut files = vec![file(1, FileKind::Rows, &spec.data_files[0], pages)];
    for (i, f) in spec.log_files.iter().enumerate() {
        files.push(file(2 + i as u16, FileKind::Log, f, 0));
    }
    files
}

/// The page numbers of the boot page's copies.
pub(crate) fn boot_page(sequence: u64) -> PageId {
    PageId::new(1, BOOT_PAGES[(sequence % 2) as usize])
}
