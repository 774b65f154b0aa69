//! DROP DATABASE. No transaction brings back what is dropped, so triggers of the server are fired before it goes.

use super::database::{is_own, users_of};
use super::events;
use crate::exec::ddl_events::fire_noted;
use crate::features;
use crate::session::context::StatementContext;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_syntax::ast;

/// Drops the databases of a `DROP DATABASE`.
pub(crate) fn drop_databases(
    cx: &mut StatementContext<'_>,
    s: &ast::Drop,
    (text, span): (&str, ast::Span),
) -> SqlResult<()> {
    if cx.session.transaction.count() > 0 {
        return Err(SqlError::new(574, &[&"DROP DATABASE"]).with_state(0));
    }
    for name in &s.names {
        let name = &*name.name.value;
        let databases = cx.instance().databases();
        let Some(slot) = databases.slot(name) else {
            if s.if_exists {
                continue;
            }
            return Err(SqlError::new(3701, &[&"drop", &"database", &name]));
        };
        let id = slot.entry.id;
        if id.0 <= 4 {
            return Err(SqlError::new(
                3708,
                &[&"drop", &"database", &slot.entry.name, &"database"],
            ));
        }
        not_in_use(cx, id, &slot.entry.name)?;
        let event = events::of_database(cx, "DROP", &slot.entry.name);
        cx.note_event(event);
        fire_noted(cx, text, span)?;
        // Triggers take their time: others may have come, and the name may be another database's.
        let still = cx.instance().databases().slot(&slot.entry.name);
        if still.is_none_or(|s| s.entry.id != id) {
            return Err(SqlError::new(3701, &[&"drop", &"database", &name]));
        }
        not_in_use(cx, id, &slot.entry.name)?;
        // They may have read what is not durable yet, and no log brings the files back.
        cx.session.promises.barrier()?;
        forget(cx, id, &slot.entry.name)?;
    }
    Ok(())
}

/// Refuses to drop a database that a session is in, or that this one's transaction has touched: 3702.
fn not_in_use(cx: &StatementContext<'_>, id: DatabaseId, name: &str) -> SqlResult<()> {
    let is_part = cx.session.transaction.parts.iter().any(|p| p.database.id == id);
    match is_part || is_own(cx, id) || !users_of(cx, id.0, true).is_empty() {
        true => Err(SqlError::new(3702, &[&name]).with_state(3)),
        false => Ok(()),
    }
}

fn forget(cx: &StatementContext<'_>, id: DatabaseId, name: &str) -> SqlResult<()> {
    cx.instance().databases().drop_database(name)?;
    cx.instance().adopt_databases();
    features::forget_database(cx.instance(), id);
    features::server_observer().database_dropped(cx.instance(), id, name);
    Ok(())
}

/// Detaches a database that a statement has just attached, because a trigger of the server will not have it: its files stay.
pub(super) fn undo_attach(cx: &mut StatementContext<'_>, name: &str) -> SqlResult<()> {
    let Some(slot) = cx.instance().databases().slot(name) else { return Ok(()) };
    let id = slot.entry.id;
    cx.instance().databases().detach(name, &|id| !users_of(cx, id.0, false).is_empty())?;
    cx.instance().adopt_databases();
    features::forget_database(cx.instance(), id);
    Ok(())
}

/// Takes a database away that a statement has just made, because a trigger of the server will not have it.
pub(super) fn undo_creation(cx: &mut StatementContext<'_>, name: &str) -> SqlResult<()> {
    let Some(slot) = cx.instance().databases().slot(name) else { return Ok(()) };
    // Others may have come while the trigger ran.
    not_in_use(cx, slot.entry.id, &slot.entry.name)?;
    forget(cx, slot.entry.id, &slot.entry.name)
}
