//! What is known of a scalar without computing it, found from its parts upwards.

use crate::expr::{Cast, Expr, Part};
use taffrail_types::{Conversion, Family, SqlType};

/// Whether computing it may end in an error. What may, is not computed for a row for which the text would not have it computed.
pub fn may_raise(part: Part<'_>) -> bool {
    let mut raises = false;
    match part {
        Part::Plan(_) => return true,
        Part::Expr(e) => {
            match e {
                Expr::Const(_)
                | Expr::Slot(_)
                | Expr::Var(_)
                | Expr::Global(_)
                | Expr::Named(_)
                | Expr::Case(_)
                | Expr::Coalesce(_)
                | Expr::Concat(_)
                | Expr::Collate(_) => {}
                Expr::Cast(c) if is_safe(c) => {}
                _ => return true,
            }
            e.children(&mut |p| raises |= may_raise(p));
        }
        Part::Pred(p) => p.children(&mut |p| raises |= may_raise(p)),
    }
    raises
}

/// A conversion that each value of the type passes.
fn is_safe(c: &Cast) -> bool {
    let text = |ty: SqlType| matches!(ty.family(), Family::Char | Family::NChar);
    let width = |ty: SqlType| match ty {
        SqlType::Bit => Some(0),
        SqlType::TinyInt => Some(1),
        SqlType::SmallInt => Some(2),
        SqlType::Int => Some(4),
        SqlType::BigInt => Some(8),
        _ => None,
    };
    match (width(c.from), width(c.to)) {
        (Some(from), Some(to)) => from <= to,
        _ => {
            c.conversion == Conversion::Implicit
                && c.style.is_none()
                && (c.from == c.to || (text(c.from) && text(c.to)))
        }
    }
}
