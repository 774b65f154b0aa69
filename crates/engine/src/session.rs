//! A session's state: what lasts from one batch to the next.

use crate::database::Database;
use crate::instance::Instance;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use taffrail_base::message::cancelled;
use taffrail_base::{DatabaseId, ObjectId, SessionId, SqlError, SqlResult};
use taffrail_storage::{Savepoint, Transaction};
use taffrail_types::datetime::{DateFormat, LanguageId};
use taffrail_types::{ConvertContext, Value};

pub use crate::plan::locking::Isolation;

impl From<Isolation> for taffrail_storage::Isolation {
    fn from(i: Isolation) -> taffrail_storage::Isolation {
        match i {
            Isolation::ReadUncommitted => taffrail_storage::Isolation::ReadUncommitted,
            Isolation::ReadCommitted => taffrail_storage::Isolation::ReadCommitted,
            Isolation::RepeatableRead => taffrail_storage::Isolation::RepeatableRead,
            Isolation::Serializable => taffrail_storage::Isolation::Serializable,
        }
    }
}

impl Isolation {
    /// `sys.dm_exec_sessions.transaction_isolation_level`.
    pub fn number(self) -> i16 {
        self as i16 + 1
    }
}

/// The SET options of a session.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct SetOptions {
    pub nocount: bool,
    pub xact_abort: bool,
    pub implicit_transactions: bool,
    pub quoted_identifier: bool,
    pub ansi_nulls: bool,
    pub ansi_padding: bool,
    pub ansi_warnings: bool,
    pub ansi_null_dflt_on: bool,
    pub arithabort: bool,
    /// No message tells that ANSI_WARNINGS OFF and ARITHABORT OFF have made a NULL of an error.
    pub arithignore: bool,
    pub concat_null_yields_null: bool,
    pub numeric_roundabort: bool,
    pub cursor_close_on_commit: bool,
    pub fmtonly: bool,
    pub noexec: bool,
    pub parseonly: bool,
    pub(crate) showing: crate::exec::showplan::Showing,
    pub statistics_time: bool,
    pub date_first: u8,
    pub date_format: DateFormat,
    pub language: LanguageId,
    pub text_size: i32,
    pub row_count: u64,
    pub deadlock_priority: i8,
    /// Milliseconds; -1 waits without end.
    pub lock_timeout: i32,
    pub isolation: Isolation,
}

impl Default for SetOptions {
    fn default() -> SetOptions {
        SetOptions {
            nocount: false,
            xact_abort: false,
            implicit_transactions: false,
            quoted_identifier: true,
            ansi_nulls: true,
            ansi_padding: true,
            ansi_warnings: true,
            ansi_null_dflt_on: true,
            // ARITHABORT counts as ON while ANSI_WARNINGS is.
            arithabort: false,
            arithignore: false,
            concat_null_yields_null: true,
            numeric_roundabort: false,
            cursor_close_on_commit: false,
            fmtonly: false,
            noexec: false,
            parseonly: false,
            showing: Default::default(),
            statistics_time: false,
            date_first: 7,
            date_format: DateFormat::Mdy,
            language: LanguageId::US_ENGLISH,
            text_size: 2_147_483_647,
            row_count: 0,
            deadlock_priority: 0,
            lock_timeout: -1,
            isolation: Isolation::ReadCommitted,
        }
    }
}

impl SetOptions {
    /// Those of a new session whose client asked for a language; us_english where there is none of the name.
    pub fn of_login(language: &str) -> SetOptions {
        let mut options = SetOptions::default();
        options.set_language(LanguageId::of_name(language).unwrap_or_default());
        options
    }

    /// SET LANGUAGE: DATEFORMAT and DATEFIRST are the language's.
    pub(crate) fn set_language(&mut self, language: LanguageId) {
        self.language = language;
        self.date_format = language.get().date_format;
        self.date_first = language.get().date_first;
    }

