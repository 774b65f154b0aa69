//! Tables that are passed to functions: table variables, as the values of table-valued parameters.
//!
//! The variable of a table holds the number of the table while it is there, and that is what a function is handed. An inline function
//! reads the table itself in the place of its parameter.

use super::{Binder, eq};
use std::sync::Arc;
use taffrail_base::{SqlError, SqlResult};
use taffrail_catalog::database::Database;
use taffrail_catalog::{Parameter, Sight, Table};
use taffrail_plan::expr::Expr;
use taffrail_syntax::ast::{self, ExprKind};

/// A table variable that is passed.
#[derive(Clone)]
pub(super) struct PassedTable {
    database: Arc<Database>,
    table: Arc<Table>,
    /// `user_type_id` of its table type; 0 where it is declared by its columns.
    user_type: i32,
}

impl<'a> Binder<'a> {
    /// The table of a table variable; of a parameter of the inline function that is being bound, the one that was passed: 1087.
    pub(super) fn table_named(&self, name: &str) -> SqlResult<(Arc<Database>, Arc<Table>)> {
        let arguments = self.views.last().map_or(&[][..], |v| &v.arguments);
        match arguments.iter().find(|a| eq(a.name(), name)).and_then(|a| a.table()) {
            Some(passed) => Ok((passed.database.clone(), passed.table.clone())),
            None => self.meta.table_variable(name),
        }
    }

    /// The argument for a table-valued parameter of a function in `home`: its value, and the table; none for DEFAULT, which is an empty
    /// one. 206 for anything but a table variable of the parameter's type.
    pub(super) fn table_argument(
        &mut self,
        e: &'a ast::Expr,
        home: &Database,
        parameter: &Parameter,
    ) -> SqlResult<(Expr, Option<PassedTable>)> {
        let clash = |from: &str| {
            let to = home.catalog.type_by_id(parameter.user_type, Sight::EVERYTHING);
            let to = to.map_or_else(|| "table".to_owned(), |t| t.head.name.to_string());
            SqlError::new(206, &[&from, &to])
        };
        let name = match &e.kind {
            ExprKind::Default => return Ok((Expr::NULL, None)),
            ExprKind::Variable(name) => &*name.value,
            _ => {
                let from = self.expr(e)?.ty.name();
                return Err(clash(from));
            }
        };
        let arguments = self.views.last().map_or(&[][..], |v| &v.arguments);
        let handed_on = arguments.iter().find(|a| eq(a.name(), name));
        let (value, passed) = match handed_on.map(|a| (a.value().clone(), a.table().cloned())) {
            Some((value, Some(passed))) => (value, passed),
            _ => {
                let (at, ty, user_type) = match self.variables.find(name) {
                    Some((at, v)) => (at, v.ty, v.user_type),
                    None => return Err(SqlError::new(137, &[&name]).with_state(2)),
                };
                if let Some(ty) = ty {
                    return Err(clash(ty.name()));
                }
                let (database, table) = self.meta.table_variable(name)?;
                (Expr::Var(at), PassedTable { database, table, user_type })
            }
        };
        let here = self.meta.current_database().is_ok_and(|d| d.id == home.id);
        if !here || passed.user_type != parameter.user_type {
            return Err(clash("table"));
        }
        Ok((value, Some(passed)))
    }
}
