//! Sessions of extended events: their definitions in master, what runs of them, and the views that show both. What runs is in
//! [`taffrail_observe::xe`].
//!
//! | module | what |
//! |---|---|
//! | [`definition`] | a session as it is stored |
//! | [`statement`] | CREATE, ALTER, DROP EVENT SESSION |
//! | [`resolve`], [`known`] | names to what runs; names that SQL Server has and this server does not |
//! | [`surroundings`] | what is around an event |
//! | [`deadlock`], [`blocked`] | the reports of deadlocks and of who waits for long |
//! | [`observer`] | what the engine tells |
//! | [`tell`], [`manager`] | what sessions tell of; requests of the transaction manager |
//! | [`diagnostics`], [`server_diagnostics`] | how the server is, for an event and for sp_server_diagnostics |
//! | [`blocks`] | files of blocks, rolled at a size |
//! | [`file`], [`file_view`] | the target event_file, sys.fn_xe_file_target_read_file |
//! | [`trace`] | the default trace |
//! | [`xml`] | events and targets as XML |
//! | [`catalog_views`], [`views`], [`predicate_xml`] | sys.server_event_session…, sys.dm_xe_… |

mod blocked;
mod blocks;
mod call;
mod catalog_views;
pub(crate) mod deadlock;
pub(crate) mod definition;
mod diagnostics;
mod file;
mod file_view;
mod known;
mod manager;
mod observer;
mod predicate_xml;
pub mod raw;
mod resolve;
mod server_diagnostics;
mod statement;
pub(crate) mod surroundings;
mod tell;
pub(crate) mod trace;
mod views;
pub(crate) mod xml;

use crate::features::Feature;
use crate::instance::Instance;
use definition::Definition;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use surroundings::Around;
use taffrail_base::{DatabaseId, SqlResult};
use taffrail_observe::xe::{self, Running, Target, Wanted};
use taffrail_observe::{Command, Event, EventRing, Moment, Whose, listen};

/// The tables of the feature `events`.
pub(crate) static FEATURE: Feature = Feature {
    statements: statement::STATEMENTS,
    procedures: server_diagnostics::PROCEDURES,
    state: Some(|of| {
        let around = Around::new(of.sessions.clone(), &of.options.server_name);
        Box::new(EventSessions::new(around))
    }),
    start: Some(begin_events),
    configured: Some(events_configured),
    stop: Some(end_events),
    opened: Some(|i, d| event_sessions(i).around.note_database(d.id.0, &d.name)),
    observer: Some(&observer::Told),
    server_observer: Some(&observer::Told),
    views: &[catalog_views::declare, file_view::declare, trace::declare, views::declare],
    ..Feature::NOTHING
};

/// `event_session_id` of system_health.
const SYSTEM_HEALTH: i32 = 65_536;

/// What a new server has: the errors that nobody may miss, and deadlocks.
const SYSTEM_HEALTH_TEXT: &str = "CREATE EVENT SESSION [system_health] ON SERVER \
    ADD EVENT sqlserver.error_reported(ACTION(sqlserver.database_id,sqlserver.session_id,sqlserver.sql_text) \
    WHERE severity>=20 OR error_number=17803 OR error_number=701 OR error_number=802 OR error_number=8645 OR \
    error_number=8651 OR error_number=8657 OR error_number=8902), \
    ADD EVENT sqlserver.xml_deadlock_report, \
    ADD EVENT sqlserver.connectivity_ring_buffer_recorded, \
    ADD EVENT sqlserver.security_error_ring_buffer_recorded, \
    ADD EVENT sqlos.scheduler_monitor_system_health_ring_buffer_recorded, \
    ADD EVENT sqlserver.sp_server_diagnostics_component_result(SET collect_data=1 \
    WHERE sqlserver.is_system=1 AND component<>4), \
    ADD EVENT sqlos.wait_info(ACTION(sqlserver.session_id,sqlserver.sql_text) WHERE duration>15000 AND \
    (wait_type='WRITELOG' OR wait_type='LOGBUFFER' OR wait_type='IO_COMPLETION' OR wait_type='RESOURCE_SEMAPHORE')) \
    ADD TARGET package0.event_file(SET filename=N'system_health.xel',max_file_size=5,max_rollover_files=4), \
    ADD TARGET package0.ring_buffer(SET max_events_limit=5000,max_memory=4096) \
    WITH (MAX_DISPATCH_LATENCY=120 SECONDS,STARTUP_STATE=ON)";

/// The sessions of events of an instance.
pub(crate) struct EventSessions {
    /// As they are stored, by id.
    pub definitions: Mutex<Vec<Definition>>,
    /// What is around events.
    pub around: Arc<Around>,
    /// The default trace.
    pub trace: trace::Trace,
    /// The files that running sessions write, by the sessions' ids.
    files: Mutex<BTreeMap<i32, Arc<Mutex<file::Writer>>>>,
    /// Those of sessions that began with the server: made when there is something to write, or somebody reads.
    later: Mutex<BTreeMap<i32, resolve::FileParameters>>,
    /// A thread writes them.
    dispatched: AtomicBool,
    /// What runs is this one's.
    owner: usize,
}

