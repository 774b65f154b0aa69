//! JSON in text: ISJSON, JSON_VALUE, JSON_QUERY, JSON_PATH_EXISTS, JSON_MODIFY, JSON_OBJECT, JSON_ARRAY; rows as JSON, JSON as rows.
//!
//! ```text
//! path   [append] [lax | strict] $ { .name | ."name" | [n] }
//! lax    what is not there, or is of the wrong kind, is NULL        strict   13608, 13623, 13624, 13625
//! ```
//!
//! The text is read from its beginning to the end of what the path leads to, and no further; where nothing is found it is
//! read to its end. What is wrong up to there is 13609 with the position, counted in UTF-16 code units from 0. What is
//! found is given as it is written: numbers keep their digits, objects and arrays their blanks.
//!
//! | file | what it knows |
//! |---|---|
//! | `reader`, `path` | JSON and paths, read from left to right |
//! | `modify` | JSON_MODIFY |
//! | `form` | FOR JSON: the text of a row, the texts of rows put together |
//! | `rows` | OPENJSON |
//! | `text` | values of SQL as JSON |

mod form;
mod modify;
mod path;
mod reader;
mod rows;
mod text;

pub use form::{Form, JsonLevel, JsonMember, JsonPart, JsonWriter};
pub use rows::{JsonColumn, JsonRows, OpenJson};
pub(crate) use text::{base64_of, from_base64};

use super::typing::{any_null, signature};
use super::{Call, Function, Rule, Signature};
use path::{JsonPath, Place};
use reader::{JsonKind, JsonText};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::codepage::units;
use taffrail_types::{Bytes, Family, MaxLen, SqlType, Value};

const TEXT: SqlType = SqlType::NVARCHAR_MAX;

/// The name of the function that makes the text of a row for FOR JSON. No statement can name it.
pub const ROW: &str = "JSON ROW";
/// The name of the function that puts rows together for FOR JSON.
pub const ROWS: &str = "JSON ROWS";
/// The name of the function that reads Base64 for a binary column of OPENJSON.
pub const BASE64: &str = "JSON BASE64";

#[rustfmt::skip]
pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new("ISJSON", 1, 2, |r| r.fixed(&[TEXT], SqlType::Int), isjson),
    Function::new("JSON_VALUE", 2, 2, |r| json_rule(r, SqlType::nvarchar(4000)), json_value),
    Function::new("JSON_QUERY", 1, 2, |r| json_rule(r, TEXT), json_query),
    Function::new("JSON_PATH_EXISTS", 2, 2, |r| json_rule(r, SqlType::Int), path_exists),
    Function::new("JSON_MODIFY", 3, 3, modify::rule, modify::json_modify),
    Function::new("JSON_OBJECT", 0, 254, values_rule, form::json_object),
    Function::new("JSON_ARRAY", 0, 254, values_rule, form::json_array),
    Function::new(ROW, 0, 255, values_rule, form::row),
    Function::new(ROWS, 1, 1, |r| r.fixed(&[TEXT], TEXT), form::rows),
    Function::new(BASE64, 2, 2, |r| r.fixed(&[TEXT, SqlType::Int], SqlType::VarBinary(MaxLen::Max)), base64),
];

/// Whether a function's result is JSON, which JSON takes in as it is.
pub fn gives_json(name: &str) -> bool {
    matches!(name, "JSON_QUERY" | "JSON_MODIFY" | "JSON_OBJECT" | "JSON_ARRAY") || name == ROWS
}

fn json_rule(r: &Rule<'_>, result: SqlType) -> SqlResult<Signature> {
    let params = (0..r.args.len()).map(|at| r.param(at, TEXT)).collect::<SqlResult<Vec<_>>>()?;
    Ok(signature(&params, result))
}

/// Values of any type; text as nvarchar.
fn values_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let param = |ty: &SqlType| if ty.is_text() { TEXT } else { *ty };
    Ok(Signature { params: r.args.iter().map(param).collect(), result: TEXT })
}

