//! CREATE, ALTER, DROP, ENABLE and DISABLE TRIGGER.
//!
//! A trigger is an object beside the constraints of its table or view, whose lock protects its definition: who changes rows of the table
//! holds a lock that CREATE TRIGGER waits for, and plans its statement anew afterwards.

use super::module::{self, Claimed, WrittenOptions};
use super::{create, events, resolve, scope_trigger};
use crate::catalog::{
    Action, Module, Object, ObjectHead, ObjectKind, TriggerEvent, TriggerFacts, TriggerScope,
};
use crate::catalog::{fold, rows};
use crate::database::Database;
use crate::exec::mistakes;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::{ObjectId, SqlError, SqlResult};
use taffrail_storage::Transaction;
use taffrail_syntax::ast::{self, ModuleVerb, StatementKind, TriggerTarget};

/// `CREATE | ALTER TRIGGER`. `text` is the whole batch: what the catalogue keeps.
pub(crate) fn trigger(
    cx: &mut StatementContext<'_>,
    s: &ast::TriggerDefinition,
    text: &str,
) -> SqlResult<()> {
    if let Some(scope) = scope_trigger::scope_of(&s.target) {
        return scope_trigger::trigger(cx, s, scope, text);
    }
    let TriggerTarget::Object(on) = &s.target else { return Ok(()) };
    if s.name.database.is_some() {
        return Err(SqlError::new(166, &[&"CREATE/ALTER TRIGGER"]));
    }
    let events = events(s)?;
    if s.body.is_empty() {
        return Err(SqlError::new(1006, &[]));
    }
    let WrittenOptions { options, execute_as, .. } =
        module::written_options(cx, &s.options, "TRIGGER", &["EXECUTE AS"])?;
    let (database, parent) = parent(cx, s, on)?;
    let instead_of = s.instead_of;
    super::versioning::may_have_trigger(&database, &parent, instead_of)?;
    let claimed = claim(cx, s, &database, &parent, on)?;
    if instead_of {
        may_replace(cx, s, &database, &parent, &claimed.head, events)?;
    }
    refused_in_body(&s.body)?;
    let (id, name) = (claimed.head.id, claimed.head.name.clone());
    let schema = Some(&*claimed.head.schema).filter(|s| !s.eq_ignore_ascii_case("dbo"));
    let errors = mistakes::of_definition(cx, &database, &text.into(), (&name, schema))?;
    module::tell_mistakes(cx, errors)?;
    let not_for_replication = s.not_for_replication;
    let facts = TriggerFacts { events, instead_of, not_for_replication, ..TriggerFacts::default() };
    module::keep(cx, &claimed, s.verb, text, |tx| {
        rows::write_execute_as(tx, id, execute_as)?;
        rows::write_module_options(tx, id, &options)?;
        rows::write_trigger_facts(tx, id, &facts)
    })
}

/// The events of a definition: 1034 for one that stands twice, 1084 for what is none.
fn events(s: &ast::TriggerDefinition) -> SqlResult<[bool; 3]> {
    let mut events = [false; 3];
    for word in &s.events {
        let event = TriggerEvent::of_word(&word.value);
        let event = event.ok_or_else(|| SqlError::new(1084, &[&word.value]))?;
        if std::mem::replace(&mut events[event as usize], true) {
            return Err(SqlError::new(1034, &[&event.word()]));
        }
    }
    Ok(events)
}

/// The table or view that a trigger is made on, locked: 167, 2108, 8197.
fn parent(
    cx: &mut StatementContext<'_>,
    s: &ast::TriggerDefinition,
    on: &ast::ObjectName,
) -> SqlResult<(Arc<Database>, Object)> {
    if on.name.value.starts_with('#') {
        return Err(SqlError::new(167, &[&"trigger"]));
    }
    if on.database.as_ref().is_some_and(|d| fold(&d.value) != fold(&cx.database().name)) {
        return Err(SqlError::new(2108, &[&"create trigger", on]));
    }
    let missing = |state| SqlError::new(8197, &[on]).with_state(state);
    let found = resolve::find(cx, on)?;
    let (database, object) = found.ok_or_else(|| missing(4))?;
    let object = resolve::lock_object(cx, &database, object.head())?;
    match object {
        Some(Object::View(_)) if !s.instead_of => Err(missing(6)),
        Some(object @ (Object::Table(_) | Object::View(_))) => Ok((database, object)),
        _ => Err(missing(4)),
    }
}

