//! To bit, integers, decimal, money, real, float.
//!
//! Where digits are lost: decimal, float and text never round up to an integer (text with a point is an error),
//! money and datetime do; everything rounds to a decimal's scale.

use super::{Cast, narrow};
use crate::codepage::decode_1252;
use crate::decimal::ParseError;
use crate::{Decimal, SqlType, Value, datetime};
use taffrail_base::{SqlError, SqlResult};

impl Cast<'_> {
    pub(super) fn number(&self, v: &Value) -> SqlResult<Value> {
        match self.to {
            SqlType::Bit => self.bit(v),
            SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => {
                self.integer(v)
            }
            SqlType::Decimal { precision, scale } | SqlType::Numeric { precision, scale } => {
                let rounded = self.decimal(v, precision, scale)?;
                if self.context.round_abort && self.has_lost(v, rounded) {
                    return Err(self.overflow());
                }
                Ok(Value::Decimal(rounded))
            }
            SqlType::Money | SqlType::SmallMoney => self.money(v).map(Value::Money),
            SqlType::Real => {
                let x = self.float(v)?;
                let narrow = x as f32;
                if narrow.is_finite() {
                    Ok(Value::Real(narrow))
                } else {
                    Err(self.float_overflow(x))
                }
            }
            _ => self.float(v).map(Value::Float),
        }
    }

    /// Digits of an exact number have been rounded away.
    fn has_lost(&self, v: &Value, rounded: Decimal) -> bool {
        match v {
            Value::Decimal(d) => *d != rounded,
            Value::Money(m) => {
                let exact = Decimal::new(*m < 0, m.unsigned_abs().into(), 4);
                exact.is_some_and(|d| d != rounded)
            }
            _ => false,
        }
    }

    fn bit(&self, v: &Value) -> SqlResult<Value> {
        if let Some(text) = narrow(v) {
            let text = text.trim_ascii();
            if text.eq_ignore_ascii_case(b"true") {
                return Ok(Value::Bit(true));
            }
            if text.eq_ignore_ascii_case(b"false") {
                return Ok(Value::Bit(false));
            }
            let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
            if !digits.iter().all(u8::is_ascii_digit) {
                return Err(self.not_a_number(v));
            }
            return Ok(Value::Bit(digits.iter().any(|d| *d != b'0')));
        }
        let yes = match v {
            Value::Decimal(d) => !d.is_zero(),
            Value::Money(m) => *m != 0,
            Value::Real(x) => *x != 0.0,
            Value::Float(x) => *x != 0.0,
            Value::Binary(b) => b.iter().any(|b| *b != 0),
            Value::DateTime { days, ticks } => *days != 0 || *ticks != 0,
            Value::SmallDateTime { days, minutes } => *days != 0 || *minutes != 0,
            other => other.as_i64().ok_or_else(|| self.failed())? != 0,
        };
        Ok(Value::Bit(yes))
    }

    fn integer(&self, v: &Value) -> SqlResult<Value> {
        if let Some(text) = narrow(v) {
            return self.integer_of_text(v, &text);
        }
        let wide = match v {
            Value::Decimal(d) => d.to_i64().ok_or_else(|| self.expression_overflow())?,
            Value::Money(m) => {
                (*m as i128 + 5_000 * (m.signum() as i128)).checked_div(10_000).unwrap_or(0) as i64
            }
            Value::Real(x) => self.integer_of_float(*x as f64)?,
            Value::Float(x) => self.integer_of_float(*x)?,
            Value::Binary(b) => return self.integer_of_binary(b),
            Value::DateTime { days, ticks } => {
                *days as i64 + (*ticks >= datetime::DATETIME_TICKS_PER_DAY / 2) as i64
            }
            Value::SmallDateTime { days, minutes } => *days as i64 + (*minutes >= 720) as i64,
            other => other.as_i64().ok_or_else(|| self.failed())?,
        };
        self.integer_value(wide).ok_or_else(|| match (v, self.to) {
            (Value::Money(m), SqlType::TinyInt) => {
                self.float_overflow(*m as f64 / 10_000.0).with_state(11)
            }
            (Value::Money(_), to) => {
                let state = if to == SqlType::Int { 1 } else { 2 };
                SqlError::new(237, &[&to.name()]).with_state(state)
            }
            (Value::Real(x), _) => self.float_overflow(*x as f64),
            (Value::Float(x), _) => self.float_overflow(*x),
            (Value::Bit(_) | Value::TinyInt(_) | Value::SmallInt(_) | Value::Int(_), to) => {
                let state = if to == SqlType::TinyInt { 2 } else { 1 };
                SqlError::new(220, &[&to.name(), &wide]).with_state(state)
            }
            _ => self.expression_overflow(),
        })
    }

    /// The value of the target's width.
    fn integer_value(&self, v: i64) -> Option<Value> {
        match self.to {
            SqlType::TinyInt => u8::try_from(v).ok().map(Value::TinyInt),
            SqlType::SmallInt => i16::try_from(v).ok().map(Value::SmallInt),
            SqlType::Int => i32::try_from(v).ok().map(Value::Int),
            _ => Some(Value::BigInt(v)),
        }
    }

    fn integer_of_float(&self, x: f64) -> SqlResult<i64> {
        // 2^63 itself is a double, i64::MAX is not.
        if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x) {
            Ok(x as i64)
        } else if self.to == SqlType::BigInt {
            Err(self.expression_overflow())
        } else {
            Err(self.float_overflow(x))
        }
    }

    /// The last bytes, most significant first.
    fn integer_of_binary(&self, b: &[u8]) -> SqlResult<Value> {
        let width = match self.to {
            SqlType::TinyInt => 1,
            SqlType::SmallInt => 2,
            SqlType::Int => 4,
            _ => 8,
        };
        let last = &b[b.len().saturating_sub(width)..];
        let v = last.iter().fold(0u64, |v, b| v << 8 | *b as u64);
        Ok(match self.to {
            SqlType::TinyInt => Value::TinyInt(v as u8),
            SqlType::SmallInt => Value::SmallInt(v as i16),
            SqlType::Int => Value::Int(v as i32),
            _ => Value::BigInt(v as i64),
        })
    }

    /// Blanks, a sign, digits. No digits at all are 0.
    fn integer_of_text(&self, v: &Value, text: &[u8]) -> SqlResult<Value> {
        let text = text.trim_ascii();
        let (negative, digits) = match text.split_first() {
            Some((b'-', rest)) => (true, rest.trim_ascii_start()),
            Some((b'+', rest)) => (false, rest.trim_ascii_start()),
            _ => (false, text),
        };
        if !digits.iter().all(u8::is_ascii_digit) {
            return Err(self.not_a_number(v));
        }
        let mut wide: Option<i64> = Some(0);
        for d in digits {
            let d = (d - b'0') as i64;
            wide = wide
                .and_then(|w| w.checked_mul(10))
                .and_then(|w| if negative { w.checked_sub(d) } else { w.checked_add(d) });
        }
        if let Some(value) = wide.and_then(|w| self.integer_value(w)) {
            return Ok(value);
        }
        let text = decode_1252(text);
        Err(match self.to {
            SqlType::BigInt => self.expression_overflow(),
            SqlType::Int => SqlError::new(248, &[&self.from.name(), &text]),
            SqlType::SmallInt => {
                SqlError::new(244, &[&self.from.name(), &text, &"INT2"]).with_state(2)
            }
            _ => SqlError::new(244, &[&self.from.name(), &text, &"INT1"]),
        })
    }

    /// 245, or 8114 for the types that say no more.
    #[cold]
    fn not_a_number(&self, v: &Value) -> Box<SqlError> {
        if self.to == SqlType::BigInt {
            return self.failed();
        }
        let text = v.text_of(self.context.pages.from).unwrap_or_default();
        SqlError::new(245, &[&self.from.name(), &text, &self.to.name()])
    }

    fn decimal(&self, v: &Value, precision: u8, scale: u8) -> SqlResult<Decimal> {
        if let Some(text) = narrow(v) {
            let parsed = Decimal::parse_scaled(&text, scale);
            return match parsed {
                Ok(d) if d.fits(precision) => Ok(d),
                Ok(_) | Err(ParseError::Overflow) => Err(self.overflow()),
                Err(ParseError::Syntax) => Err(self.failed()),
            };
        }
        let exact = match v {
            Value::Decimal(d) => Some(*d),
            Value::Money(m) => Decimal::from_scaled(*m as i128, 4),
            Value::Real(x) => Decimal::from_f64(f64::from(*x), scale),
            Value::Float(x) => Decimal::from_f64(*x, scale),
            Value::DateTime { days, ticks } => {
                Decimal::from_f64(datetime::datetime_to_days(*days, *ticks), scale)
            }
            Value::SmallDateTime { days, minutes } => {
                Decimal::from_f64(*days as f64 + *minutes as f64 / 1440.0, scale)
            }
            Value::Binary(b) => Some(decimal_of_binary(b).ok_or_else(|| self.failed())?),
            other => other.as_i64().map(Decimal::from_i64),
        };
        exact.and_then(|d| d.cast(precision, scale)).ok_or_else(|| self.overflow())
    }

    fn money(&self, v: &Value) -> SqlResult<i64> {
        let m: Option<i128> = if let Some(text) = v.as_text() {
            Some(parse_money(&text).ok_or_else(|| SqlError::new(235, &[]).with_state(0))?)
        } else {
            match v {
                Value::Money(m) => Some(*m as i128),
                Value::Decimal(d) => d.rescale(4).map(Decimal::scaled),
                Value::Real(x) => Decimal::from_f64(*x as f64, 4).map(Decimal::scaled),
                Value::Float(x) => Decimal::from_f64(*x, 4).map(Decimal::scaled),
                Value::Binary(b) => {
                    let last = &b[b.len().saturating_sub(8)..];
                    Some(last.iter().fold(0u64, |v, b| v << 8 | *b as u64) as i64 as i128)
                }
                Value::DateTime { days, ticks } => {
                    Decimal::from_f64(datetime::datetime_to_days(*days, *ticks), 4)
                        .map(Decimal::scaled)
                }
                Value::SmallDateTime { days, minutes } => {
                    Decimal::from_f64(*days as f64 + *minutes as f64 / 1440.0, 4)
                        .map(Decimal::scaled)
                }
                other => other.as_i64().map(|x| x as i128 * 10_000),
            }
        };
        let small = self.to == SqlType::SmallMoney;
        m.filter(|m| !small || i32::try_from(*m).is_ok())
            .and_then(|m| i64::try_from(m).ok())
            .ok_or_else(|| self.expression_overflow())
    }

    fn float(&self, v: &Value) -> SqlResult<f64> {
        if let Some(text) = narrow(v) {
            let x = parse_float(&text).ok_or_else(|| self.failed())?;
            return if x.is_finite() { Ok(x) } else { Err(self.expression_overflow()) };
        }
        Ok(match v {
            Value::Float(x) => *x,
            Value::Real(x) => *x as f64,
            Value::Decimal(d) => d.to_f64(),
            Value::Money(m) => *m as f64 / 10_000.0,
            Value::DateTime { days, ticks } => datetime::datetime_to_days(*days, *ticks),
            Value::SmallDateTime { days, minutes } => *days as f64 + *minutes as f64 / 1440.0,
            other => other.as_i64().ok_or_else(|| self.failed())? as f64,
        })
    }
}

