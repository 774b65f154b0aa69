//! Values to bytes. A column's layout is worked out once ([`Encoder::new`]); a value is then one `match` and a copy.

use super::{PLP_NULL, SHORT_NULL, pow10};
use crate::downlevel;
use crate::typeinfo::{TypeInfo, Wire, byte, decimal_bytes, time_bytes};
use taffrail_types::{Decimal, MaxLen, SqlType, Value};

/// How the values of one column are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoder {
    layout: Layout,
    /// No length comes before a value, and none is NULL.
    fixed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    Bit,
    Int1,
    Int2,
    Int4,
    Int8,
    Real,
    Float,
    Money4,
    Money8,
    Decimal {
        bytes: u8,
        scale: u8,
    },
    Date,
    Time(u8),
    DateTime,
    SmallDateTime,
    DateTime2(u8),
    DateTimeOffset(u8),
    Guid,
    /// Character or binary string with a two-byte length, of at most so many bytes.
    Short(u16),
    /// A date type of 2008 as nvarchar of at most so many bytes; the value's own type decides its scale.
    DateText {
        max: u16,
        scale: u8,
    },
    Plp,
    Pointer,
    Variant,
}

/// Why a value was not written.
type What = &'static str;

impl Encoder {
    /// For a column that was announced as `info` and holds values of `source`.
    ///
    /// The two differ where an older version is served by a substitute.
    pub fn new(info: &TypeInfo, source: SqlType) -> Encoder {
        use SqlType::*;
        if let (NVarChar(MaxLen::N(units)), Date | Time(_) | DateTime2(_) | DateTimeOffset(_)) =
            (info.sql, source)
        {
            let scale = match source {
                Time(s) | DateTime2(s) | DateTimeOffset(s) => s,
                _ => 0,
            };
            let layout = Layout::DateText { max: units * 2, scale };
            return Encoder { layout, fixed: false };
        }
        let layout = match info.sql {
            Bit => Layout::Bit,
            TinyInt => Layout::Int1,
            SmallInt => Layout::Int2,
            Int => Layout::Int4,
            BigInt => Layout::Int8,
            Real => Layout::Real,
            Float => Layout::Float,
            SmallMoney => Layout::Money4,
            Money => Layout::Money8,
            Decimal { precision, scale } | Numeric { precision, scale } => {
                Layout::Decimal { bytes: decimal_bytes(precision), scale }
            }
            Date => Layout::Date,
            Time(scale) => Layout::Time(scale),
            DateTime => Layout::DateTime,
            SmallDateTime => Layout::SmallDateTime,
            DateTime2(scale) => Layout::DateTime2(scale),
            DateTimeOffset(scale) => Layout::DateTimeOffset(scale),
            UniqueIdentifier => Layout::Guid,
            Variant => Layout::Variant,
            Char(n) | Binary(n) | VarChar(MaxLen::N(n)) | VarBinary(MaxLen::N(n)) => {
                Layout::Short(n)
            }
            NChar(n) | NVarChar(MaxLen::N(n)) => Layout::Short(n.saturating_mul(2)),
            RowVersion => Layout::Short(8),
            VarChar(MaxLen::Max) | NVarChar(MaxLen::Max) | VarBinary(MaxLen::Max) => {
                if info.wire == Wire::TextPointer { Layout::Pointer } else { Layout::Plp }
            }
        };
        Encoder { layout, fixed: matches!(info.wire, Wire::Fixed(_)) }
    }

    /// Bytes that a NULL takes in a plain ROW.
    pub fn null_bytes(&self) -> usize {
        match self.layout {
            Layout::Short(_) | Layout::DateText { .. } => 2,
            Layout::Plp => 8,
            Layout::Variant => 4,
            _ => 1,
        }
    }

    /// Appends a value in the column's form.
    #[inline]
    pub fn put(&self, out: &mut Vec<u8>, value: &Value) -> Result<(), What> {
        if !self.fixed {
            return self.put_delimited(out, value);
        }
        match (self.layout, value) {
            (Layout::Int4, Value::Int(v)) => out.extend_from_slice(&v.to_le_bytes()),
            (_, Value::Null) => return Err("NULL in a column that has none"),
            _ => {
                let length = out.len();
                self.put_delimited(out, value)?;
                out.remove(length);
            }
        }
        Ok(())
    }

