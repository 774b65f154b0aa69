//! blocked_process_report: who has waited for a lock for `blocked process threshold (s)`, and for each multiple of it.

use super::deadlock::{Node, Waits, process};
use super::event_sessions;
use crate::instance::Instance;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::SessionId;
use taffrail_observe::Moment;
use taffrail_observe::xe::{self, Val};
use taffrail_storage::lock::{LockRow, LockStatus};

/// `sp_configure 'blocked process threshold (s)'`.
const THRESHOLD: i32 = 1569;

/// The threshold that is in force, s; 0: none.
pub(super) fn threshold(instance: &Instance) -> u64 {
    let set = instance.databases().running_configurations();
    let found = set.iter().find(|(id, _)| *id == THRESHOLD).map(|(_, s)| *s);
    found.and_then(|s| u64::try_from(s).ok()).unwrap_or(0)
}

/// What has been told: of each session the beginning of its wait, and how many multiples of the threshold.
#[derive(Default)]
pub(super) struct Monitor {
    told: BTreeMap<SessionId, (Moment, u64)>,
    passes: u64,
}

/// A mode as locks have it, from the name of its wait: `SCH_S` is `Sch-S`, `RIn_NL` is `RangeI-N`.
fn lock_mode(wait: &str) -> String {
    match wait.split_once('_') {
        Some(("SCH", of)) => format!("Sch-{of}"),
        Some(("RIn", "NL")) => "RangeI-N".to_owned(),
        Some((range, of)) => {
            let kind: String = range.trim_start_matches('R').chars().take(1).collect();
            format!("Range{kind}-{of}")
        }
        None => wait.to_owned(),
    }
}

/// The transaction of a statement that waits for a lock and has no other.
fn waiting_owner(instance: &Instance, session: SessionId) -> u64 {
    let locks = instance.storage().locks.snapshot();
    let waits = |l: &&LockRow| l.status != LockStatus::Grant && l.owner.session() == session.0;
    locks.iter().find(waits).map_or(0, |l| l.owner.number())
}

impl Monitor {
    /// Tells of those that have waited for another multiple of the threshold.
    pub fn look(&mut self, instance: &Arc<Instance>) {
        let threshold = threshold(instance);
        if threshold == 0 || !xe::wanted(xe::Event::BlockedProcessReport) {
            self.told.clear();
            return;
        }
        self.passes += 1;
        let sessions = instance.sessions();
        self.told.retain(|id, _| sessions.iter().any(|s| s.id == *id));
        for s in &sessions {
            let cell = &s.cell;
            let Some(mode) = cell.wait_type().and_then(|w| w.name().strip_prefix("LCK_M_")) else {
                continue;
            };
            let (began, waited) = (cell.wait_started_at(), cell.wait_time_ms());
            let multiple = waited / (threshold * 1000);
            let before = self.told.get(&s.id).filter(|t| t.0 == began).map_or(0, |t| t.1);
            if multiple <= before {
                continue;
            }
            self.told.insert(s.id, (began, multiple));
            let resource = cell.wait_resource();
            let named = lock_mode(mode);
            let waits = Waits {
                resource: &resource,
                mode: &named,
                owner: match cell.transaction_id.load(Relaxed) {
                    0 => waiting_owner(instance, s.id),
                    number => number,
                },
                log_bytes: 0,
                priority: cell.deadlock_priority.load(Relaxed),
            };
            let Some(blocked) = process(instance, s.id, Some(&waits), false) else { continue };
            let blocking = SessionId(cell.blocking_session().cast_unsigned());
            let blocking = process(instance, blocking, None, false);
            let report = Node::new("blocked-process-report")
                .with("monitorLoop", self.passes)
                .holding([Node::new("blocked-process").holding([blocked])])
                .holding([Node::new("blocking-process").holding(blocking)]);
            let mut text = String::new();
            report.xml(&mut text);
            let database = cell.database_id.load(Relaxed);
            let key = xe::events::map_key("lock_mode", &mode.replace("RIn", "RI"));
            let fields = [
                (waited * 1000).into(),
                database.into(),
                0.into(),
                0.into(),
                key.map_or(Val::Empty, Val::from),
                waits.owner.into(),
                1.into(),
                Val::text(&text),
                Val::Text(event_sessions(instance).around.database_name(database)),
            ];
            xe::tell(xe::Event::BlockedProcessReport, &fields);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn modes_are_named_as_locks_name_them() {
        let all = [("X", "X"), ("SCH_M", "Sch-M"), ("RS_U", "RangeS-U"), ("RIn_NL", "RangeI-N")];
        for (wait, mode) in all {
            assert_eq!(super::lock_mode(wait), mode);
        }
    }
}
