//! The writer: full blocks that nobody waits for, and delayed durability.
//!
//! It runs in a thread that the engine hands in. Without such a thread nothing is lost: an appender that finds every buffer in
//! use writes by itself.
//!
//! In extents that were never written full blocks are written plainly, two or three writes at once (the thread of
//! [`crate::ahead`] helps), and are durable with the
//! sync that ends the commit behind them, or that the writer does after every [`SYNC_EVERY`] bytes: a durable write there makes
//! the file system write the file's inode, too, and that happens once a commit so. What is written plainly and not synced
//! counts as not durable in every respect ([`crate::flush`]). Where the log was written before, full blocks are written
//! durably, one write after the other: one long transaction was slower otherwise.
//!
//! Delayed durable commits are written durably when their window ends, or synced if such blocks lie before them; so are commits that
//! were released before they were durable ([`Log::request_soon`]), whose window is shorter and whose sessions wait before they speak.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use taffrail_base::LogPos;
use taffrail_base::sync::{Mutex, thread};
use taffrail_observe::WaitType;
use taffrail_observe::trace::FlushCause;

use crate::cache::State;
use crate::harden::FlushReason;
use crate::log::Log;

/// Where the writer thread sleeps.
#[derive(Default)]
pub(crate) struct WriterSlot {
    thread: Mutex<Option<Thread>>,
    kicked: AtomicBool,
    stopping: AtomicBool,
}

/// The writer syncs when so many bytes are written and not yet durable: as many blocks keep their buffers until then, and a
/// power cut may lose so many in front of one that survives (the search for proof of damage, [`crate::proof`], passes over more).
const SYNC_EVERY: u64 = 2 << 20;
/// The writer looks up from its idling this often, since a wait is counted when it ends.
const IDLE: Duration = Duration::from_millis(100);

impl Log {
    /// A delayed durable commit was appended: its block leaves the memory within the window of the options, given
    /// that a writer thread runs.
    pub fn request_lazy(&self) {
        if self.lazy_armed.load(Ordering::Acquire) {
            return;
        }
        let now = self.env.clock.monotonic();
        {
            let mut state = self.lock();
            if state.lazy_deadline.is_some() {
                return;
            }
            state.lazy_deadline = Some(now + self.options.delayed_window);
            self.lazy_armed.store(true, Ordering::Release);
        }
        self.kick_writer();
    }

    /// A commit was appended whose locks are gone, and whose session will wait for it before it tells anybody: its block leaves the memory
    /// within `window`, given that a writer thread runs, or as soon as somebody needs it durable.
    pub fn request_soon(&self, window: Duration) {
        if self.released_armed.load(Ordering::Acquire) {
            return;
        }
        let now = self.env.clock.monotonic();
        {
            let mut state = self.lock();
            if state.released_deadline.is_some() {
                return;
            }
            state.released_deadline = Some(now + window);
            self.released_armed.store(true, Ordering::Release);
        }
        self.kick_writer();
    }

    /// Takes the windows that have ended: what was committed within them is to be written.
    fn end_windows(&self, state: &mut State, now: Duration) {
        let (lazy, released) = (state.lazy_deadline, state.released_deadline);
        let is_over = |deadline: Option<Duration>| deadline.is_some_and(|d| d <= now);
        if !is_over(lazy) && !is_over(released) {
            return;
        }
        state.close_open();
        state.must_write = LogPos(state.open.start);
        // One write serves both.
        if lazy.is_some() {
            state.lazy_deadline = None;
            self.lazy_armed.store(false, Ordering::Release);
            state.lazy_last = state.last_record;
        }
        if released.is_some() {
            state.released_deadline = None;
            self.released_armed.store(false, Ordering::Release);
            state.released_last = state.last_record;
        }
    }

    /// The writer's turn: writes full blocks when enough of them lie together, and everything when the window of
    /// delayed durable commits has ended. Returns how long nothing has to be done; `None`: until it is kicked.
    pub fn writer_tick(&self) -> Option<Duration> {
        loop {
            let now = self.env.clock.monotonic();
            let (upto, deadline, due) = {
                let mut state = self.lock();
                if state.core.is_failed() {
                    return None;
                }
                self.end_windows(&mut state, now);
                if state.core.ready_bytes() >= self.writer_bytes {
                    state.must_write = LogPos(state.open.start);
                }
                let durable = state.core.durable();
                let due = [
                    (state.released_last, FlushCause::PipelinedCommits),
                    (state.lazy_last, FlushCause::DelayedCommits),
                ];
                let due = due.into_iter().find(|(last, _)| *last >= durable);
                let deadlines = [state.lazy_deadline, state.released_deadline];
                (state.must_write, deadlines.into_iter().flatten().min(), due)
            };
            match due {
                Some((last, cause)) => self.write_windows(upto, last, cause),
                None => {
                    let plain = self.writes_plainly();
                    self.write_ready(upto, false, plain, FlushCause::FullBlocks);
                }
            }
            self.sync_written(self.sync_bytes());
            let state = self.lock();
            if state.core.ready_bytes() < self.writer_bytes || !state.core.can_start() {
                return deadline.map(|d| d.saturating_sub(self.env.clock.monotonic()));
            }
        }
    }

    /// So many bytes that are written and not durable are enough.
    fn sync_bytes(&self) -> u64 {
        // A ring smaller than usual (tests) sooner.
        SYNC_EVERY.min(self.options.buffers as u64 * (60 << 10) / 2)
    }

    /// Commits that nobody has waited for, the last one at `last`, have to leave the memory.
    fn write_windows(&self, upto: LogPos, last: LogPos, cause: FlushCause) {
        self.write_ready(upto, false, false, cause);
        // In front of them, or they themselves, may be blocks that still need a sync.
        if self.lock().core.needs_sync() {
            // A failure has been noted, and everybody told.
            let _ = self.harden_waiting(last, FlushReason::Request);
        }
    }

    /// A turn of somebody who helps the writer with full blocks while that is busy.
    pub(crate) fn help_writer(&self) {
        let upto = {
            let state = self.lock();
            match state.core.ready_bytes() >= self.writer_bytes {
                true => LogPos(state.open.start),
                false => return,
            }
        };
        self.write_ready(upto, true, true, FlushCause::FullBlocks);
    }

    /// Runs the writer in the calling thread until [`Log::stop_writer`].
    pub fn run_writer(&self) {
        *self.writer.thread.lock() = Some(std::thread::current());
        while !self.writer.stopping.load(Ordering::Acquire) {
            let idle = self.writer_tick();
            if self.writer.kicked.swap(false, Ordering::AcqRel) {
                continue;
            }
            {
                let _idle = taffrail_observe::wait(WaitType::LogMgrQueue);
                thread::park_timeout(idle.unwrap_or(IDLE).min(IDLE));
            }
            if !self.writer.kicked.load(Ordering::Acquire) {
                // Nobody came: what was written is not left like that.
                self.sync_written(1);
            }
            self.writer.kicked.store(false, Ordering::Release);
        }
        *self.writer.thread.lock() = None;
    }

    /// Ends [`Log::run_writer`]. What is in memory stays there: call [`Log::flush`] first.
    pub fn stop_writer(&self) {
        self.writer.stopping.store(true, Ordering::Release);
        self.kick_writer();
        self.stop_ahead();
    }

    pub(crate) fn kick_writer(&self) {
        if self.writer.kicked.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Some(sleeper) = &*self.writer.thread.lock() {
            thread::unpark(sleeper);
        }
    }
}
