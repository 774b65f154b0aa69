//! Computed columns that are not persisted, once a key or index asks for them: their values are stored with the rows from then on, as those
//! of persisted columns are. Nobody but who looks for room or time can tell.

use super::alter::identity_row;
use super::index::{self, shown_name};
use crate::binder::computed_columns;
use crate::catalog::rows;
use crate::catalog::systab::{self, SystemTables};
use crate::catalog::{Column, Table};
use crate::database::Database;
use crate::exec::metadata::SessionMetadata;
use crate::exec::modify::refill::refill;
use crate::plan::change::ComputedColumn;
use crate::rowcodec::{MAX_ROW_BYTES, Place, PlaceAllocator};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{Origin, SqlError, SqlResult};
use taffrail_types::Value;

/// Computes the stored computed columns of all rows of a table that is locked, behind columns of the rows' `own` values. `given`: the rows
/// get a rowversion, too.
pub(super) fn fill(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    own: Vec<ComputedColumn>,
    given: bool,
) -> SqlResult<()> {
    let mut computed = own;
    {
        let names = SessionMetadata::new(cx.session, database, &[]);
        computed
            .extend(computed_columns(&names, database, table)?.into_iter().filter(|c| c.stored));
    }
    // It is an update of all rows.
    refill(cx, database, table, &computed, given).map_err(|e| e.with_origin(Origin::Change))
}

/// Gives the rows of a table that is locked those of these columns (positions) that they do not have.
pub(super) fn store(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    wanted: &[usize],
) -> SqlResult<()> {
    if !wanted.iter().any(|at| table.columns[*at].is_virtual()) {
        return Ok(());
    }
    let stored = |at: usize, column: &Column| !column.is_virtual() || wanted.contains(&at);
    write_anew(cx, database, table, table.columns.clone(), &stored)
}

/// Gives a table that is locked these columns in place of its own, which differ in what is persisted. `changed`: a computed one of them,
/// and whether rows have its values from now on.
pub(super) fn rewrite(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    columns: Vec<Column>,
    (changed, is_stored): (usize, bool),
) -> SqlResult<()> {
    if is_stored != table.columns[changed].is_virtual() {
        // Rows have the values already, or still have none.
        let identity = identity_row(table, changed);
        let tx = cx.transaction(database)?;
        rows::write_column(tx, table.head.id, &columns[changed], identity)?;
        return index::refresh(cx, database, table, &[]).map(drop);
    }
    let stored = |at: usize, column: &Column| match at == changed {
        true => is_stored,
        false => !column.is_virtual(),
    };
    write_anew(cx, database, table, columns, &stored)
}

/// Writes all rows anew, so that every column gets a fresh place: those that are `stored`, by position.
fn write_anew(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    mut columns: Vec<Column>,
    stored: &dyn Fn(usize, &Column) -> bool,
) -> SqlResult<()> {
    let (mut places, shown) = (PlaceAllocator::default(), shown_name(cx, table));
    let tx = cx.transaction(database)?;
    systab::remove_all(tx, &SystemTables::COLUMNS, &[table.head.id.0 as i64])?;
    for (at, column) in columns.iter_mut().enumerate() {
        match stored(at, column) {
            true => place(&mut places, column, &shown)?,
            false => (column.place, column.null_bit) = (Place::Nowhere, Place::NO_BIT),
        }
        rows::write_column(tx, table.head.id, column, identity_row(table, at))?;
    }
    index::renew(cx, database, table, table.base())?;
    let fresh = index::rebuild(cx, database, table, &[], None)?;
    fill(cx, database, &fresh, Vec::new(), false)
}

/// The next place for a column of a table whose rows are all written anew: 1701 with the table's name.
pub(super) fn place(
    places: &mut PlaceAllocator,
    column: &mut Column,
    table: &str,
) -> SqlResult<()> {
    let next = places
        .next(column.ty)
        .ok_or_else(|| SqlError::new(1701, &[&table, &(MAX_ROW_BYTES + 1), &7, &MAX_ROW_BYTES]))?;
    (column.place, column.null_bit) = next;
    column.missing = Value::Null;
    Ok(())
}
