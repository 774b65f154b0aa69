//! A single SQL value in memory.

use crate::codepage::CodePage;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// Bytes that a string value holds without an allocation.
pub const INLINE_BYTES: usize = 24;

/// Short byte strings stay inside the value: no allocation up to [`INLINE_BYTES`].
pub type Bytes = SmallVec<[u8; INLINE_BYTES]>;

// Rows of values are copied and walked all the time; 24 inline bytes are what 40 have room for.
const _: () = assert!(size_of::<Value>() <= 40);

/// A value; its precise type (length, scale …) is known from where it came. NULL has no type of its own.
/// `==` is identity of representation, but for the zeros of a float and the scales of a decimal.
/// SQL's equality is [`crate::compare::equal`].
///
/// Text is kept as it is stored and sent: `varchar` in the collation's code page, `nvarchar` as UTF-16LE bytes.
#[derive(PartialEq, Debug, Default)]
pub enum Value {
    /// NULL of any type.
    #[default]
    Null,
    /// A value of bit.
    Bit(bool),
    /// A value of tinyint.
    TinyInt(u8),
    /// A value of smallint.
    SmallInt(i16),
    /// A value of int.
    Int(i32),
    /// A value of bigint.
    BigInt(i64),
    /// decimal and numeric: value × 10^scale.
    Decimal(crate::decimal::Decimal),
    /// money and smallmoney: value × 10^4.
    Money(i64),
    /// A value of real.
    Real(f32),
    /// A value of float.
    Float(f64),
    /// date: days since 0001-01-01.
    Date(u32),
    /// time: 100 ns since midnight.
    Time(u64),
    /// datetime: days since 1900-01-01 (may be negative) and 1/300 s since midnight.
    DateTime {
        /// Days since 1900-01-01, perhaps negative.
        days: i32,
        /// 1/300 s since midnight.
        ticks: u32,
    },
    /// smalldatetime: days since 1900-01-01 and minutes.
    SmallDateTime {
        /// Days since 1900-01-01, 0 to 65535.
        days: u16,
        /// Minutes since midnight, local time.
        minutes: u16,
    },
    /// datetime2: days since 0001-01-01 and 100 ns since midnight.
    DateTime2 {
        /// The day, counted from 0001-01-01.
        days: u32,
        /// 100 ns since midnight.
        ticks: u64,
    },
    /// datetimeoffset: UTC instant and the offset in minutes.
    DateTimeOffset {
        /// Days since 0001-01-01, UTC.
        days: u32,
        /// 100 ns since midnight, UTC.
        ticks: u64,
        /// Minutes east of UTC.
        offset: i16,
    },
    /// char and varchar, in the code page of the collation (1252 for the default one).
    VarChar(Bytes),
    /// nchar and nvarchar, UTF-16LE.
    NVarChar(Bytes),
    /// A value of binary, varbinary or rowversion.
    Binary(Bytes),
    /// uniqueidentifier, bytes as stored.
    Guid([u8; 16]),
    /// A value of sql_variant, with its own type.
    Variant(Box<(crate::sqltype::SqlType, Value)>),
}

/// As it would be derived, but for byte strings: `SmallVec`'s own `clone` goes byte by byte, here memory is copied. (Of an INSERT of
/// 4,000-byte rows that was a tenth of the time.)
impl Clone for Value {
    #[inline]
    fn clone(&self) -> Value {
        match self {
            Value::Null => Value::Null,
            Value::Bit(v) => Value::Bit(*v),
            Value::TinyInt(v) => Value::TinyInt(*v),
            Value::SmallInt(v) => Value::SmallInt(*v),
            Value::Int(v) => Value::Int(*v),
            Value::BigInt(v) => Value::BigInt(*v),
            Value::Decimal(v) => Value::Decimal(*v),
            Value::Money(v) => Value::Money(*v),
            Value::Real(v) => Value::Real(*v),
            Value::Float(v) => Value::Float(*v),
            Value::Date(v) => Value::Date(*v),
            Value::Time(v) => Value::Time(*v),
            Value::DateTime { days, ticks } => Value::DateTime { days: *days, ticks: *ticks },
            Value::SmallDateTime { days, minutes } => {
                Value::SmallDateTime { days: *days, minutes: *minutes }
            }
            Value::DateTime2 { days, ticks } => Value::DateTime2 { days: *days, ticks: *ticks },
            Value::DateTimeOffset { days, ticks, offset } => {
                Value::DateTimeOffset { days: *days, ticks: *ticks, offset: *offset }
            }
            Value::VarChar(b) => Value::VarChar(Bytes::from_slice(b)),
            Value::NVarChar(b) => Value::NVarChar(Bytes::from_slice(b)),
            Value::Binary(b) => Value::Binary(Bytes::from_slice(b)),
            Value::Guid(v) => Value::Guid(*v),
            Value::Variant(v) => Value::Variant(v.clone()),
        }
    }
}

