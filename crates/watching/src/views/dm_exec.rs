//! Sessions, requests, connections, what a session sent last.

use super::sql_text::{handle_cell, running_cell};
use super::{Declaration, Rows, ViewContext, function, sys};
use crate::catalog::principals::{Principals, Scope};
use crate::catalog::{Sight, datetime};
use crate::features::needs;
use crate::instance::SessionInfo;
use crate::row;
use crate::session::SetOptions;
use crate::session::client_address;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use taffrail_base::{DatabaseId, SqlError, SqlResult};
use taffrail_observe::{Moment, SessionCell, Status};
use taffrail_types::Value;

const OPTIONS: &str = "\
    text_size int! · language nvarchar(128)? · date_format nvarchar(3)? · date_first smallint! · \
    quoted_identifier bit! · arithabort bit! · ansi_null_dflt_on bit! · ansi_defaults bit! · ansi_warnings bit! · \
    ansi_padding bit! · ansi_nulls bit! · concat_null_yields_null bit! · transaction_isolation_level smallint! · \
    lock_timeout int! · deadlock_priority int! · row_count bigint! · prev_error int!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "dm_exec_sessions",
            needs::SESSIONS_SEEN,
            &[
                "session_id smallint!",
                "login_time datetime!",
                "host_name nvarchar(128)?",
                "program_name nvarchar(128)?",
                "host_process_id int?",
                "client_version int?",
                "client_interface_name nvarchar(32)?",
                "security_id varbinary(85)!",
                "login_name nvarchar(128)!",
                "nt_domain nvarchar(128)?",
                "nt_user_name nvarchar(128)?",
                "status nvarchar(30)!",
                "context_info varbinary(128)?",
                "cpu_time int!",
                "memory_usage int!",
                "total_scheduled_time int!",
                "total_elapsed_time int!",
                "endpoint_id int!",
                "last_request_start_time datetime!",
                "last_request_end_time datetime?",
                "reads bigint!",
                "writes bigint!",
                "logical_reads bigint!",
                "is_user_process bit!",
                OPTIONS,
                "original_security_id varbinary(85)!",
                "original_login_name nvarchar(128)!",
                "last_successful_logon datetime?",
                "last_unsuccessful_logon datetime?",
                "unsuccessful_logons bigint?",
                "group_id int!",
                "database_id smallint!",
                "authenticating_database_id int?",
                "open_transaction_count int!",
                "page_server_reads bigint!",
                "contained_availability_group_id uniqueidentifier?",
            ],
            sessions,
        ),
        sys(
            "dm_exec_requests",
            needs::SESSIONS_SEEN,
            &[
                "session_id smallint!",
                "request_id int!",
                "start_time datetime!",
                "status nvarchar(30)!",
                "command nvarchar(32)!",
                "sql_handle varbinary(64)?",
                "statement_start_offset int?",
                "statement_end_offset int?",
                "plan_handle varbinary(64)?",
                "database_id smallint!",
                "user_id int!",
                "connection_id uniqueidentifier?",
                "blocking_session_id smallint?",
                "wait_type nvarchar(60)?",
                "wait_time int!",
                "last_wait_type nvarchar(60)!",
                "wait_resource nvarchar(256)!",
                "open_transaction_count int!",
                "open_resultset_count int!",
                "transaction_id bigint!",
                "context_info varbinary(128)?",
                "percent_complete real!",
                "estimated_completion_time bigint!",
                "cpu_time int!",
                "total_elapsed_time int!",
                "scheduler_id int?",
                "task_address varbinary(8)?",
                "reads bigint!",
                "writes bigint!",
                "logical_reads bigint!",
                OPTIONS,
                "nest_level int!",
                "granted_query_memory int!",
                "executing_managed_code bit!",
                "group_id int!",
                "query_hash binary(8)?",
                "query_plan_hash binary(8)?",
                "statement_sql_handle varbinary(64)?",
                "statement_context_id bigint?",
                "dop int!",
                "parallel_worker_count int?",
                "external_script_request_id uniqueidentifier?",
                "is_resumable bit!",
                "page_resource binary(8)?",
                "page_server_reads bigint!",
                "dist_statement_id uniqueidentifier?",
                "label nvarchar(255)?",
            ],
            requests,
        ),
        sys(
            "dm_exec_connections",
            needs::SERVER_PERFORMANCE,
            &[
                "session_id int?",
                "most_recent_session_id int?",
                "connect_time datetime!",
                "net_transport nvarchar(40)!",
                "protocol_type nvarchar(40)?",
                "protocol_version int?",
                "endpoint_id int?",
                "encrypt_option nvarchar(40)!",
                "auth_scheme nvarchar(40)!",
                "node_affinity smallint!",
                "num_reads int?",
                "num_writes int?",
                "last_read datetime?",
                "last_write datetime?",
                "net_packet_size int?",
                "client_net_address varchar(48)?",
                "client_tcp_port int?",
                "local_net_address varchar(48)?",
                "local_tcp_port int?",
                "connection_id uniqueidentifier!",
                "parent_connection_id uniqueidentifier?",
                "most_recent_sql_handle varbinary(64)?",
            ],
            connections,
        ),
        function(
            "dm_exec_input_buffer",
            needs::SESSIONS_SEEN,
            2,
            &["event_type nvarchar(256)?", "parameters smallint?", "event_info nvarchar(max)?"],
            input_buffer,
        ),
    ]);
}

