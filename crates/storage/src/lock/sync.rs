//! The mutexes and condition variables of the lock manager, and the slot in which one owner waits.

pub(super) use taffrail_base::sync::{Mutex, MutexGuard};

use std::time::Instant;
use taffrail_base::sync::Condvar;
use taffrail_observe::Moment;

/// Where a waiter stands.
///
/// ```text
/// Waiting ──grant──▶ Granted      by whoever released, converted or withdrew; under the shard's mutex
///    ├────search──▶ Victim        by a deadlock search, after taking the waiter out of its queue
///    └────cancel──▶ Cancelled     the waiter itself then leaves its queue, unless a grant came first
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Waiting,
    Granted(Moment),
    Victim,
    Cancelled,
}

/// One owner's place to wait. An owner waits for one lock at a time, so it needs one slot.
pub(super) struct WaitSlot {
    verdict: Mutex<Verdict>,
    changed: Condvar,
}

impl Default for WaitSlot {
    fn default() -> WaitSlot {
        WaitSlot { verdict: Mutex::new(Verdict::Waiting), changed: Condvar::new() }
    }
}

impl WaitSlot {
    /// Before the slot is put into a queue.
    pub fn reset(&self) {
        *self.verdict.lock() = Verdict::Waiting;
    }

    /// Decides a wait. A grant overrides a cancellation that the waiter has not seen yet, since the lock is its own
    /// from then on; nothing overrides a grant.
    pub fn decide(&self, verdict: Verdict) {
        let mut now = self.verdict.lock();
        let overrides = match *now {
            Verdict::Waiting => true,
            Verdict::Cancelled => matches!(verdict, Verdict::Granted(_) | Verdict::Victim),
            Verdict::Granted(_) | Verdict::Victim => false,
        };
        if overrides {
            *now = verdict;
            self.changed.notify_one();
        }
    }

    /// Sleeps until the wait is decided or `until` has come.
    pub fn wait(&self, until: Option<Instant>) -> Verdict {
        let mut verdict = self.verdict.lock();
        while *verdict == Verdict::Waiting {
            match until {
                None => self.changed.wait(&mut verdict),
                Some(until) => {
                    if self.changed.wait_until(&mut verdict, until) {
                        break;
                    }
                }
            }
        }
        *verdict
    }

    /// After the owner has found itself gone from the queue: the verdict of whoever took it out.
    pub fn wait_final(&self) -> Verdict {
        let mut verdict = self.verdict.lock();
        while matches!(*verdict, Verdict::Waiting | Verdict::Cancelled) {
            self.changed.wait(&mut verdict);
        }
        *verdict
    }
}
