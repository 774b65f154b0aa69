//! From names to what runs: events, fields, actions, predicates and targets, or the error that says which is wrong.

use super::definition::Options;
use super::known;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use taffrail_base::message::unsupported;
use taffrail_base::{SqlError, SqlResult};
use taffrail_observe::xe::events::{find_event, map_key};
use taffrail_observe::xe::predicate::{Op, Source, mismatch};
use taffrail_observe::xe::targets::{By, Kind, Pairing, Pending};
use taffrail_observe::xe::{Action, EventInfo, FieldType, Package, Predicate, Target, Val, Wanted};
use taffrail_syntax::ast::{
    CompareOp, EventDefinition, EventName, EventPredicate, EventSource, EventValue, Ident,
    TargetDefinition,
};

/// What a predicate may be written in.
const LONGEST_PREDICATE: u32 = 3000;

/// `package.name` as messages have it.
pub(super) fn dotted(name: &EventName) -> String {
    format!("{}.{}", name.package.value, name.name.value)
}

fn number(value: &EventValue) -> Option<i64> {
    match value {
        EventValue::Number(n) => n.parse().ok(),
        EventValue::Text(t, _) => t.trim().parse().ok(),
    }
}

/// The event of a name: 25623 if there is none.
pub(super) fn event_info(name: &EventName) -> SqlResult<&'static EventInfo> {
    let (package, event) = (&*name.package.value, &*name.name.value);
    match find_event(package, event) {
        Some(info) => Ok(info),
        None if known::event(package, event) => {
            Err(unsupported(format!("The event {}", dotted(name))))
        }
        None => Err(SqlError::new(25623, &[&"event", &dotted(name)])),
    }
}

fn action(name: &EventName) -> SqlResult<Action> {
    let (package, action) = (&*name.package.value, &*name.name.value);
    match Action::find(package, action) {
        Some(a) => Ok(a),
        None if known::action(package, action) => {
            Err(unsupported(format!("The action {}", dotted(name))))
        }
        None => Err(SqlError::new(25623, &[&"action", &dotted(name)])),
    }
}

/// What a session wants of an event.
pub(super) fn wanted(event: &EventDefinition) -> SqlResult<Wanted> {
    let info = event_info(&event.name)?;
    let name = dotted(&event.name);
    let mut left_out = 0u32;
    for (_, on, field) in info.attributes {
        if !on && let Some(n) = info.field(field) {
            left_out |= 1 << n;
        }
    }
    for (n, (attribute, value)) in event.set.iter().enumerate() {
        let Some(found) = info.attributes.iter().find(|a| attribute.is(a.0)) else {
            return Err(SqlError::new(25629, &[&"event", &name, &attribute.value]));
        };
        if event.set[..n].iter().any(|(before, _)| before.is(&attribute.value)) {
            return Err(SqlError::new(25650, &[&"event", &name, &attribute.value]));
        }
        let on = match number(value) {
            Some(n @ (0 | 1)) => n == 1,
            _ => {
                return Err(SqlError::new(25651, &[&"event", &name, &attribute.value, &"boolean"]));
            }
        };
        let bit = 1 << info.field(found.2).unwrap_or(31);
        left_out = if on { left_out & !bit } else { left_out | bit };
    }
    let mut actions = Vec::new();
    for a in &event.actions {
        let found = action(a)?;
        if actions.contains(&found) {
            return Err(SqlError::new(25626, &[&"action", &dotted(a)]));
        }
        actions.push(found);
    }
    if event.predicate_length > LONGEST_PREDICATE {
        return Err(SqlError::new(25716, &[&name, &LONGEST_PREDICATE]));
    }
    let predicate = event.predicate.as_ref().map(|p| predicate(p, info, &name)).transpose()?;
    Ok(Wanted { info, predicate, actions, left_out })
}

