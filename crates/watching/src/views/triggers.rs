//! sys.triggers, sys.trigger_events, sys.trigger_event_types; of the server sys.server_triggers, sys.server_trigger_events and
//! sys.server_sql_modules.

use super::cell::{Columns, IntoCell, no, yes};
use super::{Declaration, ViewContext};
use crate::catalog::TriggerScope;
use crate::catalog::ddl_event::{EVENT_TYPES, EventNumber, EventType, by_number};
use crate::catalog::{FiringEvent, Module, Object, TriggerEvent, TriggerFacts, TriggerOrder};
use crate::features::needs;
use crate::features::view::by_column;
use std::sync::Arc;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("triggers", needs::METADATA, TRIGGERS, |cx, _, rows| {
            each(cx, |t| rows.show(TRIGGERS, &**t));
            let own = cx.ddl_triggers(TriggerScope::Database)?;
            own.iter().for_each(|t| rows.show(TRIGGERS, &**t));
            Ok(())
        }),
        by_column("trigger_events", needs::METADATA, EVENTS, |cx, _, rows| {
            each(cx, |t| {
                let fired_by = TriggerEvent::ALL.into_iter().filter(|e| facts(t).is_for(*e));
                fired_by.for_each(|event| {
                    let order = facts(t).order[event as usize];
                    let event = FiringEvent { event: event as EventNumber + 1, group: 0, order };
                    rows.show(EVENTS, &EventRow { trigger: t.clone(), event });
                });
            });
            for row in ddl_events(cx.ddl_triggers(TriggerScope::Database)?) {
                rows.show(EVENTS, &row);
            }
            Ok(())
        }),
        by_column("trigger_event_types", needs::PUBLIC, TYPES, |_, _, rows| {
            EVENT_TYPES.iter().for_each(|e| rows.show(TYPES, e));
            Ok(())
        }),
        by_column("server_triggers", needs::METADATA, SERVER_TRIGGERS, |cx, _, rows| {
            let all = cx.ddl_triggers(TriggerScope::Server)?;
            all.iter().for_each(|t| rows.show(SERVER_TRIGGERS, &**t));
            Ok(())
        }),
        by_column("server_trigger_events", needs::METADATA, SERVER_EVENTS, |cx, _, rows| {
            for row in ddl_events(cx.ddl_triggers(TriggerScope::Server)?) {
                rows.show(SERVER_EVENTS, &row);
            }
            Ok(())
        }),
        by_column("server_sql_modules", needs::METADATA, SERVER_MODULES, |cx, _, rows| {
            let all = cx.ddl_triggers(TriggerScope::Server)?;
            all.iter().for_each(|t| rows.show(SERVER_MODULES, &**t));
            Ok(())
        }),
    ]);
}

/// Hands over the triggers that a view shows.
fn each(cx: &ViewContext<'_>, mut f: impl FnMut(&Arc<Module>)) {
    for object in cx.objects() {
        if let Object::Trigger(t) = object {
            f(&t);
        }
    }
}

fn facts(t: &Module) -> TriggerFacts {
    t.trigger.unwrap_or_default()
}

/// A row for each event of triggers of a database or of the server.
fn ddl_events(triggers: Vec<Arc<Module>>) -> Vec<EventRow> {
    let rows = |trigger: Arc<Module>| {
        let events = trigger.ddl.as_ref().map(|facts| facts.events.clone()).unwrap_or_default();
        events.into_iter().map(move |event| EventRow { trigger: trigger.clone(), event })
    };
    triggers.into_iter().flat_map(rows).collect()
}

fn is_disabled(t: &Module) -> bool {
    t.ddl.as_ref().map_or(facts(t).disabled, |facts| facts.disabled)
}

