//! The page latch: shared or exclusive, one word, and free for whoever comes first.
//!
//! ```text
//! bit 31  held exclusively      bit 30  somebody sleeps      bits 0..30  how many hold it shared
//! ```
//! Whoever finds it taken looks again a few times and then sleeps (queues are kept outside, by address). Who lets go
//! wakes the first sleeper, and with a reader the readers behind it, but gives them no right: another may be faster,
//! and they sleep again. A latch that is handed over to a sleeper is closed to everybody until that one runs, and with
//! more sessions than cores that is when all others have gone to sleep on it (see [`taffrail_base::sync`]).
//!
//! 1. A reader does not enter while others read and somebody sleeps: a writer would never come in.
//! 2. `SLEEPERS` is set before anybody sleeps, and is cleared, under the queue's lock, only when nobody does.
//! 3. Whoever makes the latch free and sees `SLEEPERS` wakes one.
//!
//! Threads that take turns (debug builds, `taffrail_base::sched`) sleep on the schedule instead.

use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(debug_assertions)]
use taffrail_base::sched;
use taffrail_base::sync::point;

use parking_lot_core::{DEFAULT_UNPARK_TOKEN, FilterOp, ParkToken, SpinWait, park, unpark_filter};

const EXCLUSIVE: u32 = 1 << 31;
const SLEEPERS: u32 = 1 << 30;
const READERS: u32 = SLEEPERS - 1;

const WANTS_SHARED: ParkToken = ParkToken(0);
const WANTS_EXCLUSIVE: ParkToken = ParkToken(1);

/// A latch. Unlatched when its bits are zero.
#[derive(Debug)]
pub(super) struct Latch(AtomicU32);

fn free_for(token: ParkToken, state: u32) -> bool {
    match token {
        WANTS_EXCLUSIVE => state & (EXCLUSIVE | READERS) == 0,
        _ => state & EXCLUSIVE == 0 && (state & SLEEPERS == 0 || state & READERS == 0),
    }
}

fn taken_by(token: ParkToken, state: u32) -> u32 {
    match token {
        WANTS_EXCLUSIVE => state | EXCLUSIVE,
        _ => {
            assert!(state & READERS < READERS, "too many readers");
            state + 1
        }
    }
}

impl Latch {
    /// A latch that nobody holds.
    #[cfg(test)]
    const fn new() -> Latch {
        Latch(AtomicU32::new(0))
    }

    #[inline]
    fn try_latch(&self, token: ParkToken) -> bool {
        let mut state = self.0.load(Ordering::Relaxed);
        while free_for(token, state) {
            let to = taken_by(token, state);
            match self.0.compare_exchange_weak(state, to, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        false
    }

    /// Latches shared if it is free for that.
    #[inline]
    pub fn try_shared(&self) -> bool {
        self.try_latch(WANTS_SHARED)
    }

    /// Latches exclusively if it is free.
    #[inline]
    pub fn try_exclusive(&self) -> bool {
        self.try_latch(WANTS_EXCLUSIVE)
    }

    /// Takes the latch shared.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn shared(&self) {
        point();
        if !self.try_shared() {
            self.wait(WANTS_SHARED);
        }
    }

    /// Takes the latch exclusively.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn exclusive(&self) {
        point();
        if !self.try_exclusive() {
            self.wait(WANTS_EXCLUSIVE);
        }
    }

