//! A bounded ring of what happened lately: growths, checkpoints, deadlocks, errors. One short mutex: what happens with every
//! commit or every row is counted ([`crate::counters`]), not recorded.
//!
//! A log that is full fails statement after statement. So that those do not push out what else happens, the first is
//! recorded at once, and what follows within a second, of the same database and for the same reason, is one event that says
//! how many it stands for.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;

use crate::moment::Moment;
use taffrail_base::{DatabaseId, FileId, LogPos, Lsn, SessionId};

/// A database as it was called when the event happened: it may be gone, or called otherwise, when somebody reads of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whose {
    /// Its id.
    pub id: DatabaseId,
    /// Its name.
    pub name: Arc<str>,
}

impl Whose {
    /// A database and its name.
    pub fn new(id: DatabaseId, name: &str) -> Whose {
        Whose { id, name: name.into() }
    }
}

/// Something that readers of the event ring may want to know. Sizes in bytes, durations in ns.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields say what they are")]
pub enum Event {
    /// A log file grew, by itself or because it was told to: what `database_file_size_change` and class 93 of the
    /// default trace (Log File Auto Grow, if `automatic`) show. `zeroed`: the new part was zeroed meanwhile.
    /// `session` is 0 for the server's own threads. `name` is the logical one.
    LogGrowth {
        database: Whose,
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
    LogGrowthCancelled { database: Whose, file: FileId, name: String, session: u16, ns: u64 },
    /// A statement failed since the log is full (9002, in the reason's state): who holds it from where on, and what the system said of
    /// a growth.
    /// `times`: how many failures this event stands for; the others say the latest.
    LogFull {
        database: Whose,
        reason: &'static str,
        state: u8,
        holdup: Lsn,
        refused: Option<(PathBuf, String)>,
        times: u32,
    },
    /// A data file grew, by itself or (not `automatic`) because it was told to.
    DataGrowth {
        database: Whose,
        file: FileId,
        name: String,
        from: u64,
        to: u64,
        automatic: bool,
        ns: u64,
    },
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
    IoError { database: Whose, text: String },
    /// Work that nobody waits for failed, or the system refused what a statement asked; the text is for the error log.
    BackgroundError { database: Whose, text: String },
    /// A backup or restore has ended, or a backup has failed; the text is for the error log.
    Backup { database: DatabaseId, text: String, failed: bool },
    /// A database or table has been checked; the text is for the error log. `failed`: something is wrong.
    Check { database: DatabaseId, text: String, failed: bool },
    /// RAISERROR … WITH LOG: for the error log.
    Raised { session: SessionId, number: i32, severity: u8, state: u8, text: String },
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

/// A log that is full is told of once in this time, ns.
const FLOOD_PERIOD: u64 = 1_000_000_000;

/// 9002 of one database for one reason, again and again.
struct Flood {
    /// When it was recorded last.
    since: Moment,
    /// How often it has happened since, unrecorded.
    times: u32,
    latest: Event,
}

impl Flood {
    fn is_of(&self, event: &Event) -> bool {
        match (&self.latest, event) {
            (
                Event::LogFull { database: a, reason: why, .. },
                Event::LogFull { database: b, reason, .. },
            ) => a.id == b.id && why == reason,
            _ => false,
        }
    }

    /// The one event for all that were held back, which there are.
    fn settled(&mut self, now: Moment) -> Event {
        let held = std::mem::take(&mut self.times);
        self.since = now;
        let mut event = self.latest.clone();
        if let Event::LogFull { times, .. } = &mut event {
            *times = held;
        }
        event
    }
}

/// Invariant: the events' numbers are consecutive, and the last is `next` - 1.
struct Ring {
    next: u64,
    events: VecDeque<Recorded>,
    capacity: usize,
    floods: Vec<Flood>,
    readers: Vec<Thread>,
}

impl Ring {
    fn record(&mut self, event: Event, at: Moment) {
        if self.events.len() == self.capacity {
            self.events.pop_front();
        }
        let number = self.next;
        self.next += 1;
        self.events.push_back(Recorded { number, at, event });
        // Whoever has read everything has a quarter of the ring unread by then, and time for the other three.
        if number.is_multiple_of((self.capacity as u64 / 4).max(1)) {
            self.readers.iter().for_each(Thread::unpark);
        }
    }

    /// `None` when the event only counts, as one of a flood.
    fn throttled(&mut self, event: Event, at: Moment) -> Option<Event> {
        if !matches!(event, Event::LogFull { .. }) {
            return Some(event);
        }
        let Some(flood) = self.floods.iter_mut().find(|f| f.is_of(&event)) else {
            self.floods.push(Flood { since: at, times: 0, latest: event.clone() });
            return Some(event);
        };
        flood.times += 1;
        flood.latest = event;
        (at.since(flood.since) >= FLOOD_PERIOD).then(|| flood.settled(at))
    }

    /// Records what was held back long enough (`all`: whatever was), and forgets floods that are over.
    fn settle(&mut self, now: Moment, all: bool) {
        for mut flood in std::mem::take(&mut self.floods) {
            let over = all || now.since(flood.since) >= FLOOD_PERIOD;
            if over && flood.times > 0 {
                let event = flood.settled(now);
                self.record(event, now);
            } else if over {
                continue;
            }
            self.floods.push(flood);
        }
    }
}

/// The ring.
pub struct EventRing(Mutex<Ring>);

impl EventRing {
    /// A ring of so many events.
    pub fn new(capacity: usize) -> EventRing {
        let (events, floods, readers) = Default::default();
        EventRing(Mutex::new(Ring { next: 1, events, capacity, floods, readers }))
    }

    /// The process's ring.
    pub fn global() -> &'static EventRing {
        static GLOBAL: OnceLock<EventRing> = OnceLock::new();
        GLOBAL.get_or_init(|| EventRing::new(4096))
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an event that has just ended.
    pub fn push(&self, event: Event) {
        let at = Moment::now();
        let mut ring = self.lock();
        if let Some(event) = ring.throttled(event, at) {
            ring.record(event, at);
        }
    }

    /// The events that are still there with a number above `after`, in order.
    pub fn read_after(&self, after: u64) -> Vec<Recorded> {
        let ring = self.lock();
        let from = ring.events.partition_point(|e| e.number <= after);
        ring.events.range(from..).cloned().collect()
    }

    /// The same for who writes them down: floods that have lasted long enough are among them, and at the end all.
    /// The number: how many events after `after` are no longer there.
    pub fn drain(&self, after: u64, ending: bool) -> (u64, Vec<Recorded>) {
        self.lock().settle(Moment::now(), ending);
        let events = self.read_after(after);
        let lost = events.first().map_or(0, |first| first.number.saturating_sub(after + 1));
        (lost, events)
    }

    /// The number of the last event.
    pub fn newest(&self) -> u64 {
        self.lock().next - 1
    }

    /// From now on this thread is unparked whenever a quarter of the ring has filled.
    pub fn wake(&self, reader: Thread) {
        self.lock().readers.push(reader);
    }

    /// No longer.
    pub fn let_sleep(&self, reader: &Thread) {
        self.lock().readers.retain(|r| r.id() != reader.id());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(to: u64) -> Event {
        let (database, name) = (Whose::new(DatabaseId(5), "d"), "f".to_owned());
        Event::DataGrowth { database, file: FileId(1), name, from: 0, to, automatic: true, ns: 3 }
    }

    fn full(id: u16, reason: &'static str, times: u32) -> Event {
        let database = Whose::new(DatabaseId(id), "d");
        Event::LogFull { database, reason, state: 2, holdup: Lsn::ZERO, refused: None, times }
    }

    fn told(ring: &EventRing, after: u64) -> Vec<Event> {
        ring.read_after(after).into_iter().map(|r| r.event).collect()
    }

    #[test]
    fn the_oldest_make_room_and_numbers_go_on() {
        let ring = EventRing::new(4);
        (1..=6).for_each(|to| ring.push(growth(to)));
        let events = ring.read_after(0);
        let numbers: Vec<u64> = events.iter().map(|e| e.number).collect();
        assert_eq!(numbers, [3, 4, 5, 6]);
        assert_eq!(ring.read_after(5), events[3..]);
        assert_eq!(ring.read_after(6), []);
        assert_eq!(ring.newest(), 6);
        let (lost, rest) = ring.drain(0, false);
        assert_eq!((lost, rest.len()), (2, 4));
        assert_eq!(ring.drain(2, false).0, 0);
        assert_eq!(ring.drain(6, false), (0, Vec::new()));
    }

    #[test]
    fn a_flood_of_full_logs_pushes_nothing_else_out() {
        let ring = EventRing::new(16);
        ring.push(growth(1));
        (0..10_000).for_each(|_| ring.push(full(5, "LOG_BACKUP", 1)));
        ring.push(full(6, "LOG_BACKUP", 1));
        ring.push(full(5, "ACTIVE_TRANSACTION", 1));
        ring.push(growth(2));
        let first = [
            growth(1),
            full(5, "LOG_BACKUP", 1),
            full(6, "LOG_BACKUP", 1),
            full(5, "ACTIVE_TRANSACTION", 1),
            growth(2),
        ];
        // However slow this machine is: within the period nothing is told again.
        let again = told(&ring, 0);
        assert_eq!(again.iter().filter(|e| **e == growth(1) || **e == growth(2)).count(), 2);
        assert_eq!(again[..2], first[..2]);
        // When it ends, all that was held back has been counted.
        let (lost, events) = ring.drain(0, true);
        let counted: u32 = events
            .iter()
            .map(|r| match &r.event {
                Event::LogFull { database, reason: "LOG_BACKUP", times, .. }
                    if database.id == DatabaseId(5) =>
                {
                    *times
                }
                _ => 0,
            })
            .sum();
        assert_eq!((lost, counted), (0, 10_000));
        assert_eq!(ring.drain(ring.newest(), true), (0, Vec::new()), "once");
    }

    #[test]
    fn what_was_held_back_is_told_when_its_time_is_over() {
        let ring = EventRing::new(16);
        let at = |s: u64| Moment(s * FLOOD_PERIOD / 10);
        let push = |s: u64| {
            let mut r = ring.lock();
            let event = r.throttled(full(5, "LOG_BACKUP", 1), at(s));
            if let Some(event) = event {
                r.record(event, at(s));
            }
        };
        (0..5).for_each(push);
        ring.lock().settle(at(9), false);
        assert_eq!(told(&ring, 0).len(), 1, "not yet");
        ring.lock().settle(at(10), false);
        assert_eq!(told(&ring, 1), [full(5, "LOG_BACKUP", 4)]);
        push(12);
        // The one that comes after the time tells of those before it, too.
        push(25);
        assert_eq!(told(&ring, 2), [full(5, "LOG_BACKUP", 2)]);
        // Quiet for long enough: the next is a first one.
        ring.lock().settle(at(40), false);
        assert!(ring.lock().floods.is_empty());
        push(41);
        assert_eq!(told(&ring, 3), [full(5, "LOG_BACKUP", 1)]);
    }

    #[test]
    fn a_reader_is_woken_before_the_ring_turns_over() {
        let ring = Arc::new(EventRing::new(64));
        let seen = std::thread::spawn({
            let ring = ring.clone();
            move || {
                ring.wake(std::thread::current());
                let mut seen = 0;
                while seen < 40 {
                    // Nobody else wakes it.
                    std::thread::park();
                    let (lost, events) = ring.drain(seen, false);
                    assert_eq!(lost, 0);
                    seen += events.len() as u64;
                }
                ring.let_sleep(&std::thread::current());
                seen
            }
        });
        while ring.lock().readers.is_empty() {
            std::thread::yield_now();
        }
        (1..=48).for_each(|to| ring.push(growth(to)));
        assert!(seen.join().unwrap() >= 40);
        assert!(ring.lock().readers.is_empty());
    }
}
