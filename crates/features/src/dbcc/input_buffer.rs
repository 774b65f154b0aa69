//! `DBCC INPUTBUFFER (session_id [, request_id])`: what a session sent last.

use super::number_of;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::{MaxLen, SqlType};

/// Answers for the session of the first argument.
pub(super) fn run(cx: &mut StatementContext<'_>, dbcc: &ast::Dbcc) -> SqlResult<()> {
    let own = |e: &ast::Expr| matches!(&e.kind, ast::ExprKind::SystemVariable(v) if v.is("@@SPID"));
    let id = match dbcc.arguments.first() {
        Some(e) if own(e) => Some(cx.session.id.0.into()),
        e => e.and_then(number_of),
    };
    let id = id.ok_or_else(|| SqlError::new(2560, &[&1]))?;
    let sessions = cx.instance().sessions();
    let found = sessions.iter().find(|s| i64::from(s.id.0) == id);
    let invalid =
        || SqlError::of_text(7955, 16, format!("Invalid SPID {id} specified.")).with_state(2);
    let (event, text) = found.ok_or_else(invalid)?.input();
    let kept: String = text.chars().take(4000).collect();
    let shown = (!text.is_empty()).then_some(kept);
    let columns = [
        ("EventType", SqlType::NVarChar(MaxLen::N(30)), true),
        ("Parameters", SqlType::SmallInt, true),
        ("EventInfo", SqlType::NVarChar(MaxLen::N(4000)), true),
    ];
    send(cx, &columns, vec![row![event, 0, shown]])
}
