//! SYSTEM_VERSIONING: the table beside a table that keeps its earlier rows.
//!
//! Both are locked for a change of either. A change of the columns of the one is a change of those of the other; nothing else of the
//! history may be changed that a row from the current table could break.

mod altered;
mod history;

pub(super) use altered::{
    add_period, drop_period, follow, may_alter, may_be_unique, may_drop_index, may_have_trigger,
};

use super::{index, resolve};
use crate::catalog::{Object, Retention, RetentionUnit, Table, Temporal, rows};
use crate::database::Database;
use crate::exec::function_facts::bound_to;
use crate::exec::modify::full_name;
use crate::names::name_parts;
use crate::session::context::StatementContext;
use history::{adopt, free_target, make, triggers_of};
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast::{self, NamedOption, OptionValue};

/// The value of `SYSTEM_VERSIONING`.
pub(super) enum Asked {
    /// The word OFF: no history.
    Off,
    /// The word ON, with what stands in parentheses behind it.
    On(WantedHistory),
}

/// The options behind `SYSTEM_VERSIONING = ON`.
#[derive(Default)]
pub(super) struct WantedHistory {
    /// Options stand in parentheses.
    said: bool,
    /// The name behind `HISTORY_TABLE`.
    history: Option<ast::ObjectName>,
    /// Whether `DATA_CONSISTENCY_CHECK` is OFF.
    unchecked: bool,
    /// `HISTORY_RETENTION_PERIOD`; none is INFINITE.
    retention: Option<Retention>,
}

/// The value of `SYSTEM_VERSIONING` among the options of a table: 13512 where it stands twice.
pub(super) fn asked(options: &[NamedOption]) -> SqlResult<Option<Asked>> {
    let mut all = options.iter().filter(|o| o.name.is("SYSTEM_VERSIONING"));
    let Some(first) = all.next() else { return Ok(None) };
    if all.next().is_some() {
        return Err(SqlError::new(13512, &[]));
    }
    match &first.value {
        Some(OptionValue::Off) => Ok(Some(Asked::Off)),
        Some(OptionValue::On) => Ok(Some(Asked::On(WantedHistory::default()))),
        Some(OptionValue::List(list)) => Ok(Some(Asked::On(wanted(list)?))),
        _ => Err(SqlError::new(102, &[&first.name.value])),
    }
}

fn wanted(list: &[NamedOption]) -> SqlResult<WantedHistory> {
    let mut wanted = WantedHistory { said: true, ..WantedHistory::default() };
    for (n, option) in list.iter().enumerate() {
        let wrong = || SqlError::new(102, &[&option.name.value]);
        if list[..n].iter().any(|before| before.name.is(&option.name.value)) {
            return Err(wrong());
        }
        match (&*option.name.value.to_ascii_uppercase(), &option.value) {
            ("HISTORY_TABLE", Some(OptionValue::Word(word))) => {
                wanted.history = Some(two_parts(word)?);
            }
            ("DATA_CONSISTENCY_CHECK", Some(OptionValue::On)) => wanted.unchecked = false,
            ("DATA_CONSISTENCY_CHECK", Some(OptionValue::Off)) => wanted.unchecked = true,
            ("HISTORY_RETENTION_PERIOD", Some(value)) => {
                wanted.retention = retention(value).ok_or_else(wrong)??;
            }
            _ => return Err(wrong()),
        }
    }
    Ok(wanted)
}

/// The name of a table of history: 13539 for one that has not two parts.
fn two_parts(word: &ast::Ident) -> SqlResult<ast::ObjectName> {
    let parts = name_parts(&word.value);
    let [name, schema] = &parts[..] else {
        return Err(SqlError::new(13539, &[&word.value]));
    };
    let ident = |value: &str| ast::Ident { value: value.into(), ..word.clone() };
    let mut found = ast::ObjectName::bare(ident(name));
    found.schema = Some(ident(schema));
    Ok(found)
}

/// The name of a table of history in the database of the current one.
fn within(database: &Database, name: &ast::ObjectName) -> ast::ObjectName {
    let own = ast::Ident { value: database.name.as_str().into(), ..name.name.clone() };
    ast::ObjectName { database: Some(own), ..name.clone() }
}

/// The value of `HISTORY_RETENTION_PERIOD`: 13743, 13744; nothing where it is none.
fn retention(value: &OptionValue) -> Option<SqlResult<Option<Retention>>> {
    match value {
        OptionValue::Word(word) if word.is("INFINITE") => Some(Ok(None)),
        OptionValue::Quantity(number, unit) => Some(finite(*number, &unit.value).map(Some)),
        _ => None,
    }
}

fn finite(number: u64, unit: &str) -> SqlResult<Retention> {
    let unit = RetentionUnit::of(unit).ok_or_else(|| SqlError::new(13744, &[&unit]))?;
    match i32::try_from(number) {
        Ok(number) if number > 0 => Ok(Retention { number, unit }),
        _ => Err(SqlError::new(13743, &[&number])),
    }
}

