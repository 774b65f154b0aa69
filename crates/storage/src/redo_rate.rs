//! How fast redo is, as restarts have measured it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The bytes of log a second that redo is taken to manage until it has been measured.
const BYTES_PER_S: u64 = 100 << 20;
/// The pages a second that it is taken to read.
const PAGES_PER_S: u64 = 10_000;
/// Less log than that measures nothing.
const BYTES_MEASURED: u64 = 8 << 20;
/// Fewer pages than that measure nothing.
const PAGES_MEASURED: u64 = 1_000;

/// The speed of redo as it was measured, per second; 0: not yet.
#[derive(Default, Debug)]
pub(crate) struct RedoRate {
    bytes: AtomicU64,
    pages: AtomicU64,
}

impl RedoRate {
    /// A restart has ended its redo: so many bytes of log and pages in this time.
    pub fn measured(&self, time: Duration, bytes: u64, pages: u64) {
        let per_s = |n: u64| (n as f64 / time.as_secs_f64().max(1e-6)) as u64;
        if bytes >= BYTES_MEASURED {
            self.bytes.store(per_s(bytes).max(1), Ordering::Relaxed);
        }
        if pages >= PAGES_MEASURED {
            self.pages.store(per_s(pages).max(1), Ordering::Relaxed);
        }
    }

    /// The rates that earlier restarts have measured, as a boot page keeps it (0: nothing), counts until one of this process measures.
    pub fn known(&self, (bytes, pages): (u64, u64)) {
        for (rate, known) in [(&self.bytes, bytes), (&self.pages, pages)] {
            // Whoever was first has measured it, or knows it as well.
            let _ = rate.compare_exchange(0, known, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// As boot pages keep it: bytes of log and pages a second, 0 where nothing has been measured.
    pub fn kept(&self) -> (u64, u64) {
        (self.bytes.load(Ordering::Relaxed), self.pages.load(Ordering::Relaxed))
    }

    /// Both have been measured.
    pub fn is_measured(&self) -> bool {
        [&self.bytes, &self.pages].iter().all(|rate| rate.load(Ordering::Relaxed) > 0)
    }

    /// Bytes of log per second.
    pub fn bytes(&self) -> u64 {
        Some(self.bytes.load(Ordering::Relaxed)).filter(|&n| n > 0).unwrap_or(BYTES_PER_S)
    }

    /// The pages a second, measured or assumed.
    pub fn pages(&self) -> u64 {
        Some(self.pages.load(Ordering::Relaxed)).filter(|&n| n > 0).unwrap_or(PAGES_PER_S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_goes_before_what_a_boot_page_keeps() {
        let rate = RedoRate::default();
        assert!(!rate.is_measured() && rate.kept() == (0, 0));
        rate.known((0, 0));
        assert_eq!((rate.bytes(), rate.pages()), (BYTES_PER_S, PAGES_PER_S));
        rate.known((7, 0));
        rate.known((8, 9));
        assert_eq!((rate.kept(), rate.is_measured()), ((7, 9), true));
        rate.measured(Duration::from_secs(2), 16 << 20, 999);
        assert_eq!(rate.kept(), (8 << 20, 9), "too few pages measure nothing");
    }
}
