//! The shards behind mutexes; requests that wait, time out, are cancelled or chosen as victims; escalation.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use taffrail_base::SessionId;
use taffrail_base::sync::now;
use taffrail_observe::{Counter, LockCounters, Moment, wait, xe};

use super::mode::{LockMode, ModeSet};
use super::outcome::{Granted, LockError, LockLimits};
use super::report::DeadlockWatch;
use super::resource::{Resource, ResourceKind};
use super::state::{Held, NO_OBJECT, OwnerId, OwnerKind, RECENT, ROWS_STAY, TxLockState};
use super::sync::{Mutex, MutexGuard, Verdict, WaitSlot};
use super::table::{LockTable, Outcome, Woken};
use super::told;

/// Shards of the lock table. Two threads meet in one with probability 1/128.
const SHARDS: usize = 128;
/// Cells of the array that counts writing grants on objects.
const WRITER_CELLS: usize = 4096;
/// Requests that an owner counts for itself before it adds them to the shared counters.
const COUNT_EVERY: u32 = 256;

/// A request in a queue, as the deadlock search and cancellation see it.
pub(super) struct WaitingOwner {
    pub resource: Resource,
    pub slot: Arc<WaitSlot>,
    pub object: Option<Resource>,
    pub mode: LockMode,
    pub deadlock_priority: i8,
    pub log_bytes: u64,
}

type Table = LockTable<Arc<WaitSlot>>;

#[repr(align(128))]
struct Shard(Mutex<Table>);

/// The lock manager of an instance.
pub struct LockManager {
    shards: Box<[Shard]>,
    /// Grants in a writing mode, by the object's hash: see the module's text on reading without row locks.
    object_writers: Box<[AtomicU32]>,
    pub(super) waiting: Mutex<BTreeMap<OwnerId, WaitingOwner>>,
    pub(super) watch: OnceLock<Arc<dyn DeadlockWatch>>,
    next_owner: AtomicU64,
    pub(super) limits: LockLimits,
    counters: [LockCounters; ResourceKind::COUNT],
    /// The counter Table Lock Escalations/sec.
    pub escalations: Counter,
}

impl Default for LockManager {
    fn default() -> LockManager {
        LockManager::new(LockLimits::default())
    }
}

impl LockManager {
    /// An empty lock table.
    pub fn new(limits: LockLimits) -> LockManager {
        LockManager {
            shards: (0..SHARDS).map(|_| Shard(Mutex::default())).collect(),
            object_writers: (0..WRITER_CELLS).map(|_| AtomicU32::new(0)).collect(),
            waiting: Mutex::default(),
            watch: OnceLock::new(),
            next_owner: AtomicU64::new(1),
            limits,
            counters: Default::default(),
            escalations: Counter::new(),
        }
    }

    /// From now on this is told of deadlocks; the first one counts.
    pub fn watch_deadlocks(&self, watch: Arc<dyn DeadlockWatch>) {
        let _ = self.watch.set(watch);
    }

    /// A new owner of locks, working for a session.
    pub fn owner(&self, session: SessionId, kind: OwnerKind) -> TxLockState {
        let number = self.next_owner.fetch_add(1, Ordering::Relaxed);
        TxLockState::new(OwnerId::new(number, kind, session.0))
    }

    /// The counters of one kind of resource (`SQLServer:Locks`).
    pub fn counters(&self, kind: ResourceKind) -> &LockCounters {
        &self.counters[kind as usize]
    }

