//! A mutex and a condition variable for places where many sessions meet.
//!
//! They are the standard library's, without poisoning, and differ from those of `parking_lot` in what they do under
//! contention: an unlocked mutex is free for whoever comes first. `parking_lot` hands it over to the longest sleeper now
//! and then, which is fair and, with more sessions than cores, ruinous: until the sleeper runs, which takes
//! milliseconds, nobody may enter, so everybody else falls asleep as well. (64 clients on 2 cores committed half as much
//! that way, and p99 was five times as high.)
//!
//! A panic under a lock must be dealt with by whoever owns the data; see the log's state and the page latches.

use std::ops::{Deref, DerefMut};
use std::sync::{self, PoisonError};
use std::time::Instant;

/// A mutex without fairness and without poisoning.
#[derive(Default, Debug)]
pub struct Mutex<T: ?Sized>(sync::Mutex<T>);

/// A locked [`Mutex`].
#[derive(Debug)]
pub struct MutexGuard<'a, T: ?Sized>(Option<sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks, sleeping if need be.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Locks if nobody else holds it.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(MutexGuard(Some(guard))),
            Err(sync::TryLockError::Poisoned(e)) => Some(MutexGuard(Some(e.into_inner()))),
            Err(sync::TryLockError::WouldBlock) => None,
        }
    }

    /// The value, which nobody else can reach.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.0.as_ref().expect("taken only within a wait")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("taken only within a wait")
    }
}

/// A condition variable for [`Mutex`].
#[derive(Default, Debug)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// One that nobody waits for.
    pub const fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    /// Unlocks, sleeps until notified (or for no reason), and locks again.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let inner = guard.0.take().expect("taken only within a wait");
        guard.0 = Some(self.0.wait(inner).unwrap_or_else(PoisonError::into_inner));
    }

    /// The same until a moment at the latest; true if it came.
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, until: Instant) -> bool {
        let inner = guard.0.take().expect("taken only within a wait");
        let left = until.saturating_duration_since(Instant::now());
        let (inner, result) =
            self.0.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner);
        guard.0 = Some(inner);
        result.timed_out()
    }

    /// Wakes one.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn counts_under_contention_and_outlives_a_panic() {
        let count = Mutex::new(0);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| (0..10_000).for_each(|_| *count.lock() += 1));
            }
        });
        let panicked = std::thread::scope(|s| {
            s.spawn(|| {
                let _held = count.lock();
                panic!("under the lock");
            })
            .join()
        });
        assert!(panicked.is_err());
        assert_eq!(*count.try_lock().expect("free again"), 40_000);
        let held = count.lock();
        assert!(count.try_lock().is_none());
        drop(held);
        assert_eq!(count.into_inner(), 40_000);
    }

    #[test]
    fn a_condition_wakes_and_times_out() {
        let (flag, changed) = (Mutex::new(false), Condvar::new());
        std::thread::scope(|s| {
            s.spawn(|| {
                *flag.lock() = true;
                changed.notify_all();
            });
            let mut set = flag.lock();
            while !*set {
                changed.wait(&mut set);
            }
        });
        let mut set = flag.lock();
        assert!(changed.wait_until(&mut set, Instant::now() + Duration::from_millis(1)));
        assert!(*set);
    }
}
