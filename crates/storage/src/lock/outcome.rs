//! Settings, and how a request ends.

use std::time::Duration;

use taffrail_base::SqlError;
use taffrail_base::message::cancelled;

use super::resource::ResourceKind;

/// Settings of the lock manager.
#[derive(Clone, Copy, Debug)]
pub struct LockLimits {
    /// Row and page locks of one statement on one object that make it try to lock the object instead.
    pub escalation_threshold: u32,
    /// How many more locks it takes before trying again, when the object could not be locked.
    pub escalation_step: u32,
    /// Locks of one transaction from which on it tries to escalate whatever the statement took: their memory counts.
    pub escalation_memory_threshold: usize,
    /// Locks of one transaction at most; one more is message 1204.
    pub max_locks: usize,
    /// How long a request waits before it looks for a deadlock. Most waits end sooner, and a cycle never ends.
    pub deadlock_delay: Duration,
    /// How long a request that has looked waits before it looks again: a net, since the first search finds every cycle.
    pub deadlock_again: Duration,
}

impl Default for LockLimits {
    fn default() -> LockLimits {
        LockLimits {
            escalation_threshold: 5000,
            escalation_step: 1250,
            escalation_memory_threshold: 250_000,
            max_locks: 16_000_000,
            deadlock_delay: Duration::from_millis(5),
            deadlock_again: Duration::from_secs(1),
        }
    }
}

/// How a request was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Granted {
    /// It was not held before: whoever needs it only briefly may release it.
    New,
    /// It was held in a weaker mode.
    Converted,
    /// It was held already, at least as strongly.
    Held,
    /// The lock held on the object makes it needless; nothing was taken.
    Covered,
}

/// Why a lock was not granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockError {
    /// Message 1222: `SET LOCK_TIMEOUT` elapsed.
    Timeout(ResourceKind),
    /// Message 1205: the session was chosen as victim; its transaction must be rolled back.
    Deadlock {
        /// The kind of resource that it waited for.
        on: ResourceKind,
        /// The number of the session.
        session: u16,
    },
    /// The client cancelled the batch.
    Cancelled,
    /// Message 1204: the transaction holds as many locks as it may.
    OutOfLocks,
}

impl LockError {
    /// The message for the client; for a cancelled wait what unwinds the statement and is never sent.
    ///
    /// The states of 1205 and 1222 tell what was waited for, as SQL Server's do.
    pub fn to_sql(self) -> Box<SqlError> {
        let state = |kind| match kind {
            ResourceKind::Rid => 45,
            ResourceKind::Object => 56,
            _ => 51,
        };
        match self {
            LockError::Timeout(kind) => SqlError::new(1222, &[]).with_state(state(kind)),
            LockError::Deadlock { on, session } => {
                SqlError::new(1205, &[&session, &"lock"]).with_state(state(on))
            }
            LockError::OutOfLocks => SqlError::new(1204, &[]),
            LockError::Cancelled => cancelled(),
        }
    }
}

impl std::fmt::Display for LockError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LockError::Timeout(_) => "lock request time out",
            LockError::Deadlock { .. } => "chosen as deadlock victim",
            LockError::Cancelled => "cancelled",
            LockError::OutOfLocks => "out of locks",
        })
    }
}

impl std::error::Error for LockError {}
