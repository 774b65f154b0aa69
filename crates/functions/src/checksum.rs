//! CHECKSUM and BINARY_CHECKSUM: `h = rotl(h, 4) ^ v` over the arguments, where v is a value's own number.

use taffrail_types::codepage::{cp1252_to_utf16, units};
use taffrail_types::datetime::{DAYS_TO_1900, Local};
use taffrail_types::{Collation, SqlType, Value};

/// Weights of the characters of code page 1252 under the SQL collation.
#[rustfmt::skip]
static WEIGHTS: [u16; 256] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
    25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 48, 49, 50, 51, 52, 53, 54, 142, 143, 144,
    145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162,
    163, 164, 165, 166, 167, 55, 56, 57, 58, 59, 60, 142, 143, 144, 145, 146, 147, 148, 149,
    150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167,
    61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
    84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104,
    105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122,
    123, 124, 125, 126, 127, 128, 129, 654, 910, 1166, 1422, 1678, 1934, 6514, 400, 658, 914,
    1170, 1426, 406, 662, 918, 1174, 168, 411, 412, 668, 924, 1180, 1436, 130, 1692, 418, 674,
    930, 1186, 422, 169, 7072, 654, 910, 1166, 1422, 1678, 1934, 6514, 400, 658, 914, 1170,
    1426, 406, 662, 918, 1174, 168, 411, 412, 668, 924, 1180, 1436, 131, 1692, 418, 674, 930,
    1186, 422, 169, 678,
];

/// Second halves of the primary weights of a to z (the first is 0x0E).
const LETTERS: [u8; 26] = [
    0x02, 0x09, 0x0A, 0x1A, 0x21, 0x23, 0x25, 0x2C, 0x32, 0x35, 0x36, 0x48, 0x51, 0x70, 0x7C, 0x7E,
    0x89, 0x8A, 0x91, 0x99, 0x9F, 0xA2, 0xA4, 0xA6, 0xA7, 0xA9,
];

/// The number of a list of values. `binary`: BINARY_CHECKSUM.
pub fn checksum(args: &[Value], types: &[SqlType], collations: &[Collation], binary: bool) -> i32 {
    let mut h = 0u32;
    for (at, v) in args.iter().enumerate() {
        let ty = types.get(at).copied().unwrap_or(SqlType::Int);
        let collation = collations.get(at).copied().unwrap_or_default();
        h = h.rotate_left(4) ^ number(v, ty, collation, binary);
    }
    h as i32
}

fn halves(v: u64) -> u32 {
    (v >> 32) as u32 ^ v as u32
}

fn fold(units: impl Iterator<Item = u32>) -> u32 {
    units.fold(0, |h, u| h.rotate_left(4) ^ u)
}

