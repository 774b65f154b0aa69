//! What becomes xml: whatever is converted to it is read (`decode`, `parse`) and written anew as SQL Server keeps it. An xml
//! value is its text.

mod characters;
mod decode;
mod form;
mod parse;

pub use characters::{begins_name, in_name};
pub(crate) use characters::{escape, is_allowed, is_combining, is_white};
pub use form::{XmlForm, XmlLevel, XmlPart};

use super::typing::signature;
use super::{Call, Function, Rule, Signature};
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Bytes, CodePage, Family, MaxLen, SqlType, Value, codepage};

/// The function that makes a value xml; its second argument is the style of CONVERT. The name
/// cannot be written in a query: only the binder calls it.
pub const CONTENT: &str = "XML CONTENT";

/// The same, with NULL for what is not well-formed: TRY_CAST.
pub const TRY_CONTENT: &str = "XML TRY CONTENT";

/// The same: the texts of a row of FOR XML, as an [`XmlForm`] says.
pub const FORM_ROW: &str = "XML ROW";

/// The same: the texts of all rows of FOR XML, put together.
pub const FORM_ROWS: &str = "XML ROWS";

/// The same: xml as it goes into a type of the form, [`AS_NCHAR`], [`AS_BINARY`] or the number of a code page, and of so many bytes
/// (-1: max); whether NULL is given where it does not.
pub const WRITTEN: &str = "XML WRITTEN";
/// The bytes of a text in base 64, as value() gives binary; NULL for a text that is none. Only the binder calls it.
pub const DECODED: &str = "XML DECODED";
/// The form of nchar and nvarchar, in [`WRITTEN`].
pub const AS_NCHAR: i32 = 1;
/// binary and varbinary: UTF-16 behind its mark.
pub const AS_BINARY: i32 = 2;

pub(crate) static FUNCTIONS: &[Function] = &[
    Function::new(CONTENT, 2, 2, content_rule, content),
    Function::new(TRY_CONTENT, 2, 2, content_rule, |cx, args| {
        content(cx, args).or(Ok(Value::Null))
    }),
    Function::new(
        FORM_ROW,
        0,
        255,
        |r| {
            Ok(Signature {
                params: r.args.iter().copied().collect(),
                result: SqlType::NVARCHAR_MAX,
            })
        },
        form::row,
    ),
    Function::new(
        FORM_ROWS,
        1,
        1,
        |_| Ok(signature(&[SqlType::NVARCHAR_MAX], SqlType::NVARCHAR_MAX)),
        form::rows,
    ),
    Function::new(
        WRITTEN,
        4,
        4,
        |_| {
            let number = SqlType::Int;
            let params = [SqlType::NVARCHAR_MAX, number, number, number];
            Ok(signature(&params, SqlType::NVARCHAR_MAX))
        },
        |cx, args| match written(cx, args) {
            Err(_) if args[3] == Value::Int(1) => Ok(Value::Null),
            other => other,
        },
    ),
    Function::new(
        DECODED,
        1,
        1,
        |_| Ok(signature(&[SqlType::NVARCHAR_MAX], SqlType::VarBinary(MaxLen::Max))),
        |_, args| {
            let Value::NVarChar(text) = &args[0] else { return Ok(Value::Null) };
            let bytes = crate::json::from_base64(codepage::units(text));
            Ok(bytes.map_or(Value::Null, |b| Value::Binary(Bytes::from_vec(b))))
        },
    ),
];

/// 6355 for a character that the type cannot hold, 6354 for more than it holds.
fn written(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    let Value::NVarChar(units) = &args[0] else { return Ok(Value::Null) };
    let (bytes, value) = match args[1] {
        Value::Int(AS_BINARY) => {
            let mut marked = vec![0xFF, 0xFE];
            marked.extend_from_slice(units);
            (marked.len(), Value::NVarChar(marked.into()))
        }
        Value::Int(page) if page > AS_BINARY => {
            let page = u16::try_from(page).ok().and_then(CodePage::of).unwrap_or_default();
            let Some(narrow) = page.encode_exactly(units) else {
                return Err(SqlError::new(6355, &[]));
            };
            (narrow.len(), args[0].clone())
        }
        _ => (units.len(), args[0].clone()),
    };
    match args[2].as_i64() {
        Some(most) if most >= 0 && bytes > most as usize => Err(SqlError::new(6354, &[])),
        _ => Ok(value),
    }
}

/// Text and binary keep their kind: it tells how they are to be read.
fn content_rule(r: &Rule<'_>) -> SqlResult<Signature> {
    let source = match r.args[0].family() {
        Family::Char => SqlType::VarChar(MaxLen::Max),
        Family::Binary => SqlType::VarBinary(MaxLen::Max),
        _ => SqlType::NVARCHAR_MAX,
    };
    Ok(signature(&[source, SqlType::Int], SqlType::NVARCHAR_MAX))
}

fn content(_: &Call<'_>, args: &[Value]) -> SqlResult<Value> {
    as_xml(&args[0], args[1].as_i64().unwrap_or(0))
}

/// A value of text or binary as xml: 9400 and its relatives. Style 1 keeps white space between tags.
pub fn as_xml(v: &Value, style: i64) -> SqlResult<Value> {
    as_xml_of(v, style, CodePage::WESTERN)
}

/// As [`as_xml`]; char and varchar are of this code page.
pub fn as_xml_of(v: &Value, style: i64, page: CodePage) -> SqlResult<Value> {
    match decode::text_of(v, page)? {
        Some(text) => Ok(Value::nvarchar(&parse::normalised(&text, style & 1 == 1)?)),
        None => Ok(Value::Null),
    }
}

/// 9400 and its relatives, with the place, for what is not well-formed.
pub fn check(text: &str) -> SqlResult<()> {
    parse::normalised(text, true).map(drop)
}

#[cfg(test)]
mod tests;
