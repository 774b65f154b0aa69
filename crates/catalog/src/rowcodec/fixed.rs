//! One value of a fixed-length type as bytes. All numbers are little-endian.
//!
//! ```text
//! bit, tinyint              1                     date                        3  days since 0001-01-01
//! smallint 2, int 4, bigint 8                     time(0-2, 3-4, 5-7)         3, 4, 5  units of 10^-n s
//! real 4, float 8 (IEEE)                          datetime2(n)                time(n), date
//! money 8, smallmoney 4 (× 10^4)                  datetimeoffset(n)           time(n), date (UTC), minutes i16
//! decimal(1-9, 10-19, 20-28, 29-38)               datetime                    days i32, 1/300 s u32
//!     5, 9, 13, 17: sign (1 = not negative),      smalldatetime               days u16, minutes u16
//!     magnitude                                   uniqueidentifier 16, rowversion 8
//! char(n), binary(n)        n                     nchar(n)                    2n
//! ```

use super::damaged;
use taffrail_base::SqlResult;
use taffrail_types::{Bytes, Decimal, SqlType, Value};

/// Bytes of a value of a fixed-length type; `None` for the others.
pub fn size(ty: SqlType) -> Option<usize> {
    Some(match ty {
        SqlType::Bit | SqlType::TinyInt => 1,
        SqlType::SmallInt => 2,
        SqlType::Int | SqlType::Real | SqlType::SmallMoney | SqlType::SmallDateTime => 4,
        SqlType::BigInt | SqlType::Float | SqlType::Money | SqlType::DateTime => 8,
        SqlType::Decimal { precision, .. } | SqlType::Numeric { precision, .. } => {
            match precision {
                0..=9 => 5,
                10..=19 => 9,
                20..=28 => 13,
                _ => 17,
            }
        }
        SqlType::Date => 3,
        SqlType::Time(n) => time_size(n),
        SqlType::DateTime2(n) => time_size(n) + 3,
        SqlType::DateTimeOffset(n) => time_size(n) + 5,
        SqlType::Char(n) | SqlType::Binary(n) => n as usize,
        SqlType::NChar(n) => n as usize * 2,
        SqlType::UniqueIdentifier => 16,
        SqlType::RowVersion => 8,
        SqlType::VarChar(_) | SqlType::NVarChar(_) | SqlType::VarBinary(_) | SqlType::Variant => {
            return None;
        }
    })
}

fn time_size(scale: u8) -> usize {
    match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}

/// 100 ns per unit of time(scale).
fn unit(scale: u8) -> u64 {
    10u64.pow(7 - scale.min(7) as u32)
}

fn put_time(out: &mut [u8], scale: u8, ticks: u64) {
    out.copy_from_slice(&(ticks / unit(scale)).to_le_bytes()[..out.len()]);
}

fn put_days(out: &mut [u8], days: u32) {
    out.copy_from_slice(&days.to_le_bytes()[..3]);
}

