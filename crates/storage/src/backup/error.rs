//! What can go wrong in a backup or a restore. The engine knows the statement and words the messages whose numbers stand here.

use std::fmt;
use std::path::{Path, PathBuf};

use taffrail_base::{Lsn, PageId};
use taffrail_io::IoError;

use crate::error::StorageError;

/// Result of backups and restores.
pub type BackupResult<T> = Result<T, BackupError>;

/// Why a backup or restore did not succeed. Message numbers are SQL Server's.
#[derive(Debug)]
pub enum BackupError {
    /// 3201: the device cannot be opened.
    Open(IoError),
    /// 3202 (write) or 3203 (read) on an open device.
    Device {
        /// The word `read` or `write`.
        operation: &'static str,
        /// The failed operation, with its path and reason.
        source: IoError,
    },
    /// 3241: what is there is no media of ours, or of a newer version.
    NotMedia(PathBuf),
    /// 3254: the file is empty.
    Empty(PathBuf),
    /// 3132: the media has more families (stripes) than devices were named.
    FamiliesMissing {
        /// The number of the media's families.
        families: u16,
        /// The number of devices named.
        given: u16,
        /// The numbers of those that were not named.
        missing: Vec<u16>,
    },
    /// 3227, 3231: the devices are not the families of one media, or of another number of families.
    NotOneMedia(PathBuf),
    /// 4038: there is no set with this position.
    NoSuchSet {
        /// The number after FILE =.
        position: u32,
        /// The path of the first device.
        path: PathBuf,
    },
    /// 3256: the set was never finished.
    Incomplete {
        /// The number after FILE =.
        position: u32,
        /// The path of the first device.
        path: PathBuf,
    },
    /// 3169: the set is of a database of this format version, which a later release writes.
    TooNew {
        /// The format version of the set's database.
        version: u16,
        /// The last that is known here.
        known: u16,
    },
    /// 3189: bytes of the set are not what was written.
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// Offset of the chunk.
        offset: u64,
        /// The kind of damage, in words.
        why: &'static str,
    },
    /// 3043 of a backup, 824 of a restore: a page of the database is damaged.
    DamagedPage(StorageError),
    /// 3183: a page in a set with checksums is damaged, and the set does not say that it has such.
    DamagedInSet(PageId),
    /// 26019: the log is damaged where the backup needs it; what and where.
    DamagedLog(String),
    /// 4208: BACKUP LOG under the SIMPLE recovery model.
    SimpleModel,
    /// 4214: BACKUP LOG without a full backup.
    NoLogChain,
    /// 3035: a differential backup without a full one.
    NoDifferentialBase,
    /// 3023: another backup of the database runs, or its files are being changed.
    Busy,
    /// 4216: pages that the log does not have cannot be read from a damaged database.
    BulkUnavailable,
    /// 3147 and its like: tempdb.
    NotBackedUp,
    /// 3201 for a file that belongs to somebody else; 1834: a file that a restore would make is there.
    FileExists(PathBuf),
    /// 3234: MOVE names a file that the set does not have.
    NoSuchFile(String),
    /// 3117: a differential or log set, and no database that is being restored.
    NotRestoring,
    /// 3118 / 3135 / 4309 …: a RESTORE LOG from a data set, or a RESTORE DATABASE from a log set.
    WrongKind,
    /// 3136: the differential is of another full backup than the one that was restored.
    WrongBase,
    /// 4305: the log in the set begins too late.
    LogTooRecent {
        /// The LSN at which it begins.
        first: Lsn,
        /// The LSN at which it should begin, or before.
        needed: Lsn,
    },
    /// 4326: the log in the set ends too early.
    LogTooEarly {
        /// The LSN at which it ends.
        last: Lsn,
        /// The LSN that it should reach.
        needed: Lsn,
    },
    /// 4330: the set is of another recovery path.
    WrongFork,
    /// 3154 (full) or 3118: the set is of another database.
    WrongDatabase,
    /// 3101 / 4318 and their like: RECOVERY before the end of a step that was interrupted: repeat that step.
    NotConsistent {
        /// Where the log ends.
        reached: Lsn,
        /// How far it must reach.
        needed: Lsn,
    },
    /// 4335: the database is rolled forward beyond the point at which a restore is to stop.
    StopTooEarly,
    /// 4341: a log set with images of minimally logged work is applied as a whole or not at all.
    StopInBulk,
    /// 4334: there is no record of this LSN in the set.
    NoSuchLsn,
    /// 40510: a restore has stopped in the middle of what this set would have to go on with.
    Stopped,
    /// 3204: the watch said stop.
    Cancelled,
    /// Anything else, of the database itself.
    Storage(StorageError),
}

