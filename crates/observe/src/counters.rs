//! Counters, and the sets of them behind `sys.dm_os_performance_counters`.
//!
//! Rates ("…/sec") are kept as running totals: readers difference them, as they do with SQL Server's.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use crate::moment::Moment;
use crate::waits::shard;

/// A running total, counted by any thread.
#[derive(Default, Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    /// A counter that stands at zero.
    pub const fn new() -> Counter {
        Counter(AtomicU64::new(0))
    }

    /// Adds one to the total.
    pub fn inc(&self) {
        self.add(1);
    }

    /// Adds `n` to the total.
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Relaxed);
    }

    /// The total so far.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A level that rises and falls.
#[derive(Default, Debug)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// A gauge that stands at zero.
    pub const fn new() -> Gauge {
        Gauge(AtomicI64::new(0))
    }

    /// Adds `n`, which may be negative.
    pub fn add(&self, n: i64) {
        self.0.fetch_add(n, Relaxed);
    }

    /// Sets the level to `n`.
    pub fn set(&self, n: i64) {
        self.0.store(n, Relaxed);
    }

    /// The level as it is now.
    pub fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }
}

#[repr(align(64))]
#[derive(Default, Debug)]
struct Padded(AtomicU64);

/// A total that many threads add to at once (per page looked up, per lock): each adds in its own cache line.
#[derive(Default, Debug)]
pub struct HotCounter([Padded; 8]);

impl HotCounter {
    /// Adds one to the total.
    pub fn inc(&self) {
        self.add(1);
    }

    /// Adds `n` to the total.
    pub fn add(&self, n: u64) {
        self.0[shard(self.0.len())].0.fetch_add(n, Relaxed);
    }

    /// The total so far, over all shards.
    pub fn get(&self) -> u64 {
        self.0.iter().map(|c| c.0.load(Relaxed)).sum()
    }
}

/// Time spent: a total, and what of it fell into the last full second (for counters that SQL Server defines so).
#[derive(Default, Debug)]
pub struct TimeCounter {
    total_ns: AtomicU64,
    second: AtomicU64,
    this_second_ns: AtomicU64,
    last_second_ns: AtomicU64,
}

impl TimeCounter {
    /// Adds a duration that ended now.
    pub fn add_ns(&self, ns: u64) {
        self.add_at(ns, Moment::now());
    }

    fn add_at(&self, ns: u64, now: Moment) {
        self.total_ns.fetch_add(ns, Relaxed);
        self.turn(now.0 / 1_000_000_000);
        self.this_second_ns.fetch_add(ns, Relaxed);
    }

    /// Moves to `second` if it is new. Two threads may see the turn at once: one wins, and what the other adds falls
    /// on either side, which no reader can tell.
    fn turn(&self, second: u64) {
        let seen = self.second.load(Relaxed);
        if second > seen && self.second.compare_exchange(seen, second, Relaxed, Relaxed).is_ok() {
            let ended = self.this_second_ns.swap(0, Relaxed);
            self.last_second_ns.store(if second == seen + 1 { ended } else { 0 }, Relaxed);
        }
    }

    /// The total since the start.
    pub fn total_ns(&self) -> u64 {
        self.total_ns.load(Relaxed)
    }

    /// The total since the start, whole milliseconds.
    pub fn total_ms(&self) -> u64 {
        self.total_ns() / 1_000_000
    }

    /// The time of everything that ended in the last full second, ms.
    pub fn last_second_ms(&self) -> u64 {
        self.turn(Moment::now().0 / 1_000_000_000);
        self.last_second_ns.load(Relaxed) / 1_000_000
    }
}

