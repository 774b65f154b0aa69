//! taffrail.growth_history.

use super::{Declaration, Times, ViewContext, taffrail};
use crate::features::needs;
use crate::row;
use crate::views::Rows;
use taffrail_base::SqlResult;
use taffrail_observe::{Event, EventRing, History};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(taffrail(
        "growth_history",
        needs::SERVER_PERFORMANCE,
        &[
            "start_time datetime2(7)!",
            "session_id smallint?",
            "database_id smallint!",
            "database_name nvarchar(128)!",
            "file_id smallint!",
            "file_name nvarchar(128)!",
            "file_type nvarchar(60)!",
            "from_bytes bigint?",
            "to_bytes bigint?",
            "vlfs int?",
            "is_zeroed bit?",
            "is_automatic bit!",
            "is_cancelled bit!",
            "duration_us bigint!",
        ],
        growth_history,
    ));
}

fn growth_history(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let times = Times::new(cx);
    for recorded in EventRing::global().history(History::Growths).0 {
        let at = recorded.at;
        rows.push(match &recorded.event {
            Event::LogGrowth {
                database,
                file,
                name,
                from,
                to,
                vlfs,
                zeroed,
                automatic,
                session,
                ns,
            } => row![
                times.before(at, *ns),
                *session,
                database.id.0,
                &database.name,
                file.0,
                name,
                "LOG",
                *from,
                *to,
                *vlfs,
                *zeroed,
                *automatic,
                false,
                ns / 1000
            ],
            Event::LogGrowthCancelled { database, file, name, session, ns } => row![
                times.before(at, *ns),
                *session,
                database.id.0,
                &database.name,
                file.0,
                name,
                "LOG",
                (),
                (),
                (),
                (),
                true,
                true,
                ns / 1000
            ],
            Event::DataGrowth { database, file, name, from, to, automatic, session, ns } => row![
                times.before(at, *ns),
                *session,
                database.id.0,
                &database.name,
                file.0,
                name,
                "ROWS",
                *from,
                *to,
                (),
                (),
                *automatic,
                false,
                ns / 1000
            ],
            _ => continue,
        });
    }
    Ok(())
}
