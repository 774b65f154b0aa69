//! Wait totals per type, and the guard that a thread holds from the moment it waits until it runs again.
//!
//! `waiting_tasks_count` grows when a wait starts; time is added when it ends, signal time included. Totals are kept
//! in a few shards so that sessions that wait at once do not fight over one cache line; readers add them up.
//!
//! Waits in progress stand in a place of each thread ([`Place`]), type and beginning in one word: a reader finds both or neither, and
//! counts a wait only where it was in progress before the totals were read and still is afterwards. So no wait is counted twice, in
//! the totals and as one in progress.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::moment::Moment;
use crate::session::{self, SessionCell};
use crate::wait_type::WaitType;
use crate::xe;

const SHARDS: usize = 8;

static NEXT_SHARD: AtomicUsize = AtomicUsize::new(0);
thread_local! {
    static SHARD: usize = NEXT_SHARD.fetch_add(1, Relaxed);
}

/// A small number that differs between threads until there are many of them: which shard of a sharded total to use.
pub(crate) fn shard(of: usize) -> usize {
    // A thread that is ending has no such number any more; any shard will do.
    SHARD.try_with(|s| *s).unwrap_or(0) % of
}

/// The totals of one wait type.
#[derive(Default)]
pub(crate) struct WaitCell {
    started: AtomicU64,
    ended: AtomicU64,
    wait_ns: AtomicU64,
    signal_ns: AtomicU64,
    max_ns: AtomicU64,
}

impl WaitCell {
    pub(crate) fn start(&self) {
        self.started.fetch_add(1, Relaxed);
    }

    pub(crate) fn end(&self, wait_ns: u64, signal_ns: u64) {
        self.ended.fetch_add(1, Relaxed);
        self.wait_ns.fetch_add(wait_ns, Relaxed);
        if signal_ns > 0 {
            self.signal_ns.fetch_add(signal_ns, Relaxed);
        }
        if wait_ns > self.max_ns.load(Relaxed) {
            self.max_ns.fetch_max(wait_ns, Relaxed);
        }
    }

    pub(crate) fn add_to(&self, sum: &mut WaitSum) {
        sum.started += self.started.load(Relaxed);
        sum.ended += self.ended.load(Relaxed);
        sum.wait_ns += self.wait_ns.load(Relaxed);
        sum.signal_ns += self.signal_ns.load(Relaxed);
        sum.max_ns = sum.max_ns.max(self.max_ns.load(Relaxed));
    }

    pub(crate) fn clear(&self) {
        // Waits in progress stay counted as such: started - ended must not go below zero when they end.
        let ended = self.ended.swap(0, Relaxed);
        self.started.fetch_sub(ended, Relaxed);
        self.wait_ns.store(0, Relaxed);
        self.signal_ns.store(0, Relaxed);
        self.max_ns.store(0, Relaxed);
    }
}

#[derive(Default)]
pub(crate) struct WaitSum {
    started: u64,
    ended: u64,
    wait_ns: u64,
    signal_ns: u64,
    max_ns: u64,
}

impl WaitSum {
    pub(crate) fn row(self, wait_type: WaitType) -> WaitRow {
        WaitRow {
            in_progress_ns: 0,
            wait_type,
            waiting_tasks_count: self.started,
            waits_in_progress: self.started.saturating_sub(self.ended),
            wait_time_ns: self.wait_ns,
            signal_wait_time_ns: self.signal_ns,
            max_wait_time_ns: self.max_ns,
        }
    }
}

/// One row of `sys.dm_os_wait_stats`. Times are kept in ns; the view shows ms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitRow {
    /// The type of the waits.
    pub wait_type: WaitType,
    /// The number of waits that have started.
    pub waiting_tasks_count: u64,
    /// Started and not ended yet.
    pub waits_in_progress: u64,
    /// How long those have lasted so far, together; `sys.dm_os_wait_stats` shows only waits that have ended.
    pub in_progress_ns: u64,
    /// Total time of ended waits, signal time included.
    pub wait_time_ns: u64,
    /// From being signalled to running.
    pub signal_wait_time_ns: u64,
    /// The longest single wait.
    pub max_wait_time_ns: u64,
}

impl WaitRow {
    /// The time of all waits, ms: `wait_time_ms`.
    pub fn wait_time_ms(&self) -> u64 {
        self.wait_time_ns / 1_000_000
    }

    /// The part after the signal, ms: `signal_wait_time_ms`.
    pub fn signal_wait_time_ms(&self) -> u64 {
        self.signal_wait_time_ns / 1_000_000
    }

    /// The longest wait, ms: `max_wait_time_ms`.
    pub fn max_wait_time_ms(&self) -> u64 {
        self.max_wait_time_ns / 1_000_000
    }
}

/// Totals of all wait types since the start or the last clear.
pub struct WaitStats {
    shards: Vec<Vec<WaitCell>>,
}

impl Default for WaitStats {
    fn default() -> WaitStats {
        let cells = || (0..WaitType::COUNT).map(|_| WaitCell::default()).collect();
        WaitStats { shards: (0..SHARDS).map(|_| cells()).collect() }
    }
}

