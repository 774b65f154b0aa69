//! Values as T-SQL writes them, so that reading them gives the same value again, and conditions that only that value meets.

use super::row::iso;
use std::fmt::Write;
use taffrail_types::{MaxLen, SqlType, Value, text};

/// A name in brackets.
pub(super) fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// Text in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

/// The value, as an expression that is assigned to a column of its type.
pub(super) fn literal(v: &Value, ty: SqlType) -> String {
    match v {
        Value::Null => "NULL".into(),
        Value::Bit(b) => u8::from(*b).to_string(),
        Value::Money(m) => format!("${}", text::money(*m, 2)),
        Value::Real(f) => format!("CAST({f:e} AS real)"),
        Value::Float(f) => format!("{f:e}"),
        Value::Binary(b) => text::hex(b, true),
        Value::Variant(inner) => {
            format!("CAST(CAST({} AS {}) AS sql_variant)", literal(&inner.1, inner.0), inner.0)
        }
        Value::VarChar(b) | Value::NVarChar(b) => {
            let told = v.as_text().unwrap_or_default();
            let same = match v {
                Value::VarChar(_) => true,
                _ => Value::nvarchar(&told) == *v,
            };
            // A backslash at the end of a line joins it to the next one, and sqlcmd puts values in the place of `$(names)`.
            let plain = told.chars().all(|c| c >= ' ' || matches!(c, '\t' | '\r' | '\n'))
                && !told.contains("\\\n")
                && !told.contains("\\\r")
                && !told.contains("$(");
            match (same && plain, ty) {
                (true, _) => quoted(&told),
                (false, SqlType::NChar(_) | SqlType::NVarChar(_)) => {
                    format!("CAST({} AS nvarchar(max))", text::hex(b, true))
                }
                (false, _) => format!("CAST({} AS varchar(max))", text::hex(b, true)),
            }
        }
        v @ (Value::TinyInt(_) | Value::SmallInt(_) | Value::Int(_) | Value::BigInt(_)) => {
            v.as_i64().unwrap_or(0).to_string()
        }
        Value::Decimal(_) => text::display(v, ty),
        v => format!("'{}'", iso(v, ty)),
    }
}

/// That a column has this value and no other, not even one that is equal under its collation or in another time zone.
pub(super) fn is(column: &str, v: &Value, ty: SqlType, large: Option<SqlType>) -> String {
    let mut out = String::new();
    let value = literal(v, ty);
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
            let value = format!("CAST({} AS {})", literal(&inner.1, inner.0), inner.0);
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
