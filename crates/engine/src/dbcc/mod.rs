//! DBCC commands.
//!
//! Whatever a command prints or returns, it ends with message 2528, unless `WITH NO_INFOMSGS` was said.

use crate::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;

/// Runs a DBCC statement.
pub fn execute(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let _ = cx;
    Err(SqlError::new(2526, &[&dbcc.command.value]))
}