fn predicate(p: &EventPredicate, info: &EventInfo, event: &str) -> SqlResult<Predicate> {
    let several = |list: &[EventPredicate]| {
        list.iter().map(|p| predicate(p, info, event)).collect::<SqlResult<Vec<_>>>()
    };
    Ok(match p {
        EventPredicate::And(list) => Predicate::And(several(list)?),
        EventPredicate::Or(list) => Predicate::Or(several(list)?),
        EventPredicate::Not(p) => Predicate::Not(Box::new(predicate(p, info, event)?)),
        EventPredicate::Compare(s, op, value) => {
            let (source, ty) = source(s, info)?;
            let op = match op {
                CompareOp::Eq => Op::Eq,
                CompareOp::Ne => Op::Ne,
                CompareOp::Lt => Op::Lt,
                CompareOp::Le => Op::Le,
                CompareOp::Gt => Op::Gt,
                CompareOp::Ge => Op::Ge,
            };
            let shown = match s {
                EventSource::Field(f) => f.value.to_string(),
                EventSource::Global(g) => dotted(g),
            };
            Predicate::Compare(source, op, literal(value, ty, event, &shown)?)
        }
        EventPredicate::Call(name, s, value) => {
            let (source, ty) = source(s, info)?;
            let op = comparator(name)?;
            let value = match value {
                EventValue::Number(n) => {
                    n.parse::<i64>().map_or(Val::Empty, |n| Val::Number(n.into()))
                }
                EventValue::Text(t, _) => Val::text(t),
            };
            if mismatch(ty, &value) {
                return Err(SqlError::new(25636, &[]));
            }
            Predicate::Compare(source, op, value)
        }
    })
}

fn source(s: &EventSource, info: &EventInfo) -> SqlResult<(Source, FieldType)> {
    let missing =
        |name: &str| SqlError::new(25706, &[&"event attribute or predicate source", &name]);
    match s {
        EventSource::Field(name) => {
            let n = info.field(&name.value).ok_or_else(|| missing(&name.value))?;
            Ok((Source::Field(n), info.fields[n].1))
        }
        EventSource::Global(name) => {
            let (package, source) = (&*name.package.value, &*name.name.value);
            if name.package.is("package0") && name.name.is("counter") {
                return Ok((Source::Counter(AtomicU64::new(0)), FieldType::UInt64));
            }
            match Action::find(package, source) {
                Some(a) if a.is_source() => Ok((Source::Action(a), a.ty())),
                _ if known::source(package, source) => {
                    Err(unsupported(format!("The predicate source {}", dotted(name))))
                }
                _ => Err(missing(&dotted(name))),
            }
        }
    }
}

/// A literal beside a plain operator: a map's number or its text; text of either kind for text.
fn literal(value: &EventValue, ty: FieldType, event: &str, of: &str) -> SqlResult<Val> {
    let wrong = || SqlError::new(25713, &[&"event", &event, &"predicate source", &of]);
    let found = match (value, ty) {
        (EventValue::Number(n), _) if !ty.is_text() => {
            n.parse::<i128>().ok().map(Val::Number).ok_or_else(wrong)?
        }
        (EventValue::Text(t, _), FieldType::Map(map) | FieldType::Flags(map)) => {
            map_key(map, t).map(|n| Val::Number(n.into())).ok_or_else(wrong)?
        }
        (EventValue::Text(t, _), FieldType::Bool) if t.eq_ignore_ascii_case("true") => {
            Val::Number(1)
        }
        (EventValue::Text(t, _), FieldType::Bool) if t.eq_ignore_ascii_case("false") => {
            Val::Number(0)
        }
        (EventValue::Text(t, _), _) => Val::text(t),
        (EventValue::Number(_), _) => Val::Empty,
    };
    if mismatch(ty, &found) {
        return Err(SqlError::new(25630, &[&"event", &event]));
    }
    Ok(found)
}

