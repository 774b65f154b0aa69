//! CHECK constraints: what they may say, whose names are in them, and ADD … CHECK, CHECK and NOCHECK CONSTRAINT of tables
//! that have rows.
//!
//! | statement | rows are looked at | is_disabled | is_not_trusted |
//! | --- | --- | --- | --- |
//! | ADD, WITH CHECK ADD | yes | 0 | 0 |
//! | WITH NOCHECK ADD | no | 0 | 1 |
//! | NOCHECK CONSTRAINT | no | 1 | 1 |
//! | CHECK CONSTRAINT, WITH NOCHECK CHECK CONSTRAINT | no | 0 | as it was |
//! | WITH CHECK CHECK CONSTRAINT | yes | 0 | 0 |
//!
//! | a bulk load without CHECK_CONSTRAINTS ([`crate::exec::bulk`]) | no | as it was | 1 where it is enabled |
//!
//! The caller holds Sch-M on the table, so no row changes meanwhile.

use super::{index, sql};
use crate::binder::{bind_check, bind_text};
use crate::catalog::{Check, Table, fold, rows};
use crate::database::Database;
use crate::exec::metadata::SessionMetadata;
use crate::exec::modify::decode_row;
use crate::exec::runtime::Rt;
use crate::names::mentions;
use crate::plan::expr::{Part, Pred, slots_of};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::{Direction, KeyRange, ScanLocks, Transaction, btree, heap};
use taffrail_syntax::ast;

/// Looks at every row: 547 for the first that one of these checks refuses.
pub(super) fn validate(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    which: &[ObjectId],
) -> SqlResult<()> {
    let metadata = SessionMetadata::new(cx.session, database, &[]);
    let mut bound = Vec::new();
    for check in table.checks.iter().filter(|c| which.contains(&c.id)) {
        bound.push((check.clone(), bind_check(&metadata, database, table, &check.definition)?));
    }
    drop(metadata);
    if bound.is_empty() {
        return Ok(());
    }
    let hobt = table.base().hobt()?.clone();
    cx.transaction(database)?;
    let mut vars = Vec::new();
    let inner = StatementContext { session: &mut *cx.session, sink: &mut *cx.sink, line: cx.line };
    let mut rt = Rt::new(inner, &mut vars, Vec::new(), table.columns.len(), &[]);
    let mut row = Vec::new();
    let mut rows = match table.is_heap() {
        true => Rows::Heap(heap::scan(&hobt, ScanLocks::None)),
        false => {
            let forward = Direction::Forward;
            Rows::Tree(btree::seek(&hobt, KeyRange::default(), forward, ScanLocks::None))
        }
    };
    while rows.next(rt.cx.session.part(database.id), &mut row)? {
        hold(&mut rt, database, table, &bound, &row)?;
    }
    Ok(())
}

/// A table's rows, of a heap or of a tree.
enum Rows {
    Heap(heap::HeapCursor),
    Tree(btree::BTreeCursor),
}

impl Rows {
    /// The next row's bytes.
    fn next(&mut self, tx: &mut Transaction, row: &mut Vec<u8>) -> SqlResult<bool> {
        let bytes = match self {
            Rows::Heap(cursor) => cursor.next(tx).map_err(sql)?.map(|(_, bytes)| bytes),
            Rows::Tree(cursor) => cursor.next(tx).map_err(sql)?.map(|(_, bytes)| bytes),
        };
        row.clear();
        row.extend_from_slice(bytes.unwrap_or_default());
        Ok(bytes.is_some())
    }
}

/// One row: 547 if a check refuses it.
fn hold(
    rt: &mut Rt<'_>,
    database: &Arc<Database>,
    table: &Table,
    bound: &[(Check, Pred)],
    row: &[u8],
) -> SqlResult<()> {
    rt.tick()?;
    let mut values = std::mem::take(&mut rt.frame);
    let decoded = decode_row(rt.cx.session, database, table, row, &mut values);
    rt.frame = values;
    decoded?;
    for (check, condition) in bound {
        if rt.test(condition)? == Some(false) {
            let at = check.of_column(table);
            let (verb, kind, place) = ("ALTER TABLE", "CHECK", table.head.qualified());
            let parts: [&dyn std::fmt::Display; 6] =
                [&verb, &kind, &check.name, &database.name, &place, &at];
            return Err(SqlError::new(547, &parts).with_state(0));
        }
    }
    Ok(())
}

