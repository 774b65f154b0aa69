//! Why log cannot be reused, as views and messages have it.

/// Why log cannot be reused: `log_reuse_wait` of `sys.databases`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the field's own")]
pub enum ReuseWait {
    Nothing = 0,
    Checkpoint = 1,
    LogBackup = 2,
    ActiveBackupOrRestore = 3,
    ActiveTransaction = 4,
    DatabaseMirroring = 5,
    Replication = 6,
    DatabaseSnapshotCreation = 7,
    LogScan = 8,
    AvailabilityReplica = 9,
    OldestPage = 13,
    OtherTransient = 14,
    XtpCheckpoint = 16,
}

impl ReuseWait {
    /// The number of the reason, `log_reuse_wait`.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The name of the reason, `log_reuse_wait_desc`.
    pub const fn name(self) -> &'static str {
        match self {
            ReuseWait::Nothing => "NOTHING",
            ReuseWait::Checkpoint => "CHECKPOINT",
            ReuseWait::LogBackup => "LOG_BACKUP",
            ReuseWait::ActiveBackupOrRestore => "ACTIVE_BACKUP_OR_RESTORE",
            ReuseWait::ActiveTransaction => "ACTIVE_TRANSACTION",
            ReuseWait::DatabaseMirroring => "DATABASE_MIRRORING",
            ReuseWait::Replication => "REPLICATION",
            ReuseWait::DatabaseSnapshotCreation => "DATABASE_SNAPSHOT_CREATION",
            ReuseWait::LogScan => "LOG_SCAN",
            ReuseWait::AvailabilityReplica => "AVAILABILITY_REPLICA",
            ReuseWait::OldestPage => "OLDEST_PAGE",
            ReuseWait::OtherTransient => "OTHER_TRANSIENT",
            ReuseWait::XtpCheckpoint => "XTP_CHECKPOINT",
        }
    }
}
