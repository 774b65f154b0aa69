//! sys.dm_xe_…: what runs, and what there is to be recorded.

use super::{Running, event_sessions, flush_file, open_later, predicate_xml, resolve, xml};
use crate::features::needs;
use crate::row;
use crate::views::{Declaration, Rows, ViewContext, empty, sys};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_base::SqlResult;
use taffrail_observe::WaitType;
use taffrail_observe::xe::events::{EVENTS, MAPS, WAIT_TYPES};
use taffrail_observe::xe::targets::{Kind, with};
use taffrail_observe::xe::{Action, FieldType, Package, Target};
use taffrail_syntax::ast::EventValue;
use taffrail_types::Value;
use taffrail_types::convert::parse_guid;

const SESSIONS: &str = "\
    address varbinary(8)! · name nvarchar(256)! · pending_buffers int! · total_regular_buffers int! · \
    regular_buffer_size bigint! · total_large_buffers int! · large_buffer_size bigint! · total_buffer_size bigint! · \
    buffer_policy_flags int! · buffer_policy_desc nvarchar(256)! · flags int! · flag_desc nvarchar(256)! · \
    dropped_event_count int! · dropped_buffer_count int! · blocked_event_fire_time int! · create_time datetime! · \
    largest_event_dropped_size int! · session_source nvarchar(256)? · buffer_processed_count bigint! · \
    buffer_full_count bigint! · total_bytes_generated bigint! · total_target_memory bigint!";
const TARGETS: &str = "\
    event_session_address varbinary(8)! · target_name nvarchar(60)! · target_package_guid uniqueidentifier! · \
    execution_count bigint! · execution_duration_ms bigint! · target_data nvarchar(max)? · bytes_written bigint! · \
    failed_buffer_count bigint!";
const SESSION_EVENTS: &str = "\
    event_session_address varbinary(8)! · event_name nvarchar(256)! · event_package_guid uniqueidentifier! · \
    event_predicate nvarchar(3072)?";
const SESSION_ACTIONS: &str = "\
    event_session_address varbinary(8)! · action_name nvarchar(256)! · action_package_guid uniqueidentifier! · \
    event_name nvarchar(256)! · event_package_guid uniqueidentifier!";
const SESSION_COLUMNS: &str = "\
    event_session_address varbinary(8)! · column_name nvarchar(256)! · column_id int! · \
    column_value nvarchar(3072)? · object_type nvarchar(60)! · object_name nvarchar(256)! · \
    object_package_guid uniqueidentifier!";

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("dm_xe_sessions", needs::SERVER_PERFORMANCE, &[SESSIONS], sessions),
        sys("dm_xe_session_targets", needs::SERVER_PERFORMANCE, &[TARGETS], targets),
        sys("dm_xe_session_events", needs::SERVER_PERFORMANCE, &[SESSION_EVENTS], session_events),
        sys(
            "dm_xe_session_event_actions",
            needs::SERVER_PERFORMANCE,
            &[SESSION_ACTIONS],
            session_actions,
        ),
        sys(
            "dm_xe_session_object_columns",
            needs::SERVER_PERFORMANCE,
            &[SESSION_COLUMNS],
            session_columns,
        ),
        // Sessions of a database are Azure's.
        sys("dm_xe_database_sessions", needs::DATABASE_STATE, &[SESSIONS], empty::none),
        sys("dm_xe_database_session_targets", needs::DATABASE_STATE, &[TARGETS], empty::none),
        sys("dm_xe_database_session_events", needs::DATABASE_STATE, &[SESSION_EVENTS], empty::none),
        sys(
            "dm_xe_database_session_event_actions",
            needs::DATABASE_STATE,
            &[SESSION_ACTIONS],
            empty::none,
        ),
        sys(
            "dm_xe_database_session_object_columns",
            needs::DATABASE_STATE,
            &[SESSION_COLUMNS],
            empty::none,
        ),
        sys(
            "dm_xe_packages",
            needs::SERVER_PERFORMANCE,
            &[
                "name nvarchar(256)!",
                "guid uniqueidentifier!",
                "description nvarchar(3072)?",
                "capabilities int?",
                "capabilities_desc nvarchar(256)?",
                "module_guid nvarchar(60)!",
                "module_address varbinary(8)!",
            ],
            packages,
        ),
        sys(
            "dm_xe_objects",
            needs::SERVER_PERFORMANCE,
            &[
                "name nvarchar(256)!",
                "object_type nvarchar(60)!",
                "package_guid uniqueidentifier!",
                "description nvarchar(256)?",
                "capabilities int?",
                "capabilities_desc nvarchar(256)?",
                "type_name nvarchar(60)?",
                "type_package_guid uniqueidentifier?",
                "type_size int?",
            ],
            objects,
        ),
        sys(
            "dm_xe_object_columns",
            needs::SERVER_PERFORMANCE,
            &[
                "name nvarchar(256)!",
                "column_id int!",
                "object_name nvarchar(256)!",
                "object_package_guid uniqueidentifier!",
                "type_name nvarchar(256)!",
                "type_package_guid uniqueidentifier!",
                "column_type nvarchar(60)!",
                "column_value nvarchar(256)?",
                "capabilities int?",
                "capabilities_desc nvarchar(256)?",
                "description nvarchar(3072)?",
            ],
            object_columns,
        ),
        sys(
            "dm_xe_map_values",
            needs::SERVER_PERFORMANCE,
            &[
                "name nvarchar(256)!",
                "object_package_guid uniqueidentifier!",
                "map_key int!",
                "map_value nvarchar(3072)!",
            ],
            map_values,
        ),
    ]);
}

