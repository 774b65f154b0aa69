//! The process beside the engine tells an instance what it has written and whom it has refused: the default trace and sessions of events
//! hear of it.

use super::{Instance, SessionInfo};
use crate::features::server_observer;
use crate::features::server_observer::FailedLogin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::SqlError;
use taffrail_io::UtcTime;
use taffrail_observe::{Event, EventRing, Moment};
use taffrail_storage::OpenSnapshot;

impl Instance {
    /// Tells of an entry of the error log, with the time and source of each line; `error`: number, severity and state where it is about
    /// one.
    pub fn trace_error_log(&self, text: &str, error: Option<(i32, u8, u8)>) {
        server_observer().error_log(self, text, error);
    }

    /// Tells of a login that was refused.
    pub fn trace_failed_login(&self, failed: &FailedLogin<'_>) {
        server_observer().failed_login(self, failed);
    }

    /// Whole seconds since a session's transaction began, or its request where it is in none.
    pub fn seconds_in_transaction(&self, session: &SessionInfo) -> u64 {
        let cell = &session.cell;
        if cell.open_transaction_count.load(Relaxed) == 0 {
            return Moment::now().since(Moment(cell.request_started.load(Relaxed))) / 1_000_000_000;
        }
        let begun = UtcTime(cell.transaction_begun.load(Relaxed));
        self.options.env.clock.now_utc().since(begun).as_secs()
    }

    /// From now on the error log has 3967 for each snapshot that is ended for want of memory.
    pub(super) fn listen_to_victims(self: &Arc<Self>) {
        let told = Arc::downgrade(self);
        self.storage.snapshots.tell_victims(move |victim| {
            if let Some(instance) = told.upgrade() {
                instance.tell_victim(victim);
            }
        });
    }

    fn tell_victim(&self, victim: OpenSnapshot) {
        let session = self.sessions().into_iter().find(|s| s.id == victim.session);
        let (id, seconds) = session.map_or((0, 0), |s| {
            (s.cell.transaction_id.load(Relaxed), self.seconds_in_transaction(&s))
        });
        let e = SqlError::new(3967, &[&id, &victim.sequence, &victim.session.0, &seconds]);
        EventRing::global().push(Event::Raised {
            session: victim.session,
            number: e.number,
            severity: e.severity,
            state: e.state,
            text: e.message,
        });
    }
}
