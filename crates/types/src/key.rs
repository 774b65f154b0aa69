//! Index keys: bytes whose memcmp order is the order of the values.
//!
//! ```text
//!   column   [marker 00 NULL | 01] value          the marker is left out for columns that cannot be NULL
//!   integer  big-endian, sign bit flipped         money, date, time, datetime …: as integers, most significant first
//!   decimal  80 ± n │ n bytes, big-endian         n = length of the magnitude; a negative one has all bytes inverted
//!   float    sign bit flipped, or all bits if it is set
//!   text     the collation's sort key             self-delimiting
//!   binary   00 → 00 FF │ end 00 00               trailing zeroes do not count, as in comparison
//!   guid     its bytes in the order of comparison
//! ```
//! A descending column has all its bytes inverted. Every form ends itself, so keys of several columns are the
//! columns' bytes one after the other. A decimal column's values all have the column's scale.

use crate::compare::{GUID_ORDER, normal_form, variant_rank};
use crate::{Collation, Decimal, Value};

/// Appends a column that may be NULL: NULL first, then as [`crate::compare::compare`] orders (`descending`: the reverse).
pub fn append(out: &mut Vec<u8>, v: &Value, collation: Collation, descending: bool) {
    let start = out.len();
    if v.is_null() {
        out.push(0);
    } else {
        out.push(1);
        append_value(out, v, collation);
    }
    if descending {
        invert(&mut out[start..]);
    }
}

/// Appends what the keys of all text have in common that begins with this one, or less, which is not empty and does not end with a blank.
pub fn append_beginning(out: &mut Vec<u8>, text: &Value, collation: Collation, descending: bool) {
    let start = out.len();
    out.push(1);
    match text {
        Value::NVarChar(b) => collation.key_beginning_nvarchar(b, out),
        Value::VarChar(b) => collation.key_beginning_varchar(b, out),
        _ => {}
    }
    if descending {
        invert(&mut out[start..]);
    }
}

fn invert(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|b| *b = !*b);
}

fn append_value(out: &mut Vec<u8>, v: &Value, collation: Collation) {
    match v {
        Value::Null => {}
        Value::Bit(x) => out.push(*x as u8),
        Value::TinyInt(x) => out.push(*x),
        Value::SmallInt(x) => out.extend_from_slice(&(*x as u16 ^ 1 << 15).to_be_bytes()),
        Value::Int(x) => out.extend_from_slice(&(*x as u32 ^ 1 << 31).to_be_bytes()),
        Value::BigInt(x) | Value::Money(x) => {
            out.extend_from_slice(&(*x as u64 ^ 1 << 63).to_be_bytes())
        }
        Value::Decimal(d) => append_magnitude(out, d.is_negative(), &d.magnitude().to_be_bytes()),
        Value::Real(x) => {
            let bits = (*x + 0.0).to_bits();
            let bits = if bits >> 31 == 1 { !bits } else { bits ^ 1 << 31 };
            out.extend_from_slice(&bits.to_be_bytes());
        }
        Value::Float(x) => {
            let bits = (*x + 0.0).to_bits();
            let bits = if bits >> 63 == 1 { !bits } else { bits ^ 1 << 63 };
            out.extend_from_slice(&bits.to_be_bytes());
        }
        Value::Date(days) => out.extend_from_slice(&days.to_be_bytes()[1..]),
        // A day has 864,000,000,000 ticks: 40 bits.
        Value::Time(ticks) => out.extend_from_slice(&ticks.to_be_bytes()[3..]),
        Value::DateTime { days, ticks } => {
            out.extend_from_slice(&(*days as u32 ^ 1 << 31).to_be_bytes());
            out.extend_from_slice(&ticks.to_be_bytes());
        }
        Value::SmallDateTime { days, minutes } => {
            out.extend_from_slice(&days.to_be_bytes());
            out.extend_from_slice(&minutes.to_be_bytes());
        }
        Value::DateTime2 { days, ticks } | Value::DateTimeOffset { days, ticks, .. } => {
            out.extend_from_slice(&days.to_be_bytes()[1..]);
            out.extend_from_slice(&ticks.to_be_bytes()[3..]);
        }
        Value::VarChar(b) => collation.sort_key_varchar(b, out),
        Value::NVarChar(b) => collation.sort_key_nvarchar(b, out),
        Value::Binary(b) => {
            let end = b.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
            for &byte in &b[..end] {
                out.push(byte);
                if byte == 0 {
                    out.push(0xFF);
                }
            }
            out.extend_from_slice(&[0, 0]);
        }
        Value::Guid(g) => out.extend(GUID_ORDER.iter().map(|i| g[*i])),
        Value::Variant(v) => {
            out.push(variant_rank(v.0));
            match normal_form(&v.0, &v.1) {
                Value::Decimal(d) => append_decimal_any_scale(out, d),
                other => append_value(out, &other, collation),
            }
        }
    }
}

