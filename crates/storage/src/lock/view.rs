//! Rows of `sys.dm_tran_locks`, and who blocks whom.

use super::manager::LockManager;
use super::mode::LockMode;
use super::resource::Resource;
use super::state::OwnerId;

/// `request_status`
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LockStatus {
    /// Held.
    Grant,
    /// Held in another mode, waiting for this one.
    Convert,
    /// Waiting.
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
    /// What.
    pub resource: Resource,
    /// Whether it is held.
    pub status: LockStatus,
    /// Who.
    pub owner: OwnerId,
    /// How.
    pub mode: LockMode,
}

impl LockManager {
    /// Everything held and waited for, ordered by resource. Each shard is as it was at one moment, all of them are not.
    pub fn snapshot(&self) -> Vec<LockRow> {
        let mut rows = Vec::new();
        for shard in self.shards() {
            let table = shard.lock();
            for lock in table.iter() {
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
        }
        rows.sort_unstable();
        rows
    }
}
