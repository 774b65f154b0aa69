//! What the engine has to say to the error log: recovery at start, and afterwards what is rare (growths, deadlocks,
//! failed I/O), as entries made of the events of the ring. A thread of its own sees to it that they are written, so that nobody
//! waits for a file while it happens: once a second, sooner when the ring fills.

use crate::errorlog::{ErrorLog, Level};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;
use taffrail_base::{SessionId, SqlError};
use taffrail_engine::DatabaseSlot;
use taffrail_engine::Instance;
use taffrail_observe::{Event, EventRing, Moment};

/// How long an event may wait to be written.
const PERIOD: Duration = Duration::from_secs(1);
/// A growth that took longer gets message 5145 besides.
const SLOW_GROWTH_NS: u64 = 1_000_000_000;

/// Writes what recovery did to each database, as far as that is known and has not been written yet.
pub(crate) fn recovery(log: &ErrorLog, instance: &Instance) {
    for report in instance.take_start_reports() {
        let (id, name) = (report.id, &report.name);
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

/// True when no database has anything left to be redone or undone, which the error log then hears.
fn recovery_is_complete(log: &ErrorLog, instance: &Instance) -> bool {
    let undoing =
        |slot: &DatabaseSlot| slot.database.as_ref().is_some_and(|d| d.storage.is_undoing());
    let databases = instance.databases();
    let complete = !databases.is_recovering() && !databases.list().iter().any(undoing);
    recovery(log, instance);
    if complete {
        log.info("Server", &SqlError::new(3408, &[]).message);
    }
    complete
}

/// The thread that writes reports.
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
        let thread = std::thread::Builder::new().name("error log".into()).spawn(move || {
            let ring = EventRing::global();
            ring.wake(std::thread::current());
            let mut complete = false;
            loop {
                if !stopped.load(Ordering::Acquire) {
                    std::thread::park_timeout(PERIOD);
                }
                let ending = stopped.load(Ordering::Acquire);
                log.catch_up(ending);
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

/// A line that is written of an event.
pub(crate) struct Entry {
    pub level: Level,
    pub source: String,
    pub text: String,
}

/// Sessions of users begin here; those below are the server's own threads.
const FIRST_USER: u16 = 51;

/// The source of what a session has to say.
pub(crate) fn spid(session: SessionId) -> String {
    format!("spid{session}")
}

/// An error as SQL Server's error log has it: its numbers, its text.
pub(crate) fn numbered(source: &str, e: &SqlError) -> [Entry; 2] {
    let level = if e.severity > 10 { Level::Error } else { Level::Info };
    let head = format!("Error: {}, Severity: {}, State: {}.", e.number, e.severity, e.state);
    [head, e.message.clone()].map(|text| Entry { level, source: source.into(), text })
}

/// Lines that are written of an event; `when` is the wall clock's time of a moment.
pub(crate) fn entries(event: &Event, when: &dyn Fn(Moment) -> String) -> Vec<Entry> {
    let one =
        |level, source: &str, text: String| vec![Entry { level, source: source.into(), text }];
    let info = |text: String| one(Level::Info, "Server", text);
    let error = |text: String| one(Level::Error, "Server", text);
    match event {
        Event::IoError { database, session, text } => {
            let mut all = error(text.clone());
            // A user's session says itself that it ends, and of what.
            if *session < FIRST_USER {
                all.extend(numbered("Server", &SqlError::new(9001, &[&database.name])));
            }
            all
        }
        Event::RecoveryMessage { text, .. } | Event::CheckpointMessage { text, .. } => {
            info(text.clone())
        }
        Event::Backup { text, failed, .. } => {
            one(if *failed { Level::Error } else { Level::Info }, "Backup", text.clone())
        }
        Event::Check { text, failed: true, .. } => error(text.clone()),
        Event::Check { text, .. } => info(text.clone()),
        Event::Raised { session, number, severity, state, text } => {
            let e = SqlError::of_text(*number, *severity, text.clone()).with_state(*state);
            // A thread of the server's own, without a session.
            let source = if session.0 == 0 { "Server".to_owned() } else { spid(*session) };
            numbered(&source, &e).into()
        }
        Event::SessionKilled { session, by, host, process } => {
            let e = SqlError::new(18100, &[session, host, process]);
            one(Level::Info, &spid(*by), e.message)
        }
        Event::BackgroundError { database, text } => {
            error(format!("Database '{}': {text}", database.name))
        }
        Event::LogGrowth { database, name, from, to, vlfs, automatic, ns, .. } => {
            let what = format!("grew from {from} to {to} bytes ({vlfs} VLFs)");
            growth("Log", name, &database.name, &what, *automatic, *ns)
        }
        Event::DataGrowth { database, name, from, to, automatic, ns, .. } => {
            let what = format!("grew from {from} to {to} bytes");
            growth("Data", name, &database.name, &what, *automatic, *ns)
        }
        Event::LogGrowthCancelled { database, name: file, ns, .. } => {
            let ms = ns / 1_000_000;
            let e = SqlError::new(5144, &[file, &database.name, &ms]);
            one(Level::Warning, "Server", e.message)
        }
        Event::LogFull { database, reason, state, holdup, refused } => {
            let mut all = Vec::new();
            if let Some((path, why)) = refused {
                all.extend(numbered("Server", &SqlError::new(17053, &[&path.display(), why])));
            }
            let e = SqlError::new(9002, &[&database.name, reason, &holdup.in_message()]);
            all.extend(numbered("Server", &e.with_state(*state)));
            all
        }
        Event::LogFullAgain { database, reason, holdup, refused, times, first, last } => {
            let (numbers, was) = match refused {
                true => ("Errors 17053 and 9002", "were"),
                false => ("Error 9002", "was"),
            };
            error(format!(
                "{numbers} of database '{}' ('{reason}', holdup lsn {}) {was} raised {times} {} more between {} and {}.",
                database.name,
                holdup.in_message(),
                if *times == 1 { "time" } else { "times" },
                when(*first),
                when(*last)
            ))
        }
        Event::DataFull { number, severity, state, text, refused, .. } => {
            let mut all = Vec::new();
            if let Some((path, why)) = refused {
                all.extend(numbered("Server", &SqlError::new(17053, &[&path.display(), why])));
            }
            let e = SqlError::of_text(*number, *severity, text.clone()).with_state(*state);
            all.extend(numbered("Server", &e));
            all
        }
        Event::DataFullAgain { database, refused, times, first, last } => {
            let (numbers, was) = match refused {
                true => ("Errors 17053 and 1105", "were"),
                false => ("Error 1105", "was"),
            };
            error(format!(
                "{numbers} of database '{}' {was} raised {times} {} more between {} and {}.",
                database.name,
                if *times == 1 { "time" } else { "times" },
                when(*first),
                when(*last)
            ))
        }
        Event::Deadlock { victim, others } => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            info(format!("Deadlock: session {victim} was the victim, with {}.", others.join(", ")))
        }
        Event::DeadlockReport { lines } => lines.iter().flat_map(|l| info(l.clone())).collect(),
        Event::Shrink { .. }
        | Event::LogTruncation { .. }
        | Event::Checkpoint { .. }
        | Event::LockEscalation { .. }
        | Event::Recovery { .. } => Vec::new(),
    }
}

/// A file has grown; 5145 when that was slow and nobody had ordered it.
fn growth(
    kind: &str,
    file: &str,
    database: &str,
    what: &str,
    automatic: bool,
    ns: u64,
) -> Vec<Entry> {
    let ms = ns / 1_000_000;
    let text = format!("{kind} file '{file}' of database '{database}' {what} in {ms} ms.");
    let source = || "Server".to_owned();
    let mut all = vec![Entry { level: Level::Info, source: source(), text }];
    if automatic && ns > SLOW_GROWTH_NS {
        let text = SqlError::new(5145, &[&file, &database, &ms]).message;
        all.push(Entry { level: Level::Warning, source: source(), text });
    }
    all
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

    fn written(event: Event) -> Vec<String> {
        let show = |e: Entry| format!("{:?} {} {}", e.level, e.source, e.text);
        entries(&event, &|_| String::new()).into_iter().map(show).collect()
    }

    #[test]
    fn a_slow_growth_that_nobody_ordered_has_message_5145_besides() {
        let slow = |automatic, ns| {
            let lines = written(grown(automatic, ns));
            assert!(lines[0].starts_with(
                "Info Server Log file 'sales_log' of database 'sales' grew from 8 to 16 bytes (1 VLFs) in "
            ));
            let autogrow = "Warning Server Autogrow of file 'sales_log' in database 'sales' took ";
            assert!(lines[1..].iter().all(|l| l.starts_with(autogrow)), "{lines:?}");
            lines.len() - 1
        };
        assert_eq!(slow(true, SLOW_GROWTH_NS + 1), 1);
        assert_eq!(slow(true, SLOW_GROWTH_NS), 0);
        assert_eq!(slow(false, 60 * SLOW_GROWTH_NS), 0);
    }

    #[test]
    fn what_sessions_do_is_theirs() {
        let session = SessionId(53);
        let text = "out of paper".into();
        let (number, severity, state) = (50_000, 16, 3);
        assert_eq!(
            written(Event::Raised { session, number, severity, state, text }),
            ["Error spid53 Error: 50000, Severity: 16, State: 3.", "Error spid53 out of paper"]
        );
        let (by, host) = (SessionId(51), "desk".into());
        assert_eq!(
            written(Event::SessionKilled { session, by, host, process: 4100 }),
            ["Info spid51 Process ID 53 was killed by hostname desk, host process ID 4100."]
        );
    }

    #[test]
    fn a_failed_write_is_9001_once() {
        let failed = |session| {
            let database = Whose::new(DatabaseId(7), "sales");
            written(Event::IoError { database, session, text: "write_durable: no".into() })
        };
        assert_eq!(failed(52), ["Error Server write_durable: no"], "the session says the rest");
        for session in [0, 9] {
            let lines = failed(session);
            assert_eq!(lines[1], "Error Server Error: 9001, Severity: 21, State: 1.");
            assert_eq!(lines.len(), 3);
        }
    }

    #[test]
    fn a_full_data_file_is_the_systems_word_and_1105() {
        let database = Whose::new(DatabaseId(7), "sales");
        let why = "112(There is not enough space on the disk.)".to_owned();
        let full = |refused| Event::DataFull {
            database: database.clone(),
            number: 1105,
            severity: 17,
            state: 2,
            text: "Could not allocate space".into(),
            refused,
        };
        let lines = written(full(Some(("/d/d.mdf".into(), why.clone()))));
        assert_eq!(
            lines,
            [
                "Error Server Error: 17053, Severity: 16, State: 1.",
                &format!("Error Server /d/d.mdf: Operating system error {why} encountered."),
                "Error Server Error: 1105, Severity: 17, State: 2.",
                "Error Server Could not allocate space",
            ]
        );
        assert_eq!(written(full(None)).len(), 2);
    }

    #[test]
    fn a_full_log_is_the_systems_word_and_9002() {
        let database = Whose::new(DatabaseId(7), "sales");
        let refused = Some(("/d/l.ldf".into(), "No space left on device (os error 28)".into()));
        let (reason, holdup) = ("LOG_BACKUP", Lsn::ZERO);
        let lines = written(Event::LogFull { database, reason, state: 2, holdup, refused });
        assert_eq!(
            lines[..3],
            [
                "Error Server Error: 17053, Severity: 16, State: 1.",
                "Error Server /d/l.ldf: Operating system error No space left on device (os error 28) encountered.",
                "Error Server Error: 9002, Severity: 17, State: 2.",
            ]
        );
        assert!(lines[3].starts_with(
            "Error Server The transaction log for database 'sales' is full due to 'LOG_BACKUP'"
        ));
    }
}
