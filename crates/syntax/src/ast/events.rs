//! Sessions of extended events.

use std::fmt::{self, Display};

use super::{CompareOp, Ident, NamedOption};

/// What an EVENT SESSION statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventSessionVerb {
    /// `CREATE`.
    Create,
    /// `ALTER`.
    Alter,
    /// `DROP`.
    Drop,
}

/// `CREATE | ALTER | DROP EVENT SESSION name ON SERVER …`.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSession {
    /// What it does.
    pub verb: EventSessionVerb,
    /// The session's name.
    pub name: Ident,
    /// `ON DATABASE`.
    pub on_database: bool,
    /// `ADD …`, `DROP …`, in the order in which they are written.
    pub parts: Vec<EventSessionPart>,
    /// `WITH (…)`.
    pub options: Vec<NamedOption>,
    /// `STATE = START` (true) or `STOP`.
    pub state: Option<bool>,
}

/// A clause of it.
#[derive(Clone, Debug, PartialEq)]
pub enum EventSessionPart {
    /// `ADD EVENT`.
    AddEvent(EventDefinition),
    /// `DROP EVENT`.
    DropEvent(EventName),
    /// `ADD TARGET`.
    AddTarget(TargetDefinition),
    /// `DROP TARGET`.
    DropTarget(EventName),
}

/// `[module.]package.name`.
#[derive(Clone, Debug, PartialEq)]
pub struct EventName {
    /// The package.
    pub package: Ident,
    /// The event, target, action …
    pub name: Ident,
}

/// An event, and what is recorded of it when.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDefinition {
    /// Which.
    pub name: EventName,
    /// `SET attribute = value`.
    pub set: Vec<(Ident, EventValue)>,
    /// `ACTION (…)`.
    pub actions: Vec<EventName>,
    /// `WHERE …`.
    pub predicate: Option<EventPredicate>,
    /// How many characters the predicate was written in.
    pub predicate_length: u32,
}

/// Where events go.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetDefinition {
    /// Which.
    pub name: EventName,
    /// `SET parameter = value`.
    pub set: Vec<(Ident, EventValue)>,
}

/// A literal.
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
    /// All of these.
    And(Vec<EventPredicate>),
    /// One of these.
    Or(Vec<EventPredicate>),
    /// Not this.
    Not(Box<EventPredicate>),
    /// `source op value`.
    Compare(EventSource, CompareOp, EventValue),
    /// `package.comparator(source, value)`.
    Call(EventName, EventSource, EventValue),
}

/// What a predicate looks at.
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
