//! A bounded ring of what happened lately: growths, checkpoints, deadlocks, errors. One short mutex: what happens with every
//! commit or every row is counted ([`crate::counters`]), not recorded.
//!
//! A log or a data file that is full fails statement after statement. So that those do not push out what else happens, the first is
//! recorded at once, and what follows within a second, of the same database and for the same reason, is only counted, and
//! told as one event of its own kind ([`Event::LogFullAgain`], [`Event::DataFullAgain`]): it says between which
//! moments that was, for it comes later.
//!
//! 1. Numbers and times ascend together: the time is taken where the event gets its number. So who drains the ring and then
//!    writes what he has to say himself, with the time that [`EventRing::drain`] gives, has everything in order.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;

use crate::histogram::Histogram;
use crate::moment::Moment;
use crate::session::SessionCell;
use taffrail_base::{DatabaseId, FileId, LogPos, Lsn, SessionId};

/// A database as it was called when the event happened: it may be gone, or called otherwise, when somebody reads of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Whose {
    /// The id of the database then.
    pub id: DatabaseId,
    /// The name of the database then.
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
    /// `session` needed the room, whoever made it: 0 if none is known. `name` is the logical one.
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
    LogFull {
        database: Whose,
        reason: &'static str,
        state: u8,
        holdup: Lsn,
        refused: Option<(PathBuf, String)>,
    },
    /// That has happened so many times more, from the first to the last of these moments. `refused`: growths were, too.
    LogFullAgain {
        database: Whose,
        reason: &'static str,
        holdup: Lsn,
        refused: bool,
        times: u32,
        first: Moment,
        last: Moment,
    },
    /// A statement failed since a data file is full (1105, 1101: `text`), and what the system said of its growth, if it was asked.
    DataFull {
        database: Whose,
        number: i32,
        severity: u8,
        state: u8,
        text: String,
        refused: Option<(PathBuf, String)>,
    },
    /// That has happened so many times more, from the first to the last of these moments. `refused`: growths were, too.
    DataFullAgain { database: Whose, refused: bool, times: u32, first: Moment, last: Moment },
    /// A data file grew, by itself or (not `automatic`) because it was told to; `session` as above.
    DataGrowth {
        database: Whose,
        file: FileId,
        name: String,
        from: u64,
        to: u64,
        automatic: bool,
        session: u16,
        ns: u64,
    },
    /// A data or log file shrank, from and to so many bytes.
    Shrink { database: DatabaseId, file: FileId, from: u64, to: u64 },
    /// VLFs became reusable: the log up to `up_to` is not needed any more.
    LogTruncation { database: DatabaseId, vlfs: u32, up_to: LogPos },
    /// A checkpoint ended; `begin` is its first record.
    Checkpoint {
        /// The database that the checkpoint was of.
        database: DatabaseId,
        /// A background thread took it.
        automatic: bool,
        /// Why, as views show it.
        reason: &'static str,
        /// The position of the checkpoint's first record.
        begin: LogPos,
        /// Pages that it wrote.
        pages: u32,
        /// How long it took.
        ns: u64,
    },
    /// A line about a checkpoint: under trace flags 3502 and 3504, and for one that took long.
    CheckpointMessage { database: DatabaseId, text: String },
    /// Row locks were exchanged for a lock on the object.
    LockEscalation {
        /// The database of the object.
        database: DatabaseId,
        /// The object that is locked now.
        object: i32,
        /// Whose locks they were.
        session: SessionId,
        /// The number of row and page locks that were exchanged.
        locks: u32,
        /// The tree whose lock was one too many; 0 for a heap.
        hobt: u64,
        /// How many of the locks were of it.
        hobt_locks: u32,
        /// The object is locked X, and not S.
        exclusive: bool,
        /// Since locks took much memory, and not since the statement had so many.
        memory: bool,
    },
    /// A deadlock, and who was chosen.
    Deadlock { victim: SessionId, others: Vec<SessionId> },
    /// The report of a deadlock that a trace flag asks for: lines of the error log.
    DeadlockReport { lines: Vec<String> },
    /// An I/O operation failed; the text is for the error log. `session`: who did it; 0 for a thread without one.
    IoError { database: Whose, session: u16, text: String },
    /// Work that nobody waits for failed, or the system refused what a statement asked; the text is for the error log.
    BackgroundError { database: Whose, text: String },
    /// A backup or restore has ended, or a backup has failed; the text is for the error log.
    Backup { database: DatabaseId, text: String, failed: bool },
    /// A database or table has been checked; the text is for the error log. `failed`: something is wrong.
    Check { database: DatabaseId, text: String, failed: bool },
    /// RAISERROR … WITH LOG: for the error log.
    Raised { session: SessionId, number: i32, severity: u8, state: u8, text: String },
    /// A session was ended by KILL, from this machine and process.
    SessionKilled { session: SessionId, by: SessionId, host: String, process: u32 },
    /// How far recovery is, or that it has ended: the text is for the error log.
    RecoveryMessage { database: DatabaseId, text: String },
    /// A database finished recovery.
    Recovery { database: DatabaseId, redone: u64, undone: u64, ns: u64 },
}

