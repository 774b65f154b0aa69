//! `DBCC CHECKCATALOG`: whether the rows of the catalogue belong together.

use super::database_of;
use crate::catalog::Sight;
use crate::catalog::systab::{self, SystemTable, SystemTables};
use crate::session::context::StatementContext;
use std::collections::HashSet;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;

/// Rows of objects without a schema or table, and rows of columns, indexes and modules without an object: 8992 for each.
pub(super) fn check(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    if dbcc.arguments.len() > 1 {
        return Err(SqlError::new(2560, &[&2]));
    }
    let database = database_of(cx, dbcc.arguments.first())?;
    let tx = cx.transaction(&database)?;
    let objects = systab::scan(tx, &SystemTables::OBJECTS, &[])?;
    let schemas = systab::scan(tx, &SystemTables::SCHEMAS, &[])?;
    let first = |key: &[i64]| key.first().copied().unwrap_or_default();
    let known: HashSet<i64> = objects.iter().map(|(key, _)| first(key)).collect();
    let mut in_schemas: HashSet<i64> = schemas.iter().map(|(key, _)| first(key)).collect();
    in_schemas.extend(crate::catalog::FIXED_SCHEMAS.iter().map(|(id, _)| i64::from(*id)));
    let mut wrong: Vec<(i32, String)> = Vec::new();
    for (key, row) in &objects {
        let (id, schema) = (first(key), systab::number(row, 0)?);
        if !in_schemas.contains(&schema) {
            wrong.push((
                3855,
                lost("schema_id", schema, &format!("object_id={id}"), "objects", "schemas"),
            ));
        }
        let parent = systab::number(row, 3)?;
        // Triggers of a database or of the server have the number of their scope there, which is below 0.
        if parent > 0 && !known.contains(&parent) {
            let row = format!("object_id={id}");
            wrong.push((3854, lost("parent_object_id", parent, &row, "objects", "objects")));
        }
    }
    let parts: [(&SystemTable, &str, &str); 3] = [
        (&SystemTables::COLUMNS, "columns", "column_id"),
        (&SystemTables::INDEXES, "indexes", "index_id"),
        (&SystemTables::MODULES, "sql_modules", ""),
    ];
    for (table, name, part) in parts {
        for (key, _) in systab::scan(cx.transaction(&database)?, table, &[])? {
            let id = first(&key);
            if known.contains(&id) {
                continue;
            }
            let row = match key.get(1) {
                Some(n) => format!("object_id={id},{part}={n}"),
                None => format!("object_id={id}"),
            };
            // DDL may have come between the two looks, or be on its way to take these rows out.
            let known = database.catalog.object(ObjectId(id as i32), Sight::EVERYTHING).is_some();
            let tx = cx.transaction(&database)?;
            if !known
                && systab::get(tx, &SystemTables::OBJECTS, &[id])?.is_none()
                && systab::get(tx, table, &key)?.is_some()
            {
                wrong.push((3853, lost("object_id", id, &row, name, "objects")));
            }
        }
    }
    for (number, text) in wrong {
        cx.message(SqlError::new(8992, &[&number, &1, &text]))?;
    }
    Ok(())
}

/// A row that refers to one that is not there.
fn lost(attribute: &str, value: i64, row: &str, from: &str, to: &str) -> String {
    format!(
        "Attribute ({attribute}={value}) of row ({row}) in sys.{from} does not have a matching row ({attribute}={value}) in sys.{to}."
    )
}
