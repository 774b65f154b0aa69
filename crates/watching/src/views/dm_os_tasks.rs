//! sys.dm_os_schedulers, dm_os_tasks, dm_os_workers, dm_os_threads, dm_os_nodes, dm_os_memory_nodes.
//!
//! A session is a thread of the system's, which the system puts where it likes. So a scheduler is a processor; a task is a request that
//! runs, or one of the server's own threads; its worker is the thread. The scheduler of a task is the processor on which the system had
//! its thread last. Times and switches of all threads together are shared out evenly among the schedulers: the system
//! counts them by thread.

use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::datetime;
use crate::features::needs;
use crate::instance::{Instance, SessionInfo};
use crate::row;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::SqlResult;
use taffrail_io::UtcTime;
use taffrail_observe::{Moment, Status};
use taffrail_types::Value;

const SCHEDULERS: &[&str] = &[
    "scheduler_address varbinary(8)!",
    "parent_node_id int!",
    "scheduler_id int!",
    "cpu_id smallint!",
    "status nvarchar(60)!",
    "is_online bit!",
    "is_idle bit!",
    "preemptive_switches_count int!",
    "context_switches_count int!",
    "idle_switches_count int!",
    "current_tasks_count int!",
    "runnable_tasks_count int!",
    "current_workers_count int!",
    "active_workers_count int!",
    "work_queue_count bigint!",
    "pending_disk_io_count int!",
    "load_factor int!",
    "yield_count int!",
    "last_timer_activity bigint!",
    "failed_to_create_worker bit!",
    "active_worker_address varbinary(8)?",
    "memory_object_address varbinary(8)!",
    "task_memory_object_address varbinary(8)!",
    "quantum_length_us bigint!",
    "total_cpu_usage_ms bigint!",
    "total_cpu_idle_capped_ms bigint!",
    "total_scheduler_delay_ms bigint!",
    "ideal_workers_limit int!",
];
const TASKS: &[&str] = &[
    "task_address varbinary(8)!",
    "task_state nvarchar(60)?",
    "context_switches_count int?",
    "pending_io_count int?",
    "pending_io_byte_count bigint?",
    "pending_io_byte_average int?",
    "scheduler_id int!",
    "session_id smallint?",
    "exec_context_id int?",
    "request_id int?",
    "worker_address varbinary(8)?",
    "host_address varbinary(8)!",
    "parent_task_address varbinary(8)?",
];
const WORKERS: &[&str] = &[
    "worker_address varbinary(8)!",
    "status int!",
    "is_preemptive bit?",
    "is_fiber bit?",
    "is_sick bit?",
    "is_in_cc_exception bit?",
    "is_fatal_exception bit?",
    "is_inside_catch bit?",
    "is_in_polling_io_completion_routine bit?",
    "context_switch_count int!",
    "pending_io_count int!",
    "pending_io_byte_count bigint!",
    "pending_io_byte_average int!",
    "wait_started_ms_ticks bigint!",
    "wait_resumed_ms_ticks bigint!",
    "task_bound_ms_ticks bigint!",
    "worker_created_ms_ticks bigint!",
    "exception_num int!",
    "exception_severity int!",
    "exception_address varbinary(8)?",
    "affinity bigint!",
    "state nvarchar(60)?",
    "start_quantum bigint!",
    "end_quantum bigint!",
    "last_wait_type nvarchar(60)?",
    "return_code int!",
    "quantum_used bigint!",
    "max_quantum bigint!",
    "boost_count int!",
    "tasks_processed_count int!",
    "fiber_address varbinary(8)?",
    "task_address varbinary(8)?",
    "memory_object_address varbinary(8)?",
    "thread_address varbinary(8)?",
    "signal_worker_address varbinary(8)?",
    "scheduler_address varbinary(8)?",
    "processor_group smallint!",
];
const THREADS: &[&str] = &[
    "thread_address varbinary(8)!",
    "started_by_sqlservr bit?",
    "os_thread_id int?",
    "status int?",
    "instruction_address varbinary(8)?",
    "creation_time datetime?",
    "kernel_time bigint?",
    "usermode_time bigint?",
    "stack_base_address varbinary(8)?",
    "stack_end_address varbinary(8)?",
    "stack_bytes_committed int?",
    "stack_bytes_used int?",
    "affinity bigint?",
    "priority int?",
    "locale int?",
    "token varbinary(8)?",
    "is_impersonating int?",
    "is_waiting_on_loader_lock int?",
    "fiber_data varbinary(8)?",
    "thread_handle varbinary(8)?",
    "event_handle varbinary(8)?",
    "scheduler_address varbinary(8)?",
    "worker_address varbinary(8)?",
    "fiber_context_address varbinary(8)?",
    "self_address varbinary(8)?",
    "processor_group smallint!",
];
const NODES: &[&str] = &[
    "node_id smallint!",
    "node_state_desc nvarchar(256)!",
    "memory_object_address varbinary(8)!",
    "memory_clerk_address varbinary(8)!",
    "io_completion_worker_address varbinary(8)?",
    "memory_node_id smallint!",
    "cpu_affinity_mask bigint!",
    "online_scheduler_count smallint!",
    "idle_scheduler_count smallint!",
    "active_worker_count int!",
    "avg_load_balance int!",
    "timer_task_affinity_mask bigint!",
    "permanent_task_affinity_mask bigint!",
    "resource_monitor_state bit!",
    "online_scheduler_mask bigint!",
    "processor_group smallint!",
    "cpu_count int!",
];
const MEMORY_NODES: &[&str] = &[
    "memory_node_id smallint!",
    "virtual_address_space_reserved_kb bigint!",
    "virtual_address_space_committed_kb bigint!",
    "locked_page_allocations_kb bigint!",
    "pages_kb bigint!",
    "shared_memory_reserved_kb bigint!",
    "shared_memory_committed_kb bigint!",
    "cpu_affinity_mask bigint!",
    "online_scheduler_mask bigint!",
    "processor_group smallint!",
    "foreign_committed_kb bigint!",
    "target_kb bigint!",
];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("dm_os_schedulers", needs::SERVER_PERFORMANCE, SCHEDULERS, schedulers),
        sys("dm_os_tasks", needs::SERVER_PERFORMANCE, TASKS, tasks),
        sys("dm_os_workers", needs::SERVER_PERFORMANCE, WORKERS, workers),
        sys("dm_os_threads", needs::SERVER_PERFORMANCE, THREADS, threads),
        sys("dm_os_nodes", needs::SERVER_PERFORMANCE, NODES, nodes),
        sys("dm_os_memory_nodes", needs::SERVER_PERFORMANCE, MEMORY_NODES, memory_nodes),
    ]);
}

