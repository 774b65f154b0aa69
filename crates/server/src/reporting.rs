//! What the engine has to say to the error log: recovery at start, and afterwards what is rare (growths, deadlocks,
//! failed I/O), read from the event ring by a thread of its own so that nobody waits for a file while it happens. It reads
//! once a second, sooner when the ring fills, and says so should the ring have turned over all the same.

use crate::errorlog::{ErrorLog, Level};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};
use taffrail_base::SqlError;
use taffrail_engine::Instance;
use taffrail_engine::catalog::registry::Slot;
use taffrail_observe::{Event, EventRing, Moment, Recorded};

/// How long an event may wait to be written.
const PERIOD: Duration = Duration::from_secs(1);
/// A growth that took longer gets message 5145.
const SLOW_GROWTH_NS: u64 = 1_000_000_000;

/// Writes what recovery did to each database.
pub(crate) fn recovery(log: &ErrorLog, instance: &Instance) {
    for report in instance.start_reports() {
        let name = &report.name;
        let id = instance
            .databases()
            .list()
            .iter()
            .find(|s| s.entry.name == *name)
            .map_or(0, |s| s.entry.id.0);
        match &report.result {
            Ok(r) => {
                // What is rolled back is told when it has been: see `Event::RecoveryMessage`.
                if r.rolled_forward > 0 {
                    let e = SqlError::new(3406, &[&r.rolled_forward, name, &id, &0]);
                    log.info("Server", &e.message);
                }
                if r.torn_repaired > 0 {
                    let text = format!(
                        "{} torn page(s) of database '{name}' were repaired from the double-write region.",
                        r.torn_repaired
                    );
                    log.write(Level::Warning, "Server", &text);
                }
            }
            Err(problem) if problem.damage => {
                log.write(Level::Error, "Server", &problem.text);
                log.write(Level::Error, "Server", &SqlError::new(3414, &[name, &id, &0]).message);
            }
            // Recovery has not begun: what is missing may come back.
            Err(problem) => {
                let text = format!(
                    "Database '{name}' cannot be opened and is RECOVERY_PENDING: {}",
                    problem.text
                );
                log.write(Level::Error, "Server", &text);
            }
        }
    }
}

/// True when no database has anything left to be undone, which the error log then hears.
fn recovery_is_complete(log: &ErrorLog, instance: &Instance) -> bool {
    let undoing = |slot: &Slot| slot.database.as_ref().is_some_and(|d| d.storage.is_undoing());
    let complete = !instance.databases().list().iter().any(undoing);
    if complete {
        log.info("Server", &SqlError::new(3408, &[]).message);
    }
    complete
}

/// The thread.
pub(crate) struct Reporter {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Reporter {
    /// Starts it, before the instance is there: recovery has something to say. It holds the instance until it is stopped.
    pub(crate) fn start(
        log: Arc<ErrorLog>,
        instance: Arc<OnceLock<Arc<Instance>>>,
    ) -> std::io::Result<Reporter> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        // What happened before is not of this server.
        let mut last = EventRing::global().newest();
        let thread = std::thread::Builder::new().name("error log".into()).spawn(move || {
            let ring = EventRing::global();
            ring.wake(std::thread::current());
            let mut complete = false;
            loop {
                if !stopped.load(Ordering::Acquire) {
                    std::thread::park_timeout(PERIOD);
                }
                let ending = stopped.load(Ordering::Acquire);
                last = drain(&log, ring, last, ending);
                log.retry();
                if let Some(instance) = instance.get().filter(|_| !complete) {
                    complete = recovery_is_complete(&log, instance);
                }
                if ending {
                    break;
                }
            }
            ring.let_sleep(&std::thread::current());
        })?;
        Ok(Reporter { stop, thread: Some(thread) })
    }

    /// The instance is there: `known` is what [`Reporter::start`] was given.
    pub(crate) fn instance_started(
        &self,
        known: &OnceLock<Arc<Instance>>,
        instance: Arc<Instance>,
    ) {
        // There is one instance, and this is called once.
        let _ = known.set(instance);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Writes what is left and ends the thread.
    pub(crate) fn stop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic in it has been printed; there is nothing left to report to.
            let _ = thread.join();
        }
    }
}

