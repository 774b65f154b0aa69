//! Bytes to values. What arrives is checked against its type: a decimal against its precision, a date against the
//! calendar, UTF-16 against odd lengths.

use super::{DATE_DAYS, DATETIME_TICKS, DAY_TICKS, PLP_NULL, PLP_UNKNOWN, SHORT_NULL, pow10};
use crate::error::ProtocolError;
use crate::reader::Reader;
use crate::typeinfo::{TypeInfo, Wire, byte, time_bytes, type_name};
use taffrail_types::{Bytes, Collation, Decimal, MaxLen, SqlType, Value};

type Result<T> = std::result::Result<T, ProtocolError>;

/// Reads a value that was announced as `info`.
pub fn decode(r: &mut Reader<'_>, info: &TypeInfo) -> Result<Value> {
    match info.wire {
        Wire::Null => Ok(Value::Null),
        Wire::Fixed(n) => from_bytes(r.bytes(n as usize)?, info),
        Wire::ByteLen => match r.u8()? {
            0 => Ok(Value::Null),
            n => from_bytes(r.bytes(n as usize)?, info),
        },
        Wire::ShortLen => match r.u16()? {
            SHORT_NULL => Ok(Value::Null),
            n => from_bytes(r.bytes(n as usize)?, info),
        },
        Wire::LongLen => match r.i32()? {
            -1 => Ok(Value::Null),
            n => from_bytes(r.bytes(n as usize)?, info),
        },
        Wire::TextPointer => match r.u8()? {
            0 => Ok(Value::Null),
            n => {
                r.bytes(n as usize + 8)?;
                let n = r.u32()?;
                from_bytes(r.bytes(n as usize)?, info)
            }
        },
        Wire::Plp | Wire::Xml => plp(r, info),
        Wire::Variant => variant(r),
    }
}

/// PLP: the total is a hint at best, the chunks are the truth.
fn plp(r: &mut Reader<'_>, info: &TypeInfo) -> Result<Value> {
    let total = r.u64()?;
    if total == PLP_NULL {
        return Ok(Value::Null);
    }
    let mut first = r.u32()? as usize;
    let chunk = r.bytes(first)?;
    // One chunk is the rule: no copy but the one into the value.
    let value = if first == 0 {
        from_bytes(&[], info)?
    } else {
        let next = r.u32()? as usize;
        if next == 0 {
            from_bytes(chunk, info)?
        } else {
            let mut all = chunk.to_vec();
            first = next;
            while first != 0 {
                all.extend_from_slice(r.bytes(first)?);
                first = r.u32()? as usize;
            }
            check_total(total, all.len())?;
            return from_bytes(&all, info);
        }
    };
    check_total(total, chunk.len())?;
    Ok(value)
}

fn check_total(total: u64, got: usize) -> Result<()> {
    if total != PLP_UNKNOWN && total != got as u64 {
        return Err(ProtocolError::Malformed("PLP chunks do not add up"));
    }
    Ok(())
}

/// The bytes that every value of a type has; none where lengths differ.
fn exact_bytes(sql: SqlType) -> Option<usize> {
    use SqlType::*;
    Some(match sql {
        Bit | TinyInt => 1,
        SmallInt => 2,
        Date => 3,
        Int | Real | SmallMoney | SmallDateTime => 4,
        BigInt | Float | Money | DateTime => 8,
        UniqueIdentifier => 16,
        Time(scale) => time_bytes(scale) as usize,
        DateTime2(scale) => time_bytes(scale) as usize + 3,
        DateTimeOffset(scale) => time_bytes(scale) as usize + 5,
        _ => return None,
    })
}

