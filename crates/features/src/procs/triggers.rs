//! sp_helptrigger, sp_settriggerorder.

use super::Arguments;
use super::help::object_if_any;
use crate::catalog::ddl_event::by_name;
use crate::catalog::{Object, TriggerEvent, TriggerFacts, TriggerOrder, TriggerScope};
use crate::ddl::trigger::{change, locked};
use crate::ddl::{events, scope_trigger};
use crate::results::send;
use crate::row;
use crate::session::context::StatementContext;
use taffrail_base::{SqlError, SqlResult};
use taffrail_types::SqlType;

/// `sp_helptrigger`: a row for each trigger of a table or view, or for those of one event.
pub(super) fn help(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = args.named(0);
    let found = object_if_any(cx, &name)?;
    let parent = found.filter(|o| matches!(o, Object::Table(_) | Object::View(_)));
    let missing = || SqlError::new(15009, &[&name, &cx.database().name]);
    let id = parent.ok_or_else(missing)?.head().id;
    let event = match args.text(1) {
        None => None,
        Some(word) => match TriggerEvent::of_word(word.trim_end()) {
            None => return Err(SqlError::new(15600, &[&"sp_helptrigger"])),
            event => event,
        },
    };
    let database = cx.database();
    let mut rows = Vec::new();
    for t in database.catalog.triggers_of(id, cx.session.id) {
        let facts = t.trigger.unwrap_or_default();
        if event.is_some_and(|e| !facts.is_for(e)) {
            continue;
        }
        let is = |e: TriggerEvent| i32::from(facts.is_for(e));
        rows.push(row![
            &t.head.name,
            "dbo",
            is(TriggerEvent::Update),
            is(TriggerEvent::Delete),
            is(TriggerEvent::Insert),
            i32::from(!facts.instead_of),
            i32::from(facts.instead_of),
            &t.head.schema
        ]);
    }
    let name = SqlType::SYSNAME;
    let columns = [
        ("trigger_name", name, false),
        ("trigger_owner", name, true),
        ("isupdate", SqlType::Int, true),
        ("isdelete", SqlType::Int, true),
        ("isinsert", SqlType::Int, true),
        ("isafter", SqlType::Int, true),
        ("isinsteadof", SqlType::Int, true),
        ("trigger_schema", name, true),
    ];
    send(cx, &columns, rows)?;
    Ok(0)
}

/// `sp_settriggerorder`: 15125, 15130, 15133, 15165, 15600.
pub(super) fn set_order(cx: &mut StatementContext<'_>, args: &Arguments<'_>) -> SqlResult<i32> {
    let name = args.named(0);
    let wrong = || SqlError::new(15600, &[&"sp_settriggerorder"]);
    let written = args.text(1).unwrap_or_default();
    let order = match &*written.to_ascii_lowercase() {
        "first" => TriggerOrder::First,
        "last" => TriggerOrder::Last,
        "none" => TriggerOrder::None,
        _ => return Err(wrong()),
    };
    let scope = match args.text(3).map(|n| n.to_ascii_uppercase()).as_deref() {
        None => None,
        Some("DATABASE") => Some(TriggerScope::Database),
        Some("SERVER") => Some(TriggerScope::Server),
        Some(_) => return Err(wrong()),
    };
    if let Some(scope) = scope {
        let statement = args.text(2).unwrap_or_default();
        return set_order_of_event(cx, (scope, &name), (order, &written), &statement);
    }
    let missing = || SqlError::new(15165, &[&name]);
    let Some(Object::Trigger(trigger)) = object_if_any(cx, &name)? else { return Err(missing()) };
    let database = cx.database();
    let trigger = locked(cx, &database, &trigger)?.ok_or_else(missing)?;
    let facts = trigger.trigger.unwrap_or_default();
    let statement = args.text(2).unwrap_or_default();
    let event = TriggerEvent::of_word(&statement).filter(|e| facts.is_for(*e));
    let none = || SqlError::new(15125, &[&name, &statement.to_lowercase()]);
    let event = event.ok_or_else(none)?;
    if facts.instead_of {
        return Err(SqlError::new(15133, &[&name]));
    }
    let at = event as usize;
    let others = database.catalog.triggers_of(trigger.head.parent, cx.session.id);
    let taken = |facts: TriggerFacts| facts.is_for(event) && facts.order[at] == order;
    let others = others.iter().filter(|t| t.head.id != trigger.head.id);
    if order != TriggerOrder::None && others.filter_map(|t| t.trigger).any(taken) {
        return Err(SqlError::new(15130, &[&written, &statement]));
    }
    let mut new = facts;
    new.order[at] = order;
    change(cx, &database, &trigger, new)?;
    events::of_object(cx, "ALTER", &database, &trigger.head);
    Ok(0)
}

/// Gives a trigger of a database or of the server its place among those of an event.
fn set_order_of_event(
    cx: &mut StatementContext<'_>,
    (scope, name): (TriggerScope, &str),
    (order, written): (TriggerOrder, &str),
    event: &str,
) -> SqlResult<i32> {
    let found = scope_trigger::locked(cx, scope, name)?;
    let (database, trigger) = found.ok_or_else(|| SqlError::new(15165, &[&name]))?;
    let mut facts = trigger.ddl.clone().unwrap_or_default();
    let none = || SqlError::new(15125, &[&name, &event.to_lowercase()]);
    let number = by_name(event).ok_or_else(none)?.number;
    let own = facts.events.iter_mut().find(|e| e.event == number).ok_or_else(none)?;
    own.order = order;
    let others = database.catalog.ddl_triggers(scope, cx.session.id);
    let others = others.iter().filter(|t| t.head.id != trigger.head.id);
    let mut places = others.filter_map(|t| t.ddl.as_ref()?.event(number)).map(|e| e.order);
    if order != TriggerOrder::None && places.any(|place| place == order) {
        return Err(SqlError::new(15130, &[&written, &event]));
    }
    scope_trigger::change(cx, &database, &trigger, facts)?;
    events::of_object(cx, "ALTER", &database, &trigger.head);
    Ok(0)
}
