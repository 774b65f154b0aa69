//! How a column stands in a comparison: as it is, or under a conversion through which it can still be sought.

use taffrail_plan::expr::{Cast, Expr, Slot};
use taffrail_types::near::is_near;
use taffrail_types::{Conversion, Family, MaxLen, SqlType};

fn is_integer(ty: SqlType) -> bool {
    matches!(ty, SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt)
}

/// How many characters a text type has room for.
fn characters(ty: SqlType) -> u32 {
    match ty {
        SqlType::Char(n) | SqlType::NChar(n) => n.into(),
        SqlType::VarChar(MaxLen::N(n)) | SqlType::NVarChar(MaxLen::N(n)) => n.into(),
        _ => u32::MAX,
    }
}

/// How a column stands in a comparison.
pub(super) struct Compared {
    /// Its position in the table.
    pub column: usize,
    /// As it is, so that the key says it all.
    pub exact: bool,
    /// Only equality can be sought.
    pub equality_only: bool,
    /// What is sought is where a value of another type lies, not a value of the column's.
    pub near: bool,
}

/// The column behind one side of a comparison.
pub(super) fn column_of(e: &Expr, columns: &[(usize, Slot)]) -> Option<Compared> {
    let column = |s: &Slot| columns.iter().find(|(_, k)| k == s).map(|(c, _)| *c);
    match e {
        Expr::Slot(s) => {
            Some(Compared { column: column(s)?, exact: true, equality_only: false, near: false })
        }
        Expr::Cast(c) => match &**c {
            Cast { value: Expr::Slot(s), from, to, conversion: Conversion::Implicit, .. } => {
                let text = from.family() == Family::Char
                    && to.family() == Family::NChar
                    && characters(*from) <= characters(*to);
                let integers = is_integer(*from) && is_integer(*to);
                let near = is_near(*from, *to);
                (text || integers || near).then_some(Compared {
                    column: column(s)?,
                    exact: false,
                    equality_only: text,
                    near,
                })
            }
            // Its date.
            Cast {
                value: Expr::Slot(s), from, to: SqlType::Date, style: None, lenient, ..
            } if !lenient && is_near(*from, SqlType::Date) => {
                let column = column(s)?;
                Some(Compared { column, exact: false, equality_only: false, near: true })
            }
            _ => None,
        },
        _ => None,
    }
}
