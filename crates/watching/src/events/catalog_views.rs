//! sys.server_event_sessions and what belongs to them: sessions as they are stored.

use super::definition::{Definition, partition_name, retention_name};
use super::{event_sessions, predicate_xml};
use crate::features::needs;
use crate::row;
use crate::views::{Declaration, Rows, ViewContext, empty, sys};
use taffrail_base::SqlResult;
use taffrail_syntax::ast::{EventValue, Ident};
use taffrail_types::Value;

const SESSION: &str = "\
    event_session_id int! · name sysname! · event_retention_mode nchar(1)? · \
    event_retention_mode_desc nvarchar(60)? · max_dispatch_latency int? · max_memory int? · max_event_size int? · \
    memory_partition_mode nchar(1)? · memory_partition_mode_desc nvarchar(60)? · track_causality bit? · \
    startup_state bit? · has_long_running_target bit? · max_duration bigint?";
const EVENT: &str = "\
    event_session_id int! · event_id int! · name sysname! · package sysname! · module sysname! · \
    predicate nvarchar(3000)? · predicate_xml nvarchar(3000)?";
const ACTION: &str =
    "event_session_id int! · event_id int! · name sysname! · package sysname! · module sysname!";
const TARGET: &str =
    "event_session_id int! · target_id int! · name sysname! · package sysname! · module sysname!";
const FIELD: &str = "event_session_id int! · object_id int! · name sysname! · value sql_variant?";

/// Where the code of a package would be.
const MODULE: &str = "taffrail";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("server_event_sessions", needs::SERVER_STATE, &[SESSION], sessions),
        sys("server_event_session_events", needs::SERVER_STATE, &[EVENT], events),
        sys("server_event_session_actions", needs::SERVER_STATE, &[ACTION], actions),
        sys("server_event_session_targets", needs::SERVER_STATE, &[TARGET], targets),
        sys("server_event_session_fields", needs::SERVER_STATE, &[FIELD], fields),
        // Sessions of a database are Azure's.
        sys("database_event_sessions", needs::DATABASE_STATE, &[SESSION], empty::none),
        sys("database_event_session_events", needs::DATABASE_STATE, &[EVENT], empty::none),
        sys("database_event_session_actions", needs::DATABASE_STATE, &[ACTION], empty::none),
        sys("database_event_session_targets", needs::DATABASE_STATE, &[TARGET], empty::none),
        sys("database_event_session_fields", needs::DATABASE_STATE, &[FIELD], empty::none),
    ]);
}

fn all(cx: &ViewContext<'_>) -> Vec<Definition> {
    event_sessions(&cx.session.instance).definitions.lock().clone()
}

fn sessions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for d in all(cx) {
        let o = &d.options;
        rows.push(row![
            d.id,
            &d.name,
            o.retention.to_string(),
            retention_name(o.retention),
            o.latency_ms.min(i32::MAX.into()),
            o.memory_kb,
            o.event_size_kb,
            o.partition.to_string(),
            partition_name(o.partition),
            o.causality,
            o.startup,
            false,
            o.duration_s
        ]);
    }
    Ok(())
}

fn events(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for d in all(cx) {
        for (n, e) in d.events.iter().enumerate() {
            let predicate = e.predicate.as_ref().map(|p| format!("({p})"));
            let (name, package) = (&*e.name.name.value, &*e.name.package.value);
            let xml = predicate_xml::shown(e);
            rows.push(row![d.id, n + 1, name, package, MODULE, predicate, xml]);
        }
    }
    Ok(())
}

fn actions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for d in all(cx) {
        for (n, e) in d.events.iter().enumerate() {
            for a in &e.actions {
                rows.push(row![d.id, n + 1, &*a.name.value, &*a.package.value, MODULE]);
            }
        }
    }
    Ok(())
}

fn targets(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for d in all(cx) {
        // Events and targets are numbered as one.
        for (n, t) in d.targets.iter().enumerate() {
            let (name, package) = (&*t.name.name.value, &*t.name.package.value);
            rows.push(row![d.id, d.events.len() + n + 1, name, package, MODULE]);
        }
    }
    Ok(())
}

fn value(v: &EventValue) -> Value {
    match v {
        EventValue::Number(n) => n.parse::<i32>().map_or_else(|_| Value::nvarchar(n), Value::Int),
        EventValue::Text(t, _) => Value::nvarchar(t),
    }
}

fn fields(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for d in all(cx) {
        let events = d.events.iter().map(|e| &e.set);
        let sets = events.chain(d.targets.iter().map(|t| &t.set));
        for (n, set) in sets.enumerate() {
            for (name, v) in set as &Vec<(Ident, EventValue)> {
                rows.push(row![d.id, n + 1, &*name.value, value(v)]);
            }
        }
    }
    Ok(())
}