    /// What conversions need of them.
    pub fn convert_context(&self) -> ConvertContext {
        ConvertContext {
            date_format: self.date_format,
            language: self.language,
            ansi_warnings: self.ansi_warnings,
            round_abort: self.numeric_roundabort,
            ..ConvertContext::default()
        }
    }

    /// `@@OPTIONS`.
    pub fn bits(&self) -> i32 {
        let mut bits = 0;
        for (bit, on) in [
            (2, self.implicit_transactions),
            (4, self.cursor_close_on_commit),
            (8, self.ansi_warnings),
            (16, self.ansi_padding),
            (32, self.ansi_nulls),
            (64, self.arithabort),
            (128, self.arithignore),
            (256, self.quoted_identifier),
            (512, self.nocount),
            (1024, self.ansi_null_dflt_on),
            (4096, self.concat_null_yields_null),
            (8192, self.numeric_roundabort),
            (16384, self.xact_abort),
        ] {
            if on {
                bits |= bit;
            }
        }
        bits
    }

    /// What others are shown of them, in one number; see [`SetOptions::shown`].
    pub(crate) fn packed(&self) -> u64 {
        let format = FORMATS.iter().position(|f| *f == self.date_format).unwrap_or(0);
        self.bits() as u64
            | u64::from(self.date_first) << 16
            | (format as u64) << 20
            | u64::from(self.language.number()) << 24
    }

    /// What [`SetOptions::packed`] has kept of a session's options: those that [`SetOptions::bits`] knows, and those of dates.
    pub(crate) fn shown(packed: u64) -> SetOptions {
        let on = |bit: u64| packed & bit != 0;
        SetOptions {
            implicit_transactions: on(2),
            cursor_close_on_commit: on(4),
            ansi_warnings: on(8),
            ansi_padding: on(16),
            ansi_nulls: on(32),
            arithabort: on(64),
            arithignore: on(128),
            quoted_identifier: on(256),
            nocount: on(512),
            ansi_null_dflt_on: on(1024),
            concat_null_yields_null: on(4096),
            numeric_roundabort: on(8192),
            xact_abort: on(16384),
            date_first: (packed >> 16 & 15) as u8,
            date_format: FORMATS[(packed >> 20 & 7) as usize % FORMATS.len()],
            language: LanguageId::of_number((packed >> 24) as u8),
            ..SetOptions::default()
        }
    }

    /// `ansi_defaults`: what SET ANSI_DEFAULTS ON turns on is on.
    pub(crate) fn are_ansi_defaults(&self) -> bool {
        self.ansi_nulls
            && self.ansi_null_dflt_on
            && self.ansi_padding
            && self.ansi_warnings
            && self.implicit_transactions
            && self.quoted_identifier
    }

    /// What a compiled plan depends on, for the plan cache. Other options are asked for when an expression is computed.
    pub fn plan_key(&self) -> u32 {
        u32::from(self.ansi_nulls)
            | u32::from(self.quoted_identifier) << 1
            | u32::from(self.ansi_padding) << 2
            | (self.date_format as u32) << 4
            | u32::from(self.language.number()) << 8
    }
}

const FORMATS: [DateFormat; 6] = [
    DateFormat::Mdy,
    DateFormat::Dmy,
    DateFormat::Ymd,
    DateFormat::Ydm,
    DateFormat::Myd,
    DateFormat::Dym,
];

/// A `#table` of a session, kept in tempdb under a name of its own.
#[derive(Clone, Debug)]
pub struct TempTable {
    /// As the user wrote it, with its `#`.
    pub name: String,
    /// In tempdb.
    pub object_id: ObjectId,
    /// The procedure nesting level that created it: it goes away when that level ends (0: with the session).
    pub level: u32,
}

/// A savepoint by name: where each database's part of the transaction stood.
#[derive(Debug)]
pub(crate) struct NamedSavepoint {
    pub name: String,
    pub parts: Vec<(DatabaseId, Savepoint)>,
}

