//! One cell per session (and per background thread): what it does and waits for now, and its own totals.
//!
//! The session's thread writes, views read: everything is a relaxed atomic, except the text of what is waited for,
//! which is only set when the thread is about to sleep anyway.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed,
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::counters::Counter;
use crate::events::Event;
use crate::moment::Moment;
use crate::wait_type::WaitType;
use crate::waits::{WaitCell, WaitRow, WaitSum};

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum $name { $(#[doc = $text] $variant,)+ }
        impl $name {
            const ALL: &'static [$name] = &[$($name::$variant,)+];
            /// The text that views show.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }
    };
}

named! {
    /// The values of `command` in `sys.dm_exec_requests`.
    Command {
        AwaitingCommand = "AWAITING COMMAND",
        Select = "SELECT",
        SelectInto = "SELECT INTO",
        Insert = "INSERT",
        Update = "UPDATE",
        Delete = "DELETE",
        Merge = "MERGE",
        BulkInsert = "BULK INSERT",
        Truncate = "TRUNCATE TABLE",
        Execute = "EXECUTE",
        Declare = "DECLARE",
        Assign = "SET",
        If = "CONDITIONAL",
        While = "WHILE",
        Print = "PRINT",
        Waitfor = "WAITFOR",
        Begin = "BEGIN TRANSACTION",
        Commit = "COMMIT TRANSACTION",
        Rollback = "ROLLBACK TRANSACTION",
        Save = "SAVE TRANSACTION",
        CreateTable = "CREATE TABLE",
        CreateIndex = "CREATE INDEX",
        CreateFunction = "CREATE FUNCTION",
        CreateProcedure = "CREATE PROCEDURE",
        CreateDatabase = "CREATE DATABASE",
        AlterDatabase = "ALTER DATABASE",
        AlterTable = "ALTER TABLE",
        AlterIndex = "ALTER INDEX",
        DropDatabase = "DROP DATABASE",
        Drop = "DROP OBJECT",
        Use = "USE",
        Checkpoint = "CHECKPOINT",
        BackupDatabase = "BACKUP DATABASE",
        BackupLog = "BACKUP LOG",
        RestoreDatabase = "RESTORE DATABASE",
        RestoreLog = "RESTORE LOG",
        Dbcc = "DBCC",
        Kill = "KILL",
        LogWriter = "LOG WRITER",
        RecoveryWriter = "RECOVERY WRITER",
        LazyWriter = "LAZY WRITER",
        LogAhead = "LOG AHEAD",
        LockMonitor = "LOCK MONITOR",
        SignalHandler = "SIGNAL HANDLER",
        TaskManager = "TASK MANAGER",
        GhostCleanup = "GHOST CLEANUP",
        XeDispatcher = "XE DISPATCHER",
        DbStartup = "DB STARTUP",
    }
}

named! {
    /// `status` of `sys.dm_exec_sessions` and `sys.dm_exec_requests`.
    Status {
        Sleeping = "sleeping",
        Running = "running",
        Suspended = "suspended",
        Background = "background",
        Runnable = "runnable",
        Rollback = "rollback",
        Dormant = "dormant",
    }
}

const NO_WAIT: u16 = u16::MAX;

/// The state of one session that others can see while it runs.
pub struct SessionCell {
    session_id: u16,
    status: AtomicU8,
    command: AtomicU8,
    wait_type: AtomicU16,
    last_wait_type: AtomicU16,
    wait_started: AtomicU64,
    blocking_session: AtomicU16,
    wait_resource: Mutex<String>,
    waits: OnceLock<Box<[WaitCell]>>,
    cancelled: Arc<AtomicBool>,
    /// The current database's number.
    pub database_id: AtomicU16,
    /// The open transaction's number in the views, 0 = none.
    pub transaction_id: AtomicU64,
    /// The number of nested transactions, `@@TRANCOUNT`.
    pub open_transaction_count: AtomicU32,
    /// When the open transaction began: 100 ns since 0001-01-01, UTC.
    pub transaction_begun: AtomicU64,
    /// Isolation level as `sys.dm_exec_sessions` numbers it.
    pub isolation_level: AtomicU8,
    /// `SET LOCK_TIMEOUT`, ms; -1 = wait for ever.
    pub lock_timeout_ms: AtomicI32,
    /// `SET DEADLOCK_PRIORITY`, -10 to 10.
    pub deadlock_priority: AtomicI32,
    /// When the running request began, or the last one did.
    pub request_started: AtomicU64,
    /// When the last request that is over ended; 0 = none has.
    pub request_ended: AtomicU64,
    /// Time of all requests that are over, ns.
    pub elapsed_ns: Counter,
    /// The SET options, packed as the engine packs them.
    pub set_options: AtomicU64,
    /// The longest text that is sent, bytes: `SET TEXTSIZE`.
    pub text_size: AtomicI32,
    /// The number of the last error that the session was told.
    pub prev_error: AtomicI32,
    /// Byte offsets of the running statement in the UTF-16 text; end -1 = to the end.
    pub statement_start: AtomicI32,
    /// The end of the statement in its batch's text, beside `statement_start`.
    pub statement_end: AtomicI32,
    /// Pages read from disk.
    pub reads: Counter,
    /// Pages that the session has made dirty.
    pub writes: Counter,
    /// Pages looked up in the buffer pool.
    pub logical_reads: Counter,
    /// Reads, writes and logical reads of the requests before the running one, in pages.
    requests_before: [AtomicU64; 3],
    /// Time of all waits that are over, ns.
    pub waited_ns: Counter,
    /// Rows returned or affected by the last statement.
    pub row_count: AtomicU64,
    /// Pages of tempdb that were allocated, in extents of eight.
    pub tempdb_allocated: Counter,
    /// Pages of tempdb that were given back.
    pub tempdb_freed: Counter,
    /// Pages of files in which statements keep their rows: those that were taken.
    pub internal_allocated: Counter,
    /// Pages of such files that were given back.
    pub internal_freed: Counter,
    /// How far a backup, a restore or a database's recovery has come, in hundredths of a percent.
    pub percent_complete: AtomicU32,
    full: Mutex<Option<Event>>,
    touched: Mutex<Vec<u16>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<SessionCell>>> = const { RefCell::new(None) };
    static PAGES: PageTally = const { PageTally::new() };
}

/// The work of this thread on pages, and how much of it a session has been told of: [`SessionCell::gather`].
/// Plain cells, because a page is looked up more often than anything else is done.
struct PageTally {
    looked_up: Cell<u64>,
    read: Cell<u64>,
    dirtied: Cell<u64>,
    told: Cell<PagesTouched>,
}

/// The work of a thread on pages since it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PagesTouched {
    /// Pages looked up in the buffer pool.
    pub looked_up: u64,
    /// Pages read from disk.
    pub read: u64,
    /// Pages that were clean and have been changed.
    pub dirtied: u64,
}