impl From<StorageError> for BackupError {
    fn from(e: StorageError) -> BackupError {
        match e {
            StorageError::Lock(crate::lock::LockError::Cancelled) => BackupError::Cancelled,
            e @ StorageError::Corrupt(_) => BackupError::DamagedPage(e),
            e => BackupError::Storage(e),
        }
    }
}

/// An error of an open device.
pub(super) fn device(operation: &'static str) -> impl Fn(IoError) -> BackupError {
    move |source| BackupError::Device { operation, source }
}

/// A chunk is not what was written.
pub(super) fn damaged(path: &Path, offset: u64, why: &'static str) -> BackupError {
    BackupError::Damaged { path: path.to_owned(), offset, why }
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackupError::Open(e) => write!(f, "the backup device cannot be opened: {e}"),
            BackupError::Device { operation, source } => {
                write!(f, "{operation} of the backup device: {source}")
            }
            BackupError::NotMedia(p) => write!(f, "'{}' is no backup media", p.display()),
            BackupError::Empty(p) => write!(f, "'{}' is empty", p.display()),
            BackupError::FamiliesMissing { families, given, missing } => {
                write!(
                    f,
                    "the media has {families} families, {given} were given; {missing:?} are not there"
                )
            }
            BackupError::NotOneMedia(p) => {
                write!(f, "'{}' is not a family of this media", p.display())
            }
            BackupError::NoSuchSet { position, path } => {
                write!(f, "there is no backup set {position} on '{}'", path.display())
            }
            BackupError::Incomplete { position, path } => {
                write!(f, "backup set {position} on '{}' is incomplete", path.display())
            }
            BackupError::TooNew { version, .. } => {
                write!(f, "the set has format version {version}, which is not known here")
            }
            BackupError::Damaged { path, offset, why } => {
                write!(f, "'{}' is damaged at offset {offset:#x}: {why}", path.display())
            }
            BackupError::DamagedPage(e) | BackupError::Storage(e) => e.fmt(f),
            BackupError::DamagedLog(why) => write!(f, "the log is damaged: {why}"),
            BackupError::DamagedInSet(page) => write!(f, "page {page} in the set is damaged"),
            BackupError::SimpleModel => f.write_str("the recovery model is SIMPLE"),
            BackupError::NoLogChain => f.write_str("there is no current database backup"),
            BackupError::NoDifferentialBase => {
                f.write_str("there is no current full database backup")
            }
            BackupError::Busy => {
                f.write_str("another backup of the database is running, or its files are changed")
            }
            BackupError::BulkUnavailable => {
                f.write_str("the database is damaged, and its log lacks what was minimally logged")
            }
            BackupError::NotBackedUp => f.write_str("this database is never backed up"),
            BackupError::FileExists(p) => write!(f, "the file '{}' is in the way", p.display()),
            BackupError::NoSuchFile(name) => write!(f, "the set has no file '{name}'"),
            BackupError::NotRestoring => f.write_str("the database is not being restored"),
            BackupError::WrongKind => f.write_str("the set is of another kind"),
            BackupError::WrongBase => f.write_str("the differential's base was not restored"),
            BackupError::LogTooRecent { first, needed } => {
                write!(f, "the log begins at {first}, log from {needed} on is needed")
            }
            BackupError::LogTooEarly { last, needed } => {
                write!(f, "the log ends at {last}, log from {needed} on is needed")
            }
            BackupError::WrongFork => f.write_str("the set is of another recovery path"),
            BackupError::WrongDatabase => f.write_str("the set is of another database"),
            BackupError::NotConsistent { reached, needed } => {
                write!(f, "the log reaches {reached}, recovery needs it up to {needed}")
            }
            BackupError::StopTooEarly => {
                f.write_str("the database is rolled forward beyond that point")
            }
            BackupError::StopInBulk => {
                f.write_str("the set has minimally logged work and is applied as a whole")
            }
            BackupError::NoSuchLsn => f.write_str("the set has no record of this LSN"),
            BackupError::Stopped => f.write_str("a restore has stopped in the middle of this log"),
            BackupError::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for BackupError {}
