//! sys.triggers, sys.trigger_events.

use super::{Declaration, Rows, ViewContext};
use crate::catalog::{Object, TriggerEvent, TriggerOrder};
use crate::features::needs;
use crate::features::view::sys;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("triggers", needs::METADATA, &[TRIGGER], triggers),
        sys("trigger_events", needs::METADATA, &[EVENT], events),
    ]);
}

const TRIGGER: &str = "\
    name sysname! · object_id int! · parent_class tinyint! · parent_class_desc nvarchar(60)? · parent_id int! · type char(2)! · \
    type_desc nvarchar(60)? · create_date datetime! · modify_date datetime! · is_ms_shipped bit! · is_disabled bit! · \
    is_not_for_replication bit! · is_instead_of_trigger bit!";

const EVENT: &str = "\
    object_id int! · type int! · type_desc nvarchar(60)! · is_first bit? · is_last bit? · event_group_type int? · \
    event_group_type_desc nvarchar(60)? · is_trigger_event bit?";

fn triggers(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let Object::Trigger(t) = object else { continue };
        let (head, facts) = (&t.head, t.trigger.unwrap_or_default());
        rows.push(row![
            &head.name,
            head.id.0,
            1,
            "OBJECT_OR_COLUMN",
            head.parent.0,
            head.kind.code(),
            head.kind.description(),
            &head.created,
            &head.modified,
            false,
            facts.disabled,
            facts.not_for_replication,
            facts.instead_of
        ]);
    }
    Ok(())
}

fn events(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for object in cx.objects() {
        let Object::Trigger(t) = object else { continue };
        let facts = t.trigger.unwrap_or_default();
        for event in TriggerEvent::ALL.into_iter().filter(|e| facts.is_for(*e)) {
            let order = facts.order[event as usize];
            let (first, last) = (order == TriggerOrder::First, order == TriggerOrder::Last);
            let number = event as i32 + 1;
            rows.push(row![t.head.id.0, number, event.word(), first, last, (), (), true]);
        }
    }
    Ok(())
}
