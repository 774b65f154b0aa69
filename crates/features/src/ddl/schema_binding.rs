//! WITH SCHEMABINDING of functions, and what keeps an object as it is.

use super::resolve;
use crate::catalog::Object;
use crate::database::Database;
use crate::exec::function_facts::{Beneath, bound_to};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;

/// What is beneath a schema-bound function: 1054, 2720, 4512, 4513, and what keeps a statement from being bound now.
pub(super) fn check(
    cx: &mut StatementContext<'_>,
    function: &ast::ObjectName,
    beneath: &Beneath,
) -> SqlResult<()> {
    let shown = function.to_string();
    for name in &beneath.names {
        let two_parts = name.schema.is_some() && name.database.is_none() && name.server.is_none();
        if !two_parts || is_same(name, function) {
            return Err(SqlError::new(4512, &[&"function", &shown, name]).with_state(3));
        }
        if name.schema.as_ref().is_some_and(|s| s.is("sys") || s.is("INFORMATION_SCHEMA")) {
            return Err(SqlError::new(2720, &[&"function", &shown, name]));
        }
    }
    if beneath.all_columns {
        return Err(SqlError::new(1054, &[&"*"]));
    }
    for name in &beneath.names {
        if let Some((_, Object::Synonym(_))) = resolve::find(cx, name)? {
            return Err(SqlError::new(2788, &[]));
        }
    }
    if let Some(e) = &beneath.failed {
        return Err(e.clone());
    }
    for name in &beneath.names {
        let bound = match resolve::find(cx, name)? {
            Some((_, Object::Function(f))) => f.facts.schema_bound,
            Some((_, Object::View(_))) => false,
            _ => true,
        };
        if !bound {
            return Err(SqlError::new(4513, &[&"function", &shown, name]));
        }
    }
    Ok(())
}

fn is_same(a: &ast::ObjectName, b: &ast::ObjectName) -> bool {
    let schema = |n: &ast::ObjectName| n.schema.as_ref().map_or("dbo".into(), |s| fold(&s.value));
    fold(&a.name.value) == fold(&b.name.value) && schema(a) == schema(b)
}

fn fold(name: &str) -> String {
    crate::catalog::fold(name)
}

/// 3729 where something is bound to an object that is locked. `verb`: DROP TABLE, ALTER and the like; `written`: the object's name.
pub(super) fn require_unbound(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    id: ObjectId,
    verb: &str,
    written: &dyn std::fmt::Display,
) -> SqlResult<()> {
    match bound_to(cx.session, database, id, None)? {
        None => Ok(()),
        Some(user) => {
            let state = if verb == "ALTER" { 3 } else { 1 };
            Err(SqlError::new(3729, &[&verb, written, &user]).with_state(state))
        }
    }
}
