//! Group commit: the blocking driver around the flush core, and delayed durability.
//!
//! Who needs a record durable either leads (closes the open block, claims what is closed, writes it in his own thread,
//! with no hand-off) or, while as many writes are in flight as are allowed, waits; then the end of a write makes him
//! durable or hands him the lead. So commits that arrive while writes are in flight share the next one.
//! A committer in company lets others append first ([`Company`](crate::company::Company)).
//!
//! Full blocks that nobody waits for, and delayed durable commits whose window ends, are the writer's: [`crate::writer`].

use std::cell::RefCell;
use std::io::IoSlice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use taffrail_base::LogPos;
use taffrail_base::sync::{MutexGuard, thread};
use taffrail_io::{IoError, IoReason};
use taffrail_observe::trace::{FlushCause, flush_histograms};
use taffrail_observe::{Event, EventRing, Moment, SessionCell, WaitType, xe};

use crate::cache::{CachedBlock, State};
use crate::error::LogError;
use crate::flush::{Completed, Sync, Wake, Write};
use crate::log::Log;
use crate::told;
use crate::waiter::{DURABLE, FAILED, WAITING, Waiter};

/// Why somebody wants records durable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlushReason {
    /// A commit; counted in Log Flush Waits.
    Commit,
    /// A page is about to be written.
    WriteAhead,
    /// A checkpoint needs its records durable.
    Checkpoint,
    /// `sys.sp_flush_log`, a shutdown, a backup.
    Request,
}

impl FlushReason {
    /// As the history of flushes has it.
    fn cause(self) -> FlushCause {
        match self {
            FlushReason::Commit => FlushCause::Commit,
            FlushReason::WriteAhead => FlushCause::WriteAhead,
            FlushReason::Checkpoint => FlushCause::Checkpoint,
            FlushReason::Request => FlushCause::Request,
        }
    }
}

thread_local! {
    static WAITER: RefCell<Arc<Waiter>> = RefCell::new(Arc::new(Waiter::new()));
}

/// The work that the end of a write or a sync leaves, done without the lock.
struct Ended {
    wakes: Vec<(Wake, Arc<Waiter>)>,
    /// Appenders wait for buffers.
    free: bool,
    /// The writer has something to do.
    kick: bool,
}

/// The guard of the log's state. A failed assertion under it gives the log up, so that nothing
/// half-done is written. A thread that takes the guard while it unwinds from a panic elsewhere, to
/// roll back, leaves nothing half-done.
pub(crate) struct StateGuard<'a> {
    pub guard: MutexGuard<'a, State>,
    failed: &'a AtomicBool,
    /// The thread was unwinding already when it came.
    unwinding: bool,
}

impl std::ops::Deref for StateGuard<'_> {
    type Target = State;
    fn deref(&self) -> &State {
        &self.guard
    }
}

impl std::ops::DerefMut for StateGuard<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.guard
    }
}

impl Drop for StateGuard<'_> {
    fn drop(&mut self) {
        if !self.unwinding && std::thread::panicking() {
            self.failed.store(true, Ordering::Release);
            for (wake, waiter) in self.guard.core.fail() {
                waiter.wake(wake);
            }
        }
    }
}

