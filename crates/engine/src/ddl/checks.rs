//! CHECK constraints of tables that have rows: ADD … CHECK, CHECK and NOCHECK CONSTRAINT.
//!
//! | statement | rows are looked at | is_disabled | is_not_trusted |
//! | --- | --- | --- | --- |
//! | ADD, WITH CHECK ADD | yes | 0 | 0 |
//! | WITH NOCHECK ADD | no | 0 | 1 |
//! | NOCHECK CONSTRAINT | no | 1 | 1 |
//! | CHECK CONSTRAINT, WITH NOCHECK CHECK CONSTRAINT | no | 0 | as it was |
//! | WITH CHECK CHECK CONSTRAINT | yes | 0 | 0 |
//!
//! The caller holds Sch-M on the table, so no row changes meanwhile.

use super::index;
use crate::binder::bind_check;
use crate::catalog::{Check, Table, fold, rows};
use crate::context::StatementContext;
use crate::database::Database;
use crate::exec::change::decode_row;
use crate::exec::metadata::SessionMetadata;
use crate::exec::runtime::Rt;
use crate::plan::expr::Pred;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::{Direction, KeyRange, ScanLocks, StorageError, btree, heap};
use taffrail_syntax::ast;

fn sql(e: StorageError) -> Box<SqlError> {
    e.to_sql(0)
}

/// What 547 says behind the table's name for a check of one column.
pub(crate) fn of_column(table: &Table, check: &Check) -> String {
    let column = table.columns.iter().find(|c| c.id == check.column_id && c.id != 0);
    column.map_or_else(String::new, |c| format!(", column '{}'", c.name))
}

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
        bound.push((check.clone(), bind_check(&metadata, table, &check.definition)?));
    }
    drop(metadata);
    if bound.is_empty() {
        return Ok(());
    }
    let hobt = table.base().hobt()?.clone();
    cx.transaction(database)?;
    let mut vars = Vec::new();
    let inner = StatementContext { session: &mut *cx.session, sink: &mut *cx.sink, line: cx.line };
    let mut rt = Rt::new(inner, &mut vars, Vec::new(), table.columns.len(), 0);
    let mut row = Vec::new();
    if table.is_heap() {
        let mut cursor = heap::scan(&hobt, ScanLocks::None);
        loop {
            match cursor.next(rt.cx.session.part(database.id)).map_err(sql)? {
                None => return Ok(()),
                Some((_, bytes)) => {
                    row.clear();
                    row.extend_from_slice(bytes);
                }
            }
            hold(&mut rt, database, table, &bound, &row)?;
        }
    }
    let forward = Direction::Forward;
    let mut cursor = btree::seek(&hobt, KeyRange::default(), forward, ScanLocks::None);
    loop {
        match cursor.next(rt.cx.session.part(database.id)).map_err(sql)? {
            None => return Ok(()),
            Some((_, bytes)) => {
                row.clear();
                row.extend_from_slice(bytes);
            }
        }
        hold(&mut rt, database, table, &bound, &row)?;
    }
}

/// One row: 547 if a check refuses it.
fn hold<'a>(
    rt: &mut Rt<'a>,
    database: &Arc<Database>,
    table: &Table,
    bound: &'a [(Check, Pred)],
    row: &[u8],
) -> SqlResult<()> {
    rt.tick()?;
    let mut values = std::mem::take(&mut rt.frame);
    let decoded = decode_row(rt.cx.session, database, table, row, &mut values);
    rt.frame = values;
    decoded?;
    for (check, condition) in bound {
        if rt.test(condition)? == Some(false) {
            let at = of_column(table, check);
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

/// The column of a check that names exactly one of its table's, wherever it was written: a column's check then.
pub(super) fn only_column(definition: &str, columns: &[crate::catalog::Column]) -> Option<usize> {
    // Without what is quoted as text; brackets and double quotes only part words.
    let outside: String = definition.split('\'').step_by(2).collect::<Vec<_>>().join(" ");
    let text = fold(&outside);
    let mut named = columns.iter().enumerate().filter(|(_, column)| {
        let name = fold(&column.name);
        let is_part = |c: char| c.is_alphanumeric() || "_@#$".contains(c);
        text.match_indices(&*name).any(|(at, found)| {
            !text[..at].ends_with(is_part) && !text[at + found.len()..].starts_with(is_part)
        })
    });
    match (named.next(), named.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}