/// What the names of comparators begin with.
const OPERATORS: [(&str, Op); 8] = [
    ("not_equal_", Op::Ne),
    ("equal_", Op::Eq),
    ("less_than_equal_", Op::Le),
    ("less_than_", Op::Lt),
    ("greater_than_equal_", Op::Ge),
    ("greater_than_", Op::Gt),
    ("like_", Op::Like),
    ("divides_by_", Op::Divides),
];
/// What they end with: those of package0, of division, of sqlserver.
const PLAIN: [&str; 8] = [
    "uint64",
    "int64",
    "float64",
    "boolean",
    "ansi_string",
    "unicode_string",
    "i_ansi_string",
    "i_unicode_string",
];
const DIVIDED: [&str; 2] = ["uint64", "int64"];
const SQL: [&str; 2] = ["i_sql_ansi_string", "i_sql_unicode_string"];

/// All comparators: package and name.
pub(super) fn comparators() -> Vec<(Package, String)> {
    let mut all = Vec::new();
    for (prefix, op) in OPERATORS {
        let plain: &[&str] = match op {
            Op::Like => &[],
            Op::Divides => &DIVIDED,
            _ => &PLAIN,
        };
        let sql: &[&str] = if op == Op::Divides { &[] } else { &SQL };
        for (package, types) in [(Package::Package0, plain), (Package::SqlServer, sql)] {
            all.extend(types.iter().map(|ty| (package, format!("{prefix}{ty}"))));
        }
    }
    all
}

/// `package.comparator`.
fn comparator(name: &EventName) -> SqlResult<Op> {
    let missing = || SqlError::new(25623, &[&"predicate comparator", &dotted(name)]);
    let text = name.name.value.to_lowercase();
    let of = |prefix: &str| text.strip_prefix(prefix);
    if of("greater_than_max_").is_some() || of("less_than_min_").is_some() {
        return Err(unsupported(format!("The predicate comparator {}", dotted(name))));
    }
    let found = OPERATORS.iter().find_map(|(prefix, op)| Some((of(prefix)?, *op)));
    let (ty, op) = found.ok_or_else(missing)?;
    let there = if name.package.is("package0") {
        match op {
            Op::Like => false,
            Op::Divides => DIVIDED.contains(&ty),
            _ => PLAIN.contains(&ty),
        }
    } else {
        name.package.is("sqlserver") && SQL.contains(&ty) && op != Op::Divides
    };
    if there { Ok(op) } else { Err(missing()) }
}

/// The parameters of a target.
struct Parameters<'a> {
    name: String,
    set: &'a [(Ident, EventValue)],
}

impl Parameters<'_> {
    fn check(&self, known: &[&str]) -> SqlResult<()> {
        for (n, (name, _)) in self.set.iter().enumerate() {
            if !known.iter().any(|k| name.is(k)) {
                return Err(SqlError::new(25629, &[&"target", &self.name, &name.value]));
            }
            if self.set[..n].iter().any(|(before, _)| before.is(&name.value)) {
                return Err(SqlError::new(25650, &[&"target", &self.name, &name.value]));
            }
        }
        Ok(())
    }

    fn value(&self, name: &str) -> Option<&EventValue> {
        self.set.iter().find(|(n, _)| n.is(name)).map(|(_, v)| v)
    }

    fn number(&self, name: &str, default: u32) -> SqlResult<u32> {
        let Some(value) = self.value(name) else { return Ok(default) };
        let n = number(value).and_then(|n| u32::try_from(n).ok());
        n.ok_or_else(|| SqlError::new(25651, &[&"target", &self.name, &name, &"uint32"]))
    }

    fn text(&self, name: &str) -> SqlResult<Option<&str>> {
        match self.value(name) {
            None => Ok(None),
            Some(EventValue::Text(t, _)) => Ok(Some(t)),
            Some(EventValue::Number(_)) => {
                let ty = "unicode_string_ptr";
                Err(SqlError::new(25651, &[&"target", &self.name, &name, &ty]))
            }
        }
    }

    fn mandatory(&self, name: &str) -> SqlResult<&str> {
        let missing = || SqlError::new(25642, &[&"target", &self.name]);
        self.text(name)?.ok_or_else(missing)
    }

    fn invalid(&self, name: &str, why: &str) -> Box<SqlError> {
        SqlError::new(25641, &[&"target", &self.name, &name, &why])
    }

    /// An event that a parameter names; it must be one of the session's.
    fn event(&self, name: &str, text: &str, events: &[Wanted]) -> SqlResult<&'static EventInfo> {
        let found = text.split_once('.').and_then(|(package, event)| find_event(package, event));
        match found {
            Some(info) if events.iter().any(|w| std::ptr::eq(w.info, info)) => Ok(info),
            _ => Err(self.invalid(name, "The event is not part of the event session.")),
        }
    }
}

