//! How the server is: the five components of sp_server_diagnostics, each with what was measured of it as XML, and the event that
//! tells the same. What is never measured has no attribute; what cannot happen here (dumps, access violations, spinlocks) has 0.

use super::{event_sessions, xml};
use crate::instance::Instance;
use crate::process::{proc_kb, proc_stat};
use std::fmt::Write;
use std::time::Duration;
use taffrail_observe::WaitStats;
use taffrail_observe::xe::{self, Event, Val};

/// How often the server tells of itself.
pub(super) const EVERY: Duration = Duration::from_secs(300);
/// A read or write that is under way for so long is a long one.
const LONG_IO: Duration = Duration::from_secs(15);
/// Waits of each list.
const TOP: usize = 10;
/// Of these the server's own threads have nothing to do.
const IDLE: [&str; 9] = [
    "CHECKPOINT_QUEUE",
    "DIRTY_PAGE_POLL",
    "LAZYWRITER_SLEEP",
    "LOGMGR_QUEUE",
    "REQUEST_FOR_DEADLOCK_SEARCH",
    "SLEEP_TASK",
    "SP_SERVER_DIAGNOSTICS_SLEEP",
    "XE_DISPATCHER_WAIT",
    "XE_TIMER_EVENT",
];

/// How a component is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Unknown = 0,
    Clean = 1,
    Warning = 2,
}

impl State {
    /// `state_desc`.
    pub fn name(self) -> &'static str {
        match self {
            State::Unknown => "unknown",
            State::Clean => "clean",
            State::Warning => "warning",
        }
    }
}

/// A component, by its number in the event's map.
pub(crate) struct Component {
    pub name: &'static str,
    pub state: State,
    pub data: String,
}

/// All five, by number.
pub(crate) fn look(instance: &Instance) -> [Component; 5] {
    let of = |name, (state, data)| Component { name, state, data };
    [
        of("system", system(instance)),
        of("resource", resource(instance)),
        of("query_processing", query_processing(instance)),
        of("io_subsystem", io_subsystem(instance)),
        of("events", events(instance)),
    ]
}

/// Tells sessions of events of them, if one wants that.
pub(crate) fn tell(all: &[Component]) {
    if !xe::wanted(Event::SpServerDiagnosticsComponentResult) {
        return;
    }
    for (n, c) in all.iter().enumerate() {
        let fields = [n.into(), (c.state as u8).into(), Val::text(&c.data)];
        xe::tell(Event::SpServerDiagnosticsComponentResult, &fields);
    }
}

/// What of the processors was used in the last minute that was looked at.
fn system(instance: &Instance) -> (State, String) {
    let last = instance.rings().health.newest_first().into_iter().next();
    let h = last.map(|(_, h)| h).unwrap_or_default();
    let busy = if last.is_some() { 100 - h.idle } else { 0 };
    let data = format!(
        "<system spinlockBackoffs=\"0\" sickSpinlockType=\"none\" sickSpinlockTypeAfterAv=\"none\" latchWarnings=\"0\" \
         isAccessViolationOccurred=\"0\" writeAccessViolationCount=\"0\" totalDumpRequests=\"0\" \
         intervalDumpRequests=\"0\" pageFaults=\"{}\" systemCpuUtilization=\"{busy}\" sqlCpuUtilization=\"{}\"/>",
        h.faults, h.process
    );
    (State::Clean, data)
}

fn resource(instance: &Instance) -> (State, String) {
    let meminfo = |name| proc_kb("/proc/meminfo", name).unwrap_or(0);
    let (total, available) = (meminfo("MemTotal:"), meminfo("MemAvailable:"));
    let low = available <= total / 10;
    let used = proc_kb("/proc/self/status", "VmRSS:").unwrap_or(0);
    let pool = &instance.storage().pool;
    let log: u64 = instance.databases().open().iter().map(|d| d.storage.log().cache_bytes()).sum();
    let mut data = format!(
        "<resource lastNotification=\"RESOURCE_MEMPHYSICAL_{}\" outOfMemoryExceptions=\"{}\" isAnyPoolOutOfMemory=\"0\" \
         processOutOfMemoryPeriod=\"0\">",
        if low { "LOW" } else { "HIGH" },
        instance.counters().out_of_memory.get()
    );
    let report = |data: &mut String, name: &str, unit: &str, entries: &[(&str, u64)]| {
        let _ = write!(data, "<memoryReport name=\"{name}\" unit=\"{unit}\">");
        for (description, value) in entries {
            let _ = write!(data, "<entry description=\"{description}\" value=\"{value}\"/>");
        }
        data.push_str("</memoryReport>");
    };
    let faults = proc_stat().map_or(0, |s| s.2);
    report(
        &mut data,
        "Process/System Counts",
        "Value",
        &[
            ("Available Physical Memory", available * 1024),
            ("Available Paging File", meminfo("SwapFree:") * 1024),
            ("Working Set", used * 1024),
            ("Page Faults", faults),
            ("System physical memory high", u64::from(!low)),
            ("System physical memory low", u64::from(low)),
        ],
    );
    report(
        &mut data,
        "Memory Manager",
        "KB",
        &[
            ("VM Committed", used),
            ("Target Committed", instance.databases().memory_mb() * 1024),
            ("Current Committed", used),
            ("Log Pool", log / 1024),
        ],
    );
    report(
        &mut data,
        "Buffer Pool",
        "Pages",
        &[("Database", pool.used_pages().into()), ("Free", pool.free_pages().into())],
    );
    data.push_str("</resource>");
    (if low { State::Warning } else { State::Clean }, data)
}

