//! Indexes, constraints, partitions, allocation units, data spaces.

use super::objects::{OBJECT, constraints, object_cells};
use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::{Index, IndexKind, ObjectKind, Table};
use crate::features::needs;
use crate::row;
use std::sync::Arc;
use taffrail_base::SqlResult;
use taffrail_storage::SpaceUsed;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys("indexes", needs::METADATA, &["\
            object_id int! · name sysname? · index_id int! · type tinyint! · type_desc nvarchar(60)? · \
            is_unique bit? · data_space_id int? · ignore_dup_key bit? · is_primary_key bit? · \
            is_unique_constraint bit? · fill_factor tinyint! · is_padded bit? · is_disabled bit? · \
            is_hypothetical bit? · is_ignored_in_optimization bit? · allow_row_locks bit? · allow_page_locks bit? · \
            has_filter bit? · filter_definition nvarchar(max)? · compression_delay int? · \
            suppress_dup_key_messages bit? · auto_created bit? · optimize_for_sequential_key bit?"], indexes),
        sys("index_columns", needs::METADATA, &[
            "object_id int!",
            "index_id int!",
            "index_column_id int!",
            "column_id int!",
            "key_ordinal tinyint!",
            "partition_ordinal tinyint!",
            "is_descending_key bit?",
            "is_included_column bit?",
            "column_store_order_ordinal tinyint?",
        ], index_columns),
        sys("key_constraints", needs::METADATA, &[OBJECT, "\
            unique_index_id int? · is_system_named bit! · is_enforced bit?"], key_constraints),
        sys("foreign_keys", needs::METADATA, &[
            OBJECT,
            "referenced_object_id int?",
            "key_index_id int?",
            "is_disabled bit!",
            "is_not_for_replication bit!",
            "is_not_trusted bit!",
            "delete_referential_action tinyint?",
            "delete_referential_action_desc nvarchar(60)?",
            "update_referential_action tinyint?",
            "update_referential_action_desc nvarchar(60)?",
            "is_system_named bit!",
        ], foreign_keys),
        sys("foreign_key_columns", needs::METADATA, &["\
            constraint_object_id int! · constraint_column_id int! · parent_object_id int! · parent_column_id int! · \
            referenced_object_id int! · referenced_column_id int!"], foreign_key_columns),
        sys("check_constraints", needs::METADATA, &[OBJECT, "\
            is_disabled bit! · is_not_for_replication bit! · is_not_trusted bit! · parent_column_id int! · \
            definition nvarchar(max)? · uses_database_collation bit? · is_system_named bit!"], check_constraints),
        sys("default_constraints", needs::METADATA, &[OBJECT, "\
            parent_column_id int! · definition nvarchar(max)? · is_system_named bit!"], default_constraints),
        sys("partitions", needs::PUBLIC, &[
            "partition_id bigint!",
            "object_id int!",
            "index_id int!",
            "partition_number int!",
            "hobt_id bigint!",
            "rows bigint?",
            "filestream_filegroup_id smallint!",
            "data_compression tinyint!",
            "data_compression_desc nvarchar(60)?",
            "xml_compression bit?",
            "xml_compression_desc varchar(3)?",
        ], partitions),
        sys("allocation_units", needs::PUBLIC, &[
            "allocation_unit_id bigint!",
            "type tinyint!",
            "type_desc nvarchar(60)?",
            "container_id bigint!",
            "data_space_id int?",
            "total_pages bigint!",
            "used_pages bigint!",
            "data_pages bigint!",
        ], allocation_units),
        sys("data_spaces", needs::PUBLIC, &[
            "name sysname!",
            "data_space_id int!",
            "type char(2)!",
            "type_desc nvarchar(60)?",
            "is_default bit?",
            "is_system bit?",
        ], |_, _, rows| {
            rows.push(row!["PRIMARY", 1, "FG", "ROWS_FILEGROUP", true, false]);
            Ok(())
        }),
        sys("filegroups", needs::PUBLIC, &[
            "name sysname!",
            "data_space_id int!",
            "type char(2)!",
            "type_desc nvarchar(60)?",
            "is_default bit?",
            "is_system bit?",
            "filegroup_guid uniqueidentifier?",
            "log_filegroup_id int?",
            "is_read_only bit?",
            "is_autogrow_all_files bit?",
        ], |_, _, rows| {
            rows.push(row!["PRIMARY", 1, "FG", "ROWS_FILEGROUP", true, false, (), (), false, false]);
            Ok(())
        }),
    ]);
}

/// Calls `each` for every heap and tree that indexes of tables have.
pub(super) fn each_index(
    cx: &ViewContext<'_>,
    mut each: impl FnMut(&Table, &Arc<Index>) -> SqlResult<()>,
) -> SqlResult<()> {
    for table in cx.tables().into_iter().chain(cx.indexed_views()) {
        for index in &table.indexes {
            each(&table, index)?;
        }
    }
    Ok(())
}

