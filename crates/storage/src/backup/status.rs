//! What a database knows of its backups and of the restores that it came from.

use std::sync::atomic::Ordering;

use taffrail_base::{LogPos, Lsn};
use taffrail_io::UtcTime;

use crate::database::Database;

/// `sys.database_recovery_status`, and what `sys.master_files` says of the differential base.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RecoveryStatus {
    /// The identity of the database, `database_guid`.
    pub database_guid: [u8; 16],
    /// The identity kept through restores, `family_guid`.
    pub family_guid: [u8; 16],
    /// The fork of recovery that the log is on, `recovery_fork_guid`.
    pub recovery_fork: [u8; 16],
    /// `first_recovery_fork_guid`; none: there is no log chain.
    pub first_recovery_fork: Option<[u8; 16]>,
    /// `fork_point_lsn`; none: the log chain has no fork.
    pub fork_point: Option<Lsn>,
    /// `last_log_backup_lsn`: where the next log backup begins; none: no log chain.
    pub last_log_backup: Option<Lsn>,
    /// `log_backup_time` of `sys.dm_db_log_stats`: when the last log backup ended; none: there was none.
    pub log_backup_time: Option<UtcTime>,
    /// `differential_base_lsn`, zero: no base.
    pub differential_base: Lsn,
    /// The set of the last full backup, `differential_base_guid`.
    pub differential_base_guid: [u8; 16],
}

impl Database {
    /// The [`RecoveryStatus`] as it is now.
    pub fn recovery_status(&self) -> RecoveryStatus {
        let (guid, s) = {
            let boot = self.boot.lock();
            (boot.guid, boot.backup)
        };
        let chain = self.log_chain();
        RecoveryStatus {
            database_guid: guid,
            family_guid: s.family,
            recovery_fork: s.fork,
            first_recovery_fork: chain.map(|_| s.first_fork),
            fork_point: chain.map(|_| s.fork_point).filter(|&p| p != Lsn::ZERO),
            last_log_backup: chain.and_then(|pos| self.log().lsn(pos)),
            log_backup_time: Some(s.last_log_backup).filter(|&t| t != UtcTime::default()),
            differential_base: s.base.lsn,
            differential_base_guid: s.base.guid,
        }
    }

    /// When the last log backup ended; none: there was none. Waits for nothing.
    pub fn log_backup_time(&self) -> Option<UtcTime> {
        let at = UtcTime(self.log_backup_time.load(Ordering::Acquire));
        Some(at).filter(|at| *at != UtcTime::default())
    }

    /// True when log was written that no log backup holds, under a recovery model that keeps it: RESTORE without REPLACE is refused (3159).
    pub fn has_log_tail(&self) -> bool {
        let appended = |from: LogPos| self.log().appended() > from;
        self.log_chain().is_some_and(appended)
    }
}
