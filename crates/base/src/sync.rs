//! A mutex and a condition variable for places where many sessions meet.
//!
//! They are the standard library's, without poisoning, and differ from those of `parking_lot` in what they do under
//! contention: an unlocked mutex is free for whoever comes first. `parking_lot` hands it over to the longest sleeper now
//! and then, which is fair and, with more sessions than cores, ruinous: until the sleeper runs, which takes
//! milliseconds, nobody may enter, so everybody else falls asleep as well. (64 clients on 2 cores committed half as much
//! that way, and p99 was five times as high.)
//!
//! A panic under a lock must be dealt with by whoever owns the data; see the log's state and the page latches.
//!
//! In debug builds a thread that takes turns (`sched`) meets the schedule wherever it uses one of these, or sleeps, parks and asks
//! for the time by the functions of [`thread`]. In others these are the plain ones.

#[cfg(debug_assertions)]
mod rw;
pub mod thread;

#[cfg(debug_assertions)]
pub use rw::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use thread::{now, point};

use std::ops::{Deref, DerefMut};
#[cfg(debug_assertions)]
use std::panic::Location;
use std::sync::{self, PoisonError};
use std::time::{Duration, Instant};

#[cfg(debug_assertions)]
use crate::sched;

/// A mutex without fairness and without poisoning.
#[derive(Default, Debug)]
pub struct Mutex<T: ?Sized>(sync::Mutex<T>);

/// Access to the value of a locked [`Mutex`].
#[derive(Debug)]
pub struct MutexGuard<'a, T: ?Sized> {
    inner: Option<sync::MutexGuard<'a, T>>,
    #[cfg(debug_assertions)]
    mutex: &'a Mutex<T>,
    #[cfg(debug_assertions)]
    place: &'static Location<'static>,
}

/// The number of the thing on which threads sleep that wait for a lock or a condition: its address.
#[cfg(debug_assertions)]
fn key<T: ?Sized>(of: &T) -> usize {
    std::ptr::from_ref(of).cast::<()>() as usize
}

impl<T> Mutex<T> {
    /// An unlocked mutex around a value.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// The value, without the mutex.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks, sleeping if need be.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        #[cfg(debug_assertions)]
        if let Some(mut guard) = sched::take(key(self), || self.lock_free()) {
            guard.place = Location::caller();
            return guard;
        }
        self.guard(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Locks if nobody else holds it.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        point();
        self.lock_free()
    }

    /// Locks if it is free within so long. Whoever takes no turns looks again and again: this is for debug builds.
    #[cfg(debug_assertions)]
    #[track_caller]
    pub fn try_lock_for(&self, most: Duration) -> Option<MutexGuard<'_, T>> {
        let until = now() + most;
        loop {
            if let Some(guard) = self.try_lock() {
                return Some(guard);
            }
            let left = until.checked_duration_since(now()).filter(|left| !left.is_zero())?;
            match sched::task() {
                Some(task) => drop(task.sleep(key(self), Some(left))),
                None => thread::sleep(left.min(Duration::from_millis(1))),
            }
        }
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    fn lock_free(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(self.guard(guard)),
            Err(sync::TryLockError::Poisoned(e)) => Some(self.guard(e.into_inner())),
            Err(sync::TryLockError::WouldBlock) => None,
        }
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    fn guard<'a>(&'a self, inner: sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard {
            inner: Some(inner),
            #[cfg(debug_assertions)]
            mutex: self,
            #[cfg(debug_assertions)]
            place: Location::caller(),
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
        self.inner.as_ref().expect("taken only within a wait")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("taken only within a wait")
    }
}

#[cfg(debug_assertions)]
impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        drop(self.inner.take());
        sched::gave_back(key(self.mutex), self.place);
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
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        #[cfg(debug_assertions)]
        if self.wait_turn(guard, None).is_some() {
            return;
        }
        let inner = guard.inner.take().expect("taken only within a wait");
        guard.inner = Some(self.0.wait(inner).unwrap_or_else(PoisonError::into_inner));
    }

    /// As [`Self::wait`], until a moment at the latest; true if it came.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, until: Instant) -> bool {
        self.wait_for(guard, until.saturating_duration_since(now()))
    }

    /// As [`Self::wait`], for so long at most; true if it was.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, most: Duration) -> bool {
        #[cfg(debug_assertions)]
        if let Some(timed_out) = self.wait_turn(guard, Some(most)) {
            return timed_out;
        }
        let inner = guard.inner.take().expect("taken only within a wait");
        let (inner, result) =
            self.0.wait_timeout(inner, most).unwrap_or_else(PoisonError::into_inner);
        guard.inner = Some(inner);
        result.timed_out()
    }

    /// A wait of one who takes turns: nobody comes between the unlocking and the sleep.
    #[cfg(debug_assertions)]
    #[track_caller]
    fn wait_turn<T>(&self, guard: &mut MutexGuard<'_, T>, most: Option<Duration>) -> Option<bool> {
        let task = sched::task()?;
        let mutex = guard.mutex;
        drop(guard.inner.take());
        task.wake_all(key(mutex));
        let timed_out = task.sleep(key(self), most);
        if let Some(mut locked) = sched::take(key(mutex), || mutex.lock_free()) {
            guard.inner = locked.inner.take();
            // It has given nothing back.
            std::mem::forget(locked);
        }
        Some(timed_out)
    }

    /// Wakes one thread that waits.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn notify_one(&self) {
        #[cfg(debug_assertions)]
        if let Some(task) = sched::task() {
            task.wake_one(key(self));
            task.point();
        }
        self.0.notify_one();
    }

    /// Wakes all threads that wait.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn notify_all(&self) {
        #[cfg(debug_assertions)]
        if let Some(task) = sched::task() {
            task.wake_all(key(self));
            task.point();
        }
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