/// Sign and length, then the bytes without leading zeroes.
fn append_magnitude(out: &mut Vec<u8>, negative: bool, big_endian: &[u8]) {
    let zeroes = big_endian.iter().take_while(|b| **b == 0).count();
    let bytes = &big_endian[zeroes..];
    let start = out.len();
    out.push(0x80 + bytes.len() as u8);
    out.extend_from_slice(bytes);
    if negative {
        invert(&mut out[start..]);
    }
}

/// Decimals of all scales in one column (sql_variant): all brought to 38 digits after the point.
fn append_decimal_any_scale(out: &mut Vec<u8>, d: Decimal) {
    let power = crate::decimal::POW10[(38 - d.scale()) as usize];
    let wide = ethnum::U256::new(d.magnitude()) * ethnum::U256::new(power);
    append_magnitude(out, d.is_negative(), &wide.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqlType;
    use crate::compare::compare;

    /// Keys of every pair of samples (all of one type) order as the values do, in both directions.
    fn check(samples: &[Value]) {
        let c = Collation::default();
        let key = |v: &Value, descending| {
            let mut out = Vec::new();
            append(&mut out, v, c, descending);
            out
        };
        for a in samples.iter().chain([&Value::Null]) {
            for b in samples.iter().chain([&Value::Null]) {
                let order = compare(a, b, c);
                assert_eq!(key(a, false).cmp(&key(b, false)), order, "{a:?} {b:?}");
                assert_eq!(
                    key(a, true).cmp(&key(b, true)),
                    order.reverse(),
                    "{a:?} {b:?} descending"
                );
                let (ka, kb) = (key(a, false), key(b, false));
                assert!(ka == kb || !kb.starts_with(&ka), "{a:?} is the beginning of {b:?}");
            }
        }
    }

    #[test]
    fn every_kind_of_value() {
        check(&[i32::MIN, -2, -1, 0, 1, 255, 256, i32::MAX].map(Value::Int));
        check(&[i64::MIN, -1, 0, 1, i64::MAX].map(Value::BigInt));
        check(&[i64::MIN, -1, 0, 1, i64::MAX].map(Value::Money));
        check(&[i16::MIN, -1, 0, i16::MAX].map(Value::SmallInt));
        check(&[0u8, 1, 255].map(Value::TinyInt));
        check(&[false, true].map(Value::Bit));
        check(&[-1e300, -1.0, -1e-300, -0.0, 0.0, 1e-300, 1.0, 1e300].map(Value::Float));
        check(&[-1e30f32, -1.0, 0.0, 1.0, 1e30].map(Value::Real));
        let d = |s: &str| Decimal::parse_scaled(s.as_bytes(), 2).unwrap();
        check(
            &[
                "-99999999999999999999",
                "-256",
                "-2.55",
                "-0.01",
                "0",
                "0.01",
                "2.55",
                "2.56",
                "655.36",
                "99999999999999999999",
            ]
            .map(|s| Value::Decimal(d(s))),
        );
        check(
            &[&[][..], &[0], &[0, 1], &[1], &[1, 0, 0], &[1, 0, 1], &[1, 1], &[255], &[255, 255]]
                .map(Value::binary),
        );
        check(&["", "a", "A ", "ab", "a\u{1}", "b", " a"].map(Value::varchar));
        check(&["", "a", "A ", "ab", "a\u{1}", "b", "Ж", "ж", "é"].map(Value::nvarchar));
        check(
            &[(-53690, 0), (-1, 25919999), (0, 0), (0, 1), (2958463, 3)]
                .map(|(days, ticks)| Value::DateTime { days, ticks }),
        );
        check(
            &[(0, 0), (0, 863_999_999_999), (1, 0), (3652058, 5)]
                .map(|(days, ticks)| Value::DateTime2 { days, ticks }),
        );
        check(&[0, 1, 3652058].map(Value::Date));
        check(&[0, 1, 863_999_999_999].map(Value::Time));
        check(&[[0u8; 16], [1; 16], [255; 16], *b"0123456789abcdef"].map(Value::Guid));
        let v = |ty, v| Value::Variant(Box::new((ty, v)));
        check(&[
            v(SqlType::Int, Value::Int(-5)),
            v(SqlType::Int, Value::Int(1)),
            v(SqlType::Decimal { precision: 5, scale: 2 }, Value::Decimal(d("1"))),
            v(SqlType::Decimal { precision: 5, scale: 2 }, Value::Decimal(d("1.5"))),
            v(SqlType::Float, Value::Float(1.0)),
            v(SqlType::varchar(3), Value::varchar("abc")),
        ]);
    }
}
