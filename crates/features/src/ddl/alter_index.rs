//! ALTER INDEX, and ALTER TABLE … REBUILD.
//!
//! ```text
//! ALTER INDEX { name | ALL } ON table
//!     REBUILD [ PARTITION = ALL ] [ WITH ( options ) ]      built anew under Sch-M, in the statement's transaction
//!     REORGANIZE [ WITH ( LOB_COMPACTION = { ON | OFF } ) ] in place, in many small transactions, under IS on the table
//!     SET ( options )
//!     DISABLE                                               see [`super::disabled`]; REBUILD takes it back
//! ```
//! What a reorganization has done stays when the statement is cancelled or rolled back. The lock keeps nobody away but those who change the
//! table's definition or lock it as a whole for writing.

use super::index::{rebuild, refresh, renew, row_of};
use super::index_options::{
    IndexOptions, check_partition, rebuild_options, reorganize_options, set_options, tell,
};
use super::{resolve, sql};
use crate::catalog::{Index, IndexKind, Table, rows};
use crate::database::Database;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{IndexId, SqlError, SqlResult};
use taffrail_storage::btree;
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast::{self, AlterIndexAction};
use taffrail_types::Value;

/// `ALTER INDEX`.
pub(crate) fn alter_index(cx: &mut StatementContext<'_>, s: &ast::AlterIndex) -> SqlResult<()> {
    let missing = || SqlError::new(1088, &[&s.table]).with_severity(16).with_state(9);
    let (database, table) = resolve::indexed(cx, &s.table, missing)?;
    match &s.action {
        AlterIndexAction::Rebuild(options) => {
            let table = resolve::lock_for_change(cx, &database, &table, missing)?;
            let chosen = chosen(&table, s.name.as_ref())?;
            for index in &chosen {
                check_partition(options, "rebuild", &index.name)?;
            }
            let kept = rebuild_options(options)?;
            tell(cx, options)?;
            rebuild_indexes(cx, &database, &table, &chosen, kept)
        }
        AlterIndexAction::Reorganize(options) => {
            let session = cx.session.id;
            let tx = cx.session.change_in(&database)?;
            // Beside readers and writers of rows; not beside who has the table stand still (DBCC CHECKTABLE).
            database.catalog.lock_table(tx, session, table.head.id, LockMode::IX)?;
            let Some(table) = database.catalog.table(table.head.id, session) else {
                return Err(missing());
            };
            let chosen = chosen(&table, s.name.as_ref())?;
            for index in &chosen {
                check_partition(options, "reorganize", &index.name)?;
            }
            reorganize_options(options)?;
            let off = chosen.iter().find(|i| i.disabled);
            if let Some(off) = off.filter(|i| s.name.is_some() || i.kind == IndexKind::Clustered) {
                return Err(switched_off(&table, off));
            }
            let mut live = chosen.iter().filter(|i| !i.disabled);
            live.try_for_each(|index| reorganize(cx, &database, index))?;
            // Its steps are transactions of their own, that nobody has waited for yet.
            database.storage.flush_log().map_err(sql)
        }
        AlterIndexAction::Set(options) => {
            chosen(&table, s.name.as_ref())?;
            let said = options;
            let options = set_options(options)?;
            tell(cx, said)?;
            if options == IndexOptions::default() {
                return Ok(());
            }
            let table = resolve::lock_for_change(cx, &database, &table, missing)?;
            let chosen = chosen(&table, s.name.as_ref())?;
            if let Some(off) = chosen.iter().find(|i| i.disabled) {
                return Err(switched_off(&table, off));
            }
            write_options(cx, &database, &table, &chosen, options).map(drop)
        }
        AlterIndexAction::Disable => {
            let table = resolve::lock_for_change(cx, &database, &table, missing)?;
            let chosen = chosen(&table, s.name.as_ref())?;
            super::disabled::disable(cx, &database, &table, &chosen)
        }
        AlterIndexAction::Other(word) => Err(unsupported(format!("ALTER INDEX … {word}"))),
    }
}

/// The index of this name, or (none) all of the table's: 2727.
fn chosen(table: &Table, name: Option<&ast::Ident>) -> SqlResult<Vec<Arc<Index>>> {
    match name {
        None => Ok(table.defined().filter(|i| i.kind != IndexKind::Heap).cloned().collect()),
        Some(name) => match table.index(&name.value) {
            Some(index) => Ok(vec![index.clone()]),
            None => Err(SqlError::new(2727, &[&name.value])),
        },
    }
}

/// 1973 for an index that is disabled, 1974 where that is the clustered one.
fn switched_off(table: &Table, index: &Index) -> Box<SqlError> {
    match index.kind {
        IndexKind::Clustered => SqlError::new(1974, &[&"table", &table.name(), &index.name]),
        _ => SqlError::new(1973, &[&index.name, &"table", &table.name()]),
    }
}

