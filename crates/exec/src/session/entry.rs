//! The sessions of an instance, as others see them: views, KILL, statements that need a database for themselves.
//!
//! Numbers up to 50 are the instance's own threads (log writers, lazy writer …), from 51 on those of users: scripts tell
//! them apart by that as well as by `is_user_process`. Threads beyond the fiftieth work the same and are not shown.

use crate::exec::module::Module;
use crate::session::ConnectOptions;
use parking_lot::{Mutex, RwLock};
use running::{Level, Running};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use taffrail_base::{DatabaseId, SessionId, SqlError};
use taffrail_observe::{Command, Counter, Gauge, Moment, SessionCell, Status};
use taffrail_types::Value;

mod context;
mod cursors;
mod running;

pub use running::Statements;

/// Counters of an instance: what its sessions do.
#[derive(Default)]
#[allow(missing_docs)]
pub struct InstanceCounters {
    pub logins: Counter,
    pub logouts: Counter,
    pub resets: Counter,
    pub batch_requests: Counter,
    pub compilations: Counter,
    pub recompilations: Counter,
    /// Statements that were planned.
    pub optimizations: Counter,
    pub attentions: Counter,
    /// Temporary tables and table variables that were made.
    pub temp_tables: Counter,
    /// Errors of severity 11 to 19 that clients heard of.
    pub user_errors: Counter,
    /// Messages below that.
    pub info_errors: Counter,
    /// Errors that ended their connection.
    pub kill_connection_errors: Counter,
    /// Requests by how long they lasted ([`BATCH_BOUNDS_MS`]), and how long together, ns.
    pub batches: [(Counter, Counter); BATCH_BOUNDS_MS.len() + 1],
    /// What `sp_user_counter1` … have set.
    pub user_settable: [Gauge; 10],
    /// Errors 701: no room in memory.
    pub out_of_memory: Counter,
    /// What `sp_monitor` has told last.
    pub last_monitored: Mutex<Option<LastRun>>,
}

/// What `sp_monitor` has told, and when: a datetime, and the time since the start.
#[derive(Debug)]
pub struct LastRun {
    /// When it was told, a datetime.
    pub at: Value,
    /// Milliseconds since the start of the instance.
    pub up_ms: u64,
    /// The figures in the order of its results.
    pub figures: [i64; 10],
}

/// Where the next class of requests begins, ms.
pub const BATCH_BOUNDS_MS: [u64; 16] =
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

impl InstanceCounters {
    /// A request is over.
    pub(crate) fn request_lasted(&self, ns: u64) {
        let class = BATCH_BOUNDS_MS.partition_point(|ms| ms * 1_000_000 <= ns);
        self.batches[class].0.inc();
        self.batches[class].1.add(ns);
    }

    /// A client hears of an error.
    pub fn told(&self, severity: u8) {
        match severity {
            0..=10 => self.info_errors.inc(),
            11..=19 => self.user_errors.inc(),
            _ => self.kill_connection_errors.inc(),
        }
    }
}

/// A text as others may see it.
fn shown(text: &Arc<str>) -> Arc<str> {
    match super::masked::masked(text) {
        std::borrow::Cow::Borrowed(_) => text.clone(),
        std::borrow::Cow::Owned(hidden) => hidden.into(),
    }
}

/// The text came as a batch.
const NO_CALL: u64 = u64::MAX;

/// A session as others see it.
pub struct SessionEntry {
    /// `session_id`.
    pub id: SessionId,
    /// What it does and waits for.
    pub cell: Arc<SessionCell>,
    /// What its client said.
    pub client: ConnectOptions,
    /// datetime.
    pub login_time: Value,
    /// `connection_id`.
    pub connection_id: [u8; 16],
    clock: ThreadClock,
    text: Mutex<Arc<str>>,
    /// [`NO_CALL`]; 0 for a remote call of a text or of a procedure of the server's; a procedure's database and id.
    call: AtomicU64,
    /// What runs: the batch, or the innermost module that it has called.
    levels: Mutex<Running>,
    killed: AtomicBool,
    /// The server stops: what it runs has been cancelled for good.
    stopped: AtomicBool,
    running: AtomicBool,
    /// The database of which it takes a backup; 0: none.
    backs_up: AtomicU16,
    /// Databases that callers wait in for procedures of others, the outermost first.
    callers: Mutex<Vec<DatabaseId>>,
    transaction_name: Mutex<Arc<str>>,
    /// The login in whose context it runs, while that is not its client's.
    impersonated: Mutex<Option<Arc<str>>>,
    /// Pages of tempdb that were allocated and given back before the request.
    tempdb_before: [AtomicU64; 4],
    pub(crate) cancel: Arc<AtomicBool>,
    kill_hook: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    cursors: cursors::SessionCursors,
}

