//! Comparison of values.
use crate::{Collation, SqlType, Value};
use std::cmp::Ordering;
use taffrail_base::SqlResult;

/// The type to cast both sides of a comparison to; 402, 206.
pub fn comparison_type(a: SqlType, b: SqlType, operator: &str) -> SqlResult<SqlType> { let _ = (a, b, operator); todo!() }
/// Orders two values of the same type. NULL is below everything and equal to NULL (as ORDER BY and GROUP BY see it).
#[inline]
pub fn compare(a: &Value, b: &Value, collation: Collation) -> Ordering { let _ = (a, b, collation); todo!() }
/// `a = b` for two values of one type, neither NULL.
#[inline]
pub fn equal(a: &Value, b: &Value, collation: Collation) -> bool { compare(a, b, collation) == Ordering::Equal }
/// A hash that is equal where [`compare`] says equal.
pub fn hash(v: &Value, collation: Collation) -> u64 { let _ = (v, collation); todo!() }