/// `[WITH CHECK | NOCHECK] { CHECK | NOCHECK } CONSTRAINT { ALL | names }`.
pub(super) fn switch(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    with_check: Option<bool>,
    enable: bool,
    names: &[ast::Ident],
) -> SqlResult<()> {
    let mut chosen: Vec<&Check> = Vec::new();
    for name in names {
        let key = fold(&name.value);
        if let Some(check) = table.checks.iter().find(|c| fold(&c.name) == key) {
            chosen.push(check);
            continue;
        }
        let all = database.catalog.constraints_of(table.head.id, cx.session.id);
        let other = all.iter().any(|c| fold(&c.head.name) == key);
        let why = match other {
            true => SqlError::new(11415, &[&name.value]),
            false => SqlError::new(4917, &[&name.value]),
        };
        cx.message(why)?;
        return Err(SqlError::new(4916, &[]).with_state(0));
    }
    if names.is_empty() {
        chosen.extend(&table.checks);
    }
    let ids: Vec<ObjectId> = chosen.iter().map(|c| c.id).collect();
    let validated = enable && with_check == Some(true);
    if validated {
        validate(cx, database, table, &ids)?;
    }
    for check in chosen {
        let not_trusted = !enable || check.not_trusted && !validated;
        rows::write_check_state(cx.transaction(database)?, check.id, !enable, not_trusted)?;
    }
    index::refresh(cx, database, table, &ids)?;
    index::modified(cx, database, table.head.id)
}

/// A check that a statement has just written: its constraint, and the position of the column that it was written with.
pub(super) type NewCheck = (ObjectId, Option<usize>);

/// Binds the new checks of a table with rows or without, so that a condition which means nothing is told by whoever says
/// it, not by every row that comes; 8141 for a column's check that is about another column. `shown` is the table's name in
/// messages.
pub(super) fn bind(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    (table, shown): (&Arc<Table>, &str),
    new: &[NewCheck],
) -> SqlResult<()> {
    match bind_each(cx, database, (table, shown), new) {
        // What a parser could have told stands alone.
        Err(e) if e.severity == 16 || e.number == 4108 => {
            Err(super::create::could_not_create(cx, e)?)
        }
        other => other,
    }
}

fn bind_each(
    cx: &StatementContext<'_>,
    database: &Arc<Database>,
    (table, shown): (&Arc<Table>, &str),
    new: &[NewCheck],
) -> SqlResult<()> {
    let metadata = SessionMetadata::new(cx.session, database, &[]);
    for (id, column) in new {
        let check = table.checks.iter().find(|c| c.id == *id);
        let check = check.ok_or_else(|| SqlError::new(5243, &[]))?;
        let bound = bind_check(&metadata, database, table, &check.definition)?;
        let Some(column) = *column else { continue };
        let mut others = false;
        slots_of(Part::Pred(&bound), &mut |slot| others |= slot as usize != column);
        if others {
            let name = &table.columns[column].name;
            return Err(SqlError::new(8141, &[&"CHECK", name, &shown]).with_state(0));
        }
    }
    Ok(())
}

/// Binds defaults, before anything is written: these have no table.
pub(super) fn bind_defaults(
    cx: &StatementContext<'_>,
    defaults: &[super::draft::DefaultDraft],
) -> SqlResult<()> {
    let database = cx.database();
    let metadata = SessionMetadata::new(cx.session, &database, &[]);
    for default in defaults {
        bind_text(&metadata, &database, &default.definition)?;
    }
    Ok(())
}

/// The column of a check that names exactly one of its table's, wherever it was written: a column's check then.
pub(super) fn only_column(definition: &str, columns: &[crate::catalog::Column]) -> Option<usize> {
    let mut named = columns.iter().enumerate().filter(|(_, c)| mentions(definition, &c.name));
    match (named.next(), named.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}
