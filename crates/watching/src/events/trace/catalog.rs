//! sys.traces, and what there is to be traced: sys.trace_events, sys.trace_columns and their kind. The classes of events with their
//! columns and subclasses stand in `classes.txt`.

use super::row::{COLUMNS, Holds};
use super::{MAX_FILES, MAX_MB, flush_trace, note, shown_trace};
use crate::features::needs;
use crate::row;
use crate::views::{Declaration, Rows, ViewContext, function, integer, sys};
use std::sync::LazyLock;
use taffrail_base::SqlResult;
use taffrail_io::UtcTime;
use taffrail_types::Value;

const TRACES: &[&str] = &[
    "id int!",
    "status int!",
    "path nvarchar(260)?",
    "max_size bigint?",
    "stop_time datetime?",
    "max_files int?",
    "is_rowset bit?",
    "is_rollover bit?",
    "is_shutdown bit?",
    "is_default bit?",
    "buffer_count int?",
    "buffer_size int?",
    "file_position bigint?",
    "reader_spid int?",
    "start_time datetime?",
    "last_event_time datetime?",
    "event_count bigint?",
    "dropped_event_count int?",
];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("traces", needs::METADATA, TRACES, traces),
        sys(
            "trace_categories",
            needs::METADATA,
            &["category_id smallint!", "name nvarchar(128)!", "type tinyint!"],
            categories,
        ),
        sys(
            "trace_events",
            needs::METADATA,
            &["trace_event_id smallint!", "category_id smallint!", "name nvarchar(128)!"],
            events,
        ),
        sys(
            "trace_columns",
            needs::METADATA,
            &[
                "trace_column_id smallint!",
                "name nvarchar(128)!",
                "type_name nvarchar(128)!",
                "max_size int?",
                "is_filterable bit!",
                "is_repeatable bit!",
                "is_repeated_base bit!",
            ],
            columns,
        ),
        sys(
            "trace_event_bindings",
            needs::METADATA,
            &["trace_event_id smallint!", "trace_column_id smallint!"],
            bindings,
        ),
        sys(
            "trace_subclass_values",
            needs::METADATA,
            &[
                "trace_event_id smallint!",
                "trace_column_id smallint!",
                "subclass_name nvarchar(128)?",
                "subclass_value smallint?",
            ],
            subclasses,
        ),
        function(
            "fn_trace_getinfo",
            needs::TRACES,
            1,
            &["traceid int!", "property int!", "value sql_variant?"],
            info,
        ),
        function(
            "fn_trace_geteventinfo",
            needs::TRACES,
            1,
            &["eventid int!", "columnid int!"],
            event_info,
        ),
        // The default trace has no filter.
        function(
            "fn_trace_getfilterinfo",
            needs::TRACES,
            1,
            &[
                "columnid int!",
                "logical_operator int!",
                "comparison_operator int!",
                "value sql_variant?",
            ],
            |_, _, _| Ok(()),
        ),
    ]);
}

/// The default trace's `traceid`.
const ID: i64 = 1;

const CATEGORIES: [(&str, u8); 21] = [
    ("Cursors", 0),
    ("Database", 0),
    ("Errors and Warnings", 2),
    ("Locks", 0),
    ("Objects", 0),
    ("Performance", 0),
    ("Scans", 0),
    ("Security Audit", 0),
    ("Server", 0),
    ("Sessions", 1),
    ("Stored Procedures", 0),
    ("Transactions", 0),
    ("TSQL", 0),
    ("User configurable", 0),
    ("OLEDB", 0),
    ("Broker", 0),
    ("Full text", 0),
    ("Deprecation", 0),
    ("Progress Report", 0),
    ("CLR", 0),
    ("Query Notifications", 0),
];

/// A class of events.
struct Class {
    id: u16,
    category: u16,
    name: &'static str,
    /// Ids of its columns, ascending; none where they are not known here.
    columns: Vec<u8>,
    /// Number and name of its subclasses.
    subclasses: Vec<(u16, &'static str)>,
}

/// Columns that nearly all classes have, and what letters stand for.
const COMMON: [u8; 14] = [6, 7, 8, 9, 10, 11, 12, 14, 26, 27, 41, 51, 60, 64];
const LETTERS: [(char, u8); 6] = [('D', 3), ('T', 4), ('N', 35), ('R', 49), ('X', 50), ('G', 66)];

static CLASSES: LazyLock<Vec<Class>> =
    LazyLock::new(|| include_str!("classes.txt").lines().filter_map(class).collect());

/// `id|category|name|columns|subclasses`; the last two can be missing.
fn class(line: &'static str) -> Option<Class> {
    let mut parts = line.split('|');
    let id = parts.next()?.parse().ok()?;
    let category = parts.next()?.parse().ok()?;
    let name = parts.next()?;
    let mut columns: Vec<u8> = Vec::new();
    for word in parts.next().unwrap_or_default().split(' ') {
        match (word, word.strip_prefix('-'), word.parse()) {
            ("C", ..) => columns.extend(COMMON),
            (_, Some(left_out), _) => columns.retain(|c| left_out.parse() != Ok(*c)),
            (_, _, Ok(column)) => columns.push(column),
            _ => {
                let known = |letter: char| LETTERS.iter().find(|l| l.0 == letter).map(|l| l.1);
                columns.extend(word.chars().filter_map(known));
            }
        }
    }
    columns.sort_unstable();
    let subclasses = parts.next().unwrap_or_default().split(';');
    let subclass = |text: &'static str| {
        let (number, name) = text.split_once(' ')?;
        Some((number.parse().ok()?, name))
    };
    Some(Class {
        id,
        category,
        name,
        columns,
        subclasses: subclasses.filter_map(subclass).collect(),
    })
}

