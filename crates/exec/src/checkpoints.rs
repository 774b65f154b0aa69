//! Checkpoints as statements and settings ask for them: `CHECKPOINT [seconds]`, `recovery interval (min)`, trace flags 3502 and 3504.

use crate::catalog::registry::PIPELINED_COMMITS;
use crate::exec::interpret::Interpreter;
use crate::instance::Instance;
use std::time::Duration;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::{CheckpointDetail, CheckpointKind};
use taffrail_types::Value;

/// `sp_configure 'recovery interval (min)'`.
pub(crate) const RECOVERY_INTERVAL: i32 = 101;

/// The steps of checkpoints, and what they write, in the error log. They count when they are on everywhere.
pub const TRACE_FLAGS: [i64; 2] = [3502, 3504];

impl Instance {
    /// The configuration or the trace flags have changed: what checkpoints and commits go by.
    pub fn checkpoints_configured(&self) {
        let set = self.databases().running_configurations();
        self.storage().pipelines.set_everywhere(set.contains(&(PIPELINED_COMMITS, 1)));
        let minutes = set.iter().find(|(id, _)| *id == RECOVERY_INTERVAL).map_or(0, |(_, m)| *m);
        let checkpoints = &self.storage().checkpoints;
        checkpoints.set_recovery_interval_min(u32::try_from(minutes).unwrap_or(0));
        let flags = self.databases().trace_flags().lock().clone();
        let [steps, writes] = TRACE_FLAGS.map(|flag| flags.contains(&flag));
        checkpoints.set_detail(CheckpointDetail { steps, writes });
    }
}

impl Interpreter<'_> {
    /// CHECKPOINT, over so many seconds where it says so. 1023: that is no time.
    pub(crate) fn checkpoint(&mut self, seconds: Option<&Value>) -> SqlResult<()> {
        let db = self.session.database.clone();
        let done = match seconds {
            None => db.storage.checkpoint(CheckpointKind::Manual),
            Some(v) => {
                let seconds = v.as_i64().and_then(|s| u32::try_from(s).ok()).filter(|s| *s > 0);
                let Some(seconds) = seconds else {
                    return Err(SqlError::new(1023, &[&1, &"CHECKPOINT"]));
                };
                let session = &self.session;
                // Who has asked for its end need not wait for the time; the checkpoint itself is taken.
                let pause = |time: Duration| {
                    let goes_on = session.check_cancel().is_ok();
                    if goes_on {
                        std::thread::sleep(time);
                    }
                    goes_on
                };
                db.storage.checkpoint_within(Duration::from_secs(seconds.into()), &pause)
            }
        };
        done.map_err(|e| self.session.storage_error(e))
    }
}
