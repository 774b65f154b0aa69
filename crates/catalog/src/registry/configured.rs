//! What new databases are made like: tempdb, at every start, with what was configured for it; others like model.
//!
//! tempdb's own files keep nothing, so master keeps its configuration, in `sysmasterfiles` and `sysmasteroptions`: what
//! MODIFY FILE and SET said last. What tempdb has grown to by itself is not a part of it. Without rows: the defaults.
//!
//! A file of a new database that nothing was said about is like model's of its kind: SIZE, FILEGROWTH, MAXSIZE. Of a file that
//! was described, only the size that was left out is model's (of the primary file alone); the rest has the defaults that the
//! documentation names. Options are model's: SET RECOVERY, DELAYED_DURABILITY, TARGET_RECOVERY_TIME, CURSOR_DEFAULT, the scoped
//! configuration of the log. Who may use model (SINGLE_USER) is not handed on.

use super::{
    Catalog, DEFAULT_GROWTH, DEFAULT_SIZE, Databases, EntryState, FLAG_LOCAL_CURSORS,
    FLAG_RECURSIVE_TRIGGERS, MODEL_SIZE, Slot, default_options, sql,
};
use crate::database::Database;
use crate::systab::{self, SystemTables, number, number_or_null};
use crate::versions::{FLAG_ALLOW_SNAPSHOT, FLAG_READ_COMMITTED_SNAPSHOT};
use std::sync::Arc;
use taffrail_base::{DatabaseId, FileId, SqlResult};
use taffrail_observe::{Event, EventRing, Whose};
use taffrail_storage::{
    BeginSpec, CreateSpec, DataFileSpec, DatabaseOptions, Durability, FileKind, Growth,
    Initialization, LOG_FILE_BYTES_MAX, RecoveryModel, StorageError, Transaction, VlfAlgorithm,
};
use taffrail_types::Value;

const TEMPDB: DatabaseId = DatabaseId(2);

/// The size, growth and limit of a file for which a statement gives none.
#[derive(Clone, Copy)]
pub struct FileDefaults {
    /// The size in bytes.
    pub size: u64,
    /// The value of FILEGROWTH.
    pub growth: Growth,
    /// The value of MAXSIZE, bytes; none is unlimited.
    pub max_size: Option<u64>,
}

impl FileDefaults {
    /// The defaults of a file that is described without growth and limit.
    pub const fn described(size: u64) -> FileDefaults {
        FileDefaults { size, growth: Growth::Bytes(DEFAULT_GROWTH), max_size: None }
    }
}

/// The facts that a new database takes from model.
pub struct Model {
    /// The defaults of the primary data file.
    pub data: FileDefaults,
    /// The defaults of the log file.
    pub log: FileDefaults,
    /// The options of the database.
    pub options: DatabaseOptions,
    /// A primary file may not be smaller, if model was made larger than it is by itself.
    pub least: Option<u64>,
}

/// The changes of a file that MODIFY FILE asks for.
#[derive(Clone, Copy, Default)]
pub struct FileChange<'a> {
    /// The new logical name: NEWNAME.
    pub name: Option<&'a str>,
    /// The new size in bytes: SIZE.
    pub size: Option<u64>,
    /// The new growth: FILEGROWTH.
    pub growth: Option<Growth>,
    /// MAXSIZE; `Some(None)` is UNLIMITED.
    pub max_size: Option<Option<u64>>,
}

impl FileChange<'_> {
    fn apply(self, file: &mut DataFileSpec) {
        if let Some(name) = self.name {
            file.name = name.into();
        }
        file.size = self.size.unwrap_or(file.size);
        file.growth = self.growth.unwrap_or(file.growth);
        file.max_size = self.max_size.unwrap_or(file.max_size);
    }
}

impl Databases {
    /// The facts that model hands on. A model that is not open hands nothing on.
    pub fn model(&self) -> Model {
        let mut model = Model {
            data: FileDefaults::described(DEFAULT_SIZE),
            log: FileDefaults::described(DEFAULT_SIZE),
            options: default_options(RecoveryModel::Full),
            least: None,
        };
        let Ok(database) = self.get("model") else { return model };
        let files = database.storage.files();
        let like = |kind| {
            let file = files.iter().find(|f| f.kind == kind)?;
            let size = file.size.max(DEFAULT_SIZE);
            Some(FileDefaults { size, growth: file.growth, max_size: file.max_size })
        };
        model.data = like(FileKind::Rows).unwrap_or(model.data);
        model.log = like(FileKind::Log).unwrap_or(model.log);
        let size = files.iter().find(|f| f.kind == FileKind::Rows).map(|f| f.size);
        model.least = size.filter(|&size| size > MODEL_SIZE);
        model.options = database.storage.options();
        let collation = database.collation();
        let handed_on = FLAG_LOCAL_CURSORS
            | FLAG_RECURSIVE_TRIGGERS
            | FLAG_READ_COMMITTED_SNAPSHOT
            | FLAG_ALLOW_SNAPSHOT;
        let handed_on = model.options.engine_flags & handed_on;
        model.options.engine_flags = super::with_collation(handed_on, collation);
        model
    }

