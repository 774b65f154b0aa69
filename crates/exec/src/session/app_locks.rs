//! What a session holds of application locks (`sp_getapplock`).

use std::sync::Arc;
use taffrail_storage::StorageInstance;
use taffrail_storage::lock::{OwnerId, Resource, TxLockState};

/// How often one owner asked for one name.
pub struct Count {
    /// The session or its transaction.
    pub owner: OwnerId,
    /// The name that is locked.
    pub resource: Resource,
    /// The requests that have not been taken back.
    pub times: u32,
}

/// The application locks of a session.
#[derive(Default)]
pub struct AppLocks {
    /// What the session itself holds, once it has asked for something.
    pub own: Option<(Arc<StorageInstance>, TxLockState)>,
    /// Of the session, and of transactions; those of transactions that have ended are thrown away by the next call.
    pub counts: Vec<Count>,
}

impl AppLocks {
    /// Gives back what the session holds.
    pub fn release_all(&mut self) {
        if let Some((instance, locks)) = &mut self.own {
            instance.locks.release_all(locks);
        }
        self.counts.clear();
    }
}

impl Drop for AppLocks {
    fn drop(&mut self) {
        self.release_all();
    }
}