/// The value that `b`, all of it, is.
fn from_bytes(b: &[u8], info: &TypeInfo) -> Result<Value> {
    use SqlType::*;
    let sql = info.sql;
    let bad =
        || ProtocolError::BadValue { ordinal: 0, name: String::new(), type_name: type_name(sql) };
    let mut r = Reader::new(b);
    // A length that is not the type's breaks the stream.
    if exact_bytes(sql).is_some_and(|n| n != b.len()) {
        return Err(ProtocolError::Malformed("length of a value"));
    }
    Ok(match sql {
        Bit => Value::Bit(r.u8()? != 0),
        TinyInt => Value::TinyInt(r.u8()?),
        SmallInt => Value::SmallInt(r.i16()?),
        Int => Value::Int(r.i32()?),
        BigInt => Value::BigInt(r.i64()?),
        Real => Value::Real(Some(r.f32()?).filter(|v| v.is_finite()).ok_or_else(bad)?),
        Float => Value::Float(Some(r.f64()?).filter(|v| v.is_finite()).ok_or_else(bad)?),
        Money => {
            let high = r.i32()? as i64;
            Value::Money(high << 32 | r.u32()? as i64)
        }
        SmallMoney => Value::Money(r.i32()? as i64),
        Decimal { precision, scale } | Numeric { precision, scale } => {
            decimal(b, precision, scale).ok_or_else(bad)?
        }
        Date => Value::Date(days(&mut r).ok_or_else(bad)?),
        Time(scale) => Value::Time(time(&mut r, scale).ok_or_else(bad)?),
        DateTime2(scale) => {
            let ticks = time(&mut r, scale).ok_or_else(bad)?;
            Value::DateTime2 { days: days(&mut r).ok_or_else(bad)?, ticks }
        }
        DateTimeOffset(scale) => {
            let ticks = time(&mut r, scale).ok_or_else(bad)?;
            let days = days(&mut r).ok_or_else(bad)?;
            let offset = r.i16()?;
            if !(-840..=840).contains(&offset) {
                return Err(bad());
            }
            Value::DateTimeOffset { days, ticks, offset }
        }
        DateTime => {
            let (days, ticks) = (r.i32()?, r.u32()?);
            if !(-53_690..=2_958_463).contains(&days) || ticks >= DATETIME_TICKS {
                return Err(bad());
            }
            Value::DateTime { days, ticks }
        }
        SmallDateTime => {
            let (days, minutes) = (r.u16()?, r.u16()?);
            if minutes >= 1440 {
                return Err(bad());
            }
            Value::SmallDateTime { days, minutes }
        }
        UniqueIdentifier => Value::Guid(r.array()?),
        NChar(_) | NVarChar(_) => wide_text(b, info.wire).ok_or_else(bad)?,
        Char(_) | VarChar(_) => narrow_text(b, info.collation),
        Binary(_) | VarBinary(_) | RowVersion => Value::Binary(Bytes::from_slice(b)),
        Variant => return Err(ProtocolError::Malformed("sql_variant inside sql_variant")),
    })
}

/// Text of code page 1252 as it is; of another page that is not ASCII as nvarchar, since a value does not say its page.
fn narrow_text(b: &[u8], collation: [u8; 5]) -> Value {
    if b.is_ascii() {
        return Value::VarChar(Bytes::from_slice(b));
    }
    let page = Collation::page_of_tds(collation);
    match page.is_western() {
        true => Value::VarChar(Bytes::from_slice(b)),
        false => Value::NVarChar(page.to_utf16(b)),
    }
}

fn wide_text(b: &[u8], wire: Wire) -> Option<Value> {
    if !b.len().is_multiple_of(2) {
        return None;
    }
    // XML and some drivers put a byte order mark first.
    let b = match (wire, b) {
        (Wire::Plp, [0xFF, 0xFE, rest @ ..]) => rest,
        _ => b,
    };
    Some(Value::NVarChar(Bytes::from_slice(b)))
}