impl PagesTouched {
    /// The work since an earlier moment of the same thread.
    #[must_use]
    pub fn since(self, before: PagesTouched) -> PagesTouched {
        PagesTouched {
            looked_up: self.looked_up.saturating_sub(before.looked_up),
            read: self.read.saturating_sub(before.read),
            dirtied: self.dirtied.saturating_sub(before.dirtied),
        }
    }
}

impl PageTally {
    const fn new() -> PageTally {
        let told = PagesTouched { looked_up: 0, read: 0, dirtied: 0 };
        PageTally {
            looked_up: Cell::new(0),
            read: Cell::new(0),
            dirtied: Cell::new(0),
            told: Cell::new(told),
        }
    }

    fn now(&self) -> PagesTouched {
        PagesTouched {
            looked_up: self.looked_up.get(),
            read: self.read.get(),
            dirtied: self.dirtied.get(),
        }
    }
}

/// The work of this thread on pages so far.
#[inline]
pub fn pages_touched() -> PagesTouched {
    // A thread that is ending works for no session any more.
    PAGES.try_with(PageTally::now).unwrap_or_default()
}

fn tally(of: impl FnOnce(&PageTally) -> &Cell<u64>) {
    // A thread that is ending works for no session any more.
    let _ = PAGES.try_with(|pages| {
        let n = of(pages);
        n.set(n.get() + 1);
    });
}

