//! Full backups.
use std::time::Duration;

/// What a backup wrote.
#[derive(Clone, Debug)]
pub struct BackupReport {
    /// Data pages.
    pub pages: u64,
    /// Bytes of log.
    pub log_bytes: u64,
    /// How long it took.
    pub duration: Duration,
}
