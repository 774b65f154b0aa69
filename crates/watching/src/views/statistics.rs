//! Statistics. The optimizer keeps no histograms: every index stands for its statistics, with its own id, as in SQL Server, and
//! CREATE STATISTICS makes names of columns. No others are made.

use super::cell::{Columns, IntoCell, no, null};
use super::indexes::each_defined;
use super::{Declaration, Rows, ViewContext, by_column, function, integer, sys};
use crate::catalog::{IndexKind, Object, Statistics, Table};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

/// Statistics of an index, or made by a statement.
struct Stats {
    table: i32,
    name: Value,
    id: Value,
    /// Whether they are never computed anew; none for those of an index.
    made: Option<bool>,
    /// The text of the filter.
    filter: Option<Value>,
}

const STATS: Columns<Stats> = &[&[
    ("object_id int!", |s| s.table.cell()),
    ("name nvarchar(128)?", |s| s.name.clone()),
    ("stats_id int!", |s| s.id.clone()),
    ("auto_created bit?", no),
    ("user_created bit?", |s| s.made.is_some().cell()),
    ("no_recompute bit?", |s| s.made.unwrap_or(false).cell()),
    ("has_filter bit?", |s| s.filter.is_some().cell()),
    ("filter_definition nvarchar(max)?", |s| s.filter.clone().unwrap_or(Value::Null)),
    ("is_temporary bit?", no),
    ("is_incremental bit?", no),
    ("has_persisted_sample bit?", no),
    ("stats_generation_method int!", |_| 0_i32.cell()),
    ("stats_generation_method_desc varchar(80)!", |_| "Sort based statistics".cell()),
    ("auto_drop bit?", no),
    ("replica_role_id tinyint?", |_| 1_i32.cell()),
    ("replica_role_desc nvarchar(60)?", |_| "PRIMARY".cell()),
    ("replica_name sysname?", null),
]];

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        by_column("stats", needs::METADATA, STATS, stats),
        sys(
            "stats_columns",
            needs::METADATA,
            &["object_id int!", "stats_id int!", "stats_column_id int!", "column_id int?"],
            stats_columns,
        ),
        function(
            "dm_db_stats_properties",
            needs::STATISTICS_SEEN,
            2,
            &[
                "object_id int!",
                "stats_id int!",
                "last_updated datetime2(7)?",
                "rows bigint?",
                "rows_sampled bigint?",
                "steps int?",
                "unfiltered_rows bigint?",
                "modification_counter bigint?",
                "persisted_sample_percent float?",
            ],
            properties,
        ),
    ]);
}

fn stats(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_defined(cx, |table, index| {
        if index.kind != IndexKind::Heap {
            let (id, name) = (index.id.0.cell(), (&index.name).cell());
            let filter = index.filter.as_ref().map(|f| (&f.definition).cell());
            rows.show(STATS, &Stats { table: table.head.id.0, name, id, made: None, filter });
        }
        Ok(())
    })?;
    each_made(cx, |table, s| {
        let (id, name) = (s.id.0.cell(), (&s.name).cell());
        let filter = s.filter.as_ref().map(|f| (&f.definition).cell());
        let made = Some(s.no_recompute);
        rows.show(STATS, &Stats { table: table.head.id.0, name, id, made, filter });
    });
    Ok(())
}

/// Statistics that CREATE STATISTICS has made.
fn each_made(cx: &ViewContext<'_>, mut f: impl FnMut(&Table, &Statistics)) {
    for object in cx.objects() {
        if let Object::Table(table) = &object {
            table.statistics.iter().for_each(|s| f(table, s));
        }
    }
}

fn stats_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_defined(cx, |table, index| {
        for (at, c) in index.key.columns().iter().enumerate() {
            let column = table.columns[c.column].id;
            rows.push(row![table.head.id.0, index.id.0, at + 1, column]);
        }
        Ok(())
    })?;
    each_made(cx, |table, s| {
        for (at, c) in s.columns.iter().enumerate() {
            rows.push(row![table.head.id.0, s.id.0, at + 1, table.columns[*c].id]);
        }
    });
    Ok(())
}

/// A row of an index's statistics, as SQL Server has it of statistics that were never made: NULLs.
fn properties(cx: &ViewContext<'_>, args: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let [object, stats] = [integer(args, 0)?, integer(args, 1)?];
    each_defined(cx, |table, index| {
        let same = object == Some(table.head.id.0.into()) && stats == Some(index.id.0.into());
        if same && index.kind != IndexKind::Heap {
            rows.push(row![table.head.id.0, index.id.0, (), (), (), (), (), (), ()]);
        }
        Ok(())
    })?;
    each_made(cx, |table, s| {
        if object == Some(table.head.id.0.into()) && stats == Some(s.id.0.into()) {
            rows.push(row![table.head.id.0, s.id.0, (), (), (), (), (), (), ()]);
        }
    });
    Ok(())
}
