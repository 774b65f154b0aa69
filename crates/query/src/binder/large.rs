//! What xml, text, ntext and image are not made for: to be compared, sorted, grouped, added, aggregated, and handed to most
//! functions. All of it is said when a statement is bound, whether there are rows or not.
//!
//! | where | xml | text, ntext, image |
//! |---|---|---|
//! | `=` and its like with the same type | 305 | 402 |
//! | `=` and its like with what converts to it | 402 | 402 |
//! | with anything else | 206, 257 | 206 |
//! | ORDER BY, GROUP BY, PARTITION BY | 305 | 306 |
//! | DISTINCT | 421 | 421 |
//! | UNION, INTERSECT, EXCEPT | 5335 | 5335 |
//! | `+` and its like | 402, 8117 | 402, 8117 |
//! | LIKE | 8116 | image beside text: 8116 |
//! | COUNT | | 8117 |
//! | COUNT(DISTINCT), other aggregates | 8117 | 8117 |
//! | functions | 8116, but few | 8116, but few |

use super::Bound;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::{Declared, Kind, Large, common_declared};
use taffrail_types::{Family, SqlType};

impl Bound {
    /// The value, taken for the type that it is made of.
    pub(super) fn plain(self) -> Bound {
        Bound { large: Large::Plain, ..self }
    }
}

/// The types of both sides of an operator; a NULL beside one of these types is one, too.
fn sides(left: &Bound, right: &Bound) -> Option<(Declared, Declared)> {
    if left.large == Large::Plain && right.large == Large::Plain {
        return None;
    }
    let (l, r) = (left.declared(), right.declared());
    Some(match (left.untyped, right.untyped) {
        (true, _) => (r, r),
        (_, true) => (l, l),
        _ => (l, r),
    })
}

/// Operands of a comparison; `operator` as in messages, `equal to`.
pub(super) fn compared(left: &Bound, right: &Bound, operator: &str) -> SqlResult<()> {
    let Some((l, r)) = sides(left, right) else { return Ok(()) };
    if l.kind == Kind::Xml && r.kind == Kind::Xml {
        return Err(SqlError::new(305, &[&"XML"]));
    }
    common_declared(l, r)?;
    Err(SqlError::new(402, &[&l, &r, &operator]))
}

/// Operands of an operator that computes.
pub(super) fn computed_with(left: &Bound, right: &Bound, operator: &str) -> SqlResult<()> {
    let Some((l, r)) = sides(left, right) else { return Ok(()) };
    if l.kind == r.kind {
        return Err(SqlError::new(8117, &[&l, &operator]));
    }
    common_declared(l, r)?;
    Err(SqlError::new(402, &[&l, &r, &operator]))
}

/// The refusal of these types as keys by which rows are sorted, grouped or partitioned.
pub(super) fn sorted(large: Large) -> SqlResult<()> {
    match large {
        Large::Plain => Ok(()),
        Large::Xml => Err(SqlError::new(305, &[&"XML"])),
        Large::Old => Err(SqlError::new(306, &[]).with_state(2)),
    }
}

/// A column of SELECT DISTINCT.
pub(super) fn distinct(column: Declared) -> SqlResult<()> {
    match column.large() {
        Large::Plain => Ok(()),
        _ => Err(SqlError::new(421, &[&column.name()])),
    }
}

/// A column of a UNION, INTERSECT or EXCEPT.
pub(super) fn in_set_operation(column: Declared) -> SqlResult<()> {
    match column.large() {
        Large::Plain => Ok(()),
        _ => Err(SqlError::new(5335, &[&column.name()])),
    }
}

/// The argument of an aggregate, whose name is in upper case.
pub(super) fn aggregated(argument: Declared, name: &str, distinct: bool) -> SqlResult<()> {
    let counts = matches!(name, "COUNT" | "COUNT_BIG");
    let what = name.to_ascii_lowercase();
    match argument.large() {
        Large::Plain => Ok(()),
        _ if name == "STRING_AGG" => Err(SqlError::new(8116, &[&argument.name(), &1, &what])),
        Large::Xml if counts && !distinct => Ok(()),
        _ => {
            let state = if counts && distinct { 2 } else { 1 };
            Err(SqlError::new(8117, &[&argument.name(), &what]).with_state(state))
        }
    }
}

/// Both sides of a LIKE.
pub(super) fn liked(value: &Bound, pattern: &Bound) -> SqlResult<()> {
    let invalid = |ty: Declared, at: i32| Err(SqlError::new(8116, &[&ty.name(), &at, &"like"]));
    let (v, p) = (value.declared(), pattern.declared());
    match (v.kind, p.kind) {
        (Kind::Xml, _) => invalid(v, 1),
        (_, Kind::Xml) => invalid(p, 2),
        (Kind::Image, _) if super::expr::is_text(p.ty) && !pattern.untyped => invalid(p, 2),
        _ => Ok(()),
    }
}

/// Arguments of a function, whose name is in upper case.
pub(super) fn passed(name: &str, args: &[Bound]) -> SqlResult<()> {
    let Some(at) = args.iter().position(|b| b.large != Large::Plain) else { return Ok(()) };
    let (b, declared) = (&args[at], args[at].declared());
    match (name, declared.kind) {
        ("DATALENGTH", _) => return Ok(()),
        ("SUBSTRING", Kind::Text | Kind::NText | Kind::Image) if at == 0 => return Ok(()),
        ("CHARINDEX" | "PATINDEX" | "CONCAT" | "CONCAT_WS" | "QUOTENAME", kind) => match kind {
            Kind::Text | Kind::NText => return Ok(()),
            Kind::Image => return Err(SqlError::new(206, &[&declared, &"varchar"]).with_state(2)),
            _ => {}
        },
        ("DIFFERENCE", Kind::Text) => return Ok(()),
        _ => {}
    }
    debug_assert!(!b.untyped);
    let compares = matches!(name, "CHECKSUM" | "GREATEST" | "LEAST");
    let written = at + 1 + taffrail_functions::takes_datepart(name) as usize;
    let e = SqlError::new(8116, &[&declared.name(), &written, &name.to_ascii_lowercase()]);
    Err(if compares { e.with_state(4) } else { e })
}

/// The type of SUBSTRING of text, ntext or image: no more than a varchar, nvarchar or varbinary holds, or than is asked for.
pub(super) fn part_of(ty: SqlType, length: Option<i64>) -> SqlType {
    use taffrail_types::MaxLen::N;
    let cut = |most: i64| N(length.unwrap_or(most).clamp(1, most) as u16);
    match ty.family() {
        Family::NChar => SqlType::NVarChar(cut(4000)),
        Family::Char => SqlType::VarChar(cut(8000)),
        _ => SqlType::VarBinary(cut(8000)),
    }
}
