//! Index keys: bytes whose memcmp order is the order of the key columns.
//!
//! ```text
//! columns, each as taffrail_types::key writes it (NULL first, descending ones complemented, self-delimiting)
//! then, where the columns alone need not be unique:
//!   clustered index that is not unique      8 bytes big-endian: the row's number (never used twice in a database)
//!   nonclustered index that is not unique   the row's locator
//! ```
//! A row's locator is what a nonclustered index finds it by: of a heap the RID (8 bytes), else the clustered key.
//! The value beside a nonclustered key is `u16 length of the locator | locator | row of key and included columns`.

use super::{damaged, fixed, version};
use taffrail_base::SqlResult;
use taffrail_types::{Collation, SqlType, Value, key};

/// The longest key of a clustered index, in bytes of its columns' values.
pub const MAX_CLUSTERED_KEY_BYTES: usize = 900;
/// The longest key of a nonclustered index, likewise.
pub const MAX_NONCLUSTERED_KEY_BYTES: usize = 1700;
/// Room beside a row for a clustered key as it is written: markers, ends of text and the row's number are in it, too.
pub(crate) const CLUSTERED_KEY_ROOM: usize = MAX_CLUSTERED_KEY_BYTES + 100;

/// One column of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyColumn {
    /// Position among the table's columns (`Table::columns`).
    pub column: usize,
    /// Whether the column sorts descending.
    pub descending: bool,
    /// The collation, for character types.
    pub collation: Collation,
    /// The type of the column.
    pub ty: SqlType,
}

/// How keys of an index are made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyLayout {
    columns: Box<[KeyColumn]>,
    declared_bytes: usize,
}

impl KeyLayout {
    /// A key of these columns.
    pub fn new(columns: Vec<KeyColumn>) -> KeyLayout {
        let declared_bytes = columns.iter().map(|c| c.ty.max_length().max(0) as usize).sum();
        KeyLayout { columns: columns.into(), declared_bytes }
    }

    /// The columns, most significant first.
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// Appends the key of a row (all values of the table's columns).
    #[inline]
    pub fn append_row(&self, row: &[Value], out: &mut Vec<u8>) {
        for c in &self.columns {
            key::append(out, &row[c.column], c.collation, c.descending);
        }
    }

    /// Appends a prefix of the key from values given in the order of the key's columns (seeks and ranges).
    #[inline]
    pub fn append_prefix(&self, values: &[Value], out: &mut Vec<u8>) {
        assert!(values.len() <= self.columns.len(), "no more values than key columns");
        for (c, v) in self.columns.iter().zip(values) {
            key::append(out, v, c.collation, c.descending);
        }
    }

    /// The same, and then what keys have in common whose next column begins with this text: what no blank ends.
    pub fn append_beginning(&self, values: &[Value], text: &Value, out: &mut Vec<u8>) {
        self.append_prefix(values, out);
        let column = &self.columns[values.len()];
        key::append_beginning(out, text, column.collation, column.descending);
    }

    /// An upper bound of the values' bytes by the types: an index may refuse long values.
    pub fn declared_bytes(&self) -> usize {
        self.declared_bytes
    }

    /// Bytes of the columns' values in a row (all values of the table's columns): what the limits of keys count, and
    /// messages tell.
    pub fn value_bytes(&self, row: &[Value]) -> usize {
        let variable = |v: &Value| match v {
            Value::Variant(inner) => inner.1.as_bytes().map_or(8, <[u8]>::len),
            v => v.as_bytes().map_or(0, <[u8]>::len),
        };
        let bytes = |c: &KeyColumn| fixed::size(c.ty).unwrap_or_else(|| variable(&row[c.column]));
        self.columns.iter().map(bytes).sum()
    }
}

/// The smallest key above all keys that begin with `prefix`; `None` when there is none (all bytes 0xff).
pub fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|b| *b != 0xff)?;
    let mut out = prefix[..=last].to_vec();
    out[last] += 1;
    Some(out)
}

/// Writes the value that lies beside a nonclustered key: locator and covered row.
pub fn write_entry(locator: &[u8], covered: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&(locator.len() as u16).to_le_bytes());
    out.extend_from_slice(locator);
    out.extend_from_slice(covered);
}

/// The locator and the covered row of a nonclustered entry.
#[inline]
pub fn read_entry(value: &[u8]) -> SqlResult<(&[u8], &[u8])> {
    let (head, rest) = value.split_at_checked(2).ok_or_else(|| damaged("an index entry"))?;
    let n = u16::from_le_bytes([head[0], head[1]]) as usize;
    rest.split_at_checked(n).ok_or_else(|| damaged("an index entry"))
}

