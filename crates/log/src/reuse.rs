//! Holders of old log, and the reuse of log that nobody needs.
//!
//! Whoever needs log registers a hold: a function that says from which position on, and under which name. Truncation
//! frees every VLF that lies wholly before the smallest of them, the last durable checkpoint and the durable position.
//! It writes nothing: a VLF's status is derived.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::fair::Mutex;
use taffrail_base::{LogPos, Lsn};
use taffrail_io::IoError;
use taffrail_observe::{Event, EventRing};

use crate::append::Limits;
use crate::log::Log;
use crate::waits::ReuseWait;

/// A hold on the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// The reason that views show for it.
    pub wait: ReuseWait,
    /// The oldest position that is needed.
    pub pos: LogPos,
}

/// Names a registered holder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HolderId(u64);

type Begin = Box<dyn Fn() -> Option<LogPos> + Send + Sync>;
type Holder = Box<dyn Fn() -> Option<Hold> + Send + Sync>;

pub(crate) struct Reuse {
    holders: Mutex<(u64, Vec<(HolderId, Holder)>)>,
    checkpoint: AtomicU64,
    /// Where the oldest transaction that a user can see has begun.
    begin: Mutex<Option<Begin>>,
}

impl Reuse {
    pub fn new(checkpoint: LogPos) -> Reuse {
        Reuse {
            holders: Mutex::new((1, Vec::new())),
            checkpoint: AtomicU64::new(checkpoint.0),
            begin: Mutex::new(None),
        }
    }
}

impl Log {
    /// Registers somebody who may hold the log. The function is called by truncation, possibly in the middle of an
    /// append: it must not append, and takes only locks under which nobody appends.
    pub fn register_holder(&self, holder: Holder) -> HolderId {
        let mut h = self.reuse.holders.lock();
        let id = HolderId(h.0);
        h.0 += 1;
        h.1.push((id, holder));
        id
    }

    /// Says how to find the record that the oldest transaction began with. Its hold begins where the log ended before that
    /// record, which nobody can look up; message 9002 names the record. The same is asked of the function as of a holder's.
    pub fn register_oldest_begin(&self, begin: Begin) {
        *self.reuse.begin.lock() = Some(begin);
    }

    /// The holder is gone.
    pub fn unregister_holder(&self, id: HolderId) {
        self.reuse.holders.lock().1.retain(|h| h.0 != id);
    }

    /// The boot page that is durable now makes recovery start at `pos`: log before it is not needed for that.
    /// Call it only after that boot page is durable. It only goes forward. Frees nothing; see [`Log::truncate`].
    pub fn set_checkpoint(&self, pos: LogPos) {
        self.reuse.checkpoint.fetch_max(pos.0, Ordering::AcqRel);
    }

    /// The position given to [`Log::set_checkpoint`] last.
    pub fn checkpoint(&self) -> LogPos {
        LogPos(self.reuse.checkpoint.load(Ordering::Acquire))
    }

    /// The oldest of the registered holds.
    pub(crate) fn oldest_hold(&self) -> Option<Hold> {
        let holders = self.reuse.holders.lock();
        holders.1.iter().filter_map(|(_, h)| h()).min_by_key(|hold| hold.pos)
    }

    /// From where on log is needed: by recovery and by whoever holds it. Where a look at the active log begins.
    pub fn needed_from(&self) -> LogPos {
        let own = self.checkpoint().min(self.durable());
        self.oldest_hold().map_or(own, |hold| hold.pos.min(own))
    }

    /// The hold on the oldest VLF, and its position. Recovery is one only where there is no other:
    /// a checkpoint comes sooner than anything else ends.
    pub(crate) fn holdup(&self) -> (ReuseWait, LogPos) {
        let own = self.checkpoint().min(self.durable());
        let tail = self.lock().table.tail().end();
        match self.oldest_hold() {
            Some(hold) if hold.pos.0 < tail || hold.pos <= own => (hold.wait, hold.pos),
            _ => (ReuseWait::Checkpoint, own),
        }
    }

    /// The holdup as message 9002 names it: a transaction by its first record.
    pub(crate) fn shown_holdup(&self) -> (ReuseWait, LogPos) {
        let (wait, pos) = self.holdup();
        let begin = match wait {
            ReuseWait::ActiveTransaction => self.reuse.begin.lock().as_ref().and_then(|f| f()),
            _ => None,
        };
        (wait, begin.map_or(pos, |begin| begin.max(pos)))
    }

    /// Makes the event of a full log. Of a session's the session keeps it, until it is known whether its statement fails or
    /// is tried again with success; where nobody could be told of a failure it is told of here.
    pub(crate) fn note_full(
        &self,
        wait: ReuseWait,
        holdup: Option<Lsn>,
        growth: Option<&IoError>,
        limits: Limits,
    ) {
        let mut event = Some(Event::LogFull {
            database: self.whose(),
            reason: wait.name(),
            state: wait.code(),
            holdup: holdup.unwrap_or_default(),
            refused: growth.map(|e| (e.path.clone(), e.system_error())),
        });
        taffrail_observe::session::with_current(|s| {
            if let Some(event) = event.take() {
                s.note_full(event);
            }
        });
        // What may go past the limits is part of a rollback or a checkpoint, which are tried again.
        if let Some(event) = event.filter(|_| limits == Limits::Kept) {
            EventRing::global().push(event);
        }
    }

    /// True if a checkpoint now would let the oldest VLF go: only recovery needs it, and it is not being written.
    pub fn checkpoint_would_free(&self) -> bool {
        let held = self.oldest_hold().map(|hold| hold.pos);
        let state = self.lock();
        let tail = state.table.tail().end();
        tail <= state.open.start && held.is_none_or(|pos| pos.0 >= tail)
    }

    /// Frees every VLF that nobody needs, and says why there are not more.
    pub fn truncate(&self) -> ReuseWait {
        self.truncate_now().0
    }

    /// Truncates; the holdup beside the number of VLFs that were freed.
    pub(crate) fn truncate_now(&self) -> (ReuseWait, usize) {
        let keep = self.needed_from();
        let freed = {
            let mut state = self.lock();
            let freed = state.table.truncate(keep);
            if freed > 0 {
                state.space_changes += 1;
            }
            freed
        };
        if freed > 0 {
            self.options.counters.log_truncations.inc();
            EventRing::global().push(Event::LogTruncation {
                database: self.options.database,
                vlfs: freed as u32,
                up_to: keep,
            });
        }
        self.set_size_counters();
        (self.reuse_wait(), freed)
    }

    /// `log_reuse_wait`: why no VLF can be let go now. A log that has let go of all but the one being written waits
    /// for nothing; nor is a checkpoint waited for while there are VLFs to reuse.
    pub fn reuse_wait(&self) -> ReuseWait {
        let (single, free) = {
            let state = self.lock();
            (state.table.active().nth(1).is_none(), state.table.has_free())
        };
        match self.holdup().0 {
            _ if single && free => ReuseWait::Nothing,
            ReuseWait::Checkpoint if free => ReuseWait::Nothing,
            wait => wait,
        }
    }
}
