//! What becomes a row of the trace: events of the ring, objects that change, statements about the server, lines of the error log,
//! refused logins.

use super::row::{Column, Row};
use crate::instance::Instance;
use crate::session::Session;
use crate::session::entry::SessionEntry;
use crate::session::masked::masked;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use taffrail_base::DatabaseId;
use taffrail_observe::listen::{Change, Listener, ObjectChange, Stage};
use taffrail_observe::session::{SessionCell, current};
use taffrail_observe::{Event, Whose, xe};
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

/// A login that was refused.
pub struct FailedLogin<'a> {
    /// Who it wanted to be.
    pub login: &'a str,
    /// What its client said of itself.
    pub host: &'a str,
    /// See `host`.
    pub program: &'a str,
    /// See `host`.
    pub process: u32,
    /// The number and state that the error log has.
    pub error: i32,
    /// See `error`.
    pub state: u8,
    /// Why.
    pub text: &'a str,
}

/// A file that was made smaller.
pub(crate) struct Resized<'a> {
    /// Its database.
    pub database: &'a Whose,
    /// Its logical name.
    pub file: &'a str,
    /// Bytes.
    pub from: u64,
    /// Bytes.
    pub to: u64,
    /// How long it took, ns.
    pub ns: u64,
}

/// What was done to the server.
pub(crate) enum Audit<'a> {
    /// A login's default database was changed.
    DefaultDatabase {
        /// The login's name.
        login: &'a str,
        /// Its security identifier.
        sid: &'a [u8],
    },
    /// A file was made smaller.
    LogShrunk(Resized<'a>),
}

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
                instance.trace_resized(LOG_FILE_GROWTH, &resized, *session);
            }
            Event::DataGrowth { database, name, from, to, automatic: true, session, ns, .. } => {
                let resized = Resized { database, file: name, from: *from, to: *to, ns: *ns };
                instance.trace_resized(DATA_FILE_GROWTH, &resized, *session);
            }
            _ => {}
        }
    }

    fn object_changed(&self, change: &ObjectChange, stage: Stage) {
        if let Some(instance) = self.0.upgrade() {
            instance.trace_object(change, stage);
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

impl Instance {
    /// None: it is a thread of another instance of this process.
    fn who(&self) -> Option<Who> {
        let Some(cell) = current() else { return Some(Who::System(0)) };
        let is = |entry: &Arc<SessionEntry>| Arc::ptr_eq(&entry.cell, &cell);
        match SessionCell::session_id(&cell) {
            // The fifty-first thread has no number.
            0 => Some(Who::System(0)),
            id if id <= 50 => self.all_sessions().iter().any(is).then_some(Who::System(id)),
            _ => self.sessions().into_iter().find(is).map(Who::User),
        }
    }

    /// A row with what all have; the times: when it began, and now, 100 ns since 0001-01-01 UTC.
    fn begin_row(&self, class: u16, who: &Who, began_ns_ago: u64) -> (Row, u64) {
        let now = self.options().env.clock.now_utc().0;
        let mut row = Row::new(class);
        row.number(Column::StartTime, now.saturating_sub(began_ns_ago / 100));
        row.text(Column::ServerName, &self.options().server_name);
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
        if let Some(login) = self.find_login(login) {
            row.bytes(Column::LoginSid, &login.sid);
        }
        (row, now)
    }

    fn put_row(&self, row: Row, utc: u64) {
        self.events().trace.take(row, self.options().env.clock.monotonic(), utc);
    }

    fn in_database(&self, row: &mut Row, id: DatabaseId) {
        row.number(Column::DatabaseId, id.0);
        row.text(Column::DatabaseName, &self.events().around.database_name(id.0));
    }

    /// `caused`: the session that needed it, if a thread of the server did it; 0 if none is known, or it is this thread's.
    fn trace_resized(&self, class: u16, what: &Resized<'_>, caused: u16) {
        let Some(who) = self.who() else { return };
        let who = match who {
            // A session that has ended meanwhile has no row in its name.
            Who::System(_) if caused > 50 => {
                let found = self.sessions().into_iter().find(|e| e.id.0 == caused);
                found.map_or(who, Who::User)
            }
            who => who,
        };
        let (mut row, now) = self.begin_row(class, &who, what.ns);
        row.number(Column::DatabaseId, what.database.id.0);
        row.text(Column::DatabaseName, &what.database.name);
        row.text(Column::FileName, what.file);
        row.number(Column::Duration, what.ns / 1000);
        row.number(Column::EndTime, now);
        row.number(Column::IntegerData, what.to.abs_diff(what.from) / PAGE);
        self.put_row(row, now);
    }

    fn trace_object(&self, change: &ObjectChange, stage: Stage) {
        let Some(who) = self.who() else { return };
        let class = match change.change {
            Change::Created => OBJECT_CREATED,
            Change::Altered => OBJECT_ALTERED,
            Change::Deleted => OBJECT_DELETED,
        };
        let (mut row, now) = self.begin_row(class, &who, 0);
        self.in_database(&mut row, change.database);
        row.number(Column::EventSubClass, stage as u8);
        row.number(Column::ObjectId, change.object);
        if let Some(index) = change.index {
            row.number(Column::IndexId, index);
        }
        row.number(Column::ObjectType, kind_number(change.kind));
        row.text(Column::ObjectName, &change.name);
        self.put_row(row, now);
    }

    /// A database was made, changed or dropped.
    fn trace_database(&self, change: Change, id: DatabaseId, name: &str) {
        let (object, index) = (id.0.into(), None);
        let change =
            ObjectChange { change, database: id, object, index, kind: "DB", name: name.into() };
        self.trace_object(&change, Stage::Begin);
        self.trace_object(&change, Stage::Commit);
    }

    /// The trace begins, or ends.
    pub(super) fn trace_started(&self, begins: bool) {
        let Some(who) = self.who() else { return };
        let class = if begins { TRACE_START } else { TRACE_STOP };
        let (row, now) = self.begin_row(class, &who, 0);
        self.put_row(row, now);
        let (mut row, now) = self.begin_row(CHANGE_AUDIT, &who, 0);
        row.number(Column::EventSubClass, if begins { 1 } else { 2 });
        row.number(Column::Success, 1);
        self.put_row(row, now);
    }

    /// The server has started.
    pub(in super::super) fn server_starts(&self) {
        self.server_row(2);
    }

    /// It stops.
    pub(super) fn server_stops(&self) {
        self.server_row(1);
    }

    fn server_row(&self, subclass: u8) {
        if !self.events().trace.is_on() {
            return;
        }
        let (mut row, now) = self.begin_row(SERVER_STARTS_AND_STOPS, &Who::System(0), 0);
        row.number(Column::EventSubClass, subclass);
        row.number(Column::Success, 1);
        self.put_row(row, now);
    }

    /// What the error log says goes to the default trace, and to sessions of events. An entry of it, with the time and source of each
    /// line; `error`: number, severity and state where it is about one.
    pub fn trace_error_log(&self, text: &str, error: Option<(i32, u8, u8)>) {
        if xe::wanted(xe::Event::ErrorlogWritten) {
            xe::tell(xe::Event::ErrorlogWritten, &[xe::Val::text(text)]);
        }
        if !self.events().trace.is_on() {
            return;
        }
        let (mut row, now) = self.begin_row(ERROR_LOG, &Who::System(0), 0);
        row.text(Column::TextData, text);
        row.number(Column::Severity, error.map_or(10, |e| e.1));
        if let Some((number, _, state)) = error {
            row.number(Column::Error, number);
            row.number(Column::State, state);
        }
        self.put_row(row, now);
    }

    /// A login was refused.
    pub fn trace_failed_login(&self, failed: &FailedLogin<'_>) {
        if !self.events().trace.is_on() {
            return;
        }
        let now = self.options().env.clock.now_utc().0;
        let mut row = Row::new(LOGIN_FAILED);
        row.number(Column::StartTime, now);
        row.number(Column::Spid, 0);
        row.text(Column::ServerName, &self.options().server_name);
        row.text(Column::LoginName, failed.login);
        row.text(Column::SessionLoginName, failed.login);
        row.text(Column::HostName, failed.host);
        row.text(Column::ApplicationName, failed.program);
        row.number(Column::ClientProcessId, failed.process);
        self.in_database(&mut row, DatabaseId(1));
        row.text(Column::TextData, failed.text);
        row.number(Column::Error, failed.error);
        row.number(Column::State, failed.state);
        row.number(Column::EventSubClass, 1);
        row.number(Column::Success, 0);
        self.put_row(row, now);
    }
}

/// Something was done to the server.
pub(crate) fn audit(instance: &Instance, what: &Audit<'_>) {
    if !instance.events().trace.is_on() {
        return;
    }
    match what {
        Audit::LogShrunk(resized) => instance.trace_resized(LOG_FILE_SHRINK, resized, 0),
        Audit::DefaultDatabase { login, sid } => {
            let Some(who) = instance.who() else { return };
            let (mut row, now) = instance.begin_row(LOGIN_CHANGED, &who, 0);
            row.number(Column::EventSubClass, 1);
            row.number(Column::Success, 1);
            row.number(Column::ObjectType, kind_number("SL"));
            row.text(Column::ObjectName, login);
            row.text(Column::TargetLoginName, login);
            row.bytes(Column::TargetLoginSid, sid);
            instance.put_row(row, now);
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
    if session.instance.events().trace.is_on() {
        note_statement(session, (text, line), statement, ok);
    }
}

#[cold]
fn note_statement(session: &Session, (text, line): (&str, u32), statement: &Statement, ok: bool) {
    let instance = &session.instance;
    let id_of = |name: &str| instance.databases().slot(name).map(|slot| slot.entry.id);
    match &statement.kind {
        StatementKind::CreateDatabase(s) if ok => {
            instance.note_databases();
            if let Some(id) = id_of(&s.name.value) {
                instance.trace_database(Change::Created, id, &s.name.value);
            }
        }
        StatementKind::AlterDatabase(s) if ok => {
            instance.note_databases();
            let name = s.name.as_ref().map_or(&*session.database.name, |n| &*n.value);
            if let Some(id) = id_of(name) {
                instance.trace_database(Change::Altered, id, name);
            }
        }
        StatementKind::Backup(_) | StatementKind::Restore(_) | StatementKind::Dbcc(_) => {
            let (class, subclass) = match &statement.kind {
                StatementKind::Backup(s) if s.kind == BackupKind::Log => (BACKUP_RESTORE, Some(3)),
                StatementKind::Backup(_) => (BACKUP_RESTORE, Some(1)),
                StatementKind::Restore(_) => (BACKUP_RESTORE, Some(2)),
                _ => (DBCC, None),
            };
            let Some(who) = instance.who() else { return };
            let (mut row, now) = instance.begin_row(class, &who, 0);
            instance.in_database(&mut row, session.database.id);
            row.text(Column::TextData, &masked(text));
            row.text(Column::DbUserName, "dbo");
            row.number(Column::Success, u8::from(ok));
            row.number(Column::NestLevel, session.activation.nest_level);
            if let Some(subclass) = subclass {
                row.number(Column::EventSubClass, subclass);
            } else {
                row.number(Column::LineNumber, line);
            }
            instance.put_row(row, now);
        }
        _ => {}
    }
}

/// A database was dropped.
pub(crate) fn database_dropped(instance: &Instance, id: DatabaseId, name: &str) {
    if instance.events().trace.is_on() {
        instance.trace_database(Change::Deleted, id, name);
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
