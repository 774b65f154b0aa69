//! sys.dm_os_*: waits, host, memory of the process.

use super::{Declaration, Rows, ViewContext, sys};
use crate::features::needs;
use crate::process::{proc_kb, proc_stat};
use crate::row;
use taffrail_base::SqlResult;
use taffrail_observe::{WaitRow, WaitStats};
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "dm_os_wait_stats",
            needs::SERVER_PERFORMANCE,
            &[
                "wait_type nvarchar(60)!",
                "waiting_tasks_count bigint!",
                "wait_time_ms bigint!",
                "max_wait_time_ms bigint!",
                "signal_wait_time_ms bigint!",
            ],
            |_, _, rows| {
                for w in WaitStats::global().snapshot() {
                    rows.push(wait_cells(&w));
                }
                Ok(())
            },
        ),
        sys(
            "dm_exec_session_wait_stats",
            needs::SESSIONS_SEEN,
            &[
                "session_id smallint!",
                "wait_type nvarchar(60)!",
                "waiting_tasks_count bigint!",
                "wait_time_ms bigint!",
                "max_wait_time_ms bigint!",
                "signal_wait_time_ms bigint!",
            ],
            |cx, _, rows| {
                for s in cx.sessions() {
                    for w in s.cell.waits() {
                        let mut cells = row![s.id.0];
                        cells.extend(wait_cells(&w));
                        rows.push(cells);
                    }
                }
                Ok(())
            },
        ),
        sys(
            "dm_os_sys_info",
            needs::SERVER_PERFORMANCE,
            &[
                "cpu_ticks bigint!",
                "ms_ticks bigint!",
                "cpu_count int!",
                "hyperthread_ratio int!",
                "physical_memory_kb bigint!",
                "virtual_memory_kb bigint?",
                "committed_kb bigint!",
                "committed_target_kb bigint!",
                "visible_target_kb bigint!",
                "stack_size_in_bytes int!",
                "os_quantum bigint?",
                "os_error_mode int?",
                "os_priority_class int?",
                "max_workers_count int?",
                "scheduler_count int!",
                "scheduler_total_count int!",
                "deadlock_monitor_serial_number int?",
                "sqlserver_start_time_ms_ticks bigint!",
                "sqlserver_start_time datetime!",
                "affinity_type int!",
                "affinity_type_desc nvarchar(60)!",
                "process_kernel_time_ms bigint!",
                "process_user_time_ms bigint!",
                "time_source int?",
                "time_source_desc nvarchar(60)?",
                "virtual_machine_type int?",
                "virtual_machine_type_desc nvarchar(60)?",
                "softnuma_configuration int!",
                "softnuma_configuration_desc nvarchar(60)!",
                "process_physical_affinity nvarchar(3072)?",
                "sql_memory_model int!",
                "sql_memory_model_desc nvarchar(60)!",
                "socket_count int!",
                "cores_per_socket int!",
                "numa_node_count int!",
                "container_type int!",
                "container_type_desc nvarchar(60)!",
            ],
            sys_info,
        ),
        sys(
            "dm_os_host_info",
            needs::SERVER_PERFORMANCE,
            &[
                "host_platform nvarchar(256)!",
                "host_distribution nvarchar(256)!",
                "host_release nvarchar(256)!",
                "host_service_pack_level nvarchar(256)!",
                "host_sku int?",
                "os_language_version int!",
                "host_architecture nvarchar(256)!",
            ],
            host_info,
        ),
        sys(
            "dm_os_process_memory",
            needs::SERVER_PERFORMANCE,
            &[
                "physical_memory_in_use_kb bigint!",
                "large_page_allocations_kb bigint!",
                "locked_page_allocations_kb bigint!",
                "total_virtual_address_space_kb bigint!",
                "virtual_address_space_reserved_kb bigint!",
                "virtual_address_space_committed_kb bigint!",
                "virtual_address_space_available_kb bigint!",
                "page_fault_count bigint!",
                "memory_utilization_percentage int!",
                "available_commit_limit_kb bigint!",
                "process_physical_memory_low bit!",
                "process_virtual_memory_low bit!",
            ],
            process_memory,
        ),
        sys(
            "dm_os_sys_memory",
            needs::SERVER_PERFORMANCE,
            &[
                "total_physical_memory_kb bigint!",
                "available_physical_memory_kb bigint!",
                "total_page_file_kb bigint!",
                "available_page_file_kb bigint!",
                "system_cache_kb bigint!",
                "kernel_paged_pool_kb bigint!",
                "kernel_nonpaged_pool_kb bigint!",
                "system_high_memory_signal_state bit!",
                "system_low_memory_signal_state bit!",
                "system_memory_state_desc nvarchar(256)!",
            ],
            sys_memory,
        ),
    ]);
}

