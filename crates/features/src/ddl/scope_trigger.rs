//! CREATE, ALTER, DROP, ENABLE and DISABLE TRIGGER of a database or of the server.
//!
//! Such a trigger is of no schema, and no row of sys.objects. Whoever changes one holds the lock of its scope, and that of its name where
//! the name comes or goes. Statements that raise events look at the list when they fire, and hold no lock on it.

use super::module::{self, Claimed, WrittenOptions};
use super::resolve::{self, Target};
use super::{create, events};
use crate::catalog::ddl_event::{self, EventNumber, LOGON};
use crate::catalog::{
    DBO, DdlTriggerFacts, FiringEvent, Module, Schema, TriggerEvent, TriggerOrder, TriggerScope,
    rows,
};
use crate::database::Database;
use crate::exec::mistakes;
use crate::session::context::StatementContext;
use std::sync::Arc;
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_storage::lock::LockMode;
use taffrail_syntax::ast::{self, ModuleVerb, NamedOption, OptionValue};

/// The scope of a target that is neither a table nor a view.
pub(crate) fn scope_of(target: &ast::TriggerTarget) -> Option<TriggerScope> {
    match target {
        ast::TriggerTarget::Object(_) => None,
        ast::TriggerTarget::Database => Some(TriggerScope::Database),
        ast::TriggerTarget::AllServer => Some(TriggerScope::Server),
    }
}

/// The database in which triggers of a scope lie.
pub(crate) fn home(cx: &StatementContext<'_>, scope: TriggerScope) -> SqlResult<Arc<Database>> {
    match scope {
        TriggerScope::Database => Ok(cx.database()),
        TriggerScope::Server => cx.instance().databases().master(),
    }
}

/// `CREATE | ALTER TRIGGER … ON DATABASE | ON ALL SERVER`. `text` is the whole batch.
pub(super) fn trigger(
    cx: &mut StatementContext<'_>,
    s: &ast::TriggerDefinition,
    scope: TriggerScope,
    text: &str,
) -> SqlResult<()> {
    if s.name.schema.is_some() || s.name.database.is_some() {
        return Err(SqlError::new(1094, &[]));
    }
    if s.instead_of {
        return Err(SqlError::new(102, &[&"INSTEAD"]));
    }
    let events = events_of(s, scope)?;
    if s.body.is_empty() {
        return Err(SqlError::new(1006, &[]));
    }
    let WrittenOptions { options, execute_as, .. } = options(cx, &s.options, scope)?;
    let database = home(cx, scope)?;
    let claimed = claim(cx, s, scope, &database)?;
    let (id, name) = (claimed.head.id, claimed.head.name.clone());
    let mut errors = mistakes::of_definition(cx, &database, &text.into(), (&name, None))?;
    for e in errors.iter_mut().filter(|e| e.number == 140) {
        let (line, procedure) = (e.line, e.procedure.take());
        *e = *SqlError::new(1097, &[]).with_line(line);
        e.procedure = procedure;
    }
    module::tell_mistakes(cx, errors)?;
    let facts = DdlTriggerFacts { events, disabled: false };
    module::keep(cx, &claimed, s.verb, text, |tx| {
        rows::write_execute_as(tx, id, execute_as)?;
        rows::write_module_options(tx, id, &options)?;
        rows::write_ddl_trigger_facts(tx, id, &facts)
    })
}

