//! A row's bytes as columns.

use super::history::{Owner, columns_known};
use crate::catalog::{Column, Table};
use crate::database::Database;
use crate::rowcodec::{Cell, Lobs, UnlockedLobs};
use std::fmt::Write;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::{BeginSpec, Durability, LobRef, StorageError};
use taffrail_types::convert::{Conversion, cast};
use taffrail_types::{MaxLen, SqlType, Value, text};

/// A column of a row.
pub(crate) struct Field<'a> {
    pub column: &'a Column,
    /// None: a large value that is not there any more.
    pub value: Option<Value>,
}

/// The columns that a row knows, of those that the table has.
pub(crate) fn fields<'a>(
    database: &Arc<Database>,
    owner: &Owner,
    table: &'a Table,
    row: &[u8],
) -> SqlResult<Vec<Field<'a>>> {
    let known = columns_known(row);
    let mut out = Vec::with_capacity(table.columns.len());
    for (at, column) in table.columns.iter().enumerate() {
        if usize::from(column.null_bit) >= known {
            continue;
        }
        let value = match table.layout.cell(row, at)? {
            Cell::Value(v) => Some(v),
            Cell::Lob(lob) => large(database, owner, table, lob, column.ty)?,
        };
        out.push(Field { column, value });
    }
    Ok(out)
}

/// A value on overflow pages, if they hold it still.
fn large(
    database: &Arc<Database>,
    owner: &Owner,
    table: &Table,
    lob: LobRef,
    ty: SqlType,
) -> SqlResult<Option<Value>> {
    if !owner.live {
        return Ok(None);
    }
    let base = table.base();
    let mut tx = database.storage.begin(BeginSpec { name: "LogChanges", ..BeginSpec::default() });
    let (read, gone) = {
        let mut lobs = UnlockedLobs::new(&mut tx, base.hobt()?);
        (lobs.read(lob), lobs.gone)
    };
    tx.commit(Durability::Delayed).map_err(|e: StorageError| e.to_sql())?;
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(_) if gone => return Ok(None),
        Err(e) => return Err(e),
    };
    Ok(Some(match ty {
        SqlType::VarChar(_) => Value::VarChar(bytes.as_slice().into()),
        SqlType::NVarChar(_) => Value::NVarChar(bytes.as_slice().into()),
        _ => Value::Binary(bytes.as_slice().into()),
    }))
}

/// A row as JSON, and the columns whose values are not there any more.
pub(crate) fn json(fields: &[Field<'_>], only: impl Fn(&Column) -> bool) -> (String, Vec<String>) {
    let (mut out, mut missing) = (String::from("{"), Vec::new());
    for f in fields.iter().filter(|f| only(f.column)) {
        let Some(value) = &f.value else {
            missing.push(f.column.name.to_string());
            continue;
        };
        if out.len() > 1 {
            out.push(',');
        }
        string(&mut out, &f.column.name);
        out.push(':');
        json_value(&mut out, value, f.column.ty);
    }
    out.push('}');
    (out, missing)
}

fn json_value(out: &mut String, v: &Value, ty: SqlType) {
    match v {
        Value::Null => out.push_str("null"),
        Value::Bit(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Real(f) => number(out, f64::from(*f), &f.to_string(), &format!("{f:e}")),
        Value::Float(f) => number(out, *f, &f.to_string(), &format!("{f:e}")),
        Value::Money(m) => out.push_str(&text::money(*m, 2)),
        Value::TinyInt(_) | Value::SmallInt(_) | Value::Int(_) | Value::BigInt(_) => {
            let _ = write!(out, "{}", v.as_i64().unwrap_or(0));
        }
        Value::Decimal(_) => out.push_str(&text::display(v, ty)),
        Value::Variant(inner) => json_value(out, &inner.1, inner.0),
        v => string(out, &iso(v, ty)),
    }
}

/// Very large and very small numbers are written with an exponent.
fn number(out: &mut String, v: f64, plain: &str, exponential: &str) {
    let plain_enough = v == 0.0 || (1e-5..1e15).contains(&v.abs());
    out.push_str(if plain_enough { plain } else { exponential });
}

/// Dates and times as ISO 8601 has them, other values as CONVERT makes text of them.
pub(crate) fn iso(v: &Value, ty: SqlType) -> String {
    let dated = matches!(
        ty,
        SqlType::Date
            | SqlType::Time(_)
            | SqlType::DateTime
            | SqlType::SmallDateTime
            | SqlType::DateTime2(_)
            | SqlType::DateTimeOffset(_)
    );
    if !dated {
        return text::display(v, ty);
    }
    let to = SqlType::NVarChar(MaxLen::N(60));
    match cast(v, ty, to, Some(126), Conversion::Explicit) {
        Ok(text) => text.as_text().unwrap_or_default(),
        Err(_) => text::display(v, ty),
    }
}

fn string(out: &mut String, s: &str) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