/// The module that all packages are in: the server.
pub(super) const MODULE: &str = "CE79811F-1A80-40E1-8F5D-7445A3F375E7";

pub(super) fn guid(package: Package) -> Value {
    let text = match package {
        Package::Package0 => "60AA9FBF-673B-4553-B7ED-71DCA7F5E972",
        Package::SqlOs => "BD97CC63-3F38-4922-AA93-607BD12E78B2",
        Package::SqlServer => "655FD93F-3364-40D5-B2BA-330F7FFB6491",
    };
    parse_guid(text.as_bytes()).map_or(Value::Null, Value::Guid)
}

/// A session's number in the views: nothing else has an address here.
fn address(session: &Running) -> [u8; 8] {
    (0x7f00_0000_0000u64 + session.id as u64).to_be_bytes()
}

fn running(cx: &ViewContext<'_>) -> Vec<Arc<Running>> {
    event_sessions(&cx.session.instance).all_running()
}

/// So much of the targets is memory, and so many events were dropped, the largest of which had so many bytes.
fn sums(session: &Running) -> (usize, u64, usize) {
    let of = |t: &Arc<Target>| match &t.kind {
        Kind::Ring { ring, .. } => with(ring, |r| (r.bytes, 0, 0)),
        Kind::File(pending) => with(pending, |p| (p.bytes, p.dropped, p.largest_dropped)),
        _ => (0, 0, 0),
    };
    let add = |a: (usize, u64, usize), b: (usize, u64, usize)| (a.0 + b.0, a.1 + b.1, a.2.max(b.2));
    session.targets.iter().map(of).fold((0, 0, 0), add)
}

fn sessions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let definitions = event_sessions(&cx.session.instance).definitions.lock().clone();
    for s in running(cx) {
        let Some(d) = definitions.iter().find(|d| d.id == s.id) else { continue };
        let (memory, dropped, largest) = sums(&s);
        let (policy, policy_desc) = match d.options.retention {
            'M' => (1, "drop_buffer"),
            'N' => (2, "block"),
            _ => (0, "drop_event"),
        };
        let buffer = (d.options.memory_kb as u64 * 1024 / 3).next_multiple_of(65_536);
        let large = d.options.event_size_kb as u64 * 1024;
        let created = crate::catalog::datetime(taffrail_io::UtcTime(s.started.1));
        rows.push(row![
            &address(&s)[..],
            &s.name,
            0,
            3,
            buffer,
            if large > 0 { 2 } else { 0 },
            large,
            3 * buffer + 2 * large,
            policy,
            policy_desc,
            1,
            "flush_on_close",
            dropped.min(i32::MAX as u64),
            0,
            0,
            created,
            largest,
            "server",
            0,
            0,
            0,
            memory
        ]);
    }
    Ok(())
}

fn targets(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let definitions = event_sessions(&cx.session.instance).definitions.lock().clone();
    for s in running(cx) {
        let Some(d) = definitions.iter().find(|d| d.id == s.id) else { continue };
        for (target, t) in s.targets.iter().zip(&d.targets) {
            cx.session.check_cancel()?;
            open_later(&cx.session.instance, &s);
            flush_file(&cx.session.instance, &s);
            let file = event_sessions(&cx.session.instance).file(s.id);
            let file = file.map(|f| f.lock().path().display().to_string());
            let data = xml::target_data(&s, target, file.as_deref());
            let name = t.name.name.value.to_lowercase();
            let executions = target.executions.load(Relaxed);
            let package = guid(Package::Package0);
            rows.push(row![&address(&s)[..], name, package, executions, 0, data, 0, 0]);
        }
    }
    Ok(())
}

