//! Predicates as XML: `predicate_xml` and `event_predicate` of the views.
//!
//! ```text
//! <and><leaf><comparator name="…" package="…"/><event name="…" package="…" field="…"/><value>…</value></leaf>
//!      <leaf><comparator …/><global name="…" package="…"/><value>…</value></leaf></and>
//! ```
//! `<or>` and `<not>` alike. An operator is shown as the comparator that it stands for.

use super::resolve::event_info;
use super::xml::{attribute, escaped};
use std::fmt::Write;
use taffrail_observe::xe::{Action, EventInfo, FieldType};
use taffrail_syntax::ast::{CompareOp, EventDefinition, EventPredicate, EventSource, EventValue};

/// So many characters fit the columns.
const MOST: usize = 3000;

/// The predicate of an event; none: it has none, or one that the column has no room for.
pub(super) fn shown(event: &EventDefinition) -> Option<String> {
    let info = event_info(&event.name).ok()?;
    let mut out = String::new();
    write(&mut out, event.predicate.as_ref()?, info);
    (out.chars().count() <= MOST).then_some(out)
}

fn write(out: &mut String, p: &EventPredicate, info: &EventInfo) {
    match p {
        EventPredicate::And(list) => several(out, list, "and", info),
        EventPredicate::Or(list) => several(out, list, "or", info),
        EventPredicate::Not(p) => {
            out.push_str("<not>");
            write(out, p, info);
            out.push_str("</not>");
        }
        EventPredicate::Compare(source, op, value) => {
            let (package, name) = comparator(*op, type_of(source, info));
            leaf(out, (package, &name), source, value, info);
        }
        EventPredicate::Call(name, source, value) => {
            let comparator = (&*name.package.value, &*name.name.value);
            leaf(out, comparator, source, value, info);
        }
    }
}

/// Two at a time, from the left.
fn several(out: &mut String, list: &[EventPredicate], word: &str, info: &EventInfo) {
    let Some((last, before)) = list.split_last() else { return };
    if before.is_empty() {
        return write(out, last, info);
    }
    let _ = write!(out, "<{word}>");
    several(out, before, word, info);
    write(out, last, info);
    let _ = write!(out, "</{word}>");
}

fn type_of(source: &EventSource, info: &EventInfo) -> FieldType {
    let found = match source {
        EventSource::Field(name) => info.field(&name.value).map(|n| info.fields[n].1),
        EventSource::Global(g) => Action::find(&g.package.value, &g.name.value).map(Action::ty),
    };
    // `package0.counter` is no action.
    found.unwrap_or(FieldType::UInt64)
}

fn comparator(op: CompareOp, ty: FieldType) -> (&'static str, String) {
    let op = match op {
        CompareOp::Eq => "equal",
        CompareOp::Ne => "not_equal",
        CompareOp::Lt => "less_than",
        CompareOp::Le => "less_than_equal",
        CompareOp::Gt => "greater_than",
        CompareOp::Ge => "greater_than_equal",
    };
    let (package, ty) = match ty {
        _ if ty.is_text() => ("sqlserver", "i_sql_unicode_string"),
        FieldType::Bool => ("package0", "boolean"),
        FieldType::Int32 | FieldType::Int64 => ("package0", "int64"),
        _ => ("package0", "uint64"),
    };
    (package, format!("{op}_{ty}"))
}

fn leaf(
    out: &mut String,
    (package, comparator): (&str, &str),
    source: &EventSource,
    value: &EventValue,
    info: &EventInfo,
) {
    let (package, comparator) = (attribute(package), attribute(comparator));
    let _ = write!(out, "<leaf><comparator name=\"{comparator}\" package=\"{package}\"/>");
    let _ = match source {
        EventSource::Field(field) => write!(
            out,
            "<event name=\"{}\" package=\"{}\" field=\"{}\"/>",
            info.name,
            info.package.name(),
            attribute(&field.value)
        ),
        EventSource::Global(g) => write!(
            out,
            "<global name=\"{}\" package=\"{}\"/>",
            attribute(&g.name.value),
            attribute(&g.package.value)
        ),
    };
    let value = match value {
        EventValue::Number(n) => n.to_string(),
        EventValue::Text(t, _) => escaped(t),
    };
    let _ = write!(out, "<value>{value}</value></leaf>");
}
