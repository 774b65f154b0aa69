//! One shard of the lock table: a state machine without threads.
//!
//! Per resource, the grants and a queue. Invariants (checked by [`LockTable::check`] in tests):
//!
//! 1. An owner has at most one grant and at most one queue entry per resource; modes of grants of different owners are
//!    compatible.
//! 2. Conversions stand before newcomers in the queue; each part is in order of arrival.
//! 3. No conversion in the queue is compatible with all other grants; no newcomer is compatible with all grants and
//!    with all that stand before it (otherwise it would have been granted).
//! 4. An entry without grants and without queue does not exist.
//!
//! A conversion looks only at grants: if it respected those that wait before it, two conversions could wait for each
//! other although neither conflicts with what is held.

use std::collections::VecDeque;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use smallvec::SmallVec;

use super::mode::{LockMode, ModeSet};
use super::resource::Resource;
use super::state::OwnerId;

/// A lock that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grant {
    pub owner: OwnerId,
    pub mode: LockMode,
}

/// A request that waits. `T` is how its owner is told.
pub(super) struct Waiter<T> {
    pub owner: OwnerId,
    /// The mode that it will hold: for a conversion, united with what it holds already.
    pub mode: LockMode,
    pub converts: bool,
    pub token: T,
}

pub(super) struct Lock<T> {
    pub resource: Resource,
    pub grants: SmallVec<[Grant; 1]>,
    /// Absent until somebody waits: most locks never see a queue. Boxed, as the entry's size is what a lock costs.
    #[allow(clippy::box_collection)]
    pub queue: Option<Box<VecDeque<Waiter<T>>>>,
}

/// The outcome of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It is held now; `before` is what the owner held ([`LockMode::Null`]: nothing).
    Granted { before: LockMode, now: LockMode },
    /// It stands in the queue for `wanted`, and holds `before` meanwhile.
    Queued { before: LockMode, wanted: LockMode },
    /// It would have had to wait, and was not to.
    Refused,
}

/// A waiter that got its lock.
pub(super) struct Woken<T> {
    pub before: LockMode,
    pub now: LockMode,
    pub token: T,
}

pub(super) struct LockTable<T> {
    locks: HashTable<Lock<T>>,
}

impl<T> Default for LockTable<T> {
    fn default() -> LockTable<T> {
        LockTable { locks: HashTable::new() }
    }
}

/// Buckets that an empty table keeps: a large transaction does not leave its memory behind.
const KEPT_CAPACITY: usize = 1024;

impl<T> Lock<T> {
    fn granted_to(&self, owner: OwnerId) -> Option<usize> {
        self.grants.iter().position(|g| g.owner == owner)
    }

    fn is_grantable(&self, owner: OwnerId, mode: LockMode) -> bool {
        self.grants.iter().all(|g| g.owner == owner || mode.is_compatible_with(g.mode))
    }

    /// Grants whatever the queue allows now, in order.
    fn serve_queue(&mut self, woken: &mut Vec<Woken<T>>) {
        let Some(mut queue) = self.queue.take() else { return };
        let mut ahead = ModeSet::EMPTY;
        let mut i = 0;
        while i < queue.len() {
            let w = &queue[i];
            let free = w.converts || !w.mode.conflicts().meets(ahead);
            if free && self.is_grantable(w.owner, w.mode) {
                let Some(w) = queue.remove(i) else { unreachable!("i < len") };
                let before = self.grant(w.owner, w.mode);
                woken.push(Woken { before, now: w.mode, token: w.token });
            } else {
                ahead = ahead.and(w.mode);
                i += 1;
            }
        }
        if !queue.is_empty() {
            self.queue = Some(queue);
        }
    }

    /// Notes a grant; returns what the owner held before.
    fn grant(&mut self, owner: OwnerId, mode: LockMode) -> LockMode {
        match self.granted_to(owner) {
            Some(i) => std::mem::replace(&mut self.grants[i].mode, mode),
            None => {
                self.grants.push(Grant { owner, mode });
                LockMode::Null
            }
        }
    }