/// Writes `value` into `out`, which has exactly [`size`] bytes. The value must be of the type (NULL is the caller's).
pub fn write(out: &mut [u8], ty: SqlType, value: &Value) -> SqlResult<()> {
    match (ty, value) {
        (SqlType::Int, Value::Int(v)) => out.copy_from_slice(&v.to_le_bytes()),
        (SqlType::BigInt, Value::BigInt(v)) => out.copy_from_slice(&v.to_le_bytes()),
        (SqlType::SmallInt, Value::SmallInt(v)) => out.copy_from_slice(&v.to_le_bytes()),
        (SqlType::TinyInt, Value::TinyInt(v)) => out[0] = *v,
        (SqlType::Bit, Value::Bit(v)) => out[0] = *v as u8,
        (SqlType::Real, Value::Real(v)) => out.copy_from_slice(&v.to_le_bytes()),
        (SqlType::Float, Value::Float(v)) => out.copy_from_slice(&v.to_le_bytes()),
        (SqlType::Money, Value::Money(v)) => out.copy_from_slice(&v.to_le_bytes()),
        (SqlType::SmallMoney, Value::Money(v)) => {
            let v = i32::try_from(*v).map_err(|_| damaged("a smallmoney value"))?;
            out.copy_from_slice(&v.to_le_bytes());
        }
        (SqlType::Decimal { .. } | SqlType::Numeric { .. }, Value::Decimal(v)) => {
            out[0] = !v.is_negative() as u8;
            let magnitude = v.magnitude().to_le_bytes();
            let n = out.len() - 1;
            debug_assert!(magnitude[n..].iter().all(|b| *b == 0), "decimal wider than its type");
            out[1..].copy_from_slice(&magnitude[..n]);
        }
        (SqlType::Date, Value::Date(days)) => put_days(out, *days),
        (SqlType::Time(n), Value::Time(ticks)) => put_time(out, n, *ticks),
        (SqlType::DateTime, Value::DateTime { days, ticks }) => {
            out[..4].copy_from_slice(&days.to_le_bytes());
            out[4..].copy_from_slice(&ticks.to_le_bytes());
        }
        (SqlType::SmallDateTime, Value::SmallDateTime { days, minutes }) => {
            out[..2].copy_from_slice(&days.to_le_bytes());
            out[2..].copy_from_slice(&minutes.to_le_bytes());
        }
        (SqlType::DateTime2(n), Value::DateTime2 { days, ticks }) => {
            let (time, date) = out.split_at_mut(time_size(n));
            put_time(time, n, *ticks);
            put_days(date, *days);
        }
        (SqlType::DateTimeOffset(n), Value::DateTimeOffset { days, ticks, offset }) => {
            let (time, rest) = out.split_at_mut(time_size(n));
            put_time(time, n, *ticks);
            put_days(&mut rest[..3], *days);
            rest[3..].copy_from_slice(&offset.to_le_bytes());
        }
        (SqlType::Char(_), Value::VarChar(b)) => pad(out, b, b" ")?,
        (SqlType::NChar(_), Value::NVarChar(b)) => pad(out, b, b" \0")?,
        (SqlType::Binary(_), Value::Binary(b)) => pad(out, b, b"\0")?,
        (SqlType::RowVersion, Value::Binary(b)) => pad(out, b, b"\0")?,
        (SqlType::UniqueIdentifier, Value::Guid(b)) => out.copy_from_slice(b),
        _ => return Err(damaged("a value of another type than its column")),
    }
    Ok(())
}

fn pad(out: &mut [u8], value: &[u8], with: &[u8]) -> SqlResult<()> {
    let Some((head, tail)) = out.split_at_mut_checked(value.len()) else {
        return Err(damaged("a value longer than its column"));
    };
    head.copy_from_slice(value);
    for chunk in tail.chunks_mut(with.len()) {
        chunk.copy_from_slice(&with[..chunk.len()]);
    }
    Ok(())
}

fn array<const N: usize>(bytes: &[u8]) -> SqlResult<[u8; N]> {
    bytes.try_into().map_err(|_| damaged("a fixed-length value"))
}

