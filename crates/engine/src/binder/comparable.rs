//! Types whose values can neither be compared nor sorted: xml, text, ntext and image.

use super::Bound;
use crate::sink::ColumnDesc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::Kind;

/// What is wrong with comparing and sorting values of a kind: 305, 306.
fn incomparable(kind: Kind) -> Option<Box<SqlError>> {
    match kind {
        Kind::Xml => Some(SqlError::new(305, &[&"XML"])),
        Kind::Text | Kind::NText | Kind::Image => Some(SqlError::new(306, &[]).with_state(2)),
        _ => None,
    }
}

/// A key of ORDER BY, GROUP BY or PARTITION BY.
pub(super) fn sortable(kind: Kind) -> SqlResult<()> {
    incomparable(kind).map_or(Ok(()), Err)
}

/// Two values that are compared: 305, 306 beside their like or NULL, 402 beside another type.
pub(super) fn comparable(a: &Bound, b: &Bound, operator: &str) -> SqlResult<()> {
    let (left, right) = (a.declared().kind, b.declared().kind);
    let Some(e) = incomparable(left).or_else(|| incomparable(right)) else { return Ok(()) };
    match left == right || a.untyped || b.untyped {
        true => Err(e),
        false => Err(SqlError::new(402, &[&left.name(), &right.name(), &operator])),
    }
}

/// The columns of a SELECT DISTINCT: 421.
pub(super) fn distinct(columns: &[ColumnDesc]) -> SqlResult<()> {
    refused_as(421, columns)
}

/// The columns of an operand of UNION, EXCEPT or INTERSECT: 5335.
pub(super) fn operand(columns: &[ColumnDesc]) -> SqlResult<()> {
    refused_as(5335, columns)
}

fn refused_as(number: i32, columns: &[ColumnDesc]) -> SqlResult<()> {
    let kinds = columns.iter().map(|c| c.declared().kind);
    match kinds.filter(|kind| incomparable(*kind).is_some()).next() {
        Some(kind) => Err(SqlError::new(number, &[&kind.name()])),
        None => Ok(()),
    }
}
