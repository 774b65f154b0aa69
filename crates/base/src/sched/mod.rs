//! A scheduler for tests: threads that take turns, in an order that follows from a seed.
//!
//! Inside [`run`] exactly one thread runs. It holds the baton, and may have to hand it on wherever it locks, unlocks, waits, wakes,
//! sleeps, parks or meets the simulated disk ([`crate::sync`] and `taffrail_io::sim` call [`point`] and the like there). Who comes
//! next is a *decision*; decisions come from the seed, and the ones that differ from "go on" are noted. So a run is told in full by
//! its seed or by that list, and [`shrink`] finds a shorter list that fails as well.
//!
//! ```text
//!  Ready ──baton──▶ runs ──lock taken by another, wait, park, sleep──▶ Asleep ──unlock, notify, unpark, its time──▶ Ready
//! ```
//!
//! - **Blocking is known.** Who does not get a lock sleeps on its address; all who sleep on it are ready when it is unlocked. Nobody
//!   ready and nobody with a time to wake: a deadlock, told with where each one sleeps. A lost wake-up is one of those.
//! - **Time is the schedule's.** A step takes a microsecond, and when nobody is ready, time goes on to the first who wakes by it.
//!   [`crate::sync::now`] tells it.
//! - **What has failed stays where it is.** Threads of a failed run sleep for ever; a test that has failed is over soon.
//! - Memory is sequentially consistent here: what weak orderings allow is not found.
//!
//! All of it exists in debug builds alone. In others the primitives are the plain ones, and nothing asks who the caller is.

mod baton;
mod programme;
mod shrink;
mod state;

pub use baton::{Failure, JoinHandle, Plan, Ran, Task};
pub use baton::{after, call_off, is_scheduled, now, run, spawn, spawn_daemon, together};
pub use programme::{Case, Seen, programme};
pub use shrink::{Shrunk, shrink};

use std::panic::Location;
use std::time::Duration;

/// The caller, if it is one of those who take turns.
pub(crate) fn task() -> Option<Task> {
    baton::task()
}

/// Another may come here.
#[track_caller]
pub fn point() {
    if let Some(task) = task() {
        task.point();
    }
}

/// Takes what `get` gives, or sleeps until it may give something. `None`: the caller is nobody's.
#[track_caller]
pub fn take<R>(key: usize, mut get: impl FnMut() -> Option<R>) -> Option<R> {
    let task = task()?;
    task.point();
    loop {
        if let Some(got) = get() {
            return Some(got);
        }
        task.sleep(key, None);
    }
}

/// Wakes the threads that sleep for a thing: it is free, and was taken at `place` before.
pub fn gave_back(key: usize, place: &'static Location<'static>) {
    if let Some(task) = task() {
        task.wake_all(key);
        if !std::thread::panicking() {
            task.point_at(place);
        }
    }
}

/// A call of the device's: others go on meanwhile, for no time or for long.
#[track_caller]
pub fn device() {
    let Some(task) = task() else { return };
    match task.choose(8) {
        0..=4 => task.point(),
        n => {
            let micros = [30, 400, 6_000][n - 5];
            task.sleep_for(Duration::from_micros(micros));
        }
    }
}
