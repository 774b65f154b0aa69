//! sysprocesses, the old view of sessions and what they wait for.

use super::{Declaration, Reach, Rows, ViewContext, sys};
use crate::features::needs;
use crate::row;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.push(
        sys(
            "sysprocesses",
            needs::PROCESSES_SEEN,
            &[
                "spid smallint!",
                "kpid smallint!",
                "blocked smallint!",
                "waittype binary(2)!",
                "waittime bigint!",
                "lastwaittype nchar(32)!",
                "waitresource nchar(256)!",
                "dbid smallint!",
                "uid smallint?",
                "cpu int!",
                "physical_io bigint!",
                "memusage int!",
                "login_time datetime!",
                "last_batch datetime!",
                "ecid smallint!",
                "open_tran smallint!",
                "status nchar(30)!",
                "sid binary(86)!",
                "hostname nchar(128)!",
                "program_name nchar(128)!",
                "hostprocess nchar(10)!",
                "cmd nchar(26)!",
                "nt_domain nchar(128)!",
                "nt_username nchar(128)!",
                "net_address nchar(12)!",
                "net_library nchar(12)!",
                "loginame nchar(128)!",
                "context_info binary(128)!",
                "sql_handle binary(20)!",
                "stmt_start int!",
                "stmt_end int!",
                "request_id int!",
                "page_resource binary(8)?",
            ],
            sysprocesses,
        )
        .reached(Reach::Bare),
    );
}

fn sysprocesses(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in cx.sessions() {
        let cell = &s.cell;
        let last_wait = cell.last_wait_type().map_or("MISCELLANEOUS", |w| w.name());
        let (running, start, end) = s.running_statement();
        let handle = match super::sql_text::running_cell(&running) {
            Value::Null => Value::binary(&[0; 20]),
            handle => handle,
        };
        rows.push(row![
            s.id.0,
            0,
            cell.blocking_session(),
            &[0u8, 0][..],
            cell.wait_time_ms(),
            last_wait,
            cell.wait_resource(),
            cell.database_id.load(Relaxed),
            1,
            s.cpu_ms(),
            cell.reads.get() + cell.writes.get(),
            0,
            &s.login_time,
            super::dm_exec::started(cx, &s),
            0,
            cell.open_transaction_count.load(Relaxed),
            cell.status().name(),
            &crate::catalog::registry::SA_SID[..],
            &s.client.host_name,
            &s.client.program_name,
            if s.is_user() { s.client.client_pid.to_string() } else { String::new() },
            cell.command().name(),
            "",
            "",
            "",
            if s.is_user() { "TCP/IP" } else { "" },
            &s.client.login,
            &[][..],
            handle,
            start,
            end,
            0,
            ()
        ]);
    }
    Ok(())
}
