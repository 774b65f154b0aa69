//! How long a restart would take, and what keeps that short: pages written between checkpoints (an indirect checkpoint's writer).
//!
//! What redo manages per second is measured by each restart that has enough to do, and holds for all databases of the instance. Boot
//! pages keep it for later starts; until it was ever measured what [`crate::redo_rate`] says is assumed.
//!
//! ```text
//! limit      the log that redo reads within TARGET_RECOVERY_TIME, at most `redo_log_max`
//!
//! scan position of the boot page                                                         end of the log
//! ├──────────── limit / 4 ───────────┼────────────────────── 3/4 · limit ──────────────────────┤
//!   pages first dirtied here are        pages first dirtied here may be changed again
//!   written, oldest first, a few        before they are written
//!   at a time
//! ```
//! When the whole is longer than the limit a checkpoint is taken that writes what is left in the first quarter, and
//! moves the scan position to
//! the oldest page that is dirty then. So a page that changes all the time is written about once per limit of log, as it would be
//! if each checkpoint wrote everything, but not all of them in one moment. A database with TARGET_RECOVERY_TIME = 0 has
//! checkpoints that write everything, and nothing in between.
//!
//! The writer stays off the path of commits: it copies pages under shared latches, skips those that are being changed, hardens no
//! more than the log of what it copied, and takes no more than half of the time, unless it is behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use taffrail_base::LogPos;
use taffrail_io::IoReason;

use crate::buffer::Unhardened;
use crate::database::Database;
use crate::error::StorageResult;

/// The recovery interval of 0, in seconds.
const RECOVERY_INTERVAL_S: u64 = 60;
/// Pages written before the time is looked at.
const AT_ONCE: usize = 512;

/// The work that a restart would have to do now, and how long its redo is taken to need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecoveryEstimate {
    /// Pages changed in memory and not yet written.
    pub dirty_pages: usize,
    /// Log to go through.
    pub redo_bytes: u64,
    /// Bytes of log per second, measured or assumed.
    pub bytes_per_second: u64,
    /// Pages per second, measured or assumed.
    pub pages_per_second: u64,
    /// Both have been measured by a restart that had enough to do.
    pub is_measured: bool,
}

impl RecoveryEstimate {
    /// The longer of the two: each rate has been measured while the other work was done beside it.
    pub fn seconds(&self) -> f64 {
        let log = self.redo_bytes as f64 / self.bytes_per_second as f64;
        log.max(self.dirty_pages as f64 / self.pages_per_second as f64)
    }
}

impl Database {
    /// The work that a restart would have to do now.
    pub fn recovery_estimate(&self) -> RecoveryEstimate {
        let rate = &self.instance.redo_rate;
        RecoveryEstimate {
            dirty_pages: self.store.dirty_now(self.pool()),
            redo_bytes: self.redo_bytes(),
            bytes_per_second: rate.bytes(),
            pages_per_second: rate.pages(),
            is_measured: rate.is_measured(),
        }
    }

    /// Bytes of log that a restart would redo now.
    pub fn redo_bytes(&self) -> u64 {
        let from = LogPos(self.store.durable_min.load(Ordering::Acquire));
        self.store.log().appended().since(from)
    }

    /// TARGET_RECOVERY_TIME; none: checkpoints write everything, by the recovery interval.
    fn target(&self) -> Option<u64> {
        Some(u64::from(self.options().target_recovery_time_s)).filter(|&s| s > 0)
    }

    /// How long redo may take, in seconds: TARGET_RECOVERY_TIME, else the recovery interval.
    pub(super) fn recovery_seconds(&self) -> u64 {
        self.target().or_else(|| self.interval()).unwrap_or(RECOVERY_INTERVAL_S)
    }

    /// The recovery interval that somebody has set, in seconds.
    fn interval(&self) -> Option<u64> {
        Some(self.instance.checkpoints.recovery_interval_min() * 60).filter(|&s| s > 0)
    }

    /// Bytes of log that redo may have to read. A recovery interval that was set is meant: it is not cut short.
    pub(super) fn redo_limit(&self) -> u64 {
        let bytes = self.recovery_seconds().saturating_mul(self.instance.redo_rate.bytes());
        match (self.target(), self.interval()) {
            (None, Some(_)) => bytes,
            _ => bytes.min(self.instance.options.redo_log_max),
        }
    }

    /// A page that has been dirty since before this position is due.
    pub(super) fn due_before(&self) -> Option<LogPos> {
        self.target()?;
        let young = self.redo_limit() / 4 * 3;
        Some(LogPos(self.store.log().appended().0.saturating_sub(young)))
    }

    /// Writes pages that are due, for half of `time` at most. True: some are left.
    pub(super) fn write_due_pages(self: &Arc<Self>, time: Duration) -> StorageResult<bool> {
        let Some(mut before) = self.due_before() else { return Ok(false) };
        let Some(target) = self.target() else { return Ok(false) };
        let too_many = || {
            let most = target.saturating_mul(self.instance.redo_rate.pages());
            self.store.dirty_at_most() as u64 > most
        };
        if too_many() {
            before = self.store.log().appended();
        } else if LogPos(self.store.durable_min.load(Ordering::Acquire)) >= before {
            return Ok(false);
        }
        let clock = &self.instance.env.clock;
        let began = clock.monotonic();
        let _why = IoReason::BackgroundWriter.begin();
        let mut due = self.store.dirty_before(self.pool(), before);
        for some in due.chunks_mut(AT_ONCE) {
            if clock.monotonic().saturating_sub(began) * 2 >= time {
                return Ok(true);
            }
            let written = self.store.write_frames(self.pool(), some, Unhardened::StayIfTight)?;
            self.pool().counters.background_writer_pages.add(written as u64);
        }
        Ok(false)
    }
}
