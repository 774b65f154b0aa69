//! Commits that are released before they are durable (PIPELINED_COMMIT), and who waits for them before anything leaves the server.
//!
//! ```text
//! commit(Pipelined) ─► record appended ─► `released` says so ─► versions visible, locks released ─► the log writes within the window
//!                                                                    │
//!            others read it ─────────────────────────────────────────┘ ─► settle: durable, before anything of it is told
//! ```
//! 1. `released` of a database says the commit before anybody can have seen it: before its versions are visible and its locks gone.
//! 2. Who has learned something asks later than he has learned it. So what was released when he asks covers what he knows.
//! 3. Within a database the log itself keeps the order: a commit that depends on another one has its record behind it. Between databases
//!    nothing does; there who commits waits first.
//! 4. A database whose log has failed with commits that were released and are lost stays listed under the number of its failure. Who was
//!    there before must not speak; who comes later has learned nothing of it, since nobody gets at a suspect database.
//!
//! A server where no database has such commits pays one load for each question.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use smallvec::SmallVec;
use taffrail_base::{DatabaseId, LogPos};
use taffrail_log::FlushReason;
use taffrail_log::fair::RwLock;

use crate::buffer::Store;
use crate::error::{StorageError, StorageResult};

/// How far commits that were released may run ahead of what is durable.
#[derive(Clone, Copy, Debug)]
pub struct RunAhead {
    /// Bytes of log ahead.
    pub bytes: u64,
    /// The age of the oldest commit.
    pub time: Duration,
}

impl Default for RunAhead {
    fn default() -> RunAhead {
        RunAhead { bytes: 4 << 20, time: Duration::from_millis(10) }
    }
}

impl RunAhead {
    /// How long a commit waits for others to share its write.
    fn window(self) -> Duration {
        self.time / 10
    }
}

/// The released commits of one database.
pub struct Pipeline {
    id: DatabaseId,
    store: Arc<Store>,
    limits: RunAhead,
    /// Position of the last commit that was released; 0: none was.
    released: AtomicU64,
    /// A commit that was not durable a while ago, and when it was released: microseconds on the monotonic clock. Approximate.
    oldest: AtomicU64,
    oldest_at: AtomicU64,
    /// The number of the failure that has lost released commits; 0: none has.
    failure: AtomicU64,
}

impl Pipeline {
    /// The database whose commits these are.
    pub fn database(&self) -> DatabaseId {
        self.id
    }

    /// The position that was released and is not durable; none: all of it is.
    #[inline]
    fn due(&self) -> Option<LogPos> {
        let released = LogPos(self.released.load(Ordering::Acquire));
        (!released.is_zero() && released >= self.store.log().durable()).then_some(released)
    }

    /// Waits until another commit may run ahead.
    pub(crate) fn make_room(&self, now: Duration) -> StorageResult<()> {
        let log = self.store.log();
        let (durable, oldest) = (log.durable(), LogPos(self.oldest.load(Ordering::Relaxed)));
        if oldest < durable {
            return Ok(());
        }
        let begun = Duration::from_micros(self.oldest_at.load(Ordering::Relaxed));
        let bytes = log.appended().0.saturating_sub(durable.0);
        if bytes < self.limits.bytes && now.saturating_sub(begun) < self.limits.time {
            return Ok(());
        }
        log.harden(oldest, FlushReason::Commit).map_err(|e| self.store.log_error(e))
    }

    /// A commit whose record is at `pos` may be seen from now on.
    pub(crate) fn release(&self, pos: LogPos, now: Duration) {
        self.released.fetch_max(pos.0, Ordering::AcqRel);
        let log = self.store.log();
        if LogPos(self.oldest.load(Ordering::Relaxed)) < log.durable() {
            let micros = u64::try_from(now.as_micros()).unwrap_or(u64::MAX);
            self.oldest_at.store(micros, Ordering::Relaxed);
            self.oldest.store(pos.0, Ordering::Relaxed);
        }
        log.request_soon(self.limits.window());
    }
}

/// The commits of a database up to a position.
pub type Promised = (Arc<Pipeline>, LogPos);

/// The databases of an instance that have released commits.
#[derive(Default)]
pub struct Pipelines {
    listed: AtomicUsize,
    list: RwLock<Vec<Arc<Pipeline>>>,
    /// Failures that have lost released commits.
    failures: AtomicU64,
    /// The server's setting: databases of users have such commits, whatever their own setting is.
    everywhere: AtomicBool,
}

impl Pipelines {
    /// Whether all databases of users release commits before they are durable.
    #[inline]
    pub fn are_everywhere(&self) -> bool {
        self.everywhere.load(Ordering::Acquire)
    }

