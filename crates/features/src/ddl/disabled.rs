//! ALTER INDEX … DISABLE, and what is refused of indexes that are disabled.
//!
//! | disabled | has left | stays |
//! |---|---|---|
//! | a nonclustered index | its tree | its definition, [`Table::disabled`] |
//! | a clustered index | the trees of all other indexes | its rows, which nobody reads or changes (8655) until it is built anew |
//!
//! Foreign keys that need a unique index, or that have anything to do with the table of a clustered one, are disabled along with it (1992)
//! and are switched on again by hand.

use super::index::{refresh, row_of};
use super::sql;
use crate::catalog::rows::{self, IndexRow};
use crate::catalog::{ForeignKey, Index, IndexKind, ObjectKind, Table};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{HobtId, SqlError, SqlResult};

/// `ALTER INDEX { name | ALL } … DISABLE`, of a table that is locked.
pub(super) fn disable(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    chosen: &[Arc<Index>],
) -> SqlResult<()> {
    let clustered = chosen.iter().any(|i| i.kind == IndexKind::Clustered);
    let viewed = table.head.kind == ObjectKind::View || !table.indexed_views.is_empty();
    if clustered && viewed {
        return Err(unsupported(
            "DISABLE of the clustered index of an indexed view or beneath one",
        ));
    }
    let off: Vec<Arc<Index>> = match clustered {
        true => table.indexes.clone(),
        false => chosen.iter().filter(|i| !i.disabled).cloned().collect(),
    };
    let off: Vec<&Arc<Index>> = off.iter().filter(|i| !i.disabled).collect();
    let keys = keys_of(cx, database, table, &off, clustered)?;
    let tx = cx.transaction(database)?;
    for index in &off {
        let hobt = match index.kind {
            IndexKind::Nonclustered => HobtId(0),
            _ => index.hobt_id,
        };
        let row = IndexRow { disabled: true, hobt, ..row_of(table, index) };
        rows::write_index(tx, table.head.id, &row)?;
    }
    for (key, _) in &keys {
        rows::write_check_state(tx, key.id, true, true)?;
    }
    let mut touched: Vec<_> = keys.iter().flat_map(|(key, _)| [key.id, key.table]).collect();
    touched.retain(|id| *id != table.head.id);
    refresh(cx, database, table, &touched)?;
    let tx = cx.transaction(database)?;
    for index in off.iter().filter(|i| i.kind == IndexKind::Nonclustered) {
        database.storage.drop_hobt(tx, index.hobt_id).map_err(sql)?;
    }
    for (key, index) in &keys {
        let session = cx.session.id;
        let name = |id| database.catalog.table(id, session).map(|t| t.head.name.clone());
        let (child, parent) = (name(key.table), name(key.referenced));
        let (child, parent) = (child.unwrap_or_default(), parent.unwrap_or_default());
        cx.message(SqlError::new(1992, &[&key.name, &child, &parent, index]))?;
    }
    super::index::modified(cx, database, table.head.id)
}

/// The foreign keys that act and go with these indexes, each with the index's name; their tables are locked. `all`: every key of the table,
/// whichever side it is on.
fn keys_of(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    off: &[&Arc<Index>],
    all: bool,
) -> SqlResult<Vec<(ForeignKey, Arc<str>)>> {
    let (catalog, session) = (&database.catalog, cx.session.id);
    let mut found = Vec::new();
    for key in catalog.references_to(table.id(), session)? {
        let index = off.iter().find(|i| i.id == key.index);
        if let Some(index) = index.or(off.first().filter(|_| all)) {
            found.push((key, index.name.clone()));
        }
    }
    if all && let Some(base) = off.first() {
        for key in catalog.foreign_keys_of(table.id(), session)? {
            if !found.iter().any(|(known, _)| known.id == key.id) {
                found.push((key, base.name.clone()));
            }
        }
    }
    found.retain(|(key, _)| !key.disabled);
    for (key, _) in &found {
        super::resolve::lock(cx, database, key.table)?;
    }
    Ok(found)
}

/// 1974 for a table whose clustered index is disabled.
pub(super) fn refuse_table(table: &Table) -> SqlResult<()> {
    match table.switched_off() {
        None => Ok(()),
        Some(index) => Err(SqlError::new(1974, &[&"table", &table.name(), &index.name])),
    }
}
