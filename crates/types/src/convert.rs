//! Conversion.
use crate::datetime::DateFormat;
use crate::{Bytes, SqlType, Value};
use taffrail_base::{SqlError, SqlResult};

/// Who asks for a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// An expression or assignment.
    Implicit,
    /// CAST or CONVERT.
    Explicit,
}

/// What conversions need from the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvertContext {
    /// SET DATEFORMAT.
    pub date_format: DateFormat,
    /// `two digit year cutoff`, 2049 by default.
    pub two_digit_year_cutoff: u16,
}

impl Default for ConvertContext {
    fn default() -> Self {
        ConvertContext { date_format: DateFormat::Mdy, two_digit_year_cutoff: 2049 }
    }
}

/// One cell of the conversion matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Done where needed.
    Implicit,
    /// Only by CAST or CONVERT.
    Explicit,
    /// Never.
    NotAllowed,
}

/// The matrix.
pub fn rule(from: SqlType, to: SqlType) -> Rule { let _ = (from, to); todo!() }
/// Whether the conversion may be written at all: 257, 206, 529.
pub fn check(from: SqlType, to: SqlType, conversion: Conversion) -> SqlResult<()> { let _ = (from, to, conversion); todo!() }
/// The type both sides of an operator, a UNION, a CASE go to (the higher precedence, with lengths, precision and
/// scale joined); 206.
pub fn common_type(a: SqlType, b: SqlType) -> SqlResult<SqlType> { let _ = (a, b); todo!() }
/// Precedence: the higher number wins.
pub fn precedence(ty: SqlType) -> u8 { let _ = ty; todo!() }
/// Converts with the default session context. Text and binary that is too long is cut, as CAST and SET @v do.
pub fn cast(v: &Value, from: SqlType, to: SqlType, style: Option<i32>, conversion: Conversion) -> SqlResult<Value> {
    cast_with(v, from, to, style, conversion, &ConvertContext::default())
}
/// Converts.
pub fn cast_with(v: &Value, from: SqlType, to: SqlType, style: Option<i32>, conversion: Conversion, context: &ConvertContext) -> SqlResult<Value> {
    let _ = (v, from, to, style, conversion, context);
    todo!()
}

/// Why a value does not go into a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AssignError {
    /// The text or binary is longer than the column: message 2628 (the caller knows table and column); this is
    /// the text it quotes.
    Truncated(String),
    /// Any other.
    Sql(Box<SqlError>),
}

/// Converts for a column: like an implicit cast, except that nothing but trailing blanks (for binary: zeroes) is cut off silently.
pub fn assign(v: &Value, from: SqlType, to: SqlType, context: &ConvertContext) -> Result<Value, AssignError> {
    let _ = (v, from, to, context);
    todo!()
}

/// `CONVERT(varchar, @int)`: never more than 11 bytes.
#[inline]
pub fn int_to_varchar(v: i32) -> Bytes { let _ = v; todo!() }
