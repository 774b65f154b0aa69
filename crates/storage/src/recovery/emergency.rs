//! EMERGENCY: a database is opened as its data file is, so that what can be read of it can be read.
//!
//! Nothing is recovered: the log is not looked at, no page is repaired, and what had not ended when the files were left is there, or a part
//! of it is. Pages that are damaged are errors (824) to who reads them, and to nobody else.
//!
//! 1. Nothing is written to the database's files. Whoever wants to change something, in a transaction or beside one, hears 3908.
//! 2. A log of its own, whose file has no name any more, stands in for the real one, so that nobody needs to ask whether there is one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taffrail_base::{DatabaseId, FileId, PAGE_BYTES, SqlError};
use taffrail_io::{IoReason, OpenSpec as IoOpenSpec, Volume};
use taffrail_log::{Log, LogFileSpec};
use taffrail_observe::DatabaseCounters;

use super::boot::{Boot, FORMAT_VERSION};
use super::create::{io_error, log_options, open_log_error};
use super::moved::open_error;
use super::restart::{check_header, next_hobt_id, read_boot};
use crate::buffer::{DataFile, FileSettings, Store};
use crate::database::{Database, FileKind, OpenSpec};
use crate::error::{StorageError, StorageResult};
use crate::instance::StorageInstance;
use crate::page::Page;

/// The size of the log that stands in, bytes.
const LOG_BYTES: u64 = 1 << 20;

impl Database {
    /// Opens a database as its primary file is, without its log, to be read. An error: not even its boot page is readable, or the file
    /// is of another version.
    pub fn open_emergency(
        instance: &Arc<StorageInstance>,
        id: DatabaseId,
        name: &str,
        spec: &OpenSpec,
    ) -> StorageResult<Arc<Database>> {
        instance.pool.unregister(id);
        instance.pool.discard(id);
        let opened = open(instance, id, name, spec);
        if opened.is_err() {
            instance.pool.unregister(id);
            instance.pool.discard(id);
        }
        opened
    }

    /// It was opened by [`Database::open_emergency`].
    pub fn is_emergency(&self) -> bool {
        self.emergency.load(Ordering::Acquire)
    }

    /// 3908 where nothing may be changed because nothing was recovered.
    pub fn refuse_in_emergency(&self) -> StorageResult<()> {
        match self.is_emergency() {
            true => Err(StorageError::Sql(SqlError::new(3908, &[&self.name()]))),
            false => Ok(()),
        }
    }
}

fn open(
    instance: &Arc<StorageInstance>,
    id: DatabaseId,
    name: &str,
    spec: &OpenSpec,
) -> StorageResult<Arc<Database>> {
    let env = &instance.env;
    let _why = IoReason::Recovery.begin();
    let volume = env.disk.open(&spec.primary, IoOpenSpec::DATA).map_err(open_error)?;
    check_header(&*volume, name, &spec.primary)?;
    let (mut boot, oldest, _) = read_boot(&*volume, name, &spec.primary)?;
    if boot.backup.restoring.is_some() {
        return Err(StorageError::Restoring(name.into()));
    }
    if oldest < FORMAT_VERSION {
        return Err(StorageError::Misuse(
            "files of an earlier format are recovered before they are read",
        ));
    }
    let counters = Arc::new(DatabaseCounters::default());
    let mark = Page::mark_of(&boot.backup.marked());
    // Temporary: no checkpoint writes anything of it.
    let store = Arc::new(Store::new(id, name, true, mark, counters, env.clock.clone()));
    add_file(&store, volume, &boot, &spec.primary)?;
    let log = stand_in(instance, &store, &boot, &spec.primary)?;
    let start = log.appended();
    store.set_log(log);
    (boot.checkpoint, boot.scan_from, boot.min) = (start, start, start);
    store.durable_min.store(start.0, Ordering::Release);
    let db = Database::assemble(instance, store.clone(), boot);
    db.emergency.store(true, Ordering::Release);
    instance.pool.register(&store);
    // The directory may be damaged: names of files, and ids that nobody gives out.
    let _ = db.read_file_list();
    let _ = next_hobt_id(&db);
    Ok(db)
}

/// The data file, as far as it goes.
fn add_file(store: &Store, volume: Arc<dyn Volume>, boot: &Boot, path: &Path) -> StorageResult<()> {
    let line = boot.files.iter().find(|f| f.kind == FileKind::Rows && f.id == FileId(1));
    let line = line.ok_or(StorageError::Misuse("the boot page does not name the primary file"))?;
    let bytes = volume.len().map_err(|e| io_error("read", e))?;
    let there = u32::try_from(bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
    let settings = FileSettings {
        name: line.name.clone(),
        path: path.to_owned(),
        growth: line.growth,
        max_size: line.max_size,
    };
    let pages = line.pages.min(there);
    store.add_file(Arc::new(DataFile::new(line.id, volume, pages, settings)));
    Ok(())
}

/// An empty log, whose file is removed as soon as it is open.
fn stand_in(
    instance: &Arc<StorageInstance>,
    store: &Store,
    boot: &Boot,
    primary: &Path,
) -> StorageResult<Arc<Log>> {
    let disk = &instance.env.disk;
    // Behind the whole name: with another extension it could be a file of the database.
    let mut path = primary.as_os_str().to_owned();
    path.push(".emergency");
    let path = PathBuf::from(path);
    // A crash between making and removing it.
    if disk.exists(&path).map_err(open_error)? {
        disk.remove(&path).map_err(|e| io_error("write", e))?;
    }
    let file = LogFileSpec {
        id: 2,
        path: path.clone(),
        size: LOG_BYTES,
        growth: taffrail_log::Growth::None,
        max_size: LOG_BYTES,
    };
    let options = log_options(instance, store, &boot.options);
    let made = Log::create(&instance.env, &[file], options, boot.guid);
    let removed = disk.remove(&path).map_err(|e| io_error("write", e));
    let log = made.map_err(|e| open_log_error(store, e))?;
    removed.map(|()| log)
}
