//! To binary, varbinary, rowversion and uniqueidentifier.
//!
//! Numbers become their bytes, most significant first; when there is less room the last bytes stay, when there is
//! more (fixed length) zeroes go before them. Everything else is cut, or filled with zeroes, at the end.

use super::{Cast, fit, narrow};
use crate::datetime;
use crate::{Bytes, Decimal, SqlType, Value};
use taffrail_base::{SqlError, SqlResult};

impl Cast<'_> {
    pub(super) fn binary(&self, v: &Value) -> SqlResult<Value> {
        let row_version = self.to == SqlType::RowVersion;
        let limit = if row_version { 8 } else { self.to.byte_limit() };
        let fixed = row_version || self.to.is_padded();
        let whole: Bytes = match v {
            Value::Bit(x) => return Ok(number(&[*x as u8], limit, fixed)),
            Value::TinyInt(x) => return Ok(number(&[*x], limit, fixed)),
            Value::SmallInt(x) => return Ok(number(&x.to_be_bytes(), limit, fixed)),
            Value::Int(x) => return Ok(number(&x.to_be_bytes(), limit, fixed)),
            Value::BigInt(x) => return Ok(number(&x.to_be_bytes(), limit, fixed)),
            Value::Money(x) if self.from == SqlType::SmallMoney => {
                return Ok(number(&(*x as i32).to_be_bytes(), limit, fixed));
            }
            Value::Money(x) => return Ok(number(&x.to_be_bytes(), limit, fixed)),
            Value::Float(x) => return Ok(number(&x.to_bits().to_be_bytes(), limit, fixed)),
            Value::Real(x) => return Ok(number(&x.to_bits().to_be_bytes(), limit, fixed)),
            Value::DateTime { days, ticks } => {
                let all = (*days as u32 as u64) << 32 | *ticks as u64;
                return Ok(number(&all.to_be_bytes(), limit, fixed));
            }
            Value::SmallDateTime { days, minutes } => {
                let all = (*days as u32) << 16 | *minutes as u32;
                return Ok(number(&all.to_be_bytes(), limit, fixed));
            }
            Value::Binary(b) if row_version => return Ok(number(b, limit, fixed)),
            Value::Binary(b) => b.clone(),
            Value::VarChar(b) | Value::NVarChar(b) if self.style.unwrap_or(0) == 0 => b.clone(),
            Value::VarChar(_) | Value::NVarChar(_) => self.binary_of_hex(v)?,
            Value::Decimal(d) => decimal_bytes(*d, self.from),
            Value::Guid(g) => Bytes::from_slice(g),
            Value::Date(_)
            | Value::Time(_)
            | Value::DateTime2 { .. }
            | Value::DateTimeOffset { .. } => new_date_bytes(v, self.from),
            Value::Null | Value::Variant(_) => return Err(self.failed()),
        };
        Ok(Value::Binary(fit(whole, limit, fixed, &[0])))
    }

    /// Styles 1 (with 0x) and 2 (without).
    fn binary_of_hex(&self, v: &Value) -> SqlResult<Bytes> {
        let style = self.style.unwrap_or(0);
        let text = narrow(v).ok_or_else(|| self.failed())?;
        let digits = match style {
            1 => text.strip_prefix(b"0x").or(text.strip_prefix(b"0X")),
            2 => Some(&text[..]),
            _ => return Err(self.no_style(style)),
        };
        digits.and_then(parse_hex).ok_or_else(|| self.failed())
    }

    pub(super) fn guid(&self, v: &Value) -> SqlResult<Value> {
        let bytes = match v {
            Value::Guid(g) => *g,
            Value::Binary(b) => {
                let mut g = [0; 16];
                let n = b.len().min(16);
                g[..n].copy_from_slice(&b[..n]);
                g
            }
            v => {
                let text = narrow(v).ok_or_else(|| self.failed())?;
                parse_guid(&text).ok_or_else(|| SqlError::new(8169, &[]).with_state(2))?
            }
        };
        Ok(Value::Guid(bytes))
    }
}

fn number(bytes: &[u8], limit: usize, fixed: bool) -> Value {
    let kept = &bytes[bytes.len().saturating_sub(limit)..];
    let mut out = Bytes::new();
    if fixed {
        out.resize(limit - kept.len(), 0);
    }
    out.extend_from_slice(kept);
    Value::Binary(out)
}

fn parse_hex(digits: &[u8]) -> Option<Bytes> {
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |b: u8| (b as char).to_digit(16);
    digits.chunks_exact(2).map(|p| Some((digit(p[0])? << 4 | digit(p[1])?) as u8)).collect()
}

/// `6F9619FF-8B86-D011-B42D-00C04FC964FF`, braces allowed, anything may follow. The first three groups are stored
/// with their last byte first.
pub fn parse_guid(text: &[u8]) -> Option<[u8; 16]> {
    let text = text.trim_ascii_start();
    let text = match text.strip_prefix(b"{") {
        Some(inner) if inner.get(36) == Some(&b'}') => inner,
        Some(_) => return None,
        None => text,
    };
    let text = text.get(..36)?;
    if [8, 13, 18, 23].iter().any(|i| text[*i] != b'-') {
        return None;
    }
    let digits: Vec<u8> = text.iter().copied().filter(|b| *b != b'-').collect();
    let bytes = parse_hex(&digits).filter(|b| b.len() == 16)?;
    let mut g = [0u8; 16];
    g.copy_from_slice(&bytes);
    g[..4].reverse();
    g[4..6].reverse();
    g[6..8].reverse();
    Some(g)
}

/// Precision, scale, a zero, sign, magnitude (little-endian, in whole words).
fn decimal_bytes(d: Decimal, ty: SqlType) -> Bytes {
    let precision = ty.precision().max(d.digits());
    let mut out = Bytes::from_slice(&[precision, d.scale(), 0]);
    let mut rest = vec![0; Decimal::storage_bytes(precision)];
    d.write_bytes(&mut rest);
    out.extend_from_slice(&rest);
    out
}

/// `[scale] [time] [date] [offset]`, little-endian: scale and time where the type has a time, three bytes of days
/// where it has a date, two of minutes for datetimeoffset.
fn new_date_bytes(v: &Value, ty: SqlType) -> Bytes {
    let mut out = Bytes::new();
    let scale = ty.scale().min(7);
    let mut clock = |ticks: u64| {
        let width = match scale {
            0..=2 => 3,
            3..=4 => 4,
            _ => 5,
        };
        let units = ticks / 10u64.pow(7 - scale as u32);
        out.push(scale);
        out.extend_from_slice(&units.to_le_bytes()[..width]);
    };
    match v {
        Value::Time(ticks) => clock(*ticks),
        Value::DateTime2 { ticks, .. } | Value::DateTimeOffset { ticks, .. } => clock(*ticks),
        _ => {}
    }
    match v {
        Value::Date(days) | Value::DateTime2 { days, .. } | Value::DateTimeOffset { days, .. } => {
            out.extend_from_slice(&days.to_le_bytes()[..3]);
        }
        _ => {}
    }
    if let Value::DateTimeOffset { offset, .. } = v {
        out.extend_from_slice(&offset.to_le_bytes());
    }
    debug_assert!(!out.is_empty() && datetime::TICKS_PER_DAY < 1 << 40);
    out
}
