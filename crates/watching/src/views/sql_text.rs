//! sys.dm_exec_sql_text: the batch behind a handle.
//!
//! The texts that handles lead to are those in the plan cache, by `sql_handle` or `plan_handle` ([`crate::exec::handles`]), and those that
//! sessions run, or ran last; a handle of any other finds nothing.

use super::{Declaration, Rows, ViewContext, function};
use crate::exec::handles::{handle_of_object, handle_of_text};
use crate::features::needs;
use crate::row;
use crate::session::entry::Statements;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(function(
        "dm_exec_sql_text",
        needs::SERVER_PERFORMANCE,
        1,
        &[
            "dbid smallint?",
            "objectid int?",
            "number smallint?",
            "encrypted bit!",
            "text nvarchar(max)?",
        ],
        sql_text,
    ));
}

/// The handle of what a session runs; none for no text.
pub(crate) fn running_handle(statements: &Statements) -> Option<[u8; 20]> {
    match statements.object {
        Some((database, object)) => Some(handle_of_object(database, object, &statements.text)),
        None => handle(&statements.text),
    }
}

/// The handle of a batch; none for no text.
fn handle(text: &str) -> Option<[u8; 20]> {
    (!text.is_empty()).then(|| handle_of_text(text))
}

/// The handle of a batch as a cell.
pub(super) fn handle_cell(text: &str) -> Value {
    handle(text).map_or(Value::Null, |h| Value::binary(&h))
}

/// The handle of what a session runs, as a cell.
pub(super) fn running_cell(statements: &Statements) -> Value {
    running_handle(statements).map_or(Value::Null, |h| Value::binary(&h))
}

fn sql_text(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(wanted) = args.first().and_then(Value::as_bytes) else { return Ok(()) };
    if let Some(module) = cx.session.instance.plans().by_handle(wanted) {
        rows.push(told(module.told()));
        return Ok(());
    }
    for s in cx.session.instance.sessions() {
        let (running, ..) = s.running_statement();
        if running_handle(&running).is_some_and(|h| h[..] == *wanted) {
            rows.push(told(running));
            return Ok(());
        }
        let text = s.text();
        if handle(&text).is_some_and(|h| h[..] == *wanted) {
            rows.push(row![(), (), (), false, &*text]);
            return Ok(());
        }
    }
    Ok(())
}

fn told(statements: Statements) -> Vec<Value> {
    let (database, object) = statements.object.unzip();
    // A module always has a text: one that is not shown is encrypted.
    let shown = Some(&*statements.text).filter(|text| !text.is_empty());
    row![database, object, (), shown.is_none(), shown]
}
