//! sys.triggers, sys.trigger_events.

use super::cell::{Columns, IntoCell, no, null, yes};
use super::{Declaration, ViewContext};
use crate::catalog::{Module, Object, TriggerEvent, TriggerFacts, TriggerOrder};
use crate::features::needs;
use crate::features::view::by_column;
use std::sync::Arc;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("triggers", needs::METADATA, TRIGGERS, |cx, _, rows| {
            each(cx, |t| rows.show(TRIGGERS, &**t));
            Ok(())
        }),
        by_column("trigger_events", needs::METADATA, EVENTS, |cx, _, rows| {
            each(cx, |t| {
                let fired_by = TriggerEvent::ALL.into_iter().filter(|e| facts(t).is_for(*e));
                fired_by
                    .for_each(|event| rows.show(EVENTS, &EventRow { trigger: t.clone(), event }));
            });
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

const TRIGGERS: Columns<Module> = &[&[
    ("name sysname!", |t| t.head.name.cell()),
    ("object_id int!", |t| t.head.id.0.cell()),
    ("parent_class tinyint!", |_| 1.cell()),
    ("parent_class_desc nvarchar(60)?", |_| "OBJECT_OR_COLUMN".cell()),
    ("parent_id int!", |t| t.head.parent.0.cell()),
    ("type char(2)!", |t| t.head.kind.code().cell()),
    ("type_desc nvarchar(60)?", |t| t.head.kind.description().cell()),
    ("create_date datetime!", |t| t.head.created.clone()),
    ("modify_date datetime!", |t| t.head.modified.clone()),
    ("is_ms_shipped bit!", no),
    ("is_disabled bit!", |t| facts(t).disabled.cell()),
    ("is_not_for_replication bit!", |t| facts(t).not_for_replication.cell()),
    ("is_instead_of_trigger bit!", |t| facts(t).instead_of.cell()),
]];

/// A trigger and one of its events.
struct EventRow {
    trigger: Arc<Module>,
    event: TriggerEvent,
}

impl EventRow {
    fn has(&self, order: TriggerOrder) -> Value {
        (facts(&self.trigger).order[self.event as usize] == order).cell()
    }
}

const EVENTS: Columns<EventRow> = &[&[
    ("object_id int!", |e| e.trigger.head.id.0.cell()),
    ("type int!", |e| (e.event as i32 + 1).cell()),
    ("type_desc nvarchar(60)!", |e| e.event.word().cell()),
    ("is_first bit?", |e| e.has(TriggerOrder::First)),
    ("is_last bit?", |e| e.has(TriggerOrder::Last)),
    ("event_group_type int?", null),
    ("event_group_type_desc nvarchar(60)?", null),
    ("is_trigger_event bit?", yes),
]];