    fn enqueue(&mut self, waiter: Waiter<T>) {
        let queue = self.queue.get_or_insert_default();
        let at = match waiter.converts {
            true => queue.iter().take_while(|w| w.converts).count(),
            false => queue.len(),
        };
        queue.insert(at, waiter);
    }
}

impl<T> LockTable<T> {
    /// Asks for a lock. `token` is called only if the request has to wait; `None` from it refuses to wait.
    pub fn request(
        &mut self,
        hash: u64,
        resource: &Resource,
        owner: OwnerId,
        mode: LockMode,
        token: impl FnOnce() -> Option<T>,
    ) -> Outcome {
        debug_assert!(mode != LockMode::Null);
        let found = self.locks.entry(hash, |l| l.resource == *resource, |l| l.resource.hash());
        let lock = match found {
            Entry::Vacant(place) => {
                let grants = SmallVec::from_buf([Grant { owner, mode }]);
                place.insert(Lock { resource: *resource, grants, queue: None });
                return Outcome::Granted { before: LockMode::Null, now: mode };
            }
            Entry::Occupied(lock) => lock.into_mut(),
        };
        let held = lock.granted_to(owner).map(|i| lock.grants[i].mode);
        let wanted = held.map_or(mode, |held| held.with(mode));
        if held == Some(wanted) {
            return Outcome::Granted { before: wanted, now: wanted };
        }
        let converts = held.is_some();
        let waits = |w: &Waiter<T>| !wanted.is_compatible_with(w.mode);
        let free = converts || !lock.queue.as_ref().is_some_and(|q| q.iter().any(waits));
        if free && lock.is_grantable(owner, wanted) {
            let before = lock.grant(owner, wanted);
            return Outcome::Granted { before, now: wanted };
        }
        match token() {
            Some(token) => {
                lock.enqueue(Waiter { owner, mode: wanted, converts, token });
                Outcome::Queued { before: held.unwrap_or(LockMode::Null), wanted }
            }
            None => Outcome::Refused,
        }
    }

    /// Gives a lock back; returns the mode that was held ([`LockMode::Null`]: none).
    pub fn release(
        &mut self,
        hash: u64,
        resource: &Resource,
        owner: OwnerId,
        woken: &mut Vec<Woken<T>>,
    ) -> LockMode {
        let Ok(mut entry) = self.locks.find_entry(hash, |l| l.resource == *resource) else {
            return LockMode::Null;
        };
        let lock = entry.get_mut();
        let Some(i) = lock.granted_to(owner) else { return LockMode::Null };
        let mode = lock.grants[i].mode;
        if lock.grants.len() == 1 && lock.queue.is_none() {
            entry.remove();
            if self.locks.is_empty() && self.locks.capacity() > KEPT_CAPACITY {
                self.locks.shrink_to(KEPT_CAPACITY, |l| l.resource.hash());
            }
            return mode;
        }
        lock.grants.swap_remove(i);
        lock.serve_queue(woken);
        debug_assert!(
            !lock.grants.is_empty(),
            "the first of a queue is granted when nothing is held"
        );
        mode
    }

    /// Makes a lock that is held in `from` weaker; false if it is not held in that mode.
    pub fn weaken(
        &mut self,
        hash: u64,
        resource: &Resource,
        owner: OwnerId,
        (from, to): (LockMode, LockMode),
        woken: &mut Vec<Woken<T>>,
    ) -> bool {
        debug_assert!(to != LockMode::Null && from.covers(to));
        let Some(lock) = self.locks.find_mut(hash, |l| l.resource == *resource) else {
            return false;
        };
        let Some(i) = lock.granted_to(owner).filter(|i| lock.grants[*i].mode == from) else {
            return false;
        };
        lock.grants[i].mode = to;
        lock.serve_queue(woken);
        true
    }

