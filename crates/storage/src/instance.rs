//! What all databases of a server share: the buffer pool, the lock manager, the outside world.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use taffrail_base::SqlError;
use taffrail_io::Env;
use taffrail_log::Pieces;

use crate::buffer::BufferPool;
use crate::database::LogSettings;
use crate::error::{StorageError, StorageResult};
use crate::lock::{LockLimits, LockManager};
use crate::pipeline::{Pipelines, RunAhead};
use crate::redo_rate::RedoRate;
use crate::versions::Snapshots;

/// Settings of an instance.
#[derive(Clone, Debug)]
pub struct InstanceOptions {
    /// Memory of the buffer pool in bytes (`max server memory`); at least 64 pages are used.
    pub pool_bytes: u64,
    /// Limits of the lock manager.
    pub locks: LockLimits,
    /// Settings of every database's log.
    pub log: LogSettings,
    /// The threads that help with redo.
    pub workers: Workers,
    /// Bytes of row versions in memory, of all databases together. Beyond that the oldest snapshots are ended: their readers get an
    /// error; writers go on.
    pub versions_bytes: u64,
    /// How far commits that were released may run ahead of what is durable.
    pub run_ahead: RunAhead,
    /// Bytes of log that redo may have to read, whatever TARGET_RECOVERY_TIME allows.
    pub redo_log_max: u64,
    /// Where databases lie when nothing else is said. It may have been elsewhere when a database noted where its files are.
    pub data_dir: std::path::PathBuf,
}

impl Default for InstanceOptions {
    fn default() -> InstanceOptions {
        InstanceOptions {
            pool_bytes: 256 << 20,
            locks: LockLimits::default(),
            log: LogSettings::default(),
            workers: Workers::default(),
            versions_bytes: 64 << 20,
            run_ahead: RunAhead::default(),
            // What restart redoes in well under a second.
            redo_log_max: 256 << 20,
            data_dir: std::path::PathBuf::new(),
        }
    }
}

/// The shared part of storage.
pub struct StorageInstance {
    /// The disk, clock and entropy.
    pub env: Env,
    /// The pages in memory.
    pub pool: BufferPool,
    /// The locks of all databases.
    pub locks: LockManager,
    /// The settings of the instance.
    pub options: InstanceOptions,
    /// How fast redo was.
    pub(crate) redo_rate: RedoRate,
    /// The settings of all databases' checkpoints.
    pub checkpoints: CheckpointSettings,
    /// The commits of all databases that are visible and may not be durable.
    pub pipelines: Pipelines,
    /// The order of commits with row versions, and the snapshots that are open.
    pub snapshots: Arc<Snapshots>,
    /// Memory for the parts of log files that are read for single records, by undo mostly.
    pub(crate) log_pieces: Arc<Pieces>,
    /// The number of the next transaction, see [`StorageInstance::next_transaction_number`].
    transactions: AtomicU64,
    /// Restarts that run end as soon as they can.
    stopping: AtomicBool,
}

/// Settings of checkpoints that change while the server runs.
#[derive(Default, Debug)]
pub struct CheckpointSettings {
    interval_min: AtomicU32,
    steps: AtomicBool,
    writes: AtomicBool,
}

/// The lines that checkpoints write to the error log.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CheckpointDetail {
    /// Trace flag 3502: their begin, steps and end.
    pub steps: bool,
    /// Trace flag 3504: what they wrote, and how fast.
    pub writes: bool,
}

impl CheckpointSettings {
    /// `recovery interval (min)`; 0: about a minute, and no more log than [`InstanceOptions::redo_log_max`].
    pub fn recovery_interval_min(&self) -> u64 {
        self.interval_min.load(Ordering::Relaxed).into()
    }

    /// Sets `recovery interval (min)`.
    pub fn set_recovery_interval_min(&self, minutes: u32) {
        self.interval_min.store(minutes, Ordering::Relaxed);
    }

