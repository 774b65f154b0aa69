//! Events of DDL: what statements have done to definitions, and the triggers of databases and of the server that fire for it.
//!
//! ```text
//! a feature's code   notes an event where the thing is done ──▶ session.running.events
//! fire_events        behind the statement, in its transaction: for each event the server's triggers, then those of its database;
//!                    of each scope the first, the others from the oldest on, the last
//! the body           reads the event as xml: EVENTDATA()
//! ```
//!
//! 1. What is temporary raises no event, nor does a statement that fails.
//! 2. A trigger fires neither for its own CREATE TRIGGER, nor for what it does itself, unless recursion is on in its scope.
//! 3. The rules of bodies are those of [`super::triggers`].

use super::activation::Way;
use super::interpret::Interpreter;
use super::module::{Module, Stmt};
use crate::catalog::ddl_event::{EventNumber, by_name, by_number};
use crate::catalog::registry::{
    FLAG_RECURSIVE_TRIGGERS, NESTED_TRIGGERS, SERVER_TRIGGER_RECURSION,
};
use crate::catalog::{self, ObjectHead, ObjectKind, TriggerOrder, TriggerScope, datetime_now};
use crate::database::Database;
use crate::session::Session;
use crate::session::context::StatementContext;
use crate::session::masked::{comment, masked};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::{DatabaseId, ObjectId, SqlError, SqlResult};
use taffrail_syntax::ast;
use taffrail_types::{Conversion, SqlType, convert};

/// The part of a text that an event shows as its command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandExtent {
    /// An event of one statement.
    Statement,
    /// The statement and what follows it up to the next one.
    UpToNext,
    /// An event of the whole batch.
    Batch,
}

/// An event that a statement has raised.
#[derive(Clone)]
pub struct DdlEvent {
    /// The number of the event in the tree.
    number: EventNumber,
    /// The database in which it has happened; none: it is one of the server.
    database: Option<Arc<Database>>,
    /// Elements between the database's and the command.
    details: String,
    /// Elements behind the command.
    behind: String,
    extent: CommandExtent,
    /// WITH ENCRYPTION: nobody is shown the command.
    encrypted: bool,
    /// The trigger that the event has made, which does not fire for it.
    made: Option<(DatabaseId, ObjectId)>,
    /// The function that takes back a thing which no transaction takes back, and the name of the thing.
    undo: Option<(Undo, String)>,
}

/// Code that takes back what a statement has done, by the name of the thing.
pub type Undo = fn(&mut StatementContext<'_>, &str) -> SqlResult<()>;

/// Text as XML has it; `?` for characters that it has not.
pub fn xml_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#x0D;"),
            '\t' | '\n' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

fn element(out: &mut String, tag: &str, text: &str) {
    // A String takes everything.
    let _ = write!(out, "<{tag}>{}</{tag}>", xml_text(text));
}

/// The word for a kind of object in the names of events and in `ObjectType`; none: a kind that has no events.
fn event_word(kind: ObjectKind) -> Option<&'static str> {
    Some(match kind {
        ObjectKind::Table => "TABLE",
        ObjectKind::View => "VIEW",
        ObjectKind::Procedure => "PROCEDURE",
        ObjectKind::ScalarFunction | ObjectKind::InlineFunction | ObjectKind::TableFunction => {
            "FUNCTION"
        }
        ObjectKind::Trigger | ObjectKind::DatabaseTrigger | ObjectKind::ServerTrigger => "TRIGGER",
        ObjectKind::Synonym => "SYNONYM",
        ObjectKind::Sequence => "SEQUENCE",
        ObjectKind::Type => "TYPE",
        _ => return None,
    })
}

/// `ObjectType` of an object.
pub fn object_type(kind: ObjectKind) -> &'static str {
    event_word(kind).unwrap_or("OBJECT")
}

impl DdlEvent {
    /// An event of a database; none where no such event is known.
    pub fn in_database(name: &str, database: &Arc<Database>) -> Option<DdlEvent> {
        let known = by_name(name);
        debug_assert!(known.is_some(), "{name} is no event");
        Some(DdlEvent {
            number: known?.number,
            database: Some(database.clone()),
            details: String::new(),
            behind: String::new(),
            extent: CommandExtent::Statement,
            encrypted: false,
            made: None,
            undo: None,
        })
    }

    /// An event of the server, of whatever database it tells.
    pub fn on_server(name: &str, database: &Arc<Database>) -> Option<DdlEvent> {
        Some(DdlEvent { database: None, ..DdlEvent::in_database(name, database)? })
    }

