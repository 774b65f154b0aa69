//! sys.resource_governor_…: the groups and pools that there are from the beginning. The governor is off, and nobody can switch it on.

use super::cell::{Columns, IntoCell, no};
use super::{Declaration, by_column};
use crate::features::needs;

/// The governor, which is off: no function says who belongs where, and no change waits to be in force.
struct Governor;

const CONFIGURATION: Columns<Governor> = &[&[
    ("classifier_function_id int!", |_| 0_i32.cell()),
    ("is_enabled bit!", no),
    ("max_outstanding_io_per_volume int!", |_| 0_i32.cell()),
]];

const IN_FORCE: Columns<Governor> = &[&[
    ("classifier_function_id int!", |_| 0_i32.cell()),
    ("is_reconfiguration_pending bit!", no),
    ("max_outstanding_io_per_volume int!", |_| 0_i32.cell()),
]];

/// A group and the pool of the same number and name.
struct Group {
    id: i32,
    name: &'static str,
}

const ALL: [Group; 2] = [Group { id: 1, name: "internal" }, Group { id: 2, name: "default" }];

const GROUPS: Columns<Group> = &[&[
    ("group_id int!", |g| g.id.cell()),
    ("name sysname!", |g| g.name.cell()),
    ("importance sysname!", |_| "Medium".cell()),
    ("request_max_memory_grant_percent int!", |_| 25_i32.cell()),
    ("request_max_cpu_time_sec int!", |_| 0_i32.cell()),
    ("request_memory_grant_timeout_sec int!", |_| 0_i32.cell()),
    ("max_dop int!", |_| 0_i32.cell()),
    ("group_max_requests int!", |_| 0_i32.cell()),
    ("pool_id int!", |g| g.id.cell()),
    ("external_pool_id int!", |_| 2_i32.cell()),
    ("request_max_memory_grant_percent_numeric float!", |_| 25.0_f64.cell()),
]];

const POOLS: Columns<Group> = &[&[
    ("pool_id int!", |g| g.id.cell()),
    ("name sysname!", |g| g.name.cell()),
    ("min_cpu_percent int!", |_| 0_i32.cell()),
    ("max_cpu_percent int!", |_| 100_i32.cell()),
    ("min_memory_percent int!", |_| 0_i32.cell()),
    ("max_memory_percent int!", |_| 100_i32.cell()),
    ("cap_cpu_percent int!", |_| 100_i32.cell()),
    ("min_iops_per_volume int!", |_| 0_i32.cell()),
    ("max_iops_per_volume int!", |_| 0_i32.cell()),
]];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let definitions = needs::SERVER_DEFINITIONS;
    let in_force = needs::SERVER_PERFORMANCE;
    views.extend([
        by_column("resource_governor_configuration", definitions, CONFIGURATION, |_, _, rows| {
            rows.show(CONFIGURATION, &Governor);
            Ok(())
        }),
        by_column("dm_resource_governor_configuration", in_force, IN_FORCE, |_, _, rows| {
            rows.show(IN_FORCE, &Governor);
            Ok(())
        }),
        by_column("resource_governor_workload_groups", definitions, GROUPS, |_, _, rows| {
            ALL.iter().for_each(|group| rows.show(GROUPS, group));
            Ok(())
        }),
        by_column("resource_governor_resource_pools", definitions, POOLS, |_, _, rows| {
            ALL.iter().for_each(|pool| rows.show(POOLS, pool));
            Ok(())
        }),
    ]);
}
