//! What is around an event: whose session it is, which database, which text.
//!
//! It is asked in the middle of whatever goes on, so the names of databases are copies: nothing here waits for the
//! list of databases, which is
//! held while databases are made.

use crate::session::entry::{SessionEntry, Sessions, Statements};
use crate::views::dm_os_tasks::scheduler_of;
use crate::views::sql_text::running_handle;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use taffrail_base::SessionId;
use taffrail_observe::xe::{Action, Surroundings, Val};

/// Of one instance.
pub(crate) struct Around {
    sessions: Arc<Sessions>,
    server_name: Arc<str>,
    databases: Mutex<BTreeMap<u16, Arc<str>>>,
}

impl Around {
    pub fn new(sessions: Arc<Sessions>, server_name: &str) -> Around {
        Around { sessions, server_name: server_name.into(), databases: Mutex::default() }
    }

    /// A database is called so.
    pub(crate) fn note_database(&self, id: u16, name: &str) {
        let mut all = self.databases.lock();
        if all.get(&id).is_none_or(|n| **n != *name) {
            all.insert(id, name.into());
        }
    }

    /// What a database is called.
    pub fn database_name(&self, id: u16) -> Arc<str> {
        self.databases.lock().get(&id).cloned().unwrap_or_default()
    }

    fn session(&self, id: u16) -> Option<Arc<SessionEntry>> {
        self.sessions.get(SessionId(id))
    }
}

/// A statement: of which text, and where in it.
fn frame(level: usize, (statements, start, end): &(Statements, i32, i32)) -> String {
    let wide = statements.text.encode_utf16().take((*start).max(0) as usize / 2);
    let line = 1 + wide.filter(|c| *c == u16::from(b'\n')).count();
    let handle = running_handle(statements);
    let handle: String = handle.iter().flatten().map(|b| format!("{b:02X}")).collect();
    let (start, end) = ((*start).max(0), if *end < 0 { -1 } else { *end });
    format!(
        "<frame level='{level}' handle='0x{handle}' line='{line}' offsetStart='{start}' offsetEnd='{end}'/>"
    )
}

/// The running statement.
fn innermost(s: &SessionEntry) -> Val {
    if !s.is_running() {
        return Val::Empty;
    }
    Val::text(&frame(1, &s.running_statement()))
}

/// The running statement and those that have called it.
fn stack(s: &SessionEntry) -> Val {
    if !s.is_running() {
        return Val::Empty;
    }
    let frames: String = s.frames(usize::MAX).iter().zip(1..).map(|(f, n)| frame(n, f)).collect();
    Val::text(&format!("<frames>{frames}</frames>"))
}

impl Surroundings for Around {
    fn action(&self, session: u16, database: u16, action: Action) -> Val {
        let of =
            |f: fn(&SessionEntry) -> Val| self.session(session).map_or(Val::text(""), |s| f(&s));
        match action {
            Action::ClientAppName => of(|s| Val::text(&s.client.program_name)),
            Action::ClientHostname => of(|s| Val::text(&s.client.host_name)),
            Action::ClientPid => of(|s| Val::from(s.client.client_pid)),
            Action::Username | Action::ServerPrincipalName | Action::SessionServerPrincipalName => {
                of(|s| Val::text(&s.client.login))
            }
            Action::SqlText => of(|s| super::tell::told_text(&s.text())),
            Action::DatabaseName => Val::Text(self.database_name(database)),
            Action::ServerInstanceName => Val::Text(self.server_name.clone()),
            Action::SystemThreadId | Action::CollectCurrentThreadId => {
                let thread = self.session(session).and_then(|s| s.thread());
                thread.map_or(Val::Empty, Val::from)
            }
            Action::CpuId | Action::SchedulerId => {
                let of = self.session(session).and_then(|s| scheduler_of(&s));
                of.map_or(Val::Empty, Val::from)
            }
            Action::ClientConnectionId => {
                of(|s| Val::text(&taffrail_types::text::guid(&s.connection_id)))
            }
            Action::TsqlFrame => of(innermost),
            Action::TsqlStack => of(stack),
            // The session itself knows the others.
            _ => Val::Empty,
        }
    }

    fn statement(&self, session: u16) -> Val {
        let Some(s) = self.session(session).filter(|s| s.is_running()) else { return Val::Empty };
        let (statements, start, end) = s.running_statement();
        let wide: Vec<u16> = statements.text.encode_utf16().collect();
        let to = if end < 0 { wide.len() } else { (end as usize / 2 + 1).min(wide.len()) };
        let from = (start.max(0) as usize / 2).min(to);
        super::tell::told_text(String::from_utf16_lossy(&wide[from..to]).trim())
    }
}