/// Numbers stand for addresses: what belongs together has the same one in every view.
fn address(of: u64, number: u64) -> Value {
    Value::binary(&(of << 40 | number).to_be_bytes())
}

const SCHEDULER: u64 = 0x7f10;
const WORKER: u64 = 0x7f20;
const THREAD: u64 = 0x7f30;
const MEMORY: u64 = 0x7f40;
const NODE: u64 = 0x7f50;

/// A task's address, as `dm_exec_requests` and `dm_os_waiting_tasks` have it.
fn task_address(s: &SessionInfo) -> Value {
    Value::binary(&u64::from(s.id.0).to_be_bytes())
}

/// What the system tells of a thread.
#[derive(Clone, Copy, Default)]
pub(crate) struct Thread {
    /// Its number.
    id: u64,
    /// It runs, or waits for a processor.
    runs: bool,
    user_ms: u64,
    kernel_ms: u64,
    priority: i32,
    /// Since the start of the machine, ms.
    started_ms: u64,
    /// On which it was last.
    processor: u32,
}

/// The fields of `/proc/self/task/THREAD/stat` behind the name: times are in ticks of 10 ms.
fn parse(id: u64, text: &str) -> Option<Thread> {
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split_ascii_whitespace().collect();
    let number = |n: usize| fields.get(n)?.parse::<i64>().ok();
    Some(Thread {
        id,
        runs: *fields.first()? == "R",
        user_ms: number(11)? as u64 * 10,
        kernel_ms: number(12)? as u64 * 10,
        priority: number(15)? as i32,
        started_ms: number(19)? as u64 * 10,
        processor: number(36)? as u32,
    })
}

