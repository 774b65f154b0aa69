//! sys.periods: the periods of tables.

use super::cell::{Column, Columns, IntoCell};
use super::{Declaration, Rows, ViewContext, by_column};
use crate::catalog::Table;
use crate::features::needs;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(by_column("periods", needs::METADATA, PERIODS, periods));
}

/// A table with a period, and the numbers of the columns of its start and end.
type Period = (Arc<Table>, i32, i32);

const SHOWN: &[Column<Period>] = &[
    ("name sysname?", |_| "SYSTEM_TIME".cell()),
    ("period_type tinyint?", |_| 1_i32.cell()),
    ("period_type_desc nvarchar(60)?", |_| "SYSTEM_TIME_PERIOD".cell()),
    ("object_id int!", |p| p.0.head.id.0.cell()),
    ("start_column_id int!", |p| p.1.cell()),
    ("end_column_id int!", |p| p.2.cell()),
];

const PERIODS: Columns<Period> = &[SHOWN];

fn periods(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for table in cx.tables() {
        if let Some((start, end)) = table.period {
            let (start, end) = (table.columns[start].id, table.columns[end].id);
            rows.show(PERIODS, &(table, start, end));
        }
    }
    Ok(())
}
