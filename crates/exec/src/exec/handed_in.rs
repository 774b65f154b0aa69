//! Plans for rows that are handed in: those of a procedure, of OUTPUT, of a bulk load.

use super::metadata::SessionMetadata;
use crate::binder::{Binder, Variables};
use crate::database::Database;
use crate::planner::Planner;
use crate::session::Session;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_syntax::ast;
use taffrail_types::SqlType;

/// A plan that puts rows which are handed in into a table.
pub(crate) fn external_insert(
    session: &Session,
    database: &Arc<Database>,
    table: &Arc<crate::catalog::Table>,
    types: Vec<SqlType>,
) -> SqlResult<crate::plan::change::InsertPlan> {
    let metadata = SessionMetadata::new(session, database, &[]);
    let (variables, lines) = (Variables::default(), ast::LineIndex::default());
    let mut binder = Binder::new(&metadata, &variables, &lines);
    let bound = binder.bind_external_insert(database.clone(), table.clone(), types)?;
    let columns = std::mem::take(&mut binder.columns);
    let (hints, variables, subqueries) = Default::default();
    Planner::new(&metadata, hints, columns, variables, subqueries).insert(bound)
}

/// A plan for a bulk load; see [`crate::exec::bulk`].
pub(crate) fn bulk_insert(
    session: &Session,
    database: &Arc<Database>,
    table: &Arc<crate::catalog::Table>,
    columns: &[Option<usize>],
    types: Vec<SqlType>,
) -> SqlResult<crate::plan::change::InsertPlan> {
    super::readable::readable(table.clone())?;
    let metadata = SessionMetadata::new(session, database, &[]);
    let (variables, lines) = (Variables::default(), ast::LineIndex::default());
    let mut binder = Binder::new(&metadata, &variables, &lines);
    let bound = binder.bind_bulk_insert(database.clone(), table.clone(), columns, types)?;
    let columns = std::mem::take(&mut binder.columns);
    let (hints, variables, subqueries) = Default::default();
    Planner::new(&metadata, hints, columns, variables, subqueries).insert(bound)
}
