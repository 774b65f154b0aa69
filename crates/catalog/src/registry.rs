//! The databases of an instance: which there are, which are open; their creation and removal, safe at any crash.
//!
//! ```text
//! create   row in master, Creating ─► empty files ─► row: they are its own ─► files ─► catalogue, durable ─► row Online ─► known
//! drop     row Dropping ─► closed ─► files removed ─► row removed ─► unknown
//! start    Creating, Dropping: files removed, row removed;   Online: opened and recovered
//!          (Creating: only those that the row calls its own, and empty ones, see `half_made`)
//! ```
//! The system databases of a new data directory are made under a marker file; if it is found at start, the making was
//! interrupted, nothing can have been stored, and it begins again. tempdb is made anew at every start.
//!
//! 1. A database that is not in `slots` cannot be named by anybody; one that is being dropped has its name to the end.
//! 2. No two rows name the same file; should they, a start removes only files that no other row names, nor another process has open.
//! 3. `changing` is held by whoever creates, drops or renames a database.
//! 4. An open database comes and goes in [`Databases::put`] and nowhere else. One that goes, whyever, is retired there and takes all
//!    plans with it: none is ever run that was made for another opening of a database.

mod attached;
mod cloned;
mod collated;
mod configured;
mod emergency;
mod lifecycle;
mod moved;
mod offline;
mod owned;
mod problem;
mod rename;
mod restoring;
mod startup;
mod state;

pub use attached::NotAttached;
pub use collated::{collation_of, with_collation};
pub use configured::{FileChange, FileDefaults};
pub use problem::Problem;
pub use restoring::Taken;
pub use startup::StartReport;

use super::master::{self, DatabaseEntry, EntryState};
use super::messages::UserMessages;
use super::{Catalog, datetime_now, fold};
use crate::database::Database;
use parking_lot::{Mutex, RwLock};
use startup::Starting;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_storage::{
    ClosedPages, CreateSpec, DataFileSpec, DatabaseOptions, Growth, LOG_FILE_BYTES_MAX, OpenSpec,
    RecoveryModel, RecoveryReport, StorageError, StorageInstance,
};
use taffrail_types::Collation;

/// The flag of a database that is in `SINGLE_USER`.
pub const FLAG_SINGLE_USER: u64 = 1;
/// The flag of a database that is in `RESTRICTED_USER`.
pub const FLAG_RESTRICTED_USER: u64 = 2;
/// The flag of a database that is `READ_ONLY`.
pub use taffrail_storage::FLAG_READ_ONLY;
/// The flag of a database with `CURSOR_DEFAULT LOCAL`.
pub const FLAG_LOCAL_CURSORS: u64 = 8;
/// The flag of a database with `RECURSIVE_TRIGGERS ON`.
pub const FLAG_RECURSIVE_TRIGGERS: u64 = 16;
/// The flag of a database with `CONTAINMENT = PARTIAL`.
pub const FLAG_CONTAINED: u64 = 128;
/// The flag of a database with the scoped configuration `TSQL_SCALAR_UDF_INLINING = OFF`: scalar functions are called.
pub const FLAG_FUNCTIONS_CALLED: u64 = 1 << 16;
/// The flag of a database with the scoped configuration `PIPELINED_COMMIT = ON`: commits release their locks ahead of the disk.
pub const FLAG_PIPELINED_COMMIT: u64 = 1 << 17;

/// The bytes of a megabyte.
pub const MB: u64 = 1 << 20;
/// The size of a database's files when nothing is said, and their growth.
pub const DEFAULT_SIZE: u64 = 8 * MB;
/// The growth of a database's files when nothing is said, bytes.
pub(crate) const DEFAULT_GROWTH: u64 = 64 * MB;

/// `nested triggers` among the configuration options.
pub const NESTED_TRIGGERS: i32 = 115;
/// `server trigger recursion`: triggers of the server fire for what they do themselves.
pub const SERVER_TRIGGER_RECURSION: i32 = 116;
/// `configuration_id` of `contained database authentication`.
pub const CONTAINED_AUTHENTICATION: i32 = 16_393;
/// `pipelined commit` among the configuration options: one of the product's own.
pub const PIPELINED_COMMITS: i32 = 17_001;
/// `max server memory (MB)` among the configuration options.
pub const MAX_SERVER_MEMORY: i32 = 1544;

