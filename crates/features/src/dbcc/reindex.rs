//! `DBCC DBREINDEX ('table' [, 'index' [, fillfactor]])`: the old way to write ALTER INDEX … REBUILD.

use super::{number_of, text_of};
use crate::ddl::run_text;
use crate::names::{name_parts, table_by_text};
use crate::plan::names::bracketed;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;

/// Rebuilds one index, or all of them.
pub(super) fn run(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let wrong = |at: usize| SqlError::new(2560, &[&at]);
    let table = dbcc.arguments.first().and_then(text_of).ok_or_else(|| wrong(1))?;
    let index = match dbcc.arguments.get(1) {
        None => String::new(),
        Some(e) => text_of(e).ok_or_else(|| wrong(2))?,
    };
    let fill = match dbcc.arguments.get(2) {
        None => 0,
        Some(e) => number_of(e).filter(|n| (0..=100).contains(n)).ok_or_else(|| wrong(3))?,
    };
    if table_by_text(cx, &table)?.is_none() {
        return Err(SqlError::new(2501, &[&table]));
    }
    let mut parts = name_parts(&table);
    parts.reverse();
    let table: Vec<String> =
        parts.iter().map(|p| if p.is_empty() { String::new() } else { bracketed(p) }).collect();
    let index = if index.trim().is_empty() { "ALL".into() } else { bracketed(&index) };
    let with = if fill > 0 { format!(" WITH (FILLFACTOR = {fill})") } else { String::new() };
    let text = format!("ALTER INDEX {index} ON {} REBUILD{with}", table.join("."));
    run_text(cx, &text, || wrong(1))
}
