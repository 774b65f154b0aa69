//! sp_set_session_context: what SESSION_CONTEXT tells.

use super::Arguments;
use crate::session::ContextKey;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::{Conversion, SqlType, Value, convert};

const PROCEDURE: &str = "sp_set_session_context";

/// Bytes that a session's keys and values may have together.
const MOST: usize = 1 << 20;

/// Keys are as long as sysname.
const MOST_OF_KEY: usize = 256;

fn size(v: &Value) -> usize {
    match v {
        Value::Null => 0,
        Value::Variant(inner) => inner.1.as_bytes().map_or(16, <[u8]>::len),
        other => other.as_bytes().map_or(16, <[u8]>::len),
    }
}

/// `@key`, `@value`, `@read_only`: 15664 for a key that is read-only, 15665 and 15666 for what is too large. NULL takes the
/// value away.
pub(super) fn set(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    put(cx, args).map_err(|e| e.in_procedure(PROCEDURE).with_line(1))
}

fn put(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let missing = |name: &str| SqlError::new(201, &[&PROCEDURE, &name]).with_state(4);
    let key = args.text(0).ok_or_else(|| missing("@key"))?;
    let (value, ty) = args.typed(1).ok_or_else(|| missing("@value"))?;
    let bytes = key.encode_utf16().count() * 2;
    if bytes > MOST_OF_KEY {
        return Err(SqlError::new(15666, &[&key]));
    }
    let value = match value {
        Value::Null | Value::Variant(_) => value.clone(),
        v => {
            convert::check(ty, SqlType::Variant, Conversion::Implicit)?;
            Value::Variant(Box::new((ty, v.clone())))
        }
    };
    let all = &mut cx.session.kept.context;
    let same = |k: &ContextKey| *k.name == *key;
    if all.iter().any(|k| same(k) && k.read_only) {
        return Err(SqlError::new(15664, &[&key]));
    }
    let others = all.iter().filter(|k| !same(k));
    let held: usize = others.map(|k| k.name.encode_utf16().count() * 2 + size(&k.value)).sum();
    if held + bytes + size(&value) > MOST {
        return Err(SqlError::new(15665, &[&key]));
    }
    all.retain(|k| !same(k));
    let read_only = args.flag(2);
    // A NULL that is read-only has to be remembered.
    if !value.is_null() || read_only {
        all.push(ContextKey { name: key, value, read_only });
    }
    Ok(0)
}