    pub(super) fn shard(&self, hash: u64) -> MutexGuard<'_, Table> {
        self.shards[(hash >> 48) as usize % SHARDS].0.lock()
    }

    pub(super) fn shards(&self) -> impl Iterator<Item = &Mutex<Table>> {
        self.shards.iter().map(|s| &s.0)
    }

    /// Locks a database, object, page … until the end of the transaction or until it is released. For rows and pages
    /// of an object, [`LockManager::acquire_row`] also knows about escalation. `timeout`: `None` waits for ever, zero
    /// does not wait.
    pub fn acquire(
        &self,
        state: &mut TxLockState,
        resource: Resource,
        mode: LockMode,
        timeout: Option<Duration>,
    ) -> Result<Granted, LockError> {
        let granted = self.acquire_unit(state, resource, mode, timeout);
        self.count_refusal(resource.kind(), timeout, &granted);
        granted
    }

    fn acquire_unit(
        &self,
        state: &mut TxLockState,
        resource: Resource,
        mode: LockMode,
        timeout: Option<Duration>,
    ) -> Result<Granted, LockError> {
        if resource.kind() != ResourceKind::Object {
            return self.acquire_at(state, NO_OBJECT, resource, mode, timeout).map(|(g, _)| g);
        }
        let object = state.object(&resource) as usize;
        let before = state.objects[object].mode;
        if before != LockMode::Null && before.covers(mode) {
            self.count(state, ResourceKind::Object);
            return Ok(Granted::Held);
        }
        let (granted, now) = self.acquire_at(state, NO_OBJECT, resource, mode, timeout)?;
        state.objects[object].mode = now;
        Ok(granted)
    }

    /// Locks a row or page that belongs to an object, unless the lock on the object covers it. From
    /// [`LockLimits::escalation_threshold`] locks on one heap or index in a statement on, tries to lock the object instead.
    pub fn acquire_row(
        &self,
        state: &mut TxLockState,
        object: Resource,
        row: Resource,
        mode: LockMode,
        timeout: Option<Duration>,
    ) -> Result<Granted, LockError> {
        let index = state.object(&object);
        if state.objects[index as usize].mode.covers_row(mode) {
            return Ok(Granted::Covered);
        }
        let result = self.acquire_at(state, index, row, mode, timeout);
        self.count_refusal(row.kind(), timeout, &result);
        let (granted, now) = result?;
        if granted == Granted::Converted && now == LockMode::U {
            state.raised.push((row, index));
        }
        let held_now = state.held.len();
        let using = &mut state.objects[index as usize];
        using.strongest_row = using.strongest_row.with(now);
        if granted == Granted::New {
            using.rows += 1;
            using.rows_in_statement += 1;
            let threshold = match using.escalate_at {
                0 => self.limits.escalation_threshold,
                next => next,
            };
            let many = held_now >= self.limits.escalation_memory_threshold
                && held_now.is_multiple_of(self.limits.escalation_step.max(1) as usize);
            if using.rows_in_statement >= threshold || many {
                if threshold != ROWS_STAY {
                    using.escalate_at = using.rows_in_statement + self.limits.escalation_step;
                }
                let memory = using.rows_in_statement < threshold;
                if (many || self.many_of_one(state, index)) && self.escalate(state, index, memory) {
                    return Ok(Granted::Covered);
                }
            }
        }
        Ok(granted)
    }

    /// Like [`LockManager::acquire`] without waiting; `false` when it would have to.
    pub fn try_acquire(&self, state: &mut TxLockState, resource: Resource, mode: LockMode) -> bool {
        self.acquire_unit(state, resource, mode, Some(Duration::ZERO)).is_ok()
    }

    /// A request that was not to wait and would have had to: a time-out without a wait.
    pub(super) fn count_refusal<T>(
        &self,
        kind: ResourceKind,
        timeout: Option<Duration>,
        result: &Result<T, LockError>,
    ) {
        if timeout == Some(Duration::ZERO) && matches!(result, Err(LockError::Timeout(_))) {
            self.counters(kind).timeouts.inc();
        }
    }

    pub(super) fn acquire_at(
        &self,
        state: &mut TxLockState,
        object: u32,
        resource: Resource,
        mode: LockMode,
        timeout: Option<Duration>,
    ) -> Result<(Granted, LockMode), LockError> {
        self.count(state, resource.kind());
        let hash = resource.hash();
        if state.recently(hash, &resource, mode) {
            return Ok((Granted::Held, mode));
        }
        let no_wait = timeout == Some(Duration::ZERO);
        let TxLockState { owner, slot, .. } = state;
        let outcome = {
            let mut shard = self.shard(hash);
            let outcome = shard.request(hash, &resource, *owner, mode, || {
                if no_wait {
                    return None;
                }
                let slot = slot.get_or_insert_default();
                slot.reset();
                Some(slot.clone())
            });
            if let Outcome::Granted { before, now } = outcome {
                self.note_writer(hash, &resource, before, now);
            }
            outcome
        };
        let queued = matches!(outcome, Outcome::Queued { .. });
        let (before, now) = match outcome {
            Outcome::Granted { before, now } => (before, now),
            Outcome::Refused => {
                let e = LockError::Timeout(resource.kind());
                told::refused(&e, &resource, mode, state.owner, None);
                return Err(e);
            }
            Outcome::Queued { before, wanted } => {
                let waited = self.wait_for(state, object, (hash, resource), wanted, timeout)?;
                if xe::wanted(xe::Event::LockAcquired) {
                    let owner = state.owner;
                    told::told(xe::Event::LockAcquired, &resource, wanted, owner, waited);
                }
                (before, wanted)
            }
        };
        if xe::wanted(xe::Event::LockAcquired) && !queued && before != now {
            let none = Duration::ZERO;
            told::told(xe::Event::LockAcquired, &resource, now, state.owner, none);
        }
        state.remember(hash, &resource, now);
        if before == LockMode::Null {
            state.held.push(Held { resource, object });
            if state.held.len() > self.limits.max_locks {
                self.release(state, &resource);
                return Err(LockError::OutOfLocks);
            }
            Ok((Granted::New, now))
        } else if before == now {
            Ok((Granted::Held, now))
        } else {
            Ok((Granted::Converted, now))
        }
    }

    /// Sleeps until a queued request is granted, or takes it back.
    fn wait_for(
        &self,
        state: &mut TxLockState,
        object: u32,
        (hash, resource): (u64, Resource),
        wanted: LockMode,
        timeout: Option<Duration>,
    ) -> Result<Duration, LockError> {
        let Some(slot) = state.slot.clone() else { unreachable!("a queued request has a slot") };
        let counters = self.counters(resource.kind());
        counters.waits.inc();
        let mut waiting = wait(wanted.wait_type());
        let started = now();
        self.waiting.lock().insert(
            state.owner,
            WaitingOwner {
                resource,
                slot: slot.clone(),
                object: state.objects.get(object as usize).map(|o| o.object),
                mode: wanted,
                deadlock_priority: state.deadlock_priority,
                log_bytes: state.log_bytes,
            },
        );
        // After the registration: whoever cancels sets the flag first and then looks for registered waiters.
        if state.is_cancelled() {
            slot.decide(Verdict::Cancelled);
        }
        if let Some(blocker) = self.shard(hash).blockers(hash, &resource, state.owner).first() {
            waiting.resource(resource.wait_resource(), blocker.session());
        }
        let deadline = timeout.map(|t| started + t);
        let mut search_at = started + self.limits.deadlock_delay;
        let victim = LockError::Deadlock { on: resource.kind(), session: state.owner.session() };
        let result = loop {
            let until = deadline.map_or(search_at, |d| d.min(search_at));
            let error = match slot.wait(Some(until)) {
                Verdict::Granted(at) => {
                    waiting.signalled(at);
                    break Ok(());
                }
                Verdict::Victim => break Err(victim),
                Verdict::Cancelled => LockError::Cancelled,
                Verdict::Waiting if deadline.is_some_and(|d| now() >= d) => {
                    LockError::Timeout(resource.kind())
                }
                Verdict::Waiting => {
                    // Every cycle goes through the last of its members that began to wait, whose search ends them all;
                    // the later ones are a net under the argument.
                    self.resolve_deadlocks(state.owner);
                    search_at = now() + self.limits.deadlock_again;
                    continue;
                }
            };
            if self.withdraw(hash, &resource, state.owner) {
                break Err(error);
            }
            // No longer in the queue: a grant or a search was faster, and its verdict stands or is on its way.
            break match slot.wait_final() {
                Verdict::Victim => Err(victim),
                _ => Ok(()),
            };
        };
        self.waiting.lock().remove(&state.owner);
        counters.wait_time.add_ns(waiting.finish());
        match result {
            Err(LockError::Timeout(_)) => {
                counters.timeouts.inc();
                counters.timeouts_positive.inc();
            }
            Err(LockError::Deadlock { .. }) => counters.deadlocks.inc(),
            _ => {}
        }
        let waited = started.elapsed();
        state.note_wait(object, waited);
        if let Err(e) = &result {
            told::refused(e, &resource, wanted, state.owner, Some(waited));
        }
        result.map(|()| waited)
    }

    /// Takes a request out of its queue; `false` if it is not there any more.
    pub(super) fn withdraw(&self, hash: u64, resource: &Resource, owner: OwnerId) -> bool {
        let mut woken = Vec::new();
        let mut shard = self.shard(hash);
        let found = shard.withdraw(hash, resource, owner, &mut woken).is_some();
        self.wake(hash, resource, woken);
        found
    }

    /// Tells those who got their lock. Called under the shard's mutex, so that the writers of an object are counted
    /// before anybody can ask.
    fn wake(&self, hash: u64, resource: &Resource, woken: Vec<Woken<Arc<WaitSlot>>>) {
        if woken.is_empty() {
            return;
        }
        let now = Moment::now();
        for w in woken {
            self.note_writer(hash, resource, w.before, w.now);
            w.token.decide(Verdict::Granted(now));
        }
    }

    fn writer_cell(&self, hash: u64) -> &AtomicU32 {
        &self.object_writers[hash as usize % WRITER_CELLS]
    }

    fn note_writer(&self, hash: u64, resource: &Resource, before: LockMode, now: LockMode) {
        if resource.kind() != ResourceKind::Object {
            return;
        }
        // Release: what the holder changed is visible to whoever sees that it has gone.
        match (before.writes(), now.writes()) {
            (false, true) => self.writer_cell(hash).fetch_add(1, Ordering::AcqRel),
            (true, false) => self.writer_cell(hash).fetch_sub(1, Ordering::AcqRel),
            _ => return,
        };
    }

    /// True if anybody but this owner holds the resource in one of these modes. Cheap (one atomic load) for objects
    /// and writing modes while nobody writes; see the module's text for when the answer may be relied upon.
    pub fn others_hold(&self, state: &TxLockState, resource: &Resource, modes: ModeSet) -> bool {
        let hash = resource.hash();
        if resource.kind() == ResourceKind::Object && modes.is_within(ModeSet::WRITING) {
            let own = u32::from(state.object_mode(resource).writes());
            if self.writer_cell(hash).load(Ordering::Acquire) <= own {
                return false;
            }
        }
        let shard = self.shard(hash);
        let Some(lock) = shard.find(hash, resource) else { return false };
        lock.grants.iter().any(|g| g.owner != state.owner && modes.contains(g.mode))
    }

    /// Gives one lock back before the end of the transaction (a shared lock after the read, an update lock on a row
    /// that did not qualify). Does nothing if it is not held.
    pub fn release(&self, state: &mut TxLockState, resource: &Resource) {
        // What is released early was taken a moment ago.
        let Some(at) = state.held.iter().rposition(|h| h.resource == *resource) else { return };
        let held = state.held.swap_remove(at);
        self.give_back(state, &held);
    }

    /// Makes an update lock on a row a shared one; any other mode stays.
    pub fn update_to_shared(&self, state: &mut TxLockState, row: &Resource) {
        self.weaken(state, row, (LockMode::U, LockMode::S));
    }

    /// Makes a lock that is held in the first mode one of the second, a weaker one; any other mode stays.
    pub(super) fn weaken(
        &self,
        state: &mut TxLockState,
        resource: &Resource,
        modes: (LockMode, LockMode),
    ) {
        let hash = resource.hash();
        let mut woken = Vec::new();
        let mut shard = self.shard(hash);
        if shard.weaken(hash, resource, state.owner, modes, &mut woken) {
            state.forget(hash, resource);
            self.wake(hash, resource, woken);
        }
    }

    /// Gives back the update locks on rows of an object that were taken since `held` had so many entries: their rows were looked
    /// at and not changed. Other modes stay. `shared`: the rows stay locked as read; so do those that were locked so before.
    pub fn release_updates(
        &self,
        state: &mut TxLockState,
        object: &Resource,
        mark: usize,
        shared: bool,
    ) {
        let Some(index) = state.objects.iter().position(|o| o.object == *object) else { return };
        let owner = state.owner;
        for (row, object) in std::mem::take(&mut state.raised) {
            if object as usize == index {
                self.update_to_shared(state, &row);
            }
        }
        let mut at = mark;
        while let Some(held) = state.held.get(at).copied() {
            let hash = held.resource.hash();
            let of_object = held.object as usize == index;
            if of_object && shared {
                self.update_to_shared(state, &held.resource);
                at += 1;
            } else if of_object && self.shard(hash).mode(hash, &held.resource, owner) == LockMode::U
            {
                state.held.swap_remove(at);
                self.give_back(state, &held);
            } else {
                at += 1;
            }
        }
    }

    /// A reading statement of an isolation level that keeps no read locks has ended: intent shared and schema stability locks on
    /// objects go, but for those whose rows are still locked or that are kept.
    pub fn release_read_intents(&self, state: &mut TxLockState) {
        for at in 0..state.objects.len() {
            let used = state.objects[at];
            let passing = matches!(used.mode, LockMode::IS | LockMode::SchS) && !used.kept;
            if passing && used.rows == 0 {
                self.release(state, &used.object);
            }
        }
    }

    fn give_back(&self, state: &mut TxLockState, held: &Held) {
        let hash = held.resource.hash();
        state.forget(hash, &held.resource);
        if held.object != NO_OBJECT {
            let object = &mut state.objects[held.object as usize];
            object.rows = object.rows.saturating_sub(1);
            object.rows_in_statement = object.rows_in_statement.saturating_sub(1);
        } else if held.resource.kind() == ResourceKind::Object {
            let object = state.object(&held.resource);
            state.objects[object as usize].mode = LockMode::Null;
        }
        self.unlock(&held.resource, hash, state.owner);
    }

    pub(super) fn unlock(&self, resource: &Resource, hash: u64, owner: OwnerId) {
        let mut woken = Vec::new();
        let mut shard = self.shard(hash);
        let before = shard.release(hash, resource, owner, &mut woken);
        debug_assert!(before != LockMode::Null, "{resource:?} was in the list of {owner:?}");
        self.note_writer(hash, resource, before, LockMode::Null);
        self.wake(hash, resource, woken);
        drop(shard);
        if xe::wanted(xe::Event::LockReleased) {
            told::told(xe::Event::LockReleased, resource, before, owner, Duration::ZERO);
        }
    }

    /// The transaction has ended: everything is given back.
    pub fn release_all(&self, state: &mut TxLockState) {
        let owner = state.owner;
        // Rows before their object, as they were taken after it: a reader that sees nobody writing to the object
        // must not meet a row lock of ours, which would only cost it a wait.
        for held in state.held.drain(..).rev() {
            self.unlock(&held.resource, held.resource.hash(), owner);
        }
        state.objects.clear();
        state.raised.clear();
        state.recent = [None; RECENT];
        if state.held.capacity() > 1024 {
            state.held = Default::default();
        }
        self.flush_counts(state);
    }

    /// Wakes the waits in progress of a session; see [`TxLockState::cancel_with`].
    pub fn cancel_session(&self, session: SessionId) {
        let waiting = self.waiting.lock();
        for (_, waiter) in waiting.iter().filter(|(owner, _)| owner.session() == session.0) {
            waiter.slot.decide(Verdict::Cancelled);
        }
    }

    fn count(&self, state: &mut TxLockState, kind: ResourceKind) {
        state.requests[kind as usize] += 1;
        state.uncounted += 1;
        if state.uncounted >= COUNT_EVERY {
            self.flush_counts(state);
        }
    }

    fn flush_counts(&self, state: &mut TxLockState) {
        if state.uncounted == 0 {
            return;
        }
        state.uncounted = 0;
        for (counters, n) in self.counters.iter().zip(&mut state.requests) {
            if *n > 0 {
                counters.requests.add(std::mem::take(n) as u64);
            }
        }
    }
}
