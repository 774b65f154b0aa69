//! Table-valued functions that make rows of their arguments: STRING_SPLIT, GENERATE_SERIES. They are found without a schema.

use super::{Declaration, Rows, ViewContext, ranged};
use crate::row;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        ranged("STRING_SPLIT", (2, 2), &["value nvarchar(4000)?"], string_split),
        ranged("GENERATE_SERIES", (2, 3), &["value bigint?"], series),
        ranged(
            "fn_helpcollations",
            (0, 0),
            &["name sysname! · description nvarchar(1000)!"],
            collations,
        ),
    ]);
}

fn string_split(_: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let text = args.first().and_then(Value::as_text);
    let separator = args.get(1).and_then(Value::as_text).unwrap_or_default();
    if separator.encode_utf16().count() != 1 {
        return Err(SqlError::new(214, &[&"separator", &"nchar(1)/nvarchar(1)"]));
    }
    for part in text.iter().flat_map(|t| t.split(&*separator)) {
        rows.push(row![part]);
    }
    Ok(())
}

fn series(_: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let [from, to, step] = [0, 1, 2].map(|i| args.get(i).and_then(Value::as_i64));
    let (Some(mut at), Some(to)) = (from, to) else { return Ok(()) };
    let step = step.unwrap_or(if at <= to { 1 } else { -1 });
    if step == 0 {
        return Err(SqlError::new(4199, &[&0, &3, &"generate_series"]));
    }
    while if step > 0 { at <= to } else { at >= to } {
        rows.push(row![at]);
        at = match at.checked_add(step) {
            Some(next) => next,
            None => break,
        };
    }
    Ok(())
}

fn collations(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let name = taffrail_types::Collation::default().name();
    rows.push(row![
        name,
        "Latin1-General, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL Server Sort Order 52 on Code Page 1252 for non-Unicode Data"
    ]);
    Ok(())
}