impl WaitStats {
    /// The process's totals, behind `sys.dm_os_wait_stats`.
    pub fn global() -> &'static WaitStats {
        static GLOBAL: OnceLock<WaitStats> = OnceLock::new();
        GLOBAL.get_or_init(WaitStats::default)
    }

    fn cell(&self, wait_type: WaitType) -> &WaitCell {
        &self.shards[shard(SHARDS)][wait_type as usize]
    }

    /// A whole wait at once: `resource_ns` until it was signalled and `signal_ns` from there until it ran.
    pub fn record(&self, wait_type: WaitType, resource_ns: u64, signal_ns: u64) {
        let cell = self.cell(wait_type);
        cell.start();
        cell.end(resource_ns + signal_ns, signal_ns);
        if xe::wait_wanted(resource_ns + signal_ns) {
            xe::tell_wait(wait_type, resource_ns + signal_ns, signal_ns);
        }
    }

    /// The totals of one type.
    pub fn row(&self, wait_type: WaitType) -> WaitRow {
        let mut sum = WaitSum::default();
        for shard in &self.shards {
            shard[wait_type as usize].add_to(&mut sum);
        }
        sum.row(wait_type)
    }

    /// One row per wait type, those with zero counts included.
    pub fn snapshot(&self) -> Vec<WaitRow> {
        WaitType::ALL.iter().map(|w| self.row(*w)).collect()
    }

    /// [`WaitStats::snapshot`] of the process's totals, with the times of waits in progress.
    pub fn snapshot_with_progress() -> Vec<WaitRow> {
        let before = in_progress();
        let mut rows = WaitStats::global().snapshot();
        let now = Moment::now();
        for (place, word) in before {
            // A wait that has ended meanwhile is in the totals, or will be the next time.
            if place.0.load(Acquire) == word {
                let (wait_type, started) = unpacked(word);
                rows[wait_type].in_progress_ns += now.since(started);
            }
        }
        rows
    }

    /// Sets all to zero, as `DBCC SQLPERF('sys.dm_os_wait_stats', CLEAR)` asks.
    pub fn clear(&self) {
        self.shards.iter().flatten().for_each(WaitCell::clear);
    }
}

/// A thread's wait in progress: type and beginning packed into a word, 0 for none.
struct Place(AtomicU64);

/// Bits of a word for the type of the wait.
const TYPE_BITS: u32 = 10;
const _: () = assert!(WaitType::COUNT < 1 << TYPE_BITS);

/// The rest counts microseconds: 570 years of them.
fn packed(wait_type: WaitType, started: Moment) -> u64 {
    (started.0 / 1000 + 1) << TYPE_BITS | wait_type as u64
}

/// Number of the type, and the beginning.
fn unpacked(word: u64) -> (usize, Moment) {
    let wait_type = word & ((1 << TYPE_BITS) - 1);
    (wait_type as usize, Moment(((word >> TYPE_BITS) - 1) * 1000))
}

/// The places of all threads that have waited and are still there.
static PLACES: Mutex<Vec<Weak<Place>>> = Mutex::new(Vec::new());

thread_local! {
    static PLACE: Arc<Place> = {
        let place = Arc::new(Place(AtomicU64::new(0)));
        let mut all = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|p| p.strong_count() > 0);
        all.push(Arc::downgrade(&place));
        place
    };
}

/// Puts a word into the thread's place and returns the one before: waits may stand within others.
fn put(word: u64) -> u64 {
    // A thread that is ending is shown no more.
    PLACE.try_with(|p| p.0.swap(word, Release)).unwrap_or(0)
}

/// The places of threads that wait, with what stands there.
fn in_progress() -> Vec<(Arc<Place>, u64)> {
    let all = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let waiting = all.iter().filter_map(Weak::upgrade).map(|p| {
        let word = p.0.load(Acquire);
        (p, word)
    });
    waiting.filter(|(_, word)| *word != 0).collect()
}

/// Begins a wait of this thread: counts it, and shows it in the current session's cell.
///
/// ```
/// use taffrail_observe::{WaitStats, WaitType, wait};
/// let waiting = wait(WaitType::WriteLog);
/// // … block until somebody signals …
/// drop(waiting);
/// assert!(WaitStats::global().row(WaitType::WriteLog).waiting_tasks_count >= 1);
/// ```
pub fn wait(wait_type: WaitType) -> WaitGuard {
    let started = Moment::now();
    let session = session::current();
    WaitStats::global().cell(wait_type).start();
    if let Some(session) = &session {
        session.wait_started(wait_type, started);
    }
    let outer = put(packed(wait_type, started));
    WaitGuard { wait_type, started, signalled: None, session, outer, over: false }
}

/// A wait in progress; it ends when this is dropped, on the thread that waited.
#[must_use = "the wait lasts until the guard is dropped"]
pub struct WaitGuard {
    wait_type: WaitType,
    started: Moment,
    signalled: Option<Moment>,
    session: Option<Arc<SessionCell>>,
    /// The word in the thread's place before, for waits within waits.
    outer: u64,
    /// It has been recorded.
    over: bool,
}