fn text_of(v: &Value) -> Option<JsonText<'_>> {
    match v {
        Value::NVarChar(b) => Some(JsonText(b)),
        _ => None,
    }
}

fn nvarchar(text: &[u8]) -> Value {
    Value::NVarChar(Bytes::from_slice(text))
}

/// With the second argument VALUE, SCALAR, ARRAY or OBJECT, which the binder has made a text.
fn isjson(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some(text) = text_of(&args[0]) else { return Ok(Value::Null) };
    let wanted = args.get(1).and_then(Value::as_text);
    let is = reader::is_json(text, |kind| match wanted.as_deref() {
        Some("VALUE") => true,
        Some("SCALAR") => matches!(kind, JsonKind::Text | JsonKind::Number),
        Some("ARRAY") => kind == JsonKind::Array,
        Some("OBJECT") => kind == JsonKind::Object,
        _ => kind.is_container(),
    });
    Ok(Value::Int(is.into()))
}

/// The words that ISJSON takes as its second argument.
pub const ISJSON_KINDS: [&str; 4] = ["VALUE", "SCALAR", "ARRAY", "OBJECT"];

/// Looks the path up. None for NULL; the path's strictness and what is there.
#[allow(clippy::type_complexity)]
fn look_up(args: &[Value]) -> SqlResult<Option<(JsonText<'_>, bool, Option<Place>)>> {
    let Some(text) = text_of(&args[0]) else { return Ok(None) };
    let path = match args.get(1) {
        None => JsonPath::whole(),
        Some(v) => match text_of(v) {
            Some(way) => JsonPath::parse(way)?,
            None => return Ok(None),
        },
    };
    if path.append {
        return Err(reader::Unexpected::At(0).told(13607, text_of(&args[1]).unwrap_or(text)));
    }
    Ok(Some((text, path.strict, path::find(text, &path)?)))
}

fn json_value(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Some((text, strict, Some((kind, range)))) = look_up(args)? else { return Ok(Value::Null) };
    if kind.is_container() && strict {
        return Err(SqlError::new(13623, &[]).with_state(2));
    }
    let value = rows::scalar(text, kind, range)?;
    match value.as_bytes() {
        Some(b) if b.len() > 8000 && strict => Err(SqlError::new(13625, &[])),
        Some(b) if b.len() > 8000 => Ok(Value::Null),
        _ => Ok(value),
    }
}

fn json_query(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    Ok(match look_up(args)? {
        Some((text, _, Some((kind, range)))) if kind.is_container() => nvarchar(text.part(range)),
        Some((_, true, _)) => return Err(SqlError::new(13624, &[]).with_state(2)),
        _ => Value::Null,
    })
}

/// Never an error: a text that cannot be read to its end has nothing.
fn path_exists(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    if any_null(args) {
        return Ok(Value::Null);
    }
    let whole = text_of(&args[0]).is_some_and(|t| reader::is_json(t, JsonKind::is_container));
    let there = whole && matches!(look_up(args), Ok(Some((_, _, Some(_)))));
    Ok(Value::Int(there as i32))
}

/// A binary column of OPENJSON, of so many bytes at most: 13612, 13613.
fn base64(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Value::NVarChar(b) = &args[0] else { return Ok(Value::Null) };
    let bytes = text::from_base64(units(b)).ok_or_else(|| SqlError::new(13612, &[]))?;
    if args[1].as_i64().is_some_and(|most| bytes.len() as i64 > most) {
        return Err(SqlError::new(13613, &[]));
    }
    Ok(Value::Binary(Bytes::from_vec(bytes)))
}

/// Whether JSON_MODIFY takes a value of this type.
fn may_be_set(ty: SqlType) -> bool {
    matches!(
        ty.family(),
        Family::Char
            | Family::NChar
            | Family::Bit
            | Family::Integer
            | Family::Decimal
            | Family::Float
    )
}