/// A thread of this process.
pub(crate) fn thread(id: u64) -> Option<Thread> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{id}/stat")).ok()?;
    parse(id, &text)
}

/// All of them.
fn all_threads() -> Vec<Thread> {
    let Ok(list) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let ids = list.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter_map(thread).collect()
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

impl Thread {
    /// One of the schedulers that are shown.
    fn scheduler(&self) -> u32 {
        self.processor % processors() as u32
    }
}

/// The scheduler of a session's thread; none: it has sent nothing yet.
pub(crate) fn scheduler_of(s: &SessionInfo) -> Option<u32> {
    Some(thread(s.thread()?)?.scheduler())
}

/// Tasks: requests that run, and the server's own threads.
fn running(instance: &Instance) -> Vec<Arc<SessionInfo>> {
    let mut all = instance.all_sessions();
    all.retain(|s| s.cell.status() != Status::Sleeping);
    all
}

fn state(s: &SessionInfo, thread: Option<&Thread>) -> &'static str {
    match s.cell.wait_type() {
        Some(_) => "SUSPENDED",
        None if thread.is_none_or(|t| t.runs) => "RUNNING",
        None => "SUSPENDED",
    }
}

/// How often a thread has left its processor.
fn switches(id: u64) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/self/task/{id}/status")).unwrap_or_default();
    let lines = text.lines().filter(|l| l.contains("ctxt_switches:"));
    lines.filter_map(|l| l.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()).sum()
}

/// How long a thread has waited for a processor, ms.
fn delayed(id: u64) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/self/task/{id}/schedstat"));
    let ns = text.ok().and_then(|t| t.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
    ns.unwrap_or(0) / 1_000_000
}

fn int(n: u64) -> i64 {
    n.min(i32::MAX as u64) as i64
}

fn schedulers(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let (threads, tasks) = (all_threads(), running(instance));
    let count = processors() as u64;
    let each = |of: fn(u64) -> u64| threads.iter().map(|t| of(t.id)).sum::<u64>() / count;
    let (switches, delay) = (each(switches), each(delayed));
    let (user, kernel, _) = crate::process::proc_stat().unwrap_or_default();
    let ms = instance.options().env.clock.monotonic().as_millis() as u64;
    for n in 0..count as u32 {
        let here: Vec<&Thread> = threads.iter().filter(|t| t.scheduler() == n).collect();
        let runnable = here.iter().filter(|t| t.runs).count();
        let of_tasks = |s: &&Arc<SessionInfo>| {
            let id = s.thread();
            here.iter().any(|t| Some(t.id) == id)
        };
        let current: Vec<_> = tasks.iter().filter(of_tasks).collect();
        let active = current.iter().find(|s| s.cell.wait_type().is_none());
        rows.push(row![
            address(SCHEDULER, n.into()),
            0,
            n,
            n,
            "VISIBLE ONLINE",
            true,
            runnable == 0,
            0,
            int(switches),
            0,
            current.len(),
            // One of them has the processor.
            runnable.saturating_sub(1),
            here.len(),
            current.len(),
            0,
            0,
            current.len(),
            int(switches),
            ms,
            false,
            active.map(|s| address(WORKER, s.id.0.into())),
            address(MEMORY, n.into()),
            address(MEMORY, u64::from(n) + 0x1000),
            4000,
            (user + kernel) / count,
            0,
            delay,
            0
        ]);
    }
    Ok(())
}

fn tasks(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in running(&cx.session.instance) {
        let thread = s.thread().and_then(thread);
        rows.push(row![
            task_address(&s),
            state(&s, thread.as_ref()),
            thread.map(|t| int(switches(t.id))),
            0,
            0,
            0,
            thread.map_or(0, |t| t.scheduler()),
            s.id.0,
            0,
            0,
            address(WORKER, s.id.0.into()),
            &[0u8; 8][..],
            ()
        ]);
    }
    Ok(())
}