impl WaitGuard {
    /// When what was waited for came true: the time from then on is signal time. Moments before the wait began
    /// count as its beginning.
    pub fn signalled(&mut self, at: Moment) {
        self.signalled = Some(at);
    }

    /// Shows what is waited for and who holds it (0 if nobody known) in `sys.dm_exec_requests`.
    pub fn resource(&self, resource: String, blocking_session: u16) {
        if let Some(session) = &self.session {
            session.set_wait_resource(resource, blocking_session);
        }
    }

    /// Ends the wait and returns how long it lasted, in ns, signal time included.
    pub fn finish(mut self) -> u64 {
        self.end()
    }

    fn end(&mut self) -> u64 {
        self.over = true;
        // First it is in progress no more: whoever reads meanwhile misses it for a moment, and never has it twice.
        put(self.outer);
        let now = Moment::now();
        let wait_ns = now.since(self.started);
        let signal_ns = self.signalled.map_or(0, |at| now.since(at).min(wait_ns));
        WaitStats::global().cell(self.wait_type).end(wait_ns, signal_ns);
        if let Some(session) = &self.session {
            session.wait_ended(self.wait_type, wait_ns, signal_ns);
        }
        if xe::wait_wanted(wait_ns) {
            xe::tell_wait(self.wait_type, wait_ns, signal_ns);
        }
        wait_ns
    }
}

impl Drop for WaitGuard {
    fn drop(&mut self) {
        if !self.over {
            self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_signal_time_are_split_and_cleared() {
        let stats = WaitStats::default();
        stats.record(WaitType::WriteLog, 3_000_000, 1_000_000);
        stats.record(WaitType::WriteLog, 5_000_000, 0);
        let row = stats.row(WaitType::WriteLog);
        assert_eq!(row.waiting_tasks_count, 2);
        assert_eq!((row.wait_time_ms(), row.signal_wait_time_ms()), (9, 1));
        assert_eq!(row.max_wait_time_ms(), 5);
        assert_eq!(stats.snapshot().len(), WaitType::COUNT);
        stats.cell(WaitType::LckMX).start();
        stats.clear();
        assert_eq!(stats.row(WaitType::WriteLog).waiting_tasks_count, 0);
        assert_eq!(stats.row(WaitType::LckMX).waits_in_progress, 1);
    }

    #[test]
    fn waits_in_progress_are_seen_and_never_twice() {
        use WaitType::AsyncNetworkIo as Kind;
        let row = || WaitStats::snapshot_with_progress()[Kind as usize];
        let before = row();
        let time = |r: WaitRow| r.wait_time_ns + r.in_progress_ns - before.wait_time_ns;
        std::thread::scope(|s| {
            let (ends, until) = std::sync::mpsc::channel::<()>();
            let (began, begun) = std::sync::mpsc::channel();
            let waiter = s.spawn(move || {
                let started = Moment::now();
                let waiting = wait(Kind);
                began.send(()).unwrap();
                until.recv().unwrap();
                let ns = waiting.finish();
                (ns, Moment::now().since(started))
            });
            begun.recv().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
            let during = row();
            assert!(time(during) >= 15_000_000, "{during:?}");
            assert_eq!(during.wait_time_ns, before.wait_time_ns);
            ends.send(()).unwrap();
            let (ns, lasted) = waiter.join().unwrap();
            let after = row();
            assert_eq!(after.in_progress_ns, before.in_progress_ns);
            assert!(time(after) >= ns && ns <= lasted, "{after:?}");
        });
        let (kind, at) = unpacked(packed(Kind, Moment(7_000_123)));
        assert_eq!((kind, at), (Kind as usize, Moment(7_000_000)));
    }

    #[test]
    fn a_guard_shows_the_wait_in_its_session() {
        let cell = SessionCell::new(77);
        let _in_session = SessionCell::enter(&cell);
        let before = WaitStats::global().row(WaitType::PwaitAllComponentsInitialized);
        {
            let mut waiting = wait(WaitType::PwaitAllComponentsInitialized);
            waiting.resource("KEY: 5:1 (0)".into(), 52);
            assert_eq!(cell.wait_type(), Some(WaitType::PwaitAllComponentsInitialized));
            assert_eq!(cell.blocking_session(), 52);
            let at = Moment::now();
            std::thread::sleep(std::time::Duration::from_millis(2));
            waiting.signalled(at);
        }
        assert_eq!((cell.wait_type(), cell.blocking_session()), (None, 0));
        assert_eq!(cell.last_wait_type(), Some(WaitType::PwaitAllComponentsInitialized));
        let row = WaitStats::global().row(WaitType::PwaitAllComponentsInitialized);
        assert_eq!(row.waiting_tasks_count, before.waiting_tasks_count + 1);
        assert!(row.signal_wait_time_ns >= 2_000_000);
        assert!(row.wait_time_ns >= row.signal_wait_time_ns);
        let own = cell.waits();
        assert_eq!(own.len(), 1);
        assert_eq!(own[0].waiting_tasks_count, 1);
    }
}