const TRIGGERS: Columns<Module> = &[&[
    ("name sysname!", |t| t.head.name.cell()),
    ("object_id int!", |t| t.head.id.0.cell()),
    ("parent_class tinyint!", |t| i32::from(t.ddl.is_none()).cell()),
    ("parent_class_desc nvarchar(60)?", |t| match t.ddl {
        None => "OBJECT_OR_COLUMN".cell(),
        Some(_) => "DATABASE".cell(),
    }),
    ("parent_id int!", |t| t.head.parent.0.max(0).cell()),
    ("type char(2)!", |_| "TR".cell()),
    ("type_desc nvarchar(60)?", |t| t.head.kind.description().cell()),
    ("create_date datetime!", |t| t.head.created.clone()),
    ("modify_date datetime!", |t| t.head.modified.clone()),
    ("is_ms_shipped bit!", no),
    ("is_disabled bit!", |t| is_disabled(t).cell()),
    ("is_not_for_replication bit!", |t| facts(t).not_for_replication.cell()),
    ("is_instead_of_trigger bit!", |t| facts(t).instead_of.cell()),
]];

const SERVER_TRIGGERS: Columns<Module> = &[&[
    ("name sysname!", |t| t.head.name.cell()),
    ("object_id int!", |t| t.head.id.0.cell()),
    ("parent_class tinyint!", |_| 100.cell()),
    ("parent_class_desc nvarchar(60)?", |_| "SERVER".cell()),
    ("parent_id int!", |_| 0.cell()),
    ("type char(2)!", |_| "TR".cell()),
    ("type_desc nvarchar(60)?", |t| t.head.kind.description().cell()),
    ("create_date datetime!", |t| t.head.created.clone()),
    ("modify_date datetime!", |t| t.head.modified.clone()),
    ("is_ms_shipped bit!", no),
    ("is_disabled bit!", |t| is_disabled(t).cell()),
]];

const SERVER_MODULES: Columns<Module> = &[&[
    ("object_id int!", |t| t.head.id.0.cell()),
    ("definition nvarchar(max)?", |t| t.shown().cell()),
    ("uses_ansi_nulls bit?", |t| t.ansi_nulls.cell()),
    ("uses_quoted_identifier bit?", |t| t.quoted_identifier.cell()),
    ("execute_as_principal_id int?", |t| t.execute_as.cell()),
]];

const TYPES: Columns<EventType> = &[&[
    ("type int!", |e| i32::from(e.number).cell()),
    ("type_name nvarchar(64)?", |e| e.name.cell()),
    ("parent_type int?", |e| Some(i32::from(e.parent)).filter(|p| *p != 0).cell()),
]];

/// A trigger and one of its events.
struct EventRow {
    trigger: Arc<Module>,
    event: FiringEvent,
}

impl EventRow {
    fn has(&self, order: TriggerOrder) -> Value {
        (self.event.order == order).cell()
    }

    /// The word of the event: of a change of rows, or of DDL.
    fn word(&self) -> &'static str {
        let number = usize::from(self.event.event);
        match TriggerEvent::ALL.get(number.wrapping_sub(1)) {
            Some(event) => event.word(),
            None => by_number(self.event.event).map_or("", |e| e.name),
        }
    }

    fn group(&self) -> Option<&'static EventType> {
        by_number(self.event.group)
    }
}

const EVENTS: Columns<EventRow> = &[&[
    ("object_id int!", |e| e.trigger.head.id.0.cell()),
    ("type int!", |e| i32::from(e.event.event).cell()),
    ("type_desc nvarchar(60)!", |e| e.word().cell()),
    ("is_first bit?", |e| e.has(TriggerOrder::First)),
    ("is_last bit?", |e| e.has(TriggerOrder::Last)),
    ("event_group_type int?", |e| e.group().map(|g| i32::from(g.number)).cell()),
    ("event_group_type_desc nvarchar(60)?", |e| e.group().map(|g| g.name).cell()),
    ("is_trigger_event bit?", yes),
]];

const SERVER_EVENTS: Columns<EventRow> = &[&[
    ("object_id int!", |e| e.trigger.head.id.0.cell()),
    ("type int!", |e| i32::from(e.event.event).cell()),
    ("type_desc nvarchar(60)!", |e| e.word().cell()),
    ("event_group_type int?", |e| e.group().map(|g| i32::from(g.number)).cell()),
    ("event_group_type_desc nvarchar(60)?", |e| e.group().map(|g| g.name).cell()),
    ("is_first bit?", |e| e.has(TriggerOrder::First)),
    ("is_last bit?", |e| e.has(TriggerOrder::Last)),
]];