/// Takes the name of a trigger, or the trigger that has it: 208, 2010, 2103, 2110, 2714.
fn claim(
    cx: &mut StatementContext<'_>,
    s: &ast::TriggerDefinition,
    database: &Arc<Database>,
    parent: &Object,
    on: &ast::ObjectName,
) -> SqlResult<Claimed> {
    let written = &s.name.name;
    let of_parent = parent.head().schema.clone();
    if s.name.schema.as_ref().is_some_and(|schema| fold(&schema.value) != fold(&of_parent)) {
        let verb = if s.verb == ModuleVerb::Alter { "alter" } else { "create" };
        return Err(SqlError::new(2103, &[&verb, &written.value]));
    }
    let schema = ast::Ident { value: (&*of_parent).into(), ..written.clone() };
    let mut name = ast::ObjectName::bare(written.clone());
    name.schema = Some(schema);
    let target = resolve::target(cx, &name)?;
    let catalog = &database.catalog;
    let existing = resolve::lock_name(cx, &target)?;
    let is_new = existing.is_none();
    let head = match (existing, s.verb) {
        (Some(_), ModuleVerb::Create) => {
            let taken = SqlError::new(2714, &[&target.name]).with_state(2);
            return Err(taken.in_procedure(&target.name).with_line(cx.line));
        }
        (Some(Object::Trigger(known)), _) if known.head.parent != parent.head().id => {
            return Err(SqlError::new(2110, &[&known.head.name, on]));
        }
        (Some(Object::Trigger(known)), _) => {
            let mut head = known.head.clone();
            head.modified = catalog.now();
            head
        }
        (Some(_), _) => {
            let other = SqlError::new(2010, &[&s.name]);
            return Err(other.in_procedure(&target.name).with_line(cx.line));
        }
        (None, ModuleVerb::Alter) => return Err(SqlError::new(208, &[&s.name]).with_state(6)),
        (None, _) => {
            let schema = (target.schema.id, &target.schema.name);
            create::head(catalog, ObjectKind::Trigger, schema, &target.name, parent.head().id)?
        }
    };
    Ok(Claimed { target, head, is_new })
}

