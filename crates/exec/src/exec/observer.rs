//! The one who is told of what sessions do.
//!
//! Sessions, requests, modules, statements, transactions and errors are told to an [`Observer`], which an instance has from its start on.
//! Nothing here knows who listens behind it. Whatever costs something is asked for first (`wants_…`).

use super::module::{Module, Stmt};
use crate::rpc::{RpcCall, TransactionRequest};
use crate::session::Session;
use taffrail_base::SqlError;
use taffrail_observe::Moment;
use taffrail_syntax::ast;

/// The figures of a session when something began.
pub struct Before {
    /// The moment of the beginning.
    pub at: Moment,
    /// Processor time of the session until then, in nanoseconds.
    pub cpu_ns: u64,
    /// Physical reads, logical reads and writes of the session until then, in pages.
    pub pages: [u64; 3],
}

/// The end of a request.
#[derive(Clone, Copy)]
pub enum Outcome {
    /// No error was met.
    Ok = 0,
    /// Errors were met.
    Error = 1,
    /// The client has cancelled it.
    Abort = 2,
}

/// A request as it is told.
pub enum Request<'a> {
    /// The text of a batch.
    Batch(&'a str),
    /// A procedure's name, and the statement that the call is, without passwords.
    Call(&'a str, &'a str),
}

/// A change of a session's transaction.
#[derive(Clone, Copy)]
pub enum Transaction {
    /// It has begun.
    Begin = 0,
    /// It was committed.
    Commit = 1,
    /// It was rolled back.
    Rollback = 2,
    /// It has a savepoint.
    Savepoint = 3,
}

/// Told with the session and whether it succeeded when a request of the transaction manager has ended.
pub type ManagerEnd = Box<dyn FnOnce(&Session, bool)>;

/// The one who is told.
pub trait Observer: Send + Sync {
    /// A session begins.
    fn session_begins(&self, session: &Session);
    /// A session ends.
    fn session_ends(&self, session: &Session);

    /// Batches and calls are to be told.
    fn wants_requests(&self) -> bool;
    /// Name and statement of a remote call, for [`Request::Call`].
    fn call(&self, call: &RpcCall) -> (String, String);
    /// A batch or call begins.
    fn request_begins(&self, session: &Session, request: &Request<'_>) -> Before;
    /// A batch or call has ended, with so many rows.
    fn request_ended(
        &self,
        session: &Session,
        request: &Request<'_>,
        before: &Before,
        ended: (Outcome, u64),
    );
    /// The client has cancelled its request.
    fn cancelled(&self, session: &Session);
    /// A request of the transaction manager begins; nothing is given where nobody wants its end.
    fn manager_begins(&self, session: &Session, request: &TransactionRequest)
    -> Option<ManagerEnd>;

    /// Runs of modules are to be told.
    fn wants_modules(&self) -> bool;
    /// A module begins.
    fn module_begins(&self, module: &Module) -> Moment;
    /// A module has ended.
    fn module_ended(&self, session: &Session, module: &Module, began: Moment);

    /// A statement begins; nothing is given for one whose end is not told.
    fn statement_begins(&self, session: &Session, module: &Module, s: &Stmt) -> Option<Before>;
    /// A statement has ended.
    fn statement_ended(&self, session: &Session, module: &Module, s: &Stmt, before: &Before);
    /// A feature's statement has run: its text and line, and whether it succeeded.
    fn registered_ran(
        &self,
        session: &Session,
        place: (&str, u32),
        statement: &ast::Statement,
        ok: bool,
    );

    /// The session's transaction has changed; the text is a savepoint's name.
    fn transaction(&self, session: &Session, change: Transaction, savepoint: &str);
    /// The session meets an error; `caught`: a TRY will hear of it and not the client.
    fn error(&self, session: &Session, e: &SqlError, caught: bool);
    /// Events must not be lost and have no room: they are written now.
    fn make_room(&self, session: &Session);
}