impl EventSessions {
    pub fn new(around: Around) -> EventSessions {
        static OWNERS: AtomicUsize = AtomicUsize::new(1);
        let owner = OWNERS.fetch_add(1, Ordering::Relaxed);
        EventSessions {
            definitions: Mutex::default(),
            around: Arc::new(around),
            trace: Default::default(),
            files: Mutex::default(),
            later: Mutex::default(),
            dispatched: AtomicBool::new(false),
            owner,
        }
    }

    /// The session of an id, if it runs.
    pub fn running(&self, id: i32) -> Option<Arc<Running>> {
        self.all_running().into_iter().find(|s| s.id == id)
    }

    /// The file that a session writes.
    fn file(&self, id: i32) -> Option<Arc<Mutex<file::Writer>>> {
        self.files.lock().get(&id).cloned()
    }

    /// All that run, by id.
    pub(crate) fn all_running(&self) -> Vec<Arc<Running>> {
        let mut all = xe::running(self.owner);
        all.sort_by_key(|s| s.id);
        all
    }
}

impl Drop for EventSessions {
    fn drop(&mut self) {
        xe::stop_all(self.owner);
        listen::end(self.owner);
    }
}

/// What a session goes on with when it is altered: its old self, what it wants now, and its targets.
type Goes = (Arc<Running>, Vec<Wanted>, Vec<Arc<Target>>);

/// The sessions of extended events of this instance.
pub(crate) fn event_sessions(instance: &Instance) -> &EventSessions {
    instance.state()
}

/// Reads the definitions, makes those of a new server, starts what is to be started.
fn begin_events(instance: &Arc<Instance>) -> SqlResult<()> {
    let watcher = deadlock::Watcher(Arc::downgrade(instance));
    instance.storage().locks.watch_deadlocks(Arc::new(watcher));
    note_databases(instance);
    let master = instance.databases().master()?.storage.clone();
    let all = match definition::load(&master)? {
        Some(all) => all,
        None => {
            let health = Definition::parse(SYSTEM_HEALTH, SYSTEM_HEALTH_TEXT)?;
            definition::put(&master, health.id, &health.to_string())?;
            definition::put(&master, 0, "")?;
            vec![health]
        }
    };
    events_configured(instance);
    instance.checkpoints_configured();
    trace::server_starts(instance);
    let mut definitions = event_sessions(instance).definitions.lock();
    *definitions = all;
    for d in definitions.iter().filter(|d| d.options.startup) {
        // A session that cannot run any more stays stopped, and the server starts.
        if let Err(e) = start_events(instance, d, None, true) {
            let text = format!("Event session '{}' failed to start: {}", d.name, e.message);
            let database = Whose::new(DatabaseId(1), "master");
            EventRing::global().push(Event::BackgroundError { database, text });
        }
    }
    Ok(())
}

/// Copies the names of the databases for events.
pub(crate) fn note_databases(instance: &Instance) {
    for slot in instance.databases().list() {
        event_sessions(instance).around.note_database(slot.entry.id.0, &slot.entry.name);
        if let Some(database) = slot.database {
            let files = database.storage.file_sizes().into_iter();
            crate::traced::note_owners(files.map(|f| (f.path, database.id.0, f.id.0)));
        }
    }
}

/// Starts a session, or what it has become after an ALTER.
fn start_events(
    instance: &Arc<Instance>,
    d: &Definition,
    goes: Option<Goes>,
    with_server: bool,
) -> SqlResult<()> {
    note_databases(instance);
    let (old, events, targets) = match goes {
        Some((old, events, targets)) => (Some(old), events, targets),
        None => {
            let (events, targets) = resolve::session(&d.events, &d.targets, &d.options)?;
            (None, events, targets)
        }
    };
    let events_of = event_sessions(instance);
    open_file(instance, d, with_server)?;
    let utc = instance.options().env.clock.now_utc().0;
    let around = events_of.around.clone();
    let whose = (d.id, d.name.clone(), events_of.owner);
    let mut new = Running::new(whose, events, targets, utc, around);
    if let Some(old) = &old {
        new.started = old.started;
        xe::stop(old);
    }
    let (new, begins) = (Arc::new(new), old.is_none());
    xe::start(new.clone());
    if d.options.duration_s > 0 {
        dispatch_events(instance);
    }
    if begins {
        tell::existing_connections(instance, &new);
    }
    Ok(())
}

/// Stops a session; false if it does not run.
fn stop_events(instance: &Instance, id: i32) -> bool {
    let Some(running) = event_sessions(instance).running(id) else { return false };
    xe::stop(&running);
    flush_file(instance, &running);
    event_sessions(instance).files.lock().remove(&id);
    event_sessions(instance).later.lock().remove(&id);
    true
}

