//! `DBCC OPENTRAN`: the oldest transaction that has written and not ended, as text or as rows.

use super::database_of;
use crate::catalog::registry::SA_SID;
use crate::results::{print, send};
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::SqlResult;
use taffrail_syntax::ast;
use taffrail_types::{Conversion, MaxLen, SqlType, Value, convert};

/// A moment as `Jun  1 2004  3:30:07:197PM`.
fn start_time(at: &Value) -> SqlResult<String> {
    let varchar = SqlType::VarChar(MaxLen::N(30));
    let text = convert::cast(at, SqlType::DateTime, varchar, Some(109), Conversion::Explicit)?;
    Ok(text.as_text().unwrap_or_default())
}

/// Answers for the database of the first argument.
pub(super) fn run(
    cx: &mut StatementContext<'_>,
    dbcc: &ast::Dbcc,
    table_results: bool,
) -> SqlResult<()> {
    let database = database_of(cx, dbcc.arguments.first())?;
    // One whose end is in the log already holds nothing any more.
    let mut open = database.storage.active_transactions().into_iter();
    let Some(t) = open.find(|t| !t.system && !t.has_ended()) else {
        return print(cx, "No active open transactions.");
    };
    let lsn = database.storage.log().lsn(t.begin());
    let lsn = lsn.map_or_else(String::new, taffrail_base::Lsn::in_message);
    let started = start_time(&crate::catalog::datetime(t.begun))?;
    let sid: String = SA_SID.iter().map(|b| format!("{b:02x}")).collect();
    let facts = [
        ("OLDACT_SPID", "SPID (server process ID)", t.session.0.to_string()),
        ("OLDACT_UID", "UID (user ID) ", "-1".to_owned()),
        ("OLDACT_NAME", "Name          ", t.shown_name().to_owned()),
        ("OLDACT_RECOVERYUNITID", "", "-1".to_owned()),
        ("OLDACT_LSN", "LSN           ", lsn),
        ("OLDACT_STARTTIME", "Start time    ", started),
        ("OLDACT_SID", "SID           ", format!("0x{sid}")),
    ];
    if table_results {
        let rows = facts.into_iter().map(|(name, _, value)| row![name, value]).collect();
        let columns = [
            ("REPL_NAME", SqlType::VarChar(MaxLen::N(25)), false),
            ("REPL_VALUE", SqlType::Variant, true),
        ];
        return send(cx, &columns, rows);
    }
    print(cx, &format!("Transaction information for database '{}'.", database.name))?;
    print(cx, "")?;
    print(cx, "Oldest active transaction:")?;
    for (_, name, value) in facts.into_iter().filter(|f| !f.1.is_empty()) {
        print(cx, &format!("    {name}: {value}"))?;
    }
    Ok(())
}