/// SET (SYSTEM_VERSIONING = …) for a table that is locked.
pub(super) fn set(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    asked: Asked,
) -> SqlResult<()> {
    let wanted = match asked {
        Asked::Off => return switch_off(cx, database, table),
        Asked::On(wanted) => wanted,
    };
    match table.head.history() {
        None => switch_on(cx, database, table, wanted),
        Some(history) => change(cx, database, table, history, &wanted),
    }
}

/// SYSTEM_VERSIONING = OFF: two tables that know nothing of each other. 13591 where it is off, 3729 where a schema-bound module asks for
/// versions.
fn switch_off(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
) -> SqlResult<()> {
    let history = lock_history(cx, database, table)?;
    let shown = full_name(database, table);
    let history = history.ok_or_else(|| SqlError::new(13591, &[&shown]))?;
    // FOR SYSTEM_TIME in a module that is bound to the table reads both.
    let bound = |id| bound_to(cx.session, database, id, None);
    if let (Some(module), Some(_)) = (bound(history.id())?, bound(table.id())?) {
        return Err(SqlError::new(3729, &[&"ALTER TABLE", &shown, &module]));
    }
    link(cx, database, table, Temporal::Plain)?;
    link(cx, database, &history, Temporal::Plain)
}

/// ON once more: another retention. 13595 and 13757 for another table, 13596 where nothing is said.
fn change(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    history: ObjectId,
    wanted: &WantedHistory,
) -> SqlResult<()> {
    let shown = full_name(database, table);
    if !wanted.said {
        return Err(SqlError::new(13596, &[&shown]));
    }
    if let Some(name) = &wanted.history {
        match resolve::find(cx, &within(database, name))? {
            Some((_, found)) if found.head().id == history => {}
            Some(_) => return Err(SqlError::new(13595, &[name, &shown])),
            None => return Err(SqlError::new(13757, &[&shown])),
        }
    }
    let old = lock_history(cx, database, table)?;
    let old = old.ok_or_else(|| SqlError::new(5243, &[]))?;
    let retention = wanted.retention;
    may_be_cleaned(database, table, &old, retention)?;
    link(cx, database, table, Temporal::Versioned { history, retention })
}

/// 13765: rows that are too old are found by a clustered index that begins with the end of the period.
fn may_be_cleaned(
    database: &Database,
    table: &Table,
    history: &Table,
    retention: Option<Retention>,
) -> SqlResult<()> {
    let end = table.period.map(|p| p.1);
    let first = history.base().key.columns().first().map(|k| k.column);
    match retention.is_none() || !history.is_heap() && first == end {
        true => Ok(()),
        false => {
            let (table, history) = (full_name(database, table), full_name(database, history));
            Err(SqlError::new(13765, &[&table, &history]))
        }
    }
}

/// SYSTEM_VERSIONING = ON for a table that keeps no history yet.
pub(super) fn switch_on(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Arc<Table>,
    wanted: WantedHistory,
) -> SqlResult<()> {
    let shown = full_name(database, table);
    if table.period.is_none() {
        return Err(SqlError::new(13510, &[]));
    }
    if database.is_temporary() {
        let shown = format!("{}.{}.{}", database.name, table.head.schema, table.shown());
        return Err(SqlError::new(13568, &[&shown]));
    }
    if !table.indexes.iter().any(|i| i.primary_key) {
        return Err(SqlError::new(13553, &[&shown]));
    }
    if triggers_of(cx, database, table).iter().any(|instead_of| *instead_of) {
        return Err(SqlError::new(13774, &[&shown]));
    }
    let history = match &wanted.history {
        None => {
            let target = free_target(cx, database, table)?;
            make(cx, &target, table)?
        }
        Some(name) => {
            let name = &within(database, name);
            let target = resolve::target(cx, name)?;
            match resolve::lock_name(cx, &target)? {
                None => make(cx, &target, table)?,
                Some(Object::Table(found)) => adopt(cx, database, table, &found, wanted.unchecked)?,
                Some(_) => return Err(SqlError::new(13511, &[name])),
            }
        }
    };
    may_be_cleaned(database, table, &history, wanted.retention)?;
    let (id, retention) = (history.id(), wanted.retention);
    link(cx, database, table, Temporal::Versioned { history: id, retention })?;
    link(cx, database, &history, Temporal::HistoryOf(table.id()))
}

/// Writes what a table is to another one.
fn link(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
    temporal: Temporal,
) -> SqlResult<()> {
    let now = database.catalog.table(table.id(), cx.session.id);
    let mut head = now.ok_or_else(|| SqlError::new(5243, &[]))?.head.clone();
    head.temporal = temporal;
    head.modified = database.catalog.now();
    rows::write_object(cx.transaction(database)?, &head, 0)?;
    index::refresh(cx, database, table, &[]).map(drop)
}

/// The history of a table, locked for a change; nothing of a table that keeps none.
pub(crate) fn lock_history(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    table: &Table,
) -> SqlResult<Option<Arc<Table>>> {
    let Some(history) = table.head.history() else { return Ok(None) };
    resolve::lock(cx, database, history)?;
    let found = database.catalog.table(history, cx.session.id);
    found.map(Some).ok_or_else(|| SqlError::new(5243, &[]))
}
