//! Waits for latches of pages: since the start, as counters show them, and since they were cleared, as
//! `sys.dm_os_latch_stats` does.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The waits for latches: their number and durations.
#[derive(Default)]
pub struct LatchWaits {
    waits: AtomicU64,
    ns: AtomicU64,
    longest_ns: AtomicU64,
}

impl LatchWaits {
    const fn new() -> LatchWaits {
        LatchWaits {
            waits: AtomicU64::new(0),
            ns: AtomicU64::new(0),
            longest_ns: AtomicU64::new(0),
        }
    }

    fn add(&self, ns: u64) {
        self.waits.fetch_add(1, Relaxed);
        self.ns.fetch_add(ns, Relaxed);
        self.longest_ns.fetch_max(ns, Relaxed);
    }

    /// How many there were, how long together, and the longest: ms.
    pub fn row(&self) -> (u64, u64, u64) {
        let ms = |ns: &AtomicU64| ns.load(Relaxed) / 1_000_000;
        (self.waits.load(Relaxed), ms(&self.ns), ms(&self.longest_ns))
    }

    /// Sets all to zero, as `DBCC SQLPERF('sys.dm_os_latch_stats', CLEAR)` asks.
    pub fn clear(&self) {
        [&self.waits, &self.ns, &self.longest_ns].into_iter().for_each(|a| a.store(0, Relaxed));
    }
}

/// Since the start of the process.
pub static LATCHES_IN_ALL: LatchWaits = LatchWaits::new();
/// Since they were cleared.
pub static LATCHES: LatchWaits = LatchWaits::new();

/// Somebody had to wait for a latch, and has it now.
pub fn latch_waited(ns: u64) {
    LATCHES_IN_ALL.add(ns);
    LATCHES.add(ns);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cleared_begins_anew_and_the_total_goes_on() {
        let own = LatchWaits::new();
        own.add(3_000_000);
        own.add(5_500_000);
        assert_eq!(own.row(), (2, 8, 5));
        own.clear();
        assert_eq!(own.row(), (0, 0, 0));
        let before = LATCHES_IN_ALL.row().0;
        latch_waited(1);
        LATCHES.clear();
        assert!(LATCHES_IN_ALL.row().0 > before);
    }
}
