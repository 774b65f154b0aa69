//! Values as T-SQL writes them, so that reading them gives the same value again, and conditions that only that value meets.

use super::row::iso;
use std::fmt::Write;
use taffrail_types::{CodePage, MaxLen, SqlType, Value, text};

/// A script may hold this text as it is: whoever reads scripts line by line (sqlcmd and its relatives) hands it on unchanged.
///
/// Such readers end lines at control characters of their own choice, take lines like `GO` for commands, join lines behind a backslash, and
/// put values in the place of `$(names)`.
pub(super) fn survives_a_file(text: &str) -> bool {
    !text.chars().any(ends_or_alters_a_line) && !text.contains("$(")
}

/// The character may be changed, or end a line, where a script is read from a file.
fn ends_or_alters_a_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The text without all that does not [survive a file](survives_a_file): for messages and comments, where nobody needs it exactly.
pub(super) fn on_one_line(text: &str) -> String {
    text.replace(ends_or_alters_a_line, " ").replace("$(", "$ (")
}

/// The statement as it survives a file: itself, or executed from the bytes of its text. `number`: no other statement of the script has it.
pub(super) fn portable(statement: String, number: usize) -> String {
    if survives_a_file(&statement) {
        return statement;
    }
    let bytes: Vec<u8> = statement.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let hex = text::hex(&bytes, true);
    format!(
        "DECLARE @statement_{number} nvarchar(max) = CAST({hex} AS nvarchar(max)); EXEC (@statement_{number});"
    )
}

/// A name in brackets.
pub(super) fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// Text in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

/// The value, as an expression that is assigned to a column of its type; text of char and varchar is of this code page.
pub(super) fn literal(v: &Value, ty: SqlType, page: CodePage) -> String {
    match v {
        Value::Null => "NULL".into(),
        Value::Bit(b) => u8::from(*b).to_string(),
        Value::Money(m) => format!("${}", text::money(*m, 2)),
        Value::Real(f) => format!("CAST({f:e} AS real)"),
        Value::Float(f) => format!("{f:e}"),
        Value::Binary(b) => text::hex(b, true),
        Value::Variant(inner) => {
            format!(
                "CAST(CAST({} AS {}) AS sql_variant)",
                literal(&inner.1, inner.0, CodePage::WESTERN),
                inner.0
            )
        }
        Value::VarChar(b) | Value::NVarChar(b) => {
            let told = v.text_of(page).unwrap_or_default();
            let same = match v {
                Value::VarChar(_) => page.encode(&told) == *b,
                _ => Value::nvarchar(&told) == *v,
            };
            match (same && survives_a_file(&told), ty) {
                (true, _) => quoted(&told),
                // A value of the column's own type leads to its row by an index.
                (false, SqlType::Char(_) | SqlType::NChar(_)) => bytes_as(b, ty),
                (false, SqlType::VarChar(MaxLen::N(_)) | SqlType::NVarChar(MaxLen::N(_))) => {
                    bytes_as(b, ty)
                }
                (false, SqlType::NVarChar(_)) => bytes_as(b, SqlType::NVarChar(MaxLen::Max)),
                (false, _) => bytes_as(b, SqlType::VarChar(MaxLen::Max)),
            }
        }
        v @ (Value::TinyInt(_) | Value::SmallInt(_) | Value::Int(_) | Value::BigInt(_)) => {
            v.as_i64().unwrap_or(0).to_string()
        }
        Value::Decimal(_) => text::display(v, ty),
        v => format!("'{}'", iso(v, ty)),
    }
}

/// Text of a type, by its bytes.
fn bytes_as(bytes: &[u8], ty: SqlType) -> String {
    format!("CAST({} AS {ty})", text::hex(bytes, true))
}

/// That a column has this value and no other, not even one that is equal under its collation or in another time zone.
pub(super) fn is(
    column: &str,
    v: &Value,
    (ty, page): (SqlType, CodePage),
    large: Option<SqlType>,
) -> String {
    let mut out = String::new();
    let value = literal(v, ty, page);
    let name = match large {
        Some(as_type) if !v.is_null() => format!("CAST({column} AS {as_type})"),
        _ => column.to_owned(),
    };
    let text = matches!(
        ty,
        SqlType::Char(_) | SqlType::VarChar(_) | SqlType::NChar(_) | SqlType::NVarChar(_)
    );
    let bytes = matches!(ty, SqlType::VarBinary(_));
    let _ = match v {
        Value::Null => write!(out, "{name} IS NULL"),
        Value::Variant(inner) => {
            let value =
                format!("CAST({} AS {})", literal(&inner.1, inner.0, CodePage::WESTERN), inner.0);
            let base = inner.0.name();
            write!(
                out,
                "SQL_VARIANT_PROPERTY({name}, 'BaseType') = N'{base}' \
                 AND CAST({name} AS varbinary(8000)) = CAST({value} AS varbinary(8000)) \
                 AND DATALENGTH({name}) = DATALENGTH({value})"
            )
        }
        // There are two zeros, which are equal.
        Value::Float(0.0) | Value::Real(0.0) => {
            write!(
                out,
                "CAST({name} AS varbinary(8)) = CAST(CAST({value} AS {ty}) AS varbinary(8))"
            )
        }
        _ if text => write!(out, "{name} = {value} COLLATE Latin1_General_BIN2"),
        _ => write!(out, "{name} = {value}"),
    };
    if let Value::DateTimeOffset { offset, .. } = v {
        let _ = write!(out, " AND DATEPART(tzoffset, {name}) = {offset}");
    }
    let varies = matches!(ty, SqlType::VarChar(_) | SqlType::NVarChar(_)) || bytes;
    if let Some(b) = v.as_bytes().filter(|_| varies) {
        let _ = write!(out, " AND DATALENGTH({name}) = {}", b.len());
    }
    out
}

/// What a column of one of the old large types, or of xml, is compared as.
pub(super) fn comparable(ty: SqlType) -> SqlType {
    match ty {
        SqlType::VarChar(_) => SqlType::VarChar(MaxLen::Max),
        SqlType::NVarChar(_) => SqlType::NVarChar(MaxLen::Max),
        _ => SqlType::VarBinary(MaxLen::Max),
    }
}