fn little(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// Reads a value into its place: those of rows that are read by the million without a step between.
#[inline]
pub(crate) fn read_into(bytes: &[u8], ty: SqlType, out: &mut Value) -> SqlResult<()> {
    *out = match (ty, bytes) {
        (SqlType::Int, &[a, b, c, d]) => Value::Int(i32::from_le_bytes([a, b, c, d])),
        (SqlType::Date, &[a, b, c]) => Value::Date(u32::from_le_bytes([a, b, c, 0])),
        (SqlType::BigInt, _) => Value::BigInt(i64::from_le_bytes(array(bytes)?)),
        (
            SqlType::Decimal { scale, .. } | SqlType::Numeric { scale, .. },
            &[sign, ref magnitude @ ..],
        ) if magnitude.len() == 8 => {
            let magnitude = u64::from_le_bytes(array(magnitude)?);
            let value = Decimal::new(sign == 0, magnitude.into(), scale);
            Value::Decimal(value.ok_or_else(|| damaged("a decimal"))?)
        }
        (SqlType::Char(_), _) => {
            if let Value::VarChar(b) = out
                && b.spilled()
            {
                b.clear();
                b.extend_from_slice(bytes);
                return Ok(());
            }
            Value::VarChar(Bytes::from_slice(bytes))
        }
        _ => read(bytes, ty)?,
    };
    Ok(())
}

/// Reads a value; `bytes` has exactly [`size`] bytes.
pub fn read(bytes: &[u8], ty: SqlType) -> SqlResult<Value> {
    Ok(match ty {
        SqlType::Int => Value::Int(i32::from_le_bytes(array(bytes)?)),
        SqlType::BigInt => Value::BigInt(i64::from_le_bytes(array(bytes)?)),
        SqlType::SmallInt => Value::SmallInt(i16::from_le_bytes(array(bytes)?)),
        SqlType::TinyInt => Value::TinyInt(array::<1>(bytes)?[0]),
        SqlType::Bit => Value::Bit(array::<1>(bytes)?[0] != 0),
        SqlType::Real => Value::Real(f32::from_le_bytes(array(bytes)?)),
        SqlType::Float => Value::Float(f64::from_le_bytes(array(bytes)?)),
        SqlType::Money => Value::Money(i64::from_le_bytes(array(bytes)?)),
        SqlType::SmallMoney => Value::Money(i32::from_le_bytes(array(bytes)?) as i64),
        SqlType::Decimal { scale, .. } | SqlType::Numeric { scale, .. } => {
            let (sign, magnitude) = bytes.split_first().ok_or_else(|| damaged("a decimal"))?;
            if magnitude.len() > 16 {
                return Err(damaged("a decimal"));
            }
            let mut all = [0; 16];
            all[..magnitude.len()].copy_from_slice(magnitude);
            let value = Decimal::new(*sign == 0, u128::from_le_bytes(all), scale);
            Value::Decimal(value.ok_or_else(|| damaged("a decimal"))?)
        }
        SqlType::Date => Value::Date(little(&array::<3>(bytes)?) as u32),
        SqlType::Time(n) if bytes.len() == time_size(n) => Value::Time(little(bytes) * unit(n)),
        SqlType::DateTime => {
            let b: [u8; 8] = array(bytes)?;
            Value::DateTime {
                days: i32::from_le_bytes([b[0], b[1], b[2], b[3]]),
                ticks: u32::from_le_bytes([b[4], b[5], b[6], b[7]]),
            }
        }
        SqlType::SmallDateTime => {
            let b: [u8; 4] = array(bytes)?;
            Value::SmallDateTime {
                days: u16::from_le_bytes([b[0], b[1]]),
                minutes: u16::from_le_bytes([b[2], b[3]]),
            }
        }
        SqlType::DateTime2(n) if bytes.len() == time_size(n) + 3 => {
            let (time, date) = bytes.split_at(time_size(n));
            Value::DateTime2 { days: little(date) as u32, ticks: little(time) * unit(n) }
        }
        SqlType::DateTimeOffset(n) if bytes.len() == time_size(n) + 5 => {
            let (time, rest) = bytes.split_at(time_size(n));
            Value::DateTimeOffset {
                days: little(&rest[..3]) as u32,
                ticks: little(time) * unit(n),
                offset: i16::from_le_bytes([rest[3], rest[4]]),
            }
        }
        SqlType::Char(_) => Value::VarChar(Bytes::from_slice(bytes)),
        SqlType::NChar(_) => Value::NVarChar(Bytes::from_slice(bytes)),
        SqlType::Binary(_) | SqlType::RowVersion => Value::Binary(Bytes::from_slice(bytes)),
        SqlType::UniqueIdentifier => Value::Guid(array(bytes)?),
        _ => return Err(damaged("a fixed-length value")),
    })
}
