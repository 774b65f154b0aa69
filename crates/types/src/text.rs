//! Text of values: what CONVERT's styles make of numbers, guids and bytes, and what PRINT and messages show.

use crate::convert::{Conversion, cast};
use crate::{Collation, MaxLen, SqlType, Value};
use std::fmt::Write;

/// real and float. Style 0: up to 6 digits, an exponent where needed; 1: 8 digits, 2: 16, 3: 17 with an exponent.
///
/// Exponents have at least three digits, as in SQL Server's C runtime: `1e+006`.
pub fn float(v: f64, style: i32) -> String {
    match style {
        1 => exponential(v, 8, false),
        2 => exponential(v, 16, false),
        3 => exponential(v, 17, false),
        _ => general(v),
    }
}

/// C's `%g`: six significant digits, no trailing zeroes.
fn general(v: f64) -> String {
    let sign = if v.is_sign_negative() { "-" } else { "" };
    if v == 0.0 {
        return format!("{sign}0");
    }
    let (digits, exponent) = significant(v, 6);
    if !(-4..6).contains(&exponent) {
        return exponential(v, 6, true);
    }
    let digits: String = digits.into_iter().map(char::from).collect();
    let text = match usize::try_from(exponent) {
        Ok(whole) => format!("{}.{}", &digits[..whole + 1], &digits[whole + 1..]),
        Err(_) => format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1)),
    };
    format!("{sign}{}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The first digits of a number that is not zero, rounded half away from zero, and the exponent of the first.
fn significant(v: f64, digits: usize) -> (Vec<u8>, i32) {
    // The formatter rounds ties to even: far enough behind, it leaves the rounding to us.
    let text = format!("{:.*e}", digits + 25, v.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut exponent: i32 = exponent.parse().unwrap_or(0);
    let mut all: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let up = all.get(digits).is_some_and(|d| *d >= b'5');
    all.truncate(digits);
    if up {
        match all.iter().rposition(|d| *d != b'9') {
            Some(at) => {
                all[at] += 1;
                all[at + 1..].fill(b'0');
            }
            None => {
                all.fill(b'0');
                all[0] = b'1';
                exponent += 1;
            }
        }
    }
    (all, exponent)
}

fn exponential(v: f64, digits: usize, trim: bool) -> String {
    let (mut mantissa, exponent) = match v == 0.0 {
        true => (vec![b'0'; digits], 0),
        false => significant(v, digits),
    };
    if trim {
        let last = mantissa.iter().rposition(|d| *d != b'0').unwrap_or(0);
        mantissa.truncate(last + 1);
    }
    let mut text = String::with_capacity(digits + 8);
    if v.is_sign_negative() {
        text.push('-');
    }
    for (i, digit) in mantissa.into_iter().enumerate() {
        if i == 1 {
            text.push('.');
        }
        text.push(char::from(digit));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("e{sign}{:03}", exponent.unsigned_abs()));
    text
}

/// money and smallmoney. Style 0: two decimals; 1: two decimals and commas; 2 and 126: four decimals.
pub fn money(v: i64, style: i32) -> String {
    let sign = if v < 0 { "-" } else { "" };
    let all = v.unsigned_abs();
    if matches!(style, 2 | 126) {
        return format!("{sign}{}.{:04}", all / 10_000, all % 10_000);
    }
    let cents = (all as u128 + 50) / 100;
    let sign = if cents == 0 { "" } else { sign };
    let mut whole = (cents / 100).to_string();
    if style == 1 {
        let mut at = whole.len();
        while at > 3 {
            at -= 3;
            whole.insert(at, ',');
        }
    }
    format!("{sign}{whole}.{:02}", cents % 100)
}

/// A uniqueidentifier as text: `6F9619FF-8B86-D011-B42D-00C04FC964FF`.
pub fn guid(g: &[u8; 16]) -> String {
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let mut out = String::with_capacity(36);
    for (i, at) in order.into_iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        write!(out, "{:02X}", g[at]).expect("formatting into a String");
    }
    out
}

/// Bytes in hexadecimal, in capitals, perhaps behind `0x`.
pub fn hex(b: &[u8], prefix: bool) -> String {
    let mut out = String::with_capacity(b.len() * 2 + 2);
    if prefix {
        out.push_str("0x");
    }
    for byte in b {
        write!(out, "{byte:02X}").expect("formatting into a String");
    }
    out
}

/// The value as PRINT and messages show it (CONVERT without style; binary as 0x…); NULL is `NULL`.
pub fn display(v: &Value, ty: SqlType) -> String {
    match v {
        Value::Null => "NULL".into(),
        Value::Binary(b) => hex(b, true),
        Value::Variant(inner) => display(&inner.1, inner.0),
        v => match cast(v, ty, SqlType::NVarChar(MaxLen::Max), None, Conversion::Explicit) {
            Ok(text) => text.as_text().unwrap_or_default(),
            Err(_) => format!("{v:?}"),
        },
    }
}

/// The key in a duplicate-key message: `(1, abc, <NULL>)`. The collation says the code page of a column's text.
pub fn key_text<'a>(columns: impl IntoIterator<Item = (&'a Value, SqlType, Collation)>) -> String {
    let one = |(v, ty, collation): (&Value, SqlType, Collation)| match v {
        Value::Null => "<NULL>".to_owned(),
        Value::VarChar(b) => collation.page().decode(b),
        v => display(v, ty),
    };
    let parts: Vec<String> = columns.into_iter().map(one).collect();
    format!("({})", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats() {
        for (v, expected) in [
            (0.0, "0"),
            (1.5, "1.5"),
            (123456.0, "123456"),
            (1234567.0, "1.23457e+006"),
            (999999.5, "1e+006"),
            (0.0001, "0.0001"),
            (0.00001, "1e-005"),
            (-2.5e-7, "-2.5e-007"),
            (1e300, "1e+300"),
            (100000.0, "100000"),
            (1.0 / 3.0, "0.333333"),
            // Ties go away from zero.
            (1234565.0, "1.23457e+006"),
            (-1234565.0, "-1.23457e+006"),
            (0.099_999_995, "0.1"),
            (9.999_995e22, "1e+023"),
            (-0.001_5, "-0.0015"),
        ] {
            assert_eq!(float(v, 0), expected);
        }
        assert_eq!(float(12345.678, 1), "1.2345678e+004");
        assert_eq!(float(0.1, 2), "1.000000000000000e-001");
        assert_eq!(float(0.1, 3), "1.0000000000000001e-001");
        assert_eq!(float(0.0, 1), "0.0000000e+000");
        // The value of a real, whose digits end where its own end.
        let real = f64::from(123_457.15_f32);
        assert_eq!(float(real, 0), "123457");
        assert_eq!(float(real, 1), "1.2345715e+005");
        assert_eq!(float(real, 2), "1.234571484375000e+005");
        assert_eq!(float(real, 3), "1.2345714843750000e+005");
    }

    #[test]
    fn money_styles() {
        assert_eq!(money(12_345_678_901, 0), "1234567.89");
        assert_eq!(money(12_345_678_901, 1), "1,234,567.89");
        assert_eq!(money(-12_345_678_901, 2), "-1234567.8901");
        assert_eq!(money(-49, 0), "0.00");
        assert_eq!(money(i64::MIN, 0), "-922337203685477.58");
    }

    #[test]
    fn keys_and_guids() {
        let ty = SqlType::varchar(3);
        let columns =
            [(Value::Int(1), SqlType::Int), (Value::varchar("abc"), ty), (Value::Null, ty)];
        let text = key_text(columns.iter().map(|(v, t)| (v, *t, Collation::DEFAULT)));
        assert_eq!(text, "(1, abc, <NULL>)");
        let g = crate::convert::parse_guid(b"6F9619FF-8B86-D011-B42D-00C04FC964FF").unwrap();
        assert_eq!((g[0], guid(&g).as_str()), (0xFF, "6F9619FF-8B86-D011-B42D-00C04FC964FF"));
    }
}
