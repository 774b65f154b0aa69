//! sys.dm_resource_governor_workload_groups, dm_resource_governor_resource_pools: the group and the pool that every request belongs
//! to, and those of the server's own work. Nobody can make others, and nothing is governed: what limits would count is 0.

use super::dm_io::totals;
use super::{Declaration, Rows, ViewContext, sys};
use crate::features::needs;
use crate::process::{proc_kb, proc_stat};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_observe::WaitStats;
use taffrail_types::Value;

const GROUPS: &[&str] = &[
    "group_id int!",
    "name nvarchar(128)!",
    "pool_id int!",
    "external_pool_id int!",
    "statistics_start_time datetime!",
    "total_request_count bigint!",
    "total_queued_request_count bigint!",
    "active_request_count int!",
    "queued_request_count int!",
    "total_cpu_limit_violation_count bigint!",
    "total_cpu_usage_ms bigint!",
    "max_request_cpu_time_ms bigint!",
    "blocked_task_count int!",
    "total_lock_wait_count bigint!",
    "total_lock_wait_time_ms bigint!",
    "total_query_optimization_count bigint!",
    "total_suboptimal_plan_generation_count bigint!",
    "total_reduced_memgrant_count bigint!",
    "max_request_grant_memory_kb bigint!",
    "active_parallel_thread_count bigint!",
    "importance nvarchar(128)!",
    "request_max_memory_grant_percent int!",
    "request_max_cpu_time_sec int!",
    "request_memory_grant_timeout_sec int!",
    "group_max_requests int!",
    "max_dop int!",
    "effective_max_dop int!",
    "total_cpu_usage_preemptive_ms bigint!",
    "request_max_memory_grant_percent_numeric float!",
];

const POOLS: &[&str] = &[
    "pool_id int!",
    "name nvarchar(128)!",
    "statistics_start_time datetime!",
    "total_cpu_usage_ms bigint!",
    "cache_memory_kb bigint!",
    "compile_memory_kb bigint!",
    "used_memgrant_kb bigint!",
    "total_memgrant_count bigint!",
    "total_memgrant_timeout_count bigint!",
    "active_memgrant_count int!",
    "active_memgrant_kb bigint!",
    "memgrant_waiter_count int!",
    "max_memory_kb bigint!",
    "used_memory_kb bigint!",
    "target_memory_kb bigint!",
    "out_of_memory_count bigint!",
    "min_cpu_percent int!",
    "max_cpu_percent int!",
    "min_memory_percent int!",
    "max_memory_percent int!",
    "cap_cpu_percent int!",
    "min_iops_per_volume int?",
    "max_iops_per_volume int?",
    "read_io_queued_total int?",
    "read_io_issued_total int?",
    "read_io_completed_total int!",
    "read_io_throttled_total int?",
    "read_bytes_total bigint!",
    "read_io_stall_total_ms bigint!",
    "read_io_stall_queued_ms bigint?",
    "write_io_queued_total int?",
    "write_io_issued_total int?",
    "write_io_completed_total int!",
    "write_io_throttled_total int?",
    "write_bytes_total bigint!",
    "write_io_stall_total_ms bigint!",
    "write_io_stall_queued_ms bigint?",
    "io_issue_violations_total int?",
    "io_issue_delay_total_ms bigint?",
    "io_issue_ahead_total_ms bigint?",
    "reserved_io_limited_by_volume_total bigint?",
    "io_issue_delay_non_throttled_total_ms bigint?",
    "total_cpu_delayed_ms bigint!",
    "total_cpu_active_ms bigint!",
    "total_cpu_violation_delay_ms bigint!",
    "total_cpu_violation_sec bigint!",
    "total_cpu_usage_preemptive_ms bigint!",
];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(sys(
        "dm_resource_governor_workload_groups",
        needs::SERVER_PERFORMANCE,
        GROUPS,
        groups,
    ));
    views.push(sys("dm_resource_governor_resource_pools", needs::SERVER_PERFORMANCE, POOLS, pools));
}

const INTERNAL: &str = "internal";
const DEFAULT: &str = "default";

/// Of the process, which all requests share.
fn cpu_ms() -> u64 {
    proc_stat().map_or(0, |(user, kernel, _)| user + kernel)
}

fn groups(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let sessions = instance.sessions();
    let active = sessions.iter().filter(|s| s.is_running()).count();
    let blocked = sessions.iter().filter(|s| s.cell.blocking_session() != 0).count();
    let c = instance.counters();
    let waits = WaitStats::global().snapshot();
    let locks = || waits.iter().filter(|w| w.wait_type.name().starts_with("LCK_M_"));
    let count: u64 = locks().map(|w| w.waiting_tasks_count).sum();
    let ms: u64 = locks().map(|w| w.wait_time_ms()).sum();
    let optimized = c.compilations.get();
    let internal = [0; 6];
    let default = [c.batch_requests.get(), cpu_ms(), blocked as u64, count, ms, optimized];
    for (id, name, active, of) in [(1, INTERNAL, 0, internal), (2, DEFAULT, active, default)] {
        let [requests, cpu, blocked, count, ms, optimized] = of;
        let start = instance.start_time();
        rows.push(row![
            id, name, id, 2, start, requests, 0, active, 0, 0, cpu, 0, blocked, count, ms,
            optimized, 0, 0, 0, 0, "Medium", 25, 0, 0, 0, 0, 1, 0, 25.0
        ]);
    }
    Ok(())
}

fn pools(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let target = instance.databases().memory_mb() * 1024;
    let used = proc_kb("/proc/self/status", "VmRSS:").unwrap_or(0);
    let mut io = [(0u64, 0u64, 0u64); 2];
    let open = instance.databases().list().into_iter().filter_map(|s| s.database);
    for file in open.flat_map(|d| d.storage.file_sizes()) {
        for (sum, of) in io.iter_mut().zip(totals(instance, &file)) {
            sum.0 += of.count;
            sum.1 += of.bytes;
            sum.2 += of.stall.as_millis() as u64;
        }
    }
    let internal = (0, 0, 0, [(0, 0, 0); 2]);
    let default = (cpu_ms(), used, target, io);
    for (id, name, (cpu, used, target, [read, write])) in
        [(1, INTERNAL, internal), (2, DEFAULT, default)]
    {
        let start = instance.start_time();
        // int there: what is more stays at its end.
        let int = |n: u64| i32::try_from(n).unwrap_or(i32::MAX);
        rows.push(row![
            id,
            name,
            start,
            cpu,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            target,
            used,
            target,
            0,
            0,
            100,
            0,
            100,
            100,
            (),
            (),
            (),
            (),
            int(read.0),
            (),
            read.1,
            read.2,
            (),
            (),
            (),
            int(write.0),
            (),
            write.1,
            write.2,
            (),
            (),
            (),
            (),
            (),
            (),
            0,
            cpu,
            0,
            0,
            0
        ]);
    }
    Ok(())
}
