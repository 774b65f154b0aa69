//! The clock of a simulated world.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use taffrail_base::sync::thread::{is_scheduled, now};

use crate::{Clock, UtcTime};

/// A virtual clock: it moves when told to, and where threads take turns with the schedule's time.
#[derive(Debug)]
pub struct SimClock {
    nanos: AtomicU64,
    /// By how much somebody has set the wall clock back.
    set_back: AtomicU64,
    /// The schedule's time when it was last asked.
    seen: Mutex<Option<Instant>>,
    start: UtcTime,
}

impl SimClock {
    pub(super) fn new() -> SimClock {
        SimClock {
            nanos: AtomicU64::new(1_000_000_000),
            set_back: AtomicU64::new(0),
            seen: Mutex::new(None),
            // 2026-01-01: any day will do, but always the same.
            start: UtcTime(739_616 * 86_400 * UtcTime::PER_SECOND),
        }
    }

    /// Moves the clock.
    pub fn advance(&self, by: Duration) {
        self.nanos.fetch_add(by.as_nanos() as u64, Ordering::SeqCst);
    }

    /// Sets the wall clock back, as an administrator or a time server may; the monotonic clock goes on.
    pub fn set_back(&self, by: Duration) {
        self.set_back.fetch_add(by.as_nanos() as u64, Ordering::SeqCst);
    }
}

impl Clock for SimClock {
    fn now_utc(&self) -> UtcTime {
        let back = Duration::from_nanos(self.set_back.load(Ordering::SeqCst));
        let told = self.start + self.monotonic();
        UtcTime(told.0.saturating_sub(back.as_nanos() as u64 / 100))
    }

    fn monotonic(&self) -> Duration {
        if is_scheduled() {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let now = now();
            if let Some(before) = seen.replace(now) {
                self.advance(now.saturating_duration_since(before));
            }
        }
        Duration::from_nanos(self.nanos.load(Ordering::SeqCst))
    }
}