impl Log {
    pub(crate) fn lock(&self) -> StateGuard<'_> {
        let unwinding = std::thread::panicking();
        StateGuard { guard: self.state.lock(), failed: &self.failed, unwinding }
    }

    /// Returns when the record at `upto` and every record before it is durable.
    pub fn harden(&self, upto: LogPos, reason: FlushReason) -> Result<(), LogError> {
        if upto < self.durable() {
            return Ok(());
        }
        if self.is_failed() {
            return Err(LogError::Unavailable);
        }
        if xe::wanted(xe::Event::LogFlushRequested) {
            self.tell_flush_requested(upto);
        }
        let mut wait = taffrail_observe::wait(WaitType::WriteLog);
        let result = self.harden_waiting(upto, reason).map(|signalled| {
            signalled.into_iter().for_each(|at| wait.signalled(at));
        });
        let waited = wait.finish();
        if reason == FlushReason::Commit {
            self.options.counters.log_flush_waits.inc();
            if xe::wanted(xe::Event::DatabasesLogFlushWait) {
                self.tell_counted(xe::Event::DatabasesLogFlushWait);
            }
            self.options.counters.log_flush_wait_time.add_ns(waited);
            flush_histograms().commit_wait_ns.add(waited);
        }
        result
    }

    /// In company, yields the processor once, so that those who are ready to append their commits share the write.
    /// Only a commit does: others may hold latches.
    fn let_others_append(&self, reason: FlushReason) {
        if reason == FlushReason::Commit && self.company.wants_yield() {
            let began = Moment::now();
            thread::yield_now();
            self.company.yielded(Moment::now().since(began));
        }
    }

    /// Makes everything that was appended so far durable.
    pub fn flush(&self, reason: FlushReason) -> Result<(), LogError> {
        let last = self.lock().last_record;
        self.harden(last, reason)
    }

    /// Returns when somebody else's write or sync has woken the caller, if that is how it ended.
    pub(crate) fn harden_waiting(
        &self,
        upto: LogPos,
        reason: FlushReason,
    ) -> Result<Option<Moment>, LogError> {
        self.let_others_append(reason);
        let mut state = self.lock();
        if upto > state.last_record {
            // Asked for by a page that is ahead of the log: damaged, or of another database.
            return Err(LogError::NotFound(upto));
        }
        loop {
            if state.core.is_failed() {
                return Err(LogError::Unavailable);
            }
            if upto < state.core.durable() {
                return Ok(None);
            }
            if state.core.can_start() && upto >= state.core.claimed_end() {
                if upto.0 >= state.open.start {
                    state.close_open();
                    self.note_need(state.open.start);
                }
                if let Some(write) = state.core.next_write(false) {
                    drop(state);
                    self.perform(write, reason.cause());
                    state = self.lock();
                    continue;
                }
            }
            if let Some(sync) = state.core.next_sync(upto) {
                drop(state);
                self.perform_sync(sync, reason.cause());
                state = self.lock();
                continue;
            }
            let waiter = WAITER.with_borrow(Arc::clone);
            waiter.state.store(WAITING, Ordering::Relaxed);
            state.core.wait(upto, Arc::clone(&waiter));
            drop(state);
            let woken = waiter.sleep();
            match woken {
                DURABLE => return Ok(Some(Moment(waiter.at.load(Ordering::Relaxed)))),
                FAILED => return Err(LogError::Unavailable),
                _ => {
                    self.let_others_append(reason);
                    state = self.lock();
                }
            }
        }
    }

    /// Writes a claimed run of blocks and reports it. Errors poison the log; whoever waits learns it there.
    fn perform(&self, write: Write<Arc<CachedBlock>>, cause: FlushCause) {
        let started = Moment::now();
        if xe::wanted(xe::Event::LogFlushStart) {
            self.tell_flush_start(&write);
        }
        let result = self.write_blocks(&write);
        let at = Moment::now();
        let ns = at.since(started);
        self.note_flush(&write, &told::Ended { cause, failed: result.is_err(), at, ns });
        let records: u64 = write.data.iter().map(|b| u64::from(b.header.records)).sum();
        let (id, bytes) = (write.id, write.bytes);
        // Let go of the blocks first: their buffers are to be used again.
        drop(write);
        if let Err(e) = &result {
            self.note_failure(e);
        }
        let done = {
            let mut state = self.lock();
            let done = state.core.completed(id, result.is_ok());
            self.ended(state, done)
        };
        self.tell(done);
        let counters = &self.options.counters;
        counters.log_flushes.inc();
        if xe::wanted(xe::Event::DatabasesLogFlush) {
            self.tell_counted(xe::Event::DatabasesLogFlush);
        }
        counters.log_bytes_flushed.add(bytes);
        counters.log_records.add(records);
        counters.log_flush_write_time.add_ns(ns);
    }

    /// Syncs a file and reports it.
    pub(crate) fn perform_sync(&self, sync: Sync, cause: FlushCause) {
        let started = Moment::now();
        let _why = IoReason::LogFlush.begin();
        let result = self.volume(sync.file).sync();
        let at = Moment::now();
        let ns = at.since(started);
        self.note_sync(sync, &told::Ended { cause, failed: result.is_err(), at, ns });
        self.options.counters.log_flush_write_time.add_ns(ns);
        if let Err(e) = &result {
            self.note_failure(e);
        }
        let done = {
            let mut state = self.lock();
            let done = state.core.synced(sync.id, result.is_ok());
            self.ended(state, done)
        };
        self.tell(done);
    }

    /// A write or a sync ended: what is durable now, and who has to be told.
    fn ended(&self, state: StateGuard<'_>, done: Completed<Arc<Waiter>>) -> Ended {
        self.durable.store(done.durable.0, Ordering::Release);
        let leads = done.wakes.iter().any(|w| w.0 == Wake::Lead);
        let core = &state.core;
        self.company.note(!done.wakes.is_empty() || core.waiting() > 0 || core.in_flight() > 0);
        let due = core.ready_bytes() > 0
            && (core.claimed_end() < state.must_write || core.ready_bytes() >= self.writer_bytes);
        Ended { wakes: done.wakes, free: state.buffer_waiters > 0, kick: due && !leads }
    }

    fn tell(&self, done: Ended) {
        if done.free {
            self.buffers_free.notify_all();
        }
        for (wake, waiter) in done.wakes {
            waiter.wake(wake);
        }
        if done.kick {
            self.kick_writer();
        }
    }

    fn write_blocks(&self, write: &Write<Arc<CachedBlock>>) -> Result<(), IoError> {
        self.claim_fresh(write.file, write.offset, write.bytes, write.pos);
        let _why = IoReason::LogFlush.begin();
        let volume = self.volume(write.file);
        if let [block] = &write.data[..]
            && block.vlf_header.is_none()
            && write.durable
        {
            return volume.write_durable(write.offset, &[IoSlice::new(block.bytes())]);
        }
        let mut parts = Vec::with_capacity(write.data.len() + 1);
        for block in &write.data {
            parts.extend(block.vlf_header.as_deref().map(IoSlice::new));
            parts.push(IoSlice::new(block.bytes()));
        }
        match write.durable {
            true => volume.write_durable(write.offset, &parts),
            false => volume.write_parts(write.offset, &parts),
        }
    }

    /// Writes closed blocks that begin before `upto` and that nobody has claimed; with `once`, one write. `plain`: nobody
    /// waits for them.
    pub(crate) fn write_ready(&self, upto: LogPos, once: bool, plain: bool, cause: FlushCause) {
        loop {
            let write = {
                let mut state = self.lock();
                if state.core.claimed_end() >= upto {
                    return;
                }
                state.core.next_write(plain)
            };
            match write {
                Some(write) => self.perform(write, cause),
                None => return,
            }
            if once {
                return;
            }
        }
    }

    /// Syncs where that makes blocks durable, and there are so many bytes of them that are only written. True: it did.
    pub(crate) fn sync_written(&self, from: u64) -> bool {
        let sync = {
            let mut state = self.lock();
            match state.core.loose_bytes() >= from.max(1) {
                true => state.core.next_sync_of_any(),
                false => None,
            }
        };
        sync.map(|sync| self.perform_sync(sync, FlushCause::FullBlocks)).is_some()
    }

    fn note_failure(&self, e: &IoError) {
        self.failed.store(true, Ordering::Release);
        let mut first = self.failure.lock();
        if first.is_none() {
            *first = Some(e.duplicate());
            let session = SessionCell::session_id;
            let session = taffrail_observe::session::with_current(session).unwrap_or(0);
            let (database, text) = (self.whose(), e.to_string());
            EventRing::global().push(Event::IoError { database, session, text });
        }
    }

    /// Gives the log up after an I/O error outside of a flush.
    pub(crate) fn fail(&self, e: &IoError) {
        self.note_failure(e);
        let wakes = self.lock().core.fail();
        self.buffers_free.notify_all();
        for (wake, waiter) in wakes {
            waiter.wake(wake);
        }
    }

    /// Ends appending: every later append is refused. What was appended before is durable on return, delayed commits among it, which
    /// somebody may have been told of at the last moment. [`Log::close`] follows.
    pub fn seal(&self) -> Result<(), LogError> {
        let last = {
            let mut state = self.lock();
            state.sealed = true;
            state.last_record
        };
        self.harden(last, FlushReason::Request)
    }

    /// Ends the log: nothing is appended or written from the return on, so that its files may be opened again or removed. What was not
    /// hardened before may be lost. The file's header says then where the log ended.
    pub fn close(&self) {
        let failed = self.failed.swap(true, Ordering::AcqRel);
        let wakes = self.lock().core.fail();
        self.buffers_free.notify_all();
        for (wake, waiter) in wakes {
            waiter.wake(wake);
        }
        self.stop_writer();
        self.close_ahead();
        // A growth and writes that had begun.
        let mut files = self.files.lock();
        while !self.lock().core.is_at_rest() {
            thread::sleep(Duration::from_micros(200));
        }
        if !failed {
            let (end, closed) = {
                let state = self.lock();
                let end = state.core.durable();
                (end, end.0 == state.open.start && state.open.records == 0)
            };
            // Who looks at the log next would like to know; if the disk does not let us say it, he knows what he knew.
            let _ = files.write_root(|r| (r.reached, r.closed) = (end, closed));
        }
    }
}
