//! CREATE CLUSTERED COLUMNSTORE INDEX: its name is kept, so that DROP INDEX finds it, and the rows stay the heap that they are. A message
//! tells it, and `sys.indexes` says HEAP.

use super::index;
use crate::catalog::{Table, rows};
use crate::database::Database;
use crate::results::print;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{IndexId, ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::Collation;

/// `CREATE CLUSTERED COLUMNSTORE INDEX` on a table that is locked: 1913, 35339 for a second one, 35372 beside a clustered index.
pub(super) fn create(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    s: &ast::CreateIndex,
) -> SqlResult<()> {
    super::disabled::refuse_table(table)?;
    let name = &*s.name.value;
    let replaces = index::drops_existing(&s.options)?;
    let own = table.columnstore.as_ref().filter(|own| is_same(&own.1, name));
    match (&table.columnstore, own, replaces) {
        (_, Some(_), true) => {}
        (_, Some(_), false) => {
            return Err(SqlError::new(1913, &[&name, &"table", &s.table]));
        }
        (Some(_), None, _) => return Err(SqlError::new(35339, &[])),
        (None, None, _) => {}
    }
    let taken = table.index(name).is_some() || table.own_statistics(name).is_some();
    if taken && !replaces {
        return Err(SqlError::new(1913, &[&name, &"table", &s.table]));
    }
    if !table.is_heap() {
        return Err(SqlError::new(35372, &[&"table", &s.table]));
    }
    if replaces && own.is_none() {
        return Err(SqlError::new(7999, &[&name, &s.table]));
    }
    let id = own.map_or_else(|| table.next_index_id(), |own| own.0);
    let shown = s.table.to_string();
    write(cx, database, (table.head.id, &shown), id, name)?;
    index::modified(cx, database, table.head.id)
}

/// Writes the name of a columnstore index of a table, and tells what becomes of it.
pub(super) fn write(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    (table, shown): (ObjectId, &str),
    id: IndexId,
    name: &str,
) -> SqlResult<()> {
    rows::write_columnstore(cx.transaction(database)?, table, (id, name))?;
    let text = format!(
        "Warning: The columnstore index '{name}' was ignored. The rows of '{shown}' are stored as a heap."
    );
    print(cx, &text)
}

/// Takes the name away, where the columnstore index of the table bears it.
pub(super) fn drop(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    name: &str,
) -> SqlResult<bool> {
    let Some((id, _)) = table.columnstore.as_ref().filter(|own| is_same(&own.1, name)) else {
        return Ok(false);
    };
    rows::remove_index(cx.transaction(database)?, table.head.id, *id)?;
    index::modified(cx, database, table.head.id)?;
    Ok(true)
}

fn is_same(a: &str, b: &str) -> bool {
    Collation::default().eq_str(a, b)
}