/// When the running (or last) request of a session began, as a datetime.
fn request_start(cx: &ViewContext<'_>, cell: &SessionCell) -> Option<Value> {
    moment(cx, Moment(cell.request_started.load(Relaxed)))
}

/// The same; of a session that has sent nothing yet, and of a thread of the instance, when it began itself.
pub(super) fn started(cx: &ViewContext<'_>, s: &SessionInfo) -> Value {
    let request = if s.is_user() { request_start(cx, &s.cell) } else { None };
    request.unwrap_or_else(|| s.login_time.clone())
}

pub(super) fn moment(cx: &ViewContext<'_>, at: Moment) -> Option<Value> {
    if at.0 == 0 {
        return None;
    }
    let now = cx.session.instance.options().env.clock.now_utc();
    let ago = Duration::from_nanos(Moment::now().since(at));
    let ticks = (ago.as_nanos() / 100) as u64;
    Some(datetime(taffrail_io::UtcTime(now.0.saturating_sub(ticks))))
}

fn elapsed_ms(cell: &SessionCell) -> u64 {
    let at = Moment(cell.request_started.load(Relaxed));
    if at.0 == 0 { 0 } else { Moment::now().since(at) / 1_000_000 }
}

/// The cells of [`OPTIONS`]. A thread of the instance has the defaults.
fn options(s: &SessionInfo) -> Vec<Value> {
    let o = match s.is_user() {
        true => SetOptions::shown(s.cell.set_options.load(Relaxed)),
        false => SetOptions::default(),
    };
    let format = format!("{:?}", o.date_format).to_lowercase();
    row![
        s.cell.text_size.load(Relaxed),
        o.language.get().name,
        format,
        o.date_first,
        o.quoted_identifier,
        o.arithabort,
        o.ansi_null_dflt_on,
        o.are_ansi_defaults(),
        o.ansi_warnings,
        o.ansi_padding,
        o.ansi_nulls,
        o.concat_null_yields_null,
        s.cell.isolation_level.load(Relaxed),
        s.cell.lock_timeout_ms.load(Relaxed),
        s.cell.deadlock_priority.load(Relaxed),
        s.cell.row_count.load(Relaxed) as i64,
        s.cell.prev_error.load(Relaxed)
    ]
}

/// A thread of the instance rests where a session would sleep.
fn is_running(s: &SessionInfo) -> bool {
    match s.cell.status() {
        Status::Background => s.cell.wait_type().is_none(),
        status => status != Status::Sleeping,
    }
}

fn sessions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let server = cx.session.server_principals();
    for s in cx.sessions() {
        let (cell, user) = (&s.cell, s.is_user());
        let own = own_sid(cx, &server, &s);
        let text = |t: &str| (!t.is_empty()).then(|| t.to_string());
        let started = started(cx, &s);
        let ended = moment(cx, Moment(cell.request_ended.load(Relaxed)));
        let running = is_running(&s);
        let cpu = s.cpu_ms();
        let over = cell.elapsed_ns.get() / 1_000_000;
        let status = if running { "running" } else { "sleeping" };
        let mut cells = row![
            s.id.0,
            &s.login_time,
            text(&s.client.host_name),
            text(&s.client.program_name),
            user.then_some(s.client.client_pid as i32),
            // As SQL Server numbers the versions of the protocol: 7.1 is 5 … 7.4 is 7.
            user.then(|| client_version(s.client.tds_version)),
            text(&s.client.client_interface),
            if *s.login_name() == s.client.login {
                own.clone()
            } else {
                sid_of(&server, &s.login_name())
            },
            &*s.login_name(),
            "",
            "",
            status,
            &[][..],
            cpu,
            0,
            cpu,
            over + if user && running { elapsed_ms(cell) } else { 0 },
            if user { 4 } else { 0 },
            &started,
            // While one runs: of the one before.
            ended,
            cell.reads.get(),
            cell.writes.get(),
            cell.logical_reads.get(),
            user
        ];
        cells.extend(options(&s));
        cells.extend(row![
            own,
            &s.client.login,
            (),
            (),
            (),
            if user { 2 } else { 1 },
            cell.database_id.load(Relaxed),
            user.then(|| authenticating(&s)),
            cell.open_transaction_count.load(Relaxed),
            0,
            ()
        ]);
        rows.push(cells);
    }
    Ok(())
}

/// The security identifier of who has connected: a login's, or a contained user's.
fn own_sid(cx: &ViewContext<'_>, server: &Principals, s: &SessionInfo) -> Value {
    let database = match s.client.authenticating_database {
        0 => return sid_of(server, &s.client.login),
        id => cx.session.instance.databases().by_id(DatabaseId(id)),
    };
    let users = database.map(|d| d.catalog.principals(Scope::Database, Sight::COMMITTED));
    let user = users.as_ref().and_then(|all| all.find(&s.client.login));
    Value::binary(user.and_then(|p| p.sid.as_deref()).unwrap_or_default())
}

