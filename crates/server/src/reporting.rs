//! What the engine has to say to the error log: recovery at start, and afterwards what is rare (growths, deadlocks,
//! failed I/O), read from the event ring by a thread of its own so that nobody waits for a file while it happens.

use crate::errorlog::{ErrorLog, Level};
use parking_lot::{Condvar, Mutex};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;
use taffrail_base::{DatabaseId, SqlError};
use taffrail_engine::Instance;
use taffrail_engine::catalog::registry::Slot;
use taffrail_observe::{Event, EventRing, Recorded};

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
            Err(reason) => {
                log.write(Level::Error, "Server", reason);
                log.write(Level::Error, "Server", &SqlError::new(3414, &[name, &id, &0]).message);
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
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Reporter {
    /// Starts it, before the instance is there: recovery has something to say. It holds the instance until it is stopped.
    pub(crate) fn start(
        log: Arc<ErrorLog>,
        instance: Arc<OnceLock<Arc<Instance>>>,
    ) -> std::io::Result<Reporter> {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let stopped = stop.clone();
        let thread = std::thread::Builder::new().name("error log".into()).spawn(move || {
            let mut last = 0;
            let mut complete = false;
            loop {
                let ending = {
                    let mut stop = stopped.0.lock();
                    if !*stop {
                        stopped.1.wait_for(&mut stop, PERIOD);
                    }
                    *stop
                };
                for event in EventRing::global().read_after(last) {
                    last = event.number;
                    write(&log, instance.get().map(|i| &**i), &event);
                }
                if let Some(instance) = instance.get().filter(|_| !complete) {
                    complete = recovery_is_complete(&log, instance);
                }
                if ending {
                    return;
                }
            }
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
        let _stop = self.stop.0.lock();
        self.stop.1.notify_all();
    }

    /// Writes what is left and ends the thread.
    pub(crate) fn stop(&mut self) {
        *self.stop.0.lock() = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic in it has been printed; there is nothing left to report to.
            let _ = thread.join();
        }
    }
}

fn write(log: &ErrorLog, instance: Option<&Instance>, recorded: &Recorded) {
    let name = |id: DatabaseId| {
        let open = instance.map(|i| i.databases().list()).unwrap_or_default();
        open.iter()
            .find(|s| s.entry.id == id)
            .map_or_else(|| id.to_string(), |s| s.entry.name.clone())
    };
    match &recorded.event {
        Event::IoError { database, text } => {
            log.write(Level::Error, "Server", text);
            log.write(Level::Error, "Server", &SqlError::new(9001, &[&name(*database)]).message);
        }
        Event::RecoveryMessage { text, .. } => log.info("Server", text),
        Event::Backup { text, failed: true, .. } => log.write(Level::Error, "Backup", text),
        Event::Backup { text, .. } => log.info("Backup", text),
        Event::BackgroundError { database, text } => {
            let text = format!("Database '{}': {text}", name(*database));
            log.write(Level::Error, "Server", &text);
        }
        Event::LogGrowth { database, name: file, from, to, vlfs, ns, .. } => {
            let (database, ms) = (name(*database), ns / 1_000_000);
            if *ns > SLOW_GROWTH_NS {
                let text = SqlError::new(5145, &[file, &database, &ms]).message;
                log.write(Level::Warning, "Server", &text);
            } else {
                let text = format!(
                    "Log file '{file}' of database '{database}' grew from {from} to {to} bytes ({vlfs} VLFs) in {ms} ms."
                );
                log.info("Server", &text);
            }
        }
        Event::LogGrowthCancelled { database, name: file, ns, .. } => {
            let text = SqlError::new(5144, &[file, &name(*database), &(ns / 1_000_000)]).message;
            log.write(Level::Warning, "Server", &text);
        }
        Event::LogFull { database, reason, holdup, refused } => {
            if let Some((path, why)) = refused {
                let text = SqlError::new(17053, &[&path.display(), why]).message;
                log.write(Level::Error, "Server", &text);
            }
            let text = SqlError::new(9002, &[&name(*database), reason, holdup]).message;
            log.write(Level::Error, "Server", &text);
        }
        Event::DataGrowth { database, file, from, to, ns } => {
            let (database, ms) = (name(*database), ns / 1_000_000);
            if *ns > SLOW_GROWTH_NS {
                let text = SqlError::new(5145, &[file, &database, &ms]).message;
                log.write(Level::Warning, "Server", &text);
            } else {
                let text = format!(
                    "File {file} of database '{database}' grew from {from} to {to} bytes in {ms} ms."
                );
                log.info("Server", &text);
            }
        }
        Event::Deadlock { victim, others } => {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            let text =
                format!("Deadlock: session {victim} was the victim, with {}.", others.join(", "));
            log.info("Server", &text);
        }
        Event::Shrink { .. }
        | Event::LogTruncation { .. }
        | Event::Checkpoint { .. }
        | Event::LockEscalation { .. }
        | Event::Recovery { .. } => {}
    }
}
