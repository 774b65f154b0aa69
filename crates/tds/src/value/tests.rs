//! Every type out and in again; and bytes that are none of them.

use super::*;
use crate::error::ProtocolError;
use crate::reader::Reader;
use crate::typeinfo::TypeInfo;
use crate::version::TdsVersion;
use taffrail_types::{Decimal, MaxLen, SqlType, Value};

const COLLATION: [u8; 5] = [9, 4, 0xD0, 0, 0x34];

pub(crate) fn samples() -> Vec<(SqlType, Value)> {
    use SqlType as T;
    let dec = |neg, m, s| Value::Decimal(Decimal::new(neg, m, s).unwrap());
    let long: Vec<u8> = (0..100_000u32).map(|i| (i % 250) as u8).collect();
    vec![
        (T::Bit, Value::Bit(true)),
        (T::TinyInt, Value::TinyInt(255)),
        (T::SmallInt, Value::SmallInt(-32768)),
        (T::Int, Value::Int(-5)),
        (T::BigInt, Value::BigInt(i64::MIN)),
        (T::Decimal { precision: 9, scale: 2 }, dec(true, 123_456_789, 2)),
        (T::Numeric { precision: 19, scale: 0 }, dec(false, 9_999_999_999_999_999_999, 0)),
        (T::Decimal { precision: 28, scale: 28 }, dec(false, 1, 28)),
        (T::Decimal { precision: 38, scale: 4 }, dec(true, 10u128.pow(38) - 1, 4)),
        (T::Money, Value::Money(-922_337_203_685_477_580)),
        (T::SmallMoney, Value::Money(2_147_483_647)),
        (T::Real, Value::Real(1.5)),
        (T::Float, Value::Float(-2.5e300)),
        (T::Date, Value::Date(3_652_058)),
        (T::Time(0), Value::Time(86_399 * 10_000_000)),
        (T::Time(7), Value::Time(DAY_TICKS - 1)),
        (T::DateTime, Value::DateTime { days: -53_690, ticks: DATETIME_TICKS - 1 }),
        (T::SmallDateTime, Value::SmallDateTime { days: 65_535, minutes: 1439 }),
        (T::DateTime2(3), Value::DateTime2 { days: 738_000, ticks: 1_230_000 }),
        (T::DateTimeOffset(7), Value::DateTimeOffset { days: 1, ticks: 7, offset: -840 }),
        (T::Char(3), Value::varchar_raw(b"abc")),
        (T::VarChar(MaxLen::N(8000)), Value::varchar_raw(&[b'x'; 8000])),
        (T::VarChar(MaxLen::Max), Value::varchar_raw(&long)),
        (T::NChar(1), Value::NVarChar([b'a', 0][..].into())),
        (T::NVarChar(MaxLen::N(10)), Value::NVarChar([][..].into())),
        (T::NVarChar(MaxLen::Max), Value::NVarChar(long[..].into())),
        (T::Binary(2), Value::Binary([1, 2][..].into())),
        (T::VarBinary(MaxLen::N(5)), Value::Binary([1][..].into())),
        (T::VarBinary(MaxLen::Max), Value::Binary([][..].into())),
        (T::UniqueIdentifier, Value::Guid([7; 16])),
    ]
}

trait Raw {
    fn varchar_raw(b: &[u8]) -> Value;
}

impl Raw for Value {
    fn varchar_raw(b: &[u8]) -> Value {
        Value::VarChar(b.into())
    }
}

/// Values have no equality of their own (NULL has none); their debug form is exact.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

fn bytes_of(ty: SqlType, value: &Value, version: TdsVersion) -> Vec<u8> {
    let info = TypeInfo::for_result(ty, COLLATION, version);
    let mut out = Vec::new();
    info.encode(&mut out);
    Encoder::new(&info, ty).put(&mut out, value).unwrap();
    out
}

fn read(bytes: &[u8]) -> Result<(SqlType, Value), ProtocolError> {
    let mut r = Reader::new(bytes);
    let info = TypeInfo::decode(&mut r, true)?;
    let value = decode(&mut r, &info)?;
    assert!(r.is_empty());
    Ok((info.sql, value))
}

#[test]
fn every_type_round_trips_and_so_does_its_null() {
    for (ty, value) in samples() {
        for value in [value, Value::Null] {
            let bytes = bytes_of(ty, &value, TdsVersion::V7_4);
            let (read_ty, read_value) = read(&bytes).unwrap();
            assert_eq!(read_ty, ty);
            assert!(same(&read_value, &value), "{ty:?} {value:?} {read_value:?}");
            for n in 0..bytes.len().min(200) {
                assert!(read(&bytes[..n]).is_err(), "{ty:?} cut to {n}");
            }
        }
    }
}

