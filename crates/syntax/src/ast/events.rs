//! Sessions of extended events.

use std::fmt::{self, Display};

use super::{CompareOp, Ident, NamedOption};

/// The verbs of a statement about an event session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventSessionVerb {
    /// `CREATE`: a new session, not running yet.
    Create,
    /// `ALTER`: its parts, options or state change.
    Alter,
    /// `DROP`: the session is stopped and forgotten.
    Drop,
}

/// `CREATE | ALTER | DROP EVENT SESSION name ON SERVER …`.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSession {
    /// The verb that the statement begins with.
    pub verb: EventSessionVerb,
    /// The event session's name, unique on the server.
    pub name: Ident,
    /// True for `ON DATABASE`, false for `ON SERVER`.
    pub on_database: bool,
    /// `ADD …`, `DROP …`, in the order in which they are written.
    pub parts: Vec<EventSessionPart>,
    /// The session's options after `WITH`.
    pub options: Vec<NamedOption>,
    /// `STATE = START` (true) or `STOP`.
    pub state: Option<bool>,
}

/// A clause of an EVENT SESSION statement.
#[derive(Clone, Debug, PartialEq)]
pub enum EventSessionPart {
    /// `ADD EVENT`: one event, with its actions and predicate.
    AddEvent(EventDefinition),
    /// `DROP EVENT`: one event by name.
    DropEvent(EventName),
    /// `ADD TARGET`: one target, with its parameters.
    AddTarget(TargetDefinition),
    /// `DROP TARGET`: one target by name.
    DropTarget(EventName),
}

/// The name of an object of a package: `[module.]package.name`.
#[derive(Clone, Debug, PartialEq)]
pub struct EventName {
    /// The package, such as `sqlserver` or `package0`.
    pub package: Ident,
    /// The event, target, action …
    pub name: Ident,
}

/// An event, with the values recorded beside it and the condition for recording it.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDefinition {
    /// The event's name, with its package.
    pub name: EventName,
    /// `SET attribute = value`.
    pub set: Vec<(Ident, EventValue)>,
    /// The actions: values of the surroundings recorded with each event.
    pub actions: Vec<EventName>,
    /// The predicate after `WHERE`: events that fail it are not recorded.
    pub predicate: Option<EventPredicate>,
    /// How many characters the predicate was written in.
    pub predicate_length: u32,
}

/// A target: the receiver of a session's events.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetDefinition {
    /// The target's name, with its package.
    pub name: EventName,
    /// `SET parameter = value`.
    pub set: Vec<(Ident, EventValue)>,
}

/// A literal in a clause of an event session.
#[derive(Clone, Debug, PartialEq)]
pub enum EventValue {
    /// A number as typed.
    Number(Box<str>),
    /// A string; `N'…'` or not.
    Text(Box<str>, bool),
}

/// Which events are recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum EventPredicate {
    /// All of these hold.
    And(Vec<EventPredicate>),
    /// At least one of these holds.
    Or(Vec<EventPredicate>),
    /// The inner predicate does not hold.
    Not(Box<EventPredicate>),
    /// `source op value`: a comparison by an operator.
    Compare(EventSource, CompareOp, EventValue),
    /// `package.comparator(source, value)`: a comparison by a named comparator.
    Call(EventName, EventSource, EventValue),
}

/// The left side of a comparison in a predicate.
#[derive(Clone, Debug, PartialEq)]
pub enum EventSource {
    /// A field of the event.
    Field(Ident),
    /// Something of its surroundings.
    Global(EventName),
}

fn bracketed(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "[{}]", name.replace(']', "]]"))
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bracketed(f, &self.package.value)?;
        f.write_str(".")?;
        bracketed(f, &self.name.value)
    }
}

impl fmt::Display for EventValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventValue::Number(n) => write!(f, "({n})"),
            EventValue::Text(t, national) => {
                let n = if *national { "N" } else { "" };
                write!(f, "{n}'{}'", t.replace('\'', "''"))
            }
        }
    }
}

impl fmt::Display for EventSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventSource::Field(name) => bracketed(f, &name.value),
            EventSource::Global(name) => name.fmt(f),
        }
    }
}

fn several(f: &mut fmt::Formatter<'_>, list: &[EventPredicate], word: &str) -> fmt::Result {
    for (n, part) in list.iter().enumerate() {
        if n > 0 {
            write!(f, " {word} ")?;
        }
        match part {
            EventPredicate::And(_) | EventPredicate::Or(_) => write!(f, "({part})")?,
            other => other.fmt(f)?,
        }
    }
    Ok(())
}

/// As `sys.server_event_session_events.predicate` has it: names in brackets, numbers and comparisons in parentheses.
impl fmt::Display for EventPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventPredicate::And(list) => several(f, list, "AND"),
            EventPredicate::Or(list) => several(f, list, "OR"),
            EventPredicate::Not(inner) => match &**inner {
                EventPredicate::Compare(..) | EventPredicate::Call(..) => write!(f, "NOT {inner}"),
                _ => write!(f, "NOT ({inner})"),
            },
            EventPredicate::Compare(source, op, value) => {
                let op = match op {
                    CompareOp::Eq => "=",
                    CompareOp::Ne => "<>",
                    CompareOp::Lt => "<",
                    CompareOp::Le => "<=",
                    CompareOp::Gt => ">",
                    CompareOp::Ge => ">=",
                };
                write!(f, "({source}{op}{value})")
            }
            EventPredicate::Call(name, source, value) => write!(f, "({name}({source},{value}))"),
        }
    }
}

fn set(f: &mut fmt::Formatter<'_>, list: &[(Ident, EventValue)]) -> fmt::Result {
    for (n, (name, value)) in list.iter().enumerate() {
        f.write_str(if n == 0 { "SET " } else { "," })?;
        bracketed(f, &name.value)?;
        write!(f, "={value}")?;
    }
    Ok(())
}

impl fmt::Display for EventDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ADD EVENT {}", self.name)?;
        if self.set.is_empty() && self.actions.is_empty() && self.predicate.is_none() {
            return Ok(());
        }
        f.write_str("(")?;
        set(f, &self.set)?;
        for (n, action) in self.actions.iter().enumerate() {
            write!(f, "{}{action}", if n == 0 { " ACTION(" } else { "," })?;
        }
        f.write_str(if self.actions.is_empty() { "" } else { ")" })?;
        if let Some(predicate) = &self.predicate {
            write!(f, " WHERE ({predicate})")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for TargetDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ADD TARGET {}", self.name)?;
        if self.set.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        set(f, &self.set)?;
        f.write_str(")")
    }
}
