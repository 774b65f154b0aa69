//! Comparison of values of one type.

use crate::collation::finish;
use crate::convert::{Rule, common_type, rule};
use crate::{Collation, Family, SqlType, Value};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use taffrail_base::{SqlError, SqlResult};

/// The type to cast both sides of a comparison to. `operator` is as in messages: `equal to`, `less than` …
/// 402 for dates of kinds that do not meet, 206 for other types that do not.
pub fn comparison_type(a: SqlType, b: SqlType, operator: &str) -> SqlResult<SqlType> {
    if a == b {
        return Ok(a);
    }
    let clash = || SqlError::new(402, &[&a.name(), &b.name(), &operator]);
    if a.is_date() && b.is_date() {
        let possible = rule(a, b) == Rule::Implicit && rule(b, a) == Rule::Implicit;
        if !possible {
            return Err(clash());
        }
    }
    common_type(a, b)
}

/// The order of a guid's stored bytes in comparisons: the last six first.
pub(crate) const GUID_ORDER: [usize; 16] = [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3];

/// Orders two values of the same type. NULL is below everything and equal to NULL (as ORDER BY and GROUP BY see it).
///
/// Integers of different widths compare by value; other mixtures do not occur once the binder has cast both sides,
/// and order by type so that the order stays total.
#[inline]
pub fn compare(a: &Value, b: &Value, collation: Collation) -> Ordering {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => x.cmp(y),
        (Value::VarChar(x), Value::VarChar(y)) => collation.compare_varchar(x, y),
        (Value::NVarChar(x), Value::NVarChar(y)) => collation.compare_nvarchar(x, y),
        (Value::BigInt(x), Value::BigInt(y)) => x.cmp(y),
        _ => compare_others(a, b, collation),
    }
}

fn compare_others(a: &Value, b: &Value, collation: Collation) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Decimal(x), Value::Decimal(y)) => x.cmp(y),
        (Value::Money(x), Value::Money(y)) => x.cmp(y),
        (Value::Real(x), Value::Real(y)) => float_order(*x as f64, *y as f64),
        (Value::Float(x), Value::Float(y)) => float_order(*x, *y),
        (Value::Date(x), Value::Date(y)) => x.cmp(y),
        (Value::Time(x), Value::Time(y)) => x.cmp(y),
        (Value::DateTime { days: d, ticks: t }, Value::DateTime { days: e, ticks: u }) => {
            (d, t).cmp(&(e, u))
        }
        (
            Value::SmallDateTime { days: d, minutes: t },
            Value::SmallDateTime { days: e, minutes: u },
        ) => (d, t).cmp(&(e, u)),
        (Value::DateTime2 { days: d, ticks: t }, Value::DateTime2 { days: e, ticks: u }) => {
            (d, t).cmp(&(e, u))
        }
        (
            Value::DateTimeOffset { days: d, ticks: t, .. },
            Value::DateTimeOffset { days: e, ticks: u, .. },
        ) => (d, t).cmp(&(e, u)),
        (Value::Binary(x), Value::Binary(y)) => compare_binary(x, y),
        (Value::Guid(x), Value::Guid(y)) => GUID_ORDER
            .iter()
            .map(|i| x[*i].cmp(&y[*i]))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal),
        (Value::Variant(x), Value::Variant(y)) => compare_variant(x, y, collation),
        _ => match (a.as_i64(), b.as_i64()) {
            (Some(x), Some(y)) => x.cmp(&y),
            _ => kind(a).cmp(&kind(b)),
        },
    }
}

/// `a = b` for two values of one type, neither NULL.
#[inline]
pub fn equal(a: &Value, b: &Value, collation: Collation) -> bool {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => x == y,
        _ => compare(a, b, collation).is_eq(),
    }
}

/// Binary compares as if the shorter were padded with zeroes.
fn compare_binary(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let rest = |tail: &[u8]| {
        if tail.iter().any(|b| *b != 0) { Ordering::Greater } else { Ordering::Equal }
    };
    a[..common].cmp(&b[..common]).then_with(|| {
        if a.len() > common { rest(&a[common..]) } else { rest(&b[common..]).reverse() }
    })
}

