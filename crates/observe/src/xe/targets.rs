//! Where events go: each target keeps a bounded amount, and counts what it could not keep.

use super::events::{EVENT_COUNT, Event};
use super::session::Recorded;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most that a ring takes when its `max_memory` says nothing, bytes.
const FREE_GROWTH: usize = 64 << 20;

/// The field or action by whose value a histogram counts.
#[derive(Clone, Copy, Debug)]
pub enum By {
    /// A field of the filtering event, by number.
    Field(usize),
    /// An action, by its place in [`super::Action::ALL`].
    Action(super::Action),
}

/// How a target is called, and what it holds.
#[allow(missing_docs, reason = "the fields are those of the target's parameters")]
pub enum Kind {
    /// `event_counter`: how many there were of each event, by its number.
    Counter(Box<[AtomicU64; EVENT_COUNT]>),
    /// `ring_buffer`: the latest events.
    Ring { max_events: usize, max_bytes: usize, occurrences: usize, ring: Mutex<LatestEvents> },
    /// `histogram`: how many there were with each value.
    Histogram { only: Option<Event>, by: By, slots: usize, counts: Mutex<ValueCounts> },
    /// `pair_matching`: those that began and have not ended.
    Pairs { pairing: Pairing, pairs: Mutex<Pairs> },
    /// `event_file`: those that are not written yet.
    File(Mutex<Pending>),
}

/// A target, and what went through it.
pub struct Target {
    /// The kind of target, with its contents.
    pub kind: Kind,
    /// How often it was given something.
    pub executions: AtomicU64,
}

/// The latest events of a ring buffer.
#[derive(Default)]
pub struct LatestEvents {
    /// They, the oldest first.
    pub events: VecDeque<Arc<Recorded>>,
    /// About how much memory they take.
    pub bytes: usize,
    /// The number of all events that came.
    pub total: u64,
}

/// Counts of events by a value.
#[derive(Default)]
pub struct ValueCounts {
    /// The count of each value.
    pub counts: HashMap<String, u64>,
    /// Values for which there was no slot.
    pub truncated: u64,
}

/// The conditions that make two events a pair.
pub struct Pairing {
    /// The event that begins a pair.
    pub begin: Event,
    /// The event that ends a pair.
    pub end: Event,
    /// The fields that are equal: of the beginning, of the end.
    pub columns: Vec<(usize, usize)>,
    /// The actions that are equal.
    pub actions: Vec<super::Action>,
    /// Beginnings that are kept at most.
    pub max_orphans: usize,
}

/// Beginnings without an end.
#[derive(Default)]
pub struct Pairs {
    /// They, by what makes a pair.
    pub open: HashMap<Vec<String>, VecDeque<Arc<Recorded>>>,
    /// How many they are.
    pub orphans: usize,
    /// The number of pairs so far.
    pub matched: u64,
    /// Beginnings for which there was no room.
    pub dropped: u64,
}

/// Events that wait to be written to a file.
#[derive(Default)]
pub struct Pending {
    /// Events, the oldest first.
    pub events: VecDeque<Arc<Recorded>>,
    /// About how much memory they take.
    pub bytes: usize,
    /// So much is kept at most.
    pub most: usize,
    /// Nothing is dropped for want of room: whoever fires events makes some where it can ([`full`]).
    pub lossless: bool,
    /// Events for which there was no room, or whose target has stopped.
    pub dropped: u64,
    /// The largest of them.
    pub largest_dropped: usize,
    /// It is written no more: the file failed.
    pub failed: bool,
}

/// Something waits for a file that should lose nothing, and has no room.
static FULL: AtomicBool = AtomicBool::new(false);

/// A session must write its files before it goes on: one load, and a branch.
#[inline]
pub fn full() -> bool {
    FULL.load(Relaxed)
}