/// The size of model's data file as it is made.
const MODEL_SIZE: u64 = 4 * MB;

/// The security identifier of sa.
pub const SA_SID: [u8; 1] = [1];

/// The version of the format, as `DATABASEPROPERTYEX(…, 'Version')` and `compatibility_level` show SQL Server 2022's.
pub const COMPATIBILITY_LEVEL: u8 = 160;

/// A database of the instance.
#[derive(Clone)]
pub struct Slot {
    /// Its row in master.
    pub entry: DatabaseEntry,
    /// When it is open.
    pub database: Option<Arc<Database>>,
    /// Why it is not open though it should be.
    pub problem: Option<Problem>,
    /// A start is recovering it, or is going to.
    pub recovering: bool,
}

/// A cache of things, such as plans, that hold open databases.
pub trait MadeOfDatabases: Send + Sync {
    /// A database is gone: whatever may hold it goes, so that its files are closed.
    fn forget_all(&self);
}

/// All databases of an instance.
pub struct Databases {
    storage: Arc<StorageInstance>,
    data_dir: PathBuf,
    slots: RwLock<Vec<Slot>>,
    /// The cache of things that hold open databases.
    made_of: Arc<dyn MadeOfDatabases>,
    changing: Mutex<()>,
    /// Those that a restore works on, or that are being taken offline.
    busy: Mutex<Vec<DatabaseId>>,
    /// Ids above have not been given out by this process.
    last_id: AtomicU16,
    /// Configuration options as they are in force: those of the start, or of the last RECONFIGURE.
    running: RwLock<Vec<(i32, i64)>>,
    /// `max server memory (MB)` as it was set, of which requests have their share.
    wanted_mb: AtomicU64,
    /// Trace flags that are on for all sessions.
    trace_flags: Mutex<Vec<i64>>,
    /// The databases that a start has left to be recovered.
    starting: Starting,
    messages: UserMessages,
}

fn sql(e: StorageError) -> Box<SqlError> {
    e.to_sql()
}

fn io(e: taffrail_io::IoError) -> Box<SqlError> {
    SqlError::new(5105, &[&format_args!("{}: {}", e.path.display(), e.source)])
}

/// The file in a data directory whose presence says that its databases are still being made.
pub const MARKER: &str = "initializing";

impl Databases {
    /// Opens the system databases of a data directory, or creates them with this collation, and opens the others; or, with `later`,
    /// leaves them to who calls [`Databases::recover_next`].
    pub fn start(
        storage: &Arc<StorageInstance>,
        data_dir: &Path,
        collation: Collation,
        made_of: Arc<dyn MadeOfDatabases>,
        later: bool,
    ) -> SqlResult<(Databases, Vec<StartReport>)> {
        let all = Databases {
            storage: storage.clone(),
            data_dir: data_dir.into(),
            slots: RwLock::default(),
            made_of,
            changing: Mutex::new(()),
            busy: Mutex::default(),
            last_id: AtomicU16::new(4),
            running: RwLock::default(),
            wanted_mb: AtomicU64::new(0),
            trace_flags: Mutex::default(),
            starting: Starting::default(),
            messages: UserMessages::default(),
        };
        let mut reports = Vec::new();
        let disk = &storage.env.disk;
        let marker = data_dir.join(MARKER);
        let begun = disk.exists(&marker).map_err(io)?;
        if begun {
            for name in ["master", "model", "msdb"] {
                all.remove_files(&all.default_files(name))?;
            }
        }
        let fresh = !disk.exists(&all.primary("master")).map_err(io)?;
        if fresh {
            if !begun {
                disk.create(&marker, taffrail_io::OpenSpec::PLAIN).map_err(io)?;
            }
            disk.sync_dir(data_dir).map_err(io)?;
            for (id, name, size, model) in [
                (1, "master", 4 * MB, RecoveryModel::Simple),
                (3, "model", MODEL_SIZE, RecoveryModel::Full),
                (4, "msdb", 4 * MB, RecoveryModel::Simple),
            ] {
                let mut spec = all.spec(name, size, 2 * MB, model);
                spec.options.engine_flags = with_collation(0, collation);
                all.create_system(DatabaseId(id), name, spec)?;
            }
            disk.remove(&marker).map_err(io)?;
            disk.sync_dir(data_dir).map_err(io)?;
        } else {
            let report = all.open_master()?;
            reports.push(StartReport::of(DatabaseId(1), "master", Ok(report)));
            all.open_others(&mut reports)?;
            if !later {
                while all.recover_next(&|_| {}, &mut |report| reports.push(report)) {}
            }
        }
        all.create_tempdb()?;
        all.reconfigure()?;
        Ok((all, reports))
    }

