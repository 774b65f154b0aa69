//! The monotonic clock as one integer, so that a moment fits an atomic.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

/// Nanoseconds since this process first asked for the time. Only for measuring; never stored on disk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Moment(pub u64);

static START: OnceLock<(Instant, SystemTime)> = OnceLock::new();

fn start() -> (Instant, SystemTime) {
    *START.get_or_init(|| (Instant::now(), SystemTime::now()))
}

impl Moment {
    /// Now. Costs what the operating system's monotonic clock costs (some 25 ns).
    pub fn now() -> Moment {
        // 2^64 ns are 584 years.
        Moment(start().0.elapsed().as_nanos() as u64)
    }

    /// Nanoseconds from `earlier` to this moment; 0 if it is later.
    pub fn since(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The wall clock at this moment, as it stood when the process started.
    pub fn wall_clock(self) -> SystemTime {
        start().1 + Duration::from_nanos(self.0)
    }
}