/// `SQLServer:Databases`: one set per database.
#[derive(Default, Debug)]
pub struct DatabaseCounters {
    /// Data File(s) Size (KB)
    pub data_files_size_kb: Gauge,
    /// Log File(s) Size (KB)
    pub log_files_size_kb: Gauge,
    /// Log File(s) Used Size (KB); Percent Log Used follows from it.
    pub log_files_used_size_kb: Gauge,
    /// Active Transactions: begun and not ended yet.
    pub active_transactions: Gauge,
    /// Transactions/sec: number of transactions started.
    pub transactions: Counter,
    /// Write Transactions/sec: transactions that wrote and committed.
    pub write_transactions: Counter,
    /// Log Flushes/sec: writes to the log file that make records durable.
    pub log_flushes: Counter,
    /// Log Bytes Flushed/sec: bytes of the writes in `log_flushes`.
    pub log_bytes_flushed: Counter,
    /// Log Flush Waits/sec: commits that waited for a flush.
    pub log_flush_waits: Counter,
    /// Log Flush Wait Time: how long they waited.
    pub log_flush_wait_time: TimeCounter,
    /// Log Flush Write Time (ms): how long the writes took.
    pub log_flush_write_time: TimeCounter,
    /// Group Commit Time/sec: commits held back to share a write, µs.
    pub group_commit_time_us: Counter,
    /// Log Growths: how often a log file has grown.
    pub log_growths: Counter,
    /// Log Shrinks: how often a log file has shrunk.
    pub log_shrinks: Counter,
    /// Log Truncations: how often VLFs became reusable.
    pub log_truncations: Counter,
    /// Log Cache Reads/sec: records fetched through the log cache.
    pub log_cache_reads: Counter,
    /// Log Cache Hit Ratio's numerator: those that were there.
    pub log_cache_hits: Counter,
    /// Log Pool Requests/sec: blocks asked for by readers.
    pub log_pool_requests: Counter,
    /// Log Pool Cache Misses/sec
    pub log_pool_cache_misses: Counter,
    /// Log Pool Disk Reads/sec
    pub log_pool_disk_reads: Counter,
    /// Backup/Restore Throughput/sec: bytes read or written by backups and restores.
    pub backup_bytes: Counter,
    /// Bulk Copy Rows/sec: rows that bulk loads have inserted.
    pub bulk_copy_rows: Counter,
    /// Bulk Copy Throughput/sec, bytes; the counter shows KB.
    pub bulk_copy_bytes: Counter,
    /// Pages and their bytes that checkpoints, evictions and others read and wrote, for I/O views.
    pub data_reads: Counter,
    /// Bytes read by `data_reads`.
    pub data_read_bytes: Counter,
    /// Writes to data files.
    pub data_writes: Counter,
    /// Bytes written by `data_writes`.
    pub data_write_bytes: Counter,
    /// Records appended to the log.
    pub log_records: Counter,
    /// Page splits (SQLServer:Access Methods adds them up).
    pub page_splits: Counter,
    /// Ghosted records that scans stepped over.
    pub skipped_ghosts: HotCounter,
    /// Forwarded records that reads have fetched.
    pub forwarded_records: Counter,
    /// Full Scans, Range Scans, Index Searches of SQLServer:Access Methods.
    pub full_scans: HotCounter,
    /// Range Scans of SQLServer:Access Methods, beside `full_scans`.
    pub range_scans: HotCounter,
    /// Index Searches of SQLServer:Access Methods, beside `full_scans`.
    pub index_searches: HotCounter,
    /// Checkpoints that were completed.
    pub checkpoints: Counter,
    /// Pages Allocated/sec: pages given to heaps and trees.
    pub pages_allocated: Counter,
    /// Page Deallocations/sec: pages that heaps and trees gave back.
    pub pages_deallocated: Counter,
    /// Extents Allocated/sec: extents taken from the files.
    pub extents_allocated: Counter,
    /// Extent Deallocations/sec: extents given back to the files.
    pub extents_deallocated: Counter,
}

impl DatabaseCounters {
    /// Percent Log Used, an integer.
    pub fn percent_log_used(&self) -> i64 {
        match self.log_files_size_kb.get() {
            0 => 0,
            size => self.log_files_used_size_kb.get() * 100 / size,
        }
    }
}