    /// `RECONFIGURE`: what `sp_configure` has set comes into force.
    pub fn reconfigure(&self) -> SqlResult<()> {
        let set = master::configurations(&self.master_storage()?)?;
        let memory = set.iter().find(|(id, _)| *id == MAX_SERVER_MEMORY).map(|(_, mb)| *mb);
        self.use_memory(memory);
        *self.running.write() = set;
        Ok(())
    }

    /// The budget that the server was started with, in MB.
    fn budget_mb(&self) -> u64 {
        (self.storage.options.pool_bytes / 3 * 4) >> 20
    }

    /// `max server memory (MB)`, as far as the budget that the server was started with allows. The buffer pool has three quarters of it at
    /// most, and gives back what it has beyond that.
    fn use_memory(&self, configured: Option<i64>) {
        let budget = self.budget_mb();
        let wanted = configured.and_then(|mb| u64::try_from(mb).ok()).unwrap_or(budget).min(budget);
        self.storage.pool.set_target((wanted << 20) / 4 * 3);
        self.wanted_mb.store(wanted, Ordering::Relaxed);
    }

    /// The memory budget that requests have their share of, in MB: `max server memory (MB)` as RECONFIGURE has found it.
    pub fn memory_of_requests_mb(&self) -> u64 {
        self.wanted_mb.load(Ordering::Relaxed)
    }

    /// The memory budget that is in force, in MB: what the pool still has beyond its part belongs to it.
    pub fn memory_mb(&self) -> u64 {
        let needed = (self.storage.pool.in_force() / 3 * 4).div_ceil(MB);
        self.memory_of_requests_mb().max(needed).min(self.budget_mb().max(1))
    }

    /// The value that `sp_configure` has set of an option; none: its default.
    pub fn configured_value(&self, id: i32) -> SqlResult<Option<i64>> {
        let set = master::configurations(&self.master_storage()?)?;
        Ok(set.into_iter().find(|(of, _)| *of == id).map(|(_, value)| value))
    }

    /// Configuration options as they are in force: configuration id, value. Those that are missing have their default.
    pub fn running_configurations(&self) -> Vec<(i32, i64)> {
        self.running.read().clone()
    }

    /// The messages of users' own.
    pub fn messages(&self) -> &UserMessages {
        &self.messages
    }

    /// The trace flags that are on for all sessions.
    pub fn trace_flags(&self) -> &Mutex<Vec<i64>> {
        &self.trace_flags
    }

    fn primary(&self, name: &str) -> PathBuf {
        self.data_dir.join(format!("{name}.mdf"))
    }

    /// Where a database's files are when nothing else is said.
    pub fn default_files(&self, name: &str) -> Vec<PathBuf> {
        vec![self.primary(name), self.data_dir.join(format!("{name}_log.ldf"))]
    }

    /// Where databases are kept.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// The parts of storage that all databases share.
    pub fn storage(&self) -> &Arc<StorageInstance> {
        &self.storage
    }

    fn remove_files(&self, files: &[PathBuf]) -> SqlResult<()> {
        let disk = &self.storage.env.disk;
        for file in files {
            if disk.exists(file).map_err(io)? {
                disk.remove(file).map_err(io)?;
            }
        }
        if let Some(dir) = files.first().and_then(|f| f.parent()) {
            disk.sync_dir(dir).map_err(io)?;
        }
        Ok(())
    }

    /// The specification of a database with default files of these sizes.
    fn spec(&self, name: &str, data: u64, log: u64, model: RecoveryModel) -> CreateSpec {
        let growth = Growth::Bytes(DEFAULT_GROWTH);
        let files = self.default_files(name);
        let plain_log = format!("{name}_log");
        let (data_name, log_name) = match name {
            "master" => ("master", "mastlog"),
            "tempdb" => ("tempdev", "templog"),
            "model" => ("modeldev", "modellog"),
            "msdb" => ("MSDBData", "MSDBLog"),
            _ => (name, &*plain_log),
        };
        let file = |name: &str, path: &Path, size, max_size| DataFileSpec {
            name: name.into(),
            path: path.into(),
            size,
            growth,
            max_size,
        };
        CreateSpec {
            data_files: vec![file(data_name, &files[0], data, None)],
            log_files: vec![file(log_name, &files[1], log, Some(LOG_FILE_BYTES_MAX))],
            options: default_options(model),
            temporary: false,
        }
    }

