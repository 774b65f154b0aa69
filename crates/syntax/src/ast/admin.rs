//! Administration: DBCC, KILL, bulk loading.

use super::{ColumnDefinition, Expr, Ident, NamedOption, ObjectName};

/// `DBCC command (arguments) WITH options`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dbcc {
    /// The command as typed, or the DLL's name of `DBCC dll (FREE)`.
    pub command: Ident,
    /// The arguments; a bare word arrives as a column of that name.
    pub arguments: Vec<Expr>,
    /// Whether the command had parentheses, which may be empty.
    pub parenthesised: bool,
    /// `WITH TABLERESULTS, NO_INFOMSGS …`.
    pub options: Vec<NamedOption>,
}

/// `KILL session [WITH STATUSONLY]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Kill {
    /// A session's number, or a unit of work's GUID as a string.
    pub target: Expr,
    /// Whether `WITH STATUSONLY` asks how far a rollback has come instead of ending the session.
    pub status_only: bool,
}

/// `BULK INSERT table FROM 'file' WITH (…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkInsert {
    /// The table that receives the rows.
    pub table: ObjectName,
    /// The path of the file that is read.
    pub file: Box<str>,
    /// `WITH (…)`; `ORDER (…)` is a list.
    pub options: Vec<NamedOption>,
}

/// `INSERT BULK table (columns) WITH (…)`: the client sends the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct InsertBulk {
    /// The table that receives the rows.
    pub table: ObjectName,
    /// Its columns with their types, `COLLATE` and `NULL`.
    pub columns: Vec<ColumnDefinition>,
    /// `WITH (TABLOCK, CHECK_CONSTRAINTS …)`; `ORDER (…)` is a list.
    pub options: Vec<NamedOption>,
}