/// This thread has looked a page up in the buffer pool.
#[inline]
pub fn page_looked_up() {
    tally(|p| &p.looked_up);
}

/// This thread has read a page from disk.
pub fn page_read() {
    tally(|p| &p.read);
}

/// This thread has changed a page that was clean.
pub fn page_dirtied() {
    tally(|p| &p.dirtied);
}

/// The cell of the session that this thread works for.
pub fn current() -> Option<Arc<SessionCell>> {
    CURRENT.try_with(|c| c.borrow().clone()).ok().flatten()
}

/// Calls `f` with the current session's cell, if there is one, without touching its reference count.
pub fn with_current<R>(f: impl FnOnce(&SessionCell) -> R) -> Option<R> {
    CURRENT.try_with(|c| c.borrow().as_ref().map(|cell| f(cell))).ok().flatten()
}

/// Gives the thread its previous session back.
#[must_use = "the thread works for the session until this is dropped"]
pub struct Entered(Option<Arc<SessionCell>>);

impl Drop for Entered {
    fn drop(&mut self) {
        let previous = self.0.take();
        // A thread that is ending has no current session any more.
        let _ = CURRENT.try_with(|c| *c.borrow_mut() = previous);
    }
}

impl SessionCell {
    /// A cell for a new session.
    pub fn new(session_id: u16) -> Arc<SessionCell> {
        Arc::new(SessionCell {
            session_id,
            status: AtomicU8::new(Status::Sleeping as u8),
            command: AtomicU8::new(Command::AwaitingCommand as u8),
            wait_type: AtomicU16::new(NO_WAIT),
            last_wait_type: AtomicU16::new(NO_WAIT),
            wait_started: AtomicU64::new(0),
            blocking_session: AtomicU16::new(0),
            wait_resource: Mutex::new(String::new()),
            waits: OnceLock::new(),
            cancelled: Arc::new(AtomicBool::new(false)),
            database_id: AtomicU16::new(0),
            transaction_id: AtomicU64::new(0),
            open_transaction_count: AtomicU32::new(0),
            transaction_begun: AtomicU64::new(0),
            isolation_level: AtomicU8::new(2),
            lock_timeout_ms: AtomicI32::new(-1),
            deadlock_priority: AtomicI32::new(0),
            request_started: AtomicU64::new(0),
            request_ended: AtomicU64::new(0),
            elapsed_ns: Counter::new(),
            set_options: AtomicU64::new(0),
            text_size: AtomicI32::new(i32::MAX),
            prev_error: AtomicI32::new(0),
            statement_start: AtomicI32::new(0),
            statement_end: AtomicI32::new(-1),
            reads: Counter::new(),
            writes: Counter::new(),
            logical_reads: Counter::new(),
            requests_before: Default::default(),
            waited_ns: Counter::new(),
            row_count: AtomicU64::new(0),
            tempdb_allocated: Counter::new(),
            tempdb_freed: Counter::new(),
            internal_allocated: Counter::new(),
            internal_freed: Counter::new(),
            percent_complete: AtomicU32::new(0),
            full: Mutex::default(),
            touched: Mutex::default(),
        })
    }

    /// The open transaction has begun its part in a database.
    pub fn touch_database(&self, id: u16) {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        if !touched.contains(&id) {
            touched.push(id);
        }
    }