/// An event with its number and time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumberedEvent {
    /// Consecutive over all events; a gap means that the ring turned over in between.
    pub number: u64,
    /// When it was recorded: the end of what has a duration.
    pub at: Moment,
    /// The event that was recorded.
    pub event: Event,
}

/// A log, or a data file, that is full is told of once in this time, ns.
const FLOOD_PERIOD: u64 = 1_000_000_000;

/// The result of [`EventRing::drain`].
#[derive(Debug)]
pub struct Drained {
    /// How many events are no longer there.
    pub lost: u64,
    /// The events that are still there, in order.
    pub events: Vec<NumberedEvent>,
    /// No event has a later time, and every event that comes will have this one or a later.
    pub now: Moment,
}

/// 9002 of one database for one reason, or 1105, again and again.
struct Flood {
    /// When it was recorded in full.
    since: Moment,
    /// How often it has happened since, unrecorded, and when it did so first and last.
    times: u32,
    first: Moment,
    last: Moment,
    latest: Event,
}

impl Flood {
    fn is_of(&self, event: &Event) -> bool {
        match (&self.latest, event) {
            (
                Event::LogFull { database: a, reason: why, .. },
                Event::LogFull { database: b, reason, .. },
            ) => a.id == b.id && why == reason,
            (Event::DataFull { database: a, .. }, Event::DataFull { database: b, .. }) => {
                a.id == b.id
            }
            _ => false,
        }
    }

    /// The one event for all that were held back, if any were.
    fn settled(self) -> Option<Event> {
        let Flood { times, first, last, .. } = self;
        match self.latest {
            Event::LogFull { database, reason, holdup, refused, .. } if times > 0 => {
                let refused = refused.is_some();
                Some(Event::LogFullAgain { database, reason, holdup, refused, times, first, last })
            }
            Event::DataFull { database, refused, .. } if times > 0 => {
                let refused = refused.is_some();
                Some(Event::DataFullAgain { database, refused, times, first, last })
            }
            _ => None,
        }
    }
}

/// Events that are kept beside the ring, so that others do not push them out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum History {
    /// Log and data files grew, or a growth was given up.
    Growths,
    /// Checkpoints that have ended.
    Checkpoints,
}

impl History {
    /// So many events of each kind are kept.
    pub const CAPACITY: usize = 1024;

    /// Whether an event is kept, and how long what it tells of took, ns.
    fn of(event: &Event) -> Option<(History, u64)> {
        match event {
            Event::LogGrowth { ns, .. }
            | Event::LogGrowthCancelled { ns, .. }
            | Event::DataGrowth { ns, .. } => Some((History::Growths, *ns)),
            Event::Checkpoint { ns, .. } => Some((History::Checkpoints, *ns)),
            _ => None,
        }
    }
}

/// The last events of a kind, and how many there were.
#[derive(Default)]
struct Kept {
    events: VecDeque<NumberedEvent>,
    recorded: u64,
    durations: Arc<Histogram>,
}

/// Invariant: the events' numbers are consecutive, and the last is `next` - 1.
struct Ring {
    next: u64,
    events: VecDeque<NumberedEvent>,
    kept: [Kept; 2],
    capacity: usize,
    floods: Vec<Flood>,
    readers: Vec<Thread>,
}

impl Ring {
    fn after(&self, after: u64) -> Vec<NumberedEvent> {
        let from = self.events.partition_point(|e| e.number <= after);
        self.events.range(from..).cloned().collect()
    }

    fn record(&mut self, event: Event, at: Moment) {
        if self.events.len() == self.capacity {
            self.events.pop_front();
        }
        let number = self.next;
        self.next += 1;
        let recorded = NumberedEvent { number, at, event };
        if let Some((history, ns)) = History::of(&recorded.event) {
            let kept = &mut self.kept[history as usize];
            kept.durations.add(ns);
            if kept.events.len() == History::CAPACITY {
                kept.events.pop_front();
            }
            kept.recorded += 1;
            kept.events.push_back(recorded.clone());
        }
        self.events.push_back(recorded);
        // Whoever has read everything has a quarter of the ring unread by then, and time for the other three.
        if number.is_multiple_of((self.capacity as u64 / 4).max(1)) {
            self.readers.iter().for_each(Thread::unpark);
        }
    }

