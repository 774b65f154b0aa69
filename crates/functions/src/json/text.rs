//! Values of SQL as JSON.

use taffrail_base::SqlResult;
use taffrail_types::convert::{Conversion, cast};
use taffrail_types::datetime::Local;
use taffrail_types::datetime::format::offset_text;
use taffrail_types::{SqlType, Value};

/// Appends characters, which are ASCII.
pub(super) fn ascii(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() * 2);
    for c in text {
        out.extend_from_slice(&[*c, 0]);
    }
}

/// Appends a string with its quotation marks and escapes. `/` is escaped, too, as SQL Server does.
pub(super) fn quoted(out: &mut Vec<u8>, text: &[u8]) {
    escaped(out, text, true);
}

/// As [`quoted`]; `/` is escaped or not.
pub(super) fn escaped(out: &mut Vec<u8>, text: &[u8], slash: bool) {
    out.extend_from_slice(b"\"\0");
    let mut clean = 0;
    for (n, unit) in text.chunks_exact(2).enumerate() {
        if unit[1] != 0 {
            continue;
        }
        let escape: &[u8] = match unit[0] {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'/' if slash => b"\\/",
            0x08 => b"\\b",
            0x09 => b"\\t",
            0x0A => b"\\n",
            0x0C => b"\\f",
            0x0D => b"\\r",
            c @ ..0x20 => &[b'\\', b'u', b'0', b'0', b'0' + (c >> 4), hexadecimal(c & 15)],
            _ => continue,
        };
        out.extend_from_slice(&text[clean..n * 2]);
        clean = n * 2 + 2;
        ascii(out, escape);
    }
    out.extend_from_slice(&text[clean..]);
    out.extend_from_slice(b"\"\0");
}

fn hexadecimal(digit: u8) -> u8 {
    b"0123456789abcdef"[usize::from(digit)]
}

/// A key with the colon behind it.
pub(super) fn key(out: &mut Vec<u8>, name: &str) {
    let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    quoted(out, &name);
    ascii(out, b":");
}

/// A whole number with so many of its digits behind the point.
fn scaled(out: &mut Vec<u8>, value: i128, scale: u8) {
    let mut digits = [0; 48];
    let mut at = digits.len();
    let (mut left, scale) = (value.unsigned_abs(), usize::from(scale));
    for n in 0.. {
        if n > 0 && n == scale {
            at -= 1;
            digits[at] = b'.';
        }
        if left == 0 && n > scale {
            break;
        }
        at -= 1;
        // Few numbers are so large that they need the slow division.
        let digit = match u64::try_from(left) {
            Ok(small) => {
                left = u128::from(small / 10);
                small % 10
            }
            Err(_) => {
                let digit = (left % 10) as u64;
                left /= 10;
                digit
            }
        };
        digits[at] = b'0' + digit as u8;
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    ascii(out, &digits[at..]);
}

fn converted(v: &Value, ty: SqlType, style: i32) -> SqlResult<String> {
    let text = cast(v, ty, SqlType::varchar(60), Some(style), Conversion::Explicit)?;
    Ok(text.as_text().unwrap_or_default())
}

/// Appends so many digits of a number.
fn digits(text: &mut Vec<u8>, mut number: u32, width: usize) {
    let from = text.len();
    text.resize(from + width, b'0');
    for digit in text[from..].iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
}

/// A date or time as ISO 8601 writes it. A fraction of nothing but zeroes is left out; UTC is `Z`.
fn moment(out: &mut Vec<u8>, v: &Value, ty: SqlType) {
    let Some(local) = Local::from_value(v) else { return ascii(out, b"null") };
    let mut text = vec![b'"'];
    let is_time = matches!(v, Value::Time(_));
    if !is_time {
        let date = local.civil();
        digits(&mut text, date.year.unsigned_abs(), 4);
        text.push(b'-');
        digits(&mut text, date.month, 2);
        text.push(b'-');
        digits(&mut text, date.day, 2);
    }
    if !matches!(v, Value::Date(_)) {
        if !is_time {
            text.push(b'T');
        }
        let (hour, minute, second, rest) = local.clock();
        digits(&mut text, hour, 2);
        text.push(b':');
        digits(&mut text, minute, 2);
        text.push(b':');
        digits(&mut text, second, 2);
        // The 1/300 s of datetime are shown as milliseconds: .003, .007.
        let (decimals, up) = match ty {
            SqlType::Time(n) | SqlType::DateTime2(n) | SqlType::DateTimeOffset(n) => (n, 0),
            _ => (3, 5_000),
        };
        let fraction = (rest + up) / 10u32.pow(7 - u32::from(decimals.min(7)));
        if fraction > 0 {
            text.push(b'.');
            digits(&mut text, fraction, decimals.into());
        }
    }
    if let Value::DateTimeOffset { offset, .. } = v {
        match *offset {
            0 => text.push(b'Z'),
            offset => text.extend_from_slice(offset_text(offset).as_bytes()),
        }
    }
    text.push(b'"');
    ascii(out, &text);
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len() / 3 * 8 + 16);
    ascii(out, b"\"");
    base64_digits(bytes, |digit| ascii(out, &[digit]));
    ascii(out, b"\"");
}

