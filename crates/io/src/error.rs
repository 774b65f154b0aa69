//! The one error of this crate: which operation on which file failed, and the system's reason.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Result of every I/O call.
pub type IoResult<T> = Result<T, IoError>;

/// A failed I/O operation.
#[derive(Debug)]
pub struct IoError {
    /// What was tried, e.g. `write_durable`.
    pub op: &'static str,
    /// On which file.
    pub path: PathBuf,
    /// Why it failed.
    pub source: io::Error,
}

impl IoError {
    /// An error of an operation on a file.
    pub fn new(op: &'static str, path: &Path, source: impl Into<io::Error>) -> IoError {
        IoError { op, path: path.to_owned(), source: source.into() }
    }

    /// True when the disk (or the quota) is full.
    pub fn is_full(&self) -> bool {
        matches!(
            self.source.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        )
    }

    /// True when the file does not exist.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// True when another process has the file open for writing.
    pub fn is_in_use(&self) -> bool {
        self.source.kind() == io::ErrorKind::ResourceBusy
    }

    /// The same error once more: an `io::Error` cannot be cloned, but its kind, number and text can.
    pub fn duplicate(&self) -> IoError {
        let source = match self.source.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(self.source.kind(), self.source.to_string()),
        };
        IoError { op: self.op, path: self.path.clone(), source }
    }
}

impl fmt::Display for IoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of '{}' failed: {}", self.op, self.path.display(), self.source)
    }
}

impl std::error::Error for IoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
