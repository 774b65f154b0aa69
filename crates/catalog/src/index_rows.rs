//! Indexes to and from the rows of the catalogue's tables.

use super::Catalog;
use super::filter::IndexFilter;
use super::object::{Column, FIRST_OF_VIEWS, Index, IndexKind, Statistics};
use super::properties;
use super::systab::{self, SystemTables, bytes, number, text};
use crate::rowcodec::{KeyColumn, KeyLayout, RowLayout, damaged};
use std::sync::OnceLock;
use taffrail_base::{HobtId, IndexId, ObjectId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::Value;

const INDEX_UNIQUE: i64 = 1;
const INDEX_PRIMARY_KEY: i64 = 2;
const INDEX_UNIQUE_CONSTRAINT: i64 = 4;
const INDEX_IGNORE_DUP_KEY: i64 = 8;
const INDEX_PADDED: i64 = 16;
const INDEX_NO_PAGE_LOCKS: i64 = 32;
const INDEX_DISABLED: i64 = 64;
const INDEX_NO_ROW_LOCKS: i64 = 128;

/// The version of the catalogue's tables that knows indexes that are disabled, ignore keys that are there, or lock no rows.
const SWITCHED_INDEXES: i64 = 12;

const INDEX_COLUMN_DESCENDING: i64 = 1;
const INDEX_COLUMN_INCLUDED: i64 = 2;

fn int(v: i64) -> Value {
    Value::Int(v as i32)
}

/// An index as the catalogue keeps it.
#[derive(Clone, Debug)]
pub struct IndexRow {
    /// The index's number, `index_id`.
    pub id: IndexId,
    /// Empty for a heap.
    pub name: String,
    /// The kind of index.
    pub kind: IndexKind,
    /// Its heap or tree.
    pub hobt: HobtId,
    /// Whether the index is UNIQUE.
    pub unique: bool,
    /// Made by PRIMARY KEY.
    pub primary_key: bool,
    /// Whether a UNIQUE constraint made the index.
    pub unique_constraint: bool,
    /// Whether IGNORE_DUP_KEY is on.
    pub ignore_dup_key: bool,
    /// Its constraint, else 0.
    pub constraint: ObjectId,
    /// The FILLFACTOR in percent; 0 is 100.
    pub fill_factor: u8,
    /// Whether PAD_INDEX is on.
    pub padded: bool,
    /// Whether ALLOW_PAGE_LOCKS is off.
    pub no_page_locks: bool,
    /// Whether ALLOW_ROW_LOCKS is off.
    pub no_row_locks: bool,
    /// Whether ALTER INDEX has disabled it.
    pub disabled: bool,
    /// Key columns (`column_id`, descending).
    pub key: Vec<(i32, bool)>,
    /// The included columns, by `column_id`.
    pub included: Vec<i32>,
    /// WHERE: text and terms ([`super::filter`]).
    pub filter: Option<(String, Vec<u8>)>,
}

/// Writes an index's rows.
pub fn write_index(tx: &mut Transaction, table: ObjectId, index: &IndexRow) -> SqlResult<()> {
    let mut flags = 0;
    for (flag, on) in [
        (INDEX_UNIQUE, index.unique),
        (INDEX_PRIMARY_KEY, index.primary_key),
        (INDEX_UNIQUE_CONSTRAINT, index.unique_constraint),
        (INDEX_IGNORE_DUP_KEY, index.ignore_dup_key),
        (INDEX_PADDED, index.padded),
        (INDEX_NO_PAGE_LOCKS, index.no_page_locks),
        (INDEX_DISABLED, index.disabled),
        (INDEX_NO_ROW_LOCKS, index.no_row_locks),
    ] {
        flags |= if on { flag } else { 0 };
    }
    let kind = match index.kind {
        IndexKind::Heap => 0,
        IndexKind::Clustered => 1,
        IndexKind::Nonclustered => 2,
    };
    let row = [
        Value::nvarchar(&index.name),
        int(kind),
        Value::BigInt(index.hobt.0 as i64),
        int(flags),
        int(index.fill_factor as i64),
        Value::Int(index.constraint.0),
        index.filter.as_ref().map_or(Value::Null, |f| Value::nvarchar(&f.0)),
        index.filter.as_ref().map_or(Value::Null, |f| Value::binary(&f.1)),
    ];
    if index.filter.is_some() {
        // A program that does not know filters would put every row into the index.
        super::ensure_schema_version(tx, 2)?;
    }
    if index.disabled || index.ignore_dup_key || index.no_row_locks {
        // It would take a tree for granted, refuse rows, or lock them one by one.
        super::ensure_schema_version(tx, SWITCHED_INDEXES)?;
    }
    let (object, id) = (table.0 as i64, index.id.0 as i64);
    systab::put(tx, &SystemTables::INDEXES, &[object, id], &row)?;
    systab::remove_all(tx, &SystemTables::INDEX_COLUMNS, &[object, id])?;
    let keys = index.key.iter().enumerate().map(|(i, (column, descending))| {
        (*column, i as i64 + 1, if *descending { INDEX_COLUMN_DESCENDING } else { 0 })
    });
    let included = index.included.iter().map(|column| (*column, 0, INDEX_COLUMN_INCLUDED));
    for (position, (column, ordinal, flags)) in keys.chain(included).enumerate() {
        let row = [Value::Int(column), int(ordinal), int(flags)];
        let key = [object, id, position as i64 + 1];
        systab::put(tx, &SystemTables::INDEX_COLUMNS, &key, &row)?;
    }
    Ok(())
}

/// The kind of a row that stands for statistics.
const STATISTICS: i64 = 3;
const STATISTICS_NO_RECOMPUTE: i64 = 1;

/// The kind of a row that is the name of a columnstore index.
const COLUMNSTORE: i64 = 4;

/// Writes the name of a columnstore index, whose rows stay a heap.
pub fn write_columnstore(
    tx: &mut Transaction,
    table: ObjectId,
    (id, name): (IndexId, &str),
) -> SqlResult<()> {
    // A program that does not know it would take the table for damaged.
    super::ensure_schema_version(tx, SWITCHED_INDEXES)?;
    let row = [
        Value::nvarchar(name),
        int(COLUMNSTORE),
        Value::BigInt(0),
        int(0),
        int(0),
        int(0),
        Value::Null,
        Value::Null,
    ];
    systab::put(tx, &SystemTables::INDEXES, &[table.0 as i64, id.0 as i64], &row)
}

/// The kind of a row that tells of an indexed view which reads the table.
const INDEXED_VIEW: i64 = 5;

/// Notes at a table that an indexed view reads it.
pub fn write_indexed_view(tx: &mut Transaction, table: ObjectId, view: ObjectId) -> SqlResult<()> {
    // A program that does not know it would change rows and not the view.
    super::ensure_schema_version(tx, SWITCHED_INDEXES)?;
    let row = [
        Value::nvarchar(""),
        int(INDEXED_VIEW),
        Value::BigInt(i64::from(view.0)),
        int(0),
        int(0),
        int(0),
        Value::Null,
        Value::Null,
    ];
    let number = free_number(tx, table)?;
    systab::put(tx, &SystemTables::INDEXES, &[table.0 as i64, number], &row)
}

/// A number that no row of the table's indexes has, from the first of views on.
fn free_number(tx: &mut Transaction, table: ObjectId) -> SqlResult<i64> {
    let mut next = i64::from(FIRST_OF_VIEWS);
    for (key, _) in systab::scan(tx, &SystemTables::INDEXES, &[table.0 as i64])? {
        next = next.max(key.get(1).map_or(0, |id| id + 1));
    }
    Ok(next)
}

/// Takes the note away that an indexed view reads a table.
pub fn remove_indexed_view(tx: &mut Transaction, table: ObjectId, view: ObjectId) -> SqlResult<()> {
    for (key, row) in systab::scan(tx, &SystemTables::INDEXES, &[table.0 as i64])? {
        if read_indexed_view(&row)? == Some(view) {
            systab::remove(tx, &SystemTables::INDEXES, &key)?;
        }
    }
    Ok(())
}

/// The indexed view that a row of the indexes tells of; none: it is something else.
pub(super) fn read_indexed_view(row: &[Value]) -> SqlResult<Option<ObjectId>> {
    match number(row, 1)? {
        INDEXED_VIEW => Ok(Some(ObjectId(number(row, 2)? as i32))),
        _ => Ok(None),
    }
}

/// The name of the columnstore index that a row of the indexes stands for; none: it is something else.
pub(super) fn read_columnstore(
    id: i64,
    row: &[Value],
) -> SqlResult<Option<(IndexId, std::sync::Arc<str>)>> {
    match number(row, 1)? {
        COLUMNSTORE => Ok(Some((IndexId(id as i32), text(row, 0)?.into()))),
        _ => Ok(None),
    }
}

/// Writes the rows of statistics on columns (`column_id`).
pub fn write_statistics(
    tx: &mut Transaction,
    table: ObjectId,
    (id, name): (IndexId, &str),
    columns: &[i32],
    no_recompute: bool,
    filter: Option<(&str, &[u8])>,
) -> SqlResult<()> {
    // A program that does not know them would take the table for damaged.
    super::ensure_schema_version(tx, 3)?;
    let row = [
        Value::nvarchar(name),
        int(STATISTICS),
        Value::BigInt(0),
        int(if no_recompute { STATISTICS_NO_RECOMPUTE } else { 0 }),
        int(0),
        int(0),
        filter.map_or(Value::Null, |f| Value::nvarchar(f.0)),
        filter.map_or(Value::Null, |f| Value::binary(f.1)),
    ];
    let (object, id) = (table.0 as i64, id.0 as i64);
    systab::put(tx, &SystemTables::INDEXES, &[object, id], &row)?;
    for (at, column) in (1..).zip(columns) {
        let row = [Value::Int(*column), int(at), int(0)];
        systab::put(tx, &SystemTables::INDEX_COLUMNS, &[object, id, at], &row)?;
    }
    Ok(())
}

/// The statistics that a row of the indexes stands for; none: it is an index.
pub(super) fn read_statistics(
    tx: &mut Transaction,
    (table, id): (i64, i64),
    row: &[Value],
    columns: &[Column],
) -> SqlResult<Option<Statistics>> {
    if number(row, 1)? != STATISTICS {
        return Ok(None);
    }
    let mut positions = Vec::new();
    for (_, row) in systab::scan(tx, &SystemTables::INDEX_COLUMNS, &[table, id])? {
        let column = number(&row, 0)?;
        let at = columns.iter().position(|c| i64::from(c.id) == column);
        positions.push(at.ok_or_else(|| damaged("a column of statistics"))?);
    }
    Ok(Some(Statistics {
        id: IndexId(id as i32),
        name: text(row, 0)?.into(),
        columns: positions.into(),
        no_recompute: number(row, 3)? & STATISTICS_NO_RECOMPUTE != 0,
        filter: read_filter(row, columns)?,
    }))
}

/// The filter of a row of the indexes.
fn read_filter(row: &[Value], columns: &[Column]) -> SqlResult<Option<IndexFilter>> {
    Ok(match text(row, 6)? {
        none if none.is_empty() => None,
        definition => Some(IndexFilter::from_bytes(&definition, bytes(row, 7)?, columns)?),
    })
}

/// Removes an index's rows.
pub fn remove_index(tx: &mut Transaction, table: ObjectId, index: IndexId) -> SqlResult<()> {
    let key = [table.0 as i64, index.0 as i64];
    properties::remove_all(tx, 7, table.0, Some(index.0))?;
    systab::remove(tx, &SystemTables::INDEXES, &key)?;
    systab::remove_all(tx, &SystemTables::INDEX_COLUMNS, &key)
}

impl Catalog {
    pub(super) fn read_index(
        &self,
        tx: &mut Transaction,
        table: i64,
        id: i64,
        row: &[Value],
        columns: &[Column],
    ) -> SqlResult<Index> {
        let kind = match number(row, 1)? {
            0 => IndexKind::Heap,
            1 => IndexKind::Clustered,
            2 => IndexKind::Nonclustered,
            _ => return Err(damaged("an index's kind")),
        };
        let flags = number(row, 3)?;
        let position = |id: i64| {
            let at = columns.iter().position(|c| c.id as i64 == id);
            at.ok_or_else(|| damaged("an index's column"))
        };
        let (mut key, mut included, mut covered) = (Vec::new(), Vec::new(), Vec::new());
        for (_, row) in systab::scan(tx, &SystemTables::INDEX_COLUMNS, &[table, id])? {
            let column = position(number(&row, 0)?)?;
            let flags = number(&row, 2)?;
            covered.push(column);
            if flags & INDEX_COLUMN_INCLUDED != 0 {
                included.push(column);
            } else {
                key.push(KeyColumn {
                    column,
                    descending: flags & INDEX_COLUMN_DESCENDING != 0,
                    collation: columns[column].collation,
                    ty: columns[column].ty,
                });
            }
        }
        let filter = read_filter(row, columns)?;
        for term in filter.iter().flat_map(|f| &f.terms) {
            if !covered.contains(&term.column) {
                covered.push(term.column);
            }
        }
        let covered_layout = RowLayout::of_types(covered.iter().map(|c| columns[*c].ty));
        Ok(Index {
            id: IndexId(id as i32),
            name: text(row, 0)?.into(),
            kind,
            unique: flags & INDEX_UNIQUE != 0,
            primary_key: flags & INDEX_PRIMARY_KEY != 0,
            unique_constraint: flags & INDEX_UNIQUE_CONSTRAINT != 0,
            constraint: ObjectId(number(row, 5)? as i32),
            fill_factor: number(row, 4)? as u8,
            padded: flags & INDEX_PADDED != 0,
            no_page_locks: flags & INDEX_NO_PAGE_LOCKS != 0,
            no_row_locks: flags & INDEX_NO_ROW_LOCKS != 0,
            disabled: flags & INDEX_DISABLED != 0,
            ignore_dup_key: flags & INDEX_IGNORE_DUP_KEY != 0,
            key: KeyLayout::new(key),
            included: included.into(),
            covered: covered.into(),
            covered_layout,
            filter,
            hobt_id: HobtId(number(row, 2)? as u64),
            hobt: OnceLock::new(),
            storage: self.storage.clone(),
        })
    }
}
