//! Functions in FROM whose columns follow from their arguments: GENERATE_SERIES, STRING_SPLIT.

use super::{Bound, SourceColumn, unsupported};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::Expr;
use taffrail_types::{Family, MaxLen, SqlType, Value};

/// Brings the columns of a function to what its arguments make of them, and refuses arguments that it cannot take.
pub(super) fn shape(
    function: &str,
    args: &[Bound],
    columns: &mut Vec<SourceColumn>,
) -> SqlResult<()> {
    match function {
        "GENERATE_SERIES" => series(args),
        "STRING_SPLIT" => string_split(args, columns),
        _ => Ok(()),
    }
}

/// Integers only; mixed ones are all bigint here.
fn series(args: &[Bound]) -> SqlResult<()> {
    for b in args.iter().filter(|b| !b.untyped) {
        match b.ty.family() {
            Family::Integer => {}
            Family::Decimal => return Err(unsupported("GENERATE_SERIES of decimal or numeric")),
            _ => return Err(SqlError::new(5373, &[])),
        }
    }
    Ok(())
}

/// `value` is as long as the text that is split, and nvarchar when one of both is; `ordinal` is there when asked for.
fn string_split(args: &[Bound], columns: &mut Vec<SourceColumn>) -> SqlResult<()> {
    super::large::passed("STRING_SPLIT", args)?;
    for (n, b) in args.iter().take(2).enumerate().filter(|(_, b)| !b.untyped) {
        if !matches!(b.ty.family(), Family::Char | Family::NChar) {
            return Err(SqlError::new(8116, &[&b.ty.name(), &(n + 1), &"string_split"]));
        }
    }
    let wide = args.iter().take(2).any(|b| b.ty.family() == Family::NChar);
    if let (Some(text), Some(value)) = (args.first(), columns.first_mut()) {
        use SqlType::*;
        let len = match text.ty {
            Char(n) | NChar(n) => MaxLen::N(n),
            VarChar(len) | NVarChar(len) => len,
            _ => MaxLen::N(1),
        };
        value.ty = match (len, wide) {
            (MaxLen::N(n), true) if n > 4000 => NVarChar(MaxLen::N(4000)),
            (len, true) => NVarChar(len),
            (len, false) => VarChar(len),
        };
        value.collation = text.collation;
    }
    let ordinal = match args.get(2).map(|b| &b.expr) {
        None => false,
        Some(Expr::Const(Value::Null)) => false,
        Some(Expr::Const(v)) => match v.as_i64() {
            Some(0) => false,
            Some(1) => true,
            Some(n) => return Err(SqlError::new(4199, &[&n, &3, &"string_split"])),
            None => return Err(SqlError::new(8116, &[&args[2].ty.name(), &3, &"string_split"])),
        },
        Some(_) => return Err(SqlError::new(8748, &[])),
    };
    if !ordinal {
        columns.truncate(1);
    }
    Ok(())
}