    #[inline]
    fn put_delimited(&self, out: &mut Vec<u8>, value: &Value) -> Result<(), What> {
        const WRONG: What = "value of another type than the column's";
        const RANGE: What = "value out of the column's range";
        match (self.layout, value) {
            (_, Value::Null) => self.put_null(out),
            (Layout::Int4, &Value::Int(v)) => {
                let [a, b, c, d] = v.to_le_bytes();
                out.extend_from_slice(&[4, a, b, c, d]);
            }
            (Layout::Short(max), Value::VarChar(b) | Value::NVarChar(b) | Value::Binary(b)) => {
                if b.len() > max as usize {
                    return Err("string longer than its column");
                }
                out.extend_from_slice(&(b.len() as u16).to_le_bytes());
                out.extend_from_slice(b);
            }
            (Layout::Bit, v) => {
                out.extend_from_slice(&[1, (v.as_i64().ok_or(WRONG)? != 0) as u8]);
            }
            (Layout::Int1, v) => {
                let v = u8::try_from(v.as_i64().ok_or(WRONG)?).map_err(|_| RANGE)?;
                out.extend_from_slice(&[1, v]);
            }
            (Layout::Int2, v) => {
                let v = i16::try_from(v.as_i64().ok_or(WRONG)?).map_err(|_| RANGE)?;
                out.push(2);
                out.extend_from_slice(&v.to_le_bytes());
            }
            (Layout::Int4, v) => {
                let v = i32::try_from(v.as_i64().ok_or(WRONG)?).map_err(|_| RANGE)?;
                out.push(4);
                out.extend_from_slice(&v.to_le_bytes());
            }
            (Layout::Int8, v) => {
                out.push(8);
                out.extend_from_slice(&v.as_i64().ok_or(WRONG)?.to_le_bytes());
            }
            (Layout::Real, &Value::Real(v)) => {
                out.push(4);
                out.extend_from_slice(&v.to_le_bytes());
            }
            (Layout::Float, &Value::Float(v)) => {
                out.push(8);
                out.extend_from_slice(&v.to_le_bytes());
            }
            (Layout::Money8, &Value::Money(v)) => {
                out.push(8);
                put_money8(out, v);
            }
            (Layout::Money4, &Value::Money(v)) => {
                let v = i32::try_from(v).map_err(|_| RANGE)?;
                out.push(4);
                out.extend_from_slice(&v.to_le_bytes());
            }
            (Layout::Decimal { bytes, scale }, &Value::Decimal(v)) => {
                let magnitude = rescale(v, scale).ok_or(RANGE)?;
                out.push(bytes);
                put_decimal(out, v.is_negative(), magnitude, bytes).ok_or(RANGE)?;
            }
            (Layout::Date, &Value::Date(days)) => {
                out.push(3);
                out.extend_from_slice(&days.to_le_bytes()[..3]);
            }
            (Layout::Time(scale), &Value::Time(ticks)) => {
                out.push(time_bytes(scale));
                put_time(out, ticks, scale);
            }
            (Layout::DateTime, &Value::DateTime { days, ticks }) => {
                out.push(8);
                out.extend_from_slice(&days.to_le_bytes());
                out.extend_from_slice(&ticks.to_le_bytes());
            }
            (Layout::SmallDateTime, &Value::SmallDateTime { days, minutes }) => {
                out.push(4);
                out.extend_from_slice(&days.to_le_bytes());
                out.extend_from_slice(&minutes.to_le_bytes());
            }
            (Layout::DateTime2(scale), &Value::DateTime2 { days, ticks }) => {
                out.push(time_bytes(scale) + 3);
                put_time(out, ticks, scale);
                out.extend_from_slice(&days.to_le_bytes()[..3]);
            }
            (Layout::DateTimeOffset(scale), &Value::DateTimeOffset { days, ticks, offset }) => {
                out.push(time_bytes(scale) + 5);
                put_time(out, ticks, scale);
                out.extend_from_slice(&days.to_le_bytes()[..3]);
                out.extend_from_slice(&offset.to_le_bytes());
            }
            (Layout::Guid, Value::Guid(bytes)) => {
                out.push(16);
                out.extend_from_slice(bytes);
            }
            (Layout::Plp, v) => {
                let b = v.as_bytes().ok_or(WRONG)?;
                out.extend_from_slice(&(b.len() as u64).to_le_bytes());
                if !b.is_empty() {
                    let chunk = u32::try_from(b.len()).map_err(|_| RANGE)?;
                    out.extend_from_slice(&chunk.to_le_bytes());
                    out.extend_from_slice(b);
                }
                out.extend_from_slice(&[0; 4]);
            }
            (Layout::Pointer, v) => {
                let b = v.as_bytes().ok_or(WRONG)?;
                // Nobody may follow the pointer (READTEXT is not there), but clients want its sixteen bytes.
                out.push(16);
                out.extend_from_slice(&[0xFF; 16]);
                out.extend_from_slice(&[0xFF; 8]);
                out.extend_from_slice(&i32::try_from(b.len()).map_err(|_| RANGE)?.to_le_bytes());
                out.extend_from_slice(b);
            }
            (Layout::DateText { max, scale }, v) => {
                let text = downlevel::text(v, scale).ok_or(WRONG)?;
                if text.len() * 2 > max as usize {
                    return Err(RANGE);
                }
                out.extend_from_slice(&(text.len() as u16 * 2).to_le_bytes());
                crate::reader::put_utf16(out, &text);
            }
            (Layout::Variant, v) => put_variant(out, v)?,
            _ => return Err(WRONG),
        }
        Ok(())
    }