/// The file of an `event_file`, as its parameters have it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FileParameters {
    pub name: String,
    pub max_mb: u32,
    pub max_files: u32,
}

/// The parameters of a target that is an `event_file`.
pub(super) fn file_parameters(target: &TargetDefinition) -> SqlResult<Option<FileParameters>> {
    if !is_target(&target.name, &["event_file", "asynchronous_file_target"]) {
        return Ok(None);
    }
    let p = Parameters { name: dotted(&target.name), set: &target.set };
    let all = [
        "filename",
        "max_file_size",
        "max_rollover_files",
        "increment",
        "lazy_create_blob",
        "metadatafile",
    ];
    p.check(&all)?;
    let name = p.mandatory("filename")?.to_owned();
    if name.trim().is_empty() || name.contains('\0') {
        return Err(p.invalid("filename", "A file name is expected."));
    }
    let max_mb = p.number("max_file_size", 1024)?;
    if max_mb == 0 {
        return Err(p.invalid("max_file_size", "It must be at least 1."));
    }
    let max_files = p.number("max_rollover_files", 5)?;
    Ok(Some(FileParameters { name, max_mb, max_files }))
}

fn is_target(name: &EventName, names: &[&str]) -> bool {
    name.package.is("package0") && names.iter().any(|n| name.name.is(n))
}

/// A target with nothing in it.
pub(super) fn target(
    target: &TargetDefinition,
    events: &[Wanted],
    options: &Options,
) -> SqlResult<Target> {
    let p = Parameters { name: dotted(&target.name), set: &target.set };
    let is = |names: &[&str]| is_target(&target.name, names);
    if is(&["event_counter", "synchronous_event_counter"]) {
        p.check(&[])?;
        return Ok(Target::counter());
    }
    if is(&["ring_buffer"]) {
        p.check(&["max_memory", "max_events_limit", "occurrence_number"])?;
        let most = p.number("max_events_limit", 1000)? as usize;
        let (kb, n) = (p.number("max_memory", 0)?, p.number("occurrence_number", 0)?);
        return Ok(Target::ring(most, kb as usize, n as usize));
    }
    if is(&["histogram", "asynchronous_bucketizer"]) {
        return histogram(&p, events).map(Target::new);
    }
    if is(&["pair_matching"]) {
        return pairs(&p, events).map(Target::new);
    }
    if file_parameters(target)?.is_some() {
        let (most, lossless) = ((options.memory_kb as usize) << 10, options.retention == 'N');
        let pending = Pending { most, lossless, ..Pending::default() };
        return Ok(Target::new(Kind::File(Mutex::new(pending))));
    }
    if is(&["etw_classic_sync_target"]) {
        return Err(unsupported(format!("The target {}", p.name)));
    }
    Err(SqlError::new(25623, &[&"target", &p.name]))
}

