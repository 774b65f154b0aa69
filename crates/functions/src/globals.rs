//! `@@variables` and their types.

use super::context::{FnContext, LiveState};
use super::live;
use taffrail_base::SqlResult;
use taffrail_types::{MaxLen, SqlType, Value};

/// Name (upper case) and type of every one. Those that the binder reads from the session itself are in the list too.
pub(crate) static GLOBALS: &[(&str, SqlType)] = &[
    ("@@CONNECTIONS", SqlType::Int),
    ("@@CPU_BUSY", SqlType::Int),
    ("@@CURSOR_ROWS", SqlType::Int),
    ("@@DATEFIRST", SqlType::TinyInt),
    ("@@DBTS", SqlType::VarBinary(MaxLen::N(8))),
    ("@@ERROR", SqlType::Int),
    ("@@FETCH_STATUS", SqlType::Int),
    ("@@IDENTITY", SqlType::Numeric { precision: 38, scale: 0 }),
    ("@@IDLE", SqlType::Int),
    ("@@IO_BUSY", SqlType::Int),
    ("@@LANGID", SqlType::SmallInt),
    ("@@LANGUAGE", SqlType::SYSNAME),
    ("@@LOCK_TIMEOUT", SqlType::Int),
    ("@@MAX_CONNECTIONS", SqlType::Int),
    ("@@MAX_PRECISION", SqlType::TinyInt),
    ("@@MICROSOFTVERSION", SqlType::Int),
    ("@@NESTLEVEL", SqlType::Int),
    ("@@OPTIONS", SqlType::Int),
    ("@@PACKET_ERRORS", SqlType::Int),
    ("@@PACK_RECEIVED", SqlType::Int),
    ("@@PACK_SENT", SqlType::Int),
    ("@@PROCID", SqlType::Int),
    ("@@REMSERVER", SqlType::SYSNAME),
    ("@@ROWCOUNT", SqlType::Int),
    ("@@SERVERNAME", SqlType::SYSNAME),
    ("@@SERVICENAME", SqlType::SYSNAME),
    ("@@SPID", SqlType::SmallInt),
    ("@@TEXTSIZE", SqlType::Int),
    ("@@TIMETICKS", SqlType::Int),
    ("@@TOTAL_ERRORS", SqlType::Int),
    ("@@TOTAL_READ", SqlType::Int),
    ("@@TOTAL_WRITE", SqlType::Int),
    ("@@TRANCOUNT", SqlType::Int),
    ("@@VERSION", SqlType::NVarChar(MaxLen::N(300))),
];

/// Those of live state, with what they ask for.
static LIVE: &[(&str, fn(&dyn LiveState) -> Value)] = &[("@@DBTS", |s| s.last_rowversion())];

/// The value of an `@@variable` or its relative, upper case: as the context has it, or of live state.
pub fn global(context: &dyn FnContext, name: &str) -> SqlResult<Value> {
    match LIVE.iter().find(|(known, _)| *known == name) {
        Some((_, value)) => Ok(live::global(context, *value)),
        None => context.global(name),
    }
}

/// The names of those of live state.
pub(crate) fn names_of_live() -> impl Iterator<Item = &'static str> {
    LIVE.iter().map(|(name, _)| *name)
}

/// The type of an `@@variable` (any case); None where there is none (the binder raises 137).
pub fn global_type(name: &str) -> Option<SqlType> {
    let upper = name.to_ascii_uppercase();
    GLOBALS.binary_search_by(|g| g.0.cmp(&upper)).ok().map(|at| GLOBALS[at].1)
}
