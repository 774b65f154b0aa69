//! How hard the log writes: whether zeroing beside it would help or be in its way.
//!
//! Bulk work writes large pieces. Where those keep the device busy, zeroes would take from it what the log needs; where
//! the processor is what limits the work, the device has time for both. Judged from two looks at the log's counters.

use taffrail_observe::{DatabaseCounters, Moment};

/// Log writes longer than this on average are bulk work.
const LARGE: u64 = 192 << 10;
/// Writes that take so many hundredths of the time, or more, need the device for themselves. It is their sum, and several
/// may be in flight.
const BUSY: u64 = 75;

/// What a log has written so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pulse {
    pub flushes: u64,
    bytes: u64,
    /// Time that the writes took, ns.
    took: u64,
    pub at: Moment,
}

/// What it wrote between two looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    /// Large pieces.
    pub large: bool,
    /// They left the device little time.
    pub busy: bool,
}

impl Pulse {
    /// A look.
    pub fn of(counters: &DatabaseCounters) -> Pulse {
        Pulse {
            flushes: counters.log_flushes.get(),
            bytes: counters.log_bytes_flushed.get(),
            took: counters.log_flush_write_time.total_ns(),
            at: Moment::now(),
        }
    }

    /// Since an earlier look.
    pub fn since(self, earlier: Pulse) -> Effort {
        let flushes = (self.flushes - earlier.flushes).max(1);
        let elapsed = self.at.since(earlier.at).max(1);
        // Each counter is exact, and they are not read at one moment.
        let took = self.took.saturating_sub(earlier.took);
        Effort {
            large: self.bytes.saturating_sub(earlier.bytes) / flushes > LARGE,
            busy: took.saturating_mul(100) / elapsed >= BUSY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_of_writes_and_their_share_of_the_time_tell() {
        let look = |flushes, bytes, took, at| Pulse { flushes, bytes, took, at: Moment(at) };
        let first = look(10, 1 << 20, 5_000, 1_000_000);
        let ms = 1_000_000;
        for (bytes, took, large, busy) in [
            (8 * 4096, 900_000, false, true),
            (8 << 20, 740_000, true, false),
            (8 << 20, 750_000, true, true),
            // Several in flight.
            (8 << 20, 3_000_000, true, true),
        ] {
            let now = look(18, (1 << 20) + bytes, 5_000 + took, 1_000_000 + ms);
            assert_eq!(now.since(first), Effort { large, busy }, "{bytes} {took}");
        }
        assert_eq!(first.since(first), Effort { large: false, busy: false });
    }
}
