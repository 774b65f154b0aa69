//! taffrail.recovery_estimate.

use super::{Declaration, ViewContext, taffrail};
use crate::features::needs;
use crate::row;
use crate::views::Rows;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let columns = &[
        "database_id smallint!",
        "database_name nvarchar(128)!",
        "dirty_pages int!",
        "redo_bytes bigint!",
        "redo_bytes_per_second bigint!",
        "redo_pages_per_second bigint!",
        "is_measured bit!",
        "estimated_seconds float!",
        "target_seconds int!",
    ];
    views.push(taffrail(
        "recovery_estimate",
        needs::SERVER_PERFORMANCE,
        columns,
        recovery_estimate,
    ));
}

fn recovery_estimate(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for database in cx.session.instance.databases().open() {
        let estimate = database.storage.recovery_estimate();
        let dirty = i32::try_from(estimate.dirty_pages).unwrap_or(i32::MAX);
        rows.push(row![
            database.id.0,
            database.name.to_string(),
            dirty,
            estimate.redo_bytes,
            estimate.bytes_per_second,
            estimate.pages_per_second,
            estimate.is_measured,
            estimate.seconds(),
            database.storage.options().target_recovery_time_s
        ]);
    }
    Ok(())
}
