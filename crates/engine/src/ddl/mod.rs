//! Statements that change the catalogue: databases, tables, indexes, constraints, procedures, schemas, backup.

use crate::catalog::{Object, Table};
use crate::context::StatementContext;
use crate::database::Database;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_syntax::ast;
use taffrail_types::{Collation, SqlType};

/// A column of a table that a statement makes as it goes: SELECT INTO, table variables.
#[derive(Clone, Debug)]
pub struct NewColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: SqlType,
    /// NULL is allowed.
    pub nullable: bool,
    /// For character types.
    pub collation: Collation,
    /// IDENTITY(seed, increment).
    pub identity: Option<(i64, i64)>,
}

/// Runs a statement of the catalogue. `text` is the batch (or module) that the statement's spans point into.
/// `None`: the statement is none of them.
pub fn execute(
    cx: &mut StatementContext<'_>,
    statement: &ast::Statement,
    text: &str,
) -> Option<SqlResult<()>> {
    let _ = (cx, statement, text);
    None
}
