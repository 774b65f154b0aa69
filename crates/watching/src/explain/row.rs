//! A row's bytes as columns.

use super::Ticks;
use super::history::{Owner, columns_known};
use super::source::Source;
use crate::catalog::{Column, Table};
use crate::pieces;
use crate::rowcodec::{Cell, Lobs, UnlockedLobs};
use std::fmt::Write;
use taffrail_base::{LogPos, SqlResult};
use taffrail_storage::access::record::changes::{LargePage, large_page};
use taffrail_storage::{BeginSpec, Durability, LobRef, StorageError};
use taffrail_types::convert::{Conversion, cast};
use taffrail_types::{MaxLen, SqlType, Value, text};

/// A column of a row.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    pub column: &'a Column,
    /// None: a large value that is not there any more.
    pub value: Option<Value>,
}

/// Whether a column is stored alike in two rows. Values that are equal may differ: the two zeros of a float, and decimals of two scales in
/// a sql_variant.
pub(crate) fn unchanged(a: &Field<'_>, b: &Field<'_>) -> bool {
    fn alike(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Real(a), Value::Real(b)) => a.to_bits() == b.to_bits(),
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Variant(a), Value::Variant(b)) => a.0 == b.0 && alike(&a.1, &b.1),
            _ => a == b,
        }
    }
    match (&a.value, &b.value) {
        (Some(a), Some(b)) => alike(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// The columns that a row knows, of those that the table has.
pub(crate) fn fields<'a>(
    source: &Source,
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
            Cell::Lob(lob) => large(source, owner, table, lob)?.map(|bytes| match column.ty {
                SqlType::VarChar(_) => Value::VarChar(bytes.as_slice().into()),
                SqlType::NVarChar(_) => Value::NVarChar(bytes.as_slice().into()),
                _ => Value::Binary(bytes.as_slice().into()),
            }),
        };
        out.push(Field { column, value });
    }
    Ok(out)
}

/// The table has all columns that the row knows.
pub(crate) fn has_all_columns(table: &Table, row: &[u8]) -> bool {
    let known = columns_known(row);
    table.columns.iter().filter(|c| usize::from(c.null_bit) < known).count() == known
}

/// The columns that came later than these, as they are in a row that nobody has changed since.
pub(crate) fn since<'a>(table: &'a Table, known: &[Field<'_>]) -> Vec<Field<'a>> {
    let later = table.columns.iter().filter(|c| !c.is_virtual());
    let later = later.filter(|c| known.iter().all(|f| f.column.id != c.id));
    later.map(|column| Field { column, value: Some(column.missing.clone()) }).collect()
}

/// A value on overflow pages, from these if they hold it still, or else from the records that filled them.
fn large(source: &Source, owner: &Owner, table: &Table, lob: LobRef) -> SqlResult<Option<Vec<u8>>> {
    if owner.live && source.reaches_now() {
        let storage = &source.database().storage;
        let mut tx = storage.begin(BeginSpec { name: "LogChanges", ..BeginSpec::default() });
        let (read, gone) = {
            let mut lobs = UnlockedLobs::new(&mut tx, table.base().hobt()?);
            (lobs.read(lob), lobs.gone)
        };
        tx.commit(Durability::Delayed).map_err(|e: StorageError| e.to_sql())?;
        match read {
            Ok(bytes) => return Ok(Some(bytes)),
            Err(_) if gone => {}
            Err(e) => return Err(e),
        }
    }
    logged(source, lob)
}

/// So many records behind that of its allocation a page is looked for: others log between the two.
const NEAR: usize = 10_000;

/// A value from the log; none: a part of it is not there.
fn logged(source: &Source, lob: LobRef) -> SqlResult<Option<Vec<u8>>> {
    let mut out = Vec::new();
    // The first last.
    let mut todo = vec![lob];
    while let Some(lob) = todo.pop() {
        match logged_page(source, lob)? {
            Some(LargePage::Piece(bytes)) => pieces::append(&mut out, &bytes)?,
            Some(LargePage::Node(below)) => todo.extend(below.into_iter().rev()),
            None => return Ok(None),
        }
    }
    Ok(Some(out))
}

fn logged_page(source: &Source, lob: LobRef) -> SqlResult<Option<LargePage>> {
    let from = LogPos(lob.id);
    if from < source.first() || from >= source.end() {
        return Ok(None);
    }
    // The identity is of another log if the database has come from elsewhere.
    let Ok(mut cursor) = source.cursor(from) else { return Ok(None) };
    let mut ticks = Ticks::default();
    for _ in 0..NEAR {
        ticks.tick()?;
        match cursor.step(source, |e| large_page(&e.record, lob))? {
            Some(None) => {}
            Some(found) => return Ok(found),
            None => break,
        }
    }
    Ok(None)
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
        match value {
            Value::VarChar(b) => string(&mut out, &f.column.collation.page().decode(b)),
            value => json_value(&mut out, value, f.column.ty),
        }
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