/// The events behind FOR, each once: 1084 for what is none, 1095 for one that stands twice, 1098 for one of another scope.
fn events_of(s: &ast::TriggerDefinition, scope: TriggerScope) -> SqlResult<Vec<FiringEvent>> {
    let mut events: Vec<FiringEvent> = Vec::new();
    let mut named: Vec<EventNumber> = Vec::new();
    for word in &s.events {
        let misplaced = || Err(SqlError::new(1098, &[]));
        if TriggerEvent::of_word(&word.value).is_some() {
            return misplaced();
        }
        if word.is("LOGON") {
            return match scope {
                TriggerScope::Server => Err(unsupported("A logon trigger")),
                TriggerScope::Database => misplaced(),
            };
        }
        let found = ddl_event::by_name(&word.value);
        let found = found.ok_or_else(|| SqlError::new(1084, &[&word.value]))?;
        if scope == TriggerScope::Database && !found.is_of_database() {
            return misplaced();
        }
        if named.contains(&found.number) {
            return Err(SqlError::new(1095, &[&word.value]));
        }
        named.push(found.number);
        let group = if found.is_group() { found.number } else { 0 };
        for event in found.events().map(|e| e.number) {
            if events.iter().all(|known| known.event != event) {
                events.push(FiringEvent { event, group, order: TriggerOrder::None });
            }
        }
    }
    debug_assert!(events.iter().all(|e| e.event != LOGON));
    events.sort_by_key(|e| e.event);
    Ok(events)
}

/// The options behind WITH: 1083 for OWNER. A trigger of the server runs as a login.
fn options(
    cx: &StatementContext<'_>,
    list: &[NamedOption],
    scope: TriggerScope,
) -> SqlResult<WrittenOptions> {
    let is_as = |o: &&NamedOption| o.name.is("EXECUTE AS");
    let word = |o: &NamedOption| match &o.value {
        Some(OptionValue::Word(w)) => Some(w.value.to_ascii_uppercase()),
        _ => None,
    };
    if list.iter().filter(is_as).any(|o| word(o).as_deref() == Some("OWNER")) {
        return Err(SqlError::new(1083, &[]));
    }
    if scope == TriggerScope::Database {
        return module::written_options(cx, list, "TRIGGER", &["EXECUTE AS"]);
    }
    let (clauses, others): (Vec<&NamedOption>, Vec<&NamedOption>) = list.iter().partition(is_as);
    let others: Vec<NamedOption> = others.into_iter().cloned().collect();
    let written = module::written_options(cx, &others, "TRIGGER", &[])?;
    let execute_as = match clauses[..] {
        [] => None,
        [clause] => login_of(cx, clause)?,
        [_, again, ..] => return Err(SqlError::new(1039, &[&again.name.value])),
    };
    Ok(WrittenOptions { execute_as, ..written })
}

/// The login of EXECUTE AS CALLER, SELF or 'login': 15151 where there is none, or none that may be impersonated.
fn login_of(cx: &StatementContext<'_>, clause: &NamedOption) -> SqlResult<Option<i32>> {
    match &clause.value {
        Some(OptionValue::Word(w)) if w.is("CALLER") => Ok(None),
        Some(OptionValue::Word(w)) if w.is("SELF") => {
            Ok(Some(cx.session.activation.security().login_id))
        }
        Some(OptionValue::Word(w)) => Err(SqlError::new(102, &[&w.value])),
        Some(OptionValue::Text(name)) => match cx.session.impersonable_login(name)? {
            Some(id) => Ok(Some(id)),
            None => Err(SqlError::new(15151, &[&"execute as", &"login", name])),
        },
        _ => Err(SqlError::new(102, &[&"EXECUTE"])),
    }
}

/// Takes the locks of a scope and of a name in it.
fn lock(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    scope: TriggerScope,
    name: &str,
) -> SqlResult<()> {
    let (catalog, session) = (&database.catalog, cx.session.id);
    let resource = catalog.ddl_trigger_resource(scope, name);
    catalog.lock(cx.transaction(database)?, session, resource, LockMode::X)?;
    resolve::lock(cx, database, scope.parent())
}

