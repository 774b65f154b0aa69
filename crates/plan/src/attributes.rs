//! What is known of a scalar without computing it, found from its parts upwards. Its type is in [`crate::typed`].

use crate::expr::{Cast, Expr, Part, Pred};
use taffrail_functions::Determinism;
use taffrail_types::{Conversion, Family, SqlType};

/// How often a scalar comes to a new value while a statement runs, the columns and variables that it reads apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Volatility {
    /// Never: equal columns give equal values.
    #[default]
    Constant,
    /// Once for a statement and each mention: GETDATE, an `@@variable`.
    Query,
    /// For each row, or whenever it is computed: NEWID, the value of a subquery.
    Row,
}

/// The attributes of a scalar or condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    /// How often it comes to a new value.
    pub volatility: Volatility,
    /// It reads rows: it holds a subquery, or calls a user's function, which may.
    pub reads_data: bool,
    /// Computing it may end in an error. What may, is not computed for a row for which the text would not have it computed.
    pub may_raise: bool,
}

impl Attributes {
    /// The attributes of a part of an expression or condition.
    pub fn of(part: Part<'_>) -> Attributes {
        let mut all = match &part {
            Part::Plan(_) => {
                return Attributes {
                    volatility: Volatility::Row,
                    reads_data: true,
                    may_raise: true,
                };
            }
            Part::Expr(e) => of_operator(e),
            // Its escape may be no single character.
            Part::Pred(Pred::Like(l)) => Attributes {
                may_raise: l.escape.as_ref().is_some_and(|e| e.constant().is_none()),
                ..Attributes::default()
            },
            Part::Pred(_) => Attributes::default(),
        };
        let mut add = |p: Part<'_>| {
            let part = Attributes::of(p);
            all.volatility = all.volatility.max(part.volatility);
            all.reads_data |= part.reads_data;
            all.may_raise |= part.may_raise;
        };
        match part {
            Part::Expr(e) => e.children(&mut add),
            Part::Pred(p) => p.children(&mut add),
            Part::Plan(_) => {}
        }
        all
    }
}

/// The attributes of an operator, its operands apart.
fn of_operator(e: &Expr) -> Attributes {
    let of = |volatility, may_raise| Attributes { volatility, may_raise, reads_data: false };
    match e {
        Expr::Const(_)
        | Expr::Slot(_)
        | Expr::Var(_)
        | Expr::Case(_)
        | Expr::Coalesce(_)
        | Expr::Concat(_)
        | Expr::Collate(_) => Attributes::default(),
        Expr::Global(_) | Expr::Named(_) => of(Volatility::Query, false),
        Expr::Cast(c) => of(Volatility::Constant, !is_safe(c)),
        Expr::Call(c) => {
            let volatility = match c.function.determinism() {
                Determinism::Deterministic => Volatility::Constant,
                Determinism::PerStatement => Volatility::Query,
                Determinism::PerCall => Volatility::Row,
            };
            of(volatility, true)
        }
        // Its body may read whatever it likes.
        Expr::UserCall(_) => {
            Attributes { volatility: Volatility::Row, may_raise: true, reads_data: true }
        }
        Expr::NextValue(_) => of(Volatility::Row, true),
        // It stands for a value of the chain that it is part of.
        Expr::Carried => of(Volatility::Row, true),
        _ => of(Volatility::Constant, true),
    }
}

/// Whether computing it may end in an error: [`Attributes::may_raise`].
pub fn may_raise(part: Part<'_>) -> bool {
    Attributes::of(part).may_raise
}

/// Functions that give no NULL, whatever their arguments are; results show them as NOT NULL.
const NEVER_NULL: [&str; 9] = [
    "CONCAT",
    "CONCAT_WS",
    "CURRENT_TIMESTAMP",
    "GETDATE",
    "GETUTCDATE",
    "PI",
    "SYSDATETIME",
    "SYSDATETIMEOFFSET",
    "SYSUTCDATETIME",
];

/// Whether the function of this name, in upper case, gives no NULL.
pub fn is_never_null(name: &str) -> bool {
    NEVER_NULL.contains(&name)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Call, Global, Pred, Subquery};
    use taffrail_types::Value;

    fn of(e: &Expr) -> Attributes {
        Attributes::of(Part::Expr(e))
    }

    fn call(name: &str) -> Expr {
        let function = taffrail_functions::bind(name, None, &[]).unwrap();
        Expr::Call(Box::new(Call { function, args: Vec::new() }))
    }

    #[test]
    fn attributes_come_from_the_parts() {
        let one = || Expr::Const(Value::Int(1));
        let sum = |a, b| Expr::AddInt(Box::new((a, b)));
        assert_eq!(of(&Expr::Slot(3)), Attributes::default());
        assert!(of(&sum(one(), one())).may_raise);
        let either = |a, b| Expr::Coalesce(vec![a, b]);
        assert!(!of(&either(Expr::Slot(0), one())).may_raise);
        assert_eq!(of(&either(one(), Expr::Global(Global::Spid))).volatility, Volatility::Query);
        assert_eq!(of(&call("GETDATE")).volatility, Volatility::Query);
        assert_eq!(of(&either(call("NEWID"), one())).volatility, Volatility::Row);
        assert_eq!(of(&call("PI")).volatility, Volatility::Constant);
        let subquery = Subquery { index: 0, output: 0, outer: Vec::new(), last: false };
        let exists = Pred::Not(Box::new(Pred::Exists(Box::new(subquery))));
        assert!(Attributes::of(Part::Pred(&exists)).reads_data);
    }
}
