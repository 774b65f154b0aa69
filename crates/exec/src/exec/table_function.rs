//! Functions of several statements that give rows: they fill the table variable of RETURNS, which is read when their statements have
//! ended. A function runs in an activation of its own, as a procedure does that an expression calls ([`super::activation`]).

use super::activation::Way;
use super::called::Returned;
use super::interpret::{Interpreter, Unwind};
use super::metadata::SessionMetadata;
use super::ops::{self, scan::lock_tables};
use super::rows::RowStore;
use super::runtime::Rt;
use super::scalar_function::tables_among;
use super::silent::Silent;
use crate::binder::{TableUse, computed_columns};
use crate::catalog;
use crate::database::Database;
use crate::plan::expr::Expr;
use crate::plan::locking::Locking;
use crate::plan::node::{Access, Compute, Expected, Node, Scan};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::{cancelled, client_gone};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{SqlType, Value};

/// Runs a function and puts the wanted columns (by position) of its rows into `rows`. The arguments are of the parameters' types.
pub(super) fn run(
    cx: &mut StatementContext<'_>,
    (database, function): (&Arc<Database>, &catalog::Module),
    args: &[Value],
    wanted: &[usize],
    rows: &mut RowStore,
) -> SqlResult<()> {
    let mut sink = Silent(cx.sink);
    let mut it = Interpreter::new(cx.session, &mut sink);
    let place = Some(database.clone());
    let way = Way { place, expression: true, function: true, ..Way::default() };
    let called = it.within(way, |it| {
        let module = match it.session.procedure_module(database, function) {
            Ok(module) => module,
            Err(e) => return Ok(Err(e.into())),
        };
        let tables = tables_among(function, args);
        let ran = it.run_function(module, (args.to_vec(), tables), SqlType::Int.into())?;
        Ok(match ran {
            Ok(_) => it.read_filled(wanted, rows).map(|()| Returned::default()).map_err(Into::into),
            Err(failed) => Err(failed),
        })
    });
    match called {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(failed)) => Err(failed.error),
        Err(Unwind::Error(e) | Unwind::Caller(e)) => Err(e),
        Err(Unwind::Cancelled) => Err(cancelled()),
        // The connection ends: the client has heard why, or has gone.
        Err(Unwind::Module | Unwind::Batch | Unwind::Insert | Unwind::Gone) => Err(client_gone()),
    }
}

impl Interpreter<'_> {
    /// The columns of a table that its rows do not have, with their slots.
    fn virtual_columns(
        &self,
        database: &Arc<Database>,
        table: &catalog::Table,
    ) -> SqlResult<Vec<(Expr, u32)>> {
        let names = SessionMetadata::new(self.session, database, &[]);
        let mut all = computed_columns(&names, database, table)?;
        all.retain(|c| !c.stored);
        Ok(all.into_iter().map(|c| (c.expr, c.column as u32)).collect())
    }

    /// Reads the table of RETURNS, the first of the module's table variables behind its parameters.
    fn read_filled(&mut self, wanted: &[usize], rows: &mut RowStore) -> SqlResult<()> {
        let home = self.session.home_of_table_variables()?;
        let owner = self.session.ddl_owner(&home);
        let locals = &self.session.activation.locals;
        let first = locals.tables.get(locals.handed.len());
        let table = first.and_then(|(_, id)| home.catalog.table(*id, owner));
        let table = table.ok_or_else(|| SqlError::new(1087, &[&"RETURNS"]))?;
        let locks = Locking::default();
        let used = TableUse { database: home.clone(), table: table.clone(), locks, heap: true };
        let slots: Vec<u32> = wanted.iter().map(|at| *at as u32).collect();
        let virtuals = self.virtual_columns(&home, &table)?;
        let all = table.columns.len();
        let stored = table.columns.iter().enumerate().filter(|(_, c)| !c.is_virtual());
        let columns = stored.map(|(at, _)| (at, at as u32)).collect();
        let scan = Scan {
            database: home,
            alias: table.name().into(),
            expected: Expected::default(),
            table,
            access: Access::Full,
            columns,
            filtered: 0,
            locator: None,
            image: None,
            filter: None,
            locks,
            backward: false,
            sample: None,
            parts: Vec::new(),
        };
        let input = Node::Scan(Arc::new(scan));
        let node = match virtuals.is_empty() {
            true => input,
            false => Node::Compute(Arc::new(Compute { input, items: virtuals })),
        };
        self.in_statement(|it| {
            lock_tables(it.session, &[used])?;
            let mut none = Vec::new();
            let mut rt = Rt::new(it.context(0), &mut none, Vec::new(), all, &[]);
            let mut op = ops::build(&node);
            op.open(&mut rt)?;
            while op.next(&mut rt)? {
                rt.tick()?;
                rows.push(&mut rt, &slots)?;
            }
            Ok(())
        })
    }
}
