//! Events as XML: what targets show.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use taffrail_observe::xe::events::{EVENTS, WAIT_TYPES};
use taffrail_observe::xe::targets::{Kind, kept, with};
use taffrail_observe::xe::{FieldType, Package, Recorded, Running, Target, Val};

/// A ring shows so much text at most.
const MOST: usize = 4 << 20;

/// A text as XML has it.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' | '\n' => out.push(c),
            '\r' => out.push_str("&#x0d;"),
            // No XML has these.
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// A text as an attribute has it.
pub(crate) fn attribute(text: &str) -> String {
    escaped(text).replace('"', "&quot;").replace('\n', "&#xa;").replace('\t', "&#x9;")
}

/// A time in 100 ns since 0001-01-01 as XML has it.
pub(super) fn time(ticks: u64) -> String {
    const DAY: u64 = 864_000_000_000;
    let date = taffrail_types::datetime::civil_from_days((ticks / DAY) as i32);
    let (y, m, d) = (date.year, date.month, date.day);
    let ms = ticks % DAY / 10_000;
    let (s, ms) = (ms / 1000, ms % 1000);
    let (h, min, s) = (s / 3600, s / 60 % 60, s % 60);
    format!("{y:04}-{m:02}-{d:02}T{h:02}:{min:02}:{s:02}.{ms:03}Z")
}

/// The package of a type.
pub(super) fn type_package(ty: FieldType) -> Package {
    match ty {
        FieldType::Map(WAIT_TYPES | "event_opcode") => Package::SqlOs,
        FieldType::Map(_) | FieldType::Flags(_) => Package::SqlServer,
        _ => Package::Package0,
    }
}

fn value(out: &mut String, value: &Val, ty: FieldType, types: bool) {
    if types {
        let package = type_package(ty).name();
        let _ = write!(out, "<type name=\"{}\" package=\"{package}\"/>", ty.name());
    }
    let shown = match (value, ty) {
        (Val::Number(n), FieldType::Time) => time(u64::try_from(*n).unwrap_or(0)),
        _ => value.shown(ty),
    };
    let shown = if ty == FieldType::Xml { shown } else { escaped(&shown) };
    let _ = write!(out, "<value>{shown}</value>");
    if let Some(text) = value.map_text(ty) {
        let text = escaped(&text);
        let _ = if types {
            write!(out, "<text>{text}</text>")
        } else {
            write!(out, "<text><![CDATA[{text}]]></text>")
        };
    }
}

/// An event; `types` tells of each value's type, as rings do and files do not.
pub(super) fn event(session: &Running, event: &Recorded, types: bool) -> String {
    let info = event.wanted.info;
    let mut out = format!(
        "<event name=\"{}\" package=\"{}\" timestamp=\"{}\">",
        info.name,
        info.package.name(),
        time(session.utc(event.at))
    );
    for ((name, ty), v) in info.fields.iter().zip(&event.fields) {
        let _ = write!(out, "<data name=\"{name}\">");
        value(&mut out, v, *ty, types);
        out.push_str("</data>");
    }
    for (action, v) in event.wanted.actions.iter().zip(&event.actions) {
        let (name, package) = (action.name(), action.package().name());
        let _ = write!(out, "<action name=\"{name}\" package=\"{package}\">");
        value(&mut out, v, action.ty(), types);
        out.push_str("</action>");
    }
    out.push_str("</event>");
    out
}

/// Events, oldest first, as far as there is room; whether all had it.
fn events(session: &Running, all: &[Arc<Recorded>]) -> (String, bool) {
    let mut out = String::new();
    for e in all {
        let one = event(session, e, true);
        if out.len() + one.len() > MOST {
            return (out, false);
        }
        out.push_str(&one);
    }
    (out, true)
}

/// `target_data`; `file`: the present file of an `event_file`.
pub(super) fn target_data(session: &Running, target: &Target, file: Option<&str>) -> String {
    match &target.kind {
        Kind::Counter(counts) => {
            let mut out = String::from("<CounterTarget truncated=\"0\"><Packages>");
            for package in Package::ALL {
                let of = |w: &&Arc<taffrail_observe::xe::Wanted>| w.info.package == package;
                let mut wanted = session.events.iter().filter(of).peekable();
                if wanted.peek().is_none() {
                    continue;
                }
                let _ = write!(out, "<Package name=\"{}\">", package.name());
                for w in wanted {
                    let count = counts[w.info.event as usize].load(Relaxed);
                    let name = EVENTS[w.info.event as usize].name;
                    let _ = write!(out, "<Event name=\"{name}\" count=\"{count}\"/>");
                }
                out.push_str("</Package>");
            }
            out + "</Packages></CounterTarget>"
        }
        Kind::Ring { ring, .. } => {
            let all = kept(target);
            let (total, bytes) = with(ring, |r| (r.total, r.bytes));
            let (text, whole) = events(session, &all);
            format!(
                "<RingBufferTarget truncated=\"{}\" processingTime=\"0\" totalEventsProcessed=\"{total}\" \
                 eventCount=\"{}\" droppedCount=\"0\" memoryUsed=\"{bytes}\">{text}</RingBufferTarget>",
                u8::from(!whole),
                all.len()
            )
        }
        Kind::Histogram { slots, counts, .. } => {
            let (mut counts, truncated) =
                with(counts, |c| (c.counts.clone().into_iter().collect::<Vec<_>>(), c.truncated));
            counts.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
            let mut out = format!(
                "<HistogramTarget truncated=\"{}\" buckets=\"{slots}\">",
                u8::from(truncated > 0)
            );
            for (value, count) in counts {
                let value = escaped(&value);
                let _ = write!(
                    out,
                    "<Slot count=\"{count}\" trunc=\"0\"><value>{value}</value></Slot>"
                );
            }
            out + "</HistogramTarget>"
        }
        Kind::Pairs { pairs, .. } => {
            let (text, whole) = events(session, &kept(target));
            let (orphans, matched, dropped) = with(pairs, |p| (p.orphans, p.matched, p.dropped));
            format!(
                "<PairingTarget truncated=\"{}\" orphanCount=\"{orphans}\" matchedCount=\"{matched}\" \
                 memoryPressureDroppedCount=\"{dropped}\">{text}</PairingTarget>",
                u8::from(!whole)
            )
        }
        Kind::File(pending) => {
            let dropped = with(pending, |p| p.dropped);
            let file =
                file.map_or_else(String::new, |f| format!("<File name=\"{}\"/>", attribute(f)));
            format!(
                "<EventFileTarget truncated=\"0\"><Buffers logged=\"{}\" dropped=\"{dropped}\"/>{file}</EventFileTarget>",
                target.executions.load(Relaxed).saturating_sub(dropped)
            )
        }
    }
}
