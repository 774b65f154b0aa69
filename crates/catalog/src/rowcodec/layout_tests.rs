use super::*;
use crate::rowcodec::{NoLobs, VersionTag};
use proptest::prelude::*;
use std::collections::HashMap;
use taffrail_base::{LogPos, PageId};
use taffrail_types::compare;
use taffrail_types::{Decimal, MaxLen};

#[path = "../../../testkit/src/drawn.rs"]
mod drawn;

/// Overflow pages in memory.
#[derive(Default)]
struct Memory(HashMap<u32, Vec<u8>>);

impl Lobs for Memory {
    fn write(&mut self, bytes: &[u8]) -> SqlResult<LobRef> {
        let n = self.0.len() as u32 + 1;
        self.0.insert(n, bytes.to_vec());
        let id = (u64::from(n) << 40 | 7) & LobRef::MAX_ID;
        Ok(LobRef { first: PageId::new(1, n), id, length: bytes.len() as u64 })
    }
    fn read(&mut self, lob: LobRef) -> SqlResult<Vec<u8>> {
        Ok(self.0[&lob.first.page].clone())
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Variant(x), Value::Variant(y)) => x.0 == y.0 && same(&x.1, &y.1),
        (Value::Float(x), Value::Float(y)) => x.to_bits() == y.to_bits(),
        (Value::Real(x), Value::Real(y)) => x.to_bits() == y.to_bits(),
        _ if std::mem::discriminant(a) != std::mem::discriminant(b) => false,
        _ => match (a.as_bytes(), b.as_bytes()) {
            (Some(x), Some(y)) => x == y,
            _ => compare::compare(a, b, taffrail_types::Collation::default()).is_eq(),
        },
    }
}