    /// Makes tempdb, as configured. Where the disk has no room for that, as it is by default: a server without tempdb would
    /// not start, and nobody could change it.
    pub(super) fn create_tempdb(&self) -> SqlResult<()> {
        self.remove_files(&self.default_files("tempdb"))?;
        let plain = self.tempdb_by_default();
        let mut spec = plain.clone();
        self.read_tempdb(&mut spec)?;
        let make = |spec: &CreateSpec| {
            taffrail_storage::Database::create(&self.storage, TEMPDB, "tempdb", spec)
        };
        let storage = match make(&spec) {
            Err(StorageError::Sql(e)) if e.number == 5123 => {
                let text = format!("{} tempdb is made with its default sizes.", e.message);
                let database = Whose::new(TEMPDB, "tempdb");
                EventRing::global().push(Event::BackgroundError { database, text });
                spec.data_files = plain.data_files;
                spec.log_files = plain.log_files;
                make(&spec)
            }
            made => made,
        };
        let storage = storage.map_err(sql)?;
        Catalog::bootstrap(&storage)?;
        let entry = self.entry(TEMPDB, "tempdb", &spec, EntryState::Online);
        let catalog = Arc::new(Catalog::open(&storage)?);
        let database =
            Database::opened(Database { id: TEMPDB, name: "tempdb".into(), storage, catalog });
        self.insert(Slot::open(entry, database));
        Ok(())
    }

    /// Makes tempdb anew in place of a suspect one that nobody uses.
    pub fn remake_tempdb(&self) -> SqlResult<()> {
        let _changing = self.changing.lock();
        let old = self.tempdb()?;
        // A suspect database is closed without I/O.
        let _ = old.storage.close();
        self.create_tempdb()
    }

    fn tempdb_by_default(&self) -> CreateSpec {
        let mut spec = self.spec("tempdb", DEFAULT_SIZE, DEFAULT_SIZE, RecoveryModel::Simple);
        let collation = self.collation();
        spec.options.engine_flags = super::with_collation(0, collation);
        CreateSpec { temporary: true, ..spec }
    }

    /// Remembers what MODIFY FILE has said of a file of tempdb; durable on return.
    pub fn configure_tempdb(&self, file: FileId, change: FileChange<'_>) -> SqlResult<()> {
        let mut spec = self.tempdb_by_default();
        let _changing = self.changing.lock();
        self.read_tempdb(&mut spec)?;
        let mut files = spec.data_files.iter_mut().chain(&mut spec.log_files);
        let Some(spec) = files.nth(usize::from(file.0).wrapping_sub(1)) else { return Ok(()) };
        change.apply(spec);
        let (growth, percent) = match spec.growth {
            Growth::None => (0, 0),
            Growth::Bytes(by) => (by as i64, 0),
            Growth::Percent(by) => (i64::from(by), 1),
        };
        let row = [
            Value::nvarchar(&spec.name),
            Value::BigInt(spec.size as i64),
            Value::BigInt(growth),
            Value::Int(percent),
            spec.max_size.map_or(Value::Null, |max| Value::BigInt(max as i64)),
        ];
        let key = [i64::from(TEMPDB.0), i64::from(file.0)];
        self.in_master(|tx| systab::put(tx, &SystemTables::MASTER_FILES, &key, &row))
    }

    /// Remembers tempdb's options; durable on return.
    pub fn configure_tempdb_options(&self, options: &DatabaseOptions) -> SqlResult<()> {
        let number = |n: Option<u8>| n.map_or(Value::Null, |n| Value::Int(n.into()));
        let row = [
            Value::Int(options.delayed_durability.into()),
            Value::BigInt(options.target_recovery_time_s.into()),
            number(options.log_initialization.map(|i| i as u8)),
            number(options.log_vlf_algorithm.map(|a| a as u8)),
        ];
        let key = [i64::from(TEMPDB.0)];
        self.in_master(|tx| systab::put(tx, &SystemTables::MASTER_OPTIONS, &key, &row))
    }

    fn in_master<T>(&self, f: impl FnOnce(&mut Transaction) -> SqlResult<T>) -> SqlResult<T> {
        let spec = BeginSpec { name: "master", lock_timeout_ms: -1, ..BeginSpec::default() };
        let mut tx = self.master_storage()?.begin(spec);
        let result = f(&mut tx)?;
        tx.commit(Durability::Full).map_err(sql)?;
        Ok(result)
    }

    /// Puts what is configured into a specification.
    fn read_tempdb(&self, spec: &mut CreateSpec) -> SqlResult<()> {
        let database = i64::from(TEMPDB.0);
        let (files, options) = self.in_master(|tx| {
            let files = systab::scan(tx, &SystemTables::MASTER_FILES, &[database])?;
            Ok((files, systab::get(tx, &SystemTables::MASTER_OPTIONS, &[database])?))
        })?;
        for (key, row) in files {
            let mut all = spec.data_files.iter_mut().chain(&mut spec.log_files);
            let at = key.get(1).and_then(|id| usize::try_from(id - 1).ok());
            let Some(file) = at.and_then(|at| all.nth(at)) else { continue };
            let is_log = key[1] > 1;
            let growth = number(&row, 2)?.max(0) as u64;
            let change = FileChange {
                name: Some(&systab::text(&row, 0)?),
                size: Some(number(&row, 1)?.clamp(1 << 19, LOG_FILE_BYTES_MAX as i64) as u64),
                growth: Some(match (growth, number(&row, 3)?) {
                    (0, _) => Growth::None,
                    (by, 0) => Growth::Bytes(by),
                    (by, _) => Growth::Percent(by.min(u32::MAX.into()) as u32),
                }),
                max_size: Some(match number_or_null(&row, 4) {
                    Some(max) => Some(max.max(0) as u64),
                    None => is_log.then_some(LOG_FILE_BYTES_MAX),
                }),
            };
            change.apply(file);
        }
        if let Some(row) = options {
            let small = |column| number_or_null(&row, column).and_then(|n| u8::try_from(n).ok());
            spec.options.delayed_durability = small(0).unwrap_or(0);
            spec.options.target_recovery_time_s = number(&row, 1)?.clamp(0, u32::MAX.into()) as u32;
            spec.options.log_initialization = small(2).map(Initialization::from_u8);
            spec.options.log_vlf_algorithm = small(3).map(VlfAlgorithm::from_u8);
        }
        Ok(())
    }
}
