//! The lock manager: who may read or change which database, object, page or row until when.
//!
//! Locks are logical and last up to the end of a transaction; latches (on buffers) are another thing. A request that
//! conflicts waits in the order of arrival, conversions first; a cycle of waiters costs one of them its transaction.
//!
//! ```text
//! mode      the 22 lock modes, their compatibility and their least upper bounds, as data
//! resource  what can be locked
//! table     one shard: grants and queues of its resources; a state machine without threads, stepped by its tests
//! state     what one transaction holds: a list, so that the end of a transaction costs one look-up per lock
//! manager   the shards behind mutexes; waiting, time-outs, cancellation
//! outcome   settings, and how a request ends
//! escalation  many row locks become one on the object
//! gap       whether a key may be put before another one
//! deadlock  the search through the graph of who waits for whom
//! sync      the only place that knows mutexes and condition variables
//! told      what sessions of extended events hear
//! view      what sys.dm_tran_locks shows
//! ```
//!
//! # A row lock's cost
//! Most locks are never contended. Such a request costs a hash, one uncontended mutex, one insertion into a hash
//! table whose entry holds the single grant inline, and one push onto the transaction's list.
//!
//! # Reading without row locks
//! Under READ COMMITTED a reader that has copied a page under its latch may skip row locks if, *while it held the
//! latch*, nobody else held a writing lock on the object ([`LockManager::others_hold`]): every change on the page was
//! made under such a lock and before the latch was taken, so each has been committed or undone. Asking after the latch
//! has been given up would be wrong: a change could have been copied and then rolled back. The question costs one
//! atomic load, because writing grants on objects are counted in a small array indexed by the resource's hash; two
//! objects that share a cell only make each other ask the table.
//!
//! # Order of mutexes
//! The list of waiters, then a shard, then a waiter's slot. Never two shards at once.

mod deadlock;
mod escalation;
mod gap;
mod handed;
mod manager;
mod mode;
mod outcome;
mod report;
mod resource;
mod state;
mod sync;
mod table;
mod told;
mod view;

#[cfg(test)]
mod tests;

pub use gap::GapLock;
pub use manager::LockManager;
pub use mode::{LockMode, ModeSet};
pub use outcome::{Granted, LockError, LockLimits};
pub use report::{Deadlock, DeadlockMember, DeadlockWatch};
pub use resource::{Resource, ResourceKind};
pub use state::{OwnerId, OwnerKind, TxLockState};
pub use view::{LockRow, LockStatus};

use taffrail_base::SessionId;

/// The session that holds the locks of transactions that restart is undoing. Views show it as -3.
pub const RECOVERY_SESSION: SessionId = SessionId(0xfffd);
