//! The deadlock search.
//!
//! An owner waits for at most one lock, so the graph is: owner → everybody in the way of its request. The search
//! starts at an owner that has just begun to wait and looks for ways back to it, until it finds none. It holds the mutex of the list of
//! waiters, so nobody can begin a new wait that the search would see; edges are read from the queues as they are. A
//! cycle that it finds is therefore real: each of its owners was in its queue when it was looked at, and an owner that
//! waits gives nothing back.
//!
//! A session may be several owners: its transaction's part in each database, and itself (application locks). They have
//! one thread, so whoever is in the way of another's request and does not wait is held up by the one of its session
//! that does. Owners of recovery and of the server's own work (session 0) share a number without sharing a thread, and
//! are left out of this.

use std::collections::BTreeMap;

use taffrail_base::SessionId;
use taffrail_observe::{Event, EventRing};

use super::RECOVERY_SESSION;
use super::manager::{LockManager, WaitingOwner};
use super::state::OwnerId;
use super::sync::Verdict;

impl LockManager {
    /// Looks for cycles through a waiting owner and ends one wait of each, until there is none. One that waits for many
    /// (the holders of a shared lock) may be in many, and those that it waits for need not search again: they did so before
    /// it came.
    pub(super) fn resolve_deadlocks(&self, start: OwnerId) {
        let mut reports = Vec::new();
        let waiting = self.waiting.lock();
        while let Some(cycle) = self.find_cycle(&waiting, start) {
            let Some(victim) = choose_victim(&waiting, &cycle) else { break };
            let told = self.deadlock(&waiting, &cycle, victim);
            let w = &waiting[&victim];
            // Whoever is not in its queue any more has got its lock: either way it waits for nobody now.
            if self.withdraw(w.resource.hash(), &w.resource, victim) {
                reports.extend(self.watch.get().map(|watch| watch.found(told)));
                w.slot.decide(Verdict::Victim);
                let others = cycle.iter().filter(|o| **o != victim);
                EventRing::global().push(Event::Deadlock {
                    victim: SessionId(victim.session()),
                    others: others.map(|o| SessionId(o.session())).collect(),
                });
            }
        }
        drop(waiting);
        reports.into_iter().for_each(|report| report());
    }

    /// The owners of a cycle through `start`, or `None`.
    fn find_cycle(
        &self,
        waiting: &BTreeMap<OwnerId, WaitingOwner>,
        start: OwnerId,
    ) -> Option<Vec<OwnerId>> {
        let sessions: BTreeMap<u16, OwnerId> = waiting.keys().map(|o| (o.session(), *o)).collect();
        let shared = [0, RECOVERY_SESSION.0];
        let held_up = |owner: OwnerId| match sessions.get(&owner.session()) {
            Some(w) if !shared.contains(&owner.session()) && !waiting.contains_key(&owner) => *w,
            _ => owner,
        };
        let blockers = |owner: OwnerId| match waiting.get(&owner) {
            Some(w) => {
                let hash = w.resource.hash();
                let mut found = self.shard(hash).blockers(hash, &w.resource, owner);
                found.iter_mut().for_each(|o| *o = held_up(*o));
                found
            }
            None => Vec::new(),
        };
        // From whom each owner was reached: depth first, each owner once.
        let mut reached_from: BTreeMap<OwnerId, OwnerId> = BTreeMap::new();
        let mut open = vec![start];
        while let Some(owner) = open.pop() {
            for blocker in blockers(owner) {
                if blocker == start {
                    let mut cycle = vec![owner];
                    let mut at = owner;
                    while at != start {
                        at = reached_from[&at];
                        cycle.push(at);
                    }
                    return Some(cycle);
                }
                if let std::collections::btree_map::Entry::Vacant(new) = reached_from.entry(blocker)
                {
                    new.insert(owner);
                    open.push(blocker);
                }
            }
        }
        None
    }
}

/// The lowest deadlock priority, then the least to roll back, then the youngest.
fn choose_victim(waiting: &BTreeMap<OwnerId, WaitingOwner>, cycle: &[OwnerId]) -> Option<OwnerId> {
    cycle.iter().copied().min_by_key(|owner| {
        let w = &waiting[owner];
        (w.deadlock_priority, w.log_bytes, std::cmp::Reverse(owner.number()))
    })
}
