//! What can go wrong in storage, by whose problem it is, and the message a client gets for it.

use std::fmt;

use taffrail_base::{DatabaseId, HobtId, PageId, SqlError};
use taffrail_io::IoError;

/// Result of every operation of this crate.
pub type StorageResult<T> = Result<T, StorageError>;

/// Why an operation did not succeed. After any variant but [`StorageError::Suspect`] the database goes on; the
/// caller rolls back to its last savepoint.
#[derive(Debug)]
pub enum StorageError {
    /// The key is there already. The engine knows table, index and values, and raises 2601 or 2627.
    DuplicateKey,
    /// The row is not there (any more).
    RowNotFound,
    /// Message 511: a row or entry does not fit in a page.
    RowTooLarge {
        /// Its size in bytes.
        size: usize,
        /// The bytes that fit.
        max: usize,
    },
    /// 1205, 1222, or cancelled: from the lock manager.
    Lock(crate::lock::LockError),
    /// Message 9002, ready made by the log.
    LogFull(Box<SqlError>),
    /// Message 9001: an earlier log write failed.
    LogUnavailable(Box<str>),
    /// Messages 1101 and 1105: no room in the data files.
    FileFull(Box<FileFull>),
    /// Message 823: the operating system refused an I/O on a data file.
    Io(Box<PageIo>),
    /// Message 824: a page's bytes are not what was written.
    Corrupt(Box<Corruption>),
    /// Message 926: the database was marked SUSPECT earlier, with this reason.
    Suspect(Box<SuspectReason>),
    /// Message 927: the database is in the middle of a restore.
    Restoring(Box<str>),
    /// Message 802: every page of the pool is pinned.
    PoolExhausted,
    /// No heap or tree has this id: never had, or no longer. Those who look at many, without a lock, take it for "dropped
    /// meanwhile" and go on; everywhere else it is 5243.
    NoSuchHobt(HobtId),
    /// Message 3958: the versions that a snapshot needs were given up for want of memory.
    VersionGone,
    /// An ended or doomed transaction was used again, a file's identifier names nothing: a mistake of the caller.
    Misuse(&'static str),
    /// Any other message, ready made.
    Sql(Box<SqlError>),
}

/// The refusals of a log for no fault of the database: because of its file, or of the request.
/// Every other error is given back.
pub(crate) fn refused_log(
    e: taffrail_log::LogError,
) -> Result<StorageError, taffrail_log::LogError> {
    use taffrail_log::LogError;
    if matches!(e, LogError::Cancelled) {
        return Ok(StorageError::Lock(crate::lock::LockError::Cancelled));
    }
    Ok(StorageError::Sql(match &e {
        LogError::Sector { path, device, log: Some(log) } => {
            SqlError::new(5178, &[&path.display(), log, device])
        }
        LogError::Sector { path, device, log: None } => {
            SqlError::new(5179, &[&path.display(), device])
        }
        LogError::Specification(_) => SqlError::new(5009, &[]),
        LogError::MaxSize(path) => SqlError::new(5149, &[&e, &path.display()]),
        _ => return Err(e),
    }))
}

/// The particulars of [`StorageError::FileFull`].
#[derive(Debug)]
pub struct FileFull {
    /// The object that wanted space, as far as storage can name it.
    pub object: String,
    /// Its heap or index.
    pub index: taffrail_base::IndexId,
    /// The name of the database.
    pub database: String,
    /// Why the file could not grow.
    pub why: String,
}

/// The particulars of [`StorageError::Io`].
#[derive(Debug)]
pub struct PageIo {
    /// The word `read` or `write`.
    pub operation: &'static str,
    /// Byte offset in the file.
    pub offset: u64,
    /// The error of the operation, with its path.
    pub source: IoError,
}

/// The particulars of [`StorageError::Corrupt`].
#[derive(Debug)]
pub struct Corruption {
    /// The damage as message 824 words it, e.g. `incorrect checksum (expected: 0x…; actual: 0x…)`.
    pub what: String,
    /// The word `read`, mostly.
    pub operation: &'static str,
    /// The id of the page.
    pub page: PageId,
    /// The id of the database.
    pub database: DatabaseId,
    /// The path of the file.
    pub file: String,
}

/// The particulars of [`StorageError::Suspect`].
#[derive(Clone, Debug)]
pub struct SuspectReason {
    /// The name of the database.
    pub database: String,
    /// The event that made it suspect, in words.
    pub reason: String,
}

impl From<crate::lock::LockError> for StorageError {
    fn from(e: crate::lock::LockError) -> Self {
        StorageError::Lock(e)
    }
}

impl StorageError {
    /// The message for the client.
    pub fn to_sql(&self) -> Box<SqlError> {
        match self {
            StorageError::DuplicateKey => SqlError::new(2601, &[&"", &"", &""]),
            StorageError::RowNotFound => SqlError::new(601, &[]),
            StorageError::RowTooLarge { size, max } => SqlError::new(511, &[size, max]),
            StorageError::Lock(e) => e.to_sql(),
            StorageError::LogFull(e) | StorageError::Sql(e) => e.clone(),
            StorageError::LogUnavailable(db) => SqlError::new(9001, &[db]),
            StorageError::FileFull(f) => {
                // Who knows the object's name says 1105 with it.
                SqlError::new(1101, &[&f.database, &"PRIMARY"])
            }
            StorageError::Io(e) => SqlError::new(
                823,
                &[
                    &format_args!("{}", e.source.source),
                    &e.operation,
                    &format_args!("{:#018x}", e.offset),
                    &e.source.path.display(),
                ],
            ),
            StorageError::Corrupt(c) => SqlError::new(
                824,
                &[
                    &c.what,
                    &c.operation,
                    &format_args!("({}:{})", c.page.file, c.page.page),
                    &c.database,
                    &format_args!("{:#018x}", c.page.file_offset()),
                    &c.file,
                ],
            )
            .with_state(2),
            StorageError::Suspect(s) => SqlError::new(926, &[&s.database]),
            StorageError::Restoring(name) => SqlError::new(927, &[name]),
            StorageError::PoolExhausted => SqlError::new(802, &[]),
            StorageError::VersionGone => SqlError::new(3958, &[&"", &""]),
            StorageError::NoSuchHobt(_) | StorageError::Misuse(_) => SqlError::new(5243, &[]),
        }
    }

    /// True when there was no room in the log or in the data file: the same may succeed later.
    pub fn is_want_of_room(&self) -> bool {
        matches!(self, StorageError::LogFull(_) | StorageError::FileFull(_))
    }

    /// True for what says that pages or log can no longer be trusted or written.
    pub fn is_fatal_to_database(&self) -> bool {
        matches!(
            self,
            StorageError::LogUnavailable(_)
                | StorageError::Io(_)
                | StorageError::Corrupt(_)
                | StorageError::Suspect(_)
        )
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageError::NoSuchHobt(id) => write!(f, "there is no heap or tree {id}"),
            StorageError::Misuse(what) => f.write_str(what),
            StorageError::Suspect(s) => {
                write!(f, "database '{}' is suspect: {}", s.database, s.reason)
            }
            StorageError::FileFull(e) => write!(f, "{} ({})", self.to_sql().message, e.why),
            other => f.write_str(&other.to_sql().message),
        }
    }
}

impl std::error::Error for StorageError {}