/// Stops the sessions that have run as long as they may.
fn end_timed_events(instance: &Instance) {
    // Held, so that no statement starts one of them meanwhile.
    let all = event_sessions(instance).definitions.lock();
    for d in all.iter().filter(|d| d.options.duration_s > 0) {
        let Some(running) = event_sessions(instance).running(d.id) else { continue };
        let ns = Moment::now().since(running.started.0);
        if ns / 1_000_000_000 >= d.options.duration_s as u64 {
            stop_events(instance, d.id);
        }
    }
}

/// A session's file, if it has one now, is opened; one that it has no more is closed.
fn open_file(instance: &Arc<Instance>, d: &Definition, later: bool) -> SqlResult<()> {
    let events = event_sessions(instance);
    let files = d.targets.iter().map(resolve::file_parameters);
    let wanted = files.collect::<SqlResult<Vec<_>>>()?.into_iter().flatten().next();
    events.later.lock().remove(&d.id);
    let there = events.file(d.id).is_some();
    match wanted {
        Some(_) if there => {}
        Some(parameters) if later => {
            events.later.lock().insert(d.id, parameters);
            dispatch_events(instance);
        }
        Some(parameters) => {
            let writer = file::Writer::open(instance, parameters)?;
            events.files.lock().insert(d.id, Arc::new(Mutex::new(writer)));
            dispatch_events(instance);
        }
        None if there => {
            if let Some(running) = events.running(d.id) {
                flush_file(instance, &running);
            }
            events.files.lock().remove(&d.id);
        }
        None => {}
    }
    Ok(())
}

/// Writes what a session's file is to have.
pub(crate) fn flush_file(instance: &Instance, running: &Running) {
    if file::is_waiting(running) {
        open_later(instance, running);
    }
    if let Some(writer) = event_sessions(instance).file(running.id) {
        file::flush(instance, running, &mut writer.lock());
    }
}

/// Makes the file of a session that began with the server, if it has none yet.
pub(crate) fn open_later(instance: &Instance, running: &Running) {
    let mut later = event_sessions(instance).later.lock();
    let Some(parameters) = later.remove(&running.id) else { return };
    match file::Writer::open(instance, parameters) {
        Ok(writer) => {
            let writer = Arc::new(Mutex::new(writer));
            event_sessions(instance).files.lock().insert(running.id, writer);
        }
        Err(e) => file::stop(running, 0, &e.message),
    }
}

/// Writes all files, for somebody who reads them.
pub(crate) fn flush_files(instance: &Instance) {
    for s in event_sessions(instance).all_running() {
        open_later(instance, &s);
        flush_file(instance, &s);
    }
}

/// A session has fired events for which there is no room, and which must not be lost: it writes them itself.
#[cold]
pub(crate) fn make_room_for_events(instance: &Instance) {
    xe::targets::emptied();
    let all = event_sessions(instance).all_running();
    all.iter().filter(|s| file::is_half_full(s)).for_each(|s| flush_file(instance, s));
}

/// The server stops: nothing more is told, and what has happened is written.
fn end_events(instance: &Instance) {
    trace::end_trace(instance);
    let all = event_sessions(instance).all_running();
    xe::stop_all(event_sessions(instance).owner);
    all.iter().for_each(|s| flush_file(instance, s));
}

/// The configuration has changed: whether somebody is to be told of long waits.
pub(crate) fn events_configured(instance: &Arc<Instance>) {
    if blocked::threshold(instance) > 0 {
        dispatch_events(instance);
    }
    trace::trace_configured(instance);
}

/// Starts the thread that writes files and looks for long waits, if there is none.
fn dispatch_events(instance: &Arc<Instance>) {
    if event_sessions(instance).dispatched.swap(true, Ordering::AcqRel) {
        return;
    }
    let (mut written, mut monitor) = (BTreeMap::new(), blocked::Monitor::default());
    let mut looked = instance.options().env.clock.monotonic();
    let started = instance.run_ticks("event dispatcher", Command::XeDispatcher, move |instance| {
        monitor.look(instance);
        trace::tick_trace(instance);
        let now = instance.options().env.clock.monotonic();
        instance.rings().tick(now, instance.databases().memory_mb());
        instance.storage().pool.counters.tick(now, instance.storage().pool.used_pages());
        let now = instance.options().env.clock.monotonic();
        end_timed_events(instance);
        if now.saturating_sub(looked) >= diagnostics::EVERY {
            looked = now;
            if xe::wanted(xe::Event::SpServerDiagnosticsComponentResult) {
                diagnostics::tell(&diagnostics::look(instance));
            }
        }
        let latencies: BTreeMap<i32, i64> = {
            let all = event_sessions(instance).definitions.lock();
            all.iter().map(|d| (d.id, d.options.latency_ms)).collect()
        };
        for s in event_sessions(instance).all_running() {
            let latency = latencies.get(&s.id).copied().unwrap_or(0);
            let last = *written.entry(s.id).or_insert(now);
            let late = latency > 0 && (now - last).as_millis() as i64 >= latency;
            if late || file::is_half_full(&s) {
                flush_file(instance, &s);
                written.insert(s.id, now);
            }
        }
    });
    if started.is_err() {
        // Tried again with the next session.
        event_sessions(instance).dispatched.store(false, Ordering::Release);
    }
}
