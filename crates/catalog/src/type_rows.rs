//! Types to and from the rows of the catalogue's tables.
//!
//! `sysobjects` has the `user_type_id` as the detail; `syscolumns` has, as column 1, the base of an alias with its nullability, or of a
//! table type the table's id in place of a default's; `sysmodules` has the text of a table type.

use super::object::{Column, Default, ObjectHead};
use super::rows::{view_column, write_column, write_module};
use super::systab::{self, SystemTables, number, text};
use super::user_type::{Meaning, UserType};
use super::{Catalog, ensure_schema_version};
use crate::rowcodec::damaged;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlResult};
use taffrail_storage::Transaction;
use taffrail_types::convert::Declared;
use taffrail_types::{Collation, SqlType};

/// The version of the catalogue's tables that knows types of users.
pub(super) const TYPES: i64 = 7;

/// Writes a type.
pub fn write_type(tx: &mut Transaction, t: &UserType) -> SqlResult<()> {
    ensure_schema_version(tx, TYPES)?;
    super::rows::write_object(tx, &t.head, t.id)?;
    let plain = |ty, nullable| view_column(1, "".into(), ty, nullable, Collation::default());
    let column = match &t.meaning {
        Meaning::Alias { base, nullable } => {
            let mut column = plain(base.ty, *nullable);
            column.set_large(base.large());
            column
        }
        Meaning::Table { table, body, quoted_identifier } => {
            write_module(tx, t.head.id, body, *quoted_identifier, true)?;
            let table = Default { id: *table, name: "".into(), definition: "".into() };
            Column { default: Some(table), ..plain(SqlType::Int, false) }
        }
    };
    write_column(tx, t.head.id, &column, None)
}

impl Catalog {
    /// A type from its rows.
    pub(super) fn read_type(
        &self,
        tx: &mut Transaction,
        head: ObjectHead,
        id: i32,
    ) -> SqlResult<Arc<UserType>> {
        let key = head.id.0 as i64;
        let row = systab::get(tx, &SystemTables::COLUMNS, &[key, 1])?;
        let row = row.ok_or_else(|| damaged("a type"))?;
        let meaning = match systab::get(tx, &SystemTables::MODULES, &[key])? {
            Some(module) => Meaning::Table {
                table: ObjectId(number(&row, 6)? as i32),
                body: text(&module, 1)?.into(),
                quoted_identifier: super::module_rows::is_quoted(number(&module, 0)?),
            },
            None => {
                let column = super::module_rows::read_shown_column(1, &row)?;
                let base = Declared::new(column.ty, column.large());
                Meaning::Alias { base, nullable: column.nullable }
            }
        };
        Ok(Arc::new(UserType { head, id, meaning }))
    }
}
