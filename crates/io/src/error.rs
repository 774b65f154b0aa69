//! The one error of this crate: which operation on which file failed, and the system's reason.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Result of every I/O call.
pub type IoResult<T> = Result<T, IoError>;

/// A reason that no operating system gives, with the number that messages have for it: those of Windows' HTTP client, above all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemError {
    /// The number of the error.
    pub number: i32,
    /// The reason, a sentence without the number.
    pub text: String,
}

impl SystemError {
    /// The reason as the source of an [`IoError`].
    pub fn io(number: i32, text: impl Into<String>) -> io::Error {
        io::Error::other(SystemError { number, text: text.into() })
    }

    /// The one in an `io::Error`, if it was made of one.
    fn of(e: &io::Error) -> Option<&SystemError> {
        e.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for SystemError {}

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

    /// True when the path leads through a symbolic link that is not followed, or to something that is no file.
    pub fn is_link(&self) -> bool {
        self.source.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
    }

    /// The system's reason as messages to clients have it: number and text, those of Windows where scripts look for them.
    pub fn system_error(&self) -> String {
        if self.is_link() {
            return "5(Access is denied. Symbolic links below the data directory and file_roots are not followed.)"
                .into();
        }
        if let Some(SystemError { number, text }) = SystemError::of(&self.source) {
            return format!("{number}({text})");
        }
        match self.source.kind() {
            io::ErrorKind::NotFound => "2(The system cannot find the file specified.)".into(),
            io::ErrorKind::PermissionDenied => "5(Access is denied.)".into(),
            io::ErrorKind::ReadOnlyFilesystem => "19(The media is write protected.)".into(),
            io::ErrorKind::AlreadyExists => "80(The file exists.)".into(),
            io::ErrorKind::StorageFull => "112(There is not enough space on the disk.)".into(),
            _ => {
                let (number, text) = (self.source.raw_os_error(), self.source.to_string());
                let number = number.unwrap_or(0);
                let text = text.trim_end_matches(&format!(" (os error {number})"));
                format!("{number}({text})")
            }
        }
    }

    /// The same error once more: an `io::Error` cannot be cloned, but its kind, number and text can.
    pub fn duplicate(&self) -> IoError {
        let source = match (self.source.raw_os_error(), SystemError::of(&self.source)) {
            (Some(code), _) => io::Error::from_raw_os_error(code),
            (None, Some(told)) => io::Error::other(told.clone()),
            (None, None) => io::Error::new(self.source.kind(), self.source.to_string()),
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
