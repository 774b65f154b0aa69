//! The Agent's tables in msdb. There is no Agent, so there are no jobs, schedules, operators and alerts; the categories are those
//! that SQL Server brings along.

use super::{Declaration, Rows, ViewContext, msdb};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        msdb(
            "sysoriginatingservers_view",
            needs::READS,
            &[
                "originating_server_id int?",
                "originating_server nvarchar(128)?",
                "master_server bit?",
            ],
            |cx, _, rows| {
                rows.push(row![0, &cx.session.instance.options().server_name, false]);
                Ok(())
            },
        ),
        msdb(
            "syscategories",
            needs::READS,
            &["category_id int!", "category_class int!", "category_type tinyint!", "name sysname!"],
            categories,
        ),
    ]);
}

fn categories(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    const LOCAL: [(i32, &str); 17] = [
        (0, "[Uncategorized (Local)]"),
        (1, "Jobs from MSX"),
        (3, "Database Maintenance"),
        (5, "Full-Text"),
        (6, "Log Shipping"),
        (7, "Database Engine Tuning Advisor"),
        (8, "Data Collector"),
        (10, "REPL-Distribution"),
        (11, "REPL-Distribution Cleanup"),
        (12, "REPL-History Cleanup"),
        (13, "REPL-LogReader"),
        (14, "REPL-Merge"),
        (15, "REPL-Snapshot"),
        (16, "REPL-Checkup"),
        (17, "REPL-Subscription Cleanup"),
        (18, "REPL-Alert Response"),
        (19, "REPL-QueueReader"),
    ];
    let mut all: Vec<(i32, i32, i32, &str)> =
        LOCAL.iter().map(|(id, name)| (*id, 1, 1, *name)).collect();
    all.extend([
        (2, 1, 2, "[Uncategorized (Multi-Server)]"),
        (20, 2, 3, "Replication"),
        (98, 2, 3, "[Uncategorized]"),
        (99, 3, 3, "[Uncategorized]"),
    ]);
    all.sort_unstable();
    for (id, class, kind, name) in all {
        rows.push(row![id, class, kind, name]);
    }
    Ok(())
}