    /// The lines that checkpoints write now.
    pub fn detail(&self) -> CheckpointDetail {
        CheckpointDetail {
            steps: self.steps.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
        }
    }

    /// Sets what checkpoints tell from now on.
    pub fn set_detail(&self, detail: CheckpointDetail) {
        self.steps.store(detail.steps, Ordering::Relaxed);
        self.writes.store(detail.writes, Ordering::Relaxed);
    }
}

/// Frames that the lazy writer looks at in one turn.
const LOOK_AHEAD: u32 = 512;

impl StorageInstance {
    /// An instance with an empty pool. Memory is touched as it is used.
    pub fn new(env: Env, options: InstanceOptions) -> StorageResult<Arc<StorageInstance>> {
        let pool = BufferPool::new(options.pool_bytes)
            .map_err(|_| StorageError::Sql(SqlError::new(701, &[&"default"])))?;
        let locks = LockManager::new(options.locks);
        let redo_rate = RedoRate::default();
        let transactions = AtomicU64::new(1);
        let checkpoints = CheckpointSettings::default();
        let log_pieces =
            Arc::new(Pieces::new((options.pool_bytes / 50).clamp(8 << 20, 64 << 20) as usize));
        Ok(Arc::new(StorageInstance {
            env,
            pool,
            locks,
            options,
            redo_rate,
            checkpoints,
            pipelines: Pipelines::default(),
            snapshots: Arc::default(),
            log_pieces,
            transactions,
            stopping: AtomicBool::new(false),
        }))
    }

    /// Has the redo of databases that are being opened end soon, with an error: the server stops, and the next restart begins anew.
    pub fn stop_restarts(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// A number for a transaction that is its own in all databases since the start: `transaction_id` of the views, where the id in
    /// the log is one of a single database.
    pub fn next_transaction_number(&self) -> u64 {
        self.transactions.fetch_add(1, Ordering::Relaxed)
    }

    /// Sees to it that who needs a frame finds one: while the pool grows, memory for the next ones; then dirty pages that will be
    /// victims soon are written. A pool that is to be smaller gives frames back. Run by a thread of the engine. Returns when to come again.
    pub fn lazy_writer_tick(&self) -> Duration {
        let moved = self.pool.ready_ahead() + self.pool.give_back().unwrap_or(0);
        // A database whose pages cannot be written is suspect by now, and says so to whoever uses it.
        match self.pool.write_ahead_of_hand(LOOK_AHEAD.min(self.pool.frames() / 4)) {
            Ok(n) if n > 0 => Duration::from_millis(10),
            _ if moved > 0 => Duration::from_millis(10),
            _ => Duration::from_millis(200),
        }
    }
}

/// Threads that restart may use besides the caller's: storage starts none by itself.
#[derive(Clone)]
pub struct Workers {
    helpers: usize,
    run: Arc<Runner>,
}

/// Calls the function with 0 to the given number, each once, at the same time; 0 in the calling thread. Returns when
/// all calls have. One that
/// finds no thread may leave out a number above 0.
type Runner = dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Send + Sync;

impl Workers {
    /// So many helpers, run by the function: see [`Workers::run`].
    pub fn new(
        helpers: usize,
        run: impl Fn(usize, &(dyn Fn(usize) + Sync)) + Send + Sync + 'static,
    ) -> Workers {
        Workers { helpers, run: Arc::new(run) }
    }

    /// The number of helpers.
    pub fn helpers(&self) -> usize {
        self.helpers
    }

    /// Calls the function with 0 in this thread and with 1 to the number of helpers in others, at the same time. A helper may be
    /// missing.
    pub fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        (self.run)(self.helpers, work);
    }
}

impl Default for Workers {
    /// None: everything is done by the caller, in the same order each time.
    fn default() -> Workers {
        Workers::new(0, |_, work| work(0))
    }
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} helpers", self.helpers)
    }
}
