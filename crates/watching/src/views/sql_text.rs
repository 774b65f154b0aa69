//! sys.dm_exec_sql_text: the batch behind a handle.
//!
//! A handle is 20 bytes: of a batch `02 00 00 00`, then 16 bytes of hash of the text; of a module `03 00`, its database and
//! id, then 12 bytes of hash. The texts that handles lead to are those that
//! sessions run, or ran last; a handle of any other finds nothing, as one of a batch that SQL Server's cache has lost does.

use super::{Declaration, Rows, ViewContext, function};
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

/// FNV-1a of 128 bits.
fn hash(text: &str) -> u128 {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for byte in text.bytes() {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    hash
}

/// The handle of a batch; none for no text.
pub(super) fn handle(text: &str) -> Option<[u8; 20]> {
    if text.is_empty() {
        return None;
    }
    let mut handle = [2; 20];
    handle[1..4].fill(0);
    handle[4..].copy_from_slice(&hash(text).to_be_bytes());
    Some(handle)
}

/// The handle of what a session runs: of a module its database and id.
pub(crate) fn running_handle(statements: &Statements) -> Option<[u8; 20]> {
    let Some((database, object)) = statements.object else { return handle(&statements.text) };
    let mut handle = [0; 20];
    handle[0] = 3;
    handle[2..4].copy_from_slice(&database.to_le_bytes());
    handle[4..8].copy_from_slice(&object.to_le_bytes());
    handle[8..].copy_from_slice(&hash(&statements.text).to_be_bytes()[..12]);
    Some(handle)
}

/// The same as a cell.
pub(super) fn handle_cell(text: &str) -> Value {
    handle(text).map_or(Value::Null, |h| Value::binary(&h))
}

/// The handle of what a session runs, as a cell.
pub(super) fn running_cell(statements: &Statements) -> Value {
    running_handle(statements).map_or(Value::Null, |h| Value::binary(&h))
}

fn sql_text(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(wanted) = args.first().and_then(Value::as_bytes) else { return Ok(()) };
    for s in cx.session.instance.sessions() {
        let (running, ..) = s.running_statement();
        if running_handle(&running).is_some_and(|h| h[..] == *wanted) {
            let (database, object) = running.object.unzip();
            // A module always has a text: one that is not shown is encrypted.
            let shown = Some(&*running.text).filter(|text| !text.is_empty());
            rows.push(row![database, object, (), shown.is_none(), shown]);
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
