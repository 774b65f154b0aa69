//! `taffrail.log_undo(transaction, backup …)`: T-SQL that takes a committed transaction back. See [`crate::explain`].

use super::{Declaration, SCHEMA, ViewContext};
use crate::explain::{Named, Undo};
use crate::features::needs;
use crate::views::{RowStream, streamed};
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult, TransactionId};
use taffrail_types::{SqlType, Value};

/// The transaction; and up to 64 files.
const ARGUMENTS: (usize, usize) = (1, 65);

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let columns = &["line int! · statement nvarchar(max)!"];
    views.push(Declaration {
        schema: SCHEMA,
        ..streamed("log_undo", needs::DB_OWNER, ARGUMENTS, columns, open)
    });
}

/// `0000:000002d6` as the log shows it, or the number that views show.
fn named(v: &Value) -> Option<Named> {
    let Some(text) = v.as_text() else {
        return Some(Named::Number(u64::try_from(v.as_i64()?).ok()?));
    };
    let text = text.trim();
    match text.split_once(':') {
        Some((high, low)) => {
            let part = |t| u32::from_str_radix(t, 16).ok().map(u64::from);
            Some(Named::Id(TransactionId(part(high)? << 32 | part(low)?)))
        }
        None => text.parse().ok().map(Named::Number),
    }
}

struct Script {
    undo: Undo,
    line: i32,
    wanted: Vec<usize>,
}

fn open(
    cx: &ViewContext<'_>,
    arguments: &[Value],
    wanted: &[usize],
) -> SqlResult<Box<dyn RowStream>> {
    let transaction = arguments.first().filter(|v| !v.is_null());
    if transaction.is_none() {
        return Err(unsupported(
            "taffrail.log_undo without a transaction (transaction_id or xact_id of taffrail.log_changes)",
        ));
    }
    let Some(transaction) = transaction.and_then(named) else {
        let ty = SqlType::BigInt.name();
        let from = arguments.first().map_or("nvarchar", super::log_changes::kind);
        return Err(SqlError::new(8114, &[&from, &ty]));
    };
    let source = super::log_changes::source(cx, arguments.get(1..).unwrap_or(&[]))?;
    let undo = Undo::open(source, transaction)?;
    Ok(Box::new(Script { undo, line: 0, wanted: wanted.to_vec() }))
}

impl RowStream for Script {
    fn next(&mut self, cells: &mut [Value]) -> SqlResult<bool> {
        let Some(statement) = self.undo.next()? else { return Ok(false) };
        self.line += 1;
        for (cell, column) in cells.iter_mut().zip(&self.wanted) {
            *cell = match column {
                0 => Value::Int(self.line),
                _ => Value::nvarchar(&statement),
            };
        }
        Ok(true)
    }
}
