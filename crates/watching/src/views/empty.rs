//! Views of what there is none of here, and of what no row can be: scripts join them to what there is. They have SQL Server's columns,
//! which are listed in `data/empty-views.txt`.

use super::{Declaration, MSDB, Reach, RowSource, Rows, ViewContext};
use crate::features::needs::{self, Needs};
use taffrail_base::SqlResult;
use taffrail_types::Value;

const LIST: &str = include_str!("../../data/empty-views.txt");

/// No rows.
pub(crate) fn none(_: &ViewContext<'_>, _: &[Value], _: &mut Rows) -> SqlResult<()> {
    Ok(())
}

pub(super) fn declare(views: &mut Vec<Declaration>) {
    for line in LIST.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        match line.strip_prefix("    ") {
            Some(column) => views.last_mut().expect("a view stands above").columns.push(column),
            None => views.push(view(line)),
        }
    }
}

/// The names of needs in the list.
const NAMED: &[(&str, Needs)] = &[
    ("database performance", needs::DATABASE_PERFORMANCE),
    ("database state", needs::DATABASE_STATE),
    ("databases seen", needs::DATABASES_SEEN),
    ("metadata", needs::METADATA),
    ("public", needs::PUBLIC),
    ("reads", needs::READS),
    ("row groups", needs::ROW_GROUPS),
    ("segments", needs::SEGMENTS),
    ("server definitions", needs::SERVER_DEFINITIONS),
    ("server performance", needs::SERVER_PERFORMANCE),
    ("server security", needs::SERVER_SECURITY),
];

fn view(line: &'static str) -> Declaration {
    let (schema, rest) = line.split_once('.').expect("schema and name");
    let (name, needs) = rest.split_once(": ").expect("name and needs");
    let schema = if schema == "msdb" { MSDB } else { schema };
    let needs = NAMED.iter().find(|(of, _)| *of == needs).expect("a name of needs").1;
    let source = RowSource::Made(none);
    Declaration {
        schema,
        name,
        needs,
        columns: Vec::new(),
        arguments: None,
        source,
        reach: Reach::Schema,
    }
}
