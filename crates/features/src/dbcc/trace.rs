//! `DBCC TRACEON`, `TRACEOFF`, `TRACESTATUS`.
//!
//! Seven flags exist. 1204 and 1222 put reports of deadlocks into the error log. 3502 and 3504 put there what checkpoints do. 3226
//! keeps backups that succeeded out
//! of the error log. 3604 (output of DBCC to the client) is how it always
//! is here; 3605 (output of DBCC to the error log) concerns only commands that do not exist here. So these two can be set, for the
//! scripts that begin with them, and change nothing. Every other flag is refused.

use super::number_of;
use crate::checkpoints::TRACE_FLAGS;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::SqlType;

/// Backups that succeed are not told of in the error log.
const QUIET_BACKUPS: i64 = 3226;

/// Reports of deadlocks in the error log: the nodes of the graph, or all that the XML has. They count when they are on everywhere.
const DEADLOCKS: [i64; 2] = [1204, 1222];

const KNOWN: [i64; 7] =
    [DEADLOCKS[0], DEADLOCKS[1], QUIET_BACKUPS, TRACE_FLAGS[0], TRACE_FLAGS[1], 3604, 3605];

/// Whether a backup of this session's that succeeds is kept out of the error log.
pub(crate) fn quiet_backups(cx: &StatementContext<'_>) -> bool {
    cx.session.kept.trace_flags.contains(&QUIET_BACKUPS)
        || cx.instance().databases().trace_flags().lock().contains(&QUIET_BACKUPS)
}

/// The flags that a command names, and whether -1 (all sessions) stands among them.
fn flags(dbcc: &ast::Dbcc) -> SqlResult<(Vec<i64>, bool)> {
    let mut flags = Vec::new();
    for (n, argument) in dbcc.arguments.iter().enumerate() {
        flags.push(number_of(argument).ok_or_else(|| SqlError::new(2560, &[&(n + 1)]))?);
    }
    let global = flags.contains(&-1);
    flags.retain(|f| *f != -1);
    Ok((flags, global))
}

/// TRACEON, TRACEOFF.
pub(super) fn set(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc, on: bool) -> SqlResult<()> {
    let (flags, global) = flags(dbcc)?;
    if let Some(flag) = flags.iter().find(|f| !KNOWN.contains(f)) {
        return Err(SqlError::new(40510, &[&format_args!("Trace flag {flag}")]));
    }
    let instance = cx.session.instance.clone();
    let mut everywhere = instance.databases().trace_flags().lock();
    let set = if global { &mut *everywhere } else { &mut cx.session.kept.trace_flags };
    set.retain(|f| !flags.contains(f));
    if on {
        set.extend(flags);
    }
    drop(everywhere);
    instance.checkpoints_configured();
    Ok(())
}

/// TRACESTATUS: the flags that are on, or each that was asked for.
pub(super) fn status(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let (asked, only_global) = flags(dbcc)?;
    let everywhere = cx.instance().databases().trace_flags().lock().clone();
    let mut shown = asked;
    if shown.is_empty() {
        shown.clone_from(&everywhere);
        if !only_global {
            shown.extend(&cx.session.kept.trace_flags);
        }
        shown.sort_unstable();
        shown.dedup();
    }
    let mut rows = Vec::new();
    for flag in shown {
        let (global, session) =
            (everywhere.contains(&flag), cx.session.kept.trace_flags.contains(&flag));
        rows.push(row![flag, i32::from(global || session), i32::from(global), i32::from(session)]);
    }
    let columns = [
        ("TraceFlag", SqlType::SmallInt, true),
        ("Status", SqlType::SmallInt, true),
        ("Global", SqlType::SmallInt, true),
        ("Session", SqlType::SmallInt, true),
    ];
    send(cx, &columns, rows)
}