/// Calls `each` for every index of every table, also for those that are disabled.
pub(super) fn each_defined(
    cx: &ViewContext<'_>,
    mut each: impl FnMut(&Table, &Arc<Index>) -> SqlResult<()>,
) -> SqlResult<()> {
    for table in cx.tables().into_iter().chain(cx.indexed_views()) {
        table.defined().try_for_each(|index| each(&table, index))?;
    }
    Ok(())
}

fn indexes(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_defined(cx, |table, index| {
        let (ty, name) = match index.kind {
            IndexKind::Heap => (0, "HEAP"),
            IndexKind::Clustered => (1, "CLUSTERED"),
            IndexKind::Nonclustered => (2, "NONCLUSTERED"),
        };
        rows.push(row![
            table.head.id.0,
            (index.kind != IndexKind::Heap).then_some(&index.name),
            index.id.0,
            ty,
            name,
            index.unique,
            1,
            index.ignore_dup_key,
            index.primary_key,
            index.unique_constraint,
            index.fill_factor,
            index.padded,
            index.disabled,
            false,
            false,
            !index.no_row_locks,
            !index.no_page_locks,
            index.filter.is_some(),
            index.filter.as_ref().map(|f| &f.definition),
            (),
            false,
            false,
            false
        ]);
        Ok(())
    })
}

fn index_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_defined(cx, |table, index| {
        let (object, id) = (table.head.id.0, index.id.0);
        let mut n = 0;
        for c in index.key.columns() {
            n += 1;
            let column = table.columns[c.column].id;
            rows.push(row![object, id, n, column, n, 0, c.descending, false, 0]);
        }
        for c in &index.included {
            n += 1;
            rows.push(row![object, id, n, table.columns[*c].id, 0, 0, false, true, 0]);
        }
        Ok(())
    })
}

fn key_constraints(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    constraints(cx, |_, c| {
        if matches!(c.head.kind, ObjectKind::PrimaryKey | ObjectKind::Unique) {
            let mut cells = object_cells(cx, &c.head);
            cells.extend(row![c.detail, c.head.system_named, true]);
            rows.push(cells);
        }
    });
    Ok(())
}

fn foreign_keys(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let keys = cx.foreign_keys()?;
    constraints(cx, |_, c| {
        let Some(k) = keys.iter().find(|k| k.id == c.head.id) else { return };
        let mut cells = object_cells(cx, &c.head);
        cells.extend(row![k.referenced.0, k.index.0, k.disabled, false, k.not_trusted]);
        for action in [k.on_delete, k.on_update] {
            cells.extend(row![i32::from(action.number()), action.description(false)]);
        }
        cells.extend(row![c.head.system_named]);
        rows.push(cells);
    });
    Ok(())
}

fn foreign_key_columns(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    for k in cx.foreign_keys()? {
        for (i, (own, other)) in k.columns.iter().enumerate() {
            rows.push(row![k.id.0, i + 1, k.table.0, *own, k.referenced.0, *other]);
        }
    }
    Ok(())
}

fn check_constraints(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    constraints(cx, |_, c| {
        if c.head.kind == ObjectKind::Check {
            let mut cells = object_cells(cx, &c.head);
            let named = c.head.system_named;
            cells.extend(row![
                c.disabled,
                false,
                c.not_trusted,
                c.detail,
                cx.sees_definition(&c.head).then_some(&c.definition),
                true,
                named
            ]);
            rows.push(cells);
        }
    });
    Ok(())
}

fn default_constraints(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    constraints(cx, |_, c| {
        if c.head.kind == ObjectKind::Default {
            let mut cells = object_cells(cx, &c.head);
            let text = cx.sees_definition(&c.head).then_some(&c.definition);
            cells.extend(row![c.detail, text, c.head.system_named]);
            rows.push(cells);
        }
    });
    Ok(())
}

fn partitions(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_index(cx, |table, index| {
        let count = index.hobt()?.row_count();
        rows.push(row![
            index.hobt_id.0,
            table.head.id.0,
            index.id.0,
            1,
            index.hobt_id.0,
            count,
            0,
            0,
            "NONE",
            false,
            "OFF"
        ]);
        Ok(())
    })
}

/// Pages of an index.
pub(super) fn space(cx: &ViewContext<'_>, index: &Index) -> SqlResult<SpaceUsed> {
    cx.database.storage.space_used(index.hobt_id).map_err(|e| e.to_sql())
}

fn allocation_units(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_index(cx, |_, index| {
        // Large values lie among the pages of their heap or tree and are counted with them.
        let used = space(cx, index)?;
        let id = index.hobt_id.0;
        rows.push(row![
            id * 4 + 1,
            1,
            "IN_ROW_DATA",
            id,
            1,
            used.reserved_pages,
            used.used_pages,
            used.used_pages.saturating_sub(used.iam_pages)
        ]);
        Ok(())
    })
}
