//! Text of values.
use crate::{SqlType, Value};
/// The value as PRINT and messages show it (CONVERT without style); NULL is `NULL`.
pub fn display(v: &Value, ty: SqlType) -> String { let _ = (v, ty); todo!() }
/// The key in a duplicate-key message: `(1, abc, <NULL>)`.
pub fn key_text<'a>(columns: impl IntoIterator<Item = (&'a Value, SqlType)>) -> String { let _ = columns.into_iter().count(); todo!() }
