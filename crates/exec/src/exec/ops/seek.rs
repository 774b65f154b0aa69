//! What a seek means in an index: ranges of keys.

use crate::catalog::{Index, KeyTail};
use crate::exec::runtime::Rt;
use crate::plan::expr::Expr;
use crate::plan::node::{NullFinds, Seek, SeekBound, SeekValue};
use crate::rowcodec::key::after_prefix;
use taffrail_base::SqlResult;
use taffrail_storage::KeyRange;
use taffrail_types::near::{Near, integer_range, is_near, near};
use taffrail_types::{CodePage, Conversion, Family, SqlType, Value, convert, like};

/// What a seek's value is for its column.
enum Sought {
    Value(Value),
    /// No value of the column's type equals it; it lies above (or below) all of them.
    Outside {
        above: bool,
    },
    Null,
    /// What equals it lies between these two; what lies below is less, and what lies above more.
    Near(Value, Value),
    /// Which values of the column equal it cannot be said: all have to be looked at.
    Anything,
}

/// The code page of an index's column, by its place in the key.
fn page_of(index: &Index, at: usize) -> CodePage {
    index.key.columns().get(at).map_or(CodePage::WESTERN, |k| k.collation.page())
}

/// `at`: the place of the column in the index's key.
fn sought(rt: &mut Rt<'_>, v: &SeekValue, index: &Index, at: usize) -> SqlResult<Sought> {
    let value = rt.eval(&v.expr)?;
    if value.is_null() {
        return Ok(match v.null {
            NullFinds::Null => Sought::Value(value),
            NullFinds::BySession if !rt.cx.session.activation.options.ansi_nulls => {
                Sought::Value(value)
            }
            NullFinds::BySession | NullFinds::Nothing => Sought::Null,
        });
    }
    if v.from == v.to {
        return Ok(Sought::Value(value));
    }
    if is_near(v.to, v.from) {
        return Ok(match near(&value, v.to) {
            Some(Near::Between(low, high)) => Sought::Near(low, high),
            Some(Near::None { above }) => Sought::Outside { above },
            None => Sought::Anything,
        });
    }
    if let (Some(n), Some((low, high))) = (value.as_i64(), integer_range(v.to)) {
        if n < low || n > high {
            return Ok(Sought::Outside { above: n > high });
        }
        let wide = SqlType::BigInt;
        let v = convert::cast(&Value::BigInt(n), wide, v.to, None, Conversion::Implicit)?;
        return Ok(Sought::Value(v));
    }
    match value {
        // A letter that the code page lacks may equal one that it has.
        Value::NVarChar(text) if v.to.family() == Family::Char => {
            let narrow = page_of(index, at).encode_exactly(&text);
            Ok(narrow.map_or(Sought::Anything, |b| Sought::Value(Value::VarChar(b))))
        }
        // Text of another length: the key of the column's collation does not depend on it.
        value if value.as_bytes().is_some() => Ok(Sought::Value(value)),
        value => convert::cast(&value, v.from, v.to, None, Conversion::Implicit).map(Sought::Value),
    }
}

/// All keys that begin with `prefix`.
fn beginning_with(prefix: Vec<u8>) -> KeyRange {
    let upper = after_prefix(&prefix);
    KeyRange { lower: Some(prefix), lower_exclusive: false, upper, upper_inclusive: false }
}

/// The ranges of keys that a seek means, in the index's order, none of which meets another.
pub(super) fn ranges(
    rt: &mut Rt<'_>,
    index: &Index,
    seek: &Seek,
    out: &mut Vec<KeyRange>,
) -> SqlResult<()> {
    let mut values = Vec::with_capacity(seek.equal.len() + 1);
    for v in &seek.equal {
        match sought(rt, v, index, values.len())? {
            Sought::Value(v) => values.push(v),
            Sought::Outside { .. } | Sought::Null => return Ok(()),
            Sought::Near(low, high) => {
                out.extend(closed(index, &mut values, low, high));
                return Ok(());
            }
            Sought::Anything => {
                let mut prefix = Vec::new();
                index.key.append_prefix(&values, &mut prefix);
                out.push(beginning_with(prefix));
                return Ok(());
            }
        }
    }
    if seek.then.is_empty() {
        out.push(equal_keys(index, &values));
        return Ok(());
    }
    for bound in &seek.then {
        let range = match bound {
            SeekBound::Null => Some(with_next(index, &mut values, Value::Null)),
            SeekBound::NotNull => not_null(index, &values),
            SeekBound::Equal(v) => match sought(rt, v, index, values.len())? {
                Sought::Value(v) => Some(with_next(index, &mut values, v)),
                Sought::Outside { .. } | Sought::Null => None,
                Sought::Near(low, high) => closed(index, &mut values, low, high),
                Sought::Anything => {
                    let mut prefix = Vec::new();
                    index.key.append_prefix(&values, &mut prefix);
                    Some(beginning_with(prefix))
                }
            },
            SeekBound::Beginning { pattern, escape } => {
                beginning(rt, index, &values, pattern, escape)?
            }
            SeekBound::Range { low, high } => between(rt, index, &mut values, [low, high])?,
        };
        out.extend(range);
    }
    if out.len() > 1 {
        merge(out);
    }
    Ok(())
}