fn workers(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let now = instance.options().env.clock.monotonic().as_millis() as u64;
    let ticks = |at: Moment| match at.0 {
        0 => 0,
        _ => now.saturating_sub(Moment::now().since(at) / 1_000_000),
    };
    for s in instance.all_sessions() {
        let thread = s.thread().and_then(thread);
        let waits = s.cell.wait_type().is_some();
        let began = ticks(Moment(s.cell.request_started.load(Relaxed)));
        let mut cells = row![
            address(WORKER, s.id.0.into()),
            0,
            // The system schedules it.
            true,
            false,
            false,
            false,
            false,
            false,
            false,
            thread.map_or(0, |t| int(switches(t.id))),
            0,
            0,
            0,
            if waits { ticks(s.cell.wait_started_at()) } else { 0 },
            0,
            began,
            thread.map_or(0, |t| t.started_ms),
            s.cell.prev_error.load(Relaxed),
            0,
            (),
            0
        ];
        cells.extend(row![
            state(&s, thread.as_ref()),
            began,
            0,
            s.cell.last_wait_type().map(|w| w.name()),
            0,
            0,
            0,
            0,
            1,
            (),
            (s.cell.status() != Status::Sleeping).then(|| task_address(&s)),
            (),
            thread.map(|t| address(THREAD, t.id)),
            (),
            thread.map(|t| address(SCHEDULER, t.scheduler().into())),
            0
        ]);
        rows.push(cells);
    }
    Ok(())
}

fn threads(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    let clock = &instance.options().env.clock;
    let (utc, now) = (clock.now_utc().0, clock.monotonic().as_millis() as u64);
    let sessions = instance.all_sessions();
    for t in all_threads() {
        let worker = sessions.iter().find(|s| s.thread() == Some(t.id));
        let ago = now.saturating_sub(t.started_ms) * 10_000;
        let mut cells = row![
            address(THREAD, t.id),
            true,
            t.id,
            0,
            (),
            datetime(UtcTime(utc.saturating_sub(ago))),
            t.kernel_ms,
            t.user_ms
        ];
        cells.extend(row![(), (), (), (), 0, t.priority, (), (), 0, 0, (), (), ()]);
        cells.extend(row![
            address(SCHEDULER, t.scheduler().into()),
            worker.map(|s| address(WORKER, s.id.0.into())),
            (),
            address(THREAD, t.id),
            0
        ]);
        rows.push(cells);
    }
    Ok(())
}

fn nodes(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let (count, active) = (processors(), running(&cx.session.instance).len());
    let busy = all_threads().iter().filter(|t| t.runs).count();
    let mask = (1u64 << count.min(62)) - 1;
    rows.push(row![
        0,
        "ONLINE",
        address(NODE, 0),
        address(NODE, 1),
        (),
        0,
        mask,
        count,
        count.saturating_sub(busy),
        active,
        active / count,
        mask,
        mask,
        false,
        mask,
        0,
        count
    ]);
    Ok(())
}

fn memory_nodes(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let kb = |name| crate::process::proc_kb("/proc/self/status", name).unwrap_or(0);
    let target = cx.session.instance.databases().memory_mb() * 1024;
    let mask = (1u64 << processors().min(62)) - 1;
    let (reserved, used) = (kb("VmSize:"), kb("VmRSS:"));
    rows.push(row![0, reserved, used, kb("VmLck:"), used, 0, 0, mask, mask, 0, 0, target]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_system_is_a_thread_whatever_its_name() {
        let fields = "R 1 2 3 4 5 6 7 8 9 10 250 30 0 0 20 0 5 0 12345 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 3 0 0";
        let t = parse(77, &format!("77 (log) writer) {fields}")).unwrap();
        assert!(t.runs);
        assert_eq!((t.user_ms, t.kernel_ms, t.priority), (2500, 300, 20));
        assert_eq!((t.started_ms, t.processor), (123_450, 3));
        assert!(parse(77, "77 (x) S 1 2").is_none());
        let own = all_threads();
        assert!(own.iter().any(|t| t.runs), "this one");
    }
}
