//! Rows of `sys.dm_tran_locks`, and who blocks whom.

use super::manager::LockManager;
use super::mode::LockMode;
use super::resource::Resource;
use super::state::OwnerId;
use super::table::Lock;

/// The values of `request_status`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LockStatus {
    /// The lock is held.
    Grant,
    /// Held in another mode, waiting for this one.
    Convert,
    /// The request waits in the queue.
    Wait,
}

impl LockStatus {
    /// The text of `request_status`.
    pub const fn name(self) -> &'static str {
        match self {
            LockStatus::Grant => "GRANT",
            LockStatus::Convert => "CONVERT",
            LockStatus::Wait => "WAIT",
        }
    }
}

/// A grant or a request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LockRow {
    /// The resource of the lock.
    pub resource: Resource,
    /// Whether it is held.
    pub status: LockStatus,
    /// The owner that holds or asks.
    pub owner: OwnerId,
    /// The mode held or asked for.
    pub mode: LockMode,
}

impl LockManager {
    /// Everything held and waited for, ordered by resource. Each shard is as it was at one moment, all of them are not.
    pub fn snapshot(&self) -> Vec<LockRow> {
        let mut rows = Vec::new();
        for shard in self.shards() {
            let table = shard.lock();
            for lock in table.iter() {
                add(&mut rows, lock);
            }
        }
        rows.sort_unstable();
        rows
    }

    /// The grants of a resource, and then those that wait for it in their order.
    pub fn rows_of(&self, resource: &Resource) -> Vec<LockRow> {
        let mut rows = Vec::new();
        let hash = resource.hash();
        if let Some(lock) = self.shard(hash).find(hash, resource) {
            add(&mut rows, lock);
        }
        rows
    }
}

fn add<T>(rows: &mut Vec<LockRow>, lock: &Lock<T>) {
    let resource = lock.resource;
    rows.extend(lock.grants.iter().map(|g| LockRow {
        resource,
        status: LockStatus::Grant,
        owner: g.owner,
        mode: g.mode,
    }));
    rows.extend(lock.queue.iter().flat_map(|q| q.iter()).map(|w| LockRow {
        resource,
        status: if w.converts { LockStatus::Convert } else { LockStatus::Wait },
        owner: w.owner,
        mode: w.mode,
    }));
}