/// -0 equals 0. SQL has no NaN; should one come in, it sorts above all else.
fn float_order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Variants: families in the documented order (dates above approximate numbers above exact ones …), values within.
fn compare_variant(a: &(SqlType, Value), b: &(SqlType, Value), collation: Collation) -> Ordering {
    let (x, y) = (normal_form(&a.0, &a.1), normal_form(&b.0, &b.1));
    variant_rank(a.0).cmp(&variant_rank(b.0)).then_with(|| compare(&x, &y, collation))
}

/// The documented order of the families of sql_variant, the lowest first.
pub(crate) fn variant_rank(ty: SqlType) -> u8 {
    match ty.family() {
        Family::Guid => 1,
        Family::Binary | Family::RowVersion => 2,
        Family::Char | Family::NChar => 3,
        Family::Bit | Family::Integer | Family::Decimal | Family::Money => 4,
        Family::Float => 5,
        Family::OldDate | Family::NewDate => 6,
        Family::Variant => 0,
    }
}

/// One representation per family, so that 1 (int) and 1.0 (decimal) in two variants compare equal.
pub(crate) fn normal_form(ty: &SqlType, v: &Value) -> Value {
    let target = match ty.family() {
        Family::Bit | Family::Integer | Family::Money => match v {
            Value::Money(m) => {
                return crate::Decimal::from_scaled(*m as i128, 4)
                    .map_or(Value::Null, Value::Decimal);
            }
            other => {
                return other
                    .as_i64()
                    .map_or(Value::Null, |i| Value::Decimal(crate::Decimal::from_i64(i)));
            }
        },
        Family::Float => SqlType::Float,
        Family::OldDate | Family::NewDate => SqlType::DateTimeOffset(7),
        Family::Char => SqlType::NVARCHAR_MAX,
        _ => return v.clone(),
    };
    crate::convert::cast(v, *ty, target, None, crate::Conversion::Explicit).unwrap_or(Value::Null)
}

/// A number per kind of value, for the order of what should not be compared.
fn kind(v: &Value) -> u8 {
    match v {
        Value::Null => 0,
        Value::Bit(_)
        | Value::TinyInt(_)
        | Value::SmallInt(_)
        | Value::Int(_)
        | Value::BigInt(_) => 1,
        Value::Decimal(_) => 2,
        Value::Money(_) => 3,
        Value::Real(_) => 4,
        Value::Float(_) => 5,
        Value::Date(_) => 6,
        Value::Time(_) => 7,
        Value::DateTime { .. } => 8,
        Value::SmallDateTime { .. } => 9,
        Value::DateTime2 { .. } => 10,
        Value::DateTimeOffset { .. } => 11,
        Value::VarChar(_) => 12,
        Value::NVarChar(_) => 13,
        Value::Binary(_) => 14,
        Value::Guid(_) => 15,
        Value::Variant(_) => 16,
    }
}

/// A hash that is equal where [`compare`] says equal.
pub fn hash(v: &Value, collation: Collation) -> u64 {
    let number = |x: u64| finish(x.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    match v {
        Value::Null => 0,
        Value::VarChar(b) => collation.hash_varchar(b),
        Value::NVarChar(b) => collation.hash_nvarchar(b),
        Value::Binary(b) => {
            let end = b.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1);
            Collation::LATIN1_GENERAL_BIN2.hash_varchar(&[&b[..end], &[1]].concat())
        }
        Value::Decimal(d) => {
            let mut h = std::hash::DefaultHasher::new();
            d.hash(&mut h);
            h.finish()
        }
        Value::Money(m) => number(*m as u64),
        Value::Real(x) => number((*x as f64 + 0.0).to_bits()),
        Value::Float(x) => number((*x + 0.0).to_bits()),
        Value::Date(d) => number(*d as u64),
        Value::Time(t) => number(*t),
        Value::DateTime { days, ticks } => number((*days as u32 as u64) << 32 | *ticks as u64),
        Value::SmallDateTime { days, minutes } => number((*days as u64) << 16 | *minutes as u64),
        Value::DateTime2 { days, ticks } | Value::DateTimeOffset { days, ticks, .. } => {
            number(*ticks ^ (*days as u64) << 41)
        }
        Value::Guid(g) => {
            let half = |at: usize| u64::from_le_bytes(g[at..at + 8].try_into().expect("8 bytes"));
            number(half(0) ^ half(8).rotate_left(29))
        }
        Value::Variant(v) => hash(&normal_form(&v.0, &v.1), collation),
        Value::Bit(_)
        | Value::TinyInt(_)
        | Value::SmallInt(_)
        | Value::Int(_)
        | Value::BigInt(_) => number(v.as_i64().unwrap_or_default() as u64),
    }
}

