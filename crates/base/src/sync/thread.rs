//! Sleeping, parking, yielding and asking for the time, for threads that may take turns.

use std::thread::Thread;
use std::time::{Duration, Instant};

#[cfg(debug_assertions)]
use crate::sched;

/// Another thread may come here, if the caller takes turns: between two looks at what others change without a lock.
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub fn point() {
    #[cfg(debug_assertions)]
    sched::point();
}

/// A call of the device's begins: others go on meanwhile, if the caller takes turns.
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub fn device() {
    #[cfg(debug_assertions)]
    sched::device();
}

/// True if the caller takes turns.
#[inline(always)]
pub fn is_scheduled() -> bool {
    #[cfg(debug_assertions)]
    return sched::is_scheduled();
    #[cfg(not(debug_assertions))]
    false
}

/// The time, which is the schedule's for who takes turns.
#[inline(always)]
pub fn now() -> Instant {
    #[cfg(debug_assertions)]
    if let Some(now) = sched::now() {
        return now;
    }
    Instant::now()
}

/// Gives way to other threads: [`std::thread::yield_now`].
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub fn yield_now() {
    #[cfg(debug_assertions)]
    if let Some(task) = sched::task() {
        return task.yield_now();
    }
    std::thread::yield_now();
}

/// Sleeps for so long: [`std::thread::sleep`].
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub fn sleep(d: Duration) {
    #[cfg(debug_assertions)]
    if let Some(task) = sched::task() {
        return task.sleep_for(d);
    }
    std::thread::sleep(d);
}

/// Sleeps until another thread unparks this one: [`std::thread::park`].
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub fn park() {
    #[cfg(debug_assertions)]
    if let Some(task) = sched::task() {
        return task.park(None);
    }
    std::thread::park();
}

/// Sleeps until unparked, for so long at most: [`std::thread::park_timeout`].
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub fn park_timeout(d: Duration) {
    #[cfg(debug_assertions)]
    if let Some(task) = sched::task() {
        return task.park(Some(d));
    }
    std::thread::park_timeout(d);
}

/// Wakes a parked thread: [`Thread::unpark`].
#[inline(always)]
#[cfg_attr(debug_assertions, track_caller)]
pub fn unpark(thread: &Thread) {
    #[cfg(debug_assertions)]
    if let Some(task) = sched::task()
        && task.unpark(thread.id())
    {
        return;
    }
    thread.unpark();
}
