//! To char, varchar, nchar, nvarchar.
//!
//! What does not fit: text and dates are cut, an integer becomes `*` (an error for nvarchar and for bigint), other
//! numbers are an error.

use super::{Cast, Pages, fit};
use crate::codepage::{cp1252_to_utf16, encode_1252, encode_utf16};
use crate::datetime::{self, Local};
use crate::{Bytes, Family, SqlType, Value, text};
use taffrail_base::{SqlError, SqlResult};

impl Cast<'_> {
    pub(super) fn text(&self, v: &Value) -> SqlResult<Value> {
        let unicode = self.to.is_unicode();
        let Pages { from, to } = self.context.pages;
        let bytes = match (v, unicode) {
            (Value::VarChar(b), false) => to.recode(from, b),
            (Value::NVarChar(b), true) => b.clone(),
            (Value::VarChar(b), true) if from.is_western() => cp1252_to_utf16(b),
            (Value::VarChar(b), true) => from.to_utf16(b),
            (Value::NVarChar(b), false) => to.encode_utf16(b),
            (Value::Binary(b), _) => self.text_of_binary(b)?,
            (other, _) => {
                let text = self.text_of_value(other)?;
                if unicode { encode_utf16(&text) } else { to.encode(&text) }
            }
        };
        let fill: &[u8] = if unicode { b" \0" } else { b" " };
        let limit = self.to.byte_limit();
        let mut bytes = bytes;
        if !unicode && bytes.len() > limit {
            bytes.truncate(to.fitting(&bytes, limit));
        }
        let fitted = fit(bytes, limit, self.to.is_padded(), fill);
        Ok(if unicode { Value::NVarChar(fitted) } else { Value::VarChar(fitted) })
    }

    /// Everything but text and binary; too little room is dealt with here.
    fn text_of_value(&self, v: &Value) -> SqlResult<String> {
        let room = match self.to.length() {
            Some(crate::MaxLen::N(n)) => n as usize,
            _ => usize::MAX,
        };
        let style = self.style.unwrap_or(0);
        let (text, no_room): (String, fn(&Self) -> Box<SqlError>) = match v {
            Value::Decimal(d) => (d.to_string(), |c| c.overflow()),
            Value::Money(m) => {
                (text::money(*m, style), |c| SqlError::new(234, &[&c.to.name()]).with_state(2))
            }
            Value::Real(x) => return self.text_of_float(*x as f64, style, room),
            Value::Float(x) => return self.text_of_float(*x, style, room),
            Value::BigInt(x) => (x.to_string(), |c| c.expression_overflow()),
            Value::Guid(g) => (text::guid(g), |_| SqlError::new(8170, &[]).with_state(2)),
            v => match (v.as_i64(), Local::from_value(v)) {
                (Some(x), _) => {
                    let text = x.to_string();
                    if text.len() > room && self.to.family() == Family::Char {
                        return Ok("*".into());
                    }
                    (text, |c| c.expression_overflow())
                }
                (None, Some(local)) => {
                    let from = self.from;
                    let text =
                        datetime::format::format(local, from, self.style, self.context.language);
                    // Dates are cut.
                    let text = text.ok_or_else(|| SqlError::new(281, &[&style, &from.name()]))?;
                    // A style of a time alone has nothing of a date, and the other way round.
                    let of_dates = matches!(style, 1..=7 | 10..=12 | 23 | 101..=107 | 110..=112);
                    if text.is_empty() || of_dates && matches!(from, SqlType::Time(_)) {
                        return Err(self.failed());
                    }
                    return Ok(text);
                }
                (None, None) => return Err(self.failed()),
            },
        };
        if text.len() > room { Err(no_room(self)) } else { Ok(text) }
    }

    /// Too little room is 232 for char and varchar, 8115 for their Unicode kin.
    fn text_of_float(&self, x: f64, style: i32, room: usize) -> SqlResult<String> {
        let text = text::float(x, style);
        match (text.len() > room, self.to.family()) {
            (false, _) => Ok(text),
            (true, Family::Char) => Err(self.float_overflow(x)),
            (true, _) => Err(self.expression_overflow()),
        }
    }

    /// Style 0: the bytes are the characters. 1: hexadecimal with 0x, 2: without.
    fn text_of_binary(&self, b: &[u8]) -> SqlResult<Bytes> {
        let unicode = self.to.is_unicode();
        match self.style.unwrap_or(0) {
            0 if unicode => Ok(Bytes::from_slice(&b[..b.len() & !1])),
            0 => Ok(Bytes::from_slice(b)),
            style @ (1 | 2) => {
                let text = text::hex(b, style == 1);
                Ok(if unicode { encode_utf16(&text) } else { encode_1252(&text) })
            }
            style => Err(self.no_style(style)),
        }
    }
}

/// `CONVERT(varchar, @int)`: never more than 11 bytes, never an allocation.
#[inline]
pub fn int_to_varchar(v: i32) -> Bytes {
    let mut buffer = [0u8; 11];
    let mut at = buffer.len();
    let mut rest = v.unsigned_abs();
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if v < 0 {
        at -= 1;
        buffer[at] = b'-';
    }
    Bytes::from_slice(&buffer[at..])
}

const _: () = assert!(11 <= crate::value::INLINE_BYTES);