/// Writes the events after `last`; returns the number of the last one.
fn drain(log: &ErrorLog, ring: &EventRing, last: u64, ending: bool) -> u64 {
    let (lost, events) = ring.drain(last, ending);
    // Both clocks are read once, so that entries keep their order.
    let (now, moment) = (SystemTime::now(), Moment::now());
    let when = |at: Moment| now - Duration::from_nanos(moment.since(at));
    if lost > 0 {
        let text =
            format!("{lost} event(s) were lost: more happened at once than can be written here.");
        let at = events.first().map_or(now, |first| when(first.at));
        log.write_at(at, Level::Warning, "Server", &text);
    }
    for event in &events {
        write(|level, source, text| log.write_at(when(event.at), level, source, text), event);
    }
    events.last().map_or(last, |newest| newest.number)
}

fn write(entry: impl Fn(Level, &str, &str), recorded: &Recorded) {
    let info = |text: &str| entry(Level::Info, "Server", text);
    let warning = |text: &str| entry(Level::Warning, "Server", text);
    let error = |text: &str| entry(Level::Error, "Server", text);
    let numbered = |e: &SqlError| {
        error(&format!("Error: {}, Severity: {}, State: {}.", e.number, e.severity, e.state));
        error(&e.message);
    };
    match &recorded.event {
        Event::IoError { database, text } => {
            error(text);
            numbered(&SqlError::new(9001, &[&database.name]));
        }
        Event::RecoveryMessage { text, .. } => info(text),
        Event::Backup { text, failed: true, .. } => entry(Level::Error, "Backup", text),
        Event::Backup { text, .. } => entry(Level::Info, "Backup", text),
        Event::Check { text, failed: true, .. } => error(text),
        Event::Check { text, .. } => info(text),
        Event::Raised { session, number, severity, state, text } => {
            let level = if *severity > 10 { Level::Error } else { Level::Info };
            let source = format!("spid{session}");
            let head = format!("Error: {number}, Severity: {severity}, State: {state}.");
            entry(level, &source, &head);
            entry(level, &source, text);
        }
        Event::BackgroundError { database, text } => {
            error(&format!("Database '{}': {text}", database.name));
        }
        Event::LogGrowth { database, name: file, from, to, vlfs, automatic, ns, .. } => {
            let (database, ms) = (&database.name, ns / 1_000_000);
            if *automatic && *ns > SLOW_GROWTH_NS {
                warning(&SqlError::new(5145, &[file, database, &ms]).message);
            } else {
                info(&format!(
                    "Log file '{file}' of database '{database}' grew from {from} to {to} bytes ({vlfs} VLFs) in {ms} ms."
                ));
            }
        }
        Event::LogGrowthCancelled { database, name: file, ns, .. } => {
            let ms = ns / 1_000_000;
            warning(&SqlError::new(5144, &[file, &database.name, &ms]).message);
        }
        Event::LogFull { database, reason, state, holdup, refused, times } => {
            if let Some((path, why)) = refused {
                numbered(&SqlError::new(17053, &[&path.display(), why]));
            }
            let e = SqlError::new(9002, &[&database.name, reason, &holdup.in_message()]);
            let mut e = e.with_state(*state);
            if *times > 1 {
                e.message.push_str(&format!(
                    " (This was raised {times} times since the last such entry.)"
                ));
            }
            numbered(&e);
        }
        Event::DataGrowth { database, name: file, from, to, automatic, ns, .. } => {
            let (database, ms) = (&database.name, ns / 1_000_000);
            if *automatic && *ns > SLOW_GROWTH_NS {
                warning(&SqlError::new(5145, &[file, database, &ms]).message);
            } else {
                info(&format!(
                    "Data file '{file}' of database '{database}' grew from {from} to {to} bytes in {ms} ms."
                ));
            }
        }
        Event::Deadlock { victim, others } => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            info(&format!(
                "Deadlock: session {victim} was the victim, with {}.",
                others.join(", ")
            ));
        }
        Event::Shrink { .. }
        | Event::LogTruncation { .. }
        | Event::Checkpoint { .. }
        | Event::LockEscalation { .. }
        | Event::Recovery { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_base::{DatabaseId, FileId, Lsn};
    use taffrail_observe::Whose;

    fn grown(automatic: bool, ns: u64) -> Event {
        Event::LogGrowth {
            database: Whose::new(DatabaseId(7), "sales"),
            file: FileId(2),
            name: "sales_log".into(),
            from: 8,
            to: 16,
            vlfs: 1,
            zeroed: true,
            automatic,
            session: 51,
            ns,
        }
    }

    fn full(times: u32) -> Event {
        let database = Whose::new(DatabaseId(7), "sales");
        let refused = Some(("/d/l.ldf".into(), "No space left on device (os error 28)".into()));
        Event::LogFull {
            database,
            reason: "LOG_BACKUP",
            state: 2,
            holdup: Lsn::ZERO,
            refused,
            times,
        }
    }

    fn written(event: Event) -> Vec<String> {
        let lines = std::cell::RefCell::new(Vec::new());
        let recorded = Recorded { number: 1, at: Moment::now(), event };
        write(|_, _, text| lines.borrow_mut().push(text.to_owned()), &recorded);
        lines.into_inner()
    }

    #[test]
    fn only_a_slow_growth_that_nobody_ordered_is_message_5145() {
        let autogrow =
            |automatic, ns| written(grown(automatic, ns))[0].starts_with("Autogrow of file");
        assert!(autogrow(true, SLOW_GROWTH_NS + 1));
        assert!(!autogrow(true, SLOW_GROWTH_NS));
        assert!(!autogrow(false, 60 * SLOW_GROWTH_NS));
        let line = &written(grown(false, 2_000_000_000))[0];
        assert!(
            line.contains("'sales_log' of database 'sales'") && line.contains("2000 ms"),
            "{line}"
        );
    }

    #[test]
    fn what_is_raised_with_log_is_two_lines_of_its_session() {
        let event = Event::Raised {
            session: taffrail_base::SessionId(53),
            number: 50_000,
            severity: 16,
            state: 3,
            text: "out of paper".into(),
        };
        let lines = std::cell::RefCell::new(Vec::new());
        let recorded = Recorded { number: 1, at: Moment::now(), event };
        write(
            |level, source, text| lines.borrow_mut().push(format!("{level:?} {source} {text}")),
            &recorded,
        );
        let lines = lines.into_inner();
        assert_eq!(
            lines,
            ["Error spid53 Error: 50000, Severity: 16, State: 3.", "Error spid53 out of paper"]
        );
    }

    #[test]
    fn a_full_log_is_the_systems_word_and_9002_and_how_often() {
        let lines = written(full(1));
        assert_eq!(
            lines[..3],
            [
                "Error: 17053, Severity: 16, State: 1.",
                "/d/l.ldf: Operating system error No space left on device (os error 28) encountered.",
                "Error: 9002, Severity: 17, State: 2.",
            ]
        );
        assert!(
            lines[3].starts_with(
                "The transaction log for database 'sales' is full due to 'LOG_BACKUP'"
            )
        );
        assert!(!lines[3].contains("times"), "{}", lines[3]);
        assert!(written(full(37))[3].contains("raised 37 times"));
    }

    #[test]
    fn entries_have_the_time_of_what_happened_and_say_what_was_lost() {
        let dir = std::env::temp_dir().join(format!("taffrail-reporting-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let log = ErrorLog::open(&dir).unwrap();
        let ring = EventRing::new(4);
        for _ in 0..6 {
            ring.push(grown(true, 5));
        }
        // However late it is written: the entry has this time.
        let happened = SystemTime::now();
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(drain(&log, &ring, 1, false), 6);
        assert_eq!(drain(&log, &ring, 6, false), 6, "nothing twice");
        let text = std::fs::read_to_string(dir.join("errorlog")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert!(lines[0].contains("1 event(s) were lost"), "{text}");
        let latest = crate::clock::Stamp::of(happened + Duration::from_millis(20)).errorlog();
        assert!(lines.iter().all(|l| l[..22] <= latest[..]), "{latest}\n{text}");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
