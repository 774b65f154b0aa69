//! OPENROWSET(BULK 'file', SINGLE_CLOB): a file as one value, in one row.

use super::Binder;
use super::from::{FromTree, view_columns};
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_plan::expr::Expr;
use taffrail_plan::system_view::FILES;
use taffrail_syntax::ast::{self, ExprKind};
use taffrail_types::Value;

impl<'a> Binder<'a> {
    /// A file in FROM: 491 without a name of its own, 4802 where SINGLE_… is not the only option. Files of several columns, which a
    /// format file describes, and other servers are not here.
    pub(super) fn file(&mut self, o: &'a ast::OpenRowset) -> SqlResult<FromTree> {
        if !o.bulk {
            return Err(unsupported(&o.function));
        }
        let single = |name: &ast::Ident| FILES.iter().find(|f| name.is(f.0));
        let Some((_, name)) = o.options.iter().find_map(|option| single(&option.name)) else {
            return Err(unsupported(
                "OPENROWSET(BULK) without SINGLE_BLOB, SINGLE_CLOB or SINGLE_NCLOB",
            ));
        };
        if o.options.len() > 1 || !o.schema.is_empty() {
            return Err(SqlError::new(4802, &[]));
        }
        let path = match o.arguments.first().map(|e| &e.kind) {
            Some(ExprKind::Literal(ast::Literal::String(t) | ast::Literal::NString(t))) => t,
            Some(ExprKind::Variable(v)) => return Err(SqlError::new(102, &[&v.value])),
            _ => return Err(SqlError::new(102, &[&"BULK"])),
        };
        let Some(alias) = &o.alias else { return Err(SqlError::new(491, &[])) };
        let view = self.meta.method(name);
        let database = self.meta.current_database()?;
        let columns = view_columns(view, self.collation);
        if o.columns.len() > columns.len() {
            return Err(SqlError::new(8158, &[&alias.value]));
        }
        let args = vec![Expr::Const(Value::nvarchar(path))];
        self.system_rows((database, view), (alias, &o.columns), columns, args)
    }
}