/// The database that has authenticated a session: master, but for contained users.
fn authenticating(s: &SessionInfo) -> i32 {
    i32::from(s.client.authenticating_database).max(1)
}

/// The security identifier of a login by its name; none of a user without login.
fn sid_of(server: &Principals, login: &str) -> Value {
    let sid = server.find(login).and_then(|p| p.sid.as_deref());
    Value::binary(sid.unwrap_or_default())
}

fn client_version(tds: u32) -> i32 {
    match tds >> 24 {
        0x71 => 5,
        0x72 | 0x73 => 6,
        _ => 7,
    }
}

fn requests(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in cx.sessions() {
        let (cell, user) = (&s.cell, s.is_user());
        if cell.status() == Status::Sleeping {
            continue;
        }
        let wait = cell.wait_type();
        let percent = f64::from(cell.percent_complete.load(Relaxed)) / 100.0;
        let remaining = match percent > 0.0 {
            true => (f64::from(elapsed_ms(cell) as i32) * (100.0 - percent) / percent) as i64,
            false => 0,
        };
        let (running, start, end) = s.running_statement();
        let [reads, writes, logical_reads] = pages_of(&s);
        let (plan_handle, query, plan) = plan_of(&s);
        let mut cells = row![
            s.id.0,
            0,
            started(cx, &s),
            cell.status().name(),
            cell.command().name(),
            running_cell(&running),
            user.then_some(start),
            user.then_some(end),
            plan_handle,
            cell.database_id.load(Relaxed),
            1,
            user.then_some(Value::Guid(s.connection_id)),
            cell.blocking_session(),
            wait.map(|w| w.name()),
            if wait.is_some() { cell.wait_time_ms() } else { 0 },
            cell.last_wait_type().map_or("MISCELLANEOUS", |w| w.name()),
            cell.wait_resource(),
            cell.open_transaction_count.load(Relaxed),
            i32::from(user),
            cell.transaction_id.load(Relaxed),
            &[][..],
            percent,
            remaining,
            s.request_cpu_ms(),
            elapsed_ms(cell),
            super::dm_os_tasks::scheduler_of(&s),
            &(s.id.0 as u64).to_be_bytes()[..],
            reads,
            writes,
            logical_reads
        ];
        cells.extend(options(&s));
        let nest = if cx.session.id == s.id { cx.session.activation.nest_level } else { 0 };
        let group = if user { 2 } else { 1 };
        cells.extend(row![nest, 0, false, group, query, plan]);
        cells.extend(row![(), (), 1, (), (), false, (), 0, (), ()]);
        rows.push(cells);
    }
    Ok(())
}

/// Pages that the request has read, written and looked up; of a thread of the instance, all.
fn pages_of(s: &SessionInfo) -> [u64; 3] {
    match s.is_user() {
        true => s.cell.request_pages(),
        false => [&s.cell.reads, &s.cell.writes, &s.cell.logical_reads].map(|n| n.get()),
    }
}

/// The handle of the plan that a session runs, and the hashes of its running statement's query and plan, where it has one.
fn plan_of(s: &SessionInfo) -> (Value, Value, Value) {
    let Some(module) = s.module().filter(|m| m.compiled.number > 0) else {
        return (Value::Null, Value::Null, Value::Null);
    };
    let start = s.cell.statement_start.load(Relaxed);
    let running = module.planned().into_iter().find(|p| p.place.0 == start);
    let hashes = running.and_then(|p| {
        let plan = module.plan_hash(module.shared[p.plan as usize].kept().plans.first()?);
        Some([module.query_hash(&p), plan])
    });
    let [query, plan] = match hashes {
        Some(hashes) => hashes.map(|h| Value::binary(&h.to_be_bytes())),
        None => [Value::Null, Value::Null],
    };
    (Value::binary(&module.plan_handle()), query, plan)
}

fn connections(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in cx.session.instance.sessions() {
        let started = started(cx, &s);
        let (address, port) = client_address(&s.client.client_net_address);
        rows.push(row![
            s.id.0,
            s.id.0,
            &s.login_time,
            "TCP",
            "TSQL",
            s.client.tds_version as i32,
            4,
            if s.client.encrypted { "TRUE" } else { "FALSE" },
            "SQL",
            0,
            (),
            (),
            started.clone(),
            started,
            s.client.packet_size,
            address,
            port,
            (),
            (),
            Value::Guid(s.connection_id),
            (),
            handle_cell(&s.text())
        ]);
    }
    Ok(())
}

/// What a session sent last.
fn input_buffer(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let wanted = super::integer(args, 0)?;
    let sessions = cx.session.instance.sessions();
    let own = wanted == Some(i64::from(cx.session.id.0));
    if !own && !cx.sees_sessions() {
        return Err(SqlError::new(297, &[]));
    }
    if let Some(s) = sessions.iter().find(|s| Some(i64::from(s.id.0)) == wanted) {
        let (event, text) = s.input();
        rows.push(row![event, 0, (!text.is_empty()).then(|| text.to_string())]);
    }
    Ok(())
}
