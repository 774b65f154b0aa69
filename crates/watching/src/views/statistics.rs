//! Statistics. The optimizer keeps no histograms: every index stands for its statistics, with its own id, as in SQL Server, and
//! CREATE STATISTICS makes names of columns. No others are made.

use super::indexes::each_index;
use super::{Declaration, Rows, ViewContext, function, integer, sys};
use crate::catalog::{IndexKind, Object, Statistics, Table};
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "stats",
            needs::METADATA,
            &[
                "object_id int!",
                "name nvarchar(128)?",
                "stats_id int!",
                "auto_created bit?",
                "user_created bit?",
                "no_recompute bit?",
                "has_filter bit?",
                "filter_definition nvarchar(max)?",
                "is_temporary bit?",
                "is_incremental bit?",
                "has_persisted_sample bit?",
                "stats_generation_method int!",
                "stats_generation_method_desc varchar(80)!",
                "auto_drop bit?",
                "replica_role_id tinyint?",
                "replica_role_desc nvarchar(60)?",
                "replica_name sysname?",
            ],
            stats,
        ),
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
    each_index(cx, |table, index| {
        if index.kind == IndexKind::Heap {
            return Ok(());
        }
        rows.push(row![
            table.head.id.0,
            &index.name,
            index.id.0,
            false,
            false,
            false,
            false,
            (),
            false,
            false,
            false,
            0,
            "Sort based statistics",
            false,
            1,
            "PRIMARY",
            ()
        ]);
        Ok(())
    })?;
    each_made(cx, |table, s| {
        rows.push(row![
            table.head.id.0,
            &s.name,
            s.id.0,
            false,
            true,
            s.no_recompute,
            false,
            (),
            false,
            false,
            false,
            0,
            "Sort based statistics",
            false,
            1,
            "PRIMARY",
            ()
        ]);
    });
    Ok(())
}

/// What CREATE STATISTICS has made.
fn each_made(cx: &ViewContext<'_>, mut f: impl FnMut(&Table, &Statistics)) {
    for object in cx.objects() {
        if let Object::Table(table) = &object {
            table.statistics.iter().for_each(|s| f(table, s));
        }
    }
}

fn stats_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_index(cx, |table, index| {
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
    each_index(cx, |table, index| {
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
