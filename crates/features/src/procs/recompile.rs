//! sp_recompile, sp_removedbreplication.

use super::Arguments;
use super::help::object_if_any;
use crate::plan::facts::{Need, Securable};
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};

/// `sp_recompile`: drops the cached plans of a module, or those that read or change a table or view, so that they are compiled anew.
pub(super) fn recompile(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = args.named(0);
    let Some(object) = object_if_any(cx, &name)? else {
        return Err(SqlError::new(15165, &[&name]));
    };
    let (database, id) = (cx.database().id, object.head().id);
    cx.instance().plans().forget(|module| {
        let named = |of: &Securable| (of.database, of.object) == (database, id);
        let needs = |n: &Need| named(&n.object) || n.through.as_ref().is_some_and(named);
        module.object() == Some((database.0, id.0))
            || module
                .shared
                .iter()
                .any(|v| v.kept().plans.iter().any(|plan| plan.facts.needs.iter().any(needs)))
    });
    cx.message(SqlError::new(15070, &[&name]))?;
    Ok(0)
}

/// `sp_removedbreplication`: no database is replicated, so there is nothing to remove. 15010 for a database that is not there, 15600
/// for a type that is none.
pub(super) fn remove_replication(
    cx: &mut StatementContext<'_>,
    args: &Arguments<'_>,
) -> SqlResult<i32> {
    if let Some(name) = args.text(0)
        && cx.instance().databases().slot(&name).is_none()
    {
        return Err(SqlError::new(15010, &[&name]));
    }
    let known =
        |kind: String| ["tran", "merge", "both"].iter().any(|k| kind.eq_ignore_ascii_case(k));
    if args.text(1).is_some_and(|kind| !known(kind)) {
        return Err(SqlError::new(15600, &[&"sp_removedbreplication"]));
    }
    Ok(0)
}