/// Somebody writes them now.
pub fn emptied() {
    FULL.store(false, Relaxed);
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Target {
    /// A target that has been given nothing yet.
    pub fn new(kind: Kind) -> Target {
        Target { kind, executions: AtomicU64::new(0) }
    }

    /// A target `event_counter`, with all counts at zero.
    pub fn counter() -> Target {
        Target::new(Kind::Counter(Box::new([const { AtomicU64::new(0) }; EVENT_COUNT])))
    }

    /// A target `ring_buffer`, still empty.
    pub fn ring(max_events: usize, max_kb: usize, occurrences: usize) -> Target {
        let max_bytes = if max_kb == 0 { FREE_GROWTH } else { (max_kb << 10).min(FREE_GROWTH) };
        Target::new(Kind::Ring { max_events, max_bytes, occurrences, ring: Mutex::default() })
    }

    pub(super) fn add(&self, event: &Arc<Recorded>) {
        let wanted = &event.wanted;
        self.executions.fetch_add(1, Relaxed);
        match &self.kind {
            Kind::Counter(counts) => {
                counts[wanted.info.event as usize].fetch_add(1, Relaxed);
            }
            Kind::Ring { max_events, max_bytes, occurrences, ring } => {
                let mut ring = lock(ring);
                ring.add(event, (*max_events, *max_bytes, *occurrences));
            }
            Kind::Histogram { only, by, slots, counts } => {
                if only.is_some_and(|e| e != wanted.info.event) {
                    return;
                }
                let value = match by {
                    By::Field(n) => event.fields.get(*n).zip(wanted.info.fields.get(*n)),
                    By::Action(_) => None,
                };
                let shown = match (value, by) {
                    (Some((value, (_, ty))), _) => value.shown(*ty),
                    (None, By::Action(a)) => match wanted.actions.iter().position(|w| w == a) {
                        Some(n) => event.actions[n].shown(a.ty()),
                        None => return,
                    },
                    (None, By::Field(_)) => return,
                };
                let mut counts = lock(counts);
                if counts.counts.len() >= *slots && !counts.counts.contains_key(&shown) {
                    counts.truncated += 1;
                } else {
                    *counts.counts.entry(shown).or_default() += 1;
                }
            }
            Kind::Pairs { pairing, pairs } => {
                let ends = wanted.info.event == pairing.end;
                if wanted.info.event != pairing.begin && !ends {
                    return;
                }
                let field = |(b, e): &(usize, usize)| {
                    let n = if ends { *e } else { *b };
                    event.fields[n].shown(wanted.info.fields[n].1)
                };
                let action = |a: &super::Action| {
                    let n = wanted.actions.iter().position(|w| w == a);
                    n.map_or_else(String::new, |n| event.actions[n].shown(a.ty()))
                };
                let columns = pairing.columns.iter().map(field);
                let key = columns.chain(pairing.actions.iter().map(action)).collect();
                lock(pairs).add(key, ends, event, pairing.max_orphans);
            }
            Kind::File(pending) => lock(pending).add(event),
        }
    }
}

impl LatestEvents {
    fn add(&mut self, event: &Arc<Recorded>, (most, bytes, occurrences): (usize, usize, usize)) {
        self.total += 1;
        self.bytes += event.size();
        self.events.push_back(event.clone());
        if occurrences > 0 {
            let same = |e: &Arc<Recorded>| Arc::ptr_eq(&e.wanted, &event.wanted);
            if self.events.iter().filter(|e| same(e)).count() > occurrences
                && let Some(at) = self.events.iter().position(same)
                && let Some(gone) = self.events.remove(at)
            {
                self.bytes -= gone.size();
            }
        }
        while self.bytes > bytes || most > 0 && self.events.len() > most {
            let Some(gone) = self.events.pop_front() else { break };
            self.bytes -= gone.size();
        }
    }
}

impl Pairs {
    fn add(&mut self, key: Vec<String>, ends: bool, event: &Arc<Recorded>, most: usize) {
        if ends {
            if let Some(open) = self.open.get_mut(&key) {
                open.pop_front();
                self.orphans -= 1;
                self.matched += 1;
                if open.is_empty() {
                    self.open.remove(&key);
                }
            }
        } else if self.orphans >= most {
            self.dropped += 1;
        } else {
            self.orphans += 1;
            self.open.entry(key).or_default().push_back(event.clone());
        }
    }
}

impl Pending {
    fn add(&mut self, event: &Arc<Recorded>) {
        let size = event.size();
        let fits = self.bytes + size <= self.most;
        if !fits && self.lossless {
            FULL.store(true, Relaxed);
        }
        if self.failed || !(fits || self.lossless) {
            self.dropped += 1;
            self.largest_dropped = self.largest_dropped.max(size);
            return;
        }
        self.bytes += size;
        self.events.push_back(event.clone());
    }

    /// Takes all events that are to be written now.
    pub fn take(&mut self) -> VecDeque<Arc<Recorded>> {
        self.bytes = 0;
        std::mem::take(&mut self.events)
    }
}

/// The events in a ring, or the open ones of pairs, oldest first.
pub fn kept(target: &Target) -> Vec<Arc<Recorded>> {
    let mut all: Vec<_> = match &target.kind {
        Kind::Ring { ring, .. } => lock(ring).events.iter().cloned().collect(),
        Kind::Pairs { pairs, .. } => lock(pairs).open.values().flatten().cloned().collect(),
        _ => Vec::new(),
    };
    all.sort_by_key(|e| e.at);
    all
}

/// Does something with what is behind a target's mutex.
pub fn with<T, R>(m: &Mutex<T>, f: impl FnOnce(&mut T) -> R) -> R {
    f(&mut lock(m))
}
