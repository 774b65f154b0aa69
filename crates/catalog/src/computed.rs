//! Computed columns, and the other columns of a row whose values are the server's.
//!
//! The text of a computed column's expression is in `sysmodules`, by the numbers of table and column. A persisted column has its place
//! in the rows, and so has one that is a column of an index. Of others the rows have nothing ([`Place::Nowhere`]): whoever reads them
//! computes them.

use super::object::{Column, Table};
use super::rows::int;
use super::systab::{self, SystemTables, number, text};
use super::temporal::Generated;
use super::{ensure_schema_version, fold};
use crate::rowcodec::{Cell, Place, damaged};
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::{SqlType, Value};

/// The version of the catalogue's tables that knows computed columns.
const COMPUTED_COLUMNS: i64 = 10;

const PERSISTED: i64 = 1;
const NOT_DETERMINISTIC: i64 = 2;
const IMPRECISE: i64 = 4;
const READS_DATA: i64 = 8;

/// The expression of a computed column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Computed {
    /// The expression's text, in parentheses.
    pub definition: Arc<str>,
    /// PERSISTED was said. A value that a key or index asks for is stored all the same.
    pub persisted: bool,
    /// Equal rows have equal values.
    pub deterministic: bool,
    /// The expression has no float or real in it.
    pub precise: bool,
    /// The expression calls a function that may read tables.
    pub reads_data: bool,
}

impl Computed {
    /// Whether the expression reads a column of this name. The text has names in brackets, in any case.
    pub fn reads(&self, name: &str) -> bool {
        let bracketed = format!("[{}]", name.replace(']', "]]"));
        self.definition.contains(&bracketed) || fold(&self.definition).contains(&fold(&bracketed))
    }
}

/// Writes a computed column's expression.
pub(super) fn write_computed(
    tx: &mut Transaction,
    table: ObjectId,
    column: i32,
    computed: &Computed,
) -> SqlResult<()> {
    ensure_schema_version(tx, COMPUTED_COLUMNS)?;
    let mut flags = 0;
    for (flag, on) in [
        (PERSISTED, computed.persisted),
        (NOT_DETERMINISTIC, !computed.deterministic),
        (IMPRECISE, !computed.precise),
        (READS_DATA, computed.reads_data),
    ] {
        flags |= if on { flag } else { 0 };
    }
    let row = [int(flags), Value::nvarchar(&computed.definition)];
    systab::put(tx, &SystemTables::MODULES, &[table.0 as i64, column as i64], &row)
}

/// The expression of a column that is computed.
pub(super) fn read_computed(
    tx: &mut Transaction,
    table: ObjectId,
    column: i32,
) -> SqlResult<Arc<Computed>> {
    let row = systab::get(tx, &SystemTables::MODULES, &[table.0 as i64, column as i64])?;
    let row = row.ok_or_else(|| damaged("a computed column without its text"))?;
    let flags = number(&row, 0)?;
    Ok(Arc::new(Computed {
        definition: text(&row, 1)?.into(),
        persisted: flags & PERSISTED != 0,
        deterministic: flags & NOT_DETERMINISTIC == 0,
        precise: flags & IMPRECISE == 0,
        reads_data: flags & READS_DATA != 0,
    }))
}

impl Column {
    /// The column is computed whenever it is read.
    pub fn is_virtual(&self) -> bool {
        self.place == Place::Nowhere
    }

    /// The column is computed and PERSISTED.
    pub fn is_persisted(&self) -> bool {
        self.computed.as_ref().is_some_and(|c| c.persisted)
    }

    /// No statement gives it a value: a rowversion, a computed column, or one of a period.
    pub fn is_made(&self) -> bool {
        let generated = self.generated != Generated::Never;
        self.ty == SqlType::RowVersion || self.computed.is_some() || generated
    }
}

impl Table {
    /// Position of the column of type rowversion.
    pub fn rowversion(&self) -> Option<usize> {
        self.columns.iter().position(|c| c.ty == SqlType::RowVersion && c.computed.is_none())
    }

    /// Rows of the table have values of the server's making: a rowversion, a period, or what is computed and stored.
    pub fn makes_values(&self) -> bool {
        self.columns.iter().any(|c| c.is_made() && !c.is_virtual())
    }

    /// Refuses a row that has nothing in a column that allows no NULL: it is damaged, or read by places that it does not have.
    /// Values of the server's making may come later.
    pub fn refuse_nulls(&self, row: &[u8]) -> SqlResult<()> {
        let given = self.columns.iter().enumerate().filter(|(_, c)| !c.nullable && !c.is_made());
        for (at, c) in given {
            if let Cell::Value(Value::Null) = self.layout.cell(row, at)? {
                return Err(damaged(&format!("NULL in column {}", c.name)));
            }
        }
        Ok(())
    }

    /// Positions of columns that change, and of those that change along with them: the rowversion, the start of the
    /// period, and what is computed of these columns.
    pub fn changed_along(&self, mut changed: Vec<usize>) -> Vec<usize> {
        changed.extend(self.rowversion());
        changed.extend(self.period.map(|(start, _)| start));
        let reads =
            |computed: &Computed| changed.iter().any(|at| computed.reads(&self.columns[*at].name));
        let computed = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, c)| c.computed.as_deref().is_some_and(reads));
        let along: Vec<usize> = computed.map(|(at, _)| at).collect();
        changed.extend(along);
        changed
    }
}