    /// The event of a verb (`CREATE`, `ALTER`, `DROP`) on an object of a schema; none for temporary objects and for kinds without events.
    pub fn of_object(verb: &str, database: &Arc<Database>, head: &ObjectHead) -> Option<DdlEvent> {
        if head.name.starts_with('#') {
            return None;
        }
        let word = event_word(head.kind)?;
        let event = DdlEvent::in_database(&format!("{verb}_{word}"), database)?;
        let module = matches!(word, "VIEW" | "PROCEDURE" | "FUNCTION" | "TRIGGER");
        let extent = match (verb, word) {
            ("DROP", _) | (_, "TABLE") => CommandExtent::Statement,
            _ if module => CommandExtent::Batch,
            _ => CommandExtent::UpToNext,
        };
        let event = event.with("SchemaName", &head.schema).with("ObjectName", &head.name);
        Some(event.with("ObjectType", object_type(head.kind)).extent(extent))
    }

    /// The event with another element in front of the command.
    pub fn with(mut self, tag: &str, text: &str) -> DdlEvent {
        element(&mut self.details, tag, text);
        self
    }

    /// The event with elements in front of the command that are XML already.
    pub fn with_xml(mut self, xml: &str) -> DdlEvent {
        self.details.push_str(xml);
        self
    }

    /// The event with elements behind the command that are XML already.
    pub fn behind(mut self, xml: &str) -> DdlEvent {
        self.behind.push_str(xml);
        self
    }

    /// The event, whose command is such a part of the text.
    pub fn extent(self, extent: CommandExtent) -> DdlEvent {
        DdlEvent { extent, ..self }
    }

    /// The event, whose command nobody is shown where `on`.
    pub fn encrypted(self, on: bool) -> DdlEvent {
        DdlEvent { encrypted: on, ..self }
    }

    /// The event that has made a trigger.
    pub fn made(self, database: &Database, trigger: ObjectId) -> DdlEvent {
        DdlEvent { made: Some((database.id, trigger)), ..self }
    }

    /// The event of a thing that no transaction takes back: the code does so when a trigger fails or rolls back.
    pub fn undone_by(self, undo: Undo, name: &str) -> DdlEvent {
        DdlEvent { undo: Some((undo, name.to_owned())), ..self }
    }

    /// The event as EVENTDATA gives it: a text of xml.
    fn xml(&self, session: &Session, command: &str) -> String {
        let mut out = String::from("<EVENT_INSTANCE>");
        element(&mut out, "EventType", by_number(self.number).map_or("", |e| e.name));
        element(&mut out, "PostTime", &now(session));
        element(&mut out, "SPID", &session.id.0.to_string());
        element(&mut out, "ServerName", &session.instance.options().server_name);
        element(&mut out, "LoginName", &session.activation.security().login);
        if let Some(database) = &self.database {
            let user = session.identity_in(database).map(|i| i.name.to_string());
            element(&mut out, "UserName", &user.unwrap_or_default());
            element(&mut out, "DatabaseName", &database.name);
        }
        out.push_str(&self.details);
        let o = &session.activation.options;
        let on = |on: bool| if on { "ON" } else { "OFF" };
        let _ = write!(
            out,
            "<TSQLCommand><SetOptions ANSI_NULLS=\"{}\" ANSI_NULL_DEFAULT=\"{}\" ANSI_PADDING=\"{}\" QUOTED_IDENTIFIER=\"{}\" \
             ENCRYPTED=\"{}\"/><CommandText>{}</CommandText></TSQLCommand>{}</EVENT_INSTANCE>",
            on(o.ansi_nulls),
            on(o.ansi_null_dflt_on),
            on(o.ansi_padding),
            on(o.quoted_identifier),
            if self.encrypted { "TRUE" } else { "FALSE" },
            if self.encrypted { HIDDEN.into() } else { xml_text(&masked(command)) },
            self.behind
        );
        out
    }
}

/// The command of an event WITH ENCRYPTION.
const HIDDEN: &str = "--ENCRYPTED--";

/// The style of CONVERT that shows `yyyy-mm-dd hh:mm:ss.mmm`.
const ODBC_CANONICAL: i32 = 121;

/// The present moment as `PostTime` shows it.
fn now(session: &Session) -> String {
    let now = datetime_now(&*session.instance.options().env.clock);
    let (to, context) = (SqlType::nvarchar(23), session.convert_context());
    let style = Some(ODBC_CANONICAL);
    let text =
        convert::cast_with(&now, SqlType::DateTime, to, style, Conversion::Explicit, &context);
    text.ok().and_then(|t| t.as_text()).unwrap_or_default().replace(' ', "T")
}