    fn put_null(&self, out: &mut Vec<u8>) {
        match self.layout {
            Layout::Short(_) | Layout::DateText { .. } => {
                out.extend_from_slice(&SHORT_NULL.to_le_bytes())
            }
            Layout::Plp => out.extend_from_slice(&PLP_NULL.to_le_bytes()),
            Layout::Variant => out.extend_from_slice(&[0; 4]),
            _ => out.push(0),
        }
    }
}

/// Appends one value with no preparation: for parameters.
pub fn encode(out: &mut Vec<u8>, info: &TypeInfo, value: &Value) -> Result<(), &'static str> {
    Encoder::new(info, info.sql).put(out, value)
}

/// The high half first, each half little-endian.
fn put_money8(out: &mut Vec<u8>, v: i64) {
    out.extend_from_slice(&((v >> 32) as i32).to_le_bytes());
    out.extend_from_slice(&(v as u32).to_le_bytes());
}

/// The magnitude at another scale, if nothing is lost.
fn rescale(v: Decimal, scale: u8) -> Option<u128> {
    let magnitude = v.magnitude();
    match scale.checked_sub(v.scale()) {
        Some(0) => Some(magnitude),
        Some(up) => magnitude.checked_mul(10u128.checked_pow(up as u32)?),
        None => {
            let unit = 10u128.checked_pow((v.scale() - scale) as u32)?;
            magnitude.is_multiple_of(unit).then(|| magnitude / unit)
        }
    }
}

/// Sign and magnitude in `bytes` bytes; None if it does not fit.
fn put_decimal(out: &mut Vec<u8>, negative: bool, magnitude: u128, bytes: u8) -> Option<()> {
    let all = magnitude.to_le_bytes();
    let (low, high) = all.split_at(bytes as usize - 1);
    if high.iter().any(|&b| b != 0) {
        return None;
    }
    out.push(!negative as u8);
    out.extend_from_slice(low);
    Some(())
}

#[inline]
fn put_time(out: &mut Vec<u8>, ticks: u64, scale: u8) {
    let units = ticks / pow10(7 - scale.min(7));
    out.extend_from_slice(&units.to_le_bytes()[..time_bytes(scale) as usize]);
}