/// Bytes in base 64.
pub(crate) fn base64_of(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() / 3 * 4 + 4);
    base64_digits(bytes, |digit| out.push(char::from(digit)));
    out
}

fn base64_digits(bytes: &[u8], mut put: impl FnMut(u8)) {
    for part in bytes.chunks(3) {
        let at = |n: usize| u32::from(part.get(n).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for n in 0..4 {
            match DIGITS[(bits >> (18 - 6 * n)) as usize & 63] {
                _ if n > part.len() => put(b'='),
                digit => put(digit),
            }
        }
    }
}

/// The bytes of a text in Base64, without the blanks in it; none: it is no such text.
pub(crate) fn from_base64(text: impl Iterator<Item = u16>) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut count, mut padding) = (Vec::new(), 0u32, 0, 0);
    for unit in text {
        let c = u8::try_from(unit).ok()?;
        if matches!(c, b' ' | b'\t' | b'\r' | b'\n') {
            continue;
        }
        count += 1;
        if c == b'=' {
            padding += 1;
            bits <<= 6;
        } else {
            if padding > 0 {
                return None;
            }
            bits = bits << 6 | DIGITS.iter().position(|d| *d == c)? as u32;
        }
        if count % 4 == 0 {
            let whole = 3usize.checked_sub(padding).filter(|n| *n > 0)?;
            out.extend_from_slice(&bits.to_be_bytes()[1..1 + whole]);
            bits = 0;
        }
    }
    (count % 4 == 0).then_some(out)
}

/// Appends a value. `raw`: text that is JSON already.
pub(super) fn value(out: &mut Vec<u8>, v: &Value, ty: SqlType, raw: bool) -> SqlResult<()> {
    match v {
        Value::Null => ascii(out, b"null"),
        Value::Bit(true) => ascii(out, b"true"),
        Value::Bit(false) => ascii(out, b"false"),
        Value::TinyInt(n) => scaled(out, (*n).into(), 0),
        Value::SmallInt(n) => scaled(out, (*n).into(), 0),
        Value::Int(n) => scaled(out, (*n).into(), 0),
        Value::BigInt(n) => scaled(out, (*n).into(), 0),
        Value::Decimal(d) => scaled(out, d.scaled(), d.scale()),
        Value::Money(n) => scaled(out, (*n).into(), 4),
        Value::Real(_) => ascii(out, converted(v, ty, 1)?.trim().as_bytes()),
        Value::Float(_) => ascii(out, converted(v, ty, 2)?.trim().as_bytes()),
        Value::NVarChar(b) if raw => out.extend_from_slice(b),
        Value::NVarChar(b) => quoted(out, b),
        Value::VarChar(b) => {
            let text = taffrail_types::codepage::decode_1252(b);
            let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            if raw { out.extend_from_slice(&text) } else { quoted(out, &text) }
        }
        Value::Binary(b) => base64(out, b),
        Value::Guid(_) => {
            let text = converted(v, ty, 0)?;
            ascii(out, format!("\"{text}\"").as_bytes());
        }
        Value::Variant(inner) => value(out, &inner.1, inner.0, false)?,
        _ => moment(out, v, ty),
    }
    Ok(())
}