fn decimal(b: &[u8], precision: u8, scale: u8) -> Option<Value> {
    let (&sign, magnitude) = b.split_first()?;
    if magnitude.len() > 16 || sign > 1 {
        return None;
    }
    let mut wide = [0; 16];
    wide[..magnitude.len()].copy_from_slice(magnitude);
    let magnitude = u128::from_le_bytes(wide);
    if magnitude >= 10u128.pow(precision as u32) {
        return None;
    }
    Decimal::new(sign == 0, magnitude, scale).map(Value::Decimal)
}

fn days(r: &mut Reader<'_>) -> Option<u32> {
    let days = r.uint(3).ok()? as u32;
    (days < DATE_DAYS).then_some(days)
}

fn time(r: &mut Reader<'_>, scale: u8) -> Option<u64> {
    let units = r.uint(time_bytes(scale) as usize).ok()?;
    let ticks = units.checked_mul(pow10(7 - scale))?;
    (ticks < DAY_TICKS).then_some(ticks)
}

fn variant(r: &mut Reader<'_>) -> Result<Value> {
    const BAD: ProtocolError = ProtocolError::Malformed("sql_variant");
    let total = r.u32()? as usize;
    if total == 0 {
        return Ok(Value::Null);
    }
    let mut r = Reader::new(r.bytes(total)?);
    let kind = r.u8()?;
    let property_bytes = r.u8()? as usize;
    let mut p = Reader::new(r.bytes(property_bytes)?);
    let data = r.rest();
    let mut collation = [0; 5];
    use SqlType::*;
    let sql = match kind {
        byte::BIT => Bit,
        byte::INT1 => TinyInt,
        byte::INT2 => SmallInt,
        byte::INT4 => Int,
        byte::INT8 => BigInt,
        byte::FLT4 => Real,
        byte::FLT8 => Float,
        byte::MONEY => Money,
        byte::MONEY4 => SmallMoney,
        byte::DATETIME => DateTime,
        byte::DATETIME4 => SmallDateTime,
        byte::GUID => UniqueIdentifier,
        byte::DATE => Date,
        byte::TIME | byte::DATETIME2 | byte::DATETIMEOFFSET => match (kind, p.u8()?) {
            (_, 8..) => return Err(BAD),
            (byte::TIME, s) => Time(s),
            (byte::DATETIME2, s) => DateTime2(s),
            (_, s) => DateTimeOffset(s),
        },
        byte::DECIMALN | byte::NUMERICN => {
            let (precision, scale) = (p.u8()?, p.u8()?);
            if !(1..=38).contains(&precision) || scale > precision {
                return Err(BAD);
            }
            if kind == byte::DECIMALN {
                Decimal { precision, scale }
            } else {
                Numeric { precision, scale }
            }
        }
        byte::CHAR | byte::VARCHAR | byte::NCHAR | byte::NVARCHAR => {
            collation = p.array()?;
            let max = p.u16()?.clamp(1, 8000);
            match kind {
                byte::CHAR => Char(max),
                byte::VARCHAR => VarChar(MaxLen::N(max)),
                byte::NCHAR => NChar((max / 2).max(1)),
                _ => NVarChar(MaxLen::N((max / 2).max(1))),
            }
        }
        byte::BINARY | byte::VARBINARY => {
            let max = p.u16()?.clamp(1, 8000);
            if kind == byte::BINARY { Binary(max) } else { VarBinary(MaxLen::N(max)) }
        }
        _ => return Err(BAD),
    };
    let value = from_bytes(data, &TypeInfo { sql, wire: Wire::Variant, collation })?;
    Ok(Value::Variant(Box::new((base_of(sql, &value)?, value))))
}

/// The base type of a variant: text of another code page than 1252 has come as nvarchar.
fn base_of(sql: SqlType, value: &Value) -> Result<SqlType> {
    match (sql, value) {
        (SqlType::Char(_) | SqlType::VarChar(_), Value::NVarChar(text)) => match text.len() / 2 {
            4001.. => Err(ProtocolError::Malformed("sql_variant")),
            letters => Ok(SqlType::nvarchar(letters)),
        },
        _ => Ok(sql),
    }
}
