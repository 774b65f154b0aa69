//! Masks of columns: the text of a mask function is in `sysmodules`, by the numbers of table and column. A computed column has its
//! expression there and is never masked itself.

use super::ensure_schema_version;
use super::object::Table;
use super::rows::int;
use super::systab::{self, SystemTables, text};
use crate::rowcodec::damaged;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::Value;
use taffrail_types::mask::MaskFunction;

/// The version of the catalogue's tables that knows masks. Programs up to 19 show what masks hide.
const MASKS: i64 = 20;

/// Writes a column's mask.
pub(super) fn write_mask(
    tx: &mut Transaction,
    table: ObjectId,
    column: i32,
    mask: &MaskFunction,
) -> SqlResult<()> {
    ensure_schema_version(tx, MASKS)?;
    let row = [int(0), Value::nvarchar(&mask.to_string())];
    systab::put(tx, &SystemTables::MODULES, &[table.0.into(), column.into()], &row)
}

/// The mask of a column that has one.
pub(super) fn read_mask(
    tx: &mut Transaction,
    table: ObjectId,
    column: i32,
) -> SqlResult<Arc<MaskFunction>> {
    let wrong = || damaged("a column's mask");
    let row = systab::get(tx, &SystemTables::MODULES, &[table.0.into(), column.into()])?;
    let row = row.ok_or_else(wrong)?;
    MaskFunction::parse(&text(&row, 1)?).map(Arc::new).map_err(|_| wrong())
}

/// Removes the text of a column's mask.
pub fn remove_mask(tx: &mut Transaction, table: ObjectId, column: i32) -> SqlResult<()> {
    systab::remove(tx, &SystemTables::MODULES, &[table.0.into(), column.into()])
}

impl Table {
    /// Whether a column of the table is masked.
    pub fn is_masked(&self) -> bool {
        self.columns.iter().any(|c| c.mask.is_some())
    }

    /// The masked columns that a column's values come from: itself, or those that its expression reads, through computed columns too.
    pub fn masked_sources(&self, at: usize) -> Vec<usize> {
        let (mut found, mut looked, mut ahead) = (Vec::new(), Vec::new(), vec![at]);
        while let Some(at) = ahead.pop() {
            let Some(column) = self.columns.get(at).filter(|_| !looked.contains(&at)) else {
                continue;
            };
            looked.push(at);
            if column.mask.is_some() {
                found.push(at);
            }
            if let Some(computed) = &column.computed {
                let all = 0..self.columns.len();
                ahead.extend(all.filter(|c| computed.reads(&self.columns[*c].name)));
            }
        }
        found.sort_unstable();
        found
    }
}
