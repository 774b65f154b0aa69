//! What a checkpoint tells the error log: under trace flags 3502 and 3504, and of itself when it took longer than a restart should take.

use std::sync::Arc;
use std::time::Duration;

use taffrail_base::LogPos;
use taffrail_observe::{Event, EventRing};

use crate::database::Database;
use crate::instance::CheckpointDetail;

/// A checkpoint under way.
pub(super) struct Told {
    database: Arc<Database>,
    detail: CheckpointDetail,
    began: Duration,
    /// Data writes of the database before it.
    writes: u64,
}

impl Told {
    pub fn begins(database: &Arc<Database>) -> Told {
        let told = Told {
            detail: database.instance().checkpoints.detail(),
            began: database.instance().env.clock.monotonic(),
            writes: database.store.counters.data_writes.get(),
            database: database.clone(),
        };
        told.step(format_args!("Ckpt dbid {} started (0)", database.id()));
        told.step(format_args!("About to log Checkpoint begin."));
        told
    }

    /// The list of transactions is in the log.
    pub fn phase_one(&self) {
        self.step(format_args!("Ckpt dbid {} phase 1 ended (0)", self.database.id()));
    }

    /// Pages have been written, so many.
    pub fn swept(&self, database: &Database, begin: LogPos, pages: usize) {
        let took = database.instance().env.clock.monotonic().saturating_sub(self.began);
        let long = database.recovery_seconds();
        if !database.store.temporary && (self.detail.writes || took > Duration::from_secs(long)) {
            let writes = database.store.counters.data_writes.get().saturating_sub(self.writes);
            let newer = database.store.dirtied_since(database.pool(), begin);
            let ms = took.as_millis() as u64;
            let mb = pages as f64 / 128.0 / took.as_secs_f64().max(0.001);
            self.tell(format!(
                "FlushCache: cleaned up {pages} bufs with {writes} writes in {ms} ms (avoided {newer} new dirty bufs) for db {}:0",
                database.id()
            ));
            self.tell(format!("average throughput: {mb:.2} MB/sec"));
            // Writes of a sweep come one after the other.
            let each = ms / writes.max(1);
            self.tell(format!("last target outstanding: 1, avgWriteLatency {each}"));
        }
        self.step(format_args!("About to log Checkpoint end."));
    }

    pub fn complete(&self) {
        self.step(format_args!("Ckpt dbid {} complete", self.database.id()));
    }

    fn step(&self, text: std::fmt::Arguments<'_>) {
        if self.detail.steps {
            self.tell(text.to_string());
        }
    }

    fn tell(&self, text: String) {
        EventRing::global().push(Event::CheckpointMessage { database: self.database.id(), text });
    }
}
