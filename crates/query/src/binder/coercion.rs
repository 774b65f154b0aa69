//! Which collation an operation on texts goes by (collation precedence), and what it says where there is none.

use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Collation, SqlType};

/// How a value came by its collation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Coercion {
    /// A literal, a variable, what is made of no text: any other collation wins over it.
    #[default]
    Default,
    /// A column's.
    Implicit,
    /// Written with COLLATE: it wins.
    Explicit,
    /// It has none: two columns' met. COLLATE says one.
    Clash(Clash),
}

/// Two collations that met, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Clash {
    left: Collation,
    right: Collation,
    operator: &'static str,
}

/// A collation and how it was come by.
pub(crate) type Coerced = (Collation, Coercion);

impl Bound {
    /// Its collation, with what that is worth beside another.
    pub(crate) fn coerced(&self) -> Coerced {
        match super::expr::is_text(self.ty) && !self.untyped && !self.is_xml() {
            true => (self.collation, self.coercion),
            false => Coerced::default(),
        }
    }

    /// The same of this collation.
    pub(crate) fn with_collation(self, (collation, coercion): Coerced) -> Bound {
        Bound { collation, coercion, ..self }
    }
}

impl Clash {
    /// 451: a column of a result, of ORDER BY or of GROUP BY has no collation.
    fn in_column(&self, number: usize) -> Box<SqlError> {
        let (right, left) = (self.right.name(), self.left.name());
        SqlError::new(451, &[&right, &left, &self.operator, &"SELECT", &number])
    }

    /// 457: text of a code page is made of text without one.
    fn converted(&self, ty: SqlType) -> Box<SqlError> {
        let (right, left) = (self.right.name(), self.left.name());
        SqlError::new(457, &[&ty.name(), &ty.name(), &right, &left, &self.operator])
    }

    /// 446: a conversion to text of a code page.
    pub(super) fn cast(&self) -> Box<SqlError> {
        let (right, left) = (self.right.name(), self.left.name());
        SqlError::new(446, &[&right, &left, &self.operator, &"CONVERT"]).with_state(20)
    }

    fn compared(&self, operation: &str) -> Box<SqlError> {
        let names = [self.right.name(), self.left.name()];
        SqlError::new(468, &[&names[0], &names[1], &operation]).with_state(9)
    }
}

/// Two collations together; 468 where both are written.
fn merged(a: Coerced, b: Coerced, operator: &'static str) -> SqlResult<Coerced> {
    use Coercion as C;
    let clash = || Clash { left: a.0, right: b.0, operator };
    Ok(match (a.1, b.1) {
        (C::Explicit, C::Explicit) if a.0 != b.0 => return Err(clash().compared(operator)),
        (C::Explicit, _) => a,
        (_, C::Explicit) => b,
        (C::Clash(_), _) => a,
        (_, C::Clash(_)) => b,
        (C::Default, _) => b,
        (_, C::Default) => a,
        (C::Implicit, C::Implicit) if a.0 == b.0 => a,
        (C::Implicit, C::Implicit) => (a.0, C::Clash(clash())),
    })
}

/// 451 for what has no collation where one is needed to show or to order it.
pub(super) fn settled(coercion: Coercion, column: usize) -> SqlResult<()> {
    match coercion {
        Coercion::Clash(clash) => Err(clash.in_column(column)),
        _ => Ok(()),
    }
}

/// 4191 for what has no collation where an operation goes by it.
pub(super) fn needed(b: &Bound, operation: &str) -> SqlResult<()> {
    match b.coercion {
        Coercion::Clash(_) => {
            let operation = if operation == "TRIM" { "Trim" } else { &operation.to_lowercase() };
            Err(SqlError::new(4191, &[&operation]).with_state(9))
        }
        _ => Ok(()),
    }
}

impl Binder<'_> {
    /// What two values have together; one that is no text has no say.
    pub(super) fn coerce(
        &self,
        a: &Bound,
        b: &Bound,
        operator: &'static str,
    ) -> SqlResult<Coerced> {
        Ok(self.or_database(merged(a.coerced(), b.coerced(), operator)?))
    }

    /// Where nobody has a say, the database's.
    pub(super) fn or_database(&self, (collation, coercion): Coerced) -> Coerced {
        match coercion {
            Coercion::Default => (self.collation, coercion),
            _ => (collation, coercion),
        }
    }

    /// The same of values that become one of type `to`: 457 where that has a code page.
    pub(super) fn coerce_to(
        &self,
        all: &[&Bound],
        to: SqlType,
        operator: &'static str,
    ) -> SqlResult<Coerced> {
        let mut all = all.iter().map(|b| b.coerced());
        let out = all.try_fold(Coerced::default(), |a, b| merged(a, b, operator))?;
        match (out.1, to) {
            (Coercion::Clash(clash), SqlType::Char(_) | SqlType::VarChar(_)) => {
                Err(clash.converted(to))
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
            Coercion::Clash(clash) => {
                needed(a, operation)?;
                needed(b, operation)?;
                Err(clash.compared(operation))
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
            if let Coercion::Clash(clash) = out.1 {
                return Err(clash.compared(operation));
            }
        }
        Ok(out)
    }

    /// What a function makes of its arguments' collations.
    pub(super) fn of_arguments(
        &self,
        name: &str,
        compares: bool,
        args: &[Bound],
    ) -> SqlResult<Coerced> {
        match name {
            "CONCAT" | "CONCAT_WS" => {
                let mut joined =
                    args.iter().map(Bound::coerced).filter(|c| c.1 != Coercion::Default);
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
            if let Coercion::Clash(clash) = out.1 {
                return Err(clash.compared(&name.to_lowercase()));
            }
        }
        Ok(self.or_database(out))
    }
}
