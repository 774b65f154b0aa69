//! What is told of a deadlock: who waited for what, and who held it.

use std::collections::BTreeMap;

use super::manager::{LockManager, WaitingOwner};
use super::mode::LockMode;
use super::resource::Resource;
use super::state::OwnerId;
use super::view::{LockRow, LockStatus};

/// A member of a cycle.
#[derive(Clone, Debug)]
pub struct DeadlockMember {
    /// The owner of the wait.
    pub owner: OwnerId,
    /// The resource that it waits for.
    pub resource: Resource,
    /// The table or view whose row or page that is, where it is known.
    pub object: Option<Resource>,
    /// The mode that it waits for.
    pub mode: LockMode,
    /// The value of `SET DEADLOCK_PRIORITY`.
    pub priority: i8,
    /// The bytes of log that rolling it back would cost.
    pub log_bytes: u64,
    /// The resource's grants and queue.
    pub locks: Vec<LockRow>,
}

/// A cycle, and whose wait was ended.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// The owner whose wait was ended.
    pub victim: OwnerId,
    /// All of the cycle, the victim among them.
    pub members: Vec<DeadlockMember>,
}

/// A listener that is told of deadlocks.
pub trait DeadlockWatch: Send + Sync {
    /// One has been found; its members still wait, and nobody can begin to, so this only takes down what they do. What it gives is
    /// run when they go on.
    fn found(&self, deadlock: Deadlock) -> Box<dyn FnOnce()>;
}

impl LockManager {
    pub(super) fn deadlock(
        &self,
        waiting: &BTreeMap<OwnerId, WaitingOwner>,
        cycle: &[OwnerId],
        victim: OwnerId,
    ) -> Deadlock {
        let member = |owner: &OwnerId| {
            let w = waiting.get(owner)?;
            let hash = w.resource.hash();
            let resource = w.resource;
            let mut locks = Vec::new();
            if let Some(lock) = self.shard(hash).find(hash, &resource) {
                let status = LockStatus::Grant;
                let row = |owner, mode, status| LockRow { resource, status, owner, mode };
                locks.extend(lock.grants.iter().map(|g| row(g.owner, g.mode, status)));
                locks.extend(lock.queue.iter().flat_map(|q| q.iter()).map(|q| {
                    let status = if q.converts { LockStatus::Convert } else { LockStatus::Wait };
                    row(q.owner, q.mode, status)
                }));
            }
            Some(DeadlockMember {
                owner: *owner,
                resource,
                object: w.object,
                mode: w.mode,
                priority: w.deadlock_priority,
                log_bytes: w.log_bytes,
                locks,
            })
        };
        Deadlock { victim, members: cycle.iter().filter_map(member).collect() }
    }
}
