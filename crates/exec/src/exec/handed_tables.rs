//! Tables that a client passes to a remote call: each becomes a table variable that is there before the call and goes with it.

use super::bulk::{BulkOptions, BulkPlan, BulkTarget, as_sent};
use super::declarations::{columns_of_type, of_table_type, types_of};
use super::interpret::Interpreter;
use super::module::{Module, OfTableType};
use super::procedure::Callee;
use crate::catalog::{Parameter, Table, UserType};
use crate::database::Database;
use crate::features::tables::tables;
use crate::rpc::receive_row;
use crate::rpc::{RpcParam, RpcProcedure, RpcTable};
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::{Collation, SqlType, Value};

/// A table with its type, for each parameter that has one.
pub(super) type HandedTables = Vec<Option<(OfTableType, ObjectId)>>;

/// A table type and the database whose it is.
type Placed = (Arc<Database>, Arc<UserType>);

/// The names of constraints are the table variable's own; nobody sees them.
const NAME: &str = "@p";

impl Interpreter<'_> {
    /// The table of a table type that is passed to a procedure.
    pub(super) fn passed_table(&self, module: &Module, n: u32) -> Option<(OfTableType, ObjectId)> {
        let (of, _) = module.table_variables.get(n as usize)?.of.as_ref()?;
        let (_, id) = self.session.activation.locals.tables.get(n as usize)?;
        Some((of.clone(), *id))
    }

    /// Makes the tables that are passed and fills them, taking the rows. What was made is given back even where one cannot be filled:
    /// 500, 515, 547, 1077, 2627, 2715 …
    pub(super) fn take_tables(
        &mut self,
        procedure: &RpcProcedure,
        params: &mut [RpcParam],
    ) -> (HandedTables, SqlResult<()>) {
        let mut made = vec![None; params.len()];
        for (n, p) in params.iter_mut().enumerate() {
            let Some(table) = p.table.as_deref_mut().filter(|t| t.columns.is_some()) else {
                continue;
            };
            let of = match table.name.is_empty() {
                true => self.type_of_parameter(procedure, &p.name, n),
                false => self.type_of_handed(table, n + 1),
            };
            let filled =
                of.and_then(|(home, of)| self.make_handed(&home, &of)).and_then(|(of, id)| {
                    made[n] = Some((of, id));
                    self.fill(table, id)
                });
            if filled.is_err() {
                return (made, filled);
            }
        }
        (made, Ok(()))
    }

    /// Drops the tables after the call.
    pub(super) fn drop_tables(&mut self, made: &HandedTables) -> SqlResult<()> {
        if made.iter().all(Option::is_none) {
            return Ok(());
        }
        self.as_their_owner(|it, home| {
            let mut ids = made.iter().flatten().map(|(_, id)| *id);
            ids.try_for_each(|id| tables().drop_own(&mut it.context(0), home, id))
        })
    }

    /// The table type of a name, in the session's database: 2715.
    fn type_of_handed(&self, table: &RpcTable, ordinal: usize) -> SqlResult<Placed> {
        let ident = |value: &str| ast::Ident {
            value: value.into(),
            span: ast::Span::new(0, 0),
            delimited: false,
        };
        let mut name = ast::ObjectName::bare(ident(&table.name));
        name.schema = (!table.schema.is_empty()).then(|| ident(&table.schema));
        let found = types_of(self.session, &self.session.database).find(&name);
        let missing = || SqlError::new(2715, &[&ordinal, &name]).with_state(3);
        let found = found.filter(|t| t.is_table()).ok_or_else(missing)?;
        Ok((self.session.database.clone(), found))
    }

    /// The table type that a procedure declares for a parameter: a client need not name it. Without a parameter's name its position
    /// counts. 2715 where there is no such type, 2812 without the procedure.
    fn type_of_parameter(
        &mut self,
        procedure: &RpcProcedure,
        name: &str,
        at: usize,
    ) -> SqlResult<Placed> {
        let missing = || SqlError::new(2715, &[&(at + 1), &name]).with_state(3);
        let (Callee::User(database, module), ..) = self.callee(procedure)? else {
            return Err(missing());
        };
        let of_name = |p: &&Parameter| Collation::default().eq_str(&p.name, name);
        let parameter = match name.is_empty() {
            true => module.parameters.get(at),
            false => module.parameters.iter().find(of_name),
        };
        let id = parameter.map_or(0, |p| p.user_type);
        let found = database.catalog.type_by_id(id, self.session.id);
        let found = found.filter(|t| t.is_table()).ok_or_else(missing)?;
        Ok((database, found))
    }

    fn make_handed(&mut self, own: &Database, of: &UserType) -> SqlResult<(OfTableType, ObjectId)> {
        let (body, text) = columns_of_type(of)?;
        let id = self.as_their_owner(|it, home| {
            tables().create_variable(&mut it.context(0), home, NAME, &body, &text)
        })?;
        Ok((of_table_type(own, of), id))
    }

    fn fill(&mut self, table: &mut RpcTable, id: ObjectId) -> SqlResult<()> {
        let home = self.session.home_of_table_variables()?;
        let owner = self.session.ddl_owner(&home);
        let to = home.catalog.table(id, owner).ok_or_else(|| SqlError::new(1087, &[&NAME]))?;
        let (columns, types) = places(table, &to)?;
        let mut rows = std::mem::take(&mut table.rows);
        rows.iter_mut().for_each(|row| receive_row(row, &types, &columns, &to));
        if rows.is_empty() {
            return Ok(());
        }
        // Nobody else knows the table: a heap is filled by whole pages.
        let tablock = to.is_heap() && to.nonclustered().is_empty() && to.identity.is_none();
        let options = BulkOptions {
            tablock,
            check_constraints: true,
            keep_nulls: true,
            ..BulkOptions::default()
        };
        self.in_statement(|it| {
            let plan = BulkPlan::open(it.session, &home, &to, &columns, types, options)?;
            let mut vars: Vec<Value> = Vec::new();
            let mut target = BulkTarget::open(it.context(0), &plan, &mut vars)?;
            rows.iter().try_for_each(|row| target.push_row(row))?;
            target.finish().map(drop)
        })
    }
}

/// Where the values of a row go, and their types: 500 for another number of columns, 1077 for a value of the identity column.
fn places(table: &RpcTable, to: &Table) -> SqlResult<(Vec<Option<usize>>, Vec<SqlType>)> {
    let sent = table.columns.as_deref().unwrap_or_default();
    let all = to.columns.len();
    let ordered = table.order.is_empty() || table.order.len() == sent.len();
    if sent.len() != all || !ordered {
        return Err(SqlError::new(500, &[&sent.len(), &all]));
    }
    let (mut columns, mut types) = (Vec::new(), Vec::new());
    for (n, ty) in sent.iter().enumerate() {
        let at = match table.order.get(n) {
            Some(ordinal) => usize::from(*ordinal).checked_sub(1).filter(|at| *at < all),
            None => Some(n),
        };
        let at = at.ok_or_else(|| SqlError::new(500, &[&sent.len(), &all]))?;
        let Some(ty) = ty else { continue };
        if to.columns[at].is_identity {
            return Err(SqlError::new(1077, &[]));
        }
        if columns.contains(&Some(at)) {
            return Err(SqlError::new(264, &[&to.columns[at].name]));
        }
        columns.push(Some(at));
        types.push(as_sent(*ty));
    }
    Ok((columns, types))
}
