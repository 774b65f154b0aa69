//! What sessions tell of: batches, calls, statements, errors. Everything here runs only when somebody wants it.

use super::event_sessions;
use crate::exec::module::{Module, Stmt, StmtKind};
use crate::exec::observer::{Before, Outcome, Request, Transaction};
use crate::instance::Instance;
use crate::rpc::RpcProcedure;
use crate::session::Session;
use crate::session::masked::masked;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::SqlError;
use taffrail_observe::Moment;
use taffrail_observe::xe::{Event, Running, Val, activity_begins, tell, tell_to, wanted};

fn pages(session: &Session) -> [u64; 3] {
    session.cell.gather();
    let c = &session.cell;
    [c.reads.get(), c.logical_reads.get(), c.writes.get()]
}

/// The figures of a session now.
fn now(session: &Session) -> Before {
    Before { at: Moment::now(), cpu_ns: session.entry.cpu_ns(), pages: pages(session) }
}

/// Since then: processor time and duration, µs; physical reads, logical reads, writes.
fn since(before: &Before, session: &Session) -> [Val; 5] {
    let us = |ns: u64| Val::from(ns / 1000);
    let now = pages(session);
    let of = |n: usize| Val::from(now[n].saturating_sub(before.pages[n]));
    let cpu = session.entry.cpu_ns().saturating_sub(before.cpu_ns);
    [us(cpu), us(Moment::now().since(before.at)), of(0), of(1), of(2)]
}

/// Somebody wants batches or calls.
#[inline]
pub(crate) fn requests_wanted() -> bool {
    wanted(Event::SqlBatchCompleted)
        || wanted(Event::RpcCompleted)
        || wanted(Event::SqlBatchStarting)
        || wanted(Event::RpcStarting)
}

/// The name of what is called.
pub(crate) fn called(procedure: &RpcProcedure) -> String {
    const NUMBERED: [&str; 15] = [
        "sp_cursor",
        "sp_cursoropen",
        "sp_cursorprepare",
        "sp_cursorexecute",
        "sp_cursorprepexec",
        "sp_cursorunprepare",
        "sp_cursorfetch",
        "sp_cursoroption",
        "sp_cursorclose",
        "sp_executesql",
        "sp_prepare",
        "sp_execute",
        "sp_prepexec",
        "sp_prepexecrpc",
        "sp_unprepare",
    ];
    match procedure {
        RpcProcedure::Name(name) => name.clone(),
        RpcProcedure::Id(n) => {
            let name = usize::from(*n).checked_sub(1).and_then(|n| NUMBERED.get(n));
            name.map_or_else(String::new, ToString::to_string)
        }
    }
}

#[cold]
pub(crate) fn request_begins(session: &Session, request: &Request<'_>) -> Before {
    let database = &session.database;
    event_sessions(&session.instance).around.note_database(database.id.0, &database.name);
    activity_begins(|| match request {
        Request::Batch(text) if wanted(Event::SqlBatchStarting) => {
            tell(Event::SqlBatchStarting, &[told_text(text)]);
        }
        Request::Call(name, text) if wanted(Event::RpcStarting) => {
            let fields = [0.into(), Val::text(name), Val::text(text), Val::Empty];
            tell(Event::RpcStarting, &fields);
        }
        _ => {}
    });
    now(session)
}

#[cold]
pub(crate) fn request_ended(
    session: &Session,
    request: &Request<'_>,
    before: &Before,
    (outcome, rows): (Outcome, u64),
) {
    let [cpu, duration, physical, logical, writes] = since(before, session);
    let (result, rows) = (Val::from(outcome as u8), Val::from(rows));
    match request {
        Request::Batch(text) if wanted(Event::SqlBatchCompleted) => tell(
            Event::SqlBatchCompleted,
            &[cpu, duration, physical, logical, writes, rows, result, told_text(text)],
        ),
        Request::Call(name, text) if wanted(Event::RpcCompleted) => tell(
            Event::RpcCompleted,
            &[
                cpu,
                duration,
                physical,
                logical,
                writes,
                result,
                rows,
                0.into(),
                Val::text(name),
                Val::text(text),
                Val::Empty,
                Val::Empty,
            ],
        ),
        _ => {}
    }
}

/// The object type of a procedure: `P `.
const PROCEDURE: i32 = 8272;

/// Somebody wants the runs of procedures.
#[inline]
pub(crate) fn modules_wanted() -> bool {
    wanted(Event::ModuleStart) || wanted(Event::ModuleEnd)
}