/// One database's part of the session's transaction.
pub(crate) struct TransactionPart {
    pub database: Arc<Database>,
    pub tx: Transaction,
}

/// The session's transaction.
///
/// 1. `count` is `@@TRANCOUNT`. Autocommit statements run with `count` 0 and parts that end with the statement.
/// 2. `descriptor` is not 0 exactly while `count` is not 0.
/// 3. With `of_insert` one of `count` is an INSERT … EXEC that runs in autocommit: it is no transaction of the client's, who hears
///    nothing of it. The flag is set only while that statement runs.
/// 4. A doomed transaction (`XACT_STATE()` -1) accepts nothing that writes until it is rolled back.
#[derive(Default)]
pub struct TransactionState {
    pub(crate) count: u32,
    pub(crate) name: Option<String>,
    /// WITH MARK: its description.
    pub(crate) mark: Option<String>,
    /// Where a marked transaction has been committed: recorded in msdb when it is over.
    pub(crate) marked: Vec<crate::backup::Mark>,
    pub(crate) descriptor: u64,
    /// A statement began it, under SET IMPLICIT_TRANSACTIONS ON.
    pub(crate) implicit: bool,
    pub(crate) of_insert: bool,
    pub(crate) doomed: bool,
    pub(crate) parts: Vec<TransactionPart>,
    pub(crate) savepoints: Vec<NamedSavepoint>,
}

impl TransactionState {
    /// `@@TRANCOUNT`.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// A transaction of the client's is open: not only the one that an INSERT … EXEC in autocommit is.
    pub(crate) fn is_clients(&self) -> bool {
        self.count > u32::from(self.of_insert)
    }

