//! sys.database_scoped_configurations.

use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::registry::{FLAG_FUNCTIONS_CALLED, FLAG_PIPELINED_COMMIT};
use crate::configurations::{
    FIXED, FUNCTION_INLINING, LOG_INITIALIZATION, LOG_VLF_ALGORITHM, PIPELINED_COMMIT,
};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(sys(
        "database_scoped_configurations",
        needs::PUBLIC,
        &[
            "configuration_id int!",
            "name nvarchar(60)!",
            "value sql_variant?",
            "value_for_secondary sql_variant?",
            "is_value_default bit!",
        ],
        configurations,
    ));
}

fn configurations(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (id, name, value) in FIXED {
        rows.push(row![*id, *name, *value, (), true]);
    }
    let storage = &cx.database.storage;
    let (id, name) = FUNCTION_INLINING;
    let inlines = storage.engine_flags() & FLAG_FUNCTIONS_CALLED == 0;
    rows.push(row![id, name, i32::from(inlines), (), inlines]);
    let (options, log) = (storage.options(), storage.log());
    let (id, name) = LOG_INITIALIZATION;
    let value = log.initialization().name().to_uppercase();
    rows.push(row![id, name, &value, (), options.log_initialization.is_none()]);
    let (id, name) = LOG_VLF_ALGORITHM;
    let value = log.vlf_algorithm().name();
    rows.push(row![id, name, value, (), options.log_vlf_algorithm.is_none()]);
    let (id, name) = PIPELINED_COMMIT;
    let pipelined = storage.engine_flags() & FLAG_PIPELINED_COMMIT != 0;
    rows.push(row![id, name, i32::from(pipelined), (), !pipelined]);
    Ok(())
}
