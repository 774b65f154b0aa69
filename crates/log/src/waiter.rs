//! A thread that waits for a flush, and what wakes it.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::thread::Thread;

use taffrail_base::sync::thread;
use taffrail_observe::Moment;

use crate::flush::Wake;

pub(crate) const WAITING: u8 = 0;
pub(crate) const DURABLE: u8 = 1;
pub(crate) const LEAD: u8 = 2;
pub(crate) const FAILED: u8 = 3;

/// A thread that waits for a flush.
#[derive(Debug)]
pub(crate) struct Waiter {
    thread: Thread,
    pub state: AtomicU8,
    pub at: AtomicU64,
}

impl Waiter {
    /// This thread, which does not wait yet.
    pub fn new() -> Waiter {
        Waiter {
            thread: std::thread::current(),
            state: AtomicU8::new(WAITING),
            at: AtomicU64::new(0),
        }
    }

    pub fn wake(&self, wake: Wake) {
        let state = match wake {
            Wake::Durable => DURABLE,
            Wake::Lead => LEAD,
            Wake::Failed => FAILED,
        };
        self.at.store(Moment::now().0, Ordering::Relaxed);
        self.state.store(state, Ordering::Release);
        thread::unpark(&self.thread);
    }

    /// Sleeps until woken. Others may unpark the thread for their own reasons: only the state counts.
    pub fn sleep(&self) -> u8 {
        loop {
            match self.state.load(Ordering::Acquire) {
                WAITING => thread::park(),
                woken => return woken,
            }
        }
    }
}