/// The processor time of a session's thread, as the system counts it. The session itself asks once in [`SAMPLED`] of work.
#[derive(Default)]
struct ThreadClock {
    /// The thread's number; 0: not known.
    thread: AtomicU64,
    /// What it had used before the session.
    before: AtomicU64,
    /// What the session had used when it asked last; requests since then have lasted less than [`SAMPLED`] together.
    sampled: AtomicU64,
    /// `elapsed_ns` then.
    sampled_at: AtomicU64,
}

/// ns.
const SAMPLED: u64 = 10_000_000;

/// What a thread has used, ns: the first number of its `schedstat`.
fn used_by(thread: u64) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

impl ThreadClock {
    /// The calling thread is the session's.
    fn adopt(&self) {
        // `PID/task/THREAD`
        let link = std::fs::read_link("/proc/thread-self").ok();
        let name = link.as_ref().and_then(|l| l.file_name()?.to_str()?.parse().ok());
        let Some(thread) = name else { return };
        self.before.store(used_by(thread).unwrap_or(0), Ordering::Relaxed);
        self.thread.store(thread, Ordering::Relaxed);
    }

    fn used(&self) -> u64 {
        let used = match self.thread.load(Ordering::Relaxed) {
            0 => None,
            thread => used_by(thread),
        };
        let sampled = self.sampled.load(Ordering::Relaxed);
        let before = self.before.load(Ordering::Relaxed);
        used.map_or(sampled, |used| used.saturating_sub(before).max(sampled))
    }

    fn request_ended(&self, elapsed_ns: u64) {
        if elapsed_ns.saturating_sub(self.sampled_at.load(Ordering::Relaxed)) >= SAMPLED {
            self.sampled.store(self.used(), Ordering::Relaxed);
            self.sampled_at.store(elapsed_ns, Ordering::Relaxed);
        }
    }
}

/// See [`SessionEntry::waits_in`].
pub(crate) struct CallerWaits(Arc<SessionEntry>);

impl Drop for CallerWaits {
    fn drop(&mut self) {
        self.0.callers.lock().pop();
    }
}

/// See [`SessionEntry::backs_up`].
pub struct BackupInProgress(Arc<SessionEntry>);

impl Drop for BackupInProgress {
    fn drop(&mut self) {
        self.0.backs_up.store(0, Ordering::SeqCst);
    }
}

impl SessionEntry {
    /// False for a thread of the instance.
    pub fn is_user(&self) -> bool {
        self.id.0 >= FIRST
    }

    /// Processor time of the session, ms.
    pub fn cpu_ms(&self) -> u64 {
        self.cpu_ns() / 1_000_000
    }

    /// Processor time of the session, ns.
    pub fn cpu_ns(&self) -> u64 {
        self.clock.used()
    }

    /// Processor time of the request that runs, ms; of a thread of the instance, all.
    pub fn request_cpu_ms(&self) -> u64 {
        let now = self.clock.used();
        if !self.is_user() {
            return now / 1_000_000;
        }
        let began = Moment(self.cell.request_started.load(Ordering::Relaxed));
        let most = Moment::now().since(began);
        now.saturating_sub(self.clock.sampled.load(Ordering::Relaxed)).min(most) / 1_000_000
    }

    /// The text of the running or last batch, passwords hidden.
    pub fn text(&self) -> Arc<str> {
        let text = self.text.lock().clone();
        shown(&text)
    }

    pub(crate) fn set_text(&self, text: Arc<str>) {
        *self.text.lock() = text;
        self.call.store(NO_CALL, Ordering::Relaxed);
    }

    /// The text is of a remote call: what it has to run, or the name of its procedure.
    pub(crate) fn set_call(&self, text: &str) {
        *self.text.lock() = text.into();
        self.call.store(0, Ordering::Relaxed);
    }

    /// The remote call is of this procedure.
    pub(crate) fn set_called(&self, database: u16, procedure: i32) {
        let packed = u64::from(database) << 32 | u64::from(procedure as u32);
        self.call.store(packed, Ordering::Relaxed);
    }