    /// `XACT_STATE()`.
    pub fn xact_state(&self) -> i16 {
        match (self.count, self.doomed) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    /// `transaction_id` of the views; 0 for none. What an autocommit statement does gets one when it changes something.
    pub fn number(&self) -> u64 {
        match self.descriptor {
            0 => self.parts.first().map_or(0, |p| p.tx.number()),
            descriptor => descriptor,
        }
    }
}

/// What the client said of itself, for the DMVs.
pub use crate::connection::ConnectOptions;

/// A prepared statement.
pub(crate) struct Prepared {
    pub text: Arc<str>,
    pub declarations: String,
}

/// A key of SESSION_CONTEXT.
#[derive(Debug)]
pub(crate) struct ContextKey {
    pub name: String,
    /// A variant, or NULL.
    pub value: Value,
    /// It stays as it is until the session ends.
    pub read_only: bool,
}

/// One session.
pub struct Session {
    /// `@@SPID`.
    pub id: SessionId,
    /// The instance.
    pub instance: Arc<Instance>,
    /// What the client said of itself.
    pub client: ConnectOptions,
    /// SET options.
    pub options: SetOptions,
    /// The current database.
    pub database: Arc<Database>,
    /// The transaction.
    pub transaction: TransactionState,
    /// Temp tables, oldest first.
    pub temp_tables: Vec<TempTable>,
    /// Those that the transaction has dropped: a rollback brings them back.
    pub(crate) dropped_temp_tables: Vec<TempTable>,
    /// `##tables` that it has made, in tempdb.
    pub(crate) global_temps: Vec<ObjectId>,
    /// Cursors.
    pub(crate) cursors: crate::exec::cursor::Cursors,
    /// Trace flags that are on for the session.
    pub trace_flags: Vec<i64>,
    /// Counts creations and drops of temp tables: plans that use them compare it.
    pub temp_version: u64,
    /// `SET IDENTITY_INSERT … ON`.
    pub identity_insert: Option<(DatabaseId, ObjectId)>,
    /// `@@ROWCOUNT`.
    pub row_count: i64,
    /// Errors of the running request.
    pub errors_met: u32,
    /// Rows that the statements of the running request have told of.
    pub rows_done: u64,
    /// `@@ERROR`.
    pub error: i32,
    /// `@@IDENTITY`.
    pub identity: Option<i64>,
    /// `SCOPE_IDENTITY()`.
    pub scope_identity: Option<i64>,
    /// `@@PROCID`.
    pub procedure_id: i32,
    /// Errors that CATCH blocks handle, the innermost last.
    pub caught: Vec<SqlError>,
    /// The moment of the running statement, once it was asked for.
    pub(crate) moment: std::cell::Cell<Option<crate::functions::Moment>>,
    /// State of RAND().
    pub(crate) random: std::cell::Cell<u64>,
    /// Its application locks.
    pub(crate) app_locks: crate::procs::applock::AppLocks,
    /// CONTEXT_INFO.
    pub(crate) context_info: Value,
    /// SESSION_CONTEXT.
    pub(crate) session_context: Vec<ContextKey>,
    /// Buffers that statements reuse.
    pub(crate) scratch: Option<Box<crate::exec::change::Scratch>>,
    /// `@@NESTLEVEL`: procedures called and not ended.
    pub nest_level: u32,
    /// Counters and the current wait, shown by the DMVs.
    pub cell: Arc<taffrail_observe::SessionCell>,
    /// The session as others see it.
    pub entry: Arc<crate::sessions::SessionEntry>,
    /// The database it began in: a reset goes back there.
    pub(crate) home: Arc<Database>,
    pub(crate) cancel: Arc<AtomicBool>,
    pub(crate) prepared: hashbrown::HashMap<i32, Prepared, foldhash::fast::RandomState>,
    pub(crate) next_handle: i32,
    /// INSERT BULK has announced rows: the next request brings them.
    pub(crate) load: Option<crate::load::PendingLoad>,
    /// What a look-up has found in its way: see [`Session::note_blocked`].
    pub(crate) blocked: std::cell::Cell<Option<crate::catalog::Blocked>>,
    /// Views that the statement names and that could not be bound, the innermost first.
    pub(crate) failed_views: std::cell::RefCell<Vec<Arc<str>>>,
    /// The connection has to end.
    pub(crate) fatal: bool,
    /// A statement in autocommit runs; those inside it end with it.
    pub(crate) in_statement: bool,
    /// What runs makes rows of so many columns for an INSERT … EXEC.
    pub(crate) taking: Option<usize>,
    /// An aggregate left out NULLs: message 8153 is due.
    pub(crate) null_eliminated: bool,
    /// Errors of arithmetic have become NULL: messages 3606 and 3607 are due.
    pub(crate) overflowed: bool,
    pub(crate) divided_by_zero: bool,
    /// What the callee that has just failed returns all the same: procedures of the system 1, texts @@ERROR.
    pub(crate) failed_status: Option<i32>,
    /// RAISERROR … WITH SETERROR: `@@ERROR` after the statement.
    pub(crate) set_error: Option<i32>,
    /// The severity of the gravest error of the module that runs, caught or not.
    pub(crate) gravest: u8,
    /// TRY blocks that enclose what runs, in all modules, and in the one that runs.
    pub(crate) tries: u32,
    pub(crate) own_tries: u32,
    /// The columns of a result were sent, its DONE was not.
    pub(crate) open_result: bool,
}

impl Session {
    /// What a statement would have warned of is not told when it fails, nor by the next one.
    pub(crate) fn forget_warnings(&mut self) {
        (self.null_eliminated, self.overflowed, self.divided_by_zero) = (false, false, false);
    }

    /// Ends the statement when the client asked for it (an attention): message 3617's place, without a message.
    #[inline]
    pub fn check_cancel(&self) -> SqlResult<()> {
        if self.cancel.load(Ordering::Relaxed) { Err(cancelled()) } else { Ok(()) }
    }