    /// Records an event, or counts it as one of a flood.
    fn push(&mut self, event: Event, at: Moment) {
        if matches!(event, Event::LogFull { .. } | Event::DataFull { .. }) {
            self.settle(at, false);
            if let Some(flood) = self.floods.iter_mut().find(|f| f.is_of(&event)) {
                if flood.times == 0 {
                    flood.first = at;
                }
                flood.times += 1;
                flood.last = at;
                flood.latest = event;
                return;
            }
            let latest = event.clone();
            self.floods.push(Flood { since: at, times: 0, first: at, last: at, latest });
        }
        self.record(event, at);
    }

    /// Ends the floods that have lasted long enough (`all`: every one): records what was held back. The next event of that kind is a
    /// first one again.
    fn settle(&mut self, now: Moment, all: bool) {
        for flood in std::mem::take(&mut self.floods) {
            if !all && now.since(flood.since) < FLOOD_PERIOD {
                self.floods.push(flood);
            } else if let Some(event) = flood.settled() {
                self.record(event, now);
            }
        }
    }
}

/// The latest events, in order, for readers that come by from time to time.
pub struct EventRing(Mutex<Ring>);

impl EventRing {
    /// A ring of so many events.
    pub fn new(capacity: usize) -> EventRing {
        let (events, kept, floods, readers) = Default::default();
        EventRing(Mutex::new(Ring { next: 1, events, kept, capacity, floods, readers }))
    }

    /// The ring of the whole process.
    pub fn global() -> &'static EventRing {
        static GLOBAL: OnceLock<EventRing> = OnceLock::new();
        GLOBAL.get_or_init(|| EventRing::new(4096))
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an event that has just ended.
    pub fn push(&self, event: Event) {
        crate::xe::occurred(&event);
        self.record(event);
    }

    /// [`Self::push`] of an event that a thread has made for a session: sessions of extended events hear of it as of that session's.
    /// The session that the thread works for itself is told of its pages before: who enters another one forgets them.
    pub fn push_for(&self, event: Event, session: &Arc<SessionCell>) {
        if let Some(own) = crate::session::current() {
            own.gather();
        }
        let entered = SessionCell::enter(session);
        crate::xe::occurred(&event);
        drop(entered);
        self.record(event);
    }

    fn record(&self, event: Event) {
        crate::listen::occurred(&event);
        let mut ring = self.lock();
        // Under the lock: see 1.
        ring.push(event, Moment::now());
    }

    /// The events that are still there with a number above `after`, in order.
    pub fn read_after(&self, after: u64) -> Vec<NumberedEvent> {
        self.lock().after(after)
    }

    /// As [`Self::read_after`], for the writer of the error log: floods that have lasted long
    /// enough are among the events, and at the end all.
    pub fn drain(&self, after: u64, ending: bool) -> Drained {
        let mut ring = self.lock();
        let now = Moment::now();
        ring.settle(now, ending);
        let events = ring.after(after);
        let lost = events.first().map_or(0, |first| first.number.saturating_sub(after + 1));
        Drained { lost, events, now }
    }

    /// The last events of a kind, in order, and how many there were in all.
    pub fn history(&self, of: History) -> (Vec<NumberedEvent>, u64) {
        let ring = self.lock();
        let kept = &ring.kept[of as usize];
        (kept.events.iter().cloned().collect(), kept.recorded)
    }

    /// How many there were of a kind.
    pub fn recorded(&self, of: History) -> u64 {
        self.lock().kept[of as usize].recorded
    }

    /// How long those of a kind took, ns.
    pub fn durations(&self, of: History) -> Arc<Histogram> {
        Arc::clone(&self.lock().kept[of as usize].durations)
    }

    /// The number of the last event.
    pub fn newest(&self) -> u64 {
        self.lock().next - 1
    }

    /// From now on this thread is unparked whenever a quarter of the ring has filled.
    pub fn wake(&self, reader: Thread) {
        self.lock().readers.push(reader);
    }