fn traces(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    // The file is there from the first row on.
    flush_trace(instance);
    let Some(t) = shown_trace(instance) else { return Ok(()) };
    let time = |utc: u64| (utc > 0).then(|| crate::catalog::datetime(UtcTime(utc)));
    rows.push(row![
        ID,
        i64::from(t.running),
        t.path,
        MAX_MB,
        (),
        MAX_FILES,
        false,
        true,
        false,
        true,
        2,
        1024,
        t.position,
        (),
        time(t.started),
        time(t.last),
        t.recorded,
        t.dropped
    ]);
    Ok(())
}

fn categories(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (n, (name, kind)) in CATEGORIES.iter().enumerate() {
        rows.push(row![n + 1, *name, *kind]);
    }
    Ok(())
}

fn events(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for class in &*CLASSES {
        rows.push(row![class.id, class.category, class.name]);
    }
    Ok(())
}

fn columns(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for (n, (name, holds)) in COLUMNS.iter().enumerate() {
        let (ty, size) = match holds {
            Holds::Int => ("int", 4),
            Holds::BigInt => ("bigint", 8),
            Holds::Time => ("datetime", 8),
            Holds::Name => ("nvarchar", 512),
            Holds::Text => ("text", -1),
            Holds::Bytes => ("image", -1),
            Holds::Guid => ("uniqueidentifier", 16),
        };
        // No filter asks for bytes, nor for what every row has.
        let filterable = *holds != Holds::Bytes && !matches!(*name, "EventClass" | "EventSequence");
        // What a session has been asked once is repeated for its rows.
        let repeatable =
            matches!(n + 1, 6..=11 | 41 | 64) || matches!(*name, "ServerName" | "ClientProcessID");
        rows.push(row![n + 1, *name, ty, size, filterable, repeatable, *name == "SPID"]);
    }
    Ok(())
}

fn bindings(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for class in &*CLASSES {
        class.columns.iter().for_each(|column| rows.push(row![class.id, *column]));
    }
    Ok(())
}

/// The column `EventSubClass`.
const SUBCLASS: u8 = 21;

fn subclasses(_: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for class in &*CLASSES {
        for (value, name) in &class.subclasses {
            rows.push(row![class.id, SUBCLASS, *name, *value]);
        }
    }
    Ok(())
}

/// Whether an argument means the default trace.
fn asks(args: &[Value], all: bool) -> SqlResult<bool> {
    Ok(match integer(args, 0)? {
        None | Some(0) => all,
        Some(id) => id == ID,
    })
}

fn info(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let instance = &cx.session.instance;
    flush_trace(instance);
    let Some(t) = shown_trace(instance) else { return Ok(()) };
    if asks(args, true)? {
        // TRACE_FILE_ROLLOVER.
        rows.push(row![ID, 1, 2]);
        rows.push(row![ID, 2, t.path]);
        rows.push(row![ID, 3, MAX_MB]);
        rows.push(row![ID, 4, ()]);
        rows.push(row![ID, 5, i64::from(t.running)]);
    }
    Ok(())
}

/// What the trace records: not all that SQL Server's does can happen here.
fn event_info(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    if shown_trace(&cx.session.instance).is_none() || !asks(args, false)? {
        return Ok(());
    }
    for class in CLASSES.iter().filter(|c| note::TRACED.contains(&c.id)) {
        class.columns.iter().for_each(|column| rows.push(row![class.id, *column]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_class_with_a_category_and_known_columns() {
        let lines = include_str!("classes.txt").lines().count();
        assert_eq!(CLASSES.len(), lines);
        assert!(CLASSES.is_sorted_by(|a, b| a.id < b.id));
        for class in &*CLASSES {
            assert!((1..=CATEGORIES.len()).contains(&class.category.into()), "{}", class.name);
            assert!(class.columns.is_sorted_by(|a, b| a < b), "{}: a column twice", class.name);
            assert!(class.columns.iter().all(|c| (1..=66).contains(c)), "{}", class.name);
            let told = class.columns.contains(&SUBCLASS);
            assert!(class.subclasses.is_empty() || told, "{} has subclasses", class.name);
        }
        let of = |id| CLASSES.iter().find(|c| c.id == id).map(|c| &*c.columns);
        let grown: &[u8] =
            &[3, 7, 8, 9, 10, 11, 12, 13, 14, 15, 25, 26, 27, 35, 36, 41, 51, 60, 64];
        assert_eq!(of(93), Some(grown));
        assert!(note::TRACED.iter().all(|id| of(*id).is_some_and(|c| !c.is_empty())));
    }
}
