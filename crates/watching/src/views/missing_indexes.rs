//! sys.dm_db_missing_index_details and its relatives: indexes that plans would have used, since the server was started or the database
//! opened. A group has one index. A table that is changed takes along what was known of it.

use super::dm_exec::moment;
use super::{Declaration, Rows, ViewContext, by_column};
use crate::catalog::missing::{MissingFigures, MissingIndexUse};
use crate::catalog::{Sight, Table};
use crate::database::Database;
use crate::features::cell::Columns;
use crate::features::needs;
use crate::features::view::integer;
use crate::plan::names::bracketed;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    let performance = needs::SERVER_PERFORMANCE;
    views.extend([
        by_column("dm_db_missing_index_details", performance, DETAILS, details),
        by_column("dm_db_missing_index_groups", performance, GROUPS, groups),
        by_column("dm_db_missing_index_group_stats", performance, STATS, stats),
        Declaration {
            arguments: Some((1, 1)),
            ..by_column("dm_db_missing_index_columns", performance, USES, columns)
        },
    ]);
}

/// An index that is missing, with its table.
struct Missing {
    database: Arc<Database>,
    table: Arc<Table>,
    index: Arc<MissingIndexUse>,
    figures: MissingFigures,
    last: Value,
}

impl Missing {
    /// `[a], [b]`; NULL for none.
    fn list(&self, places: &[usize]) -> Value {
        let names = places.iter().map(|at| bracketed(&self.table.columns[*at].name));
        let names: Vec<String> = names.collect();
        if names.is_empty() { Value::Null } else { Value::nvarchar(&names.join(", ")) }
    }
}

const DETAILS: Columns<Missing> = &[&[
    ("index_handle int!", |m| Value::Int(m.index.handle)),
    ("database_id smallint!", |m| Value::SmallInt(m.database.id.0 as i16)),
    ("object_id int!", |m| Value::Int(m.table.id().0)),
    ("equality_columns nvarchar(4000)?", |m| m.list(&m.index.columns.equality)),
    ("inequality_columns nvarchar(4000)?", |m| m.list(&m.index.columns.inequality)),
    ("included_columns nvarchar(4000)?", |m| m.list(&m.index.columns.included)),
    ("statement nvarchar(4000)?", |m| {
        let names = [&*m.database.name, &*m.table.head.schema, m.table.name()];
        Value::nvarchar(&names.map(bracketed).join("."))
    }),
]];

const GROUPS: Columns<Missing> = &[&[
    ("index_group_handle int!", |m| Value::Int(m.index.handle)),
    ("index_handle int!", |m| Value::Int(m.index.handle)),
]];

// The server asks for nothing by itself.
const STATS: Columns<Missing> = &[&[
    ("group_handle int!", |m| Value::Int(m.index.handle)),
    ("unique_compiles bigint!", |m| Value::BigInt(m.figures.compiles as i64)),
    ("user_seeks bigint!", |m| Value::BigInt(m.figures.seeks as i64)),
    ("user_scans bigint!", |_| Value::BigInt(0)),
    ("last_user_seek datetime?", |m| m.last.clone()),
    ("last_user_scan datetime?", |_| Value::Null),
    ("avg_total_user_cost float?", |m| Value::Float(m.figures.cost)),
    ("avg_user_impact float?", |m| Value::Float(m.figures.impact)),
    ("system_seeks bigint!", |_| Value::BigInt(0)),
    ("system_scans bigint!", |_| Value::BigInt(0)),
    ("last_system_seek datetime?", |_| Value::Null),
    ("last_system_scan datetime?", |_| Value::Null),
    ("avg_total_system_cost float?", |_| Value::Float(0.0)),
    ("avg_system_impact float?", |_| Value::Float(0.0)),
]];

/// A column of an index that is missing.
struct ColumnUse {
    id: i32,
    name: Arc<str>,
    usage: &'static str,
}

const USES: Columns<ColumnUse> = &[&[
    ("column_id int?", |c| Value::Int(c.id)),
    ("column_name sysname?", |c| Value::nvarchar(&c.name)),
    ("column_usage varchar(20)?", |c| Value::nvarchar(c.usage)),
]];

/// The indexes that are missing of tables that are still as they were.
fn missing(cx: &ViewContext<'_>) -> Vec<Missing> {
    let mut out = Vec::new();
    for slot in cx.session.instance.databases().list() {
        let Some(database) = &slot.database else { continue };
        for index in database.catalog.missing().list() {
            let table = database.catalog.table(index.table, Sight::from(cx.session.id));
            let Some(table) = table.filter(|t| index.is_of(t)) else { continue };
            let figures = index.figures();
            let last = figures.last.and_then(|at| moment(cx, at)).unwrap_or_default();
            out.push(Missing { database: database.clone(), table, index, figures, last });
        }
    }
    out
}

fn details(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    missing(cx).iter().for_each(|m| rows.show(DETAILS, m));
    Ok(())
}

fn groups(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    missing(cx).iter().for_each(|m| rows.show(GROUPS, m));
    Ok(())
}

fn stats(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    missing(cx).iter().for_each(|m| rows.show(STATS, m));
    Ok(())
}

fn columns(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let Some(handle) = integer(args, 0)? else { return Ok(()) };
    let all = missing(cx);
    let Some(m) = all.iter().find(|m| i64::from(m.index.handle) == handle) else { return Ok(()) };
    let own = &m.index.columns;
    let lists =
        [("EQUALITY", &own.equality), ("INEQUALITY", &own.inequality), ("INCLUDE", &own.included)];
    for (usage, places) in lists {
        for at in places {
            let column = &m.table.columns[*at];
            let (id, name) = (column.id, column.name.clone());
            rows.show(USES, &ColumnUse { id, name, usage });
        }
    }
    Ok(())
}