    /// Gives an owner's grant to another owner, who has none; returns its mode ([`LockMode::Null`]: there is none).
    pub fn rename(
        &mut self,
        hash: u64,
        resource: &Resource,
        (from, to): (OwnerId, OwnerId),
    ) -> LockMode {
        let found = self.locks.find_mut(hash, |l| l.resource == *resource);
        let Some((lock, i)) = found.and_then(|l| l.granted_to(from).map(|i| (l, i))) else {
            return LockMode::Null;
        };
        debug_assert!(lock.granted_to(to).is_none(), "{to:?} has {resource:?}");
        lock.grants[i].owner = to;
        lock.grants[i].mode
    }

    /// Takes a waiter out of its queue; `None` if it does not stand there (any more).
    pub fn withdraw(
        &mut self,
        hash: u64,
        resource: &Resource,
        owner: OwnerId,
        woken: &mut Vec<Woken<T>>,
    ) -> Option<T> {
        let mut entry = self.locks.find_entry(hash, |l| l.resource == *resource).ok()?;
        let lock = entry.get_mut();
        let queue = lock.queue.as_mut()?;
        let at = queue.iter().position(|w| w.owner == owner)?;
        let token = queue.remove(at)?.token;
        if queue.is_empty() {
            lock.queue = None;
        } else {
            lock.serve_queue(woken);
        }
        debug_assert!(!lock.grants.is_empty(), "somebody was in the way of the waiter");
        Some(token)
    }

    /// Whom a waiter waits for; empty if it does not wait here (any more).
    pub fn blockers(&self, hash: u64, resource: &Resource, owner: OwnerId) -> Vec<OwnerId> {
        let Some(lock) = self.find(hash, resource) else { return Vec::new() };
        let Some(queue) = &lock.queue else { return Vec::new() };
        let Some(at) = queue.iter().position(|w| w.owner == owner) else { return Vec::new() };
        let waiter = &queue[at];
        let in_the_way = |other: OwnerId, mode: LockMode| {
            other != owner && !waiter.mode.is_compatible_with(mode)
        };
        let held = lock.grants.iter().filter(|g| in_the_way(g.owner, g.mode)).map(|g| g.owner);
        let ahead = queue.iter().take(if waiter.converts { 0 } else { at });
        let ahead = ahead.filter(|w| in_the_way(w.owner, w.mode)).map(|w| w.owner);
        held.chain(ahead).collect()
    }

    /// The mode in which an owner holds a resource; [`LockMode::Null`]: it does not.
    pub fn mode(&self, hash: u64, resource: &Resource, owner: OwnerId) -> LockMode {
        let lock = self.find(hash, resource);
        let grant = lock.and_then(|l| l.granted_to(owner).map(|i| l.grants[i].mode));
        grant.unwrap_or(LockMode::Null)
    }

    /// Grants and queue of a resource.
    pub fn find(&self, hash: u64, resource: &Resource) -> Option<&Lock<T>> {
        self.locks.find(hash, |l| l.resource == *resource)
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Lock<T>> {
        self.locks.iter()
    }

    /// Resources with a grant.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.locks.len()
    }

    /// Panics if an invariant does not hold.
    #[cfg(test)]
    pub fn check(&self) {
        for lock in &self.locks {
            assert!(!lock.grants.is_empty(), "(4) {:?}", lock.resource);
            for (i, a) in lock.grants.iter().enumerate() {
                for b in &lock.grants[i + 1..] {
                    assert!(a.owner != b.owner, "(1) {a:?} twice");
                    assert!(a.mode.is_compatible_with(b.mode), "(1) {a:?} beside {b:?}");
                }
            }
            let Some(queue) = &lock.queue else { continue };
            assert!(!queue.is_empty(), "(4) an empty queue");
            let mut ahead = ModeSet::EMPTY;
            let mut newcomers = false;
            for w in queue.iter() {
                newcomers |= !w.converts;
                assert!(!(newcomers && w.converts), "(2) a conversion behind a newcomer");
                assert_eq!(w.converts, lock.granted_to(w.owner).is_some(), "(1) {:?}", w.owner);
                let free = w.converts || !w.mode.conflicts().meets(ahead);
                assert!(!(free && lock.is_grantable(w.owner, w.mode)), "(3) {:?}", w.owner);
                ahead = ahead.and(w.mode);
            }
        }
    }
}
