//! What all databases of a server share: the buffer pool, the lock manager, the outside world.

use std::sync::Arc;
use std::time::Duration;

use taffrail_base::SqlError;
use taffrail_io::Env;

use crate::buffer::BufferPool;
use crate::database::LogSettings;
use crate::error::{StorageError, StorageResult};
use crate::lock::{LockLimits, LockManager};

/// Settings of an instance.
#[derive(Clone, Debug)]
pub struct InstanceOptions {
    /// Memory of the buffer pool in bytes (`max server memory`); at least 64 pages are used.
    pub pool_bytes: u64,
    /// Limits of the lock manager.
    pub locks: LockLimits,
    /// Settings of every database's log.
    pub log: LogSettings,
}

impl Default for InstanceOptions {
    fn default() -> InstanceOptions {
        InstanceOptions {
            pool_bytes: 256 << 20,
            locks: LockLimits::default(),
            log: LogSettings::default(),
        }
    }
}

/// The shared part of storage.
pub struct StorageInstance {
    /// Files, clock, entropy.
    pub env: Env,
    /// Pages in memory.
    pub pool: BufferPool,
    /// Locks.
    pub locks: LockManager,
    /// Settings.
    pub options: InstanceOptions,
}

/// Frames that the lazy writer looks at in one turn.
const LOOK_AHEAD: u32 = 512;

impl StorageInstance {
    /// An instance with an empty pool. Memory is touched as it is used.
    pub fn new(env: Env, options: InstanceOptions) -> StorageResult<Arc<StorageInstance>> {
        let pool = BufferPool::new(options.pool_bytes)
            .map_err(|_| StorageError::Sql(SqlError::new(701, &[&"default"])))?;
        let locks = LockManager::new(options.locks);
        Ok(Arc::new(StorageInstance { env, pool, locks, options }))
    }

    /// Writes dirty pages that will be victims soon; run by a thread of the engine. Returns when to come again.
    pub fn lazy_writer_tick(&self) -> Duration {
        // A database whose pages cannot be written is suspect by now, and says so to whoever uses it.
        match self.pool.write_ahead_of_hand(LOOK_AHEAD.min(self.pool.frames() / 4)) {
            Ok(n) if n > 0 => Duration::from_millis(10),
            _ => Duration::from_millis(200),
        }
    }
}
