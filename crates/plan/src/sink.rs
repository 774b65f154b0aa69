//! What a session tells its client: the events of a result, in the order of the wire.
//!
//! The engine calls the sink as things happen; the sink encodes and sends. Rules that a sink may rely on:
//!
//! 1. `columns` comes before the `row`s of its result, and a `done` ends them.
//! 2. An error (`message` with severity 11 and more) is followed by the `done` of the statement that raised it.
//! 3. The engine does not know whether more follows: a sink that needs the "more" bit holds the last `done` back
//!    until the next event or the end of the call. A call may end without any `done` (a batch of declarations only).
//! 4. `return_status` and `return_value`s come after all results of a remote call and before its `done` with
//!    [`DoneKind::Procedure`].

use taffrail_base::SqlError;
use taffrail_types::collation::Collation;
use taffrail_types::convert::Declared;
pub use taffrail_types::convert::Large;
use taffrail_types::{SqlType, Value};

/// The client has gone (or asked to stop listening): the statement in progress ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClientGone;

/// What a sink answers.
pub type SinkResult = Result<(), ClientGone>;

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDesc {
    /// The name; empty for an unnamed expression.
    pub name: String,
    /// The type.
    pub ty: SqlType,
    /// Whether NULL can occur.
    pub nullable: bool,
    /// For character types.
    pub collation: Option<Collation>,
    /// Comes straight from an identity column.
    pub identity: bool,
    /// An expression rather than a column of a table: not updateable.
    pub computed: bool,
    /// xml, text, ntext and image are (max) types to the engine; clients see what was declared.
    pub large: Large,
    /// `user_type_id` of an alias type of the session's database; 0 for a system type.
    pub user_type: i32,
}

impl ColumnDesc {
    /// What conversions take it for.
    pub fn declared(&self) -> Declared {
        Declared::new(self.ty, self.large)
    }

    /// A nullable column that is nothing special.
    pub fn new(name: impl Into<String>, ty: SqlType) -> ColumnDesc {
        let collation = matches!(
            ty,
            SqlType::Char(_) | SqlType::VarChar(_) | SqlType::NChar(_) | SqlType::NVarChar(_)
        )
        .then(Collation::default);
        ColumnDesc {
            name: name.into(),
            ty,
            nullable: true,
            collation,
            identity: false,
            computed: true,
            large: Large::Plain,
            user_type: 0,
        }
    }
}

/// Which of the three DONE tokens ends this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DoneKind {
    /// A statement of a batch.
    Statement,
    /// A statement inside a procedure.
    InProcedure,
    /// A procedure that was called remotely.
    Procedure,
}

/// `CurCmd` of a DONE token: the kind of statement that ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Command(pub u16);

#[allow(missing_docs)]
impl Command {
    pub const NONE: Command = Command(0);
    pub const SELECT: Command = Command(0xC1);
    pub const SELECT_INTO: Command = Command(0xC2);
    pub const INSERT: Command = Command(0xC3);
    pub const DELETE: Command = Command(0xC4);
    pub const UPDATE: Command = Command(0xC5);
    pub const CREATE_TABLE: Command = Command(0xC6);
    pub const DROP_TABLE: Command = Command(0xC7);
    pub const CREATE_INDEX: Command = Command(0xC8);
    pub const DROP_INDEX: Command = Command(0xC9);
    pub const CREATE_DATABASE: Command = Command(0xCB);
    pub const DROP_DATABASE: Command = Command(0xCC);
    pub const CREATE_VIEW: Command = Command(0xCF);
    pub const DROP_VIEW: Command = Command(0xD0);
    pub const ROLLBACK: Command = Command(0xD2);
    pub const BEGIN_TRAN: Command = Command(0xD4);
    pub const COMMIT: Command = Command(0xD5);
    pub const SAVE_TRAN: Command = Command(0xD6);
    pub const ALTER_TABLE: Command = Command(0xD8);
    pub const CREATE_PROCEDURE: Command = Command(0xDE);
    pub const DROP_PROCEDURE: Command = Command(0xDF);
    pub const EXECUTE: Command = Command(0xE0);
    pub const BULK_INSERT: Command = Command(0xF0);
    pub const SET: Command = Command(0xF9);
    pub const OTHER: Command = Command(0xFD);
    pub const MERGE: Command = Command(0x117);
}