    /// A database of the session's may have been closed and opened anew: it goes on in what is open now.
    pub(crate) fn follow_databases(&mut self) {
        for place in [&mut self.database, &mut self.home] {
            if place.catalog.is_retired()
                && let Some(now) = self.instance.databases().by_id(place.id)
            {
                *place = now;
            }
        }
    }

    /// Shows the session's state to others.
    pub(crate) fn publish(&self) {
        let c = &self.cell;
        c.database_id.store(self.database.id.0, Ordering::Relaxed);
        c.open_transaction_count.store(self.transaction.count, Ordering::Relaxed);
        c.isolation_level.store(self.options.isolation.number() as u8, Ordering::Relaxed);
        c.lock_timeout_ms.store(self.options.lock_timeout, Ordering::Relaxed);
        c.deadlock_priority.store(self.options.deadlock_priority as i32, Ordering::Relaxed);
        c.transaction_id.store(self.transaction.number(), Ordering::Relaxed);
        c.row_count.store(self.row_count.max(0) as u64, Ordering::Relaxed);
        c.set_options.store(self.options.packed(), Ordering::Relaxed);
        c.text_size.store(self.options.text_size, Ordering::Relaxed);
    }

    /// Shows others whether there is a transaction.
    pub(crate) fn publish_transaction(&self) {
        let c = &self.cell;
        c.open_transaction_count.store(self.transaction.count, Ordering::Relaxed);
        c.transaction_id.store(self.transaction.number(), Ordering::Relaxed);
    }

    /// A statement is over: shows others what it has done.
    #[inline]
    pub(crate) fn publish_work(&self) {
        self.cell.row_count.store(self.row_count.max(0) as u64, Ordering::Relaxed);
        self.cell.gather();
    }

    /// The session is told of an error.
    pub(crate) fn note_error(&mut self, number: i32) {
        self.error = number;
        self.errors_met += u32::from(number != 0);
        self.cell.prev_error.store(number, Ordering::Relaxed);
    }

    /// The options that a module has set are its caller's again, for what is open already as well.
    pub(crate) fn restore_options(&mut self, options: SetOptions) {
        if self.options == options {
            return;
        }
        self.options = options;
        let isolation = options.isolation.into();
        for p in &mut self.transaction.parts {
            p.tx.set_isolation(isolation);
            p.tx.set_lock_timeout(options.lock_timeout);
        }
        self.set_lock_priority();
        self.publish();
    }

    /// SET DEADLOCK_PRIORITY for what is open already.
    pub(crate) fn set_lock_priority(&mut self) {
        let priority = self.options.deadlock_priority;
        for p in &mut self.transaction.parts {
            p.tx.locks_mut().deadlock_priority = priority;
        }
    }

    /// SET ROWCOUNT: the most rows that a statement returns or changes.
    pub(crate) fn row_limit(&self) -> u64 {
        match self.options.row_count {
            0 => u64::MAX,
            n => n,
        }
    }

    /// How long a statement waits for a lock; `None` without end.
    pub fn lock_timeout(&self) -> Option<Duration> {
        u64::try_from(self.options.lock_timeout).ok().map(Duration::from_millis)
    }

    /// The session's temp table of that name, the innermost first.
    pub fn find_temp_table(&self, name: &str) -> Option<&TempTable> {
        let collation = taffrail_types::Collation::default();
        self.temp_tables.iter().rev().find(|t| collation.eq_str(&t.name, name))
    }

    /// Records a temp table that DDL has created.
    pub fn add_temp_table(&mut self, name: &str, object_id: ObjectId) {
        self.temp_version += 1;
        let level = self.nest_level;
        self.temp_tables.push(TempTable { name: name.into(), object_id, level });
    }

    /// Forgets a temp table that DDL has dropped.
    pub fn remove_temp_table(&mut self, object_id: ObjectId) {
        self.temp_version += 1;
        let gone = self.temp_tables.iter().position(|t| t.object_id == object_id);
        let gone = gone.map(|at| self.temp_tables.remove(at));
        self.dropped_temp_tables.extend(gone);
    }
}
