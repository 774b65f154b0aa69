//! Who still needs old log, and giving back what nobody needs.
//!
//! Whoever needs log registers a hold: a function that says from which position on, and under which name. Truncation
//! frees every VLF that lies wholly before the smallest of them, the last durable checkpoint and the durable position.
//! It writes nothing: a VLF's status is derived.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use parking_lot::Mutex;
use taffrail_base::LogPos;
use taffrail_observe::{Event, EventRing};

use crate::log::Log;

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
    /// `log_reuse_wait`.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// `log_reuse_wait_desc`.
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

    const fn from_code(n: u8) -> ReuseWait {
        match n {
            1 => ReuseWait::Checkpoint,
            2 => ReuseWait::LogBackup,
            3 => ReuseWait::ActiveBackupOrRestore,
            4 => ReuseWait::ActiveTransaction,
            5 => ReuseWait::DatabaseMirroring,
            6 => ReuseWait::Replication,
            7 => ReuseWait::DatabaseSnapshotCreation,
            8 => ReuseWait::LogScan,
            9 => ReuseWait::AvailabilityReplica,
            13 => ReuseWait::OldestPage,
            14 => ReuseWait::OtherTransient,
            16 => ReuseWait::XtpCheckpoint,
            _ => ReuseWait::Nothing,
        }
    }
}

/// A hold on the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// Under which name.
    pub wait: ReuseWait,
    /// The oldest position that is needed.
    pub pos: LogPos,
}

/// Names a registered holder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HolderId(u64);

type Holder = Box<dyn Fn() -> Option<Hold> + Send + Sync>;

pub(crate) struct Reuse {
    holders: Mutex<(u64, Vec<(HolderId, Holder)>)>,
    checkpoint: AtomicU64,
    last: AtomicU8,
}

impl Reuse {
    pub fn new(checkpoint: LogPos) -> Reuse {
        Reuse {
            holders: Mutex::new((1, Vec::new())),
            checkpoint: AtomicU64::new(checkpoint.0),
            last: AtomicU8::new(ReuseWait::Nothing.code()),
        }
    }
}

impl Log {
    /// Registers somebody who may hold the log. The function is called by truncation, possibly in the middle of an
    /// append: it must not append, and takes only locks under which nobody appends.
    pub fn register_holder(&self, holder: Holder) -> HolderId {
        let mut h = self.reuse.holders.lock();
        let id = HolderId(h.0);
        h.0 += 1;
        h.1.push((id, holder));
        id
    }

    /// The holder is gone.
    pub fn unregister_holder(&self, id: HolderId) {
        self.reuse.holders.lock().1.retain(|h| h.0 != id);
    }

    /// The boot page that is durable now makes recovery start at `pos`: log before it is not needed for that.
    /// Call it only after that boot page is durable. It only goes forward. Frees nothing; see [`Log::truncate`].
    pub fn set_checkpoint(&self, pos: LogPos) {
        self.reuse.checkpoint.fetch_max(pos.0, Ordering::AcqRel);
    }

    /// The position given to [`Log::set_checkpoint`] last.
    pub fn checkpoint(&self) -> LogPos {
        LogPos(self.reuse.checkpoint.load(Ordering::Acquire))
    }

    /// Who holds the log, and from where on.
    pub(crate) fn holdup(&self) -> (ReuseWait, LogPos) {
        let mut least = (ReuseWait::Checkpoint, self.checkpoint().min(self.durable()));
        let holders = self.reuse.holders.lock();
        for hold in holders.1.iter().filter_map(|(_, h)| h()) {
            if hold.pos < least.1 {
                least = (hold.wait, hold.pos);
            }
        }
        least
    }

    /// Frees every VLF that nobody needs, and says why there are not more.
    pub fn truncate(&self) -> ReuseWait {
        self.truncate_now().0
    }

    /// The same, and how many were freed.
    pub(crate) fn truncate_now(&self) -> (ReuseWait, usize) {
        let (wait, keep) = self.holdup();
        let (freed, any) = {
            let mut state = self.lock();
            let freed = state.table.truncate(keep);
            if freed > 0 {
                state.space_changes += 1;
            }
            (freed, state.table.has_free())
        };
        let wait = if any { ReuseWait::Nothing } else { wait };
        self.reuse.last.store(wait.code(), Ordering::Release);
        if freed > 0 {
            self.options.counters.log_truncations.inc();
            EventRing::global().push(Event::LogTruncation {
                database: self.options.database,
                vlfs: freed as u32,
                up_to: keep,
            });
        }
        self.set_size_counters();
        (wait, freed)
    }

    /// `log_reuse_wait`: what the last attempt to truncate found.
    pub fn reuse_wait(&self) -> ReuseWait {
        ReuseWait::from_code(self.reuse.last.load(Ordering::Acquire))
    }
}