    /// Sets whether all databases of users do.
    pub fn set_everywhere(&self, everywhere: bool) {
        self.everywhere.store(everywhere, Ordering::Release);
    }

    /// No database has released commits, nor had any: nothing is waited for.
    #[inline]
    pub fn are_unused(&self) -> bool {
        self.listed.load(Ordering::Acquire) == 0
    }

    /// The number of the last failure that has lost released commits; 0: there was none.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Acquire)
    }

    /// A database that is going to release commits.
    pub(crate) fn add(
        &self,
        id: DatabaseId,
        store: &Arc<Store>,
        limits: RunAhead,
    ) -> Arc<Pipeline> {
        let pipeline = Arc::new(Pipeline {
            id,
            store: store.clone(),
            limits,
            released: AtomicU64::new(0),
            oldest: AtomicU64::new(0),
            oldest_at: AtomicU64::new(0),
            failure: AtomicU64::new(0),
        });
        self.list.write().push(pipeline.clone());
        self.listed.fetch_add(1, Ordering::AcqRel);
        pipeline
    }

    /// A database is closed, its log sealed or failed: it stays listed only if commits are lost.
    pub(crate) fn closed(&self, pipeline: &Arc<Pipeline>) {
        if pipeline.due().is_some() {
            self.failed(pipeline);
            return;
        }
        let mut list = self.list.write();
        let before = list.len();
        list.retain(|p| !Arc::ptr_eq(p, pipeline));
        self.listed.fetch_sub(before - list.len(), Ordering::AcqRel);
    }

    /// The number of a failure, given now if nobody has noticed it before.
    fn failed(&self, pipeline: &Pipeline) -> u64 {
        let _one = self.list.write();
        let known = pipeline.failure.load(Ordering::Acquire);
        if known != 0 {
            return known;
        }
        let number = self.failures.load(Ordering::Acquire) + 1;
        pipeline.failure.store(number, Ordering::Release);
        self.failures.store(number, Ordering::Release);
        number
    }

    /// The positions of these databases that are released now and not durable.
    pub fn promised(&self, wanted: impl Fn(DatabaseId) -> bool) -> SmallVec<[Promised; 2]> {
        if self.are_unused() {
            return SmallVec::new();
        }
        let list = self.list.read();
        let of = list.iter().filter(|p| wanted(p.id));
        of.filter_map(|p| Some((p.clone(), p.due()?))).collect()
    }

    /// Waits until these commits are durable. An error if they are lost, unless that happened by the failure of number `known` or an
    /// earlier one.
    pub fn settle(&self, promised: &[Promised], known: u64) -> StorageResult<()> {
        promised.iter().try_for_each(|(pipeline, pos)| self.harden(pipeline, *pos, known))
    }

    fn harden(&self, pipeline: &Arc<Pipeline>, pos: LogPos, known: u64) -> StorageResult<()> {
        let of_before = |number: u64| number != 0 && number <= known;
        if of_before(pipeline.failure.load(Ordering::Acquire)) {
            return Ok(());
        }
        let store = &pipeline.store;
        match store.log().harden(pos, FlushReason::Commit) {
            Ok(()) => Ok(()),
            Err(e) => {
                let error = store.log_error(e);
                if of_before(self.failed(pipeline)) {
                    return Ok(());
                }
                Err(match error {
                    // Of a database that was closed since: what was lost is its log.
                    StorageError::Sql(_) => StorageError::LogUnavailable(store.name().into()),
                    error => error,
                })
            }
        }
    }
}

/// A way out of the server that is no session's: files of events, metrics.
#[derive(Default)]
pub struct Outlet {
    /// The last failure that was there before anything was gathered for it.
    known: AtomicU64,
}

impl Outlet {
    /// An outlet for what is gathered from now on.
    pub fn of_now(pipelines: &Pipelines) -> Outlet {
        Outlet { known: AtomicU64::new(pipelines.failures()) }
    }

    /// Waits until everything that was released is durable: what was gathered for the outlet may leave. An error if some of it is lost:
    /// the caller throws away what it has gathered, and begins anew.
    pub fn pass(&self, pipelines: &Pipelines) -> StorageResult<()> {
        if pipelines.are_unused() {
            return Ok(());
        }
        let now = pipelines.failures();
        let promised = pipelines.promised(|_| true);
        let settled = pipelines.settle(&promised, self.known.load(Ordering::Acquire));
        let known = if settled.is_ok() { now } else { pipelines.failures() };
        self.known.store(known, Ordering::Release);
        settled
    }
}
