//! Space of databases.

use super::indexes::{each_index, space};
use super::{Declaration, Rows, ViewContext, sys};
use crate::catalog::IndexKind;
use crate::features::needs;
use crate::row;
use taffrail_base::SqlResult;
use taffrail_storage::FileKind;
use taffrail_types::Value;

pub(super) fn declare(views: &mut Vec<Declaration>) {
    views.extend([
        sys(
            "dm_db_partition_stats",
            needs::PARTITION_STATS,
            &[
                "partition_id bigint?",
                "object_id int!",
                "index_id int!",
                "partition_number int!",
                "in_row_data_page_count bigint?",
                "in_row_used_page_count bigint?",
                "in_row_reserved_page_count bigint?",
                "lob_used_page_count bigint?",
                "lob_reserved_page_count bigint?",
                "row_overflow_used_page_count bigint?",
                "row_overflow_reserved_page_count bigint?",
                "used_page_count bigint?",
                "reserved_page_count bigint?",
                "row_count bigint?",
            ],
            partition_stats,
        ),
        sys(
            "dm_db_file_space_usage",
            needs::SERVER_PERFORMANCE,
            &[
                "database_id smallint?",
                "file_id smallint?",
                "filegroup_id smallint?",
                "total_page_count bigint?",
                "allocated_extent_page_count bigint?",
                "unallocated_extent_page_count bigint?",
                "version_store_reserved_page_count bigint?",
                "user_object_reserved_page_count bigint?",
                "internal_object_reserved_page_count bigint?",
                "mixed_extent_page_count bigint?",
                "modified_extent_page_count bigint?",
            ],
            file_space,
        ),
    ]);
}

fn partition_stats(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    each_index(cx, |table, index| {
        let s = space(cx, index)?;
        let count = index.hobt()?.row_count();
        rows.push(row![
            index.hobt_id.0,
            table.head.id.0,
            index.id.0,
            1,
            // Large values lie among the pages of their heap or tree and are counted with them.
            s.used_pages.saturating_sub(s.iam_pages),
            s.used_pages,
            s.reserved_pages,
            0,
            0,
            0,
            0,
            s.used_pages,
            s.reserved_pages,
            count
        ]);
        debug_assert!(index.kind != IndexKind::Heap || index.id.0 == 0);
        Ok(())
    })
}

fn file_space(cx: &ViewContext<'_>, _: &[Value], rows: &mut Rows) -> SqlResult<()> {
    let mut user = 0;
    each_index(cx, |_, index| {
        user += space(cx, index)?.reserved_pages;
        Ok(())
    })?;
    for f in cx.database.storage.files() {
        if f.kind != FileKind::Rows {
            continue;
        }
        let (total, used) = (f.size / 8192, f.used / 8192);
        let internal = used.saturating_sub(user);
        rows.push(row![
            cx.database.id.0,
            f.id.0,
            1,
            total,
            used,
            total.saturating_sub(used),
            0,
            user,
            internal,
            0,
            ()
        ]);
    }
    Ok(())
}