/// The text that events of a statement show parts of.
pub(crate) struct EventText {
    /// The batch or module.
    text: Arc<str>,
    /// The statement's place in it, in bytes.
    start: usize,
    end: usize,
}

impl EventText {
    /// That of a statement of a module.
    pub fn of(module: &Module, s: &Stmt) -> EventText {
        let (start, end) = (s.span.start as usize, s.span.end as usize);
        EventText { text: module.text.clone(), start, end }
    }

    /// That of the EXEC which has called a procedure of the system; its name for a remote call.
    pub(crate) fn of_call(session: &Session, procedure: &str) -> EventText {
        let place = |n: &std::sync::atomic::AtomicI32| n.load(Relaxed).max(0) as usize;
        let (start, end) =
            (place(&session.cell.statement_start), place(&session.cell.statement_end));
        let caller = session.activation.stack().nth(1);
        let text = caller.and_then(|a| a.locals.module.text.get(start..end));
        // Whatever the event, it shows the call and nothing else.
        let text = text.map(str::trim).filter(|text| !text.is_empty()).unwrap_or(procedure);
        EventText { text: text.into(), start: 0, end: text.len() }
    }

    fn part(&self, extent: CommandExtent) -> &str {
        let end = match extent {
            CommandExtent::Batch => return &self.text,
            CommandExtent::Statement => self.end,
            CommandExtent::UpToNext => self.end + behind(self.text.get(self.end..)),
        };
        let part = self.text.get(self.start..end).unwrap_or_default();
        match extent {
            CommandExtent::Statement => {
                part.trim_end_matches(|c: char| c == ';' || c.is_whitespace())
            }
            _ => part,
        }
    }
}

/// Bytes of semicolons, blanks and comments at the beginning of a text.
fn behind(text: Option<&str>) -> usize {
    let text = text.unwrap_or_default();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += match rest.chars().next() {
            Some(c) if c == ';' || c.is_whitespace() => c.len_utf8(),
            _ if rest.starts_with("--") => rest.find('\n').map_or(rest.len(), |n| n + 1),
            _ if rest.starts_with("/*") => comment(rest.as_bytes()),
            _ => return at,
        };
    }
}

/// A trigger of a database or of the server that runs.
pub(crate) struct FiredByEvent {
    /// The database in which the trigger lies.
    pub database: DatabaseId,
    /// The object id of the trigger.
    pub trigger: ObjectId,
    /// The event as EVENTDATA gives it.
    pub data: Arc<str>,
}

impl StatementContext<'_> {
    /// Notes an event, if there is one: its triggers are fired when the statement has ended well.
    pub fn note_event(&mut self, event: Option<DdlEvent>) {
        self.session.running.events.extend(event);
    }

    /// Forgets the events that the statement has noted.
    pub fn forget_events(&mut self) {
        self.session.running.events.clear();
    }
}

/// Fires the triggers of what a statement has noted before it does it; `text` and `span`: the batch, and the statement in it.
pub fn fire_noted(cx: &mut StatementContext<'_>, text: &str, span: ast::Span) -> SqlResult<()> {
    let (start, end) = (span.start as usize, span.end as usize);
    let text = EventText { text: text.into(), start, end };
    Interpreter::new(cx.session, cx.sink).fire_events(&text)
}

/// A trigger that is to be fired, with its database.
type Due = (TriggerScope, Arc<Database>, Arc<catalog::Module>);

impl Session {
    /// The enabled triggers of an event, in their order.
    fn triggers_of_event(&self, event: &DdlEvent) -> SqlResult<Vec<Due>> {
        let mut all = Vec::new();
        let master = self.instance.databases().master()?;
        let scopes = [(TriggerScope::Server, Some(&master))];
        let own = [(TriggerScope::Database, event.database.as_ref())];
        for (scope, database) in scopes.into_iter().chain(own) {
            let Some(database) = database else { continue };
            let mut found: Vec<(u8, Due)> = Vec::new();
            for trigger in database.catalog.ddl_triggers(scope, self.id) {
                let facts = trigger.ddl.as_ref().filter(|facts| !facts.disabled);
                let Some(fires) = facts.and_then(|facts| facts.event(event.number)) else {
                    continue;
                };
                if event.made == Some((database.id, trigger.head.id)) {
                    continue;
                }
                let place = match fires.order {
                    TriggerOrder::First => 0,
                    TriggerOrder::None => 1,
                    TriggerOrder::Last => 2,
                };
                found.push((place, (scope, database.clone(), trigger)));
            }
            found.sort_by_key(|(place, _)| *place);
            all.extend(found.into_iter().map(|(_, due)| due));
        }
        Ok(all)
    }

