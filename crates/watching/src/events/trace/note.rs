//! What becomes a row of the trace: events of the ring, objects that change, statements about the server, lines of the error log,
//! refused logins.

use super::row::{Column, Row};
use crate::events::{event_sessions, note_databases};
use crate::features::server_observer::{Audit, FailedLogin, Resized};
use crate::instance::Instance;
use crate::session::Session;
use crate::session::entry::SessionEntry;
use crate::session::masked::masked;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use taffrail_base::DatabaseId;
use taffrail_observe::listen::{Change, Listener, ObjectChange, Stage};
use taffrail_observe::session::{SessionCell, current};
use taffrail_observe::{Event, xe};
use taffrail_syntax::ast::{BackupKind, Statement, StatementKind};

const SERVER_STARTS_AND_STOPS: u16 = 18;
const LOGIN_FAILED: u16 = 20;
const ERROR_LOG: u16 = 22;
const OBJECT_CREATED: u16 = 46;
const OBJECT_DELETED: u16 = 47;
const OBJECT_ALTERED: u16 = 164;
const DATA_FILE_GROWTH: u16 = 92;
const LOG_FILE_GROWTH: u16 = 93;
const LOG_FILE_SHRINK: u16 = 95;
const LOGIN_CHANGED: u16 = 106;
const BACKUP_RESTORE: u16 = 115;
const DBCC: u16 = 116;
const CHANGE_AUDIT: u16 = 117;
const TRACE_STOP: u16 = 65_533;
const TRACE_START: u16 = 65_534;

/// What rows are of, but for those about the trace itself.
pub(super) const TRACED: [u16; 13] = [
    SERVER_STARTS_AND_STOPS,
    LOGIN_FAILED,
    ERROR_LOG,
    OBJECT_CREATED,
    OBJECT_DELETED,
    DATA_FILE_GROWTH,
    LOG_FILE_GROWTH,
    LOG_FILE_SHRINK,
    LOGIN_CHANGED,
    BACKUP_RESTORE,
    DBCC,
    CHANGE_AUDIT,
    OBJECT_ALTERED,
];

/// Bytes of the pages by which files grow.
const PAGE: u64 = 8192;

/// Tells an instance's trace of what happens.
struct Told(Weak<Instance>);

/// Who tells it.
pub(super) fn listener(instance: &Arc<Instance>) -> Arc<dyn Listener> {
    Arc::new(Told(Arc::downgrade(instance)))
}

impl Listener for Told {
    fn occurred(&self, event: &Event) {
        let Some(instance) = self.0.upgrade() else { return };
        match event {
            Event::LogGrowth { database, name, from, to, automatic: true, session, ns, .. } => {
                let resized = Resized { database, file: name, from: *from, to: *to, ns: *ns };
                trace_resized(&instance, LOG_FILE_GROWTH, &resized, *session);
            }
            Event::DataGrowth {
                database, name, from, to, automatic: true, session, ns, ..
            } => {
                let resized = Resized { database, file: name, from: *from, to: *to, ns: *ns };
                trace_resized(&instance, DATA_FILE_GROWTH, &resized, *session);
            }
            _ => {}
        }
    }

    fn object_changed(&self, change: &ObjectChange, stage: Stage) {
        if let Some(instance) = self.0.upgrade() {
            trace_object(&instance, change, stage);
        }
    }
}

/// Whose session the calling thread works for.
enum Who {
    /// A user's.
    User(Arc<SessionEntry>),
    /// A thread of the server's own.
    System(u16),
}

/// The number of an object's kind: its two letters, the second one times 256.
fn kind_number(kind: &str) -> u16 {
    let letter = |n: usize| kind.as_bytes().get(n).copied().unwrap_or(b' ');
    u16::from_le_bytes([letter(0), letter(1)])
}

/// None: it is a thread of another instance of this process.
fn who(instance: &Instance) -> Option<Who> {
    let Some(cell) = current() else { return Some(Who::System(0)) };
    let is = |entry: &Arc<SessionEntry>| Arc::ptr_eq(&entry.cell, &cell);
    match SessionCell::session_id(&cell) {
        // The fifty-first thread has no number.
        0 => Some(Who::System(0)),
        id if id <= 50 => instance.all_sessions().iter().any(is).then_some(Who::System(id)),
        _ => instance.sessions().into_iter().find(is).map(Who::User),
    }
}