fn session_events(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let definitions = event_sessions(&cx.session.instance).definitions.lock().clone();
    for s in running(cx) {
        let d = definitions.iter().find(|d| d.id == s.id);
        for (n, w) in s.events.iter().enumerate() {
            let predicate = d.and_then(|d| predicate_xml::shown(d.events.get(n)?));
            rows.push(row![&address(&s)[..], w.info.name, guid(w.info.package), predicate]);
        }
    }
    Ok(())
}

fn session_actions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for s in running(cx) {
        for w in &s.events {
            for a in &w.actions {
                let (event, package) = (w.info.name, guid(w.info.package));
                rows.push(row![&address(&s)[..], a.name(), guid(a.package()), event, package]);
            }
        }
    }
    Ok(())
}

fn session_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let definitions = event_sessions(&cx.session.instance).definitions.lock().clone();
    let shown = |v: &EventValue| match v {
        EventValue::Number(n) => n.to_string(),
        EventValue::Text(t, _) => t.to_string(),
    };
    for s in running(cx) {
        let Some(d) = definitions.iter().find(|d| d.id == s.id) else { continue };
        for (e, w) in d.events.iter().zip(&s.events) {
            for (n, (attribute, default, _)) in w.info.attributes.iter().enumerate() {
                let set = e.set.iter().find(|(name, _)| name.is(attribute));
                let value = set.map_or_else(|| default.to_string(), |(_, v)| shown(v));
                let (name, package) = (w.info.name, guid(w.info.package));
                rows.push(row![&address(&s)[..], *attribute, n, value, "event", name, package]);
            }
        }
        for t in &d.targets {
            for (n, (name, v)) in t.set.iter().enumerate() {
                let (target, package) = (&*t.name.name.value, guid(Package::Package0));
                let name = &*name.value;
                rows.push(row![&address(&s)[..], name, n, shown(v), "target", target, package]);
            }
        }
    }
    Ok(())
}

fn packages(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for p in Package::ALL {
        let (description, capabilities) = match p {
            Package::Package0 => (
                "Default package. Contains all standard types, maps, compare operators, actions and targets",
                Some(2),
            ),
            Package::SqlOs => ("Extended events for SQL Operating System", None),
            Package::SqlServer => ("Extended events for Microsoft SQL Server", None),
        };
        let utility = capabilities.map(|_| "utility");
        rows.push(row![
            p.name(),
            guid(p),
            description,
            capabilities,
            utility,
            MODULE,
            &[0u8; 8][..]
        ]);
    }
    Ok(())
}