fn module_fields(module: &Module) -> [Val; 3] {
    let database = module.database.as_ref().map_or(0, |d| d.id.0);
    [PROCEDURE.into(), module.object_id.into(), database.into()]
}

/// Where a module stands in its text, what it is called, and its text.
fn whole(module: &Module) -> [Val; 5] {
    let name = Val::text(module.name.as_deref().unwrap_or_default());
    [1.into(), 0.into(), (-1).into(), name, told_text(module.shown())]
}

/// A transaction of the session has begun or ended, or has a savepoint of this name. `duration`: since it began.
#[inline]
pub(crate) fn transaction(session: &Session, what: Transaction, savepoint: &str) {
    if wanted(Event::SqlTransaction) {
        transaction_now(session, what, savepoint);
    }
}

#[cold]
fn transaction_now(session: &Session, what: Transaction, savepoint: &str) {
    let begun = session.cell.transaction_begun.load(Relaxed);
    let now = session.instance.options().env.clock.now_utc().0;
    let us = match what {
        Transaction::Begin => 0,
        _ => now.saturating_sub(begun) / 10,
    };
    let name = Val::text(session.transaction.name.as_deref().unwrap_or("user_transaction"));
    let (user, id) = (1, session.cell.transaction_id.load(Relaxed));
    let fields =
        [user.into(), (what as u8).into(), us.into(), id.into(), name, Val::text(savepoint)];
    tell(Event::SqlTransaction, &fields);
}

/// A procedure begins.
#[cold]
pub(crate) fn module_begins(module: &Module) -> Moment {
    if module.object_id != 0 && wanted(Event::ModuleStart) {
        let fields: Vec<Val> = module_fields(module).into_iter().chain(whole(module)).collect();
        tell(Event::ModuleStart, &fields);
    }
    Moment::now()
}

/// A procedure has ended.
#[cold]
pub(crate) fn module_ended(session: &Session, module: &Module, began: Moment) {
    if module.object_id != 0 && wanted(Event::ModuleEnd) {
        let us = Val::from(Moment::now().since(began) / 1000);
        let rows = Val::from(session.activation.last.row_count.max(0));
        let head = module_fields(module).into_iter().chain([us, rows]);
        let fields: Vec<Val> = head.chain(whole(module)).collect();
        tell(Event::ModuleEnd, &fields);
    }
}

/// A text as events show it: without passwords.
pub(crate) fn told_text(text: &str) -> Val {
    Val::text(&masked(text))
}

/// What only holds other statements together, or jumps among them.
fn is_frame(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::Block(_)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::TryCatch(..)
            | StmtKind::Label(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
    )
}

/// A statement's text, and its place in bytes of UTF-16; -1: to the end.
fn place(module: &Module, s: &Stmt) -> (Val, i32, i32) {
    let (start, end) = (s.span.start as usize, s.span.end as usize);
    let text = module.shown().get(start..end).unwrap_or_default();
    let wide = |to: usize| {
        let before = module.text.get(..to).unwrap_or_default();
        let plain = before.is_ascii();
        2 * if plain { before.len() } else { before.encode_utf16().count() } as i32
    };
    let end = if end >= module.text.len() { -1 } else { wide(end) };
    (told_text(text), wide(start), end)
}

#[cold]
pub(crate) fn statement_begins(session: &Session, module: &Module, s: &Stmt) -> Option<Before> {
    if is_frame(&s.kind) {
        return None;
    }
    if module.object_id == 0 && wanted(Event::SqlStatementStarting) {
        let (text, start, end) = place(module, s);
        let fields = [0.into(), s.line.into(), start.into(), end.into(), text];
        tell(Event::SqlStatementStarting, &fields);
    } else if module.object_id != 0 && wanted(Event::SpStatementStarting) {
        let (text, start, end) = place(module, s);
        let fields = [
            module.database.as_ref().map_or(0, |d| d.id.0).into(),
            module.object_id.into(),
            PROCEDURE.into(),
            0.into(),
            session.activation.nest_level.into(),
            s.line.into(),
            start.into(),
            end.into(),
            Val::text(module.name.as_deref().unwrap_or_default()),
            text,
        ];
        tell(Event::SpStatementStarting, &fields);
    }
    Some(now(session))
}

