//! The monotonic clock as one integer, so that a moment fits an atomic.

use std::sync::OnceLock;
use std::time::Instant;

use taffrail_base::sync::now;

/// Nanoseconds since this process first asked for the time. Only for measuring; never stored on disk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Moment(pub u64);

static START: OnceLock<Instant> = OnceLock::new();

impl Moment {
    /// Now. Costs what the operating system's monotonic clock costs (some 25 ns).
    pub fn now() -> Moment {
        // 2^64 ns are 584 years.
        let start = *START.get_or_init(now);
        Moment(now().saturating_duration_since(start).as_nanos() as u64)
    }

    /// Nanoseconds from `earlier` to this moment; 0 if it is later.
    pub fn since(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