fn number(v: &Value, ty: SqlType, collation: Collation, binary: bool) -> u32 {
    match v {
        Value::Null => 0x7FFF_FFFF,
        Value::Bit(b) => *b as u32,
        Value::TinyInt(n) => *n as u32,
        Value::SmallInt(n) => *n as u16 as u32,
        Value::Int(n) => *n as u32,
        Value::BigInt(n) => halves(*n as u64),
        Value::Float(x) => halves(x.to_bits()),
        Value::Real(x) => x.to_bits(),
        Value::Money(n) if ty == SqlType::SmallMoney => *n as i32 as u32,
        Value::Money(n) => halves(*n as u64),
        // By the digits alone: 1.5, 1.50, 150 and -15 are the same.
        Value::Decimal(d) => {
            let mut digits = d.magnitude();
            while digits != 0 && digits % 10 == 0 {
                digits /= 10;
            }
            halves(digits as u64) ^ halves((digits >> 64) as u64)
        }
        Value::Date(days) => (*days as i32 - DAYS_TO_1900) as u32,
        Value::Time(ticks) => halves(*ticks),
        Value::DateTime { days, ticks } => *days as u32 ^ ticks,
        Value::SmallDateTime { days, minutes } => (*days as u32) << 16 | *minutes as u32,
        Value::DateTime2 { days, ticks } | Value::DateTimeOffset { days, ticks, .. } => {
            (*days as i32 - DAYS_TO_1900) as u32 ^ halves(*ticks)
        }
        Value::Guid(g) => fold(g.iter().map(|b| *b as u32)),
        Value::Binary(b) => {
            let end = b.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
            fold(b[..end].iter().map(|b| *b as u32))
        }
        Value::VarChar(b) => {
            let end = b.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
            if binary || collation.is_binary() {
                return fold(b[..end].iter().map(|b| *b as i8 as u32));
            }
            let letters = b[..end].iter().map(|b| u32::from(WEIGHTS[*b as usize]));
            match collation.sort_order() {
                0 => primary(&collation.letters(units(&cp1252_to_utf16(b)))),
                // The low byte is the letter, which is all that counts here.
                _ if collation.ignores_accents() => fold(letters.map(|w| w & 0xFF)),
                _ => fold(letters),
            }
        }
        Value::NVarChar(b) => {
            let mut units: Vec<u16> = units(b).collect();
            while units.last() == Some(&(b' ' as u16)) {
                units.pop();
            }
            if binary || collation.is_binary() {
                return fold(units.iter().map(|u| *u as u32));
            }
            match collation == Collation::default() {
                true => primary(&units),
                false => primary(&collation.letters(units.into_iter())),
            }
        }
        Value::Variant(inner) => {
            let (ty, value) = &**inner;
            let (family, value) = of_variant(value);
            number(&value, *ty, collation, binary) ^ family
        }
    }
}

/// The number of a sql_variant's family, and its value as that family compares it: 1, 1.0 and $1 are the same.
fn of_variant(value: &Value) -> (u32, Value) {
    match value {
        Value::Guid(_) => (1, value.clone()),
        Value::Binary(_) => (2, value.clone()),
        Value::VarChar(_) | Value::NVarChar(_) => (3, value.clone()),
        Value::Real(x) => (5, Value::Float(*x as f64)),
        Value::Float(_) => (5, value.clone()),
        Value::Decimal(_) => (4, value.clone()),
        other if Local::from_value(other).is_some() => (7, value.clone()),
        other => {
            let exact = match other {
                Value::Money(m) => taffrail_types::Decimal::from_scaled(*m as i128, 4),
                other => other.as_i64().map(taffrail_types::Decimal::from_i64),
            };
            (4, exact.map_or(value.clone(), Value::Decimal))
        }
    }
}

/// nvarchar under a collation of Windows: the primary weights' bytes, four together while there are four.
fn primary(units: &[u16]) -> u32 {
    let mut bytes = Vec::with_capacity(units.len() * 2);
    for u in units {
        push_weights(*u, &mut bytes);
    }
    let mut h = 0u32;
    let mut words = bytes.chunks_exact(4);
    for w in &mut words {
        h = h.rotate_left(3) ^ u32::from_le_bytes([w[0], w[1], w[2], w[3]]);
    }
    for b in words.remainder() {
        h = h.rotate_left(3) ^ *b as u32;
    }
    h
}

