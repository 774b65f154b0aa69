//! A lock for many readers or one writer, for debug builds: the standard library's, without poisoning, under a schedule's eyes.

use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{self, PoisonError, TryLockError};

use super::key;
use crate::sched;

/// A lock for many readers or one writer.
#[derive(Default, Debug)]
pub struct RwLock<T: ?Sized>(sync::RwLock<T>);

/// Access for reading, beside other readers.
#[derive(Debug)]
pub struct RwLockReadGuard<'a, T: ?Sized>(Option<sync::RwLockReadGuard<'a, T>>, Of);

/// Access for writing, alone.
#[derive(Debug)]
pub struct RwLockWriteGuard<'a, T: ?Sized>(Option<sync::RwLockWriteGuard<'a, T>>, Of);

/// The lock's key, and where it was taken.
#[derive(Clone, Copy, Debug)]
struct Of(usize, &'static Location<'static>);

impl Of {
    #[track_caller]
    fn new<T: ?Sized>(lock: &RwLock<T>) -> Of {
        Of(key(lock), Location::caller())
    }
}

fn free<G>(result: Result<G, TryLockError<G>>) -> Option<G> {
    match result {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(e)) => Some(e.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl<T> RwLock<T> {
    /// An unlocked lock around a value.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock(sync::RwLock::new(value))
    }

    /// The value, without the lock.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Locks for reading, sleeping if need be.
    #[track_caller]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        let guard = sched::take(key(self), || free(self.0.try_read()));
        let guard = guard.unwrap_or_else(|| self.0.read().unwrap_or_else(PoisonError::into_inner));
        RwLockReadGuard(Some(guard), Of::new(self))
    }

    /// Locks for writing, sleeping if need be.
    #[track_caller]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        let guard = sched::take(key(self), || free(self.0.try_write()));
        let guard = guard.unwrap_or_else(|| self.0.write().unwrap_or_else(PoisonError::into_inner));
        RwLockWriteGuard(Some(guard), Of::new(self))
    }

    /// Locks for reading if nobody writes.
    #[track_caller]
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        sched::point();
        let of = Of::new(self);
        free(self.0.try_read()).map(|guard| RwLockReadGuard(Some(guard), of))
    }

    /// Locks for writing if nobody has it.
    #[track_caller]
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        sched::point();
        let of = Of::new(self);
        free(self.0.try_write()).map(|guard| RwLockWriteGuard(Some(guard), of))
    }

    /// The value, which nobody else can reach.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.as_ref().expect("taken only at its end")
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.as_ref().expect("taken only at its end")
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("taken only at its end")
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        drop(self.0.take());
        sched::gave_back(self.1.0, self.1.1);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        drop(self.0.take());
        sched::gave_back(self.1.0, self.1.1);
    }
}