    /// This thread is not unparked any more.
    pub fn let_sleep(&self, reader: &Thread) {
        self.lock().readers.retain(|r| r.id() != reader.id());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(to: u64) -> Event {
        let (database, name) = (Whose::new(DatabaseId(5), "d"), "f".to_owned());
        let (file, automatic) = (FileId(1), true);
        Event::DataGrowth { database, file, name, from: 0, to, automatic, session: 0, ns: 3 }
    }

    fn full(id: u16, reason: &'static str) -> Event {
        let database = Whose::new(DatabaseId(id), "d");
        Event::LogFull { database, reason, state: 2, holdup: Lsn::ZERO, refused: None }
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
        let drained = ring.drain(0, false);
        assert_eq!((drained.lost, drained.events.len()), (2, 4));
        assert_eq!(ring.drain(2, false).lost, 0);
        let drained = ring.drain(6, false);
        assert_eq!((drained.lost, drained.events.len()), (0, 0));
    }

    #[test]
    fn growths_are_kept_though_others_push_them_out_of_the_ring() {
        let ring = EventRing::new(4);
        let begin = LogPos(512);
        let checkpoint = || Event::Checkpoint {
            database: DatabaseId(5),
            automatic: true,
            reason: "LOG_USE",
            begin,
            pages: 1,
            ns: 1,
        };
        ring.push(growth(1));
        (0..History::CAPACITY + 10).for_each(|_| ring.push(checkpoint()));
        ring.push(growth(2));
        let (growths, recorded) = ring.history(History::Growths);
        let events: Vec<Event> = growths.into_iter().map(|r| r.event).collect();
        assert_eq!((events, recorded), (vec![growth(1), growth(2)], 2));
        let (checkpoints, recorded) = ring.history(History::Checkpoints);
        assert_eq!(checkpoints.len(), History::CAPACITY);
        assert_eq!(recorded, History::CAPACITY as u64 + 10);
    }

    #[test]
    fn a_flood_of_full_logs_pushes_nothing_else_out() {
        let ring = EventRing::new(16);
        ring.push(growth(1));
        (0..10_000).for_each(|_| ring.push(full(5, "LOG_BACKUP")));
        ring.push(full(6, "LOG_BACKUP"));
        ring.push(full(5, "ACTIVE_TRANSACTION"));
        ring.push(growth(2));
        let again = told(&ring, 0);
        assert_eq!(again.iter().filter(|e| **e == growth(1) || **e == growth(2)).count(), 2);
        assert_eq!(again[..2], [growth(1), full(5, "LOG_BACKUP")]);
        // When it ends, all that was held back has been counted.
        let drained = ring.drain(0, true);
        let five = |d: &Whose| d.id == DatabaseId(5);
        let count = |r: &NumberedEvent| match &r.event {
            Event::LogFull { database, reason: "LOG_BACKUP", .. } if five(database) => 1,
            Event::LogFullAgain { database, reason: "LOG_BACKUP", times, .. } if five(database) => {
                *times
            }
            _ => 0,
        };
        let counted: u32 = drained.events.iter().map(count).sum();
        assert_eq!((drained.lost, counted), (0, 10_000));
        assert_eq!(ring.drain(ring.newest(), true).events, [], "once");
    }

    #[test]
    fn a_first_failure_is_told_at_once_and_the_others_by_number_and_times() {
        let ring = EventRing::new(16);
        let at = |s: u64| Moment(s * FLOOD_PERIOD / 10);
        let push = |s: u64| ring.lock().push(full(5, "LOG_BACKUP"), at(s));
        let again = |times, first, last| {
            let (database, reason) = (Whose::new(DatabaseId(5), "d"), "LOG_BACKUP");
            let (holdup, first, last) = (Lsn::ZERO, at(first), at(last));
            Event::LogFullAgain { database, reason, holdup, refused: false, times, first, last }
        };
        (0..5).for_each(push);
        ring.lock().settle(at(9), false);
        assert_eq!(told(&ring, 0), [full(5, "LOG_BACKUP")], "not yet");
        ring.lock().settle(at(10), false);
        assert_eq!(told(&ring, 1), [again(4, 1, 4)]);
        // The next one is a first one: whole, and with its own time.
        push(12);
        assert_eq!(ring.read_after(2)[0].at, at(12));
        push(13);
        // The one that comes after the time is told itself, behind those before it.
        push(25);
        assert_eq!(
            told(&ring, 2),
            [full(5, "LOG_BACKUP"), again(1, 13, 13), full(5, "LOG_BACKUP")]
        );
        ring.lock().settle(at(40), false);
        assert!(ring.lock().floods.is_empty());
        assert_eq!(ring.newest(), 5, "nothing was held back");
    }

    #[test]
    fn numbers_and_times_ascend_together_whoever_pushes() {
        let ring = EventRing::new(4096);
        let drained = std::thread::scope(|scope| {
            for n in 0..4 {
                let ring = &ring;
                scope.spawn(move || (0..500).for_each(|to| ring.push(growth(n * 1000 + to))));
            }
            let mut after = 0;
            let mut batches = Vec::new();
            while after < 2000 {
                let drained = ring.drain(after, false);
                after = drained.events.last().map_or(after, |e| e.number);
                batches.push(drained);
            }
            batches
        });
        let mut last = Moment(0);
        for batch in drained {
            for at in batch.events.iter().map(|e| e.at).chain([batch.now]) {
                assert!(at >= last);
                last = at;
            }
        }
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
                    let drained = ring.drain(seen, false);
                    assert_eq!(drained.lost, 0);
                    seen += drained.events.len() as u64;
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