    /// Whether a trigger is fired here: recursion in its scope, and the option `nested triggers`.
    fn may_fire_for_event(&self, (scope, database, trigger): &Due) -> bool {
        let is_on = |option: i32, value: i64| {
            self.instance.databases().running_configurations().contains(&(option, value))
        };
        if self.triggers_running(None, Some(false), None) > 0 && is_on(NESTED_TRIGGERS, 0) {
            return false;
        }
        let mut running = self.activation.stack();
        let innermost = running.find(|a| a.fired.is_some() || a.event.is_some());
        let event = innermost.and_then(|a| a.event.as_ref());
        let is_itself =
            event.is_some_and(|e| (e.database, e.trigger) == (database.id, trigger.head.id));
        !is_itself
            || match scope {
                TriggerScope::Database => {
                    database.storage.engine_flags() & FLAG_RECURSIVE_TRIGGERS != 0
                }
                TriggerScope::Server => !is_on(SERVER_TRIGGER_RECURSION, 0),
            }
    }

    /// EVENTDATA() of the trigger that runs: not of one that has called what runs.
    pub(super) fn event_data_now(&self) -> Option<Arc<str>> {
        self.activation.event.as_ref().map(|e| e.data.clone())
    }
}

impl Interpreter<'_> {
    /// Fires the triggers of the events that a statement has raised.
    pub(crate) fn fire_events(&mut self, text: &EventText) -> SqlResult<()> {
        if self.session.running.events.is_empty() {
            return Ok(());
        }
        let events = std::mem::take(&mut self.session.running.events);
        let fired = self.fire_each(&events, text);
        if fired.is_err() {
            for (undo, name) in events.iter().filter_map(|e| e.undo.as_ref()) {
                // The trigger's error is the statement's; what could not be taken back is told beside it.
                let mut cx = self.context(0);
                if let Err(left) = undo(&mut cx, name) {
                    cx.reason(left)?;
                }
            }
        }
        fired
    }

    fn fire_each(&mut self, events: &[DdlEvent], text: &EventText) -> SqlResult<()> {
        let mut due = Vec::new();
        for event in events {
            let triggers = self.session.triggers_of_event(event)?;
            if !triggers.is_empty() {
                // All are told the moment before the first of them runs.
                let data: Arc<str> = event.xml(self.session, text.part(event.extent)).into();
                due.extend(triggers.into_iter().map(|trigger| (data.clone(), trigger)));
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        self.while_triggers_run(|it| {
            due.into_iter().try_for_each(|(data, trigger)| it.fire_for_event(data, trigger))
        })
    }

    fn fire_for_event(&mut self, data: Arc<str>, due: Due) -> SqlResult<()> {
        if !self.session.may_fire_for_event(&due) {
            return Ok(());
        }
        let (_, database, trigger) = due;
        let fired = FiredByEvent { database: database.id, trigger: trigger.head.id, data };
        let way = Way { event: Some(Arc::new(fired)), ..Way::default() };
        self.fire_one(&database, &trigger, way)?;
        if self.session.transaction.count == 0 {
            return Err(SqlError::new(3609, &[]));
        }
        match self.session.transaction.doomed {
            true => Err(SqlError::new(3616, &[])),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandExtent, EventText, xml_text};

    #[test]
    fn a_command_is_a_part_of_its_text() {
        let text = "/* a */ DROP TABLE t ; -- b\n /* c /* d */ */ SELECT 1";
        let part = |extent| {
            let found = EventText { text: text.into(), start: 8, end: 22 };
            found.part(extent).to_owned()
        };
        assert_eq!(part(CommandExtent::Statement), "DROP TABLE t");
        assert_eq!(part(CommandExtent::UpToNext), "DROP TABLE t ; -- b\n /* c /* d */ */ ");
        assert_eq!(part(CommandExtent::Batch), text);
    }

    #[test]
    fn what_xml_cannot_hold_becomes_a_question_mark() {
        assert_eq!(xml_text("a<b>&\r\n\u{1}"), "a&lt;b&gt;&amp;&#x0D;\n?");
    }
}
