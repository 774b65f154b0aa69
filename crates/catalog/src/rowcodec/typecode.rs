//! Types and self-describing values as bytes: what the catalogue stores, and `sql_variant`.
//!
//! ```text
//! type     number u8 (stable, below) | a u16 | b u8        a: length (0xffff = max) or precision; b: scale
//! variant  type (4) | value: fixed-length form, or the bytes of a string
//! ```

use super::{damaged, fixed, take};
use taffrail_base::SqlResult;
use taffrail_types::{Bytes, MaxLen, SqlType, Value};

const MAX: u16 = 0xffff;

fn len(n: MaxLen) -> u16 {
    match n {
        MaxLen::N(n) => n,
        MaxLen::Max => MAX,
    }
}

fn max_len(n: u16) -> MaxLen {
    if n == MAX { MaxLen::Max } else { MaxLen::N(n) }
}

/// The four bytes of a type. The numbers never change.
pub fn type_bytes(ty: SqlType) -> [u8; 4] {
    let (number, a, b) = match ty {
        SqlType::Bit => (1, 0, 0),
        SqlType::TinyInt => (2, 0, 0),
        SqlType::SmallInt => (3, 0, 0),
        SqlType::Int => (4, 0, 0),
        SqlType::BigInt => (5, 0, 0),
        SqlType::Decimal { precision, scale } => (6, precision as u16, scale),
        SqlType::Numeric { precision, scale } => (7, precision as u16, scale),
        SqlType::Money => (8, 0, 0),
        SqlType::SmallMoney => (9, 0, 0),
        SqlType::Real => (10, 0, 0),
        SqlType::Float => (11, 0, 0),
        SqlType::Date => (12, 0, 0),
        SqlType::Time(n) => (13, 0, n),
        SqlType::DateTime => (14, 0, 0),
        SqlType::SmallDateTime => (15, 0, 0),
        SqlType::DateTime2(n) => (16, 0, n),
        SqlType::DateTimeOffset(n) => (17, 0, n),
        SqlType::Char(n) => (18, n, 0),
        SqlType::VarChar(n) => (19, len(n), 0),
        SqlType::NChar(n) => (20, n, 0),
        SqlType::NVarChar(n) => (21, len(n), 0),
        SqlType::Binary(n) => (22, n, 0),
        SqlType::VarBinary(n) => (23, len(n), 0),
        SqlType::UniqueIdentifier => (24, 0, 0),
        SqlType::Variant => (25, 0, 0),
        SqlType::RowVersion => (26, 0, 0),
    };
    let [a0, a1] = u16::to_le_bytes(a);
    [number, a0, a1, b]
}

/// The inverse of [`type_bytes`].
pub fn type_from_bytes(bytes: &[u8]) -> SqlResult<SqlType> {
    let &[number, a0, a1, b] = bytes else { return Err(damaged("a stored type")) };
    let a = u16::from_le_bytes([a0, a1]);
    let scale = |n: u8| if n <= 7 { Ok(n) } else { Err(damaged("a stored type")) };
    let precision = a.min(255) as u8;
    if matches!(number, 6 | 7) && (!(1..=38).contains(&precision) || b > precision) {
        return Err(damaged("a stored type"));
    }
    Ok(match number {
        1 => SqlType::Bit,
        2 => SqlType::TinyInt,
        3 => SqlType::SmallInt,
        4 => SqlType::Int,
        5 => SqlType::BigInt,
        6 => SqlType::Decimal { precision, scale: b },
        7 => SqlType::Numeric { precision, scale: b },
        8 => SqlType::Money,
        9 => SqlType::SmallMoney,
        10 => SqlType::Real,
        11 => SqlType::Float,
        12 => SqlType::Date,
        13 => SqlType::Time(scale(b)?),
        14 => SqlType::DateTime,
        15 => SqlType::SmallDateTime,
        16 => SqlType::DateTime2(scale(b)?),
        17 => SqlType::DateTimeOffset(scale(b)?),
        18 => SqlType::Char(a),
        19 => SqlType::VarChar(max_len(a)),
        20 => SqlType::NChar(a),
        21 => SqlType::NVarChar(max_len(a)),
        22 => SqlType::Binary(a),
        23 => SqlType::VarBinary(max_len(a)),
        24 => SqlType::UniqueIdentifier,
        25 => SqlType::Variant,
        26 => SqlType::RowVersion,
        _ => return Err(damaged("a stored type")),
    })
}

/// Appends a value with its type. NULL is not written: a NULL variant is a NULL.
pub fn append_variant(out: &mut Vec<u8>, ty: SqlType, value: &Value) -> SqlResult<()> {
    if let Value::Variant(inner) = value {
        return append_variant(out, inner.0, &inner.1);
    }
    out.extend_from_slice(&type_bytes(ty));
    match fixed::size(ty) {
        Some(n) => {
            let at = out.len();
            out.resize(at + n, 0);
            fixed::write(&mut out[at..], ty, value)
        }
        None => {
            out.extend_from_slice(value.as_bytes().ok_or_else(|| damaged("a variant value"))?);
            Ok(())
        }
    }
}

/// Reads what [`append_variant`] wrote: the type and the value.
pub fn read_variant(mut bytes: &[u8]) -> SqlResult<(SqlType, Value)> {
    let ty = type_from_bytes(take(&mut bytes, 4, "a variant value")?)?;
    let value = match ty {
        SqlType::VarChar(_) => Value::VarChar(Bytes::from_slice(bytes)),
        SqlType::NVarChar(_) => Value::NVarChar(Bytes::from_slice(bytes)),
        SqlType::VarBinary(_) => Value::Binary(Bytes::from_slice(bytes)),
        SqlType::Variant => return Err(damaged("a variant value")),
        _ => fixed::read(bytes, ty)?,
    };
    Ok((ty, value))
}