#[cold]
pub(crate) fn statement_ended(session: &Session, module: &Module, s: &Stmt, before: &Before) {
    let [cpu, duration, physical, logical, writes] = since(before, session);
    let rows = Val::from(session.activation.last.row_count.max(0));
    let line = Val::from(s.line);
    if module.object_id == 0 {
        if wanted(Event::SqlStatementCompleted) {
            let (text, start, end) = place(module, s);
            let (start, end) = (start.into(), end.into());
            tell(
                Event::SqlStatementCompleted,
                &[
                    duration,
                    cpu,
                    physical,
                    logical,
                    writes,
                    rows.clone(),
                    rows,
                    line,
                    start,
                    end,
                    text,
                    Val::Empty,
                ],
            );
        }
    } else if wanted(Event::SpStatementCompleted) {
        let (text, start, end) = place(module, s);
        let (start, end) = (start.into(), end.into());
        let database = module.database.as_ref().map_or(0, |d| d.id.0);
        tell(
            Event::SpStatementCompleted,
            &[
                database.into(),
                module.object_id.into(),
                PROCEDURE.into(),
                duration,
                cpu,
                physical,
                logical,
                writes,
                rows.clone(),
                rows,
                session.activation.nest_level.into(),
                line,
                start,
                end,
                Val::text(module.name.as_deref().unwrap_or_default()),
                text,
            ],
        );
    }
}

/// The session meets an error; `caught`: a TRY will hear of it and not the client.
pub(crate) fn error(session: &Session, e: &SqlError, caught: bool) {
    let instance = &session.instance;
    if !caught {
        instance.counters().told(e.severity);
    }
    if e.number == 701 {
        instance.counters().out_of_memory.inc();
    }
    if e.severity > 10 {
        let now = instance.options().env.clock.monotonic();
        instance.rings().failed(now, session.id.0, e);
    }
    if wanted(Event::ErrorReported) {
        error_now(e, caught);
    }
}

#[cold]
fn error_now(e: &SqlError, caught: bool) {
    const SERVER: u8 = 2;
    const USER: u8 = 2;
    let fields = [
        e.number.into(),
        e.severity.into(),
        e.state.into(),
        Val::Bool(e.number >= 50_000),
        SERVER.into(),
        USER.into(),
        caught.into(),
        Val::text(&e.message),
    ];
    tell(Event::ErrorReported, &fields);
}

/// A request was cancelled.
#[cold]
pub(crate) fn attention(session: &Session) {
    if wanted(Event::Attention) {
        let began = Moment(session.cell.request_started.load(Relaxed));
        let us = Moment::now().since(began) / 1000;
        tell(Event::Attention, &[us.into(), 0.into()]);
    }
}

/// A session begins.
#[cold]
pub(crate) fn login(session: &Session) {
    if wanted(Event::Login) {
        let _entered = taffrail_observe::SessionCell::enter(&session.cell);
        let no = || Val::Bool(false);
        let fields = [
            no(),
            no(),
            no(),
            session.database.id.0.into(),
            session.client.packet_size.into(),
            Val::Empty,
            Val::Empty,
            Val::text(&session.database.name),
        ];
        tell(Event::Login, &fields);
    }
}

/// A session of events has begun: it hears of all connections that there are.
pub(crate) fn existing_connections(instance: &Instance, to: &Running) {
    if !to.events.iter().any(|e| e.info.event == Event::ExistingConnection) {
        return;
    }
    for entry in instance.sessions() {
        let (cell, client) = (&entry.cell, &entry.client);
        let none = || Val::Empty;
        let login = || Val::text(&client.login);
        let database = cell.database_id.load(Relaxed);
        let fields = [
            entry.id.0.into(),
            Val::Bool(false),
            database.into(),
            client.packet_size.into(),
            cell.open_transaction_count.load(Relaxed).into(),
            none(),
            none(),
            client.client_pid.into(),
            none(),
            none(),
            Val::text(&to.name),
            Val::Text(event_sessions(instance).around.database_name(database)),
            Val::text(&client.program_name),
            Val::text(&client.host_name),
            none(),
            none(),
            none(),
            none(),
            login(),
            none(),
            login(),
            none(),
        ];
        tell_to(to, Event::ExistingConnection, &fields);
    }
}

/// A session ends.
#[cold]
pub(crate) fn logout(session: &Session) {
    if wanted(Event::Logout) {
        let no = || Val::Bool(false);
        let [physical, logical, writes] = pages(session).map(Val::from);
        let cpu = Val::from(session.entry.cpu_ns() / 1000);
        let duration = Val::from(session.cell.elapsed_ns.get() / 1000);
        tell(Event::Logout, &[no(), no(), no(), duration, cpu, physical, logical, writes]);
    }
}
