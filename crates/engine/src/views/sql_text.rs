//! sys.dm_exec_sql_text: the batch behind a handle.
//!
//! A handle is 20 bytes: `02 00 00 00`, then 16 bytes of hash of the text. The texts that handles lead to are those that
//! sessions run, or ran last; a handle of any other finds nothing, as one of a batch that SQL Server's cache has lost does.

use super::{Declaration, Rows, ViewContext, function};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(function("dm_exec_sql_text", 1, &["dbid smallint? · objectid int? · number smallint? · encrypted bit! · text nvarchar(max)?"], sql_text));
}

/// The handle of a batch; none for no text.
pub(super) fn handle(text: &str) -> Option<[u8; 20]> {
    if text.is_empty() {
        return None;
    }
    // FNV-1a of 128 bits.
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for byte in text.bytes() {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    let mut handle = [2; 20];
    handle[1..4].fill(0);
    handle[4..].copy_from_slice(&hash.to_be_bytes());
    Some(handle)
}

/// The same as a cell.
pub(super) fn handle_cell(text: &str) -> Value {
    handle(text).map_or(Value::Null, |h| Value::binary(&h))
}

fn sql_text(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(wanted) = args.first().and_then(Value::as_bytes) else { return Ok(()) };
    let texts = cx.session.instance.sessions().into_iter().map(|s| s.text());
    let mut found = texts.filter(|t| handle(t).is_some_and(|h| h[..] == *wanted));
    if let Some(text) = found.next() {
        rows.push(row![(), (), (), false, &*text]);
    }
    Ok(())
}