/// A row with what all have; the times: when it began, and now, 100 ns since 0001-01-01 UTC.
fn begin_row(instance: &Instance, class: u16, who: &Who, began_ns_ago: u64) -> (Row, u64) {
    let now = instance.options().env.clock.now_utc().0;
    let mut row = Row::new(class);
    row.number(Column::StartTime, now.saturating_sub(began_ns_ago / 100));
    row.text(Column::ServerName, &instance.options().server_name);
    let login = match who {
        Who::User(entry) => {
            let client = &entry.client;
            row.number(Column::Spid, entry.id.0);
            row.text(Column::HostName, &client.host_name);
            row.number(Column::ClientProcessId, client.client_pid);
            row.text(Column::ApplicationName, &client.program_name);
            row.number(Column::RequestId, 0);
            match entry.cell.transaction_id.load(Relaxed) {
                0 => {}
                id => row.number(Column::TransactionId, id),
            }
            &*client.login
        }
        Who::System(id) => {
            row.number(Column::Spid, *id);
            row.number(Column::IsSystem, 1);
            "sa"
        }
    };
    row.text(Column::LoginName, login);
    row.text(Column::SessionLoginName, login);
    if let Some(login) = instance.find_login(login) {
        row.bytes(Column::LoginSid, &login.sid);
    }
    (row, now)
}

fn put_row(instance: &Instance, row: Row, utc: u64) {
    event_sessions(instance).trace.take(row, instance.options().env.clock.monotonic(), utc);
}

fn in_database(instance: &Instance, row: &mut Row, id: DatabaseId) {
    row.number(Column::DatabaseId, id.0);
    row.text(Column::DatabaseName, &event_sessions(instance).around.database_name(id.0));
}

/// `caused`: the session that needed it, if a thread of the server did it; 0 if none is known, or it is this thread's.
fn trace_resized(instance: &Instance, class: u16, what: &Resized<'_>, caused: u16) {
    let Some(who) = who(instance) else { return };
    let who = match who {
        // A session that has ended meanwhile has no row in its name.
        Who::System(_) if caused > 50 => {
            let found = instance.sessions().into_iter().find(|e| e.id.0 == caused);
            found.map_or(who, Who::User)
        }
        who => who,
    };
    let (mut row, now) = begin_row(instance, class, &who, what.ns);
    row.number(Column::DatabaseId, what.database.id.0);
    row.text(Column::DatabaseName, &what.database.name);
    row.text(Column::FileName, what.file);
    row.number(Column::Duration, what.ns / 1000);
    row.number(Column::EndTime, now);
    row.number(Column::IntegerData, what.to.abs_diff(what.from) / PAGE);
    put_row(instance, row, now);
}

fn trace_object(instance: &Instance, change: &ObjectChange, stage: Stage) {
    let Some(who) = who(instance) else { return };
    let class = match change.change {
        Change::Created => OBJECT_CREATED,
        Change::Altered => OBJECT_ALTERED,
        Change::Deleted => OBJECT_DELETED,
    };
    let (mut row, now) = begin_row(instance, class, &who, 0);
    in_database(instance, &mut row, change.database);
    row.number(Column::EventSubClass, stage as u8);
    row.number(Column::ObjectId, change.object);
    if let Some(index) = change.index {
        row.number(Column::IndexId, index);
    }
    row.number(Column::ObjectType, kind_number(change.kind));
    row.text(Column::ObjectName, &change.name);
    put_row(instance, row, now);
}

/// A database was made, changed or dropped.
fn trace_database(instance: &Instance, change: Change, id: DatabaseId, name: &str) {
    let (object, index) = (id.0.into(), None);
    let change =
        ObjectChange { change, database: id, object, index, kind: "DB", name: name.into() };
    trace_object(instance, &change, Stage::Begin);
    trace_object(instance, &change, Stage::Commit);
}

/// The trace begins, or ends.
pub(super) fn trace_started(instance: &Instance, begins: bool) {
    let Some(who) = who(instance) else { return };
    let class = if begins { TRACE_START } else { TRACE_STOP };
    let (row, now) = begin_row(instance, class, &who, 0);
    put_row(instance, row, now);
    let (mut row, now) = begin_row(instance, CHANGE_AUDIT, &who, 0);
    row.number(Column::EventSubClass, if begins { 1 } else { 2 });
    row.number(Column::Success, 1);
    put_row(instance, row, now);
}

/// The server has started.
pub(crate) fn server_starts(instance: &Instance) {
    server_row(instance, 2);
}

/// It stops.
pub(super) fn server_stops(instance: &Instance) {
    server_row(instance, 1);
}

fn server_row(instance: &Instance, subclass: u8) {
    if !event_sessions(instance).trace.is_on() {
        return;
    }
    let (mut row, now) = begin_row(instance, SERVER_STARTS_AND_STOPS, &Who::System(0), 0);
    row.number(Column::EventSubClass, subclass);
    row.number(Column::Success, 1);
    put_row(instance, row, now);
}

/// What the error log says goes to the default trace, and to sessions of events. An entry of it, with the time and source of each
/// line; `error`: number, severity and state where it is about one.
pub(crate) fn error_log(instance: &Instance, text: &str, error: Option<(i32, u8, u8)>) {
    if xe::wanted(xe::Event::ErrorlogWritten) {
        xe::tell(xe::Event::ErrorlogWritten, &[xe::Val::text(text)]);
    }
    if !event_sessions(instance).trace.is_on() {
        return;
    }
    let (mut row, now) = begin_row(instance, ERROR_LOG, &Who::System(0), 0);
    row.text(Column::TextData, text);
    row.number(Column::Severity, error.map_or(10, |e| e.1));
    if let Some((number, _, state)) = error {
        row.number(Column::Error, number);
        row.number(Column::State, state);
    }
    put_row(instance, row, now);
}

