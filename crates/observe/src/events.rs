//! A bounded ring of what happened lately: growths, checkpoints, deadlocks, errors. One short mutex: what happens with every
//! commit or every row is counted ([`crate::counters`]), not recorded.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::moment::Moment;
use std::path::PathBuf;
use taffrail_base::{DatabaseId, FileId, LogPos, Lsn, SessionId};

/// Something that readers of the event ring may want to know. Sizes in bytes, durations in ns.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields say what they are")]
pub enum Event {
    /// A log file grew, by itself or because it was told to: what `database_file_size_change` and class 93 of the
    /// default trace (Log File Auto Grow, if `automatic`) show. `zeroed`: the new part was zeroed meanwhile.
    /// `session` is 0 for the server's own threads. `name` is the logical one.
    LogGrowth {
        database: DatabaseId,
        file: FileId,
        name: String,
        from: u64,
        to: u64,
        vlfs: u32,
        zeroed: bool,
        automatic: bool,
        session: u16,
        ns: u64,
    },
    /// A growth by itself was given up in the middle of the zeroing, for the session that waited for it was cancelled.
    LogGrowthCancelled { database: DatabaseId, file: FileId, name: String, session: u16, ns: u64 },
    /// A statement failed since the log is full (9002): who holds it from where on, and what the system said of a growth.
    LogFull {
        database: DatabaseId,
        reason: &'static str,
        holdup: Lsn,
        refused: Option<(PathBuf, String)>,
    },
    /// A data file grew.
    DataGrowth { database: DatabaseId, file: FileId, from: u64, to: u64, ns: u64 },
    /// A file shrank.
    Shrink { database: DatabaseId, file: FileId, from: u64, to: u64 },
    /// VLFs became reusable.
    LogTruncation { database: DatabaseId, vlfs: u32, up_to: LogPos },
    /// A checkpoint ended; `begin` is its first record.
    Checkpoint { database: DatabaseId, automatic: bool, begin: LogPos, pages: u32, ns: u64 },
    /// Row locks were exchanged for a lock on the object.
    LockEscalation { database: DatabaseId, object: i32, session: SessionId, locks: u32 },
    /// A deadlock, and who was chosen.
    Deadlock { victim: SessionId, others: Vec<SessionId> },
    /// An I/O operation failed; the text is for the error log.
    IoError { database: DatabaseId, text: String },
    /// Work that nobody waits for failed, or the system refused what a statement asked; the text is for the error log.
    BackgroundError { database: DatabaseId, text: String },
    /// A backup or restore has ended, or a backup has failed; the text is for the error log.
    Backup { database: DatabaseId, text: String, failed: bool },
    /// How far recovery is, or that it has ended: the text is for the error log.
    RecoveryMessage { database: DatabaseId, text: String },
    /// A database finished recovery.
    Recovery { database: DatabaseId, redone: u64, undone: u64, ns: u64 },
}

/// An event with its number and time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Consecutive over all events; a gap means that the ring turned over in between.
    pub number: u64,
    /// When it was recorded: the end of what has a duration.
    pub at: Moment,
    /// What.
    pub event: Event,
}

/// The ring.
pub struct EventRing {
    next: AtomicU64,
    events: Mutex<VecDeque<Recorded>>,
    capacity: usize,
}

impl EventRing {
    /// A ring of so many events.
    pub fn new(capacity: usize) -> EventRing {
        EventRing { next: AtomicU64::new(1), events: Mutex::new(VecDeque::new()), capacity }
    }

    /// The process's ring.
    pub fn global() -> &'static EventRing {
        static GLOBAL: OnceLock<EventRing> = OnceLock::new();
        GLOBAL.get_or_init(|| EventRing::new(4096))
    }

    /// Records an event that has just ended.
    pub fn push(&self, event: Event) {
        let at = Moment::now();
        let mut ring = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if ring.len() == self.capacity {
            ring.pop_front();
        }
        // Numbered under the mutex, so that the ring is in order.
        ring.push_back(Recorded { number: self.next.fetch_add(1, Relaxed), at, event });
    }

    /// The events that are still there with a number above `after`, in order.
    pub fn read_after(&self, after: u64) -> Vec<Recorded> {
        let ring = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let from = ring.partition_point(|e| e.number <= after);
        ring.range(from..).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_make_room_and_numbers_go_on() {
        let ring = EventRing::new(4);
        for to in 1..=6 {
            let (database, file) = (DatabaseId(5), FileId(1));
            ring.push(Event::DataGrowth { database, file, from: 0, to, ns: 3 });
        }
        let events = ring.read_after(0);
        let numbers: Vec<u64> = events.iter().map(|e| e.number).collect();
        assert_eq!(numbers, [3, 4, 5, 6]);
        assert_eq!(ring.read_after(5), events[3..]);
        assert_eq!(ring.read_after(6), []);
    }
}
