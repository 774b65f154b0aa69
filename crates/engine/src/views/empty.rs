//! Views of what there is none of here, and of what no row can be: scripts join them to what there is. They have SQL Server's columns,
//! which are listed in `data/empty-views.txt`.

use super::{Declaration, MSDB, RowSource, Rows, ViewContext};
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

fn view(line: &'static str) -> Declaration {
    let (schema, name) = line.split_once('.').expect("schema and name");
    let schema = if schema == "msdb" { MSDB } else { schema };
    let source = RowSource::Made(none);
    Declaration { schema, name, columns: Vec::new(), arguments: None, source }
}
