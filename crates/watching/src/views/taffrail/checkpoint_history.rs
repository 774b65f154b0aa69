//! taffrail.checkpoint_history.

use super::{Declaration, Times, ViewContext, database_names, taffrail};
use crate::features::needs;
use crate::row;
use crate::views::Rows;
use taffrail_base::SqlResult;
use taffrail_observe::{Event, EventRing, History};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(taffrail(
        "checkpoint_history",
        needs::SERVER_PERFORMANCE,
        &[
            "start_time datetime2(7)!",
            "database_id smallint!",
            "database_name nvarchar(128)?",
            "is_automatic bit!",
            "begin_lsn nvarchar(24)?",
            "pages int!",
            "bytes bigint!",
            "duration_us bigint!",
            "reason nvarchar(60)!",
        ],
        checkpoint_history,
    ));
}

fn checkpoint_history(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let (times, names) = (Times::new(cx), database_names(cx));
    for recorded in EventRing::global().history(History::Checkpoints).0 {
        let Event::Checkpoint { database, automatic, reason, begin, pages, ns } = recorded.event
        else {
            continue;
        };
        // The log may have left its first record behind.
        let open = cx.session.instance.databases().by_id(database);
        let lsn = open.and_then(|d| d.storage.log().lsn(begin)).map(|l| l.to_string());
        rows.push(row![
            times.before(recorded.at, ns),
            database.0,
            names.get(&database),
            automatic,
            lsn,
            pages,
            u64::from(pages) * 8192,
            ns / 1000,
            reason
        ]);
    }
    Ok(())
}