    /// The databases that the open transaction has a part in, whether it has written there or not.
    pub fn touched_databases(&self) -> Vec<u16> {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The transaction is over.
    pub fn forget_databases(&self) {
        self.touched.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The log, or a data file, was full for this session. Whether that is told is known when the statement has failed: a
    /// checkpoint, or room that others give back, and another try may heal it.
    pub fn note_full(&self, event: Event) {
        *self.full.lock().unwrap_or_else(PoisonError::into_inner) = Some(event);
    }

    /// Takes the event that was noted last; a second call finds nothing.
    pub fn take_full(&self) -> Option<Event> {
        self.full.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Adds what this thread has done with pages since the last call, or since it works for the session.
    pub fn gather(&self) {
        let _ = PAGES.try_with(|pages| {
            let now = pages.now();
            let new = now.since(pages.told.replace(now));
            let all = [
                (new.looked_up, &self.logical_reads),
                (new.read, &self.reads),
                (new.dirtied, &self.writes),
            ];
            for (n, total) in all {
                if n > 0 {
                    total.add(n);
                }
            }
        });
    }

    /// A request begins: its own reads and writes are counted from here.
    pub fn request_begins(&self) {
        let now = [&self.reads, &self.writes, &self.logical_reads];
        for (before, now) in self.requests_before.iter().zip(now) {
            before.store(now.get(), Relaxed);
        }
    }

    /// Reads, writes and logical reads of the request that runs, in pages.
    pub fn request_pages(&self) -> [u64; 3] {
        let now = [&self.reads, &self.writes, &self.logical_reads];
        std::array::from_fn(|n| now[n].get().saturating_sub(self.requests_before[n].load(Relaxed)))
    }

    /// From now on this thread works for that session, until the returned guard is dropped.
    pub fn enter(cell: &Arc<SessionCell>) -> Entered {
        // What was done before was done for nobody.
        let _ = PAGES.try_with(|pages| {
            pages.told.set(pages.now());
        });
        Entered(CURRENT.with(|c| c.borrow_mut().replace(cell.clone())))
    }

    /// True while the running request has been told to stop: an attention, a KILL, a shutdown.
    pub fn cancel_flag(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }

    /// The number of the session, `session_id`.
    pub fn session_id(&self) -> u16 {
        self.session_id
    }

    /// Shows what the session does. While it waits, `status()` says suspended.
    pub fn set_status(&self, status: Status) {
        self.status.store(status as u8, Relaxed);
    }

    /// The `status` of the request; a running one that waits is suspended.
    pub fn status(&self) -> Status {
        match Status::ALL[self.status.load(Relaxed) as usize] {
            Status::Running if self.wait_type().is_some() => Status::Suspended,
            status => status,
        }
    }

    /// Shows the running statement's kind.
    pub fn set_command(&self, command: Command) {
        self.command.store(command as u8, Relaxed);
    }

    /// The `command` of the request.
    pub fn command(&self) -> Command {
        Command::ALL[self.command.load(Relaxed) as usize]
    }

    /// The type of the wait in progress, if there is one.
    pub fn wait_type(&self) -> Option<WaitType> {
        WaitType::from_number(self.wait_type.load(Relaxed))
    }

    /// The type of the wait in progress, or of the last one.
    pub fn last_wait_type(&self) -> Option<WaitType> {
        WaitType::from_number(self.last_wait_type.load(Relaxed))
    }

    /// When the wait in progress began; meaningless without one.
    pub fn wait_started_at(&self) -> Moment {
        Moment(self.wait_started.load(Relaxed))
    }

    /// How long the wait in progress has lasted, ms; 0 without one.
    pub fn wait_time_ms(&self) -> u64 {
        match self.wait_type() {
            Some(_) => Moment::now().since(self.wait_started_at()) / 1_000_000,
            None => 0,
        }
    }

    /// The session that holds what is waited for; 0 = not blocked or not known.
    pub fn blocking_session(&self) -> i16 {
        self.blocking_session.load(Relaxed).cast_signed()
    }

    /// `wait_resource`; empty without one.
    pub fn wait_resource(&self) -> String {
        self.wait_resource.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The session's own totals, types that it never waited for left out.
    pub fn waits(&self) -> Vec<WaitRow> {
        let Some(cells) = self.waits.get() else { return Vec::new() };
        let row = |w: &WaitType| {
            let mut sum = WaitSum::default();
            cells[*w as usize].add_to(&mut sum);
            sum.row(*w)
        };
        WaitType::ALL.iter().map(row).filter(|r| r.waiting_tasks_count > 0).collect()
    }

    /// The connection was reset for reuse: totals begin anew.
    pub fn clear_waits(&self) {
        if let Some(cells) = self.waits.get() {
            cells.iter().for_each(WaitCell::clear);
        }
    }

    fn cell(&self, wait_type: WaitType) -> &WaitCell {
        let cells =
            self.waits.get_or_init(|| (0..WaitType::COUNT).map(|_| WaitCell::default()).collect());
        &cells[wait_type as usize]
    }

    pub(crate) fn wait_started(&self, wait_type: WaitType, at: Moment) {
        self.cell(wait_type).start();
        self.wait_started.store(at.0, Relaxed);
        self.last_wait_type.store(wait_type as u16, Relaxed);
        self.wait_type.store(wait_type as u16, Relaxed);
    }

    pub(crate) fn set_wait_resource(&self, resource: String, blocking_session: u16) {
        *self.wait_resource.lock().unwrap_or_else(PoisonError::into_inner) = resource;
        self.blocking_session.store(blocking_session, Relaxed);
    }

    pub(crate) fn wait_ended(&self, wait_type: WaitType, wait_ns: u64, signal_ns: u64) {
        self.wait_type.store(NO_WAIT, Relaxed);
        self.waited_ns.add(wait_ns);
        self.cell(wait_type).end(wait_ns, signal_ns);
        if self.blocking_session.swap(0, Relaxed) != 0 || wait_type.name().starts_with("LCK_") {
            self.wait_resource.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entering_nests() {
        let (a, b) = (SessionCell::new(51), SessionCell::new(52));
        assert!(current().is_none());
        let in_a = SessionCell::enter(&a);
        {
            let _in_b = SessionCell::enter(&b);
            assert_eq!(with_current(SessionCell::session_id), Some(52));
        }
        assert_eq!(with_current(SessionCell::session_id), Some(51));
        drop(in_a);
        assert!(current().is_none());
    }

    #[test]
    fn pages_are_counted_for_the_session_that_the_thread_works_for() {
        page_looked_up();
        let cell = SessionCell::new(51);
        let _in = SessionCell::enter(&cell);
        for _ in 0..3 {
            page_looked_up();
        }
        page_read();
        page_dirtied();
        cell.gather();
        cell.gather();
        assert_eq!((cell.logical_reads.get(), cell.reads.get(), cell.writes.get()), (3, 1, 1));
    }

    #[test]
    fn pages_of_a_request_are_those_since_it_began() {
        let cell = SessionCell::new(51);
        let _in = SessionCell::enter(&cell);
        let before = pages_touched();
        page_looked_up();
        cell.gather();
        cell.request_begins();
        assert_eq!(cell.request_pages(), [0, 0, 0]);
        page_looked_up();
        page_dirtied();
        cell.gather();
        assert_eq!(cell.request_pages(), [0, 1, 1]);
        let touched = PagesTouched { looked_up: 2, read: 0, dirtied: 1 };
        assert_eq!(pages_touched().since(before), touched, "gathering takes nothing away");
    }

    #[test]
    fn a_running_session_that_waits_is_suspended() {
        let cell = SessionCell::new(51);
        cell.set_status(Status::Running);
        cell.set_command(Command::Insert);
        cell.wait_started(WaitType::WriteLog, Moment::now());
        assert_eq!((cell.status().name(), cell.command().name()), ("suspended", "INSERT"));
        cell.wait_ended(WaitType::WriteLog, 10, 0);
        assert_eq!(cell.status(), Status::Running);
    }
}