/// The counters of the object `SQLServer:Buffer Manager`.
#[derive(Default, Debug)]
pub struct BufferCounters {
    /// Page lookups/sec: pages asked of the buffer pool.
    pub page_lookups: HotCounter,
    /// Page reads/sec: pages read from data files.
    pub page_reads: Counter,
    /// Page writes/sec: every page written, whoever wrote it.
    pub page_writes: Counter,
    /// Checkpoint pages/sec: pages that checkpoints wrote.
    pub checkpoint_pages: Counter,
    /// Background writer pages/sec: pages that the background writer wrote.
    pub background_writer_pages: Counter,
    /// Lazy writes/sec: dirty pages written to free their frames.
    pub lazy_writes: Counter,
    /// Readahead pages/sec: pages read before they were asked for.
    pub readahead_pages: Counter,
    /// Readahead time/sec: duration of those reads, µs.
    pub readahead_time_us: Counter,
    /// Free list stalls/sec: requests that had to wait for a free frame.
    pub free_list_stalls: Counter,
    /// Pages evicted to make room.
    pub evictions: Counter,
    /// Database pages: pages in the buffer pool.
    pub database_pages: Gauge,
    /// Target pages: pages that the buffer pool may hold.
    pub target_pages: Gauge,
    /// Page life expectancy, s
    pub page_life_expectancy_s: Gauge,
    /// When it was looked at last, s, and the evictions until then.
    looked: [AtomicU64; 2],
}

impl BufferCounters {
    /// A moment has passed: once a second, with so many pages in memory, the expectancy grows by a second, or falls to the time in which
    /// as many pages have gone as there are.
    pub fn tick(&self, now: std::time::Duration, pages: u32) {
        let [at, evicted] = &self.looked;
        let (now, before) = (now.as_secs(), at.load(Relaxed));
        if now == before {
            return;
        }
        at.store(now, Relaxed);
        let evictions = self.evictions.get();
        let gone = evictions.saturating_sub(evicted.swap(evictions, Relaxed));
        self.database_pages.set(pages.into());
        if before == 0 {
            return;
        }
        let seconds = now.saturating_sub(before);
        let grown = self.page_life_expectancy_s.get() + seconds as i64;
        let least = (u64::from(pages) * seconds).checked_div(gone);
        self.page_life_expectancy_s.set(least.map_or(grown, |least| grown.min(least as i64)));
    }
}

/// One instance of `SQLServer:Locks` (Database, Object, Page, Key, RID …).
#[derive(Default, Debug)]
pub struct LockCounters {
    /// Lock Requests/sec: locks and conversions asked for.
    pub requests: HotCounter,
    /// Lock Waits/sec: requests that had to wait.
    pub waits: Counter,
    /// Lock Wait Time (ms), and Average Wait Time over `waits`.
    pub wait_time: TimeCounter,
    /// Lock Timeouts/sec, NOWAIT included.
    pub timeouts: Counter,
    /// Lock Timeouts (timeout > 0)/sec
    pub timeouts_positive: Counter,
    /// Number of Deadlocks/sec: requests that a deadlock ended.
    pub deadlocks: Counter,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_counters_add_up_over_threads() {
        let counter = HotCounter::default();
        std::thread::scope(|s| {
            for _ in 0..10 {
                s.spawn(|| (0..1000).for_each(|_| counter.inc()));
            }
        });
        assert_eq!(counter.get(), 10_000);
    }

    #[test]
    fn a_page_lives_longer_each_second_and_shorter_when_many_go() {
        let c = BufferCounters::default();
        let at = std::time::Duration::from_secs;
        (100..=160).for_each(|s| c.tick(at(s), 1000));
        assert_eq!((c.page_life_expectancy_s.get(), c.database_pages.get()), (60, 1000));
        c.evictions.add(50);
        c.tick(at(161), 1000);
        assert_eq!(c.page_life_expectancy_s.get(), 20);
        c.tick(at(161), 5);
        c.tick(at(162), 1000);
        assert_eq!(c.page_life_expectancy_s.get(), 21);
    }

    #[test]
    fn time_of_the_last_second_is_told_apart() {
        let second = |n: u64| Moment(n * 1_000_000_000 + 5);
        let t = TimeCounter::default();
        t.add_at(4_000_000, second(10));
        t.add_at(6_000_000, second(10));
        t.add_at(1_000_000, second(11));
        assert_eq!(t.last_second_ns.load(Relaxed), 10_000_000);
        t.add_at(2_000_000, second(13));
        assert_eq!(t.last_second_ns.load(Relaxed), 0);
        assert_eq!(t.total_ms(), 13);
    }
}
