//! What databases are made from and described with.

use std::path::PathBuf;
use std::time::Duration;

use taffrail_base::{FileId, Lsn};

pub use taffrail_log::{Growth, Initialization, VlfAlgorithm};

/// A data file to be made, or as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataFileSpec {
    /// Logical name, e.g. `Sales`.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// The size in bytes.
    pub size: u64,
    /// The growth when the file is full.
    pub growth: Growth,
    /// Bytes; none = unlimited.
    pub max_size: Option<u64>,
}

/// The recovery models, `sys.databases.recovery_model`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum RecoveryModel {
    /// FULL: the log is kept until a log backup has it.
    Full = 1,
    /// BULK_LOGGED: as FULL, but bulk operations log their allocations only.
    BulkLogged = 2,
    /// SIMPLE: a checkpoint lets the log be reused.
    Simple = 3,
}

impl RecoveryModel {
    /// The one with this number.
    pub fn from_u8(n: u8) -> Option<RecoveryModel> {
        Some(match n {
            1 => RecoveryModel::Full,
            2 => RecoveryModel::BulkLogged,
            3 => RecoveryModel::Simple,
            _ => return None,
        })
    }
}

/// The options of a database that can be altered, kept in its boot page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatabaseOptions {
    /// The value of SET RECOVERY.
    pub recovery_model: RecoveryModel,
    /// SET DELAYED_DURABILITY: 0 DISABLED, 1 ALLOWED, 2 FORCED.
    pub delayed_durability: u8,
    /// SET TARGET_RECOVERY_TIME, seconds; 0 = automatic checkpoints by the recovery interval.
    pub target_recovery_time_s: u32,
    /// Bits that the engine defines (SINGLE_USER, READ_ONLY …): storage keeps them.
    pub engine_flags: u64,
    /// How new parts of the log's files are initialised; none: as the instance says.
    pub log_initialization: Option<Initialization>,
    /// How many VLFs a growth makes; none: as the instance says.
    pub log_vlf_algorithm: Option<VlfAlgorithm>,
}

impl Default for DatabaseOptions {
    /// FULL, DISABLED, 60 seconds.
    fn default() -> DatabaseOptions {
        DatabaseOptions {
            recovery_model: RecoveryModel::Full,
            delayed_durability: 0,
            target_recovery_time_s: 60,
            engine_flags: 0,
            log_initialization: None,
            log_vlf_algorithm: None,
        }
    }
}

/// Settings of the log that are the instance's, not the database's.
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// How many VLFs a growth makes.
    pub vlf_algorithm: VlfAlgorithm,
    /// How new parts of log files are initialised.
    pub initialization: Initialization,
    /// How long a delayed durable commit may stay in memory.
    pub delayed_window: Duration,
    /// Sector size of a new log; none: the device's.
    pub sector: Option<u32>,
    /// Log buffers of 60 KiB at most.
    pub buffers: usize,
}

impl LogSettings {
    /// The rules that hold for a database with these options.
    pub fn growth_rules(&self, options: &DatabaseOptions) -> (Initialization, VlfAlgorithm) {
        (
            options.log_initialization.unwrap_or(self.initialization),
            options.log_vlf_algorithm.unwrap_or(self.vlf_algorithm),
        )
    }
}

impl Default for LogSettings {
    fn default() -> LogSettings {
        let o = taffrail_log::LogOptions::default();
        LogSettings {
            vlf_algorithm: o.vlf_algorithm,
            initialization: o.initialization,
            delayed_window: o.delayed_window,
            sector: None,
            buffers: o.buffers,
        }
    }
}

/// The instructions of `CREATE DATABASE`.
#[derive(Clone, Debug)]
pub struct CreateSpec {
    /// Exactly one for now: the primary.
    pub data_files: Vec<DataFileSpec>,
    /// The log files, at least one.
    pub log_files: Vec<DataFileSpec>,
    /// The options that it begins with.
    pub options: DatabaseOptions,
    /// tempdb: no commit flush, no torn-page protection, made anew at every start.
    pub temporary: bool,
}

/// The bit of [`DatabaseOptions::engine_flags`] that storage knows, too: no session changes anything (3906).
pub const FLAG_READ_ONLY: u64 = 4;

/// The places of the files that [`Database::open`] opens.
#[derive(Clone, Debug)]
pub struct OpenSpec {
    /// The primary data file; it names the others.
    pub primary: PathBuf,
    /// Log files that are not where the primary file says: those of the same file names; all of them under other
    /// names: in their order.
    pub logs: Vec<PathBuf>,
}