/// Puts one tree in order.
fn reorganize(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    index: &Index,
) -> SqlResult<()> {
    let mut work = btree::Reorganize::new(index.hobt()?, index.fill_factor).map_err(sql)?;
    loop {
        cx.session.check_cancel()?;
        let more = work.step(cx.transaction(database)?);
        if !more.map_err(|e| e.to_sql())? {
            return Ok(());
        }
    }
}

/// Builds indexes anew, with these options from now on. Those that were disabled are enabled: 1987 for a nonclustered one where the
/// clustered index stays disabled.
pub(super) fn rebuild_indexes(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    chosen: &[Arc<Index>],
    options: IndexOptions,
) -> SqlResult<()> {
    let mut table = table.clone();
    if options != IndexOptions::default() {
        table = write_options(cx, database, &table, chosen, options)?;
    }
    if chosen.iter().any(|i| i.kind == IndexKind::Clustered) {
        for index in chosen.iter().filter(|i| i.disabled && i.kind == IndexKind::Nonclustered) {
            renew(cx, database, &table, index)?;
        }
        // The others go with it.
        return rebuild_all(cx, database, &table);
    }
    if let (Some(_), Some(index)) = (table.switched_off(), chosen.first()) {
        let what = "clustered index";
        let parts: [&dyn std::fmt::Display; 5] =
            [&"rebuild", &"index", &index.name, &"table", &table.name()];
        let [verb, kind, name, of, table] = parts;
        return Err(SqlError::new(1987, &[verb, kind, name, of, table, &what]));
    }
    for index in chosen {
        rebuild_one(cx, database, &table, index.id)?;
    }
    Ok(())
}

/// Writes options of indexes into the catalogue; the table as it is then.
fn write_options(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    chosen: &[Arc<Index>],
    options: IndexOptions,
) -> SqlResult<Arc<Table>> {
    for index in chosen {
        may_ignore(table, index, options)?;
    }
    let tx = cx.transaction(database)?;
    for index in chosen {
        let mut row = row_of(table, index);
        row.fill_factor = options.fill_factor.unwrap_or(row.fill_factor);
        row.padded = options.padded.unwrap_or(row.padded);
        row.no_page_locks = options.page_locks.map_or(row.no_page_locks, |on| !on);
        row.no_row_locks = options.row_locks.map_or(row.no_row_locks, |on| !on);
        row.ignore_dup_key = options.ignore_dup_key.unwrap_or(row.ignore_dup_key);
        rows::write_index(tx, table.head.id, &row)?;
    }
    refresh(cx, database, table, &[])
}

/// Whether IGNORE_DUP_KEY may be what it is to be: 1915, 1979 and 10618 where it changes.
fn may_ignore(table: &Table, index: &Index, options: IndexOptions) -> SqlResult<()> {
    let changes = options.ignore_dup_key.is_some_and(|on| on != index.ignore_dup_key);
    match () {
        () if !changes => Ok(()),
        () if index.constraint.0 != 0 => Err(SqlError::new(1979, &[&index.name])),
        () if !index.unique => Err(SqlError::new(1915, &[&index.name])),
        () if index.filter.is_some() => {
            Err(SqlError::new(10618, &[&"alter", &index.name, &table.name()]))
        }
        () => Ok(()),
    }
}

/// Builds a nonclustered index anew.
fn rebuild_one(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    id: IndexId,
) -> SqlResult<()> {
    let find = |table: &Table| {
        let index = table.defined().find(|i| i.id == id).cloned();
        index.ok_or_else(|| SqlError::new(5243, &[]))
    };
    let old = find(table)?;
    renew(cx, database, table, &old)?;
    let new = refresh(cx, database, table, &[])?;
    let fresh = find(&new)?;
    let tx = cx.transaction(database)?;
    let twice = |i: &Index, v: &[Value]| crate::exec::bulk::build::duplicate_key(&new, i, v);
    crate::exec::bulk::build::nonclustered(tx, &new, &fresh, &twice)?;
    if old.disabled {
        return Ok(());
    }
    database.storage.drop_hobt(tx, old.hobt_id).map_err(sql)
}

/// `ALTER TABLE … REBUILD`: the heap or clustered index, with these options, and all other indexes. The table is locked.
pub(crate) fn rebuild_table(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    options: &[ast::NamedOption],
) -> SqlResult<()> {
    check_partition(options, "rebuild", table.name())?;
    let kept = rebuild_options(options)?;
    tell(cx, options)?;
    if table.is_heap() {
        return rebuild_all(cx, database, table);
    }
    rebuild_indexes(cx, database, table, &[table.base().clone()], kept)
}

/// Builds the heap or clustered index and all other indexes of a table anew.
fn rebuild_all(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
) -> SqlResult<()> {
    renew(cx, database, table, table.base())?;
    rebuild(cx, database, table, &[], None).map(drop)
}
