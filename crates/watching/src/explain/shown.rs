//! Changes as people read them.

use super::row::{self, Field};
use super::scan::{Change, Kind};
use super::source::Source;
use crate::catalog::{Catalog, Column, Sight, Table};
use crate::functions::spelling::split_name;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_io::{UtcTime, zone};
use taffrail_types::Value;

/// A local time of a moment of the log.
pub(crate) fn local(time: u64) -> Value {
    const DAY: u64 = 86_400 * UtcTime::PER_SECOND;
    let local = zone::to_local(UtcTime(time));
    Value::DateTime2 { days: (local / DAY) as u32, ticks: local % DAY }
}

/// A table by its name, with or without its schema.
pub(crate) fn table_of(catalog: &Catalog, name: &str, sight: Sight) -> Option<Arc<Table>> {
    match split_name(name)?.as_slice() {
        [table] => catalog.find_table(None, table, sight),
        [schema, table] => catalog.find_table(Some(schema), table, sight),
        _ => None,
    }
}

/// The rows of a change as text.
#[derive(Default)]
pub(crate) struct Shown {
    pub key: Option<String>,
    pub before: Option<String>,
    pub after: Option<String>,
    pub changed: Option<String>,
}

/// The column is part of what names a row: of the primary key, or else of the clustered index where that is unique.
fn in_key(table: &Table, column: &Column) -> bool {
    let primary = table.indexes.iter().find(|i| i.primary_key);
    let index = primary.or_else(|| table.indexes.first().filter(|i| i.unique));
    index.is_some_and(|i| i.key.columns().iter().any(|k| table.columns[k.column].id == column.id))
}

impl Shown {
    /// Reads them; what cannot be read goes into the change's note.
    pub fn of(source: &Source, change: &mut Change) -> SqlResult<Shown> {
        let owner = change.owner.clone();
        let Some(table) = &owner.table else { return Ok(Shown::default()) };
        let fields = |row: &Option<Vec<u8>>| -> SqlResult<Option<Vec<Field<'_>>>> {
            let row = row.as_deref();
            row.map(|r| row::fields(source, &owner, table, r)).transpose()
        };
        let (before, after) = (fields(&change.before)?, fields(&change.after)?);
        let mut lost = Vec::new();
        let mut json = |f: &Option<Vec<Field<'_>>>| {
            f.as_ref().map(|f| {
                let (text, missing) = row::json(f, |_| true);
                missing.into_iter().for_each(|m| {
                    if !lost.contains(&m) {
                        lost.push(m);
                    }
                });
                text
            })
        };
        let mut shown = Shown { before: json(&before), after: json(&after), ..Shown::default() };
        let named = before.as_ref().or(after.as_ref());
        shown.key = named.map(|f| row::json(f, |c| in_key(table, c)).0).filter(|k| k != "{}");
        if let (Kind::Update, Some(a), Some(b)) = (change.kind, &before, &after) {
            // A row of before the column came reads as it was then told to.
            let late = row::since(table, a);
            let differs = |x: &&Field<'_>| {
                let mut all = a.iter().chain(&late);
                all.find(|y| y.column.id == x.column.id).is_none_or(|y| !row::unchanged(y, x))
            };
            let names: Vec<&str> = b.iter().filter(differs).map(|f| &*f.column.name).collect();
            shown.changed = Some(names.join(", "));
        }
        if !lost.is_empty() {
            let told = format!("not in the log: the large values of {}", lost.join(", "));
            change.note = Some(match change.note.take() {
                Some(note) => format!("{note}; {told}"),
                None => told,
            });
        }
        Ok(shown)
    }
}
