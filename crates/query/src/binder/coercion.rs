//! Which collation an operation on texts goes by (collation precedence), and what it says where there is none.

use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::columns::{Clash, Coerced, Label, merged as both};
use taffrail_plan::expr::Expr;
use taffrail_types::{SqlType, Value};

impl Bound {
    /// Its collation, with what that is worth beside another.
    pub(crate) fn coerced(&self) -> Coerced {
        match super::expr::is_text(self.ty) && !self.untyped && !self.is_xml() {
            true => (self.collation, self.label),
            false => Coerced::default(),
        }
    }

    /// The value with another collation.
    pub(crate) fn with_collation(self, (collation, label): Coerced) -> Bound {
        Bound { collation, label, ..self }
    }
}

/// A constant that operands of this collation come to. COLLATE of one of them is COLLATE of it.
pub(super) fn constant(value: Value, (collation, label): Coerced) -> Expr {
    match label {
        Label::Explicit => Expr::Collate(Box::new((Expr::Const(value), collation))),
        _ => Expr::Const(value),
    }
}

/// 451: a column of a result, of ORDER BY or of GROUP BY has no collation.
fn in_column(clash: &Clash, number: usize) -> Box<SqlError> {
    let (right, left) = (clash.right.name(), clash.left.name());
    SqlError::new(451, &[&right, &left, &clash.operator, &"SELECT", &number])
}

/// 457: text of a code page is made of text without one.
fn converted(clash: &Clash, ty: SqlType) -> Box<SqlError> {
    let (right, left) = (clash.right.name(), clash.left.name());
    SqlError::new(457, &[&ty.name(), &ty.name(), &right, &left, &clash.operator])
}

/// 446: a conversion to text of a code page.
pub(super) fn cast(clash: &Clash) -> Box<SqlError> {
    let (right, left) = (clash.right.name(), clash.left.name());
    SqlError::new(446, &[&right, &left, &clash.operator, &"CONVERT"]).with_state(20)
}

/// 468: two texts of different collations are compared.
fn compared(clash: &Clash, operation: &str) -> Box<SqlError> {
    let names = [clash.right.name(), clash.left.name()];
    SqlError::new(468, &[&names[0], &names[1], &operation]).with_state(9)
}

/// The collation that two values have together; 468 where both are written.
fn merged(a: Coerced, b: Coerced, operator: &'static str) -> SqlResult<Coerced> {
    both(a, b, operator).map_err(|clash| compared(&clash, operator))
}

/// 451 for what has no collation where one is needed to show or to order it.
pub(super) fn settled(label: Label, column: usize) -> SqlResult<()> {
    match label {
        Label::NoCollation(clash) => Err(in_column(&clash, column)),
        _ => Ok(()),
    }
}

/// 4191 for what has no collation where an operation goes by it.
pub(super) fn needed(b: &Bound, operation: &str) -> SqlResult<()> {
    match b.label {
        Label::NoCollation(_) => {
            let operation = if operation == "TRIM" { "Trim" } else { &operation.to_lowercase() };
            Err(SqlError::new(4191, &[&operation]).with_state(9))
        }
        _ => Ok(()),
    }
}

impl Binder<'_> {
    /// The collation that two values have together; one that is no text has no say.
    pub(super) fn coerce(
        &self,
        a: &Bound,
        b: &Bound,
        operator: &'static str,
    ) -> SqlResult<Coerced> {
        Ok(self.or_database(merged(a.coerced(), b.coerced(), operator)?))
    }

    /// Where nobody has a say, the database's.
    pub(super) fn or_database(&self, (collation, label): Coerced) -> Coerced {
        match label {
            Label::CoercibleDefault => (self.collation, label),
            _ => (collation, label),
        }
    }

    /// The collation of values that become one of type `to`: 457 where that has a code page.
    pub(super) fn coerce_to(
        &self,
        all: &[&Bound],
        to: SqlType,
        operator: &'static str,
    ) -> SqlResult<Coerced> {
        let mut all = all.iter().map(|b| b.coerced());
        let out = all.try_fold(Coerced::default(), |a, b| merged(a, b, operator))?;
        match (out.1, to) {
            (Label::NoCollation(clash), SqlType::Char(_) | SqlType::VarChar(_)) => {
                Err(converted(&clash, to))
            }
            _ => Ok(self.or_database(out)),
        }
    }

    /// The collation by which two values are compared: 468, and 4191 where one has none already.
    pub(super) fn compared_by(
        &self,
        a: &Bound,
        b: &Bound,
        operation: &'static str,
    ) -> SqlResult<Coerced> {
        let out = self.coerce(a, b, operation)?;
        match out.1 {
            Label::NoCollation(clash) => {
                needed(a, operation)?;
                needed(b, operation)?;
                Err(compared(&clash, operation))
            }
            _ => Ok(out),
        }
    }

    /// The collation of a UNION, EXCEPT or INTERSECT, which compares: 468.
    pub(super) fn compared_in_set(
        &self,
        all: &[&Bound],
        operation: &'static str,
    ) -> SqlResult<Coerced> {
        let mut out = Coerced::default();
        for b in all {
            out = merged(out, b.coerced(), operation)?;
            if let Label::NoCollation(clash) = out.1 {
                return Err(compared(&clash, operation));
            }
        }
        Ok(out)
    }

    /// The collation of a function's result, from those of its arguments.
    pub(super) fn of_arguments(
        &self,
        name: &str,
        compares: bool,
        args: &[Bound],
    ) -> SqlResult<Coerced> {
        match name {
            "CONCAT" | "CONCAT_WS" => {
                let mut joined =
                    args.iter().map(Bound::coerced).filter(|c| c.1 != Label::CoercibleDefault);
                return joined.try_fold(Coerced::default(), |a, b| merged(a, b, "concat"));
            }
            "LEN" | "UPPER" | "LOWER" | "LTRIM" | "RTRIM" | "TRIM" | "SUBSTRING" | "REVERSE"
            | "STUFF" | "LEFT" | "RIGHT" | "SOUNDEX" | "DIFFERENCE" | "UNICODE" => {
                args.iter().try_for_each(|b| needed(b, name))?;
            }
            _ if compares => return self.compared_in(args, name),
            _ => {}
        }
        Ok(args.first().map(Bound::coerced).unwrap_or_default())
    }

    /// The collation under which arguments are compared with each other.
    pub(super) fn compared_in(&self, args: &[Bound], name: &str) -> SqlResult<Coerced> {
        let mut out = Coerced::default();
        for b in args {
            needed(b, name)?;
            out = merged(out, b.coerced(), "")?;
            if let Label::NoCollation(clash) = out.1 {
                return Err(compared(&clash, &name.to_lowercase()));
            }
        }
        Ok(self.or_database(out))
    }
}