    fn key(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    #[cold]
    #[allow(unsafe_code)]
    #[cfg_attr(debug_assertions, track_caller)]
    fn wait(&self, token: ParkToken) {
        #[cfg(debug_assertions)]
        if sched::take(self.key(), || self.try_latch(token).then_some(())).is_some() {
            return;
        }
        let mut spin = SpinWait::new();
        let mut looks = 0;
        while !self.try_latch(token) {
            let state = self.0.load(Ordering::Relaxed);
            if free_for(token, state) {
                continue;
            }
            if state & SLEEPERS == 0 {
                // A holder that runs is done within a microsecond.
                if looks < 3 {
                    looks += 1;
                    spin.spin_no_yield();
                    continue;
                }
                let marked = state | SLEEPERS;
                let marked =
                    self.0.compare_exchange(state, marked, Ordering::Relaxed, Ordering::Relaxed);
                if marked.is_err() {
                    continue;
                }
            }
            let still_taken = || {
                let state = self.0.load(Ordering::Relaxed);
                state & SLEEPERS != 0 && !free_for(token, state)
            };
            // SAFETY: the key is this latch's address, which nobody else parks on; the closures neither panic nor
            // park themselves.
            unsafe { park(self.key(), still_taken, || {}, |_, _| {}, token, None) };
            looks = 0;
            spin.reset();
        }
    }

    /// Lets go of a shared latch, which the caller holds.
    #[inline]
    pub fn release_shared(&self) {
        let before = self.0.fetch_sub(1, Ordering::Release);
        debug_assert!(before & READERS > 0 && before & EXCLUSIVE == 0);
        if before & (READERS | SLEEPERS) == 1 | SLEEPERS {
            self.wake();
        }
        self.gave_back();
    }

    /// Tells threads that take turns that the latch may be free.
    #[inline(always)]
    #[cfg_attr(debug_assertions, track_caller)]
    fn gave_back(&self) {
        #[cfg(debug_assertions)]
        sched::gave_back(self.key(), std::panic::Location::caller());
    }

    /// Lets go of an exclusive latch, which the caller holds.
    #[inline]
    pub fn release_exclusive(&self) {
        let before = self.0.fetch_and(!EXCLUSIVE, Ordering::Release);
        debug_assert!(before & EXCLUSIVE != 0);
        if before & SLEEPERS != 0 {
            self.wake();
        }
        self.gave_back();
    }

    /// Turns an exclusive latch, which the caller holds, into a shared one.
    pub fn downgrade(&self) {
        let before = self.0.fetch_sub(EXCLUSIVE - 1, Ordering::Release);
        debug_assert!(before & EXCLUSIVE != 0 && before & READERS == 0);
        if before & SLEEPERS != 0 {
            // The first may be a writer; it sleeps again, and the last reader wakes it.
            self.wake();
        }
        self.gave_back();
    }

    #[cold]
    #[allow(unsafe_code)]
    fn wake(&self) {
        let mut first = None;
        let filter = |token| match first {
            None => {
                first = Some(token);
                FilterOp::Unpark
            }
            Some(WANTS_SHARED) if token == WANTS_SHARED => FilterOp::Unpark,
            Some(_) => FilterOp::Stop,
        };
        let callback = |result: parking_lot_core::UnparkResult| {
            if !result.have_more_threads {
                self.0.fetch_and(!SLEEPERS, Ordering::Relaxed);
            }
            DEFAULT_UNPARK_TOKEN
        };
        // SAFETY: as in `wait`.
        unsafe { unpark_filter(self.key(), filter, callback) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn who_may_enter() {
        let latch = Latch::new();
        assert!(latch.try_shared() && latch.try_shared() && !latch.try_exclusive());
        latch.release_shared();
        latch.release_shared();
        assert!(latch.try_exclusive() && !latch.try_shared() && !latch.try_exclusive());
        latch.downgrade();
        assert!(latch.try_shared() && !latch.try_exclusive());
        latch.release_shared();
        latch.release_shared();
        assert_eq!(latch.0.load(Ordering::Relaxed), 0);
    }

    /// More threads than cores, all three ways: nobody sees half a write, and nobody is forgotten asleep.
    #[test]
    fn excludes_and_wakes() {
        let latch = Latch::new();
        let (a, b) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|s| {
            for n in 0..8 {
                let (latch, a, b) = (&latch, &a, &b);
                s.spawn(move || {
                    for i in 0..5_000 {
                        if (i + n) % 3 == 0 {
                            latch.shared();
                            assert_eq!(a.load(Ordering::Relaxed), b.load(Ordering::Relaxed));
                            latch.release_shared();
                            continue;
                        }
                        latch.exclusive();
                        let v = a.load(Ordering::Relaxed) + 1;
                        a.store(v, Ordering::Relaxed);
                        if i % 64 == 0 {
                            std::thread::yield_now();
                        }
                        b.store(v, Ordering::Relaxed);
                        if i % 7 == 0 {
                            latch.downgrade();
                            assert_eq!(b.load(Ordering::Relaxed), v);
                            latch.release_shared();
                        } else {
                            latch.release_exclusive();
                        }
                    }
                });
            }
        });
        assert_eq!(latch.0.load(Ordering::Relaxed), 0);
        let writes = (0..8).map(|n| (0..5_000).filter(|i| (i + n) % 3 != 0).count()).sum::<usize>();
        assert_eq!(a.into_inner(), writes as u64);
    }
}
