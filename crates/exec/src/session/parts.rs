//! The parts of a session's state that have one meaning each.

use crate::database::Database;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use taffrail_base::ObjectId;
use taffrail_storage::Snapshot;
use taffrail_types::Value;

/// A `#table` or `#procedure` of a session, kept in tempdb under a name of its own.
#[derive(Clone, Debug)]
pub struct TempTable {
    /// As the user wrote it, with its `#`.
    pub name: String,
    /// In tempdb.
    pub object_id: ObjectId,
    /// The number of the activation that it belongs to and ends with.
    pub owner: u64,
}

/// Temporary tables of a session that no module which runs owns, and a count of all changes.
#[derive(Default)]
pub struct TempTables {
    /// Tables that the transaction has dropped: a rollback brings them back.
    pub(crate) dropped: Vec<TempTable>,
    /// Tables that could not be dropped when their module ended, in a doomed transaction, or that a rollback has brought back since.
    pub(crate) orphans: Vec<TempTable>,
    /// `##tables` and `##procedures` that it has made, in tempdb.
    pub global: Vec<ObjectId>,
    /// Counts creations and drops: plans that use such tables compare it.
    pub version: u64,
}

/// Facts of the request that runs, whichever module of it does.
pub struct Running {
    /// A statement runs; those inside it end with it.
    pub(crate) in_statement: bool,
    /// The snapshot that the statement reads by, if it has one of its own.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    /// The columns of a result were sent, its DONE was not.
    pub(crate) open_result: bool,
    /// The connection has to end.
    pub(crate) fatal: bool,
    /// Errors so far.
    pub errors_met: u32,
    /// Rows that the statements have told of.
    pub rows_done: u64,
    /// Triggers that the statement is to fire.
    pub(crate) due: Vec<crate::exec::triggers::Firing>,
    /// Events of DDL that the statement has raised.
    pub(crate) events: Vec<crate::exec::ddl_events::DdlEvent>,
    /// The view whose rows the statement that is bound changes along with those of a table.
    pub(crate) maintained: Option<crate::exec::indexed_view::Maintained>,
    /// Buffers that statements reuse.
    pub(crate) scratch: Option<Box<crate::exec::modify::Scratch>>,
    /// The assessment of the text that runs.
    pub(crate) assessed: Option<Box<crate::exec::assess::Assessment>>,
    /// The client wants it to stop.
    pub cancel: Arc<AtomicBool>,
}

impl Running {
    /// Nothing runs. `cancel`: the connection's.
    pub(crate) fn new(cancel: Arc<AtomicBool>) -> Running {
        Running {
            in_statement: false,
            snapshot: None,
            open_result: false,
            fatal: false,
            errors_met: 0,
            rows_done: 0,
            due: Vec::new(),
            events: Vec::new(),
            maintained: None,
            scratch: None,
            assessed: None,
            cancel,
        }
    }
}

/// What SET and procedures have put down until the session ends or is reset.
pub struct Kept {
    /// The database it began in: a reset goes back there.
    pub home: Arc<Database>,
    /// The identity that was asked for last.
    pub(crate) known_identity: std::cell::RefCell<super::identity::KnownIdentity>,
    /// The rights that were asked for last.
    pub(crate) known_rights: std::cell::RefCell<super::rights::KnownRights>,
    /// The masks that were asked about last.
    pub(crate) known_masks: super::unmasked::KnownMasks,
    /// Trace flags that are on for the session.
    pub trace_flags: Vec<i64>,
    /// Modules that were called so far: each activation has a number of its own.
    pub calls: u64,
    /// `@@IDENTITY`.
    pub identity: Option<i64>,
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
pub struct Held {
    /// Cursors of the session, global and remote.
    pub cursors: crate::exec::cursor::Cursors,
    /// Statements that were prepared, by handle.
    pub prepared: hashbrown::HashMap<i32, Prepared, foldhash::fast::RandomState>,
    /// The handle of the statement that was prepared last.
    pub next_handle: i32,
    /// INSERT BULK has announced rows: the next request brings them.
    pub load: Option<crate::exec::bulk::PendingLoad>,
}

/// What look-ups of names have met while a statement was bound.
#[derive(Default)]
pub struct Lookups {
    /// Another session's DDL: see [`super::Session::note_blocked`].
    pub blocked: std::cell::Cell<Option<crate::catalog::Blocked>>,
    /// Views that the statement names and that could not be bound, the innermost first.
    pub failed_views: std::cell::RefCell<Vec<Arc<str>>>,
}

/// A prepared statement.
#[derive(Clone)]
pub struct Prepared {
    /// The text of the statement.
    pub text: Arc<str>,
    /// The text that declares the parameters.
    pub declarations: String,
}

/// A key of SESSION_CONTEXT.
#[derive(Debug)]
pub struct ContextKey {
    /// The key as it was set.
    pub name: String,
    /// A variant, or NULL.
    pub value: Value,
    /// It stays as it is until the session ends.
    pub read_only: bool,
}