/// Targets: name, whether it is given events at once, parameters (name, type, mandatory, default).
type TargetInfo = (&'static str, bool, &'static [(&'static str, &'static str, bool, &'static str)]);

const TARGET_INFOS: &[TargetInfo] = &[
    ("event_counter", true, &[]),
    (
        "event_file",
        false,
        &[
            ("filename", "unicode_string_ptr", true, ""),
            ("max_file_size", "uint64", false, "1024"),
            ("max_rollover_files", "uint32", false, "5"),
            ("increment", "uint64", false, ""),
            ("lazy_create_blob", "boolean", false, "false"),
            ("metadatafile", "unicode_string_ptr", false, ""),
        ],
    ),
    (
        "histogram",
        false,
        &[
            ("slots", "uint32", false, "256"),
            ("filtering_event_name", "unicode_string_ptr", false, ""),
            ("source_type", "uint32", false, "1"),
            ("source", "unicode_string_ptr", true, ""),
        ],
    ),
    (
        "pair_matching",
        false,
        &[
            ("begin_event", "unicode_string_ptr", true, ""),
            ("end_event", "unicode_string_ptr", true, ""),
            ("begin_matching_columns", "unicode_string_ptr", false, ""),
            ("end_matching_columns", "unicode_string_ptr", false, ""),
            ("begin_matching_actions", "unicode_string_ptr", false, ""),
            ("end_matching_actions", "unicode_string_ptr", false, ""),
            ("respond_to_memory_pressure", "boolean", false, "0"),
            ("max_orphans", "uint32", false, "10000"),
        ],
    ),
    (
        "ring_buffer",
        false,
        &[
            ("max_memory", "uint32", false, "0"),
            ("max_events_limit", "uint32", false, "1000"),
            ("occurrence_number", "uint32", false, "0"),
        ],
    ),
];

fn size(ty: FieldType) -> i32 {
    match ty {
        FieldType::Bool => 1,
        FieldType::UInt16 => 2,
        FieldType::Int32 | FieldType::UInt32 => 4,
        FieldType::Map(_) | FieldType::Flags(_) => 4,
        FieldType::Int64 | FieldType::UInt64 | FieldType::Pointer | FieldType::Time => 8,
        FieldType::Guid => 16,
        FieldType::Text | FieldType::Xml | FieldType::Binary | FieldType::Activity => 0,
    }
}

fn objects(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for e in EVENTS {
        let package = guid(e.package);
        rows.push(row![e.name, "event", package, e.description, (), (), (), (), ()]);
    }
    for a in Action::ALL {
        let (package, ty) = (guid(a.package()), a.ty());
        let of = guid(xml::type_package(ty));
        let (name, text) = (a.name(), a.description());
        rows.push(row![name, "action", &package, text, (), (), ty.name(), &of, size(ty)]);
        if a.is_source() {
            rows.push(row![name, "pred_source", package, text, (), (), ty.name(), of, size(ty)]);
        }
    }
    let counter = "Counts the number of times evaluated.";
    let package = guid(Package::Package0);
    rows.push(row!["counter", "pred_source", &package, counter, (), (), "uint64", &package, 8]);
    for (package, name) in resolve::comparators() {
        rows.push(row![name, "pred_compare", guid(package), (), (), (), (), (), ()]);
    }
    for (name, at_once, _) in TARGET_INFOS {
        let synchronous = at_once.then_some("synchronous");
        let bits = i32::from(*at_once);
        rows.push(row![*name, "target", &package, (), bits, synchronous, (), (), ()]);
    }
    for (name, _) in MAPS {
        let of = guid(xml::type_package(FieldType::Map(name)));
        rows.push(row![*name, "map", &of, (), (), (), (), (), 4]);
    }
    rows.push(row![WAIT_TYPES, "map", guid(Package::SqlOs), (), (), (), (), (), 4]);
    let types = [
        FieldType::Bool,
        FieldType::Int32,
        FieldType::Int64,
        FieldType::UInt16,
        FieldType::UInt32,
        FieldType::UInt64,
        FieldType::Text,
        FieldType::Xml,
        FieldType::Binary,
        FieldType::Pointer,
        FieldType::Guid,
        FieldType::Time,
    ];
    for ty in types {
        rows.push(row![ty.name(), "type", &package, (), (), (), (), (), size(ty)]);
    }
    Ok(())
}

fn object_columns(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let package0 = guid(Package::Package0);
    for e in EVENTS {
        let package = guid(e.package);
        for (n, (name, ty)) in e.fields.iter().enumerate() {
            let of = guid(xml::type_package(*ty));
            rows.push(row![*name, n, e.name, &package, ty.name(), of, "data", (), (), (), ()]);
        }
        for (n, (name, on, _)) in e.attributes.iter().enumerate() {
            let on = on.to_string();
            let (ty, kind) = ("boolean", "customizable");
            rows.push(row![*name, n, e.name, &package, ty, &package0, kind, on, (), (), ()]);
        }
    }
    for (target, _, parameters) in TARGET_INFOS {
        for (n, (name, ty, mandatory, default)) in parameters.iter().enumerate() {
            let default = (!default.is_empty()).then_some(*default);
            let desc = mandatory.then_some("mandatory");
            let bits = mandatory.then_some(1);
            rows.push(row![
                *name,
                n,
                *target,
                &package0,
                *ty,
                &package0,
                "customizable",
                default,
                bits,
                desc,
                ()
            ]);
        }
    }
    Ok(())
}

fn map_values(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (name, entries) in MAPS {
        let of = guid(xml::type_package(FieldType::Map(name)));
        for (key, text) in *entries {
            rows.push(row![*name, &of, *key, *text]);
        }
    }
    let of = guid(Package::SqlOs);
    for (n, wait) in WaitType::ALL.iter().enumerate() {
        rows.push(row![WAIT_TYPES, &of, n, wait.name()]);
    }
    Ok(())
}
