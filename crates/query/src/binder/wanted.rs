//! Variables that nobody declares, in a text that is only described: each is bound as a value of any type, as NULL is, and
//! what it is brought to is noted.

use std::cell::RefCell;
use std::ops::Range;
use taffrail_plan::expr::{CompareOp, Expr};
use taffrail_types::{MaxLen, SqlType};

/// Which variables, and what has been asked of them so far.
pub struct Wanted {
    variables: Range<u32>,
    types: RefCell<Vec<(u32, SqlType)>>,
}

impl Wanted {
    /// For these variables.
    pub fn new(variables: Range<u32>) -> Wanted {
        Wanted { variables, types: RefCell::default() }
    }

    /// Whether it is one of them.
    pub fn has(&self, variable: u32) -> bool {
        self.variables.contains(&variable)
    }

    /// A value is brought to a type.
    pub fn note(&self, value: &Expr, ty: SqlType) {
        if let Expr::Var(v) = value
            && self.has(*v)
        {
            self.types.borrow_mut().push((*v, ty));
        }
    }

    /// A value stands on one side of a comparison. For `=` and `<>` it has the other side's type, for the others a type of
    /// the same kind that holds all of it.
    pub fn compared(&self, value: &Expr, op: CompareOp, ty: SqlType) {
        use SqlType::*;
        let widest = match (op, ty) {
            (CompareOp::Eq | CompareOp::Ne, ty) => ty,
            (_, Char(_) | VarChar(MaxLen::N(_))) => VarChar(MaxLen::N(8000)),
            (_, NChar(_) | NVarChar(MaxLen::N(_))) => NVarChar(MaxLen::N(4000)),
            (_, Binary(_) | VarBinary(MaxLen::N(_))) => VarBinary(MaxLen::N(8000)),
            (_, ty) => ty,
        };
        self.note(value, widest);
    }

    /// In the order in which they were noted.
    pub fn into_types(self) -> Vec<(u32, SqlType)> {
        self.types.into_inner()
    }
}