/// A number with a point and an exponent, blanks around it; nothing at all is 0.
pub fn parse_float(text: &[u8]) -> Option<f64> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Some(0.0);
    }
    // Rust's parser also knows words (inf, nan) that SQL does not.
    let exponent = |b: &u8| matches!(b, b'd' | b'D');
    let known = |b: &u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    if !text.iter().all(|b| known(b) || exponent(b)) || !text.iter().any(u8::is_ascii_digit) {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    // D says the same as E.
    if text.bytes().any(|b| exponent(&b)) {
        return text.replace(['d', 'D'], "e").parse().ok();
    }
    text.parse().ok()
}

/// Currency sign and sign in either order, digits with commas, up to four decimals (more round), in ten-thousandths.
/// No digits at all are 0.
fn parse_money(text: &str) -> Option<i128> {
    let is_blank = |c: char| c.is_ascii_whitespace();
    let (mut rest, mut negative, mut currency) = (text.trim_matches(is_blank), None, false);
    while let Some(c) = rest.chars().next() {
        match c {
            '+' | '-' if negative.is_none() => negative = Some(c == '-'),
            c if is_currency(c) && !currency => currency = true,
            _ => break,
        }
        rest = rest[c.len_utf8()..].trim_start_matches(is_blank);
    }
    let digits: Vec<u8> = rest.bytes().filter(|b| *b != b',').collect();
    if matches!(digits[..], [] | [b'.']) {
        return Some(0);
    }
    if !matches!(digits[0], b'0'..=b'9' | b'.') {
        return None;
    }
    let all = Decimal::parse_scaled(&digits, 4).ok()?.scaled();
    Some(if negative == Some(true) { -all } else { all })
}

/// The currency signs of money, as SQL Server's documentation lists them.
fn is_currency(c: char) -> bool {
    matches!(
        c,
        '$' | '¢' | '£' | '¤' | '¥' | '৲' | '৳' | '฿' | '៛' | '₠'
            ..='₱' | '﷼' | '﹩' | '＄' | '￠' | '￡' | '￥' | '￦'
    )
}

/// The form that a decimal has as binary: precision, scale, a zero, sign, magnitude (little-endian).
fn decimal_of_binary(b: &[u8]) -> Option<Decimal> {
    let scale = *b.get(1)?;
    Decimal::read_bytes(b.get(3..)?, scale)
}
