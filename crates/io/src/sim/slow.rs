//! A device that takes long for some calls.

use std::path::Path;
use std::time::Duration;

use taffrail_base::sync::thread::{self, is_scheduled};

use super::world::{IoKind, SimWorld};

/// Which calls take how long, where threads take turns. Others go on meanwhile.
#[derive(Clone, Debug)]
pub struct Slow {
    /// Only calls of this kind; `None` = all.
    pub kind: Option<IoKind>,
    /// Only files whose name contains this; empty = all.
    pub path_contains: String,
    /// One in so many of them, as the world's seed says.
    pub one_in: u64,
    /// So long at the most.
    pub most: Duration,
}

impl SimWorld {
    /// From now on the device is slow like this, or no longer slow.
    pub fn slow(&self, slow: Option<Slow>) {
        self.lock().slow = slow;
    }

    /// A call of the device's: others go on meanwhile, for no time or for long.
    pub(super) fn device(&self, kind: IoKind, path: &Path) {
        thread::device();
        self.dwell(kind, path);
    }

    /// The time that a call takes beyond the usual.
    pub(super) fn dwell(&self, kind: IoKind, path: &Path) {
        if !is_scheduled() {
            return;
        }
        let takes = {
            let mut s = self.lock();
            let Some(Slow { kind: only, path_contains, one_in, most }) = s.slow.clone() else {
                return;
            };
            let meant = s.powered
                && only.is_none_or(|k| k == kind)
                && path.to_string_lossy().contains(&path_contains);
            if !meant || !s.rng.one_in(one_in) {
                return;
            }
            s.stats.slow_calls += 1;
            Duration::from_micros(1 + s.rng.below(most.as_micros().max(1) as u64))
        };
        thread::sleep(takes);
    }
}
