//! What goes to a callee of EXEC and what comes back.

use super::module::OfTableType;
use taffrail_base::{ObjectId, SqlError};
use taffrail_types::convert::{Declared, Large};
use taffrail_types::{SqlType, Value};

/// An argument that has been evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    /// With `@`; empty for one by position.
    pub name: String,
    /// `None`: the default.
    pub value: Option<Value>,
    pub ty: SqlType,
    /// It is xml, text, ntext or image.
    pub large: Large,
    /// Even NULL is refused where its type is: not the word NULL, and not what clients send, who often do not know.
    pub typed: bool,
    /// The caller wants it back.
    pub output: bool,
    /// A table of a table type, in place of a value.
    pub table: Option<(OfTableType, ObjectId)>,
    /// The caller's cursor variable, which takes a cursor from the callee.
    pub cursor: Option<PassedCursor>,
}

/// A cursor variable that is passed for output.
#[derive(Clone, Debug)]
pub(crate) struct PassedCursor {
    /// The name of the variable, with its `@`.
    pub name: Box<str>,
    /// The nesting level of the caller, whose variable it is.
    pub level: u32,
    /// The variable has a cursor already.
    pub allocated: bool,
}

/// What a procedure gives back.
#[derive(Default)]
pub struct Returned {
    pub status: i32,
    /// `EXEC @status = …` leaves the variable alone.
    pub silent: bool,
    /// For each argument passed for output: its place among them, value and type.
    pub outputs: Vec<(usize, Value, Declared)>,
    /// An error has ended it early.
    pub cut: bool,
    /// The value of a scalar function.
    pub value: Option<(Value, Declared)>,
}

/// Why a callee did not return.
pub struct Failed {
    pub error: Box<SqlError>,
    /// What `EXEC @status = …` takes all the same: of procedures of the system 1, of texts @@ERROR.
    pub status: Option<i32>,
}

impl From<Box<SqlError>> for Failed {
    fn from(error: Box<SqlError>) -> Failed {
        Failed { error, status: None }
    }
}

pub(crate) type Called = Result<Returned, Failed>;
