//! How fast a backup goes: as fast as it can while it is alone, at part of its speed while others write.
//!
//! After each chunk the backup looks whether the log has moved since the one before: somebody writes. Then it asks for a rest in proportion to the
//! time that the chunk took, so that it uses about a third of what it could; the writers' commits go to the device meanwhile. Nobody
//! writes: no rest.

use std::time::Duration;

use taffrail_base::LogPos;

use super::error::{BackupError, BackupResult};
use super::spec::Watch;
use crate::database::Database;

/// Rest per time worked while others write.
const REST: u32 = 2;
/// No single rest is longer: whoever cancels does not wait.
const REST_MAX: Duration = Duration::from_millis(100);
/// Time worked before a rest is worth it.
const WORTH: Duration = Duration::from_millis(2);

/// Paces one backup.
pub(super) struct Pace<'w> {
    db: &'w Database,
    watch: &'w mut dyn Watch,
    began: Duration,
    log: LogPos,
}

impl<'w> Pace<'w> {
    pub fn new(db: &'w Database, watch: &'w mut dyn Watch) -> Pace<'w> {
        let mut pace = Pace { db, watch, began: Duration::ZERO, log: LogPos::ZERO };
        pace.mark();
        pace
    }

    fn mark(&mut self) {
        self.began = self.db.instance.env.clock.monotonic();
        self.log = self.db.log().appended();
    }

    /// A piece of work is done.
    pub fn step(&mut self, done: u64, total: u64) -> BackupResult<()> {
        self.watch.progress(done, total);
        if self.watch.cancelled() {
            return Err(BackupError::Cancelled);
        }
        let db = self.db;
        let worked = db.instance.env.clock.monotonic().saturating_sub(self.began);
        if worked < WORTH {
            return Ok(());
        }
        if db.log().appended() != self.log {
            self.watch.pause((worked * REST).min(REST_MAX));
        }
        self.mark();
        Ok(())
    }
}