/// The keys whose first columns have these values.
fn equal_keys(index: &Index, values: &[Value]) -> KeyRange {
    let mut prefix = Vec::new();
    index.key.append_prefix(values, &mut prefix);
    // A whole unique key: exactly one entry.
    if values.len() == index.key.columns().len() && index.tail() == KeyTail::None {
        return KeyRange {
            lower: Some(prefix.clone()),
            lower_exclusive: false,
            upper: Some(prefix),
            upper_inclusive: true,
        };
    }
    beginning_with(prefix)
}

fn with_next(index: &Index, values: &mut Vec<Value>, next: Value) -> KeyRange {
    values.push(next);
    let range = equal_keys(index, values);
    values.pop();
    range
}

/// The keys that begin with `values` and whose next column is not NULL.
fn not_null(index: &Index, values: &[Value]) -> Option<KeyRange> {
    let (mut prefix, mut null) = (Vec::new(), values.to_vec());
    index.key.append_prefix(values, &mut prefix);
    null.push(Value::Null);
    let mut nulls = Vec::new();
    index.key.append_prefix(&null, &mut nulls);
    let mut range = beginning_with(prefix);
    // NULL is the first value, of a descending column the last.
    match index.key.columns().get(values.len()).is_some_and(|k| k.descending) {
        true => range.upper = Some(nulls),
        false => range.lower = Some(after_prefix(&nulls)?),
    }
    Some(range)
}

/// The keys that begin with `values` and whose next column begins as a pattern of LIKE does, or more of them; `None` when there can
/// be none.
fn beginning(
    rt: &mut Rt<'_>,
    index: &Index,
    values: &[Value],
    pattern: &SeekValue,
    escape: &Option<Expr>,
) -> SqlResult<Option<KeyRange>> {
    let escape = match escape {
        None => None,
        Some(e) => Some(rt.eval(e)?),
    };
    let text = rt.eval(&pattern.expr)?;
    if text.is_null() {
        return Ok(None);
    }
    let page = page_of(index, values.len());
    let text = like::beginning(&text, escape.as_ref(), page).filter(|t| !t.is_empty());
    // A letter that the code page lacks may equal one that it has.
    let text = text.and_then(|t| match pattern.to.family() {
        Family::Char => page.encode_exactly(&t).map(Value::VarChar),
        _ => Some(Value::NVarChar(t)),
    });
    let mut prefix = Vec::new();
    match text {
        Some(text) => index.key.append_beginning(values, &text, &mut prefix),
        None => index.key.append_prefix(values, &mut prefix),
    }
    Ok(Some(beginning_with(prefix)))
}

/// The keys that begin with `values` and have a next column between two ends; `None` when there can be none.
fn between(
    rt: &mut Rt<'_>,
    index: &Index,
    values: &mut Vec<Value>,
    ends: [&Option<(SeekValue, bool)>; 2],
) -> SqlResult<Option<KeyRange>> {
    let mut bounds = [None, None];
    for (n, end) in ends.into_iter().enumerate() {
        let Some((v, inclusive)) = end else { continue };
        // Beyond the type's range on the closed side: nothing; on the open side: no bound.
        let above_is_empty = n == 0;
        match sought(rt, v, index, values.len())? {
            Sought::Null => return Ok(None),
            Sought::Outside { above } if above == above_is_empty => return Ok(None),
            Sought::Outside { .. } | Sought::Anything => {}
            Sought::Near(low, high) => {
                let end = if n == 0 { low } else { high };
                bounds[n] = Some((key_of(index, values, end), true));
            }
            Sought::Value(v) => bounds[n] = Some((key_of(index, values, v), *inclusive)),
        }
    }
    Ok(span(index, values, bounds))
}

