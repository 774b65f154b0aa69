//! OBJECTPROPERTY of triggers, and of tables and views about their triggers.

use crate::catalog::{Module, Object, ObjectKind, TriggerEvent, TriggerFacts, TriggerOrder};
use crate::exec::functions::{flag, int};
use crate::session::Session;
use std::sync::Arc;
use taffrail_types::Value;

/// The event that a property's name holds between a beginning and an end.
fn event_of(name: &str, before: &str, after: &str) -> Option<TriggerEvent> {
    TriggerEvent::of_word(name.strip_prefix(before)?.strip_suffix(after)?)
}

/// A property of a trigger, by its name in lower case.
fn of_trigger(facts: TriggerFacts, name: &str) -> Option<bool> {
    let marked = |before: &str, order: TriggerOrder| {
        let event = event_of(name, before, "trigger")?;
        Some(facts.order[event as usize] == order)
    };
    Some(match name {
        "execistriggerdisabled" => facts.disabled,
        "execisaftertrigger" => !facts.instead_of,
        "execisinsteadoftrigger" => facts.instead_of,
        "execistriggernotforrepl" => facts.not_for_replication,
        _ => {
            let fired = event_of(name, "execis", "trigger").map(|e| facts.is_for(e));
            let first = || marked("execisfirst", TriggerOrder::First);
            let last = || marked("execislast", TriggerOrder::Last);
            return fired.or_else(first).or_else(last);
        }
    })
}

/// A property of a table or view about its triggers, by its name in lower case.
fn of_parent(triggers: &[Arc<Module>], name: &str) -> Option<Value> {
    let facts = || triggers.iter().map(|t| (t, t.trigger.unwrap_or_default()));
    let of = |event: TriggerEvent| facts().filter(move |(_, f)| f.is_for(event));
    match name {
        "hasaftertrigger" => return Some(flag(facts().any(|(_, f)| !f.instead_of))),
        "hasinsteadoftrigger" => return Some(flag(facts().any(|(_, f)| f.instead_of))),
        _ => {}
    }
    let has = event_of(name, "has", "trigger").or_else(|| event_of(name, "tablehas", "trigger"));
    if let Some(event) = has {
        return Some(flag(of(event).next().is_some()));
    }
    if let Some(event) = event_of(name, "table", "triggercount") {
        return Some(int(of(event).count() as i32));
    }
    let event = event_of(name, "table", "trigger")?;
    let first =
        of(event).min_by_key(|(t, f)| (f.order[event as usize] != TriggerOrder::First, t.head.id));
    Some(int(first.map_or(0, |(t, _)| t.head.id.0)))
}

/// Whether a name is that of a property of triggers, or of a table or view about its triggers.
pub(super) fn is_about_triggers(name: &str) -> bool {
    of_trigger(TriggerFacts::default(), name).is_some() || of_parent(&[], name).is_some()
}

impl Session {
    /// A property about triggers of any object, by its name in lower case; 0 where the object cannot have it.
    pub(super) fn trigger_property(&self, object: &Object, name: &str) -> Option<Value> {
        if let Object::Trigger(t) = object
            && let Some(is) = of_trigger(t.trigger.unwrap_or_default(), name)
        {
            return Some(flag(is));
        }
        if matches!(object.head().kind, ObjectKind::Table | ObjectKind::View) {
            let all = self.database.catalog.triggers_of(object.head().id, self.id);
            if let Some(value) = of_parent(&all, name) {
                return Some(value);
            }
        }
        match name {
            "istrigger" => Some(flag(object.head().kind == ObjectKind::Trigger)),
            _ => is_about_triggers(name).then(|| flag(false)),
        }
    }
}