    fn create_system(&self, id: DatabaseId, name: &str, spec: CreateSpec) -> SqlResult<()> {
        let created =
            taffrail_storage::Database::create(&self.storage, id, name, &spec).map_err(sql)?;
        Catalog::bootstrap(&created)?;
        let entry = self.entry(id, name, &spec, EntryState::Online);
        let database = Database::opened(Database {
            id,
            name: name.into(),
            catalog: Arc::new(Catalog::open(&created)?),
            storage: created,
        });
        let master = if id.0 == 1 { database.storage.clone() } else { self.master_storage()? };
        master::put_database(&master, &entry)?;
        self.insert(Slot::open(entry, database));
        Ok(())
    }

    fn entry(
        &self,
        id: DatabaseId,
        name: &str,
        spec: &CreateSpec,
        state: EntryState,
    ) -> DatabaseEntry {
        let files = spec.data_files.iter().chain(&spec.log_files).map(|f| f.path.clone());
        DatabaseEntry {
            id,
            name: name.into(),
            files: files.collect(),
            made: Vec::new(),
            created: datetime_now(&*self.storage.env.clock),
            state,
            owner_sid: SA_SID.to_vec(),
            compatibility_level: COMPATIBILITY_LEVEL,
        }
    }

    fn open_master(&self) -> SqlResult<RecoveryReport> {
        let spec = OpenSpec::of(self.primary("master"));
        let opened =
            taffrail_storage::Database::open(&self.storage, DatabaseId(1), "master", &spec);
        let (storage, report) = opened.map_err(sql)?;
        let catalog = Arc::new(Catalog::open(&storage)?);
        let id = DatabaseId(1);
        let entry = master::databases(&storage)?.into_iter().find(|e| e.id == id);
        let entry = entry.ok_or_else(|| SqlError::new(911, &[&"master"]))?;
        let database = Database::opened(Database { id, name: "master".into(), storage, catalog });
        self.insert(Slot::open(entry, database));
        Ok(report)
    }

    /// Opens a database and makes it known, open or not.
    fn open_entry(&self, entry: DatabaseEntry) -> Result<RecoveryReport, Problem> {
        self.open_entry_over(entry, None)
    }

    /// As [`Self::open_entry`], with the pages that memory still has of the database.
    fn open_entry_over(
        &self,
        entry: DatabaseEntry,
        pages: Option<ClosedPages>,
    ) -> Result<RecoveryReport, Problem> {
        let open = || -> Result<(Arc<Database>, RecoveryReport), Problem> {
            let primary = entry.files.first().cloned();
            let primary =
                primary.ok_or_else(|| Problem::inaccessible("no file is recorded for it"))?;
            let spec = OpenSpec::of(primary);
            let opened = match pages {
                Some(pages) => pages.open_again(&entry.name, &spec),
                None => taffrail_storage::Database::open_deferred(
                    &self.storage,
                    entry.id,
                    &entry.name,
                    &spec,
                ),
            };
            let (storage, report) = opened.map_err(|e| Problem::of_storage(&e))?;
            let catalog = Catalog::open(&storage).map_err(|e| {
                give_up(&storage, "its catalogue cannot be read");
                Problem::of_catalogue(&e)
            })?;
            let name = entry.name.clone();
            let catalog = Arc::new(catalog);
            Ok((Database::opened(Database { id: entry.id, name, storage, catalog }), report))
        };
        match open() {
            Ok((database, report)) => {
                self.insert(Slot::open(entry, database));
                Ok(report)
            }
            Err(problem) => {
                self.insert(Slot::failed(entry, problem.clone()));
                Err(problem)
            }
        }
    }

    /// Makes a database known, or known as something else.
    fn insert(&self, slot: Slot) {
        self.put(slot.entry.id, Some(slot));
    }