fn wait_cells(w: &WaitRow) -> Vec<Value> {
    row![
        w.wait_type.name(),
        w.waiting_tasks_count,
        w.wait_time_ms(),
        w.max_wait_time_ms(),
        w.signal_wait_time_ms()
    ]
}

fn sys_info(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let options = cx.session.instance.options();
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    let ms = options.env.clock.monotonic().as_millis() as u64;
    let up = cx.session.instance.up_time().as_millis() as u64;
    let (user, kernel, _) = proc_stat().unwrap_or_default();
    let committed = proc_kb("/proc/self/status", "VmRSS:").unwrap_or(0);
    let target = cx.session.instance.databases().memory_mb() * 1024;
    rows.push(row![
        options.env.clock.monotonic().as_nanos() as u64,
        ms,
        cpus,
        cpus,
        proc_kb("/proc/meminfo", "MemTotal:").unwrap_or(0),
        (),
        committed,
        target,
        target,
        2 << 20,
        (),
        (),
        (),
        options.max_connections,
        cpus,
        cpus,
        (),
        ms.saturating_sub(up),
        cx.session.instance.start_time(),
        2,
        "AUTO",
        kernel,
        user,
        (),
        (),
        (),
        (),
        0,
        "OFF",
        (),
        1,
        "CONVENTIONAL",
        1,
        cpus,
        1,
        0,
        "NONE"
    ]);
    Ok(())
}

fn host_info(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field = |name: &str| {
        let line = release.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix('='));
        line.map(|v| v.trim_matches('"').to_string()).unwrap_or_default()
    };
    let platform = if cfg!(target_os = "linux") { "Linux" } else { std::env::consts::OS };
    rows.push(row![
        platform,
        field("NAME"),
        field("VERSION_ID"),
        "",
        (),
        0,
        if cfg!(target_arch = "aarch64") { "ARM64" } else { "X64" }
    ]);
    Ok(())
}

/// What a process can address: the lower half of 48 bits.
const ADDRESS_SPACE_KB: u64 = 1 << 37;

fn process_memory(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let kb = |name| proc_kb("/proc/self/status", name).unwrap_or(0);
    let of_system = |name| proc_kb("/proc/meminfo", name).unwrap_or(0);
    let (used, reserved) = (kb("VmRSS:"), kb("VmSize:"));
    // What was asked for and never touched is reserved only.
    let committed = used + kb("VmSwap:");
    let faults = proc_stat().map_or(0, |s| s.2);
    rows.push(row![
        used,
        kb("HugetlbPages:"),
        kb("VmLck:"),
        ADDRESS_SPACE_KB,
        reserved,
        committed,
        ADDRESS_SPACE_KB.saturating_sub(reserved),
        faults,
        (used * 100 / committed.max(1)).min(100),
        of_system("CommitLimit:").saturating_sub(of_system("Committed_AS:")),
        false,
        false
    ]);
    Ok(())
}

fn sys_memory(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let kb = |name| proc_kb("/proc/meminfo", name).unwrap_or(0);
    let (total, available) = (kb("MemTotal:"), kb("MemAvailable:"));
    let (swap, swap_free) = (kb("SwapTotal:"), kb("SwapFree:"));
    let high = available > total / 10;
    rows.push(row![
        total,
        available,
        total + swap,
        available + swap_free,
        kb("Cached:"),
        // What the kernel could give back of its own memory, and what not.
        kb("SReclaimable:"),
        kb("SUnreclaim:"),
        high,
        !high,
        if high { "Available physical memory is high" } else { "Available physical memory is low" }
    ]);
    Ok(())
}