/// The end of a statement or procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Done {
    /// Which token.
    pub kind: DoneKind,
    /// What ended.
    pub command: Command,
    /// Rows returned or changed; `None` leaves the count bit unset (`SET NOCOUNT ON`, statements without rows).
    pub rows: Option<u64>,
    /// The statement failed.
    pub error: bool,
}

/// A change of the session's environment that the client has to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EnvChange {
    /// The current database.
    Database {
        /// Its name now.
        new: String,
        /// Its name before.
        old: String,
    },
    /// The language.
    Language {
        /// Its name now.
        new: String,
        /// Its name before.
        old: String,
    },
    /// The default collation of the current database.
    Collation(Collation),
    /// A transaction has begun (its descriptor).
    BeginTransaction(u64),
    /// A transaction has been committed (its descriptor).
    CommitTransaction(u64),
    /// A transaction has been rolled back (its descriptor).
    RollbackTransaction(u64),
    /// The connection was reset as the client asked.
    ResetAck,
}

/// An output parameter of a remote call.
#[derive(Clone, Debug)]
pub struct ReturnValue {
    /// Position among the parameters sent, from 0.
    pub ordinal: u16,
    /// The parameter's name as the client gave it; may be empty.
    pub name: String,
    /// Its type.
    pub ty: SqlType,
    /// Its value.
    pub value: Value,
}

/// The tables behind a cursor's columns, through which it is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CursorTables {
    /// The parts of each table's name.
    pub tables: Vec<Vec<String>>,
    /// For each column the number of its table, from 1, and its name there where it has another one; 0 for a column of none.
    pub columns: Vec<(u8, Option<String>)>,
}

/// Receives what a session says. A sink on this side of the wire need not care for more than rows and messages.
pub trait ResultSink {
    /// A result begins.
    fn columns(&mut self, columns: &[ColumnDesc]) -> SinkResult;
    /// A block of a cursor's rows begins; its last column, ROWSTAT, is hidden.
    fn cursor_columns(&mut self, columns: &[ColumnDesc], _tables: &CursorTables) -> SinkResult {
        self.columns(columns)
    }
    /// One row of it.
    fn row(&mut self, values: &[Value]) -> SinkResult;
    /// An error, or information when its severity is at most 10.
    fn message(&mut self, message: &SqlError) -> SinkResult;
    /// A statement or procedure has ended.
    fn done(&mut self, _done: Done) -> SinkResult {
        Ok(())
    }
    /// `RETURN n` of a procedure that was called remotely.
    fn return_status(&mut self, _status: i32) -> SinkResult {
        Ok(())
    }
    /// An output parameter.
    fn return_value(&mut self, _value: ReturnValue) -> SinkResult {
        Ok(())
    }
    /// The environment has changed.
    fn env_change(&mut self, _change: EnvChange) -> SinkResult {
        Ok(())
    }
    /// The rows to come are ordered by these columns (1-based).
    fn order(&mut self, _columns: &[u16]) -> SinkResult {
        Ok(())
    }
    /// The error for which the sink has not taken the last event; none: the client has gone.
    fn refusal(&mut self) -> Option<Box<SqlError>> {
        None
    }
    /// Whether the sink itself waits for what the session depends on before it gives anything away.
    fn is_gated(&self) -> bool {
        false
    }
    /// Sends what is buffered: a message raised `WITH NOWAIT`, or a statement that is going to wait.
    fn flush(&mut self) -> SinkResult {
        Ok(())
    }
}
