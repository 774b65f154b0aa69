//! Rows of views: natural values in, values of the declared types out.

use crate::plan::system_view::ViewColumn;
use std::sync::Arc;
use taffrail_types::{Bytes, Collation, Decimal, MaxLen, SqlType, Value, codepage};

/// The rows of a view while they are made.
pub struct Rows<'a> {
    columns: &'a [ViewColumn],
    rows: Vec<Vec<Value>>,
}

impl<'a> Rows<'a> {
    /// No row yet.
    pub fn new(columns: &'a [ViewColumn]) -> Rows<'a> {
        Rows { columns, rows: Vec::new() }
    }

    /// Adds a row; values are brought to the columns' types.
    pub fn push(&mut self, mut row: Vec<Value>) {
        assert_eq!(row.len(), self.columns.len(), "a value for every column of the view");
        for (value, column) in row.iter_mut().zip(self.columns) {
            let natural = std::mem::take(value);
            *value = coerce(natural, column.ty);
            debug_assert!(column.nullable || !value.is_null(), "NULL in {}", column.name);
        }
        self.rows.push(row);
    }

    /// Adds the row that these columns make of a thing.
    pub fn show<T>(&mut self, columns: Columns<T>, from: &T) {
        let all = columns.iter().flat_map(|group| group.iter());
        self.push(all.map(|(_, value)| value(from)).collect());
    }

    /// The rows.
    pub fn finish(self) -> Vec<Vec<Value>> {
        self.rows
    }
}

/// A column of a view: its declaration, `name type!` or `name type?`, and its value in the row of a thing.
pub type Column<T> = (&'static str, fn(&T) -> Value);

/// Groups of columns, one after the other: what several views have in common is one group.
pub type Columns<T> = &'static [&'static [Column<T>]];

/// The value of a column that is always NULL.
pub fn null<T>(_: &T) -> Value {
    Value::Null
}

/// The value of a column that is always 0.
pub fn no<T>(_: &T) -> Value {
    Value::Bit(false)
}

/// The value of a column that is always 1.
pub fn yes<T>(_: &T) -> Value {
    Value::Bit(true)
}

/// Brings a natural value to a type. A value that does not fit becomes NULL (in debug builds: a panic).
pub fn coerce(value: Value, ty: SqlType) -> Value {
    if let Some(n) = value.as_i64() {
        return match ty {
            SqlType::Bit => Value::Bit(n != 0),
            SqlType::TinyInt => u8::try_from(n).map_or(Value::Null, Value::TinyInt),
            SqlType::SmallInt => i16::try_from(n).map_or(Value::Null, Value::SmallInt),
            SqlType::Int => Value::Int(n.clamp(i32::MIN as i64, i32::MAX as i64) as i32),
            SqlType::BigInt => Value::BigInt(n),
            SqlType::Real => Value::Real(n as f32),
            SqlType::Float => Value::Float(n as f64),
            SqlType::Decimal { scale: 0, .. } | SqlType::Numeric { scale: 0, .. } => {
                let d = Decimal::new(n < 0, n.unsigned_abs() as u128, 0);
                d.map_or(Value::Null, Value::Decimal)
            }
            SqlType::Variant => {
                let n = Value::Int(n.clamp(i32::MIN as i64, i32::MAX as i64) as i32);
                Value::Variant(Box::new((SqlType::Int, n)))
            }
            _ => misfit(&value, ty),
        };
    }
    match (value, ty) {
        (Value::Null, _) => Value::Null,
        (Value::NVarChar(b), SqlType::NVarChar(MaxLen::N(n))) => cut(b, n as usize * 2),
        (v @ Value::NVarChar(_), SqlType::NVarChar(MaxLen::Max)) => v,
        (Value::NVarChar(b), SqlType::NChar(n)) => {
            let mut b = b;
            b.truncate(n as usize * 2);
            while b.len() < n as usize * 2 {
                b.extend_from_slice(b" \0");
            }
            Value::NVarChar(b)
        }
        (Value::NVarChar(b), SqlType::VarChar(_)) => {
            Value::VarChar(codepage::encode_1252(&codepage::decode_utf16(&b)))
        }
        (Value::NVarChar(b), SqlType::Char(n)) => {
            let mut b = codepage::encode_1252(&codepage::decode_utf16(&b));
            b.resize(n as usize, b' ');
            Value::VarChar(b)
        }
        (Value::Binary(b), SqlType::Binary(n)) => {
            let mut b = b;
            b.resize(n as usize, 0);
            Value::Binary(b)
        }
        (Value::Float(f), SqlType::Real) => Value::Real(f as f32),
        (v @ Value::Variant(_), SqlType::Variant) => v,
        (v @ Value::NVarChar(_), SqlType::Variant) => {
            Value::Variant(Box::new((SqlType::NVarChar(MaxLen::N(4000)), v)))
        }
        (
            v @ (Value::DateTime { .. }
            | Value::DateTime2 { .. }
            | Value::Guid(_)
            | Value::Binary(_)
            | Value::Float(_)
            | Value::Real(_)
            | Value::Decimal(_)
            | Value::DateTimeOffset { .. }),
            _,
        ) => v,
        (v, ty) => misfit(&v, ty),
    }
}

fn cut(mut b: Bytes, max: usize) -> Value {
    b.truncate(max);
    Value::NVarChar(b)
}

#[cold]
fn misfit(value: &Value, ty: SqlType) -> Value {
    debug_assert!(false, "{value:?} in a column of type {ty:?}");
    Value::Null
}

/// A natural value of a row: see [`crate::row`].
pub trait IntoCell {
    /// The value.
    fn cell(self) -> Value;
}

macro_rules! integer_cells {
    ($($t:ty),*) => {
        $(impl IntoCell for $t {
            fn cell(self) -> Value {
                Value::BigInt(self as i64)
            }
        })*
    };
}
integer_cells!(u8, i16, u16, i32, u32, i64, u64, usize);

impl IntoCell for bool {
    fn cell(self) -> Value {
        Value::Bit(self)
    }
}

impl IntoCell for f64 {
    fn cell(self) -> Value {
        Value::Float(self)
    }
}

impl IntoCell for &str {
    fn cell(self) -> Value {
        Value::nvarchar(self)
    }
}

impl IntoCell for String {
    fn cell(self) -> Value {
        Value::nvarchar(&self)
    }
}

impl IntoCell for &String {
    fn cell(self) -> Value {
        Value::nvarchar(self)
    }
}

impl IntoCell for &Arc<str> {
    fn cell(self) -> Value {
        Value::nvarchar(self)
    }
}

impl IntoCell for &[u8] {
    fn cell(self) -> Value {
        Value::binary(self)
    }
}

impl IntoCell for Value {
    fn cell(self) -> Value {
        self
    }
}

impl IntoCell for &Value {
    fn cell(self) -> Value {
        self.clone()
    }
}

/// An LSN as `numeric(25,0)`.
impl IntoCell for taffrail_base::Lsn {
    fn cell(self) -> Value {
        Decimal::new(false, self.to_numeric(), 0).map_or(Value::Null, Value::Decimal)
    }
}

impl<T: IntoCell> IntoCell for Option<T> {
    fn cell(self) -> Value {
        self.map_or(Value::Null, T::cell)
    }
}

/// NULL.
impl IntoCell for () {
    fn cell(self) -> Value {
        Value::Null
    }
}

/// Whether values of the type have a collation.
pub fn is_text(ty: SqlType) -> bool {
    use SqlType::{Char, NChar, NVarChar, VarChar};
    matches!(ty, Char(_) | VarChar(_) | NChar(_) | NVarChar(_))
}

/// The collation of a column's text.
pub fn collation_cell(ty: SqlType, collation: Collation) -> Option<&'static str> {
    is_text(ty).then(|| collation.name())
}

/// A row of natural values; `()` is NULL.
#[macro_export]
#[doc(hidden)]
macro_rules! row {
    ($($v:expr),* $(,)?) => {
        vec![$($crate::features::cell::IntoCell::cell($v)),*]
    };
}