/// No value is NaN: a float that is none is refused before it comes to be.
impl Eq for Value {}

/// Equal values hash alike; floats by their bits, of which zero has one pattern here.
impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Value::Null => {}
            Value::Bit(v) => v.hash(state),
            Value::TinyInt(v) => v.hash(state),
            Value::SmallInt(v) => v.hash(state),
            Value::Int(v) => v.hash(state),
            Value::BigInt(v) | Value::Money(v) => v.hash(state),
            Value::Decimal(v) => v.hash(state),
            Value::Real(v) => (v + 0.0).to_bits().hash(state),
            Value::Float(v) => (v + 0.0).to_bits().hash(state),
            Value::Date(v) => v.hash(state),
            Value::Time(v) => v.hash(state),
            Value::DateTime { days, ticks } => (days, ticks).hash(state),
            Value::SmallDateTime { days, minutes } => (days, minutes).hash(state),
            Value::DateTime2 { days, ticks } => (days, ticks).hash(state),
            Value::DateTimeOffset { days, ticks, offset } => (days, ticks, offset).hash(state),
            Value::VarChar(b) | Value::NVarChar(b) | Value::Binary(b) => b.hash(state),
            Value::Guid(v) => v.hash(state),
            Value::Variant(v) => v.hash(state),
        }
    }
}

impl Value {
    /// Whether the value is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }
    /// varchar of UTF-8 text (code page 1252, `?` for what it lacks).
    pub fn varchar(s: &str) -> Value {
        Value::VarChar(crate::codepage::encode_1252(s))
    }
    /// varchar of UTF-8 text in a code page.
    pub fn varchar_of(page: CodePage, s: &str) -> Value {
        Value::VarChar(page.encode(s))
    }
    /// nvarchar of UTF-8 text.
    pub fn nvarchar(s: &str) -> Value {
        Value::NVarChar(crate::codepage::encode_utf16(s))
    }
    /// A varbinary of these bytes.
    pub fn binary(b: &[u8]) -> Value {
        Value::Binary(Bytes::from_slice(b))
    }
    /// Any of bit, tinyint, smallint, int, bigint.
    #[inline]
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Value::Bit(b) => Some(b as i64),
            Value::TinyInt(v) => Some(v as i64),
            Value::SmallInt(v) => Some(v as i64),
            Value::Int(v) => Some(v as i64),
            Value::BigInt(v) => Some(v),
            _ => None,
        }
    }
    /// The bytes of a character or binary string.
    #[inline]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::VarChar(b) | Value::NVarChar(b) | Value::Binary(b) => Some(b),
            _ => None,
        }
    }
    /// The text of a character string as UTF-8, of a varchar in this code page; None for other values.
    pub fn text_of(&self, page: CodePage) -> Option<String> {
        match self {
            Value::VarChar(b) => Some(page.decode(b)),
            other => other.as_text(),
        }
    }
    /// The text of a character string as UTF-8, of a varchar in code page 1252; None for other values.
    pub fn as_text(&self) -> Option<String> {
        match self {
            Value::VarChar(b) => Some(crate::codepage::decode_1252(b)),
            Value::NVarChar(b) => Some(crate::codepage::decode_utf16(b)),
            _ => None,
        }
    }
}