/// The value beside a nonclustered key without its version tag: itself, or made in `room`.
pub fn unversioned<'a>(value: &'a [u8], room: &'a mut Vec<u8>) -> SqlResult<&'a [u8]> {
    let (locator, covered) = read_entry(value)?;
    if version::of(covered)?.is_none() {
        return Ok(value);
    }
    let mut row = covered.to_vec();
    version::set(&mut row, None)?;
    write_entry(locator, &row, room);
    Ok(room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;
    use taffrail_types::compare;

    fn value(ty: SqlType) -> BoxedStrategy<Value> {
        let present = match ty {
            SqlType::Int => any::<i32>().prop_map(Value::Int).boxed(),
            SqlType::BigInt => any::<i64>().prop_map(Value::BigInt).boxed(),
            SqlType::Float => {
                any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(Value::Float).boxed()
            }
            SqlType::NVarChar(_) => "[ -~é]{0,6}".prop_map(|s| Value::nvarchar(&s)).boxed(),
            SqlType::VarBinary(_) => {
                proptest::collection::vec(any::<u8>(), 0..6).prop_map(|b| Value::binary(&b)).boxed()
            }
            SqlType::Variant => variant(),
            _ => "[ -~]{0,6}".prop_map(|s| Value::varchar(&s)).boxed(),
        };
        prop_oneof![1 => Just(Value::Null), 6 => present].boxed()
    }

    /// Values of each family, in few sizes, so that families and values meet.
    fn variant() -> BoxedStrategy<Value> {
        use taffrail_types::{Decimal, MaxLen::N};
        let of = |ty: SqlType| move |v: Value| Value::Variant(Box::new((ty, v)));
        let decimal = SqlType::Decimal { precision: 5, scale: 2 };
        let cents =
            |n: i16| Value::Decimal(Decimal::from_scaled(n.into(), 2).expect("five digits"));
        prop_oneof![
            (-3..3i32).prop_map(Value::Int).prop_map(of(SqlType::Int)),
            (-30_000..30_000i64).prop_map(Value::Money).prop_map(of(SqlType::Money)),
            (-300..300i16).prop_map(cents).prop_map(of(decimal)),
            (-3..3i8).prop_map(|n| Value::Float(n.into())).prop_map(of(SqlType::Float)),
            (-3..3i8).prop_map(|n| Value::Real(n.into())).prop_map(of(SqlType::Real)),
            value(SqlType::VarChar(N(10)))
                .prop_filter("text", |v| !v.is_null())
                .prop_map(of(SqlType::VarChar(N(10)))),
            value(SqlType::NVarChar(N(10)))
                .prop_filter("text", |v| !v.is_null())
                .prop_map(of(SqlType::NVarChar(N(10)))),
            value(SqlType::VarBinary(N(10)))
                .prop_filter("bytes", |v| !v.is_null())
                .prop_map(of(SqlType::VarBinary(N(10)))),
            any::<[u8; 16]>().prop_map(Value::Guid).prop_map(of(SqlType::UniqueIdentifier)),
            (0..3u32).prop_map(Value::Date).prop_map(of(SqlType::Date)),
        ]
        .boxed()
    }

    fn types() -> Vec<SqlType> {
        use taffrail_types::MaxLen::N;
        vec![
            SqlType::Int,
            SqlType::BigInt,
            SqlType::Float,
            SqlType::VarChar(N(10)),
            SqlType::NVarChar(N(10)),
            SqlType::VarBinary(N(10)),
            SqlType::Variant,
        ]
    }

    fn pair() -> impl Strategy<Value = (Vec<(SqlType, bool)>, Vec<Value>, Vec<Value>)> {
        proptest::collection::vec((proptest::sample::select(types()), any::<bool>()), 1..4)
            .prop_flat_map(|columns| {
                let row = || columns.iter().map(|(ty, _)| value(*ty)).collect::<Vec<_>>();
                (Just(columns.clone()), row(), row())
            })
    }

    proptest! {
        #[test]
        fn key_order_is_column_order((columns, a, b) in pair()) {
            let layout = KeyLayout::new(columns.iter().enumerate().map(|(column, (ty, descending))| KeyColumn {
                column, descending: *descending, collation: Collation::default(), ty: *ty,
            }).collect());
            let mut expected = Ordering::Equal;
            for (i, (_, descending)) in columns.iter().enumerate() {
                let o = compare::compare(&a[i], &b[i], Collation::default());
                expected = expected.then(if *descending { o.reverse() } else { o });
            }
            let (mut ka, mut kb) = (Vec::new(), Vec::new());
            layout.append_row(&a, &mut ka);
            layout.append_row(&b, &mut kb);
            prop_assert_eq!(ka.cmp(&kb), expected, "{:?} {:?}", a, b);
            if expected != Ordering::Equal {
                prop_assert!(!ka.starts_with(&kb) && !kb.starts_with(&ka), "keys delimit themselves");
            }
        }
    }

    #[test]
    fn a_prefix_ends_before_its_successor() {
        assert_eq!(after_prefix(&[1, 0xff]), Some(vec![2]));
        assert_eq!(after_prefix(&[1, 2]), Some(vec![1, 3]));
        assert_eq!(after_prefix(&[0xff]), None);
    }

    #[test]
    fn an_entry_gives_back_its_parts() {
        let mut out = Vec::new();
        write_entry(b"loc", b"row", &mut out);
        assert_eq!(read_entry(&out).unwrap(), (&b"loc"[..], &b"row"[..]));
        assert!(read_entry(&out[..4]).is_err());
    }
}
