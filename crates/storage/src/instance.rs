//! What all databases of a server share: the buffer pool, the lock manager, the outside world.
use std::sync::Arc;
use std::time::Duration;

use taffrail_io::Env;

use crate::error::StorageResult;

/// Settings of an instance.
#[derive(Clone, Debug)]
pub struct InstanceOptions {
    /// Memory of the buffer pool in bytes (`max server memory`); at least 64 pages are used.
    pub pool_bytes: u64,
}

/// The shared part of storage.
pub struct StorageInstance {
    /// Files, clock, entropy.
    pub env: Env,
}

impl StorageInstance {
    /// An instance with an empty pool. Memory is touched as it is used.
    pub fn new(env: Env, options: InstanceOptions) -> StorageResult<Arc<StorageInstance>> {
        let _ = (env, options);
        todo!()
    }

    /// Keeps free frames ahead of demand; run by a thread of the engine. Returns when to come again.
    pub fn lazy_writer_tick(&self) -> Duration {
        todo!()
    }
}