/// Takes the name of a trigger, or the trigger that has it: 208, 2714.
fn claim(
    cx: &mut StatementContext<'_>,
    s: &ast::TriggerDefinition,
    scope: TriggerScope,
    database: &Arc<Database>,
) -> SqlResult<Claimed> {
    let written = &*s.name.name.value;
    lock(cx, database, scope, written)?;
    let catalog = &database.catalog;
    let existing = catalog.find_ddl_trigger(scope, written, cx.session.id);
    let is_new = existing.is_none();
    let schema = Schema { id: DBO, name: "dbo".into(), principal: 1 };
    let head = match (existing, s.verb) {
        (Some(_), ModuleVerb::Create) => {
            let taken = SqlError::new(2714, &[&written]).with_state(2);
            return Err(taken.in_procedure(written).with_line(cx.line));
        }
        (Some(known), _) => {
            let mut head = known.head.clone();
            head.modified = catalog.now();
            head
        }
        (None, ModuleVerb::Alter) => return Err(SqlError::new(208, &[&s.name]).with_state(6)),
        (None, _) => {
            let own = (schema.id, &schema.name);
            create::head(catalog, scope.kind(), own, written, scope.parent())?
        }
    };
    let target = Target { database: database.clone(), schema, name: written.into(), temp: None };
    Ok(Claimed { target, head, is_new })
}

/// `DROP TRIGGER … ON DATABASE | ON ALL SERVER`: 3701.
pub(super) fn drop_triggers(
    cx: &mut StatementContext<'_>,
    s: &ast::Drop,
    scope: TriggerScope,
) -> SqlResult<()> {
    let database = home(cx, scope)?;
    for name in &s.names {
        if name.schema.is_some() || name.database.is_some() {
            return Err(SqlError::new(1094, &[]));
        }
        lock(cx, &database, scope, &name.name.value)?;
        let session = cx.session.id;
        match database.catalog.find_ddl_trigger(scope, &name.name.value, session) {
            Some(trigger) => {
                let id = trigger.head.id;
                rows::remove_object(cx.transaction(&database)?, id)?;
                database.catalog.refresh(cx.transaction(&database)?, session, &[id])?;
                events::of_object(cx, "DROP", &database, &trigger.head);
            }
            None if s.if_exists => {}
            None => return Err(SqlError::new(3701, &[&"drop", &"trigger", name]).with_state(5)),
        }
    }
    Ok(())
}

/// `ENABLE | DISABLE TRIGGER … ON DATABASE | ON ALL SERVER`: 1088.
pub(super) fn switch(
    cx: &mut StatementContext<'_>,
    s: &ast::SwitchTrigger,
    scope: TriggerScope,
) -> SqlResult<()> {
    let database = home(cx, scope)?;
    resolve::lock(cx, &database, scope.parent())?;
    let session = cx.session.id;
    let mut list = Vec::new();
    for name in &s.names {
        let found = database.catalog.find_ddl_trigger(scope, &name.name.value, session);
        list.push(found.ok_or_else(|| SqlError::new(1088, &[name]).with_state(120))?);
    }
    if s.names.is_empty() {
        list = database.catalog.ddl_triggers(scope, session);
    }
    for trigger in list {
        let facts = trigger.ddl.clone().unwrap_or_default();
        change(cx, &database, &trigger, DdlTriggerFacts { disabled: !s.enable, ..facts })?;
    }
    Ok(())
}

/// Gives a trigger other facts; its scope is locked.
pub(crate) fn change(
    cx: &mut StatementContext<'_>,
    database: &Arc<Database>,
    trigger: &Module,
    facts: DdlTriggerFacts,
) -> SqlResult<()> {
    super::trigger::modified(cx, database, trigger, |tx, id| {
        rows::write_ddl_trigger_facts(tx, id, &facts)
    })
}

/// A trigger of a scope by its name, as it is once the scope is locked.
pub(crate) fn locked(
    cx: &mut StatementContext<'_>,
    scope: TriggerScope,
    name: &str,
) -> SqlResult<Option<(Arc<Database>, Arc<Module>)>> {
    let database = home(cx, scope)?;
    resolve::lock(cx, &database, scope.parent())?;
    let found = database.catalog.find_ddl_trigger(scope, name, cx.session.id);
    Ok(found.map(|trigger| (database, trigger)))
}