    /// The text as reports show it, and how it came: `Language Event`, `RPC Event`, or `No Event` at all.
    pub fn input(&self) -> (&'static str, Arc<str>) {
        match self.call.load(Ordering::Relaxed) {
            NO_CALL => {
                let text = self.text();
                (if text.is_empty() { "No Event" } else { "Language Event" }, text)
            }
            0 => ("RPC Event", self.text()),
            called => {
                let (database, object) = (called >> 32, called as u32 as i32);
                let text = format!("Proc [Database Id = {database} Object Id = {object}]");
                ("RPC Event", text.into())
            }
        }
    }

    /// From now on this runs, called by nothing.
    pub(crate) fn runs(&self, module: Option<Arc<Module>>) {
        self.levels.lock().begins(module);
    }

    /// What runs calls this.
    pub(crate) fn calls(&self, module: Arc<Module>) {
        let of = |a: &std::sync::atomic::AtomicI32| a.load(Ordering::Relaxed);
        let (start, end) = (of(&self.cell.statement_start), of(&self.cell.statement_end));
        self.levels.lock().calls(module, start, end);
    }

    /// What was called has ended: its caller goes on where it was.
    pub(crate) fn returns(&self) {
        let (start, end) = self.levels.lock().returns();
        self.cell.statement_start.store(start, Ordering::Relaxed);
        self.cell.statement_end.store(end, Ordering::Relaxed);
    }

    /// What runs, or else the text of the last batch; and where its running statement stands: offsets in bytes of UTF-16.
    pub fn running_statement(&self) -> (Statements, i32, i32) {
        self.frames(1).remove(0)
    }

    /// The module that runs, or ran last.
    pub fn module(&self) -> Option<Arc<Module>> {
        self.levels.lock().module()
    }

    /// The running statement and those that have called it, `most` at most, the innermost first.
    pub fn frames(&self, most: usize) -> Vec<(Statements, i32, i32)> {
        let of = |a: &std::sync::atomic::AtomicI32| a.load(Ordering::Relaxed);
        let now = (of(&self.cell.statement_start), of(&self.cell.statement_end));
        let levels = self.levels.lock().levels(now, most);
        let of = |level: &Level| {
            level.place().unwrap_or_else(|| (Statements::of_batch(self.text()), 0, -1))
        };
        levels.iter().map(of).collect()
    }

    /// Whether it uses a database: as its current one or that of a caller, by a part of its open transaction, or by a backup of it
    /// that runs.
    pub fn uses(&self, id: DatabaseId) -> bool {
        self.cell.database_id.load(Ordering::Relaxed) == id.0
            || self.cell.touched_databases().contains(&id.0)
            || id.0 != 0 && self.backs_up.load(Ordering::SeqCst) == id.0
            || self.is_called_from(id)
    }

    /// Whether the procedure that it runs, or one of those that called it, was called from a database.
    pub fn is_called_from(&self, id: DatabaseId) -> bool {
        self.callers.lock().contains(&id)
    }

    /// A caller waits in a database until this is dropped.
    pub(crate) fn waits_in(self: &Arc<Self>, id: DatabaseId) -> CallerWaits {
        self.callers.lock().push(id);
        CallerWaits(self.clone())
    }

    /// It takes a backup of a database until this is dropped.
    pub fn backs_up(self: &Arc<Self>, id: DatabaseId) -> BackupInProgress {
        self.backs_up.store(id.0, Ordering::SeqCst);
        BackupInProgress(self.clone())
    }

    /// The name of its open transaction.
    pub fn transaction_name(&self) -> Arc<str> {
        self.transaction_name.lock().clone()
    }

    pub(crate) fn set_transaction_name(&self, name: &str) {
        let mut shown = self.transaction_name.lock();
        if **shown != *name {
            *shown = name.into();
        }
    }

