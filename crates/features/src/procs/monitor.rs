//! sp_monitor: what the server has done since it started, and since somebody asked last.

use super::Arguments;
use crate::functions::FnContext;
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use crate::session::entry::LastRun;
use taffrail_base::SqlResult;
use taffrail_types::{MaxLen, SqlType};

const FIGURE: SqlType = SqlType::VarChar(MaxLen::N(25));

/// The figures in the order in which they are shown; the first three are ticks.
const FIGURES: [&str; 10] = [
    "@@CPU_BUSY",
    "@@IO_BUSY",
    "@@IDLE",
    "@@PACK_RECEIVED",
    "@@PACK_SENT",
    "@@PACKET_ERRORS",
    "@@TOTAL_READ",
    "@@TOTAL_WRITE",
    "@@TOTAL_ERRORS",
    "@@CONNECTIONS",
];

/// `sp_monitor`. Before the first run is the start of the server, when all figures were 0.
pub(super) fn run(cx: &mut StatementContext<'_>, _: &Arguments<'_>) -> SqlResult<i32> {
    let mut now = [0; FIGURES.len()];
    for (figure, name) in now.iter_mut().zip(FIGURES) {
        *figure = cx.session.global(name)?.as_i64().unwrap_or(0);
    }
    let tick_us = cx.session.global("@@TIMETICKS")?.as_i64().unwrap_or(0);
    let instance = cx.instance();
    let at = crate::catalog::datetime_now(&*instance.options().env.clock);
    let up_ms = instance.up_time().as_millis() as u64;
    let this = LastRun { at: at.clone(), up_ms, figures: now };
    let last = instance.counters().last_monitored.lock().replace(this);
    let last = last.unwrap_or_else(|| LastRun {
        at: instance.start_time(),
        up_ms: 0,
        figures: [0; FIGURES.len()],
    });
    let seconds = (up_ms.saturating_sub(last.up_ms) / 1000) as i64;
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get()) as i64;
    let shown = |n: usize| {
        let since = now[n] - last.figures[n];
        if n >= 3 {
            return format!("{}({since})", now[n]);
        }
        // Of all processors together.
        let s = |ticks: i64| ticks * tick_us / 1_000_000;
        let percent = (s(since) * 100).checked_div(seconds * processors).unwrap_or(0);
        format!("{}({})-{percent}%", s(now[n]), s(since))
    };
    let run = [
        ("last_run", SqlType::DateTime, false),
        ("current_run", SqlType::DateTime, false),
        ("seconds", SqlType::Int, true),
    ];
    send(cx, &run, vec![row![last.at, at, seconds]])?;
    let column = |name: &'static str| (name, FIGURE, true);
    send(
        cx,
        &["cpu_busy", "io_busy", "idle"].map(column),
        vec![row![shown(0), shown(1), shown(2)]],
    )?;
    send(
        cx,
        &["packets_received", "packets_sent", "packet_errors"].map(column),
        vec![row![shown(3), shown(4), shown(5)]],
    )?;
    send(
        cx,
        &["total_read", "total_write", "total_errors", "connections"].map(column),
        vec![row![shown(6), shown(7), shown(8), shown(9)]],
    )?;
    Ok(0)
}