/// sql_variant: total length, base type, properties, data without a length of its own.
fn put_variant(out: &mut Vec<u8>, value: &Value) -> Result<(), What> {
    const WRONG: What = "sql_variant of an impossible type";
    let Value::Variant(inner) = value else {
        return Err(WRONG);
    };
    let (sql, value) = (&inner.0, &inner.1);
    let collation = taffrail_types::Collation::default().tds();
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    let info = TypeInfo::for_result(*sql, collation, crate::TdsVersion::V7_4);
    let string = |out: &mut Vec<u8>, kind: u8, max: u16| {
        out.extend_from_slice(&[kind, 7]);
        out.extend_from_slice(&collation);
        out.extend_from_slice(&max.to_le_bytes());
    };
    let mut length_bytes = 1;
    match *sql {
        SqlType::Bit => out.extend_from_slice(&[byte::BIT, 0]),
        SqlType::TinyInt => out.extend_from_slice(&[byte::INT1, 0]),
        SqlType::SmallInt => out.extend_from_slice(&[byte::INT2, 0]),
        SqlType::Int => out.extend_from_slice(&[byte::INT4, 0]),
        SqlType::BigInt => out.extend_from_slice(&[byte::INT8, 0]),
        SqlType::Real => out.extend_from_slice(&[byte::FLT4, 0]),
        SqlType::Float => out.extend_from_slice(&[byte::FLT8, 0]),
        SqlType::Money => out.extend_from_slice(&[byte::MONEY, 0]),
        SqlType::SmallMoney => out.extend_from_slice(&[byte::MONEY4, 0]),
        SqlType::DateTime => out.extend_from_slice(&[byte::DATETIME, 0]),
        SqlType::SmallDateTime => out.extend_from_slice(&[byte::DATETIME4, 0]),
        SqlType::UniqueIdentifier => out.extend_from_slice(&[byte::GUID, 0]),
        SqlType::Date => out.extend_from_slice(&[byte::DATE, 0]),
        SqlType::Time(s) => out.extend_from_slice(&[byte::TIME, 1, s]),
        SqlType::DateTime2(s) => out.extend_from_slice(&[byte::DATETIME2, 1, s]),
        SqlType::DateTimeOffset(s) => out.extend_from_slice(&[byte::DATETIMEOFFSET, 1, s]),
        SqlType::Decimal { precision, scale } => {
            out.extend_from_slice(&[byte::DECIMALN, 2, precision, scale])
        }
        SqlType::Numeric { precision, scale } => {
            out.extend_from_slice(&[byte::NUMERICN, 2, precision, scale])
        }
        SqlType::Char(n) => string(out, byte::CHAR, n),
        SqlType::VarChar(MaxLen::N(n)) => string(out, byte::VARCHAR, n),
        SqlType::NChar(n) => string(out, byte::NCHAR, n.saturating_mul(2)),
        SqlType::NVarChar(MaxLen::N(n)) => string(out, byte::NVARCHAR, n.saturating_mul(2)),
        SqlType::Binary(n) | SqlType::VarBinary(MaxLen::N(n)) => {
            let kind =
                if matches!(sql, SqlType::Binary(_)) { byte::BINARY } else { byte::VARBINARY };
            out.extend_from_slice(&[kind, 2]);
            out.extend_from_slice(&n.to_le_bytes());
        }
        SqlType::RowVersion => out.extend_from_slice(&[byte::BINARY, 2, 8, 0]),
        SqlType::VarChar(MaxLen::Max)
        | SqlType::NVarChar(MaxLen::Max)
        | SqlType::VarBinary(MaxLen::Max)
        | SqlType::Variant => return Err(WRONG),
    }
    if info.wire == Wire::ShortLen {
        length_bytes = 2;
    }
    if value.is_null() {
        out.truncate(at + 4);
        return Ok(());
    }
    // The value as a column would have it, and then its length taken out.
    let from = out.len();
    encode(out, &info, value)?;
    out.drain(from..from + length_bytes);
    let total = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&total.to_le_bytes());
    Ok(())
}
