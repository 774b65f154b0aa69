//! WITH SCHEMABINDING of functions and views, and what keeps an object as it is.

use super::resolve;
use crate::catalog::Object;
use crate::database::Database;
use crate::exec::function_facts::{Beneath, bound_to};
use crate::plan::facts::Need;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast;

/// Looks at the names beneath a schema-bound module, which is a `kind`: 1054, 2720, 4512, 4513, the first mistake of its text, and 229
/// without REFERENCES on what it would keep as it is.
pub(super) fn check(
    cx: &mut StatementContext<'_>,
    kind: &str,
    function: &ast::ObjectName,
    beneath: &Beneath,
) -> SqlResult<()> {
    let shown = function.to_string();
    for name in &beneath.names {
        let two_parts = name.schema.is_some() && name.database.is_none() && name.server.is_none();
        if !two_parts || is_same(name, function) {
            return Err(SqlError::new(4512, &[&kind, &shown, name]).with_state(3));
        }
        if name.schema.as_ref().is_some_and(|s| s.is("sys") || s.is("INFORMATION_SCHEMA")) {
            return Err(SqlError::new(2720, &[&kind, &shown, name]));
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
            Some((_, Object::Function(m) | Object::View(m))) => m.facts.schema_bound,
            _ => true,
        };
        if !bound {
            return Err(SqlError::new(4513, &[&kind, &shown, name]));
        }
    }
    cx.session.refused_references(&beneath.names).map_or(Ok(()), Err)
}

/// Takes Sch-S on the objects of the database that a schema-bound module stands on, to the transaction's end: nobody drops or alters them
/// meanwhile. False where one of them was not `held` yet and the catalogue has changed since `version`: what was bound may be gone.
pub(super) fn hold(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    needs: &[Need],
    version: u64,
    held: &mut Vec<ObjectId>,
) -> SqlResult<bool> {
    let session = cx.session.id;
    let own = needs.iter().map(|n| &n.object).filter(|o| o.database == database.id);
    let before = held.len();
    for id in own.map(|o| o.object).filter(|id| id.0 > 0) {
        if !held.contains(&id) {
            let tx = cx.transaction(database)?;
            database.catalog.lock_table(tx, session, id, LockMode::SchS)?;
            tx.keep_object(id);
            held.push(id);
        }
    }
    Ok(held.len() == before || database.catalog.version(session) == version)
}

fn is_same(a: &ast::ObjectName, b: &ast::ObjectName) -> bool {
    let schema = |n: &ast::ObjectName| n.schema.as_ref().map_or("dbo".into(), |s| fold(&s.value));
    fold(&a.name.value) == fold(&b.name.value) && schema(a) == schema(b)
}

fn fold(name: &str) -> String {
    crate::catalog::fold(name)
}

/// Whether something is bound to an object that is locked.
pub(super) fn is_bound(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    id: ObjectId,
) -> SqlResult<bool> {
    Ok(bound_to(cx.session, database, id, None)?.is_some())
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
