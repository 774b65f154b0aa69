//! Functions in FROM whose columns follow from their arguments: GENERATE_SERIES, STRING_SPLIT.

use super::{Bound, SourceColumn};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::Expr;
use taffrail_types::{Family, MaxLen, SqlType, Value, convert};

/// Brings the columns of a function to what its arguments make of them, and refuses arguments that it cannot take. Says the type
/// that all arguments are converted to, where there is one.
pub(super) fn shape(
    function: &str,
    args: &[Bound],
    columns: &mut Vec<SourceColumn>,
) -> SqlResult<Option<SqlType>> {
    match function {
        "GENERATE_SERIES" => {
            let ty = series(args)?;
            columns.iter_mut().for_each(|c| c.ty = ty);
            Ok(Some(ty))
        }
        "STRING_SPLIT" => string_split(args, columns).map(|()| None),
        _ => Ok(None),
    }
}

/// The type of a series: that of its arguments, which are integers of one type, or decimals; 5373.
fn series(args: &[Bound]) -> SqlResult<SqlType> {
    let mut all = args.iter().filter(|b| !b.untyped).map(|b| b.ty);
    let first = all.next().unwrap_or(SqlType::Int);
    let ty = all.try_fold(first, |ty, other| match (ty.family(), other.family()) {
        (Family::Decimal, Family::Decimal) => convert::common_type(ty, other),
        _ if ty == other => Ok(ty),
        _ => Err(SqlError::new(5373, &[])),
    })?;
    match ty.family() {
        Family::Integer | Family::Decimal => Ok(ty),
        _ => Err(SqlError::new(5373, &[])),
    }
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