    /// Whether a request runs.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    pub(crate) fn request_begins(&self) {
        self.running.store(true, Ordering::Release);
        if self.cell.request_started.load(Ordering::Relaxed) == 0 {
            self.clock.adopt();
        }
        self.cell.request_started.store(Moment::now().0, Ordering::Relaxed);
        self.cell.request_begins();
        for (before, now) in self.tempdb_before.iter().zip(self.tempdb_now()) {
            before.store(now, Ordering::Relaxed);
        }
    }

    /// Pages of tempdb so far: of tables and of rows that statements keep, allocated and given back.
    fn tempdb_now(&self) -> [u64; 4] {
        let cell = &self.cell;
        let counters = [&cell.tempdb_allocated, &cell.tempdb_freed];
        let internal = [&cell.internal_allocated, &cell.internal_freed];
        let [[a, b], [c, d]] = [counters, internal].map(|pair| pair.map(|c| c.get()));
        [a, b, c, d]
    }

    /// Pages of tempdb: allocated and given back for tables, then for rows that statements keep; by requests that are over, and by the one
    /// that runs.
    pub fn tempdb_pages(&self) -> [[u64; 4]; 2] {
        let now = self.tempdb_now();
        if !self.is_running() {
            return [now, [0; 4]];
        }
        let before =
            [0, 1, 2, 3].map(|n| self.tempdb_before[n].load(Ordering::Relaxed).min(now[n]));
        [before, [0, 1, 2, 3].map(|n| now[n] - before[n])]
    }

    /// Gives how long it has lasted, ns.
    pub(crate) fn request_ends(&self) -> u64 {
        let now = Moment::now();
        let began = Moment(self.cell.request_started.load(Ordering::Relaxed));
        let lasted = now.since(began);
        self.cell.elapsed_ns.add(lasted);
        self.cell.request_ended.store(now.0, Ordering::Relaxed);
        self.clock.request_ended(self.cell.elapsed_ns.get());
        self.running.store(false, Ordering::Release);
        lasted
    }

    /// The system's number of the session's thread; none: it has sent nothing yet.
    pub fn thread(&self) -> Option<u64> {
        Some(self.clock.thread.load(Ordering::Relaxed)).filter(|id| *id != 0)
    }

    pub(crate) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Acquire)
    }

    /// What its client hears last, of a request that was cut short: 596 after KILL, 6005 when the server stops.
    pub(crate) fn last_words(&self, cancelled: bool) -> Option<Box<SqlError>> {
        if self.is_killed() {
            return Some(SqlError::new(596, &[]).with_severity(21).with_line(1));
        }
        let stopped = cancelled && self.stopped.load(Ordering::Acquire);
        stopped.then(|| SqlError::new(6005, &[]).with_state(2).with_line(1))
    }

    /// What runs now is cancelled, because the server stops.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.cancel.store(true, Ordering::Release);
    }

    pub(crate) fn set_kill_hook(&self, hook: Box<dyn Fn() + Send + Sync>) {
        *self.kill_hook.lock() = Some(hook);
    }

    /// The session ends: what it runs is cancelled, what it waits for from its client is cut.
    pub(crate) fn kill(&self) {
        self.killed.store(true, Ordering::Release);
        self.cancel.store(true, Ordering::Release);
        // An idle session without a transaction holds nothing: it is out of its database at once, and its next request
        // is refused. (A request says that it runs before it looks whether it was killed.)
        if !self.is_running() && self.cell.open_transaction_count.load(Ordering::Acquire) == 0 {
            self.cell.database_id.store(0, Ordering::Release);
        }
        if let Some(hook) = &*self.kill_hook.lock() {
            hook();
        }
    }
}

/// All sessions.
pub struct Sessions {
    list: RwLock<Vec<Arc<SessionEntry>>>,
    /// Threads of the instance.
    system: RwLock<Vec<Arc<SessionEntry>>>,
    last: AtomicU16,
}

/// The first session of a user.
const FIRST: u16 = 51;

impl Default for Sessions {
    fn default() -> Sessions {
        Sessions {
            list: RwLock::default(),
            system: RwLock::default(),
            last: AtomicU16::new(FIRST - 1),
        }
    }
}

impl Sessions {
    /// A new session under the lowest free number; `None` when there is none left.
    pub fn add(
        &self,
        client: ConnectOptions,
        login_time: Value,
        connection_id: [u8; 16],
    ) -> Option<Arc<SessionEntry>> {
        let mut list = self.list.write();
        let entry = enlist(&mut list, FIRST..=32_767, client, login_time, connection_id)?;
        self.last.fetch_max(entry.id.0, Ordering::Relaxed);
        Some(entry)
    }

