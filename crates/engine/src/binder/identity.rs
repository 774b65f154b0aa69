//! `IDENTITY(type, seed, increment)`: a column of SELECT … INTO that the new table fills itself.

use super::{Binder, Bound};
use crate::plan::expr::Expr;
use crate::plan::statement::IntoIdentity;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::names::TypeUse;

impl<'a> Binder<'a> {
    /// IDENTITY(type, seed, increment): a column that the new table fills itself. 8109 for a second one.
    pub(super) fn identity_column(
        &mut self,
        f: &'a ast::IdentityFunction,
        output: usize,
        s: &ast::SelectBlock,
    ) -> SqlResult<Bound> {
        if self.into_identity.is_some() {
            let into = s.into.as_ref().map_or("", |name| &name.name.value);
            return Err(SqlError::new(8109, &[&into]));
        }
        let ty = self.data_type(&f.ty, TypeUse::Declaration)?;
        let mut number = |e: &'a ast::Expr| match self.expr(e)?.expr {
            Expr::Const(v) => v.as_i64().ok_or_else(|| SqlError::new(177, &[])),
            _ => Err(SqlError::new(177, &[])),
        };
        let (seed, increment) = match &f.arguments {
            None => (1, 1),
            Some((seed, increment)) => (number(seed)?, number(increment)?),
        };
        self.into_identity = Some(IntoIdentity { output, seed, increment });
        Ok(Bound::not_null(Expr::NULL, ty))
    }
}
