//! The first stage: a value becomes what its column keeps, or it is 515, 2628 or an error of conversion.

use super::Verb;
use crate::catalog::Table;
use crate::database::Database;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::convert::{AssignError, assign, cast_with};
use taffrail_types::{Conversion, ConvertContext, Family, MaxLen, Pages, SqlType, Value};

/// `database.schema.table`, as messages about rows show it; a table variable's name alone.
pub fn full_name(database: &Database, table: &Table) -> String {
    if table.is_variable() {
        return table.shown().to_string();
    }
    format!("{}.{}.{}", database.name, table.head.schema, table.head.name)
}

/// Whether a value can go into the column as it is.
#[inline]
fn fits(v: &Value, from: SqlType, to: SqlType) -> bool {
    if from == to {
        // Fixed-length text must be padded already, which a value of the very type is.
        return true;
    }
    match (v, to) {
        (Value::VarChar(b), SqlType::VarChar(MaxLen::N(n))) => b.len() <= n as usize,
        (Value::NVarChar(b), SqlType::NVarChar(MaxLen::N(n))) => b.len() <= n as usize * 2,
        (Value::Binary(b), SqlType::VarBinary(MaxLen::N(n))) => b.len() <= n as usize,
        (Value::VarChar(_), SqlType::VarChar(MaxLen::Max))
        | (Value::NVarChar(_), SqlType::NVarChar(MaxLen::Max))
        | (Value::Binary(_), SqlType::VarBinary(MaxLen::Max)) => true,
        _ => false,
    }
}

/// Converts a value for a column: 515, 2628, conversion errors.
#[inline]
pub(crate) fn store(
    v: Value,
    from: SqlType,
    table: &Table,
    column: usize,
    database: &Database,
    verb: Verb,
    context: &ConvertContext,
) -> SqlResult<Value> {
    let c = &table.columns[column];
    if v.is_null() {
        return if c.nullable { Ok(v) } else { Err(null_error(database, table, column, verb)) };
    }
    if fits(&v, from, c.ty) {
        return Ok(if c.unpadded { trim(v, c.ty) } else { v });
    }
    let context = &match c.ty.family() {
        Family::Char => context.with_pages(Pages::of(c.collation.page())),
        _ => *context,
    };
    // What is cut has to be there still.
    let whole = if context.ansi_warnings { Value::Null } else { v.clone() };
    match assign(v, from, c.ty, context) {
        Ok(v) => Ok(if c.unpadded { trim(v, c.ty) } else { v }),
        Err(AssignError::Sql(e)) => Err(e),
        // ANSI_WARNINGS OFF: it is cut.
        Err(AssignError::Truncated(_)) if !context.ansi_warnings => {
            cast_with(&whole, from, c.ty, None, Conversion::Implicit, context)
        }
        Err(AssignError::Truncated(t)) => {
            Err(SqlError::new(2628, &[&full_name(database, table), &c.name, &t]))
        }
    }
}

/// What a column keeps that was made under ANSI_PADDING OFF.
#[cold]
pub fn trim(mut v: Value, ty: SqlType) -> Value {
    let (bytes, filler) = match (&mut v, ty) {
        (Value::VarChar(bytes), SqlType::VarChar(_)) => (bytes, b' '),
        (Value::Binary(bytes), SqlType::VarBinary(_)) => (bytes, 0),
        _ => return v,
    };
    let kept = bytes.iter().rposition(|b| *b != filler).map_or(0, |last| last + 1);
    bytes.truncate(kept);
    v
}

#[cold]
fn null_error(database: &Database, table: &Table, column: usize, verb: Verb) -> Box<SqlError> {
    let name = &table.columns[column].name;
    SqlError::new(515, &[name, &full_name(database, table), &verb.text()]).with_state(2)
}
