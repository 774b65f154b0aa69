//! Errors of the log, and whose problem each is.

use std::fmt;
use std::path::PathBuf;

use taffrail_base::{LogPos, Lsn};
use taffrail_io::IoError;

use crate::waits::ReuseWait;

/// Creating, opening, flushing, reading or changing the log failed.
#[derive(Debug)]
pub enum LogError {
    /// The operating system refused. For a write of the log this poisons it.
    Io(IoError),
    /// An earlier write failed (message 9001): nothing is written or acknowledged any more.
    Unavailable,
    /// The bytes are not a log, or not what they must be (messages 9003, 9004, 9015): the database is suspect.
    Corrupt {
        /// The path of the file.
        path: PathBuf,
        /// The byte offset in the file.
        offset: u64,
        /// A sentence that says the damage.
        why: String,
    },
    /// No such record: before the oldest that is kept, after the last, or not a record's position (message 9003).
    NotFound(LogPos),
    /// The file was written by a newer version (message 9014).
    Version {
        /// The path of the file.
        path: PathBuf,
        /// The version of the file.
        found: u16,
    },
    /// The device's sectors do not fit the log's (messages 5178, 5179).
    Sector {
        /// The path of the file.
        path: PathBuf,
        /// The device's physical sector.
        device: u32,
        /// The log's sector; `None`: no log can live on such a device.
        log: Option<u32>,
    },
    /// A file specification is impossible, for example below 512 KB (message 5174).
    Specification(String),
    /// The log may not grow to the size asked for.
    MaxSize(PathBuf),
    /// The session that waited for a growth was cancelled; the file is as it was.
    Cancelled,
}

impl LogError {
    /// The bytes are there and they are wrong.
    pub fn is_damage(&self) -> bool {
        matches!(self, LogError::Corrupt { .. })
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogError::Io(e) => e.fmt(f),
            LogError::Unavailable => f.write_str("the log is not available after a failed write"),
            LogError::Corrupt { path, offset, why } => {
                write!(f, "log file '{}' is damaged at offset {offset:#x}: {why}", path.display())
            }
            LogError::NotFound(pos) => write!(f, "there is no log record at position {:#x}", pos.0),
            LogError::Version { path, found } => {
                write!(f, "log file '{}' has the unknown version {found}", path.display())
            }
            LogError::Sector { path, device, log: Some(log) } => write!(
                f,
                "log file '{}' was made for sectors of {log} bytes, the device has {device}",
                path.display()
            ),
            LogError::Sector { path, device, log: None } => write!(
                f,
                "log file '{}' cannot be on a device with sectors of {device} bytes",
                path.display()
            ),
            LogError::Specification(why) => f.write_str(why),
            LogError::Cancelled => f.write_str("the growth of the log was cancelled"),
            LogError::MaxSize(path) => {
                write!(f, "log file '{}' may not grow further", path.display())
            }
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LogError::Io(e) => Some(e),
            _ => None,
        }
    }
}

impl From<IoError> for LogError {
    fn from(e: IoError) -> LogError {
        LogError::Io(e)
    }
}

/// Appending failed; nothing was appended.
#[derive(Debug)]
pub enum AppendError {
    /// Message 9002: no VLF is reusable and the log may not or cannot grow.
    LogFull {
        /// The reason why no VLF is free, as `log_reuse_wait` has it.
        wait: ReuseWait,
        /// The oldest LSN that is held, where it can be told.
        holdup: Option<Lsn>,
        /// Growth was tried and the system refused, for example since the disk is full (message 17053 goes with it).
        growth: Option<IoError>,
    },
    /// Message 9001: an earlier log write failed.
    LogUnavailable,
    /// The session was cancelled while its growth zeroed the file (message 5144 goes to the error log).
    Cancelled,
    /// The record is longer than a block: a mistake of the caller.
    TooLong(usize),
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppendError::LogFull { wait, .. } => {
                write!(f, "the log is full due to '{}'", wait.name())
            }
            AppendError::Cancelled => f.write_str("the growth of the log was cancelled"),
            AppendError::LogUnavailable => f.write_str("the log is not available"),
            AppendError::TooLong(n) => write!(f, "a log record of {n} bytes does not fit a block"),
        }
    }
}

impl std::error::Error for AppendError {}
