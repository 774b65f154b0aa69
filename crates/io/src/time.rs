//! A moment in UTC, in the unit and from the origin of `datetime2(7)`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// 100-nanosecond units since 0001-01-01 00:00:00 UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct UtcTime(pub u64);

impl UtcTime {
    /// Units in a second.
    pub const PER_SECOND: u64 = 10_000_000;
    /// 1970-01-01, 719,162 days after the origin.
    pub const UNIX_EPOCH: UtcTime = UtcTime(719_162 * 86_400 * Self::PER_SECOND);

    /// From the system's clock; a clock set before 1970 counts as 1970.
    pub fn from_system(t: SystemTime) -> UtcTime {
        let since = t.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Self::UNIX_EPOCH + since
    }

    /// Time from an earlier moment to this one; zero when it is not earlier.
    pub fn since(self, earlier: UtcTime) -> Duration {
        let units = self.0.saturating_sub(earlier.0);
        Duration::new(units / Self::PER_SECOND, (units % Self::PER_SECOND) as u32 * 100)
    }
}

impl std::ops::Add<Duration> for UtcTime {
    type Output = UtcTime;
    fn add(self, d: Duration) -> UtcTime {
        UtcTime(self.0 + d.as_secs() * Self::PER_SECOND + u64::from(d.subsec_nanos()) / 100)
    }
}
