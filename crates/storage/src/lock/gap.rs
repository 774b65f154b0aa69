//! Gaps between keys: whether a key may be put before another one.
//!
//! A range mode on a key guards the gap before it ([`LockMode::guards_gap`]). Who inserts asks without waiting, under the leaf's latch
//! ([`LockManager::gap`]), and holds no lock on the gap when nobody is in the way. Otherwise it waits for RangeI-N
//! ([`LockManager::lock_gap`]) without the latch, keeps it while it looks again, and then gives it back.
//!
//! The question passes over the queue: who waits there has not been granted the gap, and looks at it again once it has.

use std::time::Duration;

use super::manager::LockManager;
use super::mode::LockMode;
use super::outcome::{Granted, LockError};
use super::resource::Resource;
use super::state::TxLockState;

/// RangeI-N that was waited for.
#[derive(Clone, Copy, Debug)]
pub struct GapLock {
    key: Resource,
    /// The mode that its owner held before.
    before: LockMode,
}

impl LockManager {
    /// True if nobody but this owner guards the gap before a key; and the mode in which the owner itself holds the key.
    pub fn gap(&self, state: &TxLockState, key: &Resource) -> (bool, LockMode) {
        let hash = key.hash();
        let shard = self.shard(hash);
        let Some(lock) = shard.find(hash, key) else { return (true, LockMode::Null) };
        let (mut free, mut own) = (true, LockMode::Null);
        for grant in &lock.grants {
            match grant.owner == state.owner {
                true => own = grant.mode,
                false => free &= !grant.mode.guards_gap(),
            }
        }
        (free, own)
    }

    /// Waits until the gap before a key may be inserted into. The caller holds no latch, and gives the lock back
    /// ([`LockManager::unlock_gap`]) when it has inserted, or will not.
    pub fn lock_gap(
        &self,
        state: &mut TxLockState,
        object: Resource,
        key: Resource,
        timeout: Option<Duration>,
    ) -> Result<GapLock, LockError> {
        let index = state.object(&object);
        let before = self.mode_of(state, &key);
        let result = self.acquire_at(state, index, key, LockMode::RangeIN, timeout);
        self.count_refusal(key.kind(), timeout, &result);
        if result?.0 == Granted::New {
            let using = &mut state.objects[index as usize];
            using.rows += 1;
            using.rows_in_statement += 1;
        }
        Ok(GapLock { key, before })
    }

    /// Gives a gap back; the key stays locked as it was before.
    pub fn unlock_gap(&self, state: &mut TxLockState, gap: GapLock) {
        let GapLock { key, before } = gap;
        match before {
            LockMode::Null => self.release(state, &key),
            held => self.weaken(state, &key, (held.with(LockMode::RangeIN), held)),
        }
    }

    /// The mode in which an owner holds a resource, the lock on its object aside; [`LockMode::Null`]: it does not.
    pub fn mode_of(&self, state: &TxLockState, resource: &Resource) -> LockMode {
        let hash = resource.hash();
        self.shard(hash).mode(hash, resource, state.owner)
    }

    /// True if anybody holds the resource. Who waits for it waits for somebody who does.
    pub fn is_locked(&self, resource: &Resource) -> bool {
        let hash = resource.hash();
        self.shard(hash).find(hash, resource).is_some()
    }
}
