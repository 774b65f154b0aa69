//! Bounded rings of what happens too often for [`crate::events`]: one entry for each I/O of a file and for each flush of a log.
//!
//! Nobody waits in here. A writer takes a number and fills the slot that belongs to it; a reader copies slots and leaves out
//! those that changed under its hands. What is pushed out by newer entries, or could not be written, is counted.
//!
//! An entry is a few integers, so that a slot is a few atomics. The slot's turn says what is in it:
//!
//! ```text
//! 0 nothing yet · 2n entry n · 2n + 1 entry n is being written
//! ```
//! 1. A slot is written by one thread at a time: who finds it being written, or holding a newer entry, gives up and counts that.
//! 2. A reader takes a slot only if it shows the same even turn before and after: what it copied then is that entry, whole.

mod file_io;
mod flush;

pub use file_io::{
    FileIo, file_closed, file_io, file_name, file_number, file_opened, file_renamed,
};
pub use flush::{Flush, FlushCause, FlushHistograms, flush_histograms, flushed, flushes};

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::*, fence};

/// Words of an entry.
pub const WORDS: usize = 8;

/// An entry of a ring: a value that fits a few words.
pub trait Packed: Sized {
    /// Packs the value into words.
    fn pack(&self) -> [u64; WORDS];
    /// Unpacks a value that `pack` has packed.
    fn unpack(words: [u64; WORDS]) -> Self;
}

#[derive(Default)]
struct Slot {
    turn: AtomicU64,
    words: [AtomicU64; WORDS],
}

/// How full a ring is, and what it has lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingState {
    /// Entries that it holds at most.
    pub capacity: u64,
    /// The number of entries so far, overwritten ones too.
    pub recorded: u64,
    /// Of them, pushed out by newer ones.
    pub overwritten: u64,
    /// Of them, never written: two threads met at one slot.
    pub missed: u64,
}

/// See the module's text.
pub struct TraceRing<T> {
    slots: OnceLock<Box<[Slot]>>,
    capacity: usize,
    /// The number of the last entry.
    last: AtomicU64,
    missed: AtomicU64,
    entries: std::marker::PhantomData<fn(T) -> T>,
}

impl<T: Packed> TraceRing<T> {
    /// A ring of so many entries; they take memory from the first one on.
    pub const fn new(capacity: usize) -> TraceRing<T> {
        TraceRing {
            slots: OnceLock::new(),
            capacity,
            last: AtomicU64::new(0),
            missed: AtomicU64::new(0),
            entries: std::marker::PhantomData,
        }
    }

    /// Adds an entry, over the oldest where the ring is full.
    pub fn push(&self, entry: &T) {
        let slots =
            self.slots.get_or_init(|| (0..self.capacity).map(|_| Slot::default()).collect());
        let n = self.last.fetch_add(1, Relaxed) + 1;
        let slot = &slots[(n - 1) as usize % slots.len()];
        let before = slot.turn.load(Relaxed);
        let free = before.is_multiple_of(2) && before < 2 * n;
        if !free || slot.turn.compare_exchange(before, 2 * n + 1, Acquire, Relaxed).is_err() {
            self.missed.fetch_add(1, Relaxed);
            return;
        }
        // Who sees one of the words sees the odd turn, too.
        fence(Release);
        for (word, value) in slot.words.iter().zip(entry.pack()) {
            word.store(value, Relaxed);
        }
        slot.turn.store(2 * n, Release);
    }

    /// The entries that are there with a number above `after`, in order, each with its number.
    pub fn read_after(&self, after: u64) -> Vec<(u64, T)> {
        let Some(slots) = self.slots.get() else { return Vec::new() };
        let last = self.last.load(Acquire);
        let first = after.saturating_add(1).max((last + 1).saturating_sub(self.capacity as u64));
        let read = |n: u64| {
            let slot = &slots[(n - 1) as usize % slots.len()];
            let turn = slot.turn.load(Acquire);
            let words = std::array::from_fn(|i| slot.words[i].load(Relaxed));
            fence(Acquire);
            let whole = turn == 2 * n && slot.turn.load(Relaxed) == turn;
            whole.then(|| (n, T::unpack(words)))
        };
        (first.max(1)..=last).filter_map(read).collect()
    }

    /// The number of the last entry.
    pub fn newest(&self) -> u64 {
        self.last.load(Relaxed)
    }

    /// How full it is.
    pub fn state(&self) -> RingState {
        let (recorded, capacity) = (self.last.load(Relaxed), self.capacity as u64);
        let overwritten = recorded.saturating_sub(capacity);
        RingState { capacity, recorded, overwritten, missed: self.missed.load(Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All words depend on the first: a torn entry does not go unnoticed.
    struct Number(u64);

    impl Packed for Number {
        fn pack(&self) -> [u64; WORDS] {
            std::array::from_fn(|i| self.0.wrapping_mul(i as u64 + 1))
        }
        fn unpack(words: [u64; WORDS]) -> Number {
            for (i, word) in words.into_iter().enumerate() {
                assert_eq!(word, words[0].wrapping_mul(i as u64 + 1), "a torn entry");
            }
            Number(words[0])
        }
    }

    #[test]
    fn the_newest_stay_and_the_others_are_counted() {
        let ring = TraceRing::new(4);
        assert!(ring.read_after(0).is_empty());
        (1..=6).for_each(|n| ring.push(&Number(n * 10)));
        let all: Vec<_> = ring.read_after(0).into_iter().map(|(n, e)| (n, e.0)).collect();
        assert_eq!(all, [(3, 30), (4, 40), (5, 50), (6, 60)]);
        assert_eq!(ring.read_after(5).len(), 1);
        assert_eq!((ring.read_after(6).len(), ring.read_after(60).len()), (0, 0));
        assert_eq!(ring.read_after(u64::MAX).len(), 0, "a number from anywhere");
        let state = RingState { capacity: 4, recorded: 6, overwritten: 2, missed: 0 };
        assert_eq!((ring.state(), ring.newest()), (state, 6));
    }

    #[test]
    fn whoever_writes_meanwhile_readers_see_whole_entries_in_order() {
        const EACH: u64 = 20_000;
        let ring = TraceRing::new(64);
        std::thread::scope(|scope| {
            for t in 0..4u64 {
                let ring = &ring;
                scope.spawn(move || (0..EACH).for_each(|n| ring.push(&Number(t << 32 | n))));
            }
            while ring.newest() < 4 * EACH {
                let numbers: Vec<u64> = ring.read_after(0).iter().map(|(n, _)| *n).collect();
                assert!(numbers.is_sorted() && numbers.len() <= 64);
            }
        });
        let state = ring.state();
        assert_eq!(state.recorded, 4 * EACH);
        // What was missed lately is not there; everything else is.
        let there = ring.read_after(0).len() as u64;
        assert!(there <= 64 && there + state.missed >= 64, "{there} {state:?}");
    }
}