fn histogram(p: &Parameters<'_>, events: &[Wanted]) -> SqlResult<Kind> {
    p.check(&["slots", "filtering_event_name", "source_type", "source"])?;
    let slots = p.number("slots", 256)?.clamp(1, 1 << 16).next_power_of_two() as usize;
    let source = p.mandatory("source")?;
    let filter = p.text("filtering_event_name")?.filter(|t| !t.is_empty());
    let only = filter.map(|t| p.event("filtering_event_name", t, events)).transpose()?;
    let by = match p.number("source_type", 1)? {
        0 => {
            // A field belongs to one event.
            let one = match (only, events) {
                (Some(info), _) => info,
                (None, [one]) => one.info,
                _ => return Err(p.invalid("source", "A field needs a filtering event.")),
            };
            let n = one.field(source);
            By::Field(n.ok_or_else(|| p.invalid("source", "The event has no such field."))?)
        }
        1 => {
            let found = source.split_once('.').and_then(|(a, b)| Action::find(a, b));
            let found = found.filter(|a| events.iter().any(|w| w.actions.contains(a)));
            By::Action(found.ok_or_else(|| p.invalid("source", "No event has this action."))?)
        }
        _ => return Err(p.invalid("source_type", "It must be 0 or 1.")),
    };
    let only = only.map(|info| info.event);
    Ok(Kind::Histogram { only, by, slots, counts: Mutex::default() })
}

fn pairs(p: &Parameters<'_>, events: &[Wanted]) -> SqlResult<Kind> {
    p.check(&[
        "begin_event",
        "end_event",
        "begin_matching_columns",
        "end_matching_columns",
        "begin_matching_actions",
        "end_matching_actions",
        "respond_to_memory_pressure",
        "max_orphans",
    ])?;
    let begin = p.event("begin_event", p.mandatory("begin_event")?, events)?;
    let end = p.event("end_event", p.mandatory("end_event")?, events)?;
    let list = |name: &str| -> SqlResult<Vec<String>> {
        let text = p.text(name)?.unwrap_or_default();
        Ok(text
            .split(',')
            .map(|t| t.trim_matches(' ').to_owned())
            .filter(|t| !t.is_empty())
            .collect())
    };
    let fields = |name: &str, of: &EventInfo| -> SqlResult<Vec<usize>> {
        let missing = || p.invalid(name, "The event has no such field.");
        list(name)?.iter().map(|f| of.field(f).ok_or_else(missing)).collect()
    };
    let (b, e) = (fields("begin_matching_columns", begin)?, fields("end_matching_columns", end)?);
    let actions = list("begin_matching_actions")?;
    if b.len() != e.len() || actions != list("end_matching_actions")? {
        let why = "Both sides must match by the same columns and actions.";
        return Err(p.invalid("end_matching_columns", why));
    }
    let found = |name: &String| {
        let found = name.split_once('.').and_then(|(a, b)| Action::find(a, b));
        found.ok_or_else(|| p.invalid("begin_matching_actions", "No event has this action."))
    };
    let pairing = Pairing {
        begin: begin.event,
        end: end.event,
        columns: b.into_iter().zip(e).collect(),
        actions: actions.iter().map(found).collect::<SqlResult<_>>()?,
        max_orphans: p.number("max_orphans", 10_000)? as usize,
    };
    Ok(Kind::Pairs { pairing, pairs: Mutex::default() })
}

/// The events of a session (25626: one of them twice) and its targets (25603 likewise).
pub(super) fn session(
    events: &[EventDefinition],
    targets: &[TargetDefinition],
    options: &Options,
) -> SqlResult<(Vec<Wanted>, Vec<Arc<Target>>)> {
    let mut all = Vec::new();
    for e in events {
        let mut found = wanted(e)?;
        let tracked = options.causality && !found.actions.contains(&Action::AttachActivityId);
        found.actions.extend(tracked.then_some(Action::AttachActivityId));
        if all.iter().any(|w: &Wanted| std::ptr::eq(w.info, found.info)) {
            return Err(SqlError::new(25626, &[&"event", &dotted(&e.name)]));
        }
        all.push(found);
    }
    let mut made = Vec::new();
    for (n, t) in targets.iter().enumerate() {
        let found = Arc::new(target(t, &all, options)?);
        if targets[..n].iter().any(|other| other.name.name.is(&t.name.name.value)) {
            return Err(SqlError::new(25603, &[&"target", &dotted(&t.name)]));
        }
        made.push(found);
    }
    Ok((all, made))
}