/// A login was refused.
pub(crate) fn failed_login(instance: &Instance, failed: &FailedLogin<'_>) {
    if !event_sessions(instance).trace.is_on() {
        return;
    }
    let now = instance.options().env.clock.now_utc().0;
    let mut row = Row::new(LOGIN_FAILED);
    row.number(Column::StartTime, now);
    row.number(Column::Spid, 0);
    row.text(Column::ServerName, &instance.options().server_name);
    row.text(Column::LoginName, failed.login);
    row.text(Column::SessionLoginName, failed.login);
    row.text(Column::HostName, failed.host);
    row.text(Column::ApplicationName, failed.program);
    row.number(Column::ClientProcessId, failed.process);
    in_database(instance, &mut row, DatabaseId(1));
    row.text(Column::TextData, failed.text);
    row.number(Column::Error, failed.error);
    row.number(Column::State, failed.state);
    row.number(Column::EventSubClass, 1);
    row.number(Column::Success, 0);
    put_row(instance, row, now);
}

/// Something was done to the server.
pub(crate) fn audited(instance: &Instance, what: &Audit<'_>) {
    if !event_sessions(instance).trace.is_on() {
        return;
    }
    match what {
        Audit::LogShrunk(resized) => trace_resized(instance, LOG_FILE_SHRINK, resized, 0),
        Audit::DefaultDatabase { login, sid } => {
            let Some(who) = who(instance) else { return };
            let (mut row, now) = begin_row(instance, LOGIN_CHANGED, &who, 0);
            row.number(Column::EventSubClass, 1);
            row.number(Column::Success, 1);
            row.number(Column::ObjectType, kind_number("SL"));
            row.text(Column::ObjectName, login);
            row.text(Column::TargetLoginName, login);
            row.bytes(Column::TargetLoginSid, sid);
            put_row(instance, row, now);
        }
    }
}

/// A statement about databases, backups or the server has run: its text and line, and whether it has done what it was to do.
#[inline]
pub(crate) fn statement_ran(
    session: &Session,
    (text, line): (&str, u32),
    statement: &Statement,
    ok: bool,
) {
    if event_sessions(&session.instance).trace.is_on() {
        note_statement(session, (text, line), statement, ok);
    }
}

#[cold]
fn note_statement(session: &Session, (text, line): (&str, u32), statement: &Statement, ok: bool) {
    let instance = &session.instance;
    let id_of = |name: &str| instance.databases().slot(name).map(|slot| slot.entry.id);
    match &statement.kind {
        StatementKind::CreateDatabase(s) if ok => {
            note_databases(instance);
            if let Some(id) = id_of(&s.name.value) {
                trace_database(instance, Change::Created, id, &s.name.value);
            }
        }
        StatementKind::AlterDatabase(s) if ok => {
            note_databases(instance);
            let name = s.name.as_ref().map_or(&*session.database.name, |n| &*n.value);
            if let Some(id) = id_of(name) {
                trace_database(instance, Change::Altered, id, name);
            }
        }
        StatementKind::Backup(_) | StatementKind::Restore(_) | StatementKind::Dbcc(_) => {
            let (class, subclass) = match &statement.kind {
                StatementKind::Backup(s) if s.kind == BackupKind::Log => (BACKUP_RESTORE, Some(3)),
                StatementKind::Backup(_) => (BACKUP_RESTORE, Some(1)),
                StatementKind::Restore(_) => (BACKUP_RESTORE, Some(2)),
                _ => (DBCC, None),
            };
            let Some(who) = who(instance) else { return };
            let (mut row, now) = begin_row(instance, class, &who, 0);
            in_database(instance, &mut row, session.database.id);
            row.text(Column::TextData, &masked(text));
            row.text(Column::DbUserName, "dbo");
            row.number(Column::Success, u8::from(ok));
            row.number(Column::NestLevel, session.activation.nest_level);
            if let Some(subclass) = subclass {
                row.number(Column::EventSubClass, subclass);
            } else {
                row.number(Column::LineNumber, line);
            }
            put_row(instance, row, now);
        }
        _ => {}
    }
}

/// A database was dropped.
pub(crate) fn database_dropped(instance: &Instance, id: DatabaseId, name: &str) {
    if event_sessions(instance).trace.is_on() {
        trace_database(instance, Change::Deleted, id, name);
    }
}

#[cfg(test)]
mod tests {
    use super::kind_number;

    #[test]
    fn kinds_are_their_letters() {
        for (kind, number) in
            [("U ", 8277), ("P ", 8272), ("DB", 16964), ("IX", 22601), ("ST", 21587), ("PK", 19280)]
        {
            assert_eq!(kind_number(kind), number, "{kind}");
        }
    }
}
