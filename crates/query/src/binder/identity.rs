//! The identity column of SELECT … INTO: `IDENTITY(type, seed, increment)`, which the new table fills itself, or that of the table that
//! is read.

use super::{Binder, Bound};
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::Expr;
use taffrail_plan::node::QueryPlan;
use taffrail_plan::rel::Rel;
use taffrail_plan::statement::IntoIdentity;
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

/// The identity column among the outputs: a new table inherits it from one table, not from a join, a union or groups, and not when the
/// column is listed twice.
pub(super) fn inherited(q: &QueryPlan<Rel>) -> Option<IntoIdentity> {
    let output = q.columns.iter().position(|c| c.identity)?;
    let slot = q.outputs[output];
    if q.outputs.iter().filter(|s| **s == slot).count() > 1 {
        return None;
    }
    let mut rel = &q.node;
    let get = loop {
        rel = match rel {
            Rel::Get(get) => break get,
            Rel::Select(r) => &r.input,
            Rel::Compute(r) => &r.input,
            Rel::Project(r) => &r.input,
            Rel::Window(r) => &r.input,
            Rel::Sort(r) => &r.input,
            Rel::Top(r) => &r.input,
            _ => return None,
        };
    };
    let (column, _) = get.columns.iter().find(|(_, s)| *s == slot)?;
    let identity = get.table.table.identity.as_ref()?;
    let (seed, increment) = (identity.seed, identity.increment);
    (identity.column == *column).then_some(IntoIdentity { output, seed, increment })
}