/// The operators that compare two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CompareOp {
    /// With the operands exchanged.
    pub fn flip(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
            same => same,
        }
    }

    /// Whether an ordering satisfies it.
    #[inline]
    pub fn holds(self, o: std::cmp::Ordering) -> bool {
        use std::cmp::Ordering::*;
        match self {
            CompareOp::Eq => o == Equal,
            CompareOp::Ne => o != Equal,
            CompareOp::Lt => o == Less,
            CompareOp::Le => o != Greater,
            CompareOp::Gt => o == Greater,
            CompareOp::Ge => o != Less,
        }
    }

    /// The operator's words in messages, such as `equal to`.
    pub fn text(self) -> &'static str {
        match self {
            CompareOp::Eq => "equal to",
            CompareOp::Ne => "not equal to",
            CompareOp::Lt => "less than",
            CompareOp::Le => "less than or equal to",
            CompareOp::Gt => "greater than",
            CompareOp::Ge => "greater than or equal to",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_lowest_and_padding_counts_for_nothing() {
        let c = Collation::default();
        assert_eq!(compare(&Value::Null, &Value::Int(i32::MIN), c), Ordering::Less);
        assert!(equal(&Value::varchar("a"), &Value::varchar("A  "), c));
        assert!(equal(&Value::binary(&[1]), &Value::binary(&[1, 0]), c));
        assert_eq!(hash(&Value::binary(&[1]), c), hash(&Value::binary(&[1, 0]), c));
        assert!(equal(&Value::Float(0.0), &Value::Float(-0.0), c));
        assert_eq!(hash(&Value::Float(0.0), c), hash(&Value::Float(-0.0), c));
    }

    #[test]
    fn guids_compare_by_their_last_six_bytes_first() {
        let mut a = [0xFFu8; 16];
        let b = [0u8; 16];
        a[10..].fill(0);
        assert_eq!(
            compare(&Value::Guid(a), &Value::Guid(b), Collation::default()),
            Ordering::Greater
        );
        let mut b = [0u8; 16];
        b[10] = 1;
        assert_eq!(compare(&Value::Guid(a), &Value::Guid(b), Collation::default()), Ordering::Less);
    }

    #[test]
    fn variants_compare_within_their_families() {
        let c = Collation::default();
        let v = |ty, v| Value::Variant(Box::new((ty, v)));
        let one = v(SqlType::Int, Value::Int(1));
        let decimal = v(
            SqlType::Decimal { precision: 3, scale: 2 },
            Value::Decimal(crate::Decimal::parse_literal("1.00").unwrap().0),
        );
        assert!(equal(&one, &decimal, c));
        assert_eq!(hash(&one, c), hash(&decimal, c));
        let text = v(SqlType::varchar(1), Value::varchar("9"));
        assert_eq!(compare(&text, &one, c), Ordering::Less);
        let guid = v(SqlType::UniqueIdentifier, Value::Guid([255; 16]));
        let binary = v(SqlType::VarBinary(crate::MaxLen::N(1)), Value::binary(&[0]));
        assert_eq!(compare(&guid, &binary, c), Ordering::Less);
        assert_eq!(compare(&binary, &text, c), Ordering::Less);
    }
}