fn column() -> BoxedStrategy<(SqlType, Value)> {
    let bytes = |n| proptest::collection::vec(any::<u8>(), 0..n);
    let short = |n: usize| proptest::collection::vec(any::<u8>(), n..n + 1);
    let day = 0u32..3_652_059;
    let tick = 0u64..864_000_000_000;
    let typed = prop_oneof![
        any::<bool>().prop_map(|v| (SqlType::Bit, Value::Bit(v))),
        any::<u8>().prop_map(|v| (SqlType::TinyInt, Value::TinyInt(v))),
        any::<i16>().prop_map(|v| (SqlType::SmallInt, Value::SmallInt(v))),
        any::<i32>().prop_map(|v| (SqlType::Int, Value::Int(v))),
        any::<i64>().prop_map(|v| (SqlType::BigInt, Value::BigInt(v))),
        any::<f64>().prop_map(|v| (SqlType::Float, Value::Float(v))),
        any::<f32>().prop_map(|v| (SqlType::Real, Value::Real(v))),
        any::<i64>().prop_map(|v| (SqlType::Money, Value::Money(v))),
        any::<i32>().prop_map(|v| (SqlType::SmallMoney, Value::Money(v as i64))),
        (1u8..39, any::<u128>(), any::<bool>()).prop_map(|(precision, m, negative)| {
            let scale = precision / 2;
            let v = Decimal::new(negative, m % 10u128.pow(precision as u32), scale).unwrap();
            (SqlType::Decimal { precision, scale }, Value::Decimal(v))
        }),
        day.clone().prop_map(|d| (SqlType::Date, Value::Date(d))),
        (0u8..8, tick.clone()).prop_map(|(n, t)| {
            let unit = 10u64.pow(7 - n as u32);
            (SqlType::Time(n), Value::Time(t / unit * unit))
        }),
        (0u8..8, day.clone(), tick.clone(), -840i16..841).prop_map(|(n, days, t, offset)| {
            let unit = 10u64.pow(7 - n as u32);
            (
                SqlType::DateTimeOffset(n),
                Value::DateTimeOffset { days, ticks: t / unit * unit, offset },
            )
        }),
        (0u8..8, day, tick).prop_map(|(n, days, t)| {
            let unit = 10u64.pow(7 - n as u32);
            (SqlType::DateTime2(n), Value::DateTime2 { days, ticks: t / unit * unit })
        }),
        (any::<i32>(), any::<u32>())
            .prop_map(|(days, ticks)| (SqlType::DateTime, Value::DateTime { days, ticks })),
        (any::<u16>(), any::<u16>()).prop_map(|(days, minutes)| (
            SqlType::SmallDateTime,
            Value::SmallDateTime { days, minutes }
        )),
        short(7).prop_map(|b| (SqlType::Char(7), Value::VarChar(Bytes::from_vec(b)))),
        short(6).prop_map(|b| (SqlType::NChar(3), Value::NVarChar(Bytes::from_vec(b)))),
        short(5).prop_map(|b| (SqlType::Binary(5), Value::binary(&b))),
        any::<[u8; 16]>().prop_map(|b| (SqlType::UniqueIdentifier, Value::Guid(b))),
        bytes(60)
            .prop_map(|b| (SqlType::VarChar(MaxLen::N(60)), Value::VarChar(Bytes::from_vec(b)))),
        bytes(20000)
            .prop_map(|b| (SqlType::VarChar(MaxLen::Max), Value::VarChar(Bytes::from_vec(b)))),
        bytes(5000).prop_map(|b| (SqlType::VarBinary(MaxLen::N(5000)), Value::binary(&b))),
        bytes(40).prop_map(|b| {
            let inner = (SqlType::VarBinary(MaxLen::N(40)), Value::binary(&b));
            (SqlType::Variant, Value::Variant(Box::new(inner)))
        }),
    ];
    (typed, 0..5).prop_map(|((ty, v), null)| (ty, if null == 0 { Value::Null } else { v })).boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_row_comes_back_as_it_was(columns in proptest::collection::vec(column(), 1..30)) {
        let layout = RowLayout::of_types(columns.iter().map(|c| c.0)).beside_key(900);
        let values: Vec<Value> = columns.iter().map(|c| c.1.clone()).collect();
        let mut lobs = Memory::default();
        let mut row = Vec::new();
        layout.encode(&values, &mut row, &mut lobs).unwrap();
        prop_assert!(row.len() <= MAX_ROW_BYTES);
        let mut back = Vec::new();
        layout.decode(&row, &mut back, &mut lobs).unwrap();
        for (i, (a, b)) in values.iter().zip(&back).enumerate() {
            prop_assert!(same(a, b), "{a:?} {b:?}");
            prop_assert!(same(a, &layout.get(&row, i, &mut lobs).unwrap()));
        }
        prop_assert_eq!(layout.lobs(&row).unwrap().len(), lobs.0.len());
    }

    #[test]
    fn columns_are_read_into_their_places(
        columns in proptest::collection::vec(column(), 1..12),
        before in proptest::collection::vec(column(), 12),
    ) {
        let layout = RowLayout::of_types(columns.iter().map(|c| c.0));
        let values: Vec<Value> = columns.iter().map(|c| c.1.clone()).collect();
        let mut lobs = Memory::default();
        let mut row = Vec::new();
        layout.encode(&values, &mut row, &mut lobs).unwrap();
        // The last column first, each into a place where something else was.
        let mut frame: Vec<Value> = before.iter().map(|c| c.1.clone()).collect();
        let wanted: Vec<(usize, u32)> = (0..columns.len()).rev().map(|c| (c, c as u32)).collect();
        let mut rest = &wanted[..];
        while !rest.is_empty() {
            rest = &rest[layout.read(&row, rest, &mut frame).unwrap()..];
            // It stops where a value lies on overflow pages.
            let Some(((c, slot), after)) = rest.split_first() else { break };
            prop_assert!(matches!(layout.cell(&row, *c).unwrap(), Cell::Lob(_)));
            frame[*slot as usize] = layout.get(&row, *c, &mut lobs).unwrap();
            rest = after;
        }
        for (a, b) in values.iter().zip(&frame) {
            prop_assert!(same(a, b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn damaged_rows_are_errors(columns in proptest::collection::vec(column(), 1..8), cut in 0usize..200, flip in any::<(u16, u8)>()) {
        let layout = RowLayout::of_types(columns.iter().map(|c| c.0));
        let values: Vec<Value> = columns.iter().map(|c| c.1.clone()).collect();
        let mut lobs = Memory::default();
        let mut row = Vec::new();
        layout.encode(&values, &mut row, &mut lobs).unwrap();
        let at = flip.0 as usize % row.len();
        row[at] ^= flip.1;
        row.truncate(row.len().saturating_sub(cut));
        for i in 0..columns.len() {
            let _ = layout.cell(&row, i);
            let _ = layout.read(&row, &[(i, 0)], &mut [Value::Null]);
        }
        let _ = layout.lobs(&row);
    }

    #[test]
    fn a_patch_is_what_encoding_gives(a in any::<(i32, i64)>(), b in proptest::option::of(any::<i64>())) {
        let types = [SqlType::Int, SqlType::VarChar(MaxLen::N(9)), SqlType::BigInt];
        let layout = RowLayout::of_types(types);
        let row_of = |v: Value| {
            let mut row = Vec::new();
            layout.encode(&[Value::Int(a.0), Value::varchar("x"), v], &mut row, &mut NoLobs).unwrap();
            row
        };
        let new = b.map_or(Value::Null, Value::BigInt);
        for old in [Value::BigInt(a.1), Value::Null] {
            let mut row = row_of(old);
            prop_assert!(layout.patch(&mut row, 2, &new).unwrap());
            prop_assert_eq!(&row, &row_of(new.clone()));
        }
        prop_assert!(!layout.patch(&mut row_of(Value::Null), 1, &Value::varchar("y")).unwrap());
    }
}

#[test]
fn a_column_added_later_reads_as_its_default() {
    let old = RowLayout::of_types([SqlType::Int, SqlType::VarChar(MaxLen::N(5))]);
    let mut row = Vec::new();
    old.encode(&[Value::Int(7), Value::varchar("seven")], &mut row, &mut NoLobs).unwrap();
    let mut places = PlaceAllocator::default();
    let mut columns = old.columns().to_vec();
    columns.iter().for_each(|c| places.occupy(c.place, c.null_bit));
    let (place, null_bit) = places.next(SqlType::Int).unwrap();
    columns.push(RowColumn { ty: SqlType::Int, place, null_bit, missing: Value::Int(42) });
    // The first column goes away: its place stays empty.
    let gone = columns.remove(0);
    let new = RowLayout::new(columns, &[(gone.place, gone.null_bit)]);
    let mut back = Vec::new();
    new.decode(&row, &mut back, &mut NoLobs).unwrap();
    assert_eq!(back[0].as_text().as_deref(), Some("seven"));
    assert_eq!(back[1].as_i64(), Some(42));
    let mut row = Vec::new();
    new.encode(&[Value::varchar("x"), Value::Null], &mut row, &mut NoLobs).unwrap();
    assert!(new.get(&row, 1, &mut NoLobs).unwrap().is_null());
}

#[test]
fn a_row_that_cannot_fit_is_511() {
    let layout = RowLayout::of_types([SqlType::Char(5000), SqlType::Char(5000)]);
    let v = Value::VarChar(Bytes::from_vec(vec![b'x'; 5000]));
    let e = layout.encode(&[v.clone(), v], &mut Vec::new(), &mut NoLobs).unwrap_err();
    assert_eq!(e.number, 511);
}

#[test]
fn a_row_is_what_it_always_was() {
    // As data files of format version 2 have it.
    let layout = RowLayout::of_types([SqlType::Int, SqlType::VarChar(MaxLen::N(9)), SqlType::Bit]);
    let values = [Value::Int(258), Value::varchar("ab"), Value::Null];
    let mut row = Vec::new();
    layout.encode(&values, &mut row, &mut NoLobs).unwrap();
    assert_eq!(row, [1, 0, 9, 0, 2, 1, 0, 0, 0, 3, 0, 4, 1, 0, 18, 0, b'a', b'b']);
    let fields: [(&str, &[u8]); 9] = [
        ("form", &[1]),
        ("flags", &[0]),
        ("end of the fixed part", &[9, 0]),
        ("fixed-length columns", &[2, 1, 0, 0, 0]),
        ("columns", &[3, 0]),
        ("NULL bitmap", &[4]),
        ("variable-length columns", &[1, 0]),
        ("ends", &[18, 0]),
        ("variable-length values", b"ab"),
    ];
    drawn::check("table-row", &row, &fields);
    let tag = VersionTag { before: LogPos(0x0102_0304), sequence: 0x0605_0403_0201 };
    let fields: [(&str, &[u8]); 2] =
        [("LogPos", &0x0102_0304_u64.to_le_bytes()), ("sequence number", &[1, 2, 3, 4, 5, 6])];
    drawn::check("version-tag", &tag.to_bytes(), &fields);
    version::set(&mut row, Some(tag)).unwrap();
    assert_eq!(row[18..], tag.to_bytes());
}

#[test]
fn a_tagged_row_is_the_row_with_fourteen_bytes_more() {
    let types = [SqlType::Int, SqlType::VarChar(MaxLen::Max), SqlType::BigInt];
    let layout = RowLayout::of_types(types);
    let values = [Value::Int(7), Value::varchar(&"x".repeat(9000)), Value::BigInt(8)];
    let (mut row, mut lobs) = (Vec::new(), Memory::default());
    layout.encode(&values, &mut row, &mut lobs).unwrap();
    let plain = row.clone();
    assert_eq!(version::of(&row).unwrap(), None);
    for n in 1..3 {
        let tag = VersionTag { before: LogPos(n << 40), sequence: VersionTag::MAX_SEQUENCE - n };
        version::set(&mut row, Some(tag)).unwrap();
        assert_eq!(row.len(), plain.len() + 14);
        assert_eq!(version::of(&row).unwrap(), Some(tag));
        let mut back = Vec::new();
        layout.decode(&row, &mut back, &mut lobs).unwrap();
        assert!(values.iter().zip(&back).all(|(a, b)| same(a, b)));
        assert_eq!(layout.lobs(&row).unwrap(), layout.lobs(&plain).unwrap());
        // What is changed is another version: the tag was not made for it.
        let mut changed = row.clone();
        assert!(layout.patch(&mut changed, 2, &Value::BigInt(8)).unwrap());
        assert_eq!(changed, plain);
        assert!(!layout.patch(&mut row, 1, &Value::varchar("y")).unwrap());
        assert_eq!(version::of(&row).unwrap(), Some(tag));
    }
    let mut room = Vec::new();
    assert_eq!(version::without(&row, &mut room).unwrap(), plain);
    version::set(&mut row, None).unwrap();
    assert_eq!(row, plain);
    // A row that says it has one and has no room for it, and flags that nobody knows.
    assert!(version::of(&[FORM, HAS_VERSION, 4, 0]).is_err());
    row[1] |= 4;
    assert!(layout.cell(&row, 0).is_err());
}

#[test]
fn rows_have_nothing_of_a_computed_column() {
    let types = [SqlType::Int, SqlType::VarChar(MaxLen::N(20))];
    let plain = RowLayout::of_types(types);
    let mut columns = plain.columns().to_vec();
    let (place, null_bit) = (Place::Nowhere, Place::NO_BIT);
    columns.insert(1, RowColumn { ty: SqlType::BigInt, place, null_bit, missing: Value::Null });
    let layout = RowLayout::new(columns, &[]);
    let values = [Value::Int(7), Value::BigInt(8), Value::varchar("x")];
    let (mut row, mut same_row) = (Vec::new(), Vec::new());
    layout.encode(&values, &mut row, &mut NoLobs).unwrap();
    plain.encode(&[Value::Int(7), Value::varchar("x")], &mut same_row, &mut NoLobs).unwrap();
    assert_eq!(row, same_row);
    let mut back = Vec::new();
    layout.decode(&row, &mut back, &mut NoLobs).unwrap();
    assert!(same(&back[0], &values[0]) && back[1].is_null() && same(&back[2], &values[2]));
    let mut frame = vec![Value::Int(1); 3];
    assert_eq!(layout.read(&row, &[(0, 0), (1, 1), (2, 2)], &mut frame).unwrap(), 3);
    assert!(frame[1].is_null());
    assert!(!layout.patch(&mut row, 1, &Value::BigInt(9)).unwrap());
}