    /// A thread of the instance that is about to begin. It is not shown when all numbers of such are taken.
    pub(crate) fn add_system(
        self: &Arc<Self>,
        command: Command,
        database: DatabaseId,
        started: Value,
    ) -> SystemThread {
        let client = ConnectOptions { login: "sa".into(), ..ConnectOptions::default() };
        let entry = enlist(&mut self.system.write(), 1..=FIRST - 1, client, started, [0; 16]);
        let cell = entry.as_ref().map_or_else(|| SessionCell::new(0), |e| e.cell.clone());
        cell.set_status(Status::Background);
        cell.set_command(command);
        cell.database_id.store(database.0, Ordering::Relaxed);
        cell.request_started.store(Moment::now().0, Ordering::Relaxed);
        SystemThread { cell, entry, all: self.clone() }
    }

    /// The instance's own threads, by number.
    pub fn system(&self) -> Vec<Arc<SessionEntry>> {
        self.system.read().clone()
    }

    /// Takes a session off the list.
    pub fn remove(&self, id: SessionId) {
        self.list.write().retain(|s| s.id != id);
    }

    /// The sessions of users, by number.
    pub fn list(&self) -> Vec<Arc<SessionEntry>> {
        self.list.read().clone()
    }

    /// The session of a number.
    pub fn get(&self, id: SessionId) -> Option<Arc<SessionEntry>> {
        self.list.read().iter().find(|s| s.id == id).cloned()
    }
}

/// A new session under the lowest free number of a range.
fn enlist(
    list: &mut Vec<Arc<SessionEntry>>,
    numbers: std::ops::RangeInclusive<u16>,
    client: ConnectOptions,
    login_time: Value,
    connection_id: [u8; 16],
) -> Option<Arc<SessionEntry>> {
    let taken = list.iter().zip(numbers.clone()).take_while(|(s, id)| s.id.0 == *id).count();
    let id = u16::try_from(taken).ok()?.checked_add(*numbers.start())?;
    if !numbers.contains(&id) {
        return None;
    }
    let cell = SessionCell::new(id);
    let entry = Arc::new(SessionEntry {
        id: SessionId(id),
        cancel: cell.cancel_flag().clone(),
        cell,
        client,
        login_time,
        connection_id,
        clock: ThreadClock::default(),
        text: Mutex::new("".into()),
        call: AtomicU64::new(NO_CALL),
        levels: Mutex::default(),
        killed: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
        running: AtomicBool::new(false),
        backs_up: AtomicU16::new(0),
        callers: Mutex::default(),
        transaction_name: Mutex::new("".into()),
        impersonated: Mutex::new(None),
        tempdb_before: Default::default(),
        kill_hook: Mutex::new(None),
        cursors: Default::default(),
    });
    list.insert(taken, entry.clone());
    Some(entry)
}

/// A thread of the instance is shown until this is dropped.
pub(crate) struct SystemThread {
    /// What it does and waits for.
    pub cell: Arc<SessionCell>,
    entry: Option<Arc<SessionEntry>>,
    all: Arc<Sessions>,
}

impl SystemThread {
    /// The calling thread is it.
    pub fn enter(&self) -> taffrail_observe::session::Entered {
        if let Some(entry) = &self.entry {
            entry.clock.adopt();
        }
        SessionCell::enter(&self.cell)
    }
}

impl Drop for SystemThread {
    fn drop(&mut self) {
        if let Some(entry) = &self.entry {
            self.all.system.write().retain(|s| s.id != entry.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_begin_at_51_and_threads_beyond_fifty_are_not_shown() {
        let all = Arc::new(Sessions::default());
        let add = || all.add(ConnectOptions::default(), Value::Null, [0; 16]).map(|s| s.id.0);
        assert_eq!((add(), add(), add()), (Some(51), Some(52), Some(53)));
        all.remove(SessionId(52));
        assert_eq!((add(), add()), (Some(52), Some(54)));
        let thread = || all.add_system(Command::LogWriter, DatabaseId(5), Value::Null);
        let mut threads: Vec<SystemThread> = (0..52).map(|_| thread()).collect();
        let numbers = || -> Vec<u16> { all.system().iter().map(|s| s.id.0).collect() };
        assert_eq!(numbers(), (1..=50).collect::<Vec<u16>>());
        threads.remove(6);
        assert!(!numbers().contains(&7));
        threads.push(thread());
        assert_eq!(numbers().len(), 50);
        drop(threads);
        assert!(numbers().is_empty());
    }
}