fn query_processing(instance: &Instance) -> (State, String) {
    let sessions = instance.all_sessions();
    let running = sessions.iter().filter(|s| s.is_running()).count();
    let done = instance.counters().batch_requests.get().saturating_sub(running as u64);
    let mut data = format!(
        "<queryProcessing maxWorkers=\"{}\" workersCreated=\"{}\" workersIdle=\"{}\" tasksCompleted=\"{done}\" \
         pendingTasks=\"0\" oldestPendingTaskWaitingTime=\"0\" hasUnresolvableDeadlockOccurred=\"0\" \
         hasDeadlockedSchedulersOccurred=\"0\" trackingNonYieldingScheduler=\"0x0\"><topWaits>",
        instance.options().max_connections,
        sessions.len(),
        sessions.len().saturating_sub(running),
    );
    let waits = WaitStats::global().snapshot();
    for preemptive in [false, true] {
        let of = |name: &str| name.starts_with("PREEMPTIVE_") == preemptive;
        let mut some: Vec<_> = waits
            .iter()
            .filter(|w| w.waiting_tasks_count > 0 && of(w.wait_type.name()))
            .filter(|w| !IDLE.contains(&w.wait_type.name()))
            .collect();
        let element = if preemptive { "preemptive" } else { "nonPreemptive" };
        let _ = write!(data, "<{element}>");
        for by in ["byCount", "byDuration"] {
            match by {
                "byCount" => some.sort_by_key(|w| std::cmp::Reverse(w.waiting_tasks_count)),
                _ => some.sort_by_key(|w| std::cmp::Reverse(w.wait_time_ns)),
            }
            let _ = write!(data, "<{by}>");
            for w in some.iter().take(TOP) {
                let _ = write!(
                    data,
                    "<wait waitType=\"{}\" waits=\"{}\" averageWaitTime=\"{}\" maxWaitTime=\"{}\"/>",
                    w.wait_type.name(),
                    w.waiting_tasks_count,
                    w.wait_time_ms() / w.waiting_tasks_count,
                    w.max_wait_time_ms()
                );
            }
            let _ = write!(data, "</{by}>");
        }
        let _ = write!(data, "</{element}>");
    }
    data.push_str("</topWaits><blockingTasks>");
    for s in sessions.iter().filter(|s| s.cell.blocking_session() != 0) {
        let _ = write!(
            data,
            "<blockedTask sessionId=\"{}\" blockingSessionId=\"{}\" waitType=\"{}\" waitTime=\"{}\"/>",
            s.id.0,
            s.cell.blocking_session(),
            s.cell.wait_type().map_or("", |w| w.name()),
            s.cell.wait_time_ms()
        );
    }
    data.push_str("</blockingTasks></queryProcessing>");
    (State::Clean, data)
}

fn io_subsystem(instance: &Instance) -> (State, String) {
    let now = instance.options().env.clock.monotonic();
    let mut all = instance.file_io().pending();
    all.sort_by_key(|io| io.began);
    let long = all.iter().filter(|io| now.saturating_sub(io.began) >= LONG_IO).count();
    let mut data = format!(
        "<ioSubsystem ioLatchTimeouts=\"0\" intervalLongIos=\"{long}\"><longestPendingRequests>"
    );
    for io in all.iter().take(TOP) {
        let path = taffrail_observe::trace::file_name(io.file);
        let path = path.map_or_else(String::new, |p| p.display().to_string());
        let _ = write!(
            data,
            "<pendingRequest duration=\"{}\" filePath=\"{}\" offset=\"{}\"/>",
            now.saturating_sub(io.began).as_millis(),
            xml::attribute(&path),
            io.offset
        );
    }
    data.push_str("</longestPendingRequests></ioSubsystem>");
    (if long > 0 { State::Warning } else { State::Clean }, data)
}

/// What system_health has in its ring. Nobody judges that: its state is unknown.
fn events(instance: &Instance) -> (State, String) {
    let health = event_sessions(instance).running(super::SYSTEM_HEALTH);
    let mut data = String::from("<events>");
    if let Some(s) = health {
        let ring =
            |t: &&std::sync::Arc<xe::Target>| matches!(t.kind, xe::targets::Kind::Ring { .. });
        let target = s.targets.iter().find(ring).map(|t| xml::target_data(&s, t, None));
        let started = xml::time(s.started.1);
        let _ = write!(data, "<session startTime=\"{started}\" name=\"system_health\">");
        data.push_str(&target.unwrap_or_default());
        data.push_str("</session>");
    }
    data.push_str("</events>");
    (State::Unknown, data)
}