/// An INSTEAD OF trigger is the only one of its events (2111), replaces no cascade (2113) and no CHECK OPTION (2112).
fn may_replace(
    cx: &mut StatementContext<'_>,
    s: &ast::TriggerDefinition,
    database: &Arc<Database>,
    parent: &Object,
    head: &ObjectHead,
    events: [bool; 3],
) -> SqlResult<()> {
    let (id, name) = (parent.head().id, &parent.head().name);
    let verb = if s.verb == ModuleVerb::Alter { "alter" } else { "create" };
    let others = database.catalog.triggers_of(id, cx.session.id);
    for other in others.iter().filter(|t| t.head.id != head.id) {
        let facts = other.trigger.unwrap_or_default();
        let both = |e: &TriggerEvent| events[*e as usize] && facts.is_for(*e);
        if facts.instead_of
            && let Some(event) = TriggerEvent::ALL.into_iter().find(both)
        {
            let kind = if parent.as_table().is_some() { "table" } else { "view" };
            return Err(SqlError::new(2111, &[&verb, &head.name, &kind, name, &event.word()]));
        }
    }
    match parent {
        Object::Table(_) => {
            let is = |event: TriggerEvent| events[event as usize];
            for key in database.catalog.foreign_keys_of(id, cx.session.id)? {
                let follows = is(TriggerEvent::Delete) && key.on_delete != Action::NoAction
                    || is(TriggerEvent::Update) && key.on_update != Action::NoAction;
                if follows {
                    return Err(SqlError::new(2113, &[&verb, &head.name, name]));
                }
            }
            Ok(())
        }
        Object::View(view) => match crate::exec::user_views::definition(view)?.check_option {
            true => Err(SqlError::new(2112, &[&head.name, name])),
            false => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Statements that no trigger may hold: 287.
fn refused_in_body(body: &[ast::Statement]) -> SqlResult<()> {
    use StatementKind as K;
    for s in body {
        match &s.kind {
            K::Block(list) => refused_in_body(list)?,
            K::If(i) => {
                refused_in_body(std::slice::from_ref(&i.then))?;
                refused_in_body(&i.otherwise)?;
            }
            K::While(w) => refused_in_body(std::slice::from_ref(&w.body))?,
            K::TryCatch(t) => {
                refused_in_body(&t.body)?;
                refused_in_body(&t.catch)?;
            }
            kind => {
                let words = kind.words();
                let refused = ["CREATE DATABASE", "ALTER DATABASE", "DROP DATABASE", "RECONFIGURE"];
                if refused.contains(&words) || words.starts_with("RESTORE") {
                    return Err(SqlError::new(287, &[&words]));
                }
            }
        }
    }
    Ok(())
}

/// `DROP TRIGGER`: 3701.
pub(crate) fn drop_triggers(cx: &mut StatementContext<'_>, s: &ast::Drop) -> SqlResult<()> {
    if let Some(scope) = &s.scope {
        let scope = match scope.is("DATABASE") {
            true => TriggerScope::Database,
            false => TriggerScope::Server,
        };
        return scope_trigger::drop_triggers(cx, s, scope);
    }
    for name in &s.names {
        let found = match resolve::find(cx, name) {
            Err(e) if s.if_exists && super::drop::absent(&e) => None,
            found => found?,
        };
        let locked = match found {
            Some((database, Object::Trigger(t))) => {
                locked(cx, &database, &t)?.map(|t| (database, t))
            }
            _ => None,
        };
        match locked {
            Some((database, trigger)) => {
                remove(cx, &database, &trigger)?;
                events::of_object(cx, "DROP", &database, &trigger.head);
            }
            None if s.if_exists => {}
            None => return Err(SqlError::new(3701, &[&"drop", &"trigger", name]).with_state(5)),
        }
    }
    Ok(())
}

/// A trigger as it is once its table or view is locked; none when it has gone meanwhile.
pub(crate) fn locked(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    trigger: &Arc<Module>,
) -> SqlResult<Option<Arc<Module>>> {
    resolve::lock(cx, database, trigger.head.parent)?;
    Ok(match database.catalog.object(trigger.head.id, cx.session.id) {
        Some(Object::Trigger(t)) => Some(t),
        _ => None,
    })
}

/// Takes a trigger out of the catalogue, whose table or view is locked.
fn remove(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    trigger: &Module,
) -> SqlResult<()> {
    let (id, session) = (trigger.head.id, cx.session.id);
    rows::remove_object(cx.transaction(database)?, id)?;
    database.catalog.refresh(cx.transaction(database)?, session, &[id])
}

/// Drops the triggers of a table or view that is dropped, which is locked.
pub(crate) fn drop_all(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    parent: &ObjectHead,
) -> SqlResult<()> {
    for trigger in database.catalog.triggers_of(parent.id, cx.session.id) {
        remove(cx, database, &trigger)?;
    }
    Ok(())
}

/// `ENABLE | DISABLE TRIGGER`.
pub(crate) fn switch(cx: &mut StatementContext<'_>, s: &ast::SwitchTrigger) -> SqlResult<()> {
    if let Some(scope) = scope_trigger::scope_of(&s.target) {
        return scope_trigger::switch(cx, s, scope);
    }
    let TriggerTarget::Object(on) = &s.target else { return Ok(()) };
    let missing = || SqlError::new(1088, &[on]).with_state(119);
    let (database, object) = resolve::find(cx, on)?.ok_or_else(missing)?;
    let locked = resolve::lock_object(cx, &database, object.head())?;
    let object = locked.filter(|o| matches!(o, Object::Table(_) | Object::View(_)));
    let object = object.ok_or_else(missing)?;
    let names: Vec<&ast::Ident> = s.names.iter().map(|n| &n.name).collect();
    switch_of(cx, &database, object.head(), s.enable, &names)
}

/// Enables or disables triggers of a table or view that is locked; no name is ALL: 4920, 4921.
pub(crate) fn switch_of(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    parent: &ObjectHead,
    enable: bool,
    names: &[&ast::Ident],
) -> SqlResult<()> {
    let (catalog, session) = (&database.catalog, cx.session.id);
    let all = catalog.triggers_of(parent.id, session);
    let mut wanted = Vec::new();
    for name in names {
        match all.iter().find(|t| fold(&t.head.name) == fold(&name.value)) {
            Some(trigger) => wanted.push(trigger.clone()),
            None => {
                let elsewhere = catalog.find(parent.schema_id, &name.value, session);
                let number = match elsewhere {
                    Some(Object::Trigger(_)) => 4921,
                    _ => 4920,
                };
                return Err(SqlError::new(number, &[&name.value, &parent.name]));
            }
        }
    }
    let list = if names.is_empty() { &all } else { &wanted };
    for trigger in list {
        let facts = trigger.trigger.unwrap_or_default();
        change(cx, database, trigger, TriggerFacts { disabled: !enable, ..facts })?;
    }
    Ok(())
}

/// Gives a trigger other facts; its table or view is locked.
pub(crate) fn change(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    trigger: &Module,
    facts: TriggerFacts,
) -> SqlResult<()> {
    modified(cx, database, trigger, |tx, id| rows::write_trigger_facts(tx, id, &facts))
}

/// Writes something of a trigger of whatever scope, which has been modified by that.
pub(super) fn modified(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    trigger: &Module,
    write: impl FnOnce(&mut Transaction, ObjectId) -> SqlResult<()>,
) -> SqlResult<()> {
    let mut head = trigger.head.clone();
    head.modified = database.catalog.now();
    let session = cx.session.id;
    let tx = cx.transaction(database)?;
    rows::write_object(tx, &head, 0)?;
    write(tx, head.id)?;
    database.catalog.refresh(tx, session, &[head.id])
}

/// A table whose rows a running trigger's statement has changed keeps its definition: 1713.
pub(crate) fn not_fired_on(
    cx: &StatementContext<'_>,
    database: &Database,
    table: &ObjectHead,
    words: &str,
) -> SqlResult<()> {
    match cx.session.activation.is_fired_on(database.id, table.id) {
        true => Err(SqlError::new(1713, &[&words, &table.name])),
        false => Ok(()),
    }
}
