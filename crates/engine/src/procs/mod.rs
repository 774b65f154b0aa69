//! System procedures.
//!
//! Those that are queries are T-SQL, compiled in and run by the interpreter in the caller's database; the few that reach
//! below the language are functions.

use crate::context::StatementContext;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// An argument of a native procedure: its name with `@` (empty when it was given by position) and its value.
#[derive(Clone, Debug)]
pub struct Argument {
    /// With `@`.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// How a system procedure is run.
pub enum Body {
    /// A `CREATE PROCEDURE` batch: parameters and body.
    Sql(&'static str),
    /// Our own code; gives the return status.
    Native(fn(&mut StatementContext<'_>, &[Argument]) -> SqlResult<i32>),
}

/// A system procedure.
pub struct SystemProcedure {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub body: Body,
}

/// A system procedure by name: `sys.x`, and `dbo.x` or `x` from any database.
pub fn find(schema: Option<&str>, name: &str) -> Option<&'static SystemProcedure> {
    let _ = (schema, name);
    None
}
