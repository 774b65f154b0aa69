//! CREATE, ALTER and DROP EVENT SESSION.

use super::definition::{Definition, Options, put, remove};
use super::{event_sessions, resolve, start_events, stop_events};
use crate::binder::eq;
use crate::features::needs::EVENT_SESSIONS;
use crate::features::pipelining::Pipelining;
use crate::features::{RegisteredStatement, Run};
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_syntax::ast::{
    EventName, EventSession, EventSessionPart, EventSessionVerb, Statement, StatementKind,
};

const fn registered(words: &'static str) -> RegisteredStatement {
    RegisteredStatement::new(words, EVENT_SESSIONS, Pipelining::Waits, Run::Within(run))
}

pub(super) static STATEMENTS: &[RegisteredStatement] = &[
    registered("ALTER EVENT SESSION"),
    registered("CREATE EVENT SESSION"),
    registered("DROP EVENT SESSION"),
];

fn run(cx: &mut StatementContext<'_>, s: &Statement, _: &str) -> SqlResult<()> {
    let words = s.kind.words();
    let StatementKind::EventSession(s) = &s.kind else {
        unreachable!("{words} is registered elsewhere");
    };
    if cx.refuse_in_transaction(words).is_err() {
        return Err(SqlError::new(574, &[&words]));
    }
    if s.on_database {
        return Err(unsupported(format!("{words} … ON DATABASE")));
    }
    let instance = &cx.instance().clone();
    let master = instance.databases().master()?.storage.clone();
    let events = event_sessions(instance);
    let mut all = events.definitions.lock();
    let at = all.iter().position(|d| eq(&d.name, &s.name.value));
    match (s.verb, at) {
        (EventSessionVerb::Create, Some(_)) => {
            Err(SqlError::new(25631, &[&"event session", &s.name.value]))
        }
        (EventSessionVerb::Create, None) => {
            if s.name.value.starts_with('#') {
                return Err(SqlError::new(25701, &[&s.name.value]));
            }
            if !s.parts.iter().any(|p| matches!(p, EventSessionPart::AddEvent(_))) {
                return Err(SqlError::new(102, &[&s.name.value]));
            }
            let id = all.iter().map(|d| d.id).max().unwrap_or(0).max(super::SYSTEM_HEALTH) + 1;
            let d = Definition::of(id, s)?;
            resolve::session(&d.events, &d.targets, &d.options)?;
            put(&master, id, &d.to_string())?;
            all.push(d);
            Ok(())
        }
        (verb, None) => {
            let verb = if verb == EventSessionVerb::Alter { "alter" } else { "drop" };
            Err(SqlError::new(15151, &[&verb, &"event session", &s.name.value]))
        }
        (EventSessionVerb::Drop, Some(at)) => {
            remove(&master, all[at].id)?;
            let gone = all.remove(at);
            stop_events(instance, gone.id);
            Ok(())
        }
        (EventSessionVerb::Alter, Some(at)) => match s.state {
            Some(true) if events.running(all[at].id).is_some() => Err(SqlError::new(25705, &[])),
            Some(true) => start_events(instance, &all[at], None, false),
            Some(false) if stop_events(instance, all[at].id) => Ok(()),
            Some(false) => Err(SqlError::new(25704, &[])),
            None => {
                let runs = events.running(all[at].id);
                let new = altered(&all[at], s, runs.is_some())?;
                let resolved = resolve::session(&new.events, &new.targets, &new.options)?;
                put(&master, new.id, &new.to_string())?;
                let old = std::mem::replace(&mut all[at], new);
                match runs {
                    // What its targets hold stays.
                    Some(runs) => {
                        let carried = all[at].targets.iter().zip(resolved.1).map(|(t, fresh)| {
                            let same = old.targets.iter().position(|o| o == t);
                            same.map_or(fresh, |n| runs.targets[n].clone())
                        });
                        let targets: Vec<Arc<_>> = carried.collect();
                        start_events(instance, &all[at], Some((runs, resolved.0, targets)), false)
                    }
                    None => Ok(()),
                }
            }
        },
    }
}

fn same(a: &EventName, b: &EventName) -> bool {
    a.package.is(&b.package.value) && a.name.is(&b.name.value)
}

/// The definition after an ALTER.
fn altered(old: &Definition, s: &EventSession, runs: bool) -> SqlResult<Definition> {
    let mut new = old.clone();
    let twice =
        |what: &str, name: &EventName| Err(SqlError::new(25625, &[&what, &resolve::dotted(name)]));
    let missing =
        |what: &str, name: &EventName| SqlError::new(25653, &[&what, &resolve::dotted(name)]);
    for part in &s.parts {
        match part {
            EventSessionPart::AddEvent(e) => {
                if new.events.iter().any(|o| same(&o.name, &e.name)) {
                    return twice("event", &e.name);
                }
                new.events.push(e.clone());
            }
            EventSessionPart::AddTarget(t) => {
                if new.targets.iter().any(|o| same(&o.name, &t.name)) {
                    return twice("target", &t.name);
                }
                new.targets.push(t.clone());
            }
            EventSessionPart::DropEvent(name) => {
                let at = new.events.iter().position(|o| same(&o.name, name));
                new.events.remove(at.ok_or_else(|| missing("event", name))?);
            }
            EventSessionPart::DropTarget(name) => {
                let at = new.targets.iter().position(|o| same(&o.name, name));
                new.targets.remove(at.ok_or_else(|| missing("target", name))?);
            }
        }
    }
    new.options.set(&s.options)?;
    if runs {
        let startup = new.options.startup;
        let before = Options { startup, ..old.options.clone() };
        if before != new.options {
            let other = s.options.iter().find(|o| !o.name.is("STARTUP_STATE"));
            let name = other.map_or_else(String::new, |o| o.name.value.to_uppercase());
            return Err(SqlError::new(25707, &[&name]));
        }
    }
    Ok(new)
}