    /// The database of this id is from now on what the slot says; `None`: there is none.
    fn put(&self, id: DatabaseId, slot: Option<Slot>) {
        let now = slot.as_ref().and_then(|s| s.database.clone());
        let gone = {
            let mut slots = self.slots.write();
            let before = slots.iter().position(|s| s.entry.id == id).map(|at| slots.remove(at));
            if let Some(database) = &now {
                database.catalog.revive();
                database.follow_versions();
            }
            slots.extend(slot);
            slots.sort_by_key(|s| s.entry.id);
            before.and_then(|s| s.database)
        };
        if let Some(gone) = gone.filter(|g| now.as_ref().is_none_or(|n| !Arc::ptr_eq(g, n))) {
            gone.catalog.retire();
            self.made_of.forget_all();
        }
    }

    fn master_storage(&self) -> SqlResult<Arc<taffrail_storage::Database>> {
        Ok(self.master()?.storage.clone())
    }

    /// The system database master.
    pub fn master(&self) -> SqlResult<Arc<Database>> {
        self.by_id(DatabaseId(1)).ok_or_else(|| SqlError::new(911, &[&"master"]))
    }

    /// The system database tempdb.
    pub fn tempdb(&self) -> SqlResult<Arc<Database>> {
        self.by_id(DatabaseId(2)).ok_or_else(|| SqlError::new(911, &[&"tempdb"]))
    }

    /// All of them, by id.
    pub fn list(&self) -> Vec<Slot> {
        self.slots.read().clone()
    }

    /// The open ones, by id.
    pub fn open(&self) -> Vec<Arc<Database>> {
        self.slots.read().iter().filter_map(|s| s.database.clone()).collect()
    }

    /// A database by name, open or not.
    pub fn slot(&self, name: &str) -> Option<Slot> {
        let slots = self.slots.read();
        if let Some(slot) = slots.iter().find(|s| s.entry.name == name) {
            return Some(slot.clone());
        }
        let key = fold(name);
        slots.iter().find(|s| fold(&s.entry.name) == key).cloned()
    }

    /// An open database by id.
    pub fn by_id(&self, id: DatabaseId) -> Option<Arc<Database>> {
        self.slots.read().iter().find(|s| s.entry.id == id)?.database.clone()
    }

    /// A database by name, to be used: 911 when there is none, 942, 927, 922, 945 or 926 when it is not open.
    pub fn get(&self, name: &str) -> SqlResult<Arc<Database>> {
        let Some(slot) = self.slot(name) else { return Err(SqlError::new(911, &[&name])) };
        let name = &slot.entry.name;
        match slot.database {
            Some(database) => match database.storage.state() {
                taffrail_storage::DatabaseState::Suspect(_) => Err(SqlError::new(926, &[name])),
                taffrail_storage::DatabaseState::Offline => Err(SqlError::new(942, &[name])),
                _ => Ok(database),
            },
            None if slot.entry.state == EntryState::Offline => Err(SqlError::new(942, &[name])),
            None if slot.entry.state == EntryState::Restoring => Err(SqlError::new(927, &[name])),
            None if slot.recovering => Err(SqlError::new(922, &[name])),
            None => match &slot.problem {
                Some(problem) => Err(problem.refusal(name)),
                None => Err(SqlError::new(945, &[name])),
            },
        }
    }

    /// Closes every database, master last. Transactions must have ended.
    pub fn close_all(&self) -> SqlResult<()> {
        let mut first = Ok(());
        let mut slots = self.list();
        slots.sort_by_key(|s| s.entry.id.0 == 1);
        for database in slots.into_iter().filter_map(|s| s.database) {
            let close = || -> SqlResult<()> {
                if database.id.0 != 2 && !database.storage.is_emergency() {
                    database.catalog.settle_sequences()?;
                }
                database.storage.close().map_err(sql)
            };
            // One that fails must not keep the others open.
            let closed = close();
            first = first.and(closed);
        }
        first
    }
}

/// Ends a database that cannot be used, so that nothing of it is left in memory.
fn give_up(storage: &Arc<taffrail_storage::Database>, why: &str) {
    storage.mark_suspect(why);
    // A suspect database is closed without I/O.
    let _ = storage.close();
}

/// The options of a new database.
pub(crate) fn default_options(recovery_model: RecoveryModel) -> DatabaseOptions {
    DatabaseOptions {
        recovery_model,
        delayed_durability: 0,
        target_recovery_time_s: 60,
        engine_flags: 0,
        ..DatabaseOptions::default()
    }
}
