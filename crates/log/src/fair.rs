//! Locks that are handed to the longest sleeper now and then: `parking_lot`'s. In debug builds those of [`taffrail_base::sync`], which
//! a schedule of threads that take turns knows.

#[cfg(not(debug_assertions))]
pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
#[cfg(debug_assertions)]
pub use taffrail_base::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
