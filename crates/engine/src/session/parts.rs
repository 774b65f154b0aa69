//! The parts of a session's state that have one meaning each.

use crate::database::Database;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use taffrail_base::{DatabaseId, ObjectId, SqlError};
use taffrail_types::Value;

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

/// Its temporary tables.
#[derive(Default)]
pub struct TempTables {
    /// Those that are there, oldest first.
    pub tables: Vec<TempTable>,
    /// Those that the transaction has dropped: a rollback brings them back.
    pub(crate) dropped: Vec<TempTable>,
    /// `##tables` that it has made, in tempdb.
    pub(crate) global: Vec<ObjectId>,
    /// Counts creations and drops: plans that use such tables compare it.
    pub version: u64,
}

/// What the last statement has left: the functions that tell of it.
#[derive(Default)]
pub struct Last {
    /// `@@ROWCOUNT`.
    pub row_count: i64,
    /// `@@ERROR`.
    pub error: i32,
    /// RAISERROR … WITH SETERROR: `@@ERROR` after the statement.
    pub(crate) set_error: Option<i32>,
    /// `@@IDENTITY`.
    pub identity: Option<i64>,
    /// `SCOPE_IDENTITY()`.
    pub scope_identity: Option<i64>,
}

/// Where the running request is: modules, TRY blocks, the statement. The end of a request puts it in order.
pub struct Running {
    /// `@@NESTLEVEL`: procedures called and not ended.
    pub nest_level: u32,
    /// `@@PROCID`.
    pub procedure_id: i32,
    /// TRY blocks that enclose what runs, in all modules, and in the one that runs.
    pub(crate) tries: u32,
    pub(crate) own_tries: u32,
    /// Errors that CATCH blocks handle, the innermost last.
    pub caught: Vec<SqlError>,
    /// The severity of the gravest error of the module that runs, caught or not.
    pub(crate) gravest: u8,
    /// A statement in autocommit runs; those inside it end with it.
    pub(crate) in_statement: bool,
    /// What runs makes rows of so many columns for an INSERT … EXEC.
    pub(crate) taking: Option<usize>,
    /// The columns of a result were sent, its DONE was not.
    pub(crate) open_result: bool,
    /// The connection has to end.
    pub(crate) fatal: bool,
    /// Errors so far.
    pub errors_met: u32,
    /// Rows that the statements have told of.
    pub rows_done: u64,
    /// The moment of the running statement, once it was asked for.
    pub(crate) moment: std::cell::Cell<Option<crate::functions::Moment>>,
    /// Buffers that statements reuse.
    pub(crate) scratch: Option<Box<crate::exec::modify::Scratch>>,
    /// The client wants it to stop.
    pub(crate) cancel: Arc<AtomicBool>,
}

impl Running {
    /// Nothing runs. `cancel`: the connection's.
    pub(crate) fn new(cancel: Arc<AtomicBool>) -> Running {
        Running {
            nest_level: 0,
            procedure_id: 0,
            tries: 0,
            own_tries: 0,
            caught: Vec::new(),
            gravest: 0,
            in_statement: false,
            taking: None,
            open_result: false,
            fatal: false,
            errors_met: 0,
            rows_done: 0,
            moment: Default::default(),
            scratch: None,
            cancel,
        }
    }
}

/// What a statement has to warn of at its end.
#[derive(Default)]
pub(crate) struct Warnings {
    /// An aggregate left out NULLs: message 8153.
    pub null_eliminated: bool,
    /// Errors of arithmetic have become NULL: messages 3606 and 3607.
    pub overflowed: bool,
    pub divided_by_zero: bool,
}

/// What SET and procedures have put down until the session ends or is reset.
pub(crate) struct Kept {
    /// The database it began in: a reset goes back there.
    pub home: Arc<Database>,
    /// Trace flags that are on for the session.
    pub trace_flags: Vec<i64>,
    /// `SET IDENTITY_INSERT … ON`.
    pub identity_insert: Option<(DatabaseId, ObjectId)>,
    /// State of RAND().
    pub random: std::cell::Cell<u64>,
    /// Its application locks.
    pub app_locks: super::app_locks::AppLocks,
    /// CONTEXT_INFO.
    pub context_info: Value,
    /// SESSION_CONTEXT.
    pub context: Vec<ContextKey>,
}

/// What the client holds, by handle or by name.
#[derive(Default)]
pub(crate) struct Held {
    pub cursors: crate::exec::cursor::Cursors,
    pub prepared: hashbrown::HashMap<i32, Prepared, foldhash::fast::RandomState>,
    /// The handle of the statement that was prepared last.
    pub next_handle: i32,
    /// INSERT BULK has announced rows: the next request brings them.
    pub load: Option<crate::exec::bulk::PendingLoad>,
}

/// What look-ups of names have met while a statement was bound.
#[derive(Default)]
pub(crate) struct Lookups {
    /// Another session's DDL: see [`super::Session::note_blocked`].
    pub blocked: std::cell::Cell<Option<crate::catalog::Blocked>>,
    /// Views that the statement names and that could not be bound, the innermost first.
    pub failed_views: std::cell::RefCell<Vec<Arc<str>>>,
}

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