impl OpenSpec {
    /// All other files are where the primary one says.
    pub fn of(primary: PathBuf) -> OpenSpec {
        OpenSpec { primary, logs: Vec::new() }
    }
}

/// The report of a restart, for the error log.
#[derive(Clone, Default, Debug)]
pub struct RecoveryReport {
    /// Where the log ended that was found.
    pub end: Lsn,
    /// Transactions rolled forward (3406).
    pub rolled_forward: u64,
    /// Transactions rolled back (3407).
    pub rolled_back: u64,
    /// The number of records read.
    pub records: u64,
    /// The number of records redone.
    pub redone: u64,
    /// Torn pages repaired from the double-write region.
    pub torn_repaired: u64,
    /// Pages that redo has read.
    pub pages_read: u64,
    /// Bytes of log that redo has read.
    pub redo_bytes: u64,
    /// Time until the log was read: boot page, syncs, torn pages.
    pub analysis: Duration,
    /// Time of analysis and redo, which is one pass over the log.
    pub redo: Duration,
    /// Time of undo before the database opened.
    pub system_undo: Duration,
    /// Time of undo after that.
    pub undo: Duration,
}

/// The states of a database, `sys.databases.state`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DatabaseState {
    /// ONLINE, state 0: open for use.
    Online,
    /// 4, with the reason.
    Suspect(String),
    /// OFFLINE, state 6: its files are closed.
    Offline,
}

/// The kinds of files: data or log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// ROWS: a data file.
    Rows,
    /// LOG: a file of the log.
    Log,
}

/// A file's name, place and size, which are there for the asking.
#[derive(Clone, Debug)]
pub struct FileSize {
    /// The number of the file, `file_id`.
    pub id: FileId,
    /// The kind of file: ROWS or LOG.
    pub kind: FileKind,
    /// The logical name of the file.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// The size in bytes.
    pub size: u64,
}

/// A row of `sys.database_files`.
#[derive(Clone, Debug)]
pub struct FileInfo {
    /// The number of the file, `file_id`.
    pub id: FileId,
    /// The kind of file: ROWS or LOG.
    pub kind: FileKind,
    /// The logical name of the file.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// The size in bytes.
    pub size: u64,
    /// Bytes in use (allocated extents).
    pub used: u64,
    /// The amount by which it grows.
    pub growth: Growth,
    /// Bytes; none = unlimited.
    pub max_size: Option<u64>,
}

/// Why a checkpoint is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckpointKind {
    /// `CHECKPOINT`, with a time or without one.
    Manual,
    /// By itself: redo would read more log than TARGET_RECOVERY_TIME allows.
    RecoveryTarget,
    /// By itself: redo would read more log than the recovery interval allows, in a database without TARGET_RECOVERY_TIME.
    RecoveryInterval,
    /// By itself: the log fills up, and a checkpoint may free some.
    LogUse,
    /// By itself: the database was recovered a little earlier.
    Recovered,
    /// A statement or a rollback has found the log full.
    LogFull,
    /// A backup begins with it.
    Backup,
    /// The end of a RESTORE.
    Restore,
    /// The database has been made.
    Creation,
    /// The database is closed: OFFLINE, DETACH, the server's end.
    Close,
    /// The log is shrunk.
    Shrink,
}

impl CheckpointKind {
    /// As views show it.
    pub fn name(self) -> &'static str {
        match self {
            CheckpointKind::Manual => "MANUAL",
            CheckpointKind::RecoveryTarget => "TARGET_RECOVERY_TIME",
            CheckpointKind::RecoveryInterval => "RECOVERY_INTERVAL",
            CheckpointKind::LogUse => "LOG_USE",
            CheckpointKind::Recovered => "RECOVERED",
            CheckpointKind::LogFull => "LOG_FULL",
            CheckpointKind::Backup => "BACKUP",
            CheckpointKind::Restore => "RESTORE",
            CheckpointKind::Creation => "CREATION",
            CheckpointKind::Close => "CLOSE",
            CheckpointKind::Shrink => "SHRINK",
        }
    }

    /// A background thread takes it, which nobody waits for.
    pub fn is_automatic(self) -> bool {
        matches!(
            self,
            CheckpointKind::RecoveryTarget
                | CheckpointKind::RecoveryInterval
                | CheckpointKind::LogUse
                | CheckpointKind::Recovered
        )
    }
}
