//! Room that is on its way: what others give back while a session finds its file full.
//!
//! A rollback frees page by page what its transaction had, and a commit what it has deleted, after the locks are gone. Whoever finds
//! nothing meanwhile in a file that cannot grow would be told that it is full, and be told otherwise a moment later. So error 1105 is
//! raised only when nothing is on its way:
//!
//! ```text
//! somebody undoes, or frees what a commit left   wait until one of them is done or has freed pages, and try again: MAX in all
//! others' transactions are open, and log grows   the same, unless nothing has been freed for QUIET_MAX: the next of them may end by
//!                                                rolling back, and what was freed last somebody else was quicker to take
//! neither, or no log for IDLE_MAX                the file is full
//! ```
//! Nobody who is waited for waits for the waiter. Undo and deferred frees take no locks of the lock manager, but latches and the mutexes of
//! maps and lists; the waiter holds none of these, whatever locks he holds. Who gives room back does not wait himself (`HERE`): not
//! for the others who do, still less for his own thread. An open transaction may well wait for a lock of the
//! waiter's: then it logs nothing.
//! In any case a wait has its limit, and looks at the session's cancel flag.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use taffrail_base::LogPos;
use taffrail_base::sync::now;
use taffrail_log::fair::{Condvar, Mutex};

use super::full::check_cancelled;
use crate::database::Database;
use crate::error::StorageResult;
use crate::txn::work::Work;

/// Longest wait of a piece of work.
const MAX: Duration = Duration::from_secs(5);
/// The longest wait for transactions that are only open, since pages were freed last.
const QUIET_MAX: Duration = Duration::from_millis(200);
/// The longest wait for such transactions since they logged something last.
const IDLE_MAX: Duration = Duration::from_millis(50);
/// How often a waiter looks around.
const SLICE: Duration = Duration::from_millis(10);

thread_local! {
    /// How many [`GivingBack`] this thread has.
    static HERE: Cell<u32> = const { Cell::new(0) };
}

/// True on a thread that gives room back.
pub(crate) fn is_giving_back() -> bool {
    HERE.get() > 0
}

/// The work that gives room back in a database, and the sessions that wait for it.
#[derive(Default)]
pub(crate) struct Returning {
    state: Mutex<State>,
    changed: Condvar,
    /// How many are done with it.
    done: AtomicU64,
    /// Grows with pages that were freed, or left without a row.
    pages: AtomicU64,
}

#[derive(Default)]
struct State {
    under_way: usize,
    waiting: usize,
}

/// Somebody gives room back until this is dropped.
#[must_use]
pub(crate) struct GivingBack(Arc<Database>);

impl Drop for GivingBack {
    fn drop(&mut self) {
        HERE.set(HERE.get() - 1);
        let returning = &self.0.returning;
        let mut state = returning.state.lock();
        state.under_way -= 1;
        returning.done.fetch_add(1, Ordering::Release);
        if state.waiting > 0 {
            returning.changed.notify_all();
        }
    }
}

impl Returning {
    /// A page was freed, or undo has left it without a row.
    pub fn freed_a_page(&self) {
        self.pages.fetch_add(1, Ordering::Relaxed);
    }
}

impl Database {
    /// Room is going to be given back, by this thread.
    pub(crate) fn giving_back(self: &Arc<Self>) -> GivingBack {
        HERE.set(HERE.get() + 1);
        self.returning.state.lock().under_way += 1;
        GivingBack(self.clone())
    }

    /// How many sessions wait for room that others give back. A probe for tests.
    pub fn waiting_for_room(&self) -> usize {
        self.returning.state.lock().waiting
    }

    /// True if somebody else's transaction has changed something and has not ended.
    fn others_are_open(&self, work: &Work) -> bool {
        self.txns
            .entries()
            .iter()
            .any(|t| !t.system && !t.has_ended() && t.id != work.id() && t.session != work.session)
    }
}

/// The patience of one piece of work that looks for room.
pub(super) struct Patience<'d> {
    db: &'d Database,
    /// As it was before the last try.
    done: u64,
    pages: u64,
    /// The wait's beginning, and when pages were freed last as far as it knows.
    since: Option<(Instant, Instant)>,
}

impl<'d> Patience<'d> {
    /// Before the first try: what is given back from now on is worth another.
    pub fn new(db: &'d Database) -> Patience<'d> {
        let mut new = Patience { db, done: 0, pages: 0, since: None };
        new.note();
        new
    }

    /// True if pages were freed since the last time.
    fn note(&mut self) -> bool {
        let pages = self.db.returning.pages.load(Ordering::Relaxed);
        self.done = self.db.returning.done.load(Ordering::Acquire);
        std::mem::replace(&mut self.pages, pages) != pages
    }

    /// A try has found nothing. Waits while room is on its way; false: none is, or it is taking too long.
    ///
    /// The caller holds neither latches nor mutexes of maps and lists.
    pub fn another_try(&mut self, work: &Work) -> StorageResult<bool> {
        if work.in_rollback || work.in_checkpoint || is_giving_back() {
            return Ok(false);
        }
        let first = now();
        let (began, mut freed) = self.since.unwrap_or((first, first));
        let returning = &self.db.returning;
        // Where the log ended when it was last seen to grow, and when that was.
        let mut logged: Option<(LogPos, Instant)> = None;
        loop {
            check_cancelled()?;
            self.db.store.check()?;
            let mut state = returning.state.lock();
            if now() - began >= MAX {
                return Ok(false);
            }
            let undo = state.under_way > 0;
            let done = returning.done.load(Ordering::Acquire) != self.done;
            if done && returning.pages.load(Ordering::Relaxed) != self.pages {
                break;
            }
            if !undo && now() - freed >= QUIET_MAX {
                return Ok(false);
            }
            if done {
                break;
            }
            let appended = self.db.log().appended();
            match logged {
                None if !undo && !self.db.others_are_open(work) => return Ok(false),
                Some(_) if returning.pages.load(Ordering::Relaxed) != self.pages => break,
                _ if undo => {}
                Some((before, _)) if before != appended => break,
                Some((_, at)) if now() - at >= IDLE_MAX => return Ok(false),
                _ => {}
            }
            if logged.is_none_or(|(before, _)| before != appended) {
                logged = Some((appended, now()));
            }
            state.waiting += 1;
            returning.changed.wait_for(&mut state, SLICE);
            state.waiting -= 1;
        }
        if self.note() {
            freed = now();
        }
        self.since = Some((began, freed));
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
