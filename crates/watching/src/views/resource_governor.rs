//! sys.resource_governor_…: the groups and pools that there are from the beginning. The governor is off, and nobody can switch it on.

use super::{Declaration, Rows, ViewContext, sys};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

const CONFIGURATION: &str = "\
    classifier_function_id int! · is_enabled bit! · max_outstanding_io_per_volume int!";
const IN_FORCE: &str = "\
    classifier_function_id int! · is_reconfiguration_pending bit! · max_outstanding_io_per_volume int!";
const GROUPS: &str = "\
    group_id int! · name sysname! · importance sysname! · request_max_memory_grant_percent int! · \
    request_max_cpu_time_sec int! · request_memory_grant_timeout_sec int! · max_dop int! · group_max_requests int! · \
    pool_id int! · external_pool_id int! · request_max_memory_grant_percent_numeric float!";
const POOLS: &str = "\
    pool_id int! · name sysname! · min_cpu_percent int! · max_cpu_percent int! · min_memory_percent int! · \
    max_memory_percent int! · cap_cpu_percent int! · min_iops_per_volume int! · max_iops_per_volume int!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "resource_governor_configuration",
            needs::SERVER_DEFINITIONS,
            &[CONFIGURATION],
            configuration,
        ),
        sys(
            "dm_resource_governor_configuration",
            needs::SERVER_PERFORMANCE,
            &[IN_FORCE],
            configuration,
        ),
        sys("resource_governor_workload_groups", needs::SERVER_DEFINITIONS, &[GROUPS], groups),
        sys("resource_governor_resource_pools", needs::SERVER_DEFINITIONS, &[POOLS], pools),
    ]);
}

const NAMES: [(i32, &str); 2] = [(1, "internal"), (2, "default")];

/// No function says who belongs where; nothing is governed, and no change waits to be.
fn configuration(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    rows.push(row![0, false, 0]);
    Ok(())
}

fn groups(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (id, name) in NAMES {
        rows.push(row![id, name, "Medium", 25, 0, 0, 0, 0, id, 2, 25.0]);
    }
    Ok(())
}

fn pools(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (id, name) in NAMES {
        rows.push(row![id, name, 0, 100, 0, 100, 100, 0, 0]);
    }
    Ok(())
}