#[test]
fn old_versions_get_what_they_know() {
    let v = Value::DateTime2 { days: 693_595, ticks: 0 };
    let (ty, value) = read(&bytes_of(SqlType::DateTime2(3), &v, TdsVersion::V7_2)).unwrap();
    assert_eq!(ty, SqlType::NVarChar(MaxLen::N(23)));
    let text = crate::reader::utf16(value.as_bytes().unwrap());
    assert_eq!(text, "1900-01-01 00:00:00.000");

    let v = Value::NVarChar([b'a', 0][..].into());
    let bytes = bytes_of(SqlType::NVarChar(MaxLen::Max), &v, TdsVersion::V7_1);
    assert_eq!(bytes[0], 0x63);
    assert!(same(&read(&bytes).unwrap().1, &v));
}

#[test]
fn layouts_are_the_documented_ones() {
    let value = |ty, v: &Value| {
        let info = TypeInfo::for_result(ty, COLLATION, TdsVersion::V7_4);
        let mut out = Vec::new();
        encode(&mut out, &info, v).unwrap();
        out
    };
    // money: the high half first.
    assert_eq!(value(SqlType::Money, &Value::Money(1)), [8, 0, 0, 0, 0, 1, 0, 0, 0]);
    let d = Value::Decimal(Decimal::new(true, 258, 2).unwrap());
    assert_eq!(value(SqlType::Decimal { precision: 5, scale: 2 }, &d), [5, 0, 2, 1, 0, 0]);
    // A decimal of another scale than its column's.
    assert_eq!(value(SqlType::Decimal { precision: 5, scale: 3 }, &d), [5, 0, 20, 10, 0, 0]);
    let t = Value::DateTime2 { days: 1, ticks: 10_000_000 };
    assert_eq!(value(SqlType::DateTime2(0), &t), [6, 1, 0, 0, 1, 0, 0]);
    assert_eq!(value(SqlType::VarBinary(MaxLen::Max), &Value::Null), [0xFF; 8]);
}

#[test]
fn misfits_are_refused_with_nothing_written() {
    let fits = |ty, v: Value| {
        let info = TypeInfo::for_result(ty, COLLATION, TdsVersion::V7_4);
        encode(&mut Vec::new(), &info, &v).is_ok()
    };
    assert!(fits(SqlType::BigInt, Value::Int(5)));
    assert!(!fits(SqlType::TinyInt, Value::Int(256)));
    assert!(!fits(SqlType::Int, Value::varchar_raw(b"1")));
    assert!(!fits(SqlType::VarChar(MaxLen::N(2)), Value::varchar_raw(b"abc")));
    let big = Value::Decimal(Decimal::new(false, 1 << 40, 0).unwrap());
    assert!(!fits(SqlType::Decimal { precision: 9, scale: 0 }, big));
}

#[test]
fn variants_round_trip() {
    for (ty, value) in samples() {
        let inner = Value::Variant(Box::new((ty, value)));
        let info = TypeInfo::for_result(SqlType::Variant, COLLATION, TdsVersion::V7_4);
        let mut out = Vec::new();
        info.encode(&mut out);
        if encode(&mut out, &info, &inner).is_err() {
            let Value::Variant(inner) = inner else { unreachable!() };
            assert!(matches!(inner.0.max_len(), Some(MaxLen::Max)), "{inner:?}");
            continue;
        }
        assert!(same(&read(&out).unwrap().1, &inner), "{inner:?}");
    }
}

trait Len {
    fn max_len(self) -> Option<MaxLen>;
}

impl Len for SqlType {
    fn max_len(self) -> Option<MaxLen> {
        match self {
            SqlType::VarChar(n) | SqlType::NVarChar(n) | SqlType::VarBinary(n) => Some(n),
            _ => None,
        }
    }
}

#[test]
fn plp_in_chunks_of_unknown_total() {
    let mut bytes = vec![0xA5, 0xFF, 0xFF];
    bytes.extend_from_slice(&PLP_UNKNOWN.to_le_bytes());
    for chunk in [&b"abc"[..], b"d"] {
        bytes.extend_from_slice(&(chunk.len() as u32).to_le_bytes());
        bytes.extend_from_slice(chunk);
    }
    bytes.extend_from_slice(&[0; 4]);
    assert_eq!(read(&bytes).unwrap().1.as_bytes(), Some(&b"abcd"[..]));
    // A claimed total that is not true.
    bytes[3..11].copy_from_slice(&5u64.to_le_bytes());
    assert!(read(&bytes).is_err());
    // A chunk that claims four gigabytes allocates nothing.
    bytes[11..15].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(read(&bytes).unwrap_err(), ProtocolError::Truncated);
}

#[test]
fn values_outside_their_type_are_named() {
    for bytes in [
        &[0x28u8, 3, 0xDB, 0xB9, 0x37][..],             // date 10000-01-01
        &[0x29, 7, 5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],    // time beyond a day
        &[0x6F, 8, 8, 0, 0, 0, 0, 0, 0x82, 0x8B, 0x01], // datetime ticks
        &[0x6D, 4, 4, 0, 0, 0xC0, 0x7F],                // NaN
        &[0xE7, 8, 0, 0, 0, 0, 0, 0, 3, 0, 1, 2, 3],    // odd UTF-16
    ] {
        assert!(matches!(read(bytes), Err(ProtocolError::BadValue { .. })), "{bytes:?}");
    }
}
