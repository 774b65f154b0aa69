//! sp_server_diagnostics: how the server is, once or every so many seconds until the client has enough.

use super::diagnostics;
use crate::features::needs::SERVER_STATE;
use crate::features::pipelining::Pipelining;
use crate::features::procedure::{Arguments, SystemProcedure, native};
use crate::results;
use crate::row;
use crate::session::context::StatementContext;
use std::time::Duration;
use taffrail_base::message::client_gone;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::WaitType;
use taffrail_types::{MaxLen, SqlType, Value};

const COLUMNS: [(&str, SqlType, bool); 6] = [
    ("create_time", SqlType::DateTime, false),
    ("component_type", SqlType::NVarChar(MaxLen::N(128)), false),
    ("component_name", SqlType::NVarChar(MaxLen::N(128)), false),
    ("state", SqlType::Int, false),
    ("state_desc", SqlType::NVarChar(MaxLen::N(128)), false),
    ("data", SqlType::VarChar(MaxLen::Max), true),
];

/// The procedure of the feature `events`.
pub(super) static PROCEDURES: &[SystemProcedure] =
    &[native("sp_server_diagnostics", SERVER_STATE, Pipelining::Reads, &["@repeat_interval"], run)];

/// The least interval, seconds.
const LEAST: i64 = 5;

/// `sp_server_diagnostics [@repeat_interval]`. Without an interval it looks once; else until an attention.
fn run(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let seconds = match args.text(0) {
        None => 0,
        Some(_) => {
            let n = args.number(0).filter(|n| *n == 0 || (LEAST..=i32::MAX.into()).contains(n));
            n.ok_or_else(|| SqlError::new(15021, &[&"@repeat_interval"]))?
        }
    };
    let rows = look(cx);
    let count = results::begin(cx, &COLUMNS, rows)?;
    if seconds == 0 {
        results::end(cx, count)?;
        return Ok(0);
    }
    loop {
        cx.sink.flush().map_err(|_| client_gone())?;
        pause(cx, Duration::from_secs(seconds as u64))?;
        let rows = look(cx);
        results::more(cx, &COLUMNS, rows)?;
    }
}

fn look(cx: &StatementContext<'_>) -> Vec<Vec<Value>> {
    let instance = cx.instance();
    let all = diagnostics::look(instance);
    diagnostics::tell(&all);
    let now = crate::catalog::datetime_now(&*instance.options().env.clock);
    let of = |c: &diagnostics::Component| {
        row![now.clone(), "instance", c.name, c.state as i32, c.state.name(), &*c.data]
    };
    all.iter().map(of).collect()
}

/// An attention ends it.
fn pause(cx: &StatementContext<'_>, time: Duration) -> SqlResult<()> {
    let clock = cx.instance().options().env.clock.clone();
    let end = clock.monotonic() + time;
    let _wait = taffrail_observe::wait(WaitType::SpServerDiagnosticsSleep);
    loop {
        cx.session.check_cancel()?;
        let left = end.saturating_sub(clock.monotonic());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(Duration::from_millis(20)));
    }
}