/// `values` and then this one.
fn key_of(index: &Index, values: &mut Vec<Value>, next: Value) -> Vec<u8> {
    values.push(next);
    let mut key = Vec::new();
    index.key.append_prefix(values, &mut key);
    values.pop();
    key
}

/// The keys that begin with `values` and have a next column between these two, or one of them.
fn closed(index: &Index, values: &mut Vec<Value>, low: Value, high: Value) -> Option<KeyRange> {
    let bounds = [low, high].map(|v| Some((key_of(index, values, v), true)));
    span(index, values, bounds)
}

/// The keys that begin with `values` and lie between two ends; the flags: the end itself, too.
fn span(index: &Index, values: &[Value], bounds: [Option<(Vec<u8>, bool)>; 2]) -> Option<KeyRange> {
    let mut prefix = Vec::new();
    index.key.append_prefix(values, &mut prefix);
    let [mut low, mut high] = bounds;
    if index.key.columns().get(values.len()).is_some_and(|k| k.descending) {
        std::mem::swap(&mut low, &mut high);
    }
    let lower = match low {
        None => Some(prefix.clone()),
        Some((key, true)) => Some(key),
        Some((key, false)) => Some(after_prefix(&key)?),
    };
    let upper = match high {
        None => after_prefix(&prefix),
        Some((key, true)) => after_prefix(&key),
        Some((key, false)) => Some(key),
    };
    Some(KeyRange { lower, lower_exclusive: false, upper, upper_inclusive: false })
}

/// Puts ranges in order and makes one of those that meet: no key is in two of them.
fn merge(ranges: &mut Vec<KeyRange>) {
    debug_assert!(ranges.iter().all(|r| !r.lower_exclusive));
    ranges.sort_by(|a, b| a.lower.cmp(&b.lower));
    let mut merged: Vec<KeyRange> = Vec::with_capacity(ranges.len());
    for r in ranges.drain(..) {
        let Some(last) = merged.last_mut() else {
            merged.push(r);
            continue;
        };
        let apart = match (&last.upper, &r.lower) {
            (Some(end), Some(begin)) => begin > end || (begin == end && !last.upper_inclusive),
            _ => false,
        };
        if apart {
            merged.push(r);
            continue;
        }
        let further = match (&last.upper, &r.upper) {
            (None, _) => false,
            (_, None) => true,
            (Some(a), Some(b)) => (b, r.upper_inclusive) > (a, last.upper_inclusive),
        };
        if further {
            (last.upper, last.upper_inclusive) = (r.upper, r.upper_inclusive);
        }
    }
    *ranges = merged;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(lower: &[u8], upper: Option<&[u8]>, upper_inclusive: bool) -> KeyRange {
        let lower = Some(lower.to_vec());
        KeyRange {
            lower,
            lower_exclusive: false,
            upper: upper.map(<[u8]>::to_vec),
            upper_inclusive,
        }
    }

    fn point(key: &[u8]) -> KeyRange {
        range(key, Some(key), true)
    }

    #[test]
    fn no_key_is_in_two_ranges() {
        let shown = |r: &KeyRange| (r.lower.clone(), r.upper.clone(), r.upper_inclusive);
        let merged = |mut list: Vec<KeyRange>| {
            merge(&mut list);
            list.iter().map(shown).collect::<Vec<_>>()
        };
        let wanted = |list: Vec<KeyRange>| list.iter().map(shown).collect::<Vec<_>>();
        // IN (5, 5, 3).
        assert_eq!(
            merged(vec![point(b"5"), point(b"5"), point(b"3")]),
            wanted(vec![point(b"3"), point(b"5")])
        );
        // = 5 OR BETWEEN 4 AND 6.
        assert_eq!(
            merged(vec![point(b"5"), range(b"4", Some(b"7"), false)]),
            wanted(vec![range(b"4", Some(b"7"), false)])
        );
        // < 5 OR = 5; two ranges that touch.
        assert_eq!(
            merged(vec![range(b"", Some(b"5"), false), point(b"5")]),
            wanted(vec![range(b"", Some(b"5"), false), point(b"5")])
        );
        assert_eq!(
            merged(vec![range(b"3", Some(b"5"), true), point(b"5")]),
            wanted(vec![range(b"3", Some(b"5"), true)])
        );
        // One without an end takes all that follow.
        assert_eq!(
            merged(vec![range(b"4", None, false), point(b"9"), point(b"1")]),
            wanted(vec![point(b"1"), range(b"4", None, false)])
        );
    }
}