/// The primary weight of a character: of the Latin letters SQL Server's, of others this server's own.
fn push_weights(u: u16, out: &mut Vec<u8>) {
    let c = char::from_u32(u as u32).unwrap_or('\u{FFFD}');
    let base = match c {
        // Only looked at when everything else is equal.
        '-' | '\'' | '\u{AD}' => return,
        ' ' => return out.extend([0x07, 0x02]),
        '\u{A0}' => return out.extend([0x07, 0x04]),
        'À'..='Å' | 'à'..='å' => "a",
        'Æ' | 'æ' => "ae",
        'Ç' | 'ç' => "c",
        'È'..='Ë' | 'è'..='ë' => "e",
        'Ì'..='Ï' | 'ì'..='ï' => "i",
        'Ñ' | 'ñ' => "n",
        'Ò'..='Ö' | 'ò'..='ö' | 'Ø' | 'ø' => "o",
        'Œ' | 'œ' => "oe",
        'Ù'..='Ü' | 'ù'..='ü' => "u",
        'Ý' | 'ý' | 'ÿ' | 'Ÿ' => "y",
        'ß' => "ss",
        'Þ' | 'þ' => "th",
        'Š' | 'š' => "s",
        'Ž' | 'ž' => "z",
        _ => "",
    };
    let mut letter = |l: u8| out.extend([0x0E, LETTERS[(l - b'a') as usize]]);
    if !base.is_empty() {
        base.bytes().for_each(letter);
    } else if c.is_ascii_alphabetic() {
        letter(c.to_ascii_lowercase() as u8);
    } else {
        // Case does not count here either.
        let folded = c.to_lowercase().next().unwrap_or(c) as u32;
        out.extend([(folded >> 8) as u8 ^ 0x80, folded as u8]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_types::convert::cast;
    use taffrail_types::names::{TypeUse, parse};
    use taffrail_types::{Conversion, MaxLen};

    fn of(ty: &str, text: &str, binary: bool) -> i32 {
        let ty = parse(ty, TypeUse::Cast).unwrap().unwrap();
        let from = SqlType::NVarChar(MaxLen::Max);
        let v = Value::nvarchar(text);
        let v = cast(&v, from, ty, None, Conversion::Explicit).unwrap();
        checksum(&[v], &[ty], &[], binary)
    }

    #[test]
    fn published_values() {
        for (text, expected) in [
            ("a", 142),
            ("A", 142),
            ("ab", 2159),
            ("é", 914),
            ("abcdefgh", 1_721_285_341),
            (" x", 677),
        ] {
            assert_eq!(of("varchar(30)", text, false), expected, "{text}");
        }
        for (text, expected) in [
            ("a", 114),
            ("ab", 151_912_974),
            ("a-b ", 151_912_974),
            ("abc", 1_132_495_864),
            ("é", 81),
            ("e", 81),
            ("æ", 554_566_158),
            ("x y", -2_115_402_921),
        ] {
            assert_eq!(of("nvarchar(30)", text, false), expected, "N{text}");
        }
        for (ty, text, expected) in [
            ("varchar(30)", "a", 97),
            ("varchar(30)", "é", -23),
            ("varchar(30)", "abcdefghijklmnopqrstuvwxyz", -878_079_993),
            ("nvarchar(30)", "€", 8364),
            ("smallint", "-1", 65_535),
            ("bigint", "-2", 1),
            ("float", "1.5", 1_073_217_536),
            ("money", "-1", 9999),
            ("datetime", "2020-01-01 10:00", 10_772_661),
            ("smalldatetime", "2020-01-01 10:00", -1_422_589_352),
            ("datetime2(0)", "2020-01-01 10:00", -777_208_986),
            ("time", "10:00", -777_252_781),
            ("datetimeoffset", "2020-01-01 10:00 +01:00", 1_877_410_686),
            ("uniqueidentifier", "6F9619FF-8B86-D011-B42D-00C04FC964FF", -1_916_545_669),
            ("date", "2020-01-01", 43_829),
        ] {
            assert_eq!(of(ty, text, true), expected, "{ty} {text}");
        }
        let ints = [Value::Int(1), Value::Int(2)];
        assert_eq!(checksum(&ints, &[SqlType::Int; 2], &[], false), 18);
        let null = [Value::Null, Value::Int(1)];
        assert_eq!(checksum(&null, &[SqlType::Int; 2], &[], true), -10);
        let mixed = [Value::Int(1), Value::varchar("x")];
        assert_eq!(checksum(&mixed, &[SqlType::Int, SqlType::varchar(1)], &[], false), 181);
        let bytes = [Value::binary(&[1, 0])];
        assert_eq!(checksum(&bytes, &[SqlType::VarBinary(MaxLen::N(2))], &[], true), 1);
    }
}
